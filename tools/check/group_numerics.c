/* SPDX-License-Identifier: MIT */
/* group_numerics.c - NUMERICS: results are right. */

#include "config.h"

#include <math.h>

#include "check/cases/reference.h"
#include "check/graph.h"

/* Has the case one of these references? */
static bool is_of(const struct kit_case *c, const kit_reference *references, size_t n)
{
    kit_reference own = c->plain ? c->plain : c->reference;

    for (size_t r = 0; r < n; r++) {
        if (own == references[r])
            return true;
    }
    return false;
}

/* Counts for the last line of the report. */
static void count_case(struct kit *kit, bool ran)
{
    kit->outcome->n_cases++;
    kit->outcome->n_ran += ran;
}

/* The cases that the provider takes, of those that are meant, with weights that are inputs. */
static void right_for(struct kit *kit, const kit_reference *references, size_t n_references)
{
    bp_instance *instance = kit_begin(kit);

    for (size_t i = 0; i < kit_n_cases; i++) {
        const struct kit_case *c = &kit_cases[i];
        bool is_taken;

        if (c->is_large || c->has_constants || !is_of(c, references, n_references))
            continue;
        is_taken = kit_takes(kit, instance, c, 0);
        count_case(kit, is_taken);
        if (is_taken)
            kit_run_case(kit, instance, c, 0, 0);
    }
    kit->p.destroy(instance);
    kit_settle(kit);
    if (kit->outcome->n_ran == 0)
        kit_skip(kit, "it takes none of %u cases", (unsigned)kit->outcome->n_cases);
    kit_note(kit, "%u of %u cases taken, all right", (unsigned)kit->outcome->n_ran,
             (unsigned)kit->outcome->n_cases);
}

/* All cases of one kind, whatever the operator. */
static void right_where(struct kit *kit, bool (*is_meant)(const struct kit_case *c))
{
    bp_instance *instance = kit_begin(kit);

    for (size_t i = 0; i < kit_n_cases; i++) {
        const struct kit_case *c = &kit_cases[i];
        bool is_taken;

        if (!is_meant(c))
            continue;
        is_taken = kit_takes(kit, instance, c, 0);
        count_case(kit, is_taken);
        if (is_taken)
            kit_run_case(kit, instance, c, 0, 0);
    }
    kit->p.destroy(instance);
    kit_settle(kit);
    if (kit->outcome->n_ran == 0)
        kit_skip(kit, "it takes none of %u cases", (unsigned)kit->outcome->n_cases);
    kit_note(kit, "%u of %u cases taken, all right", (unsigned)kit->outcome->n_ran,
             (unsigned)kit->outcome->n_cases);
}

static bool has_constants(const struct kit_case *c)
{
    return c->has_constants && !c->is_large;
}

static void constant_weights(struct kit *kit)
{
    right_where(kit, has_constants);
}

static bool is_large(const struct kit_case *c)
{
    return c->is_large;
}

static void large(struct kit *kit)
{
    right_where(kit, is_large);
}

static void unary(struct kit *kit)
{
    static const kit_reference references[] = {ref_unary};

    right_for(kit, references, 1);
}

static void binary(struct kit *kit)
{
    static const kit_reference references[] = {ref_binary};

    right_for(kit, references, 1);
}

static void sums(struct kit *kit)
{
    static const kit_reference references[] = {ref_matmul, ref_gemm, ref_softmax, ref_reduce,
                                               ref_global_pool};

    right_for(kit, references, sizeof references / sizeof references[0]);
}

static void moves(struct kit *kit)
{
    static const kit_reference references[] = {ref_same,   ref_transpose, ref_concat, ref_slice,
                                               ref_gather, ref_expand,    ref_depth};

    right_for(kit, references, sizeof references / sizeof references[0]);
}

static void convolution(struct kit *kit)
{
    static const kit_reference references[] = {ref_conv, ref_conv_transpose, ref_pool};

    right_for(kit, references, sizeof references / sizeof references[0]);
}

