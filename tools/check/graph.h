/* SPDX-License-Identifier: MIT */
/* graph.h - small graphs made of cases, and what compiles and runs them. */
#ifndef BP_CHECK_GRAPH_H
#define BP_CHECK_GRAPH_H

#include "check/cases/case.h"
#include "check/kit.h"

enum { KIT_NODES = 1024 /* nodes of a graph whose answers are kept */ };

/* A graph: as many nodes as were added, independent of each other unless chained. */
struct kit_graph;
struct kit_graph *kit_graph_new(void);                 /* of 16 nodes at most; never NULL */
struct kit_graph *kit_graph_new_for(uint32_t n_nodes); /* the same, larger */
void kit_graph_free(struct kit_graph *graph);
/* Names of nodes and values begin anew, as in another model; else each graph has names of its own. */
void kit_graph_same_names(void);

enum {
    KIT_DYNAMIC = 1u << 0,  /* sizes of the inputs are not known when it is compiled */
    KIT_RANKLESS = 1u << 1, /* nor their ranks */
    KIT_INNER = 1u << 2,    /* the output is not an output of the graph */
    KIT_ODD = 1u << 3,      /* initializers lie at odd addresses */
    KIT_TIGHT = 1u << 4     /* initializers cannot be written, and end where no page is */
};
/* Is it an input of the graph? */
bool kit_is_fed(const struct kit_port *port);
/* Adds the node of a case. Its inputs become inputs of the graph or constants. */
uint32_t kit_graph_add(struct kit_graph *graph, const struct kit_case *c, uint32_t flags);
/* Adds a node whose first input is the output of node `from`; its other inputs are added. */
uint32_t kit_graph_chain(struct kit_graph *graph, const struct kit_case *c, uint32_t from,
                         uint32_t flags);
/* Changes what a node says it is. */
void kit_graph_rename(struct kit_graph *graph, uint32_t node, const char *op, const char *domain);
/* Node i comes to place order[i]. */
void kit_graph_permute(struct kit_graph *graph, const uint32_t *order);
/* The table for the plug-in. wide: rows are farther apart than the kit's own header says. */
const bp_graph *kit_graph_table(struct kit_graph *graph, bool wide);
/* Adds the two nodes of a case that kit_case_pair() made. */
void kit_graph_add_pair(struct kit_graph *graph, const struct kit_case *pair, uint32_t flags);
/* The sizes of a value when all are known; its rank in *rank. */
const int64_t *kit_graph_dims(const bp_graph *table, uint32_t value, uint32_t *rank);
bp_span kit_graph_constant(const bp_graph *table, uint32_t value);

/* ---- answers --------------------------------------------------------------------------------- */

struct kit_answer {
    bool is_given;
    uint32_t verdict, reason, device;
};

struct kit_answers {
    struct kit_answer node[KIT_NODES];
    uint32_t n_nodes;
    const char *broken; /* a rule that an answer broke, or NULL */
    char words[256];    /* of the last refusal: what it is about, and the sentence */
};

/* Asks capability() about a graph; fails the test when it fails. */
void kit_ask(struct kit *kit, bp_instance *instance, const bp_graph *table,
             struct kit_answers *out);
/* What capability() says of the node of a case alone: BP_NO, ... words: 256 bytes, or NULL. */
uint32_t kit_verdict_of(struct kit *kit, bp_instance *instance, const struct kit_case *c,
                        uint32_t flags, char *words);
/* Prints the case if it is refused, with the provider's words, or taken only in a group. */
void kit_list_refusal(struct kit *kit, bp_instance *instance, const struct kit_case *c);
/* Would the node of a case be taken? */
bool kit_takes(struct kit *kit, bp_instance *instance, const struct kit_case *c, uint32_t flags);

/* ---- running --------------------------------------------------------------------------------- */

/*
 * Memory of a tensor or of scratch: an image in host memory with guards around the bytes that count
 * and, in a space of the provider's, as many bytes there, to and from which the image is copied.
 */
struct kit_block {
    unsigned char *raw;   /* malloc'ed, or mapped */
    unsigned char *image; /* in it, aligned */
    unsigned char *data;  /* in the image: what counts */
    size_t size, bytes;   /* of the image, of data */
    size_t slack;         /* bytes after data that the provider may touch too */
    size_t mapped;        /* bytes of raw, if it is mapped */
    uint32_t space;
    void *base; /* in that space; NULL in host memory */
};

/* Where a frame's memory is put, to find accesses beside it. */
enum kit_placing {
    KIT_LOOSE,   /* between guards that are looked at after the run */
    KIT_AT_END,  /* right before a page without access; inputs cannot be written */
    KIT_AT_START /* right after such a page */
};

/* What a frame is shown; on pages of its own, which can be made read-only. */
struct kit_view {
    bp_frame_desc desc;
    bp_tensor in[KIT_PORTS], out[1];
    int64_t dims[KIT_PORTS + 1][KIT_RANK];
    bp_run run;
};

/* A program with one frame and its memory. Starts as {0}, but for kit and placing. */
struct kit_exec {
    bp_instance *instance;
    bp_program *program;
    bp_frame *frame;
    struct kit_view *view; /* of kit_frame() */
    bp_frame_desc *desc;   /* in the view, as are the three below */
    bp_tensor *in, *out;
    bp_run *run;
    bp_frame_needs needs;
    struct kit_block in_block[KIT_PORTS], out_block, scratch;
    size_t capacity;      /* bytes of a dynamic output's buffer */
    bp_rc placed;         /* what came of kit_place() */
    void *stream, *event; /* of a provider that has queues; NULL: execute returns when it is done */
    unsigned seed;        /* of what was fed */
    uint32_t placing;     /* enum kit_placing */
    struct kit *kit;
};

/* The device that the provider has claimed the graph for; 0: it has one, or takes nothing. */
uint32_t kit_device_for(struct kit *kit, bp_instance *instance, const bp_graph *table);
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
/* Fills the inputs anew where they are; nothing moves, and scratch keeps what it held. */
void kit_refill(struct kit_exec *exec, const struct kit_case *c, unsigned seed);
/* Overwrites scratch and the output, as a host does that uses the memory for others meanwhile. */
void kit_overwrite(struct kit_exec *exec, int byte);
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
/* The same, with more bytes after the n, which the provider may read or write. */
bp_rc kit_block_make_slack(struct kit_exec *exec, struct kit_block *block, uint32_t space, size_t n,
                           size_t slack, size_t align, size_t skew);
void kit_block_free(struct kit_exec *exec, struct kit_block *block);
/* Copies the image to the provider's memory, or back; nothing to do in host memory. */
bp_rc kit_block_copy(struct kit_exec *exec, struct kit_block *block, bool is_up, void *stream);
bool kit_block_is_whole(const struct kit_block *block); /* are the guards what they were? */
/* Makes the image of a mapped block readable only, or writable again. */
void kit_block_protect(const struct kit_block *block, bool is_read_only);
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

/* The first case that is taken alone, from `from` on; NULL: none. Large ones are left out. */
const struct kit_case *kit_next_taken(struct kit *kit, bp_instance *instance,
                                      const struct kit_case *from);
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
