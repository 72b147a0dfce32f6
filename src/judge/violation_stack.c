/* violation_stack.c: see violation_stack.h. The modules of a process and one thread make a report as the unwinder takes it. */
#include "judge/violation_stack.h"

#include <stdlib.h>
#include <string.h>

struct violation_stacks {
	const struct guard_log *log;
	uint32_t pid; /* whose modules are in the report; 0: none yet */
	struct report report;
	struct report_thread thread;
	struct symbols *symbols;
	struct unwinder *unwinder;
	struct stack_places places;
};

struct violation_stacks *violation_stacks_new(const struct guard_log *log)
{
	struct violation_stacks *self = mem_alloc(sizeof *self);
	self->log = log;
	return self;
}

static void close_process(struct violation_stacks *self)
{
	if (self->unwinder)
		unwinder_free(self->unwinder);
	if (self->symbols)
		symbols_free(self->symbols);
	self->unwinder = NULL;
	self->symbols = NULL;
	free(self->report.modules);
	self->report = (struct report){ 0 };
	self->pid = 0;
}

void violation_stacks_free(struct violation_stacks *self)
{
	close_process(self);
	free(self);
}

/* Later entries are those after a library was loaded, and repeat the others. */
static bool is_present(const struct report *report, const struct heddle_guard_module *module)
{
	for (size_t i = 0; i < report->module_count; i++)
		if (report->modules[i].start == module->start)
			return true;
	return false;
}

static void open_process(struct violation_stacks *self, uint32_t pid)
{
	const struct guard_log *log = self->log;
	close_process(self);
	self->report.modules = mem_alloc((log->module_count + 1) * sizeof *self->report.modules);
	for (size_t i = 0; i < log->module_count; i++) {
		const struct heddle_guard_module *module = &log->modules[i];
		if (module->pid == pid && !is_present(&self->report, module))
			self->report.modules[self->report.module_count++] =
				(struct report_module){ module->start, module->end, module->offset, module->path };
	}
	self->report.threads = &self->thread;
	self->report.thread_count = 1;
	self->symbols = symbols_new(&self->report);
	self->unwinder = unwinder_new(&self->report, self->symbols);
	self->pid = pid;
}

const struct stack_places *violation_callers(struct violation_stacks *self, const struct heddle_violation *violation)
{
	const uint64_t *registers = violation->registers;
	struct stack_places *places = &self->places;
	size_t skipped = 0;
	*places = (struct stack_places){ 0 };
	if (!violation->stack_bytes)
		return places;
	if (self->pid != violation->pid)
		open_process(self, violation->pid);
	self->thread = (struct report_thread){
		.index = 1,
		.stack = { .rip = violation->code,
			   .rsp = registers[0],
			   .rbp = registers[1],
			   .rbx = registers[2],
			   .r12 = registers[3],
			   .r13 = registers[4],
			   .r14 = registers[5],
			   .r15 = registers[6],
			   .start = registers[0],
			   .bytes = violation->stack,
			   .size = violation->stack_bytes },
	};
	stack_of_thread(places, self->unwinder, self->symbols, &self->thread);
	/* The first ones are the place itself: what was inlined, and the function that it was inlined into. */
	while (skipped < places->count && places->items[skipped].is_inlined)
		skipped++;
	if (skipped < places->count)
		skipped++;
	memmove(places->items, places->items + skipped, (places->count - skipped) * sizeof *places->items);
	places->count -= skipped;
	return places;
}

void violation_caller_describe(struct buf *out, struct violation_stacks *self, const struct stack_place *place)
{
	stack_describe(out, self->symbols, place);
}
