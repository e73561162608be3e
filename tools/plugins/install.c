/* SPDX-License-Identifier: MIT */
/*
 * install.c - `backplane install`: inspects a plug-in, copies it beside its new name, makes all checks
 * of that copy, and only then gives it the name by which programs find it.
 */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/table.h"
#include "plugins/directory.h"
#include "providers/provider.h"
#include "text/whole_file.h"

enum { MAX_CONF = 65536 }; /* bytes; the host reads no larger one */

struct install_args {
    struct directory_args directory;
    bool has_conf, is_forced, is_unprobed, may_replace, may_downgrade, is_dry;
};

static const struct arg_spec install_specs[] = {
    {.name = "conf",
     .kind = ARG_FLAG,
     .at = offsetof(struct install_args, has_conf),
     .help = "Install the file NAME.conf beside FILE, too."},
    {.name = "replace",
     .kind = ARG_FLAG,
     .at = offsetof(struct install_args, may_replace),
     .help = "Overwrite the same version, and with --conf another conf file."},
    {.name = "downgrade",
     .kind = ARG_FLAG,
     .at = offsetof(struct install_args, may_downgrade),
     .help = "Overwrite a newer version."},
    {.name = "no-probe",
     .kind = ARG_FLAG,
     .at = offsetof(struct install_args, is_unprobed),
     .help = "Run no code of the plug-in, not even in a process of its own."},
    {.name = "force",
     .kind = ARG_FLAG,
     .at = offsetof(struct install_args, is_forced),
     .help = "Install what only this machine cannot use: its processor is too old, or a library or "
             "a device is missing."},
    {.name = "dry-run",
     .kind = ARG_FLAG,
     .at = offsetof(struct install_args, is_dry),
     .help = "Make all checks of FILE where it lies, and write nothing."},
};

static const char about[] =
    "Installs plug-ins for the user, or with --system for all. Each FILE is inspected first, as\n"
    "bytes: who could have changed it, its manifest, processor, ABI, libraries and symbols. Then "
    "it\n"
    "is copied under another name, and a process of its own opens the copy and asks whether it is\n"
    "usable; at last the copy gets its name, at once and whole. What fails leaves nothing behind.\n"
    "A higher version replaces a lower one of the same provider. The exit code is 4 if a plug-in\n"
    "is refused.";

/* One file on its way. */
struct job {
    struct cli *cli;
    const struct install_args *args;
    const char *dir;
    char *source, *target;
    char *conf_source, *conf_target; /* NULL: none is installed */
    char *conf;                      /* its bytes */
    size_t conf_size;
    struct plugin plugin; /* the file given, then its copy */
    struct plugin old;    /* what has the target's name; file NULL: nothing */
    struct whole_file copy, conf_copy;
    struct directory_made made;
};

static void finish_job(struct job *job, bool is_undone)
{
    whole_file_drop(&job->copy);
    whole_file_drop(&job->conf_copy);
    directory_made_finish(&job->made, is_undone);
    plugin_finish(&job->plugin);
    plugin_finish(&job->old);
    free(job->source);
    free(job->target);
    free(job->conf_source);
    free(job->conf_target);
    free(job->conf);
}

/* ---- refusals -------------------------------------------------------------------------------- */

/* Does only this machine stand in the way, so that --force may install it? */
static bool is_of_machine(const struct plugin *plugin)
{
    return plugin->stage == BP_STAGE_ISA || plugin->stage == BP_STAGE_DEPENDENCIES ||
           (plugin->stage == BP_STAGE_AVAILABLE && plugin->is_probed);
}

/* Replaces each `from` of a text by `to`. */
static void put_replaced(struct bp_text *out, const char *text, const char *from, const char *to)
{
    const char *at;

    while ((at = strstr(text, from)) != NULL) {
        text_add(out, text, (size_t)(at - text));
        text_put(out, to);
        text = at + strlen(from);
    }
    text_put(out, text);
}

/*
 * The exit code for what checks found; CLI_OK: go on. Policies (the allow list, a veto, a conf file)
 * say what is used, not what may be installed. The words name the file that the user knows.
 */
