/* The outcome of a run, in lines for users and in JSON. The program prints these lines, and other
 * programs get the same lines. */
#pragma once

#include "delivery/delivery.h"
#include "engine/batch.h"

/* Prints counts, statistics, worst frames and verdict. `brief`: only the reasons for not
 * passing. */
void describe_out(const struct delivery *delivery, bool brief, const struct line_sink *to);

/* Prints the statistics of each metric over the scored frames (describe_metrics.c). */
void describe_statistics(const struct line_sink *to, const struct summary *summary);

/* Writes "min 0.890096434, p1 ..., p5 ..., p50 ..., max ...", and returns `text`. */
enum { DESCRIBE_SPREAD = 5 * (TEXT_DIGITS + 6) };
const char *describe_spread(char text[DESCRIBE_SPREAD], ssimcu_metric metric,
                            const ssimcu_statistics *s);

/* Prints bit rate and missing frames, as far as containers record them. */
void describe_coded(const struct line_sink *to, const struct summary *summary);

/* Prints the hints: first of frames with a fault, then, if `all`, of others (describe_hints.c). */
void describe_hints(const struct line_sink *to, const struct verdict *verdict, bool all);

/* Print the reasons why frames, or a pair, do not pass (describe_verdict.c). */
void describe_verdict(const struct line_sink *to, const struct verdict *verdict,
                      const struct summary *summary);
void describe_pair_verdict(const struct line_sink *to, const struct picture_pair *pictures,
                           const struct verdict *verdict, const struct summary *summary);

/* Prints the tool that the numbers reproduce, and their definition, unless they are ssimcu's. */
void describe_compat(ssimcu_compat compat, const struct line_sink *to);

/* Prints the values of a pair's metrics and of their channels, if there are others than SSIM. */
void describe_pair_metrics(const struct line_sink *to, const struct record *record);

/* Prints device, reason and times of a batch. */
void describe_times(const struct batch_times *times, const struct line_sink *to);

/* Prints device, reason, contract and stage times of a pair. */
void describe_stages(const struct delivery *delivery, const struct line_sink *to);

/* Returns the pair as one JSON object, which the caller frees; NULL if memory runs out. */
char *describe_pair_json(const struct delivery *delivery);
