/* SPDX-License-Identifier: MIT */
/*
 * check_session_threads.c - every function of backplane.h that any thread may call, from eight threads on the
 * same session, model, report, profile and values; check_env_threads.c has those of environments. What counts
 * is that a race is seen: with TSan, or by a wrong result. tests/abi/called.sh checks that no function is
 * missing between the lines "in threads" and "outside threads".
 */

#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <check.h>

#include "support/session_kit.h"

enum { THREADS = 8, ROUNDS = 3, MOST_ROWS = 4 };

/* What the threads share. Faults are counted, as a thread must not end the test. */
static struct shared {
    char dir[128], path[256]; /* of the model */
    bp_session *session;
    bp_session *keeper; /* keeps a state */
    bp_state *state;    /* of all threads: one at a time has it */
    bp_profile *profile;
    bp_object *row, *keys, *map, *sparse;
    bp_tensor words;
    void *encoded; /* a TensorProto */
    size_t n_encoded;
    pthread_barrier_t start;
    atomic_uint faults;
} shared;

struct worker {
    unsigned id;
    bp_err err;
    char words[512];
};

static void expect(struct worker *w, bool ok, const char *what)
{
    if (ok)
        return;
    atomic_fetch_add(&shared.faults, 1);
    fprintf(stderr, "thread %u: %s: %s\n", w->id, what, w->words);
}

/* ---- in threads ------------------------------------------------------------------------------ */

static void ask_constants(struct worker *w)
{
    uint32_t level;
    const char *text;
    char path[4096];

    expect(w, bp_version()[0] && bp_rc_name(BP_E_SHAPE)[0] && bp_dtype_name(BP_DTYPE_F32)[0],
           "names");
    expect(w, bp_dtype_bits(bp_dtype_from_name("int4")) == 4, "bits");
    expect(w, bp_stage_name(BP_STAGE_RUN)[0] && bp_reason_name(BP_R_NOT_CONSTANT)[0], "rows");
    expect(w, bp_named_by_name(BP_NAMED_BY_AUTO)[0] && bp_origin_name(BP_ORIGIN_FILE)[0], "origin");
    expect(w, bp_compare_versions("1.9", "1.10") < 0, "versions");
    expect(w, bp_operator_family(1, &text) && text, "families");
    expect(w, bp_optimization_pass(0, &level, &text) && text, "passes");
    expect(w, bp_provider_long_name("cpu", path, sizeof path)[0], "long name");
    expect(w, bp_standard_provider_dir(BP_DIR_SYSTEM, path, sizeof path, &w->err) >= 0, "dir");
}

static void make_tensors(struct worker *w)
{
    static const int64_t dims[2] = {2, 2};
    static const char *const texts[4] = {"one", "two", NULL, "four"};
    bp_tensor tensor;
    void *bytes = NULL;
    size_t n;

    expect(w, bp_tensor_bytes(BP_DTYPE_F32, dims, 2, &n, &w->err) >= 0 && n == 16, "bytes");
    expect(w, bp_tensor_alloc(BP_DTYPE_F32, dims, 2, &tensor, &w->err) >= 0, "alloc");
    expect(w, bp_tensor_is_owned(&tensor) && bp_tensor_is_owned(&shared.words), "owned");
    bp_tensor_free(&tensor);
    expect(w, bp_tensor_from_strings(texts, dims, 2, &tensor, &w->err) >= 0, "strings");
    bp_tensor_free(&tensor);
    expect(w, bp_tensor_string(&shared.words, 1, &n) && n == 3, "string");
    expect(w, bp_tensor_encode(bp_object_tensor(shared.row), "r", &bytes, &n, &w->err) >= 0, "enc");
    bp_free(bytes);
    expect(w, bp_tensor_decode(shared.encoded, shared.n_encoded, &tensor, NULL, &w->err) >= 0,
           "decode");
    bp_tensor_free(&tensor);
}

