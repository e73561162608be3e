/* SPDX-License-Identifier: MIT */
/* bind_signature.c - parses the signature of a bound function: a subset of a C declaration. */

#include "config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "custom/bind.h"

/* Where reading has come to in a line; after a failure, what is wrong stands there. */
struct reader {
    const char *line, *at;
    bp_err *err;
};

static const struct {
    const char *word;
    uint32_t dtype;
} types[] = {
    {"float", BP_DTYPE_F32},
    {"double", BP_DTYPE_F64},
    {"bool", BP_DTYPE_BOOL},
    {"int8_t", BP_DTYPE_I8},
    {"int16_t", BP_DTYPE_I16},
    {"int32_t", BP_DTYPE_I32},
    {"int64_t", BP_DTYPE_I64},
    {"uint8_t", BP_DTYPE_U8},
    {"uint16_t", BP_DTYPE_U16},
    {"uint32_t", BP_DTYPE_U32},
    {"uint64_t", BP_DTYPE_U64},
    {"int", BP_DTYPE_I32},
    {"size_t", sizeof(size_t) == 8 ? BP_DTYPE_U64 : BP_DTYPE_U32},
};

/* ---- words ----------------------------------------------------------------------------------- */

static void skip_space(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool take(struct reader *r, char c)
{
    skip_space(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static bp_rc need(struct reader *r, char c, const char *where)
{
    if (take(r, c))
        return BP_OK;
    return bp_fail(r->err, BP_E_INVALID, "'%c' is missing %s, at '%.20s'", c, where, r->at);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* A name as C has it: letters, digits and _, none of them a digit at first. */
static bp_rc word(struct reader *r, char out[BP_BIND_NAME], const char *what)
{
    size_t n = 0;

    skip_space(r);
    while (is_word(r->at[n]))
        n++;
    if (n == 0 || isdigit((unsigned char)*r->at))
        return bp_fail(r->err, BP_E_INVALID, "%s is missing at '%.20s'", what, r->at);
    if (n >= BP_BIND_NAME)
        return bp_fail(r->err, BP_E_INVALID, "%s is too long: %.20s...", what, r->at);
    memcpy(out, r->at, n);
    out[n] = '\0';
    r->at += n;
    return BP_OK;
}

/*
 * `long` is not among them: its size differs between data models (LP64, LLP64).
 */
static bp_rc type(struct reader *r, bool may_be_void, uint32_t *out)
{
    char name[BP_BIND_NAME];
    bp_rc rc = word(r, name, "a type");
    const char *after = r->at;

    if (rc < 0)
        return rc;
    *out = BP_DTYPE_NONE;
    if (may_be_void && strcmp(name, "void") == 0)
        return BP_OK;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].word, name) == 0)
            *out = types[i].dtype;
    }
    if (*out != BP_DTYPE_NONE)
        return BP_OK;
    r->at = after - strlen(name);
    return bp_fail(r->err, BP_E_INVALID,
                   "'%s' is not a type that can be bound; those are float, double, bool, int, "
                   "size_t, int8_t to int64_t and uint8_t to uint64_t",
                   name);
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* "n, 3]" after the bracket. */
static bp_rc sizes(struct reader *r, struct bp_bind_param *param)
{
    bp_rc rc = BP_OK;

    if (take(r, ']'))
        return BP_OK;
    do {
        struct bp_bind_size *size = &param->sizes[param->rank];
        char *end;

        if (param->rank == BP_BIND_RANK)
            return bp_fail(r->err, BP_E_INVALID, "'%s' has more than %d sizes", param->name,
                           BP_BIND_RANK);
        param->rank++;
        skip_space(r);
        if (!isdigit((unsigned char)*r->at)) {
            rc = word(r, size->name, "a size");
            continue;
        }
        size->value = strtoll(r->at, &end, 10);
        r->at = end;
    } while (rc >= 0 && take(r, ','));
    return rc < 0 ? rc : need(r, ']', "after the sizes");
}

/*
 * const decides what an array is: what the function only reads is an input, what it may write an
 * output.
 */
static bp_rc parameter(struct reader *r, struct bp_bind_param *out)
{
    bool is_const = false;
    char *end;
    bp_rc rc;

    skip_space(r);
    if (strncmp(r->at, "const", 5) == 0 && !is_word(r->at[5])) {
        is_const = true;
        r->at += 5;
    }
    rc = type(r, false, &out->dtype);
    if (rc >= 0)
        rc = word(r, out->name, "the name of a parameter");
    if (rc < 0)
        return rc;
    out->at = (size_t)(r->at - r->line) - strlen(out->name);
    out->is_array = take(r, '[');
    if (out->is_array) {
        out->role = is_const ? BP_BIND_INPUT : BP_BIND_OUTPUT;
        return sizes(r, out);
    }
    out->role = BP_BIND_INPUT;
    if (!take(r, '='))
        return BP_OK;
    out->role = BP_BIND_ATTRIBUTE;
    skip_space(r);
    out->def = strtod(r->at, &end);
    if (end == r->at)
        return bp_fail(r->err, BP_E_INVALID, "the default of '%s' is not a number: '%.20s'",
                       out->name, r->at);
    r->at = end;
    return BP_OK;
}

/*  "()" has none. */
static bp_rc parameters(struct reader *r, struct bp_bind_function *out)
{
    bp_rc rc = BP_OK;

    if (take(r, ')'))
        return BP_OK;
    do {
        if (out->n_params == BP_BIND_PARAMS)
            return bp_fail(r->err, BP_E_INVALID, "more than %d parameters", BP_BIND_PARAMS);
        rc = parameter(r, &out->params[out->n_params++]);
    } while (rc >= 0 && take(r, ','));
    return rc < 0 ? rc : need(r, ')', "after the parameters");
}

/* ---- sense ----------------------------------------------------------------------------------- */

/* Only inputs bind a size: those of outputs follow from them. */
static bool is_bound(const struct bp_bind_function *function, const char *size)
{
    for (uint32_t i = 0; i < function->n_params; i++) {
        const struct bp_bind_param *param = &function->params[i];

        for (uint32_t d = 0; param->is_array && param->role == BP_BIND_INPUT && d < param->rank;
             d++) {
            if (strcmp(param->sizes[d].name, size) == 0)
                return true;
        }
    }
    return false;
}

/* A scalar beside arrays is a size, or it has a default. */
static bp_rc settle_scalar(struct bp_bind_function *function, struct bp_bind_param *param,
                           bp_err *err)
{
    if (param->role != BP_BIND_INPUT)
        return BP_OK;
    if (!is_bound(function, param->name))
        return bp_fail(err, BP_E_INVALID,
                       "parameter '%s' is neither a size of an input nor has it a default",
                       param->name);
    if (param->dtype == BP_DTYPE_F32 || param->dtype == BP_DTYPE_F64)
        return bp_fail(err, BP_E_INVALID, "parameter '%s' is a size, but not an integer",
                       param->name);
    param->role = BP_BIND_SIZE;
    return BP_OK;
}

static bp_rc settle_output(const struct bp_bind_function *function,
                           const struct bp_bind_param *param, bp_err *err)
{
    for (uint32_t d = 0; d < param->rank; d++) {
        if (param->sizes[d].name[0] && !is_bound(function, param->sizes[d].name))
            return bp_fail(err, BP_E_INVALID, "size '%s' of output '%s' is not a size of an input",
                           param->sizes[d].name, param->name);
    }
    return BP_OK;
}

/*
 * What a parameter is can depend on those after it, hence a pass of its own once all are read. What
 * is wrong with the whole stands at the function's name.
 */
static bp_rc settle(struct bp_bind_function *function, size_t *wrong, bp_err *err)
{
    uint32_t n_out = 0;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < function->n_params; i++) {
        function->has_arrays |= function->params[i].is_array;
        n_out += function->params[i].role == BP_BIND_OUTPUT;
    }
    for (uint32_t i = 0; rc >= 0 && function->has_arrays && i < function->n_params; i++) {
        struct bp_bind_param *param = &function->params[i];

        *wrong = param->at;
        if (!param->is_array)
            rc = settle_scalar(function, param, err);
        else if (param->role == BP_BIND_OUTPUT)
            rc = settle_output(function, param, err);
    }
    if (rc < 0)
        return rc;
    *wrong = function->symbol_at;
    if (function->has_arrays && n_out == 0)
        return bp_fail(err, BP_E_INVALID, "no array is an output: those are without const");
    if (function->has_arrays && function->result != BP_DTYPE_NONE &&
        function->result != BP_DTYPE_I32)
        return bp_fail(err, BP_E_INVALID,
                       "a function with arrays returns void, or int for success");
    if (!function->has_arrays && function->result == BP_DTYPE_NONE)
        return bp_fail(err, BP_E_INVALID, "a function of single elements returns one");
    return BP_OK;
}

