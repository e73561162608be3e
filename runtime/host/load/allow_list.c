/* SPDX-License-Identifier: MIT */
/*
 * allow_list.c - reads the allow list: a directory with files *.sum, whose lines are "SHA-256 ID",
 * and an optional file `mode` with the word off, warn or enforce. # begins a comment.
 */

#include "config.h"

#include "host/load/allow_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/sha256.h"

#define SUFFIX ".sum"

enum { MAX_FILE = 1 << 20, MAX_ROWS = 65536, DIGITS = BP_SHA256_TEXT - 1 };

/* ---- files ----------------------------------------------------------------------------------- */

/*
 * Reads an open file into memory that the caller frees; NULL with a reason: it can't be read, or
 * others may write to it. Whoever can write to a list can allow anything, so such a file is
 * ignored.
 */
static char *read_open(const char *path, int fd, struct bp_trust *trust, bp_err *err)
{
    char fix[256], *text;
    struct stat st;
    size_t n = 0;
    ssize_t got = 1;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        (void)bp_fail(err, BP_E_IO, "%s is not a regular file; put a text file there", path);
        return NULL;
    }
    if (st.st_size >= MAX_FILE) {
        (void)bp_fail(
            err, BP_E_IO,
            "%s has %lld bytes, less than 1 MiB is possible; spread its lines over several "
            "files of its folder",
            path, (long long)st.st_size);
        return NULL;
    }
    if (bp_trust_check(trust, path, fd, fix, sizeof fix, err) < 0)
        return NULL;
    text = calloc(MAX_FILE + 1, 1);
    if (!text) {
        (void)bp_fail_nomem(err, "an allow list");
        return NULL;
    }
    while (got > 0 && n < MAX_FILE) {
        got = read(fd, text + n, MAX_FILE - n);
        n += got > 0 ? (size_t)got : 0;
    }
    if (got >= 0 && strlen(text) == n)
        return text;
    if (got < 0)
        (void)bp_fail(err, BP_E_IO, "%s cannot be read: %s", path, strerror(errno));
    else
        (void)bp_fail(err, BP_E_IO, "%s is not text: it has a byte of value 0; write it anew",
                      path);
    free(text);
    return NULL;
}

/* *is_there is false if the file does not exist, which is no error. */
static char *read_file(const char *path, struct bp_trust *trust, bool *is_there, bp_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char *text;

    *is_there = fd >= 0 || (errno != ENOENT && errno != ENOTDIR);
    if (fd < 0) {
        (void)bp_fail(err, BP_E_IO, "%s: %s", path, strerror(errno));
        return NULL;
    }
    text = read_open(path, fd, trust, err);
    close(fd);
    return text;
}

/* Cuts off a comment and surrounding blanks. */
static char *trim(char *line)
{
    size_t n;

    line[strcspn(line, "#")] = '\0';
    line += strspn(line, " \t\r");
    n = strlen(line);
    while (n > 0 && strchr(" \t\r", line[n - 1]))
        line[--n] = '\0';
    return line;
}

/* ---- modes ----------------------------------------------------------------------------------- */

/* Returns the mode of a word; 0: unknown. */
static uint32_t mode_of_word(const char *word)
{
    static const char *const words[] = {"off", "warn", "enforce"};

    for (uint32_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(word, words[i]) == 0)
            return BP_ALLOW_OFF + i;
    }
    return 0;
}

/* An unknown mode must not be read as off. */
static uint32_t mode_of_dir(const char *dir, struct bp_trust *trust, const struct bp_log *log)
{
    char path[PATH_MAX], words[512];
    bp_err err = bp_err_init(words, sizeof words);
    uint32_t mode = 0;
    bool is_there;
    char *text;

    if ((size_t)snprintf(path, sizeof path, "%s/mode", dir) >= sizeof path)
        return BP_ALLOW_ENFORCE;
    text = read_file(path, trust, &is_there, &err);
    if (!is_there)
        return BP_ALLOW_OFF;
    if (text) {
        char *rest = text, *line;
        unsigned n_words = 0;

        while ((line = strsep(&rest, "\n")) != NULL) {
            line = trim(line);
            if (*line)
                mode = n_words++ ? 0 : mode_of_word(line);
        }
        if (!mode)
            (void)bp_fail(&err, BP_E_INVALID, "%s holds one word: off, warn or enforce", path);
    }
    free(text);
    if (!mode)
        bp_log(log, BP_LOG_WARN, "host", "%s; it counts as enforce", words);
    return mode ? mode : BP_ALLOW_ENFORCE;
}

