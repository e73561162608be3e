/* SPDX-License-Identifier: MIT */
/* unpack.h - scan, then protobuf-c: bytes to decoded messages. */
#ifndef BP_MODEL_WIRE_UNPACK_H
#define BP_MODEL_WIRE_UNPACK_H

#include "base/region.h"
#include "model/wire/wire.h"

#include "model/onnx.pb-c.h"

/*
 * Decode into `region`; the messages are not freed one by one. `wire` starts from {0} and gets the
 * table that TensorProto.chunk indexes; the caller finishes it. After a failure it is empty.
 * BP_E_INVALID says which field and byte; BP_E_NOMEM.
 */
bp_rc bp_unpack_model(const void *bytes, size_t size, struct bp_wire *wire,
                      struct bp_region *region, const Bp__ModelProto **out, bp_err *err) BP_CHECKED;
bp_rc bp_unpack_tensor(const void *bytes, size_t size, struct bp_wire *wire,
                       struct bp_region *region, const Bp__TensorProto **out,
                       bp_err *err) BP_CHECKED;
/* The same for any type: *out is the message that `descriptor` describes. */
bp_rc bp_unpack(const void *bytes, size_t size, enum bp_message_type type,
                const ProtobufCMessageDescriptor *descriptor, struct bp_wire *wire,
                struct bp_region *region, const void **out, bp_err *err) BP_CHECKED;

#endif
