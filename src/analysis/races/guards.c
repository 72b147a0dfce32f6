/*
 * guards.c: the locks that proofs rest on. An access is in no candidate because threads touch what it touches one after the other, or because
 * of locks. To find which ones, this file goes once more through those pairs of classes of which a member is in no
 * candidate. All members of a class have the same locks.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/races/races_priv.h"
#include "base/mem.h"

/* Limits: names that a class keeps, and ways that are compared with others for them. The rest is reported as
 * "others". */
enum { MAX_NAMES = 3, MAX_COMPARED = 1 << 24 };

struct guard {
	bool is_wanted, is_locked, has_others;
	uint8_t count;
	const char *names[MAX_NAMES]; /* as long as the flow */
};

struct races_guards {
	const struct races_search *search;
	struct guard *of_class;
	uint32_t compared;
};

/* The two classes that are compared now. */
struct comparison {
	struct races_guards *guards;
	struct guard *sides[2];
};

/* As the call that takes the lock calls it, "pool.lock", unless that has no more than a pointer: "*lock". */
static const char *name_of(const struct races_search *search, const struct flow_lock *lock)
{
	const char *taken = lock->call == WHOLE_NONE ? NULL : search->whole->instruction[lock->call].lock;
	return taken && (*taken != '*' || !lock->name) ? taken : lock->name;
}

static void add_name(struct guard *guard, const char *name)
{
	if (!name)
		return;
	for (uint8_t i = 0; i < guard->count; i++)
		if (strcmp(guard->names[i], name) == 0)
			return;
	if (guard->count == MAX_NAMES)
		guard->has_others = true;
	else
		guard->names[guard->count++] = name;
}

static bool on_guard(void *context, const struct flow_lock *const locks[2])
{
	struct comparison *self = context;
	for (int i = 0; i < 2; i++) {
		self->sides[i]->is_locked = true;
		add_name(self->sides[i], name_of(self->guards->search, locks[i]));
	}
	return ++self->guards->compared < MAX_COMPARED;
}

static void compare(struct races_guards *guards, const struct races_contact *contact, uint32_t class_a,
		    uint32_t class_b)
{
	struct races_search *search = guards->search->races->search;
	const struct races_class *a = &search->classes[class_a], *b = &search->classes[class_b];
	struct comparison self = { guards, { &guards->of_class[class_a], &guards->of_class[class_b] } };
	if (!((a->kind | b->kind) & RACES_WRITES) || a->kind & b->kind & RACES_ATOMIC)
		return;
	for (uint32_t i = contact->first_meeting; i != WHOLE_NONE; i = search->meetings[i].next) {
		int64_t delta = search->meetings[i].delta;
		if (races_relate(search, a->manner, b->manner, delta).verdict != RACES_LOCKED)
			continue;
		if (guards->compared >= MAX_COMPARED) {
			for (int side = 0; side < 2; side++)
				self.sides[side]->is_locked = self.sides[side]->has_others = true;
			return;
		}
		races_each_guard(search, a->manner, b->manner, delta, on_guard, &self);
	}
}

static bool is_wanted(const struct races_search *search, const struct races_class *class)
{
	uint32_t access = search->members[class->first];
	return class->count && search->races->is_met[access] && !search->races->is_instrumented[access];
}

struct races_guards *races_find_guards(const struct races *races)
{
	const struct races_search *search = races->search;
	struct races_guards *guards = mem_alloc(sizeof *guards);
	*guards = (struct races_guards){ .search = search };
	guards->of_class = mem_alloc(((size_t)search->class_count + 1) * sizeof *guards->of_class);
	for (uint32_t i = 0; i < search->class_count; i++)
		guards->of_class[i].is_wanted = is_wanted(search, &search->classes[i]);
	for (uint32_t i = 0; i < search->contact_count; i++) {
		const struct races_contact *contact = &search->contacts[i];
		const struct races_footprint *x = &search->footprints[contact->a], *y = &search->footprints[contact->b];
		for (uint32_t a = x->first_class; a < x->first_class + x->class_count; a++)
			for (uint32_t b = x == y ? a : y->first_class; b < y->first_class + y->class_count; b++)
				if (guards->of_class[a].is_wanted || guards->of_class[b].is_wanted)
					compare(guards, contact, a, b);
	}
	return guards;
}

void races_free_guards(struct races_guards *guards)
{
	if (!guards)
		return;
	free(guards->of_class);
	free(guards);
}

bool races_guarding(const struct races_guards *guards, uint32_t access, struct buf *names)
{
	uint32_t class = guards->search->class_of[access];
	if (class == WHOLE_NONE || !guards->of_class[class].is_locked)
		return false;
	const struct guard *guard = &guards->of_class[class];
	for (uint8_t i = 0; i < guard->count; i++)
		buf_format(names, "%s%s", i ? ", " : "", guard->names[i]);
	if (guard->count && guard->has_others)
		buf_add_string(names, ", others");
	return true;
}
