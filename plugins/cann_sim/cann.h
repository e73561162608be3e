/* SPDX-License-Identifier: MIT */
/*
 * cann.h - what the files of the CANN provider share: how an operator is described, claimed, and
 * turned into calls of ACL for a set of shapes.
 *
 *   capability: op->claim(...)  accepts a node, or refuses it with a reason
 *   compile:    constants go to the device; what has known shapes is compiled
 *   frame:      op->build(...)  once for each set of shapes: descriptions, attributes, buffers
 *   execute:    the calls, one after the other, into a stream
 *
 * Functions without a word about threads may be called by any thread, for one program or frame by
 * one at a time, as the host does.
 */
#ifndef BP_CANN_CANN_H
#define BP_CANN_CANN_H

#include "arena.h"

#include <bp/arena.h>
#include <bp/estimate.h>
#include <stdatomic.h>

/* Limits of the provider. ACL takes more dimensions in a description, its operators do not. */
enum {
    BP_CANN_MAX_RANK = 8,
    BP_CANN_MAX_INPUTS = 5,
    BP_CANN_MAX_OUTPUTS = 5,
    BP_CANN_MAX_ITEMS = 8 /* places in scratch that one node may ask for, its output included */
};

/* Profiles: whose table of operators is followed. */
enum {
    BP_CANN_DOCUMENTED = 0, /* sixteen, under the conditions that the vendor's pages name */
    BP_CANN_KERNELS = 1,    /* those that the code of later releases registers, as it does */
    BP_CANN_GRAPH = 2       /* what its graph mode takes, which checks no types, and ACL has here */
};

/*
 * What the host makes for a session: an opened device, its arena, and the settings. Read-only once
 * it is made, but for the arena, which has a lock, and n_groups.
 */
struct bp_instance {
    bp_host host;
    struct bp_cann_driver *driver;
    struct bp_cann_arena arena;
    aclrtContext context;
    int32_t device;
    uint32_t profile;
    bool copies_apart; /* not do_copy_in_default_stream */
    bool uses_graphs;  /* enable_cann_graph, with a driver that builds models */
    bool dumps_graphs, dumps_models;
    char settings[BP_CANN_SETTINGS][BP_CANN_SETTING_SIZE]; /* of the compiler, in force */
    atomic_uint n_groups;                                  /* that were named, in graph mode */
    _Atomic uint64_t weight_bytes; /* device memory of programs' constants and models */
};

/*
 * Puts the calling thread into the device's context, which ACL wants of every thread before any
 * other call. Fails as ACL does.
 */
bp_rc bp_cann_enter(const bp_instance *instance, bp_err *err);

/* ---- host memory (host.c) -------------------------------------------------------------------- */

/* Zeroed host memory for an array, of the host's allocator; NULL without memory or for 0 rows. */
void *bp_cann_calloc(const bp_instance *instance, size_t count, size_t size);
/* With the count and size that it was got with; `memory` may be NULL. */
void bp_cann_free(const bp_instance *instance, void *memory, size_t count, size_t size);

/* ---- options (options.c) --------------------------------------------------------------------- */

/* Options as the user gave them; strings are the caller's. */
struct bp_cann_options {
    const char *driver;
    int32_t device_id;
    uint64_t mem_limit;
    uint32_t strategy, profile;
    bool copies_apart, wants_graph, dumps_graphs, dumps_models;
    const char *settings[BP_CANN_SETTINGS]; /* "" is unset */
};

enum { BP_CANN_N_OPTIONS = 14 };
extern const bp_option bp_cann_option_rows[BP_CANN_N_OPTIONS];

/*
 * Reads the options and checks what the table of rows cannot. Strings in *out are those of `opts`.
 * BP_E_OPTION
 */
bp_rc bp_cann_read_options(const bp_opt *opts, uint32_t n_opts, struct bp_cann_options *out,
                           bp_err *err);

/* ---- memory and streams (device.c) ----------------------------------------------------------- */

/* Memory, copies, streams and events for the host: see bp/abi.h. */
extern const bp_device_ops bp_cann_device_ops;

/*
 * The ACL stream into which kernels of a stream of the host's go; NULL, the default one, for NULL.
 */
