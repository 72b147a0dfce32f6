/* analyzer.c: see analyzer.h. */
#include "model/analyzer.h"

const char *const analyzer_words[ANALYZER_COUNT] = {
	[ANALYZER_NO_STATE_CHANGE] = "no-state-change",
	[ANALYZER_STATE_CHANGE] = "state-change",
	[ANALYZER_REPLAY_FAILURE] = "replay-failure",
};

const char *const analyzer_class_words[ANALYZER_COUNT] = {
	[ANALYZER_NO_STATE_CHANGE] = "potentially-benign",
	[ANALYZER_STATE_CHANGE] = "potentially-harmful",
	[ANALYZER_REPLAY_FAILURE] = "potentially-harmful",
};

static enum analyzer_cause cause_of(const struct compared_instance *instance)
{
	if (!instance->is_recorded)
		return ANALYZER_UNKNOWN;
	if (instance->has_left)
		return ANALYZER_REPLAY_FAILURE;
	return instance->states == STATES_SAME     ? ANALYZER_NO_STATE_CHANGE
	       : instance->states == STATES_DIFFER ? ANALYZER_STATE_CHANGE
						   : ANALYZER_UNKNOWN;
}

/* A state change outweighs a failure, which outweighs that there is none (section 5.2.1). */
enum analyzer_cause analyzer_of(const struct compared_instance *instances, size_t count)
{
	bool has[ANALYZER_COUNT] = { false };
	for (size_t i = 0; i < count; i++)
		has[cause_of(&instances[i])] = true;
	return has[ANALYZER_STATE_CHANGE]      ? ANALYZER_STATE_CHANGE
	       : has[ANALYZER_REPLAY_FAILURE]  ? ANALYZER_REPLAY_FAILURE
	       : has[ANALYZER_NO_STATE_CHANGE] ? ANALYZER_NO_STATE_CHANGE
					       : ANALYZER_UNKNOWN;
}

enum verdict_states states_of(const struct compared_instance *instances, size_t count)
{
	bool has_same = false, has_unknown = false;
	for (size_t i = 0; i < count; i++) {
		if (instances[i].states == STATES_DIFFER)
			return STATES_DIFFER;
		has_same |= instances[i].states == STATES_SAME;
		has_unknown |= instances[i].is_recorded && instances[i].states == STATES_UNKNOWN;
	}
	return has_same && !has_unknown ? STATES_SAME : STATES_UNKNOWN;
}
