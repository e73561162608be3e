/* SPDX-License-Identifier: MIT */
/* check_control.c - IF and WHILE of the simulated runtime: branches, loops and their limit. */
#include "nn_kit.h"

static const uint32_t one[] = {1};
static const ANeuralNetworksOperandType flag = {B8, 1, one, 0, 0}, number = {I32, 1, one, 0, 0},
                                        real = {F32, 1, one, 0, 0},
                                        inner = {ANEURALNETWORKS_MODEL, 0, NULL, 0, 0},
                                        scalar = {ANEURALNETWORKS_INT32, 0, NULL, 0, 0};

static ANeuralNetworksModel *models[3]; /* the outer one first */
static ANeuralNetworksCompilation *compilation;

/* A new model of these operands. */
static ANeuralNetworksModel *operands(uint32_t n, const ANeuralNetworksOperandType *const *types)
{
    ANeuralNetworksModel *model;

    OK(ANeuralNetworksModel_create(&model));
    for (uint32_t i = 0; i < n; i++)
        OK(ANeuralNetworksModel_addOperand(model, types[i]));
    return model;
}

#define OPERANDS(...)                                                                              \
    operands(sizeof((const ANeuralNetworksOperandType *[]){__VA_ARGS__}) / sizeof(void *),         \
             (const ANeuralNetworksOperandType *[]){__VA_ARGS__})
#define LIST(...)                                                                                  \
    sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (uint32_t[])                             \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static ANeuralNetworksModel *unary(int32_t operation)
{
    ANeuralNetworksModel *model = OPERANDS(&real, &real);

    OK(ANeuralNetworksModel_addOperation(model, operation, LIST(0), LIST(1)));
    OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, LIST(0), LIST(1)));
    OK(ANeuralNetworksModel_finish(model));
    return model;
}

static void compile(void)
{
    OK(ANeuralNetworksModel_finish(models[0]));
    OK(ANeuralNetworksCompilation_create(models[0], &compilation));
    OK(ANeuralNetworksCompilation_finish(compilation));
}

static void release(void)
{
    ANeuralNetworksCompilation_free(compilation);
    compilation = NULL;
    for (int i = 0; i < 3; i++)
        ANeuralNetworksModel_free(models[i]);
    nothing_lives();
}

START_TEST(if_runs_one_branch)
{
    for (char condition = 0; condition < 2; condition++) {
        ANeuralNetworksExecution *run;
        float x = 4, y = 0;

        configure("devices = none");
        models[0] = OPERANDS(&flag, &inner, &inner, &real, &real);
        models[1] = unary(ANEURALNETWORKS_SQRT);
        models[2] = unary(ANEURALNETWORKS_NEG);
        OK(ANeuralNetworksModel_setOperandValueFromModel(models[0], 1, models[1]));
        OK(ANeuralNetworksModel_setOperandValueFromModel(models[0], 2, models[2]));
        OK(ANeuralNetworksModel_addOperation(models[0], ANEURALNETWORKS_IF, LIST(0, 1, 2, 3),
                                             LIST(4)));
        OK(ANeuralNetworksModel_identifyInputsAndOutputs(models[0], LIST(0, 3), LIST(4)));
        compile();
        OK(ANeuralNetworksExecution_create(compilation, &run));
        OK(ANeuralNetworksExecution_setInput(run, 0, NULL, &condition, 1));
        OK(ANeuralNetworksExecution_setInput(run, 1, NULL, &x, sizeof x));
        OK(ANeuralNetworksExecution_setOutput(run, 0, NULL, &y, sizeof y));
        OK(ANeuralNetworksExecution_compute(run));
        ck_assert(y == (condition ? 2.0f : -4.0f));
        ANeuralNetworksExecution_free(run);
        release();
    }
}
END_TEST

