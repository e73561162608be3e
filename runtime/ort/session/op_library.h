/* SPDX-License-Identifier: MIT */
/* op_library.h - shared libraries of operators, kept loaded by who has operators of them. */
#ifndef BP_ORT_SESSION_OP_LIBRARY_H
#define BP_ORT_SESSION_OP_LIBRARY_H

#include "ort/session/custom_domains.h"

/* Adds a reference of the list's own. False: no memory, nothing changed. */
bool ort_library_keep(struct ort_custom *custom, struct ort_library *library);
/* The last one unloads it. */
void ort_library_release(struct ort_library *library);

#endif
