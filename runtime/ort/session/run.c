/* SPDX-License-Identifier: MIT */
/*
 * run.c - Run (OrtApi since version 1): maps values by name to the host's bindings by index, runs,
 * and returns results.
 *
 * [any thread; several runs of one session at once] Codes: ORT_INVALID_ARGUMENT for wrong names,
 * types and shapes, ORT_FAIL for failing nodes, with ONNX Runtime's sentences.
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort/session/lora.h"
#include "ort/session/run_options.h"
#include "ort/session/session.h"
#include "ort/status.h"
#include "ort/values/shared_allocators.h"
#include "ort/values/value.h"

enum { FEW = 16, FEW_DIMS = 64 }; /* bindings and dimensions that need no heap memory */

/* One run: bindings by index, for the host. The small arrays hold most runs. */
struct call {
    const OrtSession *session;
    bp_binding *in, *out;
    size_t n_in, n_out;
    int64_t *dims;     /* of outputs that are written to the caller's memory */
    bool has_prepared; /* there are such outputs */
    bp_binding few_in[FEW], few_out[FEW];
    int64_t few_dims[FEW_DIMS];
};

/* "tensor" for BP_KIND_TENSOR; for messages. */
static const char *kind_word(uint32_t kind)
{
    static const char *const words[BP_KIND_END] = {"tensor", "sequence", "optional", "map",
                                                   "sparse tensor"};

    return kind < BP_KIND_END ? words[kind] : "unknown";
}

/* ---- feeds ------------------------------------------------------------------------------------- */

/* ONNX Runtime's sentence, with its names of element types. */
static OrtStatus *wrong_type(const char *what, bool is_sparse, uint32_t got, uint32_t want)
{
    const char *kind = is_sparse ? "sparse_tensor" : "tensor";

    return ort_fail(ORT_INVALID_ARGUMENT,
                    "Unexpected %s data type. Actual: (%s(%s)) , expected: (%s(%s))", what, kind,
                    ort_dtype_word(ort_dtype(got)), kind, ort_dtype_word(ort_dtype(want)));
}

/* Lists every dimension that differs, as ONNX Runtime does. */
static OrtStatus *wrong_dims(const bp_io_info *io, const bp_tensor *tensor)
{
    char text[1024];
    size_t at = 0;

    for (uint32_t d = 0; d < tensor->rank && at < sizeof text - 80; d++) {
        if (io->dims[d].value >= 0 && io->dims[d].value != tensor->dims[d])
            at += (size_t)snprintf(text + at, sizeof text - at,
                                   "\n index: %u Got: %lld Expected: %lld", d,
                                   (long long)tensor->dims[d], (long long)io->dims[d].value);
    }
    return ort_fail(ORT_INVALID_ARGUMENT,
                    "Got invalid dimensions for input: %s for the following indices%s\n Please fix "
                    "either the inputs/outputs or the model.",
                    io->name, text);
}

/*
 * The host would refuse it too, but applications compare ONNX Runtime's sentences. Of a sparse tensor
 * type and dense shape are checked.
 */
static OrtStatus *check_feed(const bp_io_info *io, const bp_tensor *tensor)
{
    bool is_sparse = io->type->kind == BP_KIND_SPARSE;

    if (io->type->kind != BP_KIND_TENSOR && !is_sparse)
        return NULL;
    if (tensor->dtype != io->dtype)
        return wrong_type("input", is_sparse, tensor->dtype, io->dtype);
    if (io->rank == BP_RANK_UNKNOWN || io->rank == 0) /* ONNX Runtime accepts any for a scalar */
        return NULL;
    if (tensor->rank != io->rank)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "Invalid rank for input: %s Got: %u Expected: %u Please fix either the "
                        "inputs/outputs or the model.",
                        io->name, tensor->rank, io->rank);
    for (uint32_t d = 0; d < io->rank; d++) {
        if (io->dims[d].value >= 0 && io->dims[d].value != tensor->dims[d])
            return wrong_dims(io, tensor);
    }
    return NULL;
}

/* ORT_INVALID_ARGUMENT: the value is not sparse. */
static OrtStatus *feed_sparse(const bp_io_info *io, const OrtValue *value, bp_binding *binding)
{
    OrtStatus *status;

    if (!value->sparse)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "input with name: '%s' expected to be of type: sparse tensor but received "
                        "a value of another kind",
                        io->name);
    status = ort_value_to_object(value, &binding->object);
    return status ? status : check_feed(io, bp_object_dense(binding->object));
}

