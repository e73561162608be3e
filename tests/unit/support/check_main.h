/* SPDX-License-Identifier: MIT */
/* check_main.h - the end of every test program's main(). */
#ifndef BP_TESTS_CHECK_MAIN_H
#define BP_TESTS_CHECK_MAIN_H

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Runs these as one suite; gives the exit status. */
static inline int check_main(const char *name, TCase *const *cases, uint32_t n_cases)
{
    Suite *suite = suite_create(name);
    SRunner *runner = srunner_create(suite);
    int failed;

    for (uint32_t i = 0; i < n_cases; i++)
        suite_add_tcase(suite, cases[i]);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Runs none of them, and says why; gives the exit status of a program that is skipped. */
static inline int check_skip(const char *why, TCase *const *cases, uint32_t n_cases)
{
    Suite *suite = suite_create("skipped");

    for (uint32_t i = 0; i < n_cases; i++)
        suite_add_tcase(suite, cases[i]);
    srunner_free(srunner_create(suite));
    puts(why);
    return 77;
}

#endif
