/* SPDX-License-Identifier: MIT */
/* cache.c - two buffers for each key/value cache of a model. */
#include "cache.h"

#include <stdlib.h>
#include <string.h>

#include "../common/example.h"

/* Sizes of a part by what the model declares of its input. */
static bool measure(struct cache_part *part, const bp_io_info *input, int64_t capacity)
{
    uint32_t n_open = 0;
    size_t bytes = bp_dtype_bits(input->dtype) / 8;

    if (bytes == 0 || input->rank == 0 || input->rank > MAX_RANK)
        return example_fail("%s: not a tensor of known rank", input->name);
    for (uint32_t d = 0; d < input->rank; d++) {
        part->dims[d] = input->dims[d].value;
        if (part->dims[d] < 0) {
            part->dims[d] = 1; /* of a batch: one sequence */
            part->axis = d;
            n_open++;
        }
    }
    if (n_open == 0)
        return example_fail("%s: has no size that grows", input->name);
    part->dims[part->axis] = 0;
    part->dtype = input->dtype;
    part->rank = input->rank;
    for (uint32_t d = 0; d < input->rank; d++)
        if (d != part->axis)
            bytes *= (size_t)part->dims[d];
    memcpy(part->out_dims, part->dims, sizeof part->dims);
    part->bytes = bytes;
    part->capacity_bytes = bytes * (size_t)capacity;
    for (int i = 0; i < 2; i++) {
        part->buffers[i] = calloc((size_t)capacity, bytes);
        if (!part->buffers[i])
            return example_fail("no memory for a cache of %lld tokens", (long long)capacity);
    }
    return true;
}

/* Index of output number `which` of those whose names begin with "present". */
static bool find_present(const bp_session *session, uint32_t which, uint32_t *out)
{
    for (uint32_t i = 0; i < bp_session_output_count(session); i++) {
        bp_io_info info = {.struct_size = sizeof info};

        if (bp_session_output(session, i, &info, NULL) == BP_OK &&
            strncmp(info.name, "present", 7) == 0 && which-- == 0) {
            *out = i;
            return true;
        }
    }
    return example_fail("the model has fewer outputs \"present...\" than inputs \"past...\"");
}

bool cache_init(struct cache *cache, const bp_session *session, int64_t capacity)
{
    uint32_t n_inputs = bp_session_input_count(session);

    *cache = (struct cache){.capacity = capacity};
    cache->parts = calloc(n_inputs + 1, sizeof *cache->parts);
    if (!cache->parts)
        return example_fail("no memory");
    for (uint32_t i = 0; i < n_inputs; i++) {
        bp_io_info input = {.struct_size = sizeof input};
        struct cache_part *part = &cache->parts[cache->n_parts];

        if (bp_session_input(session, i, &input, NULL) < 0 || strncmp(input.name, "past", 4) != 0)
            continue;
        part->input = i;
        if (!find_present(session, cache->n_parts++, &part->output) ||
            !measure(part, &input, capacity))
            return false;
    }
    return cache->n_parts > 0 || example_fail("the model has no input \"past...\"");
}

void cache_finish(struct cache *cache)
{
    for (uint32_t i = 0; i < cache->n_parts; i++) {
        free(cache->parts[i].buffers[0]);
        free(cache->parts[i].buffers[1]);
    }
    free(cache->parts);
    *cache = (struct cache){0};
}

void cache_bind(struct cache *cache, int64_t n_new, bp_binding *inputs, bp_binding *outputs)
{
    for (uint32_t i = 0; i < cache->n_parts; i++) {
        struct cache_part *part = &cache->parts[i];

        part->dims[part->axis] = cache->length;
        inputs[i] = (bp_binding){.index = part->input};
        inputs[i].tensor = (bp_tensor){.base = part->buffers[cache->current],
                                       .bytes = part->bytes * (size_t)cache->length,
                                       .dims = part->dims,
                                       .rank = part->rank,
                                       .dtype = part->dtype};
        if (!outputs)
            continue;
        part->out_dims[part->axis] = cache->length + n_new;
        outputs[i] = (bp_binding){.index = part->output};
        outputs[i].tensor = (bp_tensor){.base = part->buffers[!cache->current],
                                        .bytes = part->capacity_bytes,
                                        .dims = part->out_dims,
                                        .rank = part->rank};
    }
}

void cache_advance(struct cache *cache, int64_t n_new)
{
    cache->length += n_new;
    cache->current = !cache->current;
}

void cache_clear(struct cache *cache)
{
    cache->length = 0;
}
