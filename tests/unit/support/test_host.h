/* SPDX-License-Identifier: MIT */
/*
 * test_host.h - a host in one file for tests of a provider: it builds a small graph from names and
 * texts, hands it to the provider through the ABI alone, and runs it.
 *
 *     struct th *t = th_new(bp_provider_entry_v1);
 *
 *     th_input(t, "x", BP_DTYPE_F32, "2,3", x);
 *     th_output(t, "y", BP_DTYPE_F32, "3,2");
 *     th_node(t, "Transpose", 13, "x", "y");
 *     th_ints(t, "perm", 2, (int64_t[]){1, 0});
 *     if (th_run(t) < 0)
 *         puts(th_message(t));
 *     y = th_data(t, "y");
 *     th_free(t);
 *
 * It is strict where a real host may be: constants lie at odd addresses, the base of an empty
 * tensor is NULL, scratch is dirty at each execute, parallel_for goes backwards, and an allocation
 * during execute ends the program. Misuse of these functions ends the program too.
 */
#ifndef BP_TESTS_TEST_HOST_H
#define BP_TESTS_TEST_HOST_H

#include <bp/abi.h>
#include <bp/sdk.h>

struct th; /* a host, a graph in the making, and one program and frame of it */

/* Opens the first provider of a module. Never NULL. */
struct th *th_new(bp_entry_fn entry);
/* Frees everything, the provider's things first, and checks that it gave all memory back. */
void th_free(struct th *t);
/* Before the first run: an option other than its default ("blas", "false"). */
void th_option(struct th *t, const char *key, const char *text);
/* Threads that the host claims to have; 4 at first. Everything runs on the caller's. */
void th_threads(struct th *t, uint32_t width);
/* From now on sizes of values that are not constant are unknown until there is a frame. */
void th_dynamic(struct th *t);
/* Allocation number n from now (1 is the next) fails; 0: none does. */
void th_fail_alloc(struct th *t, uint32_t n);
/* Frees p, which malloc gave, in th_free(); returns it. */
void *th_keep(struct th *t, void *p);
/* From now on the provider may allocate in execute: for strings and sizes that come with data. */
void th_allow_alloc(struct th *t);
/* Allocations since th_fail_alloc(), or since the start. */
uint32_t th_allocs(const struct th *t);

/* ---- the graph ------------------------------------------------------------------------------- */

/*
 * Dimensions are a text, "2,3,4", "" for rank 0. Data is copied; inputs and outputs come in the
 * order made.
 */
void th_input(struct th *t, const char *name, uint32_t dtype, const char *dims, const void *data);
void th_const(struct th *t, const char *name, uint32_t dtype, const char *dims, const void *data);
/* From now on the host hands out only so many bytes of a constant, as a broken model would. */
void th_lie(struct th *t, const char *name, size_t bytes);
/* A value between nodes. */
void th_value(struct th *t, const char *name, uint32_t dtype, const char *dims);
/* dims NULL: known only once it is made. */
void th_output(struct th *t, const char *name, uint32_t dtype, const char *dims);

/* A node; `in` and `out` are names with blanks between, "-" for an absent one. */
void th_node(struct th *t, const char *op, uint32_t since, const char *in, const char *out);
/* Of the last node: its domain, at first "", and attributes. */
void th_domain(struct th *t, const char *domain);
void th_int(struct th *t, const char *name, int64_t value);
void th_ints(struct th *t, const char *name, uint32_t n, const int64_t *values);
void th_float(struct th *t, const char *name, float value);
void th_floats(struct th *t, const char *name, uint32_t n, const float *values);
void th_string(struct th *t, const char *name, const char *value);
void th_strings(struct th *t, const char *name, uint32_t n, const char *const *values);
void th_tensor(struct th *t, const char *name, uint32_t dtype, const char *dims, const void *data);

/* ---- running --------------------------------------------------------------------------------- */

/* Asks the provider for all nodes. BP_E_UNSUPPORTED: it refused one, see th_reason(). */
bp_rc th_claim(struct th *t);
/* The last refusal: BP_R_*; its text is th_message(). */
uint32_t th_reason(const struct th *t);
/* The last answer of th_claim(): BP_YES and its like. */
uint32_t th_verdict(const struct th *t);
/* Claims, compiles, makes a frame and executes; what is there already is kept. */
bp_rc th_run(struct th *t);
/* As far as a frame, without executing. */
bp_rc th_frame(struct th *t);
/* New contents of an input, at a new place in memory; `data` has the size of its shape. */
void th_feed(struct th *t, const char *name, const void *data);
/* New dimensions of a value; the next run makes a new frame. An input must be fed after it. */
void th_shape(struct th *t, const char *name, const char *dims);
/* Moves all buffers, as a host does that binds others. */
void th_move(struct th *t);
/* What runs are given besides: cancel and deadline, and a place for events. Any may be 0. */
void th_limits(struct th *t, const volatile uint32_t *cancel, int64_t deadline_ns, bp_prof *prof);

/* Of an output or input after a run. NULL for no bytes. */
const void *th_data(const struct th *t, const char *name);
size_t th_count(const struct th *t, const char *name);
/* "2,3,4"; valid until the next call. */
const char *th_dims(struct th *t, const char *name);
/* Words of the last error or refusal; "" for none. */
const char *th_message(const struct th *t);
/* What the provider logged last, at whatever level; "" for nothing. */
const char *th_logged(const struct th *t);
/* How often the provider said that it is done with a constant's bytes. */
uint32_t th_done(const struct th *t);
/* Bytes of scratch that the frame asked for. */
size_t th_scratch_bytes(const struct th *t);

#endif
