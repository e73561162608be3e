/* SPDX-License-Identifier: MIT */
/* check_operators.c - every operator of the simulated device against loops of the test's own. */
#include <math.h>

#include "common/float16.h"
#include "sim_kit.h"

static void begin(void)
{
    up(NULL);
}

static void end(void)
{
    down();
}

/* Values that float16 represents exactly, of both signs, none of them 0. */
static void fill(float *to, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        to[i] = (float)((int)(seed >> 24) - 128) / 32.0f + 1.0f / 64.0f;
    }
}

static void near(const float *got, const double *wanted, size_t count, double tolerance)
{
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(fabs((double)got[i] - wanted[i]) <= tolerance * (1 + fabs(wanted[i])),
                      "element %zu is %g, not %g", i, (double)got[i], wanted[i]);
}

static void to_halves(uint16_t *to, const float *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = bp_f16_store(from[i]);
}

static void from_halves(float *to, const uint16_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = bp_f16_load(from[i]);
}

/* Runs a case described in floats a second time, in float16: results[] are the outputs'. */
static void run_in_halves(struct op_case *op, float *result, size_t count)
{
    uint16_t *in[MOST] = {NULL}, *out[MOST] = {NULL};
    struct op_case half = *op;

    for (int i = 0; i < op->inputs; i++) {
        size_t elements = 1;

        if (op->in[i].type != ACL_FLOAT)
            continue;
        for (int d = 0; d < op->in[i].rank; d++)
            elements *= (size_t)op->in[i].dims[d];
        in[i] = malloc(elements * sizeof *in[i]);
        to_halves(in[i], op->in[i].data, elements);
        half.in[i].type = ACL_FLOAT16;
        half.in[i].data = in[i];
    }
    out[0] = calloc(count, sizeof *out[0]);
    half.out[0].type = ACL_FLOAT16;
    half.out[0].data = out[0];
    OK(run_op(&half));
    from_halves(result, out[0], count);
    for (int i = 0; i < MOST; i++) {
        free(in[i]);
        free(out[i]);
    }
}

/* ---- unary operators ------------------------------------------------------------------------- */

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static double negated(double x)
{
    return -x;
}

static double positive(double x)
{
    return x > 0 ? x : 0;
}

static double sign(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

static double inverse(double x)
{
    return 1 / x;
}

static double inverse_root(double x)
{
    return 1 / sqrt(x);
}

static double leaky(double x)
{
    return x < 0 ? x * (double)0.01f : x;
}

static double elu(double x)
{
    return x < 0 ? exp(x) - 1 : x;
}

static const struct {
    const char *type;
    double (*wanted)(double);
    int positive;
} unary[] = {
    {"Abs", fabs, 0},
    {"Neg", negated, 0},
    {"Relu", positive, 0},
    {"Sign", sign, 0},
    {"Ceil", ceil, 0},
    {"Floor", floor, 0},
    {"Round", nearbyint, 0},
    {"Sqrt", sqrt, 1},
    {"Rsqrt", inverse_root, 1},
    {"Exp", exp, 0},
    {"Log", log, 1},
    {"Erf", erf, 0},
    {"Sin", sin, 0},
    {"Cos", cos, 0},
    {"Sigmoid", logistic, 0},
    {"Tanh", tanh, 0},
    {"LeakyRelu", leaky, 0},
    {"Elu", elu, 0},
    {"Reciprocal", inverse, 0},
};

START_TEST(unary_operators)
{
    double wide[24], wide_got[24], wanted[24];
    float x[24], got[24];

    fill(x, 24, 1);
    if (unary[_i].positive)
        for (int i = 0; i < 24; i++)
            x[i] = fabsf(x[i]);
    for (int i = 0; i < 24; i++) {
        wide[i] = (double)x[i];
        wanted[i] = unary[_i].wanted(wide[i]);
    }
    struct op_case op = {unary[_i].type,
                         NULL,
                         1,
                         1,
                         {VALUE(ACL_FLOAT, x, 2, 3, 4)},
                         {VALUE(ACL_FLOAT, got, 2, 3, 4)}};
    OK(run_op(&op));
    near(got, wanted, 24, 1e-6);
    run_in_halves(&op, got, 24);
    near(got, wanted, 24, 1e-3);
    op.in[0] = VALUE(ACL_DOUBLE, wide, 24);
    op.out[0] = VALUE(ACL_DOUBLE, wide_got, 24);
    OK(run_op(&op));
    for (int i = 0; i < 24; i++)
        ck_assert_double_eq_tol(wide_got[i], wanted[i], 1e-8 * (1 + fabs(wanted[i])));
}
END_TEST

START_TEST(exp_and_log_with_a_base)
{
    float x[2] = {1.5f, 3}, got[2];
    struct op_case op = {"Exp", aclopCreateAttr(),        1,
                         1,     {VALUE(ACL_FLOAT, x, 2)}, {VALUE(ACL_FLOAT, got, 2)}};
    double wanted[2] = {16, 128}; /* 2 ^ (2 x + 1) */

    OK(aclopSetAttrFloat(op.attr, "base", 2));
    OK(aclopSetAttrFloat(op.attr, "scale", 2));
    OK(aclopSetAttrFloat(op.attr, "shift", 1));
    OK(run_op(&op));
    near(got, wanted, 2, 1e-6);
    op.type = "Log";
    op.attr = aclopCreateAttr();
    OK(aclopSetAttrFloat(op.attr, "base", 10));
    x[0] = 100;
    x[1] = 0.1f;
    wanted[0] = 2;
    wanted[1] = -1;
    OK(run_op(&op));
    near(got, wanted, 2, 1e-6);
    op.attr = aclopCreateAttr();
    OK(aclopSetAttrFloat(op.attr, "base", -2));
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op));
}
END_TEST

