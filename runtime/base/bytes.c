/* SPDX-License-Identifier: MIT */
/* bytes.c - maps files, and keeps names that a model gives inside the model's directory. */

#include "config.h"

#include "base/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The multiplier is 2^64 divided by the golden ratio (Knuth, TAOCP 3, 6.4): it spreads small
 * differences over all bits.
 */
static uint64_t mix(uint64_t hash, uint64_t part)
{
    hash = (hash ^ part) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* A changed file has another size or times, so it never passes for its older self. */
static uint64_t file_id(const struct stat *st)
{
    uint64_t id = 1;

    id = mix(id, (uint64_t)st->st_dev);
    id = mix(id, (uint64_t)st->st_ino);
    id = mix(id, (uint64_t)st->st_size);
    id = mix(id, (uint64_t)st->st_mtim.tv_sec);
    id = mix(id, (uint64_t)st->st_mtim.tv_nsec);
    id = mix(id, (uint64_t)st->st_ctim.tv_sec);
    id = mix(id, (uint64_t)st->st_ctim.tv_nsec);
    return id ? id : 1;
}

/* Has the file the size and time of writing that it had? */
static bool is_as_before(int fd, off_t size, const struct timespec *written)
{
    struct stat st;

    return fstat(fd, &st) == 0 && st.st_size == size && st.st_mtim.tv_sec == written->tv_sec &&
           st.st_mtim.tv_nsec == written->tv_nsec;
}

/* Reads all bytes; false: errno says why, 0: the file became shorter. */
static bool read_all(int fd, char *to, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = pread(fd, to + at, size - at, (off_t)at);

        if (n == 0)
            errno = 0;
        if (n <= 0)
            return false;
        at += (size_t)n;
    }
    return true;
}

/* Reads the file into memory of its own, which nothing writes to after that. */
static bp_rc copy_file(int fd, const char *path, const struct stat *st, void **out, bp_err *err)
{
    size_t size = (size_t)st->st_size;
    void *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bp_rc rc = BP_OK;

    if (copy == MAP_FAILED)
        return bp_fail(err, BP_E_NOMEM, "%s: no memory for a copy of %zu bytes", path, size);
    if (!read_all(fd, copy, size) && errno != 0)
        rc = bp_fail(err, BP_E_IO, "%s: cannot be read: %m", path);
    else if (!is_as_before(fd, st->st_size, &st->st_mtim)) /* nor if it became shorter */
        rc = bp_fail(err, BP_E_STALE,
                     "%s was written to while it was read; write a new file and rename it to this "
                     "name",
                     path);
    else if (mprotect(copy, size, PROT_READ) < 0)
        rc = bp_fail(err, BP_E_IO, "%s: its copy cannot be protected: %m", path);
    if (rc < 0)
        munmap(copy, size);
    else
        *out = copy;
    return rc;
}

/* The descriptor is kept for bp_bytes_changed(); without one the file is not watched. */
static bp_rc map_file(int fd, const char *path, const struct stat *st, struct bp_bytes *out,
                      bp_err *err)
{
    void *map = mmap(NULL, (size_t)st->st_size, PROT_READ, MAP_PRIVATE, fd, 0);

    if (map == MAP_FAILED)
        return bp_fail(err, errno == ENOMEM ? BP_E_NOMEM : BP_E_IO, "%s: cannot be mapped: %m",
                       path);
    out->map = map;
    out->watched = 1 + fcntl(fd, F_DUPFD_CLOEXEC, 0);
    out->written = st->st_mtim;
    return BP_OK;
}

/*
 * Private and read-only: pages are shared with the page cache, and nothing here can write to the
 * file. mmap(2) refuses 0 bytes, so an empty file is not mapped.
 */
static bp_rc map_open_file(int fd, const char *path, bool is_copied, struct bp_bytes *out,
                           bp_err *err)
{
    bp_rc rc = BP_OK;
    struct stat st;

    if (fstat(fd, &st) < 0)
        return bp_fail(err, BP_E_IO, "%s: %m", path);
    if (!S_ISREG(st.st_mode))
        return bp_fail(err, BP_E_IO, "%s: is not a regular file", path);
    if ((uint64_t)st.st_size > PTRDIFF_MAX)
        return bp_fail(err, BP_E_IO, "%s: is too large for this machine's addresses", path);
    out->file_id = file_id(&st);
    out->data = (const uint8_t *)"";
    if (st.st_size == 0)
        return BP_OK;
    out->is_copy = is_copied || st.st_size <= BP_BYTES_SMALL;
    rc =
        out->is_copy ? copy_file(fd, path, &st, &out->map, err) : map_file(fd, path, &st, out, err);
    if (rc < 0)
        return rc;
    out->data = out->map;
    out->size = (size_t)st.st_size;
    return BP_OK;
}

/* "<path>: <why>", by errno. A file of the path that is not there, or is not a directory, is a detail. */
static bp_rc fail_path(const char *path, bp_err *err)
{
    bool is_absent = errno == ENOENT || errno == ENOTDIR;

    return bp_fail_detail(err, BP_E_IO, is_absent ? BP_DETAIL_NO_SUCH_FILE : BP_DETAIL_NONE,
                          "%s: %m", path);
}

