/* SPDX-License-Identifier: MIT */
/*
 * write.c - writes a model to a file, to memory or to the application's callback.
 *
 * Files are written under a temporary name and renamed, because the file that they replace may be the
 * input, which is mapped; and a failure leaves no half file.
 */

#include "config.h"

#include <bp/sdk.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ort/compile/compile.h"
#include "ort/guarded.h"
#include "ort/session/session.h"
#include "ort/status.h"
#include "text/whole_file.h"

/*
 * Initializers are contiguous, as ONNX Runtime writes them (programs compare the bytes); those of
 * LARGE bytes or more are page-aligned, so that a mapping of the file can be used in place.
 */
enum { PAGE = 4096, LARGE = 1 << 20 };

/* A file that is written under a temporary name. */
struct pending {
    struct whole_file whole;
    const char *path; /* as the application gave it; NULL: not begun */
};

/* The writing of one model; unused members are zero. */
struct output {
    const OrtModelCompilationOptions *options;
    const char *out_path; /* NULL: not to a file */
    struct pending model, weights;
    char *bytes; /* from the caller's allocator */
    size_t capacity, used;
    char *external_path; /* the file of initializers, and its name in the model: */
    const char *external_name;
    OrtExternalInitializerInfo *placed; /* by the application; for its path */
    OrtStatus *status;                  /* of a function of the application that failed */
};

/* ---- files ----------------------------------------------------------------------------------- */

static bp_rc fail(bp_err *err, const char *path)
{
    return bp_fail(err, BP_E_IO, "cannot write %s: %s", path, strerror(errno));
}

static bp_rc begin_file(struct pending *pending, const char *path, bp_err *err)
{
    pending->path = path;
    return whole_file_begin(&pending->whole, path) ? BP_OK : fail(err, path);
}

static bp_rc write_file(struct pending *pending, const void *bytes, size_t size, bp_err *err)
{
    return whole_file_write(&pending->whole, bytes, size) ? BP_OK : fail(err, pending->path);
}

static bp_rc end_file(struct pending *pending, bp_err *err)
{
    return whole_file_end(&pending->whole) ? BP_OK : fail(err, pending->path);
}

static bp_rc name_file(struct pending *pending, bp_err *err)
{
    return whole_file_name(&pending->whole) ? BP_OK : fail(err, pending->path);
}

/* ---- where initializers go ------------------------------------------------------------------- */

static uint64_t align_up(uint64_t offset, uint64_t align)
{
    return (offset + align - 1) / align * align;
}

/* The file is created with the first weight, so a model without large ones makes none. */
static bp_rc write_weight(struct output *output, const bp_weight_info *weight, uint64_t *offset,
                          bp_err *err)
{
    static const char zeroes[PAGE];
    struct pending *pending = &output->weights;
    const bp_tensor *tensor = &weight->tensor;
    bp_rc rc = pending->path ? BP_OK : begin_file(pending, output->external_path, err);

    *offset = align_up(pending->whole.size, tensor->bytes >= LARGE ? PAGE : 1);
    if (rc >= 0)
        rc = write_file(pending, zeroes, (size_t)(*offset - pending->whole.size), err);
    return rc < 0 ? rc : write_file(pending, tensor->base, tensor->bytes, err);
}

/* The application gets an aligned copy: the model's bytes may have any address. */
static OrtStatus *make_value(const bp_tensor *tensor, OrtValue **out)
{
    OrtStatus *status = ort_CreateTensorAsOrtValue(ort_default_allocator(), tensor->dims,
                                                   tensor->rank, ort_dtype(tensor->dtype), out);

    if (!status && tensor->bytes > 0)
        memcpy((*out)->tensor.base, tensor->base, tensor->bytes);
    return status;
}

struct location {
    struct output *output;
    const char *name;
    const OrtValue *value;
    const OrtExternalInitializerInfo *before;
    OrtStatus *status;
};

/* The application's function may throw, so it runs under bp_guard(). */
static void run_locate(void *u)
{
    struct location *location = u;
    struct output *output = location->output;

    location->status = output->options->locate(output->options->locate_state, location->name,
                                               location->value, location->before, &output->placed);
}

/* OrtGetInitializerLocationFunc; an exception is ORT_RUNTIME_EXCEPTION. */
static OrtStatus *ask_location(struct output *output, const char *name, const OrtValue *value,
                               const OrtExternalInitializerInfo *before)
{
    struct location location = {output, name, value, before, NULL};
    struct bp_thrown thrown;

    if (!bp_guard(run_locate, &location, &thrown))
        return ort_thrown_as(ORT_RUNTIME_EXCEPTION, &thrown,
                             "the function that says where initializers are");
    return location.status;
}

