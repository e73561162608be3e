/* SPDX-License-Identifier: MIT */
/* signal.c - DFT, STFT, window functions and MelWeightMatrix. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>

#define FAMILY BP_FAMILY_SIGNAL

/* ---- DFT ------------------------------------------------------------------------------------- */

/*
 * ONNX: DFT 17, 20.
 * input is (batch, ..., 1 or 2), real or complex; output has 2 in the last dimension, and
 * along axis dft_length or the size of input, of which onesided gives half, n / 2 + 1.
 * inverse with onesided takes that half and gives real elements, 2 * (size - 1) of them. axis
 * is an attribute in 17 and an input in 20.
 */

/* The one element of an integer input, exact or a symbol; NULL: not known. */
static const struct bp_sym *scalar_of(const struct bp_infer *infer, uint32_t i)
{
    const struct bp_fact *fact = bp_rule_in(infer, i);

    return fact && fact->content && fact->n_content == 1 ? fact->content : NULL;
}

/* A scalar that must not be below `least`. */
static bp_rc check_least(struct bp_infer *infer, uint32_t i, int64_t least)
{
    const struct bp_sym *scalar = scalar_of(infer, i);
    bp_rc rc = bp_rule_scalar(infer, i);

    if (rc < 0 || !scalar || !bp_sym_known(*scalar) || scalar->value >= least)
        return rc;
    return bp_fail(infer->err, BP_E_INVALID, "%s is %" PRId64, bp_rule_name(infer, i),
                   scalar->value);
}

/* size / 2 + 1, the frequencies of a real signal. */
static bp_rc half(struct bp_infer *infer, struct bp_sym size, struct bp_sym *out)
{
    bp_rc rc = bp_rule_calc(infer, size, '/', bp_sym_of(2), out);

    return rc < 0 ? rc : bp_rule_shift(infer, *out, 1, out);
}

/* The last dimension has size 1 for real elements, 2 for complex ones. */
static bp_rc check_parts(struct bp_infer *infer, const struct bp_fact *x, bool must_be_complex)
{
    struct bp_sym parts = x->dims[x->rank - 1];

    if (bp_sym_known(parts) && parts.value != 2 && (parts.value != 1 || must_be_complex))
        return bp_fail(infer->err, BP_E_SHAPE, "the last dimension of %s is %" PRId64 ", not %s",
                       bp_rule_name(infer, 0), parts.value, must_be_complex ? "2" : "1 or 2");
    return BP_OK;
}

/* The axis: attribute of version 17, input of version 20. False in *known: only data will tell. */
static bp_rc dft_axis(struct bp_infer *infer, uint32_t rank, uint32_t *out, bool *known)
{
    bool is_attr = bp_rule_has_attr(infer, "axis");
    const struct bp_sym *scalar = is_attr ? NULL : scalar_of(infer, 2);
    bool is_given = !is_attr && bp_rule_in(infer, 2);
    int64_t axis = is_attr ? bp_ir_attr_int(infer->node, "axis", 1) : -2;
    bp_rc rc = is_given ? bp_rule_scalar(infer, 2) : BP_OK;

    *known = !is_given || (scalar && bp_sym_known(*scalar));
    if (rc < 0 || !*known)
        return rc;
    rc = bp_infer_axis(infer, is_given ? scalar->value : axis, rank, "axis", out);
    if (rc >= 0 && *out == rank - 1)
        return bp_fail(infer->err, BP_E_INVALID,
                       "axis is the last one, of real and imaginary part");
    return rc;
}

static bp_rc dft_size(struct bp_infer *infer, struct bp_sym size, bool inverse, bool onesided,
                      struct bp_sym *out)
{
    const struct bp_sym *length = scalar_of(infer, 1);
    bp_rc rc;

    *out = size;
    if (bp_rule_in(infer, 1)) {
        if (!length)
            return bp_rule_from_data(infer, out, 1);
        *out = *length;
    } else if (inverse && onesided) {
        rc = bp_rule_shift(infer, size, -1, out);
        if (rc >= 0)
            rc = bp_rule_calc(infer, *out, '*', bp_sym_of(2), out);
        if (rc < 0)
            return rc;
    }
    if (bp_sym_known(*out) && out->value < 1)
        return bp_fail(infer->err, BP_E_SHAPE, "a transform of length %" PRId64, out->value);
    return onesided && !inverse ? half(infer, *out, out) : BP_OK;
}

