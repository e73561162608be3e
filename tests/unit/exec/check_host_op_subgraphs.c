/* SPDX-License-Identifier: MIT */
/*
 * check_host_op_subgraphs.c - values of all kinds on their way through subgraphs: Scan of version 8,
 * strings, sequences and optionals that loops carry and branches give, and subgraphs within subgraphs.
 */

#include "config.h"

#include <check.h>
#include <string.h>

#include "support/session_kit.h"

static bp_object *object_of(uint32_t dtype, const void *data, uint32_t rank, int64_t *dims)
{
    bp_binding one = kit_tensor(0, dtype, data, rank, dims);
    bp_object *object;

    KIT_OK(bp_object_from_tensor(&one.tensor, &object, &kit.err));
    return object;
}

/* A sequence of n tensors of one element. */
static bp_object *sequence_of(uint32_t n, const float *values)
{
    bp_object *items[8] = {NULL}, *sequence;

    for (uint32_t i = 0; i < n; i++)
        items[i] = object_of(BP_DTYPE_F32, &values[i], 1, (int64_t[]){1});
    KIT_OK(bp_object_sequence(items, n, &sequence, &kit.err));
    for (uint32_t i = 0; i < n; i++)
        bp_object_release(items[i]);
    return sequence;
}

static void check_sequence(const bp_object *sequence, uint32_t n, const float *values)
{
    ck_assert_ptr_nonnull(sequence);
    ck_assert_uint_eq(bp_object_kind(sequence), BP_KIND_SEQUENCE);
    ck_assert_uint_eq(bp_object_count(sequence), n);
    for (uint32_t i = 0; i < n; i++)
        kit_check_floats(bp_object_tensor(bp_object_item(sequence, i)), 1, &values[i]);
}

/* Words with blanks between. */
static void check_words(const bp_tensor *tensor, const char *words)
{
    const bp_span *got = tensor->base;
    int64_t n = bp_dims_count(tensor->dims, tensor->rank);

    ck_assert_uint_eq(tensor->dtype, BP_DTYPE_STRING);
    for (int64_t i = 0; i < n; i++) {
        size_t size = strcspn(words, " ");

        ck_assert_msg(got[i].size == size && memcmp(got[i].data, words, size) == 0,
                      "string %lld is '%.*s', not '%.*s'", (long long)i, (int)got[i].size,
                      (const char *)got[i].data, (int)size, words);
        words += size + (words[size] == ' ');
    }
    ck_assert_str_eq(words, "");
}

static void loop_inputs(void)
{
    kit_io(KIT_INPUT, "i", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "c", BP_DTYPE_BOOL, "");
}

/* ---- Scan-8 ---------------------------------------------------------------------------------- */

enum { BATCH = 3, LENGTH = 4, WIDTH = 2 };

/* sum += x * by + y, where y is read backwards; the sums are scanned. */
static void scan_model(void)
{
    static const int64_t directions[] = {0, 1};

    kit_start_model_at(8);
    kit_io(KIT_INPUT, "lens", BP_DTYPE_I64, "b");
    kit_io(KIT_INPUT, "zero", BP_DTYPE_F32, "b,2");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "b,t,2");
    kit_io(KIT_INPUT, "y", BP_DTYPE_F32, "b,t,2");
    kit_io(KIT_INPUT, "by", BP_DTYPE_F32, "2");
    kit_open_node("scan", "Scan", "lens zero x y", "total sums");
    kit_int_attr("num_scan_inputs", 2);
    kit_ints_attr("directions", 2, directions);
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "s", BP_DTYPE_F32, "2");
    kit_io(KIT_INPUT, "v", BP_DTYPE_F32, "2");
    kit_io(KIT_INPUT, "w", BP_DTYPE_F32, "2");
    kit_node("mul", "Mul", "v by", "p");
    kit_node("add", "Add", "p w", "q");
    kit_node("sum", "Add", "s q", "t");
    kit_node("same", "Identity", "t", "u");
    kit_io(KIT_OUTPUT, "t", BP_DTYPE_F32, "2");
    kit_io(KIT_OUTPUT, "u", BP_DTYPE_F32, "2");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "total", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "sums", BP_DTYPE_F32, NULL);
}

