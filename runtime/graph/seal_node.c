/* SPDX-License-Identifier: MIT */
/* seal_node.c - holds a node against its operator's schema, and adds defaults of attributes. */

#include "config.h"

#include "graph/schema_table.h"
#include "graph/seal_parts.h"
#include "text/text.h"

enum { MAX_ATTRS = 64 }; /* that a schema may have; the longest of ONNX has 17 */

/* ---- inputs and outputs ---------------------------------------------------------------------- */

/* "2 to 3 inputs" */
static void count_words(const struct bp_param *params, uint32_t n, const char *what, char *buf,
                        size_t cap)
{
    uint32_t least = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (!(params[i].flags & BP_PARAM_OPTIONAL))
            least = i + 1;
    }
    if (n > 0 && params[n - 1].flags & BP_PARAM_VARIADIC)
        snprintf(buf, cap, "%u or more %s", least, what);
    else if (least == n)
        snprintf(buf, cap, "%u %s%s", n, what, n == 1 ? "" : "s");
    else
        snprintf(buf, cap, "%u to %u %ss", least, n, what);
}

/*
 * A wrong number of inputs or outputs; the message says how many the version of the operator
 * takes.
 */
static bp_rc fail_count(const struct bp_ir_node *node, uint32_t has, bool is_input, bp_err *err)
{
    const struct bp_schema *schema = node->schema;
    const char *what = is_input ? "input" : "output";
    char words[64];

    count_words(is_input ? schema->in : schema->out, is_input ? schema->n_in : schema->n_out, what,
                words, sizeof words);
    return bp_fail_detail(err, BP_E_INVALID, BP_DETAIL_NODE_ARITY,
                          "node '%s' (%s) has %u %s%s; the operator has %s", node->name, node->op,
                          has, what, has == 1 ? "" : "s", words);
}

/*
 * Drops absent inputs at the end, as exporters write them or leave them out, and checks that
 * required ones are there.
 */
static bp_rc check_inputs(struct bp_ir_node *node, bp_err *err)
{
    const struct bp_schema *schema = node->schema;

    while (node->n_in > 0 && node->in[node->n_in - 1] == BP_NONE)
        node->n_in--;
    if (node->n_in > 0 && !bp_schema_in(schema, node->n_in - 1))
        return fail_count(node, node->n_in, true, err);
    for (uint32_t i = 0; i < schema->n_in; i++) {
        if (schema->in[i].flags & BP_PARAM_OPTIONAL)
            continue;
        if (i >= node->n_in)
            return fail_count(node, node->n_in, true, err);
        if (node->in[i] == BP_NONE)
            return bp_fail(err, BP_E_INVALID,
                           "node '%s' (%s): input %u (%s) is required, the model leaves it empty",
                           node->name, node->op, i, schema->in[i].name);
    }
    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct bp_param *param = bp_schema_in(schema, i);

        if (param->flags & BP_PARAM_VARIADIC && node->in[i] == BP_NONE)
            return bp_fail(err, BP_E_INVALID,
                           "node '%s' (%s): input %u, one of a list (%s), is left empty",
                           node->name, node->op, i, param->name);
    }
    return BP_OK;
}

/* A required output without a name has no reader: some models have such, and it does no harm. */
static bp_rc check_outputs(const struct bp_ir_node *node, bp_err *err)
{
    const struct bp_schema *schema = node->schema;

    if (node->n_out > 0 && !bp_schema_out(schema, node->n_out - 1))
        return fail_count(node, node->n_out, false, err);
    for (uint32_t i = node->n_out; i < schema->n_out; i++) {
        if (!(schema->out[i].flags & BP_PARAM_OPTIONAL))
            return fail_count(node, node->n_out, false, err);
    }
    return BP_OK;
}

/* "<node>:<number>", with as many marks after it as make it new. */
static bp_rc define_unnamed(struct bp_ir *ir, const struct bp_ir_node *node, uint32_t i,
                            uint32_t *out, bp_err *err)
{
    const char *name = bp_region_printf(ir->region, "%s:%u", node->name, i);

    while (name && bp_strmap_get(&ir->by_name, name, BP_NONE) != BP_NONE)
        name = bp_region_printf(ir->region, "%s'", name);
    return name ? bp_ir_define(ir, name, out, err) : bp_fail_nomem(err, "names of values");
}

/* Outputs that the operator always has get a value all the same: kernels write them. */
static bp_rc name_outputs(struct bp_ir *ir, struct bp_ir_node *node, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < node->n_out; i++) {
        const struct bp_param *param = bp_schema_out(node->schema, i);

        if (node->out[i] == BP_NONE && !(param->flags & (BP_PARAM_OPTIONAL | BP_PARAM_VARIADIC)))
            rc = define_unnamed(ir, node, i, &node->out[i], err);
    }
    return rc;
}

/* ---- attributes ------------------------------------------------------------------------------ */

static const char *type_text(uint32_t type, bool is_list)
{
    static const char *const words[][2] = {
        {"of an unknown type", "of an unknown type"},
        {"a float", "a list of floats"},
        {"an integer", "a list of integers"},
        {"a string", "a list of strings"},
        {"a tensor", "a list of tensors"},
        {"a graph", "a list of graphs"},
    };

    return words[type <= BP_ATTR_GRAPH ? type : 0][is_list];
}

/*
 * An attribute that this version does not have: often one of a later version, or of another
 * operator.
 */
