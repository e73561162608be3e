/* SPDX-License-Identifier: MIT */
/* nn.h - what the files of the provider nnapi share: instances, and what is known of a graph. */
#ifndef BP_NN_H
#define BP_NN_H

#include "model.h"

/* Bits of nnapi_flags, with ONNX Runtime's numbers. */
enum {
    BP_NN_USE_FP16 = 1u << 0,
    BP_NN_USE_NCHW = 1u << 1,
    BP_NN_CPU_DISABLED = 1u << 2,
    BP_NN_CPU_ONLY = 1u << 3
};

enum { BP_NN_N_OPTIONS = 12 };
extern const bp_option bp_nn_option_rows[BP_NN_N_OPTIONS];

/* What the user asked for. Texts are the host's, for the call of create(). */
struct bp_nn_options {
    const char *driver, *stop_ops, *cache_dir;
    uint32_t flags;     /* BP_NN_USE_FP16... of the word and of the single options */
    int32_t preference; /* PreferenceCode */
    int32_t priority;   /* PriorityCode */
    uint64_t compile_deadline_ns, run_deadline_ns; /* 0: none */
};

/* BP_E_OPTION: CPU_DISABLED together with CPU_ONLY. Unknown bits of the word stay in it. */
bp_rc bp_nn_read_options(const bp_opt *opts, uint32_t n_opts, struct bp_nn_options *out,
                         bp_err *err);

struct bp_instance {
    bp_host host;
    const struct bp_nn_driver *driver;
    struct bp_nn_functions nn;    /* those of the runtime's level */
    int64_t runtime_level;        /* of the runtime */
    int64_t level;                /* that operators are held against: of runtime and devices */
    struct bp_nn_options options; /* with the texts below */
    char stop_ops[1024], cache_dir[1024];
    /* Devices that may be used, the preferred first; none below level 29. */
    struct bp_nn_device devices[BP_NN_MAX_DEVICES];
    uint32_t claim_device[BP_NN_MAX_DEVICES]; /* number of each for bp_claim.device */
    uint32_t n_devices;
};

/* Is data in channels-first order for operators with a layout? */
static inline bool bp_nn_is_nchw(const bp_instance *instance)
{
    return (instance->options.flags & BP_NN_USE_NCHW) != 0;
}

/* A line in the host's log. */
void bp_nn_log(const bp_host *host, uint32_t level, const char *fmt, ...) BP_PRINTF(3, 4);

/* ---- a graph's facts (facts.c) --------------------------------------------------------------- */

/* How a quantized tensor's elements are read: (q - zero) * scale. scale 0: not known. */
struct bp_nn_quant {
    float scale;
    int32_t zero;
};

/* An operand of a unit. Of one that is quantized, scale and zero are values of the graph. */
struct bp_nn_arg {
    uint32_t value; /* BP_NONE: absent */
    uint32_t scale, zero;
    bool is_quantized;
    int64_t axis; /* of its scales, if there are several */
};

/*
 * What becomes operations together: a node alone; an operator of the QLinear kind, whose operands
 * are with their scales; or a node between DequantizeLinear and QuantizeLinear (a QDQ unit).
 */
struct bp_nn_unit {
    const bp_node *node;
    uint32_t index; /* of node */
    bool is_qdq;
    uint32_t quantize;    /* of a QDQ unit: its QuantizeLinear */
    uint32_t n_in;        /* operands, absent ones with them */
    struct bp_nn_arg *in; /* the data, without scales and zero points */
    struct bp_nn_arg out; /* output 0 */
};

struct bp_nn_facts {
    const bp_instance *instance;
    const bp_graph *graph;
    struct bp_blocks *memory;
    uint32_t *uses;             /* readers of each value, an output of the graph counted */
    uint32_t *reader;           /* a node that reads it, or BP_NONE */
    struct bp_nn_quant *quants; /* of each value of uint8 */
    uint32_t *unit_of;          /* of each node: the node whose QDQ unit it is in, or itself */
    bool *is_shared; /* DequantizeLinear whose float output a node outside of units reads */
};

/* Everything is the arena's. False: no memory. */
bool bp_nn_facts_init(struct bp_nn_facts *facts, const bp_instance *instance, const bp_graph *graph,
                      struct bp_blocks *memory);
/* The unit of a node that is the middle of one, or alone. False: no memory. */
bool bp_nn_facts_unit(const struct bp_nn_facts *facts, uint32_t node, struct bp_nn_unit *out);

/*
 * Reads the constant value as floats, or as integers (int64, int32, uint8, int8, bool). At most
 * `cap`. *n is the number of elements that it has. False: no constant, another type, unreadable,
 * or more than cap.
 */
bool bp_nn_floats(const bp_instance *instance, const bp_graph *graph, uint32_t value, float *out,
                  uint32_t cap, uint32_t *n);
bool bp_nn_ints(const bp_instance *instance, const bp_graph *graph, uint32_t value, int64_t *out,
                uint32_t cap, uint32_t *n);
/* Scale and zero point of a quantized operand. False: not constant, or more than one. */
bool bp_nn_quant_of(const struct bp_nn_facts *facts, const struct bp_nn_arg *arg,
                    struct bp_nn_quant *out);

#endif