static void make_objects(struct worker *w)
{
    bp_object *parts[2] = {shared.row, shared.keys}, *made = NULL;

    expect(w, bp_object_retain(shared.row) == shared.row, "retain");
    bp_object_release(shared.row);
    expect(w, bp_object_from_tensor(bp_object_tensor(shared.row), &made, &w->err) >= 0, "copy");
    bp_object_release(made);
    expect(w, bp_object_from_int64(7, &made, &w->err) >= 0, "an integer");
    bp_object_release(made);
    expect(w, bp_object_from_float(7, &made, &w->err) >= 0, "a float");
    bp_object_release(made);
    expect(w, bp_object_from_bool(1, &made, &w->err) >= 0, "a bool");
    bp_object_release(made);
    expect(w, bp_object_from_string("seven", &made, &w->err) >= 0, "a string");
    bp_object_release(made);
    expect(w, bp_object_sequence(parts, 1, &made, &w->err) >= 0, "sequence");
    bp_object_release(made);
    expect(w, bp_object_optional(shared.map, &made, &w->err) >= 0, "optional");
    bp_object_release(made);
    expect(w, bp_object_map(shared.keys, shared.row, &made, &w->err) >= 0, "map");
    bp_object_release(made);
    expect(w,
           bp_object_sparse(bp_object_format(shared.sparse), bp_object_dense(shared.sparse), parts,
                            2, &made, &w->err) >= 0,
           "sparse");
    bp_object_release(made);
    expect(w,
           bp_object_decode(shared.encoded, shared.n_encoded, BP_KIND_TENSOR, &made, &w->err) >= 0,
           "decode");
    bp_object_release(made);
    expect(w, bp_object_kind(shared.map) == BP_KIND_MAP, "kind");
    expect(w, bp_object_count(shared.map) == 2 && bp_object_item(shared.map, 0) == shared.keys,
           "items");
}

static bp_rc swallow(void *user, const void *bytes, size_t size, bp_err *err)
{
    (void)user;
    (void)bytes;
    (void)size;
    (void)err;
    return BP_OK;
}

static void ask_model(struct worker *w)
{
    bp_model_info info = {.struct_size = sizeof info};
    bp_io_info io = {.struct_size = sizeof io};
    bp_op_info op = {.struct_size = sizeof op};
    bp_model_sink sink = {.struct_size = sizeof sink, .write = swallow};
    int64_t version;

    expect(w, bp_model_get_info(kit.model, &info, &w->err) >= 0 && info.n_nodes == 4, "facts");
    expect(w, bp_model_input(kit.model, 0, &io, &w->err) >= 0, "input");
    expect(w, bp_model_output(kit.model, 0, &io, &w->err) >= 0, "output");
    expect(w, bp_model_op(kit.model, 0, &op, &w->err) >= 0, "operator");
    expect(w, bp_model_opset(kit.model, 0, &version) && version == 13, "operator set");
    expect(w, !bp_model_metadata(kit.model, 0, NULL), "metadata");
    expect(w, !bp_model_external(kit.model, 0), "external");
    expect(w, bp_model_save(kit.model, &sink, &w->err) >= 0, "save");
}

static void make_models(struct worker *w)
{
    bp_model_source source = {.struct_size = sizeof source, .path = shared.path};
    bp_model *model = NULL;
    bp_report *report = NULL;
    uint32_t n;

    expect(w, bp_model_open(kit.env, shared.path, &model, &w->err) >= 0, "open");
    bp_model_close(model);
    expect(w, bp_model_open_source(kit.env, &source, &model, &w->err) >= 0, "open parts");
    bp_model_close(model);
    expect(w, bp_model_open_memory(kit.env, kit.w.data, kit.w.size, NULL, &model, &w->err) >= 0,
           "open memory");
    bp_model_close(model);
    expect(w, bp_plan_create(kit.env, kit.model, kit.options, &report, &w->err) >= 0, "plan");
    bp_report_destroy(report);
    expect(w, bp_model_optimize(kit.env, kit.model, kit.options, 0, &model, NULL, &w->err) >= 0,
           "optimize");
    bp_model_close(model);
    expect(w,
           bp_model_compile(kit.env, kit.model, kit.options, NULL, &model, &n, NULL, &w->err) >= 0,
           "compile");
    bp_model_close(model);
}

