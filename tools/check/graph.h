/* SPDX-License-Identifier: MIT */
/* graph.h - small graphs made for tests, and the cases that they are made of. */
#ifndef BP_CHECK_GRAPH_H
#define BP_CHECK_GRAPH_H

#include "check/kit.h"

enum { KIT_RANK = 4, KIT_PORTS = 4, KIT_ATTRS = 8, KIT_NODES = 128, KIT_VALUES = 512 };

/* An input or output of a case. */
struct kit_port {
    uint32_t dtype;
    uint32_t rank;
    int64_t dims[KIT_RANK];
    const int64_t *constant; /* its values (int64), or NULL: not constant */
};

/* An attribute with `n` values in ints or floats, as `kind` says. {0} ends a list. */
struct kit_attr {
    const char *name;
    uint32_t type;  /* BP_ATTR_INT, BP_ATTR_FLOAT or BP_ATTR_STRING */
    uint32_t count; /* 0: a single number, no list */
    int64_t ints[KIT_RANK];
    float number;
    const char *text;
};

struct kit_case;
/* Computes the output from the inputs, all as double. */
typedef void (*kit_reference)(const struct kit_case *c, const double *const *in, double *out);

/* A node with sizes, and what it should give. */
struct kit_case {
    const char *name, *op;
    uint32_t opset, since;
    uint32_t n_in;
    struct kit_port in[KIT_PORTS];
    struct kit_port out;
    struct kit_attr attrs[KIT_ATTRS];
    kit_reference reference;
    double tolerance; /* relative and absolute, for float32 */
    double low, high; /* values that are fed */
};

extern const struct kit_case kit_cases[];
extern const size_t kit_n_cases;

size_t kit_count(const struct kit_port *port);            /* elements */
size_t kit_bytes(const struct kit_port *port);            /* bytes */
double kit_load(uint32_t dtype, const void *p, size_t i); /* element i */
void kit_store(uint32_t dtype, void *p, size_t i, double value);
/*
 * Fills with values in [low, high], which depend only on the seed. If low is NaN: with NaN,
 * infinities, zeros and other special values.
 */
void kit_fill(const struct kit_case *c, const struct kit_port *port, void *data, unsigned seed);

/* A graph: as many nodes as were added, independent of each other unless chained. */
struct kit_graph;
struct kit_graph *kit_graph_new(void); /* never NULL */
void kit_graph_free(struct kit_graph *graph);

enum {
    KIT_DYNAMIC = 1u << 0,  /* sizes of the inputs are not known when it is compiled */
    KIT_RANKLESS = 1u << 1, /* nor their ranks */
    KIT_INNER = 1u << 2     /* the output is no output of the graph */
};
/* Adds the node of a case. Its inputs become inputs of the graph or constants. */
uint32_t kit_graph_add(struct kit_graph *graph, const struct kit_case *c, uint32_t flags);
/* Adds a node of one input and one output that consumes the output of node `from`. */
uint32_t kit_graph_chain(struct kit_graph *graph, const struct kit_case *c, uint32_t from,
                         uint32_t flags);
/* Changes what a node says it is. */
void kit_graph_rename(struct kit_graph *graph, uint32_t node, const char *op, const char *domain);
/* Node i comes to place order[i]. */
void kit_graph_permute(struct kit_graph *graph, const uint32_t *order);
/* The table for the plug-in. wide: rows are farther apart than the kit's own header says. */
const bp_graph *kit_graph_table(struct kit_graph *graph, bool wide);
bp_span kit_graph_constant(const bp_graph *table, uint32_t value);

/* ---- answers --------------------------------------------------------------------------------- */

struct kit_answer {
    bool is_given;
    uint32_t verdict, reason;
};

struct kit_answers {
    struct kit_answer node[KIT_NODES];
    uint32_t n_nodes;
    const char *broken; /* a rule that an answer broke, or NULL */
};

/* Asks capability() about a graph; fails the test when it fails. */
void kit_ask(struct kit *kit, bp_instance *instance, const bp_graph *table,
             struct kit_answers *out);
/* Would the node of a case be taken? */
bool kit_takes(struct kit *kit, bp_instance *instance, const struct kit_case *c, uint32_t flags);

/* ---- running --------------------------------------------------------------------------------- */

/*
 * Memory of a tensor or of scratch: an image in host memory with guards around the bytes that count
 * and, in a space of the provider's, as many bytes there, to and from which the image is copied.
 */
struct kit_block {
    unsigned char *raw;   /* malloc'ed */
    unsigned char *image; /* in it, aligned */
    unsigned char *data;  /* in the image: what counts */
    size_t size, bytes;   /* of the image, of data */
    uint32_t space;
    void *base; /* in that space; NULL in host memory */
};

