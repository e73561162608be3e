/* SPDX-License-Identifier: MIT */
/*
 * check_provider_options.c - the CANN provider's options: which values are accepted or refused,
 * with which messages (B-04, B-05, B-07), and what each of them does on the device.
 */

#include "config.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "cann_kit.h"
#include "cann_sim/arena.h"

/* ---- values ---------------------------------------------------------------------------------- */

static const bp_key_value good[] = {
    {"device_id", "0"},
    {"npu_mem_limit", "2147483648"}, /* B-05 */
    {"npu_mem_limit", "18446744073709551615"},
    {"npu_mem_limit", "0"},
    {"npu_mem_limit", "0x80000000"},
    {"npu_mem_limit", "4G"},
    {"arena_extend_strategy", "kNextPowerOfTwo"},
    {"arena_extend_strategy", "kSameAsRequested"},
    {"max_opqueue_num", "10000"},
    {"max_opqueue_num", "500"},
    {"do_copy_in_default_stream", "1"},
    {"do_copy_in_default_stream", "False"}, /* B-06, as Python writes it */
    {"enable_cann_graph", "False"},         /* True is in check_graph_mode.c */
    {"enable_cann_graph", "0"},
    {"enable_cann_graph", ""},
    {"precision_mode", ""},
    {"precision_mode", "must_keep_origin_dtype"},
    {"op_select_impl_mode", "high_precision"},
    {"do_copy_in_default_stream", "True"}, /* B-06: the same as 1 */
    {"dump_graphs", "1"},
    {"dump_om_model", "0"},
};

/* B-04, B-05 */
START_TEST(accepts_the_spellings_of_options)
{
    cann_mixed_session("2", good[_i].key, good[_i].value);
    device_check_mixed(2, 0);
}
END_TEST

static const struct {
    const char *key, *value, *words[2];
} bad[] = {
    {"device_id", "1", {"device_id=1", "below 1"}},
    {"device_id", "-1", {"device_id", "0"}},
    {"device_id", "first", {"device_id", "first"}},
    {"npu_mem_limit", "-1", {"npu_mem_limit=-1", "18446744073709551615"}},
    {"npu_mem_limit", "2 G", {"npu_mem_limit=2 G", "from 0"}},
    {"npu_mem_limit", "18446744073709551616", {"npu_mem_limit", "from 0"}},
    {"npu_mem_limit", "17179869184G", {"npu_mem_limit", "from 0"}},
    {"npu_mem_limit", "", {"npu_mem_limit", "from 0"}},
    {"arena_extend_strategy", "kPowerOfTwo", {"kNextPowerOfTwo", "kSameAsRequested"}},
    {"max_opqueue_num", "0", {"max_opqueue_num", "2147483647"}},
    {"do_copy_in_default_stream", "maybe", {"do_copy_in_default_stream", "maybe"}},
    {"enable_cann_graph", "yes", {"enable_cann_graph=yes", "true, false, 1, 0"}},
    {"precision_mode", "fp16", {"precision_mode=fp16", "must_keep_origin_dtype"}},
    {"op_select_impl_mode", "fast", {"op_select_impl_mode=fast", "high_performance"}},
    {"optypelist_for_implmode", "SoftmaxV2", {"SoftmaxV2", "op_select_impl_mode"}},
    {"driver", "/nowhere/libascendcl.so", {"driver=/nowhere", "cannot open"}},
    {"npu_limit", "1", {"npu_limit", "npu_mem_limit"}}, /* B-07: and lists the valid ones */
};

/* B-07 */
START_TEST(refuses_bad_options_with_what_is_possible)
{
    bp_key_value row = {bad[_i].key, bad[_i].value};
    bp_rc rc;

    device_mixed_model("2");
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    rc = bp_session_options_add_provider(kit.options, "cann", &row, 1, BP_FALLBACK_REQUIRE,
                                         &kit.err);
    if (rc >= 0)
        rc = kit_try_session();
    ck_assert_msg(rc == BP_E_OPTION || strcmp(bad[_i].key, "driver") == 0, "%s=%s: %s", row.key,
                  row.value, bp_rc_name(rc));
    ck_assert_int_lt(rc, 0);
    for (int i = 0; i < 2; i++)
        ck_assert_msg(strstr(kit.text, bad[_i].words[i]) != NULL, "%s=%s: %s", row.key, row.value,
                      kit.text);
}
END_TEST

