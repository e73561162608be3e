/* SPDX-License-Identifier: MIT */
/* test_host.c - a strict little host that drives a provider through the ABI; see test_host.h. */

#include "config.h"

#include "support/test_host.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_RANK = 80, MAX_ENDS = 64, MESSAGE_BYTES = 1024, LINES = 4096 };

struct value {
    char *name;
    bp_dim *dims;  /* as compile sees them */
    int64_t *now;  /* as the frame sees them */
    char *block;   /* malloc'ed; the bytes lie in it */
    uint8_t *data; /* inputs and constants: their bytes, NULL for none */
    size_t bytes;
    uint32_t rank, dtype, flags;
    uint32_t producer;
};

struct node {
    char *op, *domain;
    char name[24];
    uint32_t in[MAX_ENDS], out[MAX_ENDS];
    uint32_t n_in, n_out, since, first_attr, n_attr;
};

struct weight {
    struct weight *next;
    char *key;
    void *p;
    size_t n, align;
    uint32_t users;
};

struct th {
    bp_host host;
    const bp_module *module;
    const bp_provider *provider;
    bp_instance *instance;
    bp_program *program;
    bp_frame *frame;

    struct value *values;
    struct node *nodes;
    bp_attr *attrs;
    uint32_t n_values, n_nodes, n_attrs;
    uint32_t *inputs, *outputs;
    uint32_t n_inputs, n_outputs;
    bool is_dynamic;

    bp_graph graph; /* made from the lists above at the first claim */
    bp_value *graph_values;
    bp_node *graph_nodes;

    bp_opt *opts;
    char **opt_texts;
    bp_frame_desc desc;
    bp_frame_needs needs;
    bp_shape *shapes;
    void *scratch;
    bp_run run;

    struct weight *weights;
    uint32_t width, allocs, fail_alloc;
    size_t live_bytes;
    bool in_execute, may_alloc;
    void **kept; /* see th_keep() */
    size_t n_kept;

    uint32_t refused, reason, verdict, n_done;
    bp_err err;
    char message[MESSAGE_BYTES];
    char logged[MESSAGE_BYTES];
    char dims_text[MAX_RANK * 8];
};

static void die(const char *why, const char *what)
{
    fprintf(stderr, "test_host: %s: %s\n", why, what);
    abort();
}

static void *take(size_t n)
{
    void *p = calloc(1, n ? n : 1);

    if (!p)
        die("no memory", "calloc");
    return p;
}

static char *copy_text(const char *text)
{
    char *copy = take(strlen(text) + 1);

    strcpy(copy, text);
    return copy;
}

/* Reserves one more row. */
static void *grow(void *rows, uint32_t n, size_t size)
{
    if (n != 0 && (n & (n - 1)) != 0)
        return rows;
    rows = realloc(rows, (n ? (size_t)n * 2 : 1) * size);
    if (!rows)
        die("no memory", "realloc");
    return rows;
}

/* ---- the table for the provider -------------------------------------------------------------- */

static void host_log(void *h, uint32_t level, const char *domain, const char *text)
{
    struct th *t = h;

    snprintf(t->logged, sizeof t->logged, "%s", text);
    if (level <= BP_LOG_WARN)
        fprintf(stderr, "%s: %s\n", domain, text);
}

static void *host_alloc(void *h, size_t n, size_t align)
{
    struct th *t = h;
    void *p = NULL;

    if (t->in_execute && !t->may_alloc)
        die("the provider allocated in execute", "alloc");
    t->allocs++;
    if (n == 0 || t->allocs == t->fail_alloc || n > SIZE_MAX / 4)
        return NULL;
    if (align < sizeof(void *))
        align = sizeof(void *);
    p = aligned_alloc(align, (n + align - 1) / align * align);
    if (p) {
        memset(p, 0xa5, n);
        t->live_bytes += n;
    }
    return p;
}

static void host_free(void *h, void *p, size_t n, size_t align)
{
    struct th *t = h;

    (void)align;
    if (p)
        t->live_bytes -= n;
    free(p);
}

static uint32_t host_pool_width(void *h)
{
    return ((struct th *)h)->width;
}

