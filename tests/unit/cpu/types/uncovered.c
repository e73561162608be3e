/* SPDX-License-Identifier: MIT */
/*
 * uncovered.c - has a test run each operator that the CPU provider takes, with each element type it
 * takes, at each of its parameters? Reads what test_host.c noted of the tests of cpu/, and fails with a
 * list of what no test has run. In which version of the operator does not count.
 */

#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backplane.h"
#include "graph/schema_table.h"

enum { SKIPPED = 77, NAME = 64, MAX_ROWS = 8192 };

/* A parameter of an operator, or several that share their type. */
struct row {
    char op[NAME], param[NAME];
    uint64_t taken, ran; /* bits 1 << BP_DTYPE_* */
};

static struct row rows[MAX_ROWS];
static uint32_t n_rows;

static struct row *row_of(const char *domain, const char *op, const char *param)
{
    char whole[NAME];

    snprintf(whole, sizeof whole, "%s:%s", domain, op);
    for (uint32_t i = 0; i < n_rows; i++) {
        if (strcmp(rows[i].op, whole) == 0 && strcmp(rows[i].param, param) == 0)
            return &rows[i];
    }
    if (n_rows == MAX_ROWS) {
        fprintf(stderr, "uncovered: more than %d parameters\n", MAX_ROWS);
        exit(EXIT_FAILURE);
    }
    snprintf(rows[n_rows].op, NAME, "%s", whole);
    snprintf(rows[n_rows].param, NAME, "%s", param);
    return &rows[n_rows++];
}

/* ---- what the provider takes ----------------------------------------------------------------- */

/* Parameters that share a type are listed by the first of them. */
static void add_taken(void *user, const bp_operator_info *info)
{
    char first[NAME];

    (void)user;
    if (info->flags & BP_OPERATOR_HOST)
        return;
    snprintf(first, sizeof first, "%.*s", (int)strcspn(info->params, ",."), info->params);
    row_of(info->domain, info->op, first)->taken |= info->taken | info->conditional;
}

/* ---- what has run ---------------------------------------------------------------------------- */

/* The first parameter with the type of `param` among inputs, then outputs. */
static const char *first_alike(const struct bp_schema *schema, const struct bp_param *param)
{
    for (uint32_t i = 0; param->type_var != 0 && i < schema->n_in; i++) {
        if (schema->in[i].type_var == param->type_var)
            return schema->in[i].name;
    }
    for (uint32_t i = 0; param->type_var != 0 && i < schema->n_out; i++) {
        if (schema->out[i].type_var == param->type_var)
            return schema->out[i].name;
    }
    return param->name;
}

/* " 1 0 7 :": element types of inputs or outputs, 0 for an absent one; returns what is after. */
static char *add_types(const struct bp_schema *schema, char *text,
                       const struct bp_param *(*param_of)(const struct bp_schema *, uint32_t))
{
    for (uint32_t i = 0; *text && *text != ':' && *text != '\n'; i++) {
        const struct bp_param *param = param_of(schema, i);
        unsigned long dtype = strtoul(text, &text, 10);

        if (param && dtype > 0 && dtype < BP_DTYPE_END)
            row_of(schema->domain, schema->op, first_alike(schema, param))->ran |= UINT64_C(1)
                                                                                   << dtype;
        text += strspn(text, " ");
    }
    return *text == ':' ? text + 2 : text;
}

/* "com.microsoft:Gelu 1 : 1 : 1" */
static bool add_line(char *line)
{
    char *op = strchr(line, ':'), *version = op ? strchr(op, ' ') : NULL;
    const struct bp_schema *schema;
    char *types;

    if (!version)
        return false;
    *op++ = '\0';
    *version++ = '\0';
    schema = bp_schema_find(line, op, (uint32_t)strtoul(version, &types, 10));
    if (!schema || strncmp(types, " : ", 3) != 0)
        return false;
    types = add_types(schema, types + 3, bp_schema_in);
    add_types(schema, types, bp_schema_out);
    return true;
}

static bool read_file(const char *folder, const char *name)
{
    char path[4096], line[1024], kept[1024];
    FILE *file;
    bool is_good = true;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "r");
    if (!file)
        return false;
    while (is_good && fgets(line, sizeof line, file)) {
        memcpy(kept, line, sizeof kept);
        is_good = add_line(line);
    }
    fclose(file);
    if (!is_good)
        fprintf(stderr, "uncovered: %s: what operator is this? %s", path, kept);
    return is_good;
}

/* Number of files read; -1: one was not as it must be. */
static int read_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    int n = 0;

    while (dir && n >= 0 && (entry = readdir(dir))) {
        if (strstr(entry->d_name, ".ran"))
            n = read_file(folder, entry->d_name) ? n + 1 : -1;
    }
    if (dir)
        closedir(dir);
    return n;
}

/* ---- the difference -------------------------------------------------------------------------- */

static uint32_t bits(uint64_t set)
{
    return (uint32_t)__builtin_popcountll(set);
}

static void print_missing(const struct row *row)
{
    printf("%s(%s):", row->op[0] == ':' ? row->op + 1 : row->op, row->param);
    for (uint32_t dtype = 1; dtype < BP_DTYPE_END; dtype++) {
        if ((row->taken & ~row->ran) >> dtype & 1)
            printf(" %s", bp_dtype_name(dtype));
    }
    printf("\n");
}

static void ask_provider(void)
{
    char text[512];
    bp_err err = bp_err_init(text, sizeof text);
    bp_env *env = NULL;
    uint32_t i;

    if (bp_env_create(NULL, &env, &err) < 0 || bp_env_find_provider(env, "cpu", &i, &err) < 0 ||
        bp_env_provider_operators(env, i, add_taken, NULL, &err) < 0 ||
        bp_env_destroy(env, &err) < 0) {
        fprintf(stderr, "uncovered: %s\n", text);
        exit(EXIT_FAILURE);
    }
}

int main(void)
{
    const char *folder = getenv("BP_COVERED_DIR");
    int n_files = folder ? read_folder(folder) : 0;
    uint32_t taken = 0, ran = 0;

    if (n_files <= 0) {
        printf(
            "skipped: no test of the CPU provider has noted in '%s' (BP_COVERED_DIR) what it ran: "
            "make check TESTS=tests/unit/cpu/types/covered.sh runs them first\n",
            folder ? folder : "");
        return n_files < 0 ? EXIT_FAILURE : SKIPPED;
    }
    ask_provider();
    for (uint32_t i = 0; i < n_rows; i++) {
        taken += bits(rows[i].taken);
        ran += bits(rows[i].taken & rows[i].ran);
        if (rows[i].taken & ~rows[i].ran)
            print_missing(&rows[i]);
    }
    printf("uncovered: tests have run %u of %u pairs of a parameter and a type\n", ran, taken);
    return ran == taken ? EXIT_SUCCESS : EXIT_FAILURE;
}
