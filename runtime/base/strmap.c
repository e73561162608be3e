/* SPDX-License-Identifier: MIT */
/*
 * strmap.c - open addressing, linear probing; the hash is SipHash-1-3 under a key of the process.
 */

#include "config.h"

#include "base/strmap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

enum { FIRST_CAP = 16 };

struct bp_strmap_slot {
    const char *key; /* NULL: free */
    uint32_t hash;
    uint32_t value;
};

static inline uint64_t rotate(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

/*
 * SipRound of Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012). A keyed hash, as
 * names come from models: with a known one a file could make every lookup walk the whole table.
 */
static inline void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

static inline void sip_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
}

/* The kernel hands each process 16 random bytes (AT_RANDOM): a key without a mutable global. */
static void load_key(uint64_t key[2])
{
    unsigned long at = getauxval(AT_RANDOM);

    key[0] = key[1] = 0;
    if (at)
        memcpy(key, (const void *)at, 2 * sizeof key[0]);
}

uint64_t bp_keyed_hash(const void *bytes, size_t n)
{
    const unsigned char *text = bytes;
    uint64_t key[2], word, v[4];
    size_t left = n;

    load_key(key);
    v[0] = key[0] ^ UINT64_C(0x736f6d6570736575);
    v[1] = key[1] ^ UINT64_C(0x646f72616e646f6d);
    v[2] = key[0] ^ UINT64_C(0x6c7967656e657261);
    v[3] = key[1] ^ UINT64_C(0x7465646279746573);
    for (; left >= sizeof word; left -= sizeof word, text += sizeof word) {
        memcpy(&word, text, sizeof word);
        sip_word(v, word);
    }
    word = (uint64_t)n << 56;
    for (size_t i = 0; i < left; i++)
        word |= (uint64_t)text[i] << (8 * i);
    sip_word(v, word);
    v[2] ^= 0xff;
    sip_round(v);
    sip_round(v);
    sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static uint32_t hash_of(const char *text)
{
    uint64_t word = bp_keyed_hash(text, strlen(text));

    return (uint32_t)(word ^ word >> 32);
}

/* The slot of the key, or the free one where it would go; there always is a free one. */
static struct bp_strmap_slot *find(const struct bp_strmap *map, const char *key, uint32_t hash)
{
    size_t mask = map->cap - 1, i = hash & mask;

    while (map->slots[i].key && (map->slots[i].hash != hash || strcmp(map->slots[i].key, key) != 0))
        i = (i + 1) & mask;
    return &map->slots[i];
}

static bool grow(struct bp_strmap *map)
{
    struct bp_strmap larger = {0};

    if (map->cap > SIZE_MAX / 2)
        return false;
    larger.count = map->count;
    larger.cap = map->cap ? map->cap * 2 : FIRST_CAP;
    larger.slots = calloc(larger.cap, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < map->cap; i++) {
        const struct bp_strmap_slot *slot = &map->slots[i];

        if (slot->key)
            *find(&larger, slot->key, slot->hash) = *slot;
    }
    free(map->slots);
    *map = larger;
    return true;
}

bool bp_strmap_put(struct bp_strmap *map, const char *key, uint32_t value)
{
    uint32_t hash = hash_of(key);
    struct bp_strmap_slot *slot;

    if (map->count + 1 > map->cap / 4 * 3 && !grow(map))
        return false;
    slot = find(map, key, hash);
    if (!slot->key) {
        slot->key = key;
        slot->hash = hash;
        map->count++;
    }
    slot->value = value;
    return true;
}

uint32_t bp_strmap_get(const struct bp_strmap *map, const char *key, uint32_t fallback)
{
    const struct bp_strmap_slot *slot;

    if (map->count == 0)
        return fallback;
    slot = find(map, key, hash_of(key));
    return slot->key ? slot->value : fallback;
}

void bp_strmap_finish(struct bp_strmap *map)
{
    free(map->slots);
    map->slots = NULL;
    map->count = map->cap = 0;
}
