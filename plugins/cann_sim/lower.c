/* SPDX-License-Identifier: MIT */
/* lower.c - the calls of a group, as a graph of ACL's operators, and the model that is built of it. */

#include "model.h"

enum { EXTRAS = 2 }; /* numbers that a node's calls read, at most */

/* What stands at a place by now: a tensor of the graph, or bytes that are all the same. */
struct made {
    uint32_t tensor;
    bool is_there, is_output;
    bool is_filled;
    int32_t byte;
};

struct lowering {
    const bp_program *program;
    const struct bp_cann_build *b;
    const struct bp_cann_builder *builder;
    bp_ascend_graph *graph;
    struct made *places; /* inputs, outputs, items, values that are constant, extras */
    size_t n_places;
    bp_rc rc;
    bp_err *err;
};

static void check(struct lowering *l, aclError code, const char *what)
{
    if (l->rc >= 0 && code != ACL_SUCCESS)
        l->rc =
            bp_cann_fail(l->program->instance->driver, l->err, code, "building a model: %s", what);
}

static void fail_no_memory(struct lowering *l)
{
    if (l->rc >= 0)
        l->rc = bp_fail(l->err, BP_E_NOMEM, "cann: no memory to build a model");
}

/* ---- places ---------------------------------------------------------------------------------- */

/* The value, or the extra behind all values, whose bytes begin there. */
static size_t find_constant(const bp_program *program, uint64_t offset)
{
    const bp_graph *graph = program->graph;

    for (uint32_t v = 0; v < graph->n_values; v++) {
        if (program->constants[v] == offset && BP_VALUE(graph, v)->const_bytes > 0)
            return v;
    }
    for (uint32_t n = 0; n < graph->n_nodes; n++) {
        uint64_t at = offset - program->extras[n];

        if (offset >= program->extras[n] && at / BP_CANN_UNIT < program->ops[n]->n_extras &&
            at / BP_CANN_UNIT < EXTRAS)
            return graph->n_values + (size_t)n * EXTRAS + (size_t)(at / BP_CANN_UNIT);
    }
    return SIZE_MAX;
}

static struct made *made_at(const struct lowering *l, const struct bp_cann_place *place)
{
    const bp_graph *graph = l->b->graph;
    size_t base = (size_t)graph->n_inputs + graph->n_outputs;

    switch (place->kind) {
    case BP_CANN_INPUT:
        return &l->places[place->index];
    case BP_CANN_OUTPUT:
        return &l->places[graph->n_inputs + place->index];
    case BP_CANN_ITEM:
        return &l->places[base + place->index];
    default:
        return &l->places[base + l->b->n_items + find_constant(l->program, place->offset)];
    }
}

/* ---- constants ------------------------------------------------------------------------------- */

static void put_constant(struct lowering *l, struct made *made, const aclTensorDesc *desc,
                         const void *data, size_t size)
{
    check(l, l->builder->bp_ascend_graph_constant(l->graph, desc, data, size, &made->tensor),
          "a constant");
    made->is_there = true;
}

static void put_value(struct lowering *l, struct made *made, uint32_t v, const aclTensorDesc *desc)
{
    const bp_host *host = &l->program->instance->host;
    bp_span bytes = {0};

    l->rc = host->constant(host->h, l->program->graph, v, &bytes, l->err);
    if (l->rc >= 0)
        put_constant(l, made, desc, bytes.data, bytes.size);
}

static void put_extra(struct lowering *l, struct made *made, size_t which,
                      const aclTensorDesc *desc)
{
    const bp_program *program = l->program;
    uint32_t n = (uint32_t)(which / EXTRAS), i = (uint32_t)(which % EXTRAS);
    const bp_node *node = BP_NODE(program->graph, n);
    double room;
    size_t size = bp_cann_encode(program->ops[n]->extra(program->graph, node, i),
                                 BP_VALUE(program->graph, node->in[0])->dtype, &room);

    put_constant(l, made, desc, &room, size);
}

/* Bytes that nobody computes. They have the type of who reads them first, and of all others. */
static void put_filled(struct lowering *l, struct made *made, const aclTensorDesc *desc,
                       size_t size)
{
    void *bytes = bp_cann_get(l->program->instance, size, 1);

    if (!bytes) {
        fail_no_memory(l);
        return;
    }
    memset(bytes, made->byte, size);
    put_constant(l, made, desc, bytes, size);
    bp_cann_put(l->program->instance, bytes, size, 1);
}

