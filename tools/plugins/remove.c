/* SPDX-License-Identifier: MIT */
/* remove.c - `backplane remove`: deletes the files of a provider from one directory of plug-ins. */

#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugins/directory.h"

struct remove_args {
    struct directory_args directory;
    bool has_conf, is_dry;
};

static const struct arg_spec remove_specs[] = {
    {.name = "conf",
     .kind = ARG_FLAG,
     .at = offsetof(struct remove_args, has_conf),
     .help = "Remove the file NAME.conf beside it, too."},
    {.name = "dry-run",
     .kind = ARG_FLAG,
     .at = offsetof(struct remove_args, is_dry),
     .help = "Say what would be removed, and remove nothing."},
};

static const char about[] =
    "Removes a plug-in that was installed for the user, or with --system for all. NAME is a\n"
    "provider's short name or id: all its files in that directory go, also builds for newer\n"
    "processors; or the path of a file there: that one alone goes. Files elsewhere are never\n"
    "touched. Programs that run go on with what they have open. Says which file holds the\n"
    "provider afterwards, if another does.";

/* A removal on its way. */
struct job {
    struct cli *cli;
    const struct remove_args *args;
    const char *dir;
    const char *operand;
    char *path;               /* of the one file that is meant; NULL: a name is given */
    struct arg_list files;    /* to remove; the strings are ours */
    char *id;                 /* of them; a path, where it cannot be read; NULL: none found yet */
    char *name;               /* short; NULL: none found yet */
    struct bp_text ambiguous; /* ids, where the name means several */
};

static void finish_job(struct job *job)
{
    for (size_t i = 0; i < job->files.n; i++)
        free((char *)(uintptr_t)job->files.items[i]);
    arg_list_finish(&job->files);
    text_finish(&job->ambiguous);
    free(job->path);
    free(job->id);
    free(job->name);
}

static const char *base_of(const char *path)
{
    return strrchr(path, '/') + 1;
}

/* ---- finding --------------------------------------------------------------------------------- */

static bool is_meant(const struct job *job, const struct plugin *plugin)
{
    if (job->path)
        return strcmp(plugin->file, job->path) == 0;
    return strcmp(plugin->name, job->operand) == 0 ||
           (plugin->id && strcmp(plugin->id, job->operand) == 0);
}

/* Collects files; those of one name and different ids are told apart by the user. */
static bool collect(void *user, const struct plugin *plugin)
{
    struct job *job = user;
    struct arg_list *files = &job->files;
    const char *id = plugin->id ? plugin->id : plugin->file;

    if (!is_meant(job, plugin))
        return false;
    if (job->id && strcmp(job->id, id) != 0) {
        if (job->ambiguous.len == 0)
            text_put(&job->ambiguous, job->id);
        text_printf(&job->ambiguous, ", %s", id);
    }
    if (!job->id) {
        job->id = xstrdup(id);
        job->name = xstrdup(plugin->name);
    }
    if (files->n == files->cap) {
        files->cap = files->cap ? 2 * files->cap : 8;
        files->items = xrealloc(files->items, files->cap, sizeof *files->items);
    }
    files->items[files->n++] = xstrdup(plugin->file);
    return false;
}

/* Where else the provider is, or that it is nowhere. */
static int not_here(const struct job *job)
{
    struct cli *cli = job->cli;
    bp_provider_info info = {.struct_size = sizeof info};
    uint32_t i;

    if (job->path)
        return cli_fail(cli, CLI_USAGE,
                        "%s is no plug-in in %s; only files there are removed, see --system and "
                        "--dir",
                        job->path, job->dir);
    if (bp_env_find_provider(cli->env, job->operand, &i, &cli->err) < 0 ||
        bp_env_provider_peek(cli->env, i, &info, &cli->err) < 0)
        return cli_fail(cli, CLI_USAGE, "%s has no plug-in '%s': %s", job->dir, job->operand,
                        cli->words);
    if (!info.file)
        return cli_fail(cli, CLI_USAGE, "'%s' is built in and has no file", job->operand);
    return cli_fail(cli, CLI_USAGE,
                    "%s has no plug-in '%s'; it is %s, see --system and --dir to remove that",
                    job->dir, job->operand, info.file);
}

