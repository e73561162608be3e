/* SPDX-License-Identifier: MIT */
/* check_no_memory.c - each allocation of the simulated driver fails once: a status, and no leak. */
#include "support/fail_alloc.h"

#include <stdbool.h>

#include "sim_kit.h"
#include <bp_ascend_graph.h>

/* Fails the first allocation of the call, then the second... until it succeeds; counts them. */
#define FAILING(count, call)                                                                       \
    for (bool without = ((count) = 0, true); without; (count)++) {                                 \
        aclError rc;                                                                               \
        fail_alloc_at((count) + 1);                                                                \
        rc = (call);                                                                               \
        without = fail_alloc_stop();                                                               \
        ck_assert_msg(!without == (rc == ACL_SUCCESS), #call ": %d with allocation %u gone", rc,   \
                      (count) + 1);                                                                \
        if (!without)                                                                              \
            break;                                                                                 \
    }

START_TEST(initialising_without_memory)
{
    unsigned count;

    FAILING(count, bp_ascend_configure("devices = 2"));
    ck_assert_uint_eq(count, 1);
    OK(aclInit(NULL));
    FAILING(count, aclrtSetDevice(0));
    ck_assert_uint_ge(count, 3); /* the context, its handle, its stream */
    bp_ascend_reset_counters();
    down();
}
END_TEST

START_TEST(creating_objects_without_memory)
{
    aclrtContext context, first;
    aclrtStream stream;
    aclrtEvent event;
    unsigned count;
    void *memory, *pinned;

    up(NULL);
    OK(aclrtGetCurrentContext(&first));
    FAILING(count, aclrtCreateStream(&stream));
    ck_assert_uint_ge(count, 1);
    FAILING(count, aclrtCreateEvent(&event));
    ck_assert_uint_ge(count, 1);
    FAILING(count, aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    ck_assert_uint_ge(count, 2);
    FAILING(count, aclrtMallocHost(&pinned, 64));
    ck_assert_uint_ge(count, 1);
    FAILING(count, aclrtCreateContext(&context, 0));
    ck_assert_uint_ge(count, 2);
    OK(aclrtDestroyContext(context));
    OK(aclrtSetCurrentContext(first));
    OK(aclrtFree(memory));
    OK(aclrtFreeHost(pinned));
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(stream));
    ck_assert_uint_eq(counters().live_bytes + counters().host_live_bytes, 0);
    down();
}
END_TEST

START_TEST(queueing_tasks_without_memory)
{
    aclrtStream stream;
    aclrtEvent event;
    unsigned count;
    void *memory;

    up(NULL);
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateEvent(&event));
    memory = device_bytes(64);
    OK(bp_ascend_pause(0));
    FAILING(count, aclrtMemsetAsync(memory, 64, 1, 64, stream));
    ck_assert_uint_ge(count, 1);
    FAILING(count, aclrtRecordEvent(event, stream));
    ck_assert_uint_ge(count, 1);
    OK(aclrtSubscribeReport(1, stream));
    FAILING(count, aclrtLaunchCallback((aclrtCallback)free, NULL, ACL_CALLBACK_NO_BLOCK, stream));
    ck_assert_uint_ge(count, 2);
    OK(bp_ascend_resume(0));
    OK(aclrtSynchronizeStream(stream));
    ck_assert_uint_eq(counters().tasks_run, 3);
    OK(aclrtFree(memory));
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(stream));
    down();
}
END_TEST

START_TEST(compiling_operators_without_memory)
{
    const int64_t dims[1] = {2};
    float x[2] = {1, 2};
    uint16_t halves[2] = {0x3c00, 0xbc00};
    aclTensorDesc *desc, *other;
    aclDataBuffer *buffer;
    aclError resumed, synchronized;
    aclopAttr *attr = aclopCreateAttr();
    unsigned count;
    void *memory;

    up(NULL);
    FAILING(count, aclopSetAttrInt(attr, "n", 1));
    ck_assert_uint_ge(count, 2);
    desc = aclCreateTensorDesc(ACL_FLOAT16, 1, dims, ACL_FORMAT_ND);
    other = aclCreateTensorDesc(ACL_FLOAT, 1, dims, ACL_FORMAT_ND);
    FAILING(count, aclSetTensorConst(other, x, sizeof x));
    ck_assert_uint_eq(count, 1);
    memory = device_copy(halves, sizeof halves);
    buffer = aclCreateDataBuffer(memory, sizeof halves);
    OK(bp_ascend_pause(0));
    FAILING(count, aclopCompileAndExecute("Abs", 1, (const aclTensorDesc *const *)&desc,
                                          (const aclDataBuffer *const *)&buffer, 1,
                                          (const aclTensorDesc *const *)&desc, &buffer, attr,
                                          ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, NULL));
    ck_assert_uint_ge(count, 3); /* the key, the operator, the task */
    /* and on the stream: a workspace for the conversion of float16 */
    fail_alloc_at(1);
    resumed = bp_ascend_resume(0);
    synchronized = aclrtSynchronizeStream(NULL);
    ck_assert(fail_alloc_stop());
    OK(resumed);
    FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, synchronized);
    FAILING(count, aclopCompile("Neg", 1, (const aclTensorDesc *const *)&other, 1,
                                (const aclTensorDesc *const *)&other, NULL, ACL_ENGINE_SYS,
                                ACL_COMPILE_SYS, NULL));
    ck_assert_uint_ge(count, 3);
    aclopDestroyAttr(attr);
    aclDestroyTensorDesc(desc);
    aclDestroyTensorDesc(other);
    OK(aclDestroyDataBuffer(buffer));
    OK(aclrtFree(memory));
    down();
}
END_TEST