/* The tensor at a place, which is made now if it is a constant. */
static uint32_t tensor_at(struct lowering *l, const struct bp_cann_arg *arg,
                          const aclTensorDesc *desc)
{
    struct made *made;
    size_t constant;

    if (arg->place.kind == BP_CANN_NOWHERE)
        return BP_ASCEND_NO_TENSOR;
    if (arg->place.kind == BP_CANN_CONSTANT &&
        find_constant(l->program, arg->place.offset) == SIZE_MAX) {
        l->rc = bp_fail(l->err, BP_E_INTERNAL, "cann: a call reads a constant that is not there");
        return BP_ASCEND_NO_TENSOR;
    }
    made = made_at(l, &arg->place);
    if (!made->is_there && made->is_filled) {
        put_filled(l, made, desc, arg->bytes);
    } else if (!made->is_there && arg->place.kind == BP_CANN_CONSTANT) {
        constant = find_constant(l->program, arg->place.offset);
        if (constant < l->b->graph->n_values)
            put_value(l, made, (uint32_t)constant, desc);
        else
            put_extra(l, made, constant - l->b->graph->n_values, desc);
    }
    return made->tensor;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void put_call(struct lowering *l, const struct bp_cann_step *step)
{
    uint32_t in[BP_CANN_MAX_INPUTS], out[BP_CANN_MAX_OUTPUTS];

    for (uint32_t i = 0; i < step->n_in && l->rc >= 0; i++)
        in[i] = tensor_at(l, &step->args[i], step->descs[i]);
    if (l->rc < 0)
        return;
    check(l,
          l->builder->bp_ascend_graph_operator(l->graph, step->type, (int)step->n_in, in,
                                               step->descs, (int)step->n_out,
                                               step->descs + step->n_in, step->attr, out),
          BP_NODE(l->b->graph, step->node)->name);
    for (uint32_t i = 0; i < step->n_out && l->rc >= 0; i++) {
        const struct bp_cann_arg *arg = &step->args[step->n_in + i];

        if (arg->place.kind != BP_CANN_NOWHERE)
            *made_at(l, &arg->place) = (struct made){.tensor = out[i], .is_there = true};
    }
}

static void put_step(struct lowering *l, const struct bp_cann_step *step)
{
    if (step->kind == BP_CANN_CALL)
        put_call(l, step);
    else /* copies are calls of Identity in a graph */
        *made_at(l, &step->args[0].place) = (struct made){.is_filled = true, .byte = step->fill};
}

/* ---- ends ------------------------------------------------------------------------------------ */

static aclTensorDesc *describe(struct lowering *l, const struct bp_cann_tensor *tensor)
{
    aclTensorDesc *desc = l->program->instance->driver->acl.aclCreateTensorDesc(
        bp_cann_type(tensor->dtype), tensor->rank, tensor->dims, ACL_FORMAT_ND);

    if (!desc)
        fail_no_memory(l);
    return desc;
}

/* All of them in order, read or not, so that an end of the model has its place by that. */
static void put_input(struct lowering *l, uint32_t i)
{
    uint32_t v = l->b->graph->inputs[i];
    const struct bp_cann_tensor *tensor = &l->b->values[v];
    struct made *made = &l->places[i];
    aclTensorDesc *desc;

    if (bp_cann_bytes(tensor) == 0)
        return;
    desc = describe(l, tensor);
    if (!desc)
        return;
    check(l,
          l->builder->bp_ascend_graph_input(l->graph, BP_VALUE(l->b->graph, v)->name, desc,
                                            &made->tensor),
          "an input");
    made->is_there = true;
    l->program->instance->driver->acl.aclDestroyTensorDesc(desc);
}

/* A model's output comes from an operator, and is one output: anything else goes through Identity. */
static void put_output(struct lowering *l, uint32_t i)
{
    uint32_t v = l->b->graph->outputs[i];
    const struct bp_cann_tensor *tensor = &l->b->values[v];
    struct bp_cann_arg arg = {.place = tensor->place, .bytes = bp_cann_bytes(tensor)};
    struct made *made;
    aclTensorDesc *desc;
    uint32_t at;

    if (arg.bytes == 0)
        return;
    desc = describe(l, tensor);
    if (!desc)
        return;
    made = made_at(l, &arg.place);
    at = tensor_at(l, &arg, desc);
    if (l->rc >= 0 && (made->is_filled || made->is_output || arg.place.kind != BP_CANN_OUTPUT)) {
        const aclTensorDesc *const descs[] = {desc};

        check(l,
              l->builder->bp_ascend_graph_operator(l->graph, "Identity", 1, &at, descs, 1, descs,
                                                   NULL, &at),
              "an output");
    }
    made->is_output = true;
    if (l->rc >= 0)
        check(l, l->builder->bp_ascend_graph_output(l->graph, BP_VALUE(l->b->graph, v)->name, at),
              "an output");
    l->program->instance->driver->acl.aclDestroyTensorDesc(desc);
}

/* ---- the model ------------------------------------------------------------------------------- */

static void put_options(struct lowering *l)
{
    static const char *const keys[] = {[BP_CANN_SET_PRECISION] = "precision_mode",
                                       [BP_CANN_SET_IMPL_MODE] = "op_select_impl_mode",
                                       [BP_CANN_SET_IMPL_LIST] = "optypelist_for_implmode"};

    for (uint32_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        check(l,
              l->builder->bp_ascend_graph_option(l->graph, keys[i],
                                                 l->program->instance->settings[i]),
              keys[i]);
}

static void put_all(struct lowering *l)
{
    const bp_graph *graph = l->b->graph;

    put_options(l);
    for (uint32_t i = 0; i < graph->n_inputs && l->rc >= 0; i++)
        put_input(l, i);
    for (const struct bp_cann_step *step = l->b->steps; step && l->rc >= 0; step = step->next)
        put_step(l, step);
    for (uint32_t i = 0; i < graph->n_outputs && l->rc >= 0; i++)
        put_output(l, i);
}

bp_rc bp_cann_lower(const bp_program *program, const struct bp_cann_build *b, const char *name,
                    void **bytes, size_t *size, bp_err *err)
{
    const bp_graph *graph = program->graph;
    struct lowering l = {
        .program = program, .b = b, .builder = &program->instance->driver->builder, .err = err};

    l.n_places = (size_t)graph->n_inputs + graph->n_outputs + b->n_items + graph->n_values +
                 (size_t)graph->n_nodes * EXTRAS;
    l.places = bp_cann_get(program->instance, l.n_places, sizeof *l.places);
    l.graph = l.builder->bp_ascend_graph_create(name);
    if (l.places && l.graph)
        put_all(&l);
    else
        fail_no_memory(&l);
    if (l.rc >= 0)
        check(&l, l.builder->bp_ascend_graph_build(l.graph, bytes, size), name);
    l.builder->bp_ascend_graph_destroy(l.graph);
    if (l.places)
        bp_cann_put(program->instance, l.places, l.n_places, sizeof *l.places);
    return l.rc;
}
