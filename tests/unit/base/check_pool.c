/* SPDX-License-Identifier: MIT */
/* check_pool.c - the team of threads: every index once, never too many workers, asleep when idle. */

#define _GNU_SOURCE /* sched_getaffinity */

#include "config.h"

#include <check.h>
#include <ftw.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/pool.h"
#include "support/session_kit.h"

enum { WIDTH = 4, N = 1000, MOST = 64 };

static struct bp_pool *pool;

/* Results of a job. */
struct job {
    atomic_uint calls[N];
    atomic_uint by_worker[MOST];
    atomic_uint out_of_range;
    uint32_t limit;
};

static void setup(void)
{
    kit.err = bp_err_init(kit.text, sizeof kit.text);
    KIT_OK(bp_pool_create(WIDTH, &pool, &kit.err));
}

static void teardown(void)
{
    bp_pool_destroy(pool);
}

static void count(void *u, uint32_t i, uint32_t worker)
{
    struct job *job = u;

    if (i >= N || worker >= job->limit || worker >= MOST) {
        atomic_fetch_add(&job->out_of_range, 1);
        return;
    }
    atomic_fetch_add(&job->calls[i], 1);
    atomic_fetch_add(&job->by_worker[worker], 1);
}

static void run_and_check(uint32_t limit, uint32_t n, uint32_t most_workers)
{
    struct job job = {.limit = most_workers};

    bp_pool_run(pool, limit, n, count, &job);
    ck_assert_uint_eq(atomic_load(&job.out_of_range), 0);
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(atomic_load(&job.calls[i]), i < n ? 1 : 0);
}

START_TEST(pool_calls_every_index_once)
{
    ck_assert_uint_eq(bp_pool_width(pool), WIDTH);
    for (int round = 0; round < 200; round++)
        run_and_check(0, N, WIDTH);
    for (uint32_t n = 0; n < 20; n++)
        run_and_check(0, n, WIDTH);
}
END_TEST

START_TEST(pool_uses_no_more_threads_than_the_limit)
{
    for (int round = 0; round < 100; round++) {
        run_and_check(1, N, 1);
        run_and_check(2, N, 2);
        run_and_check(WIDTH + 10, N, WIDTH);
    }
}
END_TEST

static void slow(void *u, uint32_t i, uint32_t worker)
{
    static const struct timespec pause = {.tv_nsec = 2000000};

    count(u, i, worker);
    nanosleep(&pause, NULL);
}

START_TEST(pool_uses_several_threads)
{
    struct job job = {.limit = WIDTH};
    uint32_t used = 0;

    bp_pool_run(pool, 0, 40, slow, &job);
    for (uint32_t i = 0; i < WIDTH; i++)
        used += atomic_load(&job.by_worker[i]) > 0;
    ck_assert_uint_ge(used, 2);
}
END_TEST

/* What each thread was given, in order; each writes its own only. */
struct orders {
    uint32_t n[WIDTH], given[WIDTH][N];
};

static void note_order(void *u, uint32_t i, uint32_t worker)
{
    struct orders *orders = u;

    orders->given[worker][orders->n[worker]++] = i;
}

/* Each thread runs its own part first and then helps the others. */
START_TEST(each_thread_runs_its_own_part_before_it_helps_others)
{
    for (int round = 0; round < 50; round++) {
        struct orders *orders = calloc(1, sizeof *orders);

        ck_assert_ptr_nonnull(orders);
        bp_pool_run(pool, 0, N, note_order, orders);
        for (uint32_t id = 0; id < WIDTH; id++) {
            uint32_t begin = N * id / WIDTH, end = N * (id + 1) / WIDTH;

            for (uint32_t k = 1; k < orders->n[id]; k++) {
                uint32_t before = orders->given[id][k - 1], i = orders->given[id][k];

                if (i >= begin && i < end)
                    ck_assert(before >= begin && before < i);
            }
        }
        free(orders);
    }
}
END_TEST

/* Where a worker may run, once there is one; the caller waits for it a while. */
struct placed {
    atomic_uint done;
    cpu_set_t set;
};

