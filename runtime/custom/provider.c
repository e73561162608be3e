/* SPDX-License-Identifier: MIT */
/* provider.c - claims nodes of the application's operators, and makes kernels of them. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "custom/provider.h"

struct bp_instance {
    const bp_host *host;
};

/* There are no options and no devices to choose from: the definitions come with the graph. */
static bp_rc create(const bp_host *host, const bp_opt *options, uint32_t n_options,
                    const uint32_t *devices, uint32_t n_devices, bp_instance **out, bp_err *err)
{
    bp_instance *instance = calloc(1, sizeof *instance);

    (void)options;
    (void)n_options;
    (void)devices;
    (void)n_devices;
    if (!instance)
        return bp_fail_nomem(err, "a provider");
    instance->host = host;
    *out = instance;
    return BP_OK;
}

static void destroy(bp_instance *instance)
{
    free(instance);
}

/* ---- claims ---------------------------------------------------------------------------------- */

/*
 * The definition of node i; NULL: it is not an operator of the application. The one place where a
 * provider looks behind the table that it is handed. It may, since this provider is part of the
 * host and gets graphs of the host alone.
 */
static const struct bp_custom *custom_of(const bp_graph *graph, uint32_t i)
{
    const struct bp_graph_view *view = graph->host; /* its owner is the first member of the view */

    return bp_custom_of(view->ir->nodes[view->node_of[i]].schema);
}

/*
 * The name of a value whose element type is not known; NULL: all are. Kernels are chosen by type,
 * and the storage of outputs is sized by it, so a node with an unknown type cannot run.
 */
static const char *find_untyped(const struct bp_schema *schema, const bp_graph *graph,
                                const bp_node *node)
{
    for (uint32_t i = 0; i < node->n_in + node->n_out; i++) {
        bool is_in = i < node->n_in;
        uint32_t value = is_in ? node->in[i] : node->out[i - node->n_in];
        const struct bp_param *param =
            is_in ? bp_schema_in(schema, i) : bp_schema_out(schema, i - node->n_in);

        if (param && param->kinds) /* its tensors have the type that each says itself */
            continue;
        if (value != BP_NONE && BP_VALUE(graph, value)->dtype == BP_DTYPE_NONE)
            return BP_VALUE(graph, value)->name;
    }
    return NULL;
}

/*
 * The application's answer may not depend on constants: they are not loaded before a group is
 * compiled, so it sees none.
 */
static bp_rc ask(const struct bp_custom *custom, const bp_graph *graph, const bp_node *node,
                 bp_err *err)
{
    const bp_tensor **none = calloc((size_t)node->n_in + 1, sizeof(const bp_tensor *));
    bp_operator_node view = {
        .struct_size = sizeof view, .graph = graph, .node = node, .constants = none};
    bp_rc rc;

    if (!none)
        return bp_fail_nomem(err, "an operator's answer");
    rc = bp_custom_claim(&custom->def, &view, err);
    free(none);
    return rc;
}

/*
 * The function's words become the reason of the refusal, as they are what its author wants users to
 * read.
 */
static void claim(const struct bp_custom *custom, const bp_graph *graph, uint32_t i,
                  const bp_claims *claims)
{
    const bp_node *node = BP_NODE(graph, i);
    const char *untyped = find_untyped(&custom->schema, graph, node);
    char text[512];
    bp_err err = bp_err_init(text, sizeof text);

    if (untyped)
        bp_refuse(claims, i, BP_R_DTYPE, untyped,
                  "its element type follows neither from the operator nor from the model");
    else if (custom->def.claim && ask(custom, graph, node, &err) < 0)
        bp_refuse(claims, i, BP_R_OTHER, NULL, text);
    else
        bp_accept(claims, i);
}

static bp_rc capability(bp_instance *instance, const bp_graph *graph, const bp_claims *claims,
                        bp_err *err)
{
    (void)instance;
    (void)err;
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        const struct bp_custom *custom = custom_of(graph, i);

        if (custom)
            claim(custom, graph, i, claims);
        else
            bp_refuse(claims, i, BP_R_OP, NULL, "no operator of the application");
    }
    return BP_OK;
}

/* ---- programs -------------------------------------------------------------------------------- */

/* Kernels are destroyed before the region, in which their views and constants lie. */
static void program_free(bp_program *program)
{
    if (!program)
        return;
    for (uint32_t i = 0; program->nodes && i < program->graph->n_nodes; i++) {
        const struct bp_custom_node *node = &program->nodes[i];

        if (node->is_made)
            bp_custom_destroy(&node->custom->def, node->kernel, program->host);
    }
    bp_region_finish(&program->region);
    free(program);
}

