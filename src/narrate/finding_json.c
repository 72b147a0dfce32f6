/* finding_json.c: see finding_json.h. */
#include "narrate/finding_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "base/text.h"
#include "judge/suppress.h"
#include "symbols/line.h"
#include "symbols/names_short.h"

void json_put(struct buf *out, const char *name, const char *value)
{
	buf_format(out, "\"%s\":", name);
	text_json(out, value);
}

void json_put_function(struct buf *out, const char *function)
{
	char *told = function ? names_short(function) : NULL;
	json_put(out, "function", told);
	if (told && strcmp(told, function) != 0) {
		buf_add_string(out, ",");
		json_put(out, "full_name", function);
	}
	free(told);
}

/* A string: not every number of 64 bits survives in readers of JSON. */
static void add_value(struct buf *out, const char *name, uint64_t value)
{
	buf_format(out, ",\"%s\":\"", name);
	finding_tell_value(out, value);
	buf_add_string(out, "\"");
}

static void add_code(struct buf *out, const char *code)
{
	if (!code)
		return;
	buf_add_string(out, ",");
	json_put(out, "code", code);
}

static void add_site(struct buf *out, const struct finding_site *site)
{
	buf_add_string(out, "{");
	json_put(out, "file", site->file);
	buf_add_string(out, ",");
	line_add_json(out, site->line);
	buf_format(out, ",\"column\":%" PRIu32 ",", site->column);
	json_put_function(out, site->function);
	buf_add_string(out, ",");
	json_put(out, "variable", site->variable);
	buf_add_string(out, ",");
	json_put(out, "access", site->access);
	buf_format(out, ",\"thread\":%" PRIu32, site->thread);
	if (site->number)
		buf_format(out, ",\"site\":%" PRIu32, site->number - 1);
	if (site->is_beside)
		buf_add_string(out, ",\"is_beside\":true");
	if (site->thread_name) {
		buf_add_string(out, ",");
		json_put(out, "thread_name", site->thread_name);
	}
	add_code(out, site->code);
	if (site->event)
		buf_format(out, ",\"event\":%" PRIu64, site->event);
	if (site->has_value)
		add_value(out, "before", site->value_before);
	if (site->has_value && site->is_changed)
		add_value(out, "after", site->value_after);
	if (site->proof) {
		buf_add_string(out, ",");
		json_put(out, "proof", site->proof);
	}
	if (site->proof_locks) {
		buf_add_string(out, ",");
		json_put(out, "proof_locks", site->proof_locks);
	}
	buf_add_string(out, "}");
}

static void add_act(struct buf *out, const struct finding_act *act)
{
	static const char *const words[] = {
		[FINDING_ALLOCATED] = "allocated",
		[FINDING_FREED] = "freed",
		[FINDING_CREATED] = "created",
	};
	buf_format(out, "{\"act\":\"%s\",\"thread\":%" PRIu32, words[act->kind], act->by);
	if (act->by_name) {
		buf_add_string(out, ",");
		json_put(out, "thread_name", act->by_name);
	}
	if (act->kind == FINDING_CREATED)
		buf_format(out, ",\"created\":%" PRIu32, act->thread);
	buf_format(out, ",\"event\":%" PRIu64 ",", act->event);
	json_put(out, "file", act->file);
	buf_add_string(out, ",");
	line_add_json(out, act->line);
	buf_add_string(out, ",");
	json_put_function(out, act->function);
	add_code(out, act->code);
	buf_add_string(out, "}");
}

static void add_suppression(struct buf *out, const struct suppression *suppression)
{
	buf_add_string(out, "{");
	json_put(out, "file", suppression->file);
	buf_format(out, ",\"line\":%" PRIu32 ",", suppression->line);
	json_put(out, "text", suppression->text);
	buf_format(out, ",\"matched\":%" PRIu64 "}", suppression->matched);
}

void json_put_suppressions(struct buf *out, const struct suppressions *suppressions)
{
	buf_add_string(out, ",\"suppressions\":[");
	for (size_t i = 0; i < suppressions->count; i++) {
		buf_add_string(out, i ? "," : "");
		add_suppression(out, &suppressions->items[i]);
	}
	buf_add_string(out, "]");
}

