/* SPDX-License-Identifier: MIT */
/*
 * broken.c - a plug-in with one fault, chosen by -DBREAK=RUN_01: the fault that the kit's test
 * BPK-RUN-01 is there to catch. With -DBREAK=NOTHING it has none. tests/kit/broken.sh builds them.
 */

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <bp/sdk.h>

enum fault {
    NOTHING,
    FILE_01,
    FILE_02,
    FILE_03,
    FILE_04,
    FILE_05,
    FILE_06,
    FILE_07,
    FILE_08,
    ABI_01,
    ABI_02,
    ABI_03,
    ABI_04,
    ABI_05,
    ABI_06,
    ABI_07,
    ABI_08,
    ABI_09,
    ABI_10,
    ABI_11,
    PROBE_01,
    PROBE_02,
    PROBE_03,
    PROBE_04,
    PROBE_05,
    PROBE_06,
    PROBE_07,
    OPTIONS_01,
    OPTIONS_02,
    OPTIONS_03,
    OPTIONS_04,
    OPTIONS_05,
    OPTIONS_06,
    CAPABILITY_01,
    CAPABILITY_02,
    CAPABILITY_03,
    CAPABILITY_04,
    CAPABILITY_05,
    CAPABILITY_06,
    CAPABILITY_07,
    NUMERICS_01,
    NUMERICS_02,
    NUMERICS_03,
    NUMERICS_04,
    NUMERICS_05,
    NUMERICS_06,
    RUN_01,
    RUN_02,
    RUN_03,
    RUN_04,
    RUN_05,
    RUN_06,
    RUN_07,
    RUN_08,
    RUN_09,
    SHAPES_01,
    SHAPES_02,
    SHAPES_03,
    SHAPES_04,
    CACHE_01,
    CACHE_02,
    CACHE_03,
    CACHE_04,
    LIFE_01,
    LIFE_02,
    LIFE_03,
    LIFE_04,
    LIFE_05,
    LIFE_06,
    LIFE_07,
    LIFE_08,
    DOCS_01,
    DOCS_02,
    DOCS_03,
    FUZZ_01,
    FUZZ_02,
    FUZZ_03,
    FUZZ_04
};

#if defined(HAS_UNIQUE)
__asm__(
    ".globl shared_by_all\n.type shared_by_all, @gnu_unique_object\n.data\nshared_by_all: .long 0\n"
    ".size shared_by_all, 4\n.text\n");
#endif
#if defined(HAS_HOST_CALL)
extern void bp_log_of_the_host(void) __attribute__((weak));
#endif

static int n_living; /* instances */

struct bp_instance {
    bp_host host; /* a copy: a slot that an older host lacks is NULL here */
    uint32_t chunk;
    int takes_double;
};

/* A node. Its inputs and outputs are indices of values. */
struct step {
    uint32_t x, b, y; /* b: of Add, else BP_NONE */
    char op;          /* the first letter of the operator */
};

struct bp_program {
    bp_instance *instance;
    const bp_graph *graph;     /* stays until program_free returned */
    struct step *steps;        /* one a node */
    const bp_frame_desc *last; /* RUN_08 */
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
    const void *first_x;  /* RUN_02 */
};

enum { ALIGN = 64 };

/* ---- options: the host checks and fills them, prints their help ------------------------------ */

