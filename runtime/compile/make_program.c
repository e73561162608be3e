/* SPDX-License-Identifier: MIT */
/* make_program.c - compiles a group, unless a program that was saved earlier can be loaded. */

#include "config.h"

#include "compile/make_program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache/key.h"

/* What is known of a group while its program is made. */
struct making {
    struct bp_program_cache *cache;
    const struct bp_active *active;
    const bp_graph *graph;
    bp_compile *what;
    struct bp_program_origin *origin;
    bool is_kept;             /* the caller saves the program itself */
    char key[BP_SHA256_TEXT]; /* "": the cache is not used for this group */
};

uint64_t bp_program_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Appends to the text about the cache in the group's row of the report, after "; ". */
static void add_origin(struct making *m, const char *fmt, ...) BP_PRINTF(2, 3);
static void add_origin(struct making *m, const char *fmt, ...)
{
    char *text = m->origin->text;
    size_t n = strlen(text), cap = sizeof m->origin->text;
    va_list args;

    if (n > 0 && n + 3 < cap) {
        memcpy(text + n, "; ", 3);
        n += 2;
    }
    va_start(args, fmt);
    vsnprintf(text + n, cap - n, fmt, args);
    va_end(args);
}

/* Logs a line about this group; a file that is not used is worth a warning. */
static void warn(const struct making *m, uint32_t level, const char *text)
{
    bp_log(m->cache->store.log, level, "cache", "group %s of '%s': %s", m->what->name,
           m->active->name, text);
}

/* ---- the key --------------------------------------------------------------------------------- */

bp_rc bp_program_fingerprint(const struct bp_active *active, char *out, uint32_t cap, bp_err *err)
{
    bp_rc rc;

    out[0] = '\0';
    if (!active->provider->fingerprint)
        return BP_OK;
    rc = active->provider->fingerprint(active->instance, out, cap, err);
    out[cap - 1] = '\0';
    return bp_err_complete(err, rc);
}

/* Sets m->key if the cache can serve this group; otherwise the report gets the reason. */
static void find_key(struct making *m)
{
    const bp_provider *provider = m->active->provider;
    char fingerprint[1024], text[256];
    bp_err own = bp_err_init(text, sizeof text);
    struct bp_compiler compiler = {
        .provider = provider,
        .options = m->active->options,
        .n_options = m->active->n_options,
        .devices = m->active->chosen,
        .n_devices = m->active->n_chosen,
        .fingerprint = fingerprint,
        .host = &m->active->services.host,
    };
    bp_rc rc;

    m->key[0] = '\0';
    if (!m->cache)
        return;
    if (!provider->save || !provider->load) {
        add_origin(m, "the provider does not save programs");
        return;
    }
    if (m->cache->fault) {
        add_origin(m, "the cache is not used: %s", m->cache->fault);
        return;
    }
    rc = bp_program_fingerprint(m->active, fingerprint, sizeof fingerprint, &own);
    if (rc >= 0)
        rc = bp_program_key(&compiler, m->graph, m->what->device, m->key, &own);
    if (rc >= 0)
        return;
    m->key[0] = '\0';
    add_origin(m, "the cache is not used: %s", text);
    warn(m, BP_LOG_WARN, m->origin->text);
}

/* ---- loading --------------------------------------------------------------------------------- */

bp_rc bp_program_load(const struct bp_active *active, const bp_graph *graph, const bp_compile *what,
                      bp_span blob, bp_program **out, bp_err *err)
{
    bp_program *program = NULL;
    bp_rc rc = active->provider->load(active->instance, graph, what, blob, &program, err);

    rc = bp_err_complete(err, rc);
    if (rc >= 0 && !program)
        return bp_fail(err, BP_E_INTERNAL, "load succeeded without a program");
    if (rc >= 0)
        *out = program;
    return rc;
}

