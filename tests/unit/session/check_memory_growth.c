/* SPDX-License-Identifier: MIT */
/*
 * check_memory_growth.c - after runs of many batch sizes the counters of bp_session_get_memory() say
 * what the process has grown by, and bp_session_trim() gives it back, on each provider.
 * BP_BATCH_SIZES: how many.
 */

#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/session_kit.h"
#include "support/skip.h"

enum {
    MOST_LEFT = 20000000, /* bytes that may stay after a trim */
    SMALL = 2000000       /* bytes that counters need not tell: programs, plans, the heap's pages */
};
enum { CHANNELS = 32, SIDE = 24, MOST_BATCH = 64, IMAGE = 3 * SIDE * SIDE };

static int n_sizes(void)
{
    const char *text = getenv("BP_BATCH_SIZES");

    return text ? atoi(text) : 150;
}

/* Resident bytes of the process; 0: the system does not say. */
static int64_t resident(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long long size = 0, pages = 0;

    if (!file)
        return 0;
    if (fscanf(file, "%lld %lld", &size, &pages) != 2)
        pages = 0;
    fclose(file);
    return (int64_t)pages * sysconf(_SC_PAGESIZE);
}

/* What the session says that it holds; a simulated device's memory is the process's, too. */
static int64_t counted(void)
{
    bp_memory_use row = {.struct_size = sizeof row};
    uint64_t bytes = 0;

    for (uint32_t i = 0; bp_session_get_memory(kit.session, i, &row, NULL) >= 0; i++)
        bytes += row.held_bytes - row.untouched_bytes + row.weight_bytes + row.cache_bytes +
                 row.own_held_bytes + row.own_weight_bytes + row.own_cache_bytes;
    return (int64_t)bytes;
}

static float *floats(size_t n)
{
    float *values = malloc(n * sizeof *values);

    ck_assert_ptr_nonnull(values);
    for (size_t i = 0; i < n; i++)
        values[i] = (float)(i % 7) * 0.125f - 0.25f;
    return values;
}

/* Two convolutions and a product, of any batch. */
static void model(void)
{
    static const int64_t first[] = {CHANNELS, 3, 3, 3, -1};
    static const int64_t next[] = {CHANNELS, CHANNELS, 3, 3, -1};
    static const int64_t head[] = {CHANNELS, 10, -1};
    static const int64_t pads[4] = {1, 1, 1, 1};
    float *w = floats((size_t)CHANNELS * CHANNELS * 9);

    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,3,24,24");
    kit_floats("w1", first, CHANNELS * 27, w);
    kit_floats("w2", next, CHANNELS * CHANNELS * 9, w);
    kit_floats("w3", head, CHANNELS * 10, w);
    kit_node_ints("", "Conv", "x w1", "c1", "pads", 4, pads);
    kit_node("", "Relu", "c1", "r1");
    kit_node_ints("", "Conv", "r1 w2", "c2", "pads", 4, pads);
    kit_node("", "Relu", "c2", "r2");
    kit_node("", "GlobalAveragePool", "r2", "g");
    kit_node("", "Flatten", "g", "f");
    kit_node("", "MatMul", "f w3", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N,10");
    free(w);
    kit_model();
}

static void run(const float *x, int64_t batch)
{
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, batch, 3, SIDE, SIDE), out = kit_wanted(0);

    kit_run(&in, 1, &out, 1);
    bp_tensor_free(&out.tensor);
}

static void check_growth(const char *provider)
{
    float *x = floats((size_t)MOST_BATCH * IMAGE);
    int64_t start, grown, said, left;
    uint32_t seed = 1;

    run(x, MOST_BATCH); /* libraries, threads and packed weights are there from now on */
    KIT_OK(bp_session_trim(kit.session, NULL, &kit.err));
    start = resident();
    said = -counted();
    for (int i = 0; i < n_sizes(); i++) {
        seed = seed * 1664525u + 1013904223u;
        run(x, 1 + (int64_t)(seed >> 16) % MOST_BATCH);
    }
    grown = resident() - start;
    said += counted();
    KIT_OK(bp_session_trim(kit.session, NULL, &kit.err));
    left = resident() - start;
    printf("%s, %d sizes: grown by %.1f MB, counters say %.1f MB; after trim %.1f MB\n", provider,
           n_sizes(), (double)grown * 1e-6, (double)said * 1e-6, (double)left * 1e-6);
    fflush(stdout); /* before an assertion ends the process */
    ck_assert_int_le(llabs(said - grown), grown / 10 + SMALL);
    ck_assert_int_lt(left, MOST_LEFT);
    run(x, 1); /* the session goes on */
    free(x);
}

START_TEST(memory_of_many_sizes_is_counted_and_trimmed_on_cpu)
{
    model();
    kit_provider("cpu", BP_FALLBACK_REQUIRE);
    kit_session();
    check_growth("cpu");
}
END_TEST

START_TEST(memory_of_many_sizes_is_counted_and_trimmed_on_dnnl)
{
    model();
    kit_provider("dnnl", BP_FALLBACK_REQUIRE);
    SKIP_UNLESS(kit_try_session() >= 0, "provider dnnl is not here");
    check_growth("dnnl");
}
END_TEST

/*
 * Regions as large as what they are made for: of the larger ones that the default makes, a part is
 * never written to, which on a real device takes memory and in a simulating process does not.
 */
START_TEST(memory_of_many_sizes_is_counted_and_trimmed_on_cann)
{
    const bp_key_value exact = {"arena_extend_strategy", "kSameAsRequested"};

    model();
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, "cann", &exact, 1, BP_FALLBACK_REQUIRE,
                                           &kit.err));
    SKIP_UNLESS(kit_try_session() >= 0, "provider cann is not here");
    check_growth("cann");
}
END_TEST

int main(void)
{
    TCase *tcase;

    if (skip_is_slowed()) {
        skip_report("check_memory_growth",
                    "memory cannot be measured under a sanitizer or valgrind");
        return 77;
    }
    tcase = tcase_create("memory_growth");
    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, memory_of_many_sizes_is_counted_and_trimmed_on_cpu);
    tcase_add_test(tcase, memory_of_many_sizes_is_counted_and_trimmed_on_dnnl);
    tcase_add_test(tcase, memory_of_many_sizes_is_counted_and_trimmed_on_cann);
    return kit_main("session_memory_growth", &tcase, 1);
}
