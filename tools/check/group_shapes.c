/* SPDX-License-Identifier: MIT */
/* group_shapes.c - SHAPES and CACHE: sizes known late, none at all; programs saved and loaded. */

#include "config.h"

#include <stdlib.h>

#include "check/cases/reference.h"
#include "check/graph.h"

bool kit_runs(struct kit *kit, struct kit_exec *exec, const bp_graph *table,
              const struct kit_case *c, unsigned skew, const char *what)
{
    bp_rc rc = kit_frame(exec, table, c);

    if (rc == BP_E_SHAPE && kit->words[0])
        return false;
    if (rc < 0)
        kit_fail(kit, "%s, %s: frame_create gives %d, neither 0 nor BP_E_SHAPE with words: %s",
                 c->name, what, (int)rc, kit->words);
    kit_place(exec, c, 5, skew);
    rc = kit_execute(exec);
    if (rc < 0)
        kit_fail(kit, "%s, %s: execute gives %d: %s", c->name, what, (int)rc, kit->words);
    kit_check(exec, c, what);
    return true;
}

/* The case with other sizes; elementwise cases of one input only. */
static struct kit_case resized(const struct kit_case *c, uint32_t rank, const int64_t *dims)
{
    struct kit_case other = *c;

    other.in[0].rank = other.out.rank = rank;
    for (uint32_t d = 0; d < rank; d++)
        other.in[0].dims[d] = other.out.dims[d] = dims[d];
    return other;
}

static void odd_shape(struct kit *kit, uint32_t rank, const int64_t *dims, const char *what)
{
    bp_instance *instance = kit_begin(kit);
    unsigned taken = 0, ran = 0;

    for (size_t i = 0; i < kit_n_cases; i++) {
        struct kit_case c = resized(&kit_cases[i], rank, dims);
        struct kit_graph *graph;
        struct kit_exec exec;
        bp_rc rc;

        if (c.is_large || c.reference != ref_unary || !kit_takes(kit, instance, &c, 0))
            continue;
        graph = kit_graph_new();
        kit_graph_add(graph, &c, 0);
        rc = kit_compile(kit, &exec, instance, kit_graph_table(graph, false));
        if (rc < 0)
            kit_fail(kit, "%s, %s: taken, but compile gives %d: %s", c.name, what, (int)rc,
                     kit->words);
        ran += kit_runs(kit, &exec, kit_graph_table(graph, false), &c, 0, what);
        taken++;
        kit_exec_finish(&exec);
        kit_graph_free(graph);
    }
    kit->p.destroy(instance);
    kit_settle(kit);
    if (taken == 0)
        kit_skip(kit, "it takes no elementwise case %s", what);
    if (ran < taken)
        kit_fail(kit, "%u of %u nodes %s were taken, then refused", taken - ran, taken, what);
}

static void no_elements(struct kit *kit)
{
    static const int64_t dims[] = {2, 0, 3};

    odd_shape(kit, 3, dims, "without elements");
}

static void scalars(struct kit *kit)
{
    odd_shape(kit, 0, NULL, "of rank 0");
}

static void many_elements(struct kit *kit)
{
    static const int64_t dims[] = {3, 70001};

    odd_shape(kit, 2, dims, "of 210003 elements");
}

