/* SPDX-License-Identifier: MIT */
/* list.c - a list of operators, and files of them as ONNX Runtime's tools write and read them. */

#include "config.h"

#include "operators/operators.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "values/file.h"

#define GLOBAL "!globally_allowed_types;"
#define ALL "!no_ops_specified_means_all_ops_are_required"

/* ---- the list -------------------------------------------------------------------------------- */

/* ONNX Runtime writes the default domain by its name. */
static const char *plain(const char *domain)
{
    return strcmp(domain, "ai.onnx") == 0 ? "" : domain;
}

void operator_list_add(struct operator_list *list, const char *domain, const char *op,
                       uint32_t version, const char *types, bool is_unknown)
{
    domain = plain(domain);
    for (size_t i = 0; i < list->n; i++) {
        struct operator_row *row = &list->rows[i];

        if (row->version != version || strcmp(row->op, op) != 0 || strcmp(row->domain, domain) != 0)
            continue;
        if (!types) {
            free(row->types);
            row->types = NULL;
            return;
        }
        if (!row->types || strcmp(row->types, types) == 0)
            return;
    }
    if (list->n == list->cap) {
        list->cap = list->cap ? list->cap * 2 : 64;
        list->rows = xrealloc(list->rows, list->cap, sizeof *list->rows);
    }
    list->rows[list->n++] = (struct operator_row){.domain = xstrdup(domain),
                                                  .op = xstrdup(op),
                                                  .types = types ? xstrdup(types) : NULL,
                                                  .version = version,
                                                  .is_unknown = is_unknown};
}

void operator_list_finish(struct operator_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->rows[i].domain);
        free(list->rows[i].op);
        free(list->rows[i].types);
    }
    free(list->rows);
    free(list->global);
}

/* ---- printing -------------------------------------------------------------------------------- */

static int by_domain(const void *a, const void *b)
{
    const struct operator_row *x = a, *y = b;
    int order = strcmp(x->domain, y->domain);

    if (order == 0 && x->version != y->version)
        order = x->version < y->version ? -1 : 1;
    return order ? order : strcmp(x->op, y->op);
}

static bool share_line(const struct operator_row *a, const struct operator_row *b)
{
    return a->version == b->version && a->is_unknown == b->is_unknown &&
           strcmp(a->domain, b->domain) == 0;
}

static void print_row(const struct operator_row *row, bool is_first)
{
    struct bp_text text = {0};

    if (is_first) {
        text_put(&text,
                 row->is_unknown ? "# known to no table here, so a plug-in has to have it: " : "");
        text_clean(&text, row->domain[0] ? row->domain : "ai.onnx");
        text_printf(&text, ";%" PRIu32 ";", row->version);
    } else {
        text_put(&text, ",");
    }
    text_clean(&text, row->op);
    if (row->types)
        text_clean(&text, row->types);
    fputs(text_string(&text), stdout);
    text_finish(&text);
}

