/* SPDX-License-Identifier: MIT */
/*
 * check_results.c - what the simulated runtime says of a run: each result code, dimensions that only
 * the run knows, measured durations, and runs that wait for others.
 */
#include "nn_kit.h"

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

static ANeuralNetworksModel *model;
static ANeuralNetworksCompilation *compilation;
static float x[4] = {1, 2, 3, 4};

/* On one device that the program chose. */
static void compile_for(uint32_t device)
{
    ANeuralNetworksDevice *chosen;

    OK(ANeuralNetworks_getDevice(device, &chosen));
    OK(ANeuralNetworksCompilation_createForDevices(
        model, (const ANeuralNetworksDevice *const *)&chosen, 1, &compilation));
    OK(ANeuralNetworksCompilation_finish(compilation));
}

static void release(void)
{
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    compilation = NULL;
    model = NULL;
    nothing_lives();
}

/* y = x + x of 4 floats, on the GPU. */
static void compile_add(const char *config)
{
    static const struct operand in[] = {
        {F32, .given = true, DIMS(4)}, {F32, .given = true, DIMS(4)}, INT(0)};
    static const struct operand out[] = {{F32, DIMS(4)}};

    configure(config);
    OK(build(ANEURALNETWORKS_ADD, in, 3, out, 1, false, &model));
    compile_for(0);
}

/* An execution of it, from `from` to `to`. */
static ANeuralNetworksExecution *prepare(const float *from, float *to)
{
    ANeuralNetworksExecution *run;

    OK(ANeuralNetworksExecution_create(compilation, &run));
    OK(ANeuralNetworksExecution_setInput(run, 0, NULL, from, sizeof x));
    OK(ANeuralNetworksExecution_setInput(run, 1, NULL, from, sizeof x));
    OK(ANeuralNetworksExecution_setOutput(run, 0, NULL, to, sizeof x));
    return run;
}

/* ---- result codes --------------------------------------------------------------------------- */

/* A driver may say any code; the program gets it, from each way to start a run, once. */
START_TEST(code_of_a_driver_reaches_the_program)
{
    ANeuralNetworksBurst *burst;
    float y[4];

    compile_add("devices = gpu");
    OK(ANeuralNetworksBurst_create(compilation, &burst));
    for (int way = 0; way < 4; way++) {
        ANeuralNetworksExecution *run = prepare(x, y);
        ANeuralNetworksEvent *event = NULL;

        OK(bp_nnapi_fault(BP_NNAPI_AT_EXECUTE, 0, 0, 1, _i));
        if (way == 0)
            FAILS(_i, ANeuralNetworksExecution_compute(run));
        else if (way == 1)
            FAILS(_i, ANeuralNetworksExecution_burstCompute(run, burst));
        else if (way == 2)
            OK(ANeuralNetworksExecution_startCompute(run, &event));
        else
            OK(ANeuralNetworksExecution_startComputeWithDependencies(run, NULL, 0, 0, &event));
        if (event) {
            FAILS(_i, ANeuralNetworksEvent_wait(event));
            FAILS(_i, ANeuralNetworksEvent_wait(event)); /* as often as it is asked */
        }
        ANeuralNetworksEvent_free(event);
        ANeuralNetworksExecution_free(run);
    }
    ck_assert_uint_eq(counters().runs_failed, 4);
    ck_assert_uint_eq(counters().refused[_i], 6);
    ANeuralNetworksBurst_free(burst);
    release();
}
END_TEST

START_TEST(codes_above_nine_are_op_failed_below_level_30)
{
    float y[4];
    ANeuralNetworksExecution *run;

    compile_add("devices = gpu\nlevel = 29");
    OK(bp_nnapi_fault(BP_NNAPI_AT_EXECUTE, 0, 0, 1, _i));
    run = prepare(x, y);
    FAILS(_i < 10 ? _i : OP_FAILED, ANeuralNetworksExecution_compute(run));
    ANeuralNetworksExecution_free(run);
    release();
}
END_TEST

