/* SPDX-License-Identifier: MIT */
/*
 * planted.c - a provider that computes many operators by the kit's own references, and has the fault
 * that the environment names: BP_PLANTED=swapped-pads. Without it, it is conformant.
 * tests/kit/planted.txt says which test of the kit has to find which fault. Built as `channelslast`
 * it wants its data channels-last.
 */

#include "config.h"

#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <bp/sdk.h>

#include "check/cases/reference.h"

#ifdef IS_CHANNELS_LAST
#define MOCK_NAME "channelslast"
#define FLAGS (BP_PROVIDER_CONCURRENT_FRAMES | BP_PROVIDER_NHWC)
#else
#define MOCK_NAME "planted"
#define FLAGS BP_PROVIDER_CONCURRENT_FRAMES
#endif

enum { ALIGN = 64, MAX_NODES = 8, CHUNK = 4096 };

/* Is this the fault that is asked for? */
static int has(const char *fault)
{
    const char *planted = getenv("BP_PLANTED");

    return planted && strcmp(planted, fault) == 0;
}

/* ---- what it has of everything --------------------------------------------------------------- */

struct bp_instance {
    bp_host host;     /* a copy: a slot that an older host lacks is NULL here */
    const char *text; /* of an option; a copy, without a fault */
    uint32_t n_asked, n_compiled, n_asked_memory;
    uint64_t cache; /* bytes, as it says */
    int is_broken;  /* by the fault trim-breaks */
};

/* A node as a case of the kit, with the elements of its initializers. */
struct step {
    struct kit_case c;
    uint32_t in[KIT_PORTS], out; /* values of the graph */
    size_t buffer;               /* of data in the other layout: where it begins in scratch */
};

struct bp_program {
    bp_instance *instance;
    const bp_graph *graph;
    uint32_t n_steps;
    struct step steps[MAX_NODES];
    size_t first_count; /* of the fault "shape-of-count" */
    struct kit_port first_out;
    const double **weights; /* one a value: its elements, if it is an initializer */
};

struct bp_frame {
    bp_program *program;
    const bp_frame_desc *desc;
    struct step steps[MAX_NODES]; /* with sizes */
    size_t *offsets, *counts;     /* one a value; offsets are in scratch */
    const void *first_in;
    uint32_t n_runs, last_epoch;
};

static const bp_option options[] = {
    {sizeof(bp_option), 0, BP_OPT_STRING, 0, "label", "A word for the log.", "none", NULL, 0, 0},
};

/* ---- instance -------------------------------------------------------------------------------- */

static void at_exit(void)
{
}

static void on_alarm(int number)
{
    (void)number;
}

/* Faults that change the process, wherever they are planted. */
static void change_process(const char *where)
{
    static char stack[65536];
    char fault[64];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct rlimit limit;
    struct itimerval timer = {{1000, 0}, {1000, 0}};
    cpu_set_t set;
    sigset_t mask;

#define IS(name) (snprintf(fault, sizeof fault, "%s-%s", where, name), has(fault))
    if (IS("umask"))
        umask(0);
    if (IS("prints"))
        (void)!write(1, "hello\n", 6);
    if (IS("complains"))
        (void)!write(2, "hello\n", 6);
    if (IS("priority"))
        setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 1);
    if (IS("limit") && getrlimit(RLIMIT_CORE, &limit) == 0 &&
        getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = 100;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    if (IS("affinity") && sched_getaffinity(0, sizeof set, &set) == 0) {
        for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
            if (CPU_ISSET(cpu, &set)) {
                CPU_ZERO(&set);
                CPU_SET(cpu, &set);
                sched_setaffinity(0, sizeof set, &set);
                break;
            }
        }
    }
    if (IS("stack"))
        sigaltstack(&other, NULL);
    if (IS("timer")) {
        signal(SIGPROF, on_alarm);
        setitimer(ITIMER_REAL, &timer, NULL);
    }
    if (IS("handler"))
        signal(SIGUSR1, on_alarm);
    if (IS("mask")) {
        sigemptyset(&mask);
        sigaddset(&mask, SIGUSR2);
        sigprocmask(SIG_BLOCK, &mask, NULL);
    }
    if (IS("child") && fork() == 0) {
        sleep(5);
        _exit(0);
    }
    if (IS("atexit"))
        atexit(at_exit);
    if (IS("rounding"))
        fesetround(FE_UPWARD);
