/* SPDX-License-Identifier: MIT */
/*
 * handle.h - handles of contexts, streams and events: numbers that look like pointers and are never
 * used twice, so that the use of a destroyed object is recognised.
 */
#ifndef SIM_HANDLE_H
#define SIM_HANDLE_H

#include <stddef.h>

enum sim_kind { SIM_NO_KIND, SIM_CONTEXT, SIM_STREAM, SIM_EVENT };

/* A handle for the object, which stays the caller's; NULL: no memory. [locked] */
void *sim_handle_create(enum sim_kind kind, void *object);
/* The object; NULL: there is no such handle of that kind. [locked] */
void *sim_handle_get(enum sim_kind kind, const void *handle);
/* The handle is dead from now on; its object is the caller's to free. NULL is fine. [locked] */
void sim_handle_drop(const void *handle);
/* The next live object of a kind from slot *at on, which moves; NULL at the end. [locked] */
void *sim_handle_next(enum sim_kind kind, size_t *at);
/* Frees the table, when no object lives. [locked] */
void sim_handles_free(void);

#endif
