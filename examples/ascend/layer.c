/* SPDX-License-Identifier: MIT */
/*
 * layer.c - y = relu(x w + b) on an Ascend device, by ACL alone: nothing of Backplane's runtime.
 *
 * It is written as for the vendor's library and runs on the simulated driver:
 *
 *     cc layer.c $(pkg-config --cflags --libs backplane-ascend-sim) && ./a.out
 *
 * The report at the end is what the simulator adds; bp_ascend_sim.h has it.
 */
#include <stdio.h>

#include <acl/acl.h>
#include <acl/acl_op_compiler.h>
#include <bp_ascend_sim.h>

enum { ROWS = 2, INNER = 3, COLUMNS = 2 };

/* A tensor on the device, with what ACL wants to know of it. */
struct tensor {
    aclTensorDesc *desc;
    aclDataBuffer *buffer;
    void *memory;
    size_t size;
};

static int failed(aclError rc, const char *what)
{
    const char *why;

    if (rc == ACL_SUCCESS)
        return 0;
    why = aclGetRecentErrMsg();
    fprintf(stderr, "%s: error %d: %s\n", what, rc, why ? why : "no message");
    return 1;
}

static int make(struct tensor *tensor, int rank, const int64_t *dims)
{
    tensor->desc = aclCreateTensorDesc(ACL_FLOAT, rank, dims, ACL_FORMAT_ND);
    tensor->size = aclGetTensorDescSize(tensor->desc);
    if (failed(aclrtMalloc(&tensor->memory, tensor->size, ACL_MEM_MALLOC_HUGE_FIRST),
               "aclrtMalloc"))
        return 1;
    tensor->buffer = aclCreateDataBuffer(tensor->memory, tensor->size);
    return !tensor->desc || !tensor->buffer;
}

static void destroy(struct tensor *tensor)
{
    if (tensor->memory)
        aclrtFree(tensor->memory);
    if (tensor->buffer)
        aclDestroyDataBuffer(tensor->buffer);
    aclDestroyTensorDesc(tensor->desc);
}

/* Queues one operator: it runs later, on the stream. */
static int run(const char *type, const struct tensor *in, int inputs, const struct tensor *out,
               aclrtStream stream)
{
    const aclTensorDesc *in_descs[3], *out_desc = out->desc;
    const aclDataBuffer *in_buffers[3];
    aclDataBuffer *out_buffer = out->buffer;

    for (int i = 0; i < inputs; i++) {
        in_descs[i] = in[i].desc;
        in_buffers[i] = in[i].buffer;
    }
    return failed(aclopCompileAndExecute(type, inputs, in_descs, in_buffers, 1, &out_desc,
                                         &out_buffer, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL,
                                         stream),
                  type);
}

static int upload(struct tensor *tensor, const float *data)
{
    return failed(
        aclrtMemcpy(tensor->memory, tensor->size, data, tensor->size, ACL_MEMCPY_HOST_TO_DEVICE),
        "aclrtMemcpy");
}

/* x, w and b in tensors 0 to 2, their product with b in 3, y in 4. */
static int compute(struct tensor *tensors, aclrtStream stream, float *y)
{
    static const float x[ROWS * INNER] = {1, 2, 3, -1, -2, -3};
    static const float w[INNER * COLUMNS] = {1, 0, 0, 1, 1, 1};
    static const float b[COLUMNS] = {0.5f, 7};

    if (upload(&tensors[0], x) || upload(&tensors[1], w) || upload(&tensors[2], b))
        return 1;
    if (run("MatMulV2", tensors, 3, &tensors[3], stream) ||
        run("Relu", &tensors[3], 1, &tensors[4], stream))
        return 1;
    if (failed(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream"))
        return 1;
    return failed(aclrtMemcpy(y, tensors[4].size, tensors[4].memory, tensors[4].size,
                              ACL_MEMCPY_DEVICE_TO_HOST),
                  "aclrtMemcpy");
}

static int use_device(float *y)
{
    static const int64_t dims[5][2] = {
        {ROWS, INNER}, {INNER, COLUMNS}, {COLUMNS}, {ROWS, COLUMNS}, {ROWS, COLUMNS}};
    struct tensor tensors[5] = {{0}};
    aclrtStream stream = NULL;
    int bad = failed(aclrtCreateStream(&stream), "aclrtCreateStream");

    for (int i = 0; i < 5 && !bad; i++)
        bad = make(&tensors[i], i == 2 ? 1 : 2, dims[i]);
    if (!bad)
        bad = compute(tensors, stream, y);
    for (int i = 0; i < 5; i++)
        destroy(&tensors[i]);
    if (stream)
        aclrtDestroyStream(stream);
    return bad;
}

static void report(void)
{
    struct bp_ascend_counters counters = {.struct_size = sizeof counters};
    struct bp_ascend_times times = {.struct_size = sizeof times};

    if (bp_ascend_get_counters(&counters) == 0)
        printf("operators: %llu launched, %llu compiled; device memory: %llu bytes at peak\n",
               (unsigned long long)counters.launches, (unsigned long long)counters.compiles,
               (unsigned long long)counters.peak_bytes);
    if (bp_ascend_get_times(0, &times) == 0)
        printf("simulated: %.3f ms, of it compiling %.3f ms\n", (double)times.simulated * 1e-6,
               (double)times.busy_compiling * 1e-6);
    printf("breaches of ACL's rules: %llu\n", (unsigned long long)bp_ascend_violations_total());
}

int main(void)
{
    float y[ROWS * COLUMNS];
    int bad;

    if (failed(aclInit(NULL), "aclInit"))
        return 1;
    bad = failed(aclrtSetDevice(0), "aclrtSetDevice");
    if (!bad) {
        bad = use_device(y);
        if (!bad) {
            printf("on %s: %g %g %g %g\n", aclrtGetSocName(), (double)y[0], (double)y[1],
                   (double)y[2], (double)y[3]);
            report();
        }
        bad |= failed(aclrtResetDevice(0), "aclrtResetDevice");
    }
    bad |= failed(aclFinalize(), "aclFinalize");
    return bad;
}
