/* SPDX-License-Identifier: MIT */
/*
 * bp_ascend_sim.h - what the simulated Ascend driver offers beside ACL: its configuration, faults,
 * holding devices, and what it counted. A program that is to run on the vendor's library too looks
 * these up with dlsym(). Every function may be called by any thread at any time.
 */
#ifndef BP_ASCEND_SIM_H
#define BP_ASCEND_SIM_H

#include <acl/acl_op.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BP_ASCEND_SIM_SONAME "libbp-ascend-sim.so.0"

/* ---- configuration -------------------------------------------------------------------------- */

/*
 * Configuration for the next aclInit(), in place of the file that BP_ASCEND_SIM names: lines
 * "key = value" as in README.md. The text is copied; NULL goes back to the file. Without aclInit()
 * in between the later text holds. ACL_ERROR_INVALID_PARAM: a line is wrong (see
 * aclGetRecentErrMsg()) and nothing was changed; ACL_ERROR_REPEAT_INITIALIZE: ACL is up.
 */
ACL_FUNC_VISIBILITY aclError bp_ascend_configure(const char *text);

/* ---- holding and losing devices ------------------------------------------------------------- */

/*
 * Streams of the device start no task until bp_ascend_resume(): what was queued stays queued, and
 * who synchronises or destroys a stream waits. aclFinalize() and aclrtResetDevice() resume. Both
 * fail for a device that is not there.
 */
ACL_FUNC_VISIBILITY aclError bp_ascend_pause(int32_t device);
ACL_FUNC_VISIBILITY aclError bp_ascend_resume(int32_t device);

enum {
    BP_ASCEND_OK = 0,
    BP_ASCEND_BUSY = 1, /* aclrtSetDevice() is ACL_ERROR_RT_DEV_SETUP_ERROR */
    BP_ASCEND_LOST = 2  /* tasks and synchronisation are ACL_ERROR_RT_LOST_HEARTBEAT */
};

/*
 * What happens to a device: BP_ASCEND_OK, BP_ASCEND_BUSY or BP_ASCEND_LOST. Tasks that run go on.
 */
ACL_FUNC_VISIBILITY aclError bp_ascend_set_state(int32_t device, uint32_t state);

/* ---- faults --------------------------------------------------------------------------------- */

/* Where a fault can be injected. */
enum {
    BP_ASCEND_AT_SET_DEVICE,
    BP_ASCEND_AT_MALLOC, /* device memory */
    BP_ASCEND_AT_MALLOC_HOST,
    BP_ASCEND_AT_COPY, /* aclrtMemcpy(), and queueing a copy or a memset */
    BP_ASCEND_AT_CREATE_STREAM,
    BP_ASCEND_AT_CREATE_EVENT,
    BP_ASCEND_AT_COMPILE, /* an operator that was not kept, or a whole model */
    BP_ASCEND_AT_LAUNCH,  /* queueing an operator or a model */
    BP_ASCEND_AT_TASK,    /* running anything on a stream: seen at the next synchronisation */
    BP_ASCEND_AT_SYNC,    /* synchronising a stream, an event or a device */
    BP_ASCEND_AT_LOAD,    /* loading a model */
    BP_ASCEND_POINTS
};

/*
 * Lets calls of a kind fail: `after` of them pass first, then `times` fail with `code`, then all
 * pass again. `code` 0 stands for the kind's usual one. Replaces an earlier fault there; times 0
 * takes it away. ACL_ERROR_INVALID_PARAM: no such point.
 */
ACL_FUNC_VISIBILITY aclError bp_ascend_fault(uint32_t point, uint64_t after, uint64_t times,
                                             aclError code);
/*
 * Each call fails with probability per_million / 1000000; `seed` makes a run repeatable. Replaces
 * an earlier fault there.
 */
ACL_FUNC_VISIBILITY aclError bp_ascend_fault_random(uint32_t point, uint32_t per_million,
                                                    uint64_t seed, aclError code);
/* At all points. */
ACL_FUNC_VISIBILITY void bp_ascend_clear_faults(void);

/* ---- what was counted ----------------------------------------------------------------------- */

/* Breaches of ACL's rules. Each also makes its call fail, but where it says otherwise. */
enum {
    BP_ASCEND_USE_AFTER_FREE,
    BP_ASCEND_DOUBLE_FREE,
    BP_ASCEND_HOST_AS_DEVICE, /* a host address where a device's is due */
    BP_ASCEND_DEVICE_AS_HOST, /* and the reverse */
    BP_ASCEND_OTHER_DEVICE,   /* memory of a device that is not the current one */
    BP_ASCEND_OUT_OF_BOUNDS,  /* past the end of what was allocated */
    BP_ASCEND_NO_CONTEXT,     /* no aclrtSetDevice() in this thread */
    BP_ASCEND_WRONG_CONTEXT,  /* a stream or event of another context */
    BP_ASCEND_BAD_HANDLE,     /* destroyed before, or never made */
    BP_ASCEND_DOUBLE_INIT,
    BP_ASCEND_DOUBLE_FINALIZE,
    BP_ASCEND_NOT_INITIALIZED,
    BP_ASCEND_NEVER_RECORDED, /* waiting for an event that was not; the wait is over at once */
    BP_ASCEND_PAGEABLE_COPY,  /* an asynchronous copy of unpinned memory; works, but slowly */
    BP_ASCEND_LEFT_BEHIND,    /* memory, streams, events or models not destroyed in time */
    BP_ASCEND_BAD_DATASET,    /* buffers that are not as many, or not as large, as a model's */
    BP_ASCEND_VIOLATIONS
};