static bp_rc map_path(const char *path, int flags, bool is_copied, struct bp_bytes *out,
                      bp_err *err)
{
    struct bp_bytes bytes = {0};
    bp_rc rc;
    int fd;

    memset(out, 0, sizeof *out);
    /* O_NONBLOCK: a named pipe must not hold us up; for regular files it means nothing. */
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
    if (fd < 0)
        return fail_path(path, err);
    rc = map_open_file(fd, path, is_copied, &bytes, err);
    close(fd);
    if (rc == BP_OK)
        *out = bytes;
    return rc;
}

bp_rc bp_bytes_map(const char *path, bool is_copied, struct bp_bytes *out, bp_err *err)
{
    return map_path(path, 0, is_copied, out, err);
}

bool bp_bytes_changed(const struct bp_bytes *bytes)
{
    return bytes->watched > 0 &&
           !is_as_before(bytes->watched - 1, (off_t)bytes->size, &bytes->written);
}

static bool is_inside(const char *dir, const char *path)
{
    size_t n = strlen(dir);

    if (strcmp(dir, "/") == 0)
        return true;
    return strncmp(dir, path, n) == 0 && path[n] == '/';
}

static char *join(const char *dir, const char *name)
{
    size_t n_dir = strlen(dir), n_name = strlen(name);
    char *path;

    if (n_dir > SIZE_MAX - n_name - 2)
        return NULL;
    path = malloc(n_dir + n_name + 2);
    if (!path)
        return NULL;
    memcpy(path, dir, n_dir);
    path[n_dir] = '/';
    memcpy(path + n_dir + 1, name, n_name + 1);
    return path;
}

/* Takes "." and ".." out of an absolute path, by its words alone. */
static void normalize(char *path)
{
    const char *from = path;
    char *to = path;

    while (*(from += strspn(from, "/"))) {
        size_t n = strcspn(from, "/");

        if (n == 2 && from[0] == '.' && from[1] == '.') {
            while (to > path && *--to != '/')
                ;
        } else if (n != 1 || from[0] != '.') {
            *to++ = '/';
            memmove(to, from, n);
            to += n;
        }
        from += n;
    }
    *to = '\0';
}

/* Does the path leave the directory by its words? Then nothing outside is even looked for. */
static bp_rc check_words(const char *dir, const char *path, const char *name, bp_err *err)
{
    char *words = strdup(path);
    bp_rc rc = BP_OK;

    if (!words)
        return bp_fail_nomem(err, "a path");
    normalize(words);
    if (!is_inside(dir, words))
        rc = bp_fail_detail(err, BP_E_INVALID, BP_DETAIL_PATH_OUTSIDE,
                            "'%s': its '..' leads out of '%s'; copy the file there", name, dir);
    free(words);
    return rc;
}

bp_rc bp_bytes_map_inside(const char *dir, const char *name, bool is_copied, struct bp_bytes *out,
                          bp_err *err)
{
    char *real_dir = NULL, *path = NULL, *real_path = NULL;
    bp_rc rc;

    memset(out, 0, sizeof *out);
    if (name[0] == '\0' || name[0] == '/')
        return bp_fail_detail(err, BP_E_INVALID, BP_DETAIL_ABSOLUTE_PATH,
                              "'%s': must be a name relative to '%s'", name, dir);

    real_dir = realpath(dir[0] ? dir : ".", NULL);
    if (!real_dir) {
        rc = fail_path(dir, err);
        goto out;
    }
    path = join(real_dir, name);
    if (!path) {
        rc = bp_fail_nomem(err, "a path");
        goto out;
    }
    rc = check_words(real_dir, path, name, err);
    if (rc < 0)
        goto out;
    real_path = realpath(path, NULL);
    if (!real_path) {
        rc = fail_path(path, err);
        goto out;
    }
    if (!is_inside(real_dir, real_path)) {
        rc = bp_fail_detail(err, BP_E_INVALID, BP_DETAIL_PATH_OUTSIDE,
                            "'%s': is a link to '%s', out of '%s'; copy the file there", name,
                            real_path, real_dir);
        goto out;
    }
    rc = map_path(real_path, O_NOFOLLOW, is_copied, out,
                  err); /* resolved: a link now would be new */
out:
    free(real_path);
    free(path);
    free(real_dir);
    return rc;
}

void bp_bytes_forget(const void *bytes, size_t size)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)bytes, end;

    end = (first + size) / page * page;
    first = (first + page - 1) / page * page;
    if (end > first)
        (void)madvise((void *)first, end - first, MADV_DONTNEED); /* advice: may be ignored */
}

void bp_bytes_unmap(struct bp_bytes *bytes)
{
    if (bytes->map)
        munmap(bytes->map, bytes->size);
    if (bytes->watched > 0)
        close(bytes->watched - 1);
    memset(bytes, 0, sizeof *bytes);
}
