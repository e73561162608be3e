/* SPDX-License-Identifier: MIT */
/*
 * check_codes.c - bp_err.code after every function of the public interface that takes a bp_err: 0 after a
 * success, whatever it was before, and what was returned after a failure. tests/abi/called.sh checks that no
 * function is missing here.
 */

#include "config.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <check.h>
#include <sched.h>
#include <stdatomic.h>

#include "support/session_kit.h"

enum { OLD_CODE = -77 };

/* Calls a function with a bp_err that has the code of an older failure. */
#define OK(fn, ...)                                                                                \
    do {                                                                                           \
        char ok_words[512];                                                                        \
        bp_err ok_err = bp_err_init(ok_words, sizeof ok_words);                                    \
        bp_rc ok_rc;                                                                               \
                                                                                                   \
        ok_err.code = OLD_CODE;                                                                    \
        ok_rc = fn(__VA_ARGS__, &ok_err);                                                          \
        ck_assert_msg(ok_rc == BP_OK && ok_err.code == BP_OK, "%s: returned %d, code %d: %s", #fn, \
                      ok_rc, ok_err.code, ok_words);                                               \
    } while (0)
#define BAD(fn, ...)                                                                               \
    do {                                                                                           \
        char bad_words[512];                                                                       \
        bp_err bad_err = bp_err_init(bad_words, sizeof bad_words);                                 \
        bp_rc bad_rc;                                                                              \
                                                                                                   \
        bad_err.code = OLD_CODE;                                                                   \
        bad_rc = fn(__VA_ARGS__, &bad_err);                                                        \
        ck_assert_msg(bad_rc < 0 && bad_err.code == bad_rc, "%s: returned %d, code %d", #fn,       \
                      bad_rc, bad_err.code);                                                       \
        ck_assert_msg(bad_words[0] != '\0', "%s: no words", #fn);                                  \
    } while (0)

static char dir[128];
static float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static void setup(void)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(dir, sizeof dir, "%.80s/bp-codes.XXXXXX", tmp ? tmp : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    kit_setup();
}

static void teardown(void)
{
    DIR *at = opendir(dir);
    char path[512];

    kit_teardown();
    ck_assert_ptr_nonnull(at);
    for (struct dirent *entry; (entry = readdir(at)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
        ck_assert_int_eq(remove(path), 0);
    }
    closedir(at);
    ck_assert_int_eq(rmdir(dir), 0);
}

/* A file with that text; the path lives until the next call. */
static const char *write_file(const char *name, const char *words)
{
    static char path[512];
    FILE *to;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    to = fopen(path, "w");
    ck_assert_ptr_nonnull(to);
    ck_assert_int_ge(fputs(words, to), 0);
    ck_assert_int_eq(fclose(to), 0);
    return path;
}

/* ---- environments ------------------------------------------------------------------------------ */

static bp_rc no_entry(const bp_host *host, const bp_module **out, bp_err *err)
{
    (void)host;
    (void)out;
    return bp_fail(err, BP_E_UNAVAILABLE, "this entry is never right");
}

static void ignore_row(void *user, const bp_operator_info *row)
{
    (void)user;
    (void)row;
}

START_TEST(codes_of_environments)
{
    bp_env_config wrong = {.struct_size = 1};
    bp_provider_info info = {.struct_size = sizeof info};
    bp_provider_check check = {.struct_size = sizeof check};
    bp_known_provider known = {.struct_size = sizeof known};
    bp_env_stats stats = {.struct_size = sizeof stats};
    bp_device device = {.struct_size = sizeof device};
    bp_operators *set = NULL;
    bp_env *env = NULL;
    uint32_t n;
    char path[4096];

    OK(bp_env_create, NULL, &env);
    BAD(bp_env_create, &wrong, &env);
    OK(bp_env_destroy, env);
    env = kit.env;
    OK(bp_env_get_stats, env, &stats);
    BAD(bp_env_get_stats, NULL, &stats);
    OK(bp_env_trim, env, NULL);
    BAD(bp_env_trim, NULL, NULL);
    OK(bp_env_add_provider, env, "picky", NULL, 0, BP_FALLBACK_SILENT);
    BAD(bp_env_add_provider, env, "picky", NULL, 0, BP_FALLBACK_SILENT);
    OK(bp_env_add_entry, env, "own", no_entry);
    BAD(bp_env_add_entry, env, "own", no_entry);
    OK(bp_env_provider_count, env, &n);
    BAD(bp_env_provider_count, NULL, &n);
    OK(bp_env_find_provider, env, "few", &n);
    BAD(bp_env_find_provider, env, "fewer", &n);
    OK(bp_env_find_provider, env, "few", &n);
    OK(bp_env_provider_info, env, n, &info);
    BAD(bp_env_provider_info, env, 100000, &info);
    OK(bp_env_provider_peek, env, n, &info);
    BAD(bp_env_provider_peek, env, 100000, &info);
    OK(bp_env_check_provider, env, n, 0, &check);
    BAD(bp_env_check_provider, env, 100000, 0, &check);
    OK(bp_env_provider_device, env, n, 0, &device);
    BAD(bp_env_provider_device, env, n, 99, &device);
    OK(bp_env_provider_operators, env, n, ignore_row, NULL);
    BAD(bp_env_provider_operators, NULL, n, ignore_row, NULL);
    OK(bp_env_known_provider, env, 0, &known);
    BAD(bp_env_known_provider, env, 100000, &known);
    OK(bp_env_is_available, env, "few");
    BAD(bp_env_is_available, env, "absent");
    OK(bp_env_probe, env);
    BAD(bp_env_probe, NULL);
    OK(bp_env_retry_provider, env, "few");
    BAD(bp_env_retry_provider, env, "");
    OK(bp_env_forget_provider, env, "nothing");
    BAD(bp_env_forget_provider, env, "");
    OK(bp_operators_create, &set);
    OK(bp_env_add_operators, env, set);
    BAD(bp_env_add_operators, NULL, set);
    bp_operators_release(set);
    OK(bp_standard_provider_dir, BP_DIR_SYSTEM, path, sizeof path);
    BAD(bp_standard_provider_dir, BP_DIR_SYSTEM, path, 1);
    kit_small_model();
    (void)kit_model();
    BAD(bp_env_destroy, env);
}
END_TEST

/* ---- options ------------------------------------------------------------------------------------ */

START_TEST(codes_of_options)
{
    static const uint32_t devices[] = {0};
    static const int64_t sizes[2] = {2, 4};
    bp_named_shape shape = {.name = "x", .dims = sizes, .rank = 2};
    bp_prepare_options prepare = {.struct_size = sizeof prepare};
    bp_worker_config workers = {.struct_size = sizeof workers};
    bp_allocator allocator = {.struct_size = sizeof allocator};
    bp_operators *set = NULL;
    bp_session_options *o;

    OK(bp_session_options_create, &kit.options);
    BAD(bp_session_options_create, NULL);
    o = kit.options;
    OK(bp_session_options_add_provider, o, "few", NULL, 0, 0);
    BAD(bp_session_options_add_provider, o, "few", NULL, 0, 0);
    OK(bp_session_options_add_provider_now, o, kit.env, "picky", NULL, 0, 0);
    BAD(bp_session_options_add_provider_now, o, kit.env, "absent", NULL, 0, 0);
    OK(bp_session_options_set_devices, o, "few", devices, 1);
    BAD(bp_session_options_set_devices, o, "cpu", devices, 1);
    OK(bp_session_options_set_fallback, o, BP_FALLBACK_SILENT);
    BAD(bp_session_options_set_fallback, o, 99);
    OK(bp_session_options_set_dimension, o, "N", 2);
    BAD(bp_session_options_set_dimension, o, "N", -2);
    OK(bp_session_options_set_denotation, o, "DATA_BATCH", 2);
    BAD(bp_session_options_set_denotation, o, NULL, 2);
    OK(bp_session_options_set_min_share, o, "few", 0.5);
    BAD(bp_session_options_set_min_share, o, "few", 2.0);
    OK(bp_session_options_add_placement, o, "op:Relu=few");
    BAD(bp_session_options_add_placement, o, "nonsense");
    OK(bp_session_options_read_placements, o, write_file("rules", "op:Neg=few\n"));
    BAD(bp_session_options_read_placements, o, "/nowhere/at/all");
    OK(bp_session_options_set_cache, o, dir, 0);
    BAD(bp_session_options_set_cache, NULL, dir, 0);
    OK(bp_session_options_set_workers, o, &workers);
    workers.n_affinities = 1;
    BAD(bp_session_options_set_workers, o, &workers);
    OK(bp_session_options_set_allocator, o, NULL);
    BAD(bp_session_options_set_allocator, o, &allocator);
    OK(bp_session_options_set_optimization, o, BP_OPTIMIZE_BASIC);
    BAD(bp_session_options_set_optimization, o, 99);
    OK(bp_session_options_disable_pass, o, bp_optimization_pass(0, NULL, NULL));
    BAD(bp_session_options_disable_pass, o, "fold-everything");
    OK(bp_session_options_add_shapes, o, &shape, 1);
    shape.name = NULL;
    BAD(bp_session_options_add_shapes, o, &shape, 1);
    OK(bp_session_options_set_prepare, o, &prepare);
    prepare.n_runs = 1000;
    BAD(bp_session_options_set_prepare, o, &prepare);
    OK(bp_operators_create, &set);
    BAD(bp_operators_create, NULL);
    OK(bp_session_options_add_operators, o, set);
    BAD(bp_session_options_add_operators, o, NULL);
    OK(bp_operators_bind, set, write_file("bind", "# nothing\n"));
    BAD(bp_operators_bind, set, "/nowhere/at/all");
    bp_operators_release(set);
}
END_TEST

START_TEST(codes_of_caches)
{
    bp_cache_file row = {.struct_size = sizeof row};
    bp_cache *cache = NULL;
    uint64_t bytes;
    uint32_t n;

    kit_provider("keeper", BP_FALLBACK_REQUIRE);
    OK(bp_session_options_set_cache, kit.options, dir, 0);
    kit_small_model();
    kit_session();
    OK(bp_cache_open, kit.env, dir, &cache);
    OK(bp_cache_get, cache, 0, 1, &row);
    BAD(bp_cache_get, cache, 10000, 1, &row);
    BAD(bp_cache_get, NULL, 0, 1, &row);
    OK(bp_cache_clear, cache, 0, &n, &bytes);
    BAD(bp_cache_clear, NULL, 0, &n, &bytes);
    ck_assert_uint_gt(n, 0);
    bp_cache_close(cache);
    BAD(bp_cache_open, kit.env, "/no/such", &cache);
    ck_assert_uint_eq(bp_cache_count(NULL), 0);
    ck_assert_ptr_null(bp_cache_dir(NULL));
}
END_TEST

/* ---- models ------------------------------------------------------------------------------------ */

static bp_rc swallow(void *user, const void *bytes, size_t size, bp_err *err)
{
    (void)user;
    (void)bytes;
    (void)size;
    (void)err;
    return BP_OK;
}

/* The model in a file. */
static const char *model_file(void)
{
    static char path[512];
    FILE *to;

    kit_small_model();
    (void)kit_model();
    snprintf(path, sizeof path, "%s/model.onnx", dir);
    to = fopen(path, "w");
    ck_assert_ptr_nonnull(to);
    ck_assert_uint_eq(fwrite(kit.w.data, 1, kit.w.size, to), kit.w.size);
    ck_assert_int_eq(fclose(to), 0);
    return path;
}

START_TEST(codes_of_models)
{
    bp_model_sink sink = {.struct_size = sizeof sink, .write = swallow};
    bp_model_source source = {.struct_size = sizeof source, .path = model_file()};
    bp_model_info info = {.struct_size = sizeof info};
    bp_io_info io = {.struct_size = sizeof io};
    bp_op_info op = {.struct_size = sizeof op};
    bp_model *model = NULL, *made = NULL;
    bp_report *report = NULL;
    bp_env *env = kit.env;
    uint32_t n;

    OK(bp_model_open_memory, env, kit.w.data, kit.w.size, NULL, &model);
    bp_model_close(model);
    BAD(bp_model_open_memory, env, "garbage", 7, NULL, &model);
    OK(bp_model_open_source, env, &source, &model);
    bp_model_close(model);
    BAD(bp_model_open_source, env, NULL, &model);
    BAD(bp_model_open, env, "/nowhere.onnx", &model);
    OK(bp_model_open, env, source.path, &model);
    OK(bp_model_get_info, model, &info);
    BAD(bp_model_get_info, NULL, &info);
    OK(bp_model_input, model, 0, &io);
    BAD(bp_model_input, model, 9, &io);
    OK(bp_model_output, model, 0, &io);
    BAD(bp_model_output, model, 9, &io);
    OK(bp_model_op, model, 0, &op);
    BAD(bp_model_op, model, 99, &op);
    OK(bp_model_save, model, &sink);
    BAD(bp_model_save, model, NULL);
    OK(bp_model_optimize, env, model, NULL, 0, &made, NULL);
    bp_model_close(made);
    BAD(bp_model_optimize, env, model, NULL, 0x80, &made, NULL);
    OK(bp_model_compile, env, model, NULL, NULL, &made, &n, NULL);
    bp_model_close(made);
    BAD(bp_model_compile, env, NULL, NULL, NULL, &made, &n, NULL);
    BAD(bp_model_compile, env, model, NULL, NULL, NULL, &n, NULL);
    BAD(bp_model_compile, env, model, NULL, NULL, &made, NULL, NULL);
    OK(bp_plan_create, env, model, NULL, &report);
    bp_report_destroy(report);
    BAD(bp_plan_create, env, NULL, NULL, &report);
    bp_model_close(model);
}
END_TEST

/* ---- sessions ---------------------------------------------------------------------------------- */

static void note_end(void *user, bp_rc rc, const bp_err *err)
{
    (void)rc;
    (void)err;
    atomic_store((atomic_bool *)user, true);
}

static void check_io_binding(bp_session *session, const bp_binding *in)
{
    bp_io_binding *io = NULL, *none = NULL;
    const bp_binding *value;
    atomic_bool ended = false;

    OK(bp_io_binding_create, session, &io);
    BAD(bp_io_binding_create, NULL, &none);
    OK(bp_io_binding_set_input, io, NULL, in);
    BAD(bp_io_binding_set_input, io, "z", in);
    BAD(bp_io_binding_run, io, NULL);
    OK(bp_io_binding_set_output, io, "y", NULL);
    BAD(bp_io_binding_set_output, io, "z", NULL);
    OK(bp_io_binding_run, io, NULL);
    OK(bp_io_binding_output, io, "y", 0, &value);
    BAD(bp_io_binding_output, io, "z", 0, &value);
    OK(bp_io_binding_run_async, io, NULL, note_end, &ended);
    while (!atomic_load(&ended))
        sched_yield();
    BAD(bp_io_binding_run_async, io, NULL, NULL, NULL);
    bp_io_binding_destroy(io);
}

START_TEST(codes_of_sessions)
{
    atomic_bool ended = false;
    static int64_t dims[2] = {2, 4};
    bp_binding in = kit_tensor(0, BP_DTYPE_F32, x, 2, dims), out = kit_wanted(0);
    bp_binding unfed = kit_tensor(0, BP_DTYPE_F64, x, 2, dims);
    bp_run_shapes shapes = {.inputs = &in, .n_inputs = 1}, unknown = {.inputs = &unfed};
    const char *path = model_file();
    bp_session_stats stats = {.struct_size = sizeof stats};
    bp_memory_use use = {.struct_size = sizeof use};
    bp_io_info io = {.struct_size = sizeof io};
    bp_session *session = NULL;
    int64_t out_dims[2];
    uint32_t n;

    /* a provider that is missing is tried, and the session made without it */
    kit_provider("gadget", BP_FALLBACK_REQUIRE);
    kit_provider("absent", BP_FALLBACK_SILENT);
    OK(bp_session_create_from_model, kit.env, kit.model, kit.options, &session);
    bp_session_destroy(session);
    BAD(bp_session_create_from_model, kit.env, NULL, kit.options, &session);
    BAD(bp_session_create, kit.env, "/nowhere.onnx", kit.options, &session);
    OK(bp_session_create, kit.env, path, kit.options, &session);
    OK(bp_session_input, session, 0, &io);
    BAD(bp_session_input, session, 1, &io);
    OK(bp_session_output, session, 0, &io);
    BAD(bp_session_output, session, 1, &io);
    OK(bp_session_find_input, session, "x", &n);
    BAD(bp_session_find_input, session, "z", &n);
    OK(bp_session_find_output, session, "y", &n);
    BAD(bp_session_find_output, session, "z", &n);
    OK(bp_session_prepare, session, &shapes, 1, NULL);
    BAD(bp_session_prepare, session, &unknown, 1, NULL);
    out.tensor = (bp_tensor){.dims = out_dims, .rank = 2};
    OK(bp_session_output_shapes, session, &shapes, &out, 1);
    BAD(bp_session_output_shapes, session, &unknown, &out, 1);
    out = kit_wanted(0);
    OK(bp_session_run, session, &in, 1, &out, 1, NULL);
    bp_tensor_free(&out.tensor);
    out = kit_wanted(0);
    BAD(bp_session_run, session, &in, 0, &out, 1, NULL);
    OK(bp_session_run_async, session, &in, 1, &out, 1, NULL, note_end, &ended);
    while (!atomic_load(&ended))
        sched_yield();
    bp_tensor_free(&out.tensor);
    BAD(bp_session_run_async, session, &in, 1, &out, 1, NULL, NULL, NULL);
    check_io_binding(session, &in);
    OK(bp_session_set_option, session, "gadget", "gain", "2");
    BAD(bp_session_set_option, session, "gadget", "gain", "much");
    OK(bp_session_get_stats, session, &stats);
    BAD(bp_session_get_stats, NULL, &stats);
    OK(bp_session_get_memory, session, 0, &use);
    BAD(bp_session_get_memory, session, 99, &use);
    OK(bp_session_trim, session, NULL);
    BAD(bp_session_trim, NULL, NULL);
    OK(bp_session_set_providers, session, NULL);
    BAD(bp_session_set_providers, NULL, NULL);
    bp_session_destroy(session);
}
END_TEST

START_TEST(codes_of_profiles)
{
    bp_profile_event event = {.struct_size = sizeof event};
    bp_profile *profile = NULL;
    char *text = NULL;

    OK(bp_profile_create, 8, &profile);
    OK(bp_profile_add, profile, "reading", 0, 1);
    BAD(bp_profile_add, profile, NULL, 0, 1);
    OK(bp_profile_get, profile, 0, &event);
    BAD(bp_profile_get, profile, 7, &event);
    OK(bp_profile_json, profile, &text);
    BAD(bp_profile_json, NULL, &text);
    bp_profile_destroy(profile);
    BAD(bp_profile_create, UINT32_MAX, &profile);
    bp_free(text);
}
END_TEST

/* ---- reports ----------------------------------------------------------------------------------- */

/* The first node that a provider refused. */
static uint32_t refused_node(const bp_report *report)
{
    bp_report_node node = {.struct_size = sizeof node};

    for (uint32_t i = 0; i < bp_report_node_count(report); i++) {
        KIT_OK(bp_report_get_node(report, i, &node, &kit.err));
        if (node.n_refusals > 0)
            return i;
    }
    ck_abort_msg("no node was refused");
}

START_TEST(codes_of_reports)
{
    bp_report_provider provider = {.struct_size = sizeof provider};
    bp_report_node node = {.struct_size = sizeof node};
    bp_report_refusal refusal = {.struct_size = sizeof refusal};
    bp_report_group group = {.struct_size = sizeof group};
    bp_report_option option = {.struct_size = sizeof option};
    bp_report_pass pass = {.struct_size = sizeof pass};
    const bp_report *report;
    char *text = NULL;
    uint32_t i;

    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_small_model();
    kit_session();
    report = bp_session_report(kit.session);
    OK(bp_report_get_provider, report, 0, &provider);
    BAD(bp_report_get_provider, report, 50, &provider);
    OK(bp_report_get_option, report, 0, 0, &option);
    BAD(bp_report_get_option, report, 0, 999, &option);
    OK(bp_report_get_node, report, 0, &node);
    BAD(bp_report_get_node, report, 50, &node);
    i = refused_node(report);
    OK(bp_report_get_refusal, report, i, 0, &refusal);
    BAD(bp_report_get_refusal, report, i, 50, &refusal);
    OK(bp_report_get_group, report, 0, &group);
    BAD(bp_report_get_group, report, 50, &group);
    OK(bp_report_get_pass, report, 0, &pass);
    BAD(bp_report_get_pass, report, 500, &pass);
    OK(bp_report_json, report, &text);
    bp_free(text);
    BAD(bp_report_json, NULL, &text);
    OK(bp_explain, kit.env, report, "few", BP_EXPLAIN_TEXT, &text);
    bp_free(text);
    OK(bp_explain, kit.env, report, NULL, BP_EXPLAIN_JSON, &text); /* all, many of them missing */
    bp_free(text);
    BAD(bp_explain, kit.env, report, "fewer", BP_EXPLAIN_TEXT, &text);
}
END_TEST

START_TEST(codes_of_rows_that_runs_add)
{
    bp_report_mismatch mismatch = {.struct_size = sizeof mismatch};
    bp_report_refused_sizes sizes = {.struct_size = sizeof sizes};
    const bp_report *report;

    kit_provider_with("picky", "most", "8");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,4");
    kit_node("relu", "Relu", "x", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N,5");
    kit_session();
    report = bp_session_report(kit.session);
    OK(bp_report_get_mismatch, report, 0, &mismatch);
    BAD(bp_report_get_mismatch, report, 9, &mismatch);
    BAD(bp_report_get_mismatch, NULL, 0, &mismatch);
    for (int64_t rows = 2; rows < 4; rows++) { /* the second has more than 8 elements */
        float data[12] = {0};
        int64_t dims[2] = {rows, 4};
        bp_binding in = kit_tensor(0, BP_DTYPE_F32, data, 2, dims), out = kit_wanted(0);

        OK(bp_session_run, kit.session, &in, 1, &out, 1, NULL);
        bp_tensor_free(&out.tensor);
    }
    OK(bp_report_get_refused_sizes, report, 0, &sizes);
    BAD(bp_report_get_refused_sizes, report, 9, &sizes);
    BAD(bp_report_get_refused_sizes, NULL, 0, &sizes);
}
END_TEST

/* ---- tensors and other values ------------------------------------------------------------------ */

START_TEST(codes_of_tensors)
{
    static const int64_t dims[2] = {2, 3}, negative[1] = {-1};
    static const char *const texts[6] = {"one", "", NULL, "four", "five", "six"};
    bp_tensor tensor = {0}, read = {0};
    size_t bytes;
    void *encoded;

    OK(bp_tensor_bytes, BP_DTYPE_F32, dims, 2, &bytes);
    BAD(bp_tensor_bytes, BP_DTYPE_F32, negative, 1, &bytes);
    OK(bp_tensor_from_strings, texts, dims, 2, &tensor);
    bp_tensor_free(&tensor);
    BAD(bp_tensor_from_strings, NULL, dims, 2, &tensor);
    OK(bp_tensor_alloc, BP_DTYPE_F32, dims, 2, &tensor);
    BAD(bp_tensor_alloc, BP_DTYPE_F32, negative, 1, &read);
    OK(bp_tensor_encode, &tensor, "t", &encoded, &bytes);
    OK(bp_tensor_decode, encoded, bytes, &read, NULL);
    bp_tensor_free(&read);
    bp_free(encoded);
    BAD(bp_tensor_encode, NULL, "t", &encoded, &bytes);
    BAD(bp_tensor_decode, "garbage", 7, &read, NULL);
    bp_tensor_free(&tensor);
}
END_TEST

/* A tensor of rank 1 as an object. */
static bp_object *row_of(uint32_t dtype, const void *data, int64_t n)
{
    bp_binding at = kit_tensor(0, dtype, data, 1, &n);
    bp_object *made;

    OK(bp_object_from_tensor, &at.tensor, &made);
    return made;
}

START_TEST(codes_of_objects)
{
    static const int64_t indices[2] = {0, 3};
    static int64_t four = 4;
    bp_object *ints = row_of(BP_DTYPE_I64, indices, 2), *floats = row_of(BP_DTYPE_F32, x, 2);
    bp_object *parts[2] = {floats, ints}, *made = NULL;
    bp_tensor dense = {.dims = &four, .rank = 1, .dtype = BP_DTYPE_F32};
    size_t bytes;
    void *encoded;

    OK(bp_object_from_int64, 1, &made);
    bp_object_release(made);
    BAD(bp_object_from_int64, 1, NULL);
    OK(bp_object_from_float, 1, &made);
    bp_object_release(made);
    BAD(bp_object_from_float, 1, NULL);
    OK(bp_object_from_bool, 1, &made);
    bp_object_release(made);
    BAD(bp_object_from_bool, 1, NULL);
    OK(bp_object_from_string, "one", &made);
    bp_object_release(made);
    BAD(bp_object_from_string, NULL, &made);
    BAD(bp_object_from_tensor, NULL, &made);
    BAD(bp_object_from_tensor, &dense, NULL);
    OK(bp_object_sequence, &floats, 1, &made);
    bp_object_release(made);
    BAD(bp_object_sequence, NULL, 1, &made);
    BAD(bp_object_sequence, &floats, 1, NULL);
    OK(bp_object_optional, floats, &made);
    bp_object_release(made);
    BAD(bp_object_optional, floats, NULL);
    OK(bp_object_map, ints, floats, &made);
    bp_object_release(made);
    BAD(bp_object_map, NULL, floats, &made);
    BAD(bp_object_map, ints, floats, NULL);
    OK(bp_object_sparse, BP_SPARSE_COO, &dense, parts, 2, &made);
    bp_object_release(made);
    BAD(bp_object_sparse, 99, &dense, parts, 2, &made);
    BAD(bp_object_sparse, BP_SPARSE_COO, &dense, parts, 2, NULL);
    KIT_OK(bp_tensor_encode(bp_object_tensor(ints), "t", &encoded, &bytes, &kit.err));
    OK(bp_object_decode, encoded, bytes, BP_KIND_TENSOR, &made);
    bp_object_release(made);
    bp_free(encoded);
    BAD(bp_object_decode, "garbage", 7, BP_KIND_TENSOR, &made);
    BAD(bp_object_decode, "garbage", 7, BP_KIND_TENSOR, NULL);
    bp_object_release(ints);
    bp_object_release(floats);
}
END_TEST

/* ---- operators of the application --------------------------------------------------------------- */

static bp_rc shout_shapes(void *user, bp_operator_shapes *shapes, bp_err *err)
{
    bp_operator_fact fact = {.struct_size = sizeof fact};

    (void)user;
    (void)err;
    BAD(bp_operator_shapes_input, shapes, 9, &fact);
    OK(bp_operator_shapes_input, shapes, 0, &fact);
    BAD(bp_operator_shapes_set, shapes, 0, 9999, fact.rank, fact.dims);
    OK(bp_operator_shapes_set, shapes, 0, BP_DTYPE_NONE, fact.rank, fact.dims);
    return BP_OK;
}

static bp_rc shout_compute(void *kernel, bp_operator_call *call, bp_err *err)
{
    const bp_tensor *from = bp_operator_input(call, 0);
    bp_object *none;
    bp_tensor *to;

    (void)kernel;
    (void)err;
    BAD(bp_operator_size_output, call, 9, from->rank, from->dims, &to);
    BAD(bp_operator_size_output, call, 0, from->rank, from->dims, NULL);
    OK(bp_operator_size_output, call, 0, from->rank, from->dims, &to);
    BAD(bp_operator_set_text, call, 0, 99, "loud", 4);
    OK(bp_operator_set_text, call, 0, 0, "loud", 4);
    OK(bp_object_sequence, NULL, 0, &none);
    BAD(bp_operator_set_object, call, 0, bp_object_retain(none));
    OK(bp_operator_set_object, call, 1, none);
    return BP_OK;
}

START_TEST(codes_of_states)
{
    float sum = 3;
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, &sum, 1);
    bp_state *state, *copy;
    bp_tensor tensor = {0};

    OK(bp_session_options_create, &kit.options);
    BAD(bp_session_options_add_state, kit.options, "sum", NULL);
    OK(bp_session_options_add_state, kit.options, "sum", "next");
    kit_io(KIT_INPUT, "more", BP_DTYPE_F32, "N");
    kit_io(KIT_INPUT, "sum", BP_DTYPE_F32, "P");
    kit_node_int("concat", "Concat", "sum more", "next", "axis", 0);
    kit_io(KIT_OUTPUT, "next", BP_DTYPE_F32, "T");
    kit_session();
    OK(bp_state_create, kit.session, 1, &state);
    BAD(bp_state_create, NULL, 1, &state);
    OK(bp_state_reset, state);
    BAD(bp_state_reset, NULL);
    OK(bp_state_set, state, "sum", &in.tensor);
    BAD(bp_state_set, state, "mus", &in.tensor);
    OK(bp_state_get, state, "sum", &tensor);
    BAD(bp_state_get, state, "mus", &tensor);
    bp_tensor_free(&tensor);
    OK(bp_state_reserve, state, 10);
    BAD(bp_state_reserve, NULL, 10);
    OK(bp_state_truncate, state, 0);
    BAD(bp_state_truncate, state, 1);
    OK(bp_state_copy, state, &copy);
    BAD(bp_state_copy, NULL, &copy);
    bp_state_destroy(copy);
    bp_state_destroy(state);
}
END_TEST

START_TEST(codes_of_operators)
{
    static const bp_operand text[] = {
        {.name = "T", .types = UINT64_C(1) << BP_DTYPE_STRING},
        {.name = "S", .types = UINT64_C(1) << BP_DTYPE_STRING, .kinds = 1u << BP_KIND_SEQUENCE}};
    bp_operator_def def = {.struct_size = sizeof def,
                           .domain = "com.test",
                           .name = "Shout",
                           .since = 1,
                           .in = text,
                           .out = text,
                           .n_in = 1,
                           .n_out = 2,
                           .shapes = shout_shapes,
                           .compute = shout_compute};
    bp_span word = {"quiet", 5};
    int64_t one = 1;
    bp_binding in = kit_tensor(0, BP_DTYPE_STRING, &word, 1, &one), out = kit_wanted(0);
    bp_operators *set = NULL;

    OK(bp_operators_create, &set);
    OK(bp_operators_add, set, &def);
    BAD(bp_operators_add, set, &def);
    OK(bp_session_options_create, &kit.options);
    OK(bp_session_options_add_operators, kit.options, set);
    bp_operators_release(set);
    kit_io(KIT_INPUT, "x", BP_DTYPE_STRING, "1");
    kit_open_node("shout", "Shout", "x", "y s");
    pw_text(&kit.w, 7, "com.test");
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_STRING, "1");
    pw_close(&kit.w);
    pw_open(&kit.w, 8);
    pw_text(&kit.w, 1, "com.test");
    pw_int(&kit.w, 2, 1);
    pw_close(&kit.w);
    kit.is_closed = true;
    kit_session();
    OK(bp_session_run, kit.session, &in, 1, &out, 1, NULL);
    ck_assert_int_eq(memcmp(bp_tensor_string(&out.tensor, 0, NULL), "loud", 4), 0);
    bp_tensor_free(&out.tensor);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("codes");

    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, codes_of_environments);
    tcase_add_test(cases, codes_of_options);
    tcase_add_test(cases, codes_of_caches);
    tcase_add_test(cases, codes_of_models);
    tcase_add_test(cases, codes_of_sessions);
    tcase_add_test(cases, codes_of_profiles);
    tcase_add_test(cases, codes_of_reports);
    tcase_add_test(cases, codes_of_rows_that_runs_add);
    tcase_add_test(cases, codes_of_tensors);
    tcase_add_test(cases, codes_of_objects);
    tcase_add_test(cases, codes_of_states);
    tcase_add_test(cases, codes_of_operators);
    return kit_main("codes", &cases, 1);
}
