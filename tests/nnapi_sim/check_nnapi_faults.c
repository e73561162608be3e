/* SPDX-License-Identifier: MIT */
/*
 * check_nnapi_faults.c - the provider nnapi when the runtime fails: each failure is a status with
 * NNAPI's name for it, at session creation the policy decides, results that are given are right, and
 * after each session nothing is left. The soak does so at random; BP_SOAK_RUNS says how many runs.
 */

#include "config.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "nnapi_kit.h"
#include "support/random.h"

enum { N = 40 };

/* x -> Relu -> Mul c -> Gather (of the reference device) -> y, or of a constant that is pooled */
static void chain(void)
{
    float c[N];

    for (int i = 0; i < N; i++)
        c[i] = (float)(i + 1);
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "40");
    kit_floats("c", PW_DIMS(N), N, c);
    kit_ints("i", PW_DIMS(3), 3, (const int64_t[]){39, 0, 5});
    kit_node("relu", "Relu", "x", "r");
    kit_node("mul", "Mul", "r c", "m");
    kit_node("gather", "Gather", "m i", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
}

/* *n_wrong: elements of a result that is given and wrong. */
static bp_rc run_chain(float start, uint32_t *n_wrong, bp_err *err)
{
    float x[N] = {0}, want[3];
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, N), out = kit_wanted(0);
    bp_rc rc;

    for (int i = 0; i < N; i++)
        x[i] = start + (float)(i % 5) - 2;
    want[0] = x[39] > 0 ? x[39] * 40 : 0;
    want[1] = x[0] > 0 ? x[0] : 0;
    want[2] = x[5] > 0 ? x[5] * 6 : 0;
    *n_wrong = 0;
    rc = bp_session_run(kit.session, &in, 1, &out, 1, NULL, err);
    for (int i = 0; rc >= 0 && i < 3; i++)
        *n_wrong += ((const float *)bp_tensor_data(&out.tensor))[i] != want[i];
    bp_tensor_free(&out.tensor);
    return rc;
}

static void check_chain(float start)
{
    uint32_t n_wrong;

    KIT_OK(run_chain(start, &n_wrong, &kit.err));
    ck_assert_uint_eq(n_wrong, 0);
}

/* ---- at creation ----------------------------------------------------------------------------- */

static const struct {
    const char *config;
    uint32_t point; /* that fails always, if `times` */
    uint64_t times;
    int code;
    const char *words;
} hopeless[] = {
    {"", BP_NNAPI_AT_MODEL, 1000, 0, "OUT_OF_MEMORY"},
    {"", BP_NNAPI_AT_COMPILE, 1000, 0, "OP_FAILED"},
    {"", BP_NNAPI_AT_COMPILE, 1000, ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT,
     "RESOURCE_EXHAUSTED_PERSISTENT"},
    {"", BP_NNAPI_AT_MEMORY, 1000, 0, "OUT_OF_MEMORY"},
    {"", BP_NNAPI_AT_MAP, 1000, 0, "UNMAPPABLE"},
    {"device = sim-gpu\nstate = dead\n", 0, 0, 0, "DEAD_OBJECT"},
    {"device = sim-gpu\nstate = busy\n", 0, 0, 0, "RESOURCE_EXHAUSTED_TRANSIENT"},
};
enum { N_HOPELESS = sizeof hopeless / sizeof hopeless[0] };

static void start(int i, uint32_t fallback)
{
    chain();
    nnapi_configure(hopeless[i].config);
    nnapi_new_options();
    nnapi_add(fallback, NULL, NULL);
    if (hopeless[i].times)
        ck_assert_int_eq(
            bp_nnapi_fault(hopeless[i].point, BP_NNAPI_ANY, 0, hopeless[i].times, hopeless[i].code),
            ANEURALNETWORKS_NO_ERROR);
}

START_TEST(a_failure_at_creation_leaves_the_nodes_to_the_next_provider)
{
    start(_i, BP_FALLBACK_WARN);
    kit_session();
    ck_assert_uint_ge(kit_lines_with(BP_LOG_WARN, "nnapi"), 1);
    bp_nnapi_clear_faults();
    ck_assert_int_eq(bp_nnapi_set_state(0, BP_NNAPI_OK), ANEURALNETWORKS_NO_ERROR);
    check_chain(1);
}
END_TEST

