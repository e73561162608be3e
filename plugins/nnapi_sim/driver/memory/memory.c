/* SPDX-License-Identifier: MIT */
/* memory.c - making, mapping and freeing memory. */
#include "memory/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/state.h"

/* A buffer is counted, as memory that was made of it outlives its destruction. */
struct AHardwareBuffer {
    size_t size;
    bool blob;
    uint32_t refs; /* under the state's lock */
    double data[];
};

static void buffer_unref(struct AHardwareBuffer *buffer)
{
    bool last;

    if (!buffer)
        return;
    nn_lock();
    last = --buffer->refs == 0;
    nn_unlock();
    if (last)
        free(buffer);
}

/* ---- making --------------------------------------------------------------------------------- */

int nn_memory_make(enum nn_memory_kind kind, size_t size, struct ANeuralNetworksMemory **out)
{
    struct ANeuralNetworksMemory *memory;
    int code = nn_fault(BP_NNAPI_AT_MEMORY, BP_NNAPI_ANY);
    bool fits;

    *out = NULL;
    if (code)
        return code;
    nn_lock();
    fits = !nn_state.config->memory || size <= nn_state.config->memory - nn_state.memory_used;
    if (fits)
        nn_state.memory_used += size;
    nn_unlock();
    if (!fits)
        return nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "%zu bytes are more than there are left",
                       size);
    memory = calloc(1, sizeof *memory);
    if (!memory) {
        nn_count(&nn_state.memory_used, -(int64_t)size);
        return nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no memory");
    }
    memory->kind = kind;
    memory->size = size;
    nn_count(&nn_state.counters.live_memories, 1);
    *out = memory;
    return 0;
}

void ANeuralNetworksMemory_free(ANeuralNetworksMemory *memory)
{
    if (!memory)
        return;
    if (memory->map)
        munmap(memory->map, memory->map_size);
    if (memory->kind == NN_MEMORY_DEVICE)
        free(memory->data);
    buffer_unref(memory->buffer);
    free(memory->roles);
    nn_lock();
    nn_state.memory_used -= memory->size;
    nn_state.counters.live_memories--;
    nn_unlock();
    free(memory);
}

/* The whole pages that hold the bytes are mapped. */
static int map_descriptor(struct ANeuralNetworksMemory *memory, int protect, int fd, size_t offset)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), before = offset % page;
    int code = nn_fault(BP_NNAPI_AT_MAP, BP_NNAPI_ANY);
    void *map;

    if (code)
        return code;
    if (memory->size > SIZE_MAX - before || offset > INT64_MAX)
        return nn_fail(ANEURALNETWORKS_BAD_DATA, "%zu bytes at %zu cannot be", memory->size,
                       offset);
    map = mmap(NULL, memory->size + before, protect, MAP_SHARED, fd, (off_t)(offset - before));
    if (map == MAP_FAILED)
        return nn_fail(ANEURALNETWORKS_UNMAPPABLE, "descriptor %d cannot be mapped: %s", fd,
                       strerror(errno));
    memory->map = map;
    memory->map_size = memory->size + before;
    memory->data = (char *)map + before;
    memory->writable = (protect & PROT_WRITE) != 0;
    return 0;
}

int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset,
                                       ANeuralNetworksMemory **memory)
{
    struct ANeuralNetworksMemory *made;
    int code;

    NN_ENTER(27);
    NN_NOT_NULL(memory);
    *memory = NULL;
    if (fd < 0)
        return nn_leave(nn_fail(ANEURALNETWORKS_UNMAPPABLE, "%d is no descriptor", fd));
    if (size == 0)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_DATA, "memory of 0 bytes"));
    code = nn_memory_make(NN_MEMORY_FD, size, &made);
    if (code)
        return nn_leave(code);
    code = map_descriptor(made, protect, fd, offset);
    if (code) {
        ANeuralNetworksMemory_free(made);
        return nn_leave(code);
    }
    *memory = made;
    return 0;
}

bool nn_memory_written(const struct ANeuralNetworksMemory *memory)
{
    bool written;

    nn_lock();
    written = memory->kind != NN_MEMORY_DEVICE || memory->written;
    nn_unlock();
    return written;
}

/* Android's functions take memory as const and write it all the same. */
void nn_memory_set_written(const struct ANeuralNetworksMemory *memory, bool written)
{
    nn_lock();
    ((struct ANeuralNetworksMemory *)(uintptr_t)memory)->written = written;
    nn_unlock();
}

/* ---- hardware buffers ----------------------------------------------------------------------- */

int bp_nnapi_hardware_buffer_create(size_t size, bool blob, AHardwareBuffer **buffer, void **data)
{
    struct AHardwareBuffer *made;

    NN_NOT_NULL(buffer);
    *buffer = NULL;
    made = size && size < SIZE_MAX / 2 ? calloc(1, sizeof *made + size) : NULL;
    if (!made)
        return nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no buffer of %zu bytes", size);
    made->size = size;
    made->blob = blob;
    made->refs = 1;
    *buffer = made;
    if (data)
        *data = made->data;
    return 0;
}

void bp_nnapi_hardware_buffer_destroy(AHardwareBuffer *buffer)
{
    buffer_unref(buffer);
}

int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer *ahwb,
                                                    ANeuralNetworksMemory **memory)
{
    struct AHardwareBuffer *buffer = (struct AHardwareBuffer *)(uintptr_t)ahwb;
    struct ANeuralNetworksMemory *made;
    int code;

    NN_ENTER(29);
    NN_NOT_NULL(memory);
    *memory = NULL;
    NN_NOT_NULL(ahwb);
    code = nn_memory_make(buffer->blob ? NN_MEMORY_BLOB : NN_MEMORY_PICTURE, buffer->size, &made);
    if (code)
        return nn_leave(code);
    nn_lock();
    buffer->refs++;
    nn_unlock();
    made->buffer = buffer;
    made->data = buffer->data;
    made->writable = true;
    *memory = made;
    return 0;
}
