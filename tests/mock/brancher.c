/* SPDX-License-Identifier: MIT */
/*
 * brancher.c - a provider that runs If and Loop whole, by interpreting their bodies: dense tensors
 * of float32, int64 and bool, elementwise operators of equal shapes. Built as `unshown` it does not
 * say BP_PROVIDER_SUBGRAPHS, and takes control flow all the same. With the option `asks` it logs
 * what the host tells of the model (BP_EXT_MODEL).
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bp/sdk.h>

#ifndef MOCK_NAME
#define MOCK_NAME "brancher"
#endif

enum { MAX_RANK = 8, MAX_ITERATIONS = 1000000 };

static const bp_option options[] = {
    {sizeof(bp_option), 0, BP_OPT_STRING, 0, "decline", "compile refuses groups with this operator",
     "", NULL, 0, 0},
    {sizeof(bp_option), 0, BP_OPT_BOOL, 0, "asks", "logs what the host tells of the model", "no",
     NULL, 0, 0},
};

struct bp_instance {
    const bp_host *host;
    char decline[64];
    int64_t asks;
};

struct bp_program {
    const bp_instance *instance;
    const bp_graph *graph;
};

struct bp_frame {
    const bp_program *program;
    const bp_frame_desc *desc;
};

/* A value while a graph is interpreted; data is malloc()ed. */
struct box {
    int64_t dims[MAX_RANK];
    uint32_t rank, dtype;
    char *data; /* NULL: not there yet */
};

/* The values of a graph, and of the one around it. */
struct scope {
    const bp_host *host;
    const bp_graph *graph;
    struct box *boxes;
    const struct scope *outer;
};

static bp_rc run_graph(struct scope *scope, bp_err *err);

/* ---- boxes ----------------------------------------------------------------------------------- */

static size_t bytes_of(const struct box *box)
{
    return (size_t)bp_dims_count(box->dims, box->rank) * bp_dtype_width(box->dtype) / 8;
}

static bp_rc fill_box(struct box *box, uint32_t dtype, uint32_t rank, const int64_t *dims,
                      const void *data, bp_err *err)
{
    box->dtype = dtype;
    box->rank = rank;
    if (rank > 0)
        memcpy(box->dims, dims, rank * sizeof *dims);
    free(box->data);
    box->data = (char *)malloc(bytes_of(box) + 1);
    if (!box->data)
        return bp_fail(err, BP_E_NOMEM, "no memory for a tensor");
    if (data)
        memcpy(box->data, data, bytes_of(box));
    return BP_OK;
}

static bp_rc copy_box(struct box *to, const struct box *from, bp_err *err)
{
    return fill_box(to, from->dtype, from->rank, from->dims, from->data, err);
}

static void close_scope(struct scope *scope)
{
    for (uint32_t v = 0; scope->boxes && v < scope->graph->n_values; v++)
        free(scope->boxes[v].data);
    free(scope->boxes);
}

/* Constants of the graph, and what it captures. */
static bp_rc open_scope(struct scope *scope, const struct scope *outer, const bp_graph *graph,
                        const bp_host *host, bp_err *err)
{
    bp_rc rc = BP_OK;

    *scope = (struct scope){.host = host, .graph = graph, .outer = outer};
    scope->boxes = (struct box *)calloc(graph->n_values + 1, sizeof *scope->boxes);
    if (!scope->boxes)
        return bp_fail(err, BP_E_NOMEM, "no memory for values");
    for (uint32_t v = 0; rc >= 0 && v < graph->n_values; v++) {
        const bp_value *value = BP_VALUE(graph, v);
        int64_t dims[MAX_RANK];
        bp_span bytes;

        if (value->flags & BP_VALUE_CONSTANT) {
            rc = host->constant(host->h, graph, v, &bytes, err);
            for (uint32_t d = 0; rc >= 0 && d < value->rank; d++)
                dims[d] = value->dims[d].value;
            if (rc >= 0)
                rc = fill_box(&scope->boxes[v], value->dtype, value->rank, dims, bytes.data, err);
        } else if (value->flags & BP_VALUE_CAPTURED) {
            rc = copy_box(&scope->boxes[v], &outer->boxes[value->outer], err);
        }
    }
    return rc;
}

/* ---- operators ------------------------------------------------------------------------------- */

