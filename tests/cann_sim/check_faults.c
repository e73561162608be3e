/* SPDX-License-Identifier: MIT */
/* check_faults.c - configuration, faults on order, the cache of operators, simulated time. */
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim_kit.h"

/* ---- configuration -------------------------------------------------------------------------- */

static const struct {
    const char *text, *message;
} wrong[] = {
    {"devices = 17",
     "E100000: the simulator's configuration: line 1: \"17\" is not a valid value for devices"},
    {"\ncolour = red",
     "E100000: the simulator's configuration: line 2: there is no key \"colour\""},
    {"soc = H100",
     "E100000: the simulator's configuration: line 1: \"H100\" is not a valid value for soc"},
    {"memory = 1X",
     "E100000: the simulator's configuration: line 1: \"1X\" is not a valid value for memory"},
    {"memory", "E100000: the simulator's configuration: line 1: \"memory\" is not \"key = value\""},
    {"[device 16]",
     "E100000: the simulator's configuration: line 1: [device 16] is not [device 0] to "
     "[device 15]"},
    {"[device 0]\ndevices = 1", "E100000: the simulator's configuration: line 2: there is no key "
                                "\"devices\" of a device"},
    {"fault = sneeze",
     "E100000: the simulator's configuration: line 1: \"sneeze\" is not a valid value for fault"},
    {"state = tired",
     "E100000: the simulator's configuration: line 1: \"tired\" is not a valid value for state"},
    {"launch_ns = -1",
     "E100000: the simulator's configuration: line 1: \"-1\" is not a valid value for launch_ns"},
    {"memory = 99999999999T",
     "E100000: the simulator's configuration: line 1: \"99999999999T\" is not "
     "a valid value for memory"},
};

START_TEST(reports_what_is_wrong_in_a_configuration)
{
    FAILS(ACL_ERROR_INVALID_PARAM, bp_ascend_configure(wrong[_i].text));
    ck_assert_str_eq(aclGetRecentErrMsg(), wrong[_i].message);
}
END_TEST

