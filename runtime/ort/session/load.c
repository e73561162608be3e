/* SPDX-License-Identifier: MIT */
/*
 * load.c - opens the model of a session: from a path, bytes or an OrtModel, with edits and weights.
 *
 * The host borrows names, bytes and tensors, so everything it refers to is kept until the session
 * ends.
 */

#include "config.h"

#include "ort/session/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ort/editor/graph.h"
#include "ort/session/session.h"
#include "ort/status.h"

/* ---- what must outlive the model ------------------------------------------------------------- */

/* Remembers a block to free and a value to release. */
static bool keep(struct ort_loaded *loaded, void *block, OrtValue *value)
{
    struct ort_kept *kept = realloc(loaded->kept, (loaded->n_kept + 1) * sizeof *kept);

    if (!kept)
        return false;
    loaded->kept = kept;
    kept[loaded->n_kept++] = (struct ort_kept){block, value};
    return true;
}

/* A copy that is kept; NULL: no memory. */
static void *keep_copy(struct ort_loaded *loaded, const void *bytes, size_t size)
{
    void *copy = malloc(size > 0 ? size : 1);

    if (copy && !keep(loaded, copy, NULL)) {
        free(copy);
        return NULL;
    }
    if (copy && size > 0)
        memcpy(copy, bytes, size);
    return copy;
}

/*
 * Closes the model; paths, bytes and values stay, because the host's session may still read them.
 */
void ort_loaded_close(struct ort_loaded *loaded)
{
    bp_model_close(loaded->model);
    loaded->model = NULL;
}

void ort_loaded_finish(struct ort_loaded *loaded)
{
    ort_loaded_close(loaded);
    for (size_t i = 0; i < loaded->n_kept; i++) {
        free(loaded->kept[i].block);
        ort_ReleaseValue(loaded->kept[i].value);
    }
    free(loaded->kept);
    free(loaded->weights);
    free(loaded->files);
    free(loaded->edits);
    *loaded = (struct ort_loaded){0};
}

/* ---- weights --------------------------------------------------------------------------------- */

/* An array of the source with space for one more entry. */
static void *grow(void *array, uint32_t n, size_t size)
{
    return realloc(array, (n + (size_t)1) * size);
}

/* Names are copied, tensors borrowed. */
static OrtStatus *add_weight(struct ort_loaded *loaded, const char *name, const bp_tensor *tensor,
                             uint32_t flags)
{
    uint32_t *n = &loaded->source.n_weights;
    bp_model_weight *weights = grow(loaded->weights, *n, sizeof *weights);
    char *copy;

    if (!weights)
        return ort_no_memory();
    loaded->weights = weights;
    copy = keep_copy(loaded, name, strlen(name) + 1);
    if (!copy)
        return ort_no_memory();
    weights[(*n)++] = (bp_model_weight){.name = copy, .tensor = *tensor, .flags = flags};
    return NULL;
}

/* Keeps a reference to the value, and a copy of its data if the application may free that. */
static OrtStatus *add_value(struct ort_loaded *loaded, const char *name, OrtValue *value,
                            uint32_t flags, bool copies)
{
    bp_tensor tensor = value->tensor;

    if (!keep(loaded, NULL, NULL))
        return ort_no_memory();
    loaded->kept[loaded->n_kept - 1].value = ort_value_retain(value);
    if (copies && value->storage == ORT_BORROWED && tensor.bytes > 0) {
        tensor.base = keep_copy(loaded, bp_tensor_data(&tensor), tensor.bytes);
        tensor.offset = 0;
        if (!tensor.base)
            return ort_no_memory();
    }
    return add_weight(loaded, name, &tensor, flags);
}

/* Name and bytes are copied: the application may free them once the session exists. */
static OrtStatus *add_file(struct ort_loaded *loaded, const struct ort_file *file)
{
    uint32_t *n = &loaded->source.n_files;
    bp_model_file *files = grow(loaded->files, *n, sizeof *files);
    void *name;
    void *bytes;

    if (!files)
        return ort_no_memory();
    loaded->files = files;
    name = keep_copy(loaded, file->name, strlen(file->name) + 1);
    bytes = keep_copy(loaded, file->bytes, file->size);
    if (!name || !bytes)
        return ort_no_memory();
    files[(*n)++] = (bp_model_file){.name = name, .bytes = bytes, .size = file->size};
    return NULL;
}

/* AddInitializer ignores unknown names, AddExternalInitializers refuses them. */
static OrtStatus *add_options(struct ort_loaded *loaded, const OrtSessionOptions *options)
{
    const struct ort_weights *weights = &options->weights;
    OrtStatus *status = NULL;

    for (size_t i = 0; i < weights->n_items && !status; i++) {
        const struct ort_weight *weight = &weights->items[i];

        status = add_value(loaded, weight->name, weight->value,
                           weight->is_external ? BP_WEIGHT_EXTERNAL : BP_WEIGHT_IF_ANY,
                           weight->is_external);
    }
    for (size_t i = 0; i < weights->n_files && !status; i++)
        status = add_file(loaded, &weights->files[i]);
    return status;
}