static bp_rc infer_dft(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    bool inverse = bp_ir_attr_int(infer->node, "inverse", 0) != 0;
    bool onesided = bp_ir_attr_int(infer->node, "onesided", 0) != 0;
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t axis = 0, dtype = bp_rule_dtype(infer, 0);
    bool known;
    bp_rc rc = bp_rule_rank(infer, 0, 2, BP_MAX_RANK);

    if (rc >= 0)
        rc = check_least(infer, 1, 1);
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(x))
        return bp_rule_unknown(infer, 0, dtype);
    rc = check_parts(infer, x, inverse && onesided);
    if (rc >= 0)
        rc = dft_axis(infer, x->rank, &axis, &known);
    if (rc < 0)
        return rc;
    for (uint32_t d = 0; d < x->rank; d++)
        dims[d] = x->dims[d];
    if (known)
        rc = dft_size(infer, x->dims[axis], inverse, onesided, &dims[axis]);
    else
        rc = bp_rule_from_data(infer, dims, x->rank - 1);
    if (rc < 0)
        return rc;
    dims[x->rank - 1] = bp_sym_of(inverse && onesided ? 1 : 2);
    return bp_rule_set(infer, 0, dtype, x->rank, dims);
}

ROW(DFT, 17, INFER(infer_dft), IN(P("input", '1', FLOAT), OPT_READ("dft_length", '2', INDEX)),
    OUT(P("output", '1', FLOAT)),
    ATTRS(A_INT("axis", 1), A_INT("inverse", 0), A_INT("onesided", 0)));
ROW(DFT, 20, INFER(infer_dft),
    IN(P("input", '1', FLOAT), OPT_READ("dft_length", '2', INDEX), OPT_READ("axis", 0, BP_T(I64))),
    OUT(P("output", '1', FLOAT)), ATTRS(A_INT("inverse", 0), A_INT("onesided", 0)));

/* ---- STFT ------------------------------------------------------------------------------------ */

/*
 * ONNX: STFT 17.
 * signal is (batch, samples) or (batch, samples, 1 or 2). output is (batch, frames,
 * frequencies, 2): frames = 1 + (samples - frame length) / frame_step, frequencies are the
 * frame length, or with onesided half of it plus 1. The frame length is that input or the
 * size of window.
 */

/* Samples of a frame, from the input of that name and the window. */
static bp_rc frame_length(struct bp_infer *infer, struct bp_sym *out)
{
    const struct bp_fact *window = bp_rule_in(infer, 2);
    const struct bp_sym *length = scalar_of(infer, 3);
    bp_rc rc = bp_rule_rank(infer, 2, 1, 1);

    if (rc < 0)
        return rc;
    if (!window && !bp_rule_in(infer, 3))
        return bp_fail(infer->err, BP_E_INVALID, "neither window nor frame_length is given");
    if (bp_rule_in(infer, 3) && length) {
        *out = *length;
        return window ? bp_rule_expect(infer, 2, 0, *length, "frame_length") : BP_OK;
    }
    if (bp_rule_ranked(window)) {
        *out = window->dims[0];
        return BP_OK;
    }
    return bp_rule_from_data(infer, out, 1);
}

/* 1 + (size - length) / step */
static bp_rc count_frames(struct bp_infer *infer, struct bp_sym size, struct bp_sym length,
                          struct bp_sym *out)
{
    const struct bp_sym *step = scalar_of(infer, 1);
    bp_rc rc;

    if (!step)
        return bp_rule_from_data(infer, out, 1);
    if (bp_sym_known(size) && bp_sym_known(length) && size.value < length.value)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "a signal of %" PRId64 " samples holds no frame of %" PRId64, size.value,
                       length.value);
    rc = bp_rule_calc(infer, size, '-', length, out);
    if (rc >= 0)
        rc = bp_rule_calc(infer, *out, '/', *step, out);
    return rc < 0 ? rc : bp_rule_shift(infer, *out, 1, out);
}

static bp_rc infer_stft(struct bp_infer *infer)
{
    const struct bp_fact *signal = bp_rule_in(infer, 0);
    bool onesided = bp_ir_attr_int(infer->node, "onesided", 1) != 0;
    uint32_t dtype = bp_rule_dtype(infer, 0);
    struct bp_sym dims[4], length;
    bp_rc rc = bp_rule_rank(infer, 0, 2, 3);

    if (rc >= 0)
        rc = check_least(infer, 1, 1);
    if (rc >= 0)
        rc = check_least(infer, 3, 1);
    if (rc >= 0)
        rc = frame_length(infer, &length);
    if (rc < 0)
        return rc;
    if (bp_sym_known(length) && length.value < 1)
        return bp_fail(infer->err, BP_E_SHAPE, "the window is empty");
    if (!bp_rule_ranked(signal))
        return bp_rule_unknown(infer, 0, dtype);
    if (signal->rank == 3) /* else it is real */
        rc = check_parts(infer, signal, false);
    dims[0] = signal->dims[0];
    if (rc >= 0)
        rc = count_frames(infer, signal->dims[1], length, &dims[1]);
    dims[2] = length;
    if (rc >= 0 && onesided)
        rc = half(infer, length, &dims[2]);
    dims[3] = bp_sym_of(2);
    return rc < 0 ? rc : bp_rule_set(infer, 0, dtype, 4, dims);
}

