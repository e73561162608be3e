/* SPDX-License-Identifier: MIT */
/* table.c - the host operators, by domain and name. */

#include "config.h"

#include "exec/control/table.h"

#include <string.h>

#include "graph/custom.h"

/* Few rows, and looked up once a node when a subgraph is compiled: no order, no hashing. */
static const struct bp_host_op operators[] = {
    {"", "ConcatFromSequence", bp_host_op_concat_from_sequence},
    {"", "Identity", bp_host_op_identity},
    {"", "If", bp_host_op_if},
    {"", "Loop", bp_host_op_loop},
    {"", "Optional", bp_host_op_optional},
    {"", "OptionalGetElement", bp_host_op_optional_get},
    {"", "OptionalHasElement", bp_host_op_optional_has},
    {"", "Scan", bp_host_op_scan},
    {"", "SequenceAt", bp_host_op_sequence_at},
    {"", "SequenceConstruct", bp_host_op_sequence_construct},
    {"", "SequenceEmpty", bp_host_op_sequence_empty},
    {"", "SequenceErase", bp_host_op_sequence_erase},
    {"", "SequenceInsert", bp_host_op_sequence_insert},
    {"", "SequenceLength", bp_host_op_sequence_length},
    {"", "SequenceMap", bp_host_op_sequence_map},
    {"", "SplitToSequence", bp_host_op_split_to_sequence},
    {"ai.onnx.ml", "CastMap", bp_host_op_cast_map},
    {"ai.onnx.ml", "DictVectorizer", bp_host_op_dict_vectorizer},
    {"ai.onnx.ml", "ZipMap", bp_host_op_zip_map},
    {"com.microsoft", "BeamSearch", bp_host_op_beam_search},
    {"com.microsoft", "GreedySearch", bp_host_op_greedy_search},
    {"com.microsoft", "Sampling", bp_host_op_sampling},
    {"com.microsoft", "WhisperBeamSearch", bp_host_op_beam_search},
    {"com.microsoft", "SparseToDenseMatMul", bp_host_op_sparse_matmul},
};

/*
 * By the schema's domain, in which "ai.onnx" is "" already. A node without a schema is not an operator
 * that the host knows.
 */
const struct bp_host_op *bp_host_op_find(const struct bp_ir_node *node)
{
    static const struct bp_host_op of_the_application = {"", "", bp_host_op_custom};

    if (bp_custom_of(node->schema))
        return &of_the_application;
    for (size_t i = 0; node->schema && i < sizeof operators / sizeof operators[0]; i++) {
        if (strcmp(node->schema->domain, operators[i].domain) == 0 &&
            strcmp(node->op, operators[i].op) == 0)
            return &operators[i];
    }
    return NULL;
}
