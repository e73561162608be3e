/* SPDX-License-Identifier: MIT */
/* names.c - the words for numbers that cross the API: status, element types, stages, reasons. */

#include "config.h"

#include <strings.h>

#include <backplane.h>
#include <bp/sdk.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static const char *const rc_names[] = {
    "BP_OK",          "BP_E_INVALID", "BP_E_UNSUPPORTED", "BP_E_UNAVAILABLE",
    "BP_E_OPTION",    "BP_E_NOMEM",   "BP_E_SHAPE",       "BP_E_STALE",
    "BP_E_CANCELLED", "BP_E_TIMEOUT", "BP_E_BUSY",        "BP_E_DEVICE_LOST",
    "BP_E_IO",        "BP_E_VERSION", "BP_E_INTERNAL",    "BP_E_SPACE",
};

static const char *const dtype_names[BP_DTYPE_END] = {
    "none",           "float32",    "uint8",          "int8",       "uint16",   "int16",
    "int32",          "int64",      "string",         "bool",       "float16",  "float64",
    "uint32",         "uint64",     "complex64",      "complex128", "bfloat16", "float8e4m3fn",
    "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4",      "int4",     "float4e2m1",
    "float8e8m0",     "uint2",      "int2",
};

static const char *const stage_names[BP_STAGE_END] = {
    "NONE",   "FOUND",      "SECURITY",     "MANIFEST", "ARCH",  "ISA",       "ABI",
    "POLICY", "QUARANTINE", "DEPENDENCIES", "OPEN",     "ENTRY", "AVAILABLE", "OPTIONS",
    "CREATE", "CAPABILITY", "COST",         "COMPILE",  "RUN",
};

static const char *const reason_names[BP_R_END] = {
    "NONE",      "OP",           "OPSET",  "DTYPE",          "RANK",         "DYNAMIC_SHAPE",
    "ATTRIBUTE", "NOT_CONSTANT", "MEMORY", "DEVICE_FEATURE", "CONTROL_FLOW", "NOT_PROFITABLE",
    "OPTION",    "OTHER",
};

const char *bp_version(void)
{
    return PACKAGE_VERSION;
}

/* Status numbers go down from 0 without gaps, so the negated number is the row. */
const char *bp_rc_name(bp_rc rc)
{
    if (rc == BP_PENDING)
        return "BP_PENDING";
    if (rc > 0 || (size_t) - (int64_t)rc >= COUNT(rc_names))
        return rc > 0 ? rc_names[0] : "BP_E_INTERNAL";
    return rc_names[-rc];
}

const char *bp_dtype_name(uint32_t dtype)
{
    return dtype < BP_DTYPE_END ? dtype_names[dtype] : dtype_names[BP_DTYPE_NONE];
}

/* In any case: people write "Float32" as well. */
uint32_t bp_dtype_from_name(const char *name)
{
    for (uint32_t i = 1; name && i < BP_DTYPE_END; i++) {
        if (strcasecmp(name, dtype_names[i]) == 0)
            return i;
    }
    return BP_DTYPE_NONE;
}

uint32_t bp_dtype_bits(uint32_t dtype)
{
    return bp_dtype_width(dtype);
}

const char *bp_stage_name(uint32_t stage)
{
    return stage < BP_STAGE_END ? stage_names[stage] : stage_names[BP_STAGE_NONE];
}

const char *bp_reason_name(uint32_t reason)
{
    return reason < BP_R_END ? reason_names[reason] : reason_names[BP_R_OTHER];
}
