/* SPDX-License-Identifier: MIT */
/* control_flow.c - If and Loop, and EPContext: a part of a model that a provider compiled before. */

#include "config.h"

#include "graph/rules/common.h"

#define FAMILY BP_FAMILY_CONTROL_FLOW

/* ---- If -------------------------------------------------------------------------------------- */

/*
 * ONNX: If 1, 11, 13, 16, 19, 21, 23, 24, 25.
 * cond is one element of any rank. The branches have no inputs; an output of the node has the
 * type that both branches give it, and the sizes that both give: a size that differs comes
 * with the data, other ranks leave the rank unknown.
 * A constant cond decides for one branch, and only that one is inferred: its sizes and
 * content hold for the outputs.
 */

static bp_rc merge(struct bp_infer *infer, uint32_t i, const struct bp_fact *a,
                   const struct bp_fact *b)
{
    uint32_t dtype = a->dtype != BP_DTYPE_NONE ? a->dtype : b->dtype;
    struct bp_sym dims[BP_MAX_RANK];

    if ((a->dtype != BP_DTYPE_NONE && b->dtype != BP_DTYPE_NONE && a->dtype != b->dtype) ||
        (a->kind != b->kind && !bp_fact_is_blank(a) && !bp_fact_is_blank(b))) {
        char a_text[160], b_text[160];

        bp_fact_text(a, infer->symbols, a_text, sizeof a_text);
        bp_fact_text(b, infer->symbols, b_text, sizeof b_text);
        return bp_fail(infer->err, BP_E_INVALID,
                       "output %u is %s in then_branch, but %s in else_branch", i, a_text, b_text);
    }
    if (a->kind != BP_KIND_TENSOR || b->kind != BP_KIND_TENSOR) {
        bp_rule_set_fact(infer, i, bp_fact_innermost(a) ? a : b);
        return BP_OK;
    }
    if (!bp_rule_ranked(a) || !bp_rule_ranked(b) || a->rank != b->rank)
        return bp_rule_unknown(infer, i, dtype);
    for (uint32_t d = 0; d < a->rank; d++) {
        bp_rc rc = BP_OK;

        dims[d] = a->dims[d];
        if (!bp_sym_equal(a->dims[d], b->dims[d]))
            rc = bp_rule_from_data(infer, &dims[d], 1);
        if (rc < 0)
            return rc;
    }
    return bp_rule_set(infer, i, dtype, a->rank, dims);
}