/* A file with this in it; its name is left in `path`. */
static void write_file(char *path, const char *text)
{
    FILE *file;
    int fd;

    strcpy(path, "check_faults.XXXXXX");
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    file = fdopen(fd, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

START_TEST(reads_the_file_that_the_environment_names)
{
    char path[32];
    uint32_t count;

    write_file(path, "# a board\ndevices = 3 # of them\nsoc = Ascend310P3\n");
    setenv("BP_ASCEND_SIM", path, 1);
    up(NULL);
    OK(aclrtGetDeviceCount(&count));
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(aclrtGetSocName(), "Ascend310P3");
    FAILS(ACL_ERROR_REPEAT_INITIALIZE, bp_ascend_configure(NULL));
    down();
    unlink(path);
    FAILS(ACL_ERROR_INVALID_FILE, aclInit(NULL));
    unsetenv("BP_ASCEND_SIM");
}
END_TEST

static const struct {
    const char *text;
    aclError rc;
    uint64_t limit;
} vendors[] = {
    {"{}", 0, 20000},
    {"{\"max_opqueue_num\": \"300\"}", 0, 300},
    {"{\"dump\": {\"max_opqueue_num\": 1}, \"x\": [1.5, true, null], \"max_opqueue_num\": 7}", 0,
     7},
    {"{\"max_opqueue_num\": 0}", ACL_ERROR_INVALID_PARAM, 0},
    {"{\"max_opqueue_num\": \"-3\"}", ACL_ERROR_INVALID_PARAM, 0},
    {"{\"max_opqueue_num\": \"many\"}", ACL_ERROR_INVALID_PARAM, 0},
    {"{\"a\": 1,}", ACL_ERROR_PARSE_FILE, 0},
    {"{\"a\": 01x}", ACL_ERROR_PARSE_FILE, 0},
    {"{\"a\": \"open", ACL_ERROR_PARSE_FILE, 0},
    {"", ACL_ERROR_PARSE_FILE, 0},
    {"[[[[[[[[[[1]]]]]]]]]]", 0, 20000},
    {"[[[[[[[[[[[1]]]]]]]]]]]", ACL_ERROR_PARSE_FILE, 0},
};

START_TEST(reads_the_configuration_file_of_acl_init)
{
    char path[32];

    write_file(path, vendors[_i].text);
    FAILS(vendors[_i].rc, aclInit(path));
    if (vendors[_i].rc == 0) {
        ck_assert_uint_eq(counters().cache_limit, vendors[_i].limit);
        OK(aclFinalize());
    }
    unlink(path);
    FAILS(ACL_ERROR_INVALID_FILE, aclInit("/nowhere/acl.json"));
}
END_TEST

/* ---- faults --------------------------------------------------------------------------------- */

START_TEST(the_nth_allocation_fails)
{
    void *memory[3], *more;

    up(NULL);
    OK(bp_ascend_fault(BP_ASCEND_AT_MALLOC, 2, 1, 0));
    memory[0] = device_bytes(8);
    memory[1] = device_bytes(8);
    FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&more, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    ck_assert_str_eq(aclGetRecentErrMsg(), "E207001: an injected fault at malloc");
    memory[2] = device_bytes(8);
    for (int i = 0; i < 3; i++)
        OK(aclrtFree(memory[i]));
    FAILS(ACL_ERROR_INVALID_PARAM, bp_ascend_fault(BP_ASCEND_POINTS, 0, 1, 0));
    FAILS(ACL_ERROR_INVALID_PARAM, bp_ascend_fault_random(BP_ASCEND_AT_COPY, 1000001, 0, 0));
    down();
}
END_TEST

START_TEST(a_fault_at_each_point_fails_one_call)
{
    float x = 1;
    struct op_case op = {"Abs", NULL, 1, 1, {VALUE(ACL_FLOAT, &x, 1)}, {VALUE(ACL_FLOAT, &x, 1)}};
    aclrtStream stream;
    aclrtEvent event;
    void *memory;

    up(NULL);
    memory = device_bytes(4);
    OK(bp_ascend_fault(BP_ASCEND_AT_SET_DEVICE, 0, 1, 0));
    FAILS(ACL_ERROR_RT_DEV_SETUP_ERROR, aclrtSetDevice(0));
    OK(bp_ascend_fault(BP_ASCEND_AT_MALLOC_HOST, 0, 1, 0));
    FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMallocHost(&memory, 4));
    OK(bp_ascend_fault(BP_ASCEND_AT_COPY, 0, 1, ACL_ERROR_RT_DEVICE_OOM));
    FAILS(ACL_ERROR_RT_DEVICE_OOM, aclrtMemset(memory, 4, 0, 4));
    OK(bp_ascend_fault(BP_ASCEND_AT_COPY, 0, 1, 0));
    FAILS(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtMemsetAsync(memory, 4, 0, 4, NULL));
    OK(bp_ascend_fault(BP_ASCEND_AT_CREATE_STREAM, 0, 1, 0));
    FAILS(ACL_ERROR_RT_NO_STREAM_RESOURCE, aclrtCreateStream(&stream));
    OK(bp_ascend_fault(BP_ASCEND_AT_CREATE_EVENT, 0, 1, 0));
    FAILS(ACL_ERROR_RT_NO_EVENT_RESOURCE, aclrtCreateEvent(&event));
    OK(bp_ascend_fault(BP_ASCEND_AT_COMPILE, 0, 1, 0));
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op));
    OK(bp_ascend_fault(BP_ASCEND_AT_LAUNCH, 0, 1, 0));
    FAILS(ACL_ERROR_RT_FAILURE, run_op(&op));
    OK(bp_ascend_fault(BP_ASCEND_AT_TASK, 0, 1, 0));
    FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, run_op(&op));
    OK(bp_ascend_fault(BP_ASCEND_AT_SYNC, 0, 1, 0));
    FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStream(NULL));
    OK(run_op(&op)); /* the fault is over */
    OK(aclrtFree(memory));
    down();
}
END_TEST

START_TEST(random_faults_repeat_with_the_same_seed)
{
    uint64_t failed[2] = {0, 0}, pattern[2] = {0, 0};
    void *memory;

    up(NULL);
    memory = device_bytes(4);
    for (int round = 0; round < 2; round++) {
        OK(bp_ascend_fault_random(BP_ASCEND_AT_COPY, 100000, 42, 0));
        for (int i = 0; i < 1000; i++)
            if (aclrtMemset(memory, 4, 0, 4) != 0) {
                failed[round]++;
                pattern[round] = pattern[round] * 31 + (uint64_t)i;
            }
    }
    bp_ascend_clear_faults();
    ck_assert_uint_eq(pattern[0], pattern[1]);
    ck_assert_uint_ge(failed[0], 60);
    ck_assert_uint_le(failed[0], 140);
    OK(aclrtFree(memory));
    down();
}
END_TEST

