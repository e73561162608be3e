/* SPDX-License-Identifier: MIT */
/*
 * check_env_threads.c - functions of an environment from many threads at once, and that what they
 * gave out stays as it is: those that [any thread] in backplane.h promises.
 */

#include "config.h"

#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "support/plugin_kit.h"

enum { THREADS = 8, ROUNDS = 4, KEPT = 96 };

/* Does not stand a probe: its code traps as it is mapped. */
static const char trap_manifest[] = "id=org.test.trap\\nname=trap\\nversion=1";

static void no_log(void *user, uint32_t level, const char *domain, const char *text)
{
    atomic_uint *lines = user;

    (void)level;
    (void)domain;
    (void)text;
    atomic_fetch_add(lines, 1);
}

/* An environment with a sound provider, one with devices, one that is not usable, and "trap". */
static bp_env *make_env(atomic_uint *lines)
{
    const char *dirs[] = {plugin_dir};
    char helper[1024];
    bp_env_config config = {.struct_size = sizeof config,
                            .flags = BP_ENV_IGNORE_VARIABLES,
                            .log_level = BP_LOG_DEBUG,
                            .log = no_log,
                            .log_user = lines,
                            .provider_dirs = dirs,
                            .n_provider_dirs = 1,
                            .probe = BP_PROBE_AUTO,
                            .probe_helper = helper};
    bp_env *env = NULL;

    snprintf(helper, sizeof helper, "%s/runtime/backplane-probe", getenv("BP_BUILDDIR"));
    plugin_shell("cp %s/libbp-few.so %s/libbp-gadget.so %s/libbp-absent.so %s",
                 getenv("BP_MOCK_DIR"), getenv("BP_MOCK_DIR"), getenv("BP_MOCK_DIR"), plugin_dir);
    plugin_make("libbp-trap.so", trap_manifest, PLUGIN_TRAP, "");
    KIT_OK(bp_env_create(&config, &env, &kit.err));
    return env;
}

static bp_rc no_entry(const bp_host *host, const bp_module **out, bp_err *err)
{
    (void)host;
    (void)out;
    return bp_fail(err, BP_E_UNAVAILABLE, "linked in and lost");
}

/* ---- strings --------------------------------------------------------------------------------- */

/* A string that was given out, and what it was then. */
struct kept {
    const char *given;
    char *copy;
};

struct keeper {
    struct kept rows[KEPT];
    uint32_t n;
};

static void keep(struct keeper *keeper, const char *given)
{
    if (given && keeper->n < KEPT)
        keeper->rows[keeper->n++] = (struct kept){given, strdup(given)};
}

static void keep_info(struct keeper *keeper, const bp_provider_info *info)
{
    keep(keeper, info->name);
    keep(keeper, info->id);
    keep(keeper, info->version);
    keep(keeper, info->vendor);
    keep(keeper, info->file);
    keep(keeper, info->reason);
    keep(keeper, info->fix);
}

/* Counts strings that are not what they were. */
static unsigned count_changed(struct keeper *keeper)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < keeper->n; i++) {
        n += !keeper->rows[i].copy || strcmp(keeper->rows[i].given, keeper->rows[i].copy) != 0;
        free(keeper->rows[i].copy);
    }
    keeper->n = 0;
    return n;
}

static bp_provider_info info_of(bp_env *env, const char *name)
{
    bp_provider_info info = {.struct_size = sizeof info};
    uint32_t i;

    KIT_OK(bp_env_find_provider(env, name, &i, &kit.err));
    KIT_OK(bp_env_provider_info(env, i, &info, &kit.err));
    return info;
}

static bp_provider_info peek_of(bp_env *env, const char *name)
{
    bp_provider_info info = {.struct_size = sizeof info};
    uint32_t i;

    KIT_OK(bp_env_find_provider(env, name, &i, &kit.err));
    KIT_OK(bp_env_provider_peek(env, i, &info, &kit.err));
    return info;
}

START_TEST(strings_of_a_row_stay_when_its_probe_is_forgotten)
{
    atomic_uint lines = 0;
    bp_env *env = make_env(&lines);
    struct keeper keeper = {0};
    bp_provider_info before = info_of(env, "trap"), after;

    ck_assert_int_eq(before.code, BP_E_UNAVAILABLE);
    ck_assert_ptr_nonnull(strstr(before.reason, "process of its own"));
    ck_assert_ptr_nonnull(before.fix);
    keep_info(&keeper, &before);
    KIT_OK(bp_env_retry_provider(env, "trap", &kit.err));
    after = peek_of(env, "trap");
    ck_assert_int_eq(after.code, BP_OK);
    ck_assert_ptr_null(after.reason);
    ck_assert_uint_eq(count_changed(&keeper), 0);
    bp_env_destroy(env, NULL);
}
END_TEST

