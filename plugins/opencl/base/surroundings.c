/* SPDX-License-Identifier: MIT */
/* surroundings.c - see surroundings.h. */

#define _GNU_SOURCE /* environ, pipe2 */

#include "base/surroundings.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what drivers change in the process ------------------------------------------------------ */

void bp_opencl_save(struct bp_opencl_saved *saved)
{
    memset(saved, 0, sizeof *saved);
    for (int i = 1; i < BP_OPENCL_SIGNALS; i++)
        sigaction(i, NULL, &saved->actions[i]);
    sigaltstack(NULL, &saved->stack);
    while (environ && environ[saved->n])
        saved->n++;
    saved->variables = malloc((saved->n + 1) * sizeof *saved->variables);
    for (size_t i = 0; i < saved->n && saved->variables; i++)
        saved->variables[i] = environ[i];
}

static bool was_there(const struct bp_opencl_saved *saved, const char *variable)
{
    for (size_t i = 0; i < saved->n; i++) {
        if (saved->variables[i] == variable)
            return true;
    }
    return false;
}

/* Takes one variable out that was not there before; false: there is none. */
static bool unset_new(const struct bp_opencl_saved *saved)
{
    for (size_t i = 0; environ && environ[i]; i++) {
        char name[128];
        size_t n = strcspn(environ[i], "=");

        if (was_there(saved, environ[i]) || n >= sizeof name)
            continue;
        memcpy(name, environ[i], n);
        name[n] = '\0';
        return unsetenv(name) == 0;
    }
    return false;
}

void bp_opencl_put_back(struct bp_opencl_saved *saved)
{
    for (int i = 1; i < BP_OPENCL_SIGNALS; i++) {
        if (i != SIGKILL && i != SIGSTOP)
            sigaction(i, &saved->actions[i], NULL);
    }
    sigaltstack(&saved->stack, NULL);
    while (saved->variables && unset_new(saved))
        continue;
    free(saved->variables);
}

/* ---- a child that asks the drivers ----------------------------------------------------------- */

/* In a child of its own: lists, writes the answer, and takes the drivers' threads with it. */
static void answer(bp_opencl_list_fn list, int to)
{
    const struct bp_opencl_listing *listing = list();
    const char *at = (const char *)listing;
    size_t left = sizeof *listing;

    while (left > 0) {
        ssize_t n = write(to, at, left);

        if (n < 0 && errno != EINTR)
            break;
        at += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
    _exit(0);
}

/* False: the child ended early, or takes too long. */
static bool read_answer(int from, struct bp_opencl_listing *out)
{
    char *at = (char *)out;
    size_t left = sizeof *out;

    while (left > 0) {
        struct pollfd row = {.fd = from, .events = POLLIN};
        int ready = poll(&row, 1, BP_OPENCL_LIST_MS);
        ssize_t n;

        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return false;
        n = read(from, at, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        left -= (size_t)n;
    }
    return true;
}

/* An application may reap children of its own, so that there may be none to wait for. */
static void end_child(pid_t child)
{
    kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
}

bool bp_opencl_ask_child(bp_opencl_list_fn list, struct bp_opencl_listing *out)
{
    int ends[2];
    pid_t child;
    bool is_answered;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return false;
    child = fork();
    if (child == 0)
        answer(list, ends[1]);
    close(ends[1]);
    is_answered = child > 0 && read_answer(ends[0], out);
    close(ends[0]);
    if (child > 0)
        end_child(child);
    return is_answered;
}
