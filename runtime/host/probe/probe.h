/* SPDX-License-Identifier: MIT */
/*
 * probe.h - opens plug-ins in processes of their own first, so that one that crashes, hangs or ends
 * its process harms no other.
 */
#ifndef BP_HOST_PROBE_PROBE_H
#define BP_HOST_PROBE_PROBE_H

#include "base/status.h"

enum bp_probe_end {
    BP_PROBE_NOT_RUN,  /* the helper did not start; `words` say why */
    BP_PROBE_CLEAN,    /* it opened and answered, or was refused, as a plug-in should be */
    BP_PROBE_SIGNAL,   /* a signal ended it */
    BP_PROBE_EXIT,     /* it ended its process */
    BP_PROBE_TOO_LONG, /* it was killed at its deadline */
    BP_PROBE_LEFT,     /* it left something behind that it must not */
    BP_PROBE_LOST      /* it ended, and another waiter has taken the cause: no verdict */
};

/* One plug-in. Set the first two. */
struct bp_probe {
    const char *path;
    const char *id; /* of the provider to ask; "": the first */
    enum bp_probe_end end;
    uint32_t stage;  /* BP_STAGE_*: where it ended */
    bp_rc code;      /* of a clean end */
    int number;      /* of the signal; of the exit status */
    char words[512]; /* what happened, for people; of a clean end, why it is not usable */
    char fix[256];   /* of a clean end, what the provider says to do; or "" */
    char *files; /* of a clean end, what got mapped, a line each; the caller's to free; or NULL */
    struct {
        int pid, pidfd;
        void *page;
        int64_t deadline_ns;
    } child; /* while it runs */
};

struct bp_probe_how {
    const char *helper; /* path of backplane-probe */
    uint32_t timeout_ms;
};

/* Probes all of them, many at once. Each ends within the limit of its start, whatever it does. */
void bp_probe_run(const struct bp_probe_how *how, struct bp_probe *probes, uint32_t n);
/* Is the way it ended the plug-in's fault? */
bool bp_probe_has_failed(const struct bp_probe *probe);

#endif
