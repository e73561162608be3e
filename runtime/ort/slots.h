/* SPDX-License-Identifier: MIT */
/*
 * slots.h - declares a function for every slot of every table: ort_Run for OrtApi's Run.
 *
 * Types come from the tables themselves, so a function that does not fit its slot does not compile,
 * and a slot without a function does not link.
 */
#ifndef BP_ORT_SLOTS_H
#define BP_ORT_SLOTS_H

#include <onnxruntime/onnxruntime_c_api.h>

#define SLOT(name) __typeof__(*((OrtApi *)0)->name) ort_##name;
#include "ort/slots_api.inc"
#undef SLOT
#define SLOT(name) __typeof__(*((OrtEpApi *)0)->name) ort_ep_##name;
#include "ort/slots_ep.inc"
#undef SLOT
#define SLOT(name) __typeof__(*((OrtModelEditorApi *)0)->name) ort_editor_##name;
#include "ort/slots_editor.inc"
#undef SLOT
#define SLOT(name) __typeof__(*((OrtCompileApi *)0)->name) ort_compile_##name;
#include "ort/slots_compile.inc"
#undef SLOT
#define SLOT(name) __typeof__(*((OrtInteropApi *)0)->name) ort_interop_##name;
#include "ort/slots_interop.inc"
#undef SLOT

#endif
