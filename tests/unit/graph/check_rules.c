/* SPDX-License-Identifier: MIT */
/*
 * check_rules.c - the shape rules, a line a case: inputs, attributes and outputs as text. A value
 * is "float32[batch,3,?]", "[...]" for no known rank, with "={1,n}" after it for its elements, "-"
 * when it is absent; a result that only the data will tell ends in "!".
 */

#include "config.h"

#include "graph/infer.h"

#include <check.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "graph/schema_table.h"
#include "support/fail_alloc.h"

enum { MAX_VALUES = 24, MAX_ATTRS = 32, MAX_LIST = 16 };

static struct bp_symbols symbols;
static struct bp_region region;  /* for what the test makes */
static struct bp_region results; /* for what the rule makes */
static char text[512];
static bp_err err;
static unsigned fail_at; /* the allocation within the rule that fails; 0: none */
static bool has_failed;

static void setup(void)
{
    memset(&symbols, 0, sizeof symbols);
    memset(&region, 0, sizeof region);
    memset(&results, 0, sizeof results);
    err = bp_err_init(text, sizeof text);
}

static void teardown(void)
{
    bp_symbols_finish(&symbols);
    bp_region_finish(&region);
    bp_region_finish(&results);
}

/* ---- text to values ------------------------------------------------------------------------- */

static void *must(void *p)
{
    ck_assert_ptr_nonnull(p);
    return p;
}

static int64_t number(const char **s)
{
    char *end;
    int64_t value = strtoll(*s, &end, 10);

    ck_assert_ptr_ne(end, *s);
    *s = end;
    return value;
}

/* A number, a name, or "?", up to a comma or bracket. */
static struct bp_sym symbol(const char **s)
{
    size_t n = strcspn(*s, ",]}");
    struct bp_sym sym;

    if (isdigit((unsigned char)**s) || **s == '-')
        return bp_sym_of(number(s));
    ck_assert_int_eq(bp_symbols_named(&symbols, must(bp_region_text(&region, *s, n)), &sym, &err),
                     BP_OK);
    *s += n;
    return sym;
}

/* Symbols up to `close`, which is passed. */
static struct bp_sym *symbol_list(const char **s, char close, uint32_t *n)
{
    struct bp_sym *list = must(bp_region_array(&region, 128, sizeof *list));

    *n = 0;
    while (**s != close) {
        ck_assert_uint_lt(*n, 128);
        list[(*n)++] = symbol(s);
        if (**s == ',')
            ++*s;
    }
    ++*s;
    return list;
}

static uint32_t dtype_of(const char *name, size_t n)
{
    for (uint32_t dtype = 1; dtype < BP_DTYPE_END; dtype++) {
        if (strlen(bp_dtype_name(dtype)) == n && strncmp(bp_dtype_name(dtype), name, n) == 0)
            return dtype;
    }
    ck_assert_msg(n == 0, "no type: %s", name);
    return BP_DTYPE_NONE;
}

static void read_reals(struct bp_fact *fact, const char **s)
{
    double *reals = must(bp_region_array(&region, MAX_LIST, sizeof *reals));
    char *end;

    while (**s != '}') {
        reals[fact->n_content++] = strtod(*s, &end);
        *s = end + (*end == ',');
    }
    ++*s;
    fact->reals = reals;
}

static struct bp_fact *fact_of(const char **s)
{
    struct bp_fact *fact = must(bp_region_alloc(&region, sizeof *fact));
    size_t n = strcspn(*s, "[");

    fact->rank = BP_RANK_UNKNOWN;
    fact->dtype = dtype_of(*s, n);
    *s += n + 1;
    if (strncmp(*s, "...]", 4) == 0)
        *s += 4;
    else
        fact->dims = symbol_list(s, ']', &fact->rank);
    if (**s == '=') {
        *s += 2;
        if (fact->dtype == BP_DTYPE_F32 || fact->dtype == BP_DTYPE_F64)
            read_reals(fact, s);
        else
            fact->content = symbol_list(s, '}', &fact->n_content);
    }
    return fact;
}

static uint32_t facts_of(const char *s, const struct bp_fact **out)
{
    uint32_t n = 0;

    while (*s) {
        ck_assert_uint_lt(n, MAX_VALUES);
        if (*s == '-') {
            out[n++] = NULL;
            s++;
        } else {
            out[n++] = fact_of(&s);
        }
        while (*s == ' ')
            s++;
    }
    return n;
}

