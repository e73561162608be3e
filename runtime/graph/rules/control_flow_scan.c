/* SPDX-License-Identifier: MIT */
/* control_flow_scan.c - Scan. */

#include "config.h"

#include "graph/rules/common.h"

#define FAMILY BP_FAMILY_CONTROL_FLOW

/*
 * ONNX: Scan 8, 9, 11, 16, 19, 21, 23, 24, 25.
 * Scan 8 has a batch dimension first and an input sequence_lens; from 9 on the axes along
 * which it runs are attributes. The first inputs are states, the last num_scan_inputs are cut
 * into slices along their axis, one for each iteration; all have one length there. The
 * subgraph takes states and slices, and gives states and slices of the scan outputs, which
 * are stacked along their axis. The node gives the last states and the stacked outputs.
 */

/* How a node's inputs and outputs divide. */
struct scan {
    const struct bp_ir *subgraph;
    uint32_t first;    /* input of the first state: 1 in version 8, after sequence_lens */
    uint32_t n_states; /* inputs first.., outputs 0.. */
    uint32_t n_scans;  /* inputs after them */
    bool has_batch;    /* version 8: dimension 0 of everything is the batch, 1 the sequence */
};

static bp_rc divide(const struct bp_infer *infer, struct scan *out)
{
    const struct bp_ir_node *node = infer->node;
    int64_t n_scans = bp_ir_attr_int(node, "num_scan_inputs", 0);
    uint32_t n;

    out->has_batch = node->schema->since < 9;
    out->first = out->has_batch ? 1 : 0;
    out->subgraph = bp_ir_subgraph(node, "body");
    n = node->n_in > out->first ? node->n_in - out->first : 0;
    if (!out->subgraph)
        return bp_fail(infer->err, BP_E_INVALID, "attribute body is missing");
    if (n_scans < 1 || n_scans > n)
        return bp_fail(infer->err, BP_E_INVALID,
                       "num_scan_inputs is %lld, but the node has %u inputs to choose from",
                       (long long)n_scans, n);
    out->n_scans = (uint32_t)n_scans;
    out->n_states = n - out->n_scans;
    if (out->subgraph->n_inputs != n)
        return bp_fail(infer->err, BP_E_INVALID, "body has %u inputs, the node gives it %u",
                       out->subgraph->n_inputs, n);
    if (out->subgraph->n_outputs != node->n_out || node->n_out < out->n_states)
        return bp_fail(infer->err, BP_E_INVALID,
                       "body has %u outputs and the node %u; both need the same, at least one for "
                       "each of %u states",
                       out->subgraph->n_outputs, node->n_out, out->n_states);
    return BP_OK;
}

/* Entry i of a list attribute with one entry for each of n; 0 when the list is absent. */
static bp_rc listed(const struct bp_infer *infer, const char *name, uint32_t n, uint32_t i,
                    int64_t *out)
{
    uint32_t count;
    const int64_t *list = bp_ir_attr_ints(infer->node, name, &count);

    *out = list && count > i ? list[i] : 0;
    if (list && count > 0 && count != n)
        return bp_fail(infer->err, BP_E_INVALID, "%s has %u entries, but %u are needed", name,
                       count, n);
    return BP_OK;
}

/* Removes dimension `axis`; its size in *gone where the rank is known. */
static bp_rc remove_dim(struct bp_infer *infer, struct bp_fact *fact, uint32_t axis,
                        struct bp_sym *gone)
{
    struct bp_sym *dims;

    if (fact->rank == BP_RANK_UNKNOWN)
        return BP_OK;
    if (fact->rank <= axis)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "an input has rank %u, but its dimension %u is needed", fact->rank, axis);
    dims = bp_region_array(infer->region, fact->rank, sizeof *dims);
    if (!dims)
        return bp_fail_nomem(infer->err, "a shape");
    for (uint32_t d = 0, to = 0; d < fact->rank; d++) {
        if (d != axis)
            dims[to++] = fact->dims[d];
        else
            *gone = fact->dims[d];
    }
    fact->dims = dims;
    fact->rank--;
    return BP_OK;
}

/* Puts dimension `axis` in; the rank is known and below the limit. */
static bp_rc insert_dim(struct bp_infer *infer, struct bp_fact *fact, uint32_t axis,
                        struct bp_sym size)
{
    struct bp_sym *dims = bp_region_array(infer->region, fact->rank + 1, sizeof *dims);

    if (!dims)
        return bp_fail_nomem(infer->err, "a shape");
    for (uint32_t d = 0; d <= fact->rank; d++)
        dims[d] = d < axis ? fact->dims[d] : d == axis ? size : fact->dims[d - 1];
    fact->dims = dims;
    fact->rank++;
    return BP_OK;
}

/* What the slices of scan input i are; *length is their number, where it is known. */
static bp_rc slice_of(struct bp_infer *infer, const struct scan *scan, uint32_t i,
                      struct bp_fact *fact, struct bp_sym *batch, struct bp_sym *length)
{
    int64_t axis;
    uint32_t plain = 0;
    bp_rc rc = listed(infer, "scan_input_axes", scan->n_scans, i, &axis);

    if (rc >= 0 && scan->has_batch)
        rc = remove_dim(infer, fact, 0, batch);
    else if (rc >= 0 && fact->rank != BP_RANK_UNKNOWN)
        rc = bp_infer_axis(infer, axis, fact->rank, "scan_input_axes", &plain);
    return rc < 0 ? rc : remove_dim(infer, fact, plain, length);
}

