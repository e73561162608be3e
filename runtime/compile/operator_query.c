/* SPDX-License-Identifier: MIT */
/* operator_query.c - asks a provider of one operator version which element types it takes. */

#include "config.h"

#include "compile/operator_query.h"

#include <string.h>

#define BIT(dtype) (UINT64_C(1) << (dtype))

enum {
    MAX_PARAMS = BP_MAX_TYPE_VARS,
    OWN_ID = 1000, /* ids of parameters without a type variable begin here */
    QUERY_RANK = 4 /* the largest that is tried */
};

/* Types for the variables that are not in question, in the order in which they are tried. */
static const uint32_t companions[] = {BP_DTYPE_F32, BP_DTYPE_I64, BP_DTYPE_U8, BP_DTYPE_BOOL,
                                      BP_DTYPE_I32, BP_DTYPE_F16, BP_DTYPE_I8, BP_DTYPE_STRING};
static const uint32_t ranks[] = {BP_RANK_UNKNOWN, 2, 1, 3, 4};

enum {
    SAME_TYPE = sizeof companions / sizeof companions[0], /* a choice: the type in question */
    N_CHOICES,
    N_RANKS = sizeof ranks / sizeof ranks[0]
};

/* One type of one variable, and the node that asks for it. */
struct attempt {
    uint32_t var, dtype;
    uint32_t reason; /* BP_R_* of the last answer; BP_R_OP without one */
    bool is_taken;
};

/* A graph of such nodes, which are independent of each other. */
struct questions {
    struct bp_operator_query *query;
    struct bp_region *region;
    struct attempt *attempts;
    uint32_t n;
    uint32_t choice, rank;
    uint32_t n_values, n_attrs; /* so far */
    bp_node *nodes;
    bp_value *values;
    bp_attr *attrs;
    const bp_dim *dims;
};

/* ---- variables ------------------------------------------------------------------------------- */

/*
 * Returns the row of a parameter's type variable and adds it when it is new. A parameter without
 * one gets a variable of its own. The variable's types are those of all its parameters.
 */
static uint32_t find_var(struct bp_operator_query *query, const struct bp_param *param,
                         uint32_t own)
{
    uint32_t id = param->type_var ? param->type_var : OWN_ID + own, i;

    for (i = 0; i < query->n_vars; i++) {
        if (query->vars[i].id == id)
            break;
    }
    if (i == query->n_vars)
        query->vars[query->n_vars++] = (struct bp_type_var){.id = id};
    query->vars[i].types |= param->types & BP_T_ANY;
    return i;
}

bool bp_operator_query_init(struct bp_operator_query *query, const struct bp_schema *schema)
{
    *query = (struct bp_operator_query){.schema = schema};
    if (schema->n_in + schema->n_out > MAX_PARAMS)
        return false;
    for (uint32_t i = 0; i < schema->n_in; i++)
        query->in_vars[i] = find_var(query, &schema->in[i], i);
    for (uint32_t i = 0; i < schema->n_out; i++)
        query->out_vars[i] = find_var(query, &schema->out[i], schema->n_in + i);
    return true;
}

/* Does a parameter that every node has use the variable? */
static bool is_required_var(const struct bp_operator_query *query, uint32_t var)
{
    const struct bp_schema *schema = query->schema;

    for (uint32_t i = 0; i < schema->n_in; i++) {
        if (query->in_vars[i] == var && !(schema->in[i].flags & BP_PARAM_OPTIONAL))
            return true;
    }
    for (uint32_t i = 0; i < schema->n_out; i++) {
        if (query->out_vars[i] == var && !(schema->out[i].flags & BP_PARAM_OPTIONAL))
            return true;
    }
    return false;
}

/* Is the type of the variable known from an input? */
static bool is_input_var(const struct bp_operator_query *query, uint32_t var)
{
    for (uint32_t i = 0; i < query->schema->n_in; i++) {
        if (query->in_vars[i] == var)
            return true;
    }
    return false;
}

