/* SPDX-License-Identifier: MIT */
/* logger.h - OrtLogger: where a session's kernels log. */
#ifndef BP_ORT_LOGGER_H
#define BP_ORT_LOGGER_H

#include "ort/env.h"

struct OrtLogger {
    OrtEnv *env;  /* borrowed */
    int severity; /* of the session; below 0: the environment's */
};

#endif
