/* SPDX-License-Identifier: MIT */
/*
 * few.c - a provider that takes three operators for float32 and computes them with plain loops: a
 * small but honest one, against which tests hold the host. Built as "few"; with IS_EXCLUSIVE as
 * "needy", whose frames may not execute at once and which has an option of each kind of flag: one
 * that must be given and is secret, one that may change, one that is deprecated; and with
 * KEEPS_PROGRAMS as "keeper", which saves programs and loads them, or does not, as its options say, and
 * takes options of any key; with
 * HAS_DEVICES as "gadget", which has a GPU and an NPU and options that change while it lives. So that
 * tests see which device computes, Relu on device d gives d + 1 times as much. With IS_UNLOADABLE it is
 * "guest", which may be unmapped.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bp/arena.h>
#include <bp/sdk.h>

#include "counters.h"

#ifdef IS_EXCLUSIVE
#define NAME "needy"
#define FLAGS 0
#elif defined(KEEPS_PROGRAMS)
#define NAME "keeper"
#define FLAGS BP_PROVIDER_CONCURRENT_FRAMES | BP_PROVIDER_ANY_OPTION
#elif defined(HAS_DEVICES)
#define NAME "gadget"
#define FLAGS BP_PROVIDER_CONCURRENT_FRAMES
#elif defined(IS_UNLOADABLE)
#define NAME "guest"
#define FLAGS BP_PROVIDER_CONCURRENT_FRAMES | BP_PROVIDER_UNLOADABLE
#else
#define NAME "few"
#define FLAGS BP_PROVIDER_CONCURRENT_FRAMES
#endif

#ifdef HAS_DEVICES
#define CHANGES BP_OPTION_DYNAMIC
#else
#define CHANGES 0
#endif

enum { ALIGN = 64 };

enum op { OP_RELU, OP_ADD, OP_FLATTEN, OP_NONE };

static const struct {
    const char *name;
    const char *inputs[2]; /* as the operator's text calls them */
} ops[OP_NONE] = {
    [OP_RELU] = {"Relu", {"X", NULL}},
    [OP_ADD] = {"Add", {"A", "B"}},
    [OP_FLATTEN] = {"Flatten", {"input", NULL}},
};

static struct mock_counters counters;

struct bp_instance {
    const bp_host *host;
    char *take;
    char driver[64];    /* its version, as the fingerprint has it */
    int64_t load, save; /* what they do, see loads_as and saves_as */
    _Atomic float gain; /* runs read it while set_option writes it */
    float factor;       /* of the device */
};

/* A node of the group. */
struct step {
    enum op op;
    uint32_t in[2], out; /* values */
    uint32_t n_in;
};

/* Where the bytes of a value are. */
enum place { IN_NOTHING, IN_INPUT, IN_OUTPUT, IN_CONSTANT, IN_SCRATCH };

struct value {
    enum place place;
    uint32_t index;    /* IN_INPUT, IN_OUTPUT */
    uint32_t producer; /* step, or BP_NONE */
    const void *data;  /* IN_CONSTANT */
};

struct bp_program {
    struct bp_instance *instance;
    struct step *steps;
    struct value *values;
    uint32_t n_steps, n_values;
};

struct bp_frame {
    struct bp_program *program;
    const bp_frame_desc *desc;
    size_t *offsets; /* one a value: in scratch */
    size_t *counts;  /* one a value: elements */
};

/* ---- instance -------------------------------------------------------------------------------- */

static const char *const modes[] = {"fast", "exact"};
#ifdef HAS_DEVICES
static const char *const loads[] = {"Default", "Efficient"};
#endif

#ifdef KEEPS_PROGRAMS
enum { LOAD_OK, LOAD_STALE, LOAD_FAILS, LOAD_NOTHING };
enum { SAVE_OK, SAVE_FAILS, SAVE_UNSUPPORTED };

static const char *const loads_as[] = {"ok", "stale", "fails", "nothing"};
static const char *const saves_as[] = {"ok", "fails", "unsupported"};
#endif

