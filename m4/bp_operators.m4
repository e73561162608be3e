# SPDX-License-Identifier: MIT
# bp_operators.m4 - a build that has only the operators that a file names.

# BP_OPERATORS
# ------------
# --with-operators=FILE writes selected/*.inc in the build tree, which tables of the host and of the CPU
# provider include instead of their whole lists, and lets the linker drop what nothing refers to then.
# selected/selected.h says whether they do. Files that stay the same keep their times, so that another FILE
# compiles only what depends on it.
AC_DEFUN([BP_OPERATORS], [
AC_ARG_WITH([operators],
    [AS_HELP_STRING([--with-operators=FILE],
        [build only the operators that FILE names, as 'backplane operators MODEL' prints it])],
    [], [with_operators=no])
AC_PROG_AWK
OPERATORS_CFLAGS=
OPERATORS_LDFLAGS=
OPERATORS_FILE=
bp_operators_summary="all"
AS_MKDIR_P([selected])
bp_replace()
{
    cmp -s selected/$[]1.new selected/$[]1 || cp selected/$[]1.new selected/$[]1
    rm -f selected/$[]1.new
}
AS_ECHO(["/* made by configure: all operators are built */"]) >selected/selected.h.new
AS_CASE([$with_operators],
    [no|yes|''], [AS_IF([test "x$with_operators" != xno],
        [AC_MSG_ERROR([--with-operators needs a file: --with-operators=FILE])])],
    [AC_MSG_CHECKING([operators of $with_operators])
     AS_IF([test -r "$with_operators" && test -s "$with_operators"], [],
        [AC_MSG_ERROR([--with-operators=$with_operators: cannot be read, or is empty])])
     bp_select()
     {
         bp_what=$[]1
         shift
         $AWK -v what=$bp_what -f "$srcdir/runtime/graph/select.awk" \
             "$srcdir/runtime/graph/rules/list.inc" "$with_operators" "$[]@"
     }
     bp_select check || AC_MSG_ERROR([--with-operators=$with_operators: see above what is wrong with it])
     bp_select schemas >selected/schemas.inc.new
     bp_select rows "$srcdir/plugins/cpu/operators.h" >selected/cpu.inc.new
     bp_select rows "$srcdir/runtime/exec/control/list.inc" >selected/host.inc.new
     bp_select types >selected/types.inc.new
     for bp_part in schemas cpu host types; do
         bp_replace $bp_part.inc
     done
     AS_ECHO(["#define BP_SELECTED_OPERATORS /* made by configure --with-operators */"]) \
         >selected/selected.h.new
     bp_operators_count=`grep -c '^BP_SCHEMA' selected/schemas.inc`
     AC_MSG_RESULT([$bp_operators_count versions])
     OPERATORS_FILE=$with_operators
     BP_CHECK_CFLAGS([OPERATORS_CFLAGS], [-ffunction-sections -fdata-sections])
     BP_CHECK_SHARED_LDFLAGS([OPERATORS_LDFLAGS], [-Wl,--gc-sections])
     bp_operators_summary="$bp_operators_count versions, of $with_operators"])
bp_replace selected.h
AC_SUBST([OPERATORS_CFLAGS])
AC_SUBST([OPERATORS_LDFLAGS])
AC_SUBST([OPERATORS_FILE])
])
