/* SPDX-License-Identifier: MIT */
/*
 * check_shared_weights.c - read-only data that sessions share: one copy a key, as long as someone
 * has it.
 */

#include "config.h"

#include <check.h>
#include <pthread.h>
#include <stdatomic.h>

#include "host/load/shared_weights.h"
#include "support/fail_alloc.h"
#include "support/session_kit.h"

enum { N_THREADS = 4, N_ROUNDS = 500 };

static struct bp_shared_weights *weights;
static atomic_uint n_packed;

static void setup(void)
{
    kit.err = bp_err_init(kit.text, sizeof kit.text);
    atomic_store(&n_packed, 0);
    KIT_OK(bp_shared_weights_create(&weights, &kit.err));
}

static void teardown(void)
{
    bp_shared_weights_destroy(weights);
}

/* Fills with the byte that u points to. */
static bp_rc pack(void *u, void *dst, size_t n, bp_err *err)
{
    (void)err;
    memset(dst, *(const char *)u, n);
    atomic_fetch_add(&n_packed, 1);
    return BP_OK;
}

static bp_rc pack_fails(void *u, void *dst, size_t n, bp_err *err)
{
    (void)u;
    memset(dst, 0, n);
    return bp_fail(err, BP_E_IO, "the weights cannot be read");
}

static bp_rc get(const char *scope, const char *key, size_t n, const void **out)
{
    char fill = key[0];

    return bp_shared_weights_get(weights, scope, key, n, 64, pack, &fill, out, &kit.err);
}

START_TEST(shared_weights_are_packed_once_for_all_callers)
{
    const void *a, *b;

    KIT_OK(get("dnnl", "w", 1000, &a));
    KIT_OK(get("dnnl", "w", 1000, &b));
    ck_assert_ptr_eq(a, b);
    ck_assert_uint_eq(atomic_load(&n_packed), 1);
    ck_assert_int_eq(((const char *)a)[999], 'w');
    ck_assert_uint_eq((uintptr_t)a % 64, 0);
    bp_shared_weights_put(weights, a);
    ck_assert_int_eq(((const char *)b)[999], 'w'); /* still b's */
    bp_shared_weights_put(weights, b);
}
END_TEST

START_TEST(shared_weights_are_packed_again_after_the_last_release)
{
    const void *p;

    KIT_OK(get("dnnl", "w", 8, &p));
    bp_shared_weights_put(weights, p);
    KIT_OK(get("dnnl", "w", 16, &p)); /* another size is fine now */
    ck_assert_uint_eq(atomic_load(&n_packed), 2);
    bp_shared_weights_put(weights, p);
}
END_TEST

START_TEST(shared_weights_are_separate_for_each_key_and_plug_in)
{
    const void *a, *b, *c;

    KIT_OK(get("dnnl", "a", 8, &a));
    KIT_OK(get("dnnl", "b", 8, &b));
    KIT_OK(get("opencl", "a", 8, &c));
    ck_assert(a != b && b != c && a != c);
    ck_assert_uint_eq(atomic_load(&n_packed), 3);
    bp_shared_weights_put(weights, a);
    bp_shared_weights_put(weights, b);
    bp_shared_weights_put(weights, c);
}
END_TEST

START_TEST(shared_weights_reject_another_size_for_the_same_key)
{
    const void *a, *b = &a;

    KIT_OK(get("dnnl", "w", 8, &a));
    KIT_FAILS(get("dnnl", "w", 9, &b), BP_E_INVALID, "'w'", "8", "9");
    ck_assert_ptr_eq(b, &a);
    bp_shared_weights_put(weights, a);
}
END_TEST

START_TEST(shared_weights_keep_nothing_of_a_failed_pack)
{
    const void *p = NULL;

    KIT_FAILS(bp_shared_weights_get(weights, "dnnl", "w", 8, 64, pack_fails, NULL, &p, &kit.err),
              BP_E_IO, "cannot be read");
    ck_assert_ptr_null(p);
    KIT_OK(get("dnnl", "w", 8, &p));
    ck_assert_int_eq(*(const char *)p, 'w');
    bp_shared_weights_put(weights, p);
}
END_TEST

START_TEST(shared_weights_accept_no_bytes_and_small_alignments)
{
    const void *a, *b;
    char fill = 'z';

    KIT_OK(get("dnnl", "none", 0, &a));
    KIT_OK(bp_shared_weights_get(weights, "dnnl", "small", 3, 1, pack, &fill, &b, &kit.err));
    ck_assert_int_eq(((const char *)b)[2], 'z');
    bp_shared_weights_put(weights, a);
    bp_shared_weights_put(weights, b);
}
END_TEST

START_TEST(shared_weights_ignore_a_release_of_foreign_memory)
{
    int other;
    const void *p;

    KIT_OK(get("dnnl", "w", 8, &p));
    bp_shared_weights_put(weights, &other);
    ck_assert_int_eq(*(const char *)p, 'w');
    bp_shared_weights_put(weights, p);
}
END_TEST

START_TEST(shared_weights_free_what_was_never_released)
{
    const void *p;

    KIT_OK(get("dnnl", "kept", 4096, &p)); /* memcheck sees it if not */
}
END_TEST

static void *get_and_put(void *arg)
{
    uint32_t *n_wrong = arg;

    for (int i = 0; i < N_ROUNDS; i++) {
        const void *p;
        char fill = 'k';

        if (bp_shared_weights_get(weights, "dnnl", "k", 256, 64, pack, &fill, &p, NULL) < 0 ||
            *(const char *)p != 'k') {
            ++*n_wrong;
            continue;
        }
        bp_shared_weights_put(weights, p);
    }
    return NULL;
}

START_TEST(shared_weights_serve_many_threads)
{
    pthread_t threads[N_THREADS];
    uint32_t n_wrong[N_THREADS] = {0};

    for (int i = 0; i < N_THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, get_and_put, &n_wrong[i]), 0);
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_uint_eq(n_wrong[i], 0);
    }
}
END_TEST

START_TEST(shared_weights_survive_failing_allocations)
{
    bool failed = true;

    for (unsigned n = 1; failed; n++) {
        const void *p = NULL;
        bp_rc rc;

        fail_alloc_at(n);
        rc = get("dnnl", "w", 8, &p);
        failed = fail_alloc_stop();
        ck_assert_int_eq(rc, failed ? BP_E_NOMEM : BP_OK);
        ck_assert(failed == !p);
        bp_shared_weights_put(weights, p);
    }
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("weights");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, shared_weights_are_packed_once_for_all_callers);
    tcase_add_test(tcase, shared_weights_are_packed_again_after_the_last_release);
    tcase_add_test(tcase, shared_weights_are_separate_for_each_key_and_plug_in);
    tcase_add_test(tcase, shared_weights_reject_another_size_for_the_same_key);
    tcase_add_test(tcase, shared_weights_keep_nothing_of_a_failed_pack);
    tcase_add_test(tcase, shared_weights_accept_no_bytes_and_small_alignments);
    tcase_add_test(tcase, shared_weights_ignore_a_release_of_foreign_memory);
    tcase_add_test(tcase, shared_weights_free_what_was_never_released);
    tcase_add_test(tcase, shared_weights_serve_many_threads);
    tcase_add_test(tcase, shared_weights_survive_failing_allocations);
    return kit_main("weights", &tcase, 1);
}
