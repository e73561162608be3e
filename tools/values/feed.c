/* SPDX-License-Identifier: MIT */
/* feed.c - tensors for a session's inputs: from files, or random in the shapes that are wanted. */

#include "config.h"

#include "values/feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/table.h"
#include "lib/text.h"
#include "values/file.h"
#include "values/value.h"

enum { RANK_MAX = 32 };

/* The shape for an input that comes without one: --shape, else the session's, else 1. */
static int choose_shape(const struct cli *cli, const bp_io_info *io, const struct feed_args *args,
                        int64_t dims[RANK_MAX], uint32_t *rank)
{
    const char *shape = feed_find(&args->shapes, io->name);

    if (shape) {
        if (!feed_parse_shape(shape, dims, RANK_MAX, rank))
            return cli_fail(cli, CLI_USAGE, "--shape %s=%s: is not sizes with x between them",
                            io->name, shape);
        return CLI_OK;
    }
    if (io->rank == BP_RANK_UNKNOWN || io->rank > RANK_MAX)
        return cli_fail(cli, CLI_USAGE,
                        "input %s: the model does not say its shape; give --shape %s=AxBxC",
                        io->name, io->name);
    *rank = io->rank;
    for (uint32_t i = 0; i < io->rank; i++)
        dims[i] = io->dims[i].value >= 0 ? io->dims[i].value : 1;
    return CLI_OK;
}

/* Is the shape of an input known without --shape? Then raw bytes may have it. */
static bool is_fixed(const bp_io_info *io)
{
    for (uint32_t i = 0; io->rank != BP_RANK_UNKNOWN && i < io->rank; i++) {
        if (io->dims[i].value < 0 && !io->dims[i].symbol)
            return false;
    }
    return io->rank != BP_RANK_UNKNOWN;
}

/* The file's own shape counts where it has one; the model's is needed for raw bytes only. */
static int feed_file(struct cli *cli, const bp_io_info *io, const struct feed_args *args,
                     const char *path, bp_tensor *out)
{
    int64_t dims[RANK_MAX];
    struct tensor_want want = {.dtype = io->dtype};
    bp_rc rc;

    if (is_fixed(io) || feed_find(&args->shapes, io->name)) {
        int code = choose_shape(cli, io, args, dims, &want.rank);

        if (code != CLI_OK)
            return code;
        want.dims = dims;
    }
    rc = tensor_read(path, &want, out, &cli->err);
    if (rc < 0)
        return cli_fail(cli, rc == BP_E_NOMEM ? CLI_RUN : CLI_USAGE, "input %s: %s", io->name,
                        cli->words);
    return CLI_OK;
}

/* Values of files and random values are dense. */
static int refuse_sparse(struct cli *cli, const bp_io_info *io)
{
    return cli_fail(cli, CLI_USAGE, "input %s: a sparse tensor can only be fed by a program",
                    io->name);
}

/*
 * Inputs draw from one sequence, in their order, so a seed gives the same values on every
 * machine.
 */
static int feed_random(struct cli *cli, const bp_io_info *io, const struct feed_args *args,
                       uint64_t *state, bp_tensor *out)
{
    int64_t dims[RANK_MAX];
    uint32_t rank;
    bp_rc rc;
    int code;

    if (!value_is_number(io->dtype))
        return cli_fail(cli, CLI_USAGE, "input %s: there are no random values of its type, %s; %s",
                        io->name, bp_dtype_name(io->dtype), "give a file with --input");
    code = choose_shape(cli, io, args, dims, &rank);
    if (code != CLI_OK)
        return code;
    rc = bp_tensor_alloc(io->dtype, dims, rank, out, &cli->err);
    if (rc >= 0)
        rc = value_fill_random(out, state, &cli->err);
    if (rc < 0)
        return cli_fail(cli, rc == BP_E_NOMEM ? CLI_RUN : CLI_USAGE, "input %s: %s", io->name,
                        cli->words);
    return CLI_OK;
}

/* Adds the tensor of input i, if it needs one. */
static int feed_input(struct cli *cli, const bp_session *session, uint32_t i,
                      const struct feed_args *args, uint64_t *state, struct feed *feed)
{
    bp_binding *binding = &feed->bindings[feed->n];
    bp_io_info io = {.struct_size = sizeof io};
    bp_rc rc = bp_session_input(session, i, &io, &cli->err);
    struct bp_text source = {0};
    const char *path;
    int code;

    if (rc < 0)
        return cli_fail_rc(cli, CLI_RUN, rc);
    path = feed_find(&args->inputs, io.name);
    if (!path && io.flags & BP_IO_OPTIONAL)
        return CLI_OK;
    if (io.type->kind == BP_KIND_SPARSE)
        return refuse_sparse(cli, &io);
    code = path ? feed_file(cli, &io, args, path, &binding->tensor)
                : feed_random(cli, &io, args, state, &binding->tensor);
    if (path)
        text_put(&source, path);
    else
        text_printf(&source, "random, seed %llu", (unsigned long long)args->seed);
    binding->index = i;
    feed->sources[feed->n++] = xstrdup(text_string(&source));
    text_finish(&source);
    return code;
}

/* On failure everything is released and *out is empty; what failed has been printed. */
int feed_make(struct cli *cli, const bp_session *session, const struct feed_args *args,
              struct feed *out)
{
    uint32_t n = bp_session_input_count(session);
    uint64_t state = args->seed;
    int code = feed_check_args(cli, session, args);

    *out = (struct feed){0};
    out->bindings = xalloc(n, sizeof *out->bindings);
    out->sources = xalloc(n, sizeof *out->sources);
    for (uint32_t i = 0; code == CLI_OK && i < n; i++)
        code = feed_input(cli, session, i, args, &state, out);
    if (code != CLI_OK)
        feed_finish(out);
    return code;
}

void feed_finish(struct feed *feed)
{
    for (uint32_t i = 0; i < feed->n; i++) {
        bp_tensor_free(&feed->bindings[i].tensor);
        free(feed->sources[i]);
    }
    free(feed->bindings);
    free(feed->sources);
    *feed = (struct feed){0};
}

void feed_print(const struct cli *cli, const bp_session *session, const struct feed *feed)
{
    struct table table = {.columns = 3};
    struct bp_text type = {0};

    for (uint32_t i = 0; i < feed->n; i++) {
        bp_io_info io = {.struct_size = sizeof io};

        if (bp_session_input(session, feed->bindings[i].index, &io, NULL) < 0)
            continue;
        text_clear(&type);
        text_tensor_type(&type, &feed->bindings[i].tensor);
        table_add(&table, io.name);
        table_add(&table, text_string(&type));
        table_add_styled(&table, STYLE_DIM, feed->sources[i]);
    }
    if (feed->n)
        printf("%sinputs%s\n", cli_style(cli->colour, STYLE_BOLD),
               cli_style(cli->colour, STYLE_PLAIN));
    table_print(&table, cli, 2, false);
    table_finish(&table);
    text_finish(&type);
}