/* A program with one frame and its memory. Starts as {0}. */
struct kit_exec {
    bp_instance *instance;
    bp_program *program;
    bp_frame *frame;
    bp_frame_desc desc;
    bp_frame_needs needs;
    bp_tensor in[KIT_PORTS], out[1];
    int64_t dims[KIT_PORTS + 1][KIT_RANK];
    bp_shape shapes[KIT_VALUES];
    int64_t shape_dims[KIT_VALUES][KIT_RANK];
    struct kit_block in_block[KIT_PORTS], out_block, scratch;
    size_t capacity; /* bytes of a dynamic output's buffer */
    bp_rc placed;    /* what came of kit_place() */
    bp_run run;
    void *stream, *event; /* of a provider that has queues; NULL: execute returns when it is done */
    unsigned seed;        /* of what was fed */
    struct kit *kit;
};

/* Compiles; BP_OK or what compile() said. */
bp_rc kit_compile(struct kit *kit, struct kit_exec *exec, bp_instance *instance,
                  const bp_graph *table);
/* A frame for the case's sizes. */
bp_rc kit_frame(struct kit_exec *exec, const bp_graph *table, const struct kit_case *c);
/*
 * Gives each tensor memory anew, at `skew` elements from an aligned place (256 bytes in spaces of
 * the provider), inputs filled. If there is none, kit_execute() says so.
 */
void kit_place(struct kit_exec *exec, const struct kit_case *c, unsigned seed, unsigned skew);
/*
 * One execute: inputs go where they belong, the frame runs, results come back; waits for all of it.
 * BP_OK, or the first thing that went wrong.
 */
bp_rc kit_execute(struct kit_exec *exec);
/* The same in two: into the stream, and waiting for it. A failure leaves the stream empty. */
bp_rc kit_put(struct kit_exec *exec);
bp_rc kit_wait(struct kit_exec *exec);
/* Compares with the reference and looks at the guards; fails the test. `what` is for its words. */
void kit_check(struct kit_exec *exec, const struct kit_case *c, const char *what);
void kit_exec_finish(struct kit_exec *exec);

/* ---- memory (memory.c) ----------------------------------------------------------------------- */

enum { KIT_GUARD = 256, KIT_POISON = 0xff /* NaN in every float type */ };

/* A block of n bytes, `skew` bytes from an aligned place, all poison. What it was is freed. */
bp_rc kit_block_make(struct kit_exec *exec, struct kit_block *block, uint32_t space, size_t n,
                     size_t align, size_t skew);
void kit_block_free(struct kit_exec *exec, struct kit_block *block);
/* Copies the image to the provider's memory, or back; nothing to do in host memory. */
bp_rc kit_block_copy(struct kit_exec *exec, struct kit_block *block, bool is_up, void *stream);
bool kit_block_is_whole(const struct kit_block *block); /* are the guards what they were? */
/* A stream and an event for the frame, if the provider has them. */
bp_rc kit_stream_open(struct kit_exec *exec);
void kit_stream_close(struct kit_exec *exec);

/* The first case that the provider takes; NULL: none. */
const struct kit_case *kit_first_taken(struct kit *kit, bp_instance *instance);
/* The same, and skips the test when there is none. */
const struct kit_case *kit_need_case(struct kit *kit, bp_instance *instance);
/* Compiles and frames the node of a case, alone; the graph is the caller's to free. */
struct kit_graph *kit_ready(struct kit *kit, struct kit_exec *exec, bp_instance *instance,
                            const struct kit_case *c, uint32_t flags);

/* An instance of a provider that can be run; skips the test when it cannot. */
bp_instance *kit_begin(struct kit *kit);
/* One execute, which must succeed. */
void kit_execute_well(struct kit_exec *exec, const struct kit_case *c);
/* Runs a case by itself and compares; see kit_place() for skew. */
void kit_run_case(struct kit *kit, bp_instance *instance, const struct kit_case *c, uint32_t flags,
                  unsigned skew);

/* ---- shapes and saved programs (group_shapes.c) ---------------------------------------------- */

/*
 * Frames and runs what was compiled: a right result, or a refusal that says which shape; true: it
 * ran. All else fails the test.
 */
bool kit_runs(struct kit *kit, struct kit_exec *exec, const bp_graph *table,
              const struct kit_case *c, unsigned skew, const char *what);

struct kit_blob {
    unsigned char *data; /* malloc'ed */
    size_t n;
};

/* An instance that can save, and a case that it takes; else skips the test. */
bp_instance *kit_begin_saving(struct kit *kit, const struct kit_case **c);
/* A saved program of the case; the graph is the caller's to free. */
struct kit_graph *kit_saved(struct kit *kit, bp_instance *instance, const struct kit_case *c,
                            struct kit_blob *blob);
/* load() of a blob: a program that is right (true), or an error with nothing made. */
bool kit_try_load(struct kit *kit, bp_instance *instance, const bp_graph *table,
                  const struct kit_case *c, const void *data, size_t n, const char *what);

#endif
