/* SPDX-License-Identifier: MIT */
/* custom_domains.c - the custom operator domains that session options and sessions keep. */

#include "config.h"

#include <stdlib.h>

#include "ort/session/op_library.h"
#include "ort/session/options.h"
#include "ort/status.h"

/* A domain that is added twice counts once. */
static bool add_domain(struct ort_custom *custom, const OrtCustomOpDomain *domain)
{
    const OrtCustomOpDomain **domains;

    for (size_t i = 0; i < custom->n_domains; i++) {
        if (custom->domains[i] == domain)
            return true;
    }
    domains = realloc(custom->domains, (custom->n_domains + 1) * sizeof(const OrtCustomOpDomain *));
    if (!domains)
        return false;
    custom->domains = domains;
    domains[custom->n_domains++] = domain;
    return true;
}

bool ort_custom_copy(struct ort_custom *to, const struct ort_custom *from)
{
    bool ok = true;

    for (size_t i = 0; ok && i < from->n_domains; i++)
        ok = add_domain(to, from->domains[i]);
    for (size_t i = 0; ok && i < from->n_libraries; i++)
        ok = ort_library_keep(to, from->libraries[i]);
    return ok;
}

void ort_custom_finish(struct ort_custom *custom)
{
    for (size_t i = 0; i < custom->n_libraries; i++)
        ort_library_release(custom->libraries[i]);
    free(custom->libraries);
    free(custom->domains);
    *custom = (struct ort_custom){0};
}

/* OrtApi since version 1: The domain is borrowed and must outlive options and sessions. */
OrtStatus *ort_AddCustomOpDomain(OrtSessionOptions *options, OrtCustomOpDomain *custom_op_domain)
{
    ORT_NEED(options);
    ORT_NEED(custom_op_domain);
    return add_domain(&options->custom, custom_op_domain) ? NULL : ort_no_memory();
}