/* ---- text to attributes: axis=1 pads=[1,1] alpha=0.5 mode='edge' ---------------------------- */

static void set_ints(bp_attr *attr, const char **s)
{
    int64_t *list = must(bp_region_array(&region, MAX_LIST, sizeof *list));

    while (**s != ']') {
        ck_assert_uint_lt(attr->count, MAX_LIST);
        list[attr->count++] = number(s);
        if (**s == ',')
            ++*s;
    }
    ++*s;
    attr->type = BP_ATTR_INT;
    attr->flags = BP_ATTR_LIST;
    attr->data = list;
}

static void set_text(bp_attr *attr, const char *s, size_t n)
{
    bp_span *span = must(bp_region_alloc(&region, sizeof *span));

    span->data = must(bp_region_text(&region, s, n));
    span->size = n;
    attr->type = BP_ATTR_STRING;
    attr->data = span;
    attr->count = 1;
}

static void set_number(bp_attr *attr, const char **s)
{
    bool is_float = (*s)[strspn(*s, "-0123456789")] == '.';
    float *real = must(bp_region_alloc(&region, sizeof *real));
    int64_t *whole = must(bp_region_alloc(&region, sizeof *whole));
    char *end;

    *real = strtof(*s, &end);
    *whole = is_float ? 0 : number(s);
    *s = end;
    attr->type = is_float ? BP_ATTR_FLOAT : BP_ATTR_INT;
    attr->data = is_float ? (const void *)real : whole;
    attr->count = 1;
}

/* value=int64[1]={7}: a tensor of int64 or float32 */
static void set_tensor(bp_attr *attr, const char **s)
{
    bp_const *value = must(bp_region_alloc(&region, sizeof *value));
    struct bp_fact *fact = fact_of(s);
    int64_t *dims = must(bp_region_array(&region, fact->rank, sizeof *dims));
    int64_t *data = must(bp_region_array(&region, (size_t)fact->n_content + 1, sizeof *data));

    for (uint32_t i = 0; i < fact->rank; i++)
        dims[i] = fact->dims[i].value;
    for (uint32_t i = 0; fact->content && i < fact->n_content; i++)
        data[i] = fact->content[i].value;
    value->dims = dims;
    value->data = data;
    value->bytes = fact->n_content * 8u;
    value->rank = fact->rank;
    value->dtype = fact->dtype;
    attr->type = BP_ATTR_TENSOR;
    attr->data = value;
    attr->count = 1;
}

static uint32_t attrs_of(const char *s, bp_attr *out)
{
    uint32_t n = 0;

    while (*s) {
        size_t len = strcspn(s, "=");
        bp_attr *attr = &out[n++];

        ck_assert_uint_lt(n, MAX_ATTRS);
        attr->name = must(bp_region_text(&region, s, len));
        s += len + 1;
        if (*s == '[') {
            s++;
            set_ints(attr, &s);
        } else if (*s == '\'') {
            len = strcspn(++s, "'");
            set_text(attr, s, len);
            s += len + 1;
        } else if (isalpha((unsigned char)*s)) {
            set_tensor(attr, &s);
        } else {
            set_number(attr, &s);
        }
        while (*s == ' ')
            s++;
    }
    return n;
}

/* Defaults of the schema after the given ones, as sealing a graph adds them. */
static uint32_t add_defaults(const struct bp_schema *schema, bp_attr *attrs, uint32_t n)
{
    for (uint32_t i = 0; i < schema->n_attrs; i++) {
        const struct bp_attr_def *def = &schema->attrs[i];
        bool is_given = !def->has_default;

        for (uint32_t k = 0; k < n; k++)
            is_given = is_given || strcmp(attrs[k].name, def->name) == 0;
        if (is_given)
            continue;
        ck_assert_uint_lt(n, MAX_ATTRS);
        attrs[n].name = def->name;
        attrs[n].type = def->type;
        attrs[n].count = 1;
        if (def->type == BP_ATTR_STRING)
            set_text(&attrs[n], def->def_string, strlen(def->def_string));
        else
            attrs[n].data =
                def->type == BP_ATTR_INT ? (const void *)&def->def_int : &def->def_float;
        n++;
    }
    return n;
}

/* ---- values to text ------------------------------------------------------------------------- */

