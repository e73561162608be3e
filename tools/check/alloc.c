/* SPDX-License-Identifier: MIT */
/*
 * alloc.c - stands before the C library's allocator, plug-in and its libraries included, to count
 * and to fail. glibc without sanitizers only; elsewhere nothing is counted and tests say so.
 */

#define _GNU_SOURCE
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check/kit.h"

#define SEEN __attribute__((visibility("default")))

/* volatile: the compiler takes malloc() for a function that touches no variable of ours. */
static _Thread_local volatile struct {
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

/*
 * A sanitizer that was preloaded has an allocator of its own, which parts of the process reach past
 * these functions: all memory has to come from there then.
 */
static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*memalign)(size_t, size_t);
    void (*free)(void *);
    bool is_known, is_asking;
} below = {__libc_malloc, __libc_calloc, __libc_realloc, __libc_memalign,
           __libc_free,   false,         false};

/* For dlsym(), while it is asked where memory comes from; never freed. */
static unsigned char early[16384];
static size_t n_early;

static void *take_early(size_t n)
{
    void *p = early + n_early;

    n = (n + 15) / 16 * 16;
    if (n > sizeof early - n_early)
        return NULL;
    n_early += n;
    return p;
}

static bool is_early(const void *p)
{
    return (const unsigned char *)p >= early && (const unsigned char *)p < early + sizeof early;
}

static void *symbol_or(const char *name, void *otherwise)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);

    return symbol ? symbol : otherwise;
}

static void find_below(void)
{
    void *symbol;

    below.is_asking = true;
    if (dlsym(RTLD_DEFAULT, "__interceptor_malloc")) {
        symbol = symbol_or("__interceptor_malloc", NULL);
        memcpy(&below.malloc, &symbol, sizeof symbol);
        symbol = symbol_or("__interceptor_calloc", NULL);
        memcpy(&below.calloc, &symbol, sizeof symbol);
        symbol = symbol_or("__interceptor_realloc", NULL);
        memcpy(&below.realloc, &symbol, sizeof symbol);
        symbol = symbol_or("__interceptor_memalign", NULL);
        memcpy(&below.memalign, &symbol, sizeof symbol);
        symbol = symbol_or("__interceptor_free", NULL);
        memcpy(&below.free, &symbol, sizeof symbol);
    }
    below.is_asking = false;
    below.is_known = true;
}

/* Is the question who allocates being asked right now? */
static bool is_asking(void)
{
    if (!below.is_known && !below.is_asking)
        find_below();
    return below.is_asking;
}

/* With a sanitizer's allocator nothing is counted, and nothing fails. */
static bool is_watched(void)
{
    return below.malloc == __libc_malloc;
}

static void count(void)
{
    if (watch.is_on && !watch.is_paused && is_watched())
        watch.calls++;
}

static bool fails_now(void)
{
    count();
    if (watch.is_paused || !is_watched() || watch.left == 0 || --watch.left > 0)
        return false;
    watch.has_failed = true;
    errno = ENOMEM;
    return true;
}

SEEN void *malloc(size_t n)
{
    if (is_asking())
        return take_early(n);
    return fails_now() ? NULL : below.malloc(n);
}

SEEN void *calloc(size_t n, size_t size)
{
    if (is_asking())
        return take_early(n * size); /* static memory is zero */
    return fails_now() ? NULL : below.calloc(n, size);
}

SEEN void *realloc(void *p, size_t n)
{
    if (is_asking() || is_early(p))
        return take_early(n);
    return fails_now() ? NULL : below.realloc(p, n);
}

SEEN void *memalign(size_t align, size_t n);
SEEN void *memalign(size_t align, size_t n)
{
    return is_asking() || fails_now() ? NULL : below.memalign(align, n);
}

SEEN void *aligned_alloc(size_t align, size_t n)
{
    return is_asking() || fails_now() ? NULL : below.memalign(align, n);
}

SEEN int posix_memalign(void **out, size_t align, size_t n)
{
    void *p;

    if (align % sizeof(void *) != 0 || (align & (align - 1)) != 0)
        return EINVAL;
    p = is_asking() || fails_now() ? NULL : below.memalign(align, n);
    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

SEEN void free(void *p)
{
    if (!p || is_early(p))
        return;
    count();
    (void)is_asking();
    below.free(p);
}

#endif