START_TEST(integer_overflow_wraps)
{
    int8_t x[4] = {-128, -1, 0, 127}, y[4] = {2, -1, 0, 1}, got[4];
    const int8_t sums[4] = {-126, -2, 0, -128}, quotients[4] = {-64, 1, 0, 127};
    const int8_t opposite[4] = {-128, 1, 0, -127}, clipped[4] = {0, 0, 0, 127};
    struct op_case op = {"Add",
                         NULL,
                         2,
                         1,
                         {VALUE(ACL_INT8, x, 4), VALUE(ACL_INT8, y, 4)},
                         {VALUE(ACL_INT8, got, 4)}};

    OK(run_op(&op));
    ck_assert_mem_eq(got, sums, 4);
    op.type = "Div"; /* a quotient by 0 is 0 */
    OK(run_op(&op));
    ck_assert_mem_eq(got, quotients, 4);
    op.inputs = 1;
    op.type = "Neg";
    OK(run_op(&op));
    ck_assert_mem_eq(got, opposite, 4);
    op.type = "Relu";
    OK(run_op(&op));
    ck_assert_mem_eq(got, clipped, 4);
}
END_TEST

/* ---- binary operators ------------------------------------------------------------------------ */

static double pick(int which, double x, double y)
{
    switch (which) {
    case 0:
        return x + y;
    case 1:
        return x - y;
    case 2:
        return x * y;
    case 3:
        return x / y;
    case 4:
        return x > y ? x : y;
    case 5:
        return x < y ? x : y;
    default:
        return pow(x, y);
    }
}

START_TEST(binary_operators_broadcast)
{
    static const char *const types[] = {"Add", "Sub", "Mul", "Div", "Maximum", "Minimum", "Pow"};
    float a[2 * 4], b[3 * 1 + 3], got[2 * 3 * 4];
    double wanted[2 * 3 * 4];

    fill(a, 8, 2);
    fill(b, 6, 3);
    for (int i = 0; i < 8 && _i == 6; i++)
        a[i] = fabsf(a[i]);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                wanted[(i * 3 + j) * 4 + k] = pick(_i, (double)a[i * 4 + k], (double)b[j]);
    struct op_case op = {types[_i],
                         NULL,
                         2,
                         1,
                         {VALUE(ACL_FLOAT, a, 2, 1, 4), VALUE(ACL_FLOAT, b, 3, 1)},
                         {VALUE(ACL_FLOAT, got, 2, 3, 4)}};
    OK(run_op(&op));
    near(got, wanted, 24, 1e-5);
    run_in_halves(&op, got, 24);
    near(got, wanted, 24, 2e-3);
    op.in[1] = VALUE(ACL_FLOAT, b, 3, 2);
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op)); /* 4 and 2 do not broadcast */
}
END_TEST

/* ---- Conv ----------------------------------------------------------------------------------- */

struct conv {
    int n, c, h, w, o, groups, k[2], stride[2], dilation[2], pad[4], out[2];
};

