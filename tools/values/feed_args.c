/* SPDX-License-Identifier: MIT */
/* feed_args.c - the options that say what is fed, and whether the model has what they name. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "values/feed.h"

static const struct arg_spec feed_specs[] = {
    {.name = "input",
     .letter = 'i',
     .kind = ARG_LIST,
     .value = "NAME=FILE",
     .at = offsetof(struct feed_args, inputs),
     .help = "Feed an input from a .npy file, a .pb file (ONNX TensorProto), or else from raw "
             "bytes. Inputs that are not named get random values."},
    {.name = "shape",
     .kind = ARG_LIST,
     .value = "NAME=1x3x224x224",
     .at = offsetof(struct feed_args, shapes),
     .help = "Shape of an input that is random or raw."},
    {.name = "seed",
     .kind = ARG_COUNT,
     .value = "N",
     .at = offsetof(struct feed_args, seed),
     .help = "Seed of random values (default 0). Floating-point inputs get values from 0 up "
             "to 1, integers and bools 0 or 1."},
};

struct arg_group feed_group(struct feed_args *args)
{
    return (struct arg_group){"Inputs", feed_specs, sizeof feed_specs / sizeof feed_specs[0], args};
}

void feed_args_finish(struct feed_args *args)
{
    arg_list_finish(&args->inputs);
    arg_list_finish(&args->shapes);
}

/* The empty text is the shape of a scalar, rank 0. */
bool feed_parse_shape(const char *text, int64_t *dims, uint32_t cap, uint32_t *rank)
{
    *rank = 0;
    while (*text) {
        size_t length = strcspn(text, "x");
        char part[24];
        uint64_t value;

        if (*rank == cap || length >= sizeof part)
            return false;
        memcpy(part, text, length);
        part[length] = '\0';
        if (!arg_count(part, INT64_MAX, &value))
            return false;
        dims[(*rank)++] = (int64_t)value;
        text += length;
        if (*text && !*++text)
            return false; /* an x at the end */
    }
    return true;
}

/* The last one given counts, as with options elsewhere. */
const char *feed_find(const struct arg_list *list, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = list->n; i > 0; i--) {
        const char *item = list->items[i - 1];

        if (strncmp(item, name, length) == 0 && item[length] == '=')
            return item + length + 1;
    }
    return NULL;
}

/*
 * Does an input have the name that `item`, "name=...", starts with? Names may hold '='
 * themselves.
 */
static bool names_input(const bp_session *session, const char *item)
{
    for (uint32_t i = 0; i < bp_session_input_count(session); i++) {
        bp_io_info io = {.struct_size = sizeof io};

        if (bp_session_input(session, i, &io, NULL) >= 0 &&
            strncmp(item, io.name, strlen(io.name)) == 0 && item[strlen(io.name)] == '=')
            return true;
    }
    return false;
}

/* Every --input and --shape must name an input; the library's words know the nearest. */
static int check_names(struct cli *cli, const bp_session *session, const char *option,
                       const struct arg_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        size_t length = strcspn(list->items[i], "=");
        char *name;
        uint32_t index;
        bp_rc rc;

        if (!list->items[i][length])
            return cli_fail(cli, CLI_USAGE, "%s %s: is not NAME=VALUE", option, list->items[i]);
        if (names_input(session, list->items[i]))
            continue;
        name = xstrdup(list->items[i]);
        name[length] = '\0';
        rc = bp_session_find_input(session, name, &index, &cli->err);
        free(name);
        if (rc < 0)
            return cli_fail_rc(cli, CLI_USAGE, rc);
    }
    return CLI_OK;
}

int feed_check_args(struct cli *cli, const bp_session *session, const struct feed_args *args)
{
    int code = check_names(cli, session, "--input", &args->inputs);

    if (code == CLI_OK)
        code = check_names(cli, session, "--shape", &args->shapes);
    return code;
}
