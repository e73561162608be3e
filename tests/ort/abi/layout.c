/* SPDX-License-Identifier: MIT */
/* layout.c - numbers, sizes and offsets are those of the ABI. Compiling it is the test. */

#include <onnxruntime/onnxruntime_c_api.h>

#define CONSTANT(name, value) _Static_assert((long)(name) == (value), #name);
#define SIZE(type, size) _Static_assert(sizeof(struct type) == (size), #type);
#define OFFSET(type, field, at)                                                                    \
    _Static_assert(offsetof(struct type, field) == (at), #type "." #field);

#if UINTPTR_MAX == 0xffffffffffffffffu
#include "layout.inc"
#endif

int main(void)
{
    return 0;
}
