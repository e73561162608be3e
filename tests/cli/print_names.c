/* SPDX-License-Identifier: MIT */
/*
 * print_names.c - prints the words that the library has for its numbers, "stage FOUND", a line
 * each: what the schemas of docs/schema/ list has to be the same. See tests/cli/schemas.sh.
 */

#include "config.h"

#include <stdio.h>

#include <backplane.h>

int main(void)
{
    const char *name;

    for (uint32_t i = 0; i < BP_STAGE_END; i++)
        printf("stage %s\n", bp_stage_name(i));
    for (uint32_t i = 0; i < BP_R_END; i++)
        printf("reason %s\n", bp_reason_name(i));
    for (bp_rc rc = BP_OK; rc >= BP_E_INTERNAL; rc--)
        printf("code %s\n", bp_rc_name(rc));
    for (uint32_t i = 0; i < BP_DTYPE_END; i++)
        printf("dtype %s\n", bp_dtype_name(i));
    for (uint32_t i = BP_ORIGIN_DEFAULT; i <= BP_ORIGIN_VARIABLE; i++)
        printf("origin %s\n", bp_origin_name(i));
    for (uint32_t i = 1; (name = bp_operator_family(i, NULL)) != NULL; i++)
        printf("family %s\n", name);
    return 0;
}
