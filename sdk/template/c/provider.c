/*
 * provider.c - the provider "@NAME@".
 *
 * It runs one operator, Relu, on the host's threads: replace that with yours.
 *
 * The host calls, in this order:
 *   1. bp_provider_entry_v1   once: checks the host's version, hands out the table at the end
 *   2. create                 an instance for each session, with the options of the table
 *   3. capability             for each graph: which nodes it takes, and why not the others
 *   4. compile                a program of each group of nodes that it got
 *   5. frame_create           a frame for each set of shapes: looks up and allocates all for a run
 *   6. execute                each run: computes
 *   7. frame_free, program_free, destroy
 *
 * To add an operator: take it in capability, with a reason for each node that it cannot run;
 * prepare it in compile and frame_create; compute it in execute. A node that was taken must not
 * fail later for a fact that was visible in capability.
 *
 * Errors and refusals are sentences without the provider's name, which the host puts before them.
 *
 * bp-provider(7) explains how to build, check and install it; every slot's rules stand in
 * <bp/abi.h>.
 */

#include <bp/sdk.h>

/*
 * What the host reads of the file without running it: the same as in the table below.
 * <bp/manifest.h>
 */
BP_MANIFEST("id=@ID@\n"
            "name=@NAME@\n"
            "version=0.1.0\n"
            "devices=cpu");

struct bp_instance {
    bp_host host; /* a copy: a slot that an older host lacks is NULL here */
    uint32_t chunk;
    int takes_double;
};

/* A node: y = Relu(x). x and y are indices of values of the graph. */
struct step {
    uint32_t x, y;
};

struct bp_program {
    bp_instance *instance;
    const bp_graph *graph; /* stays until program_free returned */
    struct step *steps;    /* one a node */
};

/* Where a value's bytes are during a run. */
struct place {
    bp_tensor *tensor; /* of the frame; NULL: in scratch */
    size_t offset;     /* in scratch */
};

struct bp_frame {
    bp_program *program;
    const bp_frame_desc *desc;
    struct place *places; /* one a value */
    size_t *counts;       /* one a value: elements */
};

enum { ALIGN = 64 };

/* ---- options: the host checks and fills them, prints their help ------------------------------ */

static const bp_option options[] = {
    {
        .struct_size = sizeof(bp_option),
        .type = BP_OPT_INT,
        .key = "chunk",
        .help = "Elements that one task of the host's threads computes.",
        .def = "65536",
        .min = 1024,
        .max = 16777216,
    },
    {
        .struct_size = sizeof(bp_option),
        .type = BP_OPT_BOOL,
        .key = "double",
        .help = "Take float64 as well as float32.",
        .def = "true",
    },
};

/* ---- instance -------------------------------------------------------------------------------- */

static bp_rc create(const bp_host *host, const bp_opt *opts, uint32_t n_opts, const uint32_t *devs,
                    uint32_t n_devs, bp_instance **out, bp_err *err)
{
    const bp_opt *chunk = bp_opt_find(opts, n_opts, "chunk");
    const bp_opt *takes_double = bp_opt_find(opts, n_opts, "double");
    bp_instance *instance;

    for (uint32_t i = 0; i < n_devs; i++) {
        if (devs[i] != 0)
            return bp_fail(err, BP_E_INVALID, "there is no device %u", (unsigned)devs[i]);
    }
    instance = (bp_instance *)host->alloc(host->h, sizeof *instance, ALIGN);
    if (!instance)
        return bp_fail(err, BP_E_NOMEM, "no memory for an instance");
    bp_copy_in(&instance->host, sizeof instance->host, host);
    instance->chunk = chunk ? (uint32_t)chunk->i : 65536;
    instance->takes_double = !takes_double || takes_double->i != 0;
    *out = instance;
    return BP_OK;
}

static void destroy(bp_instance *instance)
{
    instance->host.free(instance->host.h, instance, sizeof *instance, ALIGN);
}

/* ---- capability: a reason for every node that is not taken ----------------------------------- */

