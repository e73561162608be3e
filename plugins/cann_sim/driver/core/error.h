/* SPDX-License-Identifier: MIT */
/*
 * error.h - failures and violations of ACL's rules: the sentence for aclGetRecentErrMsg(), and the
 * counts for bp_ascend_errors() and bp_ascend_violations(). Any thread, with the lock or without.
 */
#ifndef SIM_ERROR_H
#define SIM_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include <acl/acl_base.h>

#define SIM_TEXT 512 /* bytes of a sentence, its final 0 included */

#if defined(__GNUC__)
#define SIM_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define SIM_PRINTF(fmt, args)
#endif

/* Keeps the sentence as this thread's last failure, counts the code, and returns it. */
aclError sim_fail(aclError code, const char *format, ...) SIM_PRINTF(2, 3);
/* The same for a violation of kind BP_ASCEND_USE_AFTER_FREE..., which is counted too. */
aclError sim_violate(uint32_t kind, aclError code, const char *format, ...) SIM_PRINTF(3, 4);
/* Counts a violation that lets the call succeed. */
void sim_note_violation(uint32_t kind, const char *format, ...) SIM_PRINTF(2, 3);
/* Sets all counts of errors and violations back to 0. */
void sim_reset_counts(void);
/* True: the next violation aborts the process, its sentence on standard error. */
void sim_set_fatal_violations(bool fatal);

#endif
