/* SPDX-License-Identifier: MIT */
/*
 * lower.c - graph mode: the calls of a group, as a graph of ACL's operators, and the model that is
 * built of it.
 *
 * Calls name locations, the builder names tensors. A slot for each location holds the tensor that
 * is there at this point; constants become tensors when a call first reads them.
 */

#include "model.h"

enum { MAX_SCALARS = 2 }; /* that a node's calls read, at most */

/*
 * What is at a location at this point: a tensor of the graph, or bytes that are all the same and
 * become a constant when a node reads them.
 */
struct slot {
    uint32_t tensor;
    bool is_there, is_output;
    bool is_filled;
    int32_t byte;
};

/* A model in the making. After a failure (rc < 0) nothing more is added. */
struct lowering {
    const bp_program *program;
    const struct bp_cann_build *b;
    const struct bp_cann_builder *builder;
    bp_ascend_graph *graph;
    struct slot *slots; /* inputs, outputs, items, values that are constant, scalars */
    size_t n_slots;
    bp_rc rc;
    bp_err *err;
};

/* The first failure counts. */
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

/* ---- slots ---------------------------------------------------------------------------------- */

/*
 * The value whose bytes begin at the offset, or, counted on after all values, the scalar; SIZE_MAX:
 * neither.
 */
static size_t find_constant(const bp_program *program, uint64_t offset)
{
    const bp_graph *graph = program->graph;

    for (uint32_t v = 0; v < graph->n_values; v++) {
        if (program->constants[v] == offset && BP_VALUE(graph, v)->const_bytes > 0)
            return v;
    }
    for (uint32_t n = 0; n < graph->n_nodes; n++) {
        uint64_t at = offset - program->scalars[n];

        if (offset >= program->scalars[n] && at / BP_CANN_UNIT < program->ops[n]->n_scalars &&
            at / BP_CANN_UNIT < MAX_SCALARS)
            return graph->n_values + (size_t)n * MAX_SCALARS + (size_t)(at / BP_CANN_UNIT);
    }
    return SIZE_MAX;
}

/* The slot of a location that is not absent, and whose constant there is. */
static struct slot *slot_at(const struct lowering *l, const struct bp_cann_location *location)
{
    const bp_graph *graph = l->b->graph;
    size_t base = (size_t)graph->n_inputs + graph->n_outputs;

    switch (location->kind) {
    case BP_CANN_INPUT:
        return &l->slots[location->index];
    case BP_CANN_OUTPUT:
        return &l->slots[graph->n_inputs + location->index];
    case BP_CANN_ITEM:
        return &l->slots[base + location->index];
    default:
        return &l->slots[base + l->b->n_items + find_constant(l->program, location->offset)];
    }
}

/* ---- constants ------------------------------------------------------------------------------- */

/* The builder copies the bytes. */
static void put_constant(struct lowering *l, struct slot *slot, const aclTensorDesc *desc,
                         const void *data, size_t size)
{
    check(l, l->builder->bp_ascend_graph_constant(l->graph, desc, data, size, &slot->tensor),
          "a constant");
    slot->is_there = true;
}

/* The host's bytes of constant v. */
static void put_value(struct lowering *l, struct slot *slot, uint32_t v, const aclTensorDesc *desc)
{
    const bp_host *host = &l->program->instance->host;
    bp_span bytes = {0};

    l->rc = host->constant(host->h, l->program->graph, v, &bytes, l->err);
    if (l->rc >= 0)
        put_constant(l, slot, desc, bytes.data, bytes.size);
}

/* `which` counts MAX_SCALARS for each node. */
static void put_scalar(struct lowering *l, struct slot *slot, size_t which,
                       const aclTensorDesc *desc)
{
    const bp_program *program = l->program;
    uint32_t n = (uint32_t)(which / MAX_SCALARS), i = (uint32_t)(which % MAX_SCALARS);
    const bp_node *node = BP_NODE(program->graph, n);
    double scalar;
    size_t size = bp_cann_encode(program->ops[n]->scalar(program->graph, node, i),
                                 BP_VALUE(program->graph, node->in[0])->dtype, &scalar);

    put_constant(l, slot, desc, &scalar, size);
}

/*
 * Bytes that no operator computes become a constant, of the type in which the first reader sees
 * them; all other readers see the same type.
 */
static void put_filled(struct lowering *l, struct slot *slot, const aclTensorDesc *desc,
                       size_t size)
{
    void *bytes = bp_cann_calloc(l->program->instance, size, 1);

    if (!bytes) {
        fail_no_memory(l);
        return;
    }
    memset(bytes, slot->byte, size);
    put_constant(l, slot, desc, bytes, size);
    bp_cann_free(l->program->instance, bytes, size, 1);
}

