/* The public API's contracts: misuse, messages, ownership. */
#include "check.h"
#include "fail.h"

#include <stdio.h>
#include <string.h>

static ssimcu_settings cpu_settings(void)
{
    return (ssimcu_settings){.struct_size = sizeof(ssimcu_settings), .device = SSIMCU_DEVICE_CPU};
}

Test(api, status_numbers_are_pinned)
{
    static const struct {
        ssimcu_status status;
        int number;
        const char *name;
    } pinned[] = {{SSIMCU_OK, 0, "ok"},
                  {SSIMCU_ERROR_ARGUMENT, 1, "argument"},
                  {SSIMCU_ERROR_MISMATCH, 2, "mismatch"},
                  {SSIMCU_ERROR_TOO_SMALL, 3, "too small"},
                  {SSIMCU_ERROR_UNSUPPORTED, 4, "unsupported"},
                  {SSIMCU_ERROR_LIMIT, 5, "limit"},
                  {SSIMCU_ERROR_MEMORY, 6, "memory"},
                  {SSIMCU_ERROR_DEVICE, 7, "device"},
                  {SSIMCU_ERROR_FILE, 8, "file"},
                  {SSIMCU_ERROR_DATA, 9, "data"},
                  {SSIMCU_ERROR_WRITE, 10, "write"},
                  {SSIMCU_ERROR_INTERNAL, 11, "internal"}};
    for (size_t i = 0; i < sizeof pinned / sizeof pinned[0]; i++) {
        cr_assert_eq((int)pinned[i].status, pinned[i].number);
        cr_assert_str_eq(ssimcu_status_name(pinned[i].status), pinned[i].name);
    }
    cr_assert_str_eq(ssimcu_status_name((ssimcu_status)99), "unknown");
}

Test(api, version_matches_header)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", SSIMCU_VERSION_MAJOR, SSIMCU_VERSION_MINOR,
             SSIMCU_VERSION_PATCH);
    cr_assert_str_eq(ssimcu_version(), text);
    cr_assert_eq(strncmp(ssimcu_build(), "cpu, ", 5), 0);
}

Test(api, first_message_wins_and_long_ones_are_cut)
{
    ssimcu_message message = {{0}};
    cr_assert_eq(ssimcu_fail(&message, SSIMCU_ERROR_DATA, "first %d", 1), SSIMCU_ERROR_DATA);
    cr_assert_eq(ssimcu_fail(&message, SSIMCU_ERROR_FILE, "second"), SSIMCU_ERROR_FILE);
    cr_assert_str_eq(message.text, "first 1");
    cr_assert_eq(ssimcu_fail(NULL, SSIMCU_ERROR_FILE, "nowhere"), SSIMCU_ERROR_FILE);
    ssimcu_message large = {{0}};
    (void)ssimcu_fail(&large, SSIMCU_OK, "%0900d", 1);
    cr_assert_eq(strlen(large.text), sizeof large.text - 1);
}

Test(api, open_rejects_bad_settings)
{
    ssimcu_context *context = (ssimcu_context *)&context;
    ssimcu_settings settings = cpu_settings();
    CHECK_FAILS(ssimcu_open(&settings, NULL, &message), SSIMCU_ERROR_ARGUMENT, "context");
    settings.struct_size--;
    CHECK_FAILS(ssimcu_open(&settings, &context, &message), SSIMCU_ERROR_ARGUMENT, "struct_size");
    cr_assert_null(context);
}

Test(api, close_accepts_nothing)
{
    ssimcu_context *context = NULL;
    ssimcu_close(NULL);
    ssimcu_close(&context);
    ssimcu_frame_free(NULL);
    ssimcu_frame frame = {0};
    ssimcu_frame_free(&frame);
    cr_assert_str_eq(ssimcu_context_device(NULL), "");
    cr_assert_str_eq(ssimcu_context_reason(NULL), "");
}

Test(api, auto_always_opens_and_says_what)
{
    ssimcu_context *context = NULL;
    ssimcu_message message = {{0}};
    cr_assert_eq(ssimcu_open(NULL, &context, &message), SSIMCU_OK, "%s", message.text);
    cr_assert_neq(ssimcu_context_device(context)[0], '\0');
    cr_assert_neq(ssimcu_context_reason(context)[0], '\0');
    ssimcu_close(&context);
    cr_assert_null(context);
}

Test(api, cuda_never_falls_back)
{
    uint32_t count = 0;
    const ssimcu_status status = ssimcu_device_count(SSIMCU_DEVICE_CUDA, &count, NULL);
    const ssimcu_settings settings = {
        .struct_size = sizeof settings, .device = SSIMCU_DEVICE_CUDA, .device_index = count};
    ssimcu_context *context = NULL;
    cr_assert_eq(status == SSIMCU_OK, count > 0);
    CHECK_FAILS(ssimcu_open(&settings, &context, &message), SSIMCU_ERROR_DEVICE, "cuda");
    cr_assert_null(context);
}

Test(api, devices_are_described)
{
    uint32_t count = 0;
    ssimcu_device_info info = {.struct_size = sizeof info};
    cr_assert_eq(ssimcu_device_count(SSIMCU_DEVICE_CPU, &count, NULL), SSIMCU_OK);
    cr_assert_eq(count, 1u);
    cr_assert_eq(ssimcu_device_describe(SSIMCU_DEVICE_CPU, 0, &info, NULL), SSIMCU_OK);
    cr_assert_neq(info.name[0], '\0');
    CHECK_FAILS(ssimcu_device_describe(SSIMCU_DEVICE_CPU, 1, &info, &message), SSIMCU_ERROR_DEVICE,
                "cpu");
    CHECK_FAILS(ssimcu_device_count(SSIMCU_DEVICE_AUTO, &count, &message), SSIMCU_ERROR_ARGUMENT,
                "device");
    CHECK_FAILS(ssimcu_device_count(SSIMCU_DEVICE_CPU, NULL, &message), SSIMCU_ERROR_ARGUMENT,
                "count");
}

