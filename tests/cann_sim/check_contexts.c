/* SPDX-License-Identifier: MIT */
/*
 * check_contexts.c - models with programs of the CANN provider in nodes EPContext: written, read back
 * in this process and in others, and refused with words that help where they cannot be used.
 */

#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cann_kit.h"
#include "support/random.h"

/* What compiling one operator takes in reality here, in microseconds. */
enum { COMPILE_US = 100000, DAMAGES = 1000, MOST_BYTES = 1 << 16 };
#define CONFIGURATION "compile_us = 100000\n"

static char dir[128], model_path[192];
static uint32_t n_programs;

static void setup(void)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(dir, sizeof dir, "%.80s/bp-context.XXXXXX", tmp ? tmp : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(model_path, sizeof model_path, "%s/out.onnx", dir);
    cann_setup();
}

/* Files of the directory that end so; the path of the last one. With take all files go. */
static uint32_t files(const char *end, char *path, bool take)
{
    DIR *at = opendir(dir);
    uint32_t n = 0;
    char own[512];

    ck_assert_ptr_nonnull(at);
    for (struct dirent *entry; (entry = readdir(at)) != NULL;) {
        size_t length = strlen(entry->d_name);

        if (entry->d_name[0] == '.')
            continue;
        snprintf(own, sizeof own, "%s/%s", dir, entry->d_name);
        if (length >= strlen(end) && strcmp(entry->d_name + length - strlen(end), end) == 0) {
            n++;
            if (path)
                snprintf(path, 512, "%s", own);
        }
        if (take)
            ck_assert_int_eq(remove(own), 0);
    }
    closedir(at);
    return n;
}

static void teardown(void)
{
    cann_check_left();
    files("", NULL, true);
    ck_assert_int_eq(rmdir(dir), 0);
    kit_teardown();
}

/* ---- writing --------------------------------------------------------------------------------- */

static void use_cann(void)
{
    cann_forget();
    cann_add_graph(BP_FALLBACK_REQUIRE, NULL, NULL);
}

static bp_rc write_part(void *user, const void *bytes, size_t size, bp_err *err)
{
    (void)err;
    return fwrite(bytes, 1, size, user) == size ? BP_OK : BP_E_IO;
}

static void save(const bp_model *model)
{
    FILE *file = fopen(model_path, "wb");
    bp_model_sink sink = {.struct_size = sizeof sink, .user = file, .write = write_part};

    ck_assert_ptr_nonnull(file);
    KIT_OK(bp_model_save(model, &sink, &kit.err));
    ck_assert_int_eq(fclose(file), 0);
}

/* The open model with programs in it, on cann with kit.options; also as a file. */
static bp_model *compile(uint32_t flags, bp_report **report)
{
    bp_context_config config = {
        .struct_size = sizeof config, .flags = flags, .path = model_path, .prefix = "my_"};
    bp_model *out;

    KIT_OK(bp_model_compile(kit.env, kit_model(), kit.options, &config, &out, &n_programs, report,
                            &kit.err));
    if (out)
        save(out);
    return out;
}

/* The model of the kit is the one in the file from now on. */
static void open_file(void)
{
    kit_end_session();
    bp_model_close(kit.model);
    kit.model = NULL;
    KIT_OK(bp_model_open(kit.env, model_path, &kit.model, &kit.err));
}

/* device_mixed_model() compiled, with everything that made it gone. */
static void make(uint32_t flags)
{
    kit_start_model();
    device_mixed_model("2");
    use_cann();
    bp_model_close(compile(flags, NULL));
    ck_assert_uint_gt(n_programs, 0);
    open_file();
}

/* How many of cann's groups were loaded out of the model. */
static uint32_t loaded(void)
{
    const bp_report *report = bp_session_report(kit.session);
    uint32_t n = 0;

    for (uint32_t i = 0; i < bp_report_group_count(report); i++) {
        bp_report_group row = {.struct_size = sizeof row};

        KIT_OK(bp_report_get_group(report, i, &row, &kit.err));
        if (row.program != BP_PROGRAM_LOADED)
            continue;
        ck_assert_str_eq(row.cache, "loaded out of the model");
        n++;
    }
    return n;
}

