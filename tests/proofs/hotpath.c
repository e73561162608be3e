/* SPDX-License-Identifier: MIT */
/*
 * hotpath.c - what the host does around each call of execute: a million runs of a graph in three
 * groups, each run with other buffers, against the same of a graph in one group (fewer of them
 * unless BP_LIMITS=strict). Both run alternately, a slice each, and the fastest slices count: a
 * neighbour on the core must not pass for work of ours. Three calls a run and not one allocation
 * are a condition everywhere; under 10 ns for each call more only where limits are strict. Proof 5
 * of docs/proofs.md.
 */

#include "config.h"

#include <backplane.h>
#include <bp/sdk.h>

#include "perf/perf.h"
#include "proofs/hotpath.h"
#include "support/count_alloc.h"

/* ---- two providers that take one operator each, and do nothing ------------------------------- */

struct bp_instance {
    const char *op;
};

static struct bp_instance instances[] = {{"Neg"}, {"Abs"}};
static unsigned long crossings;

/* Programs and frames have nothing to keep. */
struct bp_program {
    char unused;
};
struct bp_frame {
    char unused;
};
static struct bp_program program;
static struct bp_frame frame;

static bp_rc create_as(struct bp_instance *instance, bp_instance **out)
{
    *out = instance;
    return BP_OK;
}

static bp_rc create_neg(const bp_host *host, const bp_opt *opts, uint32_t n_opts,
                        const uint32_t *devs, uint32_t n_devs, bp_instance **out, bp_err *err)
{
    (void)host, (void)opts, (void)n_opts, (void)devs, (void)n_devs, (void)err;
    return create_as(&instances[0], out);
}

static bp_rc create_abs(const bp_host *host, const bp_opt *opts, uint32_t n_opts,
                        const uint32_t *devs, uint32_t n_devs, bp_instance **out, bp_err *err)
{
    (void)host, (void)opts, (void)n_opts, (void)devs, (void)n_devs, (void)err;
    return create_as(&instances[1], out);
}

static void destroy(bp_instance *instance)
{
    (void)instance;
}

static bp_rc capability(bp_instance *instance, const bp_graph *g, const bp_claims *claims,
                        bp_err *err)
{
    (void)err;
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        if (strcmp(BP_NODE(g, n)->op, instance->op) == 0)
            bp_accept(claims, n);
    }
    return BP_OK;
}

static bp_rc compile(bp_instance *instance, const bp_graph *g, const bp_compile *what,
                     bp_program **out, bp_err *err)
{
    (void)instance, (void)g, (void)what, (void)err;
    *out = &program;
    return BP_OK;
}

static void program_free(bp_program *p)
{
    (void)p;
}

static bp_rc frame_create(bp_program *p, const bp_frame_desc *desc, bp_frame_needs *needs,
                          bp_frame **out, bp_err *err)
{
    (void)p, (void)desc, (void)needs, (void)err;
    *out = &frame;
    return BP_OK;
}

static void frame_free(bp_frame *f)
{
    (void)f;
}

static bp_rc execute(bp_frame *f, const bp_run *run, bp_err *err)
{
    (void)f, (void)run, (void)err;
    crossings++;
    return BP_OK;
}

#define PROVIDER(NAME, CREATE)                                                                     \
    {                                                                                              \
        .struct_size = sizeof(bp_provider), .flags = BP_PROVIDER_CONCURRENT_FRAMES,                \
        .id = "org.test." NAME, .name = NAME, .version = "1", .create = CREATE,                    \
        .destroy = destroy, .capability = capability, .compile = compile,                          \
        .program_free = program_free, .frame_create = frame_create, .frame_free = frame_free,      \
        .execute = execute                                                                         \
    }

static const bp_provider neg = PROVIDER("neg", create_neg), abs_ = PROVIDER("abs", create_abs);
static const bp_provider *const neg_all[] = {&neg}, *const abs_all[] = {&abs_};

#define MODULE(ALL)                                                                                \
    {                                                                                              \
        .struct_size = sizeof(bp_module), .abi_major = BP_ABI_MAJOR, .abi_minor = BP_ABI_MINOR,    \
        .magic = BP_MAGIC, .providers = ALL, .n_providers = 1                                      \
    }

static const bp_module neg_module = MODULE(neg_all), abs_module = MODULE(abs_all);

static bp_rc enter_neg(const bp_host *host, const bp_module **out, bp_err *err)
{
    (void)host, (void)err;
    *out = &neg_module;
    return BP_OK;
}

static bp_rc enter_abs(const bp_host *host, const bp_module **out, bp_err *err)
{
    (void)host, (void)err;
    *out = &abs_module;
    return BP_OK;
}

/* ---- sessions -------------------------------------------------------------------------------- */

