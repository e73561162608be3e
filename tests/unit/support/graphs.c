/* SPDX-License-Identifier: MIT */
/* graphs.c - graphs made by hand, for the tests of graph/. */

#include "config.h"

#include "support/graphs.h"

#include <check.h>
#include <stdlib.h>

void graphs_setup(struct graphs *g)
{
    memset(g, 0, sizeof *g);
    g->err = bp_err_init(g->words, sizeof g->words);
    ck_assert_int_eq(bp_ir_create(&g->region, &g->symbols, NULL, "main", &g->main, &g->err), BP_OK);
}

void graphs_teardown(struct graphs *g)
{
    bp_ir_finish(g->main);
    bp_symbols_finish(&g->symbols);
    bp_region_finish(&g->region);
}

struct bp_ir *graphs_subgraph(struct graphs *g, struct bp_ir *parent, const char *name)
{
    struct bp_ir *subgraph;

    ck_assert_int_eq(bp_ir_create(&g->region, &g->symbols, parent, name, &subgraph, &g->err),
                     BP_OK);
    return subgraph;
}

uint32_t graphs_value(const struct bp_ir *ir, const char *name)
{
    uint32_t value = bp_strmap_get(&ir->by_name, name, BP_NONE);

    ck_assert_msg(value != BP_NONE, "%s", name);
    return value;
}

static void set_shape(struct graphs *g, const char *shape, struct bp_fact *fact)
{
    struct bp_sym dims[8];
    char *copy = bp_region_string(&g->region, shape), *dim, *state = NULL;

    fact->rank = 0;
    for (dim = strtok_r(copy, ",", &state); dim; dim = strtok_r(NULL, ",", &state)) {
        struct bp_sym *sym = &dims[fact->rank++];

        if (strcmp(dim, "?") == 0)
            *sym = bp_sym_of(-1);
        else if (*dim >= '0' && *dim <= '9')
            *sym = bp_sym_of(atoi(dim));
        else
            ck_assert_int_eq(bp_symbols_named(&g->symbols, dim, sym, &g->err), BP_OK);
    }
    fact->dims = memcpy(bp_region_array(&g->region, 8, sizeof dims[0]), dims, sizeof dims);
    if (strcmp(shape, "...") == 0)
        fact->rank = BP_RANK_UNKNOWN;
}

void graphs_declare(struct graphs *g, struct bp_ir *ir, const char *name, uint32_t dtype,
                    const char *shape)
{
    struct bp_ir_value *value = &ir->values[graphs_value(ir, name)];

    value->declared.dtype = dtype;
    set_shape(g, shape, &value->declared);
}

static uint32_t *add_to(struct graphs *g, uint32_t *list, uint32_t *n, uint32_t value)
{
    uint32_t *larger = bp_region_array(&g->region, *n + 1, sizeof *larger);

    ck_assert_ptr_nonnull(larger);
    if (*n > 0)
        memcpy(larger, list, *n * sizeof *larger);
    larger[(*n)++] = value;
    return larger;
}

uint32_t graphs_input(struct graphs *g, struct bp_ir *ir, const char *name, uint32_t dtype,
                      const char *shape)
{
    uint32_t value;

    ck_assert_int_eq(bp_ir_define(ir, name, &value, &g->err), BP_OK);
    graphs_declare(g, ir, name, dtype, shape);
    ir->values[value].flags |= BP_IR_INPUT;
    ir->inputs = add_to(g, ir->inputs, &ir->n_inputs, value);
    return value;
}

void graphs_output(struct graphs *g, struct bp_ir *ir, const char *name)
{
    uint32_t value = bp_strmap_get(&ir->by_name, name, BP_NONE);

    if (value == BP_NONE)
        ck_assert_int_eq(bp_ir_define(ir, name, &value, &g->err), BP_OK);
    ir->outputs = add_to(g, ir->outputs, &ir->n_outputs, value);
}

