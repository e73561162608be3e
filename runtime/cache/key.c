/* SPDX-License-Identifier: MIT */
/*
 * key.c - hashes a group and who compiles it. Every text and list goes in with its length before it,
 * so that no two groups give the same bytes.
 */

#include "config.h"

#include "cache/key.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_FORMAT = 1 }; /* grows when what is hashed, or its order, changes */

struct keying {
    struct bp_sha256 sha;
    const bp_host *host;
    uint32_t *symbols; /* as the graph numbers them; their place in the list is what is hashed */
    uint32_t n_symbols, cap_symbols;
    bp_err *err;
};

/* ---- parts ----------------------------------------------------------------------------------- */

static void add_u64(struct keying *k, uint64_t value)
{
    uint8_t bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    bp_sha256_add(&k->sha, bytes, sizeof bytes);
}

static void add_bytes(struct keying *k, const void *bytes, size_t n)
{
    add_u64(k, n);
    if (n > 0)
        bp_sha256_add(&k->sha, bytes, n);
}

/* NULL is not the empty text. */
static void add_text(struct keying *k, const char *text)
{
    add_u64(k, text != NULL);
    if (text)
        add_bytes(k, text, strlen(text));
}

static void add_indices(struct keying *k, const uint32_t *rows, uint32_t n)
{
    add_u64(k, n);
    for (uint32_t i = 0; i < n; i++)
        add_u64(k, rows[i]);
}

/* ---- the graph ------------------------------------------------------------------------------- */

/*
 * Numbers of symbols depend on the rest of the model. What a compiler can use is which sizes are
 * equal, so each gets its number within the group, in the order in which they come.
 */
static bp_rc add_symbol(struct keying *k, uint32_t symbol)
{
    uint32_t i = 0;

    if (symbol == 0) {
        add_u64(k, 0);
        return BP_OK;
    }
    while (i < k->n_symbols && k->symbols[i] != symbol)
        i++;
    if (i == k->n_symbols) {
        if (k->n_symbols == k->cap_symbols) {
            uint32_t cap = k->cap_symbols ? k->cap_symbols * 2 : 16;
            uint32_t *rows = realloc(k->symbols, cap * sizeof *rows);

            if (!rows)
                return bp_fail_nomem(k->err, "a program's key");
            k->symbols = rows;
            k->cap_symbols = cap;
        }
        k->symbols[k->n_symbols++] = symbol;
    }
    add_u64(k, (uint64_t)i + 1);
    return BP_OK;
}

/* An element is a span: what it points to counts, not where that is. */
static void add_strings(struct keying *k, const void *data, uint64_t bytes)
{
    add_u64(k, bytes / sizeof(bp_span));
    for (uint64_t i = 0; i < bytes / sizeof(bp_span); i++) {
        bp_span one;

        memcpy(&one, (const char *)data + i * sizeof one, sizeof one);
        add_bytes(k, one.data, one.size);
    }
}

static void add_elements(struct keying *k, uint32_t dtype, const void *data, uint64_t bytes)
{
    if (dtype == BP_DTYPE_STRING)
        add_strings(k, data, bytes);
    else
        add_bytes(k, data, (size_t)bytes);
}

/* The shape is known, as that of any constant. */
static bp_rc add_constant(struct keying *k, const bp_graph *graph, uint32_t v)
{
    bp_span span = {0};
    bp_rc rc = k->host->constant(k->host->h, graph, v, &span, k->err);

    if (rc >= 0)
        add_elements(k, BP_VALUE(graph, v)->dtype, span.data, span.size);
    return rc;
}

static bp_rc add_value(struct keying *k, const bp_graph *graph, uint32_t v)
{
    const bp_value *value = BP_VALUE(graph, v);
    bp_rc rc = BP_OK;

    add_text(k, value->name);
    add_u64(k, value->dtype);
    add_u64(k, value->flags);
    add_u64(k, value->producer);
    add_u64(k, value->outer);
    add_u64(k, value->rank);
    for (uint32_t d = 0; rc >= 0 && value->rank != BP_RANK_UNKNOWN && d < value->rank; d++) {
        add_u64(k, (uint64_t)value->dims[d].value);
        add_u64(k, value->dims[d].flags);
        rc = add_symbol(k, value->dims[d].symbol);
    }
    return rc >= 0 && (value->flags & BP_VALUE_CONSTANT) ? add_constant(k, graph, v) : rc;
}

static void add_tensor(struct keying *k, const bp_const *tensor)
{
    add_u64(k, tensor->dtype);
    add_u64(k, tensor->rank);
    for (uint32_t d = 0; d < tensor->rank; d++)
        add_u64(k, (uint64_t)tensor->dims[d]);
    add_elements(k, tensor->dtype, tensor->data, tensor->bytes);
}

