/*
 * diff.c: heddle diff: which findings are new and which are gone, between two builds in one store or between two
 * stores. That one is gone means as much as the schedules that it was not seen in: their number is reported, and
 * without enough of them it was not tested.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cmd/opt.h"
#include "judge/store_use.h"
#include "store/read.h"

/* As many as heddle test takes to call a finding fixed. */
#define GONE_AFTER_DEFAULT 1000u

static struct {
	const char *store;
	uint64_t gone_after;
	bool is_renamed;
} settings = { .gone_after = GONE_AFTER_DEFAULT };

/* A finding of one side. */
struct item {
	int64_t id;
	char *fingerprint, *context, *summary, *kind;
	char *place; /* the fingerprint of a failure by its place alone; "": not known */
	bool is_matched, is_suppressed;
	uint64_t schedules; /* of an old one that is not matched: of the new side, that would have shown it */
};

struct side {
	struct store_part part; /* the store is its own */
	char *program;          /* of a build: its name, without the folder */
	struct item *items;
	size_t count, room;
};

static int add_item(void *context, const struct store_finding *finding)
{
	struct side *self = context;
	if (self->count == self->room) {
		self->room = self->room ? 2 * self->room : 64;
		self->items = mem_resize(self->items, self->room * sizeof *self->items);
	}
	self->items[self->count++] = (struct item){
		.id = finding->id,
		.fingerprint = mem_copy_string(finding->fingerprint),
		.context = mem_copy_string(finding->context),
		.summary = text_terminal_copy(finding->summary),
		.kind = mem_copy_string(finding->kind),
		.place = mem_copy_string(finding->place),
		.is_suppressed = strcmp(finding->state, "suppressed") == 0,
	};
	return 0;
}

static void release_side(struct side *self)
{
	for (size_t i = 0; i < self->count; i++) {
		free(self->items[i].fingerprint);
		free(self->items[i].context);
		free(self->items[i].summary);
		free(self->items[i].kind);
		free(self->items[i].place);
	}
	free(self->items);
	free(self->program);
	store_close(self->part.store);
}

static bool is_database(const char *path)
{
	char head[16] = "";
	struct stat status;
	FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "re") : NULL;
	size_t size = file ? fread(head, 1, sizeof head, file) : 0;
	if (file)
		fclose(file);
	return size == sizeof head && memcmp(head, "SQLite format 3", 16) == 0;
}

/* The database that the text names: a file, or in a folder; null when it names none. Caller frees. */
static char *database_of(const char *text)
{
	char *inside = mem_format("%s/%s", text, STORE_DATABASE);
	char *path = is_database(text) ? mem_copy_string(text) : is_database(inside) ? mem_copy_string(inside) : NULL;
	free(inside);
	return path;
}

/* A build by the beginning of its id, by its file, or by the name under which its file was tested. */
static int choose(struct store *store, const char *text, struct store_chosen *chosen, struct err *err)
{
	struct stat status;
	bool is_file = stat(text, &status) == 0 && S_ISREG(status.st_mode);
	char *name = is_file ? store_identity(text) : NULL;
	if (!name && strchr(text, '/'))
		name = store_program_path(text);
	int code = store_choose_build(store, name ? name : text, chosen, err);
	if (code == -ENOENT) {
		char *shown = text_terminal_copy(text);
		*err = (struct err)ERR_INIT;
		err_hint(err, "heddle show lists the builds of a finding; heddle test -- PROG tests a build");
		err_set(err, ENOENT,
			is_file ? "this build of \"%s\" was not tested" : "no build matching \"%s\" was tested", shown);
		free(shown);
	}
	free(name);
	return code;
}

static int read_builds(char *const texts[2], struct side sides[2], struct err *err)
{
	int code = 0;
	for (int i = 0; i < 2 && code == 0; i++) {
		struct store_chosen chosen = { .row = 0 };
		struct store_part *part = &sides[i].part;
		code = store_use(settings.store, STORE_READ, &part->store, err);
		if (code == 0)
			code = choose(part->store, texts[i], &chosen, err);
		if (code == 0) {
			char *program = text_terminal_copy(chosen.program);
			printf("%s build %.12s of %s, %" PRIu64 " schedule%s\n", i ? "new:" : "old:", chosen.identity,
			       program, chosen.schedules, chosen.schedules == 1 ? "" : "s");
			const char *slash = strrchr(program, '/');
			sides[i].program = mem_copy_string(slash ? slash + 1 : program);
			free(program);
			part->build = chosen.row;
			code = store_list(part->store, &(struct store_filter){ .build = chosen.row }, add_item,
					  &sides[i], err);
		}
		free(chosen.identity);
		free(chosen.program);
	}
	return code;
}

