/* SPDX-License-Identifier: MIT */
/*
 * states.c - finds what runs leave for the next ones, and lets it grow along its first axis.
 *
 * A tensor is dense: what is added along another axis than the first moves all that was there. With
 * that axis first the new elements lie behind the old ones, and nothing moves. The readers get the
 * model's layout by a Transpose, which passes fuse into the products that read it.
 */

#include "config.h"

#include "graph/expand/states.h"

#include <stdlib.h>
#include <string.h>

#include "graph/expand/emit.h"
#include "text/text.h"

/* ---- what is asked for ----------------------------------------------------------------------- */

bp_rc bp_state_list_add(struct bp_state_list *list, const char *input, const char *output,
                        bp_err *err)
{
    struct bp_state_names *rows;

    if (!input || !*input || !output || !*output)
        return bp_fail(err, BP_E_INVALID, "a state needs the names of an input and an output");
    if (!strchr(input, '*') != !strchr(output, '*') || strchr(input, '*') != strrchr(input, '*') ||
        strchr(output, '*') != strrchr(output, '*'))
        return bp_fail(err, BP_E_INVALID,
                       "state '%s', '%s': one '*' in both names stands for the same text", input,
                       output);
    rows = realloc(list->rows, ((size_t)list->count + 1) * sizeof *rows);
    if (!rows)
        return bp_fail_nomem(err, "a state");
    list->rows = rows;
    rows[list->count] = (struct bp_state_names){strdup(input), strdup(output)};
    list->count++;
    if (!rows[list->count - 1].input || !rows[list->count - 1].output)
        return bp_fail_nomem(err, "a state");
    return BP_OK;
}

bp_rc bp_state_list_copy(struct bp_state_list *to, const struct bp_state_list *from, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < from->count; i++)
        rc = bp_state_list_add(to, from->rows[i].input, from->rows[i].output, err);
    return rc;
}

void bp_state_list_finish(struct bp_state_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        free(list->rows[i].input);
        free(list->rows[i].output);
    }
    free(list->rows);
    *list = (struct bp_state_list){0};
}

/* ---- which values those are ------------------------------------------------------------------ */

/* The value of that name in a list of inputs or outputs; BP_NONE: none. */
static uint32_t find_in(const struct bp_ir *ir, const uint32_t *list, uint32_t n, const char *name)
{
    uint32_t value = bp_strmap_get(&ir->by_name, name, BP_NONE);

    for (uint32_t i = 0; value != BP_NONE && i < n; i++) {
        if (list[i] == value)
            return value;
    }
    return BP_NONE;
}

