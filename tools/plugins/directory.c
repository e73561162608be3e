/* SPDX-License-Identifier: MIT */
/* directory.c - finds, makes and reads the directory of plug-ins. */

#include "config.h"

#include "plugins/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "libbp-"
#define SUFFIX ".so"

enum { MAX_STEM = 63 }; /* bytes; the host takes no longer names */

static const struct arg_spec specs[DIRECTORY_OPTIONS] = {
    {.name = "system",
     .kind = ARG_FLAG,
     .at = offsetof(struct directory_args, is_system),
     .help = "The system's directory of plug-ins, instead of the user's."},
    {.name = "dir",
     .kind = ARG_TEXT,
     .value = "DIR",
     .at = offsetof(struct directory_args, dir),
     .help = "This directory, instead of the user's."},
};

struct arg_group directory_group(struct directory_args *args)
{
    return (struct arg_group){"Directory", specs, DIRECTORY_OPTIONS, args};
}

int directory_find(struct cli *cli, const struct directory_args *args, char **out)
{
    char path[PATH_MAX];
    bp_rc rc;

    *out = NULL;
    if (args->is_system && args->dir)
        return cli_fail(cli, CLI_USAGE, "--system and --dir name two directories; give one");
    if (args->dir && !*args->dir)
        return cli_fail(cli, CLI_USAGE, "--dir names no directory");
    if (args->dir) {
        *out = cli_absolute(args->dir);
        return CLI_OK;
    }
    rc = bp_standard_provider_dir(args->is_system ? BP_DIR_SYSTEM : BP_DIR_USER, path, sizeof path,
                                  &cli->err);
    if (rc < 0)
        return cli_fail(cli, CLI_USAGE, "%s; give --dir", cli->words);
    *out = cli_absolute(path);
    return CLI_OK;
}

bool directory_is_searched(bp_env *env, const char *dir)
{
    const char *searched;

    for (uint32_t i = 0; (searched = bp_env_provider_dir(env, i, NULL)) != NULL; i++) {
        char *path = cli_absolute(searched);
        bool is_same = strcmp(path, dir) == 0;

        free(path);
        if (is_same)
            return true;
    }
    return false;
}

bool directory_split_name(const char *name, struct bp_text *stem, struct bp_text *level)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
    static const char *const levels[] = {".x86-64-v2", ".x86-64-v3", ".x86-64-v4"};
    size_t n = strlen(name), fixed = strlen(PREFIX) + strlen(SUFFIX);

    if (n <= fixed || n - fixed > MAX_STEM || strncmp(name, PREFIX, strlen(PREFIX)) != 0 ||
        strcmp(name + n - strlen(SUFFIX), SUFFIX) != 0 || name[strspn(name, plain)])
        return false;
    name += strlen(PREFIX);
    n -= fixed;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        size_t length = strlen(levels[i]);

        if (n > length && strncmp(name + n - length, levels[i], length) == 0) {
            n -= length;
            text_put(level, levels[i]);
            break;
        }
    }
    text_add(stem, name, n);
    return true;
}

/* Like the host, but for names with odd characters: those must be found, to be removed. */
static int is_plugin(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);

    return n > strlen(PREFIX) + strlen(SUFFIX) &&
           strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0 &&
           strcmp(entry->d_name + n - strlen(SUFFIX), SUFFIX) == 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool call(struct cli *cli, const char *path, directory_fn *fn, void *user)
{
    struct plugin plugin = {0};
    uint32_t index;
    bool is_end = false;

    if (bp_env_find_provider(cli->env, path, &index, &cli->err) >= 0 &&
        plugin_peek(cli->env, index, &plugin, &cli->err) >= 0)
        is_end = fn(user, &plugin);
    plugin_finish(&plugin);
    return is_end;
}

bool directory_each(struct cli *cli, const char *dir, directory_fn *fn, void *user)
{
    struct dirent **entries = NULL;
    int n = scandir(dir, &entries, is_plugin, by_bytes);
    bool is_end = false;

    for (int i = 0; i < n; i++) {
        struct bp_text path = {0};

        text_printf(&path, "%s/%s", strcmp(dir, "/") == 0 ? "" : dir, entries[i]->d_name);
        if (!is_end)
            is_end = call(cli, text_string(&path), fn, user);
        text_finish(&path);
        free(entries[i]);
    }
    free(entries);
    return is_end;
}

/* chmod(), because a umask may take too much away: others are to read the system's directory. */
static bool make_one(const char *path, struct directory_made *made)
{
    struct stat st;
    int cause;

    if (mkdir(path, 0755) == 0) {
        made->paths = xrealloc(made->paths, made->n + 1, sizeof *made->paths);
        made->paths[made->n++] = xstrdup(path);
        return chmod(path, 0755) == 0;
    }
    cause = errno;
    if (stat(path, &st) == 0) {
        errno = ENOTDIR;
        return S_ISDIR(st.st_mode);
    }
    errno = cause;
    return false;
}

bool directory_make(const char *dir, struct directory_made *made)
{
    char *path = xstrdup(dir);
    bool is_made = true;

    for (char *slash = strchr(path + 1, '/'); is_made && slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        is_made = make_one(path, made);
        *slash = '/';
    }
    is_made = is_made && make_one(path, made);
    free(path);
    return is_made;
}

void directory_made_finish(struct directory_made *made, bool is_undone)
{
    while (made->n > 0) {
        made->n--;
        if (is_undone)
            (void)rmdir(made->paths[made->n]);
        free(made->paths[made->n]);
    }
    free(made->paths);
    made->paths = NULL;
}

void directory_sync(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}
