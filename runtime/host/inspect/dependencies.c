/* SPDX-License-Identifier: MIT */
/*
 * dependencies.c - finds all missing libraries and undefined symbols of a plug-in at once.
 *
 * The dynamic linker's tracing mode (glibc) resolves everything by its own rules and reports what
 * it does not find. It runs in a child process, so that nothing it does can affect this one.
 */

#include "config.h"

#include "host/inspect/dependencies.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file_trust.h"
#include "host/inspect/elf.h"

enum {
    DEADLINE_MS = 2000,
    MAX_OUTPUT = 1 << 18, /* bytes of the linker's report */
    MAX_NAMED = 12        /* of each kind that a reason names; more are counted */
};

/* ---- asking the linker ----------------------------------------------------------------------- */

static long now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/*
 * Environment variables that steer the linker; in a program with raised privileges it ignores them.
 */
static void fill_environment(char **envp, bool with_symbols, char *dirs, size_t cap)
{
    static char trace[] = "LD_TRACE_LOADED_OBJECTS=1", warn[] = "LD_WARN=yes",
                now[] = "LD_BIND_NOW=yes";
    const char *own = getenv("LD_LIBRARY_PATH");

    *envp++ = trace;
    if (with_symbols) {
        *envp++ = warn;
        *envp++ = now;
    }
    if (own && (size_t)snprintf(dirs, cap, "LD_LIBRARY_PATH=%s", own) < cap)
        *envp++ = dirs;
    *envp = NULL;
}

/*
 * Starts the linker on a file; its output comes from fd `out`. -1: it can't be started. With raised
 * privileges the linker would run the file unless an argument tells it to trace only; then it stops
 * at what is missing.
 */
static pid_t start(const char *linker, const char *path, bool with_symbols, int out)
{
    static char list[] = "--list";
    bool is_elevated = bp_trust_is_elevated();
    char dirs[PATH_MAX + 32], *envp[5] = {NULL};
    char *own = strdup(linker), *file = strdup(path);
    char *args[] = {own, is_elevated ? list : file, is_elevated ? file : NULL, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;

    if (!is_elevated)
        fill_environment(envp, with_symbols, dirs, sizeof dirs);
    if (own && file && posix_spawn_file_actions_init(&actions) == 0) {
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, out, 1);
        posix_spawn_file_actions_adddup2(&actions, out, 2);
        if (posix_spawn(&pid, linker, &actions, NULL, args, envp) != 0)
            pid = -1;
        posix_spawn_file_actions_destroy(&actions);
    }
    free(own);
    free(file);
    return pid;
}

/* Reads until the end, the deadline, or the limit of bytes; NULL: no memory. */
static char *read_report(int fd)
{
    char *text = calloc(MAX_OUTPUT + 1, 1);
    long end = now_ms() + DEADLINE_MS;
    size_t n = 0;

    while (text && n < MAX_OUTPUT) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        long left = end - now_ms();
        ssize_t got;

        if (left <= 0 || (poll(&wait, 1, (int)left) < 0 && errno != EINTR))
            break;
        if (!wait.revents)
            continue;
        got = read(fd, text + n, MAX_OUTPUT - n);
        if (got == 0 || (got < 0 && errno != EINTR))
            break;
        n += got > 0 ? (size_t)got : 0;
    }
    return text;
}

/*
 * Returns the linker's report on a file, to be freed; NULL: there is none. The linker of this
 * process (AT_BASE) is used, so that the answer is by the rules of the one that will load the
 * plug-in.
 */
