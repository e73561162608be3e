/* SPDX-License-Identifier: MIT */
/*
 * save.c - programs as bytes: the offline model of a group, as ACL's builder made it, so that loading
 * takes none of the time of compiling.
 *
 * Integers have 8 bytes, the lowest first. A blob is the magic, the hash that names the group, the
 * model's shapes after their length, and the model after its length; nothing follows.
 */

#include "model.h"

#define MAGIC "BPCANN1"

/* A blob that is read; its origin is unknown. After a failure all that is read is empty. */
struct reader {
    const unsigned char *data;
    size_t size, at;
    bool failed;
};

static bool put_u64(const bp_sink *sink, uint64_t value, bp_rc *rc)
{
    unsigned char bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
    if (*rc >= 0)
        *rc = sink->write(sink->h, bytes, sizeof bytes);
    return *rc >= 0;
}

static void put_block(const bp_sink *sink, const struct bp_cann_buffer *block, bp_rc *rc)
{
    if (put_u64(sink, block->size, rc) && block->size > 0)
        *rc = sink->write(sink->h, block->data, block->size);
}

/* What is there to save, or why nothing is. */
static bp_rc find_model(const bp_program *program, const struct bp_cann_model **out, bp_err *err)
{
    if (!program->models)
        return bp_fail(err, BP_E_UNSUPPORTED,
                       "cann: operators are called one by one; only graph mode "
                       "(enable_cann_graph=1) has programs to save");
    *out = bp_cann_models_first(program);
    if (!*out)
        return bp_fail(err, BP_E_UNSUPPORTED,
                       "cann: the group's shapes are known only in a run, so nothing is built yet");
    if ((*out)->bytes.failed)
        return bp_fail(err, BP_E_NOMEM, "cann: no memory for the bytes of a model");
    if ((*out)->bytes.size == 0)
        return bp_fail(err, BP_E_UNSUPPORTED,
                       "cann: the file of dump_om_model that the model came from cannot be read");
    return BP_OK;
}

bp_rc bp_cann_save(bp_program *program, const bp_sink *sink, bp_err *err)
{
    const struct bp_cann_model *model = NULL;
    bp_rc rc = find_model(program, &model, err);

    if (rc < 0)
        return rc;
    rc = sink->write(sink->h, MAGIC, sizeof MAGIC);
    put_u64(sink, bp_cann_models_digest(program), &rc);
    put_block(sink, &model->shapes, &rc);
    put_block(sink, &model->bytes, &rc);
    return rc < 0 ? bp_fail(err, rc, "cann: the program cannot be written") : BP_OK;
}

static uint64_t get_u64(struct reader *r)
{
    uint64_t value = 0;

    if (r->failed || r->size - r->at < 8) {
        r->failed = true;
        return 0;
    }
    for (int i = 7; i >= 0; i--)
        value = value << 8 | r->data[r->at + (size_t)i];
    r->at += 8;
    return value;
}

static bp_span get_block(struct reader *r)
{
    uint64_t size = get_u64(r);
    bp_span block = {0};

    if (r->failed || size > r->size - r->at) {
        r->failed = true;
        return block;
    }
    block = (bp_span){r->data + r->at, (size_t)size};
    r->at += (size_t)size;
    return block;
}

/* The model for the shapes that the graph alone tells. */
static bp_rc load_model(bp_program *program, bp_span shapes, bp_span bytes, bp_err *err)
{
    struct bp_cann_build b;
    bp_rc rc = bp_cann_build(&b, program, NULL, err);

    if (rc >= 0 && (b.n_deferred > 0 || (!b.steps && !program->is_context)))
        rc = bp_fail(err, BP_E_STALE, "cann: the group has no model, as its shapes are not known");
    if (rc >= 0)
        rc = bp_cann_model_load(program, &b, shapes, bytes, err);
    bp_cann_steps_free(program->instance, b.steps);
    bp_cann_build_finish(&b);
    return rc;
}

bp_rc bp_cann_load(bp_instance *instance, const bp_graph *graph, const bp_compile *what,
                   bp_span blob, bp_program **out, bp_err *err)
{
    struct reader r = {blob.data, blob.size, sizeof MAGIC, blob.size < sizeof MAGIC};
    uint64_t digest = get_u64(&r);
    bp_span shapes = get_block(&r), bytes = get_block(&r);
    bp_program *program;
    bp_rc rc;

    if (r.failed || r.at != r.size || shapes.size == 0 || bytes.size == 0 ||
        memcmp(blob.data, MAGIC, sizeof MAGIC) != 0)
        return bp_fail(err, BP_E_STALE, "cann: these are not bytes of a saved program");
    if (!instance->uses_graphs && !(what->flags & BP_COMPILE_CONTEXT))
        return bp_fail(err, BP_E_STALE, "cann: saved programs are for graph mode");
    rc = bp_cann_program_create(instance, graph, what, &program, err);
    if (rc < 0)
        return rc;
    if (!program->is_context && bp_cann_models_digest(program) != digest)
        rc = bp_fail(err, BP_E_STALE, "cann: the saved program is of another group or settings");
    if (rc >= 0)
        rc = load_model(program, shapes, bytes, err);
    if (rc < 0) {
        bp_cann_program_free(program);
        return rc;
    }
    *out = program;
    return BP_OK;
}
