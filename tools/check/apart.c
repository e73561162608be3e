/* SPDX-License-Identifier: MIT */
/* apart.c - runs a test in a process of its own, with a limit; those of FUZZ once for each seed. */

#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check/apart.h"
#include "check/group_onnx.h"
#include "check/guard.h"

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- one test -------------------------------------------------------------------------------- */

static void run_here(const char *path, const struct manner *manner, const struct kit_test *test,
                     uint32_t seed, struct kit_outcome *outcome)
{
    static struct kit kit; /* not on the stack, which longjmp may leave in disorder */

    memset(&kit, 0, sizeof kit);
    kit.path = path;
    kit.provider = manner->provider;
    kit.seed = seed;
    kit.reference = manner->reference;
    kit.given = manner->given;
    kit.n_given = manner->n_given;
    kit.fault = manner->fault;
    kit.in_process = manner->in_process;
    kit.outcome = outcome;
    kit_guard_begin(&kit);
    if (setjmp(kit.end) == 0)
        test->run(&kit);
    outcome->is_done = 1;
}

/* True: the child ended, with *status; false: it had to be killed. */
static bool wait_for(pid_t child, double limit, int *status)
{
    double end = seconds() + limit;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    while (waitpid(child, status, WNOHANG) == 0) {
        double left = end - seconds();
        struct timespec wait;

        if (left <= 0) {
            kill(-child, SIGKILL);
            kill(child, SIGKILL);
            waitpid(child, status, 0);
            return false;
        }
        wait.tv_sec = (time_t)(left < 1 ? 0 : 1);
        wait.tv_nsec = left < 1 ? (long)(left * 1e9) : 0;
        (void)sigtimedwait(&set, NULL, &wait);
    }
    kill(-child, SIGKILL); /* what it may have left running */
    return true;
}

static void set_end_verdict(struct kit_outcome *outcome, int status)
{
    if (outcome->is_done)
        return;
    outcome->verdict = KIT_DIED;
    if (WIFSIGNALED(status))
        snprintf(outcome->text, sizeof outcome->text, "it ends in signal %d: %s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(outcome->text, sizeof outcome->text, "it ended the process with status %d",
                 WEXITSTATUS(status));
}

/* The call that did not come back; NULL: some later one. */
static const char *stage_name(uint32_t stage)
{
    static const char *const names[] = {NULL, "loading the file", "the entry", "is_available",
                                        "create"};

    return stage < sizeof names / sizeof names[0] ? names[stage] : NULL;
}

static void set_too_long(struct kit_outcome *outcome, double limit)
{
    const char *stage = stage_name(outcome->stage);

    outcome->verdict = KIT_TOO_LONG;
    snprintf(outcome->text, sizeof outcome->text, "not done after %g seconds%s%s", limit,
             stage ? ", in " : "", stage ? stage : "");
}