/* One program of unknown sizes, frames of several. */
static void late_sizes(struct kit *kit)
{
    static const int64_t dims[][3] = {{2, 3, 5}, {1, 1, 1}, {7, 1, 9}, {2, 0, 3}};
    bp_instance *instance = kit_begin(kit);
    unsigned taken = 0, ran = 0;

    for (size_t i = 0; i < kit_n_cases; i++) {
        const struct kit_case *c = &kit_cases[i];
        struct kit_graph *graph;
        struct kit_exec exec;

        if (c->is_large || c->reference != ref_unary || !kit_takes(kit, instance, c, KIT_DYNAMIC))
            continue;
        graph = kit_graph_new();
        kit_graph_add(graph, c, KIT_DYNAMIC);
        for (size_t s = 0; s < sizeof dims / sizeof dims[0]; s++) {
            struct kit_case with_shape = resized(c, 3, dims[s]);

            if (kit_compile(kit, &exec, instance, kit_graph_table(graph, false)) < 0)
                kit_fail(kit, "%s of unknown sizes: %s", c->name, kit->words);
            ran += kit_runs(kit, &exec, kit_graph_table(graph, false), &with_shape, 0,
                            "of shapes known at run time");
            kit_exec_finish(&exec);
        }
        taken++;
        kit_graph_free(graph);
    }
    kit->p.destroy(instance);
    kit_settle(kit);
    if (taken == 0)
        kit_skip(kit, "it takes no elementwise case of unknown sizes");
    kit_note(kit, "%u programs, %u frames", taken, ran);
}

static const struct kit_test tests[] = {
    {"BPK-SHAPES-01", "sizes of 0", "bp_tensor.dims", no_elements},
    {"BPK-SHAPES-02", "rank 0", "bp_tensor.rank", scalars},
    {"BPK-SHAPES-03", "many elements", "bp_host.parallel_for", many_elements},
    {"BPK-SHAPES-04", "sizes that only the frame knows", "bp_provider.frame_create", late_sizes},
};

const struct kit_group kit_shapes = {"SHAPES", tests, sizeof tests / sizeof tests[0]};

/* ---- CACHE ----------------------------------------------------------------------------------- */

static bp_rc blob_write(void *h, const void *p, size_t n)
{
    struct kit_blob *blob = h;
    unsigned char *more = realloc(blob->data, blob->n + n + 1);

    if (!more)
        return BP_E_NOMEM;
    memcpy(more + blob->n, p, n);
    blob->data = more;
    blob->n += n;
    return BP_OK;
}

struct kit_graph *kit_saved(struct kit *kit, bp_instance *instance, const struct kit_case *c,
                            struct kit_blob *blob)
{
    bp_sink sink = {sizeof sink, 0, blob, blob_write};
    struct kit_graph *graph = kit_graph_new();
    struct kit_exec exec;
    bp_rc rc;

    memset(blob, 0, sizeof *blob);
    kit_graph_add(graph, c, 0);
    rc = kit_compile(kit, &exec, instance, kit_graph_table(graph, false));
    if (rc >= 0)
        rc = kit->p.save(exec.program, &sink, kit_err(kit));
    if (rc == BP_E_UNSUPPORTED)
        kit_skip(kit, "it does not save this program: %s", kit->words);
    if (rc < 0)
        kit_fail(kit, "%s: save gives %d: %s", c->name, (int)rc, kit->words);
    kit_exec_finish(&exec);
    return graph;
}

bp_instance *kit_begin_saving(struct kit *kit, const struct kit_case **c)
{
    bp_instance *instance = kit_begin(kit);

    if (!kit->p.save || !kit->p.load)
        kit_skip(kit, "it has no save and load");
    *c = kit_need_case(kit, instance);
    return instance;
}

bool kit_try_load(struct kit *kit, bp_instance *instance, const bp_graph *table,
                  const struct kit_case *c, const void *data, size_t n, const char *what)
{
    bp_compile as = {
        .struct_size = sizeof as, .device = kit_device_for(kit, instance, table), .name = "check"};
    bp_span span = {data, n};
    struct kit_exec exec;
    bp_rc rc;

    memset(&exec, 0, sizeof exec);
    exec.kit = kit;
    exec.instance = instance;
    rc = kit->p.load(instance, table, &as, span, &exec.program, kit_err(kit));
    if (rc < 0 && exec.program)
        kit_fail(kit, "%s: load fails, but gives a program", what);
    if (rc < 0)
        return false;
    if (!exec.program)
        kit_fail(kit, "%s: load succeeds without a program", what);
    kit_runs(kit, &exec, table, c, 0, what);
    kit_exec_finish(&exec);
    return true;
}

