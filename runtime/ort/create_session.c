/* SPDX-License-Identifier: MIT */
/*
 * create_session.c - creates sessions: opens the model, chooses providers, creates the host's
 * session.
 *
 * Order: options are copied, the model is opened and described, edits (OrtModelEditorApi) may
 * follow, providers are chosen by name or by policy, and the host plans and compiles.
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ort/compile/compile.h"
#include "ort/compile/ep_context.h"
#include "ort/devices/policy.h"
#include "ort/session/session.h"
#include "ort/status.h"

#define AFFINITIES "session.intra_op_thread_affinities"

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* In the child of a fork(): calls of other threads never end. */
static void forget_runs(void *u)
{
    OrtSession *session = u;

    atomic_store(&session->in_flight, 0);
    pthread_mutex_init(&session->lock, NULL);
}

/*
 * The session copies all settings it needs later: the options may be released once it is created.
 */
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
    bp_fork_watch(&session->fork, forget_runs, session);
    atomic_init(&session->in_flight, 0);
    session->env = ort_env_retain(shared.counted);
    session->start_ns = now_ns();
    session->intra_op = options->env_threads ? 0 : options->intra_op;
    session->logger = (OrtLogger){.env = session->env,
                                  .severity = options->log_severity,
                                  .call = options->log,
                                  .param = options->log_param,
                                  .id = options->log_id ? strdup(options->log_id) : NULL};
    session->workers.env = session->env;
    session->has_log = options->log || options->log_id || options->log_severity >= 0;
    if (ort_keys_is_on(&options->config, "session.use_env_allocators"))
        session->allocator = ort_shared_take(session->env, ort_cpu_memory());
    if ((options->log_id && !session->logger.id) ||
        !ort_keys_copy(&session->config, &options->config) ||
        !ort_custom_copy(&session->custom, &options->custom)) {
        ort_ReleaseSession(session);
        return ort_no_memory();
    }
    if (options->profiling) {
        OrtStatus *status = ort_profile_create(options->profile_prefix, &session->profile);

        if (status) {
            ort_ReleaseSession(session);
            return status;
        }
    }
    *out = session;
    return NULL;
}

/*
 * Are the domain's operators defined by ONNX itself? Operators of others may come with a provider.
 */
static bool is_of_onnx(const char *domain)
{
    static const char *const names[] = {"", "ai.onnx", "ai.onnx.ml", "ai.onnx.training",
                                        "ai.onnx.preview.training"};
    size_t i = 0;

    while (i < sizeof names / sizeof *names && strcmp(names[i], domain) != 0)
        i++;
    return i < sizeof names / sizeof *names;
}

/*
 * When no provider claims a node, ONNX Runtime has different codes for an operator that no schema
 * defines: INVALID_GRAPH in ONNX's domains, FAIL elsewhere.
 */
static OrtStatus *unknown_operator(const OrtSession *session, const struct ort_err *err)
{
    bool is_unknown = err->err.detail == BP_DETAIL_UNKNOWN_OPERATOR;
    bp_op_info op = {.struct_size = sizeof op};

    for (uint32_t i = 0; bp_model_op(session->loaded.model, i, &op, NULL) >= 0; i++) {
        if (op.since == 0 && is_of_onnx(op.domain) &&
            !ort_custom_has(&session->custom, op.domain, op.op))
            return ort_fail(ORT_INVALID_GRAPH,
                            "This is an invalid model. Error No Op registered for %s with "
                            "domain_version of %u: %s",
                            op.op, op.opset, err->text);
        if (op.since == 0 && !ort_custom_has(&session->custom, op.domain, op.op) && is_unknown)
            return ort_fail(ORT_FAIL, "Fatal error: %s:%s is not a registered function/op: %s",
                            op.domain, op.op, err->text);
    }
    return NULL;
}

