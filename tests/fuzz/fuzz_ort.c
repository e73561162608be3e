/* SPDX-License-Identifier: MIT */
/*
 * fuzz_ort.c - the reader of ONNX Runtime's own format: bytes become a graph or an error with
 * words, and what has become a graph can be written and read again.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "model/onnx.h"
#include "ort_models.h"
#include "support/model_bytes.h"

const size_t bp_fuzz_max_size = 4096;

/* `words` are those of the last error. */
static void must(bool holds, const char *words)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold; the last words: '%s'\n", words);
    abort();
}

/* ---- what is written ------------------------------------------------------------------------- */

static struct pw saved; /* kept from input to input */

static void try_save(const struct bp_onnx *onnx)
{
    bp_model_sink sink = {.struct_size = sizeof sink,
                          .user = &saved,
                          .write = ort_write_part,
                          .format = BP_MODEL_FORMAT_ORT};
    char text[512] = "";
    bp_err err = bp_err_init(text, sizeof text);
    struct bp_onnx *again = NULL;
    bp_rc rc;

    saved.size = 0;
    rc = bp_onnx_save(onnx, &sink, &err);
    must(rc == BP_OK || (rc < 0 && text[0]), text);
    if (rc < 0)
        return;
    rc = model_open_bytes(saved.data, saved.size, NULL, &again, &err);
    must(rc == BP_OK, text);
    bp_onnx_unref(again);
}

/* ---- what is read ---------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[512] = "";
    bp_err err = bp_err_init(text, sizeof text);
    struct bp_symbols symbols = {0};
    struct bp_region region = {0};
    struct bp_onnx *onnx = NULL;
    struct bp_ir *ir = NULL;
    bp_rc rc = model_open_bytes(data, size, NULL, &onnx, &err);

    must(rc == BP_OK || (rc < 0 && text[0] && !onnx), text);
    if (rc == BP_OK) {
        rc = bp_onnx_graph(onnx, NULL, &region, &symbols, &ir, &err);
        must(rc == BP_OK || (rc < 0 && text[0] && !ir), text);
    }
    if (rc == BP_OK)
        try_save(onnx);
    bp_ir_finish(ir);
    bp_region_finish(&region);
    bp_symbols_finish(&symbols);
    bp_onnx_unref(onnx);
    return 0;
}

/* ---- seeds ----------------------------------------------------------------------------------- */

/* A model of each kind, then one with what only ONNX Runtime writes. */
size_t bp_fuzz_seed(uint32_t i, uint8_t **bytes)
{
    const struct ort_hand hand = {.external = -1,
                                  .index_dtype = BP_DTYPE_I16,
                                  .indices = "\1\0\7\1",
                                  .index_bytes = 4,
                                  .n_records = 2};
    struct pw model = {0}, file = {0};
    char text[512];
    bp_err err = bp_err_init(text, sizeof text);

    if (i < ORT_WRITERS) {
        ort_writers[i](&model);
        must(ort_convert(&model, &file, &err) == BP_OK, text);
    } else if (i == ORT_WRITERS) {
        must(ort_write_by_hand(&hand, &file, &err) == BP_OK, text);
    }
    pw_free(&model);
    *bytes = file.data;
    return file.size;
}
