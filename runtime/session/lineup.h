/* SPDX-License-Identifier: MIT */
/* lineup.h - the providers of a session: asked for, opened, with options, in order, CPU last. */
#ifndef BP_SESSION_LINEUP_H
#define BP_SESSION_LINEUP_H

#include "host/env.h"
#include "plan/partition.h"
#include "plan/report.h"

/* A provider that got as far as an instance. */
struct bp_active {
    const char *name;
    const bp_provider *provider;
    bp_instance *instance;
    bp_opt *options; /* as the provider got them */
    char **changed;  /* one an option, or NULL: its text, once bp_lineup_set_option() set it */
    uint32_t n_options;
    uint32_t fallback; /* in force */
    double min_share;  /* of the nodes that providers run, 0..1 */
    uint32_t row;      /* in the report */
    struct bp_services services;
};

struct bp_lineup {
    struct bp_env *env;
    struct bp_active **active; /* highest priority first */
    uint32_t count;
    struct bp_region region;
};

/* What a lineup is made from. */
struct bp_lineup_wish {
    const struct bp_spec_list *own; /* the session's, before the environment's; may be NULL */
    bool ignore_env;
    uint32_t fallback; /* of rows with BP_FALLBACK_DEFAULT; never that itself */
    bool strict;       /* all that are named are required; so it is where the env is strict */
    uint32_t threads;  /* as bp_session_options_set_threads */
};

/*
 * Opens each provider in order and makes its instance; a row in `report` for each. A name that
 * nobody knows and a wrong option are errors whatever the policy; what is missing or fails here is
 * one with BP_FALLBACK_REQUIRE only. Without CPU among them it is added. On failure finish it all
 * the same.
 */
bp_rc bp_lineup_init(struct bp_lineup *lineup, struct bp_env *env,
                     const struct bp_lineup_wish *wish, bp_report *report, bp_err *err) BP_CHECKED;
void bp_lineup_finish(struct bp_lineup *lineup);

/*
 * Changes a dynamic option of the provider of this name (in any spelling), between its calls. *key
 * may be changed only as bp_options_check_change() says; the rest is the provider's word.
 */
bp_rc bp_lineup_set_option(struct bp_lineup *lineup, const char *name, const char *key,
                           const char *value, bp_err *err) BP_CHECKED;
/* Makes all those changes in another lineup of the same providers. */
bp_rc bp_lineup_repeat_changes(const struct bp_lineup *from, struct bp_lineup *to,
                               bp_err *err) BP_CHECKED;

/*
 * Provider i is of no use after all: recorded in the report, logged by its policy, and taken out of
 * the list; none of its programs may be left. With BP_FALLBACK_REQUIRE the reason comes back as an
 * error.
 */
bp_rc bp_lineup_drop(struct bp_lineup *lineup, uint32_t i, bp_report *report, uint32_t stage,
                     bp_rc code, const char *reason, bp_err *err) BP_CHECKED;

#endif
