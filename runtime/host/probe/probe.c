/* SPDX-License-Identifier: MIT */
/*
 * probe.c - the host's side of a probe: starts helpers, waits for them with a deadline, and
 * describes how they ended. It waits for processes and never for the end of a file, because a
 * grandchild that holds a pipe open would keep it open for ever.
 */

#include "config.h"

#include "host/probe/probe.h"

#include <backplane.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/probe/shared_page.h"

enum {
    AT_ONCE = 32,       /* processes at a time */
    TICK_NS = 1000000,  /* between looks, on systems without pidfds */
    GRACE_NS = 20000000 /* limit for a killed process to end */
};

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- starting -------------------------------------------------------------------------------- */

/*
 * Makes a page that the helper cannot shrink while the host reads it; -1 and errno after a failure.
 */
static int make_page(struct bp_probe_page **out)
{
    int fd = memfd_create("backplane-probe", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    void *page = MAP_FAILED;

    if (fd >= 0 && ftruncate(fd, sizeof **out) == 0 &&
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        page = mmap(NULL, sizeof **out, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    *out = page;
    **out = (struct bp_probe_page){.magic = BP_PROBE_MAGIC};
    return fd;
}

/*
 * In the helper no signal is blocked or ignored, and it leads a process group, so that its children
 * are killed with it.
 */
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    int cause;

    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    cause = posix_spawnattr_setsigmask(attributes, &none);
    if (!cause)
        cause = posix_spawnattr_setsigdefault(attributes, &all);
    if (!cause)
        cause = posix_spawnattr_setpgroup(attributes, 0);
    return cause ? cause
                 : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK |
                                                            POSIX_SPAWN_SETSIGDEF |
                                                            POSIX_SPAWN_SETPGROUP);
}

static int set_files(posix_spawn_file_actions_t *files, int page)
{
    int cause = posix_spawn_file_actions_adddup2(files, page, BP_PROBE_FD);

    if (!cause)
        cause = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);
    if (!cause)
        cause = posix_spawn_file_actions_addopen(files, 1, "/dev/null", O_WRONLY, 0);
    return cause ? cause : posix_spawn_file_actions_adddup2(files, 1, 2);
}

