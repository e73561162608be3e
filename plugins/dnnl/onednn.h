/* SPDX-License-Identifier: MIT */
/*
 * onednn.h - what the files of the dnnl provider share: how an operator is described, claimed, and
 * turned into calls of oneDNN for a set of shapes.
 *
 *   capability: op->claim(...)  says yes, or why not
 *   compile:    rows are looked up, uses of values counted
 *   frame:      op->build(...)  once a set of shapes: layouts are chosen, primitives made
 *   execute:    the primitives, one after the other
 */
#ifndef BP_DNNL_ONEDNN_H
#define BP_DNNL_ONEDNN_H

#include "library.h"
#include "memory.h"

#include <bp/arena.h>

enum {
    BP_DNNL_MAX_RANK = 6,    /* of a tensor that a primitive reads */
    BP_DNNL_MOST_SPATIAL = 3 /* dimensions of a window */
};

struct bp_instance {
    bp_host host;
    uint32_t threads; /* of the team, as the option says; 0: as many as the host has */
    bool may_round;   /* option math_mode: not exact */
    bool uses_bf16;   /* ... and oneDNN computes in bfloat16 */
    bool takes_all;   /* option claim */
};

struct bp_dnnl_op;

/* A convolution or product and what is done behind it, see chain.c. Kept at its last node. */
struct bp_dnnl_chain {
    bool is_one;
    dnnl_alg_kind_t activation; /* dnnl_alg_kind_undef: none */
    uint32_t head, sum, last;   /* nodes; sum may be BP_NONE */
    uint32_t other;             /* the value that is added, or BP_NONE */
};

struct bp_program {
    struct bp_dnnl_memory memory;
    bp_instance *instance;
    const bp_graph *graph;
    const struct bp_dnnl_op **ops; /* one a node */
    uint32_t *uses;                /* one a value: reads by nodes, and one for an output */
    struct bp_dnnl_chain *chains;  /* one a node */
    bool *is_absorbed;             /* one a node: it runs with the last of its chain */
};

void bp_dnnl_find_chains(bp_program *program);

/* ---- claims ---------------------------------------------------------------------------------- */

/* A node at capability time. */
struct bp_dnnl_query {
    const bp_instance *instance;
    const bp_graph *graph;
    const bp_node *node;
    const bp_claims *claims;
    uint32_t index; /* of the node */
};

/* Refuses with a formatted sentence and is false; subject may be NULL. */
bool bp_dnnl_refuse(const struct bp_dnnl_query *query, uint32_t reason, const char *subject,
                    const char *fmt, ...) BP_PRINTF(4, 5);
/* Is input i there, of float32 and of a rank in low..high? Refuses else. */
bool bp_dnnl_takes_input(const struct bp_dnnl_query *query, uint32_t i, uint32_t low,
                         uint32_t high);
/* Are all sizes of a value known? Those of a constant always are. */
bool bp_dnnl_is_sized(const bp_value *value);
/* Elements of a value; those of unknown size count as 1. */
double bp_dnnl_elements(const bp_value *value);
/* First element of a constant float input; false: it is absent or no such constant. */
bool bp_dnnl_constant_float(const bp_host *host, const bp_graph *graph, const bp_node *node,
                            uint32_t i, float *out);

/* ---- building a frame ------------------------------------------------------------------------ */

/* Where bytes lie. */
enum {
    BP_DNNL_NOWHERE,
    BP_DNNL_ITEM,   /* in scratch: item `index` of the arena */
    BP_DNNL_INPUT,  /* in the frame's input `index` */
    BP_DNNL_OUTPUT, /* in the frame's output `index` */
    BP_DNNL_FIXED   /* at `fixed`, for as long as the frame lives */
};

struct bp_dnnl_place {
    uint32_t kind, index;
    const void *fixed;
};

/* A tensor in one layout. */
struct bp_dnnl_form {
    dnnl_memory_desc_t md;
    struct bp_dnnl_place place;
};

struct bp_dnnl_value {
    dnnl_dims_t dims; /* of rank 0: one dimension of 1 */
    int rank;
    bool is_known;    /* it has a shape */
    uint32_t n_forms; /* layouts in which it exists so far */
    struct bp_dnnl_form forms[2];
    uint32_t uses_left; /* reads by nodes that are not built yet, and one for an output */
};

struct bp_dnnl_step {
    struct bp_dnnl_step *next;
    dnnl_primitive_t primitive; /* NULL: a loop of ours */
    void (*loop)(const float *x, float *y, size_t n);
    size_t n; /* numbers for the loop, which has two arguments: x and y, perhaps the same */
    uint32_t node, n_args;
    dnnl_exec_arg_t *args;
    struct bp_dnnl_place *places; /* one an argument */
};

