/* SPDX-License-Identifier: MIT */
/* env.c - the environment (bp_env): creates its parts, and answers queries about providers. */

#include "config.h"

#include "host/env.h"

#include <stdlib.h>
#include <string.h>

#include "host/load/loader.h"
#include "host/options/provider_options.h"
#include "host/provider_states.h"

enum { LEAST_RUN_THREADS = 2 }; /* for runs in the background, that wait for each other */

void bp_env_hold(struct bp_env *env)
{
    atomic_fetch_add(&env->children, 1);
}

void bp_env_release(struct bp_env *env)
{
    atomic_fetch_sub(&env->children, 1);
}

bp_rc bp_env_fail_fork(bp_err *err)
{
    return bp_fail(
        err, BP_E_UNAVAILABLE,
        "this process was forked while another thread was opening a provider or making "
        "a session, so that only runs of its sessions are possible here; fork at another "
        "moment, or create another environment");
}

/* Opens a mutex that a thread of the parent may have held. False: one held it. */
static bool take_over(pthread_mutex_t *mutex)
{
    if (pthread_mutex_trylock(mutex) == 0) {
        pthread_mutex_unlock(mutex);
        return true;
    }
    pthread_mutex_init(mutex, NULL);
    return false;
}

/* Runs in the child of a fork(). Both mutexes are opened, even if the first was held. */
static void begin_child(void *u)
{
    struct bp_env *env = u;
    bool is_whole = take_over(&env->lock);

    is_whole &= take_over(&env->registry.lock);
    env->is_torn |= !is_whole;
}

/*
 * Destroys the parts. Providers have no instances any more, because sessions hold the environment,
 * so modules that may be unloaded are unloaded.
 */
static void destroy(struct bp_env *env)
{
    bp_spec_finish(&env->defaults);
    bp_custom_list_finish(&env->operators);
    bp_registry_finish(&env->registry);
    bp_default_providers_finish(&env->default_providers);
    bp_override_finish(&env->override);
    bp_settings_finish(&env->settings);
    bp_shared_weights_destroy(env->weights);
    bp_task_queue_destroy(env->tasks);
    bp_pool_destroy(env->pool);
    bp_fork_unwatch(&env->fork);
    pthread_mutex_destroy(&env->lock);
    free(env);
}

/*
 * Copies as many bytes as the caller's struct has: an older caller's missing members read as 0, and
 * members that this library does not know are ignored.
 */
static bp_rc read_config(const bp_env_config *theirs, bp_env_config *own, bp_err *err)
{
    *own = (bp_env_config){0};
    if (!theirs)
        return BP_OK;
    if (theirs->struct_size < sizeof(uint32_t) || theirs->struct_size > 4096)
        return bp_fail(err, BP_E_INVALID, "bp_env_config: struct_size is %u; set it to sizeof",
                       theirs->struct_size);
    bp_copy_in(own, sizeof *own, theirs);
    if (own->n_provider_dirs > 0 && !own->provider_dirs)
        return bp_fail(err, BP_E_INVALID,
                       "bp_env_config: %u provider directories, but the list is NULL",
                       own->n_provider_dirs);
    return BP_OK;
}

/* The lower of the program's limit and the user's; 0: there is none. */
static bp_rc set_memory_limit(struct bp_env *env, uint64_t asked, bp_err *err)
{
    const char *text = bp_settings_get(&env->settings, "BACKPLANE_MEMORY_LIMIT");
    int64_t bytes = 0;

    if (text && (!bp_options_parse_int(text, &bytes) || bytes <= 0))
        return bp_fail(
            err, BP_E_INVALID,
            "BACKPLANE_MEMORY_LIMIT=%s is not a size in bytes above 0, with K, M, G or T "
            "at its end",
            text);
    env->memory.whose = "environment";
    env->memory.most = asked;
    if (bytes > 0 && (asked == 0 || (uint64_t)bytes < asked))
        env->memory.most = (uint64_t)bytes;
    return BP_OK;
}

/*
 * The BACKPLANE_* variables are read here and nowhere later: a change of the environment by another
 * thread would race with getenv() (POSIX, getenv()).
 */
