/* SPDX-License-Identifier: MIT */
/*
 * error.c - failures and violations: each thread's last sentence, and counts for the whole process.
 * It has a lock of its own, as it is called with the state's lock held and without.
 */
#include "core/error.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <acl/acl.h>
#include <bp_ascend_sim.h>

/* Distinct error codes that are counted; ACL's functions here return fewer. */
#define CODES 64

/* As bp_ascend_violation_name() gives them, and as the sentence of a violation begins. */
static const char *const names[BP_ASCEND_VIOLATIONS] = {
    [BP_ASCEND_USE_AFTER_FREE] = "use after free",
    [BP_ASCEND_DOUBLE_FREE] = "double free",
    [BP_ASCEND_HOST_AS_DEVICE] = "host pointer as device pointer",
    [BP_ASCEND_DEVICE_AS_HOST] = "device pointer as host pointer",
    [BP_ASCEND_OTHER_DEVICE] = "memory of another device",
    [BP_ASCEND_OUT_OF_BOUNDS] = "out of bounds",
    [BP_ASCEND_NO_CONTEXT] = "no current context",
    [BP_ASCEND_WRONG_CONTEXT] = "object of another context",
    [BP_ASCEND_BAD_HANDLE] = "bad handle",
    [BP_ASCEND_DOUBLE_INIT] = "double initialise",
    [BP_ASCEND_DOUBLE_FINALIZE] = "double finalise",
    [BP_ASCEND_NOT_INITIALIZED] = "not initialised",
    [BP_ASCEND_NEVER_RECORDED] = "event never recorded",
    [BP_ASCEND_PAGEABLE_COPY] = "asynchronous copy of unpinned memory",
    [BP_ASCEND_LEFT_BEHIND] = "left behind",
    [BP_ASCEND_BAD_DATASET] = "wrong buffers for a model",
};

static struct {
    pthread_mutex_t lock;
    uint64_t violations[BP_ASCEND_VIOLATIONS];
    char last_violation[SIM_TEXT];
    bool is_fatal; /* as the configuration says */
    struct {
        aclError code;
        uint64_t count;
    } errors[CODES];
    size_t codes;
} counts = {.lock = PTHREAD_MUTEX_INITIALIZER};

/*
 * What aclGetRecentErrMsg() gives. The text it hands out lies in `told`, which stays valid while
 * the next failure is written into `text`.
 */
static _Thread_local struct {
    bool pending;
    char text[SIM_TEXT];
    char told[SIM_TEXT];
} recent;

/* An unknown code takes the next free row. A code beyond the last row is not counted. */
static void count_error(aclError code)
{
    size_t i = 0;

    pthread_mutex_lock(&counts.lock);
    while (i < counts.codes && counts.errors[i].code != code)
        i++;
    if (i == counts.codes && i < CODES) {
        counts.errors[i].code = code;
        counts.codes++;
    }
    if (i < CODES)
        counts.errors[i].count++;
    pthread_mutex_unlock(&counts.lock);
}

/* The vendor's messages begin with a code as well, so that a log can be searched for it. */
static aclError keep(aclError code, const char *text)
{
    recent.pending = true;
    snprintf(recent.text, sizeof recent.text, "E%d: %.480s", code, text);
    count_error(code);
    return code;
}

aclError sim_fail(aclError code, const char *format, ...)
{
    char text[SIM_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return keep(code, text);
}

/*
 * A copy of unpinned memory is slow, but correct: it never aborts. The abort is for tests, whose
 * program then ends where the violation is, with a stack to look at.
 */
static void count_violation(uint32_t kind, const char *text)
{
    pthread_mutex_lock(&counts.lock);
    counts.violations[kind]++;
    snprintf(counts.last_violation, sizeof counts.last_violation, "%s: %.400s", names[kind], text);
    if (counts.is_fatal && kind != BP_ASCEND_PAGEABLE_COPY) {
        fprintf(stderr, "ascend-sim: a violation of ACL's rules: %s\n", counts.last_violation);
        abort();
    }
    pthread_mutex_unlock(&counts.lock);
}

/*
 * Set by the configuration's `breaches = fatal`, for the time from aclInit() to the library's end.
 */
void sim_set_fatal_violations(bool fatal)
{
    pthread_mutex_lock(&counts.lock);
    counts.is_fatal = fatal;
    pthread_mutex_unlock(&counts.lock);
}

aclError sim_violate(uint32_t kind, aclError code, const char *format, ...)
{
    char text[SIM_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    count_violation(kind, text);
    return keep(code, text);
}

void sim_note_violation(uint32_t kind, const char *format, ...)
{
    char text[SIM_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    count_violation(kind, text);
}

/* Fatal or not is a setting, and stays. */
void sim_reset_counts(void)
{
    pthread_mutex_lock(&counts.lock);
    memset(counts.violations, 0, sizeof counts.violations);
    memset(counts.errors, 0, sizeof counts.errors);
    counts.codes = 0;
    counts.last_violation[0] = 0;
    pthread_mutex_unlock(&counts.lock);
}

/* Reading consumes the message, as with the vendor's: a second call in a row gives NULL. */
const char *aclGetRecentErrMsg(void)
{
    if (!recent.pending)
        return NULL;
    recent.pending = false;
    memcpy(recent.told, recent.text, sizeof recent.told);
    return recent.told;
}

uint64_t bp_ascend_violations(uint32_t kind)
{
    uint64_t count;

    if (kind >= BP_ASCEND_VIOLATIONS)
        return 0;
    pthread_mutex_lock(&counts.lock);
    count = counts.violations[kind];
    pthread_mutex_unlock(&counts.lock);
    return count;
}

/* Without BP_ASCEND_PAGEABLE_COPY, which costs time and breaks no rule. */
uint64_t bp_ascend_violations_total(void)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < BP_ASCEND_VIOLATIONS; i++)
        if (i != BP_ASCEND_PAGEABLE_COPY)
            count += bp_ascend_violations(i);
    return count;
}

const char *bp_ascend_violation_name(uint32_t kind)
{
    return kind < BP_ASCEND_VIOLATIONS ? names[kind] : NULL;
}

void bp_ascend_last_violation(char *text, size_t size)
{
    pthread_mutex_lock(&counts.lock);
    snprintf(text, size, "%s", counts.last_violation);
    pthread_mutex_unlock(&counts.lock);
}

uint64_t bp_ascend_errors(aclError code)
{
    uint64_t count = 0;

    pthread_mutex_lock(&counts.lock);
    for (size_t i = 0; i < counts.codes; i++)
        if (counts.errors[i].code == code)
            count = counts.errors[i].count;
    pthread_mutex_unlock(&counts.lock);
    return count;
}
