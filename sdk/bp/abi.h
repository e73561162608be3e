/* SPDX-License-Identifier: MIT */
/*
 * abi.h - the contract between the Backplane host and a provider plug-in. 1.0, release candidate.
 *
 * A plug-in is a shared object that exports one symbol, bp_provider_entry_v1. The host opens it,
 * hands it a table of services (bp_host) and receives a table of providers (bp_module). Nothing
 * else is shared: the plug-in links no host library and the host calls nothing by name.
 *
 * Release candidate: a plug-in has to be rebuilt where BP_MAGIC changes, which it does with each
 * candidate and not after 1.0; bp-provider(7), "WHAT MAY CHANGE WHEN", has the details. Rules that
 * hold in both directions from the first day:
 *  - Every table starts with struct_size, set to sizeof by the side that fills it. The reader copies
 *    the smaller of both sizes into its own zeroed struct, once, and never tests sizes again: a
 *    slot that the other side does not have reads as NULL.
 *  - Tables only grow at their end. Arrays of rows that may grow travel with a stride, walk them
 *    with BP_AT. Rows marked [frozen] keep their size for ever: arrays of them have no stride, and
 *    what they lack comes as a second array beside them, in the table that holds them.
 *  - In a struct that the callee fills, it writes at most the caller's struct_size bytes.
 *  - Enum values never change. Flags: an unknown bit within BP_CRITICAL is refused, another ignored.
 *  - `flags` without named bits, and every `reserved` member, are 0. A reader ignores what it does
 *    not know there, but for bits within BP_CRITICAL.
 *  - All text is UTF-8. Strings inside tables live until teardown; strings passed to a function
 *    are copied by the callee before it returns.
 *  - No exception, longjmp, exit or signal handler crosses in either direction.
 *
 * Thread tags on each slot: [once] under the loader's lock; [any] any thread, may overlap;
 * [instance] serial for one instance; [program] serial for one program; [frame] serial for one
 * frame.
 */
#ifndef BP_ABI_H
#define BP_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The version of this contract. Another major: the two sides do not work together. A higher minor
 * has more at the ends of its tables and nothing else.
 */
#define BP_ABI_MAJOR 1u
#define BP_ABI_MINOR 0u
#define BP_ENTRY_SYMBOL "bp_provider_entry_v1" /* the major is part of the name */
#define BP_MAGIC 0x34304250u                   /* "BP04", little-endian: fourth candidate of 1.0 */
#define BP_CRITICAL 0xffff0000u                /* flag bits that a reader must know */
/*
 * The least struct_size of a table that is accepted: it ends with the last member of 1.0, named
 * here. It is the same in every later minor version, so that tables of 1.0 stay welcome.
 */
#define BP_LEAST(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))
#define BP_LEAST_HOST BP_LEAST(bp_host, now_ns)
#define BP_LEAST_MODULE BP_LEAST(bp_module, teardown)
#define BP_LEAST_PROVIDER BP_LEAST(bp_provider, trim)
#define BP_LEAST_DEVICE_OPS BP_LEAST(bp_device_ops, event_signal)
#define BP_NONE 0xffffffffu /* "no index": an absent optional input, no producer */
#define BP_RANK_UNKNOWN 0xffffffffu

/*
 * Row i of an array whose rows are `stride` bytes apart. The stride comes with the array and may
 * exceed sizeof(type): rows of a newer side are longer. The row is read only. i is evaluated once
 * and not checked.
 */
#define BP_AT(type, rows, stride, i)                                                               \
    ((const type *)(const void *)((const char *)(rows) + (size_t)(stride) * (size_t)(i)))
/*
 * Node, value and attribute i of a graph; i is below its n_nodes, n_values, n_attrs. Example: the
 * element type of what the first node of the graph writes first.
 *
 *     const bp_node *node = BP_NODE(g, 0);
 *     uint32_t dtype = BP_VALUE(g, node->out[0])->dtype;
 */
#define BP_NODE(g, i) BP_AT(bp_node, (g)->nodes, (g)->node_stride, i)
#define BP_VALUE(g, i) BP_AT(bp_value, (g)->values, (g)->value_stride, i)
#define BP_ATTR(g, i) BP_AT(bp_attr, (g)->attrs, (g)->attr_stride, i)

/* ---- status ---------------------------------------------------------------------------------- */

/* below zero: an error. A negative that is unknown reads as BP_E_INTERNAL. */
typedef int32_t bp_rc;

enum {
    BP_OK = 0,
    BP_PENDING = 1,         /* execute: accepted, finished when bp_run.stream has come so far */
    BP_E_INVALID = -1,      /* the caller's argument, model or feed is wrong */
    BP_E_UNSUPPORTED = -2,  /* well formed, but not supported here */
    BP_E_UNAVAILABLE = -3,  /* the provider, its device or its library is not here */
    BP_E_OPTION = -4,       /* an option's key, type or value is wrong */
    BP_E_NOMEM = -5,        /* out of host or device memory */
    BP_E_SHAPE = -6,        /* a shape that the program was not compiled for */
    BP_E_STALE = -7,        /* a saved program no longer fits, or a model's file was written to */
    BP_E_CANCELLED = -8,    /* *cancel became non-zero */
    BP_E_TIMEOUT = -9,      /* deadline_ns passed */
    BP_E_BUSY = -10,        /* device in exclusive use elsewhere */
    BP_E_DEVICE_LOST = -11, /* device reset or unplugged */
    BP_E_IO = -12,          /* a file could not be read or written */
    BP_E_VERSION = -13,     /* ABI, IR or operator-set version out of range */
    BP_E_INTERNAL = -14,    /* a broken promise inside host or plug-in */
    BP_E_SPACE = -15        /* a buffer of the caller is too small, for a result or its sizes */
};

/*
 * What exactly went wrong, where the host can say it: bp_err.detail. A program decides by these,
 * never by the sentence, which may change. Each comes with the bp_rc in brackets; more may be added
 * after the last, so a number that is unknown reads as BP_DETAIL_NONE.
 */
enum {
    BP_DETAIL_NONE = 0, /* no more is known than the bp_rc */
    /* files and bytes of a model */
    BP_DETAIL_NO_SUCH_FILE = 1,  /* [IO] of the model, or of its external data */
    BP_DETAIL_NO_GRAPH = 2,      /* [INVALID] a model without a graph; an empty file is one */
    BP_DETAIL_NO_LOCATION = 3,   /* [INVALID; .ort: UNSUPPORTED] external data names no file */
    BP_DETAIL_NO_DIRECTORY = 4,  /* [INVALID] external data of a model that has no directory */
    BP_DETAIL_ABSOLUTE_PATH = 5, /* [INVALID] external data by an absolute path, or an empty one */
    BP_DETAIL_PATH_OUTSIDE = 6,  /* [INVALID] external data outside of the model's directory */
    BP_DETAIL_DATA_RANGE = 7,    /* [INVALID] external data: wrong offset or length */
    /* a graph */
    BP_DETAIL_NO_PRODUCER = 8,        /* [INVALID] a value without node, input or initializer */
    BP_DETAIL_DEFINED_TWICE = 9,      /* [INVALID] a name of two values of a graph */
    BP_DETAIL_CYCLE = 10,             /* [INVALID] a node reads what depends on its output */
    BP_DETAIL_UNKNOWN_ATTRIBUTE = 11, /* [INVALID] the operator's version has no such attribute */
    BP_DETAIL_NODE_ARITY = 12,        /* [INVALID] a node's number of inputs or outputs */
    BP_DETAIL_NODE_TYPE = 13,         /* [INVALID] an element type that the operator lacks */
    BP_DETAIL_TYPES_DIFFER = 14,      /* [INVALID] two inputs of a node must be of one type */
    BP_DETAIL_UNKNOWN_OPERATOR = 15,  /* [UNSUPPORTED] an operator that no schema defines */
    /* calls */
    BP_DETAIL_AFFINITY_COUNT = 16, /* [INVALID] not an affinity for each thread but the first */
    BP_DETAIL_INPUT_TWICE = 17,    /* [INVALID] a run feeds an input twice; index: which */
    BP_DETAIL_INPUT_MISSING = 18,  /* [INVALID] a run lacks an input; index: the first such one */
    BP_DETAIL_END = 19
};

