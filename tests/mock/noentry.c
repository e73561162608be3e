/* SPDX-License-Identifier: MIT */
/* noentry.c - a shared object that is not a plug-in: it has no entry. */

#include <bp/sdk.h>

BP_MANIFEST("id=org.backplane.noentry\n"
            "name=noentry\n"
            "version=0.1\n"
            "license=MIT");

BP_EXPORT int mock_without_entry(void);
int mock_without_entry(void)
{
    return 1;
}
