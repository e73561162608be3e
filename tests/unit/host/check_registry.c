/* SPDX-License-Identifier: MIT */
/*
 * check_registry.c - finding, opening and naming providers; what each fault of a plug-in reads
 * like.
 */

#include "config.h"

#include <check.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/session_kit.h"

static bp_provider_info info_of(const char *name)
{
    bp_provider_info info = {.struct_size = sizeof info};
    uint32_t n;

    KIT_OK(bp_env_provider_count(kit.env, &n, &kit.err));
    for (uint32_t i = 0; i < n; i++) {
        KIT_OK(bp_env_provider_info(kit.env, i, &info, &kit.err));
        if (strcmp(info.name, name) == 0)
            return info;
    }
    ck_abort_msg("'%s' is not listed", name);
    return info;
}

static const char *mock_path(const char *name)
{
    static char path[1024];

    snprintf(path, sizeof path, "%s/libbp-%s.so", getenv("BP_MOCK_DIR"), name);
    return path;
}

/* ---- names ----------------------------------------------------------------------------------- */

START_TEST(provider_names_are_normalised)
{
    static const char *const pairs[][2] = {
        {"DnnlExecutionProvider", "dnnl"},
        {"dnnlexecutionprovider", "dnnl"},
        {"DNNL", "dnnl"},
        {"org.backplane.dnnl", "dnnl"},
        {"oneDNN", "dnnl"},
        {"DmlExecutionProvider", "dml"},
        {"DirectML", "dml"},
        {"CPUExecutionProvider", "cpu"},
        {"XNNPACKExecutionProvider", "xnnpack"},
        {"My-Own", "my-own"},
        {"ExecutionProvider", "executionprovider"},
    };
    char name[BP_NAME_MAX];

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        ck_assert(bp_provider_names_short(pairs[i][0], name));
        ck_assert_str_eq(name, pairs[i][1]);
        ck_assert(bp_provider_names_equal(pairs[i][0], pairs[i][1]));
    }
    ck_assert(!bp_provider_names_equal("cpu", "dnnl"));
    ck_assert(!bp_provider_names_equal("/a/libbp-cpu.so", "cpu"));
    ck_assert(bp_provider_names_is_known("tensorrt"));
    ck_assert(!bp_provider_names_is_known("few"));
    ck_assert_str_eq(bp_provider_names_nearest("dnl"), "dnnl");
    ck_assert_ptr_null(bp_provider_names_nearest("zzzzzzzz"));
}
END_TEST

/* One of the plug-ins whose sources are in plugins/. */
static bool is_in_release(const char *name)
{
    return strcmp(name, "cpu") == 0 || strcmp(name, "dnnl") == 0 || strcmp(name, "cann") == 0 ||
           strcmp(name, "nnapi") == 0 || strcmp(name, "opencl") == 0;
}

/* P7: every name that users of ONNX Runtime may type is known, in three spellings. */
START_TEST(registry_knows_each_provider_of_onnx_runtime)
{
    static const char *const names[] = {
        "CPU",      "Xnnpack",       "Dnnl",    "ArmNN", "ACL",      "OpenVINO", "CUDA",
        "Tensorrt", "Dml",           "CoreML",  "ROCM",  "MIGraphX", "QNN",      "CANN",
        "Nnapi",    "Tvm",           "VitisAI", "Azure", "Rknpu",    "WebGpu",   "CudaPlugin",
        "WebNN",    "NvTensorRTRTX", "Js",      "SNPE",  "VSINPU",   "CUDANHWC", "TensorrtPlugin",
    };
    char name[BP_NAME_MAX], text[64], spelled[64], way[256], file[BP_NAME_MAX + 16];
    uint32_t found;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(text, sizeof text, "%sExecutionProvider", names[i]);
        ck_assert(bp_provider_names_short(text, name));
        ck_assert_msg(bp_provider_names_is_known(name), "%s", text);
        ck_assert(bp_provider_names_equal(text, names[i]));
        if (strcasecmp(name, names[i]) == 0) /* others are called by another's name */
            ck_assert_str_eq(bp_provider_long_name(name, spelled, sizeof spelled), text);
        ck_assert(bp_provider_names_advice(name, way, sizeof way));
        ck_assert_msg(strlen(way) > 20 && strlen(way) < sizeof way - 1, "%s", way);
        /* a file is named where this release has it */
        snprintf(file, sizeof file, "libbp-%s.so", name);
        ck_assert_msg((strstr(way, "libbp-") != NULL) == is_in_release(name), "%s", way);
        ck_assert_msg(!is_in_release(name) || strstr(way, file), "%s", way);
        if (bp_env_find_provider(kit.env, text, &found, &kit.err) >= 0)
            continue; /* this build has it */
        KIT_FAILS(bp_env_is_available(kit.env, text, &kit.err), BP_E_UNAVAILABLE, name,
                  "known, but not installed", way);
    }
    ck_assert(!bp_provider_names_advice("few", way, sizeof way));
    KIT_FAILS(bp_env_is_available(kit.env, "rocm", &kit.err), BP_E_UNAVAILABLE, "use migraphx");
    for (size_t i = 0; bp_provider_names_known(i); i++)
        ck_assert(bp_provider_names_is_known(bp_provider_names_known(i)));
}
END_TEST

