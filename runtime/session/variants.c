/* SPDX-License-Identifier: MIT */
/* variants.c - engines of a session for feeds that its main one is not made for. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "session/session.h"

/* Is the variant for feeds of this kind? n: the required inputs. */
static bool is_for(const struct bp_variant *variant, bool has_open_scalars, const bool *without,
                   uint32_t n)
{
    if (variant->has_open_scalars != has_open_scalars || !variant->without != !without)
        return false;
    return !without || memcmp(variant->without, without, n * sizeof *without) == 0;
}

/* Also one that was not completed. */
static void destroy(struct bp_variant *variant)
{
    if (!variant)
        return;
    bp_session_finish_ported(&variant->ported);
    free(variant->without);
    free(variant);
}

/* A variant's mismatches go into the main engine's report, as that is the one applications see. */
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
    config.open_defaults = true;
    config.mismatches = bp_report_mismatches(session->main.engine->report);
    config.open_scalars = variant->has_open_scalars;
    rc = bp_session_make_ported(session, &config, &variant->ported, err);
    if (rc >= 0)
        rc = bp_session_repeat_changes(session, variant->ported.engine, err);
    free(names);
    return rc;
}

/* Makes a variant; *out is set when it is complete. */
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

/* With the lock. */
static bp_rc find_or_make(bp_session *session, bool has_open_scalars, const bool *without,
                          struct bp_ported **out, bp_err *err)
{
    _Atomic(struct bp_variant *) *at = &session->variants;
    struct bp_variant *variant;
    uint32_t n = 0;
    bp_rc rc;

    for (; (variant = atomic_load(at)) != NULL; at = &variant->next, n++) {
        if (is_for(variant, has_open_scalars, without, session->ports.n_required)) {
            *out = &variant->ported;
            return BP_OK;
        }
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
 * The lock is held while an engine is made: a second run of the kind waits for it and then uses it.
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

/* Nobody is in the list: session.c calls it when no run is in flight. */
void bp_session_drop_variants(bp_session *session)
{
    struct bp_variant *variant = atomic_exchange(&session->variants, NULL);

    while (variant) {
        struct bp_variant *next = atomic_load(&variant->next);

        destroy(variant);
        variant = next;
    }
}