static bp_rc fail_unknown_attr(const struct bp_ir_node *node, const char *name, bp_err *err)
{
    const struct bp_schema *schema = node->schema;
    const char *names[MAX_ATTRS], *nearest;
    uint32_t n = schema->n_attrs < MAX_ATTRS ? schema->n_attrs : MAX_ATTRS;

    for (uint32_t i = 0; i < n; i++)
        names[i] = schema->attrs[i].name;
    nearest = bp_nearest(name, names, n);
    return bp_fail_detail(err, BP_E_INVALID, BP_DETAIL_UNKNOWN_ATTRIBUTE,
                          "node '%s' (%s): version %u of the operator has no attribute '%s'%s%s%s",
                          node->name, node->op, schema->since, name, nearest ? "; is '" : "",
                          nearest ? nearest : "", nearest ? "' meant?" : "");
}

static const struct bp_attr_def *find_def(const struct bp_schema *schema, const char *name)
{
    for (uint32_t i = 0; i < schema->n_attrs; i++) {
        if (strcmp(schema->attrs[i].name, name) == 0)
            return &schema->attrs[i];
    }
    return NULL;
}

/*
 * Attributes beyond the schema are refused, as they may be misspelt; but not of versions newer than
 * our tables, nor where ONNX Runtime has never looked and models have come to rest on it.
 */
static bool knows_all_attrs(const struct bp_ir_node *node)
{
    const struct bp_schema *schema = node->schema;

    return !schema->is_custom && !schema->any_attrs &&
           (schema->is_provider_op || node->opset <= bp_schema_newest(node->domain));
}

/* *seen: a bit for each of the schema's attributes that the node has. */
static bp_rc check_attrs(const struct bp_ir_node *node, uint64_t *seen, bp_err *err)
{
    const struct bp_schema *schema = node->schema;

    for (uint32_t i = 0; i < node->n_attrs; i++) {
        const bp_attr *attr = &node->attrs[i];
        const struct bp_attr_def *def = find_def(schema, attr->name);
        bool is_list = attr->flags & BP_ATTR_LIST;
        uint64_t bit;

        if (!def && knows_all_attrs(node))
            return fail_unknown_attr(node, attr->name, err);
        if (!def)
            continue;
        if (attr->type != def->type || is_list != def->is_list || (!is_list && attr->count != 1))
            return bp_fail(err, BP_E_INVALID, "node '%s' (%s): attribute '%s' is %s, must be %s",
                           node->name, node->op, attr->name, type_text(attr->type, is_list),
                           type_text(def->type, def->is_list));
        bit = UINT64_C(1) << (def - schema->attrs);
        if (*seen & bit)
            return bp_fail(err, BP_E_INVALID, "node '%s' (%s): attribute '%s' is given twice",
                           node->name, node->op, attr->name);
        *seen |= bit;
    }
    return BP_OK;
}

/*
 * An attribute with the default that the schema gives, so that providers need to know none.
 * False: no memory.
 */
static bool set_default(struct bp_region *region, const struct bp_attr_def *def, bp_attr *out)
{
    bp_span *text;

    out->name = def->name;
    out->type = def->type;
    out->count = 1;
    if (def->type == BP_ATTR_INT)
        out->data = &def->def_int; /* schemas are constant tables */
    if (def->type == BP_ATTR_FLOAT)
        out->data = &def->def_float;
    if (def->type != BP_ATTR_STRING)
        return true;
    text = bp_region_alloc(region, sizeof *text);
    if (!text)
        return false;
    text->data = def->def_string;
    text->size = strlen(def->def_string);
    out->data = text;
    return true;
}

/*
 * Adds the defaults of attributes that the node does not have. `seen` has a bit for each
 * definition that it has.
 */
static bp_rc add_defaults(struct bp_ir *ir, struct bp_ir_node *node, uint64_t seen, bp_err *err)
{
    const struct bp_schema *schema = node->schema;
    bp_attr *attrs;

    attrs = bp_region_array(ir->region, (size_t)node->n_attrs + schema->n_attrs, sizeof *attrs);
    if (!attrs)
        return bp_fail_nomem(err, "attributes");
    if (node->n_attrs > 0)
        memcpy(attrs, node->attrs, node->n_attrs * sizeof *attrs);
    node->attrs = attrs;
    for (uint32_t i = 0; i < schema->n_attrs; i++) {
        const struct bp_attr_def *def = &schema->attrs[i];

        if (seen & UINT64_C(1) << i)
            continue;
        if (def->is_required)
            return bp_fail(err, BP_E_INVALID, "node '%s' (%s): attribute '%s' (%s) is missing",
                           node->name, node->op, def->name, type_text(def->type, def->is_list));
        if (!def->has_default)
            continue;
        if (!set_default(ir->region, def, &attrs[node->n_attrs]))
            return bp_fail_nomem(err, "attributes");
        node->n_attrs++;
    }
    return BP_OK;
}

bp_rc bp_ir_check_node(struct bp_ir *ir, struct bp_ir_node *node, bp_err *err)
{
    uint64_t seen = 0;
    bp_rc rc;

    rc = check_inputs(node, err);
    if (rc == BP_OK)
        rc = check_outputs(node, err);
    if (rc == BP_OK)
        rc = name_outputs(ir, node, err);
    if (rc == BP_OK)
        rc = check_attrs(node, &seen, err);
    if (rc == BP_OK && node->schema->n_attrs > 0)
        rc = add_defaults(ir, node, seen, err);
    if (rc == BP_OK)
        node->attr_hash = bp_ir_hash_attrs(node); /* now that they are at hand */
    return rc;
}
