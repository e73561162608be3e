/* SPDX-License-Identifier: MIT */
/*
 * models.c - writes the models and the adapter that clients open.
 *
 *     models DIRECTORY
 *
 * Those that the Rust binding's tests open are not in its package: these are ours, made from what the
 * tests ask of them.
 *
 * Of digits.onnx: the digits are those of a seven-segment display, 28 x 28 pixels; a class scores
 * the light in its segments less the light outside, less half of what it has.
 */

#include "config.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>

#include "ort/adapter_writer.h"
#include "support/proto_writer.h"

enum { FLOAT = 1, INT32 = 6 };                                          /* TensorProto.DataType */
enum { A_FLOAT = 1, A_INT, A_STRING, A_FLOATS = 6, A_INTS, A_STRINGS }; /* AttributeProto.type */
enum { IN = 11, OUT = 12 }; /* GraphProto.input, .output */

static const char *directory;

/* ---- files ------------------------------------------------------------------------------------- */

static bool write_file(const char *name, const void *bytes, size_t n)
{
    char path[4096];
    FILE *file;
    bool written;

    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
        return false;
    file = fopen(path, "wb");
    if (!file) {
        perror(path);
        return false;
    }
    written = fwrite(bytes, 1, n, file) == n;
    if (fclose(file) != 0 || !written) {
        perror(path);
        return false;
    }
    return true;
}

static struct pw begin(const char *other_domain)
{
    struct pw w = {0};

    if (*other_domain) {
        pw_open(&w, 8);
        pw_text(&w, 1, other_domain);
        pw_int(&w, 2, 1);
        pw_close(&w);
    }
    pw_open_model(&w);
    return w;
}

static bool end(struct pw *w, const char *name)
{
    bool written;

    if (w->depth > 0)
        pw_close(w); /* the graph */
    written = write_file(name, w->data, w->size);
    pw_free(w);
    return written;
}

static void open_custom(struct pw *w, const char *op, const char *in, const char *out)
{
    pw_open_node(w, op, in, out);
    pw_text(w, 7, "test.customop");
}

static void floats(struct pw *w, const char *name, const int64_t *dims, const float *x, size_t n)
{
    pw_raw_tensor(w, 5, name, FLOAT, dims, x, n * sizeof *x);
}

/* ---- models ------------------------------------------------------------------------------------ */

/* A ValueInfoProto of a tensor: its sizes are numbers or names, with blanks between. */
static void typed_value(struct pw *w, uint32_t field, const char *name, int type, const char *sizes)
{
    pw_open(w, field);
    pw_text(w, 1, name);
    pw_open(w, 2);
    pw_open(w, 1);
    pw_int(w, 1, type);
    pw_open(w, 2);
    for (const char *p = sizes; *p;) {
        size_t n = strcspn(p, " ");

        pw_open(w, 1);
        if (isdigit((unsigned char)*p))
            pw_int(w, 1, atoi(p));
        else
            pw_bytes(w, 2, p, n);
        pw_close(w);
        p += n + strspn(p + n, " ");
    }
    for (int i = 0; i < 4; i++)
        pw_close(w);
}

static void value(struct pw *w, uint32_t field, const char *name, const char *sizes)
{
    typed_value(w, field, name, FLOAT, sizes);
}

static bool write_upsample(void)
{
    static const float scales[] = {1, 2, 2, 1};
    struct pw w = begin("");

    pw_node(&w, "Resize", "image - scales", "upsampled");
    floats(&w, "scales", PW_DIMS(4), scales, 4);
    value(&w, IN, "image", "unk__31 unk__32 unk__33 3");
    value(&w, OUT, "upsampled", "unk__34 unk__35 unk__36 3");
    return end(&w, "upsample.onnx");
}

static bool write_custom_op_test(void)
{
    struct pw w = begin("test.customop");

    open_custom(&w, "CustomOpOne", "input_1 input_2", "between");
    pw_close(&w);
    open_custom(&w, "CustomOpTwo", "between", "output");
    pw_close(&w);
    pw_value(&w, IN, "input_1", FLOAT, PW_DIMS(3, 5));
    pw_value(&w, IN, "input_2", FLOAT, PW_DIMS(3, 5));
    pw_value(&w, OUT, "output", INT32, PW_DIMS(3, 5));
    return end(&w, "custom_op_test.onnx");
}

static void add_attributes_of_numbers(struct pw *w)
{
    pw_open_attr(w, "a_int", A_INT);
    pw_int(w, 3, 1);
    pw_close(w);
    pw_open_attr(w, "a_float", A_FLOAT);
    pw_float(w, 2, 2);
    pw_close(w);
    pw_open_attr(w, "ints", A_INTS);
    for (int64_t i = 3; i <= 5; i++)
        pw_int(w, 8, i);
    pw_close(w);
    pw_open_attr(w, "floats", A_FLOATS);
    for (int i = 6; i <= 8; i++)
        pw_float(w, 7, (float)i);
    pw_close(w);
}

