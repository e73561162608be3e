/* SPDX-License-Identifier: MIT */
/* after_fork.c - slots of a provider that must not be called in the child of a fork(). */

#include "config.h"

#include "compile/after_fork.h"

#include "base/status.h"

static bp_rc fail(bp_err *err)
{
    return bp_fail(err, BP_E_UNAVAILABLE, "it does not work in the child of a fork()");
}

/* ---- memory and queues ------------------------------------------------------------------------ */

static bp_rc alloc(bp_instance *instance, uint32_t dev, uint32_t space, size_t n, size_t align,
                   void **base, bp_err *err)
{
    (void)instance, (void)dev, (void)space, (void)n, (void)align, (void)base;
    return fail(err);
}

static void free_memory(bp_instance *instance, uint32_t dev, uint32_t space, void *base)
{
    (void)instance, (void)dev, (void)space, (void)base;
}

static bp_rc copy(bp_instance *instance, const bp_copy *rows, uint32_t n, void *stream, bp_err *err)
{
    (void)instance, (void)rows, (void)n, (void)stream;
    return fail(err);
}

static bp_rc make(bp_instance *instance, uint32_t dev, uint32_t flags, void **out, bp_err *err)
{
    (void)instance, (void)dev, (void)flags, (void)out;
    return fail(err);
}

static void forget(bp_instance *instance, void *object)
{
    (void)instance, (void)object;
}

static bp_rc order(bp_instance *instance, void *stream, void *event, bp_err *err)
{
    (void)instance, (void)stream, (void)event;
    return fail(err);
}

static bp_rc await(bp_instance *instance, void *event, int64_t timeout_ns, bp_err *err)
{
    (void)instance, (void)event, (void)timeout_ns;
    return fail(err);
}

static const bp_device_ops no_device = {
    .struct_size = sizeof(bp_device_ops),
    .alloc = alloc,
    .free = free_memory,
    .copy = copy,
    .stream_create = make,
    .stream_destroy = forget,
    .event_create = make,
    .event_destroy = forget,
    .event_record = order,
    .event_wait = await,
};

/* ---- instances, programs, frames --------------------------------------------------------------- */

static void leave_instance(bp_instance *instance)
{
    (void)instance;
}

static void leave_program(bp_program *program)
{
    (void)program;
}

static void leave_frame(bp_frame *frame)
{
    (void)frame;
}

static bp_rc set_option(bp_instance *instance, const bp_opt *opt, bp_err *err)
{
    (void)instance, (void)opt;
    return fail(err);
}

static bp_rc capability(bp_instance *instance, const bp_graph *graph, const bp_claims *claims,
                        bp_err *err)
{
    (void)instance, (void)graph, (void)claims;
    return fail(err);
}

static bp_rc compile(bp_instance *instance, const bp_graph *graph, const bp_compile *what,
                     bp_program **out, bp_err *err)
{
    (void)instance, (void)graph, (void)what, (void)out;
    return fail(err);
}

static bp_rc frame_create(bp_program *program, const bp_frame_desc *desc, bp_frame_needs *needs,
                          bp_frame **out, bp_err *err)
{
    (void)program, (void)desc, (void)needs, (void)out;
    return fail(err);
}

static bp_rc execute(bp_frame *frame, const bp_run *run, bp_err *err)
{
    (void)frame, (void)run;
    return fail(err);
}

void bp_after_fork(const bp_provider *of, bp_provider *out)
{
    *out = (bp_provider){
        .struct_size = sizeof *out,
        .flags = of->flags,
        .id = of->id,
        .name = of->name,
        .version = of->version,
        .vendor = of->vendor,
        .options = of->options,
        .n_options = of->n_options,
        .option_stride = of->option_stride,
        .dev = of->dev ? &no_device : NULL,
        .destroy = leave_instance,
        .set_option = of->set_option ? set_option : NULL,
        .capability = capability,
        .compile = compile,
        .program_free = leave_program,
        .frame_create = frame_create,
        .frame_free = leave_frame,
        .execute = execute,
    };
}
