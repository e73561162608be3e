/* SPDX-License-Identifier: MIT */
/* lookup.c - hash tables with open addressing, at most half full. */

#include "ml/lookup.h"

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

static uint64_t hash_text(uint64_t seed, bp_span text)
{
    const uint8_t *at = text.data;
    uint64_t hash = seed ^ text.size, word;
    size_t n = text.size;

    for (; n >= sizeof word; n -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = mix(hash ^ word);
    }
    word = 0;
    if (n > 0)
        memcpy(&word, at, n);
    return mix(hash ^ word);
}

uint32_t bp_cpu_lookup_number(const struct bp_cpu_lookup *lookup, uint64_t key)
{
    for (uint32_t at = (uint32_t)mix(lookup->seed ^ key);; at++) {
        uint32_t slot = lookup->slots[at & lookup->mask];

        if (slot == 0)
            return lookup->n;
        if (lookup->numbers[slot - 1] == key)
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

/* Puts key i where it is found, or in the first free slot behind. */
static void insert(struct bp_cpu_lookup *lookup, uint32_t i)
{
    uint32_t found = lookup->texts ? bp_cpu_lookup_text(lookup, lookup->texts[i])
                                   : bp_cpu_lookup_number(lookup, lookup->numbers[i]);
    uint32_t at = (uint32_t)(lookup->texts ? hash_text(lookup->seed, lookup->texts[i])
                                           : mix(lookup->seed ^ lookup->numbers[i]));

    while (lookup->slots[at & lookup->mask] != (found < lookup->n ? found + 1 : 0))
        at++;
    lookup->slots[at & lookup->mask] = i + 1;
}

bp_rc bp_cpu_lookup_make(struct bp_cpu_node *node, const uint64_t *numbers, const bp_span *texts,
                         uint32_t n, struct bp_cpu_lookup *out, bp_err *err)
{
    size_t slots = 4;

    while (slots < 2 * (size_t)n)
        slots *= 2;
    if (slots > UINT32_MAX)
        return bp_cpu_fail(node, err, BP_E_INVALID, "it has too many keys");
    *out = (struct bp_cpu_lookup){
        .texts = texts, .numbers = numbers, .mask = (uint32_t)slots - 1, .n = n};
    out->slots = bp_cpu_node_memory(node, slots * sizeof *out->slots);
    if (!out->slots)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for a table");
    out->seed = mix((uintptr_t)out->slots);
    for (uint32_t i = 0; i < n; i++)
        insert(out, i);
    return BP_OK;
}

static uint64_t key_of_f32(uint32_t bits, bool by_value)
{
    if (by_value && (bits & 0x7fffffff) == 0)
        return 0;
    return by_value && (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : bits;
}

static uint64_t key_of_f64(uint64_t bits, bool by_value)
{
    uint64_t magnitude = bits & (UINT64_MAX >> 1), infinity = UINT64_C(0x7ff) << 52;

    if (by_value && magnitude == 0)
        return 0;
    return by_value && magnitude > infinity ? infinity + 1 : bits;
}

void bp_cpu_lookup_keys(uint32_t dtype, const void *from, bool by_value, uint64_t *to, size_t n)
{
    const uint32_t *words = from;
    const uint64_t *wide = from;
    const int32_t *i32 = from;
    const int16_t *i16 = from;

    for (size_t i = 0; i < n; i++) {
        to[i] = dtype == BP_DTYPE_F32   ? key_of_f32(words[i], by_value)
                : dtype == BP_DTYPE_F64 ? key_of_f64(wide[i], by_value)
                : dtype == BP_DTYPE_I32 ? (uint64_t)(int64_t)i32[i]
                : dtype == BP_DTYPE_I16 ? (uint64_t)(int64_t)i16[i]
                                        : wide[i];
    }
}