static void note_place(void *u, uint32_t i, uint32_t worker)
{
    static const struct timespec pause = {.tv_nsec = 1000000};
    struct placed *placed = u;

    (void)i;
    if (worker == 0) {
        for (int k = 0; k < 5000 && atomic_load(&placed->done) == 0; k++)
            nanosleep(&pause, NULL);
    } else {
        ck_assert_int_eq(sched_getaffinity(0, sizeof placed->set, &placed->set), 0);
        atomic_store(&placed->done, 1);
    }
}

/* Worker 1 of two is asleep, then woken. */
static void wake_one(struct bp_pool *two, cpu_set_t *out)
{
    static const struct timespec pause = {.tv_nsec = 20000000};
    struct placed placed = {.done = 0};

    nanosleep(&pause, NULL);
    bp_pool_run(two, 0, 2, note_place, &placed);
    ck_assert_uint_eq(atomic_load(&placed.done), 1);
    *out = placed.set;
}

START_TEST(pool_wakes_workers_on_other_processors)
{
    cpu_set_t home, set, both;
    struct bp_pool *two;
    int seen = 0;

    ck_assert_int_eq(sched_getaffinity(0, sizeof home, &home), 0);
    KIT_OK(bp_pool_create(2, &two, &kit.err));
    wake_one(two, &set); /* starts it */
    for (int round = 0; round < 20; round++) {
        wake_one(two, &set);
        CPU_AND(&both, &set, &home);
        ck_assert(CPU_EQUAL(&both, &set)); /* never where the process may not run */
        ck_assert_int_ge(CPU_COUNT(&set) + 1, CPU_COUNT(&home));
        seen += CPU_COUNT(&set) < CPU_COUNT(&home);
    }
    ck_assert(seen > 0 || CPU_COUNT(&home) == 1);
    bp_pool_destroy(two);
}
END_TEST

START_TEST(pool_does_not_move_pinned_workers)
{
    uint32_t list[CPU_SETSIZE];
    bp_processors all = {.list = list};
    bp_worker_config config = {.struct_size = sizeof config, .n_affinities = 1, .affinities = &all};
    struct bp_pool *two;
    cpu_set_t home, set;

    ck_assert_int_eq(sched_getaffinity(0, sizeof home, &home), 0);
    for (uint32_t i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET(i, &home))
            list[all.n++] = i;
    }
    KIT_OK(bp_pool_create_with(2, &config, NULL, &two, &kit.err));
    for (int round = 0; round < 20; round++) {
        wake_one(two, &set);
        ck_assert(CPU_EQUAL(&set, &home)); /* not moved away from the thread that wakes them */
    }
    bp_pool_destroy(two);
}
END_TEST

static void note_thread(void *u, uint32_t i, uint32_t worker)
{
    pthread_t *self = u;

    ck_assert_uint_eq(worker, 0);
    ck_assert(pthread_equal(*self, pthread_self()));
    (void)i;
}

START_TEST(one_thread_or_one_index_runs_on_the_calling_thread)
{
    pthread_t self = pthread_self();
    struct bp_pool *alone;

    bp_pool_run(pool, 1, 10, note_thread, &self);
    bp_pool_run(pool, 0, 1, note_thread, &self);
    KIT_OK(bp_pool_create(1, &alone, &kit.err));
    bp_pool_run(alone, 0, 10, note_thread, &self);
    bp_pool_destroy(alone);
}
END_TEST

static void nest(void *u, uint32_t i, uint32_t worker)
{
    atomic_uint *inner = u;
    struct job job = {.limit = 1};

    (void)i;
    (void)worker;
    bp_pool_run(pool, 0, 10, count, &job); /* on this thread, as worker 0 */
    for (uint32_t k = 0; k < 10; k++)
        atomic_fetch_add(inner, atomic_load(&job.calls[k]));
}

START_TEST(a_nested_job_runs_on_the_thread_that_starts_it)
{
    atomic_uint inner = 0;

    bp_pool_run(pool, 0, 50, nest, &inner);
    ck_assert_uint_eq(atomic_load(&inner), 500);
}
END_TEST

