/* SPDX-License-Identifier: MIT */
/*
 * autotune.c - option autotune: the whole network runs in each layout, with its own weights as cold
 * as they will be, and each convolution on blocks of channels by Winograd's and by the direct
 * algorithm. What one primitive takes alone with warm weights says little about that.
 */

#include "tune/autotune.h"

#include "base/instance.h"
#include "base/library.h"
#include "base/operator.h"
#include "base/program.h"
#include "base/threads.h"
#include "build/build_frame.h"
#include "build/conv_choice.h"
#include "build/conv_layout.h"
#include "build/frame.h"
#include "build/step.h"
#include "run/execute.h"
#include "tune/tune_file.h"

enum { RUNS = 4 }; /* the first of which only warms up */

/*
 * What is measured, in this order: channels last, blocks, and blocks with Winograd's algorithm
 * wherever oneDNN has it.
 */
enum { LAST, BLOCKS, WINOGRAD, N_TRIALS };

/* What one choice took. */
struct trial {
    int64_t *ns; /* one a node: the least of all runs */
    int64_t sum;
};

/* ---- buffers of a trial ---------------------------------------------------------------------- */

/* Memory for a run that is measured, beside the host's own buffers. */
struct buffers {
    struct bp_blocks memory;
    bp_frame_desc desc;
};

/*
 * Memory for float32 tensors of these values, all 0.5; a value of unknown shape gets none. Values
 * do not matter for the time, but denormals would.
 */
static bp_tensor *make_tensors(struct buffers *buffers, const bp_frame_desc *desc,
                               const uint32_t *values, uint32_t n)
{
    bp_tensor *tensors = bp_blocks_array(&buffers->memory, n, sizeof *tensors);

    for (uint32_t i = 0; i < n && tensors; i++) {
        const bp_shape *shape = &desc->shapes[values[i]];
        bool is_known = shape->rank != BP_RANK_UNKNOWN;
        int64_t count = is_known ? bp_dims_count(shape->dims, shape->rank) : 0;
        float *elements = bp_blocks_array(&buffers->memory, (size_t)count, sizeof *elements);

        if (!elements)
            return NULL;
        for (int64_t k = 0; k < count; k++)
            elements[k] = 0.5f;
        tensors[i] = (bp_tensor){.base = elements};
    }
    return tensors;
}

/* The frame's own desc with other addresses. */
static bool make_buffers(struct buffers *buffers, const bp_graph *graph, const bp_frame_desc *desc,
                         const bp_frame_needs *needs)
{
    buffers->desc = *desc;
    buffers->desc.in = make_tensors(buffers, desc, graph->inputs, graph->n_inputs);
    buffers->desc.out = make_tensors(buffers, desc, graph->outputs, graph->n_outputs);
    buffers->desc.scratch = bp_blocks_array(&buffers->memory, needs->scratch_bytes, 1);
    return buffers->desc.in && buffers->desc.out && buffers->desc.scratch;
}

/* ---- a trial --------------------------------------------------------------------------------- */

/* Adds the time of each step to that of its node. */
static bp_rc run_once(bp_frame *frame, int64_t *ns, bp_err *err)
{
    for (const struct bp_dnnl_step *step = frame->steps; step; step = step->next) {
        int64_t t0 = bp_dnnl_now_ns();
        dnnl_status_t status = bp_dnnl_run_step(frame, step, NULL);

        if (status != dnnl_success)
            return bp_dnnl_fail(err, status, "a run that is measured");
        ns[step->node] += bp_dnnl_now_ns() - t0;
    }
    return BP_OK;
}

/* The least of the runs, node by node: what disturbs a run makes it longer only. */
static bp_rc measure(bp_frame *frame, struct trial *trial, bp_err *err)
{
    uint32_t n = frame->program->graph->n_nodes;
    int64_t *ns = bp_blocks_array(&frame->memory, n, sizeof *ns);
    bp_rc rc = BP_OK;

    if (!ns)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory to measure %u nodes", n);
    bp_dnnl_bind(frame, 0);
    for (int run = 0; run < RUNS && rc >= 0; run++) {
        memset(ns, 0, n * sizeof *ns);
        rc = run_once(frame, ns, err);
        for (uint32_t i = 0; i < n && run > 0; i++)
            trial->ns[i] = run == 1 || ns[i] < trial->ns[i] ? ns[i] : trial->ns[i];
    }
    for (uint32_t i = 0; i < n; i++)
        trial->sum += trial->ns[i];
    return rc;
}

