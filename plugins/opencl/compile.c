/* SPDX-License-Identifier: MIT */
/*
 * compile.c - makes a program of a group: the operators of its nodes, and its constants on the
 * device, where frames of all sizes read them.
 */

#include "compile.h"

#include "base/claim.h"
#include "base/program.h"
#include "operators.h"
#include "run/device.h"

enum { ALIGN = 256 };
static const uint64_t chunk_bytes = 32 << 20; /* small constants share buffers up to this size */

/* The host gives only nodes that were claimed; others are refused, not trusted. */
static bp_rc find_ops(bp_program *program, bp_err *err)
{
    const bp_graph *graph = program->graph;

    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        const bp_node *node = BP_NODE(graph, i);
        uint32_t known_to;

        program->ops[i] = bp_opencl_find_operator(node, &known_to);
        if (!program->ops[i])
            return bp_fail(err, BP_E_UNSUPPORTED, "opencl: %s '%s' is not implemented", node->op,
                           node->name);
    }
    return BP_OK;
}

/* Values that a kernel reads: by a node that does not read them on the host, or as an output. */
static void find_reads(bp_program *program)
{
    const bp_graph *graph = program->graph;

    for (uint32_t n = 0; n < graph->n_nodes; n++) {
        const bp_node *node = BP_NODE(graph, n);

        for (uint32_t i = 0; i < node->n_in; i++) {
            if (node->in[i] != BP_NONE && !(program->ops[n]->host_inputs >> i & 1))
                program->is_read[node->in[i]] = true;
        }
    }
    for (uint32_t i = 0; i < graph->n_outputs; i++)
        program->is_read[graph->outputs[i]] = true;
}

/* ---- constants ------------------------------------------------------------------------------- */

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/* Constants follow each other; one that does not fit any more begins the next buffer. */
static void place_constants(bp_program *program)
{
    const bp_graph *graph = program->graph;
    uint64_t limit = program->instance->device->max_alloc;

    limit = limit < chunk_bytes ? limit : chunk_bytes;
    for (uint32_t v = 0; v < graph->n_values; v++) {
        const bp_value *value = BP_VALUE(graph, v);
        struct bp_opencl_constant *constant = &program->constants[v];
        uint64_t *bytes;

        constant->buffer = BP_NONE;
        if (!(value->flags & BP_VALUE_CONSTANT) || !program->is_read[v] || value->const_bytes == 0)
            continue;
        if (program->n_buffers == 0 ||
            program->buffer_bytes[program->n_buffers - 1] + value->const_bytes > limit)
            program->n_buffers++;
        bytes = &program->buffer_bytes[program->n_buffers - 1];
        constant->buffer = program->n_buffers - 1;
        constant->offset = *bytes;
        *bytes = aligned(*bytes + value->const_bytes);
    }
}

static bp_rc upload(const bp_program *program, uint32_t v, bp_err *err)
{
    const bp_instance *instance = program->instance;
    const bp_host *host = &instance->host;
    const struct bp_opencl_constant *constant = &program->constants[v];
    const bp_ext_constants *table =
        host->extension ? host->extension(host->h, BP_EXT_CONSTANTS) : NULL;
    bp_ext_constants constants = {0};
    bp_span bytes;
    cl_int code;
    bp_rc rc = host->constant(host->h, program->graph, v, &bytes, err);

    if (rc < 0 || bytes.size == 0)
        return rc;
    code = instance->cl->clEnqueueWriteBuffer(instance->queue, program->buffers[constant->buffer],
                                              CL_TRUE, (size_t)constant->offset, bytes.size,
                                              bytes.data, 0, NULL, NULL);
    if (code != CL_SUCCESS)
        return bp_opencl_fail(err, code, "clEnqueueWriteBuffer for '%s'",
                              BP_VALUE(program->graph, v)->name);
    if (table)
        bp_copy_in(&constants, sizeof constants, table);
    if (constants.done)
        constants.done(host->h, program->graph, v);
    return BP_OK;
}

static bp_rc upload_all(bp_program *program, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < program->n_buffers && rc >= 0; i++) {
        rc = bp_opencl_memory_alloc(program->instance, (size_t)program->buffer_bytes[i],
                                    &program->buffers[i], err);
        if (rc >= 0)
            atomic_fetch_add(&program->instance->weights, program->buffer_bytes[i]);
    }
    for (uint32_t v = 0; v < program->graph->n_values && rc >= 0; v++) {
        if (program->constants[v].buffer != BP_NONE)
            rc = upload(program, v, err);
    }
    return rc;
}

/* ---- the program ----------------------------------------------------------------------------- */

static bp_rc fill(bp_program *program, bp_err *err)
{
    const bp_graph *graph = program->graph;
    struct bp_blocks *memory = &program->memory;
    bp_rc rc;

    program->ops = bp_blocks_array(memory, graph->n_nodes, sizeof *program->ops);
    program->constants = bp_blocks_array(memory, graph->n_values, sizeof *program->constants);
    program->is_read = bp_blocks_array(memory, graph->n_values, sizeof *program->is_read);
    program->buffers = bp_blocks_array(memory, graph->n_values, sizeof(cl_mem));
    program->buffer_bytes = bp_blocks_array(memory, graph->n_values, sizeof(uint64_t));
    if (!program->ops || !program->constants || !program->is_read || !program->buffers ||
        !program->buffer_bytes)
        return bp_fail(err, BP_E_NOMEM, "opencl: no memory for %u nodes", graph->n_nodes);
    rc = find_ops(program, err);
    if (rc < 0)
        return rc;
    find_reads(program);
    place_constants(program);
    return upload_all(program, err);
}

bp_rc bp_opencl_compile(bp_instance *instance, const bp_graph *graph, const bp_compile *what,
                        bp_program **out, bp_err *err)
{
    struct bp_blocks memory = {.host = &instance->host};
    bp_program *program;
    bp_rc rc;

    *out = NULL;
    if (what->flags & BP_CRITICAL)
        return bp_fail(err, BP_E_UNSUPPORTED, "opencl: compile's flags 0x%x are not known",
                       what->flags);
    program = bp_blocks_get(&memory, sizeof *program);
    if (!program)
        return bp_fail(err, BP_E_NOMEM, "opencl: no memory for a program");
    *program = (bp_program){.memory = memory, .instance = instance, .graph = graph};
    rc = fill(program, err);
    if (rc < 0) {
        bp_opencl_program_free(program);
        return rc;
    }
    *out = program;
    return BP_OK;
}

void bp_opencl_program_free(bp_program *program)
{
    struct bp_blocks memory;

    if (!program)
        return;
    for (uint32_t i = 0; i < program->n_buffers; i++) {
        if (!program->buffers[i])
            continue;
        atomic_fetch_sub(&program->instance->weights, program->buffer_bytes[i]);
        bp_opencl_memory_free(program->instance, program->buffers[i]);
    }
    memory = program->memory; /* the program itself lies in it */
    bp_blocks_free(&memory);
}
