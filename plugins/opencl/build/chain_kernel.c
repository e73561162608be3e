/* SPDX-License-Identifier: MIT */
/*
 * chain_kernel.c - see chain_kernel.h. Each expression is a function; result_of() calls them one
 * after another, with elements of the leaves and with results of those before.
 */

#include "build/chain_kernel.h"

/* As kernels know it: chain_walk_t of kernels/chain.cl. */
struct walk {
    int32_t rank;
    int32_t dims[BP_OPENCL_MAX_RANK];
    int32_t strides[BP_OPENCL_CHAIN_LEAVES][BP_OPENCL_MAX_RANK];
};

/* ---- leaves ---------------------------------------------------------------------------------- */

uint32_t bp_opencl_find_leaf(const struct bp_opencl_kernel_plan *plan,
                             const struct bp_opencl_tensor *tensor)
{
    for (uint32_t k = 0; k < plan->n_leaves; k++) {
        const struct bp_opencl_tensor *leaf = &plan->leaves[k];

        if (leaf->place.kind == tensor->place.kind && leaf->place.index == tensor->place.index &&
            leaf->place.offset == tensor->place.offset && leaf->dtype == tensor->dtype &&
            leaf->rank == tensor->rank &&
            memcmp(leaf->dims, tensor->dims, leaf->rank * sizeof *leaf->dims) == 0)
            return k;
    }
    return plan->n_leaves;
}

/* Elements that a leaf moves by along dimension d of y; -1: it does not broadcast to y. */
static int64_t stride_of(const struct bp_opencl_tensor *leaf, const struct bp_opencl_tensor *y,
                         uint32_t d)
{
    uint32_t back = y->rank - d;
    int64_t stride = 1;

    if (back > leaf->rank || leaf->dims[leaf->rank - back] == 1)
        return 0;
    for (uint32_t i = 1; i < back; i++)
        stride *= leaf->dims[leaf->rank - i];
    return leaf->dims[leaf->rank - back] == y->dims[d] ? stride : -1;
}

/*
 * Does dimension d of y, with these strides, go on where the walk's last one ends, for all leaves?
 */
static bool continues(const struct walk *walk, const int32_t *strides, uint32_t n, int64_t dim)
{
    if (walk->rank == 0)
        return false;
    for (uint32_t k = 0; k < n; k++) {
        if (walk->strides[k][walk->rank - 1] != strides[k] * dim)
            return false;
    }
    return true;
}

/* Dimensions of 1 are left out, and those that all leaves walk through alike are one. */
static bool make_walk(const struct bp_opencl_tensor *leaves, uint32_t n,
                      const struct bp_opencl_tensor *y, struct walk *out)
{
    *out = (struct walk){0};
    for (uint32_t d = 0; d < y->rank; d++) {
        int32_t strides[BP_OPENCL_CHAIN_LEAVES];

        for (uint32_t k = 0; k < n; k++) {
            strides[k] = (int32_t)stride_of(&leaves[k], y, d);
            if (strides[k] < 0)
                return false;
        }
        if (y->dims[d] == 1)
            continue;
        if (continues(out, strides, n, y->dims[d]))
            out->dims[out->rank - 1] *= (int32_t)y->dims[d];
        else
            out->dims[out->rank++] = (int32_t)y->dims[d];
        for (uint32_t k = 0; k < n; k++)
            out->strides[k][out->rank - 1] = strides[k];
    }
    if (out->rank == 0) {
        out->rank = 1;
        out->dims[0] = 1;
    }
    return true;
}

static bool is_flat(const struct walk *walk, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        if (walk->strides[k][0] > 1)
            return false;
    }
    return walk->rank == 1;
}

/* ---- text ------------------------------------------------------------------------------------ */

struct text {
    char at[16384];
    size_t n;
    bool is_cut;
};

static void write_text(struct text *text, const char *fmt, ...) BP_PRINTF(2, 3);

static void write_text(struct text *text, const char *fmt, ...)
{
    size_t left = sizeof text->at - text->n;
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(text->at + text->n, left, fmt, args);
    va_end(args);
    text->is_cut = text->is_cut || n < 0 || (size_t)n >= left;
    if (!text->is_cut)
        text->n += (size_t)n;
}

/* What OpenCL computes elements in: float for float16. */
static const char *computed(uint32_t dtype)
{
    return dtype == BP_DTYPE_F16 ? "float" : bp_opencl_type_name(dtype);
}

/* Definitions of an expression end with it. */
static void write_undefs(struct text *text, const char *definitions)
{
    for (const char *at = definitions; *at;) {
        const char *end = strchr(at, '\n');
        size_t name;

        at += strlen("#define ");
        name = strcspn(at, " (\n");
        write_text(text, "#undef %.*s\n", (int)name, at);
        at = end ? end + 1 : at + strlen(at);
    }
}

