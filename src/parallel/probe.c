/*
 * probe.c: see probe.h. The area of an object begins with a jump to the entry, which may be farther away than 2 GB; then the
 * shortcuts:
 *
 *	struct shortcut
 *	lea displacement(%base), %r11        or, for what has a fixed address, displacement(%rip) or movabs
 *	jmp to the start of the area
 */
#include "parallel/probe.h"

#include <errno.h>
#include <string.h>

#include "rt/enter/near.h"
#include "rt/stub.h"
#include "rt/sys.h"

#define AREA_JUMP "\xff\x25\x02\x00\x00\x00" /* jmp *2(%rip) */
#define AREA_JUMP_BYTES 6u
#define AREA_HEAD_BYTES 16u
#define MAX_PROBE (sizeof(struct shortcut) + STUB_FAR_BYTES + STUB_JUMP_BYTES)

bool (*probe_hit)(uintptr_t address, const struct shortcut *shortcut);
void (*probe_stop)(uintptr_t address, const struct shortcut *shortcut, const struct probe_frame *frame,
		   const uint64_t *rsp);

/* r11: the address. After the saves the frame is: rax to r11 at 0 to 56(%rsp), the return address at 64(%rsp). */
extern void probe_entry(void) __attribute__((visibility("hidden")));
_Static_assert(sizeof(struct shortcut) == 12, "the entry below knows this");
__asm__(".pushsection .text\n"
	".hidden probe_hit, probe_stop, probe_entry\n"
	".balign 16\n"
	".type probe_entry, @function\n"
	"probe_entry:\n"
	".cfi_startproc\n"
	".irp register, r11, r9, r8, rdi, rsi, rdx, rcx, rax\n"
	"pushq %\\register\n"
	".cfi_adjust_cfa_offset 8\n"
	".endr\n"
	"pushq %rbp\n"
	".cfi_adjust_cfa_offset 8\n"
	".cfi_rel_offset %rbp, 0\n"
	"movq %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"movq 72(%rbp), %rax\n"
	"movslq -4(%rax), %rsi\n"
	"leaq -12(%rax, %rsi), %rsi\n"
	"movq %r11, %rdi\n"
	"andq $-16, %rsp\n"
	"call *probe_hit(%rip)\n"
	"testb %al, %al\n"
	"jne 2f\n"
	"1:\n"
	"movq %rbp, %rsp\n"
	".cfi_def_cfa_register %rsp\n"
	"popq %rbp\n"
	".cfi_adjust_cfa_offset -8\n"
	".cfi_restore %rbp\n"
	".irp register, rax, rcx, rdx, rsi, rdi, r8, r9, r11\n"
	"popq %\\register\n"
	".cfi_adjust_cfa_offset -8\n"
	".endr\n"
	"xorl %r10d, %r10d\n"
	"xorl %r11d, %r11d\n"
	"ret\n"
	"2:\n"
	".cfi_adjust_cfa_offset 72\n"
	".cfi_def_cfa_register %rbp\n"
	".cfi_rel_offset %rbp, 0\n"
	"movq 72(%rbp), %rax\n"
	"movslq -4(%rax), %rsi\n"
	"leaq -12(%rax, %rsi), %rsi\n"
	"movq 64(%rbp), %rdi\n"
	"leaq 72(%rbp), %rcx\n"
	"pushq (%rbp)\n"
	"pushq %rbx\n"
	"pushq %r12\n"
	"pushq %r13\n"
	"pushq %r14\n"
	"pushq %r15\n"
	"movq %rsp, %rdx\n"
	"andq $-16, %rsp\n"
	"call *probe_stop(%rip)\n"
	"jmp 1b\n"
	".cfi_endproc\n"
	".size probe_entry, . - probe_entry\n"
	".popsection\n");

static const struct heddle_function *function_of(const struct heddle_site *site)
{
	return object_at(&site->function);
}

/* The call is in a function that is switched: makes it nothing, or leads it to a shortcut at `to`. Returns the end of what is used of
 * the area; null: it is too far. */
static uint8_t *redirect(uint8_t *area, uint8_t *to, char *after, const struct heddle_call *call, uint32_t number,
			 const struct stub *stub)
{
	struct shortcut head = { object_at(&call->site), number };
	if (!number) {
		stub_put((uint8_t *)after - STUB_CALL_BYTES, STUB_NOTHING, STUB_CALL_BYTES);
		return to;
	}
	uint8_t *code = stub_put(to, &head, sizeof head);
	uint8_t *end = stub_put_distance(stub_put(stub_put_address(code, stub->base, call), STUB_JUMP_OPCODE, 1), area);
	return end && stub_put_distance((uint8_t *)after - 4, code) ? end : NULL;
}

static size_t count_chosen(const struct object *object, const struct probe_mode *mode)
{
	size_t count = 0;
	for (const struct heddle_call *call = object->calls; call < object->calls_end; call++) {
		const struct heddle_site *site = object_at(&call->site);
		count += site && mode->number(object, site) != 0;
	}
	return count;
}

static uint8_t *make_area(const struct object *object, size_t size_bytes)
{
	const void *entry = (const void *)probe_entry;
	uint8_t *area = near_take((uintptr_t)object->clones, (uintptr_t)object->clones_end, size_bytes);
	if (area)
		stub_put(stub_put(area, AREA_JUMP, AREA_JUMP_BYTES) + 2, &entry, sizeof entry);
	return area;
}

long probe_attach(const struct object *object, const struct probe_mode *mode,
		  bool (*is_switched)(const struct object *object, const struct heddle_function *function))
{
	size_t size = AREA_HEAD_BYTES + count_chosen(object, mode) * MAX_PROBE;
	uint8_t *area = make_area(object, size), *to = area + AREA_HEAD_BYTES;
	long count = 0;
	if (!area)
		return -ENOMEM;
	int code = stub_protect(object->clones, object->clones_end, true);
	for (const struct heddle_call *call = object->calls; !code && call < object->calls_end; call++) {
		char *after = (char *)(uintptr_t)object_at(&call->after);
		const struct heddle_site *site = object_at(&call->site);
		struct stub stub;
		if (!site || !stub_is_call(object, after) || !stub_read(object, stub_target(after), &stub) ||
		    !function_of(site) || !is_switched(object, function_of(site)))
			continue;
		uint32_t number = mode->number(object, site);
		uint8_t *end = redirect(area, to, after, call, number, &stub);
		if (!end)
			code = -EOVERFLOW;
		to = end;
		count += number != 0;
	}
	if (!code)
		code = stub_protect((char *)area, (char *)area + size, false);
	int back = stub_protect(object->clones, object->clones_end, false);
	return code ? code : back ? back : count;
}
