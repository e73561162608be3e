# SPDX-License-Identifier: MIT
# The CPU provider calls OpenBLAS, but opens it only when a model needs it: it is not linked, so its
# shared name is taken here from a program that is.

BP_PROVIDER([cpu], [the reference that runs every operator], [
    PKG_CHECK_MODULES([OPENBLAS], [openblas], [],
        [OPENBLAS_CFLAGS=
         OPENBLAS_LIBS=-lopenblas])
    bp_saved_CPPFLAGS=$CPPFLAGS
    bp_saved_LIBS=$LIBS
    CPPFLAGS="$CPPFLAGS $OPENBLAS_CFLAGS"
    LIBS="$OPENBLAS_LIBS $LIBS"
    AC_CHECK_TOOL([OBJDUMP], [objdump])
    AC_MSG_CHECKING([for the shared name of OpenBLAS])
    OPENBLAS_SONAME=
    AC_LINK_IFELSE(
        [AC_LANG_PROGRAM([[#include <cblas.h>]],
            [[float x = 1;
              openblas_set_num_threads(1);
              cblas_sscal(1, 2, &x, 1);]])],
        [OPENBLAS_SONAME=`$OBJDUMP -p conftest$ac_exeext | sed -n 's/^ *NEEDED *\(lib[[^ ]]*blas[[^ ]]*\)$/\1/p' | head -n 1`])
    CPPFLAGS=$bp_saved_CPPFLAGS
    LIBS=$bp_saved_LIBS
    AC_MSG_RESULT([${OPENBLAS_SONAME:-not found}])
    AS_IF([test -z "$OPENBLAS_SONAME"],
        [bp_lacks="no OpenBLAS with cblas.h: install Debian's libopenblas-dev"],
        [bp_found="$OPENBLAS_SONAME"])
    # vendor headers are none of our warnings' business
    OPENBLAS_CFLAGS=`AS_ECHO(["$OPENBLAS_CFLAGS"]) | sed 's/-I *\//-isystem \//g'`
    AC_SUBST([OPENBLAS_SONAME])
    # Without these flags (another processor, an old compiler) those kernels are left out.
    BP_CHECK_CFLAGS([AVX2_CFLAGS], [-mavx2 -mfma -ffp-contract=fast])
    BP_CHECK_CFLAGS([AVX512_CFLAGS],
        [-mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -ffp-contract=fast])
    BP_CHECK_CFLAGS([VNNI_CFLAGS], [-mavx512f -mavx512bw -mavx512vl -mavx512vnni])
    # Nobody here reads errno or floating-point flags, so loops with selects and roots may be vectorised;
    # a product and a sum may become one operation with one rounding.
    BP_CHECK_CFLAGS([CPU_MATH_CFLAGS],
        [-fno-math-errno -fno-trapping-math -ffp-contract=fast])
    # gcc vectorises at -O2 only what needs no loop for the rest
    BP_CHECK_CFLAGS([CPU_VECTOR_CFLAGS], [-ftree-vectorize -fvect-cost-model=dynamic])
])
