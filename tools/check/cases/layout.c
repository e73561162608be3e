/* SPDX-License-Identifier: MIT */
/* layout.c - operators that move elements and change none. */

#include "config.h"

#include <math.h>
#include <string.h>

#include <bp/sdk.h>

#include "check/cases/reference.h"

/* The same elements in another shape or type; Cast to an integer cuts off the fraction. */
void ref_same(const struct kit_case *c, const double *const *in, double *out)
{
    for (size_t i = 0; i < kit_count(&c->out); i++) {
        out[i] = kit_is_float(c->out.dtype) ? in[0][i] : trunc(in[0][i]);
        if (c->out.dtype == BP_DTYPE_BOOL)
            out[i] = in[0][i] < 0 || in[0][i] > 0;
    }
}

/* Without perm the axes are reversed. */
void ref_transpose(const struct kit_case *c, const double *const *in, double *out)
{
    const struct kit_attr *perm = ref_attr(c, "perm");

    for (size_t i = 0; i < kit_count(&c->out); i++) {
        int64_t at[KIT_RANK] = {0}, from[KIT_RANK] = {0};

        ref_unravel(&c->out, i, at);
        for (uint32_t d = 0; d < c->out.rank; d++)
            from[perm ? (uint32_t)perm->ints[d] : c->out.rank - 1 - d] = at[d];
        out[i] = in[0][ref_ravel(&c->in[0], from)];
    }
}

void ref_concat(const struct kit_case *c, const double *const *in, double *out)
{
    uint32_t axis = ref_axis(ref_int(c, "axis", 0), c->out.rank);

    for (size_t i = 0; i < kit_count(&c->out); i++) {
        int64_t at[KIT_RANK] = {0};
        uint32_t k = 0;

        ref_unravel(&c->out, i, at);
        for (; at[axis] >= c->in[k].dims[axis]; k++)
            at[axis] -= c->in[k].dims[axis];
        out[i] = in[k][ref_ravel(&c->in[k], at)];
    }
}

/* Slice-13: starts, ends, axes, steps; negative ones and ones out of range are mended. */
void ref_slice(const struct kit_case *c, const double *const *in, double *out)
{
    int64_t start[KIT_RANK] = {0}, step[KIT_RANK] = {1, 1, 1, 1, 1};

    for (size_t k = 0; k < kit_count(&c->in[1]); k++) {
        uint32_t d = c->n_in > 3 ? ref_axis((int64_t)in[3][k], c->in[0].rank) : (uint32_t)k;
        int64_t n = c->in[0].dims[d];

        step[d] = c->n_in > 4 ? (int64_t)in[4][k] : 1;
        start[d] = (int64_t)in[1][k] + (in[1][k] < 0 ? n : 0);
        start[d] = start[d] < 0 ? 0 : start[d] > n ? n : start[d];
        if (step[d] < 0 && start[d] > n - 1)
            start[d] = n - 1;
    }
    for (size_t i = 0; i < kit_count(&c->out); i++) {
        int64_t at[KIT_RANK] = {0};

        ref_unravel(&c->out, i, at);
        for (uint32_t d = 0; d < c->out.rank; d++)
            at[d] = start[d] + at[d] * step[d];
        out[i] = in[0][ref_ravel(&c->in[0], at)];
    }
}

/* Along an axis; the indices' shape stands where the axis was. */
void ref_gather(const struct kit_case *c, const double *const *in, double *out)
{
    struct ref_span span = ref_span_of(&c->in[0], ref_axis(ref_int(c, "axis", 0), c->in[0].rank));
    size_t n = kit_count(&c->in[1]);

    for (size_t i = 0; i < span.before * n * span.after; i++) {
        double index = in[1][i / span.after % n];

        if (index < 0)
            index += (double)span.n;
        out[i] = in[0][(i / span.after / n * span.n + (size_t)index) * span.after + i % span.after];
    }
}

/* Expand and Tile: sizes of the input repeat. */
void ref_expand(const struct kit_case *c, const double *const *in, double *out)
{
    uint32_t more = c->out.rank - c->in[0].rank;

    for (size_t i = 0; i < kit_count(&c->out); i++) {
        int64_t at[KIT_RANK] = {0}, from[KIT_RANK] = {0};

        ref_unravel(&c->out, i, at);
        for (uint32_t d = 0; d < c->in[0].rank; d++)
            from[d] = at[d + more] % c->in[0].dims[d];
        out[i] = in[0][ref_ravel(&c->in[0], from)];
    }
}

/* The place within n elements that place x of an endless axis shows; -1: none. */
static int64_t padded(const struct kit_case *c, int64_t x, int64_t n)
{
    if (ref_text_is(c, "mode", "constant", "edge"))
        return x < 0 ? 0 : x >= n ? n - 1 : x;
    if (ref_text_is(c, "mode", "constant", "wrap"))
        return (x % n + n) % n;
    if (ref_text_is(c, "mode", "constant", "reflect")) {
        while (n > 1 && (x < 0 || x >= n))
            x = x < 0 ? -x : 2 * (n - 1) - x;
        return n > 1 ? x : 0;
    }
    return x < 0 || x >= n ? -1 : x;
}

void ref_pad(const struct kit_case *c, const double *const *in, double *out)
{
    double value = c->n_in > 2 && in[2] ? in[2][0] : 0;

    for (size_t i = 0; i < kit_count(&c->out); i++) {
        int64_t at[KIT_RANK] = {0};
        bool is_inside = true;

        ref_unravel(&c->out, i, at);
        for (uint32_t d = 0; d < c->out.rank; d++) {
            at[d] = padded(c, at[d] - (int64_t)in[1][d], c->in[0].dims[d]);
            is_inside = is_inside && at[d] >= 0;
        }
        out[i] = is_inside ? in[0][ref_ravel(&c->in[0], at)] : value;
    }
}

/* DepthToSpace, of both modes, and SpaceToDepth. */
void ref_depth(const struct kit_case *c, const double *const *in, double *out)
{
    bool is_reverse = strcmp(c->op, "SpaceToDepth") == 0;
    bool is_crd = ref_text_is(c, "mode", "DCR", "CRD");
    const struct kit_port *deep = is_reverse ? &c->out : &c->in[0];
    const struct kit_port *wide = is_reverse ? &c->in[0] : &c->out;
    int64_t b = ref_int(c, "blocksize", 1), channels = wide->dims[1];

    for (size_t i = 0; i < kit_count(wide); i++) {
        int64_t at[KIT_RANK] = {0}, from[KIT_RANK] = {0}, block;

        ref_unravel(wide, i, at);
        block = at[2] % b * b + at[3] % b;
        from[0] = at[0];
        from[1] = is_crd ? at[1] * b * b + block : block * channels + at[1];
        from[2] = at[2] / b;
        from[3] = at[3] / b;
        if (is_reverse)
            out[ref_ravel(deep, from)] = in[0][i];
        else
            out[i] = in[0][ref_ravel(deep, from)];
    }
}
