/* replay_gdb.c: see replay_gdb.h. What gdb.py must know is in the environment of gdb; the program never sees that, since
 * it gets the environment of the trace. */
#include "cmd/replay_gdb.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/text.h"
#include "judge/outcome.h"
#include "trace/report.h"

static void set_text(const char *name, const char *value)
{
	char *variable = mem_format("HEDDLE_GDB_%s", name);
	setenv(variable, value, 1);
	free(variable);
}

static void set_number(const char *name, uint64_t value)
{
	char *text = mem_format("%" PRIu64, value);
	set_text(name, text);
	free(text);
}

/* What detection found in a run that ended well is what the trace is for: the access that met another one. */
static uint64_t find_event(const struct trace *recorded)
{
	struct report report;
	uint64_t event = 0;
	if (recorded->result.outcome != HEDDLE_OUTCOME_EXIT || !recorded->report.data)
		return 0;
	report_parse(&report, recorded->report.data, recorded->report.size);
	for (size_t i = 0; i < report.race_count; i++)
		if (!event || report.races[i].event < event)
			event = report.races[i].event;
	for (size_t i = 0; i < report.memory_count; i++)
		if (!event || report.memories[i].event < event)
			event = report.memories[i].event;
	report_release(&report);
	return event;
}

/* What detection found shows when the access is made. Between that and the event that announced it there may be events of other
 * threads, so there gdb waits for detection to come by, and not for an event. */
static void set_stops(const struct replay_gdb *settings)
{
	uint64_t found_at = settings->found_at;
	if (!found_at && !settings->stop_at && !settings->is_end)
		found_at = find_event(settings->recorded);
	set_number("STOP", settings->stop_at);
	set_number("FOUND", found_at);
}

static void set_result(const struct trace *recorded)
{
	const struct trace_result *result = &recorded->result;
	struct buf words = { 0 };
	outcome_words(&words, result);
	set_text("ENDS", words.data);
	set_number("OUTCOME", result->outcome);
	set_number("STATUS", (uint32_t)result->status);
	set_number("EVENTS", result->event_count);
	set_number("HASH", result->event_hash);
	set_number("OUTPUT", result->output_hash);
	buf_release(&words);
}

/* gdb reads the file that is executed, which for a script is its interpreter. Returns its path; caller frees. */
static char *executed_file(const char *program)
{
	char line[4096];
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd >= 0 ? read(fd, line, sizeof line - 1) : 0;
	if (fd >= 0)
		close(fd);
	line[size > 0 ? size : 0] = '\0';
	if (strncmp(line, "#!", 2) != 0)
		return mem_copy_string(program);
	char *start = line + 2 + strspn(line + 2, " \t");
	start[strcspn(start, " \t\r\n")] = '\0';
	return mem_copy_string(start);
}

/* It is read again at each start. */
static int find_trace(const char *path, char **real, struct err *err)
{
	struct stat status;
	*real = realpath(path, NULL);
	if (*real && stat(*real, &status) == 0 && S_ISREG(status.st_mode))
		return 0;
	char *shown = text_terminal_copy(path);
	err_set(err, EINVAL, "\"%s\" is not a regular file: gdb reads the trace at each start", shown);
	free(shown);
	return -EINVAL;
}

static int find_extension(char **extension, struct err *err)
{
	*extension = proc_own_file("gdb.py");
	if (access(*extension, R_OK) == 0)
		return 0;
	err_hint(err, "reinstall Heddle; gdb.py belongs in lib/heddle next to bin");
	return err_set(err, errno, "cannot read \"%s\": %s", *extension, strerror(errno));
}

static int find_gdb(struct err *err)
{
	if (proc_find("gdb"))
		return 0;
	err_hint(err, "install the package gdb, or add gdb to PATH");
	return err_set(err, ENOENT, "cannot find gdb");
}

static int become_gdb(const char *extension, char *file, char **arguments, struct err *err)
{
	struct strings words = { 0 };
	strings_add(&words, "gdb");
	strings_add(&words, "-q");
	strings_add(&words, "-x");
	strings_add(&words, extension);
	strings_add(&words, file);
	for (; *arguments; arguments++)
		strings_add(&words, *arguments);
	execvp("gdb", words.items);
	strings_release(&words);
	return err_set(err, errno, "cannot run gdb: %s", strerror(errno));
}

int replay_gdb(const struct replay_gdb *settings, struct err *err)
{
	char *trace = NULL, *extension = NULL, *own = realpath("/proc/self/exe", NULL);
	int code = find_gdb(err);
	if (code == 0)
		code = find_trace(settings->path, &trace, err);
	if (code == 0)
		code = find_extension(&extension, err);
	if (code == 0 && !own)
		code = err_set(err, errno, "cannot find a file of Heddle: %s", strerror(errno));
	if (code == 0) {
		char *file = executed_file(settings->recorded->program);
		set_text("COMMAND", own);
		set_text("TRACE", trace);
		set_number("HANG", settings->hang_seconds);
		set_number("TRUST", settings->is_trusted);
		set_result(settings->recorded);
		set_stops(settings);
		/* It starts the program by a shell; the user's may read files of its own first. */
		setenv("SHELL", "/bin/sh", 1);
		code = become_gdb(extension, file, settings->arguments, err);
		free(file);
	}
	free(trace);
	free(extension);
	free(own);
	return code;
}
