# SPDX-License-Identifier: MIT
# docs/ - man pages, the pages beside README.md, pictures.

dist_man_MANS += \
	%D%/backplane-check.1 \
	%D%/backplane-embed.1 \
	%D%/backplane-new.1 \
	%D%/backplane.1 \
	%D%/bp-loader.7 \
	%D%/bp-options.7 \
	%D%/bp-provider.7
dist_doc_DATA = %D%/applications.md %D%/authors.md
EXTRA_DIST += %D%/architecture.md %D%/compatibility.md %D%/compiled-models.md %D%/digits-plan.svg %D%/loader.md \
	%D%/onnxruntime.md \
	%D%/abi-slots.md %D%/memory.tsv %D%/operators.md %D%/parts.dot %D%/parts.svg %D%/passes.md \
	%D%/performance.md %D%/performance.svg %D%/performance.tsv %D%/proofs.md

# What the JSON of the programs looks like.
schemadir = $(pkgdatadir)/schema
dist_schema_DATA = \
	%D%/schema/bench-compare.schema.json \
	%D%/schema/bench.schema.json \
	%D%/schema/cache-clear.schema.json \
	%D%/schema/cache.schema.json \
	%D%/schema/check.schema.json \
	%D%/schema/conform.schema.json \
	%D%/schema/doctor.schema.json \
	%D%/schema/explanation.schema.json \
	%D%/schema/info.schema.json \
	%D%/schema/known-providers.schema.json \
	%D%/schema/profile.schema.json \
	%D%/schema/provider.schema.json \
	%D%/schema/providers.schema.json \
	%D%/schema/report.schema.json \
	%D%/schema/run.schema.json \
	%D%/schema/verify.schema.json

# What these have in common: a report in the output of a run, the words of the library.
# tests/cli/schemas.sh says when it is due.
update-schemas: tests/cli/print_names$(EXEEXT)
	BP_SRCDIR=$(srcdir) BP_BUILDDIR=. $(SHELL) $(srcdir)/tests/cli/schemas.sh --write
.PHONY: update-schemas

# What the CPU provider takes, asked of it, written into the source tree. tests/cli/operators.sh says
# when it is due.
update-operators: tools/backplane providers/stamp
	./run-in-tree tools/backplane providers info cpu --markdown >operators.md.new
	mv operators.md.new $(srcdir)/docs/operators.md
.PHONY: update-operators

# The table of passes, from runtime/optimize/passes.c. tests/cli/passes.sh says when it is due.
update-passes: tests/unit/optimize/print_passes$(EXEEXT)
	BP_SRCDIR=$(srcdir) BP_BUILDDIR=. $(SHELL) $(srcdir)/tests/cli/passes.sh --write
.PHONY: update-passes

# The picture in README.md, drawn by Graphviz.
update-pictures:
	dot -Tsvg -o $(srcdir)/docs/parts.svg $(srcdir)/docs/parts.dot
.PHONY: update-pictures
