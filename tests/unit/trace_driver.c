/*
 * trace_driver.c: src/trace by itself, for tests/unit/trace.t.
 *   write FILE [LOG-BYTES]   a trace with something in every field
 *   read FILE                prints what it says
 *   report FILE              the report, as it is
 *   events FILE              the file as a stream of events
 *   seal TEXT                the mark of the text, with the user's key
 *   own FILE                 whether this user's Heddle made it
 *   fuzz FILE COUNT SEED     reads COUNT variants of it, cut or changed; prints how many were refused
 */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/proc.h"
#include "trace/events.h"
#include "trace/trace.h"

static void fill_log(struct trace *trace, uint64_t size_bytes)
{
	static unsigned char tail[1000];
	unsigned char chunk[4096];
	uint64_t state = 1;
	char path[] = "/tmp/heddle-test-XXXXXX";
	trace->log_fd = mkostemp(path, O_CLOEXEC);
	unlink(path);
	while (trace->log_bytes < size_bytes) {
		for (size_t i = 0; i < sizeof chunk; i++)
			chunk[i] = (unsigned char)((state = state * 6364136223846793005u + 1442695040888963407u) >> 60);
		uint64_t left = size_bytes - trace->log_bytes;
		ssize_t put = write(trace->log_fd, chunk, left < sizeof chunk ? left : sizeof chunk);
		if (put <= 0)
			exit(3);
		trace->log_bytes += (uint64_t)put;
	}
	memset(tail, 'T', sizeof tail);
	trace->tail = tail;
	trace->tail_bytes = sizeof tail;
}

static void fill(struct trace *trace, uint64_t log_bytes)
{
	struct trace_build *build;
	trace->program = mem_copy_string("./prog");
	strings_add(&trace->arguments, "prog");
	strings_add(&trace->arguments, "");
	strings_add(&trace->arguments, "two words\n");
	strings_add(&trace->environment, "A=1");
	strings_add(&trace->environment, "EMPTY=");
	trace->folder = mem_copy_string("/somewhere");
	trace->options = mem_copy_string("switch=all");
	trace->own_bytes = 4096;
	trace->stack_limit = UINT64_MAX;
	trace->descriptor_limit = 1024;
	trace->request = (struct trace_request){ 1, 16, UINT64_MAX, 3, 100, 1000, 42 };
	trace->result = (struct trace_result){ 2, -6, 6, 4, 132, 14, 0x89abcdef01234567u, 7 };
	for (unsigned i = 0; i < 3; i++) {
		build = trace_add_build(trace, i == 0 ? "/bin/prog" : i == 1 ? "/lib/libc.so.6" : "/lib/none");
		build->size_bytes = i;
		build->identity = i == 1 ? TRACE_BUILD_ID : TRACE_CONTENT;
		build->id_size = i * 16;
		memset(build->id, (int)i, build->id_size);
	}
	buf_add_string(&trace->report, "note hello\nthread 1 running main\n");
	fill_log(trace, log_bytes);
}

static void print_id(const uint8_t *id, size_t size)
{
	for (size_t i = 0; i < size; i++)
		printf("%02x", id[i]);
	printf("\n");
}

static void print(const struct trace *trace)
{
	struct hash hash;
	uint8_t id[16];
	printf("program %s\n", trace->program);
	for (size_t i = 0; i < trace->arguments.count; i++)
		printf("argument [%s]\n", trace->arguments.items[i]);
	for (size_t i = 0; i < trace->environment.count; i++)
		printf("variable [%s]\n", trace->environment.items[i]);
	printf("folder %s\noptions %s\n", trace->folder, trace->options);
	printf("own %" PRIu64 " stack %" PRIu64 " descriptors %" PRIu64 "\n", trace->own_bytes, trace->stack_limit,
	       trace->descriptor_limit);
	printf("ask %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", trace->request.strategy,
	       trace->request.flags, trace->request.seed, trace->request.depth, trace->request.length, trace->request.event_budget,
	       trace->request.date_ns);
	printf("result %u %d %d %u %" PRIu64 " %" PRIu64 " %016" PRIx64 " %016" PRIx64 "\n", trace->result.outcome,
	       trace->result.status, trace->result.wait_status, trace->result.thread_count, trace->result.event_count,
	       trace->result.switch_count, trace->result.event_hash, trace->result.output_hash);
	for (size_t i = 0; i < trace->build_count; i++) {
		printf("build %s %" PRIu64 " %u ", trace->builds[i].path, trace->builds[i].size_bytes,
		       trace->builds[i].identity);
		print_id(trace->builds[i].id, trace->builds[i].id_size);
	}
	printf("report %zu\n", trace->report.size);
	unsigned char chunk[65536];
	hash_init(&hash);
	for (uint64_t at = 0; at < trace->log_bytes;) {
		ssize_t got = pread(trace->log_fd, chunk, sizeof chunk, (off_t)at);
		if (got <= 0)
			exit(4);
		hash_add(&hash, chunk, (size_t)got);
		at += (uint64_t)got;
	}
	hash_add(&hash, trace->tail ? trace->tail : "", trace->tail_bytes);
	hash_end(&hash, id);
	printf("log %" PRIu64 " ", trace->log_bytes + trace->tail_bytes);
	print_id(id, sizeof id);
}

