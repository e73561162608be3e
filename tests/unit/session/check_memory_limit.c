/* SPDX-License-Identifier: MIT */
/*
 * check_memory_limit.c - limits on the memory of a session and of an environment, with statistics
 * and trim of an environment, and sessions with several owners.
 */

#include "config.h"

#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "support/session_kit.h"

enum { ROWS = 4000 };

/* Runs y = relu(x) + x on `rows` rows of 4, without checking the result. */
static bp_rc run_rows(bp_session *session, uint32_t rows)
{
    static float x[ROWS * 4], y[ROWS * 4];
    int64_t dims[2] = {rows, 4}, out_dims[2] = {0, 0};
    bp_binding in = {.index = 0}, out = {.index = 0};

    in.tensor = (bp_tensor){
        .base = x, .dims = dims, .bytes = (size_t)rows * 16, .rank = 2, .dtype = BP_DTYPE_F32};
    out.tensor = (bp_tensor){.base = y, .dims = out_dims, .bytes = sizeof y, .rank = 2};
    return bp_session_run(session, &in, 1, &out, 1, NULL, &kit.err);
}

static void limited_session(uint64_t bytes)
{
    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    bp_session_options_set_memory_limit(kit.options, bytes);
    kit_session();
}

static bp_session_stats stats(bp_session *session)
{
    bp_session_stats own = {.struct_size = sizeof own};

    KIT_OK(bp_session_get_stats(session, &own, &kit.err));
    return own;
}

static bp_env_stats env_stats(void)
{
    bp_env_stats own = {.struct_size = sizeof own};

    KIT_OK(bp_env_get_stats(kit.env, &own, &kit.err));
    return own;
}

START_TEST(run_that_needs_more_than_the_limit_fails_with_the_sum)
{
    limited_session(20000);
    KIT_OK(run_rows(kit.session, 100));
    KIT_FAILS(run_rows(kit.session, ROWS), BP_E_NOMEM, "the session holds");
    ck_assert_ptr_nonnull(strstr(kit.text, "its limit of 0.0 MB"));
    ck_assert_uint_le(stats(kit.session).held_bytes, 20000);
    KIT_OK(run_rows(kit.session, 100)); /* it goes on with what fits */
}
END_TEST

/* What an idle frame holds makes way for a run that needs it. */
START_TEST(memory_of_idle_frames_is_freed_before_a_run_fails)
{
    uint64_t large;

    limited_session(0);
    KIT_OK(run_rows(kit.session, 1000));
    large = stats(kit.session).held_bytes;
    bp_session_destroy(kit.session);
    kit.session = NULL;
    bp_session_options_set_memory_limit(kit.options, large + large / 2);
    kit_session();
    KIT_OK(run_rows(kit.session, 1000));
    KIT_OK(run_rows(kit.session, 1400)); /* both at once would be too much */
    ck_assert_uint_le(stats(kit.session).held_bytes, large + large / 2);
    ck_assert_uint_le(stats(kit.session).peak_bytes, large + large / 2);
}
END_TEST

START_TEST(weights_that_are_too_much_fail_creation)
{
    kit_small_model();
    kit_provider_with("picky", "keep", "2");
    bp_session_options_set_memory_limit(kit.options, 100);
    KIT_FAILS(kit_try_session(), BP_E_NOMEM, "weights of this model");
    ck_assert_uint_eq(env_stats().n_sessions, 0);
    ck_assert_uint_eq(env_stats().beside_bytes, 0);
}
END_TEST

START_TEST(environment_counts_and_trims_all_sessions)
{
    bp_session *other;
    uint64_t freed = 0;
    bp_env_stats before, after;

    limited_session(0);
    KIT_OK(bp_session_create_from_model(kit.env, kit.model, kit.options, &other, &kit.err));
    KIT_OK(run_rows(kit.session, 100));
    KIT_OK(run_rows(other, 200));
    before = env_stats();
    ck_assert_uint_eq(before.n_sessions, 2);
    ck_assert_uint_eq(before.runs, 2);
    ck_assert_uint_eq(before.memory_limit, 0);
    ck_assert_uint_eq(before.held_bytes, stats(kit.session).held_bytes + stats(other).held_bytes);
    ck_assert_uint_ge(before.peak_bytes, before.held_bytes + before.beside_bytes);
    KIT_OK(bp_env_trim(kit.env, &freed, &kit.err));
    ck_assert_uint_eq(freed, before.held_bytes);
    after = env_stats();
    ck_assert_uint_eq(after.held_bytes, 0);
    ck_assert_uint_eq(after.peak_bytes, before.peak_bytes);
    KIT_OK(run_rows(other, 200));
    bp_session_destroy(other);
    ck_assert_uint_eq(env_stats().n_sessions, 1);
    KIT_FAILS(bp_env_get_stats(NULL, &after, &kit.err), BP_E_INVALID, "environment");
    KIT_FAILS(bp_env_trim(NULL, NULL, &kit.err), BP_E_INVALID, "environment");
}
END_TEST

/* Memory that one session's frames hold idle serves another one of a limited environment. */
START_TEST(limit_of_an_environment_is_for_all_its_sessions)
{
    bp_session *one, *two;

    kit_limited_env(60000);
    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    KIT_OK(bp_session_create_from_model(kit.env, kit_model(), kit.options, &one, &kit.err));
    KIT_OK(bp_session_create_from_model(kit.env, kit.model, kit.options, &two, &kit.err));
    KIT_OK(run_rows(one, 800));
    KIT_OK(run_rows(two, 800));
    KIT_OK(run_rows(one, 800));
    ck_assert_uint_le(env_stats().peak_bytes, 60000);
    KIT_FAILS(run_rows(two, ROWS), BP_E_NOMEM, "the environment holds");
    ck_assert_uint_eq(env_stats().memory_limit, 60000);
    bp_session_destroy(one);
    bp_session_destroy(two);
}
END_TEST