bp_rc bp_env_create(const bp_env_config *config, bp_env **out, bp_err *err)
{
    bp_env_config own;
    struct bp_env *env;
    bp_rc rc;

    if (!out)
        return bp_fail_null(err, "out");
    *out = NULL;
    rc = read_config(config, &own, err);
    if (rc < 0)
        return rc;
    env = calloc(1, sizeof *env);
    if (!env)
        return bp_fail_nomem(err, "the environment");
    env->log = (struct bp_log){.fn = own.log, .user = own.log_user, .level = own.log_level};
    rc = bp_settings_init(&env->settings, own.flags, err);
    if (rc >= 0)
        rc = set_memory_limit(env, own.memory_limit, err);
    if (rc >= 0)
        rc = bp_override_init(&env->override, &env->settings, err);
    if (rc >= 0)
        rc = bp_default_providers_init(&env->default_providers, own.default_providers, own.flags,
                                       err);
    if (rc >= 0)
        rc = bp_registry_init(&env->registry, &own, &env->settings, &env->log, err);
    if (rc < 0) {
        bp_default_providers_finish(&env->default_providers);
        bp_override_finish(&env->override);
        bp_settings_finish(&env->settings);
        free(env);
        return rc;
    }
    env->strict =
        (own.flags & BP_ENV_STRICT) || bp_settings_is_on(&env->settings, "BACKPLANE_STRICT");
    pthread_mutex_init(&env->lock, NULL);
    bp_loader_watch_forks();
    bp_fork_watch(&env->fork, begin_child, env);
    rc = bp_pool_create_with(own.threads, own.workers, &env->log, &env->pool, err);
    if (rc >= 0)
        rc = bp_task_queue_create(bp_pool_width(env->pool) > LEAST_RUN_THREADS
                                      ? bp_pool_width(env->pool)
                                      : LEAST_RUN_THREADS,
                                  &env->tasks, err);
    if (rc >= 0)
        rc = bp_shared_weights_create(&env->weights, err);
    if (rc < 0) {
        destroy(env);
        return rc;
    }
    *out = env;
    return bp_done(err, BP_OK);
}

/*
 * Refuses instead of waiting, because models and sessions are the caller's, and only the caller can
 * destroy them.
 */
bp_rc bp_env_destroy(bp_env *env, bp_err *err)
{
    unsigned children;
    bp_rc rc;

    if (!env)
        return bp_done(err, BP_OK);
    children = atomic_load(&env->children);
    if (children)
        return bp_fail(err, BP_E_INVALID,
                       "the environment is in use by %u models or sessions; destroy them first",
                       children);
    rc = bp_env_check_fork(env, err);
    if (rc >= 0)
        destroy(env);
    return bp_done(err, rc);
}

uint32_t bp_env_threads(const bp_env *env)
{
    if (!env)
        return 0;
    return bp_pool_width(env->pool);
}

bp_rc bp_env_add_provider(bp_env *env, const char *name, const bp_key_value *options,
                          uint32_t n_options, uint32_t fallback, bp_err *err)
{
    bp_rc rc = bp_env_check_fork(env, err);

    if (rc < 0)
        return rc;
    pthread_mutex_lock(&env->lock);
    rc = bp_spec_add(&env->defaults, name, options, n_options, fallback, err);
    pthread_mutex_unlock(&env->lock);
    return bp_done(err, rc);
}

bp_rc bp_env_add_operators(bp_env *env, bp_operators *set, bp_err *err)
{
    bp_rc rc;

    if (!env)
        return bp_fail(err, BP_E_INVALID, "a set of operators needs an environment");
    rc = bp_env_check_fork(env, err);
    if (rc < 0)
        return rc;
    pthread_mutex_lock(&env->lock);
    rc = bp_custom_list_add(&env->operators, set, err);
    pthread_mutex_unlock(&env->lock);
    return bp_done(err, rc);
}

/* Takes the lock, because another thread may add a set at the same time. */
bp_rc bp_env_custom_table(struct bp_env *env, const struct bp_custom_list *own,
                          struct bp_custom_table *out, bp_err *err)
{
    bp_rc rc = bp_env_check_fork(env, err);

    if (rc < 0)
        return rc;
    pthread_mutex_lock(&env->lock);
    rc = bp_custom_table_init(out, own, &env->operators, err);
    pthread_mutex_unlock(&env->lock);
    return rc;
}

bp_rc bp_env_add_entry(bp_env *env, const char *name, bp_entry_fn entry, bp_err *err)
{
    bp_rc rc = bp_env_check_fork(env, err);

    if (!entry)
        return bp_fail_null(err, "the entry");
    return bp_done(err, rc < 0 ? rc : bp_registry_add_entry(&env->registry, name, entry, err));
}

