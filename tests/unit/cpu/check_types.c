/* SPDX-License-Identifier: MIT */
/*
 * check_types.c - the CPU provider takes every element type that an operator's schema allows,
 * in each of its versions.
 */

#include "config.h"

#include "graph/schema_table.h"

#include <check.h>
#include <stdlib.h>

#include "support/test_host.h"
#include "support/typed.h"

bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* Operators that work element by element, or on elements along axes. */
static const char *const ops[] = {
    "Abs",
    "Acos",
    "Acosh",
    "Add",
    "And",
    "ArgMax",
    "ArgMin",
    "Asin",
    "Asinh",
    "Atan",
    "Atanh",
    "BitShift",
    "BitwiseAnd",
    "BitwiseNot",
    "BitwiseOr",
    "BitwiseXor",
    "Ceil",
    "Celu",
    "Clip",
    "ConstantOfShape",
    "Cos",
    "Cosh",
    "CumProd",
    "CumSum",
    "Div",
    "Elu",
    "Equal",
    "Erf",
    "Exp",
    "EyeLike",
    "Floor",
    "Gelu",
    "Greater",
    "GreaterOrEqual",
    "HardSigmoid",
    "HardSwish",
    "Hardmax",
    "IsInf",
    "IsNaN",
    "LeakyRelu",
    "Less",
    "LessOrEqual",
    "Log",
    "LogSoftmax",
    "Max",
    "Mean",
    "Min",
    "Mish",
    "Mod",
    "Mul",
    "Neg",
    "Not",
    "Or",
    "PRelu",
    "Pow",
    "Range",
    "Reciprocal",
    "ReduceL1",
    "ReduceL2",
    "ReduceLogSum",
    "ReduceLogSumExp",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSum",
    "ReduceSumSquare",
    "Relu",
    "Round",
    "Selu",
    "Shrink",
    "Sigmoid",
    "Sign",
    "Sin",
    "Sinh",
    "Softmax",
    "Softplus",
    "Softsign",
    "Sqrt",
    "Sub",
    "Sum",
    "SwiGLU",
    "Swish",
    "Tan",
    "Tanh",
    "ThresholdedRelu",
    "Trilu",
    "Where",
    "Xor",
};

static bool is_ours(const struct bp_schema *schema)
{
    for (size_t i = 0; i < COUNT(ops); i++) {
        if (schema->domain[0] == '\0' && strcmp(schema->op, ops[i]) == 0)
            return true;
    }
    return false;
}

static uint32_t first_type(uint64_t types)
{
    uint32_t dtype = 1;

    while (dtype < BP_DTYPE_END - 1 && !(types >> dtype & 1))
        dtype++;
    return dtype;
}

/* The type of a parameter when those of type variable `var` are `dtype`. */
static uint32_t type_of(const struct bp_param *param, uint32_t var, uint32_t dtype)
{
    return param->type_var == var ? dtype : first_type(param->types);
}

/* Asks the provider for one node of that operator; its words where it refuses, else NULL. */
static const char *refusal(const struct bp_schema *schema, uint32_t var, uint32_t dtype)
{
    static const char *const names[] = {"a", "b", "c"};
    static const uint64_t zeros[4];
    static char words[256];
    struct th *t = th_new(bp_provider_entry_v1);
    char in[16] = "";
    const char *answer = NULL;

    for (uint32_t i = 0; i < schema->n_in; i++) {
        const struct bp_param *param = &schema->in[i];

        if (param->flags & BP_PARAM_OPTIONAL)
            continue;
        th_input(t, names[i], type_of(param, var, dtype), "1", zeros);
        strcat(strcat(in, i > 0 ? " " : ""), names[i]);
    }
    th_output(t, "y", type_of(&schema->out[0], var, dtype), "1");
    th_node(t, schema->op, schema->since, in, "y");
    if (strcmp(schema->op, "BitShift") == 0)
        th_string(t, "direction", "LEFT");
    if (strcmp(schema->op, "Mod") == 0 && typed_is_float(dtype))
        th_int(t, "fmod", 1);
    if (th_claim(t) < 0) {
        snprintf(words, sizeof words, "%s", th_message(t));
        answer = words;
    }
    th_free(t);
    return answer;
}

START_TEST(provider_claims_every_type_of_every_operator_version)
{
    uint32_t count, asked = 0, refused = 0;
    const struct bp_schema *const *all = bp_schema_all(&count);

    for (uint32_t s = 0; s < count; s++) {
        const struct bp_param *first = all[s]->n_in > 0 ? &all[s]->in[0] : NULL;

        if (!is_ours(all[s]))
            continue;
        if (strcmp(all[s]->op, "ConstantOfShape") == 0 || strcmp(all[s]->op, "Where") == 0)
            first = &all[s]->out[0]; /* whose type varies */
        for (uint32_t dtype = 1; dtype < BP_DTYPE_END; dtype++) {
            const char *words;

            if (!(first->types >> dtype & 1))
                continue;
            words = refusal(all[s], first->type_var, dtype);
            asked++;
            if (words) {
                refused++;
                printf("%s-%u, type %u: %s\n", all[s]->op, all[s]->since, dtype, words);
            }
        }
    }
    ck_assert_uint_gt(asked, 1000);
    ck_assert_uint_eq(refused, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_types");
    TCase *tcase = tcase_create("types");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, provider_claims_every_type_of_every_operator_version);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