/* The first device of each provider, for SessionGetEpDeviceForInputs and -Outputs. */
static OrtStatus *keep_choice(OrtSession *session, const OrtSessionOptions *options)
{
    free(session->chosen);
    session->n_chosen = 0;
    session->chosen = calloc(options->n_providers + 1, sizeof *session->chosen);
    if (!session->chosen)
        return ort_no_memory();
    for (size_t i = 0; i < options->n_providers; i++) {
        const struct ort_provider *provider = &options->providers[i];
        struct ort_chosen *chosen = &session->chosen[session->n_chosen];

        if (provider->n_devices == 0)
            continue;
        ort_short_name(provider->name, chosen->plain, sizeof chosen->plain);
        chosen->device = provider->devices[0];
        session->n_chosen++;
    }
    return NULL;
}

/*
 * With one intra-op thread, the caller's, only the affinity text itself is checked, as in ONNX
 * Runtime.
 */
static OrtStatus *read_workers(OrtSession *session, const OrtSessionOptions *options)
{
    const char *affinities = ort_keys_get(&options->config, AFFINITIES);
    OrtStatus *status;

    if (options->env_threads)
        return NULL;
    if (affinities && !affinities[0])
        return ort_fail(ORT_FAIL, "%s: Affinity string must not be empty", AFFINITIES);
    session->workers.create = options->create_thread;
    session->workers.join = options->join_thread;
    session->workers.options = options->thread_options;
    status = ort_workers_check(&session->workers);
    if (status || !affinities || options->intra_op == 1)
        return status;
    return ort_workers_read(&session->workers, affinities);
}

/* Without thread settings of its own a session uses the environment's pool. */
static OrtStatus *set_workers(OrtSession *session, bp_session_options *options)
{
    bp_worker_config workers;
    struct ort_err err;
    bp_rc rc;

    if (session->has_log)
        bp_session_options_set_log(options, ort_logger_line, &session->logger, BP_LOG_DEBUG);
    if (!ort_workers_config(&session->workers, &workers))
        return NULL;
    bp_session_options_set_threads(options,
                                   session->intra_op > 0 ? (uint32_t)session->intra_op : 0);
    rc = bp_session_options_set_workers(options, &workers, ort_err_init(&err));
    return ort_from(rc, &err, ORT_OTHER, NULL);
}

/* Free dimension overrides are dimensions that the host fixes. */
static OrtStatus *set_dimensions(const OrtSessionOptions *options, bp_session_options *host_options)
{
    struct ort_err err;
    bp_rc rc = BP_OK;

    for (size_t i = 0; rc >= 0 && i < options->dims.n; i++)
        rc = bp_session_options_set_dimension(host_options, options->dims.keys[i],
                                              strtoll(options->dims.values[i], NULL, 10),
                                              ort_err_init(&err));
    for (size_t i = 0; rc >= 0 && i < options->denotations.n; i++)
        rc = bp_session_options_set_denotation(host_options, options->denotations.keys[i],
                                               strtoll(options->denotations.values[i], NULL, 10),
                                               ort_err_init(&err));
    return ort_from(rc, &err, ORT_OTHER, NULL);
}

/*
 * The optimised model is made from the open model too, because both start from the same graph. A
 * session that writes a compiled model loads its programs, so that nothing is compiled twice.
 */
