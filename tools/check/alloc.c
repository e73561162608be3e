/* SPDX-License-Identifier: MIT */
/*
 * alloc.c - stands before the C library's allocator, plug-in and its libraries included, to count
 * and to fail. glibc without sanitizers only; elsewhere nothing is counted and tests say so.
 */

#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "check/kit.h"

#define SEEN __attribute__((visibility("default")))

static _Thread_local struct {
    unsigned long calls;
    unsigned left; /* allocations up to the one that fails; 0: none does */
    bool is_on, is_paused, has_failed;
} watch;

bool kit_alloc_works(void)
{
    unsigned long before;
    void *volatile p;

    kit_alloc_watch();
    before = watch.calls;
    p = malloc(1);
    free(p);
    watch.is_on = false;
    return watch.calls == before + 2;
}

void kit_alloc_watch(void)
{
    watch.calls = 0;
    watch.is_on = true;
}

unsigned long kit_alloc_calls(void)
{
    watch.is_on = false;
    return watch.calls;
}

void kit_alloc_fail_at(unsigned n)
{
    if (n > 0)
        watch.has_failed = false;
    watch.left = n;
}

bool kit_alloc_failed(void)
{
    return watch.has_failed;
}

void kit_alloc_pause(bool on)
{
    watch.is_paused = on;
}

#if defined(__GLIBC__) && !WITH_ASAN && !WITH_TSAN

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);
void __libc_free(void *p);

static void count(void)
{
    if (watch.is_on && !watch.is_paused)
        watch.calls++;
}

static bool fails_now(void)
{
    count();
    if (watch.is_paused || watch.left == 0 || --watch.left > 0)
        return false;
    watch.has_failed = true;
    errno = ENOMEM;
    return true;
}

SEEN void *malloc(size_t n)
{
    return fails_now() ? NULL : __libc_malloc(n);
}

SEEN void *calloc(size_t n, size_t size)
{
    return fails_now() ? NULL : __libc_calloc(n, size);
}

SEEN void *realloc(void *p, size_t n)
{
    return fails_now() ? NULL : __libc_realloc(p, n);
}

SEEN void *memalign(size_t align, size_t n);
SEEN void *memalign(size_t align, size_t n)
{
    return fails_now() ? NULL : __libc_memalign(align, n);
}

SEEN void *aligned_alloc(size_t align, size_t n)
{
    return fails_now() ? NULL : __libc_memalign(align, n);
}

SEEN int posix_memalign(void **out, size_t align, size_t n)
{
    void *p;

    if (align % sizeof(void *) != 0 || (align & (align - 1)) != 0)
        return EINVAL;
    p = fails_now() ? NULL : __libc_memalign(align, n);
    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

SEEN void free(void *p)
{
    if (!p)
        return;
    count();
    __libc_free(p);
}

#endif
