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
 *  2. The context is complete before the gate is filled and is never changed or freed: threads may be in it.
 */
#include "rt/gate.h"

#include <string.h>

#include "rt/sys.h"

struct gate_call {
	int64_t offset; /* from the base to the address; the address itself for a fixed site */
	const struct heddle_site *site;
};

struct gate_context {
	uintptr_t code;          /* start of the clones */
	const uint32_t *numbers; /* of calls, by (return address - code) / 4; 0: none */
	const struct gate_call *calls;
	/* For entries in front of these: as numbers, but what to add to the base, or to code when the base is 0. */
	const int32_t *offsets;
	struct heddle_hooks hooks;
};

_Static_assert(offsetof(struct gate_context, code) == 0 && offsetof(struct gate_context, numbers) == 8 &&
		       offsetof(struct gate_context, calls) == 16 && offsetof(struct gate_context, hooks) == 32 &&
		       offsetof(struct gate_context, offsets) == GATE_OFFSETS && sizeof(struct gate_call) == 16 &&
		       HEDDLE_HOOK_READ_RANGE == 10,
	       "the entries below know these");

/*
 * On entry: the context at 0(%rsp), the return address at 8(%rsp). The frame then is: eight saved registers, the
 * context at 64(%rsp), the return address at 72(%rsp), and rbp saved below to remember the unaligned stack pointer. The
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
	"pushq %rbp\n"
	".cfi_adjust_cfa_offset 8\n"
	".cfi_rel_offset %rbp, 0\n"
	"movq %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"andq $-16, %rsp\n"
	"call *32 + 8 * \\number(%rax)\n"
	"movq %rbp, %rsp\n"
	".cfi_def_cfa_register %rsp\n"
	"popq %rbp\n"
	".cfi_adjust_cfa_offset -8\n"
	".cfi_restore %rbp\n"
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
	".irp number, 10, 11, 12, 13, 14, 15\n"
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
	".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
	".quad gate_access_\\number\n"
	".endr\n"
	".quad gate_nothing\n"
	".popsection\n");

static void *take_pages(size_t size_bytes)
{
	long at = sys_mmap(size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return sys_failed(at) ? NULL : (void *)at;
}

static bool set_short(int32_t *to, const struct object *object, const struct gate_call *call)
{
	int64_t offset = call->offset;
	if (call->site && (call->site->flags & HEDDLE_SITE_FIXED))
		offset -= (int64_t)(uintptr_t)object->clones;
	*to = (int32_t)offset;
	return *to == offset;
}

/* Turns the records into what the entries want. Number 0 stays "none": a null site. Returns whether all short offsets are
 * right. */
static bool fill(const struct object *object, uint32_t *numbers, struct gate_call *calls, int32_t *offsets)
{
	uint32_t number = 0;
	bool is_right = true;
	for (const struct heddle_call *call = object->calls; call < object->calls_end; call++) {
		const char *after = object_at(&call->after);
		if (!after || after < object->clones || after > object->clones_end)
			continue;
		const struct heddle_site *site = object_at(&call->site);
		number++;
		calls[number].site = site;
		calls[number].offset = call->displacement;
		if (site && (site->flags & HEDDLE_SITE_FIXED))
			calls[number].offset = (int64_t)(uintptr_t)object_at(&call->displacement);
		numbers[(size_t)(after - object->clones) / 4] = number;
		if (offsets && !set_short(&offsets[(size_t)(after - object->clones) / 4], object, &calls[number]))
			is_right = false;
	}
	return is_right;
}

int gate_open(const struct object *object, const struct heddle_hooks *hooks, void (*const *access_entries)(void))
{
	size_t code_bytes = (size_t)(object->clones_end - object->clones) + 8;
	size_t call_bytes = ((size_t)(object->calls_end - object->calls) + 1) * sizeof(struct gate_call);
	size_t total = sizeof(struct gate_context) + call_bytes + (access_entries ? 2 : 1) * ((code_bytes + 7) & -8ul);
	struct gate_context *context = take_pages(total);
	if (!context)
		return -12; /* ENOMEM */
	struct gate_call *calls = (struct gate_call *)(context + 1);
	uint32_t *numbers = (uint32_t *)((char *)calls + call_bytes);
	int32_t *offsets = access_entries ? (int32_t *)((char *)numbers + ((code_bytes + 7) & -8ul)) : NULL;
	if (!fill(object, numbers, calls, offsets)) {
		sys_munmap(context, total);
		return -75; /* EOVERFLOW: code and data are 2 GB apart */
	}
	*context = (struct gate_context){ (uintptr_t)object->clones, numbers, calls, offsets, *hooks };
	object->gate->context = context;
	void *const *hook = (void *const *)&context->hooks;
	for (unsigned i = 0; i < HEDDLE_HOOK_COUNT; i++)
		object->gate->entries[i] = !hook[i] ? gate_entries[HEDDLE_HOOK_COUNT]
					   : access_entries && i < HEDDLE_HOOK_READ_RANGE ? access_entries[i]
											  : gate_entries[i];
	return 0;
}