#if defined(__x86_64__)
    if (IS("flush")) {
        unsigned mxcsr;

        __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
        mxcsr |= 0x8040;
        __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
    }
#endif
    if (IS("locale"))
        setlocale(LC_ALL, "C.UTF-8");
    if (IS("directory"))
        (void)!chdir("/");
    if (IS("environment"))
        setenv("PLANTED_WAS_HERE", "1", 1);
#undef IS
}

static bp_rc is_available(const bp_host *host, bp_avail *out, bp_err *err)
{
    (void)host;
    (void)err;
    while (has("probe-hangs"))
        sleep(1);
    change_process("probe");
    out->state = BP_AVAIL_YES;
    out->n_devices = 1;
    return BP_OK;
}

static bp_rc create(const bp_host *host, const bp_opt *opts, uint32_t n_opts, const uint32_t *devs,
                    uint32_t n_devs, bp_instance **out, bp_err *err)
{
    const bp_opt *label = bp_opt_find(opts, n_opts, "label");
    bp_instance *instance;

    for (uint32_t i = 0; i < n_devs; i++) {
        if (devs[i] != 0)
            return bp_fail(err, BP_E_INVALID, "there is no device %u", (unsigned)devs[i]);
    }
    change_process("create");
    instance = (bp_instance *)host->alloc(host->h, sizeof *instance, ALIGN);
    if (!instance)
        return bp_fail(err, BP_E_NOMEM, "no memory for an instance");
    memset(instance, 0, sizeof *instance);
    bp_copy_in(&instance->host, sizeof instance->host, host);
    instance->cache = 4096;
    instance->text = has("option-text") && label ? label->str : "none";
    *out = instance;
    return BP_OK;
}

static void destroy(bp_instance *instance)
{
    const bp_host host = instance->host;

    host.free(host.h, instance, sizeof *instance, ALIGN);
    change_process("destroy");
}

/* ---- capability ------------------------------------------------------------------------------ */

static const struct {
    const char *op;
    kit_reference reference;
} operators[] = {
    {"Relu", ref_unary},
    {"Tanh", ref_unary},
    {"LeakyRelu", ref_unary},
    {"Add", ref_binary},
    {"Sub", ref_binary},
    {"Mul", ref_binary},
    {"PRelu", ref_prelu},
    {"Clip", ref_clip},
    {"MatMul", ref_matmul},
    {"Gemm", ref_gemm},
    {"Softmax", ref_softmax},
    {"ReduceSum", ref_reduce},
    {"ReduceMean", ref_reduce},
    {"BatchNormalization", ref_batch_norm},
    {"LayerNormalization", ref_layer_norm},
    {"InstanceNormalization", ref_instance_norm},
    {"Conv", ref_conv},
    {"ConvTranspose", ref_conv_transpose},
    {"MaxPool", ref_pool},
    {"AveragePool", ref_pool},
    {"GlobalAveragePool", ref_global_pool},
    {"Flatten", ref_same},
    {"Reshape", ref_same},
    {"Transpose", ref_transpose},
    {"Concat", ref_concat},
    {"Slice", ref_slice},
    {"Gather", ref_gather},
    {"Pad", ref_pad},
    {"Resize", ref_resize},
    {"QuantizeLinear", ref_quantize},
    {"DequantizeLinear", ref_dequantize},
};

/* Does it come channels-last? Only the mock that wants it so takes such nodes. */
static int is_channels_last(const bp_node *node)
{
    return FLAGS & BP_PROVIDER_NHWC && strcmp(node->domain, KIT_CHANNELS_LAST) == 0;
}

static kit_reference reference_of(const bp_node *node)
{
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if ((node->domain[0] == '\0' || is_channels_last(node)) &&
            strcmp(node->op, operators[i].op) == 0)
            return operators[i].reference;
    }
    return NULL;
}

static int is_type(const bp_value *value)
{
    return value->dtype == BP_DTYPE_F32 || value->dtype == BP_DTYPE_I64 ||
           value->dtype == BP_DTYPE_I8 || value->dtype == BP_DTYPE_U8;
}

static int is_rank(const bp_value *value)
{
    return value->rank == BP_RANK_UNKNOWN || value->rank <= KIT_RANK;
}

