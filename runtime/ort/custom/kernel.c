/* SPDX-License-Identifier: MIT */
/*
 * kernel.c - kernels of custom operators, as the host creates and runs them (bp_operator_def
 * callbacks).
 */

#include "config.h"

#include <bp/sdk.h>
#include <stdlib.h>
#include <string.h>

#include "ort/custom/kernel_context.h"
#include "ort/custom/op_queries.h"
#include "ort/guarded.h"
#include "ort/status.h"

/* ---- choosing the operator of a family ------------------------------------------------------- */

/* Do the element types of all inputs and outputs match? */
static bool fits(const struct ort_op *op, const bp_graph *graph, const bp_node *node)
{
    for (uint32_t i = 0; i < node->n_in; i++) {
        const bp_value *value = bp_node_in(graph, node, i);
        uint32_t want = ort_op_input_type(op, i);

        if (value && want != BP_DTYPE_NONE && value->dtype != want)
            return false;
    }
    for (uint32_t i = 0; i < node->n_out; i++) {
        const bp_value *value = bp_node_out(graph, node, i);
        uint32_t want = ort_op_output_type(op, i);

        if (value && want != BP_DTYPE_NONE && value->dtype != want)
            return false;
    }
    return true;
}

/*
 * The first CPU operator of the family whose types match. BP_E_UNSUPPORTED: none, or only for other
 * providers.
 */
static bp_rc choose(const struct ort_family *family, const bp_operator_node *node,
                    const struct ort_op **out, bp_err *err)
{
    const struct ort_op *foreign = NULL;

    for (size_t i = 0; i < family->n_ops; i++) {
        const struct ort_op *op = &family->ops[i];

        *out = op;
        if (!fits(op, node->graph, node->node))
            continue;
        if (ort_op_is_for_cpu(op))
            return BP_OK;
        foreign = op;
    }
    *out = NULL;
    if (foreign)
        return bp_fail(err, BP_E_UNSUPPORTED,
                       "its kernel is made for %s; only those for CPUExecutionProvider run here",
                       ort_op_provider(foreign));
    return bp_fail(err, BP_E_UNSUPPORTED,
                   "no operator of that name takes these element types together");
}

/* bp_operator_def.claim: the node is taken if one operator of the family fits its element types. */
bp_rc ort_custom_claim(void *user, const bp_operator_node *node, bp_err *err)
{
    const struct ort_op *op;

    return choose(user, node, &op, err);
}

/* ---- life of a kernel ------------------------------------------------------------------------ */

struct aliases {
    const OrtCustomOp *fn;
    int *from, *to;
    size_t n;
};

/* Functions of the library may throw, so this one and the next run under bp_guard(). */
static void get_aliases(void *u)
{
    struct aliases *aliases = u;

    aliases->n = aliases->fn->GetAliasMap(&aliases->from, &aliases->to);
}

static void release_aliases(void *u)
{
    struct aliases *aliases = u;

    aliases->fn->ReleaseAliasMap(aliases->from, aliases->to);
}

/* Indices of outputs that the node does not have are ignored. False: no memory. */
static bool set_aliases(struct ort_kernel *kernel, const struct aliases *aliases, uint32_t n_out)
{
    const int *from = aliases->from, *to = aliases->to;
    size_t n = aliases->n;

    if (n > 0)
        kernel->alias = malloc(((size_t)n_out + 1) * sizeof *kernel->alias);
    for (uint32_t i = 0; kernel->alias && i < n_out; i++)
        kernel->alias[i] = -1;
    for (size_t i = 0; kernel->alias && i < n; i++) {
        if (to[i] >= 0 && (uint32_t)to[i] < n_out)
            kernel->alias[to[i]] = from[i];
    }
    return n == 0 || kernel->alias;
}

/* GetAliasMap (OrtCustomOp since version 18): which outputs share the memory of an input. */
static OrtStatus *read_aliases(struct ort_kernel *kernel, uint32_t n_out)
{
    struct aliases aliases = {.fn = &kernel->op->fn};
    struct bp_thrown thrown;
    bool is_set;

    if (!aliases.fn->GetAliasMap)
        return NULL;
    if (!bp_guard(get_aliases, &aliases, &thrown))
        return ort_thrown(&thrown, "GetAliasMap");
    is_set = set_aliases(kernel, &aliases, n_out);
    if (aliases.n > 0 && aliases.fn->ReleaseAliasMap &&
        !bp_guard(release_aliases, &aliases, &thrown))
        return ort_thrown(&thrown, "ReleaseAliasMap");
    return is_set ? NULL : ort_no_memory();
}

