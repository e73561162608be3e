/* SPDX-License-Identifier: MIT */
/*
 * check_rules.c - wrong use of the API is refused as Android refuses it: null pointers, order of
 * calls, operands, quantisation, levels.
 */
#include "nn_kit.h"

static void setup(void)
{
    configure("devices = none");
}

/* ---- operands ------------------------------------------------------------------------------- */

static const uint32_t two_three[] = {2, 3}, huge[] = {65536, 65536},
                      many[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};

static const ANeuralNetworksOperandType wrong_types[] = {
    {99, 2, two_three, 0, 0},
    {-1, 2, two_three, 0, 0},
    {F32, 2, NULL, 0, 0},
    {F32, 0, two_three, 0, 0},
    {ANEURALNETWORKS_INT32, 2, two_three, 0, 0}, /* a scalar */
    {F32, 2, two_three, 0.5f, 0},
    {F32, 2, two_three, 0, 3},
    {F32, 2, huge, 0, 0}, /* more than 4 GB */
    {F32, 9, many, 0, 0},
    {I32, 2, two_three, -1, 0},
    {I32, 2, two_three, 1, 5},
    {Q8, 2, two_three, 0, 0},
    {Q8, 2, two_three, -0.5f, 0},
    {Q8, 2, two_three, 0.5f, 256},
    {Q8, 2, two_three, 0.5f, -1},
    {Q8S, 2, two_three, 0.5f, 128},
    {Q8S, 2, two_three, 0.5f, -129},
    {ANEURALNETWORKS_TENSOR_QUANT8_SYMM, 2, two_three, 0.5f, 1},
    {ANEURALNETWORKS_TENSOR_QUANT16_SYMM, 2, two_three, 0, 0},
    {ANEURALNETWORKS_TENSOR_QUANT16_ASYMM, 2, two_three, 0.5f, 65536},
    {Q8C, 2, two_three, 0.5f, 0},
};

START_TEST(operand_type_is_refused)
{
    ANeuralNetworksModel *model;

    OK(ANeuralNetworksModel_create(&model));
    FAILS(BAD_DATA, ANeuralNetworksModel_addOperand(model, &wrong_types[_i]));
    ANeuralNetworksModel_free(model);
}
END_TEST

START_TEST(null_pointers_are_refused)
{
    ANeuralNetworksOperandType type = {F32, 2, two_three, 0, 0};
    ANeuralNetworksModel *model;
    uint32_t index = 0;

    FAILS(IS_NULL, ANeuralNetworksModel_create(NULL));
    FAILS(IS_NULL, ANeuralNetworksModel_addOperand(NULL, &type));
    FAILS(IS_NULL, ANeuralNetworksModel_finish(NULL));
    OK(ANeuralNetworksModel_create(&model));
    FAILS(IS_NULL, ANeuralNetworksModel_addOperand(model, NULL));
    FAILS(IS_NULL, ANeuralNetworksModel_addOperation(model, 0, 1, NULL, 1, &index));
    FAILS(IS_NULL, ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &index, 1, NULL));
    FAILS(IS_NULL, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, 0, NULL));
    FAILS(IS_NULL, ANeuralNetworksModel_setOperandValueFromMemory(model, 0, NULL, 0, 1));
    FAILS(IS_NULL, ANeuralNetworksModel_setOperandValueFromModel(model, 0, NULL));
    FAILS(IS_NULL, ANeuralNetworksCompilation_create(model, NULL));
    FAILS(IS_NULL, ANeuralNetworksExecution_create(NULL, &(ANeuralNetworksExecution *){NULL}));
    FAILS(IS_NULL, ANeuralNetworksExecution_compute(NULL));
    FAILS(IS_NULL, ANeuralNetworksEvent_wait(NULL));
    FAILS(IS_NULL, ANeuralNetworksBurst_create(NULL, &(ANeuralNetworksBurst *){NULL}));
    FAILS(IS_NULL, ANeuralNetworks_getDeviceCount(NULL));
    FAILS(IS_NULL, ANeuralNetworksDevice_getName(NULL, &(const char *){NULL}));
    FAILS(IS_NULL, ANeuralNetworksMemory_createFromFd(4, 1, 0, 0, NULL));
    FAILS(IS_NULL, ANeuralNetworksMemoryDesc_create(NULL));
    ANeuralNetworksModel_free(model);
    ANeuralNetworksModel_free(NULL);
    ANeuralNetworksCompilation_free(NULL);
    ANeuralNetworksExecution_free(NULL);
    ANeuralNetworksEvent_free(NULL);
    ANeuralNetworksBurst_free(NULL);
    ANeuralNetworksMemory_free(NULL);
    ANeuralNetworksMemoryDesc_free(NULL);
    ck_assert_uint_eq(counters().refused[ANEURALNETWORKS_UNEXPECTED_NULL], 18);
}
END_TEST

