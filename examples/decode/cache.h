/* SPDX-License-Identifier: MIT */
/* cache.h - the keys and values of earlier tokens, which a step reads as "past" and writes as "present". */
#ifndef EXAMPLES_DECODE_CACHE_H
#define EXAMPLES_DECODE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include <backplane.h>

enum { MAX_RANK = 8 };

/* An input of the model whose name begins with "past", and its output that begins with "present". */
struct cache_part {
    uint32_t input, output, dtype, rank;
    uint32_t axis; /* the one that grows: the last that the model leaves open */
    int64_t dims[MAX_RANK], out_dims[MAX_RANK]; /* of the buffer to read, and of that to write */
    size_t bytes;                               /* of one token, and of a whole buffer: */
    size_t capacity_bytes;
    void *buffers[2];
};

/*
 * The output of a step is the input of the next: two buffers for each part take turns, so the program
 * copies nothing. The model does, where it appends a token to what it was given.
 */
struct cache {
    struct cache_part *parts;
    uint32_t n_parts;
    int64_t length, capacity; /* tokens */
    int current;              /* which buffers hold the past */
};

/*
 * Buffers for so many tokens of one sequence. False, after a complaint: the model has no such inputs and
 * outputs. *cache is for cache_finish() in any case.
 */
bool cache_init(struct cache *cache, const bp_session *session, int64_t capacity);
void cache_finish(struct cache *cache);

/* Fills in n_parts inputs and outputs of a run with n_new tokens; `outputs` may be NULL. */
void cache_bind(struct cache *cache, int64_t n_new, bp_binding *inputs, bp_binding *outputs);
/* After such a run: what it wrote is the past of the next one. */
void cache_advance(struct cache *cache, int64_t n_new);
/* Forgets all tokens. */
void cache_clear(struct cache *cache);

#endif
