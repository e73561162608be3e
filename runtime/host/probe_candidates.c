/* SPDX-License-Identifier: MIT */
/* probe_candidates.c - applies the probe policy: probes candidates and records the results. */

#include "config.h"

#include "host/probe_candidates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "host/load/loader.h"
#include "host/recheck.h"

/*
 * Is a candidate exempt? CPU is, because a process that cannot use it has nothing left; and so is
 * one that this process has opened, because it has shown what it does.
 */
static bool needs_probe(const struct bp_registry *registry, const struct bp_candidate *candidate)
{
    if (!candidate->file || candidate->progress != BP_CANDIDATE_INSPECTED ||
        !bp_candidate_is_fit(candidate))
        return false;
    if (registry->probe_policy.mode == BP_PROBE_OFF || bp_loader_has(candidate->file))
        return false;
    return registry->probe_policy.mode == BP_PROBE_ALWAYS || strcmp(candidate->name, "cpu") != 0;
}

#define FIX                                                                                        \
    "tell its author; until then remove it, or set BACKPLANE_PROBE=off to load it all the same"

/* Writes the time since then: "3 min". */
static const char *since(int64_t when, char buf[32])
{
    long long s = (long long)time(NULL) - when;

    if (s < 120)
        snprintf(buf, 32, "%lld s", s < 0 ? 0 : s);
    else if (s < 120 * 60)
        snprintf(buf, 32, "%lld min", s / 60);
    else if (s < 48 * 3600)
        snprintf(buf, 32, "%lld h", s / 3600);
    else
        snprintf(buf, 32, "%lld days", s / 86400);
    return buf;
}

/*
 * Is the result of a probe known from an earlier process? With BACKPLANE_PROBE=always such results
 * do not count, but a quarantine does.
 */
static bool recall(struct bp_registry *registry, struct bp_candidate *candidate)
{
    struct bp_probe_policy *policy = &registry->probe_policy;
    const struct bp_quarantine_entry *known = NULL;
    char age[32], fix[sizeof candidate->fix];

    if (policy->quarantine.file && !candidate->key[0] &&
        !bp_quarantine_key(candidate->file, &candidate->inspected.manifest, candidate->key))
        candidate->key[0] = '\0';
    if (candidate->key[0])
        known = bp_quarantine_find(&policy->quarantine, candidate->key, registry->log);
    if (!known || (policy->mode == BP_PROBE_ALWAYS && known->failures < BP_QUARANTINE_FAILURES))
        return false;
    bp_candidate_pass_probe(candidate);
    since(known->when, age);
    if (known->failures >= BP_QUARANTINE_FAILURES) {
        snprintf(fix, sizeof fix, "install another version of it, or: backplane doctor retry %.63s",
                 candidate->name);
        bp_candidate_fail_probe(candidate, BP_STAGE_QUARANTINE, fix,
                                "%s has failed %u times, the last %s ago: %s", candidate->file,
                                known->failures, age, known->words);
    } else if (known->failures > 0) {
        bp_candidate_fail_probe(
            candidate, known->stage, FIX,
            "%s: %s; that was %s ago, and it is not tried again before 10 min have passed",
            candidate->file, known->words, age);
    }
    return true;
}

void bp_probe_forget(struct bp_registry *registry, struct bp_candidate *candidate)
{
    if (!candidate->file)
        return;
    bp_quarantine_forget(&registry->probe_policy.quarantine, candidate->file, registry->log);
    bp_quarantine_save(&registry->probe_policy.quarantine, registry->log);
    bp_candidate_forget_probe(candidate);
    candidate->key[0] = '\0';
}

/* Decides without a helper: the user's word `always` means that nothing is opened unprobed. */
static void not_run(struct bp_registry *registry, struct bp_candidate *candidate,
                    const struct bp_probe *probe)
{
    struct bp_probe_policy *policy = &registry->probe_policy;

    if (policy->mode == BP_PROBE_ALWAYS) {
        bp_candidate_fail_probe(candidate, BP_STAGE_QUARANTINE,
                                "make the helper work, or set BACKPLANE_PROBE=auto",
                                "%s could not be probed: %s", candidate->file, probe->words);
        return;
    }
    if (!policy->has_complained)
        bp_log(registry->log, BP_LOG_WARN, "host",
               "plug-ins are opened without being tried in a process of their own first: %s",
               probe->words);
    policy->has_complained = true;
}

/*
 * Records what the next process should know. A helper that could not run says nothing about the
 * plug-in, and a refusal may depend on present devices, so neither is recorded.
 */
static void remember(struct bp_registry *registry, const struct bp_candidate *candidate,
                     const struct bp_probe *probe)
{
    struct bp_quarantine *quarantine = &registry->probe_policy.quarantine;

    if (!candidate->key[0])
        return;
    if (bp_probe_has_failed(probe))
        bp_quarantine_record(quarantine, candidate->key, candidate->file, probe->stage,
                             probe->words);
    else if (probe->end == BP_PROBE_CLEAN && probe->code >= 0)
        bp_quarantine_record(quarantine, candidate->key, candidate->file, 0, NULL);
}

