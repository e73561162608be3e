/* SPDX-License-Identifier: MIT */
/*
 * versions.h - an exported function under the symbol version of every release of ONNX Runtime.
 *
 * A linked program asks for the symbol of the release that it was linked with, VERS_1.22.0. The
 * newest is the default and comes from libonnxruntime.map, which names the same releases.
 */
#ifndef BP_ORT_VERSIONS_H
#define BP_ORT_VERSIONS_H

#ifdef BP_ORT_SYMBOL_VERSIONS
#define ORT_VERSION(function, tag, release)                                                        \
    extern __typeof__(function) function##_##tag                                                   \
        __attribute__((alias(#function), visibility("default")));                                  \
    __asm__(".symver " #function "_" #tag "," #function "@VERS_" release);
#else
#define ORT_VERSION(function, tag, release)
#endif

#define ORT_VERSIONS(function)                                                                     \
    ORT_VERSION(function, 17_0, "1.17.0")                                                          \
    ORT_VERSION(function, 17_1, "1.17.1")                                                          \
    ORT_VERSION(function, 17_2, "1.17.2")                                                          \
    ORT_VERSION(function, 17_3, "1.17.3")                                                          \
    ORT_VERSION(function, 18_0, "1.18.0")                                                          \
    ORT_VERSION(function, 18_1, "1.18.1")                                                          \
    ORT_VERSION(function, 18_2, "1.18.2")                                                          \
    ORT_VERSION(function, 18_3, "1.18.3")                                                          \
    ORT_VERSION(function, 19_0, "1.19.0")                                                          \
    ORT_VERSION(function, 19_1, "1.19.1")                                                          \
    ORT_VERSION(function, 19_2, "1.19.2")                                                          \
    ORT_VERSION(function, 19_3, "1.19.3")                                                          \
    ORT_VERSION(function, 20_0, "1.20.0")                                                          \
    ORT_VERSION(function, 20_1, "1.20.1")                                                          \
    ORT_VERSION(function, 20_2, "1.20.2")                                                          \
    ORT_VERSION(function, 20_3, "1.20.3")                                                          \
    ORT_VERSION(function, 21_0, "1.21.0")                                                          \
    ORT_VERSION(function, 21_1, "1.21.1")                                                          \
    ORT_VERSION(function, 21_2, "1.21.2")                                                          \
    ORT_VERSION(function, 21_3, "1.21.3")                                                          \
    ORT_VERSION(function, 22_0, "1.22.0")                                                          \
    ORT_VERSION(function, 22_1, "1.22.1")                                                          \
    ORT_VERSION(function, 22_2, "1.22.2")                                                          \
    ORT_VERSION(function, 22_3, "1.22.3")                                                          \
    ORT_VERSION(function, 23_0, "1.23.0")                                                          \
    ORT_VERSION(function, 23_1, "1.23.1")                                                          \
    ORT_VERSION(function, 23_2, "1.23.2")                                                          \
    ORT_VERSION(function, 23_3, "1.23.3")                                                          \
    ORT_VERSION(function, 24_0, "1.24.0")                                                          \
    ORT_VERSION(function, 24_1, "1.24.1")                                                          \
    ORT_VERSION(function, 24_2, "1.24.2")                                                          \
    ORT_VERSION(function, 24_3, "1.24.3")                                                          \
    ORT_VERSION(function, 25_0, "1.25.0")                                                          \
    ORT_VERSION(function, 25_1, "1.25.1")                                                          \
    ORT_VERSION(function, 25_2, "1.25.2")                                                          \
    ORT_VERSION(function, 25_3, "1.25.3")                                                          \
    ORT_VERSION(function, 26_0, "1.26.0")                                                          \
    ORT_VERSION(function, 26_1, "1.26.1")                                                          \
    ORT_VERSION(function, 26_2, "1.26.2")                                                          \
    ORT_VERSION(function, 26_3, "1.26.3")                                                          \
    ORT_VERSION(function, 27_0, "1.27.0")                                                          \
    ORT_VERSION(function, 27_1, "1.27.1")                                                          \
    ORT_VERSION(function, 27_2, "1.27.2")                                                          \
    ORT_VERSION(function, 27_3, "1.27.3")                                                          \
    ORT_VERSION(function, 28_0, "1.28.0")                                                          \
    ORT_VERSION(function, 28_1, "1.28.1")                                                          \
    ORT_VERSION(function, 28_2, "1.28.2")                                                          \
    ORT_VERSION(function, 28_3, "1.28.3")                                                          \
    ORT_VERSION(function, 29_0, "1.29.0")                                                          \
    ORT_VERSION(function, 29_1, "1.29.1")                                                          \
    ORT_VERSION(function, 29_2, "1.29.2")                                                          \
    ORT_VERSION(function, 29_3, "1.29.3")

#endif
