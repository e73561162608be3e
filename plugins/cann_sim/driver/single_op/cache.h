/* SPDX-License-Identifier: MIT */
/*
 * cache.h - compiled single operators, looked up by type, attributes and descriptions. The one used
 * longest ago is forgotten when there are more than aclopSetMaxOpQueueNum() said.
 */
#ifndef SIM_CACHE_H
#define SIM_CACHE_H

#include "ops/op.h"

struct sim_device;

/* An operator as a program names it; all of it is the program's. */
struct sim_request {
    const char *type;
    size_t inputs, outputs;
    const aclTensorDesc *const *in;
    const aclTensorDesc *const *out;
    const aclopAttr *attr; /* may be NULL */
};

/*
 * An operator in the cache. Counted: the cache, tasks and handles refer to it, so that one which is
 * forgotten while it is queued still runs.
 */
struct sim_compiled {
    struct sim_call call;
    void *values[SIM_INPUTS]; /* of constants, owned */
    unsigned char *key;
    size_t key_size;
    uint64_t hash, used; /* the time it was used last, in uses */
    unsigned refs;       /* the cache, tasks, handles */
    struct sim_compiled *next;
};

/* Empty, of at most `limit` operators, and with no compile options set; for aclInit(). [locked] */
void sim_cache_init(uint64_t limit);
/* Forgets all operators, for aclFinalize(). [locked] */
void sim_cache_finish(void);
/*
 * *out is the operator, for sim_compiled_unref(). One that is not there is compiled, for which the
 * host of `device` spends the time, unless `may_compile` is false: ACL_ERROR_OP_NOT_FOUND. Else as
 * sim_prepare(), an injected fault, ACL_ERROR_BAD_ALLOC. [locked]
 */
aclError sim_cache_get(const struct sim_request *request, bool may_compile,
                       struct sim_device *device, struct sim_compiled **out);
/* NULL is fine. [locked] */
void sim_compiled_unref(struct sim_compiled *compiled);
/*
 * Compiles: fills *call from a request, by the operator's prepare(). values[SIM_INPUTS] are copies
 * of constants to which the call points, for the caller to free(), also after a failure. With
 * check_outputs the described outputs have to be what the operator makes. ACL_ERROR_OP_NOT_FOUND:
 * no such type; ACL_ERROR_GE_FAILURE: it cannot take this. Any thread.
 */
aclError sim_prepare(const struct sim_request *request, bool check_outputs, struct sim_call *call,
                     void **values);
/* Is it a value of ACL_PRECISION_MODE? "" is one. Any thread. */
bool sim_is_precision(const char *value);
/* Does the option in force make this call round float32 to float16? [locked] */
bool sim_forces_fp16(const struct sim_call *call);
/* Fills in the counters of the cache. [locked] */
void sim_cache_count(struct bp_ascend_counters *counters);

#endif
