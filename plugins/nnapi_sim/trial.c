/* SPDX-License-Identifier: MIT */
/*
 * trial.c - asks the runtime about a few nodes as a model of their own, so that what NNAPI would
 * refuse is known when nodes are claimed.
 */

#include "capability.h"

static uint32_t first_bit(uint32_t bits)
{
    for (uint32_t i = 0; i < 32; i++) {
        if (bits >> i & 1)
            return i;
    }
    return BP_NONE;
}

/* A finished model: which device takes it. Below level 29 nobody can be asked, so the runtime does. */
static bp_rc ask(const bp_instance *instance, const struct bp_nn_model *model,
                 const struct bp_nn_built *built, uint32_t *device, char *why, size_t why_size,
                 bp_err *err)
{
    uint32_t devices = 1;
    bp_rc rc = BP_OK;

    if (instance->n_devices > 0)
        rc = bp_nn_devices_for(instance, model, built, &devices, why, why_size, err);
    if (rc >= 0)
        *device = first_bit(devices);
    return rc;
}

/* A model that the runtime does not want is an answer; a runtime without memory is none. */
static bp_rc try_model(const bp_instance *instance, const struct bp_nn_model *model,
                       uint32_t *device, char *why, size_t why_size, bp_err *err)
{
    char text[224] = "";
    bp_err own = {.struct_size = sizeof own, .msg = text, .msg_cap = sizeof text};
    struct bp_nn_built built;
    bp_rc rc;

    *device = 0;
    if (model->n_operations == 0)
        return BP_OK; /* an Identity */
    *device = BP_NONE;
    rc = bp_nn_hand_over(instance, model, &built, &own);
    if (rc == BP_E_UNSUPPORTED) {
        snprintf(why, why_size, "%s", text);
        return BP_OK;
    }
    if (rc < 0)
        return bp_fail(err, rc, "%s", text);
    rc = ask(instance, model, &built, device, why, why_size, err);
    bp_nn_built_free(instance, &built);
    return rc;
}

/* Takes back what a trial has put into the places of the node's values. */
static void forget_places(const struct bp_nn_verdicts *verdicts, const bp_node *node)
{
    static const struct bp_nn_place none = {{BP_NONE, BP_NONE}};

    for (uint32_t i = 0; i < node->n_in; i++) {
        if (node->in[i] != BP_NONE)
            verdicts->places[node->in[i]] = none;
    }
    for (uint32_t i = 0; i < node->n_out; i++) {
        if (node->out[i] != BP_NONE)
            verdicts->places[node->out[i]] = none;
    }
}

static bp_rc lower_set(const struct bp_nn_verdicts *verdicts, uint32_t root,
                       struct bp_nn_model *model, bp_err *err)
{
    const bp_graph *graph = verdicts->facts->graph;
    struct bp_nn_build b;

    bp_nn_build_init(&b, verdicts->instance, verdicts->facts, model, verdicts->places,
                     verdicts->is_done, err);
    for (uint32_t i = root; i != BP_NONE; i = verdicts->next[i])
        bp_nn_lower_node(&b, i);
    for (uint32_t i = root; i != BP_NONE; i = verdicts->next[i])
        bp_nn_convert_outputs(&b, i);
    bp_nn_end_trial(&b);
    for (uint32_t i = root; i != BP_NONE; i = verdicts->next[i])
        forget_places(verdicts, BP_NODE(graph, i));
    return b.rc;
}

bp_rc bp_nn_try_set(const struct bp_nn_verdicts *verdicts, uint32_t root, uint32_t *device,
                    char *why, size_t why_size, bp_err *err)
{
    struct bp_blocks memory = {.host = &verdicts->instance->host};
    struct bp_nn_model model = {.memory = &memory, .is_trial = true};
    char text[224] = "";
    bp_err own = {.struct_size = sizeof own, .msg = text, .msg_cap = sizeof text};
    bp_rc rc = lower_set(verdicts, root, &model, &own);

    *device = BP_NONE;
    if (rc == BP_E_UNSUPPORTED) {
        snprintf(why, why_size, "%s", text);
        rc = BP_OK;
    } else if (rc < 0) {
        rc = bp_fail(err, rc, "%s", text);
    } else {
        rc = try_model(verdicts->instance, &model, device, why, why_size, err);
    }
    bp_blocks_free(&memory);
    return rc;
}
