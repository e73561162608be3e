/* SPDX-License-Identifier: MIT */
/* options.c - OrtSessionOptions: lifetime, scalars, switches, texts and config entries. */

#include "config.h"

#include "ort/session/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort/status.h"

enum { KEY_MAX = 1024, VALUE_MAX = 8192 }; /* bytes of config entries, as in ONNX Runtime */

/* ---- life ------------------------------------------------------------------------------------ */

/*
 * OrtApi since version 1: Defaults as in ONNX Runtime: all optimisations, memory pattern and CPU
 * arena on.
 */
OrtStatus *ort_CreateSessionOptions(OrtSessionOptions **options)
{
    OrtSessionOptions *made;

    ORT_NEED(options);
    made = calloc(1, sizeof *made);
    if (!made)
        return ort_no_memory();
    made->level = ORT_ENABLE_ALL;
    made->mem_pattern = true;
    made->cpu_arena = true;
    made->log_severity = -1; /* the environment's */
    atomic_init(&made->cancelled, false);
    *options = made;
    return NULL;
}

/* OrtApi since version 1. */
void ort_ReleaseSessionOptions(OrtSessionOptions *input)
{
    if (!input)
        return;
    for (size_t i = 0; i < input->n_providers; i++) {
        free(input->providers[i].name);
        ort_keys_finish(&input->providers[i].options);
        free(input->providers[i].devices);
    }
    free(input->providers);
    ort_weights_finish(&input->weights);
    ort_custom_finish(&input->custom);
    free(input->log_id);
    free(input->optimized_path);
    free(input->profile_prefix);
    ort_keys_finish(&input->config);
    ort_keys_finish(&input->dims);
    ort_keys_finish(&input->denotations);
    free(input);
}

static bool copy_text(char **to, const char *from)
{
    *to = from ? strdup(from) : NULL;
    return *to || !from;
}

/* `to` is a bitwise copy of `from`: owned members are duplicated. */
static bool copy_owned(OrtSessionOptions *to, const OrtSessionOptions *from)
{
    bool ok = copy_text(&to->log_id, from->log_id) &&
              copy_text(&to->optimized_path, from->optimized_path) &&
              copy_text(&to->profile_prefix, from->profile_prefix) &&
              ort_keys_copy(&to->config, &from->config) && ort_keys_copy(&to->dims, &from->dims) &&
              ort_keys_copy(&to->denotations, &from->denotations) &&
              ort_weights_copy(&to->weights, &from->weights) &&
              ort_custom_copy(&to->custom, &from->custom);

    if (!ok)
        return false;
    to->providers = calloc(from->n_providers + 1, sizeof *to->providers);
    if (!to->providers)
        return false;
    for (size_t i = 0; i < from->n_providers; i++) {
        to->n_providers++;
        to->providers[i].name = strdup(from->providers[i].name);
        if (!to->providers[i].name ||
            !ort_keys_copy(&to->providers[i].options, &from->providers[i].options) ||
            !ort_provider_set_devices(&to->providers[i], from->providers[i].devices,
                                      from->providers[i].n_devices))
            return false;
    }
    return true;
}

/*
 * OrtApi since version 1: References to values, domains and libraries are shared; texts and lists
 * are copied.
 */
OrtStatus *ort_CloneSessionOptions(const OrtSessionOptions *in_options,
                                   OrtSessionOptions **out_options)
{
    OrtSessionOptions *copy;

    ORT_NEED(in_options);
    ORT_NEED(out_options);
    copy = malloc(sizeof *copy);
    if (!copy)
        return ort_no_memory();
    *copy = *in_options;
    copy->log_id = copy->optimized_path = copy->profile_prefix = NULL;
    copy->config = copy->dims = copy->denotations = (OrtKeyValuePairs){0};
    copy->weights = (struct ort_weights){0};
    copy->custom = (struct ort_custom){0};
    copy->providers = NULL;
    copy->n_providers = 0;
    if (!copy_owned(copy, in_options)) {
        ort_ReleaseSessionOptions(copy);
        return ort_no_memory();
    }
    *out_options = copy;
    return NULL;
}

/* ---- numbers and switches ---------------------------------------------------------------------- */

/* A slot that stores one value, and one that sets a flag. They only keep it: creation reads it. */
#define SETTER(slot, parameter, target)                                                            \
    OrtStatus *ort_##slot(OrtSessionOptions *options, parameter value)                             \
    {                                                                                              \
        ORT_NEED(options);                                                                         \
        options->target = value;                                                                   \
        return NULL;                                                                               \
    }