/* An unknown word is read as enforce, so that an error does not switch the check off. */
static uint32_t mode_of_variable(const struct bp_settings *settings, const struct bp_log *log)
{
    const char *word = bp_settings_get(settings, "BACKPLANE_ALLOW");
    uint32_t mode = word ? mode_of_word(word) : BP_ALLOW_OFF;

    if (!mode)
        bp_log(log, BP_LOG_WARN, "host",
               "BACKPLANE_ALLOW is off, warn or enforce; '%s' counts as enforce", word);
    return mode ? mode : BP_ALLOW_ENFORCE;
}

static uint32_t stricter(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

bp_rc bp_allow_list_init(struct bp_allow_list *allow, const bp_env_config *config,
                         const struct bp_settings *settings, struct bp_trust *trust,
                         const struct bp_log *log, bp_err *err)
{
    *allow =
        (struct bp_allow_list){.log = log, .ask = config->allow_fn, .ask_user = config->allow_user};
    if (config->allow > BP_ALLOW_ENFORCE)
        return bp_fail(err, BP_E_INVALID, "bp_env_config: allow is %u; use a BP_ALLOW_* constant",
                       config->allow);
    if (config->allow_dir && config->allow_dir[0] != '/')
        return bp_fail(err, BP_E_INVALID, "bp_env_config: allow_dir '%s' is not absolute",
                       config->allow_dir);
    if (config->allow_dir) {
        allow->own_dir = strdup(config->allow_dir);
        if (!allow->own_dir)
            return bp_fail_nomem(err, "the path of an allow list");
    }
    allow->dirs[0] = BP_ALLOW_DIR;
    allow->dirs[1] = allow->own_dir;
    allow->mode = stricter(config->allow, mode_of_variable(settings, log));
    for (int i = 0; i < 2 && allow->dirs[i]; i++)
        allow->mode = stricter(allow->mode, mode_of_dir(allow->dirs[i], trust, log));
    return BP_OK;
}

void bp_allow_list_finish(struct bp_allow_list *allow)
{
    for (uint32_t i = 0; i < allow->count; i++)
        free(allow->rows[i].id);
    free(allow->rows);
    free(allow->own_dir);
    *allow = (struct bp_allow_list){0};
}

/* ---- lists ----------------------------------------------------------------------------------- */

static bool add(struct bp_allow_list *allow, const char *sha256, const char *id)
{
    struct bp_allow_entry *rows = realloc(allow->rows, (allow->count + 1) * sizeof *rows);
    struct bp_allow_entry row;

    if (rows)
        allow->rows = rows;
    row.id = strdup(id);
    if (!rows || !row.id || allow->count == MAX_ROWS) {
        free(row.id);
        return false;
    }
    for (int i = 0; i < DIGITS; i++) /* hashes are written in either case */
        row.sha256[i] = (char)(sha256[i] >= 'A' && sha256[i] <= 'F' ? sha256[i] + 32 : sha256[i]);
    row.sha256[DIGITS] = '\0';
    rows[allow->count++] = row;
    return true;
}

/* Parses a line in the format of sha256sum(1), with an id in place of the file's name. */
static bool take_line(struct bp_allow_list *allow, char *line)
{
    char *id = line + strspn(line, "0123456789abcdefABCDEF");

    if (id - line != DIGITS || (*id != ' ' && *id != '\t'))
        return false;
    id += strspn(id, " \t");
    return *id && !strpbrk(id, " \t") && add(allow, line, id);
}

static void take_file(struct bp_allow_list *allow, const char *path, struct bp_trust *trust)
{
    char words[512];
    bp_err err = bp_err_init(words, sizeof words);
    bool is_there;
    char *text = read_file(path, trust, &is_there, &err), *rest = text, *line;

    if (!text)
        bp_log(allow->log, BP_LOG_WARN, "host", "an allow list does not count: %s", words);
    for (unsigned n = 1; text && (line = strsep(&rest, "\n")) != NULL; n++) {
        line = trim(line);
        if (*line && !take_line(allow, line))
            bp_log(allow->log, BP_LOG_WARN, "host",
                   "%s, line %u does not count: a line is the 64 digits of a SHA-256, then an id",
                   path, n);
    }
    free(text);
}

static int is_list(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);

    return n > strlen(SUFFIX) && strcmp(entry->d_name + n - strlen(SUFFIX), SUFFIX) == 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void take_dir(struct bp_allow_list *allow, const char *dir, struct bp_trust *trust)
{
    struct dirent **entries = NULL;
    int n = scandir(dir, &entries, is_list, by_bytes);

    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];

        if ((size_t)snprintf(path, sizeof path, "%s/%s", dir, entries[i]->d_name) < sizeof path)
            take_file(allow, path, trust);
        free(entries[i]);
    }
    free(entries);
}

