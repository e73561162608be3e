/* SPDX-License-Identifier: MIT */
/* common.c - steps that the rules of several families take. */

#include "config.h"

#include "graph/rules/common.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* ---- inputs and outputs ---------------------------------------------------------------------- */

bool bp_rule_has_attr(const struct bp_infer *infer, const char *name)
{
    const struct bp_schema *schema = infer->node->schema;

    for (uint32_t i = 0; i < schema->n_attrs; i++) {
        if (strcmp(schema->attrs[i].name, name) == 0)
            return true;
    }
    return false;
}

uint32_t bp_rule_either_dtype(const struct bp_infer *infer)
{
    uint32_t dtype = bp_rule_dtype(infer, 0);

    return dtype != BP_DTYPE_NONE ? dtype : bp_rule_dtype(infer, 1);
}

bp_rc bp_rule_set(struct bp_infer *infer, uint32_t i, uint32_t dtype, uint32_t rank,
                  const struct bp_sym *dims)
{
    if (!bp_rule_wants(infer, i))
        return BP_OK;
    return bp_infer_set(infer, i, dtype, rank, dims);
}

bp_rc bp_rule_like(struct bp_infer *infer, uint32_t i, uint32_t dtype, const struct bp_fact *fact)
{
    if (!bp_rule_ranked(fact))
        return bp_rule_unknown(infer, i, dtype);
    return bp_rule_set(infer, i, dtype, fact->rank, fact->dims);
}

bp_rc bp_rule_like_first(struct bp_infer *infer)
{
    return bp_rule_like(infer, 0, bp_rule_dtype(infer, 0), bp_rule_in(infer, 0));
}

bp_rc bp_rule_unknown(struct bp_infer *infer, uint32_t i, uint32_t dtype)
{
    return bp_rule_set(infer, i, dtype, BP_RANK_UNKNOWN, NULL);
}

void bp_rule_set_fact(struct bp_infer *infer, uint32_t i, const struct bp_fact *fact)
{
    if (!bp_rule_wants(infer, i))
        return;
    infer->out[i] = *fact;
    infer->out[i].content = NULL;
    infer->out[i].reals = NULL;
    infer->out[i].n_content = 0;
}

/* The item keeps its type and loses its shape, as each item of a sequence has one of its own. */
bp_rc bp_rule_set_items(struct bp_infer *infer, uint32_t i, uint32_t kind,
                        const struct bp_fact *item)
{
    struct bp_fact *own = bp_region_array(infer->region, 1, sizeof *own);

    if (!own)
        return bp_fail_nomem(infer->err, "a type");
    *own = (struct bp_fact){.rank = BP_RANK_UNKNOWN};
    if (item) { /* each item has a shape of its own */
        own->kind = item->kind;
        own->dtype = item->dtype;
        own->item = item->item;
    }
    bp_rule_set_fact(infer, i,
                     &(struct bp_fact){.rank = BP_RANK_UNKNOWN, .kind = kind, .item = own});
    return BP_OK;
}

/* The type of a value that is known only from another one, whose shape does not hold. */
static void keep_type(const struct bp_fact *from, struct bp_fact *out)
{
    *out = (struct bp_fact){.kind = from->kind, .dtype = from->dtype, .item = from->item};
    out->rank = BP_RANK_UNKNOWN;
}

/* Sizes of b that are not those of a get lost in `out`, which has a's. */
static bp_rc widen_dims(struct bp_infer *infer, const struct bp_fact *b, struct bp_fact *out,
                        bool *same)
{
    struct bp_sym *dims = bp_region_array(infer->region, out->rank, sizeof *dims);

    if (!dims)
        return bp_fail_nomem(infer->err, "a shape");
    for (uint32_t d = 0; d < out->rank; d++) {
        bp_rc rc = BP_OK;

        dims[d] = out->dims[d];
        if (bp_sym_equal(dims[d], b->dims[d]))
            continue;
        *same = false;
        rc = bp_rule_from_data(infer, &dims[d], 1);
        if (rc < 0)
            return rc;
    }
    out->dims = dims;
    return BP_OK;
}

/*
 * A fact that holds of both: sizes that differ come with the data, ranks that differ leave the
 * rank unknown.
 */
