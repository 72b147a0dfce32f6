/* detail.c: describes races and memory errors in full: which thread did what and where, with which locks, on what
 * memory. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "judge/judge_priv.h"
#include "symbols/woven.h"

static const char *const present[REPORT_ACCESS_COUNT] = {
	[REPORT_READ] = "reads",
	[REPORT_WRITE] = "writes",
	[REPORT_ATOMIC_READ] = "reads (atomically)",
	[REPORT_ATOMIC_WRITE] = "writes (atomically)",
	[REPORT_FREE] = "frees",
	[REPORT_REALLOC] = "resizes",
	[REPORT_ALLOCATION] = "allocates",
};

static const char *const past[REPORT_ACCESS_COUNT] = {
	[REPORT_READ] = "read",
	[REPORT_WRITE] = "wrote",
	[REPORT_ATOMIC_READ] = "read (atomically)",
	[REPORT_ATOMIC_WRITE] = "wrote (atomically)",
	[REPORT_FREE] = "freed",
	[REPORT_REALLOC] = "resized",
	[REPORT_ALLOCATION] = "allocated",
};

struct describer {
	struct finding *finding;
	struct buf *out;
	struct scene *scene;
	const struct second_look *second; /* null: there was none */
	bool is_hypothetical;             /* of struct judge */
};

/* What the second pass saw of it; null when it did not. */
static const struct report_watch *seen(const struct describer *self, uint32_t watch)
{
	return self->second ? second_look_watch(self->second, watch) : NULL;
}

/* The calls around a place that was already reported: without the innermost one of the program's own. */
static void describe_callers(struct describer *self, const struct report_watch *watch, const char *indent)
{
	struct stack_places places;
	stack_of_thread(&places, self->scene->unwinder, self->scene->symbols, &watch->thread);
	size_t at = 0;
	while (at < places.count && places.items[at].is_library)
		at++;
	for (at++; at < places.count; at++) {
		buf_format(self->out, "%s  called from ", indent);
		stack_describe(self->out, self->scene->symbols, &places.items[at]);
		buf_add_string(self->out, "\n");
	}
	if (places.is_cut)
		buf_format(self->out,
			   "%s  called from more functions: the stack is too large to be reported "
			   "completely\n",
			   indent);
}

static void describe_locks(struct describer *self, const struct report_watch *watch)
{
	for (size_t i = 0; i < watch->held_count; i++) {
		struct scene_place place;
		buf_add_string(self->out,
			       strcmp(watch->held[i].mode, "shared") == 0 ? "  holding (for reading) " : "  holding ");
		symbols_describe_object(self->out, self->scene->symbols, watch->held[i].lock);
		buf_add_string(self->out, ", taken at ");
		scene_taking_place(self->scene, &watch->held[i], &place);
		scene_describe_place(self->out, &place);
		buf_add_string(self->out, "\n");
	}
	if (!watch->held_count)
		buf_add_string(self->out, "  holding no lock\n");
}

static bool is_write(const struct report_access *access)
{
	return access->kind == REPORT_WRITE || access->kind == REPORT_ATOMIC_WRITE;
}

/* What the memory was and became, in the words of the source. False when that is not known. */
static bool find_values(struct describer *self, const struct report_watch *watch, const struct report_access *access,
			uint64_t values[2])
{
	uint32_t index;
	struct woven_site site;
	struct symbols *symbols = self->scene->symbols;
	const struct woven *woven = symbols_site(symbols, access->place, &index);
	values[0] = watch->before;
	values[1] = watch->after;
	if (!watch->has_value || !woven || !woven_site(woven, index, &site) ||
	    !(site.record.flags & HEDDLE_SITE_ENCODED))
		return watch->has_value;
	uint64_t address = self->finding->evidence.origin == FINDING_OF_RACE ? self->finding->evidence.race.address
									     : self->finding->evidence.memory.address;
	return symbols_decode(symbols, address, &values[0]) && symbols_decode(symbols, address, &values[1]);
}

static void describe_value(struct describer *self, const struct report_watch *watch, const struct report_access *access)
{
	uint64_t values[2];
	if (!find_values(self, watch, access, values))
		return;
	buf_add_string(self->out, "  it was ");
	finding_describe_value(self->out, values[0]);
	if (is_write(access)) {
		buf_add_string(self->out, " and became ");
		finding_describe_value(self->out, values[1]);
	}
	buf_add_string(self->out, "\n");
}

