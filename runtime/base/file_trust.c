/* SPDX-License-Identifier: MIT */
/* file_trust.c - who could have changed a file: a walk from the root to it. */

#include "config.h"

#include "base/file_trust.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LINKS = 40 };

/* A walk along a path. `done`: the checked part, without links and trailing slash; "": the root. */
struct walk {
    const struct bp_trust *trust;
    const char *path; /* as it was asked for */
    char *fix;
    size_t fix_cap;
    bp_err *err;
    char done[PATH_MAX], rest[PATH_MAX];
    struct stat at; /* of done */
    unsigned n_links;
    bool is_to_file; /* what it ends at is the file, not its directory */
};

bool bp_trust_is_elevated(void)
{
    return getauxval(AT_SECURE) != 0 || getuid() != geteuid() || getgid() != getegid();
}

void bp_trust_init(struct bp_trust *trust, bool is_hermetic)
{
    trust->uid = geteuid();
    trust->is_strict = is_hermetic || bp_trust_is_elevated();
    trust->dir[0] = trust->real[0] = '\0';
}

void bp_trust_forget(struct bp_trust *trust)
{
    trust->dir[0] = trust->real[0] = '\0';
}

static bp_rc went_away(const struct walk *walk, const char *what)
{
    return bp_fail(walk->err, BP_E_IO, "%s: %s", what, strerror(errno));
}

static bool is_own_group(const struct bp_trust *trust, const struct stat *st)
{
    return !trust->is_strict && st->st_uid == trust->uid && st->st_gid == (gid_t)trust->uid;
}

static bp_rc check_owner(const struct walk *walk, const char *what, const struct stat *st)
{
    if (st->st_uid == 0 || st->st_uid == walk->trust->uid)
        return BP_OK;
    snprintf(walk->fix, walk->fix_cap, "chown root %.200s, or copy the plug-in elsewhere", what);
    return bp_fail(walk->err, BP_E_UNAVAILABLE,
                   "%s: %s belongs to user %lu, who is neither root nor the user of this process, "
                   "and could change it",
                   walk->path, what, (unsigned long)st->st_uid);
}

/*
 * Refuses what others may write to. holds: it is the file, or the directory of the file or of a
 * link to it; a sticky bit is no excuse there.
 */
static bp_rc check_mode(const struct walk *walk, const char *what, const struct stat *st,
                        bool holds)
{
    mode_t writers = st->st_mode & (S_IWGRP | S_IWOTH);

    if (is_own_group(walk->trust, st))
        writers &= ~(mode_t)S_IWGRP;
    if (S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX) && !holds)
        return BP_OK;
    if (!writers)
        return BP_OK;
    snprintf(walk->fix, walk->fix_cap, "chmod go-w %.200s, or copy the plug-in elsewhere", what);
    return bp_fail(walk->err, BP_E_UNAVAILABLE, "%s: %s has mode %04o, so %s could change it",
                   walk->path, what, (unsigned)(st->st_mode & 07777),
                   writers & S_IWOTH ? "every user" : "others of its group");
}

static bp_rc check(const struct walk *walk, const char *what, const struct stat *st, bool holds)
{
    bp_rc rc = check_owner(walk, what, st);

    return rc < 0 ? rc : check_mode(walk, what, st, holds);
}

/* Puts a link's target before the rest of the path. BP_E_IO: over 40 links, or too long. */
static bp_rc follow(struct walk *walk, const char *link)
{
    char target[PATH_MAX], whole[2 * PATH_MAX];
    ssize_t n = readlink(link, target, sizeof target - 1);

    if (n < 0)
        return went_away(walk, link);
    target[n] = '\0';
    if (++walk->n_links > MAX_LINKS)
        return bp_fail(walk->err, BP_E_IO, "%s: too many links", walk->path);
    if ((size_t)snprintf(whole, sizeof whole, "%s/%s", target, walk->rest) >= PATH_MAX)
        return bp_fail(walk->err, BP_E_IO, "%s: its links lead too far", walk->path);
    memcpy(walk->rest, whole, strlen(whole) + 1);
    if (target[0] == '/')
        walk->done[0] = '\0';
    return BP_OK;
}

