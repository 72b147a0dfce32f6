/* show.c: heddle show: all that the store has of a finding, and the interleaving that shows it, from its evidence. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/proc.h"
#include "base/text.h"
#include "cmd/opt.h"
#include "cmd/replay.h"
#include "cmd/store_use.h"
#include "store/read.h"

static struct {
	const char *store;
	bool is_brief;
} asked;

#define BUILD_DIGITS 12

struct showing {
	struct buf out;
	bool is_there;
};

/* Each line indented and escaped: what is stored may have been changed. */
static void add_lines(struct buf *out, const char *text)
{
	while (*text) {
		size_t size = strcspn(text, "\n");
		char *line = mem_format("%.*s", (int)size, text);
		buf_add_string(out, "  ");
		text_terminal(out, line);
		buf_add_string(out, "\n");
		free(line);
		text += size + (text[size] == '\n');
	}
}

static void add_when(struct buf *out, const char *word, int64_t when, const struct store_build *build)
{
	time_t seconds = (time_t)when;
	struct tm parts;
	char day[64] = "at a time that is not known";
	char *identity = text_terminal_copy(build->identity), *program = text_terminal_copy(build->program);
	if (localtime_r(&seconds, &parts))
		strftime(day, sizeof day, "%Y-%m-%d %H:%M", &parts);
	buf_format(out, "  %s seen %s in build %.*s of %s\n", word, day, BUILD_DIGITS, identity, program);
	free(identity);
	free(program);
}

static int show(void *context, const struct store_finding *finding)
{
	struct showing *self = context;
	struct buf *out = &self->out;
	char *strategy = text_terminal_copy(finding->strategy), *state = text_terminal_copy(finding->state);
	self->is_there = true;
	buf_format(out, "H%" PRId64 " ", finding->id);
	text_terminal(out, finding->summary);
	buf_add_string(out, "\n");
	add_lines(out, finding->details);
	add_lines(out, finding->needs);
	buf_format(out, "  %s: seen in %" PRIu64 " schedule%s of %" PRIu64 " test%s\n", state, finding->seen,
		   finding->seen == 1 ? "" : "s", finding->tests, finding->tests == 1 ? "" : "s");
	add_when(out, "first", finding->first_seen, &finding->first);
	add_when(out, "last", finding->last_seen, &finding->last);
	buf_format(out, "  then in schedule %" PRIu64 ", strategy %s, seed %" PRIu64 "\n", finding->schedule, strategy,
		   finding->seed);
	if (finding->unseen)
		buf_format(out, "  not seen in %" PRIu64 " schedule%s of newer builds\n", finding->unseen,
			   finding->unseen == 1 ? "" : "s");
	free(strategy);
	free(state);
	return 0;
}

static void show_replay(int64_t id)
{
	char name[32];
	struct buf command = { 0 };
	snprintf(name, sizeof name, "H%" PRId64, id);
	proc_quote(&command, asked.store ? (char *[]){ "heddle", "replay", "--store", (char *)asked.store, name, NULL }
					 : (char *[]){ "heddle", "replay", name, NULL });
	char *shown = text_terminal_copy(command.data);
	printf("  replay: %s\n", shown);
	free(shown);
	buf_release(&command);
}

/* What cannot be shown is said: the report is there all the same. */
static void show_columns(int64_t id)
{
	struct err err = ERR_INIT;
	char *path;
	uint64_t event;
	int code = store_find_trace(asked.store, id, &path, &event, &err);
	if (code == 0) {
		show_replay(id);
		if (!asked.is_brief) {
			printf("\n");
			fflush(stdout);
			code = replay_show(path, &err);
		}
	}
	if (code < 0)
		printf("  %s: %s\n", path ? "the interleaving cannot be shown" : "it cannot be replayed", err.message);
	free(path);
}

static int show_main(char **operands, size_t count)
{
	struct err err = ERR_INIT;
	struct showing self = { .is_there = false };
	struct store *store = NULL;
	int64_t id = store_parse_id(operands[0]);
	(void)count;
	if (!id) {
		char *shown = text_terminal_copy(operands[0]);
		err_set(&err, EINVAL, "\"%s\" is no id of a finding, like H1", shown);
		err_hint(&err, "heddle list");
		err_print(&err, "heddle");
		free(shown);
		return EXIT_USAGE;
	}
	int code = store_use(asked.store, STORE_READ, &store, &err);
	if (code == 0)
		code = store_list(store, &(struct store_filter){ .id = id }, show, &self, &err);
	store_close(store);
	if (code == 0 && !self.is_there) {
		err_hint(&err, "heddle list --all lists what there is");
		code = err_set(&err, ENOENT, "there is no finding H%" PRId64, id);
	}
	if (code == 0) {
		fwrite(self.out.data, 1, self.out.size, stdout);
		show_columns(id);
	} else {
		err_print(&err, "heddle");
	}
	buf_release(&self.out);
	return code == 0 ? EXIT_FOUND_NOTHING : EXIT_CANNOT;
}

static const struct opt options[] = {
	{ "brief", NULL, "without the interleaving, for which the evidence is replayed", OPT_FLAG, &asked.is_brief },
	{ "store", "DIR", "where findings are kept (default: HEDDLE_STORE, or .heddle)", OPT_TEXT, &asked.store },
	{ NULL, NULL, NULL, OPT_FLAG, NULL },
};

const struct command command_show = {
	.name = "show",
	.operands = "H1",
	.summary = "show a finding: what was seen, where, since when, and the interleaving",
	.details = "The interleaving comes from a replay of the evidence: that needs the build that it was found in.\n"
		   "Exit status: 0, or 3 when there is no such finding.",
	.options = options,
	.operand_kind = OPERAND_FINDING,
	.operands_min = 1,
	.operands_max = 1,
	.run = show_main,
};
