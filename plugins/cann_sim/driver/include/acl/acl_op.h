/* SPDX-License-Identifier: MIT */
/* acl_op.h - single operators of ACL: attributes, and running what is compiled already. */
#ifndef BP_ACL_OP_H
#define BP_ACL_OP_H

#include <acl/acl_base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclopAttr aclopAttr;
typedef struct aclopHandle aclopHandle;

/* Which engine runs an operator; the simulator has one. */
typedef enum { ACL_ENGINE_SYS = 0, ACL_ENGINE_AICORE = 1, ACL_ENGINE_VECTOR = 2 } aclopEngineType;

/*
 * A set of attributes, the caller's to destroy; NULL: no memory. Names and values are copied, an
 * old value is replaced. One thread at a time may use a set.
 */
ACL_FUNC_VISIBILITY aclopAttr *aclopCreateAttr(void);
/* NULL is fine. */
ACL_FUNC_VISIBILITY void aclopDestroyAttr(const aclopAttr *attr);
ACL_FUNC_VISIBILITY aclError aclopSetAttrBool(aclopAttr *attr, const char *attrName,
                                              uint8_t attrValue);
ACL_FUNC_VISIBILITY aclError aclopSetAttrInt(aclopAttr *attr, const char *attrName,
                                             int64_t attrValue);
ACL_FUNC_VISIBILITY aclError aclopSetAttrFloat(aclopAttr *attr, const char *attrName,
                                               float attrValue);
ACL_FUNC_VISIBILITY aclError aclopSetAttrString(aclopAttr *attr, const char *attrName,
                                                const char *attrValue);
ACL_FUNC_VISIBILITY aclError aclopSetAttrDataType(aclopAttr *attr, const char *attrName,
                                                  aclDataType attrValue);
/* Lists of numValues values, which may be 0. */
ACL_FUNC_VISIBILITY aclError aclopSetAttrListBool(aclopAttr *attr, const char *attrName,
                                                  int numValues, const uint8_t *values);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListInt(aclopAttr *attr, const char *attrName,
                                                 int numValues, const int64_t *values);
ACL_FUNC_VISIBILITY aclError aclopSetAttrListFloat(aclopAttr *attr, const char *attrName,
                                                   int numValues, const float *values);

/*
 * How many compiled operators are kept; more, and the one used longest ago is forgotten. Not 0.
 * The key "max_opqueue_num" of the file given to aclInit() says the same.
 */
ACL_FUNC_VISIBILITY aclError aclopSetMaxOpQueueNum(uint64_t maxOpNum);

/*
 * Queues an operator that was compiled. ACL_ERROR_OP_NOT_FOUND: it was not, or was forgotten.
 * ACL_ERROR_OP_INPUT_NOT_MATCH, ACL_ERROR_OP_OUTPUT_NOT_MATCH: a buffer is missing or too small.
 * Bad addresses are seen at the next synchronisation.
 */
ACL_FUNC_VISIBILITY aclError aclopExecute(const char *opType, int numInputs,
                                          const aclTensorDesc *const inputDesc[],
                                          const aclDataBuffer *const inputs[], int numOutputs,
                                          const aclTensorDesc *const outputDesc[],
                                          aclDataBuffer *const outputs[], const aclopAttr *attr,
                                          aclrtStream stream);
/* The same; what is not known of the outputs' shapes is filled in. */
ACL_FUNC_VISIBILITY aclError aclopExecuteV2(const char *opType, int numInputs,
                                            aclTensorDesc *inputDesc[], aclDataBuffer *inputs[],
                                            int numOutputs, aclTensorDesc *outputDesc[],
                                            aclDataBuffer *outputs[], aclopAttr *attr,
                                            aclrtStream stream);

/* A handle keeps its operator from being forgotten. */
ACL_FUNC_VISIBILITY aclError aclopCreateHandle(const char *opType, int numInputs,
                                               const aclTensorDesc *const inputDesc[],
                                               int numOutputs,
                                               const aclTensorDesc *const outputDesc[],
                                               const aclopAttr *opAttr, aclopHandle **handle);
/* NULL is fine; what is queued still runs. */
ACL_FUNC_VISIBILITY void aclopDestroyHandle(aclopHandle *handle);
/* As aclopExecute(), with as many buffers as the operator has inputs and outputs. */
ACL_FUNC_VISIBILITY aclError aclopExecWithHandle(aclopHandle *handle, int numInputs,
                                                 const aclDataBuffer *const inputs[],
                                                 int numOutputs, aclDataBuffer *const outputs[],
                                                 aclrtStream stream);

/* Fills in the outputs' shapes from inputs and attributes; compiles and runs nothing. */
ACL_FUNC_VISIBILITY aclError aclopInferShape(const char *opType, int numInputs,
                                             aclTensorDesc *inputDesc[], aclDataBuffer *inputs[],
                                             int numOutputs, aclTensorDesc *outputDesc[],
                                             aclopAttr *attr);

#ifdef __cplusplus
}
#endif

#endif
