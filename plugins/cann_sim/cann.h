/* SPDX-License-Identifier: MIT */
/*
 * cann.h - what the files of the CANN provider share: how an operator is described, claimed, and
 * turned into calls of ACL for a set of shapes.
 *
 *   capability: op->claim(...)  says yes, or why not
 *   compile:    constants go to the device; what has known shapes is compiled
 *   frame:      op->build(...)  once a set of shapes: descriptions, attributes, buffers
 *   execute:    the calls, one after the other, into a stream
 */
#ifndef BP_CANN_CANN_H
#define BP_CANN_CANN_H

#include "arena.h"

#include <bp/arena.h>
#include <bp/estimate.h>
#include <stdatomic.h>

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
};

/* Every thread that calls ACL has to be in a context; BP_E_INTERNAL and others as ACL says. */
bp_rc bp_cann_enter(const bp_instance *instance, bp_err *err);

/* ---- host memory (host.c) --------------------------------------------------------------------- */

/* Zeroed host memory for an array; NULL without memory or for 0 rows. */
void *bp_cann_calloc(const bp_instance *instance, size_t count, size_t size);
void bp_cann_free(const bp_instance *instance, void *memory, size_t count, size_t size);

/* ---- options (options.c) --------------------------------------------------------------------- */

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

/* What the rows cannot check is checked here; strings are the caller's. BP_E_OPTION */
bp_rc bp_cann_read_options(const bp_opt *opts, uint32_t n_opts, struct bp_cann_options *out,
                           bp_err *err);

/* ---- memory and streams (device.c) ----------------------------------------------------------- */

extern const bp_device_ops bp_cann_device_ops;

/* The ACL stream for kernels behind a stream that the host has; NULL for NULL. */
aclrtStream bp_cann_kernel_stream(void *stream);
/* Copies host bytes to the device and returns when that is done. */
bp_rc bp_cann_upload(const bp_instance *instance, void *to, const void *from, size_t bytes,
                     bp_err *err);

/* ---- claims (claim.c) ------------------------------------------------------------------------ */

#define BP_CANN_TYPE(dtype) (UINT32_C(1) << (dtype))

/* A node at capability time. */
struct bp_cann_query {
    const bp_instance *instance;
    const bp_graph *graph;
    const bp_node *node;
    const bp_claims *claims;
    uint32_t index; /* of the node */
};

/* Refuses with a formatted sentence and is false; subject may be NULL. */
bool bp_cann_refuse(const struct bp_cann_query *query, uint32_t reason, const char *subject,
                    const char *fmt, ...) BP_PRINTF(4, 5);
/* Is input i there, of one of these types, of a rank that ACL takes, and not empty? Refuses else. */
bool bp_cann_takes(const struct bp_cann_query *query, uint32_t i, uint32_t types);
/* Is the value of a known rank that ACL takes, and not empty? Refuses else. */
bool bp_cann_takes_shape(const struct bp_cann_query *query, const bp_value *value);
/* Is input i, if it is there, a constant? "weight is not constant" else; what: "weight". */
bool bp_cann_is_constant(const struct bp_cann_query *query, uint32_t i, const char *what);
/* Have the inputs i and j, if both are there, one type? */
bool bp_cann_same_type(const struct bp_cann_query *query, uint32_t i, uint32_t j);
/* Is a list of integers all `want`, or not there? */
bool bp_cann_all(const struct bp_cann_query *query, const char *name, int64_t want);
/* Are a window's pads, strides and kernel_shape as ACL takes them? */
bool bp_cann_takes_window(const struct bp_cann_query *query, bool below_kernel);

/* ---- a group, compiled ----------------------------------------------------------------------- */

enum { BP_CANN_ABSENT, BP_CANN_INPUT, BP_CANN_OUTPUT, BP_CANN_ITEM, BP_CANN_CONSTANT };

/* Where a tensor's bytes begin: in the frame, in scratch, or in the program's constants. */
struct bp_cann_location {
    uint32_t kind, index;
    uint64_t offset; /* BP_CANN_CONSTANT */
};

struct bp_cann_models;

struct bp_program {
    bp_instance *instance;
    const bp_graph *graph;
    const struct bp_cann_op **ops; /* one a node */
    uint64_t *constants;           /* one a value: its offset, or UINT64_MAX */
    uint64_t *scalars;             /* one a node: the offset of numbers that its calls read */
    void *base;                    /* of the constants on the device; NULL: there are none */
    uint64_t bytes;
    struct bp_cann_models *models; /* in graph mode, where constants are the models'; or NULL */
    bool is_estimate;              /* ACL compiles nothing of it, and it never runs */
};

struct bp_cann_arg {
    struct bp_cann_location location;
    size_t bytes;
};

enum { BP_CANN_CALL, BP_CANN_COPY, BP_CANN_FILL };

/* A call of ACL. COPY: args[0] to args[1]; FILL: args[0] with `fill`. */
struct bp_cann_step {
    struct bp_cann_step *next;
    uint32_t kind, node, n_in, n_out;
    int32_t fill;
    const char *type;
    aclopAttr *attr;
    struct bp_cann_arg args[BP_CANN_MAX_INPUTS + BP_CANN_MAX_OUTPUTS]; /* outputs behind inputs */
    const aclTensorDesc *descs[BP_CANN_MAX_INPUTS + BP_CANN_MAX_OUTPUTS];
    aclDataBuffer *buffers[BP_CANN_MAX_INPUTS + BP_CANN_MAX_OUTPUTS];
};

/* A tensor as a call sees it. */
struct bp_cann_tensor {
    struct bp_cann_location location;
    uint32_t dtype;
    int rank;
    int64_t dims[BP_CANN_MAX_RANK];
    bool is_known; /* it has a shape */
};