/* Relu, Neg, Add with itself, Keep of rows x 4: each run is checked, or two of them shared something. */
static void run(struct worker *w, bp_session *session, int64_t rows, bp_profile *profile)
{
    int64_t dims[2] = {rows, 4};
    float data[MOST_ROWS * 4];
    bp_binding in = {.tensor = {.base = data, .dims = dims, .rank = 2, .dtype = BP_DTYPE_F32}};
    bp_binding out = {.index = 0};
    bp_run_options options = {.struct_size = sizeof options, .profile = profile};
    size_t n = (size_t)rows * 4;
    bool is_right = true;

    in.tensor.bytes = n * sizeof *data;
    for (size_t i = 0; i < n; i++)
        data[i] = (float)(w->id * 100 + i);
    expect(w, bp_session_run(session, &in, 1, &out, 1, &options, &w->err) >= 0, "run");
    for (size_t i = 0; out.tensor.base && i < n; i++)
        is_right &= ((float *)out.tensor.base)[i] == -2 * data[i];
    expect(w, out.tensor.base && is_right, "what a run computed");
    bp_tensor_free(&out.tensor);
}

static void ask_session(struct worker *w, int64_t rows)
{
    bp_session *session = bp_session_retain(shared.session);
    bp_session_stats stats = {.struct_size = sizeof stats};
    bp_memory_use use = {.struct_size = sizeof use};
    bp_io_info io = {.struct_size = sizeof io};
    int64_t dims[2] = {rows, 4}, out_dims[2];
    bp_binding in = {.tensor = {.dims = dims, .rank = 2}};
    bp_binding out = {.tensor = {.dims = out_dims, .rank = 2}};
    bp_run_shapes shapes = {.inputs = &in, .n_inputs = 1};
    uint32_t i;

    expect(w, bp_session_input_count(session) == 1 && bp_session_output_count(session) == 1,
           "counts");
    expect(w, bp_session_input(session, 0, &io, &w->err) >= 0, "input");
    expect(w, bp_session_output(session, 0, &io, &w->err) >= 0, "output");
    expect(w, bp_session_find_input(session, "x", &i, &w->err) >= 0, "find input");
    expect(w, bp_session_find_output(session, "y", &i, &w->err) >= 0, "find output");
    run(w, session, rows, shared.profile);
    expect(w, bp_session_prepare(session, &shapes, 1, NULL, &w->err) >= 0, "prepare");
    expect(w, bp_session_output_shapes(session, &shapes, &out, 1, &w->err) >= 0, "shapes");
    expect(w, bp_session_get_stats(session, &stats, &w->err) >= 0 && stats.runs > 0, "counters");
    for (i = 0; bp_session_provider(session, i); i++)
        expect(w, bp_session_get_memory(session, i, &use, &w->err) >= 0, "memory");
    expect(w, i > 2, "providers");
    expect(w, bp_session_trim(session, NULL, &w->err) >= 0, "trim");
    bp_session_destroy(session);
}

/* All sessions are made with the same options, and with the operators in them. */
static void make_sessions(struct worker *w, int64_t rows)
{
    bp_session *session = NULL;
    bp_operators *set = NULL;

    expect(w, bp_session_create(kit.env, shared.path, kit.options, &session, &w->err) >= 0, "make");
    run(w, session, rows, NULL);
    bp_session_destroy(session);
    expect(w, bp_session_create_from_model(kit.env, kit.model, kit.options, &session, &w->err) >= 0,
           "make from a model");
    run(w, session, rows, NULL);
    bp_session_destroy(session);
    expect(w, bp_operators_create(&set, &w->err) >= 0, "a set");
    bp_operators_release(set);
}

static void ask_rows(struct worker *w, const bp_report *report)
{
    bp_report_provider provider = {.struct_size = sizeof provider};
    bp_report_option option = {.struct_size = sizeof option};
    bp_report_group group = {.struct_size = sizeof group};
    bp_report_pass pass = {.struct_size = sizeof pass};
    bp_report_node node = {.struct_size = sizeof node};
    bp_report_refusal refusal = {.struct_size = sizeof refusal};
    uint32_t n_refusals = 0;

    for (uint32_t i = 0; i < bp_report_provider_count(report); i++) {
        expect(w, bp_report_get_provider(report, i, &provider, &w->err) >= 0, "provider");
        for (uint32_t j = 0; j < bp_report_option_count(report, i); j++)
            expect(w, bp_report_get_option(report, i, j, &option, &w->err) >= 0, "option");
    }
    for (uint32_t i = 0; i < bp_report_node_count(report); i++) {
        expect(w, bp_report_get_node(report, i, &node, &w->err) >= 0, "node");
        for (uint32_t j = 0; j < node.n_refusals; j++, n_refusals++)
            expect(w, bp_report_get_refusal(report, i, j, &refusal, &w->err) >= 0, "refusal");
    }
    expect(w, n_refusals > 0, "refusals");
    for (uint32_t i = 0; i < bp_report_group_count(report); i++)
        expect(w, bp_report_get_group(report, i, &group, &w->err) >= 0, "group");
    for (uint32_t i = 0; i < bp_report_pass_count(report); i++)
        expect(w, bp_report_get_pass(report, i, &pass, &w->err) >= 0, "pass");
}

