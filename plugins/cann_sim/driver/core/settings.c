/* SPDX-License-Identifier: MIT */
/* settings.c - defaults of the simulated chips, and the reader of configuration files. */
#include "core/settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bp_ascend_sim.h>

#include "core/fault.h"

#define GIB (UINT64_C(1) << 30)
#define GIGA UINT64_C(1000000000)

/*
 * What differs between families of chips. Queue depths and numbers of streams are those of the
 * vendor's runtime; rates are of the order of data sheets, not measured. "Ascend310P" stands before
 * "Ascend310", whose prefix it has.
 */
static const struct chip {
    const char *prefix;
    uint64_t queue_depth, streams, memory, memory_rate, cube_rate, vector_rate;
} chips[] = {
    {"Ascend910", 2013, 32768, 64 * GIB, 1600 * GIGA, 320000 * GIGA, 20000 * GIGA},
    {"Ascend310P", 2042, 992, 24 * GIB, 204 * GIGA, 70000 * GIGA, 4000 * GIGA},
    {"Ascend310", 65500, 992, 8 * GIB, 51 * GIGA, 8000 * GIGA, 500 * GIGA},
};

/* By the name's prefix: "Ascend910B3" is of the family "Ascend910". False: of none of them. */
static bool set_chip(struct sim_device_config *device, const char *soc)
{
    for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++) {
        const struct chip *chip = &chips[i];

        if (strncmp(soc, chip->prefix, strlen(chip->prefix)) != 0)
            continue;
        if (strlen(soc) >= sizeof device->soc)
            return false;
        strcpy(device->soc, soc);
        device->queue_depth = chip->queue_depth;
        device->streams = chip->streams;
        device->memory = chip->memory;
        device->memory_rate = chip->memory_rate;
        device->cube_rate = chip->cube_rate;
        device->vector_rate = chip->vector_rate;
        return true;
    }
    return false;
}

/* Every device gets values, also those that do not exist, as `devices` may be read later. */
void sim_config_default(struct sim_config *config)
{
    memset(config, 0, sizeof *config);
    config->device_count = 1;
    config->max_opqueue_num = 20000;
    for (size_t i = 0; i < SIM_DEVICES; i++) {
        struct sim_device_config *device = &config->devices[i];

        set_chip(device, "Ascend910B3");
        device->events = 65536;
        device->submit_ns = 2000;
        device->launch_ns = 5000;
        device->compile_ns = 50000000;
        device->copy_rate = 24 * GIGA;
    }
}

/* ---- values --------------------------------------------------------------------------------- */

/* A count with an optional K, M, G or T, of 1024 each, as sizes have them, or of 1000. */
static bool parse_number(const char *text, uint64_t unit, uint64_t *out)
{
    static const char suffixes[] = "KMGT";
    unsigned long long value;
    uint64_t scale = 1;
    const char *at;
    char *end;

    if (!isdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    value = strtoull(text, &end, 0);
    if (errno)
        return false;
    if (*end) {
        at = strchr(suffixes, *end);
        if (!at || end[1])
            return false;
        for (const char *s = suffixes; s <= at; s++)
            scale *= unit;
    }
    if (value > UINT64_MAX / scale)
        return false;
    *out = value * scale;
    return true;
}

/*
 * A key of a device whose value is a number: where it goes, what its suffix K stands for (1000 or
 * 1024), and its minimum. A 0 that would be divided by, or allow nothing, is refused here.
 */
struct field {
    const char *key;
    size_t offset;
    uint64_t unit;
    uint64_t min;
};

#define FIELD(key, unit, min)                                                                      \
    {                                                                                              \
#key, offsetof(struct sim_device_config, key), unit, min                                   \
    }

static const struct field fields[] = {
    FIELD(memory, 1024, 4096),  FIELD(queue_depth, 1000, 1), FIELD(streams, 1000, 1),
    FIELD(events, 1000, 0),     FIELD(submit_ns, 1000, 0),   FIELD(launch_ns, 1000, 0),
    FIELD(compile_ns, 1000, 0), FIELD(copy_rate, 1000, 1),   FIELD(memory_rate, 1000, 1),
    FIELD(cube_rate, 1000, 1),  FIELD(vector_rate, 1000, 1),
};

static bool parse_state(const char *text, uint32_t *out)
{
    static const char *const names[] = {"ok", "busy", "lost"};

    for (uint32_t i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            *out = i;
            return true;
        }
    return false;
}

/* A key of one device. 1: taken; 0: there is no such key; -1: a bad value. */
static int set_device_key(struct sim_device_config *device, const char *key, const char *value)
{
    if (strcmp(key, "soc") == 0)
        return set_chip(device, value) ? 1 : -1;
    if (strcmp(key, "state") == 0)
        return parse_state(value, &device->state) ? 1 : -1;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        uint64_t number;

        if (strcmp(key, fields[i].key) != 0)
            continue;
        if (!parse_number(value, fields[i].unit, &number) || number < fields[i].min)
            return -1;
        memcpy((char *)device + fields[i].offset, &number, sizeof number);
        return 1;
    }
    return 0;
}

