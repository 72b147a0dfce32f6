/*
 * report.c: the human-readable account of a run: lines in channel.report that the tool completes with names (abi.h).
 * There is no unwinder here: the tool gets what one needs, registers and a copy of the inner part of the stack.
 */
#include <string.h>

#include "rt/enter/patch.h"
#include "rt/maps.h"
#include "rt/message.h"
#include "world/kernel/calls.h"
#include "world/parts.h"
#include "world/signals/frame.h"
#include "world/sync/sync.h"

/* Of stacks: how many, how much of each at most, and what is too little to be of use. */
#define MAX_STACKS 24u
#define STACK_MAX_BYTES 8192u
#define STACK_LEAST_BYTES 512u
#define STACK_LINE_ROOM 256u /* for all but the copy */
/* A stack pointer may be beyond the end of its stack: that is how stacks overflow. */
#define STACK_GUARD_BYTES 65536u

/* What a caller finds unchanged, and where it is. */
struct place {
	uint64_t rip, rsp, rbp, rbx, r12, r13, r14, r15;
};

struct stack {
	uint32_t index;
	struct place place;
	uintptr_t start, end; /* what can be read; both 0: nothing */
};

static struct stack stacks[MAX_STACKS];
static uint32_t stack_count;

/* A name that Heddle did not choose: it must not look like a report line. */
static void put_name(const char *name)
{
	for (; *name; name++) {
		char letter[2] = { (unsigned char)*name < ' ' ? '?' : *name, 0 };
		report_put(letter);
	}
}

/* The path of a file, which the tool must be able to open: control characters and backslashes as "\\033". */
static void put_path(const char *path)
{
	for (; *path; path++) {
		unsigned char byte = (unsigned char)*path;
		char text[5] = { *path, 0 };
		if (byte < ' ' || byte == '\\') {
			text[0] = '\\';
			text[1] = (char)('0' + (byte >> 6));
			text[2] = (char)('0' + (byte >> 3 & 7));
			text[3] = (char)('0' + (byte & 7));
		}
		report_put(text);
	}
}

/* A name that the kernel copied from the creator says nothing about the thread. */
static void put_thread_name(const struct thread *thread)
{
	if (thread->is_named)
		put_name(thread->name);
	else if (thread->index == 1)
		put_name("main");
}

void report_beginning(const struct thread *thread)
{
	const struct beginning *began = &thread->began;
	if (thread->is_named) {
		report_put("named");
		report_put_word(thread->index, 10);
		report_put(" ");
		put_name(thread->name);
		report_put("\n");
	}
	if (!began->start)
		return;
	report_put("began");
	report_put_word(thread->index, 10);
	report_put_word(began->start, 16);
	for (uint32_t i = 0; began->has_words && i < BEGINNING_WORDS; i++)
		report_put_word(began->words[i], 16);
	report_put("\n");
}

static void put_code(uint32_t index, uintptr_t code)
{
	report_put("at");
	report_put_word(index, 10);
	report_put_word(patch_original(code), 16);
	report_put("\n");
}

/* Whether the report has the line already. */
static bool has_line(const char *line, size_t size)
{
	const struct heddle_channel *channel = world.channel;
	for (size_t at = 0; at + size <= channel->report_used; at++)
		if ((at == 0 || channel->report[at - 1] == '\n') && memcmp(channel->report + at, line, size) == 0)
			return true;
	return false;
}

void report_limit(const char *text, const char *subject)
{
	struct heddle_channel *channel = world.channel;
	uint32_t start = channel->report_used;
	report_line("limit", text, subject);
	uint32_t size = channel->report_used - start;
	channel->report_used = start;
	if (!has_line(channel->report + start, size))
		channel->report_used += size;
}

/* What a field of a table leads to; null: nothing. */
static const char *target_of(const heddle_rel *field)
{
	return *field ? (const char *)field + *field : NULL;
}

void report_opaque(const struct heddle_site *site)
{
	const struct heddle_function *function = (const void *)target_of(&site->function);
	const struct heddle_inline *inlined = (const void *)target_of(&site->inlined);
	const char *name = inlined ? target_of(&inlined->function) : function ? target_of(&function->name) : NULL;
	const char *file = site->file ? target_of(&site->file) : function ? target_of(&function->file) : NULL;
	report_put("opaque");
	report_put_word(site->line & ~HEDDLE_LINE_NEAR, 10);
	report_put(" ");
	report_put(name ? name : "?");
	report_put(" ");
	report_put(file ? file : "?");
	report_put("\n");
}

static void put_module(void *data, const struct maps_entry *entry)
{
	(void)data;
	if (entry->path[0] != '/' || !(entry->protection & 4 /* PROT_EXEC */))
		return;
	report_put("module");
	report_put_word(entry->start, 16);
	report_put_word(entry->end, 16);
	report_put_word(entry->offset, 16);
	report_put(" ");
	put_path(entry->path);
	report_put("\n");
}