#define SWITCH(slot, target, to)                                                                   \
    OrtStatus *ort_##slot(OrtSessionOptions *options)                                              \
    {                                                                                              \
        ORT_NEED(options);                                                                         \
        options->target = to;                                                                      \
        return NULL;                                                                               \
    }

SWITCH(EnableMemPattern, mem_pattern, true)
SWITCH(DisableMemPattern, mem_pattern, false)
SWITCH(EnableCpuMemArena, cpu_arena, true)
SWITCH(DisableCpuMemArena, cpu_arena, false)
SWITCH(DisablePerSessionThreads, env_threads, true)
SWITCH(DisableProfiling, profiling, false)
SETTER(SetSessionLogVerbosityLevel, int, log_verbosity)
SETTER(SetSessionLogSeverityLevel, int, log_severity)
SETTER(SetIntraOpNumThreads, int, intra_op)
SETTER(SetInterOpNumThreads, int, inter_op)
SETTER(SetDeterministicCompute, bool, deterministic)
SETTER(SessionOptionsSetCustomCreateThreadFn, OrtCustomCreateThreadFn, create_thread)
SETTER(SessionOptionsSetCustomThreadCreationOptions, void *, thread_options)
SETTER(SessionOptionsSetCustomJoinThreadFn, OrtCustomJoinThreadFn, join_thread)

/* OrtApi since version 1: Kept and returned; operators of one run are sequential here. */
OrtStatus *ort_SetSessionExecutionMode(OrtSessionOptions *options, ExecutionMode execution_mode)
{
    ORT_NEED(options);
    if (execution_mode != ORT_SEQUENTIAL && execution_mode != ORT_PARALLEL)
        return ort_fail(ORT_INVALID_ARGUMENT, "execution_mode is not valid: %d",
                        (int)execution_mode);
    options->mode = execution_mode;
    return NULL;
}

/* OrtApi since version 1. */
OrtStatus *ort_SetSessionGraphOptimizationLevel(OrtSessionOptions *options,
                                                GraphOptimizationLevel graph_optimization_level)
{
    int level = (int)graph_optimization_level;

    ORT_NEED(options);
    if (level < ORT_DISABLE_ALL || (level > ORT_ENABLE_LAYOUT && level != ORT_ENABLE_ALL))
        return ort_fail(ORT_INVALID_ARGUMENT, "graph_optimization_level is not valid: %d", level);
    options->level = graph_optimization_level;
    return NULL;
}

/* OrtApi since version 27. */
OrtStatus *ort_GetMemPatternEnabled(const OrtSessionOptions *options, int *out)
{
    ORT_NEED(options);
    ORT_NEED(out);
    *out = options->mem_pattern;
    return NULL;
}

/* OrtApi since version 27. */
OrtStatus *ort_GetSessionExecutionMode(const OrtSessionOptions *options, ExecutionMode *out)
{
    ORT_NEED(options);
    ORT_NEED(out);
    *out = options->mode;
    return NULL;
}

/*
 * OrtApi since version 22: [any thread] Sessions that are being created check it before they open
 * the model.
 */