static const bp_option options[] = {
    {sizeof(bp_option), 0, BP_OPT_STRING, 0, "take", "operators to take, with commas between",
     "Relu,Add,Flatten", NULL, 0, 0},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "level", "effort, 0 to 9", "3", NULL, 0, 9},
    {sizeof(bp_option), CHANGES, BP_OPT_FLOAT, 0, "gain", "factor on what Relu gives", "1", NULL,
     0.25, 4},
    {sizeof(bp_option), 0, BP_OPT_CHOICE, 2, "mode", "how to compute", "fast", modes, 0, 0},
    {sizeof(bp_option), 0, BP_OPT_BOOL, 0, "strict", "refuse what is doubtful", "false", NULL, 0,
     0},
#ifdef IS_EXCLUSIVE
    {sizeof(bp_option), BP_OPTION_REQUIRED | BP_OPTION_SECRET, BP_OPT_STRING, 0, "token",
     "who asks, any text", NULL, NULL, 0, 0},
    {sizeof(bp_option), BP_OPTION_DYNAMIC, BP_OPT_INT, 0, "cache",
     "capacity for programs, in bytes", "64M", NULL, 1 << 20, 64.0 * (1 << 30)},
    {sizeof(bp_option), BP_OPTION_DEPRECATED, BP_OPT_BOOL, 0, "turbo", "use 'mode' instead",
     "false", NULL, 0, 0},
#endif
#ifdef KEEPS_PROGRAMS
    {sizeof(bp_option), 0, BP_OPT_STRING, 0, "driver", "version of its driver, 63 bytes at most",
     "1", NULL, 0, 0},
#endif
#ifdef HAS_DEVICES
    {sizeof(bp_option), CHANGES, BP_OPT_CHOICE, 2, "workload_type", "what matters more", "Default",
     loads, 0, 0},
#endif
};

enum { N_OPTIONS = sizeof options / sizeof options[0] };

static char *copy_text(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = (char *)malloc(n);

    if (copy)
        memcpy(copy, text, n);
    return copy;
}

static void destroy(bp_instance *instance)
{
    free(instance->take);
    free(instance);
    atomic_fetch_sub(&counters.instances, 1);
}

#ifdef KEEPS_PROGRAMS
static int64_t find_word(const char *word, const char *const *words, int64_t n)
{
    int64_t i = 0;

    while (i < n && (!word || strcmp(word, words[i]) != 0))
        i++;
    return i < n ? i : 0;
}

/*
 * What load and save do comes from the environment and not from options, which would change the key
 * of the cache.
 */
static void read_behaviour(bp_instance *instance, const char *driver)
{
    snprintf(instance->driver, sizeof instance->driver, "%s", driver);
    instance->load = find_word(getenv("BP_KEEPER_LOAD"), loads_as, 4);
    instance->save = find_word(getenv("BP_KEEPER_SAVE"), saves_as, 3);
}
#endif

static bp_rc create(const bp_host *host, const bp_opt *opts, uint32_t n_opts, const uint32_t *devs,
                    uint32_t n_devs, bp_instance **out, bp_err *err)
{
    uint32_t device = n_devs > 0 ? devs[0] : 0;
    bp_instance *instance;
    char line[256];

    if (n_opts < N_OPTIONS || n_devs > 2 || device > 1)
        return bp_fail(err, BP_E_INTERNAL, "%u options and %u devices came", n_opts, n_devs);
    if (n_opts > N_OPTIONS && !((FLAGS)&BP_PROVIDER_ANY_OPTION))
        return bp_fail(err, BP_E_INTERNAL, "option '%s' came", opts[N_OPTIONS].key);
    for (uint32_t i = N_OPTIONS; i < n_opts; i++) {
        snprintf(line, sizeof line, "any %s=%s", opts[i].key, opts[i].str);
        host->log(host->h, BP_LOG_DEBUG, NAME, line);
    }
    for (uint32_t i = 0; i < N_OPTIONS; i++) {
        if (strcmp(opts[i].key, options[i].key) != 0)
            return bp_fail(err, BP_E_INTERNAL, "option %u is '%s'", i, opts[i].key);
    }
    instance = (bp_instance *)calloc(1, sizeof *instance);
    if (instance)
        instance->take = copy_text(opts[0].str);
    if (!instance || !instance->take) {
        free(instance);
        return bp_fail(err, BP_E_NOMEM, "no memory for an instance");
    }
    instance->host = host;
    atomic_init(&instance->gain, (float)opts[2].f);
    instance->factor = (float)(device + 1);
#ifdef KEEPS_PROGRAMS
    read_behaviour(instance, opts[5].str);
#endif
    atomic_fetch_add(&counters.instances, 1);
    snprintf(line, sizeof line, "take=%s level=%d gain=%g mode=%d strict=%d", opts[0].str,
             (int)opts[1].i, opts[2].f, (int)opts[3].i, (int)opts[4].i);
    host->log(host->h, BP_LOG_DEBUG, NAME, line);
    *out = instance;
    return BP_OK;
}