static void round_trip(struct kit *kit)
{
    const struct kit_case *c;
    bp_instance *instance = kit_begin_saving(kit, &c), *other;
    struct kit_blob blob;
    struct kit_graph *graph = kit_saved(kit, instance, c, &blob);

    kit->p.destroy(instance);
    other = kit_instance(kit);
    if (!kit_try_load(kit, other, kit_graph_table(graph, false), c, blob.data, blob.n,
                      "a saved program"))
        kit_fail(kit, "load of what save wrote: %s", kit->words);
    kit->p.destroy(other);
    kit_note(kit, "%s: %zu bytes", c->name, blob.n);
    free(blob.data);
    kit_graph_free(graph);
}

static void cut_blobs(struct kit *kit)
{
    const struct kit_case *c;
    bp_instance *instance = kit_begin_saving(kit, &c);
    struct kit_blob blob;
    struct kit_graph *graph = kit_saved(kit, instance, c, &blob);
    size_t step = blob.n / 64 + 1;

    for (size_t n = 0; n < blob.n; n += step) {
        unsigned char *part = malloc(n + 1); /* its own block, so that memory checkers see */

        if (!part)
            abort();
        memcpy(part, blob.data, n);
        if (kit_try_load(kit, instance, kit_graph_table(graph, false), c, part, n, "a cut program"))
            kit_fail(kit, "load accepts the first %zu of %zu bytes", n, blob.n);
        free(part);
    }
    kit->p.destroy(instance);
    free(blob.data);
    kit_graph_free(graph);
}

static void flipped_blobs(struct kit *kit)
{
    const struct kit_case *c;
    bp_instance *instance = kit_begin_saving(kit, &c);
    struct kit_blob blob;
    struct kit_graph *graph = kit_saved(kit, instance, c, &blob);
    size_t step = blob.n / 256 + 1;

    for (size_t i = 0; i < blob.n; i += step) {
        blob.data[i] ^= 0x81;
        (void)kit_try_load(kit, instance, kit_graph_table(graph, false), c, blob.data, blob.n,
                           "a program with a flipped byte");
        blob.data[i] ^= 0x81;
    }
    kit->p.destroy(instance);
    free(blob.data);
    kit_graph_free(graph);
}

static void fingerprints(struct kit *kit)
{
    bp_instance *instance = kit_begin(kit);
    char a[256], b[256], small[64];

    if (!kit->p.fingerprint)
        kit_skip(kit, "no fingerprint: its version says all");
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    if (kit->p.fingerprint(instance, a, sizeof a, kit_err(kit)) < 0 ||
        kit->p.fingerprint(instance, b, sizeof b, kit_err(kit)) < 0)
        kit_fail(kit, "fingerprint: %s", kit->words);
    if (!memchr(a, 0, sizeof a) || strcmp(a, b) != 0)
        kit_fail(kit, "two fingerprints of one instance differ");
    for (uint32_t cap = 0; cap < 16; cap++) {
        memset(small, 0x5a, sizeof small);
        (void)kit->p.fingerprint(instance, small, cap, kit_err(kit));
        for (size_t i = cap; i < sizeof small; i++) {
            if (small[i] != 0x5a)
                kit_fail(kit, "fingerprint wrote past a buffer of %u bytes", (unsigned)cap);
        }
    }
    kit->p.destroy(instance);
    kit_note(kit, "%s", a);
}

static const struct kit_test cache[] = {
    {"BPK-CACHE-01", "a saved program loads and gives the same", "bp_provider.save, .load",
     round_trip},
    {"BPK-CACHE-02", "a program that was cut short is refused", "bp_provider.load", cut_blobs},
    {"BPK-CACHE-03", "a flipped byte is refused or harmless", "bp_provider.load", flipped_blobs},
    {"BPK-CACHE-04", "fingerprints are steady and fit their buffer", "bp_provider.fingerprint",
     fingerprints},
};

const struct kit_group kit_cache = {"CACHE", cache, sizeof cache / sizeof cache[0]};