/* Types that a file allows to all operators say nothing of what models need. */
void operator_list_print(struct operator_list *list)
{
    printf("# Operators of %zu model%s, and what passes make of them: domain;version;operators.\n"
           "# For ./configure --with-operators=FILE.\n",
           list->models, list->models == 1 ? "" : "s");
    if (list->is_all && list->n == 0)
        puts(ALL);
    if (list->global && list->models == 0)
        printf("%s%s\n", GLOBAL, list->global);
    else if (list->global)
        puts("# The element types that a file allowed to all are left out: the models may need "
             "more.");
    if (list->n > 0)
        qsort(list->rows, list->n, sizeof *list->rows, by_domain);
    for (size_t i = 0; i < list->n; i++) {
        bool is_first = i == 0 || !share_line(&list->rows[i - 1], &list->rows[i]);

        if (is_first && i > 0)
            putchar('\n');
        print_row(&list->rows[i], is_first);
    }
    if (list->n > 0)
        putchar('\n');
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Cuts blanks at both ends of a text, in place. */
static char *trim(char *text)
{
    size_t n;

    while (isspace((unsigned char)*text))
        text++;
    n = strlen(text);
    while (n > 0 && isspace((unsigned char)text[n - 1]))
        text[--n] = '\0';
    return text;
}

/* Where a file is wrong. */
struct place {
    const struct cli *cli;
    const char *path;
    size_t line;
};

static int fail_at(const struct place *at, const char *words, const char *what)
{
    return cli_fail(at->cli, CLI_USAGE, "%s:%zu: %s: %s", at->path, at->line, words, what);
}

/* Adds the operator, whose types may follow its name, at each of the versions "12,13". */
static int add_at_versions(const struct place *at, struct operator_list *list, const char *domain,
                           const char *versions, char *text)
{
    char *copy = xstrdup(versions), *types = strchr(text, '{'), *next = NULL, *kept = NULL;
    int code = CLI_OK;

    if (types) {
        kept = xstrdup(types);
        *types = '\0';
    }
    text = trim(text);
    if (!*text)
        code = fail_at(at, "an operator has no name", versions);
    for (char *word = strtok_r(copy, ",", &next); code == CLI_OK && word;
         word = strtok_r(NULL, ",", &next)) {
        uint64_t version;

        if (!arg_count(trim(word), UINT32_MAX, &version) || version == 0)
            code = fail_at(at, "not a version of an operator set", word);
        else
            operator_list_add(list, domain, text, (uint32_t)version, kept, false);
    }
    free(kept);
    free(copy);
    return code;
}

/* "Add,Cast{...}": a comma within braces separates no operators. */
static int read_operators(const struct place *at, struct operator_list *list, const char *domain,
                          const char *versions, char *text)
{
    char *start = text;
    int depth = 0, code = CLI_OK;

    for (char *c = text; code == CLI_OK; c++) {
        bool is_end = *c == '\0';

        depth += (*c == '{') - (*c == '}');
        if (!is_end && (*c != ',' || depth != 0))
            continue;
        *c = '\0';
        if (*trim(start))
            code = add_at_versions(at, list, domain, versions, start);
        start = c + 1;
        if (is_end)
            break;
    }
    return code == CLI_OK && depth != 0 ? fail_at(at, "braces do not match", versions) : code;
}

static int read_line(const struct place *at, struct operator_list *list, char *line)
{
    char *versions, *operators;

    line = trim(line);
    if (!*line || *line == '#')
        return CLI_OK;
    if (strncmp(line, GLOBAL, strlen(GLOBAL)) == 0) {
        free(list->global);
        list->global = xstrdup(line + strlen(GLOBAL));
        return CLI_OK;
    }
    if (strcmp(line, ALL) == 0) {
        list->is_all = true;
        return CLI_OK;
    }
    versions = strchr(line, ';');
    operators = versions ? strchr(versions + 1, ';') : NULL;
    if (*line == '!' || !operators)
        return fail_at(at, "not a line 'domain;version;Operator,Operator'", line);
    *versions++ = '\0';
    *operators++ = '\0';
    return read_operators(at, list, trim(line), versions, operators);
}

int operator_list_read(const struct cli *cli, const char *path, struct operator_list *list)
{
    unsigned char *bytes = NULL;
    struct place at = {.cli = cli, .path = path};
    char words[512], *text, *next = NULL;
    bp_err err = bp_err_init(words, sizeof words);
    size_t size;
    int code = CLI_OK;

    if (file_read(path, &bytes, &size, &err) < 0)
        return cli_fail(cli, CLI_USAGE, "%s", words);
    text = xalloc(size + 1, 1);
    memcpy(text, bytes, size);
    free(bytes);
    for (char *line = text; code == CLI_OK && line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        at.line++;
        code = read_line(&at, list, line);
    }
    free(text);
    return code;
}
