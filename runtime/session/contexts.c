/* SPDX-License-Identifier: MIT */
/*
 * contexts.c - the graph of an engine with nodes EPContext in place of groups, and the files of
 * their programs.
 *
 * The graph is a copy that shares values, constants and attributes with the engine's: indices of
 * values stay, so that a subgraph's captures do.
 */

#include "config.h"

#include "session/contexts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graph/schema_table.h"
#include "text/text.h"
#include "text/whole_file.h"

enum { HASH_DIGITS = 16, MOST_ATTRS = 9 };

struct writing {
    const struct bp_engine *engine;
    const bp_context_config *config;
    struct bp_region *region; /* of the copies */
    const char *dir;          /* with a slash at its end, or "" */
    const char *stem;         /* of the model's file, without its extension */
    uint32_t n;
    bp_err *err;
};

/* ---- files ----------------------------------------------------------------------------------- */

static bp_rc fail_file(struct writing *w, const char *path)
{
    return bp_fail(w->err, BP_E_IO, "cannot write the compiled program %.300s: %s", path,
                   strerror(errno));
}

/*
 * Complete on the disk before the model that names it. The name contains a hash of the program, so
 * an existing file of that name already has these bytes.
 */
static bp_rc write_file(struct writing *w, const struct bp_saved_program *saved, const char **name)
{
    struct bp_text path = {0};
    struct whole_file out;
    bp_rc rc = BP_OK;

    *name = NULL;
    if (!w->stem[0])
        return bp_fail(w->err, BP_E_OPTION,
                       "compiled programs beside a model need the path that the model will have");
    *name = bp_region_printf(w->region, "%s_%.*s.bin", w->stem, HASH_DIGITS, saved->hash);
    bp_text_printf(&path, "%s%s", w->dir, *name ? *name : "");
    if (!*name || path.failed) {
        bp_text_finish(&path);
        return bp_fail_nomem(w->err, "the file of a program");
    }
    if (!whole_file_begin(&out, path.data) || !whole_file_write(&out, saved->bytes, saved->size) ||
        !whole_file_end(&out) || !whole_file_name(&out))
        rc = fail_file(w, path.data);
    whole_file_drop(&out);
    bp_text_finish(&path);
    return rc;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static bp_rc no_memory(struct writing *w)
{
    return bp_fail_nomem(w->err, "a model with compiled programs");
}

static bool add_bytes(struct writing *w, struct bp_ir_node *node, const char *name,
                      const void *bytes, size_t size)
{
    bp_span *span = bp_region_array(w->region, 1, sizeof *span);

    if (!span || !bytes)
        return false;
    *span = (bp_span){bytes, size};
    node->attrs[node->n_attrs++] =
        (bp_attr){.name = name, .type = BP_ATTR_STRING, .count = 1, .data = span};
    return true;
}

/* Adds a text attribute; an empty text adds none. */
static bool add_text(struct writing *w, struct bp_ir_node *node, const char *name, const char *text)
{
    const char *copy = bp_region_string(w->region, text ? text : "");

    if (!copy)
        return false;
    return !copy[0] || add_bytes(w, node, name, copy, strlen(copy));
}

static bool add_int(struct writing *w, struct bp_ir_node *node, const char *name, int64_t value)
{
    int64_t *copy = bp_region_array(w->region, 1, sizeof *copy);

    if (!copy)
        return false;
    *copy = value;
    node->attrs[node->n_attrs++] =
        (bp_attr){.name = name, .type = BP_ATTR_INT, .count = 1, .data = copy};
    return true;
}

/* Returns the last component of the model's path. */
static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Adds the program itself, or the name of the file that holds it. */
static bp_rc add_program(struct writing *w, struct bp_ir_node *node,
                         const struct bp_saved_program *saved)
{
    const char *name = NULL;
    bp_rc rc;

    if (w->config->flags & BP_CONTEXT_EMBED)
        return add_bytes(w, node, "ep_cache_context", saved->bytes, saved->size) ? BP_OK
                                                                                 : no_memory(w);
    rc = write_file(w, saved, &name);
    if (rc < 0)
        return rc;
    return add_int(w, node, "embed_mode", 0) && add_text(w, node, "ep_cache_context", name)
               ? BP_OK
               : no_memory(w);
}

/*
 * The device's id and the driver's versions tell people, and the next session, where the program
 * runs.
 */
static bp_rc add_attributes(struct writing *w, struct bp_ir_node *node, const struct bp_unit *unit,
                            const char *group)
{
    const struct bp_active *by = unit->by;
    const char *device =
        unit->group->device < by->n_devices ? by->devices[unit->group->device].id : NULL;
    char driver[512], words[256];
    bp_err own = bp_err_init(words, sizeof words);
    bp_rc rc = add_program(w, node, &unit->saved);

    if (rc < 0)
        return rc;
    if (bp_program_fingerprint(by, driver, sizeof driver, &own) < 0)
        driver[0] = '\0';
    return add_text(w, node, "source", by->provider->id) &&
                   add_text(w, node, "partition_name", group) &&
                   add_text(w, node, "ep_sdk_version", driver) &&
                   add_text(w, node, "hardware_architecture", device) &&
                   add_text(w, node, "onnx_model_filename",
                            file_of(bp_onnx_name(w->engine->onnx))) &&
                   add_text(w, node, "notes",
                            bp_region_printf(w->region, "%u node%s, by Backplane %s",
                                             unit->group->n_nodes,
                                             unit->group->n_nodes == 1 ? "" : "s", bp_version()))
               ? BP_OK
               : no_memory(w);
}

/*
 * Lists the values that enter or leave the group, in the order in which its provider numbers them.
 */
static uint32_t *border(struct writing *w, const struct bp_unit *unit, const uint32_t *list,
                        uint32_t n)
{
    uint32_t *values = bp_region_array(w->region, n, sizeof *values);

    for (uint32_t i = 0; values && i < n; i++)
        values[i] = unit->group->view->value_of[list[i]];
    return values;
}

/*
 * Makes what inference knows of a value the model's declaration: for a compiled program only that
 * counts.
 */
static void declare(struct bp_ir *copy, const struct bp_subgraph *subgraph, const uint32_t *values,
                    uint32_t n, uint32_t producer)
{
    for (uint32_t i = 0; i < n; i++) {
        struct bp_ir_value *value = &copy->values[values[i]];

        if (!(value->flags & BP_IR_INPUT))
            value->declared = subgraph->facts[values[i]];
        if (producer != BP_NONE)
            value->producer = producer;
    }
}

static bp_rc add_context(struct writing *w, const struct bp_subgraph *subgraph,
                         const struct bp_unit *unit, const char *path, struct bp_ir *copy)
{
    const bp_graph *graph = &unit->group->view->graph;
    const char *prefix = w->config->prefix ? w->config->prefix : "";
    uint32_t number = (uint32_t)(unit - subgraph->units);
    const char *group = bp_region_printf(w->region, "%s/%u", path[0] ? path : "main", number);
    struct bp_ir_node *node = &copy->nodes[copy->n_nodes];

    *node = (struct bp_ir_node){
        .name = bp_region_printf(w->region, "%s%s/%s", prefix, unit->by->name, group ? group : ""),
        .op = "EPContext",
        .domain = "com.microsoft",
        .schema = bp_schema_find("com.microsoft", "EPContext", 1),
        .opset = 1,
        .in = border(w, unit, graph->inputs, graph->n_inputs),
        .out = border(w, unit, graph->outputs, graph->n_outputs),
        .n_in = graph->n_inputs,
        .n_out = graph->n_outputs,
        .attrs = bp_region_array(w->region, MOST_ATTRS, sizeof(bp_attr)),
    };
    if (!group || !node->name || !node->in || !node->out || !node->attrs)
        return no_memory(w);
    declare(copy, subgraph, node->in, node->n_in, BP_NONE);
    declare(copy, subgraph, node->out, node->n_out, copy->n_nodes);
    copy->n_nodes++;
    w->n++;
    return add_attributes(w, node, unit, group);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

static bp_rc copy_graph(struct writing *w, const struct bp_subgraph *subgraph, const char *path,
                        struct bp_ir **out);

/* Copies a node that the host runs, and its subgraphs. */
static bp_rc copy_subgraphs(struct writing *w, const struct bp_unit *unit, const char *path,
                            struct bp_ir_node *node)
{
    struct bp_ir **subgraphs = bp_region_array(w->region, node->n_subgraphs, sizeof(void *));
    const char *inner = bp_region_printf(w->region, "%s%s%s", path, path[0] ? "/" : "", node->name);
    bp_rc rc = subgraphs && inner ? BP_OK : no_memory(w);

    for (uint32_t i = 0; rc >= 0 && i < node->n_subgraphs; i++) {
        subgraphs[i] = node->subgraphs[i];
        if (unit->subgraphs[i])
            rc = copy_graph(w, unit->subgraphs[i], inner, &subgraphs[i]);
    }
    node->subgraphs = subgraphs;
    return rc;
}

/* Copies the nodes of a group unchanged. */
static bp_rc copy_nodes(struct writing *w, const struct bp_subgraph *subgraph,
                        const struct bp_unit *unit, const char *path, struct bp_ir *copy)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < unit->group->n_nodes; i++) {
        struct bp_ir_node *node = &copy->nodes[copy->n_nodes];

        *node = subgraph->ir->nodes[unit->group->nodes[i]];
        for (uint32_t o = 0; o < node->n_out; o++) {
            if (node->out[o] != BP_NONE)
                copy->values[node->out[o]].producer = copy->n_nodes;
        }
        copy->n_nodes++;
        if (unit->subgraphs && node->n_subgraphs > 0)
            rc = copy_subgraphs(w, unit, path, node);
    }
    return rc;
}

