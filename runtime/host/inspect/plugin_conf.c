/* SPDX-License-Identifier: MIT */
/* plugin_conf.c - NAME.conf beside a plug-in: lines "key = value", # begins a comment. */

#include "config.h"

#include "host/inspect/plugin_conf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPTION "option."

/* A file while it is read. */
struct reading {
    const char *path;
    unsigned line;
    struct bp_plugin_conf *conf;
    struct bp_stage_verdict *verdict;
};

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

static bool wrong(const struct reading *in, const char *what)
{
    return bp_stage_refuse(in->verdict, BP_STAGE_POLICY, BP_E_INVALID, NULL, "%s, line %u: %s",
                           in->path, in->line, what);
}

/* Reads two digits at most; the range is the manifest's. */
static bool take_priority(const struct reading *in, const char *value)
{
    size_t n = strspn(value, "0123456789");

    if (n < 1 || n > 2 || value[n])
        return wrong(in, "the priority is a number from 0 to 99");
    in->conf->priority = atoi(value);
    return true;
}

/*
 * Reads a yes or no. Another word makes the whole file invalid: a typing error must not enable what
 * was to be disabled.
 */
static bool take_disabled(const struct reading *in, const char *value)
{
    in->conf->is_disabled = strcmp(value, "true") == 0;
    return in->conf->is_disabled || strcmp(value, "false") == 0 ||
           wrong(in, "disabled is true or false");
}

static bool take_deps(const struct reading *in, const char *value)
{
    in->conf->wants_trusted = strcmp(value, "trusted") == 0;
    return in->conf->wants_trusted || strcmp(value, "any") == 0 ||
           wrong(in, "deps is any or trusted");
}

/* Is it a hash in lower case? sha256sum writes it so, and hashes are compared as bytes. */
static bool take_hash(const struct reading *in, const char *value)
{
    if (strlen(value) != 64 || strspn(value, "0123456789abcdef") != 64)
        return wrong(in, "sha256 has 64 digits from 0 to 9 and a to f");
    in->conf->sha256 = value;
    return true;
}

static bool take_option(const struct reading *in, const char *key, const char *value)
{
    struct bp_plugin_conf *conf = in->conf;
    bp_key_value *grown;

    if (!*key)
        return wrong(in, "an option has a name");
    for (uint32_t i = 0; i < conf->n_options; i++) {
        if (strcmp(conf->options[i].key, key) == 0)
            return wrong(in, "the option is given twice");
    }
    grown = realloc(conf->options, (conf->n_options + 1) * sizeof *grown);
    if (!grown)
        return wrong(in, "no memory for an option");
    conf->options = grown;
    conf->options[conf->n_options++] = (bp_key_value){key, value};
    return true;
}

static bool take_line(const struct reading *in, char *line)
{
    char *equals, *key, *value;

    line[strcspn(line, "#")] = '\0';
    key = trim(line);
    if (!*key)
        return true;
    equals = strchr(key, '=');
    if (!equals)
        return wrong(in, "a line is 'key = value'");
    *equals = '\0';
    key = trim(key);
    value = trim(equals + 1);
    if (strcmp(key, "priority") == 0)
        return take_priority(in, value);
    if (strcmp(key, "disabled") == 0)
        return take_disabled(in, value);
    if (strcmp(key, "deps") == 0)
        return take_deps(in, value);
    if (strcmp(key, "sha256") == 0)
        return take_hash(in, value);
    if (strncmp(key, OPTION, strlen(OPTION)) == 0)
        return take_option(in, key + strlen(OPTION), value);
    return wrong(in, "unknown key; possible are priority, disabled, deps, sha256 and option.NAME");
}

