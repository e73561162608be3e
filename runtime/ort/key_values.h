/* SPDX-License-Identifier: MIT */
/*
 * key_values.h - OrtKeyValuePairs: text by key, sorted by key. {0} is an empty list.
 *
 * Thread rule: one writer, or several readers. Keys and values are copies; pointers to them last
 * until the list changes.
 */
#ifndef BP_ORT_KEY_VALUES_H
#define BP_ORT_KEY_VALUES_H

#include "ort/slots.h"

struct OrtKeyValuePairs {
    char **keys; /* both arrays grow together */
    char **values;
    size_t n, cap;
};

/* Copies both; replaces the value of an existing key. False: no memory, and nothing changed. */
bool ort_keys_set(OrtKeyValuePairs *list, const char *key, const char *value);
/* Sets n entries. ORT_INVALID_ARGUMENT: a key or value is NULL or empty; ORT_FAIL: no memory. */
OrtStatus *ort_keys_set_all(OrtKeyValuePairs *list, const char *const *keys,
                            const char *const *values, size_t n);
const char *ort_keys_get(const OrtKeyValuePairs *list, const char *key); /* NULL: not there */
/* Adds all entries of `from`. False: no memory; `to` has a part of them. */
bool ort_keys_copy(OrtKeyValuePairs *to, const OrtKeyValuePairs *from);
void ort_keys_finish(OrtKeyValuePairs *list);
/* Does the key have the value "1"? */
bool ort_keys_is_on(const OrtKeyValuePairs *list, const char *key);

#endif
