/* SPDX-License-Identifier: MIT */
/*
 * mersenne_twister.h - the numbers that random operators draw: the Mersenne Twister MT19937, seeded
 * and read as NumPy's RandomState does it, so that a seed gives the numbers that it gives there. A
 * node with a seed draws the same numbers in each run; one without starts anywhere, and each run
 * goes on to other numbers.
 */
#ifndef BP_CPU_RANDOM_MERSENNE_TWISTER_H
#define BP_CPU_RANDOM_MERSENNE_TWISTER_H

#include "cpu.h"

enum {
    BP_CPU_RANDOM_WORDS = 624,
    BP_CPU_RANDOM_BLOCK = 256 /* numbers that operators draw before they store them */
};

struct bp_cpu_random {
    uint32_t words[BP_CPU_RANDOM_WORDS];
    uint32_t used; /* of the words */
    bool has_spare;
    double spare; /* normal numbers come in pairs */
};

void bp_cpu_random_start(struct bp_cpu_random *random, uint32_t seed);
/* From 0 on, below 1, a multiple of 2^-53. */
double bp_cpu_random_real(struct bp_cpu_random *random);
/* Mean 0, deviation 1. */
double bp_cpu_random_normal(struct bp_cpu_random *random);

/*
 * The pack function of random operators: reads attribute `seed`, an integer or a float, whose
 * whole part counts where it fits 32 bits; of others all bits do.
 */
bp_rc bp_cpu_random_pack(struct bp_cpu_node *node, bp_err *err);
/* Starts the numbers of one run. [any thread] */
void bp_cpu_random_begin(const struct bp_cpu_node *node, struct bp_cpu_random *random);

#endif
