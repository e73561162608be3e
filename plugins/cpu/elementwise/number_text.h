/* SPDX-License-Identifier: MIT */
/* number_text.h - numbers as text and back, whatever the locale. */
#ifndef BP_CPU_ELEMENTWISE_NUMBER_TEXT_H
#define BP_CPU_ELEMENTWISE_NUMBER_TEXT_H

#include "cpu.h"

enum { BP_CPU_NUMBER_TEXT = 40 /* bytes of the longest one */ };

/*
 * The number at `element`, whose type is any but string, complex and the packed ones: integers as
 * they are, floats by as few digits as tell them from their neighbours ("0.1", "1.0", "1e-05",
 * "inf", "nan"), bool as "True" and "False". Returns its size; no NUL.
 */
size_t bp_cpu_number_to_text(uint32_t dtype, const void *element, char to[BP_CPU_NUMBER_TEXT]);

/*
 * Decimal, with or without point and exponent, or inf, infinity, nan, true or false in any case;
 * blanks around it are fine. To F32, F64 or I64 (a larger U64 has its bits), which gets the whole
 * part. `work` has size + 8 bytes. False: it is no number.
 */
bool bp_cpu_text_to_number(bp_span text, uint32_t dtype, void *to, char *work);

#endif
