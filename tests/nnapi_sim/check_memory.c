/* SPDX-License-Identifier: MIT */
/* check_memory.c - memory of descriptors, hardware buffers and devices on the simulated runtime. */
#include "nn_kit.h"

#include <sys/mman.h>
#include <unistd.h>

static const struct operand in[] = {{F32, .given = true, DIMS(2)}}, out[] = {{F32, DIMS(2)}};
static ANeuralNetworksModel *model;
static ANeuralNetworksCompilation *compilation;

/* y = relu(x); for a device, or for any if it is -1. */
static void compile(const char *config, int device)
{
    ANeuralNetworksDevice *chosen;

    configure(config);
    OK(build(ANEURALNETWORKS_RELU, in, 1, out, 1, false, &model));
    if (device < 0) {
        OK(ANeuralNetworksCompilation_create(model, &compilation));
    } else {
        OK(ANeuralNetworks_getDevice((uint32_t)device, &chosen));
        OK(ANeuralNetworksCompilation_createForDevices(
            model, (const ANeuralNetworksDevice *const *)&chosen, 1, &compilation));
    }
}

static void release(void)
{
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    nothing_lives();
}

/* Shared memory of two floats. */
static ANeuralNetworksMemory *shared(float **data)
{
    ANeuralNetworksMemory *memory;
    int fd = memfd_create("nnapi", 0);

    OK(ftruncate(fd, 4096));
    *data = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ck_assert_ptr_ne(*data, MAP_FAILED);
    OK(ANeuralNetworksMemory_createFromFd(8, PROT_READ | PROT_WRITE, fd, 0, &memory));
    close(fd);
    return memory;
}

/* Memory of a device that is the model's input and output. */
static int make_domain(ANeuralNetworksMemory **memory)
{
    ANeuralNetworksMemoryDesc *desc;
    int code;

    OK(ANeuralNetworksMemoryDesc_create(&desc));
    OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1));
    OK(ANeuralNetworksMemoryDesc_addOutputRole(desc, compilation, 0, 0.5f));
    OK(ANeuralNetworksMemoryDesc_finish(desc));
    code = ANeuralNetworksMemory_createFromDesc(desc, memory);
    ANeuralNetworksMemoryDesc_free(desc);
    return code;
}

/* Runs it between memory; whole memory of a device has length 0. */
static int run(const ANeuralNetworksMemory *from, const ANeuralNetworksMemory *to, size_t from_size,
               size_t to_size)
{
    ANeuralNetworksExecution *execution;
    int code;

    OK(ANeuralNetworksExecution_create(compilation, &execution));
    OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, from, 0, from_size));
    OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, to, 0, to_size));
    code = ANeuralNetworksExecution_compute(execution);
    ANeuralNetworksExecution_free(execution);
    return code;
}

/* ---- descriptions --------------------------------------------------------------------------- */

START_TEST(descriptions_are_checked)
{
    ANeuralNetworksMemoryDesc *desc;
    ANeuralNetworksMemory *memory;

    compile("devices = none", -1);
    OK(ANeuralNetworksMemoryDesc_create(&desc));
    FAILS(BAD_DATA, ANeuralNetworksMemoryDesc_finish(desc)); /* no role */
    FAILS(BAD_DATA,
          ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1)); /* unfinished */
    OK(ANeuralNetworksCompilation_finish(compilation));
    FAILS(BAD_DATA, ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 1, 1));
    FAILS(BAD_DATA, ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 0));
    FAILS(BAD_DATA, ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1.5f));
    FAILS(BAD_DATA, ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, NAN));
    OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1));
    FAILS(BAD_DATA, ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1)); /* again */
    FAILS(BAD_DATA, ANeuralNetworksMemoryDesc_setDimensions(desc, 1, (uint32_t[]){3}));
    FAILS(BAD_DATA, ANeuralNetworksMemoryDesc_setDimensions(desc, 2, (uint32_t[]){2, 1}));
    OK(ANeuralNetworksMemoryDesc_setDimensions(desc, 1, (uint32_t[]){2}));
    FAILS(BAD_STATE, ANeuralNetworksMemory_createFromDesc(desc, &memory));
    OK(ANeuralNetworksMemoryDesc_finish(desc));
    FAILS(BAD_STATE, ANeuralNetworksMemoryDesc_finish(desc));
    FAILS(BAD_STATE, ANeuralNetworksMemoryDesc_addOutputRole(desc, compilation, 0, 1));
    ANeuralNetworksMemoryDesc_free(desc);
    release();
}
END_TEST