/* Settles the candidate; the result of the probe comes last, so that the verdict shows it. */
static void take_result(struct bp_registry *registry, struct bp_candidate *candidate,
                        const struct bp_probe *probe)
{
    bp_candidate_pass_probe(candidate);
    remember(registry, candidate, probe);
    bp_recheck_libraries(registry, candidate, probe->files);
    if (probe->end == BP_PROBE_NOT_RUN)
        not_run(registry, candidate, probe);
    else if (probe->end != BP_PROBE_CLEAN)
        bp_candidate_fail_probe(
            candidate, probe->stage, FIX,
            "%s: %s; that was in a process of its own, and it is not opened here", candidate->file,
            probe->words);
    bp_log(registry->log, BP_LOG_DEBUG, "host", "%s: probed: %s", candidate->file,
           probe->end == BP_PROBE_CLEAN && probe->code >= 0 ? "usable" : probe->words);
}

/* Counts the candidates to probe, which keep is_to_probe. */
static uint32_t choose(struct bp_registry *registry)
{
    uint32_t n = 0;

    for (struct bp_candidate *candidate = registry->first; candidate; candidate = candidate->next) {
        candidate->is_to_probe = candidate->is_to_probe && needs_probe(registry, candidate) &&
                                 !recall(registry, candidate);
        n += candidate->is_to_probe;
    }
    return n;
}

/* Rechecks the file first, because a probe runs the plug-in's code, too. */
static void recheck(struct bp_registry *registry, struct bp_candidate *candidate)
{
    struct bp_file_id id;
    int fd;

    if (candidate->progress == BP_CANDIDATE_OPENED)
        return;
    fd = bp_recheck_file(registry, candidate, &id);
    if (fd >= 0)
        close(fd);
}

/*
 * Walks the list twice in the same order: probes[] has one entry for each candidate that is still
 * to be probed.
 */
bp_rc bp_probe_candidates(struct bp_registry *registry, bp_err *err)
{
    uint32_t n, at = 0;
    struct bp_probe *probes;

    for (struct bp_candidate *candidate = registry->first; candidate; candidate = candidate->next) {
        if (candidate->is_to_probe)
            recheck(registry, candidate);
    }
    n = choose(registry);
    if (n == 0)
        return BP_OK;
    probes = calloc(n, sizeof *probes);
    if (!probes)
        return bp_fail_nomem(err, "trying plug-ins");
    for (const struct bp_candidate *candidate = registry->first; candidate;
         candidate = candidate->next) {
        if (candidate->is_to_probe) {
            probes[at].path = candidate->file;
            probes[at++].id =
                candidate->inspected.manifest.id ? candidate->inspected.manifest.id : "";
        }
    }
    bp_probe_run(&registry->probe_policy.how, probes, n);
    at = 0;
    for (struct bp_candidate *candidate = registry->first; candidate; candidate = candidate->next) {
        if (candidate->is_to_probe)
            take_result(registry, candidate, &probes[at++]);
        candidate->is_to_probe = false;
    }
    for (at = 0; at < n; at++)
        free(probes[at].files);
    bp_quarantine_save(&registry->probe_policy.quarantine, registry->log);
    free(probes);
    return BP_OK;
}

/* Is it in quarantine? Then it has failed often enough. */
static bool is_quarantined(struct bp_registry *registry, struct bp_candidate *candidate)
{
    uint32_t mode = registry->probe_policy.mode;
    bool is_known;

    registry->probe_policy.mode =
        BP_PROBE_ALWAYS; /* other results of earlier processes don't count */
    is_known = recall(registry, candidate);
    registry->probe_policy.mode = mode;
    return is_known;
}

bool bp_probe_one(struct bp_registry *registry, struct bp_candidate *candidate,
                  struct bp_stage_verdict *verdict)
{
    struct bp_probe probe = {
        .path = candidate->file,
        .id = candidate->inspected.manifest.id ? candidate->inspected.manifest.id : ""};

    if (is_quarantined(registry, candidate)) {
        *verdict = candidate->verdict;
        return false;
    }
    bp_probe_run(&registry->probe_policy.how, &probe, 1);
    if (probe.end == BP_PROBE_NOT_RUN) {
        bp_stage_refuse(verdict, BP_STAGE_QUARANTINE, BP_E_UNAVAILABLE,
                        "make the helper work, or leave the probe out",
                        "%s could not be probed: %s", candidate->file, probe.words);
        return false;
    }
    take_result(registry, candidate, &probe);
    bp_quarantine_save(&registry->probe_policy.quarantine, registry->log);
    *verdict = candidate->verdict;
    if (verdict->code >= 0) {
        verdict->stage = probe.stage;
        if (probe.code < 0)
            bp_stage_refuse(verdict, probe.stage, probe.code, probe.fix, "%s", probe.words);
    }
    free(probe.files);
    return true;
}
