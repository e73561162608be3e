/* SPDX-License-Identifier: MIT */
/* deadline.c - --timeout: a limit for loading and running one model. */

#include "config.h"

#include "lib/deadline.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "lib/cli.h"
#include "lib/progress.h"

#define GRACE 1.0         /* seconds that a run gets to notice for itself */
#define LIMIT_AT_MOST 1e8 /* seconds: three years, which every timer can hold */

/* The process has one alarm, so there is one limit; the handler reads `what`. */
static struct {
    double end; /* 0: no limit */
    const char *volatile what;
} limit;

static void say(const char *text)
{
    ssize_t n = write(STDERR_FILENO, text, strlen(text));

    (void)n; /* nothing is left to be done about it */
}

/* Calls nothing that a signal handler may not call. */
static void too_late(int signal_number)
{
    (void)signal_number;
    say("backplane: error: ");
    say(limit.what);
    say(": did not stop within the time that --timeout gives\n");
    _exit(CLI_TIMEOUT);
}

/*
 * The run is asked to stop at `seconds`; the alarm, GRACE later, ends the process of one that
 * does not. 0 takes the limit back.
 */
void deadline_start(double seconds, const char *what)
{
    struct itimerval timer = {0};
    struct sigaction action = {0};
    double whole;

    seconds = fmin(seconds, LIMIT_AT_MOST);
    limit.what = what;
    limit.end = seconds > 0 ? clock_seconds() + seconds : 0;
    if (seconds > 0) {
        timer.it_value.tv_usec = (suseconds_t)(modf(seconds + GRACE, &whole) * 1e6);
        timer.it_value.tv_sec = (time_t)whole;
        action.sa_handler = too_late;
        sigaction(SIGALRM, &action, NULL);
    }
    setitimer(ITIMER_REAL, &timer, NULL);
}

/*
 * Nanoseconds for bp_run_options.timeout_ns, in which 0 means none: so 1 when the time is over.
 */
int64_t deadline_left(void)
{
    double left;

    if (limit.end <= 0)
        return 0;
    left = (limit.end - clock_seconds()) * 1e9;
    return left < 1 ? 1 : (int64_t)left;
}
