/* SPDX-License-Identifier: MIT */
/*
 * compile.c - makes a program of a group: the operators of its nodes, who reads which value how
 * often, and what runs fused.
 */

#include "compile.h"

#include "base/chain.h"
#include "base/instance.h"
#include "base/operator.h"
#include "base/program.h"
#include "build/concat_in_place.h"
#include "fuse/affine.h"
#include "fuse/post_op_chains.h"
#include "operators.h"

/* A node that reads a value twice counts twice, as both reads end with it. */
static void count_uses(bp_program *program)
{
    const bp_graph *graph = program->graph;

    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        const bp_node *node = BP_NODE(graph, i);

        for (uint32_t k = 0; k < node->n_in; k++) {
            if (node->in[k] != BP_NONE)
                program->uses[node->in[k]]++;
        }
    }
    for (uint32_t i = 0; i < graph->n_outputs; i++)
        program->uses[graph->outputs[i]]++;
}

/*
 * The host gives only nodes that were claimed; a program that is not such is refused, not trusted.
 */
static bp_rc find_ops(bp_program *program, bp_err *err)
{
    for (uint32_t i = 0; i < program->graph->n_nodes; i++) {
        const bp_node *node = BP_NODE(program->graph, i);
        uint32_t known_to;

        program->ops[i] = bp_dnnl_find_operator(node, &known_to);
        if (!program->ops[i] || node->n_out < 1 ||
            (node->out[0] == BP_NONE && program->ops[i]->n_out == 0)) {
            return bp_fail(err, BP_E_UNSUPPORTED, "dnnl: %s '%s' is not implemented", node->op,
                           node->name);
        }
    }
    return BP_OK;
}

/* Nothing is computed or packed yet: that needs shapes. */
bp_rc bp_dnnl_compile(bp_instance *instance, const bp_graph *graph, const bp_compile *what,
                      bp_program **out, bp_err *err)
{
    struct bp_blocks memory = {.host = &instance->host};
    bp_program *program;
    bp_rc rc;

    *out = NULL;
    if (what->flags & BP_CRITICAL)
        return bp_fail(err, BP_E_UNSUPPORTED, "dnnl: compile's flags 0x%x are not known",
                       what->flags);
    program = bp_blocks_array(&memory, 1, sizeof *program);
    if (!program)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for a program");
    *program = (bp_program){.memory = memory, .instance = instance, .graph = graph};
    program->ops = bp_blocks_array(&program->memory, graph->n_nodes, sizeof *program->ops);
    program->uses = bp_blocks_array(&program->memory, graph->n_values, sizeof *program->uses);
    program->chains = bp_blocks_array(&program->memory, graph->n_nodes, sizeof *program->chains);
    program->is_fused_away =
        bp_blocks_array(&program->memory, graph->n_nodes, sizeof *program->is_fused_away);
    program->concat_of =
        bp_blocks_array(&program->memory, graph->n_values, sizeof *program->concat_of);
    rc = program->ops && program->uses && program->chains && program->is_fused_away &&
                 program->concat_of
             ? find_ops(program, err)
             : bp_fail(err, BP_E_NOMEM, "dnnl: no memory for %u nodes", graph->n_nodes);
    if (rc < 0) {
        bp_dnnl_program_free(program);
        return rc;
    }
    count_uses(program);
    bp_dnnl_find_post_op_chains(program);
    bp_dnnl_find_affine_chains(program); /* of what is left */
    bp_dnnl_find_concats(program);
    *out = program;
    return BP_OK;
}

void bp_dnnl_program_free(bp_program *program)
{
    struct bp_blocks memory;

    if (!program)
        return;
    memory = program->memory; /* the program itself lies in it */
    bp_blocks_free(&memory);
}
