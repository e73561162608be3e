/* SPDX-License-Identifier: MIT */
/* options.c - bp_session_options. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/worker_config.h"
#include "host/options/provider_options.h"
#include "optimize/passes.h"
#include "session/session.h"

enum { MAX_SHAPES = 1024 }; /* the lists are searched one by one */

/* Zero means the default for every member but the fallback policy, which is always set. */
bp_rc bp_session_options_create(bp_session_options **out, bp_err *err)
{
    if (!out)
        return bp_fail_null(err, "out");
    *out = calloc(1, sizeof **out);
    if (!*out)
        return bp_fail_nomem(err, "session options");
    (*out)->fallback = BP_FALLBACK_WARN;
    return bp_done(err, BP_OK);
}

/* Frees the lists' contents; the struct itself is the caller's. */
void bp_session_options_finish(struct bp_session_options *options)
{
    bp_spec_finish(&options->providers);
    bp_custom_list_finish(&options->operators);
    bp_placement_list_finish(&options->placements);
    bp_fixed_list_finish(&options->fixed);
    bp_state_list_finish(&options->states);
    bp_shape_list_finish(&options->shapes);
    free(options->workers);
    free(options->cache_dir);
}

void bp_session_options_destroy(bp_session_options *options)
{
    if (!options)
        return;
    bp_session_options_finish(options);
    free(options);
}

/* Copies options; `from` NULL gives the defaults. The caller finishes *to after a failure, too. */
bp_rc bp_session_options_copy(struct bp_session_options *to, const struct bp_session_options *from,
                              bp_err *err)
{
    bp_rc rc;

    *to = (struct bp_session_options){.fallback = BP_FALLBACK_WARN};
    if (!from)
        return BP_OK;
    *to = *from;
    to->providers = (struct bp_spec_list){0};
    to->operators = (struct bp_custom_list){0};
    to->placements = (struct bp_placement_list){0};
    to->fixed = (struct bp_fixed_list){0};
    to->states = (struct bp_state_list){0};
    to->shapes = (struct bp_shape_list){0};
    to->workers = NULL;
    to->cache_dir = NULL;
    rc = bp_session_options_set_cache(to, from->cache_dir, from->cache_limit, err);
    if (rc >= 0)
        rc = bp_spec_copy(&to->providers, &from->providers, err);
    if (rc >= 0)
        rc = bp_custom_list_copy(&to->operators, &from->operators, err);
    if (rc >= 0)
        rc = bp_placement_list_copy(&to->placements, &from->placements, err);
    if (rc >= 0)
        rc = bp_fixed_list_copy(&to->fixed, &from->fixed, err);
    if (rc >= 0)
        rc = bp_state_list_copy(&to->states, &from->states, err);
    if (rc >= 0)
        rc = bp_shape_list_copy(&to->shapes, &from->shapes, err);
    return rc < 0 ? rc : bp_worker_config_copy(from->workers, &to->workers, err);
}

/* The engine's config borrows the lists, so the options have to live until the engine is made. */
struct bp_engine_config bp_session_options_engine_config(const struct bp_session_options *options)
{
    return (struct bp_engine_config){
        .providers = {.own = &options->providers,
                      .ignore_env = options->ignore_env,
                      .fallback = options->fallback,
                      .strict = options->strict,
                      .threads = options->threads},
        .level = options->level,
        .disabled_passes = options->disabled_passes,
        .operators = &options->operators,
        .placements = &options->placements,
        .fixed = &options->fixed,
        .strict_shapes = options->strict_shapes,
        .newer_opsets = options->newer_opsets,
        .progress = options->progress,
        .progress_user = options->progress_user,
        .allocator = options->allocator,
        .max_shapes = options->max_shapes,
        .cache_dir = options->cache_dir,
        .cache_limit = options->cache_limit,
    };
}

/* Only the form of the name is checked here: providers are looked for when a session is made. */
bp_rc bp_session_options_add_provider(bp_session_options *options, const char *name,
                                      const bp_key_value *kv, uint32_t n_kv, uint32_t fallback,
                                      bp_err *err)
{
    if (!options)
        return bp_fail_null(err, "the session options");
    return bp_done(err, bp_spec_add(&options->providers, name, kv, n_kv, fallback, err));
}

/* Opens the provider and checks the options against its schema. */
static bp_rc try_provider(bp_env *env, const char *name, const bp_key_value *kv, uint32_t n_kv,
                          bp_err *err)
{
    struct bp_region region = {0};
    struct bp_candidate *found;
    struct bp_checked_options opts;
    bp_rc rc;

    if (!name || !*name)
        return bp_fail(err, BP_E_INVALID, "a provider needs a name");
    rc = bp_registry_open(&env->registry, name, &found, NULL, err);
    if (rc >= 0)
        rc = bp_options_check(found->provider, kv, n_kv, &region, &opts, err);
    bp_region_finish(&region);
    return rc;
}

/*
 * Unlike bp_session_options_add_provider(), this opens the provider, so that a wrong name or option
 * is an error of this call and not of the session's creation.
 */
