/* SPDX-License-Identifier: MIT */
/*
 * custom_domains.h - custom operators of the application: what session options and sessions keep of
 * them.
 */
#ifndef BP_ORT_SESSION_CUSTOM_DOMAINS_H
#define BP_ORT_SESSION_CUSTOM_DOMAINS_H

#include <backplane.h>

#include "ort/slots.h"

/* The application's; it and its operators outlive the options and sessions that have it. */
struct OrtCustomOpDomain {
    char *name;
    const OrtCustomOp **ops;
    size_t n, cap;
};

/* A library that options and sessions keep loaded; reference-counted. */
struct ort_library;

/* Start from {0}. */
struct ort_custom {
    const OrtCustomOpDomain **domains; /* borrowed */
    struct ort_library **libraries;    /* references */
    size_t n_domains, n_libraries;
};

bool ort_custom_copy(struct ort_custom *to, const struct ort_custom *from);
void ort_custom_finish(struct ort_custom *custom);
/* Is there an operator of that name, of any version? */
bool ort_custom_has(const struct ort_custom *custom, const char *domain, const char *op);
/*
 * Defines the operators for one session of the host, which must be destroyed before `session`. The
 * session keeps the libraries loaded. ORT_INVALID_ARGUMENT or ORT_FAIL: a definition is invalid.
 */
OrtStatus *ort_custom_to_host(OrtSession *session, const struct ort_custom *custom,
                              bp_session_options *host);

/* A copy of an operator in which functions newer than its version are NULL. */
OrtCustomOp ort_custom_op_read(const OrtCustomOp *op);

#endif
