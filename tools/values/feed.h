/* SPDX-License-Identifier: MIT */
/* feed.h - tensors for a session's inputs: from files, or random in the shapes that are wanted. */
#ifndef BP_TOOLS_FEED_H
#define BP_TOOLS_FEED_H

#include "lib/cli.h"

struct feed_args {
    struct arg_list inputs; /* "name=FILE" */
    struct arg_list shapes; /* "name=1x3x224x224" */
    uint64_t seed;
};

struct arg_group feed_group(struct feed_args *args);
void feed_args_finish(struct feed_args *args);

struct feed {
    bp_binding *bindings;
    char **sources; /* one a binding: "x.npy", "random, seed 0" */
    uint32_t n;
};

/*
 * A tensor for each input that is named or must be fed. Free dimensions of random ones are as --dim
 * and --shape say, 1 where they say nothing. Prints what fails; returns an exit code.
 */
int feed_make(struct cli *cli, const bp_session *session, const struct feed_args *args,
              struct feed *out);
void feed_finish(struct feed *feed);
/* Lists the inputs on standard output. */
void feed_print(const struct cli *cli, const bp_session *session, const struct feed *feed);

/* "1x3x224" to sizes; dims holds `cap`. False: no such thing. "" is rank 0. */
bool feed_parse_shape(const char *text, int64_t *dims, uint32_t cap, uint32_t *rank);

/* Do --input, --shape and --dim name what the session has? Prints if not; returns an exit code. */
int feed_check_args(struct cli *cli, const bp_session *session, const struct feed_args *args);

/* A "name=value" of a list whose name is `name`: the value, or NULL. The last one counts. */
const char *feed_find(const struct arg_list *list, const char *name);

#endif
