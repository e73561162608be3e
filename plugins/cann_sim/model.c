/* SPDX-License-Identifier: MIT */
/*
 * model.c - the models of a group: named, found in a file or built, loaded, and kept. A new set of
 * shapes is a new model, and each takes device memory until the program goes, as with the vendor's.
 */

#define _GNU_SOURCE /* pthread, as C11 alone hides it */

#include "model.h"

#include <pthread.h>

/* The models of one program, by the shapes that they were built for. */
struct bp_cann_models {
    pthread_mutex_t lock; /* one model is built at a time */
    uint64_t digest;      /* that is in the name */
    char name[64];        /* the fused node's: files have it before their extension */
    struct bp_cann_model *first;
};

/* ---- text ----------------------------------------------------------------------------------- */

static void log_line(const bp_program *program, uint32_t level, const char *fmt, ...)
    BP_PRINTF(3, 4);
static void log_line(const bp_program *program, uint32_t level, const char *fmt, ...)
{
    const bp_host *host = &program->instance->host;
    char text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    host->log(host->h, level, "cann", text);
}

/* "name:2,3;scalar": what the vendor's provider tells sets of shapes apart by. False: no memory. */
static bool write_shapes(const struct bp_cann_build *b, struct bp_cann_buffer *out)
{
    char number[24];

    *out = (struct bp_cann_buffer){.instance = b->instance};
    for (uint32_t i = 0; i < b->graph->n_inputs; i++) {
        uint32_t v = b->graph->inputs[i];
        const struct bp_cann_tensor *tensor = &b->values[v];
        const char *name = BP_VALUE(b->graph, v)->name;

        bp_cann_append(out, ";", i > 0);
        bp_cann_append(out, name, strlen(name));
        for (int d = 0; d < tensor->rank; d++) {
            int n = snprintf(number, sizeof number, "%c%lld", d ? ',' : ':',
                             (long long)tensor->dims[d]);

            bp_cann_append(out, number, (size_t)n);
        }
    }
    return !out->failed;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* What fails here is a warning: the file is for people to look at. */
static void dump_graph(const bp_program *program)
{
    struct bp_cann_buffer onnx;
    char path[96], text[256] = "";
    bp_err err = {.struct_size = sizeof err, .msg = text, .msg_cap = sizeof text};
    bool is_written = false;
    FILE *file;

    if (bp_cann_write_onnx(program, program->models->name, true, &onnx, &err) < 0) {
        log_line(program, BP_LOG_WARN, "dump_graphs: %s", text);
        return;
    }
    snprintf(path, sizeof path, "%s.onnx", program->models->name);
    file = fopen(path, "wb");
    if (file) {
        is_written = fwrite(onnx.data, 1, onnx.size, file) == onnx.size;
        is_written = fclose(file) == 0 && is_written;
    }
    if (!is_written)
        log_line(program, BP_LOG_WARN, "dump_graphs: %s cannot be written", path);
    bp_cann_buffer_free(&onnx);
}

/* What fails here is a warning: the next process builds it again. */
static void dump_model(const bp_program *program, const char *path, const void *bytes, size_t size)
{
    const struct bp_cann_driver *driver = program->instance->driver;

    if (driver->builder.bp_ascend_model_save(path, bytes, size) == ACL_SUCCESS)
        return;
    driver->acl.aclGetRecentErrMsg(); /* consumed: the warning below replaces it */
    log_line(program, BP_LOG_WARN,
             "dump_om_model: %s cannot be written; the model is used as it is", path);
}

/* ---- ends ------------------------------------------------------------------------------------ */

/*
 * Has the model an input (or output) of the right bytes for each of the values, in order? Values
 * without elements have none.
 */
static bool sizes_match(const struct bp_cann_build *b, const uint32_t *values, uint32_t n,
                        aclmdlDesc *desc, size_t (*size_at)(aclmdlDesc *, size_t), size_t n_tensors)
{
    size_t at = 0;

    for (uint32_t i = 0; i < n; i++) {
        size_t bytes = bp_cann_bytes(&b->values[values[i]]);

        if (bytes > 0 && (at >= n_tensors || size_at(desc, at++) != bytes))
            return false;
    }
    return at == n_tensors;
}

/*
 * Does a model of a file take and give what the group does? Its name says so, but files can be
 * renamed.
 */
static bool fits(const struct bp_cann_build *b, uint32_t id)
{
    const struct bp_cann_driver *driver = b->instance->driver;
    aclmdlDesc *desc = driver->acl.aclmdlCreateDesc();
    bool ok =
        desc && driver->acl.aclmdlGetDesc(desc, id) == ACL_SUCCESS &&
        sizes_match(b, b->graph->inputs, b->graph->n_inputs, desc,
                    driver->acl.aclmdlGetInputSizeByIndex, driver->acl.aclmdlGetNumInputs(desc)) &&
        sizes_match(b, b->graph->outputs, b->graph->n_outputs, desc,
                    driver->acl.aclmdlGetOutputSizeByIndex, driver->acl.aclmdlGetNumOutputs(desc));

    if (desc)
        driver->acl.aclmdlDestroyDesc(desc);
    return ok;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* All bytes of a file; false: it cannot be read, or there is no memory, and *out is empty. */
static bool read_all(FILE *file, struct bp_cann_buffer *out)
{
    char piece[4096];
    size_t n;

    while ((n = fread(piece, 1, sizeof piece, file)) > 0)
        bp_cann_append(out, piece, n);
    if (!ferror(file) && !out->failed && out->size > 0)
        return true;
    bp_cann_buffer_free(out);
    return false;
}

/* The device memory of what was loaded, whose sizes were asked for; what ACL does not say is 0. */
static void count_model(const bp_program *program, struct bp_cann_model *model, aclError code,
                        size_t work, size_t weights)
{
    if (code != ACL_SUCCESS) {
        program->instance->driver->acl.aclGetRecentErrMsg(); /* consumed */
        return;
    }
    model->device_bytes = (uint64_t)work + weights;
}

/* Loads a model's bytes. */
static aclError load_bytes(const bp_program *program, const void *bytes, size_t size,
                           struct bp_cann_model *model)
{
    const struct bp_cann_driver *driver = program->instance->driver;
    size_t work = 0, weights = 0;
    aclError code = driver->acl.aclmdlLoadFromMem(bytes, size, &model->id);

    if (code == ACL_SUCCESS)
        count_model(program, model,
                    driver->acl.aclmdlQuerySizeFromMem(bytes, size, &work, &weights), work,
                    weights);
    return code;
}

static aclError load_path(const bp_program *program, const char *path, struct bp_cann_model *model)
{
    const struct bp_cann_driver *driver = program->instance->driver;
    size_t work = 0, weights = 0;
    aclError code = driver->acl.aclmdlLoadFromFile(path, &model->id);

    if (code == ACL_SUCCESS)
        count_model(program, model, driver->acl.aclmdlQuerySize(path, &work, &weights), work,
                    weights);
    return code;
}

/*
 * What an earlier process left, and its bytes where they are to be saved; false: there is no file,
 * or it cannot be used. The vendor's provider fails on a file that is spoilt: this one builds.
 */
static bool load_file(const bp_program *program, const struct bp_cann_build *b, const char *path,
                      struct bp_cann_model *model)
{
    const struct bp_cann_driver *driver = program->instance->driver;
    struct bp_cann_buffer *kept = &model->bytes;
    FILE *file = fopen(path, "rb");
    const char *text;
    aclError code;

    if (!file)
        return false;
    if (program->keeps_bytes && read_all(file, kept))
        code = load_bytes(program, kept->data, kept->size, model);
    else
        code = load_path(program, path, model);
    fclose(file);
    if (code == ACL_SUCCESS && fits(b, model->id))
        return true;
    bp_cann_buffer_free(kept);
    if (code == ACL_SUCCESS)
        driver->acl.aclmdlUnload(model->id);
    text = driver->acl.aclGetRecentErrMsg();
    log_line(program, BP_LOG_WARN, "%s is not used, but built anew: %s", path,
             text ? text : "it has other inputs or outputs");
    return false;
}

/*
 * Builds and loads; the file is written for later processes, and not read back. Where the bytes are
 * to be saved, the model keeps them; without memory for them they stay failed.
 */
static bp_rc build(const bp_program *program, const struct bp_cann_build *b, const char *path,
                   struct bp_cann_model *model, bp_err *err)
{
    const struct bp_cann_driver *driver = program->instance->driver;
    void *bytes = NULL;
    size_t size = 0;
    aclError code;
    bp_rc rc = bp_cann_lower(program, b, program->models->name, &bytes, &size, err);

    if (rc < 0)
        return rc;
    if (program->instance->dumps_models)
        dump_model(program, path, bytes, size);
    code = load_bytes(program, bytes, size, model);
    if (code != ACL_SUCCESS)
        rc = bp_cann_fail(driver, err, code, "loading the model %s", program->models->name);
    if (rc >= 0 && program->keeps_bytes)
        bp_cann_append(&model->bytes, bytes, size);
    driver->builder.bp_ascend_model_free(bytes);
    return rc;
}

/* [models->lock, or a program that no frame uses yet] */
static void add_model(bp_program *program, struct bp_cann_model *model)
{
    model->next = program->models->first;
    program->models->first = model;
    atomic_fetch_add(&program->instance->weight_bytes, model->device_bytes);
}

/*
 * Finds or builds the model for these shapes, and keeps it. Takes `shapes` over, also when it
 * fails. [models->lock]
 */
static bp_rc make(bp_program *program, const struct bp_cann_build *b, struct bp_cann_buffer *shapes,
                  const struct bp_cann_model **out, bp_err *err)
{
    struct bp_cann_models *models = program->models;
    struct bp_cann_model *model = bp_cann_calloc(program->instance, 1, sizeof *model);
    char path[128];
    bp_rc rc = BP_OK;

    if (!model) {
        bp_cann_buffer_free(shapes);
        return bp_fail(err, BP_E_NOMEM, "cann: no memory for a model");
    }
    model->bytes = (struct bp_cann_buffer){.instance = program->instance};
    snprintf(path, sizeof path, "%s_%llu.om", models->name,
             (unsigned long long)bp_cann_digest(shapes->data, shapes->size));
    if (!load_file(program, b, path, model))
        rc = build(program, b, path, model, err);
    if (rc < 0) {
        bp_cann_buffer_free(&model->bytes);
        bp_cann_buffer_free(shapes);
        bp_cann_free(program->instance, model, 1, sizeof *model);
        return rc;
    }
    model->shapes = *shapes;
    add_model(program, model);
    *out = model;
    return BP_OK;
}

/* Says whether the model is for these shapes; a model of others is not even loaded. */
static bp_rc check_shapes(const struct bp_cann_build *b, bp_span shapes, struct bp_cann_buffer *own,
                          bp_err *err)
{
    if (!write_shapes(b, own))
        return bp_fail(err, BP_E_NOMEM, "cann: no memory for the name of a model");
    if (own->size != shapes.size || memcmp(own->data, shapes.data, shapes.size) != 0)
        return bp_fail(err, BP_E_STALE, "cann: the saved model is for other shapes");
    return BP_OK;
}

bp_rc bp_cann_model_load(bp_program *program, const struct bp_cann_build *b, bp_span shapes,
                         bp_span bytes, bp_err *err)
{
    const struct bp_cann_driver *driver = program->instance->driver;
    struct bp_cann_model *model = bp_cann_calloc(program->instance, 1, sizeof *model);
    aclError code;
    bp_rc rc;

    if (!model)
        return bp_fail(err, BP_E_NOMEM, "cann: no memory for a model");
    model->bytes = (struct bp_cann_buffer){.instance = program->instance};
    rc = check_shapes(b, shapes, &model->shapes, err);
    if (rc >= 0) {
        code = load_bytes(program, bytes.data, bytes.size, model);
        if (code != ACL_SUCCESS) {
            (void)bp_cann_fail(driver, err, code, "loading a saved model");
            rc = BP_E_STALE;
        } else if (!fits(b, model->id)) {
            driver->acl.aclmdlUnload(model->id);
            rc = bp_fail(err, BP_E_STALE, "cann: the saved model has other inputs or outputs");
        }
    }
    if (rc < 0) {
        bp_cann_buffer_free(&model->shapes);
        bp_cann_free(program->instance, model, 1, sizeof *model);
        return rc;
    }
    add_model(program, model);
    return BP_OK;
}

/* By then the host has saved what it wanted to. */
void bp_cann_models_saved(bp_program *program)
{
    if (!program->keeps_bytes)
        return;
    pthread_mutex_lock(&program->models->lock);
    for (struct bp_cann_model *model = program->models->first; model; model = model->next)
        bp_cann_buffer_free(&model->bytes);
    program->keeps_bytes = false;
    pthread_mutex_unlock(&program->models->lock);
}

const struct bp_cann_model *bp_cann_models_first(const bp_program *program)
{
    return program->models->first;
}

uint64_t bp_cann_models_digest(const bp_program *program)
{
    return program->models->digest;
}

/*
 * Building is slow, and another thread that wants the same model waits for it: better than building
 * it twice.
 */
bp_rc bp_cann_model_get(bp_program *program, const struct bp_cann_build *b,
                        const struct bp_cann_model **out, bp_err *err)
{
    struct bp_cann_buffer shapes;
    bp_rc rc = BP_OK;

    *out = NULL;
    if (!b->steps && !program->is_context)
        return BP_OK; /* everything is empty */
    if (!write_shapes(b, &shapes)) {
        bp_cann_buffer_free(&shapes);
        return bp_fail(err, BP_E_NOMEM, "cann: no memory for the name of a model");
    }
    pthread_mutex_lock(&program->models->lock);
    for (*out = program->models->first; *out; *out = (*out)->next) {
        if ((*out)->shapes.size == shapes.size &&
            memcmp((*out)->shapes.data, shapes.data, shapes.size) == 0)
            break;
    }
    if (!*out && program->is_context)
        rc = bp_fail(err, BP_E_SHAPE,
                     "cann: the program out of the model is for inputs %.*s, not %.*s",
                     (int)program->models->first->shapes.size, program->models->first->shapes.data,
                     (int)shapes.size, shapes.data);
    if (*out || rc < 0)
        bp_cann_buffer_free(&shapes);
    else
        rc = make(program, b, &shapes, out, err);
    pthread_mutex_unlock(&program->models->lock);
    return rc;
}

/* ---- of a program ---------------------------------------------------------------------------- */

/* A hash of what is in the group and how it is compiled, so that no file is taken for another's. */
static bp_rc name_group(bp_program *program, uint64_t *digest, bp_err *err)
{
    struct bp_cann_buffer text;
    bp_rc rc = bp_cann_write_onnx(program, "", false, &text, err);

    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < BP_CANN_SET_QUEUE; i++)
        bp_cann_append(&text, program->instance->settings[i],
                       strlen(program->instance->settings[i]) + 1);
    if (text.failed)
        rc = bp_fail(err, BP_E_NOMEM, "cann: no memory for the name of a group");
    else
        *digest = bp_cann_digest(text.data, text.size);
    bp_cann_buffer_free(&text);
    return rc;
}

/* The number after the hash tells equal groups of a session apart. */
bp_rc bp_cann_models_create(bp_program *program, bp_err *err)
{
    bp_instance *instance = program->instance;
    struct bp_cann_models *models;
    uint64_t digest = 0;
    bp_rc rc = program->is_context ? BP_OK : name_group(program, &digest, err);

    if (rc < 0)
        return rc;
    models = bp_cann_calloc(instance, 1, sizeof *models);
    if (!models)
        return bp_fail(err, BP_E_NOMEM, "cann: no memory for the models of a group");
    pthread_mutex_init(&models->lock, NULL);
    snprintf(models->name, sizeof models->name, "graph_%llu_%u", (unsigned long long)digest,
             (unsigned)atomic_fetch_add(&instance->n_groups, 1));
    models->digest = digest;
    program->models = models;
    if (instance->dumps_graphs && !program->is_context)
        dump_graph(program);
    return BP_OK;
}

/* Frames are gone by then. */
void bp_cann_models_free(bp_program *program)
{
    struct bp_cann_models *models = program->models;

    if (!models)
        return;
    (void)bp_cann_enter(program->instance, NULL); /* a lost device still unloads */
    while (models->first) {
        struct bp_cann_model *model = models->first;

        program->instance->driver->acl.aclmdlUnload(model->id);
        atomic_fetch_sub(&program->instance->weight_bytes, model->device_bytes);
        models->first = model->next;
        bp_cann_buffer_free(&model->shapes);
        bp_cann_buffer_free(&model->bytes);
        bp_cann_free(program->instance, model, 1, sizeof *model);
    }
    pthread_mutex_destroy(&models->lock);
    bp_cann_free(program->instance, models, 1, sizeof *models);
}