static struct box *in_box(struct scope *scope, const bp_node *node, uint32_t i)
{
    return i < node->n_in && node->in[i] != BP_NONE ? &scope->boxes[node->in[i]] : NULL;
}

static double element(const struct box *box, size_t i)
{
    if (bp_dims_count(box->dims, box->rank) == 1)
        i = 0;
    if (box->dtype == BP_DTYPE_F32)
        return (double)((const float *)(const void *)box->data)[i];
    if (box->dtype == BP_DTYPE_I64)
        return (double)((const int64_t *)(const void *)box->data)[i];
    return box->data[i];
}

static void set_element(struct box *box, size_t i, double x)
{
    if (box->dtype == BP_DTYPE_F32)
        ((float *)(void *)box->data)[i] = (float)x;
    else if (box->dtype == BP_DTYPE_I64)
        ((int64_t *)(void *)box->data)[i] = (int64_t)x;
    else
        box->data[i] = x != 0;
}

static double apply(const char *op, double a, double b)
{
    if (strcmp(op, "Add") == 0)
        return a + b;
    if (strcmp(op, "Mul") == 0)
        return a * b;
    if (strcmp(op, "Less") == 0)
        return a < b;
    return strcmp(op, "Neg") == 0 ? -a : a;
}

static int is_elementwise(const char *op)
{
    return strcmp(op, "Add") == 0 || strcmp(op, "Mul") == 0 || strcmp(op, "Less") == 0 ||
           strcmp(op, "Neg") == 0 || strcmp(op, "Identity") == 0;
}

/* One of two inputs may have a single element. */
static bp_rc run_elementwise(struct scope *scope, const bp_node *node, bp_err *err)
{
    const struct box *a = in_box(scope, node, 0), *b = in_box(scope, node, node->n_in - 1);
    const struct box *like = bytes_of(a) >= bytes_of(b) ? a : b;
    struct box *y = &scope->boxes[node->out[0]];
    uint32_t dtype = strcmp(node->op, "Less") == 0 ? BP_DTYPE_BOOL : a->dtype;
    bp_rc rc = fill_box(y, dtype, like->rank, like->dims, NULL, err);

    for (size_t i = 0; rc >= 0 && i < (size_t)bp_dims_count(y->dims, y->rank); i++)
        set_element(y, i, apply(node->op, element(a, i), element(b, i)));
    return rc;
}

static const bp_graph *body_of(const struct scope *scope, const bp_node *node, const char *name)
{
    const bp_attr *attr = bp_node_attr(scope->graph, node, name);

    return scope->graph->subs[*(const uint32_t *)attr->data];
}

static bp_rc run_if(struct scope *scope, const bp_node *node, bp_err *err)
{
    int is_true = element(in_box(scope, node, 0), 0) != 0;
    const bp_graph *body = body_of(scope, node, is_true ? "then_branch" : "else_branch");
    struct scope inner;
    bp_rc rc = open_scope(&inner, scope, body, scope->host, err);

    if (rc >= 0)
        rc = run_graph(&inner, err);
    for (uint32_t i = 0; rc >= 0 && i < node->n_out; i++)
        rc = copy_box(&scope->boxes[node->out[i]], &inner.boxes[body->outputs[i]], err);
    close_scope(&inner);
    return rc;
}

/* Appends the scan output of an iteration, which becomes the first dimension. */
static bp_rc append(struct box *to, const struct box *from, bp_err *err)
{
    struct box grown = *from;
    size_t before = to->data ? bytes_of(to) : 0;
    char *data;

    memmove(&grown.dims[1], grown.dims, (MAX_RANK - 1) * sizeof *grown.dims);
    grown.rank++;
    grown.dims[0] = to->data ? to->dims[0] + 1 : 1;
    data = (char *)realloc(to->data, bytes_of(&grown) + 1);
    if (!data)
        return bp_fail(err, BP_E_NOMEM, "no memory for a tensor");
    memcpy(data + before, from->data, bytes_of(from));
    *to = grown;
    to->data = data;
    return BP_OK;
}

