/* SPDX-License-Identifier: MIT */
/*
 * check_nnapi_no_memory.c - each allocation of the simulated Neural Networks runtime fails once: the
 * call says OUT_OF_MEMORY, and nothing is left.
 */
#include "support/fail_alloc.h"

#include <stdbool.h>
#include <unistd.h>

#include "nn_kit.h"

/* A program of many calls: after the first that fails the others are left out. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        if (!code)                                                                                 \
            code = (call);                                                                         \
    } while (0)

/* Runs a program without its first allocation, its second... until it has all; how many it has. */
static unsigned without_each(int (*program)(void), int wanted)
{
    bool failed = true;
    unsigned n;

    for (n = 1; failed; n++) {
        int code;

        fail_alloc_at(n);
        code = program();
        failed = fail_alloc_stop();
        ck_assert_msg(code == (failed ? wanted : 0), "%s with allocation %u gone: %s",
                      bp_nnapi_result_name(code), n, last_error());
        nothing_lives();
    }
    return n - 2;
}

static const uint32_t image[] = {1, 4, 4, 2}, filter[] = {2, 1, 1, 2}, two[] = {2}, one[] = {1};
static ANeuralNetworksModel *models[3];
static ANeuralNetworksCompilation *compilation;

static void drop(void)
{
    ANeuralNetworksCompilation_free(compilation);
    compilation = NULL;
    for (int i = 0; i < 3; i++) {
        ANeuralNetworksModel_free(models[i]);
        models[i] = NULL;
    }
}

static int add(ANeuralNetworksModel *model, int32_t type, uint32_t rank, const uint32_t *dims)
{
    ANeuralNetworksOperandType operand = {type, rank, dims, type == Q8 ? 0.5f : 0, 0};

    return ANeuralNetworksModel_addOperand(model, &operand);
}

/* ---- a model of quantised images ------------------------------------------------------------ */

/* CONV_2D with a scale a channel, of images that a relaxed model's memory holds. */
static int make_conv(void)
{
    static const int32_t numbers[] = {0, 0, 0, 0, 1, 1, 0};
    static const uint32_t in[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    ANeuralNetworksSymmPerChannelQuantParams scales = {0, 2, (float[]){1, 2}};
    ANeuralNetworksModel *model;
    uint32_t x = 0, y = 10;
    int code = ANeuralNetworksModel_create(&models[0]);

    model = models[0];
    TRY(add(model, Q8, 4, image));
    TRY(add(model, Q8C, 4, filter));
    TRY(add(model, I32, 1, two));
    for (int i = 0; i < 7; i++)
        TRY(add(model, ANEURALNETWORKS_INT32, 0, NULL));
    TRY(add(model, Q8, 4, image));
    TRY(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, 1, &scales));
    TRY(ANeuralNetworksModel_setOperandValue(model, 1, "\1\2\3\4", 4));
    TRY(ANeuralNetworksModel_setOperandValue(model, 2, numbers, 8));
    for (int i = 0; i < 7; i++)
        TRY(ANeuralNetworksModel_setOperandValue(model, 3 + i, &numbers[i], 4));
    TRY(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_CONV_2D, 10, in, 1, &y));
    TRY(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &x, 1, &y));
    TRY(ANeuralNetworksModel_finish(model));
    return code;
}

static int compile(void)
{
    int code = ANeuralNetworksCompilation_create(models[0], &compilation);

    TRY(ANeuralNetworksCompilation_finish(compilation));
    return code;
}

static int run_conv(void)
{
    ANeuralNetworksExecution *run[2] = {NULL};
    ANeuralNetworksBurst *burst = NULL;
    ANeuralNetworksEvent *event = NULL;
    uint8_t x[32] = {1, 2, 3}, y[32];
    int code = make_conv();

    TRY(compile());
    TRY(ANeuralNetworksBurst_create(compilation, &burst));
    for (int i = 0; i < 2; i++) {
        TRY(ANeuralNetworksExecution_create(compilation, &run[i]));
        TRY(ANeuralNetworksExecution_setInput(run[i], 0, NULL, x, sizeof x));
        TRY(ANeuralNetworksExecution_setOutput(run[i], 0, NULL, y, sizeof y));
    }
    TRY(ANeuralNetworksExecution_burstCompute(run[0], burst));
    TRY(ANeuralNetworksExecution_startComputeWithDependencies(run[1], NULL, 0, 0, &event));
    if (event)
        TRY(ANeuralNetworksEvent_wait(event));
    ANeuralNetworksEvent_free(event);
    ANeuralNetworksExecution_free(run[0]);
    ANeuralNetworksExecution_free(run[1]);
    ANeuralNetworksBurst_free(burst);
    drop();
    return code;
}