static int judge(const struct job *job, const char *path)
{
    const struct plugin *plugin = &job->plugin;
    struct bp_text words = {0}, named = {0};
    int code = plugin->stage == BP_STAGE_FOUND ? CLI_USAGE : CLI_PROVIDER;

    if (plugin->code >= 0 || (is_of_machine(plugin) && job->args->is_forced))
        return CLI_OK;
    if (plugin->stage == BP_STAGE_POLICY &&
        (plugin->code == BP_E_UNAVAILABLE || !job->args->has_conf))
        return CLI_OK;
    plugin_put_fault(&words, plugin);
    put_replaced(&named, text_string(&words), path, job->source);
    code = cli_fail(job->cli, code, "%s is not installed: %s%s", job->source, text_string(&named),
                    is_of_machine(plugin) ? "; --force installs it all the same" : "");
    text_finish(&words);
    text_finish(&named);
    return code;
}

static int check(struct job *job, const char *path, bool is_probed)
{
    struct cli *cli = job->cli;
    uint32_t index;
    bp_rc rc = bp_env_find_provider(cli->env, path, &index, &cli->err);

    plugin_finish(&job->plugin);
    if (rc >= 0)
        rc = plugin_check(cli->env, index, is_probed, &job->plugin, &cli->err);
    return rc < 0 ? cli_fail_rc(cli, CLI_RUN, rc) : judge(job, path);
}

/* ---- where it goes --------------------------------------------------------------------------- */

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static char *in_dir(const char *dir, size_t n, const char *name, const char *suffix)
{
    struct bp_text path = {0};
    char *out;

    text_add(&path, dir, n);
    text_printf(&path, "/%s%s", name, suffix);
    out = xstrdup(text_string(&path));
    text_finish(&path);
    return out;
}

/*
 * Names the target: as the file, if a search takes that name, else after the provider. The manifest
 * allows few characters in a name, so it is harmless in a path.
 */
static void name_target(struct job *job)
{
    const char *base = base_of(job->source);
    struct bp_text stem = {0}, level = {0}, name = {0};

    if (directory_split_name(base, &stem, &level))
        text_put(&name, base);
    else
        text_printf(&name, "libbp-%s.so", job->plugin.name);
    if (stem.len == 0)
        text_put(&stem, job->plugin.name);
    job->target =
        in_dir(job->dir, strcmp(job->dir, "/") == 0 ? 0 : strlen(job->dir), text_string(&name), "");
    if (job->args->has_conf) {
        job->conf_source =
            in_dir(job->source, (size_t)(base - job->source - 1), text_string(&stem), ".conf");
        job->conf_target = in_dir(job->dir, strcmp(job->dir, "/") == 0 ? 0 : strlen(job->dir),
                                  text_string(&stem), ".conf");
    }
    text_finish(&stem);
    text_finish(&level);
    text_finish(&name);
}

static int refuse(const struct job *job, const char *why, const char *way)
{
    return cli_fail(job->cli, CLI_PROVIDER, "%s is not installed: %s %s; %s", job->source,
                    job->target, why, way);
}

/* Compares with a file of the same provider that has the name. */
static int compare_old(struct job *job)
{
    int order = bp_compare_versions(job->plugin.version, job->old.version);
    struct bp_text why = {0};
    int code = CLI_OK;

    text_printf(&why, order == 0 ? "has version %s already" : "has the higher version %s",
                job->old.version);
    if (order == 0 && !job->args->may_replace)
        code = refuse(job, text_string(&why), "--replace overwrites it");
    else if (order < 0 && !job->args->may_downgrade)
        code = refuse(job, text_string(&why), "--downgrade overwrites it");
    text_finish(&why);
    return code;
}

