# SPDX-License-Identifier: MIT
# tests/mock/ - providers for tests, found by them in $BP_MOCK_DIR: an honest one, and ones with a fault
# each, which their names say.

mock_ldflags = $(AM_LDFLAGS) -module -avoid-version $(PLUGIN_SHARED) -rpath /nowhere
faulty_sources = %D%/faulty.c

check_LTLIBRARIES += %D%/libbp-few.la
%C%_libbp_few_la_CPPFLAGS = $(AM_CPPFLAGS)
%C%_libbp_few_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_few_la_SOURCES = %D%/few.c %D%/counters.h

check_LTLIBRARIES += %D%/libbp-needy.la
%C%_libbp_needy_la_CPPFLAGS = $(AM_CPPFLAGS) -DIS_EXCLUSIVE
%C%_libbp_needy_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_needy_la_SOURCES = %D%/few.c %D%/counters.h

check_LTLIBRARIES += %D%/libbp-keeper.la
%C%_libbp_keeper_la_CPPFLAGS = $(AM_CPPFLAGS) -DKEEPS_PROGRAMS
%C%_libbp_keeper_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_keeper_la_SOURCES = %D%/few.c %D%/counters.h

check_LTLIBRARIES += %D%/libbp-gadget.la
%C%_libbp_gadget_la_CPPFLAGS = $(AM_CPPFLAGS) -DHAS_DEVICES
%C%_libbp_gadget_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_gadget_la_SOURCES = %D%/few.c %D%/counters.h

check_LTLIBRARIES += %D%/libbp-guest.la
%C%_libbp_guest_la_CPPFLAGS = $(AM_CPPFLAGS) -DIS_UNLOADABLE
%C%_libbp_guest_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_guest_la_SOURCES = %D%/few.c %D%/counters.h

# Asks for what bp_claim, bp_frame_needs and bp_program_info let a provider ask for.
check_LTLIBRARIES += %D%/libbp-picky.la
%C%_libbp_picky_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
%C%_libbp_picky_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_picky_la_SOURCES = %D%/picky.c %D%/counters.h

# Providers with memory of their own, on a simulated accelerator.
# Libtool would warn of the archive, whose code is position-independent; the linker takes it as it is.
gizmo_sources = %D%/gizmo.c %D%/gizmo.h %D%/gizmo_group.c %D%/counters.h
gizmo_ldflags = $(mock_ldflags) -no-undefined -Wl,-z,now -Wl,sdk/libbp-sim.a

check_LTLIBRARIES += %D%/libbp-gizmo.la
%C%_libbp_gizmo_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
%C%_libbp_gizmo_la_LDFLAGS = $(gizmo_ldflags)
EXTRA_%C%_libbp_gizmo_la_DEPENDENCIES = sdk/libbp-sim.a
%C%_libbp_gizmo_la_LIBADD = $(PTHREAD_LIBS)
%C%_libbp_gizmo_la_SOURCES = $(gizmo_sources)

check_LTLIBRARIES += %D%/libbp-sprocket.la
%C%_libbp_sprocket_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE -DHAS_RUN_EVENTS
%C%_libbp_sprocket_la_LDFLAGS = $(gizmo_ldflags)
EXTRA_%C%_libbp_sprocket_la_DEPENDENCIES = sdk/libbp-sim.a
%C%_libbp_sprocket_la_LIBADD = $(PTHREAD_LIBS)
%C%_libbp_sprocket_la_SOURCES = $(gizmo_sources)

check_LTLIBRARIES += %D%/libbp-trinket.la
%C%_libbp_trinket_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE -DIS_EXCLUSIVE
%C%_libbp_trinket_la_LDFLAGS = $(gizmo_ldflags)
EXTRA_%C%_libbp_trinket_la_DEPENDENCIES = sdk/libbp-sim.a
%C%_libbp_trinket_la_LIBADD = $(PTHREAD_LIBS)
%C%_libbp_trinket_la_SOURCES = $(gizmo_sources)

check_LTLIBRARIES += %D%/libbp-widget.la
%C%_libbp_widget_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE -DIS_PROMPT
%C%_libbp_widget_la_LDFLAGS = $(gizmo_ldflags)
EXTRA_%C%_libbp_widget_la_DEPENDENCIES = sdk/libbp-sim.a
%C%_libbp_widget_la_LIBADD = $(PTHREAD_LIBS)
%C%_libbp_widget_la_SOURCES = $(gizmo_sources)

# Computes by the kit's references, and has the fault that BP_PLANTED names.
planted_sources = %D%/planted.c \
	tools/check/cases/channels_last.c \
	tools/check/cases/convolution.c \
	tools/check/cases/elements.c \
	tools/check/cases/elementwise.c \
	tools/check/cases/layout.c \
	tools/check/cases/quantized.c \
	tools/check/cases/reference.c \
	tools/check/cases/resize.c
check_LTLIBRARIES += %D%/libbp-planted.la
%C%_libbp_planted_la_CPPFLAGS = -I. $(AM_CPPFLAGS) -I$(srcdir)/tools -D_GNU_SOURCE
%C%_libbp_planted_la_LDFLAGS = $(mock_ldflags) -no-undefined -Wl,-z,now \
	-Wl,--version-script=$(srcdir)/sdk/provider.map
