/* Texts that are held against files in tests/qa/expected. */
#ifndef SSIMCU_EXPECTED_TEXT_H
#define SSIMCU_EXPECTED_TEXT_H

/* Fails unless the text is that of the file of this name. A text that differs is written as
 * NAME.got in the working directory. */
void expect_file(const char *got, const char *name);

#endif
