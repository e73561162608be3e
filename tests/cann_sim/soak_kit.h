/* SPDX-License-Identifier: MIT */
/*
 * soak_kit.h - the parts of check_soak.c: models whose results are known, conditions, and threads
 * that run them in it.
 */
#ifndef BP_TESTS_SOAK_KIT_H
#define BP_TESTS_SOAK_KIT_H

#include <pthread.h>

#include "cann_kit.h"
#include "support/random.h"

enum { SOAK_TROUBLES = 6, SOAK_THREADS = 3, SOAK_CODES = 16 };

/* As many as take seconds. */
enum { SOAK_DEFAULT_RUNS = WITH_ASAN || WITH_TSAN ? 1000 : 2500 };

struct soak_tally {
    uint32_t runs;
    uint32_t by_rc[SOAK_CODES]; /* by -rc */
};

void soak_add(struct soak_tally *to, const struct soak_tally *from);

/* Opens the model; both have sizes that only the run knows, and nodes for the CPU. */
void soak_model(uint32_t which);

/* What the device is like for some runs. */
struct soak_conditions {
    const char *name;
    uint32_t point; /* of a fault, BP_ASCEND_AT_* */
    int code;
    uint32_t per_million; /* 0: no fault */
    bool is_lost, is_paused, is_cancelled;
    int64_t timeout_ns;
    bool must_be_right; /* and small */
};

struct soak_conditions soak_conditions(uint64_t *random);
/* Something fails while the session is made, or does not. */
void soak_strike_creation(uint64_t *random);
/* No faults, nothing lost or held. */
void soak_calm(void);

/* A thread that runs kit.session. */
struct soak_worker {
    pthread_t thread;
    uint64_t random;
    uint32_t n_runs;
    struct soak_conditions conditions;
    struct soak_tally tally;
    char problem[1536]; /* what is wrong; "" for nothing */
};

void soak_begin(struct soak_worker *worker, uint64_t seed, uint32_t n_runs,
                const struct soak_conditions *conditions);
void *soak_work(void *worker);

/* Ends the process when no run ends for minutes; resumes devices that were held for a while. */
void soak_watch(void (*show)(const char *what));
void soak_end_watch(void);

#endif
