/* SPDX-License-Identifier: MIT */
/*
 * check_models.c - offline models on the simulated driver: building, loading, describing and
 * running them, what they take, and the error of every misuse.
 */
#include "config.h"

#include <stdio.h>
#include <unistd.h>

#include "sim_kit.h"
#include <bp_ascend_graph.h>

enum { N = 6, CHAIN = 10 };

static char path[64]; /* of a model's file */

static void setup(void)
{
    snprintf(path, sizeof path, "check_models_%ld.om", (long)getpid());
    up("");
}

/* Violations that a test intends: it checks and resets them. */
static void teardown(void)
{
    remove(path);
    down();
    ck_assert_uint_eq(counters().live_datasets, 0);
    ck_assert_uint_eq(counters().live_model_descriptions, 0);
    ck_assert_uint_eq(counters().live_descriptions, 0);
    ck_assert_uint_eq(counters().live_attributes, 0);
}

static void expect_violation(uint32_t kind)
{
    ck_assert_uint_eq(bp_ascend_violations(kind), 1);
    ck_assert_uint_eq(bp_ascend_violations_total(), 1);
    bp_ascend_reset_counters();
}

/* ---- graphs ---------------------------------------------------------------------------------- */

struct built {
    void *bytes;
    size_t size;
};

static aclTensorDesc *describe(aclDataType type, int64_t n)
{
    return aclCreateTensorDesc(type, 1, &n, ACL_FORMAT_ND);
}

static uint32_t call(bp_ascend_graph *graph, const char *type, int n_in, const uint32_t *in,
                     const aclTensorDesc *desc)
{
    const aclTensorDesc *descs[] = {desc, desc};
    uint32_t y;

    OK(bp_ascend_graph_operator(graph, type, n_in, in, descs, 1, descs, NULL, &y));
    return y;
}

/* y = -(...relu(x + w)...), with CHAIN operators in all. */
static bp_ascend_graph *chain(void)
{
    static const float w[N] = {1, 1, 1, 1, 1, 1};
    bp_ascend_graph *graph = bp_ascend_graph_create("chain");
    aclTensorDesc *desc = describe(ACL_FLOAT, N);
    uint32_t in[2], y;

    OK(bp_ascend_graph_input(graph, "x", desc, &in[0]));
    OK(bp_ascend_graph_constant(graph, desc, w, sizeof w, &in[1]));
    y = call(graph, "Add", 2, in, desc);
    for (int i = 0; i < CHAIN - 2; i++)
        y = call(graph, "Relu", 1, &y, desc);
    y = call(graph, "Neg", 1, &y, desc);
    OK(bp_ascend_graph_output(graph, "y", y));
    aclDestroyTensorDesc(desc);
    return graph;
}

static struct built build(bp_ascend_graph *graph)
{
    struct built built;

    OK(bp_ascend_graph_build(graph, &built.bytes, &built.size));
    bp_ascend_graph_destroy(graph);
    return built;
}

static uint32_t load(bp_ascend_graph *graph)
{
    struct built built = build(graph);
    uint32_t id;

    OK(aclmdlLoadFromMem(built.bytes, built.size, &id));
    bp_ascend_model_free(built.bytes);
    return id;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static aclmdlDataset *set_of(void *data, size_t size)
{
    aclmdlDataset *set = aclmdlCreateDataset();

    OK(aclmdlAddDatasetBuffer(set, aclCreateDataBuffer(data, size)));
    return set;
}

static void end_set(aclmdlDataset *set)
{
    for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(set); i++)
        OK(aclDestroyDataBuffer(aclmdlGetDatasetBuffer(set, i)));
    OK(aclmdlDestroyDataset(set));
}

static const float x_data[N] = {-3, -1, 0, 1, 2, 0.5f};

static void check_y(const void *at)
{
    float y[N];

    fetch(y, at, sizeof y);
    for (int i = 0; i < N; i++) {
        float sum = x_data[i] + 1;

        ck_assert_double_eq((double)y[i], (double)-(sum > 0 ? sum : 0));
    }
}

struct ends {
    void *x, *y;
    aclmdlDataset *in, *out;
};

static struct ends make_ends(void)
{
    struct ends ends = {device_copy(x_data, sizeof x_data), device_bytes(sizeof x_data), NULL,
                        NULL};

    ends.in = set_of(ends.x, sizeof x_data);
    ends.out = set_of(ends.y, sizeof x_data);
    return ends;
}

