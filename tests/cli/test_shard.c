/* Shares that a scheduler says in the environment. */
#include "shard.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VARIABLES = 8 };

/* `share` 0: refused, with a message that holds `text`. */
static const struct row {
    const char *variable[MOST_VARIABLES];
    uint32_t share, shares;
    const char *text;
} rows[] = {
#define ARRAY(id, least, most, step, count)                                                        \
    "SLURM_ARRAY_TASK_ID=" id, "SLURM_ARRAY_TASK_MIN=" least, "SLURM_ARRAY_TASK_MAX=" most,        \
        "SLURM_ARRAY_TASK_STEP=" step, "SLURM_ARRAY_TASK_COUNT=" count
    /* arrays that begin at 0 or 1, and have a step */
    {{ARRAY("1", "1", "8", "1", "8")}, 1, 8, "share 1 of 8, from a Slurm array (SLURM_ARRAY_"},
    {{ARRAY("8", "1", "8", "1", "8")}, 8, 8, "SLURM_ARRAY_TASK_ID=8"},
    {{ARRAY("0", "0", "7", "1", "8")}, 1, 8, "share 1 of 8"},
    {{ARRAY("7", "0", "7", "1", "8")}, 8, 8, "share 8 of 8"},
    {{ARRAY("5", "1", "7", "2", "4")}, 3, 4, "share 3 of 4"},
    {{ARRAY("6", "0", "6", "3", "3")}, 3, 3, "share 3 of 3"},
    {{"SLURM_ARRAY_TASK_ID=2", "SLURM_ARRAY_TASK_COUNT=2", "SLURM_ARRAY_TASK_MIN=1",
      "SLURM_ARRAY_TASK_MAX=2"},
     2,
     2,
     "share 2 of 2"},
    /* the variables of a batch step are no ranks */
    {{ARRAY("3", "1", "8", "1", "8"), "SLURM_PROCID=0", "SLURM_NTASKS=1"}, 3, 8, "array"},
    /* a task that is submitted again */
    {{ARRAY("3", "3", "3", "1", "1")}, 0, 0, "set SSIMCU_SHARDS"},
    {{ARRAY("1", "1", "1", "1", "1")}, 0, 0, "set SSIMCU_SHARDS"},
    {{ARRAY("3", "3", "5", "2", "2")}, 0, 0, "set SSIMCU_SHARDS"},
    {{ARRAY("1", "1", "7", "1", "3")}, 0, 0, "set SSIMCU_SHARDS"}, /* --array=1,3,7 */
    {{ARRAY("3", "3", "3", "1", "1"), "SSIMCU_SHARDS=8"}, 3, 8, "share 3 of 8"},
    {{ARRAY("3", "3", "3", "1", "1"), "SSIMCU_SHARDS=1-8"}, 3, 8, "share 3 of 8"},
    {{ARRAY("3", "3", "3", "1", "1"), "SSIMCU_SHARDS=0-7"}, 4, 8, "share 4 of 8"},
    {{ARRAY("5", "5", "5", "1", "1"), "SSIMCU_SHARDS=1-15:2"}, 3, 8, "share 3 of 8"},
    {{ARRAY("1", "1", "1", "1", "1"), "SSIMCU_SHARDS=1"}, 1, 1, "share 1 of 1"},
    {{ARRAY("4", "4", "4", "1", "1"), "SSIMCU_SHARDS=1-15:2"}, 0, 0, "not one of 8 tasks"},
    {{ARRAY("0", "0", "0", "1", "1"), "SSIMCU_SHARDS=8"}, 0, 0, "not one of 8 tasks from 1"},
    {{ARRAY("9", "9", "9", "1", "1"), "SSIMCU_SHARDS=8"}, 0, 0, "is not one of"},
    {{ARRAY("3", "3", "3", "1", "1"), "SSIMCU_SHARDS=0"}, 0, 0, "SSIMCU_SHARDS=0"},
    {{ARRAY("3", "3", "3", "1", "1"), "SSIMCU_SHARDS=8-1"}, 0, 0, "SSIMCU_SHARDS=8-1"},
    {{ARRAY("3", "3", "3", "1", "1"), "SSIMCU_SHARDS=1-8:0"}, 0, 0, "SSIMCU_SHARDS=1-8:0"},
    {{ARRAY("3", "3", "3", "1", "1"), "SSIMCU_SHARDS=1-8x"}, 0, 0, "SSIMCU_SHARDS=1-8x"},
    {{ARRAY("3", "3", "3", "1", "1"), "SSIMCU_SHARDS="}, 0, 0, "SSIMCU_SHARDS="},
    /* ranks, counted from 0 */
    {{"SLURM_PROCID=0", "SLURM_NTASKS=4"}, 1, 4, "share 1 of 4, from Slurm (SLURM_PROCID=0)"},
    {{"SLURM_PROCID=3", "SLURM_NTASKS=4"}, 4, 4, "share 4 of 4"},
    {{"OMPI_COMM_WORLD_RANK=2", "OMPI_COMM_WORLD_SIZE=3"}, 3, 3, "Open MPI"},
    {{"PMI_RANK=1", "PMI_SIZE=2"}, 2, 2, "MPICH"},
    {{"PMI_RANK=1", "PMI_SIZE=2", "SSIMCU_SHARDS=2"}, 2, 2, "MPICH"},
    {{"PMI_RANK=1", "PMI_SIZE=2", "SSIMCU_SHARDS=8"}, 0, 0, "SSIMCU_SHARDS and PMI_SIZE differ"},
    {{"SLURM_PROCID=4", "SLURM_NTASKS=4"}, 0, 0, "SLURM_PROCID=4 is not one of 4 tasks"},
    {{"SLURM_PROCID=0", "SLURM_NTASKS=0"}, 0, 0, "is not one of"},
    /* mpirun in a job of Slurm */
    {{"SLURM_PROCID=0", "SLURM_NTASKS=4", "OMPI_COMM_WORLD_RANK=2", "OMPI_COMM_WORLD_SIZE=4"},
     3,
     4,
     "Open MPI"},
    {{ARRAY("3", "1", "8", "1", "8"), "PMI_RANK=1", "PMI_SIZE=2"}, 0, 0, "expected --shard I/N"},
    {{ARRAY("3", "1", "8", "1", "8"), "OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=4"},
     0,
     0,
     "both SLURM_ARRAY_TASK_ID and OMPI_COMM_WORLD_SIZE=4"},
    /* Kubernetes says no total by itself */
    {{"JOB_COMPLETION_INDEX=0", "SSIMCU_SHARDS=5"}, 1, 5, "share 1 of 5, from Kubernetes"},
    {{"JOB_COMPLETION_INDEX=4", "SSIMCU_SHARDS=5"}, 5, 5, "share 5 of 5"},
    {{"JOB_COMPLETION_INDEX=5", "SSIMCU_SHARDS=5"}, 0, 0, "is not one of"},
    {{"JOB_COMPLETION_INDEX=0"}, 0, 0, "JOB_COMPLETION_INDEX is set and SSIMCU_SHARDS is not"},
    /* half of what is needed */
    {{"SLURM_ARRAY_TASK_ID=1"}, 0, 0, "SLURM_ARRAY_TASK_COUNT is not set"},
    {{"SLURM_ARRAY_TASK_COUNT=8"}, 0, 0, "SLURM_ARRAY_TASK_ID is not"},
    {{"SLURM_NTASKS=4"}, 0, 0, "SLURM_NTASKS is set and SLURM_PROCID is not"},
    {{"SLURM_PROCID=0"}, 0, 0, "SLURM_PROCID is set and SLURM_NTASKS is not"},
    {{"OMPI_COMM_WORLD_RANK=0"}, 0, 0, "OMPI_COMM_WORLD_SIZE is not"},
    {{"PMI_SIZE=2"}, 0, 0, "PMI_RANK is not"},
    {{"SSIMCU_SHARDS=8"}, 0, 0, "found no scheduler"},
    {{NULL},
     0,
     0,
     "expected one of SLURM_ARRAY_TASK_ID, OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID, "
     "JOB_COMPLETION_INDEX"},
    /* no numbers */
    {{"SLURM_PROCID=", "SLURM_NTASKS=4"}, 0, 0, "SLURM_PROCID=: expected a whole number"},
    {{"SLURM_PROCID=-1", "SLURM_NTASKS=4"}, 0, 0, "SLURM_PROCID=-1"},
    {{"SLURM_PROCID=1x", "SLURM_NTASKS=4"}, 0, 0, "SLURM_PROCID=1x"},
    {{"SLURM_PROCID=1", "SLURM_NTASKS=16777217"}, 0, 0, "SLURM_NTASKS=16777217"},
    {{"SLURM_PROCID=1", "SLURM_NTASKS=99999999999999999999999"}, 0, 0, "SLURM_NTASKS=999"},
};

