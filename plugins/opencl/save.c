/* SPDX-License-Identifier: MIT */
/*
 * save.c - see save.h. A saved program: a magic, device and driver, build flags, kernels, the graph
 * with its constants, and a sum of all that. With a model's group only the kernels are used; a node
 * EPContext has nothing else, so that its graph is the saved one, with the sizes that it was saved
 * with.
 */

#include "save.h"

#include "base/own_graph.h"
#include "base/program.h"
#include "build/build_frame.h"
#include "build/kernels.h"
#include "capability.h"
#include "compile.h"

static const char magic[8] = "BPOCLP1";

/* ---- saving ---------------------------------------------------------------------------------- */

/* A frame of the graph's sizes, so that all kernels are built. */
static bp_rc build_kernels(bp_program *program, struct bp_blocks *memory, bp_err *err)
{
    const bp_graph *graph = program->graph;
    bp_shape *shapes = bp_opencl_graph_shapes(memory, graph);
    bp_frame_desc desc = {.struct_size = sizeof desc,
                          .n_in = graph->n_inputs,
                          .n_out = graph->n_outputs,
                          .n_shapes = graph->n_values,
                          .shapes = shapes};
    bp_frame_needs needs = {.struct_size = sizeof needs};
    bp_frame *frame = NULL;
    bp_rc rc;

    desc.in = bp_blocks_array(memory, graph->n_inputs, sizeof *desc.in);
    desc.out = bp_blocks_array(memory, graph->n_outputs, sizeof *desc.out);
    if (!shapes || !desc.in || !desc.out)
        return bp_fail(err, BP_E_NOMEM, "opencl: no memory to save a program");
    for (uint32_t v = 0; v < graph->n_values; v++) {
        for (uint32_t i = 0; shapes[v].rank != BP_RANK_UNKNOWN && i < shapes[v].rank; i++) {
            if (shapes[v].dims[i] < 0)
                return bp_fail(
                    err, BP_E_UNSUPPORTED,
                    "opencl: size %u of '%s' is not known, and a program is saved for "
                    "certain sizes; give it a number, as --dim of backplane compile does",
                    i, BP_VALUE(graph, v)->name);
        }
    }
    bp_opencl_built_mark(program->instance);
    rc = bp_opencl_frame_create(program, &desc, &needs, &frame, err);
    bp_opencl_frame_free(frame);
    return rc;
}