/* What a system call waits for. How it waits differs between a run and its replay, what it waits for does not. */
static void put_awaited_call(const struct registers *call)
{
	const struct call *known = call_of((long)call->number);
	const uint64_t arguments[6] = { call->rdi, call->rsi, call->rdx, call->r10, call->r8, call->r9 };
	if (known->descriptor >= 0 && (known->flags & (CALL_BLOCKS_READ | CALL_BLOCKS_WRITE))) {
		report_put("descriptor");
		report_put_word((uint32_t)arguments[known->descriptor], 16);
		report_put(" 0\n");
	} else {
		report_put(call_name((long)call->number));
		report_put(" 0 0\n");
	}
}

static void put_obstacle(const struct thread *thread)
{
	struct sync_obstacle obstacle = sync_obstacle(thread);
	for (const char *what = obstacle.what; *what; what++) {
		char letter[2] = { *what == ' ' ? '-' : *what, 0 };
		report_put(letter);
	}
	report_put_word((uintptr_t)obstacle.object, 16);
	report_put_word(obstacle.owner, 10);
	report_put("\n");
}

static void put_waits(const struct thread *thread)
{
	report_put("waits");
	report_put_word(thread->index, 10);
	report_put(" ");
	switch (thread->wait.kind) {
	case WAIT_SLEEP:
		report_put("sleep 0 0\n");
		return;
	case WAIT_SIGNAL:
		report_put("signal 0 0\n");
		return;
	case WAIT_DESCRIPTORS:
	case WAIT_RETRY:
		if (thread->call && thread->kind == HEDDLE_EVENT_SYSCALL) {
			put_awaited_call(thread->call);
			return;
		}
		break;
	case WAIT_NONE:
	case WAIT_FUTEX:
	case WAIT_CHANGE:
	case WAIT_STOPPED:
		break;
	}
	put_obstacle(thread);
}

static struct place place_of_registers(const struct registers *r)
{
	return (struct place){ patch_original(r->rip), r->rsp, r->rbp, r->rbx, r->r12, r->r13, r->r14, r->r15 };
}

/* world/switch.c documents the layout. */
static struct place place_of_switched(const uint64_t *stack)
{
	return (struct place){ stack[7], (uint64_t)(stack + 8), stack[6], stack[5], stack[4], stack[3], stack[2],
			       stack[1] };
}

/* Our function. Its call frame information describes what the compiler moved before that. */
#define PLACE_HERE(place)                                                                                              \
	__asm__ volatile("leaq 0(%%rip), %%rax\n"                                                                      \
			 "movq %%rax, 0(%0)\n"                                                                         \
			 "movq %%rsp, 8(%0)\n"                                                                         \
			 "movq %%rbp, 16(%0)\n"                                                                        \
			 "movq %%rbx, 24(%0)\n"                                                                        \
			 "movq %%r12, 32(%0)\n"                                                                        \
			 "movq %%r13, 40(%0)\n"                                                                        \
			 "movq %%r14, 48(%0)\n"                                                                        \
			 "movq %%r15, 56(%0)"                                                                          \
			 :                                                                                             \
			 : "r"(place)                                                                                  \
			 : "rax", "memory")

static void add_stack(const struct thread *thread, const struct registers *registers, const struct place *here)
{
	if (stack_count == MAX_STACKS)
		return;
	struct stack *stack = &stacks[stack_count++];
	*stack = (struct stack){ .index = thread->index };
	if (thread == world.current && registers)
		stack->place = place_of_registers(registers);
	else if (thread->call)
		stack->place = place_of_registers(thread->call);
	else if (thread == world.current)
		stack->place = *here;
	else
		stack->place = place_of_switched(thread->stack_pointer);
}

/* The current thread first, unless it has just ended: there is not always room for all. */
static void add_stacks(const struct registers *registers, const struct place *here)
{
	stack_count = 0;
	if (world.current->state != THREAD_ENDED)
		add_stack(world.current, registers, here);
	for (uint32_t i = 1; i <= world.last_index && stack_count < MAX_STACKS; i++) {
		const struct thread *thread = thread_at(i);
		if (thread && thread != world.current && thread->state != THREAD_ENDED)
			add_stack(thread, registers, here);
	}
}

/* Mappings come in the order of addresses. */
static void find_bounds(void *data, const struct maps_entry *entry)
{
	(void)data;
	if (!(entry->protection & 1 /* PROT_READ */))
		return;
	for (uint32_t i = 0; i < stack_count; i++) {
		struct stack *stack = &stacks[i];
		if (stack->end || entry->end <= stack->place.rsp || entry->start > stack->place.rsp + STACK_GUARD_BYTES)
			continue;
		stack->start = entry->start > stack->place.rsp ? entry->start : stack->place.rsp;
		stack->end = entry->end;
	}
}