/* Only what a search could have found is removed: a file of that name, or a link to one. */
static int check_files(const struct job *job)
{
    for (size_t i = 0; i < job->files.n; i++) {
        struct stat st;

        if (lstat(job->files.items[i], &st) == 0 && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
            return cli_fail(job->cli, CLI_USAGE,
                            "%s is no regular file, so no plug-in; nothing is removed",
                            job->files.items[i]);
    }
    return CLI_OK;
}

/* ---- removing -------------------------------------------------------------------------------- */

static void say(const struct job *job, const char *what, const char *path)
{
    struct bp_text words = {0};

    if (job->cli->globals.quiet)
        return;
    text_printf(&words, "%s ", what);
    text_clean(&words, path);
    puts(text_string(&words));
    text_finish(&words);
}

static int remove_file(const struct job *job, const char *path)
{
    if (!job->args->is_dry && unlink(path) != 0)
        return cli_fail(job->cli, CLI_RUN, "%s: %s%s", path, strerror(errno),
                        errno == EACCES || errno == EPERM ? "; who may write there removes it"
                                                          : "");
    say(job, job->args->is_dry ? "would remove" : "removed", path);
    return CLI_OK;
}

/* Another variant of the plug-in, which shares its conf file, and is not removed. */
struct variant {
    const struct job *job;
    const char *stem;
};

static bool has_stem(void *user, const struct plugin *plugin)
{
    const struct variant *variant = user;
    struct bp_text stem = {0}, level = {0};
    bool is_other;

    for (size_t i = 0; i < variant->job->files.n; i++) {
        if (strcmp(variant->job->files.items[i], plugin->file) == 0)
            return false;
    }
    is_other = directory_split_name(base_of(plugin->file), &stem, &level) &&
               strcmp(text_string(&stem), variant->stem) == 0;
    text_finish(&stem);
    text_finish(&level);
    return is_other;
}

/* Has a file before this one in the list the same stem, so that its settings were seen to? */
static bool is_repeated(const struct job *job, size_t i, const char *stem)
{
    bool is_same = false;

    for (size_t j = 0; j < i && !is_same; j++) {
        struct bp_text other = {0}, level = {0};

        is_same = directory_split_name(base_of(job->files.items[j]), &other, &level) &&
                  strcmp(text_string(&other), stem) == 0;
        text_finish(&other);
        text_finish(&level);
    }
    return is_same;
}

/* The conf file beside file i, of which all variants are gone; with --conf it goes as well. */
static int remove_conf(const struct job *job, size_t i)
{
    const char *path = job->files.items[i];
    struct bp_text stem = {0}, level = {0}, conf = {0};
    struct variant variant = {.job = job};
    struct stat st;
    int code = CLI_OK;

    if (directory_split_name(base_of(path), &stem, &level) &&
        !is_repeated(job, i, text_string(&stem))) {
        text_add(&conf, path, (size_t)(base_of(path) - path));
        text_printf(&conf, "%s.conf", text_string(&stem));
        variant.stem = text_string(&stem);
        if (lstat(text_string(&conf), &st) != 0 ||
            directory_each(job->cli, job->dir, has_stem, &variant))
            code = CLI_OK;
        else if (job->args->has_conf)
            code = remove_file(job, text_string(&conf));
        else
            say(job, "its settings stay (--conf removes them):", text_string(&conf));
    }
    text_finish(&stem);
    text_finish(&level);
    text_finish(&conf);
    return code;
}

/*
 * Which file holds the provider now? The environment searches anew, as a program that starts now
 * does. Of a file that could not be read only the name is known.
 */
static void say_successor(const struct job *job)
{
    struct cli *cli = job->cli;
    const char *name = job->id[0] == '/' ? job->name : job->id;
    bp_provider_info info = {.struct_size = sizeof info};
    struct bp_text words = {0};
    uint32_t i;

    if (bp_env_forget_provider(cli->env, job->id, &cli->err) < 0 ||
        bp_env_find_provider(cli->env, name, &i, NULL) < 0 ||
        bp_env_provider_peek(cli->env, i, &info, NULL) < 0) {
        text_put(&words, "no other plug-in that programs find holds '");
        text_clean(&words, job->name);
        text_put(&words, "'");
    } else {
        text_put(&words, "'");
        text_clean(&words, info.name);
        text_put(&words, "' is now ");
        text_clean(&words, info.file ? info.file : "built in");
        if (info.version)
            text_put(&words, ", version ");
        text_clean(&words, info.version ? info.version : "");
        if (info.code < 0) {
            text_put(&words, ", which is not usable: ");
            text_clean(&words, info.reason ? info.reason : bp_rc_name(info.code));
        }
    }
    puts(text_string(&words));
    text_finish(&words);
}

/* Before anything is deleted the list is complete, so that a mistake leaves all as it was. */
static int act(struct job *job)
{
    struct cli *cli = job->cli;
    int code;

    directory_each(cli, job->dir, collect, job);
    if (job->files.n == 0)
        return not_here(job);
    if (job->ambiguous.len > 0)
        return cli_fail(cli, CLI_USAGE,
                        "the name '%s' means several plug-ins in %s: %s; name one of them",
                        job->operand, job->dir, text_string(&job->ambiguous));
    code = check_files(job);
    for (size_t i = 0; code == CLI_OK && i < job->files.n; i++)
        code = remove_file(job, job->files.items[i]);
    for (size_t i = 0; code == CLI_OK && i < job->files.n; i++)
        code = remove_conf(job, i);
    if (code == CLI_OK && !job->args->is_dry) {
        directory_sync(job->dir);
        if (!cli->globals.quiet)
            say_successor(job);
    }
    return code;
}

static int remove_plugin(struct cli *cli, const struct remove_args *args, const char *operand)
{
    struct job job = {.cli = cli, .args = args, .operand = operand};
    char *dir = NULL;
    int code = directory_find(cli, &args->directory, &dir);

    if (code == CLI_OK)
        code = cli_open(cli);
    if (code == CLI_OK) {
        job.dir = dir;
        job.path = plugin_is_path(operand) ? cli_absolute(operand) : NULL;
        code = act(&job);
    }
    finish_job(&job);
    free(dir);
    return code;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct remove_args args = {0};
    const struct arg_group groups[] = {
        {"Options", remove_specs, sizeof remove_specs / sizeof remove_specs[0], &args},
        directory_group(&args.directory),
        cli_group(cli),
    };
    const struct arg_command command = {.name = "remove",
                                        .operands = "NAME",
                                        .about = about,
                                        .groups = groups,
                                        .n_groups = sizeof groups / sizeof groups[0],
                                        .min_operands = 1,
                                        .max_operands = 1};
    struct arg_list operands = {0};
    int code = args_parse(cli, &command, argc, argv, &operands);

    if (code == ARGS_GO)
        code = remove_plugin(cli, &args, operands.items[0]);
    arg_list_finish(&operands);
    return code;
}

const struct command cmd_remove = {"remove", "Remove an installed plug-in", run};
