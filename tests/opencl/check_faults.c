/* SPDX-License-Identifier: MIT */
/*
 * check_faults.c - the provider opencl when its driver fails: each call that it makes fails once at
 * each place, which is a status whose words name the function and OpenCL's error, or does not matter;
 * all objects are released, and the next run is right.
 */

#include "config.h"

#include "opencl_kit.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/library.h"
#include "session/session.h"

static char cache[64]; /* a folder for programs */
static bool is_cached; /* there are some */

/* ---- which functions have failed ------------------------------------------------------------- */

enum { MAX_SEEN = 64 };

static struct {
    const char *calls[MAX_SEEN]; /* that have failed, with a status for the caller or without */
    uint32_t n;
} seen;

static bool is_seen(const char *call)
{
    for (uint32_t i = 0; i < seen.n; i++) {
        if (strcmp(seen.calls[i], call) == 0)
            return true;
    }
    return false;
}

static void note(const char *call)
{
    if (!is_seen(call))
        seen.calls[seen.n++] = call;
    ck_assert_uint_lt(seen.n, MAX_SEEN);
}

/* What may fail without a consequence: the cache, profiles, sizes of what is freed, and the end. */
static bool is_tolerated(const char *call)
{
    static const char *const calls[] = {"clCreateProgramWithBinary", "clGetEventProfilingInfo",
                                        "clGetMemObjectInfo",        "clGetProgramBuildInfo",
                                        "clGetProgramInfo",          "clRelease"};

    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (strncmp(call, calls[i], strlen(calls[i])) == 0)
            return true;
    }
    return false;
}

/* A failure has happened, unless *is_over. What came of it, `rc`, has to fit. */
static void check_answer(bp_rc rc, bool *is_over)
{
    cl_int code;
    const char *call = ocl->failed(&code);
    const char *shown;

    ocl->clear();
    *is_over = call == NULL;
    if (!call) {
        KIT_OK(rc);
        return;
    }
    note(call);
    if (rc >= 0) /* what cannot be built of a binary is built of its source */
        ck_assert_msg(is_tolerated(call) || (is_cached && strcmp(call, "clBuildProgram") == 0),
                      "%s fails with %d, and nobody minds", call, (int)code);
    if (rc >= 0)
        return;
    shown = strcmp(call, "eventStatus") == 0 ? "clGetEventInfo" : call;
    ck_assert_msg(strstr(kit.text, "opencl") != NULL, "%s", kit.text);
    ck_assert_msg(strstr(kit.text, shown) != NULL, "%s failed, the words are: %s", call, kit.text);
    ck_assert_msg(strstr(kit.text, bp_opencl_status_name(code)) != NULL, "%d is not in: %s",
                  (int)code, kit.text);
}

/* ---- each call, once ------------------------------------------------------------------------- */

static void fail_each_of_creation(void)
{
    bool is_over = false;

    for (uint64_t n = 1; !is_over; n++) {
        bp_rc rc;

        ocl->fail_nth(n);
        rc = kit_try_session();
        check_answer(rc, &is_over);
        if (rc >= 0)
            ocl_check_run(3, 0, NULL);
        ocl_check_left();
    }
}

/* The first run of a session, or a later one, which makes no frame and sets no argument. */
static void fail_each_of_runs(bool is_first, const bp_run_options *options)
{
    bool is_over = false;

    kit_session();
    if (is_first)
        ocl_check_left();
    for (uint64_t n = 1; !is_over; n++) {
        uint32_t n_wrong;
        cl_int code;
        bp_rc rc;

        if (is_first)
            kit_session();
        else
            ocl_check_run(3, 1, options);
        ocl->fail_nth(n);
        rc = ocl_run(3, (float)n, options, &n_wrong, &kit.err);
        if (rc < 0 && ocl->failed(&code))
            ck_assert_int_eq(kit.err.native_code, code);
        check_answer(rc, &is_over);
        ck_assert_uint_eq(n_wrong, 0);
        ocl_check_run(3, 2, options);
        if (is_first)
            ocl_check_left();
    }
    ocl_check_left();
}

static void fail_each_of_the_end(void)
{
    cl_int code;

    for (uint64_t n = 1;; n++) {
        kit_session();
        ocl_check_run(2, 0, NULL);
        ocl->fail_nth(n);
        ocl_check_left();
        if (!ocl->failed(&code))
            break;
        note(ocl->failed(&code));
        ocl->clear();
    }
    ocl->clear();
}

