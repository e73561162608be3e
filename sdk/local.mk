# SPDX-License-Identifier: MIT
# sdk/ - the headers we install, and how pkg-config finds us.

include_HEADERS = \
	%D%/backplane.h

bpincludedir = $(includedir)/bp
bpinclude_HEADERS = \
	%D%/bp/abi.h \
	%D%/bp/arena.h \
	%D%/bp/einsum.h \
	%D%/bp/sdk.h

pkgconfig_DATA = \
	%D%/backplane.pc \
	%D%/backplane-sdk.pc
