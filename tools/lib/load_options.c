/* SPDX-License-Identifier: MIT */
/* load_options.c - from the provider options of a command line to the library's. */

#include "config.h"

#include "lib/load.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const levels[] = {"none", "basic", "extended", "layout", NULL};
#define DEVICE_KEY "device" /* the host's own option, of every provider */

static const char *const fallbacks[] = {"silent", "warn", "require", NULL};

static const struct arg_spec load_specs[] = {
    {.name = "providers",
     .letter = 'p',
     .kind = ARG_NAMES,
     .value = "A,B",
     .at = offsetof(struct load_args, providers),
     .help = "Providers to try, in this order; cpu always comes last. Given again, it adds more. "
             "auto: all "
             "that compute on this machine's processor, as without the option."},
    {.name = "option",
     .letter = 'o',
     .kind = ARG_LIST,
     .value = "PROVIDER:KEY=VALUE",
     .at = offsetof(struct load_args, options),
     .help = "An option for one of them; 'backplane providers NAME' lists them. May be given more "
             "than once."},
    {.name = "device",
     .kind = ARG_LIST,
     .value = "PROVIDER=D,D",
     .at = offsetof(struct load_args, devices),
     .help = "Which of its devices a provider is to use, each an index, id, kind (cpu, gpu, npu, "
             "other), name or 'all'; 'backplane providers NAME' lists them. May be given more than "
             "once."},
    {.name = "bind",
     .kind = ARG_LIST,
     .value = "FILE",
     .at = offsetof(struct load_args, binds),
     .help = "Operators made of functions of C libraries, as FILE declares them; see 'man "
             "backplane'. May be given more than once."},
    {.name = "fallback",
     .kind = ARG_CHOICE,
     .value = "POLICY",
     .choices = fallbacks,
     .at = offsetof(struct load_args, fallback),
     .help = "What a provider's failure means: silent (go on), warn (say so, go on; default) or "
             "require (fail)."},
    {.name = "level",
     .kind = ARG_CHOICE,
     .value = "PASSES",
     .choices = levels,
     .at = offsetof(struct load_args, level),
     .help = "How far the graph may be changed before it runs: none, basic (constants folded, "
             "nodes dropped and merged), extended (fused operators; default) or layout."},
    {.name = "disable-pass",
     .kind = ARG_LIST,
     .value = "PASS",
     .at = offsetof(struct load_args, disabled),
     .help = "Leave out one of the passes that 'backplane plan' lists. May be given more than "
             "once."},
    {.name = "strict",
     .kind = ARG_FLAG,
     .at = offsetof(struct load_args, is_strict),
     .help = "Require every provider that is named, also by the environment; and as "
             "--strict-shapes."},
    {.name = "strict-shapes",
     .kind = ARG_FLAG,
     .at = offsetof(struct load_args, has_strict_shapes),
     .help = "Fail where a size or rank that the model declares is not the one that is inferred, "
             "or made by a run; without it, that is a warning."},
    {.name = "newer-opsets",
     .kind = ARG_FLAG,
     .at = offsetof(struct load_args, has_newer_opsets),
     .help = "Run models of operator sets newer than those that are known, too, as if they were of "
             "the newest."},
    {.name = "min-share",
     .kind = ARG_LIST,
     .value = "PROVIDER=SHARE",
     .at = offsetof(struct load_args, shares),
     .help = "With less than this share of the nodes (0 to 1) the provider has failed."},
    {.name = "place",
     .kind = ARG_LIST,
     .value = "RULE",
     .at = offsetof(struct load_args, places),
     .help = "Send nodes to a provider, or with ! keep them from it: "
             "[name:|op:|path:]PATTERN=[!]PROVIDER, as in 'op:Conv=dnnl'. The first rule counts."},
    {.name = "place-file",
     .kind = ARG_LIST,
     .value = "FILE",
     .at = offsetof(struct load_args, place_files),
     .help = "Such rules from a file, one a line, after those of --place."},
    {.name = "dim",
     .kind = ARG_LIST,
     .value = "SYMBOL=N",
     .at = offsetof(struct load_args, dims),
     .help = "Size of a dimension that the model leaves free under this name; providers see the "
             "number. May be given more than once."},
};

_Static_assert(sizeof load_specs / sizeof load_specs[0] == LOAD_OPTIONS, "load.h says how many");

struct arg_group load_group(struct load_args *args)
{
    return (struct arg_group){"Provider options", load_specs,
                              sizeof load_specs / sizeof load_specs[0], args};
}

struct arg_group load_group_without_letter(struct load_args *args, struct arg_spec *specs)
{
    struct arg_group group = load_group(args);

    for (size_t i = 0; i < group.n; i++) {
        specs[i] = group.specs[i];
        if (specs[i].letter == 'o')
            specs[i].letter = 0;
    }
    group.specs = specs;
    return group;
}

