/* SPDX-License-Identifier: MIT */
/*
 * merge_slices.c - Slice -> Slice becomes one Slice; Concat -> Slice or Split along the same axis
 * reads the Concat's input, if the output lies within one of them.
 *
 * The first node stays for its other readers. Bits: unchanged.
 */

#include "config.h"

#include "optimize/passes.h"

enum { NOT_KNOWN = -1 }; /* a dimension that inference doesn't know */

/* ---- slices ---------------------------------------------------------------------------------- */

/* The parameters of a Slice; axes and steps have their defaults where the node has none. */
struct lists {
    int64_t starts[BP_MAX_RANK], ends[BP_MAX_RANK], axes[BP_MAX_RANK], steps[BP_MAX_RANK];
    uint32_t n;
};

/* A Slice that drops elements along exactly one axis, with a step of 1. */
struct cut {
    uint32_t axis;
    int64_t start, end; /* as in the node: negative from the end; may exceed it */
};

/* The fact of a tensor whose rank is known, or NULL. */
static const struct bp_fact *ranked(const struct bp_rewrite *rw, uint32_t value)
{
    const struct bp_fact *fact = value == BP_NONE ? NULL : &rw->facts[value];

    return fact && fact->kind == BP_KIND_TENSOR && fact->rank != BP_RANK_UNKNOWN ? fact : NULL;
}

/* Parameters are attributes before opset 10, inputs from then on; *n is 0 when absent. */
static bool read_list(const struct bp_rewrite *rw, const struct bp_ir_node *node, const char *name,
                      uint32_t i, int64_t *out, uint32_t *n)
{
    const int64_t *list;

    *n = 0;
    if (node->schema->since >= 10)
        return bp_rw_in(node, i) == BP_NONE || bp_rw_ints(rw, node->in[i], out, BP_MAX_RANK, n);
    list = bp_ir_attr_ints(node, name, n);
    if (list && *n <= BP_MAX_RANK)
        memcpy(out, list, *n * sizeof *list);
    return *n <= BP_MAX_RANK;
}

static bool read_lists(const struct bp_rewrite *rw, const struct bp_ir_node *node,
                       struct lists *out)
{
    uint32_t n_ends, n_axes, n_steps;

    for (uint32_t i = 0; i < BP_MAX_RANK; i++) {
        out->axes[i] = i;
        out->steps[i] = 1;
    }
    return read_list(rw, node, "starts", 1, out->starts, &out->n) &&
           read_list(rw, node, "ends", 2, out->ends, &n_ends) &&
           read_list(rw, node, "axes", 3, out->axes, &n_axes) &&
           read_list(rw, node, "steps", 4, out->steps, &n_steps) && n_ends == out->n &&
           (n_axes == out->n || n_axes == 0) && (n_steps == out->n || n_steps == 0);
}

static int64_t size_of(struct bp_sym sym)
{
    return bp_sym_known(sym) ? sym.value : NOT_KNOWN;
}

/* As ONNX: negative indices count from the end, and indices are clamped to [0, size]. */
static int64_t clamp(int64_t at, int64_t size)
{
    at = at < 0 ? at + size : at;
    return at < 0 ? 0 : at > size ? size : at;
}

/*
 * The first element that a Slice takes and the one after its last; false: unknown, or empty. When
 * the size is unknown, negative indices can't be resolved, and INT64_MAX stands for the end.
 */
static bool resolve(int64_t size, int64_t start, int64_t end, int64_t *first, int64_t *last)
{
    if (size == NOT_KNOWN && (start < 0 || end < 0))
        return false;
    size = size == NOT_KNOWN ? INT64_MAX : size;
    *first = clamp(start, size);
    *last = clamp(end, size);
    return *first < *last;
}

static bool takes_all(int64_t size, int64_t start, int64_t end)
{
    int64_t first, last;

    return resolve(size, start, end, &first, &last) && first == 0 &&
           last == (size == NOT_KNOWN ? INT64_MAX : size);
}

