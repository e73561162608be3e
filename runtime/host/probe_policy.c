/* SPDX-License-Identifier: MIT */
/* probe_policy.c - what application and user have set for probes, and where results are kept. */

#include "config.h"

#include "host/probe_policy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_trust.h"
#include "text/text.h"

enum { DEFAULT_TIMEOUT_MS = 2000, MAX_TIMEOUT_MS = 600000 };

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

/* Reads a time limit; an invalid value gives a warning and the default, never "no limit". */
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

/*
 * Returns the file in the user's cache directory; NULL: none, or no memory. XDG Base Directory
 * Specification: relative paths in its variables count as unset.
 */
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

/*
 * Nothing is written unless it was asked for, and a program with raised privileges reads nothing.
 */
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

/*
 * The application's settings take precedence over variables. A wrong setting is an error, a wrong
 * variable a warning, because its user may be unable to change the program.
 */
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

/*
 * Without a quarantine file there is no cache either, because both record which plug-ins the user
 * has.
 */
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
