/* SPDX-License-Identifier: MIT */
/*
 * candidate.c - the states of one candidate, a provider that may be used, and the transitions
 * between them.
 */

#include "config.h"

#include "host/candidate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "host/load/loader.h"

struct bp_candidate *bp_candidate_create(const char *name, const char *file)
{
    struct bp_candidate *candidate = calloc(1, sizeof *candidate);

    if (candidate && file)
        candidate->file = strdup(file);
    if (!candidate || (file && !candidate->file)) {
        free(candidate);
        return NULL;
    }
    snprintf(candidate->name, sizeof candidate->name, "%s", name);
    candidate->conf.priority = BP_PLUGIN_CONF_PRIORITY;
    return candidate;
}

void bp_candidate_destroy(struct bp_candidate *candidate)
{
    if (!candidate)
        return;
    bp_loader_release(candidate->module);
    bp_plugin_conf_finish(&candidate->conf);
    bp_inspected_finish(&candidate->inspected);
    free(candidate->file);
    free(candidate);
}

bool bp_candidate_is_fit(const struct bp_candidate *candidate)
{
    return candidate->verdict.code >= 0;
}

bool bp_candidate_is_listed(const struct bp_candidate *candidate)
{
    return candidate->standing == BP_CANDIDATE_LISTED || candidate->standing == BP_CANDIDATE_TIED;
}

const char *bp_candidate_id(const struct bp_candidate *candidate)
{
    const char *id = candidate->inspected.manifest.id;

    return id ? id : candidate->name;
}

/* Copies a text unless it was told before, so that asking again and again takes no memory. */
bool bp_candidate_tell_text(const char *text, struct bp_region *told, const char **last,
                            const char **out)
{
    *out = NULL;
    if (!text[0])
        return true;
    if (!*last || strcmp(*last, text) != 0)
        *last = bp_region_string(told, text);
    *out = *last;
    return *out;
}

bp_rc bp_candidate_tell(struct bp_candidate *candidate, struct bp_region *told, struct bp_told *out,
                        bp_err *err)
{
    const bp_provider *provider = candidate->provider;

    *out = (struct bp_told){
        .stage = candidate->stage,
        .code = candidate->code,
        .id = provider ? provider->id : candidate->inspected.manifest.id,
        .version = provider ? provider->version : candidate->inspected.manifest.version,
        .provider = provider,
        .n_devices = candidate->n_devices,
    };
    if (!bp_candidate_tell_text(candidate->reason, told, &candidate->told_reason, &out->reason) ||
        !bp_candidate_tell_text(candidate->fix, told, &candidate->told_fix, &out->fix))
        return bp_fail_nomem(err, "what is known of a provider");
    return BP_OK;
}

/* ---- standing -------------------------------------------------------------------------------- */

void bp_candidate_list(struct bp_candidate *candidate)
{
    candidate->standing = BP_CANDIDATE_LISTED;
}

void bp_candidate_tie(struct bp_candidate *candidate)
{
    candidate->standing = BP_CANDIDATE_TIED;
}

void bp_candidate_set_aside(struct bp_candidate *candidate)
{
    candidate->standing = BP_CANDIDATE_DUPLICATE;
}

/* ---- progress -------------------------------------------------------------------------------- */

void bp_candidate_pass_probe(struct bp_candidate *candidate)
{
    candidate->progress = BP_CANDIDATE_PROBED;
}

void bp_candidate_fail_probe(struct bp_candidate *candidate, uint32_t stage, const char *fix,
                             const char *fmt, ...)
{
    char text[sizeof candidate->reason]; /* fmt's arguments may point into the verdict itself */
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    candidate->progress = BP_CANDIDATE_PROBE_FAILED;
    bp_stage_refuse(&candidate->verdict, stage, BP_E_UNAVAILABLE, fix, "%s", text);
}

/*
 * Sets the stage back to POLICY, the last that was passed before the probe. All that inspection
 * found still holds.
 */
void bp_candidate_forget_probe(struct bp_candidate *candidate)
{
    if (candidate->progress == BP_CANDIDATE_OPENED)
        return; /* a mapped plug-in stays mapped: there is nothing to probe any more */
    if (candidate->progress == BP_CANDIDATE_PROBE_FAILED)
        candidate->verdict = (struct bp_stage_verdict){.stage = BP_STAGE_POLICY};
    candidate->progress = BP_CANDIDATE_INSPECTED;
}

void bp_candidate_set_opened(struct bp_candidate *candidate)
{
    candidate->progress = BP_CANDIDATE_OPENED;
}