static void *many_jobs(void *arg)
{
    uint32_t *n_wrong = arg;

    for (int round = 0; round < 300; round++) {
        struct job job = {.limit = WIDTH};

        bp_pool_run(pool, 0, 50, count, &job);
        for (uint32_t i = 0; i < 50; i++)
            *n_wrong += atomic_load(&job.calls[i]) != 1;
        *n_wrong += atomic_load(&job.out_of_range) != 0;
    }
    return NULL;
}

START_TEST(pool_serves_callers_on_many_threads)
{
    pthread_t threads[3];
    uint32_t n_wrong[3] = {0};

    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, many_jobs, &n_wrong[i]), 0);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_uint_eq(n_wrong[i], 0);
    }
}
END_TEST

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

START_TEST(idle_workers_sleep_and_wake_again)
{
    static const struct timespec settle = {.tv_nsec = 20000000}, idle = {.tv_nsec = 500000000};
    double before;

    run_and_check(0, N, WIDTH);
    nanosleep(&settle, NULL); /* workers spin for a moment after a job */
    before = cpu_seconds();
    nanosleep(&idle, NULL);
    ck_assert_double_lt(cpu_seconds() - before, 0.0025); /* 5 ms in an idle second */
    run_and_check(0, N, WIDTH);                          /* and they wake up again */
}
END_TEST

START_TEST(pool_has_as_many_threads_as_the_affinity_mask_allows)
{
    cpu_set_t one;
    struct bp_pool *narrow;

    ck_assert_uint_ge(bp_pool_cpus(), 1);
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    ck_assert_uint_eq(bp_pool_cpus(), 1);
    KIT_OK(bp_pool_create(0, &narrow, &kit.err));
    ck_assert_uint_eq(bp_pool_width(narrow), 1);
    bp_pool_destroy(narrow);
}
END_TEST

/* ---- threads of the application -------------------------------------------------------------- */

/* Threads that the functions below made; the one of `fails_at` they did not. */
static struct {
    int created, joined, fails_at;
    pthread_t threads[MOST];
    bp_worker_fn worker[MOST];
    void *arg[MOST];
} app;

static void *app_main(void *arg)
{
    int i = (int)(intptr_t)arg;

    app.worker[i](app.arg[i]);
    return NULL;
}

static bp_rc app_create(void *user, bp_worker_fn worker, void *arg, void **thread, bp_err *err)
{
    int i = app.created++;

    ck_assert_ptr_eq(user, &app);
    app.worker[i] = worker;
    app.arg[i] = arg;
    if (app.created == app.fails_at)
        return bp_fail(err, BP_E_BUSY, "thread %d is not to be had", i);
    *thread = &app.threads[i];
    return pthread_create(&app.threads[i], NULL, app_main, (void *)(intptr_t)i) == 0 ? BP_OK
                                                                                     : BP_E_NOMEM;
}

static void app_join(void *user, void *thread)
{
    ck_assert_ptr_eq(user, &app);
    app.joined++;
    pthread_join(*(pthread_t *)thread, NULL);
}

static bp_worker_config app_config(void)
{
    memset(&app, 0, sizeof app);
    return (bp_worker_config){.struct_size = sizeof(bp_worker_config),
                              .create = app_create,
                              .join = app_join,
                              .user = &app};
}

START_TEST(pool_runs_on_threads_that_the_application_creates)
{
    for (int round = 0; round < 20; round++) {
        bp_worker_config config = app_config();
        struct bp_pool *other;
        struct job job = {.limit = WIDTH};

        KIT_OK(bp_pool_create_with(WIDTH, &config, NULL, &other, &kit.err));
        ck_assert_int_eq(app.created, WIDTH - 1);
        bp_pool_run(other, 0, 40, round ? count : slow, &job);
        for (uint32_t i = 0; i < 40; i++)
            ck_assert_uint_eq(atomic_load(&job.calls[i]), 1);
        ck_assert(round > 0 || atomic_load(&job.by_worker[0]) < 40);
        bp_pool_destroy(other);
        ck_assert_int_eq(app.created, WIDTH - 1);
        ck_assert_int_eq(app.joined, WIDTH - 1);
    }
}
END_TEST

