/* SPDX-License-Identifier: MIT */
/* recurrent.c - LSTM, GRU and RNN. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>

#define FAMILY BP_FAMILY_RECURRENT

/* ---- LSTM, GRU, RNN -------------------------------------------------------------------------- */

/*
 * ONNX: LSTM 1, 7, 14, 22; GRU 1, 3, 7, 14, 22; RNN 1, 7, 14, 22.
 * X is (steps, batch, input size), W (directions, gates * hidden, input size), R (directions,
 * gates * hidden, hidden), B (directions, 2 * gates * hidden); there are 4 gates in LSTM, 3
 * in GRU, 1 in RNN. initial_h and initial_c are (directions, batch, hidden), the peepholes P
 * of LSTM (directions, 3 * hidden).
 * Y is (steps, directions, batch, hidden), Y_h and Y_c are (directions, batch, hidden). With
 * layout=1 (14) the batch is the first dimension of X, Y and the states. hidden_size has to
 * say what R does.
 */

enum { X, W, R, B, SEQUENCE_LENS, INITIAL_H, INITIAL_C, PEEPHOLES };

/* The sizes that all inputs and outputs share. */
struct cell {
    struct bp_sym steps, batch, directions, hidden;
    bool batch_first; /* layout=1 */
};

static bp_rc read_directions(struct bp_infer *infer, struct bp_sym *out)
{
    const struct bp_ir_node *node = infer->node;

    *out = bp_sym_of(1);
    if (bp_ir_attr_is(node, "direction", "forward", "bidirectional")) {
        *out = bp_sym_of(2);
        return BP_OK;
    }
    /* version 1 of GRU has its default misspelt */
    if (bp_ir_attr_is(node, "direction", "forward", "forward") ||
        bp_ir_attr_is(node, "direction", "forward", "foward") ||
        bp_ir_attr_is(node, "direction", "forward", "reverse"))
        return BP_OK;
    return bp_fail(infer->err, BP_E_INVALID,
                   "direction is none of forward, reverse, bidirectional");
}

static bp_rc read_hidden(struct bp_infer *infer, struct bp_sym *out)
{
    const struct bp_fact *r = bp_rule_in(infer, R);

    if (bp_rule_ranked(r) && r->rank == 3)
        *out = r->dims[2];
    else if (!bp_ir_attr(infer->node, "hidden_size"))
        return bp_rule_from_data(infer, out, 1);
    if (bp_ir_attr(infer->node, "hidden_size")) {
        struct bp_sym requested = bp_sym_of(bp_ir_attr_int(infer->node, "hidden_size", 0));

        if (requested.value < 1)
            return bp_fail(infer->err, BP_E_INVALID, "hidden_size is %" PRId64, requested.value);
        if (bp_rule_ranked(r) && !bp_rule_unify(requested, *out, out))
            return bp_fail(infer->err, BP_E_SHAPE,
                           "R has size %" PRId64 " at dimension 2, but hidden_size is %" PRId64,
                           r->dims[2].value, requested.value);
        *out = requested;
    }
    return BP_OK;
}

static bp_rc read_cell(struct bp_infer *infer, struct cell *out)
{
    const struct bp_fact *x = bp_rule_in(infer, X);
    struct bp_sym outer[2];
    bp_rc rc;

    for (uint32_t i = X; i <= R; i++) {
        rc = bp_rule_rank(infer, i, 3, 3);
        if (rc < 0)
            return rc;
    }
    out->batch_first = bp_ir_attr_int(infer->node, "layout", 0) != 0;
    rc = read_directions(infer, &out->directions);
    if (rc >= 0)
        rc = read_hidden(infer, &out->hidden);
    if (rc >= 0 && !bp_rule_ranked(x))
        rc = bp_rule_from_data(infer, outer, 2);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < 2 && bp_rule_ranked(x); i++)
        outer[i] = x->dims[i];
    out->steps = outer[out->batch_first];
    out->batch = outer[!out->batch_first];
    return BP_OK;
}

/* Input i must be of rank 2 with a row a direction and n times the hidden size in each. */
static bp_rc check_rows(struct bp_infer *infer, const struct cell *cell, uint32_t i, int64_t n)
{
    struct bp_sym wide;
    bp_rc rc = bp_rule_rank(infer, i, 2, 2);

    if (rc >= 0)
        rc = bp_rule_expect(infer, i, 0, cell->directions, "direction");
    if (rc >= 0)
        rc = bp_rule_calc(infer, cell->hidden, '*', bp_sym_of(n), &wide);
    if (rc >= 0)
        rc = bp_rule_expect(infer, i, 1, wide, "the hidden size");
    return rc;
}