static void free_ends(struct ends *ends)
{
    end_set(ends->in);
    end_set(ends->out);
    OK(aclrtFree(ends->x));
    OK(aclrtFree(ends->y));
}

START_TEST(a_model_is_one_launch)
{
    uint32_t id = load(chain());
    struct ends ends = make_ends();
    struct bp_ascend_counters before = counters();

    OK(aclmdlExecuteAsync(id, ends.in, ends.out, NULL));
    OK(aclrtSynchronizeStream(NULL));
    check_y(ends.y);
    ck_assert_uint_eq(counters().launches - before.launches, 1);
    ck_assert_uint_eq(counters().model_runs, 1);
    ck_assert_uint_eq(counters().models_built, 1);
    ck_assert_uint_eq(counters().compiles, 0);
    OK(aclmdlExecute(id, ends.in, ends.out));
    check_y(ends.y);
    free_ends(&ends);
    OK(aclmdlUnload(id));
    ck_assert_uint_eq(counters().models_unloaded, 1);
    ck_assert_uint_eq(counters().live_bytes, 0);
}
END_TEST

/* Arithmetic is next to nothing here: ten operators cost one launch, where singly they cost ten. */
START_TEST(a_model_pays_one_launch)
{
    uint32_t id = load(chain());
    struct ends ends = make_ends();
    uint64_t busy;

    OK(bp_ascend_reset_times(0));
    OK(aclmdlExecute(id, ends.in, ends.out));
    busy = times().busy_operators;
    ck_assert_uint_ge(busy, 5000);
    ck_assert_uint_lt(busy, 2 * 5000);
    free_ends(&ends);
    OK(aclmdlUnload(id));
}
END_TEST

/* Two buffers of 512 bytes are enough for any chain; one weight. */
START_TEST(sizes_are_known_before_loading)
{
    struct built built = build(chain());
    size_t work, weights;

    OK(aclmdlQuerySizeFromMem(built.bytes, built.size, &work, &weights));
    ck_assert_uint_eq(work, 2 * 512);
    ck_assert_uint_eq(weights, 512);
    OK(bp_ascend_model_save(path, built.bytes, built.size));
    work = weights = 0;
    OK(aclmdlQuerySize(path, &work, &weights));
    ck_assert_uint_eq(work, 2 * 512);
    ck_assert_uint_eq(weights, 512);
    bp_ascend_model_free(built.bytes);
}
END_TEST

START_TEST(a_model_loads_from_a_file)
{
    struct built built = build(chain());
    struct ends ends = make_ends();
    uint32_t id;

    OK(bp_ascend_model_save(path, built.bytes, built.size));
    bp_ascend_model_free(built.bytes);
    OK(aclmdlLoadFromFile(path, &id));
    OK(aclmdlExecute(id, ends.in, ends.out));
    check_y(ends.y);
    free_ends(&ends);
    OK(aclmdlUnload(id));
}
END_TEST

START_TEST(a_model_runs_in_the_callers_memory)
{
    struct built built = build(chain());
    struct ends ends = make_ends();
    void *work = device_bytes(1024), *weights = device_bytes(512);
    uint64_t live = counters().live_bytes;
    uint32_t id;

    OK(bp_ascend_model_save(path, built.bytes, built.size));
    FAILS(ACL_ERROR_INVALID_PARAM,
          aclmdlLoadFromMemWithMem(built.bytes, built.size, &id, work, 1023, weights, 512));
    OK(aclmdlLoadFromFileWithMem(path, &id, work, 1024, weights, 512));
    ck_assert_uint_eq(counters().live_bytes, live);
    OK(aclmdlExecute(id, ends.in, ends.out));
    check_y(ends.y);
    OK(aclrtFree(work)); /* too early */
    FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclmdlExecute(id, ends.in, ends.out));
    expect_violation(BP_ASCEND_USE_AFTER_FREE);
    OK(aclmdlUnload(id));
    OK(aclrtFree(weights));
    free_ends(&ends);
    bp_ascend_model_free(built.bytes);
}
END_TEST

