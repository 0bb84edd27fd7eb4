/* Counts the CPUs that the scheduler will give this process. Hardware and affinity are not enough.
 * A container with a quota of two CPUs sees all 64 of its host, and 64 threads would be stopped
 * most of the time. */
#define _GNU_SOURCE /* sched_getaffinity */

#include "ssimcu.h"
#include "threads.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CPUS = 16384 };

static uint32_t count_affinity(void)
{
    cpu_set_t set[MOST_CPUS / CPU_SETSIZE];
    if (sched_getaffinity(0, sizeof set, set) == 0) return (uint32_t)CPU_COUNT_S(sizeof set, set);
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

/* Reads up to two numbers from root + group + file. A number is 0 if it is missing or is not a
 * number, such as "max". */
static void read_numbers(const char *root, const char *mount, const char *group, const char *file,
                         long long number[2])
{
    char path[PATH_MAX];
    number[0] = number[1] = 0;
    const int length = snprintf(path, sizeof path, "%s%s%s/%s", root, mount, group, file);
    FILE *stream = length < (int)sizeof path ? fopen(path, "re") : NULL;
    if (!stream) return;
    if (fscanf(stream, "%lld %lld", &number[0], &number[1]) < 1) number[0] = 0;
    fclose(stream);
}

/* Returns the CPUs of one group's quota, rounded up so that none of it is lost; UINT32_MAX without
 * a quota. */
static uint32_t quota_of(const char *root, const char *group, int version)
{
    long long quota[2], period[2];
    if (version == 2) {
        read_numbers(root, "/sys/fs/cgroup", group, "cpu.max", quota);
        period[0] = quota[1];
    } else {
        read_numbers(root, "/sys/fs/cgroup/cpu", group, "cpu.cfs_quota_us", quota);
        read_numbers(root, "/sys/fs/cgroup/cpu", group, "cpu.cfs_period_us", period);
    }
    if (quota[0] <= 0 || period[0] <= 0) return UINT32_MAX;
    const long long cpus = quota[0] / period[0] + (quota[0] % period[0] != 0);
    return cpus < UINT32_MAX ? (uint32_t)cpus : UINT32_MAX;
}

/* Returns the smallest quota from the group up to the root. A container may not see its group under
 * this name; then its root sets the limit. */
static uint32_t smallest_quota(const char *root, char *group, int version)
{
    uint32_t smallest = UINT32_MAX;
    for (;;) {
        const uint32_t here = quota_of(root, group, version);
        if (here < smallest) smallest = here;
        char *slash = strrchr(group, '/');
        if (!slash) return smallest;
        *slash = '\0';
    }
}

/* Parses one line of /proc/self/cgroup: "0::/group" (v2) or "4:cpu,cpuacct:/group" (v1). */
static uint32_t quota_of_line(const char *root, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group) return UINT32_MAX;
    *controllers++ = ',';
    *group++ = '\0';
    if (controllers[0] == '\0') return smallest_quota(root, group, 2);
    char list[PATH_MAX];
    snprintf(list, sizeof list, ",%s,", controllers);
    return strstr(list, ",cpu,") ? smallest_quota(root, group, 1) : UINT32_MAX;
}

uint32_t ssimcu_threads_usable(const char *root)
{
    char line[PATH_MAX];
    uint32_t usable = count_affinity();
    snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    FILE *groups = fopen(line, "re");
    while (groups && fgets(line, sizeof line, groups)) {
        const uint32_t quota = quota_of_line(root, line);
        if (quota < usable) usable = quota;
    }
    if (groups) fclose(groups);
    return usable > 0 ? usable : 1;
}

uint32_t ssimcu_cpu_threads(void) { return ssimcu_threads_usable(""); }
