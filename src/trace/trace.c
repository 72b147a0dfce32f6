/* trace.c: see trace.h. */
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "base/variables.h"
#include "heddle/abi.h"
#include "trace/place.h"
#include "trace/section.h"
#include "trace/wire.h"

#define SMALL_LIMIT ((uint64_t)64 << 20)
/* Parsing a report takes more than linear time; the runtime has less room than this. */
#define REPORT_LIMIT ((uint64_t)1 << 20)
#define LOG_LIMIT ((uint64_t)1 << 40)
/* A larger log does not go into memory. */
#define LOG_MEMORY ((uint64_t)64 << 20)

void trace_init(struct trace *trace)
{
	*trace = (struct trace){ .log_fd = -1 };
}

void trace_free(struct trace *trace)
{
	for (size_t i = 0; i < trace->build_count; i++)
		free(trace->builds[i].path);
	free(trace->builds);
	free(trace->program);
	free(trace->folder);
	free(trace->options);
	strings_release(&trace->arguments);
	strings_release(&trace->environment);
	buf_release(&trace->report);
	if (trace->log_fd >= 0)
		close(trace->log_fd);
	trace_init(trace);
}

struct trace_build *trace_add_build(struct trace *trace, const char *path)
{
	trace->builds = mem_resize(trace->builds, (trace->build_count + 1) * sizeof *trace->builds);
	struct trace_build *build = &trace->builds[trace->build_count++];
	*build = (struct trace_build){ .path = mem_copy_string(path) };
	return build;
}

static void pack_start(struct buf *out, const struct trace *trace)
{
	wire_add_string(out, trace->program);
	wire_add_strings(out, &trace->arguments);
	wire_add_strings(out, &trace->environment);
	wire_add_string(out, trace->folder);
	wire_add_string(out, trace->options);
	wire_add_number(out, trace->own_bytes);
	wire_add_number(out, trace->stack_limit);
	wire_add_number(out, trace->descriptor_limit);
}

static void unpack_start(struct wire *wire, struct trace *trace)
{
	trace->program = wire_string(wire);
	wire_strings(wire, &trace->arguments);
	wire_strings(wire, &trace->environment);
	trace->folder = wire_string(wire);
	trace->options = wire_string(wire);
	trace->own_bytes = wire_number(wire);
	trace->stack_limit = wire_number(wire);
	trace->descriptor_limit = wire_number(wire);
	if (!trace->program[0] || trace->arguments.count == 0)
		wire->is_bad = true;
}

static void pack_request(struct buf *out, const struct trace *trace)
{
	const struct trace_request *request = &trace->request;
	const uint64_t numbers[] = { request->strategy, request->flags,        request->seed,   request->depth,
				     request->length,   request->event_budget, request->date_ns };
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		wire_add_number(out, numbers[i]);
}

/* What a trace may ask of the runtime; the caller of a replay decides the rest. */
#define FLAGS_KNOWN                                                                                                    \
	((uint32_t)HEDDLE_CONTROL_REAL_DATE | HEDDLE_CONTROL_DETECT | HEDDLE_CONTROL_EARLY | HEDDLE_CONTROL_AUDIT |    \
	 HEDDLE_CONTROL_ONWARD)

static void unpack_request(struct wire *wire, struct trace *trace)
{
	struct trace_request *request = &trace->request;
	request->strategy = wire_number32(wire);
	request->flags = wire_number32(wire);
	request->seed = wire_number(wire);
	request->depth = wire_number(wire);
	request->length = wire_number(wire);
	request->event_budget = wire_number(wire);
	request->date_ns = wire_number(wire);
	if (request->strategy >= HEDDLE_STRATEGY_COUNT || request->flags & ~FLAGS_KNOWN)
		wire->is_bad = true;
}

