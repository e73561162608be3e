/* SPDX-License-Identifier: MIT */
/* arena.c - OrtArenaCfg: settings of arenas are checked; only the limit has an effect. */

#include "config.h"

#include "ort/values/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ort/status.h"

OrtStatus *ort_arena_limit(const OrtKeyValuePairs *options, size_t *out)
{
    const char *text = ort_keys_get(options, "arena.max_mem");
    char *end;

    *out = 0;
    if (!text)
        text = ort_keys_get(options, "max_mem");
    if (!text)
        return NULL;
    errno = 0;
    *out = strtoull(text, &end, 10);
    if (end == text || *end || errno || text[0] == '-')
        return ort_fail(ORT_INVALID_ARGUMENT, "arena.max_mem is '%s', not a number of bytes", text);
    return NULL;
}

/* OrtApi since version 6: -1 is the default of each; ORT_INVALID_ARGUMENT: out of range. */
OrtStatus *ort_CreateArenaCfg(size_t max_mem, int arena_extend_strategy,
                              int initial_chunk_size_bytes, int max_dead_bytes_per_chunk,
                              OrtArenaCfg **out)
{
    ORT_NEED(out);
    if (arena_extend_strategy < -1 || arena_extend_strategy > 1 || initial_chunk_size_bytes < -1 ||
        max_dead_bytes_per_chunk < -1)
        return ort_fail(
            ORT_INVALID_ARGUMENT,
            "Invalid configuration value was provided: the strategy can be 0 or 1, sizes "
            "cannot be negative; -1 is the default");
    *out = calloc(1, sizeof **out);
    if (!*out)
        return ort_no_memory();
    (*out)->max_mem = max_mem;
    return NULL;
}

/* OrtApi since version 8: ORT_INVALID_ARGUMENT: unknown key. */
OrtStatus *ort_CreateArenaCfgV2(const char *const *arena_config_keys,
                                const size_t *arena_config_values, size_t num_keys,
                                OrtArenaCfg **out)
{
    static const char *const keys[] = {
        "max_mem",
        "arena_extend_strategy",
        "initial_chunk_size_bytes",
        "max_dead_bytes_per_chunk",
        "initial_growth_chunk_size_bytes",
        "max_power_of_two_extend_bytes",
    };
    size_t max_mem = 0;

    if (num_keys > 0) {
        ORT_NEED(arena_config_keys);
        ORT_NEED(arena_config_values);
    }
    for (size_t i = 0; i < num_keys; i++) {
        size_t k = 0;

        ORT_NEED(arena_config_keys[i]);
        while (k < sizeof keys / sizeof *keys && strcmp(keys[k], arena_config_keys[i]) != 0)
            k++;
        if (k == sizeof keys / sizeof *keys)
            return ort_fail(ORT_INVALID_ARGUMENT, "Invalid key found: %s", arena_config_keys[i]);
        if (k == 0)
            max_mem = arena_config_values[i];
    }
    return ort_CreateArenaCfg(max_mem, -1, -1, -1, out);
}

/* OrtApi since version 6. */
void ort_ReleaseArenaCfg(OrtArenaCfg *input)
{
    free(input);
}
