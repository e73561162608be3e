/* SPDX-License-Identifier: MIT */
/* group_device.c - DEVICE: memory, copies and streams of a provider that has its own. */

#include "config.h"

#include <stdlib.h>
#include <time.h>

#include "check/device/device.h"

void kit_need_memory(struct kit *kit)
{
    kit_open_usable(kit);
    if (!kit->p.dev)
        kit_skip(kit, "it computes in host memory");
}

void kit_need_streams(struct kit *kit)
{
    kit_need_memory(kit);
    if (!kit->p.dev->stream_create)
        kit_skip(kit, "it has no streams: its calls return when they are done");
}

static void whole_table(struct kit *kit)
{
    const bp_device_ops *dev;
    bp_device device;

    kit_need_memory(kit);
    dev = kit->p.dev;
    if (dev->flags & BP_CRITICAL)
        kit_fail(kit, "critical flags 0x%08x, which ABI %u.%u does not know",
                 (unsigned)(dev->flags & BP_CRITICAL), BP_ABI_MAJOR, BP_ABI_MINOR);
    if (dev->stream_create && !(dev->stream_destroy && dev->event_create && dev->event_destroy &&
                                dev->event_record && dev->event_wait))
        kit_fail(kit, "it has streams, but not all slots of streams and events");
    if (!kit->p.device)
        return;
    memset(&device, 0, sizeof device);
    device.struct_size = sizeof device;
    if (kit->p.device(&kit->host.table, 0, &device, kit_err(kit)) < 0)
        kit_fail(kit, "device 0: %s", kit->words);
    if (device.spaces == 0)
        kit_fail(kit, "it has memory of its own, but device 0 has no spaces");
}

/* ---- copies ---------------------------------------------------------------------------------- */

enum { N_ROWS = 3, N_TRIPS = 2 };

/* Rows of a copy: parts of one block of the device and of two of the host. */
struct crossing {
    void *base;
    unsigned char *fed, *got;
    size_t size; /* of all three */
    size_t bytes;
    int64_t dims[1];
    bp_tensor near[N_ROWS], back[N_ROWS], far[N_ROWS];
    bp_copy up[N_ROWS], down[N_ROWS];
};

/* Part r begins 256 bytes after the end of part r - 1, on the device at a multiple of 256. */
static void lay_out(struct crossing *x, size_t bytes, int trip)
{
    size_t pitch = (bytes + 255) / 256 * 256 + 256;

    x->bytes = bytes;
    x->dims[0] = (int64_t)bytes;
    for (size_t i = 0; i < x->size; i++)
        x->fed[i] = (unsigned char)(i * 131 + bytes + (size_t)trip * 29);
    memset(x->got, 0x77, x->size);
    for (uint32_t r = 0; r < N_ROWS; r++) {
        bp_tensor host = {x->fed, r * pitch + 1, x->dims, bytes, 1, BP_DTYPE_U8, BP_SPACE_HOST, 0};

        x->near[r] = x->back[r] = x->far[r] = host;
        x->back[r].base = x->got;
        x->far[r].base = x->base;
        x->far[r].offset = r * pitch;
        x->far[r].space = 1;
        x->up[r] = (bp_copy){&x->far[r], &x->near[r]};
        x->down[r] = (bp_copy){&x->back[r], &x->far[r]};
    }
}

/* What is not part of a row keeps what it was. */
static void check_crossing(struct kit *kit, const struct crossing *x, const char *how)
{
    for (size_t i = 0, r = 0; i < x->size; i++) {
        bool is_in;

        while (r < N_ROWS && i >= x->back[r].offset + x->bytes)
            r++;
        is_in = r < N_ROWS && i >= x->back[r].offset;
        if (x->got[i] != (is_in ? x->fed[i] : 0x77))
            kit_fail(kit,
                     "%d copies of %zu bytes there and back, %s: byte %zu is 0x%02x, not 0x%02x",
                     N_ROWS, x->bytes, how, i, x->got[i], is_in ? x->fed[i] : 0x77);
    }
}

/* Two trips, one after the other: a copy to the device may not come before the one from it that is put in first. */
static void cross(struct kit *kit, struct kit_exec *exec, struct crossing x[N_TRIPS], size_t bytes)
{
    const char *how = exec->stream ? "in a stream" : "without a stream";
    bp_rc rc = BP_OK;

    for (int trip = 0; trip < N_TRIPS && rc >= 0; trip++) {
        lay_out(&x[trip], bytes, trip);
        rc = kit->p.dev->copy(exec->instance, x[trip].up, N_ROWS, exec->stream, kit_err(kit));
        if (rc >= 0)
            rc = kit->p.dev->copy(exec->instance, x[trip].down, N_ROWS, exec->stream, kit_err(kit));
    }
    if (rc >= 0)
        rc = kit_wait(exec);
    if (rc < 0)
        kit_fail(kit, "copies of %zu bytes, %s: %d: %s", bytes, how, (int)rc, kit->words);
    for (int trip = 0; trip < N_TRIPS; trip++)
        check_crossing(kit, &x[trip], how);
}

