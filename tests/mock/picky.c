/* SPDX-License-Identifier: MIT */
/*
 * picky.c - a provider that asks the host for what the ABI lets it ask for: groups given back at
 * compile, sizes refused at frame_create, nodes that are taken together, alignment and memory
 * behind inputs and outputs, computing in place, a limit on frames. It takes Relu, Neg, Abs and Add
 * of equal shapes in float32, and execute checks that it got what it asked for.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bp/sdk.h>

#include "counters.h"

static struct mock_counters counters;

static const bp_option options[] = {
    {sizeof(bp_option), 0, BP_OPT_STRING, 0, "take", "operators to take, with commas between",
     "Relu,Neg,Abs,Add", NULL, 0, 0},
    {sizeof(bp_option), 0, BP_OPT_STRING, 0, "decline",
     "compile refuses groups that have this operator", "", NULL, 0, 0},
    {sizeof(bp_option), 0, BP_OPT_STRING, 0, "together",
     "operators whose nodes are taken together, with commas between", "", NULL, 0, 0},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "most", "largest input in elements, 0 for any", "0", NULL,
     0, 1e9},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "align", "bp_frame_needs.io_align, in bytes", "0", NULL,
     0, 65536},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "in_slack", "bytes behind inputs", "0", NULL, 0, 65536},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "out_slack", "bytes behind outputs", "0", NULL, 0, 65536},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "in_place",
     "1: the first output may lie where the first "
     "input lies; 2: with an index that is not there",
     "0", NULL, 0, 2},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "frames", "frames of a program at once, 0 for any", "0",
     NULL, 0, 100},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "frame_bytes", "bytes that a frame says it holds", "0",
     NULL, 0, 1e12},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "pause", "milliseconds that execute takes", "0", NULL, 0,
     10000},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "keep", "weights that it does not put back", "0", NULL, 0,
     9},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "scratch_align", "bp_frame_needs.scratch_align, in bytes",
     "0", NULL, 0, 9e18},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "rows",
     "profile rows of execute: 1: one for all nodes; 2: of a node that is not there; 3: of none",
     "0", NULL, 0, 3},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "cache", "bytes of its host cache; -1: memory() fails",
     "0", NULL, -1, 1e12},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "least", "smallest input in elements", "0", NULL, 0, 1e9},
};

enum { N_OPTIONS = sizeof options / sizeof options[0] };

struct bp_instance {
    const bp_host *host;
    char take[128], decline[64], together[128];
    int64_t most, least, align, in_slack, out_slack, in_place, frames, frame_bytes, pause, keep;
    _Atomic int64_t cache;
    int64_t scratch_align, rows;
};

struct bp_program {
    const bp_instance *instance;
    const bp_graph *graph;
    uint32_t nodes[8]; /* of profile rows: those of the graph, backwards */
};

struct bp_frame {
    const bp_program *program;
    const bp_frame_desc *desc;
    size_t n; /* elements of each value */
    bp_in_place pair;
};

static bp_rc create(const bp_host *host, const bp_opt *opts, uint32_t n_opts, const uint32_t *devs,
                    uint32_t n_devs, bp_instance **out, bp_err *err)
{
    bp_instance *instance = (bp_instance *)calloc(1, sizeof *instance);

    (void)devs;
    (void)n_devs;
    if (!instance || n_opts != N_OPTIONS) {
        free(instance);
        return bp_fail(err, BP_E_NOMEM, "no memory for an instance");
    }
    instance->host = host;
    strncpy(instance->take, opts[0].str, sizeof instance->take - 1);
    strncpy(instance->decline, opts[1].str, sizeof instance->decline - 1);
    strncpy(instance->together, opts[2].str, sizeof instance->together - 1);
    instance->most = opts[3].i;
    instance->align = opts[4].i;
    instance->in_slack = opts[5].i;
    instance->out_slack = opts[6].i;
    instance->in_place = opts[7].i;
    instance->frames = opts[8].i;
    instance->frame_bytes = opts[9].i;
    instance->pause = opts[10].i;
    instance->keep = opts[11].i;
    instance->scratch_align = opts[12].i;
    instance->rows = opts[13].i;
    instance->least = opts[15].i;
    atomic_store(&instance->cache, opts[14].i);
    atomic_fetch_add(&counters.instances, 1);
    *out = instance;
    return BP_OK;
}