/* A convolution that would take long, and which it could not stop. */
static int is_long(const bp_graph *g, const bp_node *node)
{
    const bp_value *w = bp_node_in(g, node, 1), *y = bp_node_out(g, node, 0);
    double work = 1;

    if (strncmp(node->op, "Conv", 4) != 0 || !w || w->rank == BP_RANK_UNKNOWN ||
        y->rank == BP_RANK_UNKNOWN)
        return 0;
    for (uint32_t d = 1; d < w->rank; d++)
        work *= (double)w->dims[d].value;
    for (uint32_t d = 0; d < y->rank; d++)
        work *= (double)y->dims[d].value;
    return work > 5e6;
}

/* One reason for all: tests of the kit look at nothing else. */
static const char *refusal(const bp_graph *g, const bp_node *node)
{
    if (!reference_of(node))
        return "not one of its operators";
    if (node->n_in > KIT_PORTS || node->n_attr > KIT_ATTRS || node->n_out != 1)
        return "too many inputs or attributes";
    for (uint32_t i = 0; i < node->n_in; i++) {
        const bp_value *in = bp_node_in(g, node, i);

        if (in && (!is_type(in) || !is_rank(in)))
            return "element type or rank";
        if (has("no-constants") && in && in->flags & BP_VALUE_CONSTANT)
            return "no initializers";
    }
    if (!bp_node_in(g, node, 0) || !is_type(bp_node_out(g, node, 0)) ||
        !is_rank(bp_node_out(g, node, 0)))
        return "the output's type or rank";
    if (is_long(g, node))
        return "it would take too long";
    for (uint32_t a = 0; a < node->n_attr; a++) {
        const bp_attr *attr = BP_ATTR(g, node->first_attr + a);

        if (attr->count > 2 * KIT_RANK || attr->type > BP_ATTR_STRING)
            return "an attribute";
    }
    return NULL;
}

static uint32_t verdict_of(const bp_instance *instance, const bp_graph *g, uint32_t n)
{
    if (has("takes-nothing"))
        return BP_NO;
    if (has("only-in-group"))
        return BP_ONLY_IN_GROUP;
    if ((has("in-group") || has("in-group-wrong")) && strcmp(BP_NODE(g, n)->op, "Tanh") == 0)
        return BP_ONLY_IN_GROUP;
    if (has("remembers") && instance->n_compiled > 0 && strcmp(BP_NODE(g, n)->op, "Tanh") == 0)
        return BP_NO;
    return BP_YES;
}

static void claim(const bp_claims *claims, uint32_t n, uint32_t verdict)
{
    const bp_claim row = {.struct_size = sizeof row, .verdict = verdict};

    claims->node(claims->h, n, &row);
}

static bp_rc capability(bp_instance *instance, const bp_graph *g, const bp_claims *claims,
                        bp_err *err)
{
    volatile uint32_t work = 0;

    (void)err;
    change_process("capability");
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        const char *why = refusal(g, BP_NODE(g, n));

        for (uint32_t i = 0; has("quadratic") && i < 20 * n; i++)
            work = work + i;
        if (!why && verdict_of(instance, g, n) == BP_NO)
            why = "not today";
        if (why)
            bp_refuse(claims, n, BP_R_OTHER, NULL, why);
        else
            claim(claims, n, verdict_of(instance, g, n));
    }
    return BP_OK;
}

/* ---- compile --------------------------------------------------------------------------------- */

/* Terminated copies of texts; they live as long as the process. */
static const char *keep(bp_instance *instance, const bp_span *text)
{
    static char texts[512][32];
    static uint32_t n;
    char *copy = NULL;

    (void)instance;
    for (uint32_t i = 0; i < n; i++) {
        if (strlen(texts[i]) == text->size && memcmp(texts[i], text->data, text->size) == 0)
            return texts[i];
    }
    copy = texts[n < 511 ? n++ : 511];
    memset(copy, 0, sizeof texts[0]);
    memcpy(copy, text->data, text->size < 31 ? text->size : 31);
    return copy;
}

static void read_attrs(bp_instance *instance, const bp_graph *g, const bp_node *node,
                       struct kit_case *c)
{
    for (uint32_t a = 0; a < node->n_attr; a++) {
        const bp_attr *from = BP_ATTR(g, node->first_attr + a);
        struct kit_attr *to = &c->attrs[a];

        to->name = from->name;
        to->type = from->type;
        to->count = from->flags & BP_ATTR_LIST ? from->count : 0;
        if (from->type == BP_ATTR_INT)
            memcpy(to->ints, from->data, from->count * sizeof(int64_t));
        else if (from->type == BP_ATTR_FLOAT)
            to->number = *(const float *)from->data;
        else
            to->text = keep(instance, (const bp_span *)from->data);
    }
}