/* Row `round` of batch b of a backward input is the one that its own sequence has from the end. */
static void check_scan(const int64_t *lens, const float *x, const float *y, const float *by,
                       const bp_binding *out)
{
    const float *total = out[0].tensor.base, *sums = out[1].tensor.base;

    KIT_DIMS(&out[0].tensor, BATCH, WIDTH);
    KIT_DIMS(&out[1].tensor, BATCH, LENGTH, WIDTH);
    for (int64_t at = 0; at < BATCH * WIDTH; at++) {
        int64_t b = at / WIDTH, k = at % WIDTH;
        float sum = (float)at;

        for (int64_t round = 0; round < LENGTH; round++) {
            int64_t row = b * LENGTH + round, back = b * LENGTH + lens[b] - 1 - round;

            if (round < lens[b])
                sum += x[row * WIDTH + k] * by[k] + y[back * WIDTH + k];
            ck_assert(sums[row * WIDTH + k] == (round < lens[b] ? sum : 0));
        }
        ck_assert(total[at] == sum);
    }
}

START_TEST(scan_8_iterates_over_each_sequence_of_a_batch)
{
    static const int64_t lens[] = {4, 2, 0}, wrong[] = {4, 5, 1};
    float x[BATCH * LENGTH * WIDTH], y[BATCH * LENGTH * WIDTH], by[] = {2, -1}, zero[6];
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_I64, lens, BATCH),
                       KIT_TENSOR(1, BP_DTYPE_F32, zero, BATCH, WIDTH),
                       KIT_TENSOR(2, BP_DTYPE_F32, x, BATCH, LENGTH, WIDTH),
                       KIT_TENSOR(3, BP_DTYPE_F32, y, BATCH, LENGTH, WIDTH),
                       KIT_TENSOR(4, BP_DTYPE_F32, by, WIDTH)};
    bp_binding out[2];

    for (int i = 0; i < BATCH * LENGTH * WIDTH; i++) {
        x[i] = (float)(i * i % 23);
        y[i] = (float)(i * 7 % 11);
    }
    for (int i = 0; i < 6; i++)
        zero[i] = (float)i;
    scan_model();
    kit_session();
    for (int run = 0; run < 2; run++) {
        out[0] = kit_wanted(0);
        out[1] = kit_wanted(1);
        kit_run(in, 5, out, 2);
        check_scan(lens, x, y, by, out);
        bp_tensor_free(&out[0].tensor);
        bp_tensor_free(&out[1].tensor);
    }
    in[0] = KIT_TENSOR(0, BP_DTYPE_I64, wrong, BATCH);
    KIT_FAILS(bp_session_run(kit.session, in, 5, out, 2, NULL, &kit.err), BP_E_INVALID, "'scan'",
              "sequence_lens", "5", "batch 1");
}
END_TEST

START_TEST(scan_8_of_an_empty_batch_gives_empty_outputs)
{
    static const float none[1];
    static const int64_t lens[1];
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_I64, lens, 0),
                       KIT_TENSOR(1, BP_DTYPE_F32, none, 0, WIDTH),
                       KIT_TENSOR(2, BP_DTYPE_F32, none, 0, LENGTH, WIDTH),
                       KIT_TENSOR(3, BP_DTYPE_F32, none, 0, LENGTH, WIDTH),
                       KIT_TENSOR(4, BP_DTYPE_F32, none, WIDTH)};
    static const float by[] = {1, 1};
    bp_binding out[2] = {kit_wanted(0), kit_wanted(1)};

    in[4] = KIT_TENSOR(4, BP_DTYPE_F32, by, WIDTH);
    scan_model();
    kit_session();
    kit_run(in, 5, out, 2);
    KIT_DIMS(&out[0].tensor, 0, WIDTH);
    KIT_DIMS(&out[1].tensor, 0, LENGTH, WIDTH);
    bp_tensor_free(&out[0].tensor);
    bp_tensor_free(&out[1].tensor);
}
END_TEST

