/* SPDX-License-Identifier: MIT */
/* refused.c - nodes that a provider claimed and then gave back. */

#include "config.h"

#include "plan/refused.h"

#include <stdlib.h>
#include <string.h>

/* Adds a row; rows grow by doubling, and texts are in the region. */
static bool add_row(struct bp_refused *refused, const char *name, const char *text)
{
    struct bp_refused_node row = {.name = bp_region_string(&refused->region, name),
                                  .text = bp_region_string(&refused->region, text)};

    if (refused->count == refused->cap) {
        uint32_t cap = refused->cap ? refused->cap * 2 : 16;
        struct bp_refused_node *rows = realloc(refused->rows, cap * sizeof *rows);

        if (!rows)
            return false;
        refused->rows = rows;
        refused->cap = cap;
    }
    if (!row.name || !row.text || !bp_strmap_put(&refused->by_name, row.name, refused->count))
        return false;
    refused->rows[refused->count++] = row;
    return true;
}

bp_rc bp_refused_add_name(struct bp_refused *refused, const char *name, const char *text,
                          bool *is_new, bp_err *err)
{
    if (bp_strmap_get(&refused->by_name, name, BP_NONE) != BP_NONE)
        return BP_OK;
    *is_new = true;
    return add_row(refused, name, text) ? BP_OK : bp_fail_nomem(err, "a provider's refusals");
}

/* stands_for is a list of names with ", " between them. */
bp_rc bp_refused_add(struct bp_refused *refused, const struct bp_ir_node *node, const char *text,
                     bool *is_new, bp_err *err)
{
    bp_rc rc = bp_refused_add_name(refused, node->name, text, is_new, err);
    char *names = node->stands_for ? strdup(node->stands_for) : NULL;
    char *name = names;

    if (rc >= 0 && node->stands_for && !names)
        rc = bp_fail_nomem(err, "a provider's refusals");
    while (rc >= 0 && name) {
        char *next = strstr(name, ", ");

        if (next) {
            *next = '\0';
            next += 2;
        }
        rc = bp_refused_add_name(refused, name, text, is_new, err);
        name = next;
    }
    free(names);
    return rc;
}

const char *bp_refused_find(const struct bp_refused *refused, const struct bp_ir_node *node)
{
    uint32_t at = BP_NONE;

    if (refused && refused->count > 0)
        at = bp_strmap_get(&refused->by_name, node->name, BP_NONE);
    return at == BP_NONE ? NULL : refused->rows[at].text;
}

void bp_refused_finish(struct bp_refused *refused)
{
    bp_strmap_finish(&refused->by_name);
    bp_region_finish(&refused->region);
    free(refused->rows);
    *refused = (struct bp_refused){0};
}
