/* SPDX-License-Identifier: MIT */
/* session_info.c - names and types of a session's inputs, outputs and overridable initializers. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ort/session/session.h"
#include "ort/status.h"
#include "ort/values/memory.h"
#include "ort/values/types.h"

/* ---- by name ---------------------------------------------------------------------------------- */

/* ORT_FAIL: a session of CreateModelEditorSession before it is finalized. */
static OrtStatus *not_ready(void)
{
    return ort_fail(ORT_FAIL, "Session not initialized. It is being edited: call "
                              "FinalizeModelEditorSession first");
}

/* The hint makes this one comparison for programs that keep the model's order. */
OrtStatus *ort_find_input(const OrtSession *session, const char *name, size_t hint, uint32_t *out)
{
    struct ort_err err;

    if (!session->host)
        return not_ready();
    if (!name || !name[0])
        return ort_fail(ORT_INVALID_ARGUMENT, "input name cannot be empty");
    if (hint < session->n_inputs && strcmp(session->inputs[hint].name, name) == 0) {
        *out = (uint32_t)hint;
        return NULL;
    }
    if (bp_session_find_input(session->host, name, out, ort_err_init(&err)) < 0)
        return ort_fail(ORT_INVALID_ARGUMENT, "Invalid input name: %s (%s)", name, err.text);
    return NULL;
}

OrtStatus *ort_find_output(const OrtSession *session, const char *name, size_t hint, uint32_t *out)
{
    struct ort_err err;

    if (!session->host)
        return not_ready();
    if (!name || !name[0])
        return ort_fail(ORT_INVALID_ARGUMENT, "output name cannot be empty");
    if (hint < session->n_outputs && strcmp(session->outputs[hint].name, name) == 0) {
        *out = (uint32_t)hint;
        return NULL;
    }
    if (bp_session_find_output(session->host, name, out, ort_err_init(&err)) < 0)
        return ort_fail(ORT_INVALID_ARGUMENT, "Invalid output name: %s (%s)", name, err.text);
    return NULL;
}

/* ---- by index --------------------------------------------------------------------------------- */

/* A copy from the allocator. ORT_FAIL: the index is out of range, as in ONNX Runtime. */
static OrtStatus *name_of(const bp_io_info *io, uint32_t n, size_t index, OrtAllocator *allocator,
                          char **value)
{
    if (index >= n)
        return ort_fail(ORT_FAIL, "index out of range: %zu of %u", index, n);
    *value = ort_dup(allocator, io[index].name);
    return *value ? NULL : ort_no_memory();
}

/* A new OrtTypeInfo, for the caller to release. */
static OrtStatus *type_of(const bp_io_info *io, uint32_t n, size_t index, OrtTypeInfo **out)
{
    OrtTypeInfo *type;

    if (index >= n)
        return ort_fail(ORT_FAIL, "out of index: %zu of %u", index, n);
    type = ort_type_of_io(&io[index]);
    if (!type)
        return ort_no_memory();
    *out = type;
    return NULL;
}

/* Count, name and type of inputs, of outputs, and of overridable initializers (inputs with default). */
#define INPUTS_OUTPUTS(End, first, n)                                                              \
    OrtStatus *ort_SessionGet##End##Count(const OrtSession *session, size_t *out)                  \
    {                                                                                              \
        ORT_NEED(session);                                                                         \
        ORT_NEED(out);                                                                             \
        *out = (n);                                                                                \
        return NULL;                                                                               \
    }                                                                                              \
    OrtStatus *ort_SessionGet##End##Name(const OrtSession *session, size_t index,                  \
                                         OrtAllocator *allocator, char **value)                    \
    {                                                                                              \
        ORT_NEED(session);                                                                         \
        ORT_NEED(allocator);                                                                       \
        ORT_NEED(value);                                                                           \
        return name_of((first), (n), index, allocator, value);                                     \
    }                                                                                              \
    OrtStatus *ort_SessionGet##End##TypeInfo(const OrtSession *session, size_t index,              \
                                             OrtTypeInfo **type_info)                              \
    {                                                                                              \
        ORT_NEED(session);                                                                         \
        ORT_NEED(type_info);                                                                       \
        return type_of((first), (n), index, type_info);                                            \
    }

INPUTS_OUTPUTS(Input, session->inputs, session->n_required)
INPUTS_OUTPUTS(Output, session->outputs, session->n_outputs)
INPUTS_OUTPUTS(OverridableInitializer, session->inputs + session->n_required,
               session->n_inputs - session->n_required)

/* OrtApi since version 5. */
OrtStatus *ort_SessionGetProfilingStartTimeNs(const OrtSession *session, uint64_t *out)
{
    ORT_NEED(session);
    ORT_NEED(out);
    *out = session->start_ns;
    return NULL;
}

/* All values of a session are in host memory, whatever provider runs it. */
static OrtStatus *all_on_cpu(const OrtMemoryInfo **infos, size_t n, uint32_t have)
{
    if (n > 0)
        ORT_NEED(infos);
    if (n != have)
        return ort_fail(ORT_INVALID_ARGUMENT, "the array holds %zu entries, there are %u", n, have);
    for (size_t i = 0; i < n; i++)
        infos[i] = ort_cpu_memory();
    return NULL;
}

/* OrtApi since version 23. */
OrtStatus *ort_SessionGetMemoryInfoForInputs(const OrtSession *session,
                                             const OrtMemoryInfo **inputs_memory_info,
                                             size_t num_inputs)
{
    ORT_NEED(session);
    return all_on_cpu(inputs_memory_info, num_inputs, session->n_required);
}

/* OrtApi since version 23. */
OrtStatus *ort_SessionGetMemoryInfoForOutputs(const OrtSession *session,
                                              const OrtMemoryInfo **outputs_memory_info,
                                              size_t num_outputs)
{
    ORT_NEED(session);
    return all_on_cpu(outputs_memory_info, num_outputs, session->n_outputs);
}
