/* SPDX-License-Identifier: MIT */
/*
 * compile.c - OrtCompileApi (since version 22): checks a model for the session's providers and writes
 * it.
 *
 * Groups of providers that save programs for models become nodes EPContext. Where there are none,
 * the output is the input model, as ONNX Runtime writes it when nothing was compiled.
 */

#include "config.h"

#include "ort/compile/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ort/compile/ep_context.h"
#include "ort/session/session.h"
#include "ort/status.h"

/* ---- life ------------------------------------------------------------------------------------ */

/* Replaces the text by a copy; on failure the text before is kept. */
static OrtStatus *set_text(char **target, const char *text)
{
    char *copy = strdup(text);

    if (!copy)
        return ort_no_memory();
    free(*target);
    *target = copy;
    return NULL;
}

/* Config entries of the session options that correspond to setters of this table. */
static OrtStatus *read_entries(OrtModelCompilationOptions *made)
{
    const OrtKeyValuePairs *config = &made->options->config;
    const char *path = ort_keys_get(config, "ep.context_file_path");
    const char *file = ort_keys_get(config, "ep.context_model_external_initializers_file_name");
    OrtStatus *status = path && path[0] ? set_text(&made->out_path, path) : NULL;

    if (!status && file && file[0])
        status = set_text(&made->external_path, file);
    return status;
}

/* OrtCompileApi: The session options are copied. */
OrtStatus *ort_compile_CreateModelCompilationOptionsFromSessionOptions(
    const OrtEnv *env, const OrtSessionOptions *session_options, OrtModelCompilationOptions **out)
{
    OrtModelCompilationOptions *made;
    OrtStatus *status;

    ORT_NEED(env);
    ORT_NEED(session_options);
    ORT_NEED(out);
    made = calloc(1, sizeof *made);
    if (!made)
        return ort_no_memory();
    status = ort_CloneSessionOptions(session_options, &made->options);
    if (!status)
        status = read_entries(made);
    if (status) {
        ort_compile_ReleaseModelCompilationOptions(made);
        return status;
    }
    *out = made;
    return NULL;
}

/* OrtCompileApi since version 22: Buffers and callbacks that were set are the application's. */
void ort_compile_ReleaseModelCompilationOptions(OrtModelCompilationOptions *input)
{
    if (!input)
        return;
    ort_ReleaseSessionOptions(input->options);
    free(input->in_path);
    free(input->out_path);
    free(input->external_path);
    free(input->binary_path);
    free(input);
}

/* ---- input: the last one set is used --------------------------------------------------------- */

static void clear_input(OrtModelCompilationOptions *options)
{
    free(options->in_path);
    options->in_path = NULL;
    options->in_bytes = NULL;
    options->in_size = 0;
    options->in_model = NULL;
}

/* OrtCompileApi since version 22: The path is copied; CompileModel opens the file. */
OrtStatus *ort_compile_ModelCompilationOptions_SetInputModelPath(
    OrtModelCompilationOptions *model_compile_options, const char *input_model_path)
{
    char *copy;

    ORT_NEED(model_compile_options);
    ORT_NEED(input_model_path);
    if (!input_model_path[0])
        return ort_fail(ORT_INVALID_ARGUMENT, "the path of the input model is empty");
    copy = strdup(input_model_path);
    if (!copy)
        return ort_no_memory();
    clear_input(model_compile_options);
    model_compile_options->in_path = copy;
    return NULL;
}

/* OrtCompileApi: The buffer is borrowed until CompileModel returns. */
OrtStatus *ort_compile_ModelCompilationOptions_SetInputModelFromBuffer(
    OrtModelCompilationOptions *model_compile_options, const void *input_model_data,
    size_t input_model_data_size)
{
    ORT_NEED(model_compile_options);
    ORT_NEED(input_model_data);
    if (input_model_data_size == 0)
        return ort_fail(ORT_INVALID_ARGUMENT, "the buffer of the input model is empty");
    clear_input(model_compile_options);
    model_compile_options->in_bytes = input_model_data;
    model_compile_options->in_size = input_model_data_size;
    return NULL;
}

