/* SPDX-License-Identifier: MIT */
/*
 * non_max_suppression.c - NonMaxSuppression (opsets 10, 11).
 * boxes is [N, B, 4], scores [N, C, B], float32.
 * For each class of each image the boxes are taken by descending score, but none whose intersection
 * over union with a chosen one exceeds iou_threshold, at most max_output_boxes_per_class, and only
 * above score_threshold.
 * Y is [selected, 3], int64: image, class, box.
 */

#include "kernels/runtime_outputs.h"
#include "kernels/sort_keys.h"
#include "kernels/tensor_data.h"

/* Two corners, in order, and the area between them. */
struct box {
    float low[2], high[2], area;
};

/* Sizes of a call. */
struct state {
    uint32_t runtime_outputs;
    int64_t images, classes, boxes, most; /* most: of a class */
    bool has_centers;
    size_t at_keys, at_pairs, at_chosen,
        at_rows; /* offsets in the scratch, which starts with the boxes */
};

/* The values of the optional inputs. */
struct limits {
    int64_t most;
    float overlap, score;
    bool has_score;
};

/* Scratch for one image: boxes, sort keys, pairs, chosen indices. */
static bp_rc state_scratch(struct bp_cpu_call *call, bp_err *err)
{
    struct state *s = call->state;
    size_t n = (size_t)s->boxes, all;

    if (n > SIZE_MAX / 1024 || __builtin_mul_overflow(n, sizeof(struct box), &s->at_keys))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "there are too many boxes");
    s->at_keys = s->at_keys / 64 * 64 + 64;
    s->at_pairs = s->at_keys + n * sizeof(uint64_t) / 64 * 64 + 64;
    s->at_chosen = s->at_pairs + 2 * n * sizeof(struct bp_cpu_sort_key) / 64 * 64 + 64;
    s->at_rows = s->at_chosen + n * sizeof(int64_t) / 64 * 64 + 64;
    call->scratch_bytes = s->at_rows;
    /* rows of the result, so that they are found once */
    if (n > 0 && (__builtin_mul_overflow((size_t)s->images, (size_t)s->classes, &all) ||
                  __builtin_mul_overflow(all, n * 3 * sizeof(int64_t), &all) || all > SIZE_MAX / 4))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "there are too many scores");
    return BP_OK;
}

/* The optional inputs are scalars; their values are read in run(). */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *boxes = call->in[0], *scores = call->in[1];
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    s->runtime_outputs = bp_cpu_runtime_outputs_note(call);
    if (boxes->rank != 3 || scores->rank != 3 || boxes->dims[2] != 4 ||
        boxes->dims[0] != scores->dims[0] || boxes->dims[1] != scores->dims[2])
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "boxes and scores do not fit together");
    s->images = scores->dims[0];
    s->classes = scores->dims[1];
    s->boxes = scores->dims[2];
    s->has_centers = bp_cpu_int(call->node, "center_point_box", 0) != 0;
    for (uint32_t i = 2; i < 5; i++) {
        if (bp_cpu_in(call, i) && bp_cpu_count(call->in[i]) != 1)
            return bp_cpu_fail(call->node, err, BP_E_SHAPE, "input %u must have one element", i);
    }
    return state_scratch(call, err);
}

/* Absent inputs mean 0 boxes, a threshold of 0, and no minimum score. */
static bp_rc read_limits(const struct bp_cpu_call *call, struct limits *out, bp_err *err)
{
    *out = (struct limits){0};
    if (bp_cpu_in(call, 2))
        memcpy(&out->most, bp_cpu_data(call->in[2]), sizeof out->most);
    if (bp_cpu_in(call, 3))
        memcpy(&out->overlap, bp_cpu_data(call->in[3]), sizeof out->overlap);
    if (bp_cpu_in(call, 4)) {
        memcpy(&out->score, bp_cpu_data(call->in[4]), sizeof out->score);
        out->has_score = true;
    }
    if (!(out->overlap >= 0 && out->overlap <= 1))
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "iou_threshold is %g",
                           (double)out->overlap);
    return BP_OK;
}

/* Corners (y1, x1, y2, x2) in any order, or with center_point_box centre, width and height. */
static void read_boxes(const struct state *s, const float *from, struct box *out)
{
    for (int64_t i = 0; i < s->boxes; i++, from += 4) {
        for (int d = 0; d < 2; d++) {
            float a = from[d], b = from[d + 2];

            if (s->has_centers) {
                a = from[d] - from[d + 2] / 2;
                b = from[d] + from[d + 2] / 2;
            }
            out[i].low[d] = a < b ? a : b;
            out[i].high[d] = a < b ? b : a;
        }
        out[i].area = (out[i].high[0] - out[i].low[0]) * (out[i].high[1] - out[i].low[1]);
    }
}

