/* SPDX-License-Identifier: MIT */
/* builder.c - see builder.h. */

#include "build/builder.h"

#include "build/chain.h"
#include "build/kernels.h"

enum { GROUP = 64, PLACE_ALIGN = 256 };

void bp_opencl_build_fail(struct bp_opencl_builder *b, bp_rc rc, const char *fmt, ...)
{
    va_list args;

    if (b->rc < 0)
        return;
    va_start(args, fmt);
    b->rc = bp_vfail(b->err, rc, fmt, args);
    va_end(args);
}

static void fail_no_memory(struct bp_opencl_builder *b)
{
    bp_opencl_build_fail(b, BP_E_NOMEM, "opencl: no memory for a frame");
}

/* ---- values ---------------------------------------------------------------------------------- */

const struct bp_opencl_tensor *bp_opencl_in(const struct bp_opencl_builder *b, const bp_node *node,
                                            uint32_t i)
{
    return i >= node->n_in || node->in[i] == BP_NONE ? NULL : &b->values[node->in[i]];
}

const struct bp_opencl_tensor *bp_opencl_out(const struct bp_opencl_builder *b, const bp_node *node,
                                             uint32_t i)
{
    return i >= node->n_out || node->out[i] == BP_NONE ? NULL : &b->values[node->out[i]];
}

static size_t bytes_of(const struct bp_opencl_tensor *tensor)
{
    return (size_t)tensor->count * (bp_dtype_width(tensor->dtype) / 8);
}

/* An item lives from the first step that touches it to the last. */
static void touch(struct bp_opencl_builder *b, const struct bp_opencl_place *place)
{
    bp_arena_item *item;

    if (place->kind != BP_OPENCL_ITEM)
        return;
    item = &b->items[place->index];
    if (item->first > b->n_steps)
        item->first = b->n_steps;
    item->last = b->n_steps;
}

/* Items have room for two times as many as there are when it ends. */
static uint32_t add_item(struct bp_opencl_builder *b, size_t bytes)
{
    if (b->n_items == b->room) {
        uint32_t room = b->room < 16 ? 32 : b->room * 2;
        bp_arena_item *items = bp_blocks_array(b->memory, room, sizeof *items);

        if (!items) {
            fail_no_memory(b);
            return 0;
        }
        if (b->n_items > 0)
            memcpy(items, b->items, b->n_items * sizeof *items);
        b->items = items;
        b->room = room;
    }
    b->items[b->n_items] = (bp_arena_item){.bytes = bytes, .first = UINT32_MAX, .last = b->n_steps};
    return b->n_items++;
}

struct bp_opencl_tensor bp_opencl_scratch(struct bp_opencl_builder *b, uint32_t dtype,
                                          int64_t count)
{
    struct bp_opencl_tensor tensor = {.dtype = dtype, .rank = 1, .dims = {count}, .count = count};

    if (b->rc < 0)
        return tensor;
    if (count > INT32_MAX) {
        bp_opencl_build_fail(b, BP_E_SHAPE,
                             "opencl: '%s' needs %lld elements of scratch, of 2147483647 at most",
                             BP_NODE(b->graph, b->node)->name, (long long)count);
        return tensor;
    }
    tensor.place.kind = BP_OPENCL_ITEM;
    tensor.place.index = add_item(b, bytes_of(&tensor));
    return tensor;
}

struct bp_opencl_tensor bp_opencl_table(struct bp_opencl_builder *b, uint32_t dtype,
                                        const void *data, int64_t count)
{
    struct bp_opencl_tensor tensor = {.dtype = dtype, .rank = 1, .dims = {count}, .count = count};
    size_t bytes = bytes_of(&tensor), at = (b->table_bytes + PLACE_ALIGN - 1) & ~(size_t)255;

    if (b->rc < 0)
        return tensor;
    if (at + bytes > b->table_room) {
        size_t room = (at + bytes) * 2;
        char *tables = bp_blocks_get(b->memory, room);

        if (!tables) {
            fail_no_memory(b);
            return tensor;
        }
        if (b->table_bytes > 0)
            memcpy(tables, b->tables, b->table_bytes);
        b->tables = tables;
        b->table_room = room;
    }
    if (bytes > 0)
        memcpy(b->tables + at, data, bytes);
    b->table_bytes = at + bytes;
    tensor.place = (struct bp_opencl_place){.kind = BP_OPENCL_TABLE, .offset = at};
    return tensor;
}

