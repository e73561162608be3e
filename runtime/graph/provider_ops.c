/* SPDX-License-Identifier: MIT */
/* provider_ops.c - operators that the providers of a session declare: checked, found, inferred. */

#include "config.h"

#include "graph/provider_ops.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <bp/sdk.h>

#include "graph/schema_table.h"

enum {
    MAX_SCHEMAS = 4096,  /* of a provider; the host has about 700 */
    MAX_OPERANDS = 1024, /* of a side of an operator */
    MAX_ATTRS = 64       /* of an operator: a bit each in seal_node.c */
};

/* ---- the shape rule -------------------------------------------------------------------------- */

/* bp_op_shapes.set. */
static bp_rc set_output(void *h, uint32_t out, uint32_t dtype, uint32_t rank, const bp_dim *dims,
                        bp_err *err)
{
    return bp_operand_set(h, out, dtype, rank, dims, false, err);
}

/* Calls the provider's rule with what is known of the inputs. */
static bp_rc call_rule(const struct bp_provider_op *op, struct bp_infer *infer)
{
    const struct bp_ir_node *node = infer->node;
    bp_operator_fact *in = bp_region_array(infer->region, node->n_in, sizeof *in);
    bp_op_shapes shapes = {
        .struct_size = sizeof shapes,
        .version = node->opset,
        .h = infer,
        .n_in = node->n_in,
        .in_stride = sizeof *in,
        .n_attrs = node->n_attrs,
        .attr_stride = sizeof *node->attrs,
        .in = in,
        .attrs = node->attrs,
        .n_out = node->n_out,
        .set = set_output,
    };
    bp_rc rc = in ? BP_OK : bp_fail_nomem(infer->err, "shapes");

    for (uint32_t i = 0; rc >= 0 && i < node->n_in; i++)
        rc = bp_operand_fact(infer, i, &in[i], infer->err);
    if (rc < 0)
        return rc;
    bp_err_clear(infer->err);
    rc = bp_err_complete(infer->err, op->shapes(&shapes, infer->err));
    return rc < 0 ? bp_fail_in(infer->err, rc, "shape rule of provider '%s'", op->provider) : BP_OK;
}

static bp_rc infer_declared(struct bp_infer *infer)
{
    const struct bp_provider_op *op = bp_provider_op_of(infer->node->schema);
    bp_rc rc = bp_operands_check_counts(infer, &op->least);

    if (rc >= 0 && op->shapes)
        rc = call_rule(op, infer);
    return rc < 0 ? rc : bp_operands_set_types(infer);
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* A name that only ONNX or the host gives operators in. */
static bool is_taken_domain(const char *domain)
{
    static const char *const taken[] = {"",
                                        "ai.onnx",
                                        "ai.onnx.ml",
                                        "ai.onnx.preview",
                                        "ai.onnx.preview.training",
                                        "ai.onnx.training",
                                        "org.backplane"};

    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        if (strcmp(domain, taken[i]) == 0)
            return true;
    }
    return false;
}

/* Name, domain and versions. */
static bp_rc check_head(const bp_op_schema *row, uint32_t i, bp_err *err)
{
    if (row->struct_size < BP_LEAST(bp_op_schema, shapes))
        return bp_fail(err, BP_E_INVALID, "operator schema %u has %u bytes, a row has %zu", i,
                       row->struct_size, BP_LEAST(bp_op_schema, shapes));
    if (!row->name || !row->name[0])
        return bp_fail(err, BP_E_INVALID, "operator schema %u has no name", i);
    if (!row->domain || is_taken_domain(row->domain))
        return bp_fail(err, BP_E_INVALID,
                       "operator '%.80s' is declared in domain '%s', whose operators ONNX and the "
                       "host define: a provider has a domain of its own",
                       row->name, row->domain && row->domain[0] ? row->domain : "ai.onnx");
    if (row->flags & BP_CRITICAL)
        return bp_fail(err, BP_E_INVALID, "operator '%.80s' has critical flags 0x%08x", row->name,
                       row->flags & BP_CRITICAL);
    if (row->since == 0 || (row->until && row->until < row->since))
        return bp_fail(err, BP_E_INVALID, "operator '%.80s': versions %u to %u are not a range",
                       row->name, row->since, row->until);
    return BP_OK;
}

