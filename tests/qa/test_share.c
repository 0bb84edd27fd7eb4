/* Readers open their decoders by turns. */
#include "check.h"
#include "source/share.h"

#include <stdatomic.h>
#include <time.h>

enum { SIDES = 2, READERS = 4 };

/* A side of a reader that waits for the turn. */
struct side {
    struct chunks *chunks;
    uint32_t reader;
    atomic_bool begun;
};

static void *begin(void *argument)
{
    struct side *const side = argument;
    share_begin_opening(side->chunks, side->reader);
    atomic_store(&side->begun, true);
    return NULL;
}

static void pause_ms(long ms)
{
    const struct timespec time = {.tv_nsec = ms * 1000000};
    (void)nanosleep(&time, NULL);
}

static void wait_until(const atomic_bool *condition)
{
    for (int ms = 0; ms < 10000 && !atomic_load(condition); ms++) pause_ms(1);
    cr_assert(atomic_load(condition));
}

/* Waits until a reader's side waits. */
static void wait_for(struct chunks *chunks, uint32_t reader)
{
    bool waits = false;
    for (int ms = 0; ms < 10000 && !waits; ms++) {
        pause_ms(1);
        pthread_mutex_lock(&chunks->lock);
        waits = chunks->waits[reader];
        pthread_mutex_unlock(&chunks->lock);
    }
    cr_assert(waits);
}

/* While one opens, others wait, whichever came first: the lowest is next, with all its sides. One
 * that had no turn, such as a reader whose files the CPU decodes, ends none. */
Test(share, readers_open_by_turns)
{
    static const uint32_t reader[READERS] = {7, 2, 127, 0};
    static const int turns[READERS] = {3, 1, 0, 2}; /* of `reader` */
    static struct chunks chunks;
    static struct side side[READERS][SIDES];
    pthread_t thread[READERS][SIDES];
    share_init(&chunks);
    share_begin_opening(&chunks, 3);
    share_begin_opening(&chunks, 3); /* its other side */
    for (int i = 0; i < READERS; i++) {
        for (int s = 0; s < SIDES; s++) {
            side[i][s].chunks = &chunks, side[i][s].reader = reader[i];
            cr_assert_eq(pthread_create(&thread[i][s], NULL, begin, &side[i][s]), 0);
        }
        wait_for(&chunks, reader[i]);
    }
    share_end_opening(&chunks, 4);
    for (int t = 0, next = 3; t < READERS; t++) {
        const int now = turns[t];
        pause_ms(20);
        for (int k = t; k < READERS; k++)
            for (int s = 0; s < SIDES; s++) cr_expect_not(atomic_load(&side[turns[k]][s].begun));
        share_end_opening(&chunks, (uint32_t)next);
        for (int s = 0; s < SIDES; s++) wait_until(&side[now][s].begun);
        next = (int)reader[now];
    }
    for (int i = 0; i < READERS * SIDES; i++) pthread_join(thread[i / SIDES][i % SIDES], NULL);
    share_end_opening(&chunks, 127);
    cr_expect_eq(chunks.turn, 0);
    share_destroy(&chunks);
}