static void put_bytes(const unsigned char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char digits[3] = { "0123456789abcdef"[bytes[i] >> 4], "0123456789abcdef"[bytes[i] & 15], 0 };
		report_put(digits);
	}
}

static void put_stack(const char *word, uint32_t number, const struct stack *stack, size_t max_bytes)
{
	const uint64_t numbers[] = { stack->place.rip, stack->place.rsp, stack->place.rbp,
				     stack->place.rbx, stack->place.r12, stack->place.r13,
				     stack->place.r14, stack->place.r15, stack->start };
	size_t size = stack->end - stack->start;
	report_put(word);
	report_put_word(number, 10);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		report_put_word(numbers[i], 16);
	report_put(" ");
	put_bytes((const unsigned char *)stack->start, size < max_bytes ? size : max_bytes);
	report_put("\n");
}

/* Each gets an equal part of the room that is left. */
static void put_stacks(void)
{
	maps_read(find_bounds, NULL);
	for (uint32_t i = 0; i < stack_count; i++) {
		size_t room = (report_room() - 1 - world.channel->report_used) / (stack_count - i);
		size_t max_bytes = room > STACK_LINE_ROOM ? (room - STACK_LINE_ROOM) / 2 : 0;
		if (max_bytes >= STACK_LEAST_BYTES && stacks[i].end)
			put_stack("stack", stacks[i].index, &stacks[i],
				  max_bytes < STACK_MAX_BYTES ? max_bytes : STACK_MAX_BYTES);
	}
}

__attribute__((noinline)) void report_stack(const char *word, uint32_t number, size_t max_bytes)
{
	struct place here;
	PLACE_HERE(&here);
	stack_count = 0;
	add_stack(world.current, NULL, &here);
	maps_read(find_bounds, NULL);
	if (stacks[0].end)
		put_stack(word, number, &stacks[0], max_bytes);
}

static bool are_threads_reported; /* and in which states they are */

/* registers: where the current thread was interrupted; null: in a call of ours. */
static __attribute__((noinline)) void put_threads(const struct registers *registers)
{
	static const char *const states[] = { "runnable", "waiting", "ended" };
	struct place here;
	PLACE_HERE(&here);
	are_threads_reported = true;
	for (uint32_t i = 1; i <= world.last_index; i++) {
		const struct thread *thread = thread_at(i);
		if (!thread || thread->state == THREAD_ENDED)
			continue;
		report_put("thread");
		report_put_word(i, 10);
		report_put(" ");
		report_put(thread == world.current && thread->state == THREAD_RUNNABLE ? "running"
										       : states[thread->state]);
		report_put(" ");
		put_thread_name(thread);
		report_put("\n");
		report_beginning(thread);
		if (thread->state == THREAD_BLOCKED)
			put_waits(thread);
		put_code(i, thread->code);
	}
	report_modules();
	add_stacks(registers, &here);
	put_stacks();
}

void report_threads(void)
{
	put_threads(NULL);
}

void report_modules(void)
{
	static bool is_done;
	if (is_done)
		return;
	is_done = true;
	for (uint32_t i = 1; world.is_detailed && i <= world.last_index; i++) {
		const struct thread *thread = thread_at(i);
		if (!thread || (thread->state != THREAD_ENDED && are_threads_reported))
			continue;
		report_put("thread");
		report_put_word(i, 10);
		report_put(thread->state == THREAD_ENDED ? " ended " : " running ");
		put_thread_name(thread);
		report_put("\n");
		report_beginning(thread);
	}
	maps_read(put_module, NULL);
}

bool report_cycle(void)
{
	for (uint32_t i = 0; i < world.live_count; i++) {
		const struct thread *first = world.live[i], *thread = first;
		for (uint32_t steps = 0; steps <= world.live_count; steps++) {
			if (thread->state != THREAD_BLOCKED || thread->wait.deadline_ns != NO_DEADLINE ||
			    (thread->wait.kind != WAIT_FUTEX && thread->wait.kind != WAIT_CHANGE))
				break;
			uint32_t owner = sync_obstacle(thread).owner;
			thread = thread_at(owner);
			if (!thread)
				break;
			if (thread == first) {
				report_threads();
				return true;
			}
		}
	}
	return false;
}

/* registers: where it happened; null when the signal came from elsewhere. */
void report_fault(int number, const siginfo_t *info, const struct registers *registers)
{
	struct thread *self = world.current;
	report_put("note signal ");
	report_put_number((uint64_t)number, 10);
	/* The processor does not report the address when it is not canonical, or when there was none. */
	if (registers && info->si_code == SI_KERNEL) {
		report_put(" without an address: a non-canonical pointer, or a privileged instruction");
	} else if (registers) {
		report_put(" at address ");
		report_put_number((uintptr_t)info->si_addr, 16);
	}
	report_put("\n");
	if (registers)
		self->code = registers->rip + 1; /* readers take return addresses */
	put_threads(registers);
}
