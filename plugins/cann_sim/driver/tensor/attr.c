/* SPDX-License-Identifier: MIT */
/* attr.c - attributes of operators: set by programs, read by the operators' prepare(). */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "tensor/tensor.h"

static atomic_uint_fast64_t live;

uint64_t sim_live_attributes(void)
{
    return atomic_load(&live);
}

aclopAttr *aclopCreateAttr(void)
{
    aclopAttr *attr = calloc(1, sizeof *attr);

    if (attr)
        atomic_fetch_add(&live, 1);
    return attr;
}

/* An entry that is not finished too. */
static void free_entry(struct sim_attr *entry)
{
    free(entry->name);
    free(entry->value);
    free(entry);
}

void aclopDestroyAttr(const aclopAttr *attr)
{
    if (!attr)
        return;
    for (struct sim_attr *entry = attr->first, *next; entry; entry = next) {
        next = entry->next;
        free_entry(entry);
    }
    atomic_fetch_sub(&live, 1);
    free((aclopAttr *)(uintptr_t)attr);
}

/* Copies name and value; NULL: no memory. An empty list still has an address. */
static struct sim_attr *create_entry(const char *name, enum sim_attr_kind kind, const void *value,
                                     size_t size)
{
    struct sim_attr *entry = calloc(1, sizeof *entry);

    if (!entry)
        return NULL;
    entry->name = malloc(strlen(name) + 1);
    entry->value = malloc(size ? size : 1);
    entry->kind = kind;
    entry->size = size;
    if (!entry->name || !entry->value) {
        free_entry(entry);
        return NULL;
    }
    strcpy(entry->name, name);
    if (size)
        memcpy(entry->value, value, size);
    return entry;
}

/* Puts the entry where its name belongs; one of the same name is replaced. */
static aclError set(aclopAttr *attr, const char *name, enum sim_attr_kind kind, const void *value,
                    size_t size)
{
    struct sim_attr **at, *entry;

    if (!attr || !name || !*name || (size > 0 && !value))
        return sim_fail(ACL_ERROR_INVALID_PARAM, "an attribute without a set, name or value");
    entry = create_entry(name, kind, value, size);
    if (!entry)
        return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for attribute %s", name);
    at = &attr->first;
    while (*at && strcmp((*at)->name, name) < 0)
        at = &(*at)->next;
    entry->next = *at;
    if (*at && strcmp((*at)->name, name) == 0) {
        entry->next = (*at)->next;
        free_entry(*at);
    }
    *at = entry;
    return ACL_SUCCESS;
}

aclError sim_attr_set(aclopAttr *attr, const char *name, enum sim_attr_kind kind, const void *value,
                      size_t size)
{
    return set(attr, name, kind, value, size);
}

/* `size` is that of one value. */
static aclError set_list(aclopAttr *attr, const char *name, enum sim_attr_kind kind,
                         const void *values, int count, size_t size)
{
    if (count < 0)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "a list of %d values", count);
    return set(attr, name, kind, values, (size_t)count * size);
}

aclError aclopSetAttrBool(aclopAttr *attr, const char *attrName, uint8_t attrValue)
{
    return set(attr, attrName, SIM_ATTR_BOOL, &attrValue, sizeof attrValue);
}

aclError aclopSetAttrInt(aclopAttr *attr, const char *attrName, int64_t attrValue)
{
    return set(attr, attrName, SIM_ATTR_INT, &attrValue, sizeof attrValue);
}

aclError aclopSetAttrFloat(aclopAttr *attr, const char *attrName, float attrValue)
{
    return set(attr, attrName, SIM_ATTR_FLOAT, &attrValue, sizeof attrValue);
}

/* With the final 0. */
aclError aclopSetAttrString(aclopAttr *attr, const char *attrName, const char *attrValue)
{
    return set(attr, attrName, SIM_ATTR_STRING, attrValue, attrValue ? strlen(attrValue) + 1 : 1);
}

aclError aclopSetAttrDataType(aclopAttr *attr, const char *attrName, aclDataType attrValue)
{
    int64_t value = attrValue;

    return set(attr, attrName, SIM_ATTR_TYPE, &value, sizeof value);
}

aclError aclopSetAttrListBool(aclopAttr *attr, const char *attrName, int numValues,
                              const uint8_t *values)
{
    return set_list(attr, attrName, SIM_ATTR_BOOLS, values, numValues, sizeof *values);
}

aclError aclopSetAttrListInt(aclopAttr *attr, const char *attrName, int numValues,
                             const int64_t *values)
{
    return set_list(attr, attrName, SIM_ATTR_INTS, values, numValues, sizeof *values);
}

aclError aclopSetAttrListFloat(aclopAttr *attr, const char *attrName, int numValues,
                               const float *values)
{
    return set_list(attr, attrName, SIM_ATTR_FLOATS, values, numValues, sizeof *values);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* The list is short: operators have a handful of attributes. */
static const struct sim_attr *find(const aclopAttr *attr, const char *name)
{
    for (const struct sim_attr *entry = attr ? attr->first : NULL; entry; entry = entry->next)
        if (strcmp(entry->name, name) == 0)
            return entry;
    return NULL;
}

bool sim_attr_has(const aclopAttr *attr, const char *name)
{
    return find(attr, name) != NULL;
}

/* ACL's bools and types are read as integers by the operators here. */
bool sim_attr_int(const aclopAttr *attr, const char *name, int64_t *out)
{
    const struct sim_attr *entry = find(attr, name);

    if (!entry)
        return true;
    if (entry->kind == SIM_ATTR_BOOL)
        *out = *(const uint8_t *)entry->value != 0;
    else if (entry->kind == SIM_ATTR_INT || entry->kind == SIM_ATTR_TYPE)
        memcpy(out, entry->value, sizeof *out);
    else
        return false;
    return true;
}

bool sim_attr_float(const aclopAttr *attr, const char *name, double *out)
{
    const struct sim_attr *entry = find(attr, name);
    float value;

    if (!entry)
        return true;
    if (entry->kind != SIM_ATTR_FLOAT)
        return false;
    memcpy(&value, entry->value, sizeof value);
    *out = (double)value;
    return true;
}

bool sim_attr_string(const aclopAttr *attr, const char *name, const char **out)
{
    const struct sim_attr *entry = find(attr, name);

    if (!entry)
        return true;
    if (entry->kind != SIM_ATTR_STRING)
        return false;
    *out = entry->value;
    return true;
}

bool sim_attr_ints(const aclopAttr *attr, const char *name, size_t capacity, int64_t *out,
                   size_t *count)
{
    const struct sim_attr *entry = find(attr, name);

    *count = 0;
    if (!entry)
        return true;
    if (entry->kind != SIM_ATTR_INTS || entry->size / sizeof *out > capacity)
        return false;
    *count = entry->size / sizeof *out;
    memcpy(out, entry->value, entry->size);
    return true;
}
