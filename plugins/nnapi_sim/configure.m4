# SPDX-License-Identifier: MIT
# Two parts: the simulated runtime, which needs nothing, and the provider, which opens that or
# Android's by name and so needs neither to be built.

AC_ARG_ENABLE([neuralnetworks-sim],
    [AS_HELP_STRING([--enable-neuralnetworks-sim],
        [build the simulated Neural Networks runtime of Android (default: yes)])],
    [], [enable_neuralnetworks_sim=yes])
AM_CONDITIONAL([ENABLE_NEURALNETWORKS_SIM], [test "x$enable_neuralnetworks_sim" != xno])
AS_IF([test "x$enable_neuralnetworks_sim" != xno],
    [bp_nnapi_line="its simulated runtime too"],
    [bp_nnapi_line="its simulated runtime switched off"])
BP_PROVIDER([nnapi_sim], [Android's Neural Networks API or its simulator],
    [bp_found=$bp_nnapi_line])
AS_IF([test ! -f "$srcdir/plugins/nnapi_sim/provider.c" && test "x$enable_neuralnetworks_sim" != xno],
    [AS_VAR_APPEND([bp_summary], [" (its simulated runtime is built)"])])
AC_CONFIG_FILES([plugins/nnapi_sim/backplane-neuralnetworks-sim.pc])
