/* SPDX-License-Identifier: MIT */
/* model_services.c - passes questions about a graph's model to the owner of the graph. */

#include "config.h"

#include "host/load/model_services.h"

#include "host/load/services.h"

/* Returns the owner's functions; NULL: the graph is of no model. */
static const bp_ext_model *about(const bp_graph *graph)
{
    const struct bp_graph_owner *owner = graph->host;

    return owner->about;
}

/* Copies our struct into the plug-in's, up to the struct_size of its header. */
static void give(void *theirs, void *own, uint32_t own_size)
{
    uint32_t size;

    memcpy(&size, theirs, sizeof size);
    if (size > own_size)
        size = own_size;
    memcpy(own, &size, sizeof size);
    memcpy(theirs, own, size);
}

static void model(void *h, const bp_graph *graph, bp_graph_model *out)
{
    bp_graph_model own = {.struct_size = sizeof own,
                          .path = "",
                          .dir = "",
                          .name = "",
                          .producer = "",
                          .producer_version = "",
                          .domain = "",
                          .doc = ""};

    (void)h;
    if (about(graph))
        about(graph)->model(NULL, graph, &own);
    give(out, &own, sizeof own);
}

static const char *metadata(void *h, const bp_graph *graph, uint32_t i, const char **value)
{
    (void)h;
    *value = "";
    return about(graph) ? about(graph)->metadata(NULL, graph, i, value) : NULL;
}

static const char *opset(void *h, const bp_graph *graph, uint32_t i, int64_t *version)
{
    (void)h;
    *version = 0;
    return about(graph) ? about(graph)->opset(NULL, graph, i, version) : NULL;
}

static void parent(void *h, const bp_graph *graph, uint32_t level, bp_graph_parent *out)
{
    bp_graph_parent own = {
        .struct_size = sizeof own, .graph = "", .op = "", .domain = "", .attr = ""};

    (void)h;
    if (about(graph))
        about(graph)->parent(NULL, graph, level, &own);
    give(out, &own, sizeof own);
}

static void place(void *h, const bp_graph *graph, uint32_t value, bp_const_place *out)
{
    bp_const_place own = {.struct_size = sizeof own};

    (void)h;
    if (about(graph))
        about(graph)->place(NULL, graph, value, &own);
    give(out, &own, sizeof own);
}

const bp_ext_model bp_model_services = {.struct_size = sizeof bp_model_services,
                                        .model = model,
                                        .metadata = metadata,
                                        .opset = opset,
                                        .parent = parent,
                                        .place = place};
