/* SPDX-License-Identifier: MIT */
/* convert.c - Cast: each element through the widest type of its sort. */
#include "ops/convert.h"

#include <string.h>

#include "common/float16.h"
#include "ops/op.h"

/* A number of any type: a real in `real`, an integer in `bits`. */
struct number {
    bool is_real, is_unsigned;
    double real;
    uint64_t bits; /* of an int64_t or uint64_t */
};

#define LOAD(type, field, convert)                                                                 \
    {                                                                                              \
        type value;                                                                                \
        memcpy(&value, at, sizeof value);                                                          \
        number.field = convert;                                                                    \
        break;                                                                                     \
    }

static struct number load(const unsigned char *at, aclDataType type)
{
    struct number number = {.is_real = false};

    number.is_real = ((SIM_BIT(type)) & SIM_REAL) != 0;
    number.is_unsigned = type == ACL_UINT64;
    switch (type) {
    case ACL_FLOAT:
        LOAD(float, real, (double)value)
    case ACL_FLOAT16:
        LOAD(uint16_t, real, (double)bp_f16_load(value))
    case ACL_BF16:
        LOAD(uint16_t, real, (double)bp_bf16_load(value))
    case ACL_DOUBLE:
        LOAD(double, real, value)
    case ACL_INT8:
        LOAD(int8_t, bits, (uint64_t)(int64_t)value)
    case ACL_INT16:
        LOAD(int16_t, bits, (uint64_t)(int64_t)value)
    case ACL_INT32:
        LOAD(int32_t, bits, (uint64_t)(int64_t)value)
    case ACL_INT64:
        LOAD(int64_t, bits, (uint64_t)value)
    case ACL_UINT8:
        LOAD(uint8_t, bits, value)
    case ACL_BOOL:
        LOAD(uint8_t, bits, value != 0)
    case ACL_UINT16:
        LOAD(uint16_t, bits, value)
    case ACL_UINT32:
        LOAD(uint32_t, bits, value)
    case ACL_UINT64:
        LOAD(uint64_t, bits, value)
    default:
        break;
    }
    return number;
}

#undef LOAD

static double as_real(struct number number)
{
    if (number.is_real)
        return number.real;
    return number.is_unsigned ? (double)number.bits : (double)(int64_t)number.bits;
}

/* Towards zero, within least..most, both as doubles that are exact or just past the type. */
static uint64_t cut(double real, double least, double past, int64_t least_bits, uint64_t most_bits)
{
    if (real != real)
        return 0;
    if (real <= least)
        return (uint64_t)least_bits;
    if (real >= past)
        return most_bits;
    return real < 0 ? (uint64_t)(int64_t)real : (uint64_t)real;
}

static uint64_t as_bits(struct number number, aclDataType type)
{
    double real = number.real;

    if (!number.is_real)
        return number.bits;
    switch (type) {
    case ACL_INT8:
        return cut(real, -128, 127, INT8_MIN, INT8_MAX);
    case ACL_INT16:
        return cut(real, -32768, 32767, INT16_MIN, INT16_MAX);
    case ACL_INT32:
        return cut(real, -2147483648.0, 2147483647.0, INT32_MIN, INT32_MAX);
    case ACL_UINT8:
        return cut(real, 0, 255, 0, UINT8_MAX);
    case ACL_UINT16:
        return cut(real, 0, 65535, 0, UINT16_MAX);
    case ACL_UINT32:
        return cut(real, 0, 4294967295.0, 0, UINT32_MAX);
    case ACL_UINT64:
        return cut(real, 0, 18446744073709551616.0, 0, UINT64_MAX);
    default:
        return cut(real, -9223372036854775808.0, 9223372036854775808.0, INT64_MIN, INT64_MAX);
    }
}

/* A real of the widest sort rounds once on its way to a half. */
static void store_real(unsigned char *at, aclDataType type, struct number number)
{
    double real = as_real(number);
    float single = (float)real;
    uint16_t half;

    switch (type) {
    case ACL_DOUBLE:
        memcpy(at, &real, sizeof real);
        break;
    case ACL_FLOAT:
        memcpy(at, &single, sizeof single);
        break;
    case ACL_FLOAT16:
        half = bp_f16_store(bp_float_to_odd(real));
        memcpy(at, &half, sizeof half);
        break;
    default:
        half = bp_bf16_store(bp_float_to_odd(real));
        memcpy(at, &half, sizeof half);
        break;
    }
}

static void store_bits(unsigned char *at, aclDataType type, struct number number)
{
    uint64_t bits = as_bits(number, type);
    uint8_t byte = (uint8_t)bits;
    uint16_t two = (uint16_t)bits;
    uint32_t four = (uint32_t)bits;

    switch (aclDataTypeSize(type)) {
    case 1:
        *at = byte;
        break;
    case 2:
        memcpy(at, &two, sizeof two);
        break;
    case 4:
        memcpy(at, &four, sizeof four);
        break;
    default:
        memcpy(at, &bits, sizeof bits);
        break;
    }
}

static void store(unsigned char *at, aclDataType type, struct number number)
{
    if (type == ACL_BOOL)
        *at = number.is_real ? number.real != 0 : number.bits != 0;
    else if (SIM_BIT(type) & SIM_REAL)
        store_real(at, type, number);
    else
        store_bits(at, type, number);
}

/* The two that are met most are worth loops of their own. */
static void widen_halves(float *to, const uint16_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = bp_f16_load(from[i]);
}

static void round_to_halves(uint16_t *to, const float *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = bp_f16_store(from[i]);
}

void sim_convert(void *to, aclDataType to_type, const void *from, aclDataType from_type,
                 size_t count)
{
    size_t step = aclDataTypeSize(from_type), out_step = aclDataTypeSize(to_type);
    const unsigned char *source = from;
    unsigned char *target = to;

    if (to_type == from_type && to_type != ACL_BOOL) {
        memmove(to, from, count * step);
    } else if (to_type == ACL_FLOAT && from_type == ACL_FLOAT16) {
        widen_halves(to, from, count);
    } else if (to_type == ACL_FLOAT16 && from_type == ACL_FLOAT) {
        round_to_halves(to, from, count);
    } else {
        for (size_t i = 0; i < count; i++)
            store(target + i * out_step, to_type, load(source + i * step, from_type));
    }
}

/* ---- Cast ----------------------------------------------------------------------------------- */

static aclError prepare_cast(struct sim_call *call, const aclopAttr *attr)
{
    int64_t type = ACL_DT_UNDEFINED;

    if (!sim_attr_int(attr, "dst_type", &type) || type < 0 || type > ACL_BF16 ||
        !(SIM_BIT(type) & SIM_EVERY))
        return sim_refuse(call, "dst_type %lld is no type that can be cast to", (long long)type);
    call->result[0] = call->in[0].shape;
    call->result_type[0] = (aclDataType)type;
    call->work = (double)call->in[0].count;
    return 0;
}

static void run_cast(const struct sim_call *call, const void *const *in, void *const *out)
{
    sim_convert(out[0], call->out[0].type, in[0], call->in[0].type, call->in[0].count);
}

const struct sim_op sim_op_cast = {
    .type = "Cast",
    .least_inputs = 1,
    .most_inputs = 1,
    .outputs = 1,
    .types = SIM_EVERY,
    .prepare = prepare_cast,
    .bytes = run_cast,
};
