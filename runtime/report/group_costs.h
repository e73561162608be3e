/* SPDX-License-Identifier: MIT */
/*
 * group_costs.h - memory and time that groups would take on their devices, as providers estimate.
 */
#ifndef BP_REPORT_GROUP_COSTS_H
#define BP_REPORT_GROUP_COSTS_H

#include "report/report.h"

/*
 * Asks the providers of a partition that have the extension of bp/estimate.h, and writes what they
 * say into the report, where the partition's first group has row `first_group`. rows[i] and
 * asked[i] are of the i-th provider that the partition asked. A provider that fails to tell leaves
 * it unknown. BP_E_NOMEM.
 */
bp_rc bp_report_estimate_groups(const struct bp_partition *part, const struct bp_asked *asked,
                                const uint32_t *rows, bp_report *report, uint32_t first_group,
                                bp_err *err) BP_CHECKED;

#endif
