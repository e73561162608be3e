/* SPDX-License-Identifier: MIT */
/*
 * ngram_trie.c - A trie of n-grams of tokens; see ngram_trie.h. Both hash tables use open
 * addressing with linear probing, and are at most half full.
 */

#include "text/ngram_trie.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

/* A bijection of 64 bits (xorshift and multiply) that spreads each bit over the hash. */
static uint64_t mix(uint64_t h)
{
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    return h ^ h >> 31;
}

/* FNV-1a over a text's bytes, or the int64 itself, then mixed. */
static uint32_t hash_token(const bp_span *text, int64_t i64)
{
    const unsigned char *bytes = text ? text->data : NULL;
    uint64_t h = text ? text->size : (uint64_t)i64;

    for (size_t i = 0; text && i < text->size; i++)
        h = (h ^ bytes[i]) * 0x100000001b3u;
    return (uint32_t)mix(h);
}

static uint32_t hash_node(uint32_t parent, int64_t token)
{
    return (uint32_t)mix((uint64_t)token * 0x9e3779b97f4a7c15u + parent);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Makes sure that a list has capacity for one more row; doubles it if need be. False: no memory. */
static bool reserve(void **rows, uint32_t n, uint32_t *cap, size_t width)
{
    uint32_t new_cap = *cap ? 2 * *cap : FIRST_SLOTS;
    void *grown;

    if (n < *cap)
        return true;
    grown = new_cap > *cap ? realloc(*rows, new_cap * width) : NULL;
    if (!grown)
        return false;
    *rows = grown;
    *cap = new_cap;
    return true;
}

/* Hash of entry i of one of the two tables. */
static uint32_t hash_of(const struct bp_cpu_ngram_trie *trie, bool is_node, uint32_t i)
{
    const struct bp_cpu_token *token;

    if (is_node)
        return hash_node(trie->nodes[i].parent, trie->nodes[i].token);
    token = &trie->tokens[i];
    return hash_token(token->text.data ? &token->text : NULL, token->i64);
}

/* Doubles a hash table once it is half full, and inserts all entries again. False: no memory. */
static bool grow_table(struct bp_cpu_ngram_trie *trie, bool is_node)
{
    uint32_t **slots = is_node ? &trie->node_slots : &trie->token_slots;
    uint32_t *mask = is_node ? &trie->node_mask : &trie->token_mask;
    uint32_t n = is_node ? trie->n_nodes : trie->n_tokens, size = *mask + 1, *new_slots;

    if (*slots && n < size / 2)
        return true;
    size = *slots ? 2 * size : FIRST_SLOTS;
    new_slots = size ? calloc(size, sizeof *new_slots) : NULL;
    if (!new_slots)
        return false;
    for (uint32_t i = is_node ? 1 : 0; i < n; i++) {
        uint32_t at = hash_of(trie, is_node, i) & (size - 1);

        while (new_slots[at])
            at = (at + 1) & (size - 1);
        new_slots[at] = i + 1;
    }
    free(*slots);
    *slots = new_slots;
    *mask = size - 1;
    return true;
}

bool bp_cpu_ngram_trie_start(struct bp_cpu_ngram_trie *trie)
{
    void *nodes = NULL;

    if (!grow_table(trie, false) || !grow_table(trie, true) ||
        !reserve(&nodes, 0, &trie->cap_nodes, sizeof *trie->nodes))
        return false;
    trie->nodes = nodes;
    trie->nodes[0] = (struct bp_cpu_ngram_node){0};
    trie->n_nodes = 1;
    return true;
}

void bp_cpu_ngram_trie_finish(struct bp_cpu_ngram_trie *trie)
{
    free(trie->tokens);
    free(trie->nodes);
    free(trie->token_slots);
    free(trie->node_slots);
    *trie = (struct bp_cpu_ngram_trie){0};
}

/* ---- tokens ----------------------------------------------------------------------------------- */

/* The slot of a token, or the free one where it would be inserted. */
static uint32_t token_slot(const struct bp_cpu_ngram_trie *trie, const bp_span *text, int64_t i64)
{
    uint32_t at = hash_token(text, i64) & trie->token_mask;

    for (; trie->token_slots[at]; at = (at + 1) & trie->token_mask) {
        const struct bp_cpu_token *token = &trie->tokens[trie->token_slots[at] - 1];

        if (text ? token->text.size == text->size &&
                       (text->size == 0 || memcmp(token->text.data, text->data, text->size) == 0)
                 : token->i64 == i64)
            break;
    }
    return at;
}

/* An empty text gets non-NULL data, because NULL marks an int64 token. */
bool bp_cpu_ngram_trie_token(struct bp_cpu_ngram_trie *trie, const bp_span *text, int64_t i64,
                             int64_t *out)
{
    uint32_t at = token_slot(trie, text, i64);
    void *rows = trie->tokens;

    if (!trie->token_slots[at]) {
        bool has_memory = reserve(&rows, trie->n_tokens, &trie->cap_tokens, sizeof *trie->tokens);

        trie->tokens = rows;
        if (!has_memory)
            return false;
        trie->tokens[trie->n_tokens].text = text ? *text : (bp_span){0};
        if (text && !text->data)
            trie->tokens[trie->n_tokens].text.data = "";
        trie->tokens[trie->n_tokens].i64 = i64;
        trie->token_slots[at] = ++trie->n_tokens;
    }
    *out = (int64_t)trie->token_slots[at] - 1;
    return grow_table(trie, false);
}

int64_t bp_cpu_ngram_trie_of_text(const struct bp_cpu_ngram_trie *trie, const bp_span *text)
{
    return (int64_t)trie->token_slots[token_slot(trie, text, 0)] - 1;
}

int64_t bp_cpu_ngram_trie_of_int64(const struct bp_cpu_ngram_trie *trie, int64_t i64)
{
    return (int64_t)trie->token_slots[token_slot(trie, NULL, i64)] - 1;
}

/* ---- sequences ------------------------------------------------------------------------------- */

/* The slot of the child of `parent` for a token, or the free one where it would be inserted. */
static uint32_t node_slot(const struct bp_cpu_ngram_trie *trie, uint32_t parent, int64_t token)
{
    uint32_t at = hash_node(parent, token) & trie->node_mask;

    for (; trie->node_slots[at]; at = (at + 1) & trie->node_mask) {
        const struct bp_cpu_ngram_node *node = &trie->nodes[trie->node_slots[at] - 1];

        if (node->parent == parent && node->token == token)
            break;
    }
    return at;
}

bool bp_cpu_ngram_trie_step(struct bp_cpu_ngram_trie *trie, uint32_t *position, int64_t token)
{
    uint32_t at = node_slot(trie, *position, token);
    void *rows = trie->nodes;

    if (!trie->node_slots[at]) {
        bool has_memory = reserve(&rows, trie->n_nodes, &trie->cap_nodes, sizeof *trie->nodes);

        trie->nodes = rows;
        if (!has_memory)
            return false;
        trie->nodes[trie->n_nodes] = (struct bp_cpu_ngram_node){token, *position, 0};
        trie->node_slots[at] = ++trie->n_nodes;
    }
    *position = trie->node_slots[at] - 1;
    return grow_table(trie, true);
}

bool bp_cpu_ngram_trie_find(const struct bp_cpu_ngram_trie *trie, uint32_t *position, int64_t token)
{
    uint32_t slot = trie->node_slots[node_slot(trie, *position, token)];

    if (slot)
        *position = slot - 1;
    return slot != 0;
}
