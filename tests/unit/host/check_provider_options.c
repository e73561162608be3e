/* SPDX-License-Identifier: MIT */
/* check_provider_options.c - key/value pairs against a provider's schema. */

#include "config.h"

#include <check.h>

#include "host/options/provider_options.h"
#include "support/fail_alloc.h"
#include "support/session_kit.h"

static const char *const choices[] = {"Fast", "exact", "safe"};

static const bp_option rows[] = {
    {sizeof(bp_option), 0, BP_OPT_STRING, 0, "cache_dir", "where", "", NULL, 0, 0},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "level", "how much", "3", NULL, -1, 9},
    {sizeof(bp_option), 0, BP_OPT_FLOAT, 0, "gain", "factor", "0.5", NULL, 0, 1},
    {sizeof(bp_option), 0, BP_OPT_BOOL, 0, "strict", "refuse", "false", NULL, 0, 0},
    {sizeof(bp_option), 0, BP_OPT_CHOICE, 3, "mode", "how", "exact", choices, 0, 0},
    {sizeof(bp_option), 0, BP_OPT_INT, 0, "free", "no bounds", "0", NULL, 0, 0},
    {sizeof(bp_option), BP_OPTION_REQUIRED, BP_OPT_STRING, 0, "token", "who asks", NULL, NULL, 0,
     0},
    {sizeof(bp_option), BP_OPTION_DYNAMIC, BP_OPT_INT, 0, "capacity", "bytes to use", "64M", NULL,
     1 << 20, 64.0 * (1 << 30)},
    {sizeof(bp_option), BP_OPTION_SECRET | BP_OPTION_DEPRECATED, BP_OPT_INT, 0, "pin",
     "use 'token' instead", "1234", NULL, 1000, 9999},
};

enum { CACHE_DIR, LEVEL, GAIN, STRICT, MODE, FREE, TOKEN, ROOM, PIN, N_ROWS };

static const bp_provider provider = {
    .name = "mock", .options = rows, .n_options = N_ROWS, .option_stride = sizeof rows[0]};

static struct bp_region region;
static struct bp_checked_options opts;

static void setup(void)
{
    kit.err = bp_err_init(kit.text, sizeof kit.text);
    opts = (struct bp_checked_options){0};
}

static void teardown(void)
{
    bp_region_finish(&region);
}

/* Checks one option, and the required one beside it. */
static bp_rc check(const char *key, const char *value)
{
    bp_key_value kv[] = {{"token", "t"}, {key, value}};

    return bp_options_check(&provider, kv, 2, &region, &opts, &kit.err);
}

START_TEST(options_get_defaults_in_the_order_of_the_schema)
{
    bp_key_value kv = {"token", "me"};

    KIT_OK(bp_options_check(&provider, &kv, 1, &region, &opts, &kit.err));
    for (uint32_t i = 0; i < N_ROWS; i++)
        ck_assert_str_eq(opts.rows[i].key, rows[i].key);
    ck_assert_str_eq(opts.rows[CACHE_DIR].str, "");
    ck_assert_int_eq(opts.rows[LEVEL].i, 3);
    ck_assert_double_eq(opts.rows[LEVEL].f, 3);
    ck_assert_double_eq(opts.rows[GAIN].f, 0.5);
    ck_assert_int_eq(opts.rows[STRICT].i, 0);
    ck_assert_str_eq(opts.rows[STRICT].str, "false");
    ck_assert_int_eq(opts.rows[MODE].i, 1);
    ck_assert_str_eq(opts.rows[TOKEN].str, "me");
}
END_TEST

START_TEST(options_copy_keys_and_values)
{
    char key[] = "cache_dir", value[] = "/var/cache";

    KIT_OK(check(key, value));
    memset(key, 'x', sizeof key - 1);
    memset(value, 'x', sizeof value - 1);
    ck_assert_str_eq(opts.rows[CACHE_DIR].key, "cache_dir");
    ck_assert_str_eq(opts.rows[CACHE_DIR].str, "/var/cache");
}
END_TEST

START_TEST(options_parse_integers)
{
    KIT_OK(check("level", "-1"));
    ck_assert_int_eq(opts.rows[LEVEL].i, -1);
    KIT_OK(check("level", "9"));
    ck_assert_int_eq(opts.rows[LEVEL].i, 9);
    KIT_OK(check("free", "-9223372036854775808"));
    ck_assert_int_eq(opts.rows[FREE].i, INT64_MIN);
}
END_TEST