/* ---- one node -------------------------------------------------------------------------------- */

/*
 * Chooses a type for a variable that is not in question: the companion of this attempt if the
 * variable allows it, else its first type.
 */
static uint32_t choose(uint64_t types, uint32_t choice, uint32_t dtype)
{
    uint32_t first = choice == SAME_TYPE ? dtype : companions[choice];

    if (types & BIT(first))
        return first;
    for (uint32_t i = 0; i < SAME_TYPE; i++) {
        if (types & BIT(companions[i]))
            return companions[i];
    }
    return types ? (uint32_t)__builtin_ctzll(types) : BP_DTYPE_NONE;
}

/* Returns the type of a variable in an attempt's node. */
static uint32_t dtype_of(const struct questions *q, const struct attempt *attempt, uint32_t var)
{
    return var == attempt->var ? attempt->dtype
                               : choose(q->query->vars[var].types, q->choice, attempt->dtype);
}

/* Adds a value of the rank that this attempt tries, with all sizes unknown; returns its index. */
static uint32_t add_value(struct questions *q, const struct bp_param *param, uint32_t dtype,
                          uint32_t producer)
{
    uint32_t rank = ranks[q->rank];

    q->values[q->n_values] = (bp_value){
        .name = param->name,
        .dims = rank == BP_RANK_UNKNOWN ? NULL : q->dims,
        .rank = rank,
        .dtype = dtype,
        .flags = producer == BP_NONE ? BP_VALUE_INPUT : BP_VALUE_OUTPUT,
        .producer = producer,
    };
    return q->n_values++;
}

/*
 * Adds the values of a list of parameters and returns their number. Optional parameters are left
 * out, unless the variable in question has no others.
 */
static uint32_t add_values(struct questions *q, const struct attempt *attempt,
                           const struct bp_param *params, const uint32_t *vars, uint32_t n,
                           uint32_t producer, uint32_t *list)
{
    bool wants_optional = !is_required_var(q->query, attempt->var);
    uint32_t used = 0;

    for (uint32_t i = 0; i < n; i++) {
        list[i] = BP_NONE;
        if (params[i].flags & BP_PARAM_OPTIONAL && !(wants_optional && vars[i] == attempt->var))
            continue;
        list[i] = add_value(q, &params[i], dtype_of(q, attempt, vars[i]), producer);
        used = i + 1;
    }
    return used;
}

/* Does the attribute name the type of an output that no input determines? */
static bool names_type(const struct bp_attr_def *def)
{
    return def->type == BP_ATTR_INT && !def->is_list &&
           (strcmp(def->name, "to") == 0 || strcmp(def->name, "dtype") == 0 ||
            strcmp(def->name, "output_dtype") == 0);
}

/*
 * Returns the type of the first output that has a variable of its own, or else of the first output.
 */
static uint32_t named_type(const struct questions *q, const struct attempt *attempt)
{
    const struct bp_operator_query *query = q->query;

    for (uint32_t i = 0; i < query->schema->n_out; i++) {
        if (!is_input_var(query, query->out_vars[i]))
            return dtype_of(q, attempt, query->out_vars[i]);
    }
    return query->schema->n_out > 0 ? dtype_of(q, attempt, query->out_vars[0]) : BP_DTYPE_NONE;
}

