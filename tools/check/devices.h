/* SPDX-License-Identifier: MIT */
/* devices.h - those tests of DEVICE that are about failures, and about the order between streams. */
#ifndef BP_CHECK_DEVICES_H
#define BP_CHECK_DEVICES_H

#include "check/graph.h"

/* Opens the plug-in; skips the test for a provider without memory, or without streams, of its own. */
void kit_need_memory(struct kit *kit);
void kit_need_streams(struct kit *kit);

void kit_device_fails(struct kit *kit);  /* device_faults.c */
void kit_streams_wait(struct kit *kit);  /* device_streams.c */
void kit_events_fire(struct kit *kit);   /* device_streams.c */
void kit_events_notify(struct kit *kit); /* device_streams.c */

#endif
