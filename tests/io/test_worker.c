/* Workers in a process that has children, descriptors and signals of its own. What a worker does
 * when its decoder dies: faults/worker.py. */
#define _GNU_SOURCE /* pipe2, memmem */
#include "check.h"
#include "ssimcu_io.h"

#include "worker/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool reads(void)
{
    ssimcu_frame frame;
    ssimcu_message why = {{0}};
    const ssimcu_status status =
        ssimcu_image_read(SSIMCU_TESTDATA "/light.exr", NULL, &frame, &why);
    if (status != SSIMCU_OK) fprintf(stderr, "%s\n", why.text);
    ssimcu_frame_free(&frame);
    return status == SSIMCU_OK;
}

/* Kills a child and waits until it is dead, but leaves it to be waited for. */
static void kill_dead(pid_t child)
{
    siginfo_t info;
    cr_assert(kill(child, SIGKILL) == 0);
    cr_assert(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) == 0);
}

/* Returns the number of this process's only child; 0: it has none. */
static pid_t find_child(void)
{
    char name[64];
    int child = 0;
    snprintf(name, sizeof name, "/proc/self/task/%d/children", (int)getpid());
    FILE *const file = fopen(name, "r");
    cr_assert(file);
    if (fscanf(file, "%d", &child) != 1) child = 0;
    fclose(file);
    return child;
}

Test(worker, is_used)
{
    cr_assert(ssimcu_worker_exists());
    cr_assert(reads());
    cr_assert(find_child() > 0);
}

Test(worker, serves_one_file_after_the_other)
{
    cr_assert(reads());
    const pid_t first = find_child();
    for (int i = 0; i < 10; i++) cr_assert(reads());
    cr_assert(find_child() == first);
}

Test(worker, that_has_died_while_idle_is_replaced)
{
    cr_assert(reads());
    const pid_t first = find_child();
    kill_dead(first);
    cr_assert(reads());
    cr_assert(find_child() != first); /* it is no zombie either: this is the only child */
}

Test(worker, that_was_started_ahead_is_taken)
{
    cr_assert(ssimcu_worker_exists());
    ssimcu_worker_start_ahead("exr");
    const pid_t first = find_child();
    cr_assert(first > 0 && reads());
    cr_assert(find_child() == first);
}

Test(worker, that_has_died_while_it_loaded_is_replaced)
{
    cr_assert(ssimcu_worker_exists());
    ssimcu_worker_start_ahead("exr");
    const pid_t first = find_child();
    cr_assert(first > 0);
    kill_dead(first);
    cr_assert(reads());
    cr_assert(find_child() > 0 && find_child() != first);
}

Test(worker, inherits_no_descriptor)
{
    int end[2];
    char byte;
    cr_assert(pipe2(end, O_NONBLOCK) == 0); /* not closed on exec */
    cr_assert(reads());
    cr_assert(find_child() > 0);
    close(end[1]);
    cr_assert((int)read(end[0], &byte, 1) == 0); /* nobody else has the end to write to */
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
Test(worker, has_limits_of_memory)
{
    static const __rlimit_resource_t kinds[] = {RLIMIT_DATA, RLIMIT_FSIZE};
    struct rlimit limit;
    cr_assert(reads());
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        cr_assert(prlimit(find_child(), kinds[i], NULL, &limit) == 0);
        cr_expect(limit.rlim_cur < (rlim_t)2 << 30, "%zu: %llu", i,
                  (unsigned long long)limit.rlim_cur);
    }
}
#endif

/* A worker may say why its file cannot be read. If it lacks memory, its limit is too low. Whatever
 * else it says means that the file is damaged. */
Test(worker, may_say_what_concerns_its_file)
{
    static const ssimcu_status expected[] = {[SSIMCU_OK] = SSIMCU_OK,
                                             [SSIMCU_ERROR_ARGUMENT] = SSIMCU_ERROR_ARGUMENT,
                                             [SSIMCU_ERROR_MISMATCH] = SSIMCU_ERROR_MISMATCH,
                                             [SSIMCU_ERROR_TOO_SMALL] = SSIMCU_ERROR_DATA,
                                             [SSIMCU_ERROR_UNSUPPORTED] = SSIMCU_ERROR_UNSUPPORTED,
                                             [SSIMCU_ERROR_LIMIT] = SSIMCU_ERROR_LIMIT,
                                             [SSIMCU_ERROR_MEMORY] = SSIMCU_ERROR_LIMIT,
                                             [SSIMCU_ERROR_DEVICE] = SSIMCU_ERROR_DATA,
                                             [SSIMCU_ERROR_FILE] = SSIMCU_ERROR_FILE,
                                             [SSIMCU_ERROR_DATA] = SSIMCU_ERROR_DATA,
                                             [SSIMCU_ERROR_WRITE] = SSIMCU_ERROR_DATA,
                                             [SSIMCU_ERROR_INTERNAL] = SSIMCU_ERROR_DATA,
                                             [SSIMCU_ERROR_INTERNAL + 1] = SSIMCU_ERROR_DATA};
    for (size_t said = 0; said < sizeof expected / sizeof *expected; said++)
        cr_expect_eq(ssimcu_worker_status((ssimcu_status)said), expected[said], "%d", (int)said);
}