OrtStatus *
ort_compile_ModelCompilationOptions_SetInputModel(OrtModelCompilationOptions *model_compile_options,
                                                  const OrtModel *model)
{
    ORT_NEED(model_compile_options);
    ORT_NEED(model);
    clear_input(model_compile_options);
    model_compile_options->in_model = model;
    return NULL;
}

/* ---- output: the last one set is used -------------------------------------------------------- */

static void clear_output(OrtModelCompilationOptions *options)
{
    free(options->out_path);
    options->out_path = NULL;
    options->allocator = NULL;
    options->out_bytes = NULL;
    options->out_size = NULL;
    options->write = NULL;
    options->write_state = NULL;
}

/*
 * OrtCompileApi since version 22: The path is copied; CompileModel replaces an existing file unless
 * a flag forbids it.
 */
OrtStatus *ort_compile_ModelCompilationOptions_SetOutputModelPath(
    OrtModelCompilationOptions *model_compile_options, const char *output_model_path)
{
    char *copy;

    ORT_NEED(model_compile_options);
    ORT_NEED(output_model_path);
    if (!output_model_path[0])
        return ort_fail(ORT_INVALID_ARGUMENT, "the path of the output model is empty");
    copy = strdup(output_model_path);
    if (!copy)
        return ort_no_memory();
    clear_output(model_compile_options);
    model_compile_options->out_path = copy;
    return NULL;
}

/* OrtCompileApi: CompileModel allocates the buffer; the caller frees it with the allocator. */
OrtStatus *ort_compile_ModelCompilationOptions_SetOutputModelBuffer(
    OrtModelCompilationOptions *model_compile_options, OrtAllocator *allocator,
    void **output_model_buffer_ptr, size_t *output_model_buffer_size_ptr)
{
    ORT_NEED(model_compile_options);
    ORT_NEED(allocator);
    ORT_NEED(output_model_buffer_ptr);
    ORT_NEED(output_model_buffer_size_ptr);
    clear_output(model_compile_options);
    model_compile_options->allocator = allocator;
    model_compile_options->out_bytes = output_model_buffer_ptr;
    model_compile_options->out_size = output_model_buffer_size_ptr;
    return NULL;
}

/* OrtCompileApi: Called several times, with consecutive parts of the model. */
OrtStatus *ort_compile_ModelCompilationOptions_SetOutputModelWriteFunc(
    OrtModelCompilationOptions *model_compile_options, OrtWriteBufferFunc write_func, void *state)
{
    ORT_NEED(model_compile_options);
    ORT_NEED(write_func);
    clear_output(model_compile_options);
    model_compile_options->write = write_func;
    model_compile_options->write_state = state;
    return NULL;
}

/* ---- initializers: the last one set is used -------------------------------------------------- */

/*
 * OrtCompileApi since version 22: The path is copied. Initializers of at least the threshold, in
 * bytes, go to the file; the others stay in the model.
 */
OrtStatus *ort_compile_ModelCompilationOptions_SetOutputModelExternalInitializersFile(
    OrtModelCompilationOptions *model_compile_options, const char *external_initializers_file_path,
    size_t external_initializers_size_threshold)
{
    OrtStatus *status;

    ORT_NEED(model_compile_options);
    ORT_NEED(external_initializers_file_path);
    if (!external_initializers_file_path[0])
        return ort_fail(ORT_INVALID_ARGUMENT, "the path of the external initializers is empty");
    status = set_text(&model_compile_options->external_path, external_initializers_file_path);
    if (status)
        return status;
    model_compile_options->threshold = external_initializers_size_threshold;
    model_compile_options->locate = NULL;
    return NULL;
}

/*
 * OrtCompileApi since version 23: CompileModel asks the function for each initializer where it
 * goes; the state must live until then.
 */
OrtStatus *ort_compile_ModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(
    OrtModelCompilationOptions *model_compile_options,
    OrtGetInitializerLocationFunc get_initializer_location_func, void *state)
{
    ORT_NEED(model_compile_options);
    ORT_NEED(get_initializer_location_func);
    free(model_compile_options->external_path);
    model_compile_options->external_path = NULL;
    model_compile_options->locate = get_initializer_location_func;
    model_compile_options->locate_state = state;
    return NULL;
}

