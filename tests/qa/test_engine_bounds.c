/* What the engine must not do: begin more than its window, take more than its memory, wait for what
 * never comes. After a refusal or a stop it must not go on. This file makes its own source. */
#include "check.h"
#include "engine/order.h"
#include "pair/pair.h"
#include "pair/slots.h"
#include "record/record.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

enum { PAGE = 4096, LANES = 3 };

struct made {
    struct source base;
    int64_t pairs, at;
    bool first_is_slow;
    size_t (*bytes)(int64_t frame); /* each side's */
    atomic_llong begun, taken;
    int64_t most_taken; /* pairs taken before they are refused */
    int64_t most_ahead; /* pairs from the first that is not handed out to the last begun */
};

static void pause_ms(int ms) { poll(NULL, 0, ms); }

static size_t one_page(int64_t frame)
{
    (void)frame;
    return PAGE;
}

static bool next(struct source *source, struct pair *pair)
{
    struct made *made = (struct made *)source;
    if (made->at == made->pairs) return false;
    pair->record->frame = made->at++;
    const int64_t ahead = atomic_fetch_add(&made->begun, 1) + 1 - atomic_load(&made->taken);
    if (ahead > made->most_ahead) made->most_ahead = ahead;
    return true;
}

/* The first pair lets the others go on until no more are begun. */
static void wait_for_others(struct made *made)
{
    long long before = -1;
    for (int i = 0; i < 200 && atomic_load(&made->begun) != before; i++) {
        before = atomic_load(&made->begun);
        pause_ms(100);
    }
}

static ssimcu_status load(const struct source *source, struct pair *pair, ssimcu_message *message)
{
    struct made *made = (struct made *)(uintptr_t)source;
    const size_t bytes = made->bytes(pair->record->frame);
    const size_t both[2] = {bytes, bytes};
    if (made->first_is_slow && pair->record->frame == 0) wait_for_others(made);
    const ssimcu_status status = slots_reserve(pair, both, 0, message);
    pair->planes = 1;
    for (int side = 0; side < 2; side++)
        pair->plane[side][0] = (ssimcu_frame){16, 16, 1, 8, 16, pair->memory[side], 0};
    return status;
}

static const struct source_kind KIND = {.next = next, .load = load};

static ssimcu_status score(void *user, ssimcu_context *lane, const struct pair *pair,
                           ssimcu_score *result, ssimcu_message *message)
{
    (void)user, (void)lane, (void)pair, (void)result, (void)message;
    return SSIMCU_OK;
}

static bool take(void *user, struct record *record, bool known)
{
    struct made *made = user;
    cr_assert_not(known);
    cr_assert(record->kind == RECORD_SCORED, "%s", record->message.text);
    cr_assert_eq(record->frame, atomic_load(&made->taken));
    return atomic_fetch_add(&made->taken, 1) + 1 != made->most_taken;
}

static struct batch_times run_on(uint32_t threads, struct made *made, uint32_t contexts,
                                 uint64_t memory, const ssimcu_stop *stop)
{
    struct batch_times times;
    ssimcu_message why = {{0}};
    const struct batch_config config = {.settings = {.struct_size = sizeof config.settings,
                                                     .device = SSIMCU_DEVICE_CPU,
                                                     .threads = threads},
                                        .contexts = contexts,
                                        .memory_bytes = memory,
                                        .score = score,
                                        .take = take,
                                        .user = made,
                                        .stop = stop};
    made->base.kind = &KIND;
    made->at = made->most_ahead = 0;
    atomic_store(&made->begun, 0);
    atomic_store(&made->taken, 0);
    cr_assert_eq(batch_run(&config, &made->base, &times, &why), SSIMCU_OK, "%s", why.text);
    return times;
}

static struct batch_times run(struct made *made, uint32_t contexts, uint64_t memory,
                              const ssimcu_stop *stop)
{
    return run_on(0, made, contexts, memory, stop);
}

Test(engine_bounds, behind_a_slow_pair_no_more_than_the_window, .timeout = 60)
{
    struct made made = {.pairs = 3 * ORDER_WINDOW, .first_is_slow = true, .bytes = one_page};
    if (ssimcu_cpu_threads() < 2) cr_skip_test("one CPU: nothing passes a slow pair");
    for (uint32_t contexts = 0; contexts <= LANES; contexts += LANES) {
        run(&made, contexts, 1 << 30, NULL);
        cr_assert_eq(atomic_load(&made.taken), made.pairs);
        cr_assert_eq(made.most_ahead, ORDER_WINDOW, "%lld ahead", (long long)made.most_ahead);
    }
}

enum { SMALL = 40, LARGE = 10 }; /* pairs; pages of each side */

static size_t then_large(int64_t frame)
{
    return (size_t)(frame % SMALL == SMALL - 1 ? LARGE : 1) * PAGE;
}

/* The large pair needs all the memory: every slot has to let go of its own. */
Test(engine_bounds, small_pairs_and_then_a_large_one, .timeout = 60)
{
    struct made made = {.pairs = 50 * SMALL, .bytes = then_large};
    for (uint32_t contexts = 0; contexts <= LANES; contexts += LANES)
        for (uint64_t pages = 2 * LARGE; pages <= 3 * LARGE; pages += 3) {
            const struct batch_times times = run(&made, contexts, pages * PAGE, NULL);
            cr_assert_eq(atomic_load(&made.taken), made.pairs);
            cr_assert(times.memory_peak <= pages * PAGE && times.memory_peak >= 2 * LARGE * PAGE,
                      "%llu of %llu pages", (unsigned long long)times.memory_peak / PAGE,
                      (unsigned long long)pages);
        }
}

