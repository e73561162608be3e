/* SPDX-License-Identifier: MIT */
/* private_file.c - reads and replaces files that are this user's alone. */

#include "config.h"

#include "base/private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Why an open file is not trusted; NULL: it is. */
static const char *fault_of(const struct stat *st, size_t most)
{
    if (!S_ISREG(st->st_mode) || st->st_uid != geteuid() || st->st_mode & (S_IWGRP | S_IWOTH))
        return "it is not a file that this user alone owns";
    return st->st_size < 0 || (uintmax_t)st->st_size > most ? "it is too large" : NULL;
}

/*
 * O_NOFOLLOW: a link could lead to a file that another user controls. O_NONBLOCK: a FIFO would hold
 * open() up.
 */
char *bp_private_file_read(const char *path, size_t most, size_t *out_size, bool *is_there,
                           const struct bp_log *log)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    const char *fault;
    char *text = NULL;
    struct stat st;
    ssize_t got = 1;
    size_t n = 0;

    *is_there = fd >= 0 || errno != ENOENT;
    fault = fd < 0 || fstat(fd, &st) != 0 ? strerror(errno) : fault_of(&st, most);
    if (!fault)
        text = calloc((size_t)st.st_size + 1, 1);
    while (text && got > 0 && n < (size_t)st.st_size) {
        got = read(fd, text + n, (size_t)st.st_size - n);
        n += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0)
        close(fd);
    if (*is_there && fault)
        bp_log(log, BP_LOG_WARN, "host", "registry %s does not count: %s", path, fault);
    *out_size = n;
    return text;
}

/* The directory of the file, if it is not there: the user's cache may have none of ours yet. */
static void make_dir(const char *file)
{
    char *copy = strdup(file);

    if (copy)
        (void)mkdir(dirname(copy), 0700);
    free(copy);
}

/*
 * A new file takes the place of the old one by rename(2), which is atomic (POSIX): a reader sees
 * the one or the other.
 */
bool bp_private_file_write(const char *path, const struct bp_text *text, bool is_durable)
{
    struct bp_text name = {0};
    size_t n = 0;
    struct stat st;
    int fd = -1;
    bool ok;

    if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        errno = EINVAL; /* a device or a link is not replaced */
        return false;
    }
    make_dir(path);
    bp_text_printf(&name, "%s.XXXXXX", path);
    if (!name.failed)
        fd = mkostemp(name.data, O_CLOEXEC); /* mode 0600 */
    for (ssize_t put = 1; fd >= 0 && put > 0 && n < text->len;) {
        put = write(fd, text->data + n, text->len - n);
        n += put > 0 ? (size_t)put : 0;
    }
    ok = fd >= 0 && n == text->len && (!is_durable || fsync(fd) == 0);
    if (fd >= 0)
        ok = close(fd) == 0 && ok;
    ok = ok && rename(name.data, path) == 0;
    if (fd >= 0 && !ok)
        unlink(name.data);
    bp_text_finish(&name);
    return ok;
}
