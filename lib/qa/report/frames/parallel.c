#include "report/frames/parallel.h"

#include "start_thread.h"

void parallel_run(void *(*run)(void *element), void *array, size_t size, size_t count)
{
    pthread_t thread[PARALLEL_MOST];
    bool started[PARALLEL_MOST] = {false};
    for (size_t i = 1; i < count; i++)
        started[i] = ssimcu_start_thread(&thread[i], run, (char *)array + i * size);
    for (size_t i = 0; i < count; i++)
        if (!started[i]) (void)run((char *)array + i * size);
    for (size_t i = 1; i < count; i++)
        if (started[i]) pthread_join(thread[i], NULL);
}