/* ---- config entries for providers that compile ----------------------------------------------- */

/* Stores the config entry "0" or "1" in the copy of the session options. */
static OrtStatus *set_switch(OrtModelCompilationOptions *options, const char *key, bool is_on)
{
    return ort_keys_set(&options->options->config, key, is_on ? "1" : "0") ? NULL : ort_no_memory();
}

/* OrtCompileApi since version 22: Kept as "ep.context_embed_mode". */
OrtStatus *ort_compile_ModelCompilationOptions_SetEpContextEmbedMode(
    OrtModelCompilationOptions *model_compile_options, bool embed_ep_context_in_model)
{
    ORT_NEED(model_compile_options);
    return set_switch(model_compile_options, "ep.context_embed_mode", embed_ep_context_in_model);
}

/*
 * OrtCompileApi since version 29: Kept as "ep.enable_weightless"; without effect, as programs here
 * have their weights within.
 */
OrtStatus *ort_compile_ModelCompilationOptions_SetWeightlessEnabled(
    OrtModelCompilationOptions *model_compile_options, bool use_weightless)
{
    ORT_NEED(model_compile_options);
    return set_switch(model_compile_options, "ep.enable_weightless", use_weightless);
}

/* "directory/name.onnx"; NULL: no memory. */
static char *join(const char *directory, const char *name)
{
    size_t size = strlen(directory) + strlen(name) + sizeof "/.onnx";
    char *path = malloc(size);

    if (path)
        snprintf(path, size, "%s/%s.onnx", directory, name);
    return path;
}

/* OrtCompileApi: Where programs go that are not embedded, when the output model is not a file. */
OrtStatus *ort_compile_ModelCompilationOptions_SetEpContextBinaryInformation(
    OrtModelCompilationOptions *model_compile_options, const char *output_directory,
    const char *model_name)
{
    ORT_NEED(model_compile_options);
    ORT_NEED(output_directory);
    ORT_NEED(model_name);
    if (!output_directory[0] || !model_name[0])
        return ort_fail(ORT_INVALID_ARGUMENT, "the %s is empty",
                        output_directory[0] ? "name of the model" : "output directory");
    free(model_compile_options->binary_path);
    model_compile_options->binary_path = join(output_directory, model_name);
    return model_compile_options->binary_path ? NULL : ort_no_memory();
}

OrtStatus *
ort_compile_ModelCompilationOptions_SetFlags(OrtModelCompilationOptions *model_compile_options,
                                             uint32_t flags)
{
    ORT_NEED(model_compile_options);
    model_compile_options->flags = flags;
    return NULL;
}

/*
 * OrtCompileApi since version 23: Overrides the level of the session options. ORT_INVALID_ARGUMENT:
 * no such level.
 */
OrtStatus *ort_compile_ModelCompilationOptions_SetGraphOptimizationLevel(
    OrtModelCompilationOptions *model_compile_options,
    GraphOptimizationLevel graph_optimization_level)
{
    ORT_NEED(model_compile_options);
    return ort_SetSessionGraphOptimizationLevel(model_compile_options->options,
                                                graph_optimization_level);
}

/* ---- compiling ------------------------------------------------------------------------------- */

/*
 * Could a session run the model? ORT_NOT_IMPLEMENTED names the first node that no provider claims.
 */
static OrtStatus *check_plan(const OrtEnv *env, bp_model *model, const OrtSessionOptions *options)
{
    bp_session_options *host_options = NULL;
    bp_report *report = NULL;
    struct ort_err err;
    OrtStatus *status = ort_options_to_host(options, &host_options);

    if (!status)
        status =
            ort_from(bp_plan_create(env->host, model, host_options, &report, ort_err_init(&err)),
                     &err, ORT_MAKING, NULL);
    for (uint32_t i = 0; !status && i < bp_report_node_count(report); i++) {
        bp_report_node node = {.struct_size = sizeof node};

        /* host operators have no provider, but a group */
        if (bp_report_get_node(report, i, &node, NULL) >= 0 && node.provider == BP_NONE &&
            node.group == BP_NONE)
            status = ort_fail(ORT_NOT_IMPLEMENTED,
                              "Could not find an implementation for %s node with name '%s'",
                              node.op, node.name);
    }
    if (!status)
        status = ort_rules_check(report, options);
    bp_report_destroy(report);
    bp_session_options_destroy(host_options);
    return status;
}

