/* SPDX-License-Identifier: MIT */
/* function_kit.h - models with functions, written and read back; see check_functions.c. */
#ifndef BP_TESTS_FUNCTION_KIT_H
#define BP_TESTS_FUNCTION_KIT_H

#include "graph/schema.h"
#include "support/model_fixture.h"
#include "text/text.h"

/* ---- writing --------------------------------------------------------------------------------- */

/* A model x -> y, its graph open. */
static inline void open_model(void)
{
    w.size = 0;
    pw_open_model(&w);
    pw_value(&w, 11, "x", BP_DTYPE_F32, PW_DIMS(2));
    pw_value(&w, 12, "y", BP_DTYPE_F32, PW_DIMS(2));
}

/* A call of function d.OP: the caller adds attributes and closes. field: 1 in a graph, 7 in a function. */
static inline void open_call(uint32_t field, const char *name, const char *op, const char *in,
                             const char *out)
{
    pw_open_node_in(&w, field, op, in, out);
    pw_text(&w, 3, name);
    pw_text(&w, 7, "d");
}

static inline void call(const char *name, const char *op, const char *in, const char *out)
{
    open_call(1, name, op, in, out);
    pw_close(&w);
}

static inline void open_function(const char *name, const char *in, const char *out)
{
    pw_open(&w, 25);
    pw_text(&w, 10, "d");
    pw_text(&w, 1, name);
    pw_words(&w, 4, in);
    pw_words(&w, 5, out);
}

/* A node of a function, without attributes. */
static inline void inner(const char *op, const char *in, const char *out)
{
    pw_open_node_in(&w, 7, op, in, out);
    pw_close(&w);
}

/* An attribute `name` that is attribute `of` of the call. */
static inline void refer(const char *name, const char *of)
{
    pw_open_attr(&w, name, 1);
    pw_text(&w, 21, of);
    pw_close(&w);
}

static inline void float_attr(const char *name, float value)
{
    pw_open_attr(&w, name, 1);
    pw_float(&w, 2, value);
    pw_close(&w);
}

/* ---- what came of it ------------------------------------------------------------------------- */

static inline void describe_value(struct bp_text *out, const struct bp_ir *graph, uint32_t value)
{
    bp_text_printf(out, " %s", value == BP_NONE ? "-" : graph->values[value].name);
}

/* "name: Op in in > out; ..." */
static inline void describe(struct bp_text *out, const struct bp_ir *graph)
{
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        const struct bp_ir_node *node = &graph->nodes[i];

        bp_text_printf(out, "%s%s: %s", i ? "; " : "", node->name, node->op);
        for (uint32_t k = 0; k < node->n_in; k++)
            describe_value(out, graph, node->in[k]);
        bp_text_add(out, " >");
        for (uint32_t k = 0; k < node->n_out; k++)
            describe_value(out, graph, node->out[k]);
    }
}

static inline void ck_graph(const struct bp_ir *graph, const char *want)
{
    struct bp_text got = {0};

    describe(&got, graph);
    ck_assert_str_eq(got.data, want);
    bp_text_finish(&got);
}

static inline const struct bp_ir_node *node_of(const char *name)
{
    for (uint32_t i = 0; i < ir->n_nodes; i++) {
        if (strcmp(ir->nodes[i].name, name) == 0)
            return &ir->nodes[i];
    }
    ck_abort_msg("no node '%s'", name);
    return NULL;
}

static inline float float_of(const char *node, const char *attr)
{
    const bp_attr *found = bp_ir_attr(node_of(node), attr);

    ck_assert_msg(found && found->type == BP_ATTR_FLOAT, "%s has no %s", node, attr);
    return *(const float *)found->data;
}

#endif
