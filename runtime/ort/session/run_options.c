/* SPDX-License-Identifier: MIT */
/*
 * run_options.c - OrtRunOptions: log levels, tag, config entries, profiling and the terminate flag.
 */

#include "config.h"

#include "ort/session/run_options.h"

#include <stdlib.h>
#include <string.h>

#include "ort/status.h"

/* OrtApi since version 1. */
OrtStatus *ort_CreateRunOptions(OrtRunOptions **out)
{
    OrtRunOptions *made;

    ORT_NEED(out);
    made = calloc(1, sizeof *made);
    if (!made)
        return ort_no_memory();
    made->log_severity = ORT_LOGGING_LEVEL_WARNING;
    made->tag = strdup("");
    if (!made->tag) {
        free(made);
        return ort_no_memory();
    }
    *out = made;
    return NULL;
}

/* OrtApi since version 1. */
void ort_ReleaseRunOptions(OrtRunOptions *input)
{
    if (!input)
        return;
    free(input->tag);
    free(input->profile_prefix);
    free(input->adapters);
    ort_keys_finish(&input->config);
    free(input);
}

/* A setter and a getter of an int. */
#define NUMBER(name, member)                                                                       \
    OrtStatus *ort_RunOptionsSet##name(OrtRunOptions *options, int value)                          \
    {                                                                                              \
        ORT_NEED(options);                                                                         \
        options->member = value;                                                                   \
        return NULL;                                                                               \
    }                                                                                              \
    OrtStatus *ort_RunOptionsGet##name(const OrtRunOptions *options, int *value)                   \
    {                                                                                              \
        ORT_NEED(options);                                                                         \
        ORT_NEED(value);                                                                           \
        *value = options->member;                                                                  \
        return NULL;                                                                               \
    }

NUMBER(RunLogVerbosityLevel, log_verbosity)
NUMBER(RunLogSeverityLevel, log_severity)

/* OrtApi since version 1. */
OrtStatus *ort_RunOptionsSetRunTag(OrtRunOptions *options, const char *run_tag)
{
    char *copy;

    ORT_NEED(options);
    copy = strdup(run_tag ? run_tag : "");
    if (!copy)
        return ort_no_memory();
    free(options->tag);
    options->tag = copy;
    return NULL;
}

/* OrtApi since version 1. */
OrtStatus *ort_RunOptionsGetRunTag(const OrtRunOptions *options, const char **run_tag)
{
    ORT_NEED(options);
    ORT_NEED(run_tag);
    *run_tag = options->tag;
    return NULL;
}

/*
 * OrtApi since version 1: [any thread] Runs with these options end with ORT_FAIL at the next node.
 */
OrtStatus *ort_RunOptionsSetTerminate(OrtRunOptions *options)
{
    ORT_NEED(options);
    __atomic_store_n(&options->terminate, 1u, __ATOMIC_RELEASE);
    return NULL;
}

/* OrtApi since version 1. */
OrtStatus *ort_RunOptionsUnsetTerminate(OrtRunOptions *options)
{
    ORT_NEED(options);
    __atomic_store_n(&options->terminate, 0u, __ATOMIC_RELEASE);
    return NULL;
}

/* OrtApi since version 8. */
OrtStatus *ort_AddRunConfigEntry(OrtRunOptions *options, const char *config_key,
                                 const char *config_value)
{
    ORT_NEED(options);
    ORT_NEED(config_key);
    ORT_NEED(config_value);
    if (!config_key[0])
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "Config key is empty or longer than maximum length 1024");
    return ort_keys_set(&options->config, config_key, config_value) ? NULL : ort_no_memory();
}

/* OrtApi since version 23: Borrowed; NULL: no such entry. */
const char *ort_GetRunConfigEntry(const OrtRunOptions *options, const char *config_key)
{
    return options && config_key ? ort_keys_get(&options->config, config_key) : NULL;
}

/*
 * OrtApi since version 25: Each run writes a file of its own: prefix, date, and a number if that
 * exists.
 */
OrtStatus *ort_RunOptionsEnableProfiling(OrtRunOptions *options, const char *profile_file_prefix)
{
    char *copy;

    ORT_NEED(options);
    ORT_NEED(profile_file_prefix);
    copy = strdup(profile_file_prefix);
    if (!copy)
        return ort_no_memory();
    free(options->profile_prefix);
    options->profile_prefix = copy;
    return NULL;
}

/* OrtApi since version 25. */
OrtStatus *ort_RunOptionsDisableProfiling(OrtRunOptions *options)
{
    ORT_NEED(options);
    free(options->profile_prefix);
    options->profile_prefix = NULL;
    return NULL;
}
