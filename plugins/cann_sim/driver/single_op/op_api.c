/* SPDX-License-Identifier: MIT */
/* op_api.c - ACL's functions that compile, queue and describe single operators. */
#include <stdlib.h>

#include <acl/acl_op_compiler.h>
#include <bp_ascend_sim.h>

#include "core/context.h"
#include "core/error.h"
#include "core/state.h"
#include "single_op/launch.h"

/* What aclopCreateHandle() gives: a reference to an operator of the cache. */
struct aclopHandle {
    struct sim_compiled *compiled;
};

/* ---- arguments ------------------------------------------------------------------------------ */

/*
 * ACL_ERROR_INVALID_PARAM for a missing description, ACL_ERROR_GE_FAILURE for too many: then it is
 * the operator that does not exist.
 */
static aclError check_descs(const char *what, int count, const aclTensorDesc *const *descs,
                            int most)
{
    if (count < 0 || (count > 0 && !descs))
        return sim_fail(ACL_ERROR_INVALID_PARAM, "%d %s", count, what);
    if (count > most)
        return sim_fail(ACL_ERROR_GE_FAILURE, "%d %s: no operator has more than %d", count, what,
                        most);
    for (int i = 0; i < count; i++)
        if (!descs[i])
            return sim_fail(ACL_ERROR_INVALID_PARAM, "%s %d has no description", what, i);
    return 0;
}

/* Checks counts and pointers of a public function's arguments. */
static aclError make_request(struct sim_request *request, const char *type, int inputs,
                             const aclTensorDesc *const *in, int outputs,
                             const aclTensorDesc *const *out, const aclopAttr *attr)
{
    aclError rc;

    if (!type)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "no type of operator");
    rc = check_descs("inputs", inputs, in, SIM_INPUTS);
    if (!rc)
        rc = check_descs("outputs", outputs, out, SIM_OUTPUTS);
    if (rc)
        return rc;
    *request = (struct sim_request){type, (size_t)inputs, (size_t)outputs, in, out, attr};
    return 0;
}

/* Single buffers are checked by sim_launch(). */
static aclError check_buffers(const struct sim_request *request, const struct sim_buffers *buffers)
{
    if ((request->inputs > 0 && !buffers->in) || (request->outputs > 0 && !buffers->out))
        return sim_fail(ACL_ERROR_INVALID_PARAM, "no buffers");
    return 0;
}

/* Only operators of the system can be compiled; which engine is to run them makes no difference. */
static aclError check_compile(aclopEngineType engine, aclopCompileType flag, const char *path)
{
    (void)engine; /* there is one engine here */
    if (flag != ACL_COMPILE_SYS && flag != ACL_COMPILE_UNREGISTERED)
        return sim_fail(ACL_ERROR_API_NOT_SUPPORT, "compile flag %d", (int)flag);
    if (flag == ACL_COMPILE_UNREGISTERED && !path)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "an operator that is not registered has no path");
    return 0;
}

/*
 * Is nothing to be written: are all outputs of known shapes, each with a 0? Then the call succeeds
 * and queues nothing.
 */
static bool all_empty(const struct sim_request *request)
{
    for (size_t i = 0; i < request->outputs; i++) {
        const aclTensorDesc *desc = request->out[i];

        for (size_t d = 0; d < desc->rank; d++)
            if (desc->dims[d] < 0)
                return false;
        if (aclGetTensorDescElementCount(desc) > 0)
            return false;
    }
    return request->outputs > 0;
}

/*
 * Compiles if it has to and may, then queues. `fill`: descriptions of outputs that get the shapes
 * that came out; NULL: none.
 */
static aclError execute(const struct sim_request *request, const struct sim_buffers *buffers,
                        bool may_compile, aclrtStream handle, aclTensorDesc **fill)
{
    struct sim_compiled *compiled = NULL;
    struct sim_stream *stream;
    aclError rc = check_buffers(request, buffers);

    if (rc || all_empty(request))
        return rc;
    sim_lock();
    rc = sim_stream_get(handle, &stream);
    if (!rc)
        rc = sim_cache_get(request, may_compile, stream->device, &compiled);
    if (!rc)
        rc = sim_launch(compiled, buffers, stream);
    for (size_t i = 0; fill && !rc && i < request->outputs; i++)
        rc = aclSetTensorShape(fill[i], (int)compiled->call.result[i].rank,
                               compiled->call.result[i].dims);
    sim_compiled_unref(compiled);
    sim_unlock();
    return rc;
}

