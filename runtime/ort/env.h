/* SPDX-License-Identifier: MIT */
/* env.h - OrtEnv: one a process, counted; and the threads that its sessions share. */
#ifndef BP_ORT_ENV_H
#define BP_ORT_ENV_H

#include <backplane.h>
#include <pthread.h>
#include <stdatomic.h>

#include "ort/key_values.h"
#include "ort/values/shared_allocators.h"
#include "ort/workers.h"

enum { ORT_AFFINITY_MAX = 4096 }; /* bytes of a text that says which threads go where */

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
    unsigned refs; /* under the process's lock */
    atomic_int severity;
    OrtLoggingFunction log; /* NULL: standard error */
    void *log_param;
    char *log_id;
    OrtKeyValuePairs config;
    pthread_mutex_t lock;
    struct ort_devices *devices; /* under the lock; NULL: nobody asked yet */
    void (*devices_destroy)(struct ort_devices *devices); /* set with them */
    void (*destroy)(OrtEnv *env);                         /* of the last reference */
    struct ort_shared shared;                             /* allocators; under the lock */
    struct ort_workers workers;                           /* as the environment was asked for */
};

/* What there is one of in a process: env_process.c has it, env.c makes the environment. */
struct ort_env_process {
    pthread_mutex_t lock;
    OrtEnv *env; /* NULL: none yet, or none any more */
};
extern struct ort_env_process ort_env_process;

/* The process's environment, made when there is none; one more reference. */
OrtStatus *ort_env_acquire(OrtEnv **out);
OrtEnv *ort_env_retain(OrtEnv *env);
void ort_env_release(OrtEnv *env); /* NULL is fine */
/* One more reference to the process's environment; NULL: there is none. */
OrtEnv *ort_env_current(void);

/* One line to the log of the session that the thread is about (see logger.h), or the environment's. */
void ort_env_log(OrtEnv *env, OrtLoggingLevel severity, const char *category, const char *text);
/* The same whatever the environment's level; `place`: where in the code. */
void ort_env_write(OrtEnv *env, OrtLoggingLevel severity, const char *category, const char *id,
                   const char *place, const char *text);

#endif
