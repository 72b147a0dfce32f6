/*
 * scene.h: translates addresses of a run to the names of places, variables and threads that reports of findings use.
 * One scene serves all runs with the same files mapped at the same addresses: opening files and their debug information
 * is slow, so it is done once and not for each run. Not for concurrent use.
 */
#ifndef JUDGE_SCENE_H
#define JUDGE_SCENE_H

#include "judge/finding.h"
#include "symbols/stack.h"
#include "symbols/symbol.h"
#include "trace/report.h"

struct scene {
	struct report modules; /* only its modules are used */
	char *text;            /* their lines */
	struct symbols *symbols;
	struct unwinder *unwinder;
};

/* Start with { 0 }. Prepares the scene for runs that have the same modules as this report; if the modules changed,
 * earlier places are no longer valid. */
void scene_set(struct scene *self, const struct report *report);
void scene_release(struct scene *self);

/* A place in the source: that of a site, or that of code. Users want to see their own code, so if functions were
 * inlined there, it is the innermost function of the program's own. Strings live as long as the scene. */
struct scene_place {
	const char *function, *file, *variable; /* null: not known */
	uint32_t line, column;
	bool is_own;                 /* the program's own; else a library's, and its caller is not known */
	bool is_before;              /* only a place before it is known, at which the thread was */
	struct symbol_place library; /* if the place calls a library: where it is in that; otherwise its file is null */
	const char *path;            /* of the object; null: not known */
	uint32_t site;               /* its number; WOVEN_NONE: not a site */
	uint32_t site_flags;         /* enum heddle_site_flag */
	const char *locks;           /* of woven_site */
	uint32_t size;               /* bytes that the site accesses; 0: not known */
};

/* Fills in the place of an address. */
void scene_place(struct scene *self, uint64_t address, struct scene_place *place);

/* Fills in the innermost place of the program's own code on the thread's stack. Returns false if none has a name. */
bool scene_own_place(struct scene *self, const struct report_thread *thread, struct scene_place *place);

/* Replaces a place in a library by the innermost place of the program's own code that called it, from the stack of the
 * thread that was there or, with is_before, was about to get there. */
void scene_find_caller(struct scene *self, const struct report_thread *thread, bool is_before,
		       struct scene_place *place);

/* Fills in the place where a lock was taken. */
void scene_taking_place(struct scene *self, const struct report_held *held, struct scene_place *place);

/* Returns " at " or, if is_before, " after ". */
const char *scene_preposition(const struct scene_place *place);

/* Appends "file:line", or "file:line in function", and with a library "file:line in function [file:line in function]",
 * escaped. */
void scene_describe_line(struct buf *out, const struct scene_place *place);
void scene_describe_place(struct buf *out, const struct scene_place *place);

/* Appends a name for the memory at the address that both places access: "counter"; or, if the memory has no name of its
 * own, the name that the place with the smaller access uses (a if both are equal), such as "q->head"; or "memory" if
 * there is no name. */
void scene_describe_object(struct buf *out, struct scene *self, uint64_t address, const struct scene_place *a,
			   const struct scene_place *b);

/* Append a name of the place for keys, which is the same in all runs: scene_key the place as reports show it,
 * scene_site_key the exact site if there is one. */
void scene_key(struct buf *out, const struct scene_place *place);
void scene_site_key(struct buf *out, const struct scene_place *place);

/* Looks up the code of the lines of a finding's sites and acts, as the build had it. */
void scene_find_code(struct scene *self, struct finding *finding);

/* Adds the place to a finding. */
void scene_add_site(struct finding *finding, const struct scene_place *place, const char *access, uint32_t thread);

#endif
