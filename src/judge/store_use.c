/* store_use.c: see store_use.h. */
#include "judge/store_use.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "store/read.h"
#include "store/running.h"
#include "store/verdict.h"
#include "symbols/identity.h"
#include "symbols/line.h"

int store_use(const char *store_path, enum store_use use, struct store **store, struct err *err)
{
	char *note;
	int code = store_open(store_folder(store_path), use, store, &note, err);
	if (note)
		fprintf(stderr, "heddle: %s\n", note);
	free(note);
	return code;
}

int store_use_existing(const char *asked, struct store **store, struct err *err)
{
	int code = store_use(asked, STORE_READ, store, err);
	if (code < 0)
		return code;
	store_close(*store);
	*store = NULL;
	return store_use(asked, STORE_WRITE, store, err);
}

int64_t store_read_id(const char *text, struct err *err)
{
	int64_t id = store_parse_id(text);
	if (!id) {
		char *shown = text_terminal_copy(text);
		err_set(err, EINVAL, "\"%s\" is not the id of a finding, such as H1", shown);
		free(shown);
	}
	return id;
}

/* HEDDLE_STORE may not be set where the command is pasted. */
const char *store_option(const char *store_path)
{
	const char *folder = store_folder(store_path);
	return store_path || strcmp(folder, STORE_FOLDER) != 0 ? folder : NULL;
}

char *store_program_path(const char *program)
{
	char folder[PATH_MAX], *real = realpath(program, NULL);
	const char *path = real ? real : program;
	if (!getcwd(folder, sizeof folder))
		folder[0] = '\0';
	size_t size = strlen(folder);
	if (size > 1 && strncmp(path, folder, size) == 0 && path[size] == '/')
		path += size + 1;
	char *copy = mem_copy_string(path);
	free(real);
	return copy;
}

char *store_program_now(const char *store_path, const char *program, const char *trace)
{
	struct trace recorded;
	struct err ignored = ERR_INIT;
	char *found = NULL;
	trace_init(&recorded);
	if (trace && trace_read(trace, &recorded, &ignored) == 0 && access(recorded.program, F_OK) == 0)
		found = mem_copy_string(recorded.program);
	trace_free(&recorded);
	if (!found && program[0] != '/' && access(program, F_OK) < 0) {
		found = mem_format("%s/../%s", store_folder(store_path), program);
		if (access(found, F_OK) < 0) {
			free(found);
			found = NULL;
		}
	}
	return found ? found : mem_copy_string(program);
}

char *store_identity(const char *path)
{
	struct trace builds = { .log_fd = -1 };
	struct buf out = { 0 };
	identity_add(&builds, path);
	for (size_t i = 0; i < builds.build_count; i++) {
		for (uint32_t at = 0; at < builds.builds[i].id_size; at++)
			buf_format(&out, "%02x", builds.builds[i].id[at]);
		free(builds.builds[i].path);
	}
	free(builds.builds);
	return out.data;
}

static int choose_trace(struct store *store, const char *folder, int64_t id, char **path, uint64_t *event,
			struct err *err)
{
	struct strings traces = { 0 };
	int code = store_traces(store, id, &traces, err);
	for (size_t i = 0; i < traces.count && code == 0 && !*path; i++) {
		char *tried = mem_format("%s/%s", folder, traces.items[i]);
		if (access(tried, F_OK) == 0) {
			*path = tried;
			*event = (uint64_t)store_event(store, id, traces.items[i]);
		} else {
			free(tried);
		}
	}
	if (code == 0 && !*path) {
		err_hint(err, "heddle list --all lists all findings; a test that finds it again keeps new evidence");
		if (traces.count) {
			char *shown = text_terminal_copy(folder), *name = text_terminal_copy(traces.items[0]);
			code = err_set(err, ENOENT, "the evidence of H%" PRId64 " is gone: \"%s/%s\" does not exist",
				       id, shown, name);
			free(shown);
			free(name);
		} else {
			code = err_set(err, ENOENT, "there is no evidence of H%" PRId64, id);
		}
	}
	strings_release(&traces);
	return code;
}

static int note_found(void *context, const struct store_finding *finding)
{
	(void)finding;
	*(bool *)context = true;
	return 0;
}

