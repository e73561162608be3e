/* SPDX-License-Identifier: MIT */
/*
 * candidate.h - one provider that may be used: where it was found, how far it came, why no further.
 */
#ifndef BP_HOST_CANDIDATE_H
#define BP_HOST_CANDIDATE_H

#include <sys/stat.h>

#include "base/region.h"
#include "base/sha256.h"
#include "host/inspect/inspect.h"
#include "host/inspect/plugin_conf.h"
#include "host/load/loader.h"
#include "host/load/services.h"
#include "host/options/provider_names.h"

/*
 * Whether a name may lead to the candidate.
 *
 *     BY_PATH    made for an absolute path outside the search; only that path leads to it
 *     LISTED     found by the search or linked in
 *       -> TIED       an equal candidate has its id: both are refused, but a third may still win over them
 *       -> DUPLICATE  another candidate is used instead; it stays in the list to say so
 *     TIED -> DUPLICATE
 */
enum bp_candidate_standing {
    BP_CANDIDATE_BY_PATH,
    BP_CANDIDATE_LISTED,
    BP_CANDIDATE_TIED,
    BP_CANDIDATE_DUPLICATE
};

/*
 * How far it came. Only a candidate whose verdict is good goes on.
 *
 *     INSPECTED -> PROBED        a probe, or the quarantine file, has nothing against it, or none could run
 *     INSPECTED -> PROBE_FAILED  what it did in a probe is its verdict
 *     PROBED, PROBE_FAILED -> INSPECTED   the user asks to forget the probe
 *     INSPECTED (where no probe is needed), PROBED -> OPENED   for good, whatever opening it gave
 */
enum bp_candidate_progress {
    BP_CANDIDATE_INSPECTED,
    BP_CANDIDATE_PROBED,
    BP_CANDIDATE_PROBE_FAILED,
    BP_CANDIDATE_OPENED
};

/* Candidates never move and live as long as their registry, whose lock guards them. */
struct bp_candidate {
    struct bp_candidate *next;
    char name[BP_NAME_MAX]; /* short: from the manifest, the file's name, or as handed over */
    char *file;             /* absolute path; NULL: linked in */
    bp_entry_fn entry;      /* of what is linked in */
    uint32_t dir;           /* index of its directory in the search */
    uint32_t place;         /* in the user's order */
    struct bp_inspected inspected;       /* what it says of itself */
    struct bp_plugin_conf conf;          /* what the operator says of it */
    enum bp_candidate_standing standing; /* changed by the functions below alone, */
    enum bp_candidate_progress progress; /* and so is this */
    bool is_to_probe;                    /* in the call of bp_probe_candidates() that comes next */
    bool is_to_forget;                   /* within bp_forget_provider() */
    bool is_allowed;                     /* the allow list was asked, and has it */
    bool has_warned;                     /* that no allow list has it: once is enough */
    char key[BP_SHA256_TEXT];            /* in the quarantine file; "" where there is none */
    char sha256[BP_SHA256_TEXT];         /* of the file; "" until it is asked for */
    struct stat hashed;                  /* the file that sha256 is of */
    const struct bp_module_copy *module; /* NULL until opened, and where that failed */
    const bp_provider *provider;         /* the same */
    uint32_t n_devices;
    struct bp_services services; /* what is_available may use */
    /* the last ones that callers got, of the verdict and of a check; NULL: none */
    const char *told_reason, *told_fix, *told_check, *told_check_fix, *told_sha256;
    union { /* the verdict, also by the names of its members */
        struct bp_stage_verdict verdict;
        struct {
            uint32_t stage;
            bp_rc code;
            char reason[512], fix[256];
        };
    };
};

/*
 * What is known of a candidate at one moment. Strings and tables stay as they are for as long as the
 * registry lives.
 */
struct bp_told {
    uint32_t stage;
    bp_rc code;
    const char *reason, *fix;    /* NULL: none */
    const char *id, *version;    /* NULL: unknown */
    const bp_provider *provider; /* NULL: not opened */
    uint32_t n_devices;
};

/*
 * A new one, not listed, in no list. `file` is NULL for what is linked in. The caller's, to
 * destroy; NULL: no memory.
 */
struct bp_candidate *bp_candidate_create(const char *name, const char *file);
void bp_candidate_destroy(struct bp_candidate *candidate); /* NULL is fine */

/*
 * Device `device`, below n_devices, of one that was opened, as the provider describes it or as the
 * host does for one that says nothing. devices.c
 */
bp_rc bp_candidate_device(const struct bp_candidate *candidate, uint32_t device, bp_device *out,
                          bp_err *err) BP_CHECKED;
/* Tells what is known of it; texts that change later are copied into `told`. BP_E_NOMEM. */
bp_rc bp_candidate_tell(struct bp_candidate *candidate, struct bp_region *told, struct bp_told *out,
                        bp_err *err) BP_CHECKED;
/*
 * A text as it stays in `told`: *last if it is the same, which is set to it. NULL for "". False: no
 * memory.
 */
bool bp_candidate_tell_text(const char *text, struct bp_region *told, const char **last,
                            const char **out) BP_CHECKED;
/* Is it linked in, or a file that nothing speaks against so far? */
bool bp_candidate_is_fit(const struct bp_candidate *candidate);
/* May a name lead to it? */
bool bp_candidate_is_listed(const struct bp_candidate *candidate);
/* Its id; where nothing tells that before it is opened, its name. Borrowed from the candidate. */
const char *bp_candidate_id(const struct bp_candidate *candidate);

/* Transitions of standing. */
void bp_candidate_list(struct bp_candidate *candidate);
void bp_candidate_tie(struct bp_candidate *candidate); /* the verdict is the caller's to set */
void bp_candidate_set_aside(struct bp_candidate *candidate); /* it is a duplicate; likewise */

/* Transitions of progress. */
void bp_candidate_pass_probe(struct bp_candidate *candidate);
/* Ends its verdict with what it did in a probe. */
void bp_candidate_fail_probe(struct bp_candidate *candidate, uint32_t stage, const char *fix,
                             const char *fmt, ...) BP_PRINTF(4, 5);
/* As if it had not been probed; a verdict that comes from the probe is void. */
void bp_candidate_forget_probe(struct bp_candidate *candidate);
void bp_candidate_set_opened(struct bp_candidate *candidate);

#endif
