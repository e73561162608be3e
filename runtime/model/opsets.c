/* SPDX-License-Identifier: MIT */
/*
 * opsets.c - the operator sets that a model imports: versions by domain (ModelProto.opset_import).
 */

#include "config.h"

#include <string.h>

#include "graph/schema_table.h"
#include "model/model.h"

/* ONNX gives its own domain two names. */
const char *bp_onnx_domain(const char *domain)
{
    return !domain || strcmp(domain, "ai.onnx") == 0 ? "" : domain;
}

/*
 * When a domain is imported twice the last counts, as in ONNX Runtime. Version 0 has no operators:
 * some converters import it for sets that no node uses.
 */
static bp_rc add_opset(struct bp_strmap *opsets, const Bp__OperatorSetIdProto *proto, bp_err *err)
{
    const char *domain = bp_onnx_domain(proto->domain);

    if (proto->version < 0 || proto->version >= INT32_MAX)
        return bp_fail(err, BP_E_VERSION, "imports version %lld of operator set '%.80s'",
                       (long long)proto->version, domain);
    if (!bp_strmap_put(opsets, domain, (uint32_t)proto->version))
        return bp_fail_nomem(err, "operator sets");
    return BP_OK;
}

bp_rc bp_onnx_read_opsets(struct bp_strmap *opsets, Bp__OperatorSetIdProto *const *protos, size_t n,
                          bp_err *err)
{
    bp_rc rc = BP_OK;

    for (size_t i = 0; i < n && rc >= 0; i++)
        rc = add_opset(opsets, protos[i], err);
    return rc;
}

uint32_t bp_onnx_opset_of(const struct bp_onnx *onnx, const char *domain)
{
    uint32_t version = bp_strmap_get(&onnx->opsets, domain, BP_NONE);
    uint32_t newest = bp_schema_newest(domain);

    if (version != BP_NONE)
        return version;
    return newest ? newest : 1;
}