/* Whether the intersection over union exceeds the limit. */
static bool overlap(const struct box *a, const struct box *b, float limit)
{
    float sides[2], common;

    for (int d = 0; d < 2; d++) {
        float low = a->low[d] > b->low[d] ? a->low[d] : b->low[d];
        float high = a->high[d] < b->high[d] ? a->high[d] : b->high[d];

        sides[d] = high - low;
        if (!(sides[d] > 0))
            return false;
    }
    common = sides[0] * sides[1];
    return common / (a->area + b->area - common) > limit;
}

/* Writes the indices of the chosen boxes of one class, best first; returns how many. */
static int64_t choose(const struct bp_cpu_call *call, const struct limits *limits,
                      const float *scores, int64_t *chosen)
{
    const struct state *s = call->state;
    char *scratch = call->scratch;
    const struct box *boxes = call->scratch;
    uint64_t *keys = (void *)(scratch + s->at_keys);
    struct bp_cpu_sort_key *pairs = (void *)(scratch + s->at_pairs);
    int64_t n = 0, found = 0;

    bp_cpu_sort_keys_of(BP_DTYPE_F32)(scores, 1, s->boxes, keys);
    for (int64_t i = 0; i < s->boxes; i++) {
        if (scores[i] == scores[i] && (!limits->has_score || scores[i] > limits->score))
            pairs[n++] = (struct bp_cpu_sort_key){~keys[i], i};
    }
    bp_cpu_sort_keys_sort(pairs, pairs + s->boxes, n);
    for (int64_t i = 0; i < n && found < limits->most; i++) {
        bool is_free = true;

        for (int64_t k = 0; k < found && is_free; k++)
            is_free = !overlap(&boxes[chosen[k]], &boxes[pairs[i].at], limits->overlap);
        if (is_free)
            chosen[found++] = pairs[i].at;
    }
    return found;
}

/* All rows of Y, in memory of the run, because their number is not known before. */
static bp_rc find_rows(struct bp_cpu_call *call, const struct limits *limits, int64_t **rows,
                       int64_t *count, bp_err *err)
{
    const struct state *s = call->state;
    const float *boxes = bp_cpu_data(call->in[0]), *scores = bp_cpu_data(call->in[1]);
    int64_t *chosen = (void *)((char *)call->scratch + s->at_chosen);
    int64_t most = limits->most < s->boxes ? limits->most : s->boxes;

    *count = 0;
    *rows = NULL;
    if (most <= 0 || s->images == 0 || s->classes == 0)
        return BP_OK;
    *rows = bp_cpu_run_memory(call, (size_t)(s->images * s->classes * most) * 3 * sizeof **rows);
    if (!*rows)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for the chosen boxes");
    for (int64_t image = 0; image < s->images; image++) {
        read_boxes(s, boxes + image * s->boxes * 4, call->scratch);
        for (int64_t class = 0; class < s->classes; class ++, scores += s->boxes) {
            int64_t found = choose(call, limits, scores, chosen);

            for (int64_t k = 0; k < found; k++) {
                int64_t *row = *rows + 3 * (*count)++;

                row[0] = image;
                row[1] = class;
                row[2] = chosen[k];
            }
        }
    }
    return BP_OK;
}

/* The rows are found first, as they decide Y's shape. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    int64_t dims[2] = {0, 3}, *rows;
    struct limits limits;
    bp_rc rc = read_limits(call, &limits, err);

    if (rc >= 0)
        rc = find_rows(call, &limits, &rows, &dims[0], err);
    if (rc >= 0)
        rc = bp_cpu_runtime_outputs_give(call, s->runtime_outputs, 0, 2, dims, err);
    if (rc >= 0 && dims[0] > 0)
        memcpy(bp_cpu_data(call->out[0]), rows, (size_t)dims[0] * 3 * sizeof *rows);
    return rc;
}

const struct bp_cpu_op bp_cpu_op_non_max_suppression = {
    .name = "NonMaxSuppression",
    .since = 10,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .types = UINT64_C(1) << BP_DTYPE_F32,
    .prepare = prepare,
    .run = run,
};
