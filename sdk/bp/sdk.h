/* SPDX-License-Identifier: MIT */
/*
 * sdk.h - inline helpers over abi.h for provider authors; a plug-in links nothing for them.
 *
 * None of them allocates, locks or keeps state: [any thread], as long as no thread changes the
 * arguments meanwhile. Pointers that they return point into the graph, options or tensor that they
 * were given, and live as long as that.
 */
#ifndef BP_SDK_H
#define BP_SDK_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <bp/abi.h>
#include <bp/manifest.h>

/* BP_PRINTF: arguments are checked as printf's. BP_EXPORT: put it before bp_provider_entry_v1. */
#if defined(__GNUC__)
#define BP_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define BP_EXPORT __attribute__((visibility("default")))
#else
#define BP_PRINTF(fmt, args)
#define BP_EXPORT
#endif

/*
 * Sets detail (BP_DETAIL_*) and index of an error. Does nothing if err is NULL, or if struct_size
 * says that the caller's struct, which may be older, ends before them.
 */
static inline void bp_err_set_detail(bp_err *err, uint32_t detail, uint32_t index)
{
    if (!err || err->struct_size < offsetof(bp_err, index) + sizeof err->index)
        return;
    err->detail = detail;
    err->index = index;
}

/*
 * As bp_fail(), with a va_list. The text is cut off where the caller's buffer ends; native_code,
 * detail and index are 0, set them afterwards. err may be NULL: only rc is returned.
 * The caller sets msg and msg_cap before, as bp_err_init() does; all others are overwritten. A text that was cut still ends with a NUL: msg_len is then msg_cap - 1.
 */
static inline bp_rc bp_vfail(bp_err *err, bp_rc rc, const char *fmt, va_list args) BP_PRINTF(3, 0);
static inline bp_rc bp_vfail(bp_err *err, bp_rc rc, const char *fmt, va_list args)
{
    int n;

    if (!err)
        return rc;
    err->code = rc;
    err->native_code = 0;
    bp_err_set_detail(err, 0, 0);
    err->msg_len = 0;
    if (!err->msg || err->msg_cap == 0)
        return rc;
    n = vsnprintf(err->msg, err->msg_cap, fmt, args);
    if (n > 0)
        err->msg_len = (uint32_t)n < err->msg_cap ? (uint32_t)n : err->msg_cap - 1;
    return rc;
}

/*
 * Fills the caller's error with a sentence and returns rc: `return bp_fail(err, BP_E_SHAPE, ...)`.
 * The text names the thing, what is wrong with it and, where there is one, the way out; no newline
 * and no full stop at its end. The arguments are read before it returns, nothing is kept.
 *
 *     if (rank > 8)
 *         return bp_fail(err, BP_E_UNSUPPORTED, "%s: rank %u, at most 8", name, rank);
 */
static inline bp_rc bp_fail(bp_err *err, bp_rc rc, const char *fmt, ...) BP_PRINTF(3, 4);
static inline bp_rc bp_fail(bp_err *err, bp_rc rc, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    rc = bp_vfail(err, rc, fmt, args);
    va_end(args);
    return rc;
}

/*
 * Was the run asked to stop? cancel: of bp_run; NULL is fine. Another thread writes to it
 * meanwhile.
 * One relaxed atomic load where the compiler has it (GCC and Clang), so that it may stand in a
 * loop: it orders no other memory access. A kernel that finds it set returns BP_E_CANCELLED; its
 * outputs are undefined then.
 */
static inline int bp_is_cancelled(const volatile uint32_t *cancel)
{
#if defined(__GNUC__)
    return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0;
#else
    return cancel && *cancel != 0;
#endif
}

/*
 * Should execute stop? BP_OK: no. Else BP_E_CANCELLED or BP_E_TIMEOUT, to be returned as it is.
 * Costs a load where the run has no deadline, else a look at the clock too (about 25 ns): call it
 * for each tile or primitive, at least every 20 ms of work. [any thread] of the execute.
 *
 *     for (uint32_t tile = 0; tile < n_tiles; tile++) {
 *         bp_rc rc = bp_stop_check(host, run);
 *
 *         if (rc < 0)
 *             return rc;
 *         ...
 *     }
 */
