/* SPDX-License-Identifier: MIT */
/*
 * check_shared.c - sessions of one device share its context and buffers of equal constants, which
 * are released with the last of them. The driver is this file's, so that no device is needed.
 */

#include "config.h"

#include "base/shared.h"

#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "support/check_main.h"

static atomic_int contexts, buffers; /* that are there */
static bool fails;
static bp_err *const no_err = NULL;

static cl_context create_context(const cl_context_properties *properties, cl_uint n,
                                 const cl_device_id *devices,
                                 void (*notify)(const char *, const void *, size_t, void *),
                                 void *user, cl_int *code)
{
    (void)properties;
    (void)n;
    (void)devices;
    (void)notify;
    (void)user;
    *code = fails ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
    contexts += !fails;
    return fails ? NULL : (cl_context)(uintptr_t)(0x1000 + contexts);
}

static cl_int release_context(cl_context context)
{
    (void)context;
    contexts--;
    return CL_SUCCESS;
}

static const struct bp_opencl_library driver = {.clCreateContext = create_context,
                                                .clReleaseContext = release_context};
static const struct bp_opencl_device devices[2] = {
    {.id = (cl_device_id)(uintptr_t)0x10, .name = "first"},
    {.id = (cl_device_id)(uintptr_t)0x20, .name = "second"}};

static struct bp_opencl_shared *open_shared(uint32_t i)
{
    struct bp_opencl_shared *shared = NULL;

    ck_assert_int_eq(bp_opencl_shared_open(&driver, &devices[i], &shared, no_err), BP_OK);
    return shared;
}

static bp_rc fill(void *u, cl_mem *out, bp_err *err)
{
    (void)err;
    if (fails)
        return BP_E_NOMEM;
    buffers++;
    *out = u;
    return BP_OK;
}

/* True: it was made for this call. */
static bool get(struct bp_opencl_shared *shared, const char *key, uintptr_t handle, cl_mem *out)
{
    bool is_new = false;

    ck_assert_int_eq(
        bp_opencl_shared_get(shared, key, strlen(key), fill, (void *)handle, out, &is_new, no_err),
        BP_OK);
    return is_new;
}

START_TEST(a_device_has_one_context)
{
    struct bp_opencl_shared *a = open_shared(0), *b = open_shared(0), *c = open_shared(1);

    ck_assert_ptr_eq(a, b);
    ck_assert_ptr_ne(a, c);
    ck_assert_int_eq(contexts, 2);
    bp_opencl_shared_close(a);
    ck_assert_int_eq(contexts, 2);
    bp_opencl_shared_close(c);
    bp_opencl_shared_close(b);
    ck_assert_int_eq(contexts, 0);
    bp_opencl_shared_close(NULL);
}
END_TEST

START_TEST(equal_constants_are_one_buffer_until_the_last_use)
{
    struct bp_opencl_shared *a = open_shared(0), *other = open_shared(1);
    cl_mem one, two, three, four;

    ck_assert(get(a, "weights", 1, &one));
    ck_assert(!get(a, "weights", 2, &two));
    ck_assert(get(a, "others!", 3, &three));
    ck_assert(get(other, "weights", 4, &four)); /* another device */
    ck_assert_ptr_eq(one, two);
    ck_assert_int_eq(buffers, 3);
    ck_assert(!bp_opencl_shared_put(a, one));
    ck_assert(bp_opencl_shared_put(a, two));
    ck_assert(get(a, "weights", 5, &one)); /* made anew */
    ck_assert(bp_opencl_shared_put(a, three));
    ck_assert(bp_opencl_shared_put(a, one));
    ck_assert(bp_opencl_shared_put(other, four));
    bp_opencl_shared_close(a);
    bp_opencl_shared_close(other);
}
END_TEST

START_TEST(what_fails_is_not_kept)
{
    struct bp_opencl_shared *a = NULL;
    cl_mem memory = NULL;
    bool is_new;

    fails = true;
    ck_assert_int_lt(bp_opencl_shared_open(&driver, &devices[0], &a, no_err), 0);
    ck_assert_ptr_null(a);
    fails = false;
    a = open_shared(0);
    fails = true;
    ck_assert_int_eq(bp_opencl_shared_get(a, "w", 1, fill, NULL, &memory, &is_new, no_err),
                     BP_E_NOMEM);
    fails = false;
    ck_assert(get(a, "w", 1, &memory));
    ck_assert(bp_opencl_shared_put(a, memory));
    bp_opencl_shared_close(a);
    ck_assert_int_eq(contexts, 0);
}
END_TEST

/* Opens, gets, puts and closes; the number of releases. */
static void *use_it(void *u)
{
    intptr_t n = 0;

    (void)u;
    for (uint32_t i = 0; i < 500; i++) {
        struct bp_opencl_shared *shared = open_shared(0);
        cl_mem memory;

        get(shared, "weights", 7, &memory);
        n += bp_opencl_shared_put(shared, memory);
        bp_opencl_shared_close(shared);
    }
    return (void *)n;
}

START_TEST(threads_make_and_release_as_often)
{
    pthread_t threads[8];
    intptr_t released = 0;

    buffers = 0;
    for (uint32_t i = 0; i < 8; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, use_it, NULL), 0);
    for (uint32_t i = 0; i < 8; i++) {
        void *n;

        ck_assert_int_eq(pthread_join(threads[i], &n), 0);
        released += (intptr_t)n;
    }
    ck_assert_int_eq(buffers, released);
    ck_assert_int_eq(contexts, 0);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("shared");
    TCase *cases[] = {tcase};

    tcase_add_test(tcase, a_device_has_one_context);
    tcase_add_test(tcase, equal_constants_are_one_buffer_until_the_last_use);
    tcase_add_test(tcase, what_fails_is_not_kept);
    tcase_add_test(tcase, threads_make_and_release_as_often);
    return check_main("opencl shared", cases, 1);
}
