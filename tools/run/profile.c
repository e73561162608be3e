/* SPDX-License-Identifier: MIT */
/*
 * profile.c - writes profiles as JSON in Chrome's Trace Event Format, which Perfetto reads, too. The
 * names of the phases are those of ONNX Runtime's profiles, so that tools for those read the files.
 */

#include "config.h"

#include "run/profile.h"

#include <string.h>

#include "lib/progress.h"
#include "values/file.h"

enum { EVENTS = 1 << 20 }; /* capacity; older events are dropped */

/*
 * Loading is over by now, so its two phases are added with the times that load_session() took.
 * *out is for profile_end().
 */
int profile_begin(struct cli *cli, const char *path, const struct loaded *loaded, bp_profile **out)
{
    int64_t now = (int64_t)(clock_seconds() * 1e9);
    int64_t created = now - (int64_t)(loaded->create_seconds * 1e9);
    int64_t opened = created - (int64_t)(loaded->open_seconds * 1e9);
    bp_rc rc;

    *out = NULL;
    if (!path)
        return CLI_OK;
    rc = bp_profile_create(EVENTS, out, &cli->err);
    if (rc >= 0)
        rc = bp_profile_add(*out, "model_loading_uri", opened, created, &cli->err);
    if (rc >= 0)
        rc = bp_profile_add(*out, "session_initialization", created, now, &cli->err);
    return rc < 0 ? cli_fail_rc(cli, CLI_RUN, rc) : CLI_OK;
}

/* Frees the profile in any case, also that of a run that failed. */
int profile_end(struct cli *cli, const char *path, bp_profile *profile)
{
    char *text = NULL;
    bp_rc rc;

    if (!profile)
        return CLI_OK;
    rc = bp_profile_json(profile, &text, &cli->err);
    if (rc >= 0)
        rc = file_write(path, NULL, 0, text, strlen(text), &cli->err);
    bp_free(text);
    bp_profile_destroy(profile);
    return rc < 0 ? cli_fail_rc(cli, CLI_RUN, rc) : CLI_OK;
}
