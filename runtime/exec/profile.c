/* SPDX-License-Identifier: MIT */
/* profile.c - the record of events and its labels. */

#include "config.h"

#include "exec/profile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "exec/run_shared.h"
#include "text/text.h"

enum { CAPACITY = 65536, CAPACITY_MAX = 1 << 24 };

int64_t bp_profile_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

uint32_t bp_profile_thread(void)
{
    return (uint32_t)syscall(SYS_gettid);
}

/* ---- life ------------------------------------------------------------------------------------ */

bp_rc bp_profile_create(uint32_t capacity, bp_profile **out, bp_err *err)
{
    bp_profile *profile;

    if (!out)
        return bp_fail_null(err, "out");
    *out = NULL;
    if (capacity > CAPACITY_MAX)
        return bp_fail(err, BP_E_INVALID, "a profile of %u events; at most %d can be kept",
                       capacity, CAPACITY_MAX);
    profile = calloc(1, sizeof *profile);
    if (!profile)
        return bp_fail_nomem(err, "a profile");
    bp_fork_mutex_init(&profile->lock, &profile->fork);
    profile->cap = capacity ? capacity : CAPACITY;
    profile->run_hint = BP_NONE;
    profile->begin_ns = bp_profile_now();
    profile->rows = calloc(profile->cap, sizeof *profile->rows);
    if (!profile->rows) {
        bp_profile_destroy(profile);
        return bp_fail_nomem(err, "a profile");
    }
    *out = profile;
    return bp_done(err, BP_OK);
}

static void finish_label(struct bp_profile_label *label)
{
    free(label->key);
    free(label->name);
    free(label->op);
    free(label->provider);
}

