/* SPDX-License-Identifier: MIT */
/* check_rules.c - ACL's own rules: each violation is an error as the vendor's, and counted. */
#include <pthread.h>
#include <stdio.h>

#include "sim_kit.h"

/* The call fails with this code, and is counted as this violation alone. */
#define BREAKS(kind, code, call)                                                                   \
    do {                                                                                           \
        uint64_t before = bp_ascend_violations(kind), all = bp_ascend_violations_total();          \
        FAILS(code, call);                                                                         \
        ck_assert_uint_eq(bp_ascend_violations(kind), before + 1);                                 \
        ck_assert_uint_eq(bp_ascend_violations_total(), all + 1);                                  \
        ck_assert_uint_ge(bp_ascend_errors(code), 1);                                              \
    } while (0)

START_TEST(initialises_once_and_finalises_once)
{
    uint64_t left = 7;

    bp_ascend_reset_counters();
    OK(aclInit(NULL));
    BREAKS(BP_ASCEND_DOUBLE_INIT, ACL_ERROR_REPEAT_INITIALIZE, aclInit(""));
    OK(aclFinalizeReference(&left));
    ck_assert_uint_eq(left, 1);
    OK(aclFinalizeReference(&left));
    ck_assert_uint_eq(left, 0);
    BREAKS(BP_ASCEND_DOUBLE_FINALIZE, ACL_ERROR_REPEAT_FINALIZE, aclFinalizeReference(&left));
    BREAKS(BP_ASCEND_DOUBLE_FINALIZE, ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
    OK(aclInit(NULL));
    aclInit(NULL);
    OK(aclFinalize()); /* at once, whatever the count */
    BREAKS(BP_ASCEND_DOUBLE_FINALIZE, ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
    ck_assert_uint_eq(counters().init_calls, 4);
    ck_assert_uint_eq(counters().finalize_calls, 6);
}
END_TEST

START_TEST(nothing_works_before_initialisation)
{
    uint32_t count;

    BREAKS(BP_ASCEND_NOT_INITIALIZED, ACL_ERROR_UNINITIALIZE, aclrtSetDevice(0));
    BREAKS(BP_ASCEND_NOT_INITIALIZED, ACL_ERROR_UNINITIALIZE, aclrtGetDeviceCount(&count));
    ck_assert_ptr_null(aclrtGetSocName());
}
END_TEST

static void *without_device(void *unused)
{
    aclrtStream stream;
    void *memory;
    int32_t device;

    BREAKS(BP_ASCEND_NO_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL,
           aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    BREAKS(BP_ASCEND_NO_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateStream(&stream));
    BREAKS(BP_ASCEND_NO_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&device));
    BREAKS(BP_ASCEND_NO_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeDevice());
    return unused;
}

START_TEST(a_thread_needs_a_device)
{
    pthread_t thread;

    up(NULL);
    ck_assert_int_eq(pthread_create(&thread, NULL, without_device, NULL), 0);
    pthread_join(thread, NULL);
    down_after(4);
}
END_TEST

START_TEST(device_ids_count_from_0)
{
    up("devices = 2\n[device 1]\nsoc = Ascend310P3\nmemory = 1M\n");
    uint32_t count;
    int32_t device;
    size_t free_bytes, total;

    OK(aclrtGetDeviceCount(&count));
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(aclrtGetSocName(), "Ascend910B3");
    FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(2));
    FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(-1));
    OK(aclrtSetDevice(1));
    OK(aclrtGetDevice(&device));
    ck_assert_int_eq(device, 1);
    ck_assert_str_eq(aclrtGetSocName(), "Ascend310P3");
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
    ck_assert_uint_eq(total, 1 << 20);
    ck_assert_uint_eq(free_bytes, total);
    OK(aclrtResetDevice(1));
    BREAKS(BP_ASCEND_NO_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&device));
    BREAKS(BP_ASCEND_NO_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL, aclrtResetDevice(1));
    down_after(2);
}
END_TEST

START_TEST(a_configuration_without_devices)
{
    uint32_t count = 7;

    OK(bp_ascend_configure("devices = 0"));
    OK(aclInit(NULL));
    OK(aclrtGetDeviceCount(&count));
    ck_assert_uint_eq(count, 0);
    FAILS(ACL_ERROR_RT_NO_DEVICE, aclrtSetDevice(0));
    ck_assert_ptr_null(aclrtGetSocName());
    OK(aclFinalize());
    OK(bp_ascend_configure(NULL));
}
END_TEST