/*
 * Where an error's words go. The caller owns the struct and its text buffer; the callee fills them
 * and keeps neither. A NULL bp_err, or a NULL msg, is always allowed: then only the code returns.
 * The side that calls sets struct_size, msg and msg_cap before the call. A text longer than the
 * buffer is cut, never refused. Where a call succeeds, nothing in it counts. bp_fail() of bp/sdk.h
 * fills it.
 */
typedef struct bp_err {
    uint32_t struct_size;
    bp_rc code; /* the code that was returned with the text */
    /* Zero unless the callee has a number of the vendor's to give. */
    int64_t native_code; /* the vendor library's own number; 0 when there is none */
    char *msg;           /* NUL-terminated by the callee */
    uint32_t msg_cap;    /* bytes in msg, the NUL included */
    uint32_t msg_len;    /* bytes written, the NUL not included */
    /* Read them only after a failure; a host that does not know them leaves them 0. */
    uint32_t detail; /* BP_DETAIL_*; plug-ins leave it 0 */
    uint32_t index;  /* of what the detail is about, where its line says so; else 0 */
} bp_err;

/*
 * [frozen] Borrowed bytes; the function that gives them says for how long. data may be NULL when
 * size is 0.
 * No NUL ends it. It has no alignment, unless the one who gives it says so.
 */
typedef struct bp_span {
    const void *data;
    size_t size;
} bp_span;

/* ---- element types (the numbers of ONNX TensorProto.DataType) -------------------------------- */

enum {
    BP_DTYPE_NONE = 0,
    BP_DTYPE_F32 = 1,
    BP_DTYPE_U8 = 2,
    BP_DTYPE_I8 = 3,
    BP_DTYPE_U16 = 4,
    BP_DTYPE_I16 = 5,
    BP_DTYPE_I32 = 6,
    BP_DTYPE_I64 = 7,
    /* an element is a bp_span; the bytes stay the producer's, until its frame's next execute */
    BP_DTYPE_STRING = 8,
    BP_DTYPE_BOOL = 9, /* one byte, 0 or 1 */
    BP_DTYPE_F16 = 10,
    BP_DTYPE_F64 = 11,
    BP_DTYPE_U32 = 12,
    BP_DTYPE_U64 = 13,
    BP_DTYPE_C64 = 14,
    BP_DTYPE_C128 = 15,
    BP_DTYPE_BF16 = 16,
    BP_DTYPE_F8E4M3FN = 17,
    BP_DTYPE_F8E4M3FNUZ = 18,
    BP_DTYPE_F8E5M2 = 19,
    BP_DTYPE_F8E5M2FNUZ = 20,
    BP_DTYPE_U4 = 21, /* types under 8 bits: elements from the low bits up, last byte zero-filled */
    BP_DTYPE_I4 = 22,
    BP_DTYPE_F4E2M1 = 23,
    BP_DTYPE_F8E8M0 = 24,
    BP_DTYPE_U2 = 25,
    BP_DTYPE_I2 = 26,
    BP_DTYPE_END = 27
};

/* ---- tensors --------------------------------------------------------------------------------- */

enum {
    /* ordinary memory; other spaces are the provider's own, 1..bp_device.spaces */
    BP_SPACE_HOST = 0
};

/*
 * [frozen] A dense row-major view. The bytes begin at `offset` from `base`; for device memory `base` is an
 * opaque handle, so only its owner may do arithmetic on it. Nothing here is owned.
 * For elements of 8 bits and more, element (i, j) of a matrix lies at base + offset + (i * dims[1]
 * + j) * size of an element; there are no strides. dims is the tensor owner's array: a frame's is
 * the host's, that of an output of bp_session_run() the application's. rank 0 is a scalar of one
 * element; any dims[k] of 0 is an empty tensor.
 */
typedef struct bp_tensor {
    /* NULL at frame_create, and where an empty tensor has no memory. */
    void *base;
    uint64_t offset; /* bytes */
    int64_t *dims;   /* rank entries, each >= 0 */
    size_t bytes;    /* of the buffer behind base + offset; may exceed what dims need */
    uint32_t rank;
    uint32_t dtype;
    uint32_t space;  /* BP_SPACE_HOST, or one of the device's */
    uint32_t device; /* of the instance, as bp_claim.device counts them; 0 in host memory */
} bp_tensor;

/* ---- options --------------------------------------------------------------------------------- */

/* Types of options. A value is text until the host has parsed it by this type. */
enum { BP_OPT_STRING = 1, BP_OPT_INT = 2, BP_OPT_FLOAT = 3, BP_OPT_BOOL = 4, BP_OPT_CHOICE = 5 };

/* bp_option.flags. */
enum {
    BP_OPTION_REQUIRED = 1u << 0,   /* no default: the application must give it */
    BP_OPTION_DYNAMIC = 1u << 1,    /* may be changed by set_option while the instance lives */
    BP_OPTION_DEPRECATED = 1u << 2, /* accepted, with a warning */
    BP_OPTION_SECRET = 1u << 3      /* its value is never printed */
};

/* One row of a provider's option schema. The host parses, checks, fills defaults, prints help. */
typedef struct bp_option {
    uint32_t struct_size;
    uint32_t flags;
    /* What its value is: the host refuses a text that is not of this type, BP_E_OPTION. */
    uint32_t type;      /* BP_OPT_* */
    uint32_t n_choices; /* BP_OPT_CHOICE only */
    /* The name that people type. */
    const char *key;
    const char *help;           /* one sentence, with the unit */
    const char *def;            /* the default as text; NULL only with BP_OPTION_REQUIRED */
    const char *const *choices; /* n_choices strings */
    double min, max;            /* BP_OPT_INT, BP_OPT_FLOAT: inclusive; equal means unbounded.
                                   People may write integers with K, M, G or T: powers of 1024 */
} bp_option;

/*
 * [frozen] An option as a provider receives it: valid, defaulted, in the order of its schema. The host makes
 * the array and lends it, with its strings, for the call of create() or set_option(): a provider
 * copies what it keeps. str counts for every option, i and f for the types that they name. Of a
 * provider with BP_PROVIDER_ANY_OPTION, keys that its schema does not have follow the schema's, in
 * the order in which they were given, with their values as text. Reports show these values, so that
 * an option with a secret needs a row in the schema; set_option() gets options of the schema only.
 */
typedef struct bp_opt {
    const char *key;
    const char *str; /* the canonical text, for every type */
    int64_t i;       /* BP_OPT_INT; 0 or 1 for BOOL; index of the choice for CHOICE */
    double f;        /* BP_OPT_FLOAT, BP_OPT_INT */
} bp_opt;

/* ---- the graph a provider sees: flat, read-only, indices instead of pointers ----------------- */

/* [frozen] A size. What is not known yet has a symbol when it is known to equal another size. */
typedef struct bp_dim {
    /* Sizes that the model gives in numbers, or that inference found. */
    int64_t value;   /* the size, or -1 while unknown */
    uint32_t symbol; /* equal non-zero numbers are equal sizes; 0: no name */
    uint32_t flags;  /* BP_DIM_* */
} bp_dim;

