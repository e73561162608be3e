/* SPDX-License-Identifier: MIT */
/*
 * frozen.c - a model whose initializers are inputs as well, against itself with these inputs taken
 * out: two sessions in one process that run alternately, and the median of the ratios of neighbouring
 * runs, which other processes hardly move.
 *
 *     frozen MODEL [PAIRS [PERCENT]]
 *
 * fails when the model as it is takes more than PERCENT (3) longer, or its results are others.
 * Without arguments it does a small model of its own, and says nothing of time but what it found.
 */

#include "config.h"

#include <stdbool.h>

#include <backplane.h>

#include "perf.h"
#include "support/proto_writer.h"

enum { MOST_OUT = 16, MOST_RANK = 16, WARM_RUNS = 5, FEW_PAIRS = 20, PAIRS = 400 };

/* ---- messages -------------------------------------------------------------------------------- */

struct field {
    uint32_t number, wire;
    const uint8_t *start, *body; /* of its tag, of what it holds */
    size_t size;                 /* of the body */
    uint64_t value;              /* of a varint */
};

static bool read_varint(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        uint64_t byte = *(*at)++;

        *out |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* The field at *at, which moves behind it; false: the end, or nonsense. */
static bool next_field(const uint8_t **at, const uint8_t *end, struct field *out)
{
    uint64_t tag, n = 0;

    *out = (struct field){.start = *at};
    if (!read_varint(at, end, &tag))
        return false;
    out->number = (uint32_t)(tag >> 3);
    out->wire = (uint32_t)(tag & 7);
    out->body = *at;
    if (out->wire == 0 && !read_varint(at, end, &out->value))
        return false;
    if (out->wire == 2 && !read_varint(at, end, &n))
        return false;
    if (out->wire == 1 || out->wire == 5)
        n = out->wire == 1 ? 8 : 4;
    if (n > (uint64_t)(end - *at))
        return false;
    if (out->wire == 2)
        out->body = *at;
    out->size = (size_t)n;
    *at += n;
    return true;
}

/* Field `number` of a message, its first; false: there is none. */
static bool find_field(const struct field *in, uint32_t number, struct field *out)
{
    const uint8_t *at = in->body;

    while (next_field(&at, in->body + in->size, out)) {
        if (out->number == number)
            return true;
    }
    return false;
}

static bool is_initializer(const struct field *graph, const struct field *name)
{
    const uint8_t *at = graph->body;
    struct field field, of;

    while (next_field(&at, graph->body + graph->size, &field)) {
        if (field.number == 5 && find_field(&field, 8, &of) && of.size == name->size &&
            memcmp(of.body, name->body, of.size) == 0)
            return true;
    }
    return false;
}

/* The graph without inputs that are initializers; gives their number. */
static int freeze_graph(const struct field *graph, struct pw *out)
{
    const uint8_t *at = graph->body;
    struct field field, name;
    int n = 0;

    pw_open(out, 7);
    while (next_field(&at, graph->body + graph->size, &field)) {
        if (field.number == 11 && find_field(&field, 1, &name) && is_initializer(graph, &name))
            n++;
        else
            pw_raw(out, field.start, (size_t)(at - field.start));
    }
    pw_close(out);
    return n;
}

/* As of IR version 4 initializers need not be inputs. */
static int freeze(const struct pw *model, struct pw *out)
{
    const uint8_t *at = model->data, *end = model->data + model->size;
    struct field field;
    int n = 0;

    while (next_field(&at, end, &field)) {
        if (field.number == 1 && field.wire == 0 && field.value < 4)
            pw_int(out, 1, 4);
        else if (field.number == 7)
            n += freeze_graph(&field, out);
        else
            pw_raw(out, field.start, (size_t)(at - field.start));
    }
    return n;
}

/* ---- models ---------------------------------------------------------------------------------- */

static bool read_file(const char *path, struct pw *out)
{
    FILE *file = fopen(path, "rbe");
    char bytes[65536];
    size_t n;

    while (file && (n = fread(bytes, 1, sizeof bytes, file)) > 0)
        pw_raw(out, bytes, n);
    if (file)
        fclose(file);
    return out->size > 0;
}

/* A Conv, normalized and rectified, with all its weights among the inputs. */
static void write_small(struct pw *w)
{
    static const char *const rows[] = {"scale", "offset", "mean", "spread"};
    float values[8 * 8 * 9];

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        values[i] = (float)(i % 7 + 1) / 8;
    pw_open_model(w);
    pw_node(w, "Conv", "x w", "c");
    pw_node(w, "BatchNormalization", "c scale offset mean spread", "n");
    pw_node(w, "Relu", "n", "y");
    pw_raw_tensor(w, 5, "w", BP_DTYPE_F32, PW_DIMS(8, 8, 3, 3), values, sizeof values);
    pw_value(w, 11, "x", BP_DTYPE_F32, PW_DIMS(1, 8, 32, 32));
    pw_value(w, 11, "w", BP_DTYPE_F32, PW_DIMS(8, 8, 3, 3));
    for (int i = 0; i < 4; i++) {
        pw_raw_tensor(w, 5, rows[i], BP_DTYPE_F32, PW_DIMS(8), values, 8 * sizeof(float));
        pw_value(w, 11, rows[i], BP_DTYPE_F32, PW_DIMS(8));
    }
    pw_value(w, 12, "y", BP_DTYPE_F32, PW_DIMS(1, 8, 30, 30));
    pw_close(w);
}

/* ---- sessions -------------------------------------------------------------------------------- */

struct side {
    bp_model *model;
    bp_session *session;
    bp_binding in, out[MOST_OUT];
    uint32_t n_out;
    int64_t dims[MOST_OUT][MOST_RANK];
};

/* The one input that has to be fed: sizes that are not known are 1. */
static bp_rc make_input(struct side *side, const float **shared, bp_err *err)
{
    static int64_t dims[MOST_RANK];
    bp_io_info info = {.struct_size = sizeof info};
    bp_rc rc = bp_session_input(side->session, 0, &info, err);
    size_t n = 1;
    float *values;

    if (rc < 0 || info.dtype != BP_DTYPE_F32 || info.rank > MOST_RANK)
        return rc < 0 ? rc : BP_E_UNSUPPORTED;
    for (uint32_t d = 0; d < info.rank; d++) {
        dims[d] = info.dims[d].value > 0 ? info.dims[d].value : 1;
        n *= (size_t)dims[d];
    }
    if (!*shared) {
        values = malloc(n * sizeof *values);
        if (!values)
            return BP_E_NOMEM;
        for (size_t i = 0; i < n; i++)
            values[i] = (float)(i * 2654435761U % 1000) / 1000;
        *shared = values;
    }
    side->in.tensor = (bp_tensor){.base = (void *)(uintptr_t)*shared,
                                  .bytes = n * sizeof(float),
                                  .dims = dims,
                                  .rank = info.rank,
                                  .dtype = BP_DTYPE_F32};
    return BP_OK;
}

static bp_rc open_side(bp_env *env, const bp_session_options *options, const struct pw *model,
                       const float **shared, struct side *side, bp_err *err)
{
    bp_rc rc = bp_model_open_memory(env, model->data, model->size, NULL, &side->model, err);

    if (rc >= 0)
        rc = bp_session_create_from_model(env, side->model, options, &side->session, err);
    if (rc >= 0)
        rc = make_input(side, shared, err);
    side->n_out = rc >= 0 ? bp_session_output_count(side->session) : 0;
    if (side->n_out > MOST_OUT)
        return BP_E_UNSUPPORTED;
    for (uint32_t i = 0; i < side->n_out; i++)
        side->out[i].index = i;
    if (rc >= 0) /* the first run allocates for the others */
        rc = bp_session_run(side->session, &side->in, 1, side->out, side->n_out, NULL, err);
    return rc;
}

static void close_side(struct side *side)
{
    for (uint32_t i = 0; i < side->n_out; i++)
        bp_tensor_free(&side->out[i].tensor);
    bp_session_destroy(side->session);
    bp_model_close(side->model);
}

static bp_rc timed(struct side *side, double *ms, bp_err *err)
{
    double start = now_ms();
    bp_rc rc = bp_session_run(side->session, &side->in, 1, side->out, side->n_out, NULL, err);

    *ms = now_ms() - start;
    return rc;
}

static bool same_results(const struct side *a, const struct side *b)
{
    bool same = a->n_out == b->n_out;

    for (uint32_t i = 0; same && i < a->n_out; i++)
        same = a->out[i].tensor.bytes == b->out[i].tensor.bytes &&
               memcmp(a->out[i].tensor.base, b->out[i].tensor.base, a->out[i].tensor.bytes) == 0;
    return same;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *numbers, size_t n)
{
    qsort(numbers, n, sizeof *numbers, by_size);
    return n % 2 ? numbers[n / 2] : (numbers[n / 2 - 1] + numbers[n / 2]) / 2;
}

/* Alternately, each first in every second pair. */
static bp_rc compare(struct side sides[2], size_t n, double *ratio, double medians[2], bp_err *err)
{
    double *ms[3] = {malloc(n * sizeof(double)), malloc(n * sizeof(double)),
                     malloc(n * sizeof(double))};
    bp_rc rc = ms[0] && ms[1] && ms[2] ? BP_OK : BP_E_NOMEM;
    double warm;

    for (int i = 0; rc >= 0 && i < 2 * WARM_RUNS; i++)
        rc = timed(&sides[i % 2], &warm, err);
    for (size_t i = 0; rc >= 0 && i < n; i++) {
        rc = timed(&sides[i % 2], &ms[i % 2][i], err);
        if (rc >= 0)
            rc = timed(&sides[1 - i % 2], &ms[1 - i % 2][i], err);
        if (rc >= 0)
            ms[2][i] = ms[0][i] / ms[1][i];
    }
    if (rc >= 0) {
        *ratio = median(ms[2], n);
        medians[0] = median(ms[0], n);
        medians[1] = median(ms[1], n);
    }
    for (int i = 0; i < 3; i++)
        free(ms[i]);
    return rc;
}

static bp_rc check_ratio(bp_env *env, const struct pw model[2], int n_inputs, size_t n_pairs,
                         double percent, bool *is_good, bp_err *err)
{
    struct side sides[2] = {{.n_out = 0}, {.n_out = 0}};
    const float *shared = NULL;
    bp_session_options *options = NULL;
    double ratio, medians[2];
    bp_rc rc = bp_session_options_create(&options, err);

    if (rc >= 0)
        bp_session_options_set_threads(options, 1);
    for (int i = 0; rc >= 0 && i < 2; i++)
        rc = open_side(env, options, &model[i], &shared, &sides[i], err);
    if (rc >= 0)
        rc = compare(sides, n_pairs, &ratio, medians, err);
    if (rc >= 0) {
        bool same = same_results(&sides[0], &sides[1]);

        printf("frozen: %d inputs that are initializers: %.3f ms a run, without them %.3f ms; "
               "median of %zu ratios %.4f; results are %s\n",
               n_inputs, medians[0], medians[1], n_pairs, ratio, same ? "the same" : "others");
        *is_good = same && n_inputs > 0 && (percent <= 0 || ratio <= 1 + percent / 100);
    }
    close_side(&sides[0]);
    close_side(&sides[1]);
    bp_session_options_destroy(options);
    free((void *)(uintptr_t)shared);
    return rc;
}

int main(int argc, char **argv)
{
    struct pw model[2] = {{.data = NULL}, {.data = NULL}};
    size_t n_pairs = argc > 2 ? strtoul(argv[2], NULL, 10) : argc > 1 ? PAIRS : FEW_PAIRS;
    double percent = argc > 3 ? strtod(argv[3], NULL) : argc > 1 ? 3 : 0;
    char text[512] = "";
    bp_err err = bp_err_init(text, sizeof text);
    bp_env *env = NULL;
    bool is_good = false;
    bp_rc rc;
    int n;

    if (argc < 2)
        write_small(&model[0]);
    else if (!read_file(argv[1], &model[0])) {
        fprintf(stderr, "frozen: %s cannot be read\n", argv[1]);
        return 1;
    }
    n = freeze(&model[0], &model[1]);
    rc = bp_env_create(NULL, &env, &err);
    if (rc >= 0)
        rc = check_ratio(env, model, n, n_pairs ? n_pairs : 1, percent, &is_good, &err);
    if (env && bp_env_destroy(env, &err) < 0)
        rc = BP_E_INTERNAL;
    if (rc < 0)
        fprintf(stderr, "frozen: %s: %s\n", bp_rc_name(rc), text);
    pw_free(&model[0]);
    pw_free(&model[1]);
    return rc >= 0 && is_good ? 0 : 1;
}