/* Has the attribute's default the type that it needs? */
static const char *wrong_default(const bp_op_attr *attr)
{
    if (!(attr->flags & BP_OP_ATTR_DEFAULT))
        return NULL;
    if (attr->flags & (BP_OP_ATTR_LIST | BP_OP_ATTR_REQUIRED))
        return "has a default and is a list or required";
    if (attr->type == BP_ATTR_TENSOR)
        return "is a tensor with a default";
    return attr->type == BP_ATTR_STRING && !attr->def_string ? "has no text as default" : NULL;
}

/* Attribute i as a row of this header. */
static bp_rc read_attr(const bp_op_schema *row, uint32_t i, bp_op_attr *out, bp_err *err)
{
    const char *wrong = NULL;

    bp_copy_in(out, sizeof *out, BP_AT(bp_op_attr, row->attrs, row->attr_stride, i));
    if (out->struct_size < BP_LEAST(bp_op_attr, def_string))
        wrong = "is shorter than a row";
    else if (!out->name || !out->name[0])
        wrong = "has no name";
    else if (out->type < BP_ATTR_FLOAT || out->type > BP_ATTR_TENSOR)
        wrong = "has a type that an operator of a provider cannot have";
    else
        wrong = wrong_default(out);
    return wrong ? bp_fail(err, BP_E_INVALID, "operator '%.80s': attribute %u%s%.80s%s %s",
                           row->name, i, out->name ? " '" : "", out->name ? out->name : "",
                           out->name ? "'" : "", wrong)
                 : BP_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/*
 * Operands without flags, types and kinds of later versions, which a reader ignores. False: no memory.
 */
static bool known_operands(struct bp_region *region, const bp_operand *rows, uint32_t n,
                           const bp_operand **out)
{
    const uint32_t flags = BP_CRITICAL | BP_OPERAND_OPTIONAL | BP_OPERAND_VARIADIC |
                           BP_OPERAND_MIXED | BP_OPERAND_CONTENT;
    bp_operand *own = bp_region_array(region, n, sizeof *own);

    for (uint32_t i = 0; own && rows && i < n; i++) {
        own[i] = rows[i];
        own[i].flags &= flags;
        own[i].kinds = 0;
        if (own[i].types & (BP_T_ANY | 1))
            own[i].types &= BP_T_ANY | 1;
    }
    *out = rows ? own : NULL;
    return own != NULL;
}

/* Inputs and outputs, checked. */
static bp_rc make_operands(struct bp_region *region, const bp_op_schema *row,
                           struct bp_provider_op *op, bp_err *err)
{
    struct bp_operands operands = {.n_in = row->n_in, .n_out = row->n_out};
    bp_rc rc;

    if (row->n_in > MAX_OPERANDS || row->n_out > MAX_OPERANDS)
        return bp_fail(err, BP_E_INVALID, "operator '%.80s' has %u inputs and %u outputs, of %d",
                       row->name, row->n_in, row->n_out, MAX_OPERANDS);
    if (!known_operands(region, row->in, row->n_in, &operands.in) ||
        !known_operands(region, row->out, row->n_out, &operands.out))
        return bp_fail_nomem(err, "an operator");
    rc = bp_operands_check(&operands, row->name, err);
    return rc < 0 ? rc : bp_operands_fill(&operands, region, &op->schema, &op->least, err);
}

/* Attributes as the host's own schemas have them. */
static bp_rc make_attrs(struct bp_region *region, const bp_op_schema *row, struct bp_schema *schema,
                        bp_err *err)
{
    struct bp_attr_def *defs;
    bp_rc rc = BP_OK;

    if (row->n_attrs > MAX_ATTRS || (row->n_attrs > 0 && (!row->attrs || !row->attr_stride)))
        return bp_fail(err, BP_E_INVALID,
                       "operator '%.80s': %u attributes without a list, or beyond %d", row->name,
                       row->n_attrs, MAX_ATTRS);
    defs = bp_region_array(region, row->n_attrs, sizeof *defs);
    for (uint32_t i = 0; defs && rc >= 0 && i < row->n_attrs; i++) {
        bp_op_attr attr;

        rc = read_attr(row, i, &attr, err);
        if (rc < 0)
            return rc;
        defs[i] = (struct bp_attr_def){
            .name = bp_region_string(region, attr.name),
            .type = attr.type,
            .is_list = attr.flags & BP_OP_ATTR_LIST,
            .is_required = attr.flags & BP_OP_ATTR_REQUIRED,
            .has_default = attr.flags & BP_OP_ATTR_DEFAULT,
            .def_int = attr.def_int,
            .def_float = (float)attr.def_float,
            .def_string = attr.def_string ? bp_region_string(region, attr.def_string) : NULL,
        };
        if (!defs[i].name || (attr.def_string && !defs[i].def_string))
            defs = NULL;
    }
    schema->attrs = defs;
    schema->n_attrs = row->n_attrs;
    return defs ? rc : bp_fail_nomem(err, "an operator");
}

/* A checked row, from the region. */
static bp_rc make_row(struct bp_region *region, const char *provider, const bp_op_schema *row,
                      struct bp_provider_op **out, bp_err *err)
{
    struct bp_provider_op *op = bp_region_alloc(region, sizeof *op);
    bp_rc rc;

    *out = op;
    if (!op)
        return bp_fail_nomem(err, "an operator");
    *op = (struct bp_provider_op){
        .schema = {.op = bp_region_string(region, row->name),
                   .domain = bp_region_string(region, row->domain),
                   .since = row->since,
                   .infer = infer_declared,
                   .sizes_from_data = true,
                   .any_attrs = row->flags & BP_OP_ANY_ATTR,
                   .is_provider_op = true},
        .until = row->until,
        .shapes = row->shapes,
        .provider = bp_region_string(region, provider),
    };
    if (!op->schema.op || !op->schema.domain || !op->provider)
        return bp_fail_nomem(err, "an operator");
    rc = make_operands(region, row, op, err);
    return rc < 0 ? rc : make_attrs(region, row, &op->schema, err);
}

/* ---- two declarations of one operator -------------------------------------------------------- */

static bool same_params(const struct bp_param *a, const uint32_t *least_a, const struct bp_param *b,
                        const uint32_t *least_b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(a[i].name, b[i].name) != 0 || a[i].types != b[i].types ||
            a[i].flags != b[i].flags || a[i].type_var != b[i].type_var || least_a[i] != least_b[i])
            return false;
    }
    return true;
}

