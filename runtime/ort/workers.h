/* SPDX-License-Identifier: MIT */
/* workers.h - threads of the application and the processors that threads run on, for the host. */
#ifndef BP_ORT_WORKERS_H
#define BP_ORT_WORKERS_H

#include <backplane.h>
#include <onnxruntime/onnxruntime_c_api.h>

/* What an environment or a session was told of its threads. Must not move while it has some. */
struct ort_workers {
    OrtEnv *env;                    /* for the log; borrowed */
    OrtCustomCreateThreadFn create; /* NULL: the host makes threads */
    OrtCustomJoinThreadFn join;
    void *options;             /* for create */
    bp_processors *processors; /* one a worker, in a block of malloc(); NULL: none were given */
    uint32_t n_processors;
};

/*
 * Reads "1,2;3-5;...": a group of processors, counted from 1, for each worker. An empty group is any
 * processor. ORT_FAIL names the part that is wrong. On success what `workers` had before is gone.
 */
OrtStatus *ort_workers_read(struct ort_workers *workers, const char *affinities);
void ort_workers_finish(struct ort_workers *workers);

/* ORT_FAIL if threads can be made but not joined. */
OrtStatus *ort_workers_check(const struct ort_workers *workers);
/* Fills *out, which borrows; false: nothing was asked for. */
bool ort_workers_config(struct ort_workers *workers, bp_worker_config *out);

#endif
