/* SPDX-License-Identifier: MIT */
/* profile.h - profiles of sessions and of single runs, in files. */
#ifndef BP_ORT_SESSION_PROFILE_H
#define BP_ORT_SESSION_PROFILE_H

#include <backplane.h>

#include "ort/slots.h"

struct ort_profile;
struct OrtSession;

/* Begins now; the file's name is the prefix with the date. */
OrtStatus *ort_profile_create(const char *prefix, struct ort_profile **out);
void ort_profile_destroy(struct ort_profile *profile);
int64_t ort_profile_now(void);
/* What runs are to write to, as long as the profile lives; NULL: there is none, or it has ended. */
bp_profile *ort_profile_record(struct ort_profile *profile);
/* A span of ort_profile_now(); `name` is copied. Nothing happens without a profile. */
void ort_profile_add(struct ort_profile *profile, const char *name, int64_t start_ns,
                     int64_t end_ns);
/* Writes the file, whose name is in *path until the profile is destroyed. */
OrtStatus *ort_profile_write(struct ort_profile *profile, const char **path);

/* Of a session that goes: writes the file, if nobody has ended the profile. */
void ort_profile_leave(struct OrtSession *session);

#endif
