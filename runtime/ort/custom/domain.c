/* SPDX-License-Identifier: MIT */
/*
 * domain.c - OrtCustomOpDomain (OrtApi since version 1): a list of the application's custom
 * operators.
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ort/custom/op_queries.h"
#include "ort/status.h"

/* ---- reading an operator --------------------------------------------------------------------- */

/*
 * OrtCustomOp grew over the versions, and a library fills in op->version: fields that are newer are
 * read as NULL.
 */
OrtCustomOp ort_custom_op_read(const OrtCustomOp *op)
{
    static const struct {
        uint32_t since;
        size_t end; /* of what an older struct has */
    } ends[] = {
        {8, offsetof(OrtCustomOp, GetInputCharacteristic)},
        {13, offsetof(OrtCustomOp, GetInputMemoryType)},
        {14, offsetof(OrtCustomOp, GetVariadicInputMinArity)},
        {16, offsetof(OrtCustomOp, CreateKernelV2)},
        {17, offsetof(OrtCustomOp, InferOutputShapeFn)},
        {18, offsetof(OrtCustomOp, GetMayInplace)},
    };
    OrtCustomOp own = {0};
    size_t size = sizeof own;

    for (size_t i = 0; i < sizeof ends / sizeof *ends && size == sizeof own; i++) {
        if (op->version < ends[i].since)
            size = ends[i].end;
    }
    memcpy(&own, op, size);
    return own;
}

/* ORT_INVALID_ARGUMENT: an unknown version, no name, or a mandatory function is NULL. */
static OrtStatus *check_op(const OrtCustomOp *op)
{
    struct ort_op named = {.at = op};
    OrtStatus *status;
    OrtCustomOp own;

    if (op->version < 1 || op->version > ORT_API_VERSION)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "Unsupported version '%u' in custom op; versions 1 to %d are read",
                        op->version, ORT_API_VERSION);
    own = ort_custom_op_read(op);
    named.fn = own;
    status = own.GetName ? ort_op_check_name(&named) : NULL;
    if (status)
        return status;
    if (!own.GetName || !ort_op_name(&named)[0])
        return ort_fail(ORT_INVALID_ARGUMENT, "the custom op has no name");
    if (!own.GetInputTypeCount || !own.GetOutputTypeCount || !own.GetInputType ||
        !own.GetOutputType || (!own.KernelCompute && !own.KernelComputeV2) ||
        (!own.CreateKernel && !own.CreateKernelV2))
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "custom op '%s': GetInputTypeCount, GetInputType, GetOutputTypeCount, "
                        "GetOutputType, CreateKernel and KernelCompute must be set",
                        ort_op_name(&named));
    return NULL;
}

/* ---- domains --------------------------------------------------------------------------------- */

/* OrtApi since version 1. */
OrtStatus *ort_CreateCustomOpDomain(const char *domain, OrtCustomOpDomain **out)
{
    OrtCustomOpDomain *made;

    ORT_NEED(domain);
    ORT_NEED(out);
    made = calloc(1, sizeof *made);
    if (made)
        made->name = strdup(domain);
    if (!made || !made->name) {
        free(made);
        return ort_no_memory();
    }
    *out = made;
    return NULL;
}

/* OrtApi since version 1. */
void ort_ReleaseCustomOpDomain(OrtCustomOpDomain *input)
{
    if (!input)
        return;
    free(input->ops);
    free(input->name);
    free(input);
}

/* OrtApi since version 1: The operator is borrowed and must outlive the domain and its sessions. */
OrtStatus *ort_CustomOpDomain_Add(OrtCustomOpDomain *custom_op_domain, const OrtCustomOp *op)
{
    OrtStatus *status;

    ORT_NEED(custom_op_domain);
    ORT_NEED(op);
    status = check_op(op);
    if (status)
        return status;
    if (custom_op_domain->n == custom_op_domain->cap) {
        size_t cap = custom_op_domain->cap ? custom_op_domain->cap * 2 : 8;
        const OrtCustomOp **ops = realloc(custom_op_domain->ops, cap * sizeof(const OrtCustomOp *));

        if (!ops)
            return ort_no_memory();
        custom_op_domain->ops = ops;
        custom_op_domain->cap = cap;
    }
    custom_op_domain->ops[custom_op_domain->n++] = op;
    return NULL;
}

/* ---- operators by name ------------------------------------------------------------------------- */

static bool domain_has(const OrtCustomOpDomain *domain, const char *op)
{
    for (size_t i = 0; i < domain->n; i++) {
        struct ort_op own = {domain->ops[i], ort_custom_op_read(domain->ops[i])};

        if (strcmp(ort_op_name(&own), op) == 0)
            return true;
    }
    return false;
}

/* "" and "ai.onnx" are one domain. */
bool ort_custom_has(const struct ort_custom *custom, const char *domain, const char *op)
{
    bool is_main = !domain[0] || strcmp(domain, "ai.onnx") == 0;

    for (size_t i = 0; i < custom->n_domains; i++) {
        const char *name = custom->domains[i]->name;
        bool is_same =
            is_main ? !name[0] || strcmp(name, "ai.onnx") == 0 : strcmp(name, domain) == 0;

        if (is_same && domain_has(custom->domains[i], op))
            return true;
    }
    return false;
}