uint32_t graphs_constant(struct graphs *g, struct bp_ir *ir, const char *name, uint32_t dtype,
                         const void *bytes, uint32_t n)
{
    struct bp_ir_data *data = bp_region_alloc(&g->region, sizeof *data);
    int64_t *dims = bp_region_array(&g->region, 1, sizeof *dims);
    uint32_t value;

    ck_assert_int_eq(bp_ir_define(ir, name, &value, &g->err), BP_OK);
    dims[0] = n;
    data->dims = dims;
    data->rank = n > 0;
    data->dtype = dtype;
    ck_assert(bp_dense_bytes(dtype, dims, data->rank, &data->size));
    data->bytes = bytes;
    ir->values[value].data = data;
    ir->values[value].flags |= BP_IR_CONSTANT;
    return value;
}

/* Calls of the next name of a list; NULL at its end. "" is a name too. */
static char *next_name(char **list)
{
    return *list && **list ? strsep(list, ",") : NULL;
}

static uint32_t count_names(const char *list)
{
    uint32_t n = *list != '\0';

    for (; *list; list++)
        n += *list == ',';
    return n;
}

uint32_t graphs_node(struct graphs *g, struct bp_ir *ir, const char *name, const char *op,
                     const char *in, const char *out)
{
    char *inputs = bp_region_string(&g->region, in), *outputs = bp_region_string(&g->region, out);
    uint32_t node, value;
    bp_rc rc;

    ck_assert_int_eq(
        bp_ir_add_node(ir, name, op, "", count_names(in), count_names(out), &node, &g->err), BP_OK);
    for (uint32_t i = 0; i < ir->nodes[node].n_in; i++) {
        const char *s = next_name(&inputs);

        if (!s || !*s)
            continue;
        rc = ir->parent ? bp_ir_resolve(ir, s, &value, &g->err) : BP_OK;
        ck_assert_msg(rc == BP_OK, "%s", g->words);
        value = bp_strmap_get(&ir->by_name, s, BP_NONE);
        if (value == BP_NONE)
            ck_assert_int_eq(bp_ir_define(ir, s, &value, &g->err), BP_OK);
        ir->nodes[node].in[i] = value;
    }
    for (uint32_t i = 0; i < ir->nodes[node].n_out; i++) {
        const char *s = next_name(&outputs);

        if (!s || !*s)
            continue;
        value = bp_strmap_get(&ir->by_name, s, BP_NONE);
        if (value == BP_NONE)
            ck_assert_int_eq(bp_ir_define(ir, s, &value, &g->err), BP_OK);
        ir->nodes[node].out[i] = value;
    }
    return node;
}

void graphs_attr(struct graphs *g, struct bp_ir *ir, uint32_t node, const char *name, uint32_t type,
                 uint32_t flags, uint32_t count, const void *data)
{
    struct bp_ir_node *n = &ir->nodes[node];
    bp_attr *attrs = bp_region_array(&g->region, n->n_attrs + 1, sizeof *attrs);

    ck_assert_ptr_nonnull(attrs);
    if (n->n_attrs > 0)
        memcpy(attrs, n->attrs, n->n_attrs * sizeof *attrs);
    attrs[n->n_attrs].name = name;
    attrs[n->n_attrs].type = type;
    attrs[n->n_attrs].flags = flags;
    attrs[n->n_attrs].count = count;
    attrs[n->n_attrs].data = data;
    n->attrs = attrs;
    n->n_attrs++;
}

void graphs_add_subgraph(struct graphs *g, struct bp_ir *ir, uint32_t node, const char *attr,
                         struct bp_ir *subgraph)
{
    struct bp_ir_node *n = &ir->nodes[node];
    struct bp_ir **subgraphs = bp_region_array(&g->region, n->n_subgraphs + 1, sizeof *subgraphs);
    uint32_t *index = bp_region_alloc(&g->region, sizeof *index);

    ck_assert(subgraphs && index);
    if (n->n_subgraphs > 0)
        memcpy(subgraphs, n->subgraphs, n->n_subgraphs * sizeof *subgraphs);
    *index = n->n_subgraphs;
    subgraphs[n->n_subgraphs++] = subgraph;
    n->subgraphs = subgraphs;
    graphs_attr(g, ir, node, attr, BP_ATTR_GRAPH, 0, 1, index);
}

static uint32_t opset_13(void *h, const char *domain)
{
    (void)h;
    return domain[0] == '\0' ? 13 : 0;
}

bp_rc graphs_seal(struct graphs *g)
{
    return bp_ir_seal(g->main, opset_13, NULL, &g->err);
}
