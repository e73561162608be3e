/* SPDX-License-Identifier: MIT */
/*
 * exits.c - processes that end in every way while providers are open and sessions run, and one that
 * opens and closes all a thousand times: none crashes, hangs or grows. With sanitizers they watch as
 * well. Proof 8 of docs/proofs.md.
 */

#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include <backplane.h>

#include "perf/perf.h"
#include "support/proto_writer.h"

enum {
    LIMIT_S = 120, /* of a process, however busy the machine is */
    RUNNERS = 3,
    CYCLES = BP_SANITIZED ? 100 : 1000,
    WARM = CYCLES / 5, /* until memory has found its size */
    FAILED = 1,
    NO_PROVIDER = SKIP
};

#define LIMIT_MIB 2.0

/* Global, so that what a process leaves at its end is not a leak. */
static bp_env *env;
static bp_session *session;
static atomic_uint n_runs;

/* ---- one of everything ----------------------------------------------------------------------- */

static bp_rc open_all(void)
{
    bp_env_config config = {.struct_size = sizeof config, .threads = 4};
    struct pw w = {0};
    bp_model *model = NULL;
    bp_rc rc;

    pw_open_model(&w);
    pw_node(&w, "Relu", "x", "r");
    pw_node(&w, "Neg", "r", "y");
    pw_value(&w, 11, "x", BP_DTYPE_F32, PW_DIMS(4096));
    pw_value(&w, 12, "y", BP_DTYPE_F32, PW_DIMS(4096));
    pw_close(&w);
    rc = bp_env_create(&config, &env, NULL);
    if (rc >= 0)
        rc = bp_model_open_memory(env, w.data, w.size, NULL, &model, NULL);
    if (rc >= 0)
        rc = bp_session_create_from_model(env, model, NULL, &session, NULL);
    bp_model_close(model);
    pw_free(&w);
    return rc;
}

static bp_rc close_all(void)
{
    bp_rc rc;

    bp_session_destroy(session);
    rc = bp_env_destroy(env, NULL);
    session = NULL;
    env = NULL;
    return rc;
}

static bool run_once(void)
{
    float x[4096] = {-1, 2}, y[4096];
    int64_t dims[] = {4096}, dims_out[] = {0};
    bp_binding in = {
        .tensor = {.base = x, .bytes = sizeof x, .dims = dims, .rank = 1, .dtype = BP_DTYPE_F32}};
    bp_binding out = {.tensor = {.base = y, .bytes = sizeof y, .dims = dims_out, .rank = 1}};

    if (bp_session_run(session, &in, 1, &out, 1, NULL, NULL) < 0)
        return false;
    atomic_fetch_add(&n_runs, 1);
    return y[1] < -1.5f && y[1] > -2.5f;
}

static void *run_on(void *unused)
{
    while (run_once()) {
    }
    return unused;
}

/* Threads that go on running until the process ends. */
static void start_runners(void)
{
    pthread_t thread;

    for (int i = 0; i < RUNNERS; i++) {
        if (pthread_create(&thread, NULL, run_on, NULL) != 0)
            _exit(FAILED);
        pthread_detach(thread);
    }
    while (atomic_load(&n_runs) < 10 * RUNNERS)
        usleep(100);
}

/* ---- ways to end: in a process of its own, with all open; what they return is its status ------ */

static int returns(void)
{
    return run_once() ? 0 : FAILED;
}

static int closes_and_returns(void)
{
    return run_once() && close_all() >= 0 ? 0 : FAILED;
}

static int exits_while_others_run(void)
{
    start_runners();
    exit(0);
}

static void *exit_here(void *unused)
{
    exit(0);
    return unused;
}

static int exits_in_another_thread(void)
{
    pthread_t thread;

    start_runners();
    if (pthread_create(&thread, NULL, exit_here, NULL) != 0)
        return FAILED;
    for (;;)
        pause();
}

static void *close_here(void *main_thread)
{
    pthread_t *thread = main_thread;

    if (pthread_join(*thread, NULL) != 0 || !run_once() || close_all() < 0)
        _exit(FAILED);
    return NULL; /* the last thread: the process ends with status 0 */
}

static int ends_its_first_thread(void)
{
    static pthread_t first;
    pthread_t thread;

    first = pthread_self();
    if (!run_once() || pthread_create(&thread, NULL, close_here, &first) != 0)
        return FAILED;
    pthread_detach(thread);
    pthread_exit(NULL);
}

static int opens_and_closes_often(void)
{
    double before = 0, after;

    for (int i = 0; i < CYCLES; i++) {
        if (!run_once() || close_all() < 0)
            return FAILED;
        if (i == WARM)
            before = status_mib("VmRSS:");
        if (open_all() < 0)
            return FAILED;
    }
    after = status_mib("VmRSS:");
    printf("exits: %d times opened and closed: %.1f MiB resident after %d, %.1f at the end\n",
           CYCLES, before, WARM, after);
    fflush(stdout);
    if (!BP_SANITIZED && after - before > LIMIT_MIB)
        return FAILED;
    return close_all() >= 0 ? 0 : FAILED;
}

static const struct {
    const char *name;
    int (*end)(void);
} ways[] = {
    {"returns with all open", returns},
    {"closes all and returns", closes_and_returns},
    {"exits while other threads run", exits_while_others_run},
    {"exits in another thread", exits_in_another_thread},
    {"ends its first thread before the last", ends_its_first_thread},
    {"opens and closes often", opens_and_closes_often},
};

/* A wait status. */
static int try_way(int (*end)(void))
{
    int status = -1;
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        alarm(LIMIT_S);
        if (open_all() < 0)
            _exit(NO_PROVIDER);
        exit(end());
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    return status;
}

int main(void)
{
    bool is_good = true;

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        int status;

        if (WITH_TSAN && ways[i].end == ends_its_first_thread) {
            printf("exits: a process that %s: not tried, ThreadSanitizer cannot join that thread\n",
                   ways[i].name);
            continue;
        }
        status = try_way(ways[i].end);
        if (WIFEXITED(status) && WEXITSTATUS(status) == NO_PROVIDER) {
            puts("exits: skipped, no provider runs the model");
            return SKIP;
        }
        printf("exits: a process that %s: ", ways[i].name);
        if (WIFSIGNALED(status))
            printf("signal %d\n", WTERMSIG(status));
        else
            printf("status %d\n", WEXITSTATUS(status));
        is_good &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    return is_good ? 0 : 1;
}