/* Several axes that drop elements, or a step other than 1, are not supported. */
static bool read_cut(const struct bp_rewrite *rw, const struct bp_ir_node *node, struct cut *out)
{
    const struct bp_fact *data = ranked(rw, bp_rw_in(node, 0));
    struct lists lists;
    uint32_t n_cuts = 0;

    if (!data || !read_lists(rw, node, &lists))
        return false;
    for (uint32_t i = 0; i < lists.n; i++) {
        int64_t axis = lists.axes[i] < 0 ? lists.axes[i] + data->rank : lists.axes[i];

        if (axis < 0 || axis >= data->rank || lists.steps[i] != 1)
            return false;
        if (takes_all(size_of(data->dims[axis]), lists.starts[i], lists.ends[i]))
            continue;
        *out = (struct cut){(uint32_t)axis, lists.starts[i], lists.ends[i]};
        n_cuts++;
    }
    return n_cuts == 1;
}

/* Input i of node n if it is that element already, else a new constant. */
static bp_rc make_element(struct bp_rewrite *rw, uint32_t n, uint32_t i, int64_t element,
                          uint32_t *out, bp_err *err)
{
    static const int64_t dims[] = {1};
    struct bp_rw_made made;
    int64_t there;
    uint32_t count;
    bp_rc rc;

    *out = bp_rw_input(rw, n, i);
    if (bp_rw_is_constant(rw, *out) && rw->facts[*out].dtype == BP_DTYPE_I64 &&
        bp_rw_ints(rw, *out, &there, 1, &count) && count == 1 && there == element)
        return BP_OK;
    rc = bp_rw_new_data(rw, BP_DTYPE_I64, 1, dims, &made.data, err);
    if (rc >= 0)
        rc = bp_rw_make(rw, rw->nodes.out[n], &made, err);
    if (rc < 0)
        return rc;
    memcpy((void *)(uintptr_t)made.data->bytes, &element,
           sizeof element); /* ours, not the model's */
    *out = made.value;
    return bp_rw_made(rw, &made, err);
}

/* Makes node n, a Slice, read `data` with these parameters. */
static bp_rc set_cut(struct bp_rewrite *rw, uint32_t n, uint32_t data, const struct cut *cut,
                     bp_err *err)
{
    static const char *const names[] = {"starts", "ends", "axes"};
    const int64_t elements[] = {cut->start, cut->end, cut->axis};
    bool has_inputs = rw->ir->nodes[n].schema->since >= 10;
    uint32_t in[4] = {data};
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < 3; i++) {
        if (has_inputs)
            rc = make_element(rw, n, i + 1, elements[i], &in[i + 1], err);
        else
            rc = bp_rw_set_attr(rw, n, names[i], BP_ATTR_INT, &elements[i], 1, true, err);
    }
    if (rc >= 0)
        rc = bp_rw_set_inputs(rw, n, has_inputs ? 4 : 1, in, err);
    rw->n_matches++;
    return rc;
}

/* Node n is a Slice. */
static bp_rc merge_slice(struct bp_rewrite *rw, uint32_t n, bp_err *err)
{
    uint32_t before = bp_rw_producer(rw, bp_rw_input(rw, n, 0)), from;
    int64_t first, last, outer, outer_last;
    struct cut a, b;
    int64_t size;
    bp_rc rc;

    if (!bp_rw_is(rw, before, "Slice") || !read_cut(rw, bp_rw_node(rw, n), &b) ||
        !read_cut(rw, bp_rw_node(rw, before), &a) || a.axis != b.axis)
        return BP_OK;
    from = bp_rw_input(rw, before, 0);
    size = size_of(rw->facts[from].dims[a.axis]);
    if (size == NOT_KNOWN || !resolve(size, a.start, a.end, &outer, &outer_last) ||
        !resolve(outer_last - outer, b.start, b.end, &first, &last))
        return BP_OK;
    rc = bp_rw_stand_for(rw, n, before, err);
    if (rc >= 0)
        rc = set_cut(rw, n, from, &(struct cut){a.axis, outer + first, outer + last}, err);
    return rc;
}