/* Breaches of one kind since the library was opened; of an unknown kind 0. */
ACL_FUNC_VISIBILITY uint64_t bp_ascend_violations(uint32_t kind);
/* All but BP_ASCEND_PAGEABLE_COPY, which is a matter of speed. */
ACL_FUNC_VISIBILITY uint64_t bp_ascend_violations_total(void);
/* A word for the kind, "use after free"; NULL for none. */
ACL_FUNC_VISIBILITY const char *bp_ascend_violation_name(uint32_t kind);
/* Copies the sentence of the last breach, cut to `size` bytes; "" when there was none. */
ACL_FUNC_VISIBILITY void bp_ascend_last_violation(char *text, size_t size);
/* How often a call, or a task, ended with this code. */
ACL_FUNC_VISIBILITY uint64_t bp_ascend_errors(aclError code);

/* Copies of one kind: calls, and bytes in all of them. */
struct bp_ascend_traffic {
    uint64_t count;
    uint64_t bytes;
};

/* Since the library was opened or bp_ascend_reset_counters(). Later versions append. */
struct bp_ascend_counters {
    size_t struct_size;
    /* memory of devices; bytes as the vendor pads them */
    uint64_t allocations, frees, live_bytes, peak_bytes;
    uint64_t host_allocations, host_frees, host_live_bytes, host_peak_bytes;
    /* copies: host to host, host to device, device to host, device to device */
    struct bp_ascend_traffic copies_sync[4], copies_async[4];
    struct bp_ascend_traffic memsets;
    /* objects; the last three are those of the whole process that live now */
    uint64_t streams_created, streams_destroyed, events_created, events_destroyed;
    uint64_t contexts_created, contexts_destroyed;
    uint64_t live_descriptions, live_buffers, live_attributes;
    /* work */
    uint64_t tasks_queued, tasks_run, tasks_failed, queue_high_water, queue_blocked;
    uint64_t launches, callbacks;
    uint64_t syncs_stream, syncs_default_stream, syncs_device, syncs_event;
    uint64_t set_device_calls, init_calls, finalize_calls;
    /* single operators */
    uint64_t cache_lookups, cache_hits, compiles, evictions, cache_size, cache_limit;
    /* offline models; what of them lives now: the last two, and those loaded less those unloaded */
    uint64_t models_built, models_loaded, models_unloaded, model_runs;
    uint64_t live_datasets, live_model_descriptions;
};

/* Fills as much of *counters as its struct_size says. */
ACL_FUNC_VISIBILITY aclError bp_ascend_get_counters(struct bp_ascend_counters *counters);
/* Counts, violations and errors start anew; what lives now stays counted, peaks become that. */
ACL_FUNC_VISIBILITY void bp_ascend_reset_counters(void);

/* ---- time ----------------------------------------------------------------------------------- */

/* Nanoseconds since the device was opened. Later versions append. */
struct bp_ascend_times {
    size_t struct_size;
    uint64_t real;           /* by the wall */
    uint64_t simulated;      /* when the last stream, or the host, would be done */
    uint64_t host;           /* simulated: what the host spent calling and waiting */
    uint64_t busy_operators; /* simulated: sums over streams */
    uint64_t busy_copies;
    uint64_t busy_compiling;
};

ACL_FUNC_VISIBILITY aclError bp_ascend_get_times(int32_t device, struct bp_ascend_times *times);
/* Both clocks of a device start at 0 again. ACL_ERROR_RT_STREAM_NOT_COMPLETE: it has work. */
ACL_FUNC_VISIBILITY aclError bp_ascend_reset_times(int32_t device);

/*
 * What an operator would take on the current device from its start to its end: nothing is compiled
 * or run. Descriptions and attributes as for aclopCompile(), and its errors.
 */
ACL_FUNC_VISIBILITY aclError bp_ascend_estimate_operator(
    const char *opType, int numInputs, const aclTensorDesc *const inputDesc[], int numOutputs,
    const aclTensorDesc *const outputDesc[], const aclopAttr *attr, uint64_t *nanoseconds);
/* The same of a copy: within the device, or between it and the host. */
ACL_FUNC_VISIBILITY aclError bp_ascend_estimate_copy(uint64_t bytes, int32_t on_device,
                                                     uint64_t *nanoseconds);

/* The operator types that can be compiled, by name; NULL past the last. */
ACL_FUNC_VISIBILITY const char *bp_ascend_operator(size_t index);

#ifdef __cplusplus
}
#endif

#endif
