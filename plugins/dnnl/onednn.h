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

#include <bp/arena.h>
#include <common/blocks.h>

enum {
    BP_DNNL_MAX_RANK = 6,   /* of a tensor that a primitive reads */
    BP_DNNL_MAX_SPATIAL = 3 /* dimensions of a window */
};

struct bp_instance {
    bp_host host;
    bp_ext_constants constants; /* zeroed: the host has no such extension */
    uint32_t threads;           /* of the team, as the option says; 0: as many as the host has */
    bool may_round;             /* option math_mode: not exact */
    bool uses_bf16;             /* ... and oneDNN computes in bfloat16 */
    bool takes_all;             /* option claim */
    bool tunes;                 /* option autotune */
    char *autotune_folder;      /* option autotune_cache; NULL: none */
};

struct bp_dnnl_op;
struct bp_dnnl_builder;

#define BP_DNNL_QUICK_GELU_ALPHA 1.702f /* com.microsoft.QuickGelu's, where it names none */

/* A convolution or product and what is done behind it, see chain.c. Kept at its last node. */
enum { BP_DNNL_MAX_CHAIN = 4 };
struct bp_dnnl_chain {
    bool is_set;
    dnnl_alg_kind_t activation; /* dnnl_alg_kind_undef: none */
    float alpha;                /* of the activation, if it has one */
    uint32_t head, last;        /* nodes */
    uint32_t other;             /* the value that is added, or BP_NONE */
    uint32_t n_nodes;
    uint32_t nodes[BP_DNNL_MAX_CHAIN]; /* from head to last */
    bp_rc (*build)(struct bp_dnnl_builder *b, const struct bp_dnnl_chain *chain, bp_err *err);
};

struct bp_program {
    struct bp_blocks memory;
    bp_instance *instance;
    const bp_graph *graph;
    const struct bp_dnnl_op **ops;      /* one a node */
    uint32_t *uses;                     /* one a value: reads by nodes, and one for an output */
    struct bp_dnnl_chain *chains;       /* one a node */
    bool *is_fused_away;                /* one a node: it runs with the last of its chain */
    uint32_t *concat_of;                /* one a value: the Concat that it may lie in, or BP_NONE */
    struct bp_dnnl_conv_choice *choice; /* what was measured, the newest first; see tune.c */
};

void bp_dnnl_find_chains(bp_program *program);
/* The node that alone reads the value, behind node `from`; BP_NONE: there is none. */
uint32_t bp_dnnl_only_consumer(const bp_program *program, uint32_t value, uint32_t from);
/* The chain of these nodes, if there are two or more: the others run with the last. */
void bp_dnnl_add_chain(bp_program *program, const struct bp_dnnl_chain *chain);

/*
 * affine.c: x * scale + shift with numbers for each channel, as BatchNormalization, Mul and Add by
 * constants write it, then perhaps Relu. Finds the chain that begins at the node.
 */
void bp_dnnl_find_affine(bp_program *program, uint32_t node);
bp_rc bp_dnnl_build_affine(struct bp_dnnl_builder *b, const struct bp_dnnl_chain *chain,
                           bp_err *err);

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
/* Is input i there, of float32 or float16 and of a rank in low..high? Refuses else. */
bool bp_dnnl_takes_input(const struct bp_dnnl_query *query, uint32_t i, uint32_t low,
                         uint32_t high);
/* Types that an operator takes: a set of 1 << BP_DTYPE_*. float16 is computed as float32. */
#define BP_DNNL_SINGLES (UINT64_C(1) << BP_DTYPE_F32)
#define BP_DNNL_FLOATS (BP_DNNL_SINGLES | UINT64_C(1) << BP_DTYPE_F16)
#define BP_DNNL_BYTES (UINT64_C(1) << BP_DTYPE_U8 | UINT64_C(1) << BP_DTYPE_I8)
#define BP_DNNL_INTEGERS (BP_DNNL_BYTES | UINT64_C(1) << BP_DTYPE_I32)
/* The same with one of those types, for operators that know others. */
bool bp_dnnl_takes_typed(const struct bp_dnnl_query *query, uint32_t i, uint64_t types,
                         uint32_t low, uint32_t high);
/* Are all sizes of a value known? Those of a constant always are. */
bool bp_dnnl_is_sized(const bp_value *value);
/* Elements of a value; those of unknown size count as 1. */
double bp_dnnl_elements(const bp_value *value);
/* First element of a constant float32 or float16; false: it is absent or no such constant. */
bool bp_dnnl_constant_float(const bp_host *host, const bp_graph *graph, const bp_node *node,
                            uint32_t i, float *out);