static void describe_start(struct describer *self, const struct report_thread *thread)
{
	struct buf start = { 0 };
	if (stack_describe_start(&start, self->scene->unwinder, self->scene->symbols, thread))
		buf_format(self->out, " (%s)", start.data);
	buf_release(&start);
}

static void describe_access(struct describer *self, const struct report_access *access, const struct scene_place *place,
			    const char *event_text, uint32_t number)
{
	const struct report_watch *watch = seen(self, number);
	buf_format(self->out, "thread %" PRIu32, access->thread);
	if (watch)
		describe_start(self, &watch->thread);
	buf_format(self->out, " %s%s", event_text, scene_preposition(place));
	scene_describe_place(self->out, place);
	buf_add_string(self->out, "\n");
	if (!watch)
		return;
	/* The place of a free in a race may be that of the access before it. */
	const bool is_of_before = place->is_before && self->finding->evidence.origin == FINDING_OF_RACE;
	describe_callers(self, is_of_before ? seen(self, SECOND_BEFORE) : watch, "");
	describe_value(self, watch, access);
	describe_locks(self, watch);
}

/* Where a watch was, in the program's own code. Of a free it may be the access before that. */
static void act_place(struct describer *self, uint32_t number, struct scene_place *place)
{
	const struct report_watch *watch = seen(self, number), *before = seen(self, SECOND_BEFORE);
	scene_own_place(self->scene, &watch->thread, place);
	if (number == SECOND_FREED && before && before->thread.index == watch->thread.index)
		scene_find_caller(self->scene, &before->thread, true, place);
}

/* The place that called the innermost function of the program's own; "" when there is none. The caller releases it. */
static void find_caller(struct describer *self, const struct report_watch *watch, struct buf *caller)
{
	struct stack_places places;
	stack_of_thread(&places, self->scene->unwinder, self->scene->symbols, &watch->thread);
	buf_add_string(caller, "");
	judge_add_caller_place(caller, &places);
}

/* "allocated by thread 1 at x.c:3 in make" */
static void describe_act(struct describer *self, const char *what, uint32_t number, struct finding_act act)
{
	const struct report_watch *watch = seen(self, number);
	struct scene_place place;
	if (!watch)
		return;
	act_place(self, number, &place);
	buf_format(self->out, "%s by thread %" PRIu32, what, watch->thread.index);
	describe_start(self, &watch->thread);
	buf_add_string(self->out, scene_preposition(&place));
	scene_describe_place(self->out, &place);
	buf_add_string(self->out, "\n");
	describe_callers(self, watch, "");
	if (number == SECOND_FREED)
		describe_locks(self, watch);
	struct buf name = { 0 }, caller = { 0 };
	if (stack_describe_start(&name, self->scene->unwinder, self->scene->symbols, &watch->thread))
		act.by_name = name.data;
	find_caller(self, watch, &caller);
	act.caller = caller.data;
	act.by = watch->thread.index;
	act.event = watch->event;
	act.file = place.file;
	act.line = place.line;
	act.function = place.function;
	finding_add_act(self->finding, &act);
	buf_release(&caller);
	buf_release(&name);
}

static void describe_block(struct describer *self, uint64_t address, uint64_t start, uint64_t size)
{
	uint64_t offset = address - start, distance = offset < size ? offset : offset - size;
	buf_add_string(self->out, "that is ");
	if (distance || offset >= size)
		buf_format(self->out, "%" PRIu64 " byte%s %s", distance, distance == 1 ? "" : "s",
			   offset < size ? "into" : "past");
	else
		buf_add_string(self->out, "the start of");
	buf_format(self->out, " a block of %" PRIu64 " byte%s at 0x%" PRIx64 "\n", size, size == 1 ? "" : "s", start);
	if (self->finding->evidence.origin == FINDING_OF_RACE &&
	    self->finding->evidence.race.earlier.kind == REPORT_ALLOCATION) {
		struct buf known = { 0 }, *out = self->out; /* it is one of the two already */
		self->out = &known;
		describe_act(self, "allocated", SECOND_MADE, (struct finding_act){ .kind = FINDING_ALLOCATED });
		self->out = out;
		buf_release(&known);
	} else {
		describe_act(self, "allocated", SECOND_MADE, (struct finding_act){ .kind = FINDING_ALLOCATED });
	}
	describe_act(self, "freed", SECOND_FREED, (struct finding_act){ .kind = FINDING_FREED });
}

