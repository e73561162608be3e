/* SPDX-License-Identifier: MIT */
/* sink.h - calls the functions of a bp_model_sink, which may throw C++ exceptions. */
#ifndef BP_MODEL_SINK_H
#define BP_MODEL_SINK_H

#include <backplane.h>

#include "base/status.h"

/* Errors always have a text. sink->begin may be NULL, `place` and `write` must be set. */
bp_rc bp_sink_place(const bp_model_sink *sink, const bp_weight_info *weight, const char **file,
                    uint64_t *offset, bp_err *err) BP_CHECKED;
bp_rc bp_sink_begin(const bp_model_sink *sink, uint64_t size, bp_err *err) BP_CHECKED;
bp_rc bp_sink_write(const bp_model_sink *sink, const void *bytes, size_t size,
                    bp_err *err) BP_CHECKED;

#endif
