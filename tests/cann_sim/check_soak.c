/* SPDX-License-Identifier: MIT */
/*
 * check_soak.c - the CANN provider under faults: sessions one after the other with random
 * options, limits and policies, runs of random shapes, and a device that runs out of memory, is
 * lost, busy, hangs, or fails to compile, copy, launch and wait. Each failure is a status with a
 * reason, the policy decides who runs, a result that is given is right, and after each session
 * nothing is left.
 *
 * BP_SOAK_RUNS says how many runs; `make soak` makes 100,000. A watchdog ends what hangs.
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "soak_kit.h"

enum {
    PROLOGUE = 3 * SOAK_TROUBLES, /* short sessions: each trouble with each policy */
    PROLOGUE_RUNS = 6,
    SESSION_RUNS = 60,
    RUNS_PER_CONDITION = 8, /* at most, before the conditions change */
    MIN_FOR_ALL = 1000,     /* runs that see every status */
    MAX_GROWTH = 4 << 20    /* bytes that a steady process may take more, for allocators */
};

static struct {
    uint64_t random;
    uint32_t wanted, session;
    bool is_limited; /* device memory, for this session */
    bool is_on_cpu;  /* the session: no device is open */
    struct soak_tally tally;
    uint32_t created[4], refused[4], taken_over[4]; /* sessions, by policy */
    double resident_early;
    time_t told;
} soak;

/* ---- figures --------------------------------------------------------------------------------- */

static uint32_t below(uint32_t n)
{
    return random_below(&soak.random, n);
}

static double resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    double size = 0, resident = 0;

    if (!file)
        return 0;
    if (fscanf(file, "%lf %lf", &size, &resident) != 2)
        resident = 0;
    fclose(file);
    return resident * (double)sysconf(_SC_PAGESIZE);
}

static void show(const char *what)
{
    const uint32_t *by_rc = soak.tally.by_rc;

    fprintf(stderr, "soak: %s: %u runs in %u sessions, %u right; %.1f MiB\n", what, soak.tally.runs,
            soak.session, by_rc[0], resident_bytes() / (1 << 20));
    for (int rc = 1; rc < SOAK_CODES; rc++) {
        if (by_rc[rc])
            fprintf(stderr, "soak:   %u %s\n", by_rc[rc], bp_rc_name(-rc));
    }
}

/* A line a second, of a long one. */
static void show_progress(void)
{
    time_t now = time(NULL);

    if (soak.wanted < 20 * MIN_FOR_ALL || now == soak.told)
        return;
    soak.told = now;
    fprintf(stderr, "soak: %u of %u runs, %u sessions, %.1f MiB\n", soak.tally.runs, soak.wanted,
            soak.session, resident_bytes() / (1 << 20));
}

/* ---- sessions -------------------------------------------------------------------------------- */

/* What is wrong before a session is made; NULL in the first place: an option, not the board. */
static const char *const troubles[SOAK_TROUBLES] = {
    "",
    "memory = 1M\n", /* the arena's first region does not fit */
    "state = busy\n",
    "fault = compile times 1000000\n",
    "devices = 0\n",
    NULL /* a limit below what constants need */
};

static void add_cann(uint32_t policy, const char *trouble)
{
    static const char *const strategies[] = {"kNextPowerOfTwo", "kSameAsRequested"};
    static const char *const limits[] = {"0", "0", "8K", "20K", "100K"};
    static const char *const bools[] = {"false", "true"};
    static const char *const queues[] = {"3", "10000"};
    const char *limit = trouble ? limits[below(5)] : "64";
    /*
     * Models of all shapes stay, as with the vendor's, so that a limit would fill for good; and in
     * a small memory their constants fit where the arena's first region then does not.
     */
    bool may_model = *limit == '0' && trouble && !strstr(trouble, "memory");
    bp_key_value rows[] = {
        {"driver", "sim"},
        {"npu_mem_limit", limit},
        {"arena_extend_strategy", strategies[below(2)]},
        {"do_copy_in_default_stream", bools[below(2)]},
        {"max_opqueue_num", queues[below(2)]},
        {"enable_cann_graph", bools[may_model && below(2)]},
        {"dump_om_model", "false"},
    };

    soak.is_limited = *limit != '0';
    cann_forget();
    cann_add_rows(policy, rows, sizeof rows / sizeof rows[0]);
}

/* Has cann come to nothing in the session? */
static bool is_taken_over(void)
{
    bp_report_provider row = cann_report_row(bp_session_report(kit.session), 0);

    ck_assert_str_eq(row.name, "cann");
    ck_assert_msg(row.code >= 0 || (row.reason && *row.reason), "the report has no reason");
    return row.code < 0;
}

/* REQUIRE: no session. WARN: one line says who and why. SILENT: none does. */
static void check_policy(uint32_t policy, bp_rc rc, bool is_healthy)
{
    uint32_t warned = kit_lines_with(BP_LOG_WARN, "cann");
    bool over;

    soak.is_on_cpu = false;
    if (rc < 0) {
        ck_assert_msg(policy == BP_FALLBACK_REQUIRE, "policy %u: %s", policy, kit.text);
        ck_assert_msg(strstr(kit.text, "cann") != NULL, "%s: %s", bp_rc_name(rc), kit.text);
        soak.refused[policy]++;
        soak.tally.by_rc[-rc]++;
        return;
    }
    over = soak.is_on_cpu = is_taken_over();
    ck_assert_msg(!over || policy != BP_FALLBACK_REQUIRE, "it was required");
    ck_assert_uint_eq(warned, over && policy == BP_FALLBACK_WARN ? 1 : 0);
    ck_assert_msg(!over || !is_healthy, "it left a healthy device");
    soak.created[policy]++;
    soak.taken_over[policy] += over;
}

