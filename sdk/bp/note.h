/* SPDX-License-Identifier: MIT */
/*
 * note.h - what a plug-in's file says of itself, to be read without loading it.
 *
 * Each plug-in has one ELF note: owner "Backplane", type 1, and as its content lines "key=value". The
 * host reads it from the file before it maps or runs anything, and refuses a file without one. Put it
 * beside the entry, once a plug-in:
 *
 *     BP_NOTE("id=com.acme.npu\n"
 *             "name=npu\n"
 *             "version=2.1.0");
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
 *               the compiler was told for the file with the note. Code that asks the processor at run
 *               time does not count
 *   sanitizer   "address", "thread" or "memory"; the macro adds it
 *   priority    0 to 99: who comes first where nobody says; 50 without it
 *   env, watch  variables and files, with commas between, on which being usable depends
 *   license     SPDX expression
 *   no_ctor     1: mapping it runs nothing of it, it has neither constructors nor an init function.
 *               The host refuses a file that claims so in vain. Link with -nostartfiles, for the
 *               compiler's own start files have one
 */
#ifndef BP_NOTE_H
#define BP_NOTE_H

#include <stdint.h>

#define BP_NOTE_OWNER "Backplane"
#define BP_NOTE_TYPE 1u
#define BP_NOTE_ABI "1.0" /* BP_ABI_MAJOR and BP_ABI_MINOR as text */

#if defined(__x86_64__)
#define BP_NOTE_ARCH "x86_64"
#elif defined(__i386__)
#define BP_NOTE_ARCH "i386"
#elif defined(__aarch64__)
#define BP_NOTE_ARCH "aarch64"
#elif defined(__arm__)
#define BP_NOTE_ARCH "arm"
#elif defined(__riscv) && __riscv_xlen == 64
#define BP_NOTE_ARCH "riscv64"
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define BP_NOTE_ARCH "ppc64le"
#elif defined(__s390x__)
#define BP_NOTE_ARCH "s390x"
#else
#define BP_NOTE_ARCH "other"
#endif

/* The level of the psABI that the compiler may use here; empty: the processor's least. */
#if !defined(__x86_64__)
#define BP_NOTE_ISA ""
#elif defined(__AVX512F__)
#define BP_NOTE_ISA "x86-64-v4"
#elif defined(__AVX__)
#define BP_NOTE_ISA "x86-64-v3"
#elif defined(__SSE3__)
#define BP_NOTE_ISA "x86-64-v2"
#else
#define BP_NOTE_ISA ""
#endif

#if defined(__has_feature)
#define BP_NOTE_FEATURE(name) __has_feature(name)
#else
#define BP_NOTE_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || BP_NOTE_FEATURE(address_sanitizer)
#define BP_NOTE_SANITIZER "address"
#elif defined(__SANITIZE_THREAD__) || BP_NOTE_FEATURE(thread_sanitizer)
#define BP_NOTE_SANITIZER "thread"
#elif BP_NOTE_FEATURE(memory_sanitizer)
#define BP_NOTE_SANITIZER "memory"
#else
#define BP_NOTE_SANITIZER ""
#endif

#define BP_NOTE_BUILD                                                                              \
    "abi=" BP_NOTE_ABI "\narch=" BP_NOTE_ARCH "\nisa=" BP_NOTE_ISA                                 \
    "\nsanitizer=" BP_NOTE_SANITIZER

#if defined(__GNUC__) && defined(__ELF__)
#if defined(__clang__)
#define BP_NOTE_PLACE                                                                              \
    __attribute__((used, aligned(4), section(".note.backplane"), no_sanitize("address")))
#else
#define BP_NOTE_PLACE __attribute__((used, aligned(4), section(".note.backplane")))
#endif
/* Blank lines at the end, so that what follows is aligned. */
#define BP_NOTE_TAIL(lines) (4 - (sizeof(lines) + sizeof(BP_NOTE_BUILD)) % 4)
/* `lines` is a string literal, or several side by side. At file scope; a semicolon follows. */
#define BP_NOTE(lines)                                                                             \
    static const struct {                                                                          \
        uint32_t owner_size, size, type;                                                           \
        char owner[12]; /* its NUL counts, what pads it does not */                                \
        char own[sizeof(lines)];                                                                   \
        char build[sizeof(BP_NOTE_BUILD)];                                                         \
        char tail[BP_NOTE_TAIL(lines)];                                                            \
    } bp_note_of_plug_in BP_NOTE_PLACE = {                                                         \
        sizeof(BP_NOTE_OWNER),                                                                     \
        (uint32_t)(sizeof(lines) + sizeof(BP_NOTE_BUILD) + BP_NOTE_TAIL(lines)),                   \
        BP_NOTE_TYPE,                                                                              \
        BP_NOTE_OWNER,                                                                             \
        lines,                                                                                     \
        BP_NOTE_BUILD,                                                                             \
        {0}}
#else
#define BP_NOTE(lines) extern const char bp_note_of_plug_in[sizeof(lines)]
#endif

#endif
