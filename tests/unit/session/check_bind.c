/* SPDX-License-Identifier: MIT */
/* check_bind.c - functions of ordinary C libraries as operators: bind files, runs, errors. */

#include "config.h"

#include <stdio.h>
#include <unistd.h>

#include "custom/bind.h"
#include "support/session_kit.h"

#define DOMAIN "com.example"

static char path[] = "/tmp/check_bind.XXXXXX"; /* the bind file */

/* Writes a bind file for the test's library, with these lines at its end. */
static void write_file(const char *lines)
{
    FILE *out = fopen(path, "w");

    ck_assert_ptr_nonnull(out);
    fprintf(out, "# functions of a test\nlibrary %s/tests/unit/.libs/libtest-bound.so\n",
            getenv("BP_BUILDDIR"));
    fprintf(out, "domain " DOMAIN "  # where they go\n\n%s\n", lines);
    fclose(out);
}

static bp_rc try_bind(void)
{
    bp_operators *set;
    bp_rc rc;

    if (!kit.options)
        KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_operators_create(&set, &kit.err));
    rc = bp_operators_bind(set, path, &kit.err);
    if (rc >= 0)
        KIT_OK(bp_session_options_add_operators(kit.options, set, &kit.err));
    bp_operators_release(set);
    return rc;
}

static void bind_lines(const char *lines)
{
    write_file(lines);
    KIT_OK(try_bind());
}

static void setup(void)
{
    int fd;

    strcpy(path + strlen(path) - 6, "XXXXXX");
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    kit_setup();
}

static void teardown(void)
{
    kit_teardown();
    unlink(path);
}

/* A node of the domain, left open for attributes. */
static void open_bound(const char *op, const char *in, const char *out)
{
    kit_open_node("n", op, in, out);
    pw_text(&kit.w, 7, DOMAIN);
}

static void end_model(void)
{
    pw_close(&kit.w);
    pw_open(&kit.w, 8);
    pw_text(&kit.w, 1, DOMAIN);
    pw_int(&kit.w, 2, 1);
    pw_close(&kit.w);
    kit.is_closed = true;
}

/* ---- runs ------------------------------------------------------------------------------------ */

START_TEST(bound_scalar_function_broadcasts)
{
    double x[] = {-5, 0.5, 7, 3};
    float low[] = {0, 4};
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F64, x, 2, 2), KIT_TENSOR(1, BP_DTYPE_F32, low, 2)};
    bp_binding out = kit_wanted(0);
    const uint8_t *got;

    bind_lines("Between: bool is_between(double x, float low, int high = 5);");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F64, "N,2");
    kit_io(KIT_INPUT, "low", BP_DTYPE_F32, "2");
    open_bound("Between", "x low", "y");
    kit_int_attr("high", 6);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_BOOL, "N,2");
    end_model();
    kit_session();
    kit_run(in, 2, &out, 1);
    KIT_DIMS(&out.tensor, 2, 2);
    got = bp_tensor_data(&out.tensor);
    ck_assert_mem_eq(got, ((uint8_t[]){0, 0, 0, 0}), 4);
    bp_tensor_free(&out.tensor);
    x[2] = 5.5;
    x[3] = 4.5;
    out = kit_wanted(0);
    kit_run(in, 2, &out, 1);
    ck_assert_mem_eq(bp_tensor_data(&out.tensor), ((uint8_t[]){0, 0, 1, 1}), 4);
    bp_tensor_free(&out.tensor);
}
END_TEST

START_TEST(bound_function_result_is_narrowed_to_its_type)
{
    int32_t x[] = {-1, 300, 127};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_I32, x, 3), out = kit_wanted(0);

    bind_lines("Low: int8_t low_byte(int32_t x)");
    kit_io(KIT_INPUT, "x", BP_DTYPE_I32, "N");
    open_bound("Low", "x", "y");
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_I8, "N");
    end_model();
    kit_session();
    kit_run(&in, 1, &out, 1);
    ck_assert_mem_eq(bp_tensor_data(&out.tensor), ((int8_t[]){-1, 44, 127}), 3);
    bp_tensor_free(&out.tensor);
}
END_TEST

