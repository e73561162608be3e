/* SPDX-License-Identifier: MIT */
/* main.c - backplane-check: runs the conformance kit on a plug-in, each test in its own process. */

#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check/report.h"

enum { USAGE = 4, LIMIT_SECONDS = 60 };

const struct kit_group *const kit_groups[] = {
    &kit_file, &kit_abi,    &kit_probe, &kit_options, &kit_capability, &kit_numerics,
    &kit_run,  &kit_shapes, &kit_cache, &kit_life,    &kit_docs,       NULL,
};

static struct {
    const char *only, *provider, *json, *junit;
    double limit;
    bool in_process, quiet, list;
} options = {.limit = LIMIT_SECONDS};

static const char help[] =
    "Usage: backplane-check [OPTION]... FILE.so\n"
    "\n"
    "Holds a provider plug-in to the rules of <bp/abi.h>. Each test runs in a process of its own.\n"
    "\n"
    "  --only GLOB      Only tests whose id or group matches: 'BPK-ABI-*', RUN.\n"
    "  --provider NAME  The provider of that short name; default: the first of the file.\n"
    "  --timeout S      Seconds that a test may take. Default: 60.\n"
    "  --in-process     All in this process, for a debugger.\n"
    "  --json FILE      Write the results as JSON; '-' is standard output.\n"
    "  --junit FILE     Write the results as JUnit's XML.\n"
    "  --list           Print the tests with the clauses that they cite.\n"
    "  --quiet          Print only what is wrong.\n"
    "  --help           Say this.\n"
    "  --version        Say the version of the kit and of the ABI.\n"
    "\n"
    "Exit status: 0 conformant, 1 a test failed, 2 not loadable, 3 warnings only, 4 wrong usage.\n";

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- one test -------------------------------------------------------------------------------- */

