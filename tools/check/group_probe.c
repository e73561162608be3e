/* SPDX-License-Identifier: MIT */
/* group_probe.c - PROBE: is_available is quick and leaks nothing. */

#include "config.h"

#include <pthread.h>
#include <time.h>

#include "check/process/surroundings.h"

enum { N_THREADS = 8, N_CALLS = 50 };

struct question {
    bp_avail avail;
    char reason[256], fix[256];
};

static void set_question(struct question *q)
{
    memset(q, 0, sizeof *q);
    q->avail.struct_size = sizeof q->avail;
    q->avail.reason = q->reason;
    q->avail.reason_cap = sizeof q->reason;
    q->avail.fix = q->fix;
    q->avail.fix_cap = sizeof q->fix;
}

static bp_rc ask(struct kit *kit, struct question *q, bp_err *err)
{
    set_question(q);
    return kit_is_available(kit, &q->avail, err);
}

static void need_probe(struct kit *kit)
{
    kit_open(kit);
    if (!kit->p.is_available)
        kit_skip(kit, "no is_available: it is usable wherever it loads");
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The best of a few, so that a busy machine is not the plug-in's fault. */
static void quick(struct kit *kit)
{
    double best = 1e9;

    need_probe(kit);
    for (int i = 0; i < 8 && best > 0.1; i++) {
        struct question q;
        double start = seconds();

        (void)ask(kit, &q, kit_err(kit));
        best = seconds() - start < best ? seconds() - start : best;
    }
    if (best > 0.1)
        kit_fail(kit, "is_available takes %.0f ms; 100 are allowed", best * 1e3);
    kit_note(kit, "%.3f ms", best * 1e3);
}

static void well_formed(struct kit *kit)
{
    struct question q;
    bp_rc rc;

    need_probe(kit);
    rc = ask(kit, &q, kit_err(kit));
    if (rc < 0 && !kit->words[0])
        kit_fail(kit, "is_available gives %d without a word", (int)rc);
    if (rc >= 0 && q.avail.state != BP_AVAIL_YES && q.avail.state != BP_AVAIL_NO)
        kit_fail(kit, "is_available leaves the state at %u", (unsigned)q.avail.state);
    if (rc >= 0 && q.avail.state == BP_AVAIL_YES && q.avail.n_devices == 0)
        kit_fail(kit, "it is available with 0 devices");
    if (!memchr(q.reason, 0, sizeof q.reason) || !memchr(q.fix, 0, sizeof q.fix))
        kit_fail(kit, "the reason or the fix has no end");
}

static void loading_leaves_nothing(struct kit *kit)
{
    static struct kit_surroundings before, after;

    kit_look(&before);
    kit_open(kit);
    kit_look(&after);
    kit_compare(kit, &before, &after, KIT_OF_ALL, "loading");
}

static void probing_leaves_nothing(struct kit *kit)
{
    static struct kit_surroundings before, after;
    struct question q;

    need_probe(kit);
    kit_look(&before);
    (void)ask(kit, &q, kit_err(kit));
    kit_look(&after);
    kit_compare(kit, &before, &after, KIT_OF_ALL, "is_available");
}

/* Buffers of one byte, and no buffers. */
static void small_buffers(struct kit *kit)
{
    struct question q;

    need_probe(kit);
    for (uint32_t cap = 0; cap <= 16; cap++) {
        memset(&q, 0, sizeof q);
        memset(q.reason, 0x5a, sizeof q.reason);
        memset(q.fix, 0x5a, sizeof q.fix);
        q.avail.struct_size = sizeof q.avail;
        q.avail.reason = q.reason;
        q.avail.fix = q.fix;
        q.avail.reason_cap = q.avail.fix_cap = cap;
        (void)kit->p.is_available(&kit->host.table, &q.avail, NULL);
        for (size_t i = cap; i < sizeof q.reason; i++) {
            if (q.reason[i] != 0x5a || q.fix[i] != 0x5a)
                kit_fail(kit, "it wrote past the end of a text of %u bytes", (unsigned)cap);
        }
    }
}

/* Without kit_is_available(), whose note of where the test is belongs to the test's own thread. */
static void *probe_often(void *u)
{
    const struct kit *kit = u;

    for (int i = 0; i < N_CALLS; i++) {
        struct question q;

        set_question(&q);
        (void)kit->p.is_available(&kit->host.table, &q.avail, NULL);
    }
    return NULL;
}

static void from_many_threads(struct kit *kit)
{
    pthread_t threads[N_THREADS];
    struct question first, last;

    need_probe(kit);
    (void)ask(kit, &first, NULL);
    for (int i = 0; i < N_THREADS; i++) {
        if (pthread_create(&threads[i], NULL, probe_often, kit) != 0)
            kit_skip(kit, "no threads here");
    }
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    (void)ask(kit, &last, NULL);
    if (first.avail.state != last.avail.state)
        kit_fail(kit, "its answer changes from %u to %u", (unsigned)first.avail.state,
                 (unsigned)last.avail.state);
}

static void devices(struct kit *kit)
{
    struct question q;
    bp_device device;

    need_probe(kit);
    if (!kit->p.device)
        kit_skip(kit, "no device slot: one device");
    if (ask(kit, &q, kit_err(kit)) < 0 || q.avail.state != BP_AVAIL_YES)
        kit_skip(kit, "not usable here: %s", q.reason);
    for (uint32_t i = 0; i < q.avail.n_devices; i++) {
        memset(&device, 0, sizeof device);
        device.struct_size = sizeof device;
        if (kit->p.device(&kit->host.table, i, &device, kit_err(kit)) < 0)
            kit_fail(kit, "device %u of %u: %s", (unsigned)i, (unsigned)q.avail.n_devices,
                     kit->words);
        if (!device.name || !device.id || device.kind < BP_DEVICE_CPU ||
            device.kind > BP_DEVICE_OTHER)
            kit_fail(kit, "device %u has no name, no id or no kind", (unsigned)i);
    }
    device.struct_size = sizeof device;
    if (kit->p.device(&kit->host.table, q.avail.n_devices, &device, kit_err(kit)) >= 0)
        kit_fail(kit, "there is a device %u of %u", (unsigned)q.avail.n_devices,
                 (unsigned)q.avail.n_devices);
}

static const struct kit_test tests[] = {
    {"BPK-PROBE-01", "is_available is done within 100 ms", "bp_provider.is_available", quick},
    {"BPK-PROBE-02", "its answer is whole", "bp_avail", well_formed},
    {"BPK-PROBE-03", "loading changes nothing in the process", "bp_entry_fn: no side effects",
     loading_leaves_nothing},
    {"BPK-PROBE-04", "is_available changes nothing in the process", "bp_provider.is_available",
     probing_leaves_nothing},
    {"BPK-PROBE-05", "reason and fix stay within their buffers", "bp_avail", small_buffers},
    {"BPK-PROBE-06", "is_available may overlap, and answers alike", "is_available: [any]",
     from_many_threads},
    {"BPK-PROBE-07", "every device answers, no other does", "bp_provider.device", devices},
};

const struct kit_group kit_probe = {"PROBE", tests, sizeof tests / sizeof tests[0]};
