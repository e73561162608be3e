/* SPDX-License-Identifier: MIT */
/*
 * mersenne_twister.c - see mersenne_twister.h.
 *
 * MT19937 by Matsumoto and Nishimura (1998): 624 words of state, of which a new generation is
 * computed at a time; the constants are theirs.
 */

#include "random/mersenne_twister.h"

#include <math.h>
#include <stdatomic.h>
#include <time.h>

/*
 * What pack keeps for the runs of a node. Only `runs` changes; it is atomic, as frames may run at
 * once.
 */
struct source {
    bool is_seeded;
    uint32_t seed;
    uint64_t origin; /* without a seed: where this node starts */
    _Atomic uint64_t runs;
};

void bp_cpu_random_start(struct bp_cpu_random *random, uint32_t seed)
{
    random->words[0] = seed;
    for (uint32_t i = 1; i < BP_CPU_RANDOM_WORDS; i++) {
        uint32_t before = random->words[i - 1];

        random->words[i] = 1812433253u * (before ^ before >> 30) + i;
    }
    random->used = BP_CPU_RANDOM_WORDS;
    random->has_spare = false;
}

/* Word i of the next generation, from three of this one. */
static uint32_t twist(uint32_t word, uint32_t next, uint32_t far)
{
    uint32_t both = (word & 0x80000000u) | (next & 0x7fffffffu);

    return far ^ both >> 1 ^ ((0u - (both & 1u)) & 0x9908b0dfu);
}

static void next_generation(struct bp_cpu_random *random)
{
    enum { N = BP_CPU_RANDOM_WORDS, FAR = 397 };
    uint32_t *w = random->words, i = 0;

    for (; i < N - FAR; i++)
        w[i] = twist(w[i], w[i + 1], w[i + FAR]);
    for (; i < N - 1; i++)
        w[i] = twist(w[i], w[i + 1], w[i + FAR - N]);
    w[i] = twist(w[i], w[0], w[i + FAR - N]);
    random->used = 0;
}

/* The next word, after the tempering of MT19937. */
static uint32_t next_word(struct bp_cpu_random *random)
{
    uint32_t y;

    if (random->used == BP_CPU_RANDOM_WORDS)
        next_generation(random);
    y = random->words[random->used++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

/* 53 bits from two words: 27 high ones and 26 low ones; 67108864 is 2^26. */
double bp_cpu_random_real(struct bp_cpu_random *random)
{
    uint32_t high = next_word(random) >> 5, low = next_word(random) >> 6;

    return ((double)high * 67108864.0 + (double)low) * 0x1p-53;
}

/*
 * Marsaglia's polar method: a random point in the unit circle gives two numbers. NumPy returns that
 * of y first and keeps that of x, and so does this.
 */
double bp_cpu_random_normal(struct bp_cpu_random *random)
{
    double x, y, size, factor;

    if (random->has_spare) {
        random->has_spare = false;
        return random->spare;
    }
    do {
        x = 2 * bp_cpu_random_real(random) - 1;
        y = 2 * bp_cpu_random_real(random) - 1;
        size = x * x + y * y;
    } while (size >= 1 || !(size > 0));
    factor = sqrt(-2 * log(size) / size);
    random->spare = factor * x;
    random->has_spare = true;
    return factor * y;
}

/* ---- seeds ----------------------------------------------------------------------------------- */

/* The finaliser of SplitMix64: each bit of z changes about half of the result. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A seed that is not a uint32 is hashed to one. */
static uint32_t seed_of_int(int64_t seed)
{
    return seed >= 0 && seed <= UINT32_MAX ? (uint32_t)seed : (uint32_t)mix((uint64_t)seed);
}

/* The attribute is a float in ONNX; a seed outside of uint32 is taken by its bits. */
static uint32_t seed_of_float(float seed)
{
    uint32_t bits;

    if (seed >= 0 && seed < 4294967296.0f)
        return (uint32_t)seed;
    memcpy(&bits, &seed, sizeof bits);
    return bits;
}

bp_rc bp_cpu_random_pack(struct bp_cpu_node *node, bp_err *err)
{
    const bp_attr *seed = bp_node_attr(node->graph, node->node, "seed");
    struct source *source = bp_cpu_node_memory(node, sizeof *source);
    struct timespec now = {0};

    if (!source)
        return bp_cpu_fail(node, err, BP_E_NOMEM, "no memory for the seed");
    node->packed = source;
    atomic_init(&source->runs, 0);
    source->is_seeded = seed != NULL;
    if (seed && seed->type == BP_ATTR_INT)
        source->seed = seed_of_int(bp_cpu_int(node, "seed", 0));
    else if (seed)
        source->seed = seed_of_float(bp_cpu_float(node, "seed", 0));
    /* the time differs between processes, the address between nodes and programs */
    (void)timespec_get(&now, TIME_UTC);
    source->origin = mix((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) ^
                     mix((uint64_t)(uintptr_t)source);
    return BP_OK;
}

void bp_cpu_random_begin(const struct bp_cpu_node *node, struct bp_cpu_random *random)
{
    struct source *source = node->packed;
    uint64_t run;

    if (source->is_seeded) {
        bp_cpu_random_start(random, source->seed);
        return;
    }
    run = atomic_fetch_add_explicit(&source->runs, 1, memory_order_relaxed);
    bp_cpu_random_start(random, (uint32_t)mix(source->origin + run * 0x9e3779b97f4a7c15u));
}
