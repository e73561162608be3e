/* SPDX-License-Identifier: MIT */
/* compile.c - makes a program of a group: its rows, its constants, and what operators pack. */

#include "program.h"

/* What an element's address must be a multiple of. */
static size_t alignment(uint32_t dtype)
{
    size_t width = bp_cpu_width(dtype);

    return width > 8 ? 8 : width ? width : 1;
}

/* Bytes that a constant's shape needs; false: the shape is not exact or does not fit. */
static bool constant_bytes(const bp_value *value, size_t *out)
{
    int64_t dims[BP_CPU_MAX_RANK];
    bp_shape shape = {dims, value->rank, value->dtype};

    if (value->rank > BP_CPU_MAX_RANK)
        return false;
    for (uint32_t i = 0; i < value->rank; i++)
        dims[i] = value->dims[i].value;
    return bp_cpu_shape_bytes(&shape, out);
}

/* Fetches constant `index`, once; a use that needs aligned elements copies what is not. */
static bp_rc fetch_constant(bp_program *program, uint32_t index, bool needs_alignment, bp_err *err)
{
    const bp_value *value = BP_VALUE(program->graph, index);
    bp_span *constant = &program->constants[index];
    size_t bytes;
    void *copy;
    bp_rc rc;

    if (!constant->data) {
        rc = program->host->constant(program->host->h, program->graph, index, constant, err);
        if (rc < 0)
            return rc;
        if (!constant_bytes(value, &bytes) || bytes > constant->size) {
            return bp_fail(err, BP_E_INVALID,
                           "constant '%s' has %zu bytes, which is not what its shape says",
                           value->name, constant->size);
        }
        constant->size = bytes;
    }
    if (constant->data &&
        (!needs_alignment || (uintptr_t)constant->data % alignment(value->dtype) == 0))
        return BP_OK;

    copy = bp_blocks_get(&program->memory, constant->size);
    if (!copy)
        return bp_fail(err, BP_E_NOMEM, "no memory for a copy of constant '%s'", value->name);
    if (constant->size > 0)
        memcpy(copy, constant->data, constant->size);
    constant->data = copy;
    return BP_OK;
}

/* Finds the row of a node and fetches its constants. */
static bp_rc prepare_node(bp_instance *instance, bp_program *program, uint32_t index, bp_err *err)
{
    const bp_graph *graph = program->graph;
    const bp_node *node = BP_NODE(graph, index);
    uint32_t known_at;
    const struct bp_cpu_op *op =
        bp_cpu_find_op(&instance->index, node->domain, node->op, node->since, &known_at);
    bp_rc rc;

    if (!op) {
        return bp_fail(err, BP_E_UNSUPPORTED, "%s '%s': version %u is not implemented", node->op,
                       node->name, node->since);
    }
    for (uint32_t i = 0; i < node->n_in; i++) {
        bool is_raw = i == 1 && op->flags & BP_CPU_RAW_WEIGHTS;

        if (node->in[i] == BP_NONE || !(BP_VALUE(graph, node->in[i])->flags & BP_VALUE_CONSTANT))
            continue;
        rc = fetch_constant(program, node->in[i], !is_raw, err);
        if (rc < 0)
            return rc;
    }
    program->nodes[index] = (struct bp_cpu_node){
        .op = op,
        .host = program->host,
        .graph = graph,
        .node = node,
        .constants = program->constants,
        .memory = &program->memory,
        .use_blas = instance->use_blas,
    };
    return BP_OK;
}

/* Packs after all constants have been fetched, because a node keeps pointers to them. */
static bp_rc pack_all(bp_program *program, bp_err *err)
{
    for (; program->n_packed < program->graph->n_nodes; program->n_packed++) {
        struct bp_cpu_node *node = &program->nodes[program->n_packed];

        if (node->op->pack) {
            bp_rc rc = node->op->pack(node, err);

            if (rc < 0)
                return rc;
        }
    }
    return BP_OK;
}

bp_rc bp_cpu_compile(bp_instance *instance, const bp_graph *graph, const bp_compile *what,
                     bp_program **out, bp_err *err)
{
    struct bp_blocks memory = {.host = &instance->host};
    bp_program *program;
    bp_rc rc = BP_OK;

    *out = NULL;
    if (what->flags & BP_CRITICAL)
        return bp_fail(err, BP_E_UNSUPPORTED, "compile: flags 0x%x are not known", what->flags);
    program = bp_blocks_get(&memory, sizeof *program);
    if (!program)
        return bp_fail(err, BP_E_NOMEM, "no memory for a program");
    program->memory = memory;
    program->host = &instance->host;
    program->graph = graph;
    program->nodes = bp_blocks_array(&program->memory, graph->n_nodes, sizeof *program->nodes);
    program->constants =
        bp_blocks_array(&program->memory, graph->n_values, sizeof *program->constants);
    if (!program->nodes || !program->constants)
        rc = bp_fail(err, BP_E_NOMEM, "no memory for a program of %u nodes", graph->n_nodes);

    for (uint32_t i = 0; i < graph->n_nodes && rc >= 0; i++)
        rc = prepare_node(instance, program, i, err);
    if (rc >= 0)
        rc = pack_all(program, err);
    if (rc < 0) {
        bp_cpu_program_free(program);
        return rc;
    }
    *out = program;
    return BP_OK;
}

void bp_cpu_program_free(bp_program *program)
{
    struct bp_blocks memory;

    if (!program)
        return;
    for (uint32_t i = 0; i < program->n_packed; i++) {
        struct bp_cpu_node *node = &program->nodes[i];

        if (node->op->unpack)
            node->op->unpack(node);
    }
    bp_blocks_free_spare(program->host, &program->spare);
    memory = program->memory; /* the program itself lies in it */
    bp_blocks_free(&memory);
}