static bool write_attr_tester(void)
{
    struct pw w = begin("test.customop");

    open_custom(&w, "AttrTesterIntFloat", "input_0", "between");
    add_attributes_of_numbers(&w);
    pw_close(&w);
    open_custom(&w, "AttrTesterString", "between", "output_0");
    pw_open_attr(&w, "a_string", A_STRING);
    pw_text(&w, 4, "iamastring");
    pw_close(&w);
    pw_open_attr(&w, "strings", A_STRINGS);
    pw_text(&w, 9, "more");
    pw_text(&w, 9, "strings");
    pw_close(&w);
    pw_close(&w);
    pw_value(&w, IN, "input_0", FLOAT, PW_DIMS(5));
    pw_value(&w, OUT, "output_0", FLOAT, PW_DIMS(5));
    return end(&w, "attr_tester.onnx");
}

/* input_0... copied to output_0... by the operator. */
static bool write_copy(const char *op, int n, const char *in, const char *out, const char *file)
{
    struct pw w = begin("test.customop");
    char name[32];

    open_custom(&w, op, in, out);
    pw_close(&w);
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "input_%d", i);
        pw_value(&w, IN, name, FLOAT, PW_DIMS(15));
        snprintf(name, sizeof name, "output_%d", i);
        pw_value(&w, OUT, name, FLOAT, PW_DIMS(15));
    }
    return end(&w, file);
}

/* y = op(x), of three floats, by an operator of the C++ program. */
static bool write_own(const char *op, const char *file)
{
    struct pw w = begin("own");

    pw_open_node(&w, op, "x", "y");
    pw_text(&w, 3, "node");
    pw_text(&w, 7, "own");
    if (strcmp(op, "Scale") == 0) {
        pw_open_attr(&w, "factor", A_FLOAT);
        pw_float(&w, 2, -2);
        pw_close(&w);
    }
    pw_close(&w);
    pw_value(&w, IN, "x", FLOAT, PW_DIMS(3));
    pw_value(&w, OUT, "y", FLOAT, PW_DIMS(3));
    return end(&w, file);
}

/* output = input x W + (input x lora_a) x lora_b, of rank 0 unless an adapter feeds the last two. */
static bool write_lora_model(void)
{
    struct pw w = begin("");
    float weights[16];

    for (int i = 0; i < 16; i++)
        weights[i] = (float)(i + 1);
    pw_node(&w, "MatMul", "input W", "base");
    pw_node(&w, "MatMul", "input lora_a", "down");
    pw_node(&w, "MatMul", "down lora_b", "up");
    pw_node(&w, "Add", "base up", "output");
    floats(&w, "W", PW_DIMS(4, 4), weights, 16);
    floats(&w, "lora_a", PW_DIMS(4, 0), weights, 0);
    floats(&w, "lora_b", PW_DIMS(0, 4), weights, 0);
    pw_value(&w, IN, "input", FLOAT, PW_DIMS(4, 4));
    value(&w, IN, "lora_a", "4 rank");
    value(&w, IN, "lora_b", "rank 4");
    pw_value(&w, OUT, "output", FLOAT, PW_DIMS(4, 4));
    return end(&w, "lora_model.onnx");
}

/* Of rank 1. Ones x W are 28, 32, 36, 40, and with 18 x lora_b 154, 176, 198, 220. */
static bool write_adapter(void)
{
    static const float a[] = {4.5f, 4.5f, 4.5f, 4.5f}, b[] = {7, 8, 9, 10};
    static const int64_t column[] = {4, 1}, row[] = {1, 4};
    static const struct parameter parameters[] = {
        {"lora_a", column, 2, FLOAT, a, sizeof a},
        {"lora_b", row, 2, FLOAT, b, sizeof b},
    };
    struct buffer file = adapter_file(parameters, 2, 1);

    return write_file("adapter.orl", file.data, file.n);
}

/* NAME of this element type as it came, as NAME_out. */
static void identity(struct pw *w, const char *name, int type)
{
    char out[32];

    snprintf(out, sizeof out, "%s_out", name);
    pw_node(w, "Identity", name, out);
    typed_value(w, IN, name, type, "n");
    typed_value(w, OUT, out, type, "n");
}

/* The element types that all bindings know, those that Java's does not, and one that few do. */
static bool write_types(const char *file, uint32_t set)
{
    static const char *const names[] = {
        [1] = "float32",  [2] = "uint8",   [3] = "int8",    [4] = "uint16",    [5] = "int16",
        [6] = "int32",    [7] = "int64",   [8] = "string",  [9] = "bool",      [10] = "float16",
        [11] = "float64", [12] = "uint32", [13] = "uint64", [16] = "bfloat16",
    };
    struct pw w = begin("");

    for (int type = 1; type <= 16; type++)
        if (set >> type & 1)
            identity(&w, names[type], type);
    return end(&w, file);
}

/* A ValueInfoProto of a sequence: of float tensors, or of maps from `key` to floats. */
static void sequence(struct pw *w, const char *name, int key)
{
    pw_open(w, OUT);
    pw_text(w, 1, name);
    pw_open(w, 2);
    pw_open(w, 4); /* sequence_type */
    pw_open(w, 1); /* elem_type */
    if (key) {
        pw_open(w, 5); /* map_type */
        pw_int(w, 1, key);
        pw_open(w, 2); /* value_type */
    }
    pw_open(w, 1); /* tensor_type */
    pw_int(w, 1, FLOAT);
    for (int i = key ? 7 : 5; i > 0; i--)
        pw_close(w);
}

