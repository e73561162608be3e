# SPDX-License-Identifier: MIT
# tests/conformance/ - one suite of operator cases, run on every provider that was built.

dist_check_SCRIPTS += %D%/cann.sh %D%/device.sh %D%/dnnl.sh %D%/models.sh %D%/onnx.sh %D%/onnx_new.sh
EXTRA_DIST += %D%/onnx.expect %D%/onnx_new.expect
TESTS += %D%/cann.sh %D%/device.sh %D%/dnnl.sh %D%/models.sh %D%/onnx.sh %D%/onnx_new.sh
