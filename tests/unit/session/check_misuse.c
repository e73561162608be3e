/* SPDX-License-Identifier: MIT */
/*
 * check_misuse.c - wrong uses of the public interface: each is a status with words, or follows a rule of
 * backplane.h; none crashes where the library can see it.
 */

#include "config.h"

#include <check.h>

#include "support/session_kit.h"

/* ---- what calls get ---------------------------------------------------------------------------- */

static const int64_t six[2] = {2, 3};
static float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[64];

static bp_binding feed_of(int64_t *dims)
{
    return kit_tensor(0, BP_DTYPE_F32, x, 2, dims);
}

static void small_session(void)
{
    kit_small_model();
    kit_session();
}

/* ---- environments ------------------------------------------------------------------------------ */

START_TEST(environment_misused)
{
    bp_env_config config = {.struct_size = 2};
    bp_provider_info info = {.struct_size = sizeof info};
    bp_known_provider known = {.struct_size = 0};
    bp_env_stats stats = {.struct_size = 0};
    bp_device device = {.struct_size = sizeof device};
    bp_env *env = NULL;
    uint32_t n;

    KIT_FAILS(bp_env_create(&config, &env, &kit.err), BP_E_INVALID, "struct_size");
    ck_assert_ptr_null(env);
    config = (bp_env_config){.struct_size = sizeof config, .n_provider_dirs = 1};
    KIT_FAILS(bp_env_create(&config, &env, &kit.err), BP_E_INVALID, "provider directories");
    KIT_FAILS(bp_env_create(NULL, NULL, &kit.err), BP_E_INVALID, "out");
    KIT_OK(bp_env_destroy(NULL, &kit.err));
    ck_assert_uint_eq(bp_env_threads(NULL), 0);
    ck_assert_ptr_null(bp_env_variable(NULL, 0, NULL, NULL));
    KIT_FAILS(bp_env_add_provider(kit.env, NULL, NULL, 0, 0, &kit.err), BP_E_INVALID, "name");
    KIT_FAILS(bp_env_add_provider(NULL, "cpu", NULL, 0, 0, &kit.err), BP_E_INVALID, "environment");
    KIT_FAILS(bp_env_add_provider(kit.env, "few", NULL, 0, 99, &kit.err), BP_E_INVALID, "99");
    KIT_FAILS(bp_env_add_provider(kit.env, "few", NULL, 2, 0, &kit.err), BP_E_INVALID, "options");
    KIT_FAILS(bp_env_add_entry(kit.env, "own", NULL, &kit.err), BP_E_INVALID, "entry");
    KIT_FAILS(bp_env_provider_count(NULL, &n, &kit.err), BP_E_INVALID, "environment");
    KIT_FAILS(bp_env_provider_info(kit.env, 10000, &info, &kit.err), BP_E_INVALID, "10000");
    KIT_FAILS(bp_env_provider_info(kit.env, 0, NULL, &kit.err), BP_E_INVALID, "struct");
    KIT_FAILS(bp_env_provider_peek(kit.env, 10000, &info, &kit.err), BP_E_INVALID, "10000");
    KIT_FAILS(bp_env_known_provider(kit.env, 0, &known, &kit.err), BP_E_INVALID, "struct_size");
    KIT_FAILS(bp_env_provider_device(kit.env, 10000, 0, &device, &kit.err), BP_E_INVALID, "10000");
    KIT_FAILS(bp_env_find_provider(kit.env, NULL, &n, &kit.err), BP_E_INVALID, "name");
    KIT_FAILS(bp_env_find_provider(kit.env, "cpuu", &n, &kit.err), BP_E_INVALID, "cpu");
    KIT_FAILS(bp_env_retry_provider(kit.env, "nothing", &kit.err), BP_E_INVALID, "nothing");
    KIT_FAILS(bp_env_is_available(kit.env, "", &kit.err), BP_E_INVALID, "name");
    KIT_FAILS(bp_env_get_stats(kit.env, &stats, &kit.err), BP_E_INVALID, "struct_size");
    KIT_FAILS(bp_env_trim(NULL, NULL, &kit.err), BP_E_INVALID, "environment");
    kit_small_model();
    kit_model();
    KIT_FAILS(bp_env_destroy(kit.env, &kit.err), BP_E_INVALID, "1 model");
}
END_TEST

