/* SPDX-License-Identifier: MIT */
/* guard.c - pages without access around memory, and the words for who touches them. */

#define _GNU_SOURCE
#include "config.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "check/guard.h"

enum { PAGE = 4096, MOST = 512 };

/* Bytes with guards on both sides. */
struct region {
    const char *data, *what;
    size_t n;
    int number;
    bool is_read_only;
};

static struct region regions[MOST];
static struct kit *guarded; /* the test that runs */

static size_t pages(size_t n)
{
    return (n + PAGE - 1) / PAGE * PAGE;
}

/* Pages for n bytes, and one without access at each end. */
static char *map(size_t n, size_t *mapped)
{
    char *block;

    *mapped = pages(n ? n : 1) + 2 * (size_t)PAGE;
    block = mmap(NULL, *mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED ||
        mprotect(block + PAGE, *mapped - 2 * (size_t)PAGE, PROT_READ | PROT_WRITE) != 0)
        abort();
    return block;
}

void *kit_map_tight(size_t n, size_t align, void **data, size_t *mapped)
{
    char *block = map(n, mapped);
    size_t last = *mapped - PAGE - n;

    *data = block + last / align * align;
    return block;
}

void *kit_map_after(size_t n, void **data, size_t *mapped)
{
    char *block = map(n, mapped);

    *data = block + PAGE;
    return block;
}

void kit_unmap(void *block, size_t mapped)
{
    const char *first = block;

    for (int i = 0; i < MOST; i++) {
        if (regions[i].data && regions[i].data >= first && regions[i].data < first + mapped)
            regions[i].data = NULL;
    }
    munmap(block, mapped);
}

void kit_protect(void *data, size_t n, bool is_read_only)
{
    uintptr_t first = (uintptr_t)data / PAGE * PAGE, end = (uintptr_t)data + (n ? n : 1);

    if (mprotect((void *)first, pages(end - first), PROT_READ | (is_read_only ? 0 : PROT_WRITE)) !=
        0)
        abort();
}

void kit_forbid(void *data, size_t n)
{
    uintptr_t first = (uintptr_t)data / PAGE * PAGE, end = (uintptr_t)data + (n ? n : 1);

    if (mprotect((void *)first, pages(end - first), PROT_NONE) != 0)
        abort();
}

void kit_guard_add(const void *data, size_t n, const char *what, int number, bool is_read_only)
{
    for (int i = 0; i < MOST; i++) {
        if (regions[i].data)
            continue;
        regions[i] = (struct region){data, what, n, number, is_read_only};
        return;
    }
}

/* ---- what happened --------------------------------------------------------------------------- */

/* Did it write? Where the machine does not tell, the answer is 0 and the words say "accesses". */
static const char *kind_of(const void *context)
{
#if defined(__x86_64__)
    return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2 ? "writes" : "reads";
#else
    (void)context;
    return "accesses";
#endif
}

/* How far an address is from a region: 0 within it. */
static size_t distance(const struct region *r, const char *at)
{
    if (at < r->data)
        return (size_t)(r->data - at);
    return at < r->data + r->n ? 0 : (size_t)(at - r->data) - r->n + 1;
}

/* The region that an address is in, or the nearest within a page. */
static const struct region *region_at(const char *at)
{
    const struct region *nearest = NULL;

    for (int i = 0; i < MOST; i++) {
        const struct region *r = &regions[i];

        if (r->data && distance(r, at) <= PAGE &&
            (!nearest || distance(r, at) < distance(nearest, at)))
            nearest = r;
    }
    return nearest;
}

/*
 * Only writes to memory that is shared with the kit's process, and ends: after the access nothing of
 * the test's process can be relied on.
 */
static void stopped(int signal_number, siginfo_t *info, void *context)
{
    const char *at = info->si_addr, *kind = kind_of(context);
    const struct region *r = region_at(at);
    struct kit_outcome *outcome = guarded->outcome;
    char number[16] = "";

    if (!r) {
        signal(signal_number, SIG_DFL);
        return; /* the access comes again, and ends the process as it should */
    }
    if (r->number >= 0)
        snprintf(number, sizeof number, " %d", r->number);
    if (at < r->data)
        snprintf(outcome->text, sizeof outcome->text, "%s: it %s %zu bytes before %s%s",
                 guarded->doing ? guarded->doing : "", kind, (size_t)(r->data - at), r->what,
                 number);
    else if (at >= r->data + r->n)
        snprintf(outcome->text, sizeof outcome->text,
                 "%s: it %s %zu bytes past the end of %s%s, which has %zu bytes",
                 guarded->doing ? guarded->doing : "", kind, (size_t)(at - r->data) - r->n + 1,
                 r->what, number, r->n);
    else
        snprintf(outcome->text, sizeof outcome->text, "%s: it %s %s%s, which it may %s",
                 guarded->doing ? guarded->doing : "", kind, r->what, number,
                 r->is_read_only ? "only read" : "not touch any more");
    outcome->verdict = KIT_FAIL;
    outcome->is_done = 1;
    _exit(0);
}

void kit_guard_begin(struct kit *kit)
{
    struct sigaction action;

    if (kit->in_process)
        return;
    guarded = kit;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = stopped;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}
