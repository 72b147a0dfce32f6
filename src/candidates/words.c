/* words.c: the output of heddle-analyse, in words; the same in text, JSON and SARIF. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"
#include "candidates/candidates.h"
#include "narrate/quote.h"
#include "symbols/names_short.h"
#include "symbols/stack.h"

#define MAX_LINE 160u
#define NAMES_SHOWN 6u /* of what was not analysed */

const struct json *static_row(const struct json *array, uint64_t number)
{
	return number < json_count(array) ? &array->items[number] : NULL;
}

const struct json *static_side_site(const struct analysis *self, const struct static_side *side)
{
	return static_row(self->sites, side->site);
}

const struct json *static_side_root(const struct analysis *self, const struct static_side *side)
{
	return static_row(self->roots, side->root);
}

const struct json *static_side_locks(const struct analysis *self, const struct static_side *side)
{
	return static_row(self->locksets, side->locks);
}

struct static_side static_edge_side(const struct json *edge)
{
	uint64_t root = json_number(edge, "root"), locks = json_number(edge, "locks");
	return (struct static_side){
		.site = UINT32_MAX,
		.root = root < UINT32_MAX ? (uint32_t)root : UINT32_MAX,
		.locks = locks < UINT32_MAX ? (uint32_t)locks : UINT32_MAX,
	};
}

const char *static_doubt_word(const struct analysis *self, uint32_t i)
{
	const struct json *row = static_row(json_array(self->tree, "doubts"), i);
	return row && row->kind == JSON_STRING ? row->text : NULL;
}

void static_describe_place(struct buf *out, const struct json *place)
{
	const char *file = json_string(place, "file");
	buf_add_string(out, file ? file : "?");
	if (file && json_number(place, "line"))
		buf_format(out, json_is_true(place, "is_near") ? " near line %" PRIu64 : ":%" PRIu64,
			   json_number(place, "line"));
}

const char *static_access_word(const struct json *row)
{
	uint64_t access = json_number(row, "access");
	if (json_is_true(row, "is_free"))
		return "free";
	return access < HEDDLE_ACCESS_COUNT ? heddle_access_names[access] : "access";
}

struct static_own static_own(const struct json *row)
{
	const struct json *chain = json_array(row, "inlined"), *at = row;
	const char *in = json_string(row, "in"), *file = json_string(row, "file");
	size_t step = 0;
	for (; file && stack_is_system_file(file) && step < json_count(chain); step++) {
		at = &chain->items[step];
		file = json_string(at, "file");
		in = json_string(at, "in");
	}
	if (!file || stack_is_system_file(file)) {
		at = row;
		in = json_string(row, "in");
		step = 0;
	}
	return (struct static_own){ .place = at, .linkage = in ? in : json_string(row, "function"), .steps = step };
}

/* Without debug information there is the function and the number of the access in it. */
void static_describe_site(struct buf *out, struct analysis *self, const struct json *row)
{
	buf_format(out, "%s at ", static_access_word(row));
	if (json_string(row, "file"))
		static_describe_place(out, static_own(row).place);
	else
		buf_format(out, "access %" PRIu64 " of %s", json_number(row, "ordinal"), static_function(self, row));
}

const char *static_function(struct analysis *self, const struct json *row)
{
	const char *linkage = static_own(row).linkage;
	return linkage ? names_displayed(&self->names, linkage) : "?";
}

/* The outermost call in own code that the row's place was inlined into, or null when there is none beyond that. */
static const struct json *outermost_own(const struct json *row, struct static_own own)
{
	const struct json *chain = json_array(row, "inlined"), *found = NULL;
	for (size_t i = own.steps; i < json_count(chain); i++) {
		const char *file = json_string(&chain->items[i], "file");
		if (file && !stack_is_system_file(file))
			found = &chain->items[i];
	}
	return found;
}

/* A function that starts threads for others says little; its caller says more. */
static void describe_created(struct buf *out, const struct json *root, const char *verb)
{
	const struct json *created = json_member(root, "created");
	if (!json_string(created, "file"))
		return;
	struct static_own own = static_own(created);
	const struct json *caller = outermost_own(created, own);
	buf_format(out, ", %s at ", verb);
	static_describe_place(out, own.place);
	if (caller) {
		buf_add_string(out, " for ");
		static_describe_place(out, caller);
	}
}

/* std::thread runs a member of a template, whose arguments say what it calls. */
static void describe_routine(struct buf *out, struct analysis *self, const char *linkage)
{
	const char *name = linkage ? names_displayed(&self->names, linkage) : "?";
	char *task = names_of_task(name);
	if (task)
		buf_add_string(out, task);
	else
		buf_add_string(out, strncmp(name, "std::thread::", 13) == 0 ? "of std::thread" : name);
	free(task);
}