static OrtStatus *make_host(OrtSession *session, const OrtSessionOptions *options)
{
    bp_session_options *host_options = NULL;
    bp_model *compiled = NULL;
    struct ort_err err;
    OrtStatus *status = ort_options_to_host(options, &host_options);
    bp_rc rc;

    if (!status)
        status = ort_custom_to_host(session, &options->custom, host_options);
    if (!status)
        status = set_dimensions(options, host_options);
    if (!status)
        status = set_workers(session, host_options);
    if (!status)
        status = ort_session_set_allocator(session, host_options);
    if (!status)
        status = ort_contexts_make(session, options, host_options, &compiled);
    if (status) {
        bp_session_options_destroy(host_options);
        return status;
    }
    rc = bp_session_create_from_model(session->env->host,
                                      compiled ? compiled : session->loaded.model, host_options,
                                      &session->host, ort_err_init(&err));
    if (rc >= 0)
        status = ort_contexts_write(session, options, compiled);
    bp_model_close(compiled);
    if (status) {
        bp_session_options_destroy(host_options);
        return status;
    }
    if (rc >= 0)
        status = ort_optimized_make(options, session->env, session->loaded.model, host_options,
                                    &session->optimized);
    bp_session_options_destroy(host_options);
    if (status)
        return status;
    status = rc == BP_E_UNSUPPORTED ? unknown_operator(session, &err) : NULL;
    return status ? status : ort_from(rc, &err, ORT_MAKING, NULL);
}

/* The host's session, on the providers that the policy chooses if none is named. */
static OrtStatus *make_chosen_host(OrtSession *session, const OrtSessionOptions *options)
{
    OrtSessionOptions *chosen = NULL;
    OrtStatus *status = ort_policy_apply(session, options, &chosen);

    if (!status)
        status = make_host(session, chosen ? chosen : options);
    if (!status)
        status = keep_choice(session, chosen ? chosen : options);
    ort_ReleaseSessionOptions(chosen);
    return status;
}

static void log_ready(const OrtSession *session)
{
    bp_session_stats stats = {.struct_size = sizeof stats};
    char text[128];

    if (bp_session_get_stats(session->host, &stats, NULL) < 0)
        return;
    snprintf(text, sizeof text, "Session initialized: %u inputs, %u outputs, %u groups of nodes",
             session->n_inputs, session->n_outputs, stats.n_groups);
    ort_env_log(session->env, ORT_LOGGING_LEVEL_INFO, "session", text);
}

/* On failure the description goes back to that of the open model, so that edits can go on. */
static OrtStatus *finish(OrtSession *session, const OrtSessionOptions *options)
{
    OrtStatus *status = ort_contexts_check(session, options);

    if (!status)
        status = make_chosen_host(session, options);
    if (!status && !ort_session_list_io(session))
        status = ort_no_memory();
    if (!status && ort_keys_is_on(&session->config, "session.record_ep_graph_assignment_info"))
        status = ort_assignment_record(session);
    if (!status)
        status = ort_rules_check(bp_session_report(session->host), options);
    if (!status)
        status = ort_optimized_write(options, session->optimized);
    bp_model_close(session->optimized);
    session->optimized = NULL;
    if (!status) {
        ort_loaded_close(&session->loaded);
        log_ready(session);
        return NULL;
    }
    ort_assignment_destroy(session->assignment);
    session->assignment = NULL;
    bp_session_destroy(session->host);
    session->host = NULL;
    if (!ort_session_list_io(session))
        ort_session_clear_description(session);
    return status;
}

/*
 * The session's logger is the thread's until this returns, because the host's lines name no
 * session.
 */
OrtStatus *ort_session_finish(OrtSession *session, const OrtSessionOptions *options)
{
    const OrtLogger *outer = ort_logger_set(&session->logger);
    OrtStatus *status = finish(session, options);

    (void)ort_logger_set(outer);
    return status;
}

/* SessionOptionsSetLoadCancellationFlag is only read here, before the model is opened. */
static OrtStatus *load_logged(OrtSession *session, const struct ort_source *source,
                              const OrtSessionOptions *options)
{
    OrtStatus *status = read_workers(session, options);
    int64_t began = ort_profile_now();

    if (status)
        return status;
    if (atomic_load(&options->cancelled))
        return ort_fail(ORT_MODEL_LOAD_CANCELED,
                        "Session initialization canceled due to user request.");
    status = ort_loaded_set(&session->loaded, source, options);
    if (!status)
        status = ort_loaded_open(&session->loaded, session->env);
    if (!status && !ort_metadata_init(&session->metadata, session->loaded.model))
        status = ort_no_memory();
    if (!status)
        status = ort_session_describe(session);
    if (status)
        return status;
    ort_profile_add(session->profile,
                    session->loaded.source.path ? "model_loading_uri" : "model_loading_array",
                    began, ort_profile_now());
    return source->is_edited ? NULL : ort_session_finish(session, options);
}

