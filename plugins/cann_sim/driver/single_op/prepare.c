/* SPDX-License-Identifier: MIT */
/*
 * prepare.c - a request becomes a call: descriptions are read and checked, the operator's prepare()
 * does the rest.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "single_op/cache.h"

/* False: more dimensions than operators have. *known: none is -1. */
static bool read_desc(const aclTensorDesc *desc, struct sim_tensor *tensor, bool *known)
{
    memset(tensor, 0, sizeof *tensor);
    tensor->type = desc->type;
    tensor->format = desc->format;
    tensor->place = desc->place;
    tensor->absent = desc->type == ACL_DT_UNDEFINED;
    *known = true;
    if (desc->rank > SIM_RANK)
        return false;
    tensor->shape.rank = desc->rank;
    for (size_t i = 0; i < desc->rank; i++) {
        tensor->shape.dims[i] = desc->dims[i];
        *known = *known && desc->dims[i] >= 0;
    }
    tensor->count = aclGetTensorDescElementCount(desc);
    tensor->bytes = tensor->count * aclDataTypeSize(desc->type);
    return true;
}

/* A constant's value is copied, as the description is the program's. */
static aclError read_inputs(const struct sim_request *request, struct sim_call *call, void **values)
{
    for (size_t i = 0; i < call->inputs; i++) {
        struct sim_tensor *tensor = &call->in[i];
        const aclTensorDesc *desc = request->in[i];
        bool known;

        if (!read_desc(desc, tensor, &known))
            return sim_refuse(call, "input %zu has more than %d dimensions", i, SIM_RANK);
        if (tensor->absent && i < call->op->min_inputs)
            return sim_refuse(call, "input %zu is absent", i);
        if (!tensor->absent && (!known || tensor->count == 0))
            return sim_refuse(call, "input %zu has a dimension that is 0 or not known", i);
        if (!desc->value)
            continue;
        values[i] = malloc(desc->value_size);
        if (!values[i])
            return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for a constant");
        memcpy(values[i], desc->value, desc->value_size);
        tensor->value = values[i];
        tensor->value_size = desc->value_size;
    }
    return 0;
}

/* The first input decides; the others have the same type, unless the operator says `mixed`. */
static aclError check_types(const struct sim_call *call)
{
    const struct sim_op *op = call->op;

    for (size_t i = 0; i < call->inputs; i++) {
        const struct sim_tensor *tensor = &call->in[i];

        if (tensor->absent)
            continue;
        if ((int)tensor->type < 0 || tensor->type > ACL_BF16 ||
            !(SIM_BIT(tensor->type) & (i == 0 ? op->types : SIM_EVERY)))
            return sim_refuse(call, "input %zu is of type %d, which it does not take", i,
                              (int)tensor->type);
        if (!op->mixed && tensor->type != call->in[0].type)
            return sim_refuse(call, "input %zu is of type %d, the first of %d", i,
                              (int)tensor->type, (int)call->in[0].type);
    }
    return 0;
}

/* The vendor takes one element with or without dimensions. */
static bool fits(const struct sim_shape *a, const struct sim_shape *b)
{
    return sim_same_shape(a, b) || (sim_shape_count(a) == 1 && sim_shape_count(b) == 1);
}

/* An output whose dimensions are not all known is described by what the operator makes. */
static aclError check_output(struct sim_call *call, size_t i, bool known)
{
    struct sim_tensor *tensor = &call->out[i];

    if (tensor->absent)
        return i == 0 ? sim_refuse(call, "output 0 is absent") : 0;
    if (tensor->type != call->result_type[i])
        return sim_refuse(call, "output %zu is of type %d, and would be of %d", i,
                          (int)tensor->type, (int)call->result_type[i]);
    if (known && !fits(&tensor->shape, &call->result[i]))
        return sim_refuse(call,
                          "output %zu is described with %zu elements, and would have %zu, or "
                          "another shape",
                          i, tensor->count, sim_shape_count(&call->result[i]));
    tensor->shape = call->result[i];
    tensor->count = sim_shape_count(&call->result[i]);
    tensor->bytes = tensor->count * aclDataTypeSize(tensor->type);
    return 0;
}

/* result_type starts as the first input's; an operator changes it where that is not so. */
static aclError prepare_outputs(const struct sim_request *request, bool check_outputs,
                                struct sim_call *call)
{
    bool known[SIM_OUTPUTS];
    aclError rc;

    for (size_t i = 0; i < call->outputs; i++) {
        call->result_type[i] = call->in[0].type;
        if (!read_desc(request->out[i], &call->out[i], &known[i]))
            return sim_refuse(call, "output %zu has more than %d dimensions", i, SIM_RANK);
    }
    rc = call->op->prepare(call, request->attr);
    for (size_t i = 0; !rc && i < call->outputs; i++) {
        if (sim_shape_count(&call->result[i]) == 0 && !call->out[i].absent)
            rc = sim_refuse(call, "output %zu would have too many elements, or none", i);
        else if (check_outputs)
            rc = check_output(call, i, known[i]);
    }
    return rc;
}

/* Numbers of inputs and outputs are checked first, so that prepare() can index them. */
aclError sim_prepare(const struct sim_request *request, bool check_outputs, struct sim_call *call,
                     void **values)
{
    aclError rc;

    memset(call, 0, sizeof *call);
    memset(values, 0, SIM_INPUTS * sizeof *values);
    call->op = sim_op_find(request->type);
    if (!call->op)
        return sim_fail(ACL_ERROR_OP_NOT_FOUND, "there is no operator %.60s", request->type);
    if (request->inputs < call->op->min_inputs || request->inputs > call->op->max_inputs ||
        request->outputs != call->op->outputs)
        return sim_refuse(call, "it has %d to %d inputs and %d outputs, not %zu and %zu",
                          call->op->min_inputs, call->op->max_inputs, call->op->outputs,
                          request->inputs, request->outputs);
    call->inputs = request->inputs;
    call->outputs = request->outputs;
    rc = read_inputs(request, call, values);
    if (!rc)
        rc = check_types(call);
    return rc ? rc : prepare_outputs(request, check_outputs, call);
}
