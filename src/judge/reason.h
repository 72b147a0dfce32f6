/*
 * reason.h: collects the facts from which model/reason.h finds the reason why a race is harmless. The runs of both
 * orders are replayed, with all events and with all accesses to the bytes of the race, their values, and the locks of
 * the threads. The tables of the weave say how the sites use the values.
 */
#ifndef JUDGE_REASON_H
#define JUDGE_REASON_H

#include "judge/scene.h"
#include "model/reason.h"

/* A line that accesses the memory; its number, from 1, is the place in the facts. */
struct reason_line {
	char *file, *function; /* its own, not escaped; null: not known */
	uint32_t line;
	bool is_read;      /* in some run */
	bool is_read_more; /* in some run, other than only to write back a value computed from it */
};

/* Reads that a loop may make in each round. */
#define REASON_READS 8u

struct reason_look {
	struct reason_facts facts;
	struct reason reason;
	struct reason_line *lines;
	size_t line_count;
	struct report_race race;                /* the memory, and two accesses to it */
	struct report_race loops[REASON_READS]; /* during the search for a loop: the memory that it reads */
	size_t loop_count;
	struct reason_access *accesses[2];
};

/* Replays the traces of the recorded order and of the other one (null: there is none), with the memory of the race, and
 * finds the reason, which may be none. scene: for names. deadline: see retrace.h. Returns 0, or a negative errno with
 * err set if too little is known, because the runs are too long or the memory is more than 8 bytes. Call
 * reason_look_release in any case. */
int reason_look(struct reason_look *self, struct scene *scene, const struct report_race *race, const char *recorded,
		const char *other, double deadline, struct err *err);

/* The same for a race that has a single order: finds the loop that orders its accesses. held: the trace of a run in
 * which the first thread was held and the second did not get past that loop. The memory of the look is the memory that
 * the loop reads, and the reason is REASON_USER_SYNCHRONISATION or none. */
int reason_look_wait(struct reason_look *self, struct scene *scene, const struct report_race *race, const char *held,
		     double deadline, struct err *err);
void reason_look_release(struct reason_look *self);

#endif
