/* SPDX-License-Identifier: MIT */
/*
 * signal_windows.c - HannWindow, HammingWindow and BlackmanWindow (opset 17).
 * Input size is an int32 or int64 scalar; y[i] = a - b cos(2 pi i / N) + c cos(4 pi i / N) for i <
 * size, where N is size, or size - 1 if periodic is 0. output_datatype is the type of Y [size].
 */

#include "kernels/cast/cast.h"
#include "kernels/runtime_shape.h"
#include "kernels/tensor_data.h"
#include "signal/signal.h"

#include <math.h>

/* Elements that are computed as float64 before they are converted. */
enum { BLOCK = 256 };

/* Coefficients of a - b cos(2 pi i / N) + c cos(4 pi i / N). */
struct window {
    double a, b, c;
};

static const struct window hann = {0.5, 0.5, 0};
static const struct window hamming = {25.0 / 46, 21.0 / 46, 0};
static const struct window blackman = {0.42, 0.5, 0.08};

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *y = bp_node_out(query->graph, query->node, 0);

    if (y && (y->dtype >= BP_DTYPE_END ||
              (y->dtype != BP_DTYPE_F64 && !bp_cpu_cast_loop(BP_DTYPE_F64, y->dtype))))
        bp_cpu_refuse(query, BP_R_DTYPE, "output_datatype", "%s is not implemented",
                      bp_cpu_dtype_name(y->dtype));
    else
        bp_cpu_claim_types(op, query);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    return bp_cpu_runtime_shape_state(call, sizeof(struct bp_cpu_runtime_shape), 0, 0, err);
}

/* `phase` is i / N. */
static double value_of(const struct window *window, double phase)
{
    const double pi = 3.14159265358979323846;

    return window->a - window->b * cos(2 * pi * phase) + window->c * cos(4 * pi * phase);
}

/* Y's shape is known only now, because size is an input. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct window *window = call->node->op->loops;
    const struct bp_cpu_params none = {0};
    int64_t size, period;
    bp_cpu_unary_loop cast;
    char *out;
    bp_rc rc = bp_cpu_signal_scalar(call, 0, &size, err);

    if (rc < 0)
        return rc;
    if (size < 0)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "size is %lld", (long long)size);
    rc = bp_cpu_runtime_shape_output(call, 1, &size, err);
    if (rc < 0)
        return rc;
    period = bp_cpu_int(call->node, "periodic", 1) ? size : size - 1;
    period = period > 0 ? period : 1; /* a single sample is the window's first */
    cast = bp_cpu_cast_loop(BP_DTYPE_F64, call->out[0]->dtype);
    out = bp_cpu_data(call->out[0]);
    for (int64_t from = 0; from < size; from += BLOCK) {
        double block[BLOCK];
        size_t n = (size_t)(size - from < BLOCK ? size - from : BLOCK);

        for (size_t i = 0; i < n; i++)
            block[i] = value_of(window, (double)(from + (int64_t)i) / (double)period);
        if (cast)
            cast(out + (size_t)from * bp_cpu_width(call->out[0]->dtype), block, n, &none);
        else
            memcpy(out + (size_t)from * sizeof *block, block, n * sizeof *block);
    }
    return BP_OK;
}

#define WINDOW(row, op, window)                                                                    \
    const struct bp_cpu_op row = {                                                                 \
        .name = op,                                                                                \
        .since = 17,                                                                               \
        .flags = BP_CPU_RUNTIME_SHAPE,                                                             \
        .types = UINT64_C(1) << BP_DTYPE_I32 | UINT64_C(1) << BP_DTYPE_I64,                        \
        .loops = &(window),                                                                        \
        .claim = claim,                                                                            \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
    }

WINDOW(bp_cpu_op_blackman_window, "BlackmanWindow", blackman);
WINDOW(bp_cpu_op_hamming_window, "HammingWindow", hamming);
WINDOW(bp_cpu_op_hann_window, "HannWindow", hann);
