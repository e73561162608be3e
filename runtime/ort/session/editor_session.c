/* SPDX-License-Identifier: MIT */
/*
 * editor_session.c - sessions of built models (CreateSessionFromModel), and of models that are
 * edited before they run (CreateModelEditorSession).
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ort/editor/graph.h"
#include "ort/session/session.h"
#include "ort/status.h"

/*
 * OrtModelEditorApi since version 22: The model stays the caller's, and may be released once the
 * session exists.
 */
OrtStatus *ort_editor_CreateSessionFromModel(const OrtEnv *env, const OrtModel *model,
                                             const OrtSessionOptions *options, OrtSession **out)
{
    struct ort_source source = {.model = model};

    ORT_NEED(env);
    ORT_NEED(model);
    ORT_NEED(out);
    return ort_session_create(env, &source, options, out);
}

/* OrtModelEditorApi since version 22: Runs are refused until FinalizeModelEditorSession. */
OrtStatus *ort_editor_CreateModelEditorSession(const OrtEnv *env, const char *model_path,
                                               const OrtSessionOptions *options, OrtSession **out)
{
    struct ort_source source = {.path = model_path, .is_edited = true};

    ORT_NEED(env);
    ORT_NEED(model_path);
    ORT_NEED(out);
    return ort_session_create(env, &source, options, out);
}

/*
 * OrtModelEditorApi since version 22: The same for bytes, which are borrowed only as
 * CreateSessionFromArray does.
 */
OrtStatus *ort_editor_CreateModelEditorSessionFromArray(const OrtEnv *env, const void *model_data,
                                                        size_t model_data_length,
                                                        const OrtSessionOptions *options,
                                                        OrtSession **out)
{
    struct ort_source source = {.bytes = model_data, .size = model_data_length, .is_edited = true};

    ORT_NEED(env);
    ORT_NEED(out);
    return ort_session_create(env, &source, options, out);
}

/* OrtModelEditorApi: ONNX's own domain is "" or "ai.onnx". */
OrtStatus *ort_editor_SessionGetOpsetForDomain(const OrtSession *session, const char *domain,
                                               int *opset)
{
    const char *version;

    ORT_NEED(session);
    ORT_NEED(domain);
    ORT_NEED(opset);
    version = ort_keys_get(&session->opsets, domain[0] ? domain : "ai.onnx");
    if (!version)
        return ort_fail(ORT_INVALID_ARGUMENT, "Domain not used by model: '%s'", domain);
    *opset = (int)strtol(version, NULL, 10);
    return NULL;
}

/* ORT_FAIL: the session runs already. */
static OrtStatus *need_edited(const OrtSession *session)
{
    if (!session->host)
        return NULL;
    return ort_fail(ORT_FAIL, "the session is ready to run: only one of CreateModelEditorSession "
                              "that was not finalized can be edited");
}

/*
 * OrtModelEditorApi: The model stays the caller's; the session keeps references to its
 * initializers. After a failure the session is as before.
 */
OrtStatus *ort_editor_ApplyModelToModelEditorSession(OrtSession *session, OrtModel *model)
{
    OrtStatus *status;

    const OrtLogger *outer;

    ORT_NEED(session);
    ORT_NEED(model);
    status = need_edited(session);
    if (status)
        return status;
    if (!model->graph)
        return ort_fail(ORT_INVALID_ARGUMENT, "the OrtModel has no graph: use AddGraphToModel");
    outer = ort_logger_set(&session->logger);
    status = ort_loaded_edit(&session->loaded, session->env, model);
    (void)ort_logger_set(outer);
    return status ? status : ort_session_describe(session);
}

/* Weights are shared by the host as it is; see the container's own functions. */
OrtStatus *
ort_editor_FinalizeModelEditorSession(OrtSession *session, const OrtSessionOptions *options,
                                      OrtPrepackedWeightsContainer *prepacked_weights_container)
{
    OrtStatus *status;

    (void)prepacked_weights_container;
    ORT_NEED(session);
    ORT_NEED(options);
    status = need_edited(session);
    return status ? status : ort_session_finish(session, options);
}