static void normalization(struct kit *kit)
{
    static const kit_reference references[] = {ref_batch_norm, ref_layer_norm, ref_instance_norm,
                                               ref_lrn};

    right_for(kit, references, sizeof references / sizeof references[0]);
}

static void resizing(struct kit *kit)
{
    static const kit_reference references[] = {ref_resize, ref_pad};

    right_for(kit, references, sizeof references / sizeof references[0]);
}

static void parameters(struct kit *kit)
{
    static const kit_reference references[] = {ref_prelu, ref_clip, ref_where};

    right_for(kit, references, sizeof references / sizeof references[0]);
}

static void quantized(struct kit *kit)
{
    static const kit_reference references[] = {ref_quantize, ref_dequantize, ref_qlinear_conv,
                                               ref_qlinear_matmul, ref_matmul_integer};

    right_for(kit, references, sizeof references / sizeof references[0]);
}

static void special_values(struct kit *kit)
{
    bp_instance *instance = kit_begin(kit);
    unsigned taken = 0;

    for (size_t i = 0; i < kit_n_cases; i++) {
        struct kit_case c = kit_cases[i];

        if (c.is_large || c.reference != ref_unary || c.in[0].dtype != BP_DTYPE_F32 ||
            !kit_takes(kit, instance, &c, 0))
            continue;
        c.low = (double)NAN;
        kit_run_case(kit, instance, &c, 0, 0);
        taken++;
    }
    kit->p.destroy(instance);
    if (taken == 0)
        kit_skip(kit, "it takes none of the elementwise cases");
    kit_note(kit, "%u operators", taken);
}

/* A chain of the same node: what lies between is the program's own affair. */
static void chains(struct kit *kit)
{
    const struct kit_case *c = &kit_cases[0];
    struct kit_graph *graph = kit_graph_new();
    bp_instance *instance = kit_begin(kit);
    struct kit_answers found;
    struct kit_exec exec;
    uint32_t last;
    bp_rc rc;

    last = kit_graph_add(graph, c, KIT_INNER);
    last = kit_graph_chain(graph, c, last, KIT_INNER);
    kit_graph_chain(graph, c, last, 0);
    kit_ask(kit, instance, kit_graph_table(graph, false), &found);
    for (uint32_t n = 0; n < 3; n++) {
        if (found.node[n].verdict != BP_YES)
            kit_skip(kit, "it does not take three times Relu");
    }
    rc = kit_compile(kit, &exec, instance, kit_graph_table(graph, false));
    if (rc >= 0)
        rc = kit_frame(&exec, kit_graph_table(graph, false), c);
    if (rc < 0)
        kit_fail(kit, "Relu of Relu of Relu: %d: %s", (int)rc, kit->words);
    for (unsigned seed = 1; seed < 4; seed++) {
        kit_place(&exec, c, seed, 0);
        kit_execute_well(&exec, c);
        kit_check(&exec, c, "Relu of Relu of Relu"); /* once more changes nothing */
    }
    kit_exec_finish(&exec);
    kit_graph_free(graph);
    kit->p.destroy(instance);
    kit_settle(kit);
}

/* ---- nodes that are taken beside others only ------------------------------------------------- */

static bool same_shape(const struct kit_port *a, const struct kit_port *b)
{
    if (a->is_absent || b->is_absent || a->dtype != b->dtype || a->rank != b->rank)
        return false;
    for (uint32_t d = 0; d < a->rank; d++) {
        if (a->dims[d] != b->dims[d])
            return false;
    }
    return true;
}

/* Makes an elementwise case fit a shape. */
static void fit(struct kit_case *c, const struct kit_port *shape)
{
    if (c->reference != ref_unary || c->in[0].dtype != shape->dtype)
        return;
    c->in[0].rank = c->out.rank = shape->rank;
    memcpy(c->in[0].dims, shape->dims, sizeof shape->dims);
    memcpy(c->out.dims, shape->dims, sizeof shape->dims);
}

