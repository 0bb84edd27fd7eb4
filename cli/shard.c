#include "shard.h"

#include "option_values.h"

#include "fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of shares, or the numbers of an array's tasks, such as 0-7 or 1-15:2. A resubmitted
 * task needs this, because Slurm then counts only that task. */
#define FIXED "SSIMCU_SHARDS"

/* Variables that identify this task. If several are set, the first counts: for a task of an array,
 * and around mpirun, Slurm also sets the variables of its ranks. */
static const struct scheduler {
    const char *name, *task, *total;
} schedulers[] = {
    {"a Slurm array", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT"},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"MPICH", "PMI_RANK", "PMI_SIZE"},
    {"Slurm", "SLURM_PROCID", "SLURM_NTASKS"},
    {"Kubernetes", "JOB_COMPLETION_INDEX", FIXED},
};
enum { SCHEDULERS = sizeof schedulers / sizeof schedulers[0], ARRAY = 0, OPEN_MPI, MPICH };
enum { MOST = 1 << 24 };

#define WRONG(message, ...) (ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, __VA_ARGS__) == SSIMCU_OK)

/* Numbers of the tasks: first, first + step, ... */
struct tasks {
    uint64_t first, step, count;
};

/* Reads a variable that must be a whole number. */
static bool read_variable(const char *name, uint64_t *value, ssimcu_message *message)
{
    const char *text = getenv(name);
    if (!text) return WRONG(message, "%s is not set", name);
    const char *end = option_whole(text, 0, MOST, value);
    return (end && !*end) ||
           WRONG(message, "%s=%.100s: expected a whole number up to %d", name, text, MOST);
}

/* Reads FIXED: N, or FIRST-LAST, or FIRST-LAST:STEP. N means `first` to `first` + N - 1. */
static bool read_fixed(uint64_t first, struct tasks *tasks, ssimcu_message *message)
{
    const char *text = getenv(FIXED), *end = option_whole(text, 0, MOST, &tasks->count);
    uint64_t last = 0;
    tasks->first = first;
    tasks->step = 1;
    if (end && *end == '-') {
        tasks->first = tasks->count;
        end = option_whole(end + 1, 0, MOST, &last);
        if (end && *end == ':') end = option_whole(end + 1, 0, MOST, &tasks->step);
        const bool good = end && tasks->step > 0 && last >= tasks->first;
        tasks->count = good ? (last - tasks->first) / tasks->step + 1 : 0;
    }
    return (end && !*end && tasks->count > 0) ||
           WRONG(message,
                 FIXED "=%.100s: expected a number of shares, or the tasks of an array,"
                       " such as 0-7 or 1-15:2",
                 text);
}

/* Reads the numbers of an array's tasks. An array of one task, or one that does not begin at 0 or
 * 1, may be the resubmitted rest of a larger one. */
static bool read_array(struct tasks *tasks, ssimcu_message *message)
{
    uint64_t last;
    if (getenv(FIXED)) return read_fixed(1, tasks, message);
    tasks->step = 1;
    if (!read_variable("SLURM_ARRAY_TASK_COUNT", &tasks->count, message) ||
        !read_variable("SLURM_ARRAY_TASK_MIN", &tasks->first, message) ||
        !read_variable("SLURM_ARRAY_TASK_MAX", &last, message) ||
        (getenv("SLURM_ARRAY_TASK_STEP") &&
         !read_variable("SLURM_ARRAY_TASK_STEP", &tasks->step, message)))
        return false;
    const bool regular = tasks->step > 0 && last >= tasks->first &&
                         (last - tasks->first) / tasks->step + 1 == tasks->count;
    if (regular && tasks->count > 1 && tasks->first <= 1) return true;
    return WRONG(message,
                 "an array of %llu tasks from %llu to %llu may be part of another:"
                 " set " FIXED " to the number of shares",
                 (unsigned long long)tasks->count, (unsigned long long)tasks->first,
                 (unsigned long long)last);
}

/* Refuses ranks within a task of an array, because all tasks would have the same ranks. */
static bool is_alone(ssimcu_message *message)
{
    for (int i = OPEN_MPI; i <= MPICH; i++) {
        const char *total = getenv(schedulers[i].total);
        if (total && strcmp(total, "1") != 0)
            return WRONG(message,
                         "both SLURM_ARRAY_TASK_ID and %s=%.20s are set: expected --shard I/N",
                         schedulers[i].total, total);
    }
    return true;
}

static bool read_ranks(const struct scheduler *from, struct tasks *tasks, ssimcu_message *message)
{
    struct tasks fixed;
    *tasks = (struct tasks){.step = 1};
    if (!getenv(from->total))
        return WRONG(message, "%s is set and %s is not", from->task, from->total);
    if (!read_variable(from->total, &tasks->count, message)) return false;
    if (!getenv(FIXED)) return true;
    if (!read_fixed(0, &fixed, message)) return false;
    return fixed.count == tasks->count || WRONG(message, FIXED " and %s differ", from->total);
}

/* Returns the first scheduler with a variable that is set; NULL: none. */
static const struct scheduler *find_scheduler(void)
{
    for (int i = 0; i < SCHEDULERS; i++) {
        const bool total = getenv(schedulers[i].total) && strcmp(schedulers[i].total, FIXED) != 0;
        if (getenv(schedulers[i].task) || total) return &schedulers[i];
    }
    return NULL;
}

bool shard_find(uint32_t *shard, uint32_t *shards, ssimcu_message *message)
{
    const struct scheduler *from = find_scheduler();
    struct tasks tasks;
    char names[256] = "";
    uint64_t task;
    for (int i = 0; i < SCHEDULERS && !from; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 0 ? ", " : "",
                 schedulers[i].task);
    if (!from) return WRONG(message, "found no scheduler: expected one of %s to be set", names);
    if (!getenv(from->task))
        return WRONG(message, "%s is set and %s is not", from->total, from->task);
    if (from == &schedulers[ARRAY] ? !is_alone(message) || !read_array(&tasks, message)
                                   : !read_ranks(from, &tasks, message))
        return false;
    if (!read_variable(from->task, &task, message)) return false;
    const uint64_t behind = task - tasks.first; /* wraps if the task is before the first */
    if (task < tasks.first || behind % tasks.step != 0 || behind / tasks.step >= tasks.count)
        return WRONG(message, "%s=%llu is not one of %llu tasks from %llu in steps of %llu",
                     from->task, (unsigned long long)task, (unsigned long long)tasks.count,
                     (unsigned long long)tasks.first, (unsigned long long)tasks.step);
    *shard = (uint32_t)(behind / tasks.step) + 1;
    *shards = (uint32_t)tasks.count;
    snprintf(message->text, sizeof message->text, "share %u of %u, from %s (%s=%llu)", *shard,
             *shards, from->name, from->task, (unsigned long long)task);
    return true;
}

bool shard_name(const char *name, uint32_t shard, char *own, size_t size)
{
    size_t used = 0;
    while (*name && used < size) {
        const bool place = name[0] == '{' && name[1] == '}';
        used += (size_t)(place ? snprintf(own + used, size - used, "%u", shard)
                               : snprintf(own + used, size - used, "%c", *name));
        name += place ? 2 : 1;
    }
    if (used == 0 && size > 0) own[0] = '\0';
    return !*name && used < size;
}
