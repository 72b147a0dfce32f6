/* document.c: see document.h. */
#include "formats/document.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

const char *document_text(const struct json *object, const char *name)
{
	const char *text = json_string(object, name);
	return text ? text : "";
}

void document_verdict(struct buf *out, const struct json *finding)
{
	const char *verdict = json_string(finding, "verdict"), *why = json_string(finding, "why");
	const char *difference = json_string(finding, "difference");
	if (!verdict)
		return;
	buf_format(out, "This race %s.%s%s%s\n%s", verdict, why ? " Why: " : "", why ? why : "", why ? "." : "",
		   difference ? difference : "");
}

void document_advice(struct buf *out, const struct json *finding)
{
	const struct json *advice = json_array(finding, "advice");
	bool is_first = true;
	for (size_t i = 0; i < json_count(advice); i++)
		if (advice->items[i].kind == JSON_STRING) {
			buf_format(out, "%s- %s\n", is_first ? "what to try:\n" : "", advice->items[i].text);
			is_first = false;
		}
}

const char *document_program(const struct document *self, const struct json *finding)
{
	const char *program = json_string(finding, "program");
	return program ? program : self->program;
}

bool document_is_suppressed(const struct json *finding)
{
	return json_is_true(finding, "suppressed") || strcmp(document_text(finding, "standing"), "suppressed") == 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	return slash ? slash + 1 : path ? path : "";
}

/* Kind, and of each place the function, the file without folders, what is accessed and how; each once and in any order. Of what
 * has no place it is the program. */
static void identify(const struct document *self, const struct json *finding, struct buf *out)
{
	const struct json *sites = json_array(finding, "sites");
	struct strings places = { 0 };
	for (size_t i = 0; i < json_count(sites); i++) {
		const struct json *site = &sites->items[i];
		char *place = mem_format("%s\n%s\n%s\n%s\n", document_text(site, "function"),
					 base_name(json_string(site, "file")), document_text(site, "variable"),
					 document_text(site, "access"));
		if (!strings_has(&places, place))
			strings_add(&places, place);
		free(place);
	}
	if (places.count)
		qsort(places.items, places.count, sizeof *places.items, compare);
	buf_format(out, "%s\n", document_text(finding, "kind"));
	for (size_t i = 0; i < places.count; i++)
		buf_add_string(out, places.items[i]);
	if (!places.count)
		buf_add_string(out, base_name(document_program(self, finding)));
	strings_release(&places);
}

static char *digits_of(const struct buf *text, uintptr_t number)
{
	struct hash hash;
	uint8_t id[16];
	char *digits = mem_alloc(33);
	hash_init(&hash);
	hash_add(&hash, text->data, text->size);
	hash_add(&hash, &number, sizeof number);
	hash_end(&hash, id);
	for (size_t i = 0; i < sizeof id; i++)
		snprintf(digits + 2 * i, 3, "%02x", id[i]);
	return digits;
}

/* Findings that look alike are distinguished by their order. */
static void set_fingerprints(struct document *self)
{
	struct map seen = { 0 };
	self->fingerprints = mem_alloc((self->findings->count + 1) * sizeof *self->fingerprints);
	for (size_t i = 0; i < self->findings->count; i++) {
		const struct json *finding = &self->findings->items[i];
		const char *given = json_string(finding, "fingerprint");
		struct buf text = { 0 };
		if (given)
			buf_add_string(&text, given);
		else
			identify(self, finding, &text);
		uintptr_t number = (uintptr_t)map_get(&seen, text.data);
		map_set(&seen, text.data, (void *)(number + 1));
		self->fingerprints[i] = given && !number ? mem_copy_string(given) : digits_of(&text, number);
		buf_release(&text);
	}
	map_release(&seen);
}

/* 1 + the number of the finding with that id, the first of several; 0: there is none, or it is suppressed. */
static size_t find_member(const struct document *self, const struct map *by_id, const char *id)
{
	size_t number = id ? (size_t)map_get(by_id, id) : 0;
	return number && !document_is_suppressed(&self->findings->items[number - 1]) ? number : 0;
}