void load_args_finish(struct load_args *args)
{
    free(args->providers);
    arg_list_finish(&args->options);
    arg_list_finish(&args->disabled);
    arg_list_finish(&args->devices);
    arg_list_finish(&args->binds);
    arg_list_finish(&args->shares);
    arg_list_finish(&args->places);
    arg_list_finish(&args->place_files);
    arg_list_finish(&args->dims);
}

/* An --option taken apart in a copy of its text. */
struct setting {
    char *text, *provider, *value;
    const char *key;
    bool is_used;
};

/* "PROVIDER=D,D" is the option "device" of the provider, which the host reads. */
static int split_device(const struct cli *cli, const char *item, struct setting *s)
{
    char *equals;

    s->text = xstrdup(item);
    equals = strchr(s->text, '=');
    if (!equals || equals == s->text || !equals[1])
        return cli_fail(cli, CLI_USAGE, "--device %s: is not PROVIDER=DEVICE,...", item);
    *equals = '\0';
    s->provider = s->text;
    s->key = DEVICE_KEY;
    s->value = equals + 1;
    return CLI_OK;
}

/* The key ends at the first '=' and the provider at the first ':', so a value may hold both. */
static int split_settings(const struct cli *cli, const struct arg_list *options,
                          struct setting *settings)
{
    for (size_t i = 0; i < options->n; i++) {
        struct setting *s = &settings[i];
        char *colon, *equals;

        s->text = xstrdup(options->items[i]);
        colon = strchr(s->text, ':');
        equals = colon ? strchr(colon, '=') : NULL;
        if (!equals || colon == s->text || equals == colon + 1)
            return cli_fail(cli, CLI_USAGE, "--option %s: is not PROVIDER:KEY=VALUE",
                            options->items[i]);
        *colon = *equals = '\0';
        s->provider = s->text;
        s->key = colon + 1;
        s->value = equals + 1;
    }
    return CLI_OK;
}

/* Adds one provider with the settings that are for it. */
static int add_provider(struct cli *cli, bp_session_options *options, const char *name,
                        struct setting *settings, size_t n)
{
    bp_key_value *pairs = xalloc(n, sizeof *pairs);
    uint32_t n_pairs = 0;
    bp_rc rc;

    for (size_t i = 0; i < n; i++) {
        if (strcasecmp(settings[i].provider, name) != 0)
            continue;
        settings[i].is_used = true;
        pairs[n_pairs++] = (bp_key_value){settings[i].key, settings[i].value};
    }
    rc = bp_session_options_add_provider(options, name, pairs, n_pairs, BP_FALLBACK_DEFAULT,
                                         &cli->err);
    free(pairs);
    return rc < 0 ? cli_fail_rc(cli, CLI_USAGE, rc) : CLI_OK;
}

/* An empty name is refused: "a,,b" most likely comes from a script whose variable is unset. */
static int add_providers(struct cli *cli, const char *list, bp_session_options *options,
                         struct setting *settings, size_t n)
{
    char *copy = xstrdup(list), *rest = copy, *name;
    int code = CLI_OK;

    while (code == CLI_OK && (name = strsep(&rest, ",")) != NULL) {
        if (*name)
            code = add_provider(cli, options, name, settings, n);
        else
            code = cli_fail(cli, CLI_USAGE, "--providers '%s': there is an empty name in it", list);
    }
    free(copy);
    return code;
}

/* Options of cpu need no --providers, for cpu is always there; others must have been named. */
static int add_rest(struct cli *cli, bp_session_options *options, struct setting *settings,
                    size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int code;

        if (settings[i].is_used)
            continue;
        if (strcasecmp(settings[i].provider, "cpu") != 0)
            return cli_fail(cli, CLI_USAGE, "--option %s:%s=%s: the provider is not in --providers",
                            settings[i].provider, settings[i].key, settings[i].value);
        code = add_provider(cli, options, "cpu", settings, n);
        if (code != CLI_OK)
            return code;
    }
    return CLI_OK;
}

/* Choices of --level count from 1, as BP_OPTIMIZE_* do; 0, not given, is BP_OPTIMIZE_DEFAULT. */
static int set_passes(struct cli *cli, const struct load_args *args, bp_session_options *options)
{
    bp_rc rc = bp_session_options_set_optimization(options, args->level, &cli->err);

    for (size_t i = 0; rc >= 0 && i < args->disabled.n; i++)
        rc = bp_session_options_disable_pass(options, args->disabled.items[i], &cli->err);
    return rc < 0 ? cli_fail_rc(cli, CLI_USAGE, rc) : CLI_OK;
}