static void claim_node(const bp_instance *instance, const bp_graph *g, uint32_t n,
                       const bp_claims *claims)
{
    const bp_node *node = BP_NODE(g, n);
    const bp_value *x = bp_node_in(g, node, 0);
    const bp_value *y = bp_node_out(g, node, 0);

    if (strcmp(node->op, "Relu") != 0 || node->domain[0] != '\0') {
        bp_refuse(claims, n, BP_R_OP, NULL, "only Relu runs on it");
        return;
    }
    if (!x || !y) {
        bp_refuse(claims, n, BP_R_OTHER, "X", "it has no input or no output");
        return;
    }
    if (x->flags & BP_VALUE_CONSTANT) {
        bp_refuse(claims, n, BP_R_OTHER, "X", "a constant, which can be computed once");
        return;
    }
    if (x->dtype != BP_DTYPE_F32 && !(x->dtype == BP_DTYPE_F64 && instance->takes_double)) {
        bp_refuse(claims, n, BP_R_DTYPE, "X",
                  "float32 runs on it, and float64 if option 'double' is on");
        return;
    }
    bp_accept(claims, n);
}

static bp_rc capability(bp_instance *instance, const bp_graph *g, const bp_claims *claims,
                        bp_err *err)
{
    (void)err;
    for (uint32_t n = 0; n < g->n_nodes; n++)
        claim_node(instance, g, n, claims);
    return BP_OK;
}

/* ---- compile: all that can be decided without sizes ------------------------------------------ */

static void program_free(bp_program *program)
{
    const bp_host *host;

    if (!program)
        return;
    host = &program->instance->host;
    host->free(host->h, program->steps, program->graph->n_nodes * sizeof *program->steps, ALIGN);
    host->free(host->h, program, sizeof *program, ALIGN);
}

static bp_rc compile(bp_instance *instance, const bp_graph *g, const bp_compile *what,
                     bp_program **out, bp_err *err)
{
    const bp_host *host = &instance->host;
    bp_program *program = (bp_program *)host->alloc(host->h, sizeof *program, ALIGN);

    (void)what;
    if (!program)
        return bp_fail(err, BP_E_NOMEM, "no memory for a program");
    program->instance = instance;
    program->graph = g;
    program->steps =
        (struct step *)host->alloc(host->h, g->n_nodes * sizeof *program->steps, ALIGN);
    if (!program->steps && g->n_nodes > 0) {
        program_free(program);
        return bp_fail(err, BP_E_NOMEM, "no memory for %u steps", (unsigned)g->n_nodes);
    }
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        const bp_node *node = BP_NODE(g, n);

        program->steps[n].x = node->in[0];
        program->steps[n].y = node->out[0];
    }
    *out = program;
    return BP_OK;
}

/* ---- frame: all that depends on sizes; execute then only computes ---------------------------- */

static void frame_free(bp_frame *frame)
{
    const bp_host *host;
    size_t n;

    if (!frame)
        return;
    host = &frame->program->instance->host;
    n = frame->program->graph->n_values;
    host->free(host->h, frame->places, n * sizeof *frame->places, ALIGN);
    host->free(host->h, frame->counts, n * sizeof *frame->counts, ALIGN);
    host->free(host->h, frame, sizeof *frame, ALIGN);
}

/* Gives every value a place: a tensor of the frame, or a part of scratch. */
static void place_values(bp_frame *frame, bp_frame_needs *needs)
{
    const bp_graph *g = frame->program->graph;
    const bp_frame_desc *desc = frame->desc;

    for (uint32_t v = 0; v < g->n_values; v++) {
        const bp_shape *shape = &desc->shapes[v];

        frame->places[v].tensor = NULL;
        frame->places[v].offset = needs->scratch_bytes;
        frame->counts[v] =
            shape->rank == BP_RANK_UNKNOWN ? 0 : (size_t)bp_dims_count(shape->dims, shape->rank);
        if (BP_VALUE(g, v)->flags & (BP_VALUE_INPUT | BP_VALUE_OUTPUT))
            continue;
        needs->scratch_bytes +=
            (frame->counts[v] * (bp_dtype_width(shape->dtype) / 8) + ALIGN - 1) / ALIGN * ALIGN;
    }
    for (uint32_t i = 0; i < desc->n_in; i++)
        frame->places[g->inputs[i]].tensor = &desc->in[i];
    for (uint32_t i = 0; i < desc->n_out; i++)
        frame->places[g->outputs[i]].tensor = &desc->out[i];
    needs->scratch_align = ALIGN;
}