static bool parse_range(const char *value, uint64_t min, uint64_t max, uint64_t *out)
{
    return parse_number(value, 1000, out) && *out >= min && *out <= max;
}

/* A key of the whole simulator; the result as of set_device_key(). */
static int set_common_key(struct sim_config *config, const char *key, const char *value)
{
    uint64_t number;

    if (strcmp(key, "devices") == 0) {
        if (!parse_range(value, 0, SIM_DEVICES, &number))
            return -1;
        config->device_count = (uint32_t)number;
        return 1;
    }
    if (strcmp(key, "late_us") == 0)
        return parse_range(value, 0, 10000000, &config->late_us) ? 1 : -1;
    if (strcmp(key, "compile_us") == 0)
        return parse_range(value, 0, 10000000, &config->compile_us) ? 1 : -1;
    if (strcmp(key, "max_opqueue_num") == 0)
        return parse_range(value, 1, UINT32_MAX, &config->max_opqueue_num) ? 1 : -1;
    if (strcmp(key, "event_time") == 0) {
        config->real_event_time = strcmp(value, "real") == 0;
        return config->real_event_time || strcmp(value, "simulated") == 0 ? 1 : -1;
    }
    if (strcmp(key, "breaches") == 0) {
        config->fatal_violations = strcmp(value, "fatal") == 0;
        return config->fatal_violations || strcmp(value, "counted") == 0 ? 1 : -1;
    }
    if (strcmp(key, "fault") == 0) {
        if (config->fault_count == SIM_FAULTS || strlen(value) >= sizeof config->faults[0] ||
            sim_fault_parse(value, false) != 0)
            return -1;
        strcpy(config->faults[config->fault_count++], value);
        return 1;
    }
    return 0;
}

/* Before the first [device N], a device's key stands for every device. */
static int set_key(struct sim_config *config, int section, const char *key, const char *value)
{
    int taken = 0;

    if (section >= 0)
        return set_device_key(&config->devices[section], key, value);
    taken = set_common_key(config, key, value);
    if (taken != 0)
        return taken;
    for (size_t i = 0; i < SIM_DEVICES; i++) {
        taken = set_device_key(&config->devices[i], key, value);
        if (taken != 1)
            break;
    }
    return taken;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* In place: the text without the white space around it. */
static char *trim(char *text)
{
    char *end;

    while (isspace((unsigned char)*text))
        text++;
    end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    *end = 0;
    return text;
}

/*
 * A line without its comment. False, with the reason in `why`. *section: the device whose section
 * it is in, below 0 before the first.
 */
static bool parse_line(struct sim_config *config, int *section, char *line, char *why, size_t size)
{
    char *value, *key = trim(line);
    int taken;

    if (!*key)
        return true;
    if (*key == '[') {
        unsigned number;
        char close, rest;

        if (sscanf(key, "[device %2u%c%c", &number, &close, &rest) != 2 || close != ']' ||
            number >= SIM_DEVICES) {
            snprintf(why, size, "%s is not [device 0] to [device %d]", key, SIM_DEVICES - 1);
            return false;
        }
        *section = (int)number;
        return true;
    }
    value = strchr(key, '=');
    if (!value) {
        snprintf(why, size, "\"%s\" is not \"key = value\"", key);
        return false;
    }
    *value++ = 0;
    key = trim(key);
    value = trim(value);
    taken = set_key(config, *section, key, value);
    if (taken == 0)
        snprintf(why, size, "there is no key \"%s\"%s", key, *section < 0 ? "" : " of a device");
    else if (taken < 0)
        snprintf(why, size, "\"%s\" is not a valid value for %s", value, key);
    return taken > 0;
}

/* A copy of each line, as the text is the caller's and parse_line() cuts it up. */
bool sim_config_parse(struct sim_config *config, const char *text, char *why, size_t why_size)
{
    char line[256], reason[400];
    int section = -1;

    for (size_t number = 1; *text; number++) {
        size_t length = strcspn(text, "\n");

        if (length >= sizeof line) {
            snprintf(why, why_size, "line %zu: longer than %zu characters", number,
                     sizeof line - 1);
            return false;
        }
        memcpy(line, text, length);
        line[length] = 0;
        line[strcspn(line, "#")] = 0;
        if (!parse_line(config, &section, line, reason, sizeof reason)) {
            snprintf(why, why_size, "line %zu: %s", number, reason);
            return false;
        }
        text += length + (text[length] != 0);
    }
    return true;
}
