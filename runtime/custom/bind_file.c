/* SPDX-License-Identifier: MIT */
/* bind_file.c - bind files: which functions of which libraries become operators. */

#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "custom/bind.h"

/* What lines above have said. */
struct bind_file {
    bp_operators *set;
    const char *path;
    const char *wrong; /* after a failure: what is wrong, in its line */
    char library[PATH_MAX], domain[BP_BIND_NAME * 4];
    uint32_t version;
};

/*
 * What follows the word and the blanks after it; NULL: the line begins with another. A word alone
 * on its line, without a value, is not such a line and read as a function, whose error then names it.
 */
static const char *skip_word(const char *line, const char *word)
{
    size_t n = strlen(word);

    if (strncmp(line, word, n) != 0 || !isspace((unsigned char)line[n]))
        return NULL;
    while (isspace((unsigned char)line[n]))
        n++;
    return line + n;
}

/*
 * A path with a slash that is not absolute begins where the file is; names are the linker's. A bare
 * name ("libm.so.6") is looked for by the dynamic linker, as dlopen(3) says.
 */
static bp_rc set_library(struct bind_file *file, const char *value, bp_err *err)
{
    const char *slash = strrchr(file->path, '/');
    int dir = slash && value[0] != '/' && strchr(value, '/') ? (int)(slash - file->path + 1) : 0;
    int n = snprintf(file->library, sizeof file->library, "%.*s%s", dir, file->path, value);

    if (n < 0 || (size_t)n >= sizeof file->library)
        return bp_fail(err, BP_E_INVALID, "the path of the library is too long");
    return BP_OK;
}

static bp_rc set_domain(struct bind_file *file, const char *value, bp_err *err)
{
    if (strlen(value) >= sizeof file->domain)
        return bp_fail(err, BP_E_INVALID, "the domain is too long");
    strcpy(file->domain, value);
    return BP_OK;
}

/* Of the operators that follow; 1 where no line says it. */
static bp_rc set_version(struct bind_file *file, const char *value, bp_err *err)
{
    char *end;
    unsigned long version = strtoul(value, &end, 10);

    if (*end || end == value || version == 0 || version > INT32_MAX)
        return bp_fail(err, BP_E_INVALID, "'%.20s' is not a version", value);
    file->version = (uint32_t)version;
    return BP_OK;
}

/* Library and domain are those of the last such lines before it, so one file can bind several. */
static bp_rc add_function(struct bind_file *file, const char *line, bp_err *err)
{
    struct bp_bind_function function;
    size_t wrong;
    bp_rc rc = bp_bind_parse(line, &function, &wrong, err);

    file->wrong = line;
    if (rc < 0) {
        file->wrong = line + wrong;
        return rc;
    }
    if (!file->library[0])
        return bp_fail(err, BP_E_INVALID, "no line 'library PATH' comes before '%s'", function.op);
    if (!file->domain[0])
        return bp_fail(err, BP_E_INVALID, "no line 'domain NAME' comes before '%s'", function.op);
    file->wrong = line + function.symbol_at;
    return bp_bind_define(file->set, &function, file->library, file->domain, file->version, err);
}

/* A # begins a comment wherever it stands: no part of a prototype has one. */
static bp_rc read_line(struct bind_file *file, char *line, bp_err *err)
{
    const char *value;
    size_t n;

    line[strcspn(line, "#")] = '\0';
    while (isspace((unsigned char)*line))
        line++;
    n = strlen(line);
    while (n > 0 && isspace((unsigned char)line[n - 1]))
        line[--n] = '\0';
    if (n == 0)
        return BP_OK;
    if ((file->wrong = value = skip_word(line, "library")) != NULL)
        return set_library(file, value, err);
    if ((file->wrong = value = skip_word(line, "domain")) != NULL)
        return set_domain(file, value, err);
    if ((file->wrong = value = skip_word(line, "version")) != NULL)
        return set_version(file, value, err);
    return add_function(file, line, err);
}

/*
 * The first line that is wrong ends it; the functions before it stay in the set. The error begins
 * with the path, the line and the column, in bytes from 1.
 */
bp_rc bp_operators_bind(bp_operators *set, const char *path, bp_err *err)
{
    struct bind_file file = {.set = set, .path = path, .version = 1};
    char *line = NULL;
    size_t cap = 0;
    unsigned number = 0;
    FILE *in;
    bp_rc rc = BP_OK;

    if (!set || !path)
        return bp_fail(err, BP_E_INVALID, "a bind file needs a set of operators and a path");
    in = fopen(path, "re");
    if (!in)
        return bp_fail(err, BP_E_IO, "%s: %s", path, strerror(errno));
    while (rc >= 0 && getline(&line, &cap, in) >= 0) {
        number++;
        rc = read_line(&file, line, err);
    }
    if (rc < 0)
        bp_fail_in(err, rc, "%s:%u:%zu", path, number, (size_t)(file.wrong - line) + 1);
    else if (ferror(in))
        rc = bp_fail(err, BP_E_IO, "%s: it cannot be read", path);
    free(line);
    fclose(in);
    return bp_done(err, rc);
}
