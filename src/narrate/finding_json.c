/* finding_json.c: see finding_json.h. */
#include "narrate/finding_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "judge/suppress.h"
#include "symbols/line.h"
#include "symbols/names_short.h"

void json_add_function(struct json_writer *out, const char *function)
{
	char *short_name = function ? names_short(function) : NULL;
	json_add_string(out, "function", short_name);
	if (short_name && strcmp(short_name, function) != 0)
		json_add_string(out, "full_name", function);
	free(short_name);
}

/* A string: not every number of 64 bits survives in readers of JSON. */
static void add_value(struct json_writer *out, const char *name, uint64_t value)
{
	json_open_string(out, name);
	finding_describe_value(out->out, value);
	json_close_string(out);
}

static void add_known(struct json_writer *out, const char *name, const char *value)
{
	if (value)
		json_add_string(out, name, value);
}

static void add_site(struct json_writer *out, const struct finding_site *site)
{
	json_open_object(out, NULL);
	json_add_string(out, "file", site->file);
	line_add_json(out, site->line);
	json_add_number(out, "column", site->column);
	json_add_function(out, site->function);
	json_add_string(out, "variable", site->variable);
	json_add_string(out, "access", site->access);
	json_add_number(out, "thread", site->thread);
	if (site->number)
		json_add_number(out, "site", site->number - 1);
	if (site->is_beside)
		json_add_bool(out, "is_beside", true);
	add_known(out, "thread_name", site->thread_name);
	add_known(out, "code", site->code);
	if (site->event)
		json_add_number(out, "event", site->event);
	if (site->has_value)
		add_value(out, "before", site->value_before);
	if (site->has_value && site->is_changed)
		add_value(out, "after", site->value_after);
	add_known(out, "proof", site->proof);
	add_known(out, "proof_locks", site->proof_locks);
	json_close_object(out);
}

static void add_act(struct json_writer *out, const struct finding_act *act)
{
	static const char *const words[] = {
		[FINDING_ALLOCATED] = "allocated",
		[FINDING_FREED] = "freed",
		[FINDING_CREATED] = "created",
	};
	json_open_object(out, NULL);
	json_add_string(out, "act", words[act->kind]);
	json_add_number(out, "thread", act->by);
	add_known(out, "thread_name", act->by_name);
	if (act->kind == FINDING_CREATED)
		json_add_number(out, "created", act->thread);
	json_add_number(out, "event", act->event);
	json_add_string(out, "file", act->file);
	line_add_json(out, act->line);
	json_add_function(out, act->function);
	add_known(out, "code", act->code);
	json_close_object(out);
}

static void add_suppression(struct json_writer *out, const char *key, const struct suppression *suppression)
{
	json_open_object(out, key);
	json_add_string(out, "file", suppression->file);
	json_add_number(out, "line", suppression->line);
	json_add_string(out, "text", suppression->text);
	json_add_number(out, "matched", suppression->matched);
	json_close_object(out);
}

void json_add_suppressions(struct json_writer *out, const struct suppressions *suppressions)
{
	json_open_array(out, "suppressions");
	for (size_t i = 0; i < suppressions->count; i++)
		add_suppression(out, NULL, &suppressions->items[i]);
	json_close_array(out);
}

static const char *const standings[] = {
	[STORE_FIRST] = "new",          [STORE_AGAIN] = "known", [STORE_CAME_BACK] = "came-back",
	[STORE_REVERTED] = "came-back", [STORE_FIXED] = "fixed", [STORE_SUPPRESSED] = "suppressed",
};

/* By its id: a later test may replace the file. */
static void add_replay(struct buf *out, const struct finding *finding, const char *store)
{
	char id[32];
	snprintf(id, sizeof id, "H%" PRIu64, finding->identity.number);
	if (!finding->identity.number)
		proc_quote(out, (char *[]){ "heddle", "replay", finding->evidence.trace, NULL });
	else if (store)
		proc_quote(out, (char *[]){ "heddle", "replay", "--store", (char *)store, id, NULL });
	else
		proc_quote(out, (char *[]){ "heddle", "replay", id, NULL });
}

static void add_needs(struct json_writer *out, const struct finding *finding)
{
	json_add_number(out, "preemptions", finding->evidence.preemptions);
	json_add_number(out, "early", finding->evidence.early);
	json_add_bool(out, "is_fewest", finding->evidence.is_fewest);
	json_add_string(out, "needs", finding->presentation.needs.data ? finding->presentation.needs.data : "");
}

