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
static bp_rc set_registry(struct bp_screen *screen, const bp_env_config *config,
                          const struct bp_settings *settings, const struct bp_log *log, bp_err *err)
{
    const char *given =
        config->registry ? config->registry : bp_settings_get(settings, "BACKPLANE_REGISTRY");

    if (!given || strcmp(given, "off") == 0 || bp_trust_is_elevated())
        return BP_OK;
    if (strcmp(given, "user") == 0) {
        screen->strikes.file = bp_settings_count(config->flags) ? user_registry() : NULL;
        return BP_OK;
    }
    if (given[0] == '/') {
        screen->strikes.file = strdup(given);
        return screen->strikes.file ? BP_OK : bp_fail_nomem(err, "the path of the registry");
    }
    if (config->registry)
        return bp_fail(err, BP_E_INVALID,
                       "bp_env_config: registry is an absolute path, 'user' or 'off', not '%s'",
                       given);
    bp_log(log, BP_LOG_WARN, "host",
           "BACKPLANE_REGISTRY is an absolute path, user or off; '%s' counts as off", given);
    return BP_OK;
}

bp_rc bp_screen_init(struct bp_screen *screen, const bp_env_config *config,
                     const struct bp_settings *settings, const struct bp_log *log, bp_err *err)
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
    screen->helper = strdup(config->probe_helper ? config->probe_helper : helper_of(settings, log));
    if (!screen->helper)
        return bp_fail_nomem(err, "the path of backplane-probe");
    screen->mode = config->probe ? config->probe : mode_of(settings, log);
    screen->how = (struct bp_probe_how){
        .helper = screen->helper,
        .timeout_ms =
            config->probe_timeout_ms ? config->probe_timeout_ms : timeout_of(settings, log),
    };
    return set_registry(screen, config, settings, log, err);
}

bp_rc bp_screen_notes(const struct bp_screen *screen, struct bp_notes *notes, bp_err *err)
{
    struct bp_text path = {0};

    if (!screen->strikes.file)
        return BP_OK;
    bp_text_printf(&path, "%s.notes", screen->strikes.file);
    notes->file = bp_text_take(&path);
    return notes->file ? BP_OK : bp_fail_nomem(err, "the path of the registry");
}

void bp_screen_finish(struct bp_screen *screen)
{
    free(screen->helper);
    bp_strikes_finish(&screen->strikes);
    *screen = (struct bp_screen){0};
}

/* ---- what came of it ------------------------------------------------------------------------- */

/*
 * CPU is what is left when nothing else works: a process that cannot have it cannot do without it
 * either. What is open here already has shown what it does.
 */
static bool needs_probe(const struct bp_registry *registry, const struct bp_found *row)
{
    if (!row->file || row->is_tried || row->is_screened || !bp_row_is_fit(row))
        return false;
    if (registry->screen.mode == BP_PROBE_OFF || bp_loader_has(row->file))
        return false;
    return registry->screen.mode == BP_PROBE_ALWAYS || strcmp(row->name, "cpu") != 0;
}

#define FIX                                                                                        \
    "tell its author; until then remove it, or set BACKPLANE_PROBE=off to load it all the same"

/* Ends a row because of what it did in a probe. */
static void strike(struct bp_found *row, uint32_t stage, const char *fix, const char *fmt, ...)
    BP_PRINTF(4, 5);