static bp_rc check_state(struct bp_infer *infer, const struct cell *cell, uint32_t i)
{
    bp_rc rc = bp_rule_rank(infer, i, 3, 3);

    if (rc >= 0)
        rc = bp_rule_expect(infer, i, cell->batch_first, cell->directions, "direction");
    if (rc >= 0)
        rc = bp_rule_expect(infer, i, !cell->batch_first, cell->batch, "the batch of X");
    if (rc >= 0)
        rc = bp_rule_expect(infer, i, 2, cell->hidden, "the hidden size");
    return rc;
}

/* gates: matrices stacked in W and R. */
static bp_rc check_cell(struct bp_infer *infer, const struct cell *cell, int64_t gates)
{
    const struct bp_fact *x = bp_rule_in(infer, X);
    struct bp_sym rows;
    bp_rc rc = bp_rule_calc(infer, cell->hidden, '*', bp_sym_of(gates), &rows);

    for (uint32_t i = W; i <= R && rc >= 0; i++) {
        rc = bp_rule_expect(infer, i, 0, cell->directions, "direction");
        if (rc >= 0)
            rc = bp_rule_expect(infer, i, 1, rows, "the hidden size");
    }
    if (rc >= 0 && bp_rule_ranked(x))
        rc = bp_rule_expect(infer, W, 2, x->dims[2], "the input size of X");
    if (rc >= 0)
        rc = check_rows(infer, cell, B, 2 * gates);
    if (rc >= 0)
        rc = bp_rule_rank(infer, SEQUENCE_LENS, 1, 1);
    if (rc >= 0)
        rc = bp_rule_expect(infer, SEQUENCE_LENS, 0, cell->batch, "the batch of X");
    for (uint32_t i = INITIAL_H; i <= INITIAL_C && rc >= 0; i++)
        rc = check_state(infer, cell, i);
    if (rc >= 0)
        rc = check_rows(infer, cell, PEEPHOLES, 3);
    return rc;
}

static bp_rc recurrent(struct bp_infer *infer, int64_t gates)
{
    uint32_t dtype = bp_rule_dtype(infer, X);
    struct cell cell;
    bp_rc rc = read_cell(infer, &cell);

    if (rc >= 0)
        rc = check_cell(infer, &cell, gates);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < infer->node->n_out && rc >= 0; i++) {
        const struct bp_sym all[2][4] = {
            {cell.steps, cell.directions, cell.batch, cell.hidden},
            {cell.batch, cell.steps, cell.directions, cell.hidden},
        };
        const struct bp_sym last[2][3] = {
            {cell.directions, cell.batch, cell.hidden},
            {cell.batch, cell.directions, cell.hidden},
        };

        /* Y has all steps, Y_h and Y_c the last one */
        if (i == 0)
            rc = bp_rule_set(infer, i, dtype, 4, all[cell.batch_first]);
        else
            rc = bp_rule_set(infer, i, dtype, 3, last[cell.batch_first]);
    }
    return rc;
}

static bp_rc infer_lstm(struct bp_infer *infer)
{
    return recurrent(infer, 4);
}

static bp_rc infer_gru(struct bp_infer *infer)
{
    return recurrent(infer, 3);
}

static bp_rc infer_rnn(struct bp_infer *infer)
{
    return recurrent(infer, 1);
}

#define INPUTS(types)                                                                              \
    P("X", 'T', types), P("W", 'T', types), P("R", 'T', types), OPT("B", 'T', types),              \
        OPT("sequence_lens", '1', BP_T(I32)), OPT("initial_h", 'T', types)
#define CELL(def)                                                                                  \
    A_FLOATS("activation_alpha"), A_FLOATS("activation_beta"), A_STRINGS("activations"),           \
        A_FLOAT_OPT("clip"), A_STRING("direction", def), A_INT_OPT("hidden_size")
#define SEQUENCE A_INT("output_sequence", 0)
#define LAYOUT A_INT("layout", 0)
#define RESET A_INT("linear_before_reset", 0)
#define FORGET A_INT("input_forget", 0)

#define LSTM_ROW(since, types, ...)                                                                \
    ROW(LSTM, since, INFER(infer_lstm),                                                            \
        IN(INPUTS(types), OPT("initial_c", 'T', types), OPT("P", 'T', types)),                     \
        OUT(OPT("Y", 'T', types), OPT("Y_h", 'T', types), OPT("Y_c", 'T', types)),                 \
        ATTRS(CELL("forward"), __VA_ARGS__))