Test(api, frame_alloc_checks_its_fields)
{
    ssimcu_frame frame = {.width = 3, .height = 2, .channels = 3, .bits = 16};
    cr_assert_eq(ssimcu_frame_alloc(&frame, NULL), SSIMCU_OK);
    cr_assert_eq(frame.pitch, 18u);
    ssimcu_frame_free(&frame);
    cr_assert_null(frame.data);
    CHECK_FAILS(ssimcu_frame_alloc(NULL, &message), SSIMCU_ERROR_ARGUMENT, "frame");
}

/* A pair that compares well, of which each case spoils one field. */
struct fixture {
    ssimcu_context *context;
    ssimcu_frame ref, out;
    ssimcu_score score;
};

static struct fixture make_fixture(ssimcu_device device)
{
    const ssimcu_settings settings = {.struct_size = sizeof settings, .device = device};
    struct fixture f = {.score = {.struct_size = sizeof(ssimcu_score)}};
    f.context = check_open(&settings);
    check_reference_pair(20, 16, &f.ref, &f.out);
    return f;
}

static void free_fixture(struct fixture *f)
{
    ssimcu_close(&f->context);
    ssimcu_frame_free(&f->ref);
    ssimcu_frame_free(&f->out);
}

/* Sizes go up and down again: buffers grow and are reused. */
BACKEND_TEST(api, one_context_serves_every_size)
{
    static const uint32_t side[] = {20, 300, 11, 301, 20};
    const ssimcu_settings settings = {.struct_size = sizeof settings, .device = device};
    ssimcu_context *context = check_open(&settings);
    for (size_t i = 0; i < sizeof side / sizeof side[0]; i++) {
        ssimcu_frame ref, out;
        check_reference_pair(side[i], side[i] / 2 + 11, &ref, &out);
        cr_assert_eq(check_compare(context, &ref, &out).score,
                     check_score(&settings, &ref, &out).score, "side %u", side[i]);
        ssimcu_frame_free(&ref);
        ssimcu_frame_free(&out);
    }
    ssimcu_close(&context);
}

/* Rows have padding between them and begin at an odd address: only the pixels count. */
BACKEND_TEST(api, pitch_is_respected)
{
    struct fixture f = make_fixture(device);
    static uint8_t padded[1 + 16 * 77];
    for (uint32_t y = 0; y < 16; y++) {
        memset(padded + 1 + y * 77, (int)(y * 37), 77);
        memcpy(padded + 1 + y * 77, (uint8_t *)f.out.data + y * f.out.pitch, 60);
    }
    const ssimcu_frame view = {20, 16, 3, 8, 77, padded + 1, 0};
    cr_assert_eq(check_compare(f.context, &f.ref, &view).score,
                 check_compare(f.context, &f.ref, &f.out).score);
    free_fixture(&f);
}

BACKEND_TEST(api, depths_that_differ_are_refused)
{
    struct fixture f = make_fixture(device);
    ssimcu_frame ten = check_frame(20, 16, 3, 10), twelve = check_frame(20, 16, 3, 12);
    CHECK_FAILS(ssimcu_compare(f.context, &f.ref, &ten, &f.score, &message), SSIMCU_ERROR_MISMATCH,
                "8 bits");
    CHECK_FAILS(ssimcu_compare(f.context, &twelve, &ten, &f.score, &message), SSIMCU_ERROR_MISMATCH,
                "12 bits");
    cr_assert_eq(ssimcu_compare(f.context, &ten, &ten, &f.score, NULL), SSIMCU_OK);
    cr_assert_eq(f.score.bits, 10u);
    ssimcu_frame_free(&ten);
    ssimcu_frame_free(&twelve);
    free_fixture(&f);
}

/* Pinned memory and sleeping waits change no bit; memory can be pinned again after it was
 * unpinned. */
BACKEND_TEST(api, pinned_frames_and_sleeping_waits)
{
    const ssimcu_settings settings = {
        .struct_size = sizeof settings, .device = device, .wait_asleep = 1};
    ssimcu_context *context = check_open(&settings);
    struct fixture f = make_fixture(device);
    const ssimcu_score expected = check_compare(f.context, &f.ref, &f.out);
    ssimcu_message why = {{0}};
    for (int round = 0; round < 3; round++) {
        cr_assert_eq(ssimcu_frame_pin(context, &f.ref, &why), SSIMCU_OK, "%s", why.text);
        cr_assert_eq(ssimcu_frame_pin(f.context, &f.out, &why), SSIMCU_OK, "%s", why.text);
        cr_assert_eq(check_compare(context, &f.ref, &f.out).score, expected.score);
        cr_assert_eq(check_compare(f.context, &f.ref, &f.out).score, expected.score);
        ssimcu_frame_unpin(f.context, &f.ref);
        ssimcu_frame_unpin(context, &f.out);
    }
    CHECK_FAILS(ssimcu_frame_pin(NULL, &f.ref, &message), SSIMCU_ERROR_ARGUMENT, "context");
    CHECK_FAILS(ssimcu_frame_pin(context, NULL, &message), SSIMCU_ERROR_ARGUMENT, "frame");
    ssimcu_frame_unpin(context, NULL);
    ssimcu_frame_unpin(NULL, &f.ref);
    ssimcu_close(&context);
    free_fixture(&f);
}
