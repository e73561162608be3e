/* SPDX-License-Identifier: MIT */
/*
 * invoke.c - OrtOp (CreateOp, InvokeOp; OrtApi since version 12): a standard operator that a custom
 * kernel runs itself. It becomes a model of one node; a session of it is created when the types of
 * the inputs are known, and reused while they stay the same.
 */

#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/fork.h"
#include "ort/custom/kernel_context.h"
#include "ort/custom/op_model.h"
#include "ort/status.h"

struct OrtOp {
    OrtEnv *env;             /* a reference */
    const OrtSession *owner; /* of the kernel; it outlives the calls, not always this */
    char *name, *domain;
    uint32_t version, n_attrs, n_in, n_out;
    OrtOpAttr **attrs;
    pthread_mutex_t lock;      /* of the fields below, and held during runs */
    struct bp_fork_watch fork; /* of the lock */
    void *bytes;               /* of the session's model */
    bp_session *session;
    uint32_t *dtypes; /* of the session's inputs */
    bool *wanted;
};

/* ---- life ------------------------------------------------------------------------------------ */

/* ReleaseOpAttr may free the original. */
static OrtOpAttr *copy_attr(const OrtOpAttr *attr)
{
    OrtOpAttr *copy = calloc(1, sizeof *copy + attr->bytes + 1);

    if (!copy)
        return NULL;
    memcpy(copy->data, attr->data, attr->bytes);
    copy->type = attr->type;
    copy->bytes = attr->bytes;
    copy->name = strdup(attr->name);
    if (copy->name)
        return copy;
    free(copy);
    return NULL;
}

/* OrtApi since version 12. */
void ort_ReleaseOp(OrtOp *input)
{
    if (!input)
        return;
    bp_session_destroy(input->session);
    for (uint32_t i = 0; input->attrs && i < input->n_attrs; i++)
        ort_ReleaseOpAttr(input->attrs[i]);
    free(input->attrs);
    free(input->bytes);
    free(input->dtypes);
    free(input->wanted);
    free(input->name);
    free(input->domain);
    ort_env_release(input->env);
    bp_fork_mutex_destroy(&input->lock, &input->fork);
    free(input);
}

/* Copies names and attributes. False: no memory. */
static bool fill(OrtOp *op, const char *name, const char *domain, const OrtOpAttr *const *attrs,
                 uint32_t n_attrs)
{
    op->name = strdup(name);
    op->domain = strdup(domain);
    op->attrs = calloc((size_t)n_attrs + 1, sizeof(OrtOpAttr *));
    op->dtypes = calloc((size_t)op->n_in + 1, sizeof *op->dtypes);
    op->wanted = calloc((size_t)op->n_out + 1, sizeof *op->wanted);
    if (!op->name || !op->domain || !op->attrs || !op->dtypes || !op->wanted)
        return false;
    for (uint32_t i = 0; i < n_attrs; i++) {
        op->attrs[i] = copy_attr(attrs[i]);
        if (!op->attrs[i])
            return false;
        op->n_attrs++;
    }
    return true;
}

/*
 * Does such an operator exist, with these attributes and counts? Types are only known at the call.
 * ORT_NOT_IMPLEMENTED: no schema has it.
 */
static OrtStatus *check(const OrtOp *op)
{
    struct ort_op_model model = {.op = op->name,
                                 .domain = op->domain,
                                 .version = op->version,
                                 .attrs = op->attrs,
                                 .n_attrs = op->n_attrs,
                                 .n_in = op->n_in,
                                 .n_out = op->n_out};
    bp_op_info info = {.struct_size = sizeof info};
    bp_model *opened = NULL;
    struct ort_err err;
    size_t size = 0;
    void *bytes = ort_op_model_write(&model, &size);
    bp_rc rc;

    if (!bytes)
        return ort_no_memory();
    rc = bp_model_open_memory(op->env->host, bytes, size, NULL, &opened, ort_err_init(&err));
    if (rc >= 0)
        rc = bp_model_op(opened, 0, &info, &err.err);
    bp_model_close(opened);
    free(bytes);
    if (rc >= 0 && info.since == 0)
        return ort_fail(ORT_NOT_IMPLEMENTED,
                        "CreateOp: there is no operator '%s' in version %u of "
                        "domain '%s'",
                        op->name, op->version, op->domain[0] ? op->domain : "ai.onnx");
    return ort_from(rc, &err, ORT_OTHER, "CreateOp: ");
}

