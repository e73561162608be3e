/* SPDX-License-Identifier: MIT */
/*
 * pool.c - a pool of threads that divides the indices of a job. Each thread has the same part of
 * the indices in each job, so that its data stays in its cache, and takes indices of others when
 * its part is done. Parts are counted apart, because processors may be far from each other: on an
 * EPYC a word that two of them write takes 200 ns to move between two parts of it.
 */

#define _GNU_SOURCE /* sched_getcpu, pthread_setaffinity_np */

#include "config.h"

#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/fork.h"
#include "base/worker.h"
#include "base/worker_config.h"

#if defined(__x86_64__) || defined(__i386__)
#define RELAX() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define RELAX() __asm__ __volatile__("yield")
#else
#define RELAX() ((void)0)
#endif

enum {
    MAX_WIDTH = 1024,
    /*
     * How long a worker spins for the next job before it sleeps. Waking a thread costs about 50 us.
     * Longer spinning would take processors from a provider with threads of its own, whose group
     * may come next.
     */
    SPIN_NS = 100000,
    SPINS_A_LOOK = 64 /* pauses between two looks at the clock */
};

/* The gate counts the workers inside the job; the top bit says that more may come in. */
#define GATE_OPEN 0x80000000u

struct worker {
    struct bp_pool *pool;
    struct bp_worker thread;
    uint32_t id;           /* 1..width-1; 0 is the caller */
    bool is_asleep;        /* under the pool's lock, as are */
    cpu_set_t home, given; /* its affinity, and the affinity that it got when it was woken */
};

/* The indices of one thread. */
struct share {
    _Alignas(64) atomic_uint next; /* first index that no thread has taken */
    uint32_t end;
};

struct bp_pool {
    uint32_t width;
    uint32_t started;        /* workers that run; under `taken` */
    bp_worker_config config; /* functions of the application that make threads, or zeroes */
    struct worker *workers;
    struct share *shares; /* one a thread */

    atomic_flag taken; /* held by the caller whose job is running */

    /* The job: written while the gate is closed and no thread is inside. */
    bp_pool_fn fn;
    void *u;
    uint32_t limit;
    _Alignas(64) atomic_uint gate;
    atomic_uint epoch; /* counts jobs */
    atomic_uint sleepers;
    atomic_bool stop;
    pthread_mutex_t lock; /* of going to sleep and waking */
    pthread_cond_t wake;
    struct bp_fork_watch fork;
};

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Takes indices of a share until there are none. */
static void take_share(struct bp_pool *pool, struct share *share, uint32_t id)
{
    /* a look first, as that leaves the word with the others that look */
    while (atomic_load_explicit(&share->next, memory_order_relaxed) < share->end) {
        uint32_t i = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed);

        if (i >= share->end)
            return;
        pool->fn(pool->u, i, id);
    }
}

/* Its own share first, then what is left of the others'. */
static void work(struct bp_pool *pool, uint32_t id)
{
    for (uint32_t k = 0; k < pool->limit; k++)
        take_share(pool, &pool->shares[(id + k) % pool->limit], id);
}

/* Joins the job if it is still open and wants this worker. */
static void join_job(struct bp_pool *pool, uint32_t id)
{
    if (atomic_fetch_add(&pool->gate, 1) & GATE_OPEN) {
        if (id < pool->limit)
            work(pool, id);
    }
    atomic_fetch_sub(&pool->gate, 1);
}

static void sleep_until_job(struct worker *worker, uint32_t seen)
{
    struct bp_pool *pool = worker->pool;

    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleepers, 1);
    worker->is_asleep = true;
    while (atomic_load(&pool->epoch) == seen && !atomic_load(&pool->stop))
        pthread_cond_wait(&pool->wake, &pool->lock);
    worker->is_asleep = false;
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->lock);
}

/*
 * Sets the worker's affinity to all its processors but this one. Some kernels wake a thread on the
 * processor of the thread that wakes it; there it waits for milliseconds while others are idle.
 */