/* What is in no group, or in one without a head, is a group of its own; and so is what is in several. */
static void set_heads(struct document *self)
{
	const struct json *groups = json_array(self->tree, "groups");
	const size_t count = self->findings->count;
	struct map by_id = { 0 };
	self->heads = mem_alloc((count + 1) * sizeof *self->heads);
	for (size_t i = 0; i < count; i++) {
		const char *id = document_text(&self->findings->items[i], "id");
		self->heads[i] = i;
		if (!map_get(&by_id, id))
			map_set(&by_id, id, (void *)(i + 1));
	}
	for (size_t i = 0; i < json_count(groups); i++) {
		const struct json *members = json_array(&groups->items[i], "members");
		size_t head = find_member(self, &by_id, json_string(&groups->items[i], "head"));
		for (size_t j = 0; j < json_count(members) && head; j++) {
			const struct json *member = &members->items[j];
			size_t number = find_member(self, &by_id, member->kind == JSON_STRING ? member->text : NULL);
			if (number && number != head)
				self->heads[number - 1] = head - 1;
		}
	}
	for (size_t i = 0; i < count; i++)
		if (self->heads[self->heads[i]] != self->heads[i])
			self->heads[i] = i;
	map_release(&by_id);
}

static int check(const struct json *tree, struct err *err)
{
	const struct json *findings = json_array(tree, "findings");
	uint64_t version = json_number(tree, "heddle");
	int code = 0;
	if (!findings || !version)
		code = err_set(err, EINVAL, "it is JSON, but not a report of heddle test");
	else if (version != 1)
		code = err_set(err, EINVAL, "its version %" PRIu64 " is unknown", version);
	for (size_t i = 0; code == 0 && i < findings->count; i++)
		if (findings->items[i].kind != JSON_OBJECT)
			code = err_set(err, EINVAL, "finding %zu is not an object", i + 1);
	return code;
}

/* The part of an absolute path below the root; null: it is not there. */
static const char *below_root(const struct document *self, const char *path)
{
	size_t size = self->root_path ? strlen(self->root_path) : 0;
	if (!size || strncmp(path, self->root_path, size) != 0)
		return NULL;
	if (path[size - 1] == '/') /* the root of all */
		return path + size;
	return path[size] == '/' && path[size + 1] ? path + size + 1 : NULL;
}

/* A document from another user must not bring files of this one into a report. */
static bool is_allowed(const void *context, const char *path)
{
	const struct document *self = context;
	char *real = self->is_own ? NULL : realpath(path, NULL);
	bool is_below = real && below_root(self, real);
	free(real);
	return self->is_own || is_below;
}

/* Where the caller stands is where names are relative to, unless the caller says where the sources are. */
static void set_folders(struct document *self, const char *root)
{
	char *repository = root ? NULL : sources_repository();
	self->root_path = realpath(root ? root : repository ? repository : ".", NULL);
	self->sources = (struct sources){ .is_allowed = is_allowed, .context = self };
	sources_add(&self->sources, root ? root : ".");
	if (repository)
		sources_add(&self->sources, repository);
	sources_add_program(&self->sources, self->program);
	for (size_t i = 0; i < json_count(self->programs); i++)
		sources_add_program(&self->sources, document_text(&self->programs->items[i], "program"));
	free(repository);
}

int document_read(struct document *self, const char *text, size_t size_bytes, const char *root, struct err *err)
{
	int code = json_parse(&self->tree, text, size_bytes, err);
	if (code == 0)
		code = check(self->tree, err);
	if (code < 0) {
		err_hint(err, "heddle test --json FILE -- PROG writes one");
		return code;
	}
	self->findings = json_array(self->tree, "findings");
	self->program = document_text(self->tree, "program");
	self->programs = json_array(self->tree, "programs");
	set_folders(self, root);
	set_fingerprints(self);
	set_heads(self);
	return 0;
}

void document_release(struct document *self)
{
	for (size_t i = 0; self->fingerprints && i < self->findings->count; i++)
		free(self->fingerprints[i]);
	map_release_values(&self->paths, free);
	free(self->fingerprints);
	free(self->heads);
	free(self->root_path);
	sources_release(&self->sources);
	json_free(self->tree);
	*self = (struct document){ 0 };
}

static char *find_path(struct document *self, const char *file)
{
	const char *there = sources_find(&self->sources, file)->path;
	char *real = there ? realpath(there, NULL) : NULL;
	const char *below = below_root(self, real ? real : file);
	/* A header of the system is known by the name that it has there. */
	bool is_as_named = !real || (file[0] == '/' && strcmp(there, file) == 0);
	char *path = mem_copy_string(below ? below : is_as_named ? file : real);
	free(real);
	return path;
}

const char *document_path(struct document *self, const char *file)
{
	char *path = map_get(&self->paths, file);
	if (!path) {
		path = find_path(self, file);
		map_set(&self->paths, file, path);
	}
	return path;
}

void document_command(struct buf *out, const struct document *self)
{
	const struct json *arguments = json_array(self->tree, "arguments");
	for (size_t i = 0; i < json_count(arguments); i++)
		if (arguments->items[i].kind == JSON_STRING)
			buf_format(out, "%s%s", out->size ? " " : "", arguments->items[i].text);
	if (!out->size)
		buf_add_string(out, self->program);
}