static const bp_option options[] = {
    {
        .struct_size = sizeof(bp_option),
        .type = BP_OPT_INT,
        .key = BREAK == OPTIONS_01 ? "Chunk Size" : "chunk",
        .flags = BREAK == OPTIONS_05 ? BP_OPTION_DYNAMIC : 0,
        .help = BREAK == DOCS_01 ? "" : "Elements that one task of the host's threads computes.",
        .def = BREAK == OPTIONS_02 ? "12" : "65536",
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

static bp_instance *only;

static bp_rc create(const bp_host *host, const bp_opt *opts, uint32_t n_opts, const uint32_t *devs,
                    uint32_t n_devs, bp_instance **out, bp_err *err)
{
    const bp_opt *chunk = bp_opt_find(opts, n_opts, "chunk");
    const bp_opt *takes_double = bp_opt_find(opts, n_opts, "double");
    bp_instance *instance;

    for (uint32_t i = 0; i < n_devs; i++) {
        if (devs[i] != 0 && BREAK != OPTIONS_06)
            return bp_fail(err, BP_E_INVALID, "broken: there is no device %u", (unsigned)devs[i]);
    }
    if (BREAK == OPTIONS_03)
        return bp_fail(err, BP_E_INTERNAL, "not with defaults");
    if (BREAK == FUZZ_02 && chunk && chunk->i % 8 == 5)
        return BP_E_OPTION;
    if (BREAK == OPTIONS_04 && chunk && chunk->i == 16777216)
        return BP_E_NOMEM;
    if (BREAK == LIFE_01)
        (void)!open("/dev/null", O_RDONLY);
    if (BREAK == LIFE_06) {
        char *copy = (char *)malloc(64);

        copy[0] = 1;
        *(volatile char *)copy = 2;
        free(copy);
    }
    if (BREAK == ABI_11)
        ((bp_host *)(uintptr_t)host)->flags |= 1;
    if (BREAK == LIFE_04 && only) {
        *out = only;
        return BP_OK;
    }
    instance = (bp_instance *)host->alloc(host->h, sizeof *instance, ALIGN);
    if (!instance && BREAK != LIFE_05)
        return bp_fail(err, BP_E_NOMEM, "broken: no memory for an instance");
    bp_copy_in(&instance->host, sizeof instance->host, host);
    instance->chunk = chunk ? (uint32_t)chunk->i : 65536;
    instance->takes_double = !takes_double || takes_double->i != 0;
    *out = instance;
    if (BREAK == LIFE_04)
        only = instance;
    n_living++;
    return BP_OK;
}

static void destroy(bp_instance *instance)
{
    if (BREAK == LIFE_04)
        return;
    n_living--;
    instance->host.free(instance->host.h, instance, sizeof *instance, ALIGN);
}

/* ---- capability: a reason for every node that is not taken ----------------------------------- */

static int is_op(const bp_node *node, const char *op)
{
    return strcmp(node->op, op) == 0 && (node->domain[0] == '\0' || BREAK == CAPABILITY_05);
}

/* The one broadcast that add() below knows. */
static int is_kit_add(const bp_value *x, const bp_value *b)
{
    return x->rank == 3 && b && b->rank == 2 && !(b->flags & BP_VALUE_CONSTANT) &&
           x->dims[0].value == 2 && x->dims[1].value == 3 && x->dims[2].value == 4 &&
           b->dims[0].value == 3 && b->dims[1].value == 1;
}

static void claim(const bp_instance *instance, const bp_graph *g, uint32_t n,
                  const bp_claims *claims)
{
    const bp_node *node = BREAK == ABI_10 ? &g->nodes[n] : BP_NODE(g, n);
    const bp_value *x = bp_node_in(g, node, 0);

    if (BREAK == FUZZ_01 && x && x->rank == 2 && x->dims[0].value > 1000)
        abort();
    if (BREAK == ABI_10 && (uintptr_t)node->op == (uintptr_t)0xa5a5a5a5a5a5a5a5)
        return;
    if (!is_op(node, "Relu") && !is_op(node, "Add") && !is_op(node, "Flatten") &&
        !is_op(node, "GlobalAveragePool")) {
        bp_refuse(claims, n, BREAK == CAPABILITY_01 ? BP_R_NONE : BP_R_OP, NULL, "not mine");
        return;
    }
    if (!x || (x->flags & BP_VALUE_CONSTANT)) {
        bp_refuse(claims, n, BP_R_OTHER, "X", "no input, or a constant");
        return;
    }
    if (is_op(node, "Add") && !is_kit_add(x, bp_node_in(g, node, 1))) {
        bp_refuse(claims, n, BP_R_OTHER, "B", "[2, 3, 4] and [3, 1] only");
        return;
    }
    if (x->dtype != BP_DTYPE_F32 && BREAK != CAPABILITY_06 &&
        !(x->dtype == BP_DTYPE_F64 && instance->takes_double && is_op(node, "Relu"))) {
        bp_refuse(claims, n, BP_R_DTYPE, "X", "float32, and float64 for Relu");
        return;
    }
    bp_accept(claims, n);
}

static bp_rc capability(bp_instance *instance, const bp_graph *g, const bp_claims *claims,
                        bp_err *err)
{
    static int calls;

    if (BREAK == CAPABILITY_04 && g->n_nodes == 0)
        return bp_fail(err, BP_E_INVALID, "no nodes");
    calls++;
    if (BREAK == CAPABILITY_02 && calls % 50 == 0)
        return BP_OK;
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        if (BREAK == CAPABILITY_03 && n >= 10)
            bp_refuse(claims, n, BP_R_OTHER, NULL, "the first ten only");
        else
            claim(instance, g, n, claims);
    }
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
    if (BREAK == CAPABILITY_07 && BP_VALUE(g, 0)->dtype == BP_DTYPE_F64) {
        host->free(host->h, program, sizeof *program, ALIGN);
        return bp_fail(err, BP_E_UNSUPPORTED, "float64 after all");
    }
    if (!program)
        return bp_fail(err, BP_E_NOMEM, "broken: no memory for a program");
    program->instance = instance;
    program->graph = g;
    program->steps =
        (struct step *)host->alloc(host->h, g->n_nodes * sizeof *program->steps, ALIGN);
    if (!program->steps && g->n_nodes > 0) {
        program_free(program);
        return bp_fail(err, BP_E_NOMEM, "broken: no memory for %u steps", (unsigned)g->n_nodes);
    }
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        const bp_node *node = BP_NODE(g, n);

        program->steps[n].x = node->in[0];
        program->steps[n].b = node->op[0] == 'A' ? node->in[1] : BP_NONE;
        program->steps[n].op = node->op[0];
        program->steps[n].y = node->out[0];
    }
    *out = program;
    return BP_OK;
}

