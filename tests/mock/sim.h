/* SPDX-License-Identifier: MIT */
/*
 * sim.h - a pretend accelerator: what the library of a vendor would be to a provider.
 *
 * Its memory has addresses that the host cannot touch: the pages behind a handle have no rights, so
 * that a host which computes with one, or reads through it, is stopped at once. Copies and kernels
 * reach the bytes with sim_reach(). Its streams really run late, on a thread each: a lazy one does
 * nothing until somebody waits for it, so that whoever reads too early, or writes too early over
 * what a copy has still to read, finds wrong numbers every time. Any kind of call can be made to
 * fail, and work can be given a price.
 *
 * Calls may come from any thread; one thread at a time puts into a stream.
 */
#ifndef BP_TESTS_SIM_H
#define BP_TESTS_SIM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_COUNTERS_ID "test.sim/1" /* an extension: struct sim_counters of the process */

/* Kinds of calls, for faults. */
enum sim_call {
    SIM_NONE,
    SIM_ALLOC,
    SIM_COPY,   /* putting it in */
    SIM_STREAM, /* making one */
    SIM_EVENT,  /* making one */
    SIM_RECORD,
    SIM_WAIT,
    SIM_LAUNCH, /* putting a kernel in */
    SIM_LATE,   /* a copy or kernel, when its time has come */
    SIM_CALLS
};

struct sim_counters {
    atomic_uint allocations, streams, events; /* alive */
    atomic_uint uploads, downloads;           /* so far */
    atomic_ullong bytes, peak;                /* of device memory */
    atomic_ullong bytes_up, bytes_down;
    atomic_uint calls[SIM_CALLS]; /* so far, those that failed included */
};

struct sim_options {
    size_t memory;      /* bytes */
    enum sim_call fail; /* this kind fails... */
    uint64_t fail_at;   /* ...the n-th time, from 1; 0: each time */
    int is_lazy;        /* streams */
    int64_t launch_ns;  /* the price of a copy or kernel in a stream */
};

struct sim_device;
struct sim_stream;

/* Bytes of device memory. */
struct sim_ref {
    void *handle; /* as sim_alloc() gave it */
    uint64_t offset;
    size_t bytes;
};

/* 0 when all went well. */
typedef int (*sim_kernel)(struct sim_device *device, const void *arg);
enum { SIM_ARG = 192 }; /* bytes that a kernel may be handed; copied */

struct sim_event {
    struct sim_stream *stream;
    uint64_t ticket;
};

extern struct sim_counters sim_counters;

struct sim_device *sim_open(const struct sim_options *options); /* NULL: no memory */
void sim_close(struct sim_device *device);
/* Counts a call; 1 when it is to fail. */
int sim_fails(struct sim_device *device, enum sim_call call);

/* A handle of n > 0 bytes, or NULL: device memory is full, or the call is to fail. */
void *sim_alloc(struct sim_device *device, size_t n);
void sim_free(struct sim_device *device, void *handle);
/* For copies and kernels: where the bytes are; NULL: they are not in one allocation. */
void *sim_reach(struct sim_device *device, struct sim_ref ref);

/* Streams and events: NULL or -1 when it fails. */
struct sim_stream *sim_stream_create(struct sim_device *device);
void sim_stream_destroy(struct sim_stream *stream); /* drops what has not begun */
/* Runs the kernel in its turn; a NULL stream: now. */
int sim_launch(struct sim_device *device, struct sim_stream *stream, sim_kernel kernel,
               const void *arg, size_t n_arg);
int sim_upload(struct sim_device *device, struct sim_stream *stream, struct sim_ref to,
               const void *from);
int sim_download(struct sim_device *device, struct sim_stream *stream, void *to,
                 struct sim_ref from);
int sim_record(struct sim_stream *stream, struct sim_event *event);
/* 1: not within timeout_ns, which is < 0 for ever; -1: something in the stream failed. */
int sim_wait(struct sim_event *event, int64_t timeout_ns);

#endif
