# SPDX-License-Identifier: MIT
# bp_provider.m4 - decides whether a provider is built, the same way for each.

# BP_PROVIDERS_INIT
# -----------------
# Before the first BP_PROVIDER. Named in configure.ac itself, it also lets aclocal find this file.
AC_DEFUN([BP_PROVIDERS_INIT], [
bp_summary=
bp_built=
bp_sources=
])

# BP_PROVIDER(NAME, TITLE, [CHECK])
# ---------------------------------
# For plugins/NAME/configure.m4. Without an option the provider is built when it can be; with
# --enable-NAME it is built or configure fails; with --disable-NAME it is left out. CHECK looks for
# what the provider needs: it sets bp_lacks to a sentence when it cannot be built here, and may set
# bp_found to a few words for the summary. It runs only when the provider has sources and is wanted.
# Sets the conditional ENABLE_<NAME in capitals> and adds a line to the summary.
AC_DEFUN([BP_PROVIDER], [
AC_ARG_ENABLE(m4_translit([$1], [_], [-]),
    [AS_HELP_STRING([--enable-]m4_translit([$1], [_], [-]),
        [build the provider $1, $2 (default: when possible)])],
    [], [AS_VAR_SET([enable_$1], [auto])])
bp_lacks=
bp_found=
AS_IF([test -f "$srcdir/plugins/$1/provider.c"], [AS_VAR_APPEND([bp_sources], [" $1"])])
AS_IF([test "x$enable_$1" = xno],
    [bp_lacks="switched off"],
    [test ! -f "$srcdir/plugins/$1/provider.c"],
    [bp_lacks="no sources in this release"],
    [m4_default([$3], [:])])
AS_IF([test -z "$bp_lacks"],
    [bp_built="$bp_built $1"
     bp_line="built${bp_found:+, $bp_found}"],
    [test "x$enable_$1" = xyes],
    [AC_MSG_ERROR([--enable-]m4_translit([$1], [_], [-])[: the provider $1 cannot be built: $bp_lacks])],
    [bp_line="not built: $bp_lacks"])
AS_VAR_APPEND([bp_summary], ["
  provider m4_format([%-10s], [$1]) $bp_line"])
AM_CONDITIONAL([ENABLE_]m4_toupper([$1]), [test -z "$bp_lacks"])
])

# BP_PROVIDERS_KNOWN
# ------------------
# After the last BP_PROVIDER. Defines, for runtime/host/known_providers.c, which plug-ins this release has sources
# of and which of them this build has, each as "cpu cann" by the names of their providers.
AC_DEFUN([BP_PROVIDERS_KNOWN], [
bp_names=`AS_ECHO(["$bp_sources"]) | sed 's/_sim / /g;s/_sim$//;s/^ //'`
AC_DEFINE_UNQUOTED([PROVIDERS_OF_RELEASE], ["$bp_names"], [plug-ins that this release has sources of])
bp_names=`AS_ECHO(["$bp_built"]) | sed 's/_sim / /g;s/_sim$//;s/^ //'`
AC_DEFINE_UNQUOTED([PROVIDERS_BUILT], ["$bp_names"], [plug-ins that are built])
])
