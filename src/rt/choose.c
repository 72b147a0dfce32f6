/* choose.c: see choose.h. */
#include "rt/choose.h"

#include <string.h>

#include "rt/baked.h"
#include "rt/text.h"

static const struct mode *const modes[] = { &mode_pass, &mode_operations, &mode_train, &mode_guard, &mode_control };

static struct {
	bool is_read; /* the same is read twice at worst */
	const char *name, *options;
	const struct mode *mode;
} choice;

/* glibc's: where the kernel put the number of arguments, the arguments, a null, the environment and a null. Unlike
 * environ it is there before libc is. */
extern void *__libc_stack_end;
extern char **environ;

/* What comes after "name=" if the entry is that variable, else null. */
static const char *value_of(const char *entry, const char *name)
{
	const char *rest = text_after(entry, name);
	return rest && *rest == '=' ? rest + 1 : NULL;
}

static char **first_environment(void)
{
	long *count = __libc_stack_end;
	char **end = count ? (char **)(count + 1) + *count : NULL;
	/* A loader that the user calls by name may have moved things. */
	return end && *count >= 0 && !*end ? end + 1 : environ;
}

static void read_environment(void)
{
	const char *name = NULL, *options = NULL, *value;
	for (char **entry = first_environment(); entry && *entry; entry++) {
		if (!name && (value = value_of(*entry, "HEDDLE")))
			name = value;
		if (!options && (value = value_of(*entry, "HEDDLE_OPTIONS")))
			options = value;
	}
	/* A program that runs with more rights than its user takes no orders from the user's environment. */
	const bool is_secure = baked_is_secure(first_environment());
	choice.name = name && name[0] && !is_secure ? name : NULL;
	choice.options = is_secure ? NULL : options;
	if (!choice.name && baked_find(first_environment()))
		choice.name = mode_guard.name;
	for (size_t i = 0; choice.name && i < sizeof modes / sizeof *modes; i++)
		if (strcmp(choice.name, modes[i]->name) == 0)
			choice.mode = modes[i];
	/* Release: partner of the acquire in choose. */
	__atomic_store_n(&choice.is_read, true, __ATOMIC_RELEASE);
}

static void choose(void)
{
	/* Acquire: partner of the release in read_environment. */
	if (!__atomic_load_n(&choice.is_read, __ATOMIC_ACQUIRE))
		read_environment();
}

const struct mode *choose_mode(void)
{
	choose();
	return choice.mode;
}

const char *choose_name(void)
{
	choose();
	return choice.name;
}

const char *choose_options(void)
{
	choose();
	return choice.options;
}
