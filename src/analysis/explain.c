/* explain.c: see explain.h. */
#include "analysis/explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/abi.h"

#define MAX_PAIRS 64u   /* of two places */
#define MAX_ROWS 8u     /* of objects, threads, locks that are named */
#define MAX_VISITS 256u /* of one access that are compared with those of the other */

struct place {
	char *file, *function; /* the other one is null */
	uint32_t line, column; /* column 0: any */
	uint32_t same, ordinal;
};

struct explanation {
	const struct output_parts *parts;
	struct json_writer out;
	uint32_t *same;
	uint8_t *is_shared; /* by object */
};

/* A number up to the end or to a colon; moves past it. */
static bool parse_number(const char **at, uint32_t *number)
{
	char *end;
	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	unsigned long value = strtoul(*at, &end, 10);
	if (errno || value > UINT32_MAX || (*end && *end != ':'))
		return false;
	*number = (uint32_t)value;
	*at = *end ? end + 1 : end;
	return true;
}

static bool parse_site(const char *text, struct place *place)
{
	if (!parse_number(&text, &place->same) || !parse_number(&text, &place->ordinal) || !*text)
		return false;
	place->function = mem_copy_string(text);
	return true;
}

/* The last one or two numbers are line and column: a file's name may have colons. */
static bool parse_place(const char *text, struct place *place)
{
	*place = (struct place){ 0 };
	if (strncmp(text, "site:", 5) == 0)
		return parse_site(text + 5, place);
	uint32_t numbers[2] = { 0 };
	size_t size = strlen(text), count = 0;
	while (count < 2) {
		size_t start = size;
		while (start > 0 && text[start - 1] >= '0' && text[start - 1] <= '9')
			start--;
		const char *at = text + start;
		if (start == size || start < 2 || text[start - 1] != ':' || !parse_number(&at, &numbers[count]))
			break;
		count++;
		size = start - 1;
	}
	if (!count || !numbers[count - 1])
		return false;
	place->line = numbers[count - 1];
	place->column = count == 2 ? numbers[0] : 0;
	place->file = mem_format("%.*s", (int)size, text);
	return true;
}

static void release_place(struct place *place)
{
	free(place->file);
	free(place->function);
}

int explain_check(const char *a, const char *b, struct err *err)
{
	const char *texts[] = { a, b };
	for (size_t i = 0; i < 2; i++) {
		struct place place;
		bool is_place = parse_place(texts[i], &place);
		release_place(&place);
		if (!is_place) {
			err_hint(err, "a place is FILE:LINE, FILE:LINE:COLUMN or a site number");
			return err_set(err, EINVAL, "\"%s\" is not a place", texts[i]);
		}
	}
	return 0;
}

/* Whether one is the other, or what follows a slash of it. */
static bool is_file(const char *file, const char *requested)
{
	size_t size = strlen(file), requested_size = strlen(requested);
	while (strncmp(requested, "./", 2) == 0) {
		requested += 2;
		requested_size -= 2;
	}
	if (strcmp(file, requested) == 0)
		return true;
	if (requested[0] == '/' && requested_size > size)
		return requested[requested_size - size - 1] == '/' &&
		       strcmp(requested + requested_size - size, file) == 0;
	return size > requested_size && file[size - requested_size - 1] == '/' &&
	       strcmp(file + size - requested_size, requested) == 0;
}

/* Whether some code of the program is in the file; true of a site, which is in one. */
static bool is_present(const struct whole *whole, const struct place *requested)
{
	if (!requested->file)
		return true;
	for (uint32_t i = 0; i < whole->place_count; i++)
		if (whole->place[i].file && is_file(whole->place[i].file, requested->file))
			return true;
	for (uint32_t i = 0; i < whole->function_count; i++)
		if (whole->function[i].file && is_file(whole->function[i].file, requested->file))
			return true;
	return false;
}

static bool is_at(const struct whole *whole, uint32_t place, const struct place *requested, bool is_through)
{
	for (unsigned steps = 0; place < whole->place_count && steps < 1000; steps++) {
		const struct whole_place *row = &whole->place[place];
		if (row->file && row->line == requested->line && is_file(row->file, requested->file) &&
		    (!requested->column || requested->column == row->column))
			return true;
		if (!is_through)
			return false;
		place = row->inlined_at;
	}
	return false;
}