static void add_text(char *buf, size_t cap, const char *s)
{
    ck_assert_uint_lt(strlen(buf) + strlen(s), cap);
    memcpy(buf + strlen(buf), s, strlen(s) + 1);
}

static void add_fact(char *buf, size_t cap, const struct bp_fact *fact)
{
    char part[256];

    bp_fact_text(fact, &symbols, part, sizeof part);
    add_text(buf, cap, part);
    for (uint32_t i = 0; fact->content && i < fact->n_content; i++) {
        struct bp_sym sym = fact->content[i];

        if (bp_sym_known(sym))
            snprintf(part, sizeof part, "%s%" PRId64, i ? "," : "={", sym.value);
        else
            snprintf(part, sizeof part, "%s%s", i ? "," : "={", bp_symbols_name(&symbols, sym));
        add_text(buf, cap, part);
    }
    if (fact->content)
        add_text(buf, cap, fact->n_content ? "}" : "={}");
    if (fact->rank != BP_RANK_UNKNOWN && bp_fact_needs_data(fact, &symbols))
        add_text(buf, cap, "!");
}

/* ---- running a rule ------------------------------------------------------------------------- */

struct rule_case {
    const char *op; /* "Relu", or "ai.onnx.ml:Scaler" */
    uint32_t opset;
    const char *attrs, *in;
    const char *out; /* or "!" and part of the sentence that refuses it */
};

/* Splits the name of a case's operator. */
static void name_node(const struct rule_case *c, struct bp_ir_node *node)
{
    const char *colon = strchr(c->op, ':');

    node->op = colon ? colon + 1 : c->op;
    node->domain = colon ? must(bp_region_text(&region, c->op, (size_t)(colon - c->op))) : "";
    node->schema = bp_schema_find(node->domain, node->op, c->opset);
    ck_assert_msg(node->schema, "no row for %s %u", c->op, c->opset);
}

/* As many as there are words; 1 where the node is refused. */
static uint32_t n_outputs(const struct rule_case *c)
{
    uint32_t n = 1;

    for (const char *s = c->out; *s && c->out[0] != '!'; s++)
        n += *s == ' ';
    return n;
}

/* The outputs as text, or "!" and the sentence of a refusal. */
static void run_rule(const struct rule_case *c, uint32_t n_out, bool with_defaults, char *buf,
                     size_t cap)
{
    const struct bp_fact *in[MAX_VALUES] = {NULL};
    struct bp_fact out[MAX_VALUES] = {{0}};
    uint32_t in_index[MAX_VALUES] = {0};
    uint32_t out_index[MAX_VALUES] = {0};
    bp_attr attrs[MAX_ATTRS] = {{0}};
    struct bp_ir_node node = {.name = "n", .opset = c->opset};
    struct bp_infer infer = {
        .node = &node, .in = in, .out = out, .symbols = &symbols, .region = &results, .err = &err};
    bp_rc rc;

    name_node(c, &node);
    node.attrs = attrs;
    node.n_attrs = attrs_of(c->attrs, attrs);
    if (with_defaults)
        node.n_attrs = add_defaults(node.schema, attrs, node.n_attrs);
    node.in = in_index;
    node.n_in = facts_of(c->in, in);
    node.out = out_index;
    node.n_out = n_out;
    for (uint32_t i = 0; i < n_out; i++)
        out[i].rank = BP_RANK_UNKNOWN;
    buf[0] = '\0';
    if (fail_at)
        fail_alloc_at(fail_at);
    rc = node.schema->infer(&infer);
    has_failed = fail_at && fail_alloc_stop();
    if (has_failed) {
        ck_assert_int_eq(rc, BP_E_NOMEM);
        return;
    }
    if (rc < 0) {
        ck_assert_msg(rc == BP_E_SHAPE || rc == BP_E_INVALID, "%d: %s", rc, text);
        add_text(buf, cap, "!");
        add_text(buf, cap, text);
        return;
    }
    for (uint32_t i = 0; i < n_out; i++) {
        if (i)
            add_text(buf, cap, " ");
        add_fact(buf, cap, &out[i]);
    }
}

static void check_case(const struct rule_case *c, bool with_defaults)
{
    bool is_refused = c->out[0] == '!';
    char found[1024];

    run_rule(c, n_outputs(c), with_defaults, found, sizeof found);
    if (is_refused)
        ck_assert_msg(found[0] == '!' && strstr(found, c->out + 1),
                      "%s %u <%s> %s\n  gives  %s\n"
                      "  not    %s",
                      c->op, c->opset, c->attrs, c->in, found, c->out);
    else
        ck_assert_msg(strcmp(found, c->out) == 0, "%s %u <%s> %s\n  gives  %s\n  not    %s", c->op,
                      c->opset, c->attrs, c->in, found, c->out);
}