START_TEST(options_parse_numbers_enums_and_booleans)
{
    static const char *const yes[] = {"1", "true", "TRUE", "on", "Yes"};
    static const char *const no[] = {"0", "false", "False", "off", "NO"};

    KIT_OK(check("gain", "2.5e-1"));
    ck_assert_double_eq(opts.rows[GAIN].f, 0.25);
    KIT_OK(check("mode", "fast"));
    ck_assert_int_eq(opts.rows[MODE].i, 0);
    ck_assert_str_eq(opts.rows[MODE].str, "Fast"); /* as the schema spells it */
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        KIT_OK(check("strict", yes[i]));
        ck_assert_int_eq(opts.rows[STRICT].i, 1);
        ck_assert_str_eq(opts.rows[STRICT].str, "true");
        KIT_OK(check("strict", no[i]));
        ck_assert_int_eq(opts.rows[STRICT].i, 0);
        ck_assert_str_eq(opts.rows[STRICT].str, "false");
    }
}
END_TEST

START_TEST(unknown_option_gets_the_nearest_and_all_names)
{
    KIT_FAILS(check("leval", "1"), BP_E_OPTION, "'mock'", "'leval'", "did you mean 'level'?",
              "cache_dir, level, gain, strict, mode, free, token, capacity, pin");
    KIT_FAILS(check("quux_quux_quux", "1"), BP_E_OPTION, "'quux_quux_quux'", "valid: cache_dir");
    ck_assert_ptr_null(strstr(kit.text, "did you mean"));
}
END_TEST

START_TEST(options_of_a_provider_without_options_are_rejected)
{
    bp_provider bare = {.name = "bare"};
    bp_key_value kv = {"level", "1"};

    KIT_FAILS(bp_options_check(&bare, &kv, 1, &region, &opts, &kit.err), BP_E_OPTION, "'bare'",
              "'level'", "valid: none");
    KIT_OK(bp_options_check(&bare, NULL, 0, &region, &opts, &kit.err));
}
END_TEST

START_TEST(provider_of_any_option_gets_keys_outside_of_its_schema_as_text)
{
    bp_provider any = provider;
    bp_key_value kv[] = {{"zeta.one", "16M"}, {"token", "t"}, {"device", "0"}, {"?alpha", ""}};
    bp_key_value twice[] = {{"token", "t"}, {"zeta", "1"}, {"?zeta", "1"}};

    any.flags = BP_PROVIDER_ANY_OPTION;
    KIT_OK(bp_options_check(&any, kv, 4, &region, &opts, &kit.err));
    ck_assert_uint_eq(opts.count, N_ROWS + 2);
    ck_assert_str_eq(opts.rows[TOKEN].str, "t");
    ck_assert_str_eq(opts.rows[N_ROWS].key, "zeta.one");
    ck_assert_str_eq(opts.rows[N_ROWS].str, "16M"); /* not 16777216: it has no type */
    ck_assert_str_eq(opts.rows[N_ROWS + 1].key, "alpha");
    ck_assert_str_eq(opts.rows[N_ROWS + 1].str, "");
    ck_assert_str_eq(bp_options_shown(&any, N_ROWS, &opts.rows[N_ROWS]), "16M");
    ck_assert_str_eq(bp_options_shown(&any, PIN, &opts.rows[PIN]), BP_OPTION_HIDDEN);
    KIT_FAILS(bp_options_check(&any, twice, 3, &region, &opts, &kit.err), BP_E_OPTION,
              "'zeta' is given twice");
    KIT_OK(bp_options_check(&provider, &kv[1], 3, &region, &opts, &kit.err));
    ck_assert_uint_eq(opts.count, N_ROWS); /* without the flag there are no others */
}
END_TEST

START_TEST(options_reject_malformed_numbers)
{
    static const char *const texts[] = {
        "", "x", "3x", "3.5", "9223372036854775808", "0x3", "8388608T", " 3", "3KB", "K", "--3"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        KIT_FAILS(check("free", texts[i]), BP_E_OPTION, "'free'", "a whole number", texts[i]);
        if (i < 3 || i > 5)
            KIT_FAILS(check("gain", texts[i]), BP_E_OPTION, "'gain'", "a number", texts[i]);
    }
    KIT_FAILS(check("gain", "nan"), BP_E_OPTION, "'gain'", "a number", "nan");
    KIT_FAILS(check("gain", "inf"), BP_E_OPTION, "'gain'", "a number", "inf");
    KIT_FAILS(check("gain", "1e999"), BP_E_OPTION, "'gain'", "a number", "1e999");
}
END_TEST

