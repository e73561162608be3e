/* SPDX-License-Identifier: MIT */
/* block.c - calls of a session's allocator, and blocks that are aligned whatever it gives. */

#define _GNU_SOURCE

#include "config.h"

#include "base/block.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/guard.h"

/* ---- the application's functions --------------------------------------------------------------- */

bp_rc bp_allocator_read(const bp_allocator *theirs, bp_allocator *out, bp_err *err)
{
    if (theirs->struct_size < sizeof(uint32_t) || theirs->struct_size > 4096)
        return bp_fail(err, BP_E_INVALID, "bp_allocator: struct_size is %u; set it to sizeof",
                       theirs->struct_size);
    memset(out, 0, sizeof *out);
    bp_copy_in(out, sizeof *out, theirs);
    if (!out->alloc || !out->free)
        return bp_fail(err, BP_E_INVALID, "bp_allocator: it needs both alloc and free");
    return BP_OK;
}

struct request {
    const bp_allocator *allocator;
    size_t bytes;
    void *memory;
    bp_err *err;
    bp_rc rc;
};

static void call_alloc(void *u)
{
    struct request *request = u;

    request->rc = request->allocator->alloc(request->allocator->user, request->bytes,
                                            &request->memory, request->err);
}

static void call_free(void *u)
{
    const struct request *request = u;

    request->allocator->free(request->allocator->user, request->memory);
}

bp_rc bp_allocator_get(const bp_allocator *allocator, size_t bytes, void **out, bp_err *err)
{
    struct request request = {.allocator = allocator, .bytes = bytes, .err = err};
    struct bp_thrown thrown;

    *out = NULL;
    bp_err_clear(err);
    if (!bp_guard(call_alloc, &request, &thrown))
        return bp_thrown_fail(&thrown, "alloc of the session's allocator", err);
    if (request.rc < 0)
        return bp_err_complete(err, request.rc);
    if (!request.memory)
        return bp_fail(err, BP_E_NOMEM, "the session's allocator has no %zu bytes", bytes);
    *out = request.memory;
    return BP_OK;
}

void bp_allocator_put(const bp_allocator *allocator, void *memory)
{
    struct request request = {.allocator = allocator, .memory = memory};
    struct bp_thrown thrown;

    if (memory)
        (void)bp_guard(call_free, &request, &thrown);
}

/* ---- blocks ------------------------------------------------------------------------------------ */

/*
 * Large blocks have pages of their own, which the system has back as soon as they are freed. In the C
 * library's heap, runs of many shapes would leave as much free memory between blocks as is in use.
 * AddressSanitizer watches what lies around a block in its heap only.
 */
#if defined(__SANITIZE_ADDRESS__)
enum { HAS_LARGE = 0 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { HAS_LARGE = 0 };
#else
enum { HAS_LARGE = 1 };
#endif
#else
enum { HAS_LARGE = 1 };
#endif

enum { LARGE = 1 << 20 }; /* bytes */

/* Lies right before a block, in the BP_BLOCK_ALIGN bytes that it is allocated with. */
struct head {
    void *memory;  /* where the block's memory begins */
    size_t mapped; /* bytes of pages of its own; 0: of the heap or the session's allocator */
};

_Static_assert(sizeof(struct head) <= BP_BLOCK_ALIGN, "a head fits in front of an aligned block");

static void *map_pages(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

/* size: of the head and the block. */
static bp_rc get_memory(const bp_allocator *allocator, size_t size, struct head *head, bp_err *err)
{
    if (allocator) {
        if (!bp_add_size(size, BP_BLOCK_ALIGN, &size))
            return bp_fail(err, BP_E_NOMEM, "no memory for %zu bytes", size);
        return bp_allocator_get(allocator, size, &head->memory, err);
    }
    if (HAS_LARGE && size >= LARGE) {
        head->memory = map_pages(size);
        head->mapped = size;
    } else if (posix_memalign(&head->memory, BP_BLOCK_ALIGN, size) != 0) {
        head->memory = NULL;
    }
    return head->memory ? BP_OK : bp_fail(err, BP_E_NOMEM, "no memory for %zu bytes", size);
}

bp_rc bp_block_alloc(const bp_allocator *allocator, size_t bytes, void **out, bp_err *err)
{
    struct head head = {0};
    size_t size;
    char *block;
    bp_rc rc;

    *out = NULL;
    if (!bp_add_size(bytes, BP_BLOCK_ALIGN, &size))
        return bp_fail(err, BP_E_NOMEM, "no memory for %zu bytes", bytes);
    rc = get_memory(allocator, size, &head, err);
    if (rc < 0)
        return rc;
    block = (char *)head.memory + sizeof head;
    block += -(uintptr_t)block & (BP_BLOCK_ALIGN - 1);
    memcpy(block - sizeof head, &head, sizeof head);
    *out = block;
    return BP_OK;
}

size_t bp_block_untouched(const bp_allocator *allocator, const void *block)
{
    enum { MAX_PAGES = 4096 };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char pages[MAX_PAGES];
    size_t n_untouched = 0;
    struct head head;

    if (allocator || !block)
        return 0;
    memcpy(&head, (const char *)block - sizeof head, sizeof head);
    for (size_t at = 0; at < head.mapped; at += MAX_PAGES * page) {
        size_t bytes = head.mapped - at < MAX_PAGES * page ? head.mapped - at : MAX_PAGES * page;

        if (mincore((char *)head.memory + at, bytes, pages) != 0)
            return 0;
        for (size_t i = 0; i < (bytes + page - 1) / page; i++)
            n_untouched += !(pages[i] & 1);
    }
    return n_untouched * page;
}

void bp_block_free(const bp_allocator *allocator, void *block)
{
    struct head head;

    if (!block)
        return;
    memcpy(&head, (char *)block - sizeof head, sizeof head);
    if (allocator)
        bp_allocator_put(allocator, head.memory);
    else if (head.mapped)
        munmap(head.memory, head.mapped);
    else
        free(head.memory);
}
