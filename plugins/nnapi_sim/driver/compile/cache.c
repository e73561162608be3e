/* SPDX-License-Identifier: MIT */
/*
 * cache.c - files of compiled models: one for a token and a device, with a digest of what was
 * compiled. What is missing, of another model or torn is compiled again, in silence, as on Android.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "compile/compilation.h"

/* FNV-1a of 64 bits. */
static uint64_t digest(uint64_t hash, const void *bytes, size_t n)
{
    const uint8_t *at = bytes;

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    return hash;
}

static uint64_t digest_operand(uint64_t hash, const struct nn_operand *operand)
{
    const struct nn_tensor *t = &operand->tensor;

    hash = digest(hash, &t->type, sizeof t->type);
    hash = digest(hash, t->dims, t->rank * sizeof *t->dims);
    hash = digest(hash, &t->scale, sizeof t->scale);
    hash = digest(hash, &t->zero, sizeof t->zero);
    if (t->constant && t->data)
        hash = digest(hash, t->data, operand->length);
    if (t->scales)
        hash = digest(hash, t->scales, t->dims[t->channel] * sizeof *t->scales);
    return hash;
}

static uint64_t digest_model(uint64_t hash, const struct ANeuralNetworksModel *model)
{
    for (uint32_t i = 0; i < model->operand_count; i++) {
        hash = digest_operand(hash, &model->operands[i]);
        if (model->operands[i].tensor.model)
            hash = digest_model(hash, model->operands[i].tensor.model);
    }
    for (uint32_t i = 0; i < model->operation_count; i++) {
        const struct nn_operation *o = &model->operations[i];

        hash = digest(hash, &o->code, sizeof o->code);
        hash = digest(hash, o->inputs, (o->in_count + o->out_count) * sizeof *o->inputs);
    }
    return digest(hash, &model->relaxed, sizeof model->relaxed);
}

/* The whole contents of a file: a line with the device and the digest, and another digest of it. */
static void contents(const struct ANeuralNetworksCompilation *compilation, uint32_t device,
                     char *text, size_t size)
{
    const struct nn_device_config *config = &compilation->config->devices[device];
    uint64_t hash = digest_model(UINT64_C(14695981039346656037), compilation->model);
    int n;

    hash = digest(hash, compilation->device_of, compilation->model->operation_count);
    n = snprintf(text, size, "bp-nnapi-sim 1 %s %s %d %016llx\n", config->name, config->version,
                 compilation->preference, (unsigned long long)hash);
    if (n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, "%016llx\n",
                 (unsigned long long)digest(UINT64_C(14695981039346656037), text, (size_t)n));
}

static char *path_of(const struct ANeuralNetworksCompilation *compilation, uint32_t device)
{
    size_t size = strlen(compilation->cache_dir) + 2 * sizeof compilation->token + 16;
    char *path = malloc(size), *at;

    if (!path)
        return NULL;
    at = path + snprintf(path, size, "%s/", compilation->cache_dir);
    for (size_t i = 0; i < sizeof compilation->token; i++)
        at += snprintf(at, 3, "%02x", compilation->token[i]);
    snprintf(at, 16, "-%u.bpnn", device);
    return path;
}

static bool reads_as(const char *path, const char *text)
{
    char found[512];
    FILE *file = fopen(path, "re");
    size_t n;

    if (!file)
        return false;
    n = fread(found, 1, sizeof found, file);
    fclose(file);
    return n == strlen(text) && memcmp(found, text, n) == 0;
}

/* Through another name, so that nobody reads half a file. */
static bool write_file(const char *path, const char *text)
{
    size_t size = strlen(path) + 8;
    char *name = malloc(size);
    bool written = false;
    FILE *file;
    int fd;

    if (!name)
        return false;
    snprintf(name, size, "%s.XXXXXX", path);
    fd = mkstemp(name);
    file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file) {
        written = fputs(text, file) >= 0;
        written = fclose(file) == 0 && written && rename(name, path) == 0;
    } else if (fd >= 0) {
        close(fd);
    }
    if (fd >= 0 && !written)
        unlink(name);
    free(name);
    return written;
}

bool nn_cached(const struct ANeuralNetworksCompilation *compilation, uint32_t device)
{
    char text[512];
    char *path;
    bool hit;

    if (!compilation->cache_dir || !compilation->config->devices[device].rates.caches)
        return false;
    path = path_of(compilation, device);
    if (!path)
        return false;
    contents(compilation, device, text, sizeof text);
    hit = !nn_fault(BP_NNAPI_AT_CACHE, device) && reads_as(path, text);
    nn_count(hit ? &nn_state.counters.cache_hits : &nn_state.counters.cache_misses, 1);
    if (!hit && write_file(path, text))
        nn_count(&nn_state.counters.cache_writes, 1);
    free(path);
    return hit;
}