/* The encoded model has no data of initializers: they are weights that refer to the values. */
static OrtStatus *add_initializers(struct ort_loaded *loaded, const OrtGraph *graph)
{
    OrtStatus *status = NULL;

    for (size_t i = 0; i < graph->initializers.n && !status; i++) {
        const OrtValueInfo *info = graph->initializers.items[i];

        status = add_value(loaded, info->name, info->value, 0, false);
    }
    return status;
}

/* ---- the source ------------------------------------------------------------------------------ */

static OrtStatus *set_path(struct ort_loaded *loaded, const char *path)
{
    loaded->source.path = keep_copy(loaded, path, strlen(path) + 1);
    return loaded->source.path ? NULL : ort_no_memory();
}

/* A FlatBuffer has its file identifier at byte 4. */
static bool has_identifier(const void *bytes, size_t size)
{
    return size >= 8 && memcmp((const char *)bytes + 4, "ORTM", 4) == 0;
}

/* Reads 8 bytes of the file. */
static bool is_ort_format(const bp_model_source *source)
{
    char head[8];
    size_t n = 0;
    FILE *file;

    if (!source->path)
        return has_identifier(source->bytes, source->size);
    file = fopen(source->path, "rbe");
    if (file) {
        n = fread(head, 1, sizeof head, file);
        fclose(file);
    }
    return has_identifier(head, n);
}

/*
 * May the session use the application's bytes as long as it lives? Only if both keys are set: with the
 * first alone an application may free the bytes once the session is created.
 */
static bool may_borrow(const void *bytes, size_t size, const OrtSessionOptions *options)
{
    return has_identifier(bytes, size) &&
           ort_keys_is_on(&options->config, "session.use_ort_model_bytes_directly") &&
           ort_keys_is_on(&options->config, "session.use_ort_model_bytes_for_initializers");
}

/* ORT_INVALID_ARGUMENT for no bytes, with ONNX Runtime's sentence. */
static OrtStatus *set_bytes(struct ort_loaded *loaded, const void *bytes, size_t size,
                            const OrtSessionOptions *options)
{
    const char *dir =
        ort_keys_get(&options->config, "session.model_external_initializers_file_folder_path");

    if (!bytes)
        return ort_fail(ORT_INVALID_ARGUMENT, "Model data pointer is null");
    if (size == 0)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "No graph was found in the protobuf. There are no bytes");
    loaded->source.bytes =
        may_borrow(bytes, size, options) ? bytes : keep_copy(loaded, bytes, size);
    loaded->source.size = size;
    if (dir)
        loaded->source.dir = keep_copy(loaded, dir, strlen(dir) + 1);
    return loaded->source.bytes && (loaded->source.dir || !dir) ? NULL : ort_no_memory();
}

/* Encodes an OrtModel; its initializers become weights. */
static OrtStatus *set_model(struct ort_loaded *loaded, const OrtModel *model)
{
    void *bytes = NULL;
    OrtStatus *status;
    size_t size;

    if (!model->graph)
        return ort_fail(ORT_INVALID_ARGUMENT, "the OrtModel has no graph: use AddGraphToModel");
    status = ort_model_encode(model, false, &bytes, &size);
    if (status)
        return status;
    if (!keep(loaded, bytes, NULL)) {
        free(bytes);
        return ort_no_memory();
    }
    loaded->is_built = true;
    loaded->source.bytes = bytes;
    loaded->source.size = size;
    return add_initializers(loaded, model->graph);
}

/* The format key is copied, as options may be released. */
OrtStatus *ort_loaded_set(struct ort_loaded *loaded, const struct ort_source *source,
                          const OrtSessionOptions *options)
{
    OrtStatus *status;

    if (source->path)
        status = set_path(loaded, source->path);
    else if (source->model)
        status = set_model(loaded, source->model);
    else
        status = set_bytes(loaded, source->bytes, source->size, options);
    loaded->format = ort_keys_get(&options->config, "session.load_model_format");
    if (loaded->format) {
        loaded->format = keep_copy(loaded, loaded->format, strlen(loaded->format) + 1);
        if (!loaded->format && !status)
            status = ort_no_memory();
    }
    return status ? status : add_options(loaded, options);
}

