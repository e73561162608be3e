# SPDX-License-Identifier: MIT
# examples/ - programs to read and to run; they see sdk/ only. Their sources are installed beside the pages.

nobase_dist_doc_DATA += \
	%D%/common/example.c \
	%D%/common/example.h \
	%D%/common/onnx_writer.py \
	%D%/common/placement.c \
	%D%/common/placement.h

include %D%/android/local.mk
include %D%/ascend/local.mk
include %D%/decode/local.mk
include %D%/digits/local.mk
include %D%/digits_cpp/local.mk
include %D%/faces/local.mk
include %D%/service/local.mk
include %D%/streaming/local.mk
include %D%/strings/local.mk