START_TEST(a_thread_that_cannot_be_created_is_an_error)
{
    for (int at = 1; at < WIDTH; at++) {
        bp_worker_config config = app_config();
        struct bp_pool *other = pool;

        app.fails_at = at;
        KIT_FAILS(bp_pool_create_with(WIDTH, &config, NULL, &other, &kit.err), BP_E_BUSY, "thread",
                  "is not to be had");
        ck_assert_ptr_null(other);
        ck_assert_int_eq(app.created, at);
        ck_assert_int_eq(app.joined, at - 1);
        app.worker[at - 1](
            app.arg[at - 1]); /* a call after the pool has ended: it returns at once */
    }
}
END_TEST

static void refused(const bp_worker_config *config, const char *words)
{
    struct bp_pool *none = pool;

    KIT_FAILS(bp_pool_create_with(3, config, NULL, &none, &kit.err), BP_E_INVALID, words, "");
    ck_assert_ptr_null(none);
}

START_TEST(pool_rejects_an_invalid_thread_config)
{
    static const uint32_t zero = 0;
    bp_processors rows[3] = {{.list = &zero, .n = 1}, {.list = NULL, .n = 2}};
    bp_worker_config config = app_config();
    struct bp_pool *alone;

    config.join = NULL;
    refused(&config, "none that joins them");
    config.join = app_join;
    config.create = NULL;
    refused(&config, "none that creates them");
    config.join = NULL;
    config.n_affinities = 2;
    refused(&config, "2 affinities, but the list is NULL");
    config.affinities = rows;
    refused(&config, "affinity 1 has 2 processors, but the list is NULL");
    rows[1].n = 0;
    config.n_affinities = 1;
    refused(&config, "1 affinities for 3 threads");
    KIT_OK(bp_pool_create_with(1, &config, NULL, &alone, &kit.err)); /* no workers, no matter */
    bp_pool_destroy(alone);
    config.struct_size = 0;
    refused(&config, "struct_size");
}
END_TEST

/* ---- quotas, of groups as files -------------------------------------------------------------- */

static char tree[64];

static void put(const char *name, const char *text)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", tree, name);
    for (char *slash = strchr(path + strlen(tree) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700); /* it may be there */
        *slash = '/';
    }
    file = fopen(path, "we");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

