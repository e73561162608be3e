/* SPDX-License-Identifier: MIT */
/*
 * memory.c - blocks of memory, by address.
 *
 * A sorted array of blocks, and a ring of addresses that were freed last. Freed ranges stay
 * reserved, without access, so that no new block gets their addresses and use after free is
 * distinguished from any wild address.
 */
#include "memory/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"
#include "core/state.h"

/* Freed ranges that stay reserved; the oldest is given back to the system. */
#define REMEMBERED 256

/* All blocks of the process. [locked] */
static struct {
    struct sim_block **blocks; /* by address */
    size_t count, capacity;
    struct {
        uint8_t *address;
        size_t mapped;
    } freed[REMEMBERED]; /* a ring */
    size_t next_freed;
} blocks_of_all;

/* ---- finding -------------------------------------------------------------------------------- */

/*
 * The first block that ends past the address: the one it lies in, or the next one. Binary search.
 */
static size_t find_index(const uint8_t *address)
{
    size_t low = 0, high = blocks_of_all.count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        struct sim_block *block = blocks_of_all.blocks[middle];

        if ((uintptr_t)address < (uintptr_t)block->address + block->mapped)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Is the address in a range that is still reserved? */
static bool was_freed(const uint8_t *address)
{
    for (size_t i = 0; i < REMEMBERED; i++)
        if (blocks_of_all.freed[i].address &&
            (uintptr_t)address - (uintptr_t)blocks_of_all.freed[i].address <
                blocks_of_all.freed[i].mapped)
            return true;
    return false;
}

enum sim_memory_kind sim_memory_kind_of(const void *address, struct sim_block **block)
{
    size_t i = find_index(address);

    *block = NULL;
    if (i < blocks_of_all.count &&
        (uintptr_t)address >= (uintptr_t)blocks_of_all.blocks[i]->address) {
        *block = blocks_of_all.blocks[i];
        return (*block)->device ? SIM_MEMORY_DEVICE : SIM_MEMORY_PINNED;
    }
    return was_freed(address) ? SIM_MEMORY_FREED : SIM_MEMORY_HOST;
}

/*
 * Finds the block for sim_pin() and sim_check_device(). Bounds are those asked for, not the padded
 * ones: to rely on padding is a violation.
 */
static aclError find_device(const struct sim_device *device, const void *address, size_t size,
                            aclError code, const char *what, struct sim_block **out)
{
    struct sim_block *block;
    enum sim_memory_kind place = sim_memory_kind_of(address, &block);
    size_t offset;

    *out = NULL;
    if (place == SIM_MEMORY_FREED)
        return sim_violate(BP_ASCEND_USE_AFTER_FREE, code, "%s %p was freed", what, address);
    if (place != SIM_MEMORY_DEVICE)
        return sim_violate(BP_ASCEND_HOST_AS_DEVICE, code, "%s %p is not memory of a device", what,
                           address);
    if (device && block->device != device)
        return sim_violate(BP_ASCEND_OTHER_DEVICE, code,
                           "%s %p is memory of device %d, the current one is %d", what, address,
                           block->device->id, device->id);
    offset = (uintptr_t)address - (uintptr_t)block->address;
    if (offset > block->size || size > block->size - offset)
        return sim_violate(BP_ASCEND_OUT_OF_BOUNDS, code,
                           "%s %p: %zu bytes from %zu on, of a block of %zu", what, address, size,
                           offset, block->size);
    *out = block;
    return 0;
}

aclError sim_check_device(const struct sim_device *device, const void *address, size_t size,
                          aclError code, const char *what)
{
    struct sim_block *block;

    return find_device(device, address, size, code, what, &block);
}

aclError sim_pin(const struct sim_device *device, const void *address, size_t size, aclError code,
                 const char *what, struct sim_block **block, uint8_t **out)
{
    aclError rc = find_device(device, address, size, code, what, block);

    if (rc)
        return rc;
    (*block)->pins++;
    *out = (*block)->data + ((uintptr_t)address - (uintptr_t)(*block)->address);
    return 0;
}

/* Ordinary host memory is not known here, and always passes. */
aclError sim_check_host(const void *address, size_t size, const char *what)
{
    struct sim_block *block;
    enum sim_memory_kind place = sim_memory_kind_of(address, &block);

    if (place == SIM_MEMORY_DEVICE)
        return sim_violate(BP_ASCEND_DEVICE_AS_HOST, ACL_ERROR_RT_PARAM_INVALID,
                           "%s %p is memory of device %d", what, address, block->device->id);
    if (place == SIM_MEMORY_FREED)
        return sim_violate(BP_ASCEND_USE_AFTER_FREE, ACL_ERROR_RT_PARAM_INVALID, "%s %p was freed",
                           what, address);
    if (place == SIM_MEMORY_PINNED) {
        size_t offset = (uintptr_t)address - (uintptr_t)block->address;

        if (offset > block->size || size > block->size - offset)
            return sim_violate(BP_ASCEND_OUT_OF_BOUNDS, ACL_ERROR_RT_PARAM_INVALID,
                               "%s %p: %zu bytes from %zu on, of pinned memory of %zu", what,
                               address, size, offset, block->size);
    }
    return 0;
}

/* ---- blocks --------------------------------------------------------------------------------- */

/*
 * Fresh zeroed pages; NORESERVE, so that a simulated device may have more memory than the machine.
 */
static void *map(size_t size, int protection)
{
    void *at = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

/* The ring takes the range over; what was in its slot is unmapped. */
static void remember_freed(uint8_t *address, size_t mapped)
{
    size_t i = blocks_of_all.next_freed++ % REMEMBERED;

    if (blocks_of_all.freed[i].address)
        munmap(blocks_of_all.freed[i].address, blocks_of_all.freed[i].mapped);
    blocks_of_all.freed[i].address = address;
    blocks_of_all.freed[i].mapped = mapped;
}

/*
 * Gives the bytes back; the address stays closed for a while. Pinned memory has one mapping only,
 * whose pages are replaced.
 */
static void dispose(struct sim_block *block)
{
    if (block->device) {
        munmap(block->data, block->mapped);
    } else {
        mmap(block->address, block->mapped, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    }
    free(block);
}

void sim_unpin(struct sim_block *block)
{
    if (block && --block->pins == 0 && block->freed)
        dispose(block);
}

/* Keeps the array sorted; false: no memory. */
static bool insert(struct sim_block *block)
{
    size_t at;

    if (blocks_of_all.count == blocks_of_all.capacity) {
        size_t capacity = blocks_of_all.capacity ? 2 * blocks_of_all.capacity : 64;
        struct sim_block **more =
            realloc(blocks_of_all.blocks, capacity * sizeof(struct sim_block *));

        if (!more)
            return false;
        blocks_of_all.blocks = more;
        blocks_of_all.capacity = capacity;
    }
    at = find_index(block->address);
    memmove(&blocks_of_all.blocks[at + 1], &blocks_of_all.blocks[at],
            (blocks_of_all.count - at) * sizeof *blocks_of_all.blocks);
    blocks_of_all.blocks[at] = block;
    blocks_of_all.count++;
    return true;
}

/* Off the table: its address is no longer live, even if a pin keeps the bytes. */
static void remove_block(struct sim_block *block)
{
    size_t at = find_index(block->address);

    blocks_of_all.count--;
    memmove(&blocks_of_all.blocks[at], &blocks_of_all.blocks[at + 1],
            (blocks_of_all.count - at) * sizeof *blocks_of_all.blocks);
    remember_freed(block->address, block->mapped);
    block->freed = true;
    if (block->pins == 0)
        dispose(block);
}

/* Whole pages, as protection is by page. */
struct sim_block *sim_block_create(struct sim_device *device, size_t size, size_t padded)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct sim_block *block = calloc(1, sizeof *block);

    if (!block)
        return NULL;
    block->device = device;
    block->size = size;
    block->padded = padded;
    block->mapped = (padded + page - 1) / page * page;
    block->address = map(block->mapped, device ? PROT_NONE : PROT_READ | PROT_WRITE);
    if (block->address)
        block->data = device ? map(block->mapped, PROT_READ | PROT_WRITE) : block->address;
    if (block->data && insert(block))
        return block;
    if (block->data && device)
        munmap(block->data, block->mapped);
    if (block->address)
        munmap(block->address, block->mapped);
    free(block);
    return NULL;
}

/* The counterpart of what allocating has counted, by padded bytes. */
static void count_free(const struct sim_block *block)
{
    struct bp_ascend_counters *counters = &sim_state.counters;

    if (block->device) {
        counters->frees++;
        counters->live_bytes -= block->padded;
        block->device->used -= block->padded;
    } else {
        counters->host_frees++;
        counters->host_live_bytes -= block->padded;
    }
}

void sim_block_free(struct sim_block *block)
{
    count_free(block);
    remove_block(block);
}

/* From the end, as freeing moves later entries down. */
size_t sim_free_all(const struct sim_device *device)
{
    size_t freed = 0;

    for (size_t i = blocks_of_all.count; i-- > 0;) {
        struct sim_block *block = blocks_of_all.blocks[i];

        if (block->device != device)
            continue;
        sim_block_free(block);
        freed++;
    }
    return freed;
}

void sim_memory_finish(void)
{
    for (size_t i = 0; i < REMEMBERED; i++)
        if (blocks_of_all.freed[i].address)
            munmap(blocks_of_all.freed[i].address, blocks_of_all.freed[i].mapped);
    free(blocks_of_all.blocks);
    memset(&blocks_of_all, 0, sizeof blocks_of_all);
}
