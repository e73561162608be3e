/* SPDX-License-Identifier: MIT */
/* cpus.c - how many threads this process may run at once: affinity mask and cgroup quota. */

#include "config.h"

#include "base/pool.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 512, PATH = 2 * LINE + 64 };

static uint32_t affinity(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return (uint32_t)CPU_COUNT(&set);
}

/* Reads up to two numbers from a file and returns how many it has. "max" is not a number. */
static int read_numbers(const char *tree, const char *group, const char *name, long long *numbers)
{
    char path[PATH];
    FILE *file;
    int n;

    snprintf(path, sizeof path, "%s%s/%s", tree, group, name);
    file = fopen(path, "re");
    if (!file)
        return 0;
    n = fscanf(file, "%lld %lld", &numbers[0], &numbers[1]);
    fclose(file);
    return n;
}

/* CPUs that one control group may use: ceil(quota / period); 0: no limit. */
static uint32_t quota_of(const char *tree, const char *group, bool is_unified)
{
    long long of[2] = {0, 0}, period[2] = {0, 0};
    bool has_both;

    if (is_unified) {
        has_both = read_numbers(tree, group, "cpu.max", of) == 2;
        period[0] = of[1];
    } else {
        has_both = read_numbers(tree, group, "cpu.cfs_quota_us", of) == 1 && /* -1: no limit */
                   read_numbers(tree, group, "cpu.cfs_period_us", period) == 1;
    }
    if (!has_both || of[0] <= 0 || period[0] <= 0)
        return 0;
    return (uint32_t)((of[0] - 1) / period[0] + 1);
}

/* The smallest limit from the group up to the root, or a container's root. Shortens `group`. */
static uint32_t tightest(const char *tree, char *group, bool is_unified)
{
    uint32_t least = 0;

    for (;;) {
        uint32_t limit = quota_of(tree, group, is_unified);
        char *slash = strrchr(group, '/');

        if (limit && (least == 0 || limit < least))
            least = limit;
        if (!slash)
            return least;
        *slash = '\0';
    }
}

/* Is "cpu" in a list like "cpu,cpuacct"? */
static bool has_cpu(const char *controllers)
{
    for (;;) {
        size_t n = strcspn(controllers, ",");

        if (n == 3 && strncmp(controllers, "cpu", n) == 0)
            return true;
        if (controllers[n] == '\0')
            return false;
        controllers += n + 1;
    }
}

/*
 * The limit by a line of /proc/self/cgroup: "0::/group" (cgroup v2), or "4:cpu,cpuacct:/group"
 * (v1).
 */
static uint32_t quota_by_line(char *line, const char *tree)
{
    char *controllers = strchr(line, ':'), *group, old[PATH];

    if (!controllers)
        return 0;
    *controllers++ = '\0';
    group = strchr(controllers, ':');
    if (!group)
        return 0;
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    if (controllers[0] == '\0')
        return tightest(tree, group, true);
    if (!has_cpu(controllers))
        return 0;
    snprintf(old, sizeof old, "%s/cpu", tree);
    return tightest(old, group, false);
}

uint32_t bp_pool_quota(const char *groups, const char *tree)
{
    FILE *file = fopen(groups, "re");
    uint32_t least = 0;
    char line[LINE];

    if (!file)
        return 0;
    while (fgets(line, sizeof line, file)) {
        uint32_t limit = quota_by_line(line, tree);

        if (limit && (least == 0 || limit < least))
            least = limit;
    }
    fclose(file);
    return least;
}

uint32_t bp_pool_cpus(void)
{
    uint32_t cpus = affinity();
    uint32_t limit = bp_pool_quota("/proc/self/cgroup", "/sys/fs/cgroup");

    if (limit && limit < cpus)
        cpus = limit;
    return cpus ? cpus : 1;
}
