/* SPDX-License-Identifier: MIT */
/*
 * shared.h - what the sessions of one device share in this process: the context of OpenCL, and
 * buffers of constants, which are there once for all programs that have the same ones. The last one
 * that uses a thing releases it.
 */
#ifndef BP_OPENCL_SHARED_H
#define BP_OPENCL_SHARED_H

#include "base/library.h"

/*
 * The status of a failed call that opens a device. Of the host, no memory is an error under every
 * policy; a driver's is a device that cannot be used.
 */
bp_rc bp_opencl_fail_to_open(const struct bp_opencl_device *device, cl_int code, const char *call,
                             bp_err *err);

struct bp_opencl_shared; /* one a device that is in use */

/* The device's, made with a context if it is the first. Setting it is the caller's. [any thread] */
bp_rc bp_opencl_shared_open(const struct bp_opencl_library *cl,
                            const struct bp_opencl_device *device, struct bp_opencl_shared **out,
                            bp_err *err);
/* With the last one the context goes. NULL is fine. [any thread] */
void bp_opencl_shared_close(struct bp_opencl_shared *shared);
cl_context bp_opencl_shared_context(const struct bp_opencl_shared *shared);

/* Makes the buffer and fills it; after a failure there is none. */
typedef bp_rc (*bp_opencl_fill_fn)(void *u, cl_mem *out, bp_err *err);

/*
 * The buffer of these contents, which a key of n bytes stands for: an existing one, or one that
 * fill() makes, which *is_new says. Each success is paired with one bp_opencl_shared_put(). Others
 * wait meanwhile. [any thread]
 */
bp_rc bp_opencl_shared_get(struct bp_opencl_shared *shared, const void *key, size_t n,
                           bp_opencl_fill_fn fill, void *u, cl_mem *out, bool *is_new, bp_err *err);
/* True: it was the last use, and the buffer is the caller's to release. */
bool bp_opencl_shared_put(struct bp_opencl_shared *shared, cl_mem buffer);

#endif
