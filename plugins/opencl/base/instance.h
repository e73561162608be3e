/* SPDX-License-Identifier: MIT */
/* instance.h - an opened device with the options of one session; made by provider.c. */
#ifndef BP_OPENCL_INSTANCE_H
#define BP_OPENCL_INSTANCE_H

#include "base/library.h"

#include <pthread.h>
#include <stdatomic.h>

struct bp_opencl_shared; /* base/shared.h */
struct bp_opencl_built;  /* a program of the device, see build/kernels.c */
struct bp_opencl_tuned;  /* answers of the tuner, see build/tune.c */

/* Choices of the options `kernels` and `convolutions`. */
enum { BP_OPENCL_KERNELS_AUTO, BP_OPENCL_KERNELS_PROCESSOR, BP_OPENCL_KERNELS_GPU };
enum {
    BP_OPENCL_CONV_AUTO,
    BP_OPENCL_CONV_COLUMNS,
    BP_OPENCL_CONV_IMPLICIT,
    BP_OPENCL_CONV_WINOGRAD
};

/* Callbacks that are due in queues, see run/events.h. */
struct bp_opencl_events {
    pthread_mutex_t lock;
    pthread_cond_t told;
    struct bp_opencl_notice *notices;
};

/* Read-only once it is made, but for what a comment excepts. */
struct bp_instance {
    bp_host host;
    const struct bp_opencl_library *cl;
    const struct bp_opencl_device *device;
    uint32_t claimed_device; /* what claims name it by */
    struct bp_opencl_shared *shared;
    cl_context context;     /* that of all sessions of the device */
    cl_command_queue queue; /* for work without a stream */
    bool takes_f16;         /* option fp16 */
    bool profiles;          /* option profiling */
    bool fuses;             /* option fuse */
    bool is_processor;      /* vectors instead of local memory */
    uint32_t convolutions;  /* BP_OPENCL_CONV_* */
    bool tunes;             /* option tune */
    uint64_t memory_limit;  /* bytes; 0: the device's own */
    char *build_flags;      /* the instance's own copies */
    char *cache_dir;
    _Atomic uint64_t used;    /* bytes of device memory */
    _Atomic uint64_t weights; /* ... of them constants of programs */
    pthread_mutex_t lock;     /* of the list below */
    struct bp_opencl_built *built;
    struct bp_opencl_events events;
    uint64_t mark; /* of programs that are used from now on, under the lock too */
    struct bp_opencl_tuned *tuned;
    bool has_tuning; /* the cache folder's answers are among them */
};

#endif