/* Builds a frame for the choice, runs and frees it; a copy of the packed weights lives as long. */
static bp_rc try_choice(bp_program *program, const bp_frame_desc *desc,
                        const struct bp_dnnl_conv_choice *choice, struct trial *trial, bp_err *err)
{
    struct buffers buffers = {.memory = {.host = &program->instance->host}};
    bp_frame_needs needs = {.struct_size = sizeof needs};
    bp_frame *frame;
    bp_rc rc = bp_dnnl_frame_build(program, desc, choice, &needs, &frame, err);

    if (rc < 0)
        return rc;
    if (make_buffers(&buffers, program->graph, desc, &needs)) {
        frame->desc = &buffers.desc;
        rc = measure(frame, trial, err);
    } else {
        rc = bp_fail(err, BP_E_NOMEM, "dnnl: no memory for a run that is measured");
    }
    bp_dnnl_frame_free(frame);
    bp_blocks_free(&buffers.memory);
    return rc;
}

/* ---- the choice ------------------------------------------------------------------------------ */

/*
 * Layouts are compared as wholes, as tensors between convolutions share them; on blocks each
 * convolution takes the algorithm that was faster there.
 */
static void choose(const struct trial *trials, uint32_t n, struct bp_dnnl_conv_choice *choice)
{
    int64_t sum = trials[BLOCKS].sum;

    for (uint32_t i = 0; i < n; i++) {
        int64_t gain = trials[BLOCKS].ns[i] - trials[WINOGRAD].ns[i];

        choice->is_winograd[i] = gain > 0;
        sum -= gain > 0 ? gain : 0;
    }
    choice->is_blocked = sum < trials[LAST].sum;
}

/* All shapes of the frame; dimensions are told apart by their rank. */
static uint64_t hash_shapes(const bp_frame_desc *desc)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (uint32_t i = 0; i < desc->n_shapes; i++) {
        const bp_shape *shape = &desc->shapes[i];
        uint32_t rank = shape->rank == BP_RANK_UNKNOWN ? 0 : shape->rank;

        h = (h ^ shape->rank) * UINT64_C(0x100000001b3);
        for (uint32_t k = 0; k < rank; k++)
            h = (h ^ (uint64_t)shape->dims[k]) * UINT64_C(0x100000001b3);
    }
    return h;
}

/* Without a convolution all trials would be the same. */
static bool has_conv(const bp_program *program)
{
    for (uint32_t i = 0; i < program->graph->n_nodes; i++) {
        if (program->ops[i]->work == BP_DNNL_CONVOLUTION)
            return true;
    }
    return false;
}

/* A trial that fails ends it: the frame itself would fail too. */
static bp_rc try_all(bp_program *program, const bp_frame_desc *desc,
                     struct bp_dnnl_conv_choice *choice, bp_err *err)
{
    struct bp_blocks memory = {.host = &program->instance->host};
    struct trial trials[N_TRIALS] = {0};
    uint32_t n = program->graph->n_nodes;
    bp_rc rc = BP_OK;

    for (int i = 0; i < N_TRIALS && rc >= 0; i++) {
        trials[i].ns = bp_blocks_array(&memory, n, sizeof *trials[i].ns);
        choice->is_blocked = i != LAST;
        for (uint32_t k = 0; k < n; k++)
            choice->is_winograd[k] = i == WINOGRAD;
        rc = trials[i].ns ? try_choice(program, desc, choice, &trials[i], err)
                          : bp_fail(err, BP_E_NOMEM, "dnnl: no memory to measure %u nodes", n);
    }
    if (rc >= 0)
        choose(trials, n, choice);
    bp_blocks_free(&memory);
    return rc;
}

/* The list in the program is changed with the team held, by one thread at a time. */
bp_rc bp_dnnl_autotune(bp_program *program, const bp_frame_desc *desc,
                       const struct bp_dnnl_conv_choice **out, bp_err *err)
{
    uint64_t shapes = hash_shapes(desc);
    struct bp_dnnl_conv_choice *choice;
    bp_rc rc;

    *out = NULL;
    if (!bp_dnnl_has_blocks(program->instance) || !has_conv(program))
        return BP_OK;
    for (choice = program->choices; choice; choice = choice->next) {
        if (choice->shapes == shapes) {
            *out = choice;
            return BP_OK;
        }
    }
    choice = bp_blocks_array(&program->memory, 1, sizeof *choice);
    if (choice)
        choice->is_winograd =
            bp_blocks_array(&program->memory, program->graph->n_nodes, sizeof(bool));
    if (!choice || !choice->is_winograd)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for what is measured");
    choice->shapes = shapes;
    if (!bp_dnnl_load_choice(program, choice)) {
        rc = try_all(program, desc, choice, err);
        if (rc < 0)
            return rc;
        bp_dnnl_save_choice(program, choice);
    }
    choice->next = program->choices;
    program->choices = choice;
    *out = choice;
    return BP_OK;
}
