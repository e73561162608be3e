/* SPDX-License-Identifier: MIT */
/*
 * check_provider_stages.c - no silent fallback: one provider that ends at each stage, under each
 * policy. What is required always fails the session, with the code that the report shows; what may
 * fail never does; and the report always has the row. Proof 6 of docs/proofs.md: P1, P6, D-06,
 * D-07.
 */

#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "host/probe/quarantine.h"
#include "support/plugin_kit.h"

static const struct stage_case {
    uint32_t stage;
    const char *name; /* of the provider */
    const char
        *manifest; /* of one that is made for the test, beside id, name and version; NULL: a mock */
    const char *code;  /* of it */
    const char *flags; /* of its linker */
} cases[] = {
    {BP_STAGE_FOUND, "cuda", NULL, NULL, NULL},
    {BP_STAGE_SECURITY, "unsafe", "", PLUGIN_TRAP, "-Wl,-rpath,."},
    {BP_STAGE_MANIFEST, "wordy", "\\nno key", PLUGIN_TRAP, ""},
    {BP_STAGE_ARCH, "other", "\\narch=pdp11", PLUGIN_TRAP, ""},
    {BP_STAGE_ISA, "newer", "\\nisa=vax", PLUGIN_TRAP, ""},
    {BP_STAGE_ABI, "later", "\\nneeds_host=1.999", PLUGIN_TRAP, ""},
    {BP_STAGE_POLICY, "disabled", "", PLUGIN_TRAP, ""},
    {BP_STAGE_QUARANTINE, "failed", "", PLUGIN_TRAP, ""},
    {BP_STAGE_DEPENDENCIES, "undefined", NULL, NULL, NULL},
    {BP_STAGE_OPEN, "trapping", "", PLUGIN_TRAP, ""},
    {BP_STAGE_ENTRY, "noentry", NULL, NULL, NULL},
    {BP_STAGE_AVAILABLE, "absent", NULL, NULL, NULL},
    {BP_STAGE_OPTIONS, "few", NULL, NULL, NULL},
    {BP_STAGE_CREATE, "uncreated", NULL, NULL, NULL},
    {BP_STAGE_CAPABILITY, "speechless", NULL, NULL, NULL},
    {BP_STAGE_COST, "costly", NULL, NULL, NULL},
    {BP_STAGE_COMPILE, "uncompiled", NULL, NULL, NULL},
    {BP_STAGE_RUN, "unexecuted", NULL, NULL, NULL},
};

enum { N_CASES = sizeof cases / sizeof cases[0] };
_Static_assert(N_CASES == BP_STAGE_END - BP_STAGE_FOUND, "a stage has no case");

/* ---- what is needed for a stage -------------------------------------------------------------- */

static void content_of(const struct stage_case *c, char *out, size_t cap)
{
    snprintf(out, cap, "id=org.test.%s\\nname=%s\\nversion=1%s", c->name, c->name, c->manifest);
}

/* As if it had failed twice in processes before. */
static void record_failure(const char *path)
{
    struct bp_quarantine quarantine = {.file = strdup(plugin_path("registry"))};
    static char id[] = "org.test.failed";
    struct bp_manifest manifest = {.id = id, .env = "", .watch = ""};
    char key[BP_SHA256_TEXT];

    ck_assert(bp_quarantine_key(path, &manifest, key));
    for (int i = 0; i < BP_QUARANTINE_FAILURES; i++)
        bp_quarantine_record(&quarantine, key, path, BP_STAGE_OPEN, "it crashed");
    bp_quarantine_save(&quarantine, &(struct bp_log){.fn = kit_log, .level = BP_LOG_WARN});
    bp_quarantine_finish(&quarantine);
}

static void make(const struct stage_case *c)
{
    char file[64], manifest[256];

    if (!c->manifest)
        return;
    snprintf(file, sizeof file, "libbp-%s.so", c->name);
    content_of(c, manifest, sizeof manifest);
    plugin_make(file, manifest, c->code, c->flags);
    if (c->stage == BP_STAGE_POLICY) {
        plugin_write("disabled.conf", "disabled = true\n");
        ck_assert_int_eq(chmod(plugin_path("disabled.conf"), 0644), 0);
    } else if (c->stage == BP_STAGE_QUARANTINE) {
        record_failure(plugin_path(file));
    }
}

/* As kit_small_model(), with sizes that are known, for only then costs are compared. */
static void fixed_model(void)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2,4");
    kit_node("relu", "Relu", "x", "r");
    kit_node("neg", "Neg", "r", "n");
    kit_node("add", "Add", "n n", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2,4");
}

static void use_env(uint32_t stage)
{
    char built[1024], registry[256];
    const char *dirs[] = {plugin_dir, getenv("BP_MOCK_DIR"), built};
    bp_env_config config = {.struct_size = sizeof config,
                            .threads = 1,
                            .log_level = BP_LOG_WARN,
                            .log = kit_log,
                            .provider_dirs = dirs,
                            .n_provider_dirs = 3,
                            .probe_timeout_ms =
                                60000, /* nothing hangs here, but machines are busy */
                            .registry = registry};

    snprintf(built, sizeof built, "%s/providers", getenv("BP_BUILDDIR"));
    snprintf(registry, sizeof registry, "%s/registry", plugin_dir);
    KIT_OK(bp_env_destroy(kit.env, &kit.err));
    kit.env = NULL;
    KIT_OK(bp_env_create(&config, &kit.env, &kit.err));
    if (stage == BP_STAGE_COST)
        fixed_model();
    else
        kit_small_model();
}

