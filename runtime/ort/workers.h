/* SPDX-License-Identifier: MIT */
/*
 * workers.h - threads that the application creates, and the processors that threads run on, as the
 * host takes them.
 */
#ifndef BP_ORT_WORKERS_H
#define BP_ORT_WORKERS_H

#include <backplane.h>
#include <onnxruntime/onnxruntime_c_api.h>

/* Thread settings of an environment or session. The host keeps its address, so it must not move. */
struct ort_workers {
    OrtEnv *env;                    /* for the log; borrowed */
    OrtCustomCreateThreadFn create; /* NULL: the host makes threads */
    OrtCustomJoinThreadFn join;
    void *options;             /* for create */
    bp_processors *processors; /* for each worker, in one malloc() block; NULL: no affinities */
    uint32_t n_processors;
};

/*
 * Parses "1,2;3-5;...": a group of processors, counted from 1, for each worker. An empty group is any
 * processor. ORT_FAIL quotes the part that is wrong. On success the previous affinities are freed.
 */
OrtStatus *ort_workers_read(struct ort_workers *workers, const char *affinities);
void ort_workers_finish(struct ort_workers *workers);

/* ORT_FAIL if the application can create threads but not join them. */
OrtStatus *ort_workers_check(const struct ort_workers *workers);
/* Fills *out, which borrows from `workers`; false: all settings are the default. */
bool ort_workers_config(struct ort_workers *workers, bp_worker_config *out);

#endif
