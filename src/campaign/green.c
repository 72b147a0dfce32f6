/*
 * green.c: whether a test that found nothing has tested anything: whether woven code ran under control, what of the
 * program was not observed, and whether the program ever ends.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "campaign/test_priv.h"
#include "symbols/foreign.h"
#include "symbols/woven.h"

/* A program that was cut off and has waited this often for time to pass while no thread could run: it does not compute,
 * it waits again and again. */
#define IDLE_MANY 1000u

#define END_HINT                                                                                                       \
	"heddle test needs a program that ends by itself: limit its number of requests or rounds or its running "      \
	"time, or add a client to the same program"

static bool is_woven(const char *path, struct err *err)
{
	struct woven *opened;
	if (woven_open(path, &opened, err) < 0)
		return false;
	woven_free(opened);
	return true;
}

void test_find_woven(struct test *self)
{
	struct err why = ERR_INIT;
	self->is_woven = is_woven(self->trace.program, &why);
	if (!self->is_woven)
		self->why_unwoven = mem_copy_string(why.message);
}

/* Libraries of the system are not expected to be woven. */
static bool is_system(const char *path)
{
	static const char *const folders[] = { "/lib/",     "/lib64/",     "/lib32/",
					       "/usr/lib/", "/usr/lib64/", "/usr/libexec/" };
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (strncmp(path, folders[i], strlen(folders[i])) == 0)
			return true;
	return strstr(path, "/libheddle.so") != NULL;
}

static void add_name(struct strings *names, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *shown = text_terminal_copy(slash ? slash + 1 : path);
	if (!strings_has(names, shown))
		strings_add(names, shown);
	free(shown);
}

static void add_names(struct buf *out, const struct strings *names)
{
	for (size_t i = 0; i < names->count; i++)
		buf_format(out, "%s%s", i ? ", " : "", names->items[i]);
}

#define FOREIGN_NAMED 3u /* functions, and files, that a note names */
#define FOREIGN_FEW 20u  /* if there are more, names of some say nothing */

static void add_few(struct buf *out, const struct strings *names)
{
	for (size_t i = 0; i < names->count && i < FOREIGN_NAMED; i++) {
		buf_add_string(out, i ? ", " : "");
		text_terminal(out, names->items[i]);
	}
	if (names->count > FOREIGN_NAMED)
		buf_format(out, " and %zu more", names->count - FOREIGN_NAMED);
}

static void describe_foreign(struct buf *out, uint32_t count, const char *file, const struct foreign *foreign)
{
	/* The table of symbols may have been taken away since the file was linked. */
	const bool is_one = count == 1, is_known = foreign->functions.count == count;
	const bool is_named = is_known && count <= FOREIGN_FEW;
	const bool is_assembly = is_known && foreign->assembly_count == count;
	buf_format(out, "%" PRIu32 " function%s of %s", count, is_one ? "" : "s", file);
	if (is_assembly) {
		buf_format(out, " %s assembly (", is_one ? "is" : "are");
		add_few(out, &foreign->sources);
		buf_add_string(out, "), and assembler files are not observed");
	} else {
		buf_format(out, " %s not built by heddle-cc (but by another compiler, or from assembly",
			   is_one ? "was" : "were");
		if (foreign->sources.count) {
			buf_add_string(out, ", such as ");
			add_few(out, &foreign->sources);
		}
		buf_add_string(out, ")");
	}
	if (is_named) {
		buf_add_string(out, ": ");
		add_few(out, &foreign->functions);
	}
	buf_format(out,
		   "%s accesses in %s are not observed, and locks implemented there do not order threads, so races "
		   "that such a lock prevents may be reported",
		   is_named ? ";" : ":", is_one ? "it" : "them");
}

/* Parts of a woven file that another compiler made, or that are assembly. */
static void note_foreign(struct test *self, const char *path)
{
	struct woven *opened;
	struct err ignored = ERR_INIT;
	if (woven_open(path, &opened, &ignored) < 0)
		return;
	const uint32_t count = woven_build(opened)->foreign_count;
	const char *slash = strrchr(path, '/');
	char *shown = text_terminal_copy(slash ? slash + 1 : path);
	if (count) {
		struct foreign foreign;
		struct buf text = { 0 };
		foreign_find(&foreign, path, opened);
		describe_foreign(&text, count, shown, &foreign);
		strings_add(&self->unwoven, shown);
		strings_note(&self->notes, "%s", text.data);
		foreign_release(&foreign);
		buf_release(&text);
	}
	free(shown);
	woven_free(opened);
}

/* Which files have code that is not observed. */
static void note_parts(struct test *self, const struct report *report)
{
	struct strings woven = { 0 }, parts = { 0 }; /* names; paths */
	struct buf text = { 0 };
	for (size_t i = 0; i < report->module_count; i++) {
		const char *path = report->modules[i].path;
		struct err ignored = ERR_INIT;
		const size_t before = woven.count;
		if (is_woven(path, &ignored))
			add_name(&woven, path);
		else if (!is_system(path))
			add_name(&self->unwoven, path);
		if (woven.count > before)
			strings_add(&parts, path);
	}
	if (woven.count && self->unwoven.count) {
		add_names(&text, &self->unwoven);
		buf_format(&text, " %s not woven: races and memory errors are found only in ",
			   self->unwoven.count == 1 ? "is" : "are");
		add_names(&text, &woven);
		strings_note(&self->notes, "%s", text.data);
	}
	for (size_t i = 0; i < parts.count; i++)
		note_foreign(self, parts.items[i]);
	buf_release(&text);
	strings_release(&parts);
	strings_release(&woven);
}

