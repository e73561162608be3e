/* SPDX-License-Identifier: MIT */
/*
 * convert.h - conversion between element types: the operator Cast, and what run.c does for kernels.
 */
#ifndef SIM_CONVERT_H
#define SIM_CONVERT_H

#include <acl/acl_base.h>

/*
 * Converts `count` elements of any numeric type to any other. Reals are cut towards zero and held
 * within the range of an integer (NaN is 0), integers keep their low bits, float16 and bfloat16 are
 * rounded to the nearest (ties to even), a bool is "not 0". Any thread.
 */
void sim_convert(void *to, aclDataType to_type, const void *from, aclDataType from_type,
                 size_t count);

#endif
