/* SPDX-License-Identifier: MIT */
/* operator_fuzz_attrs.c - values of attributes: such as their names call for, and others. */

#include "config.h"

#include "end_to_end/operator_fuzz.h"

#include <math.h>

/* ---- texts ----------------------------------------------------------------------------------- */

static const struct {
    const char *name, *values; /* apart by '|' */
} choices[] = {
    {"activation", "Relu|Sigmoid|Tanh|LeakyRelu|Clip|HardSigmoid|silu|none|swish"},
    {"activations", "Relu|Tanh|Sigmoid|Affine|LeakyRelu|ThresholdedRelu|ScaledTanh|HardSigmoid|Elu|"
                    "Softsign|Softplus"},
    {"aggregate_function", "SUM|AVERAGE|MIN|MAX"},
    {"approximate", "none|tanh"},
    {"auto_pad", "NOTSET|SAME_UPPER|SAME_LOWER|VALID"},
    {"case_change_action", "LOWER|UPPER|NONE"},
    {"cast_to", "TO_FLOAT|TO_INT64|TO_STRING"},
    {"coordinate_transformation_mode",
     "half_pixel|half_pixel_symmetric|pytorch_half_pixel|align_corners|asymmetric|"
     "tf_crop_and_resize|output_half_pixel|tf_half_pixel_for_nn"},
    {"delimiter", " |,|a||ab"},
    {"direction", "forward|reverse|bidirectional|forward|reverse|bidirectional|LEFT|RIGHT"},
    {"equation", "ij,jk->ik|ij,jk|ii->i|ii|...j,jk->...k|ij->ji|ij->|bij,bjk->bik|i,i|i...->...|"
                 "...ii->...i|a,b->ab|ij,ij->ij|ij,jk,kl->il|,->|->|zz...z,z->|i1|ij->ii|i->j|.."},
    {"kernel_type", "LINEAR|POLY|RBF|SIGMOID"},
    {"keep_aspect_ratio_policy", "stretch|not_larger|not_smaller"},
    {"locale", "C|en_US|xx_YY"},
    {"map_form", "DENSE|SPARSE"},
    {"metric", "euclidean|sqeuclidean"},
    {"mode", "constant|reflect|edge|wrap|nearest|linear|cubic|bilinear|bicubic|DCR|CRD|avg|max|TF|"
             "IDF|TFIDF|fan_in"},
    {"nearest_mode", "round_prefer_floor|round_prefer_ceil|floor|ceil"},
    {"nodes_modes", "BRANCH_LEQ|BRANCH_LT|BRANCH_GTE|BRANCH_GT|BRANCH_EQ|BRANCH_NEQ|LEAF|LEAF"},
    {"norm", "MAX|L1|L2"},
    {"padding_mode", "zeros|border|reflection"},
    {"pattern", "a|.*|[a-z]+|(a|b)*c|^$|(a*)*b|\\d+|[|(|a{2,3}|(?i)A|\\w\\b|a{1000}{1000}|\\"},
    {"pixel_format", "RGB|BGR|Grayscale"},
    {"post_transform", "NONE|SOFTMAX|LOGISTIC|SOFTMAX_ZERO|PROBIT"},
    {"reduction", "none|add|mul|min|max|mean|sum"},
    {"round_mode", "up|down|nearest"},
    {"separators", " |a|[a-z]+|x*|^||\\b|("},
    {"tokenexp", ".|[a-z]+|a*||ab??|\\pL|["},
    {"to", "FLOAT|INT64|STRING|BOOL|DOUBLE|UINT8"},
    {"update_rule", "linear|gated|delta|gated_delta"},
};

/* The same for the attribute of one operator. */
static const struct {
    const char *op, *name, *values;
} own_choices[] = {
    {"DepthToSpace", "mode", "DCR|CRD"},
    {"GridSample", "mode", "linear|nearest|cubic|bilinear|bicubic"},
    {"Momentum", "mode", "standard|nesterov"},
    {"NegativeLogLikelihoodLoss", "reduction", "none|mean|sum"},
    {"Pad", "mode", "constant|reflect|edge|wrap"},
    {"Resize", "mode", "nearest|linear|cubic"},
    {"RoiAlign", "mode", "avg|max"},
    {"SoftmaxCrossEntropyLoss", "reduction", "none|mean|sum"},
    {"SpaceToDepth", "mode", "DCR|CRD"},
    {"TfIdfVectorizer", "mode", "TF|IDF|TFIDF"},
    {"Upsample", "mode", "nearest|linear"},
};