START_TEST(strings_of_a_row_stay_when_a_provider_takes_its_place)
{
    atomic_uint lines = 0;
    bp_env *env = make_env(&lines);
    struct keeper keeper = {0};
    bp_provider_info row = peek_of(env, "few"), again;

    keep_info(&keeper, &row);
    row = info_of(env, "absent");
    keep_info(&keeper, &row);
    ck_assert_ptr_nonnull(strstr(row.reason, "driver too old"));
    KIT_OK(bp_env_add_entry(env, "few", no_entry, &kit.err));
    again = info_of(env, "few");
    ck_assert_ptr_nonnull(strstr(again.reason, "linked in and lost"));
    ck_assert_uint_eq(count_changed(&keeper), 0);
    bp_env_destroy(env, NULL);
}
END_TEST

START_TEST(strings_of_a_check_stay_when_the_next_one_finds_something_else)
{
    bp_provider_check check = {.struct_size = sizeof check};
    struct keeper keeper = {0};
    atomic_uint lines = 0;
    bp_env *env = make_env(&lines);
    uint32_t i;

    KIT_OK(bp_env_find_provider(env, "trap", &i, &kit.err));
    KIT_OK(bp_env_check_provider(env, i, 1, &check, &kit.err));
    ck_assert_int_eq(check.code, BP_E_UNAVAILABLE);
    keep(&keeper, check.reason);
    keep(&keeper, check.fix);
    keep(&keeper, check.sha256);
    ck_assert_uint_eq(keeper.n, 3);
    KIT_OK(bp_env_retry_provider(env, "trap", &kit.err));
    unlink(plugin_path("libbp-trap.so"));
    KIT_OK(bp_env_check_provider(env, i, 1, &check, &kit.err));
    ck_assert_int_lt(check.code, 0);
    ck_assert_str_ne(check.reason, keeper.rows[0].copy);
    ck_assert_uint_eq(count_changed(&keeper), 0);
    bp_env_destroy(env, NULL);
}
END_TEST

START_TEST(asking_again_gives_the_same_strings_and_takes_no_memory)
{
    atomic_uint lines = 0;
    bp_env *env = make_env(&lines);
    bp_provider_info first = info_of(env, "trap"), again;
    size_t used = env->registry.told.used;

    for (int i = 0; i < 100; i++) {
        if (i % 25 == 0)
            KIT_OK(bp_env_retry_provider(env, "trap", &kit.err));
        again = info_of(env, "trap");
        ck_assert_ptr_eq(again.reason, first.reason);
        ck_assert_ptr_eq(again.fix, first.fix);
        ck_assert_ptr_eq(peek_of(env, "trap").reason, first.reason);
    }
    ck_assert_uint_eq(env->registry.told.used, used);
    bp_env_destroy(env, NULL);
}
END_TEST

START_TEST(strings_of_known_providers_stay)
{
    bp_known_provider row = {.struct_size = sizeof row};
    struct keeper keeper = {0};
    atomic_uint lines = 0;
    bp_env *env;
    uint32_t i = 0;

    plugin_make("libbp-cuda.so", "id=org.test.cuda\\nname=cuda\\nversion=1", PLUGIN_TRAP, "");
    env = make_env(&lines);
    ck_assert_int_eq(info_of(env, "cuda").code, BP_E_UNAVAILABLE);
    while (bp_env_known_provider(env, i, &row, &kit.err) >= 0 && strcmp(row.name, "cuda") != 0)
        i++;
    ck_assert_ptr_nonnull(strstr(row.reason, "process of its own"));
    keep(&keeper, row.reason);
    keep(&keeper, row.fix);
    keep(&keeper, row.file);
    KIT_OK(bp_env_retry_provider(env, "cuda", &kit.err));
    KIT_OK(bp_env_known_provider(env, i, &row, &kit.err));
    ck_assert_int_eq(row.code, BP_OK);
    ck_assert_ptr_null(row.reason);
    ck_assert_uint_eq(keeper.n, 3);
    ck_assert_uint_eq(count_changed(&keeper), 0);
    bp_env_destroy(env, NULL);
}
END_TEST

/* ---- in threads ------------------------------------------------------------------------------ */

/* What the threads share. Faults are counted, as a thread must not end the test. */
struct shared {
    bp_env *env;
    bp_model *model;
    pthread_barrier_t start;
    atomic_uint faults, n_operators;
};

