/* SPDX-License-Identifier: MIT */
/* probe_policy.h - which plug-ins are tried in a process of their own first, and how. */
#ifndef BP_HOST_PROBE_POLICY_H
#define BP_HOST_PROBE_POLICY_H

#include "base/log.h"
#include "host/inspect/manifest_cache.h"
#include "host/options/settings.h"
#include "host/probe/probe.h"
#include "host/probe/quarantine.h"

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

#endif