static void run_apart(const char *path, const struct manner *manner, const struct kit_test *test,
                      uint32_t seed, struct kit_outcome *shared)
{
    sigset_t child_signal, before;
    int status = 0;
    pid_t child;

    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_signal, &before);
    fflush(NULL);
    child = fork();
    if (child == 0) {
        const struct rlimit none = {0, 0};

        setpgid(0, 0);
        sigprocmask(SIG_SETMASK, &before, NULL);
        setrlimit(RLIMIT_CORE, &none);
        run_here(path, manner, test, seed, shared);
        fflush(NULL);
        _exit(0);
    }
    if (child < 0) {
        shared->verdict = KIT_DIED;
        snprintf(shared->text, sizeof shared->text, "no process for it: %s", strerror(errno));
    } else if (wait_for(child, manner->limit, &status)) {
        set_end_verdict(shared, status);
    } else {
        set_too_long(shared, manner->limit);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static void run_once(const char *path, const struct manner *manner, const struct kit_test *test,
                     uint32_t seed, struct kit_outcome *shared)
{
    memset(shared, 0, sizeof *shared);
    if (manner->in_process)
        run_here(path, manner, test, seed, shared);
    else
        run_apart(path, manner, test, seed, shared);
    shared->text[sizeof shared->text - 1] = '\0';
}

/* Says how far a test is that runs many times, at its beginning and each second after that. */
static void show_progress(const struct manner *manner, const struct kit_test *test, uint32_t done,
                          uint32_t all, const char *what)
{
    static double last;

    if (!manner->shows_progress || (done > 0 && seconds() - last < 1))
        return;
    last = seconds();
    fprintf(stderr, "backplane-check: %s: %u of %u %s\n", test->id, (unsigned)done, (unsigned)all,
            what);
}

/* Seed by seed, up to the first that fails; the words say which. */
static void run_seeds(const char *path, const struct manner *manner, const struct kit_test *test,
                      uint32_t first, struct kit_outcome *shared)
{
    const uint32_t last = first + manner->rounds - 1;
    unsigned n_apply = 0;
    char text[KIT_TEXT];

    for (uint32_t i = 0; i < manner->rounds; i++) {
        show_progress(manner, test, i, manner->rounds, "seeds");
        run_once(path, manner, test, first + i, shared);
        n_apply += shared->verdict != KIT_SKIP;
        if (shared->verdict == KIT_PASS || shared->verdict == KIT_SKIP)
            continue;
        memcpy(text, shared->text, sizeof text);
        snprintf(shared->text, sizeof shared->text, "seed %u: %.900s", (unsigned)(first + i), text);
        return;
    }
    if (n_apply == 0)
        return; /* skipped, with the reason of the last one */
    shared->verdict = KIT_PASS;
    snprintf(shared->text, sizeof shared->text, "seeds %u to %u, of which %u apply",
             (unsigned)first, (unsigned)last, n_apply);
}

/* What failed of ONNX's tests: the first one's words, then names. */
static void add_failed(char text[KIT_TEXT], uint32_t i, const char *words)
{
    size_t n = strlen(text);
    const char *name = kit_onnx_name(i);

    if (n > 0)
        snprintf(text + n, KIT_TEXT - n, ", %s", name);
    else if (strncmp(words, name, strlen(name)) == 0)
        snprintf(text, KIT_TEXT, "%.600s; also", words);
    else
        snprintf(text, KIT_TEXT, "%s: %.500s; also", name, words);
}

/* Some tests at a time, and on after each that fails. */
static void run_onnx(const char *path, const struct manner *manner, const struct kit_test *test,
                     struct kit_outcome *shared)
{
    uint32_t n_failed = 0, n_cases = 0, n_ran = 0, verdict = KIT_PASS, n = kit_onnx_count();
    char text[KIT_TEXT] = "";

    for (uint32_t from = 0, next; from < n; from = next) {
        show_progress(manner, test, from, n, "tests");
        run_once(path, manner, test, from, shared);
        n_cases += shared->n_cases;
        n_ran += shared->n_ran;
        if (shared->verdict == KIT_SKIP || shared->stage != KIT_BEYOND)
            return; /* it cannot be run at all */
        next = shared->at > from ? shared->at : from;
        if (shared->verdict == KIT_PASS)
            continue;
        verdict = shared->verdict > verdict ? shared->verdict : verdict;
        next = next < n ? next : n - 1; /* the last ones, when all was settled */
        add_failed(text, next, shared->text);
        n_failed++;
        next++;
    }
    shared->verdict = n_ran + n_failed > 0 ? verdict : KIT_SKIP;
    shared->n_cases = n_cases;
    shared->n_ran = n_ran;
    if (n_failed > 0)
        snprintf(shared->text, sizeof shared->text, "%u of %u tests that it takes fail: %.*s",
                 (unsigned)n_failed, (unsigned)(n_ran + n_failed),
                 (int)(strlen(text) - (n_failed == 1 ? strlen("; also") : 0)), text);
    else
        snprintf(shared->text, sizeof shared->text,
                 "%u of %u tests of one node taken%s; %u are not such tests", (unsigned)n_ran,
                 (unsigned)n_cases, n_ran > 0 ? ", all right" : "", (unsigned)(n - n_cases));
}

void run_test(const char *path, const struct manner *manner, struct result *result,
              struct kit_outcome *shared)
{
    double start = seconds();

    if (result->group == &kit_onnx_group)
        run_onnx(path, manner, result->test, shared);
    else if (result->group == &kit_fuzz)
        run_seeds(path, manner, result->test, manner->seed, shared);
    else if (result->group == &kit_random_group)
        run_seeds(path, manner, result->test, manner->random_seed, shared);
    else
        run_once(path, manner, result->test, 0, shared);
    result->outcome = *shared;
    result->seconds = seconds() - start;
    result->was_run = true;
}
