/* SPDX-License-Identifier: MIT */
/*
 * isa.c - finds which level of the x86-64 psABI processor and system support. A processor may have
 * AVX while the system does not save its registers, so both are asked.
 */

#include "config.h"

#include "host/inspect/isa.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum word { LEAF1, LEAF7, EXTENDED };

enum {
    OSXSAVE = 27,        /* bit of LEAF1: xcr0 can be read */
    SAVES_AVX = 0x06,    /* of xcr0: SSE and AVX state */
    SAVES_AVX512 = 0xe6, /* and masks, upper halves, upper registers */
};

/* psABI, "Micro-Architecture Levels" */
static const struct feature {
    int level;
    enum word word;
    uint32_t bit;
    const char *name;
} features[] = {
    {2, LEAF1, 0, "sse3"},      {2, LEAF1, 9, "ssse3"},     {2, LEAF1, 13, "cmpxchg16b"},
    {2, LEAF1, 19, "sse4.1"},   {2, LEAF1, 20, "sse4.2"},   {2, LEAF1, 23, "popcnt"},
    {2, EXTENDED, 0, "lahf"},   {3, LEAF1, 12, "fma"},      {3, LEAF1, 22, "movbe"},
    {3, LEAF1, 28, "avx"},      {3, LEAF1, 29, "f16c"},     {3, LEAF7, 3, "bmi1"},
    {3, LEAF7, 5, "avx2"},      {3, LEAF7, 8, "bmi2"},      {3, EXTENDED, 5, "lzcnt"},
    {4, LEAF7, 16, "avx512f"},  {4, LEAF7, 17, "avx512dq"}, {4, LEAF7, 28, "avx512cd"},
    {4, LEAF7, 30, "avx512bw"}, {4, LEAF7, 31, "avx512vl"},
};

/* Reads XCR0. XGETBV is allowed only if OSXSAVE is set (Intel SDM vol. 1, 13.3); else it faults. */
void bp_isa_ask(struct bp_isa *out)
{
    *out = (struct bp_isa){0};
#if defined(__x86_64__)
    uint32_t eax, ebx, ecx, edx;

    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx))
        out->leaf1_ecx = ecx;
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
        out->leaf7_ebx = ebx;
    if (__get_cpuid(0x80000001u, &eax, &ebx, &ecx, &edx))
        out->leaf_ext_ecx = ecx;
    if (out->leaf1_ecx >> OSXSAVE & 1) {
        __asm__("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
        out->xcr0 = (uint64_t)edx << 32 | eax;
    }
#endif
}

static bool has(const struct bp_isa *isa, const struct feature *feature)
{
    const uint32_t words[] = {isa->leaf1_ecx, isa->leaf7_ebx, isa->leaf_ext_ecx};

    return (words[feature->word] >> feature->bit & 1) != 0;
}

/*
 * Does the system save the registers of a level? Levels 1 and 2 need SSE state alone, which every
 * x86-64 system saves.
 */
static bool is_saved(const struct bp_isa *isa, int level)
{
    uint64_t needed = level >= 4 ? SAVES_AVX512 : level == 3 ? SAVES_AVX : 0;

    return (isa->xcr0 & needed) == needed;
}

static bool has_level(const struct bp_isa *isa, int level)
{
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        if (features[i].level <= level && !has(isa, &features[i]))
            return false;
    }
    return is_saved(isa, level);
}

int bp_isa_level(const struct bp_isa *isa)
{
    int level = 1;

    while (level < BP_ISA_MAX && has_level(isa, level + 1))
        level++;
    return level;
}

int bp_isa_level_of(const char *name)
{
    static const char *const names[] = {"", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};

    for (int i = 0; i <= BP_ISA_MAX; i++) {
        if (strcmp(name, names[i]) == 0)
            return i > 0 ? i : 1;
    }
    return BP_ISA_UNKNOWN;
}

static void append(char *out, size_t cap, const char *word)
{
    size_t n = strlen(out);

    snprintf(out + n, cap - n, "%s%s", n ? " " : "", word);
}

void bp_isa_missing(const struct bp_isa *isa, int level, char *out, size_t cap)
{
    out[0] = '\0';
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        if (features[i].level <= level && !has(isa, &features[i]))
            append(out, cap, features[i].name);
    }
    if (!is_saved(isa, level))
        append(out, cap,
               level >= 4 ? "AVX-512 state saved by the system" : "AVX state saved by the system");
}