static void add_places(struct json_writer *out, const struct finding *finding)
{
	json_open_array(out, "sites");
	for (size_t i = 0; i < finding->evidence.site_count; i++)
		add_site(out, &finding->evidence.sites[i]);
	json_close_array(out);
	json_open_array(out, "acts");
	for (size_t i = 0; i < finding->evidence.act_count; i++)
		add_act(out, &finding->evidence.acts[i]);
	json_close_array(out);
}

/* What the rule of the Record/Replay Analyzer alone says of it. */
static void add_analyzer(struct json_writer *out, enum analyzer_cause cause)
{
	if (!analyzer_words[cause]) {
		json_add_null(out, "analyzer");
		return;
	}
	json_open_object(out, "analyzer");
	json_add_string(out, "class", analyzer_class_words[cause]);
	json_add_string(out, "cause", analyzer_words[cause]);
	json_close_object(out);
}

/* What runs of both orders of a data race lead to. */
static void add_class(struct json_writer *out, const struct finding *finding)
{
	const struct verdict *verdict = &finding->evidence.verdict;
	if (!finding->evidence.has_verdict) {
		json_add_null(out, "class");
		return;
	}
	json_add_string(out, "class", verdict_classes[verdict->class].word);
	json_add_string(out, "verdict", finding->presentation.verdict.data);
	add_known(out, "reason", verdict_reason_words[verdict->reason]);
	add_known(out, "why", finding->presentation.why.size ? finding->presentation.why.data : NULL);
	add_known(out, "states", verdict_states_words[verdict->states]);
	add_analyzer(out, verdict->analyzer);
	add_known(out, "difference",
		  finding->presentation.difference.size ? finding->presentation.difference.data : NULL);
	json_add_number(out, "witnesses", verdict->others + verdict->primaries);
	json_add_string(out, "source", verdict_source(verdict->is_from_log));
	json_add_number(out, "unanswered", verdict->unanswered);
	json_add_number(out, "instances", verdict->instances);
	json_add_number(out, "dynamic_instances", verdict->seen_instances);
	json_add_number(out, "inputs", verdict->inputs);
	add_known(out, "input", finding->presentation.input.size ? finding->presentation.input.data : NULL);
	if (finding->evidence.consequence)
		json_add_format(out, "consequence", "H%" PRIu64, finding->evidence.consequence);
	else
		json_add_null(out, "consequence");
}

void finding_json(struct json_writer *out, const struct finding *finding, const char *program, const char *store)
{
	bool is_suppressed = finding->identity.suppression || finding->identity.standing == STORE_SUPPRESSED;
	struct buf replay = { 0 };
	if (finding->evidence.trace)
		add_replay(&replay, finding, store);
	json_open_object(out, NULL);
	json_add_format(out, "id", "H%" PRIu64, finding->identity.number);
	json_add_string(out, "name", finding->identity.name);
	json_add_string(out, "kind", kinds[finding->identity.kind].word);
	json_add_format(out, "group", "H%" PRIu64,
			finding->identity.group ? finding->identity.group : finding->identity.number);
	add_known(out, "program", program);
	json_add_string(out, "standing", standings[finding->identity.standing]);
	add_known(out, "fingerprint", finding->identity.fingerprint[0] ? finding->identity.fingerprint : NULL);
	add_class(out, finding);
	json_add_string(out, "summary", finding->presentation.summary.data);
	json_add_string(out, "details", finding->presentation.details.data ? finding->presentation.details.data : "");
	if (finding->evidence.is_reduced)
		add_needs(out, finding);
	json_add_strings(out, "advice", &finding->presentation.advice);
	if (finding->evidence.cycle)
		json_add_number(out, "steered", finding->evidence.cycle->tried);
	add_places(out, finding);
	json_add_number(out, "variants", finding->evidence.variants ? finding->evidence.variants : 1);
	json_add_number(out, "schedules_to_first", finding->evidence.soonest);
	json_add_number(out, "seen", finding->evidence.seen);
	if (finding->evidence.schedules)
		json_add_number(out, "schedules", finding->evidence.schedules);
	json_add_bool(out, "suppressed", is_suppressed);
	if (finding->identity.suppression)
		add_suppression(out, "suppression", finding->identity.suppression);
	else
		json_add_null(out, "suppression");
	json_add_string(out, "trace", finding->evidence.trace);
	json_add_string(out, "replay", replay.data);
	if (finding->presentation.interleaving.size)
		json_add_members(out, &finding->presentation.interleaving);
	json_close_object(out);
	buf_release(&replay);
}
