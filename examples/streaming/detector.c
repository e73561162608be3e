/* SPDX-License-Identifier: MIT */
/* detector.c - runs of a model with a state, into buffers of the program. */
#include "detector.h"

#include <stdlib.h>
#include <string.h>

#include "../common/example.h"

/* Sizes of a state, in which those that the model leaves open are one stream, and its buffers. */
static bool make_state(struct state *state, const bp_io_info *info)
{
    if (info->dtype != BP_DTYPE_F32 || info->rank > MAX_RANK)
        return example_fail("%s: not float32 of known rank", info->name);
    state->rank = info->rank;
    state->bytes = sizeof(float);
    for (uint32_t d = 0; d < info->rank; d++) {
        state->dims[d] = info->dims[d].value < 0 ? 1 : info->dims[d].value;
        state->bytes *= (size_t)state->dims[d];
    }
    for (int i = 0; i < 2; i++) {
        state->buffers[i] = calloc(1, state->bytes + 1);
        if (!state->buffers[i])
            return example_fail("no memory for a state");
    }
    return true;
}

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
        } else if (strncmp(info.name, "state", 5) == 0 && detector->n_states < MAX_STATES) {
            struct state *state = &detector->states[detector->n_states++];

            state->input = i;
            if (!make_state(state, &info))
                return false;
        } else {
            return example_fail("%s: no such input is known here", info.name);
        }
    }
    return (detector->input != BP_NONE && detector->n_states > 0) ||
           example_fail(
               "the model needs an input \"input\" of float32 with two sizes, and a state");
}

static bool find_outputs(struct detector *detector)
{
    uint32_t n_states = 0;

    for (uint32_t i = 0; i < bp_session_output_count(detector->session); i++) {
        bp_io_info info = {.struct_size = sizeof info};

        if (bp_session_output(detector->session, i, &info, NULL) < 0)
            continue;
        if (strncmp(info.name, "state", 5) == 0) {
            if (n_states < detector->n_states)
                detector->states[n_states].output = i;
            n_states++;
        } else if (info.dtype == BP_DTYPE_F32 && detector->output == BP_NONE) {
            detector->output = i;
        }
    }
    return (detector->output != BP_NONE && n_states == detector->n_states) ||
           example_fail("the model needs an output of float32, and one for each state");
}

/* Inputs of a run; how many there are. */
static uint32_t bind_inputs(struct detector *detector, bp_binding inputs[MAX_STATES + 2])
{
    uint32_t n = 0;

    inputs[n] = (bp_binding){.index = detector->input};
    inputs[n++].tensor =
        (bp_tensor){.base = detector->samples,
                    .bytes = (detector->n_context + detector->n_chunk) * sizeof(float),
                    .dims = detector->dims,
                    .rank = 2,
                    .dtype = BP_DTYPE_F32};
    for (uint32_t i = 0; i < detector->n_states; i++) {
        struct state *state = &detector->states[i];

        inputs[n] = (bp_binding){.index = state->input};
        inputs[n++].tensor = (bp_tensor){.base = state->buffers[detector->current],
                                         .bytes = state->bytes,
                                         .dims = state->dims,
                                         .rank = state->rank,
                                         .dtype = BP_DTYPE_F32};
    }
    if (detector->rate_input != BP_NONE) {
        inputs[n] = (bp_binding){.index = detector->rate_input};
        inputs[n++].tensor = (bp_tensor){.base = &detector->rate,
                                         .bytes = sizeof detector->rate,
                                         .dtype = BP_DTYPE_I64}; /* rank 0: a scalar */
    }
    return n;
}

static uint32_t bind_outputs(struct detector *detector, float *probability,
                             bp_binding outputs[MAX_STATES + 1])
{
    outputs[0] = (bp_binding){.index = detector->output};
    outputs[0].tensor = (bp_tensor){.base = probability,
                                    .bytes = sizeof *probability,
                                    .dims = detector->out_dims,
                                    .rank = MAX_RANK};
    for (uint32_t i = 0; i < detector->n_states; i++) {
        struct state *state = &detector->states[i];

        outputs[1 + i] = (bp_binding){.index = state->output};
        outputs[1 + i].tensor = (bp_tensor){.base = state->buffers[!detector->current],
                                            .bytes = state->bytes,
                                            .dims = state->out_dims,
                                            .rank = MAX_RANK};
    }
    return 1 + detector->n_states;
}

static bool prepare(struct detector *detector)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    bp_binding inputs[MAX_STATES + 2];
    bp_run_shapes shapes = {.inputs = inputs};

    shapes.n_inputs = bind_inputs(detector, inputs);
    return bp_session_prepare(detector->session, &shapes, 1, NULL, &err) == BP_OK ||
           example_fail("%s", text);
}

bool detector_init(struct detector *detector, bp_session *session, size_t n_chunk, size_t n_context,
                   int64_t rate)
{
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
    return find_inputs(detector) && find_outputs(detector) && prepare(detector);
}

void detector_finish(struct detector *detector)
{
    for (uint32_t i = 0; i < detector->n_states; i++) {
        free(detector->states[i].buffers[0]);
        free(detector->states[i].buffers[1]);
    }
    free(detector->samples);
}

float *detector_chunk(struct detector *detector)
{
    return detector->samples + detector->n_context;
}

bp_rc detector_run(struct detector *detector, int64_t deadline_ns, float *probability, bp_err *err)
{
    bp_run_options options = {.struct_size = sizeof options, .deadline_ns = deadline_ns};
    bp_binding inputs[MAX_STATES + 2], outputs[MAX_STATES + 1];
    uint32_t n_inputs = bind_inputs(detector, inputs);
    uint32_t n_outputs = bind_outputs(detector, probability, outputs);
    bp_rc rc =
        bp_session_run(detector->session, inputs, n_inputs, outputs, n_outputs, &options, err);

    if (rc == BP_OK)
        detector->current = !detector->current; /* what was written is the state now */
    memmove(detector->samples, detector->samples + detector->n_chunk,
            detector->n_context * sizeof *detector->samples);
    return rc;
}
