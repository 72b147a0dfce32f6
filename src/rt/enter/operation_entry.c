/*
 * operation_entry.c: the way from a slot to the mode, the real function, the mode, and back; see operation.h.
 *
 * The code of a function says which one it is in r11 and goes to operation_enter, whose frame holds struct operation. The
 * frame has a personality routine: the unwinder calls it where it would run destructors of this frame, and `after` runs right
 * there. So nothing has to be resumed, and nothing of the unwinder is needed but where the frame is. The short ways have no such
 * structure; see below.
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
_Static_assert(offsetof(struct lookup, address) == 8 && sizeof(struct lookup) == 24,
	       "it knows where the real functions are");

#define FUNCTION_BYTES 16u
#define ANNOUNCED_BYTES 32u
#define CHECKED_BYTES 64u
#define FOLLOWED_BYTES 64u

/* The unwinder's (Itanium C++ ABI: exception handling, 1.3). */
#define ACTION_CLEANUP 2
#define CONTINUE_UNWIND 8

extern const char operation_functions[] __attribute__((visibility("hidden")));
extern const char operation_singles[] __attribute__((visibility("hidden")));
int operation_personality(int version, int actions, uint64_t kind, void *exception, void *context)
	__attribute__((visibility("hidden")));
int operation_checked_personality(int version, int actions, uint64_t kind, void *exception, void *context)
	__attribute__((visibility("hidden")));
int operation_followed_personality(int version, int actions, uint64_t kind, void *exception, void *context)
	__attribute__((visibility("hidden")));

/* ENTER(name, SAVE, LOAD): makes the structure; SAVE and LOAD are for the arguments that the functions have. */
#define SAVE_FIRST "movq %rdi, 0(%rsp)\n"
#define LOAD_FIRST "movq 0(%rsp), %rdi\n"
#define SAVE_ALL                                                                                                       \
	SAVE_FIRST "movq %rsi, 8(%rsp)\n"                                                                              \
		   "movq %rdx, 16(%rsp)\n"                                                                             \
		   "movq %rcx, 24(%rsp)\n"                                                                             \
		   "movq %r8, 32(%rsp)\n"                                                                              \
		   "movq %r9, 40(%rsp)\n"
#define LOAD_ALL                                                                                                       \
	LOAD_FIRST "movq 8(%rsp), %rsi\n"                                                                              \
		   "movq 16(%rsp), %rdx\n"                                                                             \
		   "movq 24(%rsp), %rcx\n"                                                                             \
		   "movq 32(%rsp), %r8\n"                                                                              \
		   "movq 40(%rsp), %r9\n"
#define ENTER(name, SAVE, LOAD)                                                                                        \
	".balign 64\n"                                                                                                 \
	".type " name ", @function\n" name ":\n"                                                                       \
	".cfi_startproc\n"                                                                                             \
	".cfi_personality 0x1b, operation_personality\n"                                                               \
	"pushq %rbp\n"                                                                                                 \
	".cfi_adjust_cfa_offset 8\n"                                                                                   \
	".cfi_rel_offset %rbp, 0\n"                                                                                    \
	"movq %rsp, %rbp\n"                                                                                            \
	".cfi_def_cfa_register %rbp\n"                                                                                 \
	"subq $144, %rsp\n" SAVE "movq 8(%rbp), %rax\n"                                                                \
	"movq %rax, 56(%rsp)\n"                                                                                        \
	"leaq operation_rows(%rip), %rax\n"                                                                            \
	"addq %rax, %r11\n"                                                                                            \
	"movq %r11, 64(%rsp)\n"                                                                                        \
	"movl $0, 72(%rsp)\n"                                                                                          \
	"movq %rsp, %rdi\n"                                                                                            \
	"call *entrance + 16(%rip)\n"                                                                                  \
	"cmpl $1, %eax\n"                                                                                              \
	"je 1f\n"                                                                                                      \
	"ja 2f\n"                                                                                                      \
	"movq 64(%rsp), %rax\n"                                                                                        \
	"movq 8(%rax), %rax\n" LOAD "movl $1, 72(%rsp)\n"                                                              \
	"call *(%rax)\n"                                                                                               \
	"movq %rax, 48(%rsp)\n"                                                                                        \
	"1:\n"                                                                                                         \
	"movl $2, 72(%rsp)\n"                                                                                          \
	"movq %rsp, %rdi\n"                                                                                            \
	"call *entrance + 24(%rip)\n"                                                                                  \
	"movq 48(%rsp), %rax\n"                                                                                        \
	".cfi_remember_state\n"                                                                                        \
	"leave\n"                                                                                                      \
	".cfi_def_cfa %rsp, 8\n"                                                                                       \
	".cfi_restore %rbp\n"                                                                                          \
	"ret\n" /* below: the real function alone; it returns to the program */                                        \
	"2:\n"                                                                                                         \
	".cfi_restore_state\n"                                                                                         \
	"movq 64(%rsp), %rax\n"                                                                                        \
	"movq 8(%rax), %rax\n" LOAD "leave\n"                                                                          \
	".cfi_def_cfa %rsp, 8\n"                                                                                       \
	".cfi_restore %rbp\n"                                                                                          \
	"jmp *(%rax)\n"                                                                                                \
	".cfi_endproc\n"                                                                                               \
	".size " name ", . - " name "\n"