static void write_function(struct text *text, const struct bp_opencl_expression *e, uint32_t i)
{
    static const char *const names[] = {"A", "B", "C"}, *const variables[] = {"a", "b", "c"};

    write_text(text, "%s#define C_TY %s\n", e->definitions, computed(e->y.dtype));
    for (uint32_t k = 0; k < e->n_in; k++)
        write_text(text, "#define C_T%s %s\n", names[k], computed(e->in[k].dtype));
    write_text(text, "C_TY f%u(", i);
    for (uint32_t k = 0; k < e->n_in; k++)
        write_text(text, "%sC_T%s %s", k > 0 ? ", " : "", names[k], variables[k]);
    write_text(text, ") { return %s; }\n#undef C_TY\n", e->expr);
    for (uint32_t k = 0; k < e->n_in; k++)
        write_text(text, "#undef C_T%s\n", names[k]);
    write_undefs(text, e->definitions);
}

/* The result of another expression, or an element of a leaf. */
static void write_argument(struct text *text, const struct bp_opencl_kernel_plan *plan,
                           const struct bp_opencl_tensor *in)
{
    uint32_t leaf = bp_opencl_find_leaf(plan, in);

    for (uint32_t i = 0; i < plan->n_nodes; i++) {
        if (in->chain == 0 || plan->nodes[i]->y.chain != in->chain)
            continue;
        if (plan->nodes[i]->y.dtype == in->dtype)
            write_text(text, "v%u", i);
        else
            write_text(text, "as_%s(v%u)", bp_opencl_type_name(in->dtype), i);
        return;
    }
    write_text(text, "LOAD_X%u(x%u, o%u + at[%u])", leaf, leaf, leaf, leaf);
}

/* The function result_of() with those that it calls; `first` is its first parameter. */
static void write_result(struct text *text, const struct bp_opencl_kernel_plan *plan,
                         const char *first)
{
    const struct bp_opencl_tensor *y = &plan->nodes[plan->n_nodes - 1]->y;

    for (uint32_t i = 0; i < plan->n_nodes; i++) {
        if (plan->nodes[i] != plan->product)
            write_function(text, plan->nodes[i], i);
    }
    write_text(text, "%s result_of(%s LEAVES)\n{\n", computed(y->dtype), first);
    for (uint32_t i = 0; i < plan->n_nodes; i++) {
        const struct bp_opencl_expression *e = plan->nodes[i];

        if (e == plan->product) {
            write_text(text, "    float v%u = v;\n", i);
            continue;
        }
        write_text(text, "    %s v%u = f%u(", computed(e->y.dtype), i, i);
        for (uint32_t k = 0; k < e->n_in; k++) {
            write_text(text, k > 0 ? ", " : "");
            write_argument(text, plan, &e->in[k]);
        }
        write_text(text, ");\n");
    }
    write_text(text, "    return v%u;\n}\n", plan->n_nodes - 1);
}

/* Types and names of the operands. */
static void write_leaves(struct text *text, const struct bp_opencl_kernel_plan *plan)
{
    struct bp_opencl_prefix prefix = {.n = 0};

    for (uint32_t k = 0; k < plan->n_leaves; k++) {
        char name[8];

        snprintf(name, sizeof name, "X%u", k);
        bp_opencl_define_type(&prefix, name, plan->leaves[k].dtype);
    }
    bp_opencl_define(&prefix, "#define N_LEAVES %u", plan->n_leaves);
    write_text(text, "%s#define LEAVES ", prefix.text);
    for (uint32_t k = 0; k < plan->n_leaves; k++)
        write_text(text, ", global const X%u *x%u, long o%u", k, k, k);
    write_text(text, "\n#define LEAF_NAMES ");
    for (uint32_t k = 0; k < plan->n_leaves; k++)
        write_text(text, ", x%u, o%u", k, k);
    write_text(text, "\n");
}

/* The text is large, so that it is not on the stack. */
static struct text *begin_text(struct bp_opencl_builder *b,
                               const struct bp_opencl_kernel_plan *plan)
{
    struct text *text = b->rc < 0 ? NULL : bp_blocks_get(b->memory, sizeof *text);

    if (!text) {
        bp_opencl_build_fail(b, BP_E_NOMEM, "opencl: no memory for a frame");
        return NULL;
    }
    text->n = 0;
    text->is_cut = false;
    write_leaves(text, plan);
    return text;
}

static bool end_text(struct bp_opencl_builder *b, const struct text *text)
{
    if (text->is_cut)
        bp_opencl_build_fail(b, BP_E_INTERNAL, "opencl: the text of '%s' is too long",
                             BP_NODE(b->graph, b->node)->name);
    return b->rc >= 0;
}

/* ---- products -------------------------------------------------------------------------------- */

/*
 * Where a leaf's element for element i of y is, in rows of `row` elements; false: it is elsewhere.
 */