static OrtStatus *load(OrtSession *session, const struct ort_source *source,
                       const OrtSessionOptions *options)
{
    const OrtLogger *outer = ort_logger_set(&session->logger);
    OrtStatus *status = load_logged(session, source, options);

    (void)ort_logger_set(outer);
    return status;
}

/* A session that fails is released before the caller sees it: *out stays NULL. */
OrtStatus *ort_session_create(const OrtEnv *env, const struct ort_source *source,
                              const OrtSessionOptions *options, OrtSession **out)
{
    OrtSessionOptions *own = NULL;
    OrtSession *session = NULL;
    OrtStatus *status = options ? NULL : ort_CreateSessionOptions(&own);
    int64_t began = ort_profile_now();

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
    ort_profile_add(session->profile, "session_initialization", began, ort_profile_now());
    *out = session;
    return NULL;
}

/*
 * OrtApi since version 1: ORT_NO_SUCHFILE, INVALID_PROTOBUF, INVALID_GRAPH, NOT_IMPLEMENTED: see
 * tests/ort/check_codes.
 */
OrtStatus *ort_CreateSession(const OrtEnv *env, const char *model_path,
                             const OrtSessionOptions *options, OrtSession **out)
{
    struct ort_source source = {.path = model_path};

    ORT_NEED(env);
    ORT_NEED(model_path);
    ORT_NEED(out);
    return ort_session_create(env, &source, options, out);
}

/*
 * OrtApi since version 1: The bytes are copied unless both session.use_ort_model_bytes_* keys are
 * set.
 */
OrtStatus *ort_CreateSessionFromArray(const OrtEnv *env, const void *model_data,
                                      size_t model_data_length, const OrtSessionOptions *options,
                                      OrtSession **out)
{
    struct ort_source source = {.bytes = model_data, .size = model_data_length};

    ORT_NEED(env);
    ORT_NEED(out);
    if (model_data_length > INT32_MAX) /* a protobuf has no more; a length so large is a mistake */
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "Model data size exceeds maximum supported size (2GB): %zu bytes",
                        model_data_length);
    return ort_session_create(env, &source, options, out);
}

/* ---- prepacked weights: the host shares equal ones between sessions without a container ---------- */

struct OrtPrepackedWeightsContainer {
    char nothing;
};

/* OrtApi since version 8: An empty object: the host needs none. */
OrtStatus *ort_CreatePrepackedWeightsContainer(OrtPrepackedWeightsContainer **out)
{
    ORT_NEED(out);
    *out = calloc(1, sizeof **out);
    return *out ? NULL : ort_no_memory();
}

/* OrtApi since version 8. */
void ort_ReleasePrepackedWeightsContainer(OrtPrepackedWeightsContainer *input)
{
    free(input);
}

/* OrtApi since version 8. */
OrtStatus *ort_CreateSessionWithPrepackedWeightsContainer(
    const OrtEnv *env, const char *model_path, const OrtSessionOptions *options,
    OrtPrepackedWeightsContainer *prepacked_weights_container, OrtSession **out)
{
    (void)prepacked_weights_container;
    return ort_CreateSession(env, model_path, options, out);
}

/* OrtApi since version 8. */
OrtStatus *ort_CreateSessionFromArrayWithPrepackedWeightsContainer(
    const OrtEnv *env, const void *model_data, size_t model_data_length,
    const OrtSessionOptions *options, OrtPrepackedWeightsContainer *prepacked_weights_container,
    OrtSession **out)
{
    (void)prepacked_weights_container;
    return ort_CreateSessionFromArray(env, model_data, model_data_length, options, out);
}