static const char *const words[] = {"a", "b", "", "abc", "1", "x", "the", "\xff", "nan", "-3.5"};

static const char *find_choices(const struct fuzz *fuzz, const char *name)
{
    for (size_t i = 0; i < sizeof own_choices / sizeof own_choices[0]; i++) {
        if (strcmp(own_choices[i].op, fuzz->row->op) == 0 && strcmp(own_choices[i].name, name) == 0)
            return own_choices[i].values;
    }
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        if (strcmp(choices[i].name, name) == 0)
            return choices[i].values;
    }
    return NULL;
}

/* A text for the attribute; *n gets its length. */
static const char *pick_text(struct fuzz *fuzz, const char *name, size_t *n)
{
    const char *p = find_choices(fuzz, name);
    uint32_t count = 1;

    if (!p || (fuzz->is_wild && fuzz_chance(fuzz, 5)))
        p = FUZZ_PICK(fuzz, words);
    for (const char *q = p; *q; q++)
        count += *q == '|';
    for (count = fuzz_below(fuzz, count); count > 0; count--)
        p = strchr(p, '|') + 1;
    *n = strcspn(p, "|");
    return p;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool is(const char *name, const char *list)
{
    const char *at = strstr(list, name);
    size_t n = strlen(name);

    for (; at; at = strstr(at + 1, name)) {
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    }
    return false;
}

static int64_t letter(const struct fuzz *fuzz, char c)
{
    return fuzz->letters[c - 'A'];
}

static int64_t pick_int(struct fuzz *fuzz, const char *name)
{
    static const int64_t usual[] = {0, 0, 1, 1, 1, 2, 3, -1};
    int64_t rank = fuzz->in[0].rank;

    if (fuzz->is_wild && fuzz_chance(fuzz, 8))
        return fuzz_edge(fuzz);
    if (fuzz->is_wild && fuzz_chance(fuzz, 8))
        return FUZZ_PICK(fuzz, usual);
    if (is(name, "aggregate_function post_transform"))
        return (int64_t)fuzz_below(fuzz, 4);
    if (is(name, "axis batch_axis time_axis start end batch_dims"))
        return rank ? (int64_t)fuzz_below(fuzz, (uint32_t)(2 * rank)) - rank : 0;
    if (is(name, "stash_type softmax_precision"))
        return FUZZ_PICK(fuzz, ((int64_t[]){1, 1, 1, 10, 11, 16}));
    if (is(name, "n_supports n_targets"))
        return 1 + fuzz_chance(fuzz, 20);
    if (is(name, "to dtype output_dtype output_datatype precision"))
        return 1 + (int64_t)fuzz_below(fuzz, fuzz_chance(fuzz, 50) ? 16 : 26);
    if (is(name, "group"))
        return fuzz_chance(fuzz, 60) ? 1 : fuzz_chance(fuzz, 70) ? letter(fuzz, 'C') : 2;
    if (is(name, "num_scan_inputs"))
        return fuzz->list;
    if (is(name, "hidden_size"))
        return letter(fuzz, 'H');
    if (is(name, "num_heads q_num_heads"))
        return fuzz_chance(fuzz, 80) ? 2 : 4;
    if (is(name, "kv_num_heads num_groups blocksize num_outputs p"))
        return 1 + (int64_t)fuzz_below(fuzz, 4);
    if (is(name, "K"))
        return fuzz_chance(fuzz, 80) ? 32 : letter(fuzz, 'K');
    if (is(name, "N"))
        return letter(fuzz, 'N');
    if (is(name, "k") && is(fuzz->row->op, "Col2Im"))
        return 1;
    if (is(name, "block_size"))
        return fuzz_chance(fuzz, 95) ? FUZZ_PICK(fuzz, ((int64_t[]){16, 32, 32, 32, 64, 8})) : 0;
    if (is(name, "bits"))
        return FUZZ_PICK(fuzz, ((int64_t[]){2, 4, 8, 4}));
    if (is(name,
           "mincharnum size k output_height output_width max_gram_length min_gram_length n_targets "
           " sample_size"))
        return 1 + (int64_t)fuzz_below(fuzz, 3);
    return FUZZ_PICK(fuzz, usual);
}

static float pick_float(struct fuzz *fuzz)
{
    static const float values[] = {0.0f, 1.0f, 0.5f, -1.0f, 1e-5f, 2.0f, 0.1f, 100.0f};
    static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, -1e30f, 1e-42f};

    return fuzz->is_wild && fuzz_chance(fuzz, 15) ? FUZZ_PICK(fuzz, odd) : FUZZ_PICK(fuzz, values);
}

