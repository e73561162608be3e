/* SPDX-License-Identifier: MIT */
/*
 * ngram_trie.h - words by number, and a tree of sequences of them: from node 0, one word leads to
 * the next node.
 */
#ifndef BP_CPU_TEXT_NGRAM_TRIE_H
#define BP_CPU_TEXT_NGRAM_TRIE_H

#include "cpu.h"

struct bp_cpu_word {
    bp_span text; /* borrowed; or */
    int64_t number;
};

struct bp_cpu_word_node {
    int64_t word; /* that leads here */
    uint32_t parent;
    uint32_t gram; /* number of the sequence that ends here; 0: none */
};

/* Start from zeros with bp_cpu_ngram_trie_start(); finding is safe for several threads. */
struct bp_cpu_ngram_trie {
    struct bp_cpu_word *words;
    struct bp_cpu_word_node *nodes;
    uint32_t n_words, n_nodes, cap_words, cap_nodes;
    uint32_t *word_slots, *node_slots; /* hash tables: number + 1, 0 for none */
    uint32_t word_mask, node_mask;
};

bool bp_cpu_ngram_trie_start(struct bp_cpu_ngram_trie *words);
void bp_cpu_ngram_trie_finish(struct bp_cpu_ngram_trie *words);

/* The number of a word (a text, or NULL and a number), new if need be. False: no memory. */
bool bp_cpu_ngram_trie_token(struct bp_cpu_ngram_trie *words, const bp_span *text, int64_t number,
                             int64_t *out);
/* From node *place to the one behind a word, new if need be. False: no memory. */
bool bp_cpu_ngram_trie_step(struct bp_cpu_ngram_trie *words, uint32_t *place, int64_t word);

/* The number of a word; -1: it is not known. */
int64_t bp_cpu_ngram_trie_of_text(const struct bp_cpu_ngram_trie *words, const bp_span *text);
int64_t bp_cpu_ngram_trie_of_number(const struct bp_cpu_ngram_trie *words, int64_t number);
/* False: no sequence goes on like that; *place stays. */
bool bp_cpu_ngram_trie_find(const struct bp_cpu_ngram_trie *words, uint32_t *place, int64_t word);

#endif
