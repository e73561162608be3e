/* SPDX-License-Identifier: MIT */
/* ep_context.c - the config entries ep.context_enable and ep.context_file_path. */

#include "config.h"

#include "ort/compile/ep_context.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ort/compile/compile.h"
#include "ort/session/session.h"
#include "ort/status.h"

/* ONNX Runtime's default name of a compiled model. */
char *ort_contexts_path(const char *model_path)
{
    static const char end[] = "_ctx.onnx";
    const char *slash = strrchr(model_path, '/');
    const char *dot = strrchr(slash ? slash : model_path, '.');
    size_t n = dot ? (size_t)(dot - model_path) : strlen(model_path);
    char *path = malloc(n + sizeof end);

    if (!path)
        return NULL;
    memcpy(path, model_path, n);
    memcpy(path + n, end, sizeof end);
    return path;
}

/*
 * ORT_INVALID_ARGUMENT for a directory, ORT_FAIL for an existing file, with ONNX Runtime's
 * sentences.
 */
static OrtStatus *check_path(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return NULL;
    if (S_ISDIR(st.st_mode))
        return ort_fail(ORT_INVALID_ARGUMENT, "context_file_path should not point to a folder: %s",
                        path);
    return ort_fail(ORT_FAIL,
                    "Failed to generate EP context model since the file '%s' exist already. Please "
                    "remove the EP context model if you want to re-generate it.",
                    path);
}

/* *out: where the compiled model goes, to free(); NULL: the session writes none. */
static OrtStatus *output_path(const OrtSession *session, const OrtSessionOptions *options,
                              char **out)
{
    const char *given = ort_keys_get(&options->config, "ep.context_file_path");
    const char *model = session->loaded.source.path;

    *out = NULL;
    if (!ort_keys_is_on(&options->config, "ep.context_enable"))
        return NULL;
    if ((!given || !given[0]) && !model)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "ep.context_file_path is needed when the model comes from memory");
    *out = given && given[0] ? strdup(given) : ort_contexts_path(model);
    return *out ? NULL : ort_no_memory();
}

OrtStatus *ort_contexts_check(const OrtSession *session, const OrtSessionOptions *options)
{
    char *path;
    OrtStatus *status = output_path(session, options, &path);

    if (!status && path)
        status = check_path(path);
    free(path);
    return status;
}

OrtStatus *ort_contexts_compile(const OrtEnv *env, bp_model *model, const OrtKeyValuePairs *config,
                                const bp_session_options *host_options, const char *path,
                                bp_model **out)
{
    bp_context_config how = {
        .struct_size = sizeof how,
        .flags = ort_keys_is_on(config, "ep.context_embed_mode") ? BP_CONTEXT_EMBED : 0,
        .path = path,
        .prefix = ort_keys_get(config, "ep.context_node_name_prefix"),
    };
    struct ort_err err;
    uint32_t n;

    return ort_from(
        bp_model_compile(env->host, model, host_options, &how, out, &n, NULL, ort_err_init(&err)),
        &err, ORT_MAKING, NULL);
}

OrtStatus *ort_contexts_make(const OrtSession *session, const OrtSessionOptions *options,
                             const bp_session_options *host_options, bp_model **out)
{
    char *path;
    OrtStatus *status = output_path(session, options, &path);

    *out = NULL;
    if (status || !path)
        return status;
    status = ort_contexts_compile(session->env, session->loaded.model, &options->config,
                                  host_options, path, out);
    if (!status && !*out)
        ort_env_log(session->env, ORT_LOGGING_LEVEL_WARNING, "onnxruntime",
                    "Unable to compile any nodes. ONNX Runtime will not generate a compiled model. "
                    "Either the session EPs do not support compilation or the model is already "
                    "compiled.");
    free(path);
    return status;
}

/* Weights that stay go to ep.context_model_external_initializers_file_name, if there is one. */
OrtStatus *ort_contexts_write(const OrtSession *session, const OrtSessionOptions *options,
                              const bp_model *model)
{
    const char *file =
        ort_keys_get(&options->config, "ep.context_model_external_initializers_file_name");
    OrtModelCompilationOptions how = {.format = BP_MODEL_FORMAT_ONNX};
    OrtStatus *status = NULL;
    char *path = NULL;

    if (!model)
        return NULL;
    if (file && file[0]) {
        how.external_path = strdup(file);
        if (!how.external_path)
            return ort_no_memory();
    }
    status = output_path(session, options, &path);
    if (!status)
        status = ort_compile_write(&how, model, path);
    free(how.external_path);
    free(path);
    return status;
}

/* ---- slots ----------------------------------------------------------------------------------- */

/*
 * OrtApi since version 23: All devices must be of one provider. No provider of ours stores compiled
 * code, so the answer is always EP_NOT_APPLICABLE.
 */
OrtStatus *ort_GetModelCompatibilityForEpDevices(const OrtEpDevice *const *ep_devices,
                                                 size_t num_ep_devices,
                                                 const char *compatibility_info,
                                                 OrtCompiledModelCompatibility *out_status)
{
    ORT_NEED(ep_devices);
    ORT_NEED(compatibility_info);
    ORT_NEED(out_status);
    if (num_ep_devices == 0)
        return ort_fail(ORT_INVALID_ARGUMENT, "at least one device is needed");
    for (size_t i = 0; i < num_ep_devices; i++) {
        if (!ep_devices[i])
            return ort_fail(ORT_INVALID_ARGUMENT, "device %zu is NULL", i);
        if (strcmp(ort_EpDevice_EpName(ep_devices[i]), ort_EpDevice_EpName(ep_devices[0])) != 0)
            return ort_fail(ORT_INVALID_ARGUMENT,
                            "All provided devices must use the same EP: %s "
                            "and %s differ",
                            ort_EpDevice_EpName(ep_devices[0]), ort_EpDevice_EpName(ep_devices[i]));
    }
    *out_status = OrtCompiledModelCompatibility_EP_NOT_APPLICABLE;
    return NULL;
}

/*
 * OrtApi since version 29: The buffer is borrowed; only providers that compile models would read
 * it.
 */
OrtStatus *ort_SessionOptionsSetWeightlessSourceModelBuffer(OrtSessionOptions *options,
                                                            const void *source_model_data,
                                                            size_t source_model_data_length)
{
    ORT_NEED(options);
    ORT_NEED(source_model_data);
    if (source_model_data_length == 0)
        return ort_fail(ORT_INVALID_ARGUMENT, "the source model is empty");
    options->weightless_source = source_model_data;
    options->weightless_source_size = source_model_data_length;
    return NULL;
}

OrtStatus *
ort_ep_SessionOptionsGetWeightlessSourceModelBuffer(const OrtSessionOptions *session_options,
                                                    const void **source_model_data,
                                                    size_t *source_model_data_length)
{
    ORT_NEED(session_options);
    ORT_NEED(source_model_data);
    ORT_NEED(source_model_data_length);
    *source_model_data = session_options->weightless_source;
    *source_model_data_length = session_options->weightless_source_size;
    return NULL;
}
