/* SPDX-License-Identifier: MIT */
/*
 * compile.c - makes a program of a group: the operators of its nodes, and its constants on the
 * device, where frames of all sizes read them.
 */

#include "compile.h"

#include "base/memory.h"
#include "base/own_graph.h"
#include "base/program.h"
#include "base/shared.h"
#include "operators.h"

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

/* A buffer while it is filled. */
struct filling {
    bp_program *program;
    uint32_t index;
};

static bp_rc upload(const bp_program *program, uint32_t v, cl_mem buffer, bp_err *err)
{
    const bp_instance *instance = program->instance;
    bp_span bytes;
    cl_int code;
    bp_rc rc = bp_opencl_constant(&instance->host, program->graph, v, &bytes, err);

    if (rc < 0 || bytes.size == 0)
        return rc;
    code = instance->cl->clEnqueueWriteBuffer(instance->queue, buffer, CL_TRUE,
                                              (size_t)program->constants[v].offset, bytes.size,
                                              bytes.data, 0, NULL, NULL);
    if (code != CL_SUCCESS)
        return bp_opencl_fail(err, code, "clEnqueueWriteBuffer for '%s'",
                              BP_VALUE(program->graph, v)->name);
    return BP_OK;
}

/* bp_opencl_fill_fn: what it has made when it fails is freed. */
static bp_rc fill_buffer(void *u, cl_mem *out, bp_err *err)
{
    const struct filling *f = u;
    const bp_program *program = f->program;
    bp_rc rc = bp_opencl_memory_alloc(program->instance, (size_t)program->buffer_bytes[f->index],
                                      out, err);

    for (uint32_t v = 0; v < program->graph->n_values && rc >= 0; v++) {
        if (program->constants[v].buffer == f->index)
            rc = upload(program, v, *out, err);
    }
    if (rc < 0) {
        bp_opencl_memory_free(program->instance, *out);
        *out = NULL;
    }
    return rc;
}

/* Which bytes a constant has: the host's number, or two sums of the bytes. */
struct constant_key {
    uint64_t ids[3], offset, bytes;
};

static bp_rc make_key(const bp_program *program, uint32_t v, struct constant_key *key, bp_err *err)
{
    const bp_value *value = BP_VALUE(program->graph, v);
    bp_span bytes;
    bp_rc rc;

    *key = (struct constant_key){.ids = {value->const_id},
                                 .offset = program->constants[v].offset,
                                 .bytes = value->const_bytes};
    if (value->const_id != 0)
        return BP_OK;
    rc = bp_opencl_constant(&program->instance->host, program->graph, v, &bytes, err);
    if (rc >= 0) {
        key->ids[1] = bp_opencl_sum(BP_OPENCL_SUM, bytes.data, bytes.size);
        key->ids[2] = bp_opencl_sum(~BP_OPENCL_SUM, bytes.data, bytes.size);
    }
    return rc;
}

/* The buffer of these constants, which another program of this process may have made. */
static bp_rc get_buffer(bp_program *program, uint32_t i, struct constant_key *keys, bp_err *err)
{
    bp_instance *instance = program->instance;
    struct filling f = {program, i};
    uint64_t n = program->buffer_bytes[i];
    uint32_t n_keys = 0;
    bool is_new;
    bp_rc rc = BP_OK;

    for (uint32_t v = 0; v < program->graph->n_values && rc >= 0; v++) {
        if (program->constants[v].buffer == i)
            rc = make_key(program, v, &keys[n_keys++], err);
    }
    if (rc < 0)
        return rc;
    rc = bp_opencl_shared_get(instance->shared, keys, n_keys * sizeof *keys, fill_buffer, &f,
                              &program->buffers[i], &is_new, err);
    if (rc >= 0 && !is_new) {
        rc = bp_opencl_memory_count(instance, (size_t)n, err);
        if (rc < 0) {
            if (bp_opencl_shared_put(instance->shared, program->buffers[i]))
                instance->cl->clReleaseMemObject(program->buffers[i]);
            program->buffers[i] = NULL;
        }
    }
    if (rc >= 0)
        atomic_fetch_add(&instance->weights, n);
    return rc;
}

static void put_buffer(bp_program *program, uint32_t i)
{
    bp_instance *instance = program->instance;
    uint64_t n = program->buffer_bytes[i];

    if (!program->buffers[i])
        return;
    atomic_fetch_sub(&instance->weights, n);
    if (bp_opencl_shared_put(instance->shared, program->buffers[i]))
        bp_opencl_memory_free(instance, program->buffers[i]);
    else
        atomic_fetch_sub(&instance->used, n);
}

/* The host may let go of the bytes that are on the device. */
static void tell_done(const bp_program *program)
{
    const bp_host *host = &program->instance->host;
    const bp_ext_constants *table =
        host->extension ? host->extension(host->h, BP_EXT_CONSTANTS) : NULL;
    bp_ext_constants constants = {0};

    if (!table || bp_opencl_is_own(program->graph))
        return;
    bp_copy_in(&constants, sizeof constants, table);
    for (uint32_t v = 0; constants.done && v < program->graph->n_values; v++) {
        if (program->constants[v].buffer != BP_NONE)
            constants.done(host->h, program->graph, v);
    }
}

static bp_rc upload_all(bp_program *program, bp_err *err)
{
    struct constant_key *keys =
        bp_blocks_array(&program->memory, program->graph->n_values, sizeof *keys);
    bp_rc rc = keys ? BP_OK : bp_fail(err, BP_E_NOMEM, "opencl: no memory for constants");

    for (uint32_t i = 0; i < program->n_buffers && rc >= 0; i++)
        rc = get_buffer(program, i, keys, err);
    if (rc >= 0)
        tell_done(program);
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

bp_rc bp_opencl_program_create(bp_instance *instance, struct bp_blocks *memory,
                               const bp_graph *graph, bp_program **out, bp_err *err)
{
    bp_program *program = bp_blocks_get(memory, sizeof *program);
    bp_rc rc;

    if (!program) {
        bp_blocks_free(memory);
        return bp_fail(err, BP_E_NOMEM, "opencl: no memory for a program");
    }
    *program = (bp_program){.memory = *memory, .instance = instance, .graph = graph};
    rc = fill(program, err);
    if (rc < 0) {
        bp_opencl_program_free(program);
        return rc;
    }
    *out = program;
    return BP_OK;
}

bp_rc bp_opencl_compile(bp_instance *instance, const bp_graph *graph, const bp_compile *what,
                        bp_program **out, bp_err *err)
{
    struct bp_blocks memory = {.host = &instance->host};

    *out = NULL;
    if (what->flags & BP_CRITICAL)
        return bp_fail(err, BP_E_UNSUPPORTED, "opencl: compile's flags 0x%x are not known",
                       what->flags);
    return bp_opencl_program_create(instance, &memory, graph, out, err);
}

void bp_opencl_program_free(bp_program *program)
{
    struct bp_blocks memory;

    if (!program)
        return;
    for (uint32_t i = 0; i < program->n_buffers; i++)
        put_buffer(program, i);
    memory = program->memory; /* the program itself lies in it */
    bp_blocks_free(&memory);
}
