/* prove.c: see prove.h. The child sends what it found as lines: "! WHY", or for each function its tag, its name and a digit a site,
 * which is its verdict, and after it for sites whose proofs rest on locks "= NUMBER NAMES". */
#include "analysis/prove.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/flow/flow.h"
#include "analysis/lower/lower.h"
#include "analysis/points/points.h"
#include "analysis/races/races.h"
#include "base/mem.h"
#include "base/word.h"
#include "heddle/abi.h"
#include "ir/unit.h"

enum { MAX_SECONDS = 10 };
static const rlim_t MAX_BYTES = (rlim_t)4 << 30;

struct proving {
	const struct proof_input *input;
	struct whole *whole;
	struct points *points;
	struct flow *flow;
	struct races *races;
	struct races_guards *guards;
	uint8_t *is_outside; /* of each object: code that is not analysed has it */
	/* Of each object: its frees, frees[first_free[o]] to frees[first_free[o + 1] - 1]. */
	uint32_t *first_free, *frees;
	FILE *out;
};

/* ---- objections to proving anything ---- */

static bool is_given_pointers(const struct proving *self, const struct whole_instruction *at)
{
	for (uint32_t i = 0; i < at->operand_count; i++)
		if (points_of_value(self->points, whole_operand(self->whole, at, i)).count)
			return true;
	return false;
}

