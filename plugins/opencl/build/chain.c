/* SPDX-License-Identifier: MIT */
/* chain.c - see chain.h. */

#include "build/chain.h"

#include "build/chain_kernel.h"
#include "operators.h"

/* ---- which nodes are one kernel -------------------------------------------------------------- */

enum { NO_READER = UINT32_MAX, SEVERAL = UINT32_MAX - 1 };

/* Rows of the result are walked through alike; dimensions of 1 may come before. */
static bool is_same_shape(const struct bp_opencl_tensor *a, const struct bp_opencl_tensor *b)
{
    uint32_t n = a->rank < b->rank ? a->rank : b->rank;

    if (a->count != b->count || a->rank == BP_RANK_UNKNOWN || b->rank == BP_RANK_UNKNOWN)
        return false;
    for (uint32_t i = 1; i <= n; i++) {
        if (a->dims[a->rank - i] != b->dims[b->rank - i])
            return false;
    }
    return true;
}

/* The node whose kernel computes node n too, where all that read its result are in that kernel. */
static uint32_t kernel_of(const struct bp_opencl_builder *b, const uint32_t *readers, uint32_t n)
{
    const bp_node *node = BP_NODE(b->graph, n);
    uint32_t root;

    if (node->n_out == 0 || node->out[0] == BP_NONE || b->program->ops[n]->chain == 0)
        return n;
    root = readers[node->out[0]];
    if (root == NO_READER || root == SEVERAL ||
        !is_same_shape(&b->values[node->out[0]], bp_opencl_out(b, BP_NODE(b->graph, root), 0)))
        return n;
    return root;
}

/* From the last node to the first, so that what reads a value has been looked at. */
void bp_opencl_find_chains(struct bp_opencl_builder *b)
{
    const bp_graph *graph = b->graph;
    uint32_t *readers; /* of each value: the kernel, where it is one */

    if (b->rc < 0 || !b->program->instance->fuses)
        return;
    readers = bp_blocks_array(b->memory, graph->n_values, sizeof *readers);
    b->kernels = bp_blocks_array(b->memory, graph->n_nodes, sizeof *b->kernels);
    if (!readers || !b->kernels) {
        bp_opencl_build_fail(b, BP_E_NOMEM, "opencl: no memory for a frame");
        return;
    }
    for (uint32_t v = 0; v < graph->n_values; v++)
        readers[v] = NO_READER;
    for (uint32_t i = 0; i < graph->n_outputs; i++)
        readers[graph->outputs[i]] = SEVERAL;
    for (uint32_t n = graph->n_nodes; n-- > 0;) {
        const bp_node *node = BP_NODE(graph, n);
        const struct bp_opencl_op *op = b->program->ops[n];
        uint32_t kernel;

        kernel = b->kernels[n] = kernel_of(b, readers, n);
        for (uint32_t i = 0; i < node->n_in; i++) {
            uint32_t *reader = node->in[i] == BP_NONE ? NULL : &readers[node->in[i]];

            if (!reader || op->host_inputs >> i & 1)
                continue;
            if (op->chain != BP_OPENCL_ELEMENTWISE || (*reader != NO_READER && *reader != kernel))
                *reader = SEVERAL;
            else
                *reader = kernel;
        }
    }
}

/* ---- plans ----------------------------------------------------------------------------------- */

static struct bp_opencl_expression *expression_of(const struct bp_opencl_builder *b,
                                                  const struct bp_opencl_tensor *tensor)
{
    bool is_one = tensor->chain > 0 && tensor->chain <= b->n_expressions;
    struct bp_opencl_expression *e = is_one ? b->expressions[tensor->chain - 1] : NULL;

    return e && !e->is_stored ? e : NULL;
}

static bool has_node(const struct bp_opencl_kernel_plan *plan, const struct bp_opencl_expression *e)
{
    for (uint32_t i = 0; i < plan->n_nodes; i++) {
        if (plan->nodes[i] == e)
            return true;
    }
    return false;
}

/*
 * Depth-first; an expression has BP_OPENCL_CHAIN_NODES below it at most, as larger ones are stored.
 */
