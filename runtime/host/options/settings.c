/* SPDX-License-Identifier: MIT */
/*
 * settings.c - reads the environment variables once, so that the rest of the host does not depend
 * on when they change.
 */

#include "config.h"

#include "host/options/settings.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file_trust.h"
#include "text/text.h"

#define PREFIX "BACKPLANE_"

/* All variables that the library or its tools read. */
static const char *const known[] = {
    "BACKPLANE_ALLOW",
    "BACKPLANE_CACHE_DIR",
    "BACKPLANE_CACHE_LIMIT",
    "BACKPLANE_DEPS",
    "BACKPLANE_FALLBACK",
    "BACKPLANE_MEMORY_LIMIT",
    "BACKPLANE_PROBE",
    "BACKPLANE_PROBE_HELPER",
    "BACKPLANE_PROBE_TIMEOUT_MS",
    "BACKPLANE_PROVIDERS",
    "BACKPLANE_PROVIDER_OPTIONS",
    "BACKPLANE_PROVIDER_PATH",
    "BACKPLANE_PROVIDER_PATH_ADD",
    "BACKPLANE_REGISTRY",
    "BACKPLANE_REPORT",
    "BACKPLANE_STRICT",
};

enum { N_KNOWN = sizeof known / sizeof known[0] };

static bool is_known(const char *name)
{
    for (size_t i = 0; i < N_KNOWN; i++) {
        if (strcmp(name, known[i]) == 0)
            return true;
    }
    return false;
}

/*
 * A program with raised privileges (AT_SECURE) must not be controlled by the user who starts it;
 * see secure_getenv(3).
 */
bool bp_settings_count(uint32_t flags)
{
    return !(flags & (BP_ENV_IGNORE_VARIABLES | BP_ENV_HERMETIC)) && !bp_trust_is_elevated();
}

/* Returns why a variable is ignored, to be freed; NULL: no memory. */
static char *why_ignored(const char *name, uint32_t flags)
{
    struct bp_text text = {0};
    const char *near;

    if (!is_known(name)) {
        near = bp_nearest(name, known, N_KNOWN);
        bp_text_printf(&text, "there is no such variable%s%s%s", near ? "; did you mean " : "",
                       near ? near : "", near ? "?" : "");
    } else if (flags & BP_ENV_HERMETIC) {
        bp_text_add(&text, "the application is hermetic");
    } else if (flags & BP_ENV_IGNORE_VARIABLES) {
        bp_text_add(&text, "the application ignores variables");
    } else {
        bp_text_add(&text, "the program runs with raised privileges");
    }
    return bp_text_take(&text);
}

/* Inserts in order; there are a dozen variables at most. */
static bp_rc add(struct bp_settings *settings, const char *entry, uint32_t flags, bp_err *err)
{
    const char *equals = strchr(entry, '=');
    struct bp_setting row, *rows;
    uint32_t at;

    if (!equals || strncmp(entry, PREFIX, strlen(PREFIX)) != 0)
        return BP_OK;
    rows = realloc(settings->rows, (settings->count + 1) * sizeof *rows);
    if (rows)
        settings->rows = rows;
    row.name = strndup(entry, (size_t)(equals - entry));
    row.value = strdup(equals + 1);
    row.counts = row.name && is_known(row.name) && bp_settings_count(flags);
    row.ignored = row.name && !row.counts ? why_ignored(row.name, flags) : NULL;
    if (!rows || !row.name || !row.value) {
        free(row.name);
        free(row.value);
        free(row.ignored);
        return bp_fail_nomem(err, "the environment's variables");
    }
    for (at = settings->count++; at > 0 && strcmp(rows[at - 1].name, row.name) > 0; at--)
        rows[at] = rows[at - 1];
    rows[at] = row;
    return BP_OK;
}

bp_rc bp_settings_init(struct bp_settings *settings, uint32_t flags, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (char **entry = environ; rc >= 0 && entry && *entry; entry++)
        rc = add(settings, *entry, flags, err);
    return rc;
}

void bp_settings_finish(struct bp_settings *settings)
{
    for (uint32_t i = 0; i < settings->count; i++) {
        free(settings->rows[i].name);
        free(settings->rows[i].value);
        free(settings->rows[i].ignored);
    }
    free(settings->rows);
    *settings = (struct bp_settings){0};
}

const char *bp_settings_text(const struct bp_settings *settings, const char *name)
{
    for (uint32_t i = 0; i < settings->count; i++) {
        const struct bp_setting *row = &settings->rows[i];

        if (strcmp(row->name, name) == 0)
            return row->counts ? row->value : NULL;
    }
    return NULL;
}

const char *bp_settings_get(const struct bp_settings *settings, const char *name)
{
    const char *value = bp_settings_text(settings, name);

    return value && *value ? value : NULL;
}

bool bp_settings_is_on(const struct bp_settings *settings, const char *name)
{
    static const char *const off[] = {"0", "false", "no", "off"};
    const char *value = bp_settings_get(settings, name);

    for (size_t i = 0; value && i < sizeof off / sizeof off[0]; i++) {
        if (strcasecmp(value, off[i]) == 0)
            return false;
    }
    return value != NULL;
}
