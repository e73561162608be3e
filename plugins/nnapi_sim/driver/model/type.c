/* SPDX-License-Identifier: MIT */
/* type.c - what an operand's type may say. */
#include <math.h>

#include "model/model.h"

/* Zero points of quantised types, and whether their scale is more than 0. */
static const struct {
    int32_t type, low, high;
    bool scaled;
} quants[] = {
    {Q8, 0, 255, true}, {Q8S, -128, 127, true}, {Q8Y, 0, 0, true},
    {Q16Y, 0, 0, true}, {Q16, 0, 65535, true},  {Q8C, 0, 0, false},
};

static int check_quant(const ANeuralNetworksOperandType *type)
{
    const char *name = bp_nnapi_operand_name(type->type);

    for (size_t i = 0; i < sizeof quants / sizeof quants[0]; i++) {
        if (quants[i].type != type->type)
            continue;
        if (type->zeroPoint < quants[i].low || type->zeroPoint > quants[i].high)
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "%s with zero point %d", name,
                           type->zeroPoint);
        if (quants[i].scaled ? !(type->scale > 0 && isfinite(type->scale)) : type->scale != 0)
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "%s with scale %g", name, (double)type->scale);
        return 0;
    }
    if (type->zeroPoint != 0)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "%s with zero point %d", name, type->zeroPoint);
    if (type->type == I32 ? !(type->scale >= 0 && isfinite(type->scale)) : type->scale != 0)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "%s with scale %g", name, (double)type->scale);
    return 0;
}

static int check_dims(const ANeuralNetworksOperandType *type)
{
    uint64_t bytes = nn_element_size(type->type);

    if ((type->dimensionCount == 0) != (type->dimensions == NULL))
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "%u dimensions and %s", type->dimensionCount,
                       type->dimensions ? "a pointer" : "NULL");
    if (!nn_is_tensor(type->type) && type->dimensionCount)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "a scalar %s with dimensions",
                       bp_nnapi_operand_name(type->type));
    if (type->dimensionCount > NN_RANK)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "rank %u; the simulator has at most %d",
                       type->dimensionCount, NN_RANK);
    for (uint32_t i = 0; i < type->dimensionCount; i++) {
        if (type->dimensions[i] && bytes > UINT32_MAX / type->dimensions[i])
            return nn_fail(ANEURALNETWORKS_BAD_DATA, "an operand of more than 4 GB");
        bytes *= type->dimensions[i] ? type->dimensions[i] : 1;
    }
    return 0;
}

int nn_type_check(const ANeuralNetworksOperandType *type, struct nn_tensor *out)
{
    int code;

    if (type->type < 0 || type->type >= NN_OPERAND_TYPES)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "there is no operand type %d", type->type);
    code = check_dims(type);
    if (!code)
        code = check_quant(type);
    if (code)
        return code;
    memset(out, 0, sizeof *out);
    out->type = type->type;
    out->present = true;
    out->ranked = type->dimensionCount > 0 || !nn_is_tensor(type->type);
    out->rank = type->dimensionCount;
    for (uint32_t i = 0; i < out->rank; i++)
        out->dims[i] = type->dimensions[i];
    out->scale = type->scale;
    out->zero = type->zeroPoint;
    return 0;
}

size_t nn_type_size(const struct nn_tensor *type)
{
    size_t n;

    return nn_elements(type, &n) ? n * nn_element_size(type->type) : 0;
}
