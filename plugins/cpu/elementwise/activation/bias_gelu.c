/* SPDX-License-Identifier: MIT */
/*
 * bias_gelu.c - activations of com.microsoft (version 1), most with a bias for the last dimension.
 *
 * Gelu, BiasGelu  y = gelu(x + bias), gelu(v) = v * (1 + erf(v / sqrt(2))) / 2
 * FastGelu        the same with the tanh approximation of erf
 * QuickGelu       y = x * sigmoid(alpha * x), alpha = 1.702 by default
 * BiasSplitGelu   y = left * gelu(right), the halves of the last dimension of x + bias
 *
 * The bias is 1-D, of the size of the last dimension of x, and optional for FastGelu. Types:
 * floats.
 */

#include "elementwise/activation/gates.h"
#include "kernels/tensor_data.h"
#include "kernels/unary.h"

struct state;

/* One row of n elements; b is the bias or NULL. y may lie on x. */
typedef void (*row_loop)(void *y, const void *x, const void *b, size_t n,
                         const struct bp_cpu_params *params);

/* What an operator has in .loops. */
struct family {
    row_loop loops[BP_DTYPE_END];
    bool is_split; /* BiasSplitGelu: y has half the columns of x */
};

struct state {
    row_loop loop;
    struct bp_cpu_params params;
    int64_t rows;
    size_t cols, width; /* of a row of x, bytes of an element */
    bool is_split;
    uint32_t slices;
};

/* What the threads of one run share. */
struct job {
    const struct state *state;
    const char *x, *b;
    char *y;
};

#define QUICK_GELU(v) ((v)*F(sigmoid)(alpha * (v)))

#define TEMPLATE "elementwise/activation/bias_gelu.inc"

#define NAME gelu
#define EXPR(v) F(gelu)(v)
#include "kernels/types/float.inc"
#undef NAME
#undef EXPR

#define NAME fast_gelu
#define EXPR(v) F(gelu_tanh)(v)
#include "kernels/types/float.inc"
#undef NAME
#undef EXPR

#define NAME quick_gelu
#define EXPR(v) QUICK_GELU(v)
#include "kernels/types/float.inc"
#undef NAME
#undef EXPR

#define NAME split_gelu
#define EXPR(v) F(gelu)(v)
#define IS_SPLIT
#include "kernels/types/float.inc"
#undef NAME
#undef EXPR
#undef IS_SPLIT
#undef TEMPLATE

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const struct family *family = call->node->op->loops;
    const bp_tensor *x = call->in[0], *bias = bp_cpu_in(call, 1);
    int64_t count = bp_cpu_count(x), cols = x->rank > 0 ? x->dims[x->rank - 1] : 1;
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    if ((bias && (bias->rank != 1 || bias->dims[0] != cols)) || (family->is_split && cols % 2 != 0))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "the bias or the last dimension does not fit");
    if (bp_cpu_count(call->out[0]) != (family->is_split ? count / 2 : count))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the output does not fit");
    s->loop = family->loops[x->dtype];
    s->params.a = (double)bp_cpu_float(call->node, "alpha", 1.702f);
    s->width = bp_cpu_width(x->dtype);
    s->is_split = family->is_split;
    s->cols = (size_t)cols;
    s->rows = cols > 0 ? count / cols : 0;
    if (!bias &&
        !family->is_split) { /* no row structure: blocks that are large enough for a call */
        s->cols = 1024;
        s->rows = (count + 1023) / 1024;
    }
    s->slices = bp_cpu_slices(call, count, 12);
    if (s->slices > s->rows)
        s->slices = s->rows > 0 ? (uint32_t)s->rows : 1;
    return BP_OK;
}

static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t n = s->slices, end = s->rows / n * (i + 1) + s->rows % n * (i + 1) / n;
    size_t in_row = s->cols * s->width, out_row = s->is_split ? in_row / 2 : in_row;

    (void)worker;
    for (int64_t r = s->rows / n * i + s->rows % n * i / n; r < end; r++)
        s->loop(job->y + (size_t)r * out_row, job->x + (size_t)r * in_row, job->b, s->cols,
                &s->params);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *bias = bp_cpu_in(call, 1);
    int64_t count = bp_cpu_count(call->in[0]);
    struct job job = {s, bp_cpu_data(call->in[0]), bias ? bp_cpu_data(bias) : NULL,
                      bp_cpu_data(call->out[0])};

    (void)err;
    if (s->rows == 0)
        return BP_OK;
    if (!bias && !s->is_split && (size_t)count % s->cols != 0) {
        /* the last block is shorter and is done on this thread */
        struct state whole = *s;
        size_t at = (size_t)(s->rows - 1) * s->cols;

        whole.rows--;
        if (whole.slices > whole.rows)
            whole.slices = whole.rows > 0 ? (uint32_t)whole.rows : 1;
        job.state = &whole;
        if (whole.rows > 0)
            bp_cpu_parallel(call, whole.slices, slice, &job);
        s->loop(job.y + at * s->width, job.x + at * s->width, NULL, (size_t)count - at, &s->params);
        return BP_OK;
    }
    bp_cpu_parallel(call, s->slices, slice, &job);
    return BP_OK;
}

#define LOOPS(name)                                                                                \
    {                                                                                              \
        [BP_DTYPE_F32] = name##_f32, [BP_DTYPE_F64] = name##_f64, [BP_DTYPE_F16] = name##_f16,     \
        [BP_DTYPE_BF16] = name##_bf16                                                              \
    }

static const struct family gelu = {.loops = LOOPS(gelu)};
static const struct family fast_gelu = {.loops = LOOPS(fast_gelu)};
static const struct family quick_gelu = {.loops = LOOPS(quick_gelu)};
static const struct family split_gelu = {.loops = LOOPS(split_gelu), .is_split = true};

/* The table rows differ in name, family and flags only. */
#define ROW(row, name_, family_, flags_)                                                           \
    const struct bp_cpu_op row = {                                                                 \
        .name = name_,                                                                             \
        .domain = "com.microsoft",                                                                 \
        .since = 1,                                                                                \
        .flags = flags_,                                                                           \
        .loops = &family_,                                                                         \
        .types = BP_CPU_FLOATS,                                                                    \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
    }

ROW(bp_cpu_op_ms_gelu, "Gelu", gelu, BP_CPU_IN_PLACE);
ROW(bp_cpu_op_ms_fast_gelu, "FastGelu", fast_gelu, BP_CPU_IN_PLACE);
ROW(bp_cpu_op_ms_bias_gelu, "BiasGelu", gelu, BP_CPU_IN_PLACE);
ROW(bp_cpu_op_ms_quick_gelu, "QuickGelu", quick_gelu, BP_CPU_IN_PLACE);
ROW(bp_cpu_op_ms_bias_split_gelu, "BiasSplitGelu", split_gelu, 0);