int store_find_trace(const char *store_path, int64_t id, char **path, uint64_t *event, struct err *err)
{
	struct store *store;
	bool is_present = false;
	*path = NULL;
	*event = 0;
	int code = store_use(store_path, STORE_READ, &store, err);
	if (code < 0)
		return code;
	running_read(store_folder(store_path));
	code = store_list(store, &(struct store_filter){ .id = id }, note_found, &is_present, err);
	if (code == 0 && !is_present) {
		err_hint(err, "heddle list --all lists all findings");
		code = err_set(err, ENOENT, "there is no finding H%" PRId64, id);
	}
	if (code == 0)
		code = choose_trace(store, store_folder(store_path), id, path, event, err);
	store_close(store);
	return code;
}

/* The trace of the verdict that has that order; null: it is the recorded one, or there is none (is_recorded). */
static const char *trace_of_order(const struct store_verdict *verdict, enum store_order order, bool *is_recorded)
{
	*is_recorded = verdict->input               ? false
		       : order == STORE_ORDER_SHOWN ? !verdict->shown_trace
						    : verdict->shown_trace && verdict->is_other_shown;
	return order == STORE_ORDER_SHOWN ? verdict->shown_trace : verdict->other_trace;
}

static int no_other_order(int64_t id, const struct store_verdict *verdict, struct err *err)
{
	if (!verdict->class) {
		err_hint(err, "heddle classify H%" PRId64 " runs both orders of a data race", id);
		return err_set(err, ENOENT, "H%" PRId64 " was not classified, so there is no run with the other order",
			       id);
	}
	err_hint(err, "heddle show H%" PRId64, id);
	return err_set(err, ENOENT, "no run had the accesses of H%" PRId64 " in the other order", id);
}

int store_find_order(const char *store_path, int64_t id, enum store_order order, char **path, uint64_t *event,
		     char **input, char **marks, struct err *err)
{
	struct store_verdict verdict = { .class = NULL };
	struct store *store;
	bool is_recorded;
	int code = store_find_trace(store_path, id, path, event, err);
	if (code < 0 || order == STORE_ORDER_SEEN)
		return code;
	code = store_use(store_path, STORE_READ, &store, err);
	if (code == 0) {
		code = store_get_verdict(store, id, &verdict, err);
		/* A library was built anew since then: what was found with it is newer. */
		if (code == 0 && verdict.parts &&
		    !store_is_made_with(store, id, *path + strlen(store_folder(store_path)) + 1, verdict.parts))
			store_verdict_release(&verdict);
		store_close(store);
	}
	const char *trace = trace_of_order(&verdict, order, &is_recorded);
	if (code == 0 && !is_recorded) {
		char *other = trace ? mem_format("%s/%s", store_folder(store_path), trace) : NULL;
		if (other && access(other, F_OK) == 0) {
			free(*path);
			*path = other;
			*event = 0;
			*input = verdict.input ? mem_copy_string(verdict.input) : NULL;
			const char *places = order == STORE_ORDER_SHOWN ? verdict.shown_marks : verdict.other_marks;
			*marks = places ? mem_copy_string(places) : NULL;
		} else {
			free(other);
			code = order == STORE_ORDER_OTHER ? no_other_order(id, &verdict, err) : 0;
		}
	}
	store_verdict_release(&verdict);
	return code;
}

void store_add_site(void *finding, const struct store_place *place)
{
	finding_add_site(finding,
			 &(struct finding_site){
				 .file = place->file,
				 .function = place->function,
				 .variable = place->variable,
				 .line = place->is_near ? line_near((uint32_t)place->line) : (uint32_t)place->line,
				 .column = (uint32_t)place->column,
				 .thread = (uint32_t)place->thread,
				 .code = place->code,
			 });
}

static int keep_kind(void *context, const struct store_finding *stored)
{
	struct finding *finding = context;
	finding->identity.kind = kind_find(stored->kind);
	return 0;
}

int store_find_sites(const char *store_path, int64_t id, struct finding *finding, struct err *err)
{
	struct store *store;
	int code = store_use(store_path, STORE_READ, &store, err);
	if (code < 0)
		return code;
	code = store_list(store, &(struct store_filter){ .id = id }, keep_kind, finding, err);
	if (code == 0)
		code = store_places(store, id, store_add_site, finding, err);
	store_close(store);
	return code;
}
