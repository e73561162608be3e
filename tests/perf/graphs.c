/* SPDX-License-Identifier: MIT */
/*
 * graphs.c - sessions of graphs with many nodes, a chain and a fan: those of 50,000 load in under 2 s
 * of CPU time, and what passes take is in proportion to the nodes.
 *
 * Without arguments it is a test for machines that others use too: the least of some loads, limits
 * far above what is found (10 times a node would be quadratic), and more loads while one is beyond;
 * where others leave it little of a core, the clock tells nothing of passes, and it goes by CPU time.
 * `graphs ROUNDS` is for a quiet machine: medians of so many loads of each of four sizes, alternately; a
 * node of any may take 1.2 times what one of the smallest does (docs/passes.md).
 */

#include "config.h"

#include <stdbool.h>
#include <stddef.h>

#include <backplane.h>

#include "perf.h"
#include "support/proto_writer.h"

enum { MOST_PASSES = 64, MOST_ROUNDS = 1000, ROUNDS = 3, MORE_ROUNDS = 20, LARGE = 50000 };

static const int all_sizes[] = {5000, 10000, 20000, LARGE}, two_sizes[] = {5000, LARGE};

#define BUSY_RATIO 1.5         /* time by the clock against CPU time */
#define LIMIT_MS 2000.0        /* of a load of LARGE nodes */
#define LIMIT_LOAD_RATIO 3.0   /* a node of the largest graph against one of the smallest */
#define LIMIT_PASSES_RATIO 2.0 /* the same of the passes, where others use the machine */
#define AIM_RATIO 1.2          /* of the passes, on a quiet machine */
#define LEAST_SHOWN_NS 1.0     /* of a pass for a node */

struct sample {
    double wall_ms, cpu_ms;      /* of a load */
    double passes_ns;            /* all together; by the clock */
    double pass_ns[MOST_PASSES]; /* each */
};

/* Loads of one graph. */
struct series {
    struct pw model;
    int n_nodes;
    uint32_t n_left; /* nodes after the passes */
    int n;
    struct sample samples[MOST_ROUNDS];
};

/* Loads of one shape. */
struct shape {
    const char *name;
    bool is_chain;
    int n_sizes;
    bool of_median; /* or of the least */
    uint32_t n_passes;
    char names[MOST_PASSES][24];
    struct series series[4];
};

static double cpu_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- the graphs ------------------------------------------------------------------------------ */

/* A chain of nodes; one in eight is not needed. */
static void write_chain(struct pw *w, int n)
{
    static const char *const ops[] = {"Neg",     "Abs", "Add",  "Relu",
                                      "Sigmoid", "Mul", "Tanh", "Identity"};

    for (int i = 0; i < n; i++) {
        const char *op = ops[i % 8];
        char in[32], out[16];

        snprintf(out, sizeof out, i + 1 < n ? "t%d" : "y", i);
        snprintf(in, sizeof in, i == 0 ? "x" : i % 8 == 2 || i % 8 == 5 ? "t%d k" : "t%d", i - 1);
        pw_node(w, op, in, out);
    }
}

/* All beside each other, no two equal; one node reads them. */
static void write_fan(struct pw *w, int n)
{
    char *all = malloc((size_t)n * 8);
    size_t used = 0;

    if (!all)
        abort();
    for (int i = 0; i + 1 < n; i++) {
        char out[16];

        snprintf(out, sizeof out, "t%d", i);
        pw_open_node(w, "LeakyRelu", "x", out);
        pw_open_attr(w, "alpha", 1);
        pw_float(w, 2, (float)i / 65536);
        pw_close(w);
        pw_close(w);
        used += (size_t)sprintf(all + used, "%s%s", used ? " " : "", out);
    }
    pw_node(w, "Sum", all, "y");
    free(all);
}

static struct pw write_model(bool is_chain, int n)
{
    const float one = 1;
    struct pw w = {0};