/* Runs of other threads add rows meanwhile. */
static void ask_report(struct worker *w)
{
    const bp_report *report = bp_session_report(shared.session);
    bp_report_mismatch mismatch = {.struct_size = sizeof mismatch};
    bp_report_refused_sizes sizes = {.struct_size = sizeof sizes};
    uint32_t n_edges = 0, from, to;
    char *text = NULL;

    ask_rows(w, report);
    while (bp_report_edge(report, n_edges, &from, &to))
        n_edges++;
    expect(w, n_edges > 3, "edges");
    for (uint32_t i = bp_report_mismatch_count(report); i-- > 0;)
        expect(w, bp_report_get_mismatch(report, i, &mismatch, &w->err) >= 0, "mismatch");
    for (uint32_t i = bp_report_refused_sizes_count(report); i-- > 0;)
        expect(w, bp_report_get_refused_sizes(report, i, &sizes, &w->err) >= 0, "sizes");
    expect(w, bp_report_json(report, &text, &w->err) >= 0, "JSON");
    bp_free(text);
    expect(w, bp_explain(kit.env, report, "few", BP_EXPLAIN_JSON, &text, &w->err) >= 0, "explain");
    bp_free(text);
}

/* Runs of other threads write to it meanwhile, so that an event may be another one than a moment ago. */
static void ask_profile(struct worker *w)
{
    bp_profile_event event = {.struct_size = sizeof event};
    bp_profile *own = NULL;
    char *text = NULL;

    expect(w, bp_profile_add(shared.profile, "a span", 1, 2, &w->err) >= 0, "add");
    expect(w, bp_profile_count(shared.profile) > 0, "events");
    expect(w, bp_profile_get(shared.profile, 0, &event, &w->err) >= 0 && event.name, "event");
    expect(w, bp_profile_dropped(shared.profile) < UINT32_MAX, "dropped");
    expect(w, bp_profile_json(shared.profile, &text, &w->err) >= 0, "JSON");
    bp_free(text);
    expect(w, bp_profile_create(4, &own, &w->err) >= 0, "create");
    bp_profile_destroy(own);
}

static void make_environments(struct worker *w)
{
    bp_env_config config = {.struct_size = sizeof config,
                            .flags = BP_ENV_IGNORE_VARIABLES,
                            .log = kit_log,
                            .threads = 2,
                            .probe = BP_PROBE_OFF};
    bp_cache *cache = NULL;
    bp_env *env = NULL;

    expect(w, bp_env_create(&config, &env, &w->err) >= 0, "environment");
    expect(w, bp_env_destroy(env, &w->err) >= 0, "its end");
    expect(w, bp_cache_open(kit.env, shared.dir, &cache, &w->err) >= 0, "cache");
    bp_cache_close(cache);
}

/* Calls on a state that other threads may have just now. */
static bool is_busy_or(bp_rc rc, bp_rc want)
{
    return rc == want || rc == BP_E_BUSY;
}

