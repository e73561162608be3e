/*
 * provider.cpp - the provider "@NAME@".
 *
 * It runs one operator, Relu, on the host's threads: replace that with yours. No exception may
 * leave a function that the host calls.
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
    bp_host host; /* a copy: a slot that an older host lacks is nullptr here */
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
    step *steps;           /* one a node */
};

/* Where a value's bytes are during a run. */
struct place {
    bp_tensor *tensor; /* of the frame; nullptr: in scratch */
    size_t offset;     /* in scratch */
};

struct bp_frame {
    bp_program *program;
    const bp_frame_desc *desc;
    place *places;  /* one a value */
    size_t *counts; /* one a value: elements */
};

enum { ALIGN = 64 };

/* ---- options: the host checks and fills them, prints their help ------------------------------ */

static constexpr bp_option make_option(uint32_t type, const char *key, const char *help,
                                       const char *def, double min, double max)
{
    bp_option option{};

    option.struct_size = sizeof option;
    option.type = type;
    option.key = key;
    option.help = help;
    option.def = def;
    option.min = min;
    option.max = max;
    return option;
}

static constexpr bp_option options[] = {
    make_option(BP_OPT_INT, "chunk", "Elements that one task of the host's threads computes.",
                "65536", 1024, 16777216),
    make_option(BP_OPT_BOOL, "double", "Take float64 as well as float32.", "true", 0, 0),
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
    instance = static_cast<bp_instance *>(host->alloc(host->h, sizeof *instance, ALIGN));
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
        bp_refuse(claims, n, BP_R_OP, nullptr, "only Relu runs on it");
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
    bp_program *program = static_cast<bp_program *>(host->alloc(host->h, sizeof *program, ALIGN));

    (void)what;
    if (!program)
        return bp_fail(err, BP_E_NOMEM, "no memory for a program");
    program->instance = instance;
    program->graph = g;
    program->steps =
        static_cast<step *>(host->alloc(host->h, g->n_nodes * sizeof *program->steps, ALIGN));
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

        frame->places[v].tensor = nullptr;
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
    bp_frame *frame = static_cast<bp_frame *>(host->alloc(host->h, sizeof *frame, ALIGN));

    if (!frame)
        return bp_fail(err, BP_E_NOMEM, "no memory for a frame");
    frame->program = program;
    frame->desc = desc;
    frame->places = static_cast<place *>(host->alloc(host->h, n * sizeof *frame->places, ALIGN));
    frame->counts = static_cast<size_t *>(host->alloc(host->h, n * sizeof *frame->counts, ALIGN));
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
    const task *work = static_cast<const task *>(u);
    size_t first = (size_t)i * work->chunk;
    size_t n = work->count - first < work->chunk ? work->count - first : work->chunk;

    (void)worker;
    if (bp_stop_check(work->host, work->run) < 0)
        return; /* execute says so */
    if (work->dtype == BP_DTYPE_F64)
        relu_f64(static_cast<double *>(work->y) + first,
                 static_cast<const double *>(work->x) + first, n);
    else
        relu_f32(static_cast<float *>(work->y) + first, static_cast<const float *>(work->x) + first,
                 n);
}

static void *bytes_of(const bp_frame *frame, uint32_t value)
{
    const place *place = &frame->places[value];

    if (place->tensor)
        return bp_tensor_data(place->tensor);
    return static_cast<char *>(frame->desc->scratch) + place->offset;
}

static bp_rc execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    const bp_program *program = frame->program;
    const bp_host *host = &program->instance->host;

    (void)err;
    for (uint32_t s = 0; s < program->graph->n_nodes; s++) {
        const step &now = program->steps[s];
        size_t chunk = program->instance->chunk, count = frame->counts[now.x];
        task work{};
        bp_rc rc;

        if (count == 0)
            continue;
        if ((count - 1) / chunk >= UINT32_MAX)
            chunk = count / UINT32_MAX + 1;
        work.host = host;
        work.run = run;
        work.x = bytes_of(frame, now.x);
        work.y = bytes_of(frame, now.y);
        work.count = count;
        work.chunk = chunk;
        work.dtype = BP_VALUE(program->graph, now.x)->dtype;
        host->parallel_for(host->h, (uint32_t)((count - 1) / chunk + 1), run_chunk, &work);
        rc = bp_stop_check(host, run); /* a chunk may have been left out */
        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/*
 * Constant expressions, so that the tables lie in read-only data and nothing runs when the plug-in
 * is loaded. No exception may leave a function of this file.
 */
static constexpr bp_provider make_provider()
{
    bp_provider p{};

    p.struct_size = sizeof p;
    p.flags = BP_PROVIDER_CONCURRENT_FRAMES | BP_PROVIDER_UNLOADABLE;
    p.id = "@ID@";
    p.name = "@NAME@";
    p.version = "0.1.0";
    p.vendor = "@NAME@'s authors";
    p.options = options;
    p.n_options = sizeof options / sizeof options[0];
    p.option_stride = sizeof(bp_option);
    p.create = create;
    p.destroy = destroy;
    p.capability = capability;
    p.compile = compile;
    p.program_free = program_free;
    p.frame_create = frame_create;
    p.frame_free = frame_free;
    p.execute = execute;
    return p;
}

static constexpr bp_provider provider = make_provider();
static constexpr const bp_provider *providers[] = {&provider};

static constexpr bp_module make_module()
{
    bp_module m{};

    m.struct_size = sizeof m;
    m.abi_major = BP_ABI_MAJOR;
    m.abi_minor = BP_ABI_MINOR;
    m.magic = BP_MAGIC;
    m.providers = providers;
    m.n_providers = 1;
    return m;
}

static constexpr bp_module module_table = make_module();

extern "C" BP_EXPORT bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out,
                                                bp_err *err);

bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err)
{
    bp_rc rc = bp_host_check(host, "@NAME@", err);

    if (rc < 0)
        return rc;
    *out = &module_table;
    return BP_OK;
}
