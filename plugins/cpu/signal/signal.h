/* SPDX-License-Identifier: MIT */
/*
 * signal.h - What DFT, STFT and the window functions share: a transform with its memory, and loops
 * that convert between a tensor and complex elements.
 */
#ifndef BP_CPU_SIGNAL_SIGNAL_H
#define BP_CPU_SIGNAL_SIGNAL_H

#include "cpu.h"
#include "signal/fft.h"

/*
 * Loops of one floating-point type: `count` elements, `stride` tensor elements apart, each of
 * `parts` (1 real, 2 complex); window may be NULL.
 */
struct bp_cpu_signal_loops {
    void (*load)(const void *in, int64_t stride, int64_t parts, int64_t count, const void *window,
                 struct bp_cpu_complex *out);
    void (*store)(void *out, int64_t stride, int64_t parts, int64_t count,
                  const struct bp_cpu_complex *in);
};

/* NULL: the type is not a floating-point type. */
const struct bp_cpu_signal_loops *bp_cpu_signal_loops_of(uint32_t dtype);

/*
 * Makes the plan for length n; its tables are memory of the call, or of the run with in_run.
 * *worker_bytes is the scratch that a worker needs: n elements and the transform's own.
 * BP_E_INVALID, BP_E_NOMEM.
 */
bp_rc bp_cpu_signal_make(struct bp_cpu_call *call, struct bp_cpu_fft *fft, int64_t n, bool in_run,
                         size_t *worker_bytes, bp_err *err);
/* The one element of an int32 or int64 input. BP_E_INVALID: it has not one element. */
bp_rc bp_cpu_signal_scalar(const struct bp_cpu_call *call, uint32_t input, int64_t *out,
                           bp_err *err);
/* Whether an input is given and not constant: its value is then known at run time only. */
bool bp_cpu_signal_is_runtime(const struct bp_cpu_call *call, uint32_t input);

#endif
