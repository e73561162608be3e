/* SPDX-License-Identifier: MIT */
/*
 * binding.c - OrtIoBinding (OrtApi since version 2): inputs and outputs bound once, for many runs.
 *
 * Thread rule: one thread at a time for each binding.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ort/guarded.h"
#include "ort/session/session.h"
#include "ort/status.h"
#include "ort/values/value.h"

/* The bound inputs, or the bound outputs. */
struct side {
    char **names;
    OrtValue **values; /* references; an output's may be NULL: the run allocates it */
    bool *fresh;       /* outputs bound to a device: each run allocates them again */
    size_t n;
};

struct OrtIoBinding {
    OrtSession *session;
    struct side in, out;
};

/* Releases names and values; the arrays are made again when something is bound. */
static void clear(struct side *side)
{
    for (size_t i = 0; i < side->n; i++) {
        free(side->names[i]);
        ort_ReleaseValue(side->values[i]);
    }
    free(side->names);
    free(side->values);
    free(side->fresh);
    *side = (struct side){0};
}

/* Makes space for one more in all three arrays. */
static bool grow(struct side *side)
{
    size_t size = side->n + 1;
    char **names = realloc(side->names, size * sizeof *names);
    OrtValue **values;
    bool *fresh;

    if (!names)
        return false;
    side->names = names;
    values = realloc(side->values, size * sizeof *values);
    if (!values)
        return false;
    side->values = values;
    fresh = realloc(side->fresh, size * sizeof *fresh);
    if (!fresh)
        return false;
    side->fresh = fresh;
    return true;
}

