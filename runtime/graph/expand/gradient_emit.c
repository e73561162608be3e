/* SPDX-License-Identifier: MIT */
/* gradient_emit.c - how derivatives are written down as nodes. */

#include "config.h"

#include "graph/expand/gradient_emit.h"

uint32_t bp_gradient_emit_ints(struct bp_gradient *g, const char *op, uint32_t in, const char *attr,
                               const int64_t *values, uint32_t n)
{
    uint32_t out = BP_EMIT(g, op, in);

    bp_emit_ints(&g->emit, bp_emit_last(&g->emit), attr, values, n);
    return out;
}

/*
 * ConstantOfShape of the shape of `like`, cast to its type: neither is known before the graph is
 * sealed.
 */
uint32_t bp_gradient_fill(struct bp_gradient *g, float value, uint32_t like)
{
    static const int64_t dims[] = {1};
    struct bp_region *region = g->emit.ir->region;
    uint32_t filled = BP_EMIT(g, "ConstantOfShape", BP_EMIT(g, "Shape", like));
    bp_const *tensor = bp_region_array(region, 1, sizeof *tensor);
    float *data = bp_region_array(region, 1, sizeof *data);

    if (tensor && data) {
        *data = value;
        *tensor = (bp_const){data, sizeof *data, dims, 1, BP_DTYPE_F32};
    }
    bp_emit_attr(
        &g->emit, bp_emit_last(&g->emit),
        (bp_attr){
            .name = "value", .data = data ? tensor : NULL, .type = BP_ATTR_TENSOR, .count = 1});
    return BP_EMIT(g, "CastLike", filled, like);
}

/*
 * Where an operator broadcast the value, its gradient is summed over the copies (SumTo) before
 * it is added.
 */
void bp_gradient_add(struct bp_gradient *g, uint32_t value, uint32_t gradient, bool is_broadcast)
{
    if (g->emit.rc < 0 || value == BP_NONE || gradient == BP_NONE || value >= g->n_values)
        return;
    if (is_broadcast) {
        uint32_t in[] = {gradient, value};

        gradient = bp_emit_value(&g->emit, NULL);
        bp_emit_node(&g->emit, "SumTo", "org.backplane", 2, in, 1, &gradient);
    }
    if (g->by[value] != BP_NONE)
        gradient = BP_EMIT(g, "Add", g->by[value], gradient);
    g->by[value] = gradient;
}
