/* SPDX-License-Identifier: MIT */
/* provider_ops.h - operators that the providers of a session declare (bp_provider.schemas). */
#ifndef BP_GRAPH_PROVIDER_OPS_H
#define BP_GRAPH_PROVIDER_OPS_H

#include "base/log.h"
#include "graph/operands.h"

/* A declared operator as a row of the schemas. */
struct bp_provider_op {
    struct bp_schema schema; /* first, and with is_provider_op */
    struct bp_operand_counts least;
    uint32_t until; /* 0: and all later versions */
    bp_rc (*shapes)(const bp_op_shapes *node, bp_err *err);
    const char *provider; /* that declares it, the first of them */
};

/* Rows never move and live as long as the region that they were added from. Start from {0}. */
struct bp_provider_ops {
    struct bp_provider_op **rows;
    uint32_t count, cap;
};

/*
 * Adds what a provider declares, under its short name; names and rows are copied into the region,
 * shape rules stay in the plug-in. What the host knows in the domain com.microsoft is left out,
 * with a warning in the log. BP_E_INVALID: a row is not sound, is in a domain of ONNX or the host,
 * or another provider declares the same version of the operator in other words; then nothing of the
 * provider was added. BP_E_NOMEM.
 */
bp_rc bp_provider_ops_add(struct bp_provider_ops *ops, struct bp_region *region, const char *name,
                          const bp_provider *provider, const struct bp_log *log,
                          bp_err *err) BP_CHECKED;
/* The row in force at imported version `opset`; NULL: none. */
const struct bp_schema *bp_provider_ops_find(const struct bp_provider_ops *ops, const char *domain,
                                             const char *op, uint32_t opset);

/* The declaration behind a schema; NULL: it is not a provider's. */
static inline const struct bp_provider_op *bp_provider_op_of(const struct bp_schema *schema)
{
    return schema && schema->is_provider_op ? (const struct bp_provider_op *)(const void *)schema
                                            : NULL;
}

#endif
