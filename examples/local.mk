# SPDX-License-Identifier: MIT
# examples/ - programs to read and to run; they see sdk/ only and are not installed.

EXTRA_DIST += %D%/common/onnx_writer.py
include %D%/ascend/local.mk
include %D%/decode/local.mk
include %D%/digits/local.mk
include %D%/digits_cpp/local.mk
include %D%/faces/local.mk
include %D%/service/local.mk
include %D%/streaming/local.mk
include %D%/strings/local.mk