static int spawn(const struct bp_probe_how *how, const struct bp_probe *probe, int page, pid_t *out)
{
    char name[] = "backplane-probe", parent[16];
    char *args[] = {name, parent, (char *)(uintptr_t)probe->path, (char *)(uintptr_t)probe->id,
                    NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int cause = posix_spawnattr_init(&attributes);

    snprintf(parent, sizeof parent, "%ld", (long)getpid());
    if (cause)
        return cause;
    cause = posix_spawn_file_actions_init(&files);
    if (!cause) {
        cause = set_attributes(&attributes);
        if (!cause)
            cause = set_files(&files, page);
        if (!cause)
            cause = posix_spawn(out, how->helper, &files, &attributes, args, environ);
        posix_spawn_file_actions_destroy(&files);
    }
    posix_spawnattr_destroy(&attributes);
    return cause;
}

/*
 * Starts a helper. The deadline counts from here, so that a helper that never gets to run is ended,
 * too.
 */
static void start(const struct bp_probe_how *how, struct bp_probe *probe)
{
    struct bp_probe_page *page = NULL;
    pid_t pid = -1;
    int cause, fd;

    probe->child.pid = probe->child.pidfd = -1;
    probe->child.deadline_ns = now_ns() + (int64_t)how->timeout_ms * 1000000;
    fd = make_page(&page);
    cause = fd < 0 ? errno : spawn(how, probe, fd, &pid);
    if (fd >= 0)
        close(fd);
    probe->child.page = page;
    if (cause) {
        probe->end = BP_PROBE_NOT_RUN;
        snprintf(probe->words, sizeof probe->words, "%s: %s", how->helper, strerror(cause));
        return;
    }
    probe->child.pid = pid;
#if defined(SYS_pidfd_open)
    probe->child.pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
#endif
}

/* ---- how it ended ---------------------------------------------------------------------------- */

static const char *doing(uint32_t stage)
{
    switch (stage) {
    case BP_STAGE_ABI:
        return "in its entry";
    case BP_STAGE_AVAILABLE:
        return "in is_available";
    default:
        return "while it was opened";
    }
}

/* Reads a text of the page, which the plug-in may have written to: it is cut to the buffer. */
static void take_words(char *words, size_t cap, const char *theirs, size_t their_cap)
{
    size_t n = their_cap < cap ? their_cap : cap;

    memcpy(words, theirs, n);
    words[n - 1] = '\0';
    for (char *c = words; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
    }
}

static void describe_leftovers(struct bp_probe *probe, uint32_t left)
{
    static const char *const things[] = {"a thread", "blocked signals", "another current directory",
                                         "standard descriptors closed"};
    int n = snprintf(probe->words, sizeof probe->words,
                     "once asked whether it is usable, it left behind ");
    const char *glue = "";

    for (size_t i = 0; i < sizeof things / sizeof things[0]; i++) {
        if (left & 1u << i) {
            n += snprintf(probe->words + n, sizeof probe->words - (size_t)n, "%s%s", glue,
                          things[i]);
            glue = " and ";
        }
    }
    probe->end = BP_PROBE_LEFT;
}

/*
 * Reads the results of a helper that ended by itself. The plug-in could write to the page as well,
 * so each value is read with a bound and never trusted.
 */
static void take_answer(struct bp_probe *probe, const struct bp_probe_page *page)
{
    probe->code = page->code;
    if (page->left) {
        describe_leftovers(probe, page->left);
        return;
    }
    probe->end = BP_PROBE_CLEAN;
    take_words(probe->words, sizeof probe->words, page->reason, sizeof page->reason);
    take_words(probe->fix, sizeof probe->fix, page->fix, sizeof page->fix);
    probe->files = strndup(page->files, sizeof page->files);
}

/* Describes how a helper ended. is_late: the host killed it; status NULL: unknown. */
static void conclude(struct bp_probe *probe, const struct bp_probe_how *how,
                     const siginfo_t *status, bool is_late)
{
    const struct bp_probe_page *page = probe->child.page;
    const char *when;

    probe->stage = page->stage < BP_STAGE_END ? page->stage : BP_STAGE_NONE;
    when = doing(probe->stage);
    if (probe->stage == BP_STAGE_NONE) { /* the plug-in has not run yet */
        probe->end = BP_PROBE_NOT_RUN;
        snprintf(probe->words, sizeof probe->words, "%s %s", how->helper,
                 is_late ? "took too long to start" : "ended before it opened anything");
    } else if (is_late) {
        probe->end = BP_PROBE_TOO_LONG;
        snprintf(probe->words, sizeof probe->words, "it took more than %u ms, %s", how->timeout_ms,
                 when);
    } else if (page->is_done == 1 && (!status || status->si_code == CLD_EXITED)) {
        take_answer(probe, page);
    } else if (!status) {
        probe->end = BP_PROBE_LOST;
        snprintf(probe->words, sizeof probe->words, "it ended %s; how is not known", when);
    } else if (status->si_code == CLD_EXITED) {
        probe->end = BP_PROBE_EXIT;
        probe->number = status->si_status;
        snprintf(probe->words, sizeof probe->words, "it ended its process with status %d, %s",
                 probe->number, when);
    } else {
        probe->end = BP_PROBE_SIGNAL;
        probe->number = status->si_status;
        snprintf(probe->words, sizeof probe->words, "it crashed with signal %d (%s), %s",
                 probe->number, strsignal(probe->number), when);
    }
}

/*
 * Has the helper ended? Its status is not collected: as long as it is a zombie, no other process
 * gets its id.
 */
static bool has_ended(const struct bp_probe *probe, siginfo_t *status, bool *is_known)
{
    status->si_pid = 0;
    while (waitid(P_PID, (id_t)probe->child.pid, status, WEXITED | WNOHANG | WNOWAIT) != 0) {
        if (errno != EINTR) { /* the application collects all its children, or ignores their ends */
            *is_known = false;
            return true;
        }
    }
    *is_known = true;
    return status->si_pid != 0;
}

/* Frees what the probe holds; its process has ended or is about to. */
static void clean_up(struct bp_probe *probe, bool is_ours)
{
    int status;

    if (is_ours) {
        kill(-probe->child.pid, SIGKILL); /* processes that it started */
        while (waitpid(probe->child.pid, &status, WNOHANG) < 0 && errno == EINTR) {
        }
    }
    if (probe->child.pidfd >= 0)
        close(probe->child.pidfd);
    probe->child.pid = -1;
}

/*
 * Finishes a helper that has ended, and kills one whose deadline is over. False: it goes on.
 * WNOWAIT keeps the ended process a zombie until clean_up() has killed its group, so that its id
 * cannot belong to another process by then.
 */
static bool settle(struct bp_probe *probe, const struct bp_probe_how *how)
{
    siginfo_t status = {0};
    bool is_known, is_late = false;

    if (!has_ended(probe, &status, &is_known)) {
        int64_t end = now_ns();

        if (end < probe->child.deadline_ns)
            return false;
        is_late = true;
        kill(-probe->child.pid, SIGKILL);
        kill(probe->child.pid, SIGKILL); /* it may have left its group */
        while (!has_ended(probe, &status, &is_known) && now_ns() < end + GRACE_NS)
            nanosleep(&(struct timespec){.tv_nsec = TICK_NS / 10}, NULL);
    }
    conclude(probe, how, is_known ? &status : NULL, is_late);
    clean_up(probe, is_known);
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Waits until a helper ends or the first deadline is over. */
static void wait_for_any(const struct bp_probe *probes, uint32_t n)
{
    struct pollfd fds[AT_ONCE];
    int64_t now = now_ns(), wait = INT64_MAX;
    uint32_t n_fds = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (probes[i].child.pid < 0)
            continue;
        if (probes[i].child.deadline_ns - now < wait)
            wait = probes[i].child.deadline_ns - now;
        if (probes[i].child.pidfd >= 0)
            fds[n_fds++] = (struct pollfd){.fd = probes[i].child.pidfd, .events = POLLIN};
        else if (wait > TICK_NS)
            wait = TICK_NS;
    }
    if (wait > 0)
        (void)ppoll(fds, n_fds,
                    &(struct timespec){.tv_sec = (time_t)(wait / 1000000000),
                                       .tv_nsec = (long)(wait % 1000000000)},
                    NULL);
}

static void run_some(const struct bp_probe_how *how, struct bp_probe *probes, uint32_t n)
{
    uint32_t running = 0;

    for (uint32_t i = 0; i < n; i++) {
        start(how, &probes[i]);
        running += probes[i].child.pid >= 0;
    }
    while (running > 0) {
        wait_for_any(probes, n);
        for (uint32_t i = 0; i < n; i++) {
            if (probes[i].child.pid >= 0 && settle(&probes[i], how))
                running--;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        if (probes[i].child.page)
            munmap(probes[i].child.page, sizeof(struct bp_probe_page));
        probes[i].child.page = NULL;
    }
}

/*
 * Runs at most 32 helpers at a time, so that a directory of hundreds of plug-ins does not start
 * hundreds of processes.
 */
void bp_probe_run(const struct bp_probe_how *how, struct bp_probe *probes, uint32_t n)
{
    for (uint32_t at = 0; at < n; at += AT_ONCE)
        run_some(how, probes + at, n - at < AT_ONCE ? n - at : AT_ONCE);
}

bool bp_probe_has_failed(const struct bp_probe *probe)
{
    return probe->end == BP_PROBE_SIGNAL || probe->end == BP_PROBE_EXIT ||
           probe->end == BP_PROBE_TOO_LONG || probe->end == BP_PROBE_LEFT;
}
