/* SPDX-License-Identifier: MIT */
/* event.c - ANeuralNetworksEvent_*. */
#include "run/event.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

int nn_event_make(bool fence, struct ANeuralNetworksEvent **out)
{
    struct ANeuralNetworksEvent *event = calloc(1, sizeof *event);

    *out = NULL;
    if (!event)
        return nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no memory for an event");
    event->fence = fence ? eventfd(0, EFD_CLOEXEC) : -1;
    if (fence && event->fence < 0) {
        free(event);
        return nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no sync fence: %s", strerror(errno));
    }
    if (pthread_mutex_init(&event->lock, NULL) != 0 ||
        pthread_cond_init(&event->changed, NULL) != 0) {
        if (event->fence >= 0)
            close(event->fence);
        free(event);
        return nn_fail(ANEURALNETWORKS_OUT_OF_MEMORY, "no lock for an event");
    }
    event->refs = 1;
    nn_count(&nn_state.counters.live_events, 1);
    *out = event;
    return 0;
}

void nn_event_ref(struct ANeuralNetworksEvent *event)
{
    pthread_mutex_lock(&event->lock);
    event->refs++;
    pthread_mutex_unlock(&event->lock);
}

void nn_event_unref(struct ANeuralNetworksEvent *event)
{
    bool last;

    pthread_mutex_lock(&event->lock);
    last = --event->refs == 0;
    pthread_mutex_unlock(&event->lock);
    if (!last)
        return;
    if (event->fence >= 0)
        close(event->fence);
    pthread_cond_destroy(&event->changed);
    pthread_mutex_destroy(&event->lock);
    free(event->dependencies);
    free(event);
}

void nn_event_signal(struct ANeuralNetworksEvent *event, int code)
{
    uint64_t one = 1;

    pthread_mutex_lock(&event->lock);
    event->done = true;
    event->code = code;
    if (event->fence >= 0 && write(event->fence, &one, sizeof one) < 0)
        event->code = code ? code : ANEURALNETWORKS_OP_FAILED; /* cannot be: it is an eventfd */
    pthread_cond_broadcast(&event->changed);
    pthread_mutex_unlock(&event->lock);
}

/* A fence of the program has no thread here: the descriptor is asked. */
static int wait_fence(const struct ANeuralNetworksEvent *event)
{
    struct pollfd poll_fd = {.fd = event->fence, .events = POLLIN};
    int n;

    do
        n = poll(&poll_fd, 1, -1);
    while (n < 0 && (errno == EINTR || errno == EAGAIN));
    return n > 0 && poll_fd.revents & POLLIN
               ? 0
               : nn_fail(ANEURALNETWORKS_OP_FAILED, "the sync fence has an error");
}

int nn_event_wait(struct ANeuralNetworksEvent *event)
{
    int code;

    if (!event->execution)
        return wait_fence(event);
    pthread_mutex_lock(&event->lock);
    while (!event->done)
        pthread_cond_wait(&event->changed, &event->lock);
    code = event->code;
    pthread_mutex_unlock(&event->lock);
    return code ? nn_fail(code, "the run ended with %s", bp_nnapi_result_name(code)) : 0;
}

int ANeuralNetworksEvent_wait(ANeuralNetworksEvent *event)
{
    NN_ENTER(27);
    NN_NOT_NULL(event);
    nn_count(&nn_state.counters.waits, 1);
    return nn_leave(nn_event_wait(event));
}

/* Waits for the run, as Android does: its memory must not go before. */
void ANeuralNetworksEvent_free(ANeuralNetworksEvent *event)
{
    if (!event)
        return;
    if (event->has_thread)
        pthread_join(event->thread, NULL);
    nn_count(&nn_state.counters.live_events, -1);
    nn_event_unref(event);
}

int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd, ANeuralNetworksEvent **event)
{
    int code, fd;

    NN_ENTER(30);
    NN_NOT_NULL(event);
    *event = NULL;
    if (sync_fence_fd < 0)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_DATA, "%d is no sync fence", sync_fence_fd));
    fd = dup(sync_fence_fd);
    if (fd < 0)
        return nn_leave(
            nn_fail(ANEURALNETWORKS_BAD_DATA, "descriptor %d: %s", sync_fence_fd, strerror(errno)));
    code = nn_event_make(false, event);
    if (code)
        close(fd);
    else
        (*event)->fence = fd;
    return nn_leave(code);
}

int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent *event, int *sync_fence_fd)
{
    NN_ENTER(30);
    NN_NOT_NULL(sync_fence_fd);
    *sync_fence_fd = -1;
    NN_NOT_NULL(event);
    if (event->fence < 0)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_DATA, "the event has no sync fence"));
    *sync_fence_fd = dup(event->fence);
    if (*sync_fence_fd < 0)
        return nn_leave(nn_fail(ANEURALNETWORKS_BAD_DATA, "the sync fence: %s", strerror(errno)));
    return 0;
}
