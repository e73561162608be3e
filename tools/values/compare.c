/* SPDX-License-Identifier: MIT */
/* compare.c - is a result what was expected? */

#include "config.h"

#include "values/compare.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <bp/sdk.h>

#include "values/value.h"

static bool is_comparable(const bp_tensor *got, const bp_tensor *want)
{
    if (got->dtype != want->dtype || got->rank != want->rank)
        return false;
    for (uint32_t i = 0; i < got->rank; i++) {
        if (got->dims[i] != want->dims[i])
            return false;
    }
    return true;
}

/* Bytes, not text: strings of ONNX may hold NUL. */
static bool same_string(const bp_tensor *got, const bp_tensor *want, size_t i)
{
    const bp_span *a = (const bp_span *)bp_tensor_data(got) + i;
    const bp_span *b = (const bp_span *)bp_tensor_data(want) + i;

    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

/* How far element i is outside its tolerance: 0 is within, infinite is beyond measure. */
static double excess(const bp_tensor *got, const bp_tensor *want, struct tolerance tolerance,
                     size_t i)
{
    double a, b, off;

    if (want->dtype == BP_DTYPE_STRING)
        return same_string(got, want, i) ? 0 : (double)INFINITY;
    if (value_is_exact(want->dtype) && value_bits(got, i) == value_bits(want, i))
        return 0;
    a = value_number(got, i);
    b = value_number(want, i);
    if (value_is_exact(want->dtype))
        return fmax(fabs(a - b), 1); /* wide integers may be rounded to the same double */
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b) ? 0 : (double)INFINITY;
    if (isinf(a) || isinf(b))
        return a == b ? 0 : (double)INFINITY;
    off = fabs(a - b) - (tolerance.absolute + tolerance.relative * fabs(b));
    return off > 0 ? off : 0;
}

/*
 * NumPy has no bfloat16, so a .npy file of expected values holds its bits as uint16: those count
 * as bfloat16.
 */
void compare_tensors(const bp_tensor *got, const bp_tensor *want, struct tolerance tolerance,
                     struct comparison *out)
{
    bp_tensor expected = *want;
    double worst = 0;

    *out = (struct comparison){0};
    if (got->dtype == BP_DTYPE_BF16 && want->dtype == BP_DTYPE_U16)
        expected.dtype = BP_DTYPE_BF16;
    if (!is_comparable(got, &expected))
        return;
    out->is_comparable = true;
    out->count = value_count(got);
    for (size_t i = 0; i < out->count; i++) {
        double off = excess(got, &expected, tolerance, i);

        if (!(off > 0))
            continue;
        out->mismatches++;
        if (off > worst) {
            worst = off;
            out->worst = i;
        }
    }
}

bool compare_is_same(const struct comparison *result)
{
    return result->is_comparable && result->mismatches == 0;
}

/*
 * The index of element i, "[0, 2, 1]"; of a complex tensor its last part is 0 or 1, real or
 * imaginary.
 */
static void index_text(struct bp_text *text, const bp_tensor *tensor, size_t i)
{
    bool is_complex = tensor->dtype == BP_DTYPE_C64 || tensor->dtype == BP_DTYPE_C128;
    size_t step = value_count(tensor);

    text_put(text, "[");
    for (uint32_t d = 0; d < tensor->rank; d++) {
        step /= (size_t)tensor->dims[d];
        text_printf(text, "%s%zu", d ? ", " : "", i / step);
        i %= step;
    }
    if (is_complex)
        text_printf(text, "%s%zu", tensor->rank ? ", " : "", i);
    text_put(text, "]");
}

void compare_words(struct bp_text *text, const bp_tensor *got, const bp_tensor *want,
                   const struct comparison *result)
{
    bp_tensor expected = *want;

    expected.dtype = got->dtype; /* uint16 that stands for bfloat16 */
    if (!result->is_comparable) {
        text_put(text, "got ");
        text_tensor_type(text, got);
        text_put(text, ", expected ");
        text_tensor_type(text, want);
        return;
    }
    if (result->mismatches == 0) {
        text_put(text, "as expected");
        return;
    }
    text_printf(text, "%zu of %zu elements differ, worst at ", result->mismatches, result->count);
    index_text(text, got, result->worst);
    text_put(text, ": got ");
    value_text(text, got, result->worst);
    text_put(text, ", expected ");
    value_text(text, &expected, result->worst);
}
