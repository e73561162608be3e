/* SPDX-License-Identifier: MIT */
/* suite_set.c - one directory's test data: inputs read, outputs compared. */

#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conform/suite.h"
#include "values/file.h"
#include "values/object.h"

int suite_blame(struct suite *suite, int code, const char *place, const char *words)
{
    if (place)
        text_printf(&suite->why, "%s: ", place);
    text_put(&suite->why, words);
    return code;
}

/* "DIR/test_data_set_0", input or output 3: what a reader of one file needs to know. */
struct spot {
    const char *set;  /* path */
    const char *kind; /* "input", "output" */
    uint32_t index;
};

static void spot_path(struct bp_text *path, const struct spot *spot)
{
    text_clear(path);
    text_printf(path, "%s/%s_%u.pb", spot->set, spot->kind, spot->index);
}

/* Does file N of a kind exist in the set? */
static bool spot_exists(const struct spot *spot)
{
    struct bp_text path = {0};
    bool exists;

    spot_path(&path, spot);
    exists = file_exists(text_string(&path));
    text_finish(&path);
    return exists;
}

/* Reads a tensor, whose type has to be the model's. */
static int read_tensor(struct suite *suite, const char *path, const bp_io_info *io, bp_tensor *out)
{
    struct tensor_want any = {0};

    if (tensor_read(path, &any, out, &suite->cli->err) < 0)
        return suite_blame(suite, CLI_USAGE, NULL, suite->cli->words);
    if (out->dtype == BP_DTYPE_U16 && io->dtype == BP_DTYPE_BF16)
        out->dtype = BP_DTYPE_BF16; /* ONNX's test data keeps the bits of bfloat16 like that */
    else if (out->dtype != io->dtype)
        return suite_blame(suite, CLI_USAGE, path, "its type is not the model's");
    return CLI_OK;
}

/* Reads the value at a spot. io: the model's input or output of that index; NULL: there is none. */
static int read_spot(struct suite *suite, const struct spot *spot, const bp_io_info *io,
                     bp_binding *out)
{
    struct bp_text path = {0};
    int code = CLI_OK;

    spot_path(&path, spot);
    if (!io)
        code = suite_blame(suite, CLI_USAGE, text_string(&path), "the model has no such one");
    else if (io->type->kind == BP_KIND_TENSOR)
        code = read_tensor(suite, text_string(&path), io, &out->tensor);
    else if (object_read(text_string(&path), io->type->kind, &out->object, &suite->cli->err) < 0)
        code = suite_blame(suite, CLI_USAGE, NULL, suite->cli->words);
    text_finish(&path);
    return code;
}

/*
 * A file without an input in the model is read into a binding of its own, for its error to be
 * told.
 */
static int read_inputs(struct suite *suite, const struct subject *subject, const char *set,
                       bp_binding *inputs, uint32_t *n)
{
    const struct constants *constants = suite->constants;
    struct spot spot = {set, "input", 0};
    uint32_t i = 0; /* of the model's inputs */
    int code = CLI_OK;

    for (; code == CLI_OK && spot_exists(&spot); spot.index++) {
        bool has_io = i < subject->n_inputs;
        bp_binding *binding;

        if (constants && spot.index < constants->n && constants->is_constant[spot.index])
            continue;
        binding = has_io ? &inputs[(*n)++] : &(bp_binding){0};
        binding->index = i;
        code = read_spot(suite, &spot, has_io ? &subject->inputs[i] : NULL, binding);
        i++;
    }
    return code;
}

/* Is what came as expected? If not, how, into the suite's words. */
static bool is_expected(struct suite *suite, const bp_binding *got, const bp_binding *want)
{
    struct comparison result;

    if (want->object)
        return object_compare(got->object, want->object, suite->args->tolerance, &suite->why);
    compare_tensors(&got->tensor, &want->tensor, suite->args->tolerance, &result);
    if (!compare_is_same(&result))
        compare_words(&suite->why, &got->tensor, &want->tensor, &result);
    return compare_is_same(&result);
}

/* The words are put together first and cut off again where the output is as expected. */
static int compare_output(struct suite *suite, const struct spot *spot, const bp_io_info *io,
                          const bp_binding *got)
{
    bp_binding want = {0};
    int code = read_spot(suite, spot, io, &want);
    size_t before = suite->why.len;

    if (code == CLI_OK) {
        text_printf(&suite->why, "%s: output %u, ", strrchr(spot->set, '/') + 1, spot->index);
        text_clean(&suite->why, io->name);
        text_put(&suite->why, ": ");
        if (is_expected(suite, got, &want))
            text_cut(&suite->why, before);
        else
            code = CLI_DIFFERS;
    }
    bp_tensor_free(&want.tensor);
    bp_object_release(want.object);
    return code;
}

/* A set without any expected output is an error: it would pass whatever the run gives. */
static int compare_outputs(struct suite *suite, const struct subject *subject, const char *set,
                           const struct results *results)
{
    struct spot spot = {set, "output", 0};
    int code = CLI_OK;

    for (; code == CLI_OK && spot_exists(&spot); spot.index++) {
        if (spot.index >= subject->n_outputs)
            return suite_blame(suite, CLI_USAGE, set, "has more outputs than the model");
        code = compare_output(suite, &spot, &subject->outputs[spot.index],
                              &results->bindings[spot.index]);
    }
    if (code == CLI_OK && spot.index == 0)
        code = suite_blame(suite, CLI_USAGE, set,
                           "has no output_0.pb, so there is nothing to compare");
    return code;
}

/* What fails is told by suite->why, not printed: the parent prints it. */
static int run_set(struct suite *suite, const struct subject *subject, const char *set)
{
    bp_binding *inputs = xalloc(subject->n_inputs, sizeof *inputs);
    struct results results = {0};
    uint32_t n = 0;
    int code = read_inputs(suite, subject, set, inputs, &n);

    if (code == CLI_OK) {
        code = subject->run(suite, subject->self, inputs, n, &results);
        if (code != CLI_OK)
            suite_blame(suite, code, NULL, suite->cli->words);
    }
    if (code == CLI_OK)
        code = compare_outputs(suite, subject, set, &results);
    results_finish(&results);
    for (uint32_t i = 0; i < n; i++) {
        bp_tensor_free(&inputs[i].tensor);
        bp_object_release(inputs[i].object);
    }
    free(inputs);
    return code;
}

static int is_set(const struct dirent *entry)
{
    return strncmp(entry->d_name, "test_data_set_", strlen("test_data_set_")) == 0;
}

int suite_list_sets(const char *dir, struct dirent ***out)
{
    int n = scandir(dir, out, is_set, alphasort);

    return n > 0 ? n : 0;
}

/* The sets run in the order of their names, on one session; the first failure ends them. */
int suite_run_sets(struct suite *suite, const struct subject *subject, const char *dir)
{
    struct dirent **entries = NULL;
    struct bp_text path = {0};
    int n = suite_list_sets(dir, &entries), code = CLI_OK;

    suite->n_sets = (size_t)n;
    if (n == 0)
        return suite_blame(suite, CLI_USAGE, dir, "there is no test_data_set_* in it");
    for (int i = 0; i < n; i++) {
        if (code == CLI_OK && (!suite->set || strcmp(suite->set, entries[i]->d_name) == 0)) {
            text_clear(&path);
            text_printf(&path, "%s/%s", dir, entries[i]->d_name);
            code = run_set(suite, subject, text_string(&path));
        }
        free(entries[i]);
    }
    free(entries);
    text_finish(&path);
    return code;
}