static void destroy(bp_instance *instance)
{
    free(instance);
    atomic_fetch_sub(&counters.instances, 1);
}

/* Is `name` in the list, which has commas between? */
static int is_listed(const char *list, const char *name)
{
    size_t n = strlen(name);

    while (*list) {
        size_t length = strcspn(list, ",");

        if (length == n && strncmp(list, name, n) == 0)
            return 1;
        list += length + (list[length] == ',');
    }
    return 0;
}

static bp_rc capability(bp_instance *instance, const bp_graph *g, const bp_claims *claims,
                        bp_err *err)
{
    (void)err;
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        const bp_node *node = BP_NODE(g, n);
        bp_claim claim = {.struct_size = sizeof claim, .verdict = BP_YES};

        if (!is_listed(instance->take, node->op) ||
            BP_VALUE(g, node->in[0])->dtype != BP_DTYPE_F32) {
            bp_refuse(claims, n, BP_R_OP, node->op, "not an operator of the option 'take'");
            continue;
        }
        claim.together = is_listed(instance->together, node->op) ? 7 : 0;
        claims->node(claims->h, n, &claim);
    }
    return BP_OK;
}

static bp_rc pack_zeroes(void *u, void *dst, size_t n, bp_err *err)
{
    (void)u;
    (void)err;
    memset(dst, 0, n);
    return BP_OK;
}

/* The first weight is put back, `keep` more are not. */
static bp_rc get_weights(const bp_instance *instance, bp_err *err)
{
    const bp_host *host = instance->host;
    bp_rc rc = BP_OK;

    for (int64_t i = 0; rc >= 0 && i < instance->keep + 1; i++) {
        char key[8] = {'w', (char)('0' + i)};
        const void *weight;

        rc = host->weight_get(host->h, key, 100, 64, pack_zeroes, NULL, &weight, err);
        if (rc >= 0 && i == 0)
            host->weight_put(host->h, weight);
    }
    return rc;
}

static bp_rc compile(bp_instance *instance, const bp_graph *g, const bp_compile *what,
                     bp_program **out, bp_err *err)
{
    const bp_value *first = BP_VALUE(g, g->inputs[0]);
    bp_program *program;
    char line[80];

    (void)what;
    snprintf(line, sizeof line, "compiles a group whose first size is %lld",
             first->rank > 0 && first->rank != BP_RANK_UNKNOWN ? (long long)first->dims[0].value
                                                               : -1LL);
    instance->host->log(instance->host->h, BP_LOG_DEBUG, "picky", line);
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        if (strcmp(BP_NODE(g, n)->op, instance->decline) == 0)
            return bp_fail(err, BP_E_UNSUPPORTED, "no %s in a group of %u nodes", instance->decline,
                           g->n_nodes);
    }
    if (get_weights(instance, err) < 0)
        return BP_E_NOMEM;
    program = (bp_program *)calloc(1, sizeof *program);
    if (!program)
        return bp_fail(err, BP_E_NOMEM, "no memory for a program");
    program->instance = instance;
    program->graph = g;
    for (uint32_t n = 0; n < g->n_nodes && n < 8; n++)
        program->nodes[n] = g->n_nodes - 1 - n + (instance->rows == 2);
    atomic_fetch_add(&counters.programs, 1);
    *out = program;
    return BP_OK;
}

static bp_rc program_info(bp_program *program, bp_program_info *out, bp_err *err)
{
    (void)err;
    out->max_frames = (uint32_t)program->instance->frames;
    out->frame_bytes = (uint64_t)program->instance->frame_bytes;
    return BP_OK;
}

