/* SPDX-License-Identifier: MIT */
/*
 * operator_fuzz_files.c - ONNX's own test models (a folder each: model.onnx, test_data_set_0/input_0.pb
 * ...) with some bytes of the model and some numbers and sizes of the inputs changed.
 */
#include "config.h"

#include <ftw.h>
#include <stdio.h>

#include "base/bytes.h"
#include "end_to_end/operator_fuzz_check.h"

enum { LARGEST = 100000 }; /* bytes of a file; larger models are about weights */

static struct {
    uint64_t seed;
    uint32_t count, n_run;
} folder;

struct input {
    bp_tensor tensor; /* without a base: not changed; else in storage of just its size */
    bp_object *object;
    int64_t dims[32];
};

/* ---- changes --------------------------------------------------------------------------------- */

/* Most numbers that matter in a small model take a byte. */
static void change_bytes(uint8_t *bytes, size_t n, uint64_t *state)
{
    static const uint8_t values[] = {0, 1, 2, 3, 4, 7, 8, 0x0a, 0x10, 0x7f, 0x80, 0xff};

    for (uint32_t k = random_below(state, 4); k > 0 && n > 0; k--) {
        uint8_t *p = &bytes[random_next(state) % n];

        switch (random_below(state, 3)) {
        case 0:
            *p = values[random_below(state, sizeof values)];
            break;
        case 1:
            *p = (uint8_t)(*p + 1 - 2 * random_below(state, 2));
            break;
        default:
            *p ^= (uint8_t)(1u << random_below(state, 8));
            break;
        }
    }
}

static void change_sizes(struct input *input, uint64_t *state)
{
    static const int64_t sizes[] = {0, 1, 2, 3, 5, 8, 17};
    uint32_t d;

    if (input->tensor.rank == 0)
        return;
    d = random_below(state, input->tensor.rank);
    if (random_below(state, 2))
        input->dims[d] = sizes[random_below(state, sizeof sizes / sizeof sizes[0])];
    else if (random_below(state, 2) && input->tensor.rank > 1)
        input->tensor.rank--;
    else
        input->dims[d] += input->dims[d] < 100;
}

static void change_values(bp_tensor *tensor, size_t bytes, uint64_t *state)
{
    static const uint8_t odd[] = {0x00, 0xff, 0x7f, 0x80, 0x01};
    size_t width = bp_dtype_width(tensor->dtype) < 8 ? 1 : bp_dtype_width(tensor->dtype) / 8;

    for (uint32_t k = random_below(state, 4); k > 0 && bytes > 0; k--) {
        uint8_t *p = (uint8_t *)tensor->base + random_next(state) % (bytes / width) * width;

        if (tensor->dtype == BP_DTYPE_BOOL)
            *p ^= 1;
        else if (random_below(state, 2))
            memset(p, odd[random_below(state, sizeof odd)], width);
        else
            p[random_below(state, (uint32_t)width)] ^= (uint8_t)random_next(state);
    }
}

/* A changed copy of a tensor, in storage of just its size. */
static void change_tensor(struct input *input, const bp_tensor *from, uint64_t *state)
{
    size_t bytes = 0, had = 0;

    input->tensor = *from;
    input->tensor.dims = input->dims;
    memcpy(input->dims, from->dims, from->rank * sizeof *from->dims);
    if (random_below(state, 4) == 0)
        change_sizes(input, state);
    ck_assert(bp_dense_bytes(from->dtype, from->dims, from->rank, &had));
    ck_assert(bp_dense_bytes(from->dtype, input->dims, input->tensor.rank, &bytes));
    input->tensor.base = calloc(1, bytes ? bytes : 1);
    memcpy(input->tensor.base, from->base, bytes < had ? bytes : had);
    input->tensor.bytes = bytes;
    if (from->dtype != BP_DTYPE_STRING)
        change_values(&input->tensor, bytes, state);
}

/* ---- one model ------------------------------------------------------------------------------- */

static bp_object *read_input(const char *dir, uint32_t i, uint32_t kind)
{
    char path[1200];
    struct bp_bytes file = {0};
    bp_object *object = NULL;

    snprintf(path, sizeof path, "%s/test_data_set_0/input_%u.pb", dir, i);
    if (bp_bytes_map(path, false, &file, NULL) < 0)
        return NULL;
    if (bp_object_decode(file.data, file.size, kind, &object, NULL) < 0)
        object = NULL;
    bp_bytes_unmap(&file);
    return object;
}

