/* SPDX-License-Identifier: MIT */
/* settings.c - the defaults, and the reader of configuration files. */
#include "core/settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fault.h"
#include "core/profiles.h"

/* What a line can be wrong with, next to being right. */
enum taken { TAKEN, NO_KEY, BAD_VALUE };

/* The reference CPU is put behind the other devices when the whole text was read. */
void nn_config_default(struct nn_config *config)
{
    memset(config, 0, sizeof *config);
    config->level = ANEURALNETWORKS_FEATURE_LEVEL_5;
    config->strict = true;
    config->reference = true;
    config->device_count = 2;
    nn_profile("gpu", &config->devices[0]);
    nn_profile("npu", &config->devices[1]);
}

/* ---- values --------------------------------------------------------------------------------- */

/* A count with an optional K, M, G or T, of 1000 each; sizes are counted in `unit` 1024. */
static bool parse_number(const char *text, uint64_t unit, uint64_t *out)
{
    static const char suffixes[] = "KMGT";
    const char *at;
    char *end;
    unsigned long long value;

    if (!isdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    value = strtoull(text, &end, 10);
    if (errno)
        return false;
    if (*end) {
        at = strchr(suffixes, *end);
        if (!at || end[1])
            return false;
        for (const char *s = suffixes; s <= at; s++) {
            if (value > UINT64_MAX / unit)
                return false;
            value *= unit;
        }
    }
    *out = value;
    return true;
}

static bool parse_switch(const char *text, bool *out)
{
    *out = strcmp(text, "on") == 0;
    return *out || strcmp(text, "off") == 0;
}

static int find_word(const char *text, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    return -1;
}

/* 26 to 31, or 6 to 8, which Android writes as 1000006 to 1000008. */
static bool parse_level(const char *text, int64_t least, int64_t *out)
{
    uint64_t value;

    if (!parse_number(text, 1000, &value))
        return false;
    if (value >= 6 && value <= 8)
        value += 1000000;
    *out = (int64_t)value;
    return (*out >= least && *out <= ANEURALNETWORKS_FEATURE_LEVEL_5) ||
           (*out >= ANEURALNETWORKS_FEATURE_LEVEL_6 && *out <= ANEURALNETWORKS_FEATURE_LEVEL_8);
}

/*
 * A list of names, replacing the set; with + and - before each name, changing it. "all" is all of
 * them, "none" none.
 */
static bool parse_set(const char *text, bool *set, int count, int32_t (*code_of)(const char *))
{
    char copy[2048], *rest = copy;
    bool first = true;

    if (strlen(text) >= sizeof copy)
        return false;
    strcpy(copy, text);
    for (char *word; (word = strtok_r(rest, " \t", &rest)); first = false) {
        bool changes = *word == '+' || *word == '-';
        bool value = *word != '-';
        int32_t code;

        if (first && !changes)
            memset(set, 0, (size_t)count);
        word += changes;
        if (strcmp(word, "all") == 0 || strcmp(word, "none") == 0) {
            memset(set, word[0] == 'a' && value, (size_t)count);
            continue;
        }
        code = code_of(word);
        if (code < 0)
            return false;
        set[code] = value;
    }
    return !first;
}

/* ---- keys of a device ----------------------------------------------------------------------- */

struct field {
    const char *key;
    size_t offset;
    uint64_t unit, least;
};

#define RATE(key, unit, least)                                                                     \
    {                                                                                              \
#key, offsetof(struct nn_device_config, rates.key), unit, least                            \
    }
#define FIELD(key, unit, least)                                                                    \
    {                                                                                              \
#key, offsetof(struct nn_device_config, key), unit, least                                  \
    }

static const struct field fields[] = {
    RATE(launch_ns, 1000, 0),   RATE(operation_ns, 1000, 1), RATE(compile_ns, 1000, 0),
    RATE(float_rate, 1000, 1),  RATE(half_rate, 1000, 1),    RATE(quant_rate, 1000, 1),
    RATE(memory_rate, 1000, 1), RATE(copy_rate, 1000, 0),    RATE(memory, 1024, 0),
    FIELD(power, 1000, 1),      FIELD(run_us, 1000, 0),
};

static enum taken set_switch(struct nn_device_config *device, const char *key, const char *value)
{
    struct {
        const char *key;
        uint32_t *rate;
    } switches[] = {{"relaxed", &device->rates.relaxed},
                    {"caches", &device->rates.caches},
                    {"memory_domains", &device->rates.memory_domains}};
    bool on;

    if (strcmp(key, "nchw") == 0)
        return parse_switch(value, &device->nchw) ? TAKEN : BAD_VALUE;
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
        if (strcmp(key, switches[i].key) == 0) {
            if (!parse_switch(value, &on))
                return BAD_VALUE;
            *switches[i].rate = on;
            return TAKEN;
        }
    return NO_KEY;
}

static enum taken set_word(struct nn_device_config *device, const char *key, const char *value)
{
    static const char *const kinds[] = {"unknown", "other", "cpu", "gpu", "accelerator"};
    static const char *const states[] = {"ok", "dead", "gone", "busy", "full"};
    int at;

    if (strcmp(key, "type") == 0) {
        at = find_word(value, kinds, 5);
        device->type = at;
        return at < 0 ? BAD_VALUE : TAKEN;
    }
    if (strcmp(key, "state") == 0) {
        at = find_word(value, states, 5);
        device->state = (uint32_t)at;
        return at < 0 ? BAD_VALUE : TAKEN;
    }
    if (strcmp(key, "version") == 0)
        return snprintf(device->version, sizeof device->version, "%s", value) <
                       (int)sizeof device->version
                   ? TAKEN
                   : BAD_VALUE;
    return NO_KEY;
}

static enum taken set_device_key(struct nn_device_config *device, const char *key,
                                 const char *value)
{
    enum taken taken;

    if (strcmp(key, "operations") == 0)
        return parse_set(value, device->operations, NN_OPERATIONS, nn_operation_code) ? TAKEN
                                                                                      : BAD_VALUE;
    if (strcmp(key, "types") == 0)
        return parse_set(value, device->types, NN_OPERAND_TYPES, nn_operand_code) ? TAKEN
                                                                                  : BAD_VALUE;
    if (strcmp(key, "level") == 0)
        return parse_level(value, 27, &device->level) ? TAKEN : BAD_VALUE;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        uint64_t number;

        if (strcmp(key, fields[i].key) != 0)
            continue;
        if (!parse_number(value, fields[i].unit, &number) || number < fields[i].least)
            return BAD_VALUE;
        memcpy((char *)device + fields[i].offset, &number, sizeof number);
        return TAKEN;
    }
    taken = set_word(device, key, value);
    return taken == NO_KEY ? set_switch(device, key, value) : taken;
}

