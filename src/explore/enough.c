/* enough.c: see enough.h. */
#include "explore/enough.h"

#define WORDS (HEDDLE_SEEN_BITS / 64)

void enough_learn(struct enough *self, const uint64_t *seen)
{
	uint32_t news = 0;
	for (uint32_t i = 0; i < WORDS; i++) {
		news += (uint32_t)__builtin_popcountl(seen[i] & ~self->once[i]);
		self->thrice[i] |= self->twice[i] & seen[i];
		self->twice[i] |= self->once[i] & seen[i];
		self->once[i] |= seen[i];
	}
	self->news[self->schedules++ % ENOUGH_RECENT] = news;
}

struct enough_estimate enough_estimate(const struct enough *self)
{
	struct enough_estimate result = { 0 };
	uint64_t twice = 0, thrice = 0;
	for (uint32_t i = 0; i < WORDS; i++) {
		result.shown += (uint64_t)__builtin_popcountl(self->once[i]);
		twice += (uint64_t)__builtin_popcountl(self->twice[i]);
		thrice += (uint64_t)__builtin_popcountl(self->thrice[i]);
	}
	for (uint32_t i = 0; i < ENOUGH_RECENT; i++)
		result.recent += self->news[i];
	/* With half of the bits set, much of what is new looks as if it was known. */
	result.is_known = self->schedules >= ENOUGH_RECENT && result.shown && result.shown < HEDDLE_SEEN_BITS / 2;
	if (!result.is_known)
		return result;
	double exactly_once = (double)(result.shown - twice), exactly_twice = (double)(twice - thrice);
	/* Chao's estimate, corrected for bias. */
	result.undiscovered = exactly_once > 1 ? exactly_once * (exactly_once - 1) / (2 * (exactly_twice + 1)) : 0;
	/* Good and Turing: the next schedule shows exactly_once / schedules new ones; no more than there are. */
	result.expected = exactly_once / (double)self->schedules * ENOUGH_RECENT;
	if (result.expected > result.undiscovered)
		result.expected = result.undiscovered;
	return result;
}