/* Fails because `ir` has no such input or output; names the nearest. */
static bp_rc fail_name(const struct bp_ir *ir, const uint32_t *list, uint32_t n, const char *what,
                       const char *name, bp_err *err)
{
    const char **names = calloc((size_t)n + 1, sizeof *names), *near = NULL;
    bp_rc rc;

    for (uint32_t i = 0; names && i < n; i++)
        names[i] = ir->values[list[i]].name;
    if (names)
        near = bp_nearest(name, names, n);
    rc = bp_fail(err, BP_E_INVALID, "a state is to be %s '%s', which the model does not have%s%s%s",
                 what, name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    free(names);
    return rc;
}

static bp_rc check(const struct bp_ir *ir, const struct bp_ir_states *states, const char *input,
                   const char *output, bp_err *err)
{
    uint32_t in = find_in(ir, ir->inputs, ir->n_inputs, input);
    uint32_t out = find_in(ir, ir->outputs, ir->n_outputs, output);

    if (in == BP_NONE)
        return fail_name(ir, ir->inputs, ir->n_inputs, "input", input, err);
    if (out == BP_NONE)
        return fail_name(ir, ir->outputs, ir->n_outputs, "output", output, err);
    if (ir->values[in].data)
        return bp_fail(err, BP_E_INVALID,
                       "input '%s' has a default in the model, so it cannot be a state", input);
    if (ir->values[in].declared.kind != BP_KIND_TENSOR ||
        ir->values[in].declared.dtype == BP_DTYPE_STRING)
        return bp_fail(err, BP_E_INVALID, "input '%s' is no tensor of numbers, as states are",
                       input);
    for (uint32_t i = 0; i < states->count; i++) {
        if (strcmp(states->rows[i].input, input) == 0 ||
            strcmp(states->rows[i].output, output) == 0)
            return bp_fail(err, BP_E_INVALID,
                           "input '%s' and output '%s' are a state, and one of them is in another",
                           input, output);
    }
    return BP_OK;
}

static bp_rc add(struct bp_ir *ir, struct bp_ir_states *states, const char *input,
                 const char *output, bp_err *err)
{
    struct bp_ir_state row = {.input = bp_region_string(ir->region, input),
                              .output = bp_region_string(ir->region, output),
                              .axis = BP_NONE};
    bp_rc rc;

    if (!row.input || !row.output)
        return bp_fail_nomem(err, "a state");
    rc = check(ir, states, input, output, err);
    if (rc < 0)
        return rc;
    row.rank = ir->values[find_in(ir, ir->inputs, ir->n_inputs, input)].declared.rank;
    states->rows[states->count++] = row;
    return BP_OK;
}

/* Does the name fit a pattern with a '*'? Then *text is what it stands for, n letters. */
static bool fits(const char *pattern, const char *name, const char **text, size_t *n)
{
    size_t before = (size_t)(strchr(pattern, '*') - pattern);
    size_t after = strlen(pattern) - before - 1, length = strlen(name);

    if (length < before + after || strncmp(name, pattern, before) != 0 ||
        strcmp(name + length - after, pattern + before + 1) != 0)
        return false;
    *text = name + before;
    *n = length - before - after;
    return true;
}

/* All inputs that a pattern fits. */
static bp_rc add_all(struct bp_ir *ir, struct bp_ir_states *states,
                     const struct bp_state_names *names, bp_err *err)
{
    const char *star = strchr(names->output, '*'), *text;
    uint32_t before = states->count;
    size_t n;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < ir->n_inputs; i++) {
        const char *input = ir->values[ir->inputs[i]].name, *output;

        if (!fits(names->input, input, &text, &n))
            continue;
        output = bp_region_printf(ir->region, "%.*s%.*s%s", (int)(star - names->output),
                                  names->output, (int)n, text, star + 1);
        rc = output ? add(ir, states, input, output, err) : bp_fail_nomem(err, "a state");
    }
    if (rc >= 0 && states->count == before)
        rc = fail_name(ir, ir->inputs, ir->n_inputs, "input", names->input, err);
    return rc;
}

/* ---- how they grow --------------------------------------------------------------------------- */

/* The Concat that makes the output of the input and one value more; BP_NONE: there is none. */
static uint32_t find_concat(const struct bp_ir *ir, const struct bp_ir_state *state, uint32_t in,
                            uint32_t out)
{
    for (uint32_t n = 0; n < ir->n_nodes; n++) {
        const struct bp_ir_node *node = &ir->nodes[n];

        if (node->n_out == 1 && node->out[0] == out)
            return strcmp(node->op, "Concat") == 0 && !node->domain[0] && node->n_in == 2 &&
                           node->in[0] == in && node->in[1] != in && bp_ir_attr(node, "axis") &&
                           state->rank != BP_RANK_UNKNOWN
                       ? n
                       : BP_NONE;
    }
    return BP_NONE;
}

/* The axis of such a Concat; BP_NONE: it is not one of the input's. */
static uint32_t axis_of(const struct bp_ir_node *concat, uint32_t rank)
{
    int64_t axis = bp_ir_attr_int(concat, "axis", 0);

    axis += axis < 0 ? (int64_t)rank : 0;
    return axis >= 0 && axis < (int64_t)rank ? (uint32_t)axis : BP_NONE;
}

/* Are all dimensions before the axis 1? Then what is added lies behind the rest already. */
static bool is_in_order(const struct bp_ir_value *value, uint32_t axis)
{
    for (uint32_t d = 0; d < axis; d++) {
        if (!bp_sym_known(value->declared.dims[d]) || value->declared.dims[d].value != 1)
            return false;
    }
    return true;
}

/* Does a subgraph of a node here read the value? */
static bool is_captured(const struct bp_ir *ir, uint32_t value)
{
    for (const struct bp_ir *g = ir->first_subgraph; g; g = g->next_subgraph) {
        for (uint32_t v = 0; g->parent == ir && v < g->n_values; v++) {
            if ((g->values[v].flags & BP_IR_CAPTURED) && g->values[v].outer == value)
                return true;
        }
    }
    return false;
}

