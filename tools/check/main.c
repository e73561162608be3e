/* SPDX-License-Identifier: MIT */
/* main.c - backplane-check: runs the conformance kit on a plug-in, each test in its own process. */

#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "check/apart.h"
#include "check/cases/case.h"
#include "check/coverage.h"
#include "check/group_onnx.h"
#include "check/process/sanitizer.h"
#include "check/random/find.h"

enum { USAGE = 4, LIMIT_SECONDS = 60, ROUNDS = 100, MAX_GIVEN = 64 };

const struct kit_group *const kit_groups[] = {
    &kit_file,     &kit_abi,        &kit_probe,        &kit_options, &kit_capability,
    &kit_numerics, &kit_weights,    &kit_run,          &kit_cancel,  &kit_state,
    &kit_process,  &kit_device,     &kit_shapes,       &kit_cache,   &kit_life,
    &kit_docs,     &kit_onnx_group, &kit_random_group, &kit_fuzz,    NULL,
};

static struct {
    const char *only, *json, *junit, *onnx_tests, *reference;
    bool quiet, verbose, list, fuzz, has_seed;
    struct kit_given given[MAX_GIVEN];
    struct manner manner; /* of running tests */
} options = {.manner = {.limit = LIMIT_SECONDS, .rounds = ROUNDS}};

static const char help[] =
    "Usage: backplane-check [OPTION]... FILE.so\n"
    "\n"
    "Holds a provider plug-in to the rules of <bp/abi.h>. Each test runs in a process of its own.\n"
    "\n"
    "  --only GLOB      Only tests whose id or group matches: 'BPK-ABI-*', RUN.\n"
    "  --provider NAME  The provider of that short name; default: the first of the file.\n"
    "  --option K=V     Gives option K of the provider that value in all tests; any number of "
    "times.\n"
    "  --device-fault N=V  Variable of the environment with which the device fails, for\n"
    "                   BPK-DEVICE-08; libbp-sim needs none.\n"
    "  --timeout S      Seconds that a test may take. Default: 60.\n"
    "  --fuzz SEED      Also the group FUZZ: unusual inputs, made from this seed and those after "
    "it.\n"
    "  --rounds N       As many of them, each in a process of its own. Default: 100.\n"
    "  --onnx-tests DIR Also the group ONNX: the ONNX project's tests of operators, in DIR or "
    "below.\n"
    "  --reference P    Also the group RANDOM: random graphs of what the provider takes, compared "
    "with\n"
    "                   provider P, such as cpu; a short name, or a file.\n"
    "  --seed N         The first seed of RANDOM; without it the time gives one. Without "
    "--reference the\n"
    "                   results are compared with the kit's own alone.\n"
    "  --in-process     All in this process, for a debugger.\n"
    "  --json FILE      Write the results as JSON; '-' is standard output.\n"
    "  --junit FILE     Write the results as JUnit's XML.\n"
    "  --list           Print the tests with the clauses that they cite.\n"
    "  --quiet          Print only what is wrong.\n"
    "  --verbose        Also list the cases that the provider refuses, with its words.\n"
    "  --help           Say this.\n"
    "  --version        Say the version of the kit and of the ABI.\n"
    "\n"
    "Exit status: 0 conformant, 1 a test failed, 2 not loadable, 3 warnings only, 4 wrong usage,\n"
    "5 nothing was tested, because no case ran.\n";

/* ---- all tests ------------------------------------------------------------------------------- */

