/* SPDX-License-Identifier: MIT */
/* operator_case.c - see operator_case.h. */

#include "config.h"

#include "opencl/operator_case.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

enum { MOST_IN = 16, MOST_RANK = 6, WORD = 64 };

struct input {
    char name[8], type[16];
    bool is_constant;
    uint32_t dtype, rank;
    int64_t dims[MOST_RANK];
    int64_t number; /* of "i64<K" and "i64=K" */
    size_t count, bytes;
    char how; /* '<', '=' or 0 */
    void *data;
};

struct trial {
    const struct operator_case *row;
    uint64_t state;
    int64_t letters[26];
    struct input in[MOST_IN];
    uint32_t n_in, n_out;
};

/* ---- texts ----------------------------------------------------------------------------------- */

/* The next word of a list; false: it is at its end. */
static bool next_word(const char **list, char *word)
{
    size_t n;

    while (**list == ' ')
        (*list)++;
    n = strcspn(*list, " ");
    ck_assert_uint_lt(n, WORD);
    memcpy(word, *list, n);
    word[n] = '\0';
    *list += n;
    return n > 0;
}

static int64_t number_of(const struct trial *t, const char *text)
{
    return isupper((unsigned char)*text) ? t->letters[*text - 'A'] : strtoll(text, NULL, 10);
}

static uint32_t type_of(const char *name)
{
    static const struct {
        const char *name;
        uint32_t dtype;
    } types[] = {{"f32", BP_DTYPE_F32},  {"scale", BP_DTYPE_F32}, {"u8", BP_DTYPE_U8},
                 {"i8", BP_DTYPE_I8},    {"i32", BP_DTYPE_I32},   {"i64", BP_DTYPE_I64},
                 {"bool", BP_DTYPE_BOOL}};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i].name, name) == 0)
            return types[i].dtype;
    }
    ck_abort_msg("no type %s", name);
}

/* "!i64<K:3,N" */
static void read_input(struct trial *t, struct input *in, char *word)
{
    char *shape = strchr(word, ':'), *how;

    ck_assert_ptr_nonnull(shape);
    *shape++ = '\0';
    in->is_constant = *word == '!';
    word += in->is_constant;
    how = strpbrk(word, "<=");
    if (how) {
        in->how = *how;
        in->number = number_of(t, how + 1);
        *how = '\0';
    }
    snprintf(in->type, sizeof in->type, "%s", word);
    in->dtype = type_of(word);
    in->count = 1;
    while (*shape) {
        in->dims[in->rank] = number_of(t, shape);
        in->count *= (size_t)in->dims[in->rank++];
        shape += strcspn(shape, ",");
        shape += *shape == ',';
    }
}

/* ---- contents -------------------------------------------------------------------------------- */

static void fill(struct trial *t, struct input *in)
{
    in->bytes = in->count * bp_dtype_width(in->dtype) / 8;
    in->data = malloc(in->bytes + 1);
    ck_assert_ptr_nonnull(in->data);
    for (size_t i = 0; i < in->count; i++) {
        float real = random_float(&t->state, 2);
        int64_t whole =
            in->how == '=' ? in->number
            : in->how == '<'
                ? (int64_t)random_below(&t->state, (uint32_t)in->number * 2) - in->number
                : (int64_t)random_below(&t->state, 7) - 3;

        if (in->dtype == BP_DTYPE_F32)
            ((float *)in->data)[i] = strcmp(in->type, "scale") == 0 ? 0.02f + real / 200 : real;
        else if (in->dtype == BP_DTYPE_I64)
            ((int64_t *)in->data)[i] = whole;
        else if (in->dtype == BP_DTYPE_I32)
            ((int32_t *)in->data)[i] = (int32_t)whole;
        else if (in->dtype == BP_DTYPE_BOOL)
            ((uint8_t *)in->data)[i] = (uint8_t)random_below(&t->state, 2);
        else
            ((uint8_t *)in->data)[i] = (uint8_t)random_below(&t->state, 256);
    }
}

/* ---- the model ------------------------------------------------------------------------------- */

static void write_attr(struct trial *t, char *word)
{
    char *value = strchr(word, '=');

    ck_assert_ptr_nonnull(value);
    *value++ = '\0';
    switch (*value) {
    case 'i':
        kit_int_attr(word, number_of(t, value + 2));
        break;
    case 'f':
        pw_open_attr(&kit.w, word, 1);
        pw_float(&kit.w, 2, strtof(value + 2, NULL));
        pw_close(&kit.w);
        break;
    case 's':
        pw_open_attr(&kit.w, word, 3);
        pw_text(&kit.w, 4, value + 2);
        pw_close(&kit.w);
        break;
    default:
        pw_open_attr(&kit.w, word, 7);
        for (value += 2; *value; value += *value == ',') {
            pw_int(&kit.w, 8, number_of(t, value));
            value += strcspn(value, ",");
        }
        pw_close(&kit.w);
    }
}

static void declare(const struct input *in)
{
    char shape[WORD] = "";
    int64_t dims[MOST_RANK + 1];
    size_t at = 0;

    for (uint32_t d = 0; d < in->rank; d++) {
        dims[d] = in->dims[d];
        at += (size_t)snprintf(shape + at, sizeof shape - at, "%s%lld", d ? "," : "",
                               (long long)in->dims[d]);
    }
    dims[in->rank] = -1;
    if (in->is_constant)
        pw_raw_tensor(&kit.w, 5, in->name, (int32_t)in->dtype, dims, in->data, in->bytes);
    else
        kit_io(KIT_INPUT, in->name, in->dtype, shape);
}

