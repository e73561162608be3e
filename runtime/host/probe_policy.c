/* SPDX-License-Identifier: MIT */
/* probe_policy.c - which plug-ins are probed before they are opened here, and what follows from it. */

#include "config.h"

#include "host/probe_policy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file_trust.h"
#include "base/text.h"
#include "host/candidates.h"
#include "host/load/loader.h"
#include "host/recheck.h"

enum { DEFAULT_TIMEOUT_MS = 2000, MAX_TIMEOUT_MS = 600000 };

/* ---- what is wanted -------------------------------------------------------------------------- */

static uint32_t mode_of(const struct bp_settings *settings, const struct bp_log *log)
{
    static const struct {
        const char *word;
        uint32_t mode;
    } words[] = {{"auto", BP_PROBE_AUTO}, {"always", BP_PROBE_ALWAYS}, {"off", BP_PROBE_OFF}};
    const char *word = bp_settings_get(settings, "BACKPLANE_PROBE");

    for (size_t i = 0; word && i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(word, words[i].word) == 0)
            return words[i].mode;
    }
    if (word)
        bp_log(log, BP_LOG_WARN, "host",
               "BACKPLANE_PROBE is auto, always or off; '%s' counts as auto", word);
    return BP_PROBE_AUTO;
}

static uint32_t timeout_of(const struct bp_settings *settings, const struct bp_log *log)
{
    const char *text = bp_settings_get(settings, "BACKPLANE_PROBE_TIMEOUT_MS");
    unsigned long ms;
    char *end;

    if (!text)
        return DEFAULT_TIMEOUT_MS;
    errno = 0;
    ms = strtoul(text, &end, 10);
    if (errno == 0 && text[0] >= '0' && text[0] <= '9' && !*end && ms >= 1 && ms <= MAX_TIMEOUT_MS)
        return (uint32_t)ms;
    bp_log(log, BP_LOG_WARN, "host",
           "BACKPLANE_PROBE_TIMEOUT_MS is a number from 1 to %d; '%s' counts as %d", MAX_TIMEOUT_MS,
           text, DEFAULT_TIMEOUT_MS);
    return DEFAULT_TIMEOUT_MS;
}

static const char *helper_of(const struct bp_settings *settings, const struct bp_log *log)
{
    const char *path = bp_settings_get(settings, "BACKPLANE_PROBE_HELPER");

    if (path && path[0] == '/')
        return path;
    if (path)
        bp_log(log, BP_LOG_WARN, "host",
               "BACKPLANE_PROBE_HELPER: '%s' does not count, it is not absolute", path);
    return BP_PROBE_PATH;
}

/* The file in the user's cache directory; NULL: there is none, or no memory. */
static char *user_registry(void)
{
    const char *cache = secure_getenv("XDG_CACHE_HOME");
    const char *home = secure_getenv("HOME");
    struct bp_text path = {0};

    if (cache && cache[0] == '/')
        bp_text_printf(&path, "%s/backplane/registry", cache);
    else if (home && home[0] == '/')
        bp_text_printf(&path, "%s/.cache/backplane/registry", home);
    return bp_text_take(&path);
}

/* Nothing is written unless somebody asks for it, and nothing is believed in a raised program. */
static bp_rc set_registry(struct bp_probe_policy *policy, const bp_env_config *config,
                          const struct bp_settings *settings, const struct bp_log *log, bp_err *err)
{
    const char *given =
        config->registry ? config->registry : bp_settings_get(settings, "BACKPLANE_REGISTRY");

    if (!given || strcmp(given, "off") == 0 || bp_trust_is_elevated())
        return BP_OK;
    if (strcmp(given, "user") == 0) {
        policy->quarantine.file = bp_settings_count(config->flags) ? user_registry() : NULL;
        return BP_OK;
    }
    if (given[0] == '/') {
        policy->quarantine.file = strdup(given);
        return policy->quarantine.file ? BP_OK : bp_fail_nomem(err, "the path of the registry");
    }
    if (config->registry)
        return bp_fail(err, BP_E_INVALID,
                       "bp_env_config: registry is an absolute path, 'user' or 'off', not '%s'",
                       given);
    bp_log(log, BP_LOG_WARN, "host",
           "BACKPLANE_REGISTRY is an absolute path, user or off; '%s' counts as off", given);
    return BP_OK;
}