bp_rc bp_rule_widen(struct bp_infer *infer, const struct bp_fact *a, const struct bp_fact *b,
                    struct bp_fact *out, bool *same)
{
    const struct bp_fact *inside = bp_fact_innermost(a);

    *out = *a;
    *same = true;
    out->content = NULL;
    out->reals = NULL;
    out->n_content = 0;
    if (bp_fact_is_blank(a) || (inside && a->kind != BP_KIND_TENSOR && !inside->dtype)) {
        if (!bp_fact_is_blank(b))
            keep_type(b, out);
        return BP_OK;
    }
    if (a->kind != BP_KIND_TENSOR || a->rank == BP_RANK_UNKNOWN)
        return BP_OK;
    if (a->rank != b->rank) {
        *same = b->kind != BP_KIND_TENSOR;
        out->rank = BP_RANK_UNKNOWN;
        out->dims = NULL;
        return BP_OK;
    }
    return widen_dims(infer, b, out, same);
}

bp_rc bp_rule_same_content(struct bp_infer *infer, uint32_t i, const struct bp_fact *from)
{
    if (!from || !from->content || !bp_rule_wants(infer, i))
        return BP_OK;
    return bp_infer_set_content(infer, i, from->content, from->n_content);
}

/* ---- checks ---------------------------------------------------------------------------------- */

const char *bp_rule_name(const struct bp_infer *infer, uint32_t i)
{
    const struct bp_param *param = bp_schema_in(infer->node->schema, i);

    return param ? param->name : "input";
}

bp_rc bp_rule_rank(struct bp_infer *infer, uint32_t i, uint32_t min, uint32_t max)
{
    const struct bp_fact *fact = bp_rule_in(infer, i);

    if (!bp_rule_ranked(fact) || (fact->rank >= min && fact->rank <= max))
        return BP_OK;
    if (min == max)
        return bp_fail(infer->err, BP_E_SHAPE, "%s has rank %u, but rank %u is needed",
                       bp_rule_name(infer, i), fact->rank, min);
    return bp_fail(infer->err, BP_E_SHAPE, "%s has rank %u, but %s%u is needed",
                   bp_rule_name(infer, i), fact->rank, fact->rank < min ? "at least " : "at most ",
                   fact->rank < min ? min : max);
}

bp_rc bp_rule_scalar(struct bp_infer *infer, uint32_t i)
{
    const struct bp_fact *fact = bp_rule_in(infer, i);
    char text[128];

    if (!bp_rule_ranked(fact) || fact->rank == 0)
        return BP_OK;
    if (fact->rank == 1 && (!bp_sym_known(fact->dims[0]) || fact->dims[0].value == 1))
        return BP_OK;
    bp_fact_text(fact, infer->symbols, text, sizeof text);
    return bp_fail(infer->err, BP_E_SHAPE, "%s is %s, but a scalar is needed",
                   bp_rule_name(infer, i), text);
}

bp_rc bp_rule_scalars(struct bp_infer *infer, uint32_t first, uint32_t last)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = first; i <= last && rc >= 0; i++)
        rc = bp_rule_scalar(infer, i);
    return rc;
}

bp_rc bp_rule_one_element(struct bp_infer *infer, uint32_t i)
{
    const struct bp_fact *fact = bp_rule_in(infer, i);
    char text[128];
    bool is_one = true;

    if (!bp_rule_ranked(fact))
        return BP_OK;
    for (uint32_t d = 0; d < fact->rank; d++)
        is_one = is_one && (!bp_sym_known(fact->dims[d]) || fact->dims[d].value == 1);
    if (is_one)
        return BP_OK;
    bp_fact_text(fact, infer->symbols, text, sizeof text);
    return bp_fail(infer->err, BP_E_SHAPE, "%s is %s, but a single element is needed",
                   bp_rule_name(infer, i), text);
}

