/* SPDX-License-Identifier: MIT */
/*
 * sim.h - libbp-sim, a simulated accelerator: what the library of a vendor would be to a provider.
 * With it a provider that has memory of its own is written and tested without a device; link it
 * into the plug-in with `pkg-config --cflags --libs backplane-sim`.
 *
 * Its memory has addresses that the host cannot touch: the pages behind a handle have no rights, so
 * that a host which computes with one, or reads through it, is stopped at once. Copies and kernels
 * reach the bytes with bp_sim_reach(). Fresh memory holds 0xa5. Its streams really run late, on a
 * thread each: a lazy one does nothing until a thread waits for it, so that whoever reads too
 * early, or writes too early over what a copy has still to read, finds wrong elements every time.
 * Any kind of call can be made to fail, and work can be given a price, which is time that really
 * passes.
 *
 * Calls may come from any thread; one thread at a time puts into a stream. What takes a device gets
 * one of bp_sim_open(), never NULL. Handing over a handle that is none of the device's ends the
 * process by abort(), as memory checkers do: it is a mistake of the caller.
 */
#ifndef BP_SIM_H
#define BP_SIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of calls, for faults and counters. */
enum {
    BP_SIM_NONE = 0,
    BP_SIM_ALLOC = 1,
    BP_SIM_COPY = 2,   /* putting it in */
    BP_SIM_STREAM = 3, /* making one */
    BP_SIM_EVENT = 4,  /* making one */
    BP_SIM_RECORD = 5,
    BP_SIM_WAIT = 6,
    BP_SIM_LAUNCH = 7, /* putting a kernel in */
    BP_SIM_LATE = 8,   /* a copy or kernel in a stream, when its time has come */
    BP_SIM_ORDER = 9,  /* letting a stream wait for an event */
    BP_SIM_NOTIFY = 10,
    BP_SIM_CALLS = 11
};

enum {
    /* streams work only when a thread waits for them, or when they are full */
    BP_SIM_LAZY = 1u << 0
};

enum { BP_SIM_ARG = 192 }; /* bytes that a kernel may be handed */

/*
 * How a device behaves; all zero is a device without memory. The library calls bp_sim_fails() at
 * the points that the kinds name, but for BP_SIM_LAUNCH, which it leaves to the provider's own
 * calls. A copy takes launch_ns plus its bytes divided by h2d_gbps or d2h_gbps: bytes over 1e9
 * bytes a second are nanoseconds.
 */
typedef struct bp_sim_options {
    uint64_t memory;   /* bytes of the device */
    uint32_t flags;    /* BP_SIM_LAZY */
    uint32_t fail;     /* BP_SIM_*: this kind of call fails... */
    uint64_t fail_at;  /* ...the n-th time, from 1; 0: each time */
    int64_t launch_ns; /* price of each copy and kernel in nanoseconds; 0: none */
    double h2d_gbps;   /* 1e9 bytes that cross in a second; 0: at once */
    double d2h_gbps;
} bp_sim_options;

/*
 * What all devices of the process, that is of this copy of the library, did. The numbers are plain:
 * they are up to date for a thread that knows that no work is queued.
 */
typedef struct bp_sim_counters {
    /* What a test compares with 0 at its end, to find what a provider did not give back. */
    uint32_t allocations, streams, events; /* alive */
    uint32_t uploads, downloads;           /* so far */
    uint32_t exchanges;                    /* copies between devices, or within one, so far */
    uint32_t notices;                      /* calls back that bp_sim_notify() asked for, so far */
    uint32_t calls[BP_SIM_CALLS];          /* so far, those that failed included */
    uint64_t bytes, peak;                  /* of device memory */
    /* Bytes copied to devices and from them, so far. */
    uint64_t bytes_up, bytes_down;
} bp_sim_counters;

/* A device, and a queue of work on it; made by bp_sim_open() and bp_sim_stream_create(). */
typedef struct bp_sim_device bp_sim_device;
typedef struct bp_sim_stream bp_sim_stream;

/*
 * Bytes of device memory. The sum of offset and bytes is at most the size of the allocation, or
 * bp_sim_reach() gives NULL. The handle is an address without rights (POSIX mmap, PROT_NONE): only
 * the library may use it.
 */
typedef struct bp_sim_ref {
    void *handle; /* as bp_sim_alloc() gave it */
    uint64_t offset;
    size_t bytes;
} bp_sim_ref;

/*
 * A place in a stream. All zero: never recorded, which is not waited for. It counts entries of the
 * stream: the event has come when as many are done as were put in when it was recorded. The
 * caller's; it refers to the stream and owns nothing.
 */
typedef struct bp_sim_event {
    bp_sim_stream *stream;
    uint64_t ticket;
} bp_sim_event;

/*
 * Work; 0 when all went well. `arg` is the stream's copy, at a multiple of 16. It runs on the
 * thread of its stream, or on the caller's where there is no stream. After a kernel that fails, the
 * stream remembers the failure for good and runs nothing more: what comes later is dropped.
 */
typedef int (*bp_sim_kernel)(bp_sim_device *device, const void *arg);

/* The counters; never NULL. They may be set back to 0 while no work is queued. */
bp_sim_counters *bp_sim_counters_get(void);

/*
 * A device of its own, with memory that no other device reaches. The caller's, to bp_sim_close().
 */
/*
 * Copies the options; NULL: no memory. The environment's BP_SIM_FAIL, such as "late" or "copy:3",
 * stands for `fail` and `fail_at` then, so that a test makes devices fail in a provider that has no
 * option for it, as backplane-check does: a kind of call in small letters, and which of them. With
 * another word in it the process ends by abort().
 */