/* Programs of their source, which the other runs have in the folder. */
static void fail_each_build(const char *call, cl_int with)
{
    bool is_over = false;

    for (uint32_t skip = 0; !is_over; skip++) {
        uint32_t n_wrong;

        kit_session();
        ocl->fail_call(call, skip, 1, with);
        check_answer(ocl_run(3, 0, NULL, &n_wrong, &kit.err), &is_over);
        ocl_check_run(3, 1, NULL);
        ocl_check_left();
    }
}

static void remove_cache(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", cache);
    ck_assert_int_eq(system(command), 0);
}

/* What cannot be kept is built anew the next time. */
static void fail_to_keep(void)
{
    for (uint32_t skip = 0; skip < 2; skip++) {
        remove_cache();
        kit_session();
        ocl->fail_call("clGetProgramInfo", skip, 1, CL_OUT_OF_HOST_MEMORY);
        ocl_check_run(3, 0, NULL);
        ck_assert_ptr_nonnull(ocl->failed(&(cl_int){0}));
        ocl->clear();
        note("clGetProgramInfo");
        ocl_check_left();
    }
    remove_cache();
}

/* The status of a build comes without the log, then. */
static void fail_a_log(void)
{
    uint32_t n_wrong;

    for (uint32_t skip = 0; skip < 2; skip++) {
        kit_session();
        ocl->fail_call("clBuildProgram", 0, 1, CL_BUILD_PROGRAM_FAILURE);
        ocl->fail_call("clGetProgramBuildInfo", skip, 1, CL_OUT_OF_HOST_MEMORY);
        KIT_FAILS(ocl_run(2, 0, NULL, &n_wrong, &kit.err), BP_E_UNSUPPORTED, "clBuildProgram",
                  "CL_BUILD_PROGRAM_FAILURE (-11)");
        ocl->clear();
        note("clGetProgramBuildInfo");
        ocl_check_left();
    }
}

static void count_call(void *u, bp_rc rc)
{
    atomic_int *n = u;

    ck_assert_int_eq(rc, BP_OK);
    atomic_fetch_add(n, 1);
}

/* The host asks for them where a session has two devices; here by hand. */
static void fail_waits(void)
{
    atomic_int n_calls = 0;
    const struct bp_active *active;
    const bp_device_ops *dev;
    void *stream = NULL, *event = NULL;
    bool is_over;
    bp_rc rc;

    kit_session();
    active = kit.session->main.engine->providers.active[0];
    dev = active->provider->dev;
    KIT_OK(dev->stream_create(active->instance, 0, 0, &stream, &kit.err));
    KIT_OK(dev->event_create(active->instance, 0, 0, &event, &kit.err));
    KIT_OK(dev->event_record(active->instance, stream, event, &kit.err));
    ocl->fail_call("clEnqueueBarrierWithWaitList", 0, 1, CL_OUT_OF_RESOURCES);
    rc = dev->stream_wait(active->instance, stream, event, &kit.err);
    check_answer(rc, &is_over);
    ck_assert(!is_over);
    KIT_OK(dev->stream_wait(active->instance, stream, event, &kit.err));
    KIT_OK(dev->event_wait(active->instance, event, INT64_MAX, &kit.err));
    ocl->fail_call("clSetEventCallback", 0, 1, CL_OUT_OF_HOST_MEMORY);
    rc = dev->event_notify(active->instance, event, count_call, &n_calls, &kit.err);
    check_answer(rc, &is_over);
    KIT_OK(dev->event_notify(active->instance, event, count_call, &n_calls, &kit.err));
    dev->event_destroy(active->instance, event);
    dev->stream_destroy(active->instance, stream); /* waits for the call */
    ck_assert_int_eq(n_calls, 1);
    ocl_check_left();
}

/* Listing is tested by each_way_to_list_devices_may_fail. */
static bool is_listing(const char *call)
{
    static const char *const calls[] = {"clGetPlatformIDs", "clGetPlatformInfo", "clGetDeviceIDs",
                                        "clGetDeviceInfo"};

    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (strcmp(call, calls[i]) == 0)
            return true;
    }
    return false;
}

