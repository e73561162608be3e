/* SPDX-License-Identifier: MIT */
/* fact.c - what is known of a value: its content when it is small, and questions about it. */

#include "config.h"

#include "graph/fact.h"

#include <inttypes.h>
#include <math.h>

#include "graph/schema.h"

/* ---- content --------------------------------------------------------------------------------- */

/* n bytes, at most 8, as ONNX stores them, whatever the byte order of this machine. */
static uint64_t little_endian(const uint8_t *bytes, uint32_t n)
{
    uint64_t x = 0;

    for (uint32_t i = 0; i < n; i++)
        x |= (uint64_t)bytes[i] << (8 * i);
    return x;
}

/* Integers and bool as an int64_t; false: another type, or larger than an int64_t. */
static bool read_whole(uint32_t dtype, const uint8_t *bytes, uint32_t n, int64_t *out)
{
    uint64_t x = little_endian(bytes, n);
    uint64_t sign = UINT64_C(1) << (8 * n - 1);

    switch (dtype) {
    case BP_DTYPE_BOOL:
        *out = x != 0;
        return true;
    case BP_DTYPE_U8:
    case BP_DTYPE_U16:
    case BP_DTYPE_U32:
    case BP_DTYPE_U64:
        *out = (int64_t)x;
        return x <= INT64_MAX;
    case BP_DTYPE_I8:
    case BP_DTYPE_I16:
    case BP_DTYPE_I32:
    case BP_DTYPE_I64:
        *out = (int64_t)((x ^ sign) - sign); /* the sign, carried to the top */
        return true;
    default:
        return false;
    }
}

/* IEEE 754 binary16: subnormals, infinities and NaN included. */
static double real_of_f16(uint32_t bits)
{
    uint32_t exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    double x;

    if (exponent == 0x1f)
        x = fraction ? (double)NAN : HUGE_VAL;
    else if (exponent == 0)
        x = ldexp(fraction, -24);
    else
        x = ldexp(fraction | 0x400, (int)exponent - 25);
    return bits & 0x8000 ? -x : x;
}