Test(worker, leaves_other_children_alone)
{
    const pid_t own = fork();
    if (own == 0) _exit(7);
    int status = 0;
    siginfo_t info;
    cr_assert(waitid(P_PID, (id_t)own, &info, WEXITED | WNOWAIT) == 0);
    cr_assert(reads());
    cr_assert(waitpid(own, &status, 0) == own);
    cr_assert(WEXITSTATUS(status) == 7);
}

Test(worker, runs_where_children_are_not_waited_for)
{
    signal(SIGCHLD, SIG_IGN);
    cr_assert(reads());
    cr_assert(reads());
}

Test(worker, is_not_shared_with_a_forked_child)
{
    cr_assert(reads());
    const pid_t first = find_child(), forked = fork();
    if (forked == 0) _exit(reads() && find_child() > 0 ? 0 : 1);
    int status = 1;
    cr_assert(waitpid(forked, &status, 0) == forked);
    cr_assert(status == 0);
    cr_assert(reads());
    cr_assert(find_child() == first);
}

Test(worker, has_a_process_group_of_its_own)
{
    cr_assert(reads());
    cr_assert(getpgid(find_child()) != getpgid(0));
}

/* Opens a copy of an EXR, lets `change` have its descriptor, and decodes it. */
static ssimcu_status decode_changed(void (*change)(int fd, off_t size), ssimcu_message *why)
{
    char name[] = "/tmp/ssimcu-worker-XXXXXX", bytes[1 << 16];
    const int from = open(SSIMCU_TESTDATA "/light.exr", O_RDONLY), to = mkstemp(name);
    const ssize_t size = read(from, bytes, sizeof bytes);
    const struct timespec long_ago[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    cr_assert(write(to, bytes, (size_t)size) == size && futimens(to, long_ago) == 0);
    ssimcu_image *image = NULL;
    cr_assert(ssimcu_image_open(name, NULL, &image, why) == SSIMCU_OK);
    ssimcu_frame frame = ssimcu_image_shape(image);
    cr_assert(ssimcu_frame_alloc(&frame, NULL) == SSIMCU_OK);
    change(to, size);
    const ssimcu_status status = ssimcu_image_decode(image, &frame, why);
    ssimcu_image_close(&image);
    ssimcu_frame_free(&frame);
    close(from), close(to), unlink(name);
    return status;
}

static void leave_alone(int fd, off_t size) { (void)fd, (void)size; }

static void cut(int fd, off_t size) { cr_assert(ftruncate(fd, size / 2) == 0); }

static void write_anew(int fd, off_t size)
{
    char last;
    cr_assert(pread(fd, &last, 1, size - 1) == 1 && pwrite(fd, &last, 1, size - 1) == 1);
}

Test(worker, sees_that_a_file_was_changed)
{
    ssimcu_message cut_short = {{0}}, written = {{0}};
    cr_assert(decode_changed(leave_alone, &written) == SSIMCU_OK);
    cr_assert(decode_changed(cut, &cut_short) == SSIMCU_ERROR_FILE);
    cr_assert(strstr(cut_short.text, "was truncated while it was read"), "%s", cut_short.text);
    cr_assert(decode_changed(write_anew, &written) == SSIMCU_ERROR_FILE);
    cr_assert(strstr(written.text, "was changed while it was read"), "%s", written.text);
}

/* Makes light.exr's display window larger by a pixel at each side. */
static void write_wider(char *name)
{
    static char bytes[1 << 16];
    static const char attribute[] = "displayWindow\0box2i\0\20\0\0";
    const int from = open(SSIMCU_TESTDATA "/light.exr", O_RDONLY), to = mkstemp(name);
    const ssize_t size = read(from, bytes, sizeof bytes);
    char *const at = memmem(bytes, (size_t)size, attribute, sizeof attribute);
    int32_t window[4];
    cr_assert(at);
    memcpy(window, at + sizeof attribute, sizeof window);
    window[0]--, window[1]--, window[2]++, window[3]++;
    memcpy(at + sizeof attribute, window, sizeof window);
    cr_assert(write(to, bytes, (size_t)size) == size);
    close(from), close(to);
}

/* What the data window does not cover is 0, whatever the frame's memory held. */
Test(worker, pixels_outside_the_data_window_are_0)
{
    char name[] = "/tmp/ssimcu-worker-XXXXXX";
    ssimcu_image *image = NULL;
    write_wider(name);
    cr_assert(ssimcu_image_open(name, NULL, &image, NULL) == SSIMCU_OK);
    ssimcu_frame frame = ssimcu_image_shape(image);
    cr_assert(ssimcu_frame_alloc(&frame, NULL) == SSIMCU_OK);
    memset(frame.data, 0xff, frame.height * frame.pitch);
    cr_assert(ssimcu_image_decode(image, &frame, NULL) == SSIMCU_OK);
    for (uint32_t y = 0; y < frame.height; y++)
        for (uint32_t i = 0; i < frame.width * frame.channels; i++) {
            const uint32_t x = i / frame.channels;
            const uint16_t value =
                ((const uint16_t *)((const char *)frame.data + y * frame.pitch))[i];
            const bool edge = x == 0 || y == 0 || x + 1 == frame.width || y + 1 == frame.height;
            cr_expect(edge ? value == 0 : value != 0xffff, "%u, %u is %x", x, y, value);
        }
    ssimcu_image_close(&image);
    ssimcu_frame_free(&frame);
    unlink(name);
}
