/* SPDX-License-Identifier: MIT */
/* isa.h - which level of the x86-64 psABI this processor and its system have. */
#ifndef BP_HOST_INSPECT_ISA_H
#define BP_HOST_INSPECT_ISA_H

#include <stddef.h>
#include <stdint.h>

/* Features by CPUID and XGETBV; zeroes on other processors than x86-64. */
struct bp_isa {
    uint32_t leaf1_ecx, leaf7_ebx, leaf_ext_ecx; /* CPUID */
    uint64_t xcr0;                               /* registers that the system saves; 0: none said */
};

enum { BP_ISA_UNKNOWN = -1, BP_ISA_MAX = 4 };

/* Asks this machine. */
void bp_isa_ask(struct bp_isa *out);
/* 1 to 4: the highest level of which all is there; 1 says nothing off x86-64. */
int bp_isa_level(const struct bp_isa *isa);
/* 3 for "x86-64-v3"; 1 for "x86-64" and "", BP_ISA_UNKNOWN for other names. */
int bp_isa_level_of(const char *name);
/* The features of a level that are missing, "avx512f avx512vl". */
void bp_isa_missing(const struct bp_isa *isa, int level, char *out, size_t cap);

#endif
