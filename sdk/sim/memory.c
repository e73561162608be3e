/* SPDX-License-Identifier: MIT */
/* memory.c - libbp-sim: devices, their memory, faults and counters. */

#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { POISON = 0xa5 };

bp_sim_counters sim_counters;

bp_sim_counters *bp_sim_counters_get(void)
{
    return &sim_counters;
}

/* An allocation: addresses without rights, and the bytes that they stand for. */
struct block {
    struct block *next;
    void *handle;
    size_t span; /* of the addresses */
    size_t bytes;
    void *data;
};

/* The fault that the environment asks for, in place of the options'. */
static void read_fault(bp_sim_options *options)
{
    static const char *const names[BP_SIM_CALLS] = {"none",  "alloc",  "copy",  "stream",
                                                    "event", "record", "wait",  "launch",
                                                    "late",  "order",  "notify"};
    const char *text = getenv("BP_SIM_FAIL");
    size_t n = text ? strcspn(text, ":") : 0;
    uint32_t call = BP_SIM_NONE;

    if (!text || !*text)
        return;
    while (call < BP_SIM_CALLS && (strlen(names[call]) != n || strncmp(names[call], text, n) != 0))
        call++;
    if (call == BP_SIM_CALLS) {
        fprintf(stderr, "libbp-sim: BP_SIM_FAIL=%s: no such kind of call; see <bp/sim.h>\n", text);
        abort();
    }
    options->fail = call;
    options->fail_at = text[n] ? strtoull(text + n + 1, NULL, 10) : 0;
}

bp_sim_device *bp_sim_open(const bp_sim_options *options)
{
    bp_sim_device *device = (bp_sim_device *)calloc(1, sizeof *device);

    if (!device)
        return NULL;
    device->options = *options;
    read_fault(&device->options);
    pthread_mutex_init(&device->lock, NULL);
    return device;
}

void bp_sim_close(bp_sim_device *device)
{
    while (device->blocks)
        bp_sim_free(device, device->blocks->handle);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

int bp_sim_fails(bp_sim_device *device, uint32_t call)
{
    uint64_t n = SIM_ADD(device->calls[call], 1);

    SIM_ADD(sim_counters.calls[call], 1);
    return device->options.fail == call &&
           (device->options.fail_at == 0 || device->options.fail_at == n);
}

void bp_sim_spend(bp_sim_device *device, int64_t ns)
{
    struct timespec price = {ns / 1000000000, ns % 1000000000};

    (void)device;
    if (ns > 0)
        nanosleep(&price, NULL);
}

static void count_bytes(size_t n)
{
    uint64_t now = SIM_ADD(sim_counters.bytes, n);
    uint64_t peak = __atomic_load_n(&sim_counters.peak, __ATOMIC_SEQ_CST);

    while (now > peak && !__atomic_compare_exchange_n(&sim_counters.peak, &peak, now, 1,
                                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        continue;
}

static void destroy_block(struct block *block)
{
    if (block->handle)
        munmap(block->handle, block->span);
    free(block->data);
    free(block);
}

static struct block *make_block(size_t n)
{
    struct block *block = (struct block *)calloc(1, sizeof *block);
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

uint64_t bp_sim_memory_free(bp_sim_device *device)
{
    uint64_t n;

    pthread_mutex_lock(&device->lock);
    n = device->options.memory - device->used;
    pthread_mutex_unlock(&device->lock);
    return n;
}

void *bp_sim_alloc(bp_sim_device *device, size_t n)
{
    struct block *block = NULL;

    if (bp_sim_fails(device, BP_SIM_ALLOC))
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
    SIM_ADD(sim_counters.allocations, 1);
    return block->handle;
}

void bp_sim_free(bp_sim_device *device, void *handle)
{
    struct block **link = &device->blocks, *block;

    pthread_mutex_lock(&device->lock);
    while (*link && (*link)->handle != handle)
        link = &(*link)->next;
    block = *link;
    if (!block)
        abort(); /* freed twice, or never allocated: the host's mistake */
    *link = block->next;
    device->used -= block->bytes;
    pthread_mutex_unlock(&device->lock);
    SIM_SUB(sim_counters.bytes, block->bytes);
    SIM_SUB(sim_counters.allocations, 1);
    destroy_block(block);
}

void *bp_sim_reach(bp_sim_device *device, bp_sim_ref ref)
{
    struct block *block;
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
