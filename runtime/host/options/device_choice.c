/* SPDX-License-Identifier: MIT */
/* device_choice.c - finds the devices of a provider that the option "device" names. */

#include "config.h"

#include "host/options/device_choice.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "text/text.h"

static const char *kind_name(uint32_t kind)
{
    return kind == BP_DEVICE_CPU   ? "cpu"
           : kind == BP_DEVICE_GPU ? "gpu"
           : kind == BP_DEVICE_NPU ? "npu"
                                   : "other";
}

/* Are the n letters the text? NULL is never equal. */
static bool equals(const char *text, const char *word, size_t n)
{
    return text && strlen(text) == n && strncasecmp(text, word, n) == 0;
}

/* Reads a word of digits, an index; BP_NONE: it is another word, or too large. */
static uint32_t as_index(const char *word, size_t n)
{
    uint64_t value = 0;

    for (size_t i = 0; i < n; i++) {
        if (word[i] < '0' || word[i] > '9' || value > BP_NONE)
            return BP_NONE;
        value = value * 10 + (uint64_t)(word[i] - '0');
    }
    return n > 0 && value < BP_NONE ? (uint32_t)value : BP_NONE;
}

/*
 * Does the word name the device, by index, id, kind or name? An id may consist of digits: the index
 * is compared first.
 */
static bool matches(const bp_device *device, uint32_t i, const char *word, size_t n)
{
    return as_index(word, n) == i || equals(device->id, word, n) || equals(device->name, word, n) ||
           equals(kind_name(device->kind), word, n) || equals("all", word, n);
}

static void add_once(uint32_t device, uint32_t *out, uint32_t *out_n)
{
    for (uint32_t i = 0; i < *out_n; i++) {
        if (out[i] == device)
            return;
    }
    out[(*out_n)++] = device;
}

/* Lists the devices: "0 (gpu, 'gpu0', Some Card)". */
static bp_rc fail_unknown(const char *word, size_t n, const bp_device *devices, uint32_t n_devices,
                          bp_err *err)
{
    struct bp_text there = {0};
    char *list;
    bp_rc rc;

    for (uint32_t i = 0; i < n_devices; i++)
        bp_text_printf(&there, "%s%u (%s, id '%s', name '%s')", i ? ", " : "", i,
                       kind_name(devices[i].kind), devices[i].id ? devices[i].id : "",
                       devices[i].name ? devices[i].name : "");
    list = bp_text_take(&there);
    rc = bp_fail(err, BP_E_OPTION, "no device is '%.*s'; there are: %s", (int)(n < 60 ? n : 60),
                 word, list ? list : "?");
    free(list);
    return rc;
}

/* Adds the devices of one word. An index takes precedence over an id of the same digits. */
static bp_rc take_word(const char *word, size_t n, const bp_device *devices, uint32_t n_devices,
                       uint32_t *out, uint32_t *out_n, bp_err *err)
{
    uint32_t index = as_index(word, n), before = *out_n;
    bool is_known = index < n_devices;

    if (is_known)
        add_once(index, out, out_n);
    for (uint32_t i = 0; !is_known && i < n_devices; i++) {
        if (matches(&devices[i], i, word, n))
            add_once(i, out, out_n);
    }
    for (uint32_t i = 0; !is_known && *out_n == before && i < n_devices; i++)
        is_known = matches(&devices[i], i, word, n); /* all are in the list already */
    return is_known || *out_n > before ? BP_OK : fail_unknown(word, n, devices, n_devices, err);
}

bp_rc bp_device_choice_parse(const char *text, const bp_device *devices, uint32_t n, uint32_t *out,
                             uint32_t *out_n, bp_err *err)
{
    bp_rc rc = BP_OK;

    *out_n = 0;
    while (rc >= 0) {
        size_t length;

        text += strspn(text, " \t");
        length = strcspn(text, "+,");
        rc = take_word(text, length, devices, n, out, out_n, err);
        text += length;
        if (!*text)
            break;
        text++;
    }
    return rc;
}
