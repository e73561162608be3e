/* SPDX-License-Identifier: MIT */
/*
 * re2_syntax.h - Translates a regular expression from RE2's syntax, which ONNX prescribes, to
 * PCRE2's. No state: safe on any thread.
 */
#ifndef BP_CPU_TEXT_RE2_SYNTAX_H
#define BP_CPU_TEXT_RE2_SYNTAX_H

#include <stddef.h>

/* Bytes that the translation of a pattern of n bytes needs at most. */
#define BP_CPU_REGEX_CAPACITY(n) (16 * (n) + 16)

/*
 * Writes to `out` (BP_CPU_REGEX_CAPACITY(n) bytes) a pattern of the same meaning for PCRE2 with the
 * options UTF and DOLLAR_ENDONLY and line feed as newline, *size bytes. Returns NULL, or what RE2
 * lacks, found at byte *at. A malformed pattern may pass: PCRE2's compiler refuses it.
 */
const char *bp_cpu_regex_translate(const char *pattern, size_t n, char *out, size_t *size,
                                   size_t *at);

#endif
