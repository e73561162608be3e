/* SPDX-License-Identifier: MIT */
/* operator_fuzz_data.c - sizes, shapes and contents for operator_fuzz_make.c. */

#include "config.h"

#include "end_to_end/operator_fuzz.h"

#include <math.h>

/* ---- sizes and types ------------------------------------------------------------------------- */

int64_t fuzz_edge(struct fuzz *fuzz)
{
    static const int64_t edges[] = {
        INT64_MIN,     INT64_MIN + 1, INT32_MIN, -65536,    -100,       -3,        255,
        256,           65535,         INT32_MAX, 1LL << 31, UINT32_MAX, 1LL << 32, 1LL << 40,
        INT64_MAX / 2, INT64_MAX - 1, INT64_MAX, 1000,      20,         1LL << 62};

    fuzz->is_large = true;
    return FUZZ_PICK(fuzz, edges);
}

int64_t fuzz_size(struct fuzz *fuzz)
{
    static const int64_t usual[] = {1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8};
    static const int64_t more[] = {0, 0, 0, 9, 15, 16, 17, 31, 33, 64, 65};
    static const int64_t many[] = {100, 127, 130, 200, 257, 1025};

    if (fuzz_chance(fuzz, 75))
        return FUZZ_PICK(fuzz, usual);
    return fuzz_chance(fuzz, 90) ? FUZZ_PICK(fuzz, more) : FUZZ_PICK(fuzz, many);
}