/* ---- Concat ---------------------------------------------------------------------------------- */

/* The inputs of a Concat with known offsets; the size of the last may be unknown. */
struct parts {
    uint32_t concat, out, axis, n;
    bool is_known; /* all are listed, with known sizes */
    int64_t *ends; /* offset after each along the axis; INT64_MAX: unknown */
};

/* Done once for a Concat: each of its readers looks up its part by binary search. */
static bp_rc list_parts(struct bp_rewrite *rw, struct parts *parts, bp_err *err)
{
    const struct bp_ir_node *node = bp_rw_node(rw, parts->concat);
    const struct bp_fact *out = ranked(rw, parts->out);
    int64_t axis = bp_ir_attr_int(node, "axis", 1), end = 0;

    if (!out || axis >= out->rank || axis < -(int64_t)out->rank)
        return BP_OK;
    parts->axis = (uint32_t)(axis < 0 ? axis + out->rank : axis);
    parts->ends = bp_region_array(rw->scratch, node->n_in, sizeof *parts->ends);
    if (!parts->ends)
        return bp_fail_nomem(err, "the parts of a Concat");
    parts->is_known = true;
    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct bp_fact *part = ranked(rw, node->in[i]);

        parts->is_known = part && part->rank == out->rank &&
                          bp_sym_known(part->dims[parts->axis]) &&
                          !__builtin_add_overflow(end, part->dims[parts->axis].value, &end);
        if (!parts->is_known && i + 1 < node->n_in)
            break;
        parts->ends[parts->n++] = parts->is_known ? end : INT64_MAX;
    }
    return BP_OK;
}

static int64_t begin_of(const struct parts *parts, uint32_t i)
{
    return i > 0 ? parts->ends[i - 1] : 0;
}

/* The input that holds elements [first, last), which are not empty; false: they span several. */
static bool find_part(const struct parts *parts, int64_t first, int64_t last, uint32_t *out)
{
    uint32_t low = 0, high = parts->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (parts->ends[middle] > first)
            high = middle;
        else
            low = middle + 1;
    }
    *out = low;
    return low < parts->n && last <= parts->ends[low];
}

/* Are all its dimensions other than along the axis those of the Concat's output? */
static bool fits(const struct bp_rewrite *rw, const struct parts *parts, uint32_t part)
{
    const struct bp_fact *a = ranked(rw, part), *b = ranked(rw, parts->out);

    if (!a || !b || a->rank != b->rank)
        return false;
    for (uint32_t d = 0; d < a->rank; d++) {
        if (d != parts->axis && !bp_sym_equal(a->dims[d], b->dims[d]))
            return false;
    }
    return true;
}

/*
 * Node n is a Slice of the Concat. When its output is an output of the graph that can't be
 * replaced, it slices the one input instead.
 */
static bp_rc read_part(struct bp_rewrite *rw, uint32_t n, const struct parts *parts, bp_err *err)
{
    int64_t size = parts->is_known ? parts->ends[parts->n - 1] : NOT_KNOWN, first, last, begin;
    uint32_t out = rw->nodes.out[n], i, part;
    struct cut cut;

    if (!read_cut(rw, bp_rw_node(rw, n), &cut) || cut.axis != parts->axis ||
        !resolve(size, cut.start, cut.end, &first, &last) || !find_part(parts, first, last, &i))
        return BP_OK;
    part = bp_rw_input(rw, parts->concat, i);
    begin = begin_of(parts, i);
    if (first == begin && last == parts->ends[i] && bp_rw_same_shape(rw, part, out) &&
        bp_rw_replace(rw, out, part)) {
        rw->n_matches++;
        return BP_OK;
    }
    if (parts->ends[i] == INT64_MAX || !fits(rw, parts, part))
        return BP_OK;
    return set_cut(rw, n, part, &(struct cut){cut.axis, first - begin, last - begin}, err);
}