static bp_rc prototype(struct reader *r, struct bp_bind_function *out)
{
    bp_rc rc = word(r, out->op, "the name of an operator");

    if (rc >= 0)
        rc = need(r, ':', "after the operator's name");
    if (rc >= 0)
        rc = type(r, true, &out->result);
    if (rc >= 0)
        rc = word(r, out->symbol, "the name of a function");
    if (rc < 0)
        return rc;
    out->symbol_at = (size_t)(r->at - r->line) - strlen(out->symbol);
    rc = need(r, '(', "after the function's name");
    if (rc >= 0)
        rc = parameters(r, out);
    if (rc < 0)
        return rc;
    (void)take(r, ';');
    skip_space(r);
    if (*r->at)
        return bp_fail(r->err, BP_E_INVALID, "'%.20s' is too much", r->at);
    return BP_OK;
}

/*
 * The line is the text of a C prototype, but for the operator's name before it, sizes in brackets
 * and defaults.
 */
bp_rc bp_bind_parse(const char *line, struct bp_bind_function *out, size_t *wrong, bp_err *err)
{
    struct reader r = {line, line, err};
    bp_rc rc;

    *out = (struct bp_bind_function){0};
    rc = prototype(&r, out);
    *wrong = (size_t)(r.at - line);
    return rc < 0 ? rc : settle(out, wrong, err);
}