/* Encodes an OrtModel as an edit of the model. */
static OrtStatus *add_edit(struct ort_loaded *loaded, const OrtModel *model)
{
    uint32_t *n = &loaded->source.n_edits;
    bp_span *edits = grow(loaded->edits, *n, sizeof *edits);
    void *bytes = NULL;
    OrtStatus *status;
    size_t size;

    if (!edits)
        return ort_no_memory();
    loaded->edits = edits;
    status = ort_model_encode(model, true, &bytes, &size);
    if (status)
        return status;
    if (!keep(loaded, bytes, NULL)) {
        free(bytes);
        return ort_no_memory();
    }
    edits[(*n)++] = (bp_span){bytes, size};
    return add_initializers(loaded, model->graph);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* session.load_model_format: anything but "ORT" is ONNX; unset, the bytes decide. */
static OrtStatus *check_format(const struct ort_loaded *loaded, bool is_ort, const char *prefix)
{
    bool wants_ort = loaded->format && strcmp(loaded->format, "ORT") == 0;

    if (!loaded->format || !loaded->format[0] || loaded->is_built || wants_ort == is_ort)
        return NULL;
    return wants_ort ? ort_fail(ORT_FAIL,
                                "%sORT model verification failed. session.load_model_format is "
                                "ORT, and the model is in another format",
                                prefix)
                     : ort_fail(ORT_INVALID_PROTOBUF,
                                "%sProtobuf parsing failed. session.load_model_format is %s, and "
                                "the model is in ONNX Runtime's own format",
                                prefix, loaded->format);
}

/* ONNX Runtime has different codes for files and bytes without a graph (an empty file is one). */
static OrtStatus *fail_without_graph(const struct ort_err *err, bool is_file, const char *prefix)
{
    return is_file ? ort_fail(ORT_FAIL, "%sModelProto does not have a graph. %s", prefix, err->text)
                   : ort_fail(ORT_INVALID_ARGUMENT, "No graph was found in the protobuf. %s",
                              err->text);
}

/* ORT_FAIL or ORT_NOT_IMPLEMENTED for .ort files, INVALID_PROTOBUF for .onnx. */
static OrtStatus *fail_reading(bp_rc rc, const struct ort_err *err, bool is_ort, const char *prefix,
                               bool is_file)
{
    if (!is_ort && err->err.detail == BP_DETAIL_NO_GRAPH)
        return fail_without_graph(err, is_file, prefix);
    if (is_ort && (rc == BP_E_INVALID || rc == BP_E_VERSION || rc == BP_E_UNSUPPORTED))
        return ort_fail(rc == BP_E_UNSUPPORTED ? ORT_NOT_IMPLEMENTED : ORT_FAIL,
                        "%sORT model verification failed. %s", prefix, err->text);
    return ort_from(rc, err, ORT_READING, prefix);
}

/*
 * ORT_NO_SUCHFILE and ORT_INVALID_ARGUMENT (a directory) are checked here, others come from the
 * host's error.
 */
OrtStatus *ort_loaded_open(struct ort_loaded *loaded, const OrtEnv *env)
{
    bp_model_source *source = &loaded->source;
    const char *path = source->path;
    bp_model *model = NULL;
    struct ort_err err;
    struct stat st;
    char prefix[1024] = "Load model from bytes failed:";
    OrtStatus *status;
    bool is_ort;
    bp_rc rc;

    if (path && access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
        return ort_fail(ORT_NO_SUCHFILE,
                        "Load model from %s failed:Load model %s failed. File doesn't exist", path,
                        path);
    if (path && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return ort_fail(ORT_INVALID_ARGUMENT, "The model path is a directory: %s", path);
    source->struct_size = sizeof *source;
    source->weights = loaded->weights;
    source->files = loaded->files;
    source->edits = loaded->edits;
    if (path)
        snprintf(prefix, sizeof prefix, "Load model from %s failed:", path);
    is_ort = is_ort_format(source);
    status = check_format(loaded, is_ort, prefix);
    if (status)
        return status;
    rc = bp_model_open_source(env->host, source, &model, ort_err_init(&err));
    if (rc < 0 && (loaded->is_built || source->n_edits > 0))
        return ort_from(rc, &err, ORT_MAKING, "The model that was built is not sound: ");
    if (rc < 0)
        return fail_reading(rc, &err, is_ort, prefix, path != NULL);
    ort_loaded_close(loaded);
    loaded->model = model;
    return NULL;
}

OrtStatus *ort_loaded_edit(struct ort_loaded *loaded, const OrtEnv *env, const OrtModel *model)
{
    uint32_t n_edits = loaded->source.n_edits;
    uint32_t n_weights = loaded->source.n_weights;
    OrtStatus *status = add_edit(loaded, model);

    if (!status)
        status = ort_loaded_open(loaded, env);
    if (status) {
        loaded->source.n_edits = n_edits;
        loaded->source.n_weights = n_weights;
    }
    return status;
}