bp_rc bp_probe_policy_init(struct bp_probe_policy *policy, const bp_env_config *config,
                           const struct bp_settings *settings, const struct bp_log *log,
                           bp_err *err)
{
    if (config->probe > BP_PROBE_OFF)
        return bp_fail(err, BP_E_INVALID, "bp_env_config: probe is %u; use a BP_PROBE_* constant",
                       config->probe);
    if (config->probe_timeout_ms > MAX_TIMEOUT_MS)
        return bp_fail(err, BP_E_INVALID, "bp_env_config: probe_timeout_ms is %u, at most %d",
                       config->probe_timeout_ms, MAX_TIMEOUT_MS);
    if (config->probe_helper && config->probe_helper[0] != '/')
        return bp_fail(err, BP_E_INVALID, "bp_env_config: probe_helper '%s' is not absolute",
                       config->probe_helper);
    policy->helper = strdup(config->probe_helper ? config->probe_helper : helper_of(settings, log));
    if (!policy->helper)
        return bp_fail_nomem(err, "the path of backplane-probe");
    policy->mode = config->probe ? config->probe : mode_of(settings, log);
    policy->how = (struct bp_probe_how){
        .helper = policy->helper,
        .timeout_ms =
            config->probe_timeout_ms ? config->probe_timeout_ms : timeout_of(settings, log),
    };
    return set_registry(policy, config, settings, log, err);
}

bp_rc bp_probe_policy_cache(const struct bp_probe_policy *policy, struct bp_manifest_cache *cache,
                            bp_err *err)
{
    struct bp_text path = {0};

    if (!policy->quarantine.file)
        return BP_OK;
    bp_text_printf(&path, "%s.manifests", policy->quarantine.file);
    cache->file = bp_text_take(&path);
    return cache->file ? BP_OK : bp_fail_nomem(err, "the path of the registry");
}

void bp_probe_policy_finish(struct bp_probe_policy *policy)
{
    free(policy->helper);
    bp_quarantine_finish(&policy->quarantine);
    *policy = (struct bp_probe_policy){0};
}

/* ---- what came of it ------------------------------------------------------------------------- */

/*
 * CPU is what is left when nothing else works: a process that cannot have it cannot do without it
 * either. What is open here already has shown what it does.
 */
static bool needs_probe(const struct bp_registry *registry, const struct bp_candidate *candidate)
{
    if (!candidate->file || candidate->is_tried || candidate->is_probed ||
        !bp_candidate_is_fit(candidate))
        return false;
    if (registry->probe_policy.mode == BP_PROBE_OFF || bp_loader_has(candidate->file))
        return false;
    return registry->probe_policy.mode == BP_PROBE_ALWAYS || strcmp(candidate->name, "cpu") != 0;
}

#define FIX                                                                                        \
    "tell its author; until then remove it, or set BACKPLANE_PROBE=off to load it all the same"

/* Ends a candidate because of what it did in a probe. */
static void refuse(struct bp_candidate *candidate, uint32_t stage, const char *fix, const char *fmt,
                   ...) BP_PRINTF(4, 5);
static void refuse(struct bp_candidate *candidate, uint32_t stage, const char *fix, const char *fmt,
                   ...)
{
    char text[sizeof candidate->reason];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    candidate->is_struck = true;
    bp_stage_refuse(&candidate->verdict, stage, BP_E_UNAVAILABLE, fix, "%s", text);
}

/* "3 min" since then. */
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

/* Is it known from an earlier process what comes of a candidate? Then there is no need to probe it. */
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
    candidate->is_probed = true;
    since(known->when, age);
    if (known->failures >= BP_QUARANTINE_FAILURES) {
        snprintf(fix, sizeof fix, "install another version of it, or: backplane doctor retry %.63s",
                 candidate->name);
        refuse(candidate, BP_STAGE_QUARANTINE, fix, "%s has failed %u times, the last %s ago: %s",
               candidate->file, known->failures, age, known->words);
    } else if (known->failures > 0) {
        refuse(candidate, known->stage, FIX,
               "%s: %s; that was %s ago, and it is not tried again before 10 min have passed",
               candidate->file, known->words, age);
    }
    return true;
}