/* May the file that has the name be overwritten? */
static int check_old(struct job *job)
{
    struct cli *cli = job->cli;
    struct stat st, own;
    struct bp_text why = {0};
    uint32_t index;
    int code = CLI_OK;
    bp_rc rc;

    if (lstat(job->target, &st) != 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? CLI_OK
                   : cli_fail(cli, CLI_RUN, "%s: %s", job->target, strerror(errno));
    if (stat(job->source, &own) == 0 && own.st_dev == st.st_dev && own.st_ino == st.st_ino)
        return refuse(job, "is that very file",
                      "nothing is to be done; 'backplane verify' checks it");
    if (!S_ISREG(st.st_mode))
        return refuse(job,
                      S_ISLNK(st.st_mode) ? "is a symbolic link" : "is there and no regular file",
                      "remove it first");
    rc = bp_env_find_provider(cli->env, job->target, &index, &cli->err);
    if (rc >= 0)
        rc = plugin_peek(cli->env, index, &job->old, &cli->err);
    if (rc < 0)
        return cli_fail_rc(cli, CLI_RUN, rc);
    if (job->old.id && strcmp(job->old.id, job->plugin.id) == 0)
        return compare_old(job);
    if (job->old.id)
        text_printf(&why, "holds another provider, '%s'", job->old.id);
    else
        text_put(&why, "is there, and what provider it holds cannot be told");
    code = refuse(job, text_string(&why), "remove it first, or choose another --dir");
    text_finish(&why);
    return code;
}

/* Is there a file of the same provider and version, so that neither would be used? */
static bool is_twin(void *user, const struct plugin *other)
{
    struct job *job = user;
    struct bp_text stem = {0}, level = {0}, own_level = {0}, why = {0};
    bool is_tie;

    if (!other->id || strcmp(other->id, job->plugin.id) != 0 ||
        strcmp(other->file, job->target) == 0 ||
        bp_compare_versions(other->version, job->plugin.version) != 0)
        return false;
    (void)directory_split_name(base_of(other->file), &stem, &level);
    (void)directory_split_name(base_of(job->target), &stem, &own_level);
    is_tie = strcmp(text_string(&level), text_string(&own_level)) == 0;
    if (is_tie) {
        text_printf(&why, "would not be used, nor would %s, which holds the same version of '%s'",
                    other->file, other->id);
        (void)refuse(job, text_string(&why), "remove that first");
    }
    text_finish(&stem);
    text_finish(&level);
    text_finish(&own_level);
    text_finish(&why);
    return is_tie;
}

/* Reads a conf file, which is small. NULL with errno: it cannot be read, or is none. */
static char *read_conf(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "rb");
    struct stat st;
    char *bytes = NULL;

    if (file && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        bytes = xalloc(MAX_CONF + 1, 1);
        *size = fread(bytes, 1, MAX_CONF + 1, file);
        if (ferror(file) || *size > MAX_CONF) {
            errno = ferror(file) ? errno : EFBIG;
            free(bytes);
            bytes = NULL;
        }
    } else if (file) {
        errno = EINVAL;
    }
    if (file) {
        int cause = errno;

        fclose(file);
        errno = cause;
    }
    return bytes;
}