START_TEST(registry_rejects_names_that_are_too_long)
{
    char name[200], out[BP_NAME_MAX];

    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    ck_assert(!bp_provider_names_short(name, out));
    KIT_FAILS(bp_env_is_available(kit.env, name, &kit.err), BP_E_INVALID, "too long");
}
END_TEST

/* ---- listing --------------------------------------------------------------------------------- */

static bp_rc failing_entry(const bp_host *host, const bp_module **out, bp_err *err)
{
    (void)out;
    ck_assert_uint_eq(host->magic, BP_MAGIC);
    ck_assert_uint_eq(host->struct_size, sizeof *host);
    ck_assert_str_eq(host->module_path, "");
    return bp_fail(err, BP_E_UNAVAILABLE, "linked in and lost");
}

START_TEST(registry_lists_linked_in_providers_then_files_then_cpu)
{
    bp_provider_info info = {.struct_size = sizeof info}, last = info;
    uint32_t n;

    KIT_OK(bp_env_add_entry(kit.env, "zoo", failing_entry, &kit.err));
    KIT_OK(bp_env_add_entry(kit.env, "cpu", failing_entry, &kit.err));
    KIT_OK(bp_env_provider_count(kit.env, &n, &kit.err));
    ck_assert_uint_ge(n, 20);
    for (uint32_t i = 0; i < n && strcmp(last.name ? last.name : "", "cpu") != 0; i++) {
        KIT_OK(bp_env_provider_info(kit.env, i, &info, &kit.err));
        ck_assert(!info.file == (i == 0 || strcmp(info.name, "cpu") == 0));
        if (i == 0)
            ck_assert_str_eq(info.name, "zoo");
        else if (i > 1 && info.file)
            ck_assert_str_lt(last.name, info.name);
        last = info;
    }
    ck_assert_str_eq(last.name, "cpu");
    KIT_OK(
        bp_env_provider_info(kit.env, n - 1, &info, &kit.err)); /* a file of cpu, if there is one */
    ck_assert(!info.file || strstr(info.reason, "is linked in"));
    KIT_FAILS(bp_env_provider_info(kit.env, n, &info, &kit.err), BP_E_INVALID, "no provider");
}
END_TEST

START_TEST(registry_describes_a_usable_provider)
{
    bp_provider_info info = info_of("few");

    ck_assert_int_eq(info.code, BP_OK);
    ck_assert_uint_eq(info.stage, BP_STAGE_AVAILABLE);
    ck_assert_str_eq(info.id, "org.backplane.few");
    ck_assert_str_eq(info.version, "1.2.3");
    ck_assert_str_eq(info.file, mock_path("few"));
    ck_assert_ptr_null(info.reason);
    ck_assert_uint_eq(info.n_options, 5);
    ck_assert_str_eq(BP_AT(bp_option, info.options, info.option_stride, 1)->key, "level");
}
END_TEST

/* What the provider "few" is said to take. */
struct heard {
    uint32_t n_rows, n_hosted;
    uint64_t relu, relu_types, abs; /* of the newest versions */
    char before[128];               /* operator of the last row */
    bool is_sorted;
};

static void hear(void *user, const bp_operator_info *row)
{
    struct heard *heard = user;

    heard->n_rows++;
    heard->n_hosted += row->flags & BP_OPERATOR_HOST;
    if (!row->domain[0]) {
        heard->is_sorted &= strcmp(heard->before, row->op) <= 0;
        snprintf(heard->before, sizeof heard->before, "%s", row->op);
    }
    if (row->until == 0 && strcmp(row->op, "Relu") == 0) {
        ck_assert_str_eq(row->params, "X, Y");
        heard->relu = row->taken;
        heard->relu_types = row->types;
    }
    if (row->until == 0 && strcmp(row->op, "Abs") == 0)
        heard->abs = row->taken;
}