#ifdef HAS_DEVICES
static bp_rc is_available(const bp_host *host, bp_avail *out, bp_err *err)
{
    (void)host;
    (void)err;
    out->state = BP_AVAIL_YES;
    out->n_devices = 2;
    return BP_OK;
}

static bp_rc device(const bp_host *host, uint32_t i, bp_device *out, bp_err *err)
{
    (void)host;
    if (i > 1)
        return bp_fail(err, BP_E_INVALID, "there is no device %u", i);
    out->kind = i ? BP_DEVICE_NPU : BP_DEVICE_GPU;
    out->vendor_id = i ? 0x8086 : 0x1002;
    out->id = i ? "npu0" : "0000:fe:00.0";
    out->name = i ? "Mock NPU" : "Mock GPU";
    out->driver = "1.2";
    out->mem_total = i ? 0 : (uint64_t)1 << 32;
    return BP_OK;
}

static bp_rc set_option(bp_instance *instance, const bp_opt *opt, bp_err *err)
{
    if (strcmp(opt->key, "gain") == 0 && opt->f > 3)
        return bp_fail(err, BP_E_BUSY, "the amplifier is warm");
    if (strcmp(opt->key, "gain") == 0)
        atomic_store(&instance->gain, (float)opt->f);
    return BP_OK;
}
#endif

#ifdef IS_EXCLUSIVE
static bp_rc set_option(bp_instance *instance, const bp_opt *opt, bp_err *err)
{
    char line[128];

    if (opt->i == 13 << 20)
        return bp_fail(err, BP_E_BUSY, "not thirteen");
    snprintf(line, sizeof line, "%s became %lld, %s", opt->key, (long long)opt->i, opt->str);
    instance->host->log(instance->host->h, BP_LOG_DEBUG, NAME, line);
    return BP_OK;
}
#endif

/* ---- capability ------------------------------------------------------------------------------ */

