/* SPDX-License-Identifier: MIT */
/* step.h - one primitive or loop of a frame, with its arguments. */
#ifndef BP_DNNL_STEP_H
#define BP_DNNL_STEP_H

#include <bp/sdk.h>
#include <dnnl.h>
#include <stdbool.h>

struct bp_dnnl_builder;
struct bp_dnnl_location;
struct bp_dnnl_tensor;

/*
 * Our own loop over iterations first to end; the operator that adds it defines what an iteration
 * is. x and y may be the same. Threads of the team run disjoint ranges of one loop at a time.
 */
typedef void (*bp_dnnl_loop)(const void *u, const float *x, float *y, size_t first, size_t end);
/* The same over tensors of any types and number: `at` has the step's arguments in their order. */
enum { BP_DNNL_MAX_OPERANDS = 4 };
typedef void (*bp_dnnl_typed_loop)(const void *u, void *const *at, size_t first, size_t end);

struct bp_dnnl_step {
    struct bp_dnnl_step *next;
    dnnl_primitive_t primitive; /* NULL: a loop, */
    bp_dnnl_loop loop;          /* this or */
    bp_dnnl_typed_loop typed;   /* that */
    const void *u;              /* the loop's own, for as long as the frame lives */
    size_t iterations;          /* of the loop, */
    size_t elements;            /* which together touch so many elements */
    bool is_single_thread;      /* the primitive was made for the calling thread alone */
    uint32_t node, n_args;
    dnnl_exec_arg_t *args;
    struct bp_dnnl_location *locations; /* one an argument */
};

/* Appends a step with memory for n arguments, owned by the frame. NULL: there is no memory. */
struct bp_dnnl_step *bp_dnnl_add_step(struct bp_dnnl_builder *b, uint32_t n);
/* Adds the tensor as the step's argument DNNL_ARG_*, which keeps its scratch memory live. */
dnnl_status_t bp_dnnl_add_arg(struct bp_dnnl_builder *b, struct bp_dnnl_step *step, int id,
                              const struct bp_dnnl_tensor *tensor);
/* Destroys what oneDNN made for the frame's steps; their memory goes with the frame. */
void bp_dnnl_steps_free(bp_frame *frame);

/* Adds a loop over x, float32, and y, which has its layout; padding of blocks counts. */
bp_rc bp_dnnl_emit_loop(struct bp_dnnl_builder *b, bp_dnnl_loop loop, const void *u,
                        size_t iterations, const struct bp_dnnl_tensor *x,
                        const struct bp_dnnl_tensor *y, bp_err *err);
/* Adds a loop over `elements` elements of n operands, the last of which it makes. */
bp_rc bp_dnnl_emit_typed(struct bp_dnnl_builder *b, bp_dnnl_typed_loop loop, const void *u,
                         size_t iterations, size_t elements, uint32_t n,
                         const struct bp_dnnl_tensor *const *operands, bp_err *err);

#endif