/* Loop variable: BP_CONTEXT_EMBED or 0. */
START_TEST(compiled_model_runs_without_building)
{
    uint64_t built;

    make(_i ? BP_CONTEXT_EMBED : 0);
    ck_assert_uint_eq(files(".bin", NULL, false) > 0, !_i);
    built = cann_counters().models_built;
    ck_assert_uint_eq(built, n_programs);
    kit_session();
    ck_assert_uint_eq(loaded(), n_programs);
    for (int i = 0; i < 3; i++)
        device_check_mixed(2, (float)i);
    ck_assert_uint_eq(cann_counters().models_built, built);
    ck_assert_uint_eq(kit_warnings(), 0);
    kit_end_session();
    use_cann();
    KIT_OK(bp_session_options_set_optimization(kit.options, BP_OPTIMIZE_NONE, &kit.err));
    kit_session();
    device_check_mixed(2, 7);
}
END_TEST

/* The new model itself, before it is a file; its programs may lie beside where it will be. */
START_TEST(compiled_model_in_memory_runs_too)
{
    bp_model *model;

    kit_start_model();
    device_mixed_model("2");
    use_cann();
    model = compile(_i ? BP_CONTEXT_EMBED : 0, NULL);
    bp_model_close(kit.model);
    kit.model = model;
    kit_session();
    ck_assert_uint_eq(loaded(), n_programs);
    device_check_mixed(2, 1);
}
END_TEST

/* Programs can be made without graph mode only of nothing, but are loaded without it. */
START_TEST(program_is_loaded_whatever_mode_the_session_asks_for)
{
    make(BP_CONTEXT_EMBED);
    cann_forget();
    cann_add(BP_FALLBACK_REQUIRE, NULL, NULL);
    kit_session();
    ck_assert_uint_eq(loaded(), n_programs);
    device_check_mixed(2, 1);
}
END_TEST

START_TEST(compiled_model_has_the_nodes_and_ports_of_the_first)
{
    bp_io_info info = {.struct_size = sizeof info};
    bp_model_info facts = {.struct_size = sizeof facts};

    make(0);
    KIT_OK(bp_model_get_info(kit.model, &facts, &kit.err));
    ck_assert_uint_eq(facts.n_inputs, 1);
    ck_assert_uint_eq(facts.n_outputs, 3);
    ck_assert_uint_lt(facts.n_nodes, 5);
    KIT_OK(bp_model_output(kit.model, 1, &info, &kit.err));
    ck_assert_str_eq(info.name, "b");
    ck_assert_uint_eq(info.rank, 2);
    ck_assert_int_eq(info.dims[0].value, 2);
    ck_assert_int_eq(info.dims[1].value, 4);
    for (uint32_t i = 0;; i++) {
        bp_op_info op = {.struct_size = sizeof op};

        KIT_OK(bp_model_op(kit.model, i, &op, &kit.err));
        if (strcmp(op.op, "EPContext") == 0)
            break;
    }
}
END_TEST

/* What ONNX Runtime calls free dimension overrides: the new model has the size, not the name. */
START_TEST(fixed_dimension_is_the_size_of_the_compiled_model)
{
    bp_io_info info = {.struct_size = sizeof info};

    kit_start_model();
    device_mixed_model("N");
    use_cann();
    KIT_OK(bp_session_options_set_dimension(kit.options, "N", 3, &kit.err));
    bp_model_close(compile(BP_CONTEXT_EMBED, NULL));
    ck_assert_uint_gt(n_programs, 0);
    open_file();
    use_cann();
    KIT_OK(bp_model_input(kit.model, 0, &info, &kit.err));
    ck_assert_int_eq(info.dims[0].value, 3);
    kit_session();
    ck_assert_uint_eq(loaded(), n_programs);
    device_check_mixed(3, 1);
}
END_TEST

START_TEST(model_of_which_nothing_is_saved_is_none)
{
    bp_report *report;
    bool found = false;

    kit_start_model();
    device_mixed_model("N");
    use_cann();
    ck_assert_ptr_null(compile(BP_CONTEXT_EMBED, &report));
    ck_assert_uint_eq(n_programs, 0);
    for (uint32_t i = 0; i < bp_report_group_count(report); i++) {
        bp_report_group row = {.struct_size = sizeof row};

        KIT_OK(bp_report_get_group(report, i, &row, &kit.err));
        found |= row.cache && strstr(row.cache, "not saved: cann: the group's shapes");
    }
    ck_assert(found);
    bp_report_destroy(report);
    cann_forget();
    ck_assert_ptr_null(compile(BP_CONTEXT_EMBED, NULL));
}
END_TEST

