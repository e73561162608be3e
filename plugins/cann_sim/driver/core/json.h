/* SPDX-License-Identifier: MIT */
/* json.h - what the simulator reads of the file that aclInit() is given. */
#ifndef SIM_JSON_H
#define SIM_JSON_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Checks that the text is JSON of at most 10 levels, and sets *out if its outermost object has a
 * key "max_opqueue_num": a number, or a string that holds one; what is no count at all is 0.
 */
bool sim_json_queue_size(const char *text, uint64_t *out);

#endif
