# SPDX-License-Identifier: MIT
# tests/clients/ - other people's programs on libonnxruntime, and on ONNX Runtime beside it.

# What `make check-clients` runs. They download packages, so `make check` does not.
client_tests = \
	%D%/cxx.sh \
	%D%/go.sh \
	%D%/java.sh \
	%D%/node.sh \
	%D%/nodes.sh \
	%D%/optimized.sh \
	%D%/python.sh \
	%D%/rust.sh
dist_check_SCRIPTS += $(client_tests)

check_PROGRAMS += %D%/models
%C%_models_CPPFLAGS = -I. $(AM_CPPFLAGS) -I$(srcdir)/tests -I$(srcdir)/tests/unit
%C%_models_SOURCES = %D%/models.c tests/ort/adapter_writer.h tests/unit/support/proto_writer.h

EXTRA_DIST += \
	%D%/Everything.java \
	%D%/ctypes_module.py \
	%D%/cxx/cxx.h \
	%D%/cxx/env.cc \
	%D%/cxx/graph.cc \
	%D%/cxx/main.cc \
	%D%/cxx/operators.cc \
	%D%/cxx/session.cc \
	%D%/cxx/values.cc \
	%D%/known.txt \
	%D%/lib.sh \
	%D%/mnist_5.jpg \
	%D%/node.js \
	%D%/python.py \
	%D%/table.sh \
	%D%/summarize.awk

# Fails too if docs/onnxruntime.md tells of other results.
check-clients: all
	@rm -f %D%/*.tsv
	@$(MAKE) check TESTS='$(client_tests)' check_PROGRAMS=%D%/models check_LTLIBRARIES=
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/%D%/table.sh --check

# Writes the last results into docs/onnxruntime.md.
update-clients:
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/%D%/table.sh --write
.PHONY: check-clients update-clients