START_TEST(if_needs_branches_that_fit)
{
    const uint32_t dims[] = {2};
    const ANeuralNetworksOperandType two = {F32, 1, dims, 0, 0};

    configure("devices = none");
    models[0] = OPERANDS(&flag, &inner, &inner, &two, &real);
    models[1] = unary(ANEURALNETWORKS_SQRT);
    models[2] = unary(ANEURALNETWORKS_NEG);
    OK(ANeuralNetworksModel_setOperandValueFromModel(models[0], 1, models[1]));
    OK(ANeuralNetworksModel_setOperandValueFromModel(models[0], 2, models[2]));
    OK(ANeuralNetworksModel_addOperation(models[0], ANEURALNETWORKS_IF, LIST(0, 1, 2, 3), LIST(4)));
    OK(ANeuralNetworksModel_identifyInputsAndOutputs(models[0], LIST(0, 3), LIST(4)));
    FAILS(BAD_DATA, ANeuralNetworksModel_finish(models[0]));
    release();
}
END_TEST

/* ---- WHILE: for (; i < limit; i++) x *= 2 ------------------------------------------------------ */

/* i < limit, of a state (i, x). */
static ANeuralNetworksModel *make_condition(int32_t limit)
{
    ANeuralNetworksModel *model = OPERANDS(&number, &real, &number, &flag);

    OK(ANeuralNetworksModel_setOperandValue(model, 2, &limit, sizeof limit));
    OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_LESS, LIST(0, 2), LIST(3)));
    OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, LIST(0, 1), LIST(3)));
    OK(ANeuralNetworksModel_finish(model));
    return model;
}

static ANeuralNetworksModel *make_body(void)
{
    static const int32_t step = 1, none = ANEURALNETWORKS_FUSED_NONE;
    static const float factor = 2;
    ANeuralNetworksModel *model = OPERANDS(&number, &real, &number, &real, &scalar, &number, &real);

    OK(ANeuralNetworksModel_setOperandValue(model, 2, &step, sizeof step));
    OK(ANeuralNetworksModel_setOperandValue(model, 3, &factor, sizeof factor));
    OK(ANeuralNetworksModel_setOperandValue(model, 4, &none, sizeof none));
    OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, LIST(0, 2, 4), LIST(5)));
    OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_MUL, LIST(1, 3, 4), LIST(6)));
    OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, LIST(0, 1), LIST(5, 6)));
    OK(ANeuralNetworksModel_finish(model));
    return model;
}

static void compile_loop(const char *config, int32_t limit)
{
    configure(config);
    models[0] = OPERANDS(&inner, &inner, &number, &real, &number, &real);
    models[1] = make_condition(limit);
    models[2] = make_body();
    OK(ANeuralNetworksModel_setOperandValueFromModel(models[0], 0, models[1]));
    OK(ANeuralNetworksModel_setOperandValueFromModel(models[0], 1, models[2]));
    OK(ANeuralNetworksModel_addOperation(models[0], ANEURALNETWORKS_WHILE, LIST(0, 1, 2, 3),
                                         LIST(4, 5)));
    OK(ANeuralNetworksModel_identifyInputsAndOutputs(models[0], LIST(2, 3), LIST(4, 5)));
    compile();
}

/* The loop, with a limit of its own if it is not 0; the code. */
static int loop(uint64_t limit, int32_t *i, float *x)
{
    ANeuralNetworksExecution *run;
    int32_t from = 0;
    float start = 3;
    int code;

    OK(ANeuralNetworksExecution_create(compilation, &run));
    if (limit)
        OK(ANeuralNetworksExecution_setLoopTimeout(run, limit));
    OK(ANeuralNetworksExecution_setInput(run, 0, NULL, &from, sizeof from));
    OK(ANeuralNetworksExecution_setInput(run, 1, NULL, &start, sizeof start));
    OK(ANeuralNetworksExecution_setOutput(run, 0, NULL, i, sizeof *i));
    OK(ANeuralNetworksExecution_setOutput(run, 1, NULL, x, sizeof *x));
    code = ANeuralNetworksExecution_compute(run);
    ANeuralNetworksExecution_free(run);
    return code;
}

START_TEST(while_runs_as_long_as_its_condition_holds)
{
    int32_t i = -1;
    float x = -1;

    for (int32_t limit = 0; limit < 6; limit += 5) { /* never, and five times */
        compile_loop("devices = none", limit);
        OK(loop(0, &i, &x));
        ck_assert_int_eq(i, limit);
        ck_assert(x == (limit ? 96.0f : 3.0f));
        release();
    }
}
END_TEST