/* ---- building a frame ------------------------------------------------------------------------ */

/* Where bytes lie. */
enum {
    BP_DNNL_NOWHERE,
    BP_DNNL_SCRATCH, /* in scratch: item `index` of the arena */
    BP_DNNL_INPUT,   /* in the frame's input `index` */
    BP_DNNL_OUTPUT,  /* in the frame's output `index` */
    BP_DNNL_FIXED    /* at `fixed`, for as long as the frame lives */
};

struct bp_dnnl_location {
    uint32_t kind, index;
    size_t offset; /* bytes from its beginning */
    const void *fixed;
};

/* A tensor in one layout. */
struct bp_dnnl_tensor {
    dnnl_memory_desc_t md;
    struct bp_dnnl_location location;
};

/* How convolutions are to be computed with one set of shapes. */
struct bp_dnnl_conv_choice {
    struct bp_dnnl_conv_choice *next;
    uint64_t shapes;   /* a hash of them */
    bool is_blocked;   /* on blocks of channels */
    bool *is_winograd; /* one a node: so, where oneDNN has a kernel; by the chain's last node */
};

struct bp_dnnl_quant_rows; /* quant.h */

struct bp_dnnl_value {
    dnnl_dims_t dims; /* of rank 0: one dimension of 1 */
    int rank;
    bool is_known; /* it has a shape */
    const struct bp_dnnl_quant_rows
        *rows;          /* of a constant, which are dequantised once; NULL: it is not */
    uint32_t n_tensors; /* layouts in which it exists so far */
    struct bp_dnnl_tensor tensors[2];
    uint32_t uses_left;     /* reads by nodes that are not built yet, and one for an output */
    bool has_concat_buffer; /* of a join: parts of it lie in `whole` already */
    struct bp_dnnl_tensor whole;
};

/*
 * A loop of ours over pieces first to end, each as many numbers as whoever adds it says. x and y
 * may be the same. Threads of the team do pieces of one loop at a time.
 */
typedef void (*bp_dnnl_loop)(const void *u, const float *x, float *y, size_t first, size_t end);
/* The same over tensors of any types and number: `at` has the step's arguments in their order. */
enum { BP_DNNL_MAX_OPERANDS = 4 };
typedef void (*bp_dnnl_typed_loop)(const void *u, void *const *at, size_t first, size_t end);

struct bp_dnnl_step {
    struct bp_dnnl_step *next;
    dnnl_primitive_t primitive; /* NULL: a loop of ours, */
    bp_dnnl_loop loop;          /* this or */
    bp_dnnl_typed_loop typed;   /* that */
    const void *u;              /* the loop's own, for as long as the frame lives */
    size_t iterations;          /* of the loop, */
    size_t elements;            /* which together have so many numbers */
    bool is_single_thread;      /* the primitive was made for the calling thread alone */
    uint32_t node, n_args;
    dnnl_exec_arg_t *args;
    struct bp_dnnl_location *locations; /* one an argument */
};

/* A frame in the making. */
struct bp_dnnl_builder {
    bp_frame *frame;
    const bp_host *host;
    const bp_instance *instance;
    const bp_graph *graph;
    struct bp_blocks *memory;     /* of the frame */
    struct bp_dnnl_value *values; /* one a value */
    bp_arena_item *items;
    uint32_t *item_uses; /* one an item: reads of its values that are still to come */
    uint32_t n_items, items_cap;
    uint32_t node, n_steps;
    bool is_single_thread; /* steps are made for the calling thread alone */
    bool is_blocked;       /* convolutions work on blocks of 16 channels, see policy.c */
    const struct bp_dnnl_conv_choice *choice; /* NULL: as policy.c thinks */
};

struct bp_frame {
    struct bp_blocks memory;
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
    const struct bp_dnnl_tensor *tensor;
};

/* What an operator's primitive does behind its own arithmetic. */
enum { BP_DNNL_MAX_POST_OPS = 4 };
struct bp_dnnl_post_op {
    dnnl_alg_kind_t kind; /* an eltwise; dnnl_alg_kind_undef: sum with what lies in the output;
                             dnnl_binary_add: add `other` */
    float alpha, beta;
    const struct bp_dnnl_tensor *other;
};

struct bp_dnnl_attr {
    float scale;         /* of the output, before what follows; 0 reads as 1 */
    const float *scales; /* of integers: n_scales of them, one for all or one for each index of */
    uint32_t n_scales;   /* dimension `axis` of the output; NULL: there are none */
    int axis;
    int32_t x_zero, y_zero; /* what stands for 0 in the source and in the output */
    uint32_t n_post;
    struct bp_dnnl_post_op post[BP_DNNL_MAX_POST_OPS];
};

