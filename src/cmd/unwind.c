/* unwind.c: see unwind.h. libdwfl does the work; here it learns what the registers and the memory of a thread were. */
#include "cmd/unwind.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

struct unwinder {
	const struct report *report;
	struct symbols *symbols;
	Dwfl *dwfl; /* null until the first thread */
	bool is_attached;
	/* The thread at work. */
	const struct report_thread *thread;
	uint64_t *addresses;
	size_t count, room;
};

struct unwinder *unwinder_new(const struct report *report, struct symbols *symbols)
{
	struct unwinder *self = mem_alloc(sizeof *self);
	self->report = report;
	self->symbols = symbols;
	return self;
}

void unwinder_free(struct unwinder *self)
{
	free(self);
}

/* libdwfl wants to go through the threads by itself; there is one for it at a time. */
static pid_t next_thread(Dwfl *dwfl, void *data, void **thread)
{
	(void)dwfl;
	struct unwinder *self = data;
	if (*thread == self)
		return 0;
	*thread = self;
	return 1;
}

static bool get_thread(Dwfl *dwfl, pid_t id, void *data, void **thread)
{
	(void)dwfl, (void)id;
	*thread = data;
	return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *data)
{
	(void)dwfl;
	const struct unwinder *self = data;
	const struct report_stack *stack = &self->thread->stack;
	if (address < stack->start || stack->size < sizeof *result || address - stack->start > stack->size - sizeof *result)
		return false;
	memcpy(result, stack->bytes + (address - stack->start), sizeof *result);
	return true;
}

/* Numbers as in the System V ABI for x86-64, table 3.36. The others belong to nobody after a call. */
static bool set_registers(Dwfl_Thread *thread, void *data)
{
	const struct unwinder *self = data;
	const struct report_stack *stack = &self->thread->stack;
	const struct {
		int number;
		Dwarf_Word value;
	} registers[] = {
		{ 3, stack->rbx },  { 6, stack->rbp },  { 7, stack->rsp },  { 12, stack->r12 },
		{ 13, stack->r13 }, { 14, stack->r14 }, { 15, stack->r15 }, { 16, stack->rip },
	};
	for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
		if (!dwfl_thread_state_registers(thread, registers[i].number, 1, &registers[i].value))
			return false;
	dwfl_thread_state_register_pc(thread, stack->rip);
	return true;
}

static const Dwfl_Thread_Callbacks callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

static bool is_code(const struct report *report, uint64_t address)
{
	for (size_t i = 0; i < report->module_count; i++)
		if (address >= report->modules[i].start && address < report->modules[i].end)
			return true;
	return false;
}

static bool is_event(const struct report_thread *thread, uint64_t address)
{
	return thread->code_count && thread->code[0] == address;
}

static int add_frame(Dwfl_Frame *frame, void *data)
{
	struct unwinder *self = data;
	Dwarf_Addr address;
	bool is_exact;
	if (self->count == self->room || !dwfl_frame_pc(frame, &address, &is_exact) || !is_code(self->report, address))
		return DWARF_CB_ABORT;
	/* The instruction at the address was not executed yet, except that a call or a system call was made before it. */
	if (is_exact && (self->count || is_event(self->thread, address + 1)))
		address++;
	self->addresses[self->count++] = address;
	return DWARF_CB_OK;
}

size_t unwind_thread(struct unwinder *self, const struct report_thread *thread, uint64_t *addresses, size_t room)
{
	if (!thread->stack.size)
		return 0;
	if (!self->dwfl) {
		self->dwfl = symbols_files(self->symbols);
		self->is_attached = self->dwfl && dwfl_attach_state(self->dwfl, NULL, 1, &callbacks, self);
	}
	if (!self->is_attached)
		return 0;
	self->thread = thread;
	self->addresses = addresses;
	self->count = 0;
	self->room = room;
	/* Its result says only why it ended, which it has to somewhere. */
	dwfl_getthread_frames(self->dwfl, 1, add_frame, self);
	return self->count;
}