static void add_attr(struct keying *k, const bp_attr *attr)
{
    add_text(k, attr->name);
    add_u64(k, attr->type);
    add_u64(k, attr->flags);
    add_u64(k, attr->count);
    switch (attr->type) {
    case BP_ATTR_FLOAT:
        add_bytes(k, attr->data, attr->count * sizeof(float));
        break;
    case BP_ATTR_INT:
        add_bytes(k, attr->data, attr->count * sizeof(int64_t));
        break;
    case BP_ATTR_STRING:
        add_strings(k, attr->data, (uint64_t)attr->count * sizeof(bp_span));
        break;
    case BP_ATTR_TENSOR:
        for (uint32_t i = 0; i < attr->count; i++)
            add_tensor(k, (const bp_const *)attr->data + i);
        break;
    default: /* BP_ATTR_GRAPH: its index in graph->subs, which are hashed too */
        add_indices(k, attr->data, attr->count);
        break;
    }
}

static void add_node(struct keying *k, const bp_graph *graph, uint32_t n)
{
    const bp_node *node = BP_NODE(graph, n);

    add_text(k, node->name);
    add_text(k, node->op);
    add_text(k, node->domain);
    add_u64(k, node->opset);
    add_u64(k, node->since);
    add_indices(k, node->in, node->n_in);
    add_indices(k, node->out, node->n_out);
    add_indices(k, node->captures, node->n_captures);
    add_u64(k, node->n_attr);
    for (uint32_t i = 0; i < node->n_attr; i++)
        add_attr(k, BP_ATTR(graph, node->first_attr + i));
}

/* Graphs lie in each other no deeper than the host decodes them. */
static bp_rc add_graph(struct keying *k, const bp_graph *graph)
{
    bp_rc rc = BP_OK;

    add_u64(k, graph->flags);
    add_u64(k, graph->n_values);
    for (uint32_t v = 0; rc >= 0 && v < graph->n_values; v++)
        rc = add_value(k, graph, v);
    add_u64(k, graph->n_nodes);
    for (uint32_t n = 0; rc >= 0 && n < graph->n_nodes; n++)
        add_node(k, graph, n);
    add_indices(k, graph->inputs, graph->n_inputs);
    add_indices(k, graph->outputs, graph->n_outputs);
    add_u64(k, graph->n_subs);
    for (uint32_t i = 0; rc >= 0 && i < graph->n_subs; i++) {
        add_u64(k, graph->subs[i]->outer_node);
        rc = add_graph(k, graph->subs[i]);
    }
    return rc;
}

/* ---- who compiles ---------------------------------------------------------------------------- */

/* A device by what it says of itself; one that does not answer counts by its number. */
static void add_device(struct keying *k, const struct bp_compiler *compiler, uint32_t i)
{
    bp_device device = {.struct_size = sizeof device};
    bp_rc rc = BP_E_UNAVAILABLE;

    add_u64(k, i);
    if (compiler->provider->device)
        rc = compiler->provider->device(compiler->host, i, &device, NULL);
    add_u64(k, rc >= 0);
    if (rc < 0)
        return;
    add_u64(k, device.kind);
    add_u64(k, device.flags);
    add_u64(k, device.vendor_id);
    add_text(k, device.id);
    add_text(k, device.name);
    add_text(k, device.driver);
}

static void add_compiler(struct keying *k, const struct bp_compiler *compiler, uint32_t device)
{
    const bp_provider *provider = compiler->provider;

    add_text(k, bp_version());
    add_u64(k, BP_ABI_MAJOR);
    add_u64(k, BP_ABI_MINOR);
    add_u64(k, BP_MAGIC);
    add_text(k, provider->id);
    add_text(k, provider->version);
    add_text(k, compiler->fingerprint);
    add_u64(k, compiler->n_options);
    for (uint32_t i = 0; i < compiler->n_options; i++) {
        add_text(k, compiler->options[i].key);
        add_text(k, compiler->options[i].str);
    }
    add_u64(k, device);
    add_u64(k, compiler->n_devices);
    for (uint32_t i = 0; i < compiler->n_devices; i++)
        add_device(k, compiler, compiler->devices[i]);
}

bp_rc bp_program_key(const struct bp_compiler *compiler, const bp_graph *graph, uint32_t device,
                     char out[BP_SHA256_TEXT], bp_err *err)
{
    struct keying k = {.host = compiler->host, .err = err};
    bp_rc rc;

    bp_sha256_init(&k.sha);
    add_text(&k, "backplane program");
    add_u64(&k, KEY_FORMAT);
    add_compiler(&k, compiler, device);
    rc = add_graph(&k, graph);
    if (rc >= 0)
        bp_sha256_text(&k.sha, out);
    free(k.symbols);
    return rc;
}
