/* SPDX-License-Identifier: MIT */
/*
 * unary.c - the driver of operators y = f(x): picks the loop, and shares the elements among
 * threads.
 */

#include "kernels/unary.h"

/* What the threads of one run share. */
struct job {
    const struct bp_cpu_map *map;
    const char *in;
    char *out;
};

struct bp_cpu_map bp_cpu_map_make(const struct bp_cpu_call *call, bp_cpu_unary_loop loop,
                                  int64_t cost, const bp_tensor *in, const bp_tensor *out)
{
    int64_t count = bp_cpu_count(in);

    return (struct bp_cpu_map){.loop = loop,
                               .in_width = bp_cpu_width(in->dtype),
                               .out_width = bp_cpu_width(out->dtype),
                               .count = count,
                               .slices = bp_cpu_slices(call, count, cost)};
}

static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_map *map = job->map;
    size_t from = (size_t)bp_cpu_slice_at(map->count, i, map->slices);
    size_t to = (size_t)bp_cpu_slice_at(map->count, i + 1, map->slices);

    (void)worker;
    map->loop(job->out + from * map->out_width, job->in + from * map->in_width, to - from,
              &map->params);
}

void bp_cpu_map_run(const struct bp_cpu_call *call, const struct bp_cpu_map *map, const void *in,
                    void *out)
{
    struct job job = {map, in, out};

    if (map->slices > 1)
        bp_cpu_parallel_stoppable(call, map->slices, slice, &job);
    else if (map->count > 0)
        map->loop(out, in, (size_t)map->count, &map->params);
}

void bp_cpu_claim_unary(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const struct bp_cpu_unary *family = op->loops;
    const bp_value *x = bp_node_in(query->graph, query->node, 0);

    if (!x || x->dtype >= BP_DTYPE_END || !family->loops[x->dtype])
        bp_cpu_refuse_dtype(query, 0);
    else
        bp_accept(query->claims, query->index);
}

bp_rc bp_cpu_prepare_unary(struct bp_cpu_call *call, bp_err *err)
{
    const struct bp_cpu_unary *family = call->node->op->loops;
    const bp_tensor *x = call->in[0];
    struct bp_cpu_map *map;
    bp_rc rc = bp_cpu_state(call, sizeof *map, err);

    if (rc < 0)
        return rc;
    map = call->state;
    *map = bp_cpu_map_make(call, family->loops[x->dtype], family->cost, x, call->out[0]);
    if (family->a)
        map->params.a = (double)bp_cpu_float(call->node, family->a, family->def_a);
    if (family->b)
        map->params.b = (double)bp_cpu_float(call->node, family->b, family->def_b);
    return BP_OK;
}

bp_rc bp_cpu_run_unary(struct bp_cpu_call *call, bp_err *err)
{
    (void)err;
    bp_cpu_map_run(call, call->state, bp_tensor_data(call->in[0]), bp_tensor_data(call->out[0]));
    return BP_OK;
}