void static_describe_root(struct buf *out, struct analysis *self, const struct json *root)
{
	const char *kind = json_string(root, "kind"), *why = json_string(root, "why");
	struct buf routine = { 0 };
	describe_routine(&routine, self, json_string(root, "function"));
	const char *function = routine.data;
	kind = kind ? kind : "";
	if (strcmp(kind, "main") == 0) {
		buf_add_string(out, "the main thread");
	} else if (strcmp(kind, "handler") == 0) {
		buf_format(out, "signal handler %s", function);
		describe_created(out, root, "installed");
	} else if (strcmp(kind, "exported") == 0) {
		buf_format(out, "any thread that calls %s", json_string(root, "function") ? function : "the library");
	} else if (strcmp(kind, "team") == 0) {
		buf_format(out, "OpenMP threads in %s", function);
		describe_created(out, root, "started");
	} else if (strcmp(kind, "foreign") == 0) {
		buf_format(out, "a thread of an unknown library, in %s", function);
		describe_created(out, root, "called");
	} else {
		buf_format(out, "thread %s", function);
		describe_created(out, root, "created");
	}
	if (json_is_true(root, "many") && why && strcmp(kind, "exported") != 0)
		buf_format(out, " (several: %s)", why);
	buf_release(&routine);
}

/* LLVM appends numbers to the names of variables that it takes apart or moves between units: "stats.1",
 * "table.llvm.123". */
static char *without_suffix(const char *name)
{
	size_t size = strlen(name);
	for (;;) {
		size_t at = size;
		while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
			at--;
		if (at == size || at < 2 || name[at - 1] != '.')
			return mem_format("%.*s", (int)size, name);
		size = at - 1;
		if (size > 5 && strncmp(name + size - 5, ".llvm", 5) == 0)
			size -= 5;
	}
}

/* Of a variable of the source, which has a place; what the compiler has made up is called as it is. */
const char *static_object_name(struct analysis *self, const struct json *object)
{
	const char *name = json_string(object, "name"), *function = json_string(object, "function");
	if (!name || function || !json_string(object, "file"))
		return name ? names_displayed(&self->names, name) : NULL;
	const char *known = map_get(&self->bare, name);
	if (!known) {
		char *bare = without_suffix(name);
		strings_add(&self->names.owned, bare);
		free(bare);
		known = self->names.owned.items[self->names.owned.count - 1];
		map_set(&self->bare, name, (void *)(uintptr_t)known);
	}
	return names_displayed(&self->names, known);
}

const char *static_lock_name(struct analysis *self, const struct json *lock)
{
	const struct json *object = json_member(lock, "object");
	const char *name = json_string(lock, "name"), *of_object = json_string(object, "name");
	if (!name || (of_object && strcmp(name, of_object) == 0))
		return static_object_name(self, object);
	return names_displayed(&self->names, name);
}

static bool is_kind(const struct json *lock, const char *kind)
{
	const char *word = json_string(lock, "kind");
	return word && strcmp(word, kind) == 0;
}

void static_describe_lock(struct buf *out, struct analysis *self, const struct json *lock)
{
	const char *name = static_lock_name(self, lock), *mode = json_string(lock, "mode");
	const bool is_several = is_kind(lock, "one-of-several");
	if (is_several)
		buf_add_string(out, "one of several ");
	buf_add_string(out, name ? name : is_several ? "unnamed locks" : "an unnamed lock");
	if (is_kind(lock, "same-object"))
		buf_add_string(out, " of the same object");
	if (mode && strcmp(mode, "read") == 0)
		buf_add_string(out, " for reading");
}

/* One lock may be known in two ways: as the one of the object that is accessed, and as one of several. The first says more. */
bool static_is_listed(const struct json *locks, size_t number)
{
	static const char *const kinds[] = { "single", "same-object", "one-of-several" }; /* the clearest first */
	const struct json *lock = &locks->items[number];
	unsigned own = 0, others;
	while (own < 2 && !is_kind(lock, kinds[own]))
		own++;
	for (size_t i = 0; i < locks->count && own; i++) {
		const struct json *other = &locks->items[i];
		const struct json *at = static_own(lock).place, *other_at = static_own(other).place;
		const char *file = json_string(at, "file"), *other_file = json_string(other_at, "file");
		for (others = 0; others < 2 && !is_kind(other, kinds[others]);)
			others++;
		if (others < own && file && other_file && strcmp(file, other_file) == 0 &&
		    json_number(at, "line") == json_number(other_at, "line") &&
		    json_number(at, "column") == json_number(other_at, "column"))
			return true;
	}
	return false;
}

