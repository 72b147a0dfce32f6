/*
 * calls.c: what suppressions are matched against: whole stacks, including the calls that reports omit, and the names of
 * variables. Callers of main, or of the function that a thread began in, are left out, as in ThreadSanitizer.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/word.h"
#include "judge/judge_priv.h"

/* As many as ThreadSanitizer has. */
#define MAX_DEPTH 255u

static char *full_path(const char *file)
{
	if (!file || *file == '/')
		return file ? mem_copy_string(file) : NULL;
	char *folder = getcwd(NULL, 0);
	char *path = folder ? path_join(folder, file) : NULL;
	free(folder);
	return path;
}

/* All functions around a place, by address of code or of a site. */
static void add_code(struct scene *scene, struct finding *finding, uint32_t stack, uint64_t address)
{
	struct finding_call call = { .stack = stack,
				     .is_system = stack_owner(scene->symbols, address) == STACK_OF_SYSTEM };
	const struct symbol_place *found;
	uint64_t in_file;
	size_t count = symbols_code(scene->symbols, address, &found);
	symbols_in_file(scene->symbols, address, &call.module, &in_file);
	for (size_t i = 0; i < count; i++) {
		char *path = full_path(found[i].file);
		call.function = found[i].function;
		call.linkage = found[i].linkage;
		call.file = found[i].file;
		call.path = path;
		finding_add_call(finding, &call);
		free(path);
	}
	if (!count)
		finding_add_call(finding, &call);
}

/* In the C library, and in the runtime in front of it, only the functions that programs call have a name, and nothing
 * else is known of them: for ThreadSanitizer they are part of the program. */
static bool is_libc(struct symbols *symbols, uint64_t address)
{
	static const char *const names[] = { "libc.so", "libc-", "libpthread", "ld-linux", NULL };
	const char *path;
	uint64_t in_file;
	if (stack_owner(symbols, address) == STACK_OF_RUNTIME)
		return true;
	if (!symbols_in_file(symbols, address, &path, &in_file))
		return false;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	return word_begins_with_any(name, names);
}

static void add_public(struct scene *scene, struct finding *finding, uint32_t stack, uint64_t address)
{
	const char *function = symbols_public(scene->symbols, address);
	if (function && strncmp(function, "__heddle", 8) != 0)
		finding_add_call(finding,
				 &(struct finding_call){ .function = function, .stack = stack, .is_system = true });
}

static bool is_outside(struct symbols *symbols, uint64_t address)
{
	const struct symbol_place *found;
	if (stack_owner(symbols, address) != STACK_OF_PROGRAM)
		return true;
	size_t count = symbols_code(symbols, address, &found);
	return count && found[0].function && strcmp(found[0].function, "_start") == 0;
}

/* What called main or the thread's function is left out. */
static size_t unwind(struct scene *scene, const struct report_thread *thread, uint64_t addresses[MAX_DEPTH])
{
	size_t count = thread ? unwind_thread(scene->unwinder, thread, addresses, MAX_DEPTH) : 0;
	while (count && is_outside(scene->symbols, addresses[count - 1]))
		count--;
	return count;
}

static void add_stack(struct scene *scene, struct finding *finding, uint32_t stack, const uint64_t *addresses,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_libc(scene->symbols, addresses[i]))
			add_public(scene, finding, stack, addresses[i]);
		else
			add_code(scene, finding, stack, addresses[i]);
}

static uint32_t next_stack(const struct finding *finding)
{
	return finding->evidence.call_count ? finding->evidence.calls[finding->evidence.call_count - 1].stack + 1 : 0;
}

void judge_add_stack(struct scene *scene, struct finding *finding, uint64_t place, const struct report_thread *thread)
{
	uint64_t addresses[MAX_DEPTH];
	uint32_t stack = next_stack(finding);
	size_t count = unwind(scene, thread, addresses);
	/* Where the place is code, it is where a function of the system was called, which the stack may begin with. */
	const bool is_code = place && report_is_code(&scene->modules, place);
	if (is_code && !(count && is_libc(scene->symbols, addresses[0])))
		finding_add_call(finding, &(struct finding_call){ .stack = stack, .is_system = true });
	if (place && (!count || !is_code))
		add_code(scene, finding, stack, place);
	add_stack(scene, finding, stack, addresses, count);
	if (!count && thread)
		add_stack(scene, finding, stack, thread->code, thread->code_count);
}

/* The function that the code at the address is in, without those that were inlined. */
static const char *function_at(struct scene *scene, uint64_t address)
{
	const struct symbol_place *found;
	size_t count = symbols_code(scene->symbols, address, &found);
	return count && found[count - 1].function ? found[count - 1].function : "";
}

/* Functions of the access before may be over by now. Those around the one that frees are not, nor is the outermost. */
void judge_add_free(struct scene *scene, struct finding *finding, uint64_t place, const struct report_thread *thread)
{
	uint64_t addresses[MAX_DEPTH];
	uint32_t stack = next_stack(finding);
	size_t count = unwind(scene, thread, addresses), at = 0;
	finding_add_call(finding, &(struct finding_call){ .function = "free", .stack = stack, .is_system = true });
	if (place)
		add_code(scene, finding, stack, place);
	while (place && at < count && strcmp(function_at(scene, addresses[at]), function_at(scene, place)) != 0)
		at++;
	if (place && count && at == count)
		at--;
	add_stack(scene, finding, stack, addresses + at, count - at);
}

void judge_add_global(struct scene *scene, struct finding *finding, uint64_t address)
{
	const char *linkage, *readable, *module;
	uint64_t in_file;
	if (!symbols_variable(scene->symbols, address, &linkage, &readable))
		return;
	strings_add(&finding->evidence.globals, linkage);
	strings_add(&finding->evidence.globals, readable);
	if (symbols_in_file(scene->symbols, address, &module, &in_file))
		finding->evidence.global_module = finding_keep(finding, module);
}

/* Of the threads of the cycle; if there is none, of all that wait, but not just for each other's end. */
void judge_add_waits(struct inspection *self, struct finding *finding)
{
	struct scene *scene = &self->judge->scene;
	const struct report_thread *first = report_cycle(self->report), *at = first;
	if (first)
		do {
			judge_add_stack(scene, finding, 0, at);
			at = report_thread(self->report, at->owner);
		} while (at != first);
	finding->evidence.is_relock = first && first->owner == first->index;
	for (size_t i = 0; !first && i < self->report->thread_count; i++) {
		const struct report_thread *thread = &self->report->threads[i];
		if (thread->waits && strcmp(thread->waits, "thread") != 0)
			judge_add_stack(scene, finding, 0, thread);
	}
}