%C%_libbp_planted_la_LIBADD = $(MATH_LIBS)
%C%_libbp_planted_la_SOURCES = $(planted_sources)

# The same, with its data channels-last.
check_LTLIBRARIES += %D%/libbp-channelslast.la
%C%_libbp_channelslast_la_CPPFLAGS = -I. $(AM_CPPFLAGS) -I$(srcdir)/tools -D_GNU_SOURCE -DIS_CHANNELS_LAST
%C%_libbp_channelslast_la_LDFLAGS = $(mock_ldflags) -no-undefined -Wl,-z,now \
	-Wl,--version-script=$(srcdir)/sdk/provider.map
%C%_libbp_channelslast_la_LIBADD = $(MATH_LIBS)
%C%_libbp_channelslast_la_SOURCES = $(planted_sources)

check_LTLIBRARIES += %D%/libbp-mobile.la
%C%_libbp_mobile_la_CPPFLAGS = $(AM_CPPFLAGS)
%C%_libbp_mobile_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_mobile_la_SOURCES = %D%/mobile.c

# Providers that declare operators of their own, soundly or not.
native_sources = %D%/native.c

check_LTLIBRARIES += %D%/libbp-native.la
%C%_libbp_native_la_CPPFLAGS = $(AM_CPPFLAGS) -DDECLARES=SOUND -DMOCK_NAME='"native"'
%C%_libbp_native_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_native_la_SOURCES = $(native_sources)

check_LTLIBRARIES += %D%/libbp-twin.la
%C%_libbp_twin_la_CPPFLAGS = $(AM_CPPFLAGS) -DDECLARES=SOUND -DMOCK_NAME='"twin"'
%C%_libbp_twin_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_twin_la_SOURCES = $(native_sources)

check_LTLIBRARIES += %D%/libbp-rival.la
%C%_libbp_rival_la_CPPFLAGS = $(AM_CPPFLAGS) -DDECLARES=OTHER -DMOCK_NAME='"rival"'
%C%_libbp_rival_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_rival_la_SOURCES = $(native_sources)

check_LTLIBRARIES += %D%/libbp-usurper.la
%C%_libbp_usurper_la_CPPFLAGS = $(AM_CPPFLAGS) -DDECLARES=ONNX -DMOCK_NAME='"usurper"'
%C%_libbp_usurper_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_usurper_la_SOURCES = $(native_sources)

check_LTLIBRARIES += %D%/libbp-garbled.la
%C%_libbp_garbled_la_CPPFLAGS = $(AM_CPPFLAGS) -DDECLARES=GARBLED -DMOCK_NAME='"garbled"'
%C%_libbp_garbled_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_garbled_la_SOURCES = $(native_sources)

check_LTLIBRARIES += %D%/libbp-quoted.la
%C%_libbp_quoted_la_CPPFLAGS = $(AM_CPPFLAGS) -DDECLARES=QUOTED -DMOCK_NAME='"quoted"'
%C%_libbp_quoted_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_quoted_la_SOURCES = $(native_sources)

check_LTLIBRARIES += %D%/libbp-knowing.la
%C%_libbp_knowing_la_CPPFLAGS = $(AM_CPPFLAGS) -DDECLARES=KNOWN -DMOCK_NAME='"knowing"'
%C%_libbp_knowing_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_knowing_la_SOURCES = $(native_sources)

check_LTLIBRARIES += %D%/libbp-repeating.la
%C%_libbp_repeating_la_CPPFLAGS = $(AM_CPPFLAGS) -DDECLARES=TWICE -DMOCK_NAME='"repeating"'
%C%_libbp_repeating_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_repeating_la_SOURCES = $(native_sources)

check_LTLIBRARIES += %D%/libbp-stunted.la
%C%_libbp_stunted_la_CPPFLAGS = $(AM_CPPFLAGS) -DDECLARES=SHORT -DMOCK_NAME='"stunted"'
%C%_libbp_stunted_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_stunted_la_SOURCES = $(native_sources)

# Runs If and Loop whole; and one that is not shown their bodies.
check_LTLIBRARIES += %D%/libbp-brancher.la
%C%_libbp_brancher_la_CPPFLAGS = $(AM_CPPFLAGS) -DMOCK_NAME='"brancher"'
%C%_libbp_brancher_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_brancher_la_SOURCES = %D%/brancher.c

check_LTLIBRARIES += %D%/libbp-unshown.la
%C%_libbp_unshown_la_CPPFLAGS = $(AM_CPPFLAGS) -DIS_UNSHOWN -DMOCK_NAME='"unshown"'
%C%_libbp_unshown_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_unshown_la_SOURCES = %D%/brancher.c

# Wants its data channels-last.
check_LTLIBRARIES += %D%/libbp-nhwc.la
%C%_libbp_nhwc_la_CPPFLAGS = $(AM_CPPFLAGS)
%C%_libbp_nhwc_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_nhwc_la_SOURCES = %D%/nhwc.c

