# SPDX-License-Identifier: MIT

BP_PROVIDER([dnnl], [oneDNN on CPU], [
    DNNL_LIBS=
    AC_CHECK_HEADER([dnnl.h],
        [AC_CHECK_LIB([dnnl], [dnnl_version], [DNNL_LIBS=-ldnnl])])
    AS_IF([test -z "$DNNL_LIBS"], [bp_lacks="no oneDNN: install Debian's libdnnl-dev"])
    AC_SUBST([DNNL_LIBS])
])
