# SPDX-License-Identifier: MIT
# tests/differential/ - random graphs on this library and on ONNX Runtime.

# What `make check-differential` runs. It downloads packages, so `make check` does not.
differential_tests = \
	%D%/models.sh \
	%D%/random.sh
dist_check_SCRIPTS += $(differential_tests)

EXTRA_DIST += \
	%D%/drive.py \
	%D%/graphs.py \
	%D%/compare.py \
	%D%/known.tsv \
	%D%/lib.sh \
	%D%/models.py \
	%D%/models.tsv \
	%D%/operators.py

# SEED= and COUNT= choose other graphs.
check-differential: all
	@SEED='$(SEED)' COUNT='$(COUNT)' $(MAKE) check TESTS='$(differential_tests)' check_PROGRAMS= check_LTLIBRARIES=
.PHONY: check-differential