/* Makes the value of an attribute; NULL: no memory. */
static const void *attr_data(struct questions *q, const struct bp_attr_def *def, uint32_t dtype)
{
    static const int64_t one = 1;
    union {
        int64_t integer;
        float number;
        bp_span text;
        bp_const tensor;
    } *data = bp_region_alloc(q->region, sizeof *data);

    if (!data)
        return NULL;
    if (def->type == BP_ATTR_INT)
        data->integer = names_type(def) ? dtype : def->has_default ? def->def_int : 1;
    else if (def->type == BP_ATTR_FLOAT)
        data->number = def->def_float;
    else if (def->type == BP_ATTR_STRING)
        data->text = (bp_span){def->def_string ? def->def_string : "",
                               def->def_string ? strlen(def->def_string) : 0};
    else if (def->type == BP_ATTR_TENSOR)
        data->tensor = (bp_const){
            .data = bp_region_alloc(q->region, sizeof(bp_span)),
            .bytes = dtype == BP_DTYPE_STRING ? sizeof(bp_span) : (bp_dtype_bits(dtype) + 7) / 8,
            .dims = &one,
            .rank = 1,
            .dtype = dtype};
    return def->type == BP_ATTR_TENSOR && !data->tensor.data ? NULL : data;
}

/*
 * Adds the attributes that are required or have a default, and those that name the type of an
 * output.
 */
static bool add_attrs(struct questions *q, const struct attempt *attempt)
{
    const struct bp_schema *schema = q->query->schema;
    uint32_t dtype = named_type(q, attempt);
    bool is_free = !is_input_var(q->query, attempt->var);

    for (uint32_t i = 0; i < schema->n_attrs; i++) {
        const struct bp_attr_def *def = &schema->attrs[i];
        bool is_type = names_type(def) || def->type == BP_ATTR_TENSOR;
        bp_attr *attr = &q->attrs[q->n_attrs];

        if (!def->has_default && !def->is_required && !(is_free && is_type))
            continue;
        *attr = (bp_attr){.name = def->name,
                          .data = attr_data(q, def, dtype),
                          .type = def->type,
                          .count = 1,
                          .flags = def->is_list ? BP_ATTR_LIST : 0};
        if (!attr->data)
            return false;
        q->n_attrs++;
    }
    return true;
}