/* Loads the program from the cache. True: *out is the program; false: the report has the reason. */
static bool load(struct making *m, bp_program **out)
{
    struct bp_store_file file;
    char text[384];
    bp_err own = bp_err_init(text, sizeof text);
    bp_rc rc = bp_store_read(&m->cache->store, m->key, &file, &own);

    if (rc >= 0 && !file.bytes) {
        add_origin(m, "not in the cache");
        return false;
    }
    if (rc >= 0) {
        m->what->flags = 0;
        rc = bp_program_load(m->active, m->graph, m->what, file.blob, out, &own);
        free(file.bytes);
        if (rc >= 0) {
            m->origin->how = BP_PROGRAM_LOADED;
            add_origin(m, "loaded from the cache");
            warn(m, BP_LOG_INFO, m->origin->text);
            return true;
        }
        add_origin(m, "the provider does not load %.8s...%s: %s", m->key, BP_STORE_END, text);
    } else {
        add_origin(m, "%s", text);
    }
    warn(m, BP_LOG_WARN, m->origin->text);
    return false;
}

/* ---- saving ---------------------------------------------------------------------------------- */

/* Receives everything that save() writes, so that the file never exceeds its limit. */
static bp_rc call_save(const struct making *m, bp_program *program, struct bp_store_writer *writer,
                       bp_err *err)
{
    const bp_sink sink = {.struct_size = sizeof sink, .h = writer, .write = bp_store_put};
    bp_rc rc = m->active->provider->save(program, &sink, err);

    rc = bp_err_complete(err, rc);
    if (rc < 0 && writer->rc < 0) /* the file's failure is the reason, whatever the provider says */
        return bp_fail(err, writer->rc, "%s", writer->text);
    return rc;
}

/* A directory that cannot be written to gives one warning, not one for each group. */
static void report_unsaved(struct making *m, bp_rc rc, const char *text)
{
    struct bp_store *store = &m->cache->store;
    bool is_new = rc != BP_E_UNSUPPORTED && !store->has_warned;

    add_origin(m, "not saved: %s", text);
    warn(m, is_new ? BP_LOG_WARN : BP_LOG_INFO, m->origin->text);
    if (rc == BP_E_IO)
        store->has_warned = true;
}

static void save(struct making *m, bp_program *program)
{
    const char *labels[BP_STORE_LABELS] = {
        [BP_STORE_PROVIDER] = m->active->provider->id,
        [BP_STORE_VERSION] = m->active->provider->version,
        [BP_STORE_GROUP] = m->what->name,
        [BP_STORE_HOST] = bp_version(),
        [BP_STORE_MODEL] = m->cache->model,
    };
    struct bp_store_writer writer;
    char text[384];
    bp_err own = bp_err_init(text, sizeof text);
    bp_rc rc = bp_store_begin(&m->cache->store, m->key, labels, &writer, &own);

    if (rc >= 0) {
        rc = call_save(m, program, &writer, &own);
        if (rc >= 0)
            rc = bp_store_commit(&writer, &own);
        else
            bp_store_abandon(&writer);
    }
    if (rc < 0)
        report_unsaved(m, rc, text);
    else
        add_origin(m, "saved");
}

/* ---- both ------------------------------------------------------------------------------------ */

static bp_rc compile(struct making *m, bp_program **out, bp_err *err)
{
    const struct bp_active *active = m->active;
    bp_rc rc;

    m->what->flags = m->key[0] || m->is_kept ? BP_COMPILE_SAVE : 0;
    m->origin->how = BP_PROGRAM_COMPILED;
    bp_err_clear(err);
    rc = active->provider->compile(active->instance, m->graph, m->what, out, err);
    rc = bp_err_complete(err, rc);
    if (rc >= 0 && !*out)
        rc = bp_fail(err, BP_E_INTERNAL, "compile succeeded without a program");
    return rc;
}

bp_rc bp_make_program(struct bp_program_cache *cache, const struct bp_active *active,
                      const bp_graph *graph, bp_compile *what, bool is_kept, bp_program **out,
                      struct bp_program_origin *origin, bp_err *err)
{
    struct making m = {cache, active, graph, what, origin, is_kept, ""};
    uint64_t start = bp_program_clock();
    bp_rc rc = BP_OK;

    *out = NULL;
    origin->text[0] = '\0';
    find_key(&m);
    if (!m.key[0] || !load(&m, out)) {
        rc = compile(&m, out, err);
        if (rc >= 0 && m.key[0])
            save(&m, *out);
    }
    origin->ns = bp_program_clock() - start;
    return rc;
}