START_TEST(running_a_convolution_without_memory)
{
    configure("devices = none");
    ck_assert_uint_ge(without_each(run_conv, ANEURALNETWORKS_OUT_OF_MEMORY), 25);
}
END_TEST

/* ---- IF in a WHILE -------------------------------------------------------------------------- */

/* i < 3 of a number. */
static int make_condition(void)
{
    static const int32_t three = 3;
    int code = ANeuralNetworksModel_create(&models[1]);

    TRY(add(models[1], I32, 1, one));
    TRY(add(models[1], I32, 1, one));
    TRY(add(models[1], B8, 1, one));
    TRY(ANeuralNetworksModel_setOperandValue(models[1], 1, &three, sizeof three));
    TRY(ANeuralNetworksModel_addOperation(models[1], ANEURALNETWORKS_LESS, 2, (uint32_t[]){0, 1}, 1,
                                          (uint32_t[]){2}));
    TRY(ANeuralNetworksModel_identifyInputsAndOutputs(models[1], 1, (uint32_t[]){0}, 1,
                                                      (uint32_t[]){2}));
    TRY(ANeuralNetworksModel_finish(models[1]));
    return code;
}

static int make_body(void)
{
    static const int32_t step = 1, none = 0;
    int code = ANeuralNetworksModel_create(&models[2]);

    TRY(add(models[2], I32, 1, one));
    TRY(add(models[2], I32, 1, one));
    TRY(add(models[2], ANEURALNETWORKS_INT32, 0, NULL));
    TRY(add(models[2], I32, 1, one));
    TRY(ANeuralNetworksModel_setOperandValue(models[2], 1, &step, sizeof step));
    TRY(ANeuralNetworksModel_setOperandValue(models[2], 2, &none, sizeof none));
    TRY(ANeuralNetworksModel_addOperation(models[2], ANEURALNETWORKS_ADD, 3, (uint32_t[]){0, 1, 2},
                                          1, (uint32_t[]){3}));
    TRY(ANeuralNetworksModel_identifyInputsAndOutputs(models[2], 1, (uint32_t[]){0}, 1,
                                                      (uint32_t[]){3}));
    TRY(ANeuralNetworksModel_finish(models[2]));
    return code;
}

/* WHILE of a number, then IF (a flag) the body once more. */
static int make_control(void)
{
    ANeuralNetworksModel *model;
    int code = make_condition();

    TRY(make_body());
    TRY(ANeuralNetworksModel_create(&models[0]));
    model = models[0];
    TRY(add(model, ANEURALNETWORKS_MODEL, 0, NULL));
    TRY(add(model, ANEURALNETWORKS_MODEL, 0, NULL));
    TRY(add(model, I32, 1, one));
    TRY(add(model, I32, 1, one));
    TRY(add(model, B8, 1, one));
    TRY(add(model, I32, 1, one));
    TRY(ANeuralNetworksModel_setOperandValueFromModel(model, 0, models[1]));
    TRY(ANeuralNetworksModel_setOperandValueFromModel(model, 1, models[2]));
    TRY(ANeuralNetworksModel_setOperandValue(model, 4, "\1", 1));
    TRY(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_WHILE, 3, (uint32_t[]){0, 1, 2}, 1,
                                          (uint32_t[]){3}));
    TRY(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_IF, 4, (uint32_t[]){4, 1, 1, 3}, 1,
                                          (uint32_t[]){5}));
    TRY(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, (uint32_t[]){2}, 1,
                                                      (uint32_t[]){5}));
    TRY(ANeuralNetworksModel_finish(model));
    return code;
}

/* No assertion while allocations are counted: Check allocates too. */
static int32_t to;