static void strike(struct bp_found *row, uint32_t stage, const char *fix, const char *fmt, ...)
{
    char text[sizeof row->reason];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    row->is_struck = true;
    bp_ruling_end(&row->verdict, stage, BP_E_UNAVAILABLE, fix, "%s", text);
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

/* Is it known from an earlier process what comes of a row? Then there is no need to probe it. */
static bool recall(struct bp_registry *registry, struct bp_found *row)
{
    struct bp_screen *screen = &registry->screen;
    const struct bp_strike *known = NULL;
    char age[32], fix[sizeof row->fix];

    if (screen->strikes.file && !row->key[0] &&
        !bp_strikes_key(row->file, &row->vetted.note, row->key))
        row->key[0] = '\0';
    if (row->key[0])
        known = bp_strikes_find(&screen->strikes, row->key, registry->log);
    if (!known || (screen->mode == BP_PROBE_ALWAYS && known->strikes < BP_STRIKES_MAX))
        return false;
    row->is_screened = true;
    since(known->when, age);
    if (known->strikes >= BP_STRIKES_MAX) {
        snprintf(fix, sizeof fix, "install another version of it, or: backplane doctor retry %.63s",
                 row->name);
        strike(row, BP_STAGE_QUARANTINE, fix, "%s has failed %u times, the last %s ago: %s",
               row->file, known->strikes, age, known->words);
    } else if (known->strikes > 0) {
        strike(row, known->stage, FIX,
               "%s: %s; that was %s ago, and it is not tried again before 10 min have passed",
               row->file, known->words, age);
    }
    return true;
}

void bp_screen_forget(struct bp_registry *registry, struct bp_found *row)
{
    if (!row->file)
        return;
    bp_strikes_forget(&registry->screen.strikes, row->file, registry->log);
    bp_strikes_save(&registry->screen.strikes, registry->log);
    if (row->is_struck)
        row->verdict = (struct bp_ruling){.stage = BP_STAGE_POLICY};
    row->is_struck = row->is_screened = false;
    row->key[0] = '\0';
}

/* Without a helper the user's word decides: `always` means never unprobed. */
static void not_run(struct bp_registry *registry, struct bp_found *row,
                    const struct bp_probe *probe)
{
    struct bp_screen *screen = &registry->screen;

    if (screen->mode == BP_PROBE_ALWAYS) {
        strike(row, BP_STAGE_QUARANTINE, "make the helper work, or set BACKPLANE_PROBE=auto",
               "%s could not be probed: %s", row->file, probe->words);
        return;
    }
    if (!screen->has_complained)
        bp_log(registry->log, BP_LOG_WARN, "host",
               "plug-ins are opened without being tried in a process of their own first: %s",
               probe->words);
    screen->has_complained = true;
}

/* What the next process should know. */
static void remember(struct bp_registry *registry, const struct bp_found *row,
                     const struct bp_probe *probe)
{
    struct bp_strikes *strikes = &registry->screen.strikes;

    if (!row->key[0])
        return;
    if (bp_probe_is_strike(probe))
        bp_strikes_note(strikes, row->key, row->file, probe->stage, probe->words);
    else if (probe->end == BP_PROBE_CLEAN && probe->code >= 0)
        bp_strikes_note(strikes, row->key, row->file, 0, NULL);
}

static void take_result(struct bp_registry *registry, struct bp_found *row,
                        const struct bp_probe *probe)
{
    row->is_screened = true;
    remember(registry, row, probe);
    bp_row_judge_files(registry, row, probe->files);
    if (probe->end == BP_PROBE_NOT_RUN)
        not_run(registry, row, probe);
    else if (probe->end != BP_PROBE_CLEAN)
        strike(row, probe->stage, FIX,
               "%s: %s; that was in a process of its own, and it is not opened here", row->file,
               probe->words);
    bp_log(registry->log, BP_LOG_DEBUG, "host", "%s: probed: %s", row->file,
           probe->end == BP_PROBE_CLEAN && probe->code >= 0 ? "usable" : probe->words);
}

/* How many are to be probed; is_asked stays with those. */
static uint32_t choose(struct bp_registry *registry)
{
    uint32_t n = 0;

    for (struct bp_found *row = registry->first; row; row = row->next) {
        row->is_asked = row->is_asked && needs_probe(registry, row) && !recall(registry, row);
        n += row->is_asked;
    }
    return n;
}

/* A probe runs the plug-in's code as well: it is judged before. */
static void confirm(struct bp_registry *registry, struct bp_found *row)
{
    struct bp_file_id id;
    int fd;

    if (row->is_tried)
        return;
    fd = bp_row_confirm(registry, row, &id);
    if (fd >= 0)
        close(fd);
}

bp_rc bp_screen_rows(struct bp_registry *registry, bp_err *err)
{
    uint32_t n, at = 0;
    struct bp_probe *probes;

    for (struct bp_found *row = registry->first; row; row = row->next) {
        if (row->is_asked)
            confirm(registry, row);
    }
    n = choose(registry);
    if (n == 0)
        return BP_OK;
    probes = calloc(n, sizeof *probes);
    if (!probes)
        return bp_fail_nomem(err, "trying plug-ins");
    for (const struct bp_found *row = registry->first; row; row = row->next) {
        if (row->is_asked) {
            probes[at].path = row->file;
            probes[at++].id = row->vetted.note.id ? row->vetted.note.id : "";
        }
    }
    bp_probe_run(&registry->screen.how, probes, n);
    at = 0;
    for (struct bp_found *row = registry->first; row; row = row->next) {
        if (row->is_asked)
            take_result(registry, row, &probes[at++]);
        row->is_asked = false;
    }
    for (at = 0; at < n; at++)
        free(probes[at].files);
    bp_strikes_save(&registry->screen.strikes, registry->log);
    free(probes);
    return BP_OK;
}
