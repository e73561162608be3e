/* SPDX-License-Identifier: MIT */
/* tune_file.h - what autotune measured, in files of the folder that option autotune_cache names. */
#ifndef BP_DNNL_TUNE_FILE_H
#define BP_DNNL_TUNE_FILE_H

#include <bp/sdk.h>
#include <stdbool.h>

struct bp_dnnl_conv_choice;

/*
 * Loads what a process saved for this program, choice->shapes and the number of threads of the
 * team, which is entered: true sets the rest of choice. False: there is no folder or file, or one
 * that is damaged or was made with another processor or library, which is logged; choice may hold
 * anything.
 */
bool bp_dnnl_load_choice(const bp_program *program, struct bp_dnnl_conv_choice *choice);
/* Saves it, if there is a folder to save it in. A failure is logged and changes nothing else. */
void bp_dnnl_save_choice(const bp_program *program, const struct bp_dnnl_conv_choice *choice);

#endif
