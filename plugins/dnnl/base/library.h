/* SPDX-License-Identifier: MIT */
/* library.h - oneDNN and OpenMP, opened at run time: once a process, never closed. */
#ifndef BP_DNNL_LIBRARY_H
#define BP_DNNL_LIBRARY_H

#include <dnnl.h>
#include <stdbool.h>

#include <bp/sdk.h>

/* What is used of oneDNN, without the prefix of its names. */
#define BP_DNNL_FUNCTIONS(F)                                                                       \
    F(batch_normalization_forward_desc_init)                                                       \
    F(binary_desc_init)                                                                            \
    F(dilated_convolution_forward_desc_init)                                                       \
    F(dilated_deconvolution_forward_desc_init)                                                     \
    F(eltwise_forward_desc_init)                                                                   \
    F(engine_create)                                                                               \
    F(get_effective_cpu_isa)                                                                       \
    F(get_primitive_cache_capacity)                                                                \
    F(gru_forward_desc_init)                                                                       \
    F(layer_normalization_forward_desc_init)                                                       \
    F(lbr_gru_forward_desc_init)                                                                   \
    F(lrn_forward_desc_init)                                                                       \
    F(lstm_forward_desc_init_v2)                                                                   \
    F(matmul_desc_init)                                                                            \
    F(memory_create)                                                                               \
    F(memory_desc_equal)                                                                           \
    F(memory_desc_get_size)                                                                        \
    F(memory_desc_init_by_strides)                                                                 \
    F(memory_desc_init_by_tag)                                                                     \
    F(memory_desc_init_submemory)                                                                  \
    F(memory_desc_permute_axes)                                                                    \
    F(memory_destroy)                                                                              \
    F(memory_get_data_handle)                                                                      \
    F(memory_set_data_handle)                                                                      \
    F(pooling_v2_forward_desc_init)                                                                \
    F(post_ops_append_binary)                                                                      \
    F(post_ops_append_eltwise)                                                                     \
    F(post_ops_append_sum)                                                                         \
    F(post_ops_create)                                                                             \
    F(post_ops_destroy)                                                                            \
    F(post_ops_get_kind)                                                                           \
    F(post_ops_get_params_binary)                                                                  \
    F(post_ops_get_params_eltwise)                                                                 \
    F(post_ops_get_params_sum)                                                                     \
    F(post_ops_len)                                                                                \
    F(primitive_attr_clone)                                                                        \
    F(primitive_attr_create)                                                                       \
    F(primitive_attr_destroy)                                                                      \
    F(primitive_attr_get_output_scales)                                                            \
    F(primitive_attr_get_post_ops)                                                                 \
    F(primitive_attr_set_fpmath_mode)                                                              \
    F(primitive_attr_set_output_scales)                                                            \
    F(primitive_attr_set_post_ops)                                                                 \
    F(primitive_attr_set_scratchpad_mode)                                                          \
    F(primitive_attr_set_zero_points)                                                              \
    F(primitive_create)                                                                            \
    F(primitive_desc_create)                                                                       \
    F(primitive_desc_destroy)                                                                      \
    F(primitive_desc_get_attr)                                                                     \
    F(primitive_desc_query)                                                                        \
    F(primitive_desc_query_md)                                                                     \
    F(primitive_destroy)                                                                           \
    F(primitive_execute)                                                                           \
    F(reduction_desc_init)                                                                         \
    F(reorder_primitive_desc_create)                                                               \
    F(set_max_cpu_isa)                                                                             \
    F(set_primitive_cache_capacity)                                                                \
    F(set_verbose)                                                                                 \
    F(softmax_forward_desc_init)                                                                   \
    F(stream_create)                                                                               \
    F(stream_destroy)                                                                              \
    F(sum_primitive_desc_create)                                                                   \
    F(vanilla_rnn_forward_desc_init)                                                               \
    F(version)

struct bp_dnnl_library {
#define F(name) __typeof__(dnnl_##name) *name;
    BP_DNNL_FUNCTIONS(F)
#undef F
    int (*get_max_threads)(void); /* of OpenMP */
    void (*set_num_threads)(int);
    int (*get_num_threads)(void); /* of the team that runs now, and which of them this is */
    int (*get_thread_num)(void);
    /* Ends the threads of the calling thread's teams; they start again with the next one. */
    int (*pause_resource_all)(int kind);
    /* Has so many threads call fn(u) at once; NULL: this OpenMP has no such function. */
    void (*parallel)(void (*fn)(void *u), void *u, unsigned threads, unsigned flags);
    /* the one for all: it has no state, and create() must survive without memory */
    dnnl_engine_t engine;
    bool is_open;
    char why[256]; /* why it is not */
};

/* Written by bp_dnnl_library_open() alone. */
extern struct bp_dnnl_library bp_dnnl;

/* For the entry, under the loader's lock; a second call does nothing. Failure is in `why`. */
void bp_dnnl_library_open(void);

/* Frees the primitives that oneDNN keeps for others that are made alike. Any thread. */
void bp_dnnl_empty_cache(void);

/* bp_fail() for a status of oneDNN's, kept as native_code too; what: "the product of 'x'". */
bp_rc bp_dnnl_fail(bp_err *err, dnnl_status_t status, const char *fmt, ...) BP_PRINTF(3, 4);

#endif