START_TEST(values_have_the_operand_s_size)
{
    ANeuralNetworksOperandType type = {F32, 2, two_three, 0, 0}, scalar = {1, 0, NULL, 0, 0};
    ANeuralNetworksOperandType channels = {Q8C, 2, two_three, 0, 0}, inner = {15, 0, NULL, 0, 0};
    ANeuralNetworksSymmPerChannelQuantParams quant = {0, 2, (float[]){1, 2}};
    ANeuralNetworksModel *model;
    float values[6] = {0};

    OK(ANeuralNetworksModel_create(&model));
    OK(ANeuralNetworksModel_addOperand(model, &type));
    OK(ANeuralNetworksModel_addOperand(model, &scalar));
    OK(ANeuralNetworksModel_addOperand(model, &channels));
    OK(ANeuralNetworksModel_addOperand(model, &inner));
    FAILS(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, 0, values, 20));
    FAILS(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, 0, NULL, 24));
    FAILS(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, 0, values, 0));
    FAILS(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, 4, values, 24));
    FAILS(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, -1, values, 24));
    FAILS(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, 3, values, 4));
    OK(ANeuralNetworksModel_setOperandValue(model, 0, values, 24));
    OK(ANeuralNetworksModel_setOperandValue(model, 1, values, 4));
    FAILS(BAD_DATA, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, 0, &quant));
    quant.scaleCount = 3;
    FAILS(BAD_DATA, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, 2, &quant));
    quant = (ANeuralNetworksSymmPerChannelQuantParams){0, 2, (float[]){1, -2}};
    FAILS(BAD_DATA, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, 2, &quant));
    FAILS(BAD_DATA, ANeuralNetworksModel_setOperandValueFromModel(model, 3, model));
    ANeuralNetworksModel_free(model);
}
END_TEST

/* ---- models --------------------------------------------------------------------------------- */

/* A model of `n` float operands of one element. */
static ANeuralNetworksModel *floats(uint32_t n)
{
    static const uint32_t one[] = {1};
    ANeuralNetworksOperandType type = {F32, 1, one, 0, 0};
    ANeuralNetworksModel *model;

    OK(ANeuralNetworksModel_create(&model));
    for (uint32_t i = 0; i < n; i++)
        OK(ANeuralNetworksModel_addOperand(model, &type));
    return model;
}

static void add_relu(ANeuralNetworksModel *model, uint32_t from, uint32_t to)
{
    OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &from, 1, &to));
}

static int end(ANeuralNetworksModel *model, uint32_t in, uint32_t out)
{
    int code;

    OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &in, 1, &out));
    code = ANeuralNetworksModel_finish(model);
    ANeuralNetworksModel_free(model);
    return code;
}