static char *trace(const char *path, bool with_symbols)
{
    const void *base = (const void *)getauxval(AT_BASE); /* the linker of this process */
    Dl_info linker;
    char *text = NULL;
    int ends[2];
    pid_t pid;

    if (!base || dladdr(base, &linker) == 0 || !linker.dli_fname || linker.dli_fname[0] != '/' ||
        pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    pid = start(linker.dli_fname, path, with_symbols, ends[1]);
    close(ends[1]);
    if (pid > 0) {
        text = read_report(ends[0]);
        kill(pid, SIGKILL); /* its report is complete */
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    close(ends[0]);
    return text;
}

/* ---- reading its report ---------------------------------------------------------------------- */

/* The reason while it is written, and the objects that the linker did find. */
struct report {
    struct bp_text missing, versions, symbols, objects; /* objects: paths, each with a newline */
    unsigned n_missing, n_versions, n_symbols;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Does an object need the library (DT_NEEDED)? */
static bool needs(const char *object, const char *library)
{
    struct bp_elf_dynamic *dynamic = malloc(sizeof *dynamic);
    struct bp_elf *elf = malloc(sizeof *elf);
    int fd = open(object, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char name[NAME_MAX + 1];
    bool does = false;

    if (dynamic && elf && fd >= 0 && bp_elf_open(elf, fd, NULL) >= 0 && elf->is_native &&
        bp_elf_dynamic_read(elf, dynamic, NULL) >= 0) {
        for (uint32_t i = 0; !does && i < dynamic->n_needed; i++)
            does = bp_elf_string(elf, dynamic, dynamic->needed[i], name, sizeof name) &&
                   strcmp(name, library) == 0;
    }
    if (fd >= 0)
        close(fd);
    free(elf);
    free(dynamic);
    return does;
}

/* Adds " (needed by a.so and b.so)". */
static void add_needers(struct bp_text *out, const char *objects, const char *library)
{
    const char *glue = " (needed by ";

    while (objects && *objects) {
        size_t n = strcspn(objects, "\n");
        char path[PATH_MAX];

        if (n < sizeof path) {
            memcpy(path, objects, n);
            path[n] = '\0';
            if (needs(path, library)) {
                bp_text_printf(out, "%s%s", glue, base_name(path));
                glue = " and ";
            }
        }
        objects += n + (objects[n] == '\n');
    }
    if (glue[1] == 'a')
        bp_text_add(out, ")");
}

/* Is a library of this name loaded in this process? Then it will serve the plug-in too. */
static bool is_loaded(const char *library)
{
    void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);

    if (handle)
        dlclose(handle);
    return handle != NULL;
}

/* Reads "\tlibx.so => not found". */
static void take_missing(struct report *report, const char *line)
{
    const char *arrow = strstr(line, " => not found");
    char name[NAME_MAX + 1];

    line += strspn(line, " \t");
    if (!arrow || arrow < line || (size_t)(arrow - line) >= sizeof name)
        return;
    memcpy(name, line, (size_t)(arrow - line));
    name[arrow - line] = '\0';
    if (is_loaded(name) || ++report->n_missing > MAX_NAMED)
        return;
    bp_text_printf(&report->missing, "%s%s", report->n_missing > 1 ? ", " : "", name);
    add_needers(&report->missing, report->objects.data, name);
}

/* Reads "\tlibx.so => /lib/libx.so (0x...)". */
static void take_object(struct report *report, const char *line)
{
    const char *path = strstr(line, " => /");

    if (path)
        bp_text_printf(&report->objects, "%.*s\n", (int)strcspn(path + 4, " "), path + 4);
}

/* Reads "a: b: version `V' not found (required by c)". */
static void take_version(struct report *report, const char *line)
{
    const char *version = strstr(line, ": version `"), *by = strstr(line, "(required by ");
    const char *library = NULL;
    char name[PATH_MAX];

    if (!version || !by || (size_t)(version - line) >= sizeof name ||
        ++report->n_versions > MAX_NAMED)
        return;
    memcpy(name, line, (size_t)(version - line));
    name[version - line] = '\0';
    library = base_name(name);
    version += strlen(": version `");
    by += strlen("(required by ");
    bp_text_printf(&report->versions, "%s%s lacks %.*s (needed by ",
                   report->n_versions > 1 ? ", " : "", library, (int)strcspn(version, "'"),
                   version);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(by, ")"), by);
    bp_text_printf(&report->versions, "%s)", base_name(name));
}

/* Reads "undefined symbol: f, version V\t(/path/a.so)"; other text may precede it. */
static void take_symbol(struct report *report, const char *line)
{
    const char *symbol = strstr(line, "undefined symbol: "), *open;
    char name[512], object[PATH_MAX];

    if (!symbol)
        return;
    symbol += strlen("undefined symbol: ");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(symbol, ",\t"), symbol);
    open = strchr(symbol, '(');
    snprintf(object, sizeof object, "%.*s", open ? (int)strcspn(open + 1, ")") : 0,
             open ? open + 1 : "");
    if (strstr(symbol, ", version ") || dlsym(RTLD_DEFAULT, name)) /* reported, or defined here */
        return;
    if (++report->n_symbols <= MAX_NAMED)
        bp_text_printf(&report->symbols, "%s%s (in %s)", report->n_symbols > 1 ? ", " : "", name,
                       base_name(object));
}

static void take_lines(struct report *report, const char *text,
                       void (*take)(struct report *, const char *))
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        char line[PATH_MAX + 1024];

        if (n < sizeof line) {
            memcpy(line, text, n);
            line[n] = '\0';
            take(report, line);
        }
        text += n + (text[n] == '\n');
    }
}

