/* SPDX-License-Identifier: MIT */
/* find.h - finds the provider that results are compared with. */
#ifndef BP_CHECK_RANDOM_FIND_H
#define BP_CHECK_RANDOM_FIND_H

#include <limits.h>
#include <stdbool.h>

/*
 * `name` is a path, or a short name such as "cpu": then its file is looked for in the folders of
 * BACKPLANE_PROVIDER_PATH, beside the plug-in that is tested, and where hosts find installed ones. False:
 * there is none.
 */
bool kit_find_reference(const char *name, const char *plugin, char out[PATH_MAX]);

#endif