static enum op find_op(const bp_node *node)
{
    for (int op = 0; op < OP_NONE; op++) {
        if (node->domain[0] == '\0' && strcmp(node->op, ops[op].name) == 0)
            return (enum op)op;
    }
    return OP_NONE;
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

static int is_one_element(const bp_value *value)
{
    for (uint32_t i = 0; i < value->rank; i++) {
        if (value->dims[i].value != 1)
            return 0;
    }
    return 1;
}

static int same_dims(const bp_value *a, const bp_value *b)
{
    if (a->rank != b->rank)
        return 0;
    for (uint32_t i = 0; i < a->rank; i++) {
        const bp_dim *x = &a->dims[i], *y = &b->dims[i];

        if (x->value >= 0 ? x->value != y->value : !x->symbol || x->symbol != y->symbol)
            return 0;
    }
    return 1;
}

static void give_verdict(const bp_instance *instance, const bp_graph *g, const bp_claims *claims,
                         uint32_t n)
{
    const bp_node *node = BP_NODE(g, n);
    enum op op = find_op(node);

    if (op == OP_NONE) {
        bp_refuse(claims, n, BP_R_OP, node->op, "not one of Relu, Add and Flatten");
        return;
    }
    if (!is_listed(instance->take, node->op)) {
        bp_refuse(claims, n, BP_R_OPTION, "take", "the option 'take' leaves it out");
        return;
    }
    for (uint32_t i = 0; i < node->n_in; i++) {
        const bp_value *value = bp_node_in(g, node, i);

        if (value && value->dtype == BP_DTYPE_F32)
            continue;
        bp_refuse(claims, n, BP_R_DTYPE, ops[op].inputs[i], "takes float32 only");
        return;
    }
    if (op == OP_ADD) {
        const bp_value *a = bp_node_in(g, node, 0), *b = bp_node_in(g, node, 1);

        if (a != b && (a->rank == BP_RANK_UNKNOWN || b->rank == BP_RANK_UNKNOWN)) {
            bp_refuse(claims, n, BP_R_DYNAMIC_SHAPE, "B", "the rank is not known yet");
            return;
        }
        if (a != b && !same_dims(a, b) && !is_one_element(a) && !is_one_element(b)) {
            bp_refuse(claims, n, BP_R_RANK, "B", "shapes have to be equal, or one a scalar");
            return;
        }
    }
    bp_accept(claims, n);
}

static bp_rc capability(bp_instance *instance, const bp_graph *g, const bp_claims *claims,
                        bp_err *err)
{
    (void)err;
    for (uint32_t n = 0; n < g->n_nodes; n++)
        give_verdict(instance, g, claims, n);
    return BP_OK;
}

/* ---- compile --------------------------------------------------------------------------------- */

static void program_free(bp_program *program)
{
    if (!program)
        return;
    free(program->steps);
    free(program->values);
    free(program);
    atomic_fetch_sub(&counters.programs, 1);
}

static bp_rc place_values(bp_program *program, const bp_graph *g, bp_err *err)
{
    const bp_host *host = program->instance->host;

    for (uint32_t v = 0; v < g->n_values; v++) {
        program->values[v].producer = BP_VALUE(g, v)->producer;
        program->values[v].place = IN_SCRATCH;
    }
    for (uint32_t i = 0; i < g->n_inputs; i++)
        program->values[g->inputs[i]] = (struct value){IN_INPUT, i, BP_NONE, NULL};
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        program->values[g->outputs[i]].place = IN_OUTPUT;
        program->values[g->outputs[i]].index = i;
    }
    for (uint32_t v = 0; v < g->n_values; v++) {
        bp_span span;
        bp_rc rc;

        if (!(BP_VALUE(g, v)->flags & BP_VALUE_CONSTANT))
            continue;
        rc = host->constant(host->h, g, v, &span, err);
        if (rc < 0)
            return rc;
        program->values[v] = (struct value){IN_CONSTANT, 0, BP_NONE, span.data};
    }
    return BP_OK;
}

static bp_rc compile(bp_instance *instance, const bp_graph *g, const bp_compile *what,
                     bp_program **out, bp_err *err)
{
    bp_program *program = (bp_program *)calloc(1, sizeof *program);
    bp_rc rc;

    (void)what;
    if (!program)
        return bp_fail(err, BP_E_NOMEM, "no memory for a program");
    atomic_fetch_add(&counters.programs, 1);
    program->instance = instance;
    program->n_steps = g->n_nodes;
    program->n_values = g->n_values;
    program->steps = (struct step *)calloc(g->n_nodes, sizeof *program->steps);
    program->values = (struct value *)calloc(g->n_values, sizeof *program->values);
    if (!program->steps || !program->values)
        rc = bp_fail(err, BP_E_NOMEM, "no memory for a program");
    else
        rc = place_values(program, g, err);
    for (uint32_t n = 0; rc >= 0 && n < g->n_nodes; n++) {
        const bp_node *node = BP_NODE(g, n);
        struct step *step = &program->steps[n];

        step->op = find_op(node);
        if (step->op == OP_NONE || node->n_in > 2) {
            rc = bp_fail(err, BP_E_INTERNAL, "node '%s' was refused and came", node->name);
            continue;
        }
        step->n_in = node->n_in;
        for (uint32_t i = 0; i < node->n_in; i++)
            step->in[i] = node->in[i];
        step->out = node->out[0];
    }
    if (rc < 0) {
        program_free(program);
        return rc;
    }
    *out = program;
    return BP_OK;
}

#ifdef KEEPS_PROGRAMS
/* ---- saved programs -------------------------------------------------------------------------- */

static const char blob_magic[8] = "KEEPER1";

/* A blob is the magic, the number of steps, and of each its operator, inputs and output. */
enum { STEP_WORDS = 5 };

static void step_words(const struct step *step, uint32_t words[STEP_WORDS])
{
    words[0] = (uint32_t)step->op;
    words[1] = step->n_in;
    words[2] = step->in[0];
    words[3] = step->n_in > 1 ? step->in[1] : 0;
    words[4] = step->out;
}