/* ---- options ------------------------------------------------------------------------------------ */

START_TEST(options_misused)
{
    static const bp_key_value twice[] = {{"a", "1"}, {"a", "2"}}, no_value[] = {{"a", NULL}};
    static const uint32_t devices[] = {0, 0};
    bp_allocator allocator = {.struct_size = sizeof allocator};
    bp_worker_config workers = {.struct_size = sizeof workers, .n_affinities = 3};
    bp_session_options *o;

    KIT_FAILS(bp_session_options_create(NULL, &kit.err), BP_E_INVALID, "out");
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    o = kit.options;
    KIT_FAILS(bp_session_options_add_provider(o, NULL, NULL, 0, 0, &kit.err), BP_E_INVALID, "name");
    KIT_FAILS(bp_session_options_add_provider(NULL, "few", NULL, 0, 0, &kit.err), BP_E_INVALID,
              "options");
    KIT_FAILS(bp_session_options_add_provider(o, "few", twice, 2, 0, &kit.err), BP_E_INVALID,
              "twice");
    KIT_FAILS(bp_session_options_add_provider(o, "few", no_value, 1, 0, &kit.err), BP_E_INVALID,
              "value");
    KIT_FAILS(bp_session_options_add_provider(o, "few", NULL, 0, 7, &kit.err), BP_E_INVALID, "7");
    KIT_OK(bp_session_options_add_provider(o, "few", NULL, 0, 0, &kit.err));
    KIT_FAILS(bp_session_options_add_provider(o, "FEW", NULL, 0, 0, &kit.err), BP_E_INVALID,
              "in the list already");
    KIT_FAILS(bp_session_options_set_devices(o, "few", devices, 2, &kit.err), BP_E_INVALID,
              "device");
    KIT_FAILS(bp_session_options_set_devices(o, "dnnl", devices, 1, &kit.err), BP_E_INVALID,
              "dnnl");
    KIT_FAILS(bp_session_options_set_fallback(o, 17, &kit.err), BP_E_INVALID, "17");
    KIT_FAILS(bp_session_options_set_dimension(o, NULL, 1, &kit.err), BP_E_INVALID, "name");
    KIT_FAILS(bp_session_options_set_dimension(o, "N", -1, &kit.err), BP_E_INVALID, "-1");
    KIT_FAILS(bp_session_options_set_min_share(o, "few", 1.5, &kit.err), BP_E_INVALID, "1.5");
    KIT_FAILS(bp_session_options_set_min_share(o, "picky", 0.5, &kit.err), BP_E_INVALID, "picky");
    KIT_FAILS(bp_session_options_add_placement(o, "nonsense", &kit.err), BP_E_INVALID, "nonsense");
    KIT_FAILS(bp_session_options_add_placement(o, NULL, &kit.err), BP_E_INVALID, "rule");
    KIT_FAILS(bp_session_options_read_placements(o, "/nowhere/at/all", &kit.err), BP_E_IO,
              "/nowhere/at/all");
    KIT_FAILS(bp_session_options_set_optimization(o, 99, &kit.err), BP_E_INVALID, "99");
    KIT_FAILS(bp_session_options_disable_pass(o, "fold-everything", &kit.err), BP_E_INVALID,
              "fold-everything");
    KIT_FAILS(bp_session_options_set_allocator(o, &allocator, &kit.err), BP_E_INVALID, "alloc");
    workers.n_affinities = 3;
    KIT_FAILS(bp_session_options_set_workers(o, &workers, &kit.err), BP_E_INVALID, "affinit");
    bp_session_options_set_strict(NULL, 1);
    bp_session_options_set_strict_shapes(NULL, 1);
    bp_session_options_set_newer_opsets(NULL, 1);
    bp_session_options_set_threads(NULL, 1);
    bp_session_options_set_max_shapes(NULL, 1);
    bp_session_options_set_memory_limit(NULL, 1);
    bp_session_options_set_copy_files(NULL, 1);
    bp_session_options_ignore_env_providers(NULL);
    bp_session_options_set_log(NULL, NULL, NULL, 0);
    bp_session_options_set_progress(NULL, NULL, NULL);
    bp_session_options_destroy(NULL);
}
END_TEST

