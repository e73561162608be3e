# SPDX-License-Identifier: MIT
# bp_static.m4 - plug-ins as files, and which of them are linked into backplane-static.

# BP_PLUGIN_FILES
# ---------------
# After LT_INIT. With --disable-shared there are no plug-in files, and programs have providers in them or
# none. Substitutes PLUGIN_SHARED with what makes a plug-in a shared object and nothing else.
AC_DEFUN([BP_PLUGIN_FILES], [
AM_CONDITIONAL([PLUGIN_FILES], [test "x$enable_shared" != xno])
AM_COND_IF([PLUGIN_FILES], [PLUGIN_SHARED=-shared], [PLUGIN_SHARED=])
AC_SUBST([PLUGIN_SHARED])
])

# BP_STATIC_PROVIDERS
# -------------------
# After the last BP_PROVIDER. Substitutes STATIC_OBJECTS with the object files of the providers that are
# to be linked into one program, and STATIC_PRELOADS with the libtool flags for them. Without the option
# they are all that are built, for the tests; the conditional STATIC_PROVIDERS says whether to install.
AC_DEFUN([BP_STATIC_PROVIDERS], [
AC_ARG_WITH([static-providers],
    [AS_HELP_STRING([--with-static-providers@<:@=LIST@:>@],
        [install backplane-static, the program with providers linked into it (cpu,dnnl; without LIST
        all that are built), and those providers as object files for other programs; always so with
        --disable-shared])],
    [], [AM_COND_IF([PLUGIN_FILES], [with_static_providers=no], [with_static_providers=yes])])
AC_CHECK_TOOL([OBJCOPY], [objcopy], [objcopy])
AS_CASE([$with_static_providers],
    [yes | no], [bp_static=$bp_built],
    [bp_static=`AS_ECHO(["$with_static_providers"]) | tr ',-' ' _'`])
STATIC_OBJECTS=
STATIC_PRELOADS=
for bp_name in $bp_static; do
    AS_CASE([" $bp_built "], [*" $bp_name "*], [],
        [AC_MSG_ERROR([--with-static-providers: there is no provider $bp_name in this build, which has:$bp_built])])
    bp_file=plugins/static/libbp-`AS_ECHO(["$bp_name"]) | sed 's/_sim$//'`.o
    AS_VAR_APPEND([STATIC_OBJECTS], [" $bp_file"])
    AS_VAR_APPEND([STATIC_PRELOADS], [" -dlpreopen $bp_file"])
done
AC_SUBST([STATIC_OBJECTS])
AC_SUBST([STATIC_PRELOADS])
AM_CONDITIONAL([STATIC_PROVIDERS], [test "x$with_static_providers" != xno])
bp_static_summary="backplane-static, installed, with:$bp_static"
AS_IF([test "x$with_static_providers" = xno],
    [bp_static_summary="for tests only: --with-static-providers installs backplane-static"])
])
