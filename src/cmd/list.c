/* list.c: heddle list: the findings of the store, a line each, or as JSON (docs/FORMATS.md). */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/opt.h"
#include "cmd/outputs.h"
#include "judge/finding.h"
#include "judge/store_use.h"
#include "narrate/finding_json.h"
#include "narrate/layout.h"
#include "narrate/verdict.h"
#include "store/read.h"
#include "store/schema.h"
#include "store/verdict.h"

static struct {
	const char *store, *state, *kind;
	const char *json; /* where to; null: text */
	bool is_all;
} settings;

#define PROGRAM_LEAST 7u /* its title */
#define MAX_PROGRAM 60u
#define ROOM_LEAST 20u /* for the finding, or it is not folded */

struct listing {
	struct store *store;
	struct buf out;
	struct json_writer json; /* into out */
	size_t count;
	struct err *err;
	struct layout layout;
	size_t program_width;
	bool has_classes; /* some finding of the store is classified or marked */
};

/* What it was last seen in; the end of a long path says most. */
static void add_program(struct buf *out, const char *path, size_t room)
{
	struct buf program = { 0 };
	text_terminal(&program, path);
	text_fit(&program, room, TEXT_CUT_LEFT);
	size_t width = program.size ? text_width(program.data, program.size) : 0;
	buf_format(out, "%s%*s  ", program.size ? program.data : "", (int)(room - width), "");
	buf_release(&program);
}

static int measure(void *context, const struct store_finding *finding)
{
	struct listing *self = context;
	struct store_verdict verdict = { .class = NULL };
	struct store_mark mark = { .word = NULL };
	struct err ignored = ERR_INIT;
	store_get_verdict(self->store, finding->id, &verdict, &ignored);
	store_get_mark(self->store, finding->id, &mark, &ignored);
	self->has_classes |= verdict.class || mark.word;
	store_verdict_release(&verdict);
	store_mark_release(&mark);
	char *program = text_terminal_copy(finding->last.program);
	size_t width = text_width(program, strlen(program));
	size_t limit = self->layout.width ? self->layout.width / 4 : MAX_PROGRAM;
	width = width < limit ? width : limit;
	self->program_width = width > self->program_width ? width : self->program_width;
	free(program);
	return 0;
}

/* Without " (8 bytes at 0x...)": the places after it say more in the available room. */
static void add_summary(struct buf *out, const char *summary)
{
	char *text = text_terminal_copy(summary);
	for (char *at = strstr(text, " ("); at; at = strstr(at + 1, " (")) {
		char *digits = at + 2, *rest = digits + strspn(digits, "0123456789");
		char *end = strchr(rest, ')');
		bool is_bytes = rest > digits &&
				(strncmp(rest, " byte at 0x", 11) == 0 || strncmp(rest, " bytes at 0x", 12) == 0);
		if (is_bytes && end) {
			memmove(at, end + 1, strlen(end + 1) + 1);
			break;
		}
	}
	buf_add_string(out, text);
	free(text);
}

/* Under its title, on as many lines as it needs. */
static void add_folded(struct buf *out, const struct layout *layout, size_t margin, const char *text)
{
	struct buf folded = { 0 };
	const struct layout column = { .width = layout->width > margin + ROOM_LEAST ? layout->width - margin : 0 };
	layout_fold(&folded, &column, LAYOUT_PLAIN, 0, text);
	for (char *line = folded.data, *end; line && *line; line = end + 1) {
		end = line + strcspn(line, "\n");
		buf_format(out, "%*s%.*s\n", line == folded.data ? 0 : (int)margin, "", (int)(end - line), line);
	}
	buf_release(&folded);
}

/* A person's mark that still counts, or else the class; *is_revoked: there is a mark that does not count. */
static void add_class(struct listing *self, struct buf *line, int64_t id, bool *is_revoked)
{
	struct store_verdict verdict = { .class = NULL };
	struct store_mark mark = { .word = NULL };
	struct err ignored = ERR_INIT;
	store_get_verdict(self->store, id, &verdict, &ignored);
	store_get_mark(self->store, id, &mark, &ignored);
	char *class = mark.word && !mark.revoked ? mem_format("marked %s", mark.word)
		      : verdict.class            ? mem_copy_string(verdict_listed(verdict.class))
						 : mem_copy_string("-");
	char *shown = text_terminal_copy(class);
	*is_revoked = mark.word && mark.revoked;
	buf_format(line, "%-15s  ", shown);
	free(shown);
	free(class);
	store_verdict_release(&verdict);
	store_mark_release(&mark);
}