static void forget_all(void)
{
    static const char *const names[] = {"SLURM_ARRAY_TASK_ID",
                                        "SLURM_ARRAY_TASK_MIN",
                                        "SLURM_ARRAY_TASK_MAX",
                                        "SLURM_ARRAY_TASK_STEP",
                                        "SLURM_ARRAY_TASK_COUNT",
                                        "SLURM_PROCID",
                                        "SLURM_NTASKS",
                                        "OMPI_COMM_WORLD_RANK",
                                        "OMPI_COMM_WORLD_SIZE",
                                        "PMI_RANK",
                                        "PMI_SIZE",
                                        "JOB_COMPLETION_INDEX",
                                        "SSIMCU_SHARDS"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) unsetenv(names[i]);
}

Test(shard, is_what_the_scheduler_says)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        forget_all();
        for (int v = 0; v < MOST_VARIABLES && row->variable[v]; v++) {
            char text[64];
            snprintf(text, sizeof text, "%s", row->variable[v]);
            char *equals = strchr(text, '=');
            *equals = '\0';
            cr_assert(setenv(text, equals + 1, 1) == 0);
        }
        uint32_t share = 0, shares = 0;
        ssimcu_message message = {{0}};
        const bool found = shard_find(&share, &shares, &message);
        cr_expect(found == (row->share > 0), "%zu: %s", i, message.text);
        cr_expect(!found || (share == row->share && shares == row->shares), "%zu: %s", i,
                  message.text);
        cr_expect(strstr(message.text, row->text), "%zu: %s", i, message.text);
    }
}

Test(shard, has_files_of_its_own)
{
    char own[16];
    cr_expect(shard_name("a.{}.{}.jsonl", 3, own, sizeof own) && strcmp(own, "a.3.3.jsonl") == 0);
    cr_expect(shard_name("{a}{", 3, own, sizeof own) && strcmp(own, "{a}{") == 0);
    cr_expect(shard_name("0123456789abcde", 3, own, sizeof own));
    cr_expect(!shard_name("0123456789abcdef", 3, own, sizeof own));
    cr_expect(shard_name("0123456789abc{}", 12, own, sizeof own));
    cr_expect(!shard_name("0123456789abc{}", 123, own, sizeof own));
    cr_expect(shard_name("", 1, own, sizeof own) && own[0] == '\0');
}
