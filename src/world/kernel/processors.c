/* processors.c: see processors.h. */
#include "world/kernel/processors.h"

#include <errno.h>
#include <string.h>

#include "rt/sys.h"
#include "world/kernel/landing.h"
#include "world/parts.h"

#define MASK_BYTES sizeof(world.current->processors)

static uint64_t whole[PROCESSOR_WORDS];   /* that of threads that were given none */
static uint64_t applied[PROCESSOR_WORDS]; /* that the kernel thread has */

static const uint64_t *mask_of(const struct thread *thread)
{
	return thread->has_processors ? thread->processors : whole;
}

/* In a replay the machine may have fewer processors than the one of the run: then the kernel thread keeps its mask. */
static void apply(const uint64_t *mask)
{
	sys_call(SYS_sched_setaffinity, 0, (long)MASK_BYTES, (long)mask, 0, 0, 0);
	memcpy(applied, mask, MASK_BYTES);
}

void processors_switch(const struct thread *next)
{
	if (memcmp(applied, mask_of(next), MASK_BYTES) != 0)
		apply(mask_of(next));
}

static struct thread *target_of(const struct registers *r)
{
	return r->rdi ? thread_find((int32_t)r->rdi) : world.current;
}

static long outside(const struct registers *r)
{
	struct registers own = *r;
	own.rdi = 0;
	outside_syscall(&own);
	return (long)own.rax;
}

/* The kernel has read it, perhaps less of it than the program says is there: then the thread keeps what it had. */
static void take(struct thread *target, const void *from, uint64_t size_bytes)
{
	struct landing landing;
	uint64_t mask[PROCESSOR_WORDS] = { 0 };
	if (!landing_prepare(&landing)) {
		world.current->landing = &landing;
		memcpy(mask, from, size_bytes < sizeof mask ? size_bytes : sizeof mask);
		memcpy(target->processors, mask, sizeof mask);
		target->has_processors = true;
	}
	world.current->landing = NULL;
}

/* The kernel judges the mask while the kernel thread takes it; then it is another thread's, perhaps. */
static long set_mask(const struct registers *r)
{
	struct thread *target = target_of(r);
	if (!target)
		return -ESRCH;
	if (!world.has_processors) {
		if (sys_call(SYS_sched_getaffinity, 0, (long)MASK_BYTES, (long)whole, 0, 0, 0) <= 0)
			return -EINVAL; /* there are more processors than bits */
		memcpy(applied, whole, MASK_BYTES);
		world.has_processors = true;
	}
	long result = outside(r);
	if (result == 0)
		take(target, (const void *)r->rdx, (uint32_t)r->rsi);
	apply(mask_of(world.current));
	return result;
}

static long get_mask(const struct registers *r)
{
	const struct thread *target = target_of(r);
	if (!target)
		return -ESRCH;
	if (!world.has_processors)
		return outside(r);
	processors_switch(target);
	long result = outside(r);
	processors_switch(world.current);
	return result;
}

/* The first processor that the thread may run on. One that was given no mask is always on the first of all. */
unsigned processors_number(void)
{
	const struct thread *self = world.current;
	for (unsigned word = 0; self->has_processors && word < PROCESSOR_WORDS; word++)
		if (self->processors[word])
			return word * 64 + (unsigned)__builtin_ctzl(self->processors[word]);
	return 0;
}

bool processors_syscall(struct registers *r, long *result)
{
	switch (r->number) {
	case SYS_sched_setaffinity:
		*result = set_mask(r);
		return true;
	case SYS_sched_getaffinity:
		*result = get_mask(r);
		return true;
	}
	return false;
}
