/* SPDX-License-Identifier: MIT */
/*
 * check_saved.c - programs of the CANN provider in the cache: a second process loads them without
 * the time of compiling, a damaged one is compiled again, and nothing is left on the device.
 */

#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cann_kit.h"
#include "support/random.h"

/* What compiling one operator takes in reality here, in microseconds. */
enum { COMPILE_US = 100000, DAMAGES = 200, MOST_BYTES = 1 << 16 };
#define CONFIGURATION "compile_us = 100000\n"

static char dir[128];

static void setup(void)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(dir, sizeof dir, "%.80s/bp-saved.XXXXXX", tmp ? tmp : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    cann_setup();
}

static void path_of(const char *name, char *out, size_t cap)
{
    snprintf(out, cap, "%s/%s", dir, name);
}

/* Files of the cache; the name of the last one. With take they go. */
static uint32_t files(char *name, bool take)
{
    DIR *at = opendir(dir);
    uint32_t n = 0;
    char path[512];

    ck_assert_ptr_nonnull(at);
    for (struct dirent *entry; (entry = readdir(at)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        path_of(entry->d_name, path, sizeof path);
        if (name)
            snprintf(name, 128, "%.127s", entry->d_name);
        n++;
        if (take)
            ck_assert_int_eq(remove(path), 0);
    }
    closedir(at);
    return n;
}

static void teardown(void)
{
    cann_check_left();
    files(NULL, true);
    ck_assert_int_eq(rmdir(dir), 0);
    kit_teardown();
}

/* A session of device_mixed_model() in graph mode, with the cache. */
static void start(const char *rows, const char *key, const char *value)
{
    kit_start_model();
    device_mixed_model(rows);
    cann_forget();
    cann_add_graph(BP_FALLBACK_REQUIRE, key, value);
    KIT_OK(bp_session_options_set_cache(kit.options, dir, 0, &kit.err));
    kit.n_lines = 0;
    kit_session();
}

/* How many of cann's groups came about so; the words are in the line of each. */
static uint32_t groups(uint32_t how, const char *words)
{
    const bp_report *report = bp_session_report(kit.session);
    uint32_t n = 0;

    for (uint32_t i = 0; i < bp_report_group_count(report); i++) {
        bp_report_group row = {.struct_size = sizeof row};

        KIT_OK(bp_report_get_group(report, i, &row, &kit.err));
        if (row.program != how || strcmp(cann_report_row(report, row.provider).name, "cann") != 0)
            continue;
        ck_assert_msg(!words || (row.cache && strstr(row.cache, words)), "no '%s' in '%s'", words,
                      row.cache ? row.cache : "NULL");
        n++;
    }
    return n;
}

START_TEST(second_session_builds_no_model)
{
    uint64_t built;

    start("2", NULL, NULL);
    built = cann_counters().models_built;
    ck_assert_uint_gt(built, 0);
    ck_assert_uint_eq(groups(BP_PROGRAM_COMPILED, "not in the cache; saved"), built);
    device_check_mixed(2, 0);
    cann_check_left();
    start("2", NULL, NULL);
    ck_assert_uint_eq(cann_counters().models_built, built);
    ck_assert_uint_eq(cann_times(0).busy_compiling, 0); /* of the device that was opened anew */
    ck_assert_uint_eq(groups(BP_PROGRAM_LOADED, "loaded from the cache"), built);
    for (int i = 0; i < 3; i++)
        device_check_mixed(2, (float)i);
    ck_assert_uint_eq(kit_warnings(), 0);
}
END_TEST

START_TEST(other_settings_and_shapes_have_programs_of_their_own)
{
    uint32_t n;

    start("2", NULL, NULL);
    n = files(NULL, false);
    start("2", "precision_mode", "force_fp16");
    ck_assert_uint_eq(groups(BP_PROGRAM_LOADED, NULL), 0);
    start("3", NULL, NULL);
    ck_assert_uint_eq(groups(BP_PROGRAM_LOADED, NULL), 0);
    ck_assert_uint_eq(files(NULL, false), 3 * n);
}
END_TEST

/* The chip is in the fingerprint, so the file is not even looked at. */
START_TEST(another_chip_compiles_anew)
{
    start("2", NULL, NULL);
    cann_configure("soc = Ascend310P3\n");
    start("2", NULL, NULL);
    ck_assert_uint_eq(groups(BP_PROGRAM_LOADED, NULL), 0);
    ck_assert_uint_gt(groups(BP_PROGRAM_COMPILED, "not in the cache; saved"), 0);
    cann_configure(NULL);
}
END_TEST

START_TEST(groups_that_cannot_be_saved_say_why)
{
    start("N", NULL, NULL);
    ck_assert_uint_gt(groups(BP_PROGRAM_COMPILED, "shapes are known only in a run"), 0);
    device_check_mixed(2, 0);
    kit_end_session();
    cann_forget();
    cann_add(BP_FALLBACK_REQUIRE, NULL, NULL);
    KIT_OK(bp_session_options_set_cache(kit.options, dir, 0, &kit.err));
    kit_session();
    ck_assert_uint_gt(groups(BP_PROGRAM_COMPILED, "only graph mode"), 0);
    ck_assert_uint_eq(kit_warnings(), 0);
    ck_assert_uint_eq(files(NULL, false), 0);
}
END_TEST

/* ---- blobs of anybody's, past the checks of the host ------------------------------------------- */

/* The provider itself, as the host has it. */
static const bp_provider *provider(void)
{
    struct bp_candidate *found;

    KIT_OK(bp_registry_open(&kit.env->registry, "cann", &found, NULL, &kit.err));
    return found->provider;
}

static uint32_t n_refused;
static bp_rc (*real_load)(bp_instance *, const bp_graph *, const bp_compile *, bp_span,
                          bp_program **, bp_err *);
static uint64_t seed;

/* Cuts, lengthens or changes a blob of n bytes that has space for 16 more. */
static size_t damage(uint8_t *bytes, size_t n)
{
    size_t at = random_below(&seed, (uint32_t)n);

    switch (random_below(&seed, 4)) {
    case 0:
        return at;
    case 1:
        memset(bytes + n, 7, 16);
        return n + 16;
    case 2: /* a length, which is where most harm is */
        at = random_below(&seed, 6) * 8;
        memset(bytes + at, (int)(random_next(&seed) & 255), 8);
        return n;
    default:
        bytes[at] ^= (uint8_t)(1u << random_below(&seed, 8));
        return n;
    }
}

/* Stands for provider->load: tries damaged copies first, which have to be refused. */
static bp_rc load_damaged(bp_instance *instance, const bp_graph *graph, const bp_compile *what,
                          bp_span blob, bp_program **out, bp_err *err)
{
    uint8_t *copy = malloc(blob.size + 16);

    ck_assert_ptr_nonnull(copy);
    for (int i = 0; i < DAMAGES; i++) {
        bp_span damaged = {copy, 0};
        bp_program *program = NULL;
        char text[512];
        bp_err own = bp_err_init(text, sizeof text);
        bp_rc rc;

        memcpy(copy, blob.data, blob.size);
        damaged.size = damage(copy, blob.size);
        if (damaged.size == blob.size && memcmp(copy, blob.data, blob.size) == 0)
            continue;
        rc = real_load(instance, graph, what, damaged, &program, &own);
        ck_assert_msg(rc == BP_E_STALE, "damage %d: %s: %s", i, bp_rc_name(rc), text);
        ck_assert_ptr_null(program);
        n_refused++;
    }
    free(copy);
    return real_load(instance, graph, what, blob, out, err);
}

START_TEST(load_refuses_damaged_bytes_with_stale)
{
    struct bp_candidate *found;
    bp_provider own = *provider();

    seed = 4711;
    start("2", NULL, NULL);
    kit_end_session();
    KIT_OK(bp_registry_open(&kit.env->registry, "cann", &found, NULL, &kit.err));
    real_load = own.load;
    own.load = load_damaged;
    found->provider = &own;
    start("2", NULL, NULL);
    ck_assert_uint_gt(groups(BP_PROGRAM_LOADED, NULL), 0);
    ck_assert_uint_gt(n_refused, DAMAGES / 2);
    device_check_mixed(2, 0);
    kit_end_session();
    found->provider = provider();
}
END_TEST

/* ---- processes --------------------------------------------------------------------------------- */

/* What a process tells of its start. */
struct told {
    double seconds;
    uint64_t built, loaded;
};

/* In a process of its own: nothing of an earlier session is warm. */
static struct told start_in_a_process(void)
{
    struct told told = {0};
    int ends[2], status;
    pid_t child;

    ck_assert_int_eq(pipe(ends), 0);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        struct timespec before, after;

        ck_assert_int_eq(bp_ascend_configure(CONFIGURATION), ACL_SUCCESS);
        clock_gettime(CLOCK_MONOTONIC, &before);
        start("2", NULL, NULL);
        clock_gettime(CLOCK_MONOTONIC, &after);
        told.seconds = (double)(after.tv_sec - before.tv_sec) +
                       (double)(after.tv_nsec - before.tv_nsec) * 1e-9;
        told.built = cann_counters().models_built;
        told.loaded = groups(BP_PROGRAM_LOADED, NULL);
        device_check_mixed(2, 0);
        kit_end_session();
        _exit(write(ends[1], &told, sizeof told) == (ssize_t)sizeof told ? 0 : 1);
    }
    close(ends[1]);
    ck_assert_int_eq(read(ends[0], &told, sizeof told), (ssize_t)sizeof told);
    close(ends[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    return told;
}

/*
 * The device's group has three operators of ACL or more, each of which takes 0.1 s to compile. What
 * else a start takes is some milliseconds, and differs by less than one operator.
 */
START_TEST(second_process_starts_faster_by_the_compile_time)
{
    struct told first, second;

    kit_new_env(1); /* no threads, which a child would not have */
    first = start_in_a_process();
    second = start_in_a_process();
    printf("start of the first process %.3f s, of the second %.3f s\n", first.seconds,
           second.seconds);
    ck_assert_uint_gt(first.built, 0);
    ck_assert_uint_eq(first.loaded, 0);
    ck_assert_uint_eq(second.built, 0);
    ck_assert_uint_eq(second.loaded, first.built);
    ck_assert(first.seconds > 3 * COMPILE_US * 1e-6);
    ck_assert(first.seconds - second.seconds > 2 * COMPILE_US * 1e-6);
    ck_assert(second.seconds < COMPILE_US * 1e-6);
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("saved")};

    tcase_add_checked_fixture(cases[0], setup, teardown);
    tcase_add_test(cases[0], second_session_builds_no_model);
    tcase_add_test(cases[0], other_settings_and_shapes_have_programs_of_their_own);
    tcase_add_test(cases[0], another_chip_compiles_anew);
    tcase_add_test(cases[0], groups_that_cannot_be_saved_say_why);
    tcase_add_test(cases[0], load_refuses_damaged_bytes_with_stale);
    tcase_add_test(cases[0], second_process_starts_faster_by_the_compile_time);
    return kit_main("saved", cases, sizeof cases / sizeof cases[0]);
}
