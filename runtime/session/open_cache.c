/* SPDX-License-Identifier: MIT */
/* open_cache.c - opens the cache of an engine, and the one that a tool looks into. */

#include "config.h"

#include "session/open_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/options/provider_options.h"

/*
 * Reads the size limit from the environment variable; a value that is not a size gives a warning
 * and is ignored.
 */
static uint64_t limit_of(const struct bp_env *env, uint64_t asked, const struct bp_log *log)
{
    const char *text = bp_settings_get(&env->settings, "BACKPLANE_CACHE_LIMIT");
    int64_t bytes;

    if (asked || !text)
        return asked;
    if (bp_options_parse_int(text, &bytes) && bytes > 0)
        return (uint64_t)bytes;
    bp_log(log, BP_LOG_WARN, "cache",
           "BACKPLANE_CACHE_LIMIT=%s is not a size in bytes above 0, with K, M, G or T at its end",
           text);
    return 0;
}

void bp_engine_open_cache(struct bp_engine_cache *out, const struct bp_env *env,
                          const struct bp_engine_config *config, const struct bp_log *log)
{
    const char *dir = config->cache_dir ? config->cache_dir
                                        : bp_settings_get(&env->settings, "BACKPLANE_CACHE_DIR");
    bp_err own = bp_err_init(out->fault, sizeof out->fault);

    out->is_on = dir && dir[0] && !config->claims_only;
    if (!out->is_on)
        return;
    if (bp_store_open(&out->cache.store, dir, limit_of(env, config->cache_limit, log), true, log,
                      &own) >= 0)
        return;
    out->cache.fault = out->fault;
    bp_log(log, BP_LOG_WARN, "cache", "compiled programs are not kept: %s", out->fault);
}

void bp_engine_close_cache(struct bp_engine_cache *cache)
{
    bp_store_finish(&cache->cache.store);
}

/* ---- for tools ------------------------------------------------------------------------------- */

/* A cache that a tool looks into; the names of its files are read once, when it is opened. */
struct bp_cache {
    struct bp_store store;
    char **names;
    uint32_t n;
    struct bp_store_file file; /* file name of the row that was asked for last */
    char text[512];
};

bp_rc bp_cache_open(bp_env *env, const char *dir, bp_cache **out, bp_err *err)
{
    struct bp_cache *cache;
    bp_rc rc;

    if (!out)
        return bp_fail_null(err, "out");
    *out = NULL;
    if (!env)
        return bp_fail_null(err, "the environment");
    if (!dir)
        dir = bp_settings_get(&env->settings, "BACKPLANE_CACHE_DIR");
    if (!dir || !dir[0])
        return bp_fail(err, BP_E_INVALID,
                       "no directory is named, and BACKPLANE_CACHE_DIR is not set");
    cache = calloc(1, sizeof *cache);
    if (!cache)
        return bp_fail_nomem(err, "a cache");
    rc = bp_store_open(&cache->store, dir, UINT64_MAX, false, &env->log, err);
    if (rc >= 0)
        rc = bp_store_names(&cache->store, &cache->names, &cache->n, err);
    if (rc < 0) {
        bp_cache_close(cache);
        return rc;
    }
    *out = cache;
    return bp_done(err, BP_OK);
}

void bp_cache_close(bp_cache *cache)
{
    if (!cache)
        return;
    free(cache->file.bytes);
    bp_store_free_names(cache->names, cache->n);
    bp_store_finish(&cache->store);
    free(cache);
}

const char *bp_cache_dir(const bp_cache *cache)
{
    return cache ? cache->store.dir : NULL;
}

uint32_t bp_cache_count(const bp_cache *cache)
{
    return cache ? cache->n : 0;
}

/* A file that is not valid is an answer, not a failure of the call. */
bp_rc bp_cache_get(bp_cache *cache, uint32_t i, uint32_t is_whole, bp_cache_file *out, bp_err *err)
{
    bp_cache_file row = {.struct_size = sizeof row};
    struct bp_store_file *file;
    bp_err own;
    bp_rc rc;

    if (!cache)
        return bp_fail_null(err, "the cache");
    if (i >= cache->n)
        return bp_fail(err, BP_E_INVALID, "the cache has %u files, there is no file %u", cache->n,
                       i);
    file = &cache->file;
    own = bp_err_init(cache->text, sizeof cache->text);
    free(file->bytes);
    rc = bp_store_inspect(&cache->store, cache->names[i], is_whole != 0, file, &own);
    if (rc >= 0 && !file->bytes)
        rc = bp_fail(&own, BP_E_UNAVAILABLE, "%s: another process has deleted it", cache->names[i]);
    row.code = rc;
    row.file = cache->names[i];
    row.reason = rc < 0 ? cache->text : NULL;
    row.bytes = file->size;
    row.used = file->used;
    row.provider = file->labels[BP_STORE_PROVIDER];
    row.version = file->labels[BP_STORE_VERSION];
    row.group = file->labels[BP_STORE_GROUP];
    row.host = file->labels[BP_STORE_HOST];
    row.model = file->labels[BP_STORE_MODEL];
    return bp_done(err, bp_give_out(out, &row, err));
}

bp_rc bp_cache_clear(bp_cache *cache, uint64_t limit, uint32_t *n_files, uint64_t *bytes,
                     bp_err *err)
{
    if (!cache)
        return bp_fail_null(err, "the cache");
    return bp_done(err, bp_store_shrink(&cache->store, limit, n_files, bytes, err));
}
