/* SPDX-License-Identifier: MIT */
/*
 * common.h - what the operator families share: how a row of the schema table is written, and steps
 * that many shape rules take. Only this folder and schema_table.c include it, so its macros are
 * short.
 */
#ifndef BP_GRAPH_RULES_COMMON_H
#define BP_GRAPH_RULES_COMMON_H

#include "graph/infer.h"
#include "graph/schema.h"

/*
 * ---- rows ---------------------------------------------------------------------------------------
 *
 * ROW(Conv, 11, INFER(infer_conv),
 *     IN(P("X", 'T', FLOAT3), P("W", 'T', FLOAT3), OPT("B", 'T', FLOAT3)),
 *     OUT(P("Y", 'T', FLOAT3)),
 *     ATTRS(A_STRING("auto_pad", "NOTSET"), A_INTS("pads"), A_INT("group", 1)));
 *
 * defines bp_schema_Conv_11, which list.inc puts in the table; it does not compile without its line
 * there. The rows of other domains have a prefix there: BP_SCHEMA(ml_Binarizer, 1). Parameters are
 * a name, a type variable (any letter, 0 for none) and the types allowed. Each file says once which
 * family its operators are of: #define FAMILY BP_FAMILY_CONV_POOL.
 */
#define ROW(op_, since_, ...) ROW_NAMED(op_, "", op_, since_, __VA_ARGS__)
/* Rows of ai.onnx.ml, ai.onnx.preview, ai.onnx.preview.training and com.microsoft. */
#define ML_ROW(op_, since_, ...) ROW_NAMED(ml_##op_, "ai.onnx.ml", op_, since_, __VA_ARGS__)
#define PREVIEW_ROW(op_, since_, ...)                                                              \
    ROW_NAMED(preview_##op_, "ai.onnx.preview", op_, since_, __VA_ARGS__)
#define TRAINING_ROW(op_, since_, ...)                                                             \
    ROW_NAMED(training_##op_, "ai.onnx.preview.training", op_, since_, __VA_ARGS__)
#define MS_ROW(op_, since_, ...) ROW_NAMED(ms_##op_, "com.microsoft", op_, since_, __VA_ARGS__)
/* ... and of org.backplane, which only this host knows. */
#define OWN_ROW(op_, since_, ...) ROW_NAMED(own_##op_, "org.backplane", op_, since_, __VA_ARGS__)
#define ROW_NAMED(symbol_, domain_, op_, since_, ...)                                              \
    _Static_assert(sizeof bp_schema_##symbol_##_##since_ > 0, "declared through list.inc");        \
    const struct bp_schema bp_schema_##symbol_##_##since_ = {                                      \
        .op = #op_, .domain = (domain_), .since = since_, .family = FAMILY, __VA_ARGS__}
#define INFER(rule) .infer = (rule)
#define COUNT_OF(type, ...) (sizeof((const type[]){__VA_ARGS__}) / sizeof(type))
#define IN(...)                                                                                    \
    .in = (const struct bp_param[]){__VA_ARGS__}, .n_in = COUNT_OF(struct bp_param, __VA_ARGS__)
#define OUT(...)                                                                                   \
    .out = (const struct bp_param[]){__VA_ARGS__}, .n_out = COUNT_OF(struct bp_param, __VA_ARGS__)
#define ATTRS(...)                                                                                 \
    .attrs = (const struct bp_attr_def[]){__VA_ARGS__},                                            \
    .n_attrs = COUNT_OF(struct bp_attr_def, __VA_ARGS__)
#define NO_ATTRS .attrs = NULL

/* clang-format off */
#define P(name, var, types) {name, types, 0, var, 0}
#define P_KINDS(name, var, types, kinds) {name, types, 0, var, kinds}
#define OPT(name, var, types) {name, types, BP_PARAM_OPTIONAL, var, 0}
#define MANY(name, var, types) {name, types, BP_PARAM_VARIADIC, var, 0}
#define READ(name, var, types) {name, types, BP_PARAM_CONTENT, var, 0}
#define OPT_READ(name, var, types) {name, types, BP_PARAM_OPTIONAL | BP_PARAM_CONTENT, var, 0}

#define A_INT(name_, def) {.name = name_, .type = BP_ATTR_INT, .has_default = true, .def_int = def}
#define A_INT_OPT(name_) {.name = name_, .type = BP_ATTR_INT}
#define A_INT_REQ(name_) {.name = name_, .type = BP_ATTR_INT, .is_required = true}
#define A_INTS(name_) {.name = name_, .type = BP_ATTR_INT, .is_list = true}
#define A_INTS_REQ(name_) {.name = name_, .type = BP_ATTR_INT, .is_list = true, .is_required = true}
#define A_FLOAT(name_, def) \
    {.name = name_, .type = BP_ATTR_FLOAT, .has_default = true, .def_float = def}
#define A_FLOAT_OPT(name_) {.name = name_, .type = BP_ATTR_FLOAT}
#define A_FLOATS(name_) {.name = name_, .type = BP_ATTR_FLOAT, .is_list = true}
#define A_STRING(name_, def) \
    {.name = name_, .type = BP_ATTR_STRING, .has_default = true, .def_string = def}
#define A_STRING_OPT(name_) {.name = name_, .type = BP_ATTR_STRING}
#define A_STRING_REQ(name_) {.name = name_, .type = BP_ATTR_STRING, .is_required = true}
#define A_STRINGS(name_) {.name = name_, .type = BP_ATTR_STRING, .is_list = true}
#define A_TENSOR_OPT(name_) {.name = name_, .type = BP_ATTR_TENSOR}
#define A_TENSOR_REQ(name_) {.name = name_, .type = BP_ATTR_TENSOR, .is_required = true}
#define A_GRAPH_OPT(name_) {.name = name_, .type = BP_ATTR_GRAPH}
#define A_GRAPH_REQ(name_) {.name = name_, .type = BP_ATTR_GRAPH, .is_required = true}
/* clang-format on */

/* Kinds of values beside tensors. */
#define K_SEQUENCE (1u << BP_KIND_SEQUENCE)
#define K_OPTIONAL (1u << BP_KIND_OPTIONAL)
#define K_TENSOR (1u << BP_KIND_TENSOR)
#define K_MAP (1u << BP_KIND_MAP)
#define K_SPARSE (1u << BP_KIND_SPARSE)

/* Sets of types that come up again and again; "3": before bfloat16 was a type. */
#define FLOAT3 BP_T_FLOAT3
#define FLOAT BP_T_FLOAT
#define NUMBER3 (FLOAT3 | BP_T_INT | BP_T_UINT)
#define NUMBER BP_T_NUMBER
#define WIDE3 (FLOAT3 | BP_T(I32) | BP_T(I64) | BP_T(U32) | BP_T(U64))
#define WIDE (WIDE3 | BP_T(BF16))
#define INDEX (BP_T(I32) | BP_T(I64))
#define FLOAT_NO_F64 (BP_T(F16) | BP_T(F32) | BP_T(BF16))
#define HALF_FLOAT (BP_T(F16) | BP_T(F32))
#define BYTE8 (BP_T(I8) | BP_T(U8))
/* "All tensor types", as they were in the IR version of that number. */
#define ALL3 (NUMBER3 | BP_T(BOOL) | BP_T(STRING) | BP_T_COMPLEX)
#define ALL4 (ALL3 | BP_T(BF16))
#define FLOAT8 (BP_T(F8E4M3FN) | BP_T(F8E4M3FNUZ) | BP_T(F8E5M2) | BP_T(F8E5M2FNUZ))
#define ALL9 (ALL4 | FLOAT8)
#define ALL10 (ALL9 | BP_T(U4) | BP_T(I4))
#define ALL11 (ALL10 | BP_T(F4E2M1))
#define ALL12 (ALL11 | BP_T(F8E8M0))
#define ALL13 (ALL12 | BP_T(U2) | BP_T(I2))

#define BP_SCHEMA(op, since) extern const struct bp_schema bp_schema_##op##_##since;
#include "graph/rules/list.inc"
#undef BP_SCHEMA

/* ---- inputs and outputs ---------------------------------------------------------------------- */

/* Input i, or NULL when it is absent. */
static inline const struct bp_fact *bp_rule_in(const struct bp_infer *infer, uint32_t i)
{
    return i < infer->node->n_in ? infer->in[i] : NULL;
}

static inline uint32_t bp_rule_dtype(const struct bp_infer *infer, uint32_t i)
{
    const struct bp_fact *fact = bp_rule_in(infer, i);

    return fact ? fact->dtype : BP_DTYPE_NONE;
}

/* Is the rank of this (maybe absent) value known? */
static inline bool bp_rule_ranked(const struct bp_fact *fact)
{
    return fact && fact->rank != BP_RANK_UNKNOWN;
}

/* Does the node have output i? */
static inline bool bp_rule_wants(const struct bp_infer *infer, uint32_t i)
{
    return i < infer->node->n_out && infer->node->out[i] != BP_NONE;
}

/* The type of input 0, or where that is not known, of input 1. */
uint32_t bp_rule_either_dtype(const struct bp_infer *infer);

/* Does this version of the operator have the attribute? */
bool bp_rule_has_attr(const struct bp_infer *infer, const char *name);

/* Sets output i, where the node has it. dims may be NULL for rank 0 and unknown rank. */
bp_rc bp_rule_set(struct bp_infer *infer, uint32_t i, uint32_t dtype, uint32_t rank,
                  const struct bp_sym *dims) BP_CHECKED;
/* Sets output i to the shape of `fact` (unknown when NULL). */
bp_rc bp_rule_like(struct bp_infer *infer, uint32_t i, uint32_t dtype,
                   const struct bp_fact *fact) BP_CHECKED;
/* Output 0 as input 0. */
bp_rc bp_rule_like_first(struct bp_infer *infer) BP_CHECKED;
/* Sets output i to a type alone. */
bp_rc bp_rule_unknown(struct bp_infer *infer, uint32_t i, uint32_t dtype) BP_CHECKED;
/* Sets output i to a fact in infer->region, whatever kind of value it is of, without its content. */
void bp_rule_set_fact(struct bp_infer *infer, uint32_t i, const struct bp_fact *fact);
/* Sets output i to a sequence or optional of such items. */
bp_rc bp_rule_set_items(struct bp_infer *infer, uint32_t i, uint32_t kind,
                        const struct bp_fact *item) BP_CHECKED;
/* What holds of both facts; sizes that differ come with the data. *same: b says nothing else than a. */
bp_rc bp_rule_widen(struct bp_infer *infer, const struct bp_fact *a, const struct bp_fact *b,
                    struct bp_fact *out, bool *same) BP_CHECKED;
/* The content of `from` for output i, which has the same elements in the same order. */
bp_rc bp_rule_same_content(struct bp_infer *infer, uint32_t i,
                           const struct bp_fact *from) BP_CHECKED;

/* ---- checks ---------------------------------------------------------------------------------- */

/* BP_E_SHAPE when the rank of input i is known and outside min..max. */
bp_rc bp_rule_rank(struct bp_infer *infer, uint32_t i, uint32_t min, uint32_t max) BP_CHECKED;
/* BP_E_SHAPE unless input i is absent, unknown, a scalar or one element. */
bp_rc bp_rule_scalar(struct bp_infer *infer, uint32_t i) BP_CHECKED;
/* The same for each of inputs first to last. */
bp_rc bp_rule_scalars(struct bp_infer *infer, uint32_t first, uint32_t last) BP_CHECKED;
/* BP_E_SHAPE when input i is known to have another number of elements than one; of any rank. */
bp_rc bp_rule_one_element(struct bp_infer *infer, uint32_t i) BP_CHECKED;
/*
 * BP_E_SHAPE when dimension `axis` of input i is known and is not `size`, also known; `whose` says
 * where that comes from. No complaint when the input is absent or of another rank.
 */
bp_rc bp_rule_expect(struct bp_infer *infer, uint32_t i, uint32_t axis, struct bp_sym size,
                     const char *whose) BP_CHECKED;
/* Input i is a vector of `size` elements, where both are known. */
bp_rc bp_rule_vector(struct bp_infer *infer, uint32_t i, struct bp_sym size,
                     const char *whose) BP_CHECKED;
/* BP_E_SHAPE when a result would have more dimensions than a tensor may. */
bp_rc bp_rule_check_rank(struct bp_infer *infer, uint64_t rank) BP_CHECKED;
/* BP_E_SHAPE when b, broadcast in one direction only, does not fit a. */
bp_rc bp_rule_fits_onto(struct bp_infer *infer, const struct bp_fact *a,
                        const struct bp_fact *b) BP_CHECKED;
/* BP_E_INVALID unless the attribute is absent, or one of two strings. */
bp_rc bp_rule_check_word(struct bp_infer *infer, const char *name, const char *a,
                         const char *b) BP_CHECKED;
/* Name of input i in the operator's text. */
const char *bp_rule_name(const struct bp_infer *infer, uint32_t i);

/* ---- sizes ----------------------------------------------------------------------------------- */

/* bp_symbols_calc, with x+0, x*1, x-x and the like done first. */
bp_rc bp_rule_calc(struct bp_infer *infer, struct bp_sym a, char op, struct bp_sym b,
                   struct bp_sym *out) BP_CHECKED;
/* a + n, written as a difference where n is negative. */
bp_rc bp_rule_shift(struct bp_infer *infer, struct bp_sym a, int64_t n,
                    struct bp_sym *out) BP_CHECKED;
bp_rc bp_rule_product(struct bp_infer *infer, const struct bp_sym *dims, uint32_t n,
                      struct bp_sym *out) BP_CHECKED;
/* Dimension `axis` of input 0, divided. BP_E_SHAPE: it is known not to be a multiple. */
bp_rc bp_rule_divide_dim(struct bp_infer *infer, uint32_t axis, int64_t by,
                         struct bp_sym *out) BP_CHECKED;
/* n sizes that only the data will tell. */
bp_rc bp_rule_from_data(struct bp_infer *infer, struct bp_sym *dims, uint32_t n) BP_CHECKED;
/* Dimension i of a fact, from the end where i < 0; one that only the data tells without a rank. */
bp_rc bp_rule_dim(struct bp_infer *infer, const struct bp_fact *fact, int i,
                  struct bp_sym *out) BP_CHECKED;
/* The one size that two must have in common; false: both are known and differ. */
bool bp_rule_unify(struct bp_sym a, struct bp_sym b, struct bp_sym *out);
/* Can this element not be below 0? Symbols are sizes, and stay so until something is taken away. */
bool bp_rule_is_size(const struct bp_infer *infer, struct bp_sym sym);

/* ---- lists that are an attribute in some versions and an input in others --------------------- */

struct bp_list {
    const struct bp_sym *v; /* NULL: the elements are not known */
    uint32_t n;
    bool is_given;   /* false: absent */
    bool is_counted; /* n is right */
};

/*
 * The list `name`: the attribute where this version has one, else input i (BP_NONE: there is none).
 * BP_E_SHAPE: the input is not a list.
 */
bp_rc bp_rule_list(struct bp_infer *infer, const char *name, uint32_t i,
                   struct bp_list *out) BP_CHECKED;
/* Are all elements exact? */
bool bp_list_is_exact(const struct bp_list *list);
/*
 * The axes of an exact list for a tensor of that rank, bit by bit. BP_E_INVALID: one is outside,
 * or, unless repeats are fine, given twice.
 */
bp_rc bp_rule_axes(struct bp_infer *infer, const struct bp_list *list, uint32_t rank,
                   bool may_repeat, uint64_t *out) BP_CHECKED;

/* ---- rules of other rows --------------------------------------------------------------------- */

/*
 * Runs the rule of another row, as if the node were of that operator and had these n inputs (NULL:
 * absent). Attributes and outputs stay the node's own.
 */
bp_rc bp_rule_as(struct bp_infer *infer, const struct bp_schema *schema,
                 const struct bp_fact *const *in, uint32_t n) BP_CHECKED;
/* A copy of a ranked fact whose dimension i is dimension perm[i] of it; NULL: no memory. */
const struct bp_fact *bp_rule_transposed(struct bp_infer *infer, const struct bp_fact *fact,
                                         const uint32_t *perm);
/*
 * Moves the channels of a shape from its end to where ONNX has them (to_end: back); nothing where
 * there is no rank.
 */
bp_rc bp_rule_move_channels(struct bp_infer *infer, const struct bp_fact **fact,
                            bool to_end) BP_CHECKED;
/*
 * Runs the rule of a row whose first input and output have their channels at the end here; the other
 * of the n_in inputs are as there. n_in is at most 3.
 */
bp_rc bp_rule_channels_last(struct bp_infer *infer, const struct bp_schema *schema,
                            uint32_t n_in) BP_CHECKED;

/* ---- subgraphs of Loop and Scan -------------------------------------------------------------- */

/*
 * Runs a subgraph, whose inputs are `in`, and widens its n carried inputs from first_in on until they
 * also hold what its outputs from first_out on are. *out: facts of the subgraph's outputs.
 */
bp_rc bp_rule_loop_carried(struct bp_infer *infer, const struct bp_ir *subgraph, struct bp_fact *in,
                           uint32_t first_in, uint32_t first_out, uint32_t n,
                           struct bp_fact **out) BP_CHECKED;

/* ---- contents, see data_propagation.c -------------------------------------------------------- */

/* One element of a result; *known false where the symbols do not tell. */
typedef bp_rc (*bp_pair_fn)(struct bp_infer *infer, struct bp_sym a, struct bp_sym b,
                            struct bp_sym *out, bool *known);

bp_rc bp_pair_add(struct bp_infer *, struct bp_sym, struct bp_sym, struct bp_sym *,
                  bool *) BP_CHECKED;
bp_rc bp_pair_sub(struct bp_infer *, struct bp_sym, struct bp_sym, struct bp_sym *,
                  bool *) BP_CHECKED;
bp_rc bp_pair_mul(struct bp_infer *, struct bp_sym, struct bp_sym, struct bp_sym *,
                  bool *) BP_CHECKED;
bp_rc bp_pair_div(struct bp_infer *, struct bp_sym, struct bp_sym, struct bp_sym *,
                  bool *) BP_CHECKED;
bp_rc bp_pair_mod(struct bp_infer *, struct bp_sym, struct bp_sym, struct bp_sym *,
                  bool *) BP_CHECKED;
bp_rc bp_pair_min(struct bp_infer *, struct bp_sym, struct bp_sym, struct bp_sym *,
                  bool *) BP_CHECKED;
bp_rc bp_pair_max(struct bp_infer *, struct bp_sym, struct bp_sym, struct bp_sym *,
                  bool *) BP_CHECKED;

/* Can a tensor of that type hold the value? */
bool bp_dtype_holds(uint32_t dtype, int64_t value);
/* Number of elements, where it is known and small enough to follow. */
bool bp_content_count(const struct bp_fact *fact, uint32_t *out);
/* Is every element of this (maybe absent) value known, at least by a symbol? */
bool bp_content_is_whole(const struct bp_fact *fact);
/* Index in `in` of the element that is broadcast to element i of `out`; sizes are exact. */
uint32_t bp_content_source(const struct bp_fact *out, const struct bp_fact *in, uint32_t i);
/*
 * fn over the elements of a and b, broadcast to the shape of `out`; dtype is that of the result. *v
 * is NULL when an element is not known.
 */
bp_rc bp_content_zip(struct bp_infer *infer, bp_pair_fn fn, const struct bp_fact *a,
                     const struct bp_fact *b, const struct bp_fact *out, uint32_t dtype,
                     const struct bp_sym **v, uint32_t *n) BP_CHECKED;
/* fn over all n elements, one after the other; *known false when that is not known. */
bp_rc bp_content_fold(struct bp_infer *infer, bp_pair_fn fn, const struct bp_sym *v, uint32_t n,
                      uint32_t dtype, struct bp_sym *out, bool *known) BP_CHECKED;

#endif