/* ---- models ------------------------------------------------------------------------------------ */

START_TEST(model_misused)
{
    bp_model_source source = {.struct_size = sizeof source};
    bp_model_info info = {.struct_size = 0};
    bp_io_info io = {.struct_size = sizeof io};
    bp_op_info op = {.struct_size = sizeof op};
    bp_model *model = NULL;

    KIT_FAILS(bp_model_open(kit.env, NULL, &model, &kit.err), BP_E_INVALID, "path");
    KIT_FAILS(bp_model_open(kit.env, "/nowhere.onnx", &model, &kit.err), BP_E_IO, "/nowhere.onnx");
    KIT_FAILS(bp_model_open(NULL, "/nowhere.onnx", &model, &kit.err), BP_E_INVALID, "environment");
    KIT_FAILS(bp_model_open(kit.env, "/tmp", &model, &kit.err), BP_E_INVALID, "directory");
    KIT_FAILS(bp_model_open_memory(kit.env, NULL, 10, NULL, &model, &kit.err), BP_E_INVALID,
              "bytes");
    KIT_FAILS(bp_model_open_memory(kit.env, "garbage", 7, NULL, &model, &kit.err), BP_E_INVALID,
              "not an ONNX model");
    KIT_FAILS(bp_model_open_source(kit.env, &source, &model, &kit.err), BP_E_INVALID, "path");
    source.struct_size = 3;
    KIT_FAILS(bp_model_open_source(kit.env, &source, &model, &kit.err), BP_E_INVALID,
              "struct_size");
    ck_assert_ptr_null(model);
    kit_small_model();
    model = kit_model();
    KIT_FAILS(bp_model_get_info(model, &info, &kit.err), BP_E_INVALID, "struct_size");
    KIT_FAILS(bp_model_get_info(NULL, &info, &kit.err), BP_E_INVALID, "model");
    KIT_FAILS(bp_model_input(model, 9, &io, &kit.err), BP_E_INVALID, "9");
    KIT_FAILS(bp_model_output(model, 9, &io, &kit.err), BP_E_INVALID, "9");
    KIT_FAILS(bp_model_op(model, 99, &op, &kit.err), BP_E_INVALID, "99");
    ck_assert_ptr_null(bp_model_opset(model, 99, NULL));
    ck_assert_ptr_null(bp_model_metadata(model, 99, NULL));
    ck_assert_ptr_null(bp_model_external(model, 99));
    KIT_FAILS(bp_model_save(model, NULL, &kit.err), BP_E_INVALID, "sink");
    bp_model_close(NULL);
}
END_TEST

/* ---- sessions and runs ------------------------------------------------------------------------- */