/* Each number another one, so that none can be taken for its neighbour. */
static bp_rc count_memory(bp_instance *instance, bp_instance_memory *out, bp_err *err)
{
    int64_t cache = atomic_load(&instance->cache);

    out->host_caches = (uint64_t)cache;
    out->host_weights = 1000;
    out->device_weights = 20000;
    out->device_caches = 300000;
    return cache < 0 ? bp_fail(err, BP_E_INTERNAL, "the cache cannot be counted") : BP_OK;
}

static void trim(bp_instance *instance)
{
    atomic_store(&instance->cache, 0);
}

static void program_free(bp_program *program)
{
    free(program);
    atomic_fetch_sub(&counters.programs, 1);
}

/* All values of a group have as many elements, so that one size is enough. */
static bp_rc count_elements(const bp_program *program, const bp_frame_desc *desc, size_t *out,
                            bp_err *err)
{
    *out = (size_t)bp_dims_count(desc->shapes[0].dims, desc->shapes[0].rank);
    for (uint32_t v = 0; v < program->graph->n_values; v++) {
        const bp_shape *shape = &desc->shapes[v];

        if ((size_t)bp_dims_count(shape->dims, shape->rank) != *out)
            return bp_fail(err, BP_E_SHAPE, "shapes have to be equal");
    }
    if (program->instance->most > 0 && *out > (size_t)program->instance->most)
        return bp_fail(err, BP_E_SHAPE, "%zu elements are more than %lld", *out,
                       (long long)program->instance->most);
    if (*out < (size_t)program->instance->least)
        return bp_fail(err, BP_E_SHAPE, "%zu elements are fewer than %lld", *out,
                       (long long)program->instance->least);
    return BP_OK;
}

static bp_rc frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                          bp_frame **out, bp_err *err)
{
    const bp_instance *instance = program->instance;
    bp_frame *frame;
    size_t n;
    bp_rc rc = count_elements(program, desc, &n, err);

    if (rc < 0)
        return rc;
    frame = (bp_frame *)calloc(1, sizeof *frame);
    if (!frame)
        return bp_fail(err, BP_E_NOMEM, "no memory for a frame");
    frame->program = program;
    frame->desc = desc;
    frame->n = n;
    frame->pair.out = instance->in_place == 2 ? desc->n_out : 0;
    needs->scratch_bytes = n * sizeof(float) * program->graph->n_values;
    needs->scratch_align = (size_t)instance->scratch_align;
    needs->io_align = (uint32_t)instance->align;
    needs->in_slack = (uint32_t)instance->in_slack;
    needs->out_slack = (uint32_t)instance->out_slack;
    needs->n_in_place = instance->in_place > 0;
    needs->in_place = &frame->pair;
    mock_count_frame(&counters);
    *out = frame;
    return BP_OK;
}

static void frame_free(bp_frame *frame)
{
    free(frame);
    atomic_fetch_sub(&counters.frames, 1);
}

/* Reads and writes what was asked for behind the tensors, so that sanitizers see it. */
static bp_rc check_tensor(const bp_instance *instance, const bp_tensor *tensor, int is_out,
                          bp_err *err)
{
    char *end = (char *)bp_tensor_data(tensor) + tensor->bytes;
    uintptr_t at = (uintptr_t)bp_tensor_data(tensor);
    volatile char sink = 0;

    if (instance->align > 0 && at % (uintptr_t)instance->align)
        return bp_fail(err, BP_E_INTERNAL, "a tensor is not at a multiple of %lld",
                       (long long)instance->align);
    for (int64_t i = 0; i < (is_out ? instance->out_slack : instance->in_slack); i++) {
        if (is_out)
            end[i] = (char)0xa5;
        else
            sink = (char)(sink + end[i]);
    }
    return BP_OK;
}