    pw_open_model(&w);
    if (is_chain)
        write_chain(&w, n);
    else
        write_fan(&w, n);
    pw_value(&w, 11, "x", BP_DTYPE_F32, PW_DIMS(1));
    pw_value(&w, 12, "y", BP_DTYPE_F32, PW_DIMS(1));
    pw_raw_tensor(&w, 5, "k", BP_DTYPE_F32, PW_DIMS(1), &one, sizeof one);
    pw_close(&w);
    return w;
}

/* ---- measuring ------------------------------------------------------------------------------- */

static void read_passes(const bp_report *report, struct shape *shape, struct sample *out,
                        bp_err *err)
{
    shape->n_passes = bp_report_pass_count(report);
    for (uint32_t i = 0; i < shape->n_passes && i < MOST_PASSES; i++) {
        bp_report_pass row = {.struct_size = sizeof row};

        if (bp_report_get_pass(report, i, &row, err) < 0)
            continue;
        out->pass_ns[i] = (double)row.ns;
        out->passes_ns += (double)row.ns;
        snprintf(shape->names[i], sizeof shape->names[i], "%s", row.name);
    }
}

static bp_rc load(bp_env *env, struct shape *shape, struct series *series, bp_err *err)
{
    struct sample *sample = &series->samples[series->n];
    double wall = now_ms(), cpu = cpu_ms();
    bp_model *opened = NULL;
    bp_session *session = NULL;
    bp_rc rc;

    rc = bp_model_open_memory(env, series->model.data, series->model.size, NULL, &opened, err);
    if (rc >= 0)
        rc = bp_session_create_from_model(env, opened, NULL, &session, err);
    if (rc >= 0) {
        *sample = (struct sample){.wall_ms = now_ms() - wall, .cpu_ms = cpu_ms() - cpu};
        read_passes(bp_session_report(session), shape, sample, err);
        series->n_left = bp_report_node_count(bp_session_report(session));
        series->n++;
    }
    bp_session_destroy(session);
    bp_model_close(opened);
    return rc;
}

/* A load of each size. */
static bp_rc load_all(bp_env *env, struct shape *shape, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (int i = 0; rc >= 0 && i < shape->n_sizes; i++)
        rc = load(env, shape, &shape->series[i], err);
    return rc;
}

/* ---- figures --------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The median, or the least, of a member of samples, which lies `offset` bytes behind their start. */
static double figure(const struct shape *shape, int size, size_t offset)
{
    const struct series *series = &shape->series[size];
    double sorted[MOST_ROUNDS];

    for (int i = 0; i < series->n; i++)
        memcpy(&sorted[i], (const char *)&series->samples[i] + offset, sizeof *sorted);
    qsort(sorted, (size_t)series->n, sizeof *sorted, compare);
    return sorted[shape->of_median ? series->n / 2 : 0];
}

/* The same for a node. */
static double node_figure(const struct shape *shape, int size, size_t offset)
{
    return figure(shape, size, offset) / shape->series[size].n_nodes;
}

/* The same of one size against the smallest. */
static double ratio(const struct shape *shape, int size, size_t offset)
{
    return node_figure(shape, size, offset) / node_figure(shape, 0, offset);
}

static void print_pass(const struct shape *shape, const char *name, size_t offset)
{
    printf("graphs:   %-16s", name);
    for (int i = 0; i < shape->n_sizes; i++)
        printf(" %7.2f ns", node_figure(shape, i, offset));
    printf(" a node, %.2f times\n", ratio(shape, shape->n_sizes - 1, offset));
}

