/* SPDX-License-Identifier: MIT */
/* object.c - values that are not tensors, from files and compared. */

#include "config.h"

#include "values/object.h"

#include <stdlib.h>

#include <bp/sdk.h>

#include "values/file.h"

/* `kind` comes from the model: the bytes of a SequenceProto do not say that they are one. */
bp_rc object_read(const char *path, uint32_t kind, bp_object **out, bp_err *err)
{
    char words[512];
    bp_err inner = bp_err_init(words, sizeof words);
    unsigned char *bytes = NULL;
    size_t size = 0;
    bp_rc rc = file_read(path, &bytes, &size, err);

    *out = NULL;
    if (rc < 0)
        return rc;
    rc = bp_object_decode(bytes, size, kind, out, &inner);
    free(bytes);
    return rc < 0 ? bp_fail(err, rc, "%s: %s", path, words) : rc;
}

static const char *kind_word(const bp_object *object)
{
    static const char *const words[BP_KIND_END] = {"a tensor", "a sequence", "an optional", "a map",
                                                   "a sparse tensor"};

    return object ? words[bp_object_kind(object)] : "nothing";
}

/* Stops at the first item that differs and names it. */
static bool compare_items(const bp_object *got, const bp_object *want, struct tolerance tolerance,
                          struct bp_text *why)
{
    uint32_t n = bp_object_count(want);

    if (bp_object_count(got) != n) {
        text_printf(why, "got %u items, expected %u", bp_object_count(got), n);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct bp_text inner = {0};
        bool is_same =
            object_compare(bp_object_item(got, i), bp_object_item(want, i), tolerance, &inner);

        if (!is_same)
            text_printf(why, "item %u: %s", i, text_string(&inner));
        text_finish(&inner);
        if (!is_same)
            return false;
    }
    return true;
}

bool object_compare(const bp_object *got, const bp_object *want, struct tolerance tolerance,
                    struct bp_text *why)
{
    const bp_tensor *a = bp_object_tensor(got), *b = bp_object_tensor(want);
    struct comparison result;

    if (!got || !want || bp_object_kind(got) != bp_object_kind(want)) {
        text_printf(why, "got %s, expected %s", kind_word(got), kind_word(want));
        return false;
    }
    if (!a || !b)
        return compare_items(got, want, tolerance, why);
    compare_tensors(a, b, tolerance, &result);
    if (!compare_is_same(&result))
        compare_words(why, a, b, &result);
    return compare_is_same(&result);
}
