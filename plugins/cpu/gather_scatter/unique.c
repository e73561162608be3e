/* SPDX-License-Identifier: MIT */
/*
 * unique.c - Unique (ai.onnx, opsets 11, 28).
 *
 * Items are the elements of X, or with `axis` its slices along it. Outputs: the distinct items,
 * ascending (sorted=1) or by first occurrence; and as int64 the index of the first occurrence of
 * each, for each item of X its index among the distinct ones, and how often each occurs. All NaN
 * are equal, and 0 equals -0; strings are ordered by their bytes, slices lexicographically. All
 * sizes are known at run time only.
 *
 * Elements become unsigned 64-bit keys of the same order (kernels/sort_keys.h). An item has one
 * key, a complex number two, a slice one or two for each element. Sorting and comparing therefore
 * know no types.
 */

#include "kernels/runtime_outputs.h"
#include "kernels/runtime_shape.h"
#include "kernels/sort_keys.h"
#include "kernels/tensor_data.h"

struct state {
    uint32_t dynamic; /* see kernels/runtime_outputs.h */
    bool is_flat, is_sorted;
    uint32_t axis;
    int64_t outer, items, inner; /* X seen as outer x items x inner */
    int64_t parts;               /* keys of an element: 2 when it is complex */
    int64_t length;              /* keys of an item */
    bp_cpu_sort_keys_fn keys;    /* NULL: strings */
    /* offsets in the scratch memory, in bytes */
    size_t at_keys, at_raw, at_order, at_first, at_group, at_pairs;
};

/* Reserves n * size bytes of scratch, 64-aligned, at *at. False: the sum overflows. */
static bool take(struct bp_cpu_call *call, int64_t n, size_t size, size_t *at)
{
    size_t bytes;

    *at = call->scratch_bytes;
    return !__builtin_mul_overflow((size_t)n, size, &bytes) && bytes < SIZE_MAX / 4 &&
           !__builtin_add_overflow(call->scratch_bytes, (bytes + 63) / 64 * 64,
                                   &call->scratch_bytes);
}

/*
 * Reserves all scratch memory. `order` is also the spare array of the sort, hence twice the items.
 */
static bool take_all(struct bp_cpu_call *call)
{
    struct state *s = call->state;
    int64_t elements = bp_cpu_count(call->in[0]), pairs, most;

    most = elements > s->items ? elements : s->items;
    return !__builtin_mul_overflow(most, 2, &pairs) &&
           take(call, elements, sizeof(uint64_t) * (size_t)s->parts, &s->at_keys) &&
           take(call, elements, sizeof(uint64_t) * (size_t)s->parts, &s->at_raw) &&
           take(call, pairs, sizeof(int64_t), &s->at_order) &&
           take(call, s->items, sizeof(int64_t), &s->at_first) &&
           take(call, s->items, sizeof(int64_t), &s->at_group) &&
           take(call, s->length == 1 ? pairs : 0, sizeof(struct bp_cpu_sort_key), &s->at_pairs);
}

