/*
 * data_file.c: training data as a file: JSON, so that everybody can read it, with a digest of all before it at the end, so that
 * damage is noticed.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/proc.h"
#include "base/text.h"
#include "learned/data.h"
#include "symbols/describe.h"
#include "symbols/line.h"
#include "trace/place.h"

#define VERSION 2u
#define DIGEST_START "\n\"digest\":\""

static void add_objects(struct json_writer *out, const struct learned *self)
{
	json_line(out);
	json_open_array(out, "objects");
	for (size_t i = 0; i < self->object_count; i++) {
		json_line(out);
		json_open_object(out, NULL);
		json_add_string(out, "path", self->objects[i].path);
		describe_build_json(out, "build", self->objects[i].build);
		json_add_number(out, "runs", self->objects[i].runs);
		json_close_object(out);
	}
	json_close_array(out);
}

static void add_places(struct json_writer *out, const struct learned *self)
{
	json_line(out);
	json_open_array(out, "places");
	for (uint32_t i = 0; i < self->place_count; i++) {
		const struct learned_place *place = &self->places[i];
		json_line(out);
		json_open_object(out, NULL);
		learned_place_json(out, place);
		json_add_string(out, "code", place->code);
		json_add_number(out, "ordinal", place->ordinal);
		json_add_string(out, "callers", place->callers);
		json_add_number(out, "accesses", place->accesses);
		if (place->is_marked)
			json_add_bool(out, "is_marked", true);
		json_close_object(out);
	}
	json_close_array(out);
}

static void add_histories(struct json_writer *out, const struct learned *self)
{
	json_line(out);
	json_open_array(out, "histories");
	for (size_t i = 0; i < self->history_count; i++) {
		const struct learned_history *history = &self->histories[i];
		json_line(out);
		json_open_object(out, NULL);
		json_add_number(out, "place", history->place);
		json_open_array(out, "after");
		for (uint32_t j = 0; j < history->count; j++)
			json_add_number(out, NULL, history->places[j]);
		json_close_array(out);
		json_add_bool(out, "is_whole", history->is_whole);
		json_add_number(out, "runs", history->runs);
		json_close_object(out);
	}
	json_close_array(out);
}

static void digest_of(const char *data, size_t size_bytes, struct buf *digits)
{
	struct hash hash;
	uint8_t id[16];
	hash_init(&hash);
	hash_add(&hash, data, size_bytes);
	hash_end(&hash, id);
	describe_build(digits, id);
}

static void make_text(struct buf *text, const struct learned *self)
{
	struct json_writer writer, *out = &writer;
	struct buf digits = { 0 };
	json_begin_report(out, text);
	json_add_number(out, "training", VERSION);
	json_add_string(out, "program", self->program);
	json_add_number(out, "runs", self->run_count);
	json_add_number(out, "members", self->members);
	json_open_array(out, "gains");
	for (size_t i = 0; i < self->gain_count; i++)
		json_add_number(out, NULL, self->gains[i]);
	json_close_array(out);
	add_objects(out, self);
	add_places(out, self);
	add_histories(out, self);
	digest_of(text->data, text->size, &digits);
	json_line(out);
	json_add_string(out, "digest", digits.data);
	json_end_file(out);
	buf_release(&digits);
}

int learned_write(const struct learned *self, const char *path, struct err *err)
{
	struct buf text = { 0 };
	struct place place;
	int code = place_open(&place, path, err);
	if (code < 0)
		return code;
	make_text(&text, self);
	code = proc_write_all(place.fd, text.data, text.size);
	/* Production may run as another user. */
	if (code == 0 && !place.is_direct && (fchmod(place.fd, 0644) < 0 || fsync(place.fd) < 0))
		code = -errno;
	buf_release(&text);
	if (code == 0)
		return place_keep(&place, err);
	place_drop(&place);
	char *shown = text_terminal_copy(path);
	err_set(err, -code, "cannot write \"%s\": %s", shown, strerror(-code));
	free(shown);
	return code;
}

/* Of a number that is an item of an array. Returns false when it is none, or larger than the limit. */
static bool item_number(const struct json *item, uint64_t limit, uint64_t *value)
{
	char *end = NULL;
	if (item->kind != JSON_NUMBER || !item->text || *item->text == '-')
		return false;
	errno = 0;
	*value = strtoull(item->text, &end, 10);
	return errno == 0 && *end == '\0' && *value <= limit;
}

static bool member_number(const struct json *object, const char *name, uint64_t limit, uint64_t *value)
{
	const struct json *member = json_member(object, name);
	return member && item_number(member, limit, value);
}

static bool read_access(const char *name, uint8_t *access)
{
	for (unsigned i = 0; name && i < HEDDLE_ACCESS_COUNT; i++)
		if (heddle_access_names[i] && strcmp(heddle_access_names[i], name) == 0) {
			*access = (uint8_t)i;
			return true;
		}
	return false;
}