/* bp_dim.flags. */
enum {
    BP_DIM_FROM_DATA = 1u << 0 /* known only after the producer has run (NonZero, ...) */
};

/* bp_value.flags. */
enum {
    BP_VALUE_CONSTANT = 1u << 0, /* bytes through bp_host.constant */
    BP_VALUE_INPUT = 1u << 1,    /* input of this graph */
    BP_VALUE_OUTPUT = 1u << 2,   /* output of this graph */
    BP_VALUE_CAPTURED = 1u << 3  /* in a subgraph: value `outer` of the graph around it */
};

/*
 * A value of a graph: what a node reads or writes. Its row lives as long as the graph. Values have
 * single assignment, as in ONNX: one producer at most. dtype is that of the elements. Two constants
 * with one const_id may share one packed copy; see bp_host.weight_get.
 */
typedef struct bp_value {
    const char *name;
    /* The shape: owned by the graph. */
    const bp_dim *dims; /* rank entries; NULL when rank is 0 or BP_RANK_UNKNOWN */
    uint32_t rank;
    uint32_t dtype;    /* BP_DTYPE_*; NONE when the value is not a tensor */
    uint32_t flags;    /* BP_VALUE_* */
    uint32_t producer; /* node index, or BP_NONE for inputs and constants */
    /* Zero for all but constants, whose bytes bp_host.constant gives. */
    uint64_t const_bytes; /* constants: size of the data */
    uint64_t const_id;    /* constants: equal numbers are equal bytes, in this process */
    uint32_t outer; /* index in bp_graph.outer of a value with BP_VALUE_CAPTURED; else BP_NONE */
    uint32_t reserved0;
} bp_value;

/*
 * Types of attributes, by what `data` points to. Data are aligned for their type and live as long
 * as the graph.
 */
enum {
    BP_ATTR_FLOAT = 1,  /* data: const float[count] */
    BP_ATTR_INT = 2,    /* data: const int64_t[count] */
    BP_ATTR_STRING = 3, /* data: const bp_span[count] */
    BP_ATTR_TENSOR = 4, /* data: const bp_const[count] */
    /* data: const uint32_t[count], indices into bp_graph.subs; count 0: they are not shown */
    BP_ATTR_GRAPH = 5
};

/*
 * [frozen] A tensor held by an attribute. ONNX TensorProto as the value of an attribute (Constant,
 * ConstantOfShape). Row-major, as a bp_tensor, with sizes that are all known. Owned by the graph.
 */
typedef struct bp_const {
    const void *data;
    uint64_t bytes;
    const int64_t *dims;
    uint32_t rank;
    uint32_t dtype;
} bp_const;

/* bp_attr.flags. */
enum {
    BP_ATTR_LIST = 1u << 0 /* written as a list (INTS, ...), whatever its count */
};

/*
 * An attribute of a node: one that the model gives, or a default of the operator's schema. The five
 * types of data are those of ONNX AttributeProto.AttributeType, where each list type shares the
 * number of its single one here; the flag tells them apart. count is 1 for what is not a list.
 */
typedef struct bp_attr {
    const char *name;
    const void *data;
    uint32_t type; /* BP_ATTR_* */
    uint32_t count;
    uint32_t flags; /* BP_ATTR_LIST */
    uint32_t reserved0;
} bp_attr;

/*
 * An operator with its inputs, outputs and attributes. Rows live as long as the graph. Attributes
 * are rows first_attr to first_attr + n_attr - 1 of the graph. Trailing inputs that are absent are
 * not counted in n_in, so the same node may come with a smaller n_in than the operator's schema
 * has.
 */
typedef struct bp_node {
    const char *name;   /* unique within the model; never empty */
    const char *op;     /* operator type, "Conv" */
    const char *domain; /* "" is ai.onnx */
    const uint32_t *in; /* value indices; BP_NONE is an absent optional input */
    const uint32_t *out;
    uint32_t n_in, n_out;
    /* A provider decides by `since`: it names the one version of the operator that is meant. */
    uint32_t opset; /* the operator-set version that the model imports for this domain */
    uint32_t since; /* the version of the operator that is in force there */
    uint32_t first_attr, n_attr; /* rows of bp_graph.attrs; defaults are filled in by the host */
    /* Of a node with subgraphs: values of this graph that they read by name, each once. */
    const uint32_t *captures;
    uint32_t n_captures;
    uint32_t reserved0;
} bp_node;

/*
 * What capability and compile are shown. The host owns it; compile: until program_free returned,
 * capability: for the call. Nothing in it changes meanwhile, so any thread may read it.
 */
typedef struct bp_graph {
    uint32_t struct_size;
    uint32_t flags;
    uint32_t n_nodes, node_stride; /* nodes are in an order in which they can run */
    uint32_t n_values, value_stride;
    uint32_t n_attrs, attr_stride;
    /* Walk these with BP_NODE, BP_VALUE and BP_ATTR: rows may be longer than this header knows. */
    const bp_node *nodes;
    const bp_value *values;
    const bp_attr *attrs;
    /*
     * Subgraphs of If, Loop, Scan; none for a provider without BP_PROVIDER_SUBGRAPHS, nor of nodes
     * that the host keeps (values that are not tensors, unknown operators, a placement rule). In a
     * row, inputs and outputs are those that the model declares, in its order; types and shapes
     * hold in every iteration. A value that the row captures has BP_VALUE_CAPTURED, and `outer`
     * names it in the graph around, where the node lists it in `captures`; it may be a constant
     * too, or an input of the whole graph. Sizes of a run (bp_frame_desc.shapes) are those of the
     * outermost graph.
     */
    const struct bp_graph *const *subs;
    const uint32_t *inputs;  /* value indices, in the order of a frame's `in` */
    const uint32_t *outputs; /* value indices, in the order of a frame's `out` */
    uint32_t n_inputs, n_outputs, n_subs, reserved0;
    const void *host; /* the host's own; a provider passes it back, never reads it */
    /* Of a row of `subs`: the graph around it, and the index of the node there; else NULL, BP_NONE. */
    const struct bp_graph *outer;
    uint32_t outer_node;
    uint32_t reserved1;
} bp_graph;

/* ---- operators of models and providers -------------------------------------------------------- */

/* bp_operand.flags. */
enum {
    BP_OPERAND_OPTIONAL = 1u << 0, /* may be absent */
    BP_OPERAND_VARIADIC = 1u << 1, /* the last one: any number, at least min_count */
    BP_OPERAND_MIXED = 1u << 2,    /* variadic, with an element type each */
    BP_OPERAND_CONTENT = 1u << 3   /* an input whose elements the shape rule reads */
};

/* [frozen] An input or output of an operator that a provider or an application defines. */
typedef struct bp_operand {
    const char *name;   /* "X", for messages */
    uint64_t types;     /* allowed element types, bits 1 << BP_DTYPE_*; 0: every type */
    uint32_t flags;     /* BP_OPERAND_* */
    uint32_t type_var;  /* 1..99: equal numbers have equal element types within a node; 0: none */
    uint32_t min_count; /* variadic: the least number of them; may be 0 */
    /*
     * What an operator of an application takes or gives beside tensors: see backplane_operators.h. 0:
     * tensors alone, as providers do.
     */
    uint32_t kinds;
} bp_operand;

/* What is known of an input of a node whose shapes are asked for. An absent one has no rank. */
typedef struct bp_operator_fact {
    uint32_t struct_size;
    uint32_t dtype;     /* BP_DTYPE_NONE: not known */
    uint32_t rank;      /* or BP_RANK_UNKNOWN */
    uint32_t n_content; /* elements of content */
    const bp_dim *dims;
    const int64_t *content; /* of a small integer or bool tensor, where it is known; else NULL */
    /* BP_KIND_* of backplane.h; 0: a tensor. Of others dtype is that of the tensors inside. */
    uint32_t kind;
    uint32_t reserved0;
} bp_operator_fact;

