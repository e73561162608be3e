/* SPDX-License-Identifier: MIT */
/* conf_file.c - reads files of settings. */

#include "config.h"

#include "host/options/conf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Cuts blanks off both ends. */
static char *trim(char *text)
{
    size_t n;

    text += strspn(text, " \t\r");
    n = strlen(text);
    while (n > 0 && strchr(" \t\r", text[n - 1]))
        text[--n] = '\0';
    return text;
}

static const char *take_line(char *line, bp_conf_fn take, void *user)
{
    char *equals, *key;

    line[strcspn(line, "#")] = '\0';
    key = trim(line);
    if (!*key)
        return NULL;
    equals = strchr(key, '=');
    if (!equals)
        return "a line is 'key = value'";
    *equals = '\0';
    return take(user, trim(key), trim(equals + 1));
}

/* What is wrong with the file as a whole; NULL: nothing. */
static const char *read_text(int fd, char *text)
{
    size_t n = 0;
    ssize_t got = 1;

    while (got > 0 && n < BP_CONF_FILE_MAX) {
        got = read(fd, text + n, BP_CONF_FILE_MAX - n);
        n += got > 0 ? (size_t)got : 0;
    }
    if (got < 0)
        return strerror(errno);
    if (n == BP_CONF_FILE_MAX)
        return "the file is too large; 64 KiB are possible";
    return strlen(text) == n ? NULL : "it has bytes that are not text";
}

static bp_rc read_lines(const char *path, int fd, bp_conf_fn take, void *user, char **text,
                        bp_err *err)
{
    const char *what;
    unsigned line = 0;
    char *next;

    *text = next = calloc(BP_CONF_FILE_MAX + 1, 1);
    if (!next)
        return bp_fail_nomem(err, "a file of settings");
    what = read_text(fd, *text);
    if (what)
        return bp_fail(err, BP_E_INVALID, "%s: %s", path, what);
    while (next) {
        char *now = next;

        next = strchr(now, '\n');
        if (next)
            *next++ = '\0';
        line++;
        what = take_line(now, take, user);
        if (what)
            return bp_fail(err, BP_E_INVALID, "%s, line %u: %s", path, line, what);
    }
    return BP_OK;
}

static bp_rc check_file(const char *path, int fd, struct bp_trust *trust, char *fix, size_t fix_cap,
                        bp_err *err)
{
    struct stat st;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return bp_fail(err, BP_E_IO, "%s: it is not a regular file", path);
    return bp_trust_check(trust, path, fd, fix, fix_cap, err);
}

/* O_NONBLOCK, because opening a FIFO of that name would block for ever */
bp_rc bp_conf_file_read(const char *path, struct bp_trust *trust, bp_conf_fn take, void *user,
                        char **text, char *fix, size_t fix_cap, bp_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bp_rc rc;

    *text = NULL;
    fix[0] = '\0';
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return BP_OK;
    if (fd < 0)
        return bp_fail(err, BP_E_IO, "%s: %s", path, strerror(errno));
    rc = check_file(path, fd, trust, fix, fix_cap, err);
    if (rc >= 0)
        rc = read_lines(path, fd, take, user, text, err);
    close(fd);
    return rc;
}