static bp_rc save(bp_program *program, const bp_sink *sink, bp_err *err)
{
    bp_rc rc;

    if (program->instance->save == SAVE_UNSUPPORTED)
        return bp_fail(err, BP_E_UNSUPPORTED, "this program is not one to keep");
    rc = sink->write(sink->h, blob_magic, sizeof blob_magic);
    if (rc >= 0)
        rc = sink->write(sink->h, &program->n_steps, sizeof program->n_steps);
    for (uint32_t s = 0; rc >= 0 && s < program->n_steps; s++) {
        uint32_t words[STEP_WORDS];

        step_words(&program->steps[s], words);
        rc = sink->write(sink->h, words, sizeof words);
        if (rc >= 0 && program->instance->save == SAVE_FAILS)
            return bp_fail(err, BP_E_INTERNAL, "the pen is dry");
    }
    return rc < 0 ? bp_fail(err, rc, "the host takes no more") : rc;
}

/* Does the blob say of the program what compiling made of it? */
static int fits(const bp_program *program, bp_span blob)
{
    const char *at = (const char *)blob.data;
    uint32_t n_steps;

    if (blob.size < sizeof blob_magic + sizeof n_steps ||
        memcmp(at, blob_magic, sizeof blob_magic) != 0)
        return 0;
    memcpy(&n_steps, at + sizeof blob_magic, sizeof n_steps);
    at += sizeof blob_magic + sizeof n_steps;
    if (n_steps != program->n_steps ||
        blob.size != sizeof blob_magic + sizeof n_steps + (size_t)n_steps * STEP_WORDS * 4)
        return 0;
    for (uint32_t s = 0; s < n_steps; s++) {
        uint32_t words[STEP_WORDS];

        step_words(&program->steps[s], words);
        if (memcmp(at + (size_t)s * sizeof words, words, sizeof words) != 0)
            return 0;
    }
    return 1;
}

static bp_rc load_program(bp_instance *instance, const bp_graph *g, const bp_compile *what,
                          bp_span blob, bp_program **out, bp_err *err)
{
    bp_program *program;
    bp_rc rc;

    if (instance->load == LOAD_STALE)
        return bp_fail(err, BP_E_STALE, "the driver is newer than the program");
    if (instance->load == LOAD_FAILS)
        return bp_fail(err, BP_E_DEVICE_LOST, "no device is there to load it");
    if (instance->load == LOAD_NOTHING)
        return BP_OK;
    rc = compile(instance, g, what, &program, err);
    if (rc >= 0 && !fits(program, blob)) {
        program_free(program);
        return bp_fail(err, BP_E_STALE, "it is of another group");
    }
    if (rc >= 0)
        *out = program;
    return rc;
}

static bp_rc fingerprint(bp_instance *instance, char *buf, uint32_t cap, bp_err *err)
{
    if (strcmp(instance->driver, "unknown") == 0)
        return bp_fail(err, BP_E_UNAVAILABLE, "the driver does not answer");
    snprintf(buf, cap, "driver %s",
             getenv("BP_KEEPER_DRIVER") ? getenv("BP_KEEPER_DRIVER") : instance->driver);
    return BP_OK;
}
#endif

/* ---- frames ---------------------------------------------------------------------------------- */

static void frame_free(bp_frame *frame)
{
    if (!frame)
        return;
    free(frame->offsets);
    free(frame->counts);
    free(frame);
    atomic_fetch_sub(&counters.frames, 1);
}

/* Elements of every value; an Add whose sizes turn out to broadcast is not for us. */
static bp_rc count_elements(bp_frame *frame, bp_err *err)
{
    const bp_program *program = frame->program;

    for (uint32_t v = 0; v < program->n_values; v++) {
        const bp_shape *shape = &frame->desc->shapes[v];

        if (shape->rank == BP_RANK_UNKNOWN || shape->dtype != BP_DTYPE_F32)
            return bp_fail(err, BP_E_SHAPE, "value %u has no known shape, or another type", v);
        frame->counts[v] = (size_t)bp_dims_count(shape->dims, shape->rank);
    }
    for (uint32_t s = 0; s < program->n_steps; s++) {
        const struct step *step = &program->steps[s];

        for (uint32_t i = 0; i < step->n_in; i++) {
            size_t n = frame->counts[step->in[i]];

            if (n != frame->counts[step->out] && !(step->op == OP_ADD && n == 1))
                return bp_fail(err, BP_E_SHAPE, "%s would have to broadcast %zu to %zu elements",
                               ops[step->op].name, n, frame->counts[step->out]);
        }
    }
    return BP_OK;
}