static void describe_creations(struct describer *self)
{
	for (uint32_t i = self->second ? self->second->first_thread : 0; self->second && i < self->second->count; i++) {
		char words[64];
		snprintf(words, sizeof words, "thread %" PRIu32 " was created", self->second->threads[i]);
		describe_act(self, words, i,
			     (struct finding_act){ .kind = FINDING_CREATED, .thread = self->second->threads[i] });
	}
}

/* When it happened, in which thread, and the old and new values of the memory. access: null for anything
 * else. */
static void set_moment(struct describer *self, struct finding *finding, size_t site, uint32_t number,
		       const struct report_access *access)
{
	const struct report_watch *watch = seen(self, number);
	struct finding_site *set = &finding->evidence.sites[site];
	struct buf name = { 0 }, caller = { 0 };
	if (!watch)
		return;
	find_caller(self, watch, &caller);
	set->caller = finding_keep(finding, caller.data);
	buf_release(&caller);
	if (stack_describe_start(&name, self->scene->unwinder, self->scene->symbols, &watch->thread))
		set->thread_name = finding_keep(finding, name.data);
	buf_release(&name);
	set->event = watch->event;
	for (size_t i = 0; i < watch->held_count; i++) {
		struct buf lock = { 0 };
		struct scene_place place;
		if (!symbols_describe_object(&lock, self->scene->symbols, watch->held[i].lock)) {
			lock.size = 0;
			buf_add_string(&lock, "the lock of ");
			scene_taking_place(self->scene, &watch->held[i], &place);
			scene_describe_line(&lock, &place);
		}
		strings_add(&set->held, lock.data);
		buf_release(&lock);
	}
	if (!access)
		return;
	uint64_t values[2];
	set->has_value = find_values(self, watch, access, values);
	set->is_changed = is_write(access);
	set->value_before = values[0];
	set->value_after = values[1];
}

static void describe_race(struct describer *self, const struct report_race *race, const struct scene_place places[2],
			  const char *object)
{
	const struct report_watch *watch = seen(self, SECOND_LATER);
	char *later = mem_format("%s %s", present[race->later.kind], object),
	     *earlier = mem_format("%s it earlier", past[race->earlier.kind]);
	describe_access(self, &race->later, &places[0], later, SECOND_LATER);
	describe_access(self, &race->earlier, &places[1], earlier, SECOND_EARLIER);
	free(later);
	free(earlier);
	if (watch && watch->has_block)
		describe_block(self, race->address, watch->block_start, watch->block_size);
}

/* The function of a library that the program called to free it; null: free itself. */
static const char *freeing_function(struct describer *self)
{
	const struct report_watch *watch = seen(self, SECOND_LATER);
	struct stack_places places;
	if (!watch)
		return NULL;
	stack_of_thread(&places, self->scene->unwinder, self->scene->symbols, &watch->thread);
	return places.count && places.items[0].is_library ? places.items[0].symbol.function : NULL;
}

static void describe_memory(struct describer *self, const struct report_memory *memory, const struct scene_place *place,
			    const char *object)
{
	struct buf event_text = { 0 };
	if (report_is_bad_free(memory))
		judge_free_event_text(&event_text, memory, freeing_function(self));
	else
		buf_format(&event_text, "%s %s", present[memory->access.kind], object);
	describe_access(self, &memory->access, place, event_text.data, SECOND_LATER);
	buf_release(&event_text);
	if (memory->state != REPORT_NEVER)
		describe_block(self, memory->address, memory->start, memory->block_size);
}

/* Where a lock was taken, and the calls that led there; for a lock taken in a library, the program's own place that
 * called it. */
static void describe_acquisition(struct describer *self, struct finding *finding, uint64_t code, uint32_t number,
				 uint32_t thread, const char *indent)
{
	const struct report_watch *watch = seen(self, number);
	struct scene_place place;
	scene_place(self->scene, code, &place);
	if (watch)
		scene_find_caller(self->scene, &watch->thread, false, &place);
	buf_add_string(self->out, scene_preposition(&place));
	scene_describe_place(self->out, &place);
	buf_add_string(self->out, "\n");
	if (watch)
		describe_callers(self, watch, indent);
	scene_add_site(finding, &place, "lock", thread);
	set_moment(self, finding, finding->evidence.site_count - 1, number, NULL);
}

