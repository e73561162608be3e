/* SPDX-License-Identifier: MIT */
/* operator_fuzz_make.c - a model of one node from a row of the schema table; see operator_fuzz.h. */

#include "config.h"

#include "end_to_end/operator_fuzz.h"

#include <stdio.h>

#include "graph/schema_table.h"

/* ---- what the inputs are --------------------------------------------------------------------- */

static void roll_sizes(struct fuzz *fuzz)
{
    bool is_small = fuzz_chance(fuzz, 85);

    for (uint32_t i = 0; i < FUZZ_LETTERS; i++)
        fuzz->letters[i] = is_small ? 1 + fuzz_below(fuzz, 6) : fuzz_size(fuzz);
    fuzz->n_spatial = fuzz_chance(fuzz, 55) ? 2 : fuzz_below(fuzz, 4);
    for (uint32_t d = 0; d < 4; d++) {
        fuzz->spatial[d] = is_small ? 3 + fuzz_below(fuzz, 7) : fuzz_size(fuzz);
        fuzz->window[d] = 1 + fuzz_below(fuzz, is_small ? 3 : 5);
    }
    fuzz->list = 1 + fuzz_below(fuzz, 6);
    if (strcmp(fuzz->row->domain, "ai.onnx.ml") == 0) /* their lists have an entry a feature */
        fuzz->letters['C' - 'A'] = fuzz->list;
}

/* The types that all parameters of a type variable allow. */
static uint64_t common_types(const struct bp_schema *row, uint32_t type_var)
{
    uint64_t types = BP_T_ANY;

    for (uint32_t i = 0; i < row->n_in; i++)
        types &= row->in[i].type_var == type_var ? row->in[i].types : BP_T_ANY;
    return types ? types : BP_T_ANY;
}

static void roll_dtype(struct fuzz *fuzz, struct fuzz_value *value, uint32_t *of_var)
{
    const struct bp_param *param = value->param;
    uint32_t var = param->type_var < 128 ? param->type_var : 0;
    uint64_t types = var ? common_types(fuzz->row, var) : param->types;

    if (var && of_var[var] && !(param->flags & BP_PARAM_HETEROGENEOUS))
        value->dtype = of_var[var];
    else
        value->dtype = fuzz_dtype(fuzz, types);
    if (var)
        of_var[var] = value->dtype;
    if (fuzz_chance(fuzz, 2))
        value->dtype = fuzz_dtype(fuzz, BP_T_ANY);
    value->kind = BP_KIND_TENSOR;
    if (param->kinds)
        while (!(param->kinds >> (value->kind = fuzz_below(fuzz, BP_KIND_END)) & 1))
            continue;
    if (fuzz_chance(fuzz, 1))
        value->kind = fuzz_below(fuzz, BP_KIND_MAP + 1);
}

static void roll_form(struct fuzz *fuzz, struct fuzz_value *value)
{
    static const enum fuzz_form usual[] = {FUZZ_CONSTANT, FUZZ_CONSTANT, FUZZ_SHAPED,
                                           FUZZ_SHAPED,   FUZZ_SYMBOLS,  FUZZ_UNSHAPED};
    static const enum fuzz_form read[] = {FUZZ_CONSTANT, FUZZ_CONSTANT, FUZZ_CONSTANT, FUZZ_SHAPED,
                                          FUZZ_UNSHAPED};
    static const enum fuzz_form rare[] = {FUZZ_UNTYPED, FUZZ_DEFAULT};

    value->form =
        value->param->flags & BP_PARAM_CONTENT ? FUZZ_PICK(fuzz, read) : FUZZ_PICK(fuzz, usual);
    if (fuzz_chance(fuzz, 6))
        value->form = FUZZ_PICK(fuzz, rare);
    if (value->kind != BP_KIND_TENSOR)
        value->form = fuzz_chance(fuzz, 95) ? FUZZ_UNSHAPED : FUZZ_UNTYPED;
    if (value->is_huge && (value->form == FUZZ_CONSTANT || value->form == FUZZ_DEFAULT))
        value->form = FUZZ_SHAPED;
}