/* The value of input i; `i` is also the hint where the name is. */
static OrtStatus *feed(struct call *call, size_t i, const char *name, const OrtValue *value)
{
    bp_binding *binding = &call->in[i];
    OrtStatus *status = ort_find_input(call->session, name, i, &binding->index);
    const bp_io_info *io;

    if (status)
        return status;
    if (!value)
        return ort_fail(ORT_INVALID_ARGUMENT, "NULL input supplied for input %s", name);
    io = &call->session->inputs[binding->index];
    if (value->sparse && io->type->kind != BP_KIND_SPARSE)
        return ort_fail(
            ORT_INVALID_ARGUMENT,
            "input with name: '%s' expected to be of type: %s but received a sparse tensor", name,
            kind_word(io->type->kind));
    if (io->type->kind == BP_KIND_SPARSE)
        return feed_sparse(io, value, binding);
    if (io->type->kind == BP_KIND_TENSOR && value->kind != ONNX_TYPE_TENSOR)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "input with name: '%s' expected to be of type: tensor but received a %s",
                        name, value->kind == ONNX_TYPE_MAP ? "map" : "sequence");
    if (value->kind != ONNX_TYPE_TENSOR || !value->has_value)
        return ort_value_to_object(value, &binding->object);
    binding->tensor = value->tensor;
    return check_feed(io, &value->tensor);
}

/* ---- fetches ----------------------------------------------------------------------------------- */

/* The ONNXType of a value whose optional is empty. */
static ONNXType empty_kind(const bp_type_info *type)
{
    while (type && type->kind == BP_KIND_OPTIONAL)
        type = type->item;
    if (!type || type->kind == BP_KIND_TENSOR)
        return ONNX_TYPE_TENSOR;
    if (type->kind == BP_KIND_SPARSE)
        return ONNX_TYPE_SPARSETENSOR;
    return type->kind == BP_KIND_MAP ? ONNX_TYPE_MAP : ONNX_TYPE_SEQUENCE;
}

/* Does the value have memory for a tensor? Strings have none of their own. */
static bool has_buffer(const OrtValue *value)
{
    return value && value->kind == ONNX_TYPE_TENSOR && value->has_value && value->tensor.base &&
           value->tensor.dtype != BP_DTYPE_STRING;
}

/* Can the result be written to the value's memory? */
static bool is_direct(const bp_io_info *io, const OrtValue *value)
{
    return has_buffer(value) && io->type->kind == BP_KIND_TENSOR;
}

/* The given output value must have the output's kind and type. */
static OrtStatus *check_prepared(const bp_io_info *io, const OrtValue *value)
{
    ONNXType kind;

    if (!value || !value->has_value || io->type->kind == BP_KIND_OPTIONAL)
        return NULL;
    kind = empty_kind(io->type);
    if (value->kind != kind)
        return ort_fail(
            ORT_INVALID_ARGUMENT,
            "output with name: '%s' expected to be of type: %s, the value given for it is not",
            io->name, kind_word(io->type->kind));
    if (kind == ONNX_TYPE_TENSOR && value->tensor.dtype != io->dtype)
        return wrong_type("output", false, value->tensor.dtype, io->dtype);
    return NULL;
}

/* Binds output i: to the value's memory if possible, else the host allocates it. */
static OrtStatus *fetch(struct call *call, size_t i, const char *name, const OrtValue *value,
                        int64_t **dims)
{
    bp_binding *binding = &call->out[i];
    OrtStatus *status = ort_find_output(call->session, name, i, &binding->index);
    const bp_io_info *io;

    if (status)
        return status;
    io = &call->session->outputs[binding->index];
    status = check_prepared(io, value);
    if (status || !is_direct(io, value))
        return status;
    binding->tensor = value->tensor;
    binding->tensor.dims = *dims;
    if (value->tensor.rank > 0) /* for kernels that ask; the run writes its own */
        memcpy(*dims, value->tensor.dims, value->tensor.rank * sizeof **dims);
    *dims += value->tensor.rank;
    call->has_prepared = true;
    return NULL;
}

/* A result whose shape differs from the given value's is ORT_INVALID_ARGUMENT. */
static OrtStatus *other_shape(const char *name, const bp_tensor *got, const bp_tensor *given)
{
    for (uint32_t d = 0; d < got->rank && got->rank == given->rank; d++) {
        if (got->dims[d] != given->dims[d])
            return ort_fail(ORT_INVALID_ARGUMENT,
                            "output %s: dimension %u is %lld, the value given for it has %lld",
                            name, d, (long long)got->dims[d], (long long)given->dims[d]);
    }
    if (got->rank == given->rank)
        return NULL;
    return ort_fail(ORT_INVALID_ARGUMENT, "output %s has rank %u, the value given for it %u", name,
                    got->rank, given->rank);
}

/* ONNX Runtime returns a model's sparse constant as sparse; the binding keeps the dense tensor. */
static OrtStatus *give_sparse(OrtValue *value, const bp_binding *binding)
{
    OrtStatus *status = ort_sparse_of_dense(&binding->tensor, &value->sparse);

    value->kind = ONNX_TYPE_SPARSETENSOR;
    value->has_value = status == NULL;
    return status;
}

