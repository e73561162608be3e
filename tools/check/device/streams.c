/* SPDX-License-Identifier: MIT */
/*
 * streams.c - of DEVICE: streams that wait for events, and events that call back. All of it holds for
 * copies, which every device with streams has.
 */

#include "config.h"

#include <stdlib.h>
#include <time.h>

#include "check/device/device.h"

enum {
    N_BYTES = 65536,
    N_ROUNDS = 8,
    UNTOUCHED = 0x33,
    HELD_NS = 20000000, /* how long a stream that is held is waited for */
    TOLD_MS = 10000,    /* until when a callback has come */
    STEP_NS = 1000000
};

/* A block of device memory, streams and events of an instance. */
struct lane {
    struct kit_exec exec; /* its stream and event */
    void *base;
    unsigned char *fed[N_ROUNDS], *got[N_ROUNDS];
};

static void *bytes_of(int value)
{
    void *bytes = malloc(N_BYTES);

    if (!bytes)
        abort();
    memset(bytes, value, N_BYTES);
    return bytes;
}

static void open_lane(struct kit *kit, struct lane *lane)
{
    bp_rc rc;

    memset(lane, 0, sizeof *lane);
    lane->exec.kit = kit;
    lane->exec.instance = kit_instance(kit);
    rc =
        kit->p.dev->alloc(lane->exec.instance, 0, 1, N_BYTES, KIT_GUARD, &lane->base, kit_err(kit));
    if (rc >= 0)
        rc = kit_stream_open(&lane->exec);
    if (rc < 0)
        kit_fail(kit, "memory or a stream: %d: %s", (int)rc, kit->words);
    for (int i = 0; i < N_ROUNDS; i++) {
        lane->fed[i] = bytes_of(0x10 + i);
        lane->got[i] = bytes_of(UNTOUCHED);
    }
}

static void close_lane(struct lane *lane)
{
    struct kit *kit = lane->exec.kit;

    kit_stream_close(&lane->exec);
    kit->p.dev->free(lane->exec.instance, 0, 1, lane->base);
    for (int i = 0; i < N_ROUNDS; i++) {
        free(lane->fed[i]);
        free(lane->got[i]);
    }
    kit->p.destroy(lane->exec.instance);
}

/* Puts a copy between the block and host memory into a stream. */
static void put_copy(struct lane *lane, void *stream, unsigned char *host, bool is_up)
{
    struct kit *kit = lane->exec.kit;
    int64_t dims[] = {N_BYTES};
    bp_tensor here = {host, 0, dims, N_BYTES, 1, BP_DTYPE_U8, BP_SPACE_HOST, 0};
    bp_tensor there = {lane->base, 0, dims, N_BYTES, 1, BP_DTYPE_U8, 1, 0};
    bp_copy row = {is_up ? &there : &here, is_up ? &here : &there};

    if (kit->p.dev->copy(lane->exec.instance, &row, 1, stream, kit_err(kit)) < 0)
        kit_fail(kit, "a copy in a stream: %s", kit->words);
}

static void *make_event(struct lane *lane, uint32_t flags)
{
    struct kit *kit = lane->exec.kit;
    void *event = NULL;
    bp_rc rc = kit->p.dev->event_create(lane->exec.instance, 0, flags, &event, kit_err(kit));

    if (rc < 0 || !event)
        kit_fail(kit, "event_create with flags %u: %d: %s", (unsigned)flags, (int)rc, kit->words);
    return event;
}

static void record(struct lane *lane, void *stream, void *event)
{
    struct kit *kit = lane->exec.kit;

    if (kit->p.dev->event_record(lane->exec.instance, stream, event, kit_err(kit)) < 0)
        kit_fail(kit, "event_record: %s", kit->words);
}

static void put_wait(struct lane *lane, void *stream, void *event)
{
    struct kit *kit = lane->exec.kit;

    if (kit->p.dev->stream_wait(lane->exec.instance, stream, event, kit_err(kit)) < 0)
        kit_fail(kit, "stream_wait: %s", kit->words);
}

static bp_rc wait_for(struct lane *lane, void *event, int64_t ns)
{
    struct kit *kit = lane->exec.kit;

    return kit->p.dev->event_wait(lane->exec.instance, event, ns, kit_err(kit));
}

static void check_bytes(struct lane *lane, const unsigned char *bytes, int value, const char *when)
{
    for (size_t i = 0; i < N_BYTES; i++) {
        if (bytes[i] != value)
            kit_fail(lane->exec.kit, "%s: byte %zu is 0x%02x, not 0x%02x", when, i, bytes[i],
                     (unsigned)value);
    }
}

/* ---- one stream waits for another ------------------------------------------------------------- */