/* Writes "2 libraries are missing: a, b", and how many more. */
static void add_part(struct bp_text *out, const char *one, const char *many, unsigned n,
                     const struct bp_text *names)
{
    if (n == 0)
        return;
    bp_text_printf(out, "%s%u %s: %s", out->len ? "; " : "", n, n == 1 ? one : many,
                   names->data ? names->data : "");
    if (n > MAX_NAMED)
        bp_text_printf(out, " and %u more", n - MAX_NAMED);
}

/*
 * Collects objects first, because the object that needs a missing library is looked up among them.
 */
bool bp_dependencies_explain(const char *path, struct bp_text *out)
{
    struct report report = {0};
    struct bp_text whole = {0};
    char *text = trace(path, true);
    bool is_listed;

    if (!text)
        return false;
    bp_text_printf(&report.objects, "%s\n", path);
    take_lines(&report, text, take_object);
    take_lines(&report, text, take_missing);
    take_lines(&report, text, take_version);
    take_lines(&report, text, take_symbol);
    free(text);
    add_part(&whole, "library is missing", "libraries are missing", report.n_missing,
             &report.missing);
    add_part(&whole, "library is too old", "libraries are too old", report.n_versions,
             &report.versions);
    add_part(&whole, "undefined symbol", "undefined symbols", report.n_symbols, &report.symbols);
    is_listed = whole.len > 0 && !whole.failed;
    if (is_listed)
        bp_text_add(out, whole.data);
    bp_text_finish(&whole);
    bp_text_finish(&report.missing);
    bp_text_finish(&report.versions);
    bp_text_finish(&report.symbols);
    bp_text_finish(&report.objects);
    return is_listed && !out->failed;
}

/* ---- who could have changed them ------------------------------------------------------------- */

/* Returns the object that a line of the report names, by its path; false: none. */
static bool path_of_line(const char *line, size_t n, char out[PATH_MAX])
{
    const char *arrow = memmem(line, n, " => /", 5);
    const char *at = arrow ? arrow + 4 : line + strspn(line, " \t");
    size_t size = at < line + n ? strcspn(at, " \n") : 0;

    if (size == 0 || at[0] != '/' || size >= PATH_MAX)
        return false;
    memcpy(out, at, size);
    out[size] = '\0';
    return true;
}

bp_rc bp_dependencies_check_file(const char *path, struct bp_trust *trust, char *fix,
                                 size_t fix_cap, bp_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bp_rc rc;

    if (fd < 0)
        return bp_fail(err, BP_E_UNAVAILABLE, "%s: %s", path, strerror(errno));
    rc = bp_trust_check(trust, path, fd, fix, fix_cap, err);
    close(fd);
    return rc;
}

/* Checks every file that the linker names, whether or not this process has loaded it. */
bp_rc bp_dependencies_check(const char *path, struct bp_trust *trust, char *fix, size_t fix_cap,
                            bp_err *err)
{
    char *text = trace(path, false), object[PATH_MAX];
    unsigned n_lines = 0;
    bp_rc rc = BP_OK;
    bool is_listed;

    for (const char *line = text; rc >= 0 && line && *line;) {
        size_t n = strcspn(line, "\n");

        n_lines++;
        if (path_of_line(line, n, object))
            rc = bp_dependencies_check_file(object, trust, fix, fix_cap, err);
        line += n + (line[n] == '\n');
    }
    is_listed = n_lines > 0 && !strstr(text, ": error while loading shared libraries: ");
    free(text);
    if (rc < 0)
        return bp_fail_in(err, BP_E_UNAVAILABLE, "%s needs a library that is not trusted", path);
    if (!is_listed)
        return bp_fail(
            err, BP_E_UNAVAILABLE,
            "%s: the libraries that it would load cannot be listed here, and only trusted "
            "ones may be",
            path);
    return BP_OK;
}
