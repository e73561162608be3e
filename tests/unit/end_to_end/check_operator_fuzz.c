/* SPDX-License-Identifier: MIT */
/*
 * check_operator_fuzz.c - whatever a model asks of an operator, a session comes out or an error in
 * words, and the same input gives the same bytes. Each row of the schema table gets models of one node.
 *
 *     BP_FUZZ_SEED=7        another seed
 *     BP_FUZZ_COUNT=1000    models a row
 *     BP_FUZZ_OP=Conv       rows of one operator; Conv-11 one row
 *     BP_FUZZ_ONE=0x1234    one model, by the seed that a failure names; with BP_FUZZ_OP
 *     BP_FUZZ_TRACE=1       says what came of each model
 *     BP_FUZZ_MODELS=DIR    instead, changed copies of the model.onnx files below a folder
 *     BP_FUZZ_TALLY=1       says how many models of each row ran
 */
#include "config.h"

#include <malloc.h>
#include <stdio.h>

#include "end_to_end/operator_fuzz_check.h"
#include "graph/schema_table.h"

enum {
    SLICES = 8, /* tests that the rows are dealt to */
    COUNT = 4   /* models a row */
};

/* ---- runs ------------------------------------------------------------------------------------ */

/* Feeds what the session wants; where a value is too large to be made, an empty or a small one. */
static uint32_t feed(struct fuzz *fuzz, bp_session *session, bp_binding *in, int64_t *one)
{
    uint32_t n = 0, index;

    for (uint32_t i = 0; i < fuzz->n_in; i++) {
        struct fuzz_value *value = &fuzz->in[i];
        bp_tensor *tensor = &in[n].tensor;

        if (bp_session_find_input(session, value->fed, &index, NULL) < 0 ||
            (value->form == FUZZ_DEFAULT && (fuzz->list & 1)))
            continue;
        in[n] = (bp_binding){.index = index, .object = value->object};
        *tensor = (bp_tensor){.dims = value->dims, .rank = value->rank, .dtype = value->dtype};
        if (value->is_huge) {
            tensor->base = one;
            tensor->bytes = sizeof *one;
            tensor->rank = 0;
        } else if (!value->object) {
            tensor->base = value->data;
            if (!bp_dense_bytes(value->dtype, value->dims, value->rank, &tensor->bytes))
                tensor->bytes = 0;
        }
        n++;
    }
    return n;
}

static void run_once(struct fuzz *fuzz, bp_session *session, struct fuzz_outcome *result)
{
    bool is_hosted = fuzz->row->is_host_op;
    bp_binding in[FUZZ_VALUES];
    int64_t one[2] = {0};
    uint32_t n_in = feed(fuzz, session, in, one);

    fuzz_run(session, in, n_in, is_hosted ? 30000000 : 10000000000, fuzz->is_large || is_hosted,
             result);
}

static bool is_random(const struct bp_schema *row)
{
    return strncmp(row->op, "Random", 6) == 0 || strcmp(row->op, "Multinomial") == 0 ||
           strcmp(row->op, "Bernoulli") == 0 || strstr(row->op, "Dropout");
}

static bp_rc open_session(bp_model *model, bp_session **out)
{
    bp_rc rc;

    kit.text[0] = '\0';
    rc = bp_session_create_from_model(kit.env, model, NULL, out, &kit.err);
    if (rc < 0)
        fuzz_check_refusal(rc, false, "session");
    return rc;
}

/*
 * Two sessions of a model, in memory that was filled with other bytes; in the first, a run with other
 * contents lies between two equal ones. Gives the code of the first run, or of what came before.
 */
static bp_rc try_sessions(struct fuzz *fuzz, struct fuzz *other, bp_model *model)
{
    struct fuzz_outcome first, between, again;
    bp_session *session;
    bp_rc rc;

    mallopt(M_PERTURB, 0x55);
    rc = open_session(model, &session);
    if (rc < 0)
        return rc;
    run_once(fuzz, session, &first);
    if (first.rc >= 0) {
        run_once(other, session, &between);
        run_once(fuzz, session, &again);
        if (!is_random(fuzz->row))
            fuzz_compare(&first, &again, "the same run again");
    }
    bp_session_destroy(session);
    if (first.rc < 0)
        return first.rc;
    mallopt(M_PERTURB, 0xaa);
    rc = open_session(model, &session);
    FUZZ_CHECK(rc >= 0 || rc == BP_E_NOMEM, "a second session: %s", kit.text);
    if (rc < 0)
        return rc;
    run_once(fuzz, session, &again);
    if (!is_random(fuzz->row))
        fuzz_compare(&first, &again, "another session");
    bp_session_destroy(session);
    return first.rc;
}

