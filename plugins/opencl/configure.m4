# SPDX-License-Identifier: MIT

BP_PROVIDER([opencl], [devices behind an OpenCL driver], [
    PKG_CHECK_MODULES([OPENCL], [OpenCL], [],
        [bp_lacks="no OpenCL: install Debian's ocl-icd-opencl-dev"])
])
