/* SPDX-License-Identifier: MIT */
/*
 * make_nodes.c - constants that passes create.
 *
 * Their bytes are in the graph's region and belong to the session; a mark (source == data) tells
 * them from the model's own, which are never written.
 */

#include "config.h"

#include "optimize/rewrite.h"

#include "base/strmap.h"

bp_rc bp_rw_new_data(struct bp_rewrite *rw, uint32_t dtype, uint32_t rank, const int64_t *dims,
                     struct bp_ir_data **out, bp_err *err)
{
    struct bp_region *region = rw->ir->region;
    struct bp_ir_data *data = bp_region_alloc(region, sizeof *data);
    int64_t *copy = bp_region_array(region, rank, sizeof *copy);
    size_t bytes;

    if (!data || !copy || !bp_dense_bytes(dtype, dims, rank, &bytes))
        return bp_fail_nomem(err, "a folded constant");
    if (rank > 0)
        memcpy(copy, dims, rank * sizeof *copy);
    data->dims = copy;
    data->rank = rank;
    data->dtype = dtype;
    data->size = bytes;
    data->bytes = bp_region_alloc(region, bytes);
    if (!data->bytes)
        return bp_fail_nomem(err, "a folded constant");
    data->source = data; /* the mark of what is ours; the model's has another source or none */
    *out = data;
    return BP_OK;
}

bool bp_rw_is_own(const struct bp_ir_data *data)
{
    return data->source == data;
}

void bp_rw_set_data_id(struct bp_ir_data *data)
{
    if (bp_rw_is_own(data) && data->id == 0)
        data->id = bp_keyed_hash(data->bytes, data->size);
}

/* Type, shape and small content of a constant, as bp_infer_start() finds them. */
static bp_rc set_fact(struct bp_rewrite *rw, uint32_t value, bp_err *err)
{
    const struct bp_ir_data *data = rw->ir->values[value].data;
    struct bp_sym *dims = bp_region_array(rw->scratch, data->rank, sizeof *dims);
    struct bp_fact *fact = &rw->facts[value];
    bp_rc rc = BP_OK;

    if (!dims)
        return bp_fail_nomem(err, "a shape");
    for (uint32_t d = 0; d < data->rank; d++)
        dims[d] = bp_sym_of(data->dims[d]);
    *fact = (struct bp_fact){.dtype = data->dtype, .rank = data->rank, .dims = dims};
    if (bp_fact_has_content(fact) && data->bytes)
        rc = bp_infer_content(fact, data->bytes, rw->scratch, err);
    rw->values.flags[value] &= ~(uint32_t)BP_RW_FOLLOWED;
    rw->values.flags[value] |= fact->content ? BP_RW_FOLLOWED : 0;
    return rc;
}

/* Names of the outer graphs count too: in a file, a name in a subgraph may mean a value outside. */
static bool is_taken(const struct bp_ir *ir, const char *name)
{
    for (; ir; ir = ir->parent) {
        if (bp_strmap_get(&ir->by_name, name, BP_NONE) != BP_NONE)
            return true;
    }
    return false;
}

/* A new name: "conv1.weight'", then "conv1.weight'2" and so on until it is unused. */
static bp_rc define(struct bp_rewrite *rw, uint32_t like, uint32_t *out, bp_err *err)
{
    const char *base = rw->ir->values[like].name;
    const char *name = bp_region_printf(rw->ir->region, "%s'", base);

    for (uint32_t i = 2; name && is_taken(rw->ir, name); i++)
        name = bp_region_printf(rw->ir->region, "%s'%u", base, i);
    return name ? bp_ir_define(rw->ir, name, out, err) : bp_fail_nomem(err, "names of values");
}

bp_rc bp_rw_make(struct bp_rewrite *rw, uint32_t like, struct bp_rw_made *out, bp_err *err)
{
    bp_rc rc = define(rw, like, &out->value, err);

    if (rc >= 0 && !bp_rw_reserve(rw))
        rc = bp_fail_nomem(err, "a folded constant");
    if (rc < 0)
        return rc;
    rw->values.head[out->value] = rw->values.producer[out->value] = BP_NONE;
    rw->values.count[out->value] = 0;
    rw->values.flags[out->value] = BP_IR_CONSTANT;
    rw->facts[out->value] = (struct bp_fact){.rank = BP_RANK_UNKNOWN};
    rw->ir->values[out->value].data = out->data;
    rw->ir->values[out->value].flags = BP_IR_CONSTANT;
    return BP_OK;
}

/* The id goes, because the bytes may have changed; providers cache by it. */
bp_rc bp_rw_made(struct bp_rewrite *rw, struct bp_rw_made *made, bp_err *err)
{
    made->data->id = 0; /* its bytes may be others than before */
    return set_fact(rw, made->value, err);
}

bp_rc bp_rw_make_floats(struct bp_rewrite *rw, uint32_t like, uint32_t dtype, uint32_t rank,
                        const int64_t *dims, const double *from, uint32_t *out, bp_err *err)
{
    struct bp_rw_made made;
    bp_rc rc = bp_rw_new_data(rw, dtype, rank, dims, &made.data, err);
    size_t n;
    void *to;

    if (rc >= 0)
        rc = bp_rw_make(rw, like, &made, err);
    if (rc < 0)
        return rc;
    to = (void *)(uintptr_t)made.data->bytes; /* ours, not the model's */
    n = made.data->size / (dtype == BP_DTYPE_F32 ? sizeof(float) : sizeof(double));
    for (size_t i = 0; i < n; i++) {
        if (dtype == BP_DTYPE_F32)
            ((float *)to)[i] = (float)from[i];
        else
            ((double *)to)[i] = from[i];
    }
    *out = made.value;
    return bp_rw_made(rw, &made, err);
}

bp_rc bp_rw_fix(struct bp_rewrite *rw, uint32_t value, struct bp_ir_data *data, bp_err *err)
{
    struct bp_ir_value *row = &rw->ir->values[value];

    row->data = data;
    row->flags |= BP_IR_CONSTANT;
    rw->values.flags[value] |= BP_IR_CONSTANT;
    bp_rw_set_producer(rw, value, BP_NONE);
    return set_fact(rw, value, err);
}
