/*
 * formats.h: findings in formats for other programs: SARIF 2.1.0 for code hosts and editors, JUnit's XML for continuous
 * integration, and one page of HTML for people. Each appends a whole file. Hostile names and strings do no harm in any of them. A new
 * format also has an entry in cmd/outputs.[ch] and an option in cmd/test.c and cmd/convert.c; in cmd/guard.c and
 * cmd/check.c if it suits violations and candidates.
 */
#ifndef FORMATS_FORMATS_H
#define FORMATS_FORMATS_H

#include "formats/document.h"

/*
 * SARIF 2.1.0 (OASIS), within the limits of GitHub's code scanning: at most FORMAT_MAX_RESULTS results, the worst first with
 * a note about the rest, with at most FORMAT_MAX_FLOW places in their thread flows and FORMAT_MAX_PLACES related ones.
 */
#define FORMAT_MAX_RESULTS 5000u
#define FORMAT_MAX_FLOW 1000u
#define FORMAT_MAX_PLACES 99u
#define FORMAT_MAX_MESSAGE 4000u /* bytes of a message */
void format_sarif(struct buf *out, struct document *document);

/* JUnit: one test case for each kind of finding, so that names stay from one test to the next. */
void format_junit(struct buf *out, struct document *document);

/* HTML: needs no network and no other file. Contains the source lines around places, as far as the files exist. */
void format_html(struct buf *out, struct document *document);

#endif
