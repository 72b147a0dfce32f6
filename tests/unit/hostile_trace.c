/*
 * hostile_trace.c: makes traces that are whole and say what no run says, for tests/cli/hostile.t. Checksums and sizes are
 * right, so that what stands behind them is reached.
 *   hostile_trace FROM TO SEED             changes what the seed says; prints what it changed
 *   hostile_trace FROM TO NAME=VALUE...    changes that
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "trace/trace.h"

static uint64_t state;

static uint64_t below(uint64_t limit)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % limit;
}

static uint64_t strange_number(uint64_t was)
{
	static const uint64_t numbers[] = { 0,          1,         2,          7,          255,
					    4096,       INT32_MAX, 1u << 31,   UINT32_MAX, 1ull << 32,
					    1ull << 40, INT64_MAX, 1ull << 63, UINT64_MAX };
	switch (below(4)) {
	case 0:
		return was + 1;
	case 1:
		return was ^ 1ull << below(64);
	default:
		return numbers[below(sizeof numbers / sizeof *numbers)];
	}
}

static void change_number(uint64_t *number, const char *what)
{
	*number = strange_number(*number);
	printf("%s=%" PRIu64 " ", what, *number);
}

static void change_number32(uint32_t *number, const char *what)
{
	*number = (uint32_t)strange_number(*number);
	printf("%s=%" PRIu32 " ", what, *number);
}

static char *strange_text(void)
{
	static const char *const texts[] = { "",
					     "/",
					     ".",
					     "%s%n%s",
					     "\033[31m\033]0;x\a",
					     "\xff\xfe",
					     "../../../../x",
					     "-",
					     "a b\nnote c\n",
					     "/proc/self/mem",
					     "/dev/zero",
					     "switch=all",
					     "=",
					     "A" };
	size_t choice = below(sizeof texts / sizeof *texts + 1);
	if (choice < sizeof texts / sizeof *texts)
		return mem_copy_string(texts[choice]);
	char *text = mem_alloc(200001);
	memset(text, 'x', 200000);
	return text;
}

static void change_text(char **text, const char *what)
{
	free(*text);
	*text = strange_text();
	printf("%s=%.20s ", what, *text);
}

static void change_start(struct trace *trace)
{
	char *text = strange_text();
	switch (below(8)) {
	case 0:
		change_text(&trace->program, "program");
		break;
	case 1:
		strings_add(&trace->arguments, text);
		printf("argument ");
		break;
	case 2:
		strings_add(&trace->environment, text);
		printf("variable ");
		break;
	case 3:
		change_text(&trace->folder, "folder");
		break;
	case 4:
		change_text(&trace->options, "options");
		break;
	case 5:
		change_number(&trace->own_bytes, "own");
		break;
	case 6:
		change_number(&trace->stack_limit, "stack");
		break;
	default:
		change_number(&trace->descriptor_limit, "descriptors");
	}
	free(text);
}

static void change_request(struct trace *trace)
{
	struct trace_request *request = &trace->request;
	uint64_t *const numbers[] = { &request->seed, &request->depth, &request->length, &request->event_budget, &request->date_ns };
	static const char *const names[] = { "seed", "depth", "length", "budget", "date" };
	size_t choice = below(7);
	if (choice == 5)
		change_number32(&request->strategy, "strategy");
	else if (choice == 6)
		change_number32(&request->flags, "flags");
	else
		change_number(numbers[choice], names[choice]);
}

static void change_result(struct trace *trace)
{
	struct trace_result *result = &trace->result;
	uint64_t *const numbers[] = { &result->event_count, &result->switch_count, &result->event_hash,
				      &result->output_hash };
	static const char *const names[] = { "events", "switches", "event-hash", "output-hash" };
	size_t choice = below(8);
	if (choice < 4) {
		change_number(numbers[choice], names[choice]);
	} else if (choice == 4) {
		result->outcome = below(2) ? (uint32_t)below(12) : (uint32_t)strange_number(result->outcome);
		printf("outcome=%u ", result->outcome);
	} else if (choice == 5) {
		change_number32((uint32_t *)&result->status, "status");
	} else if (choice == 6) {
		result->outcome = below(2) ? 0 : result->outcome;
		result->wait_status = below(2) ? (int32_t)below(256) : (int32_t)strange_number(0);
		printf("outcome=%u wait-status=%d ", result->outcome, result->wait_status);
	} else {
		change_number32(&result->thread_count, "threads");
	}
}

static void change_builds(struct trace *trace)
{
	size_t index = trace->build_count ? below(trace->build_count) : 0;
	struct trace_build *build = trace->build_count ? &trace->builds[index] : trace_add_build(trace, "x");
	switch (below(5)) {
	case 0:
		change_text(&build->path, "build");
		break;
	case 1:
		change_number(&build->size_bytes, "build-size");
		break;
	case 2:
		change_number32(&build->identity, "identity");
		break;
	case 3:
		build->id_size = (uint32_t)below(sizeof build->id + 1);
		printf("id-size=%u ", build->id_size);
		break;
	default:
		free(trace->builds[--trace->build_count].path);
		printf("fewer-builds ");
	}
}

/* Lines of the report: numbers that are too large, lines twice, in another place, cut, and bytes. */
static void change_bytes(struct buf *bytes)
{
	static const char *const words[] = { "ffffffffffffffff",
					     "0",
					     "18446744073709551616",
					     "-1",
					     "4294967295",
					     "\n",
					     " ",
					     "",
					     "stack",
					     "waits",
					     "at",
					     "module",
					     "thread",
					     "race",
					     "memory",
					     "order",
					     "7fffffffffffffff" };
	for (uint64_t times = 1 + below(3); times && bytes->size; times--) {
		size_t at = below(bytes->size);
		size_t size = below(bytes->size - at) % 300;
		struct buf out = { 0 };
		buf_add(&out, bytes->data, at);
		switch (below(5)) {
		case 0:
			buf_add(&out, &(unsigned char){ (unsigned char)below(256) }, 1);
			size = 1;
			break;
		case 1: { /* another word */
			while (at < bytes->size && bytes->data[at] != ' ' && bytes->data[at] != '\n')
				buf_add(&out, &bytes->data[at++], 1);
			buf_add(&out, at < bytes->size ? &bytes->data[at++] : " ", 1);
			buf_add_string(&out, words[below(sizeof words / sizeof *words)]);
			size = 0;
			while (at + size < bytes->size && bytes->data[at + size] != ' ' &&
			       bytes->data[at + size] != '\n')
				size++;
			break;
		}
		case 2: /* twice */
			buf_add(&out, bytes->data + at, size);
			size = 0;
			break;
		case 3: { /* something from elsewhere */
			size_t from = below(bytes->size);
			buf_add(&out, bytes->data + from, size < bytes->size - from ? size : bytes->size - from);
			break;
		}
		default: /* nothing */
			break;
		}
		if (at + size < bytes->size)
			buf_add(&out, bytes->data + at + size, bytes->size - at - size);
		printf("at %zu ", at);
		buf_release(bytes);
		*bytes = out;
	}
}

