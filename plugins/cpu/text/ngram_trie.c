/* SPDX-License-Identifier: MIT */
/* ngram_trie.c - see ngram_trie.h. Both tables are open, and at most half full. */

#include "text/ngram_trie.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

static uint64_t mix(uint64_t h)
{
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    return h ^ h >> 31;
}

static uint32_t hash_word(const bp_span *text, int64_t number)
{
    const unsigned char *bytes = text ? text->data : NULL;
    uint64_t h = text ? text->size : (uint64_t)number;

    for (size_t i = 0; text && i < text->size; i++)
        h = (h ^ bytes[i]) * 0x100000001b3u;
    return (uint32_t)mix(h);
}

static uint32_t hash_node(uint32_t parent, int64_t word)
{
    return (uint32_t)mix((uint64_t)word * 0x9e3779b97f4a7c15u + parent);
}

/* ---- growing --------------------------------------------------------------------------------- */

/* Room for one more row of a list. */
static bool has_room(void **rows, uint32_t n, uint32_t *cap, size_t width)
{
    uint32_t wider = *cap ? 2 * *cap : FIRST_SLOTS;
    void *grown;

    if (n < *cap)
        return true;
    grown = wider > *cap ? realloc(*rows, wider * width) : NULL;
    if (!grown)
        return false;
    *rows = grown;
    *cap = wider;
    return true;
}

static uint32_t hash_of(const struct bp_cpu_ngram_trie *w, bool is_node, uint32_t i)
{
    const struct bp_cpu_word *word;

    if (is_node)
        return hash_node(w->nodes[i].parent, w->nodes[i].word);
    word = &w->words[i];
    return hash_word(word->text.data ? &word->text : NULL, word->number);
}

/* Doubles a table once it is half full. */
static bool spread(struct bp_cpu_ngram_trie *w, bool is_node)
{
    uint32_t **slots = is_node ? &w->node_slots : &w->word_slots;
    uint32_t *mask = is_node ? &w->node_mask : &w->word_mask;
    uint32_t n = is_node ? w->n_nodes : w->n_words, size = *mask + 1, *wide;

    if (*slots && n < size / 2)
        return true;
    size = *slots ? 2 * size : FIRST_SLOTS;
    wide = size ? calloc(size, sizeof *wide) : NULL;
    if (!wide)
        return false;
    for (uint32_t i = is_node ? 1 : 0; i < n; i++) {
        uint32_t at = hash_of(w, is_node, i) & (size - 1);

        while (wide[at])
            at = (at + 1) & (size - 1);
        wide[at] = i + 1;
    }
    free(*slots);
    *slots = wide;
    *mask = size - 1;
    return true;
}

bool bp_cpu_ngram_trie_start(struct bp_cpu_ngram_trie *w)
{
    void *nodes = NULL;

    if (!spread(w, false) || !spread(w, true) ||
        !has_room(&nodes, 0, &w->cap_nodes, sizeof *w->nodes))
        return false;
    w->nodes = nodes;
    w->nodes[0] = (struct bp_cpu_word_node){0};
    w->n_nodes = 1;
    return true;
}

void bp_cpu_ngram_trie_finish(struct bp_cpu_ngram_trie *w)
{
    free(w->words);
    free(w->nodes);
    free(w->word_slots);
    free(w->node_slots);
    *w = (struct bp_cpu_ngram_trie){0};
}

/* ---- words ----------------------------------------------------------------------------------- */

/* The slot of a word, or the free one where it would go. */
static uint32_t word_slot(const struct bp_cpu_ngram_trie *w, const bp_span *text, int64_t number)
{
    uint32_t at = hash_word(text, number) & w->word_mask;

    for (; w->word_slots[at]; at = (at + 1) & w->word_mask) {
        const struct bp_cpu_word *word = &w->words[w->word_slots[at] - 1];

        if (text ? word->text.size == text->size &&
                       (text->size == 0 || memcmp(word->text.data, text->data, text->size) == 0)
                 : word->number == number)
            break;
    }
    return at;
}

bool bp_cpu_ngram_trie_token(struct bp_cpu_ngram_trie *w, const bp_span *text, int64_t number,
                             int64_t *out)
{
    uint32_t at = word_slot(w, text, number);
    void *rows = w->words;

    if (!w->word_slots[at]) {
        bool has_memory = has_room(&rows, w->n_words, &w->cap_words, sizeof *w->words);

        w->words = rows;
        if (!has_memory)
            return false;
        w->words[w->n_words].text = text ? *text : (bp_span){0};
        if (text && !text->data)
            w->words[w->n_words].text.data = "";
        w->words[w->n_words].number = number;
        w->word_slots[at] = ++w->n_words;
    }
    *out = (int64_t)w->word_slots[at] - 1;
    return spread(w, false);
}

int64_t bp_cpu_ngram_trie_of_text(const struct bp_cpu_ngram_trie *w, const bp_span *text)
{
    return (int64_t)w->word_slots[word_slot(w, text, 0)] - 1;
}

int64_t bp_cpu_ngram_trie_of_number(const struct bp_cpu_ngram_trie *w, int64_t number)
{
    return (int64_t)w->word_slots[word_slot(w, NULL, number)] - 1;
}

/* ---- sequences ------------------------------------------------------------------------------- */

static uint32_t node_slot(const struct bp_cpu_ngram_trie *w, uint32_t parent, int64_t word)
{
    uint32_t at = hash_node(parent, word) & w->node_mask;

    for (; w->node_slots[at]; at = (at + 1) & w->node_mask) {
        const struct bp_cpu_word_node *node = &w->nodes[w->node_slots[at] - 1];

        if (node->parent == parent && node->word == word)
            break;
    }
    return at;
}

bool bp_cpu_ngram_trie_step(struct bp_cpu_ngram_trie *w, uint32_t *place, int64_t word)
{
    uint32_t at = node_slot(w, *place, word);
    void *rows = w->nodes;

    if (!w->node_slots[at]) {
        bool has_memory = has_room(&rows, w->n_nodes, &w->cap_nodes, sizeof *w->nodes);

        w->nodes = rows;
        if (!has_memory)
            return false;
        w->nodes[w->n_nodes] = (struct bp_cpu_word_node){word, *place, 0};
        w->node_slots[at] = ++w->n_nodes;
    }
    *place = w->node_slots[at] - 1;
    return spread(w, true);
}

bool bp_cpu_ngram_trie_find(const struct bp_cpu_ngram_trie *w, uint32_t *place, int64_t word)
{
    uint32_t slot = w->node_slots[node_slot(w, *place, word)];

    if (slot)
        *place = slot - 1;
    return slot != 0;
}
