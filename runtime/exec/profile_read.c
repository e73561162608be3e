/* SPDX-License-Identifier: MIT */
/* profile_read.c - events of a profile, one by one and as the JSON of browsers' traces. */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "exec/profile.h"
#include "text/json.h"

/* The lock of a profile that is only read. */
static pthread_mutex_t *lock_of(const bp_profile *profile)
{
    return (pthread_mutex_t *)(uintptr_t)&profile->lock;
}

uint32_t bp_profile_count(const bp_profile *profile)
{
    uint32_t count;

    if (!profile)
        return 0;
    pthread_mutex_lock(lock_of(profile));
    count = profile->count;
    pthread_mutex_unlock(lock_of(profile));
    return count;
}

uint64_t bp_profile_dropped(const bp_profile *profile)
{
    uint64_t dropped;

    if (!profile)
        return 0;
    pthread_mutex_lock(lock_of(profile));
    dropped = profile->dropped;
    pthread_mutex_unlock(lock_of(profile));
    return dropped;
}

/* Event i < count, the oldest first; with the lock. */
static bp_profile_event event_at(const bp_profile *profile, uint32_t i)
{
    uint32_t first = profile->count < profile->cap ? 0 : profile->next;
    const struct bp_profile_row *row = &profile->rows[((uint64_t)first + i) % profile->cap];
    const struct bp_profile_label *label = &profile->labels[row->label];

    return (bp_profile_event){
        .struct_size = sizeof(bp_profile_event),
        .kind = row->kind,
        .start_ns = row->start_ns,
        .end_ns = row->end_ns,
        .run_id = row->run_id,
        .name = label->name,
        .op = label->op,
        .provider = label->provider,
        .node = label->node,
        .n_nodes = label->n_nodes,
        .thread = row->thread,
    };
}

bp_rc bp_profile_get(const bp_profile *profile, uint32_t i, bp_profile_event *out, bp_err *err)
{
    bp_profile_event own = {.struct_size = sizeof own};
    uint32_t count;

    if (!profile)
        return bp_fail_null(err, "the profile");
    pthread_mutex_lock(lock_of(profile));
    count = profile->count;
    if (i < count)
        own = event_at(profile, i);
    pthread_mutex_unlock(lock_of(profile));
    if (i >= count)
        return bp_fail(err, BP_E_INVALID, "the profile has %u events, there is no event %u", count,
                       i);
    return bp_done(err, bp_give_out(out, &own, err));
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* What the host runs by itself counts as CPU's: ONNX Runtime has such nodes there. */
static const char *long_name(const bp_profile_event *event, char *buf, size_t cap)
{
    return bp_provider_long_name(event->provider ? event->provider : "cpu", buf, cap);
}

/* Names as ONNX Runtime's tools look for them: "<node>_kernel_time". */
static void add_name(struct bp_text *text, const bp_profile_event *event)
{
    struct bp_text name = {0};

    if (event->kind == BP_PROFILE_NODE)
        bp_text_printf(&name, "%s_kernel_time", event->name);
    else if (event->kind == BP_PROFILE_GROUP)
        bp_text_printf(&name, "%s_group_of_%s", event->provider ? event->provider : "host",
                       event->name);
    else
        bp_text_add(&name, event->name);
    bp_json_string(text, "name", name.data ? name.data : "");
    text->failed |= name.failed;
    bp_text_finish(&name);
}

/* Their values are texts in ONNX Runtime's profiles. */
static void add_args(struct bp_text *text, const bp_profile_event *event)
{
    char buf[96];

    bp_json_open(text, "args", '{');
    if (event->op) {
        bp_json_string(text, "op_name", event->op);
        bp_json_string(text, "provider", long_name(event, buf, sizeof buf));
        snprintf(buf, sizeof buf, "%u", event->node);
        bp_json_string(text, "node_index", buf);
    }
    if (event->n_nodes > 1) {
        snprintf(buf, sizeof buf, "%u", event->n_nodes);
        bp_json_string(text, "nodes", buf);
    }
    if (event->run_id) {
        snprintf(buf, sizeof buf, "%llu", (unsigned long long)event->run_id);
        bp_json_string(text, "run", buf);
    }
    bp_json_close(text, '}');
}

/*
 * A complete event ("ph": "X") of the Trace Event Format; times are microseconds from the profile's
 * start.
 */
static void add_event(struct bp_text *text, const bp_profile *profile,
                      const bp_profile_event *event)
{
    int64_t start = event->start_ns > profile->begin_ns ? event->start_ns - profile->begin_ns : 0;

    bp_json_open(text, NULL, '{');
    bp_json_string(text, "cat", event->kind == BP_PROFILE_NODE ? "Node" : "Session");
    bp_json_int(text, "pid", getpid());
    bp_json_int(text, "tid", event->thread);
    bp_json_int(text, "dur", (event->end_ns - event->start_ns) / 1000);
    bp_json_int(text, "ts", start / 1000);
    bp_json_string(text, "ph", "X");
    add_name(text, event);
    add_args(text, event);
    bp_json_close(text, '}');
}

/* The lock is held throughout: runs wait, so that the text is of one moment. */
bp_rc bp_profile_json(const bp_profile *profile, char **out, bp_err *err)
{
    struct bp_text text = {0};

    if (!profile)
        return bp_fail_null(err, "the profile");
    if (!out)
        return bp_fail_null(err, "out");
    *out = NULL;
    bp_json_open(&text, NULL, '[');
    pthread_mutex_lock(lock_of(profile));
    for (uint32_t i = 0; i < profile->count; i++) {
        bp_profile_event event = event_at(profile, i);

        bp_text_add(&text, i ? ",\n" : "\n");
        add_event(&text, profile, &event);
    }
    pthread_mutex_unlock(lock_of(profile));
    bp_text_add(&text, "\n");
    bp_json_close(&text, ']');
    bp_text_add(&text, "\n");
    *out = bp_text_take(&text);
    return bp_done(err, *out ? BP_OK : bp_fail_nomem(err, "a profile's text"));
}
