/* SPDX-License-Identifier: MIT */
/*
 * convert.c - conversion between element types, and Cast: each element goes through the widest type
 * of its kind, double or 64 bits.
 */
#include "ops/convert.h"

#include <string.h>

#include "common/float16.h"
#include "ops/op.h"

/* An element of any type: a real in `real`, an integer in `bits`, sign-extended. */
struct scalar {
    bool is_real, is_unsigned;
    double real;
    uint64_t bits; /* of an int64_t or uint64_t */
};

/* A case of load(): by memcpy(), as `at` need not be aligned for the type. */
#define LOAD(type, field, convert)                                                                 \
    {                                                                                              \
        type value;                                                                                \
        memcpy(&value, at, sizeof value);                                                          \
        scalar.field = convert;                                                                    \
        break;                                                                                     \
    }

/* An element as a scalar; a bool is 0 or 1, whatever its byte. */
static struct scalar load(const unsigned char *at, aclDataType type)
{
    struct scalar scalar = {.is_real = false};

    scalar.is_real = ((SIM_BIT(type)) & SIM_REAL) != 0;
    scalar.is_unsigned = type == ACL_UINT64;
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
    return scalar;
}

#undef LOAD

/* A 64-bit integer rounds here as in C, to the nearest double. */
static double as_real(struct scalar scalar)
{
    if (scalar.is_real)
        return scalar.real;
    return scalar.is_unsigned ? (double)scalar.bits : (double)(int64_t)scalar.bits;
}

/*
 * Towards zero, within min..max. Both are exact as doubles, or for 64 bits just past the type: then
 * what is equal to max is out of range too, and a cast in C would be undefined.
 */
static uint64_t truncate_to(double real, double min, double max, int64_t min_bits,
                            uint64_t max_bits)
{
    if (real != real)
        return 0;
    if (real <= min)
        return (uint64_t)min_bits;
    if (real >= max)
        return max_bits;
    return real < 0 ? (uint64_t)(int64_t)real : (uint64_t)real;
}

/* An integer's low bits are kept by store_bits(); a real saturates at the type's range. */
static uint64_t as_bits(struct scalar scalar, aclDataType type)
{
    double real = scalar.real;

    if (!scalar.is_real)
        return scalar.bits;
    switch (type) {
    case ACL_INT8:
        return truncate_to(real, -128, 127, INT8_MIN, INT8_MAX);
    case ACL_INT16:
        return truncate_to(real, -32768, 32767, INT16_MIN, INT16_MAX);
    case ACL_INT32:
        return truncate_to(real, -2147483648.0, 2147483647.0, INT32_MIN, INT32_MAX);
    case ACL_UINT8:
        return truncate_to(real, 0, 255, 0, UINT8_MAX);
    case ACL_UINT16:
        return truncate_to(real, 0, 65535, 0, UINT16_MAX);
    case ACL_UINT32:
        return truncate_to(real, 0, 4294967295.0, 0, UINT32_MAX);
    case ACL_UINT64:
        return truncate_to(real, 0, 18446744073709551616.0, 0, UINT64_MAX);
    default:
        return truncate_to(real, -9223372036854775808.0, 9223372036854775808.0, INT64_MIN,
                           INT64_MAX);
    }
}

/*
 * A double rounds once on its way to float16 or bfloat16: by way of a float that is rounded to odd,
 * which no tie can go wrong with.
 */
static void store_real(unsigned char *at, aclDataType type, struct scalar scalar)
{
    double real = as_real(scalar);
    float single = (float)real;
    uint16_t bits16;

    switch (type) {
    case ACL_DOUBLE:
        memcpy(at, &real, sizeof real);
        break;
    case ACL_FLOAT:
        memcpy(at, &single, sizeof single);
        break;
    case ACL_FLOAT16:
        bits16 = bp_f16_store(bp_float_to_odd(real));
        memcpy(at, &bits16, sizeof bits16);
        break;
    default:
        bits16 = bp_bf16_store(bp_float_to_odd(real));
        memcpy(at, &bits16, sizeof bits16);
        break;
    }
}

/* By size alone, as signed and unsigned have the same bits. */
static void store_bits(unsigned char *at, aclDataType type, struct scalar scalar)
{
    uint64_t bits = as_bits(scalar, type);
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

static void store(unsigned char *at, aclDataType type, struct scalar scalar)
{
    if (type == ACL_BOOL)
        *at = scalar.is_real ? scalar.real != 0 : scalar.bits != 0;
    else if (SIM_BIT(type) & SIM_REAL)
        store_real(at, type, scalar);
    else
        store_bits(at, type, scalar);
}

/*
 * The two conversions that are met most, whenever float16 is computed, have loops of their own,
 * which compilers vectorise.
 */
static void load_f16s(float *to, const uint16_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = bp_f16_load(from[i]);
}

/* See load_f16s(). */
static void store_f16s(uint16_t *to, const float *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = bp_f16_store(from[i]);
}

/* A bool is converted even to bool, so that it comes out as 0 or 1. */
void sim_convert(void *to, aclDataType to_type, const void *from, aclDataType from_type,
                 size_t count)
{
    size_t step = aclDataTypeSize(from_type), out_step = aclDataTypeSize(to_type);
    const unsigned char *source = from;
    unsigned char *target = to;

    if (to_type == from_type && to_type != ACL_BOOL) {
        memmove(to, from, count * step);
    } else if (to_type == ACL_FLOAT && from_type == ACL_FLOAT16) {
        load_f16s(to, from, count);
    } else if (to_type == ACL_FLOAT16 && from_type == ACL_FLOAT) {
        store_f16s(to, from, count);
    } else {
        for (size_t i = 0; i < count; i++)
            store(target + i * out_step, to_type, load(source + i * step, from_type));
    }
}

/* ---- Cast ----------------------------------------------------------------------------------- */

/* dst_type is a number of aclDataType. */
static aclError prepare_cast(struct sim_call *call, const aclopAttr *attr)
{
    int64_t type = ACL_DT_UNDEFINED;

    if (!sim_attr_int(attr, "dst_type", &type) || type < 0 || type > ACL_BF16 ||
        !(SIM_BIT(type) & SIM_EVERY))
        return sim_refuse(call, "dst_type %lld is not a type that can be cast to", (long long)type);
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
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .types = SIM_EVERY,
    .prepare = prepare_cast,
    .bytes = run_cast,
};