/* The tensor at a location, which is added to the graph now if it is a constant. */
static uint32_t tensor_at(struct lowering *l, const struct bp_cann_arg *arg,
                          const aclTensorDesc *desc)
{
    struct slot *slot;
    size_t constant;

    if (arg->location.kind == BP_CANN_ABSENT)
        return BP_ASCEND_NO_TENSOR;
    if (arg->location.kind == BP_CANN_CONSTANT &&
        find_constant(l->program, arg->location.offset) == SIZE_MAX) {
        l->rc = bp_fail(l->err, BP_E_INTERNAL, "cann: a call reads a constant that is not there");
        return BP_ASCEND_NO_TENSOR;
    }
    slot = slot_at(l, &arg->location);
    if (!slot->is_there && slot->is_filled) {
        put_filled(l, slot, desc, arg->bytes);
    } else if (!slot->is_there && arg->location.kind == BP_CANN_CONSTANT) {
        constant = find_constant(l->program, arg->location.offset);
        if (constant < l->b->graph->n_values)
            put_value(l, slot, (uint32_t)constant, desc);
        else
            put_scalar(l, slot, constant - l->b->graph->n_values, desc);
    }
    return slot->tensor;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Outputs replace what their locations held. */
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

        if (arg->location.kind != BP_CANN_ABSENT)
            *slot_at(l, &arg->location) = (struct slot){.tensor = out[i], .is_there = true};
    }
}

/* Copies are calls of Identity in a graph, so what is not a call is a fill. */
static void put_step(struct lowering *l, const struct bp_cann_step *step)
{
    if (step->kind == BP_CANN_CALL)
        put_call(l, step);
    else /* copies are calls of Identity in a graph */
        *slot_at(l, &step->args[0].location) = (struct slot){.is_filled = true, .byte = step->fill};
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* For an input or output of the model; NULL: no memory, which is noted. */
static aclTensorDesc *describe(struct lowering *l, const struct bp_cann_tensor *tensor)
{
    aclTensorDesc *desc = l->program->instance->driver->acl.aclCreateTensorDesc(
        bp_cann_type(tensor->dtype), tensor->rank, tensor->dims, ACL_FORMAT_ND);

    if (!desc)
        fail_no_memory(l);
    return desc;
}

/*
 * All inputs of the group in order, read or not, so that the model's are known by their order.
 * Those without elements are left out.
 */
static void put_input(struct lowering *l, uint32_t i)
{
    uint32_t v = l->b->graph->inputs[i];
    const struct bp_cann_tensor *tensor = &l->b->values[v];
    struct slot *slot = &l->slots[i];
    aclTensorDesc *desc;

    if (bp_cann_bytes(tensor) == 0)
        return;
    desc = describe(l, tensor);
    if (!desc)
        return;
    check(l,
          l->builder->bp_ascend_graph_input(l->graph, BP_VALUE(l->b->graph, v)->name, desc,
                                            &slot->tensor),
          "an input");
    slot->is_there = true;
    l->program->instance->driver->acl.aclDestroyTensorDesc(desc);
}

/*
 * A model's output comes from an operator, and is one output: anything else, as an input or a
 * constant that is passed on, goes through Identity.
 */
static void put_output(struct lowering *l, uint32_t i)
{
    uint32_t v = l->b->graph->outputs[i];
    const struct bp_cann_tensor *tensor = &l->b->values[v];
    struct bp_cann_arg arg = {.location = tensor->location, .bytes = bp_cann_bytes(tensor)};
    struct slot *slot;
    aclTensorDesc *desc;
    uint32_t at;

    if (arg.bytes == 0)
        return;
    desc = describe(l, tensor);
    if (!desc)
        return;
    slot = slot_at(l, &arg.location);
    at = tensor_at(l, &arg, desc);
    if (l->rc >= 0 && (slot->is_filled || slot->is_output || arg.location.kind != BP_CANN_OUTPUT)) {
        const aclTensorDesc *const descs[] = {desc};

        check(l,
              l->builder->bp_ascend_graph_operator(l->graph, "Identity", 1, &at, descs, 1, descs,
                                                   NULL, &at),
              "an output");
    }
    slot->is_output = true;
    if (l->rc >= 0)
        check(l, l->builder->bp_ascend_graph_output(l->graph, BP_VALUE(l->b->graph, v)->name, at),
              "an output");
    l->program->instance->driver->acl.aclDestroyTensorDesc(desc);
}

/* ---- the model ------------------------------------------------------------------------------- */

/* The settings in force, which are the process's. */
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

/* Inputs, calls and outputs, in the order that the builder wants. */
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

/* One slot each for inputs, outputs, scratch items, values that are constant, and scalars. */
bp_rc bp_cann_lower(const bp_program *program, const struct bp_cann_build *b, const char *name,
                    void **bytes, size_t *size, bp_err *err)
{
    const bp_graph *graph = program->graph;
    struct lowering l = {
        .program = program, .b = b, .builder = &program->instance->driver->builder, .err = err};

    l.n_slots = (size_t)graph->n_inputs + graph->n_outputs + b->n_items + graph->n_values +
                (size_t)graph->n_nodes * MAX_SCALARS;
    l.slots = bp_cann_calloc(program->instance, l.n_slots, sizeof *l.slots);
    l.graph = l.builder->bp_ascend_graph_create(name);
    if (l.slots && l.graph)
        put_all(&l);
    else
        fail_no_memory(&l);
    if (l.rc >= 0)
        check(&l, l.builder->bp_ascend_graph_build(l.graph, bytes, size), name);
    l.builder->bp_ascend_graph_destroy(l.graph);
    if (l.slots)
        bp_cann_free(program->instance, l.slots, l.n_slots, sizeof *l.slots);
    return l.rc;
}