/* ---- keys of the whole ---------------------------------------------------------------------- */

static struct nn_device_config *find_device(struct nn_config *config, const char *name)
{
    for (uint32_t i = 0; i < config->device_count; i++)
        if (strcmp(config->devices[i].name, name) == 0)
            return &config->devices[i];
    return NULL;
}

/* "devices = gpu npu": these profiles and no others. One place stays for the reference CPU. */
static bool set_devices(struct nn_config *config, const char *value)
{
    char copy[256], *rest = copy;

    config->device_count = 0;
    if (strlen(value) >= sizeof copy)
        return false;
    strcpy(copy, value);
    if (strcmp(copy, "none") == 0)
        return true;
    for (char *word; (word = strtok_r(rest, " \t", &rest));) {
        struct nn_device_config *device = &config->devices[config->device_count];
        char name[24];

        if (config->device_count == NN_DEVICES - 1 || !nn_profile(word, device))
            return false;
        snprintf(name, sizeof name, "sim-%.16s", word);
        if (find_device(config, name))
            return false;
        strcpy(device->name, name);
        config->device_count++;
    }
    return config->device_count > 0;
}

/* "device = NAME [PROFILE]": the lines after it are that device's. Without a profile it exists. */
static bool open_device(struct nn_config *config, const char *value,
                        struct nn_device_config **device)
{
    char name[64], profile[16], end[2];
    int words = sscanf(value, "%63s %15s %1s", name, profile, end);