START_TEST(a_configuration_injects_faults)
{
    void *memory;

    up("fault = malloc after 1 times 2 code 207018\nfault = copy chance 1000000 seed 3\n");
    memory = device_bytes(4);
    FAILS(ACL_ERROR_RT_DEVICE_OOM, aclrtMalloc(&memory, 4, ACL_MEM_MALLOC_HUGE_FIRST));
    FAILS(ACL_ERROR_RT_DEVICE_OOM, aclrtMalloc(&memory, 4, ACL_MEM_MALLOC_HUGE_FIRST));
    FAILS(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtMemset(memory, 4, 0, 4));
    OK(aclrtFree(memory));
    down();
}
END_TEST

START_TEST(a_busy_device_cannot_be_set)
{
    OK(bp_ascend_configure("devices = 2\n[device 0]\nstate = busy"));
    OK(aclInit(NULL));
    FAILS(ACL_ERROR_RT_DEV_SETUP_ERROR, aclrtSetDevice(0));
    OK(aclrtSetDevice(1));
    OK(bp_ascend_set_state(0, BP_ASCEND_OK));
    OK(aclrtSetDevice(0));
    FAILS(ACL_ERROR_INVALID_PARAM, bp_ascend_set_state(0, 3));
    OK(aclFinalize());
    OK(bp_ascend_configure(NULL));
}
END_TEST

START_TEST(a_lost_device_fails_its_tasks)
{
    aclrtDeviceStatus status;
    aclrtEvent event;
    char host[4];
    void *memory, *more;

    up(NULL);
    memory = device_bytes(4);
    OK(aclrtCreateEvent(&event));
    OK(bp_ascend_pause(0));
    OK(aclrtMemsetAsync(memory, 4, 0, 4, NULL));
    OK(aclrtRecordEvent(event, NULL));
    OK(bp_ascend_set_state(0, BP_ASCEND_LOST));
    OK(bp_ascend_resume(0));
    FAILS(ACL_ERROR_RT_LOST_HEARTBEAT, aclrtSynchronizeStream(NULL));
    FAILS(ACL_ERROR_RT_LOST_HEARTBEAT, aclrtSynchronizeEvent(event));
    FAILS(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
          aclrtMemcpy(host, 4, memory, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    FAILS(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtMalloc(&more, 4, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtQueryDeviceStatus(0, &status));
    ck_assert_int_eq(status, ACL_RT_DEVICE_STATUS_ABNORMAL);
    OK(aclrtFree(memory)); /* what is allocated can be freed */
    OK(aclrtDestroyEvent(event));
    OK(bp_ascend_set_state(0, BP_ASCEND_OK));
    OK(aclrtQueryDeviceStatus(0, &status));
    ck_assert_int_eq(status, ACL_RT_DEVICE_STATUS_NORMAL);
    OK(aclrtSynchronizeDevice());
    down();
}
END_TEST

START_TEST(a_failure_is_reported_once_or_stops_the_stream)
{
    aclrtStream stream;
    unsigned char host = 0;
    void *memory;

    up(NULL);
    OK(aclrtCreateStream(&stream));
    memory = device_copy(&host, 1);
    OK(bp_ascend_fault(BP_ASCEND_AT_TASK, 0, 1, 0));
    OK(aclrtMemsetAsync(memory, 1, 1, 1, stream));
    OK(aclrtMemsetAsync(memory, 1, 2, 1, stream));
    FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream));
    OK(aclrtSynchronizeStream(stream));
    fetch(&host, memory, 1);
    ck_assert_int_eq(host, 2); /* the one after it ran */
    OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
    FAILS(ACL_ERROR_INVALID_PARAM, aclrtSetStreamFailureMode(stream, 2));
    OK(bp_ascend_fault(BP_ASCEND_AT_TASK, 0, 1, 0));
    OK(aclrtMemsetAsync(memory, 1, 3, 1, stream));
    OK(aclrtMemsetAsync(memory, 1, 4, 1, stream));
    FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream));
    FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream));
    fetch(&host, memory, 1);
    ck_assert_int_eq(host, 2);
    ck_assert_uint_eq(counters().tasks_failed, 2);
    OK(aclrtFree(memory));
    OK(aclrtDestroyStream(stream));
    down();
}
END_TEST

