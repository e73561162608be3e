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
 *   priority    0 to 99: the order where the application gives none, highest first; 50 without it
 *   env, watch  variables and files, with commas between, on which being usable depends
 *   devices     kinds of its devices, cpu, gpu, npu or other, with commas between. Sessions for which
 *               nothing names a provider use those with "cpu" alone, which compute on the machine's
 *               own processor; others are used by name only
 *   license     SPDX expression
 *   no_ctor     1: mapping it runs nothing of it, it has neither constructors nor an init function.
 *               The host refuses a file that claims so in vain. Link with -nostartfiles, for the
 *               compiler's own start files have one
 */
#ifndef BP_MANIFEST_H
#define BP_MANIFEST_H

#include <stdint.h>

/*
 * Owner and type identify the note: a reader skips notes of other owners, such as "GNU", and other
 * types. A change that old readers could not follow would get another type.
 */
#define BP_MANIFEST_OWNER "Backplane"
#define BP_MANIFEST_TYPE 1u
#define BP_MANIFEST_ABI "1.0" /* BP_ABI_MAJOR and BP_ABI_MINOR as text */

#if defined(__x86_64__)
/*
 * The processor and byte order that the compiler generates code for, told by its predefined macros.
 * "other" is for a processor that has no name here yet. It is not found at run time: a plug-in that
 * is cross-compiled names the target.
 */
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

/*
 * The level of the psABI that the compiler may use here; empty: the processor's least. x86-64
 * psABI, "Micro-Architecture Levels". One instruction set of a level asks for the whole level, as a
 * level is all that the manifest can name:
 *
 *     x86-64-v2  SSE3, SSSE3, SSE4.1, SSE4.2, POPCNT, CMPXCHG16B, LAHF/SAHF
 *     x86-64-v3  AVX, AVX2, BMI1, BMI2, F16C, FMA, LZCNT, MOVBE, OSXSAVE
 *     x86-64-v4  AVX512F, AVX512BW, AVX512CD, AVX512DQ, AVX512VL
 *
 * Only SSE3, AVX and AVX512F are tested, since the compilers' options for the others mostly imply
 * one of them. Options for a single scalar extension, such as -mbmi2 or -mpopcnt, do not: a plug-in
 * that is built with those writes its own isa= line, which comes first and therefore counts.
 */
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

/*
 * Sanitizers: GCC defines __SANITIZE_*__, Clang answers __has_feature(). A plug-in that is built
 * with one needs its run-time library in the process, which only a host that is built alike has.
 */
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

/*
 * What the macro adds. It stands behind the plug-in's own lines, and of a key that comes twice the
 * first line counts: a plug-in may therefore set abi, arch, isa and sanitizer itself.
 */
#define BP_MANIFEST_BUILD                                                                          \
    "abi=" BP_MANIFEST_ABI "\narch=" BP_MANIFEST_ARCH "\nisa=" BP_MANIFEST_ISA                     \
    "\nsanitizer=" BP_MANIFEST_SANITIZER

/*
 * ELF gABI, "Note Section": a note is three words of 4 bytes in the byte order of the file (size of
 * the owner's name with its NUL, size of the content, type), then the name, padded with zeroes to a
 * multiple of 4, then the content, padded alike. Here they are 10, a multiple of 4, and 1; the name
 * takes 12 bytes. The struct has no padding of its own, as its words come first and the rest is
 * bytes.
 *
 * `used` keeps the note although nothing refers to it; the name .note.* makes it a section of type
 * SHT_NOTE. Clang's address sanitizer would put a red zone behind the object, which the next note
 * of the file would be read from: hence no_sanitize.
 */
#if defined(__GNUC__) && defined(__ELF__)
#if defined(__clang__)
#define BP_MANIFEST_PLACE                                                                          \
    __attribute__((used, aligned(4), section(".note.backplane"), no_sanitize("address")))
#else
#define BP_MANIFEST_PLACE __attribute__((used, aligned(4), section(".note.backplane")))
#endif
/*
 * Blank lines at the end, so that what follows is aligned. 1 to 4 bytes of 0, never none: C has no
 * arrays of size 0.
 */
#define BP_MANIFEST_TAIL(lines) (4 - (sizeof(lines) + sizeof(BP_MANIFEST_BUILD)) % 4)
/*
 * `lines` is a string literal, or several side by side. At file scope; a semicolon follows. The
 * result is one static constant of the file, bp_plugin_manifest: the macro can be used once a file,
 * and should be used once a plug-in. Each of the two texts ends with its NUL, which ends a line. No
 * code runs for it, and nothing is relocated.
 */
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
/*
 * Other compilers and object formats: there is no note, so that the host refuses the plug-in.
 */
#define BP_MANIFEST(lines) extern const char bp_plugin_manifest[sizeof(lines)]
#endif

#endif
