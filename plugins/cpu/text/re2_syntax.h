/* SPDX-License-Identifier: MIT */
/* re2_syntax.h - RE2's syntax, which ONNX uses, said in PCRE2's. */
#ifndef BP_CPU_TEXT_RE2_SYNTAX_H
#define BP_CPU_TEXT_RE2_SYNTAX_H

#include <stddef.h>

/* Room for the translation of a pattern of n bytes. */
#define BP_CPU_REGEX_ROOM(n) (8 * (n) + 16)

/*
 * Writes to `out` what means the same to PCRE2 with its options UTF and DOLLAR_ENDONLY, and a line
 * feed as the end of lines. NULL: done, *size bytes; else what RE2 does not have, at byte *at. A
 * pattern that is plainly wrong may pass: PCRE2 finds that out.
 */
const char *bp_cpu_regex_translate(const char *pattern, size_t n, char *out, size_t *size,
                                   size_t *at);

#endif
