/* SPDX-License-Identifier: MIT */
/* session.c - OrtSession: made from a path or from bytes. */

#include "config.h"

#include "ort/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ort/status.h"

/* Where the model is; one of path and bytes. */
struct source {
    const char *path;
    const void *bytes;
    size_t size;
};

/* ---- reading --------------------------------------------------------------------------------- */

static OrtStatus *open_path(OrtSession *session, const char *path, bp_model **out)
{
    struct ort_err err;
    struct stat st;
    char prefix[1024];
    bp_rc rc;

    if (access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
        return ort_fail(ORT_NO_SUCHFILE,
                        "Load model from %s failed:Load model %s failed. File doesn't exist", path,
                        path);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return ort_fail(ORT_INVALID_ARGUMENT, "The model path is a directory: %s", path);
    rc = bp_model_open(session->env->host, path, out, ort_err_init(&err));
    snprintf(prefix, sizeof prefix, "Load model from %s failed:", path);
    return ort_from(rc, &err, ORT_READING, prefix);
}

/* The bytes are copied: the caller may free them at once. */
static OrtStatus *open_bytes(OrtSession *session, const struct source *source, bp_model **out)
{
    const char *dir =
        ort_keys_get(&session->config, "session.model_external_initializers_file_folder_path");
    struct ort_err err;
    bp_rc rc;

    if (!source->bytes || source->size == 0)
        return ort_fail(ORT_INVALID_ARGUMENT, "the model has no bytes");
    session->bytes = malloc(source->size);
    if (!session->bytes)
        return ort_no_memory();
    memcpy(session->bytes, source->bytes, source->size);
    rc = bp_model_open_memory(session->env->host, session->bytes, source->size, dir, out,
                              ort_err_init(&err));
    return ort_from(rc, &err, ORT_READING, "Load model from bytes failed:");
}

/* ---- what the model looks like from outside ---------------------------------------------------- */

static bool list_ends(OrtSession *session)
{
    bp_session *host = session->host;

    session->n_inputs = bp_session_input_count(host);
    session->n_outputs = bp_session_output_count(host);
    session->inputs = calloc(session->n_inputs + 1, sizeof *session->inputs);
    session->outputs = calloc(session->n_outputs + 1, sizeof *session->outputs);
    if (!session->inputs || !session->outputs)
        return false;
    for (uint32_t i = 0; i < session->n_inputs; i++) {
        session->inputs[i].struct_size = sizeof *session->inputs;
        if (bp_session_input(host, i, &session->inputs[i], NULL) < 0)
            return false;
        if (!(session->inputs[i].flags & BP_IO_OPTIONAL))
            session->n_required = i + 1;
    }
    for (uint32_t i = 0; i < session->n_outputs; i++) {
        session->outputs[i].struct_size = sizeof *session->outputs;
        if (bp_session_output(host, i, &session->outputs[i], NULL) < 0)
            return false;
    }
    return true;
}

/* ---- rules that applications set by config entry ------------------------------------------------- */

/* Fails when a node is on the CPU provider, which nobody named. */
static OrtStatus *check_fallback(const OrtSession *session)
{
    const bp_report *report = bp_session_report(session->host);
    uint32_t n = bp_report_node_count(report);

    for (uint32_t i = 0; i < n; i++) {
        bp_report_node node = {.struct_size = sizeof node};
        bp_report_provider provider = {.struct_size = sizeof provider};

        if (bp_report_get_node(report, i, &node, NULL) < 0 || node.provider == BP_NONE ||
            bp_report_get_provider(report, node.provider, &provider, NULL) < 0)
            continue;
        if (strcmp(provider.name, "cpu") == 0)
            return ort_fail(ORT_FAIL,
                            "This session contains graph nodes that are assigned to the default "
                            "CPU EP, but fallback to CPU EP has been explicitly disabled by the "
                            "user: %s (%s)",
                            node.name, node.op);
    }
    return NULL;
}

static OrtStatus *check_rules(const OrtSession *session, const OrtSessionOptions *options)
{
    if (!ort_keys_is_on(&session->config, "session.disable_cpu_ep_fallback"))
        return NULL;
    if (options->cpu_is_named)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "Conflicting session configuration: explicitly added the CPU EP to the "
                        "session, but also disabled fallback to the CPU EP via session "
                        "configuration options.");
    return check_fallback(session);
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Looks again and again: a run's last touch of the session is a subtraction, it can signal nobody. */
static void wait_for_runs(OrtSession *session)
{
    const struct timespec pause = {.tv_nsec = 100000};

    while (atomic_load_explicit(&session->in_flight, memory_order_acquire) > 0)
        nanosleep(&pause, NULL);
}

void ort_ReleaseSession(OrtSession *input)
{
    if (!input)
        return;
    wait_for_runs(input);
    ort_profile_destroy(input->profile);
    ort_assignment_destroy(input->assignment);
    bp_session_destroy(input->host);
    ort_env_release(input->env);
    ort_metadata_finish(&input->metadata);
    ort_keys_finish(&input->config);
    ort_keys_finish(&input->dims);
    pthread_mutex_destroy(&input->lock);
    free(input->inputs);
    free(input->outputs);
    free(input->bytes);
    free(input);
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static OrtStatus *start(const OrtEnv *env, const OrtSessionOptions *options, OrtSession **out)
{
    OrtSession *session = calloc(1, sizeof *session);
    union {
        const OrtEnv *given;
        OrtEnv *counted;
    } shared = {env};

    if (!session)
        return ort_no_memory();
    pthread_mutex_init(&session->lock, NULL);
    atomic_init(&session->in_flight, 0);
    session->env = ort_env_retain(shared.counted);
    session->start_ns = now_ns();
    session->intra_op = options->env_threads ? 0 : options->intra_op;
    if (!ort_keys_copy(&session->config, &options->config) ||
        !ort_keys_copy(&session->dims, &options->dims)) {
        ort_ReleaseSession(session);
        return ort_no_memory();
    }
    if (options->profiling) {
        session->profile = ort_profile_create(options->profile_prefix);
        session->is_profiled = session->profile != NULL;
    }
    *out = session;
    return NULL;
}

/* A session fails for an operator that nobody has: is it one that nobody ever had? */
static OrtStatus *unknown_operator(const bp_model *model, const char *words)
{
    bp_op_info op = {.struct_size = sizeof op};

    for (uint32_t i = 0; bp_model_op(model, i, &op, NULL) >= 0; i++) {
        if (op.since == 0)
            return ort_fail(ORT_INVALID_GRAPH,
                            "This is an invalid model. Error No Op registered for %s with "
                            "domain_version of %u: %s",
                            op.op, op.opset, words);
    }
    return NULL;
}

static OrtStatus *make_host(OrtSession *session, bp_model *model, const OrtSessionOptions *options)
{
    bp_session_options *host_options = NULL;
    struct ort_err err;
    OrtStatus *status = ort_options_to_host(options, &host_options);
    bp_rc rc;

    if (status)
        return status;
    rc = bp_session_create_from_model(session->env->host, model, host_options, &session->host,
                                      ort_err_init(&err));
    bp_session_options_destroy(host_options);
    status = rc == BP_E_UNSUPPORTED ? unknown_operator(model, err.text) : NULL;
    return status ? status : ort_from(rc, &err, ORT_MAKING, NULL);
}

static OrtStatus *load(OrtSession *session, const struct source *source,
                       const OrtSessionOptions *options)
{
    bp_model *model = NULL;
    OrtStatus *status;

    if (atomic_load(&options->cancelled))
        return ort_fail(ORT_MODEL_LOAD_CANCELED,
                        "Session initialization canceled due to user request.");
    status = source->path ? open_path(session, source->path, &model)
                          : open_bytes(session, source, &model);
    if (status)
        return status;
    if (!ort_metadata_init(&session->metadata, model))
        status = ort_no_memory();
    if (!status)
        status = make_host(session, model, options);
    bp_model_close(model);
    if (!status && !list_ends(session))
        status = ort_no_memory();
    if (!status && ort_keys_is_on(&session->config, "session.record_ep_graph_assignment_info"))
        status = ort_assignment_record(session);
    return status ? status : check_rules(session, options);
}

static OrtStatus *create(const OrtEnv *env, const struct source *source,
                         const OrtSessionOptions *options, OrtSession **out)
{
    OrtSessionOptions *own = NULL;
    OrtSession *session = NULL;
    OrtStatus *status = options ? NULL : ort_CreateSessionOptions(&own);
    uint64_t began = ort_profile_now();

    *out = NULL;
    if (!status)
        status = start(env, options ? options : own, &session);
    if (!status)
        status = load(session, source, options ? options : own);
    ort_ReleaseSessionOptions(own);
    if (status) {
        ort_ReleaseSession(session);
        return status;
    }
    if (session->is_profiled)
        ort_profile_add(session, "session_initialization", began, ort_profile_now());
    *out = session;
    return NULL;
}

OrtStatus *ort_CreateSession(const OrtEnv *env, const char *model_path,
                             const OrtSessionOptions *options, OrtSession **out)
{
    struct source source = {.path = model_path};

    ORT_NEED(env);
    ORT_NEED(model_path);
    ORT_NEED(out);
    return create(env, &source, options, out);
}

OrtStatus *ort_CreateSessionFromArray(const OrtEnv *env, const void *model_data,
                                      size_t model_data_length, const OrtSessionOptions *options,
                                      OrtSession **out)
{
    struct source source = {.bytes = model_data, .size = model_data_length};

    ORT_NEED(env);
    ORT_NEED(out);
    return create(env, &source, options, out);
}

/* ---- shared weights: the host shares equal ones by itself ---------------------------------------- */

struct OrtPrepackedWeightsContainer {
    char nothing;
};

OrtStatus *ort_CreatePrepackedWeightsContainer(OrtPrepackedWeightsContainer **out)
{
    ORT_NEED(out);
    *out = calloc(1, sizeof **out);
    return *out ? NULL : ort_no_memory();
}

void ort_ReleasePrepackedWeightsContainer(OrtPrepackedWeightsContainer *input)
{
    free(input);
}

OrtStatus *ort_CreateSessionWithPrepackedWeightsContainer(
    const OrtEnv *env, const char *model_path, const OrtSessionOptions *options,
    OrtPrepackedWeightsContainer *prepacked_weights_container, OrtSession **out)
{
    (void)prepacked_weights_container;
    return ort_CreateSession(env, model_path, options, out);
}

OrtStatus *ort_CreateSessionFromArrayWithPrepackedWeightsContainer(
    const OrtEnv *env, const void *model_data, size_t model_data_length,
    const OrtSessionOptions *options, OrtPrepackedWeightsContainer *prepacked_weights_container,
    OrtSession **out)
{
    (void)prepacked_weights_container;
    return ort_CreateSessionFromArray(env, model_data, model_data_length, options, out);
}
