/* SPDX-License-Identifier: MIT */
/*
 * capture_invariants.c - Loop(state s; subgraph returns s unchanged) becomes Loop without s, whose
 * subgraph captures the initial value from the outer graph.
 *
 * Exporters of while loops pass weights through the loop as states. Once captured, an initializer
 * is a constant of the subgraph, which providers may pack. Condition: the subgraph's output is its
 * input, through Identity nodes at most. Bits: unchanged.
 */

#include "config.h"

#include "optimize/passes.h"

enum { BEFORE_STATES = 2 }; /* inputs of a Loop and its subgraph: trip count and condition */

/* A Loop while the pass works on it. */
struct loop {
    struct bp_rewrite *rw;
    uint32_t n;
    struct bp_ir_node *node;
    struct bp_ir *subgraph;
    bool *is_captured; /* for each state: it is not an input of the subgraph any more */
    uint32_t n_states, n_captured;
};

/* ---- which states ---------------------------------------------------------------------------- */

/*
 * The value that a value of the subgraph copies: itself, or the input of a chain of Identity nodes.
 * The count limits the walk, should a hostile graph have a cycle.
 */
static uint32_t origin(const struct bp_ir *subgraph, uint32_t value)
{
    for (uint32_t left = subgraph->n_nodes; left > 0; left--) {
        uint32_t producer = subgraph->values[value].producer;
        const struct bp_ir_node *node = producer == BP_NONE ? NULL : &subgraph->nodes[producer];

        if (!node || !node->schema || bp_rw_stays(node) || node->domain[0] ||
            strcmp(node->op, "Identity") != 0)
            break;
        value = node->in[0];
    }
    return value;
}

static bool is_unchanged(const struct loop *l, uint32_t i)
{
    return origin(l->subgraph, l->subgraph->outputs[i + 1]) ==
           l->subgraph->inputs[i + BEFORE_STATES];
}

/* Does the subgraph return the input as another output, too? */
static bool is_output_elsewhere(const struct loop *l, uint32_t i)
{
    for (uint32_t o = 0; o < l->subgraph->n_outputs; o++) {
        if (o != i + 1 && l->subgraph->outputs[o] == l->subgraph->inputs[i + BEFORE_STATES])
            return true;
    }
    return false;
}

/* Is the value a tensor inside and outside? A subgraph may declare an optional for a tensor. */
static bool is_tensor(const struct loop *l, uint32_t outer, uint32_t inner)
{
    return l->rw->facts[outer].kind == BP_KIND_TENSOR &&
           l->rw->facts[outer].dtype != BP_DTYPE_NONE &&
           l->subgraph->values[inner].declared.kind == BP_KIND_TENSOR;
}

static uint32_t output_of(const struct loop *l, uint32_t i)
{
    return i < l->node->n_out ? l->node->out[i] : BP_NONE;
}

/*
 * Can readers of the state's final value read its initial one? An output of the graph or a captured
 * value keeps its producer.
 */
static bool can_skip_output(const struct loop *l, uint32_t i)
{
    uint32_t out = output_of(l, i);

    return out == BP_NONE || !(l->rw->values.flags[out] & (BP_IR_OUTPUT | BP_RW_CAPTURED));
}

/* ---- names ----------------------------------------------------------------------------------- */

/*
 * A subgraph refers to values of the outer graph by name when the model is written. Is the name
 * free in this graph and in nested subgraphs that read the value?
 */
static bool is_free(const struct bp_ir *ir, uint32_t value, const char *name)
{
    for (uint32_t v = 0; v < ir->n_values; v++) {
        if (v != value && strcmp(ir->values[v].name, name) == 0)
            return false;
    }
    for (const struct bp_ir *subgraph = ir->first_subgraph; subgraph;
         subgraph = subgraph->next_subgraph) {
        for (uint32_t v = 0; v < subgraph->n_values; v++) {
            if (subgraph->values[v].flags & BP_IR_CAPTURED && subgraph->values[v].outer == value &&
                !is_free(subgraph, v, name))
                return false;
        }
    }
    return true;
}

/* Renames the value here and where nested subgraphs capture it. */
static void rename_value(struct bp_ir *ir, uint32_t value, const char *name)
{
    ir->values[value].name = name;
    for (struct bp_ir *subgraph = ir->first_subgraph; subgraph;
         subgraph = subgraph->next_subgraph) {
        for (uint32_t v = 0; v < subgraph->n_values; v++) {
            if (subgraph->values[v].flags & BP_IR_CAPTURED && subgraph->values[v].outer == value)
                rename_value(subgraph, v, name);
        }
    }
}

/* ---- changes --------------------------------------------------------------------------------- */

/* All conditions for one state. */
static bool can_capture(const struct loop *l, uint32_t i)
{
    uint32_t outer = bp_rw_input(l->rw, l->n, i + BEFORE_STATES);
    uint32_t inner = l->subgraph->inputs[i + BEFORE_STATES];

    return outer != BP_NONE && !(l->subgraph->values[inner].flags & BP_IR_DEFAULTED) &&
           is_unchanged(l, i) && !is_output_elsewhere(l, i) && is_tensor(l, outer, inner) &&
           can_skip_output(l, i) && is_free(l->subgraph, inner, l->rw->ir->values[outer].name);
}

/* Turns the subgraph's input into a captured value; the lists are shortened later. */
static void capture(struct loop *l, uint32_t i)
{
    uint32_t outer = bp_rw_input(l->rw, l->n, i + BEFORE_STATES);
    uint32_t inner = l->subgraph->inputs[i + BEFORE_STATES];
    struct bp_ir_value *value = &l->subgraph->values[inner];

    l->subgraph->values[l->subgraph->outputs[i + 1]].flags &= ~(uint32_t)BP_IR_OUTPUT;
    rename_value(l->subgraph, inner, l->rw->ir->values[outer].name);
    value->flags = (value->flags & ~(uint32_t)BP_IR_INPUT) | BP_IR_CAPTURED;
    value->outer = outer;
    l->is_captured[i] = true;
    l->n_captured++;
}