/* Strings stay the tree's. */
static bool read_place(const struct json *from, struct learned_place *place)
{
	uint64_t line, column, size, ordinal;
	*place = (struct learned_place){ .function = (char *)json_string(from, "function"),
					 .file = (char *)json_string(from, "file"),
					 .variable = (char *)json_string(from, "variable"),
					 .code = (char *)json_string(from, "code"),
					 .callers = (char *)json_string(from, "callers") };
	if (!place->function || !place->code || !place->callers ||
	    !read_access(json_string(from, "access"), &place->access) ||
	    !member_number(from, "line", INT32_MAX, &line) || !member_number(from, "column", UINT32_MAX, &column) ||
	    !member_number(from, "size", UINT32_MAX, &size) || !member_number(from, "ordinal", UINT32_MAX, &ordinal))
		return false;
	place->line = json_is_true(from, "is_near") ? line_near((uint32_t)line) : (uint32_t)line;
	place->column = (uint32_t)column;
	place->size = (uint32_t)size;
	place->ordinal = (uint32_t)ordinal;
	/* Files of earlier versions do not have them. */
	if (!member_number(from, "accesses", UINT64_MAX / 2, &place->accesses))
		place->accesses = 0;
	place->is_marked = json_is_true(from, "is_marked");
	return true;
}

static const char *read_places(struct learned *self, const struct json *list)
{
	for (size_t i = 0; i < json_count(list); i++) {
		struct learned_place place;
		if (!read_place(&list->items[i], &place))
			return "a place is not valid";
		char *key = learned_place_key(&place);
		uint32_t number = learned_add_place(self, &place, key);
		free(key);
		if (number != i + 1)
			return i < MAX_LEARNED_PLACES ? "a place occurs twice" : "there are too many places";
	}
	return NULL;
}

static const char *read_histories(struct learned *self, const struct json *list)
{
	for (size_t i = 0; i < json_count(list); i++) {
		const struct json *from = &list->items[i], *after = json_array(from, "after");
		uint32_t places[HEDDLE_HISTORY_SITES];
		struct learned_history history = { .places = places, .is_whole = json_is_true(from, "is_whole") };
		uint64_t number;
		if (!member_number(from, "place", self->place_count, &number) || number == 0 || !after ||
		    json_count(after) > HEDDLE_HISTORY_SITES)
			return "a history is not valid";
		history.place = (uint32_t)number;
		for (; history.count < json_count(after); history.count++) {
			if (!item_number(&after->items[history.count], self->place_count, &number) || number == 0)
				return "a history has a place that is not there";
			places[history.count] = (uint32_t)number;
		}
		if (!member_number(from, "runs", UINT64_MAX / 2, &history.runs))
			return "a history is not valid";
		learned_add_history(self, &history, 0);
		if (self->history_count != i + 1)
			return i < MAX_LEARNED_HISTORIES ? "a history occurs twice" : "there are too many histories";
	}
	return NULL;
}

static bool read_build(const char *digits, uint8_t build[16])
{
	if (!digits || strlen(digits) != 32 || strspn(digits, "0123456789abcdef") != 32)
		return false;
	for (int i = 0; i < 16; i++) {
		char pair[3] = { digits[2 * i], digits[2 * i + 1], '\0' };
		build[i] = (uint8_t)strtoul(pair, NULL, 16);
	}
	return true;
}

static const char *read_objects(struct learned *self, const struct json *list)
{
	for (size_t i = 0; i < json_count(list); i++) {
		const char *path = json_string(&list->items[i], "path");
		uint8_t build[16];
		uint64_t runs;
		if (!path || !read_build(json_string(&list->items[i], "build"), build) ||
		    !member_number(&list->items[i], "runs", UINT64_MAX / 2, &runs))
			return "an object is not valid";
		learned_add_object(self, path, build, runs);
	}
	return NULL;
}

/* Returns why the tree is no training data, or null. */
static const char *read_tree(struct learned *self, const struct json *tree)
{
	const struct json *gains = json_array(tree, "gains");
	const char *program = json_string(tree, "program"), *reason;
	uint64_t value;
	if (program)
		self->program = mem_copy_string(program);
	if (!gains || !member_number(tree, "runs", UINT64_MAX / 2, &self->run_count))
		return "it has no number of runs";
	self->gains = mem_alloc((json_count(gains) + 1) * sizeof *self->gains);
	for (; self->gain_count < json_count(gains); self->gain_count++) {
		if (!item_number(&gains->items[self->gain_count], UINT64_MAX / 2, &value))
			return "its convergence is not valid";
		self->gains[self->gain_count] = value;
	}
	if (!json_array(tree, "objects") || !json_array(tree, "places") || !json_array(tree, "histories"))
		return "a part of it is missing";
	reason = read_objects(self, json_array(tree, "objects"));
	if (!reason)
		reason = read_places(self, json_array(tree, "places"));
	if (!reason)
		reason = read_histories(self, json_array(tree, "histories"));
	/* Computed, not believed. */
	self->members = reason ? 0 : learned_totals(self).members;
	return reason;
}

