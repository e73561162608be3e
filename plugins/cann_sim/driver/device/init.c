/* SPDX-License-Identifier: MIT */
/*
 * init.c - aclInit() and aclFinalize(): reads the configuration, sets everything up, tears it down.
 * The top of the driver's layers, as it knows all the others.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/fault.h"
#include "core/handle.h"
#include "core/json.h"
#include "core/settings.h"
#include "core/state.h"
#include "core/workspace.h"
#include "device/device.h"
#include "memory/memory.h"
#include "single_op/cache.h"
#include "stream/stream.h"
#include "stream/task_pool.h"

/* The text is checked now, so that aclInit() cannot fail for it later. */
static char *requested_config; /* by bp_ascend_configure() */

/* ---- configuration -------------------------------------------------------------------------- */

/*
 * All of a file of at most 1 MiB, the caller's to free; NULL when it cannot be read, and errno says
 * why.
 */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    int reason;
    long size;

    if (!file)
        return NULL;
    errno = 0;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && size <= 1 << 20) {
        rewind(file);
        text = malloc((size_t)size + 1);
        if (text)
            text[fread(text, 1, (size_t)size, file)] = 0;
    }
    reason = errno;
    fclose(file);
    errno = reason;
    return text;
}

/* After read_file(). */
static aclError fail_to_read(const char *what, const char *path)
{
    if (errno == ENOMEM)
        return sim_fail(ACL_ERROR_BAD_ALLOC, "%s: no memory to read %s", what, path);
    return sim_fail(ACL_ERROR_INVALID_FILE, "%s: %s cannot be read", what, path);
}

/*
 * Over the defaults; text NULL is not a configuration. `from`: where it comes from, for the sentence.
 */
static aclError parse_config(const char *text, const char *from, struct sim_config *config)
{
    char why[SIM_TEXT];

    sim_config_default(config);
    if (text && !sim_config_parse(config, text, why, sizeof why))
        return sim_fail(ACL_ERROR_INVALID_PARAM, "the simulator's %s: %.400s", from, why);
    return 0;
}

/* What bp_ascend_configure() said, else what BP_ASCEND_SIM names, else the defaults. [locked] */
static aclError load_config(struct sim_config *config)
{
    const char *path = getenv("BP_ASCEND_SIM");
    char *text;
    aclError rc;

    if (requested_config || !path || !*path)
        return parse_config(requested_config, "configuration", config);
    text = read_file(path);
    if (!text)
        return fail_to_read("BP_ASCEND_SIM", path);
    rc = parse_config(text, path, config);
    free(text);
    return rc;
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);

    return copy ? memcpy(copy, text, size) : NULL;
}

aclError bp_ascend_configure(const char *text)
{
    struct sim_config config;
    char *copy = NULL;
    aclError rc;

    sim_lock();
    rc = sim_state.init_count ? sim_fail(ACL_ERROR_REPEAT_INITIALIZE,
                                         "ACL is initialised already: aclFinalize() comes first")
                              : parse_config(text, "configuration", &config);
    if (!rc && text && !(copy = copy_text(text)))
        rc = sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for the configuration");
    if (!rc) {
        free(requested_config);
        requested_config = copy;
    }
    sim_unlock();
    return rc;
}

/* The file given to aclInit(): JSON, of which max_opqueue_num is read. [locked] */
static aclError load_vendor_config(const char *path, struct sim_config *config)
{
    char *text;
    aclError rc = 0;

    if (!path || !*path)
        return 0;
    text = read_file(path);
    if (!text)
        return fail_to_read("aclInit", path);
    if (!sim_json_queue_size(text, &config->max_opqueue_num))
        rc = sim_fail(ACL_ERROR_PARSE_FILE, "aclInit: %s is not JSON of at most 10 levels", path);
    else if (config->max_opqueue_num == 0)
        rc = sim_fail(ACL_ERROR_INVALID_PARAM, "aclInit: %s: max_opqueue_num has to be more than 0",
                      path);
    free(text);
    return rc;
}