static void copies(struct kit *kit)
{
    static const size_t sizes[] = {1, 7, 64, 255, 256, 1000, 65537};
    const size_t size = (size_t)(65537 + 512) * N_ROWS;
    struct crossing x[N_TRIPS] = {{.base = NULL}};
    struct kit_exec exec = {.kit = kit};
    void *base = NULL;
    bp_rc rc;

    kit_need_memory(kit);
    exec.instance = kit_instance(kit);
    rc = kit->p.dev->alloc(exec.instance, 0, 1, size, 256, &base, kit_err(kit));
    if (rc < 0 || !base)
        kit_fail(kit, "alloc of %zu bytes: %d: %s", size, (int)rc, kit->words);
    for (int trip = 0; trip < N_TRIPS; trip++) {
        x[trip] =
            (struct crossing){.base = base, .fed = malloc(size), .got = malloc(size), .size = size};
        if (!x[trip].fed || !x[trip].got)
            abort();
    }
    for (int with_stream = 0; with_stream < 2; with_stream++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            cross(kit, &exec, x, sizes[i]);
        if (with_stream == 0 && kit_stream_open(&exec) < 0)
            kit_fail(kit, "a stream: %s", kit->words);
    }
    kit_stream_close(&exec);
    kit->p.dev->free(exec.instance, 0, 1, base);
    for (int trip = 0; trip < N_TRIPS; trip++) {
        free(x[trip].fed);
        free(x[trip].got);
    }
    kit->p.destroy(exec.instance);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Inputs are put into the stream and execute is called at once, again and again. */
static void in_line(struct kit *kit)
{
    bp_instance *instance;
    const struct kit_case *first;
    unsigned n = 0;

    kit_need_streams(kit);
    instance = kit_instance(kit);
    first = kit_need_case(kit, instance);
    for (const struct kit_case *c = first; c; c = kit_next_taken(kit, instance, c + 1)) {
        struct kit_exec exec;
        struct kit_graph *graph;

        graph = kit_ready(kit, &exec, instance, c, 0);
        for (unsigned i = 0; i < 16; i++) {
            kit_place(&exec, c, i, i % 2);
            kit_execute_well(&exec, c);
            kit_check(&exec, c, "inputs that are on their way in the stream");
        }
        kit_exec_finish(&exec);
        kit_graph_free(graph);
        n++;
    }
    kit_settle(kit);
    kit->p.destroy(instance);
    kit_note(kit, "%u cases", n);
}

static void without_stream(struct kit *kit)
{
    const struct kit_case *c;
    bp_instance *instance;
    struct kit_exec exec;
    struct kit_graph *graph;

    kit_need_memory(kit);
    instance = kit_instance(kit);
    c = kit_need_case(kit, instance);
    graph = kit_ready(kit, &exec, instance, c, 0);
    kit_stream_close(&exec);
    for (unsigned i = 0; i < 16; i++) {
        kit_place(&exec, c, i, 0);
        kit_execute_well(&exec, c);
        kit_check(&exec, c, "without a stream");
    }
    kit_exec_finish(&exec);
    kit_graph_free(graph);
    kit->p.destroy(instance);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void waits(struct kit *kit)
{
    const struct kit_case *c;
    struct kit_exec exec;
    struct kit_graph *graph;
    const bp_device_ops *dev;
    bp_instance *instance;
    bp_rc rc;

    kit_need_streams(kit);
    dev = kit->p.dev;
    instance = kit_instance(kit);
    c = kit_need_case(kit, instance);
    graph = kit_ready(kit, &exec, instance, c, 0);
    kit_place(&exec, c, 1, 0);
    if (kit_put(&exec) < 0 ||
        dev->event_record(instance, exec.stream, exec.event, kit_err(kit)) < 0)
        kit_fail(kit, "%s: %s", c->name, kit->words);
    for (int64_t ns = 0; ns <= 1000000; ns += 500000) {
        rc = dev->event_wait(instance, exec.event, ns, kit_err(kit));
        if (rc < 0 && rc != BP_E_TIMEOUT)
            kit_fail(kit, "event_wait for %lld ns gives %d, neither 0 nor BP_E_TIMEOUT: %s",
                     (long long)ns, (int)rc, kit->words);
    }
    rc = dev->event_wait(instance, exec.event, -1, kit_err(kit));
    if (rc < 0)
        kit_fail(kit, "event_wait for ever gives %d: %s", (int)rc, kit->words);
    kit_check(&exec, c, "what event_wait waited for");
    rc = dev->event_wait(instance, exec.event, 0, kit_err(kit));
    if (rc < 0)
        kit_fail(kit, "event_wait gives %d for an event that has passed: %s", (int)rc, kit->words);
    kit_exec_finish(&exec);
    kit_graph_free(graph);
    kit->p.destroy(instance);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void no_memory(struct kit *kit)
{
    char here;
    void *base = &here; /* stays, when alloc fails */
    bp_instance *instance;
    bp_rc rc;

    kit_need_memory(kit);
    instance = kit_instance(kit);
    rc = kit->p.dev->alloc(instance, 0, 1, (size_t)1 << 60, 256, &base, kit_err(kit));
    if (rc != BP_E_NOMEM)
        kit_fail(kit, "alloc of 2^60 bytes gives %d, not BP_E_NOMEM: %s", (int)rc, kit->words);
    if (!kit->words[0])
        kit_fail(kit, "alloc of 2^60 bytes gives BP_E_NOMEM without a word");
    if (base != &here)
        kit_fail(kit, "alloc fails, but gives a handle");
    rc = kit->p.dev->alloc(instance, 0, 1, 64, 256, &base, kit_err(kit));
    if (rc < 0 || !base)
        kit_fail(kit, "alloc of 64 bytes after one that failed: %d: %s", (int)rc, kit->words);
    kit->p.dev->free(instance, 0, 1, base);
    kit->p.destroy(instance);
}

/* Bytes that are read back into host memory, in a stream that ends before the host waits. */
static void ends_quietly(struct kit *kit)
{
    const struct timespec moment = {0, 30000000};
    struct kit_exec exec = {.kit = kit};
    const size_t n = 4096;
    bp_rc rc;

    kit_need_streams(kit);
    exec.instance = kit_instance(kit);
    rc = kit_block_make(&exec, &exec.out_block, 1, n, 64, 0);
    if (rc >= 0)
        rc = kit_block_copy(&exec, &exec.out_block, true, NULL);
    for (int i = 0; i < 8 && rc >= 0; i++) {
        rc = kit_stream_open(&exec);
        if (rc < 0)
            break;
        rc = kit_block_copy(&exec, &exec.out_block, false, exec.stream);
        kit_stream_close(&exec);
        memset(exec.out_block.image, 0x33, exec.out_block.size); /* the host's again */
        nanosleep(&moment, NULL);
        for (size_t k = 0; k < exec.out_block.size; k++) {
            if (exec.out_block.image[k] != 0x33)
                kit_fail(kit,
                         "stream_destroy returned, and byte %zu of a copy was written after it", k);
        }
    }
    if (rc < 0)
        kit_fail(kit, "a copy in a stream: %d: %s", (int)rc, kit->words);
    kit_block_free(&exec, &exec.out_block);
    kit->p.destroy(exec.instance);
}

static const struct kit_test tests[] = {
    {"BPK-DEVICE-01", "its table is whole, its device has a space", "bp_device_ops", whole_table},
    {"BPK-DEVICE-02", "copies bring back what they took, and nothing else", "bp_device_ops.copy",
     copies},
    {"BPK-DEVICE-03", "execute waits for inputs whose copies are still in the stream",
     "bp_run.stream", in_line},
    {"BPK-DEVICE-04", "without a stream execute returns when it is done", "bp_run.stream",
     without_stream},
    {"BPK-DEVICE-05", "waiting for an event ends, in time or with the event",
     "bp_device_ops.event_wait", waits},
    {"BPK-DEVICE-06", "memory that is not there is BP_E_NOMEM", "bp_device_ops.alloc", no_memory},
    {"BPK-DEVICE-07", "a stream that was destroyed touches no memory",
     "bp_device_ops.stream_destroy", ends_quietly},
    {"BPK-DEVICE-08", "what fails on the device is returned by the call that waits for it",
     "bp_device_ops.event_wait", kit_device_fails},
    {"BPK-DEVICE-09", "streams wait for each other's events", "bp_device_ops.stream_wait",
     kit_streams_wait},
    {"BPK-DEVICE-10", "a stream waits until the host fires an event, and fails with it",
     "bp_device_ops.event_signal", kit_events_fire},
    {"BPK-DEVICE-11", "an event calls back once, with what went wrong",
     "bp_device_ops.event_notify", kit_events_notify},
};

const struct kit_group kit_device = {"DEVICE", tests, sizeof tests / sizeof tests[0]};
