/* SPDX-License-Identifier: MIT */
/* read_values.c - questions that passes ask about a graph before they change it. */

#include "config.h"

#include "optimize/rewrite.h"

#include "graph/custom.h"
#include "graph/schema.h"

bool bp_rw_stays(const struct bp_ir_node *node)
{
    return node->is_pinned || bp_custom_of(node->schema) || bp_provider_op_of(node->schema) ||
           bp_node_is_context(node);
}

/* Copies a node's inputs from the lists to the graph. */
static void write_inputs(const struct bp_rewrite *rw, uint32_t n)
{
    uint32_t n_in = rw->nodes.n_in[n];

    if (n_in > 0)
        memcpy(rw->ir->nodes[n].in, &rw->uses.value[rw->nodes.first_use[n]],
               n_in * sizeof *rw->uses.value);
    rw->nodes.flags[n] &= ~(uint32_t)BP_RW_STALE;
}

void bp_rw_sync(const struct bp_rewrite *rw)
{
    for (uint32_t n = 0; n < rw->ir->n_nodes; n++) {
        if (!bp_rw_is_dead(rw, n) && rw->nodes.flags[n] & BP_RW_STALE)
            write_inputs(rw, n);
    }
    for (uint32_t v = 0; v < rw->ir->n_values; v++)
        rw->ir->values[v].producer = rw->values.producer[v];
}

struct bp_ir_node *bp_rw_node(const struct bp_rewrite *rw, uint32_t n)
{
    if (n == BP_NONE || bp_rw_is_dead(rw, n) || rw->nodes.flags[n] & BP_RW_STAYS)
        return NULL;
    if (rw->nodes.flags[n] & BP_RW_STALE)
        write_inputs(rw, n);
    return &rw->ir->nodes[n];
}

/*
 * Dropout counts, though at inference it copies its input: opsets differ in how training is
 * requested.
 */
bool bp_rw_is_random(const struct bp_ir_node *node)
{
    static const char *const ops[] = {
        "Bernoulli",        "Dropout",       "Multinomial",       "RandomNormal",
        "RandomNormalLike", "RandomUniform", "RandomUniformLike",
    };

    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (strcmp(node->op, ops[i]) == 0)
            return true;
    }
    return false;
}

uint32_t bp_rw_in(const struct bp_ir_node *node, uint32_t i)
{
    return i < node->n_in ? node->in[i] : BP_NONE;
}

uint32_t bp_rw_producer(const struct bp_rewrite *rw, uint32_t value)
{
    return value == BP_NONE ? BP_NONE : rw->values.producer[value];
}

uint32_t bp_rw_only_user(const struct bp_rewrite *rw, uint32_t value)
{
    if (value == BP_NONE || rw->values.count[value] != 1 ||
        rw->values.flags[value] & (BP_IR_OUTPUT | BP_RW_CAPTURED))
        return BP_NONE;
    return rw->uses.node[rw->values.head[value]];
}

uint32_t bp_rw_only_user_is(const struct bp_rewrite *rw, uint32_t value, const char *op)
{
    uint32_t n = bp_rw_only_user(rw, value);

    return n != BP_NONE && bp_rw_is(rw, n, op) ? n : BP_NONE;
}

/* An output of the graph counts as a reader. */
static bool is_read(const struct bp_rewrite *rw, uint32_t value)
{
    return value != BP_NONE &&
           (rw->values.count[value] > 0 || rw->values.flags[value] & BP_IR_OUTPUT);
}

bool bp_rw_is_wanted(const struct bp_rewrite *rw, uint32_t n)
{
    const struct bp_ir_node *node;

    if (!(rw->nodes.flags[n] & BP_RW_SEVERAL))
        return is_read(rw, rw->nodes.out[n]);
    node = &rw->ir->nodes[n];
    for (uint32_t i = 0; i < node->n_out; i++) {
        if (is_read(rw, node->out[i]))
            return true;
    }
    return false;
}