static void change_log(struct trace *trace)
{
	struct buf bytes = { 0 };
	char chunk[65536];
	ssize_t got;
	for (uint64_t at = 0; (got = pread(trace->log_fd, chunk, sizeof chunk, (off_t)at)) > 0; at += (uint64_t)got)
		buf_add(&bytes, chunk, (size_t)got);
	printf("log: ");
	if (below(4)) {
		for (uint64_t times = 1 + below(4); times && bytes.size; times--) {
			static const unsigned char values[] = { 0, 1, 2, 0x7f, 0x80, 0xff };
			size_t at = below(bytes.size);
			bytes.data[at] = (char)(below(2) ? values[below(sizeof values)] : below(256));
			printf("at %zu ", at);
		}
	} else {
		change_bytes(&bytes);
	}
	close(trace->log_fd);
	trace->log_fd = memfd_create("log", MFD_CLOEXEC);
	trace->log_bytes = bytes.size;
	if (bytes.size && write(trace->log_fd, bytes.data, bytes.size) != (ssize_t)bytes.size)
		exit(3);
	buf_release(&bytes);
}

static void change_at_random(struct trace *trace)
{
	for (uint64_t times = 1 + below(2); times; times--)
		switch (below(10)) {
		case 0:
			change_start(trace);
			break;
		case 1:
			change_request(trace);
			break;
		case 2:
		case 3:
			change_result(trace);
			break;
		case 4:
			change_builds(trace);
			break;
		case 5:
			printf("report: ");
			change_bytes(&trace->report);
			break;
		default:
			change_log(trace);
		}
	printf("\n");
}

static bool change_named(struct trace *trace, const char *change)
{
	const char *value = strchr(change, '=');
	size_t size = value ? (size_t)(value - change) : 0;
	uint64_t number = value ? strtoull(value + 1, NULL, 10) : 0;
	const struct {
		const char *name;
		uint32_t *number;
	} numbers[] = { { "outcome", &trace->result.outcome },
			{ "wait-status", (uint32_t *)&trace->result.wait_status },
			{ "flags", &trace->request.flags },
			{ "strategy", &trace->request.strategy } };
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (strlen(numbers[i].name) == size && memcmp(change, numbers[i].name, size) == 0) {
			*numbers[i].number = (uint32_t)number;
			return true;
		}
	const struct {
		const char *name;
		char **text;
	} texts[] = { { "program", &trace->program }, { "folder", &trace->folder }, { "options", &trace->options } };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (strlen(texts[i].name) == size && memcmp(change, texts[i].name, size) == 0) {
			free(*texts[i].text);
			*texts[i].text = mem_copy_string(value + 1);
			return true;
		}
	if (strncmp(change, "stack=", 6) == 0)
		trace->stack_limit = number;
	else if (strncmp(change, "log-bytes=", 10) == 0)
		trace->log_bytes = number;
	else if (strncmp(change, "log-byte=", 9) == 0) /* becomes a record of an unknown kind */
		return pwrite(trace->log_fd, "\377", 1, (off_t)number) == 1;
	else if (strncmp(change, "build=", 6) == 0)
		trace_add_build(trace, value + 1);
	else if (strncmp(change, "variable=", 9) == 0)
		strings_add(&trace->environment, value + 1);
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	struct trace trace;
	struct err err = ERR_INIT;
	trace_init(&trace);
	if (argc < 4)
		return 2;
	int code = trace_read(argv[1], &trace, &err);
	bool is_random = !strchr(argv[3], '=');
	state = strtoull(argv[3], NULL, 10) * 2654435769u + 1;
	below(2);
	if (code == 0 && is_random)
		change_at_random(&trace);
	for (int i = 3; i < argc && code == 0 && !is_random; i++)
		if (!change_named(&trace, argv[i]))
			return 2;
	if (code == 0)
		code = trace_write(argv[2], &trace, &err);
	if (code < 0)
		err_print(&err, "hostile_trace");
	trace_free(&trace);
	return code < 0 ? 3 : 0;
}
