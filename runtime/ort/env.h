/* SPDX-License-Identifier: MIT */
/*
 * env.h - OrtEnv: one for each process, reference-counted; and the settings of the threads that
 * sessions share.
 *
 * Thread rule: any thread may create, retain and release; fields are constant after creation, but
 * for those under `lock` and the atomic severity.
 */
#ifndef BP_ORT_ENV_H
#define BP_ORT_ENV_H

#include <backplane.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/fork.h"
#include "ort/key_values.h"
#include "ort/values/shared_allocators.h"
#include "ort/workers.h"

enum { ORT_AFFINITY_MAX = 4096 }; /* bytes of an affinity text; ONNX Runtime has a limit, too */

struct OrtThreadingOptions {
    int intra_op, inter_op;
    int spin;
    bool denormal_as_zero;
    char *affinity;
    OrtCustomCreateThreadFn create_thread;
    OrtCustomJoinThreadFn join_thread;
    void *thread_options;
};

struct ort_devices;

struct OrtEnv {
    bp_env *host;
    unsigned refs; /* under the lock of env_process.c */
    atomic_int severity;
    OrtLoggingFunction log; /* NULL: standard error */
    void *log_param;
    char *log_id;
    OrtKeyValuePairs config;
    pthread_mutex_t lock;
    struct bp_fork_watch fork;   /* of the lock */
    struct ort_devices *devices; /* under the lock; NULL until they are asked for */
    void (*devices_destroy)(struct ort_devices *devices); /* set with them */
    void (*destroy)(OrtEnv *env);                         /* of the last reference */
    struct ort_shared shared;                             /* allocators; under the lock */
    struct ort_workers workers;                           /* of the host's shared pool */
};

/* The requested settings of an environment; env.c has them. */
struct ort_env_settings;

/*
 * A reference to the process's environment. If there is none, `create` makes it, under the
 * process's lock, so that two threads don't make two; *is_new says so.
 */
OrtStatus *
ort_env_process_acquire(OrtStatus *(*create)(const struct ort_env_settings *settings, OrtEnv **out),
                        const struct ort_env_settings *settings, OrtEnv **out, bool *is_new);
/* A reference to the process's environment, which is created if there is none. */
OrtStatus *ort_env_acquire(OrtEnv **out);
OrtEnv *ort_env_retain(OrtEnv *env);
void ort_env_release(OrtEnv *env); /* NULL is fine */
/* One more reference to the process's environment; NULL: there is none. */
OrtEnv *ort_env_current(void);

/* Logs a line: to the session that this thread is creating or running (logger.h), else to env. */
void ort_env_log(OrtEnv *env, OrtLoggingLevel severity, const char *category, const char *text);
/* The same regardless of the level; `place`: file and line, or "backplane". */
void ort_env_write(OrtEnv *env, OrtLoggingLevel severity, const char *category, const char *id,
                   const char *place, const char *text);

#endif
