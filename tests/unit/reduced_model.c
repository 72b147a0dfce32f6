/*
 * reduced_model.c: partial order reduction against the search without it, on a model of the runtime: programs of two to four threads that follow from
 * numbers. A schedule runs in the model as strategy steered runs one, and reports its choices. Both planners must reach the same ends.
 *   reduced_model FIRST COUNT BOUND
 * Prints for each program whose ends differ what only one of both has, and in the end "sum FULL REDUCED DIFFERENT MORE": how many schedules there were, how
 * many programs differ, and of how many the reduced search has more schedules.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/planner.h"

enum { THREADS = 5, OPERATIONS = 14, VARIABLES = 3, LOCKS = 2, MAX_RUNS = 200000 };

enum operation_kind {
	OP_START,
	OP_LOAD,
	OP_STORE,
	OP_ADD,
	OP_EXCHANGE,
	OP_LOCK,
	OP_TRYLOCK,
	OP_UNLOCK,
	OP_PRINT,
	OP_ASSERT, /* a load; fails if the value is the one of the operation */
	OP_CREATE,
	OP_JOIN,
	OP_EXIT,
	OP_END,
};

struct operation {
	enum operation_kind kind;
	uint32_t which, value;
};

struct program {
	struct operation operations[THREADS + 1][OPERATIONS];
	uint32_t threads;
};

struct running {
	uint32_t at, own, sum;
	bool is_live, is_runnable, has_trylock[LOCKS];
};

struct world {
	struct running threads[THREADS + 1];
	uint32_t variables[VARIABLES], holders[LOCKS];
	char output[64];
	uint32_t output_size;
};

static struct heddle_channel *channel;

static uint32_t draw(uint64_t *state, uint32_t bound)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % bound;
}

static void add(struct program *program, uint32_t thread, uint32_t *count, enum operation_kind kind, uint32_t which,
		uint32_t value)
{
	program->operations[thread][(*count)++] = (struct operation){ kind, which, value };
}

/* Main makes the others and waits for them, or not. */
static void make(struct program *program, uint64_t number)
{
	uint64_t state = number * 1000003 + 17;
	draw(&state, 2);
	*program = (struct program){ .threads = 3 + draw(&state, 2) };
	uint32_t count = 0;
	const bool is_joined = draw(&state, 5) > 0;
	for (uint32_t i = 2; i <= program->threads; i++)
		add(program, 1, &count, OP_CREATE, i, 0);
	if (draw(&state, 3) == 0)
		add(program, 1, &count, OP_ADD, draw(&state, VARIABLES), 5);
	for (uint32_t i = 2; i <= program->threads && is_joined; i++)
		add(program, 1, &count, OP_JOIN, i, 0);
	add(program, 1, &count, OP_EXIT, 0, 0);
	for (uint32_t i = 2; i <= program->threads; i++) {
		count = 0;
		add(program, i, &count, OP_START, 0, 0);
		const uint32_t steps = 2 + draw(&state, program->threads == 3 ? 3 : 2);
		for (uint32_t j = 0; j < steps; j++) {
			const uint32_t variable = draw(&state, VARIABLES), lock = draw(&state, LOCKS),
				       value = draw(&state, 3);
			switch (draw(&state, 9)) {
			case 0:
				add(program, i, &count, OP_LOAD, variable, 0);
				break;
			case 1:
				add(program, i, &count, OP_STORE, variable, value + i);
				break;
			case 2:
			case 3:
				add(program, i, &count, OP_ADD, variable, value + 1);
				break;
			case 4:
				add(program, i, &count, OP_EXCHANGE, variable, value);
				break;
			case 5:
				add(program, i, &count, OP_LOCK, lock, 0);
				add(program, i, &count, OP_ADD, variable, 1);
				add(program, i, &count, OP_UNLOCK, lock, 0);
				break;
			case 6:
				if (count + 6 < OPERATIONS && value) {
					add(program, i, &count, OP_LOCK, lock, 0);
					add(program, i, &count, OP_LOCK, !lock, 0);
					add(program, i, &count, OP_UNLOCK, !lock, 0);
					add(program, i, &count, OP_UNLOCK, lock, 0);
				} else {
					add(program, i, &count, OP_TRYLOCK, lock, 0);
					add(program, i, &count, OP_UNLOCK, lock, 0);
				}
				break;
			case 7:
				add(program, i, &count, OP_PRINT, 0, 0);
				break;
			case 8:
				add(program, i, &count, OP_ASSERT, variable, value + 3);
				break;
			}
			if (count + 5 >= OPERATIONS)
				break;
		}
		add(program, i, &count, OP_END, 0, 0);
	}
}

