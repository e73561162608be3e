/* SPDX-License-Identifier: MIT */
/*
 * main.c - backplane-probe: opens one plug-in as the host would, asks whether it is usable, and
 * writes the stage that it enters next into a page shared with the host.
 *
 * backplane-probe PARENT PATH ID, with the page as descriptor 3
 */

#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "host/load/loader.h"
#include "host/load/mapped.h"
#include "host/load/services.h"
#include "host/probe/shared_page.h"

enum {
    BAD_USE = 64,  /* exit status: no host started it */
    SETTLE_MS = 50 /* limit for an ended thread to disappear */
};

/* What the plug-in must not change. */
struct process_state {
    unsigned fds; /* how many standard descriptors are open */
    unsigned threads;
    sigset_t mask;
    struct stat dir;
};

/* Counts this process's threads; 0: unknown. */
static unsigned count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *entry;
    unsigned n = 0;

    if (!tasks)
        return 0;
    while ((entry = readdir(tasks)) != NULL)
        n += entry->d_name[0] != '.';
    closedir(tasks);
    return n;
}

static void look(struct process_state *before)
{
    before->fds = 0;
    for (int fd = 0; fd < BP_PROBE_FD; fd++)
        before->fds += fcntl(fd, F_GETFD) >= 0;
    before->threads = count_threads();
    sigprocmask(SIG_SETMASK, NULL, &before->mask);
    if (stat(".", &before->dir) != 0)
        memset(&before->dir, 0, sizeof before->dir);
}

static uint32_t what_is_left(const struct process_state *before)
{
    struct process_state after;
    uint32_t left = 0;

    look(&after);
    for (int ms = 0; ms < SETTLE_MS && after.threads > before->threads; ms++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        after.threads = count_threads();
    }
    if (after.threads > before->threads)
        left |= BP_PROBE_LEFT_THREAD;
    for (int i = 1; i < NSIG; i++) {
        if (sigismember(&before->mask, i) != sigismember(&after.mask, i))
            left |= BP_PROBE_LEFT_MASK;
    }
    if (after.dir.st_ino != before->dir.st_ino || after.dir.st_dev != before->dir.st_dev)
        left |= BP_PROBE_LEFT_DIR;
    if (after.fds < before->fds)
        left |= BP_PROBE_LEFT_FDS;
    return left;
}

/*
 * Makes the helper end with the host, gain no privileges, leave no core, and hold none of the
 * host's files.
 */
static bool isolate(const char *parent)
{
    struct rlimit none = {0, 0};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != atol(parent))
        return false;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    setrlimit(RLIMIT_CORE, &none);
#if defined(SYS_close_range)
    if (syscall(SYS_close_range, BP_PROBE_FD + 1, ~0u, 0) == 0)
        return true;
#endif
    for (int fd = BP_PROBE_FD + 1; fd < 1024; fd++)
        close(fd);
    return true;
}

static struct bp_probe_page *map_page(void)
{
    struct bp_probe_page *page = MAP_FAILED;
    struct stat st;

    if (fstat(BP_PROBE_FD, &st) == 0 && st.st_size == (off_t)sizeof *page)
        page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, BP_PROBE_FD, 0);
    close(BP_PROBE_FD);
    return page == MAP_FAILED || page->magic != BP_PROBE_MAGIC ? NULL : page;
}

static const bp_provider *choose(const struct bp_module_copy *copy, const char *id)
{
    for (uint32_t i = 0; i < copy->module.n_providers; i++) {
        if (strcmp(copy->providers[i].id, id) == 0)
            return &copy->providers[i];
    }
    return &copy->providers[0];
}

static bp_rc ask(const bp_provider *provider, const char *path, char *reason, size_t cap, char *fix,
                 size_t fix_cap, bp_err *err)
{
    static const struct bp_log silent = {.level = BP_LOG_ERROR};
    struct bp_services services = {.log = &silent, .scope = provider->id};
    bp_avail avail = {.struct_size = sizeof avail,
                      .state = BP_AVAIL_UNKNOWN,
                      .reason = reason,
                      .reason_cap = (uint32_t)cap,
                      .fix = fix,
                      .fix_cap = (uint32_t)fix_cap};
    bp_rc rc;

    if (!provider->is_available)
        return BP_OK;
    bp_services_init(&services, path);
    rc = provider->is_available(&services.host, &avail, err);
    if (rc < 0)
        return rc;
    return avail.state == BP_AVAIL_YES ? BP_OK : BP_E_UNAVAILABLE;
}

/* Lists what the plug-in or the linker has mapped by now. */
static void list_files(const struct bp_mapped *before, const char *path, char *out, size_t cap)
{
    char **files = bp_mapped_since(before, path);
    size_t n = 0;

    for (char **file = files; file && *file; file++) {
        size_t size = strlen(*file);

        if (strchr(*file, '\n') || n + size + 2 > cap)
            continue;
        memcpy(out + n, *file, size);
        out[n + size] = '\n';
        n += size + 1;
        out[n] = '\0';
    }
    free(files);
}

static void probe(struct bp_probe_page *page, const char *path, const char *id)
{
    struct bp_mapped mapped = {0};
    const struct bp_module_copy *copy = NULL;
    char text[sizeof page->reason] = "", reason[sizeof page->reason] = "";
    char fix[sizeof page->fix] = "";
    bp_err err = bp_err_init(text, sizeof text);
    struct process_state before;
    bp_rc rc;

    bp_mapped_look(&mapped);
    look(&before);
    page->stage = BP_STAGE_OPEN;
    rc = bp_loader_open(path, NULL, &copy, &page->stage, &err);
    if (rc >= 0) {
        page->stage = BP_STAGE_AVAILABLE;
        rc = ask(choose(copy, id), path, reason, sizeof reason, fix, sizeof fix, &err);
    }
    page->code = rc;
    memcpy(page->reason, reason[0] ? reason : text, sizeof page->reason);
    memcpy(page->fix, fix, sizeof page->fix);
    list_files(&mapped, path, page->files, sizeof page->files);
    page->left = what_is_left(&before);
    page->is_done = 1;
}

int main(int argc, char **argv)
{
    struct bp_probe_page *page;

    if (argc != 4 || !isolate(argv[1])) {
        fputs("backplane-probe: hosts start this, to try plug-ins\n", stderr);
        return BAD_USE;
    }
    page = map_page();
    if (!page)
        return BAD_USE;
    probe(page, argv[2], argv[3]);
    _exit(0); /* skips exit handlers: when a host ends plug-ins are still mapped, too */
}
