/* SPDX-License-Identifier: MIT */
/* variables.c - reads the environment variables once, so that one place knows what counts. */

#include "config.h"

#include "host/variables.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/text.h"

#define PREFIX "BACKPLANE_"

/* All that the library or its tools read. */
static const char *const known[] = {
    "BACKPLANE_PROVIDER_PATH",
    "BACKPLANE_PROVIDER_PATH_ADD",
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

/* Why a variable does not count, to be freed; NULL: it counts, or there is no memory to say so. */
static char *why_ignored(const char *name, bool ignore_all)
{
    struct bp_text text = {0};
    const char *near;

    if (!is_known(name)) {
        near = bp_nearest(name, known, N_KNOWN);
        bp_text_printf(&text, "nobody reads it%s%s%s", near ? "; did you mean " : "",
                       near ? near : "", near ? "?" : "");
    } else if (ignore_all) {
        bp_text_add(&text, "the application ignores variables");
    } else if (getauxval(AT_SECURE)) {
        bp_text_add(&text, "the program runs with raised privileges");
    }
    return bp_text_take(&text);
}

static bp_rc add(struct bp_variables *variables, const char *entry, bool ignore_all, bp_err *err)
{
    const char *equals = strchr(entry, '=');
    struct bp_variable row, *rows;
    uint32_t at;

    if (!equals || strncmp(entry, PREFIX, strlen(PREFIX)) != 0)
        return BP_OK;
    rows = realloc(variables->rows, (variables->count + 1) * sizeof *rows);
    if (rows)
        variables->rows = rows;
    row.name = strndup(entry, (size_t)(equals - entry));
    row.value = strdup(equals + 1);
    row.ignored = row.name ? why_ignored(row.name, ignore_all) : NULL;
    if (!rows || !row.name || !row.value) {
        free(row.name);
        free(row.value);
        free(row.ignored);
        return bp_fail_nomem(err, "the environment's variables");
    }
    for (at = variables->count++; at > 0 && strcmp(rows[at - 1].name, row.name) > 0; at--)
        rows[at] = rows[at - 1];
    rows[at] = row;
    return BP_OK;
}

bp_rc bp_variables_init(struct bp_variables *variables, bool ignore_all, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (char **entry = environ; rc >= 0 && entry && *entry; entry++)
        rc = add(variables, *entry, ignore_all, err);
    return rc;
}

void bp_variables_finish(struct bp_variables *variables)
{
    for (uint32_t i = 0; i < variables->count; i++) {
        free(variables->rows[i].name);
        free(variables->rows[i].value);
        free(variables->rows[i].ignored);
    }
    free(variables->rows);
    *variables = (struct bp_variables){0};
}

const char *bp_variables_get(const struct bp_variables *variables, const char *name)
{
    for (uint32_t i = 0; i < variables->count; i++) {
        const struct bp_variable *row = &variables->rows[i];

        if (strcmp(row->name, name) == 0)
            return row->ignored || !row->value[0] ? NULL : row->value;
    }
    return NULL;
}

bool bp_variables_is_on(const struct bp_variables *variables, const char *name)
{
    static const char *const off[] = {"0", "false", "no", "off"};
    const char *value = bp_variables_get(variables, name);

    for (size_t i = 0; value && i < sizeof off / sizeof off[0]; i++) {
        if (strcasecmp(value, off[i]) == 0)
            return false;
    }
    return value != NULL;
}