START_TEST(a_failure_at_creation_fails_a_session_that_requires_the_provider)
{
    start(_i, BP_FALLBACK_REQUIRE);
    ck_assert_int_lt(kit_try_session(), 0);
    ck_assert_msg(strstr(kit.text, hopeless[_i].words) != NULL, "%s", kit.text);
}
END_TEST

/* ---- runs ------------------------------------------------------------------------------------ */

static const struct {
    int code;
    bp_rc rc;
    const char *words;
} failures[] = {
    {ANEURALNETWORKS_OUT_OF_MEMORY, BP_E_NOMEM, "OUT_OF_MEMORY (1)"},
    {ANEURALNETWORKS_OP_FAILED, BP_E_INTERNAL, "OP_FAILED (5)"},
    {ANEURALNETWORKS_UNAVAILABLE_DEVICE, BP_E_UNAVAILABLE, "UNAVAILABLE_DEVICE (9)"},
    {ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT, BP_E_TIMEOUT, "MISSED_DEADLINE_TRANSIENT (10)"},
    {ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT, BP_E_TIMEOUT, "MISSED_DEADLINE_PERSISTENT (11)"},
    {ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT, BP_E_BUSY, "RESOURCE_EXHAUSTED_TRANSIENT (12)"},
    {ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT, BP_E_NOMEM,
     "RESOURCE_EXHAUSTED_PERSISTENT (13)"},
    {ANEURALNETWORKS_DEAD_OBJECT, BP_E_DEVICE_LOST, "DEAD_OBJECT (14)"},
};

START_TEST(a_run_that_fails_says_nnapis_code)
{
    uint32_t n_wrong;

    chain();
    nnapi_session(NULL, NULL);
    check_chain(1);
    ck_assert_int_eq(bp_nnapi_fault(BP_NNAPI_AT_EXECUTE, BP_NNAPI_ANY, 0, 1, failures[_i].code),
                     ANEURALNETWORKS_NO_ERROR);
    KIT_FAILS(run_chain(2, &n_wrong, &kit.err), failures[_i].rc, failures[_i].words, "nnapi");
    ck_assert_int_eq(kit.err.native_code, failures[_i].code);
    check_chain(3);
}
END_TEST

START_TEST(a_dead_device_fails_each_run_until_it_is_back)
{
    uint32_t n_wrong;

    chain();
    nnapi_session(NULL, NULL);
    ck_assert_int_eq(bp_nnapi_set_state(0, BP_NNAPI_DEAD), ANEURALNETWORKS_NO_ERROR);
    for (int i = 0; i < 3; i++)
        KIT_FAILS(run_chain(1, &n_wrong, &kit.err), BP_E_DEVICE_LOST, "DEAD_OBJECT", "sim-gpu");
    ck_assert_int_eq(bp_nnapi_set_state(0, BP_NNAPI_OK), ANEURALNETWORKS_NO_ERROR);
    check_chain(1);
}
END_TEST

/* ---- soak ------------------------------------------------------------------------------------ */

enum { DEFAULT_RUNS = 1500, SESSION_RUNS = 40, THREADS = 2 };

struct worker {
    pthread_t thread;
    uint64_t random;
    uint32_t runs, right, failed;
    char problem[256];
};

static void *work(void *argument)
{
    struct worker *worker = argument;

    for (int i = 0; i < SESSION_RUNS / THREADS && !worker->problem[0]; i++) {
        char words[512] = "";
        bp_err err = bp_err_init(words, sizeof words);
        uint32_t n_wrong;
        bp_rc rc = run_chain((float)random_below(&worker->random, 9) - 4, &n_wrong, &err);

        worker->runs++;
        worker->right += rc >= 0;
        worker->failed += rc < 0;
        if (n_wrong || (rc < 0 && (rc == BP_E_INVALID || !strstr(words, "nnapi"))))
            snprintf(worker->problem, sizeof worker->problem, "%s, %u wrong: %s", bp_rc_name(rc),
                     n_wrong, words);
    }
    return NULL;
}

