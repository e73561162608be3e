/* SPDX-License-Identifier: MIT */
/* profile.h - profiles of sessions and of single runs, in files. */
#ifndef BP_ORT_SESSION_PROFILE_H
#define BP_ORT_SESSION_PROFILE_H

#include <backplane.h>

#include "ort/slots.h"

struct ort_profile;
struct OrtSession;

/* Begins recording; the file will be "<prefix>_<date>.json". ORT_FAIL: no memory. */
OrtStatus *ort_profile_create(const char *prefix, struct ort_profile **out);
void ort_profile_destroy(struct ort_profile *profile);
/* Nanoseconds of the monotonic clock. */
int64_t ort_profile_now(void);
/* The record that runs add to; NULL: no profile, or it has ended. Borrowed. [any thread] */
bp_profile *ort_profile_record(struct ort_profile *profile);
/* Adds an event from start to end (ort_profile_now()); `name` is copied. NULL is fine. [any thread] */
void ort_profile_add(struct ort_profile *profile, const char *name, int64_t start_ns,
                     int64_t end_ns);
/* Writes the file, whose name is in *path until the profile is destroyed. */
OrtStatus *ort_profile_write(struct ort_profile *profile, const char **path);

/* Called when a session is released: writes the file unless the profile has ended. */
void ort_profile_leave(struct OrtSession *session);

#endif
