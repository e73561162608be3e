/* SPDX-License-Identifier: MIT */
/*
 * imports.c - one version of each operator set for a file, though inlined functions may have
 * brought nodes of others.
 *
 * An ONNX file imports each domain once. A version suits a node if the operator's definition did
 * not change between it and the node's own.
 */

#include "config.h"

#include "graph/custom.h"
#include "graph/schema_table.h"
#include "model/write/write.h"

/* ---- domains --------------------------------------------------------------------------------- */

static struct bp_import *find(struct bp_writer *w, const char *domain)
{
    for (uint32_t i = 0; i < w->n_imports; i++) {
        if (strcmp(w->imports[i].domain, domain) == 0)
            return &w->imports[i];
    }
    return NULL;
}

static bp_rc add(struct bp_writer *w, const char *domain, uint32_t version, bp_err *err)
{
    uint32_t n = w->n_imports;
    struct bp_import *grown;

    if (find(w, domain))
        return BP_OK;
    if ((n & (n - 1)) == 0) { /* full at 1, 2, 4...: double it */
        grown = bp_region_array(&w->region, n > 0 ? n * 2u : 1u, sizeof *grown);
        if (!grown)
            return bp_fail_nomem(err, "the operator sets");
        if (n > 0)
            memcpy(grown, w->imports, n * sizeof *grown);
        w->imports = grown;
    }
    w->imports[w->n_imports++] = (struct bp_import){.domain = domain, .version = version};
    return BP_OK;
}

/* Domains of all nodes, subgraphs too; those that the model imports come first. */
static bp_rc list_domains(struct bp_writer *w, const struct bp_ir *ir, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; n < ir->n_nodes && rc >= 0; n++) {
        const struct bp_ir_node *node = &ir->nodes[n];

        rc = add(w, node->domain, node->opset, err);
        if (rc >= 0)
            find(w, node->domain)->is_used = true;
        for (uint32_t b = 0; b < node->n_subgraphs && rc >= 0; b++)
            rc = list_domains(w, node->subgraphs[b], err);
    }
    return rc;
}

/* ---- versions -------------------------------------------------------------------------------- */

/* Schemas that share inference, parameters and attributes define the same operator. */
static bool same_meaning(const struct bp_schema *a, const struct bp_schema *b)
{
    return a == b || (a && b && a->infer == b->infer && a->in == b->in && a->out == b->out &&
                      a->attrs == b->attrs);
}

/* Would the node mean the same under that version? */
static bool fits(const struct bp_ir_node *node, uint32_t version)
{
    return node->opset == version || node->opset == 0 ||
           (node->schema && !bp_custom_of(node->schema) && !bp_provider_op_of(node->schema) &&
            same_meaning(node->schema, bp_schema_find(node->domain, node->op, version)));
}

/* The first node of the domain that would mean something else; NULL: none. */
static const struct bp_ir_node *find_misfit(const struct bp_ir *ir, const char *domain,
                                            uint32_t version)
{
    for (uint32_t n = 0; n < ir->n_nodes; n++) {
        const struct bp_ir_node *node = &ir->nodes[n];

        if (strcmp(node->domain, domain) == 0 && !fits(node, version))
            return node;
        for (uint32_t b = 0; b < node->n_subgraphs; b++) {
            const struct bp_ir_node *inner = find_misfit(node->subgraphs[b], domain, version);

            if (inner)
                return inner;
        }
    }
    return NULL;
}

/* The model's own version if it suits all nodes, else the lowest that does. */
static bp_rc choose(struct bp_import *import, const struct bp_ir *ir, bp_err *err)
{
    const struct bp_ir_node *misfit = find_misfit(ir, import->domain, import->version);
    uint32_t last = bp_schema_newest(import->domain);

    for (uint32_t version = 1; misfit && version <= last; version++) {
        if (find_misfit(ir, import->domain, version))
            continue;
        import->version = version;
        return BP_OK;
    }
    if (!misfit)
        return BP_OK;
    return bp_fail(err, BP_E_UNSUPPORTED,
                   "node '%s' is %s of version %u, other nodes are of version %u of the operators, "
                   "and a file has one version for all; the node came out of a function with "
                   "operators of its own",
                   misfit->name, misfit->op, misfit->opset, import->version);
}

bp_rc bp_write_imports(struct bp_writer *w, const struct bp_ir *ir, bp_err *err)
{
    const char *domain;
    int64_t version = 0;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && (domain = bp_onnx_opset(w->onnx, i, &version)); i++)
        rc = add(w, domain, bp_onnx_opset_of(w->onnx, domain), err);
    if (rc >= 0)
        rc = list_domains(w, ir, err);
    for (uint32_t i = 0; i < w->n_imports && rc >= 0; i++)
        rc = choose(&w->imports[i], ir, err);
    return rc;
}