/* ---- the cache ------------------------------------------------------------------------------ */

/* Abs of so many elements. */
static aclError absolute(int64_t count)
{
    float x[8] = {0};
    struct op_case op = {
        "Abs", NULL, 1, 1, {VALUE(ACL_FLOAT, x, count)}, {VALUE(ACL_FLOAT, x, count)}};

    return run_op(&op);
}

START_TEST(compiled_operators_are_cached)
{
    up(NULL);
    OK(absolute(1));
    OK(absolute(1));
    OK(absolute(2));
    OK(absolute(1));
    ck_assert_uint_eq(counters().cache_lookups, 4);
    ck_assert_uint_eq(counters().cache_hits, 2);
    ck_assert_uint_eq(counters().compiles, 2);
    ck_assert_uint_eq(counters().cache_size, 2);
    ck_assert_uint_eq(counters().evictions, 0);
    down();
}
END_TEST

START_TEST(the_least_recently_used_operator_is_evicted)
{
    up(NULL);
    FAILS(ACL_ERROR_INVALID_PARAM, aclopSetMaxOpQueueNum(0));
    OK(aclopSetMaxOpQueueNum(2));
    OK(absolute(1));
    OK(absolute(2));
    OK(absolute(1)); /* a use refreshes it */
    OK(absolute(3)); /* evicts 2 */
    OK(absolute(1));
    ck_assert_uint_eq(counters().compiles, 3);
    OK(absolute(2));
    ck_assert_uint_eq(counters().compiles, 4);
    ck_assert_uint_eq(counters().evictions, 2);
    /* three operators in a cache of two: each is compiled each time */
    for (int i = 0; i < 6; i++)
        OK(absolute(4 + i % 3));
    ck_assert_uint_eq(counters().compiles, 10);
    ck_assert_uint_eq(counters().cache_size, 2);
    down();
}
END_TEST

/* One operator, its descriptions and its memory, for what is called in steps. */
struct steps {
    aclTensorDesc *desc;
    aclDataBuffer *buffer;
    void *memory;
};

static struct steps steps_begin(void)
{
    const float x[2] = {-3, 4};
    const int64_t dims[1] = {2};
    struct steps steps;

    steps.memory = device_copy(x, sizeof x);
    steps.desc = aclCreateTensorDesc(ACL_FLOAT, 1, dims, ACL_FORMAT_ND);
    steps.buffer = aclCreateDataBuffer(steps.memory, sizeof x);
    return steps;
}

static void steps_end(struct steps *steps)
{
    aclDestroyTensorDesc(steps->desc);
    OK(aclDestroyDataBuffer(steps->buffer));
    OK(aclrtFree(steps->memory));
}

#define IN(steps) 1, (const aclTensorDesc *const *)&(steps).desc
#define BUFFERS(steps) (const aclDataBuffer *const *)&(steps).buffer

START_TEST(aclop_execute_needs_a_compiled_operator)
{
    aclopHandle *handle = NULL;
    struct steps s;
    float got[2];

    up(NULL);
    s = steps_begin();
    FAILS(ACL_ERROR_OP_NOT_FOUND,
          aclopExecute("Abs", IN(s), BUFFERS(s), IN(s), &s.buffer, NULL, NULL));
    FAILS(ACL_ERROR_OP_NOT_FOUND, aclopCreateHandle("Abs", IN(s), IN(s), NULL, &handle));
    OK(aclopCompile("Abs", IN(s), IN(s), NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL));
    OK(aclopExecute("Abs", IN(s), BUFFERS(s), IN(s), &s.buffer, NULL, NULL));
    OK(aclrtSynchronizeStream(NULL));
    fetch(got, s.memory, sizeof got);
    ck_assert(got[0] == 3 && got[1] == 4);
    /* a handle works on after its operator was evicted */
    OK(aclopCompile("Neg", IN(s), IN(s), NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL));
    OK(aclopCreateHandle("Neg", IN(s), IN(s), NULL, &handle));
    OK(aclopSetMaxOpQueueNum(1));
    OK(aclopCompile("Sqrt", IN(s), IN(s), NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL));
    FAILS(ACL_ERROR_OP_NOT_FOUND,
          aclopExecute("Neg", IN(s), BUFFERS(s), IN(s), &s.buffer, NULL, NULL));
    OK(aclopExecWithHandle(handle, 1, BUFFERS(s), 1, &s.buffer, NULL));
    FAILS(ACL_ERROR_INVALID_PARAM, aclopExecWithHandle(handle, 2, BUFFERS(s), 1, &s.buffer, NULL));
    OK(aclrtSynchronizeStream(NULL));
    fetch(got, s.memory, sizeof got);
    ck_assert(got[0] == -3 && got[1] == -4);
    aclopDestroyHandle(handle);
    steps_end(&s);
    ck_assert_uint_eq(counters().live_descriptions + counters().live_buffers, 0);
    down();
}
END_TEST

