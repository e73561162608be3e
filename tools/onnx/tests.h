/* SPDX-License-Identifier: MIT */
/* tests.h - finds test data in the layout of the ONNX project: directories that hold a model.onnx. */
#ifndef BP_TOOLS_ONNX_TESTS_H
#define BP_TOOLS_ONNX_TESTS_H

/* Called with each test's directory, and its name: the path from the last part of what was named on. */
typedef void (*tests_fn)(void *user, const char *dir, const char *name);

/*
 * Calls fn for each test in a directory: the directory itself, or all below it in the order of their names
 * (that of bytes, in every locale). Below a test nothing is looked for. 0, or the errno of a directory that
 * cannot be read; *bad is then its path, the caller's to free().
 */
int tests_find(const char *dir, tests_fn fn, void *user, char **bad);

#endif