static void print_shape(const struct shape *shape)
{
    printf("graphs: %s, %s of %d loads\n", shape->name, shape->of_median ? "median" : "least",
           shape->series[0].n);
    for (int i = 0; i < shape->n_sizes; i++)
        printf("graphs:   %d nodes: %.1f ms of CPU time, %.1f by the clock; %u nodes left\n",
               shape->series[i].n_nodes, figure(shape, i, offsetof(struct sample, cpu_ms)),
               figure(shape, i, offsetof(struct sample, wall_ms)), shape->series[i].n_left);
    print_pass(shape, "all passes", offsetof(struct sample, passes_ns));
    for (uint32_t i = 0; i < shape->n_passes && i < MOST_PASSES; i++) {
        size_t offset = offsetof(struct sample, pass_ns) + i * sizeof(double);

        if (node_figure(shape, shape->n_sizes - 1, offset) >= LEAST_SHOWN_NS)
            print_pass(shape, shape->names[i], offset);
    }
}

/* ---- judging --------------------------------------------------------------------------------- */

/* Did other processes take part in the best of loads, so that the clock says little? */
static bool is_busy(const struct shape *shape)
{
    bool busy = false;

    for (int i = 0; i < shape->n_sizes; i++)
        busy |= figure(shape, i, offsetof(struct sample, wall_ms)) >
                BUSY_RATIO * figure(shape, i, offsetof(struct sample, cpu_ms));
    return busy && !shape->of_median;
}

static bool is_good(const struct shape *shape)
{
    int last = shape->n_sizes - 1;
    double limit = shape->of_median ? AIM_RATIO : LIMIT_PASSES_RATIO;
    bool good = figure(shape, last, offsetof(struct sample, cpu_ms)) <= LIMIT_MS &&
                ratio(shape, last, offsetof(struct sample, cpu_ms)) <= LIMIT_LOAD_RATIO;

    for (int i = 1; i < shape->n_sizes && !is_busy(shape); i++)
        good &= ratio(shape, i, offsetof(struct sample, passes_ns)) <= limit;
    return good;
}

/* ROUNDS loads of two sizes, some more while they are not good; or so many of all sizes. */
static bp_rc measure(bp_env *env, struct shape *shape, int rounds, bool *good, bp_err *err)
{
    const int *sizes = rounds > 0 ? all_sizes : two_sizes;
    int least = rounds > 0 ? rounds : ROUNDS, most = rounds > 0 ? rounds : MORE_ROUNDS;
    bp_rc rc = BP_OK;

    shape->of_median = rounds > 0;
    shape->n_sizes = rounds > 0 ? 4 : 2;
    for (int i = 0; i < shape->n_sizes; i++) {
        shape->series[i].n_nodes = sizes[i];
        shape->series[i].model = write_model(shape->is_chain, sizes[i]);
    }
    for (int i = 0; rc >= 0 && i < most && (i < least || !is_good(shape)); i++)
        rc = load_all(env, shape, err);
    if (rc >= 0) {
        print_shape(shape);
        if (is_busy(shape))
            puts("graphs:   the machine is busy: times of the passes are not checked");
        *good &= is_good(shape);
    }
    for (int i = 0; i < shape->n_sizes; i++)
        pw_free(&shape->series[i].model);
    return rc;
}

int main(int argc, char **argv)
{
    static struct shape shapes[] = {{.name = "chain", .is_chain = true}, {.name = "fan"}};
    int rounds = argc > 1 ? atoi(argv[1]) : 0;
    char text[512] = "";
    bp_err err = bp_err_init(text, sizeof text);
    bp_env *env = NULL;
    bool good = true;
    bp_rc rc;

    if (BP_SANITIZED) {
        puts("graphs: skipped, sanitizers change time");
        return SKIP;
    }
    if (rounds < 0 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "graphs: 1 to %d rounds\n", MOST_ROUNDS);
        return 2;
    }
    rc = bp_env_create(NULL, &env, &err);
    for (int i = 0; rc >= 0 && i < 2; i++)
        rc = measure(env, &shapes[i], rounds, &good, &err);
    if (rc >= 0 && !good)
        puts("graphs: too slow, or not in proportion to the nodes");
    if (env && bp_env_destroy(env, &err) < 0)
        rc = BP_E_INTERNAL;
    if (rc < 0)
        fprintf(stderr, "%s\n", text);
    return rc >= 0 && good ? 0 : 1;
}
