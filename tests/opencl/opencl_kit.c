/* SPDX-License-Identifier: MIT */
/* opencl_kit.c - see opencl_kit.h. */

#include "config.h"

#include "opencl_kit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

const struct fault_driver *ocl;

/* The session of cpu alone, whose results are right. */
static bp_session *reference;

/* ---- the driver ------------------------------------------------------------------------------ */

/* Opened before the provider opens the real one, which has the same SONAME. */
static void *open_driver(void)
{
    char path[1024];

    snprintf(path, sizeof path, "%s/tests/opencl/faults/.libs/libOpenCL.so.1",
             getenv("BP_BUILDDIR") ? getenv("BP_BUILDDIR") : ".");
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void find(void *library, const char *name, void *out)
{
    void *symbol = library ? dlsym(library, name) : NULL;

    memcpy(out, &symbol, sizeof symbol);
}

/* In a process of its own, as drivers leave threads behind. */
static bool has_device(void)
{
    pid_t child = fork();
    int status = 1;

    if (child == 0) {
        __typeof__(&clGetPlatformIDs) list;
        cl_platform_id platform;
        cl_uint n = 0;

        find(open_driver(), "clGetPlatformIDs", &list);
        _exit(list && list(1, &platform, &n) == CL_SUCCESS && n > 0 ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

const char *ocl_missing(void)
{
    char path[1024];
    const char *built = getenv("BP_BUILDDIR");

    snprintf(path, sizeof path, "%s/providers/libbp-opencl.so", built ? built : ".");
    if (access(path, R_OK) < 0)
        return "not tested: the provider opencl was not built";
    if (!has_device())
        return "not tested: there is no OpenCL device; install Debian's pocl-opencl-icd";
    return NULL;
}

static void open_faults(void)
{
    __typeof__(&bp_fault_driver) get;

    if (ocl)
        return;
    find(open_driver(), "bp_fault_driver", &get);
    ck_assert_msg(get != NULL, "the fault driver is not there: %s", dlerror());
    ocl = get();
}

/* The driver's own cache of kernels, where scripts have it too; a home folder is not needed. */
static void choose_driver_cache(void)
{
    char path[1024];

    snprintf(path, sizeof path, "%s/tests/opencl/pocl-cache", getenv("BP_BUILDDIR"));
    setenv("POCL_CACHE_DIR", path, 0);
}

void ocl_setup(void)
{
    kit_setup();
    choose_driver_cache();
    open_faults();
    ocl->clear();
}

void ocl_check_left(void)
{
    static const char *const names[FAULT_KINDS] = {"contexts", "queues",  "buffers",
                                                   "programs", "kernels", "events"};

    kit_end_session();
    for (uint32_t i = 0; i < FAULT_KINDS; i++)
        ck_assert_msg(ocl->live(i) == 0, "%lld %s are left", (long long)ocl->live(i), names[i]);
}

static void end_reference(void)
{
    bp_session_destroy(reference);
    reference = NULL;
}

void ocl_teardown(void)
{
    ocl->clear();
    end_reference();
    ocl_check_left();
    kit_teardown();
}

/* ---- sessions -------------------------------------------------------------------------------- */

void ocl_add(uint32_t fallback, const char *key, const char *value)
{
    bp_key_value row = {key, value};

    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, "opencl", &row, key ? 1 : 0, fallback,
                                           &kit.err));
}

void ocl_model(const char *rows)
{
    static const float w[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}, scales[] = {1, 1, 2, 2};
    char three[16], four[16];

    snprintf(three, sizeof three, "%s,3", rows);
    snprintf(four, sizeof four, "%s,4", rows);
    kit_start_model();
    end_reference();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, four);
    kit_floats("w", PW_DIMS(4, 3), 12, w);
    kit_floats("scales", PW_DIMS(4), 4, scales);
    kit_floats("none", PW_DIMS(0), 0, scales);
    kit_ints("axis", PW_DIMS(1), 1, (int64_t[]){1});
    kit_ints("pairs", PW_DIMS(2), 2, (int64_t[]){-1, 2});
    kit_ints("image", PW_DIMS(4), 4, (int64_t[]){1, 1, -1, 3});
    kit_node("relu", "Relu", "x", "r");
    kit_node("matmul", "MatMul", "r w", "m");
    kit_node("view", "Reshape", "r pairs", "v"); /* an output: copied within the device */
    kit_node("as_image", "Reshape", "m image", "i");
    kit_node("resize", "Resize", "i none scales", "u"); /* reads a table */
    kit_node("sums", "CumSum", "m axis", "c");          /* cpu */
    kit_node("add", "Add", "c m", "a");
    kit_io(KIT_OUTPUT, "a", BP_DTYPE_F32, three);
    kit_io(KIT_OUTPUT, "v", BP_DTYPE_F32, "?,2");
    kit_io(KIT_OUTPUT, "u", BP_DTYPE_F32, "1,1,?,6");
}

void ocl_session(const char *rows, const char *key, const char *value)
{
    ocl_model(rows);
    ocl_add(BP_FALLBACK_REQUIRE, key, value);
    kit_session();
}

/* ---- runs ------------------------------------------------------------------------------------ */

static bp_rc run_on(bp_session *session, uint32_t rows, float start, const bp_run_options *options,
                    bp_binding *out, bp_err *err)
{
    int64_t dims[] = {rows, 4};
    float x[OCL_MAX_ROWS * 4] = {0};
    bp_binding in = kit_tensor(0, BP_DTYPE_F32, x, 2, dims);

    for (uint32_t i = 0; i < rows * 4; i++)
        x[i] = start + (float)(i % 7) - 3;
    for (uint32_t i = 0; i < OCL_OUTPUTS; i++)
        out[i] = kit_wanted(i);
    return bp_session_run(session, &in, 1, out, OCL_OUTPUTS, options, err);
}

static uint32_t count_wrong(const bp_binding *got, const bp_binding *want)
{
    uint32_t n_wrong = 0;

    for (uint32_t i = 0; i < OCL_OUTPUTS; i++) {
        const float *a = bp_tensor_data(&got[i].tensor), *b = bp_tensor_data(&want[i].tensor);
        size_t n = want[i].tensor.bytes / sizeof *b;

        if (got[i].tensor.bytes != want[i].tensor.bytes)
            return UINT32_MAX;
        for (size_t k = 0; k < n; k++)
            n_wrong += a[k] != b[k];
    }
    return n_wrong;
}

static void free_outputs(bp_binding *out)
{
    for (uint32_t i = 0; i < OCL_OUTPUTS; i++)
        bp_tensor_free(&out[i].tensor);
}

void ocl_need_reference(void)
{
    if (!reference)
        KIT_OK(bp_session_create_from_model(kit.env, kit_model(), NULL, &reference, &kit.err));
}

/* Any thread, once there is a reference: nothing is asserted, and kit.err is not used. */
bp_rc ocl_run(uint32_t rows, float start, const bp_run_options *options, uint32_t *n_wrong,
              bp_err *err)
{
    bp_binding got[OCL_OUTPUTS], want[OCL_OUTPUTS];
    bp_rc rc;

    *n_wrong = 0;
    ocl_need_reference();
    rc = run_on(kit.session, rows, start, options, got, err);
    if (rc >= 0 && run_on(reference, rows, start, NULL, want, NULL) >= 0) {
        *n_wrong = count_wrong(got, want);
        free_outputs(want);
    } else if (rc >= 0) {
        *n_wrong = UINT32_MAX;
    }
    free_outputs(got);
    return rc;
}

void ocl_check_run(uint32_t rows, float start, const bp_run_options *options)
{
    uint32_t n_wrong;

    KIT_OK(ocl_run(rows, start, options, &n_wrong, &kit.err));
    ck_assert_msg(n_wrong == 0, "%u elements are wrong", n_wrong);
}

int ocl_main(const char *name, TCase *const *cases, uint32_t n_cases)
{
    const char *missing = SKIP_HAS_ASAN || SKIP_HAS_TSAN || skip_in_valgrind()
                              ? "skipped: PoCL and LLVM keep what they allocate, and are slow here"
                              : ocl_missing();

    if (missing)
        return check_skip(missing, cases, n_cases);
    for (uint32_t i = 0; i < n_cases; i++) {
        tcase_set_timeout(cases[i], 600);
        tcase_add_checked_fixture(cases[i], ocl_setup, ocl_teardown);
    }
    return kit_main(name, cases, n_cases);
}
