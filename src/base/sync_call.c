/* sync_call.c: see sync_call.h. */
#include "base/sync_call.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Names that begin so: the first argument, and for waits the second one as well. */
static const struct {
	const char *prefix;
	enum heddle_named first;
	enum heddle_named second; /* 0: none */
} families[] = {
	{ "pthread_mutex_", HEDDLE_NAMED_LOCK, 0 },
	{ "pthread_rwlock_", HEDDLE_NAMED_LOCK, 0 },
	{ "pthread_spin_", HEDDLE_NAMED_LOCK, 0 },
	{ "pthread_cond_wait", HEDDLE_NAMED_CONDITION, HEDDLE_NAMED_LOCK },
	{ "pthread_cond_timedwait", HEDDLE_NAMED_CONDITION, HEDDLE_NAMED_LOCK },
	{ "pthread_cond_clockwait", HEDDLE_NAMED_CONDITION, HEDDLE_NAMED_LOCK },
	{ "pthread_cond_", HEDDLE_NAMED_CONDITION, 0 },
	{ "pthread_barrier_", HEDDLE_NAMED_BARRIER, 0 },
	{ "pthread_once", HEDDLE_NAMED_ONCE, 0 },
	{ "mtx_", HEDDLE_NAMED_LOCK, 0 },
	{ "cnd_wait", HEDDLE_NAMED_CONDITION, HEDDLE_NAMED_LOCK },
	{ "cnd_timedwait", HEDDLE_NAMED_CONDITION, HEDDLE_NAMED_LOCK },
	{ "cnd_", HEDDLE_NAMED_CONDITION, 0 },
	{ "call_once", HEDDLE_NAMED_ONCE, 0 },
	{ "sem_", HEDDLE_NAMED_SEMAPHORE, 0 },
};

/* What of a class of the C++ library, or of a function of it, has the object. */
enum form {
	FORM_OBJECT,    /* any member of the class: this */
	FORM_CONDITION, /* the same, and waits get a guard */
	FORM_ANY,       /* the same, with a lock inside, which signals take */
	FORM_GUARD,     /* constructors: the lock; other members: the guard */
	FORM_HOLDER,    /* constructors: all arguments */
	FORM_FUNCTION,  /* no class: the first argument */
	FORM_FUNCTIONS, /* no class: all arguments, which are locks or guards */
};

/* By their names in the mangled form, in namespace std. */
static const struct {
	const char *name;
	enum form form;
	enum heddle_named kind;
} classes[] = {
	{ "5mutex", FORM_OBJECT, HEDDLE_NAMED_LOCK },
	{ "15recursive_mutex", FORM_OBJECT, HEDDLE_NAMED_LOCK },
	{ "11timed_mutex", FORM_OBJECT, HEDDLE_NAMED_LOCK },
	{ "21recursive_timed_mutex", FORM_OBJECT, HEDDLE_NAMED_LOCK },
	{ "12shared_mutex", FORM_OBJECT, HEDDLE_NAMED_LOCK },
	{ "18shared_timed_mutex", FORM_OBJECT, HEDDLE_NAMED_LOCK },
	{ "18condition_variable", FORM_CONDITION, HEDDLE_NAMED_CONDITION },
	{ "22condition_variable_any", FORM_ANY, HEDDLE_NAMED_CONDITION },
	{ "10lock_guardI", FORM_HOLDER, HEDDLE_NAMED_LOCK },
	{ "11scoped_lockI", FORM_HOLDER, HEDDLE_NAMED_LOCK },
	{ "11unique_lockI", FORM_GUARD, HEDDLE_NAMED_LOCK },
	{ "11shared_lockI", FORM_GUARD, HEDDLE_NAMED_LOCK },
	{ "9call_onceI", FORM_FUNCTION, HEDDLE_NAMED_ONCE },
	{ "4lockI", FORM_FUNCTIONS, HEDDLE_NAMED_LOCK },
	{ "8try_lockI", FORM_FUNCTIONS, HEDDLE_NAMED_LOCK },
};

#define CLASS_COUNT (sizeof classes / sizeof *classes)

static const char *skip(const char *text, const char *prefix)
{
	size_t size = strlen(prefix);
	return strncmp(text, prefix, size) == 0 ? text + size : NULL;
}

/* What follows the namespace; null for other names. *is_member: it belongs to a class. */
static const char *in_std(const char *linkage, bool *is_member)
{
	const char *at = skip(linkage, "_ZNSt"), *inner;
	*is_member = true;
	if (!at)
		at = skip(linkage, "_ZNKSt");
	if (!at && (at = skip(linkage, "_ZSt")))
		*is_member = false;
	/* Versions are namespaces, too. */
	if (at && ((inner = skip(at, "3_V2")) || (inner = skip(at, "3__1"))))
		at = inner;
	return at;
}

bool sync_call_is_cxx(const char *linkage)
{
	bool is_member;
	return in_std(linkage, &is_member);
}

/* The entry of the table, and in *rest what follows the name of the class; CLASS_COUNT: none. */
static size_t find_class(const char *linkage, const char **rest)
{
	bool is_member;
	const char *name = in_std(linkage, &is_member);
	for (size_t i = 0; name && i < CLASS_COUNT; i++)
		if (is_member == (classes[i].form != FORM_FUNCTION && classes[i].form != FORM_FUNCTIONS) &&
		    (*rest = skip(name, classes[i].name)))
			return i;
	return CLASS_COUNT;
}

