/* Functions shared by the files that read results back. */
#pragma once

#include "lines/results_reader.h"

/* The order of lines: that of their frames. */
int results_reader_by_frame(const void *a, const void *b);

void results_reader_free_line(struct results_line *line);

/* Sorts the lines and keeps one for each frame (results_reader_add). `path`: the last file. */
ssimcu_status results_reader_join(struct results_reader *earlier, bool latest, const char *path,
                                  ssimcu_message *message);