/* P7 */
START_TEST(options_parse_sizes_with_suffixes)
{
    static const struct {
        const char *text;
        int64_t value;
    } sizes[] = {
        {"1M", 1 << 20},     {"2m", 2 << 20},      {"1024K", 1 << 20},
        {"64g", 64LL << 30}, {"1048576", 1 << 20}, {"+5M", 5 << 20},
    };

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char canonical[32];

        KIT_OK(check("capacity", sizes[i].text));
        ck_assert_int_eq(opts.rows[ROOM].i, sizes[i].value);
        snprintf(canonical, sizeof canonical, "%lld", (long long)sizes[i].value);
        ck_assert_str_eq(opts.rows[ROOM].str, canonical);
    }
    KIT_OK(check("free", "-3K"));
    ck_assert_int_eq(opts.rows[FREE].i, -3072);
    KIT_FAILS(check("capacity", "65G"), BP_E_OPTION, "is 65G", "allowed are 1M to 64G");
    KIT_FAILS(check("capacity", "8P"), BP_E_OPTION, "a whole number (K, M, G and T");
}
END_TEST

/* P7 */
START_TEST(optional_unknown_keys_are_ignored)
{
    bp_key_value twice[] = {{"token", "t"}, {"level", "1"}, {"?level", "2"}};

    KIT_OK(check("?newer", "1"));
    KIT_OK(check("?level", "7"));
    ck_assert_int_eq(opts.rows[LEVEL].i, 7);
    KIT_FAILS(check("?level", "x"), BP_E_OPTION, "'level'",
              "a whole number"); /* a wrong value is */
    KIT_FAILS(bp_options_check(&provider, twice, 3, &region, &opts, &kit.err), BP_E_OPTION,
              "'level' is given twice");
}
END_TEST

START_TEST(messages_never_show_a_secret_option)
{
    KIT_FAILS(check("pin", "777"), BP_E_OPTION, "'pin'", "is (secret)", "1000 to 9999");
    ck_assert_ptr_null(strstr(kit.text, "777"));
    KIT_FAILS(check("pin", "hunter2"), BP_E_OPTION, "'pin'", "a whole number", "(secret)");
    ck_assert_ptr_null(strstr(kit.text, "hunter2"));
    KIT_OK(check("pin", "7777"));
    ck_assert_str_eq(opts.rows[PIN].str, "7777"); /* the provider may know */
    ck_assert_str_eq(bp_options_shown(&provider, PIN, &opts.rows[PIN]), BP_OPTION_HIDDEN);
    ck_assert_str_eq(bp_options_shown(&provider, TOKEN, &opts.rows[TOKEN]), "t");
}
END_TEST

static char logged[256];
static unsigned n_logged;

static void record(void *user, uint32_t level, const char *domain, const char *text)
{
    (void)user;
    (void)domain;
    ck_assert_uint_eq(level, BP_LOG_WARN);
    snprintf(logged, sizeof logged, "%s", text);
    n_logged++;
}

START_TEST(deprecated_options_are_warned_of)
{
    const struct bp_log log = {.fn = record};
    bp_key_value kv[] = {{"token", "t"}, {"pin", "7777"}};

    n_logged = 0;
    bp_options_warn(&provider, kv, 1, &log);
    ck_assert_uint_eq(n_logged, 0); /* a default needs no warning */
    bp_options_warn(&provider, kv, 2, &log);
    ck_assert_uint_eq(n_logged, 1);
    ck_assert_ptr_nonnull(strstr(logged, "'pin' is deprecated: use 'token' instead"));
}
END_TEST

static bp_rc take_option(bp_instance *instance, const bp_opt *opt, bp_err *err)
{
    (void)instance;
    (void)opt;
    (void)err;
    return BP_OK;
}

START_TEST(only_dynamic_options_may_change)
{
    bp_provider live = provider;
    bp_opt opt = {0};
    uint32_t at;

    live.set_option = take_option;
    KIT_OK(bp_options_check_change(&live, "capacity", "2M", &region, &at, &opt, &kit.err));
    ck_assert_uint_eq(at, ROOM);
    ck_assert_str_eq(opt.key, "capacity");
    ck_assert_int_eq(opt.i, 2 << 20);
    KIT_FAILS(bp_options_check_change(&live, "level", "2", &region, &at, &opt, &kit.err),
              BP_E_UNSUPPORTED, "'level' is fixed", "may be changed: capacity");
    KIT_FAILS(bp_options_check_change(&live, "capacty", "2", &region, &at, &opt, &kit.err),
              BP_E_OPTION, "did you mean 'capacity'?");
    KIT_FAILS(bp_options_check_change(&live, "capacity", "2", &region, &at, &opt, &kit.err),
              BP_E_OPTION, "1M to 64G");
    KIT_FAILS(bp_options_check_change(&provider, "capacity", "2M", &region, &at, &opt, &kit.err),
              BP_E_UNSUPPORTED,
              "'capacity' is fixed"); /* the provider has no function to change options */
}
END_TEST