static inline struct bp_dnnl_value *bp_dnnl_in(const struct bp_dnnl_builder *b, const bp_node *node,
                                               uint32_t i)
{
    return i < node->n_in && node->in[i] != BP_NONE ? &b->values[node->in[i]] : NULL;
}

/* layout.c: descriptions of memory, of float32 where no type is named. */
void bp_dnnl_row_major(int rank, const dnnl_dim_t *dims, dnnl_memory_desc_t *out); /* row-major */
void bp_dnnl_row_major_as(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type,
                          dnnl_memory_desc_t *out);
void bp_dnnl_any_layout(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type,
                        dnnl_memory_desc_t *out);
/* Channels last: nwc, nhwc, ndhwc; of rank 3 to 5. */
void bp_dnnl_channels_last(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type,
                           dnnl_memory_desc_t *out);
/* Are elements dense in memory, in whatever order of dimensions, none of them in blocks? */
bool bp_dnnl_is_dense(const dnnl_memory_desc_t *md);
/* Channels in blocks of 16, areas within: nChw16c; float32 of rank 4. */
void bp_dnnl_channel_blocks(int rank, const dnnl_dim_t *dims, dnnl_memory_desc_t *out);
/* Is the memory row-major, whatever the strides of dimensions of size 1? */
bool bp_dnnl_is_row_major(const dnnl_memory_desc_t *md);
/* Other dims in the layout of `like`, which has as many: the same order, blocks and type. */
void bp_dnnl_layout_like(const dnnl_memory_desc_t *like, const dnnl_dim_t *dims,
                         dnnl_memory_desc_t *out);
/* Without the dimension `at`, which has size 1. */
void bp_dnnl_drop_dim(const dnnl_memory_desc_t *md, int at, dnnl_memory_desc_t *out);
bool bp_dnnl_same_layout(const dnnl_memory_desc_t *a, const dnnl_memory_desc_t *b);
/* Bytes of a number. */
size_t bp_dnnl_type_bytes(dnnl_data_type_t type);
/*
 * How a tensor of rank 3 and more lies as areas, one behind the other: each is row-major over the
 * dimensions from the third on, and each of its elements has `unit` numbers of channels next to
 * each other: one, a block of them, padding included, or all.
 */
struct bp_dnnl_planes {
    size_t count, inner_channels;
};
/* False: it lies in none of these ways. */
bool bp_dnnl_as_planes(const dnnl_memory_desc_t *md, struct bp_dnnl_planes *out);

/* build.c */
/* In what convolutions and products compute; bfloat16 is worth a try, oneDNN may have no kernel. */
dnnl_data_type_t bp_dnnl_compute_type(const struct bp_dnnl_builder *b);
/* In what a product of operands of `type` makes the value: what leaves the group is float32. */
dnnl_data_type_t bp_dnnl_result_type(const struct bp_dnnl_builder *b, uint32_t value,
                                     dnnl_data_type_t type);
/* Is it the same in every run? */
bool bp_dnnl_is_constant(const struct bp_dnnl_builder *b, uint32_t value);
/* In what the host has the value; dnnl_data_type_undef: one that no operator here computes with. */
dnnl_data_type_t bp_dnnl_host_type(const bp_graph *graph, uint32_t value);
/* The same within a group, where float16 is float32. */
dnnl_data_type_t bp_dnnl_inner_type(const bp_graph *graph, uint32_t value);
/* In what the value lies now; before it lies anywhere, and a constant: its inner type. */
dnnl_data_type_t bp_dnnl_current_type(const struct bp_dnnl_builder *b, uint32_t value);
/* The value in the layout `want`, NULL: in the one that it has; a reorder is added if need be. */
bp_rc bp_dnnl_tensor_of(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *want,
                        struct bp_dnnl_tensor *out, bp_err *err);
/*
 * Weights: the value's row-major elements, seen as `seen` whatever its type, in the layout `want`.
 * Constants are reordered once a process and shared.
 */
bp_rc bp_dnnl_weights(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *stored,
                      const dnnl_memory_desc_t *want, struct bp_dnnl_tensor *out, bp_err *err);
/*
 * The value in a layout of areas: in its own if that is one, else row-major. F32: as float32, else
 * in its own type; WHOLE: without channels that pad a block.
 */
enum { BP_DNNL_PLANES_F32 = 1, BP_DNNL_PLANES_UNPADDED = 2 };
bp_rc bp_dnnl_tensor_as_planes(struct bp_dnnl_builder *b, uint32_t value, unsigned flags,
                               struct bp_dnnl_tensor *out, struct bp_dnnl_planes *planes,
                               bp_err *err);
