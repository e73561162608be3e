/* SPDX-License-Identifier: MIT */
/* check_gradient.c - Gradient (ai.onnx.preview.training 1) against differences of the function itself. */

#include "config.h"

#include <check.h>
#include <math.h>

#include "support/session_kit.h"

enum { N = 6 }; /* elements of x and of y, 2 by 3 */

/* A function of x and y, as nodes between those and "f". */
struct function {
    const char *name;
    const char *nodes[4][3]; /* operator, inputs, output */
    double from, to;         /* where x and y are taken from */
};

static const struct function functions[] = {
    {"Add", {{"Add", "x y", "f"}}, -2, 2},
    {"Sub", {{"Sub", "x y", "f"}}, -2, 2},
    {"Mul", {{"Mul", "x y", "f"}}, -2, 2},
    {"Div", {{"Div", "x y", "f"}}, 1, 2},
    {"Pow", {{"Pow", "x y", "f"}}, 1, 2},
    {"Sum", {{"Sum", "x y x", "f"}}, -2, 2},
    {"Neg", {{"Neg", "x", "n"}, {"Mul", "n y", "f"}}, -2, 2},
    {"Abs", {{"Abs", "x", "a"}, {"Mul", "a y", "f"}}, 0.5, 2},
    {"Exp", {{"Exp", "x", "a"}, {"Mul", "a y", "f"}}, -2, 2},
    {"Log", {{"Log", "x", "a"}, {"Mul", "a y", "f"}}, 1, 2},
    {"Sqrt", {{"Sqrt", "x", "a"}, {"Mul", "a y", "f"}}, 1, 2},
    {"Reciprocal", {{"Reciprocal", "x", "a"}, {"Mul", "a y", "f"}}, 1, 2},
    {"Sin", {{"Sin", "x", "a"}, {"Mul", "a y", "f"}}, -2, 2},
    {"Cos", {{"Cos", "x", "a"}, {"Mul", "a y", "f"}}, -2, 2},
    {"Relu", {{"Sub", "x y", "s"}, {"Relu", "s", "a"}, {"Mul", "a y", "f"}}, -2, 2},
    {"Sigmoid", {{"Sigmoid", "x", "a"}, {"Mul", "a y", "f"}}, -2, 2},
    {"Tanh", {{"Tanh", "x", "a"}, {"Mul", "a y", "f"}}, -2, 2},
    {"Softplus", {{"Softplus", "x", "a"}, {"Mul", "a y", "f"}}, -2, 2},
    {"Transpose", {{"Transpose", "x", "a"}, {"MatMul", "a y", "f"}}, -2, 2},
    {"MatMul", {{"Transpose", "y", "a"}, {"MatMul", "x a", "b"}, {"Mul", "b b", "f"}}, -2, 2},
    {"Flatten", {{"Flatten", "x", "a"}, {"Mul", "a y", "f"}}, -2, 2},
    {"ReduceSum", {{"ReduceSum", "x", "a"}, {"Mul", "a y", "f"}}, -2, 2}, /* broadcast, too */
    {"ReduceMean", {{"ReduceMean", "x", "a"}, {"Mul", "a y", "f"}}, -2, 2},
    {"shared", {{"Mul", "x y", "a"}, {"Exp", "x", "b"}, {"Mul", "a b", "f"}}, -1, 1},
};

/* f and, with the gradient, dx and dy of the sum of f. */
static void make_model(const struct function *function, const char *fed)
{
    static const char *const xs[] = {"x", "y"};

    kit_start_model_at(15);
    kit_io(KIT_INPUT, "x", BP_DTYPE_F64, "2,3");
    kit_io(KIT_INPUT, "y", BP_DTYPE_F64, "2,3");
    for (int i = 0; i < 4 && function->nodes[i][0]; i++)
        kit_node(function->nodes[i][2], function->nodes[i][0], function->nodes[i][1],
                 function->nodes[i][2]);
    kit_node("swap1", "Identity", "y", "y2");
    kit_node("swap2", "Identity", "x", "x2");
    kit_open_node("gradient", "Gradient", fed, "dx dy");
    pw_text(&kit.w, 7, "ai.onnx.preview.training");
    kit_strings_attr("xs", 2, xs);
    pw_open_attr(&kit.w, "y", 3);
    pw_text(&kit.w, 4, "f");
    pw_close(&kit.w);
    pw_close(&kit.w);
    kit_io(KIT_OUTPUT, "f", BP_DTYPE_F64, NULL);
    kit_io(KIT_OUTPUT, "dx", BP_DTYPE_F64, NULL);
    kit_io(KIT_OUTPUT, "dy", BP_DTYPE_F64, NULL);
    pw_close(&kit.w);
    pw_open(&kit.w, 8);
    pw_text(&kit.w, 1, "ai.onnx.preview.training");
    pw_int(&kit.w, 2, 1);
    pw_close(&kit.w);
    kit.is_closed = true;
}