static void move_away(struct worker *worker, size_t cpu)
{
    cpu_set_t set;

    if (cpu >= CPU_SETSIZE || pthread_getaffinity_np(worker->thread.thread, sizeof set, &set) != 0)
        return;
    if (!CPU_EQUAL(&set, &worker->given))
        worker->home = set; /* the application has changed it since */
    set = worker->home;
    CPU_CLR(cpu, &set);
    if (CPU_COUNT(&set) > 0 && pthread_setaffinity_np(worker->thread.thread, sizeof set, &set) == 0)
        worker->given = set;
}

/* Waits for another job than `seen`: awake for a bounded time, then asleep. */
static void await_job(struct worker *worker, uint32_t seen)
{
    struct bp_pool *pool = worker->pool;
    int64_t end = now_ns() + SPIN_NS;

    do {
        for (int i = 0; i < SPINS_A_LOOK; i++) {
            if (atomic_load_explicit(&pool->epoch, memory_order_acquire) != seen)
                return;
            RELAX();
        }
        if (atomic_load(&pool->stop))
            return;
    } while (now_ns() < end);
    sleep_until_job(worker, seen);
}

static void worker_main(void *arg)
{
    struct worker *worker = arg;
    struct bp_pool *pool = worker->pool;
    uint32_t seen = 0;

    while (!atomic_load(&pool->stop)) {
        uint32_t epoch = atomic_load_explicit(&pool->epoch, memory_order_acquire);

        if (epoch == seen) {
            await_job(worker, seen);
            continue;
        }
        seen = epoch;
        join_job(pool, worker->id);
    }
}

/*
 * Starts the workers that `limit` threads need. If pthreads can't start one, the pool works with
 * fewer. If the application's function fails, that error is returned, and the pool must be
 * destroyed.
 */
