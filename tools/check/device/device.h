/* SPDX-License-Identifier: MIT */
/* device.h - those tests of DEVICE that are about failures, and about the order between streams. */
#ifndef BP_CHECK_DEVICE_H
#define BP_CHECK_DEVICE_H

#include "check/graph.h"

/* Opens the plug-in; skips the test for a provider without memory, or without streams, of its own. */
void kit_need_memory(struct kit *kit);
void kit_need_streams(struct kit *kit);

void kit_device_fails(struct kit *kit);  /* faults.c */
void kit_streams_wait(struct kit *kit);  /* streams.c */
void kit_events_fire(struct kit *kit);   /* streams.c */
void kit_events_notify(struct kit *kit); /* streams.c */

#endif
