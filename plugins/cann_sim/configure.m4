# SPDX-License-Identifier: MIT
# Two parts: the simulated driver, which needs nothing, and the provider, which opens that or the
# vendor's by name and so needs neither to be built.

AC_ARG_ENABLE([ascend-sim],
    [AS_HELP_STRING([--enable-ascend-sim], [build the simulated Ascend driver (default: yes)])],
    [], [enable_ascend_sim=yes])
AM_CONDITIONAL([ENABLE_ASCEND_SIM], [test "x$enable_ascend_sim" != xno])
AS_IF([test "x$enable_ascend_sim" != xno],
    [bp_ascend_line="its simulated driver too"], [bp_ascend_line="its simulated driver switched off"])
BP_PROVIDER([cann_sim], [Ascend NPUs or their simulator], [bp_found=$bp_ascend_line])
AC_CONFIG_FILES([plugins/cann_sim/backplane-ascend-sim.pc])