/* Straight from the definition, an output at a time. */
static double conv_at(const struct conv *v, const float *x, const float *w, int n, int o, int r,
                      int s)
{
    int depth = v->c / v->groups, first = o / (v->o / v->groups) * depth;
    double sum = 0;

    for (int c = 0; c < depth; c++)
        for (int i = 0; i < v->k[0]; i++)
            for (int j = 0; j < v->k[1]; j++) {
                int y = r * v->stride[0] - v->pad[0] + i * v->dilation[0];
                int z = s * v->stride[1] - v->pad[2] + j * v->dilation[1];

                if (y >= 0 && y < v->h && z >= 0 && z < v->w)
                    sum += (double)x[((n * v->c + first + c) * v->h + y) * v->w + z] *
                           (double)w[((o * depth + c) * v->k[0] + i) * v->k[1] + j];
            }
    return sum;
}

static const struct conv convs[] = {
    {2, 3, 7, 6, 4, 1, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, {7, 6}},
    {1, 4, 8, 9, 6, 2, {3, 2}, {2, 3}, {1, 1}, {0, 1, 2, 1}, {4, 4}},
    {1, 2, 9, 9, 2, 2, {3, 3}, {1, 2}, {2, 3}, {2, 0, 1, 1}, {7, 3}},
    {1, 1, 2, 2, 1, 1, {2, 2}, {1, 1}, {1, 1}, {1, 1, 1, 1}, {3, 3}},
};

static aclopAttr *conv_attributes(const struct conv *v)
{
    aclopAttr *attr = aclopCreateAttr();

    OK(aclopSetAttrListInt(attr, "strides", ARGUMENTS(4, 1, 1, v->stride[0], v->stride[1])));
    OK(aclopSetAttrListInt(attr, "dilations", ARGUMENTS(4, 1, 1, v->dilation[0], v->dilation[1])));
    OK(aclopSetAttrListInt(attr, "pads", ARGUMENTS(4, v->pad[0], v->pad[1], v->pad[2], v->pad[3])));
    OK(aclopSetAttrInt(attr, "groups", v->groups));
    OK(aclopSetAttrString(attr, "data_format", "NCHW"));
    return attr;
}

START_TEST(convolution_2d)
{
    const struct conv *v = &convs[_i];
    float x[512], w[512], bias[16], got[512];
    double wanted[512];
    size_t count = 0;

    fill(x, 512, 4);
    fill(w, 512, 5);
    fill(bias, 16, 6);
    for (int n = 0; n < v->n; n++)
        for (int o = 0; o < v->o; o++)
            for (int r = 0; r < v->out[0]; r++)
                for (int s = 0; s < v->out[1]; s++)
                    wanted[count++] = conv_at(v, x, w, n, o, r, s) + (double)bias[o];
    struct op_case op = {"Conv2D",
                         conv_attributes(v),
                         3,
                         1,
                         {VALUE(ACL_FLOAT, x, v->n, v->c, v->h, v->w),
                          VALUE(ACL_FLOAT, w, v->o, v->c / v->groups, v->k[0], v->k[1]),
                          VALUE(ACL_FLOAT, bias, v->o)},
                         {VALUE(ACL_FLOAT, got, v->n, v->o, v->out[0], v->out[1])}};
    OK(run_op(&op));
    near(got, wanted, count, 1e-5);
    op.attr = conv_attributes(v);
    run_in_halves(&op, got, count);
    near(got, wanted, count, 2e-3);
    /* as ONNX Runtime's provider says that there is none */
    for (size_t i = 0; i < count; i++)
        wanted[i] -= (double)bias[i / (size_t)(v->out[0] * v->out[1]) % (size_t)v->o];
    op.attr = conv_attributes(v);
    op.in[2] = (struct value){ACL_DT_UNDEFINED, 0, {0}, NULL, 0};
    OK(run_op(&op));
    near(got, wanted, count, 1e-4);
}
END_TEST