/* Is a pair taken, one node of it for its own sake? */
static bool is_group(struct kit *kit, bp_instance *instance, const struct kit_case *pair)
{
    struct kit_graph *graph = kit_graph_new();
    struct kit_answers found;
    uint32_t a, b;

    kit_graph_add_pair(graph, pair, 0);
    kit_ask(kit, instance, kit_graph_table(graph, false), &found);
    kit_graph_free(graph);
    a = found.node[0].verdict;
    b = found.node[1].verdict;
    return a != BP_NO && b != BP_NO && (a == BP_YES || b == BP_YES);
}

/* Runs c before or after another case that is taken; false: there is none. */
static bool run_beside(struct kit *kit, bp_instance *instance, const struct kit_case *c)
{
    static struct kit_case first, second, pair;

    for (const struct kit_case *t = kit_first_taken(kit, instance); t;
         t = kit_next_taken(kit, instance, t + 1)) {
        for (int is_after = 0; is_after < 2; is_after++) {
            first = is_after ? *t : *c;
            second = is_after ? *c : *t;
            fit(&second, &first.out);
            if (!same_shape(&first.out, &second.in[0]))
                fit(&first, &second.in[0]);
            if (kit_count(&first.out) == 0 || second.in[0].role == KIT_CONSTANT ||
                !same_shape(&first.out, &second.in[0]) || !kit_case_pair(&first, &second, &pair) ||
                !is_group(kit, instance, &pair))
                continue;
            pair.name = c->name;
            kit_run_case(kit, instance, &pair, 0, 0);
            return true;
        }
    }
    return false;
}

static void beside_others(struct kit *kit)
{
    bp_instance *instance = kit_begin(kit);

    for (const struct kit_case *c = kit_cases; c < kit_cases + kit_n_cases; c++) {
        if (c->is_large || kit_verdict_of(kit, instance, c, 0, NULL) != BP_ONLY_IN_GROUP)
            continue;
        count_case(kit, run_beside(kit, instance, c));
    }
    kit->p.destroy(instance);
    kit_settle(kit);
    if (kit->outcome->n_cases == 0)
        kit_skip(kit, "it answers no case with BP_ONLY_IN_GROUP");
    kit->outcome->n_cases = 0; /* the cases are counted where they are asked for alone */
    if (kit->outcome->n_ran == 0)
        kit_skip(kit, "no node that it takes fits beside those of BP_ONLY_IN_GROUP");
    kit_note(kit, "%u cases, each beside a node that is taken", (unsigned)kit->outcome->n_ran);
}

static const struct kit_test numerics[] = {
    {"BPK-NUMERICS-01", "elementwise operators of one input", "ONNX operators", unary},
    {"BPK-NUMERICS-02", "elementwise operators of two inputs, broadcast", "ONNX operators", binary},
    {"BPK-NUMERICS-03", "products and reductions", "ONNX operators", sums},
    {"BPK-NUMERICS-04", "shapes, transpositions, casts: to the bit", "ONNX operators", moves},
    {"BPK-NUMERICS-05", "NaN, infinities and -0", "ONNX operators; IEEE 754", special_values},
    {"BPK-NUMERICS-06", "a group of several nodes", "bp_provider.compile", chains},
    {"BPK-NUMERICS-07", "convolution and pooling with every attribute", "ONNX operators",
     convolution},
    {"BPK-NUMERICS-08", "normalisation, where epsilon matters", "ONNX operators", normalization},
    {"BPK-NUMERICS-09", "Resize and Pad in all modes", "ONNX operators", resizing},
    {"BPK-NUMERICS-10", "slopes, bounds and conditions", "ONNX operators", parameters},
    {"BPK-NUMERICS-11", "integers with scales and zero points", "ONNX operators", quantized},
    {"BPK-NUMERICS-12", "weights that are initializers", "bp_host.constant", constant_weights},
    {"BPK-NUMERICS-13", "tensors larger than a cache", "ONNX operators", large},
    {"BPK-NUMERICS-14", "nodes that are taken only beside others", "BP_ONLY_IN_GROUP",
     beside_others},
};

const struct kit_group kit_numerics = {"NUMERICS", numerics, sizeof numerics / sizeof numerics[0]};
