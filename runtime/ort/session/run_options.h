/* SPDX-License-Identifier: MIT */
/*
 * run_options.h - OrtRunOptions; may be shared by runs, which only read it. `terminate` is atomic.
 */
#ifndef BP_ORT_SESSION_RUN_OPTIONS_H
#define BP_ORT_SESSION_RUN_OPTIONS_H

#include "ort/key_values.h"

struct OrtRunOptions {
    int log_verbosity, log_severity;
    char *tag;
    volatile uint32_t terminate; /* set from any thread while runs read it */
    OrtKeyValuePairs config;
    char *profile_prefix;            /* NULL: runs are not measured */
    const OrtLoraAdapter **adapters; /* borrowed */
    size_t n_adapters;
};

#endif