static bool is_asked(const struct explanation *self, uint32_t access, const struct place *requested, bool is_through)
{
	const struct whole *whole = self->parts->whole;
	const struct whole_access *row = &whole->access[access];
	const struct whole_instruction *instruction = &whole->instruction[row->instruction];
	if (requested->function)
		return row->ordinal == requested->ordinal && self->same[instruction->function] == requested->same &&
		       strcmp(whole->function[instruction->function].name, requested->function) == 0;
	return is_at(whole, instruction->place, requested, is_through);
}

/* Accesses that are written there; if there are none, those of functions that were inlined there. Caller frees. */
static uint32_t *find_accesses(const struct explanation *self, const struct place *requested, uint32_t *count)
{
	const struct whole *whole = self->parts->whole;
	uint32_t *found = mem_alloc((whole->access_count + 1) * sizeof *found);
	*count = 0;
	for (int is_through = 0; is_through < 2 && !*count; is_through++)
		for (uint32_t i = 0; i < whole->access_count; i++)
			if (whole->access[i].kind != HEDDLE_ACCESS_FENCE && is_asked(self, i, requested, is_through))
				found[(*count)++] = i;
	return found;
}

static bool is_write(const struct whole_access *access)
{
	return access->kind != HEDDLE_ACCESS_READ && access->kind != HEDDLE_ACCESS_ATOMIC_READ;
}

static bool is_atomic(const struct whole_access *access)
{
	return access->kind >= HEDDLE_ACCESS_ATOMIC_READ && access->kind <= HEDDLE_ACCESS_ATOMIC_EXCHANGE;
}

static bool may_touch(struct points_location a, uint64_t a_size, struct points_location b, uint64_t b_size)
{
	if (a.object != b.object)
		return false;
	if (a.offset == POINTS_ANYWHERE || b.offset == POINTS_ANYWHERE || !a_size || !b_size)
		return true;
	return a.offset < b.offset + b_size && b.offset < a.offset + a_size;
}

static void add_objects(struct explanation *self, const char *name, uint32_t pointer)
{
	struct points_set set = points_of_value(self->parts->points, pointer);
	uint32_t last = WHOLE_NONE, added = 0, count = 0;
	json_open_array(&self->out, name);
	for (uint32_t i = 0; i < set.count; i++) {
		uint32_t object = points_location(self->parts->points, set.items[i]).object;
		if (object == last)
			continue;
		last = object;
		count++;
		if (added == MAX_ROWS)
			continue;
		added++;
		output_object(&self->out, NULL, self->parts->whole, object);
	}
	json_close_array(&self->out);
	char *count_name = mem_format("%s_count", name);
	json_add_number(&self->out, count_name, count);
	free(count_name);
}

/* The roots of an access's visits, each once. */
static void add_roots(struct explanation *self, const char *name, uint32_t access)
{
	const struct flow *flow = self->parts->flow;
	const struct flow_visit *visits = flow_visits(flow, access);
	uint32_t added = 0;
	json_open_array(&self->out, name);
	for (uint32_t i = 0; i < flow_visit_count(flow, access) && added < MAX_ROWS; i++) {
		bool is_told = false;
		for (uint32_t j = 0; j < i; j++)
			is_told |= visits[j].root == visits[i].root;
		if (is_told)
			continue;
		added++;
		output_root(&self->out, NULL, self->parts->whole, flow_root(flow, visits[i].root));
	}
	json_close_array(&self->out);
}

/* One lock of the first set that alone keeps the two apart. */
static const struct flow_lock *common_lock(struct flow_locks a, uint64_t offset_a, struct flow_locks b,
					   uint64_t offset_b)
{
	for (uint32_t i = 0; i < a.count; i++) {
		struct flow_locks one = { &a.items[i], 1 };
		if (races_have_common_lock(one, offset_a, b, offset_b))
			return &a.items[i];
	}
	return NULL;
}

static void verdict(struct explanation *self, const char *word)
{
	json_add_string(&self->out, "verdict", word);
}

static void add_candidate(struct explanation *self, const struct races_pair *pair, uint32_t a)
{
	const struct flow *flow = self->parts->flow;
	const struct races_side *first = pair->a.access == a ? &pair->a : &pair->b,
				*second = first == &pair->a ? &pair->b : &pair->a;
	const struct whole_access *accesses = self->parts->whole->access;
	verdict(self, "candidate");
	json_add_number(&self->out, "score", races_percent(pair->score));
	output_doubts(&self->out, "doubts", pair->doubts);
	output_object(&self->out, "object", self->parts->whole, pair->object);
	json_open_array(&self->out, "roots_a");
	output_root(&self->out, NULL, self->parts->whole, flow_root(flow, first->root));
	json_close_array(&self->out);
	json_open_array(&self->out, "roots_b");
	output_root(&self->out, NULL, self->parts->whole, flow_root(flow, second->root));
	json_close_array(&self->out);
	output_locks(&self->out, "locks_a", self->parts, flow_locks(flow, first->locks),
		     accesses[first->access].instruction, first->root);
	output_locks(&self->out, "locks_b", self->parts, flow_locks(flow, second->locks),
		     accesses[second->access].instruction, second->root);
}

