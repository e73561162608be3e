/* SPDX-License-Identifier: MIT */
/* faults.c - injected faults, the level, and the last sentence, as programs ask for them. */
#include <stdio.h>
#include <string.h>

#include "core/state.h"

int64_t bp_nnapi_level(void)
{
    return nn_config()->level;
}

void bp_nnapi_last_error(char *text, size_t size)
{
    if (text && size)
        snprintf(text, size, "%s", nn_error_text());
}

static int set(uint32_t point, uint32_t device, const struct nn_fault *fault)
{
    bool there;

    if (fault->code < 0 || fault->code > ANEURALNETWORKS_DEAD_OBJECT)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_DATA, "there is no code %d", fault->code));
    nn_lock();
    there = nn_fault_set(&nn_state.faults, point, device, fault);
    nn_unlock();
    return there ? 0
                 : nn_leave(nn_fail(ANEURALNETWORKS_BAD_DATA, "there is no point %u or device %u",
                                    point, device));
}

int bp_nnapi_fault(uint32_t point, uint32_t device, uint64_t after, uint64_t times, int code)
{
    return set(point, device, &(struct nn_fault){.after = after, .times = times, .code = code});
}

int bp_nnapi_fault_random(uint32_t point, uint32_t device, uint32_t per_million, uint64_t seed,
                          int code)
{
    if (per_million > 1000000)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_DATA, "%u in a million", per_million));
    return set(point, device,
               &(struct nn_fault){.per_million = per_million, .random = seed, .code = code});
}

void bp_nnapi_clear_faults(void)
{
    nn_lock();
    memset(&nn_state.faults, 0, sizeof nn_state.faults);
    nn_unlock();
}
