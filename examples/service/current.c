/* SPDX-License-Identifier: MIT */
/* current.c - loads, prepares and replaces the session of the service. */
#include "current.h"

#include "../common/example.h"

/*
 * The shapes of the largest batch: what it needs serves smaller ones too. The model has one input,
 * whose first dimension is the batch.
 */
static bool prepare(bp_session *session, uint32_t max_batch, uint32_t n_workers)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);
    bp_prepare_options options = {.struct_size = sizeof options, .n_runs = n_workers};
    bp_io_info input = {.struct_size = sizeof input};
    int64_t dims[MAX_RANK];
    bp_binding in = {.index = 0};
    const bp_run_shapes shapes = {.inputs = &in, .n_inputs = 1};

    if (bp_session_input(session, 0, &input, &err) < 0)
        return example_fail("%s", text);
    if (input.rank == 0 || input.rank > MAX_RANK || input.dims[0].value >= 0)
        return example_fail("the first dimension of '%s' is not the size of a batch", input.name);
    dims[0] = max_batch;
    for (uint32_t d = 1; d < input.rank; d++)
        dims[d] = input.dims[d].value;
    in.tensor = (bp_tensor){.dims = dims, .rank = input.rank};
    return bp_session_prepare(session, &shapes, 1, &options, &err) >= 0 || example_fail("%s", text);
}

/* The file is looked at before it is read, so that a change in between is seen the next time. */
static bool load(const struct current *current, bp_session **out, struct stat *loaded)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);

    if (stat(current->path, loaded) != 0)
        return example_fail("%s: there is no such file", current->path);
    if (bp_session_create(current->env, current->path, current->options, out, &err) < 0)
        return example_fail("%s", text);
    if (prepare(*out, current->max_batch, current->n_workers))
        return true;
    bp_session_destroy(*out);
    return false;
}

bool current_open(bp_env *env, const char *path, const bp_session_options *options,
                  uint32_t max_batch, uint32_t n_workers, struct current *out)
{
    *out = (struct current){.env = env,
                            .path = path,
                            .options = options,
                            .max_batch = max_batch,
                            .n_workers = n_workers};
    if (pthread_mutex_init(&out->lock, NULL) != 0)
        return example_fail("no mutex");
    if (load(out, &out->session, &out->loaded))
        return true;
    pthread_mutex_destroy(&out->lock);
    return false;
}

void current_close(struct current *current)
{
    bp_session_destroy(current->session);
    pthread_mutex_destroy(&current->lock);
}

bp_session *current_take(struct current *current)
{
    bp_session *session;

    pthread_mutex_lock(&current->lock);
    session = bp_session_retain(current->session);
    pthread_mutex_unlock(&current->lock);
    return session;
}

bool current_refresh(struct current *current, bool *reloaded)
{
    struct stat now;
    bp_session *next, *last;

    *reloaded = false;
    if (stat(current->path, &now) != 0 ||
        (now.st_ino == current->loaded.st_ino && now.st_dev == current->loaded.st_dev))
        return true; /* for the moment of a rename there may be no file */
    if (!load(current, &next, &now))
        return false;
    pthread_mutex_lock(&current->lock);
    last = current->session;
    current->session = next;
    pthread_mutex_unlock(&current->lock);
    current->loaded = now;
    bp_session_destroy(last); /* it ends with the last request that took it */
    *reloaded = true;
    return true;
}
