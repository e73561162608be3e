/* SPDX-License-Identifier: MIT */
/*
 * fault.c - injected faults: the n-th call of a kind, or calls at random. It has a lock of its own,
 * as tasks ask it from the threads of streams.
 */
#include "core/fault.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bp_ascend_sim.h>

#include "core/error.h"

/*
 * Where faults can be injected, by the name that the configuration has for it, with the code that
 * the vendor's function fails with for the likeliest reason.
 */
static const struct point {
    const char *name;
    aclError code; /* the usual one */
} points[BP_ASCEND_POINTS] = {
    [BP_ASCEND_AT_SET_DEVICE] = {"set_device", ACL_ERROR_RT_DEV_SETUP_ERROR},
    [BP_ASCEND_AT_MALLOC] = {"malloc", ACL_ERROR_RT_MEMORY_ALLOCATION},
    [BP_ASCEND_AT_MALLOC_HOST] = {"malloc_host", ACL_ERROR_RT_MEMORY_ALLOCATION},
    [BP_ASCEND_AT_COPY] = {"copy", ACL_ERROR_RT_DRV_INTERNAL_ERROR},
    [BP_ASCEND_AT_CREATE_STREAM] = {"create_stream", ACL_ERROR_RT_NO_STREAM_RESOURCE},
    [BP_ASCEND_AT_CREATE_EVENT] = {"create_event", ACL_ERROR_RT_NO_EVENT_RESOURCE},
    [BP_ASCEND_AT_COMPILE] = {"compile", ACL_ERROR_GE_FAILURE},
    [BP_ASCEND_AT_LAUNCH] = {"launch", ACL_ERROR_RT_FAILURE},
    [BP_ASCEND_AT_TASK] = {"task", ACL_ERROR_RT_AICORE_EXCEPTION},
    [BP_ASCEND_AT_LOAD] = {"load", ACL_ERROR_GE_LOAD_MODEL},
    [BP_ASCEND_AT_SYNC] = {"sync", ACL_ERROR_RT_STREAM_SYNC_TIMEOUT},
};

/*
 * The fault in force at each point. A random one (per_million) lasts until it is replaced; a
 * counted one is over when `times` has come down to 0.
 */
static struct fault {
    uint64_t after, times; /* times 0: none */
    uint32_t per_million;  /* not 0: at random instead */
    uint64_t random;
    aclError code;
} faults[BP_ASCEND_POINTS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * A step of xorshift64*, whose high bits are good enough to throw a coin. The state must not be 0.
 */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/*
 * Does this call fail? Counts down. A chance is compared in 32-bit fixed point: 4295 is 2^32 / 1e6.
 */
static bool fires(struct fault *fault)
{
    if (fault->per_million)
        return next_random(&fault->random) >> 32 <
               (uint64_t)fault->per_million * 4295; /* 2^32/1e6 */
    if (!fault->times)
        return false;
    if (fault->after) {
        fault->after--;
        return false;
    }
    fault->times--;
    return true;
}

/* The sentence is made without the lock, as sim_fail() has one of its own. */
aclError sim_fault(uint32_t point)
{
    aclError code = 0;

    pthread_mutex_lock(&lock);
    if (fires(&faults[point]))
        code = faults[point].code;
    pthread_mutex_unlock(&lock);
    if (code)
        return sim_fail(code, "an injected fault at %s", points[point].name);
    return 0;
}

/* Replaces what was set at the point; code 0 stands for the point's usual one. */
static aclError set(uint32_t point, struct fault fault)
{
    if (point >= BP_ASCEND_POINTS)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "no faults can be set at point %u", point);
    if (!fault.code)
        fault.code = points[point].code;
    pthread_mutex_lock(&lock);
    faults[point] = fault;
    pthread_mutex_unlock(&lock);
    return 0;
}

aclError bp_ascend_fault(uint32_t point, uint64_t after, uint64_t times, aclError code)
{
    struct fault fault = {.after = after, .times = times, .code = code};

    return set(point, fault);
}

/*
 * The seed is spread by the golden ratio (Knuth's multiplicative hash), so that seeds next to each
 * other give sequences that differ from the first number on, and 0 gives a state that is not 0.
 */
aclError bp_ascend_fault_random(uint32_t point, uint32_t per_million, uint64_t seed, aclError code)
{
    /* the state must not be 0, and near seeds are to differ soon */
    struct fault fault = {.per_million = per_million,
                          .random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15),
                          .code = code};

    if (!fault.random)
        fault.random = 1;
    if (per_million > 1000000)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "%u in a million calls cannot fail", per_million);
    return set(point, fault);
}

void bp_ascend_clear_faults(void)
{
    pthread_mutex_lock(&lock);
    memset(faults, 0, sizeof faults);
    pthread_mutex_unlock(&lock);
}

/*
 * "malloc after 3 times 1 code 207001", "launch chance 1000 seed 7": a point, then pairs of a key
 * and a number in any order. `times` is 1 where it is not given.
 */
aclError sim_fault_parse(const char *words, bool apply)
{
    struct fault fault = {.times = 1, .random = 1};
    char name[24], key[12];
    unsigned long long value;
    uint32_t point = 0;
    int used = 0;

    if (sscanf(words, "%23s%n", name, &used) != 1)
        return ACL_ERROR_INVALID_PARAM;
    while (point < BP_ASCEND_POINTS && strcmp(points[point].name, name) != 0)
        point++;
    if (point == BP_ASCEND_POINTS)
        return ACL_ERROR_INVALID_PARAM;
    for (words += used; sscanf(words, "%11s %12llu%n", key, &value, &used) == 2; words += used) {
        if (strcmp(key, "after") == 0)
            fault.after = value;
        else if (strcmp(key, "times") == 0)
            fault.times = value;
        else if (strcmp(key, "code") == 0 && value <= INT32_MAX)
            fault.code = (aclError)value;
        else if (strcmp(key, "chance") == 0 && value <= 1000000)
            fault.per_million = (uint32_t)value;
        else if (strcmp(key, "seed") == 0)
            fault.random = (value + 1) * UINT64_C(0x9e3779b97f4a7c15);
        else
            return ACL_ERROR_INVALID_PARAM;
    }
    if (words[strspn(words, " \t")])
        return ACL_ERROR_INVALID_PARAM;
    return apply ? set(point, fault) : 0;
}
