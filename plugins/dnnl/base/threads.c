/* SPDX-License-Identifier: MIT */
/* threads.c - one team of OpenMP threads for the process: who may use it, and how it is woken. */

#define _GNU_SOURCE /* pthread_mutex_timedlock, sched_getcpu */

#include "base/threads.h"

#include "base/library.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#if defined(__SANITIZE_THREAD__)
#define HAS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_TSAN 1
#endif
#endif
#ifndef HAS_TSAN
#define HAS_TSAN 0
#endif
#if HAS_TSAN
#include <sanitizer/tsan_interface.h>
#endif

int64_t bp_dnnl_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static pthread_mutex_t team_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- fork ------------------------------------------------------------------------------------ */

enum { OMP_PAUSE_SOFT = 1 }; /* omp_pause_soft; OpenMP 5.0, 3.2.44. clang has no omp.h of libgomp */
enum { FORK_PATIENCE_S = 10 }; /* a fork() waits no longer; only autotune takes seconds */

/*
 * A fork() holds the lock from before it to after it, in both processes. So it is a mutex, which the
 * child can unlock. A read-write lock it cannot: glibc compares the id of the thread that locked it.
 */
static pthread_mutex_t build_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t build_done = PTHREAD_COND_INITIALIZER;
static unsigned n_building; /* calls of frame_create; under build_lock */
static bool is_prepared;    /* by the thread that forks: nothing is being built */
static bool is_torn;        /* this is the child of a fork() within a frame_create */

bp_rc bp_dnnl_build_enter(bp_err *err)
{
    if (is_torn)
        return bp_fail(
            err, BP_E_UNAVAILABLE,
            "dnnl: this process was forked while a frame was being created, which oneDNN "
            "does not survive; fork again, or use another provider");
    pthread_mutex_lock(&build_lock);
    n_building++;
    pthread_mutex_unlock(&build_lock);
    return BP_OK;
}

void bp_dnnl_build_leave(void)
{
    pthread_mutex_lock(&build_lock);
    if (n_building > 0 && --n_building == 0) /* 0: in the child of a fork() in between */
        pthread_cond_broadcast(&build_done);
    pthread_mutex_unlock(&build_lock);
}

/*
 * libgomp's threads are not in the child, which would wait for them for ever: so they end here, and
 * both processes make new ones. In a parallel region this fails and changes nothing.
 */
static void before_fork(void)
{
    struct timespec until;
    int is_late = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += FORK_PATIENCE_S;
    pthread_mutex_lock(&build_lock);
    while (n_building > 0 && !is_late)
        is_late = pthread_cond_timedwait(&build_done, &build_lock, &until) != 0;
    is_prepared = n_building == 0;
    if (bp_dnnl.is_open)
        (void)bp_dnnl.pause_resource_all(OMP_PAUSE_SOFT);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&build_lock);
}

/* A run of another thread held the team's lock, perhaps; that thread is gone. */
static void after_fork_in_child(void)
{
    is_torn |= !is_prepared;
    n_building = 0; /* those threads are gone, too */
    pthread_cond_init(&build_done, NULL);
    pthread_mutex_unlock(&build_lock);
    pthread_mutex_init(&team_lock, NULL);
}

void bp_dnnl_watch_forks(void)
{
    static bool is_done;

    if (!is_done)
        is_done = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
}

/* ---- parallel regions ------------------------------------------------------------------------ */

#if HAS_TSAN

struct region {
    void (*fn)(void *u);
    void *u;
};

static void run_region(void *u)
{
    struct region *region = u;

    __tsan_acquire(region);
    region->fn(region->u);
    __tsan_release(region);
}

/*
 * libgomp's threads meet by futexes, which ThreadSanitizer does not see. So it is told that the
 * region comes after what the caller did before, and before what the caller does next.
 */
void bp_dnnl_parallel(void (*fn)(void *u), void *u, uint32_t threads)
{
    struct region region = {fn, u};

    __tsan_release(&region);
    bp_dnnl.parallel(run_region, &region, threads, 0);
    __tsan_acquire(&region);
}