START_TEST(memory_of_a_device_is_read_after_it_was_written)
{
    ANeuralNetworksMemory *a, *b, *host;
    float *data;

    compile("devices = npu\ndevice = sim-npu\ntypes = all", 0);
    OK(ANeuralNetworksCompilation_finish(compilation));
    OK(make_domain(&a));
    OK(make_domain(&b));
    host = shared(&data);
    data[0] = -1;
    data[1] = 5;
    FAILS(OP_FAILED, run(a, b, 0, 0));                    /* never written */
    FAILS(BAD_DATA, ANeuralNetworksMemory_copy(b, host)); /* what a failed run left */
    OK(ANeuralNetworksMemory_copy(host, a));
    OK(run(a, b, 0, 0));
    OK(ANeuralNetworksMemory_copy(b, host));
    ck_assert(data[0] == 0 && data[1] == 5);
    data[1] = 7;
    OK(run(host, a, 8, 0));
    OK(run(a, host, 0, 8));
    ck_assert(data[1] == 7);
    OK(bp_nnapi_fault(BP_NNAPI_AT_COPY, BP_NNAPI_ANY, 0, 1, 0)); /* the destination is lost */
    FAILS(OP_FAILED, ANeuralNetworksMemory_copy(host, a));
    FAILS(OP_FAILED, run(a, b, 0, 0));
    ANeuralNetworksMemory_free(a);
    ANeuralNetworksMemory_free(b);
    ANeuralNetworksMemory_free(host);
    munmap(data, 4096);
    release();
}
END_TEST

START_TEST(memory_of_a_device_is_used_whole_and_in_its_roles)
{
    ANeuralNetworksCompilation *other;
    ANeuralNetworksExecution *execution;
    ANeuralNetworksMemory *memory;

    compile("devices = none", -1);
    OK(ANeuralNetworksCompilation_finish(compilation));
    OK(ANeuralNetworksCompilation_create(model, &other));
    OK(ANeuralNetworksCompilation_finish(other));
    OK(make_domain(&memory));
    OK(ANeuralNetworksExecution_create(compilation, &execution));
    FAILS(BAD_DATA, ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, 8));
    FAILS(BAD_DATA, ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 4, 0));
    OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, 0));
    ANeuralNetworksExecution_free(execution);
    OK(ANeuralNetworksExecution_create(other, &execution)); /* no role there */
    FAILS(BAD_DATA, ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, 0));
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksMemory_free(memory);
    ANeuralNetworksCompilation_free(other);
    release();
}
END_TEST

/* A chosen device without memory for programs refuses; for any device it is the host's. */
START_TEST(devices_without_memory_domains_refuse_when_chosen)
{
    for (int device = -1; device < 1; device++) {
        ANeuralNetworksMemory *memory;

        compile("devices = gpu", device);
        OK(ANeuralNetworksCompilation_finish(compilation));
        FAILS(device < 0 ? 0 : OP_FAILED, make_domain(&memory));
        ANeuralNetworksMemory_free(memory);
        release();
    }
}
END_TEST

/* ---- hardware buffers ----------------------------------------------------------------------- */

