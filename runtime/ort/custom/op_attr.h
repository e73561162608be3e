/* SPDX-License-Identifier: MIT */
/* op_attr.h - OrtOpAttr: a named scalar, text, or list of them; immutable once created. */
#ifndef BP_ORT_CUSTOM_OP_ATTR_H
#define BP_ORT_CUSTOM_OP_ATTR_H

#include "ort/slots.h"

struct OrtOpAttr {
    char *name;
    OrtOpAttrType type;
    size_t bytes;
    char data[]; /* scalars as they are; strings one after another, each with its NUL */
};

#endif
