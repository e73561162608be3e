/* SPDX-License-Identifier: MIT */
/* group_numerics.c - NUMERICS: results are right. */

#include "config.h"

#include <math.h>

#include "check/cases/reference.h"
#include "check/graph.h"

/* Has the case one of these references? */
static bool is_of(const struct kit_case *c, const kit_reference *references, size_t n)
{
    for (size_t r = 0; r < n; r++) {
        if (c->reference == references[r])
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
};

const struct kit_group kit_numerics = {"NUMERICS", numerics, sizeof numerics / sizeof numerics[0]};
