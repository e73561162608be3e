/* SPDX-License-Identifier: MIT */
/* sim_memory.c - the pretend accelerator's memory and faults. */

#include "sim_parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { POISON = 0xa5 };

struct sim_counters sim_counters;

/* An allocation: addresses without rights, and the bytes that they stand for. */
struct sim_block {
    struct sim_block *next;
    void *handle;
    size_t span; /* of the addresses */
    size_t bytes;
    void *data;
};

struct sim_device *sim_open(const struct sim_options *options)
{
    struct sim_device *device = (struct sim_device *)calloc(1, sizeof *device);

    if (!device)
        return NULL;
    device->options = *options;
    pthread_mutex_init(&device->lock, NULL);
    return device;
}

void sim_close(struct sim_device *device)
{
    while (device->blocks)
        sim_free(device, device->blocks->handle);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

int sim_fails(struct sim_device *device, enum sim_call call)
{
    uint64_t n = atomic_fetch_add(&device->calls[call], 1) + 1;

    atomic_fetch_add(&sim_counters.calls[call], 1);
    return device->options.fail == call &&
           (device->options.fail_at == 0 || device->options.fail_at == n);
}

static void count_bytes(size_t n)
{
    unsigned long long now = atomic_fetch_add(&sim_counters.bytes, n) + n;
    unsigned long long peak = atomic_load(&sim_counters.peak);

    while (now > peak && !atomic_compare_exchange_weak(&sim_counters.peak, &peak, now))
        continue;
}

static void destroy_block(struct sim_block *block)
{
    if (block->handle)
        munmap(block->handle, block->span);
    free(block->data);
    free(block);
}

static struct sim_block *make_block(size_t n)
{
    struct sim_block *block = (struct sim_block *)calloc(1, sizeof *block);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *handle;

    if (!block)
        return NULL;
    block->bytes = n;
    block->span = (n + page - 1) / page * page;
    block->data = malloc(n);
    handle = mmap(NULL, block->span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (handle != MAP_FAILED)
        block->handle = handle;
    if (!block->data || !block->handle) {
        destroy_block(block);
        return NULL;
    }
    memset(block->data, POISON, n);
    return block;
}

void *sim_alloc(struct sim_device *device, size_t n)
{
    struct sim_block *block = NULL;

    if (sim_fails(device, SIM_ALLOC))
        return NULL;
    pthread_mutex_lock(&device->lock);
    if (n <= device->options.memory - device->used)
        block = make_block(n);
    if (block) {
        device->used += n;
        block->next = device->blocks;
        device->blocks = block;
    }
    pthread_mutex_unlock(&device->lock);
    if (!block)
        return NULL;
    count_bytes(n);
    atomic_fetch_add(&sim_counters.allocations, 1);
    return block->handle;
}

void sim_free(struct sim_device *device, void *handle)
{
    struct sim_block **link = &device->blocks, *block;

    pthread_mutex_lock(&device->lock);
    while (*link && (*link)->handle != handle)
        link = &(*link)->next;
    block = *link;
    if (!block)
        abort(); /* freed twice, or never allocated: the host's mistake */
    *link = block->next;
    device->used -= block->bytes;
    pthread_mutex_unlock(&device->lock);
    atomic_fetch_sub(&sim_counters.bytes, block->bytes);
    atomic_fetch_sub(&sim_counters.allocations, 1);
    destroy_block(block);
}

void *sim_reach(struct sim_device *device, struct sim_ref ref)
{
    struct sim_block *block;
    void *data = NULL;

    pthread_mutex_lock(&device->lock);
    block = device->blocks;
    while (block && block->handle != ref.handle)
        block = block->next;
    if (block && ref.offset <= block->bytes && ref.bytes <= block->bytes - ref.offset)
        data = (char *)block->data + ref.offset;
    pthread_mutex_unlock(&device->lock);
    return data;
}
