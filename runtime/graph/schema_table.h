/* SPDX-License-Identifier: MIT */
/*
 * schema_table.h - the rows of every operator version that is known. Rows are constant and live for
 * ever; any thread may look one up. Rules do not, so that the table can name them all.
 */
#ifndef BP_GRAPH_SCHEMA_TABLE_H
#define BP_GRAPH_SCHEMA_TABLE_H

#include "graph/schema.h"

/*
 * The row in force for an operator at imported version `opset`: the newest with since <= opset.
 * NULL: unknown. A version newer than every table here gets the newest row.
 */
const struct bp_schema *bp_schema_find(const char *domain, const char *op, uint32_t opset);
/*
 * The version of an operator that would be in force at `opset`, or an older one, and that this build was
 * told to leave out (./configure --with-operators); 0: none.
 */
uint32_t bp_schema_left_out(const char *domain, const char *op, uint32_t opset);
/* Has this build all operators? */
bool bp_schema_is_complete(void);
/* Newest version of a domain that the tables were written for; 0: unknown domain. */
uint32_t bp_schema_newest(const char *domain);
/* All rows, for lists and documents; *count gets their number. Sorted by domain, operator, since. */
const struct bp_schema *const *bp_schema_all(uint32_t *count);

#endif