START_TEST(options_reject_values_out_of_range)
{
    KIT_FAILS(check("level", "10"), BP_E_OPTION, "'level'", "is 10", "-1 to 9");
    KIT_FAILS(check("level", "-2"), BP_E_OPTION, "'level'", "is -2", "-1 to 9");
    KIT_FAILS(check("gain", "1.01"), BP_E_OPTION, "'gain'", "is 1.01", "0 to 1");
}
END_TEST

START_TEST(options_reject_invalid_enums_and_booleans)
{
    KIT_FAILS(check("mode", "quick"), BP_E_OPTION, "'mode'", "'quick'", "Fast, exact, safe");
    KIT_FAILS(check("mode", ""), BP_E_OPTION, "'mode'", "Fast, exact, safe");
    KIT_FAILS(check("strict", "maybe"), BP_E_OPTION, "'strict'", "true or false", "'maybe'");
}
END_TEST

START_TEST(missing_required_option_is_named_with_its_help)
{
    KIT_FAILS(bp_options_check(&provider, NULL, 0, &region, &opts, &kit.err), BP_E_OPTION, "'mock'",
              "'token'", "who asks");
}
END_TEST

START_TEST(option_rows_longer_than_the_hosts_are_read)
{
    struct {
        bp_option row;
        char more[24];
    } wide[2] = {{rows[LEVEL], "later"}, {rows[STRICT], "later"}};
    bp_provider later = {
        .name = "later", .options = &wide[0].row, .n_options = 2, .option_stride = sizeof wide[0]};
    bp_key_value kv = {"strict", "yes"};

    KIT_OK(bp_options_check(&later, &kv, 1, &region, &opts, &kit.err));
    ck_assert_int_eq(opts.rows[0].i, 3);
    ck_assert_int_eq(opts.rows[1].i, 1);
}
END_TEST

START_TEST(options_survive_every_failing_allocation)
{
    bool failed = true;

    for (unsigned n = 1; failed; n++) {
        bp_rc rc;

        fail_alloc_at(n);
        rc = check("level", "5");
        failed = fail_alloc_stop();
        ck_assert(rc == BP_OK || (failed && rc == BP_E_NOMEM));
        bp_region_finish(&region);
    }
    failed = true;
    for (unsigned n = 1; failed; n++) {
        bp_rc rc;

        fail_alloc_at(n);
        rc = check("leval", "5");
        failed = fail_alloc_stop();
        ck_assert(rc == BP_E_OPTION || (failed && rc == BP_E_NOMEM));
        bp_region_finish(&region);
    }
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("options");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, options_get_defaults_in_the_order_of_the_schema);
    tcase_add_test(tcase, options_copy_keys_and_values);
    tcase_add_test(tcase, options_parse_integers);
    tcase_add_test(tcase, options_parse_numbers_enums_and_booleans);
    tcase_add_test(tcase, unknown_option_gets_the_nearest_and_all_names);
    tcase_add_test(tcase, options_of_a_provider_without_options_are_rejected);
    tcase_add_test(tcase, provider_of_any_option_gets_keys_outside_of_its_schema_as_text);
    tcase_add_test(tcase, options_reject_malformed_numbers);
    tcase_add_test(tcase, options_parse_sizes_with_suffixes);
    tcase_add_test(tcase, optional_unknown_keys_are_ignored);
    tcase_add_test(tcase, messages_never_show_a_secret_option);
    tcase_add_test(tcase, deprecated_options_are_warned_of);
    tcase_add_test(tcase, only_dynamic_options_may_change);
    tcase_add_test(tcase, options_reject_values_out_of_range);
    tcase_add_test(tcase, options_reject_invalid_enums_and_booleans);
    tcase_add_test(tcase, missing_required_option_is_named_with_its_help);
    tcase_add_test(tcase, option_rows_longer_than_the_hosts_are_read);
    tcase_add_test(tcase, options_survive_every_failing_allocation);
    return kit_main("options", &tcase, 1);
}