/*
 * B-09: what Python writes as [("CANNExecutionProvider", {"device_id": 0}),
 * "CPUExecutionProvider"].
 */
START_TEST(providers_with_and_without_options_mix)
{
    static const bp_key_value rows[] = {{"driver", "sim"}, {"device_id", "0"}};
    static const char *const names[] = {"cann", "cpu"};
    const bp_report *report;

    device_mixed_model("2");
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, "CANNExecutionProvider", rows, 2,
                                           BP_FALLBACK_REQUIRE, &kit.err));
    KIT_OK(bp_session_options_add_provider(kit.options, "CPUExecutionProvider", NULL, 0,
                                           BP_FALLBACK_DEFAULT, &kit.err));
    kit_session();
    report = bp_session_report(kit.session);
    ck_assert_uint_eq(bp_report_provider_count(report), 2);
    for (uint32_t i = 0; i < 2; i++) {
        bp_report_provider row = cann_report_row(report, i);

        ck_assert_str_eq(row.name, names[i]);
        ck_assert_uint_gt(row.n_nodes, 0);
    }
    device_check_mixed(2, 0);
}
END_TEST

/* ---- versions -------------------------------------------------------------------------------- */

/*
 * B-01: it says which ABI it was made for; a host of another one is told both versions, in one
 * line.
 */
START_TEST(refuses_a_host_of_another_version)
{
    bp_host host = {.struct_size = sizeof host,
                    .abi_major = BP_ABI_MAJOR + 1,
                    .abi_minor = 7,
                    .magic = BP_MAGIC};
    const bp_module *module;
    char path[1024], theirs[32], own[32];
    bp_entry_fn entry;
    void *library, *symbol;

    snprintf(path, sizeof path, "%s/providers/libbp-cann.so", getenv("BP_BUILDDIR"));
    snprintf(theirs, sizeof theirs, "%u.7", BP_ABI_MAJOR + 1);
    snprintf(own, sizeof own, "%u.%u", BP_ABI_MAJOR, BP_ABI_MINOR);
    library = dlopen(path, RTLD_NOW);
    ck_assert_msg(library != NULL, "%s", dlerror());
    symbol = dlsym(library, BP_ENTRY_SYMBOL);
    ck_assert_ptr_nonnull(symbol);
    memcpy(&entry, &symbol, sizeof entry);
    KIT_FAILS(entry(&host, &module, &kit.err), BP_E_VERSION, "cann", theirs, own);
    ck_assert_ptr_null(module);
    host.abi_major = BP_ABI_MAJOR;
    host.struct_size = (uint32_t)offsetof(bp_host, constant); /* an older draft's */
    KIT_FAILS(entry(&host, &module, &kit.err), BP_E_VERSION, "cann", "bytes");
    dlclose(library);
}
END_TEST

/* ---- effects --------------------------------------------------------------------------------- */

START_TEST(a_second_device_is_used)
{
    cann_configure("devices = 2\n");
    cann_mixed_session("2", "device_id", "1");
    device_check_mixed(2, 0);
    ck_assert_uint_eq(cann_times(0).busy_operators, 0);
    ck_assert_uint_gt(cann_times(1).busy_operators, 0);
}
END_TEST

START_TEST(copies_get_streams_of_their_own)
{
    uint64_t together, apart;

    cann_mixed_session("2", "do_copy_in_default_stream", "true");
    device_check_mixed(2, 0);
    together = cann_counters().streams_created;
    cann_forget();
    cann_add(BP_FALLBACK_REQUIRE, "do_copy_in_default_stream", "false");
    kit_session();
    device_check_mixed(2, 0);
    apart = cann_counters().streams_created - together;
    ck_assert_uint_eq(apart, together + 2);
}
END_TEST

