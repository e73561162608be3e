# SPDX-License-Identifier: MIT
# tests/kit/ - the conformance kit against good and broken plug-ins, and the road of a stranger.

kit_tests = \
	%D%/broken.sh \
	%D%/planted.sh \
	%D%/plugins.sh \
	%D%/sanitizers.sh \
	%D%/stranger.sh

dist_check_SCRIPTS += $(kit_tests)
EXTRA_DIST += %D%/broken.c %D%/broken_device.c %D%/planted.txt
TESTS += $(kit_tests)
