/*
 * gate.c: see gate.h.
 *
 * From the return address to the call's record: return addresses of calls are at least five bytes apart, so the
 * distance from the start of the clones' code divided by four is different for each, and an array of 32-bit numbers as
 * large as the code is the map. It is filled once and touched only where the program runs.
 *
 * Invariants:
 *  1. No register but r11 and the flags is different after an entry, and these are the same whatever the hook did (the
 *     context; as after a test of the stack pointer): a program can see them in the context of a signal. Hooks are
 *     compiled without vector registers.
 *     Assured by tests/cases/run.t.
 *  2. The context is complete before the gate is filled and is never changed or freed: threads may be in it.
 */
#include "rt/gate.h"

#include <string.h>

#include "rt/bug.h"
#include "rt/sys.h"

struct gate_call {
	int64_t offset; /* from the base to the address; the address itself for a fixed site */
	const struct heddle_site *site;
};

struct gate_context {
	uintptr_t code;          /* start of the clones */
	const uint32_t *numbers; /* of calls, by (return address - code) / 4; 0: none */
	const struct gate_call *calls;
	struct heddle_hooks hooks;
};

_Static_assert(offsetof(struct gate_context, code) == 0 && offsetof(struct gate_context, numbers) == 8 &&
		       offsetof(struct gate_context, calls) == 16 && offsetof(struct gate_context, hooks) == 24 &&
		       sizeof(struct gate_call) == 16 && HEDDLE_HOOK_READ_RANGE == 10,
	       "the entries below know these");

/*
 * On entry: the context at 0(%rsp), the return address at 8(%rsp). The frame then is: eight saved registers, the
 * context at 64(%rsp), the return address at 72(%rsp), and the latter again with rbp saved below to remember the unaligned stack pointer. The
 * call frame information holds at every instruction: profilers and crash handlers unwind from anywhere.
 */
__asm__(".pushsection .text\n"
	".macro gate_save\n"
	".cfi_startproc\n"
	".cfi_def_cfa_offset 16\n"
	".irp register, rax, rcx, rdx, rsi, rdi, r8, r9, r10\n"
	"pushq %\\register\n"
	".cfi_adjust_cfa_offset 8\n"
	".endr\n"
	"movq 64(%rsp), %rax\n"
	".endm\n"
	".macro gate_leave number\n"
	"pushq 72(%rsp)\n" /* an ordinary frame, for code that follows frame pointers */
	".cfi_adjust_cfa_offset 8\n"
	"pushq %rbp\n"
	".cfi_adjust_cfa_offset 8\n"
	".cfi_rel_offset %rbp, 0\n"
	"movq %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"andq $-16, %rsp\n"
	"call *24 + 8 * \\number(%rax)\n"
	"movq %rbp, %rsp\n"
	".cfi_def_cfa_register %rsp\n"
	"popq %rbp\n"
	".cfi_adjust_cfa_offset -8\n"
	".cfi_restore %rbp\n"
	"leaq 8(%rsp), %rsp\n"
	".cfi_adjust_cfa_offset -8\n"
	".irp register, r10, r9, r8, rdi, rsi, rdx, rcx, rax\n"
	"popq %\\register\n"
	".cfi_adjust_cfa_offset -8\n"
	".endr\n"
	"popq %r11\n"
	".cfi_adjust_cfa_offset -8\n"
	"testq %rsp, %rsp\n"
	"ret\n"
	".cfi_endproc\n"
	".endm\n"
	/* A call with a base in r11: the record gives the rest. */
	".macro gate_access number\n"
	"gate_access_\\number:\n"
	"gate_save\n"
	"movq 72(%rsp), %rcx\n"
	"subq (%rax), %rcx\n"
	"andq $-4, %rcx\n"
	"movq 8(%rax), %rsi\n"
	"movl (%rsi, %rcx), %esi\n"
	"shlq $4, %rsi\n"
	"addq 16(%rax), %rsi\n"
	"movq (%rsi), %rdi\n"
	"addq %r11, %rdi\n"
	"movq 8(%rsi), %rsi\n"
	"gate_leave \\number\n"
	".endm\n"
	/* A call with its arguments in rdi, rsi and rdx. */
	".macro gate_arguments number\n"
	"gate_access_\\number:\n"
	"gate_save\n"
	"gate_leave \\number\n"
	".endm\n"
	".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9\n"
	"gate_access \\number\n"
	".endr\n"
	".irp number, 10, 11, 12, 13, 14, 15, 16\n"
	"gate_arguments \\number\n"
	".endr\n"
	"gate_nothing:\n"
	".cfi_startproc\n"
	".cfi_def_cfa_offset 16\n"
	"popq %r11\n"
	".cfi_adjust_cfa_offset -8\n"
	"testq %rsp, %rsp\n"
	"ret\n"
	".cfi_endproc\n"
	".popsection\n"
	".pushsection .data.rel.ro.gate, \"aw\"\n"
	".balign 8\n"
	".hidden gate_entries\n"
	".globl gate_entries\n"
	"gate_entries:\n"
	".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16\n"
	".quad gate_access_\\number\n"
	".endr\n"
	".quad gate_nothing\n"
	".popsection\n");

