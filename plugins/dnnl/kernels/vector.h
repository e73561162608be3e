/* SPDX-License-Identifier: MIT */
/*
 * vector.h - our own loops are compiled once for each vector width; the loader picks a clone by the
 * processor (GNU ifunc). GCC with optimisation only; else there is one version.
 */
#ifndef BP_DNNL_VECTOR_H
#define BP_DNNL_VECTOR_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#define VECTOR_LOOP __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define VECTOR_LOOP
#endif

#endif
