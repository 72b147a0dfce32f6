/*
 * stored.c: see stored.h. Findings become those of a test again, so that both are written by the same code. Nothing that
 * the database says is trusted: a kind that does not exist is left out and noted.
 */
#include "narrate/stored.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "judge/store_use.h"
#include "narrate/finding_json.h"
#include "narrate/findings_replay.h"
#include "narrate/groups_json.h"
#include "store/read.h"
#include "store/running.h"
#include "store/verdict.h"
#include "symbols/line.h"

#define MAX_SHOWN_IDS 10u /* ids in a note */

struct stored {
	struct store *store;
	const char *folder, *option; /* where the store is; as a command needs it */
	struct findings findings;
	struct strings programs; /* of each finding */
	struct strings notes;
	struct buf all_tested; /* JSON: the programs, an array */
	struct json_writer tested;
	struct buf head; /* JSON: an object whose members describe the program that was tested last */
	uint64_t schedules;
	struct finding *current;
	struct buf gone; /* ids of findings without their evidence */
	size_t gone_count;
	struct err *err;
};

static void add_site(void *context, const struct store_place *place)
{
	struct stored *self = context;
	const struct finding_site site = {
		.file = place->file,
		.function = place->function,
		.variable = place->variable,
		.line = place->is_near ? line_near((uint32_t)place->line) : (uint32_t)place->line,
		.column = (uint32_t)place->column,
		.access = finding_keep(self->current, place->access),
		.thread = (uint32_t)place->thread,
		.thread_name = place->thread_name,
		.event = (uint64_t)place->event,
		.is_beside = place->is_beside,
		.code = place->code,
		.proof = finding_keep(self->current, place->proof),
		.proof_locks = place->proof_locks,
		.has_value = place->before,
		.is_changed = place->before && place->after,
		.value_before = place->before ? strtoull(place->before, NULL, 0) : 0,
		.value_after = place->after ? strtoull(place->after, NULL, 0) : 0,
	};
	finding_add_site(self->current, &site);
}

/* The evidence, if it is there; its name begins with the finding's. */
static void set_trace(struct stored *self, const char *trace)
{
	struct finding *finding = self->current;
	if (!*trace || !store_is_evidence(trace))
		return;
	const char *slash = strrchr(trace, '/'), *dot = strchr(slash, '.');
	finding->identity.name = mem_format("%.*s", (int)(dot ? dot - slash - 1 : (long)strlen(slash + 1)), slash + 1);
	finding->evidence.trace = mem_format("%s/%s", self->folder, trace);
	if (access(finding->evidence.trace, R_OK) < 0) {
		if (self->gone_count++ < MAX_SHOWN_IDS)
			buf_format(&self->gone, "%sH%" PRIu64, self->gone.size ? ", " : "", finding->identity.number);
		free(finding->evidence.trace);
		finding->evidence.trace = NULL;
	}
}

static void add_sight(void *context, const struct store_sight *sight)
{
	struct stored *self = context;
	strings_add(&self->programs, sight->program);
	set_trace(self, sight->trace);
}

static enum store_standing standing_of(const struct store_finding *stored)
{
	const char *state = stored->state;
	if (stored->came_back)
		return STORE_CAME_BACK;
	if (strcmp(state, "suppressed") == 0)
		return STORE_SUPPRESSED;
	if (strcmp(state, "fixed") == 0)
		return STORE_FIXED;
	return strcmp(state, "new") == 0 ? STORE_FIRST : STORE_AGAIN;
}

/* The first line gives the number of preemptions; the JSON has that separately from the other lines. */
static void set_needs(struct finding *finding, const struct store_finding *stored)
{
	const char *lines = strchr(stored->needs, '\n');
	finding->evidence.is_reduced = stored->is_reduced;
	finding->evidence.is_fewest = stored->is_fewest;
	finding->evidence.preemptions = stored->preemptions;
	finding->evidence.early = stored->early;
	buf_add_string(&finding->presentation.needs, lines ? lines + 1 : "");
}

