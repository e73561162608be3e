# SPDX-License-Identifier: MIT
# tests/proofs/ - the ten proofs of docs/proofs.md: `make prove`, or one of them by its name. They print
# their figures, and promises in milliseconds count as they are written, so a quiet machine is needed.
# `make check` runs the same tests with limits that only fail where something is wrong by far.

check_LTLIBRARIES += %D%/peer_ep.la
check_PROGRAMS += %D%/exits %D%/hotpath %D%/hotpath_peer %D%/raised
dist_check_SCRIPTS += %D%/attacks.sh %D%/cited.sh
TESTS += %D%/attacks.sh %D%/cited.sh %D%/exits %D%/hotpath

%C%_exits_CPPFLAGS = -I. -I$(srcdir)/tests -I$(srcdir)/tests/unit $(AM_CPPFLAGS)
%C%_exits_LDADD = runtime/libbackplane.la $(PTHREAD_LIBS)
%C%_exits_SOURCES = %D%/exits.c

%C%_hotpath_CPPFLAGS = -I. -I$(srcdir)/tests -I$(srcdir)/tests/unit $(AM_CPPFLAGS)
%C%_hotpath_LDADD = runtime/libbackplane.la
%C%_hotpath_SOURCES = %D%/hotpath.c %D%/hotpath.h tests/unit/support/count_alloc.c tests/unit/support/count_alloc.h

%C%_hotpath_peer_CPPFLAGS = -I. -I$(srcdir)/tests -I$(srcdir)/tests/unit -I$(srcdir)/sdk/onnxruntime $(AM_CPPFLAGS)
%C%_hotpath_peer_LDADD = $(DL_LIBS)
%C%_hotpath_peer_SOURCES = %D%/hotpath.h %D%/hotpath_peer.c %D%/peer_ep.h tests/unit/support/count_alloc.c \
	tests/unit/support/count_alloc.h

%C%_peer_ep_la_CPPFLAGS = $(%C%_hotpath_peer_CPPFLAGS)
%C%_peer_ep_la_LDFLAGS = $(mock_ldflags) -export-symbols-regex '^(Create|Release)Ep|^peer_ep'
%C%_peer_ep_la_SOURCES = %D%/hotpath.h %D%/peer_ep.c %D%/peer_ep.h

%C%_raised_CPPFLAGS = -I. $(AM_CPPFLAGS)
%C%_raised_LDADD = runtime/libbackplane-core.la $(runtime_libs)
%C%_raised_SOURCES = %D%/raised.c

prove_targets = \
	prove-skew \
	prove-zoo \
	prove-missing \
	prove-listing \
	prove-hotpath \
	prove-fallback \
	prove-partition \
	prove-exit \
	prove-attack \
	prove-stranger

# One after the other: they measure time.
prove:
	@failed=; \
	for target in $(prove_targets); do \
	    echo "== $$target"; \
	    $(MAKE) -s "$$target" || failed="$$failed $$target"; \
	done; \
	test -z "$$failed" || { echo "make prove: failed:$$failed" >&2; exit 1; }
	@echo "make prove: all hold"

prove_env = $(AM_TESTS_ENVIRONMENT) BP_LIMITS=strict; export BP_LIMITS;
prove_ready = all $(check_LTLIBRARIES)

prove-skew: $(prove_ready) tests/abi/skew
	@$(prove_env) $(SHELL) $(srcdir)/tests/abi/skew.sh
prove-zoo: $(prove_ready) tests/unit/host/check_probe
	@$(prove_env) CK_RUN_CASE=zoo tests/unit/host/check_probe
prove-missing: $(prove_ready) tests/unit/host/check_loader
	@$(prove_env) CK_RUN_CASE=missing tests/unit/host/check_loader
# in the process itself, as the memory of a fork is slow at first
prove-listing: $(prove_ready) tests/unit/host/check_loader
	@$(prove_env) CK_FORK=no CK_RUN_CASE=many tests/unit/host/check_loader
# BENCH_PEER=.../libonnxruntime.so: the same loop through its plug-in interface, beside ours
prove-hotpath: $(prove_ready) tests/proofs/hotpath tests/proofs/hotpath_peer
	@$(prove_env) tests/proofs/hotpath && { test -z "$(BENCH_PEER)" || \
		tests/proofs/hotpath_peer "$(BENCH_PEER)" $(abs_builddir)/tests/proofs/.libs/peer_ep.so; }
prove-fallback: $(prove_ready) tests/unit/host/check_provider_stages tests/unit/host/check_policy
	@$(prove_env) tests/unit/host/check_provider_stages && CK_RUN_CASE=policy tests/unit/host/check_policy
prove-partition: $(prove_ready) tests/unit/host/check_policy
	@$(prove_env) CK_RUN_CASE=explaining tests/unit/host/check_policy && $(SHELL) $(srcdir)/tests/cli/doctor.sh && \
	echo "partition: explained alike by 100 environments and 100 processes, directories shuffled"
prove-exit: $(prove_ready) tests/proofs/exits
	@$(prove_env) tests/proofs/exits
prove-attack: $(prove_ready) tests/proofs/raised
	@$(prove_env) $(SHELL) $(srcdir)/tests/proofs/attacks.sh
prove-stranger: $(prove_ready)
	@$(prove_env) $(SHELL) $(srcdir)/tests/kit/stranger.sh
.PHONY: prove $(prove_targets)
