/* SPDX-License-Identifier: MIT */
/* command.c - `backplane cache`: lists, verifies and clears a directory of compiled programs. */

#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lib/json.h"
#include "lib/table.h"
#include "lib/text.h"

struct cache_args {
    const char *dir;
    uint64_t keep_mib;
    bool is_json;
};

static const struct arg_spec cache_specs[] = {
    {.name = "dir",
     .kind = ARG_TEXT,
     .value = "DIR",
     .at = offsetof(struct cache_args, dir),
     .help = "The cache; without it the directory of BACKPLANE_CACHE_DIR."},
    {.name = "keep",
     .kind = ARG_COUNT,
     .value = "MIB",
     .at = offsetof(struct cache_args, keep_mib),
     .help = "With clear: keep so many MiB of the files that were used last. Without it all go.",
     .max = 1u << 30},
    {.name = "json",
     .kind = ARG_FLAG,
     .at = offsetof(struct cache_args, is_json),
     .help = "Print JSON."},
};

static const char about[] =
    "Shows or clears a cache of compiled programs:\n"
    "  list    each file with its provider, size, time since its last use, model and key\n"
    "  verify  the same after reading all bytes: a file whose checksum is wrong, or that another\n"
    "          user could have written, gives exit code 1; sessions do not use such a file\n"
    "  clear   delete the files; others in the directory stay";

enum action { CACHE_LIST, CACHE_VERIFY, CACHE_CLEAR, CACHE_ACTIONS };
static const char *const actions[CACHE_ACTIONS] = {"list", "verify", "clear"};

/* What is added up while the files are shown. */
struct tally {
    uint32_t n_bad;
    uint64_t bytes;
};

/* A row of the table or of JSON. */
typedef void show_fn(const bp_cache_file *file, void *user);

/* Seconds since the last use; a clock that was set back gives 0. */
static int64_t age_of(const bp_cache_file *file)
{
    int64_t now = (int64_t)time(NULL);

    return file->used < now ? now - file->used : 0;
}

/* In the largest unit of which there is at least one. */
static void add_age(struct table *table, int64_t seconds)
{
    if (seconds < 60)
        table_addf(table, "%" PRId64 " s", seconds);
    else if (seconds < 3600)
        table_addf(table, "%" PRId64 " min", seconds / 60);
    else if (seconds < 86400)
        table_addf(table, "%" PRId64 " h", seconds / 3600);
    else
        table_addf(table, "%" PRId64 " d", seconds / 86400);
}

static void show_row(const bp_cache_file *file, void *user)
{
    struct table *table = user;
    struct bp_text size = {0};

    text_bytes(&size, file->bytes);
    table_add(table, file->provider ? file->provider : "?");
    table_add(table, text_string(&size));
    if (file->provider)
        add_age(table, age_of(file));
    else
        table_add(table, "?");
    table_addf(table, "%.12s", file->file);
    table_add(table, file->model ? file->model : "-");
    table_add(table, file->group ? file->group : "-");
    table_add_styled(table, file->code < 0 ? STYLE_RED : STYLE_DIM,
                     file->code < 0 ? file->reason : "");
    text_finish(&size);
}

/* The key is the file's name without its extension. */
static void show_json(const bp_cache_file *file, void *user)
{
    struct json *json = user;
    struct bp_text key = {0};

    text_add(&key, file->file, strcspn(file->file, "."));
    json_object(json, NULL);
    json_string(json, "key", text_string(&key));
    json_string(json, "file", file->file);
    json_bool(json, "usable", file->code >= 0);
    json_string(json, "reason", file->reason);
    json_string(json, "provider", file->provider);
    json_string(json, "version", file->version);
    json_string(json, "model", file->model);
    json_string(json, "group", file->group);
    json_string(json, "host", file->host);
    json_uint(json, "bytes", file->bytes);
    json_int(json, "age_seconds", age_of(file));
    json_object_end(json);
    text_finish(&key);
}

static bp_rc show_all(bp_cache *cache, bool is_whole, show_fn *show, void *user,
                      struct tally *tally, bp_err *err)
{
    for (uint32_t i = 0; i < bp_cache_count(cache); i++) {
        bp_cache_file file = {.struct_size = sizeof file};
        bp_rc rc = bp_cache_get(cache, i, is_whole, &file, err);

        if (rc < 0)
            return rc;
        show(&file, user);
        tally->bytes += file.bytes;
        tally->n_bad += file.code < 0;
    }
    return BP_OK;
}

static bp_rc print_json(bp_cache *cache, bool is_whole, struct tally *tally, bp_err *err)
{
    struct json json = {.out = stdout};
    bp_rc rc;

    json_object(&json, NULL);
    json_string(&json, "schema", "cache/1");
    json_string(&json, "directory", bp_cache_dir(cache));
    json_bool(&json, "verified", is_whole);
    json_array(&json, "files");
    rc = show_all(cache, is_whole, show_json, &json, tally, err);
    json_array_end(&json);
    json_uint(&json, "bytes", tally->bytes);
    json_uint(&json, "unusable", tally->n_bad);
    json_object_end(&json);
    return rc;
}

