/* SPDX-License-Identifier: MIT */
/* put.h - writes protobuf messages into a growing buffer. */
#ifndef BP_BASE_PUT_H
#define BP_BASE_PUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start from {0}; data is to be freed. After a failed allocation `failed` stays set. */
struct bp_put {
    uint8_t *data;
    size_t size, cap;
    bool failed;
};

void bp_put_int(struct bp_put *put, uint32_t field, int64_t value);
void bp_put_float(struct bp_put *put, uint32_t field, float value);
void bp_put_bytes(struct bp_put *put, uint32_t field, const void *bytes, size_t n);
void bp_put_text(struct bp_put *put, uint32_t field, const char *text);
/* Fields that are written already. */
void bp_put_raw(struct bp_put *put, const void *bytes, size_t n);
/* A message in the field, up to the end with the same mark. */
size_t bp_put_begin(struct bp_put *put, uint32_t field);
void bp_put_end(struct bp_put *put, size_t mark);

#endif
