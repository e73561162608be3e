/* SPDX-License-Identifier: MIT */
/*
 * gizmo.c - a provider that computes in memory of its own, on the simulated accelerator of bp/sim.h:
 * six operators for float32, with constants in device memory. Built as "gizmo", whose work goes into
 * streams; with HAS_RUN_EVENTS as "sprocket", whose execute records the event of its end itself; with
 * IS_EXCLUSIVE as "trinket", whose frames are exclusive and whose streams do not wait for others; and
 * with IS_PROMPT as "widget", which has no streams: each of its calls returns when all is done.
 */

#include "gizmo.h"

#include <stdlib.h>

#ifdef IS_PROMPT
#define NAME "widget"
#elif defined(IS_EXCLUSIVE)
#define NAME "trinket"
#elif defined(HAS_RUN_EVENTS)
#define NAME "sprocket"
#else
#define NAME "gizmo"
#endif

#if !defined(IS_PROMPT) && !defined(IS_EXCLUSIVE)
#define IS_DIRECT                                                                                  \
    1 /* copies between devices, and streams that wait for each other and for others */
#else
#define IS_DIRECT 0
#endif

struct mock_counters gizmo_counters;

/* ---- instance -------------------------------------------------------------------------------- */

static const char *const faults[BP_SIM_CALLS] = {"none",  "alloc",  "copy",  "stream",
                                                 "event", "record", "wait",  "launch",
                                                 "late",  "order",  "notify"};

static const bp_option options[] = {
    {sizeof(bp_option), 0, BP_OPT_STRING, 0, "take", "operators to take, with commas between",
     "Relu,Add,Mul,MatMul,Reshape,NonZero", NULL, 0, 0},
    {sizeof(bp_option), 0, BP_OPT_BOOL, 0, "lazy", "streams work when somebody waits", "true", NULL,
     0, 0},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "memory", "device memory in bytes", "64M", NULL, 0, 0},
    {sizeof(bp_option), 0, BP_OPT_CHOICE, BP_SIM_CALLS, "fail", "kind of call that fails", "none",
     faults, 0, 0},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "fail_at", "which of them, from 1; 0: all", "0", NULL, 0,
     0},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "out_space", "memory space of outputs", "1", NULL, 1, 9},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "launch_ns", "price of a copy or kernel in nanoseconds",
     "0", NULL, 0, 1e9},
    {sizeof(bp_option), 0, BP_OPT_STRING, 0, "second",
     "operators for the second device, with commas between", "", NULL, 0, 0},
    {sizeof(bp_option), 0, BP_OPT_BOOL, 0, "in_place",
     "groups of one elementwise node may write where they read", "false", NULL, 0, 0},
};

enum {
    OPT_TAKE,
    OPT_LAZY,
    OPT_MEMORY,
    OPT_FAIL,
    OPT_FAIL_AT,
    OPT_OUT_SPACE,
    OPT_LAUNCH_NS,
    OPT_SECOND,
    OPT_IN_PLACE,
    N_OPTIONS
};

enum { N_SPACES = 2 };

bp_rc gizmo_broke(bp_err *err, const char *calling)
{
    return bp_fail(err, BP_E_DEVICE_LOST, "the accelerator is gone: its %s failed", calling);
}

static void destroy(bp_instance *instance)
{
    for (uint32_t d = 0; d < instance->n_devices; d++)
        bp_sim_close(instance->devices[d]);
    free(instance->second);
    free(instance->take);
    free(instance);
    atomic_fetch_sub(&gizmo_counters.instances, 1);
}

static char *copy_text(const char *text)
{
    char *copy = (char *)malloc(strlen(text) + 1);

    if (copy)
        memcpy(copy, text, strlen(text) + 1);
    return copy;
}

