/* SPDX-License-Identifier: MIT */
/*
 * assignment.h - which provider runs which nodes, recorded on request of a session's configuration.
 */
#ifndef BP_ORT_SESSION_ASSIGNMENT_H
#define BP_ORT_SESSION_ASSIGNMENT_H

#include "ort/slots.h"

struct ort_assignment;

/* Fills session->assignment from the host's report. ORT_FAIL: no memory. */
OrtStatus *ort_assignment_record(OrtSession *session);
void ort_assignment_destroy(struct ort_assignment *assignment);

#endif