static void host_parallel_for(void *h, uint32_t n, void (*fn)(void *u, uint32_t i, uint32_t worker),
                              void *u)
{
    struct th *t = h;

    for (uint32_t i = n; i-- > 0;)
        fn(u, i, i % t->width);
}

static bp_rc host_constant(void *h, const bp_graph *graph, uint32_t value, bp_span *out,
                           bp_err *err)
{
    struct th *t = h;

    if (graph != &t->graph || value >= t->n_values || !(t->values[value].flags & BP_VALUE_CONSTANT))
        return bp_fail(err, BP_E_INVALID, "value %u is not a constant", value);
    *out = (bp_span){t->values[value].data, t->values[value].bytes};
    return BP_OK;
}

static bp_rc host_weight_get(void *h, const char *key, size_t n, size_t align,
                             bp_rc (*pack)(void *u, void *dst, size_t n, bp_err *err), void *u,
                             const void **out, bp_err *err)
{
    struct th *t = h;
    struct weight *weight;
    bp_rc rc;

    for (weight = t->weights; weight; weight = weight->next) {
        if (strcmp(weight->key, key) != 0)
            continue;
        if (weight->n != n)
            return bp_fail(err, BP_E_INVALID, "weight '%s' has another size", key);
        weight->users++;
        *out = weight->p;
        return BP_OK;
    }
    weight = take(sizeof *weight);
    weight->p = host_alloc(t, n, align);
    if (!weight->p) {
        free(weight);
        return bp_fail(err, BP_E_NOMEM, "no memory for weight '%s'", key);
    }
    rc = pack(u, weight->p, n, err);
    if (rc < 0) {
        host_free(t, weight->p, n, align);
        free(weight);
        return rc;
    }
    weight->key = copy_text(key);
    weight->n = n;
    weight->align = align;
    weight->users = 1;
    weight->next = t->weights;
    t->weights = weight;
    *out = weight->p;
    return BP_OK;
}