START_TEST(convolution_1d_and_3d)
{
    float x[5] = {1, 2, 3, 4, 5}, w[2] = {1, 10}, got[8];
    float cube[8] = {1, 2, 3, 4, 5, 6, 7, 8}, corner[8] = {1, 0, 0, 0, 0, 0, 0, 100};
    const double line[4] = {21, 32, 43, 54}, padded[3] = {10, 32, 54}, one[1] = {801};
    struct op_case op = {"Conv2D",
                         NULL,
                         2,
                         1,
                         {VALUE(ACL_FLOAT, x, 1, 1, 5), VALUE(ACL_FLOAT, w, 1, 1, 2)},
                         {VALUE(ACL_FLOAT, got, 1, 1, 4)}};

    OK(run_op(&op));
    near(got, line, 4, 0);
    op.attr = aclopCreateAttr();
    OK(aclopSetAttrListInt(op.attr, "strides", ARGUMENTS(3, 1, 1, 2)));
    OK(aclopSetAttrString(op.attr, "auto_pad", "SAME_LOWER"));
    op.out[0] = VALUE(ACL_FLOAT, got, 1, 1, 3);
    OK(run_op(&op));
    near(got, padded, 3, 0);
    op = (struct op_case){
        "Conv3D",
        NULL,
        2,
        1,
        {VALUE(ACL_FLOAT, cube, 1, 1, 2, 2, 2), VALUE(ACL_FLOAT, corner, 1, 1, 2, 2, 2)},
        {VALUE(ACL_FLOAT, got, 1, 1, 1, 1, 1)}};
    OK(run_op(&op));
    near(got, one, 1, 0);
    op.type = "Conv2D";
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op));
}
END_TEST

/* ---- pooling --------------------------------------------------------------------------------- */

struct pool {
    int k[2], stride[2], pad[4], ceil, exclusive, out[2];
    const char *mode;
};

static const struct pool pools[] = {
    {{2, 2}, {2, 2}, {0, 0, 0, 0}, 0, 1, {3, 2}, "CALCULATED"},
    {{3, 3}, {2, 2}, {1, 1, 1, 1}, 0, 1, {4, 3}, "CALCULATED"},
    {{3, 3}, {2, 2}, {1, 1, 1, 1}, 0, 0, {4, 3}, "CALCULATED"},
    {{2, 2}, {2, 2}, {0, 0, 0, 0}, 1, 1, {4, 3}, "CALCULATED"},
    {{3, 2}, {2, 3}, {0, 0, 0, 0}, 0, 1, {3, 2}, "VALID"},
};

static double pool_at(const struct pool *v, const float *x, int average, int r, int s)
{
    double sum = 0, most = -1e30;
    int seen = 0;

    for (int i = 0; i < v->k[0]; i++)
        for (int j = 0; j < v->k[1]; j++) {
            int y = r * v->stride[0] - v->pad[0] + i, z = s * v->stride[1] - v->pad[2] + j;

            if (y < 0 || z < 0 || y >= 7 || z >= 5)
                continue;
            sum += (double)x[y * 5 + z];
            most = fmax(most, (double)x[y * 5 + z]);
            seen++;
        }
    return !average ? most : sum / (v->exclusive ? seen : v->k[0] * v->k[1]);
}

static aclopAttr *pool_attributes(const struct pool *v)
{
    aclopAttr *attr = aclopCreateAttr();

    OK(aclopSetAttrListInt(attr, "ksize", ARGUMENTS(4, 1, 1, v->k[0], v->k[1])));
    OK(aclopSetAttrListInt(attr, "strides", ARGUMENTS(4, 1, 1, v->stride[0], v->stride[1])));
    OK(aclopSetAttrListInt(attr, "pads", ARGUMENTS(4, v->pad[0], v->pad[1], v->pad[2], v->pad[3])));
    OK(aclopSetAttrString(attr, "padding_mode", v->mode));
    OK(aclopSetAttrString(attr, "data_format", "NCHW"));
    OK(aclopSetAttrBool(attr, "ceil_mode", (uint8_t)v->ceil));
    OK(aclopSetAttrBool(attr, "exclusive", (uint8_t)v->exclusive));
    return attr;
}

START_TEST(pooling_2d)
{
    const struct pool *v = &pools[_i];
    float x[2 * 7 * 5], got[64];
    double wanted[64];

    fill(x, 70, 7);
    for (int average = 0; average < 2; average++) {
        size_t count = 0;

        for (int c = 0; c < 2; c++)
            for (int r = 0; r < v->out[0]; r++)
                for (int s = 0; s < v->out[1]; s++)
                    wanted[count++] = pool_at(v, x + c * 35, average, r, s);
        struct op_case op = {average ? "AvgPoolV2" : "MaxPoolV3",
                             pool_attributes(v),
                             1,
                             1,
                             {VALUE(ACL_FLOAT, x, 1, 2, 7, 5)},
                             {VALUE(ACL_FLOAT, got, 1, 2, v->out[0], v->out[1])}};
        OK(run_op(&op));
        near(got, wanted, count, 1e-6);
        op.attr = pool_attributes(v);
        run_in_halves(&op, got, count);
        near(got, wanted, count, 1e-3);
    }
}
END_TEST

