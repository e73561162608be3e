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
    # No code here reads errno or floating-point flags, so loops with selects and roots may be vectorised;
    # a product and a sum may become one operation with one rounding.
    BP_CHECK_CFLAGS([CPU_MATH_CFLAGS],
        [-fno-math-errno -fno-trapping-math -ffp-contract=fast])
    # gcc vectorises at -O2 only what needs no loop for the rest
    BP_CHECK_CFLAGS([CPU_VECTOR_CFLAGS], [-ftree-vectorize -fvect-cost-model=dynamic])
    # What few models need is opened by them alone; see lazy.h.
    BP_LAZY_LIB([JPEG], [libjpeg], [-ljpeg],
        [[#include <stdio.h>
          #include <jpeglib.h>]], [[struct jpeg_error_mgr e; jpeg_std_error(&e);]],
        [JPEG in ImageDecoder], [libjpeg-dev])
    BP_LAZY_LIB([PNG], [libpng], [-lpng],
        [[#include <png.h>]], [[return png_access_version_number() == 0;]],
        [PNG in ImageDecoder], [libpng-dev])
    BP_LAZY_LIB([TIFF], [libtiff-4], [-ltiff],
        [[#include <tiffio.h>]], [[return TIFFGetVersion() == NULL;]],
        [TIFF in ImageDecoder], [libtiff-dev])
    BP_LAZY_LIB([WEBP], [libwebp], [-lwebp],
        [[#include <webp/decode.h>]], [[return WebPGetDecoderVersion() == 0;]],
        [WebP in ImageDecoder], [libwebp-dev])
    BP_LAZY_LIB([OPENJPEG], [libopenjp2], [-lopenjp2],
        [[#include <openjpeg.h>]], [[return opj_version() == NULL;]],
        [JPEG 2000 in ImageDecoder], [libopenjp2-7-dev])
    BP_LAZY_LIB([PCRE2], [libpcre2-8], [-lpcre2-8],
        [[#define PCRE2_CODE_UNIT_WIDTH 8
          #include <pcre2.h>]], [[return pcre2_config(PCRE2_CONFIG_VERSION, NULL);]],
        [RegexFullMatch and Tokenizer], [libpcre2-dev])
    BP_LAZY_LIB([UNISTRING], [libunistring], [-lunistring],
        [[#include <unicase.h>]],
        [[return u8_tolower(NULL, 0, NULL, NULL, NULL, NULL) == NULL;]],
        [letters beyond ASCII in StringNormalizer], [libunistring-dev])
])
bp_summary="$bp_summary$bp_lazy_summary"
