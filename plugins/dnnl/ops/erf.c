/* SPDX-License-Identifier: MIT */
/* erf.c - Erf (9, 13), a part of Gelu as exporters write it: oneDNN has it only within Gelu. */

#include "base/claim.h"
#include "base/library.h"
#include "base/operator.h"
#include "build/builder.h"
#include "build/input.h"
#include "build/output.h"
#include "build/step.h"

#include <math.h>

/* Any shape; float16 is computed as float32. */
static bool claim(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops)
{
    (void)op;
    (void)flops;
    return bp_dnnl_takes_input(query, 0, 0, BP_DNNL_MAX_RANK);
}

/* The C library's erff(); an iteration is an element. 0 stays 0, so padding does too. */
static void erf_loop(const void *u, const float *x, float *y, size_t first, size_t end)
{
    (void)u;
    for (size_t i = first; i < end; i++)
        y[i] = erff(x[i]);
}

/* In the layout of the input, as float32. */
static bp_rc build(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                   bp_err *err)
{
    struct bp_dnnl_tensor x, y;
    dnnl_memory_desc_t like;
    bp_rc rc = bp_dnnl_tensor_of(b, node->in[0], NULL, &x, err);

    (void)op;
    if (rc >= 0 && x.md.data_type != dnnl_f32) {
        like = x.md;
        like.data_type = dnnl_f32;
        rc = bp_dnnl_tensor_of(b, node->in[0], &like, &x, err);
    }
    if (rc >= 0)
        rc = bp_dnnl_make_in_place(b, node->out[0], node->in[0], &x, &y, err);
    if (rc < 0)
        return rc;
    return bp_dnnl_emit_loop(b, erf_loop, NULL, bp_dnnl.memory_desc_get_size(&x.md) / sizeof(float),
                             &x, &y, err);
}

const struct bp_dnnl_op bp_dnnl_op_erf = {
    .name = "Erf",
    .domain = "",
    .since = 9,
    .until = 13,
    .claim = claim,
    .build = build,
};
