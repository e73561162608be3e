/* SPDX-License-Identifier: MIT */
/* control.c - IF and WHILE. */
#include "run/control.h"

#include <stdlib.h>

/* Tensors in the call's inputs from `first` on, one after the other, as a model takes them. */
static struct nn_tensor *list_inputs(const struct nn_call *call, uint32_t first)
{
    struct nn_tensor *list = calloc(call->in_count - first + 1, sizeof *list);

    for (uint32_t i = first; list && i < call->in_count; i++) {
        list[i - first] = *call->in[i];
        list[i - first].constant = false;
    }
    return list;
}

static int no_memory(void)
{
    return nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no memory for a branch or loop");
}

int nn_run_if(struct nn_run *run, const struct nn_call *call, struct nn_result *results)
{
    bool condition = *(const uint8_t *)call->in[0]->data;
    struct nn_tensor *inputs = list_inputs(call, 3);
    int code;

    if (!inputs)
        return no_memory();
    code = nn_engine_run(run, nn_model_of(call->in[condition ? 1 : 2]), NULL, inputs, results);
    free(inputs);
    return code;
}

/* ---- WHILE ---------------------------------------------------------------------------------- */

/* The loop's values: inputs at first, then what the body gave. */
struct loop {
    struct nn_run *run;
    const struct nn_call *call;
    struct nn_tensor *state;
    void **owned; /* memory of the state */
};

static int condition_of(struct loop *loop, bool *out)
{
    struct nn_result result = {0};
    int code = nn_engine_run(loop->run, nn_model_of(loop->call->in[0]), NULL, loop->state, &result);

    if (!code)
        *out = *(const uint8_t *)result.tensor.data;
    free(result.owned);
    return code;
}

static int run_body(struct loop *loop)
{
    uint32_t n = loop->call->out_count;
    const struct ANeuralNetworksModel *body = nn_model_of(loop->call->in[1]);
    struct nn_result *results = calloc(n, sizeof *results);
    int code;

    if (!results)
        return no_memory();
    code = nn_engine_run(loop->run, body, NULL, loop->state, results);
    for (uint32_t i = 0; i < n; i++) {
        if (code) {
            free(results[i].owned);
            continue;
        }
        free(loop->owned[i]);
        loop->owned[i] = results[i].owned;
        loop->state[i] = results[i].tensor;
        loop->state[i].constant = false;
    }
    free(results);
    return code;
}

static int iterate(struct loop *loop)
{
    uint64_t began = loop->run->computing;
    bool goes_on = false;
    int code = condition_of(loop, &goes_on);

    while (!code && goes_on) {
        if (loop->run->computing - began > loop->run->loop_limit) {
            nn_count(&nn_state.counters.missed_transient, 1);
            return nn_fail(ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT,
                           "a WHILE takes more than %llu ns",
                           (unsigned long long)loop->run->loop_limit);
        }
        code = run_body(loop);
        if (!code)
            code = condition_of(loop, &goes_on);
    }
    return code;
}

/* A result must not be memory of the program: a copy, when the body never ran. */
static int hand_over(struct loop *loop, struct nn_result *results)
{
    for (uint32_t i = 0; i < loop->call->out_count; i++) {
        size_t bytes = nn_count_of(&loop->state[i]) * nn_element_size(loop->state[i].type);

        results[i].tensor = loop->state[i];
        results[i].owned = loop->owned[i];
        loop->owned[i] = NULL;
        if (results[i].owned)
            continue;
        results[i].owned = malloc(bytes + 1);
        if (!results[i].owned)
            return no_memory();
        memcpy(results[i].owned, loop->state[i].data, bytes);
        results[i].tensor.data = results[i].owned;
    }
    return 0;
}

int nn_run_while(struct nn_run *run, const struct nn_call *call, struct nn_result *results)
{
    struct loop loop = {.run = run,
                        .call = call,
                        .state = list_inputs(call, 2),
                        .owned = calloc(call->out_count, sizeof(void *))};
    int code = loop.state && loop.owned ? iterate(&loop) : no_memory();

    if (!code)
        code = hand_over(&loop, results);
    for (uint32_t i = 0; loop.owned && i < call->out_count; i++)
        free(loop.owned[i]);
    free(loop.owned);
    free(loop.state);
    return code;
}