/* bp_op_attr.flags. */
enum {
    BP_OP_ATTR_REQUIRED = 1u << 0, /* a node without it is wrong */
    BP_OP_ATTR_LIST = 1u << 1,     /* a list (INTS, ...); it has no default */
    BP_OP_ATTR_DEFAULT = 1u << 2   /* INT, FLOAT, STRING: a node without it gets the default */
};

/* An attribute of a bp_op_schema. */
typedef struct bp_op_attr {
    uint32_t struct_size;
    uint32_t flags; /* BP_OP_ATTR_* */
    const char *name;
    uint32_t type; /* BP_ATTR_*, but not GRAPH */
    uint32_t reserved0;
    /* The default, by `type`. */
    int64_t def_int;
    double def_float;
    const char *def_string;
} bp_op_attr;

/*
 * A node of a declared operator whose outputs' types and shapes are asked for. The host's, lent
 * for the call.
 */
typedef struct bp_op_shapes {
    uint32_t struct_size;
    uint32_t version; /* of the operator's domain that the model imports */
    void *h;
    uint32_t n_in, in_stride;
    uint32_t n_attrs, attr_stride;
    /* Rows, to be walked with BP_AT: one an input; attributes with defaults among them. */
    const bp_operator_fact *in;
    const bp_attr *attrs;
    uint32_t n_out, reserved0;
    /*
     * Sets output `out`; one that the node does not have is ignored. dtype BP_DTYPE_NONE: as the
     * operand says, by its type_var or its only type. A size is a number; or -1 with the symbol of
     * an input's size; or -1 without one, for a size that will follow from the inputs' sizes when
     * all are known; or -1 with BP_DIM_FROM_DATA, as a rank of BP_RANK_UNKNOWN: execute says it by
     * alloc_output.
     */
    bp_rc (*set)(void *h, uint32_t out, uint32_t dtype, uint32_t rank, const bp_dim *dims,
                 bp_err *err);
} bp_op_shapes;

/* bp_op_schema.flags. */
enum {
    BP_OP_ANY_ATTR = 1u << 0 /* nodes may have attributes that are not listed */
};

/*
 * An operator of a provider's own (bp_provider.schemas): the host checks its nodes and infers their
 * shapes with it in sessions that have the provider. Constant, until teardown, with all that it
 * points to. The domain is the provider's, in reverse DNS: those of ONNX and of the host are
 * refused, and in com.microsoft an operator that the host knows is the host's. Two providers of a
 * session may declare the same operator in the same words; the first one's rule counts. Rows of one
 * operator have different `since`: the newest that is not newer than what the model imports is
 * meant.
 */
typedef struct bp_op_schema {
    uint32_t struct_size;
    uint32_t flags; /* BP_OP_ANY_ATTR */
    const char *domain, *name;
    uint32_t since, until; /* versions of the domain, from 1; until 0: and all later ones */
    const bp_operand *in, *out;
    uint32_t n_in, n_out; /* a variadic operand counts as one; at least one output */
    const bp_op_attr *attrs;
    uint32_t n_attrs, attr_stride; /* at most 64 attributes */
    /*
     * (opt: every size comes with the data) [any] From inputs to outputs; called with sizes that may
     * be unknown, and before runs with exact ones. Depends on nothing else. BP_E_SHAPE,
     * BP_E_INVALID: the node is wrong; the words name the operand or attribute.
     */
    bp_rc (*shapes)(const bp_op_shapes *node, bp_err *err);
} bp_op_schema;

/* ---- capability: the provider says which nodes it takes -------------------------------------- */

/* Verdicts of bp_claims.node. */
enum {
    BP_NO = 0,
    BP_YES = 1,
    BP_ONLY_IN_GROUP = 2 /* worth taking only beside a node answered with BP_YES */
};

/*
 * Reasons of a refusal, for reports and for people; what is about a detail names it as `subject`.
 */
enum {
    BP_R_NONE = 0,
    BP_R_OP = 1,              /* operator not implemented */
    BP_R_OPSET = 2,           /* this version of it */
    BP_R_DTYPE = 3,           /* element type */
    BP_R_RANK = 4,            /* rank or spatial rank */
    BP_R_DYNAMIC_SHAPE = 5,   /* a size that is not known yet */
    BP_R_ATTRIBUTE = 6,       /* value of an attribute */
    BP_R_NOT_CONSTANT = 7,    /* an input that has to be constant */
    BP_R_MEMORY = 8,          /* does not fit the device */
    BP_R_DEVICE_FEATURE = 9,  /* the device lacks something */
    BP_R_CONTROL_FLOW = 10,   /* has subgraphs */
    BP_R_NOT_PROFITABLE = 11, /* could, but would be slower */
    BP_R_OPTION = 12,         /* switched off by an option or rule */
    BP_R_OTHER = 13,
    BP_R_END = 14
};

/*
 * What a node costs there. Where it is told for all nodes of a group, the host adds the copies that
 * the group needs, and gives it to the next provider if that is faster; launch_ns counts once a
 * group. Where it is not told, a group stays with who took it.
 * The provider fills it and lends it for the call of bp_claims.node. Fusions with neighbours can
 * only be guessed there, because the groups are not known yet. Memory is told by the extension
 * bp/estimate.h.
 */
typedef struct bp_cost {
    uint32_t struct_size;
    /* Not zero: the members below are estimates in nanoseconds, each finite and >= 0. */
    uint32_t known;   /* 0: no estimate */
    double run_ns;    /* arithmetic of one run */
    double launch_ns; /* price of starting the group once */
} bp_cost;

/*
 * One answer about a node. The provider fills it and lends it, with its texts, for the call of
 * bp_claims.node.
 */
typedef struct bp_claim {
    uint32_t struct_size;
    uint32_t verdict; /* BP_NO, BP_YES, BP_ONLY_IN_GROUP */
    /* BP_NO: why, in a number, a name and a sentence. */
    uint32_t reason;     /* BP_R_* */
    uint32_t device;     /* that takes it: index among the devices of the instance, below */
    const char *subject; /* the input, attribute or dimension it is about ("W"); may be NULL */
    const char *text;    /* "spatial rank 3, provider takes 1..2"; may be NULL */
    const bp_cost *cost; /* NULL: not told */
    /*
     * Not 0: nodes with this number are taken together or not at all. The host gives all of them
     * to the next provider unless they end up in one group.
     */
    uint32_t together;
    uint32_t reserved0;
} bp_claim;

/*
 * Where capability() puts its answers. The host implements it and copies everything. Valid for the
 * call of capability(). The provider calls node() once at a time, with h as the first argument;
 * bp_accept() and bp_refuse() of bp/sdk.h do that.
 *
 * Devices of an instance: those of create's devs, in that order; where it got none, all devices of
 * is_available(), in the order of device(). A group has nodes of one device only.
 */
typedef struct bp_claims {
    uint32_t struct_size;
    uint32_t reserved0;
    void *h;
    /* Node `node` of the graph; the last answer counts; none reads as BP_NO, BP_R_OTHER. */
    void (*node)(void *h, uint32_t node, const bp_claim *claim);
} bp_claims;

/* ---- what the host does for a plug-in -------------------------------------------------------- */

/* Levels of bp_host.log. Errors of a call belong into its bp_err, not into the log. */
enum { BP_LOG_ERROR = 1, BP_LOG_WARN = 2, BP_LOG_INFO = 3, BP_LOG_DEBUG = 4 };

