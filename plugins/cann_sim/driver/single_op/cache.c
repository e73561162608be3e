/* SPDX-License-Identifier: MIT */
/*
 * cache.c - keeps compiled operators, and the options that they are compiled with.
 *
 * A hash table of lists. The key is everything that compiling depends on, as bytes: type, precision
 * mode, descriptions with constants' values, attributes.
 */
#include "single_op/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <acl/acl_op_compiler.h>

#include "core/context.h"
#include "core/cost.h"
#include "core/error.h"
#include "core/fault.h"
#include "core/state.h"

/* Lists of the hash table; options of aclSetCompileopt(), and bytes of a value. */
#define BUCKETS 1024
#define OPTIONS (ACL_OP_DETERMINISTIC + 1)
#define OPTION_SIZE 256

/* The cache of the process. [locked] */
static struct {
    struct sim_compiled *buckets[BUCKETS];
    uint64_t count, limit, uses;
    uint64_t lookups, hits, compiles, evictions;
    char options[OPTIONS][OPTION_SIZE];
} cache;

/* ---- keys ----------------------------------------------------------------------------------- */

/* A key in the making. `failed`: no memory, and what is added is lost. */
struct key {
    unsigned char *bytes;
    size_t size, capacity;
    bool failed;
};

/*
 * The key of the current request; its bytes stay for the next one, so that a lookup does not
 * allocate.
 */
static struct key request_key;

/* Appends bytes, and grows by doubling. */
static void add(struct key *key, const void *bytes, size_t size)
{
    if (!key->failed && key->size + size > key->capacity) {
        size_t capacity = 2 * (key->size + size) + 256;
        unsigned char *more = realloc(key->bytes, capacity);

        key->failed = !more;
        if (more) {
            key->bytes = more;
            key->capacity = capacity;
        }
    }
    if (key->failed || size == 0)
        return;
    memcpy(key->bytes + key->size, bytes, size);
    key->size += size;
}

static void add_number(struct key *key, int64_t number)
{
    add(key, &number, sizeof number);
}

/* With its final 0, so that texts cannot run into each other. */
static void add_text(struct key *key, const char *text)
{
    add(key, text, strlen(text) + 1);
}

/* A description's name is not part of the key: it changes nothing. */
static void add_descs(struct key *key, const aclTensorDesc *const *descs, size_t count)
{
    add_number(key, (int64_t)count);
    for (size_t i = 0; i < count; i++) {
        const aclTensorDesc *desc = descs[i];

        add_number(key, desc->type);
        add_number(key, desc->format);
        add_number(key, desc->place);
        add_number(key, (int64_t)desc->rank);
        add(key, desc->dims, desc->rank * sizeof desc->dims[0]);
        add_number(key, (int64_t)desc->value_size);
        add(key, desc->value, desc->value_size);
    }
}

/* Attributes are sorted by name, so their order of setting does not count. NULL: no memory. */
static const struct key *make_key(const struct sim_request *request)
{
    struct key *key = &request_key;

    key->size = 0;
    key->failed = false;
    add_text(key, request->type);
    add_text(key, cache.options[ACL_PRECISION_MODE]);
    add_descs(key, request->in, request->inputs);
    add_descs(key, request->out, request->outputs);
    for (const struct sim_attr *entry = request->attr ? request->attr->first : NULL; entry;
         entry = entry->next) {
        add_text(key, entry->name);
        add_number(key, entry->kind);
        add_number(key, (int64_t)entry->size);
        add(key, entry->value, entry->size);
    }
    return key->failed ? NULL : key;
}

