/* SPDX-License-Identifier: MIT */
/*
 * current.h - the session that requests use, replaced while they run when a new model file has taken the
 * place of the old one.
 */
#ifndef EXAMPLES_SERVICE_CURRENT_H
#define EXAMPLES_SERVICE_CURRENT_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>

#include <backplane.h>

enum { MAX_RANK = 16 }; /* dimensions of the input and of the output */

struct current {
    pthread_mutex_t lock; /* of `session` alone; held for no run and for no loading */
    bp_session *session;
    bp_env *env;
    const char *path;                  /* of the model */
    const bp_session_options *options; /* of each session */
    uint32_t max_batch, n_workers;
    struct stat loaded; /* the file that the session was made of */
};

/*
 * Loads the model at path and prepares the session for batches of up to max_batch in n_workers runs at
 * once. False, after a complaint. All but *out is borrowed.
 */
bool current_open(bp_env *env, const char *path, const bp_session_options *options,
                  uint32_t max_batch, uint32_t n_workers, struct current *out);
void current_close(struct current *current);
/* The session to use for one request, for bp_session_destroy() after it. [any thread] */
bp_session *current_take(struct current *current);
/*
 * Loads the file again if another has taken its name; requests go on with the old session meanwhile.
 * *reloaded says whether. False, after a complaint, if the new file cannot be used: the old session
 * stays. [one thread]
 */
bool current_refresh(struct current *current, bool *reloaded);

#endif