/* ---- the API -------------------------------------------------------------------------------- */

/* The operator stays in the cache for the calls to come. */
aclError aclopCompile(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                      int numOutputs, const aclTensorDesc *const outputDesc[],
                      const aclopAttr *attr, aclopEngineType engineType,
                      aclopCompileType compileFlag, const char *opPath)
{
    struct sim_compiled *compiled = NULL;
    struct sim_context *context;
    struct sim_request request;
    aclError rc =
        make_request(&request, opType, numInputs, inputDesc, numOutputs, outputDesc, attr);

    if (!rc)
        rc = check_compile(engineType, compileFlag, opPath);
    if (rc)
        return rc;
    sim_lock();
    rc = sim_current(&context);
    if (!rc)
        rc = sim_cache_get(&request, true, context->device, &compiled);
    sim_compiled_unref(compiled);
    sim_unlock();
    return rc;
}

aclError aclopCompileAndExecute(const char *opType, int numInputs,
                                const aclTensorDesc *const inputDesc[],
                                const aclDataBuffer *const inputs[], int numOutputs,
                                const aclTensorDesc *const outputDesc[],
                                aclDataBuffer *const outputs[], const aclopAttr *attr,
                                aclopEngineType engineType, aclopCompileType compileFlag,
                                const char *opPath, aclrtStream stream)
{
    struct sim_buffers buffers = {inputs, outputs};
    struct sim_request request;
    aclError rc =
        make_request(&request, opType, numInputs, inputDesc, numOutputs, outputDesc, attr);

    if (!rc)
        rc = check_compile(engineType, compileFlag, opPath);
    return rc ? rc : execute(&request, &buffers, true, stream, NULL);
}

/* What the newer functions take, read-only. */
#define DESCS(descs) ((const aclTensorDesc *const *)(descs))
#define BUFFERS(buffers) ((const aclDataBuffer *const *)(buffers))

aclError aclopCompileAndExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
                                  aclDataBuffer *inputs[], int numOutputs,
                                  aclTensorDesc *outputDesc[], aclDataBuffer *outputs[],
                                  aclopAttr *attr, aclopEngineType engineType,
                                  aclopCompileType compileFlag, const char *opPath,
                                  aclrtStream stream)
{
    struct sim_buffers buffers = {BUFFERS(inputs), outputs};
    struct sim_request request;
    aclError rc = make_request(&request, opType, numInputs, DESCS(inputDesc), numOutputs,
                               DESCS(outputDesc), attr);

    if (!rc)
        rc = check_compile(engineType, compileFlag, opPath);
    return rc ? rc : execute(&request, &buffers, true, stream, outputDesc);
}

/* Only what was compiled and is not forgotten. */
aclError aclopExecute(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                      const aclDataBuffer *const inputs[], int numOutputs,
                      const aclTensorDesc *const outputDesc[], aclDataBuffer *const outputs[],
                      const aclopAttr *attr, aclrtStream stream)
{
    struct sim_buffers buffers = {inputs, outputs};
    struct sim_request request;
    aclError rc =
        make_request(&request, opType, numInputs, inputDesc, numOutputs, outputDesc, attr);

    return rc ? rc : execute(&request, &buffers, false, stream, NULL);
}

aclError aclopExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
                        aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[],
                        aclDataBuffer *outputs[], aclopAttr *attr, aclrtStream stream)
{
    struct sim_buffers buffers = {BUFFERS(inputs), outputs};
    struct sim_request request;
    aclError rc = make_request(&request, opType, numInputs, DESCS(inputDesc), numOutputs,
                               DESCS(outputDesc), attr);

    return rc ? rc : execute(&request, &buffers, false, stream, outputDesc);
}