ROW(STFT, 17, INFER(infer_stft),
    IN(P("signal", '1', FLOAT), READ("frame_step", '2', INDEX), OPT("window", '1', FLOAT),
       OPT_READ("frame_length", '2', INDEX)),
    OUT(P("output", '1', FLOAT)), ATTRS(A_INT("onesided", 1)));

/* ---- window functions ------------------------------------------------------------------------ */

/*
 * ONNX: BlackmanWindow 17; HammingWindow 17; HannWindow 17.
 * A vector of size elements, of the type that output_datatype names; size is a scalar input,
 * without whose content it comes with the data.
 */

static bp_rc output_type(struct bp_infer *infer, uint32_t *out)
{
    int64_t dtype = bp_ir_attr_int(infer->node, "output_datatype", BP_DTYPE_F32);

    if (dtype <= 0 || dtype >= BP_DTYPE_END || !(BP_T_NUMBER >> dtype & 1))
        return bp_fail(infer->err, BP_E_INVALID,
                       "output_datatype %" PRId64 " is not a numeric type", dtype);
    *out = (uint32_t)dtype;
    return BP_OK;
}

static bp_rc infer_window(struct bp_infer *infer)
{
    const struct bp_sym *size = scalar_of(infer, 0);
    struct bp_sym dim;
    uint32_t dtype;
    bp_rc rc = output_type(infer, &dtype);

    if (rc >= 0)
        rc = check_least(infer, 0, 0);
    if (rc >= 0 && !size)
        rc = bp_rule_from_data(infer, &dim, 1);
    else if (rc >= 0)
        dim = *size;
    return rc < 0 ? rc : bp_rule_set(infer, 0, dtype, 1, &dim);
}

#define WINDOW(op)                                                                                 \
    ROW(op, 17, INFER(infer_window), IN(READ("size", '1', INDEX)), OUT(P("output", '2', NUMBER)),  \
        ATTRS(A_INT("output_datatype", BP_DTYPE_F32), A_INT("periodic", 1)))

WINDOW(BlackmanWindow);
WINDOW(HammingWindow);
WINDOW(HannWindow);

/* ---- MelWeightMatrix ------------------------------------------------------------------------- */

/*
 * ONNX: MelWeightMatrix 17.
 * A matrix (dft_length / 2 + 1, num_mel_bins), of the type that output_datatype names. All
 * inputs are scalars.
 */

static bp_rc infer_mel_weight_matrix(struct bp_infer *infer)
{
    const struct bp_sym *bins = scalar_of(infer, 0), *length = scalar_of(infer, 1);
    struct bp_sym dims[2];
    uint32_t dtype;
    bp_rc rc = output_type(infer, &dtype);

    if (rc >= 0)
        rc = check_least(infer, 0, 0);
    if (rc >= 0)
        rc = check_least(infer, 1, 0);
    for (uint32_t i = 2; i < 5 && rc >= 0; i++)
        rc = bp_rule_scalar(infer, i);
    if (rc >= 0)
        rc = length ? half(infer, *length, &dims[0]) : bp_rule_from_data(infer, &dims[0], 1);
    if (rc >= 0 && !bins)
        rc = bp_rule_from_data(infer, &dims[1], 1);
    else if (rc >= 0)
        dims[1] = *bins;
    return rc < 0 ? rc : bp_rule_set(infer, 0, dtype, 2, dims);
}

ROW(MelWeightMatrix, 17, INFER(infer_mel_weight_matrix),
    IN(READ("num_mel_bins", '1', INDEX), READ("dft_length", '1', INDEX),
       P("sample_rate", '1', INDEX), P("lower_edge_hertz", '2', FLOAT),
       P("upper_edge_hertz", '2', FLOAT)),
    OUT(P("output", '3', NUMBER)), ATTRS(A_INT("output_datatype", BP_DTYPE_F32)));
