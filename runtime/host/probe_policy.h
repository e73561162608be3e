/* SPDX-License-Identifier: MIT */
/* probe_policy.h - whether a plug-in has to show in another process that it does no harm, and what came of it. */
#ifndef BP_HOST_PROBE_POLICY_H
#define BP_HOST_PROBE_POLICY_H

#include "base/log.h"
#include "host/inspect/manifest_cache.h"
#include "host/options/settings.h"
#include "host/probe/probe.h"
#include "host/probe/quarantine.h"

struct bp_candidate;
struct bp_registry;

/* Start from {0}. */
struct bp_probe_policy {
    uint32_t mode; /* BP_PROBE_*, never 0 */
    struct bp_probe_how how;
    char *helper;
    bool has_complained; /* that there is no helper */
    struct bp_quarantine quarantine;
};

/* What the application says, else the user by BACKPLANE_PROBE, its kin, and BACKPLANE_REGISTRY. */
bp_rc bp_probe_policy_init(struct bp_probe_policy *policy, const bp_env_config *config,
                           const struct bp_settings *settings, const struct bp_log *log,
                           bp_err *err) BP_CHECKED;
/* Where manifests are kept: beside the registry file, if there is one. */
bp_rc bp_probe_policy_cache(const struct bp_probe_policy *policy, struct bp_manifest_cache *cache,
                            bp_err *err) BP_CHECKED;
void bp_probe_policy_finish(struct bp_probe_policy *policy);
/*
 * Probes the candidates with is_asked, which it takes back, as far as they need it and have not been; all at
 * once. A candidate whose file is at fault ends with stage, reason and fix. BP_E_NOMEM: none was probed.
 */
bp_rc bp_probe_policy_apply(struct bp_registry *registry, bp_err *err) BP_CHECKED;
/* Forgets what is known of a candidate's file, here and in the registry file; it is probed when next asked. */
void bp_probe_policy_forget(struct bp_registry *registry, struct bp_candidate *candidate);

#endif
