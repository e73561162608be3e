/* SPDX-License-Identifier: MIT */
/* fault.c - which calls fail, by count or by chance. */
#include "core/fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int code;
} points[BP_NNAPI_POINTS] = {
    [BP_NNAPI_AT_MODEL] = {"model", ANEURALNETWORKS_OUT_OF_MEMORY},
    [BP_NNAPI_AT_COMPILE] = {"compile", ANEURALNETWORKS_OP_FAILED},
    [BP_NNAPI_AT_EXECUTE] = {"execute", ANEURALNETWORKS_OP_FAILED},
    [BP_NNAPI_AT_OPERATION] = {"operation", ANEURALNETWORKS_OP_FAILED},
    [BP_NNAPI_AT_MEMORY] = {"memory", ANEURALNETWORKS_OUT_OF_MEMORY},
    [BP_NNAPI_AT_MAP] = {"map", ANEURALNETWORKS_UNMAPPABLE},
    [BP_NNAPI_AT_COPY] = {"copy", ANEURALNETWORKS_OP_FAILED},
    [BP_NNAPI_AT_CACHE] = {"cache", ANEURALNETWORKS_OP_FAILED},
};

/* xorshift64: chances that a seed repeats. */
static uint64_t draw(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

static bool fires(struct nn_fault *fault)
{
    if (!fault->set)
        return false;
    if (fault->per_million)
        return draw(&fault->random) % 1000000 < fault->per_million;
    if (fault->after) {
        fault->after--;
        return false;
    }
    if (!fault->times)
        return false;
    fault->times--;
    return true;
}

/* Both faults count the call, that of the device and that of any device. */
int nn_fault_count(struct nn_faults *faults, uint32_t point, uint32_t device)
{
    struct nn_fault *any = &faults->at[point][NN_DEVICES];
    bool by_any = fires(any);

    if (device < NN_DEVICES && fires(&faults->at[point][device]))
        return faults->at[point][device].code;
    return by_any ? any->code : 0;
}

bool nn_fault_set(struct nn_faults *faults, uint32_t point, uint32_t device,
                  const struct nn_fault *fault)
{
    struct nn_fault *slot;

    if (point >= BP_NNAPI_POINTS || (device >= NN_DEVICES && device != BP_NNAPI_ANY))
        return false;
    slot = &faults->at[point][device == BP_NNAPI_ANY ? NN_DEVICES : device];
    *slot = *fault;
    slot->set = true;
    slot->random = fault->random ? fault->random : 88172645463325252u;
    if (!slot->code)
        slot->code = points[point].code;
    return true;
}

/* One "key number" of a fault; a code may be a name too. */
static bool parse_pair(struct nn_fault *fault, uint32_t *device, const char *key, const char *value)
{
    char *end;
    unsigned long long number = strtoull(value, &end, 10);

    if (strcmp(key, "code") == 0 && *end) {
        fault->code = nn_result_code(value);
        return fault->code > 0;
    }
    if (end == value || *end)
        return false;
    if (strcmp(key, "after") == 0)
        fault->after = number;
    else if (strcmp(key, "times") == 0)
        fault->times = number;
    else if (strcmp(key, "per_million") == 0 && number <= 1000000)
        fault->per_million = (uint32_t)number;
    else if (strcmp(key, "seed") == 0)
        fault->random = number;
    else if (strcmp(key, "device") == 0 && number < NN_DEVICES)
        *device = (uint32_t)number;
    else if (strcmp(key, "code") == 0 && number <= ANEURALNETWORKS_DEAD_OBJECT)
        fault->code = (int)number;
    else
        return false;
    return true;
}

bool nn_fault_parse(const char *words, struct nn_faults *faults)
{
    struct nn_fault fault = {.times = UINT64_MAX};
    uint32_t point = 0, device = BP_NNAPI_ANY;
    char copy[96], *rest = copy, *word;

    if (strlen(words) >= sizeof copy)
        return false;
    strcpy(copy, words);
    word = strtok_r(rest, " \t", &rest);
    if (!word)
        return false;
    while (point < BP_NNAPI_POINTS && strcmp(word, points[point].name) != 0)
        point++;
    if (point == BP_NNAPI_POINTS)
        return false;
    while ((word = strtok_r(rest, " \t", &rest))) {
        const char *value = strtok_r(rest, " \t", &rest);

        if (!value || !parse_pair(&fault, &device, word, value))
            return false;
    }
    return !faults || nn_fault_set(faults, point, device, &fault);
}