/* What an operator has written is not overwritten unasked. */
static int check_conf(struct job *job)
{
    char *old;
    size_t size = 0;
    bool is_other;

    if (!job->conf_source)
        return CLI_OK;
    job->conf = read_conf(job->conf_source, &job->conf_size);
    if (!job->conf)
        return cli_fail(job->cli, CLI_USAGE, "--conf: %s: %s", job->conf_source, strerror(errno));
    old = read_conf(job->conf_target, &size);
    is_other = old ? size != job->conf_size || memcmp(old, job->conf, size) != 0 : errno != ENOENT;
    free(old);
    if (is_other && !job->args->may_replace)
        return cli_fail(job->cli, CLI_PROVIDER,
                        "%s is not installed: %s is there and has other settings; --replace "
                        "overwrites it",
                        job->source, job->conf_target);
    return CLI_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int cannot_write(const struct job *job, const char *path)
{
    bool is_forbidden = errno == EACCES || errno == EPERM || errno == EROFS;
    const char *way = !is_forbidden                    ? ""
                      : job->args->directory.is_system ? "; who may write there installs it, or "
                                                         "leave out --system"
                                                       : "; choose another directory with --dir";

    return cli_fail(job->cli, CLI_RUN, "%s is not installed: %s: %s%s", job->source, path,
                    strerror(errno), way);
}

/* False with errno; *of_source says whose. */
static bool copy_bytes(struct job *job, bool *of_source)
{
    int fd = open(job->source, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char bytes[65536];
    ssize_t n = -1;
    bool is_good = true;

    while (fd >= 0 && is_good && (n = read(fd, bytes, sizeof bytes)) > 0)
        is_good = whole_file_write(&job->copy, bytes, (size_t)n);
    *of_source = fd < 0 || (is_good && n < 0);
    if (fd >= 0) {
        int cause = errno;

        close(fd);
        errno = cause;
    }
    return is_good && !*of_source;
}

/* Copies under another name, of which no search takes note. Mode 0644: the linker needs no more. */
static int copy_file(struct job *job)
{
    bool of_source = false;

    if (!directory_make(job->dir, &job->made))
        return cannot_write(job, job->dir);
    if (!whole_file_begin(&job->copy, job->target) || fchmod(fileno(job->copy.file), 0644) != 0 ||
        !copy_bytes(job, &of_source) || !whole_file_end(&job->copy))
        return cannot_write(job, of_source ? job->source : job->target);
    if (job->conf && (!whole_file_begin(&job->conf_copy, job->conf_target) ||
                      fchmod(fileno(job->conf_copy.file), 0644) != 0 ||
                      !whole_file_write(&job->conf_copy, job->conf, job->conf_size) ||
                      !whole_file_end(&job->conf_copy)))
        return cannot_write(job, job->conf_target);
    return CLI_OK;
}

/*
 * Checks the copy: the bytes that will have the name, in the directory that decides who could change
 * them and where $ORIGIN is.
 */
static int check_copy(struct job *job)
{
    char *id = xstrdup(job->plugin.id), *version = xstrdup(job->plugin.version);
    int code = check(job, job->copy.part, !job->args->is_unprobed);

    if (code == CLI_OK && (!job->plugin.id || strcmp(job->plugin.id, id) != 0 ||
                           strcmp(job->plugin.version, version) != 0))
        code =
            cli_fail(job->cli, CLI_PROVIDER,
                     "%s is not installed: it changed while it was copied; try again", job->source);
    free(id);
    free(version);
    return code;
}

static int give_names(struct job *job)
{
    if (!whole_file_name(&job->conf_copy))
        return cannot_write(job, job->conf_target);
    if (!whole_file_name(&job->copy))
        return cannot_write(job, job->target);
    directory_sync(job->dir);
    return CLI_OK;
}

/* ---- what is said ---------------------------------------------------------------------------- */

static void add_fact(struct table *table, const char *name, const char *value)
{
    table_add_styled(table, STYLE_BOLD, name);
    table_add(table, value);
}

static void say_probe(struct table *table, const struct plugin *plugin)
{
    struct bp_text words = {0};

    if (plugin->is_probed && plugin->code >= 0)
        text_put(&words, "usable");
    else if (plugin->is_probed && plugin->stage == BP_STAGE_AVAILABLE)
        plugin_put_fault(&words, plugin);
    else
        text_put(&words, "not done");
    add_fact(table, "probe", text_string(&words));
    text_finish(&words);
}

static void say_allow(struct table *table, const struct job *job, const struct plugin *plugin)
{
    const char *dir;
    uint32_t mode = bp_env_allow(job->cli->env, &dir, NULL);
    struct bp_text words = {0};

    if (mode == BP_ALLOW_OFF || !plugin->sha256)
        return;
    text_printf(&words, "%s; ", provider_allow_mode(mode));
    if (plugin->is_listed)
        text_put(&words, "it is listed");
    else
        text_printf(&words,
                    "it is not listed; who trusts it adds this line to a file *.sum in %s:", dir);
    add_fact(table, "allow list", text_string(&words));
    if (!plugin->is_listed) {
        text_clear(&words);
        plugin_put_allow_line(&words, plugin);
        add_fact(table, "", text_string(&words));
    }
    text_finish(&words);
}

/* The row of the file as a program will find it, among all others; its index in *out. */
static bool find_row(struct cli *cli, const char *file, uint32_t *out)
{
    uint32_t n = 0;

    if (bp_env_provider_count(cli->env, &n, &cli->err) < 0)
        return false;
    for (*out = 0; *out < n; ++*out) {
        bp_provider_info info = {.struct_size = sizeof info};

        if (bp_env_provider_peek(cli->env, *out, &info, &cli->err) >= 0 && info.file &&
            strcmp(info.file, file) == 0)
            return true;
    }
    return false;
}

/*
 * Would a program use it? The environment searches anew, as one that starts now does. Checks of the
 * file have been made, so only what is settled among files is asked.
 */
static void say_use(struct table *table, const struct job *job)
{
    struct cli *cli = job->cli;
    struct bp_text words = {0};
    struct plugin row = {0};
    uint32_t index;

    if (!directory_is_searched(cli->env, job->dir)) {
        text_printf(&words,
                    "no: %s is not searched; --provider-dir or BACKPLANE_PROVIDER_PATH_ADD name it",
                    job->dir);
    } else if (bp_env_forget_provider(cli->env, job->plugin.id, &cli->err) < 0 ||
               !find_row(cli, job->target, &index) ||
               plugin_check(cli->env, index, false, &row, &cli->err) < 0) {
        text_printf(&words, "not known: %s", cli->words);
    } else if (row.code < 0) {
        text_put(&words, "no: ");
        plugin_put_fault(&words, &row);
    } else if (job->plugin.code < 0) {
        text_put(&words, "no: ");
        plugin_put_fault(&words, &job->plugin);
    } else {
        text_printf(&words, "yes, as '%s'", job->plugin.name);
    }
    add_fact(table, "used", text_string(&words));
    plugin_finish(&row);
    text_finish(&words);
}

static void report(const struct job *job)
{
    struct table table = {.columns = 2};
    struct bp_text words = {0};

    text_printf(&words, "%s ", job->args->is_dry ? "would install" : "installed");
    text_clean(&words, job->target);
    puts(text_string(&words));
    text_clear(&words);
    text_printf(&words, "%s, %s", job->plugin.name, job->plugin.id);
    add_fact(&table, "provider", text_string(&words));
    text_clear(&words);
    text_put(&words, job->plugin.version);
    if (job->old.version)
        text_printf(&words, ", in place of %s", job->old.version);
    add_fact(&table, "version", text_string(&words));
    if (job->conf_target)
        add_fact(&table, "conf", job->conf_target);
    say_probe(&table, &job->plugin);
    say_allow(&table, job, &job->plugin);
    if (!job->args->is_dry)
        say_use(&table, job);
    table_print(&table, job->cli, 2, false);
    table_finish(&table);
    text_finish(&words);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* In the order of cost, and writing last. */
static int act(struct job *job)
{
    bool is_probed_here = job->args->is_dry && !job->args->is_unprobed;
    int code = check(job, job->source, is_probed_here);

    if (code != CLI_OK)
        return code;
    name_target(job);
    code = check_old(job);
    if (code == CLI_OK && directory_each(job->cli, job->dir, is_twin, job))
        code = CLI_PROVIDER;
    if (code == CLI_OK)
        code = check_conf(job);
    if (code != CLI_OK || job->args->is_dry)
        return code;
    code = copy_file(job);
    if (code == CLI_OK)
        code = check_copy(job);
    return code == CLI_OK ? give_names(job) : code;
}

static int install(struct cli *cli, const struct install_args *args, const char *dir,
                   const char *operand)
{
    struct job job = {.cli = cli, .args = args, .dir = dir, .source = cli_absolute(operand)};
    int code = act(&job);

    if (code == CLI_OK && !cli->globals.quiet)
        report(&job);
    finish_job(&job, code != CLI_OK);
    return code;
}

/* Each file is on its own; the first failure gives the exit code. */
static int install_all(struct cli *cli, const struct install_args *args,
                       const struct arg_list *operands)
{
    char *dir = NULL;
    int code = directory_find(cli, &args->directory, &dir);

    if (code == CLI_OK)
        code = cli_open(cli);
    if (code == CLI_OK) {
        for (size_t i = 0; i < operands->n; i++) {
            int one = install(cli, args, dir, operands->items[i]);

            code = code == CLI_OK ? one : code;
        }
    }
    free(dir);
    return code;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct install_args args = {0};
    const struct arg_group groups[] = {
        {"Options", install_specs, sizeof install_specs / sizeof install_specs[0], &args},
        directory_group(&args.directory),
        cli_group(cli),
    };
    const struct arg_command command = {.name = "install",
                                        .operands = "FILE...",
                                        .about = about,
                                        .groups = groups,
                                        .n_groups = sizeof groups / sizeof groups[0],
                                        .min_operands = 1,
                                        .max_operands = SIZE_MAX};
    struct arg_list operands = {0};
    int code = args_parse(cli, &command, argc, argv, &operands);

    if (code == ARGS_GO)
        code = install_all(cli, &args, &operands);
    arg_list_finish(&operands);
    return code;
}

const struct command cmd_install = {"install", "Install plug-ins, once they are checked", run};