static int64_t host_now(void *h)
{
    struct timespec now;

    (void)h;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void host_weight_put(void *h, const void *p)
{
    struct th *t = h;

    for (struct weight **at = &t->weights; *at; at = &(*at)->next) {
        struct weight *weight = *at;

        if (weight->p != p)
            continue;
        if (--weight->users > 0)
            return;
        *at = weight->next;
        host_free(t, weight->p, weight->n, weight->align);
        free(weight->key);
        free(weight);
        return;
    }
    die("weight_put of what was not got", "weight");
}

static void host_constant_done(void *h, const bp_graph *graph, uint32_t value)
{
    struct th *t = h;

    if (graph == &t->graph && value < t->n_values)
        t->n_done++;
}

static const void *host_extension(void *h, const char *id)
{
    static const bp_ext_constants constants = {.struct_size = sizeof constants,
                                               .done = host_constant_done};

    (void)h;
    return strcmp(id, BP_EXT_CONSTANTS) == 0 ? &constants : NULL;
}

/* ---- start, options -------------------------------------------------------------------------- */

struct th *th_new(bp_entry_fn entry)
{
    struct th *t = take(sizeof *t);

    t->host = (bp_host){.struct_size = sizeof(bp_host),
                        .abi_major = BP_ABI_MAJOR,
                        .abi_minor = BP_ABI_MINOR,
                        .magic = BP_MAGIC,
                        .name = "test",
                        .version = "0",
                        .module_path = "",
                        .h = t,
                        .log = host_log,
                        .alloc = host_alloc,
                        .free = host_free,
                        .pool_width = host_pool_width,
                        .parallel_for = host_parallel_for,
                        .constant = host_constant,
                        .weight_get = host_weight_get,
                        .weight_put = host_weight_put,
                        .now_ns = host_now,
                        .extension = host_extension};
    t->width = 4;
    t->err = (bp_err){.struct_size = sizeof(bp_err), .msg = t->message, .msg_cap = MESSAGE_BYTES};
    t->run.struct_size = sizeof t->run;
    t->run.io_epoch = 1;
    if (entry(&t->host, &t->module, &t->err) < 0)
        die("the provider's entry failed", t->message);
    t->provider = t->module->providers[0];

    t->opts = take(t->provider->n_options * sizeof *t->opts);
    t->opt_texts = take(t->provider->n_options * sizeof *t->opt_texts);
    for (uint32_t i = 0; i < t->provider->n_options; i++) {
        const bp_option *row =
            BP_AT(bp_option, t->provider->options, t->provider->option_stride, i);

        t->opts[i].key = row->key;
        th_option(t, row->key, row->def);
    }
    return t;
}

void th_option(struct th *t, const char *key, const char *text)
{
    for (uint32_t i = 0; i < t->provider->n_options; i++) {
        const bp_option *row =
            BP_AT(bp_option, t->provider->options, t->provider->option_stride, i);

        if (strcmp(row->key, key) != 0)
            continue;
        free(t->opt_texts[i]);
        t->opt_texts[i] = copy_text(text);
        t->opts[i].str = t->opt_texts[i];
        t->opts[i].f = strtod(text, NULL);
        t->opts[i].i = row->type == BP_OPT_BOOL ? strcmp(text, "true") == 0 : (int64_t)t->opts[i].f;
        for (uint32_t c = 0; c < row->n_choices; c++) {
            if (strcmp(row->choices[c], text) == 0)
                t->opts[i].i = c;
        }
        return;
    }
    die("no such option", key);
}

void th_threads(struct th *t, uint32_t width)
{
    t->width = width;
}

void th_dynamic(struct th *t)
{
    t->is_dynamic = true;
}

void th_fail_alloc(struct th *t, uint32_t n)
{
    t->allocs = 0;
    t->fail_alloc = n;
}

void th_allow_alloc(struct th *t)
{
    t->may_alloc = true;
}

uint32_t th_allocs(const struct th *t)
{
    return t->allocs;
}

/* ---- the graph ------------------------------------------------------------------------------- */

static uint32_t find_value(const struct th *t, const char *name, size_t length)
{
    for (uint32_t v = 0; v < t->n_values; v++) {
        if (strlen(t->values[v].name) == length && memcmp(t->values[v].name, name, length) == 0)
            return v;
    }
    die("no such value", name);
    return BP_NONE;
}

static struct value *value_of(const struct th *t, const char *name)
{
    return &t->values[find_value(t, name, strlen(name))];
}

static size_t dense_bytes(uint32_t dtype, const int64_t *dims, uint32_t rank)
{
    size_t bits = dtype == BP_DTYPE_STRING ? sizeof(bp_span) * 8 : bp_dtype_width(dtype);

    return ((size_t)bp_dims_count(dims, rank) * bits + 7) / 8;
}

/* Reads "2,3" into dims. */
static uint32_t parse_dims(const char *text, int64_t *dims)
{
    uint32_t rank = 0;

    while (*text) {
        char *end;

        if (rank == MAX_RANK)
            die("too many dimensions", text);
        dims[rank++] = strtoll(text, &end, 10);
        if (end == text || (*end && *end != ','))
            die("not a shape", text);
        text = *end ? end + 1 : end;
    }
    return rank;
}

static void set_dims(struct value *value, const char *text)
{
    int64_t dims[MAX_RANK];

    free(value->now);
    value->now = NULL;
    value->rank = BP_RANK_UNKNOWN;
    if (!text)
        return;
    value->rank = parse_dims(text, dims);
    value->now = take(value->rank * sizeof *dims);
    for (uint32_t i = 0; i < value->rank; i++)
        value->now[i] = dims[i];
    value->bytes = dense_bytes(value->dtype, value->now, value->rank);
}

/* Puts the bytes at a fresh place; `odd` bytes from where malloc put it. */
static void set_data(struct value *value, const void *data, size_t odd)
{
    char *block = value->bytes ? take(value->bytes + odd) : NULL;

    if (block && data)
        memcpy(block + odd, data, value->bytes);
    free(value->block);
    value->block = block;
    value->data = block ? (uint8_t *)block + odd : NULL;
}

static struct value *add_value(struct th *t, const char *name, uint32_t dtype, const char *dims,
                               uint32_t flags)
{
    struct value *value;

    t->values = grow(t->values, t->n_values, sizeof *t->values);
    value = &t->values[t->n_values++];
    *value = (struct value){.name = copy_text(name), .dtype = dtype, .flags = flags};
    value->producer = BP_NONE;
    set_dims(value, dims);
    return value;
}

void th_input(struct th *t, const char *name, uint32_t dtype, const char *dims, const void *data)
{
    t->inputs = grow(t->inputs, t->n_inputs, sizeof *t->inputs);
    t->inputs[t->n_inputs++] = t->n_values;
    set_data(add_value(t, name, dtype, dims, BP_VALUE_INPUT), data, 0);
}

void th_const(struct th *t, const char *name, uint32_t dtype, const char *dims, const void *data)
{
    set_data(add_value(t, name, dtype, dims, BP_VALUE_CONSTANT), data, 1);
}

void th_lie(struct th *t, const char *name, size_t bytes)
{
    value_of(t, name)->bytes = bytes;
}

void th_value(struct th *t, const char *name, uint32_t dtype, const char *dims)
{
    add_value(t, name, dtype, dims, 0);
}

void th_output(struct th *t, const char *name, uint32_t dtype, const char *dims)
{
    t->outputs = grow(t->outputs, t->n_outputs, sizeof *t->outputs);
    t->outputs[t->n_outputs++] = t->n_values;
    add_value(t, name, dtype, dims, BP_VALUE_OUTPUT);
}

static uint32_t parse_ends(const struct th *t, const char *text, uint32_t *ends)
{
    uint32_t n = 0;

    for (;;) {
        size_t length;

        text += strspn(text, " ");
        length = strcspn(text, " ");
        if (length == 0)
            return n;
        if (n == MAX_ENDS)
            die("too many inputs or outputs", text);
        ends[n++] = length == 1 && *text == '-' ? BP_NONE : find_value(t, text, length);
        text += length;
    }
}

void th_node(struct th *t, const char *op, uint32_t since, const char *in, const char *out)
{
    struct node *node;

    t->nodes = grow(t->nodes, t->n_nodes, sizeof *t->nodes);
    node = &t->nodes[t->n_nodes];
    memset(node, 0, sizeof *node);
    node->op = copy_text(op);
    node->domain = copy_text("");
    snprintf(node->name, sizeof node->name, "node%u", t->n_nodes);
    node->since = since;
    node->first_attr = t->n_attrs;
    node->n_in = parse_ends(t, in, node->in);
    node->n_out = parse_ends(t, out, node->out);
    for (uint32_t i = 0; i < node->n_out; i++) {
        if (node->out[i] != BP_NONE)
            t->values[node->out[i]].producer = t->n_nodes;
    }
    t->n_nodes++;
}

void th_domain(struct th *t, const char *domain)
{
    struct node *node = &t->nodes[t->n_nodes - 1];

    free(node->domain);
    node->domain = copy_text(domain);
}

static void add_attr(struct th *t, const char *name, uint32_t type, uint32_t count, void *data,
                     uint32_t flags)
{
    t->attrs = grow(t->attrs, t->n_attrs, sizeof *t->attrs);
    t->attrs[t->n_attrs++] = (bp_attr){copy_text(name), data, type, count, flags, 0};
    t->nodes[t->n_nodes - 1].n_attr++;
}

static void *copy_bytes(const void *from, size_t bytes)
{
    void *copy = take(bytes);

    if (bytes > 0)
        memcpy(copy, from, bytes);
    return copy;
}

void th_int(struct th *t, const char *name, int64_t value)
{
    add_attr(t, name, BP_ATTR_INT, 1, copy_bytes(&value, sizeof value), 0);
}

void th_ints(struct th *t, const char *name, uint32_t n, const int64_t *values)
{
    add_attr(t, name, BP_ATTR_INT, n, copy_bytes(values, n * sizeof *values), BP_ATTR_LIST);
}

void th_float(struct th *t, const char *name, float value)
{
    add_attr(t, name, BP_ATTR_FLOAT, 1, copy_bytes(&value, sizeof value), 0);
}

void th_floats(struct th *t, const char *name, uint32_t n, const float *values)
{
    add_attr(t, name, BP_ATTR_FLOAT, n, copy_bytes(values, n * sizeof *values), BP_ATTR_LIST);
}

/* Spans and their text in one block. */
static void *copy_strings(uint32_t n, const char *const *values)
{
    size_t bytes = n * sizeof(bp_span);
    bp_span *spans;
    char *text;

    for (uint32_t i = 0; i < n; i++)
        bytes += strlen(values[i]);
    spans = take(bytes);
    text = (char *)(spans + n);
    for (uint32_t i = 0; i < n; i++) {
        spans[i] = (bp_span){text, strlen(values[i])};
        memcpy(text, values[i], spans[i].size);
        text += spans[i].size;
    }
    return spans;
}

void th_string(struct th *t, const char *name, const char *value)
{
    add_attr(t, name, BP_ATTR_STRING, 1, copy_strings(1, &value), 0);
}

void th_strings(struct th *t, const char *name, uint32_t n, const char *const *values)
{
    add_attr(t, name, BP_ATTR_STRING, n, copy_strings(n, values), BP_ATTR_LIST);
}

void th_tensor(struct th *t, const char *name, uint32_t dtype, const char *dims, const void *data)
{
    int64_t sizes[MAX_RANK];
    uint32_t rank = parse_dims(dims, sizes);
    size_t bytes = dense_bytes(dtype, sizes, rank), at = sizeof(bp_const) + rank * sizeof *sizes;
    bp_const *value = take(at + bytes);
    int64_t *own_dims = (int64_t *)(void *)(value + 1);

    for (uint32_t i = 0; i < rank; i++)
        own_dims[i] = sizes[i];
    if (bytes > 0)
        memcpy((char *)value + at, data, bytes);
    *value = (bp_const){(char *)value + at, bytes, own_dims, rank, dtype};
    add_attr(t, name, BP_ATTR_TENSOR, 1, value, 0);
}

static void build_value(struct th *t, uint32_t v)
{
    struct value *value = &t->values[v];
    bool is_constant = value->flags & BP_VALUE_CONSTANT;
    uint32_t rank = value->rank == BP_RANK_UNKNOWN ? 0 : value->rank;

    free(value->dims);
    value->dims = take(rank * sizeof *value->dims);
    for (uint32_t i = 0; i < rank; i++)
        value->dims[i].value = t->is_dynamic && !is_constant ? -1 : value->now[i];
    t->graph_values[v] = (bp_value){.name = value->name,
                                    .dims = rank ? value->dims : NULL,
                                    .rank = value->rank,
                                    .dtype = value->dtype,
                                    .flags = value->flags,
                                    .producer = value->producer,
                                    .const_bytes = is_constant ? value->bytes : 0,
                                    .const_id = is_constant ? v + 1 : 0};
}

static void build_graph(struct th *t)
{
    free(t->graph_values);
    free(t->graph_nodes);
    t->graph_values = take(t->n_values * sizeof *t->graph_values);
    t->graph_nodes = take(t->n_nodes * sizeof *t->graph_nodes);
    for (uint32_t v = 0; v < t->n_values; v++)
        build_value(t, v);
    for (uint32_t i = 0; i < t->n_nodes; i++) {
        struct node *node = &t->nodes[i];

        t->graph_nodes[i] = (bp_node){.name = node->name,
                                      .op = node->op,
                                      .domain = node->domain,
                                      .in = node->in,
                                      .out = node->out,
                                      .n_in = node->n_in,
                                      .n_out = node->n_out,
                                      .opset = node->since,
                                      .since = node->since,
                                      .first_attr = node->first_attr,
                                      .n_attr = node->n_attr};
    }
    t->graph = (bp_graph){.struct_size = sizeof(bp_graph),
                          .n_nodes = t->n_nodes,
                          .node_stride = sizeof(bp_node),
                          .n_values = t->n_values,
                          .value_stride = sizeof(bp_value),
                          .n_attrs = t->n_attrs,
                          .attr_stride = sizeof(bp_attr),
                          .nodes = t->graph_nodes,
                          .values = t->graph_values,
                          .attrs = t->attrs,
                          .inputs = t->inputs,
                          .outputs = t->outputs,
                          .n_inputs = t->n_inputs,
                          .n_outputs = t->n_outputs};
}

/* ---- running --------------------------------------------------------------------------------- */

static void on_claim(void *h, uint32_t node, const bp_claim *claim)
{
    struct th *t = h;

    if (node >= t->n_nodes)
        die("a claim for a node that is not there", t->provider->name);
    t->verdict = claim->verdict;
    if (claim->verdict != BP_NO)
        return;
    t->refused++;
    t->reason = claim->reason;
    snprintf(t->message, sizeof t->message, "%s: %s (%s)", t->nodes[node].op,
             claim->text ? claim->text : "", claim->subject ? claim->subject : "");
}

static bp_rc ensure_instance(struct th *t)
{
    if (t->instance)
        return BP_OK;
    return t->provider->create(&t->host, t->opts, t->provider->n_options, NULL, 0, &t->instance,
                               &t->err);
}

bp_rc th_claim(struct th *t)
{
    bp_claims claims = {.struct_size = sizeof claims, .h = t, .node = on_claim};
    bp_rc rc;

    t->message[0] = '\0';
    t->refused = 0;
    t->reason = BP_R_NONE;
    rc = ensure_instance(t);
    if (rc < 0)
        return rc;
    if (!t->program)
        build_graph(t);
    rc = t->provider->capability(t->instance, &t->graph, &claims, &t->err);
    if (rc < 0)
        return rc;
    return t->refused ? BP_E_UNSUPPORTED : BP_OK;
}

uint32_t th_reason(const struct th *t)
{
    return t->reason;
}

uint32_t th_verdict(const struct th *t)
{
    return t->verdict;
}

static void drop_frame(struct th *t)
{
    if (t->frame)
        t->provider->frame_free(t->frame);
    t->frame = NULL;
    for (uint32_t i = 0; i < t->desc.n_in; i++)
        free(t->desc.in[i].dims);
    for (uint32_t i = 0; i < t->desc.n_out; i++) {
        free(t->desc.out[i].base);
        free(t->desc.out[i].dims);
    }
    free(t->desc.in);
    free(t->desc.out);
    free(t->scratch);
    t->scratch = NULL;
    memset(&t->desc, 0, sizeof t->desc);
}

static bp_rc host_alloc_output(void *h, uint32_t out, uint32_t rank, const int64_t *dims,
                               bp_err *err)
{
    struct th *t = h;
    struct value *value;
    bp_tensor *tensor;

    if (out >= t->n_outputs || t->values[t->outputs[out]].rank != BP_RANK_UNKNOWN)
        return bp_fail(err, BP_E_INVALID, "output %u has a shape", out);
    value = &t->values[t->outputs[out]];
    tensor = &t->desc.out[out];
    free(tensor->base);
    free(tensor->dims);
    tensor->rank = rank;
    tensor->dims = copy_bytes(dims, rank * sizeof *dims);
    tensor->bytes = dense_bytes(value->dtype, dims, rank);
    tensor->base = tensor->bytes ? take(tensor->bytes) : NULL;
    return BP_OK;
}

static bp_tensor make_tensor(const struct value *value)
{
    uint32_t rank = value->rank == BP_RANK_UNKNOWN ? 0 : value->rank;
    bp_tensor tensor = {.dtype = value->dtype, .rank = value->rank, .bytes = value->bytes};

    tensor.dims = copy_bytes(value->now, rank * sizeof *value->now);
    return tensor;
}

static bp_rc make_frame(struct th *t)
{
    bp_rc rc;

    drop_frame(t);
    t->desc = (bp_frame_desc){.struct_size = sizeof t->desc,
                              .n_in = t->n_inputs,
                              .n_out = t->n_outputs,
                              .n_shapes = t->n_values,
                              .h = t,
                              .alloc_output = host_alloc_output};
    t->desc.in = take(t->n_inputs * sizeof *t->desc.in);
    t->desc.out = take(t->n_outputs * sizeof *t->desc.out);
    for (uint32_t i = 0; i < t->n_inputs; i++)
        t->desc.in[i] = make_tensor(&t->values[t->inputs[i]]);
    for (uint32_t i = 0; i < t->n_outputs; i++)
        t->desc.out[i] = make_tensor(&t->values[t->outputs[i]]);
    t->shapes = take(t->n_values * sizeof *t->shapes);
    for (uint32_t v = 0; v < t->n_values; v++) {
        struct value *value = &t->values[v];

        t->shapes[v] = (bp_shape){value->now, value->rank, value->dtype};
    }
    t->desc.shapes = t->shapes;
    t->needs = (bp_frame_needs){.struct_size = sizeof t->needs};
    rc = t->provider->frame_create(t->program, &t->desc, &t->needs, &t->frame, &t->err);
    free(t->shapes); /* valid during frame_create alone */
    t->shapes = NULL;
    t->desc.shapes = NULL;
    if (rc < 0) {
        t->frame = NULL;
        drop_frame(t);
    }
    return rc;
}

bp_rc th_frame(struct th *t)
{
    const bp_compile what = {.struct_size = sizeof what, .name = "test"};
    bp_rc rc = BP_OK;

    if (!t->program) {
        rc = th_claim(t);
        if (rc >= 0)
            rc = t->provider->compile(t->instance, &t->graph, &what, &t->program, &t->err);
    }
    if (rc >= 0 && !t->frame) {
        rc = make_frame(t);
        if (rc >= 0)
            th_move(t);
    }
    return rc;
}

void th_move(struct th *t)
{
    size_t align = t->needs.scratch_align ? t->needs.scratch_align : 64;

    for (uint32_t i = 0; i < t->desc.n_in; i++) {
        struct value *value = &t->values[t->inputs[i]];
        uint8_t *old = value->data ? copy_bytes(value->data, value->bytes) : NULL;

        set_data(value, old, 0);
        free(old);
        t->desc.in[i].base = value->data;
    }
    for (uint32_t i = 0; i < t->desc.n_out; i++) {
        bp_tensor *out = &t->desc.out[i];

        if (out->rank == BP_RANK_UNKNOWN)
            continue;
        void *old = out->base;

        out->base = out->bytes ? take(out->bytes) : NULL;
        free(old);
        if (out->base)
            memset(out->base, 0xa5, out->bytes);
    }
    free(t->scratch);
    t->scratch = NULL;
    if (t->needs.scratch_bytes > 0) {
        t->scratch = aligned_alloc(align, (t->needs.scratch_bytes + align - 1) / align * align);
        if (!t->scratch)
            die("no memory", "scratch");
    }
    t->desc.scratch = t->scratch;
    t->run.io_epoch++;
}

/* Adds a line to the file that uncovered.c reads, unless this process has done so. */
static void record_line(const char *line)
{
    static uint64_t written[LINES]; /* hashes, each at its own place; a lost one is written again */
    const char *folder = getenv("BP_COVERED_DIR");
    uint64_t hash = UINT64_C(14695981039346656037);
    char path[4096];
    FILE *file;

    for (const char *c = line; *c; c++)
        hash = (hash ^ (uint64_t)(unsigned char)*c) * UINT64_C(1099511628211);
    if (!folder || written[hash % LINES] == hash)
        return;
    written[hash % LINES] = hash;
    snprintf(path, sizeof path, "%s/%s.ran", folder, program_invocation_short_name);
    file = fopen(path, "a");
    if (!file || fputs(line, file) == EOF || fclose(file) != 0)
        die("cannot write", path);
}

static size_t print_types(const struct th *t, const uint32_t *values, uint32_t n, char *out,
                          size_t capacity)
{
    size_t used = 0;

    for (uint32_t i = 0; i < n && used < capacity; i++)
        used += (size_t)snprintf(out + used, capacity - used, " %u",
                                 values[i] == BP_NONE ? 0 : t->values[values[i]].dtype);
    return used < capacity ? used : capacity;
}

/* "Add 14 : 1 1 : 1": operator (after its domain and a dot), version, types of inputs, of outputs. */
static void record_nodes(const struct th *t)
{
    char line[1024];

    for (uint32_t i = 0; i < t->n_nodes; i++) {
        const bp_node *node = &t->graph_nodes[i];
        size_t n =
            (size_t)snprintf(line, sizeof line, "%s:%s %u :", node->domain, node->op, node->since);

        n += print_types(t, node->in, node->n_in, line + n, sizeof line - n - 8);
        n += (size_t)snprintf(line + n, sizeof line - n, " :");
        n += print_types(t, node->out, node->n_out, line + n, sizeof line - n - 2);
        snprintf(line + n, sizeof line - n, "\n");
        record_line(line);
    }
}

bp_rc th_run(struct th *t)
{
    bp_rc rc = th_frame(t);

    if (rc < 0)
        return rc;
    t->message[0] = '\0';
    if (t->scratch)
        memset(t->scratch, 0xa5, t->needs.scratch_bytes);
    t->run.run_id++;
    t->in_execute = true;
    rc = t->provider->execute(t->frame, &t->run, &t->err);
    t->in_execute = false;
    if (rc >= 0)
        record_nodes(t);
    return rc;
}

void th_feed(struct th *t, const char *name, const void *data)
{
    struct value *value = value_of(t, name);

    set_data(value, data, 0);
    for (uint32_t i = 0; i < t->desc.n_in; i++) {
        if (&t->values[t->inputs[i]] == value)
            t->desc.in[i].base = value->data;
    }
    t->run.io_epoch++;
}

void th_shape(struct th *t, const char *name, const char *dims)
{
    drop_frame(t);
    set_dims(value_of(t, name), dims);
}

void th_limits(struct th *t, const volatile uint32_t *cancel, int64_t deadline_ns, bp_prof *prof)
{
    t->run.cancel = cancel;
    t->run.deadline_ns = deadline_ns;
    t->run.prof = prof;
}

static const bp_tensor *tensor_of(const struct th *t, const char *name)
{
    uint32_t v = find_value(t, name, strlen(name));

    for (uint32_t i = 0; i < t->desc.n_in; i++) {
        if (t->inputs[i] == v)
            return &t->desc.in[i];
    }
    for (uint32_t i = 0; i < t->desc.n_out; i++) {
        if (t->outputs[i] == v)
            return &t->desc.out[i];
    }
    die("neither input nor output, or there is no frame", name);
    return NULL;
}

const void *th_data(const struct th *t, const char *name)
{
    return bp_tensor_data(tensor_of(t, name));
}

uint32_t th_done(const struct th *t)
{
    return t->n_done;
}

size_t th_count(const struct th *t, const char *name)
{
    const bp_tensor *tensor = tensor_of(t, name);

    return (size_t)bp_dims_count(tensor->dims, tensor->rank);
}

const char *th_dims(struct th *t, const char *name)
{
    const bp_tensor *tensor = tensor_of(t, name);
    size_t at = 0;

    t->dims_text[0] = '\0';
    for (uint32_t i = 0; i < tensor->rank && at < sizeof t->dims_text; i++)
        at += (size_t)snprintf(t->dims_text + at, sizeof t->dims_text - at, "%s%lld", i ? "," : "",
                               (long long)tensor->dims[i]);
    return t->dims_text;
}

const char *th_message(const struct th *t)
{
    return t->message;
}

const char *th_logged(const struct th *t)
{
    return t->logged;
}

size_t th_scratch_bytes(const struct th *t)
{
    return t->needs.scratch_bytes;
}

static void free_graph(struct th *t)
{
    for (uint32_t v = 0; v < t->n_values; v++) {
        free(t->values[v].name);
        free(t->values[v].dims);
        free(t->values[v].now);
        free(t->values[v].block);
    }
    for (uint32_t i = 0; i < t->n_nodes; i++) {
        free(t->nodes[i].op);
        free(t->nodes[i].domain);
    }
    for (uint32_t i = 0; i < t->n_attrs; i++) {
        void *p;

        memcpy(&p, &t->attrs[i].name, sizeof p);
        free(p);
        memcpy(&p, &t->attrs[i].data, sizeof p);
        free(p);
    }
    free(t->values);
    free(t->nodes);
    free(t->attrs);
    free(t->inputs);
    free(t->outputs);
    free(t->graph_values);
    free(t->graph_nodes);
}

void *th_keep(struct th *t, void *p)
{
    t->kept = realloc(t->kept, (t->n_kept + 1) * sizeof *t->kept);
    if (!t->kept || !p)
        die("no memory", "th_keep");
    t->kept[t->n_kept++] = p;
    return p;
}

void th_free(struct th *t)
{
    drop_frame(t);
    if (t->program)
        t->provider->program_free(t->program);
    if (t->instance)
        t->provider->destroy(t->instance);
    if (t->module->teardown)
        t->module->teardown();
    if (t->live_bytes != 0 || t->weights)
        die("the provider kept memory", t->provider->name);
    free_graph(t);
    for (uint32_t i = 0; i < t->provider->n_options; i++)
        free(t->opt_texts[i]);
    free(t->opts);
    free(t->opt_texts);
    for (size_t i = 0; i < t->n_kept; i++)
        free(t->kept[i]);
    free(t->kept);
    free(t);
}