void bp_probe_policy_forget(struct bp_registry *registry, struct bp_candidate *candidate)
{
    if (!candidate->file)
        return;
    bp_quarantine_forget(&registry->probe_policy.quarantine, candidate->file, registry->log);
    bp_quarantine_save(&registry->probe_policy.quarantine, registry->log);
    if (candidate->is_struck)
        candidate->verdict = (struct bp_stage_verdict){.stage = BP_STAGE_POLICY};
    candidate->is_struck = candidate->is_probed = false;
    candidate->key[0] = '\0';
}

/* Without a helper the user's word decides: `always` means never unprobed. */
static void not_run(struct bp_registry *registry, struct bp_candidate *candidate,
                    const struct bp_probe *probe)
{
    struct bp_probe_policy *policy = &registry->probe_policy;

    if (policy->mode == BP_PROBE_ALWAYS) {
        refuse(candidate, BP_STAGE_QUARANTINE, "make the helper work, or set BACKPLANE_PROBE=auto",
               "%s could not be probed: %s", candidate->file, probe->words);
        return;
    }
    if (!policy->has_complained)
        bp_log(registry->log, BP_LOG_WARN, "host",
               "plug-ins are opened without being tried in a process of their own first: %s",
               probe->words);
    policy->has_complained = true;
}

/* What the next process should know. */
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

static void take_result(struct bp_registry *registry, struct bp_candidate *candidate,
                        const struct bp_probe *probe)
{
    candidate->is_probed = true;
    remember(registry, candidate, probe);
    bp_recheck_libraries(registry, candidate, probe->files);
    if (probe->end == BP_PROBE_NOT_RUN)
        not_run(registry, candidate, probe);
    else if (probe->end != BP_PROBE_CLEAN)
        refuse(candidate, probe->stage, FIX,
               "%s: %s; that was in a process of its own, and it is not opened here",
               candidate->file, probe->words);
    bp_log(registry->log, BP_LOG_DEBUG, "host", "%s: probed: %s", candidate->file,
           probe->end == BP_PROBE_CLEAN && probe->code >= 0 ? "usable" : probe->words);
}

/* How many are to be probed; is_asked stays with those. */
static uint32_t choose(struct bp_registry *registry)
{
    uint32_t n = 0;

    for (struct bp_candidate *candidate = registry->first; candidate; candidate = candidate->next) {
        candidate->is_asked =
            candidate->is_asked && needs_probe(registry, candidate) && !recall(registry, candidate);
        n += candidate->is_asked;
    }
    return n;
}

/* A probe runs the plug-in's code as well: so its file is rechecked before. */
static void recheck(struct bp_registry *registry, struct bp_candidate *candidate)
{
    struct bp_file_id id;
    int fd;

    if (candidate->is_tried)
        return;
    fd = bp_recheck_file(registry, candidate, &id);
    if (fd >= 0)
        close(fd);
}

bp_rc bp_probe_policy_apply(struct bp_registry *registry, bp_err *err)
{
    uint32_t n, at = 0;
    struct bp_probe *probes;

    for (struct bp_candidate *candidate = registry->first; candidate; candidate = candidate->next) {
        if (candidate->is_asked)
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
        if (candidate->is_asked) {
            probes[at].path = candidate->file;
            probes[at++].id =
                candidate->inspected.manifest.id ? candidate->inspected.manifest.id : "";
        }
    }
    bp_probe_run(&registry->probe_policy.how, probes, n);
    at = 0;
    for (struct bp_candidate *candidate = registry->first; candidate; candidate = candidate->next) {
        if (candidate->is_asked)
            take_result(registry, candidate, &probes[at++]);
        candidate->is_asked = false;
    }
    for (at = 0; at < n; at++)
        free(probes[at].files);
    bp_quarantine_save(&registry->probe_policy.quarantine, registry->log);
    free(probes);
    return BP_OK;
}