void static_describe_locks(struct buf *out, struct analysis *self, const struct json *locks)
{
	size_t count = 0, listed = 0;
	for (size_t i = 0; i < json_count(locks); i++)
		count += !static_is_listed(locks, i);
	buf_add_string(out, count ? "holds " : "holds no lock");
	for (size_t i = 0; i < json_count(locks); i++) {
		if (static_is_listed(locks, i))
			continue;
		buf_add_string(out, listed == 0 ? "" : listed + 1 < count ? ", " : " and ");
		static_describe_lock(out, self, &locks->items[i]);
		listed++;
	}
}

void static_describe_object(struct buf *out, struct analysis *self, const struct json *object)
{
	const char *kind = json_string(object, "kind"), *name = static_object_name(self, object),
		   *function = json_string(object, "function");
	kind = kind ? kind : "";
	function = function ? names_displayed(&self->names, function) : NULL;
	if (strcmp(kind, "heap") == 0) {
		buf_format(out, "heap block%s%s allocated", name ? " " : "", name ? name : "");
	} else if (strcmp(kind, "stack") == 0) {
		buf_format(out, "%s on the stack of %s", name ? name : "a variable", function ? function : "?");
	} else if (strcmp(kind, "code") == 0) {
		buf_format(out, "function %s", function ? function : "?");
		return;
	} else if (strcmp(kind, "outside") == 0) {
		buf_add_string(out, "memory of code that is not analysed");
		return;
	} else if (name && (strncmp(name, "vtable for ", 11) == 0 || strncmp(name, "guard variable for ", 19) == 0)) {
		buf_add_string(out, name);
	} else {
		buf_format(out, "%s variable %s", kind, name ? name : "without a name");
	}
	if (json_string(object, "file")) {
		buf_add_string(out, " at ");
		static_describe_place(out, static_own(object).place);
	}
	if (strcmp(kind, "heap") == 0 && function)
		buf_format(out, " in %s", static_function(self, object));
}

static void describe_side(struct buf *out, struct analysis *self, const struct static_side *side)
{
	static_describe_site(out, self, static_side_site(self, side));
	buf_add_string(out, " ");
	static_describe_locks(out, self, static_side_locks(self, side));
}

void static_describe_reason(struct buf *out, struct analysis *self, const struct static_pair *pair)
{
	describe_side(out, self, &pair->sides[0]);
	buf_add_string(out, ", ");
	describe_side(out, self, &pair->sides[1]);
}

static const struct word {
	const char *word, *text, *assumed;
} doubts[] = {
	{ "same-lock-class", "both hold a lock of the same kind, possibly the same lock", NULL },
	{ "condition", "it seems to be handed over with a condition variable, a semaphore or a barrier", NULL },
	{ "atomic-guard", "an atomic access on both sides seems to order them", NULL },
	{ "initial", "one side comes right after the allocation of the block", NULL },
	{ "anywhere", "a pointer may point to many places, and this is only one of them", NULL },
	{ "outside", "it can only be memory of code that is not analysed", NULL },
	{ "same-many", "threads with the same start routine, possibly each at its own part", NULL },
	{ "volatile", "it seems intended: volatile, or atomic on one side", NULL },
	{ "types", "the types of the language imply different objects", NULL },
	{ "one-type", "only one side has a known type: the other accesses bytes, or memory of unknown type", NULL },
	{ "stack", "each call of the function has its own copy of the variable on its stack, unless its address "
	           "escapes", NULL },
	{ "foreign", "the function is passed to an unknown library, which may or may not call it in a thread of "
	             "its own", NULL },
}, gaps[] = {
	{ "assembly", "inline assembly", "its accesses and the pointers that it computes are unknown" },
	{ "forged", "pointers computed from integers", "assumed to point nowhere" },
	{ "external", "functions that are neither analysed nor in the models",
	  "assumed to keep their arguments, to call them, also in their own threads, and to return them; their own "
	  "accesses are unknown" },
	{ "no-debug", "units without debug information", "analysed; places are functions and numbers" },
	{ "opaque", "instructions of unknown effect", "their accesses are unknown" },
	{ "ifunc", "functions chosen when the program starts", "assumed to be any function that the resolver names" },
};

static const struct word *find_word(const struct word *words, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (word && strcmp(words[i].word, word) == 0)
			return &words[i];
	return NULL;
}

const char *static_doubt(const char *word)
{
	const struct word *found = find_word(doubts, sizeof doubts / sizeof *doubts, word);
	return found ? found->text : word;
}