static struct kit_attr *attr_of(struct kit_case *c, const char *name)
{
    return (struct kit_attr *)(uintptr_t)ref_attr(c, name);
}

static void set_ints(struct kit_case *c, const char *name, int64_t value)
{
    struct kit_attr *attr = attr_of(c, name);

    for (uint32_t i = 0; attr && i < 2 * KIT_RANK; i++)
        attr->ints[i] = value;
}

/* Faults of reading attributes. */
static void plant_attrs(struct kit_case *c)
{
    struct kit_attr *pads = attr_of(c, "pads");

    if (has("no-dilation"))
        set_ints(c, "dilations", 1);
    if (has("swapped-pads") && pads) {
        for (uint32_t i = 0; i < pads->count / 2; i++) {
            int64_t first = pads->ints[i];

            pads->ints[i] = pads->ints[i + pads->count / 2];
            pads->ints[i + pads->count / 2] = first;
        }
    }
    if (has("auto-pad") && ref_text_is(c, "auto_pad", "", "SAME_LOWER"))
        attr_of(c, "auto_pad")->text = "SAME_UPPER";
    if (has("no-count-pads"))
        set_ints(c, "count_include_pad", 0);
    if (has("no-alpha") && attr_of(c, "alpha"))
        attr_of(c, "alpha")->number = 1;
    if (has("no-epsilon") && attr_of(c, "epsilon"))
        attr_of(c, "epsilon")->number = 1e-5F;
    if (has("wrong-axis") && attr_of(c, "axis"))
        attr_of(c, "axis")->ints[0] = -1;
    if (has("resize-mode") && attr_of(c, "coordinate_transformation_mode"))
        attr_of(c, "coordinate_transformation_mode")->text = "asymmetric";
    if (has("pad-mode") && strcmp(c->op, "Pad") == 0)
        attr_of(c, "mode")->text = "constant";
    if (has("wrong-perm") && attr_of(c, "perm"))
        attr_of(c, "perm")->name = "other";
}

struct packing {
    const bp_value *value;
    const unsigned char *data;
    size_t n;
    uint32_t dtype;
    int is_turned;
};

/* The elements of an initializer as doubles; it may lie at any address. */
static bp_rc pack(void *u, void *dst, size_t n, bp_err *err)
{
    const struct packing *p = (const struct packing *)u;
    size_t width = bp_dtype_width(p->dtype) / 8;
    double *to = (double *)dst;

    (void)n;
    (void)err;
    for (size_t i = 0; i < p->n; i++) {
        unsigned char element[8];
        size_t from = p->is_turned ? p->n - 1 - i : i;
        const unsigned char *at = p->data + from * width;

        if (has("aligned-constants"))
            at = (const unsigned char *)((uintptr_t)at / width * width);
        memcpy(element, at, width);
        to[i] = kit_load(p->dtype, element, 0);
    }
    if (has("reads-constants"))
        to[0] += 0 * ((volatile const unsigned char *)p->data)[p->n * width + 3];
    return BP_OK;
}

static int64_t dims_count(const bp_value *value)
{
    int64_t n = 1;

    for (uint32_t d = 0; d < value->rank; d++)
        n *= value->dims[d].value;
    return n;
}

/* A weight is shared by its bytes' number; a fault shares it by its shape, or by its name. */
static bp_rc get_weight(bp_program *program, uint32_t v, bp_err *err)
{
    const bp_host *host = &program->instance->host;
    const bp_value *value = BP_VALUE(program->graph, v);
    struct packing packing = {value, NULL, (size_t)dims_count(value), value->dtype, 0};
    const void *packed = NULL;
    char key[128];
    bp_span span;
    bp_rc rc = host->constant(host->h, program->graph, v, &span, err);

    if (rc < 0)
        return rc;
    packing.data = (const unsigned char *)span.data;
    packing.is_turned = has("weight-order") && value->rank == 2;
    snprintf(key, sizeof key, "%u/%llu/%llu", (unsigned)value->dtype,
             (unsigned long long)value->const_id, (unsigned long long)packing.n);
    if (has("key-of-shape"))
        snprintf(key, sizeof key, "%u/%llu", (unsigned)value->dtype, (unsigned long long)packing.n);
    if (has("key-of-name"))
        snprintf(key, sizeof key, "%s/%llu", value->name, (unsigned long long)packing.n);
    rc = host->weight_get(host->h, key, (packing.n + 1) * sizeof(double), ALIGN, pack, &packing,
                          &packed, err);
    program->weights[v] = (const double *)packed;
    return rc;
}

