/* SPDX-License-Identifier: MIT */
/* instance.h - what the options of one session became; made and destroyed by provider.c. */
#ifndef BP_DNNL_INSTANCE_H
#define BP_DNNL_INSTANCE_H

#include <bp/sdk.h>
#include <stdbool.h>

struct bp_instance {
    bp_host host;               /* a copy of the host's table */
    bp_ext_constants constants; /* zeroed: the host has no such extension */
    uint32_t threads;           /* option threads; 0: as many as the host's pool has */
    int64_t long_ns;            /* option max_primitive_us: what takes longer is cut */
    bool may_round;             /* option math_mode is fast or bf16 */
    bool uses_bf16;             /* ... and oneDNN computes in bfloat16 on this processor */
    bool takes_all;             /* option claim=all */
    bool tunes;                 /* option autotune */
    char *autotune_folder;      /* option autotune_cache, the instance's own copy; NULL: none */
};

#endif