const char *static_gap(const char *word)
{
	const struct word *found = find_word(gaps, sizeof gaps / sizeof *gaps, word);
	return found ? found->assumed : NULL;
}

/* All rows of a kind together: how many, some names, what was assumed. */
static void note_gap(struct analysis *self, const struct json *rows, const struct word *kind, struct strings *notes)
{
	struct buf text = { 0 }, names = { 0 };
	uint64_t count = 0, different = 0;
	for (size_t i = 0; i < json_count(rows); i++) {
		const char *word = json_string(&rows->items[i], "kind"), *name = json_string(&rows->items[i], "name");
		if (!word || strcmp(word, kind->word) != 0)
			continue;
		count += json_number(&rows->items[i], "count");
		if (name && different++ < NAMES_SHOWN)
			buf_format(&names, "%s%s", names.size ? ", " : "", names_displayed(&self->names, name));
	}
	buf_format(&text, "%" PRIu64 " x %s", count, kind->text);
	if (different > NAMES_SHOWN)
		buf_format(&names, ", and %" PRIu64 " more", different - NAMES_SHOWN);
	if (names.size)
		buf_format(&text, " (%s)", names.data);
	buf_format(&text, ": %s", kind->assumed);
	if (count)
		strings_add(notes, text.data);
	buf_release(&text);
	buf_release(&names);
}

static void note_count(struct strings *notes, uint64_t count, const char *text)
{
	char *note = mem_format("%" PRIu64 " x %s", count, text);
	if (count)
		strings_add(notes, note);
	free(note);
}

static uint64_t count_placeless(const struct analysis *self)
{
	uint64_t count = 0;
	for (size_t i = 0; i < json_count(self->sites); i++)
		count += !json_string(&self->sites->items[i], "file");
	return count;
}

bool static_has_near(const struct analysis *self)
{
	for (size_t i = 0; i < json_count(self->sites); i++)
		if (json_is_true(&self->sites->items[i], "is_near"))
			return true;
	return false;
}

void static_notes(struct analysis *self, struct strings *notes)
{
	const struct json *statistics = json_member(self->tree, "statistics");
	for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
		note_gap(self, json_array(self->tree, "gaps"), &gaps[i], notes);
	note_count(notes, count_placeless(self),
		   "accesses of candidates without a place: the compiler merged several lines, or there is no debug "
		   "information, as in units that were not compiled from source");
	note_count(notes, json_number(statistics, "unified_functions"),
		   "functions over the budget: some of their pointers are assumed to point to any of very many "
		   "objects, which leads to false candidates");
	note_count(notes, json_number(statistics, "merged_functions"),
		   "functions with too many calling contexts: some contexts share only the locks that all of them "
		   "hold");
	note_count(notes, json_number(statistics, "bound_functions"),
		   "functions passed to unknown libraries: too many to analyse them in threads of these libraries; "
		   "they are assumed to be called only in the program's threads, so races may be missed");
	if (json_is_true(self->tree, "is_cut"))
		strings_add(notes, "too many candidates: all are counted, and the best ones of each variable are "
				   "shown");
	if (json_is_true(self->tree, "is_orders_cut"))
		strings_add(notes, "not all lock orders were examined: there were too many");
}

static const struct source *source_of(struct analysis *self, const char *file)
{
	struct source *source = map_get(&self->sources, file);
	if (source)
		return source;
	source = mem_alloc(sizeof *source);
	map_set(&self->sources, file, source);
	if (!self->places.folders.count) {
		sources_add(&self->places, ".");
		for (size_t i = 0; i < self->program_count; i++)
			sources_add_program(&self->places, self->paths[i]);
	}
	const char *path = sources_find(&self->places, file)->path;
	if (path)
		source_read(source, path);
	return source;
}

char *static_source_line(struct analysis *self, const char *file, uint64_t line)
{
	const struct source *source = file && line ? source_of(self, file) : NULL;
	size_t size = 0;
	const char *at = source ? source_line(source, line, &size) : NULL;
	struct buf text = { 0 }, shown = { 0 };
	uint32_t column = 0;
	if (at)
		quote_text(&text, at, size, &column);
	const char *begin = text.size ? text.data + strspn(text.data, " ") : "";
	for (size = strlen(begin); size && begin[size - 1] == ' ';)
		size--;
	buf_add(&shown, begin, size);
	buf_release(&text);
	text_fit(&shown, MAX_LINE, TEXT_CUT_RIGHT);
	if (size)
		return shown.data;
	buf_release(&shown);
	return NULL;
}

uint64_t static_source_lines(struct analysis *self, const char *file)
{
	return source_of(self, file)->line_count;
}
