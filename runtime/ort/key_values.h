/* SPDX-License-Identifier: MIT */
/* key_values.h - OrtKeyValuePairs: text by key, sorted by key. {0} is an empty list. */
#ifndef BP_ORT_KEY_VALUES_H
#define BP_ORT_KEY_VALUES_H

#include "ort/slots.h"

struct OrtKeyValuePairs {
    char **keys; /* both arrays grow together */
    char **values;
    size_t n, cap;
};

/* Copies both; replaces the value of a key that is there. False: out of memory, nothing changed. */
bool ort_keys_set(OrtKeyValuePairs *list, const char *key, const char *value);
/* n of them; NULL entries are an error, as is want of memory. NULL: all went well. */
OrtStatus *ort_keys_set_all(OrtKeyValuePairs *list, const char *const *keys,
                            const char *const *values, size_t n);
const char *ort_keys_get(const OrtKeyValuePairs *list, const char *key); /* NULL: not there */
/* Into an empty list. */
bool ort_keys_copy(OrtKeyValuePairs *to, const OrtKeyValuePairs *from);
void ort_keys_finish(OrtKeyValuePairs *list);
/* Is the key there with a value of 1? */
bool ort_keys_is_on(const OrtKeyValuePairs *list, const char *key);

#endif