/* ---- the axis becomes the first -------------------------------------------------------------- */

enum { MOST_AXES = 8 };

/* Orders of axes: into the graph's layout, and back to the model's. */
struct orders {
    int64_t there[MOST_AXES], back[MOST_AXES];
    uint32_t rank;
};

static struct orders orders_of(uint32_t rank, uint32_t axis)
{
    struct orders out = {.rank = rank};

    for (uint32_t d = 0; d < rank; d++) {
        out.there[d] = d == 0 ? axis : d <= axis ? d - 1 : d;
        out.back[out.there[d]] = d;
    }
    return out;
}

static bp_rc permute_declared(struct bp_ir *ir, uint32_t value, const struct orders *orders,
                              bp_err *err)
{
    struct bp_fact *fact = &ir->values[value].declared;
    struct bp_sym *dims = bp_region_array(ir->region, orders->rank, sizeof *dims);

    if (fact->rank != orders->rank)
        return BP_OK; /* unknown */
    if (!dims)
        return bp_fail_nomem(err, "a state");
    for (uint32_t d = 0; d < orders->rank; d++)
        dims[d] = fact->dims[orders->there[d]];
    fact->dims = dims;
    return BP_OK;
}

static uint32_t emit_transpose(struct bp_emit *e, uint32_t value, const int64_t *order,
                               uint32_t rank)
{
    uint32_t out = BP_EMIT_OP(e, "Transpose", value);

    bp_emit_ints(e, bp_emit_last(e), "perm", order, rank);
    return out;
}

/* A constant of integers. */
static uint32_t emit_constant(struct bp_emit *e, const int64_t *values, uint32_t n)
{
    struct bp_region *region = e->ir->region;
    struct bp_ir_data *data = bp_region_array(region, 1, sizeof *data);
    int64_t *copy = bp_region_array(region, n, sizeof *copy);
    int64_t *dims = bp_region_array(region, 1, sizeof *dims);
    uint32_t value = bp_emit_value(e, "axes");

    if (e->rc >= 0 && (!data || !copy || !dims))
        e->rc = bp_fail_nomem(e->err, "a constant");
    if (e->rc < 0)
        return BP_NONE;
    memcpy(copy, values, n * sizeof *copy);
    dims[0] = n;
    *data = (struct bp_ir_data){.dims = dims,
                                .bytes = (const uint8_t *)copy,
                                .size = n * sizeof *copy,
                                .id = bp_keyed_hash(copy, n * sizeof *copy),
                                .rank = 1,
                                .dtype = BP_DTYPE_I64};
    e->ir->values[value].data = data;
    e->ir->values[value].flags = BP_IR_CONSTANT;
    return value;
}

/* Does node i read a value in the model's layout? Shape's output is put into order instead. */
static bool reads_in_order(const struct bp_ir *ir, uint32_t i, uint32_t concat, uint32_t value)
{
    const struct bp_ir_node *node = &ir->nodes[i];

    if (i == concat || (strcmp(node->op, "Shape") == 0 && !node->domain[0]))
        return false;
    for (uint32_t k = 0; k < node->n_in; k++) {
        if (node->in[k] == value)
            return true;
    }
    return false;
}

/* Those of the first n nodes read a Transpose of the value, if there are any. */
static void emit_order(struct bp_emit *e, uint32_t n, uint32_t concat, uint32_t value,
                       const struct orders *orders)
{
    uint32_t in_order = BP_NONE;

    for (uint32_t i = 0; e->rc >= 0 && i < n; i++) {
        if (!reads_in_order(e->ir, i, concat, value))
            continue;
        if (in_order == BP_NONE)
            in_order = emit_transpose(e, value, orders->back, orders->rank);
        for (uint32_t k = 0; e->rc >= 0 && k < e->ir->nodes[i].n_in; k++) {
            if (e->ir->nodes[i].in[k] == value)
                e->ir->nodes[i].in[k] = in_order;
        }
    }
}

/*
 * Shape of a moved value: its sizes in the model's order. The Shape reads the value as it is, and
 * what was its output comes from a Gather.
 */
