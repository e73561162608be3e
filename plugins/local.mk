# SPDX-License-Identifier: MIT
# plugins/ - the providers; one line each.

provider_cppflags = $(AM_CPPFLAGS) -I$(srcdir)/%D%
provider_ldflags = $(AM_LDFLAGS) -module -avoid-version $(PLUGIN_SHARED) -no-undefined \
	-export-symbols-regex '^bp_provider_entry_v1$$' $(PROVIDER_LDFLAGS)

# A plug-in is an object file too, to be linked into a program: plugins/static/libbp-NAME.o.
embed = LD='$(LD)' NM='$(NM)' OBJCOPY='$(OBJCOPY)' $(SHELL) tools/backplane-embed

include %D%/common/local.mk
include %D%/cpu/local.mk
include %D%/dnnl/local.mk
include %D%/opencl/local.mk
include %D%/cann_sim/local.mk
include %D%/nnapi_sim/local.mk
