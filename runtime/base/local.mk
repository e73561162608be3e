# SPDX-License-Identifier: MIT
# runtime/base/ - status text, allocators, array, string, log: knows nothing of ONNX.

runtime_libbackplane_core_la_SOURCES += \
	%D%/block.c \
	%D%/block.h \
	%D%/bytes.c \
	%D%/bytes.h \
	%D%/cpus.c \
	%D%/file_trust.c \
	%D%/file_trust.h \
	%D%/flat.c \
	%D%/flat.h \
	%D%/flat_write.c \
	%D%/flat_write.h \
	%D%/fork.c \
	%D%/fork.h \
	%D%/guard.c \
	%D%/guard.h \
	%D%/log.c \
	%D%/log.h \
	%D%/memory.c \
	%D%/memory.h \
	%D%/names.c \
	%D%/pool.c \
	%D%/pool.h \
	%D%/private_file.c \
	%D%/private_file.h \
	%D%/put.c \
	%D%/put.h \
	%D%/region.c \
	%D%/region.h \
	%D%/sha256.c \
	%D%/sha256.h \
	%D%/status.c \
	%D%/status.h \
	%D%/strmap.c \
	%D%/strmap.h \
	%D%/worker.c \
	%D%/worker.h \
	%D%/worker_config.c \
	%D%/worker_config.h
