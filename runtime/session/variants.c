/* SPDX-License-Identifier: MIT */
/* variants.c - further engines of a session, for feeds that its main engine can't take. */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "session/session.h"

/* Is the variant for feeds of this kind? n: the number of required inputs. */
static bool is_for(const struct bp_variant *variant, bool has_open_scalars, const bool *without,
                   uint32_t n)
{
    if (variant->of || variant->has_open_scalars != has_open_scalars ||
        !variant->without != !without)
        return false;
    return !without || memcmp(variant->without, without, n * sizeof *without) == 0;
}

/* Destroys a variant, which may be incomplete. */
static void destroy(struct bp_variant *variant)
{
    if (!variant)
        return;
    bp_session_finish_ported(&variant->ported);
    bp_refused_finish(&variant->by.nodes);
    free(variant->without);
    free(variant);
}

/*
 * Makes the variant's engine. Its mismatches go into the main engine's report, because that is the
 * one applications see.
 */
static bp_rc fill(bp_session *session, struct bp_variant *variant, bp_err *err)
{
    uint32_t n = session->ports.n_required;
    struct bp_engine_config config = bp_session_engine_config(session, &session->options);
    const char **names = calloc((size_t)n + 1, sizeof *names);
    bp_rc rc;

    if (!names)
        return bp_fail_nomem(err, "a session");
    for (uint32_t i = 0; variant->without && i < n; i++) {
        if (variant->without[i])
            names[config.n_without++] = session->ports.inputs[i].name;
    }
    config.without = names;
    config.open_defaults = variant->of ? variant->of->is_general : true;
    config.refused = variant->of ? &variant->by : NULL;
    config.mismatches = bp_report_mismatches(session->main.engine->report);
    config.open_scalars = variant->has_open_scalars;
    rc = bp_session_make_ported(session, &config, &variant->ported, err);
    if (rc >= 0)
        rc = bp_session_repeat_changes(session, variant->ported.engine, err);
    free(names);
    return rc;
}

/* Makes a variant; *out is set only when it is complete. */
static bp_rc make(bp_session *session, bool has_open_scalars, const bool *without,
                  struct bp_variant **out, bp_err *err)
{
    uint32_t n = session->ports.n_required;
    struct bp_variant *variant = calloc(1, sizeof *variant);
    bp_rc rc = BP_OK;

    if (variant && without)
        variant->without = calloc((size_t)n + 1, sizeof *without);
    if (!variant || (without && !variant->without))
        rc = bp_fail_nomem(err, "a session");
    if (rc >= 0) {
        variant->has_open_scalars = has_open_scalars;
        if (without)
            memcpy(variant->without, without, n * sizeof *without);
        rc = fill(session, variant, err);
    }
    if (rc < 0) {
        destroy(variant);
        return rc;
    }
    *out = variant;
    return BP_OK;
}

/*
 * Returns the variant for feeds of this kind, a new one if there is none. The caller holds the
 * lock.
 */
static bp_rc find_or_make(bp_session *session, bool has_open_scalars, const bool *without,
                          struct bp_ported **out, bp_err *err)
{
    _Atomic(struct bp_variant *) *at = &session->variants;
    struct bp_variant *variant;
    uint32_t n = 0;
    bp_rc rc;

    for (; (variant = atomic_load(at)) != NULL; at = &variant->next) {
        if (is_for(variant, has_open_scalars, without, session->ports.n_required)) {
            *out = &variant->ported;
            return BP_OK;
        }
        n += !variant->of;
    }
    if (n == BP_MAX_VARIANTS)
        return bp_fail(err, BP_E_UNSUPPORTED,
                       "runs of this session have left out %d sets of inputs already; feed all "
                       "inputs, or make another session",
                       BP_MAX_VARIANTS);
    rc = make(session, has_open_scalars, without, &variant, err);
    if (rc < 0)
        return rc;
    atomic_store(at, variant);
    *out = &variant->ported;
    return BP_OK;
}

/*
 * The lock is held while an engine is made: a second run of the same kind waits for it and then
 * uses it.
 */
bp_rc bp_session_variant(bp_session *session, bool has_open_scalars, const bool *without,
                         struct bp_ported **out, bp_err *err)
{
    bp_rc rc;

    pthread_mutex_lock(&session->lock);
    rc = find_or_make(session, has_open_scalars, without, out, err);
    pthread_mutex_unlock(&session->lock);
    return rc;
}

/* ---- sizes that a provider refused ----------------------------------------------------------- */

static _Atomic uint64_t *slot_of(struct bp_variant *variant, uint64_t hash)
{
    return &variant->sizes[hash % BP_REFUSED_SIZES];
}

/*
 * Follows from *ported to the engine that runs these sizes. A variant's provider may refuse them,
 * too, so the search starts again from each variant that it finds.
 */
void bp_session_route_sizes(bp_session *session, uint64_t hash, struct bp_ported **ported)
{
    struct bp_variant *variant = atomic_load(&session->variants);

    while (variant) {
        bool is_it = variant->of == *ported && atomic_load(slot_of(variant, hash)) == hash;

        if (is_it)
            *ported = &variant->ported;
        variant = atomic_load(is_it ? &session->variants : &variant->next);
    }
}

/* Returns the variant that the engine belongs to; NULL: it is the main engine. */
static const struct bp_variant *variant_of(const bp_session *session,
                                           const struct bp_ported *ported)
{
    const struct bp_variant *variant = atomic_load(&session->variants);

    while (variant && &variant->ported != ported)
        variant = atomic_load(&variant->next);
    return variant;
}

