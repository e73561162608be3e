/* SPDX-License-Identifier: MIT */
/* group_onnx.h - the tests of the ONNX project that the user names. */
#ifndef BP_CHECK_GROUP_ONNX_H
#define BP_CHECK_GROUP_ONNX_H

#include "check/kit.h"

enum { KIT_ONNX_AT_ONCE = 24 /* tests in one process */ };

/* Finds the tests in a directory; once. False: there is none; standard error says why. */
bool kit_onnx_find(const char *dir);
uint32_t kit_onnx_count(void);
const char *kit_onnx_name(uint32_t i);
/* Prints the tests that the provider refuses, and those that the kit cannot run, each with the reason. */
void kit_onnx_list(struct kit *kit, bp_instance *instance);

#endif