static const uint32_t event_kinds[] = {
	[OP_START] = HEDDLE_EVENT_THREAD_START,    [OP_LOAD] = HEDDLE_EVENT_ATOMIC,
	[OP_STORE] = HEDDLE_EVENT_ATOMIC,          [OP_ADD] = HEDDLE_EVENT_ATOMIC,
	[OP_EXCHANGE] = HEDDLE_EVENT_ATOMIC,       [OP_LOCK] = HEDDLE_EVENT_MUTEX_LOCK,
	[OP_TRYLOCK] = HEDDLE_EVENT_MUTEX_TRYLOCK, [OP_UNLOCK] = HEDDLE_EVENT_MUTEX_UNLOCK,
	[OP_PRINT] = HEDDLE_EVENT_SYSCALL,         [OP_ASSERT] = HEDDLE_EVENT_ATOMIC,
	[OP_CREATE] = HEDDLE_EVENT_THREAD_CREATE,  [OP_JOIN] = HEDDLE_EVENT_THREAD_JOIN,
	[OP_EXIT] = HEDDLE_EVENT_SYSCALL,          [OP_END] = HEDDLE_EVENT_THREAD_END,
};

static uint64_t object_of(const struct operation *operation)
{
	switch (operation->kind) {
	case OP_LOAD:
	case OP_STORE:
	case OP_ADD:
	case OP_EXCHANGE:
	case OP_ASSERT:
		return 0x1000 + 8 * operation->which;
	case OP_LOCK:
	case OP_TRYLOCK:
	case OP_UNLOCK:
		return 0x2000 + 64 * operation->which;
	case OP_PRINT:
		return 1;
	case OP_EXIT:
		return 231;
	default:
		return 0;
	}
}

static const struct heddle_step *step_at(const struct plan *plan, uint32_t thread, uint64_t when)
{
	for (uint32_t i = 0; i < plan->step_count; i++)
		if (plan->steps[i].thread == thread && plan->steps[i].when == when)
			return &plan->steps[i];
	return NULL;
}

static uint32_t choose(const struct world *world, const struct program *program, const struct plan *plan,
		       uint32_t current, bool is_stuck)
{
	const struct running *self = &world->threads[current];
	const struct operation *operation = &program->operations[current][self->at];
	const uint64_t when = (uint64_t)self->own * HEDDLE_WHEN + (is_stuck ? 3 : 0);
	uint64_t runnable = 0;
	uint32_t next = is_stuck ? 0 : current;
	for (uint32_t i = program->threads; i >= 1; i--)
		if (world->threads[i].is_live && world->threads[i].is_runnable) {
			runnable |= 1ul << (i - 1);
			if (is_stuck)
				next = i;
		}
	const struct heddle_step *step = step_at(plan, current, when);
	if (step && runnable >> (step->next - 1) & 1)
		next = step->next;
	if (next)
		channel->choices[channel->choice_count++] = (struct heddle_choice){
			.thread = current,
			.next = next,
			.when = when,
			.runnable = runnable,
			.is_free = is_stuck,
			.kind = event_kinds[operation->kind],
			.object = object_of(operation),
			.access = operation->kind == OP_LOAD || operation->kind == OP_ASSERT ? HEDDLE_CHOICE_READS
				  : event_kinds[operation->kind] == HEDDLE_EVENT_ATOMIC      ? HEDDLE_CHOICE_WRITES
											     : 0,
			.size_bytes = 8,
		};
	return next;
}