START_TEST(session_misused)
{
    bp_io_info io = {.struct_size = sizeof io};
    bp_session_stats stats = {.struct_size = 0};
    bp_memory_use use = {.struct_size = sizeof use};
    bp_session *session = NULL;
    uint32_t n;

    KIT_FAILS(bp_session_create(kit.env, NULL, NULL, &session, &kit.err), BP_E_INVALID, "path");
    KIT_FAILS(bp_session_create(NULL, "/m.onnx", NULL, &session, &kit.err), BP_E_INVALID,
              "environment");
    KIT_FAILS(bp_session_create_from_model(kit.env, NULL, NULL, &session, &kit.err), BP_E_INVALID,
              "model");
    ck_assert_ptr_null(session);
    small_session();
    KIT_FAILS(bp_session_input(kit.session, 4, &io, &kit.err), BP_E_INVALID, "no input 4");
    KIT_FAILS(bp_session_output(kit.session, 4, &io, &kit.err), BP_E_INVALID, "no output 4");
    KIT_FAILS(bp_session_input(NULL, 0, &io, &kit.err), BP_E_INVALID, "session");
    KIT_FAILS(bp_session_find_input(kit.session, "xx", &n, &kit.err), BP_E_INVALID, "'xx'");
    KIT_FAILS(bp_session_find_output(kit.session, NULL, &n, &kit.err), BP_E_INVALID, "name");
    KIT_FAILS(bp_session_get_stats(kit.session, &stats, &kit.err), BP_E_INVALID, "struct_size");
    KIT_FAILS(bp_session_get_memory(kit.session, 99, &use, &kit.err), BP_E_INVALID, "99");
    KIT_FAILS(bp_session_trim(NULL, NULL, &kit.err), BP_E_INVALID, "session");
    KIT_FAILS(bp_session_set_option(kit.session, "few", "a", "1", &kit.err), BP_E_INVALID, "few");
    KIT_FAILS(bp_session_set_option(kit.session, "cpu", NULL, "1", &kit.err), BP_E_INVALID, "key");
    KIT_FAILS(bp_session_set_option(kit.session, "cpu", "nonsense", "1", &kit.err), BP_E_OPTION,
              "nonsense");
    KIT_FAILS(bp_session_set_providers(NULL, NULL, &kit.err), BP_E_INVALID, "session");
    ck_assert_ptr_null(bp_session_provider(kit.session, 99));
    ck_assert_ptr_null(bp_session_provider_option(kit.session, 99, 0, NULL));
    ck_assert_ptr_null(bp_session_provider(NULL, 0));
    ck_assert_ptr_null(bp_session_report(NULL));
    ck_assert_uint_eq(bp_session_input_count(NULL), 0);
    ck_assert_uint_eq(bp_session_output_count(NULL), 0);
    bp_session_destroy(NULL);
}
END_TEST

static bp_rc run(const bp_binding *in, uint32_t n_in, bp_binding *out, uint32_t n_out)
{
    return bp_session_run(kit.session, in, n_in, out, n_out, NULL, &kit.err);
}

