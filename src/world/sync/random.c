/* random.c: std::random_device of libstdc++. Its numbers come from instructions that cannot be intercepted, so here
 * they follow from the seed, like those of getrandom. */
#include "world/kernel/process.h"
#include "world/sync/sync_priv.h"

/* As libstdc++ has it since GCC 10. Before, there is more room behind the first member, with anything in it. */
struct random_device {
	void *state;
	unsigned (*function)(void *state);
};

bool random_before(struct operation *operation)
{
	const struct random_device *device = (const void *)operation->arguments[0];
	unsigned number;
	/* A function with a state is a generator that the program has chosen itself. */
	if (!world.is_on || (device->state && device->function))
		return false;
	process_random(&number, sizeof number);
	operation->result = number;
	return true;
}
