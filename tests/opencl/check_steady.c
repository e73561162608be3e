/* SPDX-License-Identifier: MIT */
/*
 * check_steady.c - what a run of the provider opencl does once it is warm: it puts kernels into a queue
 * and waits once, at its end; it allocates, builds and sets nothing. And limits of the cache folder.
 */

#include "config.h"

#include "opencl_kit.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/count_alloc.h"

enum { ROWS = 5, N_IN = ROWS * 4, N_OUT = ROWS * 3 };

/* One group: its bytes are the application's, as are those of the output. */
static float input[N_IN], output[N_OUT];

static void one_group_model(void)
{
    static const float w[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};

    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,4");
    kit_floats("w", PW_DIMS(4, 3), 12, w);
    kit_node("relu", "Relu", "x", "r");
    kit_node("matmul", "MatMul", "r w", "m");
    kit_node("softmax", "Softmax", "m", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N,3");
}

/* Without Check, which allocates in each assertion. */
static bp_rc run_one_group(void)
{
    int64_t in_dims[] = {ROWS, 4}, out_dims[] = {ROWS, 3};
    bp_binding in = {.tensor = {.base = input,
                                .bytes = sizeof input,
                                .dtype = BP_DTYPE_F32,
                                .rank = 2,
                                .dims = in_dims}};
    bp_binding out = {.tensor = {.base = output,
                                 .bytes = sizeof output,
                                 .dtype = BP_DTYPE_F32,
                                 .rank = 2,
                                 .dims = out_dims}};

    return bp_session_run(kit.session, &in, 1, &out, 1, NULL, &kit.err);
}

static void warm_session(const char *key, const char *value)
{
    one_group_model();
    ocl_add(BP_FALLBACK_REQUIRE, key, value);
    kit_session();
    for (int i = 0; i < 5; i++)
        KIT_OK(run_one_group());
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Functions that make, build, look up or free something, or wait; the marker of each run is freed. */
static const char *const idle[] = {
    "clBuildProgram",        "clCreateBuffer",
    "clCreateCommandQueue",  "clCreateContext",
    "clCreateKernel",        "clCreateProgramWithBinary",
    "clCreateSubBuffer",     "clCreateProgramWithSource",
    "clEnqueueMapBuffer",    "clFinish",
    "clGetDeviceInfo",       "clGetMemObjectInfo",
    "clGetProgramInfo",      "clGetPlatformIDs",
    "clReleaseCommandQueue", "clReleaseKernel",
    "clReleaseMemObject",    "clReleaseProgram",
    "clSetKernelArg",
};

enum { N_IDLE = sizeof idle / sizeof idle[0] };

START_TEST(a_warm_run_waits_once_and_makes_nothing)
{
    uint64_t before[N_IDLE], waits, kernels, objects[FAULT_KINDS];
    const uint32_t n_runs = 20;

    warm_session(NULL, NULL);
    for (uint32_t i = 0; i < N_IDLE; i++)
        before[i] = ocl->calls(idle[i]);
    for (uint32_t i = 0; i < FAULT_KINDS; i++)
        objects[i] = (uint64_t)ocl->live(i);
    waits = ocl->blocking();
    kernels = ocl->calls("clEnqueueNDRangeKernel");
    for (uint32_t i = 0; i < n_runs; i++)
        KIT_OK(run_one_group());
    for (uint32_t i = 0; i < N_IDLE; i++)
        ck_assert_msg(ocl->calls(idle[i]) == before[i], "%s was called", idle[i]);
    for (uint32_t i = 0; i < FAULT_KINDS; i++)
        ck_assert_uint_eq((uint64_t)ocl->live(i), objects[i]);
    ck_assert_uint_gt(ocl->calls("clEnqueueNDRangeKernel"), kernels);
    ck_assert_uint_eq(ocl->blocking() - waits, n_runs); /* each run waits once */
}
END_TEST

START_TEST(a_warm_run_allocates_no_host_memory)
{
    unsigned long before;
    bp_rc rc = BP_OK;

    SKIP_UNLESS(count_alloc_works(), "allocations cannot be counted here");
    kit_teardown(); /* all but the driver is on the caller's thread, then */
    kit_setup();
    kit_new_env(1);
    warm_session(NULL, NULL);
    ocl->watch(count_alloc_own_calls);
    before = count_alloc_own_calls();
    for (int i = 0; i < 20 && rc >= 0; i++)
        rc = run_one_group();
    before = count_alloc_own_calls() - before;
    KIT_OK(rc);
    ck_assert_uint_gt(before, 0); /* PoCL's own are counted */
    ck_assert_msg(before == ocl->watched(), "%lu of %lu allocations are not the driver's",
                  before - ocl->watched(), before);
    ocl->watch(NULL);
}
END_TEST

/* ---- the cache folder ------------------------------------------------------------------------ */

static char folder[64];

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/bp-opencl-%ld", (long)getpid());
    ck_assert_int_eq(mkdir(folder, 0700), 0);
}

static void remove_folder(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

/* A folder whose path has about `length` bytes. */
static void make_deep_folder(char *path, size_t length)
{
    size_t n = (size_t)snprintf(path, PATH_MAX, "%s", folder);

    while (n < length) {
        size_t part = length - n - 1 < 200 ? length - n - 1 : 200;

        path[n++] = '/';
        memset(path + n, 'd', part);
        n += part;
        path[n] = '\0';
        if (part == 0 || mkdir(path, 0700) < 0)
            return;
    }
}

/* Programs of the second session come from the folder, where its path is as long as files allow. */
START_TEST(a_folder_with_a_long_path_keeps_programs)
{
    enum { FILE_NAME = sizeof "/opencl-0123456789abcdef0123456789abcdef.bin.XXXXXX" };
    char path[PATH_MAX + 16];
    uint64_t sources;

    make_folder();
    make_deep_folder(path, PATH_MAX - FILE_NAME);
    warm_session("cache_dir", path);
    ocl_check_left();
    sources = ocl->calls("clCreateProgramWithSource");
    ck_assert_uint_gt(sources, 0);
    warm_session("cache_dir", path);
    ck_assert_uint_eq(ocl->calls("clCreateProgramWithSource"), sources);
    ck_assert_uint_gt(ocl->calls("clCreateProgramWithBinary"), 0);
    ocl_check_left();
    remove_folder();
}
END_TEST

/* Then programs are built each time. */
START_TEST(a_folder_whose_path_is_too_long_keeps_nothing)
{
    char path[PATH_MAX + 16];

    make_folder();
    make_deep_folder(path, PATH_MAX - 8);
    warm_session("cache_dir", path);
    ck_assert_uint_eq(ocl->calls("clCreateProgramWithBinary"), 0);
    ocl_check_left();
    remove_folder();
}
END_TEST

/* ---- two processes on one device ------------------------------------------------------------- */

enum { CHILDREN = 3 };

/* In a process of its own: 0 is success. */
static int run_alone(void)
{
    ocl_setup();
    ocl_session("N", "cache_dir", folder);
    for (uint32_t i = 0; i < 20; i++) {
        uint32_t n_wrong;

        if (ocl_run(1 + i % 5, (float)i, NULL, &n_wrong, &kit.err) < 0 || n_wrong > 0)
            return 1;
    }
    ocl_teardown();
    return 0;
}

START_TEST(processes_share_a_device_and_a_folder)
{
    pid_t children[CHILDREN];

    make_folder();
    kit_teardown();
    for (int i = 0; i < CHILDREN; i++) {
        children[i] = fork();
        if (children[i] == 0)
            _exit(run_alone());
    }
    for (int i = 0; i < CHILDREN; i++) {
        int status = 1;

        ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
        ck_assert_int_eq(status, 0);
    }
    kit_setup();
    remove_folder();
}
END_TEST

/* ---- float16 --------------------------------------------------------------------------------- */

/* PoCL has no cl_khr_fp16: float16 is stored as such and computed in float32. */
START_TEST(float16_needs_nothing_of_the_driver)
{
    const uint16_t x[] = {0x3c00, 0xc000, 0x3800, 0x7bff}; /* 1, -2, 0.5, 65504 */
    const uint16_t want[] = {0x4000, 0xc400, 0x3c00, 0x7c00};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F16, x, 4), out = kit_wanted(0);

    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F16, "4");
    kit_node("add", "Add", "x x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F16, "4");
    ocl_add(BP_FALLBACK_REQUIRE, "fp16", "true");
    kit_session();
    kit_run(&in, 1, &out, 1);
    ck_assert_int_eq(memcmp(bp_tensor_data(&out.tensor), want, sizeof want), 0);
    bp_tensor_free(&out.tensor);
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("processes"), tcase_create("runs"), tcase_create("folder"),
                      tcase_create("types")};

    tcase_add_test(cases[0],
                   processes_share_a_device_and_a_folder); /* first: children open drivers */
    tcase_add_test(cases[1], a_warm_run_waits_once_and_makes_nothing);
    tcase_add_test(cases[1], a_warm_run_allocates_no_host_memory);
    tcase_add_test(cases[2], a_folder_with_a_long_path_keeps_programs);
    tcase_add_test(cases[2], a_folder_whose_path_is_too_long_keeps_nothing);
    tcase_add_test(cases[3], float16_needs_nothing_of_the_driver);
    return ocl_main("opencl_steady", cases, 4);
}