/* Reads one "PROVIDER=SHARE". */
static int add_share(struct cli *cli, bp_session_options *options, const char *text)
{
    char *copy = xstrdup(text), *equals = strrchr(copy, '='), *end = copy;
    double share = 0;
    int code = CLI_OK;
    bp_rc rc;

    if (equals) {
        *equals = '\0';
        share = strtod(equals + 1, &end);
    }
    if (!equals || equals == copy || end == equals + 1 || *end) {
        code = cli_fail(cli, CLI_USAGE, "--min-share %s: is not PROVIDER=SHARE", text);
    } else {
        rc = bp_session_options_set_min_share(options, copy, share, &cli->err);
        if (rc < 0 && strcasecmp(copy, "cpu") == 0) { /* which need not be named */
            rc =
                bp_session_options_add_provider(options, "cpu", NULL, 0, BP_FALLBACK_DEFAULT, NULL);
            if (rc >= 0)
                rc = bp_session_options_set_min_share(options, copy, share, &cli->err);
        }
        if (rc < 0)
            code = cli_fail_rc(cli, CLI_USAGE, rc);
    }
    free(copy);
    return code;
}

/*
 * All files go into one set, so two that declare the same operator are an error. The options keep
 * a reference to the set.
 */
static int add_binds(struct cli *cli, const struct arg_list *binds, bp_session_options *options)
{
    bp_operators *set = NULL;
    bp_rc rc = BP_OK;

    if (binds->n == 0)
        return CLI_OK;
    rc = bp_operators_create(&set, &cli->err);
    for (size_t i = 0; rc >= 0 && i < binds->n; i++)
        rc = bp_operators_bind(set, binds->items[i], &cli->err);
    if (rc >= 0)
        rc = bp_session_options_add_operators(options, set, &cli->err);
    bp_operators_release(set);
    return rc < 0 ? cli_fail_rc(cli, rc == BP_E_NOMEM ? CLI_RUN : CLI_USAGE, rc) : CLI_OK;
}

/* SYMBOL=N; the symbol may hold a '='. */
static int add_dim(struct cli *cli, bp_session_options *options, const char *text)
{
    const char *equals = strrchr(text, '=');
    uint64_t size;
    char *name;
    bp_rc rc;

    if (!equals || equals == text || !arg_count(equals + 1, INT64_MAX, &size))
        return cli_fail(cli, CLI_USAGE, "--dim %s: is not SYMBOL=N", text);
    name = xstrdup(text);
    name[equals - text] = '\0';
    rc = bp_session_options_set_dimension(options, name, (int64_t)size, &cli->err);
    free(name);
    return rc < 0 ? cli_fail_rc(cli, CLI_USAGE, rc) : CLI_OK;
}

/* Sets what concerns all providers: strictness, shares, dimensions and placement. */
static int add_policy(struct cli *cli, const struct load_args *args, bp_session_options *options)
{
    bp_rc rc = BP_OK;
    int code = CLI_OK;

    bp_session_options_set_strict(options, args->is_strict);
    bp_session_options_set_strict_shapes(options, args->is_strict || args->has_strict_shapes);
    bp_session_options_set_newer_opsets(options, args->has_newer_opsets);
    for (size_t i = 0; code == CLI_OK && i < args->shares.n; i++)
        code = add_share(cli, options, args->shares.items[i]);
    for (size_t i = 0; code == CLI_OK && i < args->dims.n; i++)
        code = add_dim(cli, options, args->dims.items[i]);
    for (size_t i = 0; code == CLI_OK && rc >= 0 && i < args->places.n; i++)
        rc = bp_session_options_add_placement(options, args->places.items[i], &cli->err);
    for (size_t i = 0; code == CLI_OK && rc >= 0 && i < args->place_files.n; i++)
        rc = bp_session_options_read_placements(options, args->place_files.items[i], &cli->err);
    return rc < 0 ? cli_fail_rc(cli, CLI_USAGE, rc) : code;
}

int load_options(struct cli *cli, const struct load_args *args, bp_session_options **out)
{
    size_t n = args->options.n + args->devices.n;
    struct setting *settings = xalloc(n, sizeof *settings);
    bp_session_options *options = NULL;
    bp_rc rc = BP_OK;
    int code = split_settings(cli, &args->options, settings);

    for (size_t i = 0; code == CLI_OK && i < args->devices.n; i++)
        code = split_device(cli, args->devices.items[i], &settings[args->options.n + i]);
    *out = NULL;
    if (code != CLI_OK)
        goto out;
    rc = bp_session_options_create(&options, &cli->err);
    if (rc >= 0 && args->fallback)
        rc = bp_session_options_set_fallback(options, args->fallback, &cli->err);
    if (rc < 0) {
        code = cli_fail_rc(cli, CLI_RUN, rc);
        goto out;
    }
    code = set_passes(cli, args, options);
    if (code == CLI_OK && args->providers)
        code = add_providers(cli, args->providers, options, settings, n);
    if (code == CLI_OK)
        code = add_rest(cli, options, settings, n);
    if (code == CLI_OK)
        code = add_binds(cli, &args->binds, options);
    if (code == CLI_OK)
        code = add_policy(cli, args, options);
    if (code != CLI_OK)
        goto out;
    *out = options;
    options = NULL; /* the caller's now */
out:
    for (size_t i = 0; i < n; i++)
        free(settings[i].text);
    free(settings);
    bp_session_options_destroy(options);
    return code;
}