static void let_fail(uint64_t *random, const uint32_t *points, uint32_t n)
{
    static const int codes[] = {0, 9, 10, 12, 13, 14};
    uint32_t point = points[random_below(random, n)];
    int code = point == BP_NNAPI_AT_EXECUTE ? codes[random_below(random, 6)] : 0;

    bp_nnapi_fault_random(point, BP_NNAPI_ANY, 30000 + random_below(random, 300000),
                          random_next(random), code);
}

static bp_rc soak_session(uint64_t *random, uint32_t policy)
{
    static const uint32_t at_creation[] = {BP_NNAPI_AT_MODEL, BP_NNAPI_AT_COMPILE,
                                           BP_NNAPI_AT_MEMORY, BP_NNAPI_AT_MAP};
    static const char *const configs[] = {"", "level = 29\n", "level = 27\n", "devices = none\n",
                                          "devices = npu\n"};
    static const char *const flags[] = {"0", "1", "2", "4", "8"};

    bp_nnapi_clear_faults();
    nnapi_configure(configs[random_below(random, 5)]);
    nnapi_new_options();
    nnapi_add(policy, "nnapi_flags", flags[random_below(random, 5)]);
    if (random_below(random, 2))
        let_fail(random, at_creation, 4);
    kit.text[0] = '\0';
    return kit_try_session();
}

static void soak_runs(uint64_t *random, uint32_t *right, uint32_t *failed)
{
    static const uint32_t at_run[] = {BP_NNAPI_AT_EXECUTE, BP_NNAPI_AT_OPERATION};
    struct worker workers[THREADS];

    bp_nnapi_clear_faults();
    if (random_below(random, 3))
        let_fail(random, at_run, 2);
    memset(workers, 0, sizeof workers);
    for (int i = 0; i < THREADS; i++) {
        workers[i].random = random_next(random);
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(workers[i].thread, NULL), 0);
        ck_assert_msg(!workers[i].problem[0], "%s", workers[i].problem);
        *right += workers[i].right;
        *failed += workers[i].failed;
    }
}

/* Sessions with random levels, flags, policies and faults, and runs from two threads. */
START_TEST(faults_at_random_are_statuses)
{
    static const uint32_t policies[] = {BP_FALLBACK_SILENT, BP_FALLBACK_WARN, BP_FALLBACK_REQUIRE};
    const char *text = getenv("BP_SOAK_RUNS");
    uint32_t wanted = text ? (uint32_t)strtoul(text, NULL, 10) : DEFAULT_RUNS;
    uint32_t right = 0, failed = 0, refused = 0;
    uint64_t random = 21;

    chain();
    while (right + failed < wanted) {
        uint32_t policy = policies[random_below(&random, 3)];
        bp_rc rc = soak_session(&random, policy);

        ck_assert_msg(rc >= 0 || policy == BP_FALLBACK_REQUIRE, "policy %u: %s", policy, kit.text);
        ck_assert_msg(rc >= 0 || strstr(kit.text, "nnapi"), "%s", kit.text);
        refused += rc < 0;
        if (rc >= 0)
            soak_runs(&random, &right, &failed);
        bp_nnapi_clear_faults();
        nnapi_check_left();
    }
    ck_assert_uint_gt(right, failed);
    if (wanted < DEFAULT_RUNS)
        return; /* too few to meet everything */
    ck_assert_uint_gt(failed, 0);
    ck_assert_uint_gt(refused, 0);
}
END_TEST

int main(void)
{
    TCase *all = tcase_create("all");

    tcase_add_loop_test(all, a_failure_at_creation_leaves_the_nodes_to_the_next_provider, 0,
                        N_HOPELESS);
    tcase_add_loop_test(all, a_failure_at_creation_fails_a_session_that_requires_the_provider, 0,
                        N_HOPELESS);
    tcase_add_loop_test(all, a_run_that_fails_says_nnapis_code, 0, 8);
    tcase_add_test(all, a_dead_device_fails_each_run_until_it_is_back);
    tcase_add_test(all, faults_at_random_are_statuses);
    tcase_add_checked_fixture(all, nnapi_setup, nnapi_teardown);
    tcase_set_timeout(all, 3600);
    return kit_main("nnapi_faults", &all, 1);
}
