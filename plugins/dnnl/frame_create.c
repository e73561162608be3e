/* SPDX-License-Identifier: MIT */
/* frame_create.c - see frame_create.h. */

#include "frame_create.h"

#include "base/instance.h"
#include "base/program.h"
#include "base/threads.h"
#include "build/build_frame.h"
#include "tune/autotune.h"

/* Primitives are made for as many threads as will run them, hence with the team entered. */
bp_rc bp_dnnl_frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                           bp_frame **out, bp_err *err)
{
    const struct bp_dnnl_conv_choice *choice = NULL;
    struct bp_dnnl_team team;
    bp_rc rc = bp_dnnl_build_enter(err);

    *out = NULL;
    if (rc < 0)
        return rc;
    rc = bp_dnnl_team_enter(bp_dnnl_frame_threads(program, desc), NULL, 0, &team, err);
    if (rc < 0) {
        bp_dnnl_build_leave();
        return rc;
    }
    if (program->instance->tunes)
        rc = bp_dnnl_autotune(program, desc, &choice, err);
    if (rc >= 0)
        rc = bp_dnnl_frame_build(program, desc, choice, needs, out, err);
    bp_dnnl_team_leave(&team);
    bp_dnnl_build_leave();
    return rc;
}