/* Takes what nothing gives back. */
static void leak(void)
{
    static void *volatile lost;
    static atomic_uint n_lost;

    if (has("leaks-memory"))
        lost = malloc(24);
    if (has("leaks-mapping")) /* the kernel merges neighbours of equal protection */
        lost = mmap(NULL, 8192, atomic_fetch_add(&n_lost, 1) % 2 ? PROT_READ : PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (has("leaks-descriptor"))
        lost = (void *)(intptr_t)open("/dev/null", O_RDONLY | O_CLOEXEC);
    (void)lost;
}

static void program_free(bp_program *program)
{
    const bp_host *host;

    if (!program)
        return;
    host = &program->instance->host;
    for (uint32_t v = 0; program->weights && v < program->graph->n_values; v++) {
        if (program->weights[v] && !has("no-put"))
            host->weight_put(host->h, program->weights[v]);
    }
    host->free(host->h, (void *)program->weights,
               (program->graph->n_values + 1) * sizeof *program->weights, ALIGN);
    host->free(host->h, program, sizeof *program, ALIGN);
    leak();
    change_process("free");
}

static bp_rc fill_program(bp_program *program, const bp_graph *g, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; n < g->n_nodes; n++) {
        const bp_node *node = BP_NODE(g, n);
        struct step *step = &program->steps[n];

        step->c.op = node->op;
        step->c.n_in = node->n_in;
        step->c.reference = reference_of(node);
        step->c.in[0].rank = BP_VALUE(g, node->in[0])->rank;
        if (FLAGS & BP_PROVIDER_NHWC && !is_channels_last(node) && kit_case_has_layout(&step->c))
            return bp_fail(err, BP_E_INTERNAL, "node '%s' is not channels-last", node->name);
        if (is_channels_last(node) && !has("model-layout")) {
            step->c.plain = step->c.reference;
            step->c.reference = ref_channels_last;
        }
        step->out = node->out[0];
        step->c.out.dtype = BP_VALUE(g, node->out[0])->dtype;
        read_attrs(program->instance, g, node, &step->c);
        plant_attrs(&step->c);
        for (uint32_t i = 0; i < node->n_in; i++) {
            step->in[i] = node->in[i];
            if (node->in[i] == BP_NONE)
                step->c.in[i].is_absent = true;
            else
                step->c.in[i].dtype = BP_VALUE(g, node->in[i])->dtype;
        }
    }
    for (uint32_t v = 0; v < g->n_values && rc >= 0; v++) {
        if (BP_VALUE(g, v)->flags & BP_VALUE_CONSTANT)
            rc = get_weight(program, v, err);
    }
    return rc;
}

static bp_rc compile(bp_instance *instance, const bp_graph *g, const bp_compile *how,
                     bp_program **out, bp_err *err)
{
    const bp_host *host = &instance->host;
    bp_program *program;
    bp_rc rc;

    (void)how;
    change_process("compile");
    if (g->n_nodes > MAX_NODES)
        return bp_fail(err, BP_E_UNSUPPORTED, "%u nodes", (unsigned)g->n_nodes);
    if (has("compile-fails") && strcmp(BP_NODE(g, 0)->op, "Resize") == 0)
        return bp_fail(err, BP_E_UNSUPPORTED, "no Resize after all");
    program = (bp_program *)host->alloc(host->h, sizeof *program, ALIGN);
    if (!program)
        return bp_fail(err, BP_E_NOMEM, "no memory for a program");
    memset(program, 0, sizeof *program);
    program->instance = instance;
    program->graph = g;
    program->n_steps = g->n_nodes;
    program->weights =
        (const double **)host->alloc(host->h, (g->n_values + 1) * sizeof *program->weights, ALIGN);
    if (!program->weights) {
        program_free(program);
        return bp_fail(err, BP_E_NOMEM, "no memory for weights");
    }
    memset((void *)program->weights, 0, (g->n_values + 1) * sizeof *program->weights);
    rc = fill_program(program, g, err);
    if (rc < 0) {
        program_free(program);
        return rc;
    }
    instance->n_compiled++;
    *out = program;
    return BP_OK;
}

/* ---- frame ----------------------------------------------------------------------------------- */