void bp_profile_destroy(bp_profile *profile)
{
    if (!profile)
        return;
    for (uint32_t i = 0; i < profile->n_labels; i++)
        finish_label(&profile->labels[i]);
    bp_strmap_finish(&profile->by_key);
    bp_fork_mutex_destroy(&profile->lock, &profile->fork);
    free(profile->labels);
    free(profile->rows);
    free(profile);
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* A label as its maker has it: strings borrowed. */
struct wanted {
    const char *name, *op, *provider; /* op and provider may be NULL */
    uint32_t node, n_nodes;
};

/* NULL equals NULL only. */
static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Compared by what they say, as hints may be of another run's list. */
static bool is_label(const struct bp_profile_label *label, const struct wanted *want)
{
    return label->node == want->node && label->n_nodes == want->n_nodes &&
           same(label->name, want->name) && same(label->op, want->op) &&
           same(label->provider, want->provider);
}

/* False: no memory. NULL stays NULL. */
static bool copy_text(char **to, const char *from)
{
    *to = from ? strdup(from) : NULL;
    return *to || !from;
}

static bool reserve_label(bp_profile *profile)
{
    uint32_t cap = profile->cap_labels ? profile->cap_labels * 2 : 64;
    struct bp_profile_label *grown;

    if (profile->n_labels < profile->cap_labels)
        return true;
    grown = realloc(profile->labels, cap * sizeof *grown);
    if (!grown)
        return false;
    profile->labels = grown;
    profile->cap_labels = cap;
    return true;
}

/* The label's number, or BP_NONE for want of memory. *hint is tried first and set. */
static uint32_t find_label(bp_profile *profile, const struct wanted *want, uint32_t *hint)
{
    struct bp_profile_label label = {.node = want->node, .n_nodes = want->n_nodes};
    struct bp_text key = {0};
    uint32_t at;

    if (*hint < profile->n_labels && is_label(&profile->labels[*hint], want))
        return *hint;
    /* with lengths, so that no two labels have one key */
    bp_text_printf(&key, "%u/%u/%zu/%zu/%s/%s/%s", want->node, want->n_nodes,
                   want->provider ? strlen(want->provider) + 1 : 0,
                   want->op ? strlen(want->op) + 1 : 0, want->provider ? want->provider : "",
                   want->op ? want->op : "", want->name);
    if (key.failed) {
        bp_text_finish(&key);
        return BP_NONE;
    }
    at = bp_strmap_get(&profile->by_key, key.data, BP_NONE);
    if (at != BP_NONE) {
        bp_text_finish(&key);
        *hint = at;
        return at;
    }
    label.key = bp_text_take(&key);
    if (!copy_text(&label.name, want->name) || !copy_text(&label.op, want->op) ||
        !copy_text(&label.provider, want->provider) || !reserve_label(profile) ||
        !bp_strmap_put(&profile->by_key, label.key, profile->n_labels)) {
        finish_label(&label);
        return BP_NONE;
    }
    profile->labels[profile->n_labels] = label;
    *hint = profile->n_labels;
    return profile->n_labels++;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* With the lock. */
static void put(bp_profile *profile, const struct wanted *want, uint32_t *hint,
                const struct bp_profile_row *row)
{
    uint32_t label = find_label(profile, want, hint);

    if (label == BP_NONE) {
        profile->dropped++;
        return;
    }
    if (profile->count == profile->cap)
        profile->dropped++; /* the oldest is overwritten */
    else
        profile->count++;
    profile->rows[profile->next] = *row;
    profile->rows[profile->next].label = label;
    profile->next = profile->next + 1 == profile->cap ? 0 : profile->next + 1;
}

/* A span of the application's own, on the clock of bp_profile_now(). */
bp_rc bp_profile_add(bp_profile *profile, const char *name, int64_t start_ns, int64_t end_ns,
                     bp_err *err)
{
    struct bp_profile_row row = {.start_ns = start_ns, .end_ns = end_ns, .kind = BP_PROFILE_SPAN};
    struct wanted want = {.name = name, .node = BP_NONE};
    uint32_t hint = BP_NONE;

    if (!profile || !name || end_ns < start_ns)
        return bp_fail(err, BP_E_INVALID,
                       "a span needs a profile, a name, and an end behind its "
                       "start");
    row.thread = bp_profile_thread();
    pthread_mutex_lock(&profile->lock);
    put(profile, &want, &hint, &row);
    pthread_mutex_unlock(&profile->lock);
    return bp_done(err, hint == BP_NONE ? bp_fail_nomem(err, "a profile's event") : BP_OK);
}

/* The row of a whole run, written when it ended, also after a failure. */
void bp_profile_end_run(struct bp_run_shared *shared, int64_t start_ns)
{
    struct wanted want = {.name = "model_run", .node = BP_NONE};
    struct bp_profile_row row = {.start_ns = start_ns,
                                 .end_ns = bp_profile_now(),
                                 .run_id = shared->run_id,
                                 .kind = BP_PROFILE_RUN,
                                 .thread = shared->thread};

    pthread_mutex_lock(&shared->profile->lock);
    put(shared->profile, &want, &shared->profile->run_hint, &row);
    pthread_mutex_unlock(&shared->profile->lock);
}

/* ---- units ----------------------------------------------------------------------------------- */

void bp_unit_profile_destroy(struct bp_unit_profile *profile)
{
    if (!profile)
        return;
    free(profile->prof.ev);
    free(profile->hints);
    free(profile);
}

/*
 * NULL: no memory, which counts as a dropped event later. Providers may write two events a node,
 * and a few more.
 */
static struct bp_unit_profile *make_unit_profile(uint32_t n_nodes)
{
    struct bp_unit_profile *made = calloc(1, sizeof *made);
    size_t n_hints = (size_t)n_nodes * 2 + 1;
    uint32_t cap = n_nodes < (UINT32_MAX - 8) / 2 ? n_nodes * 2 + 8 : n_nodes;

    if (!made)
        return NULL;
    made->prof.struct_size = sizeof made->prof;
    made->prof.cap = cap; /* a node and, say, a copy for each */
    made->prof.stride = sizeof(bp_prof_event);
    made->prof.ev = calloc(cap, made->prof.stride);
    made->hints = malloc(n_hints * sizeof *made->hints);
    if (!made->prof.ev || !made->hints) {
        bp_unit_profile_destroy(made);
        return NULL;
    }
    memset(made->hints, 0xff, n_hints * sizeof *made->hints);
    return made;
}

/* The list that the provider writes to is emptied, and shown to it for this execute only. */
int64_t bp_profile_begin_unit(struct bp_run_shared *shared, struct bp_unit_frame *unit)
{
    (void)shared;
    if (!unit->profile)
        unit->profile = make_unit_profile(unit->unit->group->n_nodes);
    if (unit->profile) {
        unit->profile->prof.count = unit->profile->prof.dropped = 0;
        unit->run.prof = &unit->profile->prof;
    }
    return bp_profile_now();
}

/* Node i of the unit's group. */
static struct wanted node_label(const struct bp_unit_frame *unit, uint32_t i)
{
    uint32_t index = unit->unit->group->nodes[i];
    const struct bp_ir_node *node = &unit->owner->subgraph->ir->nodes[index];

    return (struct wanted){.name = node->name,
                           .op = node->op,
                           .provider = unit->unit->by ? unit->unit->by->name : NULL,
                           .node = index,
                           .n_nodes = 1};
}

/*
 * Which nodes a provider's row is about, and where the label's hint is: of node i at i, of a set at
 * n_nodes + 1 + its first node. False: of nodes that are not there.
 */
static bool read_nodes(const struct bp_unit_frame *unit, const bp_prof_event *event,
                       struct wanted *out, uint32_t *hint)
{
    uint32_t n_nodes = unit->unit->group->n_nodes;

    *hint = event->node;
    if (event->node < n_nodes) {
        *out = node_label(unit, event->node);
        return true;
    }
    if (event->node != BP_NONE || event->n_nodes == 0 || !event->nodes)
        return false;
    for (uint32_t i = 0; i < event->n_nodes; i++) {
        if (event->nodes[i] >= n_nodes)
            return false;
    }
    *out = node_label(unit, event->nodes[0]);
    *hint = n_nodes + 1 + event->nodes[0];
    if (event->n_nodes > 1) {
        out->n_nodes = event->n_nodes;
        out->op = event->name ? event->name : "Group";
    }
    return true;
}

/*
 * What the provider wrote; rows of nodes that are not there, or with times that run back, are lost.
 */
static uint32_t take_events(bp_profile *profile, const struct bp_unit_frame *unit,
                            struct bp_profile_row row)
{
    const bp_prof *prof = &unit->profile->prof;
    uint32_t n = 0;

    for (uint32_t i = 0; i < prof->count && i < prof->cap; i++) {
        const bp_prof_event *event = BP_AT(bp_prof_event, prof->ev, prof->stride, i);
        struct wanted want;
        uint32_t hint;

        if (!read_nodes(unit, event, &want, &hint) || event->t1_ns < event->t0_ns) {
            profile->dropped++;
            continue;
        }
        row.start_ns = event->t0_ns;
        row.end_ns = event->t1_ns;
        row.kind = BP_PROFILE_NODE;
        put(profile, &want, &unit->profile->hints[hint], &row);
        n++;
    }
    profile->dropped += prof->dropped;
    return n;
}

/*
 * Events of nodes if the provider wrote some, else one for the whole; a group has a row of its own
 * besides. The lock is taken once a unit.
 */
void bp_profile_end_unit(struct bp_run_shared *shared, struct bp_unit_frame *unit, int64_t start_ns)
{
    struct bp_profile_row row = {.start_ns = start_ns,
                                 .end_ns = bp_profile_now(),
                                 .run_id = shared->run_id,
                                 .kind = BP_PROFILE_NODE,
                                 .thread = shared->thread};
    bp_profile *profile = shared->profile;
    uint32_t n_nodes = unit->unit->group->n_nodes;
    struct wanted whole = node_label(unit, 0);

    unit->run.prof = NULL;
    pthread_mutex_lock(&profile->lock);
    if (!unit->profile) {
        profile->dropped++;
        pthread_mutex_unlock(&profile->lock);
        return;
    }
    if (n_nodes > 1) {
        whole.op = "Group";
        whole.n_nodes = n_nodes;
    }
    if (take_events(profile, unit, row) == 0)
        put(profile, &whole, &unit->profile->hints[n_nodes], &row);
    row.kind = BP_PROFILE_GROUP;
    if (unit->frame)
        put(profile, &whole, &unit->profile->hints[n_nodes], &row);
    pthread_mutex_unlock(&profile->lock);
}
