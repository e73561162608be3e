/* SPDX-License-Identifier: MIT */
/* status.c - sizes of tensors, copies of public structs, and prefixes of error messages. */

#include "config.h"

#include "base/status.h"

/*
 * An empty tensor has 0 bytes whatever its other sizes are, so those are not multiplied: 0 x 2^62 x
 * 2^62 must not overflow. Types below a byte are packed, and the last byte is padded (ONNX IR,
 * 4-bit and 2-bit types). PTRDIFF_MAX is what malloc(3) and pointer differences allow.
 */
bool bp_dense_bytes(uint32_t dtype, const int64_t *dims, uint32_t rank, size_t *out)
{
    uint32_t bits =
        dtype == BP_DTYPE_STRING ? 8 * (uint32_t)sizeof(bp_span) : bp_dtype_width(dtype);
    size_t count = 1, bytes, a_byte;
    bool is_empty = false;

    *out = 0;
    if (bits == 0)
        return false;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] < 0)
            return false;
        is_empty = is_empty || dims[i] == 0;
    }
    if (is_empty)
        return true;
    for (uint32_t i = 0; i < rank; i++) {
        if ((uint64_t)dims[i] > SIZE_MAX || !bp_mul_size(count, (size_t)dims[i], &count))
            return false;
    }
    if (bits >= 8) {
        if (!bp_mul_size(count, bits / 8, &bytes))
            return false;
    } else {
        a_byte = 8 / bits;
        bytes = count / a_byte + (count % a_byte != 0);
    }
    if (bytes > PTRDIFF_MAX)
        return false;
    *out = bytes;
    return true;
}

/*
 * The caller's struct may be older and smaller, or newer and larger: struct_size stays as the
 * caller has set it, and fields that we do not know stay as they are.
 */
bp_rc bp_give_out(void *out, const void *own, bp_err *err)
{
    uint32_t theirs, ours, n;

    if (!out)
        return bp_fail_null(err, "the struct for the row");
    memcpy(&theirs, out, sizeof theirs);
    memcpy(&ours, own, sizeof ours);
    if (theirs < sizeof theirs)
        return bp_fail(err, BP_E_INVALID, "struct_size is %u; set it to sizeof the struct", theirs);
    n = theirs < ours ? theirs : ours;
    memcpy((char *)out + sizeof theirs, (const char *)own + sizeof theirs, n - sizeof theirs);
    return BP_OK;
}

/* A plug-in may return a number that is not a status, or give no reason: callers shall see neither. */
bp_rc bp_err_complete_failure(bp_err *err, bp_rc rc)
{
    if (rc < BP_E_INTERNAL)
        rc = BP_E_INTERNAL;
    if (err && err->msg && err->msg_cap > 0 && err->msg[0] == '\0')
        return bp_fail(err, rc, "no reason given (%s)", bp_rc_name(rc));
    if (err)
        err->code = rc;
    return rc;
}

/* float6 has 6 bits, four elements in 3 bytes; packed types here divide a byte. */
static const char *missing_dtype(int64_t dtype)
{
    return dtype == 27 ? "float6e2m3" : dtype == 28 ? "float6e3m2" : NULL;
}

bool bp_dtype_is_missing(int64_t dtype)
{
    return missing_dtype(dtype) != NULL;
}

bp_rc bp_fail_dtype(bp_err *err, const char *what, int64_t dtype)
{
    const char *name = missing_dtype(dtype);

    if (name)
        return bp_fail(err, BP_E_UNSUPPORTED,
                       "%s %lld is %s, which is not implemented: export the model with float8 or "
                       "float16 instead",
                       what, (long long)dtype, name);
    return bp_fail(err, BP_E_INVALID, "%s %lld is not an element type that is known", what,
                   (long long)dtype);
}

bp_rc bp_fail_detail(bp_err *err, bp_rc rc, uint32_t detail, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    rc = bp_vfail(err, rc, fmt, args);
    va_end(args);
    bp_err_set_detail(err, detail, 0);
    return rc;
}

bp_rc bp_err_copy_codes(bp_err *err, bp_rc rc, const bp_err *own)
{
    if (!err)
        return rc;
    err->native_code = own->native_code;
    bp_err_set_detail(err, own->detail, own->index);
    return rc;
}

bp_rc bp_fail_null(bp_err *err, const char *what)
{
    return bp_fail(err, BP_E_INVALID, "%s is NULL, where it is needed", what);
}

bp_rc bp_fail_nomem(bp_err *err, const char *what)
{
    return bp_fail(err, BP_E_NOMEM, "no memory for %s", what);
}

/*
 * The words move within the caller's buffer. Where prefix and words do not both fit, the end of the
 * words is cut, for the prefix says where it was.
 */
bp_rc bp_fail_in(bp_err *err, bp_rc rc, const char *prefix_fmt, ...)
{
    char prefix[512];
    size_t n, space, kept;
    va_list args;
    int printed;

    if (!err)
        return rc;
    err->code = rc;
    if (!err->msg || err->msg_cap < 3)
        return rc;
    va_start(args, prefix_fmt);
    printed = vsnprintf(prefix, sizeof prefix, prefix_fmt, args);
    va_end(args);
    if (printed < 0)
        return rc;
    n = (size_t)printed < sizeof prefix ? (size_t)printed : sizeof prefix - 1;
    if (n > err->msg_cap - 3)
        n = err->msg_cap - 3;
    space = err->msg_cap - n - 3; /* what is left beside the prefix, ": " and the NUL */
    kept = err->msg_len < space ? err->msg_len : space;
    memmove(err->msg + n + 2, err->msg, kept);
    memcpy(err->msg, prefix, n);
    memcpy(err->msg + n, ": ", 2);
    err->msg_len = (uint32_t)(n + 2 + kept);
    err->msg[err->msg_len] = '\0';
    return rc;
}
