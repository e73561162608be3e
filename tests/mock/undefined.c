/* SPDX-License-Identifier: MIT */
/* undefined.c - a plug-in that calls a function that no library has. */

#include <bp/sdk.h>

bp_rc bp_mock_function_without_definition(const bp_module **out);

BP_MANIFEST("id=org.backplane.undefined\n"
            "name=undefined\n"
            "version=0.1\n"
            "license=MIT");

BP_EXPORT bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err);
bp_rc bp_provider_entry_v1(const bp_host *host, const bp_module **out, bp_err *err)
{
    (void)host;
    (void)err;
    return bp_mock_function_without_definition(out);
}