static const struct rule_case cases[] = {
#include "graph/check_rules.inc"
#include "graph/check_rules_elementwise.inc"
#include "graph/check_rules_gather_scatter.inc"
#include "graph/check_rules_image.inc"
#include "graph/check_rules_microsoft.inc"
#include "graph/check_rules_ml.inc"
#include "graph/check_rules_normalization.inc"
#include "graph/check_rules_quantized.inc"
};

START_TEST(shape_rules_infer_outputs_of_each_operator)
{
    check_case(&cases[_i], false);
    teardown();
    setup();
    check_case(&cases[_i], true);
}
END_TEST

START_TEST(shape_rules_survive_every_failing_allocation)
{
    char found[1024];

    fail_at = 0;
    do {
        fail_at++;
        ck_assert_uint_lt(fail_at, 1000);
        teardown();
        setup();
        run_rule(&cases[_i], n_outputs(&cases[_i]), true, found, sizeof found);
    } while (has_failed);
    fail_at = 0;
}
END_TEST

/* ---- If ------------------------------------------------------------------------------------- */

/* A subgraph that gives one value of the graph around it, as it is. */
static struct bp_ir *give_captured(const char *name, struct bp_ir_value *value, uint32_t *output)
{
    struct bp_ir *subgraph = must(bp_region_alloc(&region, sizeof *subgraph));

    value->flags = BP_IR_CAPTURED | BP_IR_OUTPUT;
    value->producer = BP_NONE;
    value->declared.rank = BP_RANK_UNKNOWN;
    subgraph->name = name;
    subgraph->values = value;
    subgraph->n_values = 1;
    subgraph->outputs = output;
    subgraph->n_outputs = 1;
    return subgraph;
}

static void run_if(const char *cond, const char *outer_facts, char *buf, size_t cap)
{
    const struct bp_fact *outer_list[MAX_VALUES];
    struct bp_fact outer[2], out = {.rank = BP_RANK_UNKNOWN};
    struct bp_ir_value values[2] = {{.name = "a", .outer = 0}, {.name = "b", .outer = 1}};
    uint32_t zero = 0;
    uint32_t subgraph_index[2] = {0, 1};
    struct bp_ir *subgraphs[2] = {give_captured("then", &values[0], &zero),
                                  give_captured("else", &values[1], &zero)};
    bp_attr attrs[2] = {
        {.name = "then_branch", .type = BP_ATTR_GRAPH, .count = 1, .data = &subgraph_index[0]},
        {.name = "else_branch", .type = BP_ATTR_GRAPH, .count = 1, .data = &subgraph_index[1]}};
    const struct bp_fact *in[1];
    struct bp_ir_node node = {.name = "n",
                              .op = "If",
                              .domain = "",
                              .in = &zero,
                              .n_in = 1,
                              .out = &zero,
                              .n_out = 1,
                              .attrs = attrs,
                              .n_attrs = 2,
                              .subgraphs = subgraphs,
                              .n_subgraphs = 2};
    struct bp_infer infer = {.node = &node,
                             .in = in,
                             .out = &out,
                             .outer = outer,
                             .symbols = &symbols,
                             .region = &region,
                             .err = &err};

    ck_assert_uint_eq(facts_of(outer_facts, outer_list), 2);
    outer[0] = *outer_list[0];
    outer[1] = *outer_list[1];
    in[0] = fact_of(&cond);
    node.schema = bp_schema_find("", "If", 16);
    buf[0] = '\0';
    if (node.schema->infer(&infer) < 0) {
        add_text(buf, cap, "!");
        add_text(buf, cap, text);
    } else {
        add_fact(buf, cap, &out);
    }
}

