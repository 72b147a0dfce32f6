/*
 * operation_entry.c: the way from a slot to the mode, the real function, the mode, and back; see operation.h.
 *
 * The code of a function says which one it is in r11 and goes to operation_enter, whose frame holds struct operation. The
 * frame has a personality routine: the unwinder calls it where it would run destructors of this frame, and `after` runs right
 * there. So nothing has to be resumed, and nothing of the unwinder is needed but where the frame is.
 */
#include "rt/enter/entrance.h"
#include "rt/enter/interpose.h"

_Static_assert(offsetof(struct operation, arguments) == 0 && offsetof(struct operation, result) == 48 &&
		       offsetof(struct operation, code) == 56 && offsetof(struct operation, row) == 64 &&
		       offsetof(struct operation, end) == 72 && sizeof(struct operation) == 144 &&
		       offsetof(struct operation_row, real) == 8 && sizeof(struct operation_row) == 32 &&
		       OPERATION_BEFORE == 0 && OPERATION_CALLING == 1 && OPERATION_RETURNED == 2 &&
		       OPERATION_CALL == 0 && OPERATION_DONE == 1 && OPERATION_CALL_ONLY == 2,
	       "the assembly below knows the layout");

#define FUNCTION_BYTES 16u

/* The unwinder's (Itanium C++ ABI: exception handling, 1.3). */
#define ACTION_CLEANUP 2
#define CONTINUE_UNWIND 8

extern const char operation_functions[] __attribute__((visibility("hidden")));
int operation_personality(int version, int actions, uint64_t kind, void *exception, void *context)
	__attribute__((visibility("hidden")));

__asm__(".pushsection .text\n"
	".balign 64\n"
	".type operation_enter, @function\n"
	"operation_enter:\n"
	".cfi_startproc\n"
	".cfi_personality 0x1b, operation_personality\n"
	"pushq %rbp\n"
	".cfi_adjust_cfa_offset 8\n"
	".cfi_rel_offset %rbp, 0\n"
	"movq %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"subq $144, %rsp\n"
	"movq %rdi, 0(%rsp)\n"
	"movq %rsi, 8(%rsp)\n"
	"movq %rdx, 16(%rsp)\n"
	"movq %rcx, 24(%rsp)\n"
	"movq %r8, 32(%rsp)\n"
	"movq %r9, 40(%rsp)\n"
	"movq 8(%rbp), %rax\n"
	"movq %rax, 56(%rsp)\n"
	"leaq operation_rows(%rip), %rax\n"
	"addq %rax, %r11\n"
	"movq %r11, 64(%rsp)\n"
	"movl $0, 72(%rsp)\n"
	"movq %rsp, %rdi\n"
	"call *entrance + 16(%rip)\n"
	"cmpl $1, %eax\n"
	"je 1f\n"
	"ja 2f\n"
	"movq 64(%rsp), %rax\n"
	"movq 8(%rax), %rax\n"
	"movq 0(%rsp), %rdi\n"
	"movq 8(%rsp), %rsi\n"
	"movq 16(%rsp), %rdx\n"
	"movq 24(%rsp), %rcx\n"
	"movq 32(%rsp), %r8\n"
	"movq 40(%rsp), %r9\n"
	"movl $1, 72(%rsp)\n"
	"call *(%rax)\n"
	"movq %rax, 48(%rsp)\n"
	"1:\n"
	"movl $2, 72(%rsp)\n"
	"movq %rsp, %rdi\n"
	"call *entrance + 24(%rip)\n"
	"movq 48(%rsp), %rax\n"
	".cfi_remember_state\n"
	"leave\n"
	".cfi_def_cfa %rsp, 8\n"
	".cfi_restore %rbp\n"
	"ret\n"
	/* The real function alone: it returns to the program. */
	"2:\n"
	".cfi_restore_state\n"
	"movq 64(%rsp), %rax\n"
	"movq 8(%rax), %rax\n"
	"movq 0(%rsp), %rdi\n"
	"movq 8(%rsp), %rsi\n"
	"movq 16(%rsp), %rdx\n"
	"movq 24(%rsp), %rcx\n"
	"movq 32(%rsp), %r8\n"
	"movq 40(%rsp), %r9\n"
	"leave\n"
	".cfi_def_cfa %rsp, 8\n"
	".cfi_restore %rbp\n"
	"jmp *(%rax)\n"
	".cfi_endproc\n"
	".size operation_enter, . - operation_enter\n"
	".balign 16\n"
	".globl operation_functions\n"
	".hidden operation_functions\n"
	"operation_functions:\n"
	".set operation_row, 0\n");

/* In the order of the list, each of FUNCTION_BYTES. */
#define FUNCTION(name)                                                                                                 \
	__asm__(".balign 16\n"                                                                                         \
		".type operation_" #name ", @function\n"                                                               \
		"operation_" #name ":\n"                                                                               \
		".cfi_startproc\n"                                                                                     \
		"movl $operation_row, %r11d\n"                                                                         \
		"jmp operation_enter\n"                                                                                \
		".cfi_endproc\n"                                                                                       \
		".size operation_" #name ", . - operation_" #name "\n"                                                 \
		".set operation_row, operation_row + 32\n");
INTERPOSE_ALL(FUNCTION)
#undef FUNCTION
__asm__(".balign 16\n"
	".popsection\n");

void *operation_function(size_t index)
{
	return operation_rows[index].kind == OPERATION_NONE ? NULL
							    : (void *)(operation_functions + index * FUNCTION_BYTES);
}

/*
 * The operation of the frame that is being unwound. What the unwinder calls the address of the canonical frame, in the context of a
 * personality routine, is the stack pointer where the frame was left: that of operation_enter is at its operation from the
 * second instruction on. Asked in the library that the unwinder is in.
 */
typedef uintptr_t get_frame(void *context);

/* The unwinder's function that returns it, by the address that the unwinder called from: there are only a few such
 * places. A lookup walks through all libraries, and others may be unloaded meanwhile. */
static get_frame *find_get(uintptr_t unwinder)
{
	static struct {
		uintptr_t unwinder; /* release: partner of the acquire below */
		get_frame *get;
	} known[8];
	static uint32_t known_count;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (__atomic_load_n(&known[i].unwinder, __ATOMIC_ACQUIRE) == unwinder)
			return known[i].get;
	get_frame *get = (get_frame *)(uintptr_t)lookup_beside("_Unwind_GetCFA", unwinder);
	uint32_t slot = __atomic_fetch_add(&known_count, 1, __ATOMIC_RELAXED);
	if (get && slot < sizeof known / sizeof *known) {
		known[slot].get = get;
		__atomic_store_n(&known[slot].unwinder, unwinder, __ATOMIC_RELEASE);
	}
	return get;
}

static struct operation *operation_of(void *context, uintptr_t unwinder)
{
	get_frame *get = find_get(unwinder);
	struct operation *operation = get ? (struct operation *)get(context) : NULL;
	return operation && operation->row >= operation_rows && operation->row < operation_rows + INTERPOSE_COUNT
		       ? operation
		       : NULL;
}

int operation_personality(int version, int actions, uint64_t kind, void *exception, void *context)
{
	(void)version;
	(void)kind;
	(void)exception;
	if (!(actions & ACTION_CLEANUP))
		return CONTINUE_UNWIND;
	struct operation *operation = operation_of(context, (uintptr_t)__builtin_return_address(0));
	/* Not when `before` or `after` itself is left. */
	if (operation && operation->end == OPERATION_CALLING) {
		operation->end = OPERATION_UNWOUND;
		entrance.after(operation);
	}
	return CONTINUE_UNWIND;
}