    *device = words >= 1 ? find_device(config, name) : NULL;
    if (words == 1)
        return *device != NULL;
    if (words != 2 || *device || config->device_count == NN_DEVICES - 1 ||
        strcmp(name, NN_REFERENCE) == 0)
        return false;
    *device = &config->devices[config->device_count];
    if (!nn_profile(profile, *device))
        return false;
    snprintf((*device)->name, sizeof(*device)->name, "%s", name);
    config->device_count++;
    return true;
}

static enum taken set_key(struct nn_config *config, struct nn_device_config **device,
                          const char *key, const char *value)
{
    if (strcmp(key, "level") == 0 && !*device)
        return parse_level(value, 26, &config->level) ? TAKEN : BAD_VALUE;
    if (strcmp(key, "strict") == 0)
        return parse_switch(value, &config->strict) ? TAKEN : BAD_VALUE;
    if (strcmp(key, "reference") == 0)
        return parse_switch(value, &config->reference) ? TAKEN : BAD_VALUE;
    if (strcmp(key, "memory") == 0 && !*device)
        return parse_number(value, 1024, &config->memory) ? TAKEN : BAD_VALUE;
    if (strcmp(key, "devices") == 0 && !*device)
        return set_devices(config, value) ? TAKEN : BAD_VALUE;
    if (strcmp(key, "device") == 0)
        return open_device(config, value, device) ? TAKEN : BAD_VALUE;
    if (strcmp(key, "fault") == 0) {
        if (config->fault_count == NN_FAULTS || strlen(value) >= sizeof config->faults[0] ||
            !nn_fault_parse(value, NULL))
            return BAD_VALUE;
        strcpy(config->faults[config->fault_count++], value);
        return TAKEN;
    }
    return *device ? set_device_key(*device, key, value) : NO_KEY;
}

/* ---- lines ---------------------------------------------------------------------------------- */

static char *trim(char *text)
{
    char *end;

    while (isspace((unsigned char)*text))
        text++;
    end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text;
}

static bool parse_line(struct nn_config *config, struct nn_device_config **device, char *line,
                       int number, char *why, size_t why_size)
{
    char *comment = strchr(line, '#'), *equals, *key, *value;
    enum taken taken;

    if (comment)
        *comment = '\0';
    line = trim(line);
    if (!*line)
        return true;
    equals = strchr(line, '=');
    if (!equals) {
        snprintf(why, why_size, "line %d: \"%.60s\" is not \"key = value\"", number, line);
        return false;
    }
    *equals = '\0';
    key = trim(line);
    value = trim(equals + 1);
    taken = set_key(config, device, key, value);
    if (taken == NO_KEY)
        snprintf(why, why_size, "line %d: there is no key \"%.40s\"%s", number, key,
                 *device ? "" : " outside a device");
    else if (taken == BAD_VALUE)
        snprintf(why, why_size, "line %d: %.40s cannot be \"%.60s\"", number, key, value);
    return taken == TAKEN;
}

/* The reference CPU comes last, as Android lists it; a device without a level has the runtime's. */
static void complete(struct nn_config *config)
{
    if (config->reference)
        nn_profile("cpu", &config->devices[config->device_count++]);
    for (uint32_t i = 0; i < config->device_count; i++)
        if (!config->devices[i].level)
            config->devices[i].level = config->level;
}

bool nn_config_parse(struct nn_config *config, const char *text, char *why, size_t why_size)
{
    struct nn_device_config *device = NULL;
    char *copy = strdup(text), *at = copy, *line;
    bool right = true;

    if (!copy) {
        snprintf(why, why_size, "no memory for the configuration");
        return false;
    }
    for (int number = 1; right && at; number++) {
        line = at;
        at = strchr(at, '\n');
        if (at)
            *at++ = '\0';
        right = parse_line(config, &device, line, number, why, why_size);
    }
    free(copy);
    if (right)
        complete(config);
    return right;
}
