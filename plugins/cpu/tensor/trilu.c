/* SPDX-License-Identifier: MIT */
/*
 * trilu.c - Trilu (opset 14; com.microsoft 1): of each matrix what lies on and above diagonal k, or
 * with upper=0 on and below it; the rest becomes zeros (empty strings).
 */

#include "kernels/runtime_shape.h"
#include "kernels/same_operator.h"
#include "kernels/tensor_data.h"

struct job {
    const char *x;
    char *y;
    size_t width;
    int64_t matrices, rows, cols;
    int64_t k; /* within -rows..cols */
    bool is_upper;
    uint32_t slices;
};

static void run_slice(void *u, uint32_t slice, uint32_t worker)
{
    const struct job *job = u;
    int64_t total = job->matrices * job->rows, n = job->slices;
    int64_t end = total / n * (slice + 1) + total % n * (slice + 1) / n;

    (void)worker;
    for (int64_t i = total / n * slice + total % n * slice / n; i < end; i++) {
        int64_t edge = i % job->rows + job->k + !job->is_upper; /* where the two parts meet */
        size_t cut = (size_t)(edge < 0 ? 0 : edge > job->cols ? job->cols : edge) * job->width;
        size_t bytes = (size_t)job->cols * job->width;
        const char *x = job->x + (size_t)i * bytes;
        char *y = job->y + (size_t)i * bytes;

        if (job->is_upper) {
            memset(y, 0, cut);
            if (y != x)
                memcpy(y + cut, x + cut, bytes - cut);
        } else {
            if (y != x)
                memcpy(y, x, cut);
            memset(y + cut, 0, bytes - cut);
        }
    }
}

struct state {
    bool is_upper;
};

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    bp_rc rc = bp_cpu_state(call, sizeof(struct state), err);

    if (rc < 0)
        return rc;
    if (x->rank < 2)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "a matrix is needed, not rank %u", x->rank);
    ((struct state *)call->state)->is_upper = bp_cpu_int(call->node, "upper", 1) != 0;
    return BP_OK;
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct bp_cpu_list k = bp_cpu_list_input(call, 1);
    struct job job = {.width = bp_cpu_width(x->dtype),
                      .is_upper = ((const struct state *)call->state)->is_upper};
    int64_t wanted = 0;

    if (!bp_cpu_list_is_absent(&k)) {
        if (k.n != 1)
            return bp_cpu_fail(call->node, err, BP_E_INVALID, "k is not a single number");
        wanted = bp_cpu_list_at(&k, 0);
    }
    if (bp_cpu_count(x) == 0)
        return BP_OK;
    job.matrices = bp_dims_count(x->dims, x->rank - 2);
    job.rows = x->dims[x->rank - 2];
    job.cols = x->dims[x->rank - 1];
    job.k = wanted < -job.rows ? -job.rows : wanted > job.cols ? job.cols : wanted;
    job.slices = bp_cpu_slices(call, bp_cpu_count(x), 1);
    job.x = bp_cpu_data(x);
    job.y = bp_cpu_data(call->out[0]);
    bp_cpu_parallel(call, job.slices, run_slice, &job);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_trilu = {
    .name = "Trilu",
    .since = 14,
    .flags = BP_CPU_IN_PLACE,
    .types = BP_CPU_MOVABLE,
    .prepare = prepare,
    .run = run,
};

const struct bp_cpu_op bp_cpu_op_ms_trilu = {
    .name = "Trilu",
    .domain = "com.microsoft",
    .since = 1,
    .loops = &bp_cpu_op_trilu,
    .claim = bp_cpu_same_claim,
    .prepare = bp_cpu_same_prepare_16,
    .run = bp_cpu_same_run,
};
