/* SPDX-License-Identifier: MIT */
/* check_runs.c - runs, bursts, threads, faults, deadlines and memory of the simulated runtime. */
#include "nn_kit.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct operand in[] = {
    {F32, .given = true, DIMS(2), V(1, 2)}, {F32, .given = true, DIMS(2), V(3, 4)}, INT(0)};
static const struct operand out[] = {{F32, DIMS(2)}};

static ANeuralNetworksModel *model;
static ANeuralNetworksCompilation *compilation;
static float x[2] = {1, 2};

/* ADD on one device that the program chose, or on any. */
static void compile(const char *config, int device)
{
    ANeuralNetworksDevice *chosen;

    configure(config);
    OK(build(ANEURALNETWORKS_ADD, in, 3, out, 1, false, &model));
    if (device < 0) {
        OK(ANeuralNetworksCompilation_create(model, &compilation));
        return;
    }
    OK(ANeuralNetworks_getDevice((uint32_t)device, &chosen));
    OK(ANeuralNetworksCompilation_createForDevices(
        model, (const ANeuralNetworksDevice *const *)&chosen, 1, &compilation));
}

static void release(void)
{
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    nothing_lives();
}

static ANeuralNetworksExecution *prepare(float *y)
{
    ANeuralNetworksExecution *run;

    OK(ANeuralNetworksExecution_create(compilation, &run));
    OK(ANeuralNetworksExecution_setInput(run, 0, NULL, x, sizeof x));
    OK(ANeuralNetworksExecution_setInput(run, 1, NULL, x, sizeof x));
    OK(ANeuralNetworksExecution_setOutput(run, 0, NULL, y, sizeof x));
    return run;
}

START_TEST(execution_runs_once_unless_reusable)
{
    ANeuralNetworksExecution *run;
    float y[2];

    compile("devices = none", -1);
    FAILS(BAD_STATE, ANeuralNetworksExecution_create(compilation, &run));
    OK(ANeuralNetworksCompilation_finish(compilation));
    FAILS(BAD_STATE, ANeuralNetworksCompilation_finish(compilation));
    OK(ANeuralNetworksExecution_create(compilation, &run));
    FAILS(BAD_DATA, ANeuralNetworksExecution_compute(run)); /* nothing is set */
    FAILS(BAD_DATA, ANeuralNetworksExecution_setInput(run, 0, NULL, x, 4));
    FAILS(BAD_DATA, ANeuralNetworksExecution_setInput(run, 2, NULL, x, 8));
    FAILS(BAD_DATA, ANeuralNetworksExecution_setMeasureTiming(run, true)); /* no chosen device */
    ANeuralNetworksExecution_free(run);
    run = prepare(y);
    FAILS(BAD_STATE, ANeuralNetworksExecution_setInput(run, 0, NULL, x, sizeof x));
    OK(ANeuralNetworksExecution_compute(run));
    ck_assert(y[0] == 2 && y[1] == 4);
    FAILS(BAD_STATE, ANeuralNetworksExecution_compute(run));
    ANeuralNetworksExecution_free(run);
    run = prepare(y);
    OK(ANeuralNetworksExecution_setReusable(run, true));
    OK(ANeuralNetworksExecution_compute(run));
    OK(ANeuralNetworksExecution_compute(run));
    ANeuralNetworksExecution_free(run);
    release();
}
END_TEST

static const struct {
    uint32_t state;
    int code;
} troubles[] = {{BP_NNAPI_DEAD, ANEURALNETWORKS_DEAD_OBJECT},
                {BP_NNAPI_GONE, ANEURALNETWORKS_UNAVAILABLE_DEVICE},
                {BP_NNAPI_BUSY, ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT},
                {BP_NNAPI_FULL, ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT}};