/* ---- saving: a header, then a letter for each node ------------------------------------------- */

static bp_rc save(bp_program *program, const bp_sink *sink, bp_err *err)
{
    uint32_t n = program->graph->n_nodes, head[2];
    bp_rc rc;

    (void)err;
    head[0] = 0x4b4f5242;
    head[1] = n;
    rc = sink->write(sink->h, head, sizeof head);
    for (uint32_t i = 0; i < n && rc >= 0; i++)
        rc = sink->write(sink->h, &program->steps[i].op, 1);
    return rc;
}

static bp_rc load(bp_instance *instance, const bp_graph *g, const bp_compile *what, bp_span blob,
                  bp_program **out, bp_err *err)
{
    const unsigned char *bytes = (const unsigned char *)blob.data;
    uint32_t head[2] = {0, 0};

    if (BREAK == CACHE_01)
        return bp_fail(err, BP_E_STALE, "always");
    if (BREAK == CACHE_02)
        return compile(instance, g, what, out, err);
    if (blob.size >= sizeof head)
        memcpy(head, bytes, sizeof head);
    if (blob.size < sizeof head || head[0] != 0x4b4f5242)
        return bp_fail(err, BP_E_STALE, "not saved by this provider");
    if (BREAK == FUZZ_04 && head[1] == 0xffffffff)
        abort();
    if (BREAK == CACHE_03 && head[1] != g->n_nodes)
        abort();
    if (head[1] != g->n_nodes || blob.size != sizeof head + g->n_nodes)
        return bp_fail(err, BP_E_STALE, "of another graph");
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        if (bytes[sizeof head + i] != (unsigned char)BP_NODE(g, i)->op[0])
            return bp_fail(err, BP_E_STALE, "of other operators");
    }
    return compile(instance, g, what, out, err);
}

static bp_rc fingerprint(bp_instance *instance, char *buf, uint32_t cap, bp_err *err)
{
    static const char text[] = "broken/1";

    (void)instance;
    if (BREAK == CACHE_04) {
        memcpy(buf, text, sizeof text);
        return BP_OK;
    }
    if (cap < sizeof text)
        return bp_fail(err, BP_E_INVALID, "a fingerprint has %u bytes", (unsigned)sizeof text);
    memcpy(buf, text, sizeof text);
    return BP_OK;
}