/*
 * The only functions of the host that a plug-in may call. Valid from the entry call to teardown.
 * Unless said otherwise a slot may be called from any thread.
 * Memory of alloc is to be freed by free of the same table, with the same size and alignment, never
 * by free() of the C library: the two sides may have different ones.
 *
 *     float *table = (float *)host->alloc(host->h, 256 * sizeof *table, 64);
 *     host->free(host->h, table, 256 * sizeof *table, 64);
 */
typedef struct bp_host {
    uint32_t struct_size;
    uint16_t abi_major, abi_minor;
    uint32_t magic;
    uint32_t flags;
    const char *name, *version; /* of the host */
    const char *module_path;    /* absolute path of this plug-in; "" when it was handed over */
    void *h;                    /* first argument of every slot */

    /* level is BP_LOG_*, domain the provider's short name; text without a newline */
    void (*log)(void *h, uint32_t level, const char *domain, const char *text);
    /* n bytes at a multiple of align (a power of two); NULL when there is no memory or n is 0 */
    void *(*alloc)(void *h, size_t n, size_t align);
    /* n and align as given to alloc; NULL p is fine */
    void (*free)(void *h, void *p, size_t n, size_t align);

    /* threads that parallel_for uses, the caller included; at least 1 */
    uint32_t (*pool_width)(void *h);
    /*
     * Calls fn(u, i, worker) for each i < n, worker < pool_width, in any order and on several
     * threads; returns when all are done. Only from within compile, load, frame_create or
     * execute, on the thread that called those; not nested. Two calls of fn that overlap have
     * different workers. A library with a pool of its own may run its tasks in it (docs/authors.md,
     * "A library with a thread pool").
     */
    void (*parallel_for)(void *h, uint32_t n, void (*fn)(void *u, uint32_t i, uint32_t worker),
                         void *u);

    /*
     * The bytes of a constant value of `graph`, row-major, little-endian, any alignment, with
     * nothing readable behind them: they may end where a mapped file ends, so bp_frame_needs says
     * nothing of them. Who needs either makes a copy, with weight_get. They stay valid and in place
     * as long as the graph (compile: until program_free returned; capability: the call, so that
     * compile may find them elsewhere). External data is mapped at the first call.
     * BP_E_INVALID: no constant. BP_E_IO: unreadable.
     */
    bp_rc (*constant)(void *h, const bp_graph *graph, uint32_t value, bp_span *out, bp_err *err);

    /*
     * Shared read-only data, usually packed weights, one copy a process: when `key` is new, n bytes
     * are allocated and filled by pack (which may fail); else the existing ones are returned. Each
     * success is paired with one weight_put. Keys are the plug-in's own name space. Same key with
     * another n: BP_E_INVALID.
     */
    bp_rc (*weight_get)(void *h, const char *key, size_t n, size_t align,
                        bp_rc (*pack)(void *u, void *dst, size_t n, bp_err *err), void *u,
                        const void **out, bp_err *err);
    void (*weight_put)(void *h, const void *p);

    /* A table for an extension id ("bp.calibrate/1"), or NULL. */
    const void *(*extension)(void *h, const char *id);

    /* Now on CLOCK_MONOTONIC, in nanoseconds: the clock of bp_run.deadline_ns. About 25 ns a call. */
    int64_t (*now_ns)(void *h);
} bp_host;

/*
 * An extension of the host: what becomes of constants that a plug-in has a copy of in its own
 * layout. Without it a large model lies in memory twice, in its file's pages and in the copy.
 */
#define BP_EXT_CONSTANTS "bp.constants/1"

typedef struct bp_ext_constants {
    uint32_t struct_size;
    uint32_t reserved0;
    /*
     * Says that the bytes of a constant will hardly be read again: if they are part of a mapped
     * file, its pages may leave memory. What bp_host.constant gave stays valid; who does read it
     * again waits for the file. Anything but a constant is ignored. [any]
     */
    void (*done)(void *h, const bp_graph *graph, uint32_t value);
} bp_ext_constants;

/*
 * An extension of the host: the model that a graph is part of, for a provider that hands it on to a
 * library which wants more than nodes: one that looks for files beside the model, maps weights by
 * itself, or writes a model of its own. `graph` is what capability or compile was shown, or a row of
 * its `subs`. Nothing here fails. Structs are the caller's, who sets struct_size; texts are the
 * host's, as long as the graph, and never NULL unless a line says so. [any]
 */
#define BP_EXT_MODEL "bp.model/1"

/* What the file says of itself. "" and 0: it says nothing, or the graph is of no model. */
typedef struct bp_graph_model {
    uint32_t struct_size;
    uint32_t reserved0;
    const char *path; /* as the application gave it; "": the model came from memory */
    const char *dir;  /* that places of external data are relative to; "": there is none */
    const char *name; /* of the main graph */
    const char *producer, *producer_version, *domain, *doc;
    int64_t ir_version; /* of ONNX's file format */
    int64_t model_version;
} bp_graph_model;

/* The node whose subgraph a graph is. */
typedef struct bp_graph_parent {
    uint32_t struct_size;
    uint32_t reserved0;
    const char *graph; /* name of the subgraph */
    const char *node;  /* name of the node; NULL: there is none, the graph is the main one */
    const char *op, *domain;
    const char *attr; /* of the node, that holds the subgraph: "then_branch" */
} bp_graph_parent;

/* bp_const_place.flags. */
enum {
    BP_PLACE_GIVEN = 1u << 0 /* the application gave the file's bytes; there may be none on disk */
};

/* Where the bytes of a constant are, if they are those of external data. */
typedef struct bp_const_place {
    uint32_t struct_size;
    uint32_t flags;   /* BP_PLACE_* */
    const char *file; /* as the model names it; NULL: it is no external data */
    uint64_t offset, bytes;
} bp_const_place;

typedef struct bp_ext_model {
    uint32_t struct_size;
    uint32_t reserved0;
    void (*model)(void *h, const bp_graph *graph, bp_graph_model *out);
    /* Entry i of metadata_props: its key, and its value in *value. NULL: end. */
    const char *(*metadata)(void *h, const bp_graph *graph, uint32_t i, const char **value);
    /* Imported operator set i: its domain ("" is ai.onnx) and version. NULL: end. */
    const char *(*opset)(void *h, const bp_graph *graph, uint32_t i, int64_t *version);
    /* Level 0 is the node around the graph, level 1 the one around that, and so on. */
    void (*parent)(void *h, const bp_graph *graph, uint32_t level, bp_graph_parent *out);
    /* Of a constant; of another value there is no place. Bytes that a pass has made have none. */
    void (*place)(void *h, const bp_graph *graph, uint32_t value, bp_const_place *out);
} bp_ext_model;

/* ---- availability and devices ---------------------------------------------------------------- */

/* bp_avail.state. UNKNOWN, as when it is left alone, counts as NO. */
enum { BP_AVAIL_UNKNOWN = 0, BP_AVAIL_YES = 1, BP_AVAIL_NO = 2 };

/*
 * Filled by is_available. The text buffers are the caller's. The host sets struct_size, both
 * buffers and their capacities and zeroes the rest; text that is not written leaves it empty.
 * is_available() returns BP_OK when the question was answered, with NO too.
 */
typedef struct bp_avail {
    uint32_t struct_size;
    uint32_t state;     /* BP_AVAIL_* */
    uint32_t n_devices; /* usable ones, for bp_provider.device */
    uint32_t reserved0;
    /* Texts that people read; the provider writes at most the capacities, the NUL included. */
    char *reason; /* why not: "driver too old: 535.54 < 550.0" */
    char *fix;    /* what to do: "update the driver" */
    uint32_t reason_cap, fix_cap;
} bp_avail;

