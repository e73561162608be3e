/* SPDX-License-Identifier: MIT */
/* state.c - the state of the process, and bringing a configuration into force. */
#include "core/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct nn_state nn_state = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- configuration -------------------------------------------------------------------------- */

static char *read_file(const char *path, char *why, size_t why_size)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t size = 0, n;

    if (!file) {
        snprintf(why, why_size, "BP_NNAPI_SIM: %.150s: %s", path, strerror(errno));
        return NULL;
    }
    for (;;) {
        char *more = realloc(text, size + 4097);

        if (!more)
            break;
        text = more;
        n = fread(text + size, 1, 4096, file);
        size += n;
        text[size] = '\0';
        if (n == 0) {
            fclose(file);
            return text;
        }
    }
    fclose(file);
    free(text);
    snprintf(why, why_size, "BP_NNAPI_SIM: no memory for %.150s", path);
    return NULL;
}

/* The text's configuration; a code and NULL: the sentence is in *why. */
static int make_config(const char *text, struct nn_config **out, char *why, size_t why_size)
{
    struct nn_config *config = calloc(1, sizeof *config);

    *out = NULL;
    if (!config) {
        snprintf(why, why_size, "no memory for the configuration");
        return ANEURALNETWORKS_OUT_OF_MEMORY;
    }
    nn_config_default(config);
    if (!nn_config_parse(config, text, why, why_size)) {
        free(config);
        return ANEURALNETWORKS_BAD_DATA;
    }
    *out = config;
    return 0;
}

/* [locked] */
static void bring_into_force(struct nn_config *config)
{
    config->older = nn_state.config;
    nn_state.config = config;
    memset(&nn_state.faults, 0, sizeof nn_state.faults);
    memset(nn_state.times, 0, sizeof nn_state.times);
    for (uint32_t i = 0; i < config->device_count; i++)
        nn_state.device_states[i] = config->devices[i].state;
    for (size_t i = 0; i < config->fault_count; i++)
        nn_fault_parse(config->faults[i], &nn_state.faults);
}

/* A configuration that never fails stands in for a broken file, for functions that tell no error. */
static struct nn_config stand_in;

/* [locked] Reads the file that BP_NNAPI_SIM names, or takes the defaults. */
static void load(void)
{
    const char *path = getenv("BP_NNAPI_SIM");
    struct nn_config *config = NULL;
    char *text = NULL, why[160];

    nn_state.loaded = true;
    nn_state.broken[0] = '\0';
    if (path && *path)
        text = read_file(path, nn_state.broken, sizeof nn_state.broken);
    if (!nn_state.broken[0]) {
        if (make_config(text ? text : "", &config, why, sizeof why))
            snprintf(nn_state.broken, sizeof nn_state.broken, "BP_NNAPI_SIM: %s", why);
    }
    free(text);
    if (config) {
        bring_into_force(config);
    } else if (nn_state.config != &stand_in) {
        nn_config_default(&stand_in);
        stand_in.device_count = 0;
        bring_into_force(&stand_in);
    }
}

static bool objects_live(void)
{
    const struct bp_nnapi_counters *c = &nn_state.counters;

    return c->live_models || c->live_compilations || c->live_executions || c->live_events ||
           c->live_bursts || c->live_memories || c->live_descriptions;
}

int bp_nnapi_configure(const char *text)
{
    struct nn_config *config = NULL;
    char why[256];
    int code = 0;

    if (text) {
        code = make_config(text, &config, why, sizeof why);
        if (code)
            return nn_fail(code, "%s", why);
    }
    pthread_mutex_lock(&nn_state.lock);
    if (objects_live()) {
        code = nn_fail(ANEURALNETWORKS_BAD_STATE, "bp_nnapi_configure: objects of before live");
        free(config);
    } else if (config) {
        nn_state.loaded = true;
        nn_state.broken[0] = '\0';
        bring_into_force(config);
    } else {
        load();
        if (nn_state.broken[0])
            code = nn_fail(ANEURALNETWORKS_BAD_DATA, "%s", nn_state.broken);
    }
    pthread_mutex_unlock(&nn_state.lock);
    return code;
}

/* Programs may hold strings of configurations of before until here. */
__attribute__((destructor)) static void forget(void)
{
    for (struct nn_config *config = nn_state.config, *older; config; config = older) {
        older = config->older;
        if (config != &stand_in)
            free(config);
    }
    nn_state.config = NULL;
}

/* ---- the lock ------------------------------------------------------------------------------- */

void nn_lock(void)
{
    pthread_mutex_lock(&nn_state.lock);
    if (!nn_state.loaded)
        load();
}

void nn_unlock(void)
{
    pthread_mutex_unlock(&nn_state.lock);
}

void nn_count(uint64_t *counter, int64_t by)
{
    nn_lock();
    *counter += (uint64_t)by;
    nn_unlock();
}

const struct nn_config *nn_config(void)
{
    const struct nn_config *config;

    nn_lock();
    config = nn_state.config;
    nn_unlock();
    return config;
}

/* ---- calls ---------------------------------------------------------------------------------- */

int nn_enter(const char *function, int64_t level)
{
    char broken[sizeof nn_state.broken];
    int64_t has;

    nn_lock();
    has = nn_state.config->level;
    memcpy(broken, nn_state.broken, sizeof broken);
    if (!broken[0] && level > has)
        nn_state.counters.too_new++;
    nn_unlock();
    if (broken[0])
        return nn_fail(ANEURALNETWORKS_BAD_STATE, "%s", broken);
    if (level > has)
        return nn_fail(ANEURALNETWORKS_BAD_STATE,
                       "%s came with level %lld; this runtime has level %lld", function,
                       (long long)level, (long long)has);
    return 0;
}

int nn_leave(int code)
{
    if (code > 0 && code < 16)
        nn_count(&nn_state.counters.refused[code], 1);
    return code;
}

int nn_code_of_level(int code)
{
    if (code >= ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT &&
        nn_config()->level < ANEURALNETWORKS_FEATURE_LEVEL_4)
        return ANEURALNETWORKS_OP_FAILED;
    return code;
}

int nn_fault(uint32_t point, uint32_t device)
{
    int code;

    nn_lock();
    code = nn_fault_count(&nn_state.faults, point, device);
    nn_unlock();
    if (!code)
        return 0;
    code = nn_code_of_level(code);
    return nn_fail(code, "an injected fault: %s", bp_nnapi_result_name(code));
}

int nn_device_trouble(uint32_t device)
{
    static const struct {
        int code;
        const char *what;
    } troubles[] = {{0, ""},
                    {ANEURALNETWORKS_DEAD_OBJECT, "its service died"},
                    {ANEURALNETWORKS_UNAVAILABLE_DEVICE, "it is gone"},
                    {ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT, "it is busy"},
                    {ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT, "it has no capacity"}};
    const char *name;
    uint32_t state;

    nn_lock();
    state = nn_state.device_states[device];
    name = nn_state.config->devices[device].name;
    nn_unlock();
    if (state == BP_NNAPI_OK)
        return 0;
    return nn_fail(nn_code_of_level(troubles[state].code), "device %s: %s", name,
                   troubles[state].what);
}

void nn_spend(uint64_t *which, uint64_t ns)
{
    nn_count(which, (int64_t)ns);
}