bp_rc bp_session_options_add_provider_now(bp_session_options *options, bp_env *env,
                                          const char *name, const bp_key_value *kv, uint32_t n_kv,
                                          uint32_t fallback, bp_err *err)
{
    struct bp_spec_list own = {0};
    bp_rc rc;

    if (!options)
        return bp_fail_null(err, "the session options");
    if (!env)
        return bp_fail_null(err, "the environment");
    rc = bp_spec_add(&own, name, kv, n_kv, fallback, err); /* checks form and duplicates */
    bp_spec_finish(&own);
    if (rc >= 0)
        rc = try_provider(env, name, kv, n_kv, err);
    if (rc >= 0)
        rc = bp_spec_add(&options->providers, name, kv, n_kv, fallback, err);
    return bp_done(err, rc);
}

/* Indices are compared with the provider's devices when a session is made. */
bp_rc bp_session_options_set_devices(bp_session_options *options, const char *name,
                                     const uint32_t *devices, uint32_t n_devices, bp_err *err)
{
    if (!options)
        return bp_fail_null(err, "the session options");
    return bp_done(err, bp_spec_set_devices(&options->providers, name, devices, n_devices, err));
}

/* The options retain the set, so its creator may release it afterwards. */
bp_rc bp_session_options_add_operators(bp_session_options *options, bp_operators *set, bp_err *err)
{
    if (!options)
        return bp_fail_null(err, "the session options");
    return bp_done(err, bp_custom_list_add(&options->operators, set, err));
}

/* BP_FALLBACK_DEFAULT restores the default. */
bp_rc bp_session_options_set_fallback(bp_session_options *options, uint32_t fallback, bp_err *err)
{
    bp_rc rc = bp_spec_check_fallback(fallback, err);

    if (!options)
        return bp_fail_null(err, "the session options");
    if (rc >= 0)
        options->fallback = fallback ? fallback : BP_FALLBACK_WARN;
    return bp_done(err, rc);
}

bp_rc bp_session_options_set_optimization(bp_session_options *options, uint32_t level, bp_err *err)
{
    if (!options)
        return bp_fail_null(err, "the session options");
    if (level > BP_OPTIMIZE_LAYOUT)
        return bp_fail(err, BP_E_INVALID, "there is no optimization level %u; levels are 0 to %d",
                       level, BP_OPTIMIZE_LAYOUT);
    options->level = level;
    return bp_done(err, BP_OK);
}

/* Bit i stands for row i of the table in optimize/passes.c, which has fewer than 64. */
bp_rc bp_session_options_disable_pass(bp_session_options *options, const char *name, bp_err *err)
{
    uint32_t i;
    bp_rc rc = bp_pass_find(name ? name : "", &i, err);

    if (!options)
        return bp_fail_null(err, "the session options");
    if (!name)
        return bp_fail_null(err, "the name of the pass");
    if (rc >= 0)
        options->disabled_passes |= UINT64_C(1) << i;
    return bp_done(err, rc);
}

/* Returns row i of the table of passes; NULL after the last one. */
const char *bp_optimization_pass(uint32_t i, uint32_t *level, const char **help)
{
    const struct bp_pass *pass = bp_pass_at(i);

    if (pass && level)
        *level = pass->level;
    if (pass && help)
        *help = pass->help;
    return pass ? pass->name : NULL;
}

/* In strict mode every named provider is required, whatever its own policy. */
void bp_session_options_set_strict(bp_session_options *options, uint32_t on)
{
    if (!options)
        return;
    options->strict = on != 0;
}

void bp_session_options_set_strict_shapes(bp_session_options *options, uint32_t on)
{
    if (!options)
        return;
    options->strict_shapes = on != 0;
}

void bp_session_options_set_newer_opsets(bp_session_options *options, uint32_t on)
{
    if (!options)
        return;
    options->newer_opsets = on != 0;
}

/* The test is written as !(a && b), so that NaN is refused, too. */
bp_rc bp_session_options_set_min_share(bp_session_options *options, const char *name, double share,
                                       bp_err *err)
{
    struct bp_spec *spec;

    if (!options)
        return bp_fail_null(err, "the session options");
    if (!name)
        return bp_fail_null(err, "the name");
    spec = bp_spec_find(&options->providers, name);
    if (!spec)
        return bp_fail(err, BP_E_INVALID, "provider '%s' is not in the list; add it first", name);
    if (!(share >= 0 && share <= 1))
        return bp_fail(err, BP_E_INVALID, "provider '%s': a share is a number from 0 to 1, not %g",
                       name, share);
    spec->min_share = share;
    return bp_done(err, BP_OK);
}

bp_rc bp_session_options_set_dimension(bp_session_options *options, const char *name, int64_t size,
                                       bp_err *err)
{
    if (!options)
        return bp_fail_null(err, "the session options");
    if (!name)
        return bp_fail_null(err, "the name");
    return bp_done(err, bp_fixed_list_set(&options->fixed, name, false, size, err));
}