static void learn_taken(struct describer *self, uint64_t lock, uint64_t code, uint32_t number)
{
	const struct report_watch *watch = seen(self, number);
	uint64_t addresses[MAX_STACK_DEPTH];
	struct symbol_calls calls = { &code, 1, false };
	if (watch)
		calls = (struct symbol_calls){
			addresses, unwind_thread(self->scene->unwinder, &watch->thread, addresses, MAX_STACK_DEPTH),
			true
		};
	if (!calls.count)
		calls = (struct symbol_calls){ &code, 1, false };
	symbols_learn(self->scene->symbols, lock, &calls, HEDDLE_NAMED_LOCK);
}

static void describe_orders(struct describer *self, struct finding *finding)
{
	for (size_t i = 0; i < finding->evidence.order_count; i++) {
		const struct heddle_lock_pair *pair = &finding->evidence.orders[i].pair;
		learn_taken(self, pair->first_lock, pair->first_code, SECOND_HELD(i));
		learn_taken(self, pair->second_lock, pair->second_code, SECOND_TAKEN(i));
	}
	judge_order_summary(self->scene, finding);
	for (size_t i = 0; i < finding->evidence.order_count; i++) {
		const struct finding_order *order = &finding->evidence.orders[i];
		const struct report_watch *watch = seen(self, SECOND_TAKEN(i));
		buf_format(self->out, "thread %" PRIu32, order->thread);
		if (watch)
			describe_start(self, &watch->thread);
		buf_add_string(self->out, " took ");
		symbols_describe_object(self->out, self->scene->symbols, order->pair.second_lock);
		describe_acquisition(self, finding, order->pair.second_code, SECOND_TAKEN(i), order->thread, "");
		buf_add_string(self->out, "  while holding ");
		symbols_describe_object(self->out, self->scene->symbols, order->pair.first_lock);
		buf_add_string(self->out, ", taken");
		describe_acquisition(self, finding, order->pair.first_code, SECOND_HELD(i), order->thread, "  ");
	}
	describe_creations(self);
	uint32_t tried = finding->evidence.cycle->tried;
	if (tried)
		buf_format(self->out, "%" PRIu32 " schedule%s steered towards this deadlock without reaching it\n",
			   tried, tried == 1 ? " was" : "s were");
}

static void sum_up_bytes(struct buf *out, uint64_t size, uint64_t address)
{
	buf_format(out, " (%" PRIu64 " byte%s at 0x%" PRIx64 ")", size, size == 1 ? "" : "s", address);
}

static void sum_up_race(struct finding *finding, const struct scene_place places[2], const char *object)
{
	const struct report_race *race = &finding->evidence.race;
	const struct report_access *accesses[] = { &race->later, &race->earlier };
	buf_format(&finding->presentation.summary, "data race on %s", object);
	sum_up_bytes(&finding->presentation.summary, race->size, race->address);
	for (int i = 0; i < 2; i++) {
		const char *word = judge_access_words[accesses[i]->kind];
		buf_format(&finding->presentation.summary, "%s %s%s", i ? "," : ":", word,
			   scene_preposition(&places[i]));
		scene_describe_line(&finding->presentation.summary, &places[i]);
		scene_add_site(finding, &places[i], word, accesses[i]->thread);
	}
}

static void sum_up_memory(struct finding *finding, const struct scene_place *place, const char *object)
{
	static const char *const titles[REPORT_STATE_COUNT] = {
		[REPORT_FREED] = "use after free",
		[REPORT_BEYOND] = "access beyond the end of a heap block",
		[REPORT_NEVER] = "access to heap memory that was never allocated",
	};
	const struct report_memory *memory = &finding->evidence.memory;
	const char *word = judge_access_words[memory->access.kind];
	buf_format(&finding->presentation.summary, "%s: %s", titles[memory->state], object);
	sum_up_bytes(&finding->presentation.summary, memory->size, memory->address);
	buf_format(&finding->presentation.summary, ": %s at ", word);
	scene_describe_line(&finding->presentation.summary, place);
	scene_add_site(finding, place, word, memory->access.thread);
}

