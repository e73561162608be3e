/* SPDX-License-Identifier: MIT */
/*
 * provider_names.h - names of providers: short ones, ONNX Runtime's, and those that we only know
 * of.
 */
#ifndef BP_HOST_OPTIONS_PROVIDER_NAMES_H
#define BP_HOST_OPTIONS_PROVIDER_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BP_NAME_MAX = 64 }; /* of a short name, the NUL included */

/*
 * The short name that `name` means: "DnnlExecutionProvider", "DNNL" and "org.backplane.dnnl" are
 * "dnnl". Unknown names come back in lower case, without "ExecutionProvider". False: too long.
 */
bool bp_provider_names_short(const char *name, char out[BP_NAME_MAX]);
/* Do both mean the same provider? Paths are compared as they are. */
bool bp_provider_names_equal(const char *a, const char *b);
/* Is this the short name of a provider that exists somewhere, here or elsewhere? */
bool bp_provider_names_is_known(const char *short_name);
/* Is the name in a list with blanks between? */
bool bp_provider_names_has(const char *words, const char *word);
/* Has this release of Backplane a plug-in for it, built here or not? */
bool bp_provider_names_is_in_release(const char *short_name);
/* The known short name that is nearest to this one, or NULL. */
const char *bp_provider_names_nearest(const char *short_name);
/*
 * What to do to get a known provider that is not installed, as a sentence, which names only files
 * that this release has. False: it is not known.
 */
bool bp_provider_names_advice(const char *short_name, char *out, size_t cap);
/* Known short name i; NULL: end. */
const char *bp_provider_names_known(size_t i);
/* BP_HOME_* of known name i, which exists, and in *note what bp_known_provider says there. */
uint32_t bp_provider_names_home(size_t i, const char **note);

#endif