/* The size in the answer must be the initializer's. */
static OrtStatus *call_locate(struct output *output, const bp_weight_info *weight,
                              OrtExternalInitializerInfo *before)
{
    OrtValue *value = NULL;
    OrtStatus *status = make_value(&weight->tensor, &value);

    if (!status)
        status = ask_location(output, weight->name, value, before);
    ort_ReleaseValue(value);
    if (!status && output->placed &&
        ort_ExternalInitializerInfo_GetByteSize(output->placed) != weight->tensor.bytes)
        status = ort_fail(ORT_INVALID_ARGUMENT,
                          "initializer '%s' has %zu bytes, its new location is said to have %zu",
                          weight->name, weight->tensor.bytes,
                          ort_ExternalInitializerInfo_GetByteSize(output->placed));
    return status;
}

/* The application's status is kept in output->status: it replaces the host's error. */
static bp_rc locate(struct output *output, const bp_weight_info *weight, const char **file,
                    uint64_t *offset)
{
    OrtExternalInitializerInfo *before = NULL;
    OrtStatus *status = NULL;

    ort_ReleaseExternalInitializerInfo(output->placed);
    output->placed = NULL;
    if (weight->file)
        status = ort_CreateExternalInitializerInfo(weight->file, (int64_t)weight->offset,
                                                   weight->tensor.bytes, &before);
    if (!status)
        status = call_locate(output, weight, before);
    ort_ReleaseExternalInitializerInfo(before);
    output->status = status;
    if (status)
        return BP_E_INVALID;
    if (!output->placed)
        return BP_OK;
    *file = ort_ExternalInitializerInfo_GetFilePath(output->placed);
    *offset = (uint64_t)ort_ExternalInitializerInfo_GetFileOffset(output->placed);
    return BP_OK;
}

/* bp_model_sink.place: small initializers stay in the model. */
static bp_rc place(void *user, const bp_weight_info *weight, const char **file, uint64_t *offset,
                   bp_err *err)
{
    struct output *output = user;

    if (output->options->locate)
        return locate(output, weight, file, offset);
    if (!output->external_path || weight->tensor.bytes < output->options->threshold)
        return BP_OK;
    *file = output->external_name;
    return write_weight(output, weight, offset, err);
}

/* ---- the model ------------------------------------------------------------------------------- */

/* bp_model_sink.begin: the size of the model is known before its first byte. */
static bp_rc begin(void *user, uint64_t size, bp_err *err)
{
    struct output *output = user;
    const OrtModelCompilationOptions *options = output->options;

    if (output->out_path)
        return begin_file(&output->model, output->out_path, err);
    if (!options->out_bytes)
        return BP_OK;
    output->bytes = ort_alloc(options->allocator, (size_t)size);
    output->capacity = (size_t)size;
    return output->bytes ? BP_OK : BP_E_NOMEM;
}

struct part {
    const OrtModelCompilationOptions *options;
    const void *bytes;
    size_t size;
    OrtStatus *status;
};

/* Under bp_guard(), too. */
static void run_write(void *u)
{
    struct part *part = u;

    part->status = part->options->write(part->options->write_state, part->bytes, part->size);
}

/* OrtWriteBufferFunc; an exception is ORT_RUNTIME_EXCEPTION. */
static OrtStatus *write_out(const OrtModelCompilationOptions *options, const void *bytes,
                            size_t size)
{
    struct part part = {options, bytes, size, NULL};
    struct bp_thrown thrown;

    if (!bp_guard(run_write, &part, &thrown))
        return ort_thrown_as(ORT_RUNTIME_EXCEPTION, &thrown, "the function that writes the model");
    return part.status;
}

/* bp_model_sink.write. */
static bp_rc write_part(void *user, const void *bytes, size_t size, bp_err *err)
{
    struct output *output = user;
    const OrtModelCompilationOptions *options = output->options;

    if (output->out_path)
        return write_file(&output->model, bytes, size, err);
    if (options->write) {
        output->status = write_out(options, bytes, size);
        return output->status ? BP_E_IO : BP_OK;
    }
    if (size > output->capacity - output->used)
        return BP_E_INTERNAL;
    memcpy(output->bytes + output->used, bytes, size);
    output->used += size;
    return BP_OK;
}

/*
 * The model names the file relative to its own directory, as ONNX requires; a model in memory gets
 * the last component.
 */
