/* SPDX-License-Identifier: MIT */
/* requests.h - threads that ask the service as its clients would, and how long that took. */
#ifndef EXAMPLES_SERVICE_REQUESTS_H
#define EXAMPLES_SERVICE_REQUESTS_H

#include <stdatomic.h>

#include "current.h"

enum { MAX_WORKERS = 64 };

/* What all workers share, and what they found. Start from {0}, with the first four members set. */
struct load {
    struct current *current;
    uint32_t n_workers, max_batch;
    int64_t deadline_ms; /* of a request; 0: none */
    atomic_bool is_over;
    atomic_ulong n_requests, n_items, n_late, n_failed;
    pthread_mutex_t lock; /* of the times */
    double *times;        /* milliseconds of the last requests, in a ring */
    size_t n_times;       /* all that were measured */
    pthread_t threads[MAX_WORKERS];
};

/* Starts the workers. False, after a complaint. */
bool load_start(struct load *load);
/* Ends them and prints what they found; false if a request failed. */
bool load_finish(struct load *load);

#endif