static void read_type(struct state *s, uint32_t dtype)
{
    s->parts = 1;
    s->keys = bp_cpu_sort_keys_of(dtype);
    if (dtype == BP_DTYPE_C64 || dtype == BP_DTYPE_C128) {
        s->parts = 2;
        s->keys = bp_cpu_sort_keys_of(dtype == BP_DTYPE_C64 ? BP_DTYPE_F32 : BP_DTYPE_F64);
    }
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    s->dynamic = bp_cpu_runtime_outputs_note(call);
    s->is_flat = !bp_node_attr(call->node->graph, call->node->node, "axis");
    s->is_sorted = bp_cpu_int(call->node, "sorted", 1) != 0;
    read_type(s, x->dtype);
    s->outer = s->inner = 1;
    s->items = bp_cpu_count(x);
    if (!s->is_flat) {
        rc = bp_cpu_axis(call, bp_cpu_int(call->node, "axis", 0), x->rank, &s->axis, err);
        if (rc < 0)
            return rc;
        s->outer = bp_dims_count(x->dims, s->axis);
        s->items = x->dims[s->axis];
        s->inner = bp_dims_count(x->dims + s->axis + 1, x->rank - s->axis - 1);
    }
    s->length = s->outer * s->inner * s->parts;
    if (!take_all(call))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "there are too many elements");
    return BP_OK;
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* Compares strings i and j by their bytes; a prefix is smaller. */
static int order_strings(const void *u, int64_t i, int64_t j)
{
    const bp_span *a = (const bp_span *)u + i, *b = (const bp_span *)u + j;
    size_t n = a->size < b->size ? a->size : b->size;
    int order = n > 0 ? memcmp(a->data, b->data, n) : 0;

    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

/* The key of a string is its rank among all strings of X; equal strings share one. */
static void rank_strings(const bp_span *strings, int64_t n, uint64_t *keys, int64_t *order)
{
    uint64_t rank = 0;

    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    bp_cpu_order_sort(order, order + n, n, order_strings, strings);
    for (int64_t i = 0; i < n; i++) {
        if (i > 0 && order_strings(strings, order[i - 1], order[i]) != 0)
            rank++;
        keys[order[i]] = rank;
    }
}

/*
 * Returns the keys, those of an item side by side. They are made in the order of X first; that is
 * the order of the items already when nothing precedes the axis.
 */
static const uint64_t *make_keys(const struct bp_cpu_call *call)
{
    const struct state *s = call->state;
    const bp_tensor *x = call->in[0];
    char *scratch = call->scratch;
    uint64_t *keys = (void *)(scratch + s->at_keys), *raw = (void *)(scratch + s->at_raw);
    int64_t n = bp_cpu_count(x), run = s->inner * s->parts;

    if (n == 0)
        return keys;
    if (s->keys)
        s->keys(bp_cpu_data(x), 1, n * s->parts, raw);
    else
        rank_strings(bp_cpu_data(x), n, raw, (void *)(scratch + s->at_order));
    if (s->outer == 1)
        return raw;
    for (int64_t o = 0; o < s->outer; o++) {
        for (int64_t i = 0; i < s->items; i++)
            memcpy(keys + i * s->length + o * run, raw + (o * s->items + i) * run,
                   (size_t)run * sizeof *keys);
    }
    return keys;
}

/* ---- groups of equal items ------------------------------------------------------------------- */

/* Items as rows of `length` keys, for order_rows(). */
struct rows {
    const uint64_t *keys;
    int64_t length;
};

static int order_rows(const void *u, int64_t i, int64_t j)
{
    const struct rows *rows = u;
    const uint64_t *a = rows->keys + i * rows->length, *b = rows->keys + j * rows->length;

    for (int64_t k = 0; k < rows->length; k++) {
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    }
    return 0;
}

/*
 * Item numbers in ascending order; the sort is stable, so that the first of equal ones is the first
 * occurrence. Items of one key are sorted with their keys beside them, as following an index for
 * each comparison would miss the cache.
 */
static int64_t *sort_items(const struct bp_cpu_call *call, const struct rows *rows)
{
    const struct state *s = call->state;
    char *scratch = call->scratch;
    int64_t *order = (void *)(scratch + s->at_order);
    struct bp_cpu_sort_key *pairs = (void *)(scratch + s->at_pairs);

    if (s->length != 1) {
        for (int64_t i = 0; i < s->items; i++)
            order[i] = i;
        bp_cpu_order_sort(order, order + s->items, s->items, order_rows, rows);
        return order;
    }
    for (int64_t i = 0; i < s->items; i++)
        pairs[i] = (struct bp_cpu_sort_key){rows->keys[i], i};
    bp_cpu_sort_keys_sort(pairs, pairs + s->items, s->items);
    for (int64_t i = 0; i < s->items; i++)
        order[i] = pairs[i].at;
    return order;
}

/*
 * Numbers the groups of equal items in ascending order: group[item] is its group, first[g] the
 * first item of group g. Returns the number of groups.
 */
static int64_t find_groups(const struct bp_cpu_call *call, int64_t *first, int64_t *group)
{
    const struct state *s = call->state;
    const struct rows rows = {make_keys(call), s->length};
    const int64_t *order = sort_items(call, &rows);
    int64_t n = 0;

    for (int64_t i = 0; i < s->items; i++) {
        if (i == 0 || order_rows(&rows, order[i - 1], order[i]) != 0)
            first[n++] = order[i];
        group[order[i]] = n - 1;
    }
    return n;
}

/* sorted=0: renumbers the groups by their first occurrence. */
static void number_by_first(const struct bp_cpu_call *call, int64_t n, int64_t *first,
                            int64_t *group)
{
    const struct state *s = call->state;
    int64_t *renamed = (void *)((char *)call->scratch + s->at_order); /* old number to new */
    int64_t next = 0;

    for (int64_t g = 0; g < n; g++)
        renamed[g] = -1;
    for (int64_t i = 0; i < s->items; i++) {
        int64_t *name = &renamed[group[i]];

        if (*name < 0) {
            *name = next;
            first[next++] = i;
        }
        group[i] = *name;
    }
}

/* ---- outputs --------------------------------------------------------------------------------- */

/* Output 0: the first item of each group, for all n groups. */
static void copy_items(const struct bp_cpu_call *call, const int64_t *first, int64_t n)
{
    const struct state *s = call->state;
    size_t bytes = (size_t)s->inner * bp_cpu_width(call->in[0]->dtype);
    const char *x = bp_cpu_data(call->in[0]);
    char *y = bp_cpu_data(call->out[0]);

    for (int64_t o = 0; o < s->outer && bytes > 0; o++) {
        for (int64_t g = 0; g < n; g++, y += bytes)
            memcpy(y, x + (size_t)(o * s->items + first[g]) * bytes, bytes);
    }
}

/* Allocates all outputs for n groups; output 2 has the size of the items. */
static bp_rc give_outputs(struct bp_cpu_call *call, int64_t n, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *x = call->in[0];
    int64_t dims[BP_CPU_MAX_RANK];
    bp_rc rc;

    for (uint32_t d = 0; d < x->rank && !s->is_flat; d++)
        dims[d] = d == s->axis ? n : x->dims[d];
    if (s->is_flat)
        dims[0] = n;
    rc = bp_cpu_runtime_outputs_give(call, s->dynamic, 0, s->is_flat ? 1 : x->rank, dims, err);
    for (uint32_t i = 1; i < 4 && rc >= 0; i++)
        rc = bp_cpu_runtime_outputs_give(call, s->dynamic, i, 1, i == 2 ? &s->items : &n, err);
    return rc;
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    int64_t *first = (void *)((char *)call->scratch + s->at_first);
    int64_t *group = (void *)((char *)call->scratch + s->at_group);
    int64_t n = find_groups(call, first, group);
    bp_rc rc = give_outputs(call, n, err);

    if (rc < 0)
        return rc;
    if (!s->is_sorted)
        number_by_first(call, n, first, group);
    if (bp_cpu_out(call, 0))
        copy_items(call, first, n);
    if (bp_cpu_out(call, 1) && n > 0)
        memcpy(bp_cpu_data(call->out[1]), first, (size_t)n * sizeof *first);
    if (bp_cpu_out(call, 2) && s->items > 0)
        memcpy(bp_cpu_data(call->out[2]), group, (size_t)s->items * sizeof *group);
    if (bp_cpu_out(call, 3)) {
        int64_t *counts = bp_cpu_data(call->out[3]);

        for (int64_t g = 0; g < n; g++)
            counts[g] = 0;
        for (int64_t i = 0; i < s->items; i++)
            counts[group[i]]++;
    }
    return BP_OK;
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);

    (void)op;
    if (x && (bp_cpu_sort_keys_of(x->dtype) || x->dtype == BP_DTYPE_STRING ||
              x->dtype == BP_DTYPE_C64 || x->dtype == BP_DTYPE_C128))
        bp_accept(query->claims, query->index);
    else
        bp_cpu_refuse_dtype(query, 0);
}

const struct bp_cpu_op bp_cpu_op_unique = {
    .name = "Unique",
    .since = 11,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};
