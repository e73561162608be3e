# SPDX-License-Identifier: MIT
# plugins/ - the providers; one line each.

provider_cppflags = $(AM_CPPFLAGS) -I$(srcdir)/%D%
provider_ldflags = $(AM_LDFLAGS) -module -avoid-version -shared -no-undefined \
	-export-symbols-regex '^bp_provider_entry_v1$$' $(PROVIDER_LDFLAGS)

include %D%/common/local.mk
include %D%/cpu/local.mk
include %D%/dnnl/local.mk
include %D%/opencl/local.mk
include %D%/cann_sim/local.mk
include %D%/nnapi_sim/local.mk
