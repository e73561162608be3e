/* SPDX-License-Identifier: MIT */
/*
 * bp_ascend_graph.h - how the simulator builds offline models. NOT the vendor's: there, graphs are
 * put together in C++ (ge::Graph, aclgrphBuildModel, aclgrphSaveModel) or come from atc. The steps
 * are the same ones: operators of ACL with their descriptions, connected by tensors, become bytes
 * that aclmdlLoadFromMem() takes, or a file for aclmdlLoadFromFile(). The format of the bytes is
 * the simulator's own.
 *
 * One thread at a time may use a graph. ACL_ERROR_INVALID_PARAM: a NULL that may not be;
 * ACL_ERROR_BAD_ALLOC: no memory.
 */
#ifndef BP_ASCEND_GRAPH_H
#define BP_ASCEND_GRAPH_H

#include <acl/acl_base.h>
#include <acl/acl_op.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bp_ascend_graph bp_ascend_graph;

#define BP_ASCEND_NO_TENSOR UINT32_MAX         /* an optional input that is absent */
#define BP_ASCEND_GRAPH_PARAM_INVALID 50331649 /* what the vendor's builder says of its options */

/* An empty one, to be destroyed; NULL without memory. The name goes into the model. */
ACL_FUNC_VISIBILITY bp_ascend_graph *bp_ascend_graph_create(const char *name);
ACL_FUNC_VISIBILITY void bp_ascend_graph_destroy(bp_ascend_graph *graph); /* NULL is fine */

/*
 * "precision_mode", "op_select_impl_mode" or "optypelist_for_implmode", with the values of the
 * vendor's builder; "" is the default. BP_ASCEND_GRAPH_PARAM_INVALID: no such option or value.
 */
ACL_FUNC_VISIBILITY aclError bp_ascend_graph_option(bp_ascend_graph *graph, const char *key,
                                                    const char *value);

/*
 * Each adds a tensor of known shape and gives its number. After a failure the graph is only good
 * for being destroyed. A constant's bytes are copied and become weights.
 */
ACL_FUNC_VISIBILITY aclError bp_ascend_graph_input(bp_ascend_graph *graph, const char *name,
                                                   const aclTensorDesc *desc, uint32_t *tensor);
/* A constant: `size` bytes are copied, and become weights of the model. */
ACL_FUNC_VISIBILITY aclError bp_ascend_graph_constant(bp_ascend_graph *graph,
                                                      const aclTensorDesc *desc, const void *data,
                                                      size_t size, uint32_t *tensor);
/*
 * An operator that reads `inputs`, each described as the operator is to see it: the element type
 * and the number of elements are the tensor's, format and shape need not be. Its outputs are new
 * tensors, whose numbers go to `outputs`. `attr` may be NULL. Whether it can be compiled is seen in
 * building.
 */
ACL_FUNC_VISIBILITY aclError bp_ascend_graph_operator(bp_ascend_graph *graph, const char *opType,
                                                      int numInputs, const uint32_t inputs[],
                                                      const aclTensorDesc *const inputDesc[],
                                                      int numOutputs,
                                                      const aclTensorDesc *const outputDesc[],
                                                      const aclopAttr *attr, uint32_t outputs[]);
/*
 * An operator's output becomes one of the model's; once each. ACL_ERROR_GE_FAILURE: it is not
 * an operator's output, or is the model's already.
 */
ACL_FUNC_VISIBILITY aclError bp_ascend_graph_output(bp_ascend_graph *graph, const char *name,
                                                    uint32_t tensor);

/*
 * Builds for the thread's device: checks and compiles every operator, for which the host spends the
 * time. *model is the caller's, for bp_ascend_model_free(). As aclopCompile() fails, and
 * ACL_ERROR_GE_FAILURE for a graph without outputs.
 */
ACL_FUNC_VISIBILITY aclError bp_ascend_graph_build(const bp_ascend_graph *graph, void **model,
                                                   size_t *size);
ACL_FUNC_VISIBILITY void bp_ascend_model_free(void *model); /* NULL is fine */
/* Writes the file, all of it or nothing. ACL_ERROR_WRITE_FILE */
ACL_FUNC_VISIBILITY aclError bp_ascend_model_save(const char *path, const void *model, size_t size);

#ifdef __cplusplus
}
#endif

#endif