/* Stores one result in the caller's slot. */
static OrtStatus *deliver(struct call *call, size_t i, OrtValue **slot)
{
    bp_binding *binding = &call->out[i];
    const bp_io_info *io = &call->session->outputs[binding->index];
    OrtStatus *status;

    if (is_direct(io, *slot))
        return other_shape(io->name, &binding->tensor, &(*slot)->tensor);
    if (!*slot) {
        *slot = ort_value_create(empty_kind(io->type));
        if (!*slot)
            return ort_no_memory();
        return io->flags & BP_IO_SPARSE ? give_sparse(*slot, binding)
                                        : ort_value_adopt(*slot, binding);
    }
    status = (*slot)->kind == ONNX_TYPE_TENSOR && (*slot)->has_value && !binding->object
                 ? other_shape(io->name, &binding->tensor, &(*slot)->tensor)
                 : NULL;
    if (status)
        return status;
    ort_value_clear(*slot);
    return ort_value_adopt(*slot, binding);
}

/* Results that the application's allocator made get the OrtMemoryInfo of that allocator. */
static OrtStatus *name_memory(const struct call *call, OrtValue *const *outputs)
{
    const OrtMemoryInfo *info = call->session->allocator.info;
    OrtStatus *status = NULL;

    for (size_t i = 0; i < call->n_out && !status; i++) {
        if (call->out[i].reserved0 && outputs[i]->storage == ORT_HOST && !outputs[i]->memory)
            status = ort_value_keep_memory(outputs[i], info);
    }
    return status;
}

/* After a failure all values that this run created are released again. */
static OrtStatus *deliver_all(struct call *call, OrtValue **outputs)
{
    OrtStatus *status = NULL;

    for (size_t i = 0; i < call->n_out; i++) {
        call->out[i].reserved0 = outputs[i] == NULL; /* ours, from here on */
        if (!status)
            status = deliver(call, i, &outputs[i]);
    }
    if (!status && call->session->allocator.allocator)
        status = name_memory(call, outputs);
    for (size_t i = 0; status && i < call->n_out; i++) {
        if (!call->out[i].reserved0)
            continue;
        ort_ReleaseValue(outputs[i]);
        outputs[i] = NULL;
    }
    return status;
}

/* ---- the call ----------------------------------------------------------------------------------- */

/* Small calls use the arrays in struct call. */
static bool reserve(struct call *call, OrtValue *const *outputs)
{
    size_t n_dims = 0;

    for (size_t i = 0; i < call->n_out; i++)
        n_dims += has_buffer(outputs[i]) ? outputs[i]->tensor.rank : 0;
    call->in = call->n_in <= FEW ? call->few_in : malloc(call->n_in * sizeof *call->in);
    call->out = call->n_out <= FEW ? call->few_out : malloc(call->n_out * sizeof *call->out);
    call->dims = n_dims <= FEW_DIMS ? call->few_dims : malloc(n_dims * sizeof *call->dims);
    if (call->in)
        memset(call->in, 0, call->n_in * sizeof *call->in);
    if (call->out)
        memset(call->out, 0, call->n_out * sizeof *call->out);
    return call->in && call->out && call->dims;
}

/* Tensors that the host allocated and deliver() did not hand out are freed here. */
static void finish(struct call *call, OrtValue *const *outputs)
{
    for (size_t i = 0; call->in && i < call->n_in; i++)
        bp_object_release(call->in[i].object);
    for (size_t i = 0; call->out && i < call->n_out; i++) {
        bp_object_release(call->out[i].object);
        if (call->out[i].tensor.base &&
            !is_direct(&call->session->outputs[call->out[i].index], outputs[i]))
            bp_tensor_free(&call->out[i].tensor); /* it was not handed over */
    }
    if (call->in != call->few_in)
        free(call->in);
    if (call->out != call->few_out)
        free(call->out);
    if (call->dims != call->few_dims)
        free(call->dims);
}

/* Parameters of active LoRA adapters are inputs like the caller's. */
static OrtStatus *feed_adapters(struct call *call, size_t first, const OrtRunOptions *options)
{
    OrtStatus *status = NULL;
    size_t i = first;

    for (size_t a = 0; options && a < options->n_adapters; a++) {
        const OrtLoraAdapter *adapter = options->adapters[a];

        for (uint32_t k = 0; k < adapter->n && !status; k++, i++)
            status = feed(call, i, adapter->names[k], adapter->values[k]);
    }
    return status;
}

/* Parameters of all active adapters. */
static size_t count_adapters(const OrtRunOptions *options)
{
    size_t n = 0;

    for (size_t a = 0; options && a < options->n_adapters; a++)
        n += options->adapters[a]->n;
    return n;
}

