/* SPDX-License-Identifier: MIT */
/* detector.h - a model that is given a stream chunk by chunk; the session keeps its state. */
#ifndef EXAMPLES_STREAMING_DETECTOR_H
#define EXAMPLES_STREAMING_DETECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <backplane.h>

enum { MAX_RANK = 8, MAX_INPUTS = 16 };

struct detector {
    bp_session *session;
    uint32_t input, rate_input, output; /* indices; rate_input BP_NONE: the model has none */
    bp_state *state;                    /* what the model remembers of the stream */
    float *samples;                     /* n_context of the chunk before, then those of this one */
    size_t n_chunk, n_context;
    int64_t dims[2], out_dims[MAX_RANK], rate;
};

/*
 * A detector for chunks of n_chunk samples. Everything is prepared: no chunk waits for it. False, after
 * a complaint: the model has other inputs or outputs. The session keeps inputs "state...", see
 * example_add_states(), and stays the caller's. It is for detector_finish() in any case.
 */
bool detector_init(struct detector *detector, bp_session *session, size_t n_chunk, size_t n_context,
                   int64_t rate);
void detector_finish(struct detector *detector);

/* Where the next chunk's samples belong. */
float *detector_chunk(struct detector *detector);

/*
 * Runs the model on that chunk: *probability is its answer. BP_E_TIMEOUT: it was not ready at the moment
 * deadline_ns; the state stays that of the chunk before, and the stream can go on.
 */
bp_rc detector_run(struct detector *detector, int64_t deadline_ns, float *probability, bp_err *err);

#endif
