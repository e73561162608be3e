/* SPDX-License-Identifier: MIT */
/* loops.h - what every template of a loop uses. */
#ifndef BP_CPU_KERNELS_TYPES_LOOPS_H
#define BP_CPU_KERNELS_TYPES_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#include <common/float16.h>

/* add, f32 -> add_f32 */
#define LOOP_JOIN(name, suffix) name##_##suffix
#define LOOP(name, suffix) LOOP_JOIN(name, suffix)

/*
 * Before a loop over elements whose output may lie exactly on an input: no element depends on
 * another, which the compiler cannot see. (clang would warn where it cannot vectorise, and compares
 * the pointers.)
 */
#if defined(__GNUC__) && !defined(__clang__)
#define BP_EACH _Pragma("GCC ivdep")
#else
#define BP_EACH
#endif

/*
 * In front of a loop that gains from wide registers: it is compiled for several levels of x86-64,
 * and the linker's resolver takes the widest that the processor has. All but the first fuse
 * products and sums.
 */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#define BP_LOOP __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define BP_LOOP
#endif

/* An element of 16 bytes. */
struct bp_cpu_pair {
    uint64_t low, high;
};

#endif
