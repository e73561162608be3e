/* SPDX-License-Identifier: MIT */
/* utf8.h - decodes UTF-8 that may be malformed. */
#ifndef BP_TEXT_UTF8_H
#define BP_TEXT_UTF8_H

#include <stdint.h>

enum { BP_UTF8_REPLACEMENT = 0xfffd }; /* U+FFFD, what stands for a byte that is not UTF-8 */

/*
 * The code point at *at, which must not be the end of the string; *at moves to the next one. Of a
 * malformed sequence one byte is taken, and BP_UTF8_REPLACEMENT returned.
 */
uint32_t bp_utf8_next(const char **at);

#endif
