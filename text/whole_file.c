/* SPDX-License-Identifier: MIT */
/* whole_file.c - see whole_file.h. */

#define _GNU_SOURCE

#include "config.h"

#include "text/whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_TRIES = 100 };

/*
 * Creates the file under another name. The process id is in it, so that two programs which write the
 * same file do not share a part; a number follows where an earlier process of that id left one.
 */
static bool begin_part(struct whole_file *out, mode_t mode)
{
    size_t size = strlen(out->path) + 48;

    out->part = malloc(size);
    if (!out->part)
        return false;
    for (int i = 0; i < MAX_TRIES && !out->file; i++) {
        snprintf(out->part, size, "%s.%ld-%d.part", out->path, (long)getpid(), i);
        out->file = fopen(out->part, "wbxe");
        if (!out->file && errno != EEXIST)
            break;
    }
    if (out->file && (mode == 0 || fchmod(fileno(out->file), mode) == 0))
        return true;
    if (!out->file) { /* what has the name is not ours */
        free(out->part);
        out->part = NULL;
    }
    return false;
}

bool whole_file_begin(struct whole_file *out, const char *path)
{
    struct stat st;
    bool is_there = stat(path, &st) == 0;

    *out = (struct whole_file){0};
    out->path = is_there ? realpath(path, NULL) : strdup(path);
    if (!out->path)
        return false;
    if (!is_there || S_ISREG(st.st_mode))
        return begin_part(out, is_there ? st.st_mode & 07777 : 0);
    out->file = fopen(out->path, "wbe");
    return out->file != NULL;
}

bool whole_file_write(struct whole_file *out, const void *bytes, size_t size)
{
    if (size > 0 && fwrite(bytes, 1, size, out->file) != size)
        return false;
    out->size += size;
    return true;
}

bool whole_file_end(struct whole_file *out)
{
    FILE *file = out->file;
    int cause = 0;

    if (!file)
        return true;
    out->file = NULL;
    if (fflush(file) != 0 || (out->part && fsync(fileno(file)) != 0))
        cause = errno;
    if (fclose(file) != 0 && cause == 0)
        cause = errno;
    errno = cause;
    return cause == 0;
}

bool whole_file_name(struct whole_file *out)
{
    if (!out->part)
        return true;
    if (rename(out->part, out->path) != 0)
        return false;
    free(out->part);
    out->part = NULL;
    return true;
}

void whole_file_drop(struct whole_file *out)
{
    int cause = errno; /* of the failure that leads here */

    if (out->file)
        fclose(out->file);
    if (out->part)
        unlink(out->part);
    free(out->path);
    free(out->part);
    *out = (struct whole_file){0};
    errno = cause;
}
