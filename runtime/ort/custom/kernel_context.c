/* SPDX-License-Identifier: MIT */
/* kernel_context.c - OrtKernelContext: inputs, outputs, memory and threads of a running kernel. */

#include "config.h"

#include "ort/custom/kernel_context.h"

#include <bp/sdk.h>
#include <stdlib.h>
#include <string.h>

#include "ort/guarded.h"
#include "ort/status.h"

/* Scratch memory that is freed with the context. */
struct ort_scratch {
    struct ort_scratch *next;
    void *memory;
};

/* The slots take a const context though they change its content (lists of scratch memory). */
static OrtKernelContext *inside(const OrtKernelContext *context)
{
    return (OrtKernelContext *)(uintptr_t)context;
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Up to 16 values need no heap memory. */
bool ort_kernel_context_init(OrtKernelContext *context, bp_operator_call *call,
                             const struct ort_kernel *kernel)
{
    size_t n;

    context->call = call;
    context->kernel = kernel;
    context->scratch = NULL;
    context->n_in = bp_operator_inputs(call);
    context->n_out = bp_operator_outputs(call);
    n = (size_t)context->n_in + context->n_out;
    context->in = n <= ORT_FEW_VALUES ? context->few : malloc(n * sizeof *context->in);
    if (!context->in)
        return false;
    context->out = context->in + context->n_in;
    for (uint32_t i = 0; i < context->n_in; i++)
        context->in[i] = ort_value_view(bp_operator_input(call, i));
    for (uint32_t i = 0; i < context->n_out; i++)
        context->out[i] = ort_value_view(NULL);
    return true;
}

static void free_texts(OrtValue *value)
{
    size_t n = value->texts ? ort_tensor_count(&value->tensor) : 0;

    for (size_t k = 0; k < n; k++)
        free(value->texts[k]);
    free(value->texts);
    value->texts = NULL;
}

/* Strings that the kernel set one by one are copied to the host's tensor. */
bp_rc ort_kernel_context_deliver(OrtKernelContext *context, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < context->n_out; i++) {
        OrtValue *value = &context->out[i];
        size_t n = value->texts ? ort_tensor_count(&value->tensor) : 0;

        for (size_t k = 0; rc >= 0 && k < n; k++) {
            const bp_span *span = &ort_tensor_spans(&value->tensor)[k];

            if (value->texts[k])
                rc = bp_operator_set_text(context->call, i, k, span->data, span->size, err);
        }
    }
    return rc;
}

/* The session's, for scratch memory. */
static OrtAllocator *allocator_of(const OrtKernelContext *context)
{
    OrtAllocator *own = context->kernel->info->session->allocator.allocator;

    return own ? own : ort_default_allocator();
}

/* Scratch buffers go back to the allocator that they came from. */
void ort_kernel_context_finish(OrtKernelContext *context)
{
    for (uint32_t i = 0; context->in && i < context->n_out; i++)
        free_texts(&context->out[i]);
    while (context->scratch) {
        struct ort_scratch *next = context->scratch->next;

        ort_free(allocator_of(context), context->scratch->memory);
        free(context->scratch);
        context->scratch = next;
    }
    if (context->in != context->few)
        free(context->in);
}

/* ---- inputs and outputs ---------------------------------------------------------------------- */

/* OrtApi since version 1. */
OrtStatus *ort_KernelContext_GetInputCount(const OrtKernelContext *context, size_t *out)
{
    ORT_NEED(context);
    ORT_NEED(out);
    *out = context->n_in;
    return NULL;
}

/* OrtApi since version 1. */
OrtStatus *ort_KernelContext_GetOutputCount(const OrtKernelContext *context, size_t *out)
{
    ORT_NEED(context);
    ORT_NEED(out);
    *out = context->n_out;
    return NULL;
}

/* ORT_FAIL, as in ONNX Runtime. */
static OrtStatus *beyond(const char *what, size_t i, uint32_t n)
{
    return ort_fail(ORT_FAIL, "the node has %u %ss, there is no %s %zu", n, what, what, i);
}

/* OrtApi since version 1: *out is NULL for an absent optional input; the value is the context's. */
OrtStatus *ort_KernelContext_GetInput(const OrtKernelContext *context, size_t index,
                                      const OrtValue **out)
{
    ORT_NEED(context);
    ORT_NEED(out);
    if (index >= context->n_in)
        return beyond("input", index, context->n_in);
    *out = context->in[index].has_value ? &context->in[index] : NULL;
    return NULL;
}

