/* SPDX-License-Identifier: MIT */
/* model.h - one of ONNX's own tests as a case of the kit: a model of one node, its inputs, its output. */
#ifndef BP_CHECK_ONNX_MODEL_H
#define BP_CHECK_ONNX_MODEL_H

#include "check/cases/case.h"

struct kit_onnx {
    struct kit_case c;
    char why[96]; /* why the kit cannot run the test; "": it can */
    void **kept;  /* what the case points to */
    size_t n_kept;
};

/*
 * Reads DIR/model.onnx with the data of DIR/test_data_set_0. The case's name is `name`, which stays the
 * caller's. *out is to be finished with kit_onnx_finish(), whatever came of it.
 */
void kit_onnx_read(const char *dir, const char *name, struct kit_onnx *out);
void kit_onnx_finish(struct kit_onnx *onnx);

#endif
