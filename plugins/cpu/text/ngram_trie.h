/* SPDX-License-Identifier: MIT */
/*
 * ngram_trie.h - Tokens with an index each, and a trie of sequences of them (n-grams): one token
 * leads from a node to a child; node 0 is the root.
 * The trie owns its tables; texts are borrowed and must live as long. Building belongs to one
 * thread; lookups only read, from any i64 of threads.
 */
#ifndef BP_CPU_TEXT_NGRAM_TRIE_H
#define BP_CPU_TEXT_NGRAM_TRIE_H

#include "cpu.h"

/* A token: a text, or an int64 with text.data NULL. */
struct bp_cpu_token {
    bp_span text; /* borrowed */
    int64_t i64;
};

struct bp_cpu_ngram_node {
    int64_t token; /* index of the token that leads here */
    uint32_t parent;
    uint32_t gram; /* index + 1 of the n-gram that ends here; 0: none */
};

/*
 * Starts as zeros; bp_cpu_ngram_trie_start() makes the root, bp_cpu_ngram_trie_finish() frees the
 * tables.
 */
struct bp_cpu_ngram_trie {
    struct bp_cpu_token *tokens;
    struct bp_cpu_ngram_node *nodes;
    uint32_t n_tokens, n_nodes, cap_tokens, cap_nodes;
    uint32_t *token_slots, *node_slots; /* hash tables: index + 1; 0: free */
    uint32_t token_mask, node_mask;
};

/* False: no memory; finish is still to be called. */
bool bp_cpu_ngram_trie_start(struct bp_cpu_ngram_trie *trie);
void bp_cpu_ngram_trie_finish(struct bp_cpu_ngram_trie *trie);

/*
 * *out is the index of a token (a text, or NULL and an int64), which is added if it is new. False:
 * no memory.
 */
bool bp_cpu_ngram_trie_token(struct bp_cpu_ngram_trie *trie, const bp_span *text, int64_t i64,
                             int64_t *out);
/* Moves *position to the child for a token, which is added if it is new. False: no memory. */
bool bp_cpu_ngram_trie_step(struct bp_cpu_ngram_trie *trie, uint32_t *position, int64_t token);

/* The index of a token; -1: it is unknown. */
int64_t bp_cpu_ngram_trie_of_text(const struct bp_cpu_ngram_trie *trie, const bp_span *text);
int64_t bp_cpu_ngram_trie_of_int64(const struct bp_cpu_ngram_trie *trie, int64_t i64);
/* Moves *position to the child for a token. False: there is none, and *position stays. */
bool bp_cpu_ngram_trie_find(const struct bp_cpu_ngram_trie *trie, uint32_t *position,
                            int64_t token);

#endif