static void pack_result(struct buf *out, const struct trace *trace)
{
	const struct trace_result *result = &trace->result;
	const uint64_t numbers[] = { result->outcome,      (uint32_t)result->status, (uint32_t)result->wait_status,
				     result->thread_count, result->event_count,      result->switch_count,
				     result->event_hash,   result->output_hash };
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		wire_add_number(out, numbers[i]);
}

/* The replay of a run that was ended from outside ends as that run did; a signal that only stops processes would not
 * end it. */
static bool is_end(int32_t wait_status)
{
	int number = WTERMSIG(wait_status);
	if ((uint32_t)wait_status > UINT16_MAX)
		return false;
	return WIFEXITED(wait_status) || (WIFSIGNALED(wait_status) && number < NSIG && number != SIGSTOP &&
					  number != SIGTSTP && number != SIGTTIN && number != SIGTTOU);
}

static void unpack_result(struct wire *wire, struct trace *trace)
{
	struct trace_result *result = &trace->result;
	result->outcome = wire_number32(wire);
	result->status = (int32_t)wire_number32(wire);
	result->wait_status = (int32_t)wire_number32(wire);
	result->thread_count = wire_number32(wire);
	result->event_count = wire_number(wire);
	result->switch_count = wire_number(wire);
	result->event_hash = wire_number(wire);
	result->output_hash = wire_number(wire);
	const bool is_known =
		result->outcome <= HEDDLE_OUTCOME_LOG_FAILED || result->outcome == HEDDLE_OUTCOME_UNANSWERED;
	if (!is_known || !is_end(result->wait_status))
		wire->is_bad = true;
}

static void pack_builds(struct buf *out, const struct trace *trace)
{
	wire_add_number(out, trace->build_count);
	for (size_t i = 0; i < trace->build_count; i++) {
		const struct trace_build *build = &trace->builds[i];
		wire_add_string(out, build->path);
		wire_add_number(out, build->size_bytes);
		wire_add_number(out, build->identity);
		wire_add_block(out, build->id, build->id_size);
	}
}

static void unpack_builds(struct wire *wire, struct trace *trace)
{
	for (uint64_t count = wire_number(wire); count && !wire->is_bad; count--) {
		char *path = wire_string(wire);
		struct trace_build *build = trace_add_build(trace, path);
		size_t size;
		free(path);
		build->size_bytes = wire_number(wire);
		build->identity = wire_number32(wire);
		const void *id = wire_block(wire, &size);
		if (size > sizeof build->id)
			wire->is_bad = true;
		else
			memcpy(build->id, id, build->id_size = (uint32_t)size);
	}
}

static void pack_report(struct buf *out, const struct trace *trace)
{
	buf_add(out, trace->report.data ? trace->report.data : "", trace->report.size);
}

static void unpack_report(struct wire *wire, struct trace *trace)
{
	buf_add(&trace->report, wire->at, (size_t)(wire->end - wire->at));
	wire->at = wire->end;
}

static const struct part {
	enum section_kind kind;
	void (*pack)(struct buf *out, const struct trace *trace);
	void (*unpack)(struct wire *wire, struct trace *trace);
} parts[] = {
	{ SECTION_START, pack_start, unpack_start },    { SECTION_REQUEST, pack_request, unpack_request },
	{ SECTION_RESULT, pack_result, unpack_result }, { SECTION_BUILDS, pack_builds, unpack_builds },
	{ SECTION_REPORT, pack_report, unpack_report },
};

#define PART_COUNT (sizeof parts / sizeof *parts)

struct cursor {
	const struct trace *trace;
	const struct buf *bytes;
	uint64_t at;
};

static int64_t from_bytes(void *context, void *bytes, size_t room, struct err *err)
{
	struct cursor *cursor = context;
	size_t left = cursor->bytes->size - (size_t)cursor->at, take = left < room ? left : room;
	(void)err;
	if (take)
		memcpy(bytes, cursor->bytes->data + cursor->at, take);
	cursor->at += take;
	return (int64_t)take;
}

