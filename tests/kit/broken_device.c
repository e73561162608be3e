/* SPDX-License-Identifier: MIT */
/*
 * broken_device.c - the mock "gizmo", which has memory of its own, with one fault, chosen by
 * -DBREAK=DEVICE_02_SIZE: a fault that the kit's test BPK-DEVICE-02 is there to catch. The faults stand
 * before gizmo's own slots. tests/kit/broken.sh builds them.
 */

#define bp_provider_entry_v1 gizmo_entry
#include "../mock/gizmo.c"
#undef bp_provider_entry_v1

#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum fault {
    NOTHING,
    RUN_10,
    LIFE_09,
    LIFE_10,
    DEVICE_01,
    DEVICE_02,        /* a row's offset on the device is not heeded, */
    DEVICE_02_HOST,   /* nor that in host memory */
    DEVICE_02_SIZE,   /* the last bytes of a row are not copied */
    DEVICE_02_MORE,   /* bytes after a row are copied, too */
    DEVICE_02_STREAM, /* copies to the device are made at once, not in the stream */
    DEVICE_02_OTHER,  /* copies from the device go into another stream */
    DEVICE_03,        /* execute does not wait for what is in the stream */
    DEVICE_03_PAST,   /* a kernel writes past an output */
    DEVICE_04,
    DEVICE_05,         /* a wait with a limit never sees the event */
    DEVICE_05_NO_WAIT, /* a wait returns at once */
    DEVICE_05_FOREVER, /* a wait without a limit does not return */
    DEVICE_06,
    DEVICE_07,
    DEVICE_08,       /* event_wait returns no failure, */
    DEVICE_08_SLICE, /* or none if it has a limit, */
    DEVICE_08_COPY,  /* or a copy without a stream returns none */
    DEVICE_08_TIME,  /* a failure looks like a run that was stopped */
    DEVICE_08_WORDS, /* a failure has no words */
    DEVICE_09,       /* streams do not wait for each other */
    DEVICE_10,       /* event_signal's failure is lost */
    DEVICE_10_EARLY, /* a stream does not wait for an event that the host fires */
    DEVICE_10_LIMIT, /* event_wait does not heed its limit */
    DEVICE_11,       /* fn is called at once, */
    DEVICE_11_RC,    /* or with BP_OK for a failure, */
    DEVICE_11_NEVER, /* or not at all */
    DEVICE_11_TWICE
};

static bp_sim_device *last_device; /* that memory was asked of */

/* ---- memory ---------------------------------------------------------------------------------- */

static bp_rc broken_alloc(bp_instance *instance, uint32_t d, uint32_t space, size_t n, size_t align,
                          void **base, bp_err *err)
{
    bp_rc rc = dev_alloc(instance, d, space, n, align, base, err);

    last_device = instance->devices[d];
    if (BREAK == LIFE_10 && rc == BP_E_NOMEM && n < (size_t)1 << 40)
        return BP_E_INTERNAL;
    return BREAK == DEVICE_06 && rc == BP_E_NOMEM ? BP_E_INTERNAL : rc;
}

static bp_rc broken_event_create(bp_instance *instance, uint32_t d, uint32_t flags, void **out,
                                 bp_err *err)
{
    bp_rc rc = event_create(instance, d, flags, out, err);

    return BREAK == LIFE_09 && rc == BP_E_NOMEM ? BP_E_BUSY : rc;
}

static void *last_read; /* host memory that a stream was to fill last */

/* A row of a copy, with the faults. */
static bp_rc copy_row(bp_instance *instance, const bp_copy *row, const bp_copy *first, void *stream,
                      bp_err *err)
{
    static void *other_stream;
    bp_tensor dst = *row->dst, src = *row->src;
    bp_copy copy = {&dst, &src};
    int is_up = dst.space != BP_SPACE_HOST;
    bp_rc rc;

    if (BREAK == DEVICE_02 && is_up)
        dst.offset = first->dst->offset;
    if (BREAK == DEVICE_02_HOST && !is_up)
        dst.offset = first->dst->offset;
    if (BREAK == DEVICE_02_SIZE && dst.bytes > 64)
        dst.bytes = src.bytes = dst.bytes / 64 * 64;
    if (BREAK == DEVICE_02_MORE)
        dst.bytes = src.bytes = (dst.bytes + 7) / 8 * 8;
    if (BREAK == DEVICE_02_OTHER && !is_up && stream) {
        if (!other_stream && stream_create(instance, 0, 0, &other_stream, err) < 0)
            return BP_E_NOMEM;
        stream = other_stream;
    }
    if (!is_up)
        last_read = bp_tensor_data(&dst);
    rc = dev_copy(instance, &copy, 1, BREAK == DEVICE_02_STREAM && is_up ? NULL : stream, err);
    return BREAK == DEVICE_08_COPY && !stream ? BP_OK : rc;
}