OrtStatus *ort_SessionOptionsSetLoadCancellationFlag(OrtSessionOptions *options, bool cancel)
{
    ORT_NEED(options);
    atomic_store(&options->cancelled, cancel);
    return NULL;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static OrtStatus *set_text(char **target, const char *text)
{
    char *copy = strdup(text);

    if (!copy)
        return ort_no_memory();
    free(*target);
    *target = copy;
    return NULL;
}

/* OrtApi since version 1. */
OrtStatus *ort_SetSessionLogId(OrtSessionOptions *options, const char *logid)
{
    ORT_NEED(options);
    ORT_NEED(logid);
    return set_text(&options->log_id, logid);
}

/* OrtApi since version 1: The session writes its optimised model there when it is created. */
OrtStatus *ort_SetOptimizedModelFilePath(OrtSessionOptions *options,
                                         const char *optimized_model_filepath)
{
    ORT_NEED(options);
    ORT_NEED(optimized_model_filepath);
    return set_text(&options->optimized_path, optimized_model_filepath);
}

/*
 * OrtApi since version 1: The file is "<prefix>_<date>.json", written by SessionEndProfiling or the
 * release of the session.
 */
OrtStatus *ort_EnableProfiling(OrtSessionOptions *options, const char *profile_file_prefix)
{
    ORT_NEED(options);
    ORT_NEED(profile_file_prefix);
    options->profiling = true;
    return set_text(&options->profile_prefix, profile_file_prefix);
}

/*
 * OrtApi since version 17: Receives lines of threads that create or run a session, of its workers
 * and of its kernels.
 */
OrtStatus *ort_SetUserLoggingFunction(OrtSessionOptions *options,
                                      OrtLoggingFunction user_logging_function,
                                      void *user_logging_param)
{
    ORT_NEED(options);
    options->log = user_logging_function;
    options->log_param = user_logging_param;
    return NULL;
}

/* ---- entries ---------------------------------------------------------------------------------- */

/*
 * OrtApi since version 5: ORT_INVALID_ARGUMENT: the key is empty or over 1024 bytes, or the value
 * over 8192.
 */
OrtStatus *ort_AddSessionConfigEntry(OrtSessionOptions *options, const char *config_key,
                                     const char *config_value)
{
    ORT_NEED(options);
    ORT_NEED(config_key);
    ORT_NEED(config_value);
    if (!config_key[0] || strlen(config_key) > KEY_MAX)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "Config key is empty or longer than maximum length %d", KEY_MAX);
    if (strlen(config_value) > VALUE_MAX)
        return ort_fail(ORT_INVALID_ARGUMENT, "Config value is longer than maximum length: %d",
                        VALUE_MAX);
    return ort_keys_set(&options->config, config_key, config_value) ? NULL : ort_no_memory();
}

/* OrtApi since version 14. */
OrtStatus *ort_HasSessionConfigEntry(const OrtSessionOptions *options, const char *config_key,
                                     int *out)
{
    ORT_NEED(options);
    ORT_NEED(config_key);
    ORT_NEED(out);
    *out = ort_keys_get(&options->config, config_key) != NULL;
    return NULL;
}

/*
 * OrtApi since version 14: *size is the needed size with NUL; ORT_INVALID_ARGUMENT: no such entry,
 * or the buffer is too short.
 */
OrtStatus *ort_GetSessionConfigEntry(const OrtSessionOptions *options, const char *config_key,
                                     char *config_value, size_t *size)
{
    const char *value;
    size_t capacity;

    ORT_NEED(options);
    ORT_NEED(config_key);
    ORT_NEED(size);
    value = ort_keys_get(&options->config, config_key);
    if (!value)
        return ort_fail(ORT_INVALID_ARGUMENT, "Session config entry '%s' was not found.",
                        config_key);
    capacity = *size;
    *size = strlen(value) + 1;
    if (!config_value)
        return NULL;
    if (capacity < *size)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "Output buffer is not large enough for session config entry: %zu of %zu",
                        capacity, *size);
    memcpy(config_value, value, *size);
    return NULL;
}

/* OrtApi since version 23: A copy, for the caller to release. */
OrtStatus *ort_GetSessionOptionsConfigEntries(const OrtSessionOptions *options,
                                              OrtKeyValuePairs **out)
{
    ORT_NEED(options);
    ORT_NEED(out);
    ort_CreateKeyValuePairs(out);
    if (!*out || !ort_keys_copy(*out, &options->config)) {
        ort_ReleaseKeyValuePairs(*out);
        *out = NULL;
        return ort_no_memory();
    }
    return NULL;
}

static OrtStatus *set_dim(OrtKeyValuePairs *list, const char *name, int64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "%lld", (long long)value);
    return ort_keys_set(list, name, text) ? NULL : ort_no_memory();
}

/* OrtApi since version 1: By denotation; a name counts for more. */
OrtStatus *ort_AddFreeDimensionOverride(OrtSessionOptions *options, const char *dim_denotation,
                                        int64_t dim_value)
{
    ORT_NEED(options);
    ORT_NEED(dim_denotation);
    return set_dim(&options->denotations, dim_denotation, dim_value);
}

/* OrtApi since version 3: By name. */
OrtStatus *ort_AddFreeDimensionOverrideByName(OrtSessionOptions *options, const char *dim_name,
                                              int64_t dim_value)
{
    ORT_NEED(options);
    ORT_NEED(dim_name);
    return set_dim(&options->dims, dim_name, dim_value);
}