START_TEST(run_misused)
{
    int64_t dims[2] = {2, 4}, out_dims[2], negative[2] = {-2, 4};
    bp_binding in = feed_of(dims), twice[2] = {feed_of(dims), feed_of(dims)}, out = kit_wanted(0);
    bp_run_options options = {.struct_size = 4};

    small_session();
    KIT_FAILS(bp_session_run(NULL, &in, 1, &out, 1, NULL, &kit.err), BP_E_INVALID, "session");
    KIT_FAILS(run(NULL, 1, &out, 1), BP_E_INVALID, "inputs");
    KIT_FAILS(run(&in, 1, NULL, 1), BP_E_INVALID, "outputs");
    KIT_FAILS(bp_session_run(kit.session, &in, 1, &out, 1, &options, &kit.err), BP_E_INVALID,
              "struct_size");
    KIT_FAILS(run(NULL, 0, &out, 1), BP_E_INVALID, "'x'");
    KIT_FAILS(run(twice, 2, &out, 1), BP_E_INVALID, "'x' is fed twice");
    in.index = 3;
    KIT_FAILS(run(&in, 1, &out, 1), BP_E_INVALID, "no input 3");
    in = feed_of(dims);
    out.index = 3;
    KIT_FAILS(run(&in, 1, &out, 1), BP_E_INVALID, "no output 3");
    out = kit_wanted(0);
    in.tensor.dtype = BP_DTYPE_F64;
    KIT_FAILS(run(&in, 1, &out, 1), BP_E_INVALID, "float32", "float64");
    in = feed_of(dims);
    in.tensor.base = NULL;
    KIT_FAILS(run(&in, 1, &out, 1), BP_E_INVALID, "'x'", "no data");
    in = feed_of(dims);
    in.tensor.bytes = 31;
    KIT_FAILS(run(&in, 1, &out, 1), BP_E_INVALID, "32 bytes", "31");
    in.tensor.bytes = sizeof x;
    in.tensor.dims = negative;
    KIT_FAILS(run(&in, 1, &out, 1), BP_E_INVALID, "negative");
    in.tensor.dims = NULL;
    KIT_FAILS(run(&in, 1, &out, 1), BP_E_INVALID, "without dims");
    in = feed_of(dims);
    in.tensor.rank = 1000;
    KIT_FAILS(run(&in, 1, &out, 1), BP_E_INVALID, "1000");
    in = feed_of(dims);
    in.tensor.space = 1;
    KIT_FAILS(run(&in, 1, &out, 1), BP_E_INVALID, "space 1", "ordinary memory");
    in = feed_of(dims);
    out.tensor = (bp_tensor){.base = y, .dims = out_dims, .bytes = sizeof y, .rank = 2, .space = 2};
    KIT_FAILS(run(&in, 1, &out, 1), BP_E_INVALID, "space 2", "ordinary memory");
    out.tensor.space = 0;
    kit_run(&in, 1, &out, 1);
    KIT_FLOATS(&out.tensor, -2, -4, -6, -8, -10, -12, -14, -16);
}
END_TEST

/* The binding says what is needed, so that the second run has enough. */
START_TEST(buffer_that_is_too_small_learns_its_size)
{
    int64_t dims[2] = {2, 4}, out_dims[2] = {0};
    bp_binding in = feed_of(dims), out = {.index = 0};

    small_session();
    out.tensor = (bp_tensor){.base = y, .dims = out_dims, .bytes = 8, .rank = 2};
    KIT_FAILS(run(&in, 1, &out, 1), BP_E_SPACE, "'y' needs 32 bytes, its buffer has 8");
    ck_assert_int_eq(kit.err.code, BP_E_SPACE);
    ck_assert_uint_eq(out.tensor.bytes, 32);
    ck_assert_uint_eq(out.tensor.rank, 2);
    ck_assert_uint_eq(out.tensor.dtype, BP_DTYPE_F32);
    ck_assert_int_eq(out_dims[0], 2);
    ck_assert_int_eq(out_dims[1], 4);
    ck_assert_ptr_eq(out.tensor.base, y);
    KIT_OK(run(&in, 1, &out, 1));
    out.tensor.rank = 1;
    KIT_FAILS(run(&in, 1, &out, 1), BP_E_SPACE, "rank 2, its dims have space for 1");
    ck_assert_uint_eq(out.tensor.rank, 2);
}
END_TEST

START_TEST(output_may_be_given_twice)
{
    int64_t dims[2] = {2, 4};
    bp_binding in = feed_of(dims), out[2] = {kit_wanted(0), kit_wanted(0)};

    small_session();
    kit_run(&in, 1, out, 2);
    for (int i = 0; i < 2; i++) {
        KIT_FLOATS(&out[i].tensor, -2, -4, -6, -8, -10, -12, -14, -16);
        bp_tensor_free(&out[i].tensor);
    }
}
END_TEST

/* ---- tensors and other values ------------------------------------------------------------------ */