/* ---- up and down ---------------------------------------------------------------------------- */

/* Faults come last, so that none of them meets the setting up. [locked] */
static aclError initialize(const char *path)
{
    struct sim_config config;
    aclError rc = load_config(&config);

    if (!rc)
        rc = load_vendor_config(path, &config);
    if (rc)
        return rc;
    sim_state.config = config;
    sim_state.op_timeout = 0;
    sim_set_fatal_violations(config.fatal_violations);
    sim_devices_open();
    sim_cache_init(config.max_opqueue_num);
    for (size_t i = 0; i < config.fault_count; i++)
        sim_fault_parse(config.faults[i], true);
    sim_state.init_count = 1;
    return 0;
}

static pid_t owner; /* the process that has the threads of this library */

/*
 * Waits for an aclFinalize() of another thread. A second call counts, and fails, as with the
 * vendor's.
 */
aclError aclInit(const char *configPath)
{
    aclError rc;

    sim_lock();
    owner = getpid();
    while (sim_state.closing)
        sim_wait(&sim_state.changed, UINT64_MAX);
    sim_state.counters.init_calls++;
    if (sim_state.init_count) {
        sim_state.init_count++;
        rc = sim_violate(BP_ASCEND_DOUBLE_INIT, ACL_ERROR_REPEAT_INITIALIZE,
                         "aclInit() was called before");
    } else {
        rc = initialize(configPath);
    }
    sim_unlock();
    return rc;
}

/*
 * Tears down from the top: devices with all that is on them, then pinned memory, then the tables.
 * init_count goes to 0 first, so that calls of other threads are refused while streams are waited
 * for without the lock. [locked, may wait]
 */
static void finalize(bool force)
{
    size_t left;

    sim_state.init_count = 0;
    sim_state.closing = true;
    for (size_t i = 0; i < SIM_DEVICES; i++)
        sim_device_close(&sim_state.devices[i], force);
    left = sim_free_all(NULL);
    if (left)
        sim_note_violation(BP_ASCEND_LEFT_BEHIND, "%zu blocks of pinned memory", left);
    sim_callbacks_free();
    sim_cache_finish();
    sim_task_pools_free();
    sim_workspaces_free();
    sim_memory_finish();
    sim_handles_free();
    sim_state.closing = false;
    pthread_cond_broadcast(&sim_state.changed);
}

/* Tears down when it is called as often as aclInit(). */
aclError aclFinalizeReference(uint64_t *refCount)
{
    aclError rc = 0;

    sim_lock();
    sim_state.counters.finalize_calls++;
    if (sim_state.init_count == 0)
        rc = sim_violate(BP_ASCEND_DOUBLE_FINALIZE, ACL_ERROR_REPEAT_FINALIZE,
                         "ACL is not initialised");
    else if (sim_state.init_count == 1)
        finalize(false);
    else
        sim_state.init_count--;
    if (refCount)
        *refCount = sim_state.init_count;
    sim_unlock();
    return rc;
}

/* Tears down at once, however often aclInit() was called. */
aclError aclFinalize(void)
{
    aclError rc = 0;

    sim_lock();
    sim_state.counters.finalize_calls++;
    if (sim_state.init_count == 0)
        rc = sim_violate(BP_ASCEND_DOUBLE_FINALIZE, ACL_ERROR_REPEAT_FINALIZE,
                         "ACL is not initialised");
    else
        finalize(false);
    sim_unlock();
    return rc;
}

/*
 * The library is unloaded, or the process ends: no thread of it may stay behind. What is queued is
 * dropped.
 */
#if defined(__GNUC__)
__attribute__((destructor))
#endif
static void
unload(void)
{
    if (owner != getpid())
        return; /* the child of a fork(): threads and locks are the parent's */
    sim_lock();
    sim_set_fatal_violations(false); /* an exit without clean-up is not a violation to abort for */
    if (sim_state.init_count)
        finalize(true);
    free(requested_config);
    requested_config = NULL;
    sim_unlock();
}
