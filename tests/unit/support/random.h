/* SPDX-License-Identifier: MIT */
/* random.h - pseudo-random numbers, the same in every run. */
#ifndef BP_TESTS_RANDOM_H
#define BP_TESTS_RANDOM_H

#include <stdint.h>

/* Start from any seed. */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* 0 to n - 1 */
static inline uint32_t random_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(random_next(state) % n);
}

/* -range to range */
static inline float random_float(uint64_t *state, float range)
{
    return ((float)(random_next(state) >> 40) / 8388608.0f - 1.0f) * range;
}

#endif
