/* SPDX-License-Identifier: MIT */
/* count_alloc.c - malloc and its family, counted; see count_alloc.h. */

#include "config.h"

#include "support/count_alloc.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Plug-ins and libraries find ours, although the build hides names. */
#define SEEN __attribute__((visibility("default")))

static atomic_ulong calls;
static atomic_long live;
static _Thread_local unsigned long own_calls;
static _Thread_local unsigned left; /* allocations up to the one that fails; 0: none does */
static _Thread_local bool has_failed;

unsigned long count_alloc_calls(void)
{
    return atomic_load(&calls);
}

unsigned long count_alloc_own_calls(void)
{
    return own_calls;
}

long count_alloc_live(void)
{
    return atomic_load(&live);
}

void count_alloc_fail_at(unsigned n)
{
    has_failed = false;
    left = n;
}

bool count_alloc_stop(void)
{
    left = 0;
    return has_failed;
}

#if defined(__GLIBC__) && !WITH_ASAN && !WITH_TSAN

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);
void __libc_free(void *p);

static bool fails_now(void)
{
    atomic_fetch_add(&calls, 1);
    own_calls++;
    if (left == 0 || --left > 0)
        return false;
    has_failed = true;
    errno = ENOMEM;
    return true;
}

static void *count(void *p)
{
    if (p)
        atomic_fetch_add(&live, 1);
    return p;
}

SEEN void *malloc(size_t n)
{
    return fails_now() ? NULL : count(__libc_malloc(n));
}

SEEN void *calloc(size_t n, size_t size)
{
    return fails_now() ? NULL : count(__libc_calloc(n, size));
}

SEEN void *realloc(void *p, size_t n)
{
    void *q;

    if (fails_now())
        return NULL;
    q = __libc_realloc(p, n);
    if (!p)
        count(q);
    else if (n == 0)
        atomic_fetch_sub(&live, 1);
    return q;
}

SEEN void *aligned_alloc(size_t align, size_t n)
{
    return fails_now() ? NULL : count(__libc_memalign(align, n));
}

SEEN int posix_memalign(void **out, size_t align, size_t n)
{
    void *p;

    if (align % sizeof(void *) != 0 || (align & (align - 1)) != 0)
        return EINVAL;
    p = fails_now() ? NULL : count(__libc_memalign(align, n));
    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

SEEN void free(void *p)
{
    if (!p)
        return;
    atomic_fetch_add(&calls, 1);
    own_calls++;
    atomic_fetch_sub(&live, 1);
    __libc_free(p);
}

#endif
