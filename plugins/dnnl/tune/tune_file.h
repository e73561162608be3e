/* SPDX-License-Identifier: MIT */
/* tune_file.h - what autotune measured, in files of the folder that option autotune_cache names. */
#ifndef BP_DNNL_TUNE_FILE_H
#define BP_DNNL_TUNE_FILE_H

#include "onednn.h"

/*
 * What a process kept for this program, ways->shapes and the team's number of threads, which is
 * entered: true sets the rest of ways. False: there is no folder or file, or one that is damaged or was
 * made with another processor or library, which is logged; ways may hold anything then.
 */
bool bp_dnnl_load_choice(const bp_program *program, struct bp_dnnl_conv_choice *choice);
/* Keeps them, if there is a folder to keep them in. What goes wrong is logged and changes nothing. */
void bp_dnnl_save_choice(const bp_program *program, const struct bp_dnnl_conv_choice *choice);

#endif