/* An input that is fed twice gets the last value, as in ONNX Runtime. False: none was. */
static bool drop_repeated(struct call *call)
{
    size_t n = 0;

    for (size_t i = 0; i < call->n_in; i++) {
        size_t k = i + 1;

        while (k < call->n_in && call->in[k].index != call->in[i].index)
            k++;
        if (k == call->n_in)
            call->in[n++] = call->in[i];
        else
            bp_object_release(call->in[i].object);
    }
    if (n == call->n_in)
        return false;
    call->n_in = n;
    return true;
}

/* Runs again without repeated inputs when the host refuses these. */
static OrtStatus *execute(struct call *call, const OrtRunOptions *run_options, bp_profile *profile)
{
    bp_run_options options = {.struct_size = sizeof options, .profile = profile};
    struct ort_err err;
    bp_rc rc;

    if (run_options)
        options.cancel = &run_options->terminate;
    rc = bp_session_run(call->session->host, call->in, (uint32_t)call->n_in, call->out,
                        (uint32_t)call->n_out, &options, ort_err_init(&err));
    if (rc < 0 && err.err.detail == BP_DETAIL_INPUT_TWICE && drop_repeated(call))
        return execute(call, run_options, profile);
    if (rc == BP_E_CANCELLED)
        return ort_fail(ORT_FAIL, "Exiting due to terminate flag being set to true.");
    if (rc < 0 && err.err.detail == BP_DETAIL_INPUT_MISSING)
        return ort_fail(ORT_FAIL, "Missing Input: %s", call->session->inputs[err.err.index].name);
    if (rc == BP_E_SHAPE && !call->has_prepared) /* a node failed, not an argument */
        return ort_fail(ORT_FAIL, "%s", err.text);
    return ort_from(rc, &err, ORT_RUNNING, NULL);
}

/* Writes the run's own profile; a failure of the run has priority. */
static OrtStatus *end_profile(struct ort_profile *own, OrtStatus *status)
{
    OrtStatus *written = NULL;
    const char *path;

    if (own)
        written = ort_profile_write(own, &path);
    if (!status)
        return written;
    ort_ReleaseStatus(written);
    return status;
}

/* Inputs, adapters, outputs, execution, profile, results; the first status ends it. */
static OrtStatus *run(struct call *call, const OrtRunOptions *run_options,
                      const char *const *input_names, const OrtValue *const *inputs,
                      const char *const *output_names, OrtValue **outputs, struct ort_profile *own)
{
    bp_profile *profile = ort_profile_record(own ? own : call->session->profile);
    size_t n_own = call->n_in - count_adapters(run_options);
    OrtStatus *status = NULL;
    int64_t *dims = call->dims;

    for (size_t i = 0; i < n_own && !status; i++)
        status = feed(call, i, input_names[i], inputs[i]);
    if (!status)
        status = feed_adapters(call, n_own, run_options);
    for (size_t i = 0; i < call->n_out && !status; i++)
        status = fetch(call, i, output_names[i], outputs[i], &dims);
    if (!status)
        status = execute(call, run_options, profile);
    status = end_profile(own, status); /* may fail, so before the caller gets anything */
    if (!status)
        status = deliver_all(call, outputs);
    return status;
}

/* OrtApi since version 1: outputs[i] NULL: the run creates the value, for the caller to release. */
OrtStatus *ort_Run(OrtSession *session, const OrtRunOptions *run_options,
                   const char *const *input_names, const OrtValue *const *inputs, size_t input_len,
                   const char *const *output_names, size_t output_names_len, OrtValue **outputs)
{
    const OrtLogger *outer = NULL;
    struct ort_profile *own = NULL;
    struct call call;
    OrtStatus *status = NULL;

    ORT_NEED(session);
    if (input_len > 0) {
        ORT_NEED(input_names);
        ORT_NEED(inputs);
    }
    ORT_NEED(output_names);
    ORT_NEED(outputs);
    if (output_names_len == 0)
        return ort_fail(ORT_INVALID_ARGUMENT, "At least one output should be requested.");
    if (run_options && run_options->profile_prefix)
        status = ort_profile_create(run_options->profile_prefix, &own);
    if (status)
        return status;
    ort_session_enter(session);
    call.session = session;
    call.has_prepared = false;
    call.n_in = input_len + count_adapters(run_options);
    call.n_out = output_names_len;
    if (session->has_log)
        outer = ort_logger_set(&session->logger);
    if (reserve(&call, outputs))
        status = run(&call, run_options, input_names, inputs, output_names, outputs, own);
    else
        status = ort_no_memory();
    finish(&call, outputs);
    if (session->has_log)
        (void)ort_logger_set(outer);
    ort_session_leave(session);
    ort_profile_destroy(own);
    return status;
}
