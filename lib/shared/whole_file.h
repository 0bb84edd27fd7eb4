/* The end of a file that is written under another name first, so that a kill or a power cut leaves
 * no half of it under its own. It is for the project alone. */
#ifndef SSIMCU_WHOLE_FILE_H
#define SSIMCU_WHOLE_FILE_H

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* Closes the file, which gets its name once it is on the disk. `error`: what has failed before; 0:
 * nothing. Returns an errno, and removes the file then; 0: it has its name. */
static inline int whole_file_end(FILE *file, int error, const char *temporary, const char *path)
{
    if (error == 0 && ferror(file)) error = errno != 0 ? errno : EIO;
    if (error == 0 && fflush(file) != 0) error = errno;
    if (error == 0 && fsync(fileno(file)) != 0 && errno != EINVAL) error = errno;
    if (fclose(file) != 0 && error == 0) error = errno;
    if (error == 0 && rename(temporary, path) != 0) error = errno;
    if (error != 0) (void)unlink(temporary);
    return error;
}

#endif
