/* SPDX-License-Identifier: MIT */
/*
 * typed.h - elements of any type for tests: as double, and integers exactly. A string of n is its
 * two digits, "" is 0; a complex number is its real part.
 */
#ifndef BP_TESTS_TYPED_H
#define BP_TESTS_TYPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bp/abi.h>

/* Types that have elements here. */
static const uint32_t typed_all[] = {BP_DTYPE_F32,  BP_DTYPE_F64, BP_DTYPE_F16,  BP_DTYPE_BF16,
                                     BP_DTYPE_I8,   BP_DTYPE_I16, BP_DTYPE_I32,  BP_DTYPE_I64,
                                     BP_DTYPE_U8,   BP_DTYPE_U16, BP_DTYPE_U32,  BP_DTYPE_U64,
                                     BP_DTYPE_BOOL, BP_DTYPE_C64, BP_DTYPE_C128, BP_DTYPE_STRING};

enum {
    TYPED_FLOATS = 4,   /* the first of them are floats, */
    TYPED_NUMBERS = 12, /* and so many with the integers after those */
    TYPED_ALL = 16
};

bool typed_is_float(uint32_t dtype);
bool typed_is_signed(uint32_t dtype); /* an integer with a sign */

/* Element i, cut off or rounded to the type. */
void typed_put(void *data, uint32_t dtype, size_t i, double x);
double typed_get(const void *data, uint32_t dtype, size_t i);
/* The low bits of an integer as element i. */
void typed_put_bits(void *data, uint32_t dtype, size_t i, uint64_t bits);
/* Element i of integers; those with a sign as int64 has it. */
uint64_t typed_bits(const void *data, uint32_t dtype, size_t i);
/* n values as elements of a type; malloc'ed, at least one byte. */
void *typed_encode(const double *values, size_t n, uint32_t dtype);

/* ---- elements of all types, those below 8 bits too, as nothing but bits or a string's bytes --- */

/* n of them at random: a bool is 0 or 1, a string has up to 23 bytes; malloc'ed. */
void *typed_random(uint64_t *seed, size_t n, uint32_t dtype);
/* Is element i of a the same as element k of b? */
bool typed_same(const void *a, size_t i, const void *b, size_t k, uint32_t dtype);
/* Makes element i of `to` the same as element k of `from`. */
void typed_copy(void *to, size_t i, const void *from, size_t k, uint32_t dtype);

#endif