/*
 * Sets the output flags again, because capture() may have cleared one of a value that is returned
 * twice.
 */
static void mark_outputs(struct bp_ir *subgraph)
{
    for (uint32_t o = 0; o < subgraph->n_outputs; o++)
        subgraph->values[subgraph->outputs[o]].flags |= BP_IR_OUTPUT;
}

/*
 * A state that can't be captured: the subgraph returns its input directly, which a run need not
 * copy.
 */
static void hand_on(struct loop *l, uint32_t i)
{
    uint32_t *output = &l->subgraph->outputs[i + 1];
    uint32_t inner = l->subgraph->inputs[i + BEFORE_STATES];

    if (*output == inner || !is_unchanged(l, i))
        return;
    l->subgraph->values[*output].flags &= ~(uint32_t)BP_IR_OUTPUT;
    *output = inner;
    l->rw->n_matches++;
}

/*
 * Removes the entries of captured states from a list whose states begin at `first`; returns the new
 * length.
 */
static uint32_t shorten(const struct loop *l, uint32_t *list, uint32_t n, uint32_t first)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (i < first || i - first >= l->n_states || !l->is_captured[i - first])
            list[left++] = list[i];
    }
    return left;
}

/* Readers of the final values read the initial ones; false: nothing needs the Loop any more. */
static bool skip_outputs(struct loop *l)
{
    for (uint32_t i = 0; i < l->n_states && !bp_rw_is_dead(l->rw, l->n); i++) {
        uint32_t out = output_of(l, i);

        if (l->is_captured[i] && out != BP_NONE)
            bp_rw_replace(l->rw, out, bp_rw_input(l->rw, l->n, i + BEFORE_STATES));
    }
    return !bp_rw_is_dead(l->rw, l->n);
}

/* Removes the captured states from the node's inputs and outputs, and adds them to its captures. */
static bp_rc shorten_node(struct loop *l, bp_err *err)
{
    struct bp_rewrite *rw = l->rw;
    uint32_t n_in = rw->nodes.n_in[l->n], n_implicit = l->node->n_implicit;
    uint32_t *in = bp_region_array(rw->scratch, n_in, sizeof *in);
    uint32_t *implicit =
        bp_region_array(rw->ir->region, (size_t)n_implicit + l->n_captured, sizeof *implicit);

    if (!in || !implicit)
        return bp_fail_nomem(err, "the inputs of a loop");
    if (n_implicit > 0)
        memcpy(implicit, l->node->implicit, n_implicit * sizeof *implicit);
    for (uint32_t i = 0; i < n_in; i++)
        in[i] = bp_rw_input(rw, l->n, i);
    for (uint32_t i = 0; i < l->n_states; i++) {
        uint32_t value = in[i + BEFORE_STATES];
        bool is_listed = false;

        for (uint32_t k = 0; k < n_implicit && !is_listed; k++)
            is_listed = implicit[k] == value;
        if (l->is_captured[i] && !is_listed)
            implicit[n_implicit++] = value;
    }
    for (uint32_t i = 0; i < l->n_states; i++) {
        if (l->is_captured[i] && output_of(l, i) != BP_NONE)
            bp_rw_set_producer(rw, output_of(l, i), BP_NONE);
    }
    l->node->n_out = shorten(l, l->node->out, l->node->n_out, 0);
    n_in = shorten(l, in, n_in, BEFORE_STATES);
    return bp_rw_set_reads(rw, l->n, n_in, in, n_implicit, implicit, err);
}

/* ---- the pass -------------------------------------------------------------------------------- */

/* False: the node is not a Loop, or its counts of inputs and outputs don't fit together. */
static bool open_loop(struct bp_rewrite *rw, uint32_t n, struct loop *l)
{
    struct bp_ir_node *node = bp_rw_is(rw, n, "Loop") ? bp_rw_node(rw, n) : NULL;
    struct bp_ir *subgraph = node ? bp_ir_subgraph(node, "body") : NULL;

    if (!subgraph || node->n_in <= BEFORE_STATES || subgraph->n_inputs != node->n_in ||
        subgraph->n_outputs + 1 < node->n_in)
        return false;
    *l = (struct loop){.rw = rw, .n = n, .node = node, .subgraph = subgraph};
    l->n_states = node->n_in - BEFORE_STATES;
    return true;
}

static bp_rc do_loop(struct loop *l, bp_err *err)
{
    l->is_captured = bp_region_array(l->rw->scratch, l->n_states, sizeof *l->is_captured);
    if (!l->is_captured)
        return bp_fail_nomem(err, "the states of a loop");
    for (uint32_t i = 0; i < l->n_states; i++) {
        if (can_capture(l, i))
            capture(l, i);
        else
            hand_on(l, i);
    }
    mark_outputs(l->subgraph);
    if (l->n_captured == 0)
        return BP_OK;
    l->rw->n_matches += l->n_captured;
    l->subgraph->n_inputs = shorten(l, l->subgraph->inputs, l->subgraph->n_inputs, BEFORE_STATES);
    l->subgraph->n_outputs = shorten(l, l->subgraph->outputs, l->subgraph->n_outputs, 1);
    mark_outputs(l->subgraph);
    return skip_outputs(l) ? shorten_node(l, err) : BP_OK;
}

bp_rc bp_pass_capture_invariants(struct bp_rewrite *rw, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        struct loop l;

        if (open_loop(rw, n, &l))
            rc = do_loop(&l, err);
    }
    return rc;
}
