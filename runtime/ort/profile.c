/* SPDX-License-Identifier: MIT */
/* profile.c - what a profiled session did and when, as a trace that browsers show. */

#include "config.h"

#include "ort/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ort/memory.h"
#include "ort/session.h"
#include "ort/status.h"

enum { EVENTS_MAX = 1000000 }; /* as many as are kept */

struct event {
    uint64_t start_ns, end_ns; /* since the session's start */
    const char *name;
};

struct ort_profile {
    char *path;
    uint64_t begin_ns;
    struct event *events;
    size_t n, cap;
};

uint64_t ort_profile_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct ort_profile *ort_profile_create(const char *prefix)
{
    struct ort_profile *made = calloc(1, sizeof *made);
    size_t size = strlen(prefix) + 40;
    time_t now = time(NULL);
    struct tm date;
    char stamp[32];

    if (!made)
        return NULL;
    made->path = malloc(size);
    if (!made->path) {
        free(made);
        return NULL;
    }
    localtime_r(&now, &date);
    strftime(stamp, sizeof stamp, "%Y-%m-%d_%H-%M-%S", &date);
    snprintf(made->path, size, "%s_%s.json", prefix, stamp);
    made->begin_ns = ort_profile_now();
    return made;
}

void ort_profile_destroy(struct ort_profile *profile)
{
    if (!profile)
        return;
    free(profile->path);
    free(profile->events);
    free(profile);
}

void ort_profile_add(OrtSession *session, const char *name, uint64_t start_ns, uint64_t end_ns)
{
    struct ort_profile *profile;

    pthread_mutex_lock(&session->lock);
    profile = session->profile;
    if (profile && start_ns < profile->begin_ns)
        start_ns = profile->begin_ns;
    if (profile && profile->n == profile->cap && profile->cap < EVENTS_MAX) {
        size_t cap = profile->cap ? profile->cap * 2 : 64;
        struct event *grown = realloc(profile->events, cap * sizeof *grown);

        if (grown) {
            profile->events = grown;
            profile->cap = cap;
        }
    }
    if (profile && profile->n < profile->cap)
        profile->events[profile->n++] =
            (struct event){start_ns - profile->begin_ns, end_ns - profile->begin_ns, name};
    pthread_mutex_unlock(&session->lock);
}

static bool write_trace(const struct ort_profile *profile)
{
    FILE *file = fopen(profile->path, "w");

    if (!file)
        return false;
    fputs("[\n", file);
    for (size_t i = 0; i < profile->n; i++) {
        const struct event *event = &profile->events[i];

        fprintf(file,
                "{\"cat\" : \"Session\",\"pid\" :%ld,\"tid\" :%ld,\"dur\" :%llu,\"ts\" :%llu,"
                "\"ph\" : \"X\",\"name\" :\"%s\",\"args\" : {}}%s\n",
                (long)getpid(), (long)getpid(),
                (unsigned long long)((event->end_ns - event->start_ns) / 1000),
                (unsigned long long)(event->start_ns / 1000), event->name,
                i + 1 < profile->n ? "," : "");
    }
    fputs("]\n", file);
    return fclose(file) == 0;
}

/* Ends it; the text is the name of the file, or "" when there was no profiling. */
OrtStatus *ort_SessionEndProfiling(OrtSession *session, OrtAllocator *allocator, char **out)
{
    struct ort_profile *profile;
    OrtStatus *status = NULL;

    ORT_NEED(session);
    ORT_NEED(allocator);
    ORT_NEED(out);
    pthread_mutex_lock(&session->lock);
    profile = session->profile;
    session->profile = NULL;
    pthread_mutex_unlock(&session->lock);
    if (profile && !write_trace(profile))
        status = ort_fail(ORT_FAIL, "the profile cannot be written to %s", profile->path);
    if (!status) {
        *out = ort_dup(allocator, profile ? profile->path : "");
        status = *out ? NULL : ort_no_memory();
    }
    ort_profile_destroy(profile);
    return status;
}
