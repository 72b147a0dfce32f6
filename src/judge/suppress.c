/* suppress.c: which findings are suppressed: the types of lines, and what each is matched with. See suppress.h. */
#include "judge/suppress.h"

#include <stdlib.h>
#include <string.h>

#include "judge/suppress_priv.h"
#include "symbols/names_short.h"

bool suppress_match(const char *pattern, const char *text)
{
	/* An end alone names nothing. */
	if (!text || !*text || *pattern == '$')
		return false;
	const char *end = text + strlen(text);
	bool is_fixed = *pattern == '^'; /* the next piece is here, not just somewhere after */
	pattern += is_fixed;
	for (;;) {
		size_t stars = strspn(pattern, "*"), size = strcspn(pattern += stars, "*$"),
		       left = (size_t)(end - text);
		is_fixed = is_fixed && !stars;
		if (pattern[size] == '$') /* what follows is ignored */
			return left >= size && (!is_fixed || left == size) && memcmp(end - size, pattern, size) == 0;
		if (size == 0)
			return true;
		const char *found = !is_fixed ? memmem(text, left, pattern, size)
				    : left >= size && memcmp(text, pattern, size) == 0 ? text
										       : NULL;
		if (!found)
			return false;
		text = found + size;
		pattern += size;
		is_fixed = true;
	}
}

/* ThreadSanitizer's own words for it are "data race" and "heap-use-after-free". */
static bool is_race(const struct finding *finding)
{
	return finding->identity.kind == FINDING_DATA_RACE ||
	       (finding->evidence.origin == FINDING_OF_MEMORY && finding->evidence.memory.state == REPORT_FREED &&
		!finding_is_bad_free(finding));
}

static bool is_lock(const struct finding *finding)
{
	return finding->identity.kind == FINDING_DEADLOCK || finding->identity.kind == FINDING_LOCK_ORDER;
}

static bool match_call(const struct suppression *self, const struct finding_call *call)
{
	char *short_name = call->function ? names_short(call->function) : NULL; /* what people have read */
	bool is_short_match = suppress_match(self->pattern, short_name);
	free(short_name);
	return is_short_match || suppress_match(self->pattern, call->function) ||
	       suppress_match(self->pattern, call->linkage) || suppress_match(self->pattern, call->file) ||
	       suppress_match(self->pattern, call->path) || suppress_match(self->pattern, call->module);
}

static bool match_calls(const struct suppression *self, const struct finding *finding)
{
	for (size_t i = 0; i < finding->evidence.call_count; i++)
		if (match_call(self, &finding->evidence.calls[i]))
			return true;
	return false;
}

static bool match_strings(const struct suppression *self, const struct strings *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (suppress_match(self->pattern, list->items[i]))
			return true;
	return false;
}

static bool match_race(const struct suppression *self, const struct finding *finding)
{
	return is_race(finding) && (match_calls(self, finding) || match_strings(self, &finding->evidence.globals) ||
				    suppress_match(self->pattern, finding->evidence.global_module));
}

static bool match_race_top(const struct suppression *self, const struct finding *finding)
{
	for (size_t i = 0; is_race(finding) && i < finding->evidence.call_count; i++) {
		bool is_top = i == 0 || finding->evidence.calls[i].stack != finding->evidence.calls[i - 1].stack;
		if (is_top && match_call(self, &finding->evidence.calls[i]))
			return true;
	}
	return false;
}

static bool match_deadlock(const struct suppression *self, const struct finding *finding)
{
	return is_lock(finding) && match_calls(self, finding);
}

/* For ThreadSanitizer, a thread that locks what it already holds is not a deadlock but a misuse of the mutex. */
static bool match_mutex(const struct suppression *self, const struct finding *finding)
{
	return finding->evidence.is_relock && match_calls(self, finding);
}

/* The library calls a function of the system, with all that this calls in turn. What the program's functions do that it
 * calls, and its own accesses if it is woven, are another matter. */
static bool match_library(const struct suppression *self, const struct finding *finding)
{
	for (size_t i = 1; (is_race(finding) || is_lock(finding)) && i < finding->evidence.call_count; i++) {
		const struct finding_call *caller = &finding->evidence.calls[i],
					  *called = &finding->evidence.calls[i - 1];
		if (caller->stack == called->stack && called->is_system &&
		    suppress_match(self->pattern, caller->module) && !suppress_match(self->pattern, called->module))
			return true;
	}
	return false;
}

static bool match_variable(const struct suppression *self, const struct finding *finding)
{
	return match_strings(self, &finding->evidence.objects) || match_strings(self, &finding->evidence.globals);
}

static bool match_id(const struct suppression *self, const struct finding *finding)
{
	return self->number ? finding->identity.number == self->number
			    : strcmp(self->pattern, finding->identity.name) == 0;
}

/* A kind that is not a consequence is never written after consequence: either. */
static bool match_kind(const struct suppression *self, const struct finding *finding)
{
	return strcmp(self->pattern, kinds[finding->identity.kind].word) == 0;
}

const struct suppress_type suppress_types[] = {
	{ "race", SUPPRESS_ANYTHING, match_race },
	{ "race_top", SUPPRESS_ANYTHING, match_race_top },
	{ "thread", SUPPRESS_ANYTHING, NULL },
	{ "mutex", SUPPRESS_ANYTHING, match_mutex },
	{ "signal", SUPPRESS_ANYTHING, NULL },
	{ "deadlock", SUPPRESS_ANYTHING, match_deadlock },
	{ "called_from_lib", SUPPRESS_ANYTHING, match_library },
	{ "variable", SUPPRESS_ANYTHING, match_variable },
	{ "id", SUPPRESS_ID, match_id },
	{ "kind", SUPPRESS_KIND, match_kind },
	{ "consequence", SUPPRESS_CONSEQUENCE, match_kind },
	{ NULL, SUPPRESS_ANYTHING, NULL },
};

static bool is_match(const struct suppression *self, const struct finding *finding)
{
	return self->type->is_match && self->type->is_match(self, finding);
}

bool suppress_is_loose(const struct suppression *self)
{
	return self->type->operand == SUPPRESS_ANYTHING;
}

bool suppressions_need_calls(const struct suppressions *self, const struct finding *finding)
{
	for (size_t i = 0; (is_race(finding) || is_lock(finding)) && i < self->count; i++)
		if (self->items[i].type->operand == SUPPRESS_ANYTHING && self->items[i].type->is_match &&
		    self->items[i].type->is_match != match_variable)
			return true;
	return false;
}

bool suppressions_has(const struct suppressions *self, const struct finding *finding)
{
	for (size_t i = 0; i < self->count; i++)
		if (is_match(&self->items[i], finding))
			return true;
	return false;
}

const struct suppression *suppressions_find(struct suppressions *self, struct finding *finding)
{
	finding->identity.suppression = NULL;
	for (size_t i = 0; i < self->count; i++) {
		struct suppression *one = &self->items[i];
		if (!is_match(one, finding))
			continue;
		one->matched++;
		if (!finding->identity.suppression) {
			one->suppressed++;
			finding->identity.suppression = one;
		}
	}
	return finding->identity.suppression;
}