START_TEST(detects_use_after_free)
{
    void *memory;
    char host[64] = {0};

    up(NULL);
    memory = device_bytes(64);
    OK(aclrtFree(memory));
    BREAKS(BP_ASCEND_DOUBLE_FREE, ACL_ERROR_RT_PARAM_INVALID, aclrtFree(memory));
    BREAKS(BP_ASCEND_USE_AFTER_FREE, ACL_ERROR_RT_PARAM_INVALID,
           aclrtMemcpy(memory, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    BREAKS(BP_ASCEND_USE_AFTER_FREE, ACL_ERROR_RT_PARAM_INVALID,
           aclrtMemcpy(host, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    BREAKS(BP_ASCEND_USE_AFTER_FREE, ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(memory, 64, 0, 64));
    FAILS(ACL_ERROR_INVALID_PARAM, aclrtFree(NULL));
    down_after(4);
}
END_TEST

START_TEST(detects_memory_freed_under_a_queued_task)
{
    aclrtStream stream;
    void *memory, *host;

    up(NULL);
    OK(aclrtCreateStream(&stream));
    OK(aclrtMallocHost(&host, 64));
    memory = device_bytes(64);
    OK(bp_ascend_pause(0));
    OK(aclrtMemcpyAsync(memory, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtFree(memory));
    OK(bp_ascend_resume(0));
    FAILS(ACL_ERROR_RT_DEVICE_MEM_ERROR, aclrtSynchronizeStream(stream));
    ck_assert_uint_eq(bp_ascend_violations(BP_ASCEND_USE_AFTER_FREE), 1);
    memory = device_bytes(64);
    OK(bp_ascend_pause(0));
    OK(aclrtMemcpyAsync(memory, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtFreeHost(host));
    OK(bp_ascend_resume(0));
    ck_assert_int_ne(aclrtSynchronizeStream(stream), 0);
    ck_assert_uint_eq(bp_ascend_violations(BP_ASCEND_USE_AFTER_FREE), 2);
    OK(aclrtFree(memory));
    OK(aclrtDestroyStream(stream));
    down_after(2);
}
END_TEST

START_TEST(detects_host_and_device_addresses_mixed_up)
{
    char host[64] = {0};
    void *memory, *pinned;

    up(NULL);
    memory = device_bytes(64);
    OK(aclrtMallocHost(&pinned, 64));
    BREAKS(BP_ASCEND_HOST_AS_DEVICE, ACL_ERROR_RT_PARAM_INVALID,
           aclrtMemcpy(host, 64, pinned, 64, ACL_MEMCPY_HOST_TO_DEVICE));
    BREAKS(BP_ASCEND_HOST_AS_DEVICE, ACL_ERROR_RT_PARAM_INVALID,
           aclrtMemcpy(pinned, 64, host, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    BREAKS(BP_ASCEND_DEVICE_AS_HOST, ACL_ERROR_RT_PARAM_INVALID,
           aclrtMemcpy(memory, 64, (char *)memory + 32, 32, ACL_MEMCPY_HOST_TO_DEVICE));
    BREAKS(BP_ASCEND_DEVICE_AS_HOST, ACL_ERROR_RT_PARAM_INVALID,
           aclrtMemcpy(memory, 64, host, 64, ACL_MEMCPY_HOST_TO_HOST));
    BREAKS(BP_ASCEND_HOST_AS_DEVICE, ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(host, 64, 0, 64));
    BREAKS(BP_ASCEND_HOST_AS_DEVICE, ACL_ERROR_RT_PARAM_INVALID, aclrtFree(host));
    BREAKS(BP_ASCEND_HOST_AS_DEVICE, ACL_ERROR_RT_PARAM_INVALID, aclrtFree(pinned));
    BREAKS(BP_ASCEND_DEVICE_AS_HOST, ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost(memory));
    OK(aclrtMemcpy(memory, 64, host, 64, ACL_MEMCPY_DEFAULT)); /* the addresses tell */
    ck_assert_uint_eq(counters().copies_sync[ACL_MEMCPY_HOST_TO_DEVICE].bytes, 64);
    OK(aclrtFree(memory));
    OK(aclrtFreeHost(pinned));
    down_after(8);
}
END_TEST

START_TEST(detects_accesses_past_the_end_of_a_block)
{
    char host[128] = {0};
    void *memory;

    up(NULL);
    memory = device_bytes(64);
    BREAKS(BP_ASCEND_OUT_OF_BOUNDS, ACL_ERROR_RT_PARAM_INVALID,
           aclrtMemcpy(memory, 128, host, 65, ACL_MEMCPY_HOST_TO_DEVICE));
    BREAKS(BP_ASCEND_OUT_OF_BOUNDS, ACL_ERROR_RT_PARAM_INVALID,
           aclrtMemcpy(host, 128, (char *)memory + 60, 5, ACL_MEMCPY_DEVICE_TO_HOST));
    BREAKS(BP_ASCEND_OUT_OF_BOUNDS, ACL_ERROR_RT_PARAM_INVALID, aclrtFree((char *)memory + 1));
    FAILS(ACL_ERROR_RT_PARAM_INVALID,
          aclrtMemcpy(memory, 8, host, 9, ACL_MEMCPY_HOST_TO_DEVICE)); /* destMax */
    FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(NULL, 8, host, 8, ACL_MEMCPY_HOST_TO_DEVICE));
    FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(memory, 8, host, 8, (aclrtMemcpyKind)9));
    OK(aclrtMemcpy(NULL, 0, NULL, 0, ACL_MEMCPY_HOST_TO_DEVICE));
    OK(aclrtFree(memory));
    down_after(3);
}
END_TEST

START_TEST(streams_and_events_belong_to_their_context)
{
    aclrtContext first, second;
    aclrtStream stream, other;
    aclrtEvent event;

    up("devices = 2");
    OK(aclrtGetCurrentContext(&first));
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateContext(&second, 1));
    OK(aclrtCreateStream(&other));
    OK(aclrtCreateEvent(&event));
    BREAKS(BP_ASCEND_WRONG_CONTEXT, ACL_ERROR_RT_STREAM_CONTEXT, aclrtSynchronizeStream(stream));
    BREAKS(BP_ASCEND_WRONG_CONTEXT, ACL_ERROR_RT_STREAM_CONTEXT, aclrtRecordEvent(event, stream));
    BREAKS(BP_ASCEND_WRONG_CONTEXT, ACL_ERROR_RT_STREAM_CONTEXT, aclrtDestroyStream(stream));
    OK(aclrtSetCurrentContext(first));
    BREAKS(BP_ASCEND_WRONG_CONTEXT, ACL_ERROR_RT_STREAM_CONTEXT, aclrtSynchronizeEvent(event));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtDestroyStream(stream));
    BREAKS(BP_ASCEND_BAD_HANDLE, ACL_ERROR_RT_INVALID_HANDLE, aclrtSynchronizeStream(stream));
    BREAKS(BP_ASCEND_BAD_HANDLE, ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyStream(stream));
    BREAKS(BP_ASCEND_BAD_HANDLE, ACL_ERROR_RT_INVALID_HANDLE, aclrtSetCurrentContext(stream));
    OK(aclrtSetCurrentContext(second));
    OK(aclrtDestroyEvent(event));
    BREAKS(BP_ASCEND_BAD_HANDLE, ACL_ERROR_RT_INVALID_HANDLE, aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(other));
    OK(aclrtDestroyContext(second));
    FAILS(ACL_ERROR_INVALID_PARAM, aclrtDestroyContext(first));
    FAILS(ACL_ERROR_INVALID_PARAM, aclrtDestroyStream(NULL));
    down_after(8);
}
END_TEST

START_TEST(detects_memory_of_another_device)
{
    float zero = 0;
    struct op_case op = {
        "Abs", NULL, 1, 1, {VALUE(ACL_FLOAT, &zero, 1)}, {VALUE(ACL_FLOAT, &zero, 1)}};
    aclTensorDesc *desc;
    aclDataBuffer *buffer;
    void *memory;

    up("devices = 2");
    memory = device_bytes(4);
    OK(run_op(&op));
    OK(aclrtSetDevice(1));
    desc = aclCreateTensorDesc(ACL_FLOAT, 0, NULL, ACL_FORMAT_ND);
    buffer = aclCreateDataBuffer(memory, 4);
    OK(aclopCompileAndExecute("Abs", 1, (const aclTensorDesc *const *)&desc,
                              (const aclDataBuffer *const *)&buffer, 1,
                              (const aclTensorDesc *const *)&desc, &buffer, NULL, ACL_ENGINE_SYS,
                              ACL_COMPILE_SYS, NULL, NULL));
    FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(NULL));
    ck_assert_uint_eq(bp_ascend_violations(BP_ASCEND_OTHER_DEVICE), 1);
    aclDestroyTensorDesc(desc);
    OK(aclDestroyDataBuffer(buffer));
    OK(aclrtFree(memory));
    down_after(1);
}
END_TEST

START_TEST(counts_what_is_not_freed)
{
    char text[256];
    aclrtStream stream;
    aclrtEvent event;

    up(NULL);
    device_bytes(100);
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateEvent(&event));
    OK(aclrtResetDevice(0));
    ck_assert_uint_eq(bp_ascend_violations(BP_ASCEND_LEFT_BEHIND), 1);
    bp_ascend_last_violation(text, sizeof text);
    ck_assert_str_eq(text,
                     "left behind: device 0: 1 streams, 1 events, 1 blocks of memory, 0 models");
    ck_assert_uint_eq(counters().live_bytes, 0);
    ck_assert_uint_eq(counters().streams_created, counters().streams_destroyed - 1); /* default */
    down_after(1);
}
END_TEST

START_TEST(waiting_for_an_event_never_recorded_is_counted)
{
    aclrtStream stream;
    aclrtEvent event;

    up(NULL);
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateEvent(&event));
    OK(aclrtStreamWaitEvent(stream, event));
    OK(aclrtSynchronizeEvent(event));
    ck_assert_uint_eq(bp_ascend_violations(BP_ASCEND_NEVER_RECORDED), 2);
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(stream));
    down_after(2);
}
END_TEST

