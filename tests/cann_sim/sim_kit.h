/* SPDX-License-Identifier: MIT */
/* sim_kit.h - what tests of the simulated driver share: bringing it up, memory, one operator. */
#ifndef SIM_KIT_H
#define SIM_KIT_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <acl/acl.h>
#include <acl/acl_op_compiler.h>
#include <bp_ascend_sim.h>

#include "support/check_main.h"

#define OK(call) ck_assert_int_eq((call), ACL_SUCCESS)
#define FAILS(code, call) ck_assert_int_eq((call), (code))

/* ACL with this configuration and device 0 set; counts start at 0. */
static inline void up(const char *config)
{
    OK(bp_ascend_configure(config));
    OK(aclInit(NULL));
    OK(aclrtSetDevice(0));
    bp_ascend_reset_counters();
}

/* No test may violate a rule but those that it intends to: `expected`. */
static inline void down_after(uint64_t expected)
{
    char text[256];

    bp_ascend_clear_faults();
    OK(aclFinalize());
    bp_ascend_last_violation(text, sizeof text);
    ck_assert_msg(bp_ascend_violations_total() == expected, "%llu violations, not %llu; last: %s",
                  (unsigned long long)bp_ascend_violations_total(), (unsigned long long)expected,
                  text);
    OK(bp_ascend_configure(NULL));
}

static inline void down(void)
{
    down_after(0);
}

static inline void *device_bytes(size_t size)
{
    void *at = NULL;

    OK(aclrtMalloc(&at, size, ACL_MEM_MALLOC_HUGE_FIRST));
    return at;
}

static inline void *device_copy(const void *data, size_t size)
{
    void *at = device_bytes(size);

    OK(aclrtMemcpy(at, size, data, size, ACL_MEMCPY_HOST_TO_DEVICE));
    return at;
}

static inline void fetch(void *data, const void *at, size_t size)
{
    OK(aclrtMemcpy(data, size, at, size, ACL_MEMCPY_DEVICE_TO_HOST));
}

static inline struct bp_ascend_counters counters(void)
{
    struct bp_ascend_counters now = {.struct_size = sizeof now};

    OK(bp_ascend_get_counters(&now));
    return now;
}

static inline struct bp_ascend_times times(void)
{
    struct bp_ascend_times now = {.struct_size = sizeof now};

    OK(bp_ascend_get_times(0, &now));
    return now;
}

/* ---- operators ------------------------------------------------------------------------------ */

#define MOST 8

/* A tensor of a test: its data is in host memory, on the device while the operator runs. */
struct value {
    aclDataType type; /* ACL_DT_UNDEFINED: absent */
    int rank;
    int64_t dims[8];
    void *data;
    int is_constant;
};

struct op_case {
    const char *type;
    aclopAttr *attr;
    int inputs, outputs;
    struct value in[MOST], out[MOST];
};

/* The tensors as ACL wants them. */
struct bound {
    aclTensorDesc *desc[MOST];
    aclDataBuffer *buffer[MOST];
    size_t size[MOST];
};

static inline void bind(struct bound *bound, const struct value *values, int count)
{
    for (int i = 0; i < count; i++) {
        const struct value *value = &values[i];
        void *at = NULL;

        bound->desc[i] = aclCreateTensorDesc(value->type, value->rank, value->dims, ACL_FORMAT_ND);
        ck_assert_ptr_nonnull(bound->desc[i]);
        bound->size[i] = aclGetTensorDescSize(bound->desc[i]);
        if (value->is_constant)
            OK(aclSetTensorConst(bound->desc[i], value->data, bound->size[i]));
        else if (bound->size[i])
            at = device_copy(value->data, bound->size[i]);
        bound->buffer[i] = aclCreateDataBuffer(at, at ? bound->size[i] : 0);
    }
}

static inline void unbind(struct bound *bound, int count)
{
    for (int i = 0; i < count; i++) {
        void *at = aclGetDataBufferAddr(bound->buffer[i]);

        if (at)
            OK(aclrtFree(at));
        OK(aclDestroyDataBuffer(bound->buffer[i]));
        aclDestroyTensorDesc(bound->desc[i]);
    }
}

/* Compiles, runs and waits; outputs are fetched when all went well. Takes the attributes. */
static inline aclError run_op(struct op_case *op)
{
    struct bound in, out;
    aclError rc;

    bind(&in, op->in, op->inputs);
    bind(&out, op->out, op->outputs);
    rc = aclopCompileAndExecute(op->type, op->inputs, (const aclTensorDesc *const *)in.desc,
                                (const aclDataBuffer *const *)in.buffer, op->outputs,
                                (const aclTensorDesc *const *)out.desc, out.buffer, op->attr,
                                ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, NULL);
    if (!rc)
        rc = aclrtSynchronizeStream(NULL);
    for (int i = 0; !rc && i < op->outputs; i++)
        if (out.size[i])
            fetch(op->out[i].data, aclGetDataBufferAddr(out.buffer[i]), out.size[i]);
    unbind(&in, op->inputs);
    unbind(&out, op->outputs);
    aclopDestroyAttr(op->attr);
    op->attr = NULL;
    return rc;
}

#define VALUE(type, data, ...)                                                                     \
    ((struct value){                                                                               \
        type, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), {__VA_ARGS__}, data, 0})

#define ARGUMENTS(count, ...)                                                                      \
    (int)(count), (const int64_t[])                                                                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

#endif