/* The digest covers all before it, but for the comma that the writer has put between. */
static bool has_digest(const struct buf *text)
{
	size_t size = sizeof DIGEST_START - 1;
	struct buf digits = { 0 };
	bool is_equal = false;
	for (size_t at = text->size; at-- > 1 && !is_equal;)
		if (at + size + 32 <= text->size && memcmp(text->data + at, DIGEST_START, size) == 0) {
			digest_of(text->data, at - 1, &digits);
			is_equal = memcmp(text->data + at + size, digits.data, 32) == 0;
			break;
		}
	buf_release(&digits);
	return is_equal;
}

static int damaged(const char *shown, const char *reason, struct err *err)
{
	err_hint(err, "train again with heddle train --fresh, or use a copy of the file");
	return err_set(err, EBADMSG, "\"%s\" cannot be used as training data: %s", shown, reason);
}

static int read_text(struct learned *self, const struct buf *text, const char *shown, struct err *err)
{
	struct err ignored = ERR_INIT;
	struct json *tree;
	uint64_t version;
	if (json_parse(&tree, text->data, text->size, &ignored) < 0)
		return damaged(shown, ignored.message, err);
	int code = 0;
	if (!member_number(tree, "training", UINT64_MAX, &version))
		code = damaged(shown, "it is another kind of file", err);
	else if (version != VERSION) {
		err_hint(err, "use the version of Heddle that wrote it, or a newer one");
		code = err_set(err, EPROTO, "\"%s\" has training data of version %" PRIu64 "; this Heddle reads %u",
			       shown, version, VERSION);
	} else if (!has_digest(text))
		code = damaged(shown, "it was changed or damaged after it was written", err);
	const char *reason = code == 0 ? read_tree(self, tree) : NULL;
	json_free(tree);
	return reason ? damaged(shown, reason, err) : code;
}

int learned_read(struct learned *self, const char *path, struct err *err)
{
	struct buf text = { 0 };
	struct stat status;
	/* A pipe would be waited for, and a device may have no end. What is missing is reported below. */
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
		char *shown = text_terminal_copy(path);
		err_set(err, EINVAL, "\"%s\" is not a regular file", shown);
		free(shown);
		return -EINVAL;
	}
	int code = proc_read_file(path, &text, err);
	if (code == 0) {
		char *shown = text_terminal_copy(path);
		code = read_text(self, &text, shown, err);
		free(shown);
	}
	if (code < 0)
		learned_release(self);
	buf_release(&text);
	return code;
}

char *learned_path(const char *store_folder, const char *program)
{
	const char *slash = strrchr(program, '/');
	return mem_format("%s/training/%s", store_folder, slash ? slash + 1 : program);
}

static int make_folders(const char *path)
{
	char *copy = mem_copy_string(path);
	int code = 0;
	for (char *slash = strchr(copy + 1, '/'); slash && code == 0; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0777) < 0 && errno != EEXIST)
			code = -errno;
		*slash = '/';
	}
	free(copy);
	return code;
}

int learned_make_folder(const char *path, struct err *err)
{
	int code = make_folders(path);
	if (code == 0)
		return 0;
	char *shown = text_terminal_copy(path);
	err_hint(err, "specify another file with --training FILE, or another store with --store DIR");
	err_set(err, -code, "cannot create the directory of \"%s\": %s", shown, strerror(-code));
	free(shown);
	return code;
}

/* Whether that is still the name of the file: another training may have removed it. */
static bool has_name(int fd, const char *name)
{
	struct stat own, named;
	return fstat(fd, &own) == 0 && stat(name, &named) == 0 && own.st_ino == named.st_ino &&
	       own.st_dev == named.st_dev;
}

/* Returns a descriptor, or a negative errno. */
static int try_lock(const char *name)
{
	for (;;) {
		int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (fd < 0)
			return -errno;
		if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
			int code = errno == EWOULDBLOCK ? -EBUSY : -errno;
			close(fd);
			return code;
		}
		if (has_name(fd, name))
			return fd;
		close(fd);
	}
}

int learned_lock(const char *path, struct err *err)
{
	char *name = mem_format("%s.lock", path), *shown = text_terminal_copy(path);
	int fd = try_lock(name);
	if (fd == -EBUSY) {
		err_hint(err, "wait for it, or use another file with --training FILE and merge both later");
		err_set(err, EBUSY, "another training is writing \"%s\"", shown);
	} else if (fd == -ENOENT) {
		err_hint(err, "create it, or name another file with --training FILE");
		err_set(err, ENOENT, "the directory of \"%s\" does not exist", shown);
	} else if (fd < 0) {
		err_set(err, -fd, "cannot lock \"%s\": %s", shown, strerror(-fd));
	}
	free(shown);
	free(name);
	return fd;
}

void learned_unlock(const char *path, int lock)
{
	char *name = mem_format("%s.lock", path);
	unlink(name);
	close(lock);
	free(name);
}
