/* SPDX-License-Identifier: MIT */
/*
 * absent_api.c - slots of OrtApi that are not implemented: opaque values, and callbacks of a
 * session's thread pool.
 */

#include "config.h"

#include "ort/absent.h"

ABSENT(ort_CreateOpaqueValue,
       (const char *domain_name, const char *type_name, const void *data_container,
        size_t data_container_size, OrtValue **out))
ABSENT(ort_GetOpaqueValue, (const char *domain_name, const char *type_name, const OrtValue *in,
                            void *data_container, size_t data_container_size))
ABSENT(ort_SetPerSessionThreadPoolCallbacks,
       (OrtEnv * env, const OrtThreadPoolCallbacksConfig *config))
