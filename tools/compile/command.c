/* SPDX-License-Identifier: MIT */
/* command.c - `backplane compile`: a model with compiled programs in it, saved. */

#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/load.h"
#include "lib/table.h"
#include "lib/text.h"
#include "optimize/optimize.h"
#include "plan/plan.h"

struct compile_args {
    struct load_args load;
    const char *output, *prefix;
    bool is_embedded, is_external, is_forced, has_report;
};

static const struct arg_spec compile_specs[] = {
    {.name = "output",
     .letter = 'o',
     .kind = ARG_TEXT,
     .value = "FILE",
     .at = offsetof(struct compile_args, output),
     .help = "Where the new model goes. The model itself is never written over."},
    {.name = "embed",
     .kind = ARG_FLAG,
     .at = offsetof(struct compile_args, is_embedded),
     .help = "Put the compiled programs into the model. Without it they are files beside it, whose "
             "names begin as the model's and have a hash in them."},
    {.name = "node-prefix",
     .kind = ARG_TEXT,
     .value = "TEXT",
     .at = offsetof(struct compile_args, prefix),
     .help = "Begin the names of the nodes that stand for programs with this."},
    {.name = "external-data",
     .kind = ARG_FLAG,
     .at = offsetof(struct compile_args, is_external),
     .help = "Put weights that stay in the model, of 1 KiB and more, into a file beside it, "
             "FILE.data."},
    {.name = "force",
     .letter = 'f',
     .kind = ARG_FLAG,
     .at = offsetof(struct compile_args, is_forced),
     .help = "Write over files that are there."},
    {.name = "report",
     .kind = ARG_FLAG,
     .at = offsetof(struct compile_args, has_report),
     .help = "Print what plan prints, and of each group whether its program is in the model."},
};

static const char about[] =
    "Compiles a model for the providers of --providers, and saves it with the programs: each "
    "group\n"
    "of nodes whose provider saves programs becomes one node, EPContext, and a session of the new\n"
    "model loads the program instead of compiling. Only the provider that compiled it, with a "
    "driver\n"
    "that it suits, can run such a node. Groups of other providers stay nodes.";