/* Whether what follows the name of a class template is a constructor that takes a lock: its first parameter is a reference to an object
 * that stays. */
static bool is_constructor(const char *rest)
{
	for (const char *at = rest; (at = strstr(at, "EC")); at++) {
		if ((at[2] != '1' && at[2] != '2') || (at[3] != 'E' && at[3] != 'B' && at[3] != 'I'))
			continue;
		if (at[3] == 'I')
			return true; /* those that take a time as well */
		const char *parameters = at + 3;
		while (*parameters == 'B') { /* tags: B, a length, a name */
			char *tag;
			size_t size = strtoul(parameters + 1, &tag, 10);
			if (size > strlen(tag))
				return false;
			parameters = tag + size;
		}
		return parameters[0] == 'E' && parameters[1] == 'R';
	}
	return false;
}

static unsigned find_in_class(size_t class, const char *rest, unsigned argument_count,
			      struct sync_argument found[SYNC_CALL_MAX_ARGUMENTS])
{
	unsigned count = 0, first = 1;
	found[count++] = (struct sync_argument){ 0, classes[class].kind, false };
	switch (classes[class].form) {
	case FORM_OBJECT:
	case FORM_FUNCTION:
		break;
	case FORM_CONDITION:
		if (strncmp(rest, "4wait", 5) == 0 || strncmp(rest, "8wait_for", 9) == 0 ||
		    strncmp(rest, "10wait_until", 12) == 0)
			found[count++] = (struct sync_argument){ 1, HEDDLE_NAMED_LOCK, true };
		break;
	case FORM_ANY:
		if (strncmp(rest, "10notify", 8) == 0)
			found[count++] = (struct sync_argument){ 0, HEDDLE_NAMED_LOCK, false };
		break;
	case FORM_GUARD:
		found[0].is_guard = !is_constructor(rest);
		found[0].index = !found[0].is_guard;
		if (found[0].is_guard && !strstr(rest, "E4lockE") && !strstr(rest, "E8try_lock") &&
		    !strstr(rest, "E6unlockE"))
			count = 0;
		break;
	case FORM_HOLDER:
		count = 0;
		if (!is_constructor(rest))
			break;
		/* fall through */
	case FORM_FUNCTIONS:
		if (classes[class].form == FORM_FUNCTIONS)
			count = first = 0;
		for (unsigned i = first; i < argument_count && count < SYNC_CALL_MAX_ARGUMENTS; i++)
			found[count++] =
				(struct sync_argument){ i, HEDDLE_NAMED_LOCK, first == 0 && strstr(rest, "_lockI") };
		break;
	}
	return count;
}

unsigned sync_call_find(const char *linkage, unsigned argument_count,
			struct sync_argument found[SYNC_CALL_MAX_ARGUMENTS])
{
	const char *rest;
	size_t class = find_class(linkage, &rest);
	unsigned count = 0, kept = 0;
	if (class < CLASS_COUNT) {
		count = find_in_class(class, rest, argument_count, found);
	} else {
		for (size_t i = 0; !count && i < sizeof families / sizeof *families; i++) {
			if (!skip(linkage, families[i].prefix))
				continue;
			found[count++] = (struct sync_argument){ 0, families[i].first, false };
			if (families[i].second)
				found[count++] = (struct sync_argument){ 1, families[i].second, false };
		}
	}
	for (unsigned i = 0; i < count; i++)
		if (found[i].index < argument_count)
			found[kept++] = found[i];
	return kept;
}

bool sync_call_makes_guard(const char *linkage)
{
	const char *rest;
	size_t class = find_class(linkage, &rest);
	return class < CLASS_COUNT && classes[class].form == FORM_GUARD && is_constructor(rest);
}

static bool is_word(char letter)
{
	return letter == '_' || letter == '$' || isalnum((unsigned char)letter);
}

bool sync_call_cut_name(char *name)
{
	bool is_cut = false, has_member = false;
	char *to = name, *first = name + (*name == '*');
	/* A pointer alone is a parameter, as a rule, and says nothing of what it leads to. */
	const char *arrow = strstr(name, "->");
	for (const char *at = name; *at;) {
		const char *word = at;
		while (*word && !is_word(*word))
			word++;
		const char *end = word;
		while (is_word(*end))
			end++;
		if (word[0] == '_' && (word[1] == '_' || (word[1] >= 'A' && word[1] <= 'Z'))) {
			if (word == first)
				return false;
			/* What stands before it goes with it, unless that is the index of what was before. */
			const char *separator = word;
			while (separator > at && strchr(".->", separator[-1]))
				separator--;
			memmove(to, at, (size_t)(separator - at));
			to += separator - at;
			is_cut = true;
			/* The bytes of an opaque type of the C library are no elements. */
			const char *bytes = strncmp(word, "__size[", 7) == 0 ? strchr(end, ']') : NULL;
			if (bytes)
				end = bytes + 1;
		} else {
			memmove(to, at, (size_t)(end - at));
			to += end - at;
			is_cut = false;
			has_member = has_member || word != first;
		}
		at = end;
	}
	*to = '\0';
	/* What a pointer inside of it leads to belongs to it. */
	if (is_cut && *name == '*')
		memmove(name, name + 1, strlen(name));
	if (!has_member && arrow && (size_t)(arrow - name) == strlen(name))
		return false;
	return *name && !strchr("*[", *name) && strcmp(name, "this") != 0;
}