static int run_control(void)
{
    ANeuralNetworksExecution *run = NULL;
    int32_t from = 0;
    int code = make_control();

    TRY(compile());
    TRY(ANeuralNetworksExecution_create(compilation, &run));
    TRY(ANeuralNetworksExecution_setInput(run, 0, NULL, &from, sizeof from));
    TRY(ANeuralNetworksExecution_setOutput(run, 0, NULL, &to, sizeof to));
    TRY(ANeuralNetworksExecution_compute(run));
    ANeuralNetworksExecution_free(run);
    drop();
    return code;
}

START_TEST(running_branches_and_loops_without_memory)
{
    configure("devices = none");
    ck_assert_uint_ge(without_each(run_control, ANEURALNETWORKS_OUT_OF_MEMORY), 60);
    ck_assert_int_eq(to, 4);
}
END_TEST

/* ---- memory --------------------------------------------------------------------------------- */

static int make_memories(void)
{
    ANeuralNetworksMemory *domain = NULL, *bytes = NULL;
    ANeuralNetworksMemoryDesc *desc = NULL;
    ANeuralNetworksEvent *fence = NULL;
    AHardwareBuffer *buffer = NULL;
    int code = make_conv();

    TRY(compile());
    TRY(ANeuralNetworksMemoryDesc_create(&desc));
    TRY(ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1));
    TRY(ANeuralNetworksMemoryDesc_addOutputRole(desc, compilation, 0, 1));
    TRY(ANeuralNetworksMemoryDesc_finish(desc));
    TRY(ANeuralNetworksMemory_createFromDesc(desc, &domain));
    TRY(bp_nnapi_hardware_buffer_create(32, true, &buffer, NULL));
    TRY(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &bytes));
    TRY(ANeuralNetworksMemory_copy(bytes, domain));
    TRY(ANeuralNetworksEvent_createFromSyncFenceFd(STDIN_FILENO, &fence));
    ANeuralNetworksEvent_free(fence);
    ANeuralNetworksMemory_free(bytes);
    ANeuralNetworksMemory_free(domain);
    bp_nnapi_hardware_buffer_destroy(buffer);
    ANeuralNetworksMemoryDesc_free(desc);
    drop();
    return code;
}

START_TEST(making_memory_without_memory)
{
    configure("devices = none");
    ck_assert_uint_ge(without_each(make_memories, ANEURALNETWORKS_OUT_OF_MEMORY), 20);
}
END_TEST

/* ---- what needs no memory to go on ---------------------------------------------------------- */

/* A cache that cannot be read or written is none, and nothing is said. */
static int compile_cached(void)
{
    static const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN];
    ANeuralNetworksDevice *gpu;
    int code;

    OK(ANeuralNetworks_getDevice(0, &gpu));
    OK(ANeuralNetworksCompilation_createForDevices(
        models[0], (const ANeuralNetworksDevice *const *)&gpu, 1, &compilation));
    OK(ANeuralNetworksCompilation_setCaching(compilation, "/nonexistent", token));
    fail_alloc_at(1);
    code = ANeuralNetworksCompilation_finish(compilation);
    ck_assert(fail_alloc_stop());
    return code;
}

START_TEST(caching_without_memory_is_no_error)
{
    configure("device = sim-gpu\ntypes = all");
    OK(make_conv());
    OK(compile_cached());
    drop();
    nothing_lives();
}
END_TEST

static int configure_again(void)
{
    return bp_nnapi_configure("level = 28");
}

START_TEST(configuration_without_memory_stays)
{
    configure("level = 30");
    fail_alloc_at(1);
    ck_assert_int_ne(bp_nnapi_configure("level = 28"), 0);
    ck_assert(fail_alloc_stop());
    ck_assert_int_eq(bp_nnapi_level(), 30);
    without_each(configure_again, ANEURALNETWORKS_OUT_OF_MEMORY);
    ck_assert_int_eq(bp_nnapi_level(), 28);
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("no memory")};

    tcase_add_test(cases[0], running_a_convolution_without_memory);
    tcase_add_test(cases[0], running_branches_and_loops_without_memory);
    tcase_add_test(cases[0], making_memory_without_memory);
    tcase_add_test(cases[0], caching_without_memory_is_no_error);
    tcase_add_test(cases[0], configuration_without_memory_stays);
    return check_main("nnapi_sim no memory", cases, 1);
}