/* One iteration: number, condition and states in; condition, states and scan outputs out. */
static bp_rc run_iteration(struct scope *scope, const bp_node *node, const bp_graph *body,
                           int64_t at, struct box *states, struct box *scans, int *goes_on,
                           bp_err *err)
{
    uint32_t n_states = body->n_inputs - 2;
    uint8_t yes = 1;
    struct scope inner;
    bp_rc rc = open_scope(&inner, scope, body, scope->host, err);

    if (rc >= 0)
        rc = fill_box(&inner.boxes[body->inputs[0]], BP_DTYPE_I64, 0, NULL, &at, err);
    if (rc >= 0)
        rc = fill_box(&inner.boxes[body->inputs[1]], BP_DTYPE_BOOL, 0, NULL, &yes, err);
    for (uint32_t i = 0; rc >= 0 && i < n_states; i++)
        rc = copy_box(&inner.boxes[body->inputs[2 + i]], &states[i], err);
    if (rc >= 0)
        rc = run_graph(&inner, err);
    for (uint32_t i = 0; rc >= 0 && i < n_states; i++)
        rc = copy_box(&states[i], &inner.boxes[body->outputs[1 + i]], err);
    for (uint32_t i = 0; rc >= 0 && i < node->n_out - n_states; i++)
        rc = append(&scans[i], &inner.boxes[body->outputs[1 + n_states + i]], err);
    if (rc >= 0)
        *goes_on = element(&inner.boxes[body->outputs[0]], 0) != 0;
    close_scope(&inner);
    return rc;
}

/* States and scan outputs are kept where the node's outputs are. */
static bp_rc run_loop(struct scope *scope, const bp_node *node, bp_err *err)
{
    const bp_graph *body = body_of(scope, node, "body");
    uint32_t n_states = body->n_inputs - 2;
    const struct box *most = in_box(scope, node, 0), *condition = in_box(scope, node, 1);
    int64_t n = most ? (int64_t)element(most, 0) : MAX_ITERATIONS;
    int goes_on = !condition || element(condition, 0) != 0;
    struct box *outs = (struct box *)calloc(node->n_out + 1, sizeof *outs);
    bp_rc rc = outs ? BP_OK : bp_fail(err, BP_E_NOMEM, "no memory for a loop");

    for (uint32_t i = 0; rc >= 0 && i < n_states; i++)
        rc = copy_box(&outs[i], in_box(scope, node, 2 + i), err);
    for (int64_t at = 0; rc >= 0 && at < n && goes_on; at++)
        rc = run_iteration(scope, node, body, at, outs, outs + n_states, &goes_on, err);
    for (uint32_t i = 0; outs && i < node->n_out; i++) {
        if (rc >= 0 && outs[i].data)
            rc = copy_box(&scope->boxes[node->out[i]], &outs[i], err);
        free(outs[i].data);
    }
    free(outs);
    return rc;
}

static bp_rc run_graph(struct scope *scope, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < scope->graph->n_nodes; n++) {
        const bp_node *node = BP_NODE(scope->graph, n);

        if (strcmp(node->op, "If") == 0)
            rc = run_if(scope, node, err);
        else if (strcmp(node->op, "Loop") == 0)
            rc = run_loop(scope, node, err);
        else
            rc = run_elementwise(scope, node, err);
    }
    return rc;
}

/* ---- what it takes --------------------------------------------------------------------------- */

/* Can all nodes be interpreted, those of bodies as well? Attributes name the bodies of a node. */
static int takes(const bp_graph *g, const bp_node *node)
{
    if (node->domain[0] || (strcmp(node->op, "If") != 0 && strcmp(node->op, "Loop") != 0))
        return 0;
    for (uint32_t a = 0; g->n_subs > 0 && a < node->n_attr; a++) {
        const bp_attr *attr = BP_ATTR(g, node->first_attr + a);
        const bp_graph *body;

        if (attr->type != BP_ATTR_GRAPH)
            continue;
        if (attr->count != 1)
            return 0; /* the host does not show it */
        body = g->subs[*(const uint32_t *)attr->data];
        if (body->outer != g || BP_NODE(g, body->outer_node) != node)
            return 0;
        for (uint32_t n = 0; n < body->n_nodes; n++) {
            const bp_node *inner = BP_NODE(body, n);

            if (!is_elementwise(inner->op) && !takes(body, inner))
                return 0;
        }
    }
    return 1;
}

