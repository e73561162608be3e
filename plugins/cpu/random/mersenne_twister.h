/* SPDX-License-Identifier: MIT */
/*
 * mersenne_twister.h - the random numbers of operators: MT19937, seeded and read as NumPy's
 * RandomState does, so that a seed gives the same numbers as there, and as in ONNX's reference
 * implementation.
 *
 * A node with a seed draws the same numbers in each run. Without one it starts anywhere, and each
 * run draws others. A struct bp_cpu_random belongs to one thread.
 */
#ifndef BP_CPU_RANDOM_MERSENNE_TWISTER_H
#define BP_CPU_RANDOM_MERSENNE_TWISTER_H

#include "cpu.h"

enum {
    BP_CPU_RANDOM_WORDS = 624, /* of the state */
    BP_CPU_RANDOM_BLOCK = 256  /* numbers that operators draw before they convert and store them */
};

struct bp_cpu_random {
    uint32_t words[BP_CPU_RANDOM_WORDS];
    uint32_t used; /* words of this generation that are drawn already */
    bool has_spare;
    double spare; /* the second one of a pair of normal numbers */
};

/* Sets the state from a seed. */
void bp_cpu_random_start(struct bp_cpu_random *random, uint32_t seed);
/* Uniform in [0, 1), a multiple of 2^-53. */
double bp_cpu_random_real(struct bp_cpu_random *random);
/* Normal, of mean 0 and standard deviation 1. */
double bp_cpu_random_normal(struct bp_cpu_random *random);

/*
 * The pack function of random operators: reads attribute `seed`, a float or an integer, into
 * node->packed. The whole part of a float counts where it is a uint32, else its bits do.
 * BP_E_NOMEM.
 */
bp_rc bp_cpu_random_pack(struct bp_cpu_node *node, bp_err *err);
/* Starts the numbers of one run of a packed node. [any thread] */
void bp_cpu_random_begin(const struct bp_cpu_node *node, struct bp_cpu_random *random);

#endif
