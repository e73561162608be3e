/* SPDX-License-Identifier: MIT */
/* run.c - tests in processes of their own: what crashes or hangs takes nothing with it. */

#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conform/conform.h"

#define GRACE 3.0 /* seconds: the test's own alarm rings after one */

enum { OUTPUT_MAX = 1 << 16 }; /* bytes of a test's own output that are kept: its end */

/* A running test. */
struct job {
    pid_t pid; /* 0: none */
    struct test *test;
    FILE *record; /* the verdict: three integers, then two strings that end with NUL */
    FILE *output; /* what it writes to its standard output and error */
    double start;
    bool is_late;
};

/* ---- in the test's process ------------------------------------------------------------------- */

/* `mib` MiB of address space, 0: no limit. A failure is printed but does not end the test. */
static void limit_memory(uint64_t mib)
{
    struct rlimit limit = {mib << 20, mib << 20};

    if (mib > 0 && setrlimit(RLIMIT_AS, &limit) != 0)
        fprintf(stderr, "--memory: %s\n", strerror(errno));
}

/* Read by read_record() in the parent. */
static void write_record(FILE *file, const struct verdict *verdict)
{
    fprintf(file, "%d %d %zu\n%s%c%s%c", verdict->code, verdict->is_skipped, verdict->n_sets,
            verdict->placed, 0, verdict->why, 0);
}

/* Ends the process. Leaving as programs do lets memory checkers have their say. */
static void run_test(struct conform *c, const struct job *job, const sigset_t *mask)
{
    struct verdict verdict;
    int code;

    prctl(PR_SET_PDEATHSIG, SIGKILL); /* its results would not be read */
    sigprocmask(SIG_SETMASK, mask, NULL);
    dup2(fileno(job->output), STDOUT_FILENO);
    dup2(fileno(job->output), STDERR_FILENO);
    c->cli->err_colour = false;
    limit_memory(c->args->memory);
    code = cli_open(c->cli);
    if (code != CLI_OK)
        exit(code);
    suite_run(c->cli, &c->args->suite, job->test->dir, &verdict);
    write_record(job->record, &verdict);
    if (fflush(job->record) != 0)
        exit(CLI_RUN);
    verdict_finish(&verdict);
    cli_finish(c->cli);
    exit(CLI_OK);
}

/* ---- results of an ended test process -------------------------------------------------------- */

/* At most `most` bytes from the end of a file, as text. */
static char *read_end(FILE *file, size_t most)
{
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    long start = size > (long)most ? size - (long)most : 0;
    char *text = xalloc((size_t)(size - start) + 1, 1);

    if (fseek(file, start, SEEK_SET) == 0)
        text[fread(text, 1, (size_t)(size - start), file)] = '\0';
    return text;
}

/* False for a record that is absent or cut off: the process ended before it was written. */
static bool read_record(FILE *file, struct verdict *out)
{
    char *placed = NULL, *why = NULL;
    size_t placed_cap = 0, why_cap = 0;
    int is_skipped;
    bool ok;

    rewind(file);
    ok = fscanf(file, "%d %d %zu", &out->code, &is_skipped, &out->n_sets) == 3 &&
         fgetc(file) == '\n' && getdelim(&placed, &placed_cap, '\0', file) > 0 &&
         getdelim(&why, &why_cap, '\0', file) > 0;
    if (ok) {
        out->is_skipped = is_skipped;
        out->placed = placed;
        out->why = why;
        return true;
    }
    free(placed);
    free(why);
    return false;
}

/*
 * Makes the verdict of a test that wrote none, or whose process ended with an error after it did.
 */
static void verdict_of_broken(const struct conform *c, struct job *job, int status)
{
    struct verdict *verdict = &job->test->verdict;
    struct bp_text why = {0};
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : CLI_RUN;

    if (job->is_late || code == CLI_TIMEOUT) {
        text_printf(&why, "did not end within %g s", c->args->suite.timeout);
        code = CLI_TIMEOUT;
    } else if (WIFSIGNALED(status)) {
        text_printf(&why, "crashed (signal %d)", WTERMSIG(status));
    } else {
        text_printf(&why, "ended with code %d", code);
        if (*job->test->output) {
            text_put(&why, ": ");
            text_add(&why, job->test->output, strcspn(job->test->output, "\n"));
        }
    }
    verdict_finish(verdict);
    verdict->code = code;
    verdict->placed = xstrdup("");
    verdict->why = xstrdup(text_string(&why));
    job->test->is_broken = true;
    text_finish(&why);
}