START_TEST(pooling_global_and_same)
{
    float x[12] = {1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6}, got[6];
    const double mean[2] = {3.5, -3.5}, same[2] = {5, 6};
    struct op_case op = {"AvgPoolV2",
                         aclopCreateAttr(),
                         1,
                         1,
                         {VALUE(ACL_FLOAT, x, 1, 2, 2, 3)},
                         {VALUE(ACL_FLOAT, got, 1, 2, 1, 1)}};

    OK(aclopSetAttrBool(op.attr, "global_pooling", 1));
    OK(aclopSetAttrString(op.attr, "padding_mode", "VALID"));
    OK(run_op(&op));
    near(got, mean, 2, 0);
    op = (struct op_case){"MaxPoolV3",
                          aclopCreateAttr(),
                          1,
                          1,
                          {VALUE(ACL_FLOAT, x, 1, 1, 2, 3)},
                          {VALUE(ACL_FLOAT, got, 1, 1, 1, 2)}};
    OK(aclopSetAttrListInt(op.attr, "ksize", ARGUMENTS(4, 1, 1, 2, 2)));
    OK(aclopSetAttrListInt(op.attr, "strides", ARGUMENTS(4, 1, 1, 2, 2)));
    OK(aclopSetAttrString(op.attr, "padding_mode", "SAME"));
    OK(run_op(&op));
    near(got, same, 2, 0);
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op)); /* without ksize */
    op.in[0] = VALUE(ACL_FLOAT, x, 1, 2, 3);
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op)); /* 2-D only */
}
END_TEST

/* ---- matrices ------------------------------------------------------------------------------- */

START_TEST(batch_matmul)
{
    float a[2 * 3 * 4], b[4 * 5], got[30];
    int left = _i & 1, right = _i >> 1;
    double wanted[30];
    struct op_case op = {"BatchMatMul", NULL, 2, 1, {{0}}, {VALUE(ACL_FLOAT, got, 2, 3, 5)}};

    fill(a, 24, 8);
    fill(b, 20, 9);
    for (int n = 0; n < 2; n++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 5; j++) {
                double *at = &wanted[(n * 3 + i) * 5 + j];

                *at = 0;
                for (int k = 0; k < 4; k++)
                    *at += (double)a[n * 12 + (left ? k * 3 + i : i * 4 + k)] *
                           (double)b[right ? j * 4 + k : k * 5 + j];
            }
    op.in[0] = left ? VALUE(ACL_FLOAT, a, 2, 4, 3) : VALUE(ACL_FLOAT, a, 2, 3, 4);
    op.in[1] = right ? VALUE(ACL_FLOAT, b, 5, 4) : VALUE(ACL_FLOAT, b, 4, 5);
    for (int half = 0; half < 2; half++) {
        op.attr = aclopCreateAttr();
        OK(aclopSetAttrBool(op.attr, "adj_x1", (uint8_t)left));
        OK(aclopSetAttrBool(op.attr, "adj_x2", (uint8_t)right));
        if (half)
            run_in_halves(&op, got, 30);
        else
            OK(run_op(&op));
        near(got, wanted, 30, half ? 2e-3 : 1e-5);
    }
}
END_TEST

START_TEST(matmul_with_bias_and_gemm)
{
    int32_t x[4] = {1, 2, 3, 4}, y[4] = {5, 6, 7, 8}, product[4];
    const int32_t sums[4] = {119, 122, 143, 150};
    int32_t bias[2] = {100, 100};
    float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, c[4] = {1, 10, 100, 1000}, got[4];
    float alpha = 0.5f, beta = 2;
    const double scaled[4] = {15, 35, 219, 2022}; /* a' b / 2 + 2 c */
    struct op_case op = {
        "MatMulV2",
        NULL,
        3,
        1,
        {VALUE(ACL_INT32, x, 2, 2), VALUE(ACL_INT32, y, 2, 2), VALUE(ACL_INT32, bias, 2)},
        {VALUE(ACL_INT32, product, 2, 2)}};

    OK(run_op(&op));
    ck_assert_mem_eq(product, sums, sizeof sums);
    op = (struct op_case){"GEMM",
                          aclopCreateAttr(),
                          5,
                          1,
                          {VALUE(ACL_FLOAT, a, 2, 2), VALUE(ACL_FLOAT, b, 2, 2),
                           VALUE(ACL_FLOAT, c, 2, 2), VALUE(ACL_FLOAT, &alpha, 1),
                           VALUE(ACL_FLOAT, &beta, 1)},
                          {VALUE(ACL_FLOAT, got, 2, 2)}};
    OK(aclopSetAttrBool(op.attr, "transpose_a", 1));
    OK(run_op(&op));
    near(got, scaled, 4, 0);
    op.in[2] = VALUE(ACL_FLOAT, c, 2);
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op));
    op.inputs = 2;
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op));
}
END_TEST