/* False: there is none. */
static bool new_session(void)
{
    uint32_t i = soak.session++, policy = 1 + i % 3;
    bool is_prologue = i < PROLOGUE;
    const char *trouble = troubles[is_prologue ? i / 3 : below(4) ? 0 : below(SOAK_TROUBLES)];
    bool is_healthy = trouble && !*trouble, is_struck = is_healthy && !is_prologue && below(3) == 0;
    char board[128];
    bp_rc rc;

    soak_model(i % 2);
    snprintf(board, sizeof board, "%slate_us = %u\n", trouble ? trouble : "", below(4) ? 0 : 50);
    bp_ascend_clear_faults();
    cann_configure(board);
    add_cann(policy, trouble);
    if (is_struck)
        soak_strike_creation(&soak.random);
    kit.n_lines = 0;
    kit.text[0] = '\0';
    rc = kit_try_session();
    check_policy(policy, rc, is_healthy && !is_struck);
    bp_ascend_clear_faults();
    return rc >= 0;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void run_under_conditions(uint32_t n_threads)
{
    struct soak_worker workers[SOAK_THREADS];
    struct soak_conditions conditions = {.name = "on the CPU", .must_be_right = true};
    uint32_t n = 1 + below(RUNS_PER_CONDITION);

    if (!soak.is_on_cpu)
        conditions = soak_conditions(&soak.random);
    for (uint32_t i = 0; i < n_threads; i++) {
        soak_begin(&workers[i], random_next(&soak.random), n, &conditions);
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, soak_work, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < n_threads; i++) {
        pthread_join(workers[i].thread, NULL);
        soak_add(&soak.tally, &workers[i].tally);
    }
    if (!soak.is_on_cpu)
        soak_calm();
    for (uint32_t i = 0; i < n_threads; i++)
        ck_assert_msg(!workers[i].problem[0], "%s: %s", conditions.name, workers[i].problem);
}

/*
 * Small enough for every limit, so it has to be right: once frames have given back what they keep
 * for other shapes, where there is a limit.
 */
static void check_recovered(void)
{
    struct soak_conditions calm = {.name = "calm", .must_be_right = true};
    struct soak_worker worker;
    uint64_t freed;

    if (soak.is_limited)
        KIT_OK(bp_session_trim(kit.session, &freed, &kit.err));
    soak_begin(&worker, 1, 1, &calm);
    soak_work(&worker);
    soak_add(&soak.tally, &worker.tally);
    ck_assert_msg(!worker.problem[0], "behind bad conditions: %s", worker.problem);
}

static void run_session(void)
{
    uint32_t until = soak.tally.runs + (soak.session <= PROLOGUE ? PROLOGUE_RUNS : SESSION_RUNS);
    uint32_t n_threads = below(8) ? 1 : SOAK_THREADS;

    while (soak.tally.runs < until && soak.tally.runs < soak.wanted) {
        run_under_conditions(n_threads);
        check_recovered();
        show_progress();
    }
}

/* ---- the test -------------------------------------------------------------------------------- */

static void check_seen(void)
{
    static const int all[] = {
        0, BP_E_NOMEM, BP_E_DEVICE_LOST, BP_E_BUSY, BP_E_TIMEOUT, BP_E_INTERNAL, BP_E_CANCELLED};

    ck_assert_uint_gt(soak.refused[BP_FALLBACK_REQUIRE], 0);
    ck_assert_uint_gt(soak.taken_over[BP_FALLBACK_WARN], 0);
    ck_assert_uint_gt(soak.taken_over[BP_FALLBACK_SILENT], 0);
    for (uint32_t policy = 1; policy < 4; policy++)
        ck_assert_uint_gt(soak.created[policy], soak.taken_over[policy]);
    if (soak.wanted < MIN_FOR_ALL)
        return;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        ck_assert_msg(soak.tally.by_rc[-all[i]] > 0, "%s was not seen", bp_rc_name(all[i]));
}

static void tell(double resident)
{
    show("done");
    fprintf(stderr,
            "soak: sessions refused (REQUIRE) %u; taken over WARN %u, SILENT %u; on cann %u\n",
            soak.refused[BP_FALLBACK_REQUIRE], soak.taken_over[BP_FALLBACK_WARN],
            soak.taken_over[BP_FALLBACK_SILENT],
            soak.created[1] + soak.created[2] + soak.created[3] - soak.taken_over[1] -
                soak.taken_over[2]);
    fprintf(stderr, "soak: resident memory %.1f MiB at 10 %%, %.1f MiB at the end\n",
            soak.resident_early / (1 << 20), resident / (1 << 20));
}

START_TEST(survives_random_shapes_limits_and_faults)
{
    const char *asked = getenv("BP_SOAK_RUNS");
    double resident;

    soak.wanted = asked ? (uint32_t)strtoul(asked, NULL, 10) : SOAK_DEFAULT_RUNS;
    soak.random = 8;
    soak_watch(show);
    while (soak.tally.runs < soak.wanted) {
        if (new_session())
            run_session();
        cann_check_left();
        if (soak.resident_early == 0 && soak.tally.runs >= soak.wanted / 10)
            soak.resident_early = resident_bytes();
    }
    resident = resident_bytes();
    soak_end_watch();
    tell(resident);
    check_seen();
    if (soak.wanted >= 20 * MIN_FOR_ALL && !WITH_ASAN && !WITH_TSAN)
        ck_assert_msg(resident <= soak.resident_early + MAX_GROWTH, "it grows");
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("conditions")};

    tcase_set_timeout(cases[0], 600);
    tcase_add_checked_fixture(cases[0], cann_setup, cann_teardown);
    tcase_add_test(cases[0], survives_random_shapes_limits_and_faults);
    return kit_main("cann_soak", cases, 1);
}
