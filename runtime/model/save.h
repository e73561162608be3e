/* SPDX-License-Identifier: MIT */
/* save.h - what the files share that write a model again: pieces of bytes, and fields. */
#ifndef BP_MODEL_SAVE_H
#define BP_MODEL_SAVE_H

#include "model/model.h"

struct bp_saver {
    const struct bp_onnx *onnx;
    const bp_model_sink *sink;
    struct bp_region region; /* heads of messages, numbers of tensors that had to be made */
    bp_span *pieces;
    size_t n_pieces, cap_pieces;
    uint64_t size; /* of all pieces */
    bool is_main;  /* in the main graph itself, whose initializers may be given */
    /* whose inputs and outputs the main graph has: the model's (0) or those of an edit (from 1) */
    uint32_t inputs_from, outputs_from;
    uint32_t edit; /* where in that order the copying is */
    bp_err *err;
};

/* A field as it stands in the bytes. */
struct bp_part {
    uint32_t number, wire_type;
    const uint8_t *begin;   /* its tag */
    const uint8_t *content; /* of one with a length: behind that */
    const uint8_t *end;
};

/* The field at p. The bytes were scanned when the model was opened: their framing is sound. */
const uint8_t *bp_save_next(const uint8_t *p, const uint8_t *end, struct bp_part *out);
/* Bytes that come next: a piece of its own, */
bp_rc bp_save_push(struct bp_saver *s, const void *bytes, size_t n) BP_CHECKED;
/* or one that may lengthen the last piece, when they are right behind it. */
bp_rc bp_save_add(struct bp_saver *s, const void *bytes, size_t n) BP_CHECKED;
/* Tag and length of a field with `size` bytes; returns how many bytes that took, at most 20. */
size_t bp_save_head(uint8_t *to, uint32_t field, uint64_t size);
/* Copies the content of a tensor's message; *changed is set when it is not as it was. */
bp_rc bp_save_tensor(struct bp_saver *s, const struct bp_part *part, bool is_weight,
                     bool *changed) BP_CHECKED;

#endif
