/* SPDX-License-Identifier: MIT */
/* surroundings.c - looks at what a plug-in must leave as it is, and says what changed. */

#define _GNU_SOURCE
#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/process/surroundings.h"

extern char **environ;

static int caught = -1; /* the file of standard output and error */

/* ---- handlers of atexit() -------------------------------------------------------------------- */

#define SEEN __attribute__((visibility("default")))

static unsigned n_exit_handlers;
static const char *watched_file = ""; /* whose handlers count: the plug-in's own, not a library's */

void kit_watch_exit_handlers(const char *path)
{
    watched_file = path;
}

/*
 * Stands before the C library's: atexit() of a shared object calls it with its own handle and without an
 * argument; destructors of static objects in C++ have an argument, the object, and are fine, because
 * dlclose() runs them.
 */
SEEN int __cxa_atexit(void (*fn)(void *), void *arg, void *object);
SEEN int __cxa_atexit(void (*fn)(void *), void *arg, void *object)
{
    static int (*next)(void (*)(void *), void *, void *);
    Dl_info owner;
    void *symbol;

    if (!next) {
        symbol = dlsym(RTLD_NEXT, "__cxa_atexit");
        memcpy(&next, &symbol, sizeof next);
    }
    if (!arg && object && dladdr(object, &owner) && strcmp(owner.dli_fname, watched_file) == 0)
        n_exit_handlers++;
    return next ? next(fn, arg, object) : -1;
}

/* ---- looking --------------------------------------------------------------------------------- */

