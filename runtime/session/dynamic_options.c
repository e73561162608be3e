/* SPDX-License-Identifier: MIT */
/* dynamic_options.c - options of providers that change while their session lives. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "session/session.h"

/*
 * Returns the instance of a provider, found by any spelling of its name; NULL: this engine has
 * dropped the provider, or never had it.
 */
static struct bp_active *find(struct bp_engine *engine, const char *name)
{
    for (uint32_t i = 0; engine && i < engine->providers.count; i++) {
        if (bp_provider_names_equal(engine->providers.active[i]->name, name))
            return engine->providers.active[i];
    }
    return NULL;
}

/*
 * Copies the option's present value, to restore it after a failure. NULL: out of memory, or there
 * is no such option.
 */
static char *present_value(const struct bp_active *active, const char *key)
{
    for (uint32_t i = 0; i < active->n_options; i++) {
        if (strcmp(active->options[i].key, key) == 0)
            return strdup(active->options[i].str);
    }
    return NULL;
}

/*
 * A new variant starts from the options the session was created with; options changed since are
 * copied from the main engine.
 */
bp_rc bp_session_repeat_changes(bp_session *session, struct bp_engine *engine, bp_err *err)
{
    const struct bp_provider_list *providers = &session->main.engine->providers;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < providers->count; i++) {
        const struct bp_active *from = providers->active[i];
        struct bp_active *to = find(engine, from->name);

        for (uint32_t j = 0; rc >= 0 && to && from->changed && j < from->n_options; j++) {
            if (from->changed[j])
                rc = bp_active_set_option(to, from->options[j].key, from->changed[j], err);
        }
    }
    return rc;
}

/* Sets the option in the engines before index n that have the provider. */
static bp_rc set_all(bp_session *session, uint32_t n, const char *name, const char *key,
                     const char *value, uint32_t *n_set, bp_err *err)
{
    struct bp_engine *engine;
    bp_rc rc = BP_OK;

    for (*n_set = 0; *n_set < n; ++*n_set) {
        struct bp_active *active;

        engine = bp_session_engine(session, *n_set);
        if (!engine)
            break;
        active = find(engine, name);
        rc = active ? bp_active_set_option(active, key, value, err) : BP_OK;
        if (rc < 0)
            break;
    }
    return rc;
}

/* Changes the option in all engines, or after a failure in none. */
static bp_rc change(bp_session *session, const char *name, const char *key, const char *value,
                    bp_err *err)
{
    struct bp_active *active = find(session->main.engine, name);
    uint32_t n_set;
    char *before;
    bp_rc rc;

    if (!active)
        return bp_fail(err, BP_E_INVALID, "the session has no provider '%s'", name);
    before = present_value(active, key);
    rc = set_all(session, UINT32_MAX, name, key, value, &n_set, err);
    if (rc < 0 && before)
        (void)!set_all(session, n_set, name, key, before, &n_set, NULL);
    free(before);
    return rc;
}

/* The lock prevents that a variant is created with the old value meanwhile. */
bp_rc bp_session_set_option(bp_session *session, const char *provider, const char *key,
                            const char *value, bp_err *err)
{
    bp_rc rc;

    if (!session)
        return bp_fail_null(err, "the session");
    if (!provider)
        return bp_fail_null(err, "the name of the provider");
    if (!key)
        return bp_fail_null(err, "the key of the option");
    if (!value)
        return bp_fail_null(err, "the value of the option");
    if (!session || !provider || !key || !value)
        return bp_fail(err, BP_E_INVALID, "a change needs a session, a provider, a key, a value");
    pthread_mutex_lock(&session->lock);
    rc = change(session, provider, key, value, err);
    pthread_mutex_unlock(&session->lock);
    return bp_done(err, rc);
}
