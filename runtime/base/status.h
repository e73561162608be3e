/* SPDX-License-Identifier: MIT */
/* status.h - checked size arithmetic, and passing on errors; bp_fail() itself is in bp/sdk.h. */
#ifndef BP_BASE_STATUS_H
#define BP_BASE_STATUS_H

#include <stdbool.h>

#include <backplane.h>
#include <bp/sdk.h>

enum {
    BP_MAX_RANK = 64 /* of a tensor; more is refused as hostile */
};

/* *out = a * b, false when it does not fit. */
static inline bool bp_mul_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

static inline bool bp_add_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

/*
 * Bytes of a dense tensor, spans where it is of strings. False: a negative size, a product that
 * does not fit in ptrdiff_t, or what is not a type. Types under 8 bits are packed.
 */
bool bp_dense_bytes(uint32_t dtype, const int64_t *dims, uint32_t rank, size_t *out);

/*
 * For a number of TensorProto.DataType that is not an element type here: "`what` N ..." in the
 * words "is not an element type that is known", BP_E_INVALID; or, for one of ONNX that no tensor of
 * ours has (float6), with its name and BP_E_UNSUPPORTED.
 */
bp_rc bp_fail_dtype(bp_err *err, const char *what, int64_t dtype);
/* Is it a type of the second sort? */
bool bp_dtype_is_missing(int64_t dtype);

/*
 * Hands a struct of the API to a caller who may have been compiled with a smaller one: `out` starts
 * with its struct_size, which stays. BP_E_INVALID when that was not set. `own` has its own size
 * set.
 */
bp_rc bp_give_out(void *out, const void *own, bp_err *err) BP_CHECKED;

/*
 * Around a call into a plug-in: before it, clears the message of an earlier failure; after it,
 * makes unknown codes BP_E_INTERNAL and adds a message if the plug-in gave none.
 */
static inline void bp_err_clear(bp_err *err)
{
    if (!err)
        return;
    bp_err_set_detail(err, BP_DETAIL_NONE, 0);
    err->msg_len = 0;
    if (err->msg && err->msg_cap > 0)
        err->msg[0] = '\0';
}
bp_rc bp_err_complete_failure(bp_err *err, bp_rc rc); /* rc < 0 */
static inline bp_rc bp_err_complete(bp_err *err, bp_rc rc)
{
    return rc >= 0 ? rc : bp_err_complete_failure(err, rc);
}
/* bp_fail() with a detail, BP_DETAIL_*: what a caller may decide by. The index is 0. */
bp_rc bp_fail_detail(bp_err *err, bp_rc rc, uint32_t detail, const char *fmt, ...) BP_PRINTF(4, 5);
/*
 * After bp_fail() of words that `own` had: its native_code, detail and index too. Returns rc. err
 * may be NULL.
 */
bp_rc bp_err_copy_codes(bp_err *err, bp_rc rc, const bp_err *own);
/*
 * Ends a function of backplane.h: err->code is what it returns, whatever err had before and whatever
 * was tried on the way. Returns below bp_fail() need none. Returns rc; err may be NULL.
 */
static inline bp_rc bp_done(bp_err *err, bp_rc rc)
{
    if (err)
        err->code = rc < 0 ? rc : BP_OK;
    return rc;
}
/* BP_E_INVALID: an argument that is needed, such as "the session", is NULL. */
bp_rc bp_fail_null(bp_err *err, const char *what);
/* "no memory for <what>", BP_E_NOMEM. */
bp_rc bp_fail_nomem(bp_err *err, const char *what);
/* Puts "<prefix>: " before the words that err has, and returns rc. */
bp_rc bp_fail_in(bp_err *err, bp_rc rc, const char *prefix_fmt, ...) BP_PRINTF(3, 4);

#endif
