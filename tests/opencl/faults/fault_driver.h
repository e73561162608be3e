/* SPDX-License-Identifier: MIT */
/*
 * fault_driver.h - an OpenCL loader of the tests: it stands before the real one, hands calls on to it,
 * counts them and the objects they make, and lets chosen calls fail as drivers do.
 *
 * Its SONAME is the real one's, so that a program that opens it first hands it to the provider. A
 * script puts its folder into LD_LIBRARY_PATH, and says by variables what fails:
 *
 *     BP_OPENCL_FAULTS    "clBuildProgram 0 1 -11; clFinish 2 1 -5": call, how many pass, how many
 *                         fail, status; the loader prints nothing
 *     BP_OPENCL_COUNTS    a file that gets a line "clFinish 3" for each function at exit
 */
#ifndef BP_TESTS_FAULT_DRIVER_H
#define BP_TESTS_FAULT_DRIVER_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

/* Objects that are counted. */
enum {
    FAULT_CONTEXTS,
    FAULT_QUEUES,
    FAULT_BUFFERS,
    FAULT_PROGRAMS,
    FAULT_KERNELS,
    FAULT_EVENTS,
    FAULT_KINDS
};

/* What the log of a build says that was made to fail. */
#define FAULT_BUILD_LOG "line 7: error: the fault driver refuses this program"

/* [any thread] */
struct fault_driver {
    /* Nothing fails or is late any more. */
    void (*clear)(void);
    /* `skip` calls of this function pass, then `times` fail with the status. */
    void (*fail_call)(const char *call, uint32_t skip, uint32_t times, cl_int code);
    /* The n-th call from now on fails, 1 being the next, with a status that suits it. */
    void (*fail_nth)(uint64_t n);
    /* So many calls in a million fail, with statuses that suit them. */
    void (*fail_at_random)(uint64_t seed, uint32_t per_million);
    /* Everything but releases fails, until it is there again. */
    void (*lose)(bool is_lost);
    /* What is put into a queue is done so much later. */
    void (*delay)(uint32_t ms);
    /* The last failure since clear(): the function and its status; NULL: there was none. */
    const char *(*failed)(cl_int *code);
    /* Calls so far of a function; NULL: of all, those that failed too. */
    uint64_t (*calls)(const char *call);
    /* ... that returned only when the device was done. */
    uint64_t (*blocking)(void);
    /* Is the function among those that can fail? */
    bool (*knows)(const char *call);
    /* Objects of a kind that were made or retained, and not released. */
    int64_t (*live)(uint32_t kind);
    /* From now on adds up how much count() grows within calls, of the calling thread. */
    void (*watch)(unsigned long (*count)(void));
    unsigned long (*watched)(void);
};

/* The one exported function beside OpenCL's. */
const struct fault_driver *bp_fault_driver(void);

#endif