/* The subgraph's inputs before the first iteration. */
static bp_rc start(struct bp_infer *infer, const struct scan *scan, struct bp_fact *in,
                   struct bp_sym *batch, struct bp_sym *length)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < scan->n_states + scan->n_scans; i++) {
        const struct bp_fact *given = bp_rule_in(infer, scan->first + i);

        if (!given)
            return bp_fail(infer->err, BP_E_INVALID, "input %u is absent", scan->first + i);
        in[i] = *given;
        in[i].content = NULL;
        in[i].reals = NULL;
        in[i].n_content = 0;
        if (i >= scan->n_states)
            rc = slice_of(infer, scan, i - scan->n_states, &in[i], batch, length);
        else if (scan->has_batch)
            rc = remove_dim(infer, &in[i], 0, batch);
    }
    return rc;
}

static bp_rc scan_inputs(struct bp_infer *infer, const struct bp_ir *subgraph, struct bp_fact *in)
{
    struct scan scan;
    struct bp_sym batch, length;
    struct bp_fact *out;
    bp_rc rc = divide(infer, &scan);

    if (rc >= 0)
        rc = start(infer, &scan, in, &batch, &length);
    return rc < 0 ? rc : bp_rule_loop_carried(infer, subgraph, in, 0, 0, scan.n_states, &out);
}

static bp_rc set_state(struct bp_infer *infer, const struct scan *scan, uint32_t i,
                       struct bp_fact *fact, struct bp_sym batch)
{
    bp_rc rc = BP_OK;

    if (scan->has_batch && fact->rank != BP_RANK_UNKNOWN)
        rc = insert_dim(infer, fact, 0, batch);
    if (rc >= 0)
        bp_rule_set_fact(infer, i, fact);
    return rc;
}

static bp_rc set_scanned(struct bp_infer *infer, const struct scan *scan, uint32_t i,
                         struct bp_fact *fact, struct bp_sym batch, struct bp_sym length)
{
    int64_t axis;
    uint32_t plain = 0;
    bp_rc rc = listed(infer, "scan_output_axes", infer->node->n_out - scan->n_states,
                      i - scan->n_states, &axis);

    if (rc < 0 || fact->rank == BP_RANK_UNKNOWN)
        return rc < 0 ? rc : bp_rule_unknown(infer, i, fact->dtype);
    rc = bp_rule_check_rank(infer, (uint64_t)fact->rank + 2);
    if (rc >= 0 && !scan->has_batch)
        rc = bp_infer_axis(infer, axis, fact->rank + 1, "scan_output_axes", &plain);
    if (rc >= 0)
        rc = insert_dim(infer, fact, plain, length);
    if (rc >= 0 && scan->has_batch)
        rc = insert_dim(infer, fact, 0, batch);
    if (rc >= 0)
        bp_rule_set_fact(infer, i, fact);
    return rc;
}

static bp_rc infer_scan(struct bp_infer *infer)
{
    struct scan scan;
    struct bp_sym sizes[2]; /* batch, length */
    struct bp_fact *in, *out;
    bp_rc rc = divide(infer, &scan);

    if (rc >= 0)
        rc = bp_rule_from_data(infer, sizes, 2); /* until some input tells */
    if (rc < 0)
        return rc;
    in = bp_region_array(infer->region, scan.subgraph->n_inputs, sizeof *in);
    if (!in)
        return bp_fail_nomem(infer->err, "shapes");
    rc = start(infer, &scan, in, &sizes[0], &sizes[1]);
    if (rc >= 0)
        rc = bp_rule_loop_carried(infer, scan.subgraph, in, 0, 0, scan.n_states, &out);
    for (uint32_t i = 0; rc >= 0 && i < infer->node->n_out; i++) {
        if (i < scan.n_states)
            rc = set_state(infer, &scan, i, &in[i], sizes[0]);
        else
            rc = set_scanned(infer, &scan, i, &out[i], sizes[0], sizes[1]);
    }
    return rc;
}

/* ---- rows ------------------------------------------------------------------------------------ */

#define VALUES(name, types)                                                                        \
    {                                                                                              \
        name, types, BP_PARAM_VARIADIC | BP_PARAM_HETEROGENEOUS, 'V', K_TENSOR                     \
    }
#define NUM_SCAN A_GRAPH_REQ("body"), A_INT_REQ("num_scan_inputs")

ROW(Scan, 8, INFER(infer_scan), .subgraph_inputs = scan_inputs,
    IN(OPT("sequence_lens", 'I', BP_T(I64)), VALUES("initial_state_and_scan_inputs", ALL3)),
    OUT(VALUES("final_state_and_scan_outputs", ALL3)), ATTRS(NUM_SCAN, A_INTS("directions")),
    .is_host_op = true);

#define SCAN(since, types)                                                                         \
    ROW(Scan, since, INFER(infer_scan), .subgraph_inputs = scan_inputs,                            \
        IN(VALUES("initial_state_and_scan_inputs", types)),                                        \
        OUT(VALUES("final_state_and_scan_outputs", types)),                                        \
        ATTRS(NUM_SCAN, A_INTS("scan_input_axes"), A_INTS("scan_input_directions"),                \
              A_INTS("scan_output_axes"), A_INTS("scan_output_directions")),                       \
        .is_host_op = true)

SCAN(9, ALL3);
SCAN(11, ALL3);
SCAN(16, ALL4);
SCAN(19, ALL9);
SCAN(21, ALL10);
SCAN(23, ALL11);
SCAN(24, ALL12);
SCAN(25, ALL13);
