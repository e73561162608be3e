/* SPDX-License-Identifier: MIT */
/*
 * integer_products.c - ConvInteger, MatMulInteger, QLinearConv and QLinearMatMul: the rules of Conv
 * and MatMul over some of their inputs.
 */

#include "config.h"

#include "graph/rules/products.h"

#include <inttypes.h>

enum { MAX_OPERANDS = 3 };

/* Runs `rule`, that of `schema`, over the inputs picked; output 0 gets the type given. */
static bp_rc run_inner(struct bp_infer *infer, bp_infer_fn rule, const struct bp_schema *schema,
                       uint32_t n, const uint32_t *picked, uint32_t dtype)
{
    const struct bp_fact *in[MAX_OPERANDS];
    struct bp_ir_node node = *infer->node;
    struct bp_infer inner = *infer;
    bp_rc rc;

    for (uint32_t i = 0; i < n; i++)
        in[i] = bp_rule_in(infer, picked[i]);
    node.n_in = n;
    node.schema = schema;
    inner.node = &node;
    inner.in = in;
    rc = rule(&inner);
    if (rc >= 0 && bp_rule_wants(infer, 0))
        infer->out[0].dtype = dtype;
    return rc;
}

/* Numbers of quantisation: one, or one for each of `size` (rows, columns or maps) `whose`. */
static bp_rc check_each(struct bp_infer *infer, uint32_t i, const struct bp_fact *of, uint32_t axis,
                        uint32_t max_rank, const char *whose)
{
    const struct bp_fact *fact = bp_rule_in(infer, i);
    bp_rc rc = bp_rule_rank(infer, i, 0, max_rank);

    if (rc < 0 || !bp_rule_ranked(fact) || fact->rank != 1 || !bp_rule_ranked(of) ||
        (bp_sym_known(fact->dims[0]) && fact->dims[0].value == 1))
        return rc;
    return bp_rule_expect(infer, i, 0, of->dims[axis], whose);
}

/* a and its numbers at a + 1 (and a + 2), b alike; `n` numbers for each. */
static bp_rc check_matrices(struct bp_infer *infer, uint32_t a, uint32_t a_number, uint32_t b,
                            uint32_t b_number, uint32_t n)
{
    const struct bp_fact *x = bp_rule_in(infer, a), *y = bp_rule_in(infer, b);
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < n && rc >= 0; i++) {
        if (bp_rule_ranked(x) && x->rank > 1)
            rc = check_each(infer, a_number + i, x, x->rank - 2, BP_MAX_RANK, "the rows of A");
        if (rc >= 0 && bp_rule_ranked(y) && y->rank > 1)
            rc = check_each(infer, b_number + i, y, y->rank - 1, BP_MAX_RANK, "the columns of B");
    }
    return rc;
}

static bp_rc infer_matmul_integer(struct bp_infer *infer)
{
    bp_rc rc = check_matrices(infer, 0, 2, 1, 3, 1);

    if (rc < 0)
        return rc;
    return run_inner(infer, bp_rule_matmul, &bp_schema_MatMul_13, 2, (const uint32_t[]){0, 1},
                     BP_DTYPE_I32);
}

static bp_rc infer_qlinear_matmul(struct bp_infer *infer)
{
    bp_rc rc = check_matrices(infer, 0, 1, 3, 4, 2);

    if (rc >= 0)
        rc = run_inner(infer, bp_rule_matmul, &bp_schema_MatMul_13, 2, (const uint32_t[]){0, 3},
                       bp_rule_dtype(infer, 7));
    return rc;
}

static bp_rc infer_conv_integer(struct bp_infer *infer)
{
    bp_rc rc = bp_rule_scalar(infer, 2);

    if (rc >= 0)
        rc = check_each(infer, 3, bp_rule_in(infer, 1), 0, 1, "the output channels");
    if (rc < 0)
        return rc;
    return run_inner(infer, bp_rule_conv, &bp_schema_Conv_11, 2, (const uint32_t[]){0, 1},
                     BP_DTYPE_I32);
}

static bp_rc infer_qlinear_conv(struct bp_infer *infer)
{
    static const uint32_t single[] = {1, 2, 6, 7};
    bp_rc rc = BP_OK;

    for (size_t i = 0; i < sizeof single / sizeof *single && rc >= 0; i++)
        rc = bp_rule_scalar(infer, single[i]);
    for (uint32_t i = 4; i < 6 && rc >= 0; i++)
        rc = check_each(infer, i, bp_rule_in(infer, 3), 0, 1, "the output channels");
    if (rc < 0)
        return rc;
    return run_inner(infer, bp_rule_conv, &bp_schema_Conv_11, 3, (const uint32_t[]){0, 3, 8},
                     bp_rule_dtype(infer, 7));
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define BYTES (BP_T(I8) | BP_T(U8))
#define SCALE(name) P(name, 0, BP_T(F32))
#define WINDOW                                                                                     \
    ATTRS(A_STRING("auto_pad", "NOTSET"), A_INTS("dilations"), A_INT("group", 1),                  \
          A_INTS("kernel_shape"), A_INTS("pads"), A_INTS("strides"))

ROW(ConvInteger, 10, INFER(infer_conv_integer),
    IN(P("x", '1', BYTES), P("w", '2', BYTES), OPT("x_zero_point", '1', BYTES),
       OPT("w_zero_point", '2', BYTES)),
    OUT(P("y", '3', BP_T(I32))), WINDOW);

ROW(MatMulInteger, 10, INFER(infer_matmul_integer),
    IN(P("A", '1', BYTES), P("B", '2', BYTES), OPT("a_zero_point", '1', BYTES),
       OPT("b_zero_point", '2', BYTES)),
    OUT(P("Y", '3', BP_T(I32))));

ROW(QLinearConv, 10, INFER(infer_qlinear_conv),
    IN(P("x", '1', BYTES), SCALE("x_scale"), P("x_zero_point", '1', BYTES), P("w", '2', BYTES),
       SCALE("w_scale"), P("w_zero_point", '2', BYTES), SCALE("y_scale"),
       P("y_zero_point", '3', BYTES), OPT("B", '4', BP_T(I32))),
    OUT(P("y", '3', BYTES)), WINDOW);

#define QLINEAR_MATMUL(since, bytes, var, scales)                                                  \
    ROW(QLinearMatMul, since, INFER(infer_qlinear_matmul),                                         \
        IN(P("a", '1', bytes), P("a_scale", var, scales), P("a_zero_point", '1', bytes),           \
           P("b", '2', bytes), P("b_scale", var, scales), P("b_zero_point", '2', bytes),           \
           P("y_scale", var, scales), P("y_zero_point", '3', bytes)),                              \
        OUT(P("y", '3', bytes)))

QLINEAR_MATMUL(10, BYTES, 0, BP_T(F32));
QLINEAR_MATMUL(21, BYTES | FLOAT8, 'S', BP_T(F32) | BP_T(F16) | BP_T(BF16));
