/* The results of a check as CSV: a row for each finding, and one for each frame without any, so
 * that no frame is lacking. */
#ifndef SSIMCU_QA_CHECK_CSV_H
#define SSIMCU_QA_CHECK_CSV_H

#define CHECK_CSV_START "sequence,frame,path,passed,kind,"

/* Returns the rows of a line of JSON, with a line break between two, the caller's to free. That of
 * a header is the names of the columns; a summary has none, which is "". NULL: memory ran out. */
char *check_csv_rows(const char *line);

#endif
