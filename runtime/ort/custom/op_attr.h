/* SPDX-License-Identifier: MIT */
/* op_attr.h - OrtOpAttr: a named number, text, or list of them. */
#ifndef BP_ORT_CUSTOM_OP_ATTR_H
#define BP_ORT_CUSTOM_OP_ATTR_H

#include "ort/slots.h"

struct OrtOpAttr {
    char *name;
    OrtOpAttrType type;
    size_t bytes;
    char data[]; /* texts: each with its end, one after another */
};

#endif