/* The number of the word in a table that may have gaps; 0: it is not there. */
static int find_word(const char *const *words, int count, const char *word)
{
	for (int i = 0; word && i < count; i++)
		if (words[i] && strcmp(words[i], word) == 0)
			return i;
	return 0;
}

void stored_verdict(struct finding *finding, const struct store_verdict *stored)
{
	const enum verdict_class class = verdict_find(stored->class);
	if (class == VERDICT_COUNT)
		return;
	finding->evidence.has_verdict = true;
	finding->evidence.verdict = (struct verdict){ .class = class,
						      .primaries = stored->witnesses,
						      .instances = stored->instances,
						      .seen_instances = stored->seen_instances,
						      .inputs = stored->inputs,
						      .is_from_log = stored->is_from_log,
						      .unanswered = stored->unanswered,
						      .shows = SIZE_MAX };
	finding->evidence.verdict.states =
		(enum verdict_states)find_word(verdict_states_words, STATES_COUNT, stored->states);
	finding->evidence.verdict.analyzer =
		(enum analyzer_cause)find_word(analyzer_words, ANALYZER_COUNT, stored->analyzer);
	finding->evidence.verdict.reason =
		(enum verdict_reason)find_word(verdict_reason_words, REASON_COUNT, stored->reason);
	finding->evidence.consequence = (uint64_t)stored->consequence;
	text_terminal(&finding->presentation.verdict, stored->text);
	text_terminal(&finding->presentation.input, stored->input ? stored->input : "");
	text_terminal(&finding->presentation.why, stored->why ? stored->why : "");
	text_terminal_lines(&finding->presentation.difference, stored->difference ? stored->difference : "");
}

static int set_verdict(struct stored *self, struct finding *finding)
{
	struct store_verdict verdict;
	int code = store_get_verdict(self->store, (int64_t)finding->identity.number, &verdict, self->err);
	stored_verdict(finding, &verdict);
	store_verdict_release(&verdict);
	return code;
}

static int add_finding(void *context, const struct store_finding *stored)
{
	struct stored *self = context;
	enum finding_kind kind = kind_find(stored->kind);
	char key[32];
	bool is_new;
	if (kind >= FINDING_KIND_COUNT) {
		strings_note(&self->notes, "H%" PRId64 " is omitted: its kind is unknown", stored->id);
		return 0;
	}
	snprintf(key, sizeof key, "H%" PRId64, stored->id);
	struct finding *finding = self->current = findings_see(&self->findings, kind, key, stored->schedule, &is_new);
	if (!is_new)
		return 0;
	free(finding->identity.name);
	finding->identity.name = NULL;
	finding->identity.number = (uint64_t)stored->id;
	finding->identity.standing = standing_of(stored);
	finding->identity.group = (uint64_t)stored->head;
	finding->identity.rules = grouping_parse_rules(stored->rules);
	finding->evidence.seen = stored->seen;
	finding->evidence.schedules = stored->schedules;
	finding->evidence.variants = stored->variants;
	buf_add_string(&finding->presentation.summary, stored->summary);
	buf_add_string(&finding->presentation.details, stored->details);
	snprintf(finding->identity.fingerprint, sizeof finding->identity.fingerprint, "%s", stored->fingerprint);
	set_needs(finding, stored);
	int code = store_places(self->store, stored->id, add_site, self, self->err);
	if (code == 0)
		code = set_verdict(self, finding);
	if (code == 0)
		code = store_last_sight(self->store, stored->id, add_sight, self, self->err);
	if (code == 0 && self->programs.count < self->findings.count)
		strings_add(&self->programs, stored->last.program);
	return code;
}