static void use_states(struct worker *w)
{
    float more[2] = {1, 2}, whole[64];
    int64_t two = 2, size;
    bp_binding in = {.index = 0}, out = {.index = 1};
    bp_run_options options = {.struct_size = sizeof options};
    bp_tensor past;
    bp_state *copy;

    in.tensor = (bp_tensor){
        .base = more, .bytes = sizeof more, .dims = &two, .rank = 1, .dtype = BP_DTYPE_F32};
    out.tensor = (bp_tensor){.base = whole, .bytes = sizeof whole, .dims = &size, .rank = 1};
    expect(w, bp_state_create(shared.keeper, 1, &options.state, &w->err) >= 0, "a state");
    expect(w, bp_state_reserve(options.state, 64, &w->err) >= 0, "memory");
    expect(w, bp_state_set(options.state, "past", &in.tensor, &w->err) >= 0, "a value");
    for (int i = 0; i < 3; i++)
        expect(w,
               bp_session_run(shared.keeper, &in, 1, &out, 1, &options, &w->err) >= 0 &&
                   size == 4 + 2 * i && whole[size - 1] == 4,
               "a run with a state");
    expect(w, bp_state_length(options.state) == 8, "length");
    expect(w, bp_state_truncate(options.state, 3, &w->err) >= 0, "truncate");
    expect(w, bp_state_get(options.state, "past", &past, &w->err) >= 0 && past.dims[0] == 3, "get");
    bp_tensor_free(&past);
    expect(w, bp_state_copy(options.state, &copy, &w->err) >= 0, "copy");
    expect(w, bp_state_reset(copy, &w->err) >= 0, "reset");
    bp_state_destroy(copy);
    bp_state_destroy(options.state);
    options.state = shared.state;
    expect(w, is_busy_or(bp_session_run(shared.keeper, &in, 1, NULL, 0, &options, &w->err), BP_OK),
           "a run with a shared state");
    expect(w, is_busy_or(bp_state_reset(shared.state, &w->err), BP_OK), "reset of a shared state");
}

static void *work(void *user)
{
    struct worker *w = user;

    w->err = bp_err_init(w->words, sizeof w->words);
    pthread_barrier_wait(&shared.start);
    for (unsigned round = 0; round < ROUNDS; round++) {
        int64_t rows = 1 + (w->id + round) % MOST_ROWS;

        ask_constants(w);
        make_tensors(w);
        make_objects(w);
        ask_session(w, rows);
        ask_report(w);
        ask_profile(w);
        use_states(w);
        ask_model(w);
        make_models(w);
        make_sessions(w, rows);
        make_environments(w);
    }
    return NULL;
}

/* An operator's work, of which each row is a part. */
struct job {
    bp_operator_call *call;
    const float *from;
    float *to;
};

static void copy_row(void *user, uint32_t i, uint32_t worker)
{
    const struct job *job = user;

    (void)worker;
    if (bp_operator_is_cancelled(job->call))
        return;
    memcpy(job->to + i * 4, job->from + i * 4, 4 * sizeof *job->to);
}

/* ---- outside threads --------------------------------------------------------------------------- */

static bp_rc keep_compute(void *kernel, bp_operator_call *call, bp_err *err)
{
    const bp_tensor *x = bp_operator_input(call, 0);
    bp_tensor *y;
    bp_rc rc = bp_operator_size_output(call, 0, x->rank, x->dims, &y, err);
    struct job job = {.call = call};

    (void)kernel;
    if (rc < 0)
        return rc;
    job.from = bp_tensor_data(x);
    job.to = bp_tensor_data(y);
    bp_operator_parallel_for(call, (uint32_t)x->dims[0], copy_row, &job);
    return BP_OK;
}

static void give_operators(void)
{
    static const bp_operand x = {.name = "X", .types = UINT64_C(1) << BP_DTYPE_F32};
    bp_operator_def def = {.struct_size = sizeof def,
                           .domain = "com.test",
                           .name = "Keep",
                           .since = 1,
                           .in = &x,
                           .out = &x,
                           .n_in = 1,
                           .n_out = 1,
                           .compute = keep_compute};
    bp_operators *set = NULL;

    KIT_OK(bp_operators_create(&set, &kit.err));
    KIT_OK(bp_operators_add(set, &def, &kit.err));
    KIT_OK(bp_session_options_add_operators(kit.options, set, &kit.err));
    KIT_OK(bp_env_add_operators(kit.env, set, &kit.err)); /* models have none of the options */
    bp_operators_release(set);
}

/*
 * x[N,4] -> Relu, Neg of "few" -> Add of "picky", which refuses more than 8 elements -> Keep -> y, for which
 * another size is declared.
 */
static void write_model(void)
{
    FILE *to;

    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,4");
    kit_node("relu", "Relu", "x", "a");
    kit_node("neg", "Neg", "a", "b");
    kit_node("add", "Add", "b b", "c");
    kit_open_node("keep", "Keep", "c", "y");
    pw_text(&kit.w, 7, "com.test");
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N,5");
    pw_close(&kit.w);
    pw_open(&kit.w, 8);
    pw_text(&kit.w, 1, "com.test");
    pw_int(&kit.w, 2, 1);
    pw_close(&kit.w);
    kit.is_closed = true;
    to = fopen(shared.path, "w");
    ck_assert_ptr_nonnull(to);
    ck_assert_uint_eq(fwrite(kit.w.data, 1, kit.w.size, to), kit.w.size);
    ck_assert_int_eq(fclose(to), 0);
}