/* A large pair waits for memory while the others go on to the end of the window. Then those that
 * wait for it, and for each other, must have let go of their memory. */
Test(engine_bounds, more_threads_than_memory, .timeout = 60)
{
    struct made made = {.pairs = 50 * SMALL, .bytes = then_large};
    for (int i = 0; i < 20; i++) {
        run_on(16, &made, 0, 2 * LARGE * PAGE, NULL);
        cr_assert_eq(atomic_load(&made.taken), made.pairs);
    }
}

Test(engine_bounds, a_refusal_ends_the_decoding, .timeout = 60)
{
    struct made made = {.pairs = 1000000, .bytes = one_page, .most_taken = 10};
    for (uint32_t contexts = 0; contexts <= LANES; contexts += LANES) {
        const struct batch_times times = run(&made, contexts, 1 << 30, NULL);
        cr_assert_eq(atomic_load(&made.taken), 10);
        /* The tenth may come last into the window, because its thread may have slept. */
        cr_assert_leq(atomic_load(&made.begun), 10 + ORDER_WINDOW + (long long)times.slots,
                      "%lld pairs were begun", atomic_load(&made.begun));
    }
}

/* ---- Memory by itself ------------------------------------------------------------------------ */

struct waiter {
    struct pair pair;
    atomic_bool done;
};

static void *reserve_two_pages(void *arg)
{
    struct waiter *waiter = arg;
    const size_t bytes[2] = {PAGE, PAGE};
    cr_assert_eq(slots_reserve(&waiter->pair, bytes, 0, NULL), SSIMCU_OK);
    atomic_store(&waiter->done, true);
    return NULL;
}

/* Two pages are taken and a third is counted. A slot that needs two waits until they are given
 * back, whatever the number of slots. */
Test(engine_bounds, a_slot_waits_for_memory, .timeout = 60)
{
    struct slots slots;
    pthread_t thread;
    cr_assert(slots_start(&slots, 3, 4 * PAGE - 1, NULL));
    struct pair first = {.slot = slots_take(&slots)};
    struct waiter waiter = {.pair = {.slot = slots_take(&slots)}};
    const size_t one[2] = {PAGE, 0};
    cr_assert_eq(slots_reserve(&first, one, PAGE, NULL), SSIMCU_OK);
    cr_assert_eq(slots.used, 2 * PAGE);
    cr_assert_eq(pthread_create(&thread, NULL, reserve_two_pages, &waiter), 0);
    pause_ms(200);
    cr_assert_not(atomic_load(&waiter.done), "more memory was taken than there is");
    slots_give(first.slot);
    pthread_join(thread, NULL);
    cr_assert(slots.used == 2 * PAGE && slots.peak == 2 * PAGE);
    slots_give(waiter.pair.slot);
    slots_end(&slots);
}

Test(engine_bounds, a_pair_that_never_fits_is_refused_at_once)
{
    struct slots slots;
    cr_assert(slots_start(&slots, 1, 2 * PAGE, NULL));
    struct pair pair = {.slot = slots_take(&slots)};
    const size_t fits[2] = {PAGE, 1}, never[2] = {PAGE, PAGE + 1};
    CHECK_FAILS(slots_reserve(&pair, never, 0, &message), SSIMCU_ERROR_LIMIT, "12288 bytes");
    CHECK_FAILS(slots_reserve(&pair, fits, 1, &message), SSIMCU_ERROR_LIMIT, "8193 bytes");
    cr_assert_eq(slots_reserve(&pair, fits, 0, NULL), SSIMCU_OK);
    slots_give(pair.slot);
    slots_end(&slots);
}

/* What scoring needs counts with the frames. If there is too little memory, scoring gets what is
 * left. */
Test(engine_bounds, memory_of_scoring)
{
    struct slots slots;
    const size_t bytes[2] = {PAGE, 2 * PAGE};
    cr_assert(slots_start(&slots, 1, 100 * PAGE, NULL));
    slots.bytes_per_byte = 3;
    struct pair pair = {.slot = slots_take(&slots)};
    cr_assert_eq(slots_reserve(&pair, bytes, PAGE, NULL), SSIMCU_OK);
    cr_assert_eq(slots.used, (3 + 1 + 3 * 2) * PAGE);
    slots_drop(pair.slot);
    slots.limit = 8 * PAGE;
    cr_assert_eq(slots_reserve(&pair, bytes, PAGE, NULL), SSIMCU_OK, "no pair fails for its want");
    cr_assert(slots.used > 4 * PAGE && slots.used <= slots.limit);
    slots_drop(pair.slot);
    slots.limit = 4 * PAGE;
    cr_assert_eq(slots_reserve(&pair, bytes, PAGE, NULL), SSIMCU_OK);
    cr_assert_eq(slots.used, 4 * PAGE);
    slots_give(pair.slot);
    slots_end(&slots);
}