static bool find_position(const struct bp_opencl_tensor *leaf, const struct bp_opencl_tensor *y,
                          int64_t row, char *out, size_t size)
{
    struct walk w;

    if (leaf->count == y->count)
        snprintf(out, size, "(i)");
    else if (leaf->count == 1)
        snprintf(out, size, "0");
    else if (!make_walk(leaf, 1, y, &w))
        return false;
    else if (w.rank == 2 && w.strides[0][0] == 0 && w.strides[0][1] == 1)
        snprintf(out, size, "(int)((i) %% %d)", w.dims[1]);
    else if (w.rank >= 2 && w.rank <= 3 && w.strides[0][w.rank - 1] == 0 &&
             w.strides[0][w.rank - 2] == 1 && w.dims[w.rank - 1] == row)
        snprintf(out, size, "(int)((i) / %lld %% %lld)", (long long)row, (long long)leaf->count);
    else
        return false;
    return true;
}

bool bp_opencl_is_epilogue(struct bp_opencl_builder *b, const struct bp_opencl_kernel_plan *plan)
{
    const struct bp_opencl_tensor *y = &plan->nodes[plan->n_nodes - 1]->y;
    char position[64];

    (void)b;
    for (uint32_t k = 0; k < plan->n_leaves; k++) {
        if (!find_position(&plan->leaves[k], y, plan->product->row, position, sizeof position))
            return false;
    }
    return plan->product->y.dtype == y->dtype;
}

static void add_product(struct bp_opencl_builder *b, const struct bp_opencl_kernel_plan *plan)
{
    const struct bp_opencl_tensor *y = &plan->nodes[plan->n_nodes - 1]->y;
    struct bp_opencl_epilogue epilogue = {
        .y = y, .leaves = plan->leaves, .n_leaves = plan->n_leaves};
    struct text *text = begin_text(b, plan);
    char position[64];

    if (!text)
        return;
    write_result(text, plan, "float v, const int *at");
    write_text(text, "float epilogue_of(float v, long i LEAVES)\n{\n    int at[] = {");
    for (uint32_t k = 0; k < plan->n_leaves; k++) {
        if (find_position(&plan->leaves[k], y, plan->product->row, position, sizeof position))
            write_text(text, "%s, ", position);
    }
    write_text(text, "0};\n    return result_of(v, at LEAF_NAMES);\n}\n");
    write_text(text, "#define EPILOGUE_OPERANDS LEAVES\n"
                     "#define EPILOGUE(v, i) epilogue_of(v, i LEAF_NAMES)\n");
    epilogue.text = text->at;
    if (end_text(b, text))
        plan->product->add(b, plan->product->data, &epilogue);
}

/* ---- element-wise nodes ---------------------------------------------------------------------- */

static void add_elementwise(struct bp_opencl_builder *b, const struct bp_opencl_kernel_plan *plan)
{
    const struct bp_opencl_tensor *y = &plan->nodes[plan->n_nodes - 1]->y;
    struct text *text = begin_text(b, plan);
    struct bp_opencl_prefix prefix = {.n = 0};
    struct walk w;
    bool flat;

    if (!text)
        return;
    if (!make_walk(plan->leaves, plan->n_leaves, y, &w)) {
        bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: inputs of '%s' do not broadcast",
                             BP_NODE(b->graph, b->node)->name);
        return;
    }
    flat = is_flat(&w, plan->n_leaves);
    bp_opencl_define_type(&prefix, "TY", y->dtype);
    write_text(text, "%s", prefix.text);
    if (flat) {
        write_text(text, "#define FLAT_STEPS {");
        for (uint32_t k = 0; k < plan->n_leaves; k++)
            write_text(text, "%s%d", k > 0 ? ", " : "", (int)w.strides[k][0]);
        write_text(text, "}\n");
    }
    write_result(text, plan, "const int *at");
    if (!end_text(b, text))
        return;
    bp_opencl_begin(b, "chain", text->at, "chain");
    bp_opencl_operand(b, y);
    for (uint32_t k = 0; k < plan->n_leaves; k++)
        bp_opencl_operand(b, &plan->leaves[k]);
    if (flat) {
        bp_opencl_int(b, y->count);
        bp_opencl_run(b, y->count, 1, 1);
    } else {
        int64_t inner = w.dims[w.rank - 1];

        bp_opencl_struct(b, &w,
                         offsetof(struct walk, strides) + plan->n_leaves * sizeof *w.strides);
        bp_opencl_int(b, y->count / inner);
        bp_opencl_run(b, inner, y->count / inner, 1);
    }
}

void bp_opencl_add_kernel(struct bp_opencl_builder *b, const struct bp_opencl_kernel_plan *plan)
{
    if (!plan->product)
        add_elementwise(b, plan);
    else if (plan->n_nodes == 1)
        plan->product->add(b, plan->product->data, NULL);
    else
        add_product(b, plan);
}
