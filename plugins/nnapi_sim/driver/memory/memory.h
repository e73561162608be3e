/* SPDX-License-Identifier: MIT */
/* memory.h - memory of descriptors, of hardware buffers and of devices. */
#ifndef NN_MEMORY_H
#define NN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bp_nnapi_sim.h>

#include "ops/op.h"

enum nn_memory_kind { NN_MEMORY_FD, NN_MEMORY_BLOB, NN_MEMORY_PICTURE, NN_MEMORY_DEVICE };

/* What memory of a device may be used for: an input or output of a compilation. */
struct nn_role {
    const struct ANeuralNetworksCompilation *compilation;
    bool output;
    uint32_t index;
};

struct ANeuralNetworksMemory {
    enum nn_memory_kind kind;
    void *data; /* size bytes; the mapping begins at map, on a page */
    size_t size;
    void *map;
    size_t map_size;
    bool writable;
    struct AHardwareBuffer *buffer; /* counted */
    /* of kind NN_MEMORY_DEVICE */
    struct nn_role *roles;
    size_t role_count;
    struct nn_tensor type;
    bool written; /* under the state's lock */
};

/*
 * A memory of `size` bytes that counts against the configured limit; OUT_OF_MEMORY or an injected
 * fault. Its data is to be set by the caller. Any thread.
 */
int nn_memory_make(enum nn_memory_kind kind, size_t size, struct ANeuralNetworksMemory **out);
/* Whether it holds values; memory of descriptors always does. Any thread. */
bool nn_memory_written(const struct ANeuralNetworksMemory *memory);
void nn_memory_set_written(const struct ANeuralNetworksMemory *memory, bool written);

#endif