/* Whether it is done; false: the thread waits. *end: how the run ends by it. */
static bool perform(struct world *world, const struct operation *operation, uint32_t thread, uint32_t *end)
{
	struct running *self = &world->threads[thread];
	uint32_t *variable = &world->variables[operation->which < VARIABLES ? operation->which : 0];
	switch (operation->kind) {
	case OP_LOAD:
		self->sum = self->sum * 7 + *variable;
		break;
	case OP_STORE:
		*variable = operation->value;
		break;
	case OP_ADD:
		self->sum = self->sum * 7 + *variable;
		*variable += operation->value;
		break;
	case OP_EXCHANGE:
		self->sum = self->sum * 7 + *variable;
		*variable = *variable == operation->value ? operation->value + 1 : *variable;
		break;
	case OP_LOCK:
		if (world->holders[operation->which])
			return false;
		world->holders[operation->which] = thread;
		break;
	case OP_TRYLOCK:
		self->sum = self->sum * 7 + !world->holders[operation->which];
		if (!world->holders[operation->which])
			world->holders[operation->which] = thread;
		break;
	case OP_UNLOCK:
		if (world->holders[operation->which] == thread)
			world->holders[operation->which] = 0;
		break;
	case OP_PRINT:
		world->output[world->output_size++] = (char)('0' + thread);
		break;
	case OP_ASSERT:
		self->sum = self->sum * 7 + *variable;
		if (*variable == operation->value)
			*end = HEDDLE_OUTCOME_SIGNAL;
		break;
	case OP_CREATE:
		world->threads[operation->which] = (struct running){ .is_live = true, .is_runnable = true, .own = 1 };
		break;
	case OP_JOIN:
		return !world->threads[operation->which].is_live;
	case OP_EXIT:
		*end = HEDDLE_OUTCOME_EXIT;
		break;
	default:
		break;
	}
	return true;
}