/* Faults of every point, with their usual codes, and only as often as they were asked for. */
START_TEST(faults_have_a_place_a_count_and_a_code)
{
    ANeuralNetworksMemory *memory[2] = {NULL};
    struct operand in[] = {{F32, .given = true, DIMS(1)}}, out[] = {{F32, DIMS(1)}};
    int fd = memfd_create("nnapi", 0), failed = 0;

    configure("devices = none");
    OK(ftruncate(fd, 4096));
    OK(bp_nnapi_fault(BP_NNAPI_AT_MODEL, BP_NNAPI_ANY, 1, 1, 0));
    OK(FINISH(ABS, in, out));
    FAILS(ANEURALNETWORKS_OUT_OF_MEMORY, FINISH(ABS, in, out));
    OK(FINISH(ABS, in, out));
    OK(bp_nnapi_fault(BP_NNAPI_AT_MEMORY, BP_NNAPI_ANY, 0, 1, 0));
    OK(bp_nnapi_fault(BP_NNAPI_AT_MAP, BP_NNAPI_ANY, 0, 1, 0));
    FAILS(ANEURALNETWORKS_OUT_OF_MEMORY,
          ANeuralNetworksMemory_createFromFd(64, PROT_READ, fd, 0, &memory[0]));
    FAILS(ANEURALNETWORKS_UNMAPPABLE,
          ANeuralNetworksMemory_createFromFd(64, PROT_READ, fd, 0, &memory[0]));
    for (int i = 0; i < 2; i++)
        OK(ANeuralNetworksMemory_createFromFd(64, PROT_READ | PROT_WRITE, fd, 0, &memory[i]));
    OK(bp_nnapi_fault(BP_NNAPI_AT_COPY, BP_NNAPI_ANY, 0, 1, 0));
    FAILS(OP_FAILED, ANeuralNetworksMemory_copy(memory[0], memory[1]));
    OK(ANeuralNetworksMemory_copy(memory[0], memory[1]));
    OK(bp_nnapi_fault_random(BP_NNAPI_AT_COPY, BP_NNAPI_ANY, 500000, 7, 9));
    for (int i = 0; i < 1000; i++)
        failed += ANeuralNetworksMemory_copy(memory[0], memory[1]) == 9;
    ck_assert_msg(failed > 400 && failed < 600, "%d of 1000", failed);
    bp_nnapi_clear_faults();
    OK(ANeuralNetworksMemory_copy(memory[0], memory[1]));
    FAILS(BAD_DATA, bp_nnapi_fault(BP_NNAPI_POINTS, 0, 0, 1, 0));
    FAILS(BAD_DATA, bp_nnapi_fault(BP_NNAPI_AT_COPY, 8, 0, 1, 0));
    FAILS(BAD_DATA, bp_nnapi_fault(BP_NNAPI_AT_COPY, 0, 0, 1, 15));
    FAILS(BAD_DATA, bp_nnapi_fault_random(BP_NNAPI_AT_COPY, 0, 1000001, 1, 0));
    ANeuralNetworksMemory_free(memory[0]);
    ANeuralNetworksMemory_free(memory[1]);
    close(fd);
    nothing_lives();
}
END_TEST

/* ---- dimensions that only the run knows ----------------------------------------------------- */

/* SLICE of 4 floats, whose begin and size the run gives. */
static void compile_slice(void)
{
    static const struct operand in[] = {{F32, .given = true, DIMS(4)},
                                        {I32, .given = true, DIMS(1)},
                                        {I32, .given = true, DIMS(1)}};
    static const struct operand out[] = {{F32, DIMS(0)}};

    configure("devices = none");
    OK(build(ANEURALNETWORKS_SLICE, in, 3, out, 1, false, &model));
    compile_for(0);
}

static ANeuralNetworksExecution *prepare_slice(const int32_t *size, float *y, size_t length)
{
    static const int32_t begin = 1;
    ANeuralNetworksExecution *run;

    OK(ANeuralNetworksExecution_create(compilation, &run));
    OK(ANeuralNetworksExecution_setInput(run, 0, NULL, x, sizeof x));
    OK(ANeuralNetworksExecution_setInput(run, 1, NULL, &begin, sizeof begin));
    OK(ANeuralNetworksExecution_setInput(run, 2, NULL, size, sizeof *size));
    OK(ANeuralNetworksExecution_setOutput(run, 0, NULL, y, length));
    return run;
}

