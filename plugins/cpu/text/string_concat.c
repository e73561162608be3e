/* SPDX-License-Identifier: MIT */
/*
 * string_concat.c - StringConcat (opset 20).
 * z = x followed by y; X and Y are of strings and broadcast to Z. The bytes of all results are
 * allocated once, for the run.
 */

#include <common/broadcast.h>

#include "cpu.h"
#include "kernels/tensor_data.h"

struct state {
    struct bp_broadcast broadcast;
    int64_t count;
};

/* Only the broadcast is planned: sizes of texts are known at run time. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *out = call->out[0];
    uint32_t ranks[2] = {call->in[0]->rank, call->in[1]->rank};
    const int64_t *dims[2] = {call->in[0]->dims, call->in[1]->dims};
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    state->count = bp_cpu_count(out);
    if (!bp_broadcast_make(out->rank, out->dims, 2, ranks, dims, &state->broadcast))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the inputs do not broadcast");
    return BP_OK;
}

/* The two texts of one element. */
struct pair {
    const bp_span *x, *y;
};

/*
 * Walks over all elements twice: without `bytes` it adds up the sizes, then it copies. False: the
 * sum overflows.
 */
static bool concat(const struct bp_cpu_call *call, char *bytes, size_t *total)
{
    const struct state *s = call->state;
    const bp_span *x = bp_cpu_data(call->in[0]), *y = bp_cpu_data(call->in[1]);
    bp_span *out = bp_cpu_data(call->out[0]);
    uint32_t last = s->broadcast.rank - 1;
    int64_t inner = s->broadcast.dims[last];
    struct bp_broadcast_walk walk;
    size_t at = 0;

    bp_broadcast_seek(&s->broadcast, 0, &walk);
    for (int64_t i = 0; i < s->count;) {
        for (int64_t k = 0; k < inner; k++, i++) {
            struct pair pair = {x + walk.at[0] + k * s->broadcast.strides[0][last],
                                y + walk.at[1] + k * s->broadcast.strides[1][last]};
            size_t size = pair.x->size + pair.y->size;

            if (bytes) {
                out[i] = (bp_span){bytes + at, size};
                if (pair.x->size)
                    memcpy(bytes + at, pair.x->data, pair.x->size);
                if (pair.y->size)
                    memcpy(bytes + at + pair.x->size, pair.y->data, pair.y->size);
            }
            if (__builtin_add_overflow(at, size, &at))
                return false;
        }
        bp_broadcast_next(&s->broadcast, &walk);
    }
    *total = at;
    return true;
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    size_t bytes;
    char *memory;

    if (s->count == 0)
        return BP_OK;
    if (!concat(call, NULL, &bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the texts are too long");
    memory = bp_cpu_run_memory(call, bytes + 1);
    if (!memory)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for texts of %zu bytes", bytes);
    (void)concat(call, memory, &bytes);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_string_concat = {
    .name = "StringConcat",
    .since = 20,
    .types = UINT64_C(1) << BP_DTYPE_STRING,
    .prepare = prepare,
    .run = run,
};