/* A frame in the making. */
struct bp_dnnl_build {
    bp_frame *frame;
    const bp_host *host;
    bp_instance *instance;
    const bp_graph *graph;
    struct bp_dnnl_memory *memory; /* of the frame */
    struct bp_dnnl_value *values;  /* one a value */
    bp_arena_item *items;
    uint32_t *item_uses; /* one an item: reads of its values that are still to come */
    uint32_t n_items, items_cap;
    uint32_t node, n_steps;
};

struct bp_frame {
    struct bp_dnnl_memory memory;
    bp_program *program;
    const bp_frame_desc *desc;
    dnnl_stream_t stream;
    struct bp_dnnl_step *steps, **end;
    struct bp_dnnl_weight *weights; /* taken from the host's service */
    bp_arena_item *items;
    uint32_t items_cap;
    uint32_t threads;
    void *scratch;
    uint32_t io_epoch;
    bool is_bound;
};

/* An argument of a primitive. */
struct bp_dnnl_arg {
    int id; /* DNNL_ARG_* */
    const struct bp_dnnl_form *form;
};

/* What an operator's primitive does behind its own arithmetic. */
enum { BP_DNNL_MOST_POST = 4 };
struct bp_dnnl_post {
    dnnl_alg_kind_t kind; /* an eltwise; dnnl_alg_kind_undef: sum with what lies in the output;
                             dnnl_binary_add: add `other` */
    float alpha, beta;
    const struct bp_dnnl_form *other;
};

struct bp_dnnl_attr {
    float scale; /* of the output, before what follows; 0 reads as 1 */
    uint32_t n_post;
    struct bp_dnnl_post post[BP_DNNL_MOST_POST];
};

static inline struct bp_dnnl_value *bp_dnnl_in(const struct bp_dnnl_build *b, const bp_node *node,
                                               uint32_t i)
{
    return i < node->n_in && node->in[i] != BP_NONE ? &b->values[node->in[i]] : NULL;
}

/* layout.c: descriptions of memory, of float32 where no type is named. */
void bp_dnnl_plain(int rank, const dnnl_dim_t *dims, dnnl_memory_desc_t *out); /* row-major */
void bp_dnnl_plain_as(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type,
                      dnnl_memory_desc_t *out);
void bp_dnnl_any_as(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type,
                    dnnl_memory_desc_t *out);
/* Is the memory row-major, whatever the strides of dimensions of size 1? */
bool bp_dnnl_is_plain(const dnnl_memory_desc_t *md);
/* Other dims in the layout of `like`, which has as many: the same order, blocks and type. */
void bp_dnnl_like(const dnnl_memory_desc_t *like, const dnnl_dim_t *dims, dnnl_memory_desc_t *out);
bool bp_dnnl_same(const dnnl_memory_desc_t *a, const dnnl_memory_desc_t *b);

/* build.c */
/* In what convolutions and products compute; bfloat16 is worth a try, oneDNN may have no kernel. */
dnnl_data_type_t bp_dnnl_heavy_type(const struct bp_dnnl_build *b);
/* In what a product of operands of `type` makes the value: what leaves the group is float32. */
dnnl_data_type_t bp_dnnl_result_type(const struct bp_dnnl_build *b, uint32_t value,
                                     dnnl_data_type_t type);
/* In what the value lies now; a constant: float32. */
dnnl_data_type_t bp_dnnl_type_of(const struct bp_dnnl_build *b, uint32_t value);
/* The value in the layout `want`, NULL: in the one that it has; a reorder is added if need be. */
bp_rc bp_dnnl_form_of(struct bp_dnnl_build *b, uint32_t value, const dnnl_memory_desc_t *want,
                      struct bp_dnnl_form *out, bp_err *err);
/*
 * Weights: the value's row-major elements, seen as `seen` whatever its type, in the layout `want`.
 * Constants are reordered once a process and shared.
 */
bp_rc bp_dnnl_weights(struct bp_dnnl_build *b, uint32_t value, const dnnl_memory_desc_t *seen,
                      const dnnl_memory_desc_t *want, struct bp_dnnl_form *out, bp_err *err);
/* Memory of the scratch for a value that is made in this layout, or the frame's output. */
bp_rc bp_dnnl_make(struct bp_dnnl_build *b, uint32_t value, const dnnl_memory_desc_t *md,
                   struct bp_dnnl_form *out, bp_err *err);
