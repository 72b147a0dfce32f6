/*
 * detect_oracle.h: what is ordered before what, and which accesses race, found the slow way: every thread counts its steps,
 * everything that was ever done is kept, and each access is compared with all before it. Nothing here is shared with
 * src/detect but the numbers of the memory orders.
 */
#ifndef DETECT_ORACLE_H
#define DETECT_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORACLE_THREADS 48
#define ORACLE_BYTES 32
#define ORACLE_STEPS 4000

/* How many steps of each thread are before. */
struct seen {
	uint32_t steps[ORACLE_THREADS];
};

struct oracle_object {
	struct seen released, shared;
	/* Of an atomic object: its modifications, in order. */
	struct store {
		unsigned thread;
		bool is_rmw, is_head;
		struct seen head;
	} stores[ORACLE_STEPS];
	unsigned store_count;
};

enum oracle_kind { ORACLE_WRITE, ORACLE_READ, ORACLE_ATOMIC_WRITE, ORACLE_ATOMIC_READ };

void oracle_reset(void);
/* The thread takes a step: call it before anything else that it does. */
void oracle_step(unsigned thread);
void oracle_create(unsigned thread, unsigned creator);
void oracle_join(unsigned thread, unsigned joined);

void oracle_acquire(unsigned thread, const struct seen *from);
void oracle_release(unsigned thread, struct seen *to);

void oracle_load(unsigned thread, const struct oracle_object *object, bool is_acquire);
void oracle_store(unsigned thread, struct oracle_object *object, bool is_release, bool is_rmw);
void oracle_fence(unsigned thread, bool is_acquire, bool is_release);
/* Whether what a reader sees now has several heads, the thread among them: src/detect orders more than it must when that
 * thread stores now. */
bool oracle_is_mixed(unsigned thread, const struct oracle_object *object);

/* An access, compared with all before. Returns the bytes that it races for, as a mask. */
uint32_t oracle_access(unsigned thread, size_t start, size_t size, enum oracle_kind kind, unsigned site);
/* Whether the last access races for one of the bytes with one of that thread, or ORACLE_ANY, at that site. */
#define ORACLE_ANY (-1u)
bool oracle_is_race(unsigned thread, unsigned site, size_t start, size_t size);
/* The thread makes all bytes. Who is not behind that races with it at each byte, until oracle_forget_maker; that must be seen
 * where nobody has accessed the byte since. is_made_race: maker may be ORACLE_ANY. */
void oracle_made(unsigned thread);
bool oracle_is_made_race(unsigned thread, unsigned maker);
bool oracle_must_meet_maker(unsigned thread, size_t start, size_t size);
void oracle_forget_maker(void);
/* Prints what the last access races with. */
void oracle_show(void);
void oracle_forget(size_t start, size_t size);

#endif
