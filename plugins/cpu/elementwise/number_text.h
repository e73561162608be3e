/* SPDX-License-Identifier: MIT */
/*
 * number_text.h - elements as decimal text and back, for Cast. The locale does not change the
 * result. Both functions only use their arguments; any thread may call them.
 */
#ifndef BP_CPU_ELEMENTWISE_NUMBER_TEXT_H
#define BP_CPU_ELEMENTWISE_NUMBER_TEXT_H

#include "cpu.h"

enum { BP_CPU_NUMBER_TEXT = 40 /* bytes of the longest text */ };

/*
 * Prints the element, whose type is any but string, complex and those below 8 bits: integers in
 * full, floats with the fewest digits that read back as the same value ("0.1", "1.0", "1e-05",
 * "inf", "nan"), bool as "True" and "False". Returns the number of bytes; there is no NUL.
 */
size_t bp_cpu_number_to_text(uint32_t dtype, const void *element, char to[BP_CPU_NUMBER_TEXT]);

/*
 * Parses a decimal number, with or without point and exponent, or inf, infinity, nan, true, false
 * in any case; white space around it is skipped. *to gets a float32, float64 or int64 (a larger
 * uint64 gets its bits; a fraction is truncated). `work` has text.size + 8 bytes. False: it is
 * not a number.
 */
bool bp_cpu_text_to_number(bp_span text, uint32_t dtype, void *to, char *work);

#endif