/* The sum of f; what else is given is fetched. */
static double run(const double *x, const double *y, double *dx, double *dy)
{
    bp_binding in[] = {KIT_TENSOR(0, BP_DTYPE_F64, x, 2, 3), KIT_TENSOR(1, BP_DTYPE_F64, y, 2, 3)};
    bp_binding out[3] = {kit_wanted(0), kit_wanted(1), kit_wanted(2)};
    double sum = 0;
    int64_t n;

    kit_run(in, 2, out, 3);
    n = bp_dims_count(out[0].tensor.dims, out[0].tensor.rank);
    for (int64_t i = 0; i < n; i++)
        sum += ((double *)out[0].tensor.base)[i];
    for (int i = 1; i < 3; i++)
        KIT_DIMS(&out[i].tensor, 2, 3);
    for (int i = 0; i < N && dx; i++) {
        dx[i] = ((double *)out[1].tensor.base)[i];
        dy[i] = ((double *)out[2].tensor.base)[i];
    }
    for (int i = 0; i < 3; i++)
        bp_tensor_free(&out[i].tensor);
    return sum;
}

/* The numeric derivative along element i of v, which is x or y. */
static double derivative(double *v, int i, const double *x, const double *y)
{
    static const double step = 1e-5;
    double at = v[i], up, down;

    v[i] = at + step;
    up = run(x, y, NULL, NULL);
    v[i] = at - step;
    down = run(x, y, NULL, NULL);
    v[i] = at;
    return (up - down) / (2 * step);
}

static void fill(const struct function *function, double *x, double *y)
{
    for (int i = 0; i < N; i++) {
        x[i] = function->from + (function->to - function->from) * (i * 5 % 7 + 0.3) / 7;
        y[i] = function->from + (function->to - function->from) * (i * 3 % 7 + 0.6) / 7;
    }
}

START_TEST(gradient_matches_a_numeric_derivative)
{
    const struct function *function = &functions[_i];
    double x[N], y[N], dx[N], dy[N];

    fill(function, x, y);
    make_model(function, "x y");
    kit_session();
    run(x, y, dx, dy);
    for (int i = 0; i < N; i++) {
        double want_x = derivative(x, i, x, y), want_y = derivative(y, i, x, y);

        ck_assert_msg(fabs(dx[i] - want_x) < 1e-6 * (1 + fabs(want_x)), "%s: dx[%d] is %g, not %g",
                      function->name, i, dx[i], want_x);
        ck_assert_msg(fabs(dy[i] - want_y) < 1e-6 * (1 + fabs(want_y)), "%s: dy[%d] is %g, not %g",
                      function->name, i, dy[i], want_y);
    }
}
END_TEST

/* Fed with y for x and x for y, it is the gradient at that place. */
START_TEST(gradient_is_taken_at_the_inputs_of_its_node)
{
    const struct function *function = &functions[3]; /* Div */
    double x[N], y[N], dx[N], dy[N], there_x[N], there_y[N];

    fill(function, x, y);
    make_model(function, "x y");
    kit_session();
    run(y, x, dx, dy);
    make_model(function, "y2 x2");
    kit_session();
    run(x, y, there_x, there_y);
    for (int i = 0; i < N; i++) {
        ck_assert_double_eq(dx[i], there_x[i]);
        ck_assert_double_eq(dy[i], there_y[i]);
    }
}
END_TEST

START_TEST(gradient_names_operators_without_a_derivative)
{
    static const struct function elu = {"Elu", {{"Elu", "x", "a"}, {"Mul", "a y", "f"}}, 0, 1};
    bp_model *model = NULL;

    make_model(&elu, "x y");
    KIT_FAILS(bp_model_open_memory(kit.env, kit.w.data, kit.w.size, NULL, &model, &kit.err),
              BP_E_UNSUPPORTED, "'gradient'", "no derivative", "Elu");
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("gradient");

    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    tcase_add_loop_test(tcase, gradient_matches_a_numeric_derivative, 0,
                        (int)(sizeof functions / sizeof functions[0]));
    tcase_add_test(tcase, gradient_is_taken_at_the_inputs_of_its_node);
    tcase_add_test(tcase, gradient_names_operators_without_a_derivative);
    return kit_main("gradient", &tcase, 1);
}