START_TEST(tensor_misused)
{
    static const int64_t huge[2] = {INT64_MAX, 4}, negative[1] = {-1};
    bp_tensor tensor = {0}, own;
    int64_t dims[2] = {2, 4};
    size_t bytes;
    void *encoded;

    KIT_FAILS(bp_tensor_bytes(BP_DTYPE_F32, huge, 2, &bytes, &kit.err), BP_E_INVALID, "large");
    KIT_FAILS(bp_tensor_bytes(BP_DTYPE_F32, negative, 1, &bytes, &kit.err), BP_E_INVALID, "-1");
    KIT_FAILS(bp_tensor_bytes(BP_DTYPE_F32, NULL, 1, &bytes, &kit.err), BP_E_INVALID, "dims");
    KIT_FAILS(bp_tensor_bytes(999, six, 2, &bytes, &kit.err), BP_E_INVALID, "type");
    KIT_FAILS(bp_tensor_alloc(BP_DTYPE_F32, negative, 1, &tensor, &kit.err), BP_E_INVALID, "-1");
    KIT_FAILS(bp_tensor_alloc(BP_DTYPE_F32, six, 1000, &tensor, &kit.err), BP_E_INVALID, "1000");
    KIT_FAILS(bp_tensor_decode("garbage", 7, &tensor, NULL, &kit.err), BP_E_INVALID, "TensorProto");
    KIT_FAILS(bp_tensor_decode(NULL, 7, &tensor, NULL, &kit.err), BP_E_INVALID, "bytes");
    KIT_FAILS(bp_tensor_encode(NULL, "t", &encoded, &bytes, &kit.err), BP_E_INVALID, "tensor");
    tensor =
        (bp_tensor){.base = x, .dims = dims, .bytes = sizeof x, .rank = 2, .dtype = BP_DTYPE_F32};
    ck_assert_uint_eq(bp_tensor_is_owned(&tensor), 0);
    bp_tensor_free(&tensor); /* the caller's memory stays */
    ck_assert(x[0] == 1 && x[7] == 8);
    ck_assert_ptr_null(tensor.base);
    bp_tensor_free(&tensor);
    bp_tensor_free(NULL);
    ck_assert_uint_eq(bp_tensor_is_owned(NULL), 0);
    KIT_OK(bp_tensor_alloc(BP_DTYPE_F32, six, 2, &own, &kit.err));
    ck_assert_uint_eq(bp_tensor_is_owned(&own), 1);
    bp_tensor_free(&own);
    ck_assert_uint_eq(bp_tensor_is_owned(&own), 0);
    bp_free(NULL);
}
END_TEST

START_TEST(strings_are_made_and_read)
{
    static const char *const texts[6] = {"one", "", NULL, "four", "\xc3\xa4", "six"};
    bp_tensor tensor;
    size_t size = 99;

    KIT_OK(bp_tensor_from_strings(texts, six, 2, &tensor, &kit.err));
    ck_assert_uint_eq(tensor.rank, 2);
    ck_assert_uint_eq(tensor.dtype, BP_DTYPE_STRING);
    ck_assert_uint_eq(bp_tensor_is_owned(&tensor), 1);
    for (size_t i = 0; i < 6; i++) {
        const char *text = bp_tensor_string(&tensor, i, &size);

        ck_assert_ptr_nonnull(text);
        ck_assert_uint_eq(size, texts[i] ? strlen(texts[i]) : 0);
        ck_assert_int_eq(size ? memcmp(text, texts[i], size) : 0, 0);
    }
    ck_assert_ptr_null(bp_tensor_string(&tensor, 6, &size));
    ck_assert_uint_eq(size, 0);
    ck_assert_ptr_nonnull(bp_tensor_string(&tensor, 5, NULL));
    bp_tensor_free(&tensor);
    ck_assert_ptr_null(bp_tensor_string(&tensor, 0, &size));
    ck_assert_ptr_null(bp_tensor_string(NULL, 0, &size));
    KIT_FAILS(bp_tensor_from_strings(NULL, six, 2, &tensor, &kit.err), BP_E_INVALID, "texts");
    KIT_FAILS(bp_tensor_from_strings(texts, six, 2, NULL, &kit.err), BP_E_INVALID, "tensor");
    KIT_OK(bp_tensor_from_strings(NULL, (int64_t[]){0}, 1, &tensor, &kit.err));
    bp_tensor_free(&tensor);
}
END_TEST

