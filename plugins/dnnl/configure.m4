# SPDX-License-Identifier: MIT
# oneDNN is opened by name when the plug-in is, not linked: an own variable of libgomp has to be set
# before, see library.c.

BP_PROVIDER([dnnl], [oneDNN on CPU], [
    DNNL_SONAME=
    AC_CHECK_TOOL([OBJDUMP], [objdump])
    AC_CHECK_HEADERS([dnnl.h])
    AC_MSG_CHECKING([for the shared name of oneDNN 2.x])
    bp_saved_LIBS=$LIBS
    LIBS="-ldnnl $LIBS"
    AC_LINK_IFELSE(
        [AC_LANG_PROGRAM([[#include <dnnl.h>
              #if DNNL_VERSION_MAJOR != 2 || DNNL_VERSION_MINOR < 6
              #error not the interface of 2.6
              #endif
              #if DNNL_CPU_RUNTIME != DNNL_RUNTIME_OMP
              #error another runtime than OpenMP
              #endif]],
            [[return dnnl_set_verbose(0) != dnnl_success;]])],
        [DNNL_SONAME=`$OBJDUMP -p conftest$ac_exeext | sed -n 's/^ *NEEDED *\(libdnnl[[^ ]]*\)$/\1/p' | head -n 1`])
    LIBS=$bp_saved_LIBS
    AC_MSG_RESULT([${DNNL_SONAME:-not found}])
    AS_IF([test -z "$DNNL_SONAME"],
        [bp_lacks="no oneDNN 2.6 with OpenMP: install Debian's libdnnl-dev"],
        [bp_found="$DNNL_SONAME"])
    AC_SUBST([DNNL_SONAME])
])