static int read_files(char *const paths[2], struct side sides[2], struct err *err)
{
	int code = 0;
	for (int i = 0; i < 2 && code == 0; i++) {
		struct store_part *part = &sides[i].part;
		code = store_open_file(paths[i], &part->store, err);
		if (code == 0)
			code = store_list(part->store, &(struct store_filter){ .id = 0 }, add_item, &sides[i], err);
	}
	return code;
}

static int compare_items(const void *a, const void *b)
{
	const struct item *one = a, *other = b;
	int order = strcmp(one->fingerprint, other->fingerprint);
	order = order ? order : strcmp(one->context, other->context);
	return order ? order : (one->id > other->id) - (one->id < other->id);
}

static int compare_ids(const void *a, const void *b)
{
	const struct item *one = a, *other = b;
	return (one->id > other->id) - (one->id < other->id);
}

/* Pairs what is alike: first with the code around it, then without. Both sides are sorted. */
static void match(struct side *old, struct side *new, bool is_exact)
{
	size_t a = 0, b = 0;
	while (a < old->count && b < new->count) {
		struct item *one = &old->items[a], *other = &new->items[b];
		if (one->is_matched || other->is_matched) {
			a += one->is_matched;
			b += other->is_matched;
			continue;
		}
		int order = strcmp(one->fingerprint, other->fingerprint);
		if (order == 0 && is_exact)
			order = strcmp(one->context, other->context);
		if (order == 0)
			one->is_matched = other->is_matched = true;
		a += order <= 0;
		b += order >= 0;
	}
}

/* Versions up to 0.1.0 knew failures by their places alone: theirs is the first one there. */
static void match_places(struct side *old, struct side *new)
{
	for (size_t a = 0; a < old->count; a++)
		for (size_t b = 0; b < new->count && !old->items[a].is_matched; b++) {
			const struct item *one = &old->items[a], *other = &new->items[b];
			if (!other->is_matched && !*one->place && *other->place &&
			    strcmp(one->fingerprint, other->place) == 0)
				old->items[a].is_matched = new->items[b].is_matched = true;
		}
}

/* In one store ids say it; with two of them, what the findings are. */
static void match_ids(struct side *old, struct side *new)
{
	for (size_t a = 0, b = 0; a < old->count && b < new->count;) {
		int order = compare_ids(&old->items[a], &new->items[b]);
		if (order == 0)
			old->items[a].is_matched = new->items[b].is_matched = true;
		a += order <= 0;
		b += order >= 0;
	}
}

static void match_sides(struct side sides[2], bool is_one_store)
{
	if (is_one_store) {
		match_ids(&sides[0], &sides[1]);
		return;
	}
	for (int i = 0; i < 2; i++)
		if (sides[i].count)
			qsort(sides[i].items, sides[i].count, sizeof *sides[i].items, compare_items);
	match(&sides[0], &sides[1], true);
	match(&sides[0], &sides[1], false);
	for (int i = 0; i < 2; i++)
		if (sides[i].count)
			qsort(sides[i].items, sides[i].count, sizeof *sides[i].items, compare_ids);
	match_places(&sides[0], &sides[1]);
	match_places(&sides[1], &sides[0]);
}

/* What one program has is never gone because another does not have it. Two that have a finding in common are builds of one. */
static int check_programs(const struct side sides[2], struct err *err)
{
	const char *old = sides[0].program, *new = sides[1].program;
	if (!old || !new || strcmp(old, new) == 0 || settings.is_renamed)
		return 0;
	for (size_t i = 0; i < sides[0].count; i++)
		if (sides[0].items[i].is_matched)
			return 0;
	err_hint(err, "if they are builds of the same program: heddle diff --renamed OLD NEW");
	return err_set(err, EINVAL, "\"%s\" and \"%s\" are different programs: cannot tell which findings are gone",
		       old, new);
}