static void sum_up_free(struct describer *self, struct finding *finding, const struct scene_place *place,
			const char *object)
{
	const struct report_memory *memory = &finding->evidence.memory;
	const char *word = judge_access_words[memory->access.kind];
	struct buf *out = &finding->presentation.summary;
	struct scene_place freed;
	judge_free_title(out, memory);
	buf_format(out, ": %s (at 0x%" PRIx64 "): %s%s", object, memory->address, word, scene_preposition(place));
	scene_describe_line(out, place);
	if (memory->state == REPORT_FREED && seen(self, SECOND_FREED)) {
		act_place(self, SECOND_FREED, &freed);
		buf_format(out, ", already freed%s", freed.is_before ? ", after " : " at ");
		scene_describe_line(out, &freed);
	}
	scene_add_site(finding, place, word, memory->access.thread);
}

/* Of what is freed wrongly; else as it is called in the program. */
static void describe_object(struct describer *self, struct buf *out, const struct finding *finding,
			    const struct scene_place places[2])
{
	struct scene_place made;
	if (finding_is_bad_free(finding)) {
		bool is_made = seen(self, SECOND_MADE);
		if (is_made)
			act_place(self, SECOND_MADE, &made);
		judge_free_object(out, &finding->evidence.memory, is_made ? &made : NULL);
		return;
	}
	uint64_t address = finding->evidence.origin == FINDING_OF_RACE ? finding->evidence.race.address
								       : finding->evidence.memory.address;
	scene_describe_object(out, self->scene, address, &places[0], &places[1]);
}

/* Places in libraries become those that called them, from the stacks; of a free, from that of the access before it, if there is one. */
static void find_places(struct describer *self, const struct finding *finding, struct scene_place places[2])
{
	const bool is_race = finding->evidence.origin == FINDING_OF_RACE;
	const struct report_watch *before = seen(self, SECOND_BEFORE);
	judge_origin_places(self->scene, finding, places);
	if (is_race && finding->evidence.race.later.kind == REPORT_FREE && before &&
	    before->thread.index == finding->evidence.race.later.thread)
		scene_find_caller(self->scene, &before->thread, true, &places[0]);
	for (uint32_t i = 0; i < (is_race ? 2u : 1u); i++) {
		const struct report_watch *watch = seen(self, i == 0 ? SECOND_LATER : SECOND_EARLIER);
		if (watch)
			scene_find_caller(self->scene, &watch->thread, false, &places[i]);
	}
	before = seen(self, SECOND_EARLIER);
	if (finding_is_bad_free(finding) && before && before->thread.index == finding->evidence.memory.access.thread)
		scene_find_caller(self->scene, &before->thread, true, &places[0]);
	if (!is_race)
		places[1] = places[0];
}

/* The stacks that ThreadSanitizer would match suppressions with: of both accesses, of the access and the free, of the
 * second lock of each thread. */
static void collect(struct describer *self, struct finding *finding, const struct scene_place places[2],
		    const char *object)
{
	const struct report_watch *later = seen(self, SECOND_LATER), *earlier = seen(self, SECOND_EARLIER),
				  *freed = seen(self, SECOND_FREED);
	if (finding->evidence.origin == FINDING_OF_RACE) {
		(finding->evidence.race.later.kind == REPORT_FREE ? judge_add_free : judge_add_stack)(
			self->scene, finding, finding->evidence.race.later.place, later ? &later->thread : NULL);
		if (finding->evidence.race.earlier.kind == REPORT_FREE && earlier)
			judge_add_free(self->scene, finding, 0, &earlier->thread);
		else
			judge_add_stack(self->scene, finding, finding->evidence.race.earlier.place,
					earlier ? &earlier->thread : NULL);
		judge_add_global(self->scene, finding, finding->evidence.race.address);
	} else if (finding->evidence.origin == FINDING_OF_MEMORY) {
		(finding_is_bad_free(finding) ? judge_add_free : judge_add_stack)(
			self->scene, finding, finding->evidence.memory.access.place, later ? &later->thread : NULL);
		if (finding->evidence.memory.state == REPORT_FREED && freed)
			judge_add_free(self->scene, finding, 0, &freed->thread);
	}
	for (size_t i = 0; finding->evidence.origin == FINDING_OF_ORDERS && i < finding->evidence.order_count; i++) {
		const struct report_watch *taken = seen(self, SECOND_TAKEN(i));
		judge_add_stack(self->scene, finding, finding->evidence.orders[i].pair.second_code,
				taken ? &taken->thread : NULL);
	}
	if (object)
		strings_add(&finding->evidence.objects, object);
	for (int i = 0; object && i < 2; i++)
		if (places[i].variable)
			strings_add(&finding->evidence.objects, places[i].variable);
}