static bp_rc frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                          bp_frame **out, bp_err *err)
{
    const bp_host *host = &program->instance->host;
    size_t n = program->graph->n_values;
    bp_frame *frame = (bp_frame *)host->alloc(host->h, sizeof *frame, ALIGN);

    if (!frame)
        return bp_fail(err, BP_E_NOMEM, "no memory for a frame");
    frame->program = program;
    frame->desc = desc;
    frame->places = (struct place *)host->alloc(host->h, n * sizeof *frame->places, ALIGN);
    frame->counts = (size_t *)host->alloc(host->h, n * sizeof *frame->counts, ALIGN);
    if ((!frame->places || !frame->counts) && n > 0) {
        frame_free(frame);
        return bp_fail(err, BP_E_NOMEM, "no memory for a frame");
    }
    place_values(frame, needs);
    *out = frame;
    return BP_OK;
}

/* ---- execute: no allocation, no lock, no log ------------------------------------------------- */

/* A step cut into chunks for the host's threads. */
struct task {
    const bp_host *host;
    const bp_run *run;
    const void *x;
    void *y;
    size_t count, chunk;
    uint32_t dtype;
};

static void relu_f32(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] < 0 ? 0 : x[i]; /* NaN stays NaN */
}

static void relu_f64(double *y, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] < 0 ? 0 : x[i];
}

static void run_chunk(void *u, uint32_t i, uint32_t worker)
{
    const struct task *task = (const struct task *)u;
    size_t first = (size_t)i * task->chunk;
    size_t n = task->count - first < task->chunk ? task->count - first : task->chunk;

    (void)worker;
    if (bp_stop_check(task->host, task->run) < 0)
        return; /* execute says so */
    if (task->dtype == BP_DTYPE_F64)
        relu_f64((double *)task->y + first, (const double *)task->x + first, n);
    else
        relu_f32((float *)task->y + first, (const float *)task->x + first, n);
}

static void *bytes_of(const bp_frame *frame, uint32_t value)
{
    const struct place *place = &frame->places[value];

    if (place->tensor)
        return bp_tensor_data(place->tensor);
    return (char *)frame->desc->scratch + place->offset;
}

static bp_rc execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    const bp_program *program = frame->program;
    const bp_host *host = &program->instance->host;

    (void)err;
    for (uint32_t s = 0; s < program->graph->n_nodes; s++) {
        const struct step *step = &program->steps[s];
        size_t chunk = program->instance->chunk, count = frame->counts[step->x];
        struct task task;
        bp_rc rc;

        if (count == 0)
            continue;
        if ((count - 1) / chunk >= UINT32_MAX)
            chunk = count / UINT32_MAX + 1;
        task.host = host;
        task.run = run;
        task.x = bytes_of(frame, step->x);
        task.y = bytes_of(frame, step->y);
        task.count = count;
        task.chunk = chunk;
        task.dtype = BP_VALUE(program->graph, step->x)->dtype;
        host->parallel_for(host->h, (uint32_t)((count - 1) / chunk + 1), run_chunk, &task);
        rc = bp_stop_check(host, run); /* a chunk may have been left out */
        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static const bp_provider provider = {
    .struct_size = sizeof(bp_provider),
    .flags = BP_PROVIDER_CONCURRENT_FRAMES | BP_PROVIDER_UNLOADABLE,
    .id = "@ID@",
    .name = "@NAME@",
    .version = "0.1.0",
    .vendor = "@NAME@'s authors",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .option_stride = sizeof(bp_option),
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

BP_EXPORT bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);

bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err)
{
    bp_rc rc = bp_host_check(host, "@NAME@", err);

    if (rc < 0)
        return rc;
    *out = &module;
    return BP_OK;
}
