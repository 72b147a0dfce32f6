/*
 * race_log_test.c: reads logs of races.
 *   race_log_test read FILE      prints what is in it
 *   race_log_test garbage N FILE N damaged copies of the file: prints how many of them still had a pair
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/race_log.h"

static const char *const accesses[RACE_LOG_ACCESS_COUNT] = { "unknown", "read", "write" };

static void print_side(const struct race_log_side *side)
{
	printf("  %s%s %" PRIu64 "\n", side->is_atomic ? "atomic " : "", accesses[side->access], side->size_bytes);
	for (size_t i = 0; i < side->frame_count; i++) {
		const struct race_log_frame *frame = &side->frames[i];
		printf("    [%s] [%s] %u %d [%s] %d\n", frame->function ? frame->function : "",
		       frame->file ? frame->file : "", frame->line, frame->column, frame->module ? frame->module : "",
		       frame->offset != 0);
	}
}

static void print(const struct race_log *log)
{
	struct buf words = { 0 };
	for (size_t i = 0; i < log->pair_count; i++) {
		printf("%s, line %" PRIu64 "\n", race_log_tool_names[log->pairs[i].tool], log->pairs[i].line);
		print_side(&log->pairs[i].sides[0]);
		print_side(&log->pairs[i].sides[1]);
	}
	race_log_describe(&words, log);
	printf("%s\n", words.data);
	buf_release(&words);
}

/* Invariants 2 and 3 of race_log.h. */
static void check(const struct race_log *log)
{
	uint64_t other = 0, sum = 0;
	for (size_t i = 0; i < log->pair_count; i++)
		for (size_t side = 0; side < 2; side++) {
			const struct race_log_side *at = &log->pairs[i].sides[side];
			if (at->frame_count > RACE_LOG_MAX_FRAMES || at->access >= RACE_LOG_ACCESS_COUNT ||
			    (!side && !at->access))
				abort();
			for (size_t frame = 0; frame < at->frame_count; frame++)
				if (at->frames[frame].function && strlen(at->frames[frame].function) > RACE_LOG_MAX_NAME)
					abort();
		}
	for (size_t i = 0; i < log->kind_count; i++)
		other += log->kinds[i].count;
	for (size_t i = 0; i < RACE_LOG_TOOL_COUNT; i++)
		sum += log->tool_counts[i];
	if (sum != log->report_count || log->pair_count + other + log->cut_count + log->left_count != sum)
		abort();
}

static uint64_t state = 88172645463325252u;

static size_t below(size_t bound)
{
	state ^= state << 13, state ^= state >> 7, state ^= state << 17;
	return bound ? state % bound : 0;
}

static void damage(char *bytes, size_t *size)
{
	static const char values[] = "\0\n\r (:+#=0x9\xff/";
	if (below(4) == 0)
		*size = below(*size + 1);
	for (size_t i = 0, count = below(40); i < count && *size; i++) {
		size_t at = below(*size);
		if (below(3) == 0)
			bytes[at] ^= (char)(1 << below(8));
		else if (below(2))
			bytes[at] = values[below(sizeof values - 1)];
		else
			memmove(bytes + at, bytes + below(*size - at) + at, *size - at - below(*size - at) > 64 ? 32 : 0);
	}
}

static int garbage(int count, const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		return 2;
	char *bytes = malloc(1 << 20);
	size_t whole = fread(bytes, 1, 1 << 20, file), with = 0;
	fclose(file);
	for (int i = 0; i < count; i++) {
		/* A block of its own size, so that a read behind its end is seen. */
		char *copy = malloc(whole + 64);
		struct race_log log;
		size_t size = whole;
		memcpy(copy, bytes, whole);
		memset(copy + whole, 0, 64);
		damage(copy, &size);
		char *exact = malloc(size ? size : 1);
		memcpy(exact, copy, size);
		race_log_parse(&log, exact, size);
		free(exact);
		check(&log);
		with += log.pair_count != 0;
		race_log_release(&log);
		free(copy);
	}
	free(bytes);
	printf("%zu\n", with);
	return 0;
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct race_log log;
	if (argc > 3 && strcmp(argv[1], "garbage") == 0)
		return garbage(atoi(argv[2]), argv[3]);
	if (argc < 3)
		return 2;
	if (race_log_read(&log, argv[2], &err) < 0) {
		puts(err.message);
		return 1;
	}
	check(&log);
	print(&log);
	race_log_release(&log);
	return 0;
}
