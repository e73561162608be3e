/* SPDX-License-Identifier: MIT */
/*
 * skip.h - tests that cannot run here say so, instead of passing in silence.
 *
 *     START_TEST(multiplies_bytes)
 *     {
 *         SKIP_UNLESS(dnnl_has_vnni(), "no AVX-512 VNNI");
 *         ...
 *
 * A program all of whose tests need the same thing returns 77 from main() instead, which Automake
 * reports as SKIP.
 */
#ifndef BP_TESTS_SKIP_H
#define BP_TESTS_SKIP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The build's sanitizers, as gcc and clang say them. */
#if defined(__SANITIZE_ADDRESS__)
#define SKIP_HAS_ASAN true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SKIP_HAS_ASAN true
#endif
#endif
#ifndef SKIP_HAS_ASAN
#define SKIP_HAS_ASAN false
#endif

#if defined(__SANITIZE_THREAD__)
#define SKIP_HAS_TSAN true
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SKIP_HAS_TSAN true
#endif
#endif
#ifndef SKIP_HAS_TSAN
#define SKIP_HAS_TSAN false
#endif

/* glibc's and musl's, which declare it for _GNU_SOURCE only. */
extern char *program_invocation_short_name;

/*
 * Reports the test whose function is `function`: a line for the reader on stdout and one for
 * scripts on stderr, "SKIPPED TEST: program: test: reason". Check appends "_fn" to the names of
 * tests, libtool's wrapper puts "lt-" before that of the program; neither is printed.
 */
static inline void skip_report(const char *function, const char *reason)
{
    const char *program = program_invocation_short_name;
    size_t n = strlen(function);

    if (n > 3 && strcmp(function + n - 3, "_fn") == 0)
        n -= 3;
    if (strncmp(program, "lt-", 3) == 0)
        program += 3;
    printf("SKIP: %.*s: %s\n", (int)n, function, reason);
    fflush(stdout); /* in order with stderr */
    fprintf(stderr, "SKIPPED TEST: %s: %.*s: %s\n", program, (int)n, function, reason);
}

/* `make memcheck` runs the program; it exports VALGRIND. */
static inline bool skip_in_valgrind(void)
{
    return getenv("VALGRIND") != NULL;
}

/* Times and the process's memory are not those of the program under test. */
static inline bool skip_is_slowed(void)
{
    return SKIP_HAS_ASAN || SKIP_HAS_TSAN || skip_in_valgrind();
}

/*
 * In a test function: ends it here, with a report, if the condition does not hold. What comes
 * before it has been tested, so the reason names what is missing. Once a test, not in loop tests,
 * which would report each turn.
 */
#define SKIP_UNLESS(condition, reason)                                                             \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            skip_report(__func__, reason);                                                         \
            return;                                                                                \
        }                                                                                          \
    } while (0)

#endif
