/* SPDX-License-Identifier: MIT */
/* reference.h - what the kit's operators give, computed in double, straight from ONNX's definitions. */
#ifndef BP_CHECK_REFERENCE_H
#define BP_CHECK_REFERENCE_H

#include "check/graph.h"

void ref_unary(const struct kit_case *c, const double *const *in, double *out);
void ref_binary(const struct kit_case *c, const double *const *in, double *out);
void ref_matmul(const struct kit_case *c, const double *const *in, double *out);
void ref_gemm(const struct kit_case *c, const double *const *in, double *out);
void ref_softmax(const struct kit_case *c, const double *const *in, double *out);
void ref_same(const struct kit_case *c, const double *const *in, double *out);
void ref_transpose(const struct kit_case *c, const double *const *in, double *out);
void ref_concat(const struct kit_case *c, const double *const *in, double *out);
void ref_reduce(const struct kit_case *c, const double *const *in, double *out);
void ref_conv(const struct kit_case *c, const double *const *in, double *out);
void ref_max_pool(const struct kit_case *c, const double *const *in, double *out);
void ref_average(const struct kit_case *c, const double *const *in, double *out);

#endif