/* The state becomes the word that is read; what it was is scanned. */
static void scan_words(bool has_batch)
{
    kit_start_model_at(has_batch ? 8 : 16);
    kit_io(KIT_INPUT, "first", BP_DTYPE_STRING, NULL);
    kit_io(KIT_INPUT, "x", BP_DTYPE_STRING, NULL);
    kit_open_node("scan", "Scan", has_batch ? "- first x" : "first x", "last before");
    kit_int_attr("num_scan_inputs", 1);
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "s", BP_DTYPE_STRING, NULL);
    kit_io(KIT_INPUT, "v", BP_DTYPE_STRING, NULL);
    kit_open_node("join", "Concat", "s v", "both");
    kit_int_attr("axis", 0);
    pw_close(&kit.w);
    kit_node("same", "Identity", "v", "t");
    kit_io(KIT_OUTPUT, "t", BP_DTYPE_STRING, NULL);
    kit_io(KIT_OUTPUT, "both", BP_DTYPE_STRING, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "last", BP_DTYPE_STRING, NULL);
    kit_io(KIT_OUTPUT, "before", BP_DTYPE_STRING, NULL);
    kit_session();
}

START_TEST(scan_collects_strings)
{
    static const bp_span first[] = {{"one", 3}, {"seventeen", 9}};
    static const bp_span x[] = {{"a", 1}, {"bb", 2}, {"ccc", 3}, {"dddd", 4}};
    static int64_t first_dims[] = {2, 1}, x_dims[] = {2, 2, 1};
    static int64_t plain_first[] = {1}, plain_x[] = {4, 1};
    bp_binding in[2], out[2];

    for (int run = 0; run < 4; run++) {
        bool has_batch = run < 2;

        if (run % 2 == 0)
            scan_words(has_batch);
        in[0] = kit_tensor(0, BP_DTYPE_STRING, first, 2, first_dims);
        in[1] = kit_tensor(1, BP_DTYPE_STRING, x, 3, x_dims);
        if (!has_batch) {
            in[0] = kit_tensor(0, BP_DTYPE_STRING, first, 1, plain_first);
            in[1] = kit_tensor(1, BP_DTYPE_STRING, x, 2, plain_x);
        }
        out[0] = kit_wanted(0);
        out[1] = kit_wanted(1);
        kit_run(in, 2, out, 2);
        check_words(&out[0].tensor, has_batch ? "bb dddd" : "dddd");
        check_words(&out[1].tensor,
                    has_batch ? "one a a bb seventeen ccc ccc dddd" : "one a a bb bb ccc ccc dddd");
        bp_tensor_free(&out[0].tensor);
        bp_tensor_free(&out[1].tensor);
    }
}
END_TEST

/* ---- Loop ------------------------------------------------------------------------------------ */

/* a, b = b, a + x: strings that are swapped and become more; a is scanned where it is a word. */
START_TEST(loop_carries_strings)
{
    static const int64_t trips = 4;
    static const bp_span a[] = {{"first", 5}}, b[] = {{"second-of-them", 14}}, x[] = {{"x", 1}};
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_STRING, a, 1), KIT_TENSOR(1, BP_DTYPE_STRING, b, 1),
                       KIT_TENSOR(2, BP_DTYPE_STRING, x, 1)};
    bp_binding out[3];

    kit_start_model_at(16);
    kit_io(KIT_INPUT, "a", BP_DTYPE_STRING, "n");
    kit_io(KIT_INPUT, "b", BP_DTYPE_STRING, "m");
    kit_io(KIT_INPUT, "x", BP_DTYPE_STRING, "k");
    kit_ints("trips", PW_SCALAR, 1, &trips);
    kit_ints("zero", PW_DIMS(1), 1, (const int64_t[]){0});
    kit_open_node("loop", "Loop", "trips - a b", "y z heads");
    kit_open_subgraph("body");
    loop_inputs();
    kit_io(KIT_INPUT, "a1", BP_DTYPE_STRING, NULL);
    kit_io(KIT_INPUT, "b1", BP_DTYPE_STRING, NULL);
    kit_open_node("cat", "Concat", "a1 x", "a2");
    kit_int_attr("axis", 0);
    pw_close(&kit.w);
    kit_node("head", "Gather", "b1 zero", "head");
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_OUTPUT, "b1", BP_DTYPE_STRING, NULL);
    kit_io(KIT_OUTPUT, "a2", BP_DTYPE_STRING, NULL);
    kit_io(KIT_OUTPUT, "head", BP_DTYPE_STRING, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_STRING, NULL);
    kit_io(KIT_OUTPUT, "z", BP_DTYPE_STRING, NULL);
    kit_io(KIT_OUTPUT, "heads", BP_DTYPE_STRING, NULL);
    kit_session();
    for (int run = 0; run < 2; run++) {
        for (uint32_t i = 0; i < 3; i++)
            out[i] = kit_wanted(i);
        kit_run(in, 3, out, 3);
        check_words(&out[0].tensor, "first x x");
        check_words(&out[1].tensor, "second-of-them x x");
        check_words(&out[2].tensor, "second-of-them first second-of-them first");
        for (uint32_t i = 0; i < 3; i++)
            bp_tensor_free(&out[i].tensor);
    }
}
END_TEST