START_TEST(graph_that_cannot_be_sorted_is_refused)
{
    ANeuralNetworksModel *model = floats(4);

    add_relu(model, 1, 2); /* a cycle */
    add_relu(model, 2, 1);
    add_relu(model, 0, 3);
    FAILS(BAD_DATA, end(model, 0, 3));
    model = floats(3); /* written twice */
    add_relu(model, 0, 1);
    add_relu(model, 0, 1);
    FAILS(BAD_DATA, end(model, 0, 1));
    model = floats(3); /* an input is written */
    add_relu(model, 1, 0);
    FAILS(BAD_DATA, end(model, 0, 2));
    model = floats(3); /* read, never written */
    add_relu(model, 1, 2);
    FAILS(BAD_DATA, end(model, 0, 2));
    model = floats(2); /* an output that is never written */
    FAILS(BAD_DATA, end(model, 0, 1));
    model = floats(3); /* in the wrong order, which is none */
    add_relu(model, 1, 2);
    add_relu(model, 0, 1);
    OK(end(model, 0, 2));
    ck_assert_uint_eq(counters().models_rejected, 5);
}
END_TEST

START_TEST(calls_after_the_end_are_refused)
{
    ANeuralNetworksOperandType type = {F32, 2, two_three, 0, 0};
    ANeuralNetworksModel *model = floats(2);
    ANeuralNetworksCompilation *compilation;
    uint32_t in = 0, out = 1;

    add_relu(model, 0, 1);
    FAILS(BAD_DATA, ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &in, 1, &in));
    FAILS(BAD_STATE, ANeuralNetworksCompilation_create(model, &compilation));
    OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &in, 1, &out));
    FAILS(BAD_DATA, ANeuralNetworksModel_setOperandValue(model, 0, &(float){1}, 4));
    OK(ANeuralNetworksModel_finish(model));
    FAILS(BAD_STATE, ANeuralNetworksModel_finish(model));
    FAILS(BAD_STATE, ANeuralNetworksModel_addOperand(model, &type));
    FAILS(BAD_STATE, ANeuralNetworksModel_addOperation(model, 19, 1, &in, 1, &out));
    FAILS(BAD_STATE, ANeuralNetworksModel_setOperandValue(model, 0, &(float){1}, 4));
    FAILS(BAD_STATE, ANeuralNetworksModel_relaxComputationFloat32toFloat16(model, true));
    ANeuralNetworksModel_free(model);
    model = floats(2);
    add_relu(model, 0, 1);
    FAILS(BAD_DATA, ANeuralNetworksModel_addOperation(model, 19, 1, &(uint32_t){2}, 1, &out));
    FAILS(BAD_DATA, ANeuralNetworksModel_addOperation(model, 999, 1, &in, 1, &out));
    FAILS(BAD_DATA, ANeuralNetworksModel_finish(model));  /* no outputs */
    FAILS(BAD_STATE, ANeuralNetworksModel_finish(model)); /* invalid for good */
    ANeuralNetworksModel_free(model);
}
END_TEST

/* ---- operations ----------------------------------------------------------------------------- */

START_TEST(operands_of_operations_are_checked)
{
    struct operand a = {F32, .given = true, DIMS(2), V(1, 2)}, y = {F32, DIMS(2)};
    struct operand q = {Q8, 0.5f, 0, .given = true, DIMS(2)}, qy = {Q8, 0.25f, 0, DIMS(2)};
    struct operand deep = {F32, .given = true, DIMS(1, 1, 1, 1, 2)};

    FAILS(BAD_DATA, FINISH(ADD, ((struct operand[]){a, a}), ((struct operand[]){y})));
    FAILS(BAD_DATA,
          FINISH(ADD, ((struct operand[]){a, a, INT(0), INT(0)}), ((struct operand[]){y})));
    FAILS(BAD_DATA, FINISH(ADD, ((struct operand[]){a, q, INT(0)}), ((struct operand[]){y})));
    FAILS(BAD_DATA, FINISH(ADD, ((struct operand[]){a, a, INT(4)}), ((struct operand[]){y})));
    FAILS(BAD_DATA, FINISH(ADD, ((struct operand[]){a, a, INT(0)}), ((struct operand[]){y, y})));
    FAILS(BAD_DATA, FINISH(ADD, ((struct operand[]){a, a, INT(0)}), ((struct operand[]){qy})));
    FAILS(BAD_DATA, FINISH(ADD, ((struct operand[]){deep, a, INT(0)}), ((struct operand[]){y})));
    FAILS(BAD_DATA, FINISH(FLOOR, ((struct operand[]){q}), ((struct operand[]){qy})));
    /* rules of quantisation */
    FAILS(BAD_DATA, FINISH(MUL, ((struct operand[]){q, q, INT(0)}), ((struct operand[]){qy})));
    FAILS(BAD_DATA, FINISH(RELU, ((struct operand[]){q}), ((struct operand[]){qy})));
    FAILS(BAD_DATA, FINISH(LOGISTIC, ((struct operand[]){q}), ((struct operand[]){qy})));
    qy.scale = 0.26f;
    OK(FINISH(MUL, ((struct operand[]){q, q, INT(0)}), ((struct operand[]){qy})));
    /* an operation that Android has and the simulator does not */
    FAILS(BAD_DATA, FINISH(LSTM, ((struct operand[]){a}), ((struct operand[]){y})));
    ck_assert_ptr_nonnull(strstr(last_error(), "LSTM: the simulator does not compute it"));
}
END_TEST