/*
 * *out: the model with its programs, or NULL when there are none. Programs of a model that does not
 * go to a file need a place, or go into it.
 */
static OrtStatus *make_programs(const OrtEnv *env, const OrtModelCompilationOptions *options,
                                bp_model *model, const char *out_path, bp_model **out)
{
    const OrtKeyValuePairs *config = &options->options->config;
    const char *path = out_path ? out_path : options->binary_path;
    bp_session_options *host_options = NULL;
    OrtStatus *status = ort_options_to_host(options->options, &host_options);

    if (!status && !path && !ort_keys_is_on(config, "ep.context_embed_mode"))
        path = options->in_path;
    if (!status)
        status = ort_contexts_compile(env, model, config, host_options, path, out);
    bp_session_options_destroy(host_options);
    return status;
}

/* Opens the model, checks that a session could run it, and writes it. */
static OrtStatus *compile(const OrtEnv *env, const OrtModelCompilationOptions *options,
                          const char *out_path)
{
    struct ort_source source = {.path = options->in_path,
                                .bytes = options->in_bytes,
                                .size = options->in_size,
                                .model = options->in_model};
    struct ort_loaded loaded = {0};
    bp_model *compiled = NULL;
    OrtStatus *status = ort_loaded_set(&loaded, &source, options->options);

    if (!status)
        status = ort_loaded_open(&loaded, env);
    if (!status)
        status = check_plan(env, loaded.model, options->options);
    if (!status)
        status = make_programs(env, options, loaded.model, out_path, &compiled);
    if (!status && !compiled && options->flags & OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED)
        status =
            ort_fail(ORT_FAIL, "Unable to compile any nodes. Check that the session EPs support "
                               "compilation and can execute at least one subgraph in the model.");
    if (!status)
        status = ort_compile_write(options, compiled ? compiled : loaded.model, out_path);
    bp_model_close(compiled);
    ort_loaded_finish(&loaded);
    return status;
}

/*
 * *out is a new text; NULL when the model does not go to a file. The default is "<input>_ctx.onnx".
 */
static OrtStatus *choose_path(const OrtModelCompilationOptions *options, char **out)
{
    *out = NULL;
    if (options->out_bytes || options->write)
        return NULL;
    if (!options->out_path && !options->in_path)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "Unable to generate an output model path: require an input model path if "
                        "the location of the output model is not specified.");
    *out = options->out_path ? strdup(options->out_path) : ort_contexts_path(options->in_path);
    if (!*out)
        return ort_no_memory();
    if (options->flags & OrtCompileApiFlags_ERROR_IF_OUTPUT_FILE_EXISTS && access(*out, F_OK) == 0)
        return ort_fail(ORT_FAIL,
                        "Failed to generate EP context model since the file '%s' exist already. "
                        "Please remove the EP context model if you want to re-generate it.",
                        *out);
    return NULL;
}

/*
 * OrtCompileApi: OrtCompileApiFlags_* turn an existing output, or a model without compiled nodes,
 * into ORT_FAIL.
 */
OrtStatus *ort_compile_CompileModel(const OrtEnv *env,
                                    const OrtModelCompilationOptions *model_options)
{
    char *out_path = NULL;
    OrtStatus *status;

    ORT_NEED(env);
    ORT_NEED(model_options);
    if (!model_options->in_path && !model_options->in_bytes && !model_options->in_model)
        return ort_fail(ORT_INVALID_ARGUMENT, "Input model to compile must be loaded from either a "
                                              "file, a memory buffer or an OrtModel");
    status = choose_path(model_options, &out_path);
    if (!status)
        status = compile(env, model_options, out_path);
    free(out_path);
    return status;
}