aclrtStream bp_cann_kernel_stream(void *stream);
/* Copies host bytes to the device, and returns when that is done. As ACL fails. */
bp_rc bp_cann_upload(const bp_instance *instance, void *to, const void *from, size_t bytes,
                     bp_err *err);

/* ---- claims (claim.c) ------------------------------------------------------------------------ */

#define BP_CANN_TYPE(dtype) (UINT32_C(1) << (dtype))

/* A node that is asked about, at capability time. */
struct bp_cann_query {
    const bp_instance *instance;
    const bp_graph *graph;
    const bp_node *node;
    const bp_claims *claims;
    uint32_t index; /* of the node */
};

/*
 * Refuses the node with a reason BP_R_... and a formatted sentence, and is false. `subject`: the
 * input or attribute that the reason is about; may be NULL.
 */
bool bp_cann_refuse(const struct bp_cann_query *query, uint32_t reason, const char *subject,
                    const char *fmt, ...) BP_PRINTF(4, 5);
/*
 * Is input i there, of one of these types, of a rank that ACL takes, and not empty? This and the
 * next ones refuse the node where the answer is no, and are false.
 */
bool bp_cann_takes(const struct bp_cann_query *query, uint32_t i, uint32_t types);
/* Is the rank known and taken by ACL, and is no dimension 0? */
bool bp_cann_takes_shape(const struct bp_cann_query *query, const bp_value *value);
/* Is input i, if it is there, a constant? `what` is its name in the sentence: "weight". */
bool bp_cann_is_constant(const struct bp_cann_query *query, uint32_t i, const char *what);
/* Have inputs i and j, if both are there, one element type? */
bool bp_cann_same_type(const struct bp_cann_query *query, uint32_t i, uint32_t j);
/* Are the integers of a list all `want`, or is the attribute not there? */
bool bp_cann_all(const struct bp_cann_query *query, const char *name, int64_t want);
/*
 * Are pads, strides and kernel_shape as ACL takes them? With below_kernel pads have to be smaller
 * than the window. Input 0 has a known rank of 2 at least.
 */
bool bp_cann_takes_window(const struct bp_cann_query *query, bool below_kernel);

/* ---- a group, compiled ----------------------------------------------------------------------- */

/* Kinds of locations; ABSENT is an optional input or output that is not there. */
enum { BP_CANN_ABSENT, BP_CANN_INPUT, BP_CANN_OUTPUT, BP_CANN_ITEM, BP_CANN_CONSTANT };

/*
 * Where a tensor's bytes begin: which input, output or scratch item of the frame, or at which
 * offset of the program's constants.
 */
struct bp_cann_location {
    uint32_t kind, index;
    uint64_t offset; /* BP_CANN_CONSTANT */
};

struct bp_cann_models;

/*
 * A group, compiled. Several frames may use it at a time: it is read-only, but for `models`, which
 * have a lock.
 */
struct bp_program {
    bp_instance *instance;
    const bp_graph *graph;
    const struct bp_cann_op **ops; /* one a node; NULL with is_context */
    uint64_t *constants;           /* one a value: its offset, or UINT64_MAX */
    uint64_t *scalars;             /* one a node: the offset of the scalars that its calls read */
    void *base;                    /* of the constants on the device; NULL: there are none */
    uint64_t bytes;
    struct bp_cann_models *models; /* in graph mode, where constants are the models'; or NULL */
    bool keeps_bytes;              /* of models that are built, until the first frame */
    bool is_context;               /* its model came without the nodes: nothing can be built */
    bool is_estimate;              /* ACL compiles nothing of it, and it never runs */
};

/* An operand of a call: where it lies, and its bytes. */
struct bp_cann_arg {
    struct bp_cann_location location;
    size_t bytes;
};

/* Kinds of steps: an operator, a copy within the device, memory that is filled with a byte. */
enum { BP_CANN_CALL, BP_CANN_COPY, BP_CANN_FILL };

/*
 * A call of ACL, ready but for the addresses. COPY: args[0] to args[1]; FILL: args[0] with `fill`.
 */
