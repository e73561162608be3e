/* SPDX-License-Identifier: MIT */
/* concat.c - Concat (4, 11, 13), in the layout of the first input that oneDNN laid out. */

#include "../onednn.h"

static bool claim(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops)
{
    (void)op;
    (void)flops;
    for (uint32_t i = 0; i < query->node->n_in; i++) {
        if (!bp_dnnl_takes_typed(query, i, BP_DNNL_FLOATS | BP_DNNL_BYTES, 1, BP_DNNL_MAX_RANK))
            return false;
    }
    return true;
}

/* A concat in the making; arrays have a place for each input and, forms and args, the output. */
struct concat {
    struct bp_dnnl_form *forms;
    struct bp_dnnl_arg *args;
    dnnl_memory_desc_t *mds;
    uint32_t n; /* inputs that have elements */
};

/* The layout that all inputs get. */
static const dnnl_memory_desc_t *choose_layout(struct bp_dnnl_build *b, const bp_node *node)
{
    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct bp_dnnl_value *value = &b->values[node->in[i]];

        if (value->n_forms > 0 && !bp_dnnl_is_plain(&value->forms[0].md))
            return &value->forms[0].md;
    }
    return NULL;
}

static bp_rc take_inputs(struct bp_dnnl_build *b, const bp_node *node, struct concat *c,
                         bp_err *err)
{
    const dnnl_memory_desc_t *chosen = choose_layout(b, node);
    dnnl_memory_desc_t like, want;

    if (chosen)
        like = *chosen;
    for (uint32_t i = 0; i < node->n_in; i++) {
        const struct bp_dnnl_value *value = &b->values[node->in[i]];
        bp_rc rc;

        if (bp_dims_count(value->dims, (uint32_t)value->rank) == 0)
            continue;
        if (chosen)
            bp_dnnl_like(&like, value->dims, &want);
        else
            bp_dnnl_plain_as(value->rank, value->dims, bp_dnnl_inner_type(b->graph, node->in[i]),
                             &want);
        rc = bp_dnnl_form_of(b, node->in[i], &want, &c->forms[c->n], err);
        if (rc < 0)
            return rc;
        c->mds[c->n] = c->forms[c->n].md;
        c->args[c->n] = (struct bp_dnnl_arg){DNNL_ARG_MULTIPLE_SRC + (int)c->n, &c->forms[c->n]};
        c->n++;
    }
    return BP_OK;
}

static bp_rc emit(struct bp_dnnl_build *b, const bp_node *node, struct concat *c, bp_err *err)
{
    const struct bp_dnnl_value *y = &b->values[node->out[0]];
    int64_t axis = bp_node_int(b->graph, node, "axis", 1);
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    dnnl_memory_desc_t any;
    dnnl_status_t status;
    bp_rc rc = bp_dnnl_attributes(b, NULL, &attr, err);

    if (rc < 0)
        return rc;
    bp_dnnl_like(&c->mds[0], y->dims, &any);
    status = bp_dnnl.concat_primitive_desc_create(&pd, &any, (int)c->n,
                                                  (int)(axis < 0 ? axis + y->rank : axis), c->mds,
                                                  attr, bp_dnnl.engine);
    bp_dnnl.primitive_attr_destroy(attr);
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "%s '%s'", node->op, node->name);
    rc = bp_dnnl_make(b, node->out[0], bp_dnnl_query(pd, dnnl_query_dst_md), &c->forms[c->n], err);
    if (rc < 0) {
        bp_dnnl.primitive_desc_destroy(pd);
        return rc;
    }
    c->args[c->n] = (struct bp_dnnl_arg){DNNL_ARG_DST, &c->forms[c->n]};
    return bp_dnnl_emit(b, pd, c->n + 1, c->args, err);
}

static bp_rc build(struct bp_dnnl_build *b, const struct bp_dnnl_op *op, const bp_node *node,
                   bp_err *err)
{
    size_t n = (size_t)node->n_in + 1;
    struct concat c = {.forms = bp_blocks_array(b->memory, n, sizeof *c.forms),
                       .args = bp_blocks_array(b->memory, n, sizeof *c.args),
                       .mds = bp_blocks_array(b->memory, n, sizeof *c.mds)};
    bool is_done;
    bp_rc rc = bp_dnnl_join(b, node, &is_done, err);

    (void)op;
    if (rc < 0 || is_done)
        return rc;
    if (!c.forms || !c.args || !c.mds)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for node '%s'", node->name);
    rc = take_inputs(b, node, &c, err);
    return rc < 0 ? rc : emit(b, node, &c, err);
}

const struct bp_dnnl_op bp_dnnl_op_concat = {
    .name = "Concat",
    .domain = "",
    .since = 4,
    .until = 13,
    .claim = claim,
    .build = build,
};
