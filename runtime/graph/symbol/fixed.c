/* SPDX-License-Identifier: MIT */
/* fixed.c - sizes that an application gives to the named dimensions of a model. */

#include "config.h"

#include "graph/symbol/fixed.h"

#include <stdlib.h>
#include <string.h>

uint32_t bp_fixed_list_find(const struct bp_fixed_list *list, const char *name, bool is_denotation)
{
    for (uint32_t i = 0; list && name && i < list->count; i++) {
        if (list->rows[i].is_denotation == is_denotation && strcmp(list->rows[i].name, name) == 0)
            return i;
    }
    return BP_NONE;
}

bp_rc bp_fixed_list_set(struct bp_fixed_list *list, const char *name, bool is_denotation,
                        int64_t size, bp_err *err)
{
    uint32_t at = bp_fixed_list_find(list, name, is_denotation);
    struct bp_fixed_size *rows;

    if (!name || !*name)
        return bp_fail(err, BP_E_INVALID, "a dimension needs a name");
    if (size < 0)
        return bp_fail(err, BP_E_INVALID, "dimension '%s': %lld is not a size", name,
                       (long long)size);
    if (at != BP_NONE) {
        list->rows[at].size = size;
        return BP_OK;
    }
    rows = realloc(list->rows, ((size_t)list->count + 1) * sizeof *rows);
    if (!rows)
        return bp_fail_nomem(err, "a dimension");
    list->rows = rows;
    rows[list->count] = (struct bp_fixed_size){strdup(name), size, is_denotation};
    if (!rows[list->count].name)
        return bp_fail_nomem(err, "a dimension");
    list->count++;
    return BP_OK;
}

bp_rc bp_fixed_list_copy(struct bp_fixed_list *to, const struct bp_fixed_list *from, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < from->count; i++)
        rc = bp_fixed_list_set(to, from->rows[i].name, from->rows[i].is_denotation,
                               from->rows[i].size, err);
    return rc;
}

void bp_fixed_list_finish(struct bp_fixed_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        free(list->rows[i].name);
    free(list->rows);
    *list = (struct bp_fixed_list){0};
}
