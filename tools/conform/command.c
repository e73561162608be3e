/* SPDX-License-Identifier: MIT */
/* command.c - `backplane conform`: runs directories of ONNX test data, each in its own process. */

#include "config.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conform/conform.h"

static const struct arg_spec specs[] = {
    {.name = "jobs",
     .letter = 'j',
     .kind = ARG_COUNT,
     .value = "N",
     .min = 1,
     .max = 1024,
     .at = offsetof(struct conform_args, jobs),
     .help = "Tests to run at a time (default: as many as the process may use CPUs)."},
    {.name = "timeout",
     .kind = ARG_NUMBER,
     .value = "SECONDS",
     .at = offsetof(struct conform_args, suite.timeout),
     .help = "Limit for each test (default 60); 0: none."},
    {.name = "memory",
     .kind = ARG_COUNT,
     .value = "MIB",
     .min = 0,
     .max = 1 << 30,
     .at = offsetof(struct conform_args, memory),
     .help = "Address space that a test may take; 0, the default: no limit."},
    {.name = "expect",
     .kind = ARG_TEXT,
     .value = "FILE",
     .at = offsetof(struct conform_args, expect),
     .help =
         "Tests that are known to fail: a line for each, its name and the reason. They are printed "
         "as known, and one that passes is a failure unless its line begins with ~."},
    {.name = "rtol",
     .kind = ARG_NUMBER,
     .value = "X",
     .at = offsetof(struct conform_args, suite.tolerance.relative),
     .help = "Relative tolerance of floating-point comparisons (default 1e-3, as ONNX has it)."},
    {.name = "atol",
     .kind = ARG_NUMBER,
     .value = "X",
     .at = offsetof(struct conform_args, suite.tolerance.absolute),
     .help = "Absolute tolerance (default 1e-7). Integers are compared exactly."},
    {.name = "constant-inputs",
     .kind = ARG_FLAG,
     .at = offsetof(struct conform_args, suite.has_constant_inputs),
     .help =
         "Give the model all inputs but the first as initializers, as models have their weights."},
    {.name = "threads",
     .kind = ARG_COUNT,
     .value = "N",
     .min = 0,
     .max = 4096,
     .at = offsetof(struct conform_args, suite.threads),
     .help = "Threads that a test computes with (default: the CPUs divided by the jobs, at least "
             "2)."},
    {.name = "report",
     .kind = ARG_FLAG,
     .at = offsetof(struct conform_args, suite.has_report),
     .help = "Say of each test who ran how many nodes."},
    {.name = "list-failures",
     .kind = ARG_FLAG,
     .at = offsetof(struct conform_args, list_failures),
     .help = "List those that failed once more at the end, as --expect reads them."},
    {.name = "junit",
     .kind = ARG_TEXT,
     .value = "FILE",
     .at = offsetof(struct conform_args, junit),
     .help = "Write the outcomes there, as JUnit's XML."},
    {.name = "json",
     .kind = ARG_FLAG,
     .at = offsetof(struct conform_args, is_json),
     .help = "Print JSON."},
};

static const char about[] =
    "Runs tests in the ONNX project's layout: a directory with model.onnx, and in each\n"
    "test_data_set_* the files input_N.pb and output_N.pb. DIR is a test or holds tests, at any\n"
    "depth. Each runs in a process of its own; one line is printed for each, then a summary.\n"
    "Providers that are named must be usable. With '--fallback require' a test is skipped when a\n"
    "named provider takes no node of it.";

/* The providers that are named are there; tried in a process of its own, for plug-ins leave threads. */
static int check_providers(struct cli *cli, const struct load_args *args)
{
    bp_session_options *options = NULL;
    char *names = xstrdup(args->providers ? args->providers : "cpu"), *rest = names, *name;
    int code = cli_open(cli);

    if (code == CLI_OK)
        code = load_options(cli, args, &options);
    while (code == CLI_OK && (name = strsep(&rest, ",")) != NULL) {
        bp_rc rc = bp_env_is_available(cli->env, name, &cli->err);

        code = rc < 0 ? cli_fail_rc(cli, CLI_PROVIDER, rc) : CLI_OK;
    }
    bp_session_options_destroy(options);
    cli_finish(cli);
    free(names);
    return code;
}

