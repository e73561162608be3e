/* SPDX-License-Identifier: MIT */
/* operator_frame.c - frames of the application's operators on values that are no tensors. */

#include "config.h"

#include <stdlib.h>

#include "custom/provider.h"
#include "exec/frame.h"

/* Outputs of such nodes are never written where the caller of the run wants them. */
static const bp_tensor *none_given(const bp_frame_desc *desc, uint32_t out)
{
    (void)desc;
    (void)out;
    return NULL;
}

/* Tensors of a type, without sizes. NULL: no memory. */
static bp_tensor *make_tensors(struct bp_region *region, const bp_graph *graph,
                               const uint32_t *values, uint32_t n)
{
    bp_tensor *tensors = bp_region_array(region, n, sizeof *tensors);

    for (uint32_t i = 0; tensors && i < n; i++) {
        tensors[i].dims = bp_region_array(region, BP_MAX_RANK, sizeof *tensors[i].dims);
        if (!tensors[i].dims)
            return NULL;
        tensors[i].dtype = BP_VALUE(graph, values[i])->dtype;
        tensors[i].rank = BP_RANK_UNKNOWN;
    }
    return tensors;
}

/* Shapes that say nothing, so that the kernel gives each size and the frame needs no scratch. */
static bp_shape *make_shapes(struct bp_region *region, const bp_graph *graph)
{
    bp_shape *shapes = bp_region_array(region, graph->n_values, sizeof *shapes);

    for (uint32_t v = 0; shapes && v < graph->n_values; v++)
        shapes[v] = (bp_shape){.rank = BP_RANK_UNKNOWN, .dtype = BP_VALUE(graph, v)->dtype};
    return shapes;
}

static bp_rc fill(struct bp_operator_frame *of, bp_err *err)
{
    const bp_graph *graph = &of->unit->group->view->graph;
    bp_frame_needs needs = {.struct_size = sizeof needs};
    bp_frame_desc *desc = &of->desc;

    of->host.given = none_given;
    desc->struct_size = sizeof *desc;
    desc->n_in = graph->n_inputs;
    desc->n_out = graph->n_outputs;
    desc->n_shapes = graph->n_values;
    desc->in = make_tensors(&of->region, graph, graph->inputs, desc->n_in);
    desc->out = make_tensors(&of->region, graph, graph->outputs, desc->n_out);
    desc->shapes = make_shapes(&of->region, graph);
    desc->h = of;
    if (!desc->in || !desc->out || !desc->shapes)
        return bp_fail_nomem(err, "a run");
    return bp_custom_frame_create(of->unit->kernel, desc, &needs, &of->frame, err);
}

bp_rc bp_frame_state_operator(struct bp_frame_state *frame, const struct bp_unit *unit,
                              struct bp_operator_frame **out, bp_err *err)
{
    struct bp_operator_frame **slot = &frame->operators[unit - frame->subgraph->units];
    bp_rc rc;

    *out = *slot;
    if (*out)
        return BP_OK;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return bp_fail_nomem(err, "a run");
    (*out)->unit = unit;
    rc = fill(*out, err);
    if (rc < 0)
        bp_operator_frame_destroy(*out);
    else
        *slot = *out;
    return rc;
}

void bp_operator_frame_destroy(struct bp_operator_frame *of)
{
    if (!of)
        return;
    bp_custom_frame_free(of->frame);
    bp_region_finish(&of->region);
    free(of);
}