static void emit_shapes(struct bp_emit *e, uint32_t n, uint32_t value, const struct orders *orders)
{
    for (uint32_t i = 0; e->rc >= 0 && i < n; i++) {
        struct bp_ir_node *node = &e->ir->nodes[i];
        int64_t rank = orders->rank, begin, end;
        uint32_t in[2], out;

        if (strcmp(node->op, "Shape") != 0 || node->domain[0] || node->n_in != 1 ||
            node->in[0] != value || node->n_out != 1)
            continue;
        begin = bp_ir_attr_int(node, "start", 0);
        end = bp_ir_attr_int(node, "end", rank);
        begin = begin < 0 ? begin + rank : begin;
        end = end < 0 ? end + rank : end;
        begin = begin < 0 ? 0 : begin > rank ? rank : begin;
        end = end < begin ? begin : end > rank ? rank : end;
        out = node->out[0];
        node->out[0] = bp_emit_value(e, NULL);
        node->n_attrs = 0;
        in[0] = e->rc < 0 ? BP_NONE : e->ir->nodes[i].out[0];
        in[1] = emit_constant(e, orders->back + begin, (uint32_t)(end - begin));
        bp_emit_node(e, "Gather", "", 2, in, 1, &out);
    }
}

/*
 * Readers of the input (but for the Concat) and of the output read Transposes of them, the Concat
 * reads a Transpose of what is added.
 */
static bp_rc move(struct bp_ir *ir, struct bp_ir_state *state, uint32_t in, uint32_t out,
                  uint32_t concat, bp_err *err)
{
    struct orders orders = orders_of(state->rank, state->axis);
    struct bp_emit e = {.ir = ir, .name = state->output, .last = BP_NONE, .err = err};
    uint32_t n = ir->n_nodes, added;
    int64_t *axis = bp_region_array(ir->region, 1, sizeof *axis); /* 0 */
    struct bp_ir_node *node;

    if (!axis)
        return bp_fail_nomem(err, "a state");
    emit_shapes(&e, n, in, &orders);
    emit_shapes(&e, n, out, &orders);
    emit_order(&e, n, concat, in, &orders);
    emit_order(&e, n, concat, out, &orders);
    added = emit_transpose(&e, ir->nodes[concat].in[1], orders.there, orders.rank);
    if (e.rc < 0)
        return e.rc;
    node = &ir->nodes[concat];
    node->in[1] = added;
    for (uint32_t i = 0; i < node->n_attrs; i++) {
        if (strcmp(node->attrs[i].name, "axis") == 0)
            node->attrs[i].data = axis;
    }
    state->is_moved = true;
    e.rc = permute_declared(ir, in, &orders, err);
    return e.rc < 0 ? e.rc : permute_declared(ir, out, &orders, err);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* How the state grows; moves its axis if that saves a copy. */
static bp_rc settle(struct bp_ir *ir, struct bp_ir_state *state, bool may_move, bp_err *err)
{
    uint32_t in = bp_strmap_get(&ir->by_name, state->input, BP_NONE);
    uint32_t out = bp_strmap_get(&ir->by_name, state->output, BP_NONE);
    uint32_t concat = find_concat(ir, state, in, out);

    if (concat == BP_NONE)
        return BP_OK;
    state->axis = axis_of(&ir->nodes[concat], state->rank);
    if (state->axis == BP_NONE || is_in_order(&ir->values[in], state->axis) || !may_move ||
        state->rank > MOST_AXES || is_captured(ir, in) || is_captured(ir, out))
        return BP_OK;
    return move(ir, state, in, out, concat, err);
}

bp_rc bp_ir_find_states(struct bp_ir *ir, const struct bp_state_list *asked, bool may_move,
                        struct bp_ir_states *out, bp_err *err)
{
    bp_rc rc = BP_OK;

    *out = (struct bp_ir_states){0};
    if (!asked || asked->count == 0)
        return BP_OK;
    /* no input is in two pairs; one row more, so that a second use of the last one is found */
    out->rows = bp_region_array(ir->region, (size_t)ir->n_inputs + 1, sizeof *out->rows);
    if (!out->rows)
        return bp_fail_nomem(err, "a state");
    for (uint32_t i = 0; rc >= 0 && i < asked->count; i++) {
        const struct bp_state_names *names = &asked->rows[i];

        rc = strchr(names->input, '*') ? add_all(ir, out, names, err)
                                       : add(ir, out, names->input, names->output, err);
    }
    for (uint32_t i = 0; rc >= 0 && i < out->count; i++)
        rc = settle(ir, &out->rows[i], may_move, err);
    return rc;
}
