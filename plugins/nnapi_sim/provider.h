/* SPDX-License-Identifier: MIT */
/* provider.h - the slots of the provider's table, and what they share. */
#ifndef BP_NN_PROVIDER_H
#define BP_NN_PROVIDER_H

#include "nn.h"

#include <bp/estimate.h>

/* Did the CPU flags leave none of the runtime's devices? */
static inline bool bp_nn_lacks_devices(const bp_instance *instance)
{
    return instance->runtime_level >= BP_NN_FL3 && instance->n_devices == 0;
}

bp_rc bp_nn_capability(bp_instance *, const bp_graph *, const bp_claims *, bp_err *);
bp_rc bp_nn_compile(bp_instance *, const bp_graph *, const bp_compile *, bp_program **, bp_err *);
bp_rc bp_nn_load(bp_instance *, const bp_graph *, const bp_compile *, bp_span, bp_program **,
                 bp_err *);
bp_rc bp_nn_save(bp_program *, const bp_sink *, bp_err *);
void bp_nn_program_free(bp_program *);
bp_rc bp_nn_frame_create(bp_program *, const bp_frame_desc *, bp_frame_needs *, bp_frame **,
                         bp_err *);
void bp_nn_frame_free(bp_frame *);
bp_rc bp_nn_execute(bp_frame *, const bp_run *, bp_err *);

extern const bp_estimator bp_nn_estimator;

#endif