/* bp_device.kind. */
enum { BP_DEVICE_CPU = 1, BP_DEVICE_GPU = 2, BP_DEVICE_NPU = 3, BP_DEVICE_OTHER = 4 };

/*
 * What a provider says of a device. The host makes the struct and sets struct_size; strings are the
 * provider's, until teardown, and may be NULL.
 * The provider writes at most struct_size bytes. Unknown bits of flags are ignored unless they are
 * in BP_CRITICAL; bp/estimate.h defines BP_DEVICE_SIMULATED. `id` tells devices of one kind apart,
 * `name` is for people.
 */
typedef struct bp_device {
    uint32_t struct_size;
    uint32_t flags;
    uint32_t kind; /* BP_DEVICE_* */
    uint32_t vendor_id;
    uint32_t numa;   /* node, or BP_NONE */
    uint32_t spaces; /* memory spaces beside the host's */
    const char *id, *name, *driver;
    uint64_t mem_total, mem_free; /* bytes; 0 when unknown, or of BP_DEVICE_CPU the machine's */
    double h2d_gbps, d2h_gbps;    /* copy bandwidth in 1e9 bytes a second; 0 when unknown */
    double launch_ns;             /* price of one launch; 0 when unknown */
} bp_device;

/* ---- running --------------------------------------------------------------------------------- */

typedef struct bp_instance
    bp_instance;                      /* a provider with its options and devices, in one session */
typedef struct bp_program bp_program; /* a group of nodes, compiled */
typedef struct bp_frame bp_frame; /* a program prepared for one set of shapes; one run at a time */

/* A row of a record: something that a provider did from t0_ns to t1_ns. The host zeroed it. */
typedef struct bp_prof_event {
    /* Beginning and end on CLOCK_MONOTONIC, in nanoseconds. */
    int64_t t0_ns, t1_ns;
    const char *name; /* of several nodes: what they are as one, "Conv+Relu"; may be NULL */
    uint32_t node;    /* index in the program's graph; BP_NONE: `nodes` counts */
    /* The provider's own numbers: what it was, and on which of its queues. */
    uint32_t kind, lane;
    uint32_t n_nodes;
    const uint32_t *nodes; /* several that ran as one: their indices, valid until program_free */
    uint64_t bytes;
} bp_prof_event;

/*
 * A run's record of events: rows are added at `count` up to `cap`, then counted in `dropped`. A
 * provider that measures its nodes writes a row for each as it ends, with `node` set, times on
 * CLOCK_MONOTONIC, and `name` NULL or valid until execute returns; one that measures none leaves it
 * alone, and the host has the time of the whole call.
 * The host makes it and its rows, and lends them for one execute. One thread writes: a provider
 * that measures on several collects first.
 */
typedef struct bp_prof {
    uint32_t struct_size;
    uint32_t cap, count, dropped;
    void *ev; /* rows of `stride` bytes: BP_EVENT() of bp/sdk.h adds one */
    uint32_t stride;
    uint32_t reserved0;
} bp_prof;

/* What changes from run to run. Host-owned, at the same address for the life of the frame. */
typedef struct bp_run {
    uint32_t struct_size;
    uint32_t flags;
    /* Differs from run to run, for logs and traces. */
    uint64_t run_id;
    /* Differs from the last run's <=> a base or offset in in[], out[] or scratch changed. */
    uint32_t io_epoch;
    uint32_t reserved0;
    /*
     * Of a provider with queues: the one for this execute, whose work is ordered behind what is in
     * it. Inputs may be on their way in there; execute either puts its own work behind them and
     * gives BP_PENDING, or waits for them itself. NULL: inputs are there, and execute returns when
     * it is done. The host waits before it reads; a stream may be another one at each run.
     */
    void *stream;
    /*
     * Of a provider with BP_PROVIDER_RUN_EVENTS, else NULL: events of its instance. What execute
     * puts into the stream waits for the first, and records the second when it is done. Either may
     * be NULL. A host that copies inputs before execute lets the stream wait itself, as this one
     * does; it asks for the second where another device goes on from the outputs.
     */
    void *wait_event, *signal_event;
    /*
     * execute looks at both at least every 20 ms of work, by bp_stop_check() of bp/sdk.h, and ends
     * with BP_E_CANCELLED or BP_E_TIMEOUT; outputs are undefined then. A provider that does not
     * look says BP_PROVIDER_UNINTERRUPTIBLE.
     */
    const volatile uint32_t *cancel; /* non-zero asks execute to stop; may be NULL */
    int64_t deadline_ns;             /* on CLOCK_MONOTONIC; 0 means none */
    bp_prof *prof;                   /* NULL: profiling is off */
} bp_run;

/*
 * [frozen] The sizes of one value under the shapes of a frame. The host's; dims is read during frame_create
 * only. A provider that needs sizes later copies them.
 */
typedef struct bp_shape {
    const int64_t *dims; /* rank entries */
    uint32_t rank;       /* BP_RANK_UNKNOWN: known only after the producer ran */
    uint32_t dtype;
} bp_shape;

/*
 * A frame's surroundings; the host keeps it at one address for the life of the frame. At
 * frame_create: in[] and out[] have dtype, rank, dims and space, but no base yet; scratch is NULL.
 * From the first execute on: bases are set and scratch has the bytes that the frame asked for. An
 * output whose rank is BP_RANK_UNKNOWN is produced through alloc_output.
 *
 * Space: of a provider with memory of its own (bp_device_ops), tensors lie in space 1, strings in
 * host memory. During frame_create the provider may write another of its spaces, or BP_SPACE_HOST,
 * into `space` of any of them: shapes that it reads on the host, say. The host copies what lies
 * elsewhere. In host memory base + offset is a multiple of the element's size, or of what
 * bp_frame_needs asks for; in other spaces offset is a multiple of 256. All else in in[] and out[]
 * is only read by the provider.
 *
 * Overlap: inputs, outputs and scratch never overlap, but for the pairs of bp_frame_needs.in_place.
 * An output may be read back during execute; its first contents are undefined.
 */
typedef struct bp_frame_desc {
    uint32_t struct_size;
    uint32_t flags;
    uint32_t n_in, n_out, n_shapes, reserved0;
    /* The tensors are the host's, at one address for the life of the frame. */
    bp_tensor *in, *out;    /* in the order of the graph's inputs and outputs */
    const bp_shape *shapes; /* one a value of the program's graph; valid during frame_create */
    void *scratch;          /* a base in bp_frame_needs.scratch_space; contents are undefined at
                               each execute */
    void *h;
    /*
     * During execute: storage for output `out` whose size came only with the data. Fills
     * out[out].base, dims, rank, bytes. BP_E_NOMEM, or BP_E_INVALID when the output had a shape.
     */
    bp_rc (*alloc_output)(void *h, uint32_t out, uint32_t rank, const int64_t *dims, bp_err *err);
    uint64_t scratch_offset; /* bytes behind scratch; 0 in host memory */
} bp_frame_desc;

/* [frozen] An output that may lie where an input lies, if that input has no later reader. */
typedef struct bp_in_place {
    uint32_t in, out; /* indices of bp_frame_desc.in and out; equally many bytes */
} bp_in_place;

