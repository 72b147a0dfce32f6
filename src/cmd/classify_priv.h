/* classify_priv.h: what the parts of heddle classify share. */
#ifndef CMD_CLASSIFY_PRIV_H
#define CMD_CLASSIFY_PRIV_H

#include "cmd/classify_entries.h"
#include "cmd/test_say.h"

/* The options, as given. */
struct classify_request {
	struct test_request request;
	struct test_say say;
	struct strings logs; /* of other tools; "-" is the standard input */
	uint64_t candidates; /* of heddle check; RUN_NUMBER_NONE: not asked for */
	uint64_t runs;       /* schedules for each pair; RUN_NUMBER_NONE: not given */
};

/* Looks for the races of the logs, or for the candidates of heddle check, in the program, and classifies them. Prints a line for
 * each. Returns 0, or a negative errno with err set; the entries have what was found until then. */
int classify_pairs(struct classify_request *asked, char **program, struct classify_entries *entries, struct err *err);

#endif