/* ---- the rest ------------------------------------------------------------------------------- */

START_TEST(batch_norm)
{
    float x[2 * 3 * 2], parts[4][3] = {{1, 2, 3}, {-1, 0, 1}, {0.5f, 1, 2}, {1, 4, 9}};
    float got[12], mean[3], variance[3], spare[2][3];
    double wanted[12];

    fill(x, 12, 10);
    for (int i = 0; i < 12; i++) {
        int c = i / 2 % 3;

        wanted[i] = ((double)x[i] - (double)parts[2][c]) / sqrt((double)parts[3][c] + 0.001) *
                        (double)parts[0][c] +
                    (double)parts[1][c];
    }
    struct op_case op = {"BatchNorm",
                         aclopCreateAttr(),
                         5,
                         5,
                         {VALUE(ACL_FLOAT, x, 2, 3, 1, 2), VALUE(ACL_FLOAT, parts[0], 3),
                          VALUE(ACL_FLOAT, parts[1], 3), VALUE(ACL_FLOAT, parts[2], 3),
                          VALUE(ACL_FLOAT, parts[3], 3)},
                         {VALUE(ACL_FLOAT, got, 2, 3, 1, 2), VALUE(ACL_FLOAT, mean, 3),
                          VALUE(ACL_FLOAT, variance, 3), VALUE(ACL_FLOAT, spare[0], 3),
                          VALUE(ACL_FLOAT, spare[1], 3)}};
    OK(aclopSetAttrFloat(op.attr, "epsilon", 0.001f));
    OK(aclopSetAttrBool(op.attr, "is_training", 0));
    OK(run_op(&op));
    near(got, wanted, 12, 1e-5);
    ck_assert_mem_eq(mean, parts[2], sizeof mean);
    ck_assert_mem_eq(variance, parts[3], sizeof variance);
    op.attr = aclopCreateAttr();
    OK(aclopSetAttrBool(op.attr, "is_training", 1));
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op));
}
END_TEST

START_TEST(softmax_along_an_axis)
{
    float x[2 * 3 * 2], got[12];
    double wanted[12];

    fill(x, 12, 11);
    for (int i = 0; i < 12; i++) {
        int first = i / 6 * 6 + i % 2;
        double sum = 0;

        for (int j = 0; j < 3; j++)
            sum += exp((double)x[first + 2 * j]);
        wanted[i] = exp((double)x[i]) / sum;
    }
    struct op_case op = {"SoftmaxV2",
                         aclopCreateAttr(),
                         1,
                         1,
                         {VALUE(ACL_FLOAT, x, 2, 3, 2)},
                         {VALUE(ACL_FLOAT, got, 2, 3, 2)}};
    OK(aclopSetAttrListInt(op.attr, "axes", ARGUMENTS(1, 1)));
    OK(run_op(&op));
    near(got, wanted, 12, 1e-6);
    op.attr = aclopCreateAttr();
    OK(aclopSetAttrListInt(op.attr, "axes", ARGUMENTS(1, 3)));
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op));
}
END_TEST

static aclopAttr *to_type(aclDataType type)
{
    aclopAttr *attr = aclopCreateAttr();

    OK(aclopSetAttrInt(attr, "dst_type", type));
    return attr;
}