/* What a frame asks for, filled by frame_create. The host zeroes it first. */
typedef struct bp_frame_needs {
    uint32_t struct_size;
    uint32_t flags;
    /* Memory for one execute that keeps nothing between runs; 0: none. */
    size_t scratch_bytes;
    size_t scratch_align;   /* a power of two; 0 reads as 64 */
    uint32_t scratch_space; /* BP_SPACE_HOST, or one of the provider's */
    /*
     * Of every input and output in host memory: base + offset is a multiple of io_align (a power of
     * two, at most 4096; 0: the element's size), and so many bytes behind it may be read (inputs)
     * or written (outputs; their contents mean nothing). The host copies a tensor of the
     * application that has less, so ask for what the kernels need and no more.
     */
    uint32_t io_align;
    uint32_t in_slack, out_slack; /* bytes, at most 4096 */
    /* Pairs that the frame can compute in place; the provider's array, until frame_free. */
    uint32_t n_in_place;
    uint32_t reserved0;
    const bp_in_place *in_place;
} bp_frame_needs;

/*
 * What compile and load make a program for. The host's, lent for the call.
 */
typedef struct bp_compile {
    uint32_t struct_size;
    uint32_t flags;  /* BP_COMPILE_* */
    uint32_t device; /* that capability named for the nodes, as bp_claim.device */
    uint32_t reserved0;
    const char *name; /* of the group, for the provider's own logs: unique within the session */
} bp_compile;

/* bp_compile.flags. */
enum {
    /* compile: save() will follow, so keep what it needs */
    BP_COMPILE_SAVE = 1u << 0,
    /*
     * load: the graph is one node EPContext (com.microsoft), whose inputs and outputs are those of
     * the group that was saved; the blob has to be enough. Only of BP_PROVIDER_CONTEXTS.
     */
    BP_COMPILE_CONTEXT = 1u << 1
};

/* What a program is like. The host zeroes it first and sets struct_size. */
typedef struct bp_program_info {
    uint32_t struct_size;
    /*
     * Frames that there are at once, at most: idle ones are freed for other sizes, and further runs
     * wait for one before they begin. 0: any number, or 1 without BP_PROVIDER_CONCURRENT_FRAMES.
     */
    uint32_t max_frames;
    uint64_t
        frame_bytes; /* that a frame holds beyond bp_frame_needs, in bytes; 0: none or unknown */
} bp_program_info;

/*
 * Memory that an instance holds beyond what the host gave it through frames and weight_get, and took
 * from it through bp_device_ops.alloc: weights in its own layout, caches of primitives, a device's
 * memory. In bytes, now. The host zeroes it first and sets struct_size.
 */
typedef struct bp_instance_memory {
    uint32_t struct_size;
    uint32_t reserved0;
    uint64_t host_weights, host_caches;     /* caches: what trim() could give back */
    uint64_t device_weights, device_caches; /* the same in memory of its devices */
} bp_instance_memory;

/*
 * Receives a saved program, piece by piece. The host implements it and lends it for the call of
 * save(). Pieces may have any size; their order is that of the blob which load() gets back as one
 * span.
 */
typedef struct bp_sink {
    uint32_t struct_size;
    uint32_t reserved0;
    void *h;
    /*
     * Takes n bytes, which it copies before it returns; an error ends the saving and is passed on.
     */
    bp_rc (*write)(void *h, const void *p, size_t n);
} bp_sink;

/*
 * [frozen] One copy: dst->bytes from src to dst. Both are lent for the call. Bytes are copied as they are,
 * from base + offset to base + offset. Which side is ordinary memory, and with it the direction, is
 * told by `space`: BP_SPACE_HOST. Both sides are on devices only with BP_DEV_COPY_DIRECT.
 */
typedef struct bp_copy {
    bp_tensor *dst;
    const bp_tensor *src;
} bp_copy;

/* bp_device_ops.flags. */
enum {
    /* copy takes rows with both sides in memory of the instance, on one device or on two */
    BP_DEV_COPY_DIRECT = 1u << 0
};

/* Flags of bp_device_ops.event_create. */
enum {
    /*
     * Fired by event_signal, never recorded. It may be used again: each signal lets go the waits
     * that were put in before it, and no later one.
     */
    BP_EVENT_MANUAL = 1u << 0
};

/*
 * Memory and queues of a provider with its own memory; NULL for one that computes in host memory.
 * `dev` counts the instance's devices, as bp_claim.device does. alloc, free and copy are never
 * NULL. Queues are (opt): without stream_create copies and execute return when they are done; with
 * it all slots of events but those marked (opt) are there. A stream is in use by one thread at a
 * time; different ones overlap, and with all other calls. A stream, and an event that was recorded
 * in it, belong to the device they were made for.
 */
typedef struct bp_device_ops {
    uint32_t struct_size;
    uint32_t flags; /* BP_DEV_* */
    /*
     * [any] n > 0 bytes in memory space `space` of device `dev`, at a multiple of align (a power of
     * two); *base is opaque to the host
     */
    bp_rc (*alloc)(bp_instance *, uint32_t dev, uint32_t space, size_t n, size_t align, void **base,
                   bp_err *err);
    void (*free)(bp_instance *, uint32_t dev, uint32_t space, void *base); /* [any] */
    /*
     * [any] n copies of dst->bytes each, in order on `stream`; a NULL stream means: return when
     * they are done. One side of each is in host memory, or both are on devices (copied on the
     * stream of dst's device). The rows and tensors are lent for the call, host memory until the
     * stream has come so far.
     */
    bp_rc (*copy)(bp_instance *, const bp_copy *, uint32_t n, void *stream, bp_err *err);
    /* (opt) [any] A queue of work that runs in order. flags: 0. The host's, to stream_destroy. */
    bp_rc (*stream_create)(bp_instance *, uint32_t dev, uint32_t flags, void **out, bp_err *err);
    /*
     * When it returned, nothing that was put in touches memory any more: done, or dropped, which
     * event_notify has told of by then. It does not wait for manual events. The host destroys the
     * stream of a run that was cancelled or is past its deadline: what the device computes then is
     * ended within 20 ms, not waited for, or the provider says BP_PROVIDER_UNINTERRUPTIBLE.
     */
    void (*stream_destroy)(bp_instance *, void *stream);
    /* [any] A point in a stream, not recorded yet. flags: BP_EVENT_*. The host's, to event_destroy. */
    bp_rc (*event_create)(bp_instance *, uint32_t dev, uint32_t flags, void **out, bp_err *err);
    /* [any] No thread waits for it any more. */
    void (*event_destroy)(bp_instance *, void *event);
    /* An event may be recorded again; then it stands for the last time. */
    bp_rc (*event_record)(bp_instance *, void *stream, void *event, bp_err *err);
    /*
     * (opt) What is put in from now on waits for the event, which is one of the instance, of any of
     * its devices, recorded or manual. NULL: the host waits in the stream's place.
     */
    bp_rc (*stream_wait)(bp_instance *, void *stream, void *event, bp_err *err);
    /*
     * [any] waits on the host until the stream came to the event; BP_E_TIMEOUT after timeout_ns,
     * which is < 0 for ever. What went wrong in the stream by then is returned here.
     */
    bp_rc (*event_wait)(bp_instance *, void *event, int64_t timeout_ns, bp_err *err);
    /*
     * (opt) [any] Calls fn(u, rc) once when the stream comes to a recorded event: BP_OK, or what
     * went wrong in it. On any thread, which fn does not keep; before the return, if it is there
     * already. Several may be due for one event. With it a stream of another provider can wait for
     * this one: the host calls it after that one's stream_wait, and fn fires the manual event that
     * is waited for. After an error fn is not called.
     */
    bp_rc (*event_notify)(bp_instance *, void *event, void (*fn)(void *u, bp_rc rc), void *u,
                          bp_err *err);
    /*
     * (opt) [any] Fires a manual event: streams that wait for it go on, or, where rc is an error,
     * fail with it. Comes from another provider's event_notify, so it must not block.
     */
    void (*event_signal)(bp_instance *, void *event, bp_rc rc);
} bp_device_ops;

