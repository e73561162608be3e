/* SPDX-License-Identifier: MIT */
/* types.h - sets of element types, bits of BP_CANN_TYPE(), for the rows of operators. */
#ifndef BP_CANN_OPS_TYPES_H
#define BP_CANN_OPS_TYPES_H

#include "../cann.h"

#define F16 BP_CANN_TYPE(BP_DTYPE_F16)
#define BF16 BP_CANN_TYPE(BP_DTYPE_BF16)
#define F32 BP_CANN_TYPE(BP_DTYPE_F32)
#define F64 BP_CANN_TYPE(BP_DTYPE_F64)
#define I8 BP_CANN_TYPE(BP_DTYPE_I8)
#define I16 BP_CANN_TYPE(BP_DTYPE_I16)
#define I32 BP_CANN_TYPE(BP_DTYPE_I32)
#define I64 BP_CANN_TYPE(BP_DTYPE_I64)
#define U8 BP_CANN_TYPE(BP_DTYPE_U8)
#define U16 BP_CANN_TYPE(BP_DTYPE_U16)
#define U32 BP_CANN_TYPE(BP_DTYPE_U32)
#define U64 BP_CANN_TYPE(BP_DTYPE_U64)
#define BOOLS BP_CANN_TYPE(BP_DTYPE_BOOL)

/* The sets that tables name: float16 and float32; all reals but bfloat16; integers by sign. */
#define HALF_FLOAT (F16 | F32)
#define REALS (HALF_FLOAT | F64)
#define SIGNED (I8 | I16 | I32 | I64)
#define UNSIGNED (U8 | U16 | U32 | U64)
#define INTEGERS (SIGNED | UNSIGNED)
#define EVERY (REALS | INTEGERS | BOOLS)

#define LATEST 25 /* the newest version of an operator that is known here */

#endif
