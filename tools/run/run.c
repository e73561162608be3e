/* SPDX-License-Identifier: MIT */
/* run.c - one run of a session, and what is told of it. */

#include "config.h"

#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>

#include <bp/sdk.h>

#include "lib/deadline.h"
#include "values/value.h"

/*
 * Outputs without a buffer are allocated by the session; results_finish() frees them. On failure
 * *out is empty.
 */
int run_once(struct cli *cli, bp_session *session, const bp_binding *inputs, uint32_t n_inputs,
             bp_profile *profile, struct results *out)
{
    bp_run_options options = {
        .struct_size = sizeof options, .timeout_ns = deadline_left(), .profile = profile};
    uint32_t n = bp_session_output_count(session);
    bp_rc rc;

    out->n = n;
    out->bindings = xalloc(n, sizeof *out->bindings);
    for (uint32_t i = 0; i < n; i++)
        out->bindings[i].index = i;
    rc = bp_session_run(session, inputs, n_inputs, out->bindings, n, &options, &cli->err);
    if (rc >= 0)
        return CLI_OK;
    results_finish(out);
    return rc == BP_E_TIMEOUT ? CLI_TIMEOUT : CLI_RUN;
}

void results_finish(struct results *results)
{
    for (uint32_t i = 0; i < results->n; i++) {
        bp_tensor_free(&results->bindings[i].tensor);
        bp_object_release(results->bindings[i].object);
    }
    free(results->bindings);
    *results = (struct results){0};
}

size_t run_first_count(const bp_tensor *tensor)
{
    size_t n = value_count(tensor);

    return n < RUN_FIRST_VALUES ? n : RUN_FIRST_VALUES;
}

/* Prints the range of the elements that are not NaN, and the number of NaNs. */
static void print_stats(const bp_tensor *tensor)
{
    struct value_stats stats;

    value_get_stats(tensor, &stats);
    if (stats.count > stats.nans)
        printf("    min %.7g, max %.7g, mean %.7g", stats.min, stats.max, stats.mean);
    if (stats.nans)
        printf("%s%zu NaN", stats.count > stats.nans ? ", " : "    ", stats.nans);
    if (stats.infinities)
        printf(", %zu infinite", stats.infinities);
    if (stats.count)
        putchar('\n');
}

static void print_output(const struct cli *cli, const char *name, const bp_tensor *tensor)
{
    struct bp_text text = {0};
    size_t shown = run_first_count(tensor);

    text_put(&text, "  ");
    text_put(&text, cli_style(cli->colour, STYLE_BOLD));
    text_clean(&text, name);
    text_put(&text, cli_style(cli->colour, STYLE_PLAIN));
    text_put(&text, "  ");
    text_tensor_type(&text, tensor);
    puts(text_string(&text));
    print_stats(tensor);
    text_clear(&text);
    for (size_t i = 0; i < shown; i++) {
        text_put(&text, i ? " " : "    ");
        value_text(&text, tensor, i);
    }
    if (shown > 0)
        printf("%s%s\n", text_string(&text), shown < value_count(tensor) ? " ..." : "");
    text_finish(&text);
}

static void print_verdict(const struct cli *cli, const struct expectation *e,
                          const struct results *results)
{
    bool is_same = compare_is_same(&e->result);
    struct bp_text text = {0};

    text_printf(&text, "%s%s%s ", cli_style(cli->colour, is_same ? STYLE_GREEN : STYLE_RED),
                is_same ? "same" : "DIFFERS", cli_style(cli->colour, STYLE_PLAIN));
    text_clean(&text, e->name);
    text_put(&text, ": ");
    compare_words(&text, &results->bindings[e->output].tensor, &e->want, &e->result);
    puts(text_string(&text));
    text_finish(&text);
}

void run_print(const struct cli *cli, const struct loaded *loaded, const struct results *results,
               const struct expectation *expectations, size_t n_expectations)
{
    if (results->n)
        printf("%soutputs%s\n", cli_style(cli->colour, STYLE_BOLD),
               cli_style(cli->colour, STYLE_PLAIN));
    for (uint32_t i = 0; i < results->n; i++) {
        bp_io_info io = {.struct_size = sizeof io};

        if (bp_session_output(loaded->session, i, &io, NULL) >= 0)
            print_output(cli, io.name, &results->bindings[i].tensor);
    }
    for (size_t i = 0; i < n_expectations; i++)
        print_verdict(cli, &expectations[i], results);
}
