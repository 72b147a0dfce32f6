/*
 * classify_seek.c: a search for schedules that fail, for a race that no witness shows to be harmful in a program that fails. Which schedule showed the race first is
 * chance, and it may be one from which nothing bad follows; what fails may also need the accesses as no schedule had them so far. So
 * schedules that fail, and the one that showed the race, are followed up to some event, and go on at random. One that fails and has the race is a suspect,
 * which counts only if the same schedule does not fail with the accesses in the other order (classify_failures.c).
 *
 * What is run follows from the race, the findings of the test and the number of witnesses, not from the clock.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/classify_priv.h"
#include "explore/draw.h"

/* Schedules, as a multiple of the witnesses of one order; and what they may take, in events, so that long programs have few. */
#define SEEK_FACTOR 10u
#define SEEK_EVENTS 25000000u
/* Different ones that fail. */
#define MAX_TRIED 32u

/* Of the rest, in turn. */
static const uint32_t strategies_tried[] = { HEDDLE_STRATEGY_RANDOM, HEDDLE_STRATEGY_POS, HEDDLE_STRATEGY_PCT };
#define STRATEGIES (sizeof strategies_tried / sizeof *strategies_tried)

/* A schedule to go on from. */
struct base {
	struct steps steps;
	uint64_t events;
};

struct seeking {
	struct planner planner; /* first: it is one */
	struct classifying *self;
	struct base bases[FAILED_SCHEDULES + 1];
	size_t base_count;
	uint64_t asked, most;
	uint64_t draws;
	uint64_t events;           /* of the runs before */
	uint64_t tried[MAX_TRIED]; /* hashes of the schedules that failed */
	size_t tried_count;
	uint64_t hot[MAX_HOT_KNOWN];
	uint32_t hot_count;
};

static bool is_spent(const struct seeking *seeking)
{
	const struct classifying *self = seeking->self;
	return classify_is_spent(self) ||
	       self->events - seeking->events + seeking->asked * TEST_SCHEDULE_EVENTS > SEEK_EVENTS;
}

/* How many of its last events are not followed: all scales alike, because what matters may be right before the failure or long before it. */
static uint64_t draw_rest(uint64_t *draws, uint64_t events)
{
	uint64_t scale = 2;
	while (scale < events && draw_below(draws, 3))
		scale *= 2;
	return 1 + draw_below(draws, scale < events ? scale : events);
}

static bool next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct seeking *seeking = (struct seeking *)planner;
	const struct classifying *self = seeking->self;
	(void)reason;
	if (seeking->asked == seeking->most || seeking->tried_count == MAX_TRIED || self->suspect_count == SUSPECTS ||
	    is_spent(seeking))
		return false;
	const struct base *base = &seeking->bases[seeking->asked % seeking->base_count];
	const uint64_t rest = draw_rest(&seeking->draws, base->events);
	*plan = (struct plan){
		.strategy = HEDDLE_STRATEGY_ORDERED,
		.flags = HEDDLE_CONTROL_HOT,
		.seed = self->race->evidence.plan.seed + seeking->asked,
		.length = rest,
		.hot = seeking->hot,
		.hot_count = seeking->hot_count,
		.steps = base->steps.items,
		.step_count = (uint32_t)base->steps.count,
		.hold = { .event = base->events - rest + 1,
			  .then = strategies_tried[seeking->asked / seeking->base_count % STRATEGIES],
			  .is_random = 1,
			  .is_loose = 1 },
	};
	seeking->asked++;
	return true;
}

static void learn(struct planner *planner, const struct lesson *lesson)
{
	(void)planner, (void)lesson;
}

static bool is_tried(const struct seeking *seeking, uint64_t hash)
{
	for (size_t i = 0; i < seeking->tried_count; i++)
		if (seeking->tried[i] == hash)
			return true;
	return false;
}