static bp_rc take(struct bp_infer *infer, const struct bp_fact *facts)
{
    for (uint32_t i = 0; i < infer->node->n_out; i++) {
        bp_rc rc;

        bp_rule_set_fact(infer, i, &facts[i]);
        rc = bp_rule_same_content(infer, i, &facts[i]);
        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

static bp_rc find_subgraph(struct bp_infer *infer, const char *name, const struct bp_ir **out)
{
    *out = bp_ir_subgraph(infer->node, name);
    if (!*out)
        return bp_fail(infer->err, BP_E_INVALID, "attribute %s is missing", name);
    if ((*out)->n_outputs != infer->node->n_out)
        return bp_fail(infer->err, BP_E_INVALID, "%s has %u outputs, but the node has %u", name,
                       (*out)->n_outputs, infer->node->n_out);
    return BP_OK;
}

/*
 * A branch whose shapes cannot be is one that does not run: exporters guard a Squeeze by a question
 * for the size. So its complaint counts only when both have one; a known answer decides.
 */
static bp_rc infer_if(struct bp_infer *infer)
{
    const struct bp_fact *cond = bp_rule_in(infer, 0);
    const struct bp_ir *subgraphs[2];
    struct bp_fact *facts[2] = {NULL, NULL};
    bp_rc rcs[2] = {BP_OK, BP_OK};
    bool is_known = cond && cond->content && cond->n_content == 1 && bp_sym_known(cond->content[0]);
    bp_rc rc = bp_rule_one_element(infer, 0);

    if (rc >= 0)
        rc = find_subgraph(infer, "then_branch", &subgraphs[0]);
    if (rc >= 0)
        rc = find_subgraph(infer, "else_branch", &subgraphs[1]);
    if (rc < 0)
        return rc;
    for (int i = 0; i < 2; i++) {
        if (is_known && (cond->content[0].value != 0) == (i == 1))
            continue;
        rcs[i] = bp_infer_subgraph(infer, subgraphs[i], NULL, 0, &facts[i]);
        if (rcs[i] < 0 && (is_known || rcs[i] == BP_E_NOMEM || (i == 1 && rcs[0] < 0)))
            return rcs[i];
    }
    if (facts[0] && facts[1])
        for (uint32_t i = 0; i < infer->node->n_out && rc >= 0; i++)
            rc = merge(infer, i, &facts[0][i], &facts[1][i]);
    else
        rc = take(infer, facts[0] ? facts[0] : facts[1]);
    return rc;
}

#define IF(since, types, kinds)                                                                    \
    ROW(If, since, INFER(infer_if), IN(P("cond", 'B', BP_T(BOOL))),                                \
        OUT({"outputs", types, BP_PARAM_VARIADIC | BP_PARAM_HETEROGENEOUS, 'V', kinds}),           \
        ATTRS(A_GRAPH_REQ("else_branch"), A_GRAPH_REQ("then_branch")), .is_host_op = true)

IF(1, ALL3, K_TENSOR);
IF(11, ALL3, K_TENSOR);
IF(13, ALL3, K_TENSOR | K_SEQUENCE);
IF(16, ALL4, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
IF(19, ALL9, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
IF(21, ALL10, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
IF(23, ALL11, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
IF(24, ALL12, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
IF(25, ALL13, K_TENSOR | K_SEQUENCE | K_OPTIONAL);

/* ---- Loop ------------------------------------------------------------------------------------ */

/*
 * ONNX: Loop 1, 11, 13, 16, 19, 21, 23, 24, 25.
 * Inputs are M, the most iterations, cond, and the initial values of those that are carried.
 * The subgraph takes the iteration, cond and the carried values, and gives cond, the carried
 * values and the scan outputs. The node gives the last carried values, and each scan output
 * stacked along a new first dimension, whose size is the number of iterations and so comes
 * with the data.
 * A carried value may change its shape from iteration to iteration, so its facts are what
 * holds before every one of them: see bp_rule_loop_carried.
 */

/* May an optional be what it holds from the first iteration on? Exporters fill an empty one like that. */
static bool is_filled(const struct bp_fact *before, const struct bp_fact *after)
{
    return before->kind == BP_KIND_OPTIONAL && before->item && after->kind == before->item->kind &&
           after->dtype == before->item->dtype && after->kind != BP_KIND_OPTIONAL;
}

static bp_rc check_types(struct bp_infer *infer, uint32_t i, const struct bp_fact *before,
                         const struct bp_fact *after)
{
    char before_text[160], after_text[160];

    if (bp_fact_is_blank(before) || bp_fact_is_blank(after) || is_filled(before, after))
        return BP_OK;
    if (before->kind == after->kind &&
        (before->dtype == after->dtype || !before->dtype || !after->dtype))
        return BP_OK;
    bp_fact_text(before, infer->symbols, before_text, sizeof before_text);
    bp_fact_text(after, infer->symbols, after_text, sizeof after_text);
    return bp_fail(infer->err, BP_E_INVALID,
                   "carried value %u is %s before an iteration and %s after it", i, before_text,
                   after_text);
}

/* Widens the carried values, at carried[0..n) before an iteration and at made[0..n) after it. */
static bp_rc widen(struct bp_infer *infer, struct bp_fact *carried, const struct bp_fact *made,
                   uint32_t n, bool *same)
{
    *same = true;
    for (uint32_t i = 0; i < n; i++) {
        bool is_same;
        bp_rc rc = check_types(infer, i, &carried[i], &made[i]);

        if (rc >= 0)
            rc = bp_rule_widen(infer, &carried[i], &made[i], &carried[i], &is_same);
        if (rc < 0)
            return rc;
        *same = *same && is_same;
    }
    return BP_OK;
}

static void forget_shapes(struct bp_fact *facts, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        facts[i].rank = BP_RANK_UNKNOWN;
        facts[i].dims = NULL;
    }
}

enum { MOST_DOUBLED = 8 }; /* nested subgraphs of which two iterations are looked at */

/*
 * Two iterations are looked at: a size that the first changes is unknown from then on, and if the
 * second changes anything else, nothing is said of any shape. Of loops within many loops one iteration
 * has to do, as each level doubles the work of those in it.
 */
bp_rc bp_rule_loop_carried(struct bp_infer *infer, const struct bp_ir *subgraph, struct bp_fact *in,
                           uint32_t first_in, uint32_t first_out, uint32_t n, struct bp_fact **out)
{
    bool same;
    bp_rc rc = bp_infer_subgraph(infer, subgraph, in, subgraph->n_inputs, out);

    if (rc >= 0)
        rc = widen(infer, in + first_in, *out + first_out, n, &same);
    if (rc < 0 || same)
        return rc;
    if (subgraph->depth <= MOST_DOUBLED)
        rc = bp_infer_subgraph(infer, subgraph, in, subgraph->n_inputs, out);
    if (rc >= 0 && subgraph->depth <= MOST_DOUBLED)
        rc = widen(infer, in + first_in, *out + first_out, n, &same);
    if (rc >= 0 && !same) {
        forget_shapes(in + first_in, n);
        forget_shapes(*out, subgraph->n_outputs);
    }
    return rc;
}

static const struct bp_ir *subgraph_of(const struct bp_infer *infer)
{
    return bp_ir_subgraph(infer->node, "body");
}

/* Values that are carried from iteration to iteration. */
static uint32_t count_carried(const struct bp_infer *infer)
{
    return infer->node->n_in > 2 ? infer->node->n_in - 2 : 0;
}

static bp_rc check_loop(const struct bp_infer *infer, const struct bp_ir *subgraph)
{
    uint32_t n = count_carried(infer);

    if (!subgraph)
        return bp_fail(infer->err, BP_E_INVALID, "attribute body is missing");
    if (subgraph->n_inputs != n + 2)
        return bp_fail(infer->err, BP_E_INVALID,
                       "body has %u inputs, but with %u carried values it needs %u",
                       subgraph->n_inputs, n, n + 2);
    if (subgraph->n_outputs < n + 1 || infer->node->n_out != subgraph->n_outputs - 1)
        return bp_fail(infer->err, BP_E_INVALID,
                       "body has %u outputs and the node %u, but with %u carried values the body "
                       "needs at least %u and the node one less than the body",
                       subgraph->n_outputs, infer->node->n_out, n, n + 1);
    return BP_OK;
}

/*
 * The facts before the first iteration; also of the values that are not carried. A subgraph that declares
 * its iteration number with dimensions gets it as [1], as ONNX Runtime has it: exporters write so.
 */
static bp_rc start_loop(struct bp_infer *infer, const struct bp_ir *subgraph, struct bp_fact *in)
{
    static const struct bp_sym one[1] = {{.value = 1}};
    uint32_t declared = subgraph->values[subgraph->inputs[0]].declared.rank;
    uint32_t n = count_carried(infer);

    in[0] = (struct bp_fact){.dtype = BP_DTYPE_I64};
    if (declared != BP_RANK_UNKNOWN && declared > 0) {
        in[0].rank = 1;
        in[0].dims = one;
    }
    in[1] = (struct bp_fact){.dtype = BP_DTYPE_BOOL, .rank = 0};
    for (uint32_t i = 0; i < n; i++) {
        const struct bp_fact *initial = bp_rule_in(infer, i + 2);

        if (!initial)
            return bp_fail(infer->err, BP_E_INVALID, "carried value %u has no initial value", i);
        in[i + 2] = *initial;
        in[i + 2].content = NULL;
        in[i + 2].reals = NULL;
        in[i + 2].n_content = 0;
    }
    return BP_OK;
}

static bp_rc loop_inputs(struct bp_infer *infer, const struct bp_ir *subgraph, struct bp_fact *in)
{
    struct bp_fact *out;
    bp_rc rc = check_loop(infer, subgraph);

    if (rc >= 0)
        rc = start_loop(infer, subgraph, in);
    return rc < 0 ? rc
                  : bp_rule_loop_carried(infer, subgraph, in, 2, 1, count_carried(infer), &out);
}

/* A scan output: what each iteration gives, stacked along a new first dimension. */
static bp_rc set_stacked(struct bp_infer *infer, uint32_t i, const struct bp_fact *each)
{
    struct bp_sym dims[BP_MAX_RANK];
    bp_rc rc;

    if (each->rank == BP_RANK_UNKNOWN)
        return bp_rule_unknown(infer, i, each->dtype);
    rc = bp_rule_check_rank(infer, (uint64_t)each->rank + 1);
    if (rc >= 0)
        rc = bp_rule_from_data(infer, dims, 1);
    if (rc < 0)
        return rc;
    for (uint32_t d = 0; d < each->rank; d++)
        dims[d + 1] = each->dims[d];
    return bp_rule_set(infer, i, each->dtype, each->rank + 1, dims);
}

/* An optional that is filled: after no iteration it is what it held at first, of any shape. */
static void set_filled(struct bp_infer *infer, uint32_t i, const struct bp_fact *made)
{
    struct bp_fact fact = *made;

    forget_shapes(&fact, 1);
    bp_rule_set_fact(infer, i, &fact);
}

static bp_rc infer_loop(struct bp_infer *infer)
{
    const struct bp_ir *subgraph = subgraph_of(infer);
    uint32_t n = count_carried(infer);
    struct bp_fact *in, *out;
    bp_rc rc = bp_rule_one_element(infer, 0);

    if (rc >= 0)
        rc = bp_rule_one_element(infer, 1);
    if (rc >= 0)
        rc = check_loop(infer, subgraph);
    if (rc < 0)
        return rc;
    in = bp_region_array(infer->region, subgraph->n_inputs, sizeof *in);
    if (!in)
        return bp_fail_nomem(infer->err, "shapes");
    rc = start_loop(infer, subgraph, in);
    if (rc >= 0)
        rc = bp_rule_loop_carried(infer, subgraph, in, 2, 1, n, &out);
    for (uint32_t i = 0; rc >= 0 && i < infer->node->n_out; i++) {
        if (i < n && is_filled(&in[i + 2], &out[i + 1]))
            set_filled(infer, i, &out[i + 1]);
        else if (i < n)
            bp_rule_set_fact(infer, i, &in[i + 2]);
        else
            rc = set_stacked(infer, i, &out[i + 1]);
    }
    return rc;
}

#define VALUES(name, types, kinds)                                                                 \
    {                                                                                              \
        name, types, BP_PARAM_VARIADIC | BP_PARAM_HETEROGENEOUS | BP_PARAM_OPTIONAL, 'V', kinds    \
    }
#define LOOP(since, types, kinds)                                                                  \
    ROW(Loop, since, INFER(infer_loop), .subgraph_inputs = loop_inputs,                            \
        IN(OPT("M", 'I', BP_T(I64)), OPT("cond", 'B', BP_T(BOOL)),                                 \
           VALUES("v_initial", types, kinds)),                                                     \
        OUT(VALUES("v_final_and_scan_outputs", types, kinds)), ATTRS(A_GRAPH_REQ("body")),         \
        .is_host_op = true)

LOOP(1, ALL3, K_TENSOR);
LOOP(11, ALL3, K_TENSOR);
LOOP(13, ALL3, K_TENSOR | K_SEQUENCE);
LOOP(16, ALL4, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
LOOP(19, ALL9, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
LOOP(21, ALL10, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
LOOP(23, ALL11, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
LOOP(24, ALL12, K_TENSOR | K_SEQUENCE | K_OPTIONAL);
LOOP(25, ALL13, K_TENSOR | K_SEQUENCE | K_OPTIONAL);

/* ---- EPContext ------------------------------------------------------------------------------- */

/*
 * com.microsoft: EPContext 1.
 * Only the provider knows what the program gives, so that here alone the shapes which
 * the model declares are facts. A size with a name is that of the input which has it; any other one
 * that is not exact comes with the data.
 */

/* The size of an input that the model declares under the same name. */
static bool find_size(const struct bp_infer *infer, struct bp_sym name, struct bp_sym *out)
{
    const struct bp_ir_node *node = infer->node;

    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct bp_fact *in = infer->in[i], *declared;

        if (!bp_rule_ranked(in))
            continue;
        declared = &infer->ir->values[node->in[i]].declared;
        for (uint32_t d = 0; declared->rank == in->rank && d < in->rank; d++) {
            if (bp_sym_equal(declared->dims[d], name)) {
                *out = in->dims[d];
                return true;
            }
        }
    }
    return false;
}

static bp_rc infer_output(struct bp_infer *infer, uint32_t i)
{
    const struct bp_ir_value *value = &infer->ir->values[infer->node->out[i]];
    const struct bp_fact *declared = &value->declared;
    struct bp_sym dims[BP_MAX_RANK];

    if (declared->kind != BP_KIND_TENSOR || declared->dtype == BP_DTYPE_NONE)
        return bp_fail(infer->err, BP_E_INVALID,
                       "the model has to declare the type and the shape of output '%s', as only "
                       "the program within knows them; it declares no tensor",
                       value->name);
    if (declared->rank == BP_RANK_UNKNOWN)
        return bp_rule_unknown(infer, i, declared->dtype);
    for (uint32_t d = 0; d < declared->rank; d++) {
        struct bp_sym size = declared->dims[d];
        bp_rc rc = BP_OK;

        dims[d] = size;
        if (bp_sym_known(size) ? size.value < 0 : !find_size(infer, size, &dims[d]))
            rc = bp_rule_from_data(infer, &dims[d], 1);
        if (rc < 0)
            return rc;
    }
    return bp_rule_set(infer, i, declared->dtype, declared->rank, dims);
}

/* Without a graph, when no shape is declared, nothing is known. */
static bp_rc infer_context(struct bp_infer *infer)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && infer->ir && i < infer->node->n_out; i++) {
        if (bp_rule_wants(infer, i))
            rc = infer_output(infer, i);
    }
    return rc;
}

#define CONTEXT                                                                                    \
    (BP_T_NUMBER | BP_T(BOOL) | BP_T(STRING) | BP_T_COMPLEX | FLOAT8 | BP_T(I4) | BP_T(U4) |       \
     BP_T(F4E2M1) | BP_T(F8E8M0) | BP_T(U2) | BP_T(I2))
#define ANY(name_)                                                                                 \
    {                                                                                              \
        name_, CONTEXT, BP_PARAM_VARIADIC | BP_PARAM_HETEROGENEOUS, 'T', 0                         \
    }

MS_ROW(EPContext, 1, INFER(infer_context), IN(ANY("inputs")), OUT(ANY("outputs")),
       ATTRS(A_INT("main_context", 1), A_STRING_OPT("ep_cache_context"), A_INT("embed_mode", 1),
             A_STRING_OPT("ep_sdk_version"), A_STRING_OPT("onnx_model_filename"),
             A_STRING_OPT("hardware_architecture"), A_STRING_OPT("partition_name"),
             A_STRING_OPT("source"), A_STRING_OPT("notes"), A_INT("max_size", 0)),
       .any_attrs = true, .sizes_from_data = true, .is_context = true);