/* Places for values that stay within the group. */
static bp_rc lay_out(bp_frame *frame, bp_frame_needs *needs, bp_err *err)
{
    const bp_program *program = frame->program;
    bp_arena_item *items = (bp_arena_item *)calloc(program->n_values, sizeof *items);
    void *work = malloc(bp_arena_work(program->n_values));
    bp_rc rc = BP_OK;

    if (!items || !work) {
        rc = bp_fail(err, BP_E_NOMEM, "no memory for a frame");
        goto out;
    }
    for (uint32_t v = 0; v < program->n_values; v++) {
        if (program->values[v].place != IN_SCRATCH)
            continue;
        items[v].bytes = frame->counts[v] * sizeof(float);
        items[v].first = items[v].last = program->values[v].producer;
    }
    for (uint32_t s = 0; s < program->n_steps; s++) {
        for (uint32_t i = 0; i < program->steps[s].n_in; i++)
            items[program->steps[s].in[i]].last = s;
    }
    for (uint32_t v = 0; v < program->n_values; v++) {
        if (items[v].last < items[v].first)
            items[v].last = items[v].first;
    }
    needs->scratch_bytes = bp_arena_plan(items, program->n_values, ALIGN, work);
    needs->scratch_align = ALIGN;
    if (needs->scratch_bytes == SIZE_MAX)
        rc = bp_fail(err, BP_E_NOMEM, "the values of a group do not fit in memory");
    for (uint32_t v = 0; v < program->n_values; v++)
        frame->offsets[v] = items[v].offset;
out:
    free(work);
    free(items);
    return rc;
}

static bp_rc frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                          bp_frame **out, bp_err *err)
{
    bp_frame *frame;
    bp_rc rc;

    if (desc->n_shapes != program->n_values || desc->scratch)
        return bp_fail(err, BP_E_INTERNAL, "%u shapes for %u values, or scratch too early",
                       desc->n_shapes, program->n_values);
    frame = (bp_frame *)calloc(1, sizeof *frame);
    if (!frame)
        return bp_fail(err, BP_E_NOMEM, "no memory for a frame");
    mock_count_frame(&counters);
    frame->program = program;
    frame->desc = desc;
    frame->offsets = (size_t *)calloc(program->n_values, sizeof *frame->offsets);
    frame->counts = (size_t *)calloc(program->n_values, sizeof *frame->counts);
    if (!frame->offsets || !frame->counts)
        rc = bp_fail(err, BP_E_NOMEM, "no memory for a frame");
    else
        rc = count_elements(frame, err);
    if (rc >= 0)
        rc = lay_out(frame, needs, err);
    if (rc < 0) {
        frame_free(frame);
        return rc;
    }
    *out = frame;
    return BP_OK;
}

/* ---- execute --------------------------------------------------------------------------------- */

static const void *readable(const bp_frame *frame, uint32_t v)
{
    const struct value *value = &frame->program->values[v];

    switch (value->place) {
    case IN_INPUT:
        return bp_tensor_data(&frame->desc->in[value->index]);
    case IN_OUTPUT:
        return bp_tensor_data(&frame->desc->out[value->index]);
    case IN_CONSTANT:
        return value->data;
    default:
        return (const char *)frame->desc->scratch + frame->offsets[v];
    }
}

static void *writable(const bp_frame *frame, uint32_t v)
{
    const struct value *value = &frame->program->values[v];

    if (value->place == IN_OUTPUT)
        return bp_tensor_data(&frame->desc->out[value->index]);
    return (char *)frame->desc->scratch + frame->offsets[v];
}

/* Constants lie where the file put them: at any address. */
static float load(const void *data, size_t i)
{
    float x;

    memcpy(&x, (const char *)data + i * sizeof x, sizeof x);
    return x;
}

