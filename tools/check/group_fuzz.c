/* SPDX-License-Identifier: MIT */
/*
 * group_fuzz.c - FUZZ: odd inputs that are made from a seed, all within what a host may hand over.
 * Each seed of each test has a process of its own; see main.c.
 */

#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "check/cases/reference.h"
#include "check/graph.h"

/* ---- pseudo-random values of a seed ---------------------------------------------------------- */

static uint64_t state;

static uint32_t below(uint32_t n)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) >> 16) % n;
}

static bool one_in(uint32_t n)
{
    return below(n) == 0;
}

static bp_instance *begin(struct kit *kit)
{
    state = kit->seed;
    return kit_begin(kit);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

enum { MAX_NODES = 24 };

static void odd_sizes(struct kit_port *port)
{
    static const int64_t sizes[] = {0, 1, 2, 3, 7, 16, 255, 65536, 2147483647, 4294967296};

    if (!kit_is_fed(port) || port->n_fixed > 0)
        return;
    if (one_in(4))
        port->rank = below(KIT_RANK + 1);
    for (uint32_t d = 0; d < port->rank; d++) {
        if (port->dims[d] == 0 || one_in(3))
            port->dims[d] = sizes[below(sizeof sizes / sizeof sizes[0])];
    }
}

static void odd_attr(struct kit_attr *attr)
{
    static const int64_t ints[] = {INT64_MIN, -2147483649, -7, -1, 0, 1, 2, 1000, INT64_MAX};
    static const float floats[] = {NAN, INFINITY, -INFINITY, -1, 0, 1e-38F, 3e38F};
    static const char *const texts[] = {"",           "NOTSET",       "VALID",
                                        "SAME_UPPER", "no such mode", "%s%n"};

    for (uint32_t i = 0; i < KIT_RANK; i++) {
        if (one_in(3))
            attr->ints[i] = ints[below(sizeof ints / sizeof ints[0])];
    }
    attr->number = floats[below(sizeof floats / sizeof floats[0])];
    if (attr->type == BP_ATTR_STRING)
        attr->text = texts[below(sizeof texts / sizeof texts[0])];
    if (attr->count > 0 && one_in(4))
        attr->count = 1 + below(KIT_RANK);
}

/* A case with a few things changed. */
static void odd_case(struct kit_case *c)
{
    static const char *const names[] = {"", "relu", "Relu ", "Conv", "\xc3\xa9", "%s%s%n"};

    do
        *c = kit_cases[below((uint32_t)kit_n_cases)];
    while (c->is_large);
    for (uint32_t i = 0; i < c->n_in; i++) {
        if (one_in(2))
            odd_sizes(&c->in[i]);
        if (one_in(8) && kit_is_fed(&c->in[i]))
            c->in[i].dtype = below(BP_DTYPE_END + 3);
    }
    if (one_in(3))
        odd_sizes(&c->out);
    if (one_in(8))
        c->out.dtype = below(BP_DTYPE_END + 3);
    for (uint32_t a = 0; a < KIT_ATTRS && c->attrs[a].name; a++) {
        if (one_in(3))
            odd_attr(&c->attrs[a]);
    }
    if (one_in(6))
        c->since = c->opset = 1 + below(40);
    if (one_in(12))
        c->op = names[below(sizeof names / sizeof names[0])];
}

static void graphs(struct kit *kit)
{
    static const uint32_t flags[] = {0, 0, KIT_DYNAMIC, KIT_DYNAMIC | KIT_RANKLESS};
    static struct kit_case cases[MAX_NODES]; /* the graph borrows their attributes */
    static struct kit_answers first, again;
    bp_instance *instance = begin(kit);
    struct kit_graph *graph = kit_graph_new_for(MAX_NODES);
    const bp_graph *table;
    uint32_t n = 1 + below(MAX_NODES);

    for (uint32_t i = 0; i < n; i++) {
        odd_case(&cases[i]);
        kit_graph_add(graph, &cases[i], flags[below(4)]);
        if (one_in(10))
            kit_graph_rename(graph, i, cases[i].op, one_in(2) ? "com.microsoft" : "ai.onnx.ml");
    }
    table = kit_graph_table(graph, one_in(2));
    kit_ask(kit, instance, table, &first);
    kit_ask(kit, instance, table, &again);
    if (first.broken)
        kit_fail(kit, "%s", first.broken);
    if (memcmp(first.node, again.node, sizeof first.node) != 0)
        kit_fail(kit, "asked again about the same graph, it answers otherwise");
    kit_settle(kit);
    kit->p.destroy(instance);
    kit_graph_free(graph);
}

/* ---- options --------------------------------------------------------------------------------- */

enum { TEXT = 320 };

static void odd_integer(const bp_option *option, char *out)
{
    static const int64_t open[] = {0, 1, 2, 3, 64, 1000};
    int64_t low = (int64_t)option->min, high = (int64_t)option->max, value;

    if (option->min >= option->max)
        value = open[below(sizeof open / sizeof open[0])];
    else if (one_in(4))
        value = one_in(2) ? low : high;
    else
        value = low + (int64_t)below(high - low < 1000 ? (uint32_t)(high - low) + 1 : 1000);
    snprintf(out, TEXT, "%lld", (long long)value);
}

static void odd_text(char *out)
{
    uint32_t n = one_in(4) ? TEXT - 1 : below(20);

    for (uint32_t i = 0; i < n; i++)
        out[i] = one_in(6) ? "%,:= "[below(5)] : (char)('a' + below(26));
    out[n] = '\0';
}

/* A valid value. */
static void odd_value(const bp_option *option, char *out)
{
    switch (option->type) {
    case BP_OPT_INT:
        odd_integer(option, out);
        return;
    case BP_OPT_FLOAT:
        snprintf(out, TEXT, "%.17g",
                 option->min < option->max
                     ? option->min + (option->max - option->min) * below(101) / 100
                     : below(9) - 4.0);
        return;
    case BP_OPT_BOOL:
        snprintf(out, TEXT, "%s", one_in(2) ? "true" : "false");
        return;
    case BP_OPT_CHOICE:
        snprintf(out, TEXT, "%s", option->choices[below(option->n_choices)]);
        return;
    default:
        odd_text(out);
    }
}

static void options(struct kit *kit)
{
    bp_instance *instance;
    uint32_t row;
    bp_rc rc;

    state = kit->seed;
    kit_open_usable(kit);
    if (kit->p.n_options == 0)
        kit_skip(kit, "it has no options");
    if (chdir("/proc") != 0) /* where a text that is taken for a file's name can make none */
        kit_skip(kit, "no /proc here");
    row = below(kit->p.n_options);
    for (int i = 0; i < 8; i++) {
        char text[TEXT];

        odd_value(kit_option(kit, row), text);
        rc = kit_create(kit, row, text, &instance);
        if (rc < 0 && !kit->words[0])
            kit_fail(kit, "create with %s=%.60s gives %d without a word", kit_option(kit, row)->key,
                     text, (int)rc);
        if (rc >= 0 && !instance)
            kit_fail(kit, "create with %s=%.60s gives no instance", kit_option(kit, row)->key,
                     text);
        if (rc >= 0) {
            (void)kit_first_taken(kit, instance);
            kit->p.destroy(instance);
        }
    }
    kit_settle(kit);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

enum { MAX_ELEMENTS = 100000 };

static struct kit_case elementwise(void)
{
    uint32_t i;

    do
        i = below((uint32_t)kit_n_cases);
    while (kit_cases[i].reference != ref_unary || kit_cases[i].is_large);
    return kit_cases[i];
}

/* Other sizes for a case of one input, few enough elements to compute them twice. */
static void resize(struct kit_case *c)
{
    static const int64_t sizes[] = {0, 1, 2, 3, 4, 5, 8, 15, 17, 31, 33, 64, 127, 1025};
    int64_t n = 1;

    c->in[0].rank = c->out.rank = below(KIT_RANK + 1);
    for (uint32_t d = 0; d < c->in[0].rank; d++) {
        int64_t size = sizes[below(sizeof sizes / sizeof sizes[0])];

        if (n * size > MAX_ELEMENTS)
            size = 1;
        n *= size ? size : 1;
        c->in[0].dims[d] = c->out.dims[d] = size;
    }
}

static void shapes(struct kit *kit)
{
    bp_instance *instance = begin(kit);
    unsigned taken = 0;

    for (int i = 0; i < 16; i++) {
        struct kit_case c = elementwise();
        uint32_t flags = one_in(2) ? KIT_DYNAMIC : 0;
        struct kit_graph *graph;
        const bp_graph *table;
        struct kit_exec exec;

        resize(&c);
        if (!kit_takes(kit, instance, &c, flags))
            continue;
        graph = kit_graph_new();
        kit_graph_add(graph, &c, flags);
        table = kit_graph_table(graph, one_in(2));
        if (kit_compile(kit, &exec, instance, table) < 0)
            kit_fail(kit, "%s: taken, but compile says: %s", c.name, kit->words);
        if (!kit_runs(kit, &exec, table, &c, below(5), "of odd sizes") && flags == 0)
            kit_fail(kit, "%s: of known sizes, taken, then refused: %s", c.name, kit->words);
        kit_exec_finish(&exec);
        kit_graph_free(graph);
        taken++;
    }
    kit_settle(kit);
    kit->p.destroy(instance);
    if (taken == 0)
        kit_skip(kit, "it takes no such case");
}

/* ---- saved programs -------------------------------------------------------------------------- */

static void change(unsigned char *data, size_t *n)
{
    size_t at = *n ? below((uint32_t)*n) : 0;

    switch (below(4)) {
    case 0: /* a bit */
        if (*n)
            data[at] ^= (unsigned char)(1u << below(8));
        return;
    case 1: /* a byte */
        if (*n)
            data[at] = (unsigned char)below(256);
        return;
    case 2: /* the end */
        *n = at;
        return;
    default: /* a stretch of one value, often a size gone wild */
        for (size_t i = at; i < *n && i < at + 8; i++)
            data[i] = 0xff;
    }
}

static void blobs(struct kit *kit)
{
    const struct kit_case *c;
    bp_instance *instance;
    struct kit_graph *graph;
    struct kit_blob blob;

    state = kit->seed;
    instance = kit_begin_saving(kit, &c);
    graph = kit_saved(kit, instance, c, &blob);
    for (int i = 0; i < 16; i++) {
        size_t n = blob.n;
        unsigned char *copy = malloc(n + 1); /* its own block, so that memory checkers see */

        if (!copy)
            abort();
        memcpy(copy, blob.data, n);
        for (uint32_t k = below(4) + 1; k > 0; k--)
            change(copy, &n);
        (void)kit_try_load(kit, instance, kit_graph_table(graph, false), c, copy, n,
                           "a changed program");
        free(copy);
    }
    kit_settle(kit);
    kit->p.destroy(instance);
    free(blob.data);
    kit_graph_free(graph);
}

static const struct kit_test tests[] = {
    {"BPK-FUZZ-01", "odd graphs are answered, twice alike", "bp_provider.capability", graphs},
    {"BPK-FUZZ-02", "odd values of options make an instance or a sentence", "bp_provider.create",
     options},
    {"BPK-FUZZ-03", "odd sizes give right results", "bp_provider.frame_create", shapes},
    {"BPK-FUZZ-04", "changed programs are refused or harmless", "bp_provider.load", blobs},
};

const struct kit_group kit_fuzz = {"FUZZ", tests, sizeof tests / sizeof tests[0]};
