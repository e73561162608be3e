/* SPDX-License-Identifier: MIT */
/*
 * provider_list.h - the providers of a session: asked for, opened, with options, in order, CPU
 * last.
 */
#ifndef BP_COMPILE_PROVIDER_LIST_H
#define BP_COMPILE_PROVIDER_LIST_H

#include "base/fork.h"
#include "base/memory.h"
#include "host/env.h"
#include "plan/partition.h"
#include "report/report.h"

/* A provider that got as far as an instance. */
struct bp_active {
    const char *name;
    const bp_provider *provider;
    bp_instance *instance;
    bp_opt *options;    /* as the provider got them */
    uint32_t *origins;  /* BP_ORIGIN_*, one an option */
    uint32_t n_options; /* the schema's, then keys outside of it */
    char **changed;     /* texts of options that were changed since, one each; or NULL */
    uint32_t fallback;  /* in force */
    double min_share;   /* of the nodes that providers run, 0..1 */
    uint32_t row;       /* in the report */
    struct bp_asked_device *devices; /* of the instance, n_devices >= 1 */
    uint32_t n_devices;
    uint32_t *chosen; /* those that create got, as bp_provider.device counts; n_chosen 0: none */
    uint32_t n_chosen;
    struct bp_services services;
    struct bp_provider_memory *memory; /* that its groups use; never NULL */
    bp_provider after_fork;            /* what `provider` is in a child that cannot use it */
    struct bp_refused *refused; /* nodes that it gave back; NULL: what it refuses is an error */
};

/*
 * The providers of an engine, each with one instance. Changed by one thread, while no run is in
 * flight.
 */
struct bp_provider_list {
    struct bp_env *env;
    const struct bp_log *log;  /* the session's or the environment's */
    struct bp_pool *pool;      /* the same */
    struct bp_active **active; /* highest priority first */
    uint32_t count;
    struct bp_region region;
    struct bp_fork_watch fork;
    const char *lost; /* a provider that the child of a fork() cannot use; NULL: there is none */
};

/* What a provider list is made from. */
struct bp_provider_list_config {
    const struct bp_spec_list *own; /* the session's, before the environment's; may be NULL */
    bool ignore_env;
    uint32_t fallback; /* of rows with BP_FALLBACK_DEFAULT; never that itself */
    bool strict;       /* all that are named are required; so it is where the env is strict */
    uint32_t threads;  /* as bp_session_options_set_threads */
    const struct bp_log *log; /* the session's; NULL: the environment's */
    struct bp_pool *pool;     /* the session's; NULL: the environment's */
    bool has_custom;          /* the provider of the application's operators comes in, before CPU */
};

/*
 * Opens each provider in order and makes its instance; a row in `report` for each. A name that
 * that is not known and a wrong option are errors whatever the policy; what is missing or fails here is
 * one with BP_FALLBACK_REQUIRE only. Where neither list names any, those of BACKPLANE_PROVIDERS are
 * taken. Without CPU among them it is added. On failure finish it all the same.
 */
bp_rc bp_provider_list_init(struct bp_provider_list *providers, struct bp_env *env,
                            const struct bp_provider_list_config *config, bp_report *report,
                            bp_err *err) BP_CHECKED;
bp_rc bp_provider_list_fail_fork(const struct bp_provider_list *providers, bp_err *err) BP_CHECKED;
/*
 * BP_E_UNAVAILABLE: this is the child of a fork(), which a provider of the list does not survive.
 * Nothing of its instance is called there, which is left as it is. [any thread]
 */
static inline bp_rc bp_provider_list_check_fork(const struct bp_provider_list *providers,
                                                bp_err *err)
{
    return providers->lost ? bp_provider_list_fail_fork(providers, err) : BP_OK;
}
/* Host memory that a provider holds beside frames: weights and caches. */
struct bp_held_beside {
    uint64_t weights, caches, own_weights, own_caches; /* bytes; own: of its own memory */
};
/* As it says now; nothing, if it does not say. [any thread, as the next] */
struct bp_held_beside bp_active_held(const struct bp_active *active);
/* Host memory of all of them, in bytes. */
uint64_t bp_provider_list_bytes(const struct bp_provider_list *providers);
/* Destroys the instances. {0} is fine. */
void bp_provider_list_finish(struct bp_provider_list *providers);

/*
 * provider_list_options.c: fills active->options and origins; *device: the host's option of that
 * name, NULL where it is not given. BP_E_OPTION: one is wrong.
 */
bp_rc bp_provider_list_gather_options(struct bp_provider_list *providers,
                                      const struct bp_candidate *found, const struct bp_spec *spec,
                                      struct bp_active *active, const char **device,
                                      bp_err *err) BP_CHECKED;
/* Puts them into the report, in the row of the instance, which was added last. */
bp_rc bp_provider_list_record_options(const struct bp_active *active, bp_report *report,
                                      bp_err *err) BP_CHECKED;

/*
 * Changes an option of an instance; on failure it is as before. BP_E_OPTION, BP_E_UNSUPPORTED as
 * bp_options_check_change() has them, or what the provider answers.
 */
bp_rc bp_active_set_option(struct bp_active *active, const char *key, const char *value,
                           bp_err *err) BP_CHECKED;

/*
 * Provider i cannot be used after all: recorded in the report, logged by its policy, and taken out
 * of the list; none of its programs may be left. With BP_FALLBACK_REQUIRE the reason comes back as
 * an error.
 */
bp_rc bp_provider_list_drop(struct bp_provider_list *providers, uint32_t i, bp_report *report,
                            uint32_t stage, bp_rc code, const char *reason, bp_err *err) BP_CHECKED;

#endif
