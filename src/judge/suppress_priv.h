/* suppress_priv.h: declarations that the parts of suppress.h share: the types of lines. */
#ifndef JUDGE_SUPPRESS_PRIV_H
#define JUDGE_SUPPRESS_PRIV_H

#include "judge/suppress.h"

/* What may follow the colon. */
enum suppress_operand { SUPPRESS_ANYTHING, SUPPRESS_ID, SUPPRESS_KIND, SUPPRESS_CONSEQUENCE };

struct suppress_type {
	const char *name;
	enum suppress_operand operand;
	/* Null: Heddle has no such findings. */
	bool (*is_match)(const struct suppression *suppression, const struct finding *finding);
};

/* Ends with a null name. */
extern const struct suppress_type suppress_types[];

#endif