uint32_t fuzz_dtype(struct fuzz *fuzz, uint64_t types)
{
    static const uint32_t usual[] = {BP_DTYPE_F32, BP_DTYPE_F32, BP_DTYPE_F32, BP_DTYPE_I64,
                                     BP_DTYPE_F16, BP_DTYPE_F64, BP_DTYPE_U8,  BP_DTYPE_STRING};
    uint32_t dtype = FUZZ_PICK(fuzz, usual);

    if (fuzz_chance(fuzz, 50) && (types >> dtype & 1))
        return dtype;
    for (uint32_t i = 0; i < 1000; i++) {
        dtype = 1 + fuzz_below(fuzz, BP_DTYPE_END - 1);
        if (types >> dtype & 1)
            return dtype;
    }
    return BP_DTYPE_F32;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

struct hint {
    const char *op, *shapes;
};

static const struct hint hints[] = {
#define HINT(op, shapes) {op, shapes},
#include "end_to_end/operator_fuzz_hints.inc"
#undef HINT
};

/* One of the hints for the operator, or NULL. */
static const char *find_hint(struct fuzz *fuzz)
{
    uint32_t n = 0, chosen;

    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        n += strcmp(hints[i].op, fuzz->row->op) == 0;
    chosen = fuzz->letters[0] >= 0 && n ? (uint32_t)(fuzz->list + fuzz->n_spatial) % n : 0;
    for (size_t i = 0; n > 0 && i < sizeof hints / sizeof hints[0]; i++) {
        if (strcmp(hints[i].op, fuzz->row->op) == 0 && chosen-- == 0)
            return hints[i].shapes;
    }
    return NULL;
}

static void add_dim(struct fuzz_value *value, int64_t size)
{
    if (value->rank < FUZZ_RANK)
        value->dims[value->rank++] = size;
}

/* Dimensions from a hint's text, up to a blank. */
static void shape_of_hint(struct fuzz *fuzz, struct fuzz_value *value, const char *p)
{
    value->rank = 0;
    while (*p && *p != ' ') {
        char *end;
        int64_t times = strtoll(p, &end, 10);
        bool has_number = end != p;

        p = end;
        if (*p == '*' || *p == '+') {
            for (uint32_t d = 0; d < fuzz->n_spatial; d++)
                add_dim(value, *p == '*' ? fuzz->spatial[d] : fuzz->window[d]);
        } else if (*p >= 'A' && *p <= 'Z') {
            add_dim(value, (has_number ? times : 1) * fuzz->letters[*p - 'A']);
        } else if (*p == 'r') {
            add_dim(value, (has_number ? times : 1) * fuzz->in[0].rank);
        } else if (has_number) {
            add_dim(value, times);
        }
        while (*p && *p != ' ' && *p != ',')
            p++;
        p += *p == ',';
    }
}

static void random_shape(struct fuzz *fuzz, struct fuzz_value *value)
{
    value->rank = fuzz_below(fuzz, 6);
    for (uint32_t d = 0; d < value->rank; d++)
        value->dims[d] =
            fuzz_chance(fuzz, 60) ? fuzz->letters[fuzz_below(fuzz, 4)] : fuzz_size(fuzz);
}

/* The shape of input 0, or one that broadcasts with it. */
static void like_first(struct fuzz *fuzz, struct fuzz_value *value)
{
    const struct fuzz_value *first = &fuzz->in[0];
    uint32_t skip = fuzz_chance(fuzz, 15) ? fuzz_below(fuzz, first->rank + 1) : 0;

    value->rank = 0;
    for (uint32_t d = skip; d < first->rank; d++)
        add_dim(value, fuzz_chance(fuzz, 10) ? 1 : first->dims[d]);
}

/* Lists of sizes, axes and the like. */
static void list_shape(struct fuzz *fuzz, struct fuzz_value *value)
{
    static const uint32_t lengths[] = {0, 1, 1, 2, 3, 4, 6, 8};

    value->rank = fuzz_chance(fuzz, 90);
    value->dims[0] = fuzz_chance(fuzz, 60) ? fuzz->in[0].rank : FUZZ_PICK(fuzz, lengths);
}

static void break_shape(struct fuzz *fuzz, struct fuzz_value *value)
{
    uint32_t d = fuzz_below(fuzz, value->rank);

    switch (fuzz_below(fuzz, 6)) {
    case 0:
        random_shape(fuzz, value);
        break;
    case 1:
        add_dim(value, fuzz_size(fuzz));
        break;
    case 2:
        value->rank -= value->rank > 0;
        break;
    case 3:
        if (value->rank > 0)
            value->dims[d] = fuzz_edge(fuzz) & INT64_MAX;
        break;
    case 4:
        if (value->rank > 0)
            value->dims[d] = 0;
        break;
    default:
        if (value->rank > 0)
            value->dims[d] = (value->dims[d] & 0xffff) + 1;
        break;
    }
}

/* Scales and zero points are mostly scalars. */
static bool is_quant(const char *name)
{
    return strstr(name, "scale") || strstr(name, "zero_point");
}

uint32_t fuzz_hinted(struct fuzz *fuzz)
{
    const char *hint = find_hint(fuzz);
    uint32_t n = hint ? 1 : 0;

    for (; hint && *hint; hint++)
        n += *hint == ' ';
    return n;
}

void fuzz_set_shape(struct fuzz *fuzz, struct fuzz_value *value, uint32_t i, bool *is_left_out)
{
    const char *hint = find_hint(fuzz);
    bool is_hinted = hint != NULL;

    for (uint32_t k = 0; hint && k < i; k++) {
        hint = strchr(hint, ' ');
        hint = hint ? hint + 1 : NULL;
    }
    *is_left_out = is_hinted && (!hint || *hint == '_');
    if (hint && *hint != '?' && *hint != '_' && fuzz_chance(fuzz, 95))
        shape_of_hint(fuzz, value, hint);
    else if (i > 0 && is_quant(value->param->name) && fuzz_chance(fuzz, 70))
        value->rank = 0;
    else if (i > 0 && value->param->flags & BP_PARAM_CONTENT)
        list_shape(fuzz, value);
    else if (i > 0 && fuzz_chance(fuzz, 75))
        like_first(fuzz, value);
    else
        random_shape(fuzz, value);
    if (fuzz_chance(fuzz, 6))
        break_shape(fuzz, value);
}

/* ---- contents -------------------------------------------------------------------------------- */

static float real(struct fuzz *fuzz)
{
    static const float odd[] = {0.0f,   -0.0f, 1.0f,  -1.0f,  0.5f,    1e30f,  -1e30f,
                                1e-40f, 2.5f,  1e10f, -1e19f, 3.4e38f, 255.5f, 1e-7f};
    uint32_t kind = fuzz_below(fuzz, 40);

    if (kind == 0)
        return FUZZ_PICK(fuzz, odd);
    if (kind == 1)
        return fuzz_chance(fuzz, 50) ? NAN : -NAN;
    if (kind == 2)
        return fuzz_chance(fuzz, 50) ? INFINITY : -INFINITY;
    if (kind < 8)
        return (float)fuzz_below(fuzz, 5);
    return random_float(&fuzz->state, 3.0f);
}

/* Numbers for indices, lengths and sizes: mostly small. */
static int64_t whole(struct fuzz *fuzz, bool is_tame)
{
    uint32_t kind = fuzz_below(fuzz, 100);

    if (is_tame)
        return (int64_t)fuzz_below(fuzz, 3);
    if (kind < 2)
        return fuzz_edge(fuzz);
    if (kind < 10)
        return -(int64_t)fuzz_below(fuzz, 5);
    if (kind < 20)
        return (int64_t)fuzz_below(fuzz, 130);
    return (int64_t)fuzz_below(fuzz, 5);
}

static uint16_t half_of(float x)
{
    static const uint16_t odd[] = {0x7c00, 0xfc00, 0x7e00, 0x7bff, 0x0001, 0x3c00, 0x8000};

    if (!(x > -4.0f && x < 4.0f)) /* NaN, infinities and the rest */
        return odd[(uint32_t)(x > 0) * 3];
    return (uint16_t)(((uint16_t)(x < 0) << 15) + (uint16_t)((x < 0 ? -x : x) * 4096.0f));
}

static void put_text(struct fuzz *fuzz, struct fuzz_value *value)
{
    static const char *const texts[] = {"",      "a",    "b",    "abc",   "1",        "-2.5e3",
                                        "nan",   "INF",  "a b",  "c,d,e", "\xff\xfe", "Ünï",
                                        "1e999", "0x10", "  x ", "the"};
    bp_span *spans = value->data;

    value->text = malloc(value->count * 8 + 1);
    for (size_t i = 0; i < value->count; i++) {
        const char *text = FUZZ_PICK(fuzz, texts);
        size_t n = strlen(text);

        memcpy(value->text + i * 8, text, n);
        spans[i] = (bp_span){n > 0 ? value->text + i * 8 : NULL, n};
    }
}

static void put_number(struct fuzz *fuzz, uint32_t dtype, bool is_tame, void *p)
{
    float x = real(fuzz);
    double d = (double)x;
    uint16_t h = half_of(x);
    int64_t n = whole(fuzz, is_tame);
    uint8_t odd = (uint8_t)random_next(&fuzz->state);

    switch (dtype) {
    case BP_DTYPE_F32:
    case BP_DTYPE_C64:
        memcpy(p, &x, sizeof x);
        if (dtype == BP_DTYPE_C64)
            memcpy((char *)p + sizeof x, &x, sizeof x);
        break;
    case BP_DTYPE_F64:
    case BP_DTYPE_C128:
        memcpy(p, &d, sizeof d);
        if (dtype == BP_DTYPE_C128)
            memcpy((char *)p + sizeof d, &d, sizeof d);
        break;
    case BP_DTYPE_F16:
        memcpy(p, &h, sizeof h);
        break;
    case BP_DTYPE_BF16:
        memcpy(p, (char *)&x + 2, 2);
        break;
    case BP_DTYPE_BOOL: /* other bytes than 0 and 1 are a feed's fault, and must do no harm */
        *(uint8_t *)p = fuzz_below(fuzz, 1000) ? odd & 1 : odd;
        break;
    case BP_DTYPE_I8:
    case BP_DTYPE_U8:
        *(uint8_t *)p = is_tame || fuzz_chance(fuzz, 50) ? (uint8_t)n : odd;
        break;
    default:
        if (bp_dtype_width(dtype) <= 8)
            *(uint8_t *)p = odd;
        else
            memcpy(p, &n, bp_dtype_width(dtype) / 8); /* little-endian: the low bytes */
        break;
    }
}

/* The sizes of input 0 in another order, one of them perhaps left to be found out. */
static void put_sizes(struct fuzz *fuzz, struct fuzz_value *value)
{
    int64_t *list = value->data;
    uint32_t rank = fuzz->in[0].rank;

    for (size_t i = 0; i < value->count; i++)
        list[i] = rank ? fuzz->in[0].dims[(i + fuzz->list) % rank] : 1;
    if (value->count > 0 && fuzz_chance(fuzz, 30))
        list[fuzz_below(fuzz, (uint32_t)value->count)] = -1;
}

void fuzz_fill(struct fuzz *fuzz, struct fuzz_value *value)
{
    uint32_t width = bp_dtype_width(value->dtype);
    size_t bytes = 0;

    value->is_tame = fuzz_chance(fuzz, 70);
    free(value->data);
    free(value->text);
    value->data = NULL;
    value->text = NULL;
    if (!bp_dense_bytes(value->dtype, value->dims, value->rank, &bytes))
        return;
    value->data = malloc(bytes ? bytes : 1);
    if (value->dtype == BP_DTYPE_I64 && value->rank == 1 && value->param &&
        value->param->flags & BP_PARAM_CONTENT && fuzz_chance(fuzz, 40)) {
        put_sizes(fuzz, value);
        return;
    }
    if (value->dtype == BP_DTYPE_STRING)
        put_text(fuzz, value);
    else if (width < 8)
        for (size_t i = 0; i < bytes; i++)
            put_number(fuzz, value->dtype, value->is_tame, (uint8_t *)value->data + i);
    else
        for (size_t i = 0; i < value->count; i++)
            put_number(fuzz, value->dtype, value->is_tame,
                       (uint8_t *)value->data + i * (width / 8));
}