START_TEST(dimensions_are_known_after_the_run)
{
    int32_t size = 3;
    uint32_t rank = 0, dim = 0;
    float y[4] = {0};
    ANeuralNetworksExecution *run;

    compile_slice();
    run = prepare_slice(&size, y, sizeof y);
    FAILS(BAD_STATE, ANeuralNetworksExecution_getOutputOperandRank(run, 0, &rank));
    FAILS(BAD_STATE, ANeuralNetworksExecution_getOutputOperandDimensions(run, 0, &dim));
    OK(ANeuralNetworksExecution_compute(run));
    OK(ANeuralNetworksExecution_getOutputOperandRank(run, 0, &rank));
    OK(ANeuralNetworksExecution_getOutputOperandDimensions(run, 0, &dim));
    ck_assert(rank == 1 && dim == 3);
    ck_assert(y[0] == 2 && y[1] == 3 && y[2] == 4 && y[3] == 0);
    FAILS(BAD_DATA, ANeuralNetworksExecution_getOutputOperandRank(run, 1, &rank));
    ANeuralNetworksExecution_free(run);
    release();
}
END_TEST

/* Code 8: what it would have needed can be read, and nothing behind the memory was written. */
START_TEST(output_that_is_too_small_says_what_it_needs)
{
    int32_t size = 3;
    uint32_t rank = 0, dim = 0;
    float y[4] = {0};
    ANeuralNetworksExecution *run;

    compile_slice();
    run = prepare_slice(&size, y, 2 * sizeof *y);
    FAILS(ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE, ANeuralNetworksExecution_compute(run));
    FAILS(ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE,
          ANeuralNetworksExecution_getOutputOperandRank(run, 0, &rank));
    FAILS(ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE,
          ANeuralNetworksExecution_getOutputOperandDimensions(run, 0, &dim));
    ck_assert(rank == 1 && dim == 3);
    ck_assert(y[2] == 0 && y[3] == 0);
    ANeuralNetworksExecution_free(run);
    size = 9; /* out of bounds */
    run = prepare_slice(&size, y, sizeof y);
    FAILS(OP_FAILED, ANeuralNetworksExecution_compute(run));
    FAILS(BAD_STATE, ANeuralNetworksExecution_getOutputOperandRank(run, 0, &rank));
    ANeuralNetworksExecution_free(run);
    release();
}
END_TEST

/* ---- durations ------------------------------------------------------------------------------ */

static uint64_t duration(const ANeuralNetworksExecution *run, int32_t code)
{
    uint64_t ns = 0;

    OK(ANeuralNetworksExecution_getDuration(run, code, &ns));
    return ns;
}

/* The GPU's launch and operation; copies of 48 bytes at 8 GB/s come on top in the driver. */
START_TEST(durations_are_simulated)
{
    ANeuralNetworksExecution *run;
    ANeuralNetworksEvent *event;
    struct bp_nnapi_times times = {.struct_size = sizeof times};
    uint64_t ns;
    float y[4];

    compile_add("devices = gpu");
    run = prepare(x, y);
    OK(ANeuralNetworksExecution_setMeasureTiming(run, true));
    FAILS(BAD_STATE, ANeuralNetworksExecution_getDuration(run, 0, &ns));
    OK(ANeuralNetworksExecution_compute(run));
    FAILS(BAD_DATA, ANeuralNetworksExecution_getDuration(run, 4, &ns));
    ck_assert_uint_eq(duration(run, ANEURALNETWORKS_DURATION_ON_HARDWARE), 150000 + 8000 + 2);
    ck_assert_uint_ge(duration(run, ANEURALNETWORKS_DURATION_IN_DRIVER), 158002 + 4);
    ck_assert_uint_eq(duration(run, ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE), UINT64_MAX);
    ANeuralNetworksExecution_free(run);
    OK(bp_nnapi_get_times(0, &times));
    ck_assert_uint_eq(times.compute, 158002);
    ck_assert_uint_eq(times.compile, 20000000);
    ck_assert(times.runs == 1 && times.operations == 1 && times.copy >= 4);
    run = prepare(x, y); /* not measured */
    OK(ANeuralNetworksExecution_compute(run));
    ck_assert_uint_eq(duration(run, ANEURALNETWORKS_DURATION_ON_HARDWARE), UINT64_MAX);
    ANeuralNetworksExecution_free(run);
    run = prepare(x, y);
    OK(ANeuralNetworksExecution_setMeasureTiming(run, true));
    OK(ANeuralNetworksExecution_startComputeWithDependencies(run, NULL, 0, 0, &event));
    OK(ANeuralNetworksEvent_wait(event));
    ck_assert_uint_eq(duration(run, ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE), 158002);
    ANeuralNetworksEvent_free(event);
    ANeuralNetworksExecution_free(run);
    release();
}
END_TEST