/* Where(c, a, b) of three scalars. */
START_TEST(scalars_are_made_and_fed)
{
    bp_object *made[3] = {NULL}, *other = NULL;
    bp_binding in[3] = {{.index = 0}, {.index = 1}, {.index = 2}}, out = kit_wanted(0);
    const bp_tensor *tensor;
    size_t size;

    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "a", BP_DTYPE_F32, "");
    kit_io(KIT_INPUT, "b", BP_DTYPE_F32, "");
    kit_node("where", "Where", "c a b", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "");
    kit_session();
    KIT_OK(bp_object_from_bool(2, &made[0], &kit.err));
    KIT_OK(bp_object_from_float(1.5f, &made[1], &kit.err));
    KIT_OK(bp_object_from_float(-3, &made[2], &kit.err));
    ck_assert_uint_eq(*(const uint8_t *)bp_object_tensor(made[0])->base, 1);
    for (int i = 0; i < 3; i++)
        in[i].object = made[i];
    kit_run(in, 3, &out, 1);
    ck_assert_uint_eq(out.tensor.rank, 0);
    KIT_FLOATS(&out.tensor, 1.5f);
    bp_tensor_free(&out.tensor);
    in[1].object = made[0]; /* a bool where a float belongs */
    out = kit_wanted(0);
    KIT_FAILS(bp_session_run(kit.session, in, 3, &out, 1, NULL, &kit.err), BP_E_INVALID, "'a'",
              "bool");
    for (int i = 0; i < 3; i++)
        bp_object_release(made[i]);
    KIT_OK(bp_object_from_int64(INT64_MIN, &other, &kit.err));
    tensor = bp_object_tensor(other);
    ck_assert(tensor->dtype == BP_DTYPE_I64 && tensor->rank == 0 && tensor->bytes == 8);
    ck_assert_int_eq(*(const int64_t *)tensor->base, INT64_MIN);
    bp_object_release(other);
    KIT_OK(bp_object_from_string("", &other, &kit.err));
    ck_assert_ptr_nonnull(bp_tensor_string(bp_object_tensor(other), 0, &size));
    ck_assert_uint_eq(size, 0);
    bp_object_release(other);
    KIT_FAILS(bp_object_from_string(NULL, &other, &kit.err), BP_E_INVALID, "text");
    ck_assert_ptr_null(other);
    KIT_FAILS(bp_object_from_int64(1, NULL, &kit.err), BP_E_INVALID, "out");
}
END_TEST

START_TEST(object_misused)
{
    bp_tensor tensor = {
        .base = x, .dims = (int64_t[]){2, 3}, .bytes = 24, .rank = 2, .dtype = BP_DTYPE_F32};
    bp_object *object = NULL, *made = NULL, *none[1] = {NULL};

    KIT_FAILS(bp_object_from_tensor(NULL, &made, &kit.err), BP_E_INVALID, "tensor");
    KIT_OK(bp_object_from_tensor(&tensor, &object, &kit.err));
    KIT_FAILS(bp_object_sequence(none, 1, &made, &kit.err), BP_E_INVALID, "item 0");
    KIT_FAILS(bp_object_sequence(NULL, 1, &made, &kit.err), BP_E_INVALID, "item");
    KIT_FAILS(bp_object_map(object, object, &made, &kit.err), BP_E_INVALID, "keys");
    KIT_FAILS(bp_object_map(NULL, object, &made, &kit.err), BP_E_INVALID, "keys");
    KIT_FAILS(bp_object_sparse(99, &tensor, &object, 1, &made, &kit.err), BP_E_INVALID, "99");
    KIT_FAILS(bp_object_decode("garbage", 7, 77, &made, &kit.err), BP_E_INVALID, "77");
    ck_assert_ptr_null(made);
    ck_assert_ptr_null(bp_object_item(object, 5));
    ck_assert_ptr_null(bp_object_item(NULL, 0));
    ck_assert_ptr_null(bp_object_dense(object));
    ck_assert_uint_eq(bp_object_count(NULL), 0);
    ck_assert_ptr_null(bp_object_tensor(NULL));
    ck_assert_ptr_null(bp_object_retain(NULL));
    bp_object_release(NULL);
    bp_object_release(object);
}
END_TEST