/* Groups in the branches of an If are compiled too. */
START_TEST(bodies_of_control_flow_get_programs)
{
    static const float x[] = {-1, 2, -3, 4};
    const uint8_t yes = 1, no = 0;

    kit_start_model();
    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    kit_open_node("if", "If", "c", "y");
    kit_open_subgraph("then_branch");
    kit_node("relu", "Relu", "x", "t");
    kit_io(KIT_OUTPUT, "t", BP_DTYPE_F32, "4");
    kit_close_subgraph();
    kit_open_subgraph("else_branch");
    kit_node("sum", "Add", "x x", "e");
    kit_io(KIT_OUTPUT, "e", BP_DTYPE_F32, "4");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "4");
    use_cann();
    bp_model_close(compile(0, NULL));
    ck_assert_uint_eq(n_programs, 2);
    open_file();
    kit_session();
    ck_assert_uint_eq(loaded(), 2);
    for (int i = 0; i < 2; i++) {
        bp_binding in[] = {kit_tensor(0, BP_DTYPE_BOOL, i ? &no : &yes, 0, NULL),
                           KIT_TENSOR(1, BP_DTYPE_F32, x, 4)};
        bp_binding out = kit_wanted(0);

        kit_run(in, 2, &out, 1);
        if (i)
            KIT_FLOATS(&out.tensor, -2, 4, -6, 8);
        else
            KIT_FLOATS(&out.tensor, 0, 2, 0, 4);
        bp_tensor_free(&out.tensor);
    }
}
END_TEST

/* Options of a model that was compiled before: nothing is compiled, all is kept. */
START_TEST(compiled_model_is_not_compiled_again)
{
    make(BP_CONTEXT_EMBED);
    ck_assert_ptr_null(compile(BP_CONTEXT_EMBED, NULL));
    ck_assert_uint_eq(n_programs, 0);
}
END_TEST

START_TEST(programs_that_cannot_be_written_are_an_error)
{
    bp_context_config config = {.struct_size = sizeof config, .path = "/nowhere/at/all.onnx"};
    bp_model *out;

    kit_start_model();
    device_mixed_model("2");
    use_cann();
    KIT_FAILS(bp_model_compile(kit.env, kit_model(), kit.options, &config, &out, &n_programs, NULL,
                               &kit.err),
              BP_E_IO, "/nowhere/at/all_", "No such file");
    ck_assert_ptr_null(out);
    config.path = NULL;
    KIT_FAILS(bp_model_compile(kit.env, kit_model(), kit.options, &config, &out, &n_programs, NULL,
                               &kit.err),
              BP_E_OPTION, "need the path");
    config.flags = 4;
    KIT_FAILS(bp_model_compile(kit.env, kit_model(), kit.options, &config, &out, &n_programs, NULL,
                               &kit.err),
              BP_E_INVALID, "flags 0x4");
}
END_TEST

/* ---- who can run it -------------------------------------------------------------------------- */

START_TEST(session_without_the_provider_names_it)
{
    make(BP_CONTEXT_EMBED);
    cann_forget();
    KIT_FAILS(kit_try_session(), BP_E_UNSUPPORTED, "EPContext", "compiled by 'org.backplane.cann'",
              "add that provider", "use the model that it was compiled from");
}
END_TEST

/* The chip of another device cannot run it: no silent fall back, and the driver is named. */
START_TEST(program_of_another_chip_is_an_error)
{
    make(BP_CONTEXT_EMBED);
    cann_configure("soc = Ascend310P3\n");
    use_cann();
    KIT_FAILS(kit_try_session(), BP_E_STALE, "node 'my_cann/main/", "provider 'cann'",
              "Ascend310P3", "cannot load its compiled program", "saved by version 0.1.0",
              "compile the model again", "use the model that it was compiled from");
    kit_end_session();
    cann_configure(NULL);
}
END_TEST

/* An EPContext node as `source` writes it; y float32[2] = it(x float32[2]). */
static void foreign(const char *source, int64_t embed, int64_t main_context, const char *context)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "2");
    kit_open_node("ctx", "EPContext", "x", "y");
    pw_text(&kit.w, 7, "com.microsoft");
    kit_int_attr("embed_mode", embed);
    kit_int_attr("main_context", main_context);
    for (int i = 0; i < 2; i++) {
        const char *value = i ? context : source;

        if (!value)
            continue;
        pw_open(&kit.w, 5);
        pw_text(&kit.w, 1, i ? "ep_cache_context" : "source");
        pw_text(&kit.w, 4, value);
        pw_int(&kit.w, 20, 3);
        pw_close(&kit.w);
    }
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "2");
}