static bool same_texts(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Defaults of floats are compared by their bits. */
static bool same_attrs(const struct bp_schema *a, const struct bp_schema *b)
{
    for (uint32_t i = 0; i < a->n_attrs; i++) {
        const struct bp_attr_def *x = &a->attrs[i], *y = &b->attrs[i];

        if (strcmp(x->name, y->name) != 0 || x->type != y->type || x->is_list != y->is_list ||
            x->is_required != y->is_required || x->has_default != y->has_default ||
            x->def_int != y->def_int || !same_texts(x->def_string, y->def_string) ||
            memcmp(&x->def_float, &y->def_float, sizeof x->def_float) != 0)
            return false;
    }
    return true;
}

/* Why two declarations of one version differ; NULL: they do not, as far as words go. */
static const char *difference(const struct bp_provider_op *a, const struct bp_provider_op *b)
{
    if (a->until != b->until)
        return "versions";
    if (a->schema.n_in != b->schema.n_in ||
        !same_params(a->schema.in, a->least.in, b->schema.in, b->least.in, a->schema.n_in))
        return "inputs";
    if (a->schema.n_out != b->schema.n_out ||
        !same_params(a->schema.out, a->least.out, b->schema.out, b->least.out, a->schema.n_out))
        return "outputs";
    if (a->schema.n_attrs != b->schema.n_attrs || a->schema.any_attrs != b->schema.any_attrs ||
        !same_attrs(&a->schema, &b->schema))
        return "attributes";
    return NULL;
}

/* The row of the same version of the same operator, or NULL. */
static const struct bp_provider_op *find_same(const struct bp_provider_ops *ops,
                                              const struct bp_schema *schema)
{
    for (uint32_t i = 0; i < ops->count; i++) {
        const struct bp_schema *row = &ops->rows[i]->schema;

        if (row->since == schema->since && strcmp(row->op, schema->op) == 0 &&
            strcmp(row->domain, schema->domain) == 0)
            return ops->rows[i];
    }
    return NULL;
}

/* ---- adding ---------------------------------------------------------------------------------- */

static bool grow(struct bp_provider_ops *ops, struct bp_region *region, uint32_t more)
{
    struct bp_provider_op **rows;

    if (ops->count + more <= ops->cap)
        return true;
    rows = bp_region_array(region, (size_t)ops->count + more, sizeof *rows);
    if (!rows)
        return false;
    if (ops->count > 0)
        memcpy(rows, ops->rows, ops->count * sizeof *rows);
    ops->rows = rows;
    ops->cap = ops->count + more;
    return true;
}

/* One row of a provider; what is there already in the same words is not added again. */
static bp_rc add_row(struct bp_provider_ops *ops, struct bp_region *region, const char *name,
                     const bp_op_schema *row, const struct bp_log *log, bp_err *err)
{
    const struct bp_provider_op *same;
    struct bp_provider_op *op;
    const char *differs;
    bp_rc rc = make_row(region, name, row, &op, err);

    if (rc < 0)
        return rc;
    if (bp_schema_find(row->domain, row->name, UINT32_MAX)) {
        bp_log(log, BP_LOG_WARN, "session",
               "provider '%s' declares operator '%.80s' of domain '%.80s', which the host knows: "
               "the host's definition counts",
               name, row->name, row->domain);
        return BP_OK;
    }
    same = find_same(ops, &op->schema);
    if (!same) {
        ops->rows[ops->count++] = op;
        return BP_OK;
    }
    if (strcmp(same->provider, name) == 0)
        return bp_fail(err, BP_E_INVALID,
                       "operator '%.80s' of domain '%.80s' is declared twice for version %u",
                       row->name, row->domain, row->since);
    differs = difference(same, op);
    return differs ? bp_fail(err, BP_E_INVALID,
                             "operator '%.80s' of domain '%.80s', version %u, is declared by "
                             "provider '%s' with other %s: use one of the two",
                             row->name, row->domain, row->since, same->provider, differs)
                   : BP_OK;
}

bp_rc bp_provider_ops_add(struct bp_provider_ops *ops, struct bp_region *region, const char *name,
                          const bp_provider *provider, const struct bp_log *log, bp_err *err)
{
    uint32_t before = ops->count, n = provider->n_schemas;
    bp_rc rc = BP_OK;

    if (n > 0 && (!provider->schemas || n > MAX_SCHEMAS ||
                  provider->schema_stride < BP_LEAST(bp_op_schema, shapes)))
        return bp_fail(err, BP_E_INVALID,
                       "%u operator schemas without a list, beyond %d, or %u bytes apart where a "
                       "row has %zu",
                       n, MAX_SCHEMAS, provider->schema_stride, BP_LEAST(bp_op_schema, shapes));
    if (n > 0 && !grow(ops, region, n))
        return bp_fail_nomem(err, "operators of a provider");
    for (uint32_t i = 0; rc >= 0 && i < n; i++) {
        bp_op_schema row;

        bp_copy_in(&row, sizeof row,
                   BP_AT(bp_op_schema, provider->schemas, provider->schema_stride, i));
        rc = check_head(&row, i, err);
        if (rc >= 0)
            rc = add_row(ops, region, name, &row, log, err);
    }
    if (rc < 0)
        ops->count = before;
    return rc;
}

/* ---- finding --------------------------------------------------------------------------------- */

const struct bp_schema *bp_provider_ops_find(const struct bp_provider_ops *ops, const char *domain,
                                             const char *op, uint32_t opset)
{
    const struct bp_provider_op *best = NULL;

    for (uint32_t i = 0; opset > 0 && i < ops->count; i++) {
        const struct bp_provider_op *row = ops->rows[i];

        if (row->schema.since <= opset && (!best || row->schema.since > best->schema.since) &&
            strcmp(row->schema.op, op) == 0 && strcmp(row->schema.domain, domain) == 0)
            best = row;
    }
    return best && !(best->until && opset > best->until) ? &best->schema : NULL;
}