static void count_elements(struct fuzz *fuzz, struct fuzz_value *value)
{
    bool is_empty = false;

    value->count = 1;
    for (uint32_t d = 0; d < value->rank; d++)
        is_empty |= value->dims[d] == 0;
    for (uint32_t d = 0; d < value->rank && !is_empty && !value->is_huge; d++) {
        value->is_huge = value->dims[d] > FUZZ_MOST / (int64_t)value->count;
        if (!value->is_huge)
            value->count *= (size_t)value->dims[d];
    }
    if (is_empty)
        value->count = 0;
    fuzz->is_large |= value->is_huge || value->count > FUZZ_MOST / 16;
}

/* ---- values of other kinds ------------------------------------------------------------------- */

static bp_object *roll_tensor(struct fuzz *fuzz, uint32_t dtype, uint32_t rank)
{
    struct fuzz_value value = {.dtype = dtype, .rank = rank, .count = 1};
    bp_object *object = NULL;
    bp_tensor tensor;

    for (uint32_t d = 0; d < rank; d++) {
        value.dims[d] = rank == 1 ? fuzz->list : 1 + fuzz_below(fuzz, 4);
        value.count *= (size_t)value.dims[d];
    }
    fuzz_fill(fuzz, &value);
    tensor = (bp_tensor){.base = value.data, .dims = value.dims, .rank = rank, .dtype = dtype};
    if (bp_dense_bytes(dtype, value.dims, rank, &tensor.bytes))
        KIT_OK(bp_object_from_tensor(&tensor, &object, &kit.err));
    free(value.data);
    free(value.text);
    return object;
}

static bp_object *roll_sequence(struct fuzz *fuzz, uint32_t dtype)
{
    bp_object *items[4] = {NULL}, *sequence = NULL;
    uint32_t n = fuzz_below(fuzz, 5), rank = fuzz_below(fuzz, 3);

    for (uint32_t i = 0; i < n; i++)
        items[i] = roll_tensor(fuzz, dtype, fuzz_chance(fuzz, 90) ? rank : rank + 1);
    KIT_OK(bp_object_sequence(items, n, &sequence, &kit.err));
    for (uint32_t i = 0; i < n; i++)
        bp_object_release(items[i]);
    return sequence;
}

static bp_object *roll_map(struct fuzz *fuzz, uint32_t dtype)
{
    bp_object *keys = roll_tensor(fuzz, fuzz_chance(fuzz, 50) ? BP_DTYPE_STRING : BP_DTYPE_I64, 1);
    bp_object *values = roll_tensor(fuzz, dtype, 1), *map = NULL;
    bp_rc rc = bp_object_map(keys, values, &map, &kit.err);

    ck_assert(rc == BP_OK || map == NULL); /* keys may be there twice */
    bp_object_release(keys);
    bp_object_release(values);
    return map;
}

/* Of the value's sizes, in COO; the indices ascend. NULL: it would be too large. */
static bp_object *roll_sparse(struct fuzz *fuzz, struct fuzz_value *value)
{
    bp_object *parts[2] = {roll_tensor(fuzz, value->dtype, 1), NULL}, *sparse = NULL;
    bp_tensor dense = {.dims = value->dims, .rank = value->rank, .dtype = value->dtype};
    int64_t index_data[64] = {0}, n = parts[0] ? bp_object_tensor(parts[0])->dims[0] : 0;
    bp_tensor indices = {.base = index_data,
                         .dims = &n,
                         .bytes = sizeof index_data,
                         .rank = 1,
                         .dtype = BP_DTYPE_I64};

    for (int64_t i = 0; i < n && i < 64; i++)
        index_data[i] = i;
    if (n <= 64)
        KIT_OK(bp_object_from_tensor(&indices, &parts[1], &kit.err));
    if (parts[1]) /* more values than elements are refused */
        (void)!bp_object_sparse(BP_SPARSE_COO, &dense, parts, 2, &sparse, &kit.err);
    bp_object_release(parts[0]);
    bp_object_release(parts[1]);
    return sparse;
}