/* Replaces the value of a name that is bound already. */
static OrtStatus *bind(struct side *side, const char *name, const OrtValue *value)
{
    union {
        const OrtValue *given;
        OrtValue *counted;
    } shared = {value};
    size_t i = 0;

    while (i < side->n && strcmp(side->names[i], name) != 0)
        i++;
    if (i == side->n) {
        if (!grow(side))
            return ort_no_memory();
        side->names[i] = strdup(name);
        if (!side->names[i])
            return ort_no_memory();
        side->values[i] = NULL;
        side->n++;
    }
    ort_value_retain(shared.counted);
    ort_ReleaseValue(side->values[i]);
    side->values[i] = shared.counted;
    side->fresh[i] = value == NULL;
    return NULL;
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* OrtApi since version 5. */
OrtStatus *ort_CreateIoBinding(OrtSession *session, OrtIoBinding **out)
{
    ORT_NEED(session);
    ORT_NEED(out);
    *out = calloc(1, sizeof **out);
    if (!*out)
        return ort_no_memory();
    (*out)->session = session;
    return NULL;
}

/* OrtApi since version 5. */
void ort_ReleaseIoBinding(OrtIoBinding *input)
{
    if (!input)
        return;
    clear(&input->in);
    clear(&input->out);
    free(input);
}

/*
 * OrtApi since version 5: The binding keeps a reference to the value. ORT_FAIL: the session has no
 * such input.
 */
OrtStatus *ort_BindInput(OrtIoBinding *binding_ptr, const char *name, const OrtValue *val_ptr)
{
    OrtStatus *status;
    uint32_t index;

    ORT_NEED(binding_ptr);
    ORT_NEED(name);
    ORT_NEED(val_ptr);
    status = ort_find_input(binding_ptr->session, name, 0, &index);
    if (status) {
        ort_ReleaseStatus(status);
        return ort_fail(ORT_FAIL, "Failed to find input name in the mapping: %s", name);
    }
    return bind(&binding_ptr->in, name, val_ptr);
}

/* OrtApi since version 5: As in ONNX Runtime, the name is checked when the session runs. */
OrtStatus *ort_BindOutput(OrtIoBinding *binding_ptr, const char *name, const OrtValue *val_ptr)
{
    ORT_NEED(binding_ptr);
    ORT_NEED(name);
    ORT_NEED(val_ptr);
    return bind(&binding_ptr->out, name, val_ptr);
}

/* OrtApi since version 5: Only host memory: ORT_NOT_IMPLEMENTED for others. */
OrtStatus *ort_BindOutputToDevice(OrtIoBinding *binding_ptr, const char *name,
                                  const OrtMemoryInfo *mem_info_ptr)
{
    ORT_NEED(binding_ptr);
    ORT_NEED(name);
    ORT_NEED(mem_info_ptr);
    if (!ort_memory_is_host(mem_info_ptr))
        return ort_fail(ORT_NOT_IMPLEMENTED, "outputs in memory '%s' are not implemented",
                        mem_info_ptr->name);
    return bind(&binding_ptr->out, name, NULL);
}

/*
 * OrtApi since version 5: Outputs of earlier runs are released first, if they were allocated by a
 * run.
 */
OrtStatus *ort_RunWithBinding(OrtSession *session, const OrtRunOptions *run_options,
                              const OrtIoBinding *binding_ptr)
{
    const struct side *in;
    const struct side *out;

    ORT_NEED(session);
    ORT_NEED(binding_ptr);
    in = &binding_ptr->in;
    out = &binding_ptr->out;
    if (out->n == 0)
        return ort_fail(ORT_INVALID_ARGUMENT, "At least one output should be requested.");
    for (size_t i = 0; i < out->n; i++) {
        if (!out->fresh[i])
            continue;
        ort_ReleaseValue(out->values[i]);
        out->values[i] = NULL;
    }
    return ort_Run(session, run_options, (const char *const *)in->names,
                   (const OrtValue *const *)in->values, in->n, (const char *const *)out->names,
                   out->n, out->values);
}

/*
 * OrtApi since version 5: One buffer of names without NULs, and their lengths; both from the
 * allocator.
 */
OrtStatus *ort_GetBoundOutputNames(const OrtIoBinding *binding_ptr, OrtAllocator *allocator,
                                   char **buffer, size_t **lengths, size_t *count)
{
    size_t bytes = 0, at = 0;
    const struct side *out;

    ORT_NEED(binding_ptr);
    ORT_NEED(allocator);
    ORT_NEED(buffer);
    ORT_NEED(lengths);
    ORT_NEED(count);
    out = &binding_ptr->out;
    *buffer = NULL;
    *lengths = NULL;
    *count = 0;
    if (out->n == 0)
        return NULL;
    for (size_t i = 0; i < out->n; i++)
        bytes += strlen(out->names[i]);
    *buffer = ort_alloc(allocator, bytes + 1);
    *lengths = ort_alloc(allocator, out->n * sizeof **lengths);
    if (!*buffer || !*lengths) {
        ort_free(allocator, *buffer);
        ort_free(allocator, *lengths);
        return ort_no_memory();
    }
    for (size_t i = 0; i < out->n; i++) {
        (*lengths)[i] = strlen(out->names[i]);
        memcpy(*buffer + at, out->names[i], (*lengths)[i]);
        at += (*lengths)[i];
    }
    *count = out->n;
    return NULL;
}

/*
 * OrtApi since version 5: References for the caller to release; the list comes from the allocator.
 */
OrtStatus *ort_GetBoundOutputValues(const OrtIoBinding *binding_ptr, OrtAllocator *allocator,
                                    OrtValue ***output, size_t *output_count)
{
    const struct side *out;

    ORT_NEED(binding_ptr);
    ORT_NEED(allocator);
    ORT_NEED(output);
    ORT_NEED(output_count);
    out = &binding_ptr->out;
    *output = NULL;
    *output_count = 0;
    if (out->n == 0)
        return NULL;
    *output = ort_alloc(allocator, out->n * sizeof **output);
    if (!*output)
        return ort_no_memory();
    for (size_t i = 0; i < out->n; i++)
        (*output)[i] = ort_value_retain(out->values[i]);
    *output_count = out->n;
    return NULL;
}

/* OrtApi since version 5. */
void ort_ClearBoundInputs(OrtIoBinding *binding_ptr)
{
    if (binding_ptr)
        clear(&binding_ptr->in);
}

/* OrtApi since version 5. */
void ort_ClearBoundOutputs(OrtIoBinding *binding_ptr)
{
    if (binding_ptr)
        clear(&binding_ptr->out);
}

/* OrtApi since version 10: A run is complete when it returns, so there is nothing to wait for. */
OrtStatus *ort_SynchronizeBoundInputs(OrtIoBinding *binding_ptr)
{
    ORT_NEED(binding_ptr);
    return NULL;
}

/* OrtApi since version 10: The same. */
OrtStatus *ort_SynchronizeBoundOutputs(OrtIoBinding *binding_ptr)
{
    ORT_NEED(binding_ptr);
    return NULL;
}
