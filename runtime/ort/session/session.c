/* SPDX-License-Identifier: MIT */
/* session.c - OrtSession: made from a path or from bytes. */

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

static bp_rc read_ends(const OrtSession *session, struct described *ends)
{
    const bp_model *model = session->loaded.model;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < ends->n_inputs && rc >= 0; i++) {
        ends->inputs[i].struct_size = sizeof *ends->inputs;
        rc = session->host ? bp_session_input(session->host, i, &ends->inputs[i], NULL)
                           : bp_model_input(model, i, &ends->inputs[i], NULL);
    }
    for (uint32_t i = 0; i < ends->n_outputs && rc >= 0; i++) {
        ends->outputs[i].struct_size = sizeof *ends->outputs;
        rc = session->host ? bp_session_output(session->host, i, &ends->outputs[i], NULL)
                           : bp_model_output(model, i, &ends->outputs[i], NULL);
    }
    return rc;
}

static void set_ends(OrtSession *session, const struct described *ends)
{
    free(session->inputs);
    free(session->outputs);
    session->inputs = ends->inputs;
    session->outputs = ends->outputs;
    session->n_inputs = ends->n_inputs;
    session->n_outputs = ends->n_outputs;
    session->n_required = 0;
    for (uint32_t i = 0; i < ends->n_inputs; i++) {
        if (!(ends->inputs[i].flags & BP_IO_OPTIONAL))
            session->n_required = i + 1;
    }
}

bool ort_session_list_ends(OrtSession *session)
{
    bp_model_info info = {.struct_size = sizeof info};
    struct described ends = {0};

    if (session->host) {
        ends.n_inputs = bp_session_input_count(session->host);
        ends.n_outputs = bp_session_output_count(session->host);
    } else if (bp_model_get_info(session->loaded.model, &info, NULL) >= 0) {
        ends.n_inputs = info.n_inputs;
        ends.n_outputs = info.n_outputs;
    }
    ends.inputs = calloc(ends.n_inputs + 1, sizeof *ends.inputs);
    ends.outputs = calloc(ends.n_outputs + 1, sizeof *ends.outputs);
    if (!ends.inputs || !ends.outputs || read_ends(session, &ends) < 0) {
        free(ends.inputs);
        free(ends.outputs);
        return false;
    }
    set_ends(session, &ends);
    return true;
}

void ort_session_clear_description(OrtSession *session)
{
    set_ends(session, &(struct described){0});
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
    if (ort_session_list_ends(session))
        return NULL;
    set_ends(session, &(struct described){0}); /* those before were of a model that is gone */
    return ort_no_memory();
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Looks again and again: a run's last touch of the session is a subtraction, it can signal nobody. */
static void wait_for_runs(OrtSession *session)
{
    const struct timespec pause = {.tv_nsec = 100000};

    while (atomic_load_explicit(&session->in_flight, memory_order_acquire) > 0)
        nanosleep(&pause, NULL);
}

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
    ort_keys_finish(&input->dims);
    ort_keys_finish(&input->opsets);
    ort_loaded_finish(&input->loaded);
    free(input->logger.id);
    ort_env_release(input->env);
    pthread_mutex_destroy(&input->lock);
    free(input->chosen);
    free(input->inputs);
    free(input->outputs);
    free(input);
}

OrtStatus *ort_SessionReleaseCapturedGraph(OrtSession *session, int graph_annotation_id)
{
    (void)graph_annotation_id;
    ORT_NEED(session);
    return NULL;
}