START_TEST(arguments_are_checked)
{
    struct steps s;

    up(NULL);
    s = steps_begin();
    FAILS(ACL_ERROR_INVALID_PARAM,
          aclopCompile("Abs", -1, NULL, 0, NULL, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL));
    FAILS(ACL_ERROR_INVALID_PARAM,
          aclopCompile(NULL, IN(s), IN(s), NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL));
    FAILS(ACL_ERROR_API_NOT_SUPPORT,
          aclopCompile("Abs", IN(s), IN(s), NULL, ACL_ENGINE_SYS, (aclopCompileType)2, NULL));
    FAILS(ACL_ERROR_INVALID_PARAM,
          aclopCompile("Abs", IN(s), IN(s), NULL, ACL_ENGINE_SYS, ACL_COMPILE_UNREGISTERED, NULL));
    OK(aclUpdateDataBuffer(s.buffer, s.memory, 7));
    OK(aclopCompile("Abs", IN(s), IN(s), NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL));
    FAILS(ACL_ERROR_OP_INPUT_NOT_MATCH,
          aclopExecute("Abs", IN(s), BUFFERS(s), IN(s), &s.buffer, NULL, NULL));
    FAILS(ACL_ERROR_INVALID_PARAM, aclopExecute("Abs", IN(s), NULL, IN(s), &s.buffer, NULL, NULL));
    ck_assert_ptr_null(aclCreateTensorDesc(ACL_FLOAT, -1, NULL, ACL_FORMAT_ND));
    steps_end(&s);
    down();
}
END_TEST

START_TEST(a_host_address_fails_when_the_operator_runs)
{
    float host[2] = {1, 2};
    struct steps s;

    up(NULL);
    s = steps_begin();
    OK(aclUpdateDataBuffer(s.buffer, host, sizeof host));
    OK(aclopCompileAndExecute("Abs", IN(s), BUFFERS(s), IN(s), &s.buffer, NULL, ACL_ENGINE_SYS,
                              ACL_COMPILE_SYS, NULL, NULL));
    FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(NULL));
    ck_assert_uint_eq(bp_ascend_violations(BP_ASCEND_HOST_AS_DEVICE), 1);
    /* but where the description says so, it is read when the operator is queued */
    OK(aclSetTensorPlaceMent(s.desc, ACL_MEMTYPE_HOST));
    const int64_t dims[1] = {2};
    aclTensorDesc *out = aclCreateTensorDesc(ACL_FLOAT, 1, dims, ACL_FORMAT_ND);
    aclDataBuffer *result = aclCreateDataBuffer(s.memory, 8);
    OK(bp_ascend_pause(0));
    OK(aclopCompileAndExecute("Neg", IN(s), BUFFERS(s), 1, (const aclTensorDesc *const *)&out,
                              &result, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, NULL));
    host[0] = host[1] = 0;
    OK(bp_ascend_resume(0));
    OK(aclrtSynchronizeStream(NULL));
    fetch(host, s.memory, sizeof host);
    ck_assert(host[0] == -1 && host[1] == -2);
    aclDestroyTensorDesc(out);
    OK(aclDestroyDataBuffer(result));
    steps_end(&s);
    down_after(1);
}
END_TEST