static void write_model(struct trial *t)
{
    char word[WORD], in[WORD * 3] = "", out[WORD] = "";
    const char *list = t->row->in;
    int n = 0, at = 0;

    kit_start_model_at(t->row->domain ? 13 : t->row->since);
    while (next_word(&list, word)) {
        struct input *input = &t->in[t->n_in];

        if (strcmp(word, "-") == 0) {
            n += snprintf(in + n, sizeof in - (size_t)n, "- ");
            continue;
        }
        snprintf(input->name, sizeof input->name, "x%u", t->n_in++);
        read_input(t, input, word);
        fill(t, input);
        declare(input);
        n += snprintf(in + n, sizeof in - (size_t)n, "%s ", input->name);
    }
    in[n - 1] = '\0';
    for (list = t->row->out; next_word(&list, word); at = (int)strlen(out)) {
        if (strcmp(word, "-") == 0) {
            snprintf(out + at, sizeof out - (size_t)at, "%s-", at ? " " : "");
            continue;
        }
        snprintf(out + at, sizeof out - (size_t)at, "%sy%u", at ? " " : "", t->n_out);
        snprintf(in + n, sizeof in - (size_t)n, "y%u", t->n_out++);
        kit_io(KIT_OUTPUT, in + n, type_of(word), NULL);
        in[n - 1] = '\0';
    }
    kit_open_node("node", t->row->op, in, out);
    if (t->row->domain)
        pw_text(&kit.w, 7, t->row->domain);
    for (list = t->row->attrs; next_word(&list, word);)
        write_attr(t, word);
    pw_close(&kit.w);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static bp_key_value option; /* of opencl */

void operator_option(const char *key, const char *value)
{
    option = (bp_key_value){key, value};
}

static void run(struct trial *t, const char *provider, bp_binding *out)
{
    bp_binding in[MOST_IN];
    uint32_t n = 0;

    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    if (strcmp(provider, "opencl") == 0 && option.key)
        kit_provider_with(provider, option.key, option.value);
    else
        kit_provider(provider, BP_FALLBACK_DEFAULT);
    KIT_OK(bp_session_options_set_fallback(kit.options, BP_FALLBACK_REQUIRE, &kit.err));
    kit_session();
    for (uint32_t i = 0; i < t->n_in; i++) {
        if (!t->in[i].is_constant) {
            in[n] = kit_tensor(n, t->in[i].dtype, t->in[i].data, t->in[i].rank, t->in[i].dims);
            n++;
        }
    }
    for (uint32_t i = 0; i < t->n_out; i++)
        out[i] = kit_wanted(i);
    kit_run(in, n, out, t->n_out);
    kit_end_session();
}

static double element(const bp_tensor *tensor, size_t i)
{
    const void *data = bp_tensor_data(tensor);

    switch (tensor->dtype) {
    case BP_DTYPE_F32:
        return (double)((const float *)data)[i];
    case BP_DTYPE_I64:
        return (double)((const int64_t *)data)[i];
    case BP_DTYPE_I32:
        return ((const int32_t *)data)[i];
    case BP_DTYPE_I8:
        return ((const int8_t *)data)[i];
    default:
        return ((const uint8_t *)data)[i];
    }
}

static void compare(const struct trial *t, uint32_t output, const bp_tensor *got,
                    const bp_tensor *want)
{
    size_t n = (size_t)bp_dims_count(want->dims, want->rank);
    double largest = 1;

    ck_assert_uint_eq(got->dtype, want->dtype);
    kit_check_dims(got, want->rank, want->dims);
    for (size_t i = 0; i < n && want->dtype == BP_DTYPE_F32; i++)
        largest = fabs(element(want, i)) > largest ? fabs(element(want, i)) : largest;
    for (size_t i = 0; i < n; i++) {
        double a = element(got, i), b = element(want, i);

        ck_assert_msg(fabs(a - b) <= t->row->tolerance * largest || (isnan(a) && isnan(b)),
                      "%s '%s' of '%s': output %u, element %zu of %zu is %.9g, by cpu %.9g",
                      t->row->op, t->row->attrs, t->row->in, output, i, n, a, b);
    }
}

static void try_once(const struct operator_case *row, uint64_t seed, uint32_t most)
{
    struct trial t = {.row = row, .state = seed};
    bp_binding got[4], want[4];

    for (int i = 0; i < 26; i++)
        t.letters[i] = 1 + (int64_t)random_below(&t.state, most);
    write_model(&t);
    run(&t, "opencl", got);
    run(&t, "cpu", want);
    for (uint32_t i = 0; i < t.n_out; i++) {
        compare(&t, i, &got[i].tensor, &want[i].tensor);
        bp_tensor_free(&got[i].tensor);
        bp_tensor_free(&want[i].tensor);
    }
    for (uint32_t i = 0; i < t.n_in; i++)
        free(t.in[i].data);
}

void operator_case_run(const struct operator_case *row, uint32_t count, uint32_t most)
{
    for (uint32_t i = 0; i < count; i++)
        try_once(row, i * 977 + 1, most);
}

bool operator_has_device(void)
{
    kit_small_model();
    kit_provider("opencl", BP_FALLBACK_REQUIRE);
    return kit_try_session() == BP_OK;
}
