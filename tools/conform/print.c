/* SPDX-License-Identifier: MIT */
/* print.c - prints the results of tests: a line for each, or JSON; the summary. */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conform/conform.h"

const char *outcome_word(enum outcome outcome)
{
    static const char *const words[OUTCOMES] = {"passed", "failed", "known", "skipped"};

    return words[outcome];
}

/* "code" is an exit code of cli.h, that of this test alone. */
static void print_json(struct conform *c, const struct test *test)
{
    const struct verdict *verdict = &test->verdict;

    json_object(&c->json, NULL);
    json_string(&c->json, "name", test->name);
    json_string(&c->json, "result", outcome_word(test->outcome));
    json_int(&c->json, "code", verdict->code);
    json_uint(&c->json, "sets", verdict->n_sets);
    json_number(&c->json, "seconds", test->seconds);
    json_string(&c->json, "placement", verdict->placed);
    if (test->outcome != PASSED)
        json_string(&c->json, "why", verdict->why);
    json_object_end(&c->json);
}

/* What a test that failed had to say itself: warnings, the words of a memory checker. */
static void print_output(const struct test *test)
{
    const char *p = test->output;

    fflush(stdout);
    while (test->outcome == FAILED && *p) {
        size_t n = strcspn(p, "\n");
        struct bp_text line = {0};
        char *copy = xalloc(n + 1, 1);

        memcpy(copy, p, n);
        text_put(&line, "    ");
        text_clean(&line, copy);
        fprintf(stderr, "%s\n", text_string(&line));
        text_finish(&line);
        free(copy);
        p += n + (p[n] == '\n');
    }
}

/* Flushed at once, so that a reader of a pipe sees tests as they end. */
static void print_line(const struct conform *c, const struct test *test)
{
    static const char *const labels[OUTCOMES] = {"ok  ", "FAIL", "known", "skip"};
    static const enum cli_style styles[OUTCOMES] = {STYLE_GREEN, STYLE_RED, STYLE_YELLOW,
                                                    STYLE_YELLOW};
    bool colour = c->cli->colour;
    struct bp_text line = {0};

    if (c->cli->globals.quiet && test->outcome != FAILED)
        return;
    text_printf(&line, "%s%s%s ", cli_style(colour, styles[test->outcome]), labels[test->outcome],
                cli_style(colour, STYLE_PLAIN));
    text_clean(&line, test->name);
    if (c->args->suite.has_report && *test->verdict.placed)
        text_printf(&line, "  (%s)", test->verdict.placed);
    if (test->outcome != PASSED) {
        text_put(&line, ": ");
        text_clean(&line, test->verdict.why);
    }
    puts(text_string(&line));
    fflush(stdout);
    text_finish(&line);
    print_output(test);
}

/* Tests are printed in their order, whichever of them ends first. */
void conform_print(struct conform *c, struct test *test)
{
    size_t n_done = 0;

    c->counts[test->outcome]++;
    for (size_t i = 0; i < OUTCOMES; i++)
        n_done += c->counts[i];
    if (c->n_printed < c->n && c->tests[c->n_printed].is_done)
        progress_end(&c->progress);
    for (; c->n_printed < c->n && c->tests[c->n_printed].is_done; c->n_printed++) {
        if (c->args->is_json)
            print_json(c, &c->tests[c->n_printed]);
        else
            print_line(c, &c->tests[c->n_printed]);
    }
    progress_show(&c->progress, test->name, (double)n_done / (double)c->n);
}

/* The arrays opened here are closed by conform_end(). */
void conform_begin(struct conform *c)
{
    progress_begin(&c->progress, c->cli);
    c->json = (struct json){.out = stdout};
    if (!c->args->is_json)
        return;
    json_object(&c->json, NULL);
    json_string(&c->json, "schema", "conform/1");
    json_array(&c->json, "results");
}

/* Prints the failures in the format that --expect reads. */
static void list_failures(const struct conform *c)
{
    for (size_t i = 0; i < c->n; i++) {
        struct bp_text line = {0};

        if (!c->tests[i].is_done || c->tests[i].outcome != FAILED)
            continue;
        text_clean(&line, c->tests[i].name);
        text_put(&line, "  ");
        text_clean(&line, c->tests[i].verdict.why);
        puts(text_string(&line));
        text_finish(&line);
    }
}

void conform_end(struct conform *c)
{
    progress_end(&c->progress);
    if (c->args->is_json) {
        json_array_end(&c->json);
        for (uint32_t i = 0; i < OUTCOMES; i++)
            json_uint(&c->json, outcome_word(i), c->counts[i]);
        json_number(&c->json, "seconds", c->seconds);
        json_object_end(&c->json);
        return;
    }
    if (c->args->list_failures)
        list_failures(c);
    if (!c->cli->globals.quiet)
        printf("%zu passed, %zu failed, %zu known, %zu skipped\n", c->counts[PASSED],
               c->counts[FAILED], c->counts[KNOWN], c->counts[SKIPPED]);
}