/* ---- runs that wait ------------------------------------------------------------------------- */

START_TEST(fenced_runs_wait_for_others_and_for_descriptors)
{
    ANeuralNetworksExecution *first, *second;
    ANeuralNetworksEvent *fence, *done[2];
    float y[4] = {0}, z[4] = {0};
    int ends[2], fd = -1;

    compile_add("devices = gpu\ndevice = sim-gpu\nrun_us = 2000");
    OK(pipe(ends));
    FAILS(BAD_DATA, ANeuralNetworksEvent_createFromSyncFenceFd(-1, &fence));
    OK(ANeuralNetworksEvent_createFromSyncFenceFd(ends[0], &fence));
    first = prepare(x, y);
    second = prepare(y, z);
    OK(ANeuralNetworksExecution_startComputeWithDependencies(
        first, (const ANeuralNetworksEvent *const *)&fence, 1, 0, &done[0]));
    OK(ANeuralNetworksExecution_startComputeWithDependencies(
        second, (const ANeuralNetworksEvent *const *)done, 1, 0, &done[1]));
    OK(ANeuralNetworksEvent_getSyncFenceFd(done[1], &fd));
    ck_assert_int_eq(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 0), 0);
    ck_assert_int_eq(write(ends[1], "x", 1), 1);
    ck_assert_int_eq(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 60000), 1);
    OK(ANeuralNetworksEvent_wait(done[1]));
    for (int i = 0; i < 4; i++)
        ck_assert(z[i] == 4 * x[i]);
    ck_assert_uint_eq(counters().runs_fenced, 2);
    for (int i = 0; i < 2; i++) {
        ANeuralNetworksEvent_free(done[i]);
        close(ends[i]);
    }
    ANeuralNetworksEvent_free(fence);
    close(fd);
    ANeuralNetworksExecution_free(first);
    ANeuralNetworksExecution_free(second);
    release();
}
END_TEST

START_TEST(fenced_run_fails_with_what_it_waited_for)
{
    ANeuralNetworksExecution *first, *second;
    ANeuralNetworksEvent *done[2];
    float y[4] = {0}, z[4] = {0};

    compile_add("devices = gpu");
    first = prepare(x, y);
    second = prepare(y, z);
    FAILS(IS_NULL,
          ANeuralNetworksExecution_startComputeWithDependencies(first, NULL, 1, 0, &done[0]));
    OK(bp_nnapi_fault(BP_NNAPI_AT_EXECUTE, 0, 0, 1, ANEURALNETWORKS_DEAD_OBJECT));
    OK(ANeuralNetworksExecution_startComputeWithDependencies(first, NULL, 0, 0, &done[0]));
    OK(ANeuralNetworksExecution_startComputeWithDependencies(
        second, (const ANeuralNetworksEvent *const *)done, 1, 0, &done[1]));
    FAILS(ANEURALNETWORKS_DEAD_OBJECT, ANeuralNetworksEvent_wait(done[1]));
    ck_assert(z[0] == 0);
    ck_assert_uint_eq(counters().runs_failed, 2);
    for (int i = 0; i < 2; i++)
        ANeuralNetworksEvent_free(done[i]);
    ANeuralNetworksExecution_free(first);
    ANeuralNetworksExecution_free(second);
    release();
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("results")};

    tcase_add_loop_test(cases[0], code_of_a_driver_reaches_the_program, 1, 15);
    tcase_add_loop_test(cases[0], codes_above_nine_are_op_failed_below_level_30, 1, 15);
    tcase_add_test(cases[0], faults_have_a_place_a_count_and_a_code);
    tcase_add_test(cases[0], dimensions_are_known_after_the_run);
    tcase_add_test(cases[0], output_that_is_too_small_says_what_it_needs);
    tcase_add_test(cases[0], durations_are_simulated);
    tcase_add_test(cases[0], fenced_runs_wait_for_others_and_for_descriptors);
    tcase_add_test(cases[0], fenced_run_fails_with_what_it_waited_for);
    return check_main("nnapi_sim results", cases, 1);
}
