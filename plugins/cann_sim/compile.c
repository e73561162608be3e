/* SPDX-License-Identifier: MIT */
/*
 * compile.c - makes a program of a group: constants go to the device, once, and what has known
 * shapes is compiled, so that a compiler that fails is noticed while another provider can still
 * take over.
 */

#include "model.h"

/* The value is not a constant that is uploaded. */
static const uint64_t no_offset = UINT64_MAX;

/* A node that is not in the table was never claimed; the check is against a host's mistake. */
static bp_rc find_ops(bp_program *program, bp_err *err)
{
    for (uint32_t i = 0; i < program->graph->n_nodes; i++) {
        const bp_node *node = BP_NODE(program->graph, i);

        program->ops[i] = bp_cann_find_op(node);
        if (!program->ops[i] || node->n_in < 1 || node->n_out < 1)
            return bp_fail(err, BP_E_UNSUPPORTED, "cann: %s '%s' is not in the table", node->op,
                           node->name);
    }
    return BP_OK;
}

/* ---- constants ------------------------------------------------------------------------------- */

/* Offsets are multiples of BP_CANN_UNIT, so that every constant is aligned as an allocation is. */
static uint64_t reserve(bp_program *program, uint64_t bytes)
{
    uint64_t offset = program->bytes;

    program->bytes += (bytes + BP_CANN_UNIT - 1) / BP_CANN_UNIT * BP_CANN_UNIT;
    return offset;
}

/* None is uploaded yet. */
static bp_rc clear_constants(bp_program *program, bp_err *err)
{
    uint32_t n = program->graph->n_values;

    program->constants = bp_cann_calloc(program->instance, n, sizeof *program->constants);
    if (!program->constants)
        return bp_fail(err, BP_E_NOMEM, "cann: no memory for %u values", n);
    for (uint32_t v = 0; v < n; v++)
        program->constants[v] = no_offset;
    return BP_OK;
}

/* Those that a call reads, each once; a shape that is only read on the host stays there. */
static void place_constants(bp_program *program)
{
    const bp_graph *graph = program->graph;

    for (uint32_t n = 0; n < graph->n_nodes; n++) {
        const bp_node *node = BP_NODE(graph, n);
        const struct bp_cann_op *op = program->ops[n];

        for (uint32_t i = 0; i < node->n_in; i++) {
            uint32_t v = node->in[i];

            if (v == BP_NONE || op->host_inputs >> i & 1 || program->constants[v] != no_offset ||
                !(BP_VALUE(graph, v)->flags & BP_VALUE_CONSTANT))
                continue;
            program->constants[v] = reserve(program, BP_VALUE(graph, v)->const_bytes);
        }
        if (op->n_scalars > 0)
            program->scalars[n] = reserve(program, op->n_scalars * (uint64_t)BP_CANN_UNIT);
    }
}

/* Where the host has no bytes of it there is nothing to copy. */
static bp_rc upload_constant(const bp_program *program, uint32_t v, bp_err *err)
{
    const bp_host *host = &program->instance->host;
    bp_span bytes;
    bp_rc rc = host->constant(host->h, program->graph, v, &bytes, err);

    if (rc < 0 || bytes.size == 0)
        return rc;
    return bp_cann_upload(program->instance, (char *)program->base + program->constants[v],
                          bytes.data, bytes.size, err);
}

/* What op->scalar() gives: alpha and beta of a Gemm. */
static bp_rc upload_scalars(const bp_program *program, uint32_t n, bp_err *err)
{
    const struct bp_cann_op *op = program->ops[n];
    const bp_node *node = BP_NODE(program->graph, n);
    uint32_t dtype = BP_VALUE(program->graph, node->in[0])->dtype;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < op->n_scalars && rc >= 0; i++) {
        char *to = (char *)program->base + program->scalars[n] + (size_t)i * BP_CANN_UNIT;
        double bytes;
        size_t size = bp_cann_encode(op->scalar(program->graph, node, i), dtype, &bytes);

        rc = bp_cann_upload(program->instance, to, &bytes, size, err);
    }
    return rc;
}

