/* SPDX-License-Identifier: MIT */
/* signal.c - Helpers of DFT, STFT and the window functions; see signal.h. */

#include "signal/signal.h"

#include "kernels/runtime_shape.h"
#include "kernels/types/loops.h"

#define TEMPLATE "signal/signal.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE

const struct bp_cpu_signal_loops *bp_cpu_signal_loops_of(uint32_t dtype)
{
    static const struct bp_cpu_signal_loops loops[BP_DTYPE_END] = {
        [BP_DTYPE_F32] = {load_signal_f32, store_signal_f32},
        [BP_DTYPE_F64] = {load_signal_f64, store_signal_f64},
        [BP_DTYPE_F16] = {load_signal_f16, store_signal_f16},
        [BP_DTYPE_BF16] = {load_signal_bf16, store_signal_bf16},
    };

    return dtype < BP_DTYPE_END && loops[dtype].load ? &loops[dtype] : NULL;
}

bp_rc bp_cpu_signal_make(struct bp_cpu_call *call, struct bp_cpu_fft *fft, int64_t n, bool in_run,
                         size_t *worker_bytes, bp_err *err)
{
    size_t bytes;
    void *memory;

    if (n < 1 || !bp_cpu_fft_bytes(n, &bytes))
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "a transform of length %lld",
                           (long long)n);
    memory = in_run ? bp_cpu_run_memory(call, bytes) : bp_cpu_call_memory(call, bytes);
    if (!memory)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for a transform of length %lld",
                           (long long)n);
    bp_cpu_fft_make(fft, n, memory);
    *worker_bytes =
        (bp_cpu_fft_scratch(fft) + (size_t)n * sizeof(struct bp_cpu_complex) + 63) / 64 * 64;
    return BP_OK;
}

bp_rc bp_cpu_signal_scalar(const struct bp_cpu_call *call, uint32_t input, int64_t *out,
                           bp_err *err)
{
    struct bp_cpu_list list = bp_cpu_list_input(call, input);

    if (bp_cpu_list_is_absent(&list) || list.n != 1)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "input %u has not one element", input);
    *out = bp_cpu_list_at(&list, 0);
    return BP_OK;
}

bool bp_cpu_signal_is_runtime(const struct bp_cpu_call *call, uint32_t input)
{
    const bp_value *value = bp_node_in(call->node->graph, call->node->node, input);

    return value && !(value->flags & BP_VALUE_CONSTANT);
}