static void roll_object(struct fuzz *fuzz, struct fuzz_value *value)
{
    bp_object *item = NULL;

    if (value->kind == BP_KIND_SEQUENCE) {
        value->object = roll_sequence(fuzz, value->dtype);
    } else if (value->kind == BP_KIND_MAP) {
        value->object = roll_map(fuzz, value->dtype);
    } else if (value->kind == BP_KIND_SPARSE) {
        value->object = roll_sparse(fuzz, value);
    } else if (value->kind == BP_KIND_OPTIONAL) {
        if (fuzz_chance(fuzz, 70))
            item = fuzz_chance(fuzz, 50) ? roll_tensor(fuzz, value->dtype, 1)
                                         : roll_sequence(fuzz, value->dtype);
        KIT_OK(bp_object_optional(item, &value->object, &kit.err));
        bp_object_release(item);
    }
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static void roll_input(struct fuzz *fuzz, uint32_t i, uint32_t *of_var)
{
    struct fuzz_value *value = &fuzz->in[i];
    uint32_t optional = fuzz->list * 15;
    bool is_left_out;

    value->param = &fuzz->row->in[i < fuzz->row->n_in ? i : fuzz->row->n_in - 1];
    snprintf(value->name, sizeof value->name, "x%u", i);
    snprintf(value->fed, sizeof value->fed, "%s%u", fuzz_chance(fuzz, 12) ? "f" : "x", i);
    roll_dtype(fuzz, value, of_var);
    fuzz_set_shape(fuzz, value, i, &is_left_out);
    if (is_left_out)
        optional = 85;
    count_elements(fuzz, value);
    roll_form(fuzz, value);
    if (value->param->flags & BP_PARAM_VARIADIC || !(value->param->flags & BP_PARAM_OPTIONAL))
        optional = 1;
    if (fuzz_chance(fuzz, optional))
        value->form = FUZZ_ABSENT;
    if (value->is_huge) { /* something else is fed */
        bp_text_add(&fuzz->words, " huge");
    } else if (value->kind != BP_KIND_TENSOR) {
        roll_object(fuzz, value);
    } else {
        fuzz_fill(fuzz, value);
    }
}

static void roll_inputs(struct fuzz *fuzz)
{
    const struct bp_schema *row = fuzz->row;
    uint32_t of_var[128] = {0};

    fuzz->n_in = row->n_in;
    if (row->n_in > 0 && row->in[row->n_in - 1].flags & BP_PARAM_VARIADIC)
        fuzz->n_in = fuzz_hinted(fuzz) && fuzz_chance(fuzz, 80) ? fuzz_hinted(fuzz)
                                                                : fuzz->n_in + fuzz_below(fuzz, 4);
    while (fuzz->n_in > 0 && fuzz->n_in <= row->n_in &&
           row->in[fuzz->n_in - 1].flags & BP_PARAM_OPTIONAL && fuzz_chance(fuzz, 30))
        fuzz->n_in--;
    if (fuzz_chance(fuzz, 1))
        fuzz->n_in += row->n_in > 0;
    if (fuzz->n_in > FUZZ_VALUES)
        fuzz->n_in = FUZZ_VALUES;
    if (strcmp(row->op, "Scan") == 0 && fuzz->n_in > 0)
        fuzz->list = 1 + fuzz_below(fuzz, fuzz->n_in); /* scan inputs */
    for (uint32_t i = 0; i < fuzz->n_in; i++)
        roll_input(fuzz, i, of_var);
}

void fuzz_refill(struct fuzz *fuzz)
{
    for (uint32_t i = 0; i < fuzz->n_in; i++) {
        struct fuzz_value *value = &fuzz->in[i];

        if (value->data && value->form >= FUZZ_DEFAULT)
            fuzz_fill(fuzz, value);
    }
}

/* ---- the model ------------------------------------------------------------------------------- */

static void write_opset(struct fuzz *fuzz, const char *domain, int64_t version)
{
    pw_open(&fuzz->w, 8);
    pw_text(&fuzz->w, 1, domain);
    pw_int(&fuzz->w, 2, version);
    pw_close(&fuzz->w);
}

static void write_constant(struct fuzz *fuzz, const struct fuzz_value *value)
{
    size_t bytes = 0;

    pw_open(&fuzz->w, 5);
    for (uint32_t d = 0; d < value->rank; d++)
        pw_int(&fuzz->w, 1, value->dims[d]);
    pw_int(&fuzz->w, 2, value->dtype);
    pw_text(&fuzz->w, 8, value->fed);
    if (value->dtype == BP_DTYPE_STRING) {
        for (size_t i = 0; value->data && i < value->count; i++)
            pw_bytes(&fuzz->w, 6, ((const bp_span *)value->data)[i].data,
                     ((const bp_span *)value->data)[i].size);
    } else if (value->data && bp_dense_bytes(value->dtype, value->dims, value->rank, &bytes)) {
        pw_bytes(&fuzz->w, 9, value->data, bytes);
    }
    pw_close(&fuzz->w);
}

/* The declared type of a value that is not a tensor. */
static void declare_object(struct fuzz *fuzz, const struct fuzz_value *value)
{
    static const uint32_t fields[] = {
        [BP_KIND_SEQUENCE] = 4, [BP_KIND_OPTIONAL] = 9, [BP_KIND_MAP] = 5};
    bool is_map = value->kind == BP_KIND_MAP;
    const bp_object *item = bp_object_item(value->object, 0);
    bool is_nested =
        value->kind == BP_KIND_OPTIONAL && item && bp_object_kind(item) == BP_KIND_SEQUENCE;

    pw_open(&fuzz->w, 11);
    pw_text(&fuzz->w, 1, value->fed);
    pw_open(&fuzz->w, 2);
    if (value->kind == BP_KIND_SPARSE) {
        pw_open(&fuzz->w, 8);
        pw_int(&fuzz->w, 1, value->dtype);
        for (int n = 3; n > 0; n--)
            pw_close(&fuzz->w);
        return;
    }
    pw_open(&fuzz->w, fields[value->kind]);
    if (is_map)
        pw_int(&fuzz->w, 1, item ? bp_object_tensor(item)->dtype : BP_DTYPE_I64);
    pw_open(&fuzz->w, is_map ? 2 : 1);
    if (is_nested) {
        pw_open(&fuzz->w, 4);
        pw_open(&fuzz->w, 1);
    }
    pw_open(&fuzz->w, 1);
    pw_int(&fuzz->w, 1, value->dtype);
    for (int n = is_nested ? 7 : 5; n > 0; n--)
        pw_close(&fuzz->w);
}

static void write_input(struct fuzz *fuzz, struct fuzz_value *value)
{
    const char *name = value->fed;

    if (value->form == FUZZ_ABSENT)
        return;
    if (strcmp(value->fed, value->name) != 0)
        pw_node(&fuzz->w, "Identity", value->fed, value->name);
    if (value->form == FUZZ_CONSTANT || value->form == FUZZ_DEFAULT)
        write_constant(fuzz, value);
    if (value->form == FUZZ_UNTYPED)
        fuzz_declare(fuzz, 11, name, BP_DTYPE_NONE, 0, NULL, NULL);
    else if (value->kind != BP_KIND_TENSOR)
        declare_object(fuzz, value);
    else if (value->form == FUZZ_SYMBOLS)
        fuzz_declare(fuzz, 11, name, value->dtype, value->rank, value->dims, "ABCDEFGH");
    else if (value->form != FUZZ_CONSTANT)
        fuzz_declare(fuzz, 11, name, value->dtype,
                     value->form == FUZZ_UNSHAPED ? BP_RANK_UNKNOWN : value->rank, value->dims,
                     NULL);
}

static void describe_input(struct fuzz *fuzz, const struct fuzz_value *value)
{
    static const char *const forms[FUZZ_FORMS] = {"absent",  "constant", "default", "shaped",
                                                  "symbols", "unshaped", "untyped"};

    bp_text_printf(&fuzz->words, "\n  %s <- %s: %s kind %u %s[", value->name, value->fed,
                   forms[value->form], value->kind, bp_dtype_name(value->dtype));
    for (uint32_t d = 0; d < value->rank; d++)
        bp_text_printf(&fuzz->words, "%s%lld", d ? "," : "", (long long)value->dims[d]);
    bp_text_add(&fuzz->words, "]");
    for (size_t i = 0; i < 8 && i < value->count && value->data; i++) {
        if (value->dtype == BP_DTYPE_I64)
            bp_text_printf(&fuzz->words, " %lld", (long long)((int64_t *)value->data)[i]);
        else if (value->dtype == BP_DTYPE_I32)
            bp_text_printf(&fuzz->words, " %d", ((int32_t *)value->data)[i]);
        else if (value->dtype == BP_DTYPE_F32)
            bp_text_printf(&fuzz->words, " %g", (double)((float *)value->data)[i]);
    }
}

static void write_node(struct fuzz *fuzz)
{
    char in[FUZZ_VALUES * 16] = "", out[FUZZ_VALUES * 16] = "";
    size_t at = 0;

    for (uint32_t i = 0; i < fuzz->n_in; i++) {
        const char *name = fuzz->in[i].form == FUZZ_ABSENT ? "-" : fuzz->in[i].name;

        if (i > 0 && fuzz_chance(fuzz, 2) && fuzz->in[0].form != FUZZ_ABSENT)
            name = fuzz->in[0].name; /* one value for two inputs */
        at += (size_t)snprintf(in + at, sizeof in - at, "%s ", name);
    }
    at = 0;
    for (uint32_t i = 0; i < fuzz->n_out; i++) {
        if (fuzz->wanted >> i & 1)
            at += (size_t)snprintf(out + at, sizeof out - at, "y%u ", i);
        else
            at += (size_t)snprintf(out + at, sizeof out - at, "- ");
    }
    pw_open_node(&fuzz->w, fuzz->row->op, in, out);
    pw_text(&fuzz->w, 7, fuzz->row->domain);
    fuzz_attributes(fuzz);
    pw_close(&fuzz->w);
}

static void roll_outputs(struct fuzz *fuzz)
{
    const struct bp_schema *row = fuzz->row;

    fuzz->n_out = row->n_out;
    if (row->n_out > 0 && row->out[row->n_out - 1].flags & BP_PARAM_VARIADIC)
        fuzz->n_out += fuzz_below(fuzz, 4);
    while (fuzz->n_out > 1 &&
           fuzz_chance(fuzz, fuzz->n_out <= row->n_out &&
                                     row->out[fuzz->n_out - 1].flags & BP_PARAM_OPTIONAL
                                 ? 30
                                 : 2))
        fuzz->n_out--;
    if (strcmp(row->op, "Loop") == 0 && fuzz_chance(fuzz, 95))
        fuzz->n_out = (fuzz->n_in > 3 ? fuzz->n_in - 2 : 1) + fuzz_below(fuzz, 2);
    if (strcmp(row->op, "Scan") == 0 && fuzz_chance(fuzz, 95))
        fuzz->n_out = fuzz->n_in > fuzz->list + 1 ? fuzz->n_in - fuzz->list : 1;
    if (fuzz->n_out > FUZZ_VALUES)
        fuzz->n_out = FUZZ_VALUES;
    for (uint32_t i = 0; i < fuzz->n_out; i++)
        fuzz->wanted |= (uint32_t)fuzz_chance(fuzz, i ? 85 : 98) << i;
}

void fuzz_make(struct fuzz *fuzz, const struct bp_schema *row, uint64_t seed)
{
    uint32_t onnx = bp_schema_newest("");
    char name[16];

    memset(fuzz, 0, sizeof *fuzz);
    fuzz->state = seed;
    fuzz->row = row;
    bp_text_printf(&fuzz->words, "%s%s%s-%u seed %#llx:", row->domain, row->domain[0] ? ":" : "",
                   row->op, row->since, (unsigned long long)seed);
    fuzz->is_wild = fuzz_chance(fuzz, 40);
    roll_sizes(fuzz);
    roll_inputs(fuzz);
    roll_outputs(fuzz);
    pw_int(&fuzz->w, 1, 10); /* IR version */
    write_opset(fuzz, "", row->domain[0] ? onnx : row->since);
    if (row->domain[0])
        write_opset(fuzz, row->domain, row->since);
    pw_open(&fuzz->w, 7);
    pw_text(&fuzz->w, 2, "main");
    write_node(fuzz);
    for (uint32_t i = 0; i < fuzz->n_in; i++) {
        write_input(fuzz, &fuzz->in[i]);
        describe_input(fuzz, &fuzz->in[i]);
    }
    for (uint32_t i = 0; i < fuzz->n_out; i++) {
        snprintf(name, sizeof name, "y%u", i);
        if (fuzz->wanted >> i & 1)
            fuzz_declare(fuzz, 12, name, BP_DTYPE_NONE, 0, NULL, NULL);
    }
    pw_close(&fuzz->w);
}

void fuzz_finish(struct fuzz *fuzz)
{
    for (uint32_t i = 0; i < fuzz->n_in; i++) {
        free(fuzz->in[i].data);
        free(fuzz->in[i].text);
        bp_object_release(fuzz->in[i].object);
    }
    pw_free(&fuzz->w);
    bp_text_finish(&fuzz->words);
}
