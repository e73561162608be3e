/* SPDX-License-Identifier: MIT */
/* bench.h - what the files of the benchmark share: one session of any library with ONNX Runtime's
 * interface, and what the processor can do. */
#ifndef BP_TESTS_BENCH_H
#define BP_TESTS_BENCH_H

#include <onnxruntime_c_api.h>
#include <stdbool.h>
#include <stddef.h>

/* What is measured: a model on a provider of a library. */
struct bench_case {
    const char *library, *model;
    const char *provider; /* "dnnl:math_mode=fast", "" is the library's own choice */
    /*
     * "batch=1,sequence=128"; other sizes that vary are 1. "x=1x576,rate=16000": all sizes of the
     * input x, and the value of the integer scalar rate.
     */
    const char *dims;
    unsigned threads;
};

struct bench_session {
    const OrtApi *api;
    OrtEnv *env;
    OrtSession *session;
    size_t n_in, n_out;
    char **in_names, **out_names;
    OrtValue **in, **out;
    double create_ms; /* of the session alone */
};

/* Complains on standard error, with the library's words; false then. */
bool bench_open(const struct bench_case *which, struct bench_session *out);
/* One run, and the release of what it made. */
bool bench_run(struct bench_session *session);
void bench_close(struct bench_session *session);

/* What the library calls itself, NULL after a complaint. */
const char *bench_version(const char *library);

double bench_now_ms(void);
double bench_cpu_ms(void); /* of all threads of the process */

/* Multiplications and additions of float32 that one core does in a second, in units of 1e9; 0: not
 * known for this kind of processor. Takes a tenth of a second. */
double bench_peak_gflops(void);

#endif