static bp_rc open_session(bp_env *env, int n_groups, bp_session **out, bp_err *err)
{
    struct pw w = write_alternating(n_groups);
    bp_session_options *options = NULL;
    bp_model *model = NULL;
    bp_rc rc = bp_session_options_create(&options, err);

    if (rc >= 0)
        rc = bp_session_options_set_optimization(options, BP_OPTIMIZE_NONE, err);
    if (rc >= 0)
        rc = bp_session_options_add_provider(options, "neg", NULL, 0, BP_FALLBACK_REQUIRE, err);
    if (rc >= 0 && n_groups > 1)
        rc = bp_session_options_add_provider(options, "abs", NULL, 0, BP_FALLBACK_REQUIRE, err);
    if (rc >= 0)
        rc = bp_model_open_memory(env, w.data, w.size, NULL, &model, err);
    if (rc >= 0)
        rc = bp_session_create_from_model(env, model, options, out, err);
    bp_model_close(model);
    bp_session_options_destroy(options);
    pw_free(&w);
    return rc;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* A slice of the runs, each with other buffers than the one before. */
static bp_rc run_slice(bp_session *session, struct figures *out, bp_err *err)
{
    static float x[BUFFERS][COUNT], y[BUFFERS][COUNT];
    unsigned long allocations = count_alloc_calls(), before = crossings;
    double start = cpu_ns();
    bp_rc rc = BP_OK;

    for (unsigned i = 0; rc >= 0 && i < SLICE; i++) {
        int64_t dims_in[] = {COUNT}, dims_out[] = {0};
        bp_binding in = {.tensor = {.base = x[i % BUFFERS],
                                    .bytes = sizeof x[0],
                                    .dims = dims_in,
                                    .rank = 1,
                                    .dtype = BP_DTYPE_F32}};
        bp_binding to = {
            .tensor = {
                .base = y[(i * 7) % BUFFERS], .bytes = sizeof y[0], .dims = dims_out, .rank = 1}};

        rc = bp_session_run(session, &in, 1, &to, 1, NULL, err);
    }
    out->ns = (cpu_ns() - start) / SLICE;
    out->allocations = count_alloc_calls() - allocations;
    out->crossings = crossings - before;
    return rc;
}

/* Both alternately, so that other load on the machine affects both alike. */
static bp_rc measure(bp_env *env, struct figures *one, struct figures *three, bp_err *err)
{
    bp_session *sessions[2] = {NULL, NULL};
    struct figures slice = {0};
    bp_rc rc = open_session(env, 1, &sessions[0], err);

    *one = *three = (struct figures){.ns = 1e9};
    if (rc >= 0)
        rc = open_session(env, 3, &sessions[1], err);
    for (int i = 0; rc >= 0 && i < 2; i++)
        rc = run_slice(sessions[i], &slice, err);
    for (int i = 0; rc >= 0 && i < 2 * n_slices(); i++) {
        rc = run_slice(sessions[i % 2], &slice, err);
        add_slice(i % 2 ? three : one, &slice);
    }
    bp_session_destroy(sessions[0]);
    bp_session_destroy(sessions[1]);
    return rc;
}

static bool is_within_limits(const struct figures *one, const struct figures *three)
{
    const unsigned long runs = (unsigned long)n_slices() * SLICE;
    double more = (three->ns - one->ns) / 2;
    bool is_right = three->crossings == 3 * runs && three->allocations == 0 &&
                    one->crossings == runs && one->allocations == 0;

    printf("hotpath: %lu runs of 3 groups: %.1f ns a run, %g crossings a run, %lu allocations\n",
           runs, three->ns, (double)three->crossings / (double)runs, three->allocations);
    printf("hotpath: of 1 group: %.1f ns a run; each crossing more takes %.1f ns (limit %.0f)\n",
           one->ns, more, LIMIT_NS);
    return is_right && (!is_strict() || more < LIMIT_NS);
}

int main(void)
{
    char text[512] = "";
    bp_err err = bp_err_init(text, sizeof text);
    struct figures one, three;
    bp_env_config config = {.struct_size = sizeof config, .threads = 1};
    bp_env *env = NULL;
    bool is_good = false;
    bp_rc rc;

    if (BP_SANITIZED || !count_alloc_works()) {
        puts("hotpath: skipped, allocations cannot be counted here");
        return SKIP;
    }
    rc = bp_env_create(&config, &env, &err);
    if (rc >= 0)
        rc = bp_env_add_entry(env, "neg", enter_neg, &err);
    if (rc >= 0)
        rc = bp_env_add_entry(env, "abs", enter_abs, &err);
    if (rc >= 0)
        rc = measure(env, &one, &three, &err);
    if (rc >= 0)
        is_good = is_within_limits(&one, &three);
    if (env && bp_env_destroy(env, &err) < 0)
        rc = BP_E_INTERNAL;
    if (rc < 0)
        fprintf(stderr, "%s\n", text);
    else if (!is_good)
        puts("hotpath: not as promised");
    return rc >= 0 && is_good ? 0 : 1;
}
