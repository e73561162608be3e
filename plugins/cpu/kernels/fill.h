/* SPDX-License-Identifier: MIT */
/* fill.h - fills memory with one element. */
#ifndef BP_CPU_KERNELS_FILL_H
#define BP_CPU_KERNELS_FILL_H

#include <string.h>

/*
 * n elements of `width` bytes; `element` does not lie among them. What is written already is copied
 * on, doubling up to about a page, so that the copies stay in the L1 cache.
 */
static inline void bp_cpu_fill(void *to, const void *element, size_t width, size_t n)
{
    char *y = to;
    size_t done = width, bytes = width * n;

    if (bytes == 0)
        return;
    if (width == 1) {
        memset(y, *(const unsigned char *)element, n);
        return;
    }
    memcpy(y, element, width);
    while (done < bytes) {
        size_t more = done < 4096 ? done : 4096 / width * width;

        more = more < bytes - done ? more : bytes - done;
        memcpy(y + done, y, more);
        done += more;
    }
}

#endif