/* An output that aliases an input starts with its content, because the kernel may rely on that. */
static void fill_alias(OrtKernelContext *context, size_t i, const bp_tensor *to)
{
    int from = context->kernel->alias ? context->kernel->alias[i] : -1;
    const bp_tensor *tensor;

    if (from < 0 || (uint32_t)from >= context->n_in || !context->in[from].has_value)
        return;
    tensor = &context->in[from].tensor;
    if (tensor->dtype == to->dtype && to->dtype != BP_DTYPE_STRING && to->bytes > 0 &&
        tensor->bytes >= to->bytes)
        memcpy(bp_tensor_data(to), bp_tensor_data(tensor), to->bytes);
}

/*
 * OrtApi since version 1: Allocates the output with these dims; *out is NULL when the model leaves
 * it out.
 */
OrtStatus *ort_KernelContext_GetOutput(OrtKernelContext *context, size_t index,
                                       const int64_t *dim_values, size_t dim_count, OrtValue **out)
{
    struct ort_err err;
    bp_tensor *tensor;
    bp_rc rc;

    ORT_NEED(context);
    ORT_NEED(out);
    if (dim_count > 0)
        ORT_NEED(dim_values);
    *out = NULL;
    if (index >= context->n_out)
        return beyond("output", index, context->n_out);
    rc = bp_operator_size_output(context->call, (uint32_t)index, (uint32_t)dim_count, dim_values,
                                 &tensor, ort_err_init(&err));
    if (rc < 0)
        return ort_from(rc, &err, ORT_RUNNING, NULL);
    if (!tensor)
        return NULL; /* an optional one that the model leaves out */
    free_texts(&context->out[index]);
    context->out[index] = ort_value_view(tensor);
    fill_alias(context, index, tensor);
    *out = &context->out[index];
    return NULL;
}

/*
 * OrtApi since version 30: The buffer that the application bound to the output, with its shape and
 * content; NULL: none.
 */
OrtStatus *ort_KernelContext_GetPreallocatedOutput(const OrtKernelContext *context,
                                                   size_t output_index, OrtValue **output)
{
    const bp_tensor *given, *made;
    OrtStatus *status;

    ORT_NEED(context);
    ORT_NEED(output);
    if (output_index >= context->n_out)
        return beyond("output", output_index, context->n_out);
    *output = NULL;
    given = bp_operator_given(context->call, (uint32_t)output_index);
    if (!given || given->space != BP_SPACE_HOST)
        return NULL;
    /* the slot says const; the context is ours */
    status = ort_KernelContext_GetOutput((OrtKernelContext *)(uintptr_t)context, output_index,
                                         given->dims, given->rank, output);
    made = *output ? &(*output)->tensor : NULL;
    if (made && made->dtype == given->dtype && made->dtype != BP_DTYPE_STRING &&
        made->bytes <= given->bytes && made->bytes > 0)
        memmove(bp_tensor_data(made), bp_tensor_data(given), made->bytes);
    return status;
}

/* ---- surroundings ---------------------------------------------------------------------------- */

/* OrtApi since version 15. */
OrtStatus *ort_KernelContext_GetLogger(const OrtKernelContext *context, const OrtLogger **logger)
{
    ORT_NEED(context);
    return ort_KernelInfo_GetLogger(context->kernel->info, logger);
}

/* OrtApi since version 10: Kernels run on the CPU, so there is no stream. */
OrtStatus *ort_KernelContext_GetGPUComputeStream(const OrtKernelContext *context, void **out)
{
    ORT_NEED(context);
    ORT_NEED(out);
    *out = NULL;
    return NULL;
}

/* OrtApi since version 28. */
OrtStatus *ort_KernelContext_GetSyncStream(const OrtKernelContext *context, OrtSyncStream **out)
{
    ORT_NEED(context);
    ORT_NEED(out);
    *out = NULL;
    return NULL;
}

/* OrtApi since version 16: Resources belong to streams of GPU providers. */
OrtStatus *ort_KernelContext_GetResource(const OrtKernelContext *context, int resource_version,
                                         int resource_id, void **resource)
{
    ORT_NEED(context);
    ORT_NEED(resource);
    *resource = NULL;
    return ort_fail(ORT_INVALID_ARGUMENT,
                    "resource %d (version %d) belongs to a stream, and a kernel on the processor "
                    "has none",
                    resource_id, resource_version);
}

