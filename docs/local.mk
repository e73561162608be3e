# SPDX-License-Identifier: MIT
# docs/ - the man page, how it is built, pictures.

dist_man_MANS += %D%/backplane.1
EXTRA_DIST += %D%/architecture.md %D%/digits-plan.svg %D%/loader.md \
	%D%/onnxruntime.md %D%/operators.md

# What the CPU provider takes, asked of it, written into the source tree. tests/cli/operators.sh says
# when it is due.
update-operators: tools/backplane providers/stamp
	./run-in-tree tools/backplane providers info cpu --markdown >operators.md.new
	mv operators.md.new $(srcdir)/docs/operators.md
.PHONY: update-operators
