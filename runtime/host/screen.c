/* SPDX-License-Identifier: MIT */
/* screen.c - which plug-ins are probed before they are opened here, and what follows from it. */

#include "config.h"

#include "host/screen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/loader.h"
#include "host/rows.h"

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
    return BP_OK;
}

void bp_screen_finish(struct bp_screen *screen)
{
    free(screen->helper);
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

/* Without a helper the user's word decides: `always` means never unprobed. */
static void not_run(struct bp_registry *registry, struct bp_found *row,
                    const struct bp_probe *probe)
{
    struct bp_screen *screen = &registry->screen;

    if (screen->mode == BP_PROBE_ALWAYS) {
        bp_ruling_end(&row->verdict, BP_STAGE_QUARANTINE, BP_E_UNAVAILABLE,
                      "make the helper work, or set BACKPLANE_PROBE=auto",
                      "%s could not be probed: %s", row->file, probe->words);
        return;
    }
    if (!screen->has_complained)
        bp_log(registry->log, BP_LOG_WARN, "host",
               "plug-ins are opened without being tried in a process of their own first: %s",
               probe->words);
    screen->has_complained = true;
}

static void take_result(struct bp_registry *registry, struct bp_found *row,
                        const struct bp_probe *probe)
{
    row->is_screened = true;
    if (probe->end == BP_PROBE_NOT_RUN)
        not_run(registry, row, probe);
    else if (probe->end != BP_PROBE_CLEAN)
        bp_ruling_end(
            &row->verdict, probe->stage, BP_E_UNAVAILABLE,
            "tell its author; until then remove it, or set BACKPLANE_PROBE=off to load it "
            "all the same",
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
        row->is_asked = row->is_asked && needs_probe(registry, row);
        n += row->is_asked;
    }
    return n;
}

bp_rc bp_screen_rows(struct bp_registry *registry, bp_err *err)
{
    uint32_t n = choose(registry), at = 0;
    struct bp_probe *probes;

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
    free(probes);
    return BP_OK;
}
