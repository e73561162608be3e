/* SPDX-License-Identifier: MIT */
/* json.h - what the simulator reads of the JSON file that aclInit() is given. */
#ifndef SIM_JSON_H
#define SIM_JSON_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Checks that the text is JSON of at most 10 levels, the vendor's limit, and sets *out if its
 * outermost object has a key "max_opqueue_num": a number, or a string that holds one; what is
 * not a count gives 0. False: it is not such JSON, and *out is as it was. Any thread.
 */
bool sim_json_queue_size(const char *text, uint64_t *out);

#endif
