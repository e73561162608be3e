/* SPDX-License-Identifier: MIT */
/*
 * instance_norm.c - InstanceNormalization (6 to 22) and GroupNormalization (18, 21) of 1-D to 3-D
 * data: loops in the layout of the input, as oneDNN has neither. Means and variances are summed in
 * double.
 */

#include "base/claim.h"
#include "base/operator.h"
#include "build/builder.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/output.h"
#include "build/step.h"
#include "kernels/vector.h"

#include <math.h>

enum { X, SCALE, BIAS };
enum { LANES = 16 }; /* channels that are worked on at once */

/* ---- claims ---------------------------------------------------------------------------------- */

/* Channels have to be known, as groups divide them. */
static bool claim_instance(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                           double *flops)
{
    (void)op;
    (void)flops;
    if (!bp_dnnl_takes_input(query, X, 3, 2 + BP_DNNL_MAX_SPATIAL) ||
        !bp_dnnl_takes_input(query, SCALE, 1, 1) || !bp_dnnl_takes_input(query, BIAS, 1, 1))
        return false;
    if (bp_node_in(query->graph, query->node, X)->dims[1].value < 0)
        return bp_dnnl_refuse(query, BP_R_DYNAMIC_SHAPE, "X", "the channels are not known");
    return true;
}

static bool claim_group(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                        double *flops)
{
    int64_t groups = bp_node_int(query->graph, query->node, "num_groups", 0), channels;

    if (!claim_instance(op, query, flops))
        return false;
    channels = bp_node_in(query->graph, query->node, X)->dims[1].value;
    if (groups < 1 || channels % groups != 0)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "num_groups",
                              "%lld channels cannot be divided into %lld groups",
                              (long long)channels, (long long)groups);
    return true;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* The loop's own. An iteration is a few groups of one batch: as many as fill LANES channels. */
struct norm {
    size_t channels, plane_size, inner_channels;
    size_t group_size; /* channels of a group */
    size_t groups;     /* of an iteration; the last one of a batch may have fewer */
    size_t iterations; /* of a batch */
    size_t params;     /* channels that share an element of scale and bias */
    double epsilon;
};

/*
 * Some channels that are next to each other in memory: `n` rows of `lanes` elements, `stride`
 * apart.
 */
struct rows {
    const float *x;
    float *y;
    size_t n, stride, lanes;
};

/* A number of lanes that the compiler knows is twice as fast. */
#define FOR_LANES(n, statement)                                                                    \
    do {                                                                                           \
        if ((n) == LANES) {                                                                        \
            for (size_t i = 0; i < LANES; i++)                                                     \
                statement;                                                                         \
        } else {                                                                                   \
            for (size_t i = 0; i < (n); i++)                                                       \
                statement;                                                                         \
        }                                                                                          \
    } while (0)

/* sum[i] += all x of lane i. */
VECTOR_LOOP
static void add_rows(const struct rows *rows, double *sum)
{
    for (size_t r = 0; r < rows->n; r++) {
        const float *x = rows->x + r * rows->stride;

        FOR_LANES(rows->lanes, sum[i] += (double)x[i]);
    }
}

/*
 * The second pass: squares of the distance from the mean, which do not cancel as sums of squares
 * do.
 */
VECTOR_LOOP
static void add_squares(const struct rows *rows, const double *mean, double *sum)
{
    for (size_t r = 0; r < rows->n; r++) {
        const float *x = rows->x + r * rows->stride;

        FOR_LANES(rows->lanes, sum[i] += ((double)x[i] - mean[i]) * ((double)x[i] - mean[i]));
    }
}

/* (x - mean) * scale + shift, in that order, as elements close to the mean cancel. */
VECTOR_LOOP
static void write_rows(const struct rows *rows, const float *mean, const float *scale,
                       const float *shift)
{
    for (size_t r = 0; r < rows->n; r++) {
        const float *x = rows->x + r * rows->stride;
        float *y = rows->y + r * rows->stride;
        float made[LANES]; /* y may be x */

        FOR_LANES(rows->lanes, made[i] = (x[i] - mean[i]) * scale[i] + shift[i]);
        FOR_LANES(rows->lanes, y[i] = made[i]);
    }
}

/*
 * Channels c to at most `end` that lie next to each other in planes: all of a block, or a single
 * one if row-major.
 */
static struct rows rows_of(const struct norm *n, size_t batch, size_t c, size_t end, const float *x,
                           float *y)
{
    size_t at =
        ((batch * n->channels + c) / n->inner_channels * n->plane_size) * n->inner_channels +
        c % n->inner_channels;
    size_t lanes = n->inner_channels - c % n->inner_channels;

    lanes = lanes < end - c ? lanes : end - c;
    return (struct rows){.x = x + at,
                         .y = y + at,
                         .n = n->plane_size,
                         .stride = n->inner_channels,
                         .lanes = lanes < LANES ? lanes : LANES};
}

