/* SPDX-License-Identifier: MIT */
/*
 * constants.h - constants in oneDNN's layouts: packed once a process through the host's weight
 * service, which sessions of the same bytes share, and held until the frame is freed.
 */
#ifndef BP_DNNL_CONSTANTS_H
#define BP_DNNL_CONSTANTS_H

#include <bp/sdk.h>
#include <dnnl.h>

struct bp_dnnl_builder;

/*
 * Reorders a constant's elements before oneDNN packs them: fills all of `out`, float32, from `in`,
 * which may be at any address. Copies are told apart by name and hash.
 */
struct bp_dnnl_rearrangement {
    const char *name;  /* of what is done, such as "LSTM's gates" */
    size_t from_bytes; /* that fill() reads: the constant has to have them */
    void (*fill)(const struct bp_dnnl_rearrangement *how, const char *in, float *out);
    const void *u; /* fill()'s own */
    uint64_t hash; /* of what fill() depends on besides the name and the layouts */
};

/*
 * *out: the value's elements, which lie as `stored` says, in the layout `want`. A constant that has
 * it already is not copied. BP_E_INVALID: it has fewer bytes than `stored`.
 */
bp_rc bp_dnnl_constant(struct bp_dnnl_builder *b, uint32_t value, const dnnl_memory_desc_t *stored,
                       const dnnl_memory_desc_t *want, const void **out, bp_err *err);
/* The same for a constant that is rearranged first, to lie as `stored` says; NULL: as it lies. */
bp_rc bp_dnnl_rearranged_constant(struct bp_dnnl_builder *b, uint32_t value,
                                  const struct bp_dnnl_rearrangement *how,
                                  const dnnl_memory_desc_t *stored, const dnnl_memory_desc_t *want,
                                  const void **out, bp_err *err);
/* Gives the frame's constants back to the host. */
void bp_dnnl_constants_release(bp_frame *frame);

#endif
