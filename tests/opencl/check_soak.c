/* SPDX-License-Identifier: MIT */
/*
 * check_soak.c - the provider opencl under random faults: sessions one after the other with random
 * options and policies, runs of random shapes by one thread or several, and a driver whose calls fail
 * at random, whose device is lost or late. Each failure is a status with a reason, a result that is
 * given is right, the run after is right, and after each session no object of the driver is left.
 *
 * BP_SOAK_RUNS says how many runs; 100,000 take some minutes. What hangs is ended.
 */

#include "config.h"

#include "opencl_kit.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "support/random.h"

enum {
    DEFAULT_RUNS = WITH_ASAN || WITH_TSAN ? 200 : 400,
    SESSION_RUNS = 30,
    RUNS_PER_CONDITION = 8, /* at most, before the conditions change */
    THREADS = 3,
    CODES = 16,
    HANG_SECONDS = 240,
    MIN_FOR_ALL = 1000 /* runs that see each status */
};

/* What the driver is like for some runs. */
struct conditions {
    uint32_t per_million, delay_ms;
    bool is_lost, is_cancelled;
    int64_t timeout_ns;
};

struct worker {
    pthread_t thread;
    uint64_t random;
    uint32_t n, by_rc[CODES];
    const struct conditions *conditions;
    char problem[512]; /* what is wrong; "" for nothing */
};

static struct {
    uint64_t random;
    uint32_t wanted, runs, sessions, refused, taken_over, by_rc[CODES];
    char cache[64];
    time_t told;
} soak;

static uint32_t below(uint32_t n)
{
    return random_below(&soak.random, n);
}

/* ---- figures --------------------------------------------------------------------------------- */