/* Calls in the making. After a failure (rc < 0) the functions of calls.c do nothing. */
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

size_t bp_cann_bytes(const struct bp_cann_tensor *tensor);
aclDataType bp_cann_type(uint32_t dtype);
const struct bp_cann_tensor *bp_cann_value(const struct bp_cann_build *b, uint32_t value);
/* Input i of the node in the making; NULL when it is absent. */
const struct bp_cann_tensor *bp_cann_in(const struct bp_cann_build *b, uint32_t i);
const struct bp_cann_tensor *bp_cann_out(const struct bp_cann_build *b, uint32_t i);
/* Gives the tensor a location in scratch, from here to the last call that reads it. */
void bp_cann_scratch(struct bp_cann_build *b, struct bp_cann_tensor *tensor);

/* Pads of a window as ACL wants them: begin and end of each dimension in turn. */
void bp_cann_window_pads(const struct bp_cann_build *b, const int64_t *kernel, int spatial,
                         int64_t *pads);
/* A float as a number of the type; halves are rounded to the nearest, ties to even. Its bytes. */
size_t bp_cann_encode(float value, uint32_t dtype, void *out);

/* ---- calls (calls.c) ---- */

/* Begins a call of the operator; inputs come before outputs. */
void bp_cann_begin_call(struct bp_cann_build *b, const char *type);
/* NULL: an optional input or output that is absent. */
void bp_cann_add_input(struct bp_cann_build *b, const struct bp_cann_tensor *tensor,
                       aclFormat format);
void bp_cann_add_output(struct bp_cann_build *b, const struct bp_cann_tensor *tensor,
                        aclFormat format);
void bp_cann_set_bool(struct bp_cann_build *b, const char *name, bool value);
void bp_cann_set_int(struct bp_cann_build *b, const char *name, int64_t value);
void bp_cann_set_ints(struct bp_cann_build *b, const char *name, int n, const int64_t *values);
void bp_cann_set_float(struct bp_cann_build *b, const char *name, float value);
void bp_cann_set_string(struct bp_cann_build *b, const char *name, const char *value);
void bp_cann_copy(struct bp_cann_build *b, const struct bp_cann_tensor *to,
                  const struct bp_cann_tensor *from);
void bp_cann_fill(struct bp_cann_build *b, const struct bp_cann_tensor *to, int32_t byte);
/* A tensor repeated to the shape of `like`: itself, or what a BroadcastToD makes of it in scratch. */
struct bp_cann_tensor bp_cann_broadcast(struct bp_cann_build *b,
                                        const struct bp_cann_tensor *tensor,
                                        const struct bp_cann_tensor *like);

/* Has ACL compile the calls from that one on, where it runs them one by one; NULL: none. */
void bp_cann_compile_calls(struct bp_cann_build *b, const struct bp_cann_step *from);
void bp_cann_steps_free(const bp_instance *instance, struct bp_cann_step *steps);

/* ---- the calls of all nodes (build.c) ---- */

/*
 * Makes the calls of all nodes, in order, and has ACL compile them. Without a frame those of the nodes
 * whose shapes the graph alone tells. Also after a failure b has to be finished and the steps freed.
 */
bp_rc bp_cann_build(struct bp_cann_build *b, const bp_program *program, const bp_frame_desc *desc,
                    bp_err *err);
void bp_cann_build_finish(struct bp_cann_build *b); /* all but the steps */

/* ---- operators ------------------------------------------------------------------------------- */

/* Versions first..last of an operator, and the types that its first input may have. */
struct bp_cann_range {
    uint32_t first, last, types;
};

struct bp_cann_op {
    const char *name;
    const char *acl;                 /* of ACL */
    struct bp_cann_range documented; /* last 0: not in that profile */
    struct bp_cann_range kernels[4]; /* last 0 ends them */
    struct bp_cann_range graph;      /* beyond the two above */
    uint32_t host_inputs;            /* bits of inputs that need not be on the device */
    uint32_t n_scalars;              /* numbers of the first input's type that `scalar` writes */
    bool (*claim)(const struct bp_cann_op *op, const struct bp_cann_query *query);
    void (*build)(struct bp_cann_build *b, const struct bp_cann_op *op, const bp_node *node);
    float (*scalar)(const bp_graph *graph, const bp_node *node, uint32_t i);
};

/* The row for a node, in any profile; NULL: there is none. (ops/table.c) */
const struct bp_cann_op *bp_cann_find_op(const bp_node *node);

/* ---- estimates (estimate.c) ------------------------------------------------------------------ */

/* Bytes that items take together, with their offsets; SIZE_MAX: more than there can be. */
bp_rc bp_cann_plan_items(const bp_instance *instance, bp_arena_item *items, uint32_t n_items,
                         size_t *out, bp_err *err);
extern const bp_estimator bp_cann_estimator;

/* ---- the provider's slots -------------------------------------------------------------------- */

bp_rc bp_cann_capability(bp_instance *instance, const bp_graph *graph, const bp_claims *claims,
                         bp_err *err);
/* Finds the operators of program->graph, and what room its constants take; then it is to be freed. */
bp_rc bp_cann_plan_constants(bp_program *program, bp_err *err);
bp_rc bp_cann_compile(bp_instance *instance, const bp_graph *graph, uint32_t flags,
                      bp_program **out, bp_err *err);
void bp_cann_program_free(bp_program *program);
bp_rc bp_cann_frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                           bp_frame **out, bp_err *err);
void bp_cann_frame_free(bp_frame *frame);
bp_rc bp_cann_execute(bp_frame *frame, const bp_run *run, bp_err *err);

#endif