START_TEST(hardware_buffers_hold_bytes_or_pictures)
{
    AHardwareBuffer *blob, *picture;
    ANeuralNetworksMemory *bytes, *image;
    ANeuralNetworksExecution *execution;
    ANeuralNetworksModel *other;
    ANeuralNetworksOperandType type = {F32, 1, (uint32_t[]){2}, 0, 0};
    void *data;

    compile("devices = none", -1);
    OK(ANeuralNetworksCompilation_finish(compilation));
    OK(bp_nnapi_hardware_buffer_create(16, true, &blob, &data));
    OK(bp_nnapi_hardware_buffer_create(16, false, &picture, NULL));
    memcpy(data, ((float[]){-1, 1, -3, 2}), 16);
    OK(ANeuralNetworksMemory_createFromAHardwareBuffer(blob, &bytes));
    OK(ANeuralNetworksMemory_createFromAHardwareBuffer(picture, &image));
    bp_nnapi_hardware_buffer_destroy(blob); /* memory keeps them */
    bp_nnapi_hardware_buffer_destroy(picture);
    OK(run(bytes, bytes, 8, 8));
    ck_assert(((float *)data)[0] == 0 && ((float *)data)[1] == 1 && ((float *)data)[2] == -3);
    FAILS(BAD_DATA, ANeuralNetworksMemory_copy(image, bytes));
    OK(ANeuralNetworksExecution_create(compilation, &execution));
    FAILS(BAD_DATA, ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, image, 0, 8));
    FAILS(BAD_DATA, ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, bytes, 12, 8));
    ANeuralNetworksExecution_free(execution);
    OK(ANeuralNetworksModel_create(&other)); /* a picture is no constant; bytes are */
    OK(ANeuralNetworksModel_addOperand(other, &type));
    FAILS(BAD_DATA, ANeuralNetworksModel_setOperandValueFromMemory(other, 0, image, 0, 8));
    OK(ANeuralNetworksModel_setOperandValueFromMemory(other, 0, bytes, 8, 8));
    ANeuralNetworksModel_free(other);
    ANeuralNetworksMemory_free(bytes);
    ANeuralNetworksMemory_free(image);
    release();
}
END_TEST

/* ---- padding -------------------------------------------------------------------------------- */

START_TEST(buffers_may_be_longer_when_padding_is_on)
{
    ANeuralNetworksExecution *execution;
    uint32_t alignment = 0, padding = 0;
    float x[16] = {-1, 2, -3}, y[16] = {0};

    compile("devices = none", -1);
    FAILS(BAD_STATE, ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(compilation, 0,
                                                                                    &alignment));
    OK(ANeuralNetworksCompilation_finish(compilation));
    OK(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(compilation, 0, &alignment));
    OK(ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(compilation, 0, &padding));
    ck_assert(alignment == 64 && padding == 64);
    OK(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(compilation, 0, &alignment));
    OK(ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(compilation, 0, &padding));
    ck_assert(alignment == 64 && padding == 64);
    FAILS(BAD_DATA,
          ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(compilation, 1, &padding));
    OK(ANeuralNetworksExecution_create(compilation, &execution));
    FAILS(BAD_DATA, ANeuralNetworksExecution_setInput(execution, 0, NULL, x, sizeof x));
    OK(ANeuralNetworksExecution_enableInputAndOutputPadding(execution, true));
    FAILS(BAD_DATA, ANeuralNetworksExecution_setInput(execution, 0, NULL, x, 4)); /* too short */
    OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, x, sizeof x));
    FAILS(BAD_STATE, ANeuralNetworksExecution_enableInputAndOutputPadding(execution, false));
    OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, y, sizeof y));
    OK(ANeuralNetworksExecution_compute(execution));
    ck_assert(y[0] == 0 && y[1] == 2 && y[2] == 0);
    ANeuralNetworksExecution_free(execution);
    release();
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("memory")};

    tcase_add_test(cases[0], descriptions_are_checked);
    tcase_add_test(cases[0], memory_of_a_device_is_read_after_it_was_written);
    tcase_add_test(cases[0], memory_of_a_device_is_used_whole_and_in_its_roles);
    tcase_add_test(cases[0], devices_without_memory_domains_refuse_when_chosen);
    tcase_add_test(cases[0], hardware_buffers_hold_bytes_or_pictures);
    tcase_add_test(cases[0], buffers_may_be_longer_when_padding_is_on);
    return check_main("nnapi_sim memory", cases, 1);
}