static OrtStatus *name_external(struct output *output)
{
    const char *given = output->options->external_path;
    const char *slash = output->out_path ? strrchr(output->out_path, '/') : NULL;
    size_t n = slash ? (size_t)(slash - output->out_path) + 1 : 0;
    size_t size = n + strlen(given) + 1;
    const char *last = strrchr(given, '/');

    output->external_name = given;
    if (given[0] != '/') {
        output->external_path = malloc(size);
        if (output->external_path)
            snprintf(output->external_path, size, "%.*s%s", (int)n, slash ? output->out_path : "",
                     given);
    } else {
        output->external_path = strdup(given);
        if (output->out_path && (n == 0 || strncmp(given, output->out_path, n) != 0))
            return ort_fail(ORT_INVALID_ARGUMENT,
                            "the file of external initializers %s is not in the folder of the "
                            "output model %s, or below: a model cannot name it",
                            given, output->out_path);
        output->external_name = output->out_path ? given + n : last + 1;
    }
    return output->external_path ? NULL : ort_no_memory();
}

/* Both files are complete before either is renamed. */
static OrtStatus *write_model(struct output *output, const bp_model *model)
{
    bp_model_sink sink = {.struct_size = sizeof sink,
                          .format = output->options->format,
                          .user = output,
                          .place = place,
                          .begin = begin,
                          .write = write_part};
    struct ort_err err;
    bp_rc rc = bp_model_save(model, &sink, ort_err_init(&err));

    if (rc >= 0)
        rc = end_file(&output->weights, &err.err);
    if (rc >= 0)
        rc = end_file(&output->model, &err.err);
    if (rc >= 0)
        rc = name_file(&output->weights, &err.err);
    if (rc >= 0)
        rc = name_file(&output->model, &err.err);
    return output->status ? output->status : ort_from(rc, &err, ORT_OTHER, NULL);
}

OrtStatus *ort_compile_write(const OrtModelCompilationOptions *options, const bp_model *model,
                             const char *out_path)
{
    struct output output = {.options = options, .out_path = out_path};
    OrtStatus *status = options->external_path ? name_external(&output) : NULL;

    if (!status)
        status = write_model(&output, model);
    if (!status && options->out_bytes) {
        *options->out_bytes = output.bytes;
        *options->out_size = output.used;
        output.bytes = NULL;
    }
    if (output.bytes)
        ort_free(options->allocator, output.bytes);
    whole_file_drop(&output.model.whole);
    whole_file_drop(&output.weights.whole);
    ort_ReleaseExternalInitializerInfo(output.placed);
    free(output.external_path);
    return status;
}

/* ---- optimized models ------------------------------------------------------------------------ */

/*
 * session.save_model_format: anything but "ORT" is ONNX; without it the extension ".ort" decides.
 */
static bool wants_ort_format(const OrtSessionOptions *options)
{
    const char *format = ort_keys_get(&options->config, "session.save_model_format");
    const char *dot = strrchr(options->optimized_path, '.');

    return format ? strcmp(format, "ORT") == 0 : dot && strcmp(dot, ".ort") == 0;
}

OrtStatus *ort_optimized_make(const OrtSessionOptions *options, const OrtEnv *env, bp_model *model,
                              const bp_session_options *host_options, bp_model **out)
{
    bp_model_info info = {.struct_size = sizeof info};
    struct ort_err err;
    bp_rc rc;

    *out = NULL;
    if (!options->optimized_path || !options->optimized_path[0])
        return NULL;
    rc = bp_model_get_info(model, &info, ort_err_init(&err));
    if (rc >= 0)
        rc = bp_model_optimize(env->host, model, host_options,
                               info.ir_version > 3 ? BP_OPTIMIZE_KEEP_DEFAULTS : 0, out, NULL,
                               &err.err);
    return ort_from(rc, &err, ORT_OTHER, NULL);
}

OrtStatus *ort_optimized_write(const OrtSessionOptions *options, const bp_model *model)
{
    const OrtKeyValuePairs *config = &options->config;
    const char *file =
        ort_keys_get(config, "session.optimized_model_external_initializers_file_name");
    const char *least =
        ort_keys_get(config, "session.optimized_model_external_initializers_min_size_in_bytes");
    OrtModelCompilationOptions how = {.threshold = least ? strtoull(least, NULL, 10) : 0};
    OrtStatus *status;

    if (!model)
        return NULL;
    how.format = wants_ort_format(options) ? BP_MODEL_FORMAT_ORT : BP_MODEL_FORMAT_ONNX;
    if (file && file[0] && how.format == BP_MODEL_FORMAT_ONNX) {
        how.external_path = strdup(file);
        if (!how.external_path)
            return ort_no_memory();
    }
    status = ort_compile_write(&how, model, options->optimized_path);
    free(how.external_path);
    return status;
}
