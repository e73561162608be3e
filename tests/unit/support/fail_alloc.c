/* SPDX-License-Identifier: MIT */
/* fail_alloc.c - stands before malloc, calloc and realloc and lets one call fail. */

#include "config.h"

#include "support/fail_alloc.h"

#include <stddef.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t n);

static unsigned left; /* allocations up to the one that fails; 0: none does */
static bool has_failed;

void fail_alloc_at(unsigned n)
{
    left = n;
    has_failed = false;
}

bool fail_alloc_stop(void)
{
    left = 0;
    return has_failed;
}

static bool fails_now(void)
{
    if (left == 0 || --left > 0)
        return false;
    has_failed = true;
    return true;
}

void *__wrap_malloc(size_t n)
{
    return fails_now() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails_now() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    return fails_now() ? NULL : __real_realloc(p, n);
}
