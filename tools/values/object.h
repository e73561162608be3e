/* SPDX-License-Identifier: MIT */
/* object.h - values that are not tensors: sequences, optionals and maps, from files and compared. */
#ifndef BP_TOOLS_OBJECT_H
#define BP_TOOLS_OBJECT_H

#include "values/compare.h"

/* Reads a .pb of that kind (BP_KIND_*). *out is the caller's, to bp_object_release(). */
bp_rc object_read(const char *path, uint32_t kind, bp_object **out, bp_err *err) BP_CHECKED;

/* Compares item by item; puts the first difference into `why`: "item 2: 3 of 120 elements ...". */
bool object_compare(const bp_object *got, const bp_object *want, struct tolerance tolerance,
                    struct bp_text *why);

#endif