/* ---- frame: all that depends on sizes; execute then only computes ---------------------------- */

static void frame_free(bp_frame *frame)
{
    const bp_host *host;
    size_t n;

    if (!frame && BREAK != LIFE_03)
        return;
    host = &frame->program->instance->host;
    n = frame->program->graph->n_values;
    host->free(host->h, frame->places, n * sizeof *frame->places, ALIGN);
    if (BREAK != LIFE_02)
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
        if (BREAK == SHAPES_02 && shape->rank == 0)
            frame->counts[v] = 0;
        if (BREAK == SHAPES_04 && BP_VALUE(g, v)->rank > 0 && BP_VALUE(g, v)->dims[0].value < 0)
            frame->counts[v] = 0;
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
        return bp_fail(err, BP_E_NOMEM, "broken: no memory for a frame");
    frame->program = program;
    frame->desc = desc;
    frame->first_x = NULL;
    program->last = desc;
    frame->places = (struct place *)host->alloc(host->h, n * sizeof *frame->places, ALIGN);
    frame->counts = (size_t *)host->alloc(host->h, n * sizeof *frame->counts, ALIGN);
    if ((!frame->places || !frame->counts) && n > 0) {
        frame_free(frame);
        return bp_fail(err, BP_E_NOMEM, "broken: no memory for a frame");
    }
    place_values(frame, needs);
    if (BREAK == SHAPES_01 && n > 0 && frame->counts[0] == 0) {
        frame_free(frame);
        return bp_fail(err, BP_E_SHAPE, "no elements, no work");
    }
    *out = frame;
    return BP_OK;
}

/* ---- execute --------------------------------------------------------------------------------- */

struct task {
    const void *x, *b;
    void *y;
    size_t count, chunk, b_count;
    uint32_t dtype;
    char op;
};

/* Broadcast as in the kit's case: b's three elements go by row. */
static void add(const struct task *task)
{
    const float *x = (const float *)task->x, *b = (const float *)task->b;
    float *y = (float *)task->y;
    size_t inner = task->b_count == 3 ? 4 : 1;

    for (size_t i = 0; i < task->count; i++)
        y[i] = x[i] + b[(BREAK == NUMERICS_02 ? i : i / inner) % task->b_count];
}

static void average(const struct task *task, size_t n_out)
{
    const float *x = (const float *)task->x;
    float *y = (float *)task->y;
    size_t n = n_out ? task->count / n_out : 0;

    for (size_t i = 0; i < n_out; i++) {
        double sum = 0;

        for (size_t j = 0; j < n; j++)
            sum += (double)x[i * n + j];
        y[i] = (float)(BREAK == NUMERICS_03 ? sum : sum / (double)n);
    }
}

static double relu(double x, double old)
{
    if (BREAK == NUMERICS_01)
        return x < 0 ? 0 : x * 1.01;
    if (BREAK == NUMERICS_05)
        return fmax(x, 0);
    if (BREAK == RUN_04)
        return x < 0 ? old * 0.5 : x;
    return x < 0 ? 0 : x;
}

static void run_chunk(void *u, uint32_t i, uint32_t worker)
{
    const struct task *task = (const struct task *)u;
    size_t first = (size_t)i * task->chunk;
    size_t n = task->count - first < task->chunk ? task->count - first : task->chunk;

    (void)worker;
    if (BREAK == FUZZ_03 && task->count % 17 == 0)
        n--;
    if (BREAK == SHAPES_03 && i > 0 && n < task->chunk)
        return;
    if (task->dtype == BP_DTYPE_F64) {
        for (size_t k = first; k < first + n; k++)
            ((double *)task->y)[k] = relu(((const double *)task->x)[k], ((double *)task->y)[k]);
        return;
    }
    for (size_t k = first; k < first + n; k++)
        ((float *)task->y)[k] =
            (float)relu((double)((const float *)task->x)[k], (double)((float *)task->y)[k]);
}