/* All devices unless some were chosen; what fails, fails on the first. */
static int open_devices(bp_instance *instance, bp_sim_options sim, uint32_t n_devs)
{
    uint32_t n = n_devs ? n_devs : N_DEVICES;

    while (instance->n_devices < n && n <= N_DEVICES) {
        bp_sim_device *device = bp_sim_open(&sim);

        if (!device)
            return 0;
        instance->devices[instance->n_devices++] = device;
        sim.fail = BP_SIM_NONE;
    }
    return n <= N_DEVICES;
}

static bp_rc create(const bp_host *host, const bp_opt *opts, uint32_t n_opts, const uint32_t *devs,
                    uint32_t n_devs, bp_instance **out, bp_err *err)
{
    bp_instance *instance = (bp_instance *)calloc(1, sizeof *instance);
    bp_sim_options sim;

    if (!instance)
        return bp_fail(err, BP_E_NOMEM, "no memory for an instance");
    for (uint32_t i = 0; i < n_devs; i++) {
        if (devs[i] < N_DEVICES)
            continue;
        free(instance);
        return bp_fail(err, BP_E_INVALID, "there is no device %u", devs[i]);
    }
    atomic_fetch_add(&gizmo_counters.instances, 1);
    sim = (bp_sim_options){
        .memory = (uint64_t)opts[OPT_MEMORY].i,
        .fail = (uint32_t)opts[OPT_FAIL].i,
        .fail_at = (uint64_t)opts[OPT_FAIL_AT].i,
        .flags = opts[OPT_LAZY].i ? BP_SIM_LAZY : 0,
        .launch_ns = opts[OPT_LAUNCH_NS].i,
    };
    instance->host = host;
    instance->out_space = (uint32_t)opts[OPT_OUT_SPACE].i;
    instance->in_place = opts[OPT_IN_PLACE].i != 0;
    instance->take = copy_text(opts[OPT_TAKE].str);
    instance->second = copy_text(opts[OPT_SECOND].str);
    if (!instance->take || !instance->second || n_opts != N_OPTIONS ||
        !open_devices(instance, sim, n_devs)) {
        destroy(instance);
        return bp_fail(err, BP_E_NOMEM, "no memory for an instance");
    }
    *out = instance;
    return BP_OK;
}

static bp_rc is_available(const bp_host *host, bp_avail *out, bp_err *err)
{
    (void)host;
    (void)err;
    out->state = BP_AVAIL_YES;
    out->n_devices = N_DEVICES;
    return BP_OK;
}

static bp_rc device(const bp_host *host, uint32_t i, bp_device *out, bp_err *err)
{
    (void)host;
    if (i >= N_DEVICES)
        return bp_fail(err, BP_E_INVALID, "there is no device %u", i);
    out->kind = BP_DEVICE_NPU;
    out->spaces = N_SPACES;
    out->id = i ? NAME "1" : NAME "0";
    out->name = "Simulated accelerator";
    out->driver = "1.0";
    out->h2d_gbps = out->d2h_gbps = 8;
    return BP_OK;
}

/* ---- capability ------------------------------------------------------------------------------ */

enum op gizmo_op(const bp_node *node)
{
    static const char *const names[OP_NONE] = {"Relu",   "Add",     "Mul",
                                               "MatMul", "Reshape", "NonZero"};