START_TEST(a_model_describes_itself)
{
    uint32_t id = load(chain());
    aclmdlDesc *desc = aclmdlCreateDesc();
    aclmdlIODims dims;
    size_t index = 7;

    OK(aclmdlGetDesc(desc, id));
    OK(aclmdlUnload(id)); /* the description stays good */
    ck_assert_uint_eq(aclmdlGetNumInputs(desc), 1);
    ck_assert_uint_eq(aclmdlGetNumOutputs(desc), 1);
    ck_assert_uint_eq(aclmdlGetInputSizeByIndex(desc, 0), sizeof x_data);
    ck_assert_uint_eq(aclmdlGetOutputSizeByIndex(desc, 0), sizeof x_data);
    ck_assert_uint_eq(aclmdlGetInputSizeByIndex(desc, 1), 0);
    ck_assert_str_eq(aclmdlGetInputNameByIndex(desc, 0), "x");
    ck_assert_str_eq(aclmdlGetOutputNameByIndex(desc, 0), "y");
    ck_assert_int_eq(aclmdlGetInputDataType(desc, 0), ACL_FLOAT);
    ck_assert_int_eq(aclmdlGetOutputDataType(desc, 1), ACL_DT_UNDEFINED);
    ck_assert_int_eq(aclmdlGetOutputFormat(desc, 0), ACL_FORMAT_ND);
    OK(aclmdlGetOutputIndexByName(desc, "y", &index));
    ck_assert_uint_eq(index, 0);
    FAILS(ACL_ERROR_INVALID_PARAM, aclmdlGetInputIndexByName(desc, "y", &index));
    OK(aclmdlGetInputDims(desc, 0, &dims));
    ck_assert_str_eq(dims.name, "x");
    ck_assert_uint_eq(dims.dimCount, 1);
    ck_assert_int_eq(dims.dims[0], N);
    OK(aclmdlGetCurOutputDims(desc, 0, &dims));
    FAILS(ACL_ERROR_INVALID_PARAM, aclmdlGetOutputDims(desc, 1, &dims));
    OK(aclmdlDestroyDesc(desc));
}
END_TEST

START_TEST(an_output_without_an_address_is_allocated)
{
    uint32_t id = load(chain());
    struct ends ends = make_ends();
    aclmdlDataset *out = set_of(NULL, 0);
    const aclTensorDesc *desc;

    OK(aclmdlExecute(id, ends.in, out));
    check_y(aclGetDataBufferAddr(aclmdlGetDatasetBuffer(out, 0)));
    desc = aclmdlGetDatasetTensorDesc(out, 0);
    ck_assert_uint_eq(aclGetTensorDescSize(desc), sizeof x_data);
    OK(aclrtFree(aclGetDataBufferAddr(aclmdlGetDatasetBuffer(out, 0))));
    end_set(out);
    free_ends(&ends);
    OK(aclmdlUnload(id));
}
END_TEST

/* Its work memory is one, so that its runs are serialised. */
START_TEST(streams_may_share_a_model)
{
    uint32_t id = load(chain());
    struct ends ends[2] = {make_ends(), make_ends()};
    aclrtStream streams[2];

    for (int i = 0; i < 2; i++)
        OK(aclrtCreateStream(&streams[i]));
    for (int i = 0; i < 20; i++)
        OK(aclmdlExecuteAsync(id, ends[i % 2].in, ends[i % 2].out, streams[i % 2]));
    OK(aclmdlUnload(id)); /* what is queued still runs */
    for (int i = 0; i < 2; i++) {
        OK(aclrtSynchronizeStream(streams[i]));
        check_y(ends[i].y);
        OK(aclrtDestroyStream(streams[i]));
        free_ends(&ends[i]);
    }
    ck_assert_uint_eq(counters().live_bytes, 0);
}
END_TEST

/* ---- rules ----------------------------------------------------------------------------------- */

START_TEST(an_unloaded_model_cannot_be_used)
{
    uint32_t id = load(chain());
    struct ends ends = make_ends();
    aclmdlDesc *desc = aclmdlCreateDesc();

    OK(aclmdlUnload(id));
    FAILS(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID, aclmdlExecute(id, ends.in, ends.out));
    expect_violation(BP_ASCEND_BAD_HANDLE);
    FAILS(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID, aclmdlExecuteAsync(id, ends.in, ends.out, NULL));
    expect_violation(BP_ASCEND_BAD_HANDLE);
    FAILS(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID, aclmdlGetDesc(desc, id));
    expect_violation(BP_ASCEND_BAD_HANDLE);
    FAILS(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID, aclmdlUnload(id));
    expect_violation(BP_ASCEND_BAD_HANDLE);
    OK(aclmdlDestroyDesc(desc));
    free_ends(&ends);
}
END_TEST