START_TEST(bound_function_gets_arrays_with_their_sizes)
{
    float x[] = {1, 2, 3, 4};
    bp_binding in = KIT_TENSOR(0, BP_DTYPE_F32, x, 2, 2), out = kit_wanted(0);
    bp_io_info y = {.struct_size = sizeof y};

    bind_lines("Rows: void scale_rows(const float x[n, m], float y[n, m], size_t n, int m, "
               "float factor = 2)");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,2");
    open_bound("Rows", "x", "y");
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    end_model();
    kit_session();
    KIT_OK(bp_session_output(kit.session, 0, &y, &kit.err));
    ck_assert_str_eq(y.dims[0].symbol, "N");
    ck_assert_int_eq(y.dims[1].value, 2);
    for (int round = 0; round < 2; round++) {
        kit_run(&in, 1, &out, 1);
        KIT_FLOATS(&out.tensor, 2, 4, 12, 16);
        bp_tensor_free(&out.tensor);
    }
}
END_TEST

static void divide_model(const char *shape_b)
{
    kit_start_model();
    kit_io(KIT_INPUT, "a", BP_DTYPE_I64, "N");
    kit_io(KIT_INPUT, "b", BP_DTYPE_I64, shape_b);
    open_bound("Divide", "a b", "q r");
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "q", BP_DTYPE_I64, NULL);
    kit_io(KIT_OUTPUT, "r", BP_DTYPE_I64, NULL);
    end_model();
}

START_TEST(bound_function_may_have_two_outputs_and_return_an_error)
{
    int64_t a[] = {7, -9}, b[] = {2, 4}, one = 1;
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_I64, a, 2), KIT_TENSOR(1, BP_DTYPE_I64, b, 2)};
    bp_binding out[] = {kit_wanted(0), kit_wanted(1)};

    bind_lines("Divide: int divide(const int64_t a[n], const int64_t b[n], int64_t q[n], "
               "int64_t r[n], int64_t n)");
    divide_model("M");
    kit_session();
    kit_run(in, 2, out, 2);
    ck_assert_mem_eq(bp_tensor_data(&out[0].tensor), ((int64_t[]){3, -2}), 16);
    ck_assert_mem_eq(bp_tensor_data(&out[1].tensor), ((int64_t[]){1, -1}), 16);
    bp_tensor_free(&out[0].tensor);
    bp_tensor_free(&out[1].tensor);
    b[1] = 0;
    out[0] = kit_wanted(0);
    KIT_FAILS(bp_session_run(kit.session, in, 2, out, 1, NULL, &kit.err), BP_E_INTERNAL,
              "'n' (Divide): function 'divide' returned 33");
    in[1] = KIT_TENSOR(1, BP_DTYPE_I64, &one, 1);
    KIT_FAILS(bp_session_run(kit.session, in, 2, out, 1, NULL, &kit.err), BP_E_SHAPE,
              "dimension 0 of 'b' is 1", "2");
    divide_model("N,2");
    KIT_FAILS(kit_try_session(), BP_E_SHAPE, "'b' has rank 2, the signature says 1");
}
END_TEST

/* ---- errors ---------------------------------------------------------------------------------- */