/* A row-major channel seen as rows of LANES elements, and what is left as a shorter row. */
static struct rows fold(const struct rows *rows, struct rows *left)
{
    struct rows folded = {
        .x = rows->x, .y = rows->y, .n = rows->n / LANES, .stride = LANES, .lanes = LANES};
    size_t done = folded.n * LANES;

    *left = (struct rows){.x = rows->x + done,
                          .y = rows->y + done,
                          .n = rows->n > done,
                          .stride = LANES,
                          .lanes = rows->n - done};
    return folded;
}

/* Lanes of a folded channel are parts of one sum. */
static double total(const double *sum)
{
    double all = 0;

    for (size_t i = 0; i < LANES; i++)
        all += sum[i];
    return all;
}

/* Adds the sums of each channel to those of its group; mean NULL: of elements, else of squares. */
static void sum_up(const struct norm *n, const struct rows *rows, size_t first, const double *mean,
                   double *sums)
{
    double lanes[LANES] = {0}, means[LANES];
    struct rows folded = *rows, left = {0};
    bool is_folded = n->inner_channels == 1;

    for (size_t i = 0; i < LANES; i++)
        means[i] = mean ? mean[is_folded         ? first / n->group_size
                               : i < rows->lanes ? (first + i) / n->group_size
                                                 : 0]
                        : 0;
    if (is_folded)
        folded = fold(rows, &left);
    if (mean) {
        add_squares(&folded, means, lanes);
        add_squares(&left, means, lanes);
    } else {
        add_rows(&folded, lanes);
        add_rows(&left, lanes);
    }
    if (is_folded) {
        sums[first / n->group_size] += total(lanes);
        return;
    }
    for (size_t i = 0; i < rows->lanes; i++)
        sums[(first + i) / n->group_size] += lanes[i];
}

/* What is done to elements of up to LANES channels. */
struct change {
    float mean[LANES], scale[LANES], shift[LANES];
};

/* Normalises the rows; a folded channel uses lane 0's values in all lanes. */
static void scale_rows(const struct norm *n, const struct rows *rows, const struct change *change)
{
    struct rows folded = *rows, left = {0};

    if (n->inner_channels == 1)
        folded = fold(rows, &left);
    write_rows(&folded, change->mean, change->scale, change->shift);
    write_rows(&left, change->mean, change->scale, change->shift);
}

/*
 * For channels c on, which are channels `first` on of the iteration. Scale and bias may be for
 * groups of channels (GroupNormalization 18).
 */
static struct change change_of(const struct norm *n, const struct rows *rows, size_t c,
                               size_t first, const double *mean, const double *variance,
                               const float *scale, const float *bias)
{
    struct change change;

    for (size_t i = 0; i < LANES; i++) {
        size_t k = n->inner_channels == 1 || i >= rows->lanes ? 0 : i;
        size_t group = (first + k) / n->group_size, param = (c + k) / n->params;

        change.mean[i] = (float)mean[group];
        change.scale[i] = (float)((double)scale[param] / sqrt(variance[group] + n->epsilon));
        change.shift[i] = bias[param];
    }
    return change;
}

/* Three passes over the same few channels, which fit into the cache: mean, variance, result. */
static void run_iteration(const struct norm *n, size_t iteration, void *const *at)
{
    const float *x = at[0], *scale = at[1], *bias = at[2];
    float *y = at[3];
    size_t batch = iteration / n->iterations,
           begin = iteration % n->iterations * n->groups * n->group_size;
    size_t end = begin + n->groups * n->group_size;
    double count = (double)n->group_size * (double)n->plane_size, mean[LANES] = {0},
           variance[LANES] = {0};
    struct rows rows;

    end = end < n->channels ? end : n->channels;
    for (size_t c = begin; c < end; c += rows.lanes) {
        rows = rows_of(n, batch, c, end, x, y);
        sum_up(n, &rows, c - begin, NULL, mean);
    }
    for (size_t i = 0; i < LANES; i++)
        mean[i] /= count;
    for (size_t c = begin; c < end; c += rows.lanes) {
        rows = rows_of(n, batch, c, end, x, y);
        sum_up(n, &rows, c - begin, mean, variance);
    }
    for (size_t i = 0; i < LANES; i++)
        variance[i] /= count;
    for (size_t c = begin; c < end; c += rows.lanes) {
        struct change change;

        rows = rows_of(n, batch, c, end, x, y);
        change = change_of(n, &rows, c, c - begin, mean, variance, scale, bias);
        scale_rows(n, &rows, &change);
    }
}

