/* SPDX-License-Identifier: MIT */
/* shared_page.h - the memory that a host and the process which probes a plug-in for it share. */
#ifndef BP_HOST_PROBE_SHARED_PAGE_H
#define BP_HOST_PROBE_SHARED_PAGE_H

#include <stdint.h>

enum {
    BP_PROBE_MAGIC = 0x42505031,
    BP_PROBE_FD = 3,        /* where the helper finds the page */
    BP_PROBE_FILES = 32768, /* bytes of paths; what does not fit is left out */

    /* what a plug-in left behind */
    BP_PROBE_LEFT_THREAD = 1u << 0,
    BP_PROBE_LEFT_MASK = 1u << 1, /* of signals */
    BP_PROBE_LEFT_DIR = 1u << 2,  /* the current directory is another */
    BP_PROBE_LEFT_FDS = 1u << 3   /* a standard descriptor is closed */
};

/*
 * Written by the helper, in which the plug-in runs: the host believes none of it. `stage` is
 * written before a stage is entered, so that it stays where the plug-in ended.
 */
struct bp_probe_page {
    uint32_t magic;
    uint32_t stage;   /* BP_STAGE_* */
    uint32_t is_done; /* 1: the helper came to its end, and the rest is filled in */
    int32_t code;     /* of the last stage */
    uint32_t left;    /* BP_PROBE_LEFT_* */
    char reason[512], fix[256];
    char files[BP_PROBE_FILES]; /* paths of what got mapped, a newline after each, then a NUL */
};

#endif