START_TEST(weights_and_biases_are_checked)
{
    struct operand x = {Q8, 0.5f, 0, .given = true, DIMS(1, 1, 1, 2)},
                   y = {Q8, 1, 0, DIMS(1, 1, 1, 2)};
    struct operand w = {Q8, 0.5f, 0, DIMS(2, 1, 1, 2)}, b = {I32, .scale = 0.25f, DIMS(2)};
    struct operand c = {Q8C, DIMS(2, 1, 1, 2), .scales = {1, 1, 1, 1}, .channel = 3};
    struct operand plain = {I32, DIMS(2)};

#define CONV(w, b, ...)                                                                            \
    FINISH(CONV_2D, ((struct operand[]){x, w, b, INT(2), INT(1), INT(1), INT(0), ##__VA_ARGS__}),  \
           ((struct operand[]){y}))
    OK(CONV(w, b));
    OK(CONV(w, b, FLAG(0)));
    OK(CONV(w, b, FLAG(0), INT(1), INT(1)));
    FAILS(BAD_DATA, CONV(w, b, FLAG(0), INT(1))); /* dilations come in pairs */
    FAILS(BAD_DATA, CONV(w, plain));              /* the bias has the scale of the product */
    FAILS(BAD_DATA, CONV(c, plain));              /* per channel, of the wrong dimension */
    c.channel = 0;
    OK(CONV(c, plain));
    FAILS(BAD_DATA, CONV(c, b)); /* of per-channel weights the bias has none */
    w.rank = 3;
    FAILS(BAD_DATA, CONV(w, b));
}
END_TEST

/* ---- levels --------------------------------------------------------------------------------- */

struct level_case {
    int64_t level;
    int32_t operation;
    struct operand in[11];
    uint32_t count;
    struct operand out;
};

#define X .given = true
#define POOL {F32, X, DIMS(1, 2, 2, 1)}, INT(2), INT(1), INT(1), INT(2), INT(2), INT(0)
#define IMAGE                                                                                      \
    {                                                                                              \
        F32, DIMS(1, 1, 1, 1)                                                                      \
    }

/* What nnapi.md says of operations and operands: the level from which on they are taken. */
static const struct level_case levels[] = {
    {27, ANEURALNETWORKS_ADD, {{F32, X, DIMS(1)}, {F32, X, DIMS(1)}, INT(0)}, 3, {F32, DIMS(1)}},
    {30, ANEURALNETWORKS_ADD, {{I32, X, DIMS(1)}, {I32, X, DIMS(1)}, INT(0)}, 3, {I32, DIMS(1)}},
    {29, ANEURALNETWORKS_ADD, {{F16, X, DIMS(1)}, {F16, X, DIMS(1)}, INT(0)}, 3, {F16, DIMS(1)}},
    {28, ANEURALNETWORKS_SUB, {{F32, X, DIMS(1)}, {F32, X, DIMS(1)}, INT(0)}, 3, {F32, DIMS(1)}},
    {29,
     ANEURALNETWORKS_SUB,
     {{Q8, 1, 0, X, DIMS(1)}, {Q8, 1, 0, X, DIMS(1)}, INT(0)},
     3,
     {Q8, 1, 0, DIMS(1)}},
    {29, ANEURALNETWORKS_LESS, {{F32, X, DIMS(1)}, {F32, X, DIMS(1)}}, 2, {B8, DIMS(1)}},
    {29, ANEURALNETWORKS_TANH, {{Q8, 1, 0, X, DIMS(1)}}, 1, {Q8, 1.f / 128, 128, DIMS(1)}},
    {30, ANEURALNETWORKS_RELU, {{Q8S, 1, 0, X, DIMS(1)}}, 1, {Q8S, 1, 0, DIMS(1)}},
    {27, ANEURALNETWORKS_AVERAGE_POOL_2D, {POOL}, 7, IMAGE},
    {29, ANEURALNETWORKS_AVERAGE_POOL_2D, {POOL, FLAG(0)}, 8, IMAGE},
    {27, ANEURALNETWORKS_SOFTMAX, {{F32, X, DIMS(1, 2)}, REAL(1)}, 2, {F32, DIMS(1, 2)}},
    {29, ANEURALNETWORKS_SOFTMAX, {{F32, X, DIMS(2)}, REAL(1)}, 2, {F32, DIMS(2)}},
    {29, ANEURALNETWORKS_SOFTMAX, {{F32, X, DIMS(1, 2)}, REAL(1), INT(1)}, 3, {F32, DIMS(1, 2)}},
    {27, ANEURALNETWORKS_RESIZE_BILINEAR, {{F32, X, DIMS(1, 1, 1, 1)}, INT(1), INT(1)}, 3, IMAGE},
    {29,
     ANEURALNETWORKS_RESIZE_BILINEAR,
     {{Q8, 1, 0, X, DIMS(1, 1, 1, 1)}, INT(1), INT(1)},
     3,
     {Q8, 1, 0, DIMS(1, 1, 1, 1)}},
    {29, ANEURALNETWORKS_RESIZE_BILINEAR, {{F32, X, DIMS(1, 1, 1, 1)}, REAL(1), REAL(1)}, 3, IMAGE},
    {30,
     ANEURALNETWORKS_RESIZE_BILINEAR,
     {{F32, X, DIMS(1, 1, 1, 1)}, INT(1), INT(1), FLAG(0), FLAG(0), FLAG(0)},
     6,
     IMAGE},
    {29,
     ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR,
     {{F32, X, DIMS(1, 1, 1, 1)}, INT(1), INT(1), FLAG(0)},
     4,
     IMAGE},
    {28, ANEURALNETWORKS_PAD, {{Q8, 1, 0, X, DIMS(1)}, {I32, DIMS(1, 2)}}, 2, {Q8, 1, 0, DIMS(1)}},
    {29, ANEURALNETWORKS_PAD, {{Q8, 1, 3, X, DIMS(1)}, {I32, DIMS(1, 2)}}, 2, {Q8, 1, 3, DIMS(1)}},
    {27, ANEURALNETWORKS_CONCATENATION, {{Q8, 1, 3, X, DIMS(1)}, INT(0)}, 2, {Q8, 1, 3, DIMS(1)}},
    {29, ANEURALNETWORKS_CONCATENATION, {{Q8, 1, 3, X, DIMS(1)}, INT(0)}, 2, {Q8, 2, 3, DIMS(1)}},
    {29, ANEURALNETWORKS_CAST, {{F32, X, DIMS(1)}}, 1, {I32, DIMS(1)}},
    {30, ANEURALNETWORKS_CAST, {{B8, X, DIMS(1)}}, 1, {B8, DIMS(1)}},
    {29, ANEURALNETWORKS_QUANTIZE, {{F32, X, DIMS(1)}}, 1, {Q8, 1, 0, DIMS(1)}},
    {30, ANEURALNETWORKS_QUANTIZE, {{F32, X, DIMS(1)}}, 1, {Q8S, 1, 0, DIMS(1)}},
    {27, ANEURALNETWORKS_DEQUANTIZE, {{Q8, 1, 0, X, DIMS(1)}}, 1, {F32, DIMS(1)}},
    {29, ANEURALNETWORKS_DEQUANTIZE, {{Q8, 1, 0, X, DIMS(1)}}, 1, {F16, DIMS(1)}},
    {27, ANEURALNETWORKS_RESHAPE, {{F32, X, DIMS(1)}, {I32, DIMS(1), V(1)}}, 2, {F32, DIMS(1)}},
    {1000006,
     ANEURALNETWORKS_RESHAPE,
     {{I32, X, DIMS(1)}, {I32, DIMS(1), V(1)}},
     2,
     {I32, DIMS(1)}},
    {1000007, ANEURALNETWORKS_RSQRT, {{Q8, 1, 0, X, DIMS(1)}}, 1, {Q8, 1, 0, DIMS(1)}},
    {1000007, ANEURALNETWORKS_REVERSE, {{F32, X, DIMS(1)}, {I32, DIMS(1)}}, 2, {F32, DIMS(1)}},
};

START_TEST(model_needs_a_level)
{
    static const int64_t all[] = {27, 28, 29, 30, 31, 1000006, 1000007, 1000008};
    const struct level_case *c = &levels[_i];
    int wanted = c->level <= 31 ? (int)c->level - 27 : (int)(c->level - 1000001);

    for (int i = 0; i < 8; i++) {
        char text[64];

        snprintf(text, sizeof text, "devices = none\nlevel = %lld", (long long)all[i]);
        configure(text);
        FAILS(i < wanted ? BAD_DATA : 0, finish_of(c->operation, c->in, c->count, &c->out, 1));
        snprintf(text, sizeof text, "devices = none\nstrict = off\nlevel = %lld",
                 (long long)all[i]);
        configure(text);
        OK(finish_of(c->operation, c->in, c->count, &c->out, 1));
        ck_assert_int_eq(counters().highest_level, c->level);
    }
}
END_TEST

/* Functions of a level above the runtime's are not there, as dlsym() says; calls are refused. */
START_TEST(functions_come_with_levels)
{
    uint32_t n;

    configure("level = 26");
    ck_assert_ptr_null(bp_nnapi_symbol("ANeuralNetworksModel_create"));
    FAILS(BAD_STATE, ANeuralNetworksModel_create(&(ANeuralNetworksModel *){NULL}));
    configure("level = 27");
    ck_assert_ptr_nonnull(bp_nnapi_symbol("ANeuralNetworksModel_create"));
    ck_assert_ptr_null(bp_nnapi_symbol("ANeuralNetworksModel_relaxComputationFloat32toFloat16"));
    ck_assert_ptr_null(bp_nnapi_symbol("ANeuralNetworks_getDeviceCount"));
    FAILS(BAD_STATE, ANeuralNetworks_getDeviceCount(&n));
    ck_assert_uint_eq(counters().too_new, 1);
    ck_assert_int_eq(ANeuralNetworks_getRuntimeFeatureLevel(), 0);
    ck_assert_int_eq(bp_nnapi_level(), 27);
    configure("level = 29");
    OK(ANeuralNetworks_getDeviceCount(&n));
    ck_assert_uint_eq(n, 3);
    ck_assert_ptr_null(bp_nnapi_symbol("ANeuralNetworksMemoryDesc_create"));
    configure("level = 7");
    ck_assert_int_eq(ANeuralNetworks_getRuntimeFeatureLevel(), 1000007);
    ck_assert_ptr_null(bp_nnapi_symbol("ANeuralNetworks_nonsense"));
}
END_TEST

/* ---- configurations ------------------------------------------------------------------------- */

static const char *const wrong[][2] = {
    {"nonsense", "line 1: \"nonsense\" is not \"key = value\""},
    {"\nnonsense = 1", "line 2: there is no key \"nonsense\" outside a device"},
    {"level = 25", "level cannot be \"25\""},
    {"level = 32", "level cannot be \"32\""},
    {"strict = maybe", "strict cannot be"},
    {"devices = gpu gpu", "devices cannot be"},
    {"devices = tpu", "devices cannot be"},
    {"device = nobody", "device cannot be"},
    {"device = sim-gpu\noperations = CONV_9D", "operations cannot be"},
    {"device = sim-gpu\noperation_ns = 0", "operation_ns cannot be"},
    {"device = sim-gpu\nstate = tired", "state cannot be"},
    {"device = sim-gpu\nmemory = lots", "memory cannot be"},
    {"fault = nowhere", "fault cannot be"},
    {"fault = compile code 99", "fault cannot be"},
    {"fault = compile after", "fault cannot be"},
};

START_TEST(configuration_is_refused)
{
    FAILS(BAD_DATA, bp_nnapi_configure(wrong[_i][0]));
    ck_assert_msg(strstr(last_error(), wrong[_i][1]) != NULL, "not \"%s\" but \"%s\"", wrong[_i][1],
                  last_error());
}
END_TEST

START_TEST(configuration_waits_for_objects)
{
    ANeuralNetworksModel *model = floats(1);

    FAILS(BAD_STATE, bp_nnapi_configure("level = 28"));
    ANeuralNetworksModel_free(model);
    OK(bp_nnapi_configure("level = 28"));
}
END_TEST

START_TEST(broken_file_is_said_by_every_call)
{
    ANeuralNetworksModel *model;

    setenv("BP_NNAPI_SIM", "/nonexistent/board", 1);
    FAILS(BAD_DATA, bp_nnapi_configure(NULL));
    FAILS(BAD_STATE, ANeuralNetworksModel_create(&model));
    ck_assert_ptr_nonnull(strstr(last_error(), "BP_NNAPI_SIM: /nonexistent/board"));
    unsetenv("BP_NNAPI_SIM");
    OK(bp_nnapi_configure(NULL));
    OK(ANeuralNetworksModel_create(&model));
    ANeuralNetworksModel_free(model);
}
END_TEST

START_TEST(constants_have_names)
{
    ck_assert_str_eq(bp_nnapi_operation_name(105), "REVERSE");
    ck_assert_ptr_null(bp_nnapi_operation_name(106));
    ck_assert_ptr_null(bp_nnapi_operation_name(-1));
    ck_assert_str_eq(bp_nnapi_operand_name(15), "MODEL");
    ck_assert_str_eq(bp_nnapi_result_name(14), "DEAD_OBJECT");
    ck_assert_ptr_null(bp_nnapi_result_name(15));
    ck_assert_int_eq(bp_nnapi_operation_level(ANEURALNETWORKS_TRANSPOSE), 28);
    ck_assert_int_eq(bp_nnapi_operation_level(ANEURALNETWORKS_LSTM), 0);
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("rules")};

    tcase_add_checked_fixture(cases[0], setup, nothing_lives);
    tcase_add_loop_test(cases[0], operand_type_is_refused, 0, (int)COUNT(wrong_types));
    tcase_add_test(cases[0], null_pointers_are_refused);
    tcase_add_test(cases[0], values_have_the_operand_s_size);
    tcase_add_test(cases[0], graph_that_cannot_be_sorted_is_refused);
    tcase_add_test(cases[0], calls_after_the_end_are_refused);
    tcase_add_test(cases[0], operands_of_operations_are_checked);
    tcase_add_test(cases[0], weights_and_biases_are_checked);
    tcase_add_loop_test(cases[0], model_needs_a_level, 0, (int)COUNT(levels));
    tcase_add_test(cases[0], functions_come_with_levels);
    tcase_add_loop_test(cases[0], configuration_is_refused, 0, (int)COUNT(wrong));
    tcase_add_test(cases[0], configuration_waits_for_objects);
    tcase_add_test(cases[0], broken_file_is_said_by_every_call);
    tcase_add_test(cases[0], constants_have_names);
    return check_main("nnapi_sim rules", cases, 1);
}
