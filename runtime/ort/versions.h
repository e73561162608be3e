/* SPDX-License-Identifier: MIT */
/*
 * versions.h - exports a function under the symbol version of every release of ONNX Runtime.
 *
 * A linked program asks for the symbol of the release that it was linked with, VERS_1.22.0; all others
 * get the newest. libonnxruntime.map names the same releases.
 */
#ifndef BP_ORT_VERSIONS_H
#define BP_ORT_VERSIONS_H

#define ORT_ALIAS(name, function)                                                                  \
    extern __typeof__(function) name __attribute__((alias(#function), visibility("default")));

#ifdef BP_ORT_SYMBOL_VERSIONS
#define ORT_VERSION(name, function, tag, release)                                                  \
    ORT_ALIAS(function##_##tag, function)                                                          \
    __asm__(".symver " #function "_" #tag "," #name "@" release);

/* Exports `function`, which has a name of its own, as `name`. */
#define ORT_VERSIONS(name, function)                                                               \
    ORT_VERSION(name, function, 17_0, "VERS_1.17.0")                                               \
    ORT_VERSION(name, function, 17_1, "VERS_1.17.1")                                               \
    ORT_VERSION(name, function, 17_2, "VERS_1.17.2")                                               \
    ORT_VERSION(name, function, 17_3, "VERS_1.17.3")                                               \
    ORT_VERSION(name, function, 18_0, "VERS_1.18.0")                                               \
    ORT_VERSION(name, function, 18_1, "VERS_1.18.1")                                               \
    ORT_VERSION(name, function, 18_2, "VERS_1.18.2")                                               \
    ORT_VERSION(name, function, 18_3, "VERS_1.18.3")                                               \
    ORT_VERSION(name, function, 19_0, "VERS_1.19.0")                                               \
    ORT_VERSION(name, function, 19_1, "VERS_1.19.1")                                               \
    ORT_VERSION(name, function, 19_2, "VERS_1.19.2")                                               \
    ORT_VERSION(name, function, 19_3, "VERS_1.19.3")                                               \
    ORT_VERSION(name, function, 20_0, "VERS_1.20.0")                                               \
    ORT_VERSION(name, function, 20_1, "VERS_1.20.1")                                               \
    ORT_VERSION(name, function, 20_2, "VERS_1.20.2")                                               \
    ORT_VERSION(name, function, 20_3, "VERS_1.20.3")                                               \
    ORT_VERSION(name, function, 21_0, "VERS_1.21.0")                                               \
    ORT_VERSION(name, function, 21_1, "VERS_1.21.1")                                               \
    ORT_VERSION(name, function, 21_2, "VERS_1.21.2")                                               \
    ORT_VERSION(name, function, 21_3, "VERS_1.21.3")                                               \
    ORT_VERSION(name, function, 22_0, "VERS_1.22.0")                                               \
    ORT_VERSION(name, function, 22_1, "VERS_1.22.1")                                               \
    ORT_VERSION(name, function, 22_2, "VERS_1.22.2")                                               \
    ORT_VERSION(name, function, 22_3, "VERS_1.22.3")                                               \
    ORT_VERSION(name, function, 23_0, "VERS_1.23.0")                                               \
    ORT_VERSION(name, function, 23_1, "VERS_1.23.1")                                               \
    ORT_VERSION(name, function, 23_2, "VERS_1.23.2")                                               \
    ORT_VERSION(name, function, 23_3, "VERS_1.23.3")                                               \
    ORT_VERSION(name, function, 24_0, "VERS_1.24.0")                                               \
    ORT_VERSION(name, function, 24_1, "VERS_1.24.1")                                               \
    ORT_VERSION(name, function, 24_2, "VERS_1.24.2")                                               \
    ORT_VERSION(name, function, 24_3, "VERS_1.24.3")                                               \
    ORT_VERSION(name, function, 25_0, "VERS_1.25.0")                                               \
    ORT_VERSION(name, function, 25_1, "VERS_1.25.1")                                               \
    ORT_VERSION(name, function, 25_2, "VERS_1.25.2")                                               \
    ORT_VERSION(name, function, 25_3, "VERS_1.25.3")                                               \
    ORT_VERSION(name, function, 26_0, "VERS_1.26.0")                                               \
    ORT_VERSION(name, function, 26_1, "VERS_1.26.1")                                               \
    ORT_VERSION(name, function, 26_2, "VERS_1.26.2")                                               \
    ORT_VERSION(name, function, 26_3, "VERS_1.26.3")                                               \
    ORT_VERSION(name, function, 27_0, "VERS_1.27.0")                                               \
    ORT_VERSION(name, function, 27_1, "VERS_1.27.1")                                               \
    ORT_VERSION(name, function, 27_2, "VERS_1.27.2")                                               \
    ORT_VERSION(name, function, 27_3, "VERS_1.27.3")                                               \
    ORT_VERSION(name, function, 28_0, "VERS_1.28.0")                                               \
    ORT_VERSION(name, function, 28_1, "VERS_1.28.1")                                               \
    ORT_VERSION(name, function, 28_2, "VERS_1.28.2")                                               \
    ORT_VERSION(name, function, 28_3, "VERS_1.28.3")                                               \
    ORT_VERSION(name, function, 29_0, "VERS_1.29.0")                                               \
    ORT_VERSION(name, function, 29_1, "VERS_1.29.1")                                               \
    ORT_VERSION(name, function, 29_2, "VERS_1.29.2")                                               \
    ORT_VERSION(name, function, 29_3, "VERS_1.29.3")                                               \
    ORT_VERSION(name, function, 30_0, "@VERS_1.30.0")
#else
#define ORT_VERSIONS(name, function) ORT_ALIAS(name, function)
#endif

#endif
