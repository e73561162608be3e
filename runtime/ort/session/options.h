/* SPDX-License-Identifier: MIT */
/*
 * options.h - OrtSessionOptions: all settings are kept; a session takes what it needs.
 *
 * Thread rule: one thread at a time; creating sessions only reads them. The cancellation flag is
 * atomic.
 */
#ifndef BP_ORT_SESSION_OPTIONS_H
#define BP_ORT_SESSION_OPTIONS_H

#include <backplane.h>
#include <stdatomic.h>

#include "ort/key_values.h"
#include "ort/session/custom_domains.h"
#include "ort/session/initializers.h"

/* A provider that was appended. */
struct ort_provider {
    char *name; /* as the application gave it */
    OrtKeyValuePairs options;
    uint32_t *devices; /* NULL: the provider chooses */
    uint32_t n_devices;
};

struct OrtSessionOptions {
    int intra_op, inter_op; /* threads; 0: as in the environment */
    int log_severity, log_verbosity;
    ExecutionMode mode;
    GraphOptimizationLevel level;
    bool mem_pattern, cpu_arena, env_threads, deterministic, profiling;
    bool cpu_is_named;
    atomic_bool cancelled;
    char *log_id, *optimized_path, *profile_prefix;
    OrtKeyValuePairs config;
    OrtKeyValuePairs dims;        /* decimal size by the dimension's name */
    OrtKeyValuePairs denotations; /* decimal size by the dimension's denotation */
    struct ort_weights weights;
    const void *weightless_source; /* the application's; for providers that compile models */
    size_t weightless_source_size;
    struct ort_provider *providers;
    size_t n_providers;
    bool has_policy; /* the policy chooses providers if none is named */
    OrtExecutionProviderDevicePolicy policy;
    EpSelectionDelegate delegate; /* instead of the policy; or NULL */
    void *delegate_state;
    struct ort_custom custom; /* operators of the application */
    OrtLoggingFunction log;
    void *log_param;
    OrtCustomCreateThreadFn create_thread; /* for the session's own pool */
    OrtCustomJoinThreadFn join_thread;
    void *thread_options;
};

/* "cpu" for "CPUExecutionProvider", "CPU", "cpu". In out, of `size` bytes. */
void ort_short_name(const char *name, char *out, size_t size);
/* Copies n device indices; false: no memory. */
bool ort_provider_set_devices(struct ort_provider *provider, const uint32_t *devices, uint32_t n);

/* The options as the host takes them; the caller destroys them. */
OrtStatus *ort_options_to_host(const OrtSessionOptions *options, bp_session_options **out);

/*
 * Appends a provider after the host checked that it is usable here. `code` is returned for a missing
 * provider, because ONNX Runtime's functions differ in that. CPU only stores its options.
 */
OrtStatus *ort_append(OrtSessionOptions *options, const char *name, const OrtKeyValuePairs *kv,
                      OrtErrorCode code);
/* The same with n devices, which are of one provider. */
OrtStatus *ort_append_on(OrtSessionOptions *options, const OrtEpDevice *const *devices, size_t n,
                         const OrtKeyValuePairs *kv, OrtErrorCode code);
/* ORT_FAIL unless the provider is usable here. */
OrtStatus *ort_need_provider(const char *name);

#endif