static bp_rc start_workers(struct bp_pool *pool, uint32_t limit, bp_err *err)
{
    while (pool->started + 1 < limit) {
        struct bp_worker *thread = &pool->workers[pool->started].thread;
        bp_rc rc = bp_worker_start(thread, thread->config ? err : NULL);

        if (rc < 0 && !thread->config)
            return BP_OK;
        pool->started++; /* a thread may have come all the same */
        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

/*
 * The child has none of the workers, and the job that ran in the parent, if one did, is not its own.
 * Workers start again with its next job.
 */
static void begin_anew(void *u)
{
    struct bp_pool *pool = u;

    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    for (uint32_t i = 0; i + 1 < pool->width; i++) {
        bp_worker_forget(&pool->workers[i].thread);
        pool->workers[i].is_asleep = false;
        CPU_ZERO(&pool->workers[i].given);
    }
    pool->started = 0;
    atomic_store(&pool->gate, 0);
    atomic_store(&pool->epoch, 0);
    atomic_store(&pool->sleepers, 0);
    atomic_flag_clear(&pool->taken);
}

/* Allocates a pool with its workers and shares; NULL: no memory. */
static struct bp_pool *allocate(uint32_t width)
{
    struct bp_pool *pool = aligned_alloc(64, (sizeof *pool + 63) / 64 * 64);

    if (!pool)
        return NULL;
    *pool = (struct bp_pool){.width = width, .taken = ATOMIC_FLAG_INIT};
    pool->workers = calloc(width, sizeof *pool->workers);
    pool->shares = aligned_alloc(64, width * sizeof *pool->shares);
    if (!pool->workers || !pool->shares) {
        free(pool->workers);
        free(pool->shares);
        free(pool);
        return NULL;
    }
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    bp_fork_watch(&pool->fork, begin_anew, pool);
    return pool;
}

bp_rc bp_pool_create(uint32_t width, struct bp_pool **out, bp_err *err)
{
    return bp_pool_create_with(width, NULL, NULL, out, err);
}

/* Copies the config and starts all workers, or fails. */
static bp_rc set_up(struct bp_pool *pool, const bp_worker_config *config, const struct bp_log *log,
                    bp_err *err)
{
    for (uint32_t i = 0; i + 1 < pool->width; i++) {
        struct worker *worker = &pool->workers[i];

        worker->pool = pool;
        worker->id = i + 1;
        worker->thread = (struct bp_worker){.main = worker_main,
                                            .arg = worker,
                                            .id = worker->id,
                                            .config = config->create ? &pool->config : NULL,
                                            .log = log};
        if (config->n_affinities > 0)
            bp_worker_pin(&worker->thread, &config->affinities[i]);
    }
    pool->config = *config;
    pool->config.affinities = NULL;
    if (config->create || config->n_affinities > 0)
        return start_workers(pool, pool->width, err);
    return BP_OK;
}

bp_rc bp_pool_create_with(uint32_t width, const bp_worker_config *config, const struct bp_log *log,
                          struct bp_pool **out, bp_err *err)
{
    bp_worker_config own = {0};
    struct bp_pool *pool;
    bp_rc rc;

    *out = NULL;
    rc = config ? bp_worker_config_read(config, &own, err) : BP_OK;
    if (rc < 0)
        return rc;
    if (width == 0)
        width = bp_pool_cpus();
    if (width > MAX_WIDTH)
        return bp_fail(err, BP_E_INVALID, "%u threads asked for, at most %d are possible", width,
                       MAX_WIDTH);
    if (width > 1 && own.n_affinities > 0 && own.n_affinities != width - 1)
        return bp_fail_detail(
            err, BP_E_INVALID, BP_DETAIL_AFFINITY_COUNT,
            "%u affinities for %u threads; there has to be one for each but the first, "
            "which is the caller's",
            own.n_affinities, width);
    pool = allocate(width);
    if (!pool)
        return bp_fail_nomem(err, "the thread pool");
    rc = set_up(pool, &own, log, err);
    if (rc < 0) {
        bp_pool_destroy(pool);
        return rc;
    }
    *out = pool;
    return BP_OK;
}

static void wake_all(struct bp_pool *pool)
{
    int cpu = sched_getcpu();

    pthread_mutex_lock(&pool->lock);
    for (uint32_t i = 0; i < pool->started; i++) {
        if (pool->workers[i].is_asleep && bp_worker_may_move(&pool->workers[i].thread))
            move_away(&pool->workers[i], (size_t)cpu); /* below 0 is too large */
    }
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

void bp_pool_destroy(struct bp_pool *pool)
{
    if (!pool)
        return;
    bp_fork_unwatch(&pool->fork);
    atomic_store(&pool->stop, true);
    wake_all(pool);
    for (uint32_t i = 0; i < pool->started; i++)
        bp_worker_end(&pool->workers[i].thread);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    free(pool->workers);
    free(pool->shares);
    free(pool);
}

uint32_t bp_pool_width(const struct bp_pool *pool)
{
    return pool->width;
}

static void run_here(uint32_t n, bp_pool_fn fn, void *u)
{
    for (uint32_t i = 0; i < n; i++)
        fn(u, i, 0);
}

/* Lets workers in, takes part, and returns when the last one has left. */
static void run_job(struct bp_pool *pool, uint32_t limit, uint32_t n, bp_pool_fn fn, void *u)
{
    while (atomic_load_explicit(&pool->gate, memory_order_acquire) != 0)
        RELAX(); /* a worker that came late to the last job is about to leave */
    pool->fn = fn;
    pool->u = u;
    pool->limit = limit;
    for (uint32_t i = 0; i < limit; i++) {
        atomic_store_explicit(&pool->shares[i].next, (uint32_t)((uint64_t)n * i / limit),
                              memory_order_relaxed);
        pool->shares[i].end = (uint32_t)((uint64_t)n * (i + 1) / limit);
    }
    atomic_fetch_or(&pool->gate, GATE_OPEN);
    atomic_fetch_add(&pool->epoch, 1);
    if (atomic_load(&pool->sleepers) > 0)
        wake_all(pool);
    work(pool, 0);
    atomic_fetch_and(&pool->gate, ~GATE_OPEN);
    while (atomic_load_explicit(&pool->gate, memory_order_acquire) != 0)
        RELAX();
}

void bp_pool_run(struct bp_pool *pool, uint32_t limit, uint32_t n, bp_pool_fn fn, void *u)
{
    if (limit == 0 || limit > pool->width)
        limit = pool->width;
    if (limit > n)
        limit = n;
    if (limit <= 1 || atomic_flag_test_and_set_explicit(&pool->taken, memory_order_acquire)) {
        run_here(n, fn, u);
        return;
    }
    if (pool->started + 1 < limit)
        (void)start_workers(pool, limit, NULL);
    run_job(pool, limit, n, fn, u);
    atomic_flag_clear_explicit(&pool->taken, memory_order_release);
}