struct worker {
    struct shared *shared;
    unsigned id;
    struct keeper keeper;
};

static void expect(struct worker *w, bool ok, const char *what, const bp_err *err)
{
    if (ok)
        return;
    atomic_fetch_add(&w->shared->faults, 1);
    fprintf(stderr, "thread %u: %s: %s\n", w->id, what, err ? err->msg : "");
}

/* All rows, and what is known of each; rows may be added meanwhile. */
static void ask_rows(struct worker *w, unsigned round, bp_err *err)
{
    bp_provider_check check = {.struct_size = sizeof check};
    bp_env *env = w->shared->env;
    uint32_t n;

    expect(w, bp_env_provider_count(env, &n, err) >= 0 && n >= 4, "count", err);
    for (uint32_t i = 0; i < n; i++) {
        bp_provider_info row = {.struct_size = sizeof row};
        bp_device device = {.struct_size = sizeof device};

        expect(w, bp_env_provider_peek(env, i, &row, err) >= 0, "peek", err);
        keep_info(&w->keeper, &row);
        expect(w, bp_env_provider_info(env, i, &row, err) >= 0, "info", err);
        keep_info(&w->keeper, &row);
        for (uint32_t j = 0; bp_env_provider_library(env, i, j); j++)
            keep(&w->keeper, bp_env_provider_library(env, i, j));
        if (bp_env_provider_device(env, i, 0, &device, err) >= 0)
            keep(&w->keeper, device.name);
    }
    expect(w, bp_env_check_provider(env, round % n, 0, &check, err) >= 0, "check", err);
    keep(&w->keeper, check.reason);
    expect(w, bp_env_provider_info(env, 1000000, &(bp_provider_info){.struct_size = 8}, err) < 0,
           "a row that is not there", NULL);
}

static void count_row(void *user, const bp_operator_info *row)
{
    atomic_uint *n = user;

    atomic_fetch_add(n, row->op != NULL);
}

static void ask_names(struct worker *w, bp_err *err)
{
    bp_known_provider known = {.struct_size = sizeof known};
    bp_env_stats stats = {.struct_size = sizeof stats};
    bp_env *env = w->shared->env;
    const char *text, *more;
    char name[128];
    uint32_t i;

    expect(w, bp_env_is_available(env, "few", err) >= 0, "few", err);
    expect(w, bp_env_is_available(env, "gadget", err) >= 0, "gadget", err);
    expect(w, bp_env_is_available(env, "absent", err) == BP_E_UNAVAILABLE, "absent", NULL);
    expect(w, bp_env_is_available(env, "trap", err) == BP_E_UNAVAILABLE, "trap", NULL);
    expect(w, bp_env_find_provider(env, "fewer", &i, err) == BP_E_INVALID, "fewer", NULL);
    expect(w, bp_env_find_provider(env, "few", &i, err) >= 0, "few", err);
    (void)!bp_env_provider_operators(env, i, count_row, &w->shared->n_operators, err);
    for (i = 0; (text = bp_env_provider_dir(env, i, &more)) != NULL; i++) {
        keep(&w->keeper, text);
        keep(&w->keeper, more);
    }
    for (i = 0; bp_env_known_provider(env, i, &known, err) >= 0; i++)
        keep(&w->keeper, known.reason);
    expect(w, i > 20, "known providers", err);
    for (i = 0; (text = bp_env_variable(env, i, &more, NULL)) != NULL; i++)
        keep(&w->keeper, text);
    expect(w, bp_env_allow(env, &text, &i) == BP_ALLOW_OFF, "allow", NULL);
    keep(&w->keeper, text);
    expect(w, bp_env_threads(env) > 0, "threads", NULL);
    expect(w, bp_env_get_stats(env, &stats, err) >= 0, "statistics", err);
    bp_provider_long_name("few", name, sizeof name);
}

