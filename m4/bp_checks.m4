# SPDX-License-Identifier: MIT
# bp_checks.m4 - small checks that configure.ac uses more than once.

# BP_CHECK_CFLAGS(VARIABLE, FLAGS)
# --------------------------------
# Substitutes VARIABLE with FLAGS if the compiler takes them all, silently; else with nothing.
AC_DEFUN([BP_CHECK_CFLAGS], [
AC_MSG_CHECKING([whether $CC takes m4_normalize([$2])])
bp_saved_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS m4_normalize([$2]) -Werror"
AC_LINK_IFELSE([AC_LANG_SOURCE([[int main(void)
{
    return 0;
}]])],
    [AC_MSG_RESULT([yes])
     $1="m4_normalize([$2])"],
    [AC_MSG_RESULT([no])
     $1=])
CFLAGS=$bp_saved_CFLAGS
AC_SUBST([$1])
])

# BP_CHECK_SHARED_LDFLAGS(VARIABLE, FLAG, [CFLAGS])
# -------------------------------------------------
# Appends FLAG to the substituted VARIABLE if a shared object links with it and with CFLAGS.
AC_DEFUN([BP_CHECK_SHARED_LDFLAGS], [
AC_MSG_CHECKING([whether shared objects link with $2])
bp_saved_CFLAGS=$CFLAGS
bp_saved_LDFLAGS=$LDFLAGS
CFLAGS="$CFLAGS $3 -fPIC"
LDFLAGS="$LDFLAGS -shared $2"
AC_LINK_IFELSE([AC_LANG_SOURCE([[int *bp_link_test(int *p);
int *bp_link_test(int *p)
{
    return p + *p;
}]])],
    [AC_MSG_RESULT([yes])
     AS_VAR_APPEND([$1], [" $2"])],
    [AC_MSG_RESULT([no])])
CFLAGS=$bp_saved_CFLAGS
LDFLAGS=$bp_saved_LDFLAGS
AC_SUBST([$1])
])

# BP_NEED_LIB(VARIABLE, HEADER, FUNCTION, LIBRARY, PACKAGE)
# ---------------------------------------------------------
# Finds FUNCTION in libc or LIBRARY and substitutes VARIABLE with the -l flag it takes. Without it or
# its HEADER configure ends with the Debian PACKAGE to install.
AC_DEFUN([BP_NEED_LIB], [
AC_CHECK_HEADER([$2], [],
    [AC_MSG_ERROR([the header $2 is missing: install Debian's $5])])
bp_saved_LIBS=$LIBS
AC_SEARCH_LIBS([$3], [$4], [],
    [AC_MSG_ERROR([the library $4 is missing or has no $3: install Debian's $5])])
AS_CASE([$ac_cv_search_$3], [-l*], [$1=$ac_cv_search_$3], [$1=])
LIBS=$bp_saved_LIBS
AC_SUBST([$1])
])
