/* SPDX-License-Identifier: MIT */
/*
 * context.h - programs as parts of a model, in nodes EPContext: read out of one, and saved for one.
 *
 * The bytes are those of a file of the cache (cache/store.h), so that they name who saved them and
 * have a checksum. Only the provider that compiled such a program can run the node: what
 * cannot be loaded is an error, and never compiled in secret.
 */
#ifndef BP_COMPILE_CONTEXT_H
#define BP_COMPILE_CONTEXT_H

#include "compile/make_program.h"

struct bp_onnx;
struct bp_ir_node;

/* A program that was saved for a model. Start from {0}. */
struct bp_saved_program {
    uint8_t *bytes; /* to free(); NULL: none */
    size_t size;
    char hash[BP_SHA256_TEXT]; /* of the program alone: equal programs are equal files */
};

/*
 * Loads the program of a node EPContext, which is all of `graph`; what->flags is set here. onnx: the
 * model, in whose directory the file of a node with embed_mode=0 lies. BP_E_INVALID: an attribute is
 * missing or wrong, or the file's name leads out of that directory. BP_E_IO: the file cannot be read.
 * BP_E_STALE: the program is damaged, of another version or another provider's. BP_E_UNSUPPORTED, BP_E_NOMEM,
 * or as bp_provider.load fails; the message names node, provider, driver and the way out.
 */
bp_rc bp_context_load(const struct bp_onnx *onnx, const struct bp_ir_node *node,
                      const struct bp_active *active, const bp_graph *graph, bp_compile *what,
                      bp_program **out, struct bp_program_origin *origin, bp_err *err) BP_CHECKED;

/* Can programs of the provider be parts of a model? */
bool bp_context_can_save(const bp_provider *provider);
/*
 * Saves a program that was compiled with BP_COMPILE_SAVE. model: its path, for people. BP_E_NOMEM, or as
 * bp_provider.save fails.
 */
bp_rc bp_context_save(const struct bp_active *active, bp_program *program, const bp_compile *what,
                      const char *model, struct bp_saved_program *out, bp_err *err) BP_CHECKED;

#endif
