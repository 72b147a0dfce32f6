/*
 * read.h: reads a store, for people and for programs, and removes parts of it.
 */
#ifndef STORE_READ_H
#define STORE_READ_H

#include "store/store.h"

struct store_build {
	int64_t row;
	const char *identity, *program;
};

/* A finding. Strings are valid during the callback only; they are as stored, so not to be trusted. */
struct store_finding {
	int64_t id;
	const char *kind, *state, *summary, *details, *needs, *fingerprint, *context;
	int64_t first_seen, last_seen; /* seconds since 1970 */
	uint64_t unseen;               /* schedules of newer builds without it */
	uint64_t seen, tests;          /* schedules that showed it; tests */
	uint64_t schedules; /* of all tests, of the same programs with the same arguments, that could have seen it */
	int64_t head;       /* the finding at the head of its group in the last test that saw it; 0: not known */
	const char *rules;  /* that made the group: words */
	const char *place;  /* the fingerprint of a failure by its place alone; "": not known */
	bool came_back;     /* it is new again after having been fixed */
	struct store_build first, last; /* the build of the first and of the last test that saw it */
	const char *trace; /* the first that store_traces has, relative to the folder of the store; "": none */
	/* Of the last sighting: */
	const char *strategy;
	uint64_t schedule, seed;
	uint64_t variants;
	bool is_reduced, is_fewest; /* is_reduced: what follows is known */
	uint32_t preemptions;
	uint32_t early; /* sleeps and time-outs that must end early */
};

/* Which ones; 0 and null: any. */
struct store_filter {
	int64_t id;
	int64_t build; /* row of a build: only findings seen in it */
	const char *kind, *state;
	bool is_open; /* new and known ones */
};

extern const char *const store_states[]; /* null ends the list */

/* Calls each for every finding that matches, in the order of ids. each returns 0, or a negative errno, which ends it.
 * Returns 0, or a negative errno with err set. */
int store_list(struct store *store, const struct store_filter *filter,
	       int (*each)(void *context, const struct store_finding *finding), void *context, struct err *err);

/* Counts findings by state, in the order of store_states. Returns 0, or a negative errno with err set. */
int store_count_states(struct store *store, uint64_t counts[], struct err *err);

/* The same for the places involved in a finding. */
struct store_place {
	const char *file, *function, *variable, *access; /* null: not known */
	int64_t line, column, thread, event;
	const char *thread_name, *before, *after; /* null: not known */
	bool is_beside, is_near;
	const char *code, *proof, *proof_locks; /* as of struct store_site */
};
int store_places(struct store *store, int64_t id, void (*each)(void *context, const struct store_place *place),
		 void *context, struct err *err);

/* How the newest build that showed a finding was run, when the best evidence of it was made. */
struct store_sight {
	const char *program, *arguments; /* as struct store_subject; valid during the call */
	const char *trace;               /* relative to the folder of the store; "": none */
};

/* Calls each once. Returns 0, or a negative errno with err set. */
int store_last_sight(struct store *store, int64_t id, void (*each)(void *context, const struct store_sight *sight),
		     void *context, struct err *err);

/* A program that was tested: its newest build, and all schedules of all of its builds. */
struct store_program {
	const char *path, *identity;
	const char *weave; /* null: it is not woven */
	uint64_t schedules, tests;
};

/* Calls each for every program, the one that was tested last first. Returns 0, or a negative errno with err set. */
int store_programs(struct store *store, void (*each)(void *context, const struct store_program *program), void *context,
		   struct err *err);

/* Traces of a finding, relative to the folder of the store, those of the build that was seen last first, of each build the best (see
 * sweep.h). Returns 0, or a negative errno with err set. */
int store_traces(struct store *store, int64_t id, struct strings *traces, struct err *err);

/* The event of the trace at which the finding was last seen there; 0: at its end, or it is not known. */
int64_t store_event(struct store *store, int64_t id, const char *trace);

/* A build that the text names: the beginning of its identity or of its weave's, at least 4 digits; or the path of a program as
 * it was tested, of which it is the newest. Returns 0; -ENOENT with err set when there is none, -EEXIST when there are several. The
 * identity and the program are to be freed. */
struct store_chosen {
	int64_t row;
	char *identity, *program;
	uint64_t schedules; /* run with it */
};
int store_choose_build(struct store *store, const char *text, struct store_chosen *chosen, struct err *err);

/* Where to look for findings: a build in a store, or the whole store if build is 0. */
struct store_part {
	struct store *store;
	int64_t build; /* row */
};

/* Reads from here to store_read_end see one snapshot, and are cheaper when there are many. */
void store_read_begin(struct store *store);
void store_read_end(struct store *store);

/*
 * Counts the schedules of new that could have shown a finding of old: those with the arguments that it was seen with,
 * in tests that could see its kind. When both are whole stores, the program must have the same name, too, in any
 * folder. Returns 0, or a negative errno with err set.
 */
int store_count_schedules(const struct store_part *old, int64_t id, const char *kind, const struct store_part *new,
			  uint64_t *count, struct err *err);

/* Removes a finding; traces gets those that nothing else refers to, for the caller to remove. Returns 0; -ENOENT with err set
 * when there is no such finding; or another negative errno with err set. */
int store_forget(struct store *store, int64_t id, struct strings *traces, struct err *err);

/* Whether some finding was seen with that trace as evidence. */
bool store_has_trace(struct store *store, const char *trace);

/* Whether a trace, as the store has it, is a file in its folder of evidence and nowhere else. */
bool store_is_evidence(const char *trace);

#endif