static int load(struct stored *self, const struct stored_request *request, struct err *err)
{
	int code = 0;
	if (!request->id_count)
		return store_list(self->store, &(struct store_filter){ .is_open = !request->is_all }, add_finding, self,
				  err);
	for (size_t i = 0; i < request->id_count && code == 0; i++) {
		int64_t id = store_parse_id(request->ids[i]);
		size_t before = self->findings.count + self->notes.count;
		code = store_list(self->store, &(struct store_filter){ .id = id }, add_finding, self, err);
		bool is_again = false;
		for (size_t j = 0; j < self->findings.count; j++)
			is_again = is_again || self->findings.items[j]->identity.number == (uint64_t)id;
		if (code == 0 && self->findings.count + self->notes.count == before && !is_again) {
			err_hint(err, "heddle list --all lists all findings");
			code = err_set(err, ENOENT, "there is no finding H%" PRId64, id);
		}
	}
	return code;
}

static void add_program(void *context, const struct store_program *program)
{
	struct stored *self = context;
	struct json_writer writer, *out = &writer;
	struct buf members = { 0 };
	json_begin(out, &members);
	json_open_object(out, NULL);
	json_add_string(out, "program", program->path);
	json_add_string(out, "build", program->identity);
	json_add_string(out, "weave", program->weave);
	json_close_object(out);
	json_end(out);
	json_open_object(&self->tested, NULL);
	json_add_members(&self->tested, &members);
	json_add_number(&self->tested, "tests", program->tests);
	json_add_number(&self->tested, "schedules", program->schedules);
	json_close_object(&self->tested);
	self->schedules += program->schedules;
	if (self->head.size)
		buf_release(&members);
	else
		self->head = members;
}

static void write_document(struct buf *text, const struct stored *self)
{
	struct json_writer writer, *out = &writer;
	struct grouping grouping;
	grouping_make(&grouping, &self->findings);
	grouping_keep(&grouping);
	json_begin_report(out, text);
	if (self->head.size) {
		json_add_members(out, &self->head);
	} else {
		json_add_string(out, "program", "");
		json_add_null(out, "build");
		json_add_null(out, "weave");
	}
	json_add_raw(out, "programs", self->all_tested.data);
	json_add_number(out, "schedules", self->schedules);
	json_add_number(out, "lost", 0);
	json_add_bool(out, "interrupted", false);
	json_add_strings(out, "notes", &self->notes);
	json_open_array(out, "suppressions");
	json_close_array(out);
	groups_json(out, &grouping);
	json_open_array(out, "findings");
	for (size_t i = 0; i < self->findings.count; i++)
		finding_json(out, self->findings.items[i], self->programs.items[i], self->option);
	json_close_array(out);
	json_end_file(out);
	grouping_release(&grouping);
}

int stored_json(struct buf *out, const struct stored_request *request, struct err *err)
{
	struct stored self = { .folder = store_folder(request->store),
			       .option = store_option(request->store),
			       .err = err };
	int code = store_use(request->store, STORE_READ, &self.store, err);
	json_begin(&self.tested, &self.all_tested);
	json_open_array(&self.tested, NULL);
	if (code == 0) {
		running_read(self.folder);
		code = load(&self, request, err);
	}
	if (code == 0)
		code = store_programs(self.store, add_program, &self, err);
	json_close_array(&self.tested);
	json_end(&self.tested);
	if (self.gone_count)
		strings_note(&self.notes, "the evidence of %s%s is gone: %s be replayed", self.gone.data,
			     self.gone_count > MAX_SHOWN_IDS ? " and others" : "",
			     self.gone_count == 1 ? "it cannot" : "they cannot");
	for (size_t i = 0; i < self.findings.count; i++)
		if (finding_has_near(self.findings.items[i]))
			strings_note(&self.notes, "%s", LINE_NOTE);
	/* Not while we have the database open: a replay may take long. */
	store_close(self.store);
	if (code == 0 && !request->is_brief)
		findings_replay(&self.findings, &self.notes);
	if (code == 0)
		write_document(out, &self);
	findings_release(&self.findings);
	strings_release(&self.programs);
	strings_release(&self.notes);
	buf_release(&self.gone);
	buf_release(&self.all_tested);
	buf_release(&self.head);
	return code;
}
