/* SPDX-License-Identifier: MIT */
/* svg.c - has Graphviz's dot draw a graph, as a child process without a shell. */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plan/plan.h"
#include "text/whole_file.h"

extern char **environ;

/* Starts dot with `in` as its standard input and `out` as its output. Returns 0 or an errno. */
static int start(int in, int out, pid_t *child)
{
    char name[] = "dot", format[] = "-Tsvg";
    char *argv[] = {name, format, NULL};
    posix_spawn_file_actions_t actions;
    int cause = posix_spawn_file_actions_init(&actions);

    if (cause)
        return cause;
    cause = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    if (!cause)
        cause = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (!cause)
        cause = posix_spawnp(child, name, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return cause;
}

/* A write error is ignored: dot has exited then, and its exit status says why. */
static void feed(int fd, const char *data, size_t size)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    size_t done = 0;

    sigaction(SIGPIPE, &ignore, &before);
    while (done < size) {
        ssize_t n = write(fd, data + done, size - done);

        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    sigaction(SIGPIPE, &before, NULL);
}

/* Has dot write to the descriptor `out`. */
static int draw(const struct cli *cli, const struct bp_text *dot, const char *path, int out)
{
    int ends[2], cause, status = 0;
    pid_t child = -1;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return cli_fail(cli, CLI_RUN, "--svg: no pipe to dot: %s", strerror(errno));
    cause = start(ends[0], out, &child);
    close(ends[0]);
    if (cause) {
        close(ends[1]);
        return cli_fail(cli, CLI_RUN, "--svg needs Graphviz: cannot run dot: %s; %s",
                        strerror(cause),
                        "install the package graphviz, or use --dot for the text alone");
    }
    feed(ends[1], text_string(dot), dot->len);
    close(ends[1]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return cli_fail(cli, CLI_RUN, "--svg %s: Graphviz's dot failed", path);
    return CLI_OK;
}

int svg_draw(const struct cli *cli, const struct bp_text *dot, const char *path)
{
    struct whole_file out;
    int code;

    if (!whole_file_begin(&out, path)) {
        code = cli_fail(cli, CLI_USAGE, "--svg %s: %s", path, strerror(errno));
        whole_file_drop(&out);
        return code;
    }
    code = draw(cli, dot, path, fileno(out.file));
    if (code == CLI_OK && (!whole_file_end(&out) || !whole_file_name(&out)))
        code = cli_fail(cli, CLI_RUN, "--svg %s: %s", path, strerror(errno));
    whole_file_drop(&out);
    return code;
}