LSTM_ROW(1, FLOAT3, FORGET, SEQUENCE);
LSTM_ROW(7, FLOAT3, FORGET);
LSTM_ROW(14, FLOAT3, FORGET, LAYOUT);
LSTM_ROW(22, FLOAT, FORGET, LAYOUT);

#define GRU_ROW(since, types, y_h, def, ...)                                                       \
    ROW(GRU, since, INFER(infer_gru), IN(INPUTS(types)),                                           \
        OUT(OPT("Y", 'T', types), y_h("Y_h", 'T', types)), ATTRS(CELL(def), __VA_ARGS__))

GRU_ROW(1, FLOAT3, P, "foward", SEQUENCE);
GRU_ROW(3, FLOAT3, OPT, "forward", RESET, SEQUENCE);
GRU_ROW(7, FLOAT3, OPT, "forward", RESET);
GRU_ROW(14, FLOAT3, OPT, "forward", RESET, LAYOUT);
GRU_ROW(22, FLOAT, OPT, "forward", RESET, LAYOUT);

#define RNN_ROW(since, types, ...)                                                                 \
    ROW(RNN, since, INFER(infer_rnn), IN(INPUTS(types)),                                           \
        OUT(OPT("Y", 'T', types), OPT("Y_h", 'T', types)), ATTRS(__VA_ARGS__))

RNN_ROW(1, FLOAT3, CELL("forward"), SEQUENCE);
RNN_ROW(7, FLOAT3, CELL("forward"));
RNN_ROW(14, FLOAT3, CELL("forward"), LAYOUT);
RNN_ROW(22, FLOAT, CELL("forward"), LAYOUT);

/* ---- DynamicQuantizeLSTM --------------------------------------------------------------------- */

/*
 * com.microsoft: DynamicQuantizeLSTM 1.
 * LSTM with quantised weights, which are transposed against those of ONNX: W is (directions,
 * input size, 4 * hidden), R (directions, hidden, 4 * hidden). Scales and zero points have an
 * element for each direction, or for each column of each.
 */

/* One element a direction, or one for each column of its weights. */
static bp_rc check_lstm_scale(struct bp_infer *infer, uint32_t i, const struct bp_fact *r)
{
    bp_rc rc = bp_rule_rank(infer, i, 1, 2);

    if (rc < 0 || !bp_rule_ranked(r))
        return rc;
    rc = bp_rule_expect(infer, i, 0, r->dims[0], "direction");
    return rc < 0 ? rc : bp_rule_expect(infer, i, 1, r->dims[2], "the width of R");
}

/* W and R are transposed against ONNX's LSTM: directions x input x 4 * hidden. */
static bp_rc infer_q_lstm(struct bp_infer *infer)
{
    const uint32_t perm[] = {0, 2, 1};
    const struct bp_fact *in[8];
    bp_rc rc = bp_rule_rank(infer, 1, 3, 3);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 2, 3, 3);
    for (uint32_t i = 8; i < 12 && rc >= 0; i++)
        rc = check_lstm_scale(infer, i, bp_rule_in(infer, 2));
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < 8; i++) {
        in[i] = bp_rule_in(infer, i);
        if ((i == 1 || i == 2) && bp_rule_ranked(in[i])) {
            in[i] = bp_rule_transposed(infer, in[i], perm);
            if (!in[i])
                return bp_fail_nomem(infer->err, "a shape");
        }
    }
    return bp_rule_as(infer, &bp_schema_LSTM_7, in, 8);
}

#define S(name) P(name, 0, BP_T(F32))

#define F(name) OPT(name, 'T', BP_T(F32))

MS_ROW(DynamicQuantizeLSTM, 1, INFER(infer_q_lstm),
       IN(P("X", 'T', BP_T(F32)), P("W", 'W', BYTE8), P("R", 'W', BYTE8), F("B"),
          OPT("sequence_lens", 0, BP_T(I32)), F("initial_h"), F("initial_c"), F("P"), S("W_scale"),
          P("W_zero_point", 'W', BYTE8), S("R_scale"), P("R_zero_point", 'W', BYTE8)),
       OUT(F("Y"), F("Y_h"), F("Y_c")),
       ATTRS(A_FLOATS("activation_alpha"), A_FLOATS("activation_beta"), A_STRINGS("activations"),
             A_FLOAT_OPT("clip"), A_STRING("direction", "forward"), A_INT_OPT("hidden_size"),
             A_INT("input_forget", 0)));