static inline bp_rc bp_stop_check(const bp_host *host, const bp_run *run)
{
    if (bp_is_cancelled(run->cancel))
        return BP_E_CANCELLED;
    if (run->deadline_ns != 0 && host->now_ns(host->h) >= run->deadline_ns)
        return BP_E_TIMEOUT;
    return BP_OK;
}

/*
 * Copies a table of the other side into ours: the common bytes, the rest zero, so that slots which
 * the other side lacks are NULL. Both tables begin with struct_size; own_size is sizeof ours.
 * Own struct_size is the other side's afterwards, and may be larger than own_size. The two tables
 * must not overlap.
 *
 *     bp_device_ops ops;
 *     bp_copy_in(&ops, sizeof ops, provider->dev);
 */
static inline void bp_copy_in(void *own, size_t own_size, const void *theirs)
{
    uint32_t size;

    memcpy(&size, theirs, sizeof size);
    memset(own, 0, own_size);
    memcpy(own, theirs, size < own_size ? size : own_size);
}

/*
 * May this plug-in work with the host? Checks the table that the entry was handed: `return
 * bp_host_check(host, "npu", err)` when it is below zero. BP_E_VERSION names what both sides speak.
 * Only the head of the table is read before its size is known to be enough: magic and version, if
 * struct_size says that they are there. A table that is longer than ours is fine (a higher minor);
 * one shorter than that of 1.0 is refused, so that a plug-in may call every slot of 1.0 without a
 * test. Slots of later minor versions are NULL in a bp_copy_in() of an older host's table. A bit of
 * flags within BP_CRITICAL is refused, because this version knows none.
 */
static inline bp_rc bp_host_check(const bp_host *host, const char *name, bp_err *err)
{
    if (host->struct_size >= offsetof(bp_host, name) && host->magic != BP_MAGIC)
        return bp_fail(err, BP_E_VERSION, "%s: the caller's magic is 0x%08x, Backplane's is 0x%08x",
                       name, (unsigned)host->magic, (unsigned)BP_MAGIC);
    if (host->struct_size >= offsetof(bp_host, name) && host->abi_major != BP_ABI_MAJOR)
        return bp_fail(
            err, BP_E_VERSION,
            "%s: the host speaks ABI %u.%u, this plug-in %u.%u: install a plug-in of the "
            "host's version",
            name, (unsigned)host->abi_major, (unsigned)host->abi_minor, BP_ABI_MAJOR, BP_ABI_MINOR);
    if (host->struct_size < BP_LEAST_HOST)
        return bp_fail(err, BP_E_VERSION,
                       "%s: the host's table has %u bytes, this plug-in needs %u", name,
                       (unsigned)host->struct_size, (unsigned)BP_LEAST_HOST);
    if (host->flags & BP_CRITICAL)
        return bp_fail(err, BP_E_VERSION,
                       "%s: the host has critical flags 0x%08x, of which this plug-in knows 0x%08x",
                       name, (unsigned)(host->flags & BP_CRITICAL), 0U);
    return BP_OK;
}

/*
 * Refuses a node: the reason (BP_R_*), the input, attribute or dimension that it is about, and a
 * sentence without a full stop. Both texts may be NULL; the host copies them.
 * Call it from capability() only, with the claims that were handed over. The last answer for a node
 * counts, so a later bp_accept() overrides it.
 *
 *     bp_refuse(claims, node, BP_R_RANK, "X", "spatial rank 3, provider takes 1..2");
 */
static inline void bp_refuse(const bp_claims *claims, uint32_t node, uint32_t reason,
                             const char *subject, const char *text)
{
    bp_claim claim;

    memset(&claim, 0, sizeof claim);
    claim.struct_size = (uint32_t)sizeof claim;
    claim.verdict = BP_NO;
    claim.reason = reason;
    claim.subject = subject;
    claim.text = text;
    claims->node(claims->h, node, &claim);
}