/* In the order of the list, each of FUNCTION_BYTES. */
#define FUNCTIONS(name)                                                                                                \
	".balign 64\n"                                                                                                 \
	".globl " name "\n"                                                                                            \
	".hidden " name "\n" name ":\n"                                                                                \
	".set operation_row, 0\n"
#define FUNCTION(label, enter)                                                                                         \
	".balign 16\n"                                                                                                 \
	".type " label ", @function\n" label ":\n"                                                                     \
	".cfi_startproc\n"                                                                                             \
	"movl $operation_row, %r11d\n"                                                                                 \
	"jmp " enter "\n"                                                                                              \
	".cfi_endproc\n"                                                                                               \
	".size " label ", . - " label "\n"                                                                             \
	".set operation_row, operation_row + 32\n"
#define OF_ALL(name) __asm__(FUNCTION("operation_" #name, "operation_enter"));
#define OF_ONE(name) __asm__(FUNCTION("operation_single_" #name, "operation_enter_single"));

__asm__(".pushsection .text\n" ENTER("operation_enter", SAVE_ALL, LOAD_ALL) FUNCTIONS("operation_functions"));
INTERPOSE_ALL(OF_ALL)
__asm__(ENTER("operation_enter_single", SAVE_FIRST, LOAD_FIRST) FUNCTIONS("operation_singles"));
INTERPOSE_ALL(OF_ONE)
__asm__(".balign 16\n"
	".popsection\n");

/*
 * The short ways, for functions of one argument: all of it is in the code of the function, and nothing is kept but the argument. In
 * a checked or followed one the row lies on the stack while the real function runs, and at no other time: by that the unwinder's
 * call knows that it was left.
 */
#define SHORT_BEGIN(way, name, bytes)                                                                                  \
	".balign " bytes "\n"                                                                                          \
	".type operation_" way "_" name ", @function\n"                                                                \
	"operation_" way "_" name ":\n"                                                                                \
	".cfi_startproc\n"
#define SHORT_KEEP                                                                                                     \
	"pushq %rdi\n"                                                                                                 \
	".cfi_adjust_cfa_offset 8\n"                                                                                   \
	"movq %rdi, %rsi\n"                                                                                            \
	"movq 8(%rsp), %rdx\n"                                                                                         \
	"leaq operation_rows + operation_row(%rip), %rdi\n"                                                            \
	"call *entrance + 32(%rip)\n"
#define SHORT_ANNOUNCE                                                                                                 \
	SHORT_KEEP "popq %rdi\n"                                                                                       \
		   ".cfi_adjust_cfa_offset -8\n"
#define SHORT_END(way, name)                                                                                           \
	".cfi_endproc\n"                                                                                               \
	".size operation_" way "_" name ", . - operation_" way "_" name "\n"                                           \
	".set operation_row, operation_row + 32\n"                                                                     \
	".set operation_real, operation_real + 24\n"

__asm__(".pushsection .text\n"
	".balign 64\n"
	".hidden operation_announceds\n"
	".globl operation_announceds\n"
	"operation_announceds:\n"
	".set operation_row, 0\n"
	".set operation_real, 8\n");