/* How long a list is. */
static uint32_t pick_length(struct fuzz *fuzz, const char *name)
{
    uint32_t rank = fuzz->in[0].rank;

    if (fuzz->is_wild && fuzz_chance(fuzz, 5))
        return 0;
    if (fuzz->is_wild && fuzz_chance(fuzz, 5))
        return fuzz_below(fuzz, 20);
    if (fuzz->is_wild && fuzz_chance(fuzz, 1))
        return 300;
    if (is(name, "kernel_params"))
        return 3;
    if (is(fuzz->row->op, "Col2Im"))
        return is(name, "pads") ? 4 : 2;
    if (is(name, "tree_roots"))
        return 1;
    if (is(name, "kernel_shape strides dilations output_padding output_shape"))
        return rank > 2 ? rank - 2 : 1;
    if (is(name, "pads paddings"))
        return is(fuzz->row->op, "Pad") ? 2 * rank : rank > 2 ? 2 * (rank - 2) : 2;
    if (is(name, "perm shape scales repeats"))
        return rank;
    if (is(name, "axes starts ends split"))
        return fuzz_below(fuzz, 3) + (fuzz_chance(fuzz, 50) ? 0 : 1);
    if (is(name, "activations"))
        return is(fuzz->row->op, "LSTM") ? 3 : is(fuzz->row->op, "GRU") ? 2 : 1;
    if (is(name, "pooled_shape"))
        return 2;
    return fuzz->list;
}

static int64_t pick_element(struct fuzz *fuzz, const char *name, uint32_t i, uint32_t n)
{
    uint32_t rank = fuzz->in[0].rank ? fuzz->in[0].rank : 1;

    if (fuzz->is_wild && fuzz_chance(fuzz, 4))
        return fuzz_edge(fuzz);
    if (is(name, "perm")) /* a rotation of the axes */
        return (int64_t)((i + fuzz->list) % (n ? n : 1));
    if (is(name, "axes"))
        return (int64_t)((i + fuzz->list) % rank) - (fuzz->list % 2 ? rank : 0);
    if (is(name, "kernel_shape"))
        return fuzz->window[i % 4];
    if (is(name, "strides dilations"))
        return fuzz_chance(fuzz, 60) ? 1 : 1 + (int64_t)fuzz_below(fuzz, 3);
    if (is(name, "nodes_treeids target_treeids class_treeids tree_roots"))
        return fuzz_chance(fuzz, 90) ? 0 : 1;
    if (is(name, "nodes_trueleafs nodes_falseleafs"))
        return fuzz_chance(fuzz, 70);
    if (is(name, "nodes_featureids"))
        return fuzz_below(fuzz, (uint32_t)letter(fuzz, 'C'));
    if (is(name, "pooled_shape"))
        return 1 + (int64_t)fuzz_below(fuzz, 3);
    if (is(name, "nodes_nodeids"))
        return i;
    if (is(name, "nodes_truenodeids nodes_falsenodeids")) /* mostly without rings */
        return fuzz_chance(fuzz, 80) ? (int64_t)i + 1 + fuzz_below(fuzz, 2) : fuzz_below(fuzz, n);
    return (int64_t)fuzz_below(fuzz, 4) - (fuzz->is_wild && fuzz_chance(fuzz, 15));
}

/* ---- tensors --------------------------------------------------------------------------------- */

static void write_tensor(struct fuzz *fuzz, uint32_t field, struct fuzz_value *value)
{
    size_t bytes = 0;

    pw_open(&fuzz->w, field);
    for (uint32_t d = 0; d < value->rank; d++)
        pw_int(&fuzz->w, 1, value->dims[d]);
    pw_int(&fuzz->w, 2, value->dtype);
    if (value->dtype == BP_DTYPE_STRING) {
        for (size_t i = 0; value->data && i < value->count; i++)
            pw_bytes(&fuzz->w, 6, ((bp_span *)value->data)[i].data,
                     ((bp_span *)value->data)[i].size);
    } else if (value->data && bp_dense_bytes(value->dtype, value->dims, value->rank, &bytes)) {
        pw_bytes(&fuzz->w, 9, value->data, bytes);
    }
    pw_close(&fuzz->w);
}