static void add_to_plan(const struct bp_opencl_builder *b, struct bp_opencl_kernel_plan *plan,
                        const struct bp_opencl_expression *e)
{
    if (plan->is_too_large || has_node(plan, e))
        return;
    for (uint32_t k = 0; k < e->n_in; k++) {
        const struct bp_opencl_expression *of = expression_of(b, &e->in[k]);

        if (of) {
            add_to_plan(b, plan, of);
        } else if (bp_opencl_find_leaf(plan, &e->in[k]) == plan->n_leaves) {
            if (plan->n_leaves == BP_OPENCL_CHAIN_LEAVES) {
                plan->is_too_large = true;
                return;
            }
            plan->leaves[plan->n_leaves++] = e->in[k];
        }
    }
    if (plan->n_nodes == BP_OPENCL_CHAIN_NODES || (e->add && plan->product)) {
        plan->is_too_large = true;
        return;
    }
    if (e->add)
        plan->product = e;
    plan->nodes[plan->n_nodes++] = e;
}

static struct bp_opencl_kernel_plan plan_of(const struct bp_opencl_builder *b,
                                            const struct bp_opencl_expression *e)
{
    struct bp_opencl_kernel_plan plan = {.n_nodes = 0};

    add_to_plan(b, &plan, e);
    return plan;
}

/* Adds the kernel of an expression; a product that cannot end with it is stored before. */
static void store(struct bp_opencl_builder *b, struct bp_opencl_expression *e)
{
    struct bp_opencl_kernel_plan plan = plan_of(b, e);
    uint32_t node = b->node;

    if (b->rc < 0)
        return;
    b->node = e->node;
    if (plan.product && plan.n_nodes > 1 && !bp_opencl_is_epilogue(b, &plan)) {
        bp_opencl_chain_store(b, &plan.product->y);
        plan = plan_of(b, e);
    }
    if (b->rc >= 0 && plan.is_too_large)
        bp_opencl_build_fail(b, BP_E_INTERNAL, "opencl: a chain of nodes is too long");
    if (b->rc >= 0)
        bp_opencl_add_kernel(b, &plan);
    e->is_stored = true;
    b->node = node;
}