START_TEST(refuses_wrong_numbers_and_sizes_of_buffers)
{
    uint32_t id = load(chain());
    struct ends ends = make_ends();
    aclmdlDataset *none = aclmdlCreateDataset(), *small = set_of(ends.x, sizeof x_data - 1),
                  *null = set_of(NULL, 0);

    FAILS(ACL_ERROR_INVALID_PARAM, aclmdlExecute(id, none, ends.out));
    expect_violation(BP_ASCEND_BAD_DATASET);
    FAILS(ACL_ERROR_INVALID_PARAM, aclmdlExecuteAsync(id, ends.in, none, NULL));
    expect_violation(BP_ASCEND_BAD_DATASET);
    FAILS(ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID, aclmdlExecute(id, small, ends.out));
    expect_violation(BP_ASCEND_BAD_DATASET);
    FAILS(ACL_ERROR_INVALID_PARAM, aclmdlExecute(id, null, ends.out));
    expect_violation(BP_ASCEND_BAD_DATASET);
    FAILS(ACL_ERROR_INVALID_PARAM, aclmdlExecuteAsync(id, ends.in, null, NULL));
    expect_violation(BP_ASCEND_BAD_DATASET);
    FAILS(ACL_ERROR_INVALID_PARAM, aclmdlExecute(id, NULL, ends.out));
    end_set(none);
    end_set(small);
    end_set(null);
    free_ends(&ends);
    OK(aclmdlUnload(id));
}
END_TEST

START_TEST(refuses_host_addresses_in_a_model_run)
{
    uint32_t id = load(chain());
    struct ends ends = make_ends();
    float host[N] = {0};
    aclmdlDataset *wrong = set_of(host, sizeof host);

    FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclmdlExecute(id, wrong, ends.out));
    expect_violation(BP_ASCEND_HOST_AS_DEVICE);
    OK(aclmdlExecuteAsync(id, ends.in, wrong, NULL)); /* found when it runs */
    FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(NULL));
    expect_violation(BP_ASCEND_HOST_AS_DEVICE);
    end_set(wrong);
    free_ends(&ends);
    OK(aclmdlUnload(id));
}
END_TEST

START_TEST(refuses_a_stream_of_another_device)
{
    struct ends ends;
    aclrtStream other;
    uint32_t id;

    OK(aclFinalize());
    up("devices = 2\n");
    id = load(chain());
    ends = make_ends();
    OK(aclrtSetDevice(1));
    OK(aclrtCreateStream(&other));
    FAILS(ACL_ERROR_RT_MODEL_CONTEXT, aclmdlExecuteAsync(id, ends.in, ends.out, other));
    expect_violation(BP_ASCEND_OTHER_DEVICE);
    OK(aclrtDestroyStream(other));
    OK(aclrtSetDevice(0));
    free_ends(&ends);
    OK(aclmdlUnload(id));
}
END_TEST

START_TEST(a_model_not_unloaded_is_counted)
{
    load(chain());
    OK(aclrtResetDevice(0));
    expect_violation(BP_ASCEND_LEFT_BEHIND);
    ck_assert_uint_eq(counters().live_bytes, 0);
}
END_TEST

/* ---- what cannot be loaded ------------------------------------------------------------------- */

START_TEST(refuses_bytes_that_are_no_model)
{
    struct built built = build(chain());
    unsigned char *bytes = built.bytes;
    uint32_t id;
    size_t work;

    FAILS(ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, aclmdlLoadFromFile("/nowhere/x.om", &id));
    FAILS(ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, aclmdlLoadFromFile("/", &id));
    FAILS(ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, aclmdlQuerySize("/nowhere/x.om", &work, &work));
    FAILS(ACL_ERROR_INVALID_PARAM, aclmdlLoadFromFile(NULL, &id));
    FAILS(ACL_ERROR_INVALID_PARAM, aclmdlLoadFromMem(bytes, 0, &id));
    FAILS(ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID, aclmdlLoadFromMem(bytes, 12, &id));
    FAILS(ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID, aclmdlLoadFromMem(bytes, built.size - 1, &id));
    bytes[built.size / 2] ^= 1;
    FAILS(ACL_ERROR_GE_LOAD_MODEL, aclmdlLoadFromMem(bytes, built.size, &id));
    bytes[0] ^= 1;
    FAILS(ACL_ERROR_GE_LOAD_MODEL, aclmdlLoadFromMem(bytes, built.size, &id));
    FAILS(ACL_ERROR_WRITE_FILE, bp_ascend_model_save("/nowhere/x.om", bytes, built.size));
    ck_assert_uint_eq(counters().models_loaded, 0);
    bp_ascend_model_free(built.bytes);
}
END_TEST

