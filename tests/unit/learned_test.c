/*
 * learned_test.c: training data.
 *   learned_test make FILE PLACES         data with so many places, and a history of each after the one before
 *   learned_test copy FROM TO             reads and writes
 *   learned_test merge TO FILE...         merges
 *   learned_test print FILE               in short, or the error
 *   learned_test seal FILE                appends the digest to what is in the file, as the end of the document
 *   learned_test cut FILE                 reads the file cut off after each of its bytes: prints how many were refused, and accepted
 *   learned_test turn FILE                the same with each byte changed
 */
#include "learned/data.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/proc.h"

static int fail(const struct err *err)
{
	printf("error: %s\n", err->message);
	return 1;
}

static void make_place(struct learned *learned, uint32_t number)
{
	char *code = mem_format("left = %u;", number);
	struct learned_place place = { .function = (char *)"sell \"it\"",
				       .file = (char *)(number % 2 ? "src/a.c" : "b.c"),
				       .variable = number % 3 ? (char *)"left" : NULL,
				       .code = code,
				       .line = number % 5 ? number : number | HEDDLE_LINE_NEAR,
				       .column = 3,
				       .size = 4,
				       .ordinal = number / 2,
				       .access = HEDDLE_ACCESS_READ };
	char *key = learned_place_key(&place);
	learned_add_place(learned, &place, key);
	free(key);
	free(code);
}

static int make(const char *path, uint32_t count)
{
	struct learned learned = { .program = mem_copy_string("./prog") };
	struct err err = ERR_INIT;
	const uint8_t build[16] = { 1, 2, 255 };
	for (uint32_t i = 1; i <= count; i++)
		make_place(&learned, i);
	learned_add_object(&learned, "/a/prog", build, 1);
	/* Places that occur again in a history are dropped, and the same history counts once in a run. */
	for (uint32_t i = 1; i <= count; i++)
		for (int again = 0; again < 2; again++) {
			uint32_t places[] = { i - 1, i - 1, i };
			learned_add_history(&learned, &(struct learned_history){ i, i > 1 ? 3 : 0, places, i % 4 != 0, 1, 0 },
					    learned.run_count + 1);
		}
	learned_end_run(&learned);
	int code = learned_write(&learned, path, &err);
	learned_release(&learned);
	return code < 0 ? fail(&err) : 0;
}

static int copy(const char *from, const char *to)
{
	struct learned learned = { 0 };
	struct err err = ERR_INIT;
	int code = learned_read(&learned, from, &err);
	if (code == 0)
		code = learned_write(&learned, to, &err);
	learned_release(&learned);
	return code < 0 ? fail(&err) : 0;
}

static int merge(const char *to, char **files)
{
	struct learned all = { 0 };
	struct err err = ERR_INIT;
	int code = 0;
	for (; *files && code == 0; files++) {
		struct learned one = { 0 };
		code = learned_read(&one, *files, &err);
		if (code == 0)
			learned_merge(&all, &one);
		learned_release(&one);
	}
	if (code == 0)
		code = learned_write(&all, to, &err);
	learned_release(&all);
	return code < 0 ? fail(&err) : 0;
}

static int print(const char *path)
{
	struct learned learned = { 0 };
	struct err err = ERR_INIT;
	if (learned_read(&learned, path, &err) < 0)
		return fail(&err);
	printf("%" PRIu64 " runs, %" PRIu32 " places, %zu histories, %" PRIu64 " members, %zu objects\n",
	       learned.run_count, learned.place_count, learned.history_count, learned.members, learned.object_count);
	for (size_t i = 0; i < learned.history_count && i < 5; i++) {
		const struct learned_history *history = &learned.histories[i];
		printf("%" PRIu32 ":", history->place);
		for (uint32_t j = 0; j < history->count; j++)
			printf(" %" PRIu32, history->places[j]);
		printf(" %s %" PRIu64 "\n", history->is_whole ? "nil" : "?", history->runs);
	}
	learned_release(&learned);
	return 0;
}

static int seal(const char *path)
{
	struct buf text = { 0 };
	struct err err = ERR_INIT;
	struct hash hash;
	uint8_t id[16];
	if (proc_read_file(path, &text, &err) < 0)
		return fail(&err);
	while (text.size && text.data[text.size - 1] == '\n')
		text.size--;
	hash_init(&hash);
	hash_add(&hash, text.data, text.size);
	hash_end(&hash, id);
	buf_add_string(&text, ",\n\"digest\":\"");
	for (int i = 0; i < 16; i++)
		buf_format(&text, "%02x", id[i]);
	buf_add_string(&text, "\"}\n");
	int code = proc_write_file(path, text.data, text.size, &err);
	buf_release(&text);
	return code < 0 ? fail(&err) : 0;
}

/* Reads the bytes as a file. */
static bool is_refused(const char *path, const char *data, size_t size)
{
	struct learned learned = { 0 };
	struct err err = ERR_INIT;
	char *other = mem_format("%s.damaged", path);
	if (proc_write_file(other, data, size, &err) < 0)
		exit(fail(&err));
	int code = learned_read(&learned, other, &err);
	learned_release(&learned);
	free(other);
	return code < 0 && err.message[0];
}

static int damage(const char *path, bool is_cut)
{
	struct buf text = { 0 };
	struct err err = ERR_INIT;
	unsigned refused = 0, accepted = 0;
	if (proc_read_file(path, &text, &err) < 0)
		return fail(&err);
	/* The newline at the end is not needed. */
	for (size_t i = 0; i + 1 < text.size; i++) {
		text.data[i] = (char)(text.data[i] ^ (is_cut ? 0 : 1));
		is_refused(path, text.data, is_cut ? i : text.size) ? refused++ : accepted++;
		text.data[i] = (char)(text.data[i] ^ (is_cut ? 0 : 1));
	}
	printf("%s refused, %u accepted\n", refused > 500 ? "many" : "few", accepted);
	buf_release(&text);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "make") == 0)
		return make(argv[2], (uint32_t)atoi(argv[3]));
	if (argc == 4 && strcmp(argv[1], "copy") == 0)
		return copy(argv[2], argv[3]);
	if (argc > 3 && strcmp(argv[1], "merge") == 0)
		return merge(argv[2], argv + 3);
	if (argc == 3 && strcmp(argv[1], "print") == 0)
		return print(argv[2]);
	if (argc == 3 && strcmp(argv[1], "seal") == 0)
		return seal(argv[2]);
	if (argc == 3 && strcmp(argv[1], "cut") == 0)
		return damage(argv[2], true);
	if (argc == 3 && strcmp(argv[1], "turn") == 0)
		return damage(argv[2], false);
	return 2;
}
