/*
 * provider.c - the provider "@NAME@", which computes in memory of its own.
 *
 * Its device is libbp-sim, a simulated accelerator, and it runs one operator, Relu: replace
 * bp_sim_* with the calls of your vendor's library, and Relu with your operators. Between 5 and 6
 * the host allocates memory of the device and puts copies into its streams, by the table of
 * bp_device_ops.
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
 * <bp/abi.h>, the accelerator's in <bp/sim.h>.
 */

#include <bp/sdk.h>
#include <bp/sim.h>

/*
 * What the host reads of the file without running it: the same as in the table below.
 * <bp/manifest.h>
 */
BP_MANIFEST("id=@ID@\n"
            "name=@NAME@\n"
            "version=0.1.0");

struct bp_instance {
    bp_host host; /* a copy: a slot that an older host lacks is NULL here */
    bp_sim_device *device;
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
    uint64_t offset;   /* in scratch */
    size_t count;      /* elements */
};

struct bp_frame {
    bp_program *program;
    const bp_frame_desc *desc;
    struct place *places; /* one a value */
};

enum { ALIGN = 64, DEVICE_ALIGN = 256, SPACE = 1 };

/* ---- options: the host checks and fills them, prints their help ------------------------------ */

enum { OPT_MEMORY, OPT_LAZY, N_OPTIONS };

static const bp_option options[] = {
    {
        .struct_size = sizeof(bp_option),
        .type = BP_OPT_INT,
        .key = "memory",
        .help = "Bytes of the simulated device.",
        .def = "64M",
        .min = 4096,
        .max = 17179869184.0,
    },
    {
        .struct_size = sizeof(bp_option),
        .type = BP_OPT_BOOL,
        .key = "lazy",
        .help = "Streams work only when a thread waits for them.",
        .def = "false",
    },
};

/* ---- the device ------------------------------------------------------------------------------ */

/* A real one looks for its driver and its devices here, and says what is missing. */
static bp_rc is_available(const bp_host *host, bp_avail *out, bp_err *err)
{
    (void)host;
    (void)err;
    out->state = BP_AVAIL_YES;
    out->n_devices = 1;
    return BP_OK;
}

static bp_rc device(const bp_host *host, uint32_t i, bp_device *out, bp_err *err)
{
    (void)host;
    if (i > 0)
        return bp_fail(err, BP_E_INVALID, "there is no device %u", (unsigned)i);
    out->kind = BP_DEVICE_NPU;
    out->spaces = SPACE;
    out->id = "0";
    out->name = "simulated accelerator";
    out->driver = "libbp-sim";
    return BP_OK;
}

/* The accelerator says that a call failed, but not why. */
static bp_rc broke(bp_err *err, const char *call)
{
    return bp_fail(err, BP_E_DEVICE_LOST, "the accelerator's %s failed", call);
}

static bp_rc dev_alloc(bp_instance *instance, uint32_t dev, uint32_t space, size_t n, size_t align,
                       void **base, bp_err *err)
{
    void *handle = NULL;

    (void)dev;
    (void)space;
    if (align <= 4096) /* its handles are pages */
        handle = bp_sim_alloc(instance->device, n);
    if (!handle)
        return bp_fail(err, BP_E_NOMEM,
                       "the accelerator has no %zu bytes; option 'memory' gives it more", n);
    *base = handle;
    return BP_OK;
}

static void dev_free(bp_instance *instance, uint32_t dev, uint32_t space, void *base)
{
    (void)dev;
    (void)space;
    bp_sim_free(instance->device, base);
}

static bp_sim_ref ref_of(const bp_tensor *tensor)
{
    bp_sim_ref ref = {tensor->base, tensor->offset, tensor->bytes};

    return ref;
}

static bp_rc dev_copy(bp_instance *instance, const bp_copy *rows, uint32_t n, void *stream,
                      bp_err *err)
{
    bp_sim_stream *queue = (bp_sim_stream *)stream;

    for (uint32_t i = 0; i < n; i++) {
        const bp_tensor *dst = rows[i].dst, *src = rows[i].src;
        int failed;

        if (dst->space == BP_SPACE_HOST)
            failed = bp_sim_download(instance->device, queue, bp_tensor_data(dst), ref_of(src));
        else
            failed = bp_sim_upload(instance->device, queue, ref_of(dst), bp_tensor_data(src));
        if (failed)
            return broke(err, "copy");
    }
    return BP_OK;
}