START_TEST(trouble_of_a_chosen_device_is_an_error_and_falls_back_otherwise)
{
    ANeuralNetworksExecution *run;
    float y[2] = {0};

    for (int chosen = 0; chosen < 2; chosen++) {
        compile("devices = gpu", chosen ? 0 : -1);
        OK(ANeuralNetworksCompilation_finish(compilation));
        OK(bp_nnapi_set_state(0, troubles[_i].state));
        run = prepare(y);
        FAILS(chosen ? troubles[_i].code : 0, ANeuralNetworksExecution_compute(run));
        ck_assert_uint_eq(counters().fallbacks_run, !chosen);
        ANeuralNetworksExecution_free(run);
        release();
    }
}
END_TEST

START_TEST(time_limits_are_missed)
{
    static const struct {
        uint64_t ns;
        int code;
    } limits[] = {{1, ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT},
                  {150001, ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT},
                  {1000000, 0}};
    float y[2];

    compile("devices = gpu", 0);
    OK(ANeuralNetworksCompilation_finish(compilation));
    for (int i = 0; i < 3; i++) {
        ANeuralNetworksExecution *run = prepare(y);

        OK(ANeuralNetworksExecution_setTimeout(run, limits[i].ns));
        FAILS(limits[i].code, ANeuralNetworksExecution_compute(run));
        ANeuralNetworksExecution_free(run);
    }
    release();
}
END_TEST

START_TEST(memory_of_a_descriptor)
{
    ANeuralNetworksMemory *memory;
    int fd = memfd_create("nnapi", 0);

    configure("memory = 4K");
    OK(ftruncate(fd, 8192));
    FAILS(ANEURALNETWORKS_UNMAPPABLE,
          ANeuralNetworksMemory_createFromFd(64, PROT_READ, -1, 0, &memory));
    FAILS(ANEURALNETWORKS_OUT_OF_MEMORY,
          ANeuralNetworksMemory_createFromFd(8192, PROT_READ, fd, 0, &memory));
    OK(ANeuralNetworksMemory_createFromFd(64, PROT_READ, fd, 16, &memory));
    ANeuralNetworksMemory_free(memory);
    close(fd);
    nothing_lives();
}
END_TEST

static void *run_many(void *burst)
{
    for (int i = 0; i < 50; i++) {
        float y[2] = {0};
        ANeuralNetworksExecution *run = prepare(y);
        ANeuralNetworksEvent *event;
        int code = burst ? ANeuralNetworksExecution_burstCompute(run, burst) : 0;

        if (!burst) {
            OK(ANeuralNetworksExecution_startCompute(run, &event));
            OK(ANeuralNetworksEvent_wait(event));
            ANeuralNetworksEvent_free(event);
        }
        ck_assert(code == BAD_STATE || (code == 0 && y[0] == 2 && y[1] == 4));
        ANeuralNetworksExecution_free(run);
    }
    return NULL;
}

START_TEST(events_and_bursts_of_many_threads)
{
    ANeuralNetworksBurst *burst;
    pthread_t threads[4];

    compile("devices = gpu\ndevice = sim-gpu\nrun_us = 20", 0);
    OK(ANeuralNetworksCompilation_finish(compilation));
    OK(ANeuralNetworksBurst_create(compilation, &burst));
    for (int i = 0; i < 4; i++)
        OK(pthread_create(&threads[i], NULL, run_many, i < 2 ? burst : NULL));
    for (int i = 0; i < 4; i++)
        OK(pthread_join(threads[i], NULL));
    ck_assert_uint_eq(counters().runs_async, 100);
    ANeuralNetworksBurst_free(burst);
    release();
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("runs")};

    tcase_add_test(cases[0], execution_runs_once_unless_reusable);
    tcase_add_loop_test(cases[0], trouble_of_a_chosen_device_is_an_error_and_falls_back_otherwise,
                        0, 4);
    tcase_add_test(cases[0], time_limits_are_missed);
    tcase_add_test(cases[0], memory_of_a_descriptor);
    tcase_add_test(cases[0], events_and_bursts_of_many_threads);
    return check_main("nnapi_sim runs", cases, 1);
}