uint32_t bp_rw_n_wanted(const struct bp_rewrite *rw, uint32_t n)
{
    const struct bp_ir_node *node;
    uint32_t n_wanted = 0;

    if (!(rw->nodes.flags[n] & BP_RW_SEVERAL))
        return is_read(rw, rw->nodes.out[n]);
    node = &rw->ir->nodes[n];
    for (uint32_t i = 0; i < node->n_out; i++)
        n_wanted += is_read(rw, node->out[i]);
    return n_wanted;
}

bool bp_rw_one_output(const struct bp_rewrite *rw, uint32_t n)
{
    return bp_rw_n_wanted(rw, n) == 1;
}

bool bp_rw_is_constant(const struct bp_rewrite *rw, uint32_t value)
{
    return value != BP_NONE && rw->values.flags[value] & BP_IR_CONSTANT;
}

/* Symbols count as equal when inference proved it. */
bool bp_rw_same_shape(const struct bp_rewrite *rw, uint32_t a, uint32_t b)
{
    const struct bp_fact *x = &rw->facts[a], *y = &rw->facts[b];

    if (x->kind != BP_KIND_TENSOR || y->kind != BP_KIND_TENSOR || x->rank == BP_RANK_UNKNOWN ||
        x->rank != y->rank)
        return false;
    for (uint32_t d = 0; d < x->rank; d++) {
        if (!bp_sym_equal(x->dims[d], y->dims[d]))
            return false;
    }
    return true;
}

bool bp_rw_ints(const struct bp_rewrite *rw, uint32_t value, int64_t *out, uint32_t cap,
                uint32_t *n)
{
    const struct bp_fact *fact;

    if (value == BP_NONE)
        return false;
    fact = &rw->facts[value];
    if (!fact->content || fact->n_content > cap)
        return false;
    for (uint32_t i = 0; i < fact->n_content; i++) {
        if (!bp_sym_known(fact->content[i]))
            return false;
        out[i] = fact->content[i].value;
    }
    *n = fact->n_content;
    return true;
}

/* The copy goes through memcpy, because bytes of a model may be unaligned. */
double *bp_rw_floats(struct bp_rewrite *rw, uint32_t value, size_t *n)
{
    struct bp_ir_data *data;
    char words[256];
    bp_err own = bp_err_init(words, sizeof words);
    double *out;
    size_t width;

    if (!bp_rw_is_constant(rw, value))
        return NULL;
    data = rw->ir->values[value].data;
    if (data->dtype != BP_DTYPE_F32 && data->dtype != BP_DTYPE_F64)
        return NULL;
    width = data->dtype == BP_DTYPE_F32 ? sizeof(float) : sizeof(double);
    *n = data->size / width;
    out = bp_region_array(rw->scratch, *n, sizeof *out);
    if (!out || bp_ir_data_load(data, &own) < 0)
        return NULL;
    for (size_t i = 0; i < *n; i++) {
        float single;

        if (width == sizeof(double)) {
            memcpy(&out[i], data->bytes + i * width, width);
            continue;
        }
        memcpy(&single, data->bytes + i * width, width);
        out[i] = (double)single;
    }
    return out;
}

bool bp_rw_float(const struct bp_rewrite *rw, uint32_t value, double *out)
{
    struct bp_ir_data *data;
    char words[256];
    bp_err own = bp_err_init(words, sizeof words);
    float single;

    if (!bp_rw_is_constant(rw, value))
        return false;
    data = rw->ir->values[value].data;
    if ((data->dtype != BP_DTYPE_F32 || data->size != sizeof single) &&
        (data->dtype != BP_DTYPE_F64 || data->size != sizeof *out))
        return false;
    if (bp_ir_data_load(data, &own) < 0)
        return false;
    if (data->dtype == BP_DTYPE_F64) {
        memcpy(out, data->bytes, sizeof *out);
        return true;
    }
    memcpy(&single, data->bytes, sizeof single);
    *out = (double)single;
    return true;
}