/*
 * Takes a node for device 0, without an estimate of its cost. The node then stays in its group
 * whatever other providers cost. To name a device or give an estimate, call claims->node with a
 * bp_claim.
 */
static inline void bp_accept(const bp_claims *claims, uint32_t node)
{
    bp_claim claim;

    memset(&claim, 0, sizeof claim);
    claim.struct_size = (uint32_t)sizeof claim;
    claim.verdict = BP_YES;
    claims->node(claims->h, node, &claim);
}

/*
 * A row for a provider's record of a run, zeroed, or NULL when the record is full; the provider
 * fills it. prof: bp_run.prof, not NULL. One thread at a time.
 *
 *     bp_prof_event *event = run->prof ? bp_prof_add(run->prof) : NULL;
 *     if (event)
 *         *event = (bp_prof_event){.t0_ns = start, .t1_ns = host->now_ns(host->h), .node = i};
 */
static inline bp_prof_event *bp_prof_add(bp_prof *prof)
{
    if (prof->count >= prof->cap || prof->stride < sizeof(bp_prof_event)) {
        prof->dropped++;
        return NULL;
    }
    return (bp_prof_event *)(void *)((char *)prof->ev + (size_t)prof->stride * prof->count++);
}

/* ---- walking a graph ------------------------------------------------------------------------- */

/*
 * Attribute of a node by name, or NULL. Names are compared byte by byte. The host has added the
 * defaults of the operator's schema, so NULL means that the model gives none and that the operator
 * has no default. Linear in n_attr: look an attribute up when compiling, not when executing.
 */
static inline const bp_attr *bp_node_attr(const bp_graph *g, const bp_node *node, const char *name)
{
    for (uint32_t i = 0; i < node->n_attr; i++) {
        const bp_attr *attr = BP_ATTR(g, node->first_attr + i);

        if (strcmp(attr->name, name) == 0)
            return attr;
    }
    return NULL;
}

/*
 * A single integer attribute, or def when it is absent or of another type. Of a list it is the
 * first element. ONNX AttributeProto INT and INTS both arrive as int64_t.
 */
static inline int64_t bp_node_int(const bp_graph *g, const bp_node *node, const char *name,
                                  int64_t def)
{
    const bp_attr *attr = bp_node_attr(g, node, name);

    if (!attr || attr->type != BP_ATTR_INT || attr->count < 1)
        return def;
    return *(const int64_t *)attr->data;
}

/*
 * A single float attribute, or def when it is absent or of another type. Of a list it is the first
 * element. ONNX AttributeProto FLOAT and FLOATS both arrive as float.
 */
static inline float bp_node_float(const bp_graph *g, const bp_node *node, const char *name,
                                  float def)
{
    const bp_attr *attr = bp_node_attr(g, node, name);

    if (!attr || attr->type != BP_ATTR_FLOAT || attr->count < 1)
        return def;
    return *(const float *)attr->data;
}

/*
 * A list of integers; *count is 0 and the result NULL when it is absent. The array is the graph's.
 * A single integer reads as a list of one. An empty list has a count of 0 too, so the count alone
 * does not tell it from an attribute that is absent.
 *
 *     uint32_t n;
 *     const int64_t *pads = bp_node_ints(g, node, "pads", &n);
 */
static inline const int64_t *bp_node_ints(const bp_graph *g, const bp_node *node, const char *name,
                                          uint32_t *count)
{
    const bp_attr *attr = bp_node_attr(g, node, name);

    *count = 0;
    if (!attr || attr->type != BP_ATTR_INT)
        return NULL;
    *count = attr->count;
    return (const int64_t *)attr->data;
}

/*
 * Is the string attribute `name` equal to text? When it is absent: is def? The attribute is a span
 * without a NUL and is compared as bytes, case included. def and text are strings with a NUL, def
 * never NULL.
 *
 *     if (bp_node_string_is(g, node, "auto_pad", "NOTSET", "VALID")) ...
 */
