/* SPDX-License-Identifier: MIT */
/* placement_rules.c - reads placement rules and compares them with nodes. */

#include "config.h"

#include "plan/placement_rules.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void finish_rule(struct bp_placement_rule *rule)
{
    free(rule->text);
    free(rule->pattern);
    free(rule->provider);
}

/* A pattern without a prefix is a name. */
static const char *skip_prefix(const char *text, enum bp_placement_kind *kind)
{
    static const char *const prefixes[] = {"name:", "op:", "path:"};

    *kind = BP_PLACEMENT_NAME;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0) {
            *kind = (enum bp_placement_kind)i;
            return text + strlen(prefixes[i]);
        }
    }
    return text;
}

/*
 * Splits a rule at its last '=', because names of nodes may contain one. After a failure the caller
 * frees what was allocated.
 */
static bp_rc parse(struct bp_placement_rule *rule, const char *text, bp_err *err)
{
    const char *pattern = skip_prefix(text, &rule->kind);
    const char *equals = strrchr(pattern, '=');
    const char *provider = equals ? equals + 1 : "";

    rule->is_ban = *provider == '!';
    provider += rule->is_ban;
    if (!equals || equals == pattern || !*provider)
        return bp_fail(err, BP_E_INVALID,
                       "placement rule '%s' is not [name:|op:|path:]PATTERN=[!]PROVIDER", text);
    rule->text = strdup(text);
    rule->pattern = strndup(pattern, (size_t)(equals - pattern));
    rule->provider = strdup(provider);
    if (!rule->text || !rule->pattern || !rule->provider)
        return bp_fail_nomem(err, "a placement rule");
    return BP_OK;
}

bp_rc bp_placement_list_add(struct bp_placement_list *list, const char *text, bp_err *err)
{
    struct bp_placement_rule rule = {0}, *rules;
    bp_rc rc = parse(&rule, text ? text : "", err);

    if (rc >= 0) {
        rules = realloc(list->rules, (list->count + 1) * sizeof *rules);
        if (rules) {
            list->rules = rules;
            rules[list->count++] = rule;
            return BP_OK;
        }
        rc = bp_fail_nomem(err, "a placement rule");
    }
    finish_rule(&rule);
    return rc;
}

/*
 * Returns a line without its comment and surrounding blanks. A # inside a word is part of the word.
 */
static char *strip(char *line)
{
    char *end;

    for (char *at = line; *at; at++) {
        if (*at == '#' && (at == line || isspace((unsigned char)at[-1])))
            *at = '\0';
    }
    while (isspace((unsigned char)*line))
        line++;
    end = line + strlen(line);
    while (end > line && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return line;
}

/* Adds all rules of the file; after a failure the list is as before. */
bp_rc bp_placement_list_read(struct bp_placement_list *list, const char *path, bp_err *err)
{
    FILE *file = fopen(path, "re");
    uint32_t before = list->count, number = 0;
    char *line = NULL;
    size_t cap = 0;
    bp_rc rc = BP_OK;

    if (!file)
        return bp_fail(err, BP_E_IO, "placement rules: %s: %s", path, strerror(errno));
    while (rc >= 0 && getline(&line, &cap, file) >= 0) {
        const char *text = strip(line);

        number++;
        if (*text)
            rc = bp_placement_list_add(list, text, err);
        if (rc < 0)
            rc = bp_fail_in(err, rc, "%s, line %u", path, number);
    }
    if (rc >= 0 && ferror(file))
        rc = bp_fail(err, BP_E_IO, "placement rules: %s cannot be read: %s", path, strerror(errno));
    fclose(file);
    free(line);
    while (rc < 0 && list->count > before)
        finish_rule(&list->rules[--list->count]);
    return rc;
}

bp_rc bp_placement_list_copy(struct bp_placement_list *to, const struct bp_placement_list *from,
                             bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < from->count; i++)
        rc = bp_placement_list_add(to, from->rules[i].text, err);
    return rc;
}

void bp_placement_list_finish(struct bp_placement_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        finish_rule(&list->rules[i]);
    free(list->rules);
    *list = (struct bp_placement_list){0};
}

/* Compares "Conv", or "com.example.Conv" for rules that name the domain. */
static bool matches_op(const char *pattern, const struct bp_ir_node *node)
{
    char full[256];

    if (fnmatch(pattern, node->op, 0) == 0)
        return true;
    return node->domain[0] &&
           (size_t)snprintf(full, sizeof full, "%s.%s", node->domain, node->op) < sizeof full &&
           fnmatch(pattern, full, 0) == 0;
}

bool bp_placement_rule_matches(const struct bp_placement_rule *rule, const struct bp_ir_node *node,
                               const char *path)
{
    switch (rule->kind) {
    case BP_PLACEMENT_OP:
        return matches_op(rule->pattern, node);
    case BP_PLACEMENT_PATH:
        return fnmatch(rule->pattern, path, FNM_LEADING_DIR) == 0;
    default:
        return fnmatch(rule->pattern, node->name, 0) == 0;
    }
}