START_TEST(creating_descriptions_without_memory)
{
    const int64_t dims[1] = {2};

    fail_alloc_at(1);
    ck_assert_ptr_null(aclCreateTensorDesc(ACL_FLOAT, 1, dims, ACL_FORMAT_ND));
    fail_alloc_at(1);
    ck_assert_ptr_null(aclCreateDataBuffer(NULL, 0));
    fail_alloc_at(1);
    ck_assert_ptr_null(aclopCreateAttr());
    ck_assert(fail_alloc_stop());
    ck_assert_uint_eq(counters().live_descriptions + counters().live_buffers, 0);
    ck_assert_uint_eq(counters().live_attributes, 0);
}
END_TEST

/* y = x + w, put together and built; after a failure nothing of it is left. */
static aclError build_sum(const aclTensorDesc *desc, void **model, size_t *size)
{
    static const float w[2] = {1, 2};
    const aclTensorDesc *descs[2] = {desc, desc};
    bp_ascend_graph *graph = bp_ascend_graph_create("sum");
    uint32_t in[2], y;
    aclError rc = graph ? 0 : ACL_ERROR_BAD_ALLOC;

    if (!rc)
        rc = bp_ascend_graph_input(graph, "x", desc, &in[0]);
    if (!rc)
        rc = bp_ascend_graph_constant(graph, desc, w, sizeof w, &in[1]);
    if (!rc)
        rc = bp_ascend_graph_operator(graph, "Add", 2, in, descs, 1, descs, NULL, &y);
    if (!rc)
        rc = bp_ascend_graph_output(graph, "y", y);
    if (!rc)
        rc = bp_ascend_graph_build(graph, model, size);
    bp_ascend_graph_destroy(graph);
    return rc;
}

START_TEST(building_and_loading_models_without_memory)
{
    const int64_t dims[1] = {2};
    float x[2] = {1, 2};
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 1, dims, ACL_FORMAT_ND);
    aclmdlDataset *in = aclmdlCreateDataset(), *out = aclmdlCreateDataset();
    aclDataBuffer *from, *to = aclCreateDataBuffer(NULL, 0);
    aclmdlDesc *ends = aclmdlCreateDesc();
    unsigned count;
    void *memory, *model;
    size_t size;
    uint32_t id;

    up(NULL);
    memory = device_copy(x, sizeof x);
    from = aclCreateDataBuffer(memory, sizeof x);
    FAILING(count, build_sum(desc, &model, &size));
    ck_assert_uint_ge(count, 10);
    FAILING(count, aclmdlLoadFromMem(model, size, &id));
    ck_assert_uint_ge(count, 10);
    FAILING(count, aclmdlGetDesc(ends, id));
    ck_assert_uint_eq(count, 2);
    FAILING(count, aclmdlAddDatasetBuffer(in, from));
    ck_assert_uint_eq(count, 1);
    OK(aclmdlAddDatasetBuffer(out, to));
    FAILING(count, aclmdlExecute(id, in, out)); /* which allocates the output */
    ck_assert_uint_ge(count, 3);
    OK(aclrtFree(aclGetDataBufferAddr(to)));
    OK(aclmdlUnload(id));
    OK(aclrtFree(memory));
    ck_assert_uint_eq(counters().live_bytes, 0);
    bp_ascend_model_free(model);
    OK(aclmdlDestroyDesc(ends));
    OK(aclmdlDestroyDataset(in));
    OK(aclmdlDestroyDataset(out));
    OK(aclDestroyDataBuffer(from));
    OK(aclDestroyDataBuffer(to));
    aclDestroyTensorDesc(desc);
    down();
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("no memory");

    tcase_add_test(tests, initialising_without_memory);
    tcase_add_test(tests, creating_objects_without_memory);
    tcase_add_test(tests, queueing_tasks_without_memory);
    tcase_add_test(tests, compiling_operators_without_memory);
    tcase_add_test(tests, creating_descriptions_without_memory);
    tcase_add_test(tests, building_and_loading_models_without_memory);
    return check_main("cann_sim_no_memory", &tests, 1);
}