/* The further down the list, the nearer to a race; the nearest is reported. */
enum nearness { NEAR_NOT, NEAR_OTHER_PART, NEAR_THREAD_LOCAL, NEAR_UNSHARED, NEAR_ORDERED, NEAR_LOCKED, NEAR_OPEN };

static const char *const nearness_words[] = {
	[NEAR_NOT] = "no-alias",      [NEAR_OTHER_PART] = "other-part", [NEAR_THREAD_LOCAL] = "thread-local",
	[NEAR_UNSHARED] = "unshared", [NEAR_ORDERED] = "ordered",       [NEAR_LOCKED] = "locked",
	[NEAR_OPEN] = "candidate",
};

struct meeting {
	enum nearness nearness;
	uint32_t object;
	const struct flow_lock *lock;
};

/* Threads, then locks, of two accesses that meet at two locations of an object. */
static struct meeting meet_visits(const struct explanation *self, uint32_t a, struct points_location p, uint32_t b,
				  struct points_location q)
{
	const struct flow *flow = self->parts->flow;
	const struct flow_visit *x = flow_visits(flow, a), *y = flow_visits(flow, b);
	struct meeting meeting = { .nearness = NEAR_ORDERED, .object = p.object };
	for (uint32_t i = 0; i < flow_visit_count(flow, a) && i < MAX_VISITS; i++)
		for (uint32_t j = 0; j < flow_visit_count(flow, b) && j < MAX_VISITS; j++) {
			if (!flow_may_overlap(flow, &x[i], &y[j]))
				continue;
			const struct flow_lock *lock = common_lock(flow_locks(flow, x[i].locks), p.offset,
								   flow_locks(flow, y[j].locks), q.offset);
			enum nearness nearness = lock ? NEAR_LOCKED : NEAR_OPEN;
			if (nearness > meeting.nearness)
				meeting = (struct meeting){ nearness, p.object, lock };
		}
	return meeting;
}

static struct meeting meet_at(const struct explanation *self, uint32_t a, struct points_location p, uint32_t b,
			      struct points_location q)
{
	const struct whole *whole = self->parts->whole;
	struct meeting meeting = { .nearness = NEAR_NOT, .object = p.object };
	if (p.object != q.object || p.object >= whole->object_count)
		return meeting;
	const struct whole_object *object = &whole->object[p.object];
	meeting.nearness = NEAR_OTHER_PART;
	bool is_free = (whole->access[a].flags | whole->access[b].flags) & WHOLE_ACCESS_FREE;
	if (!may_touch(p, whole->access[a].size_bytes, q, whole->access[b].size_bytes) ||
	    (is_free && !whole_can_be_freed(whole, p.object)))
		return meeting;
	if (object->kind == WHOLE_THREAD_LOCAL && !self->is_shared[p.object])
		meeting.nearness = NEAR_THREAD_LOCAL;
	else if (!self->is_shared[p.object] || object->is_constant || object->kind == WHOLE_CODE)
		meeting.nearness = NEAR_UNSHARED;
	else
		meeting = meet_visits(self, a, p, b, q);
	return meeting;
}

static struct meeting meet(const struct explanation *self, uint32_t a, uint32_t b)
{
	const struct output_parts *parts = self->parts;
	struct points_set x = points_of_value(parts->points, parts->whole->access[a].pointer),
			  y = points_of_value(parts->points, parts->whole->access[b].pointer);
	struct meeting nearest = { .nearness = NEAR_NOT, .object = WHOLE_NONE };
	for (uint32_t i = 0; i < x.count; i++)
		for (uint32_t j = 0; j < y.count && nearest.nearness < NEAR_OPEN; j++) {
			struct meeting meeting = meet_at(self, a, points_location(parts->points, x.items[i]), b,
							 points_location(parts->points, y.items[j]));
			if (meeting.nearness > nearest.nearness)
				nearest = meeting;
		}
	return nearest;
}

