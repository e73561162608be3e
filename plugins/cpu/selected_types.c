/* SPDX-License-Identifier: MIT */
/*
 * selected_types.c - the element types that a build with --with-operators has, where its file limits
 * them. An operator's own limits count for the inputs and outputs that they name; the general one for
 * operators without any.
 */

#include "program.h"
#include "selected/selected.h"

#define BP_SELECTED_TYPE(dtype) (UINT64_C(1) << BP_DTYPE_##dtype)
/* Shapes, indices and conditions have these types, whatever a model computes in. */
#define ALWAYS (BP_SELECTED_TYPE(I64) | BP_SELECTED_TYPE(I32) | BP_SELECTED_TYPE(BOOL))

struct limit {
    const char *domain, *op; /* op NULL: of every operator */
    bool is_output;
    uint32_t index;
    uint64_t types;
};

static const struct limit limits[] = {
#ifdef BP_SELECTED_OPERATORS
#define BP_SELECTED(domain, op, is_output, index, types) {domain, op, is_output, index, types},
#define BP_SELECTED_GLOBAL(types) {"", NULL, false, 0, (types) | ALWAYS},
#include "selected/types.inc"
#endif
    {"", "", false, 0, ALWAYS} /* C has no arrays without elements; no node has this name */
};

static bool is_of(const struct limit *limit, const bp_node *node)
{
    return limit->op && strcmp(limit->op, node->op) == 0 &&
           strcmp(limit->domain, node->domain) == 0;
}

/* Types that may come as that input or output of the node. */
static uint64_t types_of(const bp_node *node, bool is_output, uint32_t index)
{
    uint64_t general = UINT64_MAX;
    bool has_own = false;

    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        const struct limit *limit = &limits[i];

        if (!limit->op)
            general = limit->types;
        if (!is_of(limit, node))
            continue;
        has_own = true;
        if (limit->is_output == is_output && limit->index == index)
            return limit->types;
    }
    return has_own ? UINT64_MAX : general;
}

bool bp_cpu_has_types(const struct bp_cpu_query *query)
{
    const bp_node *node = query->node;

    if (sizeof limits == sizeof limits[0])
        return true;
    for (uint32_t i = 0; i < node->n_in + node->n_out; i++) {
        bool is_output = i >= node->n_in;
        uint32_t index = is_output ? i - node->n_in : i;
        const bp_value *value = is_output ? bp_node_out(query->graph, node, index)
                                          : bp_node_in(query->graph, node, index);

        if (!value || value->dtype == BP_DTYPE_NONE || value->dtype >= 64 ||
            types_of(node, is_output, index) >> value->dtype & 1)
            continue;
        bp_cpu_refuse(query, BP_R_DTYPE, value->name,
                      "%s %u has element type %s, which was left out of this build",
                      is_output ? "output" : "input", index, bp_cpu_dtype_name(value->dtype));
        return false;
    }
    return true;
}
