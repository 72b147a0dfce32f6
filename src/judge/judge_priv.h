/* judge_priv.h: declarations that the parts of judge.h share: the inspection of one schedule. */
#ifndef JUDGE_JUDGE_PRIV_H
#define JUDGE_JUDGE_PRIV_H

#include "judge/judge.h"

struct inspection {
	struct judge *judge;
	const struct campaign_run *run;
	const struct report *report;
	struct judged *judged;
};

/* Counts the finding with this key. If it is new, returns it for the caller to describe; otherwise returns null.
 * Releases key. */
struct finding *inspection_add(struct inspection *self, enum finding_kind kind, struct buf *key);

/* Each of these looks for findings of its kinds. */
void judge_races(struct inspection *self);
void judge_memory(struct inspection *self);
void judge_end(struct inspection *self);
void judge_orders(struct inspection *self);
/* Makes the summary of a finding of lock orders. Called again when more names of locks are known. */
void judge_order_summary(struct scene *scene, struct finding *finding);
/* Called when a deadlock was added: marks the lock orders that it shows. */
void judge_show_orders(struct judge *self);

/* Remembers that lines of detection with this key belong to the finding with that exact key. 0: no key. */
void judge_know(struct judge *self, enum finding_kind kind, const char *exact, uint64_t key);
/* Counts what the run reported by bits; call it after what the run reported by lines. */
void judge_known_seen(struct inspection *self);
/* Whether another look at a suppressed finding may show something that is not suppressed. */
bool judge_may_show_more(const struct finding *finding);

/* Fills in the places of a finding that has an origin: the later and the earlier one; for a memory error both are the
 * same. */
void judge_origin_places(struct scene *scene, const struct finding *finding, struct scene_place places[2]);

/* Appends the key of such a finding: by its places as reports show them or, if is_exact, by its exact sites. */
void judge_origin_key(struct buf *key, const struct finding *finding, const struct scene_place places[2],
		      bool is_exact);

/* Returns the line of a report with the place of the program's own that called free or realloc; for an access, the line
 * unchanged. */
struct report_memory judge_find_free(struct inspection *self, const struct report_memory *memory);

/* Append parts of the description of a call of free or realloc whose argument is not a live block: its title; the freed
 * object, with the place where it was allocated (made; null: not known); and the action of the thread, with the
 * function by which it happens (called; null: free or realloc itself). */
void judge_free_title(struct buf *out, const struct report_memory *memory);
void judge_free_object(struct buf *out, const struct report_memory *memory, const struct scene_place *made);
void judge_free_event_text(struct buf *out, const struct report_memory *memory, const char *called);

/* Appends the callers of the function that contains the stack's innermost place in the program's own code. Returns
 * whether there are any. */
bool judge_callers_key(struct buf *key, const struct stack_places *places);
/* Adds these callers to a finding. */
void judge_add_callers(struct finding *finding, const struct stack_places *places);
/* Appends the innermost caller, as a place for comparison; nothing if there is none. */
void judge_add_caller_place(struct buf *out, const struct stack_places *places);
/* Appends the innermost caller to the summary: it distinguishes the failure from others at the same place. */
void judge_describe_caller(struct finding *finding);

/* Adds the calls of one stack to a finding: of an access at a place (0: none) by a thread (null: its stack is not
 * known). */
void judge_add_stack(struct scene *scene, struct finding *finding, uint64_t place, const struct report_thread *thread);

/* The same for a free. place: if not 0, the stack is that of the thread's access before the free, at this place. */
void judge_add_free(struct scene *scene, struct finding *finding, uint64_t place, const struct report_thread *thread);

/* Adds the names of the object at the address. */
void judge_add_global(struct scene *scene, struct finding *finding, uint64_t address);

/* Adds the stacks of a new deadlock. */
void judge_add_waits(struct inspection *self, struct finding *finding);

extern const char *const judge_access_words[REPORT_ACCESS_COUNT];

/* Sorts the set, and appends each string of it once. */
void judge_join(struct buf *out, struct strings *set);
void judge_release_output(struct judge *self);
void judge_release_orders(struct judge *self);

/* Appends the known facts about the invalid pointer of a run that a signal ended, such as " by a NULL pointer, p->next
 * (address 0x8),"; nothing if none are known. thread: the one that got the signal. called: the library function that it
 * was in, or "". */
void judge_describe_pointer(struct buf *out, struct inspection *self, const struct report_thread *thread,
			    const char *called);

/* Handles a run that UBSan ended with an exit status after printing the reason. Returns whether it is such a run. */
bool judge_undefined(struct inspection *self);

/* Appends the last lines that the program wrote to its standard error, or if there are none to its standard output. */
void judge_add_written(struct inspection *self, struct finding *finding);

/* Appends the last lines of a text, each indented and escaped. */
void judge_add_tail(struct buf *out, const struct buf *text);

/* The functions of the column `look` of model/kinds.def. */
#define KIND(ID, word, name, level, traits, fingerprint, seen, look, ...) void judge_##look(struct inspection *self);
#include "model/kinds.def"

#endif
