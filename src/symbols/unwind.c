/*
 * unwind.c: see unwind.h. libdwfl does the work; here it learns what the registers and the memory of a thread were. A
 * signal handler of the program returns to code that is in no file, where libdwfl stops: from there it starts again
 * with the registers that the signal frame has.
 */
#include "symbols/unwind.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

/* As in the System V ABI for x86-64, table 3.36. */
#define REGISTER_RSP 7
#define MAX_AT_ONCE 128u

struct unwinder {
	const struct report *report;
	struct symbols *symbols;
	Dwfl *dwfl; /* null until the first thread */
	bool is_attached;
	/* The thread at work. */
	const struct report_thread *thread;
	struct report_stack place; /* to start from; its memory is not used */
	uint64_t signal_frame;     /* where it is, when that is where it ended; else 0 */
	bool is_interrupted;       /* place is that of a signal frame */
	bool is_cut;               /* something beyond the piece of stack was needed */
	struct unwound *calls;
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

static bool read_word(const struct report_stack *stack, uint64_t address, uint64_t *result)
{
	if (address < stack->start || stack->size < sizeof *result ||
	    address - stack->start > stack->size - sizeof *result)
		return false;
	memcpy(result, stack->bytes + (address - stack->start), sizeof *result);
	return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *data)
{
	(void)dwfl;
	struct unwinder *self = data;
	const struct report_stack *stack = &self->thread->stack;
	bool is_present = read_word(stack, address, result);
	if (!is_present && address >= stack->start)
		self->is_cut = true;
	return is_present;
}

/* The others have no defined contents after a call. */
static bool set_registers(Dwfl_Thread *thread, void *data)
{
	const struct unwinder *self = data;
	const struct report_stack *stack = &self->place;
	const struct {
		int number;
		Dwarf_Word value;
	} registers[] = {
		{ 3, stack->rbx },  { 6, stack->rbp },  { REGISTER_RSP, stack->rsp }, { 12, stack->r12 },
		{ 13, stack->r13 }, { 14, stack->r14 }, { 15, stack->r15 },           { 16, stack->rip },
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

/* Whether the instruction at the address of an innermost frame is the one of interest; else it is the call before it. */
static bool is_interrupted(const struct unwinder *self, uint64_t address)
{
	return self->is_interrupted || (self->thread->code_count && self->thread->code[0] == address + 1);
}

static void add_call(struct unwinder *self, Dwfl_Frame *frame, uint64_t address)
{
	struct unwound *call = &self->calls[self->count++];
	*call = (struct unwound){ .address = address };
	const struct {
		int number;
		uint64_t *to;
	} registers[] = {
		{ 3, &call->rbx },  { 6, &call->rbp },  { REGISTER_RSP, &call->rsp }, { 12, &call->r12 },
		{ 13, &call->r13 }, { 14, &call->r14 }, { 15, &call->r15 },
	};
	for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
		Dwarf_Word value;
		if (dwfl_frame_reg(frame, (unsigned)registers[i].number, &value) == 0)
			*registers[i].to = value;
	}
}

static int add_frame(Dwfl_Frame *frame, void *data)
{
	struct unwinder *self = data;
	Dwarf_Addr address;
	Dwarf_Word stack_pointer;
	bool is_exact;
	if (self->count == self->room || !dwfl_frame_pc(frame, &address, &is_exact))
		return DWARF_CB_ABORT;
	if (!report_is_code(self->report, address)) {
		if (dwfl_frame_reg(frame, REGISTER_RSP, &stack_pointer) == 0)
			self->signal_frame = stack_pointer;
		return DWARF_CB_ABORT;
	}
	add_call(self, frame, is_exact && is_interrupted(self, address) ? address + 1 : address);
	return DWARF_CB_OK;
}

/* Offsets of registers in struct ucontext (asm/ucontext.h, asm/sigcontext.h), which is what a handler returns to. */
static bool read_signal_frame(struct unwinder *self)
{
	const struct {
		uint64_t offset;
		uint64_t *to;
	} registers[] = {
		{ 72, &self->place.r12 },  { 80, &self->place.r13 },  { 88, &self->place.r14 },
		{ 96, &self->place.r15 },  { 120, &self->place.rbp }, { 128, &self->place.rbx },
		{ 160, &self->place.rsp }, { 168, &self->place.rip },
	};
	uint64_t at = self->signal_frame;
	self->signal_frame = 0;
	for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
		if (!at || !read_word(&self->thread->stack, at + registers[i].offset, registers[i].to))
			return false;
	/* Stacks have an order, so this comes to an end. */
	return self->place.rsp > at && report_is_code(self->report, self->place.rip);
}

static bool has_frame(Dwarf_CFI *information, Dwarf_Addr address)
{
	Dwarf_Frame *frame = NULL;
	bool is_present = information && dwarf_cfi_addrframe(information, address, &frame) == 0;
	free(frame);
	return is_present;
}

/* libc says nothing of the frame of its system call that makes a thread (clone3), because it is not right for the new
 * thread. Such a function has nothing on the stack but where it returns to. */
static bool step_bare(struct unwinder *self)
{
	Dwfl_Module *module = self->count == 1 ? dwfl_addrmodule(self->dwfl, self->place.rip) : NULL;
	Dwarf_Addr bias;
	uint64_t address;
	if (!module || has_frame(dwfl_module_eh_cfi(module, &bias), self->place.rip - bias) ||
	    !read_word(&self->thread->stack, self->place.rsp, &address) || !report_is_code(self->report, address))
		return false;
	self->place.rip = address;
	self->place.rsp += 8;
	return true;
}

/* A call through a wrong pointer has left nothing on the stack but where it would have returned to. */
static void leave_wild_call(struct unwinder *self)
{
	uint64_t address;
	if (report_is_code(self->report, self->place.rip) ||
	    !read_word(&self->thread->stack, self->place.rsp, &address) || !report_is_code(self->report, address))
		return;
	self->place.rip = address;
	self->place.rsp += 8;
}

size_t unwind_calls(struct unwinder *self, const struct report_thread *thread, struct unwound *calls, size_t room)
{
	self->is_cut = false;
	if (!thread->stack.size)
		return 0;
	if (!self->dwfl) {
		self->dwfl = symbols_files(self->symbols);
		self->is_attached = self->dwfl && dwfl_attach_state(self->dwfl, NULL, 1, &callbacks, self);
	}
	if (!self->is_attached)
		return 0;
	self->thread = thread;
	self->place = thread->stack;
	self->calls = calls;
	self->count = 0;
	self->room = room;
	self->signal_frame = 0;
	self->is_interrupted = false;
	leave_wild_call(self);
	/* Its result says only why it ended, which it has to somewhere. */
	do
		dwfl_getthread_frames(self->dwfl, 1, add_frame, self);
	while ((self->is_interrupted = read_signal_frame(self)) || step_bare(self));
	return self->count;
}

size_t unwind_thread(struct unwinder *self, const struct report_thread *thread, uint64_t *addresses, size_t room)
{
	struct unwound calls[MAX_AT_ONCE];
	size_t count = unwind_calls(self, thread, calls, room < MAX_AT_ONCE ? room : MAX_AT_ONCE);
	for (size_t i = 0; i < count; i++)
		addresses[i] = calls[i].address;
	return count;
}

bool unwinder_is_cut(const struct unwinder *self)
{
	return self->is_cut;
}