/* Symbols fit everything here; a run with exact sizes runs the rule again. */
bp_rc bp_rule_expect(struct bp_infer *infer, uint32_t i, uint32_t axis, struct bp_sym size,
                     const char *whose)
{
    const struct bp_fact *fact = bp_rule_in(infer, i);
    struct bp_sym common;

    if (!bp_rule_ranked(fact) || axis >= fact->rank)
        return BP_OK;
    if (bp_rule_unify(fact->dims[axis], size, &common))
        return BP_OK;
    return bp_fail(infer->err, BP_E_SHAPE,
                   "%s has size %" PRId64 " at dimension %u, but %s asks for %" PRId64,
                   bp_rule_name(infer, i), fact->dims[axis].value, axis, whose, size.value);
}

bp_rc bp_rule_vector(struct bp_infer *infer, uint32_t i, struct bp_sym size, const char *whose)
{
    bp_rc rc = bp_rule_rank(infer, i, 1, 1);

    return rc < 0 ? rc : bp_rule_expect(infer, i, 0, size, whose);
}

bp_rc bp_rule_check_rank(struct bp_infer *infer, uint64_t rank)
{
    if (rank <= BP_MAX_RANK)
        return BP_OK;
    return bp_fail(infer->err, BP_E_SHAPE,
                   "the result would have %" PRIu64 " dimensions, more than the %d that a tensor "
                   "may have",
                   rank, BP_MAX_RANK);
}

/* b broadcasts to a in one direction: each dimension of b, from the last on, is 1 or that of a. */
bp_rc bp_rule_fits_onto(struct bp_infer *infer, const struct bp_fact *a, const struct bp_fact *b)
{
    if (!bp_rule_ranked(a) || !bp_rule_ranked(b))
        return BP_OK;
    if (b->rank > a->rank)
        return bp_fail(infer->err, BP_E_SHAPE, "cannot broadcast rank %u to rank %u", b->rank,
                       a->rank);
    for (uint32_t i = 0; i < b->rank; i++) {
        struct bp_sym to = a->dims[a->rank - b->rank + i];
        struct bp_sym from = b->dims[i];

        if (!bp_sym_known(to) || !bp_sym_known(from) || from.value == 1 || from.value == to.value)
            continue;
        return bp_fail(infer->err, BP_E_SHAPE,
                       "cannot broadcast %" PRId64 " to %" PRId64 " at dimension %u", from.value,
                       to.value, a->rank - b->rank + i);
    }
    return BP_OK;
}