struct bp_cann_step {
    struct bp_cann_step *next;
    uint32_t kind, node, n_in, n_out;
    int32_t fill;
    const char *type;
    aclopAttr *attr;
    struct bp_cann_arg args[BP_CANN_MAX_INPUTS + BP_CANN_MAX_OUTPUTS]; /* outputs after inputs */
    const aclTensorDesc *descs[BP_CANN_MAX_INPUTS + BP_CANN_MAX_OUTPUTS];
    aclDataBuffer *buffers[BP_CANN_MAX_INPUTS + BP_CANN_MAX_OUTPUTS];
};

/*
 * A tensor as a call sees it; the shape may be another one than the value's, with as many elements.
 */
struct bp_cann_tensor {
    struct bp_cann_location location;
    uint32_t dtype;
    int rank;
    int64_t dims[BP_CANN_MAX_RANK];
    bool is_known; /* it has a shape */
};

/*
 * Calls in the making, for one set of shapes. After a failure (rc < 0) the functions of calls.c do
 * nothing, so that op->build() needs no checks.
 */
struct bp_cann_build {
    bp_instance *instance;
    const bp_program *program;
    const bp_graph *graph;
    struct bp_cann_tensor *values; /* one a value of the graph */
    struct bp_cann_step *steps, **end, *step;
    uint32_t n_steps, node, n_deferred; /* nodes that wait for a frame */
    bp_arena_item *items;
    uint32_t n_items;
    bp_rc rc;
    bp_err *err;
};

/* ---- tensors (tensor.c) ---- */

/* Bytes of a tensor whose shape is known; 0 where it has no elements. */
size_t bp_cann_bytes(const struct bp_cann_tensor *tensor);
/* ACL's number of an element type; ACL_DT_UNDEFINED: it has none. */
aclDataType bp_cann_type(uint32_t dtype);
/* The tensor of a value of the graph; NULL for BP_NONE. */
const struct bp_cann_tensor *bp_cann_value(const struct bp_cann_build *b, uint32_t value);
/* Input i of the node in the making; NULL when it is absent. */
const struct bp_cann_tensor *bp_cann_in(const struct bp_cann_build *b, uint32_t i);
/* Output i of the node in the making; NULL when it is not used. */
const struct bp_cann_tensor *bp_cann_out(const struct bp_cann_build *b, uint32_t i);
/* Gives the tensor a location in scratch, from here to the last call that touches it. */
void bp_cann_scratch(struct bp_cann_build *b, struct bp_cann_tensor *tensor);

/*
 * Pads of a window as ACL wants them, begin and end of each dimension in turn, where ONNX lists all
 * begins first. auto_pad is worked out.
 */
void bp_cann_window_pads(const struct bp_cann_build *b, const int64_t *kernel, int spatial,
                         int64_t *pads);
/*
 * Writes a float as an element of the type, rounded to the nearest, ties to even; returns its
 * bytes, at most 8.
 */
size_t bp_cann_encode(float value, uint32_t dtype, void *out);

/* ---- calls (calls.c) ---- */

/*
 * Begins a call of ACL's operator `type`, a string constant. Its inputs come next, then its
 * outputs; attributes at any time.
 */
void bp_cann_begin_call(struct bp_cann_build *b, const char *type);
/* Adds an operand to the call in the making; NULL: an optional one that is absent. */
void bp_cann_add_input(struct bp_cann_build *b, const struct bp_cann_tensor *tensor,
                       aclFormat format);
void bp_cann_add_output(struct bp_cann_build *b, const struct bp_cann_tensor *tensor,
                        aclFormat format);
/* Set attributes of the call in the making; names and values are copied. */
void bp_cann_set_bool(struct bp_cann_build *b, const char *name, bool value);
void bp_cann_set_int(struct bp_cann_build *b, const char *name, int64_t value);
void bp_cann_set_ints(struct bp_cann_build *b, const char *name, int n, const int64_t *values);
void bp_cann_set_float(struct bp_cann_build *b, const char *name, float value);
void bp_cann_set_string(struct bp_cann_build *b, const char *name, const char *value);
/* Copies a tensor's bytes to another of as many bytes, whatever their shapes. */
void bp_cann_copy(struct bp_cann_build *b, const struct bp_cann_tensor *to,
                  const struct bp_cann_tensor *from);