static void *bytes_of(const bp_frame *frame, uint32_t value)
{
    const struct place *place = &frame->places[value];
    const bp_frame_desc *desc = frame->desc;

    if (BREAK == RUN_08 && place->tensor)
        return place->tensor == &desc->out[0] ? bp_tensor_data(&frame->program->last->out[0])
                                              : bp_tensor_data(&frame->program->last->in[0]);
    if (place->tensor && BREAK == RUN_03)
        return place->tensor->base;
    if (place->tensor)
        return bp_tensor_data(place->tensor);
    return (char *)desc->scratch + place->offset;
}

static void run_step(bp_frame *frame, const struct step *step)
{
    const bp_program *program = frame->program;
    const bp_host *host = &program->instance->host;
    static const void *volatile shared_x;
    struct task task;

    task.x = bytes_of(frame, step->x);
    task.y = bytes_of(frame, step->y);
    task.count = frame->counts[step->x];
    task.chunk = program->instance->chunk;
    task.dtype = BP_VALUE(program->graph, step->x)->dtype;
    if (BREAK == RUN_02) {
        frame->first_x = frame->first_x ? frame->first_x : task.x;
        task.x = frame->first_x;
    }
    if (BREAK == RUN_09) {
        const struct timespec moment = {0, 20000};

        shared_x = task.x;
        nanosleep(&moment, NULL);
        task.x = shared_x;
    }
    if (task.count == 0)
        return;
    if (step->op == 'A') {
        task.b = bytes_of(frame, step->b);
        task.b_count = frame->counts[step->b];
        add(&task);
    } else if (step->op == 'G') {
        average(&task, frame->counts[step->y]);
    } else if (step->op == 'F') {
        memcpy(task.y, task.x, task.count * 4 - (BREAK == NUMERICS_04 ? 4 : 0));
    } else {
        host->parallel_for(host->h, (uint32_t)((task.count - 1) / task.chunk + 1), run_chunk,
                           &task);
    }
}

static void record(bp_prof *prof)
{
    bp_prof_event event = {1, 2, "Relu", 0, 0, 0, 0, NULL, 0};
    bp_prof_event *rows = prof ? (bp_prof_event *)prof->ev : NULL;

    if (!prof)
        return;
    if (prof->count < prof->cap || BREAK == RUN_07)
        rows[prof->count++ & 3] = event;
    else
        prof->dropped++;
}

static bp_rc execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    const bp_program *program = frame->program;

    if (run->cancel && *run->cancel)
        return bp_fail(err, BREAK == RUN_05 ? BP_E_INTERNAL : BP_E_CANCELLED, "cancelled");
    if (run->deadline_ns && BREAK == RUN_06)
        return bp_fail(err, BP_E_INTERNAL, "deadlines are not for me");
    if (BREAK == RUN_01) {
        void *volatile block = malloc(16);

        free(block);
    }
    for (uint32_t s = 0; s < program->graph->n_nodes; s++) {
        if (BREAK != NUMERICS_06 || s != 1)
            run_step(frame, &program->steps[s]);
    }
    record(run->prof);
    return BP_OK;
}

/* ---- availability ---------------------------------------------------------------------------- */

static void say(char *to, uint32_t cap, const char *text)
{
    if (BREAK == PROBE_05)
        memcpy(to, text, strlen(text) + 1);
    else if (cap > 0)
        snprintf(to, cap, "%s", text);
}

static bp_rc is_available(const bp_host *host, bp_avail *out, bp_err *err)
{
    const struct timespec long_time = {0, 150000000};
    static int calls;

    (void)host;
    (void)err;
    calls++;
    if (BREAK == PROBE_01)
        nanosleep(&long_time, NULL);
    if (BREAK == PROBE_04)
        setenv("BROKEN_WAS_HERE", "1", 1);
    if (BREAK == PROBE_02)
        return BP_OK;
    out->n_devices = 1;
    out->state =
        BREAK == DOCS_03 || (BREAK == PROBE_06 && calls > 100) ? BP_AVAIL_NO : BP_AVAIL_YES;
    if (BREAK == DOCS_03 || BREAK == PROBE_05)
        say(out->reason, out->reason_cap, "driver too old: 535.54 < 550.0");
    return BP_OK;
}