START_TEST(refuses_a_model_of_another_chip)
{
    struct built built = build(chain());
    uint32_t id;

    OK(aclFinalize());
    up("soc = Ascend310P3\n");
    FAILS(ACL_ERROR_RT_SOC_VERSION, aclmdlLoadFromMem(built.bytes, built.size, &id));
    bp_ascend_model_free(built.bytes);
}
END_TEST

START_TEST(loading_fails_when_the_device_is_full)
{
    struct built built = build(chain());
    uint32_t ids[64], n = 0;
    aclError rc = 0;

    OK(aclFinalize());
    up("memory = 16K\n");
    while (n < 64 && (rc = aclmdlLoadFromMem(built.bytes, built.size, &ids[n])) == 0)
        n++;
    ck_assert_int_eq(rc, ACL_ERROR_RT_MEMORY_ALLOCATION);
    ck_assert_uint_ge(n, 5);
    while (n > 0)
        OK(aclmdlUnload(ids[--n]));
    ck_assert_uint_eq(counters().live_bytes, 0);
    bp_ascend_model_free(built.bytes);
}
END_TEST

START_TEST(faults_are_injected_into_models)
{
    bp_ascend_graph *graph = chain();
    struct ends ends = make_ends();
    struct built built;
    uint32_t id;

    OK(bp_ascend_fault(BP_ASCEND_AT_COMPILE, 0, 1, 0));
    FAILS(ACL_ERROR_GE_FAILURE, bp_ascend_graph_build(graph, &built.bytes, &built.size));
    built = build(graph);
    OK(bp_ascend_fault(BP_ASCEND_AT_LOAD, 0, 1, 0));
    FAILS(ACL_ERROR_GE_LOAD_MODEL, aclmdlLoadFromMem(built.bytes, built.size, &id));
    OK(bp_ascend_fault(BP_ASCEND_AT_MALLOC, 1, 1, 0)); /* the second, of its weights */
    FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclmdlLoadFromMem(built.bytes, built.size, &id));
    OK(aclmdlLoadFromMem(built.bytes, built.size, &id));
    OK(bp_ascend_fault(BP_ASCEND_AT_LAUNCH, 0, 1, 0));
    FAILS(ACL_ERROR_RT_FAILURE, aclmdlExecute(id, ends.in, ends.out));
    OK(bp_ascend_fault(BP_ASCEND_AT_TASK, 0, 1, 0));
    FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclmdlExecute(id, ends.in, ends.out));
    OK(aclmdlExecute(id, ends.in, ends.out));
    check_y(ends.y);
    bp_ascend_model_free(built.bytes);
    OK(aclmdlUnload(id));
    free_ends(&ends);
}
END_TEST

/* FNV-1a over what follows the head, as the container has it. */
static void set_checksum(unsigned char *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 32; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    for (int i = 0; i < 8; i++)
        bytes[24 + i] = (unsigned char)(hash >> 8 * i & 0xff);
}

/* Each byte of a model is changed, with a valid checksum: loading may fail, and does no harm. */
START_TEST(refuses_hostile_models)
{
    static const unsigned char wrongs[] = {0x01, 0x80, 0xff};
    struct built built = build(chain());
    unsigned char *bytes = built.bytes;
    uint32_t n_refused = 0, id;

    for (size_t i = 32; i < built.size; i++) {
        unsigned char was = bytes[i];

        bytes[i] = (unsigned char)(was ^ wrongs[i % 3]);
        set_checksum(bytes, built.size);
        if (aclmdlLoadFromMem(bytes, built.size, &id) == 0)
            OK(aclmdlUnload(id));
        else
            n_refused++;
        bytes[i] = was;
    }
    ck_assert_uint_gt(n_refused, 100);
    ck_assert_uint_eq(counters().live_bytes, 0);
    bp_ascend_model_free(built.bytes);
}
END_TEST

/* ---- graphs that cannot be built ------------------------------------------------------------- */

