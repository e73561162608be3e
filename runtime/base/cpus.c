/* SPDX-License-Identifier: MIT */
/* cpus.c - how many threads this process may run at once: affinity mask and cgroup quota. */

#include "config.h"

#include "base/pool.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 512 };

static uint32_t affinity(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return (uint32_t)CPU_COUNT(&set);
}

/* ceil(quota / period); 0 when the file sets no limit. */
static uint32_t quota_of(const char *dir)
{
    char path[LINE + 32];
    long long quota = 0;
    long long period = 0;
    FILE *file;

    snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", dir);
    file = fopen(path, "re");
    if (!file)
        return 0;
    if (fscanf(file, "%lld %lld", &quota, &period) != 2) /* "max 100000": no limit */
        quota = 0;
    fclose(file);
    if (quota <= 0 || period <= 0)
        return 0;
    return (uint32_t)((quota + period - 1) / period);
}

/* The path of our control group in the unified hierarchy; "" when there is none. */
static void own_group(char *out)
{
    char line[LINE];
    FILE *file = fopen("/proc/self/cgroup", "re");

    out[0] = '\0';
    if (!file)
        return;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "0::/", 4) != 0)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(out, LINE, "%s", line + 3);
    }
    fclose(file);
}

/* The tightest quota from our group up to the root; 0: none. */
static uint32_t quota(void)
{
    char group[LINE];
    uint32_t least = 0;

    own_group(group);
    for (;;) {
        uint32_t limit = quota_of(group);
        char *slash = strrchr(group, '/');

        if (limit && (least == 0 || limit < least))
            least = limit;
        if (!slash)
            return least;
        *slash = '\0';
    }
}

uint32_t bp_pool_cpus(void)
{
    uint32_t cpus = affinity();
    uint32_t limit = quota();

    if (limit && limit < cpus)
        cpus = limit;
    return cpus ? cpus : 1;
}