/* What a process in these groups may use. */
static uint32_t quota_in(const char *groups)
{
    char path[128];

    put("groups", groups);
    snprintf(path, sizeof path, "%s/groups", tree);
    return bp_pool_quota(path, tree);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static void begin_tree(void)
{
    strcpy(tree, "/tmp/bp-groups-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(tree));
}

static void end_tree(void)
{
    ck_assert_int_eq(nftw(tree, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

START_TEST(pool_reads_cpu_quotas_of_cgroup_v2)
{
    put("a/b/cpu.max", "max 100000\n");
    ck_assert_uint_eq(quota_in("0::/a/b\n"), 0);
    put("a/b/cpu.max", "250000 100000\n");
    ck_assert_uint_eq(quota_in("0::/a/b\n"), 3); /* two and a half */
    ck_assert_uint_eq(quota_in("0::/a\n"), 0);
    put("a/cpu.max", "100000 100000\n");
    ck_assert_uint_eq(quota_in("0::/a/b\n"), 1); /* of the tighter group above */
    ck_assert_uint_eq(quota_in("0::/a/b/not/mounted\n"), 1);
    put("cpu.max", "1 100000\n"); /* of a container's own group */
    ck_assert_uint_eq(quota_in("0::/\n"), 1);
    put("a/b/cpu.max", "junk\n");
    put("a/cpu.max", "9223372036854775807 1\n");
    put("cpu.max", "-5 0\n");
    ck_assert_uint_ge(quota_in("0::/a/b\n"), 1);
    put("a/cpu.max", "100000 0\n");
    ck_assert_uint_eq(quota_in("0::/a/b\n"), 0);
}
END_TEST

START_TEST(pool_reads_cpu_quotas_of_cgroup_v1)
{
    static const char *const groups =
        "5:memory:/m\n3:cpuset:/s\n2:cpuacct,cpu:/a/b\n1:name=systemd:/\n0::/\n";

    put("cpu/a/b/cpu.cfs_quota_us", "-1\n");
    put("cpu/a/b/cpu.cfs_period_us", "100000\n");
    ck_assert_uint_eq(quota_in(groups), 0);
    put("cpu/a/b/cpu.cfs_quota_us", "150000\n");
    ck_assert_uint_eq(quota_in(groups), 2);
    put("cpu/cpu.cfs_quota_us", "50000\n"); /* as a container sees its own */
    put("cpu/cpu.cfs_period_us", "100000\n");
    ck_assert_uint_eq(quota_in(groups), 1);
    ck_assert_uint_eq(quota_in("4:cpuset:/a/b\n"), 0);
    put("cpu.max", "100000 100000\n");
    ck_assert_uint_eq(quota_in("2:cpu:/a/b\n"), 1);
}
END_TEST

START_TEST(pool_finds_no_quota_without_cgroups)
{
    char lengthy[2000];

    ck_assert_uint_eq(bp_pool_quota("/nowhere/cgroup", tree), 0);
    ck_assert_uint_eq(quota_in(""), 0);
    ck_assert_uint_eq(quota_in("0:\n:\n::\nnothing\n2:cpu\n"), 0);
    memset(lengthy, '/', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = '\0';
    memcpy(lengthy, "0::", 3);
    ck_assert_uint_eq(quota_in(lengthy), 0);
}
END_TEST

START_TEST(pool_rejects_more_than_1024_threads)
{
    struct bp_pool *none = pool;

    KIT_FAILS(bp_pool_create(100000, &none, &kit.err), BP_E_INVALID, "100000", "1024");
    ck_assert_ptr_null(none);
}
END_TEST

START_TEST(pools_can_be_created_and_destroyed_repeatedly)
{
    for (int i = 0; i < 20; i++) {
        struct bp_pool *other;
        struct job job = {.limit = 3};

        KIT_OK(bp_pool_create(3, &other, &kit.err));
        if (i % 2)
            bp_pool_run(other, 0, 10, count, &job);
        bp_pool_destroy(other);
    }
    bp_pool_destroy(NULL);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("pool"), *quotas = tcase_create("quotas");
    TCase *both[] = {tcase, quotas};

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, pool_calls_every_index_once);
    tcase_add_test(tcase, pool_uses_no_more_threads_than_the_limit);
    tcase_add_test(tcase, pool_uses_several_threads);
    tcase_add_test(tcase, each_thread_runs_its_own_part_before_it_helps_others);
    tcase_add_test(tcase, pool_wakes_workers_on_other_processors);
    tcase_add_test(tcase, pool_does_not_move_pinned_workers);
    tcase_add_test(tcase, one_thread_or_one_index_runs_on_the_calling_thread);
    tcase_add_test(tcase, a_nested_job_runs_on_the_thread_that_starts_it);
    tcase_add_test(tcase, pool_serves_callers_on_many_threads);
    tcase_add_test(tcase, idle_workers_sleep_and_wake_again);
    tcase_add_test(tcase, pool_has_as_many_threads_as_the_affinity_mask_allows);
    tcase_add_test(tcase, pool_rejects_more_than_1024_threads);
    tcase_add_test(tcase, pool_runs_on_threads_that_the_application_creates);
    tcase_add_test(tcase, a_thread_that_cannot_be_created_is_an_error);
    tcase_add_test(tcase, pool_rejects_an_invalid_thread_config);
    tcase_add_test(tcase, pools_can_be_created_and_destroyed_repeatedly);
    tcase_add_checked_fixture(quotas, begin_tree, end_tree);
    tcase_add_test(quotas, pool_reads_cpu_quotas_of_cgroup_v2);
    tcase_add_test(quotas, pool_reads_cpu_quotas_of_cgroup_v1);
    tcase_add_test(quotas, pool_finds_no_quota_without_cgroups);
    return kit_main("pool", both, 2);
}