START_TEST(while_ends_at_its_limit)
{
    int32_t i;
    float x;

    ck_assert_uint_eq(ANeuralNetworks_getDefaultLoopTimeout(), 2000000000);
    ck_assert_uint_eq(ANeuralNetworks_getMaximumLoopTimeout(), 15000000000);
    compile_loop("devices = none", 10);
    OK(loop(1000000, &i, &x));
    ck_assert_int_eq(i, 10);
    FAILS(ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT, loop(10000, &i, &x));
    ck_assert_uint_eq(counters().missed_transient, 1);
    release();
}
END_TEST

/* A loop without end, on a device on which each operation takes a tenth of a second of simulated time. */
START_TEST(limits_of_loops_have_a_default_and_a_maximum)
{
    static const char slow[] = "devices = none\nreference = off\ndevice = slow cpu\n"
                               "operation_ns = 100000000";
    int32_t i;
    float x;

    compile_loop(slow, 10); /* 3.1 s */
    FAILS(ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT, loop(0, &i, &x));
    OK(loop(UINT64_MAX, &i, &x));
    ck_assert_int_eq(i, 10);
    release();
    compile_loop(slow, INT32_MAX); /* a limit of its own is at most the maximum: this ends */
    FAILS(ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT, loop(UINT64_MAX, &i, &x));
    release();
}
END_TEST

/* A loop whose body or condition gives something else than the loop has. */
START_TEST(while_needs_models_that_fit)
{
    configure("devices = none");
    for (int i = 0; i < 2; i++) {
        models[0] = OPERANDS(&inner, &inner, &real, &real);
        models[1] = unary(ANEURALNETWORKS_SQRT); /* a condition that is no truth value */
        models[2] = unary(ANEURALNETWORKS_NEG);
        if (i) { /* a state of floats for models of a number and a float */
            ANeuralNetworksModel_free(models[1]);
            ANeuralNetworksModel_free(models[2]);
            models[1] = make_condition(5);
            models[2] = make_body();
        }
        OK(ANeuralNetworksModel_setOperandValueFromModel(models[0], 0, models[1]));
        OK(ANeuralNetworksModel_setOperandValueFromModel(models[0], 1, models[2]));
        OK(ANeuralNetworksModel_addOperation(models[0], ANEURALNETWORKS_WHILE, LIST(0, 1, 2),
                                             LIST(3)));
        OK(ANeuralNetworksModel_identifyInputsAndOutputs(models[0], LIST(2), LIST(3)));
        FAILS(BAD_DATA, ANeuralNetworksModel_finish(models[0]));
        ck_assert_ptr_nonnull(strstr(last_error(), i ? "has 2 inputs, not 1" : "the condition"));
        release();
    }
}
END_TEST

START_TEST(inner_models_are_finished_and_not_the_model_itself)
{
    ANeuralNetworksModel *open;

    configure("devices = none");
    models[0] = OPERANDS(&inner);
    models[1] = models[2] = NULL;
    OK(ANeuralNetworksModel_create(&open));
    FAILS(BAD_STATE, ANeuralNetworksModel_setOperandValueFromModel(models[0], 0, open));
    FAILS(BAD_DATA, ANeuralNetworksModel_setOperandValueFromModel(models[0], 0, models[0]));
    ANeuralNetworksModel_free(open);
    release();
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("control")};

    tcase_add_test(cases[0], if_runs_one_branch);
    tcase_add_test(cases[0], if_needs_branches_that_fit);
    tcase_add_test(cases[0], while_runs_as_long_as_its_condition_holds);
    tcase_add_test(cases[0], while_ends_at_its_limit);
    tcase_add_test(cases[0], limits_of_loops_have_a_default_and_a_maximum);
    tcase_add_test(cases[0], while_needs_models_that_fit);
    tcase_add_test(cases[0], inner_models_are_finished_and_not_the_model_itself);
    return check_main("nnapi_sim control", cases, 1);
}