/* Sets the outcome from the verdict and the known failures of --expect. */
static void set_outcome(const struct conform *c, struct test *test)
{
    const struct known_row *known = known_find(&c->known, test->name, test_short_name(test));
    struct verdict *verdict = &test->verdict;
    struct bp_text why = {0};

    test->outcome = verdict->is_skipped       ? SKIPPED
                    : verdict->code == CLI_OK ? PASSED
                    : known                   ? KNOWN
                                              : FAILED;
    if (test->outcome == KNOWN)
        text_printf(&why, "%s (%s)", known->reason, verdict->why);
    if (test->outcome == PASSED && known && !known->may_pass) {
        text_printf(&why, "passes, but %s:%zu says that it fails: %s", c->args->expect, known->line,
                    known->reason);
        test->outcome = FAILED;
        verdict->code = CLI_DIFFERS;
    }
    if (why.len) {
        free(verdict->why);
        verdict->why = xstrdup(text_string(&why));
    }
    text_finish(&why);
}

/*
 * A record counts only if the process then ended with 0: memory checkers report by the exit code.
 */
static void end_job(struct conform *c, struct job *job, int status)
{
    struct test *test = job->test;
    bool has_record = read_record(job->record, &test->verdict);

    test->output = read_end(job->output, OUTPUT_MAX);
    test->seconds = clock_seconds() - job->start;
    fclose(job->record);
    fclose(job->output);
    if (!has_record || !WIFEXITED(status) || WEXITSTATUS(status) != CLI_OK)
        verdict_of_broken(c, job, status);
    *job = (struct job){0};
    set_outcome(c, test);
    test->is_done = true;
    conform_print(c, test);
}

/* ---- in the parent --------------------------------------------------------------------------- */

/* The temporary files have no name, so nothing is left behind when this process is killed. */
static int start_job(struct conform *c, struct job *job, struct test *test, const sigset_t *mask)
{
    *job = (struct job){.test = test, .start = clock_seconds()};
    job->record = tmpfile();
    job->output = tmpfile();
    fflush(NULL); /* else both processes write what is buffered */
    if (job->record && job->output)
        job->pid = fork();
    if (!job->record || !job->output || job->pid < 0) {
        int code = cli_fail(c->cli, CLI_RUN, "%s: no process for the test: %s", test->name,
                            strerror(errno));

        if (job->record)
            fclose(job->record);
        if (job->output)
            fclose(job->output);
        *job = (struct job){0};
        return code;
    }
    if (job->pid == 0)
        run_test(c, job, mask);
    return CLI_OK;
}

/* Kills what is over its time. */
static void check_time(const struct conform *c, struct job *jobs)
{
    double most = c->args->suite.timeout;

    for (uint64_t i = 0; most > 0 && i < c->args->jobs; i++) {
        if (jobs[i].pid > 0 && clock_seconds() - jobs[i].start > most + GRACE) {
            jobs[i].is_late = true;
            kill(jobs[i].pid, SIGKILL);
        }
    }
}

/* Waits until something may have changed, then ends the jobs whose processes have. */
static void wait_jobs(struct conform *c, struct job *jobs, const sigset_t *child)
{
    struct timespec most = {.tv_nsec = 200000000}; /* for the time limits */

    sigtimedwait(child, NULL, &most);
    for (uint64_t i = 0; i < c->args->jobs; i++) {
        int status;

        if (jobs[i].pid > 0 && waitpid(jobs[i].pid, &status, WNOHANG) == jobs[i].pid)
            end_job(c, &jobs[i], status);
    }
    check_time(c, jobs);
}

static struct job *free_job(struct job *jobs, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        if (jobs[i].pid == 0)
            return &jobs[i];
    }
    return NULL;
}

static bool is_busy(const struct job *jobs, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        if (jobs[i].pid > 0)
            return true;
    }
    return false;
}

int conform_run(struct conform *c)
{
    struct job *jobs = xalloc(c->args->jobs, sizeof *jobs), *job;
    double start = clock_seconds();
    sigset_t child, mask;
    size_t next = 0;
    int code = CLI_OK;

    /* blocked, the signal waits for sigtimedwait */
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &mask);
    while (next < c->n || is_busy(jobs, c->args->jobs)) {
        job = next < c->n ? free_job(jobs, c->args->jobs) : NULL;
        if (!job) {
            wait_jobs(c, jobs, &child);
            continue;
        }
        code = start_job(c, job, &c->tests[next++], &mask);
        if (code != CLI_OK)
            next = c->n; /* what runs may end */
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    free(jobs);
    c->seconds = clock_seconds() - start;
    return code;
}