static bp_rc stream_create(bp_instance *instance, uint32_t dev, uint32_t flags, void **out,
                           bp_err *err)
{
    bp_sim_stream *stream = bp_sim_stream_create(instance->device);

    (void)dev;
    (void)flags;
    if (!stream)
        return bp_fail(err, BP_E_NOMEM, "no memory for a stream");
    *out = stream;
    return BP_OK;
}

static void stream_destroy(bp_instance *instance, void *stream)
{
    (void)instance;
    bp_sim_stream_destroy((bp_sim_stream *)stream);
}

static bp_rc event_create(bp_instance *instance, uint32_t dev, uint32_t flags, void **out,
                          bp_err *err)
{
    bp_sim_event *event = bp_sim_event_create(instance->device);

    (void)dev;
    (void)flags; /* a host asks for BP_EVENT_MANUAL only where there is event_signal */
    if (!event)
        return bp_fail(err, BP_E_NOMEM, "no memory for an event");
    *out = event;
    return BP_OK;
}

static void event_destroy(bp_instance *instance, void *event)
{
    (void)instance;
    bp_sim_event_destroy((bp_sim_event *)event);
}

static bp_rc event_record(bp_instance *instance, void *stream, void *event, bp_err *err)
{
    (void)instance;
    if (bp_sim_record((bp_sim_stream *)stream, (bp_sim_event *)event))
        return broke(err, "record");
    return BP_OK;
}

/* Streams wait for each other through the host here; a device would do it by itself. */
static bp_rc stream_wait(bp_instance *instance, void *stream, void *event, bp_err *err)
{
    (void)instance;
    (void)stream;
    if (bp_sim_wait((bp_sim_event *)event, -1) < 0)
        return broke(err, "wait");
    return BP_OK;
}

static bp_rc event_wait(bp_instance *instance, void *event, int64_t timeout_ns, bp_err *err)
{
    int result = bp_sim_wait((bp_sim_event *)event, timeout_ns);

    (void)instance;
    if (result > 0)
        return bp_fail(err, BP_E_TIMEOUT, "the stream has not come so far");
    return result < 0 ? broke(err, "stream") : BP_OK;
}

static const bp_device_ops dev_ops = {
    .struct_size = sizeof(bp_device_ops),
    .alloc = dev_alloc,
    .free = dev_free,
    .copy = dev_copy,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .stream_wait = stream_wait,
    .event_wait = event_wait,
};

/* ---- instance -------------------------------------------------------------------------------- */

static void destroy(bp_instance *instance)
{
    if (instance->device)
        bp_sim_close(instance->device);
    instance->host.free(instance->host.h, instance, sizeof *instance, ALIGN);
}

static bp_rc create(const bp_host *host, const bp_opt *opts, uint32_t n_opts, const uint32_t *devs,
                    uint32_t n_devs, bp_instance **out, bp_err *err)
{
    bp_sim_options sim = {0};
    bp_instance *instance;

    for (uint32_t i = 0; i < n_devs; i++) {
        if (devs[i] != 0)
            return bp_fail(err, BP_E_INVALID, "there is no device %u", (unsigned)devs[i]);
    }
    if (n_opts != N_OPTIONS)
        return bp_fail(err, BP_E_INTERNAL, "%u options, not %d", (unsigned)n_opts, N_OPTIONS);
    sim.memory = (uint64_t)opts[OPT_MEMORY].i;
    sim.flags = opts[OPT_LAZY].i ? BP_SIM_LAZY : 0;
    instance = (bp_instance *)host->alloc(host->h, sizeof *instance, ALIGN);
    if (!instance)
        return bp_fail(err, BP_E_NOMEM, "no memory for an instance");
    bp_copy_in(&instance->host, sizeof instance->host, host);
    instance->device = bp_sim_open(&sim);
    if (!instance->device) {
        destroy(instance);
        return bp_fail(err, BP_E_NOMEM, "no memory for a device");
    }
    *out = instance;
    return BP_OK;
}

/* ---- capability: a reason for every node that is not taken ----------------------------------- */

static void claim_node(const bp_graph *g, uint32_t n, const bp_claims *claims)
{
    const bp_node *node = BP_NODE(g, n);
    const bp_value *x = bp_node_in(g, node, 0);
    const bp_value *y = bp_node_out(g, node, 0);

    if (strcmp(node->op, "Relu") != 0 || node->domain[0] != '\0')
        bp_refuse(claims, n, BP_R_OP, NULL, "only Relu runs on it");
    else if (!x || !y)
        bp_refuse(claims, n, BP_R_OTHER, "X", "it has no input or no output");
    else if (x->flags & BP_VALUE_CONSTANT)
        bp_refuse(claims, n, BP_R_OTHER, "X", "a constant, which can be computed once");
    else if (x->dtype != BP_DTYPE_F32)
        bp_refuse(claims, n, BP_R_DTYPE, "X", "only float32 runs on it");
    else
        bp_accept(claims, n);
}