static int count_schedules(struct side *old, const struct side *new, struct err *err)
{
	int code = 0;
	store_read_begin(old->part.store);
	store_read_begin(new->part.store);
	for (size_t i = 0; i < old->count && code == 0; i++) {
		struct item *item = &old->items[i];
		if (!item->is_matched)
			code = store_count_schedules(&old->part, item->id, item->kind, &new->part, &item->schedules,
						     err);
	}
	store_read_end(new->part.store);
	store_read_end(old->part.store);
	return code;
}

static size_t print_rows(const struct side *self, bool is_matched, const char *word)
{
	size_t count = 0;
	for (size_t i = 0; i < self->count; i++) {
		const struct item *item = &self->items[i];
		if (item->is_matched != is_matched)
			continue;
		printf("%-5s H%" PRId64 " %s%s\n", word, item->id, item->summary,
		       item->is_suppressed ? " (suppressed)" : "");
		count++;
	}
	return count;
}

/* Of what only the old side has: those that enough schedules did not show, or the others. */
static size_t print_missing(const struct side *old, bool is_gone)
{
	size_t count = 0;
	for (size_t i = 0; i < old->count; i++) {
		const struct item *item = &old->items[i];
		if (item->is_matched || (item->schedules >= settings.gone_after) != is_gone)
			continue;
		if (is_gone)
			printf("gone  H%" PRId64 " %s (not in %" PRIu64 " schedules)\n", item->id, item->summary,
			       item->schedules);
		else
			printf("not tested enough H%" PRId64 " %s (%" PRIu64 " of %" PRIu64
			       " schedules with its arguments)\n",
			       item->id, item->summary, item->schedules, settings.gone_after);
		count++;
	}
	return count;
}

static int print_all(const struct side sides[2])
{
	size_t added = print_rows(&sides[1], false, "new"), gone = print_missing(&sides[0], true),
	       untested = print_missing(&sides[0], false), both = print_rows(&sides[1], true, "both");
	printf("%zu new, %zu gone, %zu not tested enough, %zu in both\n", added, gone, untested, both);
	return added ? EXIT_FINDINGS : EXIT_FOUND_NOTHING;
}

static int diff_main(char **operands, size_t count)
{
	struct err err = ERR_INIT;
	struct side sides[2] = { { .count = 0 }, { .count = 0 } };
	char *files[2] = { database_of(operands[0]), database_of(operands[1]) };
	int code, status = EXIT_CANNOT;
	(void)count;
	if (!files[0] != !files[1] || !settings.gone_after) {
		err_hint(&err, "heddle diff --help");
		code = err_set(&err, EINVAL, "%s",
			       settings.gone_after ? "one operand is a database and the other is not"
						   : "--gone-after must be at least 1");
		status = EXIT_USAGE;
	} else {
		code = files[0] ? read_files(files, sides, &err) : read_builds(operands, sides, &err);
	}
	if (code == 0) {
		match_sides(sides, !files[0]);
		code = check_programs(sides, &err);
	}
	if (code == 0)
		code = count_schedules(&sides[0], &sides[1], &err);
	if (code == 0)
		status = print_all(sides);
	else
		err_print(&err, "heddle");
	for (int i = 0; i < 2; i++) {
		release_side(&sides[i]);
		free(files[i]);
	}
	return status;
}

static const struct opt options[] = {
	OPT_ROW_STORE(&settings.store),
	{ "gone-after", "N", "consider a finding gone after N schedules of NEW without it (default: 1000)", OPT_NUMBER,
	  &settings.gone_after },
	{ "renamed", NULL, "OLD and NEW are builds of the same program under different names", OPT_FLAG,
	  &settings.is_renamed },
	OPT_END,
};

const struct command command_diff = {
	.name = "diff",
	.operands = "OLD NEW",
	.summary = "show which findings are new and which are gone between two builds",
	.details = "A build is a program that was tested, or at least 4 digits of its build id. Alternatively, both "
		   "operands are\n"
		   "databases (heddle.db, or its directory), for example from two machines; the ids of findings that "
		   "are new or in\n"
		   "both are then those of NEW.\n\n"
		   "A finding that is missing in NEW is gone if enough schedules of NEW, with the arguments it was "
		   "found with and in\n"
		   "tests able to detect its kind, did not show it. Otherwise it was not tested enough, and the "
		   "number of such\n"
		   "schedules is printed.\n\n"
		   "Exit status: 0 no new findings, 1 new findings, 2 usage error, 3 the builds could not be compared.",
	.options = options,
	.operands_min = 2,
	.operands_max = 2,
	.run = diff_main,
};