START_TEST(cast_between_all_types)
{
    double x[5] = {-1.9, 300.7, (double)NAN, 1e30, 0};
    float back[5];
    uint8_t bytes[5], flags[5];
    const uint8_t cut[5] = {0, 255, 0, 255, 0}, truth[5] = {1, 1, 1, 1, 0};
    uint16_t halves[5];
    struct op_case op = {"Cast", to_type(ACL_UINT8),        1,
                         1,      {VALUE(ACL_DOUBLE, x, 5)}, {VALUE(ACL_UINT8, bytes, 5)}};

    OK(run_op(&op));
    ck_assert_mem_eq(bytes, cut, 5);
    op.attr = to_type(ACL_BOOL);
    op.out[0] = VALUE(ACL_BOOL, flags, 5);
    OK(run_op(&op));
    ck_assert_mem_eq(flags, truth, 5);
    op.attr = to_type(ACL_FLOAT16);
    op.out[0] = VALUE(ACL_FLOAT16, halves, 5);
    OK(run_op(&op));
    ck_assert_uint_eq(halves[0], 0xbf9a);
    ck_assert_uint_eq(halves[3], 0x7c00);
    op.attr = to_type(ACL_FLOAT);
    op.in[0] = VALUE(ACL_UINT8, bytes, 5);
    op.out[0] = VALUE(ACL_FLOAT, back, 5);
    OK(run_op(&op));
    ck_assert(back[1] == 255);
    op.attr = to_type(ACL_STRING);
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op));
    op.attr = to_type(ACL_INT32); /* the output is described as a float */
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op));
}
END_TEST

START_TEST(transpose_broadcast_and_fill)
{
    int64_t x[6] = {0, 1, 2, 3, 4, 5}, got[12];
    const int64_t turned[6] = {0, 3, 1, 4, 2, 5}, twice[12] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
    uint8_t flag = 1, flags[4] = {0};
    int64_t shape[2] = {2, 2};
    struct op_case op = {"TransposeD",
                         aclopCreateAttr(),
                         1,
                         1,
                         {VALUE(ACL_INT64, x, 2, 3)},
                         {VALUE(ACL_INT64, got, 3, 2)}};

    OK(aclopSetAttrListInt(op.attr, "perm", ARGUMENTS(2, 1, 0)));
    OK(run_op(&op));
    ck_assert_mem_eq(got, turned, sizeof turned);
    op.attr = aclopCreateAttr();
    OK(aclopSetAttrListInt(op.attr, "perm", ARGUMENTS(2, 1, 1)));
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op));
    op = (struct op_case){"BroadcastToD",
                          aclopCreateAttr(),
                          1,
                          1,
                          {VALUE(ACL_INT64, x, 3)},
                          {VALUE(ACL_INT64, got, 4, 3)}};
    OK(aclopSetAttrListInt(op.attr, "shape", ARGUMENTS(2, 4, 3)));
    OK(run_op(&op));
    ck_assert_mem_eq(got, twice, sizeof twice);
    op = (struct op_case){"Fill",
                          NULL,
                          2,
                          1,
                          {VALUE(ACL_INT64, shape, 2), VALUE(ACL_BOOL, &flag, 1)},
                          {VALUE(ACL_BOOL, flags, 2, 2)}};
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op)); /* the shape has to be known */
    op.in[0].is_constant = 1;
    OK(run_op(&op));
    ck_assert_int_eq(flags[3], 1);
}
END_TEST

START_TEST(reshape_flatten_and_identity)
{
    int16_t x[24], got[24];
    struct op_case op = {"Flatten",
                         aclopCreateAttr(),
                         1,
                         1,
                         {VALUE(ACL_INT16, x, 2, 3, 4)},
                         {VALUE(ACL_INT16, got, 6, 4)}};

    for (int16_t i = 0; i < 24; i++)
        x[i] = i;
    OK(aclopSetAttrInt(op.attr, "axis", 2));
    OK(run_op(&op));
    ck_assert_mem_eq(got, x, sizeof x);
    op.attr = aclopCreateAttr();
    OK(aclopSetAttrInt(op.attr, "axis", 4));
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op));
    memset(got, 0, sizeof got);
    op = (struct op_case){
        "Reshape", NULL, 1, 1, {VALUE(ACL_INT16, x, 2, 3, 4)}, {VALUE(ACL_INT16, got, 4, 6)}};
    OK(run_op(&op));
    ck_assert_mem_eq(got, x, sizeof x);
    op.out[0] = VALUE(ACL_INT16, got, 4, 5);
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op));
    memset(got, 0, sizeof got);
    op.type = "Identity";
    op.out[0] = VALUE(ACL_INT16, got, 2, 3, 4);
    OK(run_op(&op));
    ck_assert_mem_eq(got, x, sizeof x);
}
END_TEST

