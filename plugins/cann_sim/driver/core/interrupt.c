/* SPDX-License-Identifier: MIT */
/* interrupt.c - see interrupt.h. */
#include "core/interrupt.h"

#include <stddef.h>

static _Thread_local const uint32_t *watched;

void sim_interrupt_watch(const uint32_t *flag)
{
    watched = flag;
}

bool sim_interrupted(void)
{
    return watched && __atomic_load_n(watched, __ATOMIC_RELAXED) != 0;
}
