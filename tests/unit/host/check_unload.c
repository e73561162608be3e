/* SPDX-License-Identifier: MIT */
/*
 * check_unload.c - plug-ins that may be unloaded are, with the last environment that used them;
 * others stay. The mock "guest" may, "few" may not.
 */

#include "config.h"

#include <check.h>
#include <stdio.h>

#include "host/load/loader.h"
#include "support/session_kit.h"

/* What guest's teardown() counts; it outlives the plug-in. */
static atomic_uint teardowns;

/* Is a mock mapped into this process? */
static bool is_mapped(const char *file)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[8192];
    bool found = false;

    ck_assert_ptr_nonnull(maps);
    while (fgets(line, sizeof line, maps))
        found |= strstr(line, file) != NULL;
    fclose(maps);
    return found;
}

static void run_on(const char *name)
{
    kit_small_model();
    kit_provider(name, BP_FALLBACK_REQUIRE);
    kit_session();
    kit_check_small(3);
}

/* All that holds kit.env. */
static void close_all(void)
{
    kit_end_session();
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    bp_model_close(kit.model);
    kit.model = NULL;
}

START_TEST(unloadable_plug_in_goes_with_the_last_environment)
{
    bp_env *first;

    run_on("guest");
    atomic_store(&kit_counters("guest")->teardowns, &teardowns);
    close_all();
    first = kit.env;
    kit.env = NULL;
    kit_new_env(1);
    run_on("guest");
    close_all();
    KIT_OK(bp_env_destroy(first, &kit.err));
    ck_assert(is_mapped("libbp-guest.so"));
    ck_assert_uint_eq(atomic_load(&teardowns), 0);
    run_on("guest");
    close_all();
    KIT_OK(bp_env_destroy(kit.env, &kit.err));
    kit.env = NULL;
    ck_assert_uint_eq(atomic_load(&teardowns), 1);
    ck_assert(!is_mapped("libbp-guest.so"));
}
END_TEST

START_TEST(plug_in_that_was_unloaded_can_be_opened_again)
{
    for (uint32_t i = 0; i < 20; i++) {
        run_on("guest");
        ck_assert_ptr_null(atomic_load(&kit_counters("guest")->teardowns)); /* fresh memory */
        atomic_store(&kit_counters("guest")->teardowns, &teardowns);
        close_all();
        kit_new_env(1);
        ck_assert(!is_mapped("libbp-guest.so"));
        ck_assert_uint_eq(atomic_load(&teardowns), i + 1);
    }
}
END_TEST

START_TEST(plug_in_that_may_not_be_unloaded_stays_mapped)
{
    run_on("few");
    close_all();
    kit_new_env(1);
    ck_assert(is_mapped("libbp-few.so"));
    run_on("few");
}
END_TEST

/* The linker has it once, and so teardown() comes once: when neither path is in use. */
START_TEST(plug_in_by_two_paths_goes_when_both_are_released)
{
    const struct bp_module_copy *copies[2];
    const char *table;
    char paths[2][1024];
    uint32_t stage;

    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%slibbp-guest.so", getenv("BP_MOCK_DIR"),
                 i ? "./" : "");
        KIT_OK(bp_loader_open(paths[i], NULL, &copies[i], &stage, &kit.err));
    }
    table = copies[0]->providers[0].extension(MOCK_COUNTERS_ID);
    atomic_store(&((struct mock_counters *)(uintptr_t)table)->teardowns, &teardowns);
    bp_loader_release(copies[0]);
    ck_assert(bp_loader_has(paths[0]));
    ck_assert_uint_eq(atomic_load(&teardowns), 0);
    bp_loader_release(NULL);
    bp_loader_release(copies[1]);
    ck_assert(!bp_loader_has(paths[0]));
    ck_assert(!bp_loader_has(paths[1]));
    ck_assert_uint_eq(atomic_load(&teardowns), 1);
    ck_assert(!is_mapped("libbp-guest.so"));
}
END_TEST

static void setup(void)
{
    kit_setup();
    atomic_store(&teardowns, 0);
}

int main(void)
{
    TCase *tcase = tcase_create("unload");

    tcase_add_checked_fixture(tcase, setup, kit_teardown);
    tcase_add_test(tcase, unloadable_plug_in_goes_with_the_last_environment);
    tcase_add_test(tcase, plug_in_that_was_unloaded_can_be_opened_again);
    tcase_add_test(tcase, plug_in_that_may_not_be_unloaded_stays_mapped);
    tcase_add_test(tcase, plug_in_by_two_paths_goes_when_both_are_released);
    return kit_main("unload", &tcase, 1);
}