struct bp_opencl_tensor bp_opencl_kept(struct bp_opencl_builder *b, uint32_t dtype, int64_t count)
{
    struct bp_opencl_tensor tensor = {.dtype = dtype, .rank = 1, .dims = {count}, .count = count};
    size_t at = (b->kept_bytes + PLACE_ALIGN - 1) & ~(size_t)255;

    if (b->rc < 0)
        return tensor;
    b->kept_bytes = at + bytes_of(&tensor);
    tensor.place = (struct bp_opencl_place){.kind = BP_OPENCL_KEPT, .offset = at};
    return tensor;
}

void bp_opencl_view(struct bp_opencl_builder *b, const bp_node *node, uint32_t i,
                    const struct bp_opencl_tensor *of)
{
    struct bp_opencl_tensor *to =
        i < node->n_out && node->out[i] != BP_NONE ? &b->values[node->out[i]] : NULL;

    if (b->rc < 0 || !to)
        return;
    if (to->place.kind == BP_OPENCL_OUTPUT)
        bp_opencl_copy(b, to, of);
    else
        to->place = of->place;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static struct bp_opencl_step *add_step(struct bp_opencl_builder *b)
{
    struct bp_opencl_step *step = bp_blocks_get(b->memory, sizeof *step);

    if (!step) {
        fail_no_memory(b);
        return NULL;
    }
    memset(step, 0, sizeof *step);
    step->node = b->node;
    *b->end = step;
    b->end = &step->next;
    return step;
}

void bp_opencl_begin(struct bp_opencl_builder *b, const char *family, const char *prefix,
                     const char *name)
{
    bp_instance *instance = b->program->instance;
    cl_program program = NULL;
    cl_int code = CL_SUCCESS;

    b->step = NULL;
    if (b->rc < 0)
        return;
    b->rc = bp_opencl_built_get(instance, family, prefix, &program, b->err);
    if (b->rc < 0)
        return;
    b->step = add_step(b);
    if (!b->step)
        return;
    b->step->kernel = instance->cl->clCreateKernel(program, name, &code);
    if (code != CL_SUCCESS) {
        b->step->kernel = NULL;
        b->rc = bp_opencl_fail(b->err, code, "clCreateKernel of %s", name);
    }
}

static void set_arg(struct bp_opencl_builder *b, const void *value, size_t size)
{
    cl_int code;

    if (b->rc < 0)
        return;
    code =
        b->program->instance->cl->clSetKernelArg(b->step->kernel, b->step->n_slots++, size, value);
    if (code != CL_SUCCESS)
        b->rc = bp_opencl_fail(b->err, code, "clSetKernelArg for '%s'",
                               BP_NODE(b->graph, b->node)->name);
}

/* Set when the frame is bound. */
void bp_opencl_operand(struct bp_opencl_builder *b, const struct bp_opencl_tensor *tensor)
{
    struct bp_opencl_operand *operand;

    if (b->rc < 0)
        return;
    if (b->step->n_operands == BP_OPENCL_MAX_OPERANDS) {
        bp_opencl_build_fail(b, BP_E_INTERNAL, "opencl: a kernel has too many operands");
        return;
    }
    operand = &b->step->operands[b->step->n_operands++];
    operand->place = tensor->place;
    operand->width = bp_dtype_width(tensor->dtype) / 8;
    operand->slot = b->step->n_slots;
    b->step->n_slots += 2;
    touch(b, &tensor->place);
}

/* Values are sizes and offsets that were checked to fit. */
void bp_opencl_int(struct bp_opencl_builder *b, int64_t value)
{
    cl_int small = (cl_int)value;

    if (value != small)
        bp_opencl_build_fail(b, BP_E_SHAPE, "opencl: '%s' has a size of %lld, beyond 32 bits",
                             BP_NODE(b->graph, b->node)->name, (long long)value);
    set_arg(b, &small, sizeof small);
}

void bp_opencl_float(struct bp_opencl_builder *b, float value)
{
    set_arg(b, &value, sizeof value);
}

void bp_opencl_struct(struct bp_opencl_builder *b, const void *value, size_t size)
{
    set_arg(b, value, size);
}

static size_t round_up(int64_t n, size_t to)
{
    return ((size_t)n + to - 1) / to * to;
}

void bp_opencl_run_groups(struct bp_opencl_builder *b, int64_t x, int64_t y, int64_t z, size_t lx,
                          size_t ly)
{
    struct bp_opencl_step *step = b->step;

    if (b->rc < 0)
        return;
    step->n_dims = 3;
    step->local[0] = lx;
    step->local[1] = ly;
    step->local[2] = 1;
    step->global[0] = round_up(x, lx);
    step->global[1] = round_up(y, ly);
    step->global[2] = (size_t)z;
    b->n_steps++;
}

/* Groups of 64 work-items, along y too where x is short. */
void bp_opencl_run(struct bp_opencl_builder *b, int64_t x, int64_t y, int64_t z)
{
    size_t most = b->program->instance->device->max_group, group = GROUP, rows = 1;

    group = group < most ? group : most;
    while (group > 1 && (int64_t)group / 2 >= x) {
        group /= 2;
        rows *= 2;
    }
    while (rows > 1 && (int64_t)rows / 2 >= y)
        rows /= 2;
    bp_opencl_run_groups(b, x, y, z, group, rows);
}

void bp_opencl_once(struct bp_opencl_builder *b)
{
    if (b->rc >= 0)
        b->step->is_once = true;
}

void bp_opencl_copy(struct bp_opencl_builder *b, const struct bp_opencl_tensor *to,
                    const struct bp_opencl_tensor *from)
{
    struct bp_opencl_step *step;

    bp_opencl_chain_store(b, from);
    if (b->rc < 0)
        return;
    step = add_step(b);
    if (!step)
        return;
    step->bytes = bytes_of(to);
    step->n_operands = 2;
    step->operands[0].place = from->place;
    step->operands[1].place = to->place;
    touch(b, &from->place);
    touch(b, &to->place);
    b->n_steps++;
}

/* ---- prefixes -------------------------------------------------------------------------------- */

void bp_opencl_define(struct bp_opencl_prefix *prefix, const char *fmt, ...)
{
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(prefix->text + prefix->n, sizeof prefix->text - prefix->n, fmt, args);
    va_end(args);
    if (n > 0 && prefix->n + (size_t)n + 1 < sizeof prefix->text) {
        prefix->n += (size_t)n;
        prefix->text[prefix->n++] = '\n';
    }
    prefix->text[prefix->n] = '\0';
}

const char *bp_opencl_type_name(uint32_t dtype)
{
    static const char *const names[BP_DTYPE_END] = {
        [BP_DTYPE_F32] = "float", [BP_DTYPE_F16] = "half",   [BP_DTYPE_I32] = "int",
        [BP_DTYPE_I64] = "long",  [BP_DTYPE_BOOL] = "uchar", [BP_DTYPE_U8] = "uchar",
        [BP_DTYPE_I8] = "char",   [BP_DTYPE_U16] = "ushort", [BP_DTYPE_I16] = "short",
        [BP_DTYPE_U32] = "uint",  [BP_DTYPE_U64] = "ulong"};

    return dtype < BP_DTYPE_END && names[dtype] ? names[dtype] : "uchar";
}

/* float16 is computed as float32, which every device can. */
void bp_opencl_define_type(struct bp_opencl_prefix *prefix, const char *name, uint32_t dtype)
{
    bool is_half = dtype == BP_DTYPE_F16;

    bp_opencl_define(prefix, "#define %s %s", name, bp_opencl_type_name(dtype));
    bp_opencl_define(prefix, "#define C_%s %s", name,
                     is_half ? "float" : bp_opencl_type_name(dtype));
    bp_opencl_define(prefix,
                     is_half ? "#define LOAD_%s(p, i) vload_half(i, p)"
                             : "#define LOAD_%s(p, i) ((p)[i])",
                     name);
    bp_opencl_define(prefix,
                     is_half ? "#define STORE_%s(v, p, i) vstore_half_rte(v, i, p)"
                             : "#define STORE_%s(v, p, i) ((p)[i] = (v))",
                     name);
}

void bp_opencl_define_float(struct bp_opencl_prefix *prefix, const char *name, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    bp_opencl_define(prefix, "#define %s as_float(0x%08xu)", name, (unsigned)bits);
}

void bp_opencl_define_bytes(struct bp_opencl_prefix *prefix, const char *name, uint32_t dtype)
{
    uint32_t width = bp_dtype_width(dtype);

    bp_opencl_define(prefix, "#define %s %s", name,
                     width == 64   ? "ulong"
                     : width == 32 ? "uint"
                     : width == 16 ? "ushort"
                                   : "uchar");
}
