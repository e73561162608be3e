/* SPDX-License-Identifier: MIT */
/* starved.h - those tests of LIFE in which there is no memory. */
#ifndef BP_CHECK_STARVED_H
#define BP_CHECK_STARVED_H

#include "check/graph.h"

/* Fails the test unless all that the host gave is given back. */
void kit_nothing_is_left(struct kit *kit, const char *when);

void kit_host_has_none(struct kit *kit);
void kit_malloc_has_none(struct kit *kit);
void kit_device_calls_have_none(struct kit *kit);
void kit_device_is_full(struct kit *kit);

#endif