/* Lists the nodes of the group whose provider refused the sizes. */
static bp_rc list_refused(struct bp_variant *variant, const struct bp_frame_refusal *refusal,
                          bp_err *err)
{
    const struct bp_group *group = refusal->unit->group;
    char text[640];
    bool is_new = false;
    bp_rc rc = BP_OK;

    snprintf(text, sizeof text, "it refused sizes of a group of %u node%s: %s", group->n_nodes,
             group->n_nodes == 1 ? "" : "s", refusal->text);
    for (uint32_t i = 0; rc >= 0 && i < group->n_nodes; i++)
        rc = bp_refused_add(&variant->by.nodes, &group->view->ir->nodes[group->nodes[i]], text,
                            &is_new, err);
    return rc;
}

/* Makes a variant for the same feeds as `of`, in which the provider does not get these nodes. */
static bp_rc make_for_sizes(bp_session *session, const struct bp_frame_refusal *refusal,
                            struct bp_ported *of, struct bp_variant **out, bp_err *err)
{
    const struct bp_variant *base = variant_of(session, of);
    size_t n = (size_t)session->ports.n_required + 1;
    struct bp_variant *variant = calloc(1, sizeof *variant);
    bp_rc rc;

    if (variant && base && base->without) {
        variant->without = calloc(n, sizeof *variant->without);
        if (variant->without)
            memcpy(variant->without, base->without, (n - 1) * sizeof *variant->without);
    }
    if (!variant || (base && base->without && !variant->without)) {
        destroy(variant);
        return bp_fail_nomem(err, "a session");
    }
    variant->has_open_scalars = base && base->has_open_scalars;
    variant->of = of;
    variant->by.provider = refusal->unit->by->name;
    variant->by.next = base && base->of ? &base->by : NULL;
    rc = list_refused(variant, refusal, err);
    if (rc >= 0)
        rc = fill(session, variant, err);
    if (rc < 0)
        destroy(variant);
    else
        *out = variant;
    return rc;
}

/*
 * Is the variant for the nodes of that group? Groups with the same first node have the same nodes.
 */
static bool is_for_group(const struct bp_variant *variant, const struct bp_ported *of,
                         const struct bp_unit *unit)
{
    const struct bp_group *group = unit->group;

    return variant->of == of && strcmp(variant->by.provider, unit->by->name) == 0 &&
           bp_refused_find(&variant->by.nodes, &group->view->ir->nodes[group->nodes[0]]);
}

/* Is there another provider after that of the unit? */
static bool has_next(const struct bp_engine *engine, const struct bp_unit *unit)
{
    const struct bp_provider_list *list = &engine->providers;

    return list->count > 0 && list->active[list->count - 1] != unit->by;
}

/* Adds one line to the log and one row to the report for each variant. */
static bp_rc report_refused_sizes(bp_session *session, const struct bp_refused_run *run,
                                  bp_err *err)
{
    const struct bp_unit *unit = run->refusal->unit;
    const struct bp_group *group = unit->group;
    bp_report_refused_sizes row = {
        .struct_size = sizeof row,
        .provider = unit->by->row,
        .n_nodes = group->n_nodes,
        .node = group->view->ir->nodes[group->nodes[0]].name,
        .sizes = run->sizes,
        .text = run->refusal->text,
    };

    bp_log(session->main.engine->providers.log,
           unit->by->fallback == BP_FALLBACK_SILENT ? BP_LOG_INFO : BP_LOG_WARN, "session",
           "provider '%s' does not run %u node%s from '%s' on with %s: %s; for such sizes they run "
           "on the next providers",
           unit->by->name, row.n_nodes, row.n_nodes == 1 ? "" : "s", row.node, row.sizes, row.text);
    return bp_report_add_refused_sizes(session->main.engine->report, &row, err);
}

/*
 * Sets *ported to the variant for refused sizes, a new one if there is none. The caller holds the
 * lock.
 */
static bp_rc find_or_make_for_sizes(bp_session *session, const struct bp_refused_run *run,
                                    struct bp_ported **ported, bp_err *err)
{
    _Atomic(struct bp_variant *) *at = &session->variants;
    struct bp_variant *variant;
    uint32_t n = 0;
    bp_rc rc = BP_OK;

    for (; (variant = atomic_load(at)) != NULL; at = &variant->next) {
        if (is_for_group(variant, *ported, run->refusal->unit))
            break;
        n += variant->of != NULL;
    }
    if (!variant && n == BP_MAX_VARIANTS)
        return bp_fail(err, BP_E_UNSUPPORTED,
                       "providers of this session have refused sizes of %u groups already; name "
                       "another provider for such sizes, or make a session for each",
                       n);
    if (!variant) {
        rc = make_for_sizes(session, run->refusal, *ported, &variant, err);
        if (rc < 0)
            return rc;
        rc = report_refused_sizes(session, run, err);
        atomic_store(at, variant);
    }
    atomic_store(slot_of(variant, run->hash), run->hash);
    *ported = &variant->ported;
    return rc;
}

bp_rc bp_session_refuse_sizes(bp_session *session, const struct bp_refused_run *run,
                              struct bp_ported **ported, bp_err *err)
{
    bp_rc rc;

    if (!has_next((*ported)->engine, run->refusal->unit))
        return bp_fail(err, BP_E_UNSUPPORTED,
                       "no other provider of the session takes these nodes; add one, cpu for one");
    pthread_mutex_lock(&session->lock);
    rc = find_or_make_for_sizes(session, run, ported, err);
    pthread_mutex_unlock(&session->lock);
    return rc;
}

/*
 * Destroys all variants. session.c calls it when no run is in flight, so no other thread reads the
 * list.
 */
void bp_session_drop_variants(bp_session *session)
{
    struct bp_variant *variant = atomic_exchange(&session->variants, NULL);

    while (variant) {
        struct bp_variant *next = atomic_load(&variant->next);

        destroy(variant);
        variant = next;
    }
}
