/* SPDX-License-Identifier: MIT */
/*
 * manifest.h - the manifest of a plug-in: what its file says of itself, read without loading it.
 *
 * It is an ELF note (System V gABI, "Note Section") of the owner "Backplane" and type 1, whose content
 * is lines "key=value". The host reads it from the file before it maps or runs anything, and refuses a
 * file without one. Put it beside the entry, once a plug-in:
 *
 *     BP_MANIFEST("id=com.acme.npu\n"
 *                 "name=npu\n"
 *                 "version=2.1.0");
 *
 * A line ends at a newline or at a NUL. Of a key that comes twice the first line counts; unknown keys
 * are ignored. Values have no control characters.
 *
 *   id          as in bp_provider: reverse DNS, of a-z 0-9 . _ -, at most 127 bytes; must be given
 *   name        short name, of the same characters, at most 63 bytes; must be given
 *   version     of the provider, at most 63 bytes; must be given. Compared number by number
 *   abi         ABI that it was built with, "1.0"; the macro adds it
 *   needs_host  least ABI of a host that it works with, "1.0"; without it: MAJOR.0 of `abi`
 *   arch        processor, "x86_64"; the macro adds it
 *   isa         level of the x86-64 psABI that all of its code needs, "x86-64-v3"; the macro adds what
 *               the compiler was told for the file with the manifest. Code that asks the processor at
 *               run time does not count
 *   sanitizer   "address", "thread" or "memory"; the macro adds it
 *   priority    0 to 99: who comes first where nobody says; 50 without it
 *   env, watch  variables and files, with commas between, on which being usable depends
 *   license     SPDX expression
 *   no_ctor     1: mapping it runs nothing of it, it has neither constructors nor an init function.
 *               The host refuses a file that claims so in vain. Link with -nostartfiles, for the
 *               compiler's own start files have one
 */
#ifndef BP_MANIFEST_H
#define BP_MANIFEST_H

#include <stdint.h>

#define BP_MANIFEST_OWNER "Backplane"
#define BP_MANIFEST_TYPE 1u
#define BP_MANIFEST_ABI "1.0" /* BP_ABI_MAJOR and BP_ABI_MINOR as text */

#if defined(__x86_64__)
#define BP_MANIFEST_ARCH "x86_64"
#elif defined(__i386__)
#define BP_MANIFEST_ARCH "i386"
#elif defined(__aarch64__)
#define BP_MANIFEST_ARCH "aarch64"
#elif defined(__arm__)
#define BP_MANIFEST_ARCH "arm"
#elif defined(__riscv) && __riscv_xlen == 64
#define BP_MANIFEST_ARCH "riscv64"
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define BP_MANIFEST_ARCH "ppc64le"
#elif defined(__s390x__)
#define BP_MANIFEST_ARCH "s390x"
#else
#define BP_MANIFEST_ARCH "other"
#endif

/* The level of the psABI that the compiler may use here; empty: the processor's least. */
#if !defined(__x86_64__)
#define BP_MANIFEST_ISA ""
#elif defined(__AVX512F__)
#define BP_MANIFEST_ISA "x86-64-v4"
#elif defined(__AVX__)
#define BP_MANIFEST_ISA "x86-64-v3"
#elif defined(__SSE3__)
#define BP_MANIFEST_ISA "x86-64-v2"
#else
#define BP_MANIFEST_ISA ""
#endif

#if defined(__has_feature)
#define BP_MANIFEST_FEATURE(name) __has_feature(name)
#else
#define BP_MANIFEST_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || BP_MANIFEST_FEATURE(address_sanitizer)
#define BP_MANIFEST_SANITIZER "address"
#elif defined(__SANITIZE_THREAD__) || BP_MANIFEST_FEATURE(thread_sanitizer)
#define BP_MANIFEST_SANITIZER "thread"
#elif BP_MANIFEST_FEATURE(memory_sanitizer)
#define BP_MANIFEST_SANITIZER "memory"
#else
#define BP_MANIFEST_SANITIZER ""
#endif

#define BP_MANIFEST_BUILD                                                                          \
    "abi=" BP_MANIFEST_ABI "\narch=" BP_MANIFEST_ARCH "\nisa=" BP_MANIFEST_ISA                     \
    "\nsanitizer=" BP_MANIFEST_SANITIZER

#if defined(__GNUC__) && defined(__ELF__)
#if defined(__clang__)
#define BP_MANIFEST_PLACE                                                                          \
    __attribute__((used, aligned(4), section(".note.backplane"), no_sanitize("address")))
#else
#define BP_MANIFEST_PLACE __attribute__((used, aligned(4), section(".note.backplane")))
#endif
/* Blank lines at the end, so that what follows is aligned. */
#define BP_MANIFEST_TAIL(lines) (4 - (sizeof(lines) + sizeof(BP_MANIFEST_BUILD)) % 4)
/* `lines` is a string literal, or several side by side. At file scope; a semicolon follows. */
#define BP_MANIFEST(lines)                                                                         \
    static const struct {                                                                          \
        uint32_t owner_size, size, type;                                                           \
        char owner[12]; /* its NUL counts, what pads it does not */                                \
        char own[sizeof(lines)];                                                                   \
        char build[sizeof(BP_MANIFEST_BUILD)];                                                     \
        char tail[BP_MANIFEST_TAIL(lines)];                                                        \
    } bp_plugin_manifest BP_MANIFEST_PLACE = {                                                     \
        sizeof(BP_MANIFEST_OWNER),                                                                 \
        (uint32_t)(sizeof(lines) + sizeof(BP_MANIFEST_BUILD) + BP_MANIFEST_TAIL(lines)),           \
        BP_MANIFEST_TYPE,                                                                          \
        BP_MANIFEST_OWNER,                                                                         \
        lines,                                                                                     \
        BP_MANIFEST_BUILD,                                                                         \
        {0}}
#else
#define BP_MANIFEST(lines) extern const char bp_plugin_manifest[sizeof(lines)]
#endif

#endif
