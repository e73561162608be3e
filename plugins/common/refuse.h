/* SPDX-License-Identifier: MIT */
/* refuse.h - sentences of refusals, as providers give them to the host. */
#ifndef BP_COMMON_REFUSE_H
#define BP_COMMON_REFUSE_H

#include <stdbool.h>

#include <bp/sdk.h>

/* Refuses node `index` for BP_R_* with a sentence of up to 255 characters. False. */
static inline bool bp_vrefuse(const bp_claims *claims, uint32_t index, uint32_t reason,
                              const char *subject, const char *fmt, va_list args) BP_PRINTF(5, 0);
static inline bool bp_vrefuse(const bp_claims *claims, uint32_t index, uint32_t reason,
                              const char *subject, const char *fmt, va_list args)
{
    char text[256];

    vsnprintf(text, sizeof text, fmt, args);
    bp_refuse(claims, index, reason, subject, text);
    return false;
}

/* As ONNX's documents write it: "float32". */
static inline const char *bp_type_name(uint32_t dtype)
{
    static const char *const names[BP_DTYPE_END] = {
        [BP_DTYPE_F32] = "float32", [BP_DTYPE_U8] = "uint8",      [BP_DTYPE_I8] = "int8",
        [BP_DTYPE_U16] = "uint16",  [BP_DTYPE_I16] = "int16",     [BP_DTYPE_I32] = "int32",
        [BP_DTYPE_I64] = "int64",   [BP_DTYPE_STRING] = "string", [BP_DTYPE_BOOL] = "bool",
        [BP_DTYPE_F16] = "float16", [BP_DTYPE_F64] = "float64",   [BP_DTYPE_U32] = "uint32",
        [BP_DTYPE_U64] = "uint64",  [BP_DTYPE_BF16] = "bfloat16"};

    return dtype < BP_DTYPE_END && names[dtype] ? names[dtype] : "of another kind";
}

/* The names of a set of types (1 << BP_DTYPE_*) with commas between, as far as there is space. */
static inline void bp_type_list(uint64_t types, char *out, size_t size)
{
    size_t at = 0;

    out[0] = '\0';
    for (uint32_t i = 0; i < BP_DTYPE_END && at < size; i++) {
        if (types >> i & 1)
            at += (size_t)snprintf(out + at, size - at, "%s%s", at ? ", " : "", bp_type_name(i));
    }
}

#endif