START_TEST(shapes_are_inferred_and_filled)
{
    const int64_t dims[2] = {2, -1}, known[1] = {2};
    aclTensorDesc *in, *out;
    struct steps s;
    int64_t dim;

    up(NULL);
    s = steps_begin();
    in = aclCreateTensorDesc(ACL_FLOAT, 1, known, ACL_FORMAT_ND);
    out = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
    OK(aclopInferShape("Flatten", 1, &in, &s.buffer, 1, &out, NULL));
    OK(aclGetTensorDescDimV2(out, 1, &dim));
    ck_assert_int_eq(dim, 1);
    FAILS(ACL_ERROR_INVALID_PARAM, aclGetTensorDescDimV2(out, 2, &dim));
    OK(aclSetTensorShape(out, 2, dims));
    OK(aclopCompileAndExecuteV2("Flatten", 1, &in, &s.buffer, 1, &out, &s.buffer, NULL,
                                ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, NULL));
    OK(aclGetTensorDescDimV2(out, 1, &dim));
    ck_assert_int_eq(dim, 1);
    OK(aclSetTensorShape(out, 2, dims));
    OK(aclopExecuteV2("Flatten", 1, &in, &s.buffer, 1, &out, &s.buffer, NULL, NULL));
    ck_assert_uint_eq(aclGetTensorDescSize(out), 8);
    OK(aclrtSynchronizeStream(NULL));
    aclDestroyTensorDesc(in);
    aclDestroyTensorDesc(out);
    steps_end(&s);
    down();
}
END_TEST

START_TEST(empty_outputs_queue_nothing)
{
    const int64_t dims[1] = {0};
    aclTensorDesc *desc;
    aclDataBuffer *buffer;

    up(NULL);
    desc = aclCreateTensorDesc(ACL_FLOAT, 1, dims, ACL_FORMAT_ND);
    buffer = aclCreateDataBuffer(NULL, 0);
    OK(aclopCompileAndExecute("NoSuchOperator", 1, (const aclTensorDesc *const *)&desc,
                              (const aclDataBuffer *const *)&buffer, 1,
                              (const aclTensorDesc *const *)&desc, &buffer, NULL, ACL_ENGINE_SYS,
                              ACL_COMPILE_SYS, NULL, NULL));
    ck_assert_uint_eq(counters().launches, 0);
    aclDestroyTensorDesc(desc);
    OK(aclDestroyDataBuffer(buffer));
    down();
}
END_TEST

START_TEST(attributes_are_replaced_and_part_of_the_cache_key)
{
    float x[4] = {1, 2, 3, 4}, got[4];
    struct op_case op = {
        "SoftmaxV2", NULL, 1, 1, {VALUE(ACL_FLOAT, x, 2, 2)}, {VALUE(ACL_FLOAT, got, 2, 2)}};

    up(NULL);
    for (int64_t axis = 0; axis < 2; axis++)
        for (int i = 0; i < 2; i++) {
            op.attr = aclopCreateAttr();
            OK(aclopSetAttrListInt(op.attr, "axes", ARGUMENTS(1, 77)));
            OK(aclopSetAttrListInt(op.attr, "axes", 1, &axis));
            OK(aclopSetAttrString(op.attr, "a_name_before", "x"));
            OK(run_op(&op));
        }
    ck_assert_uint_eq(counters().compiles, 2);
    FAILS(ACL_ERROR_INVALID_PARAM, aclopSetAttrInt(NULL, "axis", 1));
    op.attr = aclopCreateAttr();
    FAILS(ACL_ERROR_INVALID_PARAM, aclopSetAttrInt(op.attr, NULL, 1));
    FAILS(ACL_ERROR_INVALID_PARAM, aclopSetAttrListInt(op.attr, "axes", -1, NULL));
    OK(aclopSetAttrFloat(op.attr, "axes", 1));
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op)); /* a list is due */
    ck_assert_uint_eq(counters().live_attributes, 0);
    down();
}
END_TEST

/* ---- time ----------------------------------------------------------------------------------- */

START_TEST(simulated_time_adds_up)
{
    float *x = calloc(1000000, sizeof *x);
    struct op_case op = {
        "Abs", NULL, 1, 1, {VALUE(ACL_FLOAT, x, 1000000)}, {VALUE(ACL_FLOAT, x, 1000000)}};
    struct bp_ascend_times now;

    up("submit_ns = 0\nlaunch_ns = 1000\ncompile_ns = 5M\ncopy_rate = 4G\nmemory_rate = 8G\n"
       "vector_rate = 100G\n");
    OK(run_op(&op));
    now = times();
    /* 8 MB at 8 GB/s; three copies of 4 MB at 4 GB/s, two of them before it */
    ck_assert_uint_eq(now.busy_operators, 1000 + 1000000);
    ck_assert_uint_eq(now.busy_compiling, 5000000);
    ck_assert_uint_eq(now.host, 3 * (1000 + 1000000) + 5000000 + 1000 + 1000000);
    ck_assert_uint_eq(now.simulated, now.host);
    ck_assert_uint_ge(now.real, 1);
    OK(bp_ascend_reset_times(0));
    now = times();
    ck_assert_uint_eq(now.simulated, 0);
    free(x);
    down();
}
END_TEST

