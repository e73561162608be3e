/* SPDX-License-Identifier: MIT */
/* check_streams.c - streams run later and in order; events, callbacks, and closed memory. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim_kit.h"

START_TEST(tasks_run_later)
{
    aclrtStreamStatus status;
    aclrtStream stream;
    unsigned char *host;
    void *memory, *pinned;

    up(NULL);
    OK(aclrtCreateStream(&stream));
    OK(aclrtMallocHost(&pinned, 4));
    host = pinned;
    memset(host, 0, 4);
    memory = device_bytes(4);
    OK(bp_ascend_pause(0));
    OK(aclrtMemsetAsync(memory, 4, 7, 4, stream));
    OK(aclrtMemcpyAsync(host, 4, memory, 4, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    OK(aclrtStreamQuery(stream, &status));
    ck_assert_int_eq(status, ACL_STREAM_STATUS_NOT_READY);
    ck_assert_int_eq(host[0], 0);
    FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 0));
    FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 5));
    FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeDeviceWithTimeout(5));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStreamWithTimeout(stream, -2));
    OK(aclrtSynchronizeStream(NULL)); /* the default stream has nothing to do with it */
    ck_assert_int_eq(host[0], 0);
    OK(bp_ascend_resume(0));
    OK(aclrtSynchronizeDevice());
    ck_assert_int_eq(host[0], 7);
    ck_assert_int_eq(host[3], 7);
    OK(aclrtStreamQuery(stream, &status));
    ck_assert_int_eq(status, ACL_STREAM_STATUS_COMPLETE);
    OK(aclrtFree(memory));
    OK(aclrtFreeHost(pinned));
    OK(aclrtDestroyStream(stream));
    down();
}
END_TEST

