/* Clips whose worker is made of functions that the linker puts in place of the real ones. */
#ifndef SSIMCU_TESTS_REMOTE_WORKER_H
#define SSIMCU_TESTS_REMOTE_WORKER_H

#include "check.h"
#include "video/remote/remote_run.h"

enum {
    WIDTH = 6,
    HEIGHT = 4,
    PITCH = 8,
    BYTES = 64, /* size of the frames' memory, of which byte n is n */
    THREADS = 5,
    FRAMES = 40,
    NEVER = 1000 /* more frames than any test asks for */
};

struct ssimcu_worker {
    bool dead;
    uint64_t at; /* frames gone to */
    uint32_t threads;
    int borrowed; /* frames that are not given back */
};

/* What the worker does and says. */
struct script {
    uint64_t kills_decoder; /* each multiple of it is a frame that kills the worker */
    uint64_t keys;          /* distance of the key frames that a seek can use; 0: none can */
    uint64_t end;           /* number of frames */
    bool end_is_known, dies_on_close;
    bool stops;                       /* the caller stops while it waits */
    int alive;                        /* messages before its reply */
    int memory;                       /* memory that comes with each frame; -1: none */
    struct video_reply opened, frame; /* what it says of the file, and of each frame */
};

/* What became of the workers. */
struct seen {
    int taken, given, ended;
    uint64_t limit[2]; /* limits of memory, before and after the file is open */
    uint64_t decoded;  /* frames that were asked for */
    uint64_t released; /* number of the frame given back last */
    struct video_request asked;
};

extern struct script script;
extern struct seen seen;
extern ssimcu_worker workers[64]; /* each that is taken is a new one */
extern ssimcu_clip *clip;
extern ssimcu_image_options limits;
extern ssimcu_stop stop;
extern char path[];

/* Makes an empty file and a script without any death. remove_clip removes them. */
void make_clip(void);
void remove_clip(void);

/* Makes memory for frames. */
int make_memory(off_t bytes, int seals);

void open_clip(void);

/* Returns the next frame, which there must be. */
ssimcu_clip_place next_frame(void);

/* Whether the next frame can be viewed. If not, its message must have these words. */
bool is_good(const char *words);

/* Expects that the clip cannot go on, and says so in these words. */
void expect_failure(const char *words);

#endif