/* The same on the memory of `on`, a form of value `from`, if nobody reads that any more. */
bp_rc bp_dnnl_make_on(struct bp_dnnl_build *b, uint32_t value, uint32_t from,
                      const struct bp_dnnl_form *on, struct bp_dnnl_form *out, bp_err *err);
/* May the current node overwrite this form of one of its inputs? */
bool bp_dnnl_may_overwrite(const struct bp_dnnl_build *b, const struct bp_dnnl_form *form);
/* The value is those bytes, seen as md. */
void bp_dnnl_view(struct bp_dnnl_build *b, uint32_t value, const dnnl_memory_desc_t *md,
                  struct bp_dnnl_place place);
/* Memory that is needed from the last step to the next. */
bp_rc bp_dnnl_temporary(struct bp_dnnl_build *b, const dnnl_memory_desc_t *md,
                        struct bp_dnnl_form *out, bp_err *err);

/* primitive.c */
/* A primitive's description from oneDNN's own; *out is to be given to bp_dnnl_emit(). */
bp_rc bp_dnnl_describe(struct bp_dnnl_build *b, const void *desc, const struct bp_dnnl_attr *attr,
                       dnnl_primitive_desc_t *out, bp_err *err);
/* Attributes of this instance for the few primitives without a desc; the caller destroys them. */
bp_rc bp_dnnl_attributes(struct bp_dnnl_build *b, const struct bp_dnnl_attr *attr,
                         dnnl_primitive_attr_t *out, bp_err *err);
const dnnl_memory_desc_t *bp_dnnl_query(const_dnnl_primitive_desc_t pd, dnnl_query_t what);
/* Adds the primitive to the frame's steps. pd is destroyed, whatever comes of it. */
bp_rc bp_dnnl_emit(struct bp_dnnl_build *b, dnnl_primitive_desc_t pd, uint32_t n_args,
                   const struct bp_dnnl_arg *args, bp_err *err);
/* Adds a loop of ours over all numbers of x, float32, and y, which has its layout. */
bp_rc bp_dnnl_emit_loop(struct bp_dnnl_build *b, void (*loop)(const float *x, float *y, size_t n),
                        const struct bp_dnnl_form *x, const struct bp_dnnl_form *y, bp_err *err);
bp_rc bp_dnnl_reorder(struct bp_dnnl_build *b, const struct bp_dnnl_form *from,
                      const struct bp_dnnl_form *to, bp_err *err);
void bp_dnnl_steps_free(bp_frame *frame);

/* weights.c */
/* Constant bytes, seen as `seen`, in the layout `want`; they stay until the frame is freed. */
bp_rc bp_dnnl_constant(struct bp_dnnl_build *b, uint32_t value, const dnnl_memory_desc_t *seen,
                       const dnnl_memory_desc_t *want, const void **out, bp_err *err);
void bp_dnnl_weights_put(bp_frame *frame);

/* ---- operators ------------------------------------------------------------------------------- */

/* An operator, or a span of its versions. Rows live in ops/ and are listed in ops/list.h. */
struct bp_dnnl_op {
    const char *name;   /* "Relu" */
    const char *domain; /* "" is ai.onnx */
    uint32_t since;     /* first operator version that this row runs */
    uint32_t until;     /* last one */
    /* Returns true to take the node, or refuses it; *flops: of one run, for heavy ones. */
    bool (*claim)(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops);
    bp_rc (*build)(struct bp_dnnl_build *b, const struct bp_dnnl_op *op, const bp_node *node,
                   bp_err *err);
    /* The same with what stands behind it; for those that chain.c knows. */
    bp_rc (*build_chain)(struct bp_dnnl_build *b, const struct bp_dnnl_chain *chain, bp_err *err);
    dnnl_alg_kind_t kind; /* for families */
    bool is_fused;        /* by a pass that asked this provider: taken whatever its size */
    bool is_made;         /* by a pass too, but begins no group */
};

const struct bp_dnnl_op *bp_dnnl_find_op(const bp_node *node, uint32_t *known_to);

/* provider.c's slots */
bp_rc bp_dnnl_capability(bp_instance *instance, const bp_graph *graph, const bp_claims *claims,
                         bp_err *err);
bp_rc bp_dnnl_compile(bp_instance *instance, const bp_graph *graph, uint32_t flags,
                      bp_program **out, bp_err *err);
void bp_dnnl_program_free(bp_program *program);
bp_rc bp_dnnl_frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                           bp_frame **out, bp_err *err);
void bp_dnnl_frame_free(bp_frame *frame);
bp_rc bp_dnnl_execute(bp_frame *frame, const bp_run *run, bp_err *err);

#endif