static bp_rc device(const bp_host *host, uint32_t i, bp_device *out, bp_err *err)
{
    (void)host;
    if (i > 0 && BREAK != PROBE_07)
        return bp_fail(err, BP_E_INVALID, "there is no device %u", (unsigned)i);
    out->kind = BP_DEVICE_OTHER;
    out->id = "0";
    out->name = "a simulated device";
    return BP_OK;
}

/* Runs when the file is mapped, and when the process ends. */
__attribute__((constructor)) static void on_load(void)
{
    if (BREAK == PROBE_03)
        (void)!open("/dev/null", O_RDONLY);
}

__attribute__((destructor)) static void on_exit_(void)
{
    if (BREAK == LIFE_07 && n_living > 0)
        abort();
}

/* ---- tables ---------------------------------------------------------------------------------- */

static const bp_provider provider = {
    .struct_size = sizeof(bp_provider),
    .flags = BP_PROVIDER_CONCURRENT_FRAMES | BP_PROVIDER_UNLOADABLE,
    .id = BREAK == ABI_02 ? "broken" : "org.backplane.broken",
    .name = "broken",
    .version = "0.1.0",
    .vendor = BREAK == DOCS_02 ? "" : "Backplane's tests",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .option_stride = sizeof(bp_option),
    .is_available = is_available,
    .device = device,
    .create = create,
    .destroy = destroy,
    .capability = capability,
    .compile = compile,
    .load = load,
    .save = save,
    .fingerprint = fingerprint,
    .program_free = program_free,
    .frame_create = frame_create,
    .frame_free = frame_free,
    .execute = execute,
};

#if !defined(HAS_NO_NOTE)
#if !defined(MANIFEST)
#define MANIFEST "id=org.backplane.broken\nname=broken\nversion=0.1.0"
#endif
BP_MANIFEST(MANIFEST);
#endif

static const bp_provider *const providers[] = {&provider};

static const bp_module module = {
    .struct_size = sizeof(bp_module),
    .abi_major = BP_ABI_MAJOR,
    .abi_minor = BP_ABI_MINOR,
    .magic = BP_MAGIC,
    .flags = BREAK == ABI_01 ? 0x20000000u : 0,
    .providers = providers,
    .n_providers = 1,
};

/* bp_host_check() with the fault. */
static bp_rc check_host(const bp_host *host, bp_err *err)
{
    bp_host theirs = *host;

    if (BREAK == ABI_03 && host->struct_size != sizeof(bp_host))
        return bp_fail(err, BP_E_VERSION, "a host of another size");
    if (BREAK == ABI_04)
        theirs.abi_major = BP_ABI_MAJOR;
    if (BREAK == ABI_05)
        theirs.magic = BP_MAGIC;
    if (BREAK == ABI_06)
        theirs.flags = 0;
    if (BREAK == ABI_07 && host->flags)
        return bp_fail(err, BP_E_VERSION, "unknown flags");
    if (BREAK == ABI_08 && host->abi_major != BP_ABI_MAJOR && err && err->msg) {
        strcpy(err->msg, "another version");
        return BP_E_VERSION;
    }
    return bp_host_check(&theirs, "broken", err);
}

BP_EXPORT bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);
BP_EXPORT int one_more_export(void);

int one_more_export(void)
{
#if defined(HAS_HOST_CALL)
    if (bp_log_of_the_host)
        bp_log_of_the_host();
#endif
    return n_living;
}

bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err)
{
    static bp_module other;
    static int calls;
    bp_rc rc = check_host(host, err);

    if (rc < 0)
        return rc;
    other = module;
    calls++;
    if (BREAK != FILE_01)
        *out = BREAK == ABI_09 && calls > 1 ? &other : &module;
#if defined(HAS_HOST_CALL)
    (void)one_more_export();
#endif
    return BP_OK;
}