static bool is_wanted(const struct kit_group *group, const struct kit_test *test)
{
    if ((group == &kit_fuzz && !options.fuzz) ||
        (group == &kit_onnx_group && !options.onnx_tests) ||
        (group == &kit_random_group && !options.reference && !options.has_seed))
        return false;
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

/* Has the provider the options that are given? Asked apart, for to know that it is opened. */
static bool has_options(const char *path, struct kit_outcome *shared)
{
    static const struct kit_test test = {"", "", "", kit_check_given};
    struct result result = {.group = &kit_options, .test = &test};

    if (options.manner.n_given == 0)
        return true;
    run_test(path, &options.manner, &result, shared);
    if (result.outcome.verdict != KIT_WARN)
        return true; /* what else is wrong with the file, the tests will tell */
    fprintf(stderr, "backplane-check: error: --option: %s\n", result.outcome.text);
    return false;
}

/* Apart as well; the child prints. */
static void list_refused(const char *path, struct kit_outcome *shared)
{
    static const struct kit_test test = {"", "", "", kit_list_refused};
    struct result result = {.group = &kit_capability, .test = &test};

    fflush(stdout);
    run_test(path, &options.manner, &result, shared);
}

/* Operators that the provider declares, for coverage; apart, too. */
static void list_declared(const char *path, struct kit_outcome *shared)
{
    static const struct kit_test test = {"", "", "", kit_declare_operators};
    struct result result = {.group = &kit_capability, .test = &test};

    run_test(path, &options.manner, &result, shared);
}

/*
 * Did the plug-in hang in a call that each test begins with? Then one test has shown it, and each of
 * the others would take as long.
 */
static bool is_stuck(const struct result *result)
{
    return result->outcome.verdict == KIT_TOO_LONG && result->outcome.stage != KIT_BEYOND;
}

/* Runs the tests, up to one that shows that the others cannot run. */
static void run_all(const char *path, struct report *report, struct kit_outcome *shared,
                    bool has_text)
{
    for (size_t i = 0; i < report->n; i++) {
        run_test(path, &options.manner, &report->results[i], shared);
        if (has_text)
            report_line(stdout, &report->results[i], options.quiet);
        if (is_stuck(&report->results[i]))
            report->stopped = report->results[i].test->id;
        if (report->stopped || report_level(report) == 2)
            break;
    }
    if (has_text && options.verbose && !report->stopped && report_level(report) != 2)
        list_refused(path, shared);
}

static int check(const char *path)
{
    struct report report = {.file = path, .n = choose(NULL), .is_whole = !options.only};
    struct kit_outcome *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool has_text = !options.json || strcmp(options.json, "-") != 0;
    int level;

    report.results = calloc(report.n, sizeof *report.results);
    if (!report.results || shared == MAP_FAILED) {
        fprintf(stderr, "backplane-check: error: no memory\n");
        return USAGE;
    }
    if (!has_options(path, shared)) {
        free(report.results);
        munmap(shared, sizeof *shared);
        return USAGE;
    }
    choose(report.results);
    read_build_id(path, report.build_id);
    kit_coverage_begin();
    run_all(path, &report, shared, has_text);
    list_declared(path, shared);
    level = report_level(&report);
    if (has_text)
        report_summary(stdout, &report, options.quiet);
    if (options.json && write_to(options.json, &report, report_json) != 0)
        level = USAGE;
    if (options.junit && write_to(options.junit, &report, report_junit) != 0)
        level = USAGE;
    kit_coverage_end();
    free(report.results);
    munmap(shared, sizeof *shared);
    return level;
}

/* ---- command line ---------------------------------------------------------------------------- */

static bool read_limit(const char *text)
{
    char *end;

    options.manner.limit = strtod(text, &end);
    return end != text && !*end && options.manner.limit > 0 && options.manner.limit < 1e6;
}

/* NAME=VALUE; the text is the command line's and stays. */
static bool add_given(char *text)
{
    struct manner *manner = &options.manner;
    char *equals = strchr(text, '=');

    if (!equals || equals == text) {
        fprintf(stderr, "backplane-check: error: --option %s: it is NAME=VALUE\n", text);
        return false;
    }
    if (manner->n_given == MAX_GIVEN) {
        fprintf(stderr, "backplane-check: error: more than %d options\n", MAX_GIVEN);
        return false;
    }
    *equals = '\0';
    options.given[manner->n_given++] = (struct kit_given){text, equals + 1};
    manner->given = options.given;
    return true;
}

/* The same of --device-fault. */
static bool set_device_fault(char *text)
{
    char *equals = strchr(text, '=');

    if (!equals || equals == text) {
        fprintf(stderr, "backplane-check: error: --device-fault %s: it is NAME=VALUE\n", text);
        return false;
    }
    *equals = '\0';
    options.manner.fault = (struct kit_given){text, equals + 1};
    return true;
}

/* Of --fuzz, --seed and --rounds. */
static bool read_number(const char *text, uint32_t low, uint32_t *out)
{
    unsigned long n;
    char *end;

    errno = 0;
    n = strtoul(text, &end, 10);
    if (end == text || *end || errno || text[0] == '-' || n < low || n > UINT32_MAX) {
        fprintf(stderr, "backplane-check: error: '%s' is not a number from %u to %u\n", text,
                (unsigned)low, (unsigned)UINT32_MAX);
        return false;
    }
    *out = (uint32_t)n;
    return true;
}

static const struct option known[] = {
    {"only", required_argument, NULL, 'o'},
    {"provider", required_argument, NULL, 'p'},
    {"option", required_argument, NULL, 'O'},
    {"device-fault", required_argument, NULL, 'd'},
    {"timeout", required_argument, NULL, 't'},
    {"fuzz", required_argument, NULL, 'f'},
    {"rounds", required_argument, NULL, 'r'},
    {"onnx-tests", required_argument, NULL, 'x'},
    {"reference", required_argument, NULL, 'R'},
    {"seed", required_argument, NULL, 's'},
    {"in-process", no_argument, NULL, 'i'},
    {"json", required_argument, NULL, 'j'},
    {"junit", required_argument, NULL, 'u'},
    {"list", no_argument, NULL, 'l'},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {"verbose", no_argument, NULL, 'v'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

/* -1: go on; else the exit status. */
static int read_options(int argc, char **argv)
{
    int c;

    while ((c = getopt_long(argc, argv, "qvhV", known, NULL)) != -1) {
        switch (c) {
        case 'o':
            options.only = optarg;
            break;
        case 'p':
            options.manner.provider = optarg;
            break;
        case 'O':
            if (!add_given(optarg))
                return USAGE;
            break;
        case 'd':
            if (!set_device_fault(optarg))
                return USAGE;
            break;
        case 't':
            if (!read_limit(optarg)) {
                fprintf(stderr, "backplane-check: error: '%s' is not a number of seconds\n",
                        optarg);
                return USAGE;
            }
            break;
        case 'f':
            if (!read_number(optarg, 0, &options.manner.seed))
                return USAGE;
            options.fuzz = true;
            break;
        case 'r':
            if (!read_number(optarg, 1, &options.manner.rounds))
                return USAGE;
            break;
        case 'x':
            options.onnx_tests = optarg;
            break;
        case 'R':
            options.reference = optarg;
            break;
        case 's':
            if (!read_number(optarg, 0, &options.manner.random_seed))
                return USAGE;
            options.has_seed = true;
            break;
        case 'i':
            options.manner.in_process = true;
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
        case 'v':
            options.verbose = true;
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

/*
 * The path from the root, with its links, as hosts hand it to plug-ins: what belongs to one lies
 * beside the link.
 */
static bool find_file(const char *file, char out[PATH_MAX])
{
    size_t n = 0;

    if (access(file, R_OK) != 0)
        return false;
    if (file[0] != '/') {
        if (!getcwd(out, PATH_MAX))
            return false;
        n = strlen(out);
        out[n++] = '/';
    }
    if (n + strlen(file) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(out + n, file, strlen(file) + 1);
    return true;
}

/* The file that --reference names, and a seed, if none is given. */
static bool set_reference(const char *plugin)
{
    static char file[PATH_MAX];

    if (!kit_find_reference(options.reference, plugin, file)) {
        fprintf(stderr,
                "backplane-check: error: --reference %s: there is no such provider; "
                "BACKPLANE_PROVIDER_PATH may name its folder\n",
                options.reference);
        return false;
    }
    options.manner.reference = file;
    if (!options.has_seed)
        options.manner.random_seed = (uint32_t)time(NULL) % 1000000;
    return true;
}

int main(int argc, char **argv)
{
    char path[PATH_MAX];
    int status = read_options(argc, argv);

    kit_cases_read();
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
    if (!find_file(argv[optind], path)) {
        fprintf(stderr, "backplane-check: error: %s: %s\n", argv[optind], strerror(errno));
        return 2;
    }
    if (!sanitizer_restart(path, argv))
        return 2;
    if (options.reference && !set_reference(path))
        return USAGE;
    if (options.onnx_tests && !kit_onnx_find(options.onnx_tests))
        return USAGE;
    options.manner.shows_progress = options.quiet || isatty(2);
    return check(path);
}
