/* SPDX-License-Identifier: MIT */
/*
 * session.h - OrtSession: the host's session, descriptions of inputs and outputs, and the model's
 * metadata.
 *
 * Thread rule: runs and queries on any thread; creation, editing and release by one.
 */
#ifndef BP_ORT_SESSION_SESSION_H
#define BP_ORT_SESSION_SESSION_H

#include <backplane.h>
#include <pthread.h>
#include <stdatomic.h>

#include "ort/env.h"
#include "ort/logger.h"
#include "ort/metadata.h"
#include "ort/session/assignment.h"
#include "ort/session/load.h"
#include "ort/session/options.h"
#include "ort/session/profile.h"

struct OrtSession {
    OrtEnv *env;
    bp_session *host;         /* NULL: still being edited */
    struct ort_loaded loaded; /* its model is open while it is edited */
    bp_model *optimized;      /* while the session is made: what SetOptimizedModelFilePath gets */
    bp_io_info *inputs;       /* optional ones (with a default) come last */
    bp_io_info *outputs;
    uint32_t n_inputs, n_outputs;
    uint32_t n_required; /* inputs that have no default */
    int intra_op;
    OrtLogger logger;                /* of its operators */
    struct ort_workers workers;      /* of its own pool, if it has thread settings */
    bool has_log;                    /* it differs from the environment's */
    struct ort_shared_row allocator; /* with session.use_env_allocators; its allocator NULL: none */
    struct ort_custom custom;        /* keeps their libraries */
    OrtKeyValuePairs config;
    OrtKeyValuePairs opsets; /* versions by domain; "ai.onnx" for ONNX's own */
    OrtModelMetadata metadata;
    struct ort_assignment *assignment; /* NULL: not asked for */
    uint64_t start_ns;
    atomic_uint in_flight;       /* running calls, and RunAsync calls that have not begun */
    pthread_mutex_t lock;        /* over the end of the profile and dynamic options */
    struct bp_fork_watch fork;   /* of the lock */
    struct ort_profile *profile; /* NULL: not profiled; set at creation */
    struct ort_chosen *chosen;   /* providers with explicit devices, and the first of these */
    size_t n_chosen;
};

/*
 * Around each use of a session by a run: ReleaseSession waits until all have left. After leaving, the
 * session may be freed.
 */
static inline void ort_session_enter(OrtSession *session)
{
    atomic_fetch_add_explicit(&session->in_flight, 1, memory_order_relaxed);
}

static inline void ort_session_leave(OrtSession *session)
{
    atomic_fetch_sub_explicit(&session->in_flight, 1, memory_order_release);
}

struct ort_chosen {
    char plain[64]; /* the host's name of the provider */
    uint32_t device;
};

/* Where a session's model is; one of path, bytes and model. */
struct ort_source {
    const char *path;
    const void *bytes;
    size_t size;
    const OrtModel *model;
    bool is_edited; /* edits follow, then ort_session_finish() */
};

/* options NULL: all defaults. */
OrtStatus *ort_session_create(const OrtEnv *env, const struct ort_source *source,
                              const OrtSessionOptions *options, OrtSession **out);
/* Lets runs of the host's session take memory from session->allocator, if there is one. */
OrtStatus *ort_session_set_allocator(const OrtSession *session, bp_session_options *options);
/* Plans and compiles the open model; the session can run afterwards. */
OrtStatus *ort_session_finish(OrtSession *session, const OrtSessionOptions *options);
/* Checks session.disable_cpu_ep_fallback against the report; ORT_FAIL names the node. */
OrtStatus *ort_rules_check(const bp_report *report, const OrtSessionOptions *options);
/* Lists inputs, outputs and operator sets of the model that is open, in place of those before. */
OrtStatus *ort_session_describe(OrtSession *session);
/* Lists inputs and outputs of the session, or of its open model, in place of those before; false: no memory. */
bool ort_session_list_io(OrtSession *session);
/* Forgets inputs and outputs that were listed. */
void ort_session_clear_description(OrtSession *session);

/* Index of an input or output; `hint` is tried first. */
OrtStatus *ort_find_input(const OrtSession *session, const char *name, size_t hint, uint32_t *out);
OrtStatus *ort_find_output(const OrtSession *session, const char *name, size_t hint, uint32_t *out);

#endif