static bp_rc capability(bp_instance *instance, const bp_graph *g, const bp_claims *claims,
                        bp_err *err)
{
    (void)instance;
    (void)err;
    for (uint32_t n = 0; n < g->n_nodes; n++)
        claim_node(g, n, claims);
    return BP_OK;
}

/* ---- compile: all that can be decided without sizes; constants would be uploaded here -------- */

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

/* ---- frame: all that depends on sizes; execute then only puts kernels in --------------------- */

static void frame_free(bp_frame *frame)
{
    const bp_host *host;
    size_t n;

    if (!frame)
        return;
    host = &frame->program->instance->host;
    n = frame->program->graph->n_values;
    host->free(host->h, frame->places, n * sizeof *frame->places, ALIGN);
    host->free(host->h, frame, sizeof *frame, ALIGN);
}

/*
 * Gives every value a place: a tensor of the frame, which is in SPACE, or a part of scratch there.
 */
static void place_values(bp_frame *frame, bp_frame_needs *needs)
{
    const bp_graph *g = frame->program->graph;
    const bp_frame_desc *desc = frame->desc;

    for (uint32_t v = 0; v < g->n_values; v++) {
        const bp_shape *shape = &desc->shapes[v];
        struct place *place = &frame->places[v];

        place->tensor = NULL;
        place->offset = needs->scratch_bytes;
        place->count =
            shape->rank == BP_RANK_UNKNOWN ? 0 : (size_t)bp_dims_count(shape->dims, shape->rank);
        if (BP_VALUE(g, v)->flags & (BP_VALUE_INPUT | BP_VALUE_OUTPUT))
            continue;
        needs->scratch_bytes +=
            (place->count * sizeof(float) + DEVICE_ALIGN - 1) / DEVICE_ALIGN * DEVICE_ALIGN;
    }
    for (uint32_t i = 0; i < desc->n_in; i++)
        frame->places[g->inputs[i]].tensor = &desc->in[i];
    for (uint32_t i = 0; i < desc->n_out; i++)
        frame->places[g->outputs[i]].tensor = &desc->out[i];
    needs->scratch_align = DEVICE_ALIGN;
    needs->scratch_space = SPACE;
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
    if (!frame->places && n > 0) {
        frame_free(frame);
        return bp_fail(err, BP_E_NOMEM, "no memory for a frame");
    }
    place_values(frame, needs);
    *out = frame;
    return BP_OK;
}

/* ---- execute --------------------------------------------------------------------------------- */

/* What the kernel gets; it runs on the accelerator, when its time has come. */
struct job {
    bp_sim_ref x, y;
    size_t n;
};

static int relu(bp_sim_device *accelerator, const void *arg)
{
    const struct job *job = (const struct job *)arg;
    const float *x = (const float *)bp_sim_reach(accelerator, job->x);
    float *y = (float *)bp_sim_reach(accelerator, job->y);

    if (!x || !y)
        return -1;
    for (size_t i = 0; i < job->n; i++)
        y[i] = x[i] < 0 ? 0 : x[i]; /* NaN stays NaN */
    return 0;
}

static bp_sim_ref bytes_of(const bp_frame *frame, uint32_t value)
{
    const struct place *place = &frame->places[value];
    bp_sim_ref ref = {frame->desc->scratch, frame->desc->scratch_offset + place->offset,
                      place->count * sizeof(float)};

    if (place->tensor) {
        ref.handle = place->tensor->base;
        ref.offset = place->tensor->offset;
    }
    return ref;
}

static bp_rc execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    const bp_program *program = frame->program;

    for (uint32_t s = 0; s < program->graph->n_nodes; s++) {
        const struct step *step = &program->steps[s];
        struct job job;
        bp_rc rc = bp_stop_check(&program->instance->host, run);

        if (rc < 0)
            return rc;
        job.n = frame->places[step->x].count;
        if (job.n == 0)
            continue;
        job.x = bytes_of(frame, step->x);
        job.y = bytes_of(frame, step->y);
        if (bp_sim_fails(program->instance->device, BP_SIM_LAUNCH) ||
            bp_sim_launch(program->instance->device, (bp_sim_stream *)run->stream, relu, &job,
                          sizeof job))
            return broke(err, "launch");
    }
    return run->stream ? BP_PENDING : BP_OK;
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
    .n_options = N_OPTIONS,
    .option_stride = sizeof(bp_option),
    .dev = &dev_ops,
    .is_available = is_available,
    .device = device,
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