/* OrtApi since version 12: Type constraints are ignored: the values of each call have types. */
OrtStatus *ort_CreateOp(const OrtKernelInfo *info, const char *op_name, const char *domain,
                        int version, const char **type_constraint_names,
                        const ONNXTensorElementDataType *type_constraint_values,
                        int type_constraint_count, const OrtOpAttr *const *attr_values,
                        int attr_count, int input_count, int output_count, OrtOp **ort_op)
{
    OrtStatus *status;
    OrtOp *op;

    (void)type_constraint_names; /* the values of each call say the types */
    (void)type_constraint_values;
    (void)type_constraint_count;
    ORT_NEED(info);
    ORT_NEED(op_name);
    ORT_NEED(ort_op);
    if (attr_count > 0)
        ORT_NEED(attr_values);
    if (version < 1 || attr_count < 0 || input_count < 0 || output_count < 1)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "CreateOp: '%s' with version %d, %d attributes, %d inputs, %d outputs",
                        op_name, version, attr_count, input_count, output_count);
    op = calloc(1, sizeof *op);
    if (!op)
        return ort_no_memory();
    bp_fork_mutex_init(&op->lock, &op->fork);
    op->env = ort_env_retain(info->session->env);
    op->owner = info->session;
    op->version = (uint32_t)version;
    op->n_in = (uint32_t)input_count;
    op->n_out = (uint32_t)output_count;
    status = fill(op, op_name, domain ? domain : "", attr_values, (uint32_t)attr_count)
                 ? check(op)
                 : ort_no_memory();
    if (status) {
        ort_ReleaseOp(op);
        return status;
    }
    *ort_op = op;
    return NULL;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* One call of InvokeOp. */
struct call {
    OrtOp *op;
    const OrtValue *const *in;
    OrtValue *const *out;
    bp_binding *feeds, *fetches;
    uint32_t n_feeds, n_fetches;
    int64_t *dims;
};

/* NONE for an absent input. */
static uint32_t type_of(const OrtValue *value)
{
    return value && value->has_value ? value->tensor.dtype : BP_DTYPE_NONE;
}

/* Was the session made for these types and outputs? */
static bool is_ready(const struct call *c)
{
    for (uint32_t i = 0; i < c->op->n_in; i++) {
        if (c->op->dtypes[i] != type_of(c->in[i]))
            return false;
    }
    for (uint32_t i = 0; i < c->op->n_out; i++) {
        if (c->op->wanted[i] != (c->out[i] != NULL))
            return false;
    }
    return c->op->session != NULL;
}

/* A session of the open model, whose runs take memory where those of the kernel's session do. */
static OrtStatus *make_session(OrtOp *op, bp_model *model)
{
    bp_session_options *options = NULL;
    struct ort_err err;
    bp_rc rc = bp_session_options_create(&options, ort_err_init(&err));
    OrtStatus *status = ort_from(rc, &err, ORT_MAKING, "InvokeOp: ");

    if (!status)
        status = ort_session_set_allocator(op->owner, options);
    if (!status)
        bp_session_options_ignore_env_providers(options); /* one node runs on the CPU */
    if (!status)
        status = ort_from(bp_session_create_from_model(op->env->host, model, options, &op->session,
                                                       ort_err_init(&err)),
                          &err, ORT_MAKING, "InvokeOp: ");
    bp_session_options_destroy(options);
    return status;
}