bp_rc bp_env_provider_count(bp_env *env, uint32_t *out, bp_err *err)
{
    bp_rc rc = bp_env_check_fork(env, err);

    if (!out)
        return bp_fail_null(err, "out");
    *out = 0;
    if (rc < 0)
        return rc;
    while (bp_registry_get(&env->registry, *out))
        ++*out;
    return bp_done(err, BP_OK);
}

/* Fills the row from the manifest until the provider's own table is there. */
static bp_rc describe(struct bp_env *env, struct bp_candidate *candidate, bp_provider_info *out,
                      bp_err *err)
{
    struct bp_told told;
    bp_rc rc = bp_registry_tell(&env->registry, candidate, &told, err);

    if (rc < 0)
        return rc;
    out->stage = told.stage;
    out->code = told.code;
    out->name = candidate->name;
    out->file = candidate->file;
    out->reason = told.reason;
    out->fix = told.fix;
    out->n_devices = told.n_devices;
    out->id = told.id;
    out->version = told.version;
    out->states = bp_states_of(candidate->name, told.stage, told.code);
    if (!told.provider)
        return BP_OK;
    out->vendor = told.provider->vendor;
    out->options = told.provider->options;
    out->n_options = told.provider->n_options;
    out->option_stride = told.provider->option_stride;
    out->schemas = told.provider->schemas;
    out->n_schemas = told.provider->n_schemas;
    out->schema_stride = told.provider->schema_stride;
    return BP_OK;
}

/* An unusable provider is no failure of this call, which asks for stage, code and reason. */
bp_rc bp_env_provider_info(bp_env *env, uint32_t i, bp_provider_info *out, bp_err *err)
{
    bp_provider_info own = {.struct_size = sizeof own};
    struct bp_candidate *candidate;
    bp_rc tried, rc = bp_env_check_fork(env, err);

    if (!out)
        return bp_fail_null(err, "the struct for the row");
    if (rc >= 0)
        rc = bp_registry_need(&env->registry, i, &candidate, err);
    if (rc < 0)
        return rc;
    tried = bp_registry_try(&env->registry, candidate, NULL);
    rc = describe(env, candidate, &own, err);
    if (rc < 0)
        return rc;
    if (tried < 0)
        bp_log(&env->log, BP_LOG_DEBUG, "host", "provider '%s': %s", own.name,
               own.reason ? own.reason : "no reason given");
    return bp_done(err, bp_give_out(out, &own, err));
}

bp_rc bp_env_probe(bp_env *env, bp_err *err)
{
    bp_rc rc = bp_env_check_fork(env, err);

    return bp_done(err, rc < 0 ? rc : bp_registry_probe(&env->registry, NULL, err));
}

bp_rc bp_env_retry_provider(bp_env *env, const char *name, bp_err *err)
{
    bp_rc rc = bp_env_check_fork(env, err);

    if (!name)
        return bp_fail_null(err, "the name");
    if (!*name)
        return bp_fail(err, BP_E_INVALID, "a provider needs a name");
    return bp_done(err, rc < 0 ? rc : bp_registry_retry(&env->registry, name, err));
}

bp_rc bp_env_forget_provider(bp_env *env, const char *name, bp_err *err)
{
    bp_rc rc = bp_env_check_fork(env, err);

    if (!name)
        return bp_fail_null(err, "the name");
    if (!*name)
        return bp_fail(err, BP_E_INVALID, "a provider needs a name");
    return bp_done(err, rc < 0 ? rc : bp_registry_forget(&env->registry, name, err));
}

bp_rc bp_env_check_provider(bp_env *env, uint32_t i, uint32_t probe, bp_provider_check *out,
                            bp_err *err)
{
    bp_provider_check own = {.struct_size = sizeof own};
    bp_rc rc = bp_env_check_fork(env, err);

    if (rc >= 0)
        rc = bp_registry_check(&env->registry, i, probe != 0, &own, err);
    return bp_done(err, rc < 0 ? rc : bp_give_out(out, &own, err));
}

int bp_compare_versions(const char *a, const char *b)
{
    return bp_manifest_compare_versions(a ? a : "", b ? b : "");
}

