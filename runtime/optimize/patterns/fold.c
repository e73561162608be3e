/* SPDX-License-Identifier: MIT */
/*
 * fold.c - constants that need no run: small integers that shape inference knows are written as
 * constants; a Reshape of a constant shares its bytes with other dims.
 */

#include "config.h"

#include "optimize/patterns/fold.h"

/* DequantizeLinear stays: int8 weights are a quarter of the size, and providers fuse it. */
bool bp_fold_must_stay(const struct bp_ir_node *node)
{
    return bp_rw_is_random(node) || strcmp(node->op, "DequantizeLinear") == 0;
}

bool bp_fold_bytes(const struct bp_rewrite *rw, uint32_t value, size_t *out)
{
    const struct bp_fact *fact = &rw->facts[value];
    int64_t dims[BP_MAX_RANK];

    if (fact->kind != BP_KIND_TENSOR || fact->dtype == BP_DTYPE_NONE ||
        fact->dtype == BP_DTYPE_STRING || bp_dtype_width(fact->dtype) < 8 ||
        !bp_fact_is_exact(fact))
        return false;
    for (uint32_t d = 0; d < fact->rank; d++)
        dims[d] = fact->dims[d].value;
    return bp_dense_bytes(fact->dtype, dims, fact->rank, out);
}

/* Little-endian, as tensors are in memory and files. */
static void store(uint8_t *to, int64_t element, size_t width)
{
    uint64_t bits = (uint64_t)element;

    for (size_t i = 0; i < width; i++)
        to[i] = (uint8_t)(bits >> (8 * i));
}

/* Does shape inference know every element of the output? */
static bool is_followed(const struct bp_rewrite *rw, uint32_t value)
{
    const struct bp_fact *fact = &rw->facts[value];
    size_t bytes;

    if (!fact->content || !bp_fold_bytes(rw, value, &bytes) ||
        bytes / (bp_dtype_width(fact->dtype) / 8) != fact->n_content)
        return false;
    for (uint32_t i = 0; i < fact->n_content; i++) {
        if (!bp_sym_known(fact->content[i]))
            return false;
    }
    return true;
}

/* Makes a constant of the elements that inference knows. */
static bp_rc write_down(struct bp_rewrite *rw, uint32_t value, bp_err *err)
{
    const struct bp_fact *fact = &rw->facts[value];
    size_t width = bp_dtype_width(fact->dtype) / 8;
    struct bp_ir_data *data;
    int64_t dims[BP_MAX_RANK];
    bp_rc rc;

    for (uint32_t d = 0; d < fact->rank; d++)
        dims[d] = fact->dims[d].value;
    rc = bp_rw_new_data(rw, fact->dtype, fact->rank, dims, &data, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < fact->n_content; i++)
        store((uint8_t *)(uintptr_t)data->bytes + i * width, fact->content[i].value, width);
    return bp_rw_fix(rw, value, data, err);
}

/* The same bytes with other dims: no copy. */
static bp_rc view_again(struct bp_rewrite *rw, const struct bp_ir_node *node, bool *done,
                        bp_err *err)
{
    const struct bp_fact *fact = &rw->facts[node->out[0]];
    struct bp_ir_data *from = rw->ir->values[node->in[0]].data, *data;
    char words[256];
    bp_err own = bp_err_init(words, sizeof words);
    int64_t *dims;

    if (bp_ir_data_load(from, &own) < 0)
        return BP_OK;
    bp_rw_set_data_id(from);
    data = bp_region_alloc(rw->ir->region, sizeof *data);
    dims = bp_region_array(rw->ir->region, fact->rank, sizeof *dims);
    if (!data || !dims)
        return bp_fail_nomem(err, "a folded constant");
    for (uint32_t d = 0; d < fact->rank; d++)
        dims[d] = fact->dims[d].value;
    *data = (struct bp_ir_data){.dims = dims,
                                .bytes = from->bytes,
                                .size = from->size,
                                .id = from->id,
                                .rank = fact->rank,
                                .dtype = from->dtype};
    *done = true;
    return bp_rw_fix(rw, node->out[0], data, err);
}

/* Does the node only change the dims of a constant? */
static bool is_view(const struct bp_rewrite *rw, uint32_t n)
{
    bool is_one = bp_rw_is(rw, n, "Reshape") || bp_rw_is(rw, n, "Flatten") ||
                  bp_rw_is(rw, n, "Squeeze") || bp_rw_is(rw, n, "Unsqueeze") ||
                  bp_rw_is(rw, n, "Identity");

    return is_one && bp_rw_is_constant(rw, bp_rw_input(rw, n, 0));
}

/* Both sizes are known and equal. */
static bool keeps_bytes(const struct bp_rewrite *rw, const struct bp_ir_node *node)
{
    size_t in, out;

    return node->domain[0] == '\0' && node->n_out == 1 && bp_fold_bytes(rw, node->in[0], &in) &&
           bp_fold_bytes(rw, node->out[0], &out) && in == out;
}

bool bp_fold_may_do_at_once(const struct bp_rewrite *rw, uint32_t n)
{
    uint32_t out = rw->nodes.out[n];

    return out == BP_NONE || rw->values.flags[out] & BP_RW_FOLLOWED || is_view(rw, n);
}

bp_rc bp_fold_at_once(struct bp_rewrite *rw, uint32_t n, bp_err *err)
{
    struct bp_ir_node *node = bp_rw_node(rw, n);
    bool done = node && node->schema && node->n_subgraphs == 0 && node->n_out > 0;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; done && i < node->n_out; i++)
        done = node->out[i] == BP_NONE || is_followed(rw, node->out[i]);
    done = done && !bp_fold_must_stay(node);
    for (uint32_t i = 0; done && rc >= 0 && i < node->n_out; i++) {
        if (node->out[i] != BP_NONE)
            rc = write_down(rw, node->out[i], err);
    }
    if (!done && is_view(rw, n) && keeps_bytes(rw, node))
        rc = view_again(rw, node, &done, err);
    if (rc < 0 || !done)
        return rc;
    bp_rw_drop(rw, n);
    rw->n_matches++;
    return BP_OK;
}
