/* SPDX-License-Identifier: MIT */
/* session.h - OrtSession: the host's session, the names of its ends, the model's own words. */
#ifndef BP_ORT_SESSION_H
#define BP_ORT_SESSION_H

#include <backplane.h>
#include <pthread.h>
#include <stdatomic.h>

#include "ort/assignment.h"
#include "ort/env.h"
#include "ort/options.h"
#include "ort/profile.h"

struct OrtModelMetadata {
    char *producer, *graph_name, *domain, *description, *graph_description;
    int64_t version;
    OrtKeyValuePairs custom;
};

struct OrtSession {
    OrtEnv *env;
    bp_session *host;
    void *bytes;        /* the model's, when it did not come from a file */
    bp_io_info *inputs; /* those that may be left out come last */
    bp_io_info *outputs;
    uint32_t n_inputs, n_outputs;
    uint32_t n_required; /* inputs that have no default */
    int intra_op;
    OrtKeyValuePairs config;
    OrtKeyValuePairs dims; /* sizes that the application promised, by name */
    OrtModelMetadata metadata;
    struct ort_assignment *assignment; /* NULL: not asked for */
    uint64_t start_ns;
    atomic_uint in_flight;       /* runs, and those that other threads are about to do */
    pthread_mutex_t lock;        /* of the profile */
    struct ort_profile *profile; /* NULL: not profiled */
    bool is_profiled;            /* from creation on; without the lock */
};

/*
 * Around each use of a session by a run: releasing it waits for the last. After leaving, the session
 * may be gone.
 */
static inline void ort_session_enter(OrtSession *session)
{
    atomic_fetch_add_explicit(&session->in_flight, 1, memory_order_relaxed);
}

static inline void ort_session_leave(OrtSession *session)
{
    atomic_fetch_sub_explicit(&session->in_flight, 1, memory_order_release);
}

/* Fills an empty struct from the model. */
bool ort_metadata_init(OrtModelMetadata *metadata, const bp_model *model);
void ort_metadata_finish(OrtModelMetadata *metadata);

/* Index of an input or output; `hint` is tried first. */
OrtStatus *ort_find_input(const OrtSession *session, const char *name, size_t hint, uint32_t *out);
OrtStatus *ort_find_output(const OrtSession *session, const char *name, size_t hint, uint32_t *out);

#endif