/* Compiles without keeping the result. */
aclError aclopInferShape(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
                         aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[],
                         aclopAttr *attr)
{
    struct sim_request request;
    void *values[SIM_INPUTS] = {NULL};
    struct sim_call call;
    aclError rc = make_request(&request, opType, numInputs, DESCS(inputDesc), numOutputs,
                               DESCS(outputDesc), attr);

    (void)inputs; /* constants are in the descriptions */
    if (rc)
        return rc;
    rc = sim_prepare(&request, false, &call, values);
    for (size_t i = 0; !rc && i < request.outputs; i++)
        rc = aclSetTensorShape(outputDesc[i], (int)call.result[i].rank, call.result[i].dims);
    for (size_t i = 0; i < SIM_INPUTS; i++)
        free(values[i]);
    return rc;
}

/* Compiles for the current device and its options, without counting or keeping it. */
aclError bp_ascend_estimate_operator(const char *opType, int numInputs,
                                     const aclTensorDesc *const inputDesc[], int numOutputs,
                                     const aclTensorDesc *const outputDesc[], const aclopAttr *attr,
                                     uint64_t *nanoseconds)
{
    struct sim_context *context;
    struct sim_request request;
    void *values[SIM_INPUTS] = {NULL};
    struct sim_call call;
    aclError rc =
        make_request(&request, opType, numInputs, inputDesc, numOutputs, outputDesc, attr);

    if (!rc && !nanoseconds)
        rc = sim_fail(ACL_ERROR_INVALID_PARAM, "bp_ascend_estimate_operator: NULL");
    if (rc)
        return rc;
    sim_lock();
    rc = sim_current(&context);
    if (!rc)
        rc = sim_prepare(&request, true, &call, values);
    if (!rc) {
        call.force_fp16 = sim_forces_fp16(&call);
        *nanoseconds = sim_op_cost(context->device->config, &call);
    }
    sim_unlock();
    for (size_t i = 0; i < SIM_INPUTS; i++)
        free(values[i]);
    return rc;
}

/* ---- handles -------------------------------------------------------------------------------- */

/* The handle keeps the operator from being freed, also when the cache forgets it. */
aclError aclopCreateHandle(const char *opType, int numInputs,
                           const aclTensorDesc *const inputDesc[], int numOutputs,
                           const aclTensorDesc *const outputDesc[], const aclopAttr *opAttr,
                           aclopHandle **handle)
{
    struct sim_compiled *compiled = NULL;
    struct sim_context *context;
    struct sim_request request;
    aclError rc =
        make_request(&request, opType, numInputs, inputDesc, numOutputs, outputDesc, opAttr);

    if (!rc && !handle)
        rc = sim_fail(ACL_ERROR_INVALID_PARAM, "aclopCreateHandle: NULL");
    if (rc)
        return rc;
    sim_lock();
    rc = sim_current(&context);
    if (!rc)
        rc = sim_cache_get(&request, false, context->device, &compiled);
    if (!rc) {
        *handle = malloc(sizeof **handle);
        if (*handle)
            (*handle)->compiled = compiled;
        else
            rc = sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for a handle");
    }
    if (rc)
        sim_compiled_unref(compiled);
    sim_unlock();
    return rc;
}

void aclopDestroyHandle(aclopHandle *handle)
{
    if (!handle)
        return;
    sim_lock();
    sim_compiled_unref(handle->compiled);
    sim_unlock();
    free(handle);
}

/* As aclopExecute(), without the lookup. */
aclError aclopExecWithHandle(aclopHandle *handle, int numInputs,
                             const aclDataBuffer *const inputs[], int numOutputs,
                             aclDataBuffer *const outputs[], aclrtStream stream_handle)
{
    struct sim_buffers buffers = {inputs, outputs};
    struct sim_stream *stream;
    aclError rc;

    if (!handle || !inputs || !outputs || numInputs != (int)handle->compiled->call.inputs ||
        numOutputs != (int)handle->compiled->call.outputs)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "no handle, or not its number of buffers");
    sim_lock();
    rc = sim_stream_get(stream_handle, &stream);
    if (!rc)
        rc = sim_launch(handle->compiled, &buffers, stream);
    sim_unlock();
    return rc;
}