START_TEST(variable_sets_the_lower_limit)
{
    bp_env_config config = {.struct_size = sizeof config, .memory_limit = 60000};
    bp_env_stats own = {.struct_size = sizeof own};
    bp_env *env;

    setenv("BACKPLANE_MEMORY_LIMIT", "1K", 1);
    KIT_OK(bp_env_create(&config, &env, &kit.err));
    KIT_OK(bp_env_get_stats(env, &own, &kit.err));
    ck_assert_uint_eq(own.memory_limit, 1024);
    KIT_OK(bp_env_destroy(env, &kit.err));
    setenv("BACKPLANE_MEMORY_LIMIT", "1G", 1);
    KIT_OK(bp_env_create(&config, &env, &kit.err));
    KIT_OK(bp_env_get_stats(env, &own, &kit.err));
    ck_assert_uint_eq(own.memory_limit, 60000);
    KIT_OK(bp_env_destroy(env, &kit.err));
    setenv("BACKPLANE_MEMORY_LIMIT", "much", 1);
    KIT_FAILS(bp_env_create(&config, &env, &kit.err), BP_E_INVALID, "BACKPLANE_MEMORY_LIMIT=much");
    unsetenv("BACKPLANE_MEMORY_LIMIT");
}
END_TEST

/* ---- several owners -------------------------------------------------------------------------- */

enum { N_READERS = 4, N_RELOADS = 50 };

/* What a service shares: the newest session, replaced under a lock that is held for no run. */
static struct service {
    pthread_mutex_t lock;
    bp_session *session;
    atomic_bool is_over;
    atomic_uint n_runs, n_failed;
} service;

static bp_session *take(void)
{
    bp_session *session;

    pthread_mutex_lock(&service.lock);
    session = bp_session_retain(service.session);
    pthread_mutex_unlock(&service.lock);
    return session;
}

static void *serve(void *u)
{
    (void)u;
    while (!atomic_load(&service.is_over)) {
        bp_session *session = take();
        float x[8] = {1}, y[8];
        int64_t dims[2] = {2, 4}, out_dims[2];
        bp_binding in = {.index = 0}, out = {.index = 0};

        in.tensor = (bp_tensor){
            .base = x, .dims = dims, .bytes = sizeof x, .rank = 2, .dtype = BP_DTYPE_F32};
        out.tensor = (bp_tensor){.base = y, .dims = out_dims, .bytes = sizeof y, .rank = 2};
        if (bp_session_run(session, &in, 1, &out, 1, NULL, NULL) < 0)
            atomic_fetch_add(&service.n_failed, 1);
        atomic_fetch_add(&service.n_runs, 1);
        bp_session_destroy(session);
    }
    return NULL;
}

START_TEST(session_ends_with_its_last_owner)
{
    pthread_t threads[N_READERS];
    uint64_t freed;

    ck_assert_ptr_null(bp_session_retain(NULL));
    limited_session(0);
    pthread_mutex_init(&service.lock, NULL);
    KIT_OK(
        bp_session_create_from_model(kit.env, kit.model, kit.options, &service.session, &kit.err));
    for (int i = 0; i < N_READERS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, serve, NULL), 0);
    for (int i = 0; i < N_RELOADS; i++) {
        bp_session *next, *last;

        while (atomic_load(&service.n_runs) < (unsigned)i)
            sched_yield();
        KIT_OK(bp_session_create_from_model(kit.env, kit.model, kit.options, &next, &kit.err));
        pthread_mutex_lock(&service.lock);
        last = service.session;
        service.session = next;
        pthread_mutex_unlock(&service.lock);
        bp_session_destroy(last);
        KIT_OK(bp_env_trim(kit.env, &freed, &kit.err));
        ck_assert_uint_ge(env_stats().n_sessions, 2);
    }
    atomic_store(&service.is_over, true);
    for (int i = 0; i < N_READERS; i++)
        pthread_join(threads[i], NULL);
    bp_session_destroy(service.session);
    ck_assert_uint_eq(env_stats().n_sessions, 1);
    ck_assert_uint_ge(atomic_load(&service.n_runs), N_RELOADS - 1);
    ck_assert_uint_eq(atomic_load(&service.n_failed), 0);
    pthread_mutex_destroy(&service.lock);
}
END_TEST

int main(void)
{
    TCase *limits = tcase_create("limits");
    TCase *owners = tcase_create("owners");
    TCase *cases[] = {limits, owners};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tcase_add_checked_fixture(cases[i], kit_setup, kit_teardown);
        tcase_set_timeout(cases[i], 60);
    }
    tcase_add_test(limits, run_that_needs_more_than_the_limit_fails_with_the_sum);
    tcase_add_test(limits, memory_of_idle_frames_is_freed_before_a_run_fails);
    tcase_add_test(limits, weights_that_are_too_much_fail_creation);
    tcase_add_test(limits, environment_counts_and_trims_all_sessions);
    tcase_add_test(limits, limit_of_an_environment_is_for_all_its_sessions);
    tcase_add_test(limits, variable_sets_the_lower_limit);
    tcase_add_test(owners, session_ends_with_its_last_owner);
    return kit_main("memory limits", cases, sizeof cases / sizeof cases[0]);
}