    for (int op = 0; op < OP_NONE; op++) {
        if (node->domain[0] == '\0' && strcmp(node->op, names[op]) == 0)
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

static int same_dims(const bp_value *a, const bp_value *b)
{
    if (a->rank == BP_RANK_UNKNOWN || a->rank != b->rank)
        return 0;
    for (uint32_t i = 0; i < a->rank; i++) {
        const bp_dim *x = &a->dims[i], *y = &b->dims[i];

        if (x->value >= 0 ? x->value != y->value : !x->symbol || x->symbol != y->symbol)
            return 0;
    }
    return 1;
}

/* On the first device, unless the second is there and the option `second` has the operator. */
static void accept(const bp_instance *instance, const bp_claims *claims, uint32_t n, const char *op)
{
    bp_claim claim = {.struct_size = sizeof claim, .verdict = BP_YES};

    claim.device = instance->n_devices > 1 && is_listed(instance->second, op);
    claims->node(claims->h, n, &claim);
}

static void give_verdict(const bp_instance *instance, const bp_graph *g, const bp_claims *claims,
                         uint32_t n)
{
    const bp_node *node = BP_NODE(g, n);
    enum op op = gizmo_op(node);
    const bp_value *a = bp_node_in(g, node, 0), *b = bp_node_in(g, node, 1);

    if (op == OP_NONE || !is_listed(instance->take, node->op))
        bp_refuse(claims, n, BP_R_OP, node->op, "not one of those in 'take'");
    else if (a->dtype != BP_DTYPE_F32)
        bp_refuse(claims, n, BP_R_DTYPE, NULL, "takes float32 only");
    else if ((op == OP_ADD || op == OP_MUL) && a != b && !same_dims(a, b))
        bp_refuse(claims, n, BP_R_RANK, NULL, "shapes have to be equal");
    else if (a->rank == BP_RANK_UNKNOWN || a->rank > 4)
        bp_refuse(claims, n, BP_R_RANK, NULL, "takes rank 0 to 4");
    else if (op == OP_MATMUL && (a->rank != 2 || b->rank != 2))
        bp_refuse(claims, n, BP_R_RANK, NULL, "takes rank 2 only");
    else
        accept(instance, claims, n, node->op);
}

static bp_rc capability(bp_instance *instance, const bp_graph *g, const bp_claims *claims,
                        bp_err *err)
{
    (void)err;
    for (uint32_t n = 0; n < g->n_nodes; n++)
        give_verdict(instance, g, claims, n);
    return BP_OK;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bp_rc dev_alloc(bp_instance *instance, uint32_t dev, uint32_t space, size_t n, size_t align,
                       void **base, bp_err *err)
{
    void *handle;

    if (dev >= instance->n_devices || space == 0 || space > N_SPACES || n == 0 ||
        (align & (align - 1)) || align > 4096)
        return bp_fail(err, BP_E_INTERNAL, "device %u, space %u, %zu bytes at %zu", dev, space, n,
                       align);
    handle = bp_sim_alloc(instance->devices[dev], n);
    if (!handle)
        return bp_fail(err, BP_E_NOMEM, "the accelerator has no %zu bytes", n);
    *base = handle;
    return BP_OK;
}

static void dev_free(bp_instance *instance, uint32_t dev, uint32_t space, void *base)
{
    (void)space;
    bp_sim_free(instance->devices[dev], base);
}

/* From device to device; only gizmo tells the host that it can. */
static int exchange(bp_instance *instance, const bp_tensor *dst, const bp_tensor *src,
                    bp_sim_stream *stream)
{
    bp_sim_ref to = {dst->base, dst->offset, dst->bytes},
               from = {src->base, src->offset, src->bytes};

    return !IS_DIRECT || dst->device >= instance->n_devices || src->device >= instance->n_devices ||
           bp_sim_exchange(instance->devices[dst->device], stream, to,
                           instance->devices[src->device], from);
}

static bp_rc dev_copy(bp_instance *instance, const bp_copy *rows, uint32_t n, void *stream,
                      bp_err *err)
{
    for (uint32_t i = 0; i < n; i++) {
        const bp_tensor *dst = rows[i].dst, *src = rows[i].src;
        int is_up = dst->space != BP_SPACE_HOST;
        const bp_tensor *own = is_up ? dst : src;
        bp_sim_ref ref = {own->base, own->offset, own->bytes};
        bp_sim_device *device;
        int failed;

        if (dst->space != BP_SPACE_HOST && src->space != BP_SPACE_HOST) {
            if (exchange(instance, dst, src, (bp_sim_stream *)stream))
                return gizmo_broke(err, "copy");
            continue;
        }

        if ((src->space != BP_SPACE_HOST) == is_up || own->space > N_SPACES ||
            own->device >= instance->n_devices || (is_up ? src : dst)->device != 0 ||
            dst->bytes != src->bytes || dst->bytes == 0 || own->offset % 256 != 0)
            return bp_fail(err, BP_E_INTERNAL, "a copy of %zu bytes from space %u to %u",
                           src->bytes, src->space, dst->space);
        device = instance->devices[own->device];
        if (is_up)
            failed = bp_sim_upload(device, (bp_sim_stream *)stream, ref, bp_tensor_data(src));
        else
            failed = bp_sim_download(device, (bp_sim_stream *)stream, bp_tensor_data(dst), ref);
        if (failed)
            return gizmo_broke(err, "copy");
    }
    return BP_OK;
}

/* ---- streams --------------------------------------------------------------------------------- */

#ifndef IS_PROMPT
static bp_rc stream_create(bp_instance *instance, uint32_t dev, uint32_t flags, void **out,
                           bp_err *err)
{
    bp_sim_stream *stream =
        dev < instance->n_devices && !flags ? bp_sim_stream_create(instance->devices[dev]) : NULL;

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

/* A call that is due; fn NULL: none. */
struct notice {
    _Atomic(void (*)(void *u, bp_rc rc)) fn;
    void *u;
};

/* One of the two, and who is to be told of the first. */
struct event {
    bp_sim_event *recorded;
    bp_sim_manual_event *manual;
    struct notice notices[4];
};

static void event_destroy(bp_instance *instance, void *e)
{
    struct event *event = (struct event *)e;

    (void)instance;
    if (event->recorded)
        bp_sim_event_destroy(event->recorded);
    if (event->manual)
        bp_sim_manual_destroy(event->manual);
    free(event);
}

static bp_rc event_create(bp_instance *instance, uint32_t dev, uint32_t flags, void **out,
                          bp_err *err)
{
    struct event *event = (struct event *)calloc(1, sizeof *event);

    if (event && dev < instance->n_devices && flags & BP_EVENT_MANUAL)
        event->manual = bp_sim_manual_create(instance->devices[dev]);
    else if (event && dev < instance->n_devices)
        event->recorded = bp_sim_event_create(instance->devices[dev]);
    if (!event || (!event->manual && !event->recorded)) {
        free(event);
        return bp_fail(err, BP_E_NOMEM, "no memory for an event");
    }
    *out = event;
    return BP_OK;
}

static bp_rc event_record(bp_instance *instance, void *stream, void *event, bp_err *err)
{
    (void)instance;
    if (bp_sim_record((bp_sim_stream *)stream, ((struct event *)event)->recorded))
        return gizmo_broke(err, "record");
    return BP_OK;
}

#if IS_DIRECT
static bp_rc stream_wait(bp_instance *instance, void *stream, void *e, bp_err *err)
{
    const struct event *event = (const struct event *)e;
    int failed = event->manual ? bp_sim_manual_wait((bp_sim_stream *)stream, event->manual)
                               : bp_sim_stream_wait((bp_sim_stream *)stream, event->recorded);

    (void)instance;
    return failed ? gizmo_broke(err, "order") : BP_OK;
}

#if IS_DIRECT
/* After the call the event may be gone. */
static void notified(void *u, int failed)
{
    struct notice *notice = (struct notice *)u;
    void *of = notice->u;
    void (*fn)(void *u, bp_rc rc) = atomic_exchange(&notice->fn, NULL);

    fn(of, failed ? BP_E_DEVICE_LOST : BP_OK);
}

static bp_rc event_notify(bp_instance *instance, void *event, void (*fn)(void *u, bp_rc rc),
                          void *u, bp_err *err)
{
    struct notice *notice = ((struct event *)event)->notices;

    (void)instance;
    for (int i = 0; i < 3 && atomic_load(&notice->fn); i++)
        notice++;
    if (atomic_load(&notice->fn))
        return bp_fail(err, BP_E_BUSY, "more than 4 wait for an event");
    notice->u = u;
    atomic_store(&notice->fn, fn);
    if (bp_sim_notify(((struct event *)event)->recorded, notified, notice)) {
        atomic_store(&notice->fn, NULL);
        return gizmo_broke(err, "notify");
    }
    return BP_OK;
}

static void event_signal(bp_instance *instance, void *event, bp_rc rc)
{
    (void)instance;
    bp_sim_manual_signal(((struct event *)event)->manual, rc < 0);
}
#endif

#ifdef HAS_RUN_EVENTS
/* What gizmo_execute() does before and after a run's work. */
bp_rc gizmo_begin_run(bp_instance *instance, const bp_run *run, bp_err *err)
{
    return run->wait_event ? stream_wait(instance, run->stream, run->wait_event, err) : BP_OK;
}

bp_rc gizmo_end_run(bp_instance *instance, const bp_run *run, bp_err *err)
{
    if (!run->signal_event)
        return BP_OK;
    atomic_fetch_add(&gizmo_counters.signals, 1);
    return event_record(instance, run->stream, run->signal_event, err);
}
#endif
#endif

static bp_rc event_wait(bp_instance *instance, void *event, int64_t timeout_ns, bp_err *err)
{
    int result = bp_sim_wait(((struct event *)event)->recorded, timeout_ns);

    (void)instance;
    if (result > 0)
        return bp_fail(err, BP_E_TIMEOUT, "the stream is not so far");
    return result < 0 ? gizmo_broke(err, "stream") : BP_OK;
}
#endif

/* ---- the tables ------------------------------------------------------------------------------ */

static const void *extension(const char *id)
{
    if (strcmp(id, MOCK_SIM_ID) == 0)
        return bp_sim_counters_get();
    return strcmp(id, MOCK_COUNTERS_ID) == 0 ? &gizmo_counters : NULL;
}

static const bp_device_ops dev = {
    .struct_size = sizeof(bp_device_ops),
    .alloc = dev_alloc,
    .free = dev_free,
    .copy = dev_copy,
#ifndef IS_PROMPT
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
#if IS_DIRECT
    .flags = BP_DEV_COPY_DIRECT,
    .stream_wait = stream_wait,
    .event_notify = event_notify,
    .event_signal = event_signal,
#endif
    .event_wait = event_wait,
#endif
};

BP_MANIFEST("id=org.backplane." NAME "\n"
            "name=" NAME "\n"
            "version=1.2.3\n"
            "license=MIT");

static const bp_provider provider = {
    .struct_size = sizeof(bp_provider),
#ifdef IS_EXCLUSIVE
    .flags = BP_PROVIDER_UNINTERRUPTIBLE,
#elif defined(HAS_RUN_EVENTS)
    .flags = BP_PROVIDER_CONCURRENT_FRAMES | BP_PROVIDER_UNINTERRUPTIBLE | BP_PROVIDER_RUN_EVENTS,
#else
    .flags = BP_PROVIDER_CONCURRENT_FRAMES | BP_PROVIDER_UNINTERRUPTIBLE,
#endif
    .id = "org.backplane." NAME,
    .name = NAME,
    .version = "1.2.3",
    .vendor = "Backplane's tests",
    .options = options,
    .n_options = N_OPTIONS,
    .option_stride = sizeof(bp_option),
    .dev = &dev,
    .is_available = is_available,
    .device = device,
    .create = create,
    .destroy = destroy,
    .capability = capability,
    .compile = gizmo_compile,
    .program_free = gizmo_program_free,
    .frame_create = gizmo_frame_create,
    .frame_free = gizmo_frame_free,
    .execute = gizmo_execute,
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

BP_EXPORT bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);
BP_EXPORT bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err)
{
    bp_rc rc = bp_host_check(host, NAME, err);

    if (rc >= 0)
        *out = &module;
    return rc;
}