/* By number of the hook; the last one does nothing. */
extern void (*const gate_entries[HEDDLE_HOOK_COUNT + 1])(void) __attribute__((visibility("hidden")));

static void *take_pages(size_t size_bytes)
{
	long at = sys_mmap(size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return sys_failed(at) ? NULL : (void *)at;
}

/* Turns the records into what the entries want. Number 0 stays "none": a null site. */
static void fill(const struct object *object, uint32_t *numbers, struct gate_call *calls)
{
	uint32_t number = 0;
	for (const struct heddle_call *call = object->calls; call < object->calls_end; call++) {
		const char *after = object_at(&call->after);
		if (!after || after < object->clones || after > object->clones_end)
			continue;
		const struct heddle_site *site = object_at(&call->site);
		if (numbers[(size_t)(after - object->clones) / 4])
			RT_BUG("two calls of a clone return to one place");
		number++;
		calls[number].site = site;
		calls[number].offset = call->displacement;
		if (site && (site->flags & HEDDLE_SITE_FIXED))
			calls[number].offset = (int64_t)(uintptr_t)object_at(&call->displacement);
		numbers[(size_t)(after - object->clones) / 4] = number;
	}
}

/* Whether plain accesses have hooks: else nothing is looked up. */
static bool is_looked_up(const struct heddle_hooks *hooks)
{
	for (unsigned i = 0; i < 5; i++)
		if (hooks->read[i] || hooks->write[i])
			return true;
	return false;
}

int gate_open(const struct object *object, const struct heddle_hooks *hooks)
{
	bool has_tables = is_looked_up(hooks);
	size_t code_bytes = (size_t)(object->clones_end - object->clones) + 8;
	size_t call_bytes = ((size_t)(object->calls_end - object->calls) + 1) * sizeof(struct gate_call);
	struct gate_context *context = take_pages(sizeof *context + (has_tables ? call_bytes + code_bytes : 0));
	if (!context)
		return -12; /* ENOMEM */
	*context = (struct gate_context){ .code = (uintptr_t)object->clones, .hooks = *hooks };
	if (has_tables) {
		struct gate_call *calls = (struct gate_call *)(context + 1);
		uint32_t *numbers = (uint32_t *)((char *)calls + call_bytes);
		fill(object, numbers, calls);
		context->calls = calls;
		context->numbers = numbers;
	}
	if (object->gate->context) {
		RT_BUG("a gate is opened that threads may be in");
		return -16; /* EBUSY */
	}
	object->gate->context = context;
	void *const *hook = (void *const *)&context->hooks;
	for (unsigned i = 0; i < HEDDLE_HOOK_COUNT; i++)
		object->gate->entries[i] = gate_entries[hook[i] ? i : HEDDLE_HOOK_COUNT];
	return 0;
}
