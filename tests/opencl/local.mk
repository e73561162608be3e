# SPDX-License-Identifier: MIT
# tests/opencl/ - the provider opencl on whatever OpenCL driver is there: PoCL in CI. Skipped without one.

dist_check_SCRIPTS += %D%/kit.sh %D%/provider.sh
EXTRA_DIST += %D%/lib.sh
TESTS += %D%/kit.sh %D%/provider.sh
