/* SPDX-License-Identifier: MIT */
/*
 * cache.h - compiled single operators: looked up by type, attributes and descriptions; the one used
 * longest ago goes when there are more than aclopSetMaxOpQueueNum() said.
 */
#ifndef SIM_CACHE_H
#define SIM_CACHE_H

#include "ops/op.h"

struct sim_device;

/* An operator as a program names it. */
struct sim_request {
    const char *type;
    size_t inputs, outputs;
    const aclTensorDesc *const *in;
    const aclTensorDesc *const *out;
    const aclopAttr *attr; /* may be NULL */
};

struct sim_compiled {
    struct sim_call call;
    void *values[SIM_INPUTS]; /* constants, ours */
    unsigned char *key;
    size_t key_size;
    uint64_t hash, used; /* the time it was used last, in uses */
    unsigned refs;       /* the cache, tasks, handles */
    struct sim_compiled *next;
};

void sim_cache_init(uint64_t limit); /* [locked] */
void sim_cache_finish(void);         /* [locked] */
/*
 * The operator, to give back with sim_compiled_unref(). One that is not kept is compiled, unless
 * `may_compile` is false: ACL_ERROR_OP_NOT_FOUND. The host of `device` spends the time. [locked]
 */
aclError sim_cache_get(const struct sim_request *request, bool may_compile,
                       struct sim_device *device, struct sim_compiled **out);
void sim_compiled_unref(struct sim_compiled *compiled); /* [locked]; NULL is fine */
/* Fills *call, with the operator's own idea of its outputs; *values are then the caller's. */
aclError sim_prepare(const struct sim_request *request, bool check_outputs, struct sim_call *call,
                     void **values);
/* One of the values that ACL_PRECISION_MODE may have, "" among them? */
bool sim_is_precision(const char *value);
/* Does the compiler make float32 into halves? [locked] */
bool sim_forces_fp16(const struct sim_call *call);
void sim_cache_count(struct bp_ascend_counters *counters); /* [locked] */

#endif