bp_rc bp_session_options_set_denotation(bp_session_options *options, const char *denotation,
                                        int64_t size, bp_err *err)
{
    if (!options)
        return bp_fail_null(err, "the session options");
    if (!denotation)
        return bp_fail_null(err, "the denotation");
    return bp_done(err, bp_fixed_list_set(&options->fixed, denotation, true, size, err));
}

bp_rc bp_session_options_add_state(bp_session_options *options, const char *input,
                                   const char *output, bp_err *err)
{
    if (!options)
        return bp_fail_null(err, "the session options");
    return bp_done(err, bp_state_list_add(&options->states, input, output, err));
}

bp_rc bp_session_options_add_placement(bp_session_options *options, const char *rule, bp_err *err)
{
    if (!options)
        return bp_fail_null(err, "the session options");
    if (!rule)
        return bp_fail_null(err, "the rule");
    return bp_done(err, bp_placement_list_add(&options->placements, rule, err));
}

/* Adds all rules of the file after the present ones, or after an error none. */
bp_rc bp_session_options_read_placements(bp_session_options *options, const char *path, bp_err *err)
{
    if (!options)
        return bp_fail_null(err, "the session options");
    if (!path)
        return bp_fail(err, BP_E_INVALID, "placement rules need a path");
    return bp_done(err, bp_placement_list_read(&options->placements, path, err));
}

bp_rc bp_session_options_set_cache(bp_session_options *options, const char *dir, uint64_t limit,
                                   bp_err *err)
{
    char *copy;

    if (!options)
        return bp_fail_null(err, "the session options");
    copy = dir ? strdup(dir) : NULL;
    if (dir && !copy)
        return bp_fail_nomem(err, "session options");
    free(options->cache_dir);
    options->cache_dir = copy;
    options->cache_limit = limit;
    return bp_done(err, BP_OK);
}

void bp_session_options_ignore_env_providers(bp_session_options *options)
{
    if (!options)
        return;
    options->ignore_env = true;
}

void bp_session_options_set_max_shapes(bp_session_options *options, uint32_t n)
{
    if (options)
        options->max_shapes = n < MAX_SHAPES ? n : MAX_SHAPES;
}

void bp_session_options_set_copy_files(bp_session_options *options, uint32_t on)
{
    if (options)
        options->copy_files = on != 0;
}

void bp_session_options_set_memory_limit(bp_session_options *options, uint64_t bytes)
{
    if (options)
        options->memory_limit = bytes;
}

void bp_session_options_set_threads(bp_session_options *options, uint32_t threads)
{
    if (!options)
        return;
    options->threads = threads;
}

bp_rc bp_session_options_set_workers(bp_session_options *options, const bp_worker_config *config,
                                     bp_err *err)
{
    bp_worker_config *copy;
    bp_rc rc;

    if (!options)
        return bp_fail_null(err, "the session options");
    rc = bp_worker_config_copy(config, &copy, err);
    if (rc < 0)
        return rc;
    free(options->workers);
    options->workers = copy;
    return bp_done(err, BP_OK);
}

bp_rc bp_session_options_set_allocator(bp_session_options *options, const bp_allocator *allocator,
                                       bp_err *err)
{
    bp_allocator own = {0};
    bp_rc rc = allocator ? bp_allocator_read(allocator, &own, err) : BP_OK;

    if (!options)
        return bp_fail_null(err, "the session options");
    if (rc >= 0)
        options->allocator = own;
    return bp_done(err, rc);
}

void bp_session_options_set_log(bp_session_options *options, bp_log_fn fn, void *user,
                                uint32_t level)
{
    if (!options)
        return;
    options->log = (struct bp_log){.fn = fn, .user = user, .level = level};
}

void bp_session_options_set_progress(bp_session_options *options, bp_progress_fn fn, void *user)
{
    if (!options)
        return;
    options->progress = fn;
    options->progress_user = user;
}

bp_rc bp_session_options_add_shapes(bp_session_options *options, const bp_named_shape *inputs,
                                    uint32_t n_inputs, bp_err *err)
{
    if (!options)
        return bp_fail_null(err, "the session options");
    return bp_done(err, bp_shape_list_add(&options->shapes, inputs, n_inputs, err));
}

bp_rc bp_session_options_set_prepare(bp_session_options *options, const bp_prepare_options *prepare,
                                     bp_err *err)
{
    bp_prepare_options own = {.struct_size = sizeof own};

    if (!options)
        return bp_fail_null(err, "the session options");
    if (prepare && prepare->struct_size < offsetof(bp_prepare_options, progress))
        return bp_fail(err, BP_E_INVALID, "prepare options of %u bytes: set their struct_size",
                       prepare->struct_size);
    if (prepare)
        bp_copy_in(&own, sizeof own, prepare);
    if (own.n_runs > BP_PREPARE_RUNS)
        return bp_fail(err, BP_E_INVALID, "%u runs at once; up to %d are possible", own.n_runs,
                       BP_PREPARE_RUNS);
    if (own.progress)
        return bp_fail(
            err, BP_E_INVALID,
            "the progress of creating a session, its preparation included, is told to the "
            "function of bp_session_options_set_progress()");
    options->prepare = own;
    return bp_done(err, BP_OK);
}