/*
 * One stream writes the block and another one reads it, round after round, without the host between them:
 * a read that comes early finds the round before, a write that comes early spoils it.
 */
void kit_streams_wait(struct kit *kit)
{
    void *written[N_ROUNDS], *read[N_ROUNDS], *reader = NULL;
    struct lane lane;

    kit_need_streams(kit);
    if (!kit->p.dev->stream_wait)
        kit_skip(kit, "its streams do not wait for events: the host does in their place");
    open_lane(kit, &lane);
    if (kit->p.dev->stream_create(lane.exec.instance, 0, 0, &reader, kit_err(kit)) < 0)
        kit_fail(kit, "a second stream: %s", kit->words);
    for (int i = 0; i < N_ROUNDS; i++) {
        written[i] = make_event(&lane, 0);
        read[i] = make_event(&lane, 0);
        put_copy(&lane, lane.exec.stream, lane.fed[i], true);
        record(&lane, lane.exec.stream, written[i]);
        put_wait(&lane, reader, written[i]);
        put_copy(&lane, reader, lane.got[i], false);
        record(&lane, reader, read[i]);
        put_wait(&lane, lane.exec.stream, read[i]);
    }
    if (wait_for(&lane, read[N_ROUNDS - 1], -1) < 0)
        kit_fail(kit, "event_wait: %s", kit->words);
    for (int i = 0; i < N_ROUNDS; i++)
        check_bytes(&lane, lane.got[i], lane.fed[i][0],
                    "read by a stream that waits for the one that writes");
    if (kit_wait(&lane.exec) < 0)
        kit_fail(kit, "event_wait: %s", kit->words);
    kit->p.dev->stream_destroy(lane.exec.instance, reader);
    for (int i = 0; i < N_ROUNDS; i++) {
        kit->p.dev->event_destroy(lane.exec.instance, written[i]);
        kit->p.dev->event_destroy(lane.exec.instance, read[i]);
    }
    close_lane(&lane);
}

/* ---- events that the host fires --------------------------------------------------------------- */

static void need_manual(struct kit *kit)
{
    kit_need_streams(kit);
    if (!kit->p.dev->stream_wait || !kit->p.dev->event_signal)
        kit_skip(kit, "it has no events that the host fires (stream_wait, event_signal)");
}

/* Holds the stream by the event, with a read of the block behind. */
static void hold(struct lane *lane, void *event, unsigned char *into)
{
    put_wait(lane, lane->exec.stream, event);
    put_copy(lane, lane->exec.stream, into, false);
    record(lane, lane->exec.stream, lane->exec.event);
}

/* Neither does a wait end as if the stream had come so far, nor does it go on past its limit. */
static void check_held(struct lane *lane, const unsigned char *into)
{
    static const int64_t limits[] = {0, HELD_NS};

    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        bp_rc rc = wait_for(lane, lane->exec.event, limits[i]);

        if (rc != BP_E_TIMEOUT)
            kit_fail(
                lane->exec.kit,
                "event_wait for %lld ns gives %d, not BP_E_TIMEOUT, while the stream waits for an "
                "event that was not fired",
                (long long)limits[i], (int)rc);
    }
    check_bytes(lane, into, UNTOUCHED, "while the stream waits for an event that was not fired");
}

/* Fires the event, and expects the stream to go on. */
static void let_go(struct lane *lane, void *event, const unsigned char *into)
{
    struct kit *kit = lane->exec.kit;

    kit->p.dev->event_signal(lane->exec.instance, event, BP_OK);
    if (wait_for(lane, lane->exec.event, -1) < 0)
        kit_fail(kit, "event_wait after event_signal: %s", kit->words);
    check_bytes(lane, into, lane->fed[0][0], "after event_signal");
}

void kit_events_fire(struct kit *kit)
{
    struct lane lane;
    void *event;
    bp_rc rc;

    need_manual(kit);
    open_lane(kit, &lane);
    event = make_event(&lane, BP_EVENT_MANUAL);
    put_copy(&lane, lane.exec.stream, lane.fed[0], true);
    for (int i = 0; i < 3; i++) { /* a signal lets no later wait go */
        hold(&lane, event, lane.got[i]);
        check_held(&lane, lane.got[i]);
        let_go(&lane, event, lane.got[i]);
    }

    hold(&lane, event, lane.got[3]);
    kit->p.dev->event_signal(lane.exec.instance, event, BP_E_DEVICE_LOST);
    rc = wait_for(&lane, lane.exec.event, -1);
    if (rc >= 0 || rc == BP_E_TIMEOUT)
        kit_fail(kit, "event_signal with BP_E_DEVICE_LOST: event_wait of the stream gives %d",
                 (int)rc);
    if (!kit->words[0])
        kit_fail(kit, "event_signal with BP_E_DEVICE_LOST: event_wait gives %d without a word",
                 (int)rc);

    kit_stream_close(&lane.exec);
    if (kit_stream_open(&lane.exec) < 0)
        kit_fail(kit, "a stream after one that failed: %s", kit->words);
    hold(&lane, event, lane.got[4]);
    kit_stream_close(&lane.exec); /* it does not wait for manual events */
    check_bytes(&lane, lane.got[4], UNTOUCHED, "in a stream that was destroyed while it was held");
    kit->p.dev->event_destroy(lane.exec.instance, event);
    close_lane(&lane);
}

