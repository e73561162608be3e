# SPDX-License-Identifier: MIT
# The OpenCL loader is opened by name when the provider is used, so that only its headers are needed.

BP_PROVIDER([opencl], [devices behind an OpenCL driver], [
    AC_CHECK_HEADER([CL/cl.h], [],
        [bp_lacks="no OpenCL headers: install Debian's opencl-headers"],
        [#define CL_TARGET_OPENCL_VERSION 120])
])