/* bp_provider.flags. */
enum {
    /*
     * Frames of one program may execute at once. Without it there is one, unless program_info
     * says a number: then one of them executes at a time.
     */
    BP_PROVIDER_CONCURRENT_FRAMES = 1u << 0,
    /*
     * The plug-in leaves no thread, no thread-local with a destructor, no atexit handler and no
     * callback behind, nor do libraries that it brought along: the host unmaps it when the last
     * environment that used it is destroyed. All providers of a plug-in have to say so.
     */
    BP_PROVIDER_UNLOADABLE = 1u << 1,
    BP_PROVIDER_SUBGRAPHS = 1u << 2,  /* may take If, Loop, Scan whole: sees bp_graph.subs */
    BP_PROVIDER_CONTEXTS = 1u << 3,   /* load needs no more than the blob: BP_COMPILE_CONTEXT */
    BP_PROVIDER_ANY_OPTION = 1u << 4, /* keys outside of the schema reach it as strings */
    BP_PROVIDER_UNINTERRUPTIBLE = 1u << 5, /* execute looks at neither cancel nor deadline_ns */
    /*
     * Instances, programs and frames work in the child of a fork() too, whatever other threads of
     * the parent were doing: the provider repairs its locks and threads, as by pthread_atfork().
     * Without the flag the host calls nothing of the provider in a child of a process that has an
     * instance of it; runs that need it fail there with BP_E_UNAVAILABLE.
     */
    BP_PROVIDER_FORK_SAFE = 1u << 6,
    BP_PROVIDER_RUN_EVENTS = 1u << 7, /* execute minds bp_run.wait_event and signal_event */
    /*
     * Operators with a layout (Conv, pools, normalizations: bp-provider(7) lists them) are wanted
     * channels-last: as nodes of the domain com.ms.internal.nhwc, weights as ONNX has them. The host
     * asks about the model's nodes, transposes the data of those that are taken, and asks again;
     * one that is not taken so goes to others. compile gets none of rank 3 or more otherwise.
     */
    BP_PROVIDER_NHWC = 1u << 8
};

/*
 * A provider: constant, in the plug-in's read-only data. Slots marked (opt) may be NULL.
 */
typedef struct bp_provider {
    uint32_t struct_size;
    uint32_t flags;      /* BP_PROVIDER_* */
    const char *id;      /* reverse DNS, never changes: "org.backplane.cpu" */
    const char *name;    /* short: "cpu" */
    const char *version; /* "1.2.3" */
    const char *vendor;
    const bp_option *options; /* (opt) the schema */
    uint32_t n_options, option_stride;
    const bp_device_ops *dev; /* (opt) NULL: computes in host memory */

    /*
     * (opt: yes, one device) [any] Is it usable here and now? Returns within 100 ms, leaves no
     * thread, device context, changed locale, FPU mode, signal mask, directory or environment.
     */
    bp_rc (*is_available)(const bp_host *, bp_avail *, bp_err *err);
    /* (opt) [any] device i < n_devices; strings live until teardown */
    bp_rc (*device)(const bp_host *, uint32_t i, bp_device *, bp_err *err);
    /*
     * [any] A working instance. Options are valid, complete and in schema order. devs are indices
     * for device(); n_devs 0 leaves the choice to the provider. On failure *out is untouched.
     */
    bp_rc (*create)(const bp_host *, const bp_opt *, uint32_t n_opts, const uint32_t *devs,
                    uint32_t n_devs, bp_instance **out, bp_err *err);
    /* [instance] after its last program is freed; joins every thread the instance made */
    void (*destroy)(bp_instance *);
    /*
     * (opt) [instance] one changed option, of a row marked dynamic; frames of the instance may be
     * executing meanwhile. On failure the option is as before.
     */
    bp_rc (*set_option)(bp_instance *, const bp_opt *, bp_err *err);
    /* (opt) [instance] versions of driver, device, library at run time, for cache keys */
    bp_rc (*fingerprint)(bp_instance *, char *buf, uint32_t cap, bp_err *err);
    /*
     * [instance] Says for each node whether it would take it. Pure: the same graph gives the same
     * answer. A node taken here never fails to compile for a fact that was visible here.
     */
    bp_rc (*capability)(bp_instance *, const bp_graph *, const bp_claims *, bp_err *err);
    /*
     * [instance] Makes a program of a group: all of the nodes are its own. The graph stays valid
     * and unmoved until program_free returned. BP_E_UNSUPPORTED: the group goes to the next
     * provider, with the words in the report. Any other error drops the provider from the session.
     */
    bp_rc (*compile)(bp_instance *, const bp_graph *, const bp_compile *, bp_program **out,
                     bp_err *err);
    /*
     * (opt) [instance] the same from what save wrote, here or on another machine; the blob is lent
     * for the call, and may be damaged or foreign: BP_E_STALE, and the host compiles instead.
     */
    bp_rc (*load)(bp_instance *, const bp_graph *, const bp_compile *, bp_span blob,
                  bp_program **out, bp_err *err);
    /* (opt) [program] Writes what load needs. BP_E_UNSUPPORTED: this program cannot be saved. */
    bp_rc (*save)(bp_program *, const bp_sink *, bp_err *err);
    void (*program_free)(bp_program *); /* [program] after its last frame is freed; NULL is fine */
    /*
     * [program] Prepares a run with these shapes: everything that execute would otherwise have to
     * look up, choose or allocate. BP_E_SHAPE: not with these shapes; for them the group's nodes
     * run on the next providers that take them.
     */
    bp_rc (*frame_create)(bp_program *, const bp_frame_desc *, bp_frame_needs *, bp_frame **out,
                          bp_err *err);
    void (*frame_free)(bp_frame *); /* [frame] NULL is fine */
    /* [frame] THE hot call: no allocation, no lock, no log while all is well */
    bp_rc (*execute)(bp_frame *, const bp_run *, bp_err *err);
    /* (opt) [any] a table for an extension id, or NULL */
    const void *(*extension)(const char *id);
    /* (opt) [program] asked once, after compile or load */
    bp_rc (*program_info)(bp_program *, bp_program_info *, bp_err *err);
    /* (opt) [any] what the instance holds; frames may be executing meanwhile */
    bp_rc (*memory)(bp_instance *, bp_instance_memory *, bp_err *err);
    /*
     * (opt) [any] frees what it can make again and no frame uses; frames of the instance may be
     * executing meanwhile
     */
    void (*trim)(bp_instance *);
    /* (opt) operators of its own */
    const bp_op_schema *schemas;
    uint32_t n_schemas, schema_stride;
} bp_provider;

/* What the entry hands out: constant, valid until teardown returned. */
typedef struct bp_module {
    uint32_t struct_size;
    uint16_t abi_major, abi_minor; /* of the header the plug-in was built with */
    uint32_t magic;
    uint32_t flags;
    /* For people; nothing is decided by it. */
    const char *build; /* compiler and date, for reports; may be NULL */
    const bp_provider *const *providers;
    uint32_t n_providers, reserved0;
    /*
     * (opt) [once] before the plug-in is unloaded: no instance is left, and none comes. Called only
     * where all providers say BP_PROVIDER_UNLOADABLE; other plug-ins stay until the process ends.
     */
    void (*teardown)(void);
} bp_module;

/*
 * The one exported symbol, BP_ENTRY_SYMBOL. [once] BP_E_VERSION: the host is too old for this
 * plug-in (say both versions in err). Loading has no side effects before this call, and little in
 * it.
 */
typedef bp_rc (*bp_entry_fn)(const bp_host *, const bp_module **out, bp_err *err);

#ifdef __cplusplus
}
#endif

#endif
