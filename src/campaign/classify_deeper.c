/*
 * classify_deeper.c: a race that changes what the program prints, but with which no run fails. One reversal often leaves a program with a wrong
 * state that only a second one makes fail: a count that is wrong by one, and then by two. So runs that end differently become the beginnings of
 * others: the race is looked for behind what differs, and both orders go on at random from there, breadth first.
 *
 * Such runs are no witnesses, because their beginning has more than the one order that is judged. One that fails is a suspect, which counts only if
 * the same schedule does not fail with the accesses of the race in the other order (classify_failures.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "campaign/classify_priv.h"

/* Runs, as a multiple of the witnesses of one order; and what they may take, in events, so that long programs have few. */
#define DEEPER_ROUNDS 100u
#define DEEPER_EVENTS 25000000u

/* How a run ended. */
struct end {
	int status;
	uint64_t output, effects;
};

/* A run to go on from. */
struct beginning {
	char suffix[16];
	char *trace; /* temporary; null: it could not be kept */
};

struct deeper {
	struct classifying *self;
	struct beginning beginnings[DEEPER_RUNS];
	size_t count, tried;
	struct end ends[DEEPER_RUNS + 1]; /* of the recorded run, and of each beginning */
	size_t end_count;
	size_t instance_count; /* that there were */
	uint64_t runs;
	uint64_t events; /* of the runs before */
};

static bool is_spent(const struct deeper *deeper)
{
	const struct classifying *self = deeper->self;
	return self->events - deeper->events + deeper->runs * TEST_SCHEDULE_EVENTS > DEEPER_EVENTS;
}

static bool is_known(const struct deeper *deeper, const struct end *end)
{
	for (size_t i = 0; i < deeper->end_count; i++)
		if (deeper->ends[i].status == end->status && deeper->ends[i].output == end->output &&
		    deeper->ends[i].effects == end->effects)
			return true;
	return false;
}

/* Whether what it printed is that of a whole run that had its order. */
static bool has_end(const struct witness *witness)
{
	return witness->order == WITNESS_MADE && !witness->is_lost && !witness->is_cut && !witness->failure;
}

/* The runs from that witness on which end as none before: they are made again, and their traces kept. */
static int keep_beginnings(struct deeper *deeper, size_t from, struct err *err)
{
	struct classifying *self = deeper->self;
	const size_t until = self->witness_count;
	for (size_t i = from; i < until && deeper->count < DEEPER_RUNS; i++) {
		const struct witness *witness = &self->witnesses[i];
		const struct end end = { witness->status, witness->output, witness->effects };
		if (!has_end(witness) || is_known(deeper, &end))
			continue;
		deeper->ends[deeper->end_count++] = end;
		struct beginning *beginning = &deeper->beginnings[deeper->count];
		snprintf(beginning->suffix, sizeof beginning->suffix, ".deeper%zu", deeper->count++);
		classify_want_again(self, witness, beginning->suffix, &beginning->trace);
	}
	return self->wanted_count > self->asked ? classify_serve(self, err) : 0;
}

/* So many runs of each order at random, of one instance after the other. */
static int run_round(struct deeper *deeper, const size_t *instances, size_t count, uint64_t runs, struct err *err)
{
	struct classifying *self = deeper->self;
	for (uint64_t i = 0; i < runs; i++) {
		const struct instance *instance = &self->instances[instances[i % count]];
		classify_want(self, instance, false, instance->first, false, 1 + i / count);
		classify_want(self, instance, true, instance->first, false, 1 + i / count);
	}
	deeper->runs += 2 * runs;
	self->is_deeper = true;
	int code = classify_serve(self, err);
	self->is_deeper = false;
	return code;
}

/* Forgets a round, and looks whether what failed there is caused by the order. Returns 1 if so. */
static int end_round(struct deeper *deeper, size_t witnesses, struct err *err)
{
	struct classifying *self = deeper->self;
	classify_forget(self, witnesses, deeper->instance_count);
	int code = classify_try_suspects(self, err);
	classify_drop_suspects(self);
	return code;
}

/* Both orders of the race wherever the schedule has it. */
static int go_on(struct deeper *deeper, const char *trace, uint64_t runs, struct err *err)
{
	struct classifying *self = deeper->self;
	const size_t witnesses = self->witness_count, from = self->instance_count;
	size_t instances[DEEPER_INSTANCES];
	struct err ignored = ERR_INIT;
	if (classify_add_schedule(self, trace, false, from + DEEPER_INSTANCES, &ignored) < 0 ||
	    self->instance_count == from)
		return 0;
	for (size_t i = from; i < self->instance_count; i++)
		instances[i - from] = i;
	int code = run_round(deeper, instances, self->instance_count - from, runs, err);
	if (code == 0)
		code = keep_beginnings(deeper, witnesses, err);
	return code < 0 ? code : end_round(deeper, witnesses, err);
}

/* The same of the instances that there are, without those that have no other order. */
static int go_on_from_own(struct deeper *deeper, uint64_t runs, struct err *err)
{
	struct classifying *self = deeper->self;
	const size_t witnesses = self->witness_count;
	size_t *instances = mem_alloc(deeper->instance_count * sizeof *instances), count = 0;
	for (size_t i = 0; i < deeper->instance_count; i++)
		if (classify_has_other(self, i))
			instances[count++] = i;
	int code = count ? run_round(deeper, instances, count, runs, err) : 1;
	free(instances);
	if (code == 0)
		code = keep_beginnings(deeper, witnesses, err);
	return code ? code : end_round(deeper, witnesses, err);
}

static void release(struct deeper *deeper)
{
	for (size_t i = 0; i < deeper->count; i++) {
		if (deeper->beginnings[i].trace)
			unlink(deeper->beginnings[i].trace);
		free(deeper->beginnings[i].trace);
	}
}

int classify_go_deeper(struct classifying *self, uint64_t count, struct err *err)
{
	struct deeper deeper = { .self = self, .instance_count = self->instance_count, .events = self->events };
	const size_t own = self->witness_count;
	if (!own || self->is_from_log)
		return 0;
	const struct witness *recorded = &self->witnesses[0];
	deeper.ends[deeper.end_count++] = (struct end){ recorded->status, recorded->output, recorded->effects };
	classify_drop_suspects(self);
	int code = keep_beginnings(&deeper, 0, err);
	while (code == 0 && deeper.runs < DEEPER_ROUNDS * count && !is_spent(&deeper)) {
		code = go_on_from_own(&deeper, count, err); /* 1: it is caused, or there is no instance */
		const char *trace = deeper.tried < deeper.count ? deeper.beginnings[deeper.tried++].trace : NULL;
		if (code == 0 && trace)
			code = go_on(&deeper, trace, count, err);
	}
	if (code < 0)
		classify_forget(self, own, deeper.instance_count);
	release(&deeper);
	return code < 0 ? code : 0;
}
