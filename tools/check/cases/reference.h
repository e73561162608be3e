/* SPDX-License-Identifier: MIT */
/* reference.h - what the kit's operators give, computed in double, straight from ONNX's definitions. */
#ifndef BP_CHECK_REFERENCE_H
#define BP_CHECK_REFERENCE_H

#include "check/cases/case.h"

/* ---- attributes of a case -------------------------------------------------------------------- */

const struct kit_attr *ref_attr(const struct kit_case *c, const char *name); /* or NULL */
double ref_number(const struct kit_case *c, const char *name, double def);
int64_t ref_int(const struct kit_case *c, const char *name, int64_t def);
bool ref_text_is(const struct kit_case *c, const char *name, const char *def, const char *text);
/* Axis `axis` counted from 0, where a negative one counts from the end. */
uint32_t ref_axis(int64_t axis, uint32_t rank);
/* Elements of `out` along `axis`, those before it and those after it. */
struct ref_span {
    size_t before, n, after;
};
struct ref_span ref_span_of(const struct kit_port *port, uint32_t axis);
/* Where element i of the output is in an input that is broadcast. */
size_t ref_broadcast(const struct kit_port *out, const struct kit_port *in, size_t i);
/* The coordinates of element i, and the element at coordinates. */
void ref_unravel(const struct kit_port *port, size_t i, int64_t at[KIT_RANK]);
size_t ref_ravel(const struct kit_port *port, const int64_t at[KIT_RANK]);
/* A value as an integer type can hold it: rounded to even, cut off at the ends of its range. */
double ref_saturated(uint32_t dtype, double value);

/* channels_last.c: c->plain, between layouts */
void ref_channels_last(const struct kit_case *c, const double *const *in, double *out);
/* The same; the buffer takes the elements of input 0 and of the output. */
void ref_channels_last_in(const struct kit_case *c, const double *const *in, double *out,
                          double *buffer);

/* ---- operators ------------------------------------------------------------------------------- */

/* elementwise.c */
void ref_unary(const struct kit_case *c, const double *const *in, double *out);
void ref_binary(const struct kit_case *c, const double *const *in, double *out);
void ref_prelu(const struct kit_case *c, const double *const *in, double *out);
void ref_clip(const struct kit_case *c, const double *const *in, double *out);
void ref_where(const struct kit_case *c, const double *const *in, double *out);

/* reference.c: matrices, reductions, normalisation */
void ref_matmul(const struct kit_case *c, const double *const *in, double *out);
void ref_gemm(const struct kit_case *c, const double *const *in, double *out);
void ref_softmax(const struct kit_case *c, const double *const *in, double *out);
void ref_reduce(const struct kit_case *c, const double *const *in, double *out);
void ref_batch_norm(const struct kit_case *c, const double *const *in, double *out);
void ref_layer_norm(const struct kit_case *c, const double *const *in, double *out);
void ref_instance_norm(const struct kit_case *c, const double *const *in, double *out);
void ref_lrn(const struct kit_case *c, const double *const *in, double *out);

/* convolution.c */
void ref_conv(const struct kit_case *c, const double *const *in, double *out);
void ref_conv_transpose(const struct kit_case *c, const double *const *in, double *out);
void ref_pool(const struct kit_case *c, const double *const *in, double *out);
void ref_global_pool(const struct kit_case *c, const double *const *in, double *out);

/* layout.c: elements that change their places */
void ref_same(const struct kit_case *c, const double *const *in, double *out);
void ref_transpose(const struct kit_case *c, const double *const *in, double *out);
void ref_concat(const struct kit_case *c, const double *const *in, double *out);
void ref_slice(const struct kit_case *c, const double *const *in, double *out);
void ref_gather(const struct kit_case *c, const double *const *in, double *out);
void ref_expand(const struct kit_case *c, const double *const *in, double *out);
void ref_pad(const struct kit_case *c, const double *const *in, double *out);
void ref_depth(const struct kit_case *c, const double *const *in, double *out);

/* resize.c */
void ref_resize(const struct kit_case *c, const double *const *in, double *out);

/* quantized.c */
void ref_quantize(const struct kit_case *c, const double *const *in, double *out);
void ref_dequantize(const struct kit_case *c, const double *const *in, double *out);
void ref_qlinear_conv(const struct kit_case *c, const double *const *in, double *out);
void ref_qlinear_matmul(const struct kit_case *c, const double *const *in, double *out);
void ref_matmul_integer(const struct kit_case *c, const double *const *in, double *out);

/* Convolution of doubles; what ref_conv() and ref_qlinear_conv() have in common. */
void ref_convolve(const struct kit_case *c, const struct kit_port *x_port,
                  const struct kit_port *w_port, const double *x, const double *w,
                  const double *bias, double *out);
/* Stacks of matrices, broadcast. */
void ref_multiply(const struct kit_case *c, const struct kit_port *a_port,
                  const struct kit_port *b_port, const double *a, const double *b, double *out);

#endif
