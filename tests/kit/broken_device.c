/* SPDX-License-Identifier: MIT */
/*
 * broken_device.c - the mock "gizmo", which has memory of its own, with one fault, chosen by
 * -DBREAK=DEVICE_02: the fault that the kit's test BPK-DEVICE-02 is there to catch. The faults stand
 * before gizmo's own slots. tests/kit/broken.sh builds them.
 */

#define bp_provider_entry_v1 gizmo_entry
#include "../mock/gizmo.c"
#undef bp_provider_entry_v1

#include <pthread.h>
#include <time.h>

enum fault {
    NOTHING,
    RUN_10,
    LIFE_09,
    LIFE_10,
    DEVICE_01,
    DEVICE_02,
    DEVICE_03,
    DEVICE_04,
    DEVICE_05,
    DEVICE_06,
    DEVICE_07
};

/* ---- memory ---------------------------------------------------------------------------------- */

static bp_rc broken_alloc(bp_instance *instance, uint32_t d, uint32_t space, size_t n, size_t align,
                          void **base, bp_err *err)
{
    bp_rc rc = dev_alloc(instance, d, space, n, align, base, err);

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

/* Every row goes to where the first one does. */
static bp_rc broken_copy(bp_instance *instance, const bp_copy *rows, uint32_t n, void *stream,
                         bp_err *err)
{
    for (uint32_t i = 0; i < n; i++) {
        bp_tensor dst = *rows[i].dst;
        bp_copy row = {&dst, rows[i].src};
        bp_rc rc;

        if (BREAK == DEVICE_02 && dst.space != BP_SPACE_HOST)
            dst.offset = rows[0].dst->offset;
        if (dst.space == BP_SPACE_HOST)
            last_read = bp_tensor_data(&dst);
        rc = dev_copy(instance, &row, 1, stream, err);
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
    if (BREAK == DEVICE_05 && timeout_ns >= 0)
        return bp_fail(err, BP_E_TIMEOUT, "never in time");
    return event_wait(instance, event, timeout_ns, err);
}

/* ---- frames ---------------------------------------------------------------------------------- */

static const bp_frame_desc *real_desc;

static bp_rc one_more(void *h, uint32_t out, uint32_t rank, const int64_t *dims, bp_err *err)
{
    int64_t more[2] = {dims[0], dims[1] + 1};

    return real_desc->alloc_output(h, out, rank, more, err);
}

static bp_rc broken_frame_create(bp_program *program, const bp_frame_desc *desc,
                                 bp_frame_needs *needs, bp_frame **out, bp_err *err)
{
    static bp_frame_desc other;

    if (BREAK != RUN_10)
        return gizmo_frame_create(program, desc, needs, out, err);
    real_desc = desc;
    other = *desc;
    other.alloc_output = one_more;
    return gizmo_frame_create(program, &other, needs, out, err);
}

static bp_rc broken_execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    bp_run other = *run;

    if (BREAK == DEVICE_03)
        other.stream = NULL; /* at once, whatever is still in the stream */
    if (BREAK == DEVICE_04 && !run->stream)
        return BP_OK; /* as if somebody would wait */
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