static void add_meeting(struct explanation *self, uint32_t a, uint32_t b)
{
	const struct whole *whole = self->parts->whole;
	uint32_t a_count = flow_visit_count(self->parts->flow, a), b_count = flow_visit_count(self->parts->flow, b);
	struct meeting meeting = meet(self, a, b);
	if (!a_count || !b_count) {
		verdict(self, "unreached");
		json_add_string(&self->out, "unreached", a_count ? "b" : b_count ? "a" : "both");
	} else {
		verdict(self, nearness_words[meeting.nearness]);
	}
	if (meeting.object != WHOLE_NONE)
		output_object(&self->out, "object", whole, meeting.object);
	if (meeting.lock)
		output_lock(&self->out, "lock", whole, meeting.lock);
	add_roots(self, "roots_a", a);
	add_roots(self, "roots_b", b);
	add_objects(self, "objects_a", whole->access[a].pointer);
	add_objects(self, "objects_b", whole->access[b].pointer);
}

static void explain_pair(struct explanation *self, uint32_t a, uint32_t b)
{
	const struct whole *whole = self->parts->whole;
	const struct whole_access *x = &whole->access[a], *y = &whole->access[b];
	struct races_pair pair;
	json_open_object(&self->out, NULL);
	output_access(&self->out, "a", whole, a, self->same[whole->instruction[x->instruction].function]);
	output_access(&self->out, "b", whole, b, self->same[whole->instruction[y->instruction].function]);
	if (races_pair(self->parts->races, a, b, &pair))
		add_candidate(self, &pair, a);
	else if (!is_write(x) && !is_write(y))
		verdict(self, "no-write");
	else if (is_atomic(x) && is_atomic(y))
		verdict(self, "both-atomic");
	else
		add_meeting(self, a, b);
	json_close_object(&self->out);
}

/* Each pair once, also when both places are the same. Candidates are counted among all of them. */
static void explain_pairs(struct explanation *self, const uint32_t *a, uint32_t a_count, const uint32_t *b,
			  uint32_t b_count)
{
	uint32_t added = 0, count = 0, candidates = 0;
	unsigned best = 0;
	struct races_pair pair;
	json_open_array(&self->out, "pairs");
	for (uint32_t i = 0; i < a_count; i++)
		for (uint32_t j = 0; j < b_count; j++) {
			bool is_double = false;
			for (uint32_t k = 0; k < i && !is_double; k++)
				for (uint32_t l = 0; l < b_count && !is_double; l++)
					is_double = a[k] == b[j] && b[l] == a[i];
			if (is_double)
				continue;
			count++;
			if (races_pair(self->parts->races, a[i], b[j], &pair)) {
				candidates++;
				best = races_percent(pair.score) > best ? races_percent(pair.score) : best;
			}
			if (added == MAX_PAIRS)
				continue;
			added++;
			json_line(&self->out);
			explain_pair(self, a[i], b[j]);
		}
	json_close_array(&self->out);
	json_add_number(&self->out, "pair_count", count);
	json_add_number(&self->out, "candidates", candidates);
	json_add_number(&self->out, "score", best);
}

void explain_all(FILE *to, const struct output_header *about, const struct output_parts *parts, const char *a,
		 const char *b)
{
	struct explanation self = {
		.parts = parts,
		.same = output_count_same(parts->whole),
		.is_shared = races_shared_objects(parts->whole, parts->points, parts->flow),
	};
	struct buf text = { 0 };
	struct place x, y;
	uint32_t x_count, y_count;
	if (!parse_place(a, &x) || !parse_place(b, &y))
		BUG("invalid places: \"%s\" and \"%s\"", a, b);
	uint32_t *xs = find_accesses(&self, &x, &x_count), *ys = find_accesses(&self, &y, &y_count);
	json_begin_file(&self.out, &text);
	output_head(&self.out, about);
	json_line(&self.out);
	json_open_object(&self.out, "explain");
	json_add_string(&self.out, "a", a);
	json_add_string(&self.out, "b", b);
	json_add_number(&self.out, "accesses_a", x_count);
	json_add_number(&self.out, "accesses_b", y_count);
	json_add_bool(&self.out, "has_file_a", is_present(parts->whole, &x));
	json_add_bool(&self.out, "has_file_b", is_present(parts->whole, &y));
	explain_pairs(&self, xs, x_count, ys, y_count);
	json_close_object(&self.out);
	json_end_file(&self.out);
	fwrite(text.data, 1, text.size, to);
	free(xs);
	free(ys);
	release_place(&x);
	release_place(&y);
	free(self.same);
	free(self.is_shared);
	buf_release(&text);
}