void bp_allow_list_read(struct bp_allow_list *allow, struct bp_trust *trust)
{
    if (allow->is_read)
        return;
    allow->is_read = true;
    for (int i = 0; i < 2 && allow->dirs[i]; i++)
        take_dir(allow, allow->dirs[i], trust);
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* Returns the row with this hash: with this id if there is one, else with another; NULL: none. */
static const struct bp_allow_entry *find(const struct bp_allow_list *allow, const char *sha256,
                                         const char *id)
{
    const struct bp_allow_entry *other = NULL;

    for (uint32_t i = 0; i < allow->count; i++) {
        const struct bp_allow_entry *row = &allow->rows[i];

        if (strcmp(row->sha256, sha256) != 0)
            continue;
        if (strcmp(row->id, id) == 0)
            return row;
        other = row;
    }
    return other;
}

struct question {
    const struct bp_allow_list *allow;
    const char *path, *id, *sha256;
    bp_err *err;
    bp_rc answer;
};

static void call_ask(void *u)
{
    struct question *q = u;

    q->answer = q->allow->ask(q->allow->ask_user, q->path, q->id, q->sha256, q->err);
}

/* If the function throws, the plug-in is not allowed. */
static bool ask(const struct bp_allow_list *allow, const char *path, const char *id,
                const char *sha256, bp_err *err)
{
    struct question question = {
        .allow = allow, .path = path, .id = id, .sha256 = sha256, .err = err};
    struct bp_thrown thrown;

    if (!bp_guard(call_ask, &question, &thrown))
        question.answer = bp_thrown_fail(&thrown, "its allow_fn", err);
    return question.answer >= 0;
}

/* Asks lists first, and the application's function only about plug-ins that are in no list. */
bool bp_allow_list_has(struct bp_allow_list *allow, struct bp_trust *trust, const char *path,
                       const char *id, const char *sha256, char *words, size_t cap)
{
    const struct bp_allow_entry *row;
    char text[256] = "";
    bp_err err = bp_err_init(text, sizeof text);

    bp_allow_list_read(allow, trust);
    row = find(allow, sha256, id);
    if (row && strcmp(row->id, id) == 0)
        return true;
    if (allow->ask && ask(allow, path, id, sha256, &err))
        return true;
    snprintf(words, cap, "%s is in no allow list: its SHA-256 is %s, its id '%s'%s%s%s%s%s", path,
             sha256, id, row ? ", but those bytes are listed as '" : "", row ? row->id : "",
             row ? "'" : "", text[0] ? "; the application says: " : "", text);
    return false;
}
