/* SPDX-License-Identifier: MIT */
/* channels_last.c - operators with a layout, and shape rules of channels-last nodes. */

#include "config.h"

#include "graph/channels_last.h"

#include <string.h>

#include "graph/infer.h"

/* A schema of a channels-last node, and what it was made of. */
struct row {
    struct bp_schema schema; /* the first member: a node's schema is one of these */
    const struct bp_schema *of;
    uint32_t inputs;
};

static const struct {
    const char *op, *domain;
    uint32_t inputs;
} operators[] = {
    {"AveragePool", "", 1},
    {"BatchNormalization", "", 1},
    {"Conv", "", 1},
    {"ConvInteger", "", 1},
    {"ConvTranspose", "", 1},
    {"DepthToSpace", "", 1},
    {"FusedConv", "com.microsoft", 1 | 1 << 3}, /* and what it adds to the product */
    {"GlobalAveragePool", "", 1},
    {"GlobalLpPool", "", 1},
    {"GlobalMaxPool", "", 1},
    {"InstanceNormalization", "", 1},
    {"LRN", "", 1},
    {"LpPool", "", 1},
    {"MaxPool", "", 1},
    {"QLinearConv", "", 1},
    {"SpaceToDepth", "", 1},
};

uint32_t bp_layout_inputs(const struct bp_ir_node *node)
{
    for (size_t i = 0; node->schema && i < sizeof operators / sizeof operators[0]; i++) {
        if (strcmp(node->op, operators[i].op) == 0 &&
            strcmp(node->domain, operators[i].domain) == 0)
            return operators[i].inputs;
    }
    return 0;
}

bool bp_is_channels_last(const struct bp_ir_node *node)
{
    return node->schema && strcmp(node->domain, BP_CHANNELS_LAST_DOMAIN) == 0;
}

/* The fact with its dimensions in the other layout; *out is blank where the rank is unknown. */
static bp_rc move_dims(const struct bp_infer *infer, const struct bp_fact *from, bool to_last,
                       struct bp_fact *out)
{
    struct bp_sym *dims;

    *out = *from;
    out->content = NULL;
    out->reals = NULL;
    out->n_content = 0;
    if (from->rank == BP_RANK_UNKNOWN || from->rank < 3)
        return BP_OK;
    dims = bp_region_array(infer->region, from->rank, sizeof *dims);
    if (!dims)
        return bp_fail_nomem(infer->err, "a shape");
    for (uint32_t i = 0; i < from->rank; i++) {
        uint32_t last = bp_channels_last_dim(i, from->rank);

        dims[to_last ? last : i] = from->dims[to_last ? i : last];
    }
    out->dims = dims;
    return BP_OK;
}

/* bp_schema.infer: the rule of the operator, on shapes in its own layout. */
static bp_rc infer_shapes(struct bp_infer *infer)
{
    const struct row *row = (const struct row *)infer->node->schema;
    uint32_t n_in = infer->node->n_in;
    const struct bp_fact **in =
        bp_region_array(infer->region, n_in, sizeof(const struct bp_fact *));
    struct bp_fact *moved = bp_region_array(infer->region, n_in, sizeof *moved);
    struct bp_infer own = *infer;
    struct bp_fact out;
    bp_rc rc = BP_OK;

    if (!in || !moved)
        return bp_fail_nomem(infer->err, "a shape");
    for (uint32_t i = 0; rc >= 0 && i < n_in; i++) {
        in[i] = infer->in[i];
        if (!in[i] || i >= 32 || !(row->inputs >> i & 1))
            continue;
        rc = move_dims(infer, infer->in[i], false, &moved[i]);
        in[i] = &moved[i];
    }
    own.in = in;
    if (rc >= 0 && row->of->infer)
        rc = row->of->infer(&own);
    if (rc >= 0)
        rc = move_dims(infer, &infer->out[0], true, &out);
    if (rc >= 0)
        infer->out[0] = out;
    return rc;
}

const struct bp_schema *bp_channels_last_schema(const struct bp_schema *of, uint32_t inputs,
                                                struct bp_region *region)
{
    struct row *row = bp_region_alloc(region, sizeof *row);

    if (!row)
        return NULL;
    row->schema = *of;
    row->schema.domain = BP_CHANNELS_LAST_DOMAIN;
    row->schema.infer = infer_shapes;
    row->of = of;
    row->inputs = inputs;
    return &row->schema;
}