START_TEST(tasks_of_a_stream_run_in_order)
{
    enum { STEPS = 500 };
    aclrtStream stream;
    unsigned char *host;
    void *memory, *pinned;

    up(NULL);
    OK(aclrtCreateStream(&stream));
    OK(aclrtMallocHost(&pinned, STEPS));
    host = pinned;
    memory = device_bytes(1);
    for (int i = 0; i < STEPS; i++) {
        OK(aclrtMemsetAsync(memory, 1, i % 251, 1, stream));
        OK(aclrtMemcpyAsync(host + i, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    }
    OK(aclrtSynchronizeStream(stream));
    for (int i = 0; i < STEPS; i++)
        ck_assert_int_eq(host[i], i % 251);
    ck_assert_uint_eq(counters().tasks_run, 2 * STEPS);
    ck_assert_uint_eq(counters().copies_async[ACL_MEMCPY_DEVICE_TO_HOST].count, STEPS);
    OK(aclrtFree(memory));
    OK(aclrtFreeHost(pinned));
    OK(aclrtDestroyStream(stream));
    down();
}
END_TEST

START_TEST(events_order_streams)
{
    aclrtEventRecordedStatus status;
    aclrtStream one, two;
    aclrtEvent event;
    unsigned char *host;
    void *memory, *pinned;

    up("late_us = 2000");
    OK(bp_ascend_pause(0));
    OK(aclrtCreateStream(&one));
    OK(aclrtCreateStream(&two));
    OK(aclrtCreateEvent(&event));
    OK(aclrtMallocHost(&pinned, 1));
    host = pinned;
    memory = device_bytes(1);
    OK(aclrtMemsetAsync(memory, 1, 1, 1, one));
    OK(aclrtMemsetAsync(memory, 1, 2, 1, one));
    OK(aclrtMemsetAsync(memory, 1, 3, 1, one));
    OK(aclrtRecordEvent(event, one));
    OK(aclrtQueryEventStatus(event, &status));
    ck_assert_int_eq(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
    OK(aclrtStreamWaitEvent(two, event));
    OK(aclrtMemcpyAsync(host, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_HOST, two));
    OK(bp_ascend_resume(0));
    OK(aclrtSynchronizeStream(two));
    ck_assert_int_eq(*host, 3);
    OK(aclrtSynchronizeEvent(event));
    OK(aclrtQueryEventStatus(event, &status));
    ck_assert_int_eq(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
    OK(aclrtResetEvent(event, one));
    OK(aclrtSynchronizeStream(one));
    OK(aclrtQueryEventStatus(event, &status));
    ck_assert_int_eq(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(one));
    OK(aclrtDestroyStream(two));
    OK(aclrtFree(memory));
    OK(aclrtFreeHost(pinned));
    down();
}
END_TEST

START_TEST(events_measure_elapsed_time)
{
    aclrtEvent start, end, timeless;
    float ms = -1;

    up("launch_ns = 1000\nsubmit_ns = 0\nmemory_rate = 2G\n");
    OK(aclrtCreateEvent(&start));
    OK(aclrtCreateEvent(&end));
    OK(aclrtCreateEventWithFlag(&timeless, ACL_EVENT_SYNC));
    OK(bp_ascend_pause(0));
    OK(aclrtRecordEvent(start, NULL));
    FAILS(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, aclrtSynchronizeEventWithTimeout(start, 1));
    FAILS(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventElapsedTime(&ms, start, end));
    OK(bp_ascend_resume(0));
    void *memory = device_bytes(1000000);
    OK(aclrtMemsetAsync(memory, 1000000, 0, 1000000, NULL)); /* at half of 2 GB/s: 1 ms */
    OK(aclrtRecordEvent(end, NULL));
    OK(aclrtRecordEvent(timeless, NULL));
    OK(aclrtSynchronizeStream(NULL));
    OK(aclrtEventElapsedTime(&ms, start, end));
    ck_assert_double_eq_tol((double)ms, 1.001, 1e-6);
    FAILS(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, aclrtEventElapsedTime(&ms, end, start));
    FAILS(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventElapsedTime(&ms, start, timeless));
    OK(aclrtFree(memory));
    OK(aclrtDestroyEvent(start));
    OK(aclrtDestroyEvent(end));
    OK(aclrtDestroyEvent(timeless));
    down();
}
END_TEST

/* Lets the device go on once somebody waits for a queue slot. */
static void *resume_when_blocked(void *unused)
{
    while (counters().queue_blocked == 0)
        usleep(100);
    OK(bp_ascend_resume(0));
    return unused;
}

START_TEST(a_full_queue_makes_the_caller_wait)
{
    aclrtStream stream, persistent;
    pthread_t thread;
    void *memory;

    up("queue_depth = 4");
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateStreamWithConfig(&persistent, 7, ACL_STREAM_PERSISTENT));
    FAILS(ACL_ERROR_INVALID_PARAM, aclrtCreateStreamWithConfig(&persistent, 8, 0));
    memory = device_bytes(4);
    OK(bp_ascend_pause(0));
    ck_assert_int_eq(pthread_create(&thread, NULL, resume_when_blocked, NULL), 0);
    for (int i = 0; i < 5; i++)
        OK(aclrtMemsetAsync(memory, 4, i, 4, stream));
    pthread_join(thread, NULL);
    OK(aclrtSynchronizeStream(stream));
    ck_assert_uint_eq(counters().queue_high_water, 4);
    ck_assert_uint_ge(counters().queue_blocked, 1);
    OK(bp_ascend_pause(0));
    for (int i = 0; i < 4; i++)
        OK(aclrtMemsetAsync(memory, 4, i, 4, persistent));
    FAILS(ACL_ERROR_RT_STREAM_TASK_FULL, aclrtMemsetAsync(memory, 4, 0, 4, persistent));
    OK(bp_ascend_resume(0));
    OK(aclrtDestroyStream(persistent));
    OK(aclrtDestroyStream(stream));
    OK(aclrtFree(memory));
    down();
}
END_TEST

START_TEST(an_aborted_stream_drops_its_queue)
{
    aclrtStream stream;
    aclrtEvent event;
    unsigned char host = 9;
    void *memory;

    up(NULL);
    OK(aclrtCreateStream(&stream));
    OK(aclrtCreateEvent(&event));
    memory = device_copy(&host, 1);
    OK(bp_ascend_pause(0));
    OK(aclrtMemsetAsync(memory, 1, 1, 1, stream));
    OK(aclrtRecordEvent(event, stream));
    OK(aclrtStreamAbort(stream));
    OK(aclrtSynchronizeEvent(event)); /* it would never end */
    OK(bp_ascend_resume(0));
    OK(aclrtSynchronizeStream(stream));
    fetch(&host, memory, 1);
    ck_assert_int_eq(host, 9);
    OK(bp_ascend_pause(0));
    OK(aclrtMemsetAsync(memory, 1, 1, 1, stream));
    OK(aclrtDestroyStreamForce(stream));
    OK(bp_ascend_resume(0));
    fetch(&host, memory, 1);
    ck_assert_int_eq(host, 9);
    OK(aclrtDestroyEvent(event));
    OK(aclrtFree(memory));
    down();
}
END_TEST

START_TEST(asynchronous_copies_check_alignment_and_kind)
{
    char host[256] = {0};
    aclrtStream stream;
    char *memory;

    up(NULL);
    OK(aclrtCreateStream(&stream));
    memory = device_bytes(256);
    FAILS(ACL_ERROR_RT_PARAM_INVALID,
          aclrtMemcpyAsync(host, 8, host + 8, 8, ACL_MEMCPY_HOST_TO_HOST, stream));
    FAILS(ACL_ERROR_RT_ADDR_UNALIGNED,
          aclrtMemcpyAsync(memory + 65, 8, memory, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    OK(aclrtMemcpyAsync(memory + 64, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    OK(aclrtMemcpyAsync(memory, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    OK(aclrtSynchronizeStream(stream));
    ck_assert_uint_eq(bp_ascend_violations(BP_ASCEND_PAGEABLE_COPY), 1);
    OK(aclrtFree(memory));
    OK(aclrtDestroyStream(stream));
    down();
}
END_TEST

/* ---- callbacks ------------------------------------------------------------------------------ */

struct reporter {
    aclrtContext context;
    aclError rc;
    int calls;
};

static void count_call(void *data)
{
    ((struct reporter *)data)->calls++;
}

static void *process_reports(void *data)
{
    struct reporter *reporter = data;

    reporter->rc = aclrtSetCurrentContext(reporter->context);
    while (!reporter->rc && reporter->calls < 3)
        reporter->rc = aclrtProcessReport(10000);
    return NULL;
}

START_TEST(callbacks_run_in_their_thread)
{
    struct reporter reporter = {NULL, 0, 0};
    aclrtStream stream;
    pthread_t thread;
    uint64_t id;

    up(NULL);
    OK(aclrtGetCurrentContext(&reporter.context));
    OK(aclrtCreateStream(&stream));
    FAILS(107015, aclrtLaunchCallback(count_call, &reporter, ACL_CALLBACK_BLOCK, stream));
    FAILS(ACL_ERROR_RT_REPORT_TIMEOUT, aclrtProcessReport(1));
    ck_assert_int_eq(pthread_create(&thread, NULL, process_reports, &reporter), 0);
    id = (uint64_t)(uintptr_t)thread;
    OK(aclrtSubscribeReport(id, stream));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSubscribeReport(id, stream));
    for (int i = 0; i < 3; i++)
        OK(aclrtLaunchCallback(count_call, &reporter, ACL_CALLBACK_BLOCK, stream));
    OK(aclrtSynchronizeStream(stream));
    pthread_join(thread, NULL);
    ck_assert_int_eq(reporter.calls, 3);
    OK(reporter.rc);
    /* one that is not run goes with the stream */
    OK(aclrtLaunchCallback(count_call, &reporter, ACL_CALLBACK_NO_BLOCK, stream));
    OK(aclrtSynchronizeStream(stream));
    OK(aclrtUnSubscribeReport(id, stream));
    FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtUnSubscribeReport(id, stream));
    OK(aclrtDestroyStream(stream));
    ck_assert_int_eq(reporter.calls, 3);
    ck_assert_uint_eq(counters().callbacks, 4);
    down();
}
END_TEST

/* ---- memory --------------------------------------------------------------------------------- */

/* How a child ends that reads or writes there. */
static int touch(volatile char *at, int write)
{
    int status = 0;
    pid_t child;

    fflush(NULL);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        if (write)
            *at = 1;
        _exit(*at == 77 ? 1 : 0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

START_TEST(host_code_cannot_touch_device_memory)
{
    int byte = 42, status;
    char *memory, back[1];
    void *pinned;

    up(NULL);
    memory = device_copy(&byte, 1);
    for (int write = 0; write < 2; write++) {
        status = touch(memory, write);
        ck_assert(WIFSIGNALED(status));
        ck_assert_int_eq(WTERMSIG(status), SIGSEGV);
    }
    OK(aclrtMallocHost(&pinned, 1));
    status = touch(pinned, 1); /* pinned memory is the host's */
    ck_assert(WIFEXITED(status));
    fetch(back, memory, 1);
    ck_assert_int_eq(back[0], 42);
    OK(aclrtFree(memory));
    status = touch(memory, 0);
    ck_assert(WIFSIGNALED(status));
    OK(aclrtFreeHost(pinned));
    down();
}
END_TEST

START_TEST(memory_is_padded_and_limited)
{
    size_t free_bytes, total;
    void *one, *two, *three = NULL;

    up("memory = 4096");
    FAILS(ACL_ERROR_INVALID_PARAM, aclrtMalloc(&three, 0, ACL_MEM_MALLOC_HUGE_FIRST));
    FAILS(ACL_ERROR_INVALID_PARAM, aclrtMalloc(NULL, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    FAILS(ACL_ERROR_INVALID_PARAM, aclrtMallocHost(&three, 0));
    one = device_bytes(1); /* (1 + 32 + 31) / 32 * 32 */
    ck_assert_uint_eq(counters().live_bytes, 64);
    ck_assert_uint_eq((uintptr_t)one % 64, 0);
    OK(aclrtMallocAlign32(&two, 33, ACL_MEM_MALLOC_NORMAL_ONLY));
    ck_assert_uint_eq(counters().live_bytes, 128);
    FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&three, 3968, ACL_MEM_MALLOC_HUGE_FIRST));
    ck_assert_ptr_null(three);
    three = device_bytes(3936); /* to the last byte */
    OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
    ck_assert_uint_eq(free_bytes, 0);
    ck_assert_uint_eq(total, 4096);
    OK(aclrtFree(one));
    OK(aclrtFree(two));
    OK(aclrtFree(three));
    ck_assert_uint_eq(counters().live_bytes, 0);
    ck_assert_uint_eq(counters().peak_bytes, 4096);
    ck_assert_uint_eq(counters().allocations, 3);
    ck_assert_uint_eq(counters().frees, 3);
    down();
}
END_TEST

START_TEST(streams_and_events_are_limited)
{
    aclrtStream one, two;
    aclrtEvent event, another;
    uint32_t left;

    up("streams = 2\nevents = 1"); /* the default stream is one of the two */
    OK(aclrtGetStreamAvailableNum(&left));
    ck_assert_uint_eq(left, 1);
    OK(aclrtCreateStream(&one));
    FAILS(ACL_ERROR_RT_NO_STREAM_RESOURCE, aclrtCreateStream(&two));
    OK(aclrtCreateEvent(&event));
    FAILS(ACL_ERROR_RT_NO_EVENT_RESOURCE, aclrtCreateEvent(&another));
    OK(aclrtDestroyEvent(event));
    OK(aclrtCreateEvent(&event));
    OK(aclrtDestroyEvent(event));
    OK(aclrtDestroyStream(one));
    down();
}
END_TEST

/* ---- many threads --------------------------------------------------------------------------- */

static void *work(void *data)
{
    aclrtContext context = data;
    aclrtStream stream;
    void *memory, *pinned;

    OK(aclrtSetCurrentContext(context));
    OK(aclrtCreateStream(&stream));
    OK(aclrtMallocHost(&pinned, 4096));
    for (int i = 0; i < 50; i++) {
        memory = device_bytes(4096);
        OK(aclrtMemsetAsync(memory, 4096, i, 4096, stream));
        OK(aclrtMemcpyAsync(pinned, 4096, memory, 4096, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        OK(aclrtSynchronizeStream(stream));
        ck_assert_int_eq(((char *)pinned)[4095], i);
        OK(aclrtFree(memory));
    }
    OK(aclrtFreeHost(pinned));
    OK(aclrtDestroyStream(stream));
    return NULL;
}

START_TEST(threads_use_streams_concurrently)
{
    pthread_t threads[4];
    aclrtContext context;

    up(NULL);
    OK(aclrtGetCurrentContext(&context));
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, context), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    ck_assert_uint_eq(counters().live_bytes, 0);
    ck_assert_uint_eq(counters().streams_created, 4);
    down();
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("streams");

    tcase_add_test(tests, tasks_run_later);
    tcase_add_test(tests, tasks_of_a_stream_run_in_order);
    tcase_add_test(tests, events_order_streams);
    tcase_add_test(tests, events_measure_elapsed_time);
    tcase_add_test(tests, a_full_queue_makes_the_caller_wait);
    tcase_add_test(tests, an_aborted_stream_drops_its_queue);
    tcase_add_test(tests, asynchronous_copies_check_alignment_and_kind);
    tcase_add_test(tests, callbacks_run_in_their_thread);
    tcase_add_test(tests, host_code_cannot_touch_device_memory);
    tcase_add_test(tests, memory_is_padded_and_limited);
    tcase_add_test(tests, streams_and_events_are_limited);
    tcase_add_test(tests, threads_use_streams_concurrently);
    return check_main("cann_sim_streams", &tests, 1);
}