static void run(const struct program *program, const struct plan *plan, struct trace_result *result, char *text)
{
	static struct world world;
	uint32_t current = 1, end = 0;
	memset(&world, 0, sizeof world);
	world.threads[1] = (struct running){ .is_live = true, .is_runnable = true, .own = 1 };
	channel->choice_count = 0;
	channel->lost_choices = 0;
	current = choose(&world, program, plan, current, false);
	while (!end) {
		struct running *self = &world.threads[current];
		const struct operation *operation = &program->operations[current][self->at];
		bool is_stuck = false;
		if (operation->kind == OP_END) {
			self->is_live = self->is_runnable = false;
			is_stuck = true;
		} else if (perform(&world, operation, current, &end)) {
			self->at++;
			self->own++;
		} else {
			self->is_runnable = false;
			self->own++;
			is_stuck = true;
		}
		/* Who waited looks again. */
		for (uint32_t i = 1; i <= program->threads; i++) {
			struct running *other = &world.threads[i];
			const struct operation *wanted = &program->operations[i][other->at];
			if (other->is_live && ((wanted->kind == OP_LOCK && !world.holders[wanted->which]) ||
					       (wanted->kind == OP_JOIN && !world.threads[wanted->which].is_live)))
				other->is_runnable = true;
		}
		if (end)
			break;
		current = choose(&world, program, plan, current, is_stuck);
		if (!current)
			end = HEDDLE_OUTCOME_DEADLOCK;
	}
	*result = (struct trace_result){ .outcome = end };
	/* What failed, and what it knew: how far the others have come does not matter. */
	int size = sprintf(text, "%u", end);
	if (end == HEDDLE_OUTCOME_SIGNAL) {
		sprintf(text + size, " thread %u: %u@%u", current, world.threads[current].sum,
			world.threads[current].at);
		return;
	}
	size += sprintf(text + size, " %s", world.output);
	for (uint32_t i = 1; i <= program->threads; i++)
		size += sprintf(text + size, " %u@%u", world.threads[i].sum,
				world.threads[i].at ? world.threads[i].at : 1);
	for (uint32_t i = 0; i < VARIABLES; i++)
		size += sprintf(text + size, " %u", world.variables[i]);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct ends {
	char *texts[MAX_RUNS];
	uint32_t count, runs;
	char reason[640];
};

static void search(const struct program *program, const char *name, uint32_t bound, struct ends *ends)
{
	struct planner *planner = planner_named_new(name, 1, bound, NULL);
	struct plan plan;
	const char *reason = NULL;
	char text[512];
	ends->count = ends->runs = 0;
	while (ends->runs < MAX_RUNS && planner->next(planner, &plan, &reason)) {
		struct trace_result result;
		run(program, &plan, &result, text);
		ends->texts[ends->count++] = strdup(text);
		ends->runs++;
		if (ends->count % 1000 == 0 || ends->runs == MAX_RUNS) {
			/* The same ones only once. */
			qsort(ends->texts, ends->count, sizeof(char *), compare);
			uint32_t kept = 0;
			for (uint32_t i = 0; i < ends->count; i++)
				if (kept && strcmp(ends->texts[kept - 1], ends->texts[i]) == 0)
					free(ends->texts[i]);
				else
					ends->texts[kept++] = ends->texts[i];
			ends->count = kept;
		}
		const struct lesson lesson = { .plan = &plan, .result = &result, .report = "", .channel = channel };
		planner->learn(planner, &lesson);
	}
	snprintf(ends->reason, sizeof ends->reason, "%s", reason ? reason : "");
	planner->free(planner);
	qsort(ends->texts, ends->count, sizeof(char *), compare);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < ends->count; i++)
		if (kept && strcmp(ends->texts[kept - 1], ends->texts[i]) == 0)
			free(ends->texts[i]);
		else
			ends->texts[kept++] = ends->texts[i];
	ends->count = kept;
}

/* Returns whether one has an end that the other has not. */
static bool differ(uint64_t number, const struct ends *full, const struct ends *reduced)
{
	bool is_different = false;
	uint32_t at = 0, other = 0;
	while (at < full->count || other < reduced->count) {
		int order = at == full->count         ? 1
			    : other == reduced->count ? -1
						      : strcmp(full->texts[at], reduced->texts[other]);
		if (order != 0 && !is_different)
			printf("program %" PRIu64 ": only %s has \"%s\"\n", number,
			       order < 0 ? "the full search" : "the reduced one",
			       order < 0 ? full->texts[at] : reduced->texts[other]);
		is_different |= order != 0;
		at += order <= 0;
		other += order >= 0;
	}
	return is_different;
}

int main(int argc, char **argv)
{
	static struct ends full, reduced;
	uint64_t sums[2] = { 0 }, different = 0, more = 0;
	if (argc < 4)
		return 2;
	const uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
	const uint32_t bound = (uint32_t)strtoul(argv[3], NULL, 10);
	channel = calloc(1, sizeof *channel);
	for (uint64_t number = first; number < first + count; number++) {
		struct program program;
		make(&program, number);
		search(&program, "dfs-full", bound, &full);
		search(&program, "dfs", bound, &reduced);
		if (full.runs == MAX_RUNS || !strstr(full.reason, "all ") || !strstr(reduced.reason, "all ")) {
			printf("program %" PRIu64 ": not complete: %s; %s\n", number, full.reason, reduced.reason);
			different++;
		} else {
			different += differ(number, &full, &reduced);
		}
		sums[0] += full.runs;
		sums[1] += reduced.runs;
		more += reduced.runs > full.runs;
		for (uint32_t i = 0; i < full.count; i++)
			free(full.texts[i]);
		for (uint32_t i = 0; i < reduced.count; i++)
			free(reduced.texts[i]);
	}
	printf("sum %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", sums[0], sums[1], different, more);
	free(channel);
	return 0;
}