/* Keeps a schedule that fails, if it is another one than those before. */
static int take(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err)
{
	struct seeking *seeking = context;
	struct classifying *self = seeking->self;
	const char *failure = NULL;
	self->test->classify_events += run->result.event_count + TEST_SCHEDULE_EVENTS;
	self->events += run->result.event_count;
	int code = classify_find_failure(self, run, learned, &failure, err);
	if (code == 0 && failure && seeking->tried_count < MAX_TRIED && !is_tried(seeking, run->result.event_hash)) {
		seeking->tried[seeking->tried_count++] = run->result.event_hash;
		code = classify_keep_suspect(self, run, NULL, err);
	}
	test_progress(self->test);
	return code;
}

/* Runs until there are as many suspects as there may be, or all are made. */
static int seek(struct seeking *seeking, struct err *err)
{
	struct classifying *self = seeking->self;
	struct campaign campaign;
	int code = classify_campaign(self, &campaign, err);
	if (code < 0)
		return code;
	campaign.planner = &seeking->planner;
	campaign.take = take;
	campaign.context = seeking;
	code = campaign_serve(&campaign, err);
	self->test->classify_runs += campaign.answered;
	return code;
}

static bool has_failed(const struct classifying *self)
{
	const struct findings *findings = &self->test->judge.findings;
	bool is_present = self->failures.count > 0 || self->suspect_count > 0;
	for (size_t i = 0; i < findings->count && !is_present; i++)
		is_present = classify_is_failure(findings->items[i]);
	return is_present;
}

static void add_base(struct seeking *seeking, const char *path)
{
	struct base *base = &seeking->bases[seeking->base_count];
	struct trace recorded;
	bool is_all;
	struct err ignored = ERR_INIT;
	trace_init(&recorded);
	*base = (struct base){ .events = 0 };
	if (trace_read(path, &recorded, &ignored) == 0 &&
	    test_find_steps(seeking->self->test, &recorded, &base->steps, &is_all, &ignored) == 0 &&
	    recorded.result.event_count) {
		base->events = recorded.result.event_count;
		steps_sort(base->steps.items, base->steps.count);
		seeking->base_count++;
	} else {
		steps_release(&base->steps);
	}
	trace_free(&recorded);
}

/* The schedule of an instance, and those that fail: suspects, and findings of the test. The latter have the input of the test. */
static void add_bases(struct seeking *seeking, size_t instance)
{
	const struct classifying *self = seeking->self;
	const struct findings *findings = &self->test->judge.findings;
	add_base(seeking, self->instances[instance].seen.evidence.trace);
	for (size_t i = 0; i < self->suspect_count && seeking->base_count <= FAILED_SCHEDULES / 2; i++)
		add_base(seeking, self->suspects[i]);
	for (size_t i = 0; i < findings->count && seeking->base_count <= FAILED_SCHEDULES && !self->test->input; i++)
		if (classify_is_failure(findings->items[i]) && test_is_reducible(findings->items[i]))
			add_base(seeking, findings->items[i]->evidence.trace);
}

int classify_seek_failures(struct classifying *self, size_t instance, uint64_t count, struct err *err)
{
	struct seeking seeking = { .planner = { .next = next, .learn = learn },
				   .self = self,
				   .most = SEEK_FACTOR * count,
				   .draws = self->race->evidence.plan.seed,
				   .events = self->events };
	int code = 0;
	if (self->is_from_log || !has_failed(self))
		return 0;
	classify_known_hot(self, seeking.hot, &seeking.hot_count);
	add_bases(&seeking, instance);
	while (code == 0 && seeking.base_count && seeking.asked < seeking.most && seeking.tried_count < MAX_TRIED &&
	       !is_spent(&seeking)) {
		classify_drop_suspects(self);
		code = seek(&seeking, err);
		if (code == 0 && !self->suspect_count)
			break;
		if (code == 0)
			code = classify_try_suspects(self, err);
	}
	classify_drop_suspects(self);
	for (size_t i = 0; i < seeking.base_count; i++)
		steps_release(&seeking.bases[i].steps);
	return code < 0 ? code : 0;
}