/* ---- what comes of it ------------------------------------------------------------------------ */

/* What the report file has of a provider, in one line; it is emptied. */
static void read_row(const char *name, char *out, size_t cap)
{
    FILE *file = fopen(plugin_path("report"), "r");
    char line[4096];

    out[0] = '\0';
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ' ')
            snprintf(out, cap, "%s", line);
    }
    fclose(file);
    unlink(plugin_path("report"));
}

/* The code with which a session's report says that the provider ended; BP_OK: it did not. */
static bp_rc code_in_report(const struct stage_case *c)
{
    const bp_report *report = bp_session_report(kit.session);
    bp_report_provider row = {.struct_size = sizeof row};

    for (uint32_t i = 0; i < bp_report_provider_count(report); i++) {
        KIT_OK(bp_report_get_provider(report, i, &row, &kit.err));
        if (strcmp(row.name, c->name) == 0) {
            ck_assert_uint_eq(row.stage, c->stage);
            return row.code;
        }
    }
    ck_abort_msg("the report has no '%s'", c->name);
    return BP_OK;
}

static bp_rc try_run(void)
{
    float x[] = {1, -2, 3, -4};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 1, 4), out = kit_wanted(0);
    bp_rc rc = bp_session_run(kit.session, &in, 1, &out, 1, NULL, &kit.err);

    if (rc >= 0)
        bp_tensor_free(&out.tensor);
    return rc;
}

/* A session with that provider under a policy, and what the report file says of it. */
static bp_rc try_policy(const struct stage_case *c, uint32_t policy, char *row, size_t cap)
{
    bp_rc rc;

    kit.n_lines = 0;
    if (c->stage == BP_STAGE_OPTIONS) {
        bp_key_value kv = {"nonsense", "1"};

        KIT_OK(bp_session_options_create(&kit.options, &kit.err));
        KIT_OK(bp_session_options_add_provider(kit.options, c->name, &kv, 1, policy, &kit.err));
    } else {
        kit_provider(c->name, policy);
    }
    kit.text[0] = '\0';
    rc = kit_try_session();
    read_row(c->name, row, cap);
    ck_assert_msg(strstr(row, bp_stage_name(c->stage)), "%s: the report says: %s", c->name, row);
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    return rc;
}

START_TEST(provider_failure_at_every_stage_is_reported)
{
    const struct stage_case *c = &cases[_i];
    bool is_mistake = c->stage == BP_STAGE_OPTIONS, is_late = c->stage == BP_STAGE_RUN;
    char rows[3][4096];
    bp_rc rc[3], recorded = BP_OK;

    make(c);
    setenv("BACKPLANE_REPORT", plugin_path("report"), 1);
    use_env(c->stage);
    for (uint32_t policy = BP_FALLBACK_SILENT; policy <= BP_FALLBACK_REQUIRE; policy++) {
        uint32_t at = policy - BP_FALLBACK_SILENT;

        rc[at] = try_policy(c, policy, rows[at], sizeof rows[at]);
        if (is_mistake) { /* of the caller: an error under every policy */
            ck_assert_int_eq(rc[at], BP_E_OPTION);
            continue;
        }
        if (is_late) { /* the session was created; the run names the provider that failed */
            ck_assert_int_eq(rc[at], BP_OK);
            KIT_FAILS(try_run(), BP_E_DEVICE_LOST, "unexecuted");
            continue;
        }
        ck_assert_uint_eq(kit_warnings(), policy == BP_FALLBACK_WARN);
        ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, c->name), policy == BP_FALLBACK_WARN);
        if (policy == BP_FALLBACK_REQUIRE) {
            ck_assert_int_eq(rc[at], recorded);
            ck_assert_ptr_nonnull(strstr(kit.text, "is required"));
            continue;
        }
        ck_assert_int_eq(rc[at], BP_OK);
        recorded = code_in_report(c);
        ck_assert_int_lt(recorded, 0);
        kit_check_small(2); /* CPU has taken over */
    }
    ck_assert_str_eq(rows[0], rows[1]);
    ck_assert_str_eq(rows[0], rows[2]);
    printf("fallback: %-13s silent %s, warn %s, require %s\n", bp_stage_name(c->stage),
           bp_rc_name(rc[0]), bp_rc_name(rc[1]), bp_rc_name(rc[2]));
    unsetenv("BACKPLANE_REPORT");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("stages");

    tcase_add_checked_fixture(tcase, plugin_setup, plugin_teardown);
    tcase_add_loop_test(tcase, provider_failure_at_every_stage_is_reported, 0, N_CASES);
    return kit_main("stages", &tcase, 1);
}
