/* SPDX-License-Identifier: MIT */
/* load.h - from a model's path and the provider options of a command line to a session. */
#ifndef BP_TOOLS_LOAD_H
#define BP_TOOLS_LOAD_H

#include "lib/cli.h"

/* load_options.c */

/* The options that run, bench and plan share. */
struct load_args {
    char *providers;          /* "a,b"; NULL: the environment's default */
    struct arg_list options;  /* "provider:key=value" */
    struct arg_list devices;  /* "provider=0,2" */
    struct arg_list binds;    /* paths of bind files */
    uint32_t fallback;        /* BP_FALLBACK_* */
    uint32_t level;           /* BP_OPTIMIZE_* */
    struct arg_list disabled; /* names of passes */
    bool is_strict;
    bool has_strict_shapes;
    bool has_newer_opsets;
    struct arg_list shares; /* "provider=share" */
    struct arg_list places; /* placement rules */
    struct arg_list place_files;
    struct arg_list dims; /* "batch=8" */
};

enum { LOAD_OPTIONS = 14 };

/* LOAD_OPTIONS of them. */
struct arg_group load_group(struct load_args *args);
/* The same for commands in which -o is --output; specs has LOAD_OPTIONS rows, which are filled. */
struct arg_group load_group_without_letter(struct load_args *args, struct arg_spec *specs);
void load_args_finish(struct load_args *args);

/* Makes the library's options of ours. Failures are printed; returns an exit code. */
int load_options(struct cli *cli, const struct load_args *args, bp_session_options **out);

/* load.c */

struct loaded {
    bp_model *model;
    bp_session *session;
    double open_seconds, create_seconds;
};

/*
 * Opens a model and makes a session of it, with a progress line on a terminal. On failure *out
 * holds nothing, cli->words the reason, and the result is the exit code for it; nothing is printed.
 */
int load_session(struct cli *cli, const char *path, const struct load_args *args,
                 bp_session_options *options, struct loaded *out);
/* The same with the options of a command line, as load_options() makes them; prints what fails. */
int load_from_args(struct cli *cli, const char *path, const struct load_args *args,
                   struct loaded *out);
void load_finish(struct loaded *loaded);

/* The exit code for an error of making a session or a plan of `model`. */
int load_code(struct cli *cli, const struct load_args *args, bp_model *model, bp_rc rc);

/* The exit code for an error of reading a model. */
int load_model_code(bp_rc rc);

/* Opens a model only; prints what fails. */
int load_model(struct cli *cli, const char *path, bp_model **out);

#endif