START_TEST(streams_overlap_in_simulated_time)
{
    aclrtStream one, two;
    void *memory;

    up("submit_ns = 0\nlaunch_ns = 1000\nmemory_rate = 2G\n");
    OK(aclrtCreateStream(&one));
    OK(aclrtCreateStream(&two));
    memory = device_bytes(2000000);
    OK(bp_ascend_reset_times(0));
    OK(bp_ascend_pause(0));
    OK(aclrtMemsetAsync(memory, 2000000, 0, 1000000, one));
    OK(aclrtMemsetAsync((char *)memory + 1000000, 1000000, 0, 1000000, two));
    FAILS(ACL_ERROR_RT_STREAM_NOT_COMPLETE, bp_ascend_reset_times(0));
    OK(bp_ascend_resume(0));
    OK(aclrtSynchronizeDevice());
    ck_assert_uint_eq(times().simulated, 1001000);
    ck_assert_uint_eq(times().busy_copies, 2 * 1001000);
    OK(aclrtFree(memory));
    OK(aclrtDestroyStream(one));
    OK(aclrtDestroyStream(two));
    down();
}
END_TEST

START_TEST(an_operator_past_the_execution_timeout_fails)
{
    up("launch_ns = 3G"); /* three seconds, of which the test waits less than one */
    OK(aclrtSetOpExecuteTimeOut(2));
    FAILS(ACL_ERROR_RT_AICORE_TIMEOUT, absolute(1));
    OK(aclrtSetOpExecuteTimeOut(4));
    OK(absolute(1));
    down();
}
END_TEST

START_TEST(counters_fill_only_the_callers_struct_size)
{
    struct bp_ascend_counters few = {.struct_size = 4 * sizeof(uint64_t)};
    size_t count = 0;

    up(NULL);
    few.frees = few.live_bytes = 99;
    few.peak_bytes = 99;
    void *memory = device_bytes(1);
    OK(bp_ascend_get_counters(&few));
    ck_assert_uint_eq(few.allocations, 1);
    ck_assert_uint_eq(few.live_bytes, 64);
    ck_assert_uint_eq(few.peak_bytes, 99); /* beyond its struct_size */
    few.struct_size = 0;
    FAILS(ACL_ERROR_INVALID_PARAM, bp_ascend_get_counters(&few));
    while (bp_ascend_operator(count))
        count++;
    ck_assert_uint_eq(count, 42);
    OK(aclrtFree(memory));
    down();
}
END_TEST

/* ---- random faults --------------------------------------------------------------------------- */

/* A synchronisation that a fault made fail left its stream running. */
static void drain(aclrtStream stream)
{
    while (aclrtSynchronizeStream(stream) != ACL_SUCCESS)
        ;
}

/* One round of work, any step of which may fail: true when all of it succeeded. */
static bool round_of_work(aclrtStream stream, const float *pinned, size_t count)
{
    size_t size = count * sizeof *pinned;
    int64_t dims[1] = {(int64_t)count};
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 1, dims, ACL_FORMAT_ND);
    aclDataBuffer *buffer = NULL;
    void *memory = NULL;
    bool good = aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0;

    if (good) {
        buffer = aclCreateDataBuffer(memory, size);
        good = aclrtMemcpyAsync(memory, size, pinned, size, ACL_MEMCPY_HOST_TO_DEVICE, stream) == 0;
    }
    good = good && aclopCompileAndExecute("Neg", 1, (const aclTensorDesc *const *)&desc,
                                          (const aclDataBuffer *const *)&buffer, 1,
                                          (const aclTensorDesc *const *)&desc, &buffer, NULL,
                                          ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream) == 0;
    good = good && aclrtSynchronizeStream(stream) == 0;
    drain(stream);
    if (good) {
        float first = 0;

        good =
            aclrtMemcpy(&first, sizeof first, memory, sizeof first, ACL_MEMCPY_DEVICE_TO_HOST) == 0;
        ck_assert(!good || first == -pinned[0]); /* a call that succeeded has done its work */
    }
    if (memory)
        OK(aclrtFree(memory));
    if (buffer)
        OK(aclDestroyDataBuffer(buffer));
    aclDestroyTensorDesc(desc);
    return good;
}