/* Where the elements of a value are during execute. */
static float *elements_of(const bp_frame *frame, uint32_t value)
{
    const bp_graph *g = frame->program->graph;

    for (uint32_t i = 0; i < g->n_inputs; i++) {
        if (g->inputs[i] == value)
            return (float *)bp_tensor_data(&frame->desc->in[i]);
    }
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        if (g->outputs[i] == value)
            return (float *)bp_tensor_data(&frame->desc->out[i]);
    }
    return (float *)frame->desc->scratch + frame->n * value;
}

static float apply(const char *op, float a, float b)
{
    if (strcmp(op, "Relu") == 0)
        return a > 0 ? a : 0;
    if (strcmp(op, "Neg") == 0)
        return -a;
    if (strcmp(op, "Abs") == 0)
        return a < 0 ? -a : a;
    return a + b;
}

/* One row for all nodes of the group, as a provider does that ran them as one. */
static void measure(const bp_program *program, bp_prof *prof, int64_t start_ns)
{
    const bp_host *host = program->instance->host;
    bp_prof_event *event = prof ? bp_prof_add(prof) : NULL;

    if (!event)
        return;
    *event = (bp_prof_event){.t0_ns = start_ns,
                             .t1_ns = host->now_ns(host->h),
                             .name = program->graph->n_nodes == 3 ? "Relu+Neg+Add" : NULL,
                             .node = BP_NONE,
                             .n_nodes = program->graph->n_nodes,
                             .nodes = program->instance->rows == 3 ? NULL : program->nodes};
}

static bp_rc execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    const bp_graph *g = frame->program->graph;
    const bp_frame_desc *desc = frame->desc;
    const bp_instance *instance = frame->program->instance;
    struct timespec pause = {instance->pause / 1000, instance->pause % 1000 * 1000000};
    int64_t start_ns = instance->host->now_ns(instance->host->h);
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < desc->n_in; i++)
        rc = check_tensor(instance, &desc->in[i], 0, err);
    if (rc < 0)
        return rc;
    atomic_fetch_add(&counters.executes, 1);
    atomic_store(&counters.first_in, (uintptr_t)bp_tensor_data(&desc->in[0]));
    atomic_store(&counters.first_out, (uintptr_t)bp_tensor_data(&desc->out[0]));
    if (bp_tensor_data(&desc->in[0]) == bp_tensor_data(&desc->out[0]))
        atomic_fetch_add(&counters.in_place, 1);
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        const bp_node *node = BP_NODE(g, n);
        const float *a = elements_of(frame, node->in[0]);
        const float *b = elements_of(frame, node->in[node->n_in - 1]);
        float *y = elements_of(frame, node->out[0]);

        for (size_t i = 0; i < frame->n; i++)
            y[i] = apply(node->op, a[i], b[i]);
    }
    for (uint32_t i = 0; rc >= 0 && i < desc->n_out; i++)
        rc = check_tensor(instance, &desc->out[i], 1, err);
    if (instance->pause > 0)
        nanosleep(&pause, NULL);
    if (instance->rows > 0)
        measure(frame->program, run->prof, start_ns);
    return rc;
}

static const void *extension(const char *id)
{
    return strcmp(id, MOCK_COUNTERS_ID) == 0 ? &counters : NULL;
}

static const bp_provider provider = {
    .struct_size = sizeof(bp_provider),
    .flags = BP_PROVIDER_CONCURRENT_FRAMES,
    .id = "org.backplane.picky",
    .name = "picky",
    .version = "0.1",
    .vendor = "Backplane's tests",
    .options = options,
    .n_options = N_OPTIONS,
    .option_stride = sizeof options[0],
    .create = create,
    .destroy = destroy,
    .capability = capability,
    .compile = compile,
    .program_free = program_free,
    .program_info = program_info,
    .memory = count_memory,
    .trim = trim,
    .frame_create = frame_create,
    .frame_free = frame_free,
    .execute = execute,
    .extension = extension,
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

BP_MANIFEST("id=org.backplane.picky\n"
            "name=picky\n"
            "version=0.1\n"
            "license=MIT");

BP_EXPORT bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);
bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err)
{
    (void)host;
    (void)err;
    *out = &module;
    return BP_OK;
}
