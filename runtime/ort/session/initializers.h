/* SPDX-License-Identifier: MIT */
/* initializers.h - what session options give in place of a model's weights. */
#ifndef BP_ORT_SESSION_INITIALIZERS_H
#define BP_ORT_SESSION_INITIALIZERS_H

#include "ort/values/value.h"

struct ort_weight {
    char *name;
    OrtValue *value;  /* a reference */
    bool is_external; /* replaces external data; a copy is made, so the value may be released */
};

/* A file of external data in the application's memory; borrowed until a session was created. */
struct ort_file {
    char *name;
    const char *bytes;
    size_t size;
};

/* {0} is an empty one. */
struct ort_weights {
    struct ort_weight *items;
    struct ort_file *files;
    size_t n_items, n_files;
};

/* Copies into an empty list, with references to the values. False: no memory. */
bool ort_weights_copy(struct ort_weights *to, const struct ort_weights *from);
void ort_weights_finish(struct ort_weights *weights);

#endif