/* Neither the model itself nor, without --force, a file that is there. */
static int check_target(const struct cli *cli, const struct compile_args *args, const char *in,
                        const char *target)
{
    struct stat a, b;

    if (stat(target, &b) != 0)
        return CLI_OK;
    if (stat(in, &a) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
        return cli_fail(cli, CLI_USAGE, "%s is the model itself: name another file", target);
    if (S_ISDIR(b.st_mode))
        return cli_fail(cli, CLI_USAGE, "%s is a directory: name a file", target);
    if (!args->is_forced)
        return cli_fail(cli, CLI_USAGE, "%s is there already: --force writes over it", target);
    return CLI_OK;
}

/* What a provider said of the first group that it did not save. */
static void put_reasons(struct bp_text *out, const bp_report *report)
{
    for (uint32_t i = 0; i < bp_report_provider_count(report); i++) {
        bp_report_provider by = {.struct_size = sizeof by};
        bool is_told = false;

        if (bp_report_get_provider(report, i, &by, NULL) < 0)
            continue;
        for (uint32_t g = 0; !is_told && g < bp_report_group_count(report); g++) {
            bp_report_group row = {.struct_size = sizeof row};

            if (bp_report_get_group(report, g, &row, NULL) < 0 || row.provider != i || !row.cache)
                continue;
            text_printf(out, "%s%s: %s", out->len ? "; " : "", by.name, row.cache);
            is_told = true;
        }
    }
}

static int fail_empty(const struct cli *cli, const char *in, const bp_report *report)
{
    struct bp_text reasons = {0};
    int code;

    put_reasons(&reasons, report);
    code =
        cli_fail(cli, CLI_FALLBACK,
                 "%s: no group of nodes became a program, so there is nothing to save (%s); name a "
                 "provider that saves programs with --providers",
                 in, reasons.len ? text_string(&reasons) : "no provider compiled a group");
    text_finish(&reasons);
    return code;
}

/* A file that cannot be written is the user's to mend, so BP_E_IO becomes CLI_USAGE. */
static int save(struct cli *cli, const struct compile_args *args, const bp_model *model,
                uint32_t n_programs)
{
    bp_model_info info = {.struct_size = sizeof info};
    struct bp_text words = {0};
    uint64_t size;
    bp_rc rc = bp_model_get_info(model, &info, &cli->err);

    if (rc >= 0)
        rc = optimize_save(model, args->output, args->is_external, &size, &cli->err);
    if (rc < 0)
        return cli_fail_rc(cli, rc == BP_E_IO ? CLI_USAGE : CLI_RUN, rc);
    if (cli->globals.quiet)
        return CLI_OK;
    text_clean(&words, args->output);
    text_printf(&words, ": %" PRIu32 " nodes, %" PRIu32 " of them compiled programs%s, ",
                info.n_nodes, n_programs, args->is_embedded ? "" : " in files beside it");
    text_bytes(&words, size);
    puts(text_string(&words));
    text_finish(&words);
    return CLI_OK;
}

/* Programs go to their files first, so that the model never stands without them. */
static int compile(struct cli *cli, const struct compile_args *args,
                   const bp_session_options *options, const char *in)
{
    const bp_context_config config = {.struct_size = sizeof config,
                                      .flags = args->is_embedded ? BP_CONTEXT_EMBED : 0,
                                      .path = args->output,
                                      .prefix = args->prefix};
    bp_model *from = NULL, *to = NULL;
    bp_report *report = NULL;
    uint32_t n_programs = 0;
    int code = load_model(cli, in, &from);

    if (code == CLI_OK) {
        bp_rc rc = bp_model_compile(cli->env, from, options, &config, &to, &n_programs, &report,
                                    &cli->err);

        if (rc < 0)
            code = cli_fail_rc(
                cli, rc == BP_E_IO ? CLI_USAGE : load_code(cli, &args->load, from, rc), rc);
    }
    if (code == CLI_OK)
        code = to ? save(cli, args, to, n_programs) : fail_empty(cli, in, report);
    if (report && args->has_report) {
        int shown = plan_print(cli, report, false);

        code = code == CLI_OK ? shown : code;
    }
    bp_report_destroy(report);
    bp_model_close(to);
    bp_model_close(from);
    return code;
}

static int start(struct cli *cli, const struct compile_args *args, const char *in)
{
    bp_session_options *options = NULL;
    struct stat st;
    int code = CLI_OK;

    if (stat(in, &st) != 0)
        return cli_fail(cli, CLI_MODEL, "%s: %s", in, strerror(errno));
    if (!args->output)
        return cli_fail(cli, CLI_USAGE, "--output is missing: where is the new model to go?");
    code = check_target(cli, args, in, args->output);
    if (code == CLI_OK)
        code = cli_open(cli);
    if (code == CLI_OK)
        code = load_options(cli, &args->load, &options);
    if (code == CLI_OK)
        code = compile(cli, args, options, in);
    bp_session_options_destroy(options);
    return code;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct compile_args args = {0};
    struct arg_spec shared[LOAD_OPTIONS];
    const struct arg_group groups[] = {
        {"Options", compile_specs, sizeof compile_specs / sizeof compile_specs[0], &args},
        load_group_without_letter(&args.load, shared),
        cli_group(cli),
    };
    const struct arg_command command = {.name = "compile",
                                        .operands = "MODEL",
                                        .about = about,
                                        .groups = groups,
                                        .n_groups = sizeof groups / sizeof groups[0],
                                        .min_operands = 1,
                                        .max_operands = 1};
    struct arg_list operands = {0};
    int code = args_parse(cli, &command, argc, argv, &operands);

    if (code == ARGS_GO)
        code = start(cli, &args, operands.items[0]);
    arg_list_finish(&operands);
    load_args_finish(&args.load);
    return code;
}

const struct command cmd_compile = {"compile", "Save a model with compiled programs, as ONNX", run};