static double resident_mib(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    double size = 0, resident = 0;

    if (file && fscanf(file, "%lf %lf", &size, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

static void show(const char *what)
{
    fprintf(stderr,
            "soak: %s: %u runs in %u sessions (%u refused, %u on cpu), %llu calls, %.1f MiB\n",
            what, soak.runs, soak.sessions, soak.refused, soak.taken_over,
            (unsigned long long)ocl->calls(NULL), resident_mib());
    for (int rc = 0; rc < CODES; rc++) {
        if (soak.by_rc[rc])
            fprintf(stderr, "soak:   %u %s\n", soak.by_rc[rc], bp_rc_name(-rc));
    }
}

/* A line each ten seconds, of a long one. */
static void show_progress(void)
{
    time_t now = time(NULL);

    alarm(HANG_SECONDS);
    if (soak.told == 0)
        soak.told = now;
    if (now < soak.told + 10)
        return;
    soak.told = now;
    show("so far");
}

/* ---- runs ------------------------------------------------------------------------------------ */

static struct conditions choose_conditions(void)
{
    static const uint32_t rates[] = {0, 0, 2000, 20000};
    struct conditions conditions = {.per_million = rates[below(4)]};

    switch (below(16)) {
    case 0:
        conditions.is_lost = true;
        break;
    case 1:
        conditions.is_cancelled = true;
        break;
    case 2:
        conditions.delay_ms = 3;
        conditions.timeout_ns = 1000000;
        break;
    case 3:
    case 4:
        conditions.timeout_ns = INT64_C(3600000000000); /* events are looked at */
        break;
    default:
        break;
    }
    return conditions;
}

static bool is_fitting(const struct conditions *conditions, bp_rc rc)
{
    switch (rc) {
    case BP_OK:
        return true;
    case BP_E_CANCELLED:
        return conditions->is_cancelled;
    case BP_E_TIMEOUT:
        return conditions->timeout_ns > 0;
    case BP_E_NOMEM:
    case BP_E_DEVICE_LOST:
    case BP_E_UNSUPPORTED:
        return conditions->per_million > 0 || conditions->is_lost;
    default:
        return false;
    }
}

static void one_run(struct worker *worker)
{
    const struct conditions *conditions = worker->conditions;
    const volatile uint32_t yes = 1;
    char text[384] = "";
    bp_err err = bp_err_init(text, sizeof text);
    bp_run_options options = {.struct_size = sizeof options,
                              .timeout_ns = conditions->timeout_ns,
                              .cancel = conditions->is_cancelled ? &yes : NULL};
    uint32_t n_wrong, rows = 1 + random_below(&worker->random, OCL_MAX_ROWS);
    bp_rc rc = ocl_run(rows, (float)random_below(&worker->random, 9), &options, &n_wrong, &err);

    worker->by_rc[-rc % CODES]++;
    if (n_wrong > 0)
        snprintf(worker->problem, sizeof worker->problem, "%u wrong elements", n_wrong);
    else if (!is_fitting(conditions, rc) || (rc < 0 && !text[0]))
        snprintf(worker->problem, sizeof worker->problem, "%s: %s", bp_rc_name(rc), text);
}

static void *work(void *arg)
{
    struct worker *worker = arg;

    for (uint32_t i = 0; i < worker->n && !worker->problem[0]; i++)
        one_run(worker);
    return NULL;
}

static void run_under(const struct conditions *conditions, uint32_t n_threads, uint32_t n)
{
    struct worker workers[THREADS] = {0};

    ocl->clear();
    ocl->fail_at_random(random_next(&soak.random), conditions->per_million);
    ocl->lose(conditions->is_lost);
    ocl->delay(conditions->delay_ms);
    for (uint32_t i = 0; i < n_threads; i++) {
        workers[i].random = random_next(&soak.random);
        workers[i].n = n;
        workers[i].conditions = conditions;
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < n_threads; i++) {
        pthread_join(workers[i].thread, NULL);
        soak.runs += n;
        for (uint32_t rc = 0; rc < CODES; rc++)
            soak.by_rc[rc] += workers[i].by_rc[rc];
    }
    ocl->clear();
    for (uint32_t i = 0; i < n_threads; i++)
        ck_assert_msg(!workers[i].problem[0], "%s", workers[i].problem);
}

static void run_session(void)
{
    const struct conditions calm = {0};
    uint32_t until = soak.runs + SESSION_RUNS, n_threads = below(8) ? 1 : THREADS;

    while (soak.runs < until && soak.runs < soak.wanted) {
        struct conditions conditions = choose_conditions();

        run_under(&conditions, n_threads, 1 + below(RUNS_PER_CONDITION));
        run_under(&calm, 1, 1);
        show_progress();
    }
}

/* ---- sessions -------------------------------------------------------------------------------- */

static void add_opencl(uint32_t policy)
{
    const bp_key_value options[] = {{NULL, NULL},
                                    {"cache_dir", soak.cache},
                                    {"profiling", "true"},
                                    {"memory_limit", "10000000"}};
    uint32_t i = below(4);

    ocl_add(policy, options[i].key, options[i].value);
}

/* False: there is none, which only a policy that requires the provider does. */
static bool new_session(void)
{
    uint32_t policy = 1 + soak.sessions++ % 3;
    bool is_struck = below(3) == 0;
    bp_rc rc;

    add_opencl(policy);
    kit.n_lines = 0;
    kit.text[0] = '\0';
    if (is_struck)
        ocl->fail_at_random(random_next(&soak.random), 100000);
    rc = kit_try_session();
    ocl->clear();
    if (rc < 0) {
        soak.refused++;
        ck_assert_msg(policy == BP_FALLBACK_REQUIRE && is_struck && strstr(kit.text, "opencl"),
                      "policy %u: %s: %s", policy, bp_rc_name(rc), kit.text);
        return false;
    }
    if (policy == BP_FALLBACK_WARN)
        soak.taken_over += kit_lines_with(BP_LOG_WARN, "opencl");
    return true;
}

static void check_seen(void)
{
    if (soak.wanted < MIN_FOR_ALL)
        return;
    ck_assert_uint_gt(soak.by_rc[0], soak.runs / 2);
    ck_assert_uint_gt(soak.by_rc[-BP_E_DEVICE_LOST], 0);
    ck_assert_uint_gt(soak.by_rc[-BP_E_NOMEM], 0);
    ck_assert_uint_gt(soak.by_rc[-BP_E_CANCELLED], 0);
    ck_assert_uint_gt(soak.by_rc[-BP_E_TIMEOUT], 0);
}

START_TEST(survives_random_faults)
{
    const char *asked = getenv("BP_SOAK_RUNS");
    double early = 0;

    soak.wanted = asked ? (uint32_t)strtoul(asked, NULL, 10) : DEFAULT_RUNS;
    soak.random = 20;
    snprintf(soak.cache, sizeof soak.cache, "/tmp/bp-opencl-soak-%ld", (long)getpid());
    ocl_model("N");
    ocl_add(BP_FALLBACK_REQUIRE, NULL, NULL);
    kit_session(); /* devices are listed once an environment */
    ocl_need_reference();
    while (soak.runs < soak.wanted) {
        if (new_session())
            run_session();
        ocl_check_left();
        show_progress();
        if (early == 0 && soak.runs >= soak.wanted / 10)
            early = resident_mib();
    }
    alarm(0);
    show("done");
    fprintf(stderr, "soak: resident memory %.1f MiB at 10 %%, %.1f MiB at the end\n", early,
            resident_mib());
    check_seen();
    snprintf(kit.text, sizeof kit.text, "rm -rf '%s'", soak.cache);
    ck_assert_int_eq(system(kit.text), 0);
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("soak")};

    tcase_add_test(cases[0], survives_random_faults);
    return ocl_main("opencl_soak", cases, 1);
}
