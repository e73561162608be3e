/* SPDX-License-Identifier: MIT */
/* directories.c - the search path: directories in which plug-ins are looked for. */

#include "config.h"

#include "host/search/directories.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_trust.h"
#include "text/text.h"

#define VERSION_DIR "backplane/v1" /* the ABI's major: two can be side by side */

/* Ignores relative directories: they would depend on where the program is started. */
static bp_rc add(struct bp_search *search, const char *path, size_t n, const char *why,
                 const struct bp_log *log, bp_err *err)
{
    struct bp_search_dir *dirs;
    struct bp_search_dir dir;

    if (n == 0)
        return BP_OK;
    if (path[0] != '/') {
        bp_log(log, BP_LOG_WARN, "host", "%s: '%.*s' is left out, it is not absolute", why, (int)n,
               path);
        return BP_OK;
    }
    dirs = realloc(search->dirs, (search->count + 1) * sizeof *dirs);
    if (dirs)
        search->dirs = dirs;
    dir.path = strndup(path, n);
    dir.why = strdup(why);
    if (!dirs || !dir.path || !dir.why) {
        free(dir.path);
        free(dir.why);
        return bp_fail_nomem(err, "the provider search path");
    }
    dirs[search->count++] = dir;
    return BP_OK;
}

/* Adds the entries of a colon-separated list. */
static bp_rc add_list(struct bp_search *search, const char *list, const char *why,
                      const struct bp_log *log, bp_err *err)
{
    while (*list) {
        size_t n = strcspn(list, ":");
        bp_rc rc = add(search, list, n, why, log, err);

        if (rc < 0)
            return rc;
        list += n + (list[n] == ':');
    }
    return BP_OK;
}

static bp_rc add_user_dir(struct bp_search *search, const struct bp_log *log, bp_err *err)
{
    const char *data = secure_getenv("XDG_DATA_HOME");
    const char *home = secure_getenv("HOME");
    struct bp_text path = {0};
    bp_rc rc;

    if (data && data[0] == '/')
        bp_text_printf(&path, "%s/%s", data, VERSION_DIR);
    else if (home && home[0] == '/')
        bp_text_printf(&path, "%s/.local/share/%s", home, VERSION_DIR);
    else
        return BP_OK;
    if (path.failed) {
        bp_text_finish(&path);
        return bp_fail_nomem(err, "the provider search path");
    }
    rc = add(search, path.data, path.len, "the user's data directory", log, err);
    bp_text_finish(&path);
    return rc;
}

static void warn_ignored(const struct bp_settings *settings, const struct bp_log *log)
{
    if (!bp_trust_is_elevated())
        return;
    for (uint32_t i = 0; i < settings->count; i++)
        bp_log(log, BP_LOG_WARN, "host",
               "%s does not count: the program runs with raised privileges",
               settings->rows[i].name);
}

/*
 * BACKPLANE_PROVIDER_PATH replaces the default directories, BACKPLANE_PROVIDER_PATH_ADD precedes
 * them.
 */
static bp_rc add_standard(struct bp_search *search, const bp_env_config *config,
                          const struct bp_settings *settings, const struct bp_log *log, bp_err *err)
{
    const char *only = bp_settings_text(settings, "BACKPLANE_PROVIDER_PATH");
    const char *more = bp_settings_text(settings, "BACKPLANE_PROVIDER_PATH_ADD");
    bp_rc rc = BP_OK;

    warn_ignored(settings, log);
    if (only)
        return add_list(search, only, "environment variable BACKPLANE_PROVIDER_PATH", log, err);
    if (more)
        rc = add_list(search, more, "environment variable BACKPLANE_PROVIDER_PATH_ADD", log, err);
    if (rc >= 0 && bp_settings_count(config->flags))
        rc = add_user_dir(search, log, err);
    if (rc >= 0)
        rc = add(search, BP_PROVIDER_DIR, strlen(BP_PROVIDER_DIR), "the installation", log, err);
    return rc;
}

bp_rc bp_search_init(struct bp_search *search, const bp_env_config *config,
                     const struct bp_settings *settings, const struct bp_log *log, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < config->n_provider_dirs; i++) {
        const char *dir = config->provider_dirs[i];

        if (!dir || dir[0] != '/')
            return bp_fail(err, BP_E_INVALID, "provider directory '%s' is not absolute",
                           dir ? dir : "(null)");
        rc = add(search, dir, strlen(dir), "the application", log, err);
    }
    if (rc >= 0)
        rc = add_standard(search, config, settings, log, err);
    return rc;
}

void bp_search_finish(struct bp_search *search)
{
    for (uint32_t i = 0; i < search->count; i++) {
        free(search->dirs[i].path);
        free(search->dirs[i].why);
    }
    free(search->dirs);
    *search = (struct bp_search){0};
}

char *bp_search_text(const struct bp_search *search)
{
    struct bp_text text = {0};

    if (search->count == 0)
        bp_text_add(&text, "no directory");
    for (uint32_t i = 0; i < search->count; i++) {
        const char *glue = i + 1 < search->count ? ", " : " and ";

        bp_text_printf(&text, "%s%s", i ? glue : "", search->dirs[i].path);
        if (access(search->dirs[i].path, F_OK) != 0)
            bp_text_add(&text, " (not there)");
    }
    return bp_text_take(&text);
}
