/* SPDX-License-Identifier: MIT */
/* frame.c - runs a compiled model: an execution of NNAPI each time, by pointers into host memory. */

#include "program.h"

/* Shapes are fixed, so a frame has nothing of its own; frames of one program may run at once. */
struct bp_frame {
    bp_program *program;
    const bp_frame_desc *desc; /* the host's, as long as the frame */
};

enum { ALIGN = 16 };

/* The model was made for one set of sizes. */
static bool fits(const bp_tensor *tensor, const struct bp_nn_operand *operand)
{
    return (uint64_t)bp_dims_count(tensor->dims, tensor->rank) == bp_nn_operand_count(operand);
}

static const struct bp_nn_operand *input_operand(const bp_program *program, uint32_t i)
{
    return &program->model.operands[program->model.inputs[program->in[i]]];
}

static const struct bp_nn_operand *output_operand(const bp_program *program, uint32_t i)
{
    return &program->model.operands[program->model.outputs[program->out[i]]];
}

bp_rc bp_nn_frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                         bp_frame **out, bp_err *err)
{
    const bp_host *host = &program->instance->host;
    bp_frame *frame;

    (void)needs;
    *out = NULL;
    for (uint32_t i = 0; i < desc->n_in; i++) {
        if (i < program->n_in && program->in[i] != BP_NONE &&
            !fits(&desc->in[i], input_operand(program, i)))
            return bp_fail(err, BP_E_SHAPE,
                           "nnapi: input %u has another shape than the model was compiled for", i);
    }
    frame = host->alloc(host->h, sizeof *frame, ALIGN);
    if (!frame)
        return bp_fail(err, BP_E_NOMEM, "nnapi: no memory for a frame");
    *frame = (bp_frame){.program = program, .desc = desc};
    *out = frame;
    return BP_OK;
}

void bp_nn_frame_free(bp_frame *frame)
{
    const bp_host *host;

    if (!frame)
        return;
    host = &frame->program->instance->host;
    host->free(host->h, frame, sizeof *frame, ALIGN);
}

static size_t bytes_of(const struct bp_nn_operand *operand)
{
    return (size_t)(bp_nn_operand_count(operand) * bp_nn_element_bytes(operand->type));
}

/* Inputs that nothing reads are not the model's. */
static int bind(const bp_frame *frame, ANeuralNetworksExecution *execution)
{
    const bp_program *program = frame->program;
    const struct bp_nn_functions *nn = &program->instance->nn;
    int code = ANEURALNETWORKS_NO_ERROR;

    for (uint32_t i = 0; i < program->n_in && code == ANEURALNETWORKS_NO_ERROR; i++) {
        if (program->in[i] != BP_NONE)
            code = nn->ANeuralNetworksExecution_setInput(execution, (int32_t)program->in[i], NULL,
                                                         bp_tensor_data(&frame->desc->in[i]),
                                                         bytes_of(input_operand(program, i)));
    }
    for (uint32_t i = 0; i < program->n_out && code == ANEURALNETWORKS_NO_ERROR; i++)
        code = nn->ANeuralNetworksExecution_setOutput(execution, (int32_t)program->out[i], NULL,
                                                      bp_tensor_data(&frame->desc->out[i]),
                                                      bytes_of(output_operand(program, i)));
    return code;
}

/* The shorter of the option's time and what is left of the run's; 0: none. */
static uint64_t time_limit(const bp_instance *instance, const bp_run *run)
{
    uint64_t limit = instance->options.run_deadline_ns;
    int64_t left;

    if (run->deadline_ns == 0)
        return limit;
    left = run->deadline_ns - instance->host.now_ns(instance->host.h);
    left = left > 1 ? left : 1;
    return limit == 0 || (uint64_t)left < limit ? (uint64_t)left : limit;
}

static int compute(const bp_frame *frame, const bp_run *run, ANeuralNetworksExecution *execution,
                   const char **call)
{
    const bp_instance *instance = frame->program->instance;
    const struct bp_nn_functions *nn = &instance->nn;
    uint64_t limit = time_limit(instance, run);
    ANeuralNetworksEvent *event = NULL;
    int code;

    *call = "binding inputs and outputs";
    code = bind(frame, execution);
    if (code == ANEURALNETWORKS_NO_ERROR && limit > 0 && frame->program->device &&
        nn->ANeuralNetworksExecution_setTimeout) {
        *call = "Execution_setTimeout";
        code = nn->ANeuralNetworksExecution_setTimeout(execution, limit);
    }
    if (code == ANEURALNETWORKS_NO_ERROR) {
        *call = "Execution_startCompute";
        code = nn->ANeuralNetworksExecution_startCompute(execution, &event);
    }
    if (code == ANEURALNETWORKS_NO_ERROR) {
        *call = "Event_wait";
        code = nn->ANeuralNetworksEvent_wait(event);
    }
    if (event)
        nn->ANeuralNetworksEvent_free(event);
    return code;
}

bp_rc bp_nn_execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    const bp_program *program = frame->program;
    const struct bp_nn_functions *nn = &program->instance->nn;
    ANeuralNetworksExecution *execution = NULL;
    const char *call = "Execution_create";
    bp_rc rc = bp_stop_check(&program->instance->host, run);
    int code;

    if (rc < 0)
        return rc;
    code = nn->ANeuralNetworksExecution_create(program->compilation, &execution);
    if (code == ANEURALNETWORKS_NO_ERROR)
        code = compute(frame, run, execution, &call);
    if (execution)
        nn->ANeuralNetworksExecution_free(execution);
    if (code == ANEURALNETWORKS_NO_ERROR)
        return BP_OK;
    return bp_nn_fail(err, code, "%s on %s", call,
                      program->device ? program->device->name : "the runtime");
}