check_LTLIBRARIES += %D%/libbp-noentry.la
%C%_libbp_noentry_la_CPPFLAGS = $(AM_CPPFLAGS)
%C%_libbp_noentry_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_noentry_la_SOURCES = %D%/noentry.c

# Linked although a function is missing, which is the point.
check_LTLIBRARIES += %D%/libbp-undefined.la
%C%_libbp_undefined_la_CPPFLAGS = $(AM_CPPFLAGS)
%C%_libbp_undefined_la_LDFLAGS = $(mock_ldflags) -Wl,-z,undefs
%C%_libbp_undefined_la_SOURCES = %D%/undefined.c

check_LTLIBRARIES += %D%/libbp-absent.la
%C%_libbp_absent_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=ABSENT -DMOCK_NAME='"absent"'
%C%_libbp_absent_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_absent_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-refusing.la
%C%_libbp_refusing_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=REFUSING -DMOCK_NAME='"refusing"'
%C%_libbp_refusing_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_refusing_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-silent.la
%C%_libbp_silent_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=SILENT -DMOCK_NAME='"silent"'
%C%_libbp_silent_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_silent_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-major.la
%C%_libbp_major_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=MAJOR -DMOCK_NAME='"major"'
%C%_libbp_major_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_major_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-magic.la
%C%_libbp_magic_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=MAGIC -DMOCK_NAME='"magic"'
%C%_libbp_magic_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_magic_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-short.la
%C%_libbp_short_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=SHORT -DMOCK_NAME='"short"'
%C%_libbp_short_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_short_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-incomplete.la
%C%_libbp_incomplete_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=INCOMPLETE -DMOCK_NAME='"incomplete"'
%C%_libbp_incomplete_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_incomplete_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-critical.la
%C%_libbp_critical_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=CRITICAL -DMOCK_NAME='"critical"'
%C%_libbp_critical_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_critical_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-uncreated.la
%C%_libbp_uncreated_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=UNCREATED -DMOCK_NAME='"uncreated"'
%C%_libbp_uncreated_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_uncreated_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-wordless.la
%C%_libbp_wordless_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=WORDLESS -DMOCK_NAME='"wordless"'
%C%_libbp_wordless_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_wordless_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-empty.la
%C%_libbp_empty_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=EMPTY -DMOCK_NAME='"empty"'
%C%_libbp_empty_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_empty_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-speechless.la
%C%_libbp_speechless_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=SPEECHLESS -DMOCK_NAME='"speechless"'
%C%_libbp_speechless_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_speechless_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-beyond.la
%C%_libbp_beyond_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=BEYOND -DMOCK_NAME='"beyond"'
%C%_libbp_beyond_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_beyond_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-costly.la
%C%_libbp_costly_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=COSTLY -DMOCK_NAME='"costly"'
%C%_libbp_costly_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_costly_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-uncompiled.la
%C%_libbp_uncompiled_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=UNCOMPILED -DMOCK_NAME='"uncompiled"'
%C%_libbp_uncompiled_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_uncompiled_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-declining.la
%C%_libbp_declining_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=DECLINING -DMOCK_NAME='"declining"'
%C%_libbp_declining_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_declining_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-unframed.la
%C%_libbp_unframed_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=UNFRAMED -DMOCK_NAME='"unframed"'
%C%_libbp_unframed_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_unframed_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-unexecuted.la
%C%_libbp_unexecuted_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=UNEXECUTED -DMOCK_NAME='"unexecuted"'
%C%_libbp_unexecuted_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_unexecuted_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-pending.la
%C%_libbp_pending_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=PENDING -DMOCK_NAME='"pending"'
%C%_libbp_pending_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_pending_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-crashing.la
%C%_libbp_crashing_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=CRASHING -DMOCK_NAME='"crashing"'
%C%_libbp_crashing_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_crashing_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-endless.la
%C%_libbp_endless_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=ENDLESS -DMOCK_NAME='"endless"'
%C%_libbp_endless_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_endless_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-meddling.la
%C%_libbp_meddling_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=MEDDLING -DMOCK_NAME='"meddling"'
%C%_libbp_meddling_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_meddling_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-counting.la
%C%_libbp_counting_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=COUNTING -DMOCK_NAME='"counting"'
%C%_libbp_counting_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_counting_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-forgetful.la
%C%_libbp_forgetful_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=FORGETFUL -DMOCK_NAME='"forgetful"'
%C%_libbp_forgetful_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_forgetful_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-garbage.la
%C%_libbp_garbage_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=GARBAGE -DMOCK_NAME='"garbage"'
%C%_libbp_garbage_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_garbage_la_SOURCES = $(faulty_sources)

check_LTLIBRARIES += %D%/libbp-oversized.la
%C%_libbp_oversized_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAULT=OVERSIZED -DMOCK_NAME='"oversized"'
%C%_libbp_oversized_la_LDFLAGS = $(mock_ldflags) -no-undefined
%C%_libbp_oversized_la_SOURCES = $(faulty_sources)