/* Adds a node that has the type in question. False: no memory. */
static bool add_node(struct questions *q, uint32_t index)
{
    const struct bp_schema *schema = q->query->schema;
    const struct attempt *attempt = &q->attempts[index];
    uint32_t n = schema->n_in + schema->n_out;
    uint32_t *in = bp_region_array(q->region, n, sizeof *in);
    bp_node *node = &q->nodes[index];

    if (!in)
        return false;
    *node = (bp_node){.name = schema->op,
                      .op = schema->op,
                      .domain = schema->domain,
                      .in = in,
                      .out = in + schema->n_in,
                      .opset = schema->since,
                      .since = schema->since,
                      .first_attr = q->n_attrs};
    node->n_in = add_values(q, attempt, schema->in, q->query->in_vars, schema->n_in, BP_NONE, in);
    node->n_out = add_values(q, attempt, schema->out, q->query->out_vars, schema->n_out, index,
                             in + schema->n_in);
    if (!add_attrs(q, attempt))
        return false;
    node->n_attr = q->n_attrs - node->first_attr;
    return true;
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* No value of these graphs is constant. */
static bp_rc no_constant(const bp_graph *graph, uint32_t value, bp_span *out, bp_err *err)
{
    (void)graph;
    (void)out;
    return bp_fail(err, BP_E_INVALID, "value %u is not a constant", value);
}

/* Receives the provider's claims; only whether it takes the node, and why not, is of interest. */
static void answer(void *h, uint32_t node, const bp_claim *claim)
{
    struct questions *q = h;

    if (node >= q->n)
        return;
    q->attempts[node].is_taken = claim->verdict != BP_NO;
    q->attempts[node].reason = claim->reason < BP_R_END ? claim->reason : BP_R_OTHER;
}

/* Makes one node for each attempt: a provider is asked about all types in one call. */
static bp_rc make_graph(struct questions *q, bp_err *err)
{
    const struct bp_schema *schema = q->query->schema;
    size_t n_params = (size_t)schema->n_in + schema->n_out;
    bp_dim *dims = bp_region_array(q->region, QUERY_RANK, sizeof *dims);

    q->nodes = bp_region_array(q->region, q->n, sizeof *q->nodes);
    q->values = bp_region_array(q->region, q->n * n_params, sizeof *q->values);
    q->attrs = bp_region_array(q->region, (size_t)q->n * schema->n_attrs, sizeof *q->attrs);
    if (!dims || !q->nodes || !q->values || !q->attrs)
        return bp_fail_nomem(err, "questions for a provider");
    for (uint32_t i = 0; i < QUERY_RANK; i++)
        dims[i].value = -1;
    q->dims = dims;
    for (uint32_t i = 0; i < q->n; i++) {
        if (!add_node(q, i))
            return bp_fail_nomem(err, "questions for a provider");
    }
    return BP_OK;
}

/* Calls the provider's capability() once, with a node for each attempt. */
static bp_rc ask_once(struct questions *q, const struct bp_active *active, bp_err *err)
{
    static const struct bp_graph_owner owner = {.constant = no_constant};
    bp_claims claims = {.struct_size = sizeof claims, .h = q, .node = answer};
    bp_graph graph = {.struct_size = sizeof graph,
                      .node_stride = sizeof(bp_node),
                      .value_stride = sizeof(bp_value),
                      .attr_stride = sizeof(bp_attr),
                      .host = &owner,
                      .outer_node = BP_NONE};
    bp_rc rc = make_graph(q, err);

    if (rc < 0)
        return rc;
    graph.nodes = q->nodes;
    graph.values = q->values;
    graph.attrs = q->attrs;
    graph.n_nodes = q->n;
    graph.n_values = q->n_values;
    graph.n_attrs = q->n_attrs;
    bp_err_clear(err);
    return bp_err_complete(err,
                           active->provider->capability(active->instance, &graph, &claims, err));
}

/* Lists the types that the provider is not known to take yet. */
static void list_attempts(struct questions *q)
{
    q->n = 0;
    for (uint32_t v = 0; v < q->query->n_vars; v++) {
        const struct bp_type_var *var = &q->query->vars[v];

        for (uint32_t dtype = 1; dtype < BP_DTYPE_END; dtype++) {
            if (var->types & ~var->taken & BIT(dtype))
                q->attempts[q->n++] = (struct attempt){v, dtype, BP_R_OP, false};
        }
    }
}

/* Records the answers. False: the provider does not know the operator, or this version of it. */
static bool take_answers(struct questions *q)
{
    const uint64_t unknown = BIT(BP_R_OP) | BIT(BP_R_OPSET);
    bool is_known = false;

    for (uint32_t i = 0; i < q->n; i++) {
        const struct attempt *attempt = &q->attempts[i];
        struct bp_type_var *var = &q->query->vars[attempt->var];

        if (attempt->is_taken)
            var->taken |= BIT(attempt->dtype);
        else if (!(BIT(attempt->reason) & (unknown | BIT(BP_R_DTYPE))))
            var->conditional |= BIT(attempt->dtype);
        is_known |= attempt->is_taken || !(BIT(attempt->reason) & unknown);
    }
    return is_known;
}

/*
 * Repeats attempts with other companions and ranks while there are types that no attempt was taken
 * for. Stops when the provider does not know the operator at all.
 */
bp_rc bp_operator_query_ask(struct bp_operator_query *query, const struct bp_active *active,
                            bp_err *err)
{
    struct attempt attempts[BP_MAX_TYPE_VARS * BP_DTYPE_END];
    bool is_known = true;
    bp_rc rc = BP_OK;

    for (uint32_t attempt = 0; attempt < N_CHOICES * N_RANKS && rc >= 0 && is_known; attempt++) {
        struct bp_region region = {0};
        struct questions q = {.query = query,
                              .region = &region,
                              .attempts = attempts,
                              .choice = attempt % N_CHOICES,
                              .rank = attempt / N_CHOICES};

        list_attempts(&q);
        if (q.n > 0) {
            rc = ask_once(&q, active, err);
            is_known = rc >= 0 && take_answers(&q);
        }
        bp_region_finish(&region);
    }
    return rc;
}