/* Each round appends x * round; the lengths are scanned. */
START_TEST(loop_carries_sequences)
{
    static const float given[] = {5}, x[] = {10}, want[] = {5, 0, 10, 20};
    static const int64_t lengths[] = {2, 3, 4};
    int64_t trips = 3;
    bp_binding in[] = {
        {.index = 0}, KIT_TENSOR(1, BP_DTYPE_F32, x, 1), KIT_TENSOR(2, BP_DTYPE_I64, &trips, 1)};
    bp_binding out[2];

    kit_start_model_at(13);
    kit_io_of(KIT_INPUT, "s", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1");
    kit_io(KIT_INPUT, "trips", BP_DTYPE_I64, "1");
    kit_open_node("loop", "Loop", "trips - s", "t lengths");
    kit_open_subgraph("body");
    loop_inputs();
    kit_io_of(KIT_INPUT, "s1", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_open_node("round", "Cast", "i", "f");
    kit_int_attr("to", BP_DTYPE_F32);
    pw_close(&kit.w);
    kit_node("mul", "Mul", "x f", "p");
    kit_node("insert", "SequenceInsert", "s1 p", "s2");
    kit_node("length", "SequenceLength", "s2", "n");
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_BOOL, "");
    kit_io_of(KIT_OUTPUT, "s2", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_io(KIT_OUTPUT, "n", BP_DTYPE_I64, "");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io_of(KIT_OUTPUT, "t", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_io(KIT_OUTPUT, "lengths", BP_DTYPE_I64, NULL);
    kit_session();
    in[0].object = sequence_of(1, given);
    for (trips = 3; trips >= 0; trips -= 3) {
        out[0] = kit_wanted(0);
        out[1] = kit_wanted(1);
        kit_run(in, 3, out, 2);
        check_sequence(out[0].object, (uint32_t)trips + 1, want);
        KIT_DIMS(&out[1].tensor, trips);
        ck_assert(trips == 0 || memcmp(out[1].tensor.base, lengths, sizeof lengths) == 0);
        bp_object_release(out[0].object);
        bp_tensor_free(&out[1].tensor);
    }
    check_sequence(in[0].object, 1, given); /* what was fed is as it was */
    bp_object_release(in[0].object);
}
END_TEST

/* An optional that is empty before the first iteration, and then holds the iteration's index. */
START_TEST(loop_carries_optionals)
{
    static const float x[] = {3};
    int64_t trips = 2;
    bp_binding in[] = {
        KIT_TENSOR(0, BP_DTYPE_F32, x, 1), KIT_TENSOR(1, BP_DTYPE_I64, &trips, 1), {.index = 2}};
    bp_binding out[2];
    bp_object *none;

    kit_start_model_at(18);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1");
    kit_io(KIT_INPUT, "trips", BP_DTYPE_I64, "1");
    kit_io_of(KIT_INPUT, "o", BP_KIND_OPTIONAL, 0, BP_DTYPE_F32);
    kit_open_node("loop", "Loop", "trips - o", "p had");
    kit_open_subgraph("body");
    loop_inputs();
    kit_io_of(KIT_INPUT, "o1", BP_KIND_OPTIONAL, 0, BP_DTYPE_F32);
    kit_node("has", "OptionalHasElement", "o1", "h");
    kit_node("make", "Optional", "x", "o2");
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_BOOL, "");
    kit_io_of(KIT_OUTPUT, "o2", BP_KIND_OPTIONAL, 0, BP_DTYPE_F32);
    kit_io(KIT_OUTPUT, "h", BP_DTYPE_BOOL, "");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io_of(KIT_OUTPUT, "p", BP_KIND_OPTIONAL, 0, BP_DTYPE_F32);
    kit_io(KIT_OUTPUT, "had", BP_DTYPE_BOOL, NULL);
    kit_session();
    KIT_OK(bp_object_optional(NULL, &none, &kit.err));
    in[2].object = none;
    for (trips = 2; trips >= 0; trips -= 2) {
        out[0] = kit_wanted(0);
        out[1] = kit_wanted(1);
        kit_run(in, 3, out, 2);
        ck_assert_uint_eq(bp_object_kind(out[0].object), BP_KIND_OPTIONAL);
        ck_assert_uint_eq(bp_object_count(out[0].object), trips > 0);
        KIT_DIMS(&out[1].tensor, trips);
        if (trips > 0) {
            ck_assert_uint_eq(((uint8_t *)out[1].tensor.base)[0], 0);
            ck_assert_uint_eq(((uint8_t *)out[1].tensor.base)[1], 1);
            KIT_FLOATS(bp_object_tensor(bp_object_item(out[0].object, 0)), 3);
        }
        bp_object_release(out[0].object);
        bp_tensor_free(&out[1].tensor);
    }
    bp_object_release(none);
}
END_TEST

/*
 * Round i of the outer loop runs i + 1 inner rounds, each of which appends to a sequence that both
 * carry: x (of the main graph) + sum (carried by the outer loop) + item k of a captured sequence.
 */
static void nested_model(void)
{
    static const int64_t one = 1;

    kit_start_model_at(16);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1");
    kit_io(KIT_INPUT, "trips", BP_DTYPE_I64, "1");
    kit_io_of(KIT_INPUT, "items", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_ints("one", PW_SCALAR, 1, &one);
    kit_open_node("start", "SequenceEmpty", "", "empty");
    kit_int_attr("dtype", BP_DTYPE_F32);
    pw_close(&kit.w);
    kit_open_node("outer", "Loop", "trips - x empty", "sum all stacked");
    kit_open_subgraph("body");
    loop_inputs();
    kit_io(KIT_INPUT, "s", BP_DTYPE_F32, "1");
    kit_io_of(KIT_INPUT, "q", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_node("rounds", "Add", "i one", "n");
    kit_open_node("inner", "Loop", "n c q", "q3 each");
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "k", BP_DTYPE_I64, "");
    kit_io(KIT_INPUT, "d", BP_DTYPE_BOOL, "");
    kit_io_of(KIT_INPUT, "q1", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_node("at", "SequenceAt", "items k", "item");
    kit_node("add1", "Add", "x item", "a");
    kit_node("add2", "Add", "a s", "b");
    kit_node("insert", "SequenceInsert", "q1 b", "q2");
    kit_io(KIT_OUTPUT, "d", BP_DTYPE_BOOL, "");
    kit_io_of(KIT_OUTPUT, "q2", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_io(KIT_OUTPUT, "b", BP_DTYPE_F32, "1");
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_open_node("reduce", "ReduceMax", "each", "m");
    kit_int_attr("keepdims", 0);
    pw_close(&kit.w);
    kit_node("next", "Add", "s m", "s2");
    kit_node("same", "Identity", "m", "m2");
    kit_io(KIT_OUTPUT, "c", BP_DTYPE_BOOL, "");
    kit_io(KIT_OUTPUT, "s2", BP_DTYPE_F32, "1");
    kit_io_of(KIT_OUTPUT, "q3", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_io(KIT_OUTPUT, "m2", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "sum", BP_DTYPE_F32, NULL);
    kit_io_of(KIT_OUTPUT, "all", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_io(KIT_OUTPUT, "stacked", BP_DTYPE_F32, NULL);
}

START_TEST(nested_loops_read_captured_values_of_every_level)
{
    static const float x[] = {1}, items[] = {10, 30, 20};
    float want[6], sum = 1, stacked[3];
    int64_t trips = 3;
    bp_binding in[] = {
        KIT_TENSOR(0, BP_DTYPE_F32, x, 1), KIT_TENSOR(1, BP_DTYPE_I64, &trips, 1), {.index = 2}};
    bp_binding out[3];
    uint32_t n = 0;

    for (int i = 0; i < 3; i++) {
        stacked[i] = 0;
        for (int k = 0; k <= i; k++, n++) {
            want[n] = x[0] + items[k] + sum;
            stacked[i] = want[n] > stacked[i] ? want[n] : stacked[i];
        }
        sum += stacked[i];
    }
    nested_model();
    kit_session();
    in[2].object = sequence_of(3, items);
    for (int run = 0; run < 3; run++) {
        for (uint32_t i = 0; i < 3; i++)
            out[i] = kit_wanted(i);
        kit_run(in, 3, out, 3);
        KIT_FLOATS(&out[0].tensor, sum);
        check_sequence(out[1].object, n, want);
        kit_check_floats(&out[2].tensor, 3, stacked);
        bp_tensor_free(&out[0].tensor);
        bp_object_release(out[1].object);
        bp_tensor_free(&out[2].tensor);
    }
    trips = 4; /* the last inner round has no item */
    KIT_FAILS(bp_session_run(kit.session, in, 3, out, 3, NULL, &kit.err), BP_E_INVALID, "'at'",
              "position 3");
    bp_object_release(in[2].object);
}
END_TEST

/* ---- If -------------------------------------------------------------------------------------- */

static void branch(const char *attr, bool changes)
{
    kit_open_subgraph(attr);
    if (changes) {
        kit_node("add", "SequenceInsert", "s x", "t1");
        kit_node("some", "Optional", "x", "p1");
        kit_node("neg", "Neg", "x", "y1");
    } else {
        kit_node("add", "Identity", "s", "t1"); /* a value around it, as it is */
        kit_node("some", "Identity", "none", "p1");
        kit_node("neg", "Identity", "x", "y1");
    }
    kit_io_of(KIT_OUTPUT, "t1", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_io_of(KIT_OUTPUT, "p1", BP_KIND_OPTIONAL, 0, BP_DTYPE_F32);
    kit_io(KIT_OUTPUT, "y1", BP_DTYPE_F32, "1");
    kit_close_subgraph();
}

START_TEST(if_branches_give_sequences_and_optionals)
{
    static const float given[] = {4, 5}, x[] = {7}, more[] = {4, 5, 7};
    uint8_t yes = 1;
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_BOOL, &yes, 1),
                       {.index = 1},
                       KIT_TENSOR(2, BP_DTYPE_F32, x, 1),
                       {.index = 3}};
    bp_binding out[4];

    kit_start_model_at(18);
    kit_io(KIT_INPUT, "go", BP_DTYPE_BOOL, NULL);
    kit_io_of(KIT_INPUT, "s", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1");
    kit_io_of(KIT_INPUT, "none", BP_KIND_OPTIONAL, 0, BP_DTYPE_F32);
    kit_open_node("if", "If", "go", "t p y");
    branch("then_branch", true);
    branch("else_branch", false);
    pw_close(&kit.w);
    kit_node("length", "SequenceLength", "t", "n");
    kit_io_of(KIT_OUTPUT, "t", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_io_of(KIT_OUTPUT, "p", BP_KIND_OPTIONAL, 0, BP_DTYPE_F32);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "n", BP_DTYPE_I64, "");
    kit_session();
    in[1].object = sequence_of(2, given);
    KIT_OK(bp_object_optional(NULL, &in[3].object, &kit.err));
    for (int run = 0; run < 4; run++) {
        yes = run % 2 == 0;
        for (uint32_t i = 0; i < 4; i++)
            out[i] = kit_wanted(i);
        kit_run(in, 4, out, 4);
        check_sequence(out[0].object, yes ? 3 : 2, more);
        ck_assert_uint_eq(bp_object_kind(out[1].object), BP_KIND_OPTIONAL);
        ck_assert_uint_eq(bp_object_count(out[1].object), yes);
        KIT_FLOATS(&out[2].tensor, yes ? -7.0f : 7.0f);
        ck_assert_int_eq(*(int64_t *)out[3].tensor.base, yes ? 3 : 2);
        bp_object_release(out[0].object);
        bp_object_release(out[1].object);
        bp_tensor_free(&out[2].tensor);
        bp_tensor_free(&out[3].tensor);
    }
    bp_object_release(in[1].object);
    bp_object_release(in[3].object);
}
END_TEST

/* ---- SequenceMap ----------------------------------------------------------------------------- */

/* For each pair: a * x + b, and their concatenation; x is a tensor, `by` captured. */
static void map_model(void)
{
    kit_start_model_at(17);
    kit_io_of(KIT_INPUT, "a", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "1");
    kit_io_of(KIT_INPUT, "b", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_io(KIT_INPUT, "by", BP_DTYPE_F32, "1");
    kit_open_node("map", "SequenceMap", "a x b", "sums pairs");
    kit_open_subgraph("body");
    kit_io(KIT_INPUT, "a1", BP_DTYPE_F32, NULL);
    kit_io(KIT_INPUT, "x1", BP_DTYPE_F32, NULL);
    kit_io(KIT_INPUT, "b1", BP_DTYPE_F32, NULL);
    kit_node("mul", "Mul", "a1 x1", "p");
    kit_node("add", "Add", "p b1", "q");
    kit_node("times", "Mul", "q by", "r");
    kit_open_node("cat", "Concat", "a1 b1", "both");
    kit_int_attr("axis", 0);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "r", BP_DTYPE_F32, NULL);
    kit_io(KIT_OUTPUT, "both", BP_DTYPE_F32, NULL);
    kit_close_subgraph();
    pw_close(&kit.w);
    kit_io_of(KIT_OUTPUT, "sums", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
    kit_io_of(KIT_OUTPUT, "pairs", BP_KIND_SEQUENCE, 0, BP_DTYPE_F32);
}

START_TEST(sequence_map_takes_items_of_two_sequences)
{
    static const float a[] = {1, 2, 3}, b[] = {30, 20, 10}, x[] = {100}, by[] = {2};
    static const float want[] = {260, 440, 620};
    bp_binding in[] = {{.index = 0},
                       KIT_TENSOR(1, BP_DTYPE_F32, x, 1),
                       {.index = 2},
                       KIT_TENSOR(3, BP_DTYPE_F32, by, 1)};
    bp_binding out[2];
    bp_object *sequences[2];

    map_model();
    kit_session();
    for (uint32_t n = 0; n <= 3; n++) {
        in[0].object = sequences[0] = sequence_of(n, a);
        in[2].object = sequences[1] = sequence_of(n, b);
        out[0] = kit_wanted(0);
        out[1] = kit_wanted(1);
        kit_run(in, 4, out, 2);
        check_sequence(out[0].object, n, want);
        ck_assert_uint_eq(bp_object_count(out[1].object), n);
        if (n > 1)
            KIT_FLOATS(bp_object_tensor(bp_object_item(out[1].object, 1)), 2, 20);
        for (int i = 0; i < 2; i++) {
            bp_object_release(out[i].object);
            bp_object_release(sequences[i]);
        }
    }
    in[0].object = sequence_of(3, a);
    in[2].object = sequence_of(2, b);
    KIT_FAILS(bp_session_run(kit.session, in, 4, out, 2, NULL, &kit.err), BP_E_SHAPE, "'map'",
              "2 items", "input 0 of 3");
    bp_object_release(in[0].object);
    bp_object_release(in[2].object);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("host_op_subgraphs");

    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    tcase_add_test(tcase, scan_8_iterates_over_each_sequence_of_a_batch);
    tcase_add_test(tcase, scan_8_of_an_empty_batch_gives_empty_outputs);
    tcase_add_test(tcase, scan_collects_strings);
    tcase_add_test(tcase, loop_carries_strings);
    tcase_add_test(tcase, loop_carries_sequences);
    tcase_add_test(tcase, loop_carries_optionals);
    tcase_add_test(tcase, nested_loops_read_captured_values_of_every_level);
    tcase_add_test(tcase, if_branches_give_sequences_and_optionals);
    tcase_add_test(tcase, sequence_map_takes_items_of_two_sequences);
    return kit_main("host_op_subgraphs", &tcase, 1);
}
