/* SPDX-License-Identifier: MIT */
/* provider_spec.c - lists of providers that an application has named. */

#include "config.h"

#include "host/options/provider_spec.h"

#include <stdlib.h>
#include <string.h>

#include "host/options/provider_names.h"

bp_rc bp_spec_check_fallback(uint32_t fallback, bp_err *err)
{
    if (fallback <= BP_FALLBACK_REQUIRE)
        return BP_OK;
    return bp_fail(err, BP_E_INVALID, "%u is not a fallback policy; use a BP_FALLBACK_* constant",
                   fallback);
}

/*
 * Finds a name in any spelling: "dnnl" and "DnnlExecutionProvider" are one provider, which a list
 * has once.
 */
static bp_rc check(const struct bp_spec_list *list, const char *name, const bp_key_value *options,
                   uint32_t n_options, bp_err *err)
{
    if (!name || !*name)
        return bp_fail(err, BP_E_INVALID, "a provider needs a name");
    if (bp_spec_find(list, name))
        return bp_fail(err, BP_E_INVALID, "provider '%s' is in the list already", name);
    if (n_options > 0 && !options)
        return bp_fail(err, BP_E_INVALID, "provider '%s': no options where %u are announced", name,
                       n_options);
    for (uint32_t i = 0; i < n_options; i++) {
        if (!options[i].key || !options[i].value)
            return bp_fail(err, BP_E_INVALID, "provider '%s': option %u lacks its %s", name, i,
                           options[i].key ? "value" : "key");
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(options[i].key, options[j].key) == 0)
                return bp_fail(err, BP_E_INVALID, "provider '%s': option '%s' is given twice", name,
                               options[i].key);
        }
    }
    return BP_OK;
}

static void finish_row(struct bp_spec *row)
{
    for (uint32_t i = 0; i < row->n_options; i++) {
        free((void *)(uintptr_t)row->options[i].key);
        free((void *)(uintptr_t)row->options[i].value);
    }
    free(row->options);
    free(row->devices);
    free(row->name);
}

static bool copy_row(struct bp_spec *row, const char *name, const bp_key_value *options,
                     uint32_t n_options)
{
    row->name = strdup(name);
    row->options = calloc(n_options ? n_options : 1, sizeof *row->options);
    if (!row->name || !row->options)
        return false;
    for (uint32_t i = 0; i < n_options; i++) {
        row->n_options = i + 1;
        row->options[i].key = strdup(options[i].key);
        row->options[i].value = strdup(options[i].value);
        if (!row->options[i].key || !row->options[i].value)
            return false;
    }
    return true;
}

/* Copies everything, because the caller's strings may be gone when a session is made. */
bp_rc bp_spec_add(struct bp_spec_list *list, const char *name, const bp_key_value *options,
                  uint32_t n_options, uint32_t fallback, bp_err *err)
{
    struct bp_spec row = {.fallback = fallback};
    struct bp_spec *rows;
    bp_rc rc;

    rc = bp_spec_check_fallback(fallback, err);
    if (rc >= 0)
        rc = check(list, name, options, n_options, err);
    if (rc < 0)
        return rc;
    rows = realloc(list->rows, (list->count + 1) * sizeof *rows);
    if (rows)
        list->rows = rows;
    if (!rows || !copy_row(&row, name, options, n_options)) {
        finish_row(&row);
        return bp_fail_nomem(err, "a provider's name and options");
    }
    rows[list->count++] = row;
    return BP_OK;
}

bp_rc bp_spec_set_option(struct bp_spec *row, const char *key, const char *value, bp_err *err)
{
    char *own_key = strdup(key), *own_value = strdup(value);
    bp_key_value *rows = NULL;
    uint32_t i = 0;

    while (i < row->n_options && strcmp(row->options[i].key, key) != 0)
        i++;
    if (own_key && own_value)
        rows = realloc(row->options, (row->n_options + 1) * sizeof *rows);
    if (!rows) {
        free(own_key);
        free(own_value);
        return bp_fail_nomem(err, "a provider's options");
    }
    row->options = rows;
    if (i < row->n_options) {
        free((void *)(uintptr_t)rows[i].key);
        free((void *)(uintptr_t)rows[i].value);
    }
    row->n_options += i == row->n_options;
    rows[i] = (bp_key_value){own_key, own_value};
    row->is_of_file = true;
    return BP_OK;
}

struct bp_spec *bp_spec_find(const struct bp_spec_list *list, const char *name)
{
    for (uint32_t i = 0; name && i < list->count; i++) {
        if (bp_provider_names_equal(list->rows[i].name, name))
            return &list->rows[i];
    }
    return NULL;
}

/* Keeps the order of the devices, because it may mean something to a provider. */
bp_rc bp_spec_set_devices(struct bp_spec_list *list, const char *name, const uint32_t *devices,
                          uint32_t n_devices, bp_err *err)
{
    struct bp_spec *row = name && *name ? bp_spec_find(list, name) : NULL;
    uint32_t *copy = NULL;

    if (!row)
        return bp_fail(err, BP_E_INVALID, "provider '%s' is not in the list: add it first",
                       name ? name : "");
    if (n_devices > 0 && !devices)
        return bp_fail(err, BP_E_INVALID, "provider '%s': no devices where %u are announced", name,
                       n_devices);
    for (uint32_t i = 0; i < n_devices; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (devices[i] == devices[j])
                return bp_fail(err, BP_E_INVALID, "provider '%s': device %u is given twice", name,
                               devices[i]);
        }
    }
    if (n_devices > 0) {
        copy = calloc(n_devices, sizeof *copy);
        if (!copy)
            return bp_fail_nomem(err, "a provider's devices");
        memcpy(copy, devices, n_devices * sizeof *copy);
    }
    free(row->devices);
    row->devices = copy;
    row->n_devices = n_devices;
    return BP_OK;
}

bp_rc bp_spec_copy(struct bp_spec_list *to, const struct bp_spec_list *from, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; rc >= 0 && i < from->count; i++) {
        const struct bp_spec *row = &from->rows[i];

        rc = bp_spec_add(to, row->name, row->options, row->n_options, row->fallback, err);
        if (rc >= 0)
            rc = bp_spec_set_devices(to, row->name, row->devices, row->n_devices, err);
        if (rc >= 0)
            to->rows[to->count - 1].min_share = row->min_share;
    }
    return rc;
}

void bp_spec_finish(struct bp_spec_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        finish_row(&list->rows[i]);
    free(list->rows);
    *list = (struct bp_spec_list){0};
}
