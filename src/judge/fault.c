/* fault.c: what ended a run is named: a pointer that was NULL, or the behaviour that UBSan found undefined. */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/text.h"
#include "judge/judge_priv.h"
#include "symbols/woven.h"

#define NULL_PAGE 4096u /* members of what a NULL pointer points to are in it; nothing is mapped there */

#define ADDRESS_NOTE " at address "

/* The address that the signal is about, from the note of the runtime. */
static bool find_address(const struct report *report, uint64_t *address)
{
	for (size_t i = 0; i < report->note_count; i++) {
		const char *note = report->notes[i], *at = strstr(note, ADDRESS_NOTE);
		if (strncmp(note, "signal ", 7) != 0 || !at)
			continue;
		*address = strtoull(at + strlen(ADDRESS_NOTE), NULL, 16);
		return true;
	}
	return false;
}

void judge_describe_pointer(struct buf *out, struct inspection *self, const struct report_thread *thread,
			    const char *called)
{
	const int number = self->run->result.status;
	uint64_t address;
	if ((number != SIGSEGV && number != SIGBUS) || !find_address(self->report, &address))
		return;
	const bool is_behind = address < NULL_PAGE, is_before = -address <= NULL_PAGE;
	if (!is_behind && !is_before)
		return;
	const char *name =
		called[0] || !thread->code_count ? NULL : symbols_pointed(self->judge->scene.symbols, thread->code[0]);
	if (is_behind && thread->stack.rip == address) {
		buf_add_string(out, " by calling a NULL function pointer");
		return;
	}
	buf_add_string(out, " by a NULL pointer");
	if (name) {
		buf_add_string(out, ", ");
		text_terminal(out, name);
	} else if (called[0]) {
		buf_add_string(out, ", in ");
		text_terminal(out, called);
	}
	buf_format(out, is_behind ? " (address 0x%" PRIx64 ")%s" : " (address NULL - %" PRIu64 ")%s",
		   is_behind ? address : -address, name || called[0] ? "," : "");
}

#define UNDEFINED ": runtime error: "

/* The last line that UBSan wrote begins with the place: "file.c:12:7". The message follows. */
struct undefined {
	char *file, *words;
	uint32_t line, column;
};

/* Takes a number from the end of the text, with the colon before it; 0 when there is none. */
static uint32_t take_number(char *text)
{
	char *colon = strrchr(text, ':');
	if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")])
		return 0;
	*colon = '\0';
	return (uint32_t)strtoul(colon + 1, NULL, 10);
}

/* Whether UBSan's are the last words of the text. A check that lets the program go on may have nothing to do with its end. */
static bool is_last(const char *line, const char *text_end)
{
	const char *last = text_end;
	while (last > line && (last[-1] == '\n' || last[-1] == '\0'))
		last--;
	while (last > line && last[-1] != '\n')
		last--;
	return last == line || *last == ' ' || strncmp(last, "SUMMARY: Undefined", strlen("SUMMARY: Undefined")) == 0;
}

static bool find_undefined(const struct campaign_run *run, struct undefined *found)
{
	const char *text = run->capture ? run->capture->streams[1].kept.data : NULL, *last = NULL;
	for (const char *at = text; at && (at = strstr(at, UNDEFINED)); at += strlen(UNDEFINED))
		last = at;
	if (!last)
		return false;
	const char *start = last, *words = last + strlen(UNDEFINED);
	while (start > text && start[-1] != '\n')
		start--;
	if (!is_last(start, text + run->capture->streams[1].kept.size))
		return false;
	*found = (struct undefined){ .file = mem_format("%.*s", (int)(last - start), start),
				     .words = mem_format("%.*s", (int)strcspn(words, "\n"), words) };
	found->column = take_number(found->file);
	found->line = take_number(found->file);
	/* A place may be without a column. */
	if (!found->line) {
		found->line = found->column;
		found->column = 0;
	}
	return true;
}

bool judge_undefined(struct inspection *self)
{
	struct undefined found;
	struct path_view view;
	struct buf key = { 0 };
	if (!find_undefined(self->run, &found))
		return false;
	path_view_init(&view);
	char *file = path_view_display(&view, found.file);
	/* The words have values and addresses of the run in them. */
	buf_format(&key, "undefined behaviour at %s:%" PRIu32 ":%" PRIu32, file, found.line, found.column);
	struct finding *finding = inspection_add(self, FINDING_CRASH, &key);
	if (finding) {
		const struct scene_place place = {
			.file = file, .line = found.line, .column = found.column, .is_own = true, .site = WOVEN_NONE
		};
		buf_add_string(&finding->presentation.summary, "undefined behaviour: ");
		text_terminal(&finding->presentation.summary, found.words);
		buf_add_string(&finding->presentation.summary, " at ");
		scene_describe_place(&finding->presentation.summary, &place);
		buf_format(&finding->presentation.summary, " (UBSan, exit status %d)", self->run->result.status & 255);
		judge_add_written(self, finding);
		scene_add_site(finding, &place, "undefined behaviour", 0);
	}
	path_view_release(&view);
	free(file);
	free(found.file);
	free(found.words);
	return true;
}