bp_rc bp_env_provider_peek(bp_env *env, uint32_t i, bp_provider_info *out, bp_err *err)
{
    bp_provider_info own = {.struct_size = sizeof own};
    struct bp_candidate *candidate;
    bp_rc rc = bp_env_check_fork(env, err);

    if (!out)
        return bp_fail_null(err, "the struct for the row");
    if (rc >= 0)
        rc = bp_registry_need(&env->registry, i, &candidate, err);
    if (rc >= 0)
        rc = describe(env, candidate, &own, err);
    return bp_done(err, rc < 0 ? rc : bp_give_out(out, &own, err));
}

bp_rc bp_env_find_provider(bp_env *env, const char *name, uint32_t *out, bp_err *err)
{
    bp_rc rc = bp_env_check_fork(env, err);

    if (!name)
        return bp_fail_null(err, "the name");
    if (!out)
        return bp_fail_null(err, "out");
    if (!*name)
        return bp_fail(err, BP_E_INVALID, "a provider needs a name");
    return bp_done(err, rc < 0 ? rc : bp_registry_find(&env->registry, name, out, err));
}

bp_rc bp_env_is_available(bp_env *env, const char *name, bp_err *err)
{
    struct bp_candidate *candidate;
    bp_rc rc = bp_env_check_fork(env, err);

    if (!name)
        return bp_fail_null(err, "the name");
    if (!*name)
        return bp_fail(err, BP_E_INVALID, "a provider needs a name");
    return bp_done(err,
                   rc < 0 ? rc : bp_registry_open(&env->registry, name, &candidate, NULL, err));
}

const char *bp_env_variable(const bp_env *env, uint32_t i, const char **value, const char **ignored)
{
    const struct bp_setting *row;

    if (!env)
        return NULL;
    if (i >= env->settings.count)
        return NULL;
    row = &env->settings.rows[i];
    if (value)
        *value = row->value;
    if (ignored)
        *ignored = row->counts || row->ignored ? row->ignored : "it does not count here";
    return row->name;
}

const char *bp_env_provider_dir(bp_env *env, uint32_t i, const char **why)
{
    const struct bp_search *search = env ? &env->registry.search : NULL;

    if (!search || i >= search->count)
        return NULL;
    if (why)
        *why = search->dirs[i].why;
    return search->dirs[i].path;
}

/* As if no variable were set: the user's directory, if there is one, and the installation's. */
static bp_rc find_standard(struct bp_search *search, bp_err *err)
{
    const struct bp_log silent = {.level = BP_LOG_ERROR};
    const struct bp_settings settings = {0};
    const bp_env_config config = {.struct_size = sizeof config};

    return bp_search_init(search, &config, &settings, &silent, err);
}

static bp_rc copy_path(const char *path, char *buf, size_t cap, bp_err *err)
{
    size_t n = strlen(path) + 1;

    if (n > cap)
        return bp_fail(err, BP_E_INVALID, "the path of the directory has %zu bytes, the buffer %zu",
                       n, cap);
    memcpy(buf, path, n);
    return BP_OK;
}

bp_rc bp_standard_provider_dir(uint32_t which, char *buf, size_t cap, bp_err *err)
{
    struct bp_search search = {0};
    bp_rc rc;

    if (!buf)
        return bp_fail_null(err, "the buffer");
    if (which != BP_DIR_USER && which != BP_DIR_SYSTEM)
        return bp_fail(err, BP_E_INVALID, "there is no directory %u; use a BP_DIR_* constant",
                       which);
    rc = find_standard(&search, err);
    if (rc >= 0 && which == BP_DIR_USER && search.count < 2)
        rc = bp_fail(err, BP_E_UNAVAILABLE,
                     "this user has no directory for providers: neither XDG_DATA_HOME nor HOME is "
                     "an absolute path that counts");
    if (rc >= 0)
        rc =
            copy_path(search.dirs[which == BP_DIR_USER ? 0 : search.count - 1].path, buf, cap, err);
    bp_search_finish(&search);
    return bp_done(err, rc);
}

const char *bp_env_provider_library(bp_env *env, uint32_t i, uint32_t j)
{
    char *const *files = env ? bp_registry_files(&env->registry, i) : NULL;

    while (files && *files && j > 0) {
        files++;
        j--;
    }
    return files ? *files : NULL;
}

uint32_t bp_env_allow(bp_env *env, const char **dir, uint32_t *n)
{
    if (!env)
        return 0;
    return bp_registry_allow(&env->registry, dir, n);
}