static bp_rc create(const bp_host *host, const bp_opt *opts, uint32_t n_opts, const uint32_t *devs,
                    uint32_t n_devs, bp_instance **out, bp_err *err)
{
    bp_instance *instance = (bp_instance *)calloc(1, sizeof *instance);

    (void)n_opts;
    (void)devs;
    (void)n_devs;
    if (!instance)
        return bp_fail(err, BP_E_NOMEM, "no memory for an instance");
    instance->host = host;
    strncpy(instance->decline, opts[0].str, sizeof instance->decline - 1);
    instance->asks = opts[1].i;
    *out = instance;
    return BP_OK;
}

static void destroy(bp_instance *instance)
{
    free(instance);
}

/* ---- what the host tells of the model -------------------------------------------------------- */

static void say(const bp_instance *instance, const char *text)
{
    instance->host->log(instance->host->h, BP_LOG_DEBUG, MOCK_NAME, text);
}

static void ask_about_file(const bp_instance *instance, const bp_ext_model *ext, const bp_graph *g)
{
    void *h = instance->host->h;
    bp_graph_model model = {.struct_size = sizeof model};
    const char *key, *value;
    int64_t version;
    char line[500];

    ext->model(h, g, &model);
    snprintf(line, sizeof line,
             "model '%s' in '%s', '%s' by '%s' '%s' of '%s': '%s', IR %lld, version %lld",
             model.path, model.dir, model.name, model.producer, model.producer_version,
             model.domain, model.doc, (long long)model.ir_version, (long long)model.model_version);
    say(instance, line);
    for (uint32_t i = 0; (key = ext->metadata(h, g, i, &value)) != NULL; i++) {
        snprintf(line, sizeof line, "metadata %u: %s=%s", (unsigned)i, key, value);
        say(instance, line);
    }
    for (uint32_t i = 0; (key = ext->opset(h, g, i, &version)) != NULL; i++) {
        snprintf(line, sizeof line, "opset %u: '%s' %lld", (unsigned)i, key, (long long)version);
        say(instance, line);
    }
}

/* The nodes around a graph, from within. */
static void ask_about_parents(const bp_instance *instance, const bp_ext_model *ext,
                              const bp_graph *g)
{
    bp_graph_parent parent = {.struct_size = sizeof parent};
    char line[500] = "graph";

    for (uint32_t level = 0; level == 0 || parent.node; level++) {
        size_t n = strlen(line);

        ext->parent(instance->host->h, g, level, &parent);
        if (parent.node)
            snprintf(line + n, sizeof line - n, " '%s', %s of %s %s'%s' in", parent.graph,
                     parent.attr, parent.op, parent.domain, parent.node);
        else
            snprintf(line + n, sizeof line - n, " the model");
    }
    say(instance, line);
}

static void ask_about_constants(const bp_instance *instance, const bp_ext_model *ext,
                                const bp_graph *g)
{
    for (uint32_t v = 0; v <= g->n_values; v++) {
        bp_const_place place = {.struct_size = sizeof place};
        char line[500];

        ext->place(instance->host->h, g, v, &place);
        if (v == g->n_values || !(BP_VALUE(g, v)->flags & BP_VALUE_CONSTANT)) {
            if (place.file || place.bytes)
                say(instance, "a place of what is no constant");
            continue;
        }
        snprintf(line, sizeof line, "constant '%s' %llu bytes at %llu of '%s'%s",
                 BP_VALUE(g, v)->name, (unsigned long long)place.bytes,
                 (unsigned long long)place.offset, place.file ? place.file : "",
                 place.flags & BP_PLACE_GIVEN ? ", given" : "");
        say(instance, line);
    }
}

/* Also of the bodies that are shown. */
static void ask(const bp_instance *instance, const bp_graph *g)
{
    const bp_host *host = instance->host;
    const bp_ext_model *ext =
        instance->asks ? (const bp_ext_model *)host->extension(host->h, BP_EXT_MODEL) : NULL;

    if (!ext)
        return;
    ask_about_file(instance, ext, g);
    ask_about_parents(instance, ext, g);
    ask_about_constants(instance, ext, g);
    for (uint32_t i = 0; i < g->n_subs; i++)
        ask_about_parents(instance, ext, g->subs[i]);
}

/* ---- claims and programs --------------------------------------------------------------------- */

static bp_rc capability(bp_instance *instance, const bp_graph *g, const bp_claims *claims,
                        bp_err *err)
{
    char line[80];

    (void)err;
    snprintf(line, sizeof line, "sees %u bodies", (unsigned)g->n_subs);
    say(instance, line);
    ask(instance, g);
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        if (takes(g, BP_NODE(g, n)))
            bp_accept(claims, n);
        else
            bp_refuse(claims, n, BP_R_OP, NULL, MOCK_NAME " runs If and Loop only");
    }
    return BP_OK;
}