static int add_line(void *context, const struct store_finding *finding)
{
	struct listing *self = context;
	char id[32];
	if (self->count++ == 0)
		buf_format(&self->out, "%-6s %-10s %9s  %s%-*s  %s\n", "id", "state", "seen in",
			   self->has_classes ? "class            " : "", (int)self->program_width, "program",
			   "finding");
	struct buf line = { 0 }, summary = { 0 };
	bool is_revoked = false;
	snprintf(id, sizeof id, "H%" PRId64, finding->id);
	buf_format(&line, "%-6s ", id);
	char *state = text_terminal_copy(finding->came_back ? "came back" : finding->state);
	buf_format(&line, "%-10s %9" PRIu64 "  ", state, finding->seen);
	if (self->has_classes)
		add_class(self, &line, finding->id, &is_revoked);
	add_program(&line, finding->last.program, self->program_width);
	add_summary(&summary, finding->summary);
	if (finding->head && finding->head != finding->id)
		buf_format(&summary, " (same cause as H%" PRId64 ")", finding->head);
	if (is_revoked)
		buf_add_string(&summary, " (mark revoked)");
	buf_add_string(&self->out, line.data);
	add_folded(&self->out, &self->layout, text_width(line.data, line.size), summary.data ? summary.data : "");
	buf_release(&line);
	buf_release(&summary);
	free(state);
	return 0;
}

static void add_build(struct json_writer *out, const char *name, const struct store_build *build)
{
	json_open_object(out, name);
	json_add_string(out, "build", build->identity);
	json_add_string(out, "program", build->program);
	json_close_object(out);
}

static void add_site(void *context, const struct store_place *place)
{
	struct json_writer *out = context;
	json_open_object(out, NULL);
	json_add_string(out, "file", place->file);
	json_add_function(out, place->function);
	json_add_string(out, "variable", place->variable);
	json_add_string(out, "access", place->access);
	json_add_signed(out, "line", place->line);
	if (place->is_near)
		json_add_bool(out, "is_near", true);
	json_add_signed(out, "column", place->column);
	json_add_signed(out, "thread", place->thread);
	json_close_object(out);
}

/* What can be read of it; what cannot is null. */
static void add_verdict(struct listing *self, int64_t id)
{
	struct json_writer *out = &self->json;
	struct store_verdict verdict = { .class = NULL };
	struct store_mark mark = { .word = NULL };
	struct err ignored = ERR_INIT;
	store_get_verdict(self->store, id, &verdict, &ignored);
	store_get_mark(self->store, id, &mark, &ignored);
	json_add_string(out, "class", verdict.class);
	json_add_string(out, "verdict", verdict.text);
	json_add_string(out, "reason", verdict.reason);
	json_add_string(out, "why", verdict.why);
	json_add_string(out, "mark", mark.word);
	json_add_string(out, "mark_why", mark.why);
	json_add_bool(out, "mark_revoked", mark.revoked);
	store_verdict_release(&verdict);
	store_mark_release(&mark);
}

static int add_object(void *context, const struct store_finding *finding)
{
	struct listing *self = context;
	struct json_writer *out = &self->json;
	json_open_object(out, NULL);
	json_add_format(out, "id", "H%" PRId64, finding->id);
	json_add_string(out, "kind", finding->kind);
	json_add_format(out, "group", "H%" PRId64, finding->head ? finding->head : finding->id);
	json_add_string(out, "state", finding->state);
	json_add_bool(out, "came_back", finding->came_back);
	json_add_string(out, "summary", finding->summary);
	json_add_string(out, "details", finding->details);
	json_add_string(out, "needs", finding->needs);
	json_add_string(out, "fingerprint", finding->fingerprint);
	add_build(out, "first", &finding->first);
	add_build(out, "last", &finding->last);
	json_add_signed(out, "first_seen", finding->first_seen);
	json_add_signed(out, "last_seen", finding->last_seen);
	json_add_number(out, "tests", finding->tests);
	json_add_number(out, "seen", finding->seen);
	json_add_number(out, "unseen", finding->unseen);
	json_add_string(out, "trace", *finding->trace ? finding->trace : NULL);
	add_verdict(self, finding->id);
	json_open_array(out, "sites");
	int code = store_places(self->store, finding->id, add_site, out, self->err);
	json_close_array(out);
	json_close_object(out);
	return code;
}