START_TEST(error_messages_are_per_thread_and_read_once)
{
    const char *text;

    up(NULL);
    ck_assert_ptr_null(aclGetRecentErrMsg());
    FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(9));
    text = aclGetRecentErrMsg();
    ck_assert_ptr_nonnull(text);
    ck_assert_str_eq(text, "E107001: device 9 of 1");
    ck_assert_ptr_null(aclGetRecentErrMsg());
    ck_assert_str_eq(bp_ascend_violation_name(BP_ASCEND_USE_AFTER_FREE), "use after free");
    for (uint32_t i = 0; i < BP_ASCEND_VIOLATIONS; i++)
        ck_assert_ptr_nonnull(bp_ascend_violation_name(i));
    ck_assert_ptr_null(bp_ascend_violation_name(BP_ASCEND_VIOLATIONS));
    ck_assert_uint_eq(bp_ascend_violations(BP_ASCEND_VIOLATIONS), 0);
    down();
}
END_TEST

/* Clears what the test before left in this process. */
static void begin(void)
{
    while (aclGetRecentErrMsg())
        ;
}

int main(void)
{
    TCase *tests = tcase_create("rules");

    tcase_add_checked_fixture(tests, begin, NULL);
    tcase_add_test(tests, initialises_once_and_finalises_once);
    tcase_add_test(tests, nothing_works_before_initialisation);
    tcase_add_test(tests, a_thread_needs_a_device);
    tcase_add_test(tests, device_ids_count_from_0);
    tcase_add_test(tests, a_configuration_without_devices);
    tcase_add_test(tests, detects_use_after_free);
    tcase_add_test(tests, detects_memory_freed_under_a_queued_task);
    tcase_add_test(tests, detects_host_and_device_addresses_mixed_up);
    tcase_add_test(tests, detects_accesses_past_the_end_of_a_block);
    tcase_add_test(tests, streams_and_events_belong_to_their_context);
    tcase_add_test(tests, detects_memory_of_another_device);
    tcase_add_test(tests, counts_what_is_not_freed);
    tcase_add_test(tests, waiting_for_an_event_never_recorded_is_counted);
    tcase_add_test(tests, error_messages_are_per_thread_and_read_once);
    return check_main("cann_sim_rules", &tests, 1);
}