static int64_t from_log(void *context, void *bytes, size_t room, struct err *err)
{
	struct cursor *cursor = context;
	const struct trace *trace = cursor->trace;
	if (cursor->at < trace->log_bytes) {
		uint64_t left = trace->log_bytes - cursor->at;
		ssize_t got = pread(trace->log_fd, bytes, left < room ? left : room, (off_t)cursor->at);
		if (got <= 0)
			return err_set(err, got < 0 ? errno : EIO, "cannot read the log of the run: %s",
				       got < 0 ? strerror(errno) : "it is shorter than declared");
		cursor->at += (uint64_t)got;
		return got;
	}
	size_t done = (size_t)(cursor->at - trace->log_bytes), left = trace->tail_bytes - done;
	size_t take = left < room ? left : room;
	if (take)
		memcpy(bytes, (const char *)trace->tail + done, take);
	cursor->at += take;
	return (int64_t)take;
}

static int write_sections(struct section_file *file, const struct trace *trace, struct err *err)
{
	int code = section_write_head(file, err);
	for (size_t i = 0; i < PART_COUNT && code == 0; i++) {
		struct buf bytes = { 0 };
		parts[i].pack(&bytes, trace);
		struct cursor cursor = { .bytes = &bytes };
		if (bytes.size > SMALL_LIMIT)
			code = err_set(err, E2BIG, "cannot write the trace \"%s\": its environment is too large",
				       file->path);
		else
			code = section_write(file, parts[i].kind, bytes.size, from_bytes, &cursor, err);
		buf_release(&bytes);
	}
	struct cursor cursor = { .trace = trace };
	if (code == 0)
		code = section_write(file, SECTION_LOG, trace->log_bytes + trace->tail_bytes, from_log, &cursor, err);
	if (code == 0)
		code = section_write_seal(file, err);
	return code == 0 ? section_write(file, SECTION_END, 0, NULL, NULL, err) : code;
}

int trace_write(const char *path, const struct trace *trace, struct err *err)
{
	struct place place;
	int code = place_open(&place, path, err);
	if (code < 0)
		return code;
	struct section_file file = { .fd = place.fd, .path = path };
	code = write_sections(&file, trace, err);
	if (code == 0)
		return place_keep(&place, err);
	place_drop(&place);
	return code;
}

int trace_scratch(const char *path, struct err *err)
{
	return place_scratch(path, err);
}

/* The log's own file is chosen by what has come so far, not by what the header claims. */
static int64_t to_log(void *context, const void *bytes, size_t size_bytes, struct err *err)
{
	struct trace *trace = context;
	if (trace->log_bytes <= LOG_MEMORY && trace->log_bytes + size_bytes > LOG_MEMORY) {
		int fd = place_spill(trace->log_fd, trace->log_bytes, err);
		if (fd < 0)
			return fd;
		close(trace->log_fd);
		trace->log_fd = fd;
	}
	while (size_bytes) {
		ssize_t put = pwrite(trace->log_fd, bytes, size_bytes, (off_t)trace->log_bytes);
		if (put < 0 && errno != EINTR) {
			err_hint(err, "set TMPDIR to a directory with enough space");
			return err_set(err, errno, "cannot unpack the log of the trace: %s", strerror(errno));
		}
		if (put > 0) {
			bytes = (const char *)bytes + put;
			size_bytes -= (size_t)put;
			trace->log_bytes += (uint64_t)put;
		}
	}
	return 0;
}

/* What trace_accept accepted. */
static struct {
	bool is_present;
	uint8_t mark[SEAL_SIZE];
} accepted;

static bool is_accepted(const struct trace *trace)
{
	return accepted.is_present && seal_is_same(trace->mark, accepted.mark);
}

/* By these the dynamic loader and libc load code or data from places that the environment names. */
static bool is_loader_variable(const char *entry)
{
	static const char *const names[] = { "GCONV_PATH", "GETCONF_DIR", "GLIBC_TUNABLES", "HOSTALIASES",
					     "LOCPATH",    "NLSPATH",     "MALLOC_TRACE",   NULL };
	return strncmp(entry, "LD_", 3) == 0 || variable_is_among(entry, names);
}