START_TEST(refuses_unsupported_descriptions_and_attributes)
{
    float x[2] = {1, 2};
    int32_t numbers[2] = {1, 2};
    struct op_case op = {"NoSuchOperator",        NULL, 1, 1, {VALUE(ACL_FLOAT, x, 2)},
                         {VALUE(ACL_FLOAT, x, 2)}};

    FAILS(ACL_ERROR_OP_NOT_FOUND, run_op(&op));
    op.type = "Sqrt";
    op.in[0] = VALUE(ACL_INT32, numbers, 2);
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op));
    ck_assert_str_eq(aclGetRecentErrMsg(),
                     "E500002: Sqrt: input 0 is of type 3, which it does not take");
    op.in[0] = VALUE(ACL_FLOAT, x, 2);
    op.out[0] = VALUE(ACL_FLOAT, x, 1);
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op));
    op = (struct op_case){"Add",
                          NULL,
                          2,
                          1,
                          {VALUE(ACL_FLOAT, x, 2), VALUE(ACL_INT32, numbers, 2)},
                          {VALUE(ACL_FLOAT, x, 2)}};
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op));
    op.inputs = 1;
    FAILS(ACL_ERROR_GE_FAILURE, run_op(&op));
    ck_assert_str_eq(aclGetRecentErrMsg(),
                     "E500002: Add: it has 2 to 2 inputs and 1 outputs, not 1 and 1");
    ck_assert_uint_eq(counters().launches, 0);
}
END_TEST

START_TEST(force_fp16_rounds)
{
    float x[3] = {1.0f + 1e-4f, 70000, -70000}, got[3];
    struct op_case op = {"Abs", NULL, 1, 1, {VALUE(ACL_FLOAT, x, 3)}, {VALUE(ACL_FLOAT, got, 3)}};
    char mode[16];

    OK(run_op(&op));
    ck_assert(got[0] == x[0]);
    OK(aclSetCompileopt(ACL_PRECISION_MODE, "force_fp16"));
    OK(run_op(&op));
    ck_assert(got[0] == 1 && got[1] == 65504 && got[2] == 65504);
    ck_assert_uint_eq(counters().compiles, 2);
    ck_assert_uint_eq(aclGetCompileoptSize(ACL_PRECISION_MODE), sizeof "force_fp16");
    OK(aclGetCompileopt(ACL_PRECISION_MODE, mode, sizeof mode));
    ck_assert_str_eq(mode, "force_fp16");
    FAILS(ACL_ERROR_INVALID_PARAM, aclGetCompileopt(ACL_PRECISION_MODE, mode, 10));
    FAILS(ACL_ERROR_INVALID_PARAM, aclSetCompileopt(ACL_PRECISION_MODE, "fp17"));
    FAILS(ACL_ERROR_FEATURE_UNSUPPORTED, aclSetCompileopt(ACL_AUTO_TUNE_MODE, "GA"));
    ck_assert(aclFloat16ToFloat(aclFloatToFloat16(1e9f)) == 65504);
    ck_assert(aclFloat16ToFloat(0xfc00) == -65536);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("operators");

    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_loop_test(tests, unary_operators, 0, (int)(sizeof unary / sizeof unary[0]));
    tcase_add_test(tests, exp_and_log_with_a_base);
    tcase_add_test(tests, integer_overflow_wraps);
    tcase_add_loop_test(tests, binary_operators_broadcast, 0, 7);
    tcase_add_loop_test(tests, convolution_2d, 0, (int)(sizeof convs / sizeof convs[0]));
    tcase_add_test(tests, convolution_1d_and_3d);
    tcase_add_loop_test(tests, pooling_2d, 0, (int)(sizeof pools / sizeof pools[0]));
    tcase_add_test(tests, pooling_global_and_same);
    tcase_add_loop_test(tests, batch_matmul, 0, 4);
    tcase_add_test(tests, matmul_with_bias_and_gemm);
    tcase_add_test(tests, batch_norm);
    tcase_add_test(tests, softmax_along_an_axis);
    tcase_add_test(tests, cast_between_all_types);
    tcase_add_test(tests, transpose_broadcast_and_fill);
    tcase_add_test(tests, reshape_flatten_and_identity);
    tcase_add_test(tests, refuses_unsupported_descriptions_and_attributes);
    tcase_add_test(tests, force_fp16_rounds);
    return check_main("cann_sim_operators", &tests, 1);
}