bp_rc bp_rule_check_word(struct bp_infer *infer, const char *name, const char *a, const char *b)
{
    const bp_attr *attr = bp_ir_attr(infer->node, name);
    const bp_span *word;

    if (!attr || attr->type != BP_ATTR_STRING || attr->count != 1)
        return BP_OK;
    word = attr->data;
    if (word->size == strlen(a) && memcmp(word->data, a, word->size) == 0)
        return BP_OK;
    if (word->size == strlen(b) && memcmp(word->data, b, word->size) == 0)
        return BP_OK;
    return bp_fail(infer->err, BP_E_INVALID, "%s is neither %s nor %s", name, a, b);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Trivial cases first, so that x + 0 and x * 1 are x itself and no symbol is made for them. */
bp_rc bp_rule_calc(struct bp_infer *infer, struct bp_sym a, char op, struct bp_sym b,
                   struct bp_sym *out)
{
    bool b_is_0 = bp_sym_known(b) && b.value == 0;
    bool b_is_1 = bp_sym_known(b) && b.value == 1;
    bool a_is_0 = bp_sym_known(a) && a.value == 0;
    bool a_is_1 = bp_sym_known(a) && a.value == 1;

    *out = a;
    if ((op == '+' || op == '-') && b_is_0)
        return BP_OK;
    if ((op == '*' || op == '/' || op == '^') && b_is_1)
        return BP_OK;
    *out = b;
    if ((op == '+' && a_is_0) || (op == '*' && a_is_1))
        return BP_OK;
    *out = bp_sym_of(0);
    if ((op == '*' && (a_is_0 || b_is_0)) || (op == '-' && bp_sym_equal(a, b)))
        return BP_OK;
    return bp_symbols_calc(infer->symbols, a, op, b, out, infer->err);
}

bp_rc bp_rule_shift(struct bp_infer *infer, struct bp_sym a, int64_t n, struct bp_sym *out)
{
    if (n < 0 && n > INT64_MIN)
        return bp_rule_calc(infer, a, '-', bp_sym_of(-n), out);
    return bp_rule_calc(infer, a, '+', bp_sym_of(n), out);
}

bp_rc bp_rule_product(struct bp_infer *infer, const struct bp_sym *dims, uint32_t n,
                      struct bp_sym *out)
{
    struct bp_sym constant = bp_sym_of(1);
    struct bp_sym names = bp_sym_of(1);
    bp_rc rc;

    /* a size of 0 makes all 0, even where the other sizes would not fit in 64 bits */
    for (uint32_t i = 0; i < n; i++) {
        if (bp_sym_known(dims[i]) && dims[i].value == 0) {
            *out = bp_sym_of(0);
            return BP_OK;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        struct bp_sym *part = bp_sym_known(dims[i]) ? &constant : &names;

        rc = bp_rule_calc(infer, *part, '*', dims[i], part);
        if (rc < 0)
            return rc;
    }
    return bp_rule_calc(infer, names, '*', constant, out);
}

bp_rc bp_rule_divide_dim(struct bp_infer *infer, uint32_t axis, int64_t by, struct bp_sym *out)
{
    struct bp_sym size = bp_rule_in(infer, 0)->dims[axis];

    if (bp_sym_known(size) && size.value % by != 0)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "size %" PRId64 " of dimension %u is not a multiple of %" PRId64, size.value,
                       axis, by);
    return bp_rule_calc(infer, size, '/', bp_sym_of(by), out);
}

bp_rc bp_rule_from_data(struct bp_infer *infer, struct bp_sym *dims, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        bp_rc rc = bp_symbols_fresh(infer->symbols, true, &dims[i], infer->err);

        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

bp_rc bp_rule_dim(struct bp_infer *infer, const struct bp_fact *fact, int i, struct bp_sym *out)
{
    int64_t at = i;

    if (!bp_rule_ranked(fact))
        return bp_rule_from_data(infer, out, 1);
    if (at < 0)
        at += fact->rank;
    if (at < 0 || at >= fact->rank)
        return bp_fail(infer->err, BP_E_SHAPE, "a rank of %u is too low", fact->rank);
    *out = fact->dims[at];
    return BP_OK;
}

bool bp_rule_unify(struct bp_sym a, struct bp_sym b, struct bp_sym *out)
{
    *out = bp_sym_known(a) ? a : b;
    if (!bp_sym_known(a) && !bp_sym_known(b))
        *out = a;
    return !bp_sym_known(a) || !bp_sym_known(b) || a.value == b.value;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* The attribute as a list of exact elements; not given where the node does not have it. */
static bp_rc list_from_attr(struct bp_infer *infer, const char *name, struct bp_list *out)
{
    const int64_t *values;
    struct bp_sym *v;

    if (!bp_ir_attr(infer->node, name))
        return BP_OK;
    values = bp_ir_attr_ints(infer->node, name, &out->n);
    v = bp_region_array(infer->region, out->n, sizeof *v);
    if (!v)
        return bp_fail_nomem(infer->err, name);
    for (uint32_t i = 0; i < out->n; i++)
        v[i] = bp_sym_of(values[i]);
    out->v = v;
    out->is_given = true;
    out->is_counted = true;
    return BP_OK;
}

/*
 * Whichever of the two the version has. An input whose content is not known may still be counted
 * by its shape.
 */
bp_rc bp_rule_list(struct bp_infer *infer, const char *name, uint32_t i, struct bp_list *out)
{
    const struct bp_fact *fact = bp_rule_in(infer, i);
    const struct bp_list none = {0};
    bp_rc rc;

    *out = none;
    if (bp_rule_has_attr(infer, name)) {
        rc = list_from_attr(infer, name, out);
        if (rc < 0 || out->is_given)
            return rc;
    }
    if (!fact)
        return BP_OK;

    out->is_given = true;
    rc = bp_rule_rank(infer, i, 0, 1);
    if (rc < 0)
        return rc;
    if (fact->content) {
        out->v = fact->content;
        out->n = fact->n_content;
        out->is_counted = true;
    } else if (fact->rank == 0) {
        out->n = 1;
        out->is_counted = true;
    } else if (fact->rank == 1 && bp_sym_known(fact->dims[0]) &&
               fact->dims[0].value <= UINT32_MAX) {
        out->n = (uint32_t)fact->dims[0].value;
        out->is_counted = true;
    }
    return BP_OK;
}

bool bp_list_is_exact(const struct bp_list *list)
{
    for (uint32_t i = 0; list->v && i < list->n; i++) {
        if (!bp_sym_known(list->v[i]))
            return false;
    }
    return list->v != NULL;
}

/* Negative axes count from the end; the result has a bit for each axis. */
bp_rc bp_rule_axes(struct bp_infer *infer, const struct bp_list *list, uint32_t rank,
                   bool may_repeat, uint64_t *out)
{
    *out = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t axis;
        bp_rc rc = bp_infer_axis(infer, list->v[i].value, rank, "axes", &axis);

        if (rc < 0)
            return rc;
        if (!may_repeat && (*out >> axis & 1))
            return bp_fail(infer->err, BP_E_INVALID, "axes names axis %u twice", axis);
        *out |= UINT64_C(1) << axis;
    }
    return BP_OK;
}

/* ---- rules of other rows --------------------------------------------------------------------- */

enum { MAX_INPUTS = 16 };

bp_rc bp_rule_as(struct bp_infer *infer, const struct bp_schema *schema,
                 const struct bp_fact *const *in, uint32_t n)
{
    uint32_t present[MAX_INPUTS];
    struct bp_ir_node node = *infer->node;
    struct bp_infer inner = *infer;

    assert(n <= MAX_INPUTS);
    for (uint32_t i = 0; i < n; i++)
        present[i] = in[i] ? 0 : BP_NONE;
    node.schema = schema;
    node.in = present;
    node.n_in = n;
    inner.node = &node;
    inner.in = in;
    return schema->infer(&inner);
}

const struct bp_fact *bp_rule_transposed(struct bp_infer *infer, const struct bp_fact *fact,
                                         const uint32_t *perm)
{
    struct bp_fact *out = bp_region_alloc(infer->region, sizeof *out);
    struct bp_sym *dims = bp_region_array(infer->region, fact->rank, sizeof *dims);

    if (!out || !dims)
        return NULL;
    for (uint32_t i = 0; i < fact->rank; i++)
        dims[i] = fact->dims[perm[i]];
    *out = *fact;
    out->dims = dims;
    out->content = NULL;
    out->reals = NULL;
    out->n_content = 0;
    return out;
}

/* (N, C, d...) to (N, d..., C) and back; ranks below 3 have no spatial dimensions and stay. */
bp_rc bp_rule_move_channels(struct bp_infer *infer, const struct bp_fact **fact, bool to_end)
{
    uint32_t perm[BP_MAX_RANK], rank;

    if (!bp_rule_ranked(*fact) || (*fact)->rank < 3)
        return BP_OK;
    rank = (*fact)->rank;
    perm[0] = 0;
    for (uint32_t i = 1; i < rank; i++)
        perm[i] = to_end ? (i + 1 == rank ? 1 : i + 1) : i == 1 ? rank - 1 : i - 1;
    *fact = bp_rule_transposed(infer, *fact, perm);
    return *fact ? BP_OK : bp_fail_nomem(infer->err, "a shape");
}

/* The shape is moved to where ONNX has channels, its rule is run, and the result is moved back. */
bp_rc bp_rule_channels_last(struct bp_infer *infer, const struct bp_schema *schema, uint32_t n_in)
{
    const struct bp_fact *in[3] = {NULL}, *moved;
    bp_rc rc = bp_rule_rank(infer, 0, 3, BP_MAX_RANK);

    for (uint32_t i = 0; i < n_in; i++)
        in[i] = bp_rule_in(infer, i);
    if (rc >= 0)
        rc = bp_rule_move_channels(infer, &in[0], false);
    if (rc >= 0)
        rc = bp_rule_as(infer, schema, in, n_in);
    if (rc < 0 || !bp_rule_wants(infer, 0) || !bp_rule_ranked(&infer->out[0]))
        return rc;
    moved = &infer->out[0];
    rc = bp_rule_move_channels(infer, &moved, true);
    if (rc >= 0)
        infer->out[0].dims = moved->dims;
    return rc;
}