/* ORT_INVALID_ARGUMENT: only host memory, because kernels of custom operators run on the CPU. */
static OrtStatus *need_host(const OrtMemoryInfo *info)
{
    if (ort_memory_is_host(info))
        return NULL;
    return ort_fail(ORT_INVALID_ARGUMENT,
                    "No requested allocator available: a kernel on the "
                    "processor has none for '%s'",
                    info->name);
}

/* OrtApi since version 15: The caller's, to ReleaseAllocator. */
OrtStatus *ort_KernelContext_GetAllocator(const OrtKernelContext *context,
                                          const OrtMemoryInfo *mem_info, OrtAllocator **out)
{
    OrtStatus *status;

    ORT_NEED(context);
    ORT_NEED(mem_info);
    ORT_NEED(out);
    status = need_host(mem_info);
    return status ? status
                  : ort_CreateAllocator(context->kernel->info->session, ort_cpu_memory(), out);
}

/* OrtApi since version 18: Freed when the kernel returns. */
OrtStatus *ort_KernelContext_GetScratchBuffer(const OrtKernelContext *context,
                                              const OrtMemoryInfo *mem_info, size_t count_or_bytes,
                                              void **out)
{
    struct ort_scratch *piece;
    OrtStatus *status;

    ORT_NEED(context);
    ORT_NEED(mem_info);
    ORT_NEED(out);
    *out = NULL;
    status = need_host(mem_info);
    if (status || count_or_bytes == 0)
        return status;
    piece = malloc(sizeof *piece);
    if (piece)
        piece->memory = ort_alloc(allocator_of(context), count_or_bytes);
    if (!piece || !piece->memory) {
        status = piece ? ort_no_bytes(count_or_bytes) : ort_no_memory();
        free(piece);
        return status;
    }
    piece->next = context->scratch;
    inside(context)->scratch = piece;
    *out = piece->memory;
    return NULL;
}

/* ---- threads --------------------------------------------------------------------------------- */

struct batches {
    void (*fn)(void *, size_t);
    void *user;
    size_t total, n;
    atomic_bool has_thrown;
    struct bp_thrown thrown; /* the first one */
};

struct batch {
    const struct batches *of;
    size_t from, to;
};

/* The kernel's function may throw, so a batch runs under bp_guard(). */
static void call_batch(void *u)
{
    const struct batch *batch = u;

    for (size_t k = batch->from; k < batch->to; k++)
        batch->of->fn(batch->of->user, k);
}

/* Batch i is a contiguous range; the first (total % n) batches have one element more. */
static void run_batch(void *u, uint32_t i, uint32_t worker)
{
    struct batches *b = u;
    struct bp_thrown thrown;
    size_t each = b->total / b->n, more = b->total % b->n;
    size_t from = i * each + (i < more ? i : more);
    struct batch batch = {b, from, from + each + (i < more)};

    (void)worker;
    if (atomic_load_explicit(&b->has_thrown, memory_order_relaxed) ||
        bp_guard(call_batch, &batch, &thrown))
        return;
    if (!atomic_exchange(&b->has_thrown, true))
        b->thrown = thrown;
}

/*
 * OrtApi since version 17: Runs on the session's pool and returns when all is done. The first
 * exception becomes the status; batches that have not begun are skipped.
 */
OrtStatus *ort_KernelContext_ParallelFor(const OrtKernelContext *context,
                                         void (*fn)(void *, size_t), size_t total, size_t num_batch,
                                         void *usr_data)
{
    struct batches batches;

    ORT_NEED(context);
    ORT_NEED(fn);
    if (total == 0)
        return NULL;
    batches.fn = fn;
    batches.user = usr_data;
    batches.total = total;
    batches.n = num_batch;
    atomic_init(&batches.has_thrown, false);
    if (batches.n == 0 || batches.n > total)
        batches.n = total;
    if (batches.n > UINT16_MAX)
        batches.n = UINT16_MAX; /* more would only be counted */
    bp_operator_parallel_for(context->call, (uint32_t)batches.n, run_batch, &batches);
    if (atomic_load(&batches.has_thrown))
        return ort_thrown(&batches.thrown, "the function of ParallelFor");
    return NULL;
}