static void run_here(const char *path, const struct kit_test *test, struct kit_outcome *outcome)
{
    static struct kit kit; /* not on the stack, which longjmp may leave in disorder */

    memset(&kit, 0, sizeof kit);
    kit.path = path;
    kit.provider = options.provider;
    kit.outcome = outcome;
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

static void judge_end(struct kit_outcome *outcome, int status)
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

static void run_apart(const char *path, const struct kit_test *test, struct kit_outcome *shared)
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
        run_here(path, test, shared);
        fflush(NULL);
        _exit(0);
    }
    if (child < 0) {
        shared->verdict = KIT_DIED;
        snprintf(shared->text, sizeof shared->text, "no process for it: %s", strerror(errno));
    } else if (wait_for(child, options.limit, &status)) {
        judge_end(shared, status);
    } else {
        shared->verdict = KIT_TOO_LONG;
        snprintf(shared->text, sizeof shared->text, "not done after %g seconds", options.limit);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static void run_test(const char *path, struct result *result, struct kit_outcome *shared)
{
    double start = seconds();

    memset(shared, 0, sizeof *shared);
    if (options.in_process)
        run_here(path, result->test, shared);
    else
        run_apart(path, result->test, shared);
    result->outcome = *shared;
    result->outcome.text[sizeof result->outcome.text - 1] = '\0';
    result->seconds = seconds() - start;
    result->was_run = true;
}

/* ---- all tests ------------------------------------------------------------------------------- */

static bool is_wanted(const struct kit_group *group, const struct kit_test *test)
{
    return !options.only || fnmatch(options.only, test->id, 0) == 0 ||
           fnmatch(options.only, group->name, 0) == 0;
}

/* FILE-01 comes first, wanted or not: without it there is nothing to test. */
static size_t choose(struct result *results)
{
    size_t n = 0;

    for (size_t g = 0; kit_groups[g]; g++) {
        for (size_t t = 0; t < kit_groups[g]->n; t++) {
            const struct kit_test *test = &kit_groups[g]->tests[t];

            if (g + t > 0 && !is_wanted(kit_groups[g], test))
                continue;
            if (results)
                results[n] = (struct result){.group = kit_groups[g], .test = test};
            n++;
        }
    }
    return n;
}

static int list(void)
{
    for (size_t g = 0; kit_groups[g]; g++) {
        for (size_t t = 0; t < kit_groups[g]->n; t++) {
            const struct kit_test *test = &kit_groups[g]->tests[t];

            if (is_wanted(kit_groups[g], test))
                printf("%-17s  %s\n                   see: %s\n", test->id, test->title,
                       test->clause);
        }
    }
    return 0;
}

static int write_to(const char *path, const struct report *report,
                    void (*write)(FILE *out, const struct report *report))
{
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");

    if (!out) {
        fprintf(stderr, "backplane-check: error: %s: %s\n", path, strerror(errno));
        return USAGE;
    }
    write(out, report);
    if ((out == stdout ? fflush(out) : fclose(out)) != 0) {
        fprintf(stderr, "backplane-check: error: %s: %s\n", path, strerror(errno));
        return USAGE;
    }
    return 0;
}

static int check(const char *path)
{
    struct report report = {.file = path, .n = choose(NULL)};
    struct kit_outcome *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool has_text = !options.json || strcmp(options.json, "-") != 0;
    int level;

    report.results = calloc(report.n, sizeof *report.results);
    if (!report.results || shared == MAP_FAILED) {
        fprintf(stderr, "backplane-check: error: no memory\n");
        return USAGE;
    }
    choose(report.results);
    read_build_id(path, report.build_id);
    for (size_t i = 0; i < report.n; i++) {
        run_test(path, &report.results[i], shared);
        if (has_text)
            report_line(stdout, &report.results[i], options.quiet);
        if (report_level(&report) == 2)
            break;
    }
    level = report_level(&report);
    if (has_text)
        report_summary(stdout, &report);
    if (options.json && write_to(options.json, &report, report_json) != 0)
        level = USAGE;
    if (options.junit && write_to(options.junit, &report, report_junit) != 0)
        level = USAGE;
    free(report.results);
    munmap(shared, sizeof *shared);
    return level;
}

/* ---- command line ---------------------------------------------------------------------------- */

static bool read_limit(const char *text)
{
    char *end;

    options.limit = strtod(text, &end);
    return end != text && !*end && options.limit > 0 && options.limit < 1e6;
}

/* -1: go on; else the exit status. */
static int read_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"only", required_argument, NULL, 'o'},
        {"provider", required_argument, NULL, 'p'},
        {"timeout", required_argument, NULL, 't'},
        {"in-process", no_argument, NULL, 'i'},
        {"json", required_argument, NULL, 'j'},
        {"junit", required_argument, NULL, 'u'},
        {"list", no_argument, NULL, 'l'},
        {"quiet", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {NULL, 0, NULL, 0},
    };
    int c;

    while ((c = getopt_long(argc, argv, "qhV", known, NULL)) != -1) {
        switch (c) {
        case 'o':
            options.only = optarg;
            break;
        case 'p':
            options.provider = optarg;
            break;
        case 't':
            if (!read_limit(optarg)) {
                fprintf(stderr, "backplane-check: error: '%s' is no number of seconds\n", optarg);
                return USAGE;
            }
            break;
        case 'i':
            options.in_process = true;
            break;
        case 'j':
            options.json = optarg;
            break;
        case 'u':
            options.junit = optarg;
            break;
        case 'l':
            options.list = true;
            break;
        case 'q':
            options.quiet = true;
            break;
        case 'h':
            fputs(help, stdout);
            return 0;
        case 'V':
            printf("backplane-check %s, ABI %u.%u\n", KIT_VERSION, BP_ABI_MAJOR, BP_ABI_MINOR);
            return 0;
        default:
            fputs("Try backplane-check --help\n", stderr);
            return USAGE;
        }
    }
    return -1;
}

int main(int argc, char **argv)
{
    char path[PATH_MAX];
    int status = read_options(argc, argv);

    if (status >= 0)
        return status;
    if (options.only && choose(NULL) == 1 && !is_wanted(&kit_file, &kit_file.tests[0])) {
        fprintf(stderr, "backplane-check: error: no test is called '%s'; see --list\n",
                options.only);
        return USAGE;
    }
    if (options.list)
        return list();
    if (optind + 1 != argc) {
        fputs("backplane-check: error: one FILE.so is needed; try --help\n", stderr);
        return USAGE;
    }
    if (!realpath(argv[optind], path)) {
        fprintf(stderr, "backplane-check: error: %s: %s\n", argv[optind], strerror(errno));
        return 2;
    }
    return check(path);
}