/* One compiled operator is kept, so that each of three is compiled again in each run. */
START_TEST(a_small_max_opqueue_num_recompiles)
{
    uint64_t compiles;

    cann_mixed_session("2", "max_opqueue_num", "1");
    device_check_mixed(2, 0);
    compiles = cann_counters().compiles;
    device_check_mixed(2, 1);
    ck_assert_uint_eq(cann_counters().compiles - compiles, 3);
    ck_assert_uint_eq(cann_counters().cache_limit, 1);
}
END_TEST

START_TEST(a_large_max_opqueue_num_compiles_once)
{
    uint64_t compiles;

    cann_mixed_session("2", NULL, NULL);
    device_check_mixed(2, 0);
    compiles = cann_counters().compiles;
    ck_assert_uint_eq(compiles, 3);
    device_check_mixed(2, 1);
    ck_assert_uint_eq(cann_counters().compiles, compiles);
    ck_assert_uint_eq(cann_counters().evictions, 0);
}
END_TEST

START_TEST(precision_mode_is_applied)
{
    cann_check_precision(cann_add);
}
END_TEST

/* One setting for the process: who comes second is warned that it is ignored. */
START_TEST(a_second_precision_mode_is_a_warning)
{
    bp_session *first;

    cann_run_relu(cann_add, "force_fp16");
    first = kit.session;
    kit.session = NULL;
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "is ignored"), 0);
    cann_forget();
    cann_add(BP_FALLBACK_REQUIRE, "precision_mode", "must_keep_origin_dtype");
    kit_session();
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "is ignored"), 1);
    bp_session_destroy(first);
}
END_TEST

START_TEST(options_without_effect_are_logged)
{
    cann_mixed_session("2", "dump_graphs", "1");
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "nothing is written"), 1);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_INFO, "simulated"), 1);
}
END_TEST

/* ---- the arena ------------------------------------------------------------------------------- */

static void *host_alloc(void *h, size_t n, size_t align)
{
    (void)h;
    (void)align;
    return malloc(n);
}

static void host_free(void *h, void *p, size_t n, size_t align)
{
    (void)h;
    (void)n;
    (void)align;
    free(p);
}

enum { KIB = 1024 };

static const bp_host arena_host = {.alloc = host_alloc, .free = host_free};
static struct bp_cann_driver *arena_driver;
static struct bp_cann_arena arena;

static void open_arena(uint64_t limit, uint32_t strategy)
{
    KIT_OK(bp_cann_driver_acquire("sim", "", &arena_driver, &kit.err));
    ck_assert_int_eq(arena_driver->acl.aclrtSetDevice(0), ACL_SUCCESS);
    bp_cann_arena_init(&arena, &arena_host, arena_driver, limit, strategy);
}

static void close_arena(void)
{
    bp_cann_arena_finish(&arena);
    ck_assert_int_eq(arena_driver->acl.aclrtResetDevice(0), ACL_SUCCESS);
    bp_cann_driver_release(arena_driver);
}

static char *get(size_t n)
{
    void *at = NULL;

    KIT_OK(bp_cann_arena_alloc(&arena, n, 64, &at, &kit.err));
    ck_assert_uint_eq((uintptr_t)at % BP_CANN_UNIT, 0);
    return at;
}

/* Regions of 1 and 2 MiB; of the limit of 4 MiB one is left, which is too little. */
START_TEST(next_power_of_two_doubles_the_regions)
{
    void *at = NULL;

    open_arena(4096 * KIB, BP_CANN_NEXT_POWER_OF_TWO);
    get(300 * KIB);
    ck_assert_uint_eq(arena.total, 1024 * KIB);
    get(1536 * KIB);
    ck_assert_uint_eq(arena.total, 3072 * KIB);
    KIT_FAILS(bp_cann_arena_alloc(&arena, 1536 * KIB, 64, &at, &kit.err), BP_E_NOMEM,
              "1048576 bytes available", "1572864 bytes are requested");
    ck_assert_uint_eq(arena.total, 3072 * KIB);
    ck_assert_uint_eq(cann_counters().allocations, 2);
    close_arena();
}
END_TEST