START_TEST(registry_lists_the_operators_of_a_provider)
{
    struct heard heard = {.is_sorted = true, .abs = 1};
    uint32_t i;

    KIT_OK(bp_env_find_provider(kit.env, "few", &i, &kit.err));
    KIT_OK(bp_env_provider_operators(kit.env, i, hear, &heard, &kit.err));
    ck_assert_uint_gt(heard.n_rows, 300);
    ck_assert_uint_gt(heard.n_hosted, 0);
    ck_assert(heard.is_sorted);
    ck_assert_uint_eq(heard.relu, 1u << BP_DTYPE_F32);
    ck_assert(heard.relu_types & 1u << BP_DTYPE_F64);
    ck_assert_uint_eq(heard.abs, 0);
    KIT_FAILS(bp_env_provider_operators(kit.env, 10000, hear, &heard, &kit.err), BP_E_INVALID,
              "no provider 10000");
    KIT_FAILS(bp_env_provider_operators(kit.env, i, NULL, &heard, &kit.err), BP_E_INVALID,
              "function");
    KIT_OK(bp_env_find_provider(kit.env, "speechless", &i, &kit.err));
    heard.n_rows = heard.n_hosted = 0;
    KIT_FAILS(bp_env_provider_operators(kit.env, i, hear, &heard, &kit.err), BP_E_INTERNAL, "");
    ck_assert_uint_eq(heard.n_rows, heard.n_hosted); /* nothing was told that was not answered */
}
END_TEST

START_TEST(plug_in_of_the_first_directory_wins_over_the_second)
{
    char dir[] = "/tmp/bp-registry-XXXXXX", path[64], command[2048];
    bp_provider_info info = {.struct_size = sizeof info};
    uint32_t i;
    const char *dirs[] = {dir, getenv("BP_MOCK_DIR")};
    bp_env_config config = {.struct_size = sizeof config,
                            .flags = BP_ENV_IGNORE_VARIABLES,
                            .provider_dirs = dirs,
                            .n_provider_dirs = 2};
    bp_env *env = NULL;

    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/libbp-few.so", dir);
    snprintf(command, sizeof command, "cp %s %s", mock_path("few"), path);
    ck_assert_int_eq(system(command), 0);
    KIT_OK(bp_env_create(&config, &env, &kit.err));
    KIT_OK(bp_env_find_provider(env, "few", &i, &kit.err));
    KIT_OK(bp_env_provider_info(env, i, &info, &kit.err));
    ck_assert_str_eq(info.file, path);
    KIT_OK(bp_env_destroy(env, &kit.err));
    unlink(path);
    rmdir(dir);
}
END_TEST

START_TEST(registry_says_why_each_directory_is_searched)
{
    const char *why = NULL;

    ck_assert_str_eq(bp_env_provider_dir(kit.env, 0, &why), getenv("BP_MOCK_DIR"));
    ck_assert_str_eq(why, "the application");
    ck_assert_ptr_null(bp_env_provider_dir(kit.env, 99, &why));
}
END_TEST

/* ---- where it looks -------------------------------------------------------------------------- */

static bp_env *env_of_variables(uint32_t flags)
{
    bp_env_config config = {.struct_size = sizeof config, .flags = flags};
    bp_env *env = NULL;

    KIT_OK(bp_env_create(&config, &env, &kit.err));
    return env;
}

static bool has_dir(bp_env *env, const char *dir, const char *why)
{
    const char *found, *reason;

    for (uint32_t i = 0; (found = bp_env_provider_dir(env, i, &reason)) != NULL; i++) {
        if (strcmp(found, dir) == 0 && (!why || strstr(reason, why)))
            return true;
    }
    return false;
}

