/* SPDX-License-Identifier: MIT */
/* custom_call.c - calls the functions of an application's operator, which may throw C++ exceptions. */

#include "config.h"

#include "graph/custom_call.h"

#include <stdio.h>

#include "base/guard.h"
#include "base/log.h"

struct arguments {
    const bp_operator_def *def;
    const bp_operator_node *node;
    bp_operator_shapes *shapes;
    bp_operator_call *call;
    void **made;
    void *kernel;
    bp_err *err;
    bp_rc rc;
};

static bp_rc guarded(void (*fn)(void *), struct arguments *arguments, const char *name)
{
    struct bp_thrown thrown;

    bp_err_clear(arguments->err);
    if (bp_guard(fn, arguments, &thrown))
        return bp_err_complete(arguments->err, arguments->rc);
    return bp_thrown_fail(&thrown, name, arguments->err);
}

static void claim(void *u)
{
    struct arguments *a = u;

    a->rc = a->def->claim(a->def->user, a->node, a->err);
}

bp_rc bp_custom_claim(const bp_operator_def *def, const bp_operator_node *node, bp_err *err)
{
    return guarded(claim, &(struct arguments){.def = def, .node = node, .err = err}, "its 'claim'");
}

static void shapes_of(void *u)
{
    struct arguments *a = u;

    a->rc = a->def->shapes(a->def->user, a->shapes, a->err);
}

bp_rc bp_custom_shapes(const bp_operator_def *def, bp_operator_shapes *shapes, bp_err *err)
{
    return guarded(shapes_of, &(struct arguments){.def = def, .shapes = shapes, .err = err},
                   "its 'shapes'");
}

static void create(void *u)
{
    struct arguments *a = u;

    a->rc = a->def->create(a->def->user, a->node, a->made, a->err);
}

bp_rc bp_custom_create(const bp_operator_def *def, const bp_operator_node *node, void **kernel,
                       bp_err *err)
{
    return guarded(create,
                   &(struct arguments){.def = def, .node = node, .made = kernel, .err = err},
                   "its 'create'");
}

static void compute(void *u)
{
    struct arguments *a = u;

    a->rc = a->def->compute(a->kernel, a->call, a->err);
}

bp_rc bp_custom_compute(const bp_operator_def *def, void *kernel, bp_operator_call *call,
                        bp_err *err)
{
    return guarded(compute,
                   &(struct arguments){.def = def, .kernel = kernel, .call = call, .err = err},
                   "its kernel");
}

static void destroy(void *u)
{
    struct arguments *a = u;

    a->def->destroy(a->kernel);
}

void bp_custom_destroy(const bp_operator_def *def, void *kernel, const bp_host *host)
{
    struct arguments arguments = {.def = def, .kernel = kernel};
    char text[BP_THROWN_TEXT + 256];
    struct bp_thrown thrown;

    if (!def->destroy || bp_guard(destroy, &arguments, &thrown))
        return;
    snprintf(text, sizeof text, "%s: its 'destroy' threw an exception: %s", def->name, thrown.text);
    host->log(host->h, BP_LOG_WARN, "custom", text);
}

static void release(void *u)
{
    struct arguments *a = u;

    a->def->release(a->def->user);
}

void bp_custom_release(const bp_operator_def *def)
{
    struct arguments arguments = {.def = def};
    static const struct bp_log to_stderr; /* sets belong to no environment */
    struct bp_thrown thrown;

    if (def->release && !bp_guard(release, &arguments, &thrown))
        bp_log(&to_stderr, BP_LOG_WARN, "custom",
               "%s: 'release' of an operator threw an exception: %s", def->name ? def->name : "?",
               thrown.text);
}
