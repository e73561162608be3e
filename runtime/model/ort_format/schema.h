/* SPDX-License-Identifier: MIT */
/*
 * schema.h - tables and fields of ONNX Runtime's own format (.ort), a FlatBuffer. A field's number is
 * its index in the table of ONNX Runtime's schema (ort.fbs). Fields that are neither read nor written
 * are not listed: kernel hashes and type constraints, doc strings of nodes and values.
 */
#ifndef BP_MODEL_ORT_FORMAT_SCHEMA_H
#define BP_MODEL_ORT_FORMAT_SCHEMA_H

#include "base/flat.h"

#define BP_ORT_IDENTIFIER "ORTM"

enum {
    /*
     * What versions add: 2 sparse initializers, 3 the graph's doc string, 6 8-bit floats; 4 and 5 change
     * how kernels are identified, which is not read.
     */
    BP_ORT_VERSION_FIRST = 1,
    BP_ORT_VERSION_LAST = 6,
    /*
     * From version 5 on a file has the type constraints of its kernels, which are part of ONNX Runtime's
     * operator definitions. For version 4, full builds of ONNX Runtime look them up; minimal builds
     * can't, and only read what ONNX Runtime's converter makes.
     */
    BP_ORT_VERSION_WRITTEN = 4,
    /* TypeInfo.value_type */
    BP_ORT_TENSOR_TYPE = 1,
    BP_ORT_SEQUENCE_TYPE = 2,
    BP_ORT_MAP_TYPE = 3,
    /* DimensionValue.dim_type */
    BP_ORT_DIM_VALUE = 1,
    BP_ORT_DIM_PARAM = 2,
    /* Node.type */
    BP_ORT_NODE_FUSED = 1
};

#define BP_ORT_FIELD(name, number, words) static const struct bp_flat_field name = {number, words}

BP_ORT_FIELD(bp_ort_session_version, 0, "InferenceSession.ort_version");
BP_ORT_FIELD(bp_ort_session_model, 1, "InferenceSession.model");

BP_ORT_FIELD(bp_ort_model_ir_version, 0, "Model.ir_version");
BP_ORT_FIELD(bp_ort_model_imports, 1, "Model.opset_import");
BP_ORT_FIELD(bp_ort_model_producer, 2, "Model.producer_name");
BP_ORT_FIELD(bp_ort_model_producer_version, 3, "Model.producer_version");
BP_ORT_FIELD(bp_ort_model_domain, 4, "Model.domain");
BP_ORT_FIELD(bp_ort_model_version, 5, "Model.model_version");
BP_ORT_FIELD(bp_ort_model_doc, 6, "Model.doc_string");
BP_ORT_FIELD(bp_ort_model_graph, 7, "Model.graph");
BP_ORT_FIELD(bp_ort_model_graph_doc, 8, "Model.graph_doc_string");
BP_ORT_FIELD(bp_ort_model_metadata, 9, "Model.metadata_props");

BP_ORT_FIELD(bp_ort_import_domain, 0, "OperatorSetId.domain");
BP_ORT_FIELD(bp_ort_import_version, 1, "OperatorSetId.version");

BP_ORT_FIELD(bp_ort_entry_key, 0, "StringStringEntry.key");
BP_ORT_FIELD(bp_ort_entry_value, 1, "StringStringEntry.value");

BP_ORT_FIELD(bp_ort_graph_initializers, 0, "Graph.initializers");
BP_ORT_FIELD(bp_ort_graph_args, 1, "Graph.node_args");
BP_ORT_FIELD(bp_ort_graph_nodes, 2, "Graph.nodes");
BP_ORT_FIELD(bp_ort_graph_max_node, 3, "Graph.max_node_index");
BP_ORT_FIELD(bp_ort_graph_edges, 4, "Graph.node_edges");
BP_ORT_FIELD(bp_ort_graph_inputs, 5, "Graph.inputs");
BP_ORT_FIELD(bp_ort_graph_outputs, 6, "Graph.outputs");
BP_ORT_FIELD(bp_ort_graph_sparse, 7, "Graph.sparse_initializers");
BP_ORT_FIELD(bp_ort_graph_optimizations, 8, "Graph.runtime_optimizations");

BP_ORT_FIELD(bp_ort_optimizations_records, 0, "RuntimeOptimizations.records");