static double real_of_f32(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

/* Floats of 16 to 64 bits as a double, which holds each of them exactly. */
static double read_real(uint32_t dtype, const uint8_t *bytes, uint32_t n)
{
    uint64_t x = little_endian(bytes, n);
    double real;

    if (dtype == BP_DTYPE_F32)
        return real_of_f32((uint32_t)x);
    if (dtype == BP_DTYPE_BF16)
        return real_of_f32((uint32_t)x << 16);
    if (dtype == BP_DTYPE_F16)
        return real_of_f16((uint32_t)x);
    memcpy(&real, &x, sizeof real);
    return real;
}

/* Number of elements; false: not exact, or more than `most`. */
static bool count_elements(const struct bp_fact *fact, uint32_t most, uint32_t *out)
{
    uint64_t n = 1;

    *out = 0;
    if (!bp_fact_is_exact(fact))
        return false;
    for (uint32_t i = 0; i < fact->rank; i++) {
        if (fact->dims[i].value == 0)
            return true;
    }
    for (uint32_t i = 0; i < fact->rank && n <= most; i++) {
        if (fact->dims[i].value > most)
            return false;
        n *= (uint64_t)fact->dims[i].value;
    }
    *out = (uint32_t)n;
    return n <= most;
}

static bool is_real(uint32_t dtype)
{
    return dtype == BP_DTYPE_F16 || dtype == BP_DTYPE_BF16 || dtype == BP_DTYPE_F32 ||
           dtype == BP_DTYPE_F64;
}

/* Types whose content is followed as integers. */
static bool is_whole(uint32_t dtype)
{
    return dtype == BP_DTYPE_BOOL || (dtype < BP_DTYPE_END && (BP_T_INT | BP_T_UINT) >> dtype & 1);
}

bool bp_fact_has_content(const struct bp_fact *fact)
{
    uint32_t n;

    return (is_whole(fact->dtype) && count_elements(fact, BP_MAX_CONTENT, &n)) ||
           (is_real(fact->dtype) && count_elements(fact, BP_MAX_REALS, &n));
}

static bp_rc fail_content(bp_err *err)
{
    return bp_fail_nomem(err, "the content of a small tensor");
}

/* An element that does not fit in 63 bits leaves the content unknown, as shapes cannot hold it. */
static bp_rc set_whole(struct bp_fact *fact, const uint8_t *bytes, uint32_t n,
                       struct bp_region *region, bp_err *err)
{
    struct bp_sym *content = bp_region_array(region, n, sizeof *content);
    uint32_t width = bp_dtype_width(fact->dtype) / 8;

    if (!content)
        return fail_content(err);
    for (uint32_t i = 0; i < n; i++) {
        if (!read_whole(fact->dtype, bytes + (size_t)i * width, width, &content[i].value))
            return BP_OK;
    }
    fact->content = content;
    fact->n_content = n;
    return BP_OK;
}

/* The same for floats, of which scales and limits are read, never weights. */
static bp_rc set_reals(struct bp_fact *fact, const uint8_t *bytes, uint32_t n,
                       struct bp_region *region, bp_err *err)
{
    double *reals = bp_region_array(region, n, sizeof *reals);
    uint32_t width = bp_dtype_width(fact->dtype) / 8;

    if (!reals)
        return fail_content(err);
    for (uint32_t i = 0; i < n; i++)
        reals[i] = read_real(fact->dtype, bytes + (size_t)i * width, width);
    fact->reals = reals;
    fact->n_content = n;
    return BP_OK;
}

bp_rc bp_infer_content(struct bp_fact *fact, const void *bytes, struct bp_region *region,
                       bp_err *err)
{
    uint32_t n;

    fact->content = NULL;
    fact->reals = NULL;
    fact->n_content = 0;
    if (is_whole(fact->dtype) && count_elements(fact, BP_MAX_CONTENT, &n))
        return set_whole(fact, bytes, n, region, err);
    if (is_real(fact->dtype) && count_elements(fact, BP_MAX_REALS, &n))
        return set_reals(fact, bytes, n, region, err);
    return BP_OK;
}

/* ---- questions ------------------------------------------------------------------------------- */

bool bp_fact_is_blank(const struct bp_fact *fact)
{
    return fact->kind == BP_KIND_TENSOR && fact->dtype == BP_DTYPE_NONE &&
           fact->rank == BP_RANK_UNKNOWN;
}

const struct bp_fact *bp_fact_innermost(const struct bp_fact *fact)
{
    while (fact && (fact->kind == BP_KIND_SEQUENCE || fact->kind == BP_KIND_OPTIONAL ||
                    fact->kind == BP_KIND_SPARSE))
        fact = fact->item;
    return fact && fact->kind == BP_KIND_TENSOR ? fact : NULL;
}

bool bp_node_is_host_op(const struct bp_ir_node *node, const struct bp_fact *facts)
{
    bool is_host_op = node->n_subgraphs > 0 || (node->schema && node->schema->is_host_op);

    for (uint32_t i = 0; !is_host_op && i < node->n_in; i++)
        is_host_op = node->in[i] != BP_NONE && facts[node->in[i]].kind != BP_KIND_TENSOR;
    for (uint32_t i = 0; !is_host_op && i < node->n_out; i++)
        is_host_op = node->out[i] != BP_NONE && facts[node->out[i]].kind != BP_KIND_TENSOR;
    return is_host_op;
}

bool bp_fact_is_exact(const struct bp_fact *fact)
{
    if (fact->rank == BP_RANK_UNKNOWN)
        return false;
    for (uint32_t i = 0; i < fact->rank; i++) {
        if (!bp_sym_known(fact->dims[i]) || fact->dims[i].value < 0)
            return false;
    }
    return true;
}

bool bp_fact_needs_data(const struct bp_fact *fact, const struct bp_symbols *symbols)
{
    if (fact->rank == BP_RANK_UNKNOWN)
        return true;
    for (uint32_t i = 0; i < fact->rank; i++) {
        if (bp_symbols_from_data(symbols, fact->dims[i]))
            return true;
    }
    return false;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void say(char *buf, size_t cap, size_t *len, const char *fmt, ...) BP_PRINTF(4, 5);
/* Appends to a buffer of fixed size; what does not fit is cut. */
static void say(char *buf, size_t cap, size_t *len, const char *fmt, ...)
{
    va_list args;
    int n;

    if (*len + 1 >= cap)
        return;
    va_start(args, fmt);
    n = vsnprintf(buf + *len, cap - *len, fmt, args);
    va_end(args);
    if (n > 0)
        *len = (size_t)n < cap - *len ? *len + (size_t)n : cap - 1;
}

static void say_fact(char *buf, size_t cap, size_t *len, const struct bp_fact *fact,
                     const struct bp_symbols *symbols);

static void say_item(char *buf, size_t cap, size_t *len, const struct bp_fact *item,
                     const struct bp_symbols *symbols)
{
    if (item)
        say_fact(buf, cap, len, item, symbols);
    else
        say(buf, cap, len, "?");
}

/* "seq(float32[...])" */
static void say_kind(char *buf, size_t cap, size_t *len, const struct bp_fact *fact,
                     const struct bp_symbols *symbols)
{
    static const char *const names[BP_KIND_END] = {"tensor", "seq", "optional", "map",
                                                   "sparse_tensor"};

    say(buf, cap, len, "%s(", names[fact->kind]);
    if (fact->kind == BP_KIND_MAP && fact->item) {
        say(buf, cap, len, "%s,", bp_dtype_name(fact->item[0].dtype));
        say_item(buf, cap, len, &fact->item[1], symbols);
    } else {
        say_item(buf, cap, len, fact->item, symbols);
    }
    say(buf, cap, len, ")");
}

/* "batch,3,?": names of sizes, exact ones, and "?" for those that have neither. */
static void say_shape(char *buf, size_t cap, size_t *len, const struct bp_fact *fact,
                      const struct bp_symbols *symbols)
{
    for (uint32_t i = 0; i < fact->rank; i++) {
        struct bp_sym dim = fact->dims[i];

        say(buf, cap, len, "%s", i ? "," : "");
        if (!bp_sym_known(dim))
            say(buf, cap, len, "%s",
                bp_symbols_is_nameless(symbols, dim) ? "?" : bp_symbols_name(symbols, dim));
        else if (dim.value < 0)
            say(buf, cap, len, "?");
        else
            say(buf, cap, len, "%" PRId64, dim.value);
    }
}

static void say_fact(char *buf, size_t cap, size_t *len, const struct bp_fact *fact,
                     const struct bp_symbols *symbols)
{
    if (fact->kind != BP_KIND_TENSOR) {
        say_kind(buf, cap, len, fact, symbols);
        return;
    }
    say(buf, cap, len, "%s[", fact->dtype ? bp_dtype_name(fact->dtype) : "?");
    if (fact->rank == BP_RANK_UNKNOWN)
        say(buf, cap, len, "...");
    else
        say_shape(buf, cap, len, fact, symbols);
    say(buf, cap, len, "]");
}

void bp_fact_text(const struct bp_fact *fact, const struct bp_symbols *symbols, char *buf,
                  size_t cap)
{
    size_t len = 0;

    if (cap > 0)
        buf[0] = '\0';
    say_fact(buf, cap, &len, fact, symbols);
}
