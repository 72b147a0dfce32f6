/* fingerprint.c: see fingerprint.h. */
#include "store/fingerprint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/source.h"

/* Texts of one place. They are hashed with their final 0, which ends each. */
struct side {
	char *identity, *context;
};

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	return slash ? slash + 1 : path;
}

/* Elements of arrays and offsets follow from the run: "accounts[3].balance", "table+16". */
static void add_variable(struct buf *out, const char *variable)
{
	for (const char *at = variable ? variable : "?"; *at; at++) {
		buf_add(out, at, 1);
		if (*at == '[' || *at == '+')
			at += strspn(at + 1, "0123456789");
	}
}

/* Lines of a file that changed after the program was built are not the program's. */
static bool read_file(const struct fingerprint_place *place, const struct timespec *built, struct buf *own,
		      struct buf *around)
{
	struct source source = { 0 };
	struct source_code code = { 0 };
	bool is_present = place->line && source_read(&source, place->file) == SOURCE_GOOD &&
			  !source_is_newer(&source, built) && place->line <= source.line_count;
	if (is_present) {
		source_code_read(&code, &source);
		source_code_excerpt(&code, place->line, own, around);
	}
	source_code_release(&code);
	source_release(&source);
	return is_present;
}

static struct side side_of(const struct fingerprint_place *place, const struct timespec *built)
{
	struct buf identity = { 0 }, context = { 0 }, own = { 0 }, around = { 0 };
	const char *function = place->function ? place->function : "?", *file = base_name(place->file);
	/* Names from debug information may lack the parameters that linkage names have. */
	buf_format(&identity, "%.*s\n%s\n", (int)strcspn(function, "("), function, file ? file : "?");
	bool is_known = place->code && place->around;
	if (is_known || (place->file && read_file(place, built, &own, &around))) {
		buf_format(&identity, "code %s", is_known ? place->code : own.data);
		buf_format(&context, "%s", is_known ? place->around : around.data);
		add_variable(&context, place->variable);
	} else {
		buf_add_string(&identity, "variable ");
		add_variable(&identity, place->variable);
	}
	buf_release(&own);
	buf_release(&around);
	return (struct side){ identity.data, context.data ? context.data : mem_copy_string("") };
}

static int compare_sides(const void *a, const void *b)
{
	const struct side *one = a, *other = b;
	int order = strcmp(one->identity, other->identity);
	return order ? order : strcmp(one->context, other->context);
}

static void add_text(struct hash *hash, const char *text)
{
	hash_add(hash, text, strlen(text) + 1);
}

static void write_hash(struct hash *hash, char text[33])
{
	uint8_t id[16];
	hash_end(hash, id);
	for (size_t i = 0; i < sizeof id; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
}

void fingerprint_make(struct fingerprint *self, const struct fingerprint_subject *subject)
{
	struct hash identity, context;
	struct side *sides = mem_alloc((subject->place_count + 1) * sizeof *sides);
	size_t known = 0;
	hash_init(&identity);
	hash_init(&context);
	add_text(&identity, subject->kind);
	add_text(&identity, subject->detail);
	for (size_t i = 0; i < subject->place_count; i++)
		if (subject->places[i].function || subject->places[i].file)
			sides[known++] = side_of(&subject->places[i], &subject->built);
	if (!known)
		add_text(&identity, subject->program);
	qsort(sides, known, sizeof *sides, compare_sides);
	for (size_t i = 0; i < known; i++) {
		bool is_other = i == 0 || strcmp(sides[i].identity, sides[i - 1].identity) != 0;
		if (is_other)
			add_text(&identity, sides[i].identity);
		if (is_other || strcmp(sides[i].context, sides[i - 1].context) != 0)
			add_text(&context, sides[i].context);
	}
	write_hash(&identity, self->identity);
	write_hash(&context, self->context);
	for (size_t i = 0; i < known; i++) {
		free(sides[i].identity);
		free(sides[i].context);
	}
	free(sides);
}
