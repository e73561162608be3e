/* SPDX-License-Identifier: MIT */
/*
 * trilu.c - Trilu (ai.onnx, opset 14; com.microsoft 1).
 *
 * X has rank 2 or more; its last two dimensions are matrices. With upper=1 (the default) elements
 * with j >= i + k are kept, else those with j <= i + k; the others become 0 (empty strings). k is
 * input 1, an int64 scalar, by default 0. Y may lie on X. Types: all of 8 bits and more.
 */

#include "kernels/runtime_shape.h"
#include "kernels/same_operator.h"
#include "kernels/tensor_data.h"

/* What the threads of one run share. */
struct job {
    const char *x;
    char *y;
    size_t width;
    int64_t matrices, rows, cols;
    int64_t k; /* within -rows..cols */
    bool is_upper;
    uint32_t slices;
};

/*
 * A slice is a range of rows of all matrices; each row is one memset and, unless Y lies on X, one
 * memcpy.
 */
static void run_slice(void *u, uint32_t slice, uint32_t worker)
{
    const struct job *job = u;
    int64_t total = job->matrices * job->rows, n = job->slices;
    int64_t end = total / n * (slice + 1) + total % n * (slice + 1) / n;

    (void)worker;
    for (int64_t i = total / n * slice + total % n * slice / n; i < end; i++) {
        int64_t edge = i % job->rows + job->k + !job->is_upper; /* first column of the right part */
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
            return bp_cpu_fail(call->node, err, BP_E_INVALID, "k is not a scalar");
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
