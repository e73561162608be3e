/* SPDX-License-Identifier: MIT */
/*
 * check_provider.c - all checks of one plug-in, without opening it in this process: for a program
 * that installs plug-ins, and for one that looks after those that are.
 */

#include "config.h"

#include "host/check_provider.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/inspect/dependencies.h"
#include "host/probe_candidates.h"
#include "host/recheck.h"

/* Asks the dynamic linker, in a process of its own that runs no code of the plug-in. */
static void check_dependencies(const struct bp_candidate *candidate,
                               struct bp_stage_verdict *verdict)
{
    struct bp_text lacks = {0};

    if (bp_dependencies_explain(candidate->file, &lacks))
        bp_stage_refuse(verdict, BP_STAGE_DEPENDENCIES, BP_E_IO, BP_DEPENDENCIES_FIX,
                        "%s cannot be opened: %.400s", candidate->file, lacks.data);
    bp_text_finish(&lacks);
}

/*
 * Inspects the file as it is now. What was found when it was listed may be long ago, and the hash is
 * due even where no list asks for it.
 */
static void check_file(struct bp_registry *registry, struct bp_candidate *candidate,
                       struct bp_stage_verdict *verdict)
{
    struct bp_file_id id;
    int fd = bp_recheck_file(registry, candidate, &id);

    if (fd >= 0) {
        (void)bp_recheck_hash(candidate, fd);
        close(fd);
    }
    *verdict = candidate->verdict;
    if (verdict->code >= 0)
        check_dependencies(candidate, verdict);
}

/* One that is open has had all checks, and its verdict is the provider's own word. */
bp_rc bp_check_provider(struct bp_registry *registry, struct bp_candidate *candidate,
                        bool is_probed, bp_provider_check *out, bp_err *err)
{
    struct bp_stage_verdict verdict = candidate->verdict;
    struct bp_region *told = &registry->told;
    bool is_open = candidate->progress == BP_CANDIDATE_OPENED;

    if (candidate->file && !is_open)
        check_file(registry, candidate, &verdict);
    if (is_probed && candidate->file && !is_open && verdict.code >= 0)
        out->is_probed = bp_probe_one(registry, candidate, &verdict);
    out->stage = verdict.stage;
    out->code = verdict.code;
    out->is_listed = candidate->file && candidate->is_allowed;
    if (!bp_candidate_tell_text(verdict.reason, told, &candidate->told_check, &out->reason) ||
        !bp_candidate_tell_text(verdict.fix, told, &candidate->told_check_fix, &out->fix) ||
        !bp_candidate_tell_text(candidate->sha256, told, &candidate->told_sha256, &out->sha256))
        return bp_fail_nomem(err, "what a check found");
    return BP_OK;
}