START_TEST(same_as_requested_allocates_what_is_asked_for)
{
    open_arena(4096 * KIB, BP_CANN_SAME_AS_REQUESTED);
    get(300 * KIB);
    get(1536 * KIB);
    get(1536 * KIB);
    ck_assert_uint_eq(arena.total, 3372 * KIB);
    ck_assert_uint_eq(cann_counters().allocations, 3);
    close_arena();
}
END_TEST

START_TEST(chunks_are_reused_and_coalesced)
{
    char *a, *b, *c, *d;

    open_arena(UINT64_MAX, BP_CANN_NEXT_POWER_OF_TWO);
    a = get(1);
    b = get(257);
    c = get(100 * KIB);
    ck_assert_ptr_eq(b, a + 256);
    ck_assert_ptr_eq(c, b + 512);
    bp_cann_arena_free(&arena, a);
    ck_assert_ptr_eq(get(200), a);
    bp_cann_arena_free(&arena, b);
    bp_cann_arena_free(&arena, a);
    d = get(700); /* where both were */
    ck_assert_ptr_eq(d, a);
    bp_cann_arena_free(&arena, c);
    bp_cann_arena_free(&arena, d);
    ck_assert_ptr_eq(get(1024 * KIB), a); /* all of the region */
    ck_assert_uint_eq(arena.total, 1024 * KIB);
    ck_assert_uint_eq(cann_counters().allocations, 1);
    close_arena();
}
END_TEST

START_TEST(a_coarse_alignment_is_kept)
{
    void *at = NULL;

    open_arena(UINT64_MAX, BP_CANN_NEXT_POWER_OF_TWO);
    get(1);
    KIT_OK(bp_cann_arena_alloc(&arena, 100, 65536, &at, &kit.err));
    ck_assert_uint_eq((uintptr_t)at % 65536, 0);
    bp_cann_arena_free(&arena, at);
    KIT_FAILS(bp_cann_arena_alloc(&arena, SIZE_MAX / 2, 64, &at, &kit.err), BP_E_NOMEM,
              "do not fit");
    close_arena();
}
END_TEST

#define COUNT(rows) (int)(sizeof(rows) / sizeof((rows)[0]))

int main(void)
{
    TCase *cases[] = {tcase_create("values"), tcase_create("effects"), tcase_create("arena")};

    for (int i = 0; i < 3; i++)
        tcase_add_checked_fixture(cases[i], cann_setup, cann_teardown);
    tcase_add_loop_test(cases[0], accepts_the_spellings_of_options, 0, COUNT(good));
    tcase_add_loop_test(cases[0], refuses_bad_options_with_what_is_possible, 0, COUNT(bad));
    tcase_add_test(cases[0], providers_with_and_without_options_mix);
    tcase_add_test(cases[0], refuses_a_host_of_another_version);
    tcase_add_test(cases[1], a_second_device_is_used);
    tcase_add_test(cases[1], copies_get_streams_of_their_own);
    tcase_add_test(cases[1], a_small_max_opqueue_num_recompiles);
    tcase_add_test(cases[1], a_large_max_opqueue_num_compiles_once);
    tcase_add_test(cases[1], precision_mode_is_applied);
    tcase_add_test(cases[1], a_second_precision_mode_is_a_warning);
    tcase_add_test(cases[1], options_without_effect_are_logged);
    tcase_add_test(cases[2], next_power_of_two_doubles_the_regions);
    tcase_add_test(cases[2], same_as_requested_allocates_what_is_asked_for);
    tcase_add_test(cases[2], chunks_are_reused_and_coalesced);
    tcase_add_test(cases[2], a_coarse_alignment_is_kept);
    return kit_main("cann_provider_options", cases, 3);
}