BP_ORT_FIELD(bp_ort_node_name, 0, "Node.name");
BP_ORT_FIELD(bp_ort_node_domain, 2, "Node.domain");
BP_ORT_FIELD(bp_ort_node_since, 3, "Node.since_version");
BP_ORT_FIELD(bp_ort_node_index, 4, "Node.index");
BP_ORT_FIELD(bp_ort_node_op, 5, "Node.op_type");
BP_ORT_FIELD(bp_ort_node_type, 6, "Node.type");
BP_ORT_FIELD(bp_ort_node_provider, 7, "Node.execution_provider_type");
BP_ORT_FIELD(bp_ort_node_inputs, 8, "Node.inputs");
BP_ORT_FIELD(bp_ort_node_outputs, 9, "Node.outputs");
BP_ORT_FIELD(bp_ort_node_attributes, 10, "Node.attributes");
BP_ORT_FIELD(bp_ort_node_arg_counts, 11, "Node.input_arg_counts");
BP_ORT_FIELD(bp_ort_node_implicit, 12, "Node.implicit_inputs");

BP_ORT_FIELD(bp_ort_edge_node, 0, "NodeEdge.node_index");
BP_ORT_FIELD(bp_ort_edge_inputs, 1, "NodeEdge.input_edges");
BP_ORT_FIELD(bp_ort_edge_outputs, 2, "NodeEdge.output_edges");

BP_ORT_FIELD(bp_ort_attr_name, 0, "Attribute.name");
BP_ORT_FIELD(bp_ort_attr_type, 2, "Attribute.type");
BP_ORT_FIELD(bp_ort_attr_f, 3, "Attribute.f");
BP_ORT_FIELD(bp_ort_attr_i, 4, "Attribute.i");
BP_ORT_FIELD(bp_ort_attr_s, 5, "Attribute.s");
BP_ORT_FIELD(bp_ort_attr_t, 6, "Attribute.t");
BP_ORT_FIELD(bp_ort_attr_g, 7, "Attribute.g");
BP_ORT_FIELD(bp_ort_attr_floats, 8, "Attribute.floats");
BP_ORT_FIELD(bp_ort_attr_ints, 9, "Attribute.ints");
BP_ORT_FIELD(bp_ort_attr_strings, 10, "Attribute.strings");
BP_ORT_FIELD(bp_ort_attr_tensors, 11, "Attribute.tensors");
BP_ORT_FIELD(bp_ort_attr_graphs, 12, "Attribute.graphs");

BP_ORT_FIELD(bp_ort_tensor_name, 0, "Tensor.name");
BP_ORT_FIELD(bp_ort_tensor_dims, 2, "Tensor.dims");
BP_ORT_FIELD(bp_ort_tensor_type, 3, "Tensor.data_type");
BP_ORT_FIELD(bp_ort_tensor_raw, 4, "Tensor.raw_data");
BP_ORT_FIELD(bp_ort_tensor_strings, 5, "Tensor.string_data");
BP_ORT_FIELD(bp_ort_tensor_external, 6, "Tensor.external_data_offset");

BP_ORT_FIELD(bp_ort_sparse_values, 0, "SparseTensor.values");
BP_ORT_FIELD(bp_ort_sparse_indices, 1, "SparseTensor.indices");
BP_ORT_FIELD(bp_ort_sparse_dims, 2, "SparseTensor.dims");

BP_ORT_FIELD(bp_ort_value_name, 0, "ValueInfo.name");
BP_ORT_FIELD(bp_ort_value_type, 2, "ValueInfo.type");

BP_ORT_FIELD(bp_ort_type_which, 1, "TypeInfo.value_type");
BP_ORT_FIELD(bp_ort_type_value, 2, "TypeInfo.value");
BP_ORT_FIELD(bp_ort_tensor_type_element, 0, "TensorTypeAndShape.elem_type");
BP_ORT_FIELD(bp_ort_tensor_type_shape, 1, "TensorTypeAndShape.shape");
BP_ORT_FIELD(bp_ort_sequence_element, 0, "SequenceType.elem_type");
BP_ORT_FIELD(bp_ort_map_key, 0, "MapType.key_type");
BP_ORT_FIELD(bp_ort_map_value, 1, "MapType.value_type");

BP_ORT_FIELD(bp_ort_shape_dims, 0, "Shape.dim");
BP_ORT_FIELD(bp_ort_dim_value, 0, "Dimension.value");
BP_ORT_FIELD(bp_ort_dim_value_type, 0, "DimensionValue.dim_type");
BP_ORT_FIELD(bp_ort_dim_value_value, 1, "DimensionValue.dim_value");
BP_ORT_FIELD(bp_ort_dim_value_param, 2, "DimensionValue.dim_param");

#undef BP_ORT_FIELD

#endif