static void run_relu(const bp_frame *frame, const struct step *step)
{
    float *y = (float *)writable(frame, step->out);
    const void *x = readable(frame, step->in[0]);
    bp_instance *instance = frame->program->instance;
    float factor = atomic_load(&instance->gain) * instance->factor;

    for (size_t i = 0; i < frame->counts[step->out]; i++) {
        float v = load(x, i);

        y[i] = (v < 0 ? 0 : v) * factor;
    }
}

static void run_add(const bp_frame *frame, const struct step *step)
{
    float *y = (float *)writable(frame, step->out);
    const void *a = readable(frame, step->in[0]), *b = readable(frame, step->in[1]);
    size_t n = frame->counts[step->out];
    size_t step_a = frame->counts[step->in[0]] == n, step_b = frame->counts[step->in[1]] == n;

    for (size_t i = 0; i < n; i++)
        y[i] = load(a, i * step_a) + load(b, i * step_b);
}

static void run_flatten(const bp_frame *frame, const struct step *step)
{
    size_t bytes = frame->counts[step->out] * sizeof(float);

    if (bytes > 0)
        memcpy(writable(frame, step->out), readable(frame, step->in[0]), bytes);
}

static void count_inside(void)
{
    unsigned inside = atomic_fetch_add(&counters.inside, 1) + 1;
    unsigned most = atomic_load(&counters.most_inside);

    while (inside > most && !atomic_compare_exchange_weak(&counters.most_inside, &most, inside))
        continue;
    atomic_fetch_add(&counters.executes, 1);
}

static bp_rc execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    static void (*const runs[OP_NONE])(const bp_frame *, const struct step *) = {
        [OP_RELU] = run_relu, [OP_ADD] = run_add, [OP_FLATTEN] = run_flatten};
    bp_rc rc = BP_OK;

    count_inside();
    for (uint32_t s = 0; rc >= 0 && s < frame->program->n_steps; s++) {
        const struct step *step = &frame->program->steps[s];

        if (run->cancel && *run->cancel)
            rc = bp_fail(err, BP_E_CANCELLED, "stopped before step %u", s);
        else
            runs[step->op](frame, step);
    }
    atomic_fetch_sub(&counters.inside, 1);
    return rc;
}

/* ---- the tables ------------------------------------------------------------------------------ */

static const void *extension(const char *id)
{
    return strcmp(id, MOCK_COUNTERS_ID) == 0 ? &counters : NULL;
}

static const bp_provider provider = {
    .struct_size = sizeof(bp_provider),
    .flags = FLAGS,
    .id = "org.backplane." NAME,
    .name = NAME,
    .version = "1.2.3",
    .vendor = "Backplane's tests",
    .options = options,
    .n_options = N_OPTIONS,
    .option_stride = sizeof(bp_option),
#ifdef HAS_DEVICES
    .is_available = is_available,
    .device = device,
    .set_option = set_option,
#endif
#ifdef KEEPS_PROGRAMS
    .save = save,
    .load = load_program,
    .fingerprint = fingerprint,
#endif
    .create = create,
    .destroy = destroy,
#ifdef IS_EXCLUSIVE
    .set_option = set_option,
#endif
    .capability = capability,
    .compile = compile,
    .program_free = program_free,
    .frame_create = frame_create,
    .frame_free = frame_free,
    .execute = execute,
    .extension = extension,
};

static const bp_provider *const providers[] = {&provider};

#ifdef IS_UNLOADABLE
/* Counts where the test says, as its own counters go with it. */
static void teardown(void)
{
    atomic_uint *to = atomic_load(&counters.teardowns);

    if (to)
        atomic_fetch_add(to, 1);
}
#endif

static const bp_module module = {
    .struct_size = sizeof(bp_module),
    .abi_major = BP_ABI_MAJOR,
    .abi_minor = BP_ABI_MINOR,
    .magic = BP_MAGIC,
    .providers = providers,
    .n_providers = 1,
#ifdef IS_UNLOADABLE
    .teardown = teardown,
#endif
};

BP_MANIFEST("id=org.backplane." NAME "\n"
            "name=" NAME "\n"
            "version=1.2.3\n"
            "license=MIT");

BP_EXPORT bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);
bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err)
{
    bp_rc rc = bp_host_check(host, NAME, err);

    if (rc < 0)
        return rc;
    *out = &module;
    return BP_OK;
}