/* Replaces the session by one for the types of this call. */
static OrtStatus *prepare(const struct call *c)
{
    OrtOp *op = c->op;
    struct ort_op_model model = {.op = op->name,
                                 .domain = op->domain,
                                 .version = op->version,
                                 .attrs = op->attrs,
                                 .n_attrs = op->n_attrs,
                                 .n_in = op->n_in,
                                 .n_out = op->n_out,
                                 .dtypes = op->dtypes,
                                 .wanted = op->wanted};
    bp_model *opened = NULL;
    struct ort_err err;
    OrtStatus *status;
    size_t size = 0;
    bp_rc rc;

    bp_session_destroy(op->session);
    op->session = NULL;
    free(op->bytes);
    for (uint32_t i = 0; i < op->n_in; i++)
        op->dtypes[i] = type_of(c->in[i]);
    for (uint32_t i = 0; i < op->n_out; i++)
        op->wanted[i] = c->out[i] != NULL;
    op->bytes = ort_op_model_write(&model, &size);
    if (!op->bytes)
        return ort_no_memory();
    rc = bp_model_open_memory(op->env->host, op->bytes, size, NULL, &opened, ort_err_init(&err));
    status = ort_from(rc, &err, ORT_MAKING, "InvokeOp: ");
    if (!status)
        status = make_session(op, opened);
    bp_model_close(opened);
    return status;
}

/* Can the result be written to the value's memory? */
static bool is_direct(const OrtValue *value)
{
    return value->has_value && value->tensor.base && value->tensor.dtype != BP_DTYPE_STRING;
}

/* Outputs are checked against the given values, as InvokeOp can't change their types. */
static OrtStatus *bind(struct call *c)
{
    int64_t *dims = c->dims;

    for (uint32_t i = 0; i < c->op->n_in; i++) {
        if (type_of(c->in[i]) == BP_DTYPE_NONE)
            continue;
        c->feeds[c->n_feeds] = (bp_binding){.index = c->n_feeds, .tensor = c->in[i]->tensor};
        c->n_feeds++;
    }
    for (uint32_t i = 0; i < c->op->n_out; i++) {
        bp_binding *fetch = &c->fetches[c->n_fetches];
        bp_io_info io = {.struct_size = sizeof io};

        if (!c->out[i])
            continue;
        fetch->index = c->n_fetches++;
        if (bp_session_output(c->op->session, fetch->index, &io, NULL) >= 0 &&
            c->out[i]->tensor.dtype != io.dtype)
            return ort_fail(ORT_INVALID_ARGUMENT,
                            "InvokeOp: output %u of '%s' has type %s, the value given for it %s", i,
                            c->op->name, bp_dtype_name(io.dtype),
                            bp_dtype_name(c->out[i]->tensor.dtype));
        if (!is_direct(c->out[i]))
            continue;
        fetch->tensor = c->out[i]->tensor;
        fetch->tensor.dims = dims;
        dims += fetch->tensor.rank;
    }
    return NULL;
}

/* Rank 0 has no dims to compare. */
static bool same_dims(const bp_tensor *a, const bp_tensor *b)
{
    return a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

/* Copies strings from the result into the value. */
static OrtStatus *take_strings(OrtValue *value, const bp_tensor *result)
{
    OrtStatus *status = NULL;

    for (size_t k = 0; !status && k < ort_tensor_count(result); k++) {
        const bp_span *span = &ort_tensor_spans(result)[k];
        char *text;

        status = ort_GetResizedStringTensorElementBuffer(value, k, span->size, &text);
        if (!status && span->size > 0)
            memcpy(text, span->data, span->size);
    }
    return status;
}

/* The value's shape was fixed by the kernel, so another result shape is an error. */
static OrtStatus *deliver(const struct call *c)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->op->n_out; i++) {
        bp_tensor *result;
        OrtStatus *status;

        if (!c->out[i])
            continue;
        result = &c->fetches[n++].tensor;
        if (!same_dims(result, &c->out[i]->tensor))
            return ort_fail(ORT_INVALID_ARGUMENT,
                            "InvokeOp: output %u of '%s' has another shape than the value given "
                            "for it",
                            i, c->op->name);
        status = result->dtype == BP_DTYPE_STRING ? take_strings(c->out[i], result) : NULL;
        if (status)
            return status;
    }
    return NULL;
}

