/* SPDX-License-Identifier: MIT */
/*
 * save.h - what the files share that write a model again: pieces of bytes, and fields.
 *
 * A bp_saver belongs to one thread and one call of bp_onnx_save(); pieces point into the model and
 * into the region.
 */
#ifndef BP_MODEL_SAVE_H
#define BP_MODEL_SAVE_H

#include "model/model.h"

struct bp_saver {
    const struct bp_onnx *onnx;
    const bp_model_sink *sink;
    struct bp_region region; /* tags, lengths, and data of tensors that had to be converted */
    bp_span *pieces;
    size_t n_pieces, cap_pieces;
    uint64_t size; /* of all pieces */
    bool is_main;  /* in the main graph itself, whose initializers may be replaced */
    /* where the inputs and outputs are taken from: the model (0) or an edit (from 1) */
    uint32_t inputs_from, outputs_from;
    uint32_t edit; /* the model (0) or edit that is being copied */
    bp_err *err;
};

/* A field of a protobuf message, as pointers into its bytes. */
struct bp_part {
    uint32_t number, wire_type;
    const uint8_t *begin;   /* its tag */
    const uint8_t *content; /* after the tag, and after the length if it has one */
    const uint8_t *end;
};

/* The field at p. The scan checked the framing when the model was opened, so this can't fail. */
const uint8_t *bp_save_next(const uint8_t *p, const uint8_t *end, struct bp_part *out);
/* Appends bytes as a piece of their own; they are borrowed. BP_E_NOMEM. */
bp_rc bp_save_push(struct bp_saver *s, const void *bytes, size_t n) BP_CHECKED;
/* Appends bytes; makes the last piece longer if they directly follow it in memory. BP_E_NOMEM. */
bp_rc bp_save_add(struct bp_saver *s, const void *bytes, size_t n) BP_CHECKED;
/* Writes tag and length of a field of `size` bytes; returns the bytes written, at most 20. */
size_t bp_save_head(uint8_t *to, uint32_t field, uint64_t size);
/* Copies the content of a TensorProto; *changed: it is encoded anew. BP_E_IO: data can't be read. */
bp_rc bp_save_tensor(struct bp_saver *s, const struct bp_part *part, bool is_weight,
                     bool *changed) BP_CHECKED;

#endif