static int list_json(struct listing *self, const struct store_filter *filter, struct err *err)
{
	struct json_writer *out = &self->json;
	json_begin_report(out, &self->out);
	json_add_string(out, "store", store_folder(settings.store));
	json_add_number(out, "version", STORE_VERSION);
	json_open_array(out, "findings");
	int code = store_list(self->store, filter, add_object, self, err);
	json_close_array(out);
	json_end_file(out);
	return code;
}

/* Adds what else there is. */
static int add_rest(struct listing *self, const struct store_filter *filter, struct err *err)
{
	uint64_t counts[8] = { 0 };
	int code = store_count_states(self->store, counts, err);
	if (!self->count)
		buf_add_string(&self->out, filter->is_open && !filter->kind ? "no findings are new or known\n"
									    : "no findings match\n");
	if (filter->is_open && counts[2] + counts[3])
		buf_format(&self->out, "%" PRIu64 " fixed and %" PRIu64 " suppressed: heddle list --all\n", counts[2],
			   counts[3]);
	return code;
}

static int check_word(const char *option, const char *word, const char *const words[], struct err *err)
{
	struct buf all = { 0 };
	for (size_t i = 0; words[i]; i++) {
		if (strcmp(word, words[i]) == 0) {
			buf_release(&all);
			return 0;
		}
		buf_format(&all, "%s%s", i ? ", " : "", words[i]);
	}
	const char *nearest = text_nearest(word, words);
	char *shown = text_terminal_copy(word);
	if (nearest)
		err_hint(err, "did you mean %s?", nearest);
	else
		err_hint(err, "valid values: %s", all.data);
	err_set(err, EINVAL, "--%s: unknown %s \"%s\"", option, option, shown);
	free(shown);
	buf_release(&all);
	return -EINVAL;
}

static int check_options(struct err *err)
{
	int code = 0;
	if (settings.state && settings.is_all)
		code = err_set(err, EINVAL, "--all and --state cannot be combined");
	if (settings.state && code == 0)
		code = check_word("state", settings.state, store_states, err);
	if (settings.kind && code == 0)
		code = check_word("kind", settings.kind, kind_words, err);
	return code;
}

static int list_main(char **operands, size_t count)
{
	struct err err = ERR_INIT;
	struct listing self = { .err = &err, .program_width = PROGRAM_LEAST };
	const struct store_filter filter = { .kind = settings.kind,
					     .state = settings.state,
					     .is_open = !settings.is_all && !settings.state };
	(void)operands;
	(void)count;
	layout_init(&self.layout, 1, "never");
	if (check_options(&err) < 0) {
		err_print(&err, "heddle");
		return EXIT_USAGE;
	}
	int code = store_use(settings.store, STORE_READ, &self.store, &err);
	if (code == 0)
		code = outputs_redirect(settings.json, &err);
	if (code == 0 && settings.json)
		code = list_json(&self, &filter, &err);
	else if (code == 0 && (code = store_list(self.store, &filter, measure, &self, &err)) == 0 &&
		 (code = store_list(self.store, &filter, add_line, &self, &err)) == 0)
		code = add_rest(&self, &filter, &err);
	store_close(self.store);
	if (code == 0)
		fwrite(self.out.data, 1, self.out.size, stdout);
	else
		err_print(&err, "heddle");
	buf_release(&self.out);
	return code == 0 ? EXIT_FOUND_NOTHING : EXIT_CANNOT;
}

static const struct opt options[] = {
	{ "all", NULL, "include findings that are fixed or suppressed", OPT_FLAG, &settings.is_all },
	{ "state", "STATE", "only findings in this state: new, known, fixed, suppressed", OPT_TEXT, &settings.state },
	{ "kind", "KIND", "only findings of this kind: data-race, deadlock, ...", OPT_TEXT, &settings.kind },
	{ "json", "FILE", "print JSON instead of text (without FILE, or -: to standard output)", OPT_OUTPUT,
	  &settings.json },
	OPT_ROW_STORE(&settings.store),
	OPT_END,
};

static const struct opt_values values[] = {
	{ "state", store_states },
	{ "kind", kind_words },
	{ NULL, NULL },
};

const struct command command_list = {
	.name = "list",
	.operands = "",
	.summary = "list findings",
	.details = "new: seen by one test, or seen again after it was fixed. known: seen by more than one test. "
		   "fixed: not seen in\n"
		   "enough schedules of newer builds (heddle test --fixed-after). suppressed: matched by a "
		   "suppression.\n\n"
		   "Exit status: 0, or 3 if the findings cannot be read.",
	.options = options,
	.values = values,
	.run = list_main,
};
