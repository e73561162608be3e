/* SPDX-License-Identifier: MIT */
/* operators.c - the operators that a provider takes, as a table, as Markdown and as JSON. */

#include "config.h"

#include "providers/operators.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/table.h"
#include "lib/text.h"

#define BIT(dtype) (UINT64_C(1) << BP_DTYPE_##dtype)

/* Types that usually come together, the largest sets first; the rest have their own names. */
static const struct {
    uint64_t types;
    const char *words;
} type_sets[] = {
    {BIT(F16) | BIT(F32) | BIT(F64), "float16-64"},
    {BIT(F32) | BIT(F64), "float32-64"},
    {BIT(I8) | BIT(I16) | BIT(I32) | BIT(I64), "int8-64"},
    {BIT(I32) | BIT(I64), "int32-64"},
    {BIT(U8) | BIT(U16) | BIT(U32) | BIT(U64), "uint8-64"},
    {BIT(U32) | BIT(U64), "uint32-64"},
    {BIT(C64) | BIT(C128), "complex64-128"},
    {BIT(F8E4M3FN) | BIT(F8E4M3FNUZ) | BIT(F8E5M2) | BIT(F8E5M2FNUZ), "float8 (4 kinds)"},
    {BIT(I2) | BIT(I4), "int2-4"},
    {BIT(U2) | BIT(U4), "uint2-4"},
};

/* Appends a word, after a comma if there is one before. */
static void add_word(struct bp_text *out, const char *word)
{
    text_printf(out, "%s%s", out->len ? ", " : "", word);
}

/* Sets are taken out of `types` as they are named, so each type is named once. */
static void types_words(struct bp_text *out, uint64_t types)
{
    text_clear(out);
    for (size_t i = 0; i < sizeof type_sets / sizeof type_sets[0]; i++) {
        if ((types & type_sets[i].types) != type_sets[i].types)
            continue;
        add_word(out, type_sets[i].words);
        types &= ~type_sets[i].types;
    }
    for (uint32_t dtype = 1; dtype < BP_DTYPE_END; dtype++) {
        if (types >> dtype & 1)
            add_word(out, bp_dtype_name(dtype));
    }
}

/* "7 to 12", "13" where the next version has another row, "14 on" */
static void versions_words(struct bp_text *out, const bp_operator_info *row)
{
    text_clear(out);
    if (row->until == 0)
        text_printf(out, "%" PRIu32 " on", row->since);
    else if (row->until == row->since)
        text_printf(out, "%" PRIu32, row->since);
    else
        text_printf(out, "%" PRIu32 " to %" PRIu32, row->since, row->until);
}

static void name_words(struct bp_text *out, const bp_operator_info *row)
{
    text_clear(out);
    text_printf(out, "%s%s%s", row->domain, *row->domain ? "." : "", row->op);
}

static bool is_host_operator(const bp_operator_info *row)
{
    return row->flags & BP_OPERATOR_HOST;
}

/* Types that ONNX allows and the provider takes under no condition. */
static uint64_t lacks(const bp_operator_info *row)
{
    return row->types & ~row->taken & ~row->conditional;
}

/* ---- in all three formats: a row as the library reports it ----------------------------------- */

struct sums {
    uint32_t rows, taken, host_operators; /* of an operator version each */
    struct bp_text last; /* "domain.Name version", to see which rows are of the same */
    bool last_is_taken;
};

/* Counts operator versions; one is taken when each of its variables has a type that is. */
static void count(struct sums *sums, const bp_operator_info *row)
{
    struct bp_text key = {0};
    bool is_taken = is_host_operator(row) || row->taken || row->conditional;

    text_printf(&key, "%s.%s %" PRIu32, row->domain, row->op, row->since);
    if (strcmp(text_string(&key), text_string(&sums->last)) != 0) {
        sums->rows++;
        sums->host_operators += is_host_operator(row);
        sums->taken += is_taken && !is_host_operator(row);
        sums->last_is_taken = is_taken;
        text_clear(&sums->last);
        text_put(&sums->last, text_string(&key));
    } else if (sums->last_is_taken && !is_taken) {
        sums->taken--;
        sums->last_is_taken = false;
    }
    text_finish(&key);
}

struct listing {
    struct sums sums;
    struct table table;
    struct json *json;
    struct bp_text *pages; /* Markdown: the rows of each family */
    uint32_t n_pages;
};

/* The caller finishes all five with finish_cells(). */
static void cells(const bp_operator_info *row, struct bp_text cell[5])
{
    name_words(&cell[0], row);
    versions_words(&cell[1], row);
    text_clear(&cell[2]);
    text_put(&cell[2], row->params ? row->params : "");
    types_words(&cell[3], row->taken);
    types_words(&cell[4], lacks(row));
    if (is_host_operator(row)) {
        text_clear(&cell[3]);
        text_put(&cell[3], "run by the host");
    } else if (row->conditional) {
        struct bp_text others = {0};

        types_words(&others, row->conditional);
        text_printf(&cell[3], "%swith other attributes %s", row->taken ? "; " : "",
                    text_string(&others));
        text_finish(&others);
    } else if (row->taken == 0) {
        text_put(&cell[3], "-");
    }
}

static void finish_cells(struct bp_text cell[5])
{
    for (int i = 0; i < 5; i++)
        text_finish(&cell[i]);
}