bp_rc bp_opencl_program_save(bp_program *program, const bp_sink *sink, bp_err *err)
{
    bp_instance *instance = program->instance;
    struct bp_blocks memory = {.host = &instance->host};
    struct bp_opencl_writer w = {.sink = sink, .sum = BP_OPENCL_SUM};
    char device[3 * BP_OPENCL_TEXT];
    bp_rc rc = build_kernels(program, &memory, err);

    bp_blocks_free(&memory);
    if (rc < 0)
        return rc;
    bp_opencl_describe(instance, device, sizeof device);
    bp_opencl_put(&w, magic, sizeof magic);
    bp_opencl_put_text(&w, device);
    bp_opencl_put_text(&w, instance->build_flags ? instance->build_flags : "");
    rc = bp_opencl_built_save(instance, &w, err);
    if (rc >= 0)
        rc = bp_opencl_graph_save(&instance->host, program->graph, &w, err);
    bp_opencl_put_u64(&w, w.sum);
    if (rc >= 0 && w.rc < 0)
        rc = bp_fail(err, w.rc, "opencl: the program cannot be written");
    return rc;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Whole, and of this device, driver and flags? */
static bp_rc read_head(const bp_instance *instance, bp_span blob, struct bp_opencl_reader *r,
                       bp_err *err)
{
    char device[3 * BP_OPENCL_TEXT];
    const char *flags = instance->build_flags ? instance->build_flags : "", *of;
    struct bp_opencl_reader end = {.data = blob.data, .size = blob.size};

    *r = end;
    if (blob.size < sizeof magic + 8 || memcmp(blob.data, magic, sizeof magic) != 0)
        return bp_fail(err, BP_E_STALE, "opencl: these are not bytes of a saved program");
    end.at = blob.size - 8;
    if (bp_opencl_get_u64(&end) != bp_opencl_sum(BP_OPENCL_SUM, blob.data, blob.size - 8))
        return bp_fail(err, BP_E_STALE, "opencl: the saved program is damaged");
    r->size -= 8;
    r->at = sizeof magic;
    of = bp_opencl_get_text(r);
    bp_opencl_describe(instance, device, sizeof device);
    if (!r->has_failed && strcmp(of, device) != 0)
        return bp_fail(err, BP_E_STALE,
                       "opencl: the program was saved for the device and driver '%.160s', and this "
                       "is '%.160s'",
                       of, device);
    of = bp_opencl_get_text(r);
    if (!r->has_failed && strcmp(of, flags) != 0)
        return bp_fail(err, BP_E_STALE, "opencl: the program was saved with build_flags='%.160s'",
                       of);
    return r->has_failed ? bp_fail(err, BP_E_STALE, "opencl: the saved program is damaged") : BP_OK;
}

/* bp_claims.node: notes a node that would be refused. */
static void note_refusal(void *h, uint32_t node, const bp_claim *claim)
{
    bool *is_refused = h;

    (void)node;
    *is_refused = *is_refused || claim->verdict != BP_YES;
}

/* What capability would take is what operators can build. */
static bp_rc check_graph(bp_instance *instance, const bp_graph *graph, const bp_graph *node,
                         bp_err *err)
{
    bool is_refused = false;
    const bp_claims claims = {.struct_size = sizeof claims, .h = &is_refused, .node = note_refusal};
    bp_rc rc = bp_opencl_capability(instance, graph, &claims, err);

    if (rc >= 0 && is_refused)
        return bp_fail(err, BP_E_STALE,
                       "opencl: the saved program has nodes that this version or these options "
                       "do not take");
    if (rc >= 0 && (graph->n_inputs != node->n_inputs || graph->n_outputs != node->n_outputs))
        return bp_fail(err, BP_E_STALE, "opencl: the saved program has other inputs or outputs");
    return rc;
}

/* Constants are uploaded from the blob, which is there for the call only. */
static bp_rc load_graph(bp_instance *instance, const bp_graph *node, struct bp_opencl_reader *r,
                        bp_program **out, bp_err *err)
{
    struct bp_blocks memory = {.host = &instance->host};
    const bp_graph *graph = NULL;
    bp_program *program = NULL;
    bp_rc rc = bp_opencl_graph_load(&memory, r, &graph, err);

    if (rc >= 0)
        rc = check_graph(instance, graph, node, err);
    if (rc < 0) {
        bp_blocks_free(&memory);
        return rc;
    }
    rc = bp_opencl_program_create(instance, &memory, graph, &program, err);
    if (rc < 0)
        return rc;
    rc = bp_opencl_own_graph_keep(&program->memory, graph, err);
    if (rc >= 0) {
        program->shapes = bp_opencl_graph_shapes(&program->memory, graph);
        if (!program->shapes)
            rc = bp_fail(err, BP_E_NOMEM, "opencl: no memory for a saved program");
    }
    if (rc < 0)
        bp_opencl_program_free(program);
    else
        *out = program;
    return rc;
}

bp_rc bp_opencl_program_load(bp_instance *instance, const bp_graph *graph, const bp_compile *what,
                             bp_span blob, bp_program **out, bp_err *err)
{
    struct bp_blocks memory = {.host = &instance->host};
    struct bp_opencl_reader r;
    bp_rc rc;

    *out = NULL;
    if (what->flags & BP_CRITICAL)
        return bp_fail(err, BP_E_UNSUPPORTED, "opencl: load's flags 0x%x are not known",
                       what->flags);
    rc = read_head(instance, blob, &r, err);
    if (rc >= 0)
        rc = bp_opencl_built_load(instance, &r, err);
    if (rc < 0)
        return rc;
    if (what->flags & BP_COMPILE_CONTEXT)
        return load_graph(instance, graph, &r, out, err);
    return bp_opencl_program_create(instance, &memory, graph, out, err);
}