/* FNV-1a, of 64 bits. */
static uint64_t hash_of(const struct key *key)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < key->size; i++)
        hash = (hash ^ key->bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* ---- entries -------------------------------------------------------------------------------- */

/* Whoever is last frees it. */
void sim_compiled_unref(struct sim_compiled *compiled)
{
    if (!compiled || --compiled->refs > 0)
        return;
    for (size_t i = 0; i < SIM_INPUTS; i++)
        free(compiled->values[i]);
    free(compiled->key);
    free(compiled);
}

/* By hash, then by all bytes of the key. */
static struct sim_compiled *find(const struct key *key, uint64_t hash)
{
    struct sim_compiled *entry = cache.buckets[hash % BUCKETS];

    while (entry && (entry->hash != hash || entry->key_size != key->size ||
                     memcmp(entry->key, key->bytes, key->size) != 0))
        entry = entry->next;
    return entry;
}

/* Off its list; tasks and handles may still refer to it. */
static void remove_entry(struct sim_compiled *entry)
{
    struct sim_compiled **at = &cache.buckets[entry->hash % BUCKETS];

    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    cache.count--;
    sim_compiled_unref(entry);
}

/* Searches all lists for the one used longest ago. Slow, but only beyond the limit. */
static void evict(void)
{
    while (cache.count > cache.limit) {
        struct sim_compiled *oldest = NULL;

        for (size_t i = 0; i < BUCKETS; i++)
            for (struct sim_compiled *entry = cache.buckets[i]; entry; entry = entry->next)
                if (!oldest || entry->used < oldest->used)
                    oldest = entry;
        remove_entry(oldest);
        cache.evictions++;
    }
}

/* With the cache's reference and a copy of the key. */
static struct sim_compiled *new_entry(const struct key *key, uint64_t hash)
{
    struct sim_compiled *entry = calloc(1, sizeof *entry);

    if (!entry)
        return NULL;
    entry->refs = 1;
    entry->key_size = key->size;
    entry->hash = hash;
    entry->key = malloc(key->size);
    if (entry->key) {
        memcpy(entry->key, key->bytes, key->size);
        return entry;
    }
    sim_compiled_unref(entry);
    return NULL;
}

/* Only float32 operators are rounded; "force_fp16" is the one mode that the simulator follows. */
bool sim_forces_fp16(const struct sim_call *call)
{
    return strcmp(cache.options[ACL_PRECISION_MODE], "force_fp16") == 0 &&
           call->in[0].type == ACL_FLOAT;
}

/*
 * Compiling takes compile_ns of the host's simulated time, as with the vendor's it holds the
 * caller.
 */
static aclError compile(const struct sim_request *request, const struct key *key, uint64_t hash,
                        struct sim_device *device, struct sim_compiled **out)
{
    struct sim_compiled *entry;
    aclError rc = sim_fault(BP_ASCEND_AT_COMPILE);

    if (rc)
        return rc;
    entry = new_entry(key, hash);
    if (!entry)
        return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for an operator");
    rc = sim_prepare(request, true, &entry->call, entry->values);
    if (rc) {
        sim_compiled_unref(entry);
        return rc;
    }
    entry->call.force_fp16 = sim_forces_fp16(&entry->call);
    sim_host_spends(device, device->config->compile_ns);
    device->busy_compiling += device->config->compile_ns;
    cache.compiles++;
    cache.count++;
    entry->next = cache.buckets[hash % BUCKETS];
    cache.buckets[hash % BUCKETS] = entry;
    *out = entry;
    return 0;
}

/* A hit counts as a use too, which keeps it from being evicted. */
aclError sim_cache_get(const struct sim_request *request, bool may_compile,
                       struct sim_device *device, struct sim_compiled **out)
{
    const struct key *key = make_key(request);
    uint64_t hash;
    aclError rc;

    *out = NULL;
    if (!key)
        return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory to look for an operator");
    hash = hash_of(key);
    cache.lookups++;
    *out = find(key, hash);
    if (*out) {
        cache.hits++;
    } else if (!may_compile) {
        return sim_fail(ACL_ERROR_OP_NOT_FOUND,
                        "%.60s was not compiled for these descriptions, or was evicted",
                        request->type);
    } else {
        rc = compile(request, key, hash, device, out);
        if (rc)
            return rc;
    }
    (*out)->refs++;
    (*out)->used = ++cache.uses;
    evict();
    return 0;
}

/* Counters start at 0 with each aclInit(); sim_cache_finish() has emptied the lists. */
void sim_cache_init(uint64_t limit)
{
    memset(cache.options, 0, sizeof cache.options);
    cache.limit = limit;
    cache.lookups = cache.hits = cache.compiles = cache.evictions = 0;
}

void sim_cache_finish(void)
{
    for (size_t i = 0; i < BUCKETS; i++)
        while (cache.buckets[i])
            remove_entry(cache.buckets[i]);
    free(request_key.bytes);
    memset(&request_key, 0, sizeof request_key);
}

void sim_cache_count(struct bp_ascend_counters *counters)
{
    counters->cache_lookups = cache.lookups;
    counters->cache_hits = cache.hits;
    counters->compiles = cache.compiles;
    counters->evictions = cache.evictions;
    counters->cache_size = cache.count;
    counters->cache_limit = cache.limit;
}

/* A lower limit evicts at once. */
aclError aclopSetMaxOpQueueNum(uint64_t maxOpNum)
{
    aclError rc;

    if (maxOpNum == 0)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclopSetMaxOpQueueNum: 0");
    sim_lock();
    rc = sim_need_init();
    if (!rc) {
        cache.limit = maxOpNum;
        evict();
    }
    sim_unlock();
    return rc;
}

/* ---- options -------------------------------------------------------------------------------- */

/* The values of the vendor's graph engine. */
bool sim_is_precision(const char *value)
{
    static const char *const modes[] = {
        "",
        "force_fp16",
        "force_fp32",
        "cube_fp16in_fp32out",
        "allow_mix_precision",
        "allow_mix_precision_fp16",
        "allow_mix_precision_bf16",
        "allow_fp32_to_fp16",
        "allow_fp32_to_bf16",
        "must_keep_origin_dtype",
    };

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(value, modes[i]) == 0)
            return true;
    return false;
}

