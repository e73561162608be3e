/* SPDX-License-Identifier: MIT */
/* op_library.h - shared libraries of custom operators; kept loaded by options and sessions. */
#ifndef BP_ORT_SESSION_OP_LIBRARY_H
#define BP_ORT_SESSION_OP_LIBRARY_H

#include "ort/session/custom_domains.h"

/* Adds a reference of the list's own. False: no memory, nothing changed. */
bool ort_library_keep(struct ort_custom *custom, struct ort_library *library);
/* Gives a reference back; the last one unloads the library. NULL is fine. */
void ort_library_release(struct ort_library *library);

#endif