static const char *const standings[] = {
	[STORE_FIRST] = "new",          [STORE_AGAIN] = "known", [STORE_CAME_BACK] = "came-back",
	[STORE_REVERTED] = "came-back", [STORE_FIXED] = "fixed", [STORE_SUPPRESSED] = "suppressed",
};

/* By its id: the file may give way to that of a later test. */
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

void finding_json(struct buf *out, const struct finding *finding, const char *program, const char *store)
{
	bool is_suppressed = finding->identity.suppression || finding->identity.standing == STORE_SUPPRESSED;
	struct buf replay = { 0 };
	if (finding->evidence.trace)
		add_replay(&replay, finding, store);
	buf_format(out, "{\"id\":\"H%" PRIu64 "\",", finding->identity.number);
	json_put(out, "name", finding->identity.name);
	buf_add_string(out, ",");
	json_put(out, "kind", kinds[finding->identity.kind].word);
	buf_add_string(out, ",");
	if (program) {
		json_put(out, "program", program);
		buf_add_string(out, ",");
	}
	json_put(out, "standing", standings[finding->identity.standing]);
	if (finding->identity.fingerprint[0]) {
		buf_add_string(out, ",");
		json_put(out, "fingerprint", finding->identity.fingerprint);
	}
	buf_add_string(out, ",\"class\":null,");
	json_put(out, "summary", finding->presentation.summary.data);
	buf_add_string(out, ",");
	json_put(out, "details", finding->presentation.details.data ? finding->presentation.details.data : "");
	if (finding->evidence.is_reduced) {
		buf_format(out, ",\"preemptions\":%" PRIu32 ",\"early\":%" PRIu32 ",\"is_fewest\":%s,",
			   finding->evidence.preemptions, finding->evidence.early,
			   finding->evidence.is_fewest ? "true" : "false");
		json_put(out, "needs", finding->presentation.needs.data ? finding->presentation.needs.data : "");
	}
	json_put_strings(out, "advice", &finding->presentation.advice);
	if (finding->evidence.cycle)
		buf_format(out, ",\"steered\":%" PRIu32, finding->evidence.cycle->tried);
	buf_add_string(out, ",\"sites\":[");
	for (size_t i = 0; i < finding->evidence.site_count; i++) {
		if (i)
			buf_add_string(out, ",");
		add_site(out, &finding->evidence.sites[i]);
	}
	buf_add_string(out, "],\"acts\":[");
	for (size_t i = 0; i < finding->evidence.act_count; i++) {
		buf_add_string(out, i ? "," : "");
		add_act(out, &finding->evidence.acts[i]);
	}
	buf_format(out, "],\"variants\":%" PRIu64 ",\"schedules_to_first\":%" PRIu64 ",\"seen\":%" PRIu64 ",",
		   finding->evidence.variants ? finding->evidence.variants : 1, finding->evidence.first,
		   finding->evidence.seen);
	if (finding->evidence.schedules)
		buf_format(out, "\"schedules\":%" PRIu64 ",", finding->evidence.schedules);
	buf_format(out, "\"suppressed\":%s,\"suppression\":", is_suppressed ? "true" : "false");
	if (finding->identity.suppression)
		add_suppression(out, finding->identity.suppression);
	else
		buf_add_string(out, "null");
	buf_add_string(out, ",");
	json_put(out, "trace", finding->evidence.trace);
	buf_add_string(out, ",");
	json_put(out, "replay", replay.data);
	if (finding->presentation.interleaving.size)
		buf_format(out, ",%s", finding->presentation.interleaving.data);
	buf_add_string(out, "}");
	buf_release(&replay);
}

void json_put_strings(struct buf *out, const char *name, const struct strings *list)
{
	buf_format(out, ",\"%s\":[", name);
	for (size_t i = 0; i < list->count; i++) {
		if (i)
			buf_add_string(out, ",");
		text_json(out, list->items[i]);
	}
	buf_add_string(out, "]");
}