START_TEST(a_graph_is_checked_while_it_is_built)
{
    bp_ascend_graph *graph = bp_ascend_graph_create("wrong");
    aclTensorDesc *desc = describe(ACL_FLOAT, N), *other = describe(ACL_FLOAT16, N),
                  *unknown = describe(ACL_FLOAT, -1);
    const aclTensorDesc *descs[] = {desc}, *others[] = {other};
    float data[N] = {0};
    struct built built;
    uint32_t x, y, far = 77;

    FAILS(ACL_ERROR_GE_FAILURE, bp_ascend_graph_input(graph, "x", unknown, &x));
    FAILS(ACL_ERROR_INVALID_PARAM, bp_ascend_graph_constant(graph, desc, data, 4, &x));
    OK(bp_ascend_graph_input(graph, "x", desc, &x));
    FAILS(ACL_ERROR_GE_FAILURE, bp_ascend_graph_output(graph, "x", x));
    FAILS(ACL_ERROR_INVALID_PARAM,
          bp_ascend_graph_operator(graph, "Relu", 1, &far, descs, 1, descs, NULL, &y));
    FAILS(ACL_ERROR_GE_FAILURE,
          bp_ascend_graph_operator(graph, "Relu", 1, &x, others, 1, others, NULL, &y));
    FAILS(ACL_ERROR_GE_FAILURE, bp_ascend_graph_build(graph, &built.bytes, &built.size));
    OK(bp_ascend_graph_operator(graph, "Nosuch", 1, &x, descs, 1, descs, NULL, &y));
    OK(bp_ascend_graph_output(graph, "y", y));
    FAILS(ACL_ERROR_GE_FAILURE, bp_ascend_graph_output(graph, "again", y));
    FAILS(ACL_ERROR_OP_NOT_FOUND, bp_ascend_graph_build(graph, &built.bytes, &built.size));
    bp_ascend_graph_destroy(graph);
    aclDestroyTensorDesc(desc);
    aclDestroyTensorDesc(other);
    aclDestroyTensorDesc(unknown);
}
END_TEST

START_TEST(builder_options_are_the_vendors)
{
    bp_ascend_graph *graph = chain();
    struct built built;

    FAILS(BP_ASCEND_GRAPH_PARAM_INVALID, bp_ascend_graph_option(graph, "precision_mode", "fp17"));
    FAILS(BP_ASCEND_GRAPH_PARAM_INVALID,
          bp_ascend_graph_option(graph, "op_select_impl_mode", "fast"));
    FAILS(BP_ASCEND_GRAPH_PARAM_INVALID, bp_ascend_graph_option(graph, "precision", ""));
    OK(bp_ascend_graph_option(graph, "optypelist_for_implmode", "Relu"));
    FAILS(BP_ASCEND_GRAPH_PARAM_INVALID, bp_ascend_graph_build(graph, &built.bytes, &built.size));
    OK(bp_ascend_graph_option(graph, "op_select_impl_mode", "high_precision"));
    bp_ascend_model_free(build(graph).bytes);
}
END_TEST

int main(void)
{
    TCase *group = tcase_create("models");

    tcase_add_checked_fixture(group, setup, teardown);
    tcase_add_test(group, a_model_is_one_launch);
    tcase_add_test(group, a_model_pays_one_launch);
    tcase_add_test(group, sizes_are_known_before_loading);
    tcase_add_test(group, a_model_loads_from_a_file);
    tcase_add_test(group, a_model_runs_in_the_callers_memory);
    tcase_add_test(group, a_model_describes_itself);
    tcase_add_test(group, an_output_without_an_address_is_allocated);
    tcase_add_test(group, streams_may_share_a_model);
    tcase_add_test(group, an_unloaded_model_cannot_be_used);
    tcase_add_test(group, refuses_wrong_numbers_and_sizes_of_buffers);
    tcase_add_test(group, refuses_host_addresses_in_a_model_run);
    tcase_add_test(group, refuses_a_stream_of_another_device);
    tcase_add_test(group, a_model_not_unloaded_is_counted);
    tcase_add_test(group, refuses_bytes_that_are_no_model);
    tcase_add_test(group, refuses_a_model_of_another_chip);
    tcase_add_test(group, loading_fails_when_the_device_is_full);
    tcase_add_test(group, faults_are_injected_into_models);
    tcase_add_test(group, refuses_hostile_models);
    tcase_add_test(group, a_graph_is_checked_while_it_is_built);
    tcase_add_test(group, builder_options_are_the_vendors);
    return check_main("models", &group, 1);
}