static const struct {
    const char *cond, *outer, *out;
} branches[] = {
    {"bool[]", "float32[2,n] float32[2,n]", "float32[2,n]"},
    {"bool[]", "float32[2,n] float32[3,n]", "float32[?,n]!"},
    {"bool[]", "float32[2,n] float32[2,m]", "float32[2,?]!"},
    {"bool[]", "float32[2,n] float32[2]", "float32[...]"},
    {"bool[]", "float32[2] [...]", "float32[...]"},
    {"bool[]={1}", "float32[2] float32[3,3]", "float32[2]"},
    {"bool[1]={0}", "float32[2] float32[3,3]", "float32[3,3]"},
    {"bool[]={1}", "int64[2]={1,n} int64[1]", "int64[2]={1,n}"},
    {"bool[]", "float32[2] int32[2]", "!output 0 is float32[2] in then_branch, but int32[2]"},
    {"bool[1,1]={1}", "float32[2] float32[3,3]", "float32[2]"},
    {"bool[2]", "float32[2] float32[2]", "!cond is bool[2], but a single element is needed"},
};

START_TEST(if_rule_merges_the_shapes_of_both_branches)
{
    char found[1024];

    run_if(branches[_i].cond, branches[_i].outer, found, sizeof found);
    if (branches[_i].out[0] == '!')
        ck_assert_ptr_nonnull(strstr(found, branches[_i].out));
    else
        ck_assert_str_eq(found, branches[_i].out);
}
END_TEST

/* ---- several rules in a row ----------------------------------------------------------------- */

/* x.view(x.size(0), -1), as PyTorch writes it: from symbols to symbols. */
START_TEST(shape_rules_follow_shape_values_through_arithmetic)
{
    static const struct rule_case steps[] = {
        {"Shape", 13, "", "float32[batch,256,6,6]", "int64[4]={batch,256,6,6}"},
        {"Gather", 13, "", "int64[4]={batch,256,6,6} int64[]={0}", "int64[]={batch}"},
        {"Unsqueeze", 13, "", "int64[]={batch} int64[1]={0}", "int64[1]={batch}"},
        {"Concat", 13, "axis=0", "int64[1]={batch} int64[1]={-1}", "int64[2]={batch,-1}"},
        {"Reshape", 13, "", "float32[batch,256,6,6] int64[2]={batch,-1}", "float32[batch,9216]"},
    };

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        check_case(&steps[i], true);
}
END_TEST

/* Every rule with nothing known: no row may need more, or give more than it can know. */
START_TEST(shape_rules_accept_inputs_of_unknown_shape)
{
    const struct bp_fact unknown = {.rank = BP_RANK_UNKNOWN};
    uint32_t n_rows;
    const struct bp_schema *const *rows = bp_schema_all(&n_rows);

    for (uint32_t r = 0; r < n_rows; r++) {
        const struct bp_fact *in[MAX_VALUES];
        struct bp_fact out[MAX_VALUES];
        uint32_t index[MAX_VALUES] = {0};
        bp_attr attrs[MAX_ATTRS] = {{0}};
        struct bp_ir_node node = {.name = "n",
                                  .op = rows[r]->op,
                                  .domain = "",
                                  .schema = rows[r],
                                  .in = index,
                                  .n_in = rows[r]->n_in,
                                  .out = index,
                                  .n_out = rows[r]->n_out,
                                  .attrs = attrs};
        struct bp_infer infer = {.node = &node,
                                 .in = in,
                                 .out = out,
                                 .symbols = &symbols,
                                 .region = &region,
                                 .err = &err};
        bp_rc rc;

        for (int absent = 0; absent < 2; absent++) {
            for (uint32_t i = 0; i < MAX_VALUES; i++) {
                in[i] = absent ? NULL : &unknown;
                out[i] = unknown;
            }
            node.n_attrs = add_defaults(rows[r], attrs, 0);
            rc = rows[r]->infer(&infer);
            ck_assert_msg(rc == BP_OK || rc == BP_E_INVALID || rc == BP_E_SHAPE, "%s %u: %d %s",
                          rows[r]->op, rows[r]->since, rc, text);
        }
    }
}
END_TEST

#define COUNT(a) (int)(sizeof(a) / sizeof(a)[0])

int main(void)
{
    Suite *suite = suite_create("rules");
    TCase *tcase = tcase_create("rules");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, shape_rules_infer_outputs_of_each_operator, 0, COUNT(cases));
    tcase_add_loop_test(tcase, shape_rules_survive_every_failing_allocation, 0, COUNT(cases));
    tcase_add_loop_test(tcase, if_rule_merges_the_shapes_of_both_branches, 0, COUNT(branches));
    tcase_add_test(tcase, shape_rules_follow_shape_values_through_arithmetic);
    tcase_add_test(tcase, shape_rules_accept_inputs_of_unknown_shape);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