/* The vendor's numbers, up to ACL_OP_DETERMINISTIC. */
static aclError check_option(aclCompileOpt opt, const void *value)
{
    if ((int)opt < 0 || (int)opt >= OPTIONS || !value)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "there is no compile option %d, or no value",
                        (int)opt);
    return 0;
}

/* Operators that are compiled already stay as they are: the precision mode is part of their key. */
aclError aclSetCompileopt(aclCompileOpt opt, const char *value)
{
    aclError rc = check_option(opt, value);

    if (rc)
        return rc;
    if (opt == ACL_AUTO_TUNE_MODE)
        return sim_fail(ACL_ERROR_FEATURE_UNSUPPORTED, "ACL_AUTO_TUNE_MODE is no longer supported");
    if (strlen(value) >= OPTION_SIZE || (opt == ACL_PRECISION_MODE && !sim_is_precision(value)))
        return sim_fail(ACL_ERROR_INVALID_PARAM, "compile option %d cannot be \"%.80s\"", (int)opt,
                        value);
    sim_lock();
    rc = sim_need_init();
    if (!rc)
        snprintf(cache.options[opt], OPTION_SIZE, "%s", value);
    sim_unlock();
    return rc;
}

size_t aclGetCompileoptSize(aclCompileOpt opt)
{
    size_t size;

    if (check_option(opt, "") != 0)
        return 0;
    sim_lock();
    size = strlen(cache.options[opt]) + 1;
    sim_unlock();
    return size;
}

/* `length` counts the final 0 as well. */
aclError aclGetCompileopt(aclCompileOpt opt, char *value, size_t length)
{
    aclError rc = check_option(opt, value);

    if (rc)
        return rc;
    sim_lock();
    if (length <= strlen(cache.options[opt]))
        rc = sim_fail(ACL_ERROR_INVALID_PARAM, "%zu bytes are too few for the option", length);
    else
        strcpy(value, cache.options[opt]);
    sim_unlock();
    return rc;
}
