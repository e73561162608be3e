/* SPDX-License-Identifier: MIT */
/*
 * lookup.c - Hash tables with open addressing and linear probing, at most half full, so that an
 * absent key is found out after few steps.
 */

#include "ml/lookup.h"

/*
 * A bijection of 64 bits in which each input bit changes about half of the output's (xorshift and
 * multiply).
 */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

/*
 * Eight bytes at a time. The size is part of the hash, so that zero padding of the last chunk makes
 * no two texts alike.
 */
static uint64_t hash_text(uint64_t seed, bp_span text)
{
    const uint8_t *at = text.data;
    uint64_t hash = seed ^ text.size, chunk;
    size_t n = text.size;

    for (; n >= sizeof chunk; n -= sizeof chunk, at += sizeof chunk) {
        memcpy(&chunk, at, sizeof chunk);
        hash = mix(hash ^ chunk);
    }
    chunk = 0;
    if (n > 0)
        memcpy(&chunk, at, n);
    return mix(hash ^ chunk);
}

/* Ends at a free slot, of which there is always one. */
uint32_t bp_cpu_lookup_scalar(const struct bp_cpu_lookup *lookup, uint64_t key)
{
    for (uint32_t at = (uint32_t)mix(lookup->seed ^ key);; at++) {
        uint32_t slot = lookup->slots[at & lookup->mask];

        if (slot == 0)
            return lookup->n;
        if (lookup->scalars[slot - 1] == key)
            return slot - 1;
    }
}

uint32_t bp_cpu_lookup_text(const struct bp_cpu_lookup *lookup, bp_span key)
{
    for (uint32_t at = (uint32_t)hash_text(lookup->seed, key);; at++) {
        uint32_t slot = lookup->slots[at & lookup->mask];
        const bp_span *text = &lookup->texts[slot > 0 ? slot - 1 : 0];

        if (slot == 0)
            return lookup->n;
        if (text->size == key.size &&
            (key.size == 0 || memcmp(text->data, key.data, key.size) == 0))
            return slot - 1;
    }
}

/*
 * Stores key i: over an equal key, because the last one wins, else in the first free slot after its
 * hash.
 */
static void insert(struct bp_cpu_lookup *lookup, uint32_t i)
{
    uint32_t found = lookup->texts ? bp_cpu_lookup_text(lookup, lookup->texts[i])
                                   : bp_cpu_lookup_scalar(lookup, lookup->scalars[i]);
    uint32_t at = (uint32_t)(lookup->texts ? hash_text(lookup->seed, lookup->texts[i])
                                           : mix(lookup->seed ^ lookup->scalars[i]));

    while (lookup->slots[at & lookup->mask] != (found < lookup->n ? found + 1 : 0))
        at++;
    lookup->slots[at & lookup->mask] = i + 1;
}

bp_rc bp_cpu_lookup_make(struct bp_cpu_node *node, const uint64_t *scalars, const bp_span *texts,
                         uint32_t n, struct bp_cpu_lookup *out, bp_err *err)
{
    size_t slots = 4;

    while (slots < 2 * (size_t)n)
        slots *= 2;
    if (slots > UINT32_MAX)
        return bp_cpu_fail(node, err, BP_E_INVALID, "it has too many keys");
    *out = (struct bp_cpu_lookup){
        .texts = texts, .scalars = scalars, .mask = (uint32_t)slots - 1, .n = n};
    out->slots = bp_cpu_node_memory(node, slots * sizeof *out->slots);
    if (!out->slots)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for a table");
    out->seed = mix((uintptr_t)out->slots);
    for (uint32_t i = 0; i < n; i++)
        insert(out, i);
    return BP_OK;
}

/* by_value: +0 and -0 give key 0, every NaN the quiet NaN. */
static uint64_t key_of_f32(uint32_t bits, bool by_value)
{
    if (by_value && (bits & 0x7fffffff) == 0)
        return 0;
    return by_value && (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : bits;
}

/* As key_of_f32(); NaNs become infinity + 1, which is a NaN too. */
static uint64_t key_of_f64(uint64_t bits, bool by_value)
{
    uint64_t magnitude = bits & (UINT64_MAX >> 1), infinity = UINT64_C(0x7ff) << 52;

    if (by_value && magnitude == 0)
        return 0;
    return by_value && magnitude > infinity ? infinity + 1 : bits;
}

void bp_cpu_lookup_keys(uint32_t dtype, const void *from, bool by_value, uint64_t *to, size_t n)
{
    const uint32_t *f32_bits = from;
    const uint64_t *u64 = from;
    const int32_t *i32 = from;
    const int16_t *i16 = from;

    for (size_t i = 0; i < n; i++) {
        to[i] = dtype == BP_DTYPE_F32   ? key_of_f32(f32_bits[i], by_value)
                : dtype == BP_DTYPE_F64 ? key_of_f64(u64[i], by_value)
                : dtype == BP_DTYPE_I32 ? (uint64_t)(int64_t)i32[i]
                : dtype == BP_DTYPE_I16 ? (uint64_t)(int64_t)i16[i]
                                        : u64[i];
    }
}
