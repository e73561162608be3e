# SPDX-License-Identifier: MIT
# docs/ - man pages, the pages beside README.md, pictures.

dist_man_MANS += \
	%D%/backplane-check.1 \
	%D%/backplane-embed.1 \
	%D%/backplane-new.1 \
	%D%/backplane.1 \
	$(manual_pages) \
	%D%/bp-loader.7 \
	%D%/bp-options.7 \
	%D%/bp-provider.7

# The functions of the public headers, a page for each group.
manual_pages = \
	%D%/backplane.3 \
	%D%/bp_cache.3 \
	%D%/bp_env.3 \
	%D%/bp_env_provider.3 \
	%D%/bp_model.3 \
	%D%/bp_object.3 \
	%D%/bp_operators.3 \
	%D%/bp_profile.3 \
	%D%/bp_report.3 \
	%D%/bp_session.3 \
	%D%/bp_session_options.3 \
	%D%/bp_session_run.3 \
	%D%/bp_state.3 \
	%D%/bp_tensor.3

# Lines "PAGE FUNCTION" for each function that a page documents under another name than its own.
manual_links = cd $(srcdir) && awk '/^\.Sh/ { is_name = / NAME/ } \
	is_name && $$1 == ".Nm" { page = FILENAME; sub(/.*\//, "", page); \
	    if (page != $$2 ".3") print page, $$2 }' $(manual_pages)

# So that `man bp_session_trim` shows bp_session.3.
install-man-links:
	@$(MKDIR_P) "$(DESTDIR)$(man3dir)"
	@$(manual_links) | while read page name; do \
	    echo ".so man3/$$page" >"$(DESTDIR)$(man3dir)/$$name.3" || exit 1; \
	done
uninstall-man-links:
	@$(manual_links) | while read page name; do rm -f "$(DESTDIR)$(man3dir)/$$name.3"; done
install-data-hook: install-man-links
uninstall-hook: uninstall-man-links
.PHONY: install-man-links uninstall-man-links

# What the pages have from the headers: prototypes, types and what the comments say. tests/docs/manual.sh says when
# it is due.
update-manual:
	BP_SRCDIR=$(srcdir) BP_BUILDDIR=. $(SHELL) $(srcdir)/tests/docs/manual.sh --write
.PHONY: update-manual

# Pages and what they show, in folders like those of the tree, so that links from one to the other work.
nobase_dist_doc_DATA += \
	CHANGELOG.md \
	CONTRIBUTING.md \
	LICENSE \
	README.md \
	%D%/abi-slots.md \
	%D%/applications.md \
	%D%/architecture.md \
	%D%/authors.md \
	%D%/mobile/reduced-builds.md \
	%D%/compatibility.md \
	%D%/compiled-models.md \
	%D%/digits-plan.svg \
	%D%/loader.md \
	%D%/memory.tsv \
	%D%/onnxruntime.md \
	%D%/operators.md \
	%D%/parts.svg \
	%D%/passes.md \
	%D%/performance.md \
	%D%/performance.svg \
	%D%/performance.tsv \
	%D%/proofs.md \
	plugins/cann_sim/README.md \
	plugins/cpu/README.md \
	plugins/dnnl/README.md \
	plugins/nnapi_sim/README.md \
	plugins/nnapi_sim/driver/README.md \
	plugins/nnapi_sim/operators.md \
	plugins/opencl/README.md \
	plugins/opencl/plan.svg \
	plugins/opencl/speed.svg \
	plugins/opencl/operators.md
EXTRA_DIST += %D%/parts.dot

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
	%D%/schema/optimize.schema.json \
	%D%/schema/profile.schema.json \
	%D%/schema/provider.schema.json \
	%D%/schema/providers.schema.json \
	%D%/schema/report.schema.json \
	%D%/schema/run.schema.json \
	%D%/schema/tune.schema.json \
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
	if ./run-in-tree tools/backplane providers info opencl --markdown >operators.md.new; then \
	    mv operators.md.new $(srcdir)/plugins/opencl/operators.md; \
	else rm operators.md.new; echo "plugins/opencl/operators.md stays as it is: no OpenCL device"; fi
	if ./run-in-tree tools/backplane providers info nnapi --markdown >operators.md.new; then \
	    mv operators.md.new $(srcdir)/plugins/nnapi_sim/operators.md; \
	else rm operators.md.new; echo "plugins/nnapi_sim/operators.md stays as it is: no runtime"; fi
.PHONY: update-operators

# The table of passes, from runtime/optimize/passes.c. tests/cli/passes.sh says when it is due.
update-passes: tests/unit/optimize/print_passes$(EXEEXT)
	BP_SRCDIR=$(srcdir) BP_BUILDDIR=. $(SHELL) $(srcdir)/tests/cli/passes.sh --write
.PHONY: update-passes

# The picture in README.md, drawn by Graphviz.
update-pictures:
	dot -Tsvg -o $(srcdir)/docs/parts.svg $(srcdir)/docs/parts.dot
.PHONY: update-pictures