/* ---- events that call back -------------------------------------------------------------------- */

/* What fn was called with, by any thread. */
struct told {
    uint32_t calls;
    bp_rc rc;
};

static void tell(void *u, bp_rc rc)
{
    struct told *told = u;

    __atomic_store_n(&told->rc, rc, __ATOMIC_RELAXED);
    __atomic_add_fetch(&told->calls, 1, __ATOMIC_RELEASE);
}

static uint32_t calls_of(const struct told *told)
{
    return __atomic_load_n(&told->calls, __ATOMIC_ACQUIRE);
}

static void notify(struct lane *lane, struct told *told)
{
    struct kit *kit = lane->exec.kit;

    if (kit->p.dev->event_notify(lane->exec.instance, lane->exec.event, tell, told, kit_err(kit)) <
        0)
        kit_fail(kit, "event_notify: %s", kit->words);
}

/* It comes without anybody waiting. */
static void check_told(struct lane *lane, const struct told *told, bool is_failure,
                       const char *when)
{
    const struct timespec step = {0, STEP_NS};

    for (int ms = 0; ms < TOLD_MS && calls_of(told) == 0; ms++)
        nanosleep(&step, NULL);
    if (calls_of(told) != 1)
        kit_fail(lane->exec.kit, "event_notify, %s: %u calls of fn, not 1", when,
                 (unsigned)calls_of(told));
    if ((told->rc < 0) != is_failure)
        kit_fail(lane->exec.kit, "event_notify, %s: fn gets %d", when, (int)told->rc);
}

/* A stream that is held by a manual event, with two callbacks behind. */
static void notify_of_held(struct lane *lane)
{
    struct kit *kit = lane->exec.kit;
    struct told told[4] = {{0, 0}};
    void *event = make_event(lane, BP_EVENT_MANUAL);

    hold(lane, event, lane->got[1]);
    notify(lane, &told[0]);
    notify(lane, &told[1]);
    if (calls_of(&told[0]) + calls_of(&told[1]) > 0)
        kit_fail(kit,
                 "event_notify calls fn while the stream waits for an event that was not fired");
    kit->p.dev->event_signal(lane->exec.instance, event, BP_E_DEVICE_LOST);
    check_told(lane, &told[0], true, "of a stream that failed");
    check_told(lane, &told[1], true, "the second time, of a stream that failed");

    kit_stream_close(&lane->exec);
    if (kit_stream_open(&lane->exec) < 0)
        kit_fail(kit, "a stream after one that failed: %s", kit->words);
    hold(lane, event, lane->got[2]);
    notify(lane, &told[2]);
    kit->p.dev->stream_destroy(lane->exec.instance, lane->exec.stream);
    lane->exec.stream = NULL;
    if (calls_of(&told[2]) != 1 || told[2].rc >= 0)
        kit_fail(kit,
                 "stream_destroy returned: %u calls of event_notify's fn, the last with %d; of "
                 "work that "
                 "was dropped it is called once, with an error",
                 (unsigned)calls_of(&told[2]), (int)told[2].rc);
    kit->p.dev->event_destroy(lane->exec.instance, event);
}

void kit_events_notify(struct kit *kit)
{
    struct told told[2] = {{0, 0}};
    struct lane lane;

    kit_need_streams(kit);
    if (!kit->p.dev->event_notify)
        kit_skip(kit, "its events call nothing back (event_notify)");
    open_lane(kit, &lane);
    put_copy(&lane, lane.exec.stream, lane.fed[0], true);
    put_copy(&lane, lane.exec.stream, lane.got[0], false);
    record(&lane, lane.exec.stream, lane.exec.event);
    notify(&lane, &told[0]);
    check_told(&lane, &told[0], false, "of copies");
    check_bytes(&lane, lane.got[0], lane.fed[0][0], "when fn of event_notify was called");
    notify(&lane, &told[1]);
    if (calls_of(&told[1]) != 1)
        kit_fail(kit, "event_notify of an event that has passed returns before fn was called");
    check_told(&lane, &told[1], false, "of an event that has passed");
    if (kit->p.dev->stream_wait && kit->p.dev->event_signal)
        notify_of_held(&lane);
    close_lane(&lane);
}
