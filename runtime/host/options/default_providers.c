/* SPDX-License-Identifier: MIT */
/* default_providers.c - reads providers.conf. */

#include "config.h"

#include "host/options/default_providers.h"

#include <stdlib.h>
#include <string.h>

#include "host/options/conf_file.h"
#include "host/options/override.h"
#include "host/options/settings.h"
#include "text/text.h"

#define OPTION "option."
#define FALLBACK "fallback."

/* Cuts off and returns the next name of a list with commas; NULL: there is none. */
static char *next_name(char **list)
{
    char *name = *list + strspn(*list, " \t,"), *end;

    if (!*name)
        return NULL;
    end = name + strcspn(name, ",");
    *list = *end ? end + 1 : end;
    while (end > name && strchr(" \t,", end[-1]))
        end--;
    *end = '\0';
    return name;
}

/* `none` alone is an empty list. NULL, or what is wrong. */
static const char *take_names(struct bp_default_providers *defaults, char *names)
{
    char *name;

    bp_spec_finish(&defaults->list);
    defaults->is_given = true;
    if (strcmp(names, "none") == 0)
        return NULL;
    while ((name = next_name(&names)) != NULL) {
        if (strcmp(name, "none") == 0)
            return "none stands alone: no provider but cpu";
        if (bp_spec_add(&defaults->list, name, NULL, 0, BP_FALLBACK_DEFAULT, NULL) < 0)
            return "default is auto, none, or names of providers, each once, with commas between";
    }
    return defaults->list.count > 0 ? NULL : "default is auto, none, or names of providers";
}

static const char *add_row(struct bp_default_providers *defaults, struct bp_default_row row)
{
    struct bp_default_row *rows =
        realloc(defaults->rows, (defaults->n_rows + 1) * sizeof *defaults->rows);

    if (!rows)
        return "there is no memory for it";
    defaults->rows = rows;
    rows[defaults->n_rows++] = row;
    return NULL;
}

static const char *take_option(struct bp_default_providers *defaults, char *name, char *value)
{
    char *dot = strchr(name, '.');

    if (!dot || dot == name || !dot[1])
        return "an option is 'option.PROVIDER.NAME = value'";
    *dot = '\0';
    return add_row(defaults, (struct bp_default_row){.name = name, .key = dot + 1, .value = value});
}

static const char *take(void *user, char *key, char *value)
{
    struct bp_default_providers *defaults = user;
    bool is_of_one = strncmp(key, FALLBACK, strlen(FALLBACK)) == 0;
    struct bp_default_row row = {.name = key + strlen(FALLBACK)};

    if (strcmp(key, "default") == 0)
        return take_names(defaults, value);
    if (strncmp(key, OPTION, strlen(OPTION)) == 0)
        return take_option(defaults, key + strlen(OPTION), value);
    if (!is_of_one && strcmp(key, "fallback") != 0)
        return "unknown key; possible are default, fallback, fallback.PROVIDER and "
               "option.PROVIDER.NAME";
    if (!bp_override_parse_fallback(value, &row.fallback))
        return "a fallback is silent, warn or require";
    if (is_of_one)
        return *row.name ? add_row(defaults, row) : "a policy is 'fallback.PROVIDER = policy'";
    defaults->fallback = row.fallback;
    return NULL;
}

bp_rc bp_default_providers_read(struct bp_default_providers *defaults, const char *path,
                                struct bp_trust *trust, char **text, bp_err *err)
{
    char fix[256], words[768];
    bp_err own = bp_err_init(words, sizeof words);
    bp_rc rc = bp_conf_file_read(path, trust, take, defaults, text, fix, sizeof fix, &own);

    if (rc < 0)
        return bp_fail(err, rc, "%s%s%s%s", words, fix[0] ? " (" : "", fix, fix[0] ? ")" : "");
    return rc;
}

/* The user's file (XDG Base Directory Specification); an empty text: there is no place for one. */
static bp_rc find_user_file(struct bp_text *path, bp_err *err)
{
    const char *config = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");

    if (config && config[0] == '/')
        bp_text_printf(path, "%s/backplane/providers.conf", config);
    else if (home && home[0] == '/')
        bp_text_printf(path, "%s/.config/backplane/providers.conf", home);
    return path->failed ? bp_fail_nomem(err, "the path of providers.conf") : BP_OK;
}

static bp_rc read_files(struct bp_default_providers *defaults, uint32_t flags, bp_err *err)
{
    struct bp_trust trust = {0};
    struct bp_text path = {0};
    bp_rc rc;

    bp_trust_init(&trust, (flags & BP_ENV_HERMETIC) != 0);
    rc = bp_default_providers_read(defaults, BP_CONFIG_DIR "/providers.conf", &trust,
                                   &defaults->texts[0], err);
    if (rc >= 0 && bp_settings_count(flags))
        rc = find_user_file(&path, err);
    if (rc >= 0 && path.len > 0)
        rc = bp_default_providers_read(defaults, path.data, &trust, &defaults->texts[1], err);
    bp_text_finish(&path);
    return rc;
}

bp_rc bp_default_providers_init(struct bp_default_providers *defaults, const char *names,
                                uint32_t flags, bp_err *err)
{
    char *copy = names ? strdup(names) : NULL;
    const char *what;
    bp_rc rc;

    if (names && !copy)
        return bp_fail_nomem(err, "the default providers");
    rc = read_files(defaults, flags, err);
    if (rc >= 0 && copy) {
        what = take_names(defaults, copy);
        defaults->is_of_program = true;
        if (what)
            rc = bp_fail(err, BP_E_INVALID, "bp_env_config.default_providers is \"%s\": %s", names,
                         what);
    }
    free(copy);
    return rc;
}

void bp_default_providers_finish(struct bp_default_providers *defaults)
{
    bp_spec_finish(&defaults->list);
    free(defaults->rows);
    for (size_t i = 0; i < sizeof defaults->texts / sizeof defaults->texts[0]; i++)
        free(defaults->texts[i]);
    *defaults = (struct bp_default_providers){0};
}

bp_rc bp_default_providers_apply(const struct bp_default_providers *defaults,
                                 struct bp_spec_list *list, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < list->count; i++) {
        if (list->rows[i].fallback == BP_FALLBACK_DEFAULT)
            list->rows[i].fallback = defaults->fallback;
    }
    for (uint32_t r = 0; rc >= 0 && r < defaults->n_rows; r++) {
        const struct bp_default_row *row = &defaults->rows[r];
        struct bp_spec *spec = bp_spec_find(list, row->name);

        if (spec && !row->key)
            spec->fallback = row->fallback;
        else if (spec)
            rc = bp_spec_set_option(spec, row->key, row->value, err);
    }
    return rc;
}