static bp_object *row_of(uint32_t dtype, const void *data)
{
    int64_t two = 2;
    bp_binding at = kit_tensor(0, dtype, data, 1, &two);
    bp_object *made;

    KIT_OK(bp_object_from_tensor(&at.tensor, &made, &kit.err));
    return made;
}

static void make_values(void)
{
    static const char *const texts[2] = {"one", "two"};
    static const int64_t two = 2, keys[2] = {0, 3};
    static const float values[2] = {1, 2};
    static int64_t four = 4;
    bp_tensor dense = {.dims = &four, .rank = 1, .dtype = BP_DTYPE_F32};
    bp_object *parts[2];

    shared.row = parts[0] = row_of(BP_DTYPE_F32, values);
    shared.keys = parts[1] = row_of(BP_DTYPE_I64, keys);
    KIT_OK(bp_object_map(shared.keys, shared.row, &shared.map, &kit.err));
    KIT_OK(bp_object_sparse(BP_SPARSE_COO, &dense, parts, 2, &shared.sparse, &kit.err));
    KIT_OK(bp_tensor_from_strings(texts, &two, 1, &shared.words, &kit.err));
    KIT_OK(bp_tensor_encode(bp_object_tensor(shared.row), "row", &shared.encoded, &shared.n_encoded,
                            &kit.err));
}

static void free_values(void)
{
    bp_object_release(shared.row);
    bp_object_release(shared.keys);
    bp_object_release(shared.map);
    bp_object_release(shared.sparse);
    bp_tensor_free(&shared.words);
    bp_free(shared.encoded);
}

/* past[P], x[2] -> Concat -> present; its double -> y. */
static void make_keeper(void)
{
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    kit_io(KIT_INPUT, "past", BP_DTYPE_F32, "P");
    kit_node_int("concat", "Concat", "past x", "present", "axis", 0);
    kit_node("double", "Add", "present present", "y");
    kit_io(KIT_OUTPUT, "present", BP_DTYPE_F32, "T");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "T");
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_add_state(kit.options, "past", "present", &kit.err));
    shared.keeper = kit_session();
    kit.session = NULL;
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    kit_start_model();
    KIT_OK(bp_state_create(shared.keeper, 1, &shared.state, &kit.err));
}

static void setup(void)
{
    const char *tmp = getenv("TMPDIR");

    memset(&shared, 0, sizeof shared);
    snprintf(shared.dir, sizeof shared.dir, "%.80s/bp-threads.XXXXXX", tmp ? tmp : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(shared.dir));
    snprintf(shared.path, sizeof shared.path, "%s/model.onnx", shared.dir);
    kit_setup();
    make_keeper();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    kit_provider_with("picky", "most", "8");
    give_operators();
    write_model();
    kit_model();
    make_values();
    KIT_OK(bp_profile_create(64, &shared.profile, &kit.err));
}

static void teardown(void)
{
    bp_state_destroy(shared.state);
    bp_session_destroy(shared.keeper);
    bp_profile_destroy(shared.profile);
    free_values();
    kit_teardown();
    ck_assert_int_eq(unlink(shared.path), 0);
    ck_assert_int_eq(rmdir(shared.dir), 0);
}

START_TEST(any_function_of_a_session_runs_in_eight_threads)
{
    static struct worker workers[THREADS];
    pthread_t threads[THREADS];

    shared.session = kit_session();
    pthread_barrier_init(&shared.start, NULL, THREADS);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.id = i};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    pthread_barrier_destroy(&shared.start);
    ck_assert_uint_eq(atomic_load(&shared.faults), 0);
    ck_assert_uint_gt(bp_report_mismatch_count(bp_session_report(shared.session)), 0);
    ck_assert_uint_gt(bp_report_refused_sizes_count(bp_session_report(shared.session)), 0);
    ck_assert_uint_gt(bp_profile_dropped(shared.profile), 0);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("threads");

    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 600); /* sanitizers are slow */
    tcase_add_test(cases, any_function_of_a_session_runs_in_eight_threads);
    return kit_main("session_threads", &cases, 1);
}