static bp_rc broken_copy(bp_instance *instance, const bp_copy *rows, uint32_t n, void *stream,
                         bp_err *err)
{
    for (uint32_t i = 0; i < n; i++) {
        bp_rc rc = copy_row(instance, &rows[i], rows, stream, err);

        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

static void *write_late(void *to)
{
    const struct timespec moment = {0, 5000000};

    nanosleep(&moment, NULL);
    memset(to, 0x5c, 16);
    return NULL;
}

static void broken_stream_destroy(bp_instance *instance, void *stream)
{
    pthread_t thread;

    stream_destroy(instance, stream);
    if (BREAK == DEVICE_07 && pthread_create(&thread, NULL, write_late, last_read) == 0)
        pthread_detach(thread);
}

static bp_rc broken_event_wait(bp_instance *instance, void *event, int64_t timeout_ns, bp_err *err)
{
    bp_rc rc;

    if (BREAK == DEVICE_05 && timeout_ns >= 0)
        return bp_fail(err, BP_E_TIMEOUT, "never in time");
    if (BREAK == DEVICE_05_NO_WAIT)
        return BP_OK;
    while (BREAK == DEVICE_05_FOREVER && timeout_ns < 0)
        pause();
    rc = event_wait(instance, event, BREAK == DEVICE_10_LIMIT ? -1 : timeout_ns, err);
    if (rc != BP_E_DEVICE_LOST)
        return rc;
    if (BREAK == DEVICE_08 || (BREAK == DEVICE_08_SLICE && timeout_ns >= 0))
        return BP_OK;
    if (BREAK == DEVICE_08_WORDS)
        *err->msg = '\0';
    return BREAK == DEVICE_08_TIME ? BP_E_CANCELLED : rc;
}

static bp_rc broken_stream_wait(bp_instance *instance, void *stream, void *event, bp_err *err)
{
    int is_manual = ((struct event *)event)->manual != NULL;

    if (BREAK == (is_manual ? DEVICE_10_EARLY : DEVICE_09))
        return BP_OK;
    return stream_wait(instance, stream, event, err);
}

static void broken_event_signal(bp_instance *instance, void *event, bp_rc rc)
{
    event_signal(instance, event, BREAK == DEVICE_10 ? BP_OK : rc);
}

/* Who is called back; more than the kit asks for. */
static struct {
    void (*fn)(void *u, bp_rc rc);
    void *u;
} calls_back[16];

static void call_back(void *u, bp_rc rc)
{
    size_t i = (size_t)(uintptr_t)u;

    for (int n = 0; n < (BREAK == DEVICE_11_NEVER ? 0 : BREAK == DEVICE_11_TWICE ? 2 : 1); n++)
        calls_back[i].fn(calls_back[i].u, BREAK == DEVICE_11_RC ? BP_OK : rc);
}

static bp_rc broken_event_notify(bp_instance *instance, void *event, void (*fn)(void *u, bp_rc rc),
                                 void *u, bp_err *err)
{
    static size_t n;

    if (BREAK == DEVICE_11) {
        fn(u, BP_OK);
        return BP_OK;
    }
    calls_back[n % 16].fn = fn;
    calls_back[n % 16].u = u;
    return event_notify(instance, event, call_back, (void *)(uintptr_t)(n++ % 16), err);
}

/* ---- frames ---------------------------------------------------------------------------------- */

static const bp_frame_desc *real_desc; /* of the last frame */

static bp_rc one_more(void *h, uint32_t out, uint32_t rank, const int64_t *dims, bp_err *err)
{
    int64_t more[2] = {dims[0], dims[1] + 1};

    return real_desc->alloc_output(h, out, rank, more, err);
}

static bp_rc broken_frame_create(bp_program *program, const bp_frame_desc *desc,
                                 bp_frame_needs *needs, bp_frame **out, bp_err *err)
{
    static bp_frame_desc other;

    real_desc = desc;
    if (BREAK != RUN_10)
        return gizmo_frame_create(program, desc, needs, out, err);
    other = *desc;
    other.alloc_output = one_more;
    return gizmo_frame_create(program, &other, needs, out, err);
}

/* Writes what a kernel of whole vectors would write after the last element. */
static int write_past(bp_sim_device *device, const void *arg)
{
    unsigned char *at = (unsigned char *)bp_sim_reach(device, *(const bp_sim_ref *)arg);

    if (!at)
        return -1;
    memset(at, 0, 4);
    return 0;
}

static int put_past(void *stream)
{
    const bp_tensor *out = &real_desc->out[0];
    bp_sim_ref past = {out->base, out->offset + out->bytes, 4};

    return bp_sim_launch(last_device, (bp_sim_stream *)stream, write_past, &past, sizeof past);
}

static bp_rc broken_execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    bp_run other = *run;

    if (BREAK == DEVICE_03)
        other.stream = NULL; /* at once, whatever is still in the stream */
    if (BREAK == DEVICE_04 && !run->stream)
        return BP_OK; /* as if somebody would wait */
    if (BREAK == DEVICE_03_PAST && put_past(run->stream))
        return gizmo_broke(err, "launch");
    return gizmo_execute(frame, &other, err);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static bp_device_ops broken_dev;
static bp_provider broken;
static const bp_provider *const broken_providers[] = {&broken};
static bp_module broken_module;

BP_EXPORT bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);

bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err)
{
    const bp_module *honest;
    bp_rc rc = gizmo_entry(host, &honest, err);

    if (rc < 0)
        return rc;
    broken_dev = dev;
    broken_dev.alloc = broken_alloc;
    broken_dev.copy = broken_copy;
    broken_dev.stream_destroy = broken_stream_destroy;
    broken_dev.event_create = broken_event_create;
    broken_dev.event_wait = broken_event_wait;
    broken_dev.stream_wait = broken_stream_wait;
    broken_dev.event_signal = broken_event_signal;
    broken_dev.event_notify = broken_event_notify;
    if (BREAK == DEVICE_01)
        broken_dev.event_record = NULL;
    broken = provider;
    broken.dev = &broken_dev;
    broken.frame_create = broken_frame_create;
    broken.execute = broken_execute;
    broken_module = *honest;
    broken_module.providers = broken_providers;
    *out = &broken_module;
    return BP_OK;
}
