/* SPDX-License-Identifier: MIT */
/*
 * conform.h - what the files of `backplane conform` share: its options, tests and their outcomes.
 */
#ifndef BP_TOOLS_CONFORM_H
#define BP_TOOLS_CONFORM_H

#include "conform/suite.h"
#include "lib/known_failures.h"

struct conform_args {
    struct suite_args suite;
    const char *expect, *junit; /* files */
    uint64_t jobs, memory;      /* memory: MiB; 0: no limit */
    bool is_json, list_failures;
};

enum outcome {
    PASSED,
    FAILED,
    KNOWN, /* failed, as --expect says it does */
    SKIPPED,
    OUTCOMES
};

/* A directory with a model.onnx, and what came of it. */
struct test {
    char *dir;
    char *name; /* "node/test_abs": below the directory that was named, that included */
    struct verdict verdict;
    enum outcome outcome;
    double seconds;
    char *output;   /* what it wrote to its standard output and error; NULL: nothing */
    bool is_broken; /* it crashed or did not stop, so it gave no verdict of its own */
    bool is_done;
};

struct conform {
    struct cli *cli;
    const struct conform_args *args;
    struct known known;
    struct test *tests;
    size_t n, cap;
    size_t n_printed; /* tests that were printed; they are in order */
    size_t counts[OUTCOMES];
    struct progress progress;
    struct json json;
    double seconds; /* all of it */
};

/*
 * Adds the tests of a directory: itself or all below it, sorted. Prints what fails; an exit code.
 */
int conform_find(struct conform *c, const char *dir);
/* The last part of a test's name, "test_abs". */
const char *test_short_name(const struct test *test);

/*
 * Runs all tests, each in a process of its own, args->jobs at a time. Prints only what makes that
 * impossible; returns an exit code.
 */
int conform_run(struct conform *c);
/* Call as a test ends: counts it, and prints the finished tests in their order. */
void conform_print(struct conform *c, struct test *test);
/* "passed", "failed", "known" or "skipped" */
const char *outcome_word(enum outcome outcome);

/* Before the first and after the last test. */
void conform_begin(struct conform *c);
void conform_end(struct conform *c);
/* Writes --junit's file. Prints what fails; returns an exit code. */
int conform_junit(const struct conform *c);

#endif