struct making {
    struct ort_kernel *kernel;
    const OrtApi *api;
    OrtStatus *status;
};

/* CreateKernelV2 (since version 16) returns a status, CreateKernel does not. */
static void call_create(void *u)
{
    struct making *making = u;
    struct ort_kernel *kernel = making->kernel;
    const struct ort_op *op = kernel->op;

    if (op->fn.CreateKernelV2)
        making->status = op->fn.CreateKernelV2(op->at, making->api, kernel->info, &kernel->own);
    else
        kernel->own = op->fn.CreateKernel(op->at, making->api, kernel->info);
}

/* ONNX Runtime reports any failure of kernel creation as ORT_RUNTIME_EXCEPTION. */
static OrtStatus *make(struct ort_kernel *kernel)
{
    struct making making = {kernel, OrtGetApiBase()->GetApi(kernel->op->fn.version), NULL};
    struct bp_thrown thrown;
    OrtStatus *status;

    if (!bp_guard(call_create, &making, &thrown))
        return ort_thrown_as(ORT_RUNTIME_EXCEPTION, &thrown, "CreateKernel");
    if (!making.status)
        return NULL;
    status = ort_fail(ORT_RUNTIME_EXCEPTION, "%s", ort_GetErrorMessage(making.status));
    ort_ReleaseStatus(making.status);
    return status;
}

static void finish(struct ort_kernel *kernel)
{
    ort_ReleaseKernelInfo(kernel->info);
    free(kernel->alias);
    free(kernel);
}

/* bp_operator_def.create: once for each node of a session. */
bp_rc ort_custom_create(void *user, const bp_operator_node *node, void **out, bp_err *err)
{
    const struct ort_family *family = user;
    struct ort_kernel *kernel = calloc(1, sizeof *kernel);
    bp_rc rc;

    if (!kernel)
        return bp_fail(err, BP_E_NOMEM, "no memory for a kernel");
    rc = choose(family, node, &kernel->op, err);
    if (rc >= 0) {
        kernel->info = ort_kernel_info_create(family->session, node);
        rc = kernel->info ? BP_OK : bp_fail(err, BP_E_NOMEM, "no memory for a kernel");
    }
    if (rc >= 0)
        rc = ort_to_err(read_aliases(kernel, node->node->n_out), err);
    if (rc >= 0)
        rc = ort_to_err(make(kernel), err);
    if (rc < 0) {
        finish(kernel);
        return rc;
    }
    *out = kernel;
    return BP_OK;
}

/* Under bp_guard(). */
static void call_destroy(void *u)
{
    struct ort_kernel *kernel = u;

    kernel->op->fn.KernelDestroy(kernel->own);
}

/* KernelDestroy can't fail, so an exception is logged. */
void ort_custom_destroy(void *p)
{
    struct ort_kernel *kernel = p;
    struct bp_thrown thrown;

    if (kernel->op->fn.KernelDestroy && !bp_guard(call_destroy, kernel, &thrown))
        ort_thrown_log(kernel->info->session->env, &thrown, "KernelDestroy");
    finish(kernel);
}

struct computing {
    const struct ort_kernel *kernel;
    OrtKernelContext *context;
    OrtStatus *status;
};

/* KernelComputeV2 (since version 16) returns a status, KernelCompute does not. */
static void call_compute(void *u)
{
    struct computing *computing = u;
    const struct ort_kernel *kernel = computing->kernel;

    if (kernel->op->fn.KernelComputeV2)
        computing->status = kernel->op->fn.KernelComputeV2(kernel->own, computing->context);
    else
        kernel->op->fn.KernelCompute(kernel->own, computing->context);
}

static OrtStatus *compute(const struct ort_kernel *kernel, OrtKernelContext *context)
{
    struct computing computing = {kernel, context, NULL};
    struct bp_thrown thrown;

    if (!bp_guard(call_compute, &computing, &thrown))
        return ort_thrown_as(ORT_RUNTIME_EXCEPTION, &thrown, "KernelCompute");
    return computing.status;
}

/* [any thread; several at once for one kernel, as in ONNX Runtime] */
bp_rc ort_custom_compute(void *p, bp_operator_call *call, bp_err *err)
{
    const struct ort_kernel *kernel = p;
    OrtKernelContext context;
    bp_rc rc;

    if (!ort_kernel_context_init(&context, call, kernel))
        return bp_fail(err, BP_E_NOMEM, "no memory for a kernel's values");
    rc = ort_to_err(compute(kernel, &context), err);
    if (rc >= 0)
        rc = ort_kernel_context_deliver(&context, err);
    ort_kernel_context_finish(&context);
    return rc;
}