/* Constants may lie at odd addresses of their file; kernels get them aligned. */
static const void *aligned(struct bp_region *region, const bp_value *value, bp_span bytes)
{
    size_t width = bp_dtype_width(value->dtype) / 8;
    void *copy;

    if (value->dtype == BP_DTYPE_STRING)
        width = sizeof(void *);
    if (width < 2 || (uintptr_t)bytes.data % (width < 8 ? width : 8) == 0)
        return bytes.data;
    copy = bp_region_alloc(region, bytes.size);
    return copy ? memcpy(copy, bytes.data, bytes.size) : NULL;
}

/*
 * Every constant of the group is shown to kernels, because only the kernel knows which ones it
 * reads.
 */
static bp_rc load_constant(bp_program *program, uint32_t v, bp_err *err)
{
    const bp_value *value = BP_VALUE(program->graph, v);
    bp_tensor *tensor = &program->constants[v];
    const void *data;
    int64_t *dims;
    bp_span bytes;
    bp_rc rc;

    if (!(value->flags & BP_VALUE_CONSTANT))
        return BP_OK;
    rc = program->host->constant(program->host->h, program->graph, v, &bytes, err);
    if (rc < 0)
        return rc;
    data = aligned(&program->region, value, bytes);
    dims = bp_region_array(&program->region, value->rank, sizeof *dims);
    if (!dims || (!data && bytes.size > 0))
        return bp_fail_nomem(err, "a constant");
    for (uint32_t d = 0; d < value->rank; d++)
        dims[d] = value->dims[d].value;
    *tensor = (bp_tensor){.base = (void *)(uintptr_t)data, /* kernels only read inputs */
                          .dims = dims,
                          .bytes = bytes.size,
                          .rank = value->rank,
                          .dtype = value->dtype};
    return BP_OK;
}

/*
 * A definition without `create` has no state of a node: its `user` serves as the kernel, and
 * nothing is destroyed.
 */
static bp_rc make_kernel(bp_program *program, uint32_t i, bp_err *err)
{
    struct bp_custom_node *own = &program->nodes[i];
    const bp_node *node = BP_NODE(program->graph, i);
    const bp_tensor **constants =
        bp_region_array(&program->region, node->n_in, sizeof(const bp_tensor *));
    bp_rc rc;

    own->custom = custom_of(program->graph, i);
    if (!constants)
        return bp_fail_nomem(err, "a kernel");
    for (uint32_t k = 0; k < node->n_in; k++) {
        if (node->in[k] != BP_NONE && program->constants[node->in[k]].dtype != BP_DTYPE_NONE)
            constants[k] = &program->constants[node->in[k]];
    }
    own->view = (bp_operator_node){.struct_size = sizeof own->view,
                                   .graph = program->graph,
                                   .node = node,
                                   .constants = constants};
    own->kernel = own->custom->def.user;
    if (!own->custom->def.create)
        return BP_OK;
    own->kernel = NULL;
    rc = bp_custom_create(&own->custom->def, &own->view, &own->kernel, err);
    own->is_made = rc >= 0;
    return rc < 0 ? bp_fail_in(err, rc, "node '%s' (%s)", node->name, node->op) : BP_OK;
}

/* The graph outlives the program (ABI), so names and attributes are borrowed from it. */
static bp_rc compile(bp_instance *instance, const bp_graph *graph, const bp_compile *what,
                     bp_program **out, bp_err *err)
{
    bp_program *program = calloc(1, sizeof *program);
    bp_rc rc = BP_OK;

    (void)what;
    if (!program)
        return bp_fail_nomem(err, "a program");
    program->host = instance->host;
    program->graph = graph;
    program->nodes = bp_region_array(&program->region, graph->n_nodes, sizeof *program->nodes);
    program->constants =
        bp_region_array(&program->region, graph->n_values, sizeof *program->constants);
    if (!program->nodes || !program->constants)
        rc = bp_fail_nomem(err, "a program");
    for (uint32_t v = 0; rc >= 0 && v < graph->n_values; v++)
        rc = load_constant(program, v, err);
    for (uint32_t i = 0; rc >= 0 && i < graph->n_nodes; i++)
        rc = make_kernel(program, i, err);
    if (rc < 0) {
        program_free(program);
        return rc;
    }
    *out = program;
    return BP_OK;
}

const bp_provider bp_custom_provider = {
    .struct_size = sizeof bp_custom_provider,
    .flags = BP_PROVIDER_CONCURRENT_FRAMES | BP_PROVIDER_FORK_SAFE,
    .id = "org.backplane.custom",
    .name = "custom",
    .version = PACKAGE_VERSION,
    .vendor = "the application",
    .create = create,
    .destroy = destroy,
    .capability = capability,
    .compile = compile,
    .program_free = program_free,
    .frame_create = bp_custom_frame_create,
    .frame_free = bp_custom_frame_free,
    .execute = bp_custom_execute,
};