static unsigned entries(const char *path)
{
    DIR *dir = opendir(path);
    unsigned n = 0;

    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

/* Those that run and those that ended and were not waited for: one, or none. */
static unsigned children(void)
{
    siginfo_t info;

    memset(&info, 0, sizeof info);
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 ? 1 : 0;
}

/* Modes, without the sticky flags of what happened. */
static unsigned float_mode(void)
{
    unsigned mode = (unsigned)fegetround();
#if defined(__x86_64__)
    unsigned mxcsr;
    unsigned short x87;

    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    mode = (mxcsr & 0xffc0) | (unsigned)x87 << 16;
#endif
    return mode;
}

static void look_at_place(struct kit_surroundings *now)
{
    size_t n = 0;

    snprintf(now->locale, sizeof now->locale, "%s", setlocale(LC_ALL, NULL));
    if (!getcwd(now->dir, sizeof now->dir))
        now->dir[0] = '\0';
    for (char **v = environ; *v && n < sizeof now->environment; v++) {
        int m = snprintf(now->environment + n, sizeof now->environment - n, "%s\n", *v);

        n += m > 0 ? (size_t)m : 0;
    }
    now->file_mask = umask(022);
    umask((mode_t)now->file_mask);
}

void kit_look(struct kit_surroundings *now)
{
    struct stat info;

    memset(now, 0, sizeof *now);
    now->threads = entries("/proc/self/task");
    now->fds = entries("/proc/self/fd");
    now->children = children();
    pthread_sigmask(SIG_BLOCK, NULL, &now->mask);
    for (int s = 1; s < KIT_SIGNALS; s++)
        sigaction(s, NULL, &now->actions[s]);
    sigaltstack(NULL, &now->stack);
    for (unsigned t = 0; t < KIT_TIMERS; t++)
        getitimer(t, &now->timers[t]);
    look_at_place(now);
    now->mode = float_mode();
    errno = 0;
    now->priority = getpriority(PRIO_PROCESS, 0);
    for (unsigned l = 0; l < RLIM_NLIMITS; l++)
        getrlimit(l, &now->limits[l]);
    sched_getaffinity(0, sizeof now->affinity, &now->affinity);
    if (caught >= 0 && fstat(caught, &info) == 0)
        now->written = (long)info.st_size;
    now->exit_handlers = n_exit_handlers;
}

bool kit_catch_output(void)
{
    fflush(NULL);
    caught = memfd_create("output", MFD_CLOEXEC);
    return caught >= 0 && dup2(caught, 1) == 1 && dup2(caught, 2) == 2;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void compare_signals(struct kit *kit, const struct kit_surroundings *a,
                            const struct kit_surroundings *b, const char *what)
{
    if (memcmp(&a->mask, &b->mask, sizeof a->mask) != 0)
        kit_fail(kit, "%s changes the signal mask", what);
    for (int s = 1; s < KIT_SIGNALS; s++) {
        if (a->actions[s].sa_handler != b->actions[s].sa_handler)
            kit_fail(kit, "%s changes what signal %d does", what, s);
    }
    if (a->stack.ss_sp != b->stack.ss_sp || a->stack.ss_flags != b->stack.ss_flags)
        kit_fail(kit, "%s changes the alternate signal stack", what);
    for (int t = 0; t < KIT_TIMERS; t++) {
        bool was = timerisset(&a->timers[t].it_value), is = timerisset(&b->timers[t].it_value);

        if (was != is)
            kit_fail(kit, "%s %s an interval timer", what, is ? "starts" : "stops");
    }
}

static void compare_place(struct kit *kit, const struct kit_surroundings *a,
                          const struct kit_surroundings *b, const char *what)
{
    if (strcmp(a->locale, b->locale) != 0)
        kit_fail(kit, "%s changes the locale to %s", what, b->locale);
    if (strcmp(a->dir, b->dir) != 0)
        kit_fail(kit, "%s changes the working directory", what);
    if (strcmp(a->environment, b->environment) != 0)
        kit_fail(kit, "%s changes the environment", what);
    if (a->file_mask != b->file_mask)
        kit_fail(kit, "%s changes the umask from %03o to %03o", what, a->file_mask, b->file_mask);
}

static void compare_limits(struct kit *kit, const struct kit_surroundings *a,
                           const struct kit_surroundings *b, const char *what)
{
    if (a->priority != b->priority)
        kit_fail(kit, "%s changes the priority from %d to %d", what, a->priority, b->priority);
    for (int l = 0; l < (int)RLIM_NLIMITS; l++) {
        if (a->limits[l].rlim_cur != b->limits[l].rlim_cur ||
            a->limits[l].rlim_max != b->limits[l].rlim_max)
            kit_fail(kit, "%s changes resource limit %d of the process", what, l);
    }
    if (memcmp(&a->affinity, &b->affinity, sizeof a->affinity) != 0)
        kit_fail(kit, "%s changes the processors that the calling thread may run on", what);
}

void kit_compare(struct kit *kit, const struct kit_surroundings *before,
                 const struct kit_surroundings *after, unsigned parts, const char *what)
{
    const struct kit_surroundings *a = before, *b = after;

    if (parts & KIT_OF_THREADS && a->threads != b->threads)
        kit_fail(kit, "%s leaves %d threads", what, (int)(b->threads - a->threads));
    if (parts & KIT_OF_THREADS && a->fds != b->fds)
        kit_fail(kit, "%s leaves %d open descriptors", what, (int)(b->fds - a->fds));
    if (parts & KIT_OF_SIGNALS)
        compare_signals(kit, a, b, what);
    if (parts & KIT_OF_PLACE)
        compare_place(kit, a, b, what);
    if (parts & KIT_OF_FLOATS && a->mode != b->mode)
        kit_fail(kit,
                 "%s changes the floating-point mode (rounding, flush-to-zero) from %08x to %08x",
                 what, a->mode, b->mode);
    if (parts & KIT_OF_LIMITS)
        compare_limits(kit, a, b, what);
    if (parts & KIT_OF_CHILDREN && a->children < b->children)
        kit_fail(kit, "%s leaves a child process", what);
    if (parts & KIT_OF_OUTPUT && a->written != b->written)
        kit_fail(kit,
                 "%s writes %ld bytes to standard output or error; bp_host.log is there for that",
                 what, b->written - a->written);
    if (parts & KIT_OF_EXIT && a->exit_handlers != b->exit_handlers)
        kit_fail(kit, "%s registers a handler with atexit(), which may outlive the plug-in", what);
}
