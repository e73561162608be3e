/* SPDX-License-Identifier: MIT */
/* plan.c - see plan.h. */

#define _GNU_SOURCE /* nanosleep */

#include "plan.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_RULES = 16 };

struct rule {
    uint32_t call, skip, times;
    cl_int code;
};

static const char *const names[FAULT_N_CALLS] = {
#define F(name) #name,
    FAULT_CALLS(F)
#undef F
};

static struct {
    pthread_mutex_t lock; /* of what follows, up to the counts */
    struct rule rules[MAX_RULES];
    uint32_t n_rules, per_million;
    uint64_t nth, random;
    bool is_lost;
    const char *failed;
    cl_int code;
    int64_t delay_ns, due_ns;
    atomic_ullong calls[FAULT_N_CALLS], blocking;
    atomic_llong live[FAULT_KINDS];
    unsigned long (*count)(void);
} plan = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local unsigned long entered, watched;
static _Thread_local uint32_t depth;
static _Thread_local bool is_build_failed;

/* ---- choice ---------------------------------------------------------------------------------- */

/* xorshift64*; the state is never 0. */
static uint64_t next_random(void)
{
    plan.random ^= plan.random >> 12;
    plan.random ^= plan.random << 25;
    plan.random ^= plan.random >> 27;
    return plan.random * UINT64_C(0x2545F4914F6CDD1D);
}

static cl_int suitable(uint32_t call, uint64_t random)
{
    static const cl_int any[] = {CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY,
                                 CL_DEVICE_NOT_AVAILABLE};

    if (call == FAULT_clBuildProgram)
        return random % 4 ? CL_BUILD_PROGRAM_FAILURE : CL_OUT_OF_HOST_MEMORY;
    if (call == FAULT_clCreateBuffer)
        return random % 4 ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_OUT_OF_RESOURCES;
    if (call == FAULT_clWaitForEvents)
        return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return any[random % 3];
}

static bool is_release(uint32_t call)
{
    return strncmp(names[call], "clRelease", strlen("clRelease")) == 0;
}

/* [locked] */
static cl_int by_rule(uint32_t call)
{
    for (uint32_t i = 0; i < plan.n_rules; i++) {
        struct rule *rule = &plan.rules[i];

        if (rule->call != call || rule->times == 0)
            continue;
        if (rule->skip > 0) {
            rule->skip--;
            continue;
        }
        rule->times--;
        return rule->code;
    }
    return CL_SUCCESS;
}

/* [locked] */
static cl_int choose(uint32_t call)
{
    cl_int code = by_rule(call);

    if (code != CL_SUCCESS)
        return code;
    if (plan.nth > 0 && --plan.nth == 0)
        return suitable(call, 0);
    if (plan.is_lost && !is_release(call))
        return CL_DEVICE_NOT_AVAILABLE;
    if (plan.per_million > 0 && next_random() % 1000000 < plan.per_million)
        return suitable(call, next_random());
    return CL_SUCCESS;
}

cl_int fault_begin(uint32_t call)
{
    cl_int code;

    if (call != FAULT_eventStatus)
        atomic_fetch_add(&plan.calls[call], 1);
    pthread_mutex_lock(&plan.lock);
    code = choose(call);
    if (code != CL_SUCCESS) {
        plan.failed = names[call];
        plan.code = code;
    }
    pthread_mutex_unlock(&plan.lock);
    if (call == FAULT_clBuildProgram)
        is_build_failed = code == CL_BUILD_PROGRAM_FAILURE;
    return code;
}

bool fault_is_build_failed(void)
{
    return is_build_failed;
}

/* ---- counts ---------------------------------------------------------------------------------- */

void fault_enter(void)
{
    if (depth++ == 0 && plan.count)
        entered = plan.count();
}

void fault_leave(void)
{
    if (--depth == 0 && plan.count)
        watched += plan.count() - entered;
}

void fault_count(uint32_t kind, int n)
{
    atomic_fetch_add(&plan.live[kind], n);
}

void fault_count_blocking(void)
{
    atomic_fetch_add(&plan.blocking, 1);
}

/* ---- time ------------------------------------------------------------------------------------ */

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void fault_put_in(void)
{
    pthread_mutex_lock(&plan.lock);
    if (plan.delay_ns > 0)
        plan.due_ns = now_ns() + plan.delay_ns;
    pthread_mutex_unlock(&plan.lock);
}

