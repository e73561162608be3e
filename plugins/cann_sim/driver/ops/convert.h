/* SPDX-License-Identifier: MIT */
/* convert.h - elements of one type to another. */
#ifndef SIM_CONVERT_H
#define SIM_CONVERT_H

#include <acl/acl_base.h>

/*
 * Any numeric type to any: reals are cut towards zero and held within the range of an integer (NaN
 * is 0), integers keep their low bits, halves are rounded, a bool is "not 0".
 */
void sim_convert(void *to, aclDataType to_type, const void *from, aclDataType from_type,
                 size_t count);

#endif
