/* SPDX-License-Identifier: MIT */
/* proto.h - writes protobuf messages into memory that grows. */
#ifndef BP_ORT_PROTO_H
#define BP_ORT_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start from {0}; data is to be freed. After a failed allocation `failed` stays set. */
struct ort_proto {
    uint8_t *data;
    size_t size, cap;
    bool failed;
};

void ort_proto_int(struct ort_proto *proto, uint32_t field, int64_t value);
void ort_proto_float(struct ort_proto *proto, uint32_t field, float value);
void ort_proto_bytes(struct ort_proto *proto, uint32_t field, const void *bytes, size_t n);
void ort_proto_text(struct ort_proto *proto, uint32_t field, const char *text);
/* A message in the field, up to the end with the same mark. */
size_t ort_proto_begin(struct ort_proto *proto, uint32_t field);
void ort_proto_end(struct ort_proto *proto, size_t mark);

#endif
