/* What a run came to, in lines for a person and in JSON. The program prints these lines; other
 * programs get the same ones. */
#ifndef SSIMCU_QA_DESCRIBE_H
#define SSIMCU_QA_DESCRIBE_H

#include "delivery/delivery.h"
#include "engine/batch.h"

/* Says counts, statistics, worst frames and verdict. `brief`: only why the verdict is no pass. */
void describe_out(const struct delivery *delivery, bool brief, const struct say *to);

/* Says the statistics of each metric over the scored frames (describe_metrics.c). */
void describe_statistics(const struct say *to, const struct summary *summary);

/* Writes "min 0.890096434, p1 ..., p5 ..., p50 ..., max ...", and returns `text`. */
enum { DESCRIBE_SPREAD = 5 * (TEXT_DIGITS + 6) };
const char *describe_spread(char text[DESCRIBE_SPREAD], ssimcu_metric metric,
                            const ssimcu_statistics *s);

/* Says bit rate and missing frames, as far as containers tell (describe_coded.c). */
void describe_coded(const struct say *to, const struct summary *summary);

/* Say why the verdict of frames, or of a pair, is no pass (describe_verdict.c). */
void describe_verdict(const struct say *to, const struct verdict *verdict,
                      const struct summary *summary);
void describe_pair_verdict(const struct say *to, const struct picture_pair *pictures,
                           const struct verdict *verdict, const struct summary *summary);

/* Says which tool's numbers the scores are, and their definition, unless they are ssimcu's. */
void describe_compat(ssimcu_compat compat, const struct say *to);

/* Says the values of a pair's metrics and of their channels, if there are any beside SSIM. */
void describe_pair_metrics(const struct say *to, const struct record *record);

/* Says device, reason and times of a batch. */
void describe_times(const struct batch_times *times, const struct say *to);

/* Says device, reason, contract and stage times of a pair. */
void describe_stages(const struct delivery *delivery, const struct say *to);

/* Returns the pair as one JSON object, the caller's to free; NULL if memory runs out. */
char *describe_pair_json(const struct delivery *delivery);

#endif