/* A function that brings code or threads of which nothing is known, and that the program calls; null: none. */
static const char *unknown_means(const struct proof_input *input)
{
	static const char *const names[] = { "dlopen", "dlmopen", "dlsym", "clone", "clone3", "syscall" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (map_has(input->needed, names[i]))
			return names[i];
	return NULL;
}

static const char *gap_objection(const struct proving *self)
{
	for (uint32_t i = 0; i < self->whole->gap_count; i++)
		switch (self->whole->gap[i].kind) {
		case WHOLE_GAP_FORGED:
			return "a pointer is computed from an integer";
		case WHOLE_GAP_OPAQUE:
			return "an instruction is unknown";
		case WHOLE_GAP_IFUNC:
			return "a function is chosen by the loader";
		}
	return NULL;
}

/* A function or variable of the units that other objects can name; null: none. */
static const char *named_symbol(const struct proving *self)
{
	const struct whole *whole = self->whole;
	for (uint32_t i = 0; i < whole->function_count; i++)
		if (whole->function[i].is_defined && whole->function[i].is_exported &&
		    map_has(self->input->named, whole->function[i].name))
			return whole->function[i].name;
	for (uint32_t i = 0; i < whole->object_count; i++)
		if (whole->object[i].kind == WHOLE_GLOBAL && whole->object[i].is_exported &&
		    !whole->object[i].is_undefined && whole->object[i].name &&
		    map_has(self->input->named, whole->object[i].name))
			return whole->object[i].name;
	return NULL;
}

/* Why nothing is proved, or null. The text is allocated. There are three checks, each made as soon as its input is
 * available: an objection that is visible at once costs nothing. */
static char *objection_to_link(const struct proof_input *input)
{
	if (input->is_library)
		return mem_copy_string("it is a library, and its callers are unknown");
	if (input->foreign)
		return mem_format("\"%s\" was not compiled by heddle-cc", input->foreign);
	if (unknown_means(input))
		return mem_format("%s is called", unknown_means(input));
	return NULL;
}

static char *objection_to_program(const struct proving *self)
{
	if (self->whole->is_library)
		return mem_copy_string("it is a library, and its callers are unknown");
	if (named_symbol(self))
		return mem_format("other objects can use \"%s\"", named_symbol(self));
	if (gap_objection(self))
		return mem_copy_string(gap_objection(self));
	return NULL;
}

static char *objection_to_pointers(const struct proving *self)
{
	const struct whole *whole = self->whole;
	for (uint32_t i = 0; i < whole->instruction_count; i++)
		if (whole->instruction[i].op == WHOLE_ASSEMBLY && whole->instruction[i].is_writing &&
		    is_given_pointers(self, &whole->instruction[i]))
			return mem_copy_string("inline assembly writes through a pointer");
	/* What the models know does not call what it keeps. */
	struct points_set exposed = points_exposed(self->points);
	if (!points_statistics(self->points).unknown_externals)
		return NULL;
	for (uint32_t i = 0; i < exposed.count; i++)
		if (whole->function[exposed.items[i]].is_defined)
			return mem_format("an unknown library may call \"%s\", in any thread",
					  whole->function[exposed.items[i]].name);
	return NULL;
}

/* ---- what is proved ---- */

static void find_outside(struct proving *self)
{
	self->is_outside = mem_alloc((size_t)self->whole->object_count + 1);
	self->is_outside[0] = 1;
	for (uint32_t l = 0; l < points_location_count(self->points); l++) {
		if (points_location(self->points, l).object != 0)
			continue;
		struct points_set set = points_of_location(self->points, l);
		for (uint32_t i = 0; i < set.count; i++)
			self->is_outside[points_location(self->points, set.items[i]).object] = 1;
	}
}

static struct points_set freed_by(const struct proving *self, const struct flow_free *row)
{
	const struct whole_instruction *call = &self->whole->instruction[row->call];
	uint32_t value = whole_operand(self->whole, call, row->argument + 1);
	return value == WHOLE_NONE ? (struct points_set){ 0 } : points_of_value(self->points, value);
}

/* By counting: of each object how many, where they begin, which. An object that is there with several offsets is there twice. */
static void find_frees(struct proving *self)
{
	uint32_t count = flow_free_count(self->flow), total = 0;
	self->first_free = mem_alloc(((size_t)self->whole->object_count + 2) * sizeof *self->first_free);
	for (uint32_t i = 0; i < count; i++) {
		struct points_set set = freed_by(self, &flow_frees(self->flow)[i]);
		total += set.count;
		for (uint32_t k = 0; k < set.count; k++)
			self->first_free[points_location(self->points, set.items[k]).object + 2]++;
	}
	for (uint32_t o = 2; o < self->whole->object_count + 2; o++)
		self->first_free[o] += self->first_free[o - 1];
	self->frees = mem_alloc(((size_t)total + 1) * sizeof *self->frees);
	for (uint32_t i = 0; i < count; i++) {
		struct points_set set = freed_by(self, &flow_frees(self->flow)[i]);
		for (uint32_t k = 0; k < set.count; k++)
			self->frees[self->first_free[points_location(self->points, set.items[k]).object + 1]++] = i;
	}
}

/* Whether it is the program that made the block and frees it: not a function of a library, as with buffers of std::string. */
static bool is_of_program(const struct proving *self, uint32_t object)
{
	static const char *const names[] = { "malloc",
					     "calloc",
					     "realloc",
					     "reallocarray",
					     "memalign",
					     "aligned_alloc",
					     "_Znwm",
					     "_Znam",
					     "_ZnwmSt11align_val_t",
					     "_ZnamSt11align_val_t",
					     NULL };
	uint32_t call = self->whole->object[object].instruction;
	struct points_set callees = call == WHOLE_NONE ? (struct points_set){ 0 } : points_callees(self->points, call);
	for (uint32_t i = 0; i < callees.count; i++) {
		const struct whole_function *callee = &self->whole->function[callees.items[i]];
		if (!callee->is_defined && !word_is_among(callee->name, names))
			return false;
	}
	return callees.count != 0;
}

/* Whether no schedule decides if the block is freed before the access or after it. */
static bool is_ordered_with_frees(const struct proving *self, uint32_t access, uint32_t object)
{
	for (uint32_t i = self->first_free[object]; i < self->first_free[object + 1]; i++) {
		const struct flow_free *row = &flow_frees(self->flow)[self->frees[i]];
		struct flow_visit free_visit = { .root = row->root, .together = row->together };
		for (uint32_t k = 0; k < flow_visit_count(self->flow, access); k++)
			if (flow_may_overlap(self->flow, &flow_visits(self->flow, access)[k], &free_visit))
				return false;
	}
	return true;
}

static bool is_on_heap(const struct proving *self, uint32_t access)
{
	struct points_set set = points_of_value(self->points, self->whole->access[access].pointer);
	for (uint32_t i = 0; i < set.count; i++)
		if (self->whole->object[points_location(self->points, set.items[i]).object].kind == WHOLE_HEAP)
			return true;
	return false;
}

/* Whether the announcement is of no use but for races. */
static bool is_for_races_only(const struct proving *self, uint32_t access)
{
	struct points_set set = points_of_value(self->points, self->whole->access[access].pointer);
	for (uint32_t i = 0; i < set.count; i++) {
		uint32_t object = points_location(self->points, set.items[i]).object;
		uint8_t kind = self->whole->object[object].kind;
		if (self->is_outside[object])
			return false;
		if (kind == WHOLE_HEAP ? self->input->level < PROOF_HEAP || !is_of_program(self, object) ||
						 !is_ordered_with_frees(self, access, object)
				       : kind != WHOLE_GLOBAL && kind != WHOLE_THREAD_LOCAL && kind != WHOLE_STACK)
			return false;
	}
	return set.count > 0;
}

static bool is_safe(const struct proving *self, uint32_t index)
{
	const struct whole_access *access = &self->whole->access[index];
	if (self->races->is_instrumented[index] || !flow_visit_count(self->flow, index))
		return false;
	if (access->kind != HEDDLE_ACCESS_READ && access->kind != HEDDLE_ACCESS_WRITE)
		return false;
	if (!access->size_bytes || access->flags & (HEDDLE_SITE_MASKED | HEDDLE_SITE_VOLATILE))
		return false;
	/* Control switches threads where they do something: a loop that waits must be seen to go round. */
	if (flow_is_polling(self->flow, index))
		return false;
	return is_for_races_only(self, index);
}

/* names: gets those of the locks that it rests on. */
static enum proof_verdict verdict_of(const struct proving *self, uint32_t index, struct buf *names)
{
	if (!is_safe(self, index))
		return PROOF_OPEN;
	if (!self->races->is_met[index] && !is_on_heap(self, index))
		return PROOF_ALONE;
	if (self->input->level < PROOF_LOCKED)
		return PROOF_OPEN;
	if (!self->races->is_met[index])
		return PROOF_UNSHARED;
	return races_guarding(self->guards, index, names) ? PROOF_GUARDED : PROOF_ORDERED;
}

static void prove_function(struct proving *self, const struct whole_function *function)
{
	char tag[17], *digits = mem_alloc((size_t)function->site_count + 1);
	struct buf locks = { 0 };
	memset(digits, '0', function->site_count);
	for (uint32_t i = 0; i < function->instruction_count; i++) {
		const struct whole_instruction *at = &self->whole->instruction[function->first_instruction + i];
		for (uint32_t k = 0; k < at->access_count; k++) {
			uint32_t access = at->first_access + k, ordinal = self->whole->access[access].ordinal;
			struct buf names = { 0 };
			if (ordinal < function->site_count)
				digits[ordinal] = (char)('0' + verdict_of(self, access, &names));
			if (names.size)
				buf_format(&locks, "= %" PRIu32 " %s\n", ordinal, names.data);
			buf_release(&names);
		}
	}
	unit_tag(&self->input->units[function->unit], tag);
	fprintf(self->out, "%s %s %s\n%s", tag, function->name, digits, locks.size ? locks.data : "");
	buf_release(&locks);
	free(digits);
}

static void prove_all(struct proving *self)
{
	self->races = races_find(self->whole, self->points, self->flow);
	if (self->input->level >= PROOF_LOCKED)
		self->guards = races_find_guards(self->races);
	find_outside(self);
	find_frees(self);
	for (uint32_t i = 0; i < self->whole->function_count; i++)
		if (self->whole->function[i].is_defined && self->whole->function[i].site_count)
			prove_function(self, &self->whole->function[i]);
}

/* ---- a process of its own ---- */

static void limit(void)
{
	struct rlimit seconds = { .rlim_cur = MAX_SECONDS, .rlim_max = MAX_SECONDS + 1 };
	struct rlimit bytes = { .rlim_cur = MAX_BYTES, .rlim_max = MAX_BYTES }, core = { 0 };
	setrlimit(RLIMIT_CPU, &seconds);
	setrlimit(RLIMIT_AS, &bytes);
	setrlimit(RLIMIT_CORE, &core);
}

/* What the child does; its memory goes with it. */
static void analyse(const struct proof_input *input, FILE *out)
{
	struct err err = ERR_INIT;
	struct proving self = { .input = input, .out = out };
	struct points_options points_options = { 0 };
	struct flow_options flow_options = { 0 };
	struct lower_input *inputs = mem_alloc((input->unit_count + 1) * sizeof *inputs);
	for (size_t i = 0; i < input->unit_count; i++)
		inputs[i] = (struct lower_input){ .unit = &input->units[i], .is_shared = input->is_library };
	char *why = NULL;
	if (lower_units(inputs, input->unit_count, NULL, NULL, &self.whole, &err) == 0)
		why = objection_to_program(&self);
	/* One link of a build may have functions that another one has not. */
	for (char **name = input->allocators; self.whole && name && *name; name++)
		if (**name == '@')
			whole_set_allocator(self.whole, *name + 1);
	if (self.whole && !why && points_solve(self.whole, &points_options, &self.points, &err) == 0)
		why = objection_to_pointers(&self);
	if (self.points && !why && flow_solve(self.whole, self.points, &flow_options, &self.flow, &err) == 0)
		prove_all(&self);
	if (why || !self.flow)
		fprintf(out, "! %s\n", why ? why : err.message);
	fputs("end\n", out);
}

static void read_locks(char *line, struct proof_function *function)
{
	char *number = strsep(&line, " ");
	if (line && function)
		proof_set_locks(function, (uint32_t)strtoul(number, NULL, 10), line);
}

static struct proof_function *read_function(char *line, struct proof *proof)
{
	char *tag = strsep(&line, " "), *name = strsep(&line, " ");
	if (!line)
		return NULL;
	size_t count = strlen(line);
	struct proof_function *answers = proof_add(proof, tag, name, (uint32_t)count);
	if (!answers)
		return NULL;
	proof->site_count += count;
	for (size_t i = 0; i < count; i++) {
		bool is_verdict = line[i] > '0' && line[i] <= '0' + PROOF_GUARDED;
		answers->verdicts[i] = is_verdict ? (uint8_t)(line[i] - '0') : PROOF_OPEN;
		proof->proved_count += is_verdict;
	}
	return answers;
}

/* Whether the child came to its end. */
static bool read_answer(FILE *in, struct proof *proof)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t size;
	bool is_complete = false;
	struct proof_function *last = NULL;
	while ((size = getline(&line, &room, in)) > 0) {
		line[size - 1] = '\0';
		if (strcmp(line, "end") == 0)
			is_complete = true;
		else if (line[0] == '!')
			proof->objection = mem_copy_string(line + 2);
		else if (strncmp(line, "= ", 2) == 0)
			read_locks(line + 2, last);
		else
			last = read_function(line, proof);
	}
	free(line);
	return is_complete;
}

static int run_child(const struct proof_input *input, int file)
{
	pid_t child = fork();
	if (child == 0) {
		limit();
		FILE *out = fdopen(file, "w");
		if (out)
			analyse(input, out);
		_exit(out && fclose(out) == 0 ? 0 : 1);
	}
	int status = -1;
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

void prove_sites(const struct proof_input *input, struct proof *proof)
{
	proof->objection = objection_to_link(input);
	if (proof->objection)
		return;
	int file = memfd_create("heddle-prove", MFD_CLOEXEC);
	int status = file < 0 ? -1 : run_child(input, file);
	FILE *in = file < 0 || lseek(file, 0, SEEK_SET) != 0 ? NULL : fdopen(file, "r");
	if (status == 0 && in && read_answer(in, proof)) {
		fclose(in);
		return;
	}
	proof_release(proof);
	*proof = (struct proof){ 0 };
	bool is_late =
		status > 0 && WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
	proof->objection = is_late ? mem_format("the analysis takes more than %d seconds", MAX_SECONDS)
				   : mem_copy_string("the analysis did not complete");
	if (in)
		fclose(in);
	else if (file >= 0)
		close(file);
}