#else

void bp_dnnl_parallel(void (*fn)(void *u), void *u, uint32_t threads)
{
    bp_dnnl.parallel(fn, u, threads, 0);
}

#endif

/* ---- the team -------------------------------------------------------------------------------- */

/*
 * Waits for the team's lock, and looks every 5 ms whether the run was cancelled or its time is up.
 */
static bp_rc hold_team(const volatile uint32_t *cancel, int64_t deadline_ns, bp_err *err)
{
    static const int64_t look_ns = 5000000;

    while (pthread_mutex_trylock(&team_lock) != 0) {
        struct timespec until;

        if (bp_is_cancelled(cancel))
            return bp_fail(err, BP_E_CANCELLED, "dnnl: the run was cancelled");
        if (deadline_ns != 0 && bp_dnnl_now_ns() >= deadline_ns)
            return bp_fail(err, BP_E_TIMEOUT, "dnnl: the run's time was up");
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += look_ns;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        if (pthread_mutex_timedlock(&team_lock, &until) == 0)
            break;
    }
    return BP_OK;
}

/*
 * Some kernels wake a thread on the processor of the thread that wakes it, while other processors
 * are idle: the two then share it for some ten milliseconds. So a team that may be asleep is woken
 * by a parallel region of its own, in which its threads leave the caller's processor: each takes it
 * out of its affinity mask. At the next wake-up the mask is made anew from where the thread may
 * run, less the caller's processor of that time.
 */
enum { ASLEEP_NS = 200000 }; /* after a run, a team is */

static int64_t left_ns; /* when the last run was over; under team_lock */

/*
 * Run by each thread of the team; u is the caller's processor. A mask that the application has set
 * since becomes the new one to start from, and a mask of that processor alone is left as it is.
 */
static void leave_processor(void *u)
{
    static _Thread_local cpu_set_t home, given; /* where it may run, and where it does since */
    size_t cpu = *(const size_t *)u;
    cpu_set_t set;

    if (bp_dnnl.get_thread_num() == 0 || sched_getaffinity(0, sizeof set, &set) != 0)
        return;
    if (!CPU_EQUAL(&set, &given))
        home = set; /* the application said so */
    set = home;
    CPU_CLR(cpu, &set);
    if (CPU_COUNT(&set) > 0 && sched_setaffinity(0, sizeof set, &set) == 0)
        given = set;
}

/* left_ns says since when the team has had nothing to do. */
static void wake_team(uint32_t threads)
{
    size_t cpu = (size_t)sched_getcpu(); /* below 0 is too large */

    if (bp_dnnl.parallel && cpu < CPU_SETSIZE && bp_dnnl_now_ns() - left_ns > ASLEEP_NS)
        bp_dnnl_parallel(leave_processor, &cpu, threads);
}

/* One thread needs no lock: a region of one thread is not a team. */
bp_rc bp_dnnl_team_enter(uint32_t threads, const volatile uint32_t *cancel, int64_t deadline_ns,
                         struct bp_dnnl_team *team, bp_err *err)
{
    *team = (struct bp_dnnl_team){.before = bp_dnnl.get_max_threads(), .is_held = threads > 1};
    if (team->is_held) {
        bp_rc rc = hold_team(cancel, deadline_ns, err);

        if (rc < 0)
            return rc;
    }
    if (team->before != (int)threads)
        bp_dnnl.set_num_threads((int)threads);
    if (team->is_held)
        wake_team(threads);
    return BP_OK;
}

/*
 * The number of threads is OpenMP's for the calling thread, so it is put back for the application.
 */
void bp_dnnl_team_leave(const struct bp_dnnl_team *team)
{
    if (bp_dnnl.get_max_threads() != team->before)
        bp_dnnl.set_num_threads(team->before);
    if (team->is_held) {
        left_ns = bp_dnnl_now_ns();
        pthread_mutex_unlock(&team_lock);
    }
}