static void add_table_row(void *user, const bp_operator_info *row)
{
    struct listing *listing = user;
    struct bp_text cell[5] = {{0}};

    count(&listing->sums, row);
    cells(row, cell);
    for (int i = 0; i < 5; i++)
        table_add(&listing->table, text_string(&cell[i]));
    finish_cells(cell);
}

/* Families number from 1; one that a newer library added has no page here and is left out. */
static void add_page_row(void *user, const bp_operator_info *row)
{
    struct listing *listing = user;
    struct bp_text cell[5] = {{0}};

    count(&listing->sums, row);
    cells(row, cell);
    for (int i = 0; i < 5 && row->family <= listing->n_pages; i++)
        text_printf(&listing->pages[row->family], "| %s ", text_string(&cell[i]));
    if (row->family <= listing->n_pages)
        text_put(&listing->pages[row->family], "|\n");
    finish_cells(cell);
}

static void json_types(struct json *json, const char *key, uint64_t types)
{
    json_list(json, key);
    for (uint32_t dtype = 1; dtype < BP_DTYPE_END; dtype++) {
        if (types >> dtype & 1)
            json_string(json, NULL, bp_dtype_name(dtype));
    }
    json_list_end(json);
}

static void add_json_row(void *user, const bp_operator_info *row)
{
    struct json *json = user;

    json_object(json, NULL);
    json_string(json, "domain", row->domain);
    json_string(json, "operator", row->op);
    json_string(json, "family", bp_operator_family(row->family, NULL));
    json_uint(json, "since", row->since);
    if (row->until)
        json_uint(json, "until", row->until);
    json_bool(json, "run_by_host", is_host_operator(row));
    if (!is_host_operator(row)) {
        json_string(json, "parameters", row->params);
        json_types(json, "takes", row->taken);
        json_types(json, "conditional", row->conditional);
        json_types(json, "lacks", lacks(row));
    }
    json_object_end(json);
}

/* ---- the three formats ----------------------------------------------------------------------- */

static void sums_words(struct bp_text *out, const struct sums *sums)
{
    text_printf(
        out, "%" PRIu32 " of %" PRIu32 " operator versions; %" PRIu32 " more are run by the host",
        sums->taken, sums->rows, sums->host_operators);
}

int operators_print(struct cli *cli, uint32_t index)
{
    static const char *const heads[] = {"operator", "versions", "inputs and outputs", "takes",
                                        "lacks"};
    struct listing listing = {.table = {.columns = 5}};
    struct bp_text words = {0};
    bp_rc rc;

    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        table_add(&listing.table, heads[i]);
    rc = bp_env_provider_operators(cli->env, index, add_table_row, &listing, &cli->err);
    if (rc >= 0) {
        sums_words(&words, &listing.sums);
        putchar('\n');
        table_print(&listing.table, cli, 0, true);
        puts(text_string(&words));
    }
    table_finish(&listing.table);
    text_finish(&listing.sums.last);
    text_finish(&words);
    return rc < 0 ? cli_fail_rc(cli, CLI_RUN, rc) : CLI_OK;
}

/* The library numbers them without gaps. */
static uint32_t count_families(void)
{
    uint32_t n = 0;

    while (bp_operator_family(n + 1, NULL))
        n++;
    return n;
}

/* A table for each family, in the order that the library gives them. */
static void print_pages(const struct listing *listing)
{
    for (uint32_t i = 1; i <= listing->n_pages; i++) {
        const char *about, *name = bp_operator_family(i, &about);

        printf("\n## %s\n\n%s\n\n"
               "| operator | versions | inputs and outputs | takes | lacks |\n"
               "|---|---|---|---|---|\n%s",
               name, about, text_string(&listing->pages[i]));
    }
}

int operators_markdown(struct cli *cli, uint32_t index, const char *name)
{
    struct listing listing = {.n_pages = count_families()};
    struct bp_text words = {0};
    bp_rc rc;

    listing.pages = calloc(listing.n_pages + 1, sizeof *listing.pages);
    if (!listing.pages)
        return cli_fail(cli, CLI_RUN, "no memory for the operators");
    rc = bp_env_provider_operators(cli->env, index, add_page_row, &listing, &cli->err);
    if (rc >= 0) {
        sums_words(&words, &listing.sums);
        printf(
            "# Operators of the `%s` provider\n\n"
            "Written by `backplane providers info %s --markdown`, which asks the provider; `make "
            "update-operators` writes it again.\nThe provider takes %s.\n\n"
            "A row is a version of an operator; an operator whose inputs and outputs have "
            "different types has several rows. *Takes* lists\nthe element types that the "
            "provider takes with default attributes, *lacks* those that ONNX allows beyond "
            "them. Other attribute\nvalues and shapes may be refused: `backplane plan MODEL` "
            "shows that for a model.\n",
            name, name, text_string(&words));
        print_pages(&listing);
    }
    for (uint32_t i = 0; i <= listing.n_pages; i++)
        text_finish(&listing.pages[i]);
    free(listing.pages);
    text_finish(&listing.sums.last);
    text_finish(&words);
    return rc < 0 ? cli_fail_rc(cli, CLI_RUN, rc) : CLI_OK;
}

int operators_json(struct cli *cli, uint32_t index, struct json *json)
{
    bp_rc rc;

    json_array(json, "operators");
    rc = bp_env_provider_operators(cli->env, index, add_json_row, json, &cli->err);
    json_array_end(json);
    return rc < 0 ? cli_fail_rc(cli, CLI_RUN, rc) : CLI_OK;
}
