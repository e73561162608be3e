/* SPDX-License-Identifier: MIT */
/* group_numerics.c - NUMERICS: results are right. */

#include "config.h"

#include <math.h>

#include "check/reference.h"

/* The cases that the provider takes, of those with one of these references. */
static void right_for(struct kit *kit, const kit_reference *references, size_t n_references)
{
    bp_instance *instance = kit_begin(kit);
    unsigned taken = 0, all = 0;

    for (size_t i = 0; i < kit_n_cases; i++) {
        bool is_meant = false;

        for (size_t r = 0; r < n_references; r++)
            is_meant = is_meant || kit_cases[i].reference == references[r];
        all += is_meant;
        if (!is_meant || !kit_takes(kit, instance, &kit_cases[i], 0))
            continue;
        kit_run_case(kit, instance, &kit_cases[i], 0, 0);
        taken++;
    }
    kit->p.destroy(instance);
    kit_settle(kit);
    if (taken == 0)
        kit_skip(kit, "it takes none of %u cases", all);
    kit_note(kit, "%u of %u cases taken, all right", taken, all);
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
    static const kit_reference references[] = {ref_matmul, ref_gemm,    ref_softmax, ref_reduce,
                                               ref_conv,   ref_average, ref_max_pool};

    right_for(kit, references, sizeof references / sizeof references[0]);
}

static void moves(struct kit *kit)
{
    static const kit_reference references[] = {ref_same, ref_transpose, ref_concat};

    right_for(kit, references, sizeof references / sizeof references[0]);
}

static void special_values(struct kit *kit)
{
    bp_instance *instance = kit_begin(kit);
    unsigned taken = 0;

    for (size_t i = 0; i < kit_n_cases; i++) {
        struct kit_case c = kit_cases[i];

        if (c.reference != ref_unary || c.in[0].dtype != BP_DTYPE_F32 ||
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
    {"BPK-NUMERICS-03", "products, reductions, convolutions, pools", "ONNX operators", sums},
    {"BPK-NUMERICS-04", "shapes, transpositions, casts: to the bit", "ONNX operators", moves},
    {"BPK-NUMERICS-05", "NaN, infinities and -0", "ONNX operators; IEEE 754", special_values},
    {"BPK-NUMERICS-06", "a group of several nodes", "bp_provider.compile", chains},
};

const struct kit_group kit_numerics = {"NUMERICS", numerics, sizeof numerics / sizeof numerics[0]};