/* Memory of the scratch for a value that is made in this layout, or the frame's output. */
bp_rc bp_dnnl_make_output(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *md,
                          struct bp_dnnl_tensor *out, bp_err *err);
/* The same on the memory of `on`, a form of value `from`, if nobody reads that any more. */
bp_rc bp_dnnl_make_in_place(struct bp_dnnl_builder *b, uint32_t value, uint32_t from,
                            const struct bp_dnnl_tensor *on, struct bp_dnnl_tensor *out,
                            bp_err *err);
/* May the current node overwrite this form of one of its inputs? */
bool bp_dnnl_may_overwrite(const struct bp_dnnl_builder *b, const struct bp_dnnl_tensor *tensor);
/* The value is those bytes, seen as md. */
void bp_dnnl_view(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *md,
                  struct bp_dnnl_location location);
/* Steps from here on are for the calling thread alone, or for the whole team again. */
void bp_dnnl_use_one_thread(struct bp_dnnl_builder *b, bool is_single_thread);
/* Memory for the steps that take it as an argument; a view of it counts who reads it later. */
bp_rc bp_dnnl_temporary(struct bp_dnnl_builder *b, const dnnl_memory_desc_t *md,
                        struct bp_dnnl_tensor *out, bp_err *err);

/* Is that where the bytes of the other lie? */
static inline bool bp_dnnl_same_location(const struct bp_dnnl_location *a,
                                         const struct bp_dnnl_location *b)
{
    return a->kind == b->kind && a->index == b->index && a->offset == b->offset;
}

/*
 * join.c: what is joined along channels, of a batch of 1 and in blocks of them, lies next to each
 * other: whoever makes it writes it where the Concat wants it, which then has nothing to do.
 */
void bp_dnnl_find_concats(bp_program *program);
/* The value's place in its join, if it has one in this layout; *is_one says so. */
bp_rc bp_dnnl_concat_slot(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *md,
                          struct bp_dnnl_tensor *out, bool *is_set, bp_err *err);
/* Is the Concat done, as all it joins lies there already? Adds reorders for what does not. */
bp_rc bp_dnnl_concat_in_place(struct bp_dnnl_builder *b, const bp_node *node, bool *is_done,
                              bp_err *err);

/*
 * tune.c: the ways in which the program ran fastest with these shapes, measured now unless it was
 * before; *out is NULL if there is no choice. The team is entered.
 */
bp_rc bp_dnnl_autotune(bp_program *program, const bp_frame_desc *desc,
                       const struct bp_dnnl_conv_choice **out, bp_err *err);
/* half.c */
/* n numbers of float16 at any address. */
void bp_dnnl_float16_to_float(const void *from, float *to, size_t n);
/* The value, which is float16 at that place of the host's, lies in float32 from here on. */
bp_rc bp_dnnl_input_from_float16(struct bp_dnnl_builder *b, uint32_t value,
                                 struct bp_dnnl_location location, bp_err *err);
/* Rounds the value into that place of the host's. */
bp_rc bp_dnnl_output_to_float16(struct bp_dnnl_builder *b, uint32_t value,
                                struct bp_dnnl_location location, bp_err *err);

/* frame.c: a frame that works in those ways, NULL: as policy.c thinks. The team is entered. */
bp_rc bp_dnnl_frame_build(bp_program *program, const bp_frame_desc *desc,
                          const struct bp_dnnl_conv_choice *choice, bp_frame_needs *needs,
                          bp_frame **out, bp_err *err);

/* run.c */
/* Tells all steps where the frame's buffers are. */
void bp_dnnl_bind(bp_frame *frame, uint32_t io_epoch);
dnnl_status_t bp_dnnl_run_step(const bp_frame *frame, const struct bp_dnnl_step *step);

/* policy.c */
/* Can convolutions work on blocks of channels at all? */
bool bp_dnnl_has_blocks(const bp_instance *instance);
/* Are blocks of channels the better layout for all of the graph? */
bool bp_dnnl_prefers_blocks(const struct bp_dnnl_builder *b);
/* Is Winograd's way faster than the direct one, by what was measured? */
bool bp_dnnl_prefers_winograd(const bp_node *node, const bp_graph *graph,
                              const struct bp_dnnl_value *w, const struct bp_dnnl_value *y);

/*
 * Threads for a frame of these shapes, of at most `width`: 1 where no node is worth a team. Where the
 * processors are busy, each meeting of a team waits until the kernel lets its last thread run.
 */
uint32_t bp_dnnl_thread_count(const bp_graph *graph, const bp_frame_desc *desc, uint32_t width);

