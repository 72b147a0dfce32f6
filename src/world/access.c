/*
 * access.c: accesses of woven code as events. The site stands for the code address.
 */
#include "world/access.h"

#include "world/parts.h"

static inline void announce(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site)
{
	if (!world.is_on)
		return;
	struct thread *self = world.current;
	self->kind = kind;
	self->object = address;
	self->code = (uintptr_t)site;
	world.hash = ((world.hash << 7 | world.hash >> 57) ^ (uint64_t)kind ^ (uintptr_t)address ^
		      (uintptr_t)site << 20) *
		     0x9e3779b97f4a7c15ul;
	if (--world.countdown >= 0)
		return;
	bool kept = self->keeps_extended;
	self->keeps_extended = true;
	world_slow();
	self->keeps_extended = kept;
}

static void on_read(const volatile void *address, const struct heddle_site *site)
{
	announce(HEDDLE_EVENT_READ, address, site);
}

static void on_write(const volatile void *address, const struct heddle_site *site)
{
	announce(HEDDLE_EVENT_WRITE, address, site);
}

static void on_read_range(const volatile void *address, size_t size, const struct heddle_site *site)
{
	(void)size;
	announce(HEDDLE_EVENT_READ, address, site);
}

static void on_write_range(const volatile void *address, size_t size, const struct heddle_site *site)
{
	(void)size;
	announce(HEDDLE_EVENT_WRITE, address, site);
}

static void on_read_masked(const volatile void *address, uint64_t lanes, const struct heddle_site *site)
{
	(void)lanes;
	announce(HEDDLE_EVENT_READ, address, site);
}

static void on_write_masked(const volatile void *address, uint64_t lanes, const struct heddle_site *site)
{
	(void)lanes;
	announce(HEDDLE_EVENT_WRITE, address, site);
}

static void on_atomic(const volatile void *address, const struct heddle_site *site)
{
	announce(HEDDLE_EVENT_ATOMIC, address, site);
}

void access_hooks(struct heddle_hooks *hooks)
{
	for (int i = 0; i < 5; i++) {
		hooks->read[i] = on_read;
		hooks->write[i] = on_write;
	}
	hooks->read_range = on_read_range;
	hooks->write_range = on_write_range;
	hooks->read_masked = on_read_masked;
	hooks->write_masked = on_write_masked;
	hooks->atomic_begin = on_atomic;
}