START_TEST(random_faults_everywhere_leak_and_hang_nothing)
{
    static const uint32_t points[] = {BP_ASCEND_AT_MALLOC, BP_ASCEND_AT_COPY, BP_ASCEND_AT_COMPILE,
                                      BP_ASCEND_AT_LAUNCH, BP_ASCEND_AT_TASK, BP_ASCEND_AT_SYNC};
    int good = 0, turns = 500;
    aclrtStream stream;
    void *pinned;

    up("max_opqueue_num = 3\nmemory = 4096\nqueue_depth = 2");
    OK(aclrtCreateStream(&stream));
    OK(aclrtMallocHost(&pinned, 4096));
    *(float *)pinned = 3;
    for (uint32_t i = 0; i < sizeof points / sizeof points[0]; i++)
        OK(bp_ascend_fault_random(points[i], 50000, i, 0));
    for (int i = 0; i < turns; i++)
        good += round_of_work(stream, pinned,
                              1 + (size_t)i * 37 % 1000); /* up to 4000 bytes, just fits */
    bp_ascend_clear_faults();
    ck_assert_int_gt(good, turns / 3);
    ck_assert_int_lt(good, turns);
    ck_assert(round_of_work(stream, pinned, 5));
    OK(aclrtFreeHost(pinned));
    OK(aclrtDestroyStream(stream));
    ck_assert_uint_eq(counters().live_bytes, 0);
    ck_assert_uint_eq(counters().live_descriptions + counters().live_buffers, 0);
    down();
}
END_TEST

START_TEST(a_process_may_end_without_finalising)
{
    int status = 0;
    pid_t child;

    fflush(NULL);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        void *memory = NULL;

        if (aclInit(NULL) || aclrtSetDevice(0) ||
            aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) || bp_ascend_pause(0) ||
            aclrtMemsetAsync(memory, 64, 0, 64, NULL))
            _exit(1);
        exit(0); /* with work that never ran */
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("faults");

    tcase_add_loop_test(tests, reports_what_is_wrong_in_a_configuration, 0,
                        (int)(sizeof wrong / sizeof wrong[0]));
    tcase_add_test(tests, reads_the_file_that_the_environment_names);
    tcase_add_loop_test(tests, reads_the_configuration_file_of_acl_init, 0,
                        (int)(sizeof vendors / sizeof vendors[0]));
    tcase_add_test(tests, the_nth_allocation_fails);
    tcase_add_test(tests, a_fault_at_each_point_fails_one_call);
    tcase_add_test(tests, random_faults_repeat_with_the_same_seed);
    tcase_add_test(tests, a_configuration_injects_faults);
    tcase_add_test(tests, a_busy_device_cannot_be_set);
    tcase_add_test(tests, a_lost_device_fails_its_tasks);
    tcase_add_test(tests, a_failure_is_reported_once_or_stops_the_stream);
    tcase_add_test(tests, compiled_operators_are_cached);
    tcase_add_test(tests, the_least_recently_used_operator_is_evicted);
    tcase_add_test(tests, aclop_execute_needs_a_compiled_operator);
    tcase_add_test(tests, arguments_are_checked);
    tcase_add_test(tests, a_host_address_fails_when_the_operator_runs);
    tcase_add_test(tests, shapes_are_inferred_and_filled);
    tcase_add_test(tests, empty_outputs_queue_nothing);
    tcase_add_test(tests, attributes_are_replaced_and_part_of_the_cache_key);
    tcase_add_test(tests, simulated_time_adds_up);
    tcase_add_test(tests, streams_overlap_in_simulated_time);
    tcase_add_test(tests, an_operator_past_the_execution_timeout_fails);
    tcase_add_test(tests, counters_fill_only_the_callers_struct_size);
    tcase_add_test(tests, random_faults_everywhere_leak_and_hang_nothing);
    tcase_add_test(tests, a_process_may_end_without_finalising);
    return check_main("cann_sim_faults", &tests, 1);
}
