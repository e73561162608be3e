/* SPDX-License-Identifier: MIT */
/*
 * operator_fuzz_check.h - what tests with made up models share: limits, what is said when the program
 * dies, and whether what came back of a run is sound.
 */
#ifndef BP_TESTS_OPERATOR_FUZZ_CHECK_H
#define BP_TESTS_OPERATOR_FUZZ_CHECK_H

#include "end_to_end/operator_fuzz.h"

/* One of the runs of a model. */
struct fuzz_outcome {
    bp_rc rc;
    uint32_t n;
    uint64_t hash[FUZZ_VALUES];
};

/* kit_setup(), little memory, and words when a signal or sanitizer ends the program. */
void fuzz_setup(void);
/* From here to fuzz_end() a model of this description is tried, for a minute at most. */
void fuzz_begin(const char *words);
void fuzz_end(void);
/* Fails the test unless it is a code that a wrong model, feed or size may end with, and says why. */
void fuzz_check_refusal(bp_rc rc, bool may_be_slow, const char *when);
/* Runs, checks that shapes and bytes of outputs agree, reads them all and frees them. */
void fuzz_run(bp_session *session, const bp_binding *in, uint32_t n_in, int64_t timeout_ns,
              bool may_be_slow, struct fuzz_outcome *out);
/* Fails the test unless two runs gave the same. */
void fuzz_compare(const struct fuzz_outcome *a, const struct fuzz_outcome *b, const char *what);

/* operator_fuzz_files.c: changed models of a folder; gives how many runs came to an end. */
uint32_t fuzz_files(const char *path, uint64_t seed, uint32_t count);

#define FUZZ_CHECK(claim, ...)                                                                     \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            fuzz_say();                                                                            \
            ck_abort_msg(__VA_ARGS__);                                                             \
        }                                                                                          \
    } while (0)
/* Writes the description to standard error. */
void fuzz_say(void);

#endif