static int64_t left_ns(void)
{
    int64_t due;

    pthread_mutex_lock(&plan.lock);
    due = plan.due_ns;
    pthread_mutex_unlock(&plan.lock);
    return due == 0 ? 0 : due - now_ns();
}

bool fault_is_late(void)
{
    return left_ns() > 0;
}

void fault_wait_until_due(void)
{
    int64_t left = left_ns();
    struct timespec time = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};

    if (left > 0)
        nanosleep(&time, NULL);
}

/* ---- the table ------------------------------------------------------------------------------- */

static uint32_t find(const char *call)
{
    uint32_t i = 0;

    while (i < FAULT_N_CALLS && strcmp(names[i], call) != 0)
        i++;
    return i;
}

static void clear(void)
{
    pthread_mutex_lock(&plan.lock);
    plan.n_rules = plan.per_million = 0;
    plan.nth = 0;
    plan.is_lost = false;
    plan.failed = NULL;
    plan.code = CL_SUCCESS;
    plan.delay_ns = plan.due_ns = 0;
    pthread_mutex_unlock(&plan.lock);
}

/* A misspelt call, or a rule too many, would be a test that tests nothing. */
static void fail_call(const char *call, uint32_t skip, uint32_t times, cl_int code)
{
    pthread_mutex_lock(&plan.lock);
    if (find(call) == FAULT_N_CALLS || plan.n_rules == MAX_RULES)
        abort();
    plan.rules[plan.n_rules++] = (struct rule){find(call), skip, times, code};
    pthread_mutex_unlock(&plan.lock);
}

static void fail_nth(uint64_t n)
{
    pthread_mutex_lock(&plan.lock);
    plan.nth = n;
    pthread_mutex_unlock(&plan.lock);
}

static void fail_at_random(uint64_t seed, uint32_t per_million)
{
    pthread_mutex_lock(&plan.lock);
    plan.random = seed ? seed : 1;
    plan.per_million = per_million;
    pthread_mutex_unlock(&plan.lock);
}

static void lose(bool is_lost)
{
    pthread_mutex_lock(&plan.lock);
    plan.is_lost = is_lost;
    pthread_mutex_unlock(&plan.lock);
}

static void delay(uint32_t ms)
{
    pthread_mutex_lock(&plan.lock);
    plan.delay_ns = (int64_t)ms * 1000000;
    plan.due_ns = 0;
    pthread_mutex_unlock(&plan.lock);
}

static const char *failed(cl_int *code)
{
    const char *call;

    pthread_mutex_lock(&plan.lock);
    call = plan.failed;
    *code = plan.code;
    pthread_mutex_unlock(&plan.lock);
    return call;
}

static uint64_t calls(const char *call)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < FAULT_N_CALLS; i++)
        n += !call || strcmp(names[i], call) == 0 ? atomic_load(&plan.calls[i]) : 0;
    return n;
}

static uint64_t blocking(void)
{
    return atomic_load(&plan.blocking);
}

static bool knows(const char *call)
{
    return find(call) < FAULT_N_CALLS;
}

static int64_t live(uint32_t kind)
{
    return atomic_load(&plan.live[kind]);
}

static void watch(unsigned long (*count)(void))
{
    plan.count = count;
    watched = 0;
}

static unsigned long get_watched(void)
{
    return watched;
}

__attribute__((visibility("default"))) const struct fault_driver *bp_fault_driver(void)
{
    static const struct fault_driver driver = {
        clear, fail_call, fail_nth, fail_at_random, lose,  delay,       failed,
        calls, blocking,  knows,    live,           watch, get_watched,
    };

    return &driver;
}

/* ---- variables ------------------------------------------------------------------------------- */

__attribute__((constructor)) static void read_faults(void)
{
    const char *text = getenv("BP_OPENCL_FAULTS");

    while (text && *text) {
        char call[64];
        unsigned skip, times;
        int code;

        if (sscanf(text, " %63s %u %u %d", call, &skip, &times, &code) != 4)
            abort();
        fail_call(call, skip, times, code);
        text = strchr(text, ';');
        text = text ? text + 1 : NULL;
    }
}

__attribute__((destructor)) static void write_counts(void)
{
    const char *path = getenv("BP_OPENCL_COUNTS");
    FILE *file = path && *path ? fopen(path, "we") : NULL;

    for (uint32_t i = 0; file && i < FAULT_N_CALLS; i++)
        fprintf(file, "%s %llu\n", names[i], (unsigned long long)atomic_load(&plan.calls[i]));
    if (file)
        fclose(file);
}
