/* SPDX-License-Identifier: MIT */
/* schema.c - the parameters of a row; the rows themselves are in rules/, their table is schema_table.c. */

#include "config.h"

#include "graph/schema.h"

static const struct bp_param *nth(const struct bp_param *params, uint32_t n, uint32_t i)
{
    if (i < n)
        return &params[i];
    return n > 0 && (params[n - 1].flags & BP_PARAM_VARIADIC) ? &params[n - 1] : NULL;
}

const struct bp_param *bp_schema_in(const struct bp_schema *schema, uint32_t i)
{
    return nth(schema->in, schema->n_in, i);
}

const struct bp_param *bp_schema_out(const struct bp_schema *schema, uint32_t i)
{
    return nth(schema->out, schema->n_out, i);
}
