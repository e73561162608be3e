/* SPDX-License-Identifier: MIT */
/*
 * float16.c - float16 is storage: converted to float32 where it enters a group, rounded where it
 * leaves; between, values are float32, or what math_mode says. Constants are converted once, in
 * constants.c.
 */

#include "build/float16.h"

#include "build/builder.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/step.h"

#include <common/float16.h>

/* Elements of float16 to float32; an iteration is an element. */
static void convert(const void *u, void *const *at, size_t first, size_t end)
{
    const uint16_t *x = at[0];
    float *y = at[1];

    (void)u;
    for (size_t i = first; i < end; i++)
        y[i] = bp_f16_load(x[i]);
}

/* Float32 to float16: halves to even, what is too large becomes infinite. */
static void round_to_float16(const void *u, void *const *at, size_t first, size_t end)
{
    const float *x = at[0];
    uint16_t *y = at[1];

    (void)u;
    for (size_t i = first; i < end; i++)
        y[i] = bp_f16_store(x[i]);
}

/* One element an iteration; a value without elements needs no step. */
static bp_rc emit(struct bp_dnnl_builder *b, bp_dnnl_typed_loop loop,
                  const struct bp_dnnl_value *value, const struct bp_dnnl_tensor *from,
                  const struct bp_dnnl_tensor *to, bp_err *err)
{
    const struct bp_dnnl_tensor *operands[2] = {from, to};
    size_t n = (size_t)bp_dims_count(value->dims, (uint32_t)value->rank);

    return n == 0 ? BP_OK : bp_dnnl_emit_typed(b, loop, NULL, n, n, 2, operands, err);
}

/* Row-major, as the host has it; other layouts are reordered from that. */
bp_rc bp_dnnl_input_from_float16(struct bp_dnnl_builder *b, uint32_t value,
                                 struct bp_dnnl_location location, bp_err *err)
{
    const struct bp_dnnl_value *v = &b->values[value];
    struct bp_dnnl_tensor from = {.location = location}, to;
    dnnl_memory_desc_t row_major;
    bp_rc rc;

    bp_dnnl_row_major_as(v->rank, v->dims, dnnl_f16, &from.md);
    bp_dnnl_row_major(v->rank, v->dims, &row_major);
    rc = bp_dnnl_temporary(b, &row_major, &to, err);
    if (rc >= 0)
        rc = emit(b, convert, v, &from, &to, err);
    if (rc >= 0)
        bp_dnnl_view(b, value, &to.md, to.location);
    return rc;
}

/* By way of row-major float32, in which the value may exist already. */
bp_rc bp_dnnl_output_to_float16(struct bp_dnnl_builder *b, uint32_t value,
                                struct bp_dnnl_location location, bp_err *err)
{
    const struct bp_dnnl_value *v = &b->values[value];
    struct bp_dnnl_tensor from, to = {.location = location};
    dnnl_memory_desc_t row_major;
    bp_rc rc;

    bp_dnnl_row_major(v->rank, v->dims, &row_major);
    bp_dnnl_row_major_as(v->rank, v->dims, dnnl_f16, &to.md);
    rc = bp_dnnl_tensor_of(b, value, &row_major, &from, err);
    return rc < 0 ? rc : emit(b, round_to_float16, v, &from, &to, err);
}