static bp_rc try_model(const struct bp_schema *row, uint64_t seed)
{
    static struct fuzz fuzz, other;
    bp_model *model = NULL;
    bp_rc rc;

    fuzz_make(&fuzz, row, seed);
    fuzz_make(&other, row, seed);
    fuzz_refill(&other);
    fuzz_begin(fuzz.words.data);
    kit.text[0] = '\0';
    rc = bp_model_open_memory(kit.env, fuzz.w.data, fuzz.w.size, NULL, &model, &kit.err);
    if (rc < 0)
        fuzz_check_refusal(rc, false, "model");
    else
        rc = try_sessions(&fuzz, &other, model);
    bp_model_close(model);
    if (getenv("BP_FUZZ_TRACE"))
        fprintf(stderr, "%s\n    %s %s\n", fuzz.words.data, bp_rc_name(rc), rc < 0 ? kit.text : "");
    fuzz_end();
    fuzz_finish(&fuzz);
    fuzz_finish(&other);
    return rc;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);

    return text ? strtoull(text, NULL, 0) : otherwise;
}

/* Is the row one of those asked for? */
static bool is_asked(const struct bp_schema *row)
{
    const char *op = getenv("BP_FUZZ_OP");
    char name[128];

    snprintf(name, sizeof name, "%s-%u", row->op, row->since);
    return !op || strcmp(op, row->op) == 0 || strcmp(op, name) == 0;
}

static uint64_t seed_of(const struct bp_schema *row, uint64_t seed, uint64_t i)
{
    uint64_t state = seed * 1000003 + i + ((uint64_t)row->since << 40);

    for (const char *p = row->op; *p; p++)
        state = (state ^ (uint8_t)*p) * 0x100000001b3u;
    return random_next(&state) >> 16;
}

/* Gives how many models ran. */
static uint32_t try_row(const struct bp_schema *row)
{
    uint64_t seed = number_from("BP_FUZZ_SEED", 1), one = number_from("BP_FUZZ_ONE", 0);
    uint32_t count = (uint32_t)number_from("BP_FUZZ_COUNT", COUNT), n_run = 0;

    if (one)
        return try_model(row, one) == BP_OK;
    for (uint32_t i = 0; i < count; i++)
        n_run += try_model(row, seed_of(row, seed, i)) == BP_OK;
    if (getenv("BP_FUZZ_TALLY"))
        fprintf(stderr, "TALLY %s:%s-%u %u of %u\n", row->domain, row->op, row->since, n_run,
                count);
    return n_run;
}

START_TEST(every_operator_runs_or_rejects_random_nodes)
{
    uint32_t n, n_run = 0, n_tried = 0;
    const struct bp_schema *const *rows = bp_schema_all(&n);

    kit_new_env(1 + (uint32_t)_i % 2);
    for (uint32_t i = (uint32_t)_i; i < n; i += SLICES) {
        if (!is_asked(rows[i]))
            continue;
        n_run += try_row(rows[i]);
        n_tried++;
    }
    if (!getenv("BP_FUZZ_OP"))
        ck_assert_msg(n_run > n_tried / 2, "only %u models ran, of %u rows", n_run, n_tried);
}
END_TEST

START_TEST(mutated_models_run_or_are_rejected)
{
    uint32_t count = (uint32_t)number_from("BP_FUZZ_COUNT", COUNT);
    uint32_t n_run = fuzz_files(getenv("BP_FUZZ_MODELS"), number_from("BP_FUZZ_SEED", 1), count);

    if (getenv("BP_FUZZ_TALLY"))
        fprintf(stderr, "TALLY %u runs\n", n_run);
    ck_assert_msg(n_run > 0 || getenv("BP_FUZZ_ONE"), "nothing ran");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("operator fuzz");

    tcase_add_checked_fixture(tcase, fuzz_setup, kit_teardown);
    tcase_set_timeout(tcase, 0);
    if (getenv("BP_FUZZ_MODELS"))
        tcase_add_test(tcase, mutated_models_run_or_are_rejected);
    else
        tcase_add_loop_test(tcase, every_operator_runs_or_rejects_random_nodes, 0, SLICES);
    return kit_main("operator fuzz", &tcase, 1);
}