static inline int bp_node_string_is(const bp_graph *g, const bp_node *node, const char *name,
                                    const char *def, const char *text)
{
    const bp_attr *attr = bp_node_attr(g, node, name);
    const bp_span *span;

    if (!attr || attr->type != BP_ATTR_STRING || attr->count < 1)
        return strcmp(def, text) == 0;
    span = (const bp_span *)attr->data;
    return span->size == strlen(text) && memcmp(span->data, text, span->size) == 0;
}

/*
 * Attribute of a node of a declared operator, in its shape rule, or NULL; as bp_node_attr(). One
 * that the schema requires, or has a default for, is never NULL.
 */
static inline const bp_attr *bp_shapes_attr(const bp_op_shapes *node, const char *name)
{
    for (uint32_t i = 0; i < node->n_attrs; i++) {
        const bp_attr *attr = BP_AT(bp_attr, node->attrs, node->attr_stride, i);

        if (strcmp(attr->name, name) == 0)
            return attr;
    }
    return NULL;
}

/*
 * Value of input i of a node, or NULL when that input is absent. An input past the last one counts
 * as absent, as ONNX lets trailing optional inputs be left out: i need not be compared with n_in
 * first. The row is the graph's.
 */
static inline const bp_value *bp_node_in(const bp_graph *g, const bp_node *node, uint32_t i)
{
    if (i >= node->n_in || node->in[i] == BP_NONE)
        return NULL;
    return BP_VALUE(g, node->in[i]);
}

/*
 * Value of output i of a node, or NULL when that output is absent. As with inputs, an output past
 * the last one is absent: it has no reader, and a kernel need not compute it.
 */
static inline const bp_value *bp_node_out(const bp_graph *g, const bp_node *node, uint32_t i)
{
    if (i >= node->n_out || node->out[i] == BP_NONE)
        return NULL;
    return BP_VALUE(g, node->out[i]);
}

/*
 * Value of a validated option by key, or NULL. Options of create() are complete and in the order of
 * the schema: a provider that knows the order may index them instead. NULL: the key is none of the
 * schema's.
 */
static inline const bp_opt *bp_opt_find(const bp_opt *opts, uint32_t n, const char *key)
{
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(opts[i].key, key) == 0)
            return &opts[i];
    }
    return NULL;
}

/*
 * Where a tensor's bytes begin; host memory only. NULL when an empty tensor has no base. Of a
 * tensor in another memory space, base is a handle and the result is meaningless. The pointer is
 * valid as long as the tensor's base: within one execute, for tensors of a frame.
 */
static inline void *bp_tensor_data(const bp_tensor *tensor)
{
    return tensor->base ? (char *)tensor->base + tensor->offset : NULL;
}

/*
 * Number of elements, the product of the sizes; 1 for rank 0. 0 when one of the sizes is 0. The
 * product is not checked for overflow: call it with sizes of a tensor that exists, not with those
 * of bp_dim, where an unknown size is -1. For elements of 8 bits and more the tensor takes count *
 * bp_dtype_width(dtype) / 8 bytes.
 */
static inline int64_t bp_dims_count(const int64_t *dims, uint32_t rank)
{
    int64_t n = 1;

    for (uint32_t i = 0; i < rank; i++)
        n *= dims[i];
    return n;
}

/*
 * Bits of an element of an ONNX type (TensorProto.DataType); 0: no fixed size (string), or unknown.
 * Types of 2 and 4 bits are packed, from the low bits of a byte up: n elements take (n * bits + 7)
 * / 8 bytes. A bool takes a byte.
 */
static inline uint32_t bp_dtype_width(uint32_t dtype)
{
    static const uint8_t bits[BP_DTYPE_END] = {0,  32,  8,  8, 16, 16, 32, 64, 0, 8, 16, 64, 32, 64,
                                               64, 128, 16, 8, 8,  8,  8,  4,  4, 4, 8,  2,  2};

    return dtype < BP_DTYPE_END ? bits[dtype] : 0;
}

#endif
