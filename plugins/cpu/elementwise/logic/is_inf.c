/* SPDX-License-Identifier: MIT */
/*
 * is_inf.c - IsInf (ai.onnx, opsets 10, 20): y = x is infinite, as bool.
 *
 * detect_negative=0 and detect_positive=0 leave one sign out. Version 20 adds 16-bit floats and
 * float8, of which only float8e5m2 has infinities. Types: floats and float8.
 */

#include "kernels/unary.h"

#define NAME is_inf
#define R uint8_t
#define TEMPLATE "kernels/unary.inc"
/* params: a = detect_positive, b = detect_negative */
#define EXPR(x) (((x) == (C)INFINITY && a != 0) || ((x) == -(C)INFINITY && b != 0))
#include "kernels/types/float.inc"
#undef EXPR

/* 0x7c and 0xfc are the infinities of float8e5m2 */
#define SUFFIX f8e5m2
#define T uint8_t
#define C uint8_t
#define LOAD(x) (x)
#define STORE(x) (x)
#define EXPR(x) (((x) == 0x7c && a) || ((x) == 0xfc && b))
#include TEMPLATE
#undef EXPR
#include "kernels/types/end.inc"

static void is_inf_never(void *out, const void *in, size_t n, const struct bp_cpu_params *params)
{
    (void)in;
    (void)params;
    memset(out, 0, n);
}
#undef TEMPLATE
#undef R

static const struct bp_cpu_unary family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE
            [BP_DTYPE_F8E4M3FN] = is_inf_never,
            [BP_DTYPE_F8E4M3FNUZ] = is_inf_never,
            [BP_DTYPE_F8E5M2] = is_inf_f8e5m2,
            [BP_DTYPE_F8E5M2FNUZ] = is_inf_never,
        },
    .cost = 1,
};

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    bp_rc rc = bp_cpu_prepare_unary(call, err);
    struct bp_cpu_map *map = call->state;

    if (rc < 0)
        return rc;
    map->params.a = bp_cpu_int(call->node, "detect_positive", 1) != 0;
    map->params.b = bp_cpu_int(call->node, "detect_negative", 1) != 0;
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_is_inf = {
    .name = "IsInf",
    .since = 10,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = prepare,
    .run = bp_cpu_run_unary,
};
