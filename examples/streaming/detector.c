/* SPDX-License-Identifier: MIT */
/* detector.c - runs of a model whose state the session keeps. */
#include "detector.h"

#include <stdlib.h>
#include <string.h>

#include "../common/example.h"

static bool find_inputs(struct detector *detector)
{
    for (uint32_t i = 0; i < bp_session_input_count(detector->session); i++) {
        bp_io_info info = {.struct_size = sizeof info};

        if (bp_session_input(detector->session, i, &info, NULL) < 0)
            continue;
        if (strcmp(info.name, "input") == 0 && info.dtype == BP_DTYPE_F32 && info.rank == 2) {
            detector->input = i;
        } else if (strcmp(info.name, "sr") == 0 && info.dtype == BP_DTYPE_I64) {
            detector->rate_input = i;
        } else if (strncmp(info.name, "state", 5) != 0) {
            return example_fail("%s: no such input is known here", info.name);
        }
    }
    return detector->input != BP_NONE ||
           example_fail("the model needs an input \"input\" of float32 with two sizes");
}

static bool find_output(struct detector *detector)
{
    for (uint32_t i = 0; i < bp_session_output_count(detector->session); i++) {
        bp_io_info info = {.struct_size = sizeof info};

        if (bp_session_output(detector->session, i, &info, NULL) == BP_OK &&
            strncmp(info.name, "state", 5) != 0 && info.dtype == BP_DTYPE_F32) {
            detector->output = i;
            return true;
        }
    }
    return example_fail("the model needs an output of float32 beside its state");
}

/* Inputs of a run, at most two; how many there are. */
static uint32_t bind_inputs(struct detector *detector, bp_binding *inputs)
{
    uint32_t n = 0;

    inputs[n] = (bp_binding){.index = detector->input};
    inputs[n++].tensor =
        (bp_tensor){.base = detector->samples,
                    .bytes = (detector->n_context + detector->n_chunk) * sizeof(float),
                    .dims = detector->dims,
                    .rank = 2,
                    .dtype = BP_DTYPE_F32};
    if (detector->rate_input != BP_NONE) {
        inputs[n] = (bp_binding){.index = detector->rate_input};
        inputs[n++].tensor = (bp_tensor){.base = &detector->rate,
                                         .bytes = sizeof detector->rate,
                                         .dtype = BP_DTYPE_I64}; /* rank 0: a scalar */
    }
    return n;
}

/* The sizes of a run, for one stream where the model leaves sizes of its state open. */
static bool prepare(struct detector *detector)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    bp_binding inputs[MAX_INPUTS];
    int64_t dims[MAX_INPUTS][MAX_RANK];
    bp_run_shapes shapes = {.inputs = inputs};

    shapes.n_inputs = bind_inputs(detector, inputs);
    for (uint32_t i = 0; i < bp_session_input_count(detector->session); i++) {
        bp_io_info info = {.struct_size = sizeof info};
        bp_binding *next = &inputs[shapes.n_inputs];

        if (i == detector->input || i == detector->rate_input)
            continue;
        if (shapes.n_inputs == MAX_INPUTS ||
            bp_session_input(detector->session, i, &info, NULL) < 0 || info.rank > MAX_RANK)
            return example_fail("the model has too many states, or of too many sizes");
        for (uint32_t d = 0; d < info.rank; d++)
            dims[shapes.n_inputs][d] = info.dims[d].value < 0 ? 1 : info.dims[d].value;
        *next = (bp_binding){.index = i};
        next->tensor = (bp_tensor){.dims = dims[shapes.n_inputs++], .rank = info.rank};
    }
    return bp_session_prepare(detector->session, &shapes, 1, NULL, &err) == BP_OK ||
           example_fail("%s", text);
}

bool detector_init(struct detector *detector, bp_session *session, size_t n_chunk, size_t n_context,
                   int64_t rate)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);

    *detector = (struct detector){.session = session,
                                  .input = BP_NONE,
                                  .rate_input = BP_NONE,
                                  .output = BP_NONE,
                                  .n_chunk = n_chunk,
                                  .n_context = n_context,
                                  .rate = rate,
                                  .dims = {1, (int64_t)(n_context + n_chunk)}};
    detector->samples = calloc(n_context + n_chunk, sizeof *detector->samples);
    if (!detector->samples)
        return example_fail("no memory for a chunk");
    if (bp_state_create(session, 1, &detector->state, &err) < 0)
        return example_fail("%s", text);
    return find_inputs(detector) && find_output(detector) && prepare(detector);
}

void detector_finish(struct detector *detector)
{
    bp_state_destroy(detector->state);
    free(detector->samples);
}

float *detector_chunk(struct detector *detector)
{
    return detector->samples + detector->n_context;
}

bp_rc detector_run(struct detector *detector, int64_t deadline_ns, float *probability, bp_err *err)
{
    bp_run_options options = {
        .struct_size = sizeof options, .deadline_ns = deadline_ns, .state = detector->state};
    bp_binding inputs[2], output = {.index = detector->output};
    bp_rc rc;

    output.tensor = (bp_tensor){.base = probability,
                                .bytes = sizeof *probability,
                                .dims = detector->out_dims,
                                .rank = MAX_RANK};
    rc = bp_session_run(detector->session, inputs, bind_inputs(detector, inputs), &output, 1,
                        &options, err);
    memmove(detector->samples, detector->samples + detector->n_chunk,
            detector->n_context * sizeof *detector->samples);
    return rc;
}
