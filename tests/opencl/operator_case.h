/* SPDX-License-Identifier: MIT */
/*
 * operator_case.h - an operator as a row of texts: models of it with random sizes and contents run on
 * opencl and on cpu, and must give the same.
 *
 *     {"MatMulInteger", NULL, 10, "u8:M,K i8:K,N u8: i8:", "i32", "", 0}
 *
 * in: tensors with blanks between, "-" for an absent one: type, ':' and sizes, which are numbers or
 * letters; a letter is the same random size everywhere in the case. Types are f32, u8, i8, i32, i64 and
 * bool; "scale", float32 from 0.01 to 0.03; "i64<K", indices below the size K, negative ones among
 * them; "i64=K", the number K itself. A '!' before the type makes it an initializer.
 * out: types with blanks between, "-" for an output that is not wanted.
 * attrs: name=i:1, name=f:0.5, name=s:text, name=l:1,2 with blanks between; numbers may be letters.
 */
#ifndef BP_TESTS_OPENCL_OPERATOR_CASE_H
#define BP_TESTS_OPENCL_OPERATOR_CASE_H

#include "support/random.h"
#include "support/session_kit.h"

struct operator_case {
    const char *op, *domain;
    int64_t since;
    const char *in, *out, *attrs;
    double tolerance; /* of floats, beside the largest; of integers as it is */
};

/* `count` models, sizes from 1 to `most`. Fails the test where opencl does not take the node. */
void operator_case_run(const struct operator_case *row, uint32_t count, uint32_t most);
/* From now on sessions of opencl have this option; NULL: none. */
void operator_option(const char *key, const char *value);
/* Can opencl make a session? kit.text says why not. */
bool operator_has_device(void);

#endif