/* It is at the places of one that is suppressed, and is not: from here on what is seen there is this one. */
static void replace_suppressed(struct findings *findings, struct finding *finding, struct finding *suppressed,
			       struct buf *key, const struct scene_place places[2])
{
	struct buf exact = { 0 };
	judge_origin_key(&exact, finding, places, true);
	findings_add_key(findings, finding, key->data);
	findings_add_key(findings, finding, exact.data);
	suppressed->evidence.seen -= finding->identity.is_look;
	buf_format(key, " beside %s", suppressed->identity.name);
	findings_rename(findings, finding, key->data);
	buf_release(&exact);
}

/* Another look at a suppressed finding is not a variant of it. */
static void merge(struct findings *findings, struct finding *finding, struct finding *known)
{
	uint64_t variants = known->evidence.variants;
	bool is_look = finding->identity.is_look;
	findings_merge(findings, finding, known);
	if (is_look)
		known->evidence.variants = variants;
}

/* Now that its places are known: is it another one? */
static struct finding *settle(struct judge *judge, struct finding *finding, const struct scene_place places[2])
{
	struct buf key = { 0 };
	struct finding *known = finding;
	judge_origin_key(&key, finding, places, false);
	if (strcmp(key.data, finding->identity.key) != 0) {
		known = findings_get(&judge->findings, finding->identity.kind, key.data);
		if (known && known->identity.suppression && !suppressions_has(judge->suppressions, finding)) {
			replace_suppressed(&judge->findings, finding, known, &key, places);
			known = finding;
		} else if (known) {
			merge(&judge->findings, finding, known);
		} else {
			findings_rename(&judge->findings, known = finding, key.data);
		}
	}
	buf_release(&key);
	return known;
}

/* What was proved of an access, in a word for JSON; null: nothing. */
static const char *proof_word(uint32_t flags)
{
	if (!(flags & HEDDLE_SITE_PROVED))
		return NULL;
	if (flags & HEDDLE_SITE_PROMISED)
		return "promised";
	if (flags & HEDDLE_SITE_LOCKED)
		return "locked";
	return flags & HEDDLE_SITE_SHARED ? "ordered" : "private";
}

/* Why nothing was to race with it. */
static void describe_proof(struct buf *out, const struct scene_place *place)
{
	uint32_t flags = place->site_flags;
	if (!(flags & HEDDLE_SITE_SHARED)) {
		buf_format(out, "no other thread uses the %s, or none writes to it",
			   flags & HEDDLE_SITE_QUIET ? "block" : "variable");
	} else if (!(flags & HEDDLE_SITE_LOCKED)) {
		buf_add_string(out, "threads use it only one after the other");
	} else if (!place->locks) {
		buf_add_string(out, "threads use it only with a lock held");
	} else {
		buf_format(out, "threads use it only with the lock%s ", strchr(place->locks, ',') ? "s" : "");
		text_terminal(out, place->locks);
		buf_add_string(out, " held");
	}
}

/* What was proved by synchronisation does not hold where some of it was skipped. */
static uint32_t proof_flags(const struct describer *self, const struct scene_place *place)
{
	bool is_void = self->is_hypothetical && place->site_flags & HEDDLE_SITE_SHARED;
	return is_void ? place->site_flags & ~(uint32_t)HEDDLE_SITE_PROVED : place->site_flags;
}