static int fail_unwoven(struct test *self, const struct campaign_run *run, struct err *err)
{
	const bool is_starter = run->control->channel->process_count || run->result.outcome == HEDDLE_OUTCOME_EXEC;
	self->is_untested = true;
	char *shown =
		text_terminal_copy(self->trace.arguments.count ? self->trace.arguments.items[0] : self->trace.program);
	if (self->is_woven) {
		err_hint(err,
			 "--switch selects the functions that run woven; --allow-unwoven tests the program as it is");
		err_set(err, ENOEXEC, "nothing was tested: no function of \"%s\" runs woven", shown);
	} else if (is_starter) {
		err_hint(err, "name the program itself, built with CC=heddle-cc CXX=heddle-c++: heddle test -- PROG "
			      "ARGS; --allow-unwoven tests the given program anyway");
		err_set(err, ENOEXEC,
			"nothing was tested: \"%s\" is not woven and starts other programs, which are not controlled",
			shown);
	} else {
		err_hint(err, "build it with CC=heddle-cc CXX=heddle-c++; --allow-unwoven tests it anyway, for "
			      "deadlocks, crashes and wrong output");
		err_set(err, ENOEXEC,
			"nothing was tested: %s, so races and memory errors cannot be detected, and threads switch "
			"only at synchronisation",
			self->why_unwoven ? self->why_unwoven : "the program is not woven");
	}
	free(shown);
	return -ENOEXEC;
}

int test_check_woven(struct test *self, const struct campaign_run *run, const struct report *report, struct err *err)
{
	const struct heddle_channel *channel = run->control->channel;
	if (channel->hidden_count > self->max_hidden)
		self->max_hidden = channel->hidden_count;
	self->has_started |= channel->process_count != 0;
	if (self->is_woven_checked)
		return 0;
	self->is_woven_checked = true;
	note_parts(self, report);
	if (channel->woven_count)
		return 0;
	if (!self->request->is_unwoven_allowed)
		return fail_unwoven(self, run, err);
	strings_note(&self->notes,
		     "the program is not woven, so races and memory errors cannot be detected, and threads switch "
		     "only at synchronisation: build it with CC=heddle-cc CXX=heddle-c++");
	return 0;
}

void test_note_unobserved(struct test *self)
{
	if (self->max_hidden)
		strings_note(&self->notes,
			     "%" PRIu32
			     " OpenMP thread%s ran unobserved: races among the threads of a team are not detected",
			     self->max_hidden, self->max_hidden == 1 ? "" : "s");
	if (self->max_threads > 1 || !self->has_started || self->request->is_unwoven_allowed)
		return;
	self->is_untested = true;
	judge_miss(&self->judge, "the program has one thread and starts other processes, which are not controlled: "
				 "nothing was tested; name the program that has threads, or use --allow-unwoven");
}

/* Where the first thread is that waits. */
static void describe_waiting(struct test *self, const struct report *report, struct buf *out)
{
	struct scene_place place;
	scene_set(&self->judge.scene, report);
	buf_add_string(out, "");
	for (size_t i = 0; i < report->thread_count; i++)
		if (report->threads[i].waits && scene_own_place(&self->judge.scene, &report->threads[i], &place)) {
			buf_add_string(out, scene_preposition(&place));
			scene_describe_place(out, &place);
			return;
		}
}

bool test_is_outside(const struct report *report)
{
	for (size_t i = 0; i < report->note_count; i++)
		if (strcmp(report->notes[i], HEDDLE_NOTE_OUTSIDE) == 0)
			return true;
	return false;
}

int test_fail_signal(struct test *self, const struct report *report, struct err *err)
{
	struct buf where = { 0 };
	describe_waiting(self, report, &where);
	err_hint(err, "%s", END_HINT);
	err_set(err, ETIME, "no run of the program ended: it waits%s for a signal that is never sent", where.data);
	buf_release(&where);
	return -ETIME;
}

int test_fail_endless(struct test *self, const struct campaign_run *run, const struct report *report, struct err *err)
{
	struct buf where = { 0 };
	self->is_endless = test_is_outside(report) || run->control->channel->idle_count >= IDLE_MANY;
	if (!self->is_endless)
		return 0;
	if (test_is_outside(report)) {
		describe_waiting(self, report, &where);
		err_hint(err, "%s; --hang SECONDS waits longer for events from outside", END_HINT);
		err_set(err, ETIME,
			"no run of the program ended: it waits%s for something from outside that never happens",
			where.data);
		buf_release(&where);
		return -ETIME;
	}
	err_hint(err, "%s; or limit the events per schedule with --budget EVENTS", END_HINT);
	return err_set(err, ETIME,
		       "no run of the program ended: after %" PRIu64
		       " events it still waits repeatedly for time to pass",
		       run->result.event_count);
}