bp_sim_device *bp_sim_open(const bp_sim_options *options);
/* All of its streams are gone. Frees what is still allocated. */
void bp_sim_close(bp_sim_device *device);
/*
 * Counts a call that the provider makes up itself; 1 when it is to fail, else 0. `call` is below
 * BP_SIM_CALLS. With fail_at 0 each call of the kind options.fail fails. [any thread]
 */
int bp_sim_fails(bp_sim_device *device, uint32_t call);
/*
 * Lets as much time pass: what a kernel calls for its arithmetic. Sleeps on the calling thread
 * (POSIX nanosleep); ns of 0 and less return at once.
 */
void bp_sim_spend(bp_sim_device *device, int64_t ns);
/* Bytes that are not allocated. */
uint64_t bp_sim_memory_free(bp_sim_device *device);

/*
 * A handle of n > 0 bytes, at a multiple of a page; NULL: the device is full, or it is to fail. The
 * device's `memory` counts the bytes asked for, not pages. The bytes lie where bp_sim_reach() says,
 * aligned as malloc() does; the handle is not an address of them.
 */
void *bp_sim_alloc(bp_sim_device *device, size_t n);
/*
 * Frees an allocation: kernels and copies that use it must have ended. A handle that is not
 * allocated, or no more, ends the process by abort(); so does NULL.
 */
void bp_sim_free(bp_sim_device *device, void *handle);
/*
 * For kernels: where the bytes are, for as long as they are allocated; NULL: not in one allocation.
 */
void *bp_sim_reach(bp_sim_device *device, bp_sim_ref ref);

/* NULL: no memory, or it is to fail. */
bp_sim_stream *bp_sim_stream_create(bp_sim_device *device);
/* Drops what has not begun, waits for what has. */
void bp_sim_stream_destroy(bp_sim_stream *stream);
/*
 * Runs the kernel in its turn, with a copy of n_arg <= BP_SIM_ARG bytes; a NULL stream: now. -1: it
 * was not accepted or, now, it failed. What fails in a stream is told by bp_sim_wait(). A full
 * stream (256 entries) makes the caller wait for space.
 */
int bp_sim_launch(bp_sim_device *device, bp_sim_stream *stream, bp_sim_kernel kernel,
                  const void *arg, size_t n_arg);
/* Copies of ref.bytes. Host memory is the stream's until it has come so far. -1 as above. */
int bp_sim_upload(bp_sim_device *device, bp_sim_stream *stream, bp_sim_ref to, const void *from);
int bp_sim_download(bp_sim_device *device, bp_sim_stream *stream, void *to, bp_sim_ref from);
/*
 * A copy of to.bytes, from memory of one device to that of another or the same, on a stream of `to`'s
 * device. -1 as above.
 */
int bp_sim_exchange(bp_sim_device *device, bp_sim_stream *stream, bp_sim_ref to,
                    bp_sim_device *from_device, bp_sim_ref from);

/* An event on the heap, not recorded; NULL when it fails. Others may live anywhere, as zeroes. */
bp_sim_event *bp_sim_event_create(bp_sim_device *device);
/*
 * Frees an event of bp_sim_event_create(); no thread may be waiting for it. NULL is not fine: each
 * call is counted as one event less.
 */
void bp_sim_event_destroy(bp_sim_event *event);
/*
 * The event stands for all that is in the stream by now. -1: it is to fail. [the thread that puts
 * into the stream] Recording it again replaces what it stood for.
 */
int bp_sim_record(bp_sim_stream *stream, bp_sim_event *event);
/*
 * What is put into the stream from now on waits until the event's stream, of any device, has come to
 * the event as it is recorded now. That works then even if it is lazy; what failed in it by then, or
 * that it was destroyed before it came there, counts as a failure of the one that waits. -1: it is to
 * fail. [the thread that puts into the stream]
 */
int bp_sim_stream_wait(bp_sim_stream *stream, const bp_sim_event *event);
/*
 * Waits until the stream has come to the event; its stream still lives. 0: it has; 1: not within
 * timeout_ns, which is < 0 for ever; -1: something in the stream failed so far, or this is to fail.
 */
int bp_sim_wait(bp_sim_event *event, int64_t timeout_ns);

/*
 * Calls fn(u, failed) once, when the event's stream has come to the event as it is recorded now:
 * failed is -1 if something in it failed so far, or if it is destroyed before it comes there, else
 * 0. That works then even if it is lazy. fn is called on the stream's thread, or within this call or
 * bp_sim_stream_destroy(); it must not wait for the stream. -1: it is to fail, or 32 calls of the
 * stream are due already; fn is not called then.
 */
int bp_sim_notify(const bp_sim_event *event, void (*fn)(void *u, int failed), void *u);

/*
 * An event that no stream comes to, but a call signals (a user event of OpenCL). It may be used
 * again: a signal lets go the waits that were put in by then, and none that comes later.
 */
typedef struct bp_sim_manual_event bp_sim_manual_event;

/* The caller's; counted as an event. NULL: no memory, or it is to fail. */
bp_sim_manual_event *bp_sim_manual_create(bp_sim_device *device);
/* No stream waits for it any more. Never NULL. */
void bp_sim_manual_destroy(bp_sim_manual_event *event);
/* Streams that wait go on; with failed not 0 that counts as a failure of theirs. [any thread] */
void bp_sim_manual_signal(bp_sim_manual_event *event, int failed);
/*
 * What is put into the stream from now on waits for the next signal. -1: it is to fail. A stream that
 * is destroyed waits no longer. [the thread that puts into the stream]
 */
int bp_sim_manual_wait(bp_sim_stream *stream, bp_sim_manual_event *event);

#ifdef __cplusplus
}
#endif

#endif