static void frame_free(bp_frame *frame)
{
    const bp_host *host;
    size_t n;

    if (!frame)
        return;
    host = &frame->program->instance->host;
    n = frame->program->graph->n_values + 1;
    host->free(host->h, frame->offsets, n * sizeof *frame->offsets, ALIGN);
    host->free(host->h, frame->counts, n * sizeof *frame->counts, ALIGN);
    host->free(host->h, frame, sizeof *frame, ALIGN);
}

static bp_rc set_port(const bp_frame_desc *desc, uint32_t v, struct kit_port *port, bp_err *err)
{
    const bp_shape *shape = &desc->shapes[v];

    if (shape->rank > KIT_RANK)
        return bp_fail(err, BP_E_SHAPE, "a rank above %d", KIT_RANK);
    port->rank = shape->rank;
    memcpy(port->dims, shape->dims, shape->rank * sizeof *shape->dims);
    return BP_OK;
}

static size_t last_channels; /* of the fault "global" */

static bp_rc set_sizes(bp_frame *frame, bp_frame_needs *needs, bp_err *err)
{
    const bp_graph *g = frame->program->graph;
    bp_rc rc = BP_OK;

    for (uint32_t v = 0; v < g->n_values && rc >= 0; v++) {
        struct kit_port port = {0};

        rc = set_port(frame->desc, v, &port, err);
        frame->counts[v] = kit_count(&port);
        frame->offsets[v] = needs->scratch_bytes;
        needs->scratch_bytes += (frame->counts[v] + 1) * sizeof(double);
    }
    frame->offsets[g->n_values] = needs->scratch_bytes;
    needs->scratch_bytes += sizeof(double);
    for (uint32_t s = 0; s < frame->program->n_steps && rc >= 0; s++) {
        struct step *step = &frame->steps[s];

        *step = frame->program->steps[s];
        rc = set_port(frame->desc, step->out, &step->c.out, err);
        for (uint32_t i = 0; i < step->c.n_in && rc >= 0; i++) {
            if (step->in[i] != BP_NONE)
                rc = set_port(frame->desc, step->in[i], &step->c.in[i], err);
        }
        last_channels = kit_count(&step->c.out);
        if (has("shape-of-count") && frame->program->first_count == last_channels)
            step->c.out = frame->program->first_out; /* of the frame that had as many elements */
        frame->program->first_count = last_channels;
        frame->program->first_out = step->c.out;
        step->buffer = needs->scratch_bytes;
        if (step->c.plain)
            needs->scratch_bytes += (kit_count(&step->c.in[0]) + last_channels) * sizeof(double);
    }
    needs->scratch_align = ALIGN;
    if (has("small-needs"))
        needs->scratch_bytes = frame->offsets[g->n_values - 1];
    return rc;
}

static bp_rc frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                          bp_frame **out, bp_err *err)
{
    const bp_host *host = &program->instance->host;
    size_t n = program->graph->n_values + 1;
    bp_frame *frame = (bp_frame *)host->alloc(host->h, sizeof *frame, ALIGN);
    bp_rc rc;

    change_process("frame");
    if (!frame)
        return bp_fail(err, BP_E_NOMEM, "no memory for a frame");
    memset(frame, 0, sizeof *frame);
    frame->program = program;
    frame->desc = desc;
    frame->offsets = (size_t *)host->alloc(host->h, n * sizeof *frame->offsets, ALIGN);
    frame->counts = (size_t *)host->alloc(host->h, n * sizeof *frame->counts, ALIGN);
    rc = frame->offsets && frame->counts ? set_sizes(frame, needs, err)
                                         : bp_fail(err, BP_E_NOMEM, "no memory for a frame");
    if (rc < 0) {
        frame_free(frame);
        return rc;
    }
    if (has("writes-description"))
        desc->in[0].dims[0] += 0, desc->in[0].bytes = 1;
    *out = frame;
    return BP_OK;
}

/* ---- execute --------------------------------------------------------------------------------- */

static double *at_scratch(const bp_frame *frame, size_t offset)
{
    return (double *)(void *)((char *)frame->desc->scratch + frame->desc->scratch_offset + offset);
}

static double *elements(const bp_frame *frame, uint32_t v)
{
    return at_scratch(frame, frame->offsets[v]);
}

/* A part of the output, for the host's threads. */
struct storing {
    const bp_tensor *to;
    const double *from;
    size_t n;
    uint32_t n_chunks;
};

