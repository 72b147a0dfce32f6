/*
 * guard_files_test.c: the files that a training or guarded run writes, with contents that no runtime writes.
 *   guard_files_test train CASE     prints what was read: objects, histories, damaged
 *   guard_files_test guard CASE     prints what was read: pairs, violations, damaged
 */
#include "trace/guard.h"
#include "trace/train.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"

static void add_object(struct heddle_train *file, uint32_t first, uint32_t site_count, bool is_ready)
{
	struct heddle_train_object *object = &file->objects[file->object_count++];
	object->first = first;
	object->site_count = site_count;
	object->is_ready = is_ready;
	memset(object->path, 'a', sizeof object->path); /* without an end */
}

static void add_history(struct heddle_train *file, uint32_t at, struct heddle_history history)
{
	history.is_ready = 1;
	file->histories[at] = history;
}

static void spoil_train(struct heddle_train *file, const char *name)
{
	const struct heddle_history good = { .site = 3, .count = 2, .end = HEDDLE_HISTORY_NIL, .sites = { 5, 7 } };
	struct heddle_history bad = good;
	add_object(file, 1, 10, true);
	add_history(file, 0, good);
	add_history(file, HEDDLE_HISTORIES - 1, good);
	if (strcmp(name, "site") == 0)
		bad.site = 11;
	else if (strcmp(name, "zero") == 0)
		bad.site = 0;
	else if (strcmp(name, "other") == 0)
		bad.sites[1] = UINT32_MAX;
	else if (strcmp(name, "count") == 0)
		bad.count = HEDDLE_HISTORY_SITES + 1;
	else if (strcmp(name, "end") == 0)
		bad.end = 3;
	else if (strcmp(name, "magic") == 0)
		file->magic[0] = 'X';
	else if (strcmp(name, "overlap") == 0)
		add_object(file, 10, 5, true);
	else if (strcmp(name, "wrap") == 0)
		add_object(file, 20, UINT32_MAX, true);
	else if (strcmp(name, "half") == 0)
		add_object(file, 20, 5, false);
	else if (strcmp(name, "many") == 0)
		file->object_count = HEDDLE_GUARD_OBJECTS + 7;
	add_history(file, 70000, bad);
	if (strcmp(name, "unready") == 0)
		file->histories[70000].is_ready = 0;
}

static int train(const char *name)
{
	struct train_file self = { .fd = -1 };
	struct train_run run;
	struct err err = ERR_INIT;
	if (train_make(&self, 1, &err) < 0 || train_make(&self, 2, &err) < 0)
		return 1;
	struct heddle_train *file = mmap(NULL, sizeof *file, PROT_READ | PROT_WRITE, MAP_SHARED, self.fd, 0);
	if (file == MAP_FAILED || file->seed != 2)
		return 1;
	spoil_train(file, name);
	if (strcmp(name, "truncate") == 0)
		printf("%s\n", ftruncate(self.fd, 0) < 0 && errno == EPERM ? "sealed" : "not sealed");
	if (train_read(&self, &run, &err) < 0)
		printf("error: %s\n", err.message);
	else
		printf("%zu objects, %zu histories, %" PRIu64 " damaged, %" PRIu64 " objects lost\n", run.object_count,
		       run.history_count, run.damaged_count, run.lost_objects);
	munmap(file, sizeof *file);
	train_run_release(&run);
	train_file_release(&self);
	return 0;
}

static void spoil_log(struct heddle_guard_log *log, const char *name)
{
	struct heddle_violation *violation = &log->violations[1];
	log->pairs[0] = (struct heddle_guard_pair){ .key = 2u << 16 | HEDDLE_GUARD_NIL, .seen = 1 };
	log->pairs[HEDDLE_GUARD_PAIRS - 1] = (struct heddle_guard_pair){ .key = 1u << 16 | 2, .seen = 1 };
	log->violation_count = 2;
	log->violations[0] = (struct heddle_violation){ .is_ready = 1, .place = 1, .previous = 2, .end = 1 };
	*violation = log->violations[0];
	if (strcmp(name, "place") == 0)
		log->pairs[5].key = 3u << 16 | 1;
	else if (strcmp(name, "nil") == 0)
		log->pairs[5].key = 1;
	else if (strcmp(name, "previous") == 0)
		log->pairs[5].key = 1u << 16 | 3;
	else if (strcmp(name, "violation") == 0)
		violation->place = 3;
	else if (strcmp(name, "before") == 0)
		violation->previous = HEDDLE_GUARD_UNKNOWN;
	else if (strcmp(name, "end") == 0)
		violation->end = HEDDLE_VIOLATION_ENDS;
	else if (strcmp(name, "stack") == 0)
		violation->stack_bytes = HEDDLE_VIOLATION_STACK + 1;
	else if (strcmp(name, "unready") == 0)
		violation->is_ready = 0;
	else if (strcmp(name, "many") == 0)
		log->violation_count = UINT32_MAX;
	else if (strcmp(name, "magic") == 0)
		log->magic[0] = 'X';
}

static int guard(const char *name)
{
	uint64_t sets[2] = { 1, 2 };
	struct heddle_guard_object object = { .count = 1 };
	struct heddle_guard_site site = { .index = 4, .place = 2, .flags = HEDDLE_GUARD_CHECK };
	struct guard_content content = { .settings = { .place_count = 2 }, .objects = &object, .object_count = 1,
					 .sites = &site, .site_count = 1, .sets = sets };
	struct guard_files files;
	struct guard_log log;
	struct err err = ERR_INIT;
	guard_defaults(&content.settings);
	if (guard_make(&files, &content, &err) < 0)
		return 1;
	if (strcmp(name, "content") == 0) {
		struct heddle_guard *made = mmap(NULL, sizeof *made + 64, PROT_READ, MAP_SHARED, files.fd, 0);
		const struct heddle_guard_site *at = (const void *)((const char *)made + made->sites);
		const uint64_t *rows = (const void *)((const char *)made + made->sets);
		printf("%.8s %d: site %u place %u, row of 2: %u, words %u\n", made->magic,
		       made->size_bytes == made->sets + sizeof sets, at->index, at->place, (unsigned)rows[1],
		       made->row_words);
		printf("%s\n", write(files.fd, "x", 1) < 0 && errno == EPERM ? "nobody changes it" : "it changes");
		guard_files_release(&files);
		return 0;
	}
	struct heddle_guard_log *file = mmap(NULL, sizeof *file, PROT_READ | PROT_WRITE, MAP_SHARED, files.log_fd, 0);
	if (file == MAP_FAILED)
		return 1;
	spoil_log(file, name);
	if (guard_log_read(&files, &content, &log, &err) < 0)
		printf("error: %s\n", err.message);
	else
		printf("%zu pairs, %zu violations, %" PRIu64 " damaged, %" PRIu64 " lost\n", log.pair_count,
		       log.violation_count, log.damaged_count, log.lost_violations);
	munmap(file, sizeof *file);
	guard_log_release(&log);
	guard_files_release(&files);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	return strcmp(argv[1], "train") == 0 ? train(argv[2]) : guard(argv[2]);
}
