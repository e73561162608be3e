/* SPDX-License-Identifier: MIT */
/*
 * sim.h - what the files of the simulated driver share: the one world of the process and its lock.
 *
 * One lock guards everything that lives here; the arithmetic of tasks runs without it. Functions
 * that need it held say [locked]. Public functions take it, so they never call each other.
 */
#ifndef SIM_H
#define SIM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <acl/acl.h>
#include <bp_ascend_sim.h>

#include "core/settings.h"

#define SIM_TEXT 512

#if defined(__GNUC__)
#define SIM_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define SIM_PRINTF(fmt, args)
#endif

struct sim_task;

struct sim_device {
    int32_t id;
    const struct sim_device_config *config;
    uint32_t state; /* BP_ASCEND_OK... */
    bool paused;
    uint64_t set_count; /* aclrtSetDevice() less aclrtResetDevice() */
    void *context;      /* the default one's handle, or NULL */
    uint64_t used;      /* bytes allocated, padded */
    uint32_t streams, events;
    uint64_t opened_ns; /* of the real clock */
    uint64_t host_ns;   /* simulated: how far the host is */
    uint64_t done_ns;   /* simulated: the end of the last task */
    uint64_t busy_operators, busy_copies, busy_compiling;
};

struct sim_context {
    void *handle;
    struct sim_device *device;
    struct sim_stream *default_stream;
};

struct sim_world {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a task ended, an event completed, a device resumed */
    uint64_t init_count;    /* 0: not up */
    bool closing;           /* aclFinalize() waits for streams */
    struct sim_config config;
    struct sim_device devices[SIM_DEVICES];
    uint32_t op_timeout; /* seconds; 0: none */
    struct bp_ascend_counters counters;
};

extern struct sim_world sim_world;

void sim_lock(void);
void sim_unlock(void);
uint64_t sim_now(void); /* nanoseconds, monotonic */

/* Waits; false when `deadline` (of sim_now(), UINT64_MAX: none) passed. [locked] */
bool sim_wait(pthread_cond_t *condition, uint64_t deadline);
/* The deadline of a timeout in ms, -1 for none. */
uint64_t sim_deadline(int32_t timeout);
/* Makes a condition that sim_wait() can use. */
int sim_condition_init(pthread_cond_t *condition);

/* ---- error.c: each counts its code and keeps the sentence for aclGetRecentErrMsg() ---- */

aclError sim_fail(aclError code, const char *format, ...) SIM_PRINTF(2, 3);
aclError sim_violate(uint32_t kind, aclError code, const char *format, ...) SIM_PRINTF(3, 4);
/* Counts a breach that lets the call succeed. */
void sim_note(uint32_t kind, const char *format, ...) SIM_PRINTF(2, 3);
void sim_count_error(aclError code);
void sim_reset_tallies(void);
/* Does a breach end the process, with its sentence on standard error? */
void sim_set_fatal_breaches(bool fatal);

/* ---- fault.c: 0, or the code that this call is to fail with, its sentence made ---- */

aclError sim_fault(uint32_t point);
aclError sim_fault_from_words(const char *words, bool apply);

/* ---- device.c ---- */

/* ACL is up, or ACL_ERROR_UNINITIALIZE. [locked] */
aclError sim_need_init(void);
/* The thread's context; else ACL_ERROR_RT_CONTEXT_NULL. [locked] */
aclError sim_current(struct sim_context **out);
/* Waits for, then frees, all of a device; `force` drops what is queued. [locked, may wait] */
void sim_close_device(struct sim_device *device, bool force);
void sim_open_devices(void); /* [locked] */

/* ---- handle.c: numbers that look like pointers and are never used twice ---- */

enum sim_kind { SIM_NO_KIND, SIM_CONTEXT, SIM_STREAM, SIM_EVENT };

void *sim_handle_create(enum sim_kind kind, void *object);    /* [locked] NULL: no memory */
void *sim_handle_get(enum sim_kind kind, const void *handle); /* [locked] NULL: no such */
void sim_handle_drop(const void *handle);                     /* [locked] */
/* The next live object of a kind from slot *at on, which moves; NULL at the end. [locked] */
void *sim_handle_next(enum sim_kind kind, size_t *at);
void sim_handles_free(void); /* [locked] */

/* ---- cost: simulated nanoseconds ---- */

uint64_t sim_copy_cost(const struct sim_device *device, aclrtMemcpyKind kind, size_t bytes);
/* The host spends time: a call, a synchronous copy. [locked] */
void sim_host_spends(struct sim_device *device, uint64_t ns);

#endif