static void store_chunk(void *u, uint32_t i, uint32_t worker)
{
    const struct storing *s = (const struct storing *)u;
    size_t first, end;

    if (has("worker"))
        i = worker % s->n_chunks;
    if (has("races")) { /* a place that all workers share */
        static volatile uint32_t shared;
        const struct timespec moment = {0, 50000};

        shared = i;
        nanosleep(&moment, NULL);
        i = shared;
    }
    first = s->n * i / s->n_chunks;
    end = s->n * (i + 1) / s->n_chunks;
    for (size_t k = first; k < end; k++)
        kit_store(s->to->dtype, bp_tensor_data(s->to), k, s->from[k]);
}

/* What comes out wrong for some sizes only. */
static void plant_sizes(const struct step *step, double *out)
{
    const struct kit_port *port = &step->c.out;
    size_t n = kit_count(port);

    if (has("large") && n * 4 > (size_t)1 << 20)
        out[n - 1] = 0.125;
    if (has("batch") && port->rank == 4 && port->dims[0] > 1)
        out[n - 1] = out[n / 2 - 1];
    if (has("tail") && port->rank == 4 && port->dims[1] > 4 && port->dims[1] % 4)
        out[n - 1] = 0.125;
    if (has("global") && last_channels != n && n > 0)
        out[0] = 0.125;
}

/* Row by row, or part by part, so that a run can be stopped; where the operator allows it. */
static bp_rc compute(const struct step *step, const double *const *in, double *out,
                     const bp_run *run, bp_err *err)
{
    struct kit_case part = step->c;
    size_t n = kit_count(&part.out), each = CHUNK;

    if (n == 0)
        return BP_OK;
    if (strcmp(part.op, "MatMul") == 0 && part.in[0].rank == 2 && part.in[1].rank == 2)
        each = (size_t)part.in[1].dims[1];
    else if (part.reference != ref_unary) {
        part.reference(&part, in, out);
        return BP_OK;
    }
    for (size_t at = 0; at < n; at += each) {
        const double *from[KIT_PORTS] = {NULL};
        struct timespec now;

        from[0] = part.reference == ref_unary ? in[0] + at
                                              : in[0] + at / each * (size_t)part.in[0].dims[1];
        from[1] = part.n_in > 1 ? in[1] : NULL;
        if (part.reference == ref_unary) {
            part.out.rank = 1;
            part.out.dims[0] = (int64_t)(n - at < each ? n - at : each);
        } else {
            part.in[0].dims[0] = part.out.dims[0] = 1;
        }
        part.reference(&part, from, out + at);
        if (bp_is_cancelled(run->cancel) && !has("no-cancel"))
            return bp_fail(err, BP_E_CANCELLED, "cancelled");
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (run->deadline_ns && !has("no-deadline") &&
            now.tv_sec * 1000000000LL + now.tv_nsec > run->deadline_ns)
            return bp_fail(err, BP_E_TIMEOUT, "past the deadline");
    }
    return BP_OK;
}

static void load_inputs(bp_frame *frame)
{
    const bp_graph *g = frame->program->graph;
    const bp_frame_desc *desc = frame->desc;

    for (uint32_t i = 0; i < desc->n_in; i++) {
        const bp_tensor *tensor = &desc->in[i];
        double *to = elements(frame, g->inputs[i]);
        unsigned char *data = (unsigned char *)bp_tensor_data(tensor);

        for (size_t k = 0; k < frame->counts[g->inputs[i]]; k++)
            to[k] = kit_load(tensor->dtype, data, k);
        if (has("reads-past") && tensor->bytes >= 16)
            to[0] += 0 * ((volatile unsigned char *)data)[tensor->bytes + 15];
        if (has("reads-before") && tensor->bytes >= 16)
            to[0] += 0 * ((volatile unsigned char *)data)[-4];
        if (has("writes-input") && tensor->bytes > 0) {
            unsigned char first = data[0];

            ((volatile unsigned char *)data)[0] = (unsigned char)~first;
            ((volatile unsigned char *)data)[0] = first; /* and put back */
        }
    }
}