/* Says how many files there are, their size, and how many no session would use. */
static void print_sum(bp_cache *cache, const struct tally *tally)
{
    struct bp_text words = {0};

    text_clean(&words, bp_cache_dir(cache));
    text_printf(&words, ": %" PRIu32 " file%s, ", bp_cache_count(cache),
                bp_cache_count(cache) == 1 ? "" : "s");
    text_bytes(&words, tally->bytes);
    if (tally->n_bad > 0)
        text_printf(&words, ", %" PRIu32 " of them unusable: no session reads such a file",
                    tally->n_bad);
    puts(text_string(&words));
    text_finish(&words);
}

static bp_rc print_table(const struct cli *cli, bp_cache *cache, bool is_whole, struct tally *tally,
                         bp_err *err)
{
    static const char *const heads[] = {"provider", "size", "unused for", "key", "model",
                                        "group",    ""};
    struct table table = {.columns = sizeof heads / sizeof heads[0], .right = 1u << 1 | 1u << 2};
    bp_rc rc;

    for (size_t i = 0; i < table.columns; i++)
        table_add(&table, heads[i]);
    rc = show_all(cache, is_whole, show_row, &table, tally, err);
    if (rc >= 0 && bp_cache_count(cache) > 0)
        table_print(&table, cli, 0, true);
    if (rc >= 0)
        print_sum(cache, tally);
    table_finish(&table);
    return rc;
}

static int list(struct cli *cli, const struct cache_args *args, bp_cache *cache, bool is_whole)
{
    struct tally tally = {0};
    bp_rc rc = args->is_json ? print_json(cache, is_whole, &tally, &cli->err)
                             : print_table(cli, cache, is_whole, &tally, &cli->err);

    if (rc < 0)
        return cli_fail_rc(cli, CLI_RUN, rc);
    return is_whole && tally.n_bad > 0 ? CLI_DIFFERS : CLI_OK;
}

static int clear(struct cli *cli, const struct cache_args *args, bp_cache *cache)
{
    struct json json = {.out = stdout};
    struct bp_text words = {0};
    uint32_t n = 0;
    uint64_t bytes = 0;
    bp_rc rc = bp_cache_clear(cache, args->keep_mib << 20, &n, &bytes, &cli->err);

    if (rc < 0)
        return cli_fail_rc(cli, CLI_RUN, rc);
    if (args->is_json) {
        json_object(&json, NULL);
        json_string(&json, "schema", "cache-clear/1");
        json_string(&json, "directory", bp_cache_dir(cache));
        json_uint(&json, "deleted", n);
        json_uint(&json, "bytes", bytes);
        json_object_end(&json);
    } else if (!cli->globals.quiet) {
        text_clean(&words, bp_cache_dir(cache));
        text_printf(&words, ": %" PRIu32 " file%s deleted, ", n, n == 1 ? "" : "s");
        text_bytes(&words, bytes);
        puts(text_string(&words));
    }
    text_finish(&words);
    return CLI_OK;
}

static int act(struct cli *cli, const struct cache_args *args, const char *word)
{
    const char *near = args_suggest(word, actions, CACHE_ACTIONS);
    bp_cache *cache = NULL;
    uint32_t action = 0;
    bp_rc rc;
    int code;

    while (action < CACHE_ACTIONS && strcmp(actions[action], word) != 0)
        action++;
    if (action == CACHE_ACTIONS)
        return cli_fail(cli, CLI_USAGE, "'%s' is not list, verify or clear%s%s%s", word,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    if (args->keep_mib > 0 && action != CACHE_CLEAR)
        return cli_fail(cli, CLI_USAGE, "--keep goes with clear");
    code = cli_open(cli);
    if (code != CLI_OK)
        return code;
    rc = bp_cache_open(cli->env, args->dir, &cache, &cli->err);
    if (rc < 0)
        return rc == BP_E_INVALID
                   ? cli_fail(cli, CLI_USAGE,
                              "no cache is named: give --dir, or set BACKPLANE_CACHE_DIR")
                   : cli_fail_rc(cli, CLI_USAGE, rc);
    code = action == CACHE_CLEAR ? clear(cli, args, cache)
                                 : list(cli, args, cache, action == CACHE_VERIFY);
    bp_cache_close(cache);
    return code;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct cache_args args = {0};
    const struct arg_group groups[] = {
        {"Options", cache_specs, sizeof cache_specs / sizeof cache_specs[0], &args},
        cli_group(cli),
    };
    const struct arg_command command = {.name = "cache",
                                        .operands = "[list|verify|clear]",
                                        .about = about,
                                        .groups = groups,
                                        .n_groups = sizeof groups / sizeof groups[0],
                                        .max_operands = 1};
    struct arg_list operands = {0};
    int code = args_parse(cli, &command, argc, argv, &operands);

    if (code == ARGS_GO)
        code = act(cli, &args, operands.n > 0 ? operands.items[0] : "list");
    arg_list_finish(&operands);
    return code;
}

const struct command cmd_cache = {"cache", "List, verify or clear compiled programs", run};