START_TEST(path_variable_replaces_the_standard_directories)
{
    bp_env *env;

    setenv("BACKPLANE_PROVIDER_PATH", "/one::/two:three", 1);
    setenv("BACKPLANE_PROVIDER_PATH_ADD", "/more", 1);
    env = env_of_variables(0);
    ck_assert(has_dir(env, "/one", "BACKPLANE_PROVIDER_PATH"));
    ck_assert(has_dir(env, "/two", "BACKPLANE_PROVIDER_PATH"));
    ck_assert_ptr_null(bp_env_provider_dir(env, 2, NULL)); /* nothing else, and not "three" */
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

START_TEST(extra_path_variable_comes_before_the_standard_directories)
{
    bp_env *env;

    unsetenv("BACKPLANE_PROVIDER_PATH");
    setenv("BACKPLANE_PROVIDER_PATH_ADD", "/more", 1);
    setenv("XDG_DATA_HOME", "/data", 1);
    env = env_of_variables(0);
    ck_assert_str_eq(bp_env_provider_dir(env, 0, NULL), "/more");
    ck_assert_str_eq(bp_env_provider_dir(env, 1, NULL), "/data/backplane/v1");
    ck_assert(has_dir(env, bp_env_provider_dir(env, 2, NULL), "installation"));
    KIT_OK(bp_env_destroy(env, &kit.err));
    unsetenv("XDG_DATA_HOME");
    setenv("HOME", "/home/someone", 1);
    env = env_of_variables(0);
    ck_assert(has_dir(env, "/home/someone/.local/share/backplane/v1", NULL));
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

START_TEST(path_variables_are_ignored_when_the_application_says_so)
{
    bp_env *env;

    setenv("BACKPLANE_PROVIDER_PATH", "/one", 1);
    setenv("BACKPLANE_PROVIDER_PATH_ADD", "/more", 1);
    env = env_of_variables(BP_ENV_IGNORE_VARIABLES);
    ck_assert(!has_dir(env, "/one", NULL));
    ck_assert(!has_dir(env, "/more", NULL));
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

START_TEST(registry_rejects_relative_directories)
{
    const char *dirs[] = {"relative"};
    bp_env_config config = {
        .struct_size = sizeof config, .provider_dirs = dirs, .n_provider_dirs = 1};
    bp_env *env = NULL;

    KIT_FAILS(bp_env_create(&config, &env, &kit.err), BP_E_INVALID, "'relative'", "absolute");
    ck_assert_ptr_null(env);
    config.struct_size = 0;
    KIT_FAILS(bp_env_create(&config, &env, &kit.err), BP_E_INVALID, "struct_size");
}
END_TEST

/* ---- opening --------------------------------------------------------------------------------- */

START_TEST(plug_in_opens_by_any_of_its_names)
{
    KIT_OK(bp_env_is_available(kit.env, "few", &kit.err));
    KIT_OK(bp_env_is_available(kit.env, "FewExecutionProvider", &kit.err));
    KIT_OK(bp_env_is_available(kit.env, "org.backplane.few", &kit.err));
    KIT_OK(bp_env_is_available(kit.env, mock_path("few"), &kit.err));
    KIT_FAILS(bp_env_is_available(kit.env, "", &kit.err), BP_E_INVALID, "name");
    KIT_FAILS(bp_env_is_available(kit.env, "/nowhere/libbp-few.so", &kit.err), BP_E_IO,
              "/nowhere/libbp-few.so", "No such file");
}
END_TEST

START_TEST(missing_and_unknown_providers_get_different_messages)
{
    KIT_FAILS(bp_env_is_available(kit.env, "CUDAExecutionProvider", &kit.err), BP_E_UNAVAILABLE,
              "'cuda'", "not installed", "no plug-in for it", "'backplane install'",
              getenv("BP_MOCK_DIR"));
    KIT_FAILS(bp_env_is_available(kit.env, "cudaa", &kit.err), BP_E_INVALID, "'cudaa'",
              "did you mean 'cuda'?");
    KIT_FAILS(bp_env_is_available(kit.env, "absend", &kit.err), BP_E_INVALID,
              "did you mean 'absent'?"); /* of those found */
    KIT_FAILS(bp_env_is_available(kit.env, "qwertyuiop", &kit.err), BP_E_INVALID, "'qwertyuiop'",
              getenv("BP_MOCK_DIR"));
    ck_assert_ptr_null(strstr(kit.text, "did you mean"));
}
END_TEST

static const struct {
    const char *name;
    uint32_t stage;
    bp_rc code;
    const char *words;
} faults[] = {
    {"undefined", BP_STAGE_DEPENDENCIES, BP_E_IO, "bp_mock_function_without_definition"},
    {"noentry", BP_STAGE_ENTRY, BP_E_IO, "bp_provider_entry_v1"},
    {"refusing", BP_STAGE_ABI, BP_E_VERSION, "needs a host of ABI 9.0"},
    {"silent", BP_STAGE_ABI, BP_E_INTERNAL, "gave no module"},
    {"major", BP_STAGE_ABI, BP_E_VERSION, "speaks ABI 99.0"},
    {"magic", BP_STAGE_ABI, BP_E_VERSION, "0x0badc0de"},
    {"short", BP_STAGE_ABI, BP_E_VERSION, "provider table has 64 bytes"},
    {"incomplete", BP_STAGE_ABI, BP_E_INVALID, "bp_provider.execute is NULL"},
    {"critical", BP_STAGE_ABI, BP_E_VERSION, "0x40000000"},
    {"absent", BP_STAGE_AVAILABLE, BP_E_UNAVAILABLE, "driver too old: 535.54 < 550.0"},
};

START_TEST(faulty_plug_in_is_reported_with_stage_and_reason)
{
    bp_provider_info info = info_of(faults[_i].name);

    ck_assert_uint_eq(info.stage, faults[_i].stage);
    ck_assert_int_eq(info.code, faults[_i].code);
    ck_assert_ptr_nonnull(info.reason);
    ck_assert_msg(strstr(info.reason, faults[_i].words) != NULL, "'%s' is not in: %s",
                  faults[_i].words, info.reason);
    KIT_FAILS(bp_env_is_available(kit.env, faults[_i].name, &kit.err), faults[_i].code,
              faults[_i].words, info.reason);
    KIT_FAILS(bp_env_is_available(kit.env, mock_path(faults[_i].name), &kit.err), faults[_i].code,
              faults[_i].words); /* the same by its path */
    if (info.stage == BP_STAGE_AVAILABLE)
        ck_assert_str_eq(info.fix, "update the driver");
    else if (info.stage == BP_STAGE_DEPENDENCIES)
        ck_assert_ptr_nonnull(strstr(info.fix, "LD_LIBRARY_PATH"));
    else
        ck_assert_ptr_null(info.fix);
}
END_TEST

START_TEST(file_that_is_no_shared_object_is_reported)
{
    char dir[] = "/tmp/bp-registry-XXXXXX", path[64];
    FILE *file;

    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/libbp-text.so", dir);
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("this is not a shared object", file);
    fclose(file);
    KIT_FAILS(bp_env_is_available(kit.env, path, &kit.err), BP_E_IO, path, "not an ELF file");
    unlink(path);
    rmdir(dir);
}
END_TEST

START_TEST(entry_point_of_a_needed_library_does_not_count)
{
    char path[] = "/tmp/bp-registry-XXXXXX", command[2048];

    ck_assert_ptr_nonnull(mkdtemp(path));
    snprintf(command, sizeof command,
             "printf '%%s\n' '#include <bp/manifest.h>' "
             "'BP_MANIFEST(\"id=a.borrowed\\nname=borrowed\\nversion=1\");' | "
             "%s -I%s/sdk -shared -fPIC -x c - -o %s/libbp-borrowed.so "
             "-Wl,--no-as-needed -L%s -l:libbp-few.so -Wl,-rpath,%s",
             getenv("CC"), getenv("BP_SRCDIR"), path, getenv("BP_MOCK_DIR"), getenv("BP_MOCK_DIR"));
    ck_assert_int_eq(system(command), 0);
    snprintf(command, sizeof command, "%s/libbp-borrowed.so", path);
    KIT_FAILS(bp_env_is_available(kit.env, command, &kit.err), BP_E_IO, command,
              "comes from a library that it needs");
    unlink(command);
    rmdir(path);
}
END_TEST

/* ---- linked in ------------------------------------------------------------------------------- */

/* D-16 */
START_TEST(linked_in_entry_is_listed_first_and_wins)
{
    bp_provider_info info = {.struct_size = sizeof info};

    if (_i == 1) /* also after the files were listed */
        KIT_OK(bp_env_is_available(kit.env, "few", &kit.err));
    KIT_OK(bp_env_add_entry(kit.env, "few", failing_entry, &kit.err));
    KIT_OK(bp_env_provider_info(kit.env, 0, &info, &kit.err));
    ck_assert_str_eq(info.name, "few");
    ck_assert_ptr_null(info.file);
    KIT_FAILS(bp_env_is_available(kit.env, "few", &kit.err), BP_E_UNAVAILABLE,
              "linked in and lost");
    KIT_FAILS(bp_env_add_entry(kit.env, "Few", failing_entry, &kit.err), BP_E_INVALID, "'few'",
              "already");
    KIT_FAILS(bp_env_add_entry(kit.env, NULL, failing_entry, &kit.err), BP_E_INVALID, "name");
    KIT_OK(bp_env_is_available(kit.env, mock_path("few"), &kit.err)); /* the file is still there */
}
END_TEST

/* ---- registering ----------------------------------------------------------------------------- */

START_TEST(registering_accepts_working_providers_only)
{
    bp_key_value wrong = {"levl", "1"}, right = {"level", "1"};
    bp_session_options *options;

    KIT_OK(bp_session_options_create(&options, &kit.err));
    KIT_FAILS(bp_session_options_add_provider_now(options, kit.env, "absent", NULL, 0,
                                                  BP_FALLBACK_SILENT, &kit.err),
              BP_E_UNAVAILABLE, "driver too old");
    KIT_FAILS(bp_session_options_add_provider_now(options, kit.env, "few", &wrong, 1,
                                                  BP_FALLBACK_SILENT, &kit.err),
              BP_E_OPTION, "'levl'", "'level'");
    KIT_FAILS(bp_session_options_add_provider_now(options, kit.env, "few", &right, 1, 7, &kit.err),
              BP_E_INVALID, "7");
    KIT_OK(bp_session_options_add_provider_now(options, kit.env, "few", &right, 1,
                                               BP_FALLBACK_DEFAULT, &kit.err));
    KIT_FAILS(bp_session_options_add_provider_now(options, kit.env, "few", &right, 1,
                                                  BP_FALLBACK_DEFAULT, &kit.err),
              BP_E_INVALID, "'few'", "already");
    bp_session_options_destroy(options);
}
END_TEST

START_TEST(provider_list_takes_each_provider_and_key_once)
{
    bp_key_value twice[] = {{"level", "1"}, {"level", "2"}}, half[] = {{"level", NULL}};
    bp_session_options *options;

    KIT_OK(bp_session_options_create(&options, &kit.err));
    KIT_OK(bp_session_options_add_provider(options, "dnnl", NULL, 0, 0, &kit.err));
    KIT_FAILS(
        bp_session_options_add_provider(options, "DnnlExecutionProvider", NULL, 0, 0, &kit.err),
        BP_E_INVALID, "DnnlExecutionProvider");
    KIT_FAILS(bp_session_options_add_provider(options, "few", twice, 2, 0, &kit.err), BP_E_INVALID,
              "'few'", "'level'", "twice");
    KIT_FAILS(bp_session_options_add_provider(options, "few", half, 1, 0, &kit.err), BP_E_INVALID,
              "lacks its value");
    KIT_FAILS(bp_session_options_add_provider(options, "few", NULL, 1, 0, &kit.err), BP_E_INVALID,
              "no options");
    KIT_FAILS(bp_session_options_add_provider(options, "", NULL, 0, 0, &kit.err), BP_E_INVALID,
              "name");
    KIT_FAILS(bp_session_options_set_fallback(options, 9, &kit.err), BP_E_INVALID, "9");
    bp_session_options_destroy(options);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("registry");

    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    tcase_add_test(tcase, provider_names_are_normalised);
    tcase_add_test(tcase, registry_knows_each_provider_of_onnx_runtime);
    tcase_add_test(tcase, registry_rejects_names_that_are_too_long);
    tcase_add_test(tcase, registry_lists_linked_in_providers_then_files_then_cpu);
    tcase_add_test(tcase, registry_describes_a_usable_provider);
    tcase_add_test(tcase, registry_lists_the_operators_of_a_provider);
    tcase_add_test(tcase, plug_in_of_the_first_directory_wins_over_the_second);
    tcase_add_test(tcase, registry_says_why_each_directory_is_searched);
    tcase_add_test(tcase, path_variable_replaces_the_standard_directories);
    tcase_add_test(tcase, extra_path_variable_comes_before_the_standard_directories);
    tcase_add_test(tcase, path_variables_are_ignored_when_the_application_says_so);
    tcase_add_test(tcase, registry_rejects_relative_directories);
    tcase_add_test(tcase, plug_in_opens_by_any_of_its_names);
    tcase_add_test(tcase, missing_and_unknown_providers_get_different_messages);
    tcase_add_loop_test(tcase, faulty_plug_in_is_reported_with_stage_and_reason, 0,
                        sizeof faults / sizeof faults[0]);
    tcase_add_test(tcase, file_that_is_no_shared_object_is_reported);
    tcase_add_test(tcase, entry_point_of_a_needed_library_does_not_count);
    tcase_add_loop_test(tcase, linked_in_entry_is_listed_first_and_wins, 0, 2);
    tcase_add_test(tcase, registering_accepts_working_providers_only);
    tcase_add_test(tcase, provider_list_takes_each_provider_and_key_once);
    return kit_main("registry", &tcase, 1);
}