/* Appends a name to `done` and checks what is there. */
static bp_rc step(struct walk *walk, const char *name)
{
    bool is_last = walk->is_to_file && walk->rest[strspn(walk->rest, "/")] == '\0';
    char next[PATH_MAX + 256];
    const char *dir = walk->done[0] ? walk->done : "/";
    struct stat st;
    bp_rc rc;

    if ((size_t)snprintf(next, sizeof next, "%s/%s", walk->done, name) >= PATH_MAX)
        return bp_fail(walk->err, BP_E_IO, "%s: the path is too long", walk->path);
    if (lstat(next, &st) != 0)
        return went_away(walk, next);
    if (is_last) {
        struct stat parent;

        if (stat(dir, &parent) != 0)
            return went_away(walk, dir);
        rc = check_mode(walk, dir, &parent, true);
        if (rc < 0)
            return rc;
    }
    if (S_ISLNK(st.st_mode)) {
        rc = check_owner(walk, next, &st);
        return rc < 0 ? rc : follow(walk, next);
    }
    memcpy(walk->done, next, strlen(next) + 1);
    walk->at = st;
    return check(walk, next, &st, is_last);
}

static void go_up(char *done)
{
    char *slash = strrchr(done, '/');

    if (slash)
        *slash = '\0';
}

/* Walks all of rest. */
static bp_rc walk_on(struct walk *walk)
{
    char name[NAME_MAX + 1];
    bp_rc rc = BP_OK;

    while (rc >= 0 && walk->rest[0]) {
        const char *start = walk->rest + strspn(walk->rest, "/");
        size_t n = strcspn(start, "/");

        if (n > NAME_MAX)
            return bp_fail(walk->err, BP_E_IO, "%s: a name in the path is too long", walk->path);
        memcpy(name, start, n);
        name[n] = '\0';
        memmove(walk->rest, start + n, strlen(start + n) + 1);
        if (strcmp(name, "..") == 0)
            go_up(walk->done);
        else if (n > 0 && strcmp(name, ".") != 0)
            rc = step(walk, name);
    }
    return rc;
}

/* Begins after the last directory that passed, if the path lies in it. */
static void begin(const struct bp_trust *trust, const char *path, struct walk *walk)
{
    const char *name = strrchr(path, '/');
    size_t n = (size_t)(name - path);

    if (n > 0 && strlen(trust->dir) == n && memcmp(trust->dir, path, n) == 0) {
        memcpy(walk->done, trust->real, strlen(trust->real) + 1);
        path = name;
    }
    memcpy(walk->rest, path, strlen(path) + 1);
}

/* Keeps the directory of a path that passed, for the next path. */
static bp_rc keep_dir(struct bp_trust *trust, const char *path, struct walk *walk)
{
    size_t n = (size_t)(strrchr(path, '/') - path);
    struct stat root;
    bp_rc rc;

    if (strlen(trust->dir) == n && memcmp(trust->dir, path, n) == 0)
        return BP_OK;
    if (stat("/", &root) != 0)
        return went_away(walk, "/");
    rc = check(walk, "/", &root, false);
    if (rc < 0)
        return rc;
    memcpy(walk->rest, path, n);
    walk->rest[n] = '\0';
    walk->done[0] = '\0';
    rc = walk_on(walk);
    if (rc < 0)
        return rc;
    memcpy(trust->dir, path, n);
    trust->dir[n] = '\0';
    memcpy(trust->real, walk->done, strlen(walk->done) + 1);
    return BP_OK;
}

bp_rc bp_trust_check(struct bp_trust *trust, const char *path, int fd, char *fix, size_t fix_cap,
                     bp_err *err)
{
    struct walk walk = {.trust = trust, .path = path, .fix = fix, .fix_cap = fix_cap, .err = err};
    struct stat open;
    bp_rc rc;

    if (path[0] != '/' || strlen(path) >= PATH_MAX)
        return bp_fail(err, BP_E_IO, "%.60s: no absolute path", path);
    if (fstat(fd, &open) != 0)
        return went_away(&walk, path);
    rc = keep_dir(trust, path, &walk);
    if (rc < 0)
        return rc;
    begin(trust, path, &walk);
    walk.is_to_file = true;
    rc = walk_on(&walk);
    if (rc < 0)
        return rc;
    if (open.st_dev != walk.at.st_dev || open.st_ino != walk.at.st_ino)
        return bp_fail(err, BP_E_IO, "%s: another file has taken its place", path);
    /* what was opened is checked, not what may be there by now */
    return check(&walk, walk.done, &open, true);
}