/*
 * A plug-in that crashes or leaves threads behind does so in the child, so this process can go on
 * to fork.
 */
static int check_in_child(struct cli *cli, const struct load_args *args)
{
    int status;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0)
        exit(check_providers(cli, args));
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return cli_fail(cli, CLI_RUN, "no process to try the providers in: %m");
    if (WIFSIGNALED(status))
        return cli_fail(cli, CLI_PROVIDER, "a provider crashed (signal %d) when it was opened",
                        WTERMSIG(status));
    return WEXITSTATUS(status);
}

/* Those that the process may use, fewer than the machine has in a container. */
static uint64_t count_cpus(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint64_t)CPU_COUNT(&set) : 1;
}

/* Tests share the processors. Each has at least two threads, so that parallel code is tested. */
static void set_defaults(struct conform_args *args)
{
    uint64_t cpus = count_cpus();

    if (args->jobs == 0)
        args->jobs = cpus;
    if (args->suite.threads == 0)
        args->suite.threads = cpus / args->jobs > 2 ? cpus / args->jobs : 2;
}

/* The code that all failures share, or that of a difference. */
static int failure_code(const struct conform *c)
{
    int code = CLI_OK;

    for (size_t i = 0; i < c->n; i++) {
        const struct test *test = &c->tests[i];

        if (test->outcome == FAILED)
            code = code == CLI_OK || code == test->verdict.code ? test->verdict.code : CLI_DIFFERS;
    }
    return code;
}

/* The file of --junit is written although tests failed: a CI server shows it then. */
static int run_tests(struct conform *c)
{
    int code;

    conform_begin(c);
    code = conform_run(c);
    conform_end(c);
    if (code == CLI_OK && c->args->junit)
        code = conform_junit(c);
    return code == CLI_OK ? failure_code(c) : code;
}

/* The verdicts and texts of all tests are freed here, whoever filled them in. */
static int conform(struct cli *cli, const struct conform_args *args,
                   const struct arg_list *operands)
{
    struct conform c = {.cli = cli, .args = args};
    int code = args->expect ? known_read(cli, args->expect, &c.known) : CLI_OK;

    for (size_t i = 0; code == CLI_OK && i < operands->n; i++)
        code = conform_find(&c, operands->items[i]);
    if (code == CLI_OK)
        code = check_in_child(cli, &args->suite.load);
    if (code == CLI_OK)
        code = run_tests(&c);
    for (size_t i = 0; i < c.n; i++) {
        free(c.tests[i].dir);
        free(c.tests[i].name);
        free(c.tests[i].output);
        verdict_finish(&c.tests[i].verdict);
    }
    free(c.tests);
    known_finish(&c.known);
    return code;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct conform_args args = {
        .suite = {.tolerance = {.relative = 1e-3, .absolute = 1e-7}, .timeout = 60}};
    const struct arg_group groups[] = {
        {"Options", specs, sizeof specs / sizeof specs[0], &args},
        load_group(&args.suite.load),
        cli_group(cli),
    };
    const struct arg_command command = {.name = "conform",
                                        .operands = "DIR...",
                                        .about = about,
                                        .groups = groups,
                                        .n_groups = sizeof groups / sizeof groups[0],
                                        .min_operands = 1,
                                        .max_operands = SIZE_MAX};
    struct arg_list operands = {0};
    int code = args_parse(cli, &command, argc, argv, &operands);

    if (code == ARGS_GO) {
        set_defaults(&args);
        cli->threads = (uint32_t)args.suite.threads;
        code = conform(cli, &args, &operands);
    }
    arg_list_finish(&operands);
    load_args_finish(&args.suite.load);
    return code;
}

const struct command cmd_conform = {"conform", "Run ONNX's test data, each test in its own process",
                                    run};
