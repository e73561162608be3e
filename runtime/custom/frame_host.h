/* SPDX-License-Identifier: MIT */
/*
 * frame_host.h - what the host's half of a frame offers to the provider of the application's
 * operators.
 */
#ifndef BP_CUSTOM_FRAME_HOST_H
#define BP_CUSTOM_FRAME_HOST_H

#include <bp/abi.h>

/*
 * What bp_frame_desc.h points to begins with this. It belongs to the host, which is the only one to
 * make frames; the provider `custom` is part of the host, so it may look.
 */
struct bp_frame_host {
    /*
     * The tensor that the run's caller brings for output `out` of the group, borrowed for the run;
     * NULL: it brings none. [the thread of the run]
     */
    const bp_tensor *(*given)(const bp_frame_desc *desc, uint32_t out);
};

#endif