static const struct {
    const char *source;
    int64_t embed, main_context;
    const char *context;
    bp_rc rc;
    const char *words;
} nodes[] = {
    {"QNNExecutionProvider", 1, 1, "bytes", BP_E_UNSUPPORTED,
     "compiled by 'QNNExecutionProvider', and no other provider can load it"},
    {"OpenVINOExecutionProvider", 0, 1, "blob.bin", BP_E_UNSUPPORTED,
     "compiled by 'OpenVINOExecutionProvider'"},
    {NULL, 1, 1, "bytes", BP_E_UNSUPPORTED, "does not say which provider compiled its program"},
    {"cann", 1, 1, "bytes", BP_E_STALE, "does not begin as a program that Backplane saved"},
    {"org.backplane.cann", 1, 1, NULL, BP_E_INVALID, "ep_cache_context is missing"},
    {"org.backplane.cann", 1, 0, "bytes", BP_E_UNSUPPORTED, "main_context is not 1"},
    {"org.backplane.cann", 2, 1, "bytes", BP_E_INVALID, "embed_mode is 2"},
    {"org.backplane.cann", 0, 1, "none.bin", BP_E_INVALID, "a model in memory has no directory"},
};

START_TEST(program_of_others_is_an_error)
{
    foreign(nodes[_i].source, nodes[_i].embed, nodes[_i].main_context, nodes[_i].context);
    use_cann();
    KIT_FAILS(kit_try_session(), nodes[_i].rc, nodes[_i].words, "ctx");
}
END_TEST

static const struct {
    const char *name;
    bp_rc rc;
    const char *words;
} paths[] = {
    {"../out.bin", BP_E_INVALID, "../out.bin"},
    {"sub/../../out.bin", BP_E_INVALID, "out.bin"},
    {"/etc/hostname", BP_E_INVALID, "/etc/hostname"},
    {"link.bin", BP_E_INVALID, "link.bin"},
    {"none.bin", BP_E_IO, "none.bin"},
};

START_TEST(program_outside_of_the_models_directory_is_not_read)
{
    char link_path[256];

    foreign("org.backplane.cann", 0, 1, paths[_i].name);
    snprintf(link_path, sizeof link_path, "%s/link.bin", dir);
    ck_assert_int_eq(symlink("/etc/hostname", link_path), 0);
    save(kit_model());
    open_file();
    use_cann();
    KIT_FAILS(kit_try_session(), paths[_i].rc, paths[_i].words, "ctx");
}
END_TEST

/* ---- damage ---------------------------------------------------------------------------------- */

static size_t read_bytes(const char *path, uint8_t *bytes)
{
    FILE *file = fopen(path, "rb");
    size_t n;

    ck_assert_ptr_nonnull(file);
    n = fread(bytes, 1, MOST_BYTES, file);
    fclose(file);
    ck_assert_uint_lt(n, MOST_BYTES);
    return n;
}

static void write_bytes(const char *path, const uint8_t *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
    ck_assert_int_eq(fclose(file), 0);
}

/* Cuts, lengthens or changes. */
static size_t damage(uint64_t *seed, uint8_t *bytes, size_t n)
{
    size_t at = random_below(seed, (uint32_t)n);

    switch (random_below(seed, 4)) {
    case 0:
        return at;
    case 1:
        memset(bytes + n, 7, 16);
        return n + 16;
    case 2: /* the head, with its lengths */
        bytes[random_below(seed, 160)] ^= (uint8_t)(1 + random_below(seed, 255));
        return n;
    default:
        bytes[at] ^= (uint8_t)(1u << random_below(seed, 8));
        return n;
    }
}

START_TEST(damaged_programs_are_an_error_each_time)
{
    static uint8_t good[MOST_BYTES + 16], bad[MOST_BYTES + 16];
    uint64_t seed = 4711;
    char path[512];
    size_t n;

    make(0);
    ck_assert_uint_gt(files(".bin", path, false), 0);
    n = read_bytes(path, good);
    for (int i = 0; i < DAMAGES; i++) {
        size_t size;

        memcpy(bad, good, n);
        size = damage(&seed, bad, n);
        write_bytes(path, bad, size);
        kit.n_lines = 0;
        kit.text[0] = '\0';
        ck_assert_msg(kit_try_session() == BP_E_STALE, "damage %d: %s", i, kit.text);
        ck_assert_msg(strstr(kit.text, "use the model that it was compiled from") != NULL, "%s",
                      kit.text);
    }
    write_bytes(path, good, n);
    kit_session();
    device_check_mixed(2, 1);
}
END_TEST

