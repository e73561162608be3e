/* SPDX-License-Identifier: MIT */
/* bind_call.h - what the files that call bound functions share; only where libffi is. */
#ifndef BP_CUSTOM_BIND_CALL_H
#define BP_CUSTOM_BIND_CALL_H

#include "custom/bind.h"

#ifdef HAVE_LIBFFI

#include <ffi.h>

/* A function that is bound: `user` of its definition. */
struct bp_bound {
    struct bp_bind_function is;
    void *library;
    void (*function)(void);
    ffi_cif cif;
    ffi_type *args[BP_BIND_PARAMS];
};

/* Any value that is passed or returned; small results come widened, as libffi has it. */
union bp_bound_value {
    ffi_arg whole;
    int64_t i64;
    uint64_t u64;
    int32_t i32;
    int16_t i16;
    int8_t i8;
    float f32;
    double f64;
    void *p;
};

struct bp_bound_kernel {
    const struct bp_bound *bound;
    union bp_bound_value attributes[BP_BIND_PARAMS];
};

/* Callbacks of definitions: of functions that are called for each element, or once. */
bp_rc bp_bind_each_shapes(void *user, bp_operator_shapes *shapes, bp_err *err);
bp_rc bp_bind_each_compute(void *kernel, bp_operator_call *call, bp_err *err);
bp_rc bp_bind_whole_shapes(void *user, bp_operator_shapes *shapes, bp_err *err);
bp_rc bp_bind_whole_compute(void *kernel, bp_operator_call *call, bp_err *err);

#endif

#endif