static void check_all_seen(void)
{
#define F(name)                                                                                    \
    ck_assert_msg(ocl->knows(#name), "the fault driver lacks %s", #name);                          \
    ck_assert_msg(is_listing(#name) || is_seen(#name), "%s has never failed", #name);
    BP_OPENCL_FUNCTIONS(F)
#undef F
    ck_assert(is_seen("eventStatus"));
}

START_TEST(each_call_that_fails_is_a_status_and_leaves_nothing)
{
    bp_run_options timed = {.struct_size = sizeof timed, .timeout_ns = INT64_C(3600000000000)};
    bp_run_options profiled = {.struct_size = sizeof profiled};

    snprintf(cache, sizeof cache, "/tmp/bp-opencl-%ld", (long)getpid());
    ocl_session("N", "cache_dir", cache);
    ocl_check_run(1, 0, NULL); /* devices are listed, and programs are in the folder */
    ocl_check_left();
    is_cached = true;
    fail_each_of_creation();
    fail_each_of_runs(true, NULL);
    fail_each_of_runs(false, NULL);
    fail_each_of_runs(false, &timed);
    fail_each_of_the_end();
    fail_to_keep();
    is_cached = false;
    ocl_add(BP_FALLBACK_REQUIRE, NULL, NULL);
    fail_each_build("clCreateProgramWithSource", CL_OUT_OF_HOST_MEMORY);
    fail_each_build("clBuildProgram", CL_BUILD_PROGRAM_FAILURE);
    fail_waits();
    fail_a_log();
    KIT_OK(bp_profile_create(1000, &profiled.profile, &kit.err));
    ocl_add(BP_FALLBACK_REQUIRE, "profiling", "true");
    fail_each_of_runs(false, &profiled);
    bp_profile_destroy(profiled.profile);
    check_all_seen();
}
END_TEST

/* ---- listing --------------------------------------------------------------------------------- */

static const struct {
    const char *call;
    bool is_fatal;
} listing[] = {
    {"clGetPlatformIDs", true},
    {"clGetDeviceIDs", true},
    {"clGetDeviceInfo", true},
    {"clGetPlatformInfo", false}, /* the driver's name */
};

enum { N_LISTING = sizeof listing / sizeof listing[0] };

/* 0: as it should be. In a child, since devices are listed once a process. */
static int list_with_fault(uint32_t i)
{
    bp_rc rc;

    ocl->fail_call(listing[i].call, 0, 1000000, CL_OUT_OF_HOST_MEMORY);
    ocl_model("2");
    ocl_add(BP_FALLBACK_REQUIRE, NULL, NULL);
    rc = kit_try_session();
    if (!listing[i].is_fatal)
        return rc >= 0 ? 0 : 1;
    if (rc != BP_E_UNAVAILABLE || !strstr(kit.text, listing[i].call) ||
        !strstr(kit.text, "CL_OUT_OF_HOST_MEMORY"))
        return 2;
    ocl_teardown(); /* the next environment asks again */
    ocl_setup();
    ocl_model("2");
    ocl_add(BP_FALLBACK_REQUIRE, NULL, NULL);
    return kit_try_session() >= 0 ? 0 : 3;
}

START_TEST(each_way_to_list_devices_may_fail)
{
    int status = 1;
    pid_t child = fork();

    if (child == 0)
        _exit(list_with_fault((uint32_t)_i));
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(status == 0, "%s: status %d", listing[_i].call, status);
}
END_TEST

/* ---- policies -------------------------------------------------------------------------------- */

static const struct {
    const char *call;
    cl_int code;
    bp_rc rc;
} hopeless[] = {
    {"clCreateContext", CL_DEVICE_NOT_AVAILABLE, BP_E_DEVICE_LOST},
    {"clCreateCommandQueue", CL_OUT_OF_HOST_MEMORY, BP_E_UNAVAILABLE},
    {"clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE, BP_E_NOMEM},
    {"clCreateBuffer", CL_OUT_OF_RESOURCES, BP_E_NOMEM},
    {"clEnqueueWriteBuffer", CL_OUT_OF_RESOURCES, BP_E_DEVICE_LOST},
};

enum { N_HOPELESS = sizeof hopeless / sizeof hopeless[0] };

START_TEST(a_failure_at_creation_goes_by_the_policy)
{
    ocl_model("N");
    for (uint32_t policy = BP_FALLBACK_SILENT; policy <= BP_FALLBACK_REQUIRE; policy++) {
        ocl_add(policy, NULL, NULL);
        ocl->fail_call(hopeless[_i].call, 0, 1000000, hopeless[_i].code);
        kit.n_lines = 0;
        if (policy == BP_FALLBACK_REQUIRE) {
            KIT_FAILS(kit_try_session(), hopeless[_i].rc, hopeless[_i].call,
                      bp_opencl_status_name(hopeless[_i].code));
        } else {
            kit_session();
            ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, hopeless[_i].call),
                              policy == BP_FALLBACK_WARN);
            ocl_check_run(3, 0, NULL); /* cpu runs all of it */
        }
        ocl->clear();
        ocl_check_left();
    }
}
END_TEST

/* ---- runs ------------------------------------------------------------------------------------ */

START_TEST(the_compilers_log_is_in_the_error)
{
    uint32_t n_wrong;

    ocl_session("N", NULL, NULL);
    ocl->fail_call("clBuildProgram", 0, 1, CL_BUILD_PROGRAM_FAILURE);
    KIT_FAILS(ocl_run(2, 0, NULL, &n_wrong, &kit.err), BP_E_UNSUPPORTED, "clBuildProgram",
              FAULT_BUILD_LOG);
    ocl_check_run(2, 0, NULL); /* it is asked again */
}
END_TEST

START_TEST(a_lost_device_fails_each_run_until_it_is_back)
{
    uint32_t n_wrong;

    ocl_session("N", NULL, NULL);
    ocl_check_run(2, 0, NULL);
    ocl->lose(true);
    for (uint32_t i = 1; i < 4; i++) /* of the shape that is prepared, and of others */
        KIT_FAILS(ocl_run(i, 0, NULL, &n_wrong, &kit.err), BP_E_DEVICE_LOST, "opencl",
                  "CL_DEVICE_NOT_AVAILABLE");
    ocl->lose(false);
    ocl_check_run(2, 1, NULL);
    ocl->lose(true);
    ocl_check_left(); /* it can be ended too */
}
END_TEST

START_TEST(no_device_memory_fails_the_run_until_there_is_some)
{
    uint32_t n_wrong;

    ocl_session("N", NULL, NULL);
    ocl_check_run(2, 0, NULL);
    ocl->fail_call("clCreateBuffer", 0, 1000000, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    KIT_FAILS(ocl_run(12, 0, NULL, &n_wrong, &kit.err), BP_E_NOMEM, "clCreateBuffer",
              "CL_MEM_OBJECT_ALLOCATION_FAILURE");
    ocl->clear();
    ocl_check_run(12, 0, NULL);
}
END_TEST

START_TEST(a_kernel_that_takes_too_long_ends_the_wait)
{
    bp_run_options options = {.struct_size = sizeof options, .timeout_ns = 20 * 1000 * 1000};
    uint32_t n_wrong;

    ocl_session("N", NULL, NULL);
    ocl_check_run(2, 0, NULL);
    ocl->delay(150);
    KIT_FAILS(ocl_run(2, 0, &options, &n_wrong, &kit.err), BP_E_TIMEOUT, "time");
    ocl->delay(0);
    ocl_check_run(2, 1, NULL);
}
END_TEST

/* What a driver's watchdog makes of a kernel that takes too long. */
START_TEST(a_kernel_that_the_driver_ends_is_a_lost_device)
{
    uint32_t n_wrong;

    ocl_session("N", NULL, NULL);
    ocl_check_run(2, 0, NULL);
    ocl->fail_call("clWaitForEvents", 0, 1, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    KIT_FAILS(ocl_run(2, 0, NULL, &n_wrong, &kit.err), BP_E_DEVICE_LOST, "clWaitForEvents",
              "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST");
    ocl_check_run(2, 1, NULL);
}
END_TEST

/* A second session of the model adds a queue, and no buffer until it runs; either may end first. */
START_TEST(sessions_share_a_context_and_constants)
{
    bp_session *other = NULL;
    long long buffers;

    ocl_session("N", NULL, NULL);
    buffers = ocl->live(FAULT_BUFFERS);
    ck_assert_int_gt(buffers, 0);
    KIT_OK(bp_session_create_from_model(kit.env, kit_model(), kit.options, &other, &kit.err));
    ck_assert_int_eq(ocl->live(FAULT_CONTEXTS), 1);
    ck_assert_int_eq(ocl->live(FAULT_BUFFERS), buffers);
    bp_session_destroy(kit.session);
    kit.session = other;
    ck_assert_int_eq(ocl->live(FAULT_BUFFERS), buffers);
    ocl_check_run(3, 0, NULL);
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("listing"), tcase_create("calls"), tcase_create("policies"),
                      tcase_create("runs")};

    tcase_add_loop_test(cases[0], each_way_to_list_devices_may_fail, 0, N_LISTING); /* first */
    tcase_add_test(cases[1], each_call_that_fails_is_a_status_and_leaves_nothing);
    tcase_add_loop_test(cases[2], a_failure_at_creation_goes_by_the_policy, 0, N_HOPELESS);
    tcase_add_test(cases[3], the_compilers_log_is_in_the_error);
    tcase_add_test(cases[3], a_lost_device_fails_each_run_until_it_is_back);
    tcase_add_test(cases[3], no_device_memory_fails_the_run_until_there_is_some);
    tcase_add_test(cases[3], a_kernel_that_takes_too_long_ends_the_wait);
    tcase_add_test(cases[3], a_kernel_that_the_driver_ends_is_a_lost_device);
    tcase_add_test(cases[3], sessions_share_a_context_and_constants);
    return ocl_main("opencl_faults", cases, 4);
}