/* Under the operator's lock. */
static OrtStatus *run(struct call *c)
{
    struct ort_err err;
    OrtStatus *status = is_ready(c) ? NULL : prepare(c);

    if (!status)
        status = bind(c);
    if (!status)
        status = ort_from(bp_session_run(c->op->session, c->feeds, c->n_feeds, c->fetches,
                                         c->n_fetches, NULL, ort_err_init(&err)),
                          &err, ORT_RUNNING, "InvokeOp: ");
    return status ? status : deliver(c);
}

/*
 * Bindings, and the dims of outputs that are given. False: no memory; finish() frees what there is.
 */
static bool reserve(struct call *c)
{
    size_t n_dims = 0;

    for (uint32_t i = 0; i < c->op->n_out; i++)
        n_dims += c->out[i] ? c->out[i]->tensor.rank : 0;
    c->feeds = calloc((size_t)c->op->n_in + 1, sizeof *c->feeds);
    c->fetches = calloc((size_t)c->op->n_out + 1, sizeof *c->fetches);
    c->dims = calloc(n_dims + 1, sizeof *c->dims);
    return c->feeds && c->fetches && c->dims;
}

/* Results that were not written in place are freed. */
static void finish(struct call *c)
{
    uint32_t n = 0;

    for (uint32_t i = 0; c->fetches && n < c->n_fetches && i < c->op->n_out; i++) {
        if (c->out[i] && !is_direct(c->out[i]))
            bp_tensor_free(&c->fetches[n].tensor);
        n += c->out[i] != NULL;
    }
    free(c->feeds);
    free(c->fetches);
    free(c->dims);
}

/* Only tensors: ORT_NOT_IMPLEMENTED for other inputs, ORT_INVALID_ARGUMENT for outputs. */
static OrtStatus *check_values(const struct call *c)
{
    for (uint32_t i = 0; i < c->op->n_in; i++) {
        if (c->in[i] && c->in[i]->kind != ONNX_TYPE_TENSOR)
            return ort_fail(ORT_NOT_IMPLEMENTED, "InvokeOp: input %u of '%s' is not a tensor", i,
                            c->op->name);
    }
    for (uint32_t i = 0; i < c->op->n_out; i++) {
        if (c->out[i] && (c->out[i]->kind != ONNX_TYPE_TENSOR || !c->out[i]->has_value))
            return ort_fail(ORT_INVALID_ARGUMENT,
                            "InvokeOp: the value for output %u of '%s' is not a tensor", i,
                            c->op->name);
    }
    return NULL;
}

/*
 * OrtApi since version 12: Calls of one OrtOp are serialised by its mutex. The kernel's context is
 * only checked.
 */
OrtStatus *ort_InvokeOp(const OrtKernelContext *context, const OrtOp *ort_op,
                        const OrtValue *const *input_values, int input_count,
                        OrtValue *const *output_values, int output_count)
{
    struct call c = {.op = (OrtOp *)(uintptr_t)ort_op, .in = input_values, .out = output_values};
    OrtStatus *status;

    ORT_NEED(context);
    ORT_NEED(ort_op);
    if (input_count > 0)
        ORT_NEED(input_values);
    ORT_NEED(output_values);
    if (input_count < 0 || (uint32_t)input_count != ort_op->n_in || output_count < 0 ||
        (uint32_t)output_count != ort_op->n_out)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "InvokeOp: '%s' was made for %u inputs and %u outputs, %d and %d came",
                        ort_op->name, ort_op->n_in, ort_op->n_out, input_count, output_count);
    status = check_values(&c);
    if (status)
        return status;
    pthread_mutex_lock(&c.op->lock);
    status = reserve(&c) ? run(&c) : ort_no_memory();
    finish(&c);
    pthread_mutex_unlock(&c.op->lock);
    return status;
}