void fuzz_tensor_attribute(struct fuzz *fuzz, uint32_t field, const char *name)
{
    struct fuzz_value value = {.dtype = fuzz_dtype(fuzz, BP_T_ANY)};
    bool is_list =
        !fuzz->is_wild && is(name, "nodes_modes nodes_splits leaf_weights nodes_hitrates "
                                   "nodes_values_as_tensor target_weights_as_tensor");

    if (is_list)
        value.dtype = is(name, "nodes_modes") ? BP_DTYPE_U8 : fuzz->in[0].dtype;
    value.rank = is_list || fuzz_chance(fuzz, 70) ? 1 : fuzz_below(fuzz, 3);
    value.count = 1;
    for (uint32_t d = 0; d < value.rank; d++) {
        value.dims[d] = is_list || fuzz_chance(fuzz, 50) ? fuzz->list
                        : fuzz_chance(fuzz, 60)          ? 1
                                                         : fuzz_size(fuzz);
        value.count *= (size_t)value.dims[d];
    }
    fuzz_fill(fuzz, &value);
    bp_text_printf(&fuzz->words, "tensor %s rank %u", bp_dtype_name(value.dtype), value.rank);
    write_tensor(fuzz, field, &value);
    free(value.data);
    free(value.text);
}

/* ---- attributes ------------------------------------------------------------------------------ */

static void write_one(struct fuzz *fuzz, const struct bp_attr_def *def, uint32_t type)
{
    size_t n;
    const char *text = pick_text(fuzz, def->name, &n);
    float number = pick_float(fuzz);
    int64_t whole = pick_int(fuzz, def->name);

    pw_open_attr(&fuzz->w, def->name, (int32_t)type);
    if (type == BP_ATTR_FLOAT) {
        pw_float(&fuzz->w, 2, number);
        bp_text_printf(&fuzz->words, "%g", (double)number);
    } else if (type == BP_ATTR_INT) {
        pw_int(&fuzz->w, 3, whole);
        bp_text_printf(&fuzz->words, "%lld", (long long)whole);
    } else if (type == BP_ATTR_STRING) {
        pw_bytes(&fuzz->w, 4, text, n);
        bp_text_printf(&fuzz->words, "'%.*s'", (int)n, text);
    } else {
        fuzz_tensor_attribute(fuzz, 5, def->name);
    }
    pw_close(&fuzz->w);
}

static void write_list(struct fuzz *fuzz, const struct bp_attr_def *def, uint32_t type)
{
    uint32_t n = pick_length(fuzz, def->name);

    pw_open_attr(&fuzz->w, def->name, (int32_t)type + 5);
    bp_text_add(&fuzz->words, "[");
    for (uint32_t i = 0; i < n; i++) {
        size_t length;
        const char *text = pick_text(fuzz, def->name, &length);
        float number = pick_float(fuzz);
        int64_t whole = pick_element(fuzz, def->name, i, n);

        bp_text_add(&fuzz->words, i ? "," : "");
        if (type == BP_ATTR_FLOAT) {
            pw_float(&fuzz->w, 7, number);
            bp_text_printf(&fuzz->words, "%g", (double)number);
        } else if (type == BP_ATTR_INT) {
            pw_int(&fuzz->w, 8, whole);
            bp_text_printf(&fuzz->words, "%lld", (long long)whole);
        } else if (type == BP_ATTR_STRING) {
            pw_bytes(&fuzz->w, 9, text, length);
            bp_text_printf(&fuzz->words, "'%.*s'", (int)length, text);
        } else {
            fuzz_tensor_attribute(fuzz, 10, def->name);
        }
    }
    bp_text_add(&fuzz->words, "]");
    pw_close(&fuzz->w);
}

void fuzz_attributes(struct fuzz *fuzz)
{
    const struct bp_schema *row = fuzz->row;
    uint32_t often = 10 + fuzz_below(fuzz, 80);

    if (strcmp(row->domain, "ai.onnx.ml") == 0 && fuzz_chance(fuzz, 60))
        often = 95;

    for (uint32_t i = 0; i < row->n_attrs; i++) {
        const struct bp_attr_def *def = &row->attrs[i];
        uint32_t type = def->type;
        bool is_list = def->is_list;

        if (!fuzz_chance(fuzz, def->is_required ? 98 : strstr(def->name, "_as_tensor") ? 8 : often))
            continue;
        bp_text_printf(&fuzz->words, " %s=", def->name);
        if (fuzz->is_wild && fuzz_chance(fuzz, 2))
            type = 1 + fuzz_below(fuzz, 4);
        if (fuzz->is_wild && fuzz_chance(fuzz, 2))
            is_list = !is_list;
        if (type == BP_ATTR_GRAPH)
            fuzz_subgraph(fuzz, def->name);
        else if (is_list)
            write_list(fuzz, def, type);
        else
            write_one(fuzz, def, type);
    }
}
