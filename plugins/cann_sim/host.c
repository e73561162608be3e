/* SPDX-License-Identifier: MIT */
/* host.c - host memory for the provider's own arrays. */

#include "cann.h"

enum { ALIGN = 16 };

/* Counts that cannot be multiplied give no memory. */
void *bp_cann_calloc(const bp_instance *instance, size_t count, size_t size)
{
    void *memory;

    if (count == 0 || count > SIZE_MAX / 2 / size)
        return NULL;
    memory = instance->host.alloc(instance->host.h, count * size, ALIGN);
    return memory ? memset(memory, 0, count * size) : NULL;
}

void bp_cann_free(const bp_instance *instance, void *memory, size_t count, size_t size)
{
    instance->host.free(instance->host.h, memory, count * size, ALIGN);
}
