/* SPDX-License-Identifier: MIT */
/*
 * kernels.h - programs of the device: a family of kernels (kernels/NAME.cl, embedded in the plug-in)
 * behind a prefix of definitions that makes it one for certain types and expressions.
 */
#ifndef BP_OPENCL_KERNELS_H
#define BP_OPENCL_KERNELS_H

#include "base/bytes.h"
#include "base/instance.h"

/* The text of kernels/NAME.cl; made at build time. */
#define BP_OPENCL_FAMILIES(F)                                                                      \
    F(attention)                                                                                   \
    F(chain)                                                                                       \
    F(elementwise)                                                                                 \
    F(gather)                                                                                      \
    F(gemm)                                                                                        \
    F(implicit)                                                                                    \
    F(int_gemm)                                                                                    \
    F(lines)                                                                                       \
    F(move)                                                                                        \
    F(normalize)                                                                                   \
    F(pad)                                                                                         \
    F(pool)                                                                                        \
    F(quantize)                                                                                    \
    F(recurrent)                                                                                   \
    F(reduce)                                                                                      \
    F(resize)                                                                                      \
    F(scatter)                                                                                     \
    F(types)                                                                                       \
    F(window)                                                                                      \
    F(winograd)

#define F(name) extern const char bp_opencl_##name##_cl[];
BP_OPENCL_FAMILIES(F)
#undef F

/*
 * The program of a family behind a prefix, built for the instance's device. It is the instance's,
 * until bp_opencl_built_free(): built at the first call, taken from the cache folder where it is
 * there. BP_E_UNSUPPORTED with the compiler's words where it cannot be built. [any thread]
 */
bp_rc bp_opencl_built_get(bp_instance *instance, const char *family, const char *prefix,
                          cl_program *out, bp_err *err);
/* Device and driver in words: what compiled kernels depend on. */
void bp_opencl_describe(const bp_instance *instance, char *buf, size_t cap);
/* bp_opencl_built_save() writes programs that are asked for from now on. [any thread] */
void bp_opencl_built_mark(bp_instance *instance);
bp_rc bp_opencl_built_save(bp_instance *instance, struct bp_opencl_writer *w, bp_err *err);
/* Makes programs of what was saved, for bp_opencl_built_get(). BP_E_STALE [any thread] */
bp_rc bp_opencl_built_load(bp_instance *instance, struct bp_opencl_reader *r, bp_err *err);
/* Releases all programs; kernels that were made of them live on. */
void bp_opencl_built_free(bp_instance *instance);

#endif