/* Options of the runtime that read and write no file: which functions are switched, by patterns, which calls are skipped, and
 * verbose. */
static bool is_plain_option(const char *options)
{
	while (*options) {
		size_t size = strcspn(options, ":");
		bool is_switch = strncmp(options, "switch=", 7) == 0, is_verbose = strncmp(options, "verbose=", 8) == 0;
		bool is_without = strncmp(options, "without=", 8) == 0;
		if (size && ((!is_switch && !is_verbose && !is_without) || memchr(options, '@', size) ||
			     memchr(options, '\\', size)))
			return false;
		options += size;
		options += *options == ':';
	}
	return true;
}

bool trace_is_hypothetical(const struct trace *trace)
{
	const char *at = trace->options ? strstr(trace->options, ":without=") : NULL;
	return at && (at == trace->options || at[-1] != '\\');
}

static int refuse(const char *what, const char *value, struct err *err)
{
	char *shown = text_terminal_copy(value);
	err_hint(err, "record it again here: heddle run --trace FILE -- PROGRAM");
	err_set(err, EPERM, "the trace is from elsewhere and %s \"%s\": it is not replayed, even with --trust", what,
		shown);
	free(shown);
	return -EPERM;
}

int trace_accept(struct trace *trace, struct err *err)
{
	if (!trace->is_foreign)
		return 0;
	for (size_t i = 0; i < trace->environment.count; i++)
		if (is_loader_variable(trace->environment.items[i]))
			return refuse("sets", trace->environment.items[i], err);
	if (trace->program[0] != '/')
		return refuse("has a program with a relative path:", trace->program, err);
	if (trace->folder[0] != '/')
		return refuse("has a relative working directory:", trace->folder, err);
	if (!is_plain_option(trace->options))
		return refuse("has options for the runtime that name files:", trace->options, err);
	for (size_t i = 0; i < trace->build_count; i++)
		if (trace->builds[i].path[0] != '/' && strcmp(trace->builds[i].path, "libheddle.so") != 0)
			return refuse("has a file with a relative path:", trace->builds[i].path, err);
	accepted.is_present = true;
	memcpy(accepted.mark, trace->mark, sizeof accepted.mark);
	trace->is_foreign = false;
	return 0;
}

static int read_sections(struct section_file *file, struct trace *trace, struct err *err)
{
	int code = section_read_head(file, err);
	for (size_t i = 0; i < PART_COUNT && code == 0; i++) {
		struct buf bytes = { 0 };
		uint64_t limit = parts[i].kind == SECTION_REPORT ? REPORT_LIMIT : SMALL_LIMIT;
		code = section_read(file, parts[i].kind, limit, section_to_buf, &bytes, err);
		if (code == 0) {
			struct wire wire = wire_from(&bytes);
			parts[i].unpack(&wire, trace);
			if (!wire_is_done(&wire))
				code = section_damaged(file, parts[i].kind, "is invalid", err);
		}
		buf_release(&bytes);
	}
	if (code < 0)
		return code;
	trace->log_fd = memfd_create("heddle-log", MFD_CLOEXEC);
	if (trace->log_fd < 0)
		return err_set(err, errno, "cannot unpack the log of the trace: %s", strerror(errno));
	code = section_read(file, SECTION_LOG, LOG_LIMIT, to_log, trace, err);
	bool is_own = false;
	if (code == 0)
		code = section_read_seal(file, trace->mark, &is_own, err);
	trace->is_foreign = !is_own && !is_accepted(trace);
	return code == 0 ? section_read_end(file, err) : code;
}

int trace_read(const char *path, struct trace *trace, struct err *err)
{
	struct section_file file = { .path = path };
	int code = place_open_existing(path, &file.fd, err);
	if (code < 0)
		return code;
	code = read_sections(&file, trace, err);
	close(file.fd);
	return code;
}
