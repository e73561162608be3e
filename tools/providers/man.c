/* SPDX-License-Identifier: MIT */
/* man.c - a provider's state and options, as the source of a manual page. */

#include "config.h"

#include <ctype.h>
#include <stdio.h>

#include "providers/provider.h"

/* Text that a plug-in gave, so that no character of it is a request or an escape of mdoc(7). */
static void put(const char *text)
{
    bool starts = true;

    for (; text && *text; text++) {
        if (starts && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else
            putchar(iscntrl((unsigned char)*text) ? ' ' : *text);
        starts = false;
    }
}

/* One argument of a macro: quoted, for it may have blanks. */
static void put_quoted(const char *text)
{
    putchar('"');
    for (; text && *text; text++) {
        if (*text == '"')
            fputs("\\(dq", stdout);
        else if (*text == '\\')
            fputs("\\e", stdout);
        else
            putchar(iscntrl((unsigned char)*text) ? ' ' : *text);
    }
    putchar('"');
}

/* Section 7, as the page is about conventions of options rather than about a command. */
static void put_title(const char *name)
{
    fputs(".Dd $Mdocdate$\n.Dt BACKPLANE-", stdout);
    for (; *name; name++)
        putchar(toupper((unsigned char)*name));
    puts(" 7\n.Os");
}

static void put_option(const bp_option *option)
{
    struct bp_text range = {0};

    provider_option_range(&range, option);
    fputs(".It Cm ", stdout);
    put_quoted(option->key);
    printf(" Pq %s\n", provider_option_type(option->type));
    put(option->help);
    puts(".");
    if (text_string(&range)[0]) {
        puts(".br");
        fputs("Values: ", stdout);
        put(text_string(&range));
        puts(".");
    }
    puts(".br");
    if (option->flags & BP_OPTION_REQUIRED) {
        puts("It must be given.");
    } else {
        fputs("Default: ", stdout);
        put(provider_option_default(option));
        puts(".");
    }
    if (option->flags & BP_OPTION_DYNAMIC)
        puts("It may change while a session lives.");
    if (option->flags & BP_OPTION_DEPRECATED)
        puts("It is deprecated.");
    if (option->flags & BP_OPTION_SECRET)
        puts("Its value is never shown.");
    text_finish(&range);
}

/* mdoc(7), which man -l formats; every text of the plug-in goes through put() or put_quoted(). */
void provider_man(const bp_provider_info *row)
{
    put_title(row->name);
    fputs(".Sh NAME\n.Nm ", stdout);
    put_quoted(row->name);
    printf("\n.Nd execution provider for Backplane\n.Sh DESCRIPTION\nThe provider\n.Nm\n");
    if (row->version) {
        fputs("of version ", stdout);
        put(row->version);
        puts("");
    }
    if (row->vendor && *row->vendor) {
        fputs("comes from ", stdout);
        put(row->vendor);
        puts(" and");
    }
    puts("is chosen with\n.Fl Fl providers\nof\n.Xr backplane 1 .");
    puts(".Sh OPTIONS");
    if (row->n_options == 0) {
        puts("It has no options.");
    } else {
        puts(
            "They are given as\n.Fl Fl option Ar provider : Ns Ar key Ns = Ns Ar value .\n"
            "Whole numbers may end in K, M, G or T, which are powers of 1024.\n.Bl -tag -width Ds");
        for (uint32_t i = 0; i < row->n_options; i++)
            put_option(BP_AT(bp_option, row->options, row->option_stride, i));
        puts(".El");
    }
    puts(".Sh SEE ALSO\n.Xr backplane 1");
}