static void change(struct worker *w, unsigned round, bp_err *err)
{
    bp_env *env = w->shared->env;
    bp_operators *set = NULL;
    char name[32];

    expect(w, bp_env_probe(env, err) >= 0, "probe", err);
    if (round % 2 == 0)
        expect(w, bp_env_retry_provider(env, "trap", err) >= 0, "retry", err);
    if (round % 2 == 1)
        expect(w, bp_env_forget_provider(env, "trap", err) >= 0, "forget", err);
    expect(w, bp_env_trim(env, NULL, err) >= 0, "trim", err);
    snprintf(name, sizeof name, "default%u-%u", w->id, round);
    expect(w, bp_env_add_provider(env, name, NULL, 0, BP_FALLBACK_SILENT, err) >= 0, name, err);
    snprintf(name, sizeof name, "entry%u-%u", w->id, round);
    expect(w, bp_env_add_entry(env, name, no_entry, err) >= 0, name, err);
    expect(w, bp_env_add_entry(env, name, no_entry, err) == BP_E_INVALID, "an entry twice", NULL);
    expect(w,
           bp_operators_create(&set, err) >= 0 && bp_env_add_operators(env, set, err) >= 0 &&
               bp_env_add_operators(env, NULL, NULL) == BP_E_INVALID,
           "operators", err);
    bp_operators_release(set);
}

/* A plan asks for providers, too; names that a default has and no file are the caller's mistake. */
static void plan(struct worker *w, bp_err *err)
{
    bp_session_options *options = NULL;
    bp_report *report = NULL;
    char *text = NULL;
    bp_rc rc = bp_session_options_create(&options, err);

    if (rc >= 0)
        bp_session_options_ignore_env_providers(options);
    if (rc >= 0)
        rc = bp_session_options_add_provider_now(options, w->shared->env, "few", NULL, 0,
                                                 BP_FALLBACK_SILENT, err);
    if (rc >= 0)
        rc = bp_session_options_add_provider(options, "trap", NULL, 0, BP_FALLBACK_SILENT, err);
    if (rc >= 0)
        rc = bp_plan_create(w->shared->env, w->shared->model, options, &report, err);
    if (rc >= 0)
        rc = bp_explain(w->shared->env, report, "trap", BP_EXPLAIN_JSON, &text, err);
    expect(w, rc >= 0, "plan", err);
    bp_free(text);
    bp_report_destroy(report);
    bp_session_options_destroy(options);
}

static void *work(void *user)
{
    struct worker *w = user;
    char text[512] = "";
    bp_err err = bp_err_init(text, sizeof text);

    pthread_barrier_wait(&w->shared->start);
    for (unsigned round = 0; round < ROUNDS; round++) {
        ask_rows(w, round, &err);
        change(w, round, &err);
        ask_names(w, &err);
        plan(w, &err);
    }
    return NULL;
}

/* ---- outside threads --------------------------------------------------------------------------- */

START_TEST(any_function_of_an_environment_runs_in_eight_threads)
{
    static struct worker workers[THREADS];
    static struct shared shared;
    pthread_t threads[THREADS];
    atomic_uint lines = 0;

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,4");
    kit_node("relu", "Relu", "x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N,4");
    (void)kit_model(); /* whose bytes are opened here */
    shared.env = make_env(&lines);
    KIT_OK(bp_model_open_memory(shared.env, kit.w.data, kit.w.size, NULL, &shared.model, &kit.err));
    pthread_barrier_init(&shared.start, NULL, THREADS);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.shared = &shared, .id = i};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    pthread_barrier_destroy(&shared.start);
    ck_assert_uint_eq(atomic_load(&shared.faults), 0);
    ck_assert_uint_gt(atomic_load(&shared.n_operators), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        ck_assert_uint_eq(workers[i].keeper.n, KEPT);
        ck_assert_uint_eq(count_changed(&workers[i].keeper), 0);
    }
    bp_model_close(shared.model);
    KIT_OK(bp_env_destroy(shared.env, &kit.err));
}
END_TEST

int main(void)
{
    TCase *strings = tcase_create("strings"), *threads = tcase_create("threads");
    TCase *const cases[] = {strings, threads};

    /* for the helpers: a build with sanitizers would end where the others get a signal */
    setenv("ASAN_OPTIONS", "handle_sigill=0:detect_leaks=0", 1);
    tcase_add_checked_fixture(strings, plugin_setup, plugin_teardown);
    tcase_add_checked_fixture(threads, plugin_setup, plugin_teardown);
    tcase_add_test(strings, strings_of_a_row_stay_when_its_probe_is_forgotten);
    tcase_add_test(strings, strings_of_a_row_stay_when_a_provider_takes_its_place);
    tcase_add_test(strings, asking_again_gives_the_same_strings_and_takes_no_memory);
    tcase_add_test(strings, strings_of_known_providers_stay);
    tcase_add_test(strings, strings_of_a_check_stay_when_the_next_one_finds_something_else);
    tcase_set_timeout(threads, 600); /* helpers start slowly under a sanitizer */
    tcase_add_test(threads, any_function_of_an_environment_runs_in_eight_threads);
    return kit_main("env_threads", cases, 2);
}