/* Groups are in an order in which they can run, and the copied nodes keep it. */
static bp_rc copy_graph(struct writing *w, const struct bp_subgraph *subgraph, const char *path,
                        struct bp_ir **out)
{
    const struct bp_ir *ir = subgraph->ir;
    struct bp_ir *copy = bp_region_alloc(w->region, sizeof *copy);
    bp_rc rc = BP_OK;

    if (!copy)
        return no_memory(w);
    *copy = *ir;
    copy->n_nodes = 0;
    copy->nodes = bp_region_array(w->region, ir->n_nodes, sizeof *copy->nodes);
    copy->values = bp_region_array(w->region, ir->n_values, sizeof *copy->values);
    if (!copy->nodes || !copy->values)
        return no_memory(w);
    memcpy(copy->values, ir->values, ir->n_values * sizeof *copy->values);
    for (uint32_t u = 0; rc >= 0 && u < subgraph->n_units; u++) {
        const struct bp_unit *unit = &subgraph->units[u];

        rc = unit->saved.bytes ? add_context(w, subgraph, unit, path, copy)
                               : copy_nodes(w, subgraph, unit, path, copy);
    }
    *out = copy;
    return rc;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/*
 * Sets directory and stem from the path that the model will have; both are "" if there is no path
 * or none is needed.
 */
static bp_rc split_path(struct writing *w)
{
    const char *path = w->config->path;
    const char *name = path ? file_of(path) : NULL;
    const char *dot = name ? strrchr(name, '.') : NULL;

    w->dir = w->stem = "";
    if (w->config->flags & BP_CONTEXT_EMBED || !name || !name[0])
        return BP_OK;
    w->dir = bp_region_text(w->region, path, (size_t)(name - path));
    w->stem =
        bp_region_text(w->region, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
    return w->dir && w->stem ? BP_OK : no_memory(w);
}

bp_rc bp_engine_write_contexts(const struct bp_engine *engine, const bp_context_config *config,
                               bool writes_inputs, struct bp_region *region, struct bp_onnx **out,
                               uint32_t *n, bp_err *err)
{
    struct bp_region own = {0};
    struct writing w = {.engine = engine, .config = config, .region = &own, .err = err};
    struct bp_ir *ir = NULL;
    bp_rc rc = split_path(&w);

    *out = NULL;
    if (rc >= 0)
        rc = copy_graph(&w, engine->graph, "", &ir);
    if (rc >= 0 && w.n > 0) {
        struct bp_rebuild how = {.dir = !w.stem[0] ? NULL
                                        : w.dir[0] ? w.dir
                                                   : ".",
                                 .writes_inputs = writes_inputs};

        rc = bp_onnx_rebuild(engine->onnx, ir, &how, region, out, err);
    }
    *n = rc < 0 ? 0 : w.n;
    bp_region_finish(&own);
    return rc;
}