#define ANNOUNCED(name)                                                                                                \
	__asm__(SHORT_BEGIN("announced", #name, "32") SHORT_ANNOUNCE                                                   \
		"jmp *interpose_reals + operation_real(%rip)\n" SHORT_END("announced", #name));
INTERPOSE_ALL(ANNOUNCED)
#undef ANNOUNCED

__asm__(".balign 64\n"
	".hidden operation_checkeds\n"
	".globl operation_checkeds\n"
	"operation_checkeds:\n"
	".set operation_row, 0\n"
	".set operation_real, 8\n");
#define CHECKED(name)                                                                                                  \
	__asm__(SHORT_BEGIN("checked", #name,                                                                          \
			    "64") ".cfi_personality 0x1b, operation_checked_personality\n" SHORT_ANNOUNCE              \
				  "leaq operation_rows + operation_row(%rip), %rax\n"                                  \
				  "pushq %rax\n"                                                                       \
				  ".cfi_adjust_cfa_offset 8\n"                                                         \
				  "call *interpose_reals + operation_real(%rip)\n"                                     \
				  "popq %rdi\n"                                                                        \
				  ".cfi_adjust_cfa_offset -8\n"                                                        \
				  "testl %eax, %eax\n"                                                                 \
				  "jne operation_not_zero\n"                                                           \
				  "ret\n" SHORT_END("checked", #name));
INTERPOSE_ALL(CHECKED)
#undef CHECKED
__asm__(".balign 64\n"
	".type operation_not_zero, @function\n"
	"operation_not_zero:\n"
	".cfi_startproc\n"
	"pushq %rax\n"
	".cfi_adjust_cfa_offset 8\n"
	"movl %eax, %esi\n"
	"call operation_returned\n"
	"popq %rax\n"
	".cfi_adjust_cfa_offset -8\n"
	"ret\n"
	".cfi_endproc\n"
	".size operation_not_zero, . - operation_not_zero\n");

/* The stack, from its top: the row, again for alignment, the object, where the function returns to. */
__asm__(".balign 64\n"
	".hidden operation_followeds\n"
	".globl operation_followeds\n"
	"operation_followeds:\n"
	".set operation_row, 0\n"
	".set operation_real, 8\n");
#define FOLLOWED(name)                                                                                                 \
	__asm__(SHORT_BEGIN("followed", #name,                                                                         \
			    "64") ".cfi_personality 0x1b, operation_followed_personality\n" SHORT_KEEP                 \
				  "movq (%rsp), %rdi\n"                                                                \
				  "leaq operation_rows + operation_row(%rip), %rax\n"                                  \
				  "pushq %rax\n"                                                                       \
				  ".cfi_adjust_cfa_offset 8\n"                                                         \
				  "pushq %rax\n"                                                                       \
				  ".cfi_adjust_cfa_offset 8\n"                                                         \
				  "call *interpose_reals + operation_real(%rip)\n"                                     \
				  "jmp operation_follow\n" SHORT_END("followed", #name));
INTERPOSE_ALL(FOLLOWED)
#undef FOLLOWED
__asm__(".balign 64\n"
	".type operation_follow, @function\n"
	"operation_follow:\n"
	".cfi_startproc\n"
	".cfi_def_cfa_offset 32\n"
	"popq %rdi\n"
	".cfi_adjust_cfa_offset -8\n"
	"popq %rdi\n"
	".cfi_adjust_cfa_offset -8\n"
	"movq (%rsp), %rsi\n"
	"movq 8(%rsp), %rdx\n"
	"testl %eax, %eax\n"
	"jne 1f\n"
	"call *entrance + 48(%rip)\n"
	"xorl %eax, %eax\n"
	".cfi_remember_state\n"
	"addq $8, %rsp\n"
	".cfi_adjust_cfa_offset -8\n"
	"ret\n"
	"1:\n"
	".cfi_restore_state\n"
	"movl %eax, (%rsp)\n"
	"movl %eax, %ecx\n"
	"call operation_failed\n"
	"movl (%rsp), %eax\n"
	"addq $8, %rsp\n"
	".cfi_adjust_cfa_offset -8\n"
	"ret\n"
	".cfi_endproc\n"
	".size operation_follow, . - operation_follow\n"
	".popsection\n");

extern const char operation_announceds[] __attribute__((visibility("hidden")));
extern const char operation_checkeds[] __attribute__((visibility("hidden")));
extern const char operation_followeds[] __attribute__((visibility("hidden")));

/* A checked function did not return 0. */
void operation_returned(const struct operation_row *row, int result) __attribute__((visibility("hidden")));

void operation_returned(const struct operation_row *row, int result)
{
	struct operation operation = { .row = row, .result = (uint32_t)result, .end = OPERATION_RETURNED };
	entrance.after(&operation);
}

/* A followed function did not return 0. */
void operation_failed(const struct operation_row *row, uintptr_t object, uintptr_t code, int result)
	__attribute__((visibility("hidden")));

void operation_failed(const struct operation_row *row, uintptr_t object, uintptr_t code, int result)
{
	struct operation operation = {
		.arguments = { object }, .result = (uint32_t)result, .code = code, .row = row, .end = OPERATION_RETURNED
	};
	entrance.after(&operation);
}

static void *function_at(size_t index, const char *functions, size_t size_bytes)
{
	return operation_rows[index].kind == OPERATION_NONE ? NULL : (void *)(functions + index * size_bytes);
}

void *operation_function(size_t index)
{
	return function_at(index, operation_rows[index].is_single ? operation_singles : operation_functions,
			   FUNCTION_BYTES);
}

void *operation_announced(size_t index)
{
	return operation_rows[index].is_single ? function_at(index, operation_announceds, ANNOUNCED_BYTES) : NULL;
}

void *operation_checked(size_t index)
{
	return operation_rows[index].is_single ? function_at(index, operation_checkeds, CHECKED_BYTES) : NULL;
}

void *operation_followed(size_t index)
{
	return operation_rows[index].is_single ? function_at(index, operation_followeds, FOLLOWED_BYTES) : NULL;
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

static bool is_row(const struct operation_row *row)
{
	return row >= operation_rows && row < operation_rows + INTERPOSE_COUNT;
}

/* The stack pointer of the frame, or null. */
static void *frame_of(void *context, uintptr_t unwinder)
{
	get_frame *get = find_get(unwinder);
	return get ? (void *)get(context) : NULL;
}

int operation_personality(int version, int actions, uint64_t kind, void *exception, void *context)
{
	(void)version;
	(void)kind;
	(void)exception;
	if (!(actions & ACTION_CLEANUP))
		return CONTINUE_UNWIND;
	struct operation *operation = frame_of(context, (uintptr_t)__builtin_return_address(0));
	/* Not when `before` or `after` itself is left. */
	if (operation && is_row(operation->row) && operation->end == OPERATION_CALLING) {
		operation->end = OPERATION_UNWOUND;
		entrance.after(operation);
	}
	return CONTINUE_UNWIND;
}

int operation_checked_personality(int version, int actions, uint64_t kind, void *exception, void *context)
{
	(void)version;
	(void)kind;
	(void)exception;
	if (!(actions & ACTION_CLEANUP))
		return CONTINUE_UNWIND;
	const struct operation_row *const *row = frame_of(context, (uintptr_t)__builtin_return_address(0));
	if (row && is_row(*row)) {
		struct operation operation = { .row = *row, .end = OPERATION_UNWOUND };
		entrance.after(&operation);
	}
	return CONTINUE_UNWIND;
}

int operation_followed_personality(int version, int actions, uint64_t kind, void *exception, void *context)
{
	(void)version;
	(void)kind;
	(void)exception;
	if (!(actions & ACTION_CLEANUP))
		return CONTINUE_UNWIND;
	const struct {
		const struct operation_row *row, *again;
		uintptr_t object, code;
	} *frame = frame_of(context, (uintptr_t)__builtin_return_address(0));
	if (frame && is_row(frame->row)) {
		struct operation operation = {
			.arguments = { frame->object }, .code = frame->code, .row = frame->row, .end = OPERATION_UNWOUND
		};
		entrance.after(&operation);
	}
	return CONTINUE_UNWIND;
}