/* Only an audit sees a proved access in a race: then the proof is wrong. */
static void describe_proofs(struct describer *self, struct finding *finding, const struct scene_place *places,
			    size_t count)
{
	finding->evidence.proof_flags = 0;
	for (size_t i = 0; i < count; i++) {
		const uint32_t flags = proof_flags(self, &places[i]);
		const bool is_same = i && places[0].line == places[1].line && flags == proof_flags(self, &places[0]);
		if (i < finding->evidence.site_count) {
			finding->evidence.sites[i].proof = proof_word(flags);
			finding->evidence.sites[i].proof_locks =
				finding->evidence.sites[i].proof ? finding_keep(finding, places[i].locks) : NULL;
		}
		if (!(flags & HEDDLE_SITE_PROVED) || is_same)
			continue;
		finding->evidence.proof_flags |= flags;
		buf_add_string(self->out, flags & HEDDLE_SITE_PROMISED
						  ? "the build promised that only one thread uses the memory "
						    "accessed"
						  : "heddle-cc proved that nothing races with the access");
		buf_add_string(self->out, scene_preposition(&places[i]));
		scene_describe_line(self->out, &places[i]);
		if (flags & HEDDLE_SITE_PROMISED) {
			buf_add_string(self->out, " (--heddle-assume-private): the promise is wrong\n");
			continue;
		}
		buf_add_string(self->out, " (");
		describe_proof(self->out, &places[i]);
		buf_add_string(self->out, "): the proof is wrong\n");
	}
}

/* A race or a memory error, whose places are known. */
static void describe_finding(struct describer *self, struct finding *finding, const struct scene_place places[2],
			     const char *object)
{
	finding->presentation.object = finding_keep(finding, object);
	if (finding->evidence.origin == FINDING_OF_RACE) {
		sum_up_race(finding, places, object);
		set_moment(self, finding, 0, SECOND_LATER, &finding->evidence.race.later);
		set_moment(self, finding, 1, SECOND_EARLIER, &finding->evidence.race.earlier);
		describe_race(self, &finding->evidence.race, places, object);
	} else {
		if (finding_is_bad_free(finding))
			sum_up_free(self, finding, places, object);
		else
			sum_up_memory(finding, places, object);
		set_moment(self, finding, 0, SECOND_LATER, &finding->evidence.memory.access);
		describe_memory(self, &finding->evidence.memory, places, object);
	}
	describe_proofs(self, finding, places, finding->evidence.origin == FINDING_OF_RACE ? 2 : 1);
	describe_creations(self);
}

static void learn_held(struct symbols *symbols, const struct report_held *held)
{
	uint64_t all[1 + HEDDLE_MAX_CALLERS] = { held->code };
	memcpy(all + 1, held->callers, held->caller_count * sizeof *all);
	symbols_learn(symbols, held->lock, &(struct symbol_calls){ all, 1 + held->caller_count, false },
		      HEDDLE_NAMED_LOCK);
}

/* Locks on the heap and on stacks are called as they are where they were taken. */
static void learn_locks(struct symbols *symbols, const struct second_look *second)
{
	symbols_forget(symbols);
	for (uint32_t i = 0; i < SECOND_ROOM; i++) {
		const struct report_watch *watch = second_look_watch(second, i);
		for (size_t j = 0; watch && j < watch->held_count; j++)
			learn_held(symbols, &watch->held[j]);
	}
}

static void start(struct describer *self, struct judge *judge, struct finding *finding,
		  const struct second_look *second)
{
	*self = (struct describer){ finding, &finding->presentation.details, &judge->scene, second,
				    judge->is_hypothetical };
	if (second && second->report->module_count)
		scene_set(&judge->scene, second->report);
	if (second && judge->scene.symbols)
		learn_locks(judge->scene.symbols, second);
}

void judge_detail_again(struct judge *judge, struct finding *finding, const struct second_look *second)
{
	struct describer self;
	struct scene_place places[2];
	struct buf object = { 0 };
	finding_forget(finding);
	start(&self, judge, finding, second);
	find_places(&self, finding, places);
	describe_object(&self, &object, finding, places);
	if (judge->suppressions)
		collect(&self, finding, places, object.data);
	describe_finding(&self, finding, places, object.data);
	buf_release(&object);
}

struct finding *judge_detail(struct judge *judge, struct finding *finding, const struct second_look *second)
{
	struct describer self;
	struct scene_place places[2];
	struct buf object = { 0 };
	if (finding->evidence.origin == FINDING_OF_END)
		return finding;
	start(&self, judge, finding, second);
	if (finding->evidence.origin == FINDING_OF_ORDERS) {
		describe_orders(&self, finding);
		if (judge->suppressions)
			collect(&self, finding, NULL, NULL);
		return finding;
	}
	find_places(&self, finding, places);
	describe_object(&self, &object, finding, places);
	if (judge->suppressions)
		collect(&self, finding, places, object.data);
	struct finding *known = settle(judge, finding, places);
	if (known == finding)
		describe_finding(&self, finding, places, object.data);
	buf_release(&object);
	return known;
}
