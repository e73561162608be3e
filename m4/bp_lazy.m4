# SPDX-License-Identifier: MIT
# bp_lazy.m4 - libraries that a plug-in opens by itself when it first needs them.

# BP_LAZY_LIB(NAME, MODULE, LIBS, INCLUDES, BODY, WHAT, PACKAGE)
# --------------------------------------------------------------
# Finds a library by pkg-config's MODULE, or as LIBS where there is none, by linking BODY. It is not
# linked later: its shared name goes, with its -I flags, to BP_LAZY_CPPFLAGS as BP_<NAME>_SONAME.
# Without it configure says that WHAT is left out, and the Debian PACKAGE that brings it.
AC_DEFUN([BP_LAZY_LIB], [
PKG_CHECK_MODULES([$1], [$2], [], [$1_CFLAGS= $1_LIBS="$3"])
bp_saved_CPPFLAGS=$CPPFLAGS
bp_saved_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $$1_CFLAGS"
# others of the libraries that it was built with must not be taken for it
LIBS="-Wl,--as-needed $3 $$1_LIBS $LIBS"
AC_MSG_CHECKING([for the shared name of $3])
bp_soname=
AC_LINK_IFELSE([AC_LANG_PROGRAM([$4], [$5])],
    [bp_pattern=`AS_ECHO(["$3"]) | sed 's/^-l/lib/;s/\./\\\\./g'`
     bp_soname=`$OBJDUMP -p conftest$ac_exeext | sed -n "s/^ *NEEDED *\(\$bp_pattern@<:@0-9@:>@*\.so@<:@^ @:>@*\)\$/\1/p" | head -n 1`])
CPPFLAGS=$bp_saved_CPPFLAGS
LIBS=$bp_saved_LIBS
AC_MSG_RESULT([${bp_soname:-not found}])
AS_IF([test -n "$bp_soname"],
    [bp_flags=`AS_ECHO(["$$1_CFLAGS"]) | sed 's/-I *\//-isystem \//g'`
     AS_VAR_APPEND([BP_LAZY_CPPFLAGS], [" -DBP_$1_SONAME='\"$bp_soname\"' $bp_flags"])],
    [AS_VAR_APPEND([bp_lazy_summary], ["
  without $6: install Debian's $7"])])
])

# BP_LAZY_INIT (before; named in configure.ac itself, it also lets aclocal find this file)
# ------------
AC_DEFUN([BP_LAZY_INIT], [
AC_REQUIRE([PKG_PROG_PKG_CONFIG])
AC_CHECK_TOOL([OBJDUMP], [objdump])
BP_LAZY_CPPFLAGS=
bp_lazy_summary=
AC_SUBST([BP_LAZY_CPPFLAGS])
])