/* primitive.c */
/* A primitive's description from oneDNN's own; *out is to be given to bp_dnnl_emit(). */
bp_rc bp_dnnl_describe(struct bp_dnnl_builder *b, const void *desc, const struct bp_dnnl_attr *attr,
                       dnnl_primitive_desc_t *out, bp_err *err);
/* Attributes of this instance for the few primitives without a desc; the caller destroys them. */
bp_rc bp_dnnl_attributes(struct bp_dnnl_builder *b, const struct bp_dnnl_attr *attr,
                         dnnl_primitive_attr_t *out, bp_err *err);
const dnnl_memory_desc_t *bp_dnnl_query(const_dnnl_primitive_desc_t pd, dnnl_query_t what);
/* Adds the primitive to the frame's steps. pd is destroyed, whatever comes of it. */
bp_rc bp_dnnl_emit(struct bp_dnnl_builder *b, dnnl_primitive_desc_t pd, uint32_t n_args,
                   const struct bp_dnnl_arg *args, bp_err *err);
/*
 * The same from oneDNN's own description, whose init answered `status`. Makes *y too, the node's
 * first output, which args name: over args[0], a form of value `over`, where bp_dnnl_make_in_place() may;
 * BP_NONE: anew, in the layout that oneDNN wants.
 */
bp_rc bp_dnnl_emit_desc(struct bp_dnnl_builder *b, dnnl_status_t status, const void *desc,
                        uint32_t over, struct bp_dnnl_tensor *y, uint32_t n_args,
                        const struct bp_dnnl_arg *args, bp_err *err);
/* Adds a loop of ours over all numbers of x, float32, and y, which has its layout. */
bp_rc bp_dnnl_emit_loop(struct bp_dnnl_builder *b, bp_dnnl_loop loop, const void *u,
                        size_t iterations, const struct bp_dnnl_tensor *x,
                        const struct bp_dnnl_tensor *y, bp_err *err);
/* Adds a loop of ours over `numbers` numbers of n operands, the last of which it makes. */
bp_rc bp_dnnl_emit_typed(struct bp_dnnl_builder *b, bp_dnnl_typed_loop loop, const void *u,
                         size_t iterations, size_t elements, uint32_t n,
                         const struct bp_dnnl_tensor *const *operands, bp_err *err);
/* Runs a step that is a loop, on the team if that is worth it; `at` has its arguments. */
void bp_dnnl_run_loop(const struct bp_dnnl_step *step, uint32_t threads, void *const *at);
bp_rc bp_dnnl_reorder(struct bp_dnnl_builder *b, const struct bp_dnnl_tensor *from,
                      const struct bp_dnnl_tensor *to, bp_err *err);
void bp_dnnl_steps_free(bp_frame *frame);

/* weights.c */
/* Constant bytes, seen as `seen`, in the layout `want`; they stay until the frame is freed. */
bp_rc bp_dnnl_constant(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *stored,
                       const dnnl_memory_desc_t *want, const void **out, bp_err *err);
/*
 * Has a constant's elements lie as the description `seen` says: fills all of `out` from `in`, which
 * may be at any address. The name says what is done with them, so that copies are told apart.
 */
struct bp_dnnl_rearrangement {
    const char *name;
    size_t from_bytes; /* that the constant has */
    void (*fill)(const struct bp_dnnl_rearrangement *how, const char *in, float *out);
    const void *u; /* what fill() knows besides, */
    uint64_t hash; /* of that, if copies differ by it */
};
/* The same for a constant that is arranged first; how NULL: as it lies. */
bp_rc bp_dnnl_rearranged_constant(struct bp_dnnl_builder *b, uint32_t value,
                                  const struct bp_dnnl_rearrangement *how,
                                  const dnnl_memory_desc_t *stored, const dnnl_memory_desc_t *want,
                                  const void **out, bp_err *err);
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
    bp_rc (*build)(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                   bp_err *err);
    /* The same with what stands behind it; for those that chain.c knows. */
    bp_rc (*build_chain)(struct bp_dnnl_builder *b, const struct bp_dnnl_chain *chain, bp_err *err);
    dnnl_alg_kind_t kind; /* for families */
    uint32_t n_out;       /* outputs it makes, each only if wanted, even if it has no elements; 0:
                             one, which has to be wanted and has some when build() is called */
    bool is_fused;        /* by a pass that asked this provider: taken whatever its size */
    bool is_made;         /* by a pass too, but begins no group */
};

const struct bp_dnnl_op *bp_dnnl_find_operator(const bp_node *node, uint32_t *known_to);

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
