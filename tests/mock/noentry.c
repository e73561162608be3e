/* SPDX-License-Identifier: MIT */
/* noentry.c - a shared object that is no plug-in: it has no entry. */

#include <bp/sdk.h>

BP_EXPORT int mock_without_entry(void);
int mock_without_entry(void)
{
    return 1;
}
