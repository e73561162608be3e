/* SPDX-License-Identifier: MIT */
/* profile.h - what a profiled session did and when. */
#ifndef BP_ORT_PROFILE_H
#define BP_ORT_PROFILE_H

#include "ort/slots.h"

struct ort_profile;

/* Begins now; the file's name is the prefix with the date. NULL: out of memory. */
struct ort_profile *ort_profile_create(const char *prefix);
void ort_profile_destroy(struct ort_profile *profile);
uint64_t ort_profile_now(void);
/* A span of ort_profile_now(), when the session is profiled; `name` is a constant. */
void ort_profile_add(OrtSession *session, const char *name, uint64_t start_ns, uint64_t end_ns);

#endif
