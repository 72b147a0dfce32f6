/*
 * scene.h: what addresses of a run mean, for all runs with the same files mapped at the same places: the names of
 * places, variables and threads that reports of findings use. Opening files and their debug information is slow, so it
 * is done once and not for each run.
 */
#ifndef JUDGE_SCENE_H
#define JUDGE_SCENE_H

#include "judge/finding.h"
#include "symbols/stack.h"
#include "symbols/symbol.h"
#include "trace/report.h"

struct scene {
	struct report modules; /* only the modules of it are used */
	char *text;            /* their lines */
	struct symbols *symbols;
	struct unwinder *unwinder;
};

/* Start with { 0 }. Prepares it for runs that have the same modules as this report; forgets what it knew about other modules. */
void scene_set(struct scene *self, const struct report *report);
void scene_release(struct scene *self);

/* A place in words: where a site is, or where code is. Users want to see their own code, so of the functions
 * inlined there it is the innermost one of the program's own. Strings live as long as the scene. */
struct scene_place {
	const char *function, *file, *variable; /* null: not known */
	uint32_t line, column;
	bool is_own;                 /* the program's own; else a library's, and its caller is not known */
	bool is_before;              /* it is only known that the thread was here before it */
	struct symbol_place library; /* where it is inside a library that is_own calls; its file is null when in none */
	const char *path;            /* of the object; null: not known */
	uint32_t site;               /* its number; WOVEN_NONE: not a site */
	uint32_t site_flags;         /* enum heddle_site_flag */
	const char *locks;           /* of woven_site */
	uint32_t size;               /* bytes that the site accesses; 0: not known */
};

void scene_place(struct scene *self, uint64_t address, struct scene_place *place);

/* The innermost place of the program's own that a thread was at. False when it has none with a name. */
bool scene_own_place(struct scene *self, const struct report_thread *thread, struct scene_place *place);

/* A place in a library becomes the innermost of the program's own that called it, from the stack of the thread that was
 * there; or, with is_before, of the thread that was about to get there. */
void scene_find_caller(struct scene *self, const struct report_thread *thread, bool is_before,
		       struct scene_place *place);

/* Where a lock was taken. */
void scene_taking_place(struct scene *self, const struct report_held *held, struct scene_place *place);

/* " at ", or " after ". */
const char *scene_preposition(const struct scene_place *place);

/* Appends "file:line", or "file:line in function", and with a library "file:line in function [file:line in function]",
 * escaped. */
void scene_describe_line(struct buf *out, const struct scene_place *place);
void scene_describe_place(struct buf *out, const struct scene_place *place);

/* Appends what is at the address that both places access: "counter", or "q->head" when the memory has no name of its own, as the place
 * calls it that accesses fewer bytes, else as a does; "memory" when nothing has one. */
void scene_describe_object(struct buf *out, struct scene *self, uint64_t address, const struct scene_place *a,
			   const struct scene_place *b);

/* Appends a name of the place that is the same in all runs, for keys: by what reports show, or by the exact site if there is one. */
void scene_key(struct buf *out, const struct scene_place *place);
void scene_site_key(struct buf *out, const struct scene_place *place);

/* Looks up the code of the lines of a finding's sites and acts, as the build had it. */
void scene_find_code(struct scene *self, struct finding *finding);

/* Adds the place to a finding. */
void scene_add_site(struct finding *finding, const struct scene_place *place, const char *access, uint32_t thread);

#endif