START_TEST(malformed_binding_lines_are_rejected_by_line_and_column)
{
    static const struct {
        const char *line;
        unsigned number, column;
        const char *words;
    } wrong[] = {
        {"Low int8_t low_byte(int32_t x)", 5, 5, "':' is missing"},
        {"Low: quad low_byte(int32_t x)", 5, 6, "'quad' is not a type"},
        {"Low: int8_t low_byte(int32_t)", 5, 29, "name of a parameter"},
        {"Low: int8_t low_byte(int32_t x", 5, 31, "')' is missing"},
        {"Low: int8_t low_byte(int32_t x) twice", 5, 33, "'twice' is too much"},
        {"Low: int8_t low_byte(int32_t x = y)", 5, 34, "default of 'x' is not a number"},
        {"Low: void low_byte(int32_t x)", 5, 11, "returns one"},
        {"Rows: void scale_rows(const float x[n], float y[k])", 5, 47, "'k' of output 'y'"},
        {"Rows: void scale_rows(const float x[n], float y[n], int k)", 5, 57, "neither a size"},
        {"Rows: void scale_rows(const float x[n], float y[n], float n)", 5, 59, "not an integer"},
        {"Rows: void scale_rows(const float x[n])", 5, 12, "no array is an output"},
        {"Rows: float scale_rows(const float x[n], float y[n])", 5, 13, "void, or int"},
        {"Rows: void f(const float x[a,b,c,d,e,f,g,h,i], float y[a])", 5, 44, "more than 8 sizes"},
        {"Low: int8_t no_such_function(int32_t x)", 5, 13, "no function 'no_such_function'"},
        {"version 0", 5, 9, "'0' is not a version"},
        {"library /nowhere/libnone.so\nLow: int8_t low_byte(int32_t x)", 6, 13,
         "/nowhere/libnone.so"},
        {"domain ai.onnx\nLow: int8_t low_byte(int32_t x)", 6, 13, "'ai.onnx', which is not"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char place[40];
        bp_rc rc;

        write_file(wrong[i].line);
        kit.text[0] = '\0';
        rc = try_bind();
        ck_assert_msg(rc < 0 && strstr(kit.text, wrong[i].words), "%s: %s", wrong[i].line,
                      kit.text);
        snprintf(place, sizeof place, "%s:%u:%u: ", path, wrong[i].number, wrong[i].column);
        ck_assert_msg(strstr(kit.text, place), "not at %s but: %s", place, kit.text);
    }
}
END_TEST

START_TEST(binding_errors_count_the_columns_of_the_file)
{
    write_file("\t  Low : int8_t  low_byte ( int32_t x =  y ) # why");
    KIT_FAILS(try_bind(), BP_E_INVALID, ":5:42: ", "default of 'x' is not a number");
    write_file("  version   zero");
    KIT_FAILS(try_bind(), BP_E_INVALID, ":5:13: ", "'zero' is not a version");
}
END_TEST

START_TEST(binding_file_needs_library_and_domain_lines)
{
    bp_operators *set;
    FILE *out;

    bind_lines(""); /* nothing is a little, but sound */
    out = fopen(path, "w");
    fputs("Low: int8_t low_byte(int32_t x)\n", out);
    fclose(out);
    KIT_FAILS(try_bind(), BP_E_INVALID, ":1:1: ", "no line 'library PATH'");
    out = fopen(path, "w");
    fputs("library libm.so.6\nLow: float floorf(float x)\n", out);
    fclose(out);
    KIT_FAILS(try_bind(), BP_E_INVALID, ":2:1: ", "no line 'domain NAME'");
    KIT_OK(bp_operators_create(&set, &kit.err));
    KIT_FAILS(bp_operators_bind(set, "/nowhere/file", &kit.err), BP_E_IO, "/nowhere/file");
    KIT_FAILS(bp_operators_bind(set, NULL, &kit.err), BP_E_INVALID, "path");
    bp_operators_release(set);
}
END_TEST

START_TEST(bound_function_rejects_attributes_that_are_not_numbers)
{
    bind_lines("Between: bool is_between(double x, float low = 1, int high = 5)");
    kit_io(KIT_INPUT, "x", BP_DTYPE_F64, "N");
    open_bound("Between", "x", "y");
    kit_strings_attr("high", 1, (const char *const[]){"six"});
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_BOOL, "N");
    end_model();
    KIT_FAILS(kit_try_session(), BP_E_INVALID, "'n' (Between)", "attribute 'high' is not a number");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("bind");

#ifndef HAVE_LIBFFI
    puts("built without libffi");
    return 77;
#endif
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, bound_scalar_function_broadcasts);
    tcase_add_test(tcase, bound_function_result_is_narrowed_to_its_type);
    tcase_add_test(tcase, bound_function_gets_arrays_with_their_sizes);
    tcase_add_test(tcase, bound_function_may_have_two_outputs_and_return_an_error);
    tcase_add_test(tcase, malformed_binding_lines_are_rejected_by_line_and_column);
    tcase_add_test(tcase, binding_errors_count_the_columns_of_the_file);
    tcase_add_test(tcase, binding_file_needs_library_and_domain_lines);
    tcase_add_test(tcase, bound_function_rejects_attributes_that_are_not_numbers);
    return kit_main("bind", &tcase, 1);
}
