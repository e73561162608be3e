/* SPDX-License-Identifier: MIT */
/* options.h - OrtSessionOptions: all that is set is kept; a session takes what it needs from it. */
#ifndef BP_ORT_OPTIONS_H
#define BP_ORT_OPTIONS_H

#include <backplane.h>
#include <stdatomic.h>

#include "ort/custom.h"
#include "ort/keys.h"

/* A provider that was appended. */
struct ort_provider {
    char *name; /* as the host knows it */
    OrtKeyValuePairs options;
};

struct OrtSessionOptions {
    int intra_op, inter_op; /* threads; 0: as the environment has them */
    int log_severity, log_verbosity;
    ExecutionMode mode;
    GraphOptimizationLevel level;
    bool mem_pattern, cpu_arena, env_threads, deterministic, profiling;
    bool cpu_is_named;
    atomic_bool cancelled;
    char *log_id, *optimized_path, *profile_prefix;
    OrtKeyValuePairs config;
    OrtKeyValuePairs dims;        /* sizes by name of the dimension, in decimal */
    OrtKeyValuePairs denotations; /* by denotation */
    struct ort_provider *providers;
    size_t n_providers;
    struct ort_custom custom; /* operators of the application */
    OrtLoggingFunction log;
    void *log_param;
    OrtCustomCreateThreadFn create_thread;
    OrtCustomJoinThreadFn join_thread;
    void *thread_options;
};

/* The options as the host takes them; the caller destroys them. */
OrtStatus *ort_options_to_host(const OrtSessionOptions *options, bp_session_options **out);

/*
 * Appends a provider after asking the host whether it is usable here. `code` is what a provider that
 * is missing is answered with: ONNX Runtime's functions differ in that. CPU only stores its options.
 */
OrtStatus *ort_append(OrtSessionOptions *options, const char *name, const OrtKeyValuePairs *kv,
                      OrtErrorCode code);
/* ONNX Runtime's name of a provider: "CPUExecutionProvider" for "cpu". In out, of `size` bytes. */
const char *ort_long_name(const char *name, char *out, size_t size);

#endif
