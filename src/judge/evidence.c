/* evidence.c: see evidence.h. */
#include "judge/evidence.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "judge/outcome.h"
#include "symbols/identity.h"

static const char *store_folder_used;
static int64_t mark_used;

static int make_folder(const char *path, struct err *err)
{
	struct stat status;
	if (mkdir(path, 0777) == 0)
		return 0;
	int code = errno;
	if (code == EEXIST && (stat(path, &status) < 0 || S_ISDIR(status.st_mode)))
		return 0;
	char *shown = text_terminal_copy(path);
	err_hint(err, "run heddle test in a writable directory, or name one with --store: findings are kept there");
	err_set(err, code, "cannot create the directory \"%s\": %s", shown, strerror(code));
	free(shown);
	return -code;
}

int evidence_start(const char *store, struct err *err)
{
	store_folder_used = store;
	char *evidence = mem_format("%s/" EVIDENCE_FOLDER, store);
	int code = make_folder(store, err);
	if (code == 0)
		code = make_folder(evidence, err);
	free(evidence);
	return code;
}

void evidence_set_mark(int64_t mark)
{
	mark_used = mark;
}

char *evidence_path(const char *name)
{
	return mem_format("%s/" EVIDENCE_FOLDER "/%s", store_folder_used, name);
}

const char *evidence_in_store(const char *path)
{
	return path + strlen(store_folder_used) + 1;
}

char *evidence_of_store(const char *trace)
{
	return mem_format("%s/%s", store_folder_used, trace);
}

static void release_builds(struct trace *trace)
{
	for (size_t i = 0; i < trace->build_count; i++)
		free(trace->builds[i].path);
	free(trace->builds);
}

char *evidence_program(const struct trace *start)
{
	struct trace builds = { .log_fd = -1 };
	struct buf out = { 0 };
	identity_add(&builds, start->program);
	for (size_t i = 0; i < builds.build_count; i++)
		for (uint32_t at = 0; at < builds.builds[i].id_size; at++)
			buf_format(&out, "%02x", builds.builds[i].id[at]);
	release_builds(&builds);
	for (size_t i = 1; i < start->arguments.count; i++)
		buf_format(&out, "\n%s", start->arguments.items[i]);
	char *program = mem_copy_string(out.data ? out.data : "");
	buf_release(&out);
	return program;
}

static char *path_of(const struct finding *finding, const char *suffix)
{
	return mem_format("%s/" EVIDENCE_FOLDER "/%s.%" PRId64 "%s.trace", store_folder_used, finding->identity.name,
			  mark_used, suffix);
}

/* parts: gets what the trace was made with; null: not wanted. */
static int write_trace(const char *path, const struct campaign_run *run, const struct trace *start, bool is_open,
		       char *parts, struct err *err)
{
	/* Shares how the program was started with the campaign; has the rest for itself. */
	struct trace trace = *start;
	trace.request = run->request;
	trace.result = run->result;
	trace.builds = NULL;
	trace.build_count = 0;
	trace.report = (struct buf){ 0 };
	control_report(run->control, &trace.report);
	if (is_open)
		outcome_add_open(&trace.report);
	int code = control_lend_log(run->control, &trace, err);
	if (code == 0) {
		identity_add_program(&trace);
		identity_add_modules(&trace);
		code = trace_write(path, &trace, err);
	}
	if (code == 0 && parts)
		identity_digest(&trace, parts);
	release_builds(&trace);
	buf_release(&trace.report);
	return code;
}

int evidence_keep(struct finding *finding, const struct campaign_run *run, const struct trace *start, bool is_reduced,
		  bool is_open, struct err *err)
{
	char *path = path_of(finding, is_reduced ? ".reduced" : "");
	int code = write_trace(path, run, start, is_open, finding->evidence.parts, err);
	if (code == 0)
		finding->evidence.trace = mem_copy_string(path);
	free(path);
	return code;
}

int evidence_keep_as(const struct finding *finding, const struct campaign_run *run, const struct trace *start,
		     const char *suffix, char **path, struct err *err)
{
	char *made = path_of(finding, suffix);
	int code = write_trace(made, run, start, false, NULL, err);
	free(code == 0 ? *path : made);
	if (code == 0)
		*path = made;
	return code;
}

int evidence_share(struct finding *finding, const struct finding *other)
{
	char *path = path_of(finding, "");
	int code = link(other->evidence.trace, path) == 0 ? 0 : -errno;
	if (code == 0) {
		finding->evidence.trace = mem_copy_string(path);
		memcpy(finding->evidence.parts, other->evidence.parts, sizeof finding->evidence.parts);
	}
	free(path);
	return code;
}

static void set_trace(struct finding *finding, const char *path)
{
	free(finding->evidence.trace);
	finding->evidence.trace = mem_copy_string(path);
}

int evidence_copy(struct finding *finding, const char *trace, struct err *err)
{
	char *path = path_of(finding, ""), bytes[16384];
	const int from = open(trace, O_RDONLY | O_CLOEXEC);
	const int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ssize_t size = from < 0 || to < 0 ? -1 : 0;
	while (size >= 0 && (size = read(from, bytes, sizeof bytes)) > 0)
		size = write(to, bytes, (size_t)size) == size ? size : -1;
	const int code = size < 0 ? err_set(err, errno, "it cannot be copied to the store: %s", strerror(errno)) : 0;
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	if (code < 0)
		unlink(path);
	else
		set_trace(finding, path);
	free(path);
	return code;
}

void evidence_rename(struct finding *finding)
{
	char *path = path_of(finding, "");
	if (finding->evidence.trace && strcmp(path, finding->evidence.trace) != 0 &&
	    rename(finding->evidence.trace, path) == 0) {
		free(finding->evidence.trace);
		finding->evidence.trace = mem_copy_string(path);
	}
	free(path);
}

void evidence_drop(struct finding *finding)
{
	if (finding->evidence.trace)
		unlink(finding->evidence.trace);
	free(finding->evidence.trace);
	finding->evidence.trace = NULL;
}