static bp_rc run_step(bp_frame *frame, const struct step *step, const bp_run *run, bp_err *err)
{
    const double *in[KIT_PORTS] = {NULL};
    double *out = elements(frame, step->out);
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < step->c.n_in; i++) {
        if (step->in[i] == BP_NONE)
            continue;
        in[i] = frame->program->weights[step->in[i]];
        if (!in[i])
            in[i] = elements(frame, step->in[i]);
        else if (has("writes-weight"))
            ((volatile double *)(uintptr_t)in[i])[0] = in[i][0];
    }
    if (has("zero-point") && step->c.reference == ref_dequantize)
        in[2] = NULL;
    if (has("no-slope") && step->c.reference == ref_prelu)
        in[1] = in[0];
    if (step->c.plain)
        ref_channels_last_in(&step->c, in, out, at_scratch(frame, step->buffer));
    else
        rc = compute(step, in, out, run, err);
    plant_sizes(step, out);
    if (has("in-group-wrong") && strcmp(step->c.op, "Tanh") == 0)
        out[0] += 1;
    return rc;
}

/* Faults of what is kept from run to run. */
static bool keeps_the_last(bp_frame *frame, const bp_run *run)
{
    bool is_same = frame->n_runs > 0 && run->io_epoch == frame->last_epoch;

    frame->last_epoch = run->io_epoch;
    frame->n_runs++;
    return has("reuses-results") && is_same;
}

static bp_rc execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    const bp_graph *g = frame->program->graph;
    const bp_host *host = &frame->program->instance->host;
    static double *shared; /* a place that all programs share */
    uint32_t n_before = frame->n_runs;

    change_process("execute");
    if (bp_is_cancelled(run->cancel) && !has("no-cancel"))
        return bp_fail(err, BP_E_CANCELLED, "cancelled");
    if (frame->program->instance->is_broken)
        return bp_fail(err, BP_E_INTERNAL, "what the frame used is gone");
    if (keeps_the_last(frame, run))
        return BP_OK;
    load_inputs(frame);
    if (has("trusts-scratch") && n_before == 0)
        elements(frame, g->n_values)[0] = 1; /* "prepared", once */
    if (has("trusts-scratch") && !(elements(frame, g->n_values)[0] > 0.5))
        return bp_fail(err, BP_E_INTERNAL, "what was prepared is gone");
    if (has("shared-place")) {
        const struct timespec moment = {0, 50000};

        shared = elements(frame, g->inputs[0]);
        nanosleep(&moment, NULL);
        elements(frame, g->inputs[0])[0] = shared[0];
    }
    if (has("option-text")) {
        volatile char first = frame->program->instance->text[0];

        (void)first;
    }
    for (uint32_t s = 0; s < frame->program->n_steps; s++) {
        bp_rc rc = run_step(frame, &frame->steps[s], run, err);

        if (rc < 0)
            return rc;
    }
    for (uint32_t i = 0; i < frame->desc->n_out; i++) {
        uint32_t v = g->outputs[i];
        struct storing s = {&frame->desc->out[i], elements(frame, v), frame->counts[v],
                            frame->counts[v] < 4 ? 1 : 4};

        if (s.n > 0)
            host->parallel_for(host->h, s.n_chunks, store_chunk, &s);
    }
    return BP_OK;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* ---- what it says that it holds -------------------------------------------------------------- */

static bp_rc count_memory(bp_instance *instance, bp_instance_memory *out, bp_err *err)
{
    (void)err;
    out->host_caches = instance->cache;
    if (has("memory-changes"))
        out->host_weights = ++instance->n_asked_memory;
    if (has("memory-size"))
        out->struct_size = sizeof *out + 8;
    if (has("memory-long"))
        memset((char *)out + sizeof *out, 0, 8);
    return BP_OK;
}

static void trim(bp_instance *instance)
{
    instance->cache = has("trim-grows") ? instance->cache * 2 : 0;
    if (has("trim-breaks"))
        instance->is_broken = 1;
}

static const bp_provider provider = {
    .struct_size = sizeof(bp_provider),
    .flags = FLAGS,
    .id = "org.backplane." MOCK_NAME,
    .name = MOCK_NAME,
    .version = "0.1",
    .vendor = "Backplane's tests",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .option_stride = sizeof(bp_option),
    .is_available = is_available,
    .create = create,
    .destroy = destroy,
    .capability = capability,
    .compile = compile,
    .program_free = program_free,
    .frame_create = frame_create,
    .frame_free = frame_free,
    .execute = execute,
    .memory = count_memory,
    .trim = trim,
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

BP_MANIFEST("id=org.backplane." MOCK_NAME "\n"
            "name=" MOCK_NAME "\n"
            "version=0.1");

BP_EXPORT bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);
bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err)
{
    bp_rc rc = bp_host_check(host, MOCK_NAME, err);

    if (rc >= 0)
        *out = &module;
    return rc;
}