/*
 * For each output of a Split the input of the Concat that it equals, BP_NONE if unused; false: not
 * all match.
 */
static bool match_parts(const struct bp_rewrite *rw, const struct bp_ir_node *node,
                        const struct parts *parts, uint32_t *out)
{
    int64_t first = 0, last;
    uint32_t part;

    for (uint32_t i = 0; i < node->n_out; i++, first = last) {
        uint32_t value = node->out[i];
        const struct bp_fact *fact = ranked(rw, value);

        if (!fact || fact->rank <= parts->axis || !bp_sym_known(fact->dims[parts->axis]) ||
            __builtin_add_overflow(first, fact->dims[parts->axis].value, &last))
            return false;
        out[i] = BP_NONE;
        if (rw->values.flags[value] & (BP_IR_OUTPUT | BP_RW_CAPTURED))
            return false;
        if (rw->values.count[value] == 0)
            continue;
        if (!find_part(parts, first, last, &part) || first != begin_of(parts, part) ||
            last != parts->ends[part])
            return false;
        out[i] = bp_rw_input(rw, parts->concat, part);
        if (!bp_rw_same_shape(rw, out[i], value))
            return false;
    }
    return true;
}

/*
 * Node n is a Split of the Concat. Outputs are replaced from the last to the first, because
 * bp_rw_is_wanted() searches from the first each time.
 */
static bp_rc undo_concat(struct bp_rewrite *rw, uint32_t n, const struct parts *parts, bp_err *err)
{
    const struct bp_ir_node *node = bp_rw_node(rw, n);
    int64_t rank = rw->facts[parts->out].rank, axis = bp_ir_attr_int(node, "axis", 0);
    uint32_t *by;

    if (!parts->is_known || (axis < 0 ? axis + rank : axis) != parts->axis)
        return BP_OK;
    by = bp_region_array(rw->scratch, node->n_out, sizeof *by);
    if (!by)
        return bp_fail_nomem(err, "the parts of a Split");
    if (!match_parts(rw, node, parts, by))
        return BP_OK;
    for (uint32_t i = node->n_out; i-- > 0;) {
        if (by[i] != BP_NONE)
            (void)bp_rw_replace(rw, node->out[i], by[i]); /* no output, not captured: it can be */
    }
    rw->n_matches++;
    return BP_OK;
}

/* Node n is a Concat. A use that leaves the list of readers keeps its link to the next. */
static bp_rc visit_readers(struct bp_rewrite *rw, uint32_t n, bp_err *err)
{
    struct parts parts = {.concat = n, .out = rw->nodes.out[n]};
    uint32_t use = parts.out == BP_NONE ? BP_NONE : rw->values.head[parts.out], next;
    bool is_listed = false;
    bp_rc rc = BP_OK;

    for (; rc >= 0 && use != BP_NONE; use = next) {
        uint32_t reader = rw->uses.node[use];
        bool is_slice = bp_rw_is(rw, reader, "Slice");

        next = rw->uses.next[use];
        if ((!is_slice && !bp_rw_is(rw, reader, "Split")) ||
            bp_rw_input(rw, reader, 0) != parts.out)
            continue;
        if (!is_listed)
            rc = list_parts(rw, &parts, err);
        is_listed = true;
        if (rc >= 0 && parts.n > 0)
            rc = is_slice ? read_part(rw, reader, &parts, err)
                          : undo_concat(rw, reader, &parts, err);
    }
    return rc;
}

/*
 * Concats from the last to the first: the reader of an inner Concat's part may then read the outer
 * one's.
 */
bp_rc bp_pass_merge_slices(struct bp_rewrite *rw, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (bp_rw_is(rw, n, "Slice"))
            rc = merge_slice(rw, n, err);
    }
    for (uint32_t n = rw->ir->n_nodes; rc >= 0 && n-- > 0;) {
        if (bp_rw_is(rw, n, "Concat"))
            rc = visit_readers(rw, n, err);
    }
    return rc;
}
