/* SPDX-License-Identifier: MIT */
/* session.c - OrtSession: descriptions of inputs and outputs, and release. */

#include "config.h"

#include "ort/session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ort/status.h"

/* ---- what the model looks like from outside ---------------------------------------------------- */

/* What a session, or a model that is still being edited, says of itself. */
struct described {
    bp_io_info *inputs, *outputs;
    uint32_t n_inputs, n_outputs;
};

/* From the host's session, or from the open model while there is none. */
static bp_rc read_io(const OrtSession *session, struct described *io)
{
    const bp_model *model = session->loaded.model;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < io->n_inputs && rc >= 0; i++) {
        io->inputs[i].struct_size = sizeof *io->inputs;
        rc = session->host ? bp_session_input(session->host, i, &io->inputs[i], NULL)
                           : bp_model_input(model, i, &io->inputs[i], NULL);
    }
    for (uint32_t i = 0; i < io->n_outputs && rc >= 0; i++) {
        io->outputs[i].struct_size = sizeof *io->outputs;
        rc = session->host ? bp_session_output(session->host, i, &io->outputs[i], NULL)
                           : bp_model_output(model, i, &io->outputs[i], NULL);
    }
    return rc;
}

/* n_required: inputs up to the last one without a default. */
static void set_io(OrtSession *session, const struct described *io)
{
    free(session->inputs);
    free(session->outputs);
    session->inputs = io->inputs;
    session->outputs = io->outputs;
    session->n_inputs = io->n_inputs;
    session->n_outputs = io->n_outputs;
    session->n_required = 0;
    for (uint32_t i = 0; i < io->n_inputs; i++) {
        if (!(io->inputs[i].flags & BP_IO_OPTIONAL))
            session->n_required = i + 1;
    }
}

bool ort_session_list_io(OrtSession *session)
{
    bp_model_info info = {.struct_size = sizeof info};
    struct described io = {0};

    if (session->host) {
        io.n_inputs = bp_session_input_count(session->host);
        io.n_outputs = bp_session_output_count(session->host);
    } else if (bp_model_get_info(session->loaded.model, &info, NULL) >= 0) {
        io.n_inputs = info.n_inputs;
        io.n_outputs = info.n_outputs;
    }
    io.inputs = calloc(io.n_inputs + 1, sizeof *io.inputs);
    io.outputs = calloc(io.n_outputs + 1, sizeof *io.outputs);
    if (!io.inputs || !io.outputs || read_io(session, &io) < 0) {
        free(io.inputs);
        free(io.outputs);
        return false;
    }
    set_io(session, &io);
    return true;
}

void ort_session_clear_description(OrtSession *session)
{
    set_io(session, &(struct described){0});
}

OrtStatus *ort_session_describe(OrtSession *session)
{
    const char *domain;
    int64_t version = 0;
    char text[24];

    for (uint32_t i = 0; (domain = bp_model_opset(session->loaded.model, i, &version)); i++) {
        snprintf(text, sizeof text, "%lld", (long long)version);
        if (!ort_keys_set(&session->opsets, domain[0] ? domain : "ai.onnx", text))
            return ort_no_memory();
    }
    if (ort_session_list_io(session))
        return NULL;
    set_io(session, &(struct described){0}); /* the old ones refer to a closed model */
    return ort_no_memory();
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Polls every 100 us: a run's last access to the session is a decrement, so it can't signal. */
static void wait_for_runs(OrtSession *session)
{
    const struct timespec pause = {.tv_nsec = 100000};

    while (atomic_load_explicit(&session->in_flight, memory_order_acquire) > 0)
        nanosleep(&pause, NULL);
}

/* OrtApi since version 1: Waits for running calls, then destroys in reverse order of creation. */
void ort_ReleaseSession(OrtSession *input)
{
    if (!input)
        return;
    wait_for_runs(input);
    ort_profile_leave(input);
    ort_profile_destroy(input->profile);
    ort_assignment_destroy(input->assignment);
    bp_session_destroy(input->host);
    ort_custom_finish(&input->custom); /* their kernels have gone */
    ort_workers_finish(&input->workers);
    ort_metadata_finish(&input->metadata);
    ort_keys_finish(&input->config);
    ort_keys_finish(&input->opsets);
    ort_loaded_finish(&input->loaded);
    free(input->logger.id);
    ort_allocator_release(input->allocator.own);
    ort_env_release(input->env);
    bp_fork_mutex_destroy(&input->lock, &input->fork);
    free(input->chosen);
    free(input->inputs);
    free(input->outputs);
    free(input);
}

/* OrtApi since version 27: No provider captures graphs here, so this always succeeds. */
OrtStatus *ort_SessionReleaseCapturedGraph(OrtSession *session, int graph_annotation_id)
{
    (void)graph_annotation_id;
    ORT_NEED(session);
    return NULL;
}