static bp_rc compile(bp_instance *instance, const bp_graph *g, const bp_compile *what,
                     bp_program **out, bp_err *err)
{
    bp_program *program;

    (void)what;
    ask(instance, g);
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        if (strcmp(BP_NODE(g, n)->op, instance->decline) == 0)
            return bp_fail(err, BP_E_UNSUPPORTED, "%s is too much today", instance->decline);
    }
    program = (bp_program *)calloc(1, sizeof *program);
    if (!program)
        return bp_fail(err, BP_E_NOMEM, "no memory for a program");
    program->instance = instance;
    program->graph = g;
    *out = program;
    return BP_OK;
}

static void program_free(bp_program *program)
{
    free(program);
}

static bp_rc frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                          bp_frame **out, bp_err *err)
{
    bp_frame *frame = (bp_frame *)calloc(1, sizeof *frame);

    (void)needs;
    if (!frame)
        return bp_fail(err, BP_E_NOMEM, "no memory for a frame");
    frame->program = program;
    frame->desc = desc;
    *out = frame;
    return BP_OK;
}

static void frame_free(bp_frame *frame)
{
    free(frame);
}

/* An output has its size from the host's inference, or gets it now. */
static bp_rc give_output(const bp_frame_desc *desc, uint32_t i, const struct box *box, bp_err *err)
{
    bp_tensor *out = &desc->out[i];
    bp_rc rc = BP_OK;

    if (out->rank == BP_RANK_UNKNOWN)
        rc = desc->alloc_output(desc->h, i, box->rank, box->dims, err);
    if (rc >= 0)
        memcpy(bp_tensor_data(out), box->data, bytes_of(box));
    return rc;
}

static bp_rc execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    const bp_graph *g = frame->program->graph;
    const bp_frame_desc *desc = frame->desc;
    struct scope scope;
    bp_rc rc = open_scope(&scope, NULL, g, frame->program->instance->host, err);

    (void)run;
    for (uint32_t i = 0; rc >= 0 && i < g->n_inputs; i++)
        rc = fill_box(&scope.boxes[g->inputs[i]], desc->in[i].dtype, desc->in[i].rank,
                      desc->in[i].dims, bp_tensor_data(&desc->in[i]), err);
    if (rc >= 0)
        rc = run_graph(&scope, err);
    for (uint32_t i = 0; rc >= 0 && i < g->n_outputs; i++)
        rc = give_output(desc, i, &scope.boxes[g->outputs[i]], err);
    close_scope(&scope);
    return rc;
}

static const bp_provider provider = {
    .struct_size = sizeof(bp_provider),
#ifdef IS_UNSHOWN
    .flags = BP_PROVIDER_CONCURRENT_FRAMES | BP_PROVIDER_UNINTERRUPTIBLE,
#else
    .flags = BP_PROVIDER_CONCURRENT_FRAMES | BP_PROVIDER_SUBGRAPHS | BP_PROVIDER_UNINTERRUPTIBLE,
#endif
    .id = "org.backplane." MOCK_NAME,
    .name = MOCK_NAME,
    .version = "0.1",
    .vendor = "Backplane's tests",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .option_stride = sizeof options[0],
    .create = create,
    .destroy = destroy,
    .capability = capability,
    .compile = compile,
    .program_free = program_free,
    .frame_create = frame_create,
    .frame_free = frame_free,
    .execute = execute,
};

static const bp_provider *const providers[] = {&provider};

static const bp_module module = {
    .struct_size = sizeof(bp_module),
    .abi_major = BP_ABI_MAJOR,
    .abi_minor = BP_ABI_MINOR,
    .magic = BP_MAGIC,
    .providers = providers,
    .n_providers = 1,
};

BP_MANIFEST("id=org.backplane." MOCK_NAME "\n"
            "name=" MOCK_NAME "\n"
            "version=0.1\n"
            "license=MIT");

BP_EXPORT bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);
bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err)
{
    bp_rc rc = bp_host_check(host, MOCK_NAME, err);

    if (rc >= 0)
        *out = &module;
    return rc;
}