void bp_opencl_chain_store(struct bp_opencl_builder *b, const struct bp_opencl_tensor *tensor)
{
    struct bp_opencl_expression *e = expression_of(b, tensor);

    if (e)
        store(b, e);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static const char *copy_text(struct bp_opencl_builder *b, const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = bp_blocks_get(b->memory, n);

    if (copy)
        memcpy(copy, text, n);
    return copy;
}

/* Room for them is made twice as large when it ends. */
static struct bp_opencl_expression *add_expression(struct bp_opencl_builder *b,
                                                   const struct bp_opencl_tensor *y)
{
    struct bp_opencl_expression *e = bp_blocks_get(b->memory, sizeof *e), **list;

    if (e && b->n_expressions == b->expression_room) {
        uint32_t room = b->expression_room < 16 ? 32 : b->expression_room * 2;

        list = bp_blocks_array(b->memory, room, sizeof(*list));
        if (list && b->n_expressions > 0)
            memcpy(list, b->expressions, b->n_expressions * sizeof(*list));
        e = list ? e : NULL;
        b->expressions = list ? list : b->expressions;
        b->expression_room = list ? room : b->expression_room;
    }
    if (!e) {
        bp_opencl_build_fail(b, BP_E_NOMEM, "opencl: no memory for a frame");
        return NULL;
    }
    *e = (struct bp_opencl_expression){.y = *y, .node = b->node};
    b->expressions[b->n_expressions++] = e;
    e->y.chain = b->n_expressions;
    return e;
}

/* From here on the node's output is the expression. */
static void defer(struct bp_opencl_builder *b, const struct bp_opencl_expression *e)
{
    b->values[BP_NODE(b->graph, b->node)->out[0]].chain = e->y.chain;
}

/* Definitions end with their expression; what else there is might be there twice. */
static bool has_only_definitions(const struct bp_opencl_prefix *prefix)
{
    const char *at = prefix->n > 0 ? prefix->text : "";

    while (*at) {
        if (strncmp(at, "#define ", 8) != 0)
            return false;
        at = strchr(at, '\n');
        if (!at)
            return true;
        at++;
    }
    return true;
}

/* An expression reads another one bit by bit, which float16 is not computed in. */
static bool is_readable(const struct bp_opencl_builder *b, const struct bp_opencl_tensor *tensor)
{
    const struct bp_opencl_expression *e = expression_of(b, tensor);

    return !e || e->y.dtype == tensor->dtype || bp_dtype_width(tensor->dtype) != 16;
}

/* Stores expressions among the inputs until the kernel is not too large. */
static void fit(struct bp_opencl_builder *b, const struct bp_opencl_expression *e)
{
    for (uint32_t k = 0; k < e->n_in && b->rc >= 0; k++) {
        if (!is_readable(b, &e->in[k]))
            bp_opencl_chain_store(b, &e->in[k]);
    }
    for (uint32_t k = 0; k < e->n_in && b->rc >= 0 && plan_of(b, e).is_too_large; k++)
        bp_opencl_chain_store(b, &e->in[k]);
}

bool bp_opencl_chain(struct bp_opencl_builder *b, const struct bp_opencl_tensor *y,
                     const struct bp_opencl_tensor *const *in, uint32_t n,
                     const struct bp_opencl_prefix *prefix, const char *expr)
{
    struct bp_opencl_expression *e;
    bool is_one = true, takes = b->kernels && has_only_definitions(prefix) &&
                                b->program->ops[b->node]->chain == BP_OPENCL_ELEMENTWISE;

    for (uint32_t k = 0; k < n; k++) {
        is_one = is_one && !expression_of(b, in[k]);
        if (!takes)
            bp_opencl_chain_store(b, in[k]);
    }
    if (!takes || (is_one && b->kernels[b->node] == b->node) || b->rc < 0)
        return b->rc < 0;
    e = add_expression(b, y);
    if (!e)
        return true;
    e->n_in = n;
    for (uint32_t k = 0; k < n; k++)
        e->in[k] = *in[k];
    e->definitions = copy_text(b, prefix->n > 0 ? prefix->text : "");
    e->expr = copy_text(b, expr);
    if (!e->definitions || !e->expr)
        bp_opencl_build_fail(b, BP_E_NOMEM, "opencl: no memory for a frame");
    fit(b, e);
    if (b->kernels[b->node] == b->node)
        store(b, e);
    else
        defer(b, e);
    return true;
}

const char *bp_opencl_with_epilogue(struct bp_opencl_builder *b,
                                    const struct bp_opencl_prefix *prefix,
                                    const struct bp_opencl_epilogue *epilogue)
{
    size_t n = epilogue ? strlen(epilogue->text) + 1 : 0;
    char *text;

    if (!epilogue || b->rc < 0)
        return prefix->text;
    text = bp_blocks_get(b->memory, prefix->n + n);
    if (!text) {
        bp_opencl_build_fail(b, BP_E_NOMEM, "opencl: no memory for a frame");
        return prefix->text;
    }
    memcpy(text, prefix->text, prefix->n);
    memcpy(text + prefix->n, epilogue->text, n);
    return text;
}

bool bp_opencl_chain_product(struct bp_opencl_builder *b, int64_t row, bp_opencl_product_fn add,
                             const void *data, size_t size)
{
    struct bp_opencl_expression *e;
    void *copy;

    if (!b->kernels || b->kernels[b->node] == b->node || b->rc < 0)
        return b->rc < 0;
    copy = bp_blocks_get(b->memory, size);
    e = copy ? add_expression(b, bp_opencl_out(b, BP_NODE(b->graph, b->node), 0)) : NULL;
    if (!e) {
        bp_opencl_build_fail(b, BP_E_NOMEM, "opencl: no memory for a frame");
        return true;
    }
    memcpy(copy, data, size);
    e->add = add;
    e->data = copy;
    e->row = row;
    defer(b, e);
    return true;
}