static uint32_t make_feeds(const char *dir, bp_session *session, struct input *inputs,
                           bp_binding *in, uint64_t *state)
{
    uint32_t n = bp_session_input_count(session);

    n = n < FUZZ_VALUES ? n : FUZZ_VALUES;
    for (uint32_t i = 0; i < n; i++) {
        bp_io_info info = {.struct_size = sizeof info};
        const bp_tensor *tensor;

        inputs[i] = (struct input){0};
        KIT_OK(bp_session_input(session, i, &info, &kit.err));
        inputs[i].object = read_input(dir, i, info.type->kind);
        tensor = bp_object_tensor(inputs[i].object);
        if (tensor)
            change_tensor(&inputs[i], tensor, state);
        in[i] = (bp_binding){.index = i};
        if (tensor)
            in[i].tensor = inputs[i].tensor;
        else
            in[i].object = inputs[i].object;
        if (!inputs[i].object)
            n = i; /* the rest is not fed */
    }
    return n;
}

static bool has_random(const bp_session *session)
{
    const bp_report *report = bp_session_report(session);
    bp_report_node node = {.struct_size = sizeof node};

    for (uint32_t i = 0; i < bp_report_node_count(report); i++) {
        if (bp_report_get_node(report, i, &node, NULL) >= 0 &&
            (strncmp(node.op, "Random", 6) == 0 || strcmp(node.op, "Bernoulli") == 0 ||
             strcmp(node.op, "Multinomial") == 0 || strcmp(node.op, "Dropout") == 0))
            return true;
    }
    return false;
}

static void try_feeds(const char *dir, bp_session *session, uint64_t *state)
{
    struct fuzz_outcome first, again;
    struct input inputs[FUZZ_VALUES];
    bp_binding in[FUZZ_VALUES];
    uint32_t n = make_feeds(dir, session, inputs, in, state);

    fuzz_run(session, in, n, 2000000000, true, &first);
    fuzz_run(session, in, n, 2000000000, true, &again);
    folder.n_run += first.rc == BP_OK;
    if (!has_random(session))
        fuzz_compare(&first, &again, "the same run again");
    for (uint32_t i = 0; i < n; i++) {
        free(inputs[i].tensor.base);
        bp_object_release(inputs[i].object);
    }
}

static void try_file(const char *dir, const struct bp_bytes *file, uint64_t seed)
{
    uint8_t *bytes = malloc(file->size);
    uint64_t state = seed;
    bp_model *model = NULL;
    bp_session *session = NULL;
    bp_rc rc;

    memcpy(bytes, file->data, file->size);
    change_bytes(bytes, file->size, &state);
    kit.text[0] = '\0';
    rc = bp_model_open_memory(kit.env, bytes, file->size, NULL, &model, &kit.err);
    if (rc >= 0)
        rc = bp_session_create_from_model(kit.env, model, NULL, &session, &kit.err);
    if (rc < 0)
        fuzz_check_refusal(rc, false, "session");
    for (int i = 0; rc >= 0 && i < 2; i++)
        try_feeds(dir, session, &state);
    bp_session_destroy(session);
    bp_model_close(model);
    free(bytes);
}

/* ---- all models ------------------------------------------------------------------------------ */

static int visit(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    uint64_t one = getenv("BP_FUZZ_ONE") ? strtoull(getenv("BP_FUZZ_ONE"), NULL, 0) : 0;
    const char *only = getenv("BP_FUZZ_OP");
    char dir[1000], words[1200];
    struct bp_bytes file = {0};

    if (kind != FTW_F || strcmp(path + place->base, "model.onnx") != 0 || st->st_size > LARGEST ||
        place->base < 2 || (only && !strstr(path, only)))
        return 0;
    snprintf(dir, sizeof dir, "%.*s", place->base - 1, path);
    KIT_OK(bp_bytes_map(path, false, &file, &kit.err));
    for (uint32_t i = 0; i < folder.count; i++) {
        uint64_t state = folder.seed * 1000003 + i;
        uint64_t seed = one ? one : random_next(&state) >> 16;

        snprintf(words, sizeof words, "%s seed %#llx", dir, (unsigned long long)seed);
        fuzz_begin(words);
        try_file(dir, &file, seed);
        fuzz_end();
    }
    bp_bytes_unmap(&file);
    return 0;
}

uint32_t fuzz_files(const char *path, uint64_t seed, uint32_t count)
{
    folder.seed = seed;
    folder.count = count;
    folder.n_run = 0;
    ck_assert_msg(nftw(path, visit, 16, FTW_PHYS) == 0, "BP_FUZZ_MODELS: no folder %s", path);
    return folder.n_run;
}