static int read_events(const char *path)
{
	static struct events events;
	struct event event;
	struct stat status;
	int code;
	events.fd = open(path, O_RDONLY);
	if (events.fd < 0 || fstat(events.fd, &status) < 0)
		return 2;
	events.fd_bytes = (uint64_t)status.st_size;
	while ((code = events_next(&events, &event)) > 0) {
		const uint64_t *callers;
		size_t count = callers_get(&events.callers, event.callers, &callers);
		printf("%u %u %" PRIx64 " %" PRIx64, event.thread, event.kind, event.object, event.code);
		for (size_t i = 0; i < count; i++)
			printf("%s %" PRIx64, i ? "" : " from", callers[i]);
		printf("\n");
	}
	callers_release(&events.callers);
	printf("%s\n", code < 0 ? strerror(-code) : "end");
	return 0;
}

static uint64_t next_random(uint64_t *state, uint64_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 33) % below;
}

static int fuzz(const char *path, uint64_t count, uint64_t seed)
{
	struct err err = ERR_INIT;
	struct buf good = { 0 };
	char variant[] = "/tmp/heddle-test-XXXXXX";
	int fd = mkstemp(variant);
	unsigned refused = 0;
	if (fd < 0 || proc_read_file(path, &good, &err) < 0)
		return 2;
	for (uint64_t i = 0; i < count; i++) {
		char *copy = mem_alloc(good.size + 1);
		memcpy(copy, good.data, good.size);
		size_t size = i % 4 == 0 ? next_random(&seed, good.size) : good.size;
		for (uint64_t n = i % 4; n; n--)
			copy[next_random(&seed, good.size)] = (char)next_random(&seed, 256);
		if (ftruncate(fd, 0) < 0 || pwrite(fd, copy, size, 0) != (ssize_t)size)
			return 2;
		free(copy);
		struct trace trace;
		struct err why = ERR_INIT;
		trace_init(&trace);
		refused += trace_read(variant, &trace, &why) < 0 && why.message[0];
		trace_free(&trace);
	}
	unlink(variant);
	close(fd);
	buf_release(&good);
	printf("%u\n", refused);
	return 0;
}

static int print_seal(const char *text)
{
	struct seal seal;
	uint8_t mark[SEAL_SIZE];
	seal_begin(&seal);
	seal_add(&seal, text, strlen(text));
	seal_end(&seal, mark);
	for (size_t i = 0; i < sizeof mark; i++)
		printf("%02x", mark[i]);
	printf("\n%s\n", seal_problem() ? seal_problem() : "kept");
	return 0;
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct trace trace;
	int code;
	signal(SIGXFSZ, SIG_IGN);
	if (argc < 3)
		return 2;
	if (strcmp(argv[1], "seal") == 0)
		return print_seal(argv[2]);
	if (strcmp(argv[1], "events") == 0)
		return read_events(argv[2]);
	if (strcmp(argv[1], "fuzz") == 0)
		return argc < 5 ? 2 : fuzz(argv[2], strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10));
	trace_init(&trace);
	if (strcmp(argv[1], "write") == 0) {
		fill(&trace, argc > 3 ? strtoull(argv[3], NULL, 10) : 5000);
		code = trace_write(argv[2], &trace, &err);
	} else {
		code = trace_read(argv[2], &trace, &err);
	}
	if (code < 0)
		err_print(&err, "trace");
	else if (strcmp(argv[1], "own") == 0)
		puts(trace.is_foreign ? "foreign" : "own");
	else if (strcmp(argv[1], "report") == 0)
		fwrite(trace.report.data, 1, trace.report.size, stdout);
	else
		print(&trace);
	trace_free(&trace);
	return code < 0 ? 3 : 0;
}
