/* SPDX-License-Identifier: MIT */
/*
 * shared_weights.h - read-only data that sessions share, usually packed weights; one copy for each
 * key.
 */
#ifndef BP_HOST_LOAD_SHARED_WEIGHTS_H
#define BP_HOST_LOAD_SHARED_WEIGHTS_H

#include "base/status.h"

struct bp_shared_weights;

bp_rc bp_shared_weights_create(struct bp_shared_weights **out, bp_err *err) BP_CHECKED;
void bp_shared_weights_destroy(struct bp_shared_weights *weights); /* NULL is fine */
/* As bp_host.weight_get; `scope` keeps the keys of plug-ins apart. [any thread] */
bp_rc bp_shared_weights_get(struct bp_shared_weights *weights, const char *scope, const char *key,
                            size_t n, size_t align,
                            bp_rc (*pack)(void *u, void *dst, size_t n, bp_err *err), void *u,
                            const void **out, bp_err *err) BP_CHECKED;
/* The bytes of what was put back; -1: it is none of them. [any thread] */
int64_t bp_shared_weights_put(struct bp_shared_weights *weights, const void *p);

#endif
