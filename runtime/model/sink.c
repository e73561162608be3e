/* SPDX-License-Identifier: MIT */
/*
 * sink.c - calls the functions of a bp_model_sink under a guard, because they may throw C++
 * exceptions, which must not unwind through our frames.
 */

#include "config.h"

#include "model/sink.h"

#include "base/guard.h"

struct arguments {
    const bp_model_sink *sink;
    const bp_weight_info *weight;
    const char **file;
    uint64_t *offset;
    const void *bytes;
    uint64_t size;
    bp_err *err;
    bp_rc rc;
};

/* An exception becomes an error whose text names the callback. */
static bp_rc guarded(void (*fn)(void *), struct arguments *arguments, const char *name)
{
    struct bp_thrown thrown;

    if (!bp_guard(fn, arguments, &thrown))
        return bp_thrown_fail(&thrown, name, arguments->err);
    return arguments->rc < 0 ? bp_err_complete(arguments->err, arguments->rc) : arguments->rc;
}

static void place(void *u)
{
    struct arguments *a = u;

    a->rc = a->sink->place(a->sink->user, a->weight, a->file, a->offset, a->err);
}

bp_rc bp_sink_place(const bp_model_sink *sink, const bp_weight_info *weight, const char **file,
                    uint64_t *offset, bp_err *err)
{
    struct arguments arguments = {
        .sink = sink, .weight = weight, .file = file, .offset = offset, .err = err};

    return guarded(place, &arguments, "the sink's 'place'");
}

static void begin(void *u)
{
    struct arguments *a = u;

    a->rc = a->sink->begin(a->sink->user, a->size, a->err);
}

bp_rc bp_sink_begin(const bp_model_sink *sink, uint64_t size, bp_err *err)
{
    struct arguments arguments = {.sink = sink, .size = size, .err = err};

    return sink->begin ? guarded(begin, &arguments, "the sink's 'begin'") : BP_OK;
}

static void write_bytes(void *u)
{
    struct arguments *a = u;

    a->rc = a->sink->write(a->sink->user, a->bytes, (size_t)a->size, a->err);
}

bp_rc bp_sink_write(const bp_model_sink *sink, const void *bytes, size_t size, bp_err *err)
{
    struct arguments arguments = {.sink = sink, .bytes = bytes, .size = size, .err = err};

    return guarded(write_bytes, &arguments, "the sink's 'write'");
}
