/* SPDX-License-Identifier: MIT */
/* profile.c - profiles of sessions and runs as JSON in Chrome's trace event format. */

#include "config.h"

#include "ort/session/profile.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ort/session/session.h"
#include "ort/status.h"
#include "ort/values/memory.h"

enum {
    EVENTS = 1000000, /* the latest ones that are kept */
    FILES_MAX = 10000 /* files of one prefix and second */
};

/* The record is kept until the session is released, as runs may still add events. */
struct ort_profile {
    char *stem; /* the file's name without ".json" */
    char *path;
    bp_profile *record;
    atomic_bool has_ended;
};

int64_t ort_profile_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void ort_profile_destroy(struct ort_profile *profile)
{
    if (!profile)
        return;
    bp_profile_destroy(profile->record);
    free(profile->stem);
    free(profile->path);
    free(profile);
}

/*
 * The name has the local time of this call; ort_profile_write() adds a number if the file exists.
 */
OrtStatus *ort_profile_create(const char *prefix, struct ort_profile **out)
{
    struct ort_profile *made = calloc(1, sizeof *made);
    size_t size = strlen(prefix) + 48;
    time_t now = time(NULL);
    struct tm date;
    char stamp[32];

    if (!made)
        return ort_no_memory();
    atomic_init(&made->has_ended, false);
    made->stem = malloc(size);
    made->path = malloc(size);
    if (!made->stem || !made->path || bp_profile_create(EVENTS, &made->record, NULL) < 0) {
        ort_profile_destroy(made);
        return ort_no_memory();
    }
    localtime_r(&now, &date);
    strftime(stamp, sizeof stamp, "%Y-%m-%d_%H-%M-%S", &date);
    snprintf(made->stem, size, "%s_%s", prefix, stamp);
    snprintf(made->path, size, "%s.json", made->stem);
    *out = made;
    return NULL;
}

bp_profile *ort_profile_record(struct ort_profile *profile)
{
    return profile && !atomic_load_explicit(&profile->has_ended, memory_order_relaxed)
               ? profile->record
               : NULL;
}

void ort_profile_add(struct ort_profile *profile, const char *name, int64_t start_ns,
                     int64_t end_ns)
{
    bp_profile *record = ort_profile_record(profile);

    if (record)
        (void)!bp_profile_add(record, name, start_ns, end_ns, NULL);
}

/* Creates a file that does not exist; several within one second are numbered. */
static FILE *open_new(struct ort_profile *profile)
{
    size_t size = strlen(profile->stem) + 16;
    FILE *file = fopen(profile->path, "wxe");

    for (int i = 2; !file && errno == EEXIST && i < FILES_MAX; i++) {
        snprintf(profile->path, size, "%s_%d.json", profile->stem, i);
        file = fopen(profile->path, "wxe");
    }
    return file;
}

/* Events stop before the file is written. */
OrtStatus *ort_profile_write(struct ort_profile *profile, const char **path)
{
    char *text = NULL;
    FILE *file;
    bool ok;

    atomic_store(&profile->has_ended, true);
    if (bp_profile_json(profile->record, &text, NULL) < 0)
        return ort_no_memory();
    file = open_new(profile);
    ok = file && fputs(text, file) >= 0;
    if (file)
        ok &= fclose(file) == 0;
    bp_free(text);
    *path = profile->path;
    return ok ? NULL
              : ort_fail(ORT_FAIL, "the profile cannot be written to %s: %s", profile->path,
                         strerror(errno));
}

/* A destructor can't return a status, so a failure is logged. */
void ort_profile_leave(OrtSession *session)
{
    OrtStatus *status = NULL;
    const char *path;

    if (session->host && ort_profile_record(session->profile))
        status = ort_profile_write(session->profile, &path);
    if (status)
        ort_env_log(session->env, ORT_LOGGING_LEVEL_ERROR, "session", ort_GetErrorMessage(status));
    ort_ReleaseStatus(status);
}

/*
 * OrtApi since version 2: *out is the name of the file, or "" without profiling. Running calls may
 * still add events, so the record lives as long as the session.
 */
OrtStatus *ort_SessionEndProfiling(OrtSession *session, OrtAllocator *allocator, char **out)
{
    const char *path = "";
    OrtStatus *status = NULL;

    ORT_NEED(session);
    ORT_NEED(allocator);
    ORT_NEED(out);
    pthread_mutex_lock(&session->lock);
    if (ort_profile_record(session->profile))
        status = ort_profile_write(session->profile, &path);
    pthread_mutex_unlock(&session->lock);
    if (status)
        return status;
    *out = ort_dup(allocator, path);
    return *out ? NULL : ort_no_memory();
}