/* ---- processes ------------------------------------------------------------------------------- */

/* What a process tells of its start. */
struct told {
    double seconds;
    uint64_t built;
};

/* In a process of its own: nothing of an earlier session is warm. */
static struct told start_in_a_process(void)
{
    struct told told = {0};
    int ends[2], status;
    pid_t child;

    ck_assert_int_eq(pipe(ends), 0);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        struct timespec before, after;

        ck_assert_int_eq(bp_ascend_configure(CONFIGURATION), ACL_SUCCESS);
        bp_ascend_reset_counters();
        clock_gettime(CLOCK_MONOTONIC, &before);
        kit_session();
        clock_gettime(CLOCK_MONOTONIC, &after);
        told.seconds = (double)(after.tv_sec - before.tv_sec) +
                       (double)(after.tv_nsec - before.tv_nsec) * 1e-9;
        told.built = cann_counters().models_built;
        device_check_mixed(2, 0);
        kit_end_session();
        _exit(write(ends[1], &told, sizeof told) == (ssize_t)sizeof told ? 0 : 1);
    }
    close(ends[1]);
    ck_assert_int_eq(read(ends[0], &told, sizeof told), (ssize_t)sizeof told);
    close(ends[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    return told;
}

/* As second_process_starts_faster_by_the_compile_time() of the cache has it, for a model. */
START_TEST(process_with_a_compiled_model_starts_faster_by_the_compile_time)
{
    struct told plain, compiled;

    kit_new_env(1); /* no threads, which a child would not have */
    kit_start_model();
    device_mixed_model("2");
    use_cann();
    bp_model_close(compile(0, NULL));
    plain = start_in_a_process();
    open_file();
    compiled = start_in_a_process();
    printf("start of a process with the model %.3f s, with the compiled one %.3f s\n",
           plain.seconds, compiled.seconds);
    ck_assert_uint_gt(plain.built, 0);
    ck_assert_uint_eq(compiled.built, 0);
    ck_assert(plain.seconds > 3 * COMPILE_US * 1e-6);
    ck_assert(plain.seconds - compiled.seconds > 2 * COMPILE_US * 1e-6);
    ck_assert(compiled.seconds < COMPILE_US * 1e-6);
}
END_TEST

#define COUNT(a) (int)(sizeof(a) / sizeof(a)[0])

int main(void)
{
    TCase *cases[] = {tcase_create("contexts")};

    tcase_add_checked_fixture(cases[0], setup, teardown);
    tcase_set_timeout(cases[0], 120);
    tcase_add_loop_test(cases[0], compiled_model_runs_without_building, 0, 2);
    tcase_add_loop_test(cases[0], compiled_model_in_memory_runs_too, 0, 2);
    tcase_add_test(cases[0], program_is_loaded_whatever_mode_the_session_asks_for);
    tcase_add_test(cases[0], compiled_model_has_the_nodes_and_ports_of_the_first);
    tcase_add_test(cases[0], fixed_dimension_is_the_size_of_the_compiled_model);
    tcase_add_test(cases[0], model_of_which_nothing_is_saved_is_none);
    tcase_add_test(cases[0], bodies_of_control_flow_get_programs);
    tcase_add_test(cases[0], compiled_model_is_not_compiled_again);
    tcase_add_test(cases[0], programs_that_cannot_be_written_are_an_error);
    tcase_add_test(cases[0], session_without_the_provider_names_it);
    tcase_add_test(cases[0], program_of_another_chip_is_an_error);
    tcase_add_loop_test(cases[0], program_of_others_is_an_error, 0, COUNT(nodes));
    tcase_add_loop_test(cases[0], program_outside_of_the_models_directory_is_not_read, 0,
                        COUNT(paths));
    tcase_add_test(cases[0], damaged_programs_are_an_error_each_time);
    tcase_add_test(cases[0], process_with_a_compiled_model_starts_faster_by_the_compile_time);
    return kit_main("contexts", cases, sizeof cases / sizeof cases[0]);
}