/* In graph mode constants go into the models instead. */
static bp_rc upload(bp_program *program, bp_err *err)
{
    bp_rc rc;

    if (program->bytes == 0 || program->models)
        return BP_OK;
    if (program->bytes > SIZE_MAX)
        return bp_fail(err, BP_E_NOMEM, "cann: the constants do not fit in memory");
    rc = bp_cann_arena_alloc(&program->instance->arena, (size_t)program->bytes, BP_CANN_UNIT,
                             &program->base, err);
    if (rc >= 0)
        atomic_fetch_add(&program->instance->weight_bytes, program->bytes);
    for (uint32_t v = 0; v < program->graph->n_values && rc >= 0; v++) {
        if (program->constants[v] != no_offset)
            rc = upload_constant(program, v, err);
    }
    for (uint32_t n = 0; n < program->graph->n_nodes && rc >= 0; n++) {
        if (program->ops[n]->n_scalars > 0)
            rc = upload_scalars(program, n, err);
    }
    return rc;
}

/* ---- the program ----------------------------------------------------------------------------- */

/*
 * Has ACL compile the calls whose shapes are known; the calls themselves are made again for each
 * frame.
 */
static bp_rc compile_known(bp_program *program, bp_err *err)
{
    const struct bp_cann_model *model;
    struct bp_cann_build b;
    bp_rc rc = bp_cann_build(&b, program, NULL, err);

    if (rc >= 0 && program->models && b.n_deferred == 0)
        rc = bp_cann_model_get(program, &b, &model, err);
    bp_cann_steps_free(program->instance, b.steps);
    bp_cann_build_finish(&b);
    return rc;
}

bp_rc bp_cann_plan_constants(bp_program *program, bp_err *err)
{
    const bp_graph *graph = program->graph;
    bp_rc rc;

    program->ops = bp_cann_calloc(program->instance, graph->n_nodes, sizeof(void *));
    program->scalars = bp_cann_calloc(program->instance, graph->n_nodes, sizeof *program->scalars);
    if (!program->ops || !program->scalars)
        return bp_fail(err, BP_E_NOMEM, "cann: no memory for %u nodes", graph->n_nodes);
    rc = find_ops(program, err);
    if (rc >= 0)
        rc = clear_constants(program, err);
    if (rc < 0)
        return rc;
    place_constants(program);
    return BP_OK;
}

bp_rc bp_cann_program_create(bp_instance *instance, const bp_graph *graph, const bp_compile *what,
                             bp_program **out, bp_err *err)
{
    bp_rc rc = bp_cann_enter(instance, err);
    bp_program *program;

    if (rc < 0)
        return rc;
    if (what->flags & BP_CRITICAL)
        return bp_fail(err, BP_E_UNSUPPORTED, "cann: compile's flags 0x%x are not known",
                       what->flags);
    program = bp_cann_calloc(instance, 1, sizeof *program);
    if (!program)
        return bp_fail(err, BP_E_NOMEM, "cann: no memory for a program");
    program->instance = instance;
    program->graph = graph;
    program->is_context = what->flags & BP_COMPILE_CONTEXT;
    rc = program->is_context ? clear_constants(program, err) : bp_cann_plan_constants(program, err);
    if (rc >= 0 && (instance->uses_graphs || program->is_context))
        rc = bp_cann_models_create(program, err);
    if (rc < 0) {
        bp_cann_program_free(program);
        return rc;
    }
    *out = program;
    return BP_OK;
}

bp_rc bp_cann_compile(bp_instance *instance, const bp_graph *graph, const bp_compile *what,
                      bp_program **out, bp_err *err)
{
    bp_program *program;
    bp_rc rc = bp_cann_program_create(instance, graph, what, &program, err);

    if (rc < 0)
        return rc;
    program->keeps_bytes = program->models && (what->flags & BP_COMPILE_SAVE);
    rc = upload(program, err);
    if (rc >= 0)
        rc = compile_known(program, err);
    if (rc < 0) {
        bp_cann_program_free(program);
        return rc;
    }
    *out = program;
    return BP_OK;
}

/* Also one that is not finished: what is NULL was not made. */
void bp_cann_program_free(bp_program *program)
{
    bp_instance *instance;

    if (!program)
        return;
    instance = program->instance;
    bp_cann_models_free(program);
    if (program->base) {
        bp_cann_arena_free(&instance->arena, program->base);
        atomic_fetch_sub(&instance->weight_bytes, program->bytes);
    }
    bp_cann_free(instance, program->ops, program->graph->n_nodes, sizeof(void *));
    bp_cann_free(instance, program->scalars, program->graph->n_nodes, sizeof *program->scalars);
    bp_cann_free(instance, program->constants, program->graph->n_values,
                 sizeof *program->constants);
    bp_cann_free(instance, program, 1, sizeof *program);
}
