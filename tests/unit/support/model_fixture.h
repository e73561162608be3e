/* SPDX-License-Identifier: MIT */
/* model_fixture.h - a model in the making, opened, and its graph; shared by tests of runtime/model/. */
#ifndef BP_TESTS_MODEL_FIXTURE_H
#define BP_TESTS_MODEL_FIXTURE_H

#include <check.h>

#include "model/onnx.h"
#include "support/model_bytes.h"
#include "support/proto_writer.h"

static char text[1024];
static bp_err err;
static struct pw w; /* the model's bytes */
static struct bp_onnx *onnx;
static struct bp_region region;
static struct bp_symbols symbols;
static struct bp_ir *ir;

static inline void close_model(void)
{
    bp_ir_finish(ir);
    bp_region_finish(&region);
    bp_symbols_finish(&symbols);
    memset(&symbols, 0, sizeof symbols);
    bp_onnx_unref(onnx);
    ir = NULL;
    onnx = NULL;
}

static inline void setup_model(void)
{
    err = bp_err_init(text, sizeof text);
}

static inline void teardown_model(void)
{
    close_model();
    pw_free(&w);
}

/* Opens and builds what was written to w. */
static inline bp_rc build_from_memory(const char *dir, bool open_defaults)
{
    bp_rc rc;

    close_model();
    rc = model_open_bytes(w.data, w.size, dir, &onnx, &err);
    if (rc >= 0)
        rc = bp_onnx_graph(onnx, &(struct bp_onnx_graph_config){.open_defaults = open_defaults},
                           &region, &symbols, &ir, &err);
    return rc;
}

static inline void build(void)
{
    ck_assert_msg(build_from_memory(NULL, false) == BP_OK, "%s", text);
}

static inline void refuses_in(const char *dir, bp_rc rc, const char *words)
{
    bp_rc got = build_from_memory(dir, false);

    ck_assert_msg(got == rc, "%s instead of %s: %s", bp_rc_name(got), bp_rc_name(rc),
                  got < 0 ? text : "");
    ck_assert_msg(strstr(text, words) != NULL, "'%s' is not in: %s", words, text);
    ck_assert_ptr_null(ir);
}

static inline void refuses(bp_rc rc, const char *words)
{
    refuses_in(NULL, rc, words);
}

/* A value of a graph by name. */
static inline const struct bp_ir_value *value_of(struct bp_ir *graph, const char *name)
{
    for (uint32_t i = 0; i < graph->n_values; i++) {
        if (strcmp(graph->values[i].name, name) == 0)
            return &graph->values[i];
    }
    ck_abort_msg("no value '%s'", name);
    return NULL;
}

/* A model in which x goes through Relu to y: opened, so that more can be written into its graph. */
static inline void start_model(void)
{
    w.size = 0;
    pw_open_model(&w);
    pw_value(&w, 11, "x", BP_DTYPE_F32, PW_DIMS(2));
    pw_node(&w, "Relu", "x", "y");
    pw_value(&w, 12, "y", BP_DTYPE_F32, PW_DIMS(2));
}

static inline void end_model(void)
{
    pw_close(&w);
}

static inline int run_tests(const char *name, TCase *tcase)
{
    Suite *suite = suite_create(name);
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
