/* SPDX-License-Identifier: MIT */
/*
 * initializers.c - AddInitializer, AddExternalInitializers,
 * AddExternalInitializersFromFilesInMemory: weights that session options give a model.
 */

#include "config.h"

#include "ort/session/initializers.h"

#include <stdlib.h>
#include <string.h>

#include "ort/session/options.h"
#include "ort/status.h"

/* ---- the list -------------------------------------------------------------------------------- */

/* Adds a reference; the const is the slot's. */
static OrtValue *share(const OrtValue *value)
{
    union {
        const OrtValue *given;
        OrtValue *counted;
    } shared = {value};

    return ort_value_retain(shared.counted);
}

static bool add_weight(struct ort_weights *weights, const char *name, const OrtValue *value,
                       bool is_external)
{
    struct ort_weight *items = realloc(weights->items, (weights->n_items + 1) * sizeof *items);
    struct ort_weight item = {.is_external = is_external};

    if (!items)
        return false;
    weights->items = items;
    item.name = strdup(name);
    if (!item.name)
        return false;
    item.value = share(value);
    items[weights->n_items++] = item;
    return true;
}

static bool add_file(struct ort_weights *weights, const char *name, const char *bytes, size_t size)
{
    struct ort_file *files = realloc(weights->files, (weights->n_files + 1) * sizeof *files);
    struct ort_file file = {.bytes = bytes, .size = size};

    if (!files)
        return false;
    weights->files = files;
    file.name = strdup(name);
    if (!file.name)
        return false;
    files[weights->n_files++] = file;
    return true;
}

bool ort_weights_copy(struct ort_weights *to, const struct ort_weights *from)
{
    bool ok = true;

    for (size_t i = 0; i < from->n_items && ok; i++)
        ok = add_weight(to, from->items[i].name, from->items[i].value, from->items[i].is_external);
    for (size_t i = 0; i < from->n_files && ok; i++)
        ok = add_file(to, from->files[i].name, from->files[i].bytes, from->files[i].size);
    return ok;
}

/* Removes the last entries down to these counts: a failed call leaves the list as it was. */
static void shrink(struct ort_weights *weights, size_t n_items, size_t n_files)
{
    while (weights->n_items > n_items) {
        weights->n_items--;
        free(weights->items[weights->n_items].name);
        ort_ReleaseValue(weights->items[weights->n_items].value);
    }
    while (weights->n_files > n_files)
        free(weights->files[--weights->n_files].name);
}

void ort_weights_finish(struct ort_weights *weights)
{
    shrink(weights, 0, 0);
    free(weights->items);
    free(weights->files);
    *weights = (struct ort_weights){0};
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* ORT_INVALID_ARGUMENT: no name, no tensor, or a name that was added before. */
static OrtStatus *check_weight(const struct ort_weights *weights, const char *name,
                               const OrtValue *value, bool is_external)
{
    if (!name || !name[0])
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "an initializer needs a name, not an empty one or a null pointer");
    if (!value)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "initializer '%s': the OrtValue is NULL, a null pointer", name);
    if (value->kind != ONNX_TYPE_TENSOR || !value->has_value)
        return ort_fail(ORT_INVALID_ARGUMENT, "initializer '%s': only tensors are supported", name);
    for (size_t i = 0; i < weights->n_items; i++) {
        if (weights->items[i].is_external == is_external &&
            strcmp(weights->items[i].name, name) == 0)
            return ort_fail(ORT_INVALID_ARGUMENT,
                            "An OrtValue for this name has already been added: %s", name);
    }
    return NULL;
}

/*
 * OrtApi since version 6: The value is shared: its memory must stay valid as long as the sessions.
 */
OrtStatus *ort_AddInitializer(OrtSessionOptions *options, const char *name, const OrtValue *val)
{
    OrtStatus *status;

    ORT_NEED(options);
    status = check_weight(&options->weights, name, val, false);
    if (status)
        return status;
    return add_weight(&options->weights, name, val, false) ? NULL : ort_no_memory();
}

/* OrtApi since version 12: All of them or none. */
OrtStatus *ort_AddExternalInitializers(OrtSessionOptions *options,
                                       const char *const *initializer_names,
                                       const OrtValue *const *initializers, size_t num_initializers)
{
    struct ort_weights *weights;
    OrtStatus *status = NULL;
    size_t before;

    ORT_NEED(options);
    if (num_initializers > 0) {
        ORT_NEED(initializer_names);
        ORT_NEED(initializers);
    }
    weights = &options->weights;
    before = weights->n_items;
    for (size_t i = 0; i < num_initializers && !status; i++) {
        status = check_weight(weights, initializer_names[i], initializers[i], true);
        if (!status && !add_weight(weights, initializer_names[i], initializers[i], true))
            status = ort_no_memory();
    }
    if (status)
        shrink(weights, before, weights->n_files);
    return status;
}

static OrtStatus *check_file(const struct ort_weights *weights, const char *name, const char *bytes,
                             size_t size)
{
    if (!name || !name[0])
        return ort_fail(ORT_INVALID_ARGUMENT, "a file in memory needs a name");
    if (!bytes || size == 0)
        return ort_fail(ORT_INVALID_ARGUMENT, "file '%s' in memory has no bytes", name);
    for (size_t i = 0; i < weights->n_files; i++) {
        if (strcmp(weights->files[i].name, name) == 0)
            return ort_fail(ORT_INVALID_ARGUMENT, "A file of this name has already been added: %s",
                            name);
    }
    return NULL;
}

/* The file's name without a leading "./", or ".\\" as programs on Windows write it. */
static const char *without_here(const char *name)
{
    return name && name[0] == '.' && (name[1] == '/' || name[1] == '\\') ? name + 2 : name;
}

/*
 * OrtApi since version 18: All of them or none. The buffers are borrowed until a session was
 * created.
 */
OrtStatus *ort_AddExternalInitializersFromFilesInMemory(
    OrtSessionOptions *options, const char *const *external_initializer_file_names,
    char *const *external_initializer_file_buffer_array,
    const size_t *external_initializer_file_lengths, size_t num_external_initializer_files)
{
    const char *const *names = external_initializer_file_names;
    struct ort_weights *weights;
    OrtStatus *status = NULL;
    size_t before;

    ORT_NEED(options);
    if (num_external_initializer_files > 0) {
        ORT_NEED(external_initializer_file_names);
        ORT_NEED(external_initializer_file_buffer_array);
        ORT_NEED(external_initializer_file_lengths);
    }
    weights = &options->weights;
    before = weights->n_files;
    for (size_t i = 0; i < num_external_initializer_files && !status; i++) {
        const char *name = without_here(names[i]);
        const char *bytes = external_initializer_file_buffer_array[i];
        size_t size = external_initializer_file_lengths[i];

        status = check_file(weights, name, bytes, size);
        if (!status && !add_file(weights, name, bytes, size))
            status = ort_no_memory();
    }
    if (status)
        shrink(weights, weights->n_items, before);
    return status;
}