/* ---- reports and profiles ---------------------------------------------------------------------- */

START_TEST(report_misused)
{
    bp_report_provider provider = {.struct_size = sizeof provider};
    bp_report_node node = {.struct_size = 0};
    bp_report_option option = {.struct_size = sizeof option};
    const bp_report *report;
    char *text = NULL;

    small_session();
    report = bp_session_report(kit.session);
    KIT_FAILS(bp_report_get_provider(report, 50, &provider, &kit.err), BP_E_INVALID, "50");
    KIT_FAILS(bp_report_get_node(report, 0, &node, &kit.err), BP_E_INVALID, "struct_size");
    KIT_FAILS(bp_report_get_option(report, 0, 9999, &option, &kit.err), BP_E_INVALID, "9999");
    KIT_FAILS(bp_report_json(NULL, &text, &kit.err), BP_E_INVALID, "report");
    KIT_FAILS(bp_explain(kit.env, report, "cpuu", BP_EXPLAIN_TEXT, &text, &kit.err), BP_E_INVALID,
              "cpu");
    KIT_FAILS(bp_explain(kit.env, report, NULL, 9, &text, &kit.err), BP_E_INVALID, "9");
    KIT_FAILS(bp_explain(NULL, report, NULL, 0, &text, &kit.err), BP_E_INVALID, "environment");
    ck_assert_uint_eq(bp_report_provider_count(NULL), 0);
    ck_assert_uint_eq(bp_report_node_count(NULL), 0);
    ck_assert_uint_eq(bp_report_group_count(NULL), 0);
    ck_assert_uint_eq(bp_report_pass_count(NULL), 0);
    ck_assert_ptr_null(bp_report_edge(NULL, 0, NULL, NULL));
    bp_report_destroy(NULL);
}
END_TEST

START_TEST(profile_misused)
{
    bp_profile_event event = {.struct_size = sizeof event};
    bp_profile *profile = NULL;
    char *text = NULL;

    KIT_FAILS(bp_profile_create(1u << 30, &profile, &kit.err), BP_E_INVALID, "events");
    KIT_OK(bp_profile_create(8, &profile, &kit.err));
    KIT_FAILS(bp_profile_get(profile, 3, &event, &kit.err), BP_E_INVALID, "3");
    KIT_FAILS(bp_profile_add(profile, NULL, 0, 1, &kit.err), BP_E_INVALID, "name");
    KIT_FAILS(bp_profile_json(NULL, &text, &kit.err), BP_E_INVALID, "profile");
    ck_assert_uint_eq(bp_profile_count(NULL), 0);
    ck_assert_uint_eq(bp_profile_dropped(NULL), 0);
    bp_profile_destroy(NULL);
    bp_profile_destroy(profile);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("misuse");

    tcase_add_checked_fixture(cases, kit_setup, kit_teardown);
    tcase_add_test(cases, environment_misused);
    tcase_add_test(cases, options_misused);
    tcase_add_test(cases, model_misused);
    tcase_add_test(cases, session_misused);
    tcase_add_test(cases, run_misused);
    tcase_add_test(cases, buffer_that_is_too_small_learns_its_size);
    tcase_add_test(cases, output_may_be_given_twice);
    tcase_add_test(cases, tensor_misused);
    tcase_add_test(cases, strings_are_made_and_read);
    tcase_add_test(cases, scalars_are_made_and_fed);
    tcase_add_test(cases, object_misused);
    tcase_add_test(cases, report_misused);
    tcase_add_test(cases, profile_misused);
    return kit_main("misuse", &cases, 1);
}
