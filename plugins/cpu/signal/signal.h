/* SPDX-License-Identifier: MIT */
/* signal.h - what DFT and STFT share: a transform with its memory, and lines of a tensor. */
#ifndef BP_CPU_SIGNAL_SIGNAL_H
#define BP_CPU_SIGNAL_SIGNAL_H

#include "cpu.h"
#include "signal/fft.h"

/* Of a floating-point type. */
struct bp_cpu_lines {
    void (*load)(const void *in, int64_t stride, int64_t parts, int64_t count, const void *window,
                 struct bp_cpu_complex *out);
    void (*store)(void *out, int64_t stride, int64_t parts, int64_t count,
                  const struct bp_cpu_complex *in);
};

/* NULL for other types. */
const struct bp_cpu_lines *bp_cpu_lines_of(uint32_t dtype);

/*
 * Makes the transform of length n; its memory is that of the frame, or of the run when in_run.
 * *worker_bytes is what a worker needs: n numbers and what the transform needs besides.
 */
bp_rc bp_cpu_signal_make(struct bp_cpu_call *call, struct bp_cpu_fft *fft, int64_t n, bool in_run,
                         size_t *worker_bytes, bp_err *err);
/* One number of an input of type int32 or int64. */
bp_rc bp_cpu_signal_number(const struct bp_cpu_call *call, uint32_t input, int64_t *out,
                           bp_err *err);
/* Is an input there that is not constant? Then run has to solve what it says. */
bool bp_cpu_signal_is_late(const struct bp_cpu_call *call, uint32_t input);

#endif