/* Fills a tensor with a byte. */
void bp_cann_fill(struct bp_cann_build *b, const struct bp_cann_tensor *to, int32_t byte);
/*
 * A tensor broadcast to the shape of `like`: itself, or what a BroadcastToD makes of it in scratch.
 */
struct bp_cann_tensor bp_cann_broadcast(struct bp_cann_build *b,
                                        const struct bp_cann_tensor *tensor,
                                        const struct bp_cann_tensor *like);

/* Has ACL compile the calls from that one on, where it runs them one by one; NULL: none. */
void bp_cann_compile_calls(struct bp_cann_build *b, const struct bp_cann_step *from);
/* Frees a list of steps with ACL's objects in them; NULL is fine. */
void bp_cann_steps_free(const bp_instance *instance, struct bp_cann_step *steps);

/* ---- the calls of all nodes (build.c) ---- */

/*
 * Makes the calls of all nodes, in order, and has ACL compile them. Without a frame (desc NULL)
 * those of the nodes whose shapes the graph alone tells; n_deferred counts the others. Also after a
 * failure b has to be finished and b->steps freed. BP_E_NOMEM, BP_E_SHAPE, or as ACL fails.
 */
bp_rc bp_cann_build(struct bp_cann_build *b, const bp_program *program, const bp_frame_desc *desc,
                    bp_err *err);
void bp_cann_build_finish(struct bp_cann_build *b); /* all but the steps */

/* ---- operators ------------------------------------------------------------------------------- */

/*
 * Versions first..last of an operator (ONNX's since_version), and the types, bits of
 * BP_CANN_TYPE(), that its first input may have.
 */
struct bp_cann_range {
    uint32_t first, last, types;
};

/* A row of the table: one ONNX operator. */
struct bp_cann_op {
    const char *name;
    const char *acl;                 /* of ACL */
    struct bp_cann_range documented; /* last 0: not in that profile */
    struct bp_cann_range kernels[4]; /* last 0 ends them */
    struct bp_cann_range graph;      /* beyond the two above */
    uint32_t host_inputs;            /* bits of inputs that need not be on the device */
    uint32_t n_scalars;              /* elements of the first input's type that `scalar` gives */
    bool (*claim)(const struct bp_cann_op *op, const struct bp_cann_query *query);
    void (*build)(struct bp_cann_build *b, const struct bp_cann_op *op, const bp_node *node);
    float (*scalar)(const bp_graph *graph, const bp_node *node, uint32_t i);
};

/* The row for a node of the default domain, in any profile; NULL: there is none. (ops/table.c) */
const struct bp_cann_op *bp_cann_find_op(const bp_node *node);

/* ---- estimates (estimate.c) ------------------------------------------------------------------ */

/*
 * Lays scratch items out by their lifetimes: sets their offsets, and *out to the bytes of all.
 * BP_E_NOMEM, also where they do not fit into an address space.
 */
bp_rc bp_cann_plan_items(const bp_instance *instance, bp_arena_item *items, uint32_t n_items,
                         size_t *out, bp_err *err);
/* Memory and time of a group, for the host's cost model: see bp/estimate.h. */
extern const bp_estimator bp_cann_estimator;

/* ---- the provider's slots -------------------------------------------------------------------- */

bp_rc bp_cann_capability(bp_instance *instance, const bp_graph *graph, const bp_claims *claims,
                         bp_err *err);
/*
 * Finds the operators of program->graph, and lays its constants out: offsets and program->bytes.
 * Also after a failure the program is to be freed. BP_E_NOMEM, BP_E_UNSUPPORTED
 */
bp_rc bp_cann_plan_constants(bp_program *program, bp_err *err);
bp_rc bp_cann_compile(bp_instance *instance, const bp_graph *graph, const bp_compile *what,
                      bp_program **out, bp_err *err);
/* A program of the group with its constants placed, of which nothing is compiled; for program_free. */
bp_rc bp_cann_program_create(bp_instance *instance, const bp_graph *graph, const bp_compile *what,
                             bp_program **out, bp_err *err);
void bp_cann_program_free(bp_program *program);
bp_rc bp_cann_frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                           bp_frame **out, bp_err *err);
void bp_cann_frame_free(bp_frame *frame);
bp_rc bp_cann_execute(bp_frame *frame, const bp_run *run, bp_err *err);

#endif
