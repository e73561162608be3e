# SPDX-License-Identifier: MIT
# The simulated driver needs nothing and is built by default. The provider has no sources yet; when
# it has, BP_PROVIDER decides about it as about the others, and this line about the driver alone.

AC_ARG_ENABLE([cann-sim],
    [AS_HELP_STRING([--enable-cann-sim], [build the simulated Ascend driver (default: yes)])],
    [], [enable_cann_sim=yes])
AM_CONDITIONAL([ENABLE_CANN_SIM], [test "x$enable_cann_sim" != xno])
AS_IF([test "x$enable_cann_sim" != xno],
    [bp_line="not built: no sources in this release; its simulated driver is"],
    [bp_line="switched off, with its simulated driver"])
AS_VAR_APPEND([bp_summary], ["
  provider cann_sim   $bp_line"])
AC_CONFIG_FILES([plugins/cann_sim/backplane-ascend-sim.pc])
