/* SPDX-License-Identifier: MIT */
/* acl_op_compiler.h - compiling single operators of ACL. */
#ifndef BP_ACL_OP_COMPILER_H
#define BP_ACL_OP_COMPILER_H

#include <acl/acl_op.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Operators of the system, or of a program's own, which the simulator cannot compile. */
typedef enum aclCompileType { ACL_COMPILE_SYS = 0, ACL_COMPILE_UNREGISTERED = 1 } aclopCompileType;

/* Options of aclSetCompileopt(). */
typedef enum {
    ACL_PRECISION_MODE = 0,
    ACL_AICORE_NUM = 1,
    ACL_AUTO_TUNE_MODE = 2,
    ACL_OP_SELECT_IMPL_MODE = 3,
    ACL_OPTYPELIST_FOR_IMPLMODE = 4,
    ACL_OP_DEBUG_LEVEL = 5,
    ACL_DEBUG_DIR = 6,
    ACL_OP_COMPILER_CACHE_MODE = 7,
    ACL_OP_COMPILER_CACHE_DIR = 8,
    ACL_OP_PERFORMANCE_MODE = 9,
    ACL_OP_JIT_COMPILE = 10,
    ACL_OP_DETERMINISTIC = 11
} aclCompileOpt;

/*
 * Compiles unless an operator of the same type, attributes and descriptions is kept, and the second
 * queues it. An unknown type is ACL_ERROR_OP_NOT_FOUND; types, shapes or attributes that the
 * operator cannot take are ACL_ERROR_GE_FAILURE.
 */
ACL_FUNC_VISIBILITY aclError aclopCompile(const char *opType, int numInputs,
                                          const aclTensorDesc *const inputDesc[], int numOutputs,
                                          const aclTensorDesc *const outputDesc[],
                                          const aclopAttr *attr, aclopEngineType engineType,
                                          aclopCompileType compileFlag, const char *opPath);
ACL_FUNC_VISIBILITY aclError aclopCompileAndExecute(
    const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
    const aclDataBuffer *const inputs[], int numOutputs, const aclTensorDesc *const outputDesc[],
    aclDataBuffer *const outputs[], const aclopAttr *attr, aclopEngineType engineType,
    aclopCompileType compileFlag, const char *opPath, aclrtStream stream);
/* What is not known of the outputs' shapes is filled in. */
ACL_FUNC_VISIBILITY aclError
aclopCompileAndExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
                         aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[],
                         aclDataBuffer *outputs[], aclopAttr *attr, aclopEngineType engineType,
                         aclopCompileType compileFlag, const char *opPath, aclrtStream stream);

/*
 * Sets an option of the process for what is compiled later. The simulator follows
 * ACL_PRECISION_MODE: "force_fp16" rounds what float32 operators read and write to float16. The
 * others are stored.
 */
ACL_FUNC_VISIBILITY aclError aclSetCompileopt(aclCompileOpt opt, const char *value);
/* Bytes of an option's value, its final 0 included; 0: there is no such option. */
ACL_FUNC_VISIBILITY size_t aclGetCompileoptSize(aclCompileOpt opt); /* with the final 0 */
/* Copies the value; ACL_ERROR_INVALID_PARAM: `length` is less than that. */
ACL_FUNC_VISIBILITY aclError aclGetCompileopt(aclCompileOpt opt, char *value, size_t length);

#ifdef __cplusplus
}
#endif

#endif