static void zip_map(struct pw *w, const char *out, bool of_strings)
{
    pw_open_node(w, "ZipMap", "scores", out);
    pw_text(w, 7, "ai.onnx.ml");
    pw_open_attr(w, of_strings ? "classlabels_strings" : "classlabels_int64s",
                 of_strings ? A_STRINGS : A_INTS);
    for (int i = 0; i < 3; i++) {
        if (of_strings)
            pw_text(w, 9, i == 0 ? "cat" : i == 1 ? "dog" : "eel");
        else
            pw_int(w, 8, 10 * i);
    }
    pw_close(w);
    pw_close(w);
}

/* Rows of three scores: in a sequence of tensors, and as maps with keys of both types. */
static bool write_containers(void)
{
    struct pw w = begin("ai.onnx.ml");

    pw_node(&w, "SequenceConstruct", "scores scores", "tensors");
    zip_map(&w, "numbered", false);
    zip_map(&w, "named", true);
    value(&w, IN, "scores", "n 3");
    sequence(&w, "tensors", 0);
    sequence(&w, "numbered", 7);
    sequence(&w, "named", 8);
    return end(&w, "containers.onnx");
}

/* ---- digits ------------------------------------------------------------------------------------ */

enum { SIDE = 28, PIXELS = SIDE * SIDE, DIGITS = 10 };

/* Segments a to g: left, top, right, bottom. mnist_5.jpg is a 5 of these. */
static const int segments[7][4] = {
    {8, 3, 20, 6},   {17, 3, 20, 14}, {17, 14, 20, 25}, {8, 22, 20, 25},
    {8, 14, 11, 25}, {8, 3, 11, 14},  {8, 12, 20, 15},
};

/* Which segments a digit has: a is bit 0. */
static const unsigned shapes[DIGITS] = {0x3f, 0x06, 0x5b, 0x4f, 0x66, 0x6d, 0x7d, 0x07, 0x7f, 0x6f};

static bool is_lit(unsigned shape, int x, int y)
{
    for (int s = 0; s < 7; s++) {
        const int *at = segments[s];

        if ((shape >> s & 1) && x >= at[0] && y >= at[1] && x < at[2] && y < at[3])
            return true;
    }
    return false;
}

static void describe(struct pw *w)
{
    pw_text(w, 2, "tests"); /* ModelProto.producer_name */
    pw_text(w, 4, "org.example");
    pw_int(w, 5, 7); /* model_version */
    pw_text(w, 6, "Reads digits.");
}

static void property(struct pw *w, const char *key, const char *text)
{
    pw_open(w, 14); /* ModelProto.metadata_props */
    pw_text(w, 1, key);
    pw_text(w, 2, text);
    pw_close(w);
}

static bool write_digits(const char *name)
{
    struct pw w = begin("");
    float weights[PIXELS][DIGITS], bias[DIGITS] = {0};

    for (int p = 0; p < PIXELS; p++)
        for (int digit = 0; digit < DIGITS; digit++) {
            bool lit = is_lit(shapes[digit], p % SIDE, p / SIDE);

            weights[p][digit] = lit ? 1 : -1;
            bias[digit] -= lit ? 0.5f : 0;
        }
    pw_node(&w, "Flatten", "image", "pixels");
    pw_node(&w, "MatMul", "pixels weights", "light");
    pw_node(&w, "Add", "light bias", "scores");
    floats(&w, "weights", PW_DIMS(PIXELS, DIGITS), weights[0], PIXELS * DIGITS);
    floats(&w, "bias", PW_DIMS(DIGITS), bias, DIGITS);
    value(&w, IN, "image", "1 1 28 28");
    value(&w, OUT, "scores", "1 10");
    pw_text(&w, 10, "Light by segments."); /* GraphProto.doc_string */
    pw_close(&w);                          /* the graph */
    describe(&w);
    property(&w, "display", "seven segments");
    property(&w, "größe", "28");
    return end(&w, name);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 2;
    }
    directory = argv[1];
    return !(write_upsample() && write_custom_op_test() && write_attr_tester() &&
             write_copy("CopyTensorArrayAllVariadic", 2, "input_0 input_1", "output_0 output_1",
                        "copy_2_inputs_2_outputs.onnx") &&
             write_copy("CopyTensorArrayCombined", 3, "input_0 input_1 input_2",
                        "output_0 output_1 output_2", "copy_3_inputs_3_outputs.onnx") &&
             write_own("Scale", "own_Scale.onnx") && write_own("Twice", "own_Twice.onnx") &&
             write_own("Sum", "own_Sum.onnx") && write_own("Copy", "own_Copy.onnx") &&
             write_lora_model() && write_adapter() && write_containers() &&
             write_types("types.onnx", 0xfee) && write_types("unsigned.onnx", 0x3010) &&
             write_types("bfloat16.onnx", 0x10000) && write_digits("digits.onnx"));
}