/* Strings of the conf point into this text, so it lives as long as the conf. */
static bool read_text(struct reading *in, int fd)
{
    char *text = calloc(BP_PLUGIN_CONF_MAX + 1, 1);
    size_t n = 0;
    ssize_t got = 1;

    in->conf->text = text;
    if (!text)
        return wrong(in, "no memory to read it");
    while (got > 0 && n < BP_PLUGIN_CONF_MAX) {
        got = read(fd, text + n, BP_PLUGIN_CONF_MAX - n);
        n += got > 0 ? (size_t)got : 0;
    }
    if (got < 0)
        return wrong(in, strerror(errno));
    if (n == BP_PLUGIN_CONF_MAX)
        return wrong(in, "the file is too large");
    return strlen(text) == n || wrong(in, "it has bytes that are not text");
}

static bool read_lines(struct reading *in)
{
    char *next = in->conf->text;

    while (next) {
        char *line = next;

        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        in->line++;
        if (!take_line(in, line))
            return false;
    }
    return true;
}

static bool check_file(const struct reading *in, struct bp_trust *trust, int fd)
{
    char text[sizeof in->verdict->reason];
    bp_err err = bp_err_init(text, sizeof text);
    struct stat st;
    bp_rc rc;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return bp_stage_refuse(in->verdict, BP_STAGE_SECURITY, BP_E_IO, NULL,
                               "%s: it is not a regular file", in->path);
    rc = bp_trust_check(trust, in->path, fd, in->verdict->fix, sizeof in->verdict->fix, &err);
    return rc >= 0 ||
           bp_stage_refuse(in->verdict, BP_STAGE_SECURITY, rc, in->verdict->fix, "%s", text);
}

/* O_NONBLOCK, because opening a FIFO of that name would block for ever */
void bp_plugin_conf_read(const char *path, struct bp_trust *trust, struct bp_plugin_conf *conf,
                         struct bp_stage_verdict *verdict)
{
    struct reading in = {.path = path, .conf = conf, .verdict = verdict};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd < 0) {
        if (errno != ENOENT)
            bp_stage_refuse(verdict, BP_STAGE_SECURITY, BP_E_IO, NULL, "%s: %s", path,
                            strerror(errno));
        return;
    }
    if (check_file(&in, trust, fd) && read_text(&in, fd))
        (void)read_lines(&in);
    close(fd);
}

bp_rc bp_plugin_conf_check_pin(const struct bp_plugin_conf *conf, const char *path,
                               const char *sha256, bp_err *err)
{
    if (!conf->sha256 || strcmp(sha256, conf->sha256) == 0)
        return BP_OK;
    return bp_fail(err, BP_E_UNAVAILABLE,
                   "%s is not the file that its conf file pins: its SHA-256 is %s, wanted is %s",
                   path, sha256, conf->sha256);
}

static bool is_given(const bp_key_value *options, uint32_t n, const char *key)
{
    for (uint32_t i = 0; i < n; i++) {
        if (options[i].key && strcmp(options[i].key, key) == 0)
            return true;
    }
    return false;
}

/* Merges options; the caller's take precedence over the file's, which are defaults. */
bp_rc bp_plugin_conf_merge(const struct bp_plugin_conf *conf, const bp_key_value *options,
                           uint32_t n, struct bp_region *region, const bp_key_value **out,
                           uint32_t *out_n, bp_err *err)
{
    bp_key_value *all;

    *out = options;
    *out_n = n;
    if (conf->n_options == 0)
        return BP_OK;
    all = bp_region_alloc(region, (n + conf->n_options) * sizeof *all);
    if (!all)
        return bp_fail_nomem(err, "a provider's options");
    if (n > 0)
        memcpy(all, options, n * sizeof *all);
    for (uint32_t i = 0; i < conf->n_options; i++) {
        if (!is_given(options, n, conf->options[i].key))
            all[(*out_n)++] = conf->options[i];
    }
    *out = all;
    return BP_OK;
}

void bp_plugin_conf_finish(struct bp_plugin_conf *conf)
{
    free(conf->text);
    free(conf->options);
    *conf = (struct bp_plugin_conf){0};
}
