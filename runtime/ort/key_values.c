/* SPDX-License-Identifier: MIT */
/* key_values.c - OrtKeyValuePairs: sorted arrays of keys and values. */

#include "config.h"

#include "ort/key_values.h"

#include <stdlib.h>
#include <string.h>

#include "ort/status.h"

/* Binary search: the index of the key, or where it would be inserted. */
static size_t place(const OrtKeyValuePairs *list, const char *key, bool *found)
{
    size_t low = 0;
    size_t high = list->n;

    *found = false;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = strcmp(list->keys[mid], key);

        if (order == 0) {
            *found = true;
            return mid;
        }
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/*
 * Both arrays grow together; after a failure the first may have more capacity, which is harmless.
 */
static bool grow(OrtKeyValuePairs *list)
{
    size_t cap = list->cap ? list->cap * 2 : 8;
    char **array;

    if (list->n < list->cap)
        return true;
    array = realloc(list->keys, cap * sizeof *array);
    if (!array)
        return false;
    list->keys = array;
    array = realloc(list->values, cap * sizeof *array);
    if (!array)
        return false;
    list->values = array;
    list->cap = cap;
    return true;
}

/* Takes `value`, copies `key`. False: no memory, and `value` is still the caller's. */
static bool insert(OrtKeyValuePairs *list, size_t i, const char *key, char *value)
{
    char *copy = strdup(key);

    if (!copy || !grow(list)) {
        free(copy);
        return false;
    }
    memmove(list->keys + i + 1, list->keys + i, (list->n - i) * sizeof *list->keys);
    memmove(list->values + i + 1, list->values + i, (list->n - i) * sizeof *list->values);
    list->keys[i] = copy;
    list->values[i] = value;
    list->n++;
    return true;
}

/* A key that exists gets the new value and keeps its position. */
bool ort_keys_set(OrtKeyValuePairs *list, const char *key, const char *value)
{
    bool found;
    size_t i = place(list, key, &found);
    char *copy = strdup(value);

    if (!copy)
        return false;
    if (found) {
        free(list->values[i]);
        list->values[i] = copy;
        return true;
    }
    if (insert(list, i, key, copy))
        return true;
    free(copy);
    return false;
}

OrtStatus *ort_keys_set_all(OrtKeyValuePairs *list, const char *const *keys,
                            const char *const *values, size_t n)
{
    if (n > 0 && (!keys || !values))
        return ort_fail(ORT_INVALID_ARGUMENT, "keys or values are NULL");
    for (size_t i = 0; i < n; i++) {
        if (!keys[i] || !values[i] || !keys[i][0] || !values[i][0])
            return ort_fail(ORT_INVALID_ARGUMENT, "key or value %zu is empty", i);
        if (!ort_keys_set(list, keys[i], values[i]))
            return ort_no_memory();
    }
    return NULL;
}

const char *ort_keys_get(const OrtKeyValuePairs *list, const char *key)
{
    bool found;
    size_t i = place(list, key, &found);

    return found ? list->values[i] : NULL;
}

/* ONNX Runtime's switches are "1" and "0"; "true" is not on. */
bool ort_keys_is_on(const OrtKeyValuePairs *list, const char *key)
{
    const char *value = ort_keys_get(list, key);

    return value && strcmp(value, "1") == 0;
}

bool ort_keys_copy(OrtKeyValuePairs *to, const OrtKeyValuePairs *from)
{
    for (size_t i = 0; i < from->n; i++) {
        if (!ort_keys_set(to, from->keys[i], from->values[i]))
            return false;
    }
    return true;
}

void ort_keys_finish(OrtKeyValuePairs *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->keys[i]);
        free(list->values[i]);
    }
    free(list->keys);
    free(list->values);
    *list = (OrtKeyValuePairs){0};
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* OrtApi since version 22: The slot returns nothing: *out is NULL when there is no memory. */
void ort_CreateKeyValuePairs(OrtKeyValuePairs **out)
{
    if (out)
        *out = calloc(1, sizeof **out);
}

/*
 * OrtApi since version 22: Invalid arguments are ignored, because the slot can't return a status.
 */
void ort_AddKeyValuePair(OrtKeyValuePairs *kvps, const char *key, const char *value)
{
    if (kvps && key && key[0] && value)
        (void)ort_keys_set(kvps, key, value);
}

/* OrtApi since version 22. */
const char *ort_GetKeyValue(const OrtKeyValuePairs *kvps, const char *key)
{
    return kvps && key ? ort_keys_get(kvps, key) : NULL;
}

/* OrtApi since version 22: The arrays are the list's, and valid until it changes. */
void ort_GetKeyValuePairs(const OrtKeyValuePairs *kvps, const char *const **keys,
                          const char *const **values, size_t *num_entries)
{
    if (keys)
        *keys = kvps ? (const char *const *)kvps->keys : NULL;
    if (values)
        *values = kvps ? (const char *const *)kvps->values : NULL;
    if (num_entries)
        *num_entries = kvps ? kvps->n : 0;
}

/* OrtApi since version 22. */
void ort_RemoveKeyValuePair(OrtKeyValuePairs *kvps, const char *key)
{
    bool found;
    size_t i;

    if (!kvps || !key)
        return;
    i = place(kvps, key, &found);
    if (!found)
        return;
    free(kvps->keys[i]);
    free(kvps->values[i]);
    kvps->n--;
    memmove(kvps->keys + i, kvps->keys + i + 1, (kvps->n - i) * sizeof *kvps->keys);
    memmove(kvps->values + i, kvps->values + i + 1, (kvps->n - i) * sizeof *kvps->values);
}

/* OrtApi since version 22. */
void ort_ReleaseKeyValuePairs(OrtKeyValuePairs *input)
{
    if (!input)
        return;
    ort_keys_finish(input);
    free(input);
}