/* Iterations do not share channels, so that threads need no lock. */
static void run(const void *u, void *const *at, size_t first, size_t end)
{
    for (size_t iteration = first; iteration < end; iteration++)
        run_iteration(u, iteration, at);
}

/* ---- building it ----------------------------------------------------------------------------- */

/* Sizes of the loop. InstanceNormalization is GroupNormalization with a channel a group. */
static struct norm solve(const struct bp_dnnl_builder *b, const bp_node *node, bool is_grouped,
                         size_t inner_channels)
{
    const struct bp_dnnl_value *x = bp_dnnl_in(b, node, X), *scale = bp_dnnl_in(b, node, SCALE);
    struct norm n = {
        .channels = (size_t)x->dims[1], .inner_channels = inner_channels, .group_size = 1};

    n.plane_size = (size_t)bp_dims_count(x->dims + 2, (uint32_t)x->rank - 2);
    if (is_grouped)
        n.group_size = n.channels / (size_t)bp_node_int(b->graph, node, "num_groups", 1);
    n.params = n.channels / (size_t)scale->dims[0];
    n.groups = n.group_size < LANES ? LANES / n.group_size : 1;
    n.iterations = (n.channels / n.group_size + n.groups - 1) / n.groups;
    n.epsilon = (double)bp_node_float(b->graph, node, "epsilon", 1e-5f);
    return n;
}

/* Scale and bias have an element for each channel, or in GroupNormalization 18 for each group. */
static bp_rc get_params(struct bp_dnnl_builder *b, const bp_node *node, bool is_grouped,
                        struct bp_dnnl_tensor *scale, struct bp_dnnl_tensor *bias, bp_err *err)
{
    int64_t want = bp_dnnl_in(b, node, X)->dims[1];
    dnnl_memory_desc_t row_major;
    bp_rc rc;

    if (is_grouped && node->since < 21)
        want = bp_node_int(b->graph, node, "num_groups", 1);
    for (uint32_t i = SCALE; i <= BIAS; i++) {
        if (bp_dnnl_in(b, node, i)->dims[0] != want)
            return bp_fail(err, BP_E_SHAPE, "node '%s': input %u has %lld elements, not %lld",
                           node->name, i, (long long)bp_dnnl_in(b, node, i)->dims[0],
                           (long long)want);
    }
    bp_dnnl_row_major(1, &want, &row_major);
    rc = bp_dnnl_tensor_of(b, node->in[SCALE], &row_major, scale, err);
    return rc < 0 ? rc : bp_dnnl_tensor_of(b, node->in[BIAS], &row_major, bias, err);
}

/* Not on padded blocks: padding would enter the sums of a group. */
static bp_rc build(struct bp_dnnl_builder *b, const bp_node *node, bool is_grouped, bp_err *err)
{
    struct norm *n = bp_blocks_array(b->memory, 1, sizeof *n);
    struct bp_dnnl_tensor x, y, scale, bias;
    const struct bp_dnnl_tensor *operands[] = {&x, &scale, &bias, &y};
    struct bp_dnnl_planes planes;
    bp_rc rc;

    if (!n)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for node '%s'", node->name);
    rc = bp_dnnl_tensor_as_planes(b, node->in[X], BP_DNNL_PLANES_F32 | BP_DNNL_PLANES_UNPADDED, &x,
                                  &planes, err);
    if (rc >= 0)
        rc = get_params(b, node, is_grouped, &scale, &bias, err);
    if (rc >= 0)
        rc = bp_dnnl_make_in_place(b, node->out[0], node->in[X], &x, &y, err);
    if (rc < 0)
        return rc;
    *n = solve(b, node, is_grouped, planes.inner_channels);
    return bp_dnnl_emit_typed(b, run, n, n->iterations * (size_t)x.md.dims[0],
                              n->channels * n->plane_size * (size_t)x.md.dims[0], 4, operands, err);
}

static bp_rc build_group(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op,
                         const bp_node *node, bp_err *err)
{
    (void)op;
    return build(b, node, true, err);
}

static bp_rc build_instance(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op,
                            const bp_node *node, bp_err *err)
{
    (void)op;
    return build(b, node, false, err);
}

#define ROW(row, onnx, first, last, claims, builds)                                                \
    const struct bp_dnnl_op bp_dnnl_op_##row = {                                                   \
        .name = onnx,                                                                              \
        .domain = "",                                                                              \
        .since = first,                                                                            \
        .until = last,                                                                             \
        .claim = claims,                                                                           \
        .build = builds,                                                                           \
    }

ROW(group_normalization, "GroupNormalization", 18, 21, claim_group, build_group);
ROW(instance_normalization, "InstanceNormalization", 6, 22, claim_instance, build_instance);
